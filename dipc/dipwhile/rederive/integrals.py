"""The probability that independent real noise satisfies linear inequalities, by nested integrals.

The slow, obvious route (DiPC, Lemma 23): split variables by their signs, integrate out one after the other.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

from dipc.dipwhile.rederive.functions import ONE, NotCovered
from dipc.dipwhile.rederive.inequalities import Row, arranged, has_interior, row
from dipc.kernel.facts import ZERO, Function, add, collected

Term = tuple[int, tuple[Fraction, ...], tuple[int, ...], Fraction]
"""``(n, k, m, q)``: the function ``eps^n exp(q eps) prod_i x_i^m_i exp(k_i eps x_i)``."""

Integrand = dict[Term, Fraction]
Terms = Iterator[tuple[Term, Fraction]]
Affine = tuple[Fraction, ...]
"""``(h_1, ..., h_n, h_0)``: the function ``h_1 x_1 + ... + h_n x_n + h_0``."""


def bound(r: Row, x: int) -> Affine:
    """The value of x_x at which the row is 0, as a function of the other variables."""
    return tuple(ZERO if i == x else Fraction(-c, r[x]) for i, c in enumerate(r))


def power(h: Affine, exponent: int) -> dict[tuple[int, ...], Fraction]:
    """``h^exponent`` as a polynomial: powers of x_1 ... x_n to coefficient."""
    width = len(h) - 1
    result: dict[tuple[int, ...], Fraction] = {(0,) * width: ONE}
    for _ in range(exponent):
        result = collected(
            (powers if i == width else (*powers[:i], powers[i] + 1, *powers[i + 1 :]), c * factor)
            for powers, c in result.items()
            for i, factor in enumerate(h)
            if factor
        )
    return result


def substituted(f: Integrand, x: int, h: Affine) -> Terms:
    """f with x_x replaced by the affine function h of the others."""
    used = [i for i, slope in enumerate(h[:-1]) if slope and i != x]
    for (n, k, m, q), c in f.items():
        rates = list(k)
        rates[x] = ZERO
        for i in used:
            rates[i] += k[x] * h[i]
        others = (*m[:x], 0, *m[x + 1 :])
        slopes, shift = tuple(rates), q + k[x] * h[-1]
        for powers, d in power(h, m[x]).items():
            yield (n, slopes, tuple(map(operator.add, others, powers)) if m[x] else others, shift), c * d


def antiderivative(f: Integrand, x: int) -> Terms:
    """An antiderivative of f in x_x, term by term.

    ``int x^m dx = x^(m+1)/(m+1)``, and for K = k eps with k != 0 repeated integration by parts
    gives ``int x^m e^(Kx) dx = sum_j (-1)^j m!/(m-j)! x^(m-j) e^(Kx) / K^(j+1)``.
    """
    for (n, k, m, q), c in f.items():
        before, degree, after = m[:x], m[x], m[x + 1 :]
        if k[x] == 0:
            yield (n, k, (*before, degree + 1, *after), q), c / (degree + 1)
            continue
        for j in range(degree + 1):
            factor = c * (-1) ** j * math.perm(degree, j)
            yield (n - j - 1, k, (*before, degree - j, *after), q), factor / k[x] ** (j + 1)


def definite(f: Integrand, x: int, low: Affine, high: Affine | None) -> Integrand:
    """The integral of f over x_x from low to high (None: infinity)."""
    primitive = collected(antiderivative(f, x))
    if high is None and any(k[x] >= 0 for _, k, _, _ in primitive):
        raise NotCovered("a probability that diverges: the cell should have been empty")
    upper = [] if high is None else substituted(primitive, x, high)
    return collected(itertools.chain(upper, ((key, -c) for key, c in substituted(primitive, x, low))))


def integrate(f: Integrand, rows: frozenset[Row], remaining: tuple[int, ...]) -> Function:
    """The integral of f over ``{x : every row >= 0}`` in the remaining variables.

    One variable is eliminated at a time.  The cells of its range differ in which lower bound is the largest
    and which upper bound the smallest; they overlap in measure 0, since different bounds are different affine
    functions.  Cells without interior have measure 0.
    """
    if not has_interior(rows):
        return {}
    if not remaining:
        return {(n, q, ZERO, ZERO): c for (n, _, _, q), c in f.items()}
    x = min(remaining, key=lambda i: sum(r[i] > 0 for r in rows) * max(1, sum(r[i] < 0 for r in rows)))
    rest = tuple(i for i in remaining if i != x)
    free = {r for r in rows if r[x] == 0}
    lows = {bound(r, x) for r in rows if r[x] > 0}
    highs: set[Affine | None] = {bound(r, x) for r in rows if r[x] < 0} or {None}
    total: Function = {}
    for low, high in itertools.product(lows, highs):
        cell = free | {above(low, other) for other in lows if other != low}
        if high is not None:
            cell |= {above(other, high) for other in highs if other is not None and other != high}
            cell |= {above(high, low)}
        if has_interior(frozenset(cell)):
            total = add(total, integrate(definite(f, x, low, high), frozenset(cell), rest))
    return total


def above(g: Affine, h: Affine) -> Row:
    """The row that says g >= h."""
    return row([a - b for a, b in zip(g, h, strict=True)])


def real_mass(rows: frozenset[Row], rates: Sequence[Fraction], symmetric: Sequence[bool]) -> Function:
    """The probability of the rows for noise of density ``a eps/2 exp(-a eps |x|)`` (symmetric), or for
    twice that on x > 0.

    >>> real_mass(frozenset({(1, -1, 0)}), [ONE, Fraction(1, 2)], [True, True])  # P(X >= Y)
    {(0, Fraction(0, 1), Fraction(0, 1), Fraction(0, 1)): Fraction(1, 2)}
    """
    count = len(rates)
    positive = {tuple(int(i == j) for j in range(count + 1)) for i in range(count)}
    weight = math.prod(rates, start=ONE) / 2 ** sum(symmetric)
    density: Integrand = {(count, tuple(-a for a in sorted(rates)), (0,) * count, ZERO): weight}
    cells: Counter[frozenset[Row]] = Counter()
    for signs in itertools.product(*((1, -1) if both else (1,) for both in symmetric)):
        mirrored = {tuple(c * s for c, s in zip(r, (*signs, 1), strict=True)) for r in rows}
        cells[arranged(range(count), mirrored | positive, rates.__getitem__)[1]] += 1
    parts = ((times, integrate(density, cell, tuple(range(count)))) for cell, times in cells.items())
    return add(*({key: times * c for key, c in part.items()} for times, part in parts))
