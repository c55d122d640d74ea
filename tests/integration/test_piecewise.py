"""Piecewise functions against numerical quadrature, and their algebra point by point."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import mpmath
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from numeric import POINTS, exppolys, fixed, high, near, rationals, value, value_of_pieces

from dipc.errors import InternalError
from dipc.integration.piecewise import Piecewise
from dipc.numbers.exppoly import ExpPoly

RATES = st.sampled_from([fmpq(1), fmpq(1), fmpq(1, 2), fmpq(2), fmpq(2, 3)])
LAPLACE = st.builds(Piecewise.laplace, RATES, rationals())
ONE_SIDED = st.builds(Piecewise.exponential, RATES, rationals())
DENSITIES = LAPLACE | ONE_SIDED
CUT = st.builds(lambda f, b, above: f.restrict(b, above=above), DENSITIES, rationals(), st.booleans())
FUNCTIONS = DENSITIES | CUT | st.builds(lambda f, g: f * g, DENSITIES, CUT)
SLOPES = rationals().filter(bool)
EPS = fmpq(3, 2)
GRID = tuple(fmpq(i, 7) + fmpq(1, 1000) for i in range(-40, 41, 3))  # no breakpoint is here


def integral(f: Callable[[mpmath.mpf], mpmath.mpf], cuts: list[mpmath.mpf]) -> mpmath.mpf:
    ends = [-mpmath.mpf(60), *sorted(set(cuts)), mpmath.mpf(60)]
    with mpmath.workdps(20):
        return mpmath.fsum(mpmath.quad(f, mpmath.linspace(a, b, 4)) for a, b in pairwise(ends))


@fixed(40)
@given(DENSITIES)
def test_densities_have_mass_one(f: Piecewise) -> None:
    assert f.total() == ExpPoly.of(1)


@pytest.mark.parametrize("rate", [fmpq(1), fmpq(1, 2), fmpq(3)])
@pytest.mark.parametrize("mean", [fmpq(0), fmpq(-2), fmpq(1, 3)])
def test_densities_by_their_definitions(rate: fmpq, mean: fmpq) -> None:
    """In y = eps * x; for exp(-rate |i - mean|) at whole distances from the mean."""
    a, mu = high(rate), high(mean * EPS)
    laplace, one_sided = Piecewise.laplace(rate, mean), Piecewise.exponential(rate, mean)
    for y in (high(x) for x in GRID):
        assert near(value_of_pieces(laplace, y, EPS), a / 2 * mpmath.exp(-a * abs(y - mu)))
        wanted = a * mpmath.exp(-a * (y - mu)) if y > mu else mpmath.mpf(0)
        assert near(value_of_pieces(one_sided, y, EPS), wanted)
    for i in range(-3, 4):
        found = value_of_pieces(Piecewise.geometric(rate, mean), high(EPS * (mean + i)), EPS)
        assert near(found, mpmath.exp(-a * abs(i) * high(EPS)))


@fixed(8)
@given(FUNCTIONS)
def test_the_total_is_the_integral(f: Piecewise) -> None:
    cuts = [high(b * EPS) for b in f.breaks]
    wanted = integral(lambda y: value_of_pieces(f, y, EPS), cuts)
    assert abs(value(f.total(), EPS) - wanted) < 1e-10


@fixed(40)
@given(FUNCTIONS, FUNCTIONS, FUNCTIONS)
def test_ring_laws(f: Piecewise, g: Piecewise, h: Piecewise) -> None:
    """Equal functions are equal objects, in whatever order they were computed."""
    assert f * (g + h) == f * g + f * h
    assert (f * g) * h == f * (h * g)
    assert (f + g) + h == h + (g + f)
    assert hash((f + g) + h) == hash(h + (g + f))
    assert not f + f.scale(ExpPoly.of(-1))


@fixed(25)
@given(FUNCTIONS, FUNCTIONS, SLOPES, rationals())
def test_operations_point_by_point(f: Piecewise, g: Piecewise, slope: fmpq, offset: fmpq) -> None:
    moved = f.compose(slope, offset)
    for x in GRID:
        y = high(x)
        one, two = value_of_pieces(f, y, EPS), value_of_pieces(g, y, EPS)
        assert near(value_of_pieces(f + g, y, EPS), one + two)
        assert near(value_of_pieces(f * g, y, EPS), one * two)
        inner = high(slope) * y + high(offset * EPS)
        if all(abs(inner - high(b * EPS)) > 1e-9 for b in f.breaks):
            assert near(value_of_pieces(moved, y, EPS), value_of_pieces(f, inner, EPS))


@fixed(25)
@given(FUNCTIONS)
def test_the_antiderivative_is_continuous_and_has_the_right_slope(f: Piecewise) -> None:
    g = f.antiderivative()
    for b in g.breaks:
        before, after = (value_of_pieces(g, high(b * EPS) + d, EPS) for d in (-1e-30, 1e-30))
        assert abs(before - after) < 1e-25
    h = mpmath.mpf(10) ** -12
    for y in (high(x) for x in GRID[::3]):
        slope = (value_of_pieces(g, y + h, EPS) - value_of_pieces(g, y - h, EPS)) / (2 * h)
        assert abs(slope - value_of_pieces(f, y, EPS)) < 1e-15
    assert g.limit() == f.total()


@fixed(40)
@given(FUNCTIONS)
def test_values_at_the_integers_stay(f: Piecewise) -> None:
    g = f.on_integers()
    assert all((2 * b).q == 1 and b.q == 2 for b in g.breaks)
    for i in range(-6, 7):
        if i not in f.breaks:
            y = high(EPS * i)
            assert near(value_of_pieces(g, y, EPS), value_of_pieces(f, y, EPS))


@fixed(40)
@given(FUNCTIONS)
def test_outside_its_support_a_function_is_zero(f: Piecewise) -> None:
    low, high_end = f.support
    for x in GRID:
        if (low is not None and x < low) or (high_end is not None and x > high_end):
            assert value_of_pieces(f, high(x * EPS), EPS) == 0


@fixed(20)
@given(exppolys(powers=1))
def test_constants(f: ExpPoly) -> None:
    assert Piecewise.constant(f).limit() == f
    for eps in POINTS:
        assert near(value_of_pieces(Piecewise.constant(f), mpmath.mpf(1), eps), value(f, eps))


def test_what_does_not_vanish_at_infinity_has_no_integral() -> None:
    with pytest.raises(InternalError):
        Piecewise.constant(ExpPoly.of(1)).antiderivative()
    with pytest.raises(InternalError):
        Piecewise.exponential(fmpq(1), fmpq(0)).antiderivative().total()
