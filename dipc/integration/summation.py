"""Sums over the integers: what antiderivatives are for densities, antidifferences are here.

A function on the integers is a :class:`~dipc.integration.piecewise.Piecewise` whose breakpoints lie
halfway between integers; its value at the integer i is that at ``y = eps * i``.  With x = exp(k eps), the
antidifference of ``i^m x^i`` is ``T(i) = x^i (s_m i^m + ... + s_0)`` with T(i) - T(i-1) = i^m x^i, hence

    s_j = ( [j = m] + w * sum_{l > j} s_l binomial(l, j) (-1)^(l-j) ) / (1 - w),        w = 1/x,

and for k = 0 it is Faulhaber's polynomial.  The denominators are powers of ``1 - exp(-|k| eps)``; all pieces
are brought to one common denominator, so that the numerators stay exponential sums (DiPC, Lemma 22).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import comb, prod
from typing import NamedTuple

from flint import fmpq

from dipc.errors import InternalError
from dipc.integration.piecewise import Piece, Piecewise, joined
from dipc.numbers.exppoly import ExpPoly, collected
from dipc.numbers.quotient import Quotient

HALF = fmpq(1, 2)


class Ratio(NamedTuple):
    """``numerator / denominator``, the denominator a function of eps alone."""

    numerator: Piecewise
    denominator: ExpPoly


@lru_cache(maxsize=4096)
def antidifference(f: Piecewise) -> Ratio:
    """S with ``S(i) = sum_{j <= i} f(j)`` at every integer i; no breakpoint of f is an integer."""
    common = common_factors((m, fmpq(k, f.unit)) for piece in f.pieces for m, k, _, _ in piece)
    pieces = [_antidifference_of_piece(piece, f.unit, common) for piece in f.pieces]
    last = (fmpq(b.floor()) for b in f.breaks)  # of the integers on the left
    return Ratio(joined(f.unit, f.breaks, pieces, last), power_product(common))


def total(f: Piecewise) -> Quotient:
    """The sum over all integers, that of each power of ``1 - exp(-rate eps)`` below apart."""
    ends = (None, *f.breaks, None)
    above: dict[tuple[fmpq, int], ExpPoly] = {}
    for piece, low, high in zip(f.pieces, ends[:-1], ends[1:], strict=True):
        for (m, k, n, q), c in piece.items():
            if (low is None and k <= 0) or (high is None and k >= 0):
                raise InternalError("a density does not vanish at infinity")
            rate = fmpq(k, f.unit)
            sums: Sequence[ExpPoly | fmpq] = geometric_sums(m, rate) if k else faulhaber(m)
            for j, s in enumerate(sums):
                for end, value in ((low, -c), (high, c)):
                    if end is not None:
                        i = fmpq(end.floor())
                        part = ExpPoly.of(value * i**j, n + m, rate * i + fmpq(q, f.unit)) * s
                        key = abs(rate), m + 1 - j if k else 0
                        above[key] = above[key] + part if key in above else part
    return sum((Quotient(g, (1 - ExpPoly.exp(-rate)) ** p) for (rate, p), g in above.items()), Quotient.of(0))


Factors = dict[str, tuple[fmpq, int]]  # factors (1 - exp(-rate * eps))^power; keyed by the rate as text


def common_factors(powers: Iterable[tuple[int, fmpq]]) -> Factors:
    """The common denominator of the sums of ``i^m exp(rate eps i)``, given as (m, rate)."""
    found: Factors = {}
    for m, rate in powers:
        if rate:
            size = abs(rate)
            _, power = found.get(str(size), (size, 0))
            found[str(size)] = size, max(power, m + 1)
    return found


def power_product(powers: Factors) -> ExpPoly:
    """The product of all factors."""
    return prod(((1 - ExpPoly.exp(-rate)) ** n for rate, n in powers.values()), start=ExpPoly.of(1))


def _antidifference_of_piece(piece: Piece, unit: int, common: Factors) -> Piece:
    """An antidifference of one piece, times the common denominator."""
    return collected(
        ((j, k, n + m - j + n2, q + a), c * c2)
        for (m, k, n, q), c in piece.items()
        for j, numerator in enumerate(antidifference_of_power(m, fmpq(k, unit), common))
        for (n2, a, _, _), c2 in numerator.in_unit(unit).items()
    )


def antidifference_of_power(m: int, rate: fmpq, common: Factors) -> list[ExpPoly]:
    """The coefficients of ``i^j exp(rate eps i)`` in an antidifference of ``i^m exp(rate eps i)``.

    All are multiplied by the common denominator.
    """
    if not rate:
        return [power_product(common) * coefficient for coefficient in faulhaber(m)]
    name = str(abs(rate))
    result = []
    for j, numerator in enumerate(geometric_sums(m, rate)):
        rest = {**common, name: (abs(rate), common[name][1] - (m - j + 1))}
        result.append(numerator * power_product(rest))
    return result


@lru_cache(maxsize=256)
def geometric_sums(m: int, rate: fmpq) -> tuple[ExpPoly, ...]:
    """S_0 .. S_m: with x = exp(rate eps), d = 1 - exp(-|rate| eps), ``x^i sum_j S_j d^(j-m-1) i^j`` is an
    antidifference of ``i^m x^i``."""
    size = abs(rate)
    d = 1 - ExpPoly.exp(-size)
    # 1/(1 - w) with w = 1/x, times d
    inverse = ExpPoly.of(1) if rate > 0 else -ExpPoly.exp(-size)
    w = ExpPoly.exp(-rate)
    sums = [ExpPoly()] * (m + 1)
    sums[m] = inverse
    for j in range(m - 1, -1, -1):
        terms = (sums[i] * d ** (i - j - 1) * ((-1) ** (i - j) * comb(i, j)) for i in range(j + 1, m + 1))
        sums[j] = inverse * w * sum(terms, ExpPoly())
    return tuple(sums)


@lru_cache(maxsize=64)
def faulhaber(m: int) -> tuple[fmpq, ...]:
    """The coefficients of F with F(i) - F(i-1) = i^m and F(0) = 0: (0, 1/2, 1/2) for m = 1."""
    f = [fmpq(0)] * (m + 2)
    for t in range(m, -1, -1):
        known = sum((f[j] * ((-1) ** (j - t + 1) * comb(j, t)) for j in range(t + 2, m + 2)), fmpq(0))
        f[t + 1] = (fmpq(t == m) - known) / (t + 1)
    return tuple(f)
