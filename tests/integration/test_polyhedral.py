"""Integrals over polyhedra against the oracle's nested integrals, and their laws."""

from __future__ import annotations

from itertools import permutations

import oracles
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from numeric import fixed, real_link

from dipc.dipwhile.rederive.inequalities import row as primitive
from dipc.dipwhile.rederive.noise import Sample
from dipc.integration.linear import Linear
from dipc.integration.piecewise import Piecewise
from dipc.integration.polyhedral import integrate
from dipc.numbers.exppoly import ExpPoly

KINDS = st.sampled_from(["Lap", "Lap", "LapPlus"])
RATES = st.sampled_from([fmpq(1), fmpq(1), fmpq(1, 2), fmpq(2)])
SAMPLES = st.lists(st.tuples(KINDS, RATES), min_size=2, max_size=3)
ROWS = st.tuples(*[st.sampled_from([1, 1, -1, 0, 2])] * 3, st.sampled_from([0, 0, 1, -1])).filter(
    lambda row: any(row[:2])
)
SYSTEMS = st.lists(ROWS, min_size=1, max_size=3)
System = list[tuple[int, ...]]


def density(kind: str, rate: fmpq) -> Piecewise:
    zero = fmpq(0)
    return Piecewise.laplace(rate, zero) if kind == "Lap" else Piecewise.exponential(rate, zero)


def links(rows: System, count: int) -> frozenset[Linear]:
    return frozenset(real_link(row[-1], *row[:count]) for row in rows)


def weights(samples: list[tuple[str, fmpq]]) -> tuple[Piecewise, ...]:
    return tuple(density(*sample) for sample in samples)


@fixed(30)
@given(SAMPLES, SYSTEMS)
def test_probabilities_are_those_of_the_oracle(samples: list[tuple[str, fmpq]], rows: System) -> None:
    count = len(samples)
    twins = [Sample(kind, oracles.fraction(rate)) for kind, rate in samples]
    wanted = oracles.real_measure([primitive((*row[:count], row[-1])) for row in rows], twins)
    assert oracles.exppoly_from_dipc(integrate(weights(samples), links(rows, count))) == wanted


@fixed(25)
@given(SAMPLES, SYSTEMS, ROWS)
def test_a_half_space_and_its_complement(
    samples: list[tuple[str, fmpq]], rows: System, cut: tuple[int, ...]
) -> None:
    count, functions = len(samples), weights(samples)
    opposite = tuple(-c for c in cut)
    parts = (integrate(functions, links([*rows, side], count)) for side in (cut, opposite))
    assert sum(parts, ExpPoly()) == integrate(functions, links(rows, count))


@fixed(10)
@given(SYSTEMS)
def test_the_names_of_the_variables_do_not_matter(rows: System) -> None:
    """Variables are integrated out in another order, with the same result."""
    functions = (density("Lap", fmpq(1)), density("LapPlus", fmpq(1, 2)), density("Lap", fmpq(2)))
    wanted = integrate(functions, links(rows, 3))
    for order in permutations(range(3)):
        renamed = [(*(row[i] for i in order), row[-1]) for row in rows]
        assert integrate(tuple(functions[i] for i in order), links(renamed, 3)) == wanted


@pytest.mark.parametrize("count", [2, 3, 4])
def test_the_largest_of_equal_samples_is_each_one_equally_often(count: int) -> None:
    functions = (density("Lap", fmpq(1)),) * count
    largest = [[int(i == 0) - int(i == j) for i in range(count)] for j in range(1, count)]
    assert integrate(functions, frozenset(real_link(0, *row) for row in largest)) == ExpPoly.of(
        fmpq(1, count)
    )


def test_means_shift_and_rates_scale() -> None:
    """P(X + Y > Z + 1) with means (1, -2, 0) is that of centred samples with the constant moved."""
    rates = (fmpq(1), fmpq(1, 2), fmpq(1))
    moved = tuple(Piecewise.laplace(a, fmpq(m)) for a, m in zip(rates, (1, -2, 0), strict=True))
    centred = tuple(Piecewise.laplace(a, fmpq(0)) for a in rates)
    assert integrate(moved, frozenset({real_link(-1, 1, 1, -1)})) == integrate(
        centred, frozenset({real_link(-2, 1, 1, -1)})
    )


def test_an_empty_polyhedron_has_no_mass() -> None:
    functions = (density("Lap", fmpq(1)),) * 3
    cycle = frozenset({real_link(0, 1, -1, 0), real_link(0, 0, 1, -1), real_link(0, -1, 0, 1)})
    assert not integrate(functions, cycle)
    assert integrate(functions, frozenset()) == ExpPoly.of(1)
