"""Linear inequalities with integer coefficients, and whether all of them can hold strictly."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

Row = tuple[int, ...]
"""``(c_1, ..., c_n, c_0)``, without common factor: ``c_1 x_1 + ... + c_n x_n + c_0 >= 0``."""


def row(coefficients: Sequence[Fraction | int]) -> Row:
    """The inequality with integer coefficients without a common factor."""
    scale = math.lcm(*(c.denominator for c in coefficients))
    integers = [int(c * scale) for c in coefficients]
    divisor = math.gcd(*integers) or 1
    return tuple(c // divisor for c in integers)


def integer_row(coefficients: Sequence[Fraction | int], strict: bool) -> Row:
    """The same set of integer points, as tight as can be: the constant is rounded.

    >>> integer_row([Fraction(1, 2), -1, 3], strict=True)  # x/2 - y + 3 > 0
    (1, -2, 5)
    >>> integer_row([2, -4, 3], strict=False)  # 2x - 4y + 3 >= 0
    (1, -2, 1)
    """
    scale = math.lcm(*(c.denominator for c in coefficients))
    *slopes, last = (int(c * scale) for c in coefficients)
    divisor = math.gcd(*slopes) or 1
    return (*(c // divisor for c in slopes), (last - strict) // divisor)


def arranged(
    variables: Iterable[int], rows: Iterable[Row], key: Callable[[int], Any]
) -> tuple[list[int], frozenset[Row]]:
    """The variables ordered by a key, then by the rows that mention them, and the rows in this order.

    Systems that differ by a permutation of variables with equal keys become equal.
    """

    def appearance(i: int) -> tuple[Any, list[tuple[int, int, list[int]]]]:
        return key(i), sorted((r[i], r[-1], sorted(r[:-1])) for r in rows if r[i])

    order = sorted(variables, key=appearance)
    return order, frozenset((*(r[i] for i in order), r[-1]) for r in rows)


@lru_cache(maxsize=100_000)
def has_interior(rows: frozenset[Row]) -> bool:
    """Has ``{x : every row > 0}`` a point?  Fourier-Motzkin elimination, one variable at a time.

    >>> has_interior(frozenset({(1, 0), (-1, 1)})), has_interior(frozenset({(1, 0), (-1, 0)}))
    (True, False)
    """
    system = set(rows)
    width = len(next(iter(system))) - 1 if system else 0
    for x in range(width):
        lower = [r for r in system if r[x] > 0]
        upper = [r for r in system if r[x] < 0]
        system = {r for r in system if r[x] == 0} | {
            row([a * -high[x] + b * low[x] for a, b in zip(low, high, strict=True)])
            for low in lower
            for high in upper
        }
    return all(r[-1] > 0 for r in system)
