"""The fast fractions of eliminations are the field of quotients."""

from __future__ import annotations

from random import Random

import pytest
from flint import fmpq

from dipc.numbers.exppoly import ExpPoly, Term
from dipc.numbers.quotient import Quotient
from dipc.numbers.ratio import Ratio

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


@pytest.mark.parametrize("seed", range(40))
def test_the_operations_are_those_of_quotients(seed: int) -> None:
    rng = Random(seed)
    p, q = random_quotient(rng), random_quotient(rng)
    a, b = Ratio.of(p, UNIT), Ratio.of(q, UNIT)
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
        assert b / b == Ratio.of(Quotient.one(), UNIT)
    else:
        with pytest.raises(ZeroDivisionError):
            a / b
