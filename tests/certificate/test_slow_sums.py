"""Sums over integer points against points counted one by one, as power series."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product as tuples

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numeric import fixed

from dipc.dipwhile.rederive.functions import NotCovered, Pair, constant, exponential, same
from dipc.dipwhile.rederive.inequalities import Row
from dipc.dipwhile.rederive.noise import Sample, measure
from dipc.dipwhile.rederive.sums import integer_mass
from dipc.kernel.facts import add, multiply

DEGREE = 14
RATES = st.lists(st.sampled_from([1, 1, 1, 2]), min_size=1, max_size=3)
ROWS = st.lists(
    st.tuples(*[st.sampled_from([0, 1, 1, -1, 2, -3])] * 3, st.integers(-3, 3)), min_size=1, max_size=3
)


def series(quotient: Pair) -> list[Fraction]:
    """The coefficients of the powers of z = exp(-eps), up to z^DEGREE."""
    above, below = (
        [f.get((0, Fraction(-i), Fraction(0), Fraction(0)), Fraction(0)) for i in range(DEGREE + 1)]
        for f in quotient
    )
    assert below[0]
    result: list[Fraction] = []
    for i in range(DEGREE + 1):
        known = sum((result[j] * below[i - j] for j in range(i)), Fraction(0))
        result.append((above[i] - known) / below[0])
    return result


@fixed(60)
@given(RATES, ROWS)
def test_coefficients_count_points(rates: list[int], rows: list[tuple[int, ...]]) -> None:
    """The sum over x of z^(a|x|) has, at z^d, the number of points with a|x| = d."""
    short: list[Row] = [(*row[: len(rates)], row[-1]) for row in rows]
    mass = integer_mass(frozenset(short), [Fraction(a) for a in rates])
    above, below = mass.pair()
    for a in map(Fraction, rates):  # without the constants (1 - z)/(1 + z) of the densities
        above = multiply(above, add(constant(1), exponential(-a)))
        below = multiply(below, add(constant(1), exponential(-a, Fraction(-1))))
    counted: Counter[int] = Counter()
    for x in tuples(range(-DEGREE, DEGREE + 1), repeat=len(rates)):
        size = sum(a * abs(c) for a, c in zip(rates, x, strict=True))
        if size <= DEGREE and all(sum(c * v for c, v in zip(r, (*x, 1), strict=True)) >= 0 for r in short):
            counted[size] += 1
    assert series((above, below)) == [counted[d] for d in range(DEGREE + 1)]


def test_integers_and_reals_do_not_mix() -> None:
    samples = [Sample("DLap", Fraction(1)), Sample("Lap", Fraction(1))]
    with pytest.raises(NotCovered, match="integer noise compared with real noise"):
        measure([(1, 1, 0)], samples)
    apart = measure([(1, 0, -1), (0, 1, -1)], samples).pair()
    tails = [measure([(1, -1)], [sample]) for sample in samples]
    assert same(apart, tails[0].times(tails[1]).pair())
