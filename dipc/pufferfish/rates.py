"""The least t for which a model with eps is ``t*eps``-Pufferfish private, for all parameters and all eps.

At one point of the class this is the question of ``dipc budget``: the supremum of ln(below/above)/eps, by
:mod:`dipc.claims.tightness.least`.  The greatest answer at the corners, the centre and points between is a
bound from below.  If the claim with this t holds on the whole class, then t is the answer: no smaller one is
private at that point, or near it.  Else the witness is one more point, with a greater t; after a few of these
t is bisected, by the same decisions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from flint import fmpq

from dipc.claims.tightness.least import Kind, Least, Spot, least
from dipc.claims.tightness.least_epsilon import WIDTH, requirement
from dipc.clock import Clock
from dipc.errors import LimitReached, Unsupported
from dipc.models.mixtures import Claim
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.beliefs import ONE
from dipc.pufferfish.clearing import Inequality, number_at, probabilities
from dipc.pufferfish.functions import Functions
from dipc.pufferfish.parameters import DEPTH_OF_ANY, LONGER, corners
from dipc.pufferfish.question import Question
from dipc.pufferfish.suprema import approached, is_everywhere
from dipc.pufferfish.verdict import Budget, Reached
from dipc.signs.boxes import Fails, Point, Unclear
from dipc.signs.eps_range import EpsRange, simplest_between

ROUNDS = 4
GREATEST = fmpq(2**20)

Place = tuple[Inequality, Point]


@dataclass
class _Search:
    """The least t is at least that of ``place``, which is ``known``; ``high`` is enough (None: not known).

    ``failed`` is not enough.  ``active`` are the inequalities that do not hold for that one.
    """

    problem: Functions
    active: list[Inequality]
    place: Place
    known: Least
    high: fmpq | None = None
    failed: fmpq = -ONE
    reason: str = ""

    @property
    def low(self) -> fmpq:
        """A bound from below."""
        return max(self.failed, self.known.low)

    def run(self) -> None:
        """Close the gap, as far as possible."""
        for _ in range(ROUNDS):
            if self.known.infinite or self.reason or self.high is not None or self.known.high is None:
                break
            self.ask(self.known.high)
        while self.high is None and not self.known.infinite and not self.reason and self.low < GREATEST:
            self.ask(max(ONE, 2 * self.low))
        if self.high is None and not self.known.infinite and not self.reason:
            self.reason = f"no t up to {GREATEST} was found to be enough"
        turn = 0
        while self.high is not None and self.high - self.low > WIDTH and not self.reason:
            third, turn, exact = (self.high - self.low) / 3, turn + 1, self.known.high
            middle = simplest_between(self.low + third, self.high - third)
            self.ask(exact if turn % 2 and exact and self.failed < exact < self.high else middle)

    def ask(self, t: fmpq) -> None:
        """Whether t is enough: then it is ``high``; else a witness may be a better place."""
        failing, doubts = [], []
        for f in self.active:
            match self.problem.decide(Claim("", ONE, rate=t), f):
                case Fails(point):
                    failing.append(f)
                    self.add([(f, point)])
                case Unclear(box):
                    doubts.append(self.problem.unsettled_on(f, box))
                    failing.append(f)
        if len(doubts) < len(failing):
            self.failed, self.active = t, failing
        elif doubts:
            self.reason = doubts[0]
        else:
            self.high = t

    def add(self, places: Sequence[Place]) -> None:
        """Some more places, of which one may need more."""
        found = least_at(self.problem, places)
        if found.infinite or (found.low > self.known.low and not self.known.infinite):
            self.known, self.place = found, places[found.spots[0].demand if found.spots else 0]


def least_at(problem: Functions, places: Sequence[Place]) -> Least:
    """The least t of some inequalities, each at one point."""
    budgets, clock = problem.oracle.budgets, problem.clock
    values = [(problem.value(f.below, u), problem.value(f.above, u)) for f, u in places]
    return least([requirement(Quotient(p), Quotient(q)) for p, q in values], budgets, WIDTH, clock)


def budget(question: Question, clock: Clock) -> Budget:
    """The least t of a model with eps.  Raises :class:`InputError` and :class:`LimitReached`."""
    if question.claim and question.claim.delta:
        raise Unsupported("the least t of a model with eps, with delta > 0", hint="`check` decides claims")
    problem = Functions(question, clock)
    levels = problem.levels()
    found = [f for level in islice(levels, question.horizon or DEPTH_OF_ANY) for f in level]
    # of equal ones the first is shown: those of the class come before those that it only approaches
    places = sorted(_different(problem, found), key=lambda place: not problem.family.contains(place[1]))
    if not places:
        return Budget(**problem.common, low=Quotient.of(0), high=Quotient.of(0))
    known = least_at(problem, places)
    search = _Search(problem, found, places[known.spots[0].demand if known.spots else 0], known)
    try:
        search.run()
        if question.horizon is None and not search.known.infinite and next(levels, None) is not None:
            search.high, search.reason = None, search.reason or LONGER
    except LimitReached as limit:
        search.reason = f"{limit} ({clock.doing})"
    return _budget(search)


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


def _budget(search: _Search) -> Budget:
    problem, known, (f, point) = search.problem, search.known, search.place
    spot = known.spots[0] if known.spots else Spot(Kind.NEAR, 0)
    if known.infinite:
        low = high = None
    else:
        low, high = Quotient.of(search.low), None if search.high is None else Quotient.of(search.high)
    exact = known.infinite or known.low == search.high
    inside = bool(known.attained) and _is_possible(problem, f, point)
    return Budget(
        **problem.common,
        low=low,
        high=high,
        attained=inside and exact,
        reached=_reached(problem, f, point, _eps_of(spot, problem.oracle.budgets)),
        approached="" if inside else _approached(problem, f, point, spot),
        everywhere=inside and is_everywhere(problem, f),
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


def _is_possible(problem: Functions, f: Inequality, point: Point) -> bool:
    """Whether a point belongs to the class, and both sides are possible there."""
    return problem.family.contains(point) and _probabilities(problem, f, point) is not None


def _approached(problem: Functions, f: Inequality, point: Point, spot: Spot) -> str:
    """Where the parameters and eps go, in words."""
    goals = [] if _is_possible(problem, f, point) else [approached(problem, f, point)]
    if spot.kind is Kind.TOWARDS:
        goals.append(f"eps -> {'inf' if spot.place is None else spot.place}")
    return ", ".join(filter(None, goals))


def _probabilities(problem: Functions, f: Inequality, point: Point) -> tuple[Quotient, Quotient] | None:
    """Those of the sequence, functions of eps; None where a side is impossible."""
    question = problem.question
    value = partial(number_at, question.parameters, problem.values(point), None)
    try:
        found = probabilities(question.model, problem.pairs[f.pair], f.words, value)
        return found[0][1:] if found else None
    except ZeroDivisionError:
        return None


def _reached(problem: Functions, f: Inequality, point: Point, eps: fmpq | None) -> Reached | None:
    """The sequence, and its probabilities: functions of eps if no eps is given.

    Where a side is impossible at the point, which the class only approaches, they are limits on the way from
    the centre; None if their quotient is another one.
    """
    values, found = problem.values(point), _probabilities(problem, f, point)
    if found is None:
        ((_, *both),) = probabilities(problem.question.model, problem.pairs[f.pair], f.words, lambda p: p)
        found = problem.limit(both[0], point), problem.limit(both[1], point)
    left, right = found
    above, below = (Quotient(problem.value(g, point)) for g in (f.above, f.below))
    if not left or left * above != right * below:
        return None
    shown = (left, right) if eps is None else (left.at(eps), right.at(eps))
    return problem.reached(f.pair, f.words, shown, values, eps)
