"""The product construction on pairs of inputs, against a slow version that lists all pairs.

The slow version computes every output distribution separately, lists and sorts all pairs of inputs, and asks
about every pair and output; both share only the answer to a single inequality.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest
from campaigns import drawn, some, spared
from flint import fmpq
from hypothesis import given, note
from shipped_programs import PROGRAMS
from strategies import programs

import dipc
from dipc import Quotient
from dipc.claims.oracle import SignOracle
from dipc.claims.privacy import worst_sets
from dipc.dipwhile import pipeline
from dipc.dipwhile.mechanisms import Mechanism
from dipc.dipwhile.pipeline import goal_of
from dipc.dipwhile.semantics.adjacency import Input, InputSpace, adjacent
from dipc.dipwhile.semantics.diagrams import Diagrams
from dipc.dipwhile.semantics.explore import Arrival, Configuration, Explorer, Law
from dipc.dipwhile.semantics.functions import OutputFunctions
from dipc.dipwhile.semantics.step import Outcome
from dipc.dipwhile.semantics.valuations import grouped, output_valuation
from dipc.dipwhile.syntax.compile import compile_claim
from dipc.dipwhile.syntax.parser import parse_claim
from dipc.errors import InputError, InternalError, LimitReached
from dipc.models.values import Valuation, Value
from dipc.signs.inequality import Answer, Fails, Unclear
from dipc.signs.roots import Unsettled

ROOT = Path(__file__).parent.parent

FORMULAS = {"q": "forall i in 1..2: abs(q[i] - q'[i]) <= 1 and q[1] <= q'[1]"}
Vector = tuple[Quotient, ...]
DISTANCES = ["linf 1", "linf 2", "l1 1", "l1 2", "hamming 1", "hamming 2", "all"]


class Summary(NamedTuple):
    """What two ways to decide a claim must agree on."""

    status: str
    counts: tuple[int, ...]  # of inputs, pairs, outputs, inequalities, distinct ones
    pair: tuple[Valuation, Valuation] | None
    broken: tuple[Valuation, ...] | None  # the outputs; with delta > 0 they are chosen later


# --- the slow twin -------------------------------------------------------------------------------


class Listed(NamedTuple):
    """Every input with its law, all outcomes, and all pairs with the number of cells that differ."""

    inputs: list[Input]
    laws: list[Law]
    outcomes: list[Outcome]
    pairs: list[tuple[int, int, int]]


@lru_cache(maxsize=1)
def listed(mechanism: Mechanism) -> Listed:
    """What does not depend on the claim."""
    program = mechanism.program
    assert program.adjacency is not None
    space = InputSpace(program)
    inputs = list(space)
    laws = [Explorer(program).law(u) for u in inputs]
    places = [{v: i for i, v in enumerate(x.domain)} for x in program.outputs for _ in x.cells]
    outcomes = sorted(
        {o for law in laws for o in law}, key=lambda o: [p[v] for p, v in zip(places, o, strict=True)]
    )
    pairs = [
        (sum(u[c] != v[c] for c in space.cells), i, j)
        for i, u in enumerate(inputs)
        for j, v in enumerate(inputs)
        if adjacent(space, u, v, program.adjacency)
    ]
    return Listed(inputs, laws, outcomes, sorted(pairs))


def listing(mechanism: Mechanism, text: str | None) -> Summary:
    """Every input, every pair, every output."""
    program = mechanism.program
    parsed = compile_claim(parse_claim(text), dict(program.parameters)) if text else program.claim
    assert parsed is not None
    goal = goal_of(parsed)
    judge = SignOracle(goal.budgets)
    inputs, laws, outcomes, pairs = listed(mechanism)
    zero = Quotient.of(0)
    vectors = [tuple(law.get(o, zero) for o in outcomes) for law in laws]

    @cache  # most pairs have the probabilities of another one
    def questions(left: Vector, right: Vector) -> list[tuple[Sequence[int], object, Answer]] | None:
        """Each set of outputs to ask about, with its inequality and the answer; None: not settled."""
        margins = [goal.factor * q - p for p, q in zip(left, right, strict=True)]
        try:
            sets = (
                worst_sets([judge.numerator(m) for m in margins], goal.budgets)
                if goal.delta
                else [(o,) for o in range(len(outcomes))]
            )
        except Unsettled:
            return None
        forms = [judge.normal_form(sum((margins[o] for o in chosen), goal.delta)) for chosen in sets]
        return [(chosen, f, judge.decide(f)) for chosen, f in zip(sets, forms, strict=True)]

    distinct = set()
    inequalities = 0
    doubtful = False
    for number, (_, i, j) in enumerate(pairs, start=1):
        asked = questions(vectors[i], vectors[j])
        doubtful = doubtful or asked is None
        for chosen, f, answer in asked or ():
            inequalities += 1
            distinct.add(f)
            doubtful = doubtful or isinstance(answer, Unclear)
            if isinstance(answer, Fails):
                pair = grouped(program.inputs, inputs[i]), grouped(program.inputs, inputs[j])
                broken = None if goal.delta else tuple(output_valuation(program, outcomes[o]) for o in chosen)
                counts = len(inputs), number, len(outcomes), inequalities, len(distinct)
                return Summary("violated", counts, pair, broken)
    counts = len(inputs), len(pairs), len(outcomes), inequalities, len(distinct)
    return Summary("undecided" if doubtful else "private", counts, None, None)


def summary(verdict: dipc.Verdict) -> Summary:
    """The same of a verdict."""
    c, found = verdict.counts, verdict.counterexample
    counts = c.inputs, c.pairs, c.outputs, c.inequalities, c.distinct
    if found is None:
        return Summary(verdict.status, counts, None, None)
    outputs = None if verdict.goal.delta else found.outputs
    return Summary(verdict.status, counts, (found.input, found.neighbour), outputs)


def agree(mechanism: Mechanism, claim: str | None = None) -> Summary:
    goal = pipeline.claim_of(mechanism._claim(claim))
    walked = summary(pipeline._decided(mechanism.explored, goal, pipeline.Ask(), every=True))  # no shortcut
    assert walked == listing(mechanism, claim)
    return walked


def adjacent_by(text: str, adjacency: str) -> str:
    changed, number = re.subn(r"^adjacent .*$", f"adjacent {adjacency}", text, flags=re.MULTILINE)
    assert number == 1
    return changed


def budgets_of(text: str) -> str:
    """The end of the program's claim, for another claim about the same budgets."""
    found = re.search(r"^private .*( for eps in .*)$", text, re.MULTILINE)
    return found[1] if found else ""


# --- the shipped programs ------------------------------------------------------------------------


def with_two_queries(path: Path) -> Mechanism:
    """The program with N = 2, or as it is if it has no such parameter or does not work with this value."""
    try:
        mechanism = dipc.load(path, N=2)
        mechanism.check()
    except InputError:
        return dipc.load(path)
    return mechanism


@pytest.mark.parametrize("path", some(PROGRAMS, 14), ids=lambda path: path.stem)
def test_shipped_programs(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    mechanism = with_two_queries(path)
    agree(mechanism)
    for claim in ("eps/8", "eps/4, 1/50"):
        agree(mechanism, claim + budgets_of(text))


@pytest.mark.parametrize(
    "name",
    spared(
        ["svt/svt1", "svt/svt3", "svt/svt4", "svt/svt6", "histogram/hist1"],
        {"svt/svt1", "svt/svt3", "svt/svt6"},
    ),
)
@pytest.mark.parametrize("adjacency", [*DISTANCES, FORMULAS["q"], "count(i in 1..2: q[i] != q'[i]) = 1"])
def test_adjacencies(name: str, adjacency: str) -> None:
    text = adjacent_by((ROOT / "programs" / f"{name}.dip").read_text(encoding="utf-8"), adjacency)
    mechanism = dipc.load(text, N=2)
    for claim in (None, "eps/4", "eps/2, exp(-2)"):
        agree(mechanism, claim)


# --- programs that read their input in strange ways ----------------------------------------------

HEAD = """
input  q[3] in {-1, 0, 1}
input  first in 1..3
output out in {-1, 0, 1}
adjacent linf 1
private eps
"""

STRANGE = {
    "backwards": """
        s <- 0
        for i in 1..3 do s <- s + q[4 - i] end
        r <- Lap(eps/3, s); out <- disc(r, -1, 0, 1)""",
    "a pointer": "r <- Lap(eps/2, q[first]); out <- disc(r, -1, 0, 1)",
    "a pointer twice": """
        if q[first] = 1 then k <- q[1] else k <- q[3] end
        r <- Lap(eps, k + q[first]); out <- disc(r, -1, 0, 1)""",
    "different ends": """
        if q[2] = 0 then out <- 0; exit end
        if q[2] = 1 then r <- Lap(eps, q[3]) else r <- Lap(eps, q[1]) end
        out <- disc(r, -1, 0, 1)""",
    "read or not, by a coin": """
        b <- flip(exp(eps)/(1 + exp(eps)))
        if b then out <- q[3]; exit end
        r <- Lap(eps, q[1]); out <- disc(r, -1, 0, 1)""",
    "nothing is read": "r <- Lap(eps, 0); out <- disc(r, -1, 0, 1)",
    "the last cell only": "r <- Lap(eps/2, q[3]); out <- disc(r, -1, 0, 1)",
    "no noise": "out <- q[3] * q[1]",
}


@pytest.mark.parametrize("body", STRANGE.values(), ids=STRANGE)
@pytest.mark.parametrize("adjacency", some(["linf 1", "l1 1", "hamming 2", "hamming 1"], 2))
def test_strange_reading(body: str, adjacency: str) -> None:
    mechanism = dipc.load(adjacent_by(HEAD, adjacency) + body)
    for claim in (None, "eps/2", "5*eps", "eps, 1/10"):
        agree(mechanism, claim)


def test_no_input_at_all() -> None:
    found = agree(dipc.load("output o in {0, 1}\nadjacent all\nprivate eps\no <- 0"))
    assert (found.status, found.counts[:4]) == ("private", (1, 1, 1, 1))


# --- random programs -----------------------------------------------------------------------------


def test_random_programs() -> None:
    @drawn(5, campaign=12)
    @given(programs())
    def law(text: str) -> None:
        note(text)
        for adjacency in (None, "l1 1", "hamming 1"):
            changed = text if adjacency is None else adjacent_by(text, adjacency)
            try:
                mechanism = dipc.load(changed)
                mechanism.check()
            except InputError:  # a distance needs numbers, and some programs are refused
                continue
            agree(mechanism)
            agree(mechanism, "eps/3" + budgets_of(text))

    law()


# --- decision diagrams ---------------------------------------------------------------------------


def random_function(rng: random.Random, sizes: list[int]) -> dict[tuple[int, ...], int]:
    return {digits: rng.randrange(3) for digits in product(*map(range, sizes))}


def built(store: Diagrams, table: dict[tuple[int, ...], int], order: list[int]) -> int:
    """The function looked at in this order of cells."""

    def below(fixed: dict[int, int]) -> int:
        if len(fixed) == len(order):
            return store.leaf(table[tuple(fixed[i] for i in range(len(order)))])
        cell = order[len(fixed)]
        return store.choice(cell, [below({**fixed, cell: k}) for k in range(store.sizes[cell])])

    return below({})


def test_equal_functions_are_equal_nodes() -> None:
    rng = random.Random(1)
    for _ in range(200):
        sizes = [rng.randint(1, 3) for _ in range(rng.randint(0, 4))]
        table = random_function(rng, sizes)
        store = Diagrams(sizes)
        orders = [rng.sample(range(len(sizes)), len(sizes)) for _ in range(3)]
        nodes = {built(store, table, order) for order in orders}
        assert len(nodes) == 1
        node = nodes.pop()
        assert {d: store.value(store.at(node, d)) for d in table} == table


# --- the probabilities of every input sum to 1 ---------------------------------------------------


def test_one_input_that_loses_mass_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One edge of the automaton loses an outcome: the sum is wrong for a single input only."""
    program = dipc.load(ROOT / "programs" / "histogram" / "hist1.dip", N=2).program
    space = InputSpace(program)
    honest = Explorer.after

    def faulty(self: Explorer, configuration: Configuration, value: Value) -> Arrival:
        arrival = honest(self, configuration, value)
        if faults or configuration.known or len(configuration.states) == 1 or value != fmpq(1):
            return arrival
        faults.append(configuration)
        lost = dict(list(arrival.emitted.items())[1:])
        configuration.after[value] = Arrival(lost, arrival.configuration)
        return configuration.after[value]

    faults: list[Configuration] = []
    OutputFunctions(Explorer(program), space, lambda done: None)
    monkeypatch.setattr(Explorer, "after", faulty)
    with pytest.raises(InternalError, match="depend on the input"):
        OutputFunctions(Explorer(program), space, lambda done: None)
    assert len(faults) == 1


# --- larger inputs -------------------------------------------------------------------------------


FEW = """
input q[{n}] in {{-1, 0, 1}}
output o in {{0, 1}}
adjacent linf 1
private eps
r <- Lap(eps, q[{a}] + q[{b}] + q[{c}])
if r >= 3 then o <- 1 else o <- 0 end
"""


def test_a_counterexample_among_ten_billion_pairs() -> None:
    """Three cells of twelve matter: the counterexample is that of the program that has only these."""
    large = dipc.load(FEW.format(n=12, a=3, b=7, c=11)).check()
    small = dipc.load(FEW.format(n=3, a=1, b=2, c=3)).check()
    assert large.counts.inputs == 3**12
    assert large.counterexample is not None and small.counterexample is not None
    for few, many in (
        (small.counterexample.input, large.counterexample.input),
        (small.counterexample.neighbour, large.counterexample.neighbour),
    ):
        expected = [fmpq(-1)] * 12
        assert isinstance(few[0][1], tuple)
        expected[2], expected[6], expected[10] = few[0][1]
        assert many == (("q", tuple(expected)),)
    assert large.counterexample.outputs == small.counterexample.outputs


# --- limits --------------------------------------------------------------------------------------


def test_what_was_settled_before_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(stage: str, done: int, total: int | None) -> None:
        if stage == "inequalities" and done > 500:
            raise LimitReached("the time limit was reached")

    monkeypatch.setattr("dipc.claims.privacy.Goal.monotone", False)  # no shortcut
    monkeypatch.setattr("dipc.clock.INTERVAL", -1)  # every step is reported, however fast they are
    mechanism = dipc.load(ROOT / "programs" / "svt" / "svt1.dip", N=7)
    with dipc.limits(progress=stop):
        verdict = mechanism.check()
    assert isinstance(verdict, dipc.Undecided)
    assert re.fullmatch(r"the time limit was reached \(inequalities: 501 of \d+\)", verdict.reason)
    assert 0 < verdict.counts.pairs < 7**7
    assert 8 <= verdict.counts.distinct < 501 * 8  # two pairs of laws may differ by a factor only
    assert verdict.counts.inequalities >= 8 * verdict.counts.pairs
