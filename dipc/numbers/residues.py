"""Values of exponential polynomials in a finite field: equal for equal functions, in whatever form they are.

Let P = 2 Q + 1 be prime and Q prime too.  ``eps``, ``exp(eps)``, ``exp(1)`` and ``exp(1/eps)`` become fixed
elements of order Q of the field of P elements: so an exponent ``a/u`` is one modulo Q, where u is invertible,
and a rate of 10^20 costs no more than one of 1.  This is a homomorphism of rings, as far as it is defined; it
tells functions apart but for accidents, and serves as their hash.  It decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from flint import fmpq

Q = 1152921504606845789
P = 2 * Q + 1
EPS, RATE, CONSTANT, INVERSE = 3**40 % P, 5**38 % P, 7**42 % P, 11**46 % P  # squares: the order is Q


def residue(unit: int, items: Mapping[tuple[int, int, int, int], fmpq]) -> int | None:
    """The value of a sum of terms (:mod:`dipc.numbers.exppoly`), or None if it has none.

    >>> residue(1, {(0, 2, 0, 0): fmpq(1)}) == residue(1, {(0, 1, 0, 0): fmpq(1)}) ** 2 % P
    True
    """
    try:
        return sum(int(c.p) * _inverse(int(c.q)) * _power(*key, unit) for key, c in items.items()) % P
    except ValueError:  # a number is 0 there, and has no inverse
        return None


def divided(above: int | None, below: int | None) -> int | None:
    """The value of a fraction; None if it has none."""
    return above * _inverse(below) % P if above is not None and below else None


@lru_cache(maxsize=65536)
def _power(n: int, a: int, k: int, b: int, unit: int) -> int:
    """The value of ``eps^n exp(a eps/unit + k/unit + b/(unit eps))``."""
    inverse = pow(unit, -1, Q)
    result = pow(EPS, n % Q, P)
    for base, exponent in ((RATE, a), (CONSTANT, k), (INVERSE, b)):
        if exponent:
            result = result * pow(base, exponent * inverse % Q, P) % P
    return result


@lru_cache(maxsize=4096)
def _inverse(number: int) -> int:
    return pow(number, -1, P)
