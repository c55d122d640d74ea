"""Rational functions of parameters p1, ..., pn with rational coefficients.

All functions of one question live in one ring.  Multivariate polynomials are those of python-flint; fractions
are in lowest terms, the leading coefficient of the denominator is 1: equal functions are equal objects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from dipc.errors import InternalError
from dipc.numbers.exact import Exact


class Ring:
    """The polynomials in some parameters.

    >>> ring = Ring(("p", "q"))
    >>> p, q = ring.gens
    >>> (p * p - q * q) / (p - q), p / q * q == p
    (p + q, True)
    """

    def __init__(self, names: Sequence[str], lift: Callable[[Any], Parametric] | None = None) -> None:
        """``lift`` takes functions of eps into the ring, if some of its parameters stand for such."""
        self.names, self.lift = tuple(names), lift
        self._context: Any = fmpq_mpoly_ctx.get(self.names or ("p",), Ordering.lex)

    def of(self, value: fmpq | int) -> Parametric:
        """A constant."""
        return Parametric(self, self._context.constant(value), self._context.constant(1))

    def lifted(self, function: Any) -> Parametric:
        """A function of eps."""
        if self.lift is None:
            raise InternalError(f"{function} is no function of the parameters")
        return self.lift(function)

    def polynomial(self, terms: Mapping[tuple[int, ...], fmpq]) -> fmpq_mpoly:
        """The polynomial with these coefficients of the products of powers of the parameters."""
        found: fmpq_mpoly = self._context.from_dict(dict(terms))
        return found

    @cached_property
    def gens(self) -> tuple[Parametric, ...]:
        """The parameters, in their order."""
        one = self._context.constant(1)
        return tuple(Parametric(self, g, one) for g in self._context.gens()[: len(self.names)])


class Parametric:
    """``numerator / denominator``.  Immutable."""

    __slots__ = ("_hash", "denominator", "numerator", "ring")

    def __init__(self, ring: Ring, numerator: fmpq_mpoly, denominator: fmpq_mpoly) -> None:
        self.ring = ring
        if not denominator.is_constant():
            common = numerator.gcd(denominator)
            numerator, denominator = numerator / common, denominator / common
        scale = denominator.leading_coefficient()
        self.numerator, self.denominator = numerator / scale, denominator / scale
        self._hash: int | None = None

    def __add__(self, other: Parametric | fmpq | int) -> Parametric:
        right = self._lift(other)
        if self.denominator == right.denominator:
            return Parametric(self.ring, self.numerator + right.numerator, self.denominator)
        above = self.numerator * right.denominator + right.numerator * self.denominator
        return Parametric(self.ring, above, self.denominator * right.denominator)

    def __neg__(self) -> Parametric:
        return Parametric(self.ring, -self.numerator, self.denominator)

    def __sub__(self, other: Parametric | fmpq | int) -> Parametric:
        return self + -self._lift(other)

    def __mul__(self, other: Parametric | fmpq | int) -> Parametric:
        right = self._lift(other)
        return Parametric(self.ring, self.numerator * right.numerator, self.denominator * right.denominator)

    def __truediv__(self, other: Parametric | fmpq | int) -> Parametric:
        right = self._lift(other)
        if not right:
            raise ZeroDivisionError("division by the zero function")
        return Parametric(self.ring, self.numerator * right.denominator, self.denominator * right.numerator)

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: fmpq | int) -> Parametric:
        return -self + other

    def __rtruediv__(self, other: fmpq | int) -> Parametric:
        return self.ring.of(other) / self

    def __pow__(self, exponent: int) -> Parametric:
        if exponent < 0:
            return self.ring.of(1) / self**-exponent
        return Parametric(self.ring, self.numerator**exponent, self.denominator**exponent)

    def _lift(self, other: Parametric | fmpq | int) -> Parametric:
        if not isinstance(other, Parametric):
            return self.ring.of(other) if isinstance(other, fmpq | int) else self.ring.lifted(other)
        if other.ring is not self.ring and other.ring.names != self.ring.names:
            raise InternalError(f"parameters of two questions: {self.ring.names} and {other.ring.names}")
        return other

    def at(self, point: Mapping[str, fmpq]) -> Parametric:
        """The function with some parameters replaced by numbers; ZeroDivisionError where it is undefined."""
        values: dict[str | int, Any] = dict(point.items())
        above, below = self.numerator.subs(values), self.denominator.subs(values)
        if below.is_zero():
            raise ZeroDivisionError(f"{self} is not defined there")
        return Parametric(self.ring, above, below)

    def as_rational(self) -> Exact | None:
        """The rational number this is, or None."""
        if not (self.numerator.is_constant() and self.denominator.is_constant()):
            return None
        value = self.numerator.leading_coefficient() if self else fmpq(0)
        return Exact(fmpq(value))

    def __bool__(self) -> bool:
        return not self.numerator.is_zero()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int | fmpq):
            return self.as_rational() == other
        if not isinstance(other, Parametric):
            return NotImplemented
        return bool(self.numerator == other.numerator and self.denominator == other.denominator)

    def __hash__(self) -> int:
        if self._hash is None:
            number = self.as_rational()
            parts = (self.numerator.to_dict().items(), self.denominator.to_dict().items())
            self._hash = hash(number) if number is not None else hash(tuple(map(frozenset, parts)))
        return self._hash

    def __repr__(self) -> str:
        above, below = str(self.numerator), str(self.denominator)
        return above if self.denominator.is_one() else f"({above})/({below})"
