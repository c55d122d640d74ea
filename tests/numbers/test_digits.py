"""Digits of numbers too large or too small to be written out, against the decimal module."""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from random import Random

import pytest

from dipc.numbers.exppoly import ExpPoly


@pytest.mark.parametrize("seed", range(40))
def test_great_exponents(seed: int) -> None:
    """c * exp(a) for a up to 10^12: never as a fraction with as many digits."""
    rng = Random(seed)
    rate, c, digits = rng.choice([-1, 1]) * rng.randint(1, 10 ** rng.randint(2, 12)), rng.randint(1, 99), 12
    exact = Context(prec=40, Emax=MAX_EMAX, Emin=MIN_EMIN)
    expected = exact.multiply(Decimal(c), exact.exp(Decimal(rate)))
    found = Decimal(ExpPoly.of(c, 0, rate).decimal(1, digits))
    assert found == Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN).plus(expected)


def test_floats_at_both_ends() -> None:
    assert float(ExpPoly.of(1, 0, -(10**12)).at(1)) == 0
    assert float(ExpPoly.of(1, 0, -700).at(1)) == 9.859676543759771e-305
    with pytest.raises(OverflowError, match="too large for a float"):
        float(ExpPoly.of(1, 0, 10**12).at(1))
