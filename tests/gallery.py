"""Write docs/gallery.md: every shipped program with its verdict, its tightest bound and its counterexample.

The answer of ``dipc prove`` is in the last column; programs that only ``dipc prove`` takes have a table of
their own.  Then every shipped Markov model with the verdicts on its properties, and every hidden Markov model
with its verdict, least constant and counterexample.

    python tests/gallery.py

recomputes everything.  tests/test_gallery.py cheaply checks that the page is up to date.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, takewhile
from pathlib import Path

from flint import fmpq

import dipc
from dipc.claims.tightness.least import Kind, Least, Spot
from dipc.claims.wording import pretty
from dipc.clock import Clock, Limits
from dipc.dipwhile.allsizes.answer import answered
from dipc.dipwhile.allsizes.question import question
from dipc.dipwhile.allsizes.verdict import LeastT
from dipc.errors import Source
from dipc.model import MarkovModel
from dipc.model import describe as size_of
from dipc.models.reading import PropertyLine
from dipc.numbers.quotient import Quotient
from dipc.program_questions import ProgramQuestion
from dipc.pufferfish.question import Question
from dipc.pufferfish.verdict import Budget, Counterexample, Violated
from dipc.report.document import Row
from dipc.report.models import brief_witness
from dipc.report.sizes import answer_rows, short_reason
from dipc.report.sizes import where as where_proved
from dipc.report.tightness import enclosure, where
from dipc.report.words import short_witness
from dipc.shipped import (
    Shipped,
    describe,
    every_size_programs,
    expected_verdict,
    header,
    hidden_programs,
    models,
    paths,
)

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "gallery.md"
TIME_LIMIT = 120

FAMILIES = {
    "randomized_response": "Randomized response",
    "histogram": "Histograms",
    "noisy_max": "Noisy maximum",
    "svt": "The sparse vector technique",
    "sums": "Partial and prefix sums",
    "exponential": "The exponential mechanism",
    "discrete": "Integer noise",
    "loops": "Loops",
    "real_bugs": "Bugs in real libraries",
}
"""The headings for the folders of programs/, in the order of the page; other folders follow."""

HEAD = """\
# Gallery

All programs that ship with dipc, with their verdicts. At the end are those
[for every size only](#for-every-size-only), the [Markov models](#markov-models) and the
[hidden Markov models](#hidden-markov-models).
Every name works on the command line: `dipc check svt1`. Adjacency, sizes and inputs are those stated in the
program; `-D N=4` tries another size.
`dipc report svt1` writes a page with [everything about one program](report.md): its distributions, plots,
proof and certificate. The site can include these pages.

*Tightest* is the least multiple of ε for which the program is private for every ε of its claim, computed
exactly by [`dipc budget`](tightness.md). "→ ∞" or "→ 0" means that the bound is approached as ε tends to
that value; no smaller multiple is enough. For a claim with δ it is the least δ for the claimed epsilon,
computed by `dipc profile`: a number, or a function if the claimed δ is one.

*For every N* is the answer of [`dipc prove`](all-sizes.md) to the claim for all sizes and all inputs, real
numbers or, with integer noise, integers. In parentheses is the least multiple of ε that is enough for all of
them and every ε of the claim, or what is known of it; "infinite" if none is. So a program that is private for
the sizes and inputs in its text may be violated from a larger N on, or for larger inputs.

"""

EVERY_SIZE = """\
## For every size only

These programs have inputs, outputs or loops that only [`dipc prove`](all-sizes.md) takes. `dipc prove gap`
decides the claim for every N and all inputs.

"""

MODELS = """\
## Markov models

All models that ship with dipc, for [`dipc model`](model-checking.md). `dipc model check survey --expect`
decides the properties in a file and compares the verdicts with its comments. If a formula fails, the witness
shows the probabilities in a state and in its neighbour.

"""

HIDDEN = """\
## Hidden Markov models

All hidden Markov models that ship with dipc, and programs that claim a number or say what an adversary
knows: each is a question about Pufferfish privacy. Is the probability of every sequence of observations on
one side at most c = exp(epsilon) times that on the other side? The horizon is the number of observations;
with the horizon "any" the claim is for every number. A program is observed once.
`dipc pufferfish check ex5` answers such a question.

*Least c* is the least constant for which the answer is yes, for all values of the parameters. "→ 0" means
that it is approached as the parameter tends to that value; dots follow the digits that are certain.

"""

FOOT = """\
## Where to go from here

- [The language](language.md) that these programs are written in
- [Tutorial](tutorial.md): how to write such a program
- [Model checking](model-checking.md): the models and their formulas
- [Real bugs caught](real-bugs.md): the bugs of real libraries, one by one
- [Discrepancies with the papers](errata.md): where these verdicts differ from those in print

This page is generated by `python tests/gallery.py`.
"""


@dataclass(frozen=True)
class Entry:
    """A program with its verdict and tightest bound."""

    program: Shipped
    text: str
    claim: str
    status: str
    tightest: str
    counterexample: str
    every_size: EverySize


@dataclass(frozen=True)
class EverySize:
    """What ``dipc prove`` says: the verdict, where a claim is broken, the least t if it is known, details."""

    claim: str
    status: str
    broken: str
    least: str
    lines: tuple[str, ...] = ()

    @property
    def cell(self) -> str:
        """For a table.

        >>> EverySize("ε", "violated", "from N = 5 on", "infinite").cell
        'violated from N = 5 on (infinite)'
        >>> EverySize("ε", "undecided", "", "").cell
        'undecided'
        """
        return f"{self.verdict}{f' ({self.least})' if self.least else ''}"

    @property
    def verdict(self) -> str:
        """The verdict, and where it begins if that is not everywhere."""
        return f"{self.status} {self.broken}".rstrip()


def every_size(path: Path) -> EverySize:
    """Prove the claim of a program for every size; a limit that runs out is an undecided verdict."""
    asked = question(Source(path.name, path.read_text(encoding="utf-8")), {})
    found = answered(asked, Clock(Limits(TIME_LIMIT)))
    rows = {row.label: row.text for row in answer_rows(found) if isinstance(row, Row) and row.text}
    if found.status == "violated":
        rows["broken by"] = f"`{short_reason(found)}`"
    lines = tuple(f"{name}: {prose(rows[name])}" for name in SHOWN if name in rows)
    claim = pretty(asked.goal.brief()).replace("*", "·") if asked.goal else asked.written
    broken = where_proved(found) if found.status == "violated" else ""
    return EverySize(claim, found.status, broken, least_multiple(found.least), lines)


SHOWN = ("proof", "least t", "broken by", "reason", "checked")
"""The rows of the answer that the page shows."""


def prose(text: str) -> str:
    """A text with code in it, for a page.

    >>> prose("costs 1/4*ε: `r <- a*b[i]`, out[i]")
    'costs 1/4·ε: `r <- a*b[i]`, out\\\\[i\\\\]'
    """
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(p if i % 2 else linked(p).replace("\\*", "·") for i, p in enumerate(pieces))


def least_multiple(least: LeastT | None) -> str:
    """The least multiple of eps, or what is known of it.

    >>> from flint import fmpq
    >>> low, high = fmpq(1, 4), fmpq(1)
    >>> [least_multiple(LeastT(*ends)) for ends in ((high, high, 4), (low, None), (low, high))]
    ['ε', 'at least 1/4·ε', '1/4·ε to ε']
    """
    if least is None or least.unbounded:
        return "" if least is None else "infinite"
    low, high = multiple(least.low), multiple(least.high) if least.high is not None else ""
    if least.exact or not high:
        return low if least.exact else f"at least {low}"
    return f"{low} to {high}" if least.low else f"at most {high}"


def multiple(t: fmpq) -> str:
    return "ε" if t == 1 else f"{t}·ε"


def entry(name: str) -> Entry:
    """Compute the entry of a program; the rest of this file only formats it."""
    program = describe(name)
    mechanism = dipc.load(program.path)
    verdict = mechanism.check()
    return Entry(
        program,
        program.path.read_text(encoding="utf-8"),
        pretty(verdict.claim.brief()).replace("*", "·"),
        verdict.status,
        tightest(mechanism, str(verdict.goal.delta)).replace("*", "·"),
        short_witness(verdict),
        every_size(program.path),
    )


def tightest(mechanism: dipc.Mechanism, delta: str) -> str:
    """The least multiple of eps and where it is reached; or the least delta, if the claim has one."""
    try:
        with dipc.limits(seconds=TIME_LIMIT):
            if "eps" in delta:
                curve = mechanism.profile().curve
                return pretty("δ(ε) = " + ", then ".join(str(segment.value) for segment in curve.segments))
            if delta != "0":
                profile = mechanism.profile()
                return f"δ = {amount(profile.least)}{places([spot for spot, _ in profile.witnesses])}"
            budget = mechanism.budget()
    except dipc.LimitReached:
        return "not found"
    if budget.least.infinite:
        return "infinite"
    t = amount(budget.least)
    return f"{'ε' if t == '1' else f'{t}·ε'}{places([spot for spot, _ in budget.witnesses])}"


def amount(least: Least) -> str:
    """The least number: exact, by name, or as far as its digits are certain.

    >>> from flint import fmpq
    >>> amount(Least(fmpq(3, 4), fmpq(3, 4), (), True))
    '3/4'
    >>> amount(Least(fmpq(333, 1000), fmpq(334, 1000), (), None))
    '0.33…'
    """
    if least.exact is not None or least.high is None:
        return enclosure(least)
    if least.name is not None:
        return str(least.name)
    low, high = enclosure(least).removeprefix("between ").split(" and ")
    common = takewhile(lambda pair: pair[0] == pair[1], zip(low, high, strict=False))
    return "".join(digit for digit, _ in common) + "…"


def places(spots: list[Spot]) -> str:
    """Where the bound is reached, in parentheses."""
    found = sorted({short_place(where(spot)) for spot in spots if spot.kind is not Kind.NEAR})
    return f" ({', '.join(found)})" if found else ""


def short_place(text: str) -> str:
    """
    >>> short_place("approached as eps -> inf"), short_place("attained at every eps")
    ('ε → ∞', 'at every ε')
    """
    for long, short in (("approached as ", ""), ("attained ", ""), ("eps", "ε"), ("->", "→"), ("inf", "∞")):
        text = text.replace(long, short)
    return text


# --- models --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    """A property of a model with its verdict; a formula that fails has a witness."""

    name: str
    formula: str
    status: str
    witness: str


@dataclass(frozen=True)
class ModelEntry:
    """A model with the answers to its properties."""

    model: Shipped
    text: str
    size: str
    answers: tuple[Answer, ...]


def model_entry(name: str) -> ModelEntry:
    """Check all properties of a model."""
    shipped = describe(name)
    model = dipc.load_model(shipped.path)
    answers = tuple(answer(model, line) for line in model.properties)
    return ModelEntry(shipped, shipped.path.read_text(encoding="utf-8"), size_of(model.model), answers)


def answer(model: MarkovModel, line: PropertyLine) -> Answer:
    with dipc.limits(seconds=TIME_LIMIT):
        verdict = model.check(line)
    formula = re.sub(r"\s*#.*", "", line.source.text).strip()
    witness = "" if verdict.witness is None else pretty(brief_witness(verdict.witness))
    return Answer(line.name, formula, verdict.status, witness)


def models_page(entries: list[ModelEntry]) -> Iterator[str]:
    """What the page says about models."""
    yield MODELS
    yield "| model | what it is | size | properties |\n|---|---|---|---|\n"
    for e in entries:
        title = linked(e.model.title.strip())
        yield f"| [{e.model.name}](#{e.model.name}) | {title} | {e.size} | {counted(e.answers)} |\n"
    yield "\n"
    for e in entries:
        yield "\n".join(model_section(e)) + "\n\n"


def counted(answers: tuple[Answer, ...]) -> str:
    """
    >>> counted((Answer("a", "", "holds", ""), Answer("b", "", "holds", ""), Answer("c", "", "fails", "")))
    '2 hold, 1 fails'
    """
    counts = Counter(a.status for a in answers)
    words = {"holds": "hold", "fails": "fail", "undecided": "undecided"}
    return ", ".join(f"{n} {words[s] if n > 1 else s}" for s in words if (n := counts[s]))


def heading(model: Shipped, text: str) -> Iterator[str]:
    """The name of a model and what its comments say."""
    yield f"### {model.name}"
    yield ""
    title = linked(model.title.strip())
    yield title if title.endswith("?") else f"{title}."
    if notes := " ".join(notes_of(text)).strip():
        yield linked(notes)
    yield ""


def model_section(e: ModelEntry) -> Iterator[str]:
    """One model."""
    yield from heading(e.model, e.text)
    yield f"- source: {linked(e.model.source)}"
    yield f"- size: {e.size}"
    yield ""
    yield "| property | formula | verdict |"
    yield "|---|---|---|"
    for a in e.answers:
        verdict = f"**{a.status}**: {linked(a.witness)}" if a.witness else f"**{a.status}**"
        yield f"| {linked(a.name)} | {code(a.formula)} | {verdict} |"
    yield ""
    yield from text_of(e.model, "dpm", e.text)


def code(text: str) -> str:
    """Code in a cell of a table, where a vertical bar would begin the next cell.

    >>> code("X (a & b)"), code("X (a | b)")
    ('`X (a & b)`', '<code>X (a &#124; b)</code>')
    """
    if "|" not in text:
        return f"`{text}`"
    escaped = re.sub(r"[|*_&<>\[\]]", lambda sign: f"&#{ord(sign[0])};", text)
    return f"<code>{escaped}</code>"


# --- hidden Markov models ------------------------------------------------------------------------


@dataclass(frozen=True)
class HiddenEntry:
    """A hidden Markov model with the answer to its question."""

    model: Shipped
    text: str
    size: str
    claim: str
    horizon: str
    status: str
    least: str
    counterexample: str


def hidden_models() -> dict[str, Path]:
    """The shipped hidden Markov models, and the programs that are asked such questions, by name."""
    return dict(sorted((path.stem, path) for path in (ROOT / "programs/hidden_markov").iterdir()))


def hidden_entry(path: Path) -> HiddenEntry:
    """Check a hidden Markov model, or a program, and find its least constant."""
    source = Source(path.name, path.read_text(encoding="utf-8"))
    said = header(source.text)
    model = Shipped(path.stem, path, said["title"], said["source"], expected_verdict(source) or "")
    asked = asked_in(path)
    with dipc.limits(seconds=TIME_LIMIT):
        verdict, budget = asked.check(), asked.budget()
    question = verdict.question
    return HiddenEntry(
        model,
        source.text,
        size_of_hidden(question),
        pretty(question.claim.text).replace("*", "·") if question.claim else "",
        "any" if question.horizon is None else str(question.horizon),
        verdict.status,
        least_constant(budget),
        hidden_witness(verdict.counterexample) if isinstance(verdict, Violated) else "",
    )


def asked_in(path: Path) -> ProgramQuestion | dipc.PufferfishQuestion:
    """The question in a file."""
    loaded = dipc.load(path)
    return loaded.pufferfish() if isinstance(loaded, dipc.Mechanism) else loaded.question()


def size_of_hidden(question: Question) -> str:
    model, names = question.model, question.parameters.names
    size = f"{len(model.states)} states, {len(model.observations)} observations"
    return f"{size}, unknown {', '.join(names)}" if names else size


def least_constant(budget: Budget) -> str:
    """The least c, or the digits that are certain."""
    if budget.infinite:
        return "infinite"
    if budget.exact:
        return (
            f"{budget.low} ({budget.approached.replace('->', '→')})" if budget.approached else str(budget.low)
        )
    if budget.low is None or budget.high is None:
        return f"at least {budget.low}"
    return common_digits(fraction(budget.low), fraction(budget.high))


def fraction(number: Quotient) -> Fraction:
    return Fraction(str(number.as_rational()))


def common_digits(low: Fraction, high: Fraction) -> str:
    """
    >>> common_digits(Fraction(10, 3), Fraction(10001, 3000))
    '3.333…'
    """
    texts = (f"{x * 10**12 // 1:013d}" for x in (low, high))
    points = (f"{text[:-12]}.{text[-12:]}" for text in texts)
    common = takewhile(lambda pair: pair[0] == pair[1], zip(*points, strict=False))
    return "".join(digit for digit, _ in common) + "…"


def hidden_witness(found: Counterexample) -> str:
    """The sequence with its two probabilities, and where."""
    sides = f"{found.secret} against {found.against}"
    if found.prior:
        sides += f" (prior {found.prior})"
    place = "".join(f", {name} = {value}" for name, value in found.parameters.items())
    shown = (
        f"{sides}{place}: {' '.join(found.sequence)}, probability {found.probability}, bound {found.bound}"
    )
    if found.pump is None:
        return shown
    return f"{shown}; repeating [{' '.join(found.pump.word)}] makes the quotient grow beyond all bounds"


def hidden_page(entries: list[HiddenEntry]) -> Iterator[str]:
    """What the page says about hidden Markov models."""
    yield HIDDEN
    yield "| model | what it is | claim | horizon | verdict | least c |\n|---|---|---|---|---|---|\n"
    for e in entries:
        title = linked(e.model.title.strip())
        cells = (f"[{e.model.name}](#{e.model.name})", title, e.claim, e.horizon, e.status, e.least)
        yield f"| {' | '.join(cells)} |\n"
    yield "\n"
    for e in entries:
        yield "\n".join(hidden_section(e)) + "\n\n"


def hidden_section(e: HiddenEntry) -> Iterator[str]:
    """One hidden Markov model."""
    yield from heading(e.model, e.text)
    yield f"- source: {linked(e.model.source)}"
    yield f"- size: {e.size}"
    yield f"- claim: {e.claim}-Pufferfish private, " + (
        "every horizon" if e.horizon == "any" else f"horizon {e.horizon}"
    )
    yield f"- verdict: **{e.status}**"
    yield f"- least c: {e.least}"
    if e.counterexample:
        yield f"- counterexample: `{e.counterexample}`"
    yield ""
    yield from text_of(e.model, e.model.path.suffix[1:], e.text)


def page(
    entries: list[Entry],
    sized: list[SizedEntry],
    model_entries: list[ModelEntry],
    hidden: list[HiddenEntry],
) -> str:
    """The whole page."""
    order = list(FAMILIES)

    def rank(e: Entry) -> tuple[int, str, str]:
        family = e.program.family
        return (order.index(family) if family in order else len(order), family, e.program.name)

    ordered = sorted(entries, key=rank)
    parts = [HEAD, "\n".join(overview(ordered)), "\n\n"]
    for family, members in groupby(ordered, key=lambda e: e.program.family):
        parts.append(f"## {FAMILIES.get(family, family.replace('_', ' ').capitalize())}\n\n")
        parts.extend("\n".join(section(member)) + "\n\n" for member in members)
    return "".join([*parts, *sized_page(sized), *models_page(model_entries), *hidden_page(hidden), FOOT])


def overview(entries: list[Entry]) -> Iterator[str]:
    yield "| program | what it is | claim | verdict | tightest | for every N |"
    yield "|---|---|---|---|---|---|"
    for e in entries:
        cells = (
            f"[{e.program.name}](#{e.program.name})",
            linked(e.program.title.strip()),
            e.claim,
            e.status,
            e.tightest,
            e.every_size.cell,
        )
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def section(e: Entry) -> Iterator[str]:
    """One program."""
    yield f"### {e.program.name}"
    yield ""
    yield f"{linked(e.program.title.strip())}."
    if notes := " ".join(notes_of(e.text)):
        yield linked(notes)
    yield ""
    yield f"- source: {linked(e.program.source)}"
    yield f"- claim: {e.claim}"
    yield f"- verdict: **{e.status}**"
    yield f"- tightest: {e.tightest}"
    if e.counterexample:
        yield f"- counterexample: `{e.counterexample}`"
    yield from for_every_size(e.every_size)
    yield ""
    yield from text_of(e.program, "dip", e.text)


def for_every_size(found: EverySize) -> Iterator[str]:
    """The answer for every size, as items of a list."""
    yield f"- for every N: **{found.verdict}**"
    yield from (f"    - {line}" for line in found.lines)


# --- programs for every size only ----------------------------------------------------------------


@dataclass(frozen=True)
class SizedEntry:
    """A program that only ``dipc prove`` takes."""

    program: Shipped
    text: str
    found: EverySize


def sized_entry(name: str) -> SizedEntry:
    """Prove such a program."""
    program = describe(name)
    return SizedEntry(program, program.path.read_text(encoding="utf-8"), every_size(program.path))


def sized_page(entries: list[SizedEntry]) -> Iterator[str]:
    """What the page says about programs for every size only."""
    yield EVERY_SIZE
    yield "| program | what it is | claim | for every N |\n|---|---|---|---|\n"
    for e in entries:
        title = linked(e.program.title.strip())
        yield f"| [{e.program.name}](#{e.program.name}) | {title} | {e.found.claim} | {e.found.cell} |\n"
    yield "\n"
    for e in entries:
        yield "\n".join(sized_section(e)) + "\n\n"


def sized_section(e: SizedEntry) -> Iterator[str]:
    """One program for every size only."""
    yield from heading(e.program, e.text)
    yield f"- source: {linked(e.program.source)}"
    yield f"- claim: {e.found.claim}"
    yield from for_every_size(e.found)
    yield ""
    yield from text_of(e.program, "dip", e.text)


def text_of(shipped: Shipped, language: str, text: str) -> Iterator[str]:
    """The whole file, folded."""
    relative = shipped.path.relative_to(ROOT)
    yield f'<details markdown="1"><summary>{relative}</summary>'
    yield ""
    yield f"```{language}\n{text.rstrip()}\n```"
    yield ""
    yield f"[The file](../{relative})"
    yield ""
    yield "</details>"


def notes_of(text: str) -> Iterator[str]:
    """The comments at the top that are neither the title nor ``# source:`` and the like."""
    lines = text.splitlines()
    for line in lines[1:]:
        if not line.startswith("#"):
            return
        if not re.match(r"# (source|expect|expect for all sizes|tightest|least c):", line):
            yield line.lstrip("# ").rstrip()


def linked(text: str) -> str:
    """Turn addresses into links, and escape characters that are special in Markdown.

    >>> linked("see https://example.org/a_b, 2*eps")
    'see <https://example.org/a_b>, 2\\\\*eps'
    """
    pieces = re.split(r"(https?://[^\s,;)]+)", text)
    return "".join(
        f"<{piece}>" if i % 2 else re.sub(r"([*_<>\[\]{}|])", r"\\\1", piece)
        for i, piece in enumerate(pieces)
    )


def main() -> None:
    finite = paths().keys() - hidden_programs().keys() - every_size_programs().keys()
    programs = [entry(name) for name in sorted(finite)]
    sized = [sized_entry(name) for name in sorted(every_size_programs())]
    chains = [model_entry(name) for name in sorted(models())]
    hidden = [hidden_entry(path) for path in hidden_models().values()]
    PAGE.write_text(page(programs, sized, chains, hidden), encoding="utf-8")


if __name__ == "__main__":
    main()
