"""Every horizon: the proofs are checked by multiplication, and never contradict a finite horizon."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from itertools import pairwise
from math import inf
from random import Random

import pytest
from campaigns import some, spared
from flint import fmpq
from pufferfish.brute_force import Matrices, evaluated, excess, least
from pufferfish.small_models import (
    both,
    geometric,
    mixing_chain,
    noisy_chain,
    question,
    random_question,
)
from rationals import fraction

from dipc.clock import Clock
from dipc.models.mixtures import Claim
from dipc.models.simplex import combination, greatest_ratio
from dipc.pufferfish import pipeline, pumps
from dipc.pufferfish.cone import closed_cone, matrices
from dipc.pufferfish.rational import Rational


def anywhere(asked, factor=None, delta=0):
    claim = None if factor is None else Claim("?", fmpq(factor), delta=fmpq(delta))
    return dataclasses.replace(asked, horizon=None, claim=claim)


def check(asked, factor, delta=0, clock=None):
    return pipeline.check(anywhere(asked, factor, delta), clock or Clock())


def budget(asked):
    return pipeline.budget(anywhere(asked), Clock())


def low_and_high(found):
    return fraction(found.low), inf if found.high is None else fraction(found.high)


def test_the_table_of_the_note():
    found = budget(geometric())
    assert found.exact and found.low == 2 and found.attained and found.reached.sequence == ("0",)
    loops = budget(geometric(loops=True))
    assert loops.infinite and loops.reached.pump == (("0",), ("0",), fmpq(2, 3), fmpq(1, 3), True)
    low, high = low_and_high(budget(noisy_chain(None)))
    assert 5.7 < low <= high < low + Fraction(1, 10**6)
    low, high = low_and_high(budget(mixing_chain(None)))
    assert low <= high < low * Fraction(1001, 1000)


@pytest.mark.parametrize("seed", spared(range(30), {*range(30)} - {1, 3, 5, 8, 10, 13, 18, 22, 28}))
def test_no_answer_contradicts_a_finite_horizon(seed):
    random = Random(seed)
    asked = random_question(random, random.randint(1, 3), 2, stops=random.choice((0, 0.3)))
    finite = max(least(asked, 5).values())
    found = budget(asked)
    if found.infinite:
        shown = found.reached
        assert shown.infinite_loss
        ratio = Fraction(*pumped_ratio(asked, shown)) if shown.pump else inf
        assert ratio > 1000
    else:
        low, high = low_and_high(found)
        assert finite <= low <= high
        p, q = evaluated(asked, found.reached)
        assert p == low * q
    for c in (fmpq(5, 4), fmpq(2), fmpq(7)):
        verdict = check(asked, c)
        if verdict.status == "private":
            assert finite <= fraction(c)
        elif verdict.status == "violated":
            p, q = evaluated(asked, verdict.counterexample)
            assert p > fraction(c) * q
        else:
            assert verdict.reason and fraction(verdict.least.low) <= fraction(c)
            assert finite <= fraction(c) and (
                verdict.least.high is None or verdict.least.high.as_rational() > c
            )


def pumped_ratio(asked, shown):
    """The quotient after so many repetitions that its growth shows; the period of a loop may delay it."""
    matrices = Matrices(asked.model)
    sides = {side.name: matrices.vector(side.weights) for pair in asked.pairs for side in pair}
    best = Fraction(0)
    for times in range(1, 2000):
        word = (*shown.pump.prefix, *shown.pump.word * (times * times))
        p, q = (matrices.probability(sides[name], word) for name in (shown.secret, shown.against))
        if not q and p:
            return 10**9, 1
        best = max(best, p / q if q else Fraction(0))
        if best > 1000:
            break
    return best.numerator, best.denominator


@pytest.mark.parametrize("model", [noisy_chain, mixing_chain])
def test_a_cone_is_closed_by_multiplication(model):
    steps = Rational(model(None), Clock()).steps
    cone = closed_cone(steps, Clock())
    assert cone is not None and all(d >= 1 for d in cone.bounds.values())
    for rows in matrices(steps):
        for (u, v), d in cone.bounds.items():
            ratio, multipliers = cone.ratio(rows[u], rows[v])
            assert ratio <= d and all(y >= 0 for y in multipliers)
            for s in range(steps.size):
                proved = ratio * rows[v].get(s, 0) + sum(
                    (y * h[s] for y, h in zip(multipliers, cone.generators, strict=True)), fmpq(0)
                )
                assert proved >= rows[u].get(s, 0)


@pytest.mark.parametrize("seed", some(range(25), 5))
def test_the_vectors_of_a_pump_prove_its_growth(seed):
    """x A >= lambda x and A y <= mu y, on the states that y has, for the product A of full matrices."""
    problem = Rational(random_question(Random(seed), 3, 2, stops=0), Clock())
    found, n = pumps.find(problem.steps, problem.sides, problem.clock), problem.steps.size
    if found is None:
        return
    product_of = [[fmpq(s == t) for t in range(n)] for s in range(n)]
    for o in found.word:
        rows = matrices(problem.steps)[o]
        product_of = [
            [sum(row[s] * rows[s].get(t, 0) for s in range(n)) for t in range(n)] for row in product_of
        ]
    x, y = ([vector.get(s, fmpq(0)) for s in range(n)] for vector in (found.x, found.y))
    assert any(x) and min(found.x.values()) > 0 and min(found.y.values()) > 0
    for s in range(n):
        assert sum(x[t] * product_of[t][s] for t in range(n)) >= found.growth * x[s]
        if s in found.y:
            assert sum(product_of[s][t] * y[t] for t in range(n)) <= found.other_growth * y[s]
            assert all(t in found.y for t in range(n) if product_of[s][t])


@pytest.mark.parametrize("seed", some(range(25), 5))
def test_whether_a_pump_is_exact(seed):
    """A long way is compared, repetition by repetition; three states that never change are often exact."""
    random = Random(seed)
    chances = [fmpq(random.randint(1, 3), 4) for _ in "xyz"]
    rows = {s: ({"a": p, "b": 1 - p}, {s: 1}) for s, p in zip("xyz", chances, strict=True)}
    sides = {"left": {"x": "1/2", "y": "1/2"}, "right": {"z": 1}}
    asked = question(rows, "ab", sides, [("left", "right")], None)
    problem = Rational(asked, Clock())
    found = pumps.find(problem.steps, problem.sides, problem.clock)
    if found is None:
        return
    matrix = Matrices(asked.model)
    sides = [matrix.vector(side.weights) for side in asked.pairs[found.pair]]
    prefix, word = problem.steps.text(found.prefix), problem.steps.text(found.word)
    masses = [[matrix.probability(side, prefix + word * n) for n in range(12)] for side in sides]
    ratios = [p / q for p, q in zip(*masses, strict=True)]
    factors = {after / before for before, after in pairwise(ratios)}
    exact = factors == {fraction(found.growth) / fraction(found.other_growth)}
    assert pumps.is_exact(problem.steps, problem.sides[found.pair], found) == exact


def test_delta_at_every_horizon():
    assert check(geometric(), 2, fmpq(1, 100)).status == "private"
    assert check(geometric(), 1, fmpq(1, 3)).status == "private"
    assert check(geometric(), 1, fmpq(1, 4)).status == "violated"
    assert check(geometric(loops=True), 2, fmpq(1, 4)).status == "violated"
    assert check(noisy_chain(None), 6, fmpq(1, 10**9)).status == "private"  # as with delta = 0
    assert check(noisy_chain(None), 5, fmpq(1, 10**9)).status == "violated"


@pytest.mark.parametrize("seed", some(range(20), 4))
def test_delta_agrees_with_finite_horizons(seed):
    random = Random(seed)
    asked = random_question(random, random.randint(2, 3))
    c, delta = fmpq(random.randint(4, 9), 4), fmpq(random.randint(1, 5), 10)
    verdict = check(asked, c, delta)
    exact = max(excess(asked, i, 5, fraction(c)) for i in range(len(asked.pairs)))
    if verdict.status == "private":
        assert exact <= fraction(delta)
    elif verdict.status == "violated":
        p, q = evaluated(asked, verdict.counterexample)
        assert p - fraction(c) * q > fraction(delta)
    else:
        assert exact <= fraction(delta)


def test_beliefs_that_return_are_closed():
    """An observation that tells the state: finitely many beliefs, but no state stops."""
    rows = {"a": ({"x": 1}, {"a": "1/2", "b": "1/2"}), "b": ({"y": 1}, {"a": "1/3", "b": "2/3"})}
    sides = {"d": {"a": "1/4", "b": "3/4"}, "e": {"a": "1/2", "b": "1/2"}}
    found = budget(question(rows, "xy", sides, both(("d", "e")), None))
    assert found.exact and found.low == 2 and found.attained


# --- linear programs -----------------------------------------------------------------------------------


def test_membership_in_a_cone():
    one, zero = fmpq(1), fmpq(0)
    assert combination([[one, zero], [one, one]], [fmpq(3), fmpq(2)]) == (1, 2)
    assert combination([[one, zero], [one, one]], [fmpq(1), fmpq(2)]) is None
    assert greatest_ratio([one, zero], [zero, one], []) is None
    assert greatest_ratio([one, zero], [zero, one], [[one, fmpq(-3)]]) == (3, (1,))
