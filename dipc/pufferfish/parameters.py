"""Claims about models with parameters: decided for the whole class, the shortest sequences first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, product
from typing import Any, NamedTuple

from flint import arb, ctx, fmpq, fmpq_mpoly

from dipc.clock import Clock
from dipc.errors import LimitReached
from dipc.models.mixtures import Claim
from dipc.numbers.exact import ends
from dipc.numbers.parametric import Parametric
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.beliefs import ONE, ZERO, Word, quotient
from dipc.pufferfish.classes import ParameterClass, restricted
from dipc.pufferfish.clearing import Cleared, Inequality, probabilities
from dipc.pufferfish.problem import Constant, counterexample, violating
from dipc.pufferfish.question import Parameters, Question, claimed
from dipc.pufferfish.verdict import (
    Counterexample,
    Least,
    Private,
    PufferfishVerdict,
    Reached,
    Undecided,
    Violated,
)
from dipc.signs.boxes import HALF, Answer, Fails, Holds, Point, Side, Unclear
from dipc.signs.eps_range import simplest_between

BITS = (24, 53, 128, 400)
"""Precisions of the rational bounds of a transcendental c."""

DEPTH_OF_ANY = 8
"""So many observations are tried for "any" horizon, unless before that everything stops or is settled."""

LONGER = f"private for {DEPTH_OF_ANY} observations; longer sequences are not settled"

CLOSE = 60
"""A rational number is sought up to this power of 1/2 near the one that was found."""

MOST_LINES = 1000
MOST_CORNERS = 100

TRIED = 4
"""So many times a bound is doubled in search for one that is proved."""


def check_with_parameters(
    question: Question, clock: Clock, deciding: Callable[[Cleared, Claim], PufferfishVerdict] | None = None
) -> PufferfishVerdict:
    """Decide a claim for every value of the parameters, and every eps if there is one.

    ``deciding`` is for claims with a delta.  A limit that runs out is an Undecided verdict.  Raises
    :class:`InputError` as :func:`~dipc.pufferfish.classes.check_class` does.
    """
    claim = claimed(question.claim)
    common: dict[str, Any] = {"question": question, "pairs": len(question.pairs), "notes": question.notes}
    problem = None
    try:
        problem = Cleared(question, clock, claim.rate)
        common = problem.common
        return (deciding or decided)(problem, claim)
    except LimitReached as limit:
        reason = f"{limit} ({clock.doing})"
        if problem is None or claim.delta:
            return Undecided(**common, reason=reason)
        return _known(problem, claim, reason)


def decided(problem: Cleared, claim: Claim) -> PufferfishVerdict:
    """Decide a claim with delta = 0."""
    constant, horizon, doubts = Constant(claim), problem.question.horizon, list[_Doubt]()
    levels = problem.levels(constant.bounds(BITS[0])[0])
    for level in islice(levels, horizon or DEPTH_OF_ANY):
        found, more = _violation(problem, constant, level)
        if found:
            f, u = found
            return Violated(**problem.common, counterexample=shown_near(problem, claim, f.pair, [f.word], u))
        doubts += more
    if horizon is None and next(levels, None) is not None:
        return _known(problem, claim, doubts[0].reason if doubts else LONGER)
    return _open(problem, claim, doubts) if doubts else Private(**problem.common)


def _known(problem: Cleared, claim: Claim, reason: str) -> PufferfishVerdict:
    """The answer where longer sequences are not settled: what is known at some points."""
    constant, low = Constant(claim), ONE
    for f, u in product(problem.stated, corners(problem.family)):
        above, below = f.above(*u), f.below(*u)
        if constant.is_broken(above, below) and (shown := _inside(problem, claim, f, u)) is not None:
            return Violated(**problem.common, counterexample=shown)
        low = max(low, quotient(below, above) or low)
    least = None if claim.rate else Least(Quotient.of(low), None)
    return Undecided(**problem.common, reason=reason, least=least)


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


def _inside(problem: Cleared, claim: Claim, f: Inequality, u: Point) -> Counterexample | None:
    """A violation in the class near a point of its closure."""
    point = problem.family.inside(u, partial(violates, problem, Constant(claim), f))
    return None if point is None else shown_near(problem, claim, f.pair, [f.word], point)


def _open(problem: Cleared, claim: Claim, doubts: Sequence[_Doubt]) -> PufferfishVerdict:
    """The answer where some inequalities are open: limits may show a violation, else they are bounds."""
    constant, low = Constant(claim), ONE
    for doubt in doubts:
        for ratio, point in limits(problem, doubt.f):
            if constant.is_below(ratio) and (shown := _inside(problem, claim, doubt.f, point)) is not None:
                return Violated(**problem.common, counterexample=shown)
    for f in problem.stated:
        low = max([low, *(ratio for ratio, _ in limits(problem, f) if ratio is not None)])
    highs = [proved(problem, doubt.f, 2 * constant.bounds(BITS[0])[1], TRIED) for doubt in doubts]
    high = None if None in highs else Quotient.of(max(x for x in highs if x is not None))
    least = None if claim.rate else Least(Quotient.of(low), high)
    return Undecided(**problem.common, reason=doubts[0].reason, least=least)


def proved(problem: Cleared, f: Inequality, c: fmpq, times: int) -> fmpq | None:
    """c or its first double that f never exceeds; None if none was found."""
    for _ in range(times):
        if isinstance(decide(problem, Constant(Claim("", c)), f), Holds):
            return c
        c = 2 * c
    return None


class _Doubt(NamedTuple):
    f: Inequality
    reason: str


def _violation(
    problem: Cleared, constant: Constant, level: Iterable[Inequality]
) -> tuple[tuple[Inequality, Point] | None, list[_Doubt]]:
    """A violation of this length, at the centre of the class if there is one; and what is not settled."""
    level, centre, doubts = list(level), problem.family.anchor, list[_Doubt]()
    assert centre is not None
    at_centre = [f for f in level if constant.is_broken(f.above(*centre), f.below(*centre))]
    at_centre = [f for f in at_centre if violates(problem, constant, f, centre)]
    if at_centre:
        return (max(at_centre, key=lambda f: _order(f, centre)), centre), []
    for f in level:
        match decide(problem, constant, f):
            case Fails(point):
                return (f, point), []
            case Unclear(box):
                doubts.append(_Doubt(f, unsettled_on(problem, f, box)))
    return None, doubts


def unsettled_on(problem: Cleared, f: Inequality, box: Sequence[Side]) -> str:
    """What is open, in words."""
    names = problem.question.parameters.names
    sides = (f"{name} in [{low}, {high}]" for name, (low, high) in zip(names, box, strict=False))
    pair, word = problem.pairs[f.pair], " ".join(problem.steps.text(f.word))
    where = f" on the box {', '.join(sides)} of the unit cube" if box else ""
    return f"{pair.left.name} against {pair.right.name}: the sequence {word} is not settled{where}"


def _order(f: Inequality, point: Point) -> tuple[bool, fmpq]:
    above, below = f.above(*point), f.below(*point)
    return (not above, below / above if above else ZERO)


def violates(problem: Cleared, constant: Constant, f: Inequality, u: Point) -> bool:
    """Whether the probabilities at a point break the claim, computed anew."""
    numbers = problem.numbers(f, u)
    return numbers is not None and constant.is_broken(numbers[1], numbers[0])


def decide(problem: Cleared, constant: Constant, f: Inequality) -> Answer:
    """Whether c0 * above >= below on the class; a witness is computed anew.

    For a transcendental c0 both rational neighbours are asked: ``above`` is nonnegative, so the lower one
    proves and the upper one refutes.  The least c of a sequence is algebraic, so some precision settles it.
    """
    wrong = partial(violates, problem, constant, f)
    if constant.is_rational:
        return problem.family.nonnegative(constant.factor * f.above - f.below, wrong)
    for bits in BITS:
        low, high = constant.bounds(bits)
        proved = problem.family.nonnegative(low * f.above - f.below)
        if isinstance(proved, Holds):
            return proved
        refuted = problem.family.nonnegative(high * f.above - f.below, wrong)
        if isinstance(refuted, Fails):
            return refuted
    return Unclear(())


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


def shown_near(
    problem: Cleared, claim: Claim, number: int, words: Sequence[Word], u: Point
) -> Counterexample:
    """The numbers of some words that violate a claim at a point; eps is a rational number near it."""
    values, parameters = problem.family.values(u), problem.question.parameters
    if parameters.eps_name is None:
        return counterexample(claim, reached_at(problem, (number, words), values, None))
    wanted = near(arb.log, values.pop(parameters.eps_name)) * -parameters.eps_unit
    for power in range(1, CLOSE):
        eps = simplest_between(wanted - wanted / 2**power, wanted + wanted / 2**power)
        shown = violating(claim, reached_at(problem, (number, words), values, eps))
        if shown:
            return shown
    raise LimitReached("no rational budget was found near the violation")


def near(function: Callable[[arb], arb], x: fmpq) -> fmpq:
    """A rational number near the value of a function; it decides nothing."""
    with ctx.workprec(4 * CLOSE):
        low, _ = ends(function(arb(x)))
    return fmpq(low.numerator, low.denominator)


def reached_at(
    problem: Cleared, some: tuple[int, Sequence[Word]], values: Mapping[str, fmpq], eps: fmpq | None
) -> Reached:
    """The numbers of some words of a pair at a point."""
    (number, words), question = some, problem.question
    pair, value = problem.pairs[number], partial(number_at, question.parameters, values, eps)
    found = [probabilities(question.model, pair, word, value) for word in words]
    both = [sum((each[i] for each in found if each), Quotient.of(0)) for i in (0, 1)]
    return problem.reached(number, words, both, values, eps)


def number_at(
    parameters: Parameters, values: Mapping[str, fmpq], eps: fmpq | None, p: Parametric
) -> Quotient:
    """A function where the parameters are numbers, and eps is one if it is given."""
    found = parameters.function_of_eps(p.at(values))
    return found if eps is None else found.at(eps)
