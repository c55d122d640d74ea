"""``dipc papers``: every number that the papers print, beside ours.

The questions are data: ``programs/papers`` has a file for each paper, with a row for each of its numbers.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain, count, repeat, zip_longest
from textwrap import fill, wrap
from time import perf_counter
from typing import Any

import click
from flint import fmpq

import dipc.shipped as shipped
from dipc.cli.terminal import say
from dipc.dipwhile.mechanisms import Mechanism
from dipc.dpctl.model import MarkovModel, load_model
from dipc.errors import DipcError, InputError, Source
from dipc.lazily import lazily
from dipc.models.reading import number_from_text
from dipc.models.values import show_valuation
from dipc.pufferfish.hmm import HiddenMarkovModel
from dipc.pufferfish.programs import ProgramQuestion

sympy: Any = lazily("sympy")
DECIMAL = re.compile(r"\d*\.(\d+)")
DIFFERS = "DIFFERS"


@dataclass(frozen=True, kw_only=True)
class Row:
    """A number of a paper, and the question that gives ours."""

    place: str
    what: str
    kind: str  # one of KINDS
    paper: str  # what is printed
    time: str = ""
    erratum: int | None = None  # a point of docs/errata.md
    ours: str | None = None  # with an erratum: the right answer, if it differs
    round: str = "nearest"  # how the paper rounds: also "down" and "up"
    slow: bool = False
    system: str = ""  # a shipped program or model
    text: str = ""  # or the text of one
    replace: Sequence[tuple[str, str]] = ()  # in the text
    D: Mapping[str, Any] = field(default_factory=dict)
    claim: str = ""  # a claim, a formula, an output or a sequence
    each: Sequence[str] = ("",)  # what {} in the claim stands for, one after the other
    at: str | None = None
    inputs: Sequence[Mapping[str, Any]] = ()
    given: Sequence[str] = ()  # secrets or states
    neighbours: str = ""
    horizon: str | None = None


def system(row: Row) -> Any:
    """The program, the model or the question about secrets that a row asks about."""
    if row.system in shipped.models():
        model = load_model(row.system)
        return model.with_neighbours(row.neighbours) if row.neighbours else model
    text = row.text or shipped.located_hidden(row.system).read_text(encoding="utf-8")
    for old, new in row.replace:
        if old not in text:
            raise InputError(f"there is no `{old}` in {row.system}")
        text = text.replace(old, new)
    if row.system in shipped.hidden_models() or "\nobserve " in f"\n{text}":
        return HiddenMarkovModel(Source(row.system, text), row.D).question(horizon=row.horizon)
    if row.given or (row.system in shipped.hidden_programs() and not (row.inputs or row.at)):
        return shipped.load(text).pufferfish(**row.D)
    return shipped.load(text, **row.D)


def verdict(row: Row) -> list[str]:
    """The answer to a claim or a formula."""
    match system(row):
        case MarkovModel() as model:
            return [model.check(row.claim, start=row.given or None).status]
        case Mechanism() as mechanism:
            return [mechanism.check(row.claim or None, at=row.at, pair=row.inputs or None).status]
        case question:
            return [question.check(row.claim or None).status]


def value(row: Row) -> list[str]:
    """Probabilities, or the least epsilon or delta of a formula, as exact expressions."""
    claims = [row.claim.replace("{}", each) for each in row.each]
    match system(row):
        case MarkovModel() as model:
            asked = [(claim, state) for claim in claims for state in row.given or ("",)]
            found = [str(model.value(claim, start=row.given or None)[state]) for claim, state in asked]
            return [f"ln({x})" for x in found] if row.claim.startswith("D[?") else found
        case Mechanism() as mechanism:
            laws = [mechanism.distribution(**given) for given in row.inputs]
            shown = [{show_valuation(o).replace(" ", ""): str(p) for o, p in law.items()} for law in laws]
            return [law.get(claim, "0") for law in shown for claim in claims]
        case ProgramQuestion() as question:
            known = [law for given in row.given for law in question.distribution(given).values()]
            return [law[claim] for law in known for claim in claims]
        case question:
            return [str(question.probability(c, given=given)) for given in row.given for c in claims]


def ratio(row: Row) -> list[str]:
    """The quotient of two probabilities."""
    above, below = map(number, value(row))
    return [str(above / below)]


def least(row: Row) -> list[str]:
    """The least epsilon of Pufferfish privacy."""
    found = system(row).budget()
    return ["oo" if found.infinite else f"ln({found.low})"]


def counterexample(row: Row) -> list[str]:
    """The least N for which the claim is violated, and whether the printed counterexample breaks it."""
    sizes = (replace(row, D={"N": n}) for n in count(1))
    smallest = next(each for each in sizes if system(each).check().status != "private")
    above, below = map(number_from_text, value(smallest))
    excess = above - number_from_text("exp(eps)") * below
    return [f"N = {smallest.D['N']}", "breaks" if excess.sign_at(fmpq(row.at or "")) > 0 else "holds"]


def bound(row: Row) -> list[str]:
    """The delta of Proposition 2 of dpCTL*: the greatest ``max P(s) - e^epsilon min P(t)`` of neighbours."""
    model = system(row)
    near = [(model.model.names[s], model.model.names[t]) for s, t in model.model.neighbours]
    states = sorted(set(chain(*near)))
    found, factor = set(), sympy.exp(number(row.at or ""))
    for path in (row.claim.replace("{}", each) for each in row.each):
        most, fewest = (model.value(f"{P}=? ({path})", start=states) for P in ("Pmax", "Pmin"))
        for s, t in {*near, *((t, s) for s, t in near), *zip(states, states, strict=True)}:
            found.add(number(str(most[s])) - factor * number(str(fewest[t])))
    return [str(sympy.Max(*found))]


KINDS = {answer.__name__: answer for answer in (verdict, value, ratio, least, counterexample, bound)}


@dataclass(frozen=True)
class Outcome:
    """A row with our answer; ``result`` is ``ok``, ``[1]`` (erratum 1), ``ok [1]`` or ``DIFFERS``."""

    row: Row
    dipc: str
    seconds: float
    result: str


def outcome(row: Row) -> Outcome:
    """Our answer to a row, compared; only an erratum may replace what is printed."""
    began, mark = perf_counter(), f"[{row.erratum}]" if row.erratum else ""
    right = row.ours if row.ours and mark else row.paper
    wanted = right.split(", ")
    try:
        found = KINDS[row.kind](row)
        same = len(wanted) == len(found) and all(map(equal, repeat(row), wanted, found))
    except DipcError as error:
        found, same = [str(error)], False
    result = DIFFERS if not same else mark if right != row.paper else f"ok {mark}".rstrip()
    return Outcome(row, ", ".join(found), perf_counter() - began, result)


def equal(row: Row, printed: str, found: str) -> bool:
    """Whether a printed number is ours: exactly, rounded to its digits, or as a bound (``> 16``)."""
    if row.kind in ("verdict", "counterexample"):
        return printed == found
    ours = number(found)
    if printed.startswith("> "):
        return bool(ours > number(printed[2:]))
    if decimal := DECIMAL.fullmatch(printed):
        unit = 10 ** len(decimal[1])
        rounded = {"down": sympy.floor(ours * unit), "up": sympy.ceiling(ours * unit)}
        nearest = sympy.floor(ours * unit + number("1/2"))
        return bool(rounded.get(row.round, nearest) == number(printed) * unit)
    return bool(ours == number(printed) or sympy.simplify(ours - number(printed)) == 0)


def number(text: str) -> Any:
    """An exact expression of sympy; decimal numbers are fractions."""
    return sympy.sympify(text, rational=True)


# --- the command ---------------------------------------------------------------------------------

WIDTHS = (25, 12, 12, 7, 7, 7)


def show(each: Outcome) -> None:
    """Print a row with both answers, at most 80 columns wide; long answers are below it."""
    paper, dipc = each.row.paper, each.dipc
    if len(dipc) > WIDTHS[2] and (DECIMAL.fullmatch(paper) or paper.startswith("> ")):
        dipc = str(sympy.N(number(dipc), 6))
    long = max(len(paper), len(dipc)) > 2 * WIDTHS[2]
    answers = ("", "") if long else (paper, dipc)
    cells = (each.row.what, *answers, each.row.time, f"{each.seconds:.2f} s", each.result)
    for parts in zip_longest(*map(wrap, cells, WIDTHS), fillvalue=""):
        say("  ".join(map(str.ljust, parts, WIDTHS)).rstrip())
    for name, text in {"paper": paper, "dipc": dipc}.items() if long else ():
        say(fill(text, 80, initial_indent=f"  {name:<5}  ", subsequent_indent=" " * 9))


def rows_of(name: str) -> Iterator[Row]:
    """The rows of a paper; what their group says holds for each of them."""
    for group in tomllib.loads(shipped.papers()[name].read_text(encoding="utf-8"))["group"]:
        for row in group.pop("rows"):
            yield Row(**group | row)


@click.command(
    short_help="Compute every number of the papers anew.",
    epilog="""\b
Examples:
  dipc papers                    every number, beside ours: about two minutes
  dipc papers --paper dipc --quick --json
""",
)
@click.option("--paper", type=click.Choice(sorted(shipped.papers())), help="Only this paper.")
@click.option("--quick", is_flag=True, help="Leave out what takes more than two seconds.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def papers(paper: str | None, quick: bool, as_json: bool) -> int:
    """Compute every number that the papers print, and compare.

    The columns are: the paper's answer, ours, both times, and `ok` or an erratum, a point of docs/errata.md.

    Exit status: 0 all numbers are those of the papers or known errata, 1 a number differs.
    """
    chosen = [paper] if paper else shipped.papers()
    rows = [row for name in chosen for row in rows_of(name) if not (quick and row.slow)]
    found: list[Outcome] = []
    for row in rows:
        if not as_json and not (found and row.place == found[-1].row.place):
            say("\n" * bool(found) + row.place)
        found.append(outcome(row))
        if not as_json:
            show(found[-1])
    different = sum(each.result == DIFFERS for each in found)
    errata = sum(each.result.startswith("[") for each in found)
    summary = f"\n{len(found)} rows: {different} different, {errata} errata (in brackets)"
    say(json.dumps([asdict(each) for each in found], indent=2) if as_json else summary)
    return int(different > 0)
