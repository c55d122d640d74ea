"""The report: one HTML page about one program, without network access, scripts or other files.

Everything from outside (the program, its names, the title) passes through a template that escapes it; the
only HTML that is inserted as such comes from this package, which makes it of numbers, and from Pygments.  A
page forbids itself scripts and connections (``Content-Security-Policy``).

It needs jinja2, matplotlib and pygments (``pip install '.[report]'`` in dipc's folder).
"""

from __future__ import annotations

import gzip
import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from flint import fmpq

import dipc.views as views
from dipc.certificate.format import dumps, listed_proof
from dipc.claims.privacy import Private, Violated
from dipc.claims.rows import lines
from dipc.clock import in_force, limits
from dipc.dipwhile.certify.privacy import certificate
from dipc.dipwhile.convert import PythonValue, to_input
from dipc.dipwhile.distribution import Distribution
from dipc.dipwhile.export.checks import Link, links
from dipc.dipwhile.export.drawing import svg
from dipc.dipwhile.export.formats import CHAINS, QUESTIONS
from dipc.dipwhile.export.latex import chosen_inequality
from dipc.dipwhile.export.questions import ClaimExport, Inequality, Picture, picture, question
from dipc.dipwhile.mechanisms import Mechanism
from dipc.dipwhile.panels.figures import panels_of
from dipc.dipwhile.panels.study import Study, Subject, gave_up, study
from dipc.dipwhile.records.every_size import answer_html
from dipc.dipwhile.records.every_size import where as where_proved
from dipc.files import write_file
from dipc.kernel import schema
from dipc.models.values import valuation_text
from dipc.numbers.quotient import Quotient
from dipc.report.attempts import Attempts, Note
from dipc.report.canvas import broken
from dipc.report.mathml import mathml, rational
from dipc.report.page import (
    LARGEST,
    TEMPLATES,
    Download,
    data_uri,
    download,
    load,
    plain_stem,
    plot_svg,
    target_of,
)
from dipc.report.tightness import enclosure, span, where
from dipc.report.words import checked, doubts, nice, sign
from dipc.signs.inequality import Fails
from dipc.suggest import options_only
from dipc.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

PROVING = 5.0  # seconds for a proof for every size
MOST_STATES = 60  # of a chain that is drawn
LONGEST = 3000  # characters of a proof that is shown as in the certificate

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


@options_only
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
    are shown.  The limits (:func:`dipc.limits`, 20 seconds if there is none) are for each part; a part that
    takes longer is left out with a note.
    Raises :class:`InputError`.
    """
    load("jinja2", "pygments")
    attempts = attempts or Attempts()
    subject = Subject(mechanism, claim, at=at)
    found = study(subject, attempts)
    claimed, asked = subject.core_claim, None
    if claimed is not None and not gave_up(found.verdict):
        asked = attempts("the proof written out", partial(question, mechanism.explored, claimed))
    proved = attempts("the proof written out", lambda: list(proofs(asked))) if asked else None
    drawn = attempts("the chain", lambda: _picture(found), (mechanism.program,))
    laws = _laws(found, drawn, attempts)
    plots = attempts("the plots", lambda: _plots(found))
    private = claimed is not None and found.verdict is not None and found.verdict.status == "private"
    for_all = _for_all(mechanism, claim, attempts) if private else None
    drawing = _drawing(drawn, attempts) if drawn else None
    context = {
        "title": title or PurePath(found.name).name,
        "study": found,
        "mechanism": mechanism,
        "drawn": drawn,
        "laws": laws,
        "panels": plots or [],
        "drawing": drawing and marked(data_uri(drawing.encode(), "image/svg+xml")),
        "proofs": proved or [],
        "for_all": for_all,
        "commands": list(commands(found, drawn)),
        "downloads": list(downloads(found, asked, drawn, drawing, attempts)),
        "version": __version__,
    }
    context["notes"] = {note.part: note.why for note in attempts.notes}  # one for each part
    return _environment().get_template("report.html").render(context)


def _for_all(mechanism: Mechanism, claim: str | None, attempts: Attempts) -> tuple[str, Markup] | None:
    """For which sizes there is a proof, and the proof; other answers are left to ``dipc prove``."""
    with limits(seconds=min(PROVING, in_force().seconds)):
        found = attempts("the proof for all inputs", partial(mechanism.prove, claim), None)
    if found is None or found.status != "private":
        return None
    return where_proved(found), marked(answer_html(found))


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
    target = target_of(name, file)
    write_file(target, report_html(mechanism, **options))
    return target


# --- the template ----------------------------------------------------------------------------


@cache
def _environment() -> Environment:
    """The templates, compiled once."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    loader = FileSystemLoader([TEMPLATES, Path(__file__).parent / "templates"])
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "formula": lambda f: marked(mathml(f)),
        "number": lambda value: marked(rational(value)),
        "sign": sign,
        "checked": checked,
        "doubts": lambda verdict: [text for _, text in lines([doubts(verdict)])],
        "rows": lambda example: lines(example.rows()),
        "valuation": valuation_text,
        "outputs": lambda outputs: " or ".join(map(valuation_text, outputs)),
        "span": span,
        "exactly": Quotient.of,
        "broken": broken,
        "highlighted": highlighted,
        "pretty": lambda text: nice(str(text)),
        "enclosure": enclosure,
        "where": where,
    }
    return environment


def marked(html: str) -> Markup:
    """HTML of our own, which the template must not escape."""
    from markupsafe import Markup

    return Markup(html)


def highlighted(text: str) -> Markup:
    """The program in colour, with line numbers."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter

    lexer = import_module("dipc.dipwhile.editors.pygments_lexer").DipLexer()  # pygments may not be here
    return marked(highlight(text.strip("\n"), lexer, HtmlFormatter(cssclass="code", linenos="inline")))


# --- a proof of one inequality, for people -----------------------------------------------------

KINDS = {
    "identity": "both sides are equal for every ε",
    "point": "the sign at the one budget that the claim is about, by exact arithmetic",
    "chain": "a derivative chain that begins at the least budget",
    "inverse": "a derivative chain in 1/ε",
    "product": "a product of factors, each with a proof of its own",
    "pieces": "the budgets are cut into pieces, and Taylor’s theorem bounds the function from below on each",
    "binomial": "exponentials increase: the exponents are compared in place of the exponentials",
}
"""The kinds of proofs in a certificate, in words."""


@dataclass(frozen=True, slots=True)
class Proof:
    """An inequality with its proof: the links of a chain, or a proof of another kind as in a certificate."""

    requirement: Inequality
    links: tuple[Link, ...] = ()
    kind: str = ""
    written: str = ""

    @property
    def positive(self) -> Quotient:
        """The right side minus the left side is this times the function that is proved nonnegative."""
        return self.requirement.margin / Quotient(self.requirement.function)


def proofs(question: ClaimExport) -> Iterator[Proof]:
    """The inequality with the longest chain that fits on a page, and the hardest of those without a chain."""
    if any(isinstance(r.answer, Fails) for r in question.requirements):
        return
    chosen = chosen_inequality(question)
    if chosen is not None and not chosen.function:
        yield Proof(chosen, kind=KINDS["identity"])
    elif chosen is not None and chosen.chain_start == 0:
        yield Proof(chosen, tuple(links(chosen.function, fmpq(0))))
    found = [(r, question.oracle.proof_of(r.function)) for r in question.requirements if r.chain_start != 0]
    written = [(r, schema.write(listed_proof(proof, r.function))) for r, proof in found if r.function]
    if written:
        hardest, proof = max(written, key=lambda pair: len(json.dumps(pair[1])))
        text = json.dumps(proof)
        kind = KINDS.get(proof["kind"], proof["kind"])
        yield Proof(hardest, (), kind, text if len(text) <= LONGEST else "")


# --- drawings --------------------------------------------------------------------------------


def _plots(found: Study) -> list[tuple[str, str, Markup]]:
    """The titles, words and drawings."""
    panels = enumerate(panels_of(found), start=1)
    return [(panel.title, panel.words, marked(plot_svg(panel, f"plot{n}"))) for n, panel in panels]


def _picture(found: Study) -> Picture:
    """The chain on the input u, or on the first input."""
    program = found.subject.mechanism.program
    first = {v.name: v.domain[0] if v.size is None else (v.domain[0],) * v.size for v in program.inputs}
    return picture(program, to_input(program, dict(found.pair[0]) if found.pair is not None else first))


def _drawing(drawn: Picture, attempts: Attempts) -> str | None:
    """The drawing of the chain; the page shows it as an image, so that its style does not affect the page."""
    if len(drawn.chain) > MOST_STATES:
        states = f"it has {len(drawn.chain)} states, more than the {MOST_STATES} that a page shows"
        attempts.notes.append(Note("the drawing of the chain", f"{states}; dipc export --to svg draws it"))
        return None
    return attempts("the drawing of the chain", lambda: svg(drawn))


# --- files -----------------------------------------------------------------------------------


def downloads(
    found: Study, asked: ClaimExport | None, drawn: Picture | None, drawing: str | None, attempts: Attempts
) -> Iterator[Download]:
    """The program, the certificate and the exports; only the command for a file that is too large.

    The ``drawing``, if the page shows it, is the export to svg.
    """
    stem, program = plain_stem(found.name), found.subject.mechanism.program
    yield download(f"{stem}.dip", "the program", program.source.text.encode(), "")
    verdict = found.verdict
    if isinstance(verdict, Private | Violated):
        text = attempts("the certificate", lambda: dumps(certificate(program, verdict)))
        data, name = (text or "").encode(), f"{stem}.json"
        if len(data) > LARGEST // 4:
            data, name = gzip.compress(data, mtime=0), f"{name}.gz"
        if data:
            command = f"dipc check {_words(found)} --certificate {name}"
            yield download(name, "the certificate: the verdict with its proofs", data, command)
    subjects: list[tuple[Mapping[str, Callable[[Any], str]], Any, str]] = [
        (QUESTIONS, asked, f"export {_words(found)}"),
        (CHAINS, drawn, f"export {_words(found, claim=False)}{_input(drawn)}"),
    ]
    for formats, subject, command in subjects:
        for name, write in formats.items() if subject is not None else ():
            ending, about = FILES[name]
            if name == "svg" and drawing is not None:
                text = drawing
            else:
                text = attempts(f"the export to {name}", lambda w=write, s=subject: w(s))  # type: ignore[misc]
            if text is not None:
                full = f"dipc {command} --to {name} -o {stem}{ending}"
                yield download(f"{stem}{ending}", about, text.encode(), full)


def _words(found: Study, claim: bool = True) -> str:
    """FILE, its parameters and the claim, quoted for a shell."""
    words = [f"{plain_stem(found.name)}.dip" if found.name.startswith("<") else found.name]
    for name, value in found.subject.mechanism.parameters.items():
        words += ["-D", f"{name}={value}"]
    if claim and found.subject.text is not None:
        words += ["--claim", found.subject.text]
    return shlex.join(words)


def _input(drawn: Picture | None) -> str:
    """The option that names the input of the chain."""
    return f" --input {shlex.quote(valuation_text(drawn.input))}" if drawn and drawn.input else ""


def commands(found: Study, drawn: Picture | None) -> Iterator[tuple[str, str]]:
    """How to check the verdict again: each command with what it does."""
    file, words = f"{plain_stem(found.name)}.json", _words(found)
    if found.goal is None:
        yield f"dipc distribution {words}{_input(drawn)}", "the distributions on an input"
    elif not isinstance(found.verdict, Private | Violated):
        yield f"dipc check {words}", "decide again, without a limit of time"
    else:
        yield f"dipc check {words} --certificate {file}", "decide again, and write a certificate"
        expected = " --expect violated" if isinstance(found.verdict, Violated) else ""
        about = "check it against this program, whose distributions are derived anew by a second, slower way"
        yield f"dipc verify {file} --program {words}{expected}", about
        yield f"python -m dipc.kernel {file}", "check its proofs with one folder that uses nothing of dipc"
