"""Derivatives, the derivative chain and its sign changes, against definitions and known roots."""

from __future__ import annotations

from itertools import pairwise

import mpmath
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from numeric import POINTS, exppolys, fixed, product_of, value

from dipc.numbers.exppoly import ExpPoly
from dipc.signs.derivatives import chain_proves, chain_values, derivative_chain, variations

X, E = ExpPoly.of(1, 1), ExpPoly.exp(1)
ANY = exppolys(constants=True, inverses=True)
PLAIN = exppolys(size=4).filter(bool)
ROOTS = (fmpq(1, 2), fmpq(1), fmpq(2), fmpq(4))
ENDS = (fmpq(0), fmpq(1, 4), fmpq(1, 2), fmpq(1), fmpq(2), fmpq(3), fmpq(4), fmpq(8))
POSITIVE = st.sampled_from([ExpPoly.of(1), E + 1, X + 2, ExpPoly.exp(fmpq(-1, 2)), E * E + X])


@fixed(40)
@given(ANY)
def test_numerical_derivatives(f: ExpPoly) -> None:
    h = mpmath.mpf(10) ** -15
    for x in POINTS:
        step = fmpq(1, 10**15)
        slope = (value(f, x + step) - value(f, x - step)) / (2 * h)
        assert abs(slope - value(f.derivative(), x)) < 1e-18 * (1 + abs(slope)) * 10**6


@fixed(40)
@given(ANY, ANY)
def test_rules_of_differentiation(f: ExpPoly, g: ExpPoly) -> None:
    assert (f + g).derivative() == f.derivative() + g.derivative()
    assert (f * g).derivative() == f.derivative() * g + f * g.derivative()
    assert not ExpPoly.of(3, 0, 0, 2).derivative()


@fixed(60)
@given(PLAIN)
def test_the_chain_by_its_definition(f: ExpPoly) -> None:
    chain = derivative_chain(f)
    values = list(chain_values(f))
    assert [v for _, v in values] == [link.at(fmpq(0)).as_rational() for link in chain]
    exponents = [a for a, _ in values]
    assert exponents == sorted(exponents)
    links = [*chain, ExpPoly()]
    for a, (link, following) in zip(exponents, pairwise(links), strict=True):
        assert following == link.derivative() - link * a


@fixed(150)
@given(PLAIN)
def test_what_the_chain_proves_is_so(f: ExpPoly) -> None:
    assert chain_proves(f) == all(v >= 0 for _, v in chain_values(f))
    if chain_proves(f):
        assert all(f.sign_at(fmpq(i, 4)) >= 0 for i in range(40))


def test_a_proof_by_the_chain() -> None:
    """exp(eps) - 1 - eps - eps^2/2 >= 0, but not with eps^2."""
    assert chain_proves(E - 1 - X - X * X * fmpq(1, 2))
    assert not chain_proves(E - 1 - X - X * X)


@fixed(60)
@given(st.lists(st.sampled_from(ROOTS), max_size=3), st.booleans(), POSITIVE)
def test_sign_changes_count_roots(roots: list[fmpq], logarithm: bool, positive: ExpPoly) -> None:
    """V(a) - V(b) is the number of roots in (a, b] with multiplicity, or more by an even number."""
    f = product_of([X - r for r in roots]) * positive * (E - 2 if logarithm else 1)
    chain = derivative_chain(f)
    counts = [variations(chain, end) for end in ENDS]
    for (a, v), (b, w) in pairwise(zip(ENDS, counts, strict=True)):
        known = sum(a < r <= b for r in roots) + (logarithm and a < fmpq(69314718056, 10**11) <= b)
        assert v - w >= known
        assert (v - w - known) % 2 == 0


@pytest.mark.parametrize("order", [1, 2, 5])
def test_zeros_at_zero_are_left_out(order: int) -> None:
    """eps^n (eps - 1): V(0) speaks of the roots right of 0 only."""
    chain = derivative_chain(X**order * (X - 1))
    assert variations(chain, fmpq(0)) - variations(chain, fmpq(2)) == 1
