"""Functions of eps for the slow route: sums of exponentials as the kernel writes them, and quotients.

A function is a dictionary ``{(n, a, k, b): c}`` for the sum of ``c eps^n exp(a eps + k + b/eps)``.  By the
theorem of Lindemann and Weierstrass two functions are equal exactly if their dictionaries are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import TypeVar

from dipc.errors import LimitReached
from dipc.kernel.facts import UNIT, ZERO, Function, Key, add, chain_of, collected, multiply, negative, sign_at

ONE = Fraction(1)
EPS: Key = (1, ZERO, ZERO, ZERO)
INVERSE: Key = (-1, ZERO, ZERO, ZERO)

K = TypeVar("K")
Pair = tuple[Function, Function]
"""Numerator and denominator."""
Draw = tuple[Pair, ...]
"""The probabilities of the values of a finite draw."""


class NotCovered(LimitReached):
    """The slow route does not cover this."""


def constant(value: Fraction | int) -> Function:
    """The constant function."""
    return {UNIT: Fraction(value)} if value else {}


def exponential(a: Fraction, factor: Fraction = ONE) -> Function:
    """``factor * exp(a eps)``."""
    return {(0, Fraction(a), ZERO, ZERO): factor}


def product(factors: Iterable[Function]) -> Function:
    """The product of all factors, 1 for none."""
    return reduce(multiply, factors, constant(1))


def at_one(f: Function) -> Function:
    """The number f(1): a sum of exponentials of numbers."""
    return collected(((0, ZERO, a + k + b, ZERO), c) for (_, a, k, b), c in f.items())


def same(left: Pair, right: Pair) -> bool:
    """Are the two quotients one function?  Cross-multiplied."""
    return multiply(left[0], right[1]) == multiply(right[0], left[1])


def difference(f: Function, g: Function) -> Function:
    """f - g."""
    return add(f, negative(g))


def divided(f: Function, g: Function) -> Function:
    """f / g where it is a function again: the greatest terms are divided, as with polynomials.

    Exponents are compared in the order of tuples, which addition keeps.

    >>> e = exponential(ONE)
    >>> divided(add(multiply(e, e), constant(-1)), add(e, constant(-1))) == add(e, constant(1))
    True
    """
    top = max(g)
    result: Function = {}
    while f:
        largest = max(f)
        (n, a, k, b), (m, c, j, i) = largest, top
        part: Function = {(n - m, a - c, k - j, b - i): f[largest] / g[top]}
        result = add(result, part)
        f = difference(f, multiply(part, g))
    return result


def surely_positive(f: Function, beyond: Fraction = ZERO) -> bool:
    """Is f(eps) > 0 proved for every eps > ``beyond`` by its derivatives there?  ``False`` says nothing.

    >>> surely_positive(add(constant(1), exponential(-ONE, -ONE))), surely_positive(exponential(ONE, -ONE))
    (True, False)
    """
    if not f or any(b for _, _, _, b in f):
        return all(c > 0 for c in f.values()) and bool(f)
    least = min(n for n, _, _, _ in f)
    shifted = {(n - least, a, k, b): c for (n, a, k, b), c in f.items()}
    return all(sign_at(link, beyond) >= 0 for link in chain_of(shifted))


@dataclass(frozen=True)
class Mass:
    """A quotient with its denominator as a multiset of factors, so that sums need few common ones."""

    numerator: Function = field(default_factory=lambda: constant(1))
    factors: Counter[frozenset[tuple[Key, Fraction]]] = field(default_factory=Counter)

    def times(self, other: Mass) -> Mass:
        """The product."""
        return Mass(multiply(self.numerator, other.numerator), self.factors + other.factors)

    def over(self, denominator: Function) -> Mass:
        """The quotient by one more factor."""
        if denominator == constant(1):
            return self
        return Mass(self.numerator, self.factors + Counter([frozenset(denominator.items())]))

    def pair(self) -> Pair:
        """Numerator and denominator, multiplied out."""
        return self.numerator, product(dict(factor) for factor in self.factors.elements())


def total(masses: Sequence[Mass]) -> Mass:
    """The sum, over a common denominator."""
    common: Counter[frozenset[tuple[Key, Fraction]]] = Counter()
    for mass in masses:
        common |= mass.factors
    parts = (
        product([mass.numerator, *(dict(factor) for factor in (common - mass.factors).elements())])
        for mass in masses
    )
    return Mass(add(*parts), common)


def totals(masses: Iterable[tuple[K, Mass]]) -> dict[K, Mass]:
    """The sum of the masses of each key."""
    parts: dict[K, list[Mass]] = {}
    for key, mass in masses:
        parts.setdefault(key, []).append(mass)
    return {key: total(same_key) for key, same_key in parts.items()}
