"""One small example for each part of the slow route."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dipc.certificate.slow.draws import check_draws, samples, surely
from dipc.certificate.slow.functions import EPS, ONE, Mass, constant, exponential, same, total
from dipc.certificate.slow.inequalities import arranged, row
from dipc.certificate.slow.loops import components, eliminated, exits, lumped
from dipc.certificate.slow.noise import Sample, connected, measure, opposite, without_implied
from dipc.certificate.slow.sums import (
    Simplicial,
    adjugate,
    determinant,
    integer_mass,
    mirrored,
    rays,
    unimodular,
)
from dipc.certificate.slow.values import Linear, combine, quotient
from dipc.dipwhile.syntax import ast
from dipc.kernel.facts import ZERO, Interval, add
from dipc.kernel.reading import Refused

E, UNIT = exponential(ONE), constant(1)
LESS = add(UNIT, {EPS: Fraction(-1)})  # 1 - eps


def up_to(high: int) -> Interval:
    return Interval(ZERO, Fraction(high), False, True)


# --- functions of eps ----------------------------------------------------------------------------------


def test_functions() -> None:
    assert constant(0) == {}
    assert same((E, add(UNIT, E)), (UNIT, add(UNIT, exponential(-ONE))))
    assert not same((E, UNIT), (UNIT, UNIT))
    assert total([Mass().over(add(UNIT, E)), Mass(E).over(add(UNIT, E))]).pair() == (add(UNIT, E),) * 2
    assert quotient({EPS: Fraction(3)}, {EPS: Fraction(6)}) == Fraction(1, 2)


def test_values() -> None:
    assert combine(ast.Op.ADD, Linear(((0, ONE),), ZERO), Fraction(2)) == Linear(((0, ONE),), Fraction(2))


def test_draws() -> None:
    halves = (({EPS: ONE}, UNIT), (LESS, UNIT))
    check_draws([halves], up_to(1))
    with pytest.raises(Refused, match=r"^deep: draws: a probability is negative: \(1 \+ -1\*eps\) / \(1\)"):
        check_draws([halves], Interval(ZERO, None, False, False))
    assert surely(LESS, up_to(1), False)
    assert not surely(LESS, up_to(1), True)
    assert not surely(LESS, up_to(2), False)
    first = samples(Interval(ONE, Fraction(3, 2), True, False))[:3]
    assert first == [ONE, Fraction(129, 128), Fraction(65, 64)]


# --- inequalities and noise ------------------------------------------------------------------------------


def test_inequalities() -> None:
    assert row([Fraction(1, 2), -1, 3]) == (1, -2, 6)
    assert arranged([0, 1], [(1, 0, 2), (0, 1, 1)], lambda i: 0) == (
        [1, 0],
        frozenset({(1, 0, 1), (0, 1, 2)}),
    )
    assert connected([(1, 0, 2), (0, 1, 3)]) == [({0}, {(1, 0, 2)}), ({1}, {(0, 1, 3)})]


def test_conditions() -> None:
    assert opposite((((0, 1),), 3), [Sample("DLap", ONE)]) == (((0, -1),), -4)
    weaker, stronger = (((0, 1),), 0), (((0, 1),), -1)
    assert without_implied([stronger, weaker], [Sample("Lap", ONE)]) == {stronger}


def test_two_samples_of_different_rates() -> None:
    """P(X >= Y) = 1/2."""
    pair = [Sample("Lap", ONE), Sample("Lap", Fraction(1, 2))]
    assert measure([(1, -1, 0)], pair).pair() == (constant(Fraction(1, 2)), UNIT)


def test_cones() -> None:
    assert determinant([(1, 2), (3, 4)]) == -2
    assert adjugate([(1, 3), (2, 4)]) == [(4, -2), (-3, 1)]
    assert rays([(1, 0), (-1, 2)]) == [(0, 1), (2, 1)]
    assert sorted(Simplicial.of([(1, 1), (-1, 1)]).fundamental([False, False])) == [(0, 0), (0, 1)]


def test_sums() -> None:
    assert unimodular((2, 3)) == [(-1, 1), (3, -2)]
    assert mirrored((2, 3, 5), (False, True)) == (2, -3, 2)
    z = exponential(-ONE)
    assert same(integer_mass(frozenset({(1, -1)}), [ONE]).pair(), (z, add(UNIT, z)))  # P(X >= 1)


# --- loops -------------------------------------------------------------------------------------------------


def test_loops() -> None:
    half = Mass().over(constant(2))
    law = exits("go", lambda s: {"go": half, "left": half} if s == "go" else None)
    assert {s: p.pair() for s, p in law.items()} == {"left": (UNIT, UNIT)}
    one = Mass()
    assert lumped({1: {2: one}, 3: {2: one}, 4: {1: one}, 5: {3: one}})[1] == {1: 1, 3: 1, 4: 4, 5: 4}
    assert components({1: {1: one}, 2: {1: one, 3: one}, 3: {2: one}}) == [{2, 3}, {1}]
    two, three = constant(2), constant(3)
    assert eliminated([[two, UNIT, constant(5)], [UNIT, two, constant(4)]])[1] == [{}, three, three]


# --- programs -------------------------------------------------------------------------------------------
