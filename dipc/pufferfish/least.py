"""The least c of a class of parameters, or the least t of claims ``t*eps`` about a model with eps.

At one point of the class the least c is a quotient, and the least t a supremum over eps, by
:mod:`dipc.claims.tightness.least`.  The greatest answer at some points is a bound from below: at corners and
centres of faces and, without eps, at rational critical points on lines.  If the claim with it holds on the
whole class, it is the answer.  Else the witness is one more point, with a greater one; after a few of these
the answer is bisected, by the same decisions.  A simple rational number is tried each time, as the answer may
be one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from flint import fmpq

from dipc.claims.tightness.least import Kind, Least, Spot
from dipc.claims.tightness.least import least as least_of
from dipc.claims.tightness.least_epsilon import WIDTH, requirement
from dipc.errors import LimitReached, Unsupported
from dipc.models.mixtures import Claim
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.beliefs import ONE, ZERO, Ratio, greatest, quotient
from dipc.pufferfish.classes import squarefree
from dipc.pufferfish.clearing import Cleared, Inequality, number_at, probabilities
from dipc.pufferfish.functions import Functions
from dipc.pufferfish.parameters import DEPTH_OF_ANY, LONGER, corners, limits, on_line, proved
from dipc.pufferfish.verdict import Budget, Reached
from dipc.signs.boxes import HALF, Fails, Point, Unclear, isolated_roots
from dipc.signs.eps_range import EpsRange, simplest_between

DIGITS = fmpq(1, 10**11)
ROUNDS = 4
SIMPLE = 10**9  # denominators; others are next to an irrational answer, where nothing can be settled
DOUBLINGS, DOUBLINGS_OF_T = 40, 21

Place = tuple[Inequality, Point]


@dataclass
class _Search:
    """The least c or t is at least that of ``place``, which is ``known``; ``high`` is enough (None: unknown).

    ``failed`` is not enough.  ``active`` are the inequalities that do not hold for that one.
    """

    problem: Cleared
    active: list[Inequality]
    place: Place
    known: Least
    high: fmpq | None = None
    failed: fmpq = -ONE
    reason: str = ""
    reached: bool = False

    @property
    def low(self) -> fmpq:
        """A bound from below."""
        return max(self.failed, self.known.low)

    @property
    def _is_open(self) -> bool:
        """Whether more is to be found about the upper end."""
        return self.high is None and not self.known.infinite and not self.reason

    def run(self) -> None:
        """Close the gap, as far as possible."""
        has_eps = self.problem.has_eps
        for _ in range(ROUNDS):
            if self._is_open and self.known.high is not None:
                self.ask(self.known.high)
        for _ in range(DOUBLINGS_OF_T if has_eps else DOUBLINGS):
            if self._is_open:
                self.ask(max(ONE, 2 * self.low))
        if self._is_open:
            self.reason = f"no {'t' if has_eps else 'c'} up to {self.failed} was found to be enough"
        elif self.high is None and not self.known.infinite and not has_eps:
            highs = [proved(self.problem, f, 2 * self.low, DOUBLINGS) for f in self.active]
            self.high = None if None in highs else max(x for x in highs if x is not None)
        turn, width = 0, WIDTH if has_eps else self.low * DIGITS
        while self.high is not None and self.high - self.low > width and not self.reason:
            third, turn, exact = (self.high - self.low) / 3, turn + 1, self.known.high
            middle = simplest_between(self.low + third, self.high - third)
            is_simple = exact is not None and self.failed < exact < self.high and exact.q < SIMPLE
            self.ask(exact if turn % 2 and exact and is_simple else middle)

    def ask(self, x: fmpq) -> None:
        """Whether this is enough: then it is ``high``; else a witness may be a better place."""
        failing, doubts = [], []
        claim = Claim("", ONE, rate=x) if self.problem.has_eps else Claim("", x)
        for f in self.active:
            match self.problem.decide(claim, f):
                case Fails(point):
                    failing.append(f)
                    self.add([(f, point)])
                case Unclear(box):
                    doubts.append(self.problem.unsettled_on(f, box))
                    failing.append(f)
        if len(doubts) < len(failing):
            self.failed, self.active = x, failing
        elif doubts:
            self.reason, self.active = doubts[0], failing
        else:
            self.high = x
            self._check_reached(x)

    def _check_reached(self, c: fmpq) -> None:
        """Whether what is enough is needed at a point between, which may be irrational."""
        if c > self.low and not self.problem.has_eps:
            for f in (f for f in self.active if _is_reached(self.problem, f, c)):
                self.known, self.place, self.reached = Least(c, c, (), True), (f, self.place[1]), True

    def add(self, places: Sequence[Place]) -> None:
        """Some more places, of which one may need more."""
        found, place = known_at(self.problem, places)
        if found.infinite or (found.low > self.known.low and not self.known.infinite):
            self.known, self.place = found, place


def known_at(problem: Cleared, places: Sequence[Place]) -> tuple[Least, Place]:
    """The least c or t of some inequalities, each at one point, and the place that needs it."""
    if isinstance(problem, Functions):
        values = [(problem.value(f.below, u), problem.value(f.above, u)) for f, u in places]
        needs = [requirement(Quotient(p), Quotient(q)) for p, q in values]
        found = least_of(needs, problem.oracle.budgets, WIDTH, problem.clock)
        return found, places[found.spots[0].demand if found.spots else 0]
    return _greatest(problem, [(quotient(f.below(*u), f.above(*u)), (f, u)) for f, u in places])


def _greatest(problem: Cleared, rated: Sequence[tuple[Ratio, Place]]) -> tuple[Least, Place]:
    """The greatest quotient: the first place that is attained, or else the first."""
    best = greatest(ratio for ratio, _ in rated)
    places = [place for ratio, place in rated if ratio == best]
    place = next(
        (each for each in places if len(places) > 1 and _is_attained(problem, each, best)), places[0]
    )
    return Least(best or ZERO, best, (), None), place


def budget(problem: Cleared) -> Budget:
    """The least c for which a question is private for every value of its parameters; with eps the least t.

    Raises :class:`Unsupported` and :class:`LimitReached`.
    """
    question, nothing = problem.question, Quotient.of(0 if problem.has_eps else 1)
    if question.claim and question.claim.delta and problem.has_eps:
        raise Unsupported("the least t of a model with eps, with delta > 0", hint="`check` decides claims")
    if question.claim and question.claim.delta:
        hint = "`check` decides claims; with `--fix p=1/2` for every parameter the least c is found, too"
        raise Unsupported("the least c of a class of parameters with delta > 0", hint=hint)
    levels = problem.levels()
    found = [f for level in islice(levels, question.horizon or DEPTH_OF_ANY) for f in level]
    first = _first(problem, found)
    if first is None:
        return Budget(**problem.common, low=nothing, high=nothing)
    search = _Search(problem, found, first[1], first[0])
    try:
        search.run()
        if question.horizon is None and not search.known.infinite and next(levels, None) is not None:
            search.high, search.reason = None, search.reason or LONGER
    except LimitReached as limit:
        search.reason = f"{limit} ({problem.clock.doing})"
    return _budget(search)


def _first(problem: Cleared, found: Sequence[Inequality]) -> tuple[Least, Place] | None:
    """What is needed at the points that are tried first; None if nothing can be observed."""
    if isinstance(problem, Functions):
        # of equal ones the first is shown: those of the class come before those that it only approaches
        places = sorted(_different(problem, found), key=lambda place: not problem.family.contains(place[1]))
        return known_at(problem, places) if places else None
    if not found:
        return None
    known, (f, point) = _greatest(
        problem, [(ratio, (f, u)) for f in found for ratio, u in limits(problem, f)]
    )
    return known, (f, _freed(problem, f, point))


def _different(problem: Functions, inequalities: Sequence[Inequality]) -> Iterator[Place]:
    """Points of the closure of the class, with different functions of eps that are not 0."""
    seen: set[tuple[ExpPoly, ExpPoly]] = set()
    for f in inequalities:
        degrees = list(map(max, f.above.degrees(), f.below.degrees()))
        axes = [axis for axis in problem.question.parameters.free_axes if degrees[axis] > 0]
        for point in corners(problem.family, axes):
            both = problem.value(f.below, point), problem.value(f.above, point)
            if both[0] and both not in seen:
                seen.add(both)
                yield f, point


def _freed(problem: Cleared, f: Inequality, point: Point) -> Point:
    """The point with every coordinate in the middle that the quotient does not depend on."""
    ratio = f.above(*point) and quotient(f.below(*point), f.above(*point))
    for axis in range(len(point) if ratio else 0):
        moved = (*point[:axis], HALF, *point[axis + 1 :])
        same = quotient(f.below(*moved), f.above(*moved)) == ratio
        if same and all(g(*moved) > 0 for g in problem.family.conditions):
            point = moved
    return point


def _is_reached(problem: Cleared, f: Inequality, c: fmpq) -> bool:
    """One parameter: whether c is the quotient at some point between the ends, which may be irrational."""
    if problem.family.conditions or f.only_axis is None:
        return False
    _, above, below = on_line(f, f.only_axis, (HALF,) * (f.above.context().nvars() - 1))
    return any(high > 0 and low < 1 for low, high in isolated_roots(squarefree([c * above - below])))


# --- what is shown -----------------------------------------------------------------------------------


def _budget(search: _Search) -> Budget:
    problem, known, place = search.problem, search.known, search.place
    spot = known.spots[0] if known.spots else Spot(Kind.NEAR, 0)
    low = high = None
    if not known.infinite:
        low, high = Quotient.of(search.low), None if search.high is None else Quotient.of(search.high)
    is_possible = search.reached or _is_attained(problem, place, known.high)
    inside = is_possible and bool(known.attained or not problem.has_eps)
    eps = _eps_of(spot, problem.oracle.budgets) if isinstance(problem, Functions) else None
    goals = [] if is_possible else [_approached(problem, *place)]
    if spot.kind is Kind.TOWARDS:
        goals.append(f"eps -> {'inf' if spot.place is None else spot.place}")
    return Budget(
        **problem.common,
        low=low,
        high=high,
        attained=inside and (known.infinite or known.low == search.high),
        reached=_reached(problem, place, known, eps),
        approached="" if inside else ", ".join(filter(None, goals)),
        everywhere=inside and is_everywhere(problem, place[0]),
        reason=search.reason,
    )


def _eps_of(spot: Spot, budgets: EpsRange) -> fmpq | None:
    """An eps where the least t is needed, or near it; None if that is at an end."""
    if spot.kind is Kind.EVERYWHERE:
        return budgets.inside
    if spot.kind is Kind.TOWARDS:
        return None
    if isinstance(spot.place, fmpq):
        return spot.place
    low, high = (spot.low, spot.high) if spot.place is None else (spot.place.low, spot.place.high)
    return low if low is None or low == high else simplest_between(low, high)


def _is_attained(problem: Cleared, place: Place, c: Ratio) -> bool:
    """Whether a point belongs to the class, both sides are possible there and, without eps, c is needed."""
    found = _probabilities(problem, *place) if problem.family.contains(place[1]) else None
    return found is not None and (problem.has_eps or _ratio(*found) == c)


def _ratio(left: Quotient, right: Quotient) -> Ratio:
    """The quotient of two numbers."""
    both = (number and fmpq(number.p, number.q) for number in (left.as_rational(), right.as_rational()))
    return quotient(*(number or ZERO for number in both))


def _probabilities(problem: Cleared, f: Inequality, point: Point) -> tuple[Quotient, Quotient] | None:
    """Those of the sequence, perhaps functions of eps; None where a side is impossible."""
    question = problem.question
    value = partial(number_at, question.parameters, problem.values(point), None)
    try:
        found = probabilities(question.model, problem.pairs[f.pair], f.words, value)
    except ZeroDivisionError:
        return None
    return found[0][1:] if found else None


def _reached(problem: Cleared, place: Place, known: Least, eps: fmpq | None) -> Reached | None:
    """The sequence, and its probabilities: functions of eps if no eps is given.

    Where a side is impossible at the point, which the class only approaches, they are limits on the way from
    the centre; None if their quotient is another one.
    """
    f, point = place
    found = _probabilities(problem, f, point)
    if found is None:
        ((_, *both),) = probabilities(problem.question.model, problem.pairs[f.pair], f.words, lambda p: p)
        found = problem.limit(both[0], point), problem.limit(both[1], point)
    left, right = found
    if isinstance(problem, Functions):
        above, below = (Quotient(problem.value(g, point)) for g in (f.above, f.below))
        is_same = left * above == right * below
    else:
        is_same = _ratio(left, right) == known.high
    if not left or not is_same:
        return None
    shown = (left, right) if eps is None else (left.at(eps), right.at(eps))
    return problem.reached(f.pair, f.words, shown, problem.values(point), eps)


def _approached(problem: Cleared, f: Inequality, point: Point) -> str:
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
