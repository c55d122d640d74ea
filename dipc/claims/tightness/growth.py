"""How an exponential polynomial behaves at the two ends of (0, inf).

**At zero.**  Let B be the greatest of the b in ``f = sum_j c_j eps^n_j exp(a_j eps + k_j + b_j/eps)``.  Then
``exp(-B/eps) f`` is the part with b = B, a Laurent series in eps, plus terms smaller than any power of eps.
So f is of order ``exp(B/eps) * C eps^m``, where ``C eps^m`` is the leading term of that part: C is found
exactly, a sum of ``c exp(k)``, which is 0 only if it has no terms (Lindemann-Weierstrass).

**At infinity.**  ``f(1/eta)`` is a function of the same kind with a and b exchanged.  So f is of order
``exp(A eps) * C eps^(-m)``, with A the greatest of the a.

The limits of quotients, and of ``ln(p/q)/eps``, follow.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import factorial

from flint import fmpq

from dipc.numbers.exppoly import ExpPoly, Term
from dipc.numbers.quotient import Quotient


@dataclass(frozen=True, slots=True)
class Growth:
    """``exp(exponent/x) * (leading x^order + following x^(order+1) + ...)`` for x -> 0.

    At zero x is eps, at infinity it is 1/eps.  ``leading`` is not 0; both are made of numbers ``c exp(k)``.
    """

    exponent: fmpq
    order: int
    leading: Quotient
    following: Quotient

    @property
    def speed(self) -> tuple[fmpq, int]:
        """Greater for a function that grows faster."""
        return self.exponent, -self.order


CONSTANT = (fmpq(0), 0)
"""The speed of a function that tends to a number other than 0."""


@lru_cache(maxsize=4096)
def at_zero(f: Quotient) -> Growth:
    """The growth of a function that is not the zero function, for eps -> 0.

    >>> at_zero(Quotient(ExpPoly.exp(1) - 1))                          # exp(eps) - 1 = eps + eps^2/2 + ...
    Growth(exponent=0, order=1, leading=1, following=1/2)
    """
    above, below = _at_zero(f.numerator), _at_zero(f.denominator)
    leading = above.leading / below.leading
    following = (above.following - leading * below.following) / below.leading
    return Growth(above.exponent - below.exponent, above.order - below.order, leading, following)


@lru_cache(maxsize=4096)
def at_infinity(f: Quotient) -> Growth:
    """The growth for eps -> inf, in x = 1/eps."""
    return at_zero(Quotient(f.numerator.at_inverse(), f.denominator.at_inverse()))


def _at_zero(f: ExpPoly) -> Growth:
    terms = list(f.terms())
    most = max(term.inverse for term in terms)
    lead = [term for term in terms if term.inverse == most]
    order = min(term.power for term in lead)
    while not (leading := _coefficient(lead, order)):
        order += 1
    return Growth(most, order, Quotient(leading), Quotient(_coefficient(lead, order + 1)))


def _coefficient(terms: list[Term], power: int) -> ExpPoly:
    """The coefficient of eps^power in the Laurent series of ``sum c eps^n exp(a eps + k)`` (b left out)."""
    steps = [(power - n, c, a, k) for c, n, a, k, _ in terms if n <= power]
    return ExpPoly.from_terms([Term(c * a**m / factorial(m), 0, fmpq(0), k) for m, c, a, k in steps])


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit at an end: ``value`` if it is rational; ``infinite`` if it is +inf, ``void`` if it is -inf.

    None of these: an irrational number, which is left to a search.
    """

    value: fmpq | None = None
    infinite: bool = False
    void: bool = False

    def over(self, times: int) -> Limit:
        """The limit divided by a number > 0."""
        return self if self.value is None else Limit(self.value / times)


def _signed(sign: int) -> Limit:
    return Limit(infinite=sign > 0, void=sign < 0)


NOTHING = Limit(void=True)


def limit_of_value(growth: Growth) -> Limit:
    """The limit of the function itself."""
    if growth.speed < CONSTANT:
        return Limit(fmpq(0))
    if growth.speed == CONSTANT:
        return Limit(rational(growth.leading))
    return _signed(growth.leading.sign_at(fmpq(1)))


def limit_of_loss(p: Quotient, q: Quotient, at_end: bool) -> Limit:
    """The limit of ``ln(p/q)/eps`` for eps -> 0 (-> inf if ``at_end``), where p and q are positive."""
    if at_end:
        return Limit(at_infinity(p).exponent - at_infinity(q).exponent)
    left, right = at_zero(p), at_zero(q)
    if left.speed != right.speed:
        return _signed(1 if left.speed > right.speed else -1)
    if difference := (left.leading - right.leading).sign_at(fmpq(1)):
        return _signed(difference)
    return Limit(rational((left.following - right.following) / left.leading))


def rational(number: Quotient) -> fmpq | None:
    """The rational number that a quotient without eps is, or None."""
    above, below = number.numerator.as_rational(), number.denominator.as_rational()
    return None if above is None or below is None else above / below
