"""A finite horizon, rational numbers: both questions are always decided (within the limits)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from flint import fmpq

from dipc.models.mixtures import Claim
from dipc.numbers.quotient import Quotient
from dipc.pufferfish import additive, beliefs
from dipc.pufferfish.additive import Excess, Mass
from dipc.pufferfish.beliefs import ONE, ZERO, Ratio, exceeds
from dipc.pufferfish.problem import Constant
from dipc.pufferfish.rational import Rational
from dipc.pufferfish.verdict import Budget, Private, PufferfishVerdict, Reached, Violated


def check(problem: Rational, claim: Claim, horizon: int) -> PufferfishVerdict:
    """Decide a claim.  Raises :class:`LimitReached`."""
    found = violation(problem, claim, horizon)
    return Private(**problem.common) if found is None else found


def violation(problem: Rational, claim: Claim, horizon: int) -> Violated | None:
    """A shortest violation, the greatest among these, or None."""
    if claim.delta:
        return _additive_violation(problem, claim, horizon)
    is_below = Constant(claim).is_below
    found = beliefs.violation(problem.steps, problem.sides, horizon, is_below, problem.clock)
    return found and problem.violated(claim, found.pair, [found.word])


def _additive_violation(problem: Rational, claim: Claim, horizon: int) -> Violated | None:
    best: tuple[int, Excess] | None = None
    for number in range(len(problem.pairs)):
        until = best[1].depth - 1 if best else horizon
        for excess in islice(excesses(problem, number, Constant(claim)), until):
            if violates(excess.total, claim):
                best = number, excess
                break
            if not violates(excess.most, claim):
                break
    if not best:
        return None
    words, _ = best[1].words(lambda mass: violates(mass, claim))
    return problem.violated(claim, best[0], words)


def excesses(problem: Rational, number: int, constant: Constant) -> Iterator[Excess]:
    """The sums of a pair at the horizons 1, 2, ..."""
    return additive.excesses(problem.steps, problem.sides[number], constant.compare, problem.clock)


def violates(mass: Mass, claim: Claim) -> bool:
    """Whether these words have too much probability on the left."""
    return bool((claim.c * -mass.right + mass.left - claim.delta).sign_at(ZERO) > 0)


def budget(problem: Rational, horizon: int, delta: fmpq = ZERO) -> Budget:
    """The least c (>= 1), exactly; it is attained."""
    if not problem.pairs:
        return known(problem, ONE, None)
    if delta:
        return _additive_budget(problem, horizon, delta)
    best = beliefs.greatest_of(problem.steps, problem.sides, horizon, problem.clock)
    return known(problem, best.ratio, problem.spoken(best.pair, [best.word]))


def _additive_budget(problem: Rational, horizon: int, delta: fmpq) -> Budget:
    best: tuple[Ratio, int, Excess] | None = None
    for number, sides in enumerate(problem.sides):
        c, excess = additive.least_constant(problem.steps, sides, horizon, delta, problem.clock)
        if best is None or exceeds(c, best[0]):
            best = c, number, excess
    assert best is not None
    words, _ = best[2].words(lambda mass: False)
    return known(problem, best[0], problem.spoken(best[1], words) if words else None)


def known(problem: Rational, c: Ratio, reached: Reached | None) -> Budget:
    """A least c that is known exactly."""
    exact = None if c is None else Quotient.of(max(c, ONE))
    return Budget(**problem.common, low=exact, high=exact, reached=reached)
