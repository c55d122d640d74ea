"""Sums of terms as dictionaries from exponents to coefficients, none of which is 0."""

from __future__ import annotations

from flint import fmpq

Exponents = tuple[int, int, int, int]
Items = dict[Exponents, fmpq]


def plus(left: Items, right: Items) -> Items:
    """The sum.

    >>> plus({(1, 0, 0, 0): fmpq(2)}, {(1, 0, 0, 0): fmpq(-2), (0, 0, 0, 1): fmpq(3)})
    {(0, 0, 0, 1): 3}
    """
    if not right:
        return left
    result = dict(left)
    for key, c in right.items():
        old = result.get(key)
        total = c if old is None else old + c
        if total:
            result[key] = total
        else:
            del result[key]
    return result


def times(left: Items, right: Items) -> Items:
    """The product: exponents add."""
    result: Items = {}
    others = list(right.items())
    if not others:
        return result
    for (n, a, k, b), c in left.items():
        for (n2, a2, k2, b2), c2 in others:
            key = (n + n2, a + a2, k + k2, b + b2)
            old = result.get(key)
            result[key] = c * c2 if old is None else old + c * c2
    return {key: c for key, c in result.items() if c}
