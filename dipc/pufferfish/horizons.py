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
from functools import partial
from itertools import islice

from flint import fmpq

from dipc.errors import LimitReached, Unsupported
from dipc.models.mixtures import Claim
from dipc.pufferfish import finite, pumps
from dipc.pufferfish.beliefs import (
    NONE,
    Above,
    Belief,
    Exploration,
    Extreme,
    Ratio,
    exceeds,
    explored,
    greatest,
    quotient,
)
from dipc.pufferfish.cone import closed_cone
from dipc.pufferfish.problem import Constant, least
from dipc.pufferfish.pumps import Growth
from dipc.pufferfish.rational import Rational
from dipc.pufferfish.verdict import Budget, Private, PufferfishVerdict, Pump, Undecided

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


@dataclass(frozen=True, slots=True)
class _Found:
    """The greatest quotient found; no horizon has a greater one than ``high``."""

    best: Extreme
    high: Ratio


def check(problem: Rational, claim: Claim) -> PufferfishVerdict:
    """Decide a claim for every horizon, or tell what is known.  Raises :class:`LimitReached`."""
    return _check_additive(problem, claim) if claim.delta else _check(problem, claim)


def _check(problem: Rational, claim: Claim) -> PufferfishVerdict:
    constant = Constant(claim)
    if growth := pumps.find(problem.steps, problem.sides, problem.clock):
        words = _pumped(problem, growth, constant.is_below)
        return problem.violated(claim, growth.pair, [words], _pump(problem, growth))
    found = _search(problem, lambda ratio, best: constant.is_below(ratio), constant.is_below)
    if constant.is_below(found.best.ratio):
        return problem.violated(claim, found.best.pair, [found.best.word])
    if not constant.is_below(found.high):
        return Private(**problem.common)
    return Undecided(**problem.common, reason=OPEN, least=least(found.best.ratio, found.high))


def _check_additive(problem: Rational, claim: Claim) -> PufferfishVerdict:
    if (found := finite.violation(problem, claim, ADDITIVE)) is not None:
        return found
    # whether no horizon can exceed delta may be known after a few observations
    searches = [finite.excesses(problem, number, Constant(claim)) for number in range(len(problem.pairs))]
    if not any(finite.violates([*islice(search, ADDITIVE)][-1].most, claim) for search in searches):
        return Private(**problem.common)
    stricter = _check(problem, replace(claim, delta=fmpq(0)))
    return stricter if isinstance(stricter, Private) else Undecided(**problem.common, reason=OPEN)


def budget(problem: Rational, delta: fmpq) -> Budget:
    """The least c of every horizon, or an enclosure."""
    if delta:
        hint = "`check` decides claims; for a number of observations the least c is found, too"
        raise Unsupported("the least c of every horizon with delta > 0", hint=hint)
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
        return finite.known(problem, None, problem.spoken(growth.pair, [words], _pump(problem, growth)))
    found = _search(problem, lambda ratio, best: exceeds(ratio, best.ratio), lambda ratio: ratio is None)
    reached = problem.spoken(found.best.pair, [found.best.word])
    if found.best.ratio == found.high:
        return finite.known(problem, found.high, reached)
    low, high = least(found.best.ratio, found.high)
    reason = OPEN if high is None else ENCLOSED
    return Budget(**problem.common, low=low, high=high, attained=False, reached=reached, reason=reason)


def _search(problem: Rational, above: Above, enough: Callable[[Ratio], bool]) -> _Found:
    """Closure, then finite horizons, then closure over a cone; ``enough`` ends the search."""

    def closure(
        best: Extreme,
        largest: int,
        remember: bool = True,
        bound: Callable[[Belief], Ratio] = lambda belief: belief.bound,
    ) -> _Found:
        """Explore until no belief may be above; the bounds of those that are left are a bound of all."""
        exploration = Exploration(problem.steps, problem.sides, problem.clock, remember)
        best = explored(exploration, best, above, enough, bound, largest=largest)
        return _Found(best, greatest([best.ratio, *map(bound, exploration.frontier)]))

    small = problem.steps.size <= CONE_CELLS
    found = closure(NONE, BRIEFLY if small else CLOSURE)
    if not small or enough(found.best.ratio) or not above(found.high, found.best):
        return found
    best = closure(found.best, DEEPEST, remember=False).best
    cone = None if enough(best.ratio) else closed_cone(problem.steps, problem.clock)
    if cone is None:
        return _Found(best, found.high)
    return closure(best, BRIEFLY, bound=partial(cone.bound, problem.steps))


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
