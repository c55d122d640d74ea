"""Integration over polyhedra: the comparison graphs that are not forests.

The integral of ``prod_i weight_i(y_i)`` over ``{ all links positive }`` is computed one variable at a time,
as in the paper's Lemma 23; see :mod:`dipc.integration.cells`.  Conditions are open half-spaces.

All breakpoints scale with eps (``y = eps * x``), so that the geometry is computed once, at eps = 1.
"""

from __future__ import annotations

from functools import lru_cache
from math import lcm

from flint import fmpq

from dipc.integration.cells import Cell, Points, eliminated, starting_cells, total
from dipc.integration.halfspaces import Form, bounds, cheapest, has_interior
from dipc.integration.linear import Linear
from dipc.integration.piecewise import Piecewise, power_primitive
from dipc.integration.terms import Terms, put, refined, with_power, without
from dipc.numbers.exppoly import ExpPoly

REALS = Points(
    normal=lambda form: Form.of(dict(form.coefficients), form.constant),
    possible=has_interior,
    order=lambda greater, less, strict: greater.minus(less),
    step=0,
)


@lru_cache(maxsize=16384)
def integrate(weights: tuple[Piecewise, ...], links: frozenset[Linear]) -> ExpPoly:
    """The integral of the product of the weights over the set where all links are positive."""
    unit = lcm(1, *(w.unit for w in weights))
    cells = list(starting_cells(REALS, weights, links, unit))
    remaining = set(range(len(weights)))
    while remaining:
        union = frozenset(form for cell in cells for form in cell.region)
        v = cheapest(union, remaining)
        remaining.remove(v)
        unit, cells = _integrate_out(v, cells, unit)
    return total(cells, unit)


def _integrate_out(v: int, cells: list[Cell], unit: int) -> tuple[int, list[Cell]]:
    """Integrate v out of every cell."""
    divided = [(bounds(cell.region, v), cell.terms) for cell in cells]
    forms = (form for found, _ in divided for form in (*found.lower, *found.upper))
    factor = lcm(*(int(x.q) for form in forms for x in (form.constant, *(c for _, c in form.coefficients))))
    finer = unit * factor
    primitives = [(found, _primitive(refined(terms, factor), v, finer)) for found, terms in divided]
    return finer, eliminated(REALS, v, primitives)


def _primitive(terms: Terms, v: int, unit: int) -> Terms:
    """An antiderivative in v."""
    result: Terms = {}
    for (n, q, exponents), c in terms.items():
        m, k, others = without(exponents, v)
        for j, factor in power_primitive(m, fmpq(k, unit)):
            put(result, (n, q, with_power(others, v, j, k)), c * factor)
    return result
