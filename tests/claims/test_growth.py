"""The behaviour at the ends, beside 40-digit values close to them."""

from __future__ import annotations

import mpmath
import pytest
from flint import fmpq
from hypothesis import assume, given
from hypothesis import strategies as st
from numeric import fixed, high, value

from dipc.claims.tightness.growth import Growth, at_infinity, at_zero, limit_of_loss, limit_of_value
from dipc.numbers.exppoly import ExpPoly, Term
from dipc.numbers.quotient import Quotient

halves = st.integers(-4, 4).map(lambda n: fmpq(n, 2))
terms = st.builds(
    Term,
    st.integers(-3, 3).filter(bool).map(fmpq),
    st.integers(0, 2),
    halves,
    st.sampled_from([fmpq(0), fmpq(0), fmpq(-1)]),
    st.sampled_from([fmpq(0), fmpq(0), fmpq(-1), fmpq(1, 2)]),
)
functions = st.lists(terms, min_size=1, max_size=4).map(ExpPoly.from_terms)


def predicted(growth: Growth, x: fmpq) -> mpmath.mpf:
    """The two leading terms."""
    one = fmpq(1)
    series = value(growth.leading, one) + value(growth.following, one) * high(x)
    return series * high(x) ** growth.order * mpmath.exp(high(growth.exponent) / high(x))


@fixed(30)
@given(functions, functions)
def test_two_leading_terms(f: ExpPoly, g: ExpPoly) -> None:
    assume(f and g)
    quotient = Quotient(f, g)
    x = fmpq(1, 2000)
    with mpmath.workdps(900):
        for growth, eps in ((at_zero(quotient), x), (at_infinity(quotient), 1 / x)):
            ratio = value(quotient, eps) / predicted(growth, x)
            assert abs(ratio - 1) < mpmath.mpf(1) / 100, (growth, ratio)


@fixed(30)
@given(functions, functions)
def test_limits(f: ExpPoly, g: ExpPoly) -> None:
    """What is said to be a limit is one: the loss and the value close to the ends."""
    p, q = Quotient(f * f), Quotient(g * g)
    assume(p and q)
    with mpmath.workdps(1500):
        for at_end in (False, True):
            eps = fmpq(2000) if at_end else fmpq(1, 2000)
            limit = limit_of_loss(p, q, at_end)
            loss = mpmath.log(value(p, eps) / value(q, eps)) / high(eps)
            if limit.value is not None:
                assert abs(loss - high(limit.value)) < mpmath.mpf(1) / 20, (limit, loss)
            if limit.infinite:
                assert loss > 100
            if limit.void:
                assert loss < -100
            there = limit_of_value((at_infinity if at_end else at_zero)(p / q))
            number = value(p, eps) / value(q, eps)
            if there.value is not None:
                assert abs(number - high(there.value)) < mpmath.mpf(1) / 50
            if there.infinite:
                assert number > 50


@pytest.mark.parametrize(
    ("p", "q", "at_end", "expected"),
    [
        (ExpPoly.of(1), ExpPoly.of(1), True, 0),
        (ExpPoly.exp(1) - 1, ExpPoly.of(1, 1), False, fmpq(1, 2)),  # ln((e^x - 1)/x)/x
        (ExpPoly.exp(0, 0, -1) + 1, ExpPoly.of(1), False, 0),
        (ExpPoly.exp(0, 0, 1) - 1, ExpPoly.of(1, -1), True, 0),  # leading coefficients that cancel
    ],
)
def test_limits_by_hand(p: ExpPoly, q: ExpPoly, at_end: bool, expected: fmpq) -> None:
    assert limit_of_loss(Quotient(p), Quotient(q), at_end).value == expected


def test_limits_that_are_not_rational_are_not_told() -> None:
    p = Quotient(1 + (1 - ExpPoly.exp(-1)) * ExpPoly.exp(0, -1))  # 1 + (1 - e^-x)/e: slope 1/e
    limit = limit_of_loss(p, Quotient.one(), False)
    assert (limit.value, limit.infinite, limit.void) == (None, False, False)
