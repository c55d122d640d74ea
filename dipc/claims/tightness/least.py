"""The least x for which a family of inequalities, monotone in x, holds for every eps of a range.

Each *requirement* has a margin that grows with x and must not be negative: ``exp(x eps) q - p`` for the least
privacy budget, ``x - d`` for the least delta.  The least x is the supremum of what the requirements need at
each eps.  It is found from both sides:

* **Lower bounds.**  A limit of the need at an open end of the range, exact; or a margin that is negative
  somewhere; or a margin that vanishes at some eps where it grows strictly with x.
* **Upper bounds.**  A proof that all margins are >= 0, by :func:`dipc.signs.inequality.nonnegative`.

Where the two meet, the least x is exact.  The first x is the greatest limit at the ends, usually the answer.
Otherwise bisection encloses x, and each upper bound is checked for margins that vanish somewhere; steps to
the simplest rational in between find every rational answer of moderate size.

The range is closed at its positive ends (by continuity that changes no supremum); whether the answer is
attained is reported for the range as it was given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from functools import reduce

from flint import arb, ctx, fmpq

from dipc.claims.oracle import SignOracle
from dipc.claims.regions import violated_regions
from dipc.claims.tightness.ends import PRECISION, Name, Need, needed_at_end, outer
from dipc.claims.tightness.growth import Limit
from dipc.clock import Clock
from dipc.errors import InputError, InternalError, LimitReached
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange, simplest_between
from dipc.signs.inequality import Fails, Holds, Unclear, without_monomial
from dipc.signs.proofs import Chain, Inverse
from dipc.signs.roots import Unsettled
from dipc.signs.tables import Piece, RootCluster, pieces

MOST_DENOMINATOR = 10**5  # of an x that may be the exact answer
MOST_DOUBLINGS = 80
NEAR = 8  # beyond the lower end: an eps at which equal limits are compared
PATIENCE = 6  # doublings before the search for an infinite need


@dataclass(frozen=True)
class Requirement:
    """One margin, which grows strictly with x wherever ``weight`` > 0.

    ``at(judge, x)`` is a function with the signs of the margin.  ``ends`` are the limits of the least x that
    it needs, for eps -> 0 and for eps -> inf.  ``need``, if the least x can be infinite, is positive where
    some x is needed: there a weight of 0 is an infinite need.  ``exact`` is what is needed at one eps.
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

    ``demand`` is the number of a requirement that needs it.  For the kind ``NEAR``, ``low`` and ``high``
    enclose the eps that need more than the lower bound.
    """

    kind: Kind
    demand: int
    place: RootCluster | fmpq | None = None
    low: fmpq | None = None
    high: fmpq | None = None


@dataclass(frozen=True, slots=True)
class Least:
    """``low <= least x <= high``, equal if exact; ``high`` None: no x is enough, or none was found (if open).

    ``spots`` are where it is needed, ``attained`` is whether some eps of the range needs it (None: unknown);
    ``name`` is the least x itself, where it is irrational and known.
    """

    low: fmpq
    high: fmpq | None
    spots: tuple[Spot, ...]
    attained: bool | None
    open: bool = False
    name: Name | None = None

    @property
    def exact(self) -> fmpq | None:
        """The least x, if it is known to be this rational number."""
        return self.low if self.low == self.high else None

    @property
    def infinite(self) -> bool:
        """Whether no x is enough."""
        return self.high is None and not self.open


def least(demands: Sequence[Requirement], budgets: EpsRange, width: fmpq, clock: Clock) -> Least:
    """The least x >= 0, exact or in an interval of the given width.

    Raises :class:`LimitReached`, which then says what bounds were proved.
    """
    closed = EpsRange(budgets.low, budgets.high, budgets.low > 0, budgets.high is not None)
    try:
        return _Search(demands, budgets, closed, clock).told(width)
    except InputError:  # a probability is undefined at an end that does not belong to the range
        return _Search(demands, budgets, budgets, clock).told(width)


class _Search:
    """One search; ``lower`` and ``upper`` are always proved bounds."""

    def __init__(
        self, demands: Sequence[Requirement], given: EpsRange, budgets: EpsRange, clock: Clock
    ) -> None:
        self.demands, self.given, self.budgets, self.clock = demands, given, budgets, clock
        self.judge = SignOracle(budgets)
        self.lower = fmpq(0)
        self.upper: fmpq | None = None
        self.steps = 0

    def told(self, width: fmpq) -> Least:
        """The result of :meth:`run`; a limit that ends it early says what bounds were proved."""
        try:
            found = self.run(width)
        except LimitReached as limit:
            raise LimitReached(f"{limit}: {self._so_far()}") from None
        self.clock.found(None)
        return found

    def _so_far(self) -> LimitReached:
        """What is proved, for those who wait no longer."""
        upper = "" if self.upper is None else f" and at most {self.upper}"
        return LimitReached(f"the answer is at least {self.lower}{upper}")

    def run(self, width: fmpq) -> Least:
        """The least x, exact or enclosed to ``width``."""
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
        """Each requirement with each end of the range, 0 or None, and its limit there."""
        ends: list[tuple[int, fmpq | None]] = [] if self.given.low else [(0, fmpq(0))]
        ends += [(1, None)] if self.given.high is None else []
        return [(i, place, demand.ends[k]) for k, place in ends for i, demand in enumerate(self.demands)]

    def _needing(self, x: fmpq, among: Sequence[int]) -> tuple[list[int], list[int]]:
        """The requirements that need more than x, and those that may."""
        active, doubtful = [], []
        self.steps += 1
        self.clock.found(self._so_far())
        for done, i in enumerate(among):
            self.clock.tick(f"bounds, step {self.steps}", done, len(among))
            match self.judge.decide(self._margin(i, x)):
                case Fails():
                    active.append(i)
                case Unclear():
                    doubtful.append(i)
        return active, doubtful

    def _margin(self, i: int, x: fmpq) -> ExpPoly:
        return without_monomial(self.demands[i].at(self.judge, x))

    # --- the answer is a limit, or 0 -----------------------------------------------------------

    def _reached(self, limits: Sequence[tuple[int, fmpq | None, Limit]]) -> Least:
        """All margins are >= 0 at the lower bound."""
        x = self.lower
        attained = self._touching(range(len(self.demands)), x)
        inside = None if attained is None else self._belongs(attained)
        if attained and attained[0].kind is Kind.EVERYWHERE:
            return Least(x, x, tuple(attained), inside)
        equal: dict[fmpq | None, list[int]] = {}
        for i, end, limit in limits:
            if limit.value == x:
                equal.setdefault(end, []).append(i)
        towards = (Spot(Kind.TOWARDS, self._greatest(among, end), end) for end, among in equal.items())
        return Least(x, x, (*self._as_given(attained or ()), *towards), inside)

    def _greatest(self, among: Sequence[int], end: fmpq | None) -> int:
        """Of requirements with the same limit, the one that needs most at some eps near the end.

        Any of them is a right answer; this one usually needs most on the way, too.
        """
        eps = self.budgets.low + NEAR if end is None else simplest_between(fmpq(0), self.budgets.high)
        known = {i: need.amount(arb(eps)) for i in among if (need := self.demands[i].exact) is not None}
        return reduce(lambda best, i: i if known[i] > known[best] else best, known) if known else among[0]

    def _touching(self, among: Sequence[int], x: fmpq) -> list[Spot] | None:
        """Where margins vanish though they grow with x there, all margins being >= 0; None: not settled.

        There is one spot for each place, or a single one if a margin vanishes everywhere.
        """
        found: dict[str, Spot] = {}
        settled = True
        for i in among:
            margin = self._margin(i, x)
            if not margin and self.demands[i].weight:
                return [Spot(Kind.EVERYWHERE, i)]
            try:
                for piece in self._zeros(i, margin):
                    place = piece.low.low if isinstance(piece.low, RootCluster) else piece.low
                    found.setdefault(str(place), Spot(Kind.AT, i, piece.low))
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
                assert isinstance(piece.low, RootCluster)
                raise Unsettled(piece.low.low, piece.low.high)
        return found

    def _positive_by_chain(self, margin: ExpPoly) -> bool:
        """Whether a derivative chain at 0, of numbers >= 0, proves the margin positive for all eps > 0."""
        answer = self.judge.decide(margin)
        at_open_end = not self.budgets.low and (not margin.has_inverse or self.budgets.high is None)
        return isinstance(answer, Holds) and isinstance(answer.proof, Chain | Inverse) and at_open_end

    def _belongs(self, spots: Sequence[Spot]) -> bool:
        """Whether one of the spots is in the range as given."""
        return any(
            spot.kind is Kind.EVERYWHERE
            or (spot.kind is Kind.AT and (not isinstance(spot.place, fmpq) or spot.place in self.given))
            for spot in spots
        )

    # --- the answer is somewhere inside ----------------------------------------------------------

    def _enclosed(self, active: list[int], width: fmpq) -> Least:
        bracket = self._bracket(active)
        if isinstance(bracket, Least):
            return bracket
        self.upper, active = bracket
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
                return self._at(spots, x, x)
        if (named := self._named(active)) is not None:
            i, place, name = named
            at_end = self._as_given([Spot(Kind.AT, i, place)])
            if (exact := name.rational) is not None:
                return Least(exact, exact, at_end, place in self.given)
            return Least(self.lower, self.upper, at_end, place in self.given, name=name)
        near = self._near(active)
        return Least(self.lower, self.upper, near, True if self._surely_inside(active, near) else None)

    def _named(self, active: Sequence[int]) -> tuple[int, fmpq, Name] | None:
        """The requirement that needs most, where, and how much, if that is at an end of the range."""
        needs = {i: need for i in active if (need := self.demands[i].exact) is not None}
        if len(needs) < len(active):
            return None
        margins = {i: self._margin(i, self.lower) for i in active}
        named = needed_at_end(margins, needs, self.budgets)
        assert self.upper is not None
        if named is not None:
            with ctx.workprec(PRECISION):
                ball = named[2].enclose()
            if ball < arb(self.lower) or ball > arb(self.upper):
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
        left_out = [end for end in (self.given.low, self.given.high) if end and end not in self.given]
        return inside and not any(end in (spot.low, spot.high) for end in left_out for spot in spots)

    def _has_gap(self, demand: Requirement) -> bool:
        """Whether the weight is, or may be, 0 at some eps of the range."""
        try:
            found = pieces([self.judge.numerator(demand.weight)], self.budgets)
        except Unsettled:
            return True
        return any(0 in signs for piece in found for signs in piece.readings)

    def _bracket(self, active: list[int]) -> tuple[fmpq, list[int]] | Least:
        """An x that is enough, and the requirements that need more than the lower bound; or the answer."""
        step = max(self.lower, fmpq(1))
        for turn in range(MOST_DOUBLINGS):
            x = self.lower + step
            needing, doubtful = self._needing(x, active)
            if needing:
                self.lower, active, step = x, [*needing, *doubtful], 2 * step
            elif doubtful:
                step = step * fmpq(5, 4)
            else:
                spots = self._touching(active, x)
                return self._at(spots, x, x) if spots else (x, active)
            if turn == PATIENCE and (poles := self._poles(active)):
                return self._at(poles, self.lower, None)
        return Least(self.lower, None, self._near(active), None, open=True)

    def _poles(self, active: Sequence[int]) -> list[Spot]:
        """Where a weight is 0 though something is needed: no x is enough."""
        return [
            Spot(Kind.AT, i, piece.low)
            for i in active
            if (need := self.demands[i].need) is not None
            for piece in pieces(list(map(self.judge.numerator, (need, self.demands[i].weight))), self.budgets)
            if all(needed > 0 and weight == 0 for needed, weight in piece.readings)
        ]

    def _at(self, spots: Sequence[Spot], low: fmpq, high: fmpq | None) -> Least:
        """The answer that these spots need."""
        return Least(low, high, self._as_given(spots), self._belongs(spots))

    def _as_given(self, spots: Sequence[Spot]) -> tuple[Spot, ...]:
        """The spots; at an end that does not belong to the range the least x is only approached."""
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
        spots: list[Spot] = []
        for i in active:
            with suppress(Unsettled):
                regions = violated_regions([self._margin(i, self.lower)], self.budgets)
                spots += [Spot(Kind.NEAR, i, None, *outer(region)) for region in regions]
        return tuple({(str(spot.low), str(spot.high)): spot for spot in reversed(spots)}.values())
