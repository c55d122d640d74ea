"""Rational bounds of exp, by Taylor's series in integers."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from .reading import Refused

MAX_EXPONENT = 100_000


def exp_bounds(x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Two positive rationals around exp(x) that differ by about 2^-bits of their size."""
    if not -MAX_EXPONENT <= x <= MAX_EXPONENT:
        raise Refused("exp", f"an exponent is not between -{MAX_EXPONENT} and {MAX_EXPONENT}")
    low, high = exp_of_positive(abs(x), bits)
    return (low, high) if x >= 0 else (1 / high, 1 / low)


@lru_cache(maxsize=10_000)
def exp_of_positive(x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """The same for x >= 0: exp(x) = exp(x/2^h)^(2^h) with x/2^h <= 1/2, by Taylor's series.

    Every step rounds outwards to multiples of 2^-w.
    """
    halvings = max(0, math.ceil(x).bit_length() + 1)
    w = bits + 2 * halvings + 16
    low_x = (x.numerator << w) // (x.denominator << halvings)  # in units of 2^-w, as all that follows
    high_x = low_x + 1
    low_term = high_term = low = high = 1 << w
    i = 0
    while high_term > 1:
        i += 1
        low_term = (low_term * low_x >> w) // i
        high_term = (high_term * high_x >> w) // i + 1
        low += low_term
        high += high_term
    high += 2 * high_term  # the rest of the series is below 2 y^i/i!, as y <= 1/2
    for _ in range(halvings):
        low = low * low >> w
        high = (high * high >> w) + 1
    return Fraction(low, 1 << w), Fraction(high, 1 << w)
