"""Bounds of exp and of functions at a point, as ``Bounds.v`` computes them."""

from __future__ import annotations

from fractions import Fraction

from dipc.errors import Unsupported
from dipc.kernel.facts import Function, sign_at

MOST_TERMS = 1 << 10  # of Taylor's polynomials of exp


def series(up: int, n: int, y: int) -> tuple[int, int]:
    """n terms of the series of exp and the next one at y/16^n, times 16^n: rounded up if ``up`` is 1."""
    total, term = 0, 1 << 4 * n
    for i in range(n):
        total, term = total + term, (term * y >> 4 * n) // (i + 1) + up
    return total, term


def squared(up: int, n: int, times: int, z: int) -> int:
    """z/16^n squared so many times."""
    for _ in range(times):
        z = (z * z >> 4 * n) + up
    return z


def halved(n: int, x: Fraction) -> tuple[int, int]:
    """How often x > 0 is halved, and the result times 16^n, rounded down."""
    fixed = (x.numerator << 4 * n) // x.denominator
    halvings = max((fixed + 1).bit_length() + 1 - 4 * n, 0)
    return halvings, fixed >> halvings


def grown_low(n: int, x: Fraction) -> int:
    """A lower bound of exp(x) times 16^n, for x > 0."""
    halvings, y = halved(n, x)
    return squared(0, n, halvings, series(0, n, y)[0])


def grown_high(n: int, x: Fraction) -> int | None:
    """An upper bound."""
    halvings, y = halved(n, x)
    if 2 * (y + 1) > 1 << 4 * n:
        return None
    total, term = series(1, n, y + 1)
    return squared(1, n, halvings, total + 2 * term)


def exp_low(n: int, x: Fraction) -> Fraction:
    """A lower bound of exp(x)."""
    if x == 0:
        return Fraction(1)
    if x > 0:
        return Fraction(grown_low(n, x), 1 << 4 * n)
    high = grown_high(n, -x)
    return Fraction(0) if high is None else Fraction((1 << 8 * n) // high, 1 << 4 * n)


def exp_high(n: int, x: Fraction) -> Fraction | None:
    """An upper bound of exp(x), or None if n is too small."""
    if x == 0:
        return Fraction(1)
    if x > 0:
        high = grown_high(n, x)
        return None if high is None else Fraction(high, 1 << 4 * n)
    low = grown_low(n, -x)
    return Fraction((1 << 8 * n) // low + 1, 1 << 4 * n) if low > 0 else None


def times_exp(n: int, c: Fraction, least: Fraction, most: Fraction) -> Fraction | None:
    """A lower bound of c*exp(x) for x between least and most."""
    if c >= 0:
        return c * exp_low(n, least)
    high = exp_high(n, most)
    return None if high is None else c * high


def low_at(n: int, f: Function, point: Fraction) -> Fraction | None:
    """A lower bound of f at a point, or None if n is too small."""
    values: dict[Fraction, Fraction] = {}
    for (power, a, _, _), c in f.items():
        values[a * point] = values.get(a * point, Fraction(0)) + c * point**power
    total = Fraction(0)
    for x, c in values.items():
        below = times_exp(n, c, x, x)
        if below is None:
            return None
        total += below
    return total


def above_zero(bound: Fraction | None, strict: bool) -> bool:
    """Whether a lower bound shows that something is >= 0 (> 0)."""
    return bound is not None and (bound > 0 if strict else bound >= 0)


def terms_needed(f: Function, point: Fraction, strict: bool) -> int:
    """How many terms show that f is > 0 at the point, or >= 0; a power of 2.

    Raises :class:`Unsupported` if it is not, or if that would take too many.
    """
    n = 8 if sign_at(f, point) >= int(strict) else MOST_TERMS + 1
    while n <= MOST_TERMS:
        if above_zero(low_at(n, f, point), strict):
            return n
        n *= 2
    raise Unsupported(f"{MOST_TERMS} terms of the series of exp do not show the sign at eps = {point}")
