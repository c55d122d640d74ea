"""Cells: what integrals over polyhedra and sums over lattices have in common.

A **cell** is a set of linear conditions together with a sum of terms

    c * eps^n * prod_i y_i^m_i * exp(sum_i k_i y_i + q eps),

and starts as a choice of one piece of every weight.  Variables are eliminated one at a time.  The
conditions on v are lower bounds L_1, L_2, ... and upper bounds U_1, U_2, ..., linear in the other variables.
The cell is split by which L_j is greatest and which U_k is least (the paper's repetitive polyhedra); on each
part the result is ``T(U_k) - T(L_j)`` with an antiderivative T, again a sum of such terms.  Parts without
points are dropped, by Fourier-Motzkin elimination in exact rationals.

An unbounded cell needs no special care: the integrand is bounded by the densities, so that after equal terms
are collected every remaining term decays in an unbounded direction; this is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product

from flint import fmpq

from dipc.frozen import frozen
from dipc.integration.halfspaces import Bounds, Form, Region, interval, orders
from dipc.integration.linear import Linear
from dipc.integration.piecewise import Piecewise
from dipc.integration.terms import Terms, put, substituted, times_piece
from dipc.numbers.exppoly import ExpPoly


@frozen
class Points:
    """The points of a cell, reals or integers.

    ``normal`` is a normal form of a condition; ``possible`` is false only if no point (or a set of measure 0)
    satisfies all conditions; ``order(x, y, strict)`` is the condition x > y or x >= y; ``step`` is the
    distance of neighbouring points, 0 for reals.
    """

    normal: Callable[[Form], Form]
    possible: Callable[[Region], bool]
    order: Callable[[Form, Form, bool], Form]
    step: int


@frozen
class Cell:
    """Conditions and the terms that count where all of them hold."""

    region: Region
    terms: Terms


def starting_cells(
    points: Points, weights: Sequence[Piecewise], links: Iterable[Linear], unit: int
) -> Iterator[Cell]:
    """One cell for each choice of a piece of every weight."""
    common = frozenset(points.normal(Form(link.coefficients, link.constant)) for link in links)
    choices = []
    for i, weight in enumerate(weights):
        edges = [None, *weight.breaks, None]
        pieces = weight.in_unit(unit)
        ends = (map(points.normal, interval(i, edges[j], edges[j + 1])) for j in range(len(pieces)))
        choices.append([(frozenset(e), piece) for e, piece in zip(ends, pieces, strict=True) if piece])
    for choice in product(*choices):
        region = common.union(*(ends for ends, _ in choice))
        if points.possible(region):
            terms: Terms = {(0, 0, ()): fmpq(1)}
            for i, (_, piece) in enumerate(choice):
                terms = times_piece(terms, piece, i)
            yield Cell(region, terms)


def eliminated(points: Points, v: int, cells: Iterable[tuple[Bounds, Terms]]) -> list[Cell]:
    """The cells without v, given the bounds on v and an antiderivative in v; those over one region added."""
    sums: dict[Region, Terms] = {}
    for found, primitive in cells:
        for low, high, order in orders(found):
            forms = found.others.union(points.order(*comparison) for comparison in order)
            if not points.possible(forms):
                continue
            total = sums.setdefault(frozenset(form for form in forms if form.coefficients), {})
            before = None if low is None else Form(low.coefficients, low.constant - points.step)
            for bound, sign in ((high, 1), (before, -1)):
                for key, c in substituted(primitive, v, bound, rising=sign < 0).items():
                    put(total, key, sign * c)
    return [Cell(region, terms) for region, terms in sums.items() if terms]


def total(cells: Iterable[Cell], unit: int) -> ExpPoly:
    """The sum of all terms, when no variable is left."""
    parts = (ExpPoly({(n, q, 0, 0): c for (n, q, _), c in cell.terms.items()}, unit) for cell in cells)
    return sum(parts, ExpPoly())
