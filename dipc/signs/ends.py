"""Ends of intervals of eps as text: exact, or rounded such that what is said about the interval stays true.

**Inwards.**  "Broken for a < eps < b" is said of every eps between: an irrational a is rounded up and an
irrational b down, to ten significant digits or more.  A decimal that the root is compared with lies on one
side of it, which an exact sign decides, so that the rounding is the same whatever was refined before.  Short
intervals get as many digits as it takes to keep three digits of their length: no interval reads as empty.

**For machines** an irrational end has a name where it is a simple one, ``ln(2)``, and always two decimals
around it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from math import gcd, lcm
from typing import Any, NamedTuple, Protocol

from flint import fmpq, fmpq_poly

from dipc.frozen import frozen
from dipc.numbers.exact import smallest_base
from dipc.numbers.exppoly import ExpPoly
from dipc.signs.eps_range import EpsRange
from dipc.signs.roots import Root
from dipc.signs.tables import End, Piece, RootCluster, decimal_text, end_as_text, places_of, sharpened

MOST_DEGREE = 64  # of a polynomial whose roots get names
DIGITS = 10  # that people see
ENCLOSING = 20  # digits of the two decimals around an end
ROUNDED = " (rounded inwards)"


class HasEnds(Protocol):
    """An interval of eps."""

    @property
    def low(self) -> End: ...

    @property
    def high(self) -> End: ...

    @property
    def low_closed(self) -> bool: ...

    @property
    def high_closed(self) -> bool: ...


@frozen
class ShownEnd:
    """An end of an interval: its ``text``, exact or rounded; an exact name if it has one; decimals around it.

    A rational number is exact and has no decimals around it; infinity is ``inf``.
    """

    text: str
    exact: str | None
    low: str | None = None
    high: str | None = None
    closed: bool = False

    @property
    def is_rounded(self) -> bool:
        """Whether the text is not the number itself."""
        return self.text != self.exact

    def record(self) -> dict[str, Any]:
        """As JSON: a rational number is its own enclosure, infinity has none."""
        number = None if self.exact == "inf" else self.exact
        low, high = self.low or number, self.high or number
        return {"exact": self.exact, "low": low, "high": high, "closed": self.closed}


@frozen
class Interval:
    """An interval of eps as it is shown: all of what is between the texts of its ends belongs to it."""

    low: ShownEnd
    high: ShownEnd

    @property
    def is_point(self) -> bool:
        """Whether it is one eps only."""
        return self.low.text == self.high.text

    @property
    def is_rounded(self) -> bool:
        """Whether an end is not shown exactly."""
        return self.low.is_rounded or self.high.is_rounded

    @property
    def texts(self) -> tuple[str, str]:
        """Both ends."""
        return self.low.text, self.high.text

    @property
    def closed(self) -> tuple[bool, bool]:
        """Whether the ends belong to it."""
        return self.low.closed, self.high.closed

    def words(self, marked: bool = True) -> str:
        """``0 < eps ≤ 1``, ``eps = 1`` or ``eps ≈ 0.6931471806``; what is rounded is marked."""
        if self.is_point:
            return f"eps {'≈' if self.is_rounded else '='} {self.low.text}"
        below, above = ("≤" if closed else "<" for closed in self.closed)
        return f"{self.low.text} {below} eps {above} {self.high.text}{ROUNDED * (marked and self.is_rounded)}"

    def brackets(self, marked: bool = True) -> str:
        """``(0, 1]``, ``{1}`` or ``{≈ 0.6931471806}``: of a rounded point the mark, if asked for."""
        if self.is_point:
            return f"{{{'≈ ' * (marked and self.is_rounded)}{self.low.text}}}"
        opening, closing = "[" if self.low.closed else "(", "]" if self.high.closed else ")"
        return f"{opening}{self.low.text}, {self.high.text}{closing}"

    def record(self) -> list[dict[str, Any]]:
        """Both ends as JSON."""
        return [self.low.record(), self.high.record()]


def shown(region: HasEnds) -> Interval:
    """An interval as it is shown.

    >>> from dipc.numbers.exppoly import ExpPoly
    >>> from dipc.signs.eps_range import EpsRange
    >>> from dipc.signs.tables import pieces
    >>> at_most_1, *_ = pieces([ExpPoly.exp(3) - 4], EpsRange.positive())
    >>> shown(Region(at_most_1.low, at_most_1.high, False, True)).words()
    '0 < eps ≤ 0.4620981203 (rounded inwards)'
    >>> shown(Region(at_most_1.high, at_most_1.high, True, True)).high.record()["exact"]
    '2/3*ln(2)'
    """
    low, high = region.low, region.high
    if low is high or (isinstance(low, fmpq) and low == high):
        point = _shown(low, end_as_text(low), closed=True)
        return Interval(point, point)
    places = _places_between(low, high)
    return Interval(
        _shown(low, _rounded(low, True, places), region.low_closed, places),
        _shown(high, _rounded(high, False, places), region.high_closed, places),
    )


def runs(found: Iterable[Piece], holds: Callable[[Piece], bool]) -> Iterator[tuple[Region, list[Piece]]]:
    """The maximal intervals of pieces, from left to right, for which this holds, with their pieces."""
    for good, some in groupby(found, holds):
        if good:
            run = list(some)
            yield Region(run[0].low, run[-1].high, run[0].is_point, run[-1].is_point), run


def between(low: End, high: End, eps_range: EpsRange) -> Interval:
    """An interval as it is shown; ends belong to it where they belong to the range."""
    low_closed, high_closed = (
        isinstance(end, RootCluster) or (end is not None and end in eps_range) for end in (low, high)
    )
    return shown(Region(low, high, low_closed, high_closed))


def union(intervals: Sequence[Interval]) -> str:
    """Several intervals in words, with one mark: ``0 < eps < 1 or 1 < eps < 3/2``; nothing for none."""
    return _marked(" or ".join(each.words(marked=False) for each in intervals), intervals)


def union_in_brackets(intervals: Sequence[Interval]) -> str:
    """The same in brackets: ``(0, 1) or (1, 3/2)``."""
    return _marked(" or ".join(each.brackets() for each in intervals), intervals)


def _marked(text: str, intervals: Sequence[Interval]) -> str:
    return text + ROUNDED * any(each.is_rounded and not each.is_point for each in intervals)


class Region(NamedTuple):
    """A set of neighbouring eps: an interval, or one point (both ends are the same)."""

    low: End
    high: End
    low_closed: bool = False
    high_closed: bool = False


def about(end: End) -> str:
    """``= 1/2`` or ``≈ 0.6931471806``: what follows ``eps`` where a point is meant."""
    return f"{'=' if _is_exact(end) else '≈'} {end_as_text(end)}"


def towards(end: End) -> str:
    """``1/2`` or ``0.6931471806 (rounded)``: what an eps tends to."""
    return f"{end_as_text(end)}{' (rounded)' * (not _is_exact(end))}"


def _is_exact(end: End) -> bool:
    return not isinstance(end, RootCluster) or end.is_rational


def _shown(end: End, text: str, closed: bool, places: int | None = None) -> ShownEnd:
    if not isinstance(end, RootCluster) or end.is_rational:
        return ShownEnd(text, text, closed=closed)
    least = None if places is None else places + DIGITS
    low, high = (_rounded(end, up, least, ENCLOSING) for up in (False, True))
    return ShownEnd(text, _name_of(end.roots), low, high, closed)


def _name_of(roots: Sequence[Root]) -> str | None:
    """``ln(2)`` or ``sqrt(1/2)``; None for other roots.

    >>> [_name_of([Root(f, fmpq(0), fmpq(1))]) for f in (2 - ExpPoly.exp(fmpq(3, 2)), 1 - ExpPoly.of(2, 2))]
    ['2/3*ln(2)', 'sqrt(1/2)']
    """
    if len(roots) > 1:
        return None
    terms = list(roots[0].factor.terms())
    if (name := _logarithm(roots[0])) is not None or len(terms) != 2:
        return name
    (c, n, a, *fixed), (d, m, b, *others) = terms
    if any(fixed) or any(others):
        return None
    if a == b and abs(n - m) == 2:
        return f"sqrt({-d / c if n > m else -c / d})"
    return None


def _logarithm(root: Root) -> str | None:
    """A root ``k*ln(r)`` of a polynomial in some exp(c*eps), for the least rational r; None for other roots.

    >>> f = 20 - ExpPoly.exp(1) - ExpPoly.exp(2)
    >>> _logarithm(Root(f, fmpq(1), fmpq(2)))
    '2*ln(2)'
    """
    terms = list(root.factor.terms())
    rates = [term.rate for term in terms]
    if any(term.power != terms[0].power or term.constant or term.inverse for term in terms):
        return None
    unit = lcm(*(int(rate.q) for rate in rates))
    degrees = [int((rate - min(rates)) * unit) for rate in rates]
    step = gcd(*degrees)
    if not step or max(degrees) > MOST_DEGREE * step:
        return None
    least, degrees = fmpq(step, unit), [degree // step for degree in degrees]
    coefficients = [fmpq(0)] * (max(degrees) + 1)
    for degree, term in zip(degrees, terms, strict=True):
        coefficients[degree] = term.coefficient
    for factor, _ in fmpq_poly(coefficients).numer().factor()[1]:
        degree = factor.degree()
        if any(factor[k] for k in range(1, degree)) or (value := fmpq(-factor[0], factor[degree])) <= 1:
            continue
        simple = ExpPoly.exp(degree * least) - value
        if simple.sign_at(root.low) < 0 < simple.sign_at(root.high):
            base, power = smallest_base(value)
            times = power / (degree * least)
            return f"ln({base})" if times == 1 else f"{times}*ln({base})"
    return None


# --- rounding ------------------------------------------------------------------------------------------


def _places_between(low: End, high: End) -> int | None:
    """After how many decimals the length of an interval has three digits; None if any number will do."""
    if low is None or high is None or (_is_exact(low) and _is_exact(high)):
        return None
    roots = [root for end in (low, high) if isinstance(end, RootCluster) for root in end.roots]
    while True:
        above = low.high if isinstance(low, RootCluster) else low
        below = high.low if isinstance(high, RootCluster) else high
        if below - above > 16 * sum((root.width for root in roots), fmpq(0)):
            return places_of(below - above, 3)
        for root in roots:
            root.refine()


def _rounded(end: End, up: bool, least: int | None, digits: int = DIGITS) -> str:
    """An end rounded up or down, to so many digits and at least so many decimals; exact if rational."""
    if not isinstance(end, RootCluster) or end.is_rational:
        return end_as_text(end)
    places = places_of(sharpened(end), digits)
    places = places if least is None else max(places, least)
    values = [rounded_root(root, places, up) for root in end.roots]
    return decimal_text(max(values) if up else min(values), places)


def rounded_root(root: Root, places: int, up: bool) -> fmpq:
    """The next decimal above or below a root, or the root itself."""
    scale = fmpq(10) ** places
    root.refine_to(1 / (100 * scale))
    cut = (root.low * scale).ceil() / scale
    if not root.low < cut < root.high:
        return rounded(root.high if up else root.low, places, up)
    sign = root.factor.sign_at(cut)
    if not sign:
        return cut
    is_below = sign == root.factor.sign_at(root.high)
    return cut if is_below == up else cut + (1 if up else -1) / scale


def rounded(value: fmpq, places: int, up: bool) -> fmpq:
    """The next decimal above or below a number, or the number itself.

    >>> rounded(fmpq(2, 3), 2, True), rounded(fmpq(2, 3), 2, False), rounded(fmpq(1234), -2, False)
    (67/100, 33/50, 1200)
    """
    scale = fmpq(10) ** places
    return fmpq((value * scale).ceil() if up else (value * scale).floor()) / scale


def outwards(value: fmpq, up: bool, digits: int = DIGITS) -> str:
    """A number that is not negative, rounded away from what it bounds, to so many digits.

    >>> outwards(fmpq(2, 3), True), outwards(fmpq(2, 3) / 10**40, False), outwards(fmpq(1, 8), True)
    ('0.6666666667', '6.666666666e-41', '0.125')
    """
    if not value:
        return "0"
    places = places_of(value, digits)
    return decimal_text(rounded(value, places, up), places)
