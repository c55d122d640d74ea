"""Fractions of polynomials in eps, exp(eps/u), exp(1/u) and exp(1/(u eps)): the field of eliminations.

The same functions as :class:`~dipc.numbers.quotient.Quotient`, in a form that is some hundred times faster to
calculate with and has no views: all functions of one calculation share the unit u, the polynomials stay in
python-flint (dense ones, where only low powers of exp(eps/u) occur), and sums and products reduce with
Henrici's rules (Knuth, *The Art of Computer Programming*, 4.5.1), that is, with the gcds of small parts.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import lcm
from typing import Any, TypeVar

from flint import fmpq, fmpz_mpoly, fmpz_poly

from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.polynomial import Grid, context, join
from dipc.numbers.quotient import Quotient

DENSE = 16  # the largest degree of polynomials in exp(eps/u) with which a calculation in dense ones begins


Polynomial = fmpz_mpoly | fmpz_poly
"""In the variables of :mod:`dipc.numbers.polynomial`, or in exp(eps/u): one kind in a calculation."""
P = TypeVar("P", fmpz_mpoly, fmpz_poly)


class Ratio:
    """``numerator / denominator``, coprime polynomials.

    >>> z = Ratio.of(Quotient(ExpPoly.exp(1)), 1)
    >>> one = z / z
    >>> (z / (z + one) + one / (z + one)) == one, (z / (z + one)).quotient(1)
    (True, (exp(eps))/(1 + exp(eps)))
    """

    __slots__ = ("denominator", "numerator")

    def __init__(self, numerator: Polynomial, denominator: Polynomial) -> None:
        """Internal: coprime, the leading coefficient of the denominator positive."""
        self.numerator: Any = numerator
        self.denominator: Any = denominator

    @staticmethod
    def of(value: Quotient, unit: int) -> Ratio:
        """A quotient whose exponents are multiples of 1/unit.

        >>> Ratio.of(Quotient(ExpPoly.exp(-2) * 6) / 4, 1).quotient(1)
        3/2*exp(-2*eps)
        """
        above, below = _polynomial(value.numerator, unit), _polynomial(value.denominator, unit)
        return Ratio.reduced(above[0] * below[1], above[1] * below[0])

    @staticmethod
    def reduced(numerator: P, denominator: P) -> Ratio:
        """The fraction in lowest terms; the leading coefficient of the denominator is positive."""
        common = numerator.gcd(denominator)
        return Ratio(numerator / common, denominator / common)

    def over(self, denominator: Polynomial) -> Polynomial:
        """The numerator over a multiple of the own denominator."""
        return self.numerator * (denominator / self.denominator)  # type: ignore[no-any-return]

    def quotient(self, unit: int) -> Quotient:
        """The function as a quotient."""
        return Quotient(_function(self.numerator, unit)) / Quotient(_function(self.denominator, unit))

    def __add__(self, other: Ratio) -> Ratio:
        common = self.denominator.gcd(other.denominator)
        left, right = self.denominator / common, other.denominator / common
        above = self.numerator * right + other.numerator * left
        if above.is_zero():
            return Ratio(above, left / left)
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


def in_one_ring(values: Iterable[Quotient], unit: int) -> dict[Quotient, Ratio]:
    """The functions as ratios to calculate with together; exponents are multiples of 1/unit."""
    ratios = {value: Ratio.of(value, unit) for value in values}
    degrees = [f.degrees() for ratio in ratios.values() for f in (ratio.numerator, ratio.denominator)]
    if any(max(n, k, b) > 0 or a > DENSE for n, a, k, b in degrees):
        return ratios
    return {value: Ratio(_dense(r.numerator), _dense(r.denominator)) for value, r in ratios.items()}


def _dense(f: fmpz_mpoly) -> fmpz_poly:
    """A polynomial in exp(eps/u) alone."""
    items = f.to_dict()
    return fmpz_poly([items.get((0, a, 0, 0), 0) for a in range(f.degrees()[1] + 1)])


def _function(f: fmpz_mpoly | fmpz_poly, unit: int) -> ExpPoly:
    if isinstance(f, fmpz_mpoly):
        return join(f, Grid(unit))
    return ExpPoly({(0, a, 0, 0): fmpq(c) for a, c in enumerate(f.coeffs()) if c}, unit)


def common_denominator(ratios: Iterable[Ratio], terms: int, bits: int) -> Polynomial | None:
    """The least common multiple of the denominators of one ratio or more.

    None if it gets more than so many terms, or more than so many bits in the leading coefficient.
    """
    denominators = [ratio.denominator for ratio in ratios]
    common = denominators[0]
    for denominator in denominators:
        if denominator != common:
            common = common * (denominator / common.gcd(denominator))
        if len(common) > terms or common.leading_coefficient().bit_length() > bits:
            return None
    return common  # type: ignore[no-any-return]


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
