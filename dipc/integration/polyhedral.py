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
from math import lcm

from flint import fmpq

from dipc.integration.halfspaces import Bounds, Form, Region, bounds, cheapest, has_interior, interval
from dipc.integration.linear import Linear
from dipc.integration.piecewise import Piecewise
from dipc.integration.terms import Terms, put, refined, substituted, times_piece, with_power
from dipc.numbers.exppoly import ExpPoly


@dataclass(frozen=True, slots=True)
class Cell:
    region: Region
    terms: Terms


@lru_cache(maxsize=16384)
def integrate(weights: tuple[Piecewise, ...], links: frozenset[Linear]) -> ExpPoly:
    """The integral of the product of the weights over the set where all links are positive.

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
        v = cheapest(union, remaining)
        remaining.remove(v)
        unit, cells = _integrate_out(v, cells, unit)
    total = ExpPoly()
    for cell in cells:
        total = total + ExpPoly({(n, q, 0, 0): c for (n, q, _), c in cell.terms.items()}, unit)
    return total


def _starting_cells(weights: Sequence[Piecewise], links: Iterable[Linear], unit: int) -> Iterator[Cell]:
    """One cell for each choice of a piece of every weight."""
    common = frozenset(Form.of(dict(link.coefficients), link.constant) for link in links)
    choices = []
    for i, w in enumerate(weights):
        edges = [None, *w.breaks, None]
        pieces = w.in_unit(unit)
        choices.append(
            [
                (frozenset(interval(i, edges[j], edges[j + 1])), piece, i)
                for j, piece in enumerate(pieces)
                if piece
            ]
        )
    for choice in product(*choices):
        region = common.union(*(interval for interval, _, _ in choice))
        if has_interior(region):
            terms: Terms = {(0, 0, ()): fmpq(1)}
            for _, piece, i in choice:
                terms = times_piece(terms, piece, i)
            yield Cell(region, terms)


def _integrate_out(v: int, cells: list[Cell], unit: int) -> tuple[int, list[Cell]]:
    """Integrate v out of every cell; cells over the same region are added."""
    divided = [(bounds(cell.region, v), cell.terms) for cell in cells]
    factor = lcm(
        1,
        *(
            int(x.q)
            for found, _ in divided
            for form in (*found.lower, *found.upper)
            for x in (form.constant, *(c for _, c in form.coefficients))
        ),
    )
    sums: dict[Region, Terms] = {}
    for found, terms in divided:
        primitive = _primitive(refined(terms, factor), v, unit * factor)
        for region, low, high in _parts(found):
            total = sums.setdefault(region, {})
            for bound, sign in ((high, 1), (low, -1)):
                for key, c in substituted(primitive, v, bound, rising=sign < 0).items():
                    put(total, key, sign * c)
    return unit * factor, [Cell(region, terms) for region, terms in sums.items() if terms]


def _parts(found: Bounds) -> Iterator[tuple[Region, Form | None, Form | None]]:
    """The region split by which lower bound is greatest and which upper bound is least."""
    for low in found.lower or (None,):
        for high in found.upper or (None,):
            forms = set(found.others)
            if low is not None:
                forms.update(low.minus(other) for other in found.lower if other != low)
            if high is not None:
                forms.update(other.minus(high) for other in found.upper if other != high)
            if low is not None and high is not None:
                forms.add(high.minus(low))
            region = frozenset(form for form in forms if form.coefficients or form.constant <= 0)
            if has_interior(region):
                yield region, low, high


def _primitive(terms: Terms, v: int, unit: int) -> Terms:
    """An antiderivative in v, by the rule of :func:`dipc.integration.piecewise._primitive`."""
    result: Terms = {}
    for (n, q, exponents), c in terms.items():
        m, k = next(((m, k) for i, m, k in exponents if i == v), (0, 0))
        others = tuple(e for e in exponents if e[0] != v)
        if k == 0:
            put(result, (n, q, with_power(others, v, m + 1, 0)), c / (m + 1))
            continue
        rate = fmpq(k, unit)
        c = c / rate
        for j in range(m, -1, -1):
            put(result, (n, q, with_power(others, v, j, k)), c)
            c = -c * j / rate
    return result
