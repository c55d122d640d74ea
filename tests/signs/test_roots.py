"""Isolated roots against known ones, and sign tables against dense sampling."""

from __future__ import annotations

from itertools import pairwise

import mpmath
import pytest
from flint import fmpq
from hypothesis import assume, given
from hypothesis import strategies as st
from numeric import exppolys, fixed, high, product_of

from dipc.numbers.exppoly import ExpPoly
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Fails, Holds, nonnegative, sign_if_constant
from dipc.signs.roots import positive_roots
from dipc.signs.tables import OpenInterval, RootCluster, sign_table

X, E = ExpPoly.of(1, 1), ExpPoly.exp(1)
RATIONAL = [fmpq(1), fmpq(2), fmpq(4), fmpq(1, 2), fmpq(3, 7)]
LOGARITHMS = [fmpq(2), fmpq(3), fmpq(20), fmpq(1, 2)]
LOWS = st.sampled_from([fmpq(0), fmpq(0), fmpq(1, 2), fmpq(1), fmpq(2)])
HIGHS = st.sampled_from([None, None, fmpq(1), fmpq(2), fmpq(4), fmpq(5)])
POSITIVE = st.sampled_from([ExpPoly.of(-1), E + 1, X + 2, ExpPoly.exp(-2), E * E + X])
FUNCTIONS = exppolys(size=4).filter(bool)


@fixed(80)
@given(
    st.lists(st.sampled_from(RATIONAL), max_size=3),
    st.lists(st.sampled_from(LOGARITHMS), max_size=2),
    POSITIVE,
    LOWS,
    HIGHS,
)
def test_known_roots(
    rational: list[fmpq], logarithms: list[fmpq], positive: ExpPoly, low: fmpq, top: fmpq | None
) -> None:
    """Products of eps - r and exp(eps) - c; ends of the interval are not inside."""
    assume(top is None or low < top)
    f = product_of([*(X - r for r in rational), *(E - c for c in logarithms)]) * positive
    known = {high(r) for r in rational} | {mpmath.log(high(c)) for c in logarithms}
    inside = sorted(r for r in known if r > high(low) and (top is None or r < high(top)))
    found = positive_roots(f, low, top)
    assert len(found) == len(inside)
    for root, wanted in zip(found, inside, strict=True):
        assert high(root.low) <= wanted <= high(root.high)
        assert low < root.low <= root.high
        assert top is None or root.high < top
        root.refine_to(fmpq(1, 2**60))
        assert high(root.low) <= wanted <= high(root.high)
        assert root.high - root.low <= fmpq(1, 2**60)
    assert all(a.high < b.low for a, b in pairwise(found))


@pytest.mark.parametrize("root", [fmpq(1, 10**13), fmpq(3, 7), fmpq(12345678901234567)])
@pytest.mark.parametrize("rate", [fmpq(1), fmpq(2, 3)])
def test_equal_exponentials_have_a_rational_root(root: fmpq, rate: fmpq) -> None:
    """Of exp(rate*eps) - exp(rate*root), also where one change of sign leaves nothing to factorize."""
    f = 3 * ExpPoly.exp(rate) - 3 * ExpPoly.exp(0, rate * root)
    (found,) = positive_roots(f, fmpq(0), None)
    assert found.is_rational and found.low == root
    assert positive_roots(f, root, None) == [] == positive_roots(f, fmpq(0), root)


@pytest.mark.parametrize("root", [fmpq(1), fmpq(2), fmpq(4), fmpq(1, 3), fmpq(7)])
@pytest.mark.parametrize("times", [ExpPoly.of(1), E - 2, (E - 2) * (X - 5), E + X])
def test_a_rational_root_at_an_end(root: fmpq, times: ExpPoly) -> None:
    f = (X - root) * times
    with_it = positive_roots(f, fmpq(0), None)
    left, right = positive_roots(f, fmpq(0), root), positive_roots(f, root, None)
    assert len(left) + len(right) + 1 == len(with_it)


def places(cell: OpenInterval) -> list[fmpq]:
    """Rational points inside a cell, towards both ends."""
    low = cell.low.high if isinstance(cell.low, RootCluster) else cell.low
    top = cell.high.low if isinstance(cell.high, RootCluster) else cell.high
    assert isinstance(low, fmpq)
    if top is None:
        return [low + fmpq(i * i, 16) + fmpq(1, 64) for i in range(14)]
    inner = [low + (top - low) * fmpq(i, 12) for i in range(1, 12)]
    return [*inner, low + (top - low) / 1000, top - (top - low) / 1000]


@fixed(120)
@given(st.lists(FUNCTIONS, min_size=1, max_size=3), LOWS, HIGHS)
def test_sign_tables_by_dense_sampling(functions: list[ExpPoly], low: fmpq, top: fmpq | None) -> None:
    assume(top is None or low < top)
    table = sign_table(functions, EpsRange(low, top))
    assert table[0].low == low
    assert table[-1].high == top
    assert all(a.high is b.low and isinstance(a.high, RootCluster) for a, b in pairwise(table))
    for cell in table:
        for place in (cell.sample, *places(cell)):
            assert tuple(f.sign_at(place) for f in functions) == cell.signs, place


@fixed(60)
@given(FUNCTIONS)
def test_functions_with_the_same_roots_have_the_same_borders(f: ExpPoly) -> None:
    """f, its negative and its square times a positive function: cells at the same places."""
    tables = [sign_table([g], EpsRange.positive()) for g in (f, -f, f * (E + 1), f * f)]
    signs = [cell.signs[0] for cell in tables[0]]
    assert [cell.signs[0] for cell in tables[1]] == [-s for s in signs]
    assert [cell.signs[0] for cell in tables[2]] == signs
    assert [cell.signs[0] for cell in tables[3]] == [1] * len(signs)


@fixed(150)
@given(FUNCTIONS, LOWS, HIGHS, st.booleans(), st.booleans())
def test_answers_by_dense_sampling(
    f: ExpPoly, low: fmpq, top: fmpq | None, low_closed: bool, high_closed: bool
) -> None:
    assume((top is None or low < top) and not (low_closed and low == 0))
    budgets = EpsRange(low, top, low_closed, high_closed and top is not None)
    answer = nonnegative(f, budgets)
    grid = [low + fmpq(i * i, 37) for i in range(30)] + ([top] if top is not None else [])
    if isinstance(answer, Fails):
        assert answer.sample in budgets
        assert f.sign_at(answer.sample) < 0
    else:
        assert isinstance(answer, Holds)
        assert all(f.sign_at(x) >= 0 for x in grid if x in budgets)
    sign = sign_if_constant(f, budgets)
    if sign is not None:
        assert all(f.sign_at(x) == sign for x in grid if x in budgets)


@pytest.mark.parametrize("a", [fmpq(1), fmpq(2), fmpq(4), fmpq(3, 2)])
def test_touching_zero_is_no_failure(a: fmpq) -> None:
    everywhere = EpsRange.positive()
    for f in ((X - a) ** 2, (X - a) ** 2 * (E - 3) ** 2, (E - 2) ** 2 * (X - a) ** 4):
        assert isinstance(nonnegative(f, everywhere), Holds)
        below = nonnegative(f - fmpq(1, 10**12), everywhere)
        assert isinstance(below, Fails)
        assert sign_if_constant(f, everywhere) is None


@pytest.mark.parametrize("a", [fmpq(1), fmpq(2), fmpq(1, 3)])
def test_ends_of_the_budgets(a: fmpq) -> None:
    f = X - a
    assert isinstance(nonnegative(-f, EpsRange(fmpq(0), a, False, True)), Holds)
    assert isinstance(nonnegative(f, EpsRange(a, None, True, False)), Holds)
    assert isinstance(nonnegative(f, EpsRange(a - fmpq(1, 10**9), None, True, False)), Fails)
    assert isinstance(nonnegative(f, EpsRange.point(a)), Holds)
    assert isinstance(nonnegative(f, EpsRange.point(a - fmpq(1, 10**9))), Fails)
    assert sign_if_constant(f, EpsRange(a, None)) == 1
    assert sign_if_constant(f, EpsRange(a, None, True, False)) is None


def test_factors_with_coefficients_beyond_64_bits() -> None:
    """python-flint sorts factors of one power by their coefficients, as if all of them were small."""
    large = fmpq(2**70)
    f = (ExpPoly.exp(1) - 2) * (ExpPoly.exp(1) - 3) * (ExpPoly.exp(1) - large) * (2 - ExpPoly.exp(2))
    assert [round(float(root.low), 1) for root in positive_roots(f, fmpq(0), None)] == [0.3, 0.7, 1.1, 48.5]
