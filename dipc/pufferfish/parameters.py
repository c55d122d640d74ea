"""Claims about models with parameters: decided for the whole class, the shortest sequences first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import NamedTuple

from flint import fmpq, fmpq_mpoly

from dipc.models.mixtures import Claim
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.beliefs import ONE, ZERO, quotient
from dipc.pufferfish.classes import ParameterClass, restricted
from dipc.pufferfish.clearing import BITS, Cleared, Inequality
from dipc.pufferfish.problem import Constant
from dipc.pufferfish.verdict import Least, Private, PufferfishVerdict, Undecided, Violated
from dipc.signs.boxes import HALF, Fails, Holds, Point, Unclear

DEPTH_OF_ANY = 8
"""So many observations are tried for "any" horizon, unless before that everything stops or is settled."""

LONGER = f"private for {DEPTH_OF_ANY} observations; longer sequences are not settled"

MOST_LINES = 1000
MOST_CORNERS = 100

TRIED = 4
"""So many times a bound is doubled in search for one that is proved."""


def decided(problem: Cleared, claim: Claim) -> PufferfishVerdict:
    """Decide a claim with delta = 0."""
    horizon, doubts = problem.question.horizon, list[_Doubt]()
    levels = problem.levels(claim)
    for level in islice(levels, horizon or DEPTH_OF_ANY):
        found, more = _violation(problem, claim, level)
        if found:
            return Violated(**problem.common, counterexample=problem.counterexample(claim, *found))
        doubts += more
    if horizon is None and next(levels, None) is not None:
        return unsettled(problem, claim, doubts[0].reason if doubts else LONGER)
    return _open(problem, claim, doubts) if doubts else Private(**problem.common)


def unsettled(problem: Cleared, claim: Claim, reason: str) -> PufferfishVerdict:
    """The answer where longer sequences are not settled: what is known at some points."""
    if problem.has_eps or claim.delta:
        return Undecided(**problem.common, reason=reason)
    low = ONE
    for f, u in product(problem.stated, corners(problem.family)):
        if shown := problem.nearby(claim, f, u):
            return Violated(**problem.common, counterexample=shown)
        low = max(low, quotient(f.below(*u), f.above(*u)) or low)
    return Undecided(**problem.common, reason=reason, least=Least(Quotient.of(low), None))


def corners(family: ParameterClass, axes: Sequence[int] | None = None) -> Iterator[Point]:
    """The centre of the class, and corners and centres of faces that belong to its closure."""
    yield (centre := family.anchor or ())
    free = [axes is None or axis in axes for axis in range(len(centre))]
    for some in ((ZERO, ONE, HALF), (ZERO, ONE)):
        if len(some) ** sum(free) > MOST_CORNERS:
            continue
        for u in product(*(some if is_free else (HALF,) for is_free in free)):
            if all(g(*u) > 0 for g in family.conditions) or family.contains(u):
                yield u
        return


def _open(problem: Cleared, claim: Claim, doubts: Sequence[_Doubt]) -> PufferfishVerdict:
    """The answer where some inequalities are open: limits may show a violation, else they are bounds."""
    reason = doubts[0].reason
    if problem.has_eps:
        return Undecided(**problem.common, reason=reason)
    for doubt in doubts:
        for _, point in limits(problem, doubt.f):
            if shown := problem.nearby(claim, doubt.f, point):
                return Violated(**problem.common, counterexample=shown)
    low = ONE
    for f in problem.stated:
        low = max([low, *(ratio for ratio, _ in limits(problem, f) if ratio is not None)])
    start = 2 * Constant(claim).bounds(BITS[0])[1]
    highs = [proved(problem, doubt.f, start, TRIED) for doubt in doubts]
    high = None if None in highs else Quotient.of(max(x for x in highs if x is not None))
    return Undecided(**problem.common, reason=reason, least=Least(Quotient.of(low), high))


def proved(problem: Cleared, f: Inequality, c: fmpq, times: int) -> fmpq | None:
    """c or its first double that f never exceeds; None if none was found."""
    for _ in range(times):
        if isinstance(problem.decide(Claim("", c), f), Holds):
            return c
        c = 2 * c
    return None


class _Doubt(NamedTuple):
    f: Inequality
    reason: str


def _violation(
    problem: Cleared, claim: Claim, level: Sequence[Inequality]
) -> tuple[tuple[Inequality, Point] | None, list[_Doubt]]:
    """A violation of this length, at the centre of the class if there is one; and what is not settled."""
    centre, doubts = problem.family.anchor, list[_Doubt]()
    assert centre is not None
    at_centre = [f for f in level if problem.breaks(claim, f, centre)]
    at_centre = [f for f in at_centre if problem.is_violated(claim, f, centre)]
    if at_centre:
        return (max(at_centre, key=lambda f: problem.strength(f, centre)), centre), []
    for f in level:
        match problem.decide(claim, f):
            case Fails(point):
                return (f, point), []
            case Unclear(box):
                doubts.append(_Doubt(f, problem.unsettled_on(f, box)))
    return None, doubts


def limits(problem: Cleared, f: Inequality) -> Iterator[tuple[fmpq | None, Point]]:
    """Quotients, the centre's first, and limits on lines through corners, and centres of edges and faces.

    A line is parallel to an axis; its points belong to the closure of the class.
    """
    family, size = problem.family, f.above.context().nvars()
    if anchor := family.anchor:
        yield quotient(f.below(*anchor), f.above(*anchor)), anchor
    choices = (HALF, ZERO, ONE) if size * 3 ** (size - 1) <= MOST_LINES else (HALF,)
    for axis, rest in product(range(size), product(choices, repeat=size - 1)):
        common, above, below = on_line(f, axis, rest)
        line = [restricted(g, axis, rest) for g in family.conditions]
        for x in dict.fromkeys((HALF, ZERO, ONE, *_critical_points(above, below, line))):
            point = (*rest[:axis], x, *rest[axis:])
            defined = bool(common(x)) and family.contains(point)
            if defined or all(g(x) > 0 for g in line):
                yield quotient(below(x), above(x)), point


def on_line(f: Inequality, axis: int, rest: Point) -> tuple[fmpq_mpoly, fmpq_mpoly, fmpq_mpoly]:
    """The greatest common divisor on a line, and both sides of the inequality divided by it."""
    above, below = (restricted(g, axis, rest) for g in (f.above, f.below))
    common = above.gcd(below)
    if not common:
        return common, above, below
    return common, above / common, below / common


def _critical_points(
    above: fmpq_mpoly, below: fmpq_mpoly, conditions: Sequence[fmpq_mpoly]
) -> Iterator[fmpq]:
    """The rational zeros in [0, 1] of the conditions and of the derivative of the quotient."""
    slope = below.derivative(0) * above - below * above.derivative(0)
    factors = (factor for g in (slope, *conditions) if g for factor, _ in g.factor()[1])
    for factor in factors:
        if factor.total_degree() == 1:
            root = -factor(ZERO) / (factor(ONE) - factor(ZERO))
            if 0 <= root <= 1:
                yield root
