"""Joint densities: the order of conditions and of marginals is of no account; elimination and its twins."""

from __future__ import annotations

from functools import reduce

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from numeric import fixed, integer_link, real_link

from dipc.integration.joint import Joint, added
from dipc.integration.lattice import lattice_sum
from dipc.integration.linear import Linear
from dipc.integration.piecewise import Piecewise
from dipc.integration.polyhedral import integrate
from dipc.integration.weight import Weight
from dipc.numbers.quotient import Quotient

REAL = (
    Weight(Piecewise.laplace(fmpq(1), fmpq(0))),
    Weight(Piecewise.exponential(fmpq(1, 2), fmpq(-1))),
    Weight(Piecewise.laplace(fmpq(1), fmpq(1, 2))),
    Weight(Piecewise.laplace(fmpq(2), fmpq(0))),
)
INTEGER = tuple(
    Weight(Piecewise.geometric(fmpq(a), fmpq(m)), integer=True) for a, m in ((1, 0), (2, 1), (1, 1), (1, -1))
)
SLOPES = st.sampled_from([(1, -1), (1, -1), (-1, 1), (1, 1), (2, -1), (-1, 2), (1, 0), (-1, 0)])
PAIRS = st.sampled_from([(0, 1), (1, 2), (0, 2), (2, 3), (1, 3)])
ROWS = st.tuples(PAIRS, SLOPES, st.sampled_from([0, 0, 1, -1]))
SYSTEMS = st.lists(ROWS, min_size=1, max_size=4)
System = list[tuple[tuple[int, int], tuple[int, int], int]]


def joint(weights: tuple[Weight, ...]) -> Joint:
    return reduce(Joint.extended, weights, Joint.certain())


def conditions(rows: System, *, integer: bool) -> list[Linear]:
    """``a x_i + b x_j + c`` is positive (of real samples), or not negative."""
    found = []
    for (i, j), (a, b), c in rows:
        coefficients = [0] * 4
        coefficients[i], coefficients[j] = a, b
        found.append((integer_link if integer else real_link)(c, *coefficients))
    return found


def restricted(start: Joint, given_conditions: list[Linear]) -> Joint:
    return reduce(Joint.assuming, given_conditions, start)


def negation(condition: Linear) -> Linear:
    return condition.negated().condition(strict=True)


@fixed(25)
@given(SYSTEMS)
def test_elimination_of_real_samples_against_polyhedra(rows: System) -> None:
    found = conditions(rows, integer=False)
    wanted = integrate(tuple(w.function for w in REAL), frozenset(found))
    assert restricted(joint(REAL), found).mass() == Quotient(wanted)


@fixed(25)
@given(SYSTEMS)
def test_elimination_of_integer_samples_against_lattices(rows: System) -> None:
    found = conditions(rows[:3], integer=True)
    wanted = lattice_sum(tuple(w.function for w in INTEGER), frozenset(found))
    assert restricted(joint(INTEGER), found).mass() == wanted


@pytest.mark.parametrize("integer", [False, True])
def test_the_order_of_marginals(integer: bool) -> None:
    """Samples dropped one by one, in any order and at any time, leave the same mass."""

    @fixed(8)
    @given(SYSTEMS)
    def law(rows: System) -> None:
        start = restricted(joint(INTEGER if integer else REAL), conditions(rows[:3], integer=integer))
        wanted = start.mass()
        for first in range(4):
            rest = [i for i in range(4) if i != first]
            assert start.keeping(rest).mass() == wanted
            assert start.keeping(rest[::-1]).keeping([1, 0]).mass() == wanted

    law()


@pytest.mark.parametrize("integer", [False, True])
def test_a_condition_and_its_negation_merge_to_what_was(integer: bool) -> None:
    @fixed(15)
    @given(SYSTEMS, ROWS)
    def law(rows: System, row: tuple[tuple[int, int], tuple[int, int], int]) -> None:
        start = restricted(joint(INTEGER if integer else REAL), conditions(rows[:2], integer=integer))
        (cut,) = conditions([row], integer=integer)
        parts = [start.assuming(cut), start.assuming(negation(cut))]
        assert parts[0].mass() + parts[1].mass() == start.mass()
        for kept in ([], [0], [2, 1]):
            marginals = (part.keeping(kept) for part in parts)
            assert added(m for m in marginals if m).mass() == start.mass()

    law()


def test_a_sample_in_the_middle_leaves_a_condition_on_the_outer_ones() -> None:
    """X < Y < Z with Y dropped, then X > Z: impossible; X < Z: what was."""
    less = [real_link(0, -1, 1, 0), real_link(0, 0, -1, 1)]
    ends = restricted(joint(REAL[:3]), less).keeping([0, 2])
    assert not ends.assuming(real_link(0, 1, -1)).mass()
    assert (
        ends.assuming(real_link(0, -1, 1)).mass() == ends.mass() == restricted(joint(REAL[:3]), less).mass()
    )


def test_scaling() -> None:
    half = joint(REAL).scaled(Quotient.of(fmpq(1, 2)))
    assert half.mass() == Quotient.of(fmpq(1, 2))
    assert not joint(REAL).scaled(Quotient.of(0))
    assert added([half, half]).mass() == Quotient.one()
