"""Conditions on integer noise against all integer points of a box."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from numeric import fixed

from dipc.dipwhile.rederive.noise import Condition, Sample, opposite, possible, without_implied

SAMPLES = [Sample("DLap", Fraction(1))] * 2
POINTS = list(product(range(-6, 7), repeat=2))


@st.composite
def conditions(draw: st.DrawFn) -> Condition:
    """``c x + d y + e >= 0``, small, with at least one of the samples."""
    slopes = draw(st.sampled_from([((0, 1),), ((0, -1),), ((1, 1),), ((1, -1),), ((0, 1), (1, -1))]))
    return slopes, draw(st.integers(-3, 3))


def holds(condition: Condition, point: tuple[int, ...]) -> bool:
    slopes, shift = condition
    return sum(c * point[j] for j, c in slopes) + shift >= 0


@fixed(30)
@given(conditions())
def test_of_a_condition_and_its_opposite_one_holds(condition: Condition) -> None:
    other = opposite(condition, SAMPLES)
    assert all(holds(condition, point) != holds(other, point) for point in POINTS)


@fixed(100)
@given(st.lists(conditions(), min_size=1, max_size=4))
def test_what_holds_at_a_point_is_possible(listed: list[Condition]) -> None:
    if any(all(holds(condition, point) for condition in listed) for point in POINTS):
        assert possible(listed, SAMPLES)


@fixed(100)
@given(st.lists(conditions(), min_size=1, max_size=4))
def test_implied_conditions_say_nothing_new(listed: list[Condition]) -> None:
    kept = without_implied(listed, SAMPLES)
    assert kept <= set(listed)
    for point in POINTS:
        assert all(holds(c, point) for c in kept) == all(holds(c, point) for c in listed)
