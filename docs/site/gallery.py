"""Write the tables of docs/gallery.md, and the page of each shipped file on the site.

    python docs/site/gallery.py

computes all tables anew: every program with its verdict, its tightest bound and the answer of ``dipc prove``,
every Markov model with the verdicts on its properties, and every hidden Markov model with its least constant.
tests/test_gallery.py cheaply checks that the tables are up to date.  docs/site/hooks.py adds the pages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import takewhile
from pathlib import Path

from flint import fmpq

import dipc
from dipc.claims.claim import Claim
from dipc.claims.divergence import Measured
from dipc.claims.exponent import number_text
from dipc.claims.privacy import Goal
from dipc.claims.rows import Row
from dipc.claims.tightness.least import Kind, Least, Spot
from dipc.claims.wording import pretty
from dipc.clock import Clock
from dipc.dipwhile.allsizes.answer import answered
from dipc.dipwhile.allsizes.question import question
from dipc.dipwhile.allsizes.verdict import LeastT
from dipc.dipwhile.measures import accurate_claim
from dipc.dipwhile.records.every_size import answer_rows, short_reason
from dipc.dipwhile.records.every_size import where as where_proved
from dipc.dpctl.model import MarkovModel
from dipc.dpctl.model import describe as size_of
from dipc.dpctl.records import brief_witness
from dipc.errors import InputError, Source
from dipc.models.reading import PropertyLine
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.programs import ProgramQuestion
from dipc.pufferfish.question import Question
from dipc.pufferfish.verdict import Budget, Counterexample, Violated
from dipc.report.tightness import enclosure, where
from dipc.report.words import short_witness
from dipc.shipped import (
    Shipped,
    describe,
    every_size_programs,
    hidden_models,
    hidden_programs,
    models,
    paths,
)

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "gallery.md"
TIME_LIMIT = 120
FAMILIES = (
    *("randomized_response", "histogram", "noisy_max", "svt", "sums", "exponential", "discrete"),
    *("loops", "claims", "real_bugs"),
)
"""The folders of programs/, in the order of the page; other folders follow."""
TABLE = re.compile(r"^(\| (?:program|model) \| .* \|)\n\|[-|]+\|\n((?:\| \[.*\|\n)*)", re.MULTILINE)
"""A table of the page: its first line, and its rows."""


# --- the tables ----------------------------------------------------------------------------------


def programs() -> list[str]:
    """The programs that ``dipc check`` takes, by family."""
    order = {family: n for n, family in enumerate(FAMILIES)}
    folders = {name: path.parent.name for name, path in paths().items()}
    names = folders.keys() - hidden_programs().keys() - every_size_programs().keys()
    return sorted(names, key=lambda name: (order.get(folders[name], len(order)), folders[name], name))


def hidden() -> list[str]:
    """The hidden Markov models, and the programs that are asked about like these."""
    return sorted(hidden_models().keys() | hidden_programs().keys())


def program_row(name: str) -> str:
    """Claim, verdict, least multiple of eps (or least delta), and the answer for every size."""
    mechanism = dipc.load(describe(name).path)
    verdict = mechanism.check()
    claims, accurate = [verdict.claim.brief()], mechanism.program.accurate
    if accurate is not None:
        claims.append(accurate_claim(mechanism.program, accurate, None).brief())
    claim = pretty("; ".join(claims)).replace("*", "·")
    least = tightest(mechanism, verdict.claim).replace("*", "·")
    return row(name, claim, verdict.status, least, every_size(describe(name).path).cell)


def sized_row(name: str) -> str:
    """Claim and answer of a program that only ``dipc prove`` takes."""
    found = every_size(describe(name).path)
    return row(name, found.claim, found.cell)


def model_row(name: str) -> str:
    """Size of a model, and how many of its properties hold."""
    model = dipc.load_model(describe(name).path)
    return row(name, size_of(model.family), counted([answer(model, line) for line in model.properties]))


def hidden_row(name: str) -> str:
    """Claim, horizon, verdict and least constant."""
    asked = asked_in(describe(name).path)
    with dipc.limits(seconds=TIME_LIMIT):
        verdict, budget = asked.check(), asked.budget()
    question = verdict.question
    claim = pretty(question.claim.text).replace("*", "·") if question.claim else ""
    horizon = "any" if question.horizon is None else str(question.horizon)
    return row(name, claim, horizon, verdict.status, least_constant(budget))


def row(name: str, *cells: str) -> str:
    """A row of a table: the name, which leads to the file, its title, and the answers."""
    shipped = describe(name)
    start = f"[{name}](../{shipped.path.relative_to(ROOT)})", linked(shipped.title.strip())
    return f"| {' | '.join((*start, *cells))} |\n"


TABLES: tuple[tuple[Callable[[], list[str]], Callable[[str], str]], ...] = (
    (programs, program_row),
    (lambda: sorted(every_size_programs()), sized_row),
    (lambda: sorted(models()), model_row),
    (hidden, hidden_row),
)
"""The names in each table of the page, and how a row is computed."""


def rows(page: str) -> list[dict[str, str]]:
    """The rows of each table, by name."""
    return [
        {re.findall(r"\[(.*?)\]", line)[0]: line for line in table[2].splitlines(keepends=True)}
        for table in TABLE.finditer(page)
    ]


def written(page: str) -> str:
    """The page with all tables computed anew."""
    for table, (names, compute) in zip(list(TABLE.finditer(page)), TABLES, strict=True):
        head = table[0].removesuffix(table[2])
        page = page.replace(table[0], head + "".join(map(compute, names())))
    return page


# --- the page of a file on the site --------------------------------------------------------------


def page_of(path: Path, everything: bool) -> str:
    """What a shipped file is, its row in the gallery and its text; if asked for, its answers in detail."""
    shipped, text = describe(path.stem), path.read_text(encoding="utf-8")
    title = linked(shipped.title.strip())
    lines = [f"# {shipped.name}", "", title if title.endswith("?") else f"{title}."]
    if notes := " ".join(notes_of(text)).strip():
        lines.append(linked(notes))
    lines += ["", f"- source: {linked(shipped.source)}", *facts(shipped.name)]
    if everything:
        lines += details(shipped)
    return "\n".join([*lines, "", f"```{path.suffix[1:]}\n{text.rstrip()}\n```", ""])


def facts(name: str) -> Iterator[str]:
    """The cells of a row of the gallery, as items of a list."""
    page = PAGE.read_text(encoding="utf-8")
    for table, known in zip(TABLE.finditer(page), rows(page), strict=True):
        if name in known:
            cells = zip(table[1].split(" | ")[2:], known[name].split(" | ")[2:], strict=True)
            yield from (f"- {head.strip(' |')}: {cell.strip(' |' + chr(10))}" for head, cell in cells)


def details(shipped: Shipped) -> Iterator[str]:
    """Counterexamples, proofs for every size, and the answers to the formulas of a model."""
    if shipped.is_model:
        yield from model_details(dipc.load_model(shipped.path))
    elif shipped.is_hidden:
        with dipc.limits(seconds=TIME_LIMIT):
            verdict = asked_in(shipped.path).check()
        yield f"- size: {size_of_hidden(verdict.question)}"
        if isinstance(verdict, Violated):
            yield f"- counterexample: `{hidden_witness(verdict.counterexample)}`"
    else:
        if not shipped.is_for_every_size and (found := short_witness(dipc.load(shipped.path).check())):
            yield f"- counterexample: `{found}`"
        yield from (f"- for every N, {line}" for line in every_size(shipped.path).lines)


def model_details(model: MarkovModel) -> Iterator[str]:
    """A table of the properties of a model."""
    yield from ("", "| property | formula | verdict |", "|---|---|---|")
    for line in model.properties:
        found = answer(model, line)
        verdict = f"**{found.status}**: {linked(found.witness)}" if found.witness else f"**{found.status}**"
        yield f"| {linked(line.name)} | {code(found.formula)} | {verdict} |"


# --- programs ------------------------------------------------------------------------------------


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
    """Prove the claim of a program for every size; a limit that runs out is an undecided verdict.

    A claim that is no multiple of eps is for `dipc check` only.
    """
    try:
        asked = question(Source(path.name, path.read_text(encoding="utf-8")), {})
    except InputError as refused:
        return EverySize("", "not asked", "", "", (refused.message,))
    with dipc.limits(seconds=TIME_LIMIT):
        found = answered(asked, Clock())
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


def tightest(mechanism: dipc.Mechanism, claim: Claim) -> str:
    """The least multiple of eps and where it is reached; or the least delta, if the claim has one."""
    try:
        with dipc.limits(seconds=TIME_LIMIT):
            if isinstance(claim, Measured):
                measure = claim.measure
                budget = mechanism.budget(range=measure.order is None, renyi=measure.order)
            elif isinstance(claim, Goal) and "eps" in str(claim.delta):
                curve = mechanism.profile().curve
                return pretty("δ(ε) = " + ", then ".join(str(segment.value) for segment in curve.segments))
            elif isinstance(claim, Goal) and claim.delta:
                profile = mechanism.profile()
                return f"δ = {amount(profile.least)}{places([spot for spot, _ in profile.witnesses])}"
            else:
                budget = mechanism.budget()
    except dipc.LimitReached:
        return "not found"
    if budget.least.infinite:
        return "infinite"
    if budget.factor is not None:
        return number_text(budget.factor)
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

    formula: str
    status: str
    witness: str


def answer(model: MarkovModel, line: PropertyLine) -> Answer:
    """The verdict on a property."""
    with dipc.limits(seconds=TIME_LIMIT):
        verdict = model.check(line)
    formula = re.sub(r"\s*#.*", "", line.source.text).strip()
    witness = "" if verdict.witness is None else pretty(brief_witness(verdict))
    return Answer(formula, verdict.status, witness)


def counted(answers: list[Answer]) -> str:
    """
    >>> counted([Answer("", "holds", ""), Answer("", "holds", ""), Answer("", "fails", "")])
    '2 hold, 1 fails'
    """
    counts = Counter(a.status for a in answers)
    words = {"holds": "hold", "fails": "fail", "undecided": "undecided"}
    return ", ".join(f"{n} {words[s] if n > 1 else s}" for s in words if (n := counts[s]))


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


# --- hidden Markov models ------------------------------------------------------------------------


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


# --- texts ---------------------------------------------------------------------------------------


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


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
