"""Quotients of exponential polynomials: the field of all probabilities.

A quotient is kept in lowest terms with a denominator in normal form (an integer polynomial in
eps, exp(eps/u), exp(1/u), exp(1/(u eps)) without content or monomial factor, leading coefficient
positive), so that equal functions are equal objects and can be counted, hashed and compared.  Most
probabilities of Laplace programs have denominator 1; that case never leaves :class:`ExpPoly`.
"""

from __future__ import annotations

from math import lcm

from flint import arb, fmpq

from dipc.probability.exppoly import ExpPoly, Key
from dipc.probability.polynomial import common_unit, join, split

_ONE = ExpPoly.of(1)


class Quotient:
    """``numerator / denominator``, two exponential polynomials in lowest terms.  Immutable.

    >>> z = Quotient(ExpPoly.exp(1))
    >>> p = z / (z + 1)
    >>> p, p + 1 / (z + 1) == Quotient.one()
    ((exp(eps))/(1 + exp(eps)), True)
    >>> (z * z - 1) / (z - 1)
    1 + exp(eps)
    """

    __slots__ = ("denominator", "numerator")

    def __init__(self, numerator: ExpPoly, denominator: ExpPoly = _ONE) -> None:
        if denominator is _ONE:
            self.numerator, self.denominator = numerator, denominator
        else:
            self.numerator, self.denominator = _lowest_terms(numerator, denominator)

    @staticmethod
    def one() -> Quotient:
        return Quotient(_ONE)

    @staticmethod
    def of(value: fmpq | int) -> Quotient:
        return Quotient(ExpPoly.of(value))

    def _lift(self, other: Quotient | fmpq | int) -> Quotient:
        return other if isinstance(other, Quotient) else Quotient.of(other)

    def __add__(self, other: Quotient | fmpq | int) -> Quotient:
        other = self._lift(other)
        if self.denominator is other.denominator or self.denominator == other.denominator:
            return Quotient(self.numerator + other.numerator, self.denominator)
        return Quotient(
            self.numerator * other.denominator + other.numerator * self.denominator,
            self.denominator * other.denominator,
        )

    def __neg__(self) -> Quotient:
        return self * -1

    def __sub__(self, other: Quotient | fmpq | int) -> Quotient:
        return self + -self._lift(other)

    def __mul__(self, other: Quotient | fmpq | int) -> Quotient:
        other = self._lift(other)
        if self.denominator is _ONE and other.denominator is _ONE:
            return Quotient(self.numerator * other.numerator)
        return Quotient(self.numerator * other.numerator, self.denominator * other.denominator)

    def __truediv__(self, other: Quotient | fmpq | int) -> Quotient:
        """The quotient; ZeroDivisionError if ``other`` is the zero function."""
        other = self._lift(other)
        return Quotient(self.numerator * other.denominator, self.denominator * other.numerator)

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: fmpq | int) -> Quotient:
        return self._lift(other) - self

    def __rtruediv__(self, other: fmpq | int) -> Quotient:
        return self._lift(other) / self

    def at_inverse(self) -> Quotient:
        """The function ``eps -> f(1/eps)``."""
        return Quotient(self.numerator.at_inverse()) / Quotient(self.denominator.at_inverse())

    def sign_at(self, point: fmpq) -> int:
        """The exact sign at a rational point that is no root of the denominator."""
        return self.numerator.sign_at(point) * self.denominator.sign_at(point)

    def enclose(self, eps: arb) -> arb:
        """A ball around the values on the ball ``eps``, at the precision of the context."""
        return self.numerator.enclose(eps) / self.denominator.enclose(eps)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Quotient):
            return NotImplemented
        return self.numerator == other.numerator and self.denominator == other.denominator

    def __hash__(self) -> int:
        return hash((self.numerator, self.denominator))

    def __bool__(self) -> bool:
        return bool(self.numerator)

    def __reduce__(self) -> tuple[type[Quotient], tuple[ExpPoly, ...]]:
        """Pickled without the denominator 1, which is recognised by its identity."""
        one = self.denominator is _ONE
        return Quotient, (self.numerator,) if one else (self.numerator, self.denominator)

    def __repr__(self) -> str:
        if self.denominator is _ONE:
            return repr(self.numerator)
        return f"({self.numerator})/({self.denominator})"


def _lowest_terms(numerator: ExpPoly, denominator: ExpPoly) -> tuple[ExpPoly, ExpPoly]:
    """Cancel the common factor and move the denominator's monomial and content above the line.

    With exponents of very different denominators the degrees are too great for a gcd: then only a common factor
    in the denominator's own unit is cancelled, see :func:`_by_residue`.
    """
    if not denominator:
        raise ZeroDivisionError("division by the zero function")
    if not numerator:
        return ExpPoly(), _ONE
    unit = common_unit(numerator, denominator)
    parts = {(0, 0, 0): numerator}
    if _degree(numerator, unit) + _degree(denominator, unit) > MOST_DEGREE:
        unit = common_unit(denominator)
        parts = _by_residue(numerator, unit)
    below = split(denominator, unit)
    common = below.polynomial
    for part in parts.values():
        common = common.gcd(split(part, unit).polynomial)
    bottom = below.polynomial / common
    result = ExpPoly()
    for shift, part in parts.items():
        above = split(part, unit)
        reduced = join(above.polynomial / common, unit) * above.monomial * above.scale
        result = result + reduced * _monomial(shift, common_unit(numerator, denominator))
    if bottom.leading_coefficient() < 0:
        result, bottom = -result, -bottom
    (((n, a, k, b), _),) = below.monomial.in_unit(unit).items()
    result = result * ExpPoly({(-n, -a, -k, -b): 1 / below.scale}, unit)
    return result, _ONE if bottom.is_one() else join(bottom, unit)


MOST_DEGREE = 5000


def _degree(f: ExpPoly, unit: int) -> int:
    """The degree in the greatest of the variables z, w and v of :mod:`dipc.probability.polynomial`."""
    items = f.in_unit(unit)
    return max(max(key[i] for key in items) - min(key[i] for key in items) for i in (1, 2, 3))


Shift = tuple[int, int, int]  # of the exponents a, k and b


def _by_residue(f: ExpPoly, unit: int) -> dict[Shift, ExpPoly]:
    """f as a sum of ``exp(shift) * part``, the exponents of the parts being multiples of 1/unit.

    A polynomial in the multiples of 1/unit divides f if and only if it divides every part.

    >>> _by_residue(ExpPoly.exp(fmpq(7, 2)) + ExpPoly.exp(2) * 5, 1)
    {(0, 0, 0): 5*exp(2*eps), (1, 0, 0): exp(3*eps)}
    """
    fine = lcm(unit, common_unit(f))
    step = fine // unit
    parts: dict[Shift, dict[Key, fmpq]] = {}
    for (n, a, k, b), c in f.in_unit(fine).items():
        part = parts.setdefault((a % step, k % step, b % step), {})
        part[n, a // step, k // step, b // step] = c
    return {shift: ExpPoly(items, unit) for shift, items in sorted(parts.items())}


def _monomial(shift: Shift, unit: int) -> ExpPoly:
    return ExpPoly({(0, *shift): fmpq(1)}, unit)
