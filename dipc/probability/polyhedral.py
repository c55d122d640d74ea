"""Integration over polyhedra: the comparison graphs that are no forest.

The integral of ``prod_i weight_i(y_i)`` over ``{ all links positive }`` is computed one variable at
a time, as in the paper's Lemma 23.  A **cell** is an intersection of open half-spaces together with
a sum of terms

    c * eps^n * prod_i y_i^m_i * exp(sum_i k_i y_i + q eps),

and starts as a choice of one piece of every weight.  To integrate v out of a cell, its bounds on v
are lower bounds L_1, L_2, ... and upper bounds U_1, U_2, ..., linear in the other variables.  The
cell is split by which L_j is greatest and which U_k is least (the paper's repetitive polyhedra); on
each part the integral is ``primitive(U_k) - primitive(L_j)``, again a sum of such terms.  Parts
without interior are dropped, by Fourier-Motzkin elimination in exact rationals.

Why an unbounded cell needs no care: the integrand is bounded by the densities, so that after equal
terms are collected every remaining term decays in an unbounded direction; this is checked.

All breakpoints scale with eps (``y = eps * x``), so that geometry is done once, at eps = 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import factorial, lcm
from typing import Protocol

from flint import fmpq

from dipc.errors import InternalError
from dipc.probability.exppoly import ExpPoly, whole
from dipc.probability.piecewise import Piecewise

Exponents = tuple[tuple[int, int, int], ...]  # (variable, m, k * unit), by variable, no (v, 0, 0)
Key = tuple[int, int, Exponents]  # n, q * unit, exponents
Terms = dict[Key, fmpq]


class LinearForm(Protocol):
    """What a link is: see :class:`dipc.probability.joint.Linear`."""

    @property
    def coefficients(self) -> tuple[tuple[int, fmpq], ...]: ...
    @property
    def constant(self) -> fmpq: ...


@dataclass(frozen=True, slots=True)
class Form:
    """``sum coefficient * variable + constant``."""

    coefficients: tuple[tuple[int, fmpq], ...]
    constant: fmpq

    @staticmethod
    def of(coefficients: dict[int, fmpq], constant: fmpq) -> Form:
        """The form scaled to a first coefficient of 1 or -1: equal half-spaces are equal forms."""
        kept = [(i, c) for i, c in sorted(coefficients.items()) if c]
        scale = abs(kept[0][1]) if kept else fmpq(1)
        return Form(tuple((i, c / scale) for i, c in kept), constant / scale)

    def minus(self, other: Form) -> Form:
        coefficients = dict(self.coefficients)
        for i, c in other.coefficients:
            coefficients[i] = coefficients.get(i, fmpq(0)) - c
        return Form.of(coefficients, self.constant - other.constant)

    def bound_on(self, v: int) -> Form:
        """``self > 0`` solved for v: the right-hand side, not normalised."""
        pivot = dict(self.coefficients)[v]
        rest = tuple((i, -c / pivot) for i, c in self.coefficients if i != v)
        return Form(rest, -self.constant / pivot)


Region = frozenset[Form]


@dataclass(frozen=True, slots=True)
class _Bounds:
    lower: tuple[Form, ...]
    upper: tuple[Form, ...]
    others: Region


def _bounds(region: Iterable[Form], v: int) -> _Bounds:
    lower, upper, others = [], [], []
    for form in region:
        c = dict(form.coefficients).get(v)
        if c is None:
            others.append(form)
        elif c > 0:
            lower.append(form.bound_on(v))
        else:
            upper.append(form.bound_on(v))
    return _Bounds(tuple(lower), tuple(upper), frozenset(others))


# --- feasibility -----------------------------------------------------------------------------


def feasible(weights: Sequence[Piecewise], links: Iterable[LinearForm]) -> bool:
    """Whether the links hold on a set of positive measure within the supports of the weights."""
    region = {Form(link.coefficients, link.constant) for link in links}
    variables = {i for form in region for i, _ in form.coefficients}
    for i in variables:
        region.update(_interval(i, *weights[i].support))
    return has_interior(frozenset(region))


def _interval(v: int, low: fmpq | None, high: fmpq | None) -> Iterator[Form]:
    if low is not None:
        yield Form(((v, fmpq(1)),), -low)
    if high is not None:
        yield Form(((v, fmpq(-1)),), high)


@lru_cache(maxsize=65536)
def has_interior(region: Region) -> bool:
    """Whether open half-spaces have a common point (Fourier-Motzkin elimination).

    >>> x, y = (0, fmpq(1)), (1, fmpq(1))
    >>> above = Form((x, (1, fmpq(-1))), fmpq(0))               # x > y
    >>> has_interior(frozenset({above, Form(((0, fmpq(-1)), y), fmpq(0))}))
    False
    """
    if any(not form.coefficients and form.constant <= 0 for form in region):
        return False
    region = frozenset(form for form in region if form.coefficients)
    if not region:
        return True
    v = _cheapest(region, {i for form in region for i, _ in form.coefficients})
    bounds = _bounds(region, v)
    return has_interior(bounds.others | {u.minus(low) for low in bounds.lower for u in bounds.upper})


def _cheapest(region: Region, variables: Iterable[int]) -> int:
    """The variable whose elimination makes the fewest pairs of bounds."""

    def cost(v: int) -> tuple[int, int]:
        signs = [c > 0 for form in region for i, c in form.coefficients if i == v]
        above = sum(signs)
        return above * (len(signs) - above), v

    return min(variables, key=cost)


# --- integration -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Cell:
    region: Region
    terms: Terms


@lru_cache(maxsize=16384)
def integrate(weights: tuple[Piecewise, ...], links: frozenset[LinearForm]) -> ExpPoly:
    """The integral of the product of the weights over the set where all links are positive.

    >>> from dipc.probability.joint import Linear
    >>> f = Piecewise.laplace(fmpq(1), fmpq(0))
    >>> less = lambda i, j: Linear(((i, fmpq(-1)), (j, fmpq(1))), fmpq(0))
    >>> integrate((f, f, f), frozenset({less(0, 1), less(1, 2), less(0, 2)}))
    1/6
    """
    unit = lcm(1, *(w.unit for w in weights))
    cells = list(_starting_cells(weights, links, unit))
    remaining = set(range(len(weights)))
    while remaining:
        union = frozenset(form for cell in cells for form in cell.region)
        v = _cheapest(union, remaining)
        remaining.remove(v)
        unit, cells = _integrate_out(v, cells, unit)
    total = ExpPoly()
    for cell in cells:
        total = total + ExpPoly({(n, q, 0): c for (n, q, _), c in cell.terms.items()}, unit)
    return total


def _starting_cells(weights: Sequence[Piecewise], links: Iterable[LinearForm], unit: int) -> Iterator[_Cell]:
    """One cell for each choice of a piece of every weight."""
    common = frozenset(Form.of(dict(link.coefficients), link.constant) for link in links)
    choices = []
    for i, w in enumerate(weights):
        edges = [None, *w.breaks, None]
        pieces = w.in_unit(unit)
        choices.append(
            [
                (frozenset(_interval(i, edges[j], edges[j + 1])), piece, i)
                for j, piece in enumerate(pieces)
                if piece
            ]
        )
    for choice in product(*choices):
        region = common.union(*(interval for interval, _, _ in choice))
        if has_interior(region):
            terms: Terms = {(0, 0, ()): fmpq(1)}
            for _, piece, i in choice:
                terms = _times_piece(terms, piece, i)
            yield _Cell(region, terms)


def _times_piece(terms: Terms, piece: dict[tuple[int, int, int, int], fmpq], i: int) -> Terms:
    """The product with a piece in variable i, which does not occur yet and follows all others."""
    result: Terms = {}
    for (n, q, exponents), c in terms.items():
        for (m, k, n2, q2), c2 in piece.items():
            more = ((i, m, k),) if m or k else ()
            _put(result, (n + n2, q + q2, exponents + more), c * c2)
    return result


def _put(terms: Terms, key: Key, c: fmpq) -> None:
    old = terms.get(key)
    c = c if old is None else old + c
    if c:
        terms[key] = c
    elif old is not None:
        del terms[key]


def _integrate_out(v: int, cells: list[_Cell], unit: int) -> tuple[int, list[_Cell]]:
    """Integrate v out of every cell; cells over the same region are added."""
    divided = [(_bounds(cell.region, v), cell.terms) for cell in cells]
    factor = lcm(
        1,
        *(
            int(x.q)
            for bounds, _ in divided
            for form in (*bounds.lower, *bounds.upper)
            for x in (form.constant, *(c for _, c in form.coefficients))
        ),
    )
    sums: dict[Region, Terms] = {}
    for bounds, terms in divided:
        primitive = _primitive(_refined(terms, factor), v, unit * factor)
        for region, low, high in _parts(bounds):
            total = sums.setdefault(region, {})
            for bound, sign in ((high, 1), (low, -1)):
                for key, c in _substituted(primitive, v, bound, rising=sign < 0).items():
                    _put(total, key, sign * c)
    return unit * factor, [_Cell(region, terms) for region, terms in sums.items() if terms]


def _parts(bounds: _Bounds) -> Iterator[tuple[Region, Form | None, Form | None]]:
    """The region split by which lower bound is greatest and which upper bound is least."""
    for low in bounds.lower or (None,):
        for high in bounds.upper or (None,):
            forms = set(bounds.others)
            if low is not None:
                forms.update(low.minus(other) for other in bounds.lower if other != low)
            if high is not None:
                forms.update(other.minus(high) for other in bounds.upper if other != high)
            if low is not None and high is not None:
                forms.add(high.minus(low))
            region = frozenset(form for form in forms if form.coefficients or form.constant <= 0)
            if has_interior(region):
                yield region, low, high


def _refined(terms: Terms, factor: int) -> Terms:
    if factor == 1:
        return terms
    return {
        (n, q * factor, tuple((i, m, k * factor) for i, m, k in exponents)): c
        for (n, q, exponents), c in terms.items()
    }


def _primitive(terms: Terms, v: int, unit: int) -> Terms:
    """An antiderivative in v, by the rule of :func:`dipc.probability.piecewise._primitive`."""
    result: Terms = {}
    for (n, q, exponents), c in terms.items():
        m, k = next(((m, k) for i, m, k in exponents if i == v), (0, 0))
        others = tuple(e for e in exponents if e[0] != v)
        if k == 0:
            _put(result, (n, q, _with(others, v, m + 1, 0)), c / (m + 1))
            continue
        rate = fmpq(k, unit)
        c = c / rate
        for j in range(m, -1, -1):
            _put(result, (n, q, _with(others, v, j, k)), c)
            c = -c * j / rate
    return result


def _with(exponents: Exponents, v: int, m: int, k: int) -> Exponents:
    return tuple(sorted((*exponents, (v, m, k)))) if m or k else exponents


def _substituted(terms: Terms, v: int, bound: Form | None, *, rising: bool) -> Terms:
    """``y_v = bound`` put in; no bound is the limit at infinity (``rising``: minus infinity)."""
    result: Terms = {}
    for (n, q, exponents), c in terms.items():
        m, k = next(((m, k) for i, m, k in exponents if i == v), (0, 0))
        if bound is None:
            if (k <= 0) if rising else (k >= 0):
                raise InternalError("an integrand does not vanish at infinity")
            continue
        others = {i: (m2, k2) for i, m2, k2 in exponents if i != v}
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
            _put(result, (n + eps_power, shift, key), c * factor)
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
    if parts == 0:
        if total == 0:
            yield ()
        return
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)
