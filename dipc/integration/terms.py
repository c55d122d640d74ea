"""Exponential terms in several variables: what is integrated over polyhedra and summed over lattices.

A sum of ``c * eps^n * prod_i y_i^m_i * exp(sum_i k_i y_i + q eps)`` is a dictionary; exponents are integers
over a common unit, as in :mod:`dipc.integration.piecewise`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement
from math import factorial, prod

from flint import fmpq

from dipc.errors import InternalError
from dipc.integration.halfspaces import Form
from dipc.numbers.exppoly import collected, whole

Exponents = tuple[tuple[int, int, int], ...]  # (variable, m, k * unit), by variable, no (v, 0, 0)
Key = tuple[int, int, Exponents]  # n, q * unit, exponents
Terms = dict[Key, fmpq]

EPS = -1  # the number of eps among the variables of a bound


def times_piece(terms: Terms, piece: dict[tuple[int, int, int, int], fmpq], i: int) -> Terms:
    """The product with a piece in variable i, which does not occur yet and follows all others."""
    return collected(
        ((n + n2, q + q2, with_power(exponents, i, m, k)), c * c2)
        for (n, q, exponents), c in terms.items()
        for (m, k, n2, q2), c2 in piece.items()
    )


def put(terms: Terms, key: Key, c: fmpq) -> None:
    """Add ``c`` to a coefficient, in place."""
    old = terms.get(key)
    c = c if old is None else old + c
    if c:
        terms[key] = c
    elif old is not None:
        del terms[key]


def refined(terms: Terms, factor: int) -> Terms:
    """The same terms in a unit ``factor`` times finer."""
    if factor == 1:
        return terms
    return {
        (n, q * factor, tuple((i, m, k * factor) for i, m, k in exponents)): c
        for (n, q, exponents), c in terms.items()
    }


def without(exponents: Exponents, v: int) -> tuple[int, int, Exponents]:
    """The m and k of a variable, and the exponents of the others."""
    m, k = next(((m, k) for i, m, k in exponents if i == v), (0, 0))
    return m, k, tuple(e for e in exponents if e[0] != v)


def with_power(exponents: Exponents, v: int, m: int, k: int) -> Exponents:
    """The exponents times ``y_v^m exp(k y_v)``, v not among them."""
    return tuple(sorted((*exponents, (v, m, k)))) if m or k else exponents


def substituted(terms: Terms, v: int, bound: Form | None, *, rising: bool) -> Terms:
    """``y_v = bound`` put in; no bound is the limit at infinity (``rising``: minus infinity)."""
    result: Terms = {}
    for (n, q, exponents), c in terms.items():
        m, k, rest = without(exponents, v)
        if bound is None:
            if (k <= 0) if rising else (k >= 0):
                raise InternalError("an integrand does not vanish at infinity")
            continue
        others = {i: (m2, k2) for i, m2, k2 in rest}
        for i, slope in bound.coefficients:
            m2, k2 = others.get(i, (0, 0))
            others[i] = (m2, k2 + whole(k * slope))
        shift = q + whole(k * bound.constant)
        for powers, factor in _expanded(bound, m):
            grown = [(i, m2 + powers.get(i, 0), k2) for i, (m2, k2) in sorted(others.items())]
            key = tuple([exponent for exponent in grown if exponent[1] or exponent[2]])
            put(result, (n + powers.get(EPS, 0), shift, key), c * factor)
    return result


def _expanded(bound: Form, m: int) -> Iterator[tuple[dict[int, int], fmpq]]:
    """``(sum slope_i y_i + constant * eps)^m`` by the multinomial theorem: powers and their factor."""
    if not m:
        yield {}, fmpq(1)
        return
    parts = (*bound.coefficients, (EPS, bound.constant)) if bound.constant else bound.coefficients
    for chosen in combinations_with_replacement(parts, m):
        powers = Counter(i for i, _ in chosen)
        ways = factorial(m) // prod(map(factorial, powers.values()))
        yield powers, prod((c for _, c in chosen), start=fmpq(ways))
