"""The least c of a class of parameters: the supremum of below / above over all inequalities and points.

A quotient at a point of the class, or of its closure if ``above`` is not 0 there, is a bound from below;
a c that is proved is one from above.  Corners, centres of faces and, for one parameter, rational critical
points are tried first: the greatest quotient among them is the answer if it is proved.  Otherwise each
inequality that still fails is bisected by decisions, of which every witness is a new quotient, to 10 digits;
a simple rational of the interval is tried each time, as the exact answer may be one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from flint import fmpq

from dipc.clock import Clock
from dipc.errors import Unsupported
from dipc.models.mixtures import Claim
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.beliefs import ONE, ZERO, exceeds, quotient
from dipc.pufferfish.classes import squarefree
from dipc.pufferfish.clearing import Cleared, Inequality, probabilities
from dipc.pufferfish.parameters import DEPTH_OF_ANY, limits, on_line, proved
from dipc.pufferfish.question import Question
from dipc.pufferfish.verdict import Budget, Reached
from dipc.signs.boxes import HALF, Fails, Holds, Point, Unclear, isolated_roots
from dipc.signs.eps_range import simplest_between

DIGITS = fmpq(1, 10**11)
DOUBLINGS = 40


@dataclass(frozen=True, slots=True)
class Supremum:
    """In [low, high], None is infinity; ``low`` is the quotient of ``f`` at ``point`` of the closed cube."""

    low: fmpq | None
    high: fmpq | None
    f: Inequality
    point: Point
    reason: str = ""
    attained: bool = False


def budget_with_parameters(question: Question, clock: Clock) -> Budget:
    """The least c for which a question is private for every value of its parameters.

    Raises :class:`InputError` and :class:`LimitReached`.
    """
    if question.claim and question.claim.delta:
        hint = "`check` decides claims; with `--fix p=1/2` for every parameter the least c is found, too"
        raise Unsupported("the least c of a class of parameters with delta > 0", hint=hint)
    problem, horizon = Cleared(question, clock), question.horizon
    levels = problem.levels()
    found = [f for level in islice(levels, horizon or DEPTH_OF_ANY) for f in level]
    if not found:
        return Budget(**problem.common, low=Quotient.of(ONE), high=Quotient.of(ONE))
    best = supremum(problem, found)
    if horizon is None and best.low is not None and next(levels, None) is not None:
        best = replace(
            best, high=None, reason=f"for {DEPTH_OF_ANY} observations; longer ones are not settled"
        )
    return _budget(problem, best)


def _budget(problem: Cleared, best: Supremum) -> Budget:
    low, high = (None if c is None else Quotient.of(max(c, ONE)) for c in (best.low, best.high))
    inside = best.attained or _is_attained(problem, best)
    return Budget(
        **problem.common,
        low=low,
        high=high,
        attained=inside and best.low == best.high,
        reached=_reached(problem, best.f, best.point, best.low),
        approached="" if inside else approached(problem, best.f, best.point),
        everywhere=inside and is_everywhere(problem, best.f),
        reason=best.reason,
    )


def _is_attained(problem: Cleared, best: Supremum) -> bool:
    """Whether the point is in the class, both sides are possible there, and have this quotient."""
    found = problem.numbers(best.f, best.point) if problem.family.contains(best.point) else None
    return found is not None and quotient(*found) == best.low


def supremum(problem: Cleared, inequalities: Sequence[Inequality]) -> Supremum:
    """The greatest of all: the first that is attained, or else the first."""
    best = Supremum(ZERO, ZERO, inequalities[0], problem.family.anchor or ())
    inside = False
    for f in inequalities:
        for ratio, point in limits(problem, f):
            greater = exceeds(ratio, best.low)
            if greater or (ratio == best.low and not inside):
                other = Supremum(ratio, ratio, f, point)
                inside = _is_attained(problem, other)
                best = other if greater or inside else best
    if best.low is None:
        return best
    best = replace(best, point=_freed(problem, best.f, best.point))
    for f in inequalities:
        best = _improved(problem, f, best)
    return best


def _freed(problem: Cleared, f: Inequality, point: Point) -> Point:
    """The point with every coordinate in the middle that the quotient does not depend on."""
    ratio = f.above(*point) and quotient(f.below(*point), f.above(*point))
    for axis in range(len(point) if ratio else 0):
        moved = (*point[:axis], HALF, *point[axis + 1 :])
        same = quotient(f.below(*moved), f.above(*moved)) == ratio
        if same and all(g(*moved) > 0 for g in problem.family.conditions):
            point = moved
    return point


def _improved(problem: Cleared, f: Inequality, best: Supremum) -> Supremum:
    """The best so far, or an enclosure of the supremum of f where it is greater."""
    if best.low is None:
        return best
    match problem.decide(Claim("", best.low), f):
        case Holds():
            return best
        case Fails(point):
            return _joined(best, _bisected(problem, f, point))
        case Unclear():
            high = proved(problem, f, 2 * best.low, DOUBLINGS)
            return _joined(best, Supremum(ZERO, high, f, best.point, _unsettled(problem, f)))


def _joined(best: Supremum, other: Supremum) -> Supremum:
    """The greater of two, with what is known from above about both."""
    if best.low is None or other.low is None:
        return best if best.low is None else other
    first, second = (best, other) if other.low <= best.low else (other, best)
    high = None if first.high is None or second.high is None else max(first.high, second.high)
    return replace(first, high=high, reason=first.reason or second.reason)


def _bisected(problem: Cleared, f: Inequality, point: Point) -> Supremum:
    """The supremum of f, which is greater than its quotient at a point of the class or equal."""
    low = quotient(f.below(*point), f.above(*point))
    if low is None:
        return Supremum(None, None, f, point)
    high, reason = proved(problem, f, 2 * low, DOUBLINGS), ""
    while high is not None and high - low > low * DIGITS:
        middle = simplest_between((3 * low + high) / 4, (low + 3 * high) / 4)
        match problem.decide(Claim("", middle), f):
            case Holds():
                high = middle
                if _is_reached(problem, f, middle):
                    return Supremum(middle, middle, f, point, attained=True)
            case Fails(point):
                low = max(low, quotient(f.below(*point), f.above(*point)) or middle)
            case Unclear():
                reason = _unsettled(problem, f)
                break
    # In one parameter the ends were tried before: the supremum, which is greater, is reached between them.
    attained = f.only_axis is not None and not problem.family.conditions
    return Supremum(low, high, f, point, reason or ("" if high else _unsettled(problem, f)), attained)


def _unsettled(problem: Cleared, f: Inequality) -> str:
    return f"the sequence {' '.join(problem.steps.text(f.words[0]))} is not settled"


def _is_reached(problem: Cleared, f: Inequality, c: fmpq) -> bool:
    """One parameter: whether c is the quotient at some point between the ends, which may be irrational."""
    if problem.family.conditions or f.only_axis is None:
        return False
    _, above, below = on_line(f, f.only_axis, (HALF,) * (f.above.context().nvars() - 1))
    return any(high > 0 and low < 1 for low, high in isolated_roots(squarefree([c * above - below])))


def _reached(problem: Cleared, f: Inequality, point: Point, c: fmpq | None) -> Reached | None:
    """The probabilities of the sequence at a point of the closed cube: limits on the way from the centre.

    None if their quotient is not c: at such a point the limits on other ways are different.
    """
    ((_, *found),) = probabilities(problem.question.model, problem.pairs[f.pair], f.words, lambda p: p)
    left, right = (problem.family.limit(p, point) for p in found)
    if not left or quotient(left, right) != c:
        return None
    both = Quotient.of(left), Quotient.of(right)
    return problem.reached(f.pair, f.words, both, problem.family.values(point))


def approached(problem: Cleared, f: Inequality, point: Point) -> str:
    """Where the parameters go, in words: ``pA -> 0, pB, pC -> 1``.

    Those that the quotient does not depend on there are left out, unless they are at an end.
    """
    goals: dict[fmpq, list[str]] = {}
    values, axes = problem.family.values(point), problem.question.parameters.free_axes
    for axis in axes:
        others = {other: point[other] for other in axes if other != axis}
        if point[axis] in (ZERO, ONE) or _depends(f, axis, others):
            name = problem.question.parameters.names[axis]
            goals.setdefault(values[name], []).append(name)
    return ", ".join(f"{', '.join(names)} -> {value}" for value, names in goals.items())


def is_everywhere(problem: Cleared, f: Inequality) -> bool:
    """Whether the quotient is the same for all parameters."""
    return not any(_depends(f, axis, {}) for axis in problem.question.parameters.free_axes)


def _depends(f: Inequality, axis: int, fixed: Mapping[int, fmpq]) -> bool:
    """Whether below/above depends on a coordinate where some others are fixed, or is 0/0 there."""
    context = f.above.context()
    images = [context.constant(fixed[i]) if i in fixed else x for i, x in enumerate(context.gens())]
    above, below = (g.compose(*images) for g in (f.above, f.below))
    slope = below.derivative(axis) * above - below * above.derivative(axis)
    return bool(slope) or not (above or below)
