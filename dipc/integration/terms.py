"""Exponential terms in several variables: what is integrated over polyhedra and summed over lattices.

A sum of ``c * eps^n * prod_i y_i^m_i * exp(sum_i k_i y_i + q eps)`` is a dictionary; exponents are integers
over a common unit, as in :mod:`dipc.integration.piecewise`.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import factorial

from flint import fmpq

from dipc.errors import InternalError
from dipc.integration.halfspaces import Form
from dipc.numbers.exppoly import whole

Exponents = tuple[tuple[int, int, int], ...]  # (variable, m, k * unit), by variable, no (v, 0, 0)
Key = tuple[int, int, Exponents]  # n, q * unit, exponents
Terms = dict[Key, fmpq]


def times_piece(terms: Terms, piece: dict[tuple[int, int, int, int], fmpq], i: int) -> Terms:
    """The product with a piece in variable i, which does not occur yet and follows all others."""
    result: Terms = {}
    for (n, q, exponents), c in terms.items():
        for (m, k, n2, q2), c2 in piece.items():
            more = ((i, m, k),) if m or k else ()
            put(result, (n + n2, q + q2, exponents + more), c * c2)
    return result


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
        for powers, eps_power, factor in _expanded(bound, m):
            grown = dict(others)
            for i, p in powers:
                m2, k2 = grown.get(i, (0, 0))
                grown[i] = (m2 + p, k2)
            key = tuple((i, m2, k2) for i, (m2, k2) in sorted(grown.items()) if m2 or k2)
            put(result, (n + eps_power, shift, key), c * factor)
    return result


def _expanded(bound: Form, m: int) -> Iterator[tuple[tuple[tuple[int, int], ...], int, fmpq]]:
    """``(sum slope_i y_i + constant * eps)^m`` by the multinomial theorem: powers, power of eps, factor."""
    if m == 0:
        yield (), 0, fmpq(1)
        return
    parts = [*bound.coefficients, (-1, bound.constant)] if bound.constant else list(bound.coefficients)
    for powers in _compositions(m, len(parts)):
        factor = fmpq(factorial(m))
        for (_, c), p in zip(parts, powers, strict=True):
            factor = factor * c**p / factorial(p)
        eps_power = sum(p for (i, _), p in zip(parts, powers, strict=True) if i == -1)
        yield (
            tuple((i, p) for (i, _), p in zip(parts, powers, strict=True) if i >= 0 and p),
            eps_power,
            factor,
        )


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write ``total`` as an ordered sum of ``parts`` natural numbers."""
    if parts <= 1:
        if parts or not total:
            yield (total,) * parts
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)
