"""The report: one HTML page about one program, made of the same rows as the answers of the command line.

Everything from outside (the program, its names, the title) is escaped where it is put into the page.
It needs matplotlib (``pip install '.[report]'`` in dipc's folder).
"""

from __future__ import annotations

import gzip
import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from pathlib import Path, PurePath
from typing import Any

from flint import fmpq

import dipc.views as views
from dipc.certificate.format import dumps, listed_proof
from dipc.claims.privacy import Goal, Private, Violated
from dipc.claims.rows import Node, Row, input_rows, output_row
from dipc.claims.wording import pretty
from dipc.clock import in_force, limits
from dipc.dipwhile.certify.privacy import certificate
from dipc.dipwhile.convert import PythonValue, to_input
from dipc.dipwhile.distribution import Distribution
from dipc.dipwhile.export.checks import links
from dipc.dipwhile.export.drawing import svg
from dipc.dipwhile.export.formats import CHAINS, QUESTIONS
from dipc.dipwhile.export.latex import chosen_inequality
from dipc.dipwhile.export.questions import ClaimExport, Inequality, Picture, picture, question
from dipc.dipwhile.mechanisms import Mechanism
from dipc.dipwhile.panels.figures import panels_of
from dipc.dipwhile.panels.notebook import code, formula
from dipc.dipwhile.panels.study import Study, Subject, gave_up, study
from dipc.dipwhile.records.every_size import answer_html
from dipc.dipwhile.records.every_size import where as where_proved
from dipc.files import write_file
from dipc.kernel import schema
from dipc.models.values import Valuation, show_valuation, valuation_text
from dipc.numbers.quotient import Quotient
from dipc.report.attempts import Attempts, Note
from dipc.report.document import table
from dipc.report.page import (
    LARGEST,
    Answer,
    Download,
    check_again,
    download,
    left_out,
    load,
    page,
    plain_stem,
    plots,
    rows,
    scrolling,
    section,
    target_of,
)
from dipc.report.page import drawing as shown_drawing
from dipc.report.tightness import rows_of
from dipc.report.words import program_title, verdict_rows
from dipc.signs.inequality import Fails
from dipc.suggest import options_only

PROVING = 5.0  # seconds for a proof for every size
MOST_STATES = 60  # of a chain that is drawn
MOST_OUTPUTS = 40  # of a distribution
LONGEST = 3000  # characters of a proof that is shown as in the certificate
TONES = {"holds": "private", "fails": "violated"}
"""The colours of answers that have other words than private, violated and undecided."""

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
    load()
    attempts = attempts or Attempts()
    found = study(Subject(mechanism, claim, at=at), attempts)
    sections = list(_sections(found, attempts))
    about = program_title(found.name, mechanism.parameters)
    return page(
        title or PurePath(found.name).name, about, [_answer(found)], [*sections, left_out(attempts.notes)]
    )


def _answer(found: Study) -> Answer:
    if found.goal is None:
        return Answer("no claim", "none", "")
    if found.verdict is None:
        return Answer("no verdict", "none", str(found.goal))
    status = found.verdict.status
    return Answer(status, TONES.get(status, status), str(found.goal), found.verdict.notes)


def _sections(found: Study, attempts: Attempts) -> Iterator[str]:
    mechanism = found.subject.mechanism
    claimed, asked = found.subject.core_claim, None
    if claimed is not None and not gave_up(found.verdict):
        asked = attempts("the proof written out", partial(question, mechanism.explored, claimed))
    drawn = attempts("the chain", lambda: _picture(found), (mechanism.program,))
    yield section("The program", _numbered(mechanism.source.text) + _replaced(mechanism))
    if found.verdict is not None:
        yield section("The answer", rows(verdict_rows(found.verdict)))
    if found.regions is not None:
        yield section("Where the claim is broken", rows(rows_of(found.regions)))
    if tightness := list(_tightness(found)):
        yield section("How tight it is", rows(tightness))
    if panels := attempts("the plots", lambda: plots(some) if (some := panels_of(found)) else ""):
        yield section("Plots", panels)
    if laws := _laws(found, drawn, attempts):
        pair = found.pair or ((drawn.input,) if drawn is not None else ())
        named = zip(("u", "u′"), pair, laws, strict=False)
        yield section("Output distributions", "".join(_law(*each, found.point) for each in named))
    drawing = _drawing(drawn, attempts) if drawn else None
    if drawn is not None and drawing is not None:
        yield section("The Markov chain", _chain(drawn, drawing))
    if isinstance(found.verdict, Private) and claimed is not None:
        yield _for_all(mechanism, found.subject.claim, attempts)
    if asked is not None:
        written = attempts("the proof written out", lambda: "".join(proofs(asked)))
        yield section("A proof, written out", written) if written else ""
    files = list(downloads(found, asked, drawn, drawing, attempts))
    yield check_again(commands(found, drawn), files)


def _numbered(text: str) -> str:
    """The program with the numbers of its lines."""
    lines = enumerate(code(text).splitlines(), 1)
    shown = "\n".join(f'<span class="soft">{number:3}</span>  {line}' for number, line in lines)
    return f'<pre class="box" tabindex="0">{shown}</pre>\n'


def _replaced(mechanism: Mechanism) -> str:
    """Which parameters were set from outside."""
    if not mechanism.replaced:
        return ""
    here, there = (
        ", ".join(f"{name} = {values[name]}" for name in mechanism.replaced)
        for values in (mechanism.parameters, mechanism.replaced)
    )
    words = f"Everything on this page is for {here}, which was set from outside; the text itself has {there}."
    return f'<p class="small">{escape(words)}</p>\n'


def _tightness(found: Study) -> Iterator[Node]:
    """The least t and the least delta, and the loss as a function of eps."""
    if found.budget is not None:
        yield from rows_of(found.budget)
    with_delta = isinstance(found.goal, Goal) and bool(found.goal.delta)
    if found.profile is not None and (with_delta or found.profile.least.exact):
        yield from rows_of(found.profile)
    if found.loss is not None:
        yield from rows_of(found.loss)


def _for_all(mechanism: Mechanism, claim: str | None, attempts: Attempts) -> str:
    """For which sizes there is a proof, and the proof; other answers are left to ``dipc prove``."""
    with limits(seconds=min(PROVING, in_force().seconds)):
        found = attempts("the proof for all inputs", partial(mechanism.prove, claim), None)
    if found is None or found.status != "private":
        return ""
    heading = ", ".join(filter(None, ("All inputs", where_proved(found))))
    return section(heading, scrolling(answer_html(found)))


@views.page.register
def write_page(mechanism: Mechanism, file: str | Path | None = None, **options: Any) -> Path:
    """Write the page; raises :class:`InputError` unless ``file`` is named as one."""
    name = mechanism.program.source.name
    target = target_of(name, file)
    write_file(target, report_html(mechanism, **options))
    return target


# --- distributions -------------------------------------------------------------------------------


def _laws(found: Study, drawn: Picture | None, attempts: Attempts) -> Sequence[Distribution]:
    """The distributions of the pair; without a pair that of the input that is drawn."""
    if drawn is None or found.pair is not None:
        return found.laws or ()
    mechanism = found.subject.mechanism
    alone = attempts("a distribution", lambda: mechanism.distribution(**dict(drawn.input)))
    return () if alone is None else (alone,)


def _law(name: str, values: Valuation, law: Distribution, eps: fmpq) -> str:
    """The probability of each output on an input: exactly, and at an eps."""
    rows = [(show_valuation(output), formula(p), p.decimal(eps, 6)) for output, p in law.items()]
    more = f"; the first {MOST_OUTPUTS} of {len(rows)} outputs" * (len(rows) > MOST_OUTPUTS)
    shown = ((escape(output), *others) for output, *others in rows[:MOST_OUTPUTS])
    head = ("output", "probability", f"at ε = {eps}")
    words = f"On the input {name}: {valuation_text(values) or '(none)'}{more}"
    return f"<p>{escape(words)}</p>\n{scrolling(table(shown, head))}"


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

ARGUMENT = """<p>Here f<sub>k</sub> = f<sub>k−1</sub>′ − a<sub>k</sub> f<sub>k−1</sub>, where the numbers
a<sub>1</sub> ≤ a<sub>2</sub> ≤ … are the exponents, each as often as its polynomial has coefficients. From
below, each step up keeps the sign: if f<sub>k</sub> ≥ 0 and f<sub>k−1</sub>(0) ≥ 0, then f<sub>k−1</sub>(ε)
= exp(a<sub>k</sub> ε) · (f<sub>k−1</sub>(0) + ∫<sub>0..ε</sub> exp(−a<sub>k</sub> s) f<sub>k</sub>(s) ds)
≥ 0.</p>
"""
"""Why a derivative chain is a proof."""


def proofs(question: ClaimExport) -> Iterator[str]:
    """The inequality with the longest chain that fits on a page, and the hardest of those without a chain."""
    if any(isinstance(r.answer, Fails) for r in question.requirements):
        return
    chosen = chosen_inequality(question)
    if chosen is not None and not chosen.function:
        yield _inequality("An inequality that is an equality", chosen, f"It holds, for {KINDS['identity']}.")
    elif chosen is not None and chosen.chain_start == 0:
        yield _inequality("An inequality with a long chain of derivatives", chosen) + ARGUMENT
    found = [(r, question.oracle.proof_of(r.function)) for r in question.requirements if r.chain_start != 0]
    written = [(r, schema.write(listed_proof(proof, r.function))) for r, proof in found if r.function]
    if written:
        hardest, proof = max(written, key=lambda pair: len(json.dumps(pair[1])))
        text, kind = json.dumps(proof), KINDS.get(proof["kind"], proof["kind"])
        shown = "As it stands in the certificate:" if len(text) <= LONGEST else "The certificate has it."
        yield _inequality(
            "The hardest inequality without a chain of derivatives", hardest, f"Its proof: {kind}. {shown}"
        )
        yield f'<pre class="box wrap">{escape(text)}</pre>\n' if len(text) <= LONGEST else ""


def _inequality(heading: str, asked: Inequality, words: str = "") -> str:
    said = f"<p>{escape(words)}</p>\n" if words else ""
    return f"<h3>{escape(heading)}</h3>\n{rows(_inequality_rows(asked))}{said}"


def _inequality_rows(asked: Inequality) -> Iterator[Row]:
    """The inequality, the function that must not be negative, and its chain if that is the proof."""
    yield from input_rows(asked.input, asked.neighbour)
    yield output_row(asked.outputs)
    yield Row("claimed", pretty(f"{asked.probability} ≤ {asked.bound}"))
    if not asked.function:
        return
    factor = asked.margin / Quotient(asked.function)
    yield Row("f0", pretty(f"{asked.function}"))
    yield Row("", pretty(f"right side − left side = f0 * {factor}, and that factor is positive"))
    if asked.chain_start == 0:
        chain = links(asked.function, fmpq(0))
        for k, link in enumerate(chain):
            yield from () if k == 0 else (Row(f"f{k}", pretty(str(link.function))),)
            yield Row("", f"f{k}(0) = {link.value} ≥ 0, next exponent a{k + 1} = {link.exponent}")
        yield Row(f"f{len(chain)}", "0")


# --- drawings --------------------------------------------------------------------------------


def _picture(found: Study) -> Picture:
    """The chain on the input u, or on the first input."""
    program = found.subject.mechanism.program
    first = {v.name: v.domain[0] if v.size is None else (v.domain[0],) * v.size for v in program.inputs}
    return picture(program, to_input(program, dict(found.pair[0]) if found.pair is not None else first))


def _drawing(drawn: Picture, attempts: Attempts) -> str | None:
    """The drawing of the chain."""
    if len(drawn.chain) > MOST_STATES:
        states = f"it has {len(drawn.chain)} states, more than the {MOST_STATES} that a page shows"
        attempts.notes.append(Note("the drawing of the chain", f"{states}; dipc export --to svg draws it"))
        return None
    return attempts("the drawing of the chain", lambda: svg(drawn))


def _chain(drawn: Picture, drawing: str) -> str:
    where = f"on the input {valuation_text(drawn.input)}" if drawn.input else "of the program"
    words = (
        f"The parametrized chain {where}: {len(drawn.chain)} states. A box has the line of the statement to "
        "be executed next and the values of the variables; a double frame is an output; probabilities stand "
        "on the arrows."
    )
    alt = f"The Markov chain with {len(drawn.chain)} states, from the first statement to the outputs"
    return f"<p>{escape(words)}</p>\n{shown_drawing(drawing, alt)}"


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
