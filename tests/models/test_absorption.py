"""State elimination without subtraction, against Gauss, and where subtraction would be wrong."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from dpctl.oracle import reach, rows_of
from dpctl.random_chains import random_chain
from flint import arb, ctx, fmpq

import dipc.models.linear as linear
from dipc.models.graph import never_and_surely
from dipc.models.linear import Rows, absorption, acyclic, forwards
from dipc.numbers.exact import ends
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.numbers.ratio import Ratio, in_one_ring

ONE = fmpq(1)


@pytest.mark.parametrize("seed", range(60))
def test_gauss_agrees(seed: int) -> None:
    rng = Random(seed)
    chain = random_chain(rng, 14)
    everything = set(range(len(chain.rows)))
    goal = set(chain.labels["a"])
    never, surely = never_and_surely(chain.rows, everything, goal)
    found = absorption(chain.rows, everything - never - surely, surely, ONE)
    expected = reach(rows_of(chain), dict.fromkeys(goal, Fraction(1)))
    assert [Fraction(int(p.p), int(p.q)) for p in found] == expected
    other = absorption(chain.rows, everything - never - surely, never, ONE)
    assert all(p + q == 1 for p, q in zip(found, other, strict=True))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("long", [0, 300])
def test_one_pass_is_enough_forwards(seed: int, long: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums of products, and products of matrices; an edge back is seen."""
    monkeypatch.setattr(linear, "LONG", long)
    rng, n = Random(seed), 12
    rows: list[list[tuple[int, fmpq]]] = []
    for s in range(n):
        targets = sorted(rng.sample(range(s + 1, n), min(n - 1 - s, rng.randint(1, 5)))) or [s]
        weights = [rng.randint(1, 9) for _ in targets]
        rows.append([(t, fmpq(w, sum(weights))) for t, w in zip(targets, weights, strict=True)])
    goal, between = {n - 1}, set(rng.sample(range(n - 1), 9))
    expected = [Fraction(t in goal) for t in range(n)]
    for s in sorted(between, reverse=True):
        expected[s] = sum((Fraction(int(p.p), int(p.q)) * expected[t] for t, p in rows[s]), Fraction(0))
    found = forwards(rows, between, goal)
    assert found is not None and [Fraction(int(p.p), int(p.q)) for p in found] == expected
    never, _ = never_and_surely(rows, between, goal)
    assert absorption(rows, set(range(n)) - never - goal, goal, ONE) == found
    s = rng.choice(sorted(between))
    rows[s] = [(t, p / 2) for t, p in rows[s]] + [(rng.randint(0, s), ONE / 2)]
    assert forwards(rows, between, goal) is None


@pytest.mark.parametrize("seed", range(20))
def test_balls_stay_tight_where_the_chain_hardly_moves(seed: int) -> None:
    """Loops of almost 1 and transitions down to 10^-60: 1 - p(s, s) would have no correct bit."""
    rng, n = Random(seed), 12
    rows = []
    for s in range(n - 2):
        targets = {t: fmpq(rng.randint(1, 9), 10 ** rng.choice([1, 30, 60])) for t in rng.sample(range(n), 3)}
        targets.setdefault(n - 1 - s % 2, fmpq(1, 10**60))
        targets.pop(s, None)
        total = sum(targets.values(), fmpq(0))
        scale = 1 / max(total, fmpq(1)) / 2
        rows.append([(t, p * scale) for t, p in targets.items()] + [(s, 1 - total * scale)])
    rows += [[(s, ONE)] for s in (n - 2, n - 1)]
    transient = set(range(n - 2))
    exact = absorption(rows, transient, {n - 1}, ONE)
    with ctx.workprec(128):
        balls = absorption([[(t, arb(p)) for t, p in row] for row in rows], transient, {n - 1}, arb(1))
        for ball, p in zip(balls, exact, strict=True):
            low, high = ends(ball)
            assert low <= Fraction(int(p.p), int(p.q)) <= high
            assert p == 0 or ball.rel_accuracy_bits() > 110


def test_rows_that_sum_to_1_at_one_point_only() -> None:
    """The chain at a zero of a transition that was removed: right at that eps, though not elsewhere.

    At eps = 1: s loops with 1/2, else to t or the end; t returns to s or goes to the goal.
    """
    eps = ExpPoly.of(1, 1)
    half, one = Quotient.of(fmpq(1, 2)), Quotient.one()
    rows = [
        [(0, half), (1, Quotient(eps) / 4), (3, Quotient(eps * eps) / 4)],
        [(0, half), (2, half * Quotient(eps))],
        [(2, one)],
        [(3, one)],
    ]
    found = absorption(rows, {0, 1}, {2}, one)
    numbers = [[(t, fmpq(p.at(1).as_rational())) for t, p in row] for row in rows]
    assert [p.at(1) for p in found] == absorption(numbers, {0, 1}, {2}, ONE)


def test_no_denominator_vanishes_where_the_graph_stays() -> None:
    """s loops with 1 - eps^2/8 - (eps-1)^2/8: every factor divided by is positive on (0, 2)."""
    eps = ExpPoly.of(1, 1)
    first, second = Quotient(eps * eps) / 8, Quotient((eps - 1) * (eps - 1)) / 8
    one = Quotient.one()
    rows = [[(0, one - first - second), (1, first), (2, second)], [(1, one)], [(2, one)]]
    value = absorption(rows, {0}, {1}, one)[0]
    assert value == first / (first + second)
    assert value.at(1) == 1
    assert all(value.denominator.sign_at(fmpq(i, 8)) > 0 for i in range(1, 16))


def test_what_never_leads_to_the_goal_is_exactly_zero() -> None:
    """States 1 and 2 go round and end in 3; 0 may go either way."""
    half = fmpq(1, 2)
    rows = [[(1, half), (4, half)], [(2, ONE)], [(1, half), (3, half)], [(3, ONE)], [(4, ONE)]]
    assert absorption(rows, {0, 1, 2}, {4}, ONE) == [half, 0, 0, 0, 1]
    assert absorption(rows, {0, 1, 2}, {3}, ONE) == [half, 1, 1, 1, 0]


Z = Quotient(ExpPoly.exp(1))
# the sums are the denominators
WEIGHTS: list[list[Quotient]] = [[Z, Quotient.one()], [Quotient.of(2), Z], [Quotient.of(3), Quotient.of(7)]]


def acyclic_rows(rng: Random, kinds: list[list[Quotient]], n: int = 14) -> list[list[tuple[int, Quotient]]]:
    """Edges to states of higher numbers, near and far; some are sure, the last two states stay."""
    rows = []
    for s in range(n - 2):
        targets = rng.sample(range(s + 1, min(s + rng.choice([3, 12]), n)), rng.choice([1, 2, 2]))
        weights = rng.sample(rng.choice(kinds), len(targets))
        rows.append([(t, w / sum(weights, Quotient.of(0))) for t, w in zip(targets, weights, strict=True)])
    return [*rows, *([(s, Quotient.one())] for s in (n - 2, n - 1))]


def fast_rows(rows: Rows[Quotient]) -> tuple[list[list[tuple[int, Ratio]]], Ratio]:
    ratios = in_one_ring([Quotient.one(), *(p for row in rows for _, p in row)], 1)
    return [[(t, ratios[p]) for t, p in row] for row in rows], ratios[Quotient.one()]


@pytest.mark.parametrize("seed", range(60))
def test_powers_of_one_denominator_give_the_functions_of_eps(seed: int) -> None:
    """Against the sums over all paths, and in the form that ratios have."""
    rng = Random(seed)
    symbolic = acyclic_rows(rng, rng.sample(WEIGHTS, 1 + seed % 2))
    everything, goal = set(range(14)), rng.choice([12, 13])
    never, surely = never_and_surely(symbolic, everything, {goal})
    rows, one = fast_rows(symbolic)
    expected = [Quotient.of(0)] * 14
    expected[goal] = Quotient.one()
    for s in reversed(range(12)):
        expected[s] = sum((p * expected[t] for t, p in symbolic[s]), Quotient.of(0))
    for end, values in ((surely, expected), (never, [1 - value for value in expected])):
        found = acyclic(rows, everything - never - surely, end, one)
        assert found is not None
        assert [value.quotient(1) for value in found] == values
        assert found == absorption(rows, everything - never - surely, end, one)


def test_cycles_and_many_denominators_are_left_to_elimination() -> None:
    rows, one = fast_rows(acyclic_rows(Random(0), [*WEIGHTS, [3 * Z, Quotient.one()]]))
    assert acyclic(rows, set(range(12)), {13}, one) is None
    rows, one = fast_rows([[(1, Z / (Z + 1)), (2, 1 / (Z + 1))], [(1, Z / Z)], [(0, Z / Z)], [(3, Z / Z)]])
    assert acyclic(rows, {0, 1}, {2}, one) is None
    assert acyclic(rows, {0, 2}, {1}, one) is None
    primes = [fmpq(1, p) for p in (4294967291, 4294967279, 4294967231)]
    rows, one = fast_rows([[(s + 1, Quotient.of(p)), (4, Quotient.of(1 - p))] for s, p in enumerate(primes)])
    assert acyclic([*rows, [(3, one)], [(4, one)]], {0, 1, 2}, {3}, one) is None
