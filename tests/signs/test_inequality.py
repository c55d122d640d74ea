"""Inequalities in their normal form."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from numeric import POINTS, exppolys, fixed

from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Fails, Holds, nonnegative, sign_of_denominator, without_monomial

ANY = exppolys(constants=True, inverses=True)
UNITS = st.builds(
    lambda c, n, a: ExpPoly.of(fmpq(c.numerator, c.denominator), n, a),
    st.sampled_from([Fraction(1), Fraction(3), Fraction(2, 7)]),
    st.integers(0, 2),
    st.integers(-2, 2),
)


@fixed(60)
@given(ANY)
def test_the_normal_form_has_the_same_signs(f: ExpPoly) -> None:
    for g in (f, -f):
        assert all(without_monomial(g).sign_at(x) == g.sign_at(x) for x in POINTS)


@fixed(60)
@given(ANY, UNITS)
def test_a_positive_factor_does_not_count(f: ExpPoly, unit: ExpPoly) -> None:
    assert without_monomial(f * unit) == without_monomial(f)


@pytest.mark.parametrize("c", [fmpq(2), fmpq(1, 3)])
def test_both_signs_of_a_function_of_one_sign(c: fmpq) -> None:
    """c (1 + exp(eps)) > 0, also below the line of a fraction."""
    f = (ExpPoly.of(1) + ExpPoly.exp(1)) * ExpPoly.of(c)
    assert isinstance(nonnegative(f, EpsRange.positive()), Holds)
    assert isinstance(nonnegative(-f, EpsRange.positive()), Fails)
    value = Quotient(ExpPoly.exp(10**9) + 1, f)
    assert sign_of_denominator(value, EpsRange.positive()) == 1
