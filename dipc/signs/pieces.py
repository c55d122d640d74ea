"""The budgets cut into points and open intervals on each of which given functions have one sign.

A sign table (:mod:`dipc.signs.tables`) tells the signs between roots; here the roots themselves are pieces
too.  For that it must be known which functions share a root.  Let r be the only root, a simple one, of f in
(a, b), and s that of g in (c, d), where a, b, c, d are no roots; let h be the gcd of f and g.

* A sign change of h between max(a, c) and min(b, d) is a root of both: r = s.
* Otherwise r = s would be a common root of functions that are coprime near it, and without exp(k) and
  exp(b/eps) there is none (Lindemann): then r != s, and bisection separates them.
* With exp(k) or exp(b/eps) both can remain possible.  Below a width of 2^-128 the roots are left together
  as one *blurred* piece, and all signs that its functions may have there are told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from flint import fmpq

from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.polynomial import common_unit, join, split
from dipc.signs.eps_range import EpsRange, simplest_between
from dipc.signs.limits import LEAST_WIDTH, Unsettled
from dipc.signs.roots import Root
from dipc.signs.tables import roots_within

Signs = tuple[int, ...]

MOST_BLURRED = 6  # functions in one blurred piece


@dataclass(eq=False)
class Place:
    """A root of the functions ``members``; several roots: not told apart."""

    roots: list[Root]
    members: frozenset[int]

    @property
    def low(self) -> fmpq:
        return min(root.low for root in self.roots)

    @property
    def high(self) -> fmpq:
        return max(root.high for root in self.roots)


End = Place | fmpq | None  # None is infinity


@dataclass(frozen=True, slots=True)
class Piece:
    """A point (``low is high``) or an open interval of the budgets.

    ``sample`` is a rational number in it, None if there is none or none is known.  ``readings`` are the
    signs of the functions: one tuple, or several possible ones for a blurred piece.
    """

    low: End
    high: End
    sample: fmpq | None
    readings: tuple[Signs, ...]

    @property
    def is_point(self) -> bool:
        return self.low is self.high


def pieces(functions: Sequence[ExpPoly], budgets: EpsRange) -> list[Piece]:
    """The pieces from left to right.  Raises :class:`Unsettled`.

    >>> f = ExpPoly.exp(1) - 2                                         # roots ln 2 and 1
    >>> g = (ExpPoly.exp(1) - 2) * (ExpPoly.of(1, 1) - 1)
    >>> [piece.readings for piece in pieces([f, g], EpsRange.positive())]
    [((-1, 1),), ((0, 0),), ((1, -1),), ((1, 0),), ((1, 1),)]
    """

    def at(point: fmpq) -> Piece:
        return Piece(point, point, point, (_signs(functions, point),))

    if budgets.is_point:
        return [at(budgets.low)]
    found = [at(budgets.low)] if budgets.low_closed else []
    ends: list[End] = [budgets.low, *_places(functions, budgets), budgets.high]
    cells = [_cell(functions, left, right) for left, right in pairwise(ends)]
    found.append(cells[0])
    for before, after in pairwise(cells):
        found += [_at_place(before, after), after]
    if budgets.high is not None and budgets.high_closed:
        found.append(at(budgets.high))
    return found


def _signs(functions: Sequence[ExpPoly], point: fmpq) -> Signs:
    return tuple(f.sign_at(point) for f in functions)


def _cell(functions: Sequence[ExpPoly], left: End, right: End) -> Piece:
    after = left.high if isinstance(left, Place) else left
    before = right.low if isinstance(right, Place) else right
    assert after is not None
    sample = simplest_between(after, before)
    return Piece(left, right, sample, (_signs(functions, sample),))


def _at_place(before: Piece, after: Piece) -> Piece:
    """The piece between two cells: there only the members of the place can vanish."""
    place = before.high
    assert isinstance(place, Place)
    (left,), (right,) = before.readings, after.readings
    if len(place.roots) == 1:
        signs = tuple(0 if i in place.members else s for i, s in enumerate(left))
        (root,) = place.roots
        return Piece(place, place, root.low if root.is_rational else None, (signs,))
    if len(place.members) > MOST_BLURRED:
        raise Unsettled(place.low, place.high)
    choices = [
        sorted({s, 0, t}) if i in place.members else (s,)
        for i, (s, t) in enumerate(zip(left, right, strict=True))
    ]
    return Piece(place, place, None, tuple(product(*choices)))


def _places(functions: Sequence[ExpPoly], budgets: EpsRange) -> list[Place]:
    """The roots of all functions, from left to right."""
    places = [
        Place([root], frozenset([i]))
        for i, f in enumerate(functions)
        for root in roots_within(f, budgets.low, budgets.high)
    ]
    done = False
    while not done:
        places.sort(key=lambda place: place.low)
        places, done = _told_apart(places)
    return places


def _told_apart(places: list[Place]) -> tuple[list[Place], bool]:
    """One pass over the neighbours: join them or refine them; True if nothing was to be done."""
    kept: list[Place] = []
    done = True
    for place in places:
        if kept and kept[-1].high >= place.low:
            done = False
            if (joined := _joined(kept[-1], place)) is not None:
                kept[-1] = joined
                continue
            for root in (*kept[-1].roots, *place.roots):
                root.refine()
        kept.append(place)
    return kept, done


def _joined(left: Place, right: Place) -> Place | None:
    """Both as one, if they are, or cannot be told apart."""
    members = left.members | right.members
    roots = [*left.roots, *right.roots]
    if len(roots) == 2 and _shared(*roots):
        return Place(sorted(roots, key=lambda root: not root.is_rational)[:1], members)
    doubtful = len(roots) > 2 or any(root.factor.has_constants or root.factor.has_inverse for root in roots)
    return Place(roots, members) if doubtful and all(map(_narrow, roots)) else None


def _narrow(root: Root) -> bool:
    return root.high - root.low < LEAST_WIDTH


def _shared(r: Root, s: Root) -> bool:
    """Whether two roots are surely equal."""
    if r.is_rational or s.is_rational:
        exact, other = (r, s) if r.is_rational else (s, r)
        if other.is_rational:
            return exact.low == other.low
        return other.low < exact.low < other.high and other.factor.sign_at(exact.low) == 0
    if r.factor == s.factor:
        common = r.factor
    else:
        unit = common_unit(r.factor, s.factor)
        divisor = split(r.factor, unit).polynomial.gcd(split(s.factor, unit).polynomial)
        common = join(divisor, unit)
    low, high = max(r.low, s.low), min(r.high, s.high)
    return low < high and common.sign_at(low) * common.sign_at(high) < 0
