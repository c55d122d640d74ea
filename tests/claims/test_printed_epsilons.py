"""Whatever dipc prints as an epsilon is read back as the same epsilon."""

from __future__ import annotations

from random import Random

import pytest
from flint import fmpq

import dipc
from dipc.claims.exponent import Exponent, exponent_text, logarithm_text, number_text
from dipc.dipwhile.pipeline import goal_of
from dipc.errors import InputError
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient

TEXT = "input q in {0, 1}; output b in {0, 1}; adjacent all; private CLAIM; b <- 0"


def read_back(text: str) -> Quotient:
    """The factor of an epsilon, from a program that claims it."""
    claim = dipc.load(TEXT.replace("CLAIM", text)).program.claim
    assert claim is not None
    return goal_of(claim).factor


def ratio(rng: Random) -> fmpq:
    return fmpq(rng.randint(1, 40), rng.randint(1, 12))


def function(rng: Random) -> Quotient:
    """A positive function of eps."""
    above, below = (
        ExpPoly.of(ratio(rng)) + ExpPoly.exp(ratio(rng)) * ExpPoly.of(ratio(rng)) for _ in range(2)
    )
    return Quotient(above) if rng.random() < 0.5 else Quotient(above) / Quotient(below)


@pytest.mark.parametrize("seed", range(40))
def test_sums(seed: int) -> None:
    rng = Random(seed)
    bases = {base: fmpq(rng.choice((-3, -1, 1, 2, 8))) for base in (ratio(rng), ratio(rng)) if base != 1}
    functions = {function(rng): fmpq(rng.choice((-1, 1, 2)))} if rng.random() < 0.5 else {}
    rate, constant = (rng.choice((fmpq(0), ratio(rng), -ratio(rng))) for _ in range(2))
    epsilon = Exponent(rate, constant, tuple(bases.items()), tuple(functions.items()))
    if epsilon.multiple is None or rate >= 0:
        assert read_back(exponent_text(epsilon)) == epsilon.factor


@pytest.mark.parametrize("seed", range(20))
def test_logarithms(seed: int) -> None:
    """Of a function of eps, and of a number in the answer about a program without eps."""
    rng = Random(seed)
    f, number = function(rng), Quotient.of(ratio(rng)) ** rng.randint(1, 9)
    assert read_back(logarithm_text(f)) == f
    assert read_back(number_text(number).split(" = ")[0]) == number
    assert read_back(logarithm_text(number)) == number


@pytest.mark.parametrize("text", ["ln 68586", "8 ln(21/19)", "4*ln 3", "eps + 2 ln 5 - 1/3", "(ln 9)/2"])
def test_answers_of_commands(text: str) -> None:
    assert float(read_back(text).decimal(1)) > 1
    verdict = dipc.load(TEXT.replace("CLAIM", "eps")).check(text)
    assert verdict.status == "private"


@pytest.mark.parametrize("text", ["ln 3/2", "ln 3*eps", "ln 3^2", "ln 3 4", "8 eps ln 2"])
def test_what_could_mean_two_numbers_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_back(text)
