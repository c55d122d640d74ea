"""Laws: changes that leave the meaning of a program as it is leave all answers as they are.

Distributions are compared as functions of eps, by the oracle's arithmetic; verdicts, violating budgets and
least budgets as they are.  With a multiple of eps for eps, all of them change in a known way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import NamedTuple

import oracles
import pytest
from campaigns import EXAMPLES, drawn, many, sown
from dipwhile.python.to_python import load_function, to_python
from flint import fmpq
from hypothesis import Phase, given, note, settings
from hypothesis import strategies as st
from laws import changes
from laws.changes import Change, Changed
from laws.chosen import CHOSEN
from laws.mirrors import permuting
from strategies import discrete_programs, looping_programs, programs

import dipc
from dipc.claims.regions import Region
from dipc.dipwhile.syntax.ast import Program
from dipc.dipwhile.syntax.parser import parse
from dipc.dipwhile.syntax.printer import show_program
from dipc.errors import LimitReached, Source, Unsupported
from dipc.kernel.facts import Function
from dipc.signs.tables import End, RootCluster

WIDTH = fmpq(1, 10**9)  # of the ends of regions
PRECISION = "1e-6" if EXAMPLES else "1/8"  # of least budgets that are not found exactly: the slowest answer
SEEDS = range(many(2, campaign=10))  # a few examples of each: the first ones of a long run are all alike
WAYS = 6  # to change a chosen program
SECONDS = 20 if EXAMPLES else None  # for each answer: without a limit in the fixed examples


Load = Callable[[Program], dipc.Mechanism]
Enclosure = tuple[fmpq, fmpq | None]


def in_text(program: Program) -> dipc.Mechanism:
    return dipc.load(show_program(program))


def in_python(program: Program) -> dipc.Mechanism:
    """The same program as a function under the decorator."""
    text = show_program(program)
    mechanism = load_function(to_python(program, Source("text.dip", text), {}), "f")
    assert isinstance(mechanism, dipc.PythonMechanism)
    return mechanism


class Law(NamedTuple):
    """A change, the programs to change, how many for each seed, and the share that must be compared."""

    change: Change
    source: st.SearchStrategy[str]
    examples: int
    share: float
    load: Load = in_text


def telling(text: str) -> bool:
    """Whether the outputs tell something about the inputs: many small programs are private for nothing."""
    program = parse(Source("random.dip", text))
    assert program.claim is not None
    nothing = replace(program.claim, epsilon=changes.integer(0), delta=None)
    try:
        return in_text(replace(program, claim=nothing)).check().status == "violated"
    except Unsupported:
        return False


def containing(*words: str) -> st.SearchStrategy[str]:
    """Random programs in which one of the words occurs."""
    return EACH.filter(lambda text: any(word in text for word in words)).filter(telling)


@st.composite
def noisy_extrema(draw: st.DrawFn) -> str:
    """Noise of different kinds and rates for two or three values, and an extremum of all: a mechanism."""

    def pick(*options: str) -> str:
        return draw(st.sampled_from(options))

    function, size = pick("argmax", "argmin", "max", "min"), draw(st.integers(2, 3))
    kinds = draw(st.sampled_from([("Lap",), ("Lap", "LapPlus"), ("LapPlus",), ("DLap",), ("DLap",)]))
    means = ("q[1]", "q[2]", "0", "1", "q[1] - q[2]")
    values = [f"{pick(*kinds)}({pick('eps', 'eps', 'eps/2', '2*eps')}, {pick(*means)})" for _ in range(size)]
    cells = [f"a[{k}] <- {value}" for k, value in enumerate(values, 1)]
    arg = function.startswith("arg")
    declared = f"1..{size}" if arg else "{0, 1, 2}"
    last = f"o <- {function}(a)" if arg else f"s <- {function}(a)\no <- disc(s, 0, 1, 2)"
    head = f"input q[2] in {{0, 1}}\noutput o in {declared}\nadjacent {pick('all', 'linf 1', 'l1 1')}"
    return "\n".join([head, f"private {pick('eps', '2*eps', 'eps/2')}", *cells, last]) + "\n"


@st.composite
def finite_mechanisms(draw: st.DrawFn) -> str:
    """One of three values for each input, with probabilities of which no two are equal."""
    weights = ("exp(-eps)/2", "1/3", "2/3 - exp(-eps)/2")

    def drawn_value() -> str:
        options = zip(draw(st.permutations("012")), draw(st.permutations(weights)), strict=True)
        choice = "choose {" + ", ".join(f"{value}: {weight}" for value, weight in options) + "}"
        return draw(st.sampled_from([choice, choice, "uniform 0..2", "Exp(eps, v in 0..2, v*(x + 1))"]))

    head = "input x in {0, 1}\noutput o in {0, 1, 2}\nadjacent all\nprivate eps\n"
    coin = f"c <- flip({draw(st.sampled_from(['1/3', 'exp(-eps)', '1/(1 + eps)']))})"
    return f"{head}{coin}\nif x = 0 or c then o <- {drawn_value()} else o <- {drawn_value()} end\n"


EACH = st.one_of(programs(), discrete_programs())
ANY = EACH.filter(telling)
LAWS = {
    "renaming": Law(changes.renaming, st.one_of(ANY, looping_programs()), many(3, campaign=5), 0.9),
    "reordering": Law(changes.reordering, ANY, many(3, campaign=6), 0.3),
    "splitting loops": Law(changes.splitting, containing("for i"), many(2, campaign=3), 0.6),
    "the first round": Law(changes.splitting, st.one_of(containing("while"), looping_programs()), 5, 0.9),
    "permuting inputs": Law(
        permuting,
        st.one_of(containing("q[2] in", "N = 2"), containing("linf", "l1", "hamming", "'")),
        many(2, campaign=4),
        0.9,
    ),
    "dummy samples": Law(changes.dummy_samples, st.one_of(ANY, looping_programs()), many(3, campaign=6), 0.9),
    "flip and choose": Law(
        changes.finite_draws,
        st.one_of(looping_programs(), finite_mechanisms(), containing("flip", "uniform", "choose", "Exp(")),
        many(4, campaign=6),
        0.9,
    ),
    "streaming extrema": Law(changes.streaming, containing("max(", "min("), many(2, campaign=4), 0.6),
    "noisy extrema": Law(changes.streaming, noisy_extrema(), many(3, campaign=5), 0.9),
    "multiple of eps": Law(changes.scaling, st.one_of(ANY, looping_programs()), 6, 0.9),
    "python": Law(lambda _, program: Changed(program), ANY, 3, 0.9, in_python),
}


@pytest.mark.parametrize("name", LAWS)
def test_a_change_leaves_the_answers(name: str) -> None:
    change, source, examples, share, load = LAWS[name]
    tally: Counter[str] = Counter()

    def law(text: str, data: st.DataObject) -> None:
        program = parse(Source("random.dip", text))
        changed = change(data.draw, program)
        if changed is None:
            tally["unchanged"] += 1
            return
        note(f"{text}\n--- changed, {changed.factor}*eps for eps\n{show_program(changed.program)}")
        try:
            compare(program, changed, load)
        except Unsupported:
            tally["unsupported"] += 1
        except LimitReached:
            tally["undecided"] += 1
        else:
            tally["compared"] += 1

    sown(drawn(examples)(given(source, st.data())(law)), SEEDS)
    assert tally["compared"] >= share * tally.total(), tally


@pytest.mark.parametrize("name", CHOSEN)
def test_a_change_of_chosen_programs(name: str) -> None:
    law = LAWS[name]
    try_chosen(name, law.change, law.load)


def try_chosen(name: str, change: Change, load: Load) -> None:
    """Compare distributions and neighbours of the chosen programs, changed in several ways."""
    chosen = [known(text) for text in CHOSEN[name]]
    tried = set()

    def law(data: st.DataObject) -> None:
        for program, was in chosen:
            if changed := change(data.draw, program):
                note(f"--- changed, {changed.factor}*eps for eps\n{show_program(changed.program)}")
                compare_laws(program, was, changed, load(changed.program))
                tried.add(program)

    few = settings(drawn(WAYS), max_examples=WAYS, derandomize=True, phases=[Phase.generate])
    few(given(st.data())(law))()
    if len(tried) < len(chosen):
        pytest.fail("one of the programs offers nothing to change")


@cache
def known(text: str) -> tuple[Program, list[oracles.Distribution]]:
    """A chosen program and its distributions, which many tests need."""
    program = parse(Source("chosen.dip", text))
    return program, laws_of(in_text(program), oracles.all_inputs(program))


def compare(program: Program, changed: Changed, load: Load) -> None:
    """All that both programs say.  Raises :class:`Unsupported` and :class:`LimitReached`."""
    old, new = in_text(program), load(changed.program)
    compare_laws(program, laws_of(old, oracles.all_inputs(program)), changed, new)
    if program.claim is not None:
        compare_verdicts(old, new)
        factor = fmpq(changed.factor.numerator, changed.factor.denominator)
        compare_regions(old, new, factor)
        compare_budgets(old, new, factor)


def laws_of(mechanism: dipc.Mechanism, inputs: list[oracles.Inputs]) -> list[oracles.Distribution]:
    """The distribution of the outputs for each of the inputs."""
    return [oracles.dipc_distribution(mechanism, each) for each in inputs]


def compare_laws(
    program: Program, laws: list[oracles.Distribution], changed: Changed, new: dipc.Mechanism
) -> None:
    """The distributions follow from those of the old program, and the same inputs are neighbours."""
    old_inputs = oracles.all_inputs(program)
    for inputs, law in zip(old_inputs, laws, strict=True):
        found = oracles.dipc_distribution(new, changed.inputs(inputs))
        wrong = oracles.different(
            expected(law, changed), {tuple(sorted(outcome)): p for outcome, p in found.items()}
        )
        assert not wrong, (inputs, wrong)
    if program.claim is not None:
        same_neighbours(program, changed)


def same_neighbours(program: Program, changed: Changed) -> None:
    """The change keeps the adjacency: else the verdicts could differ."""
    for u, v in product(oracles.all_inputs(program), repeat=2):
        after = oracles.adjacent(changed.program, changed.inputs(u), changed.inputs(v))
        assert oracles.adjacent(program, u, v) == after, (u, v)


def expected(law: oracles.Distribution, changed: Changed) -> oracles.Distribution:
    """The distribution of the new program, from that of the old one."""
    return {
        tuple(sorted(changed.outcome(outcome))): (scaled(p, changed.factor), scaled(q, changed.factor))
        for outcome, (p, q) in law.items()
    }


def scaled(f: Function, factor: Fraction) -> Function:
    """f(factor * eps): the terms are c * eps^n * exp(a*eps + k + b/eps)."""
    return {(n, factor * a, k, b / factor): c * factor**n for (n, a, k, b), c in f.items()}


def compare_verdicts(old: dipc.Mechanism, new: dipc.Mechanism) -> None:
    """The same answer; after a proof, for as many inputs and pairs of neighbours."""
    with dipc.limits(seconds=SECONDS):
        was, found = (mechanism.check() for mechanism in (old, new))
    if "undecided" in (was.status, found.status):
        raise LimitReached("undecided")
    assert was.status == found.status
    if was.status == "private":
        ours, theirs = (
            (counts.inputs, counts.pairs, counts.outputs) for counts in (was.counts, found.counts)
        )
        assert ours == theirs


def compare_regions(old: dipc.Mechanism, new: dipc.Mechanism, factor: fmpq) -> None:
    """The claim is broken for the same budgets."""
    with dipc.limits(seconds=SECONDS):
        was, found = (mechanism.violating_budgets().regions for mechanism in (old, new))
    assert [closed_ends(region) for region in was] == [closed_ends(region) for region in found]
    for one, other in zip(was, found, strict=True):
        for end in ("low", "high"):
            before, after = enclosure(getattr(one, end)), enclosure(getattr(other, end))
            assert meet(before, times(after, factor)), (end, before, after)


def closed_ends(region: Region) -> tuple[bool, bool]:
    return region.low_closed, region.high_closed


def enclosure(end: End) -> Enclosure | None:
    """An interval around an end, a point if it is rational; None for infinity."""
    if not isinstance(end, RootCluster):
        return None if end is None else (end, end)
    for root in end.roots:
        while root.width > WIDTH:
            root.refine()
    return end.low, end.high


def times(interval: Enclosure | None, factor: fmpq) -> Enclosure | None:
    if interval is None:
        return None
    low, high = interval
    return low * factor, None if high is None else high * factor


def meet(one: Enclosure | None, other: Enclosure | None) -> bool:
    """Whether two intervals have a common point."""
    if one is None or other is None:
        return one is other
    return reaches(one[1], other[0]) and reaches(other[1], one[0])


def reaches(high: fmpq | None, low: fmpq) -> bool:
    return high is None or low <= high


def compare_budgets(old: dipc.Mechanism, new: dipc.Mechanism, factor: fmpq) -> None:
    """The same least t, as far as it is known; at ``factor * eps`` it is needed ``factor`` times."""
    with dipc.limits(seconds=SECONDS):
        was, found = (mechanism.budget(width=PRECISION).least for mechanism in (old, new))
    assert was.infinite == found.infinite, (was, found)
    assert meet(times((was.low, was.high), factor), (found.low, found.high)), (was, found)
    if was.exact is not None and found.exact is not None:
        assert was.exact * factor == found.exact, (was, found)
    assert None in (was.attained, found.attained) or was.attained == found.attained, (was, found)
