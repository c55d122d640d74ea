"""Sign tables: a range of eps cut into points and open intervals on which given functions have one sign each.

**Which functions share a root** matters at the points.  Let r be the only root, a simple one, of f in (a, b),
and s that of g in (c, d), where a, b, c, d are not roots; let h be the gcd of f and g.

* A sign change of h between max(a, c) and min(b, d) is a root of both: r = s.
* Otherwise r = s would be a common root of functions that are coprime near it, and without exp(k) and
  exp(b/eps) there is none (Lindemann): then r != s, and bisection separates them.
* With exp(k) or exp(b/eps) both can remain possible.  Below a width of 2^-128 the roots are left together
  as one *blurred* point, with all signs that its functions may have there.

The open intervals alone (:func:`sign_table`) do not need this: there, roots closer than 2^-60, or
that part of their size, stay together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise, product

from flint import arb, ctx, fmpq

from dipc.clock import Tick, unlimited
from dipc.errors import InternalError
from dipc.frozen import frozen
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.polynomial import grid_of, join, split
from dipc.signs.eps_range import EpsRange, simplest_between
from dipc.signs.limits import Unsettled
from dipc.signs.roots import Root, may_coincide, positive_roots

COARSE = fmpq(1, 2**60)
MOST_BLURRED = 6  # functions at one blurred point
CLOSE = 2**30
LEAST_PLAIN, MOST_PLAIN = -5, 20  # the first digits of numbers that are shown without a power of ten

Signs = tuple[int, ...]


@frozen
class RootCluster:
    """A root of one or more of the functions; several roots: not told apart.

    ``members`` are the functions with a root here: only their signs can differ on the two sides, or
    anywhere in between.
    """

    roots: tuple[Root, ...]
    members: frozenset[int]

    @property
    def is_rational(self) -> bool:
        """Whether it is known to be one rational number."""
        return len(self.roots) == 1 and self.roots[0].is_rational

    @property
    def low(self) -> fmpq:
        """No root lies below it."""
        return min(root.low for root in self.roots)

    @property
    def high(self) -> fmpq:
        """No root lies above it."""
        return max(root.high for root in self.roots)


End = RootCluster | fmpq | None  # roots, an end of the range, or infinity


@frozen
class Piece:
    """A point (``low is high``) or an open interval.

    ``sample`` is a simple rational in it, None if there is none or none is known.  ``readings`` are the signs
    of the functions: one tuple, or several possible ones at a blurred point.
    """

    low: End
    high: End
    sample: fmpq | None
    readings: tuple[Signs, ...]

    @property
    def is_point(self) -> bool:
        """Whether it is a point."""
        return self.low is self.high


@frozen
class OpenInterval(Piece):
    """An open interval, on which every function has a constant sign."""

    sample: fmpq

    @property
    def signs(self) -> Signs:
        """The signs of the functions."""
        return self.readings[0]


def sign_table(functions: Sequence[ExpPoly], eps_range: EpsRange) -> tuple[OpenInterval, ...]:
    """The open intervals of constant signs, from left to right.

    The only "interval" of a range that is one point is that point.  Raises
    :class:`~dipc.signs.limits.Unsettled`.
    """
    if eps_range.is_point:
        return (_at(functions, eps_range.low),)
    return _open_intervals(functions, eps_range, _clusters(functions, eps_range))


def pieces(functions: Sequence[ExpPoly], eps_range: EpsRange, tick: Tick = unlimited) -> list[Piece]:
    """The points and the open intervals, from left to right.  Raises :class:`~dipc.signs.limits.Unsettled`.

    >>> from dipc.numbers.exppoly import ExpPoly
    >>> f = ExpPoly.exp(1) - 2                                         # roots ln 2 and 1
    >>> g = (ExpPoly.exp(1) - 2) * (ExpPoly.of(1, 1) - 1)
    >>> [piece.readings for piece in pieces([f, g], EpsRange.positive())]
    [((-1, 1),), ((0, 0),), ((1, -1),), ((1, 0),), ((1, 1),)]
    """
    if eps_range.is_point:
        return [_at(functions, eps_range.low)]
    found: list[Piece] = [_at(functions, eps_range.low)] if eps_range.low_closed else []
    cells = _open_intervals(functions, eps_range, _roots_told_apart(functions, eps_range, tick), tick)
    found.append(cells[0])
    for before, after in pairwise(cells):
        found += [_between(before, after), after]
    if eps_range.high is not None and eps_range.high_closed:
        found.append(_at(functions, eps_range.high))
    return found


def _at(functions: Sequence[ExpPoly], point: fmpq) -> OpenInterval:
    return OpenInterval(point, point, point, (tuple(f.sign_at(point) for f in functions),))


def _open_intervals(
    functions: Sequence[ExpPoly],
    eps_range: EpsRange,
    borders: Sequence[RootCluster],
    tick: Tick = unlimited,
) -> tuple[OpenInterval, ...]:
    ends: list[End] = [eps_range.low, *borders, eps_range.high]
    cells = []
    for left, right in pairwise(ends):
        tick()
        after = left.high if isinstance(left, RootCluster) else left
        before = right.low if isinstance(right, RootCluster) else right
        assert after is not None
        sample = simplest_between(after, before)
        signs = tuple(f.sign_at(sample) for f in functions)
        if any(f and not sign for f, sign in zip(functions, signs, strict=True)):
            raise InternalError(f"an inequality has a root at {sample} that was not found")
        cells.append(OpenInterval(left, right, sample, (signs,)))
    return tuple(cells)


def _between(before: OpenInterval, after: OpenInterval) -> Piece:
    """The point between two open intervals: there only the members of the cluster can vanish."""
    place = before.high
    assert isinstance(place, RootCluster)
    if len(place.roots) == 1:
        signs = tuple(0 if i in place.members else s for i, s in enumerate(before.signs))
        (root,) = place.roots
        return Piece(place, place, root.low if root.is_rational else None, (signs,))
    if len(place.members) > MOST_BLURRED:
        raise Unsettled(place.low, place.high)
    choices = [
        sorted({s, 0, t}) if i in place.members else (s,)
        for i, (s, t) in enumerate(zip(before.signs, after.signs, strict=True))
    ]
    return Piece(place, place, None, tuple(product(*choices)))


# --- the roots of all functions, from left to right -------------------------------------------------


def roots_within(f: ExpPoly, low: fmpq, high: fmpq | None) -> tuple[Root, ...]:
    """:func:`positive_roots`, remembered; none for the zero function.

    They come in the same intervals every time, whatever was asked before: samples and answers depend on them.
    """
    return tuple(replace(root) for root in _remembered(f, low, high))


@lru_cache(maxsize=8192)
def _remembered(f: ExpPoly, low: fmpq, high: fmpq | None) -> tuple[Root, ...]:
    return tuple(positive_roots(f, low, high)) if f else ()


def _all_roots(
    functions: Sequence[ExpPoly], eps_range: EpsRange, tick: Tick = unlimited
) -> list[RootCluster]:
    found = []
    for i, f in enumerate(functions):
        tick()
        roots = roots_within(f, eps_range.low, eps_range.high)
        found += [RootCluster((root,), frozenset([i])) for root in roots]
    return found


def _clusters(functions: Sequence[ExpPoly], eps_range: EpsRange) -> list[RootCluster]:
    """Those that are too close to be worth telling apart are put together."""
    found = sorted(_all_roots(functions, eps_range), key=lambda place: place.low)
    if len({i for place in found for i in place.members}) > 1:  # the roots of one function are apart already
        for place in found:
            place.roots[0].refine_to(COARSE * min(fmpq(1), sharpened(place)))
        found.sort(key=lambda place: place.low)
    groups: list[list[RootCluster]] = []
    reach = fmpq(-1)
    for place in found:
        if place.low > reach:
            groups.append([])
        groups[-1].append(place)
        reach = max(reach, place.high)
    clusters = []
    for group in groups:
        roots = [place.roots[0] for place in group]
        # Roots of one factor in the same interval are surely equal: only one of them is kept.
        different = {(r.low, None if r.is_rational else (r.high, r.factor)): r for r in roots}
        members = frozenset(i for place in group for i in place.members)
        clusters.append(RootCluster(tuple(different.values()), members))
    return clusters


def _roots_told_apart(functions: Sequence[ExpPoly], eps_range: EpsRange, tick: Tick) -> list[RootCluster]:
    """Each root separately, except those that cannot be told apart."""
    places, done = _all_roots(functions, eps_range, tick), False
    while not done:
        places.sort(key=lambda place: place.low)
        places, done = _told_apart(places, tick)
    return places


def _told_apart(places: list[RootCluster], tick: Tick) -> tuple[list[RootCluster], bool]:
    """One pass over the neighbours: join them or refine them; True if there was nothing to do."""
    kept: list[RootCluster] = []
    done = True
    for place in places:
        tick()
        if kept and kept[-1].high >= place.low:
            done = False
            if (joined := _joined(kept[-1], place)) is not None:
                kept[-1] = joined
                continue
            for root in (*kept[-1].roots, *place.roots):
                root.refine()
        kept.append(place)
    return kept, done


def _joined(left: RootCluster, right: RootCluster) -> RootCluster | None:
    """Both as one, if they are, or cannot be told apart."""
    members = left.members | right.members
    roots = (*left.roots, *right.roots)
    if len(roots) == 2 and _shared(*roots):
        return RootCluster((next((root for root in roots if root.is_rational), roots[0]),), members)
    narrow = all(root.is_narrow for root in roots)
    doubtful = narrow and (len(roots) > 2 or may_coincide(*roots))
    return RootCluster(roots, members) if doubtful else None


def _shared(r: Root, s: Root) -> bool:
    """Whether two roots are surely equal."""
    if r.is_rational or s.is_rational:
        exact, other = (r, s) if r.is_rational else (s, r)
        if other.is_rational:
            return exact.low == other.low
        return other.low < exact.low < other.high and other.factor.sign_at(exact.low) == 0
    if r.factor == s.factor:
        common = r.factor
    elif (grid := grid_of(r.factor, s.factor)) is not None:
        common = join(split(r.factor, grid).polynomial.gcd(split(s.factor, grid).polynomial), grid)
    else:
        return False
    low, high = max(r.low, s.low), min(r.high, s.high)
    return low < high and common.sign_at(low) * common.sign_at(high) < 0


def vanishes_at(f: ExpPoly, root: Root) -> bool:
    """Whether a function is surely 0 at a root of another one."""
    if root.is_rational:
        return f.sign_at(root.low) == 0
    return not f or _shared(Root(f, root.low, root.high), root)


def surely_not_zero(f: ExpPoly, root: Root) -> bool:
    """Whether a function is surely not 0 at a root of another one, which is narrowed for that."""
    while not root.is_rational and not root.is_narrow:
        with ctx.workprec(64 + 2 * int((1 / root.width).ceil()).bit_length()):
            if not f.enclose(arb((root.low + root.high) / 2, root.width / 2)).contains(0):
                return True
        root.refine()
    return root.is_rational and f.sign_at(root.low) != 0


# --- as text ------------------------------------------------------------------------------------------


def end_as_text(end: End, digits: int = 10) -> str:
    """Exact if rational, else rounded as :func:`places_of` tells; "inf" for infinity."""
    if not isinstance(end, RootCluster):
        return "inf" if end is None else str(end)
    places = places_of(sharpened(end), digits)
    root = end.roots[0]
    root.refine_to(fmpq(10) ** -(places + 1))
    return str(root.low) if root.is_rational else decimal_text((root.low + root.high) / 2, places)


def sharpened(place: RootCluster) -> fmpq:
    """A number close to an isolated place, compared with its size."""
    for root in place.roots:
        while root.high - root.low > root.low / CLOSE:
            root.refine()
    return place.low


def places_of(value: fmpq, digits: int) -> int:
    """How many decimals a number > 0 is shown with; below 0 where its last whole digits are not.

    So many decimals; for small numbers so many significant digits, for large ones at most twice as many.

    >>> [places_of(x, 10) for x in (fmpq(1, 10**13), fmpq(1, 3), fmpq(47), fmpq(10**13), fmpq(10**30))]
    [22, 10, 10, 6, -11]
    """
    first = exponent_of(value)
    return digits - 1 - first if first < -1 else min(digits, 2 * digits - 1 - first)


def exponent_of(value: fmpq) -> int:
    """The place of the first digit: n with ``10^n <= value < 10^(n + 1)``."""
    guess = len(str(value.p)) - len(str(value.q))
    return guess if value >= fmpq(10) ** guess else guess - 1


def decimal_text(value: fmpq, places: int) -> str:
    """A rational rounded to so many decimals, with a power of ten if it is very small or large.

    >>> decimal_text(fmpq(2, 3), 4), decimal_text(fmpq(2, 3) / 10**12, 16), decimal_text(fmpq(10**30), -11)
    ('0.6667', '6.667e-13', '1e30')
    >>> decimal_text(fmpq(9999, 10**19), 18)
    '1e-15'
    """
    scale = fmpq(10) ** places
    value = fmpq((value * scale + fmpq(1, 2)).floor()) / scale
    first = exponent_of(value) if value else 0
    if LEAST_PLAIN <= first <= MOST_PLAIN:
        return decimal(value, max(places, 0))
    return f"{decimal(value / fmpq(10) ** first, max(places + first, 0))}e{first}"


def decimal(value: fmpq, digits: int) -> str:
    """A rational rounded to ``digits`` decimals, trailing zeros dropped."""
    scaled = abs(value) * 10**digits + fmpq(1, 2)
    whole, rest = divmod(int(scaled.floor()), 10**digits)
    text = f"{whole}.{rest:0{digits}d}".rstrip("0").rstrip(".")
    return "-" + text if value < 0 and text != "0" else text
