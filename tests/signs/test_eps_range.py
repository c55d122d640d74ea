"""Intervals of budgets, and the simplest rational between two numbers, by trying all."""

from __future__ import annotations

from itertools import count, product

import pytest
from flint import fmpq
from hypothesis import assume, given
from hypothesis import strategies as st
from numeric import fixed

from dipc.signs.eps_range import EpsRange, middle_of, simplest_between
from dipc.signs.tables import decimal

NUMBERS = st.builds(fmpq, st.integers(0, 60), st.integers(1, 12))


def by_trying(low: fmpq, high: fmpq | None) -> fmpq:
    """The least denominator, then the least numerator."""
    for q in count(1):
        p = int((low * q).floor()) + 1
        if high is None or fmpq(p, q) < high:
            return fmpq(p, q)
    raise AssertionError


@fixed(200)
@given(NUMBERS, NUMBERS)
def test_the_simplest_number_in_between(a: fmpq, b: fmpq) -> None:
    assume(a != b)
    low, high = min(a, b), max(a, b)
    assert simplest_between(low, high) == by_trying(low, high)
    assert simplest_between(low, None) == by_trying(low, None)


def test_between_very_close_numbers() -> None:
    tiny = fmpq(1, 10**40)
    for middle in (fmpq(1, 3), fmpq(22, 7), fmpq(5)):
        assert simplest_between(middle - tiny, middle + tiny) == middle


@pytest.mark.parametrize(("low_closed", "high_closed"), list(product((False, True), repeat=2)))
def test_membership(low_closed: bool, high_closed: bool) -> None:
    budgets = EpsRange(fmpq(1, 2), fmpq(2), low_closed, high_closed)
    inside = [x for x in (fmpq(i, 4) for i in range(12)) if x in budgets]
    wanted = [fmpq(i, 4) for i in range(3, 8)]
    assert inside == [fmpq(1, 2)] * low_closed + wanted + [fmpq(2)] * high_closed
    assert str(budgets) == f"{'[' if low_closed else '('}1/2, 2{']' if high_closed else ')'}"


def test_special_intervals() -> None:
    point, positive = EpsRange.point(fmpq(3, 2)), EpsRange.positive()
    assert point.is_point
    assert fmpq(3, 2) in point
    assert fmpq(1) not in point
    assert not positive.is_point
    assert fmpq(1, 10**30) in positive
    assert fmpq(10**30) in positive
    assert fmpq(0) not in positive


def test_the_range_of_the_inverse() -> None:
    assert str(EpsRange(fmpq(0), fmpq(4), False, True).inverse) == "[1/4, inf)"


def test_the_middle_is_geometric_between_ends_of_different_size() -> None:
    assert middle_of(fmpq(0), fmpq(3)) == fmpq(3, 2)
    assert middle_of(fmpq(1), fmpq(64)) == 8


def test_rounded_decimals() -> None:
    assert decimal(fmpq(2, 3), 4) == "0.6667"
    assert decimal(fmpq(-1, 2), 4) == "-0.5"
