"""Numbers ``(A + B sqrt(g)) / (C + D sqrt(g))`` with quotients A, B, C, D, g: a delta with one root.

For budgets at which g >= 0 the sign of ``A + B sqrt(g)`` follows from exact signs: it is that of A and B
where these agree (or one of them is 0), and elsewhere that of A times that of ``A^2 - B^2 g``.  No root is
ever computed.

A perfect square g is not kept as a root, so that ``A^2 - B^2 g`` is zero only if A and B are.
Denominators are not made rational: ``1/(1 + sqrt(eps))`` is fine at eps = 1, where ``1 - eps`` vanishes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isqrt
from typing import Any

from flint import arb, fmpq

from dipc.errors import InputError, LimitReached
from dipc.numbers.basis import common_basis
from dipc.numbers.exact import Number as Given
from dipc.numbers.exppoly import ExpPoly, Term
from dipc.numbers.formulas import Notation
from dipc.numbers.function import FunctionOfEps, budget
from dipc.numbers.polynomial import factors_of, split
from dipc.numbers.quotient import Quotient

Pair = tuple[Quotient, Quotient]  # (A, B) stands for A + B sqrt(g)

ZERO, ONE = Quotient.of(0), Quotient.one()


@dataclass(frozen=True, slots=True, repr=False)
class Surd(FunctionOfEps):
    """``above / below``, where sqrt(radicand) does not cancel; the radicand is not a perfect square.

    >>> root = Surd.root(Quotient(ExpPoly.of(1, 1)))
    >>> one = root.lifted(ONE)
    >>> (one + root) * (one - root), one / (one + root)
    (1 - eps, (1)/(1 + sqrt(eps)))
    """

    above: Pair
    below: Pair
    radicand: Quotient

    @staticmethod
    def root(radicand: Quotient) -> Surd:
        """The square root of a function that is not a perfect square."""
        return Surd((ZERO, ONE), (ONE, ZERO), radicand)

    def lifted(self, value: Quotient) -> Surd:
        """A quotient in the form of this number."""
        return Surd((value, ZERO), (ONE, ZERO), self.radicand)

    def _lift(self, other: Number | ExpPoly | fmpq | int) -> Surd:
        """Another number in this form; ValueError if it has another root."""
        if not isinstance(other, Surd):
            return self.lifted(ZERO + other)
        if other.radicand != self.radicand:
            raise ValueError(f"sqrt({self.radicand}) meets sqrt({other.radicand})")
        return other

    def _made(self, above: Pair, below: Pair) -> Number:
        (a, b), (c, d) = above, below
        if a * d == b * c:
            return a / c if c else b / d
        return Surd(above, below, self.radicand) if d else Surd((a / c, b / c), (ONE, ZERO), self.radicand)

    def _product(self, x: Pair, y: Pair) -> Pair:
        return x[0] * y[0] + x[1] * y[1] * self.radicand, x[0] * y[1] + x[1] * y[0]

    def __add__(self, other: Number | ExpPoly | fmpq | int) -> Number:
        other = self._lift(other)
        x, y = self._product(self.above, other.below), self._product(other.above, self.below)
        return self._made((x[0] + y[0], x[1] + y[1]), self._product(self.below, other.below))

    def __neg__(self) -> Surd:
        return Surd((-self.above[0], -self.above[1]), self.below, self.radicand)

    def __sub__(self, other: Number | ExpPoly | fmpq | int) -> Number:
        return self + -self._lift(other)

    def __mul__(self, other: Number | ExpPoly | fmpq | int) -> Number:
        other = self._lift(other)
        return self._made(self._product(self.above, other.above), self._product(self.below, other.below))

    def __truediv__(self, other: Number | ExpPoly | fmpq | int) -> Number:
        """The quotient; ``other`` is not the zero function."""
        other = self._lift(other)
        return self._made(self._product(self.above, other.below), self._product(self.below, other.above))

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: Quotient | ExpPoly | fmpq | int) -> Number:
        return self._lift(other) - self

    def __rtruediv__(self, other: Quotient | ExpPoly | fmpq | int) -> Number:
        return self._lift(other) / self

    def at(self, eps: Given) -> Number:
        """The exact value at a rational eps; without a root if the radicand is a square there."""
        point = budget(eps)
        radicand = self.radicand.at(point)
        if radicand.sign_at(fmpq(1)) < 0:
            raise InputError(f"{self} has no value at eps = {point}: the number under its root is negative")
        above, below = ((a.at(point), b.at(point)) for a, b in (self.above, self.below))
        root = exact_root(radicand)
        if root is not None:
            if root.sign_at(fmpq(1)) < 0:
                root = -root
            above, below = (above[0] + above[1] * root, ZERO), (below[0] + below[1] * root, ZERO)
        if below == (ZERO, ZERO):  # c + d*sqrt(g) = 0 only if c = d = 0, as g is not a square
            raise InputError(f"{self} has no value at eps = {point}: its denominator is 0")
        return above[0] / below[0] if root is not None else Surd(above, below, radicand)._made(above, below)

    def as_rational(self) -> None:
        """None: the root does not cancel."""
        return

    @property
    def is_constant(self) -> bool:
        """Whether eps does not occur."""
        return all(q.is_constant for q in (*self.above, *self.below, self.radicand))

    def sign_at(self, point: fmpq) -> int:
        """The exact sign at a rational point at which the radicand is not negative, nor below 0."""
        return self._sign_of(self.above, point) * self._sign_of(self.below, point)

    def _sign_of(self, pair: Pair, point: fmpq) -> int:
        (a, b), g = pair, self.radicand
        root_sign = b.sign_at(point) * g.sign_at(point)
        return combined_sign(a.sign_at(point), root_sign, lambda: (a * a - b * b * g).sign_at(point))

    def enclose(self, eps: arb) -> arb:
        """A ball around the values on the ball ``eps``."""
        root = self.radicand.enclose(eps).sqrt()
        above, below = (a.enclose(eps) + b.enclose(eps) * root for a, b in (self.above, self.below))
        return above / below

    def formula(self, notation: Notation) -> str:
        """The number in a notation."""
        above = self._formula(self.above, notation)
        if self.below == (ONE, ZERO):
            return above
        return notation.fraction(above, self._formula(self.below, notation))

    def _formula(self, pair: Pair, notation: Notation) -> str:
        a, b = pair
        root = notation.root(self.radicand.formula(notation))
        if b != ONE:
            root = f"({b.formula(notation)}){notation.times}{root}"
        return f"{a.formula(notation)} + {root}" if a and b else root if b else a.formula(notation)

    def to_sympy(self) -> Any:
        """The number in sympy."""
        from sympy import sqrt

        root = sqrt(self.radicand.to_sympy())
        above, below = (a.to_sympy() + b.to_sympy() * root for a, b in (self.above, self.below))
        return above / below


Number = Quotient | Surd


def combined_sign(a: int, b: int, norm: Callable[[], int]) -> int:
    """The sign of ``A + B r``, r >= 0, from those of A, B r^2 (or B) and ``A^2 - B^2 r^2``."""
    if a * b >= 0:
        return a or b
    return a * norm()


def exact_root(g: Quotient) -> Quotient | None:
    """A function whose square is g, or None if there is none.

    >>> z = Quotient(ExpPoly.exp(1))
    >>> exact_root((z - 1) * (z - 1) / (4 * z)), exact_root(z - 1)
    (-1/2*exp(-1/2*eps) + 1/2*exp(1/2*eps), None)
    """
    if not g.is_lowest:  # g = n d / d^2
        root = _root(g.numerator * g.denominator)
        return None if root is None else Quotient(root, g.denominator)
    above, below = _root(g.numerator), _root(g.denominator)
    return None if above is None or below is None else Quotient(above) / Quotient(below)


TOO_GREAT = "it is not settled whether a function of great degree in exp(eps) is a square"


def _root(f: ExpPoly) -> ExpPoly | None:
    """An exponential polynomial whose square is f: all factors must have even powers.

    The exponents of exp can always be halved, and a polynomial in z without double factors has none in
    terms of sqrt(z) either.
    """
    if not f:
        return f
    basis = common_basis(f)
    if basis is None:
        raise LimitReached(TOO_GREAT)
    parts = split(f, basis)
    content, found = factors_of(parts.polynomial)
    number = _rational_root(parts.scale * fmpq(content))
    (term,) = parts.monomial.terms()
    odd = any(power % 2 for _, power in found)
    if odd and not basis.is_free:  # it could still be a square
        raise LimitReached(TOO_GREAT)
    if number is None or term.power % 2 or odd:
        return None
    halves = Term(number, term.power // 2, term.rate / 2, term.constant / 2, term.inverse / 2)
    root = ExpPoly.from_terms([halves])
    for p, power in found:
        root = root * basis.join(p) ** (power // 2)
    return root


def _rational_root(x: fmpq) -> fmpq | None:
    if x < 0:
        return None
    root = fmpq(isqrt(int(x.p)), isqrt(int(x.q)))
    return root if root * root == x else None
