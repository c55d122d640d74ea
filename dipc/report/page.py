"""The report: one HTML page about one program, which needs no network, no script and no other file.

Everything that comes from outside (the program, its names, the title) passes through a template that escapes
it; what is put in as HTML is made here, of numbers, or by Pygments.  A page forbids scripts and connections
to itself (``Content-Security-Policy``).  jinja2, matplotlib and pygments are needed
(``pip install '.[report]'`` in dipc's folder).
"""

from __future__ import annotations

import gzip
import re
import shlex
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from io import StringIO
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import dipc.views as views
from dipc.certificate.format import dumps
from dipc.certificate.produce import certificate
from dipc.claims.counterexample import Counterexample
from dipc.claims.privacy import Violated
from dipc.claims.tightness.curves import Curve
from dipc.claims.verdict import Undecided, Verdict
from dipc.dipwhile.convert import PythonValue, to_input
from dipc.dipwhile.distribution import Distribution
from dipc.errors import InputError
from dipc.export.formats import CHAINS, QUESTIONS
from dipc.export.questions import picture, question
from dipc.export.subject import ClaimExport, Picture
from dipc.export.svg import svg
from dipc.mechanisms import Mechanism
from dipc.models.values import Valuation, valuation_text
from dipc.numbers.quotient import Quotient
from dipc.report.canvas import MissingPackage, Panel, broken, sheet
from dipc.report.figures import panels_of
from dipc.report.mathml import mathml
from dipc.report.proofs import proofs
from dipc.report.study import Attempts, Note, Study, Subject, gave_up, study
from dipc.report.tightness import enclosure, end_text, where
from dipc.report.words import checked, doubt_lines, nice
from dipc.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

TEMPLATES = Path(__file__).parent / "templates"
PANEL = (5.6, 4.2)  # inches: still to be read on a phone
MOST_STATES = 60  # of a chain that is drawn
MOST_OUTPUTS = 40  # of a distribution that is listed
MOST_SEGMENTS = 12
LARGEST = 200_000  # bytes of a file that the page carries
DIGITS = 10

SIGNS = {"private": "✓", "violated": "✗", "undecided": "?"}

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
"""The colours of plots and the variables of the page in their place, which differ in the dark."""


def report_html(
    mechanism: Mechanism,
    claim: str | None = None,
    *,
    title: str | None = None,
    at: PythonValue | None = None,
    attempts: Attempts | None = None,
) -> str:
    """A page about the program and the claim (by default its own).

    ``title`` stands at the top, by default the name of the program; ``at`` is the budget at which
    distributions are shown.  A part that takes too long is left out with a note; ``attempts`` tells how long.
    Raises :class:`InputError`.
    """
    environment = _environment()
    attempts = attempts or Attempts()
    subject = Subject(mechanism, claim, at=at)
    found = study(subject, attempts)
    heavy = found.goal is not None and not gave_up(found.verdict)
    asked = attempts("the proof written out", lambda: _question(subject)) if heavy else None
    proved = attempts("the proof written out", lambda: list(proofs(asked))) if asked else None
    drawn = attempts("the chain", lambda: _picture(found))
    laws: Sequence[Distribution] = found.laws or ()
    if drawn is not None and found.pair is None:
        alone = attempts("a distribution", lambda: mechanism.distribution(**dict(drawn.input)))
        laws = () if alone is None else (alone,)
    context = {
        "title": title or PurePath(found.name).name,
        "file": found.name,
        "study": found,
        "settings": mechanism.parameters,
        "replaced": mechanism.replaced,
        "program": highlighted(mechanism.program.source.text),
        "status": found.verdict.status if found.verdict is not None else "none",
        "signs": SIGNS,
        "example": _example(found.verdict),
        "counts": checked(found.verdict.counts) if found.verdict is not None else "",
        "doubts": list(_doubts(found.verdict)),
        "rows": list(_rows(found, laws)),
        "total": len(list(_outputs(laws))),
        "regions": [broken(region) for region in found.regions.regions] if found.regions else [],
        "chain_input": drawn.input if drawn else (),
        "segments": list(_segments(found.loss)),
        "panels": attempts("the plots", lambda: _plots(found)) or [],
        "drawing": _drawing(drawn, attempts) if drawn else None,
        "states": len(drawn.chain) if drawn else 0,
        "proofs": proved or [],
        "commands": list(commands(found, drawn)),
        "version": __version__,
        "downloads": list(_downloads(found, asked, drawn, attempts)),
    }
    context["notes"] = _merged(attempts.notes)
    return environment.get_template("report.html").render(context)


@views.page.register
def write_page(mechanism: Mechanism, file: str | Path | None = None, **options: Any) -> Path:
    """Write the page; :class:`InputError` if ``file`` is no page."""
    name = mechanism.program.source.name
    target = Path(file or ("report.html" if name.startswith("<") else f"{plain_stem(name)}.html"))
    refuse_no_page(target)
    target.write_text(report_html(mechanism, **options), encoding="utf-8", errors="replace")
    return target


def refuse_no_page(target: Path) -> None:
    """Raises :class:`InputError` for the name of another kind of file."""
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{target}: a report is a page of HTML", hint=f'for example "{target.stem}.html"')


def _merged(notes: Iterable[Note]) -> dict[str, str]:
    """One note for each part."""
    return {note.part: note.why for note in notes}


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
        "marked": marked,
        "valuation": valuation_text,
        "pretty": lambda text: nice(str(text)),
        "enclosure": enclosure,
        "where": where,
    }
    environment.filters |= filters
    return environment


def marked(html: str) -> Markup:
    """HTML of our own making, which the template shall not escape."""
    from markupsafe import Markup

    return Markup(html)


def highlighted(text: str) -> Markup:
    """The program in colours, with its lines numbered.

    >>> "<script>" in highlighted("# <script>")
    False
    """
    from pygments import highlight
    from pygments.formatters import HtmlFormatter

    lexer = import_module("dipc.editors.pygments_lexer").DipLexer()  # by name: pygments may not be here
    return marked(highlight(text.strip("\n"), lexer, HtmlFormatter(cssclass="code", linenos="inline")))


# --- verdict and distributions ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a counterexample: in decimals, exactly, and as a function of eps."""

    name: str
    decimal: str
    function: Markup


@dataclass(frozen=True, slots=True)
class Example:
    """A counterexample for the page."""

    found: Counterexample
    quantities: tuple[Quantity, ...]
    broken: str


def _example(verdict: Verdict | None) -> Example | None:
    if not isinstance(verdict, Violated):
        return None
    found = verdict.counterexample
    named = {
        "P(u)": found.probability,
        "P(u′)": found.neighbour_probability,
        "bound": found.bound,
        "excess": found.excess,
    }
    quantities = tuple(
        Quantity(name, f.decimal(found.epsilon, DIGITS), marked(mathml(f))) for name, f in named.items()
    )
    return Example(found, quantities, " and for ".join(map(nice, found.broken_for)))


def _doubts(verdict: Verdict | None) -> Iterator[str]:
    if isinstance(verdict, Undecided):
        yield from (text for _, text in doubt_lines(verdict))


@dataclass(frozen=True, slots=True)
class Row:
    """One output with its probabilities on both inputs."""

    output: str
    left: Markup
    right: Markup
    decimals: tuple[str, ...]
    special: bool


def _rows(found: Study, laws: Sequence[Distribution]) -> Iterator[Row]:
    """The outputs; one column of probabilities if there is one law only."""
    for output in list(_outputs(laws))[:MOST_OUTPUTS]:
        functions = [law.get(output, Quotient.of(0)) for law in laws]
        numbers = tuple(f.decimal(found.point, 6) for f in functions)
        formulas = [marked(mathml(f)) for f in functions]
        yield Row(valuation_text(output), formulas[0], formulas[-1], numbers, output in found.outputs)


def _outputs(laws: Sequence[Distribution]) -> Iterable[Valuation]:
    return dict.fromkeys(output for law in laws for output in law)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A segment of the privacy loss: the loss is the logarithm of ``ratio``; None is infinity."""

    where: str
    ratio: Markup | None
    pair: str
    outputs: str


def _segments(curve: Curve | None) -> Iterator[Stretch]:
    for segment in curve.segments[:MOST_SEGMENTS] if curve else ():
        ratio = None if segment.value is None else marked(mathml(segment.value))
        witness = segment.witness
        pair = (
            f"{valuation_text(witness.input)} against {valuation_text(witness.neighbour)}" if witness else ""
        )
        outputs = " or ".join(map(valuation_text, witness.outputs)) if witness else ""
        yield Stretch(nice(f"{end_text(segment.low)} to {end_text(segment.high)}"), ratio, pair, outputs)


# --- drawings --------------------------------------------------------------------------------


def _plots(found: Study) -> list[tuple[Panel, Markup]]:
    return [(panel, plot_svg(panel, f"plot{n}")) for n, panel in enumerate(panels_of(found), start=1)]


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
    text = re.sub(r"#[0-9a-f]{6}\b", lambda ink: _ink(ink[0]), text)
    label = escape(f"{panel.title}. {panel.words}")
    text = re.sub(r'<svg ([^>]*?)width="[^"]*" height="[^"]*"|<svg ', r"<svg \1", text, count=1)
    return marked(text.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1))


def _ink(colour: str) -> str:
    return f"var(--{INKS[colour]})" if colour in INKS else colour


def _picture(found: Study) -> Picture:
    """The chain on the input u, or on the first input."""
    program = found.subject.mechanism.program
    if found.pair is not None:
        values = dict(found.pair[0])
    else:
        values = {v.name: v.domain[0] if v.size is None else (v.domain[0],) * v.size for v in program.inputs}
    return picture(program, to_input(program, values))


def _drawing(drawn: Picture, attempts: Attempts) -> Markup | None:
    """The chain as the address of an image: its style must not reach the page."""
    if len(drawn.chain) > MOST_STATES:
        states = f"it has {len(drawn.chain)} states, more than the {MOST_STATES} that a page shows"
        attempts.notes.append(Note("the drawing of the chain", f"{states}; dipc export --to svg draws it"))
        return None
    text = attempts("the drawing of the chain", lambda: svg(drawn))
    return None if text is None else marked(data_uri(text.encode(), "image/svg+xml"))


# --- files and commands ----------------------------------------------------------------------


def data_uri(data: bytes, kind: str) -> str:
    """A file as an address.

    >>> data_uri(b"1", "text/plain")
    'data:text/plain;base64,MQ=='
    """
    return f"data:{kind};base64,{b64encode(data).decode()}"


@dataclass(frozen=True, slots=True)
class Download:
    """A file that the page carries, or the command that writes it."""

    name: str
    about: str
    size: str
    href: Markup | None
    command: str


FILES = {
    "mathematica": (".wl", "Mathematica, checks itself and asks the question again"),
    "sage": (".sage", "Sage, checks itself"),
    "smtlib": (".smt2", "SMT-LIB, one query for each different inequality"),
    "latex": (".tex", "LaTeX: program, distributions, an inequality with its proof"),
    "dot": (".dot", "the chain for Graphviz"),
    "svg": (".svg", "the chain as a drawing"),
    "drn": (".drn", "the chain for Storm"),
    "prism": (".pm", "the chain for PRISM and Storm"),
}


def _downloads(
    found: Study, asked: ClaimExport | None, drawn: Picture | None, attempts: Attempts
) -> Iterator[Download]:
    """The certificate and the exports; the command alone for what is too large or takes too long."""
    stem, program = _stem(found), found.subject.mechanism.program
    yield _download(f"{stem}.dip", "the program", program.source.text.encode(), "")
    verdict = found.verdict
    if verdict is not None and not isinstance(verdict, Undecided):
        text = attempts("the certificate", lambda: dumps(certificate(program, verdict)))
        data = text.encode() if text else b""
        name = f"{stem}.json"
        if len(data) > LARGEST // 4:
            data, name = gzip.compress(data, mtime=0), f"{name}.gz"
        if data:
            command = f"dipc check {_words(found)} --certificate {name}"
            yield _download(name, "the certificate: the verdict with its proofs", data, command)
    subjects: list[tuple[Mapping[str, Callable[[Any], str]], Any, str]] = [
        (QUESTIONS, asked, f"export {_words(found)}"),
        (CHAINS, drawn, f"export {_words(found, claim=False)}{_input(drawn)}"),
    ]
    for formats, subject, command in subjects:
        for name, write in formats.items() if subject is not None else ():
            ending, about = FILES[name]
            text = attempts(f"the export to {name}", lambda w=write, s=subject: w(s))  # type: ignore[misc]
            if text is not None:
                full = f"dipc {command} --to {name} -o {stem}{ending}"
                yield _download(f"{stem}{ending}", about, text.encode(), full)


def _download(name: str, about: str, data: bytes, command: str) -> Download:
    size = f"{len(data) / 1024:.0f} KiB" if len(data) >= 10_240 else f"{len(data)} bytes"
    href = marked(data_uri(data, "application/octet-stream")) if len(data) <= LARGEST else None
    return Download(name, about, size, href, command)


def _stem(found: Study) -> str:
    return plain_stem(found.name)


def plain_stem(name: str) -> str:
    """A plain name for files.

    >>> plain_stem("programs/svt/svt1.dip"), plain_stem("<text>")
    ('svt1', 'text')
    """
    stem = re.sub(r"[^\w.-]+", "_", PurePath(name).stem, flags=re.ASCII).strip("._-")
    return stem or "program"


def _words(found: Study, claim: bool = True) -> str:
    """FILE, its parameters, and the claim that was asked, for a shell."""
    subject = found.subject
    words = [_file(found)]
    for name, value in subject.mechanism.parameters.items():
        words += ["-D", f"{name}={value}"]
    if claim and subject.text is not None:
        words += ["--claim", subject.text]
    return shlex.join(words)


def _file(found: Study) -> str:
    """What a command calls the program; one that came as text is a file of the page."""
    return f"{_stem(found)}.dip" if found.name.startswith("<") else found.name


def _input(drawn: Picture | None) -> str:
    """The option that names the input of the chain."""
    return f" --input {shlex.quote(valuation_text(drawn.input))}" if drawn and drawn.input else ""


def commands(found: Study, drawn: Picture | None) -> Iterator[tuple[str, str]]:
    """How to check the verdict again: each command with what it does."""
    file, words = f"{_stem(found)}.json", _words(found)
    if found.goal is None:
        yield f"dipc distribution {words}{_input(drawn)}", "the distributions on an input"
    elif found.verdict is None or isinstance(found.verdict, Undecided):
        yield f"dipc check {words}", "decide again, without a limit of time"
    else:
        yield f"dipc check {words} --certificate {file}", "decide again, and write a certificate"
        program = shlex.quote(_file(found))
        yield (
            f"dipc verify {file} --program {program}",
            "check it, and that it is about this program",
        )
        yield f"dipc verify {file} --deep", "also derive the distributions anew, by a second, slower way"
        yield (
            f"python -m dipc.certificate.kernel {file}",
            "the same check by one file that uses nothing of dipc",
        )


def _question(subject: Subject) -> ClaimExport:
    claim = subject.core_claim
    assert claim is not None
    return question(subject.mechanism.program, claim)
