"""Noise of rate a/eps: probabilities against the reference."""

from __future__ import annotations

import pytest
from agreement import wrong
from flint import fmpq

import dipc
from dipc.dipwhile.syntax.compile import read
from dipc.errors import Source

HEAD = "input q in {0, 1}; output out in {0, 1, 2}; adjacent all\n"

BODIES = {
    "disc": "r <- Lap(RATE, q); out <- disc(r, 0, 1, 2)",
    "two": "r <- Lap(RATE, q); s <- Lap(RATE/2, 1); if r >= s then out <- 0 else out <- 1 end",
    "plus": """r <- LapPlus(RATE, q); s <- Lap(2*RATE, 1/2)
        if r >= s and r < 2 then out <- 0 else out <- 1 end""",
    "three": """a <- Lap(RATE, q); b <- Lap(RATE, 0); c <- Lap(RATE, 1)
        if a < b and b < c then out <- 0 elif a + b < 2*c then out <- 1 else out <- 2 end""",
    "cycle": """a <- Lap(RATE, q); b <- Lap(RATE, 0); c <- Lap(RATE, 1)
        if a < b and b < c and a < c - 1 then out <- 0 else out <- 1 end""",
    "discrete": """z <- DLap(RATE, q); w <- DLap(RATE, 0)
        if z > w then out <- 0 elif z = w then out <- 1 else out <- 2 end""",
    "sum": "z <- DLap(RATE, q); w <- DLap(RATE, 0); if z + 2*w <= 1 then out <- 0 else out <- 1 end",
    "clamp": "z <- DLap(RATE/2, q); out <- min(max(z, 0), 2)",
    "exponential": "out <- Exp(RATE, v in {0, 1, 2}, -abs(v - q))",
    "fold": """b <- flip(exp(RATE)/(1 + exp(RATE)))
        if b then r <- Lap(RATE, q) else r <- Lap(2*RATE, 0) end
        out <- disc(r, 0, 1, 2)""",
    "one variable of either kind": """b <- flip(exp(eps)/(exp(eps) + exp(1/eps)))
        if b then r <- Lap(eps, q) else r <- Lap(1/eps, q) end
        out <- disc(r, 0, 1, 2)""",
    "coefficients that do not fit into the weight": """b <- flip(exp(1/eps)/(exp(eps) + exp(1/eps)))
        if b then r <- Lap(eps, q) else r <- Lap(2*eps, q) end
        c <- flip(exp(1/eps)/(exp(eps) + exp(1/eps)))
        if c then s <- Lap(2/eps, q) else s <- Lap(1/eps, q) end
        if r <= 0 and s <= 0 then out <- 0 else out <- 2 end""",
    "both kinds side by side": """r <- Lap(eps, q); s <- Lap(1/eps, q); z <- DLap(1/eps, q)
        w <- DLap(eps, q); if r <= 0 and s <= 0 and z <= 0 and w <= 0 then out <- 0 else out <- 1 end""",
}


@pytest.mark.parametrize("name", BODIES)
def test_probabilities_are_those_of_the_reference(name: str) -> None:
    program = read(Source("inverse.dip", HEAD + BODIES[name].replace("RATE", "(1/eps)")))
    for q in (0, 1):
        assert not wrong(program, {("q", 0): fmpq(q)}, fmpq(3, 4))


@pytest.mark.parametrize(
    "guard",
    ["r >= s", "r + s < 1", "max(r, s) > 0", "z > w", "2*r - s + q < 3"],
)
def test_the_two_kinds_cannot_be_compared(guard: str) -> None:
    text = HEAD + (
        "r <- Lap(eps, q); s <- Lap(1/eps, q); z <- DLap(1/eps, q); w <- DLap(eps, q)\n"
        f"if {guard} then out <- 0 else out <- 1 end"
    )
    with pytest.raises(dipc.Unsupported, match=r"rate a\*eps is compared with one of rate a/eps") as caught:
        dipc.load(text).distribution(q=1)
    assert caught.value.span is not None
    assert caught.value.span.line == 3


@pytest.mark.parametrize(
    "rate", ["eps^2", "1/eps^2", "1 + eps", "eps + 1/eps", "exp(eps)", "-1/eps", "0/eps"]
)
def test_other_rates_are_refused(rate: str) -> None:
    with pytest.raises(dipc.InputError, match="rate"):
        dipc.load(HEAD + f"r <- Lap({rate}, q); out <- disc(r, 0, 1, 2)").distribution(q=0)


def test_probabilities_of_choices_may_have_inverse_exponents() -> None:
    law = dipc.load(HEAD + "b <- flip(exp(-1/eps)); if b then out <- 0 else out <- 1 end").distribution(q=0)
    assert str(law[(("out", fmpq(0)),)]) == "exp(-1/eps)"
    with pytest.raises(dipc.InputError, match=r"exceeds 1 at eps = 1"):
        dipc.load(HEAD + "b <- flip(exp(1/eps)); if b then out <- 0 else out <- 1 end").distribution(q=0)
