"""Rational models at a finite horizon: against brute force, the note, and the laws of the note."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from math import inf
from random import Random

import pytest
from campaigns import some, spared
from flint import fmpq
from pufferfish.brute_force import Matrices, evaluated, excess, least
from pufferfish.small_models import (
    above_threshold,
    both,
    geometric,
    question,
    random_question,
)
from rationals import fraction

from dipc.clock import Clock, Limits
from dipc.errors import LimitReached, Unsupported
from dipc.models.mixtures import Claim, Side
from dipc.numbers.parametric import Ring
from dipc.pufferfish import beliefs, pipeline
from dipc.pufferfish.question import NOTHING, Parameters, Question
from dipc.pufferfish.rational import Rational


def c_of(budget):
    return None if budget.infinite else fraction(budget.low)


def check(question: Question, factor, constant=0, delta=0, horizon=None):
    claim = Claim("?", fmpq(factor), fmpq(constant), delta=fmpq(delta))
    horizon = question.horizon if horizon is None else horizon
    return pipeline.check(dataclasses.replace(question, claim=claim, horizon=horizon), Clock())


def budget(question: Question, horizon: int | None = None):
    changed = question if horizon is None else dataclasses.replace(question, horizon=horizon)
    return pipeline.budget(changed, Clock())


def worst(problem: Rational, horizon: int) -> list[beliefs.Extreme]:
    """The greatest quotient of every pair by itself."""
    each = (beliefs.greatest_of(problem.steps, [sides], horizon, Clock()) for sides in problem.sides)
    return [extreme._replace(pair=number) for number, extreme in enumerate(each)]


@pytest.mark.parametrize("seed", spared(range(40), {*range(40)} - {0, 4, 10, 14, 18, 22, 28, 36}))
def test_greatest_quotients_are_those_of_brute_force(seed):
    random = Random(seed)
    asked = random_question(random, random.randint(1, 4), random.randint(1, 3))
    problem = Rational(asked, Clock())
    found = worst(problem, asked.horizon)
    expected = least(asked, asked.horizon)
    assert {e.pair: inf if e.ratio is None else fraction(e.ratio) for e in found} == expected
    matrices = Matrices(asked.model)
    for extreme in found:
        left, right = asked.pairs[extreme.pair]
        word = problem.steps.text(extreme.word)
        p, q = (matrices.probability(matrices.vector(side.weights), word) for side in (left, right))
        assert (p / q if q else inf) == expected[extreme.pair]
        shorter = least(asked, len(word) - 1)[extreme.pair] if len(word) > 1 else -1
        assert shorter < expected[extreme.pair]


@pytest.mark.parametrize("seed", some(range(40), 5))
def test_violations_are_shortest_and_greatest(seed):
    random = Random(seed)
    asked = random_question(random, random.randint(2, 4))
    bound = fmpq(random.randint(4, 12), random.randint(2, 4))
    if bound < 1:
        bound = 1 / bound
    problem = Rational(asked, Clock())
    broken = [k for k in range(1, asked.horizon + 1) if max(least(asked, k).values()) > fraction(bound)]
    found = beliefs.violation(
        problem.steps, problem.sides, asked.horizon, lambda r: r is None or r > bound, Clock()
    )
    assert (len(found.word) if found else None) == (broken[0] if broken else None)
    if found:
        expected = max(least(asked, broken[0]).values())
        assert (inf if found.ratio is None else fraction(found.ratio)) == expected
    verdict = check(asked, bound)
    assert verdict.status == ("violated" if broken else "private") and verdict.pairs == 6
    if broken:
        shown = verdict.counterexample
        p, q = evaluated(asked, shown)
        assert (p, q) == (fraction(shown.probability), fraction(shown.other_probability))
        assert (
            fraction(shown.bound) == fraction(bound) * q and fraction(shown.excess) == p - fraction(bound) * q
        )


def test_the_examples_of_the_note():
    verdict = pipeline.check(geometric(), Clock())
    assert verdict.status == "private" and verdict.pairs == 4 and not verdict.notes
    assert c_of(budget(geometric())) == 2
    violated = check(geometric(), fmpq(19, 10))
    assert violated.counterexample.sequence == ("0",) and violated.counterexample.secret == "n0"
    for queries in range(1, 6):
        assert c_of(budget(above_threshold(2 * queries + 1))) == 2**queries
    eleven = pipeline.check(above_threshold(11), Clock()).counterexample
    p, q = evaluated(above_threshold(11), eleven)
    assert (p, q) == (fraction(eleven.probability), fraction(eleven.other_probability)) and p == 32 * q
    assert len(eleven.sequence) == 11
    assert check(above_threshold(9), 16).status == "private"


@pytest.mark.parametrize("seed", some(range(12), 5))
def test_a_transcendental_claim_is_compared_exactly(seed):
    asked = random_question(Random(seed))
    least_c = max(least(asked, asked.horizon).values())
    for exponent in (fmpq(1, 3), fmpq(343, 250)):
        exp = float(fraction(exponent))
        verdict = check(asked, 1, exponent)
        assert verdict.status == ("violated" if least_c > 2.718281828459045**exp else "private")


def test_a_claim_that_only_high_precision_tells_apart():
    close = fmpq(*((2 * 10**40 + 1), 10**40))
    asked = geometric()
    assert check(asked, 1 / close, 0).status == "violated"
    assert check(asked, close).status == "private"
    assert check(asked, 4 / close).status == "violated"


@pytest.mark.parametrize("seed", some(range(25), 5))
def test_delta(seed):
    random = Random(seed)
    asked = random_question(random, random.randint(1, 3))
    c, delta = fmpq(random.randint(4, 9), 4), fmpq(random.randint(1, 5), 10)
    exact = {i: excess(asked, i, asked.horizon, fraction(c)) for i in range(len(asked.pairs))}
    verdict = check(asked, c, 0, delta)
    assert verdict.status == ("violated" if max(exact.values()) > fraction(delta) else "private")
    if verdict.status == "violated":
        shown = verdict.counterexample
        p, q = evaluated(asked, shown)
        assert (p, q) == (fraction(shown.probability), fraction(shown.other_probability))
        assert p - fraction(c) * q - fraction(delta) == fraction(shown.excess) > 0
    claim = Claim("?", fmpq(1), delta=delta)
    found = pipeline.budget(dataclasses.replace(asked, claim=claim), Clock())
    if found.infinite:
        assert max(excess(asked, i, asked.horizon, Fraction(10**9)) for i in exact) > fraction(delta)
    else:
        low = fraction(found.low)
        assert max(excess(asked, i, asked.horizon, low) for i in exact) <= fraction(delta)
        if low > 1:
            nearly = low - Fraction(1, 10**9)
            assert max(excess(asked, i, asked.horizon, nearly) for i in exact) > fraction(delta)
            p, q = evaluated(asked, found.reached)
            assert p - low * q == fraction(delta)


def test_silence_is_observed():
    rows = {"a": ({"x": 1}, {}), "b": ({"x": 1}, {"b": 1})}
    asked = question(rows, "x", {"a": {"a": "1/2", "b": "1/2"}, "b": {"b": 1}}, both(("a", "b")), 3)
    found = check(asked, 5).counterexample
    assert found.sequence == ("x", "-") and found.infinite_loss
    assert budget(asked, 1).low == 1 and budget(asked, 2).infinite


def test_impossible_secrets_are_not_compared():
    asked = geometric()
    nobody = Side("nobody", "prior", ())
    pairs = tuple(pair._replace(right=nobody) for pair in asked.pairs)
    verdict = pipeline.check(dataclasses.replace(asked, pairs=pairs), Clock())
    assert verdict.status == "private" and verdict.pairs == 0
    assert verdict.notes == (
        "nobody has probability 0 under the prior prior: its pairs are not compared",
        NOTHING,
    )


def test_parameters_and_limits():
    parametric = dataclasses.replace(geometric(), parameters=Parameters(Ring(("p",))))
    with pytest.raises(Unsupported, match="p"):
        Rational(parametric, Clock())
    asked = dataclasses.replace(above_threshold(11), horizon=11)
    undecided = pipeline.check(asked, Clock(Limits(0)))
    assert undecided.status == "undecided" and undecided.least.low == 1 and undecided.least.high is None
    with pytest.raises(LimitReached):
        pipeline.budget(asked, Clock(Limits(0)))


# --- laws ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", some(range(15), 5))
def test_the_least_constant_grows_with_the_horizon_and_decides_claims(seed):
    asked = random_question(Random(seed))
    found = [c_of(budget(asked, k)) for k in range(1, 6)]
    sizes = [inf if c is None else c for c in found]
    assert sizes == sorted(sizes)
    for k, c in enumerate(found, 1):
        if c is not None:
            tight = fmpq(c.numerator, c.denominator)
            assert check(asked, tight, horizon=k).status == "private"
            if c > 1:
                assert check(asked, (tight + 1) / 2, horizon=k).status == "violated"
