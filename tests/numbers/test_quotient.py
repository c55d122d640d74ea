"""Quotients are a field, and equal functions are equal objects."""

from __future__ import annotations

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from numeric import POINTS, exppolys, fixed, high, near, value

from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient

E, X = ExpPoly.exp(1), ExpPoly.of(1, 1)
TOPS = exppolys(constants=True, inverses=True, powers=1)
BOTTOMS = TOPS.filter(bool)


@fixed(40)
@given(TOPS, BOTTOMS, TOPS, BOTTOMS, TOPS)
def test_field_laws(a: ExpPoly, b: ExpPoly, c: ExpPoly, d: ExpPoly, e: ExpPoly) -> None:
    p, q, r = Quotient(a, b), Quotient(c, d), Quotient(e, b * d)
    assert (p + q) + r == p + (q + r)
    assert p * (q + r) == p * q + p * r
    assert p + q == q + p
    assert p * q == q * p
    assert not p - p
    if q:
        assert p / q * q == p
        assert 1 / (1 / q) == q


@fixed(60)
@given(TOPS, BOTTOMS, BOTTOMS)
def test_equal_functions_are_equal_objects(a: ExpPoly, b: ExpPoly, c: ExpPoly) -> None:
    p, q = Quotient(a, b), Quotient(a * c, b * c)
    assert p == q == Quotient(-a, -b)
    assert hash(p) == hash(q)
    assert repr(p) == repr(q) == repr(Quotient(a * fmpq(3, 7), b * fmpq(3, 7)))


@fixed(60)
@given(TOPS, BOTTOMS, TOPS, BOTTOMS)
def test_equality_is_that_of_cross_products(a: ExpPoly, b: ExpPoly, c: ExpPoly, d: ExpPoly) -> None:
    assert (Quotient(a, b) == Quotient(c, d)) == (a * d == c * b)


@fixed(40)
@given(TOPS, BOTTOMS, TOPS, BOTTOMS)
def test_values(a: ExpPoly, b: ExpPoly, c: ExpPoly, d: ExpPoly) -> None:
    p, q = Quotient(a, b), Quotient(c, d)
    for x in POINTS:
        if abs(value(b, x)) > 1e-3 and abs(value(d, x)) > 1e-3:
            assert near(value(p + q, x), value(a, x) / value(b, x) + value(c, x) / value(d, x))
            assert near(value(p.at_inverse(), 1 / x), value(p, x))


def test_a_denominator_of_one_term_is_moved_above() -> None:
    p = Quotient(E + 1, ExpPoly.of(-2, 3, fmpq(1, 2)))
    assert p.denominator.as_rational() == 1
    assert near(value(p, fmpq(2)), value(E + 1, fmpq(2)) / (-16 * value(ExpPoly.exp(1), fmpq(1))))
    assert Quotient(E * E - 1, E - 1) == Quotient(E + 1)
    assert high(fmpq(1, 3)) == value(Quotient.of(fmpq(1, 3)), fmpq(1))


@pytest.mark.parametrize("zero", [Quotient.of(0), Quotient(X - X, E), 0])
def test_division_by_the_zero_function(zero: Quotient | int) -> None:
    with pytest.raises(ZeroDivisionError):
        Quotient(E) / zero


rates = st.sampled_from(
    [fmpq(0), fmpq(1), fmpq(1, 2), fmpq(1234567, 10**7), fmpq(35043, 33196), fmpq(-7, 9973)]
)
fine = st.lists(st.builds(lambda c, a: ExpPoly.of(c, 0, a), st.integers(-3, 3), rates), max_size=4)
coarse = st.lists(
    st.builds(lambda c, a: ExpPoly.of(c, 0, a), st.integers(1, 3), rates.filter(lambda r: r.q < 3))
)


@fixed(80)
@given(fine, coarse, coarse)
def test_exponents_of_great_denominators(
    top: list[ExpPoly], factor: list[ExpPoly], bottom: list[ExpPoly]
) -> None:
    """Common factors may stay there."""
    f, g, h = sum(top, ExpPoly()), sum(factor, ExpPoly.of(1)), sum(bottom, ExpPoly.of(1))
    quotient = Quotient(f * g, h * g)
    assert quotient.numerator * h == f * quotient.denominator
    assert not Quotient(f, h) - Quotient(f * g, h * g)
