"""Sums over the integer points of polyhedra against sums written out, and their laws."""

from __future__ import annotations

from itertools import product

import mpmath
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from numeric import fixed, high, integer_link, value

from dipc.integration.lattice import lattice_sum
from dipc.integration.linear import Linear
from dipc.integration.piecewise import Piecewise

EPS = fmpq(4)
RADIUS = 7  # exp(-4 * 8) is what is left out
SMALL = st.sampled_from([0, 1, 1, -1, -1, 2, -2, 3])
ROWS = st.tuples(SMALL, SMALL, st.sampled_from([0, 0, 1, -1]), st.sampled_from([0, 0, 1, -1, 2])).filter(
    lambda row: any(row[:2])
)
SYSTEMS = st.lists(ROWS, min_size=1, max_size=3)
Row = tuple[int, ...]


def weight(rate: int = 1, mean: int = 0) -> Piecewise:
    return Piecewise.geometric(fmpq(rate), fmpq(mean))


def links(rows: list[Row], count: int) -> frozenset[Linear]:
    return frozenset(integer_link(row[-1], *row[:count]) for row in rows)


def written_out(rates: tuple[int, ...], rows: list[Row]) -> mpmath.mpf:
    z = mpmath.exp(-high(EPS))
    total = mpmath.mpf(0)
    for point in product(range(-RADIUS, RADIUS + 1), repeat=len(rates)):
        if all(sum(c * x for c, x in zip(row, point, strict=False)) + row[-1] >= 0 for row in rows):
            total += z ** sum(a * abs(x) for a, x in zip(rates, point, strict=True))
    return total


@fixed(40)
@given(SYSTEMS)
def test_two_variables(rows: list[Row]) -> None:
    rows = [(a, b, k) for a, b, _, k in rows]
    found = value(lattice_sum((weight(), weight(2)), links(rows, 2)), EPS)
    assert abs(found - written_out((1, 2), rows)) < 1e-11


@fixed(12)
@given(SYSTEMS)
def test_three_variables(rows: list[Row]) -> None:
    found = value(lattice_sum((weight(),) * 3, links(rows[:2], 3)), EPS)
    assert abs(found - written_out((1, 1, 1), rows[:2])) < 1e-11


def test_residues_that_no_integer_has() -> None:
    """2x = 2y + 1 has no solution, 2x = 2y + z one for every even z, 3x = 2y + 1 the odd y = 3k + 1."""
    pair, triple = (weight(), weight()), (weight(), weight(), weight())
    assert not lattice_sum(pair, links([(2, -2, -1), (-2, 2, 1)], 2))
    for rows in ([(2, -2, -1, 0), (-2, 2, 1, 0)], [(3, -2, 0, -1), (-3, 2, 0, 1)]):
        found = value(lattice_sum(triple, links(rows, 3)), EPS)
        assert abs(found - written_out((1, 1, 1), rows)) < 1e-11
