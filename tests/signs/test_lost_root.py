"""Roots that were once lost: at the right end of the search, where V is 0 already."""

from __future__ import annotations

import pytest
from flint import fmpq

import dipc
from dipc.errors import InputError
from dipc.numbers.exppoly import ExpPoly
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Fails, nonnegative, sign_if_constant
from dipc.signs.roots import positive_roots

X = ExpPoly.of(1, 1)
EVERYWHERE = EpsRange.positive()


def test_a_product_that_is_negative_between_its_roots() -> None:
    assert isinstance(nonnegative((X - 1) * (X - 2), EVERYWHERE), Fails)
    assert sign_if_constant(ExpPoly.exp(1) - ExpPoly.exp(0, 2), EVERYWHERE) is None


def test_a_claim_broken_on_an_interval_with_rational_ends() -> None:
    bump = "(eps-1)*(eps-2)*eps^2*exp(-eps)/400"
    mechanism = dipc.load(
        f"""
        input q in {{0, 1}}
        output o in {{a, b}}
        adjacent all
        private eps
        if q = 0 then o <- choose {{a: exp(-eps)/4, b: 1 - exp(-eps)/4}}
        else o <- choose {{a: 1/4 - {bump}, b: 3/4 + {bump}}} end
        """
    )
    verdict = mechanism.check()
    assert verdict.counterexample is not None
    assert verdict.counterexample.epsilon == fmpq(3, 2)
    assert verdict.counterexample.violated_for == (("1", "2"),)


def test_a_probability_that_is_negative_on_an_interval() -> None:
    p = "(eps-1)*(eps-2)*exp(-eps)/10"
    mechanism = dipc.load(
        f"input q in {{0, 1}}; output o in {{a, b}}\nadjacent all\nprivate 0*eps, 1/2\n"
        f"o <- choose {{a: {p}, b: 1 - {p}}}"
    )
    with pytest.raises(InputError, match="negative at eps = 3/2"):
        mechanism.check()


def test_each_option_of_a_choice_is_a_probability() -> None:
    mechanism = dipc.load("output o in {0, 1}\nadjacent all\nprivate eps\no <- choose {1: 2, 1: -1, 0: 0}")
    with pytest.raises(InputError, match="-1 is negative"):
        mechanism.check()


def test_an_unsettled_denominator_is_undecided() -> None:
    mechanism = dipc.load(
        """
        input q in {0, 1}
        output o in {0, 1}
        adjacent all
        private eps
        p <- flip(((exp(eps)-exp(2/eps))^2)/((exp(eps)-exp(2/eps))^2+(eps^2-2)^2))
        if p then o <- 0 else o <- 1 end
        """
    )
    assert mechanism.check().status == "undecided"


@pytest.mark.parametrize("tiny", [fmpq(1, 2**300), fmpq(-1, 2**299)])
def test_roots_as_close_as_you_like_are_settled_without_constants(tiny: fmpq) -> None:
    f = (ExpPoly.exp(1) - 2) ** 2 + tiny
    assert len(positive_roots(f, fmpq(0), None)) == (0 if tiny > 0 else 2)
