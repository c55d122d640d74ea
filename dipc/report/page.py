"""The report: one HTML page about one program, without network access, scripts or other files.

Everything from outside (the program, its names, the title) passes through a template that escapes it; the
only HTML that is inserted as such comes from this package, which makes it of numbers, and from Pygments.  A
page forbids itself scripts and connections (``Content-Security-Policy``).

It needs jinja2, matplotlib and pygments (``pip install '.[report]'`` in dipc's folder).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from io import StringIO
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import dipc.views as views
from dipc.dipwhile.convert import PythonValue, to_input
from dipc.dipwhile.distribution import Distribution
from dipc.errors import InputError
from dipc.export.questions import picture, question
from dipc.export.subject import Picture
from dipc.export.svg import svg
from dipc.mechanisms import Mechanism
from dipc.models.values import valuation_text
from dipc.numbers.quotient import Quotient
from dipc.report.canvas import MissingPackage, Panel, broken, sheet
from dipc.report.document import lines
from dipc.report.downloads import commands, data_uri, downloads, plain_stem
from dipc.report.figures import panels_of
from dipc.report.mathml import mathml
from dipc.report.proofs import proofs
from dipc.report.study import Attempts, Note, Study, Subject, gave_up, study
from dipc.report.tightness import enclosure, where
from dipc.report.words import checked, doubts, nice, sign
from dipc.signs.tables import end_as_text
from dipc.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

TEMPLATES = Path(__file__).parent / "templates"
PANEL = (5.6, 4.2)  # inches: still to be read on a phone
MOST_STATES = 60  # of a chain that is drawn

INKS = {
    "#000000": "ink",
    "#262626": "ink",
    "#dddddd": "line",
    "#0072b2": "blue",
    "#d55e00": "red",
    "#009e73": "green",
    "#cc79a7": "pink",
    "#e69f00": "orange",
    "#56b4e9": "sky",
    "#777777": "grey",
    "#ffffff": "paper",
}
"""The colours of plots and the CSS variables that replace them, which differ in dark mode."""


def report_html(
    mechanism: Mechanism,
    claim: str | None = None,
    *,
    title: str | None = None,
    at: PythonValue | None = None,
    attempts: Attempts | None = None,
) -> str:
    """A page about the program and the claim (by default its own).

    ``title`` is the heading, by default the name of the program; ``at`` is the eps at which distributions
    are shown.  A part that takes longer than ``attempts`` allows is left out with a note.
    Raises :class:`InputError`.
    """
    environment = _environment()
    attempts = attempts or Attempts()
    subject = Subject(mechanism, claim, at=at)
    found = study(subject, attempts)
    claimed, asked = subject.core_claim, None
    if claimed is not None and not gave_up(found.verdict):
        asked = attempts("the proof written out", partial(question, mechanism.explored, claimed))
    proved = attempts("the proof written out", lambda: list(proofs(asked))) if asked else None
    drawn = attempts("the chain", lambda: _picture(found))
    context = {
        "title": title or PurePath(found.name).name,
        "study": found,
        "mechanism": mechanism,
        "drawn": drawn,
        "laws": _laws(found, drawn, attempts),
        "panels": attempts(
            "the plots",
            lambda: [
                (panel, plot_svg(panel, f"plot{n}")) for n, panel in enumerate(panels_of(found), start=1)
            ],
        )
        or [],
        "drawing": _drawing(drawn, attempts) if drawn else None,
        "proofs": proved or [],
        "commands": list(commands(found, drawn)),
        "downloads": list(downloads(found, asked, drawn, attempts)),
        "version": __version__,
    }
    context["notes"] = {note.part: note.why for note in attempts.notes}  # one for each part
    return environment.get_template("report.html").render(context)


def _laws(found: Study, drawn: Picture | None, attempts: Attempts) -> Sequence[Distribution]:
    """The distributions of the pair; without a pair that of the input that is drawn."""
    if drawn is None or found.pair is not None:
        return found.laws or ()
    mechanism = found.subject.mechanism
    alone = attempts("a distribution", lambda: mechanism.distribution(**dict(drawn.input)))
    return () if alone is None else (alone,)


@views.page.register
def write_page(mechanism: Mechanism, file: str | Path | None = None, **options: Any) -> Path:
    """Write the page; raises :class:`InputError` unless ``file`` is named as one."""
    name = mechanism.program.source.name
    target = Path(file or ("report.html" if name.startswith("<") else f"{plain_stem(name)}.html"))
    refuse_no_page(target)
    target.write_text(report_html(mechanism, **options), encoding="utf-8", errors="replace")
    return target


def refuse_no_page(target: Path) -> None:
    """Raise :class:`InputError` for the name of another kind of file."""
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{target}: a report is a page of HTML", hint=f'for example "{target.stem}.html"')


# --- the template ----------------------------------------------------------------------------


def _environment() -> Environment:
    try:
        import matplotlib  # noqa: F401
        import pygments  # noqa: F401
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError as error:
        raise MissingPackage(
            f"reports need {error.name}", hint="pip install matplotlib jinja2 pygments"
        ) from None
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Callable[..., object]] = {
        "formula": lambda f: marked(mathml(f)),
        "sign": sign,
        "checked": checked,
        "doubts": lambda verdict: [text for _, text in lines([doubts(verdict)])],
        "valuation": valuation_text,
        "outputs": lambda outputs: " or ".join(map(valuation_text, outputs)),
        "end": end_as_text,
        "exactly": Quotient.of,
        "broken": broken,
        "highlighted": highlighted,
        "pretty": lambda text: nice(str(text)),
        "enclosure": enclosure,
        "where": where,
    }
    environment.filters |= filters
    return environment


def marked(html: str) -> Markup:
    """HTML of our own, which the template must not escape."""
    from markupsafe import Markup

    return Markup(html)


def highlighted(text: str) -> Markup:
    """The program in colour, with line numbers.

    >>> "<script>" in highlighted("# <script>")
    False
    """
    from pygments import highlight
    from pygments.formatters import HtmlFormatter

    lexer = import_module("dipc.editors.pygments_lexer").DipLexer()  # by name: pygments may not be here
    return marked(highlight(text.strip("\n"), lexer, HtmlFormatter(cssclass="code", linenos="inline")))


# --- drawings --------------------------------------------------------------------------------


def plot_svg(panel: Panel, prefix: str) -> Markup:
    """The panel as an ``<svg>`` element with the colours of the page; its ids begin with the prefix."""
    import matplotlib
    from markupsafe import escape

    data = StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with matplotlib.rc_context({"svg.hashsalt": prefix}):
        sheet([panel], size=PANEL).savefig(data, format="svg", metadata=nothing, transparent=True)
    text = data.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->|<style.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r'\b(id="|href="#|url\(#)', rf"\g<1>{prefix}-", text)
    text = re.sub(r"#[0-9a-f]{6}\b", lambda ink: f"var(--{INKS[ink[0]]})" if ink[0] in INKS else ink[0], text)
    label = escape(f"{panel.title}. {panel.words}")
    text = re.sub(r'<svg ([^>]*?)width="[^"]*" height="[^"]*"|<svg ', r"<svg \1", text, count=1)
    return marked(text.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1))


def _picture(found: Study) -> Picture:
    """The chain on the input u, or on the first input."""
    program = found.subject.mechanism.program
    if found.pair is not None:
        values = dict(found.pair[0])
    else:
        values = {v.name: v.domain[0] if v.size is None else (v.domain[0],) * v.size for v in program.inputs}
    return picture(program, to_input(program, values))


def _drawing(drawn: Picture, attempts: Attempts) -> Markup | None:
    """The chain as the address of an image, so that its style does not affect the page."""
    if len(drawn.chain) > MOST_STATES:
        states = f"it has {len(drawn.chain)} states, more than the {MOST_STATES} that a page shows"
        attempts.notes.append(Note("the drawing of the chain", f"{states}; dipc export --to svg draws it"))
        return None
    text = attempts("the drawing of the chain", lambda: svg(drawn))
    return None if text is None else marked(data_uri(text.encode(), "image/svg+xml"))
