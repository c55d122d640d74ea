"""Bounds by one exact sweep: Gaussian elimination in fractions judges them, whatever was guessed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from random import Random

import pytest
from campaigns import many
from dpctl.oracle import reach
from flint import fmpq
from rationals import fraction

import dipc
from dipc import guesses
from dipc.dpctl.verdict import Near
from dipc.guesses import Row
from dipc.models import inductive
from dipc.models.inductive import BITS, Bounds, bounds

ONE = 1 << BITS


def some_rows(rng: Random) -> list[list[tuple[int, fmpq]]]:
    """A chain of a few states, some of which are never left; loops and long ways are frequent."""
    size, rows = rng.randint(3, 9), []
    for s in range(size):
        targets = rng.sample(range(size), rng.randint(1, 3))
        if rng.random() < 0.2:
            targets = [s]
        weights = [rng.choice([1, 1, 2, 7, 10**6]) for _ in targets]
        rows.append([(t, fmpq(w, sum(weights))) for t, w in zip(targets, weights, strict=True)])
    return rows


def reached(rows: Sequence[Sequence[tuple[int, fmpq]]], goal: int) -> list[Fraction]:
    """The probabilities of the goal, by elimination."""
    return reach([{t: fraction(p) for t, p in row} for row in rows], {goal: Fraction(1)})


def holds(found: Bounds, expected: Sequence[Fraction]) -> bool:
    """Whether all probabilities lie between the bounds."""
    return all(
        low <= h * ONE <= high for low, high, h in zip(found.low, found.high, expected, strict=True)
    ) and all(
        ball.contains(fmpq(h.numerator, h.denominator))
        for ball, h in zip(found.balls(), expected, strict=True)
    )


@pytest.mark.parametrize("seed", range(many(60, 2000)))
def test_bounds_of_small_chains(seed: int) -> None:
    pytest.importorskip("scipy")
    rows = some_rows(Random(seed))
    expected = reached(rows, 0)
    found = bounds(rows, {*range(len(rows))}, {0})
    assert found is not None and holds(found, expected)
    steps = 10**7 * len(rows) ** 2  # roughly the longest expected time
    assert max(h - low for low, h in zip(found.low, found.high, strict=True)) < ONE * steps >> 35


@pytest.mark.parametrize("seed", range(many(200, 20_000)))
def test_whatever_is_guessed_bounds_are_true(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guesses near the solution, some of them wrong in a few states, and constants, as ends of intervals."""
    rng = Random(seed)
    rows = some_rows(rng)
    expected = reached(rows, 0)
    inside = [s for s, h in enumerate(expected) if 0 < h < 1]

    def guess() -> list[int]:
        if rng.random() < 0.3:
            return [rng.choice([0, ONE // 2, ONE, 2 * ONE, -ONE])] * len(inside)
        off = rng.choice([-ONE >> 9, -1, 0, 1, ONE >> 9])
        near = [int(expected[s] * ONE) + off for s in inside]
        return [x + rng.choice([0, 0, 0, ONE >> 4, -ONE >> 4]) for x in near] if rng.random() < 0.5 else near

    def guessed(system: Sequence[Row], bits: int, _: object) -> Iterator[tuple[list[int], list[int]]]:
        assert (len(system), bits) == (len(inside), BITS)
        yield from ((guess(), guess()) for _ in range(20))

    monkeypatch.setattr(inductive, "guesses", guessed)
    found = bounds(rows, {*range(len(rows))}, {0})
    assert found is None or holds(found, expected)


def random_chain(size: int, seed: int = 1) -> dipc.MarkovChain:
    """States with three successors anywhere; few of them end."""
    rng, rows = Random(seed), {}
    for s in range(size):
        targets = [str(t) for t in rng.sample(range(size), 3)]
        if rng.random() < 0.02:
            targets[0] = rng.choice(["yes", "no"])
        weights = [rng.randint(1, 9) for _ in targets]
        rows[str(s)] = {t: Fraction(w, sum(weights)) for t, w in zip(targets, weights, strict=True)}
    rows |= {end: {end: Fraction(1)} for end in ("yes", "no")}
    return dipc.MarkovChain(rows, neighbours=[("0", "1")], start=["0", "1"])


def test_a_random_chain_is_decided_by_a_sweep() -> None:
    """Elimination fills such a chain: it does not end in a minute."""
    pytest.importorskip("scipy")
    chain = random_chain(3000)
    with dipc.limits(seconds=30):
        assert chain.check("D[1/10, 0](F yes)").status == "holds"
        assert chain.check("P>=1/100 (!no U yes)").status == "holds"


def test_a_goal_that_few_states_see_is_iterated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Started at 0, the iteration breaks down; to solve directly would take long in a larger chain."""
    pytest.importorskip("scipy")
    monkeypatch.setattr(guesses, "MANY", 0)
    rng, size = Random(1), 1500
    rows = [[(t, fmpq(1, 3)) for t in rng.sample(range(size), 3)] for _ in range(size - 2)]
    rows += [[(s, fmpq(1))] for s in (size - 2, size - 1)]
    everything = set(range(size))
    found = bounds(rows, everything, {size - 1})
    assert found is not None and 0 < found.low[0] < found.high[0] < found.low[0] + ONE // 10**9


def test_tiny_probabilities_are_told_by_their_digits() -> None:
    """A sweep is exact to 2^-BITS; the digits of smaller numbers are those of the balls that decide."""
    up, down, rows = Fraction(2, 5), Fraction(3, 5), {"0": {"0": Fraction(1)}, "600": {"600": Fraction(1)}}
    rows |= {str(s): {str(s - 1): down, str(s + 1): up} for s in range(1, 600)}
    chain = dipc.MarkovChain(rows, labels={"won": ["600"]}, neighbours=[("1", "2")], start=["1"])
    witness = chain.check("D[1/2, 0](F won)").witness
    ratio = Fraction(3, 2)
    assert witness is not None and isinstance(witness.probability, Near)
    low, high = map(fraction, witness.probability)
    assert 0 < low <= (ratio**2 - 1) / (ratio**600 - 1) <= high < low * (1 + Fraction(1, 10**20))


FORMULAS = ("D[1/100000, 0](F yes)", "D[0, 1/10^7](!no U yes)", "P<1/8 (F yes)", "!P>1/8 (F yes)",
            "P<1/8 (G !yes)", "P>=1 (F yes)", "P in [1/8, 1/7] (F yes)",
            "P>0.99 (F yes) & P<1/8 (F no)")  # fmt: skip


def test_a_witness_in_a_large_chain_encloses_the_exact_numbers() -> None:
    """Each state leads to some of the next ones, so that exact numbers are found, too, state by state."""
    rng, rows = Random(3), {}
    for s in range(510):
        p, far, yes = (
            Fraction(rng.randint(1, 8), 10),
            str(s + rng.randint(2, 5)),
            Fraction(rng.randint(1, 9), 100),
        )
        rows[str(s)] = {
            str(s + 1): Fraction(9, 10) - p,
            far: p,
            "yes": yes,
            "no": Fraction(1, 10) - yes,
        }
    rows |= {str(s): {"yes": Fraction(1)} for s in range(510, 515)}
    rows |= {end: {end: Fraction(1)} for end in ("yes", "no")}
    chain = dipc.MarkovChain(rows, neighbours=[("0", "1")], start=["0", "1"])
    for formula in FORMULAS:
        found, exact = (chain.check(formula, exact=exact) for exact in (False, True))
        assert found.status == exact.status == "fails" and found.witness and exact.witness
        shown = found.witness.subformula, found.witness.state, found.witness.neighbour
        assert shown == (exact.witness.subformula, exact.witness.state, exact.witness.neighbour)
        for name in ("probability", "neighbour_probability", "bound", "excess"):
            near, value = getattr(found.witness, name), getattr(exact.witness, name)
            if isinstance(near, Near):
                assert (value - near.low).sign_at(fmpq(1)) >= 0 >= (value - near.high).sign_at(fmpq(1))
            else:
                assert near == value
        assert isinstance(found.witness.excess, Near)
