"""Quotients of exponential polynomials: the field of all probabilities.

A quotient is kept in lowest terms with a denominator in normal form (an integer polynomial in
eps, exp(eps/u), exp(1/u), exp(1/(u eps)) without content or monomial factor, leading coefficient
positive), so that equal functions are equal objects and can be counted, hashed and compared.  Most
probabilities of Laplace programs have denominator 1; that case never leaves :class:`ExpPoly`.
"""

from __future__ import annotations

from math import lcm
from numbers import Rational
from typing import Any

from flint import arb, fmpq

from dipc.numbers.exact import Exact, Number, scalar
from dipc.numbers.exppoly import ExpPoly, Items, ratio_at
from dipc.numbers.formulas import Notation
from dipc.numbers.function import FunctionOfEps, budget
from dipc.numbers.polynomial import common_unit, join, split

_ONE = ExpPoly.of(1)


class Quotient(FunctionOfEps):
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
        """The constant 1."""
        return Quotient(_ONE)

    @staticmethod
    def of(value: fmpq | int) -> Quotient:
        """A constant."""
        return Quotient(ExpPoly.of(value))

    def _lift(self, other: Quotient | ExpPoly | fmpq | int) -> Quotient | None:
        """A function or a number in this form; None for another kind of function."""
        if isinstance(other, Quotient):
            return other
        if isinstance(other, FunctionOfEps):
            return Quotient(other) if isinstance(other, ExpPoly) else None
        return Quotient.of(scalar(other))

    def __add__(self, other: Quotient | ExpPoly | fmpq | int) -> Quotient:
        right = self._lift(other)
        if right is None:
            return NotImplemented
        if self.denominator is right.denominator or self.denominator == right.denominator:
            return Quotient(self.numerator + right.numerator, self.denominator)
        return Quotient(
            self.numerator * right.denominator + right.numerator * self.denominator,
            self.denominator * right.denominator,
        )

    def __neg__(self) -> Quotient:
        return self * -1

    def __sub__(self, other: Quotient | ExpPoly | fmpq | int) -> Quotient:
        right = self._lift(other)
        return NotImplemented if right is None else self + -right

    def __mul__(self, other: Quotient | ExpPoly | fmpq | int) -> Quotient:
        right = self._lift(other)
        if right is None:
            return NotImplemented
        if self.denominator is _ONE and right.denominator is _ONE:
            return Quotient(self.numerator * right.numerator)
        return Quotient(self.numerator * right.numerator, self.denominator * right.denominator)

    def __truediv__(self, other: Quotient | ExpPoly | fmpq | int) -> Quotient:
        """The quotient; ZeroDivisionError if ``other`` is the zero function."""
        right = self._lift(other)
        if right is None:
            return NotImplemented
        return Quotient(self.numerator * right.denominator, self.denominator * right.numerator)

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: ExpPoly | fmpq | int) -> Quotient:
        return -self + other

    def __rtruediv__(self, other: ExpPoly | fmpq | int) -> Quotient:
        left = self._lift(other)
        return NotImplemented if left is None else left / self

    def at_inverse(self) -> Quotient:
        """The function ``eps -> f(1/eps)``."""
        return Quotient(self.numerator.at_inverse()) / Quotient(self.denominator.at_inverse())

    def __pow__(self, exponent: int) -> Quotient:
        result = Quotient.one()
        for _ in range(abs(exponent)):
            result = result * self
        return result if exponent >= 0 else 1 / result

    def at(self, eps: Number) -> Quotient:
        """The exact value at a rational eps: the limit, if it is 0/0 there."""
        return Quotient(*ratio_at(self.numerator, self.denominator, budget(eps)))

    def as_rational(self) -> Exact | None:
        """The rational number this is, or None."""
        return self.numerator.as_rational() if self.denominator is _ONE else None

    @property
    def is_constant(self) -> bool:
        """Whether eps does not occur."""
        return self.numerator.is_constant and self.denominator.is_constant

    def sign_at(self, point: fmpq) -> int:
        """The exact sign at a rational point that is not a root of the denominator."""
        return self.numerator.sign_at(point) * self.denominator.sign_at(point)

    def enclose(self, eps: arb) -> arb:
        """A ball around the values on the ball ``eps``, at the precision of the context."""
        return self.numerator.enclose(eps) / self.denominator.enclose(eps)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Quotient):
            return self.numerator == other.numerator and self.denominator == other.denominator
        if isinstance(other, ExpPoly | fmpq | Rational):
            return self.denominator is _ONE and self.numerator == other
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.numerator if self.denominator is _ONE else (self.numerator, self.denominator))

    def __bool__(self) -> bool:
        return bool(self.numerator)

    def __reduce__(self) -> tuple[type[Quotient], tuple[ExpPoly, ...]]:
        """Pickled without the denominator 1, which is recognised by its identity."""
        one = self.denominator is _ONE
        return Quotient, (self.numerator,) if one else (self.numerator, self.denominator)

    def formula(self, notation: Notation) -> str:
        """The function in a notation."""
        above = self.numerator.formula(notation)
        if self.denominator is _ONE:
            return above
        return notation.fraction(above, self.denominator.formula(notation))

    def to_sympy(self) -> Any:
        """The function in sympy."""
        return self.numerator.to_sympy() / self.denominator.to_sympy()


def _lowest_terms(numerator: ExpPoly, denominator: ExpPoly) -> tuple[ExpPoly, ExpPoly]:
    """Cancel the common factor and move the denominator's monomial and content above the line.

    If the exponents of the numerator are much finer, only a common factor in the denominator's own unit is
    cancelled, see :func:`_by_residue`: ``(exp(eps/1000) - 1)/(exp(eps) - 1)`` would get a thousand terms.
    """
    if not denominator:
        raise ZeroDivisionError("division by the zero function")
    if not numerator:
        return ExpPoly(), _ONE
    if len(denominator) == 1:
        return numerator * _inverse(denominator), _ONE
    unit = common_unit(numerator, denominator)
    parts = {(0, 0, 0): numerator}
    if unit > FINER * common_unit(denominator):
        unit = common_unit(denominator)
        parts = _by_residue(numerator, unit)
    below = split(denominator, unit)
    above = {shift: split(part, unit) for shift, part in parts.items()}
    common = below.polynomial
    for part in above.values():
        common = common.gcd(part.polynomial)
    bottom = below.polynomial / common
    outside = _inverse(below.monomial) * (1 / below.scale)
    if bottom.leading_coefficient() < 0:
        outside, bottom = -outside, -bottom
    fine = common_unit(numerator, denominator)
    result = ExpPoly()
    for shift, part in above.items():
        factor = outside * part.monomial * part.scale
        if any(shift):
            factor = factor * ExpPoly({(0, *shift): fmpq(1)}, fine)
        result = result + join(part.polynomial / common, unit) * factor
    return result, _ONE if bottom.is_one() else join(bottom, unit)


def _inverse(term: ExpPoly) -> ExpPoly:
    """One over a function of one term."""
    unit, items = term.canonical()
    (((n, a, k, b), c),) = items.items()
    return ExpPoly({(-n, -a, -k, -b): 1 / c}, unit)


FINER = 24  # by this factor is much finer
Shift = tuple[int, int, int]  # of the exponents a, k and b


def _by_residue(f: ExpPoly, unit: int) -> dict[Shift, ExpPoly]:
    """f as a sum of ``exp(shift) * part``, the exponents of the parts being multiples of 1/unit.

    A polynomial in the multiples of 1/unit divides f if and only if it divides every part.
    """
    fine = lcm(unit, common_unit(f))
    step = fine // unit
    parts: dict[Shift, Items] = {}
    for (n, a, k, b), c in f.in_unit(fine).items():
        part = parts.setdefault((a % step, k % step, b % step), {})
        part[n, a // step, k // step, b // step] = c
    return {shift: ExpPoly(items, unit) for shift, items in sorted(parts.items())}
