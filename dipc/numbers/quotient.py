"""Quotients of exponential polynomials: the field of all probabilities.

A quotient is kept in lowest terms with a denominator in normal form (an integer polynomial in
eps, exp(eps/u), exp(1/u), exp(1/(u eps)) without content or monomial factor, leading coefficient
positive), so that equal functions are equal objects and can be counted, hashed and compared.  Most
probabilities of Laplace programs have denominator 1; that case never leaves :class:`ExpPoly`.

**Great exponents.**  Lowest terms can be long where a fraction is short, and take long to find:
``(exp(10^9 eps) - 1)/(exp(eps) - 1)``.  Where the degree is not moderate, only common factors are
cancelled that :mod:`dipc.numbers.basis` finds, and only if that makes the fraction no longer.  Such a one
need not be in lowest terms: equality is then that of the products across, and the hash, a value in a finite
field, is the same for all fractions of one function (:mod:`dipc.numbers.residues`).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import lcm, prod
from numbers import Rational
from typing import Any

from flint import arb, fmpq

from dipc.errors import LimitReached
from dipc.numbers.basis import Basis, common_basis, common_unit
from dipc.numbers.exact import Exact, Number, scalar
from dipc.numbers.exppoly import ExpPoly, Items, ratio_at
from dipc.numbers.formulas import Notation
from dipc.numbers.function import FunctionOfEps, budget
from dipc.numbers.polynomial import primitive, split
from dipc.numbers.residues import divided

_ONE = ExpPoly.of(1)


class Quotient(FunctionOfEps):
    """``numerator / denominator``, two exponential polynomials, in lowest terms if the degree is moderate.

    Immutable.

    >>> z = Quotient(ExpPoly.exp(1))
    >>> p = z / (z + 1)
    >>> p, p + 1 / (z + 1) == Quotient.one()
    ((exp(eps))/(1 + exp(eps)), True)
    >>> (z * z - 1) / (z - 1)
    1 + exp(eps)
    """

    __slots__ = ("_hash", "denominator", "is_lowest", "numerator")

    def __init__(self, numerator: ExpPoly, denominator: ExpPoly = _ONE) -> None:
        self.is_lowest = True  # else it is not known to be
        self._hash: int | None = None
        if denominator is _ONE:
            self.numerator, self.denominator = numerator, denominator
        else:
            self.numerator, self.denominator, self.is_lowest = _reduced(numerator, denominator)

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
        if not (self.numerator and right.numerator):
            return self if self.numerator else right
        if self.denominator is right.denominator or self.denominator == right.denominator:
            return Quotient(self.numerator + right.numerator, self.denominator)
        return Quotient(
            self.numerator * right.denominator + right.numerator * self.denominator,
            self.denominator * right.denominator,
        )

    def __neg__(self) -> Quotient:
        return self._with(-self.numerator)

    def __sub__(self, other: Quotient | ExpPoly | fmpq | int) -> Quotient:
        right = self._lift(other)
        return NotImplemented if right is None else self + -right

    def __mul__(self, other: Quotient | ExpPoly | fmpq | int) -> Quotient:
        right = self._lift(other)
        if right is None:
            return NotImplemented
        if self.denominator is _ONE and right.denominator is _ONE:
            return Quotient(self.numerator * right.numerator)
        for term, rest in ((self, right), (right, self)):
            if term.denominator is _ONE and len(term.numerator) == 1:
                return rest._with(rest.numerator * term.numerator)
        return Quotient(self.numerator * right.numerator, self.denominator * right.denominator)

    def _with(self, numerator: ExpPoly) -> Quotient:
        """The fraction with another numerator: the same one times a single term, which keeps lowest terms."""
        result = Quotient(numerator)
        if numerator:
            result.denominator, result.is_lowest = self.denominator, self.is_lowest
        return result

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
        result = prod([self] * abs(exponent), start=Quotient.one())
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
        above, below = self.numerator, self.denominator
        if self.is_lowest:
            return above.is_constant and below.is_constant
        return above.derivative() * below == above * below.derivative()

    def sign_at(self, point: fmpq) -> int:
        """The exact sign at a rational point that is not a root of the denominator in lowest terms."""
        sign = self.denominator.sign_at(point)
        if sign or self.is_lowest:
            return self.numerator.sign_at(point) * sign
        return self.at(point).sign_at(point)

    def enclose(self, eps: arb) -> arb:
        """A ball around the values on the ball ``eps``, at the precision of the context."""
        return self.numerator.enclose(eps) / self.denominator.enclose(eps)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Quotient):
            if self.denominator is other.denominator or self.denominator == other.denominator:
                return self.numerator == other.numerator
            if self.is_lowest and other.is_lowest:
                return False
            return self.numerator * other.denominator == other.numerator * self.denominator
        if isinstance(other, ExpPoly | fmpq | Rational):
            if self.is_lowest:
                return self.denominator is _ONE and self.numerator == other
            return self.numerator == self.denominator * other
        return NotImplemented

    def __hash__(self) -> int:
        if self.denominator is _ONE:
            return hash(self.numerator)
        if self._hash is None:
            self._hash = hash(divided(self.numerator.residue, self.denominator.residue) or 0)
        return self._hash

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


LONG = 128  # terms from which on lowest terms that are longer than the fraction are not taken
MOST_TERMS = 20_000  # of a fraction that is not in lowest terms


def _reduced(numerator: ExpPoly, denominator: ExpPoly) -> tuple[ExpPoly, ExpPoly, bool]:
    """The same fraction, the denominator in normal form; and whether it is in lowest terms.

    If the exponents of the numerator are much finer, only a common factor in the denominator's own unit is
    looked for, see :func:`_by_residue`: ``(exp(eps/1000) - 1)/(exp(eps) - 1)`` would get a thousand terms.
    """
    if not denominator:
        raise ZeroDivisionError("division by the zero function")
    if not numerator:
        return ExpPoly(), _ONE, True
    if len(denominator) == 1:
        return numerator * _inverse(denominator), _ONE, True
    unit = common_unit(numerator, denominator)
    parts = {(0, 0, 0): numerator}
    if unit > FINER * common_unit(denominator):
        unit = common_unit(denominator)
        parts = _by_residue(numerator, unit)
    basis = common_basis(denominator, *parts.values(), unit=unit)
    if basis is not None and basis.is_free:
        most = max(LONG, len(numerator) + len(denominator))
        found = _lowest_terms(parts, denominator, basis, common_unit(numerator, denominator), most)
        if found is not None:
            return *found, len(parts) == 1 or found[1] is _ONE
    return _shortened(numerator, denominator)


def _lowest_terms(
    parts: Mapping[Shift, ExpPoly], denominator: ExpPoly, basis: Basis, fine: int, most: int
) -> tuple[ExpPoly, ExpPoly] | None:
    """Cancel the common factor and move the denominator's monomial and content above the line.

    The shifts of the parts are in units of 1/fine.  None if the result has more than so many terms.
    """
    below = split(denominator, basis)
    above = {shift: split(part, basis) for shift, part in parts.items()}
    common = below.polynomial
    for part in above.values():
        common = common.gcd(part.polynomial)
    bottom = below.polynomial / common
    tops = {shift: part.polynomial / common for shift, part in above.items()}
    if len(bottom) + sum(map(len, tops.values())) > most:
        return None
    outside = _inverse(below.monomial) * (1 / below.scale)
    if bottom.leading_coefficient() < 0:
        outside, bottom = -outside, -bottom
    result = ExpPoly()
    for shift, part in above.items():
        factor = outside * part.monomial * part.scale
        if any(shift):
            factor = factor * ExpPoly({(0, *shift): fmpq(1)}, fine)
        result = result + basis.join(tops[shift]) * factor
    return result, _ONE if bottom.is_one() else basis.join(bottom)


def _shortened(numerator: ExpPoly, denominator: ExpPoly) -> tuple[ExpPoly, ExpPoly, bool]:
    """The same fraction, without the common factors that are found at once, if that makes it no longer.

    A fraction that is one term is always found to be that.
    """
    if (term := _multiple(numerator, denominator)) is not None:
        return term, _ONE, True
    above, below = numerator, denominator
    basis = common_basis(denominator, numerator, most=LONG)
    if basis is not None:
        found = _lowest_terms({(0, 0, 0): numerator}, denominator, basis, basis.unit, len(above) + len(below))
        above, below = found or (above, below)
    if len(above) + len(below) > MOST_TERMS:
        raise LimitReached(f"a function of eps has more than {MOST_TERMS} terms")
    if len(below) == 1:
        return above * _inverse(below), _ONE, True
    normal = primitive(below)
    _, items = normal.canonical()
    if items[max(items)] < 0:
        normal = -normal
    factor = _multiple(normal, below)
    assert factor is not None
    return above * factor, normal, False


def _multiple(f: ExpPoly, g: ExpPoly) -> ExpPoly | None:
    """The single term that is f/g, or None."""
    if len(f) != len(g):
        return None
    unit = common_unit(f, g)
    above, below = f.in_unit(unit), g.in_unit(unit)
    first, second = max(above), max(below)
    c = above[first] / below[second]
    n, a, k, b = (x - y for x, y in zip(first, second, strict=True))
    for (n2, a2, k2, b2), c2 in below.items():
        if above.get((n + n2, a + a2, k + k2, b + b2)) != c * c2:
            return None
    return ExpPoly({(n, a, k, b): c}, unit)


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
