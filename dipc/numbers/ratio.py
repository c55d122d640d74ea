"""Fractions of polynomials in eps, exp(eps/u), exp(1/u) and exp(1/(u eps)): the field of eliminations.

The same functions as :class:`~dipc.numbers.quotient.Quotient`, in a form that is some hundred times faster to
calculate with and has no views: all functions of one calculation share the unit u, the polynomials stay in
python-flint, and sums and products reduce with Henrici's rules (Knuth, *The Art of Computer Programming*,
4.5.1), that is, with the gcds of small parts.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import lcm

from flint import fmpz_mpoly

from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.polynomial import context, join
from dipc.numbers.quotient import Quotient


class Ratio:
    """``numerator / denominator``, coprime polynomials in the variables of :mod:`dipc.numbers.polynomial`.

    >>> z = Ratio.of(Quotient(ExpPoly.exp(1)), 1)
    >>> one = z / z
    >>> (z / (z + one) + one / (z + one)) == one, (z / (z + one)).quotient(1)
    (True, (exp(eps))/(1 + exp(eps)))
    """

    __slots__ = ("denominator", "numerator")

    def __init__(self, numerator: fmpz_mpoly, denominator: fmpz_mpoly) -> None:
        """Internal: coprime, the leading coefficient of the denominator positive."""
        self.numerator, self.denominator = numerator, denominator

    @staticmethod
    def of(value: Quotient, unit: int) -> Ratio:
        """A quotient whose exponents are multiples of 1/unit.

        >>> Ratio.of(Quotient(ExpPoly.exp(-2) * 6) / 4, 1).quotient(1)
        3/2*exp(-2*eps)
        """
        above, below = _polynomial(value.numerator, unit), _polynomial(value.denominator, unit)
        return Ratio.reduced(above[0] * below[1], above[1] * below[0])

    @staticmethod
    def reduced(numerator: fmpz_mpoly, denominator: fmpz_mpoly) -> Ratio:
        """The fraction in lowest terms; the leading coefficient of the denominator is positive."""
        common = numerator.gcd(denominator)
        return Ratio(numerator / common, denominator / common)

    def over(self, denominator: fmpz_mpoly) -> fmpz_mpoly:
        """The numerator over a multiple of the own denominator."""
        return self.numerator * (denominator / self.denominator)

    def quotient(self, unit: int) -> Quotient:
        """The function as a quotient."""
        return Quotient(join(self.numerator, unit)) / Quotient(join(self.denominator, unit))

    def __add__(self, other: Ratio) -> Ratio:
        common = self.denominator.gcd(other.denominator)
        left, right = self.denominator / common, other.denominator / common
        above = self.numerator * right + other.numerator * left
        if above.is_zero():
            return Ratio(above, context().from_dict({(0, 0, 0, 0): 1}))
        shared = above.gcd(common)
        return Ratio(above / shared, left * (other.denominator / shared))

    def __sub__(self, other: Ratio) -> Ratio:
        return self + Ratio(-other.numerator, other.denominator)

    def __mul__(self, other: Ratio) -> Ratio:
        first, second = self.numerator.gcd(other.denominator), other.numerator.gcd(self.denominator)
        above = (self.numerator / first) * (other.numerator / second)
        return Ratio(above, (self.denominator / second) * (other.denominator / first))

    def __truediv__(self, other: Ratio) -> Ratio:
        if other.numerator.is_zero():
            raise ZeroDivisionError("division by the zero function")
        sign = 1 if other.numerator.leading_coefficient() > 0 else -1
        return self * Ratio(other.denominator * sign, other.numerator * sign)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ratio):
            return NotImplemented
        return bool(self.numerator == other.numerator and self.denominator == other.denominator)

    __hash__ = None  # type: ignore[assignment]  # polynomials of python-flint have none


def common_denominator(ratios: Iterable[Ratio], limit: int) -> fmpz_mpoly | None:
    """The least common multiple of the denominators; None if it gets more than so many terms."""
    common = context().from_dict({(0, 0, 0, 0): 1})
    for ratio in ratios:
        if ratio.denominator != common:
            common = common * (ratio.denominator / common.gcd(ratio.denominator))
            if len(common) > limit:
                return None
    return common


def _polynomial(f: ExpPoly, unit: int) -> tuple[fmpz_mpoly, fmpz_mpoly]:
    """Two polynomials, the second a number times a monomial, whose quotient is f."""
    items = f.in_unit(unit)
    low = [min(0, *(key[i] for key in items), 0) for i in range(4)]
    common = lcm(*(int(c.q) for c in items.values()))
    above = {
        tuple(e - least for e, least in zip(key, low, strict=True)): int((c * common).p)
        for key, c in items.items()
    }
    return context().from_dict(above), context().from_dict({tuple(-least for least in low): common})
