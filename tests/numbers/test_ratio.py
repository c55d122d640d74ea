"""The fast fractions of eliminations are the field of quotients."""

from __future__ import annotations

from random import Random

import pytest
from flint import fmpq, fmpz_poly

from dipc.numbers.exppoly import ExpPoly, Term
from dipc.numbers.quotient import Quotient
from dipc.numbers.ratio import DENSE, in_one_ring

UNIT = 6


def random_function(rng: Random) -> ExpPoly:
    exponents = [fmpq(i, rng.choice([1, 2, 3])) for i in range(-2, 3)]
    terms = [
        Term(
            fmpq(rng.randint(-4, 4), rng.randint(1, 3)),
            rng.randint(-1, 2),
            rng.choice(exponents),
            rng.choice([fmpq(0), fmpq(0), *exponents]),
            rng.choice([fmpq(0), fmpq(0), *exponents]),
        )
        for _ in range(rng.randint(0, 3))
    ]
    return ExpPoly.from_terms(terms)


def random_quotient(rng: Random) -> Quotient:
    below = random_function(rng)
    return Quotient(random_function(rng)) / Quotient(below if below else ExpPoly.of(rng.choice([1, -2])))


def random_dense(rng: Random) -> Quotient:
    """A function of exp(eps/6) alone, of powers that may cancel."""
    z = Quotient(ExpPoly.exp(fmpq(1, UNIT)))
    above, below = ([rng.randint(-2, 2) for _ in range(rng.randint(1, 4))] for _ in range(2))
    f, g = (sum((c * z**i for i, c in enumerate(some)), Quotient.of(0)) for some in (above, below))
    return f / (g or rng.choice([1, -2]) * z)


@pytest.mark.parametrize("seed", range(80))
def test_the_operations_are_those_of_quotients(seed: int) -> None:
    rng, dense = Random(seed), seed % 2 == 1
    p, q = (random_dense if dense else random_quotient)(rng), random_dense(rng)
    one = Quotient.one()
    ratios = in_one_ring([p, q, one], UNIT)
    a, b = ratios[p], ratios[q]
    assert not dense or isinstance(a.numerator, fmpz_poly)
    assert a.quotient(UNIT) == p
    assert (a + b).quotient(UNIT) == p + q
    assert (a - b).quotient(UNIT) == p - q
    assert (a * b).quotient(UNIT) == p * q
    assert (a == b) is (p == q)
    assert (a - a) == (b - b)  # zero has one form
    if q:
        assert (a / b).quotient(UNIT) == p / q
        assert (a * b) / b == a
        assert a + b - b == a
        assert b / b == ratios[one]
    else:
        with pytest.raises(ZeroDivisionError):
            a / b


def test_large_powers_and_other_variables_are_not_dense() -> None:
    eps, z = Quotient(ExpPoly.of(1, 1)), Quotient(ExpPoly.exp(1))
    for other, dense in ((1 / z**DENSE, True), (1 / z ** (DENSE + 1), False), (eps, False), (z / eps, False)):
        ratios = in_one_ring([z, other], 1)
        assert {isinstance(ratio.denominator, fmpz_poly) for ratio in ratios.values()} == {dense}
        assert (ratios[z] * ratios[other]).quotient(1) == z * other
