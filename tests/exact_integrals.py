"""Exact probabilities of linear conditions on Laplace, one-sided and discrete Laplace samples, at one eps.

Nothing is shared with dipc; the standard library only.  Samples are integrated, or summed, one after the
other: where several bounds compete, the cases which of them is the tightest are added up.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache, cached_property, reduce
from typing import Any

Sample = tuple[str, Fraction, Fraction]  # kind, rate, mean
ZERO = Fraction(0)
MOST = 20_000  # products of terms


class NotCovered(Exception):
    """More than this reference can do."""


# --- numbers, and functions of samples ---------------------------------------------------------------------


@dataclass(frozen=True)
class Sum:
    """The sum of ``c exp(r)`` times all ``x_i^n exp(k x_i)`` for ``((((i, n, k), ...), r), c)``, over
    some factors.

    By Lindemann's theorem a number, that is one without samples, is 0 only if there are no terms.
    """

    terms: frozenset[Any] = frozenset()
    over: Counter[frozenset[Any]] = field(default_factory=Counter, hash=False)

    def __add__(self, other: Sum) -> Sum:
        return total([self, other])

    def __neg__(self) -> Sum:
        return self * number(-1)

    def __sub__(self, other: Sum) -> Sum:
        return self + -other

    def __mul__(self, other: Sum) -> Sum:
        return Sum(product(self.terms, other.terms), self.over + other.over)

    def __truediv__(self, other: Sum) -> Sum:
        if any(powers for (powers, _), _ in other.terms):
            raise NotCovered("division by a sample")
        if not other.terms:
            raise ZeroDivisionError
        (_, r), c = min(other.terms)
        inverse = exponential(-r) * number(1 / c)
        factor = (other * inverse).terms  # one of its terms is 1: a normal form
        top = reduce(product, other.over.elements(), (self * inverse).terms)
        return Sum(top, self.over + Counter([factor] * (len(factor) > 1)))

    def __pow__(self, n: int) -> Sum:
        power = reduce(operator.mul, [self] * abs(n), ONE)
        return power if n >= 0 else ONE / power

    @cached_property
    def linear(self) -> dict[int, Fraction]:
        """The coefficients of the samples, and the number, under -1."""
        for (powers, r), _ in self.terms:
            if self.over or r or len(powers) > 1 or any((n, k) != (1, 0) for _, n, k in powers):
                raise NotCovered("no linear expression of samples")
        return {-1: ZERO} | {powers[0][0] if powers else -1: c for (powers, _), c in self.terms}


def total(sums: Sequence[Sum]) -> Sum:
    """The sum of them all."""
    common = reduce(operator.or_, (f.over for f in sums), Counter[frozenset[Any]]())
    parts = [
        f.terms if f.over == common else reduce(product, (common - f.over).elements(), f.terms) for f in sums
    ]
    return Sum(collected(term for part in parts for term in part), common)


def collected(terms: Iterable[Any]) -> frozenset[Any]:
    """Like terms as one."""
    found: dict[Any, Fraction] = {}
    for key, c in terms:
        found[key] = found[key] + c if key in found else c
    return frozenset((key, c) for key, c in found.items() if c)


def product(f: frozenset[Any], g: frozenset[Any]) -> frozenset[Any]:
    """All terms of f times all terms of g."""
    if len(f) * len(g) > MOST:
        raise NotCovered("numbers with too many terms")
    return collected(((merged(p, q), r + s), c * d) for (p, r), c in f for (q, s), d in g)


@cache
def merged(p: tuple[Any, ...], q: tuple[Any, ...]) -> tuple[Any, ...]:
    """The powers and exponents of a product."""
    if not p or not q:
        return p or q
    powers: dict[int, tuple[int, Fraction]] = {}
    for i, n, k in (*p, *q):
        m, j = powers.get(i, (0, ZERO))
        powers[i] = m + n, j + k
    return tuple(sorted((i, n, k) for i, (n, k) in powers.items() if n or k))


def number(c: Fraction | int) -> Sum:
    return Sum(frozenset([(((), ZERO), Fraction(c))] if c else ()))


def exponential(r: Fraction) -> Sum:
    return Sum(frozenset([(((), r), Fraction(1))]))


def sample(i: int) -> Sum:
    return Sum(frozenset([((((i, 1, ZERO),), ZERO), Fraction(1))]))


def growth(line: Sum, k: Fraction) -> Sum:
    """``exp(k line)``."""
    parts = line.linear
    powers = tuple((i, 0, k * a) for i, a in sorted(parts.items()) if i >= 0 and k * a)
    return Sum(frozenset([((powers, k * parts[-1]), Fraction(1))]))


NONE, ONE = number(0), number(1)


def sign(f: Sum) -> int:
    """1, 0 or -1 for a number, by decimals with a bound on their error."""
    result = 1
    with localcontext(prec=60):
        for terms in (f.terms, *f.over.elements()):
            if any(powers for (powers, _), _ in terms):
                raise NotCovered("the sign of a sample")
            parts = [
                (Decimal(r.numerator) / r.denominator).exp() * c.numerator / c.denominator
                for (_, r), c in terms
            ]
            if terms and abs(sum(parts)) < sum(map(abs, parts)) * Decimal("1e-40"):
                raise NotCovered("a number close to 0")
            result *= (sum(parts) > 0) - (sum(parts) < 0)
    return result


# --- probabilities -----------------------------------------------------------------------------------------


def row(form: Sum, strict: bool, samples: Sequence[Sample]) -> Sum:
    """``form > 0`` or ``form >= 0`` as ``row >= 0``, in a normal form; on reals the two are the same."""
    e, parts = form.linear[-1], {i: a for i, a in form.linear.items() if i >= 0}
    kinds = {samples[i][0] == "DLap" for i in parts}
    if len(kinds) > 1:
        raise NotCovered("integers compared with reals")
    if not parts:
        return ONE if e > 0 or (e == 0 and not strict) else -ONE
    unit = Fraction(
        math.gcd(*(a.numerator for a in parts.values())), math.lcm(*(a.denominator for a in parts.values()))
    )
    whole = math.ceil(e / unit) - 1 if strict else math.floor(e / unit)
    return (form - number(e)) / number(unit) + number(whole if kinds == {True} else e / unit)


def replaced(f: Sum, i: int, by: Callable[[int, Fraction], Sum]) -> Sum:
    """The function with ``by(n, k)`` in the place of x^n exp(k x), for the sample i."""
    rest: defaultdict[Any, list[Any]] = defaultdict(list)
    for (powers, r), c in f.terms:
        at = next(((n, k) for j, n, k in powers if j == i), (0, ZERO))
        rest[at].append(((tuple(power for power in powers if power[0] != i), r), c))
    found = total([Sum(frozenset(terms)) * by(*at) for at, terms in rest.items()])
    return Sum(found.terms, found.over + f.over)


@cache
def primitive(i: int, n: int, k: Fraction, integer: bool) -> Sum:
    """F with F' = f or, for integers, F(x + 1) - F(x) = f(x), for f = x^n exp(k x)."""
    x, e = sample(i), growth(sample(i), k)
    if not integer and k:
        return (x**n * e - (primitive(i, n - 1, k, False) * number(n) if n else NONE)) / number(k)
    if not integer:
        return x ** (n + 1) / number(n + 1)
    m, w = (n, exponential(k)) if k else (n + 1, ONE)
    less = total([primitive(i, j, k, True) * number(math.comb(m, j)) for j in range(n)])
    return (x**m * e - w * less) / (w - ONE if k else number(m))


def value_at(f: Sum, i: int, line: Sum | None, infinity: int) -> Sum:
    """The function at a linear expression of other samples; None is infinity, or minus infinity."""

    def at(n: int, k: Fraction) -> Sum:
        if line is not None:
            return line**n * growth(line, k)
        if k * infinity >= 0:
            raise NotCovered("no limit at infinity")
        return NONE

    return replaced(f, i, at)


def density(i: int, sample_: Sample) -> list[tuple[Sum, Sum]]:
    """Where the density of the sample i is not 0: conditions >= 0, each with the density there."""
    kind, a, mean = sample_
    z, distance = exponential(-a), sample(i) - number(mean)
    scale = {"Lap": number(a / 2), "LapPlus": number(a), "DLap": (ONE - z) / (ONE + z)}[kind]
    above = (distance, scale * growth(distance, -a))
    below = (-distance - number(kind == "DLap"), scale * growth(distance, a))
    return [above] if kind == "LapPlus" else [above, below]


def measure(f: Sum, left: frozenset[int], samples: tuple[Sample, ...], rows: frozenset[Sum]) -> Sum:
    """The integral of f over the samples left, times their densities, where all rows are >= 0."""
    if not left:
        return f
    known = [form.linear for form in rows]
    whole = [i for i in left if samples[i][0] != "DLap" or all(abs(parts.get(i, 1)) == 1 for parts in known)]
    if not whole:
        raise NotCovered("a multiple of an integer")
    i = min(whole, key=lambda i: (sum(i in parts for parts in known), i))
    integer = samples[i][0] == "DLap"
    cases = []
    for piece, weight in density(i, samples[i]):
        mine = [(form.linear[i], form) for form in rows | {piece} if i in form.linear]
        lower = list({sample(i) - form / number(a) for a, form in mine if a > 0})
        upper = list({sample(i) - form / number(a) for a, form in mine if a < 0})
        others = {form for form in rows if i not in form.linear}
        antiderivative = replaced(f * weight, i, lambda n, k: primitive(i, n, k, integer))
        for low, high in itertools.product(lower or (None,), upper or (None,)):
            where = others | first(low, lower, 1, samples) | first(high, upper, -1, samples)
            if low is not None and high is not None:
                where.add(row(high - low, False, samples))
            if -ONE not in where:
                end = high if high is None else high + number(integer)
                part = value_at(antiderivative, i, end, 1) - value_at(antiderivative, i, low, -1)
                cases.append(measure(part, left - {i}, samples, frozenset(where - {ONE})))
    return total(cases)


def first(best: Sum | None, lines: list[Sum], sense: int, samples: Sequence[Sample]) -> set[Sum]:
    """Where a line is the greatest one (the least one for -1), and the first of equals."""
    differences = [(best - line) * number(sense) for line in lines if best is not None]
    before = differences.index(NONE) if differences else 0
    return {row(d, strict=j < before, samples=samples) for j, d in enumerate(differences) if j != before}


@cache
def probability(samples: tuple[Sample, ...], rows: frozenset[Sum]) -> Sum:
    """The probability that all rows are >= 0."""
    return measure(ONE, frozenset(i for form in rows for i in form.linear if i >= 0), samples, rows)
