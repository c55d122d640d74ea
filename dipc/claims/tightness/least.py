"""The least x for which a family of inequalities, monotone in x, holds for all budgets.

Each *demand* is a margin that grows with x and must not be negative: ``exp(x eps) q - p`` for the least
privacy budget, ``x - d`` for the least delta.  The least x is the supremum of what the demands need at each
eps.  It is found from both sides:

* **Lower bounds.**  A limit of the need at an open end of the budgets, exact; or a margin that is negative
  somewhere; or a margin that vanishes at some eps where it grows strictly with x.
* **Upper bounds.**  A proof that all margins are >= 0, by :func:`dipc.signs.inequality.nonnegative`.

Where the two meet, the least x is exact.  First x is the greatest limit at the ends: mostly that is the
answer.  Otherwise x is enclosed by bisection, and at each step that holds, the margins are asked whether they
vanish somewhere; steps at the simplest rational in between find every rational answer of moderate size.

The budgets are closed at their positive ends (by continuity that changes no supremum); whether the answer is
attained is told for the budgets as they were given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from flint import arb, fmpq

from dipc.claims.privacy import Region, SignOracle, violated_regions
from dipc.claims.tightness.ends import Name, Need, needed_at_end
from dipc.claims.tightness.growth import Limit
from dipc.errors import InputError, InternalError, LimitReached
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange, simplest_between
from dipc.signs.inequality import Answer, Fails, Holds, Unclear, without_monomial
from dipc.signs.proofs import Chain, Inverse
from dipc.signs.roots import Unsettled
from dipc.signs.tables import Piece, RootCluster, pieces

MOST_DENOMINATOR = 10**5  # of an x that is asked to be the answer, exactly
MOST_DOUBLINGS = 80
NEAR = 8  # beyond the lower end: a budget at which equal limits are compared
PATIENCE = 6  # doublings before it is asked whether the need is infinite somewhere

Tick = Callable[[str, int, int | None], None]


@dataclass(frozen=True)
class Requirement:
    """One margin, which grows strictly with x wherever ``weight`` > 0.

    ``at(judge, x)`` is a function with the signs of the margin.  ``ends`` are the limits of the least x that
    it needs, for eps -> 0 and for eps -> inf.  ``need``, if the least x can be infinite, is positive where
    some x is needed: there a weight of 0 is an infinite need.  ``exact`` is what is needed at a budget.
    """

    at: Callable[[SignOracle, fmpq], ExpPoly]
    weight: Quotient
    ends: tuple[Limit, Limit]
    need: Quotient | None = None
    exact: Need | None = None


class Kind(Enum):
    """How the least x is reached."""

    EVERYWHERE = "at every eps"
    AT = "at"
    TOWARDS = "approached as eps ->"
    NEAR = "for some eps in"


@dataclass(frozen=True, slots=True)
class Spot:
    """Where the least x is needed: at the ``place`` (a number, a root, or None for infinity), or near it.

    ``demand`` is the number of a demand that needs it.  Of the kind ``NEAR``, ``low`` and ``high`` enclose
    the budgets that need more than the lower bound.
    """

    kind: Kind
    demand: int
    place: RootCluster | fmpq | None = None
    low: fmpq | None = None
    high: fmpq | None = None


@dataclass(frozen=True, slots=True)
class Least:
    """``low <= least x <= high``, equal if exact; ``high`` None: no x is enough, or none was found (if open).

    ``spots`` tell where it is needed, ``attained`` whether at some of the budgets (None: not known); ``name``
    is the least x itself, where it is irrational and known.
    """

    low: fmpq
    high: fmpq | None
    spots: tuple[Spot, ...]
    attained: bool | None
    open: bool = False
    name: Name | None = None

    @property
    def exact(self) -> fmpq | None:
        return self.low if self.low == self.high else None

    @property
    def infinite(self) -> bool:
        return self.high is None and not self.open


def least(demands: Sequence[Requirement], budgets: EpsRange, width: fmpq, tick: Tick) -> Least:
    """The least x >= 0, exact or in an interval of the given width.

    Raises :class:`LimitReached`, which then says what bounds were proved.
    """
    try:
        return _Search(demands, budgets, closure(budgets), tick).told(width)
    except InputError:  # a probability has no value at an end that is not one of the budgets
        return _Search(demands, budgets, budgets, tick).told(width)


class _Search:
    """One search; ``lower`` and ``upper`` are always proved bounds."""

    def __init__(
        self, demands: Sequence[Requirement], given: EpsRange, budgets: EpsRange, tick: Tick
    ) -> None:
        self.demands = demands
        self.given = given
        self.budgets = budgets
        self.judge = SignOracle(self.budgets)
        self.tick = tick
        self.lower = fmpq(0)
        self.upper: fmpq | None = None
        self.steps = 0

    def told(self, width: fmpq) -> Least:
        """:meth:`run`; a limit says what bounds were proved."""
        try:
            return self.run(width)
        except LimitReached as limit:
            upper = "" if self.upper is None else f" and at most {self.upper}"
            limit.args = (f"{limit}: the answer is at least {self.lower}{upper}",)
            raise

    def run(self, width: fmpq) -> Least:
        for i, demand in enumerate(self.demands):
            if not demand.weight and demand.need:
                return Least(fmpq(0), None, (Spot(Kind.EVERYWHERE, i),), True)
        limits = self._limits()
        for i, place, limit in limits:
            if limit.infinite:
                return Least(fmpq(0), None, (Spot(Kind.TOWARDS, i, place),), False)
        self.lower = max([fmpq(0), *(x.value for _, _, x in limits if x.value is not None)])
        active, doubtful = self._needing(self.lower, range(len(self.demands)))
        if not active and not doubtful:
            return self._reached(limits)
        return self._enclosed([*active, *doubtful], width)

    def _limits(self) -> list[tuple[int, fmpq | None, Limit]]:
        ends = [fmpq(0)] if not self.given.low else []
        found: list[tuple[int, fmpq | None, Limit]] = [
            (i, low, d.ends[0]) for i, d in enumerate(self.demands) for low in ends
        ]
        if self.given.high is None:
            found += [(i, None, d.ends[1]) for i, d in enumerate(self.demands)]
        return found

    def _needing(self, x: fmpq, among: Sequence[int]) -> tuple[list[int], list[int]]:
        """The demands that need more than x, and those of which it is not settled."""
        active, doubtful = [], []
        self.steps += 1
        for done, i in enumerate(among):
            self.tick(f"bounds, step {self.steps}", done, len(among))
            match self._answer(i, x):
                case Fails():
                    active.append(i)
                case Unclear():
                    doubtful.append(i)
        return active, doubtful

    def _margin(self, i: int, x: fmpq) -> ExpPoly:
        return without_monomial(self.demands[i].at(self.judge, x))

    def _answer(self, i: int, x: fmpq) -> Answer:
        return self.judge.decide(self._margin(i, x))

    # --- the answer is a limit, or 0 -----------------------------------------------------------

    def _reached(self, limits: Sequence[tuple[int, fmpq | None, Limit]]) -> Least:
        """All margins are >= 0 at the lower bound."""
        x = self.lower
        attained = self._touching(range(len(self.demands)), x)
        towards = {}
        for end in {str(place): place for _, place, limit in limits if limit.value == x}.values():
            equal = [i for i, place, limit in limits if limit.value == x and place == end]
            towards[str(end)] = Spot(Kind.TOWARDS, self._greatest(equal, end), end)
        inside = None if attained is None else self._belongs(attained)
        everywhere = attained and attained[0].kind is Kind.EVERYWHERE
        spots = (*self._as_given(attained or ()), *(() if everywhere else towards.values()))
        return Least(x, x, spots, inside)

    def _greatest(self, among: Sequence[int], end: fmpq | None) -> int:
        """Of demands with the same limit the one that needs most at some budget near the end.

        Any of them is a right answer; this one is mostly the one that needs most on the way, too.
        """
        eps = self.budgets.low + NEAR if end is None else simplest_between(fmpq(0), self.budgets.high)
        known = {i: need.amount(arb(eps)) for i in among if (need := self.demands[i].exact) is not None}
        best = among[0]
        for i, amount in known.items():
            if best not in known or amount > known[best]:
                best = i
        return best

    def _touching(self, among: Sequence[int], x: fmpq) -> list[Spot] | None:
        """Where margins vanish though they grow with x there, all margins being >= 0; None: not settled.

        One spot for each place, those where a margin is an identity alone.
        """
        found: dict[str, Spot] = {}
        settled = True
        for i in among:
            margin = self._margin(i, x)
            if not margin and self.demands[i].weight:
                return [Spot(Kind.EVERYWHERE, i)]
            try:
                for piece in self._zeros(i, margin):
                    found.setdefault(_place_as_text(piece.low), Spot(Kind.AT, i, piece.low))
            except Unsettled:
                settled = False
        return list(found.values()) if found or settled else None

    def _zeros(self, i: int, margin: ExpPoly) -> list[Piece]:
        """The points where the margin vanishes and the weight does not.  Raises :class:`Unsettled`."""
        if not margin or self._positive_by_chain(margin):
            return []
        found = []
        for piece in pieces([margin, self.demands[i].weight.numerator], self.budgets):
            zero = [m == 0 and w != 0 for m, w in piece.readings]
            if all(zero):
                found.append(piece)
            elif any(zero):
                place = piece.low
                assert isinstance(place, RootCluster)
                raise Unsettled(place.low, place.high)
        return found

    def _positive_by_chain(self, margin: ExpPoly) -> bool:
        """Numbers >= 0 in a derivative chain at 0 mean that the function is positive for all eps > 0."""
        answer = self.judge.decide(margin)
        at_open_end = not self.budgets.low and (not margin.has_inverse or self.budgets.high is None)
        return isinstance(answer, Holds) and isinstance(answer.proof, Chain | Inverse) and at_open_end

    def _belongs(self, spots: Sequence[Spot]) -> bool:
        """Whether one of the spots is one of the budgets as given."""
        return any(
            spot.kind is Kind.EVERYWHERE
            or (spot.kind is Kind.AT and (not isinstance(spot.place, fmpq) or spot.place in self.given))
            for spot in spots
        )

    # --- the answer is somewhere inside ----------------------------------------------------------

    def _enclosed(self, active: list[int], width: fmpq) -> Least:
        upper = self._bracket(active)
        if isinstance(upper, Least):
            return upper
        self.upper, active = upper
        halve = False
        misses = 0
        while self.upper - self.lower > width and misses < 3:
            third = (self.upper - self.lower) / 3 if halve else fmpq(0)
            x = simplest_between(self.lower + third, self.upper - third)
            halve = not halve
            needing, doubtful = self._needing(x, active)
            if needing:
                self.lower, active = x, [*needing, *doubtful]
                continue
            if doubtful:
                misses += 1
                continue
            self.upper = x
            if x.q < MOST_DENOMINATOR and (spots := self._touching(active, x)):
                return Least(x, x, self._as_given(spots), self._belongs(spots))
        if (named := self._named(active)) is not None:
            i, place, name = named
            at_end = self._as_given([Spot(Kind.AT, i, place)])
            return Least(self.lower, self.upper, at_end, place in self.given, name=name)
        near = self._near(active)
        return Least(self.lower, self.upper, near, True if self._surely_inside(active, near) else None)

    def _named(self, active: Sequence[int]) -> tuple[int, fmpq, Name] | None:
        """The demand that needs most, where, and how much, if that is an end of the budgets."""
        needs = {i: need for i in active if (need := self.demands[i].exact) is not None}
        if len(needs) < len(active):
            return None
        margins = {i: self._margin(i, self.lower) for i in active}
        named = needed_at_end(margins, needs, self.budgets)
        assert self.upper is not None
        if named is not None and not named[2].may_lie_in(self.lower, self.upper):
            raise InternalError(f"the least x is not {named[2]}, which is not between its bounds")
        return named

    def _surely_inside(self, active: Sequence[int], spots: Sequence[Spot]) -> bool:
        """Whether the supremum is attained: less is needed at the open ends, and the rest is compact.

        Where a weight is 0 nothing is needed there itself, though more and more may be next to it.
        """
        if any(self._has_gap(self.demands[i]) for i in active):
            return False
        limits = [limit for i, _, limit in self._limits() if i in active]
        inside = all(
            limit.void or (limit.value is not None and limit.value <= self.lower) for limit in limits
        )
        given = self.given
        ends = [(given.low, given.low_closed or not given.low), (given.high, given.high_closed)]
        left_out = [end for end, closed in ends if end is not None and not closed]
        return inside and not any(end in (spot.low, spot.high) for end in left_out for spot in spots)

    def _has_gap(self, demand: Requirement) -> bool:
        """Whether the weight is, or may be, 0 at some of the budgets."""
        try:
            found = pieces([self.judge.numerator(demand.weight)], self.budgets)
        except Unsettled:
            return True
        return any(0 in signs for piece in found for signs in piece.readings)

    def _bracket(self, active: list[int]) -> tuple[fmpq, list[int]] | Least:
        """An x that is enough, and the demands that need more than the lower bound."""
        step = max(self.lower, fmpq(1))
        for turn in range(MOST_DOUBLINGS):
            x = self.lower + step
            needing, doubtful = self._needing(x, active)
            if needing:
                self.lower, active, step = x, [*needing, *doubtful], 2 * step
            elif doubtful:
                step = step * fmpq(5, 4)
            else:
                if spots := self._touching(active, x):
                    return Least(x, x, self._as_given(spots), self._belongs(spots))
                return x, active
            if turn == PATIENCE and (poles := self._poles(active)):
                return Least(self.lower, None, self._as_given(poles), self._belongs(poles))
        return Least(self.lower, None, self._near(active), None, open=True)

    def _poles(self, active: Sequence[int]) -> list[Spot]:
        """Where a weight is 0 though something is needed: no x is enough."""
        found = []
        for i in active:
            demand = self.demands[i]
            if demand.need is None:
                continue
            functions = [self.judge.numerator(demand.need), self.judge.numerator(demand.weight)]
            found += [
                Spot(Kind.AT, i, piece.low)
                for piece in pieces(functions, self.budgets)
                if all(need > 0 and weight == 0 for need, weight in piece.readings)
            ]
        return found

    def _as_given(self, spots: Sequence[Spot]) -> tuple[Spot, ...]:
        """At an end that is not one of the budgets the least x is approached only."""
        return tuple(
            replace(spot, kind=Kind.TOWARDS)
            if spot.kind is Kind.AT and isinstance(spot.place, fmpq) and spot.place not in self.given
            else spot
            for spot in spots
        )

    def _near(self, active: Sequence[int]) -> tuple[Spot, ...]:
        """Where more than the lower bound is needed."""
        if self.budgets.is_point:
            return (Spot(Kind.AT, active[0], self.budgets.low),)
        spots = []
        for i in active:
            try:
                regions = violated_regions([self._margin(i, self.lower)], self.budgets)
            except Unsettled:
                continue
            spots += [Spot(Kind.NEAR, i, None, _low(region), _high(region)) for region in regions]
        return tuple(_without_repetition(spots))


def _place_as_text(place: RootCluster | fmpq | None) -> str:
    return str(place.low) if isinstance(place, RootCluster) else str(place)


def _low(region: Region) -> fmpq | None:
    return region.low if isinstance(region.low, fmpq) else region.low.low if region.low else None


def _high(region: Region) -> fmpq | None:
    return region.high if isinstance(region.high, fmpq) else region.high.high if region.high else None


def _without_repetition(spots: Sequence[Spot]) -> list[Spot]:
    return list({(str(spot.low), str(spot.high)): spot for spot in reversed(spots)}.values())


def closure(budgets: EpsRange) -> EpsRange:
    """The budgets with their positive ends.

    >>> str(closure(EpsRange(fmpq(0), fmpq(1)))), str(closure(EpsRange(fmpq(1, 2), fmpq(1))))
    ('(0, 1]', '[1/2, 1]')
    """
    return EpsRange(budgets.low, budgets.high, budgets.low > 0, budgets.high is not None)
