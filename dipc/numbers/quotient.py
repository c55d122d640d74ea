"""Quotients of exponential polynomials: the field of all probabilities.

A quotient is kept in lowest terms with a denominator in normal form (an integer polynomial in
eps, exp(eps/u), exp(1/u), exp(1/(u eps)) without content or monomial factor, leading coefficient
positive), so that equal functions are equal objects and can be counted, hashed and compared.  Most
probabilities of Laplace programs have denominator 1; that case never leaves :class:`ExpPoly`.

**Great exponents.**  Lowest terms can be long where a fraction is short, and take long to find:
``(exp(10^9 eps) - 1)/(exp(eps) - 1)``.  Where the degree is not moderate, or lowest terms are long, nothing
is cancelled.  So equality is that of the products across, and the hash, a value in a finite field, is the
same for all fractions of one function (:mod:`dipc.numbers.residues`).
"""

from __future__ import annotations

from math import prod
from numbers import Rational
from typing import Any

from flint import arb, fmpq

from dipc.errors import LimitReached
from dipc.numbers.exact import Exact, Number, scalar
from dipc.numbers.exppoly import ExpPoly, ratio_at
from dipc.numbers.formulas import Notation
from dipc.numbers.function import FunctionOfEps, budget
from dipc.numbers.parametric import Parametric
from dipc.numbers.polynomial import common_unit, grid_of, join, primitive, split
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

    __slots__ = ("_hash", "denominator", "numerator")

    def __init__(self, numerator: ExpPoly, denominator: ExpPoly = _ONE) -> None:
        self._hash: int | None = None
        if denominator is _ONE:
            self.numerator, self.denominator = numerator, denominator
        else:
            self.numerator, self.denominator = _reduced(numerator, denominator)

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
        if isinstance(other, FunctionOfEps | Parametric):
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
            result.denominator = self.denominator
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
        if below is _ONE:
            return above.is_constant
        return above.derivative() * below == above * below.derivative()

    def at_one(self) -> Quotient:
        """The value at eps = 1, a constant.

        >>> Quotient(ExpPoly.exp(2, 3) + ExpPoly.of(5, 1)).at_one()
        5 + exp(5)
        """
        return Quotient(self.numerator.at_one()) / Quotient(self.denominator.at_one())

    def sign_at(self, point: fmpq) -> int:
        """The exact sign at a rational point, if the function has a value there."""
        sign = self.denominator.sign_at(point)
        return self.numerator.sign_at(point) * sign if sign else self.at(point).sign_at(point)

    def enclose(self, eps: arb) -> arb:
        """A ball around the values on the ball ``eps``, at the precision of the context."""
        return self.numerator.enclose(eps) / self.denominator.enclose(eps)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Quotient):
            if self.denominator is other.denominator or self.denominator == other.denominator:
                return self.numerator == other.numerator
            return self.numerator * other.denominator == other.numerator * self.denominator
        if isinstance(other, ExpPoly | fmpq | Rational):
            return self.numerator == (other if self.denominator is _ONE else self.denominator * other)
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
MOST_TERMS = 20_000  # of a fraction


def _reduced(numerator: ExpPoly, denominator: ExpPoly) -> tuple[ExpPoly, ExpPoly]:
    """The same fraction without common factors, the denominator in normal form.

    If the degree is great or lowest terms are long, it keeps its factors; but a fraction that is one term is
    always found to be that.
    """
    if not denominator:
        raise ZeroDivisionError("division by the zero function")
    if not numerator:
        return ExpPoly(), _ONE
    if len(denominator) == 1:
        return numerator * _inverse(denominator), _ONE
    if (term := _multiple(numerator, denominator)) is not None:
        return term, _ONE
    length = len(numerator) + len(denominator)
    if (grid := grid_of(numerator, denominator)) is not None:
        above, below = split(numerator, grid), split(denominator, grid)
        common = above.polynomial.gcd(below.polynomial)
        top, bottom = above.polynomial / common, below.polynomial / common
        if len(top) + len(bottom) <= max(LONG, length):
            numerator = join(top, grid) * above.monomial * (above.scale / below.scale)
            denominator = join(bottom, grid) * below.monomial
    if len(numerator) + len(denominator) > MOST_TERMS:
        raise LimitReached(f"a function of eps has more than {MOST_TERMS} terms")
    if len(denominator) == 1:
        return numerator * _inverse(denominator), _ONE
    normal = primitive(denominator)
    _, items = normal.canonical()
    if items[max(items)] < 0:
        normal = -normal
    factor = _multiple(normal, denominator)
    assert factor is not None
    return numerator * factor, normal


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
