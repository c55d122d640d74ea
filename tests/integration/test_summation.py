"""Antidifferences: ``S(i) - S(i - 1) = f(i)`` at every integer, exactly."""

from __future__ import annotations

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from numeric import fixed

from dipc.errors import InternalError
from dipc.integration.piecewise import Piecewise
from dipc.integration.summation import antidifference, faulhaber, geometric_sums
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient

RATES = st.sampled_from([fmpq(1), fmpq(1), fmpq(2), fmpq(1, 2), fmpq(2, 3)])
WEIGHTS = st.builds(lambda rate, mean: Piecewise.geometric(rate, fmpq(mean)), RATES, st.integers(-2, 2))
CUTS = st.builds(
    lambda f, i, above: f.restrict(fmpq(2 * i + 1, 2), above=above),
    WEIGHTS,
    st.integers(-3, 3),
    st.booleans(),
)
FUNCTIONS = (
    WEIGHTS
    | CUTS
    | st.builds(lambda f, g: (f * g).on_integers(), WEIGHTS, CUTS)
    | st.builds(lambda f, g: (f + g).on_integers(), WEIGHTS, CUTS)
)


def at(f: Piecewise, i: int) -> ExpPoly:
    """The exact value at an integer that is no breakpoint."""
    piece = f.pieces[sum(b < i for b in f.breaks)]
    terms = (
        ExpPoly.of(c * fmpq(i) ** m, n + m, fmpq(k * i + q, f.unit)) for (m, k, n, q), c in piece.items()
    )
    return sum(terms, ExpPoly())


@fixed(40)
@given(FUNCTIONS)
def test_differences_are_the_function(f: Piecewise) -> None:
    s = antidifference(f)
    for i in range(-6, 7):
        assert at(s.numerator, i) - at(s.numerator, i - 1) == at(f, i) * s.denominator


@fixed(15)
@given(WEIGHTS, WEIGHTS)
def test_differences_with_powers_of_the_variable(f: Piecewise, g: Piecewise) -> None:
    """The antidifference of equal rates on one side brings in powers: twice in a row."""
    s = antidifference(f).numerator
    product = (g * s * g).on_integers()
    twice = antidifference(product)
    for i in range(-4, 5):
        assert at(twice.numerator, i) - at(twice.numerator, i - 1) == at(product, i) * twice.denominator


@pytest.mark.parametrize("rate", [fmpq(1), fmpq(1, 2), fmpq(3)])
@pytest.mark.parametrize("mean", [-1, 0, 2])
def test_discrete_laplace_noise_has_mass_one(rate: fmpq, mean: int) -> None:
    s = antidifference(Piecewise.geometric(rate, fmpq(mean)))
    z = Quotient(ExpPoly.exp(-rate))
    assert Quotient(s.numerator.limit(), s.denominator) == (1 + z) / (1 - z)


@pytest.mark.parametrize("m", range(7))
def test_sums_of_powers(m: int) -> None:
    for i in range(-5, 8):
        value = sum(c * fmpq(i) ** j for j, c in enumerate(faulhaber(m)))
        before = sum(c * fmpq(i - 1) ** j for j, c in enumerate(faulhaber(m)))
        assert value - before == fmpq(i) ** m
    assert sum(faulhaber(m)) == 1
    assert faulhaber(m)[0] == 0


@pytest.mark.parametrize("m", range(4))
@pytest.mark.parametrize("rate", [fmpq(1), fmpq(-1), fmpq(-1, 2), fmpq(2)])
def test_geometric_sums(m: int, rate: fmpq) -> None:
    """x^i sum_j s_j i^j with s_j = S_j / d^(m-j+1) has the differences i^m x^i."""
    d = 1 - ExpPoly.exp(-abs(rate))
    sums = geometric_sums(m, rate)

    def numerator(i: int) -> ExpPoly:
        parts = (s * d**j * fmpq(i) ** j for j, s in enumerate(sums))
        return sum(parts, ExpPoly()) * ExpPoly.exp(rate * i)

    for i in range(-3, 4):
        assert numerator(i) - numerator(i - 1) == ExpPoly.exp(rate * i) * fmpq(i) ** m * d ** (m + 1)


def test_what_does_not_vanish_at_minus_infinity_has_no_sum() -> None:
    with pytest.raises(InternalError):
        antidifference(Piecewise.constant(ExpPoly.of(1)))
