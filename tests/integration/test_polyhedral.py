"""Integrals over polyhedra against the oracle's nested integrals, and their laws."""

from __future__ import annotations

import oracles
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
