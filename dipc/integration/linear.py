"""Linear expressions of samples, and the conditions that comparisons put on them."""

from __future__ import annotations

from math import gcd, lcm

from flint import fmpq

from dipc.frozen import frozen

Coefficients = tuple[tuple[int, fmpq], ...]


@frozen
class Linear:
    """``sum coefficient * sample + constant``, a linear expression of samples.

    Coefficients are not zero and ordered by sample; without any, the value is a plain number and must be
    kept as one.  ``integer`` says that the samples are integer random variables; samples of both kinds
    never meet in one expression.
    """

    coefficients: Coefficients
    constant: fmpq
    integer: bool = False

    def __hash__(self) -> int:
        return hash_of(self.coefficients, self.constant)

    @staticmethod
    def make(coefficients: dict[int, fmpq], constant: fmpq, integer: bool = False) -> Linear | fmpq:
        """The expression, or the number it is."""
        kept = tuple((i, c) for i, c in sorted(coefficients.items()) if c)
        return Linear(kept, constant, integer) if kept else constant

    @property
    def samples(self) -> tuple[int, ...]:
        """The numbers of the samples, ascending."""
        return tuple(i for i, _ in self.coefficients)

    def renamed(self, names: dict[int, int]) -> Linear:
        """The expression with other numbers for its samples."""
        return Linear(tuple(sorted((names[i], c) for i, c in self.coefficients)), self.constant, self.integer)

    def negated(self) -> Linear:
        """Minus the expression."""
        return Linear(tuple((i, -c) for i, c in self.coefficients), -self.constant, self.integer)

    def condition(self, strict: bool) -> Linear:
        """A normal form of the condition ``self > 0`` (``strict``) or ``self >= 0``.

        Of real samples it means "is positive" (a hyperplane has measure 0), with a first coefficient of 1 or
        -1.  Of integer samples it means "is not negative", with coprime integer coefficients and an integer
        constant.

        >>> z = Linear(((0, fmpq(2)),), fmpq(-3), integer=True)                 # 2z - 3 > 0 is z >= 2
        >>> z.condition(strict=True)
        Linear(coefficients=((0, 1),), constant=-2, integer=True)
        """
        if not self.integer:
            scale = abs(self.coefficients[0][1])
            return Linear(tuple((i, c / scale) for i, c in self.coefficients), self.constant / scale)
        coefficients, constant = tightened(self.coefficients, self.constant, strict)
        return Linear(coefficients, constant, True)


def hash_of(coefficients: Coefficients, constant: fmpq) -> int:
    """The hash of an expression, from integers: that of a fraction itself takes nine times as long."""
    return hash((*((i, c.p, c.q) for i, c in coefficients), constant.p, constant.q))


def plus_multiple(left: Coefficients, factor: fmpq | int, right: Coefficients) -> dict[int, fmpq]:
    """``left + factor * right``, zeros included."""
    result = dict(left)
    for i, c in right:
        result[i] = result.get(i, fmpq(0)) + factor * c
    return result


def tightened(coefficients: Coefficients, constant: fmpq, strict: bool = False) -> tuple[Coefficients, fmpq]:
    """The same integer points with coprime coefficients: ``form > 0`` or ``>= 0`` as ``result >= 0``."""
    common = lcm(1, *(int(c.q) for _, c in coefficients))
    scale = fmpq(gcd(*(int((c * common).p) for _, c in coefficients)), common) if coefficients else fmpq(1)
    bound = -constant / scale
    least = fmpq(bound.floor()) + 1 if strict else fmpq(bound.ceil())
    return tuple((i, c / scale) for i, c in coefficients), -least
