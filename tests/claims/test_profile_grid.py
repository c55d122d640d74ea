"""Deltas that are functions of eps, against 60-digit arithmetic on grids."""

from __future__ import annotations

import pytest

import dipc

# P(true | true) = 1/2 + d, P(true | false) = 1/2 - d with d = exp(-eps)/4: the least delta at 0*eps is 2 d.
COIN = """
    input q in {true, false};  output out in {true, false};  adjacent all
    truth <- flip(1/2 + exp(-eps)/4)
    if truth then out <- q else out <- not q end
"""


def test_a_claim_that_touches() -> None:
    """``eps/(1 + eps) <= (1 + eps)/4`` with equality at 1."""
    half = COIN.replace("1/2 + exp(-eps)/4", "1/2 + eps/(2*(1 + eps))")  # the least delta is eps/(1 + eps)
    mechanism = dipc.load(half)
    assert mechanism.check("0*eps, eps/(1 + eps)").status == "private"
    assert mechanism.check("0*eps, (1 + eps)/4").status == "private"  # touches at 1
    assert mechanism.check("0*eps, (1 + eps)/4", at="1").status == "private"
    assert mechanism.check("0*eps, (1 + eps)*499999999/2000000000", at="1").status == "violated"


@pytest.mark.parametrize("claim", ["0*eps, sqrt(eps)", "0*eps, 1/(1 + sqrt(4))", "sqrt(2)*eps"])
def test_square_roots_are_refused(claim: str) -> None:
    with pytest.raises(dipc.InputError, match="square roots are not supported"):
        dipc.load(COIN).check(claim)


@pytest.mark.parametrize(
    "text", ["b <- flip(sqrt(eps))", "r <- Lap(sqrt(eps), 0); b <- r < 0", "b <- sqrt(4) > 1"]
)
def test_square_roots_in_programs_are_refused(text: str) -> None:
    with pytest.raises(dipc.InputError, match="square roots are not supported"):
        dipc.load(f"output out in {{true, false}}\n{text}\nout <- b\n")
