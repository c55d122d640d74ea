"""The probability that independent noise satisfies linear inequalities, by nested integrals.

The slow, obvious route (DiPC, Lemma 23), for ``dipc verify --deep``: rational numbers of the standard library
and the functions of the kernel, nothing of :mod:`dipc.probability`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from dipc.certificate.kernel import UNIT, ZERO, Function, Key, add, multiply
from dipc.errors import LimitReached

ONE = Fraction(1)


class NotCovered(LimitReached):
    """The slow route does not go there."""


def constant(value: Fraction | int) -> Function:
    """The constant function."""
    return {UNIT: Fraction(value)} if value else {}


def product(factors: Iterable[Function]) -> Function:
    """The product of all factors, 1 for none."""
    result = constant(1)
    for factor in factors:
        result = multiply(result, factor)
    return result


Row = tuple[int, ...]
"""``(c_1, ..., c_n, c_0)``, without common factor: ``c_1 x_1 + ... + c_n x_n + c_0 >= 0``."""

Term = tuple[int, tuple[Fraction, ...], tuple[int, ...], Fraction]
"""``(n, k, m, q)``: the function ``eps^n exp(q eps) prod_i x_i^m_i exp(k_i eps x_i)``."""

Integrand = dict[Term, Fraction]
Affine = tuple[Fraction, ...]
"""``(h_1, ..., h_n, h_0)``: the function ``h_1 x_1 + ... + h_n x_n + h_0``."""


@dataclass(frozen=True)
class Sample:
    """Centred noise: density ``a eps/2 exp(-a eps |x|)`` (Lap), or twice that for x > 0 (LapPlus)."""

    kind: str
    rate: Fraction
    inverse: bool = False  # the rate is a/eps instead of a*eps


def row(coefficients: Sequence[Fraction | int]) -> Row:
    """The inequality with integer coefficients without a common factor."""
    scale = math.lcm(*(c.denominator for c in coefficients))
    integers = [int(c * scale) for c in coefficients]
    divisor = math.gcd(*integers) or 1
    return tuple(c // divisor for c in integers)


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
        free = {r for r in system if r[x] == 0}
        system = free | {
            row([a * -high[x] + b * low[x] for a, b in zip(low, high, strict=True)])
            for low in lower
            for high in upper
        }
    return all(r[-1] > 0 for r in system)


def bound(r: Row, x: int) -> Affine:
    """The value of x_x at which the row is 0, as a function of the other variables."""
    return tuple(ZERO if i == x else Fraction(-c, r[x]) for i, c in enumerate(r))


def power(h: Affine, exponent: int) -> dict[tuple[int, ...], Fraction]:
    """``h^exponent`` as a polynomial: powers of x_1 ... x_n to coefficient."""
    width = len(h) - 1
    result: dict[tuple[int, ...], Fraction] = {(0,) * width: ONE}
    for _ in range(exponent):
        larger: dict[tuple[int, ...], Fraction] = {}
        for powers, c in result.items():
            for i, factor in enumerate(h):
                key = powers if i == width else (*powers[:i], powers[i] + 1, *powers[i + 1 :])
                larger[key] = larger.get(key, ZERO) + c * factor
        result = {key: c for key, c in larger.items() if c}
    return result


def substitute(f: Integrand, x: int, h: Affine) -> Integrand:
    """f with x_x replaced by the affine function h of the others."""
    result: Integrand = {}
    for (n, k, m, q), c in f.items():
        rates = tuple(ZERO if i == x else k[i] + k[x] * h[i] for i in range(len(k)))
        others = tuple(0 if i == x else m[i] for i in range(len(m)))
        for powers, d in power(h, m[x]).items():
            exponents = tuple(a + b for a, b in zip(others, powers, strict=True))
            key = (n, rates, exponents, q + k[x] * h[-1])
            result[key] = result.get(key, ZERO) + c * d
    return {key: c for key, c in result.items() if c}


def antiderivative(f: Integrand, x: int) -> Integrand:
    """An antiderivative of f in x_x, term by term.

    ``int x^m dx = x^(m+1)/(m+1)``, and for K = k eps with k != 0 repeated integration by parts
    gives ``int x^m e^(Kx) dx = sum_j (-1)^j m!/(m-j)! x^(m-j) e^(Kx) / K^(j+1)``.
    """
    result: Integrand = {}

    def put(n: int, k: tuple[Fraction, ...], m: tuple[int, ...], new: int, q: Fraction, c: Fraction) -> None:
        key = (n, k, (*m[:x], new, *m[x + 1 :]), q)
        result[key] = result.get(key, ZERO) + c

    for (n, k, m, q), c in f.items():
        if k[x] == 0:
            put(n, k, m, m[x] + 1, q, c / (m[x] + 1))
            continue
        for j in range(m[x] + 1):
            falling = Fraction(math.factorial(m[x]), math.factorial(m[x] - j))
            put(n - j - 1, k, m, m[x] - j, q, (-1) ** j * c * falling / k[x] ** (j + 1))
    return {key: c for key, c in result.items() if c}


def definite(f: Integrand, x: int, low: Affine, high: Affine | None) -> Integrand:
    """The integral of f over x_x from low to high (None: infinity)."""
    primitive = antiderivative(f, x)
    if high is None:
        if any(k[x] >= 0 for _, k, _, _ in primitive):
            raise NotCovered("a probability that diverges: the cell should have been empty")
        upper: Integrand = {}
    else:
        upper = substitute(primitive, x, high)
    for key, c in substitute(primitive, x, low).items():
        upper[key] = upper.get(key, ZERO) - c
    return {key: c for key, c in upper.items() if c}


def integrate(f: Integrand, rows: frozenset[Row], remaining: tuple[int, ...]) -> Function:
    """The integral of f over ``{x : every row >= 0}`` in the remaining variables.

    One variable is eliminated at a time.  Its range is cut into cells by which lower bound is the
    largest and which upper bound the smallest; cells overlap in measure 0 because different
    bounds are different affine functions.  Cells without interior have measure 0.
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


@lru_cache(maxsize=100_000)
def measure_of(rows: frozenset[Row], samples: tuple[Sample, ...]) -> tuple[tuple[Key, Fraction], ...]:
    """:func:`measure` for samples that all occur (frozen for the cache)."""
    count = len(samples)
    positive = {tuple(int(i == j) for j in range(count + 1)) for i in range(count)}
    choices: list[tuple[int, ...]] = [(1, -1) if sample.kind == "Lap" else (1,) for sample in samples]
    weight = ONE
    for sample, signs in zip(samples, choices, strict=True):
        weight *= sample.rate / len(signs)
    density: Integrand = {(count, tuple(-s.rate for s in samples), (0,) * count, ZERO): weight}
    total: Function = {}
    for signs in itertools.product(*choices):
        mirrored = {tuple(c * s for c, s in zip(r, (*signs, 1), strict=True)) for r in rows}
        total = add(total, integrate(density, frozenset(mirrored | positive), tuple(range(count))))
    return tuple(total.items())


def measure(rows: Iterable[Row], samples: Sequence[Sample]) -> Function:
    """The probability that independent samples satisfy every row.

    Samples that no row mentions are dropped (their mass is 1), and samples that no chain of rows
    connects are independent.  Every Laplace sample is split by its sign, so that all variables are
    positive; then :func:`integrate`.

    >>> half = Fraction(1, 2)
    >>> X, Y = Sample("Lap", ONE), Sample("Lap", half)
    >>> measure([(1, -1, 0)], [X, Y]) == constant(half)  # P(X >= Y)
    True
    >>> measure([(1, -1)], [X])  # P(X >= 1) = exp(-eps)/2
    {(0, Fraction(-1, 1), Fraction(0, 1), Fraction(0, 1)): Fraction(1, 2)}
    """
    groups: list[tuple[set[int], set[Row]]] = []
    for r in set(rows):
        joined, together = {i for i in range(len(samples)) if r[i]}, {r}
        for group in [group for group in groups if group[0] & joined]:
            groups.remove(group)
            joined |= group[0]
            together |= group[1]
        groups.append((joined, together))
    factors = []
    for joined, together in groups:
        used = sorted(joined)
        short = frozenset((*(r[i] for i in used), r[-1]) for r in together)
        chosen = tuple(samples[i] for i in used)
        if len({sample.inverse for sample in chosen}) > 1:
            raise NotCovered("noise of rate a*eps is compared with noise of rate a/eps")
        factor = dict(measure_of(short, chosen))
        if chosen[0].inverse:  # computed in 1/eps
            factor = {(-n, b, k, a): c for (n, a, k, b), c in factor.items()}
        factors.append(factor)
    return product(factors)
