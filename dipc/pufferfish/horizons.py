"""Every horizon at once (``--horizon any``).

Undecidable in general, even for one c and no parameters: it contains the emptiness of
probabilistic automata.
Three exact proofs are tried, in this order: a pump (no c is enough), closure (no belief is left to explore),
and closure over a cone of futures; in between, finite horizons look for a violation.  Else the answer is
undecided, with an enclosure of the least c.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice

from flint import fmpq

from dipc.errors import LimitReached, Unsupported
from dipc.pufferfish import finite, pumps
from dipc.pufferfish.beliefs import (
    NONE,
    Belief,
    Exploration,
    Extreme,
    Ratio,
    exceeds,
    greatest,
    improved,
    quotient,
)
from dipc.pufferfish.cone import closed_cone
from dipc.pufferfish.pumps import Growth
from dipc.pufferfish.question import Claim
from dipc.pufferfish.rational import Constant, Rational, least
from dipc.pufferfish.verdict import Budget, Private, PufferfishVerdict, Pump, Undecided, Violated

CLOSURE = 3000
"""So many beliefs are explored in the hope that none is left."""

BRIEFLY = 100
"""So many are explored if a cone can be tried next, and so many over the cone."""

CONE_CELLS = 8
"""A cone is sought for so many states at most."""

DEEPEST = 400
"""So many are explored to find a low bound: without memory, longer words are reached."""

LONGEST_PUMP = 20_000
"""The longest sequence that is shown of a pump."""

ADDITIVE = 12
"""So many observations are followed if delta > 0."""

OPEN = "no proof for every horizon was found"
ENCLOSED = "the upper end is proved for every horizon; longer sequences may exceed the lower end"

Above = Callable[[Ratio, Extreme], bool]
"""Whether a quotient is too great, given the greatest one so far."""


@dataclass(frozen=True, slots=True)
class _Found:
    """The greatest quotient found; no horizon has a greater one than ``high``."""

    best: Extreme
    high: Ratio


def check(problem: Rational, claim: Claim) -> PufferfishVerdict:
    """Decide a claim for every horizon, or tell what is known."""
    try:
        return _check_additive(problem, claim) if claim.delta else _check(problem, claim)
    except LimitReached as limit:
        return problem.unsettled(claim, f"{limit} ({problem.clock.doing})")


def _check(problem: Rational, claim: Claim) -> PufferfishVerdict:
    constant = Constant(claim)
    if growth := pumps.find(problem.steps, problem.sides, problem.clock):
        words = _pumped(problem, growth, constant.is_below)
        shown = problem.counterexample(growth.pair, [words], claim, _pump(problem, growth))
        return Violated(**problem.common, counterexample=shown)
    found = _search(problem, lambda ratio, best: constant.is_below(ratio), constant.is_below)
    if constant.is_below(found.best.ratio):
        shown = problem.counterexample(found.best.pair, [found.best.word], claim)
        return Violated(**problem.common, counterexample=shown)
    if not constant.is_below(found.high):
        return Private(**problem.common)
    return Undecided(**problem.common, reason=OPEN, least=least(found.best.ratio, found.high))


def _check_additive(problem: Rational, claim: Claim) -> PufferfishVerdict:
    if shown := finite.violation(problem, claim, ADDITIVE):
        return Violated(**problem.common, counterexample=shown)
    # whether no horizon can exceed delta may be known after a few observations
    searches = [finite.excesses(problem, number, Constant(claim)) for number in range(len(problem.pairs))]
    if not any(finite.violates([*islice(search, ADDITIVE)][-1].most, claim) for search in searches):
        return Private(**problem.common)
    stricter = _check(problem, replace(claim, delta=fmpq(0)))
    return stricter if isinstance(stricter, Private) else Undecided(**problem.common, reason=OPEN)


def budget(problem: Rational, delta: fmpq) -> Budget:
    """The least c of every horizon, or an enclosure."""
    if delta:
        raise Unsupported("the least c of every horizon with delta > 0")
    if not problem.pairs:
        return finite.budget(problem, 1)
    try:
        return _budget(problem)
    except LimitReached as limit:
        low, high = problem.enclosure()
        reason = f"{limit} ({problem.clock.doing})"
        return Budget(**problem.common, low=low, high=high, attained=False, reason=reason)


def _budget(problem: Rational) -> Budget:
    if growth := pumps.find(problem.steps, problem.sides, problem.clock):
        words = _pumped(problem, growth, lambda ratio: exceeds(ratio, fmpq(1)))
        return finite.known(problem, None, problem.reached(growth.pair, [words], _pump(problem, growth)))
    found = _search(problem, lambda ratio, best: exceeds(ratio, best.ratio), lambda ratio: ratio is None)
    reached = problem.reached(found.best.pair, [found.best.word])
    if found.best.ratio == found.high:
        return finite.known(problem, found.high, reached)
    low, high = least(found.best.ratio, found.high)
    reason = OPEN if high is None else ENCLOSED
    return Budget(**problem.common, low=low, high=high, attained=False, reached=reached, reason=reason)


def _search(problem: Rational, above: Above, enough: Callable[[Ratio], bool]) -> _Found:
    """Closure, then finite horizons, then closure over a cone; ``enough`` ends the search."""
    small = problem.steps.size <= CONE_CELLS
    most = BRIEFLY if small else CLOSURE
    found = _closure(problem, NONE, lambda belief: belief.bound, above, enough, most)
    if not small:
        return found
    if enough(found.best.ratio) or not above(found.high, found.best):
        return found
    best = _closure(
        problem, found.best, lambda belief: belief.bound, above, enough, DEEPEST, remember=False
    ).best
    if enough(best.ratio):
        return _Found(best, found.high)
    cone = closed_cone(problem.steps, problem.clock)
    if cone is None:
        return _Found(best, found.high)
    return _closure(problem, best, lambda belief: cone.bound(problem.steps, belief), above, enough, BRIEFLY)


def _closure(
    problem: Rational,
    best: Extreme,
    bound: Callable[[Belief], Ratio],
    above: Above,
    enough: Callable[[Ratio], bool],
    largest: int,
    remember: bool = True,
) -> _Found:
    """Explore until no belief may be above; the bounds of those that are left are a bound of all."""
    exploration = Exploration(problem.steps, problem.sides, problem.clock, remember)

    def is_open(belief: Belief) -> bool:
        return above(bound(belief), best)

    while exploration.frontier and exploration.explored < largest and not enough(best.ratio):
        level = exploration.level()
        best = improved(best, level)
        exploration.keep(level, is_open)
    return _Found(best, greatest([best.ratio, *map(bound, exploration.frontier)]))


def _pump(problem: Rational, growth: Growth) -> Pump:
    text = problem.steps.text
    exact = pumps.is_exact(problem.steps, problem.sides[growth.pair], growth)
    return Pump(text(growth.prefix), text(growth.word), growth.growth, growth.other_growth, exact)


def _pumped(problem: Rational, growth: Growth, enough: Callable[[Ratio], bool]) -> tuple[int, ...]:
    """The prefix and as many repetitions as it takes."""
    word, steps = growth.prefix, problem.steps
    left, right = (steps.after(side, word) for side in problem.sides[growth.pair])
    while not enough(quotient(sum(left.values(), fmpq(0)), sum(right.values(), fmpq(0)))):
        if len(word) > LONGEST_PUMP:
            raise LimitReached(f"more than {LONGEST_PUMP} observations")
        problem.clock.tick("pump", len(word))
        word = (*word, *growth.word)
        left, right = (steps.after(side, growth.word) for side in (left, right))
    return word
