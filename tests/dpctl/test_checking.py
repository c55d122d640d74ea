"""Formulas on chains without eps, against the slow oracle, and their laws."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from random import Random

import pytest
from campaigns import some
from dpctl.fast import broken, path_probabilities, satisfying
from dpctl.oracle import holding, ok
from dpctl.random_chains import random_chain, random_path, random_privacy, random_state
from flint import fmpq

from dipc.clock import Clock, unlimited
from dipc.dpctl import enclosed
from dipc.dpctl.bounds import Outcome
from dipc.dpctl.enclosed import Part, Values
from dipc.dpctl.formula import (
    And,
    Exponent,
    Formula,
    Interval,
    Next,
    Not,
    Privacy,
    Probability,
    Proposition,
    Truth,
    Until,
)
from dipc.errors import InputError
from dipc.models.chain import MarkovChain
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient

NOTHING = Exponent(fmpq(0), fmpq(0))


def fast(chain: MarkovChain, formula: Formula) -> frozenset[int]:
    return satisfying(chain, formula, Clock())


@pytest.mark.parametrize("seed", some(range(10), 2))
@pytest.mark.parametrize("bits", ["no exact numbers at once", "exact numbers at once"])
def test_the_oracle_agrees(seed: int, bits: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enclosed, "SMALL", 0 if bits.startswith("no") else 64)
    rng, mixed = Random(seed), 0
    for _ in range(40):
        chain, formula = random_chain(rng), random_state(rng, 2)
        found = fast(chain, formula)
        assert found == holding(chain, formula), (chain, formula)
        mixed += 0 < len(found) < len(chain.rows)
    assert mixed > 10


@pytest.mark.parametrize("seed", range(5))
def test_coarse_balls_do_not_change_an_answer(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With balls of a few bits almost everything is left to the later steps."""
    rng = Random(100 + seed)
    cases = [(random_chain(rng), random_state(rng, 2)) for _ in range(25)]
    expected = [fast(*case) for case in cases]
    monkeypatch.setattr(enclosed, "FIRST", 2)
    monkeypatch.setattr(enclosed, "MORE", (3,))
    monkeypatch.setattr(enclosed, "SMALL", 0)
    assert [fast(*case) for case in cases] == expected


def privacies(seed: int, number: int = 40):
    rng = Random(seed)
    for _ in range(number):
        yield random_chain(rng), random_path(rng, rng.randint(1, 3)), rng


def test_d_is_symmetric_and_broken_pairs_tell_its_truth() -> None:
    broken_ones = 0
    for chain, path, rng in privacies(4):
        formula = random_privacy(rng, path)
        mirrored = dataclasses.replace(chain, neighbours=tuple((t, s) for s, t in chain.neighbours))
        assert fast(chain, formula) == fast(mirrored, formula)
        p = path_probabilities(chain, path, lambda f, c=chain: holding(c, f))
        found = broken(chain, formula, Clock())
        assert all((b.p, b.q) == (p[b.state], p[b.neighbour]) for b in found)
        assert all((b.p - b.q - formula.delta).sign_at(ONE) > 0 for b in found)
        touched = {s for b in found for s in (b.state, b.neighbour)}
        assert touched == set(range(len(p))) - fast(chain, formula)
        broken_ones += bool(found)
    assert broken_ones > 5


def test_the_least_epsilon_is_the_logarithm_of_the_greatest_ratio() -> None:
    tried = 0
    for chain, path, _ in privacies(6, 250):
        p = path_probabilities(chain, path, lambda f, c=chain: holding(c, f))
        pairs = [pair for s, t in chain.neighbours for pair in ((s, t), (t, s))]
        ratios = [p[s] / p[t] for s, t in pairs if p[t] > 0]
        if not ratios or any(p[s] > 0 and p[t] == 0 for s, t in pairs) or max(ratios) == 1:
            continue
        for factor, expected in ((max(ratios), True), (max(ratios) - TINY, False)):
            found = fast(chain, Privacy(budget(0, (factor, 1)), Quotient.of(0), path))
            assert (len(found) == len(p)) is expected
        tried += 1
    assert tried > 5


# --- cases made to measure -------------------------------------------------------------------------------


def chain_of(rows: dict[str, dict[str, object]], neighbours: str, **labels: str) -> MarkovChain:
    names = list(rows)
    place = names.index
    pairs = tuple((place(s), place(t)) for s, t in (pair.split("~") for pair in neighbours.split()))
    sets = {label: frozenset(map(place, states.split())) for label, states in labels.items()}
    table = tuple(tuple((place(t), p) for t, p in row.items()) for row in rows.values())
    return MarkovChain(tuple(names), sets, pairs, (), table)


ONE = fmpq(1)
F_GOAL = Until(Truth(True), Proposition("goal"))


def twins(first: object, second: object, one: object = ONE) -> MarkovChain:
    """Two neighbours that reach the goal with these probabilities."""
    ends = {"goal": {"goal": one}, "end": {"end": one}}
    return chain_of(
        {"s": {"goal": first, "end": one - first}, "t": {"goal": second, "end": one - second}} | ends, "s~t"
    )


def budget(constant: fmpq | int = 0, *logarithms: tuple[fmpq | int, fmpq | int]) -> Exponent:
    return Exponent(fmpq(0), fmpq(constant), tuple((fmpq(b), fmpq(p)) for b, p in logarithms))


TINY = fmpq(1, 10**400)  # below the reach of balls of 1024 bits


@pytest.mark.parametrize(
    "first, second, epsilon, delta, expected",
    [
        (fmpq(3, 4), fmpq(1, 4), budget(0, (3, 1)), 0, True),
        (fmpq(3, 4) + TINY, fmpq(1, 4), budget(0, (3, 1)), 0, False),
        (fmpq(3, 4) - TINY, fmpq(1, 4), budget(0, (3, 1)), 0, True),
        (fmpq(3, 4), fmpq(1, 4), budget(0, (2, 1), (fmpq(3, 2), 1)), 0, True),  # ln 2 + ln(3/2) = ln 3
        (fmpq(3, 4) + TINY, fmpq(1, 4), budget(0, (2, 1), (fmpq(3, 2), 1)), 0, False),
        (fmpq(3, 4), fmpq(1, 4), budget(1), 0, False),
        (fmpq(3, 4), fmpq(1, 4), budget(fmpq(11, 10)), 0, True),
        (fmpq(3, 4), fmpq(1, 4), budget(), fmpq(1, 2), True),
        (fmpq(3, 4), fmpq(1, 4), budget(), fmpq(1, 2) - TINY, False),
        (fmpq(3, 4), fmpq(1, 4), budget(1, (fmpq(4, 3), 1)), 0, True),  # e*4/3 = 3.62
        (TINY, fmpq(0), budget(100), 0, False),
        (TINY, fmpq(0), budget(100, (2, 1)), TINY, True),
        (TINY, fmpq(0), budget(100, (2, 1)), TINY / 2, False),
        (fmpq(1, 3), fmpq(1, 3) + TINY, budget(), 0, False),
        (fmpq(0), fmpq(0), budget(), 0, True),
    ],
)
def test_tight_inequalities(first, second, epsilon, delta, expected) -> None:
    one = ONE
    first, second = fmpq(first), fmpq(second)
    ends = {"goal": {"goal": one}, "end": {"end": one}}
    rows = {
        name: {t: w for t, w in (("goal", p), ("end", 1 - p)) if w}
        for name, p in (("s", first), ("t", second))
    }
    chain = chain_of(rows | ends, "s~t")
    found = fast(chain, Privacy(epsilon, Quotient.of(fmpq(delta)), F_GOAL))
    assert (0 in found, 1 in found) == (expected, expected)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("small", [0, 64])
def test_signs_of_inequalities(seed: int, small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oracle tells whether p <= e^epsilon q + delta."""
    monkeypatch.setattr(enclosed, "SMALL", small)
    rng, answers = Random(seed), []
    known = {Truth(True): frozenset(range(4)), Proposition("goal"): frozenset([2])}
    for _ in range(150):
        p, q = (fmpq(rng.randint(1, 11), 12) for _ in range(2))
        formula = random_privacy(rng, F_GOAL)
        chain = twins(p, q)
        values = Values(F_GOAL, chain.rows, known, frozenset(), unlimited)
        sign = values.signs([(0, 1)], formula.delta, formula.epsilon.factor)[0, 1]
        p, q = (Fraction(int(x.p), int(x.q)) for x in (p, q))
        assert (sign >= 0) is ok(p, q, formula), (p, q, formula)
        answers.append(sign)
    assert {-1, 0, 1} == set(answers)


@pytest.mark.parametrize(
    "epsilon, delta",
    [(budget(), -TINY), (budget(0, (1 - TINY, 1)), 0)],
)
def test_equal_probabilities_are_no_proof_for_negative_parameters(
    epsilon: Exponent, delta: fmpq | int
) -> None:
    half = fmpq(1, 2)
    found = fast(twins(half, half), Privacy(epsilon, Quotient.of(delta), F_GOAL))
    assert found == {2, 3}


def test_exact_signs_settle_what_balls_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not bisimilar, equal only by arithmetic, in chains above the size that is solved exactly at once."""
    monkeypatch.setattr(enclosed, "SMALL", 0)
    half = fmpq(1, 2)
    chain = chain_of(
        {
            "s": {"goal": half, "end": half},
            "t": {"t1": ONE},
            "t1": {"t": fmpq(1, 3), "goal": fmpq(1, 3), "end": fmpq(1, 3)},
            "goal": {"goal": ONE},
            "end": {"end": ONE},
        },
        "s~t",
    )
    assert fast(chain, Privacy(NOTHING, Quotient.of(0), F_GOAL)) == frozenset(range(5))
    assert fast(chain, Probability(at_least(half), F_GOAL)) == {0, 1, 2, 3}
    assert fast(chain, Probability(Interval(Quotient.of(half), Quotient.of(1), False), F_GOAL)) == {3}


def at_least(bound: fmpq) -> Interval:
    return Interval(Quotient.of(bound), Quotient.of(1))


def test_nearly_sure_is_not_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    """0 and 1 are decided by the graph, however small the difference; no exact number is needed."""
    monkeypatch.delattr(Part, "exactly")
    tiny = fmpq(1, 10**50)
    rows: dict[str, dict[str, object]] = {
        f"s{i}": {f"s{i - 1}" if i else "end": tiny, f"s{i + 1}" if i < 99 else "goal": 1 - tiny}
        for i in range(100)
    }
    chain = chain_of(rows | {"goal": {"goal": ONE}, "end": {"end": ONE}}, "s0~s1")
    goal = len(rows)
    sure = Probability(at_least(ONE), F_GOAL)
    less = Probability(Interval(Quotient.of(0), Quotient.of(1), True, False), F_GOAL)
    positive = Probability(Interval(Quotient.of(0), Quotient.of(1), False), Not(F_GOAL))
    assert fast(chain, sure) == {goal}
    assert fast(chain, less) == fast(chain, positive) == frozenset(range(goal + 2)) - {goal}


def test_probabilities_that_are_constants_with_exp() -> None:
    """A chain at a given eps: every number is a function of e."""
    e, one = Quotient(ExpPoly.exp(0, 1)), Quotient.one()
    chain = twins(e / (1 + e), one / (1 + e), one)
    for epsilon, expected in ((budget(1), True), (budget(fmpq(99, 100)), False), (budget(0, (3, 1)), True)):
        found = fast(chain, Privacy(epsilon, Quotient.of(0), F_GOAL))
        assert (0 in found) is expected
    assert 0 in fast(chain, Privacy(budget(fmpq(1, 2)), Quotient.of(fmpq(1, 2)), F_GOAL))
    (pair,) = broken(chain, Privacy(budget(), Quotient.of(0), F_GOAL), Clock())
    assert pair == Outcome(0, 1, e / (1 + e), one / (1 + e))


def test_bounds_with_exp() -> None:
    """P >= exp(-1), D[0, exp(-1)]."""
    low, third, half = Quotient(ExpPoly.exp(0, -1)), fmpq(1, 3), fmpq(1, 2)
    chain = twins(half, third)
    assert fast(chain, Probability(Interval(low, Quotient.of(1)), F_GOAL)) == {0, 2}
    assert fast(twins(third, fmpq(0) + fmpq(1, 1000)), Privacy(NOTHING, low, F_GOAL)) == {0, 1, 2, 3}
    assert 0 not in fast(twins(fmpq(2, 5), fmpq(1, 1000)), Privacy(NOTHING, low, F_GOAL))


def test_what_is_refused() -> None:
    chain = twins(fmpq(1, 2), fmpq(1, 3))
    with pytest.raises(InputError, match="true of paths"):
        fast(chain, Next(Proposition("goal")))
    with pytest.raises(InputError, match="neither a label nor a state"):
        fast(chain, And((Proposition("gaol"), Truth(True))))
