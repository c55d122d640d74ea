"""Noise of rate a/eps: probabilities against the reference and against the program in eta = 1/eps."""

from __future__ import annotations

import pytest
from agreement import wrong
from flint import fmpq

import dipc
from dipc.dipwhile.syntax.compile import read
from dipc.errors import Source
from dipc.numbers.quotient import Quotient

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
}


@pytest.mark.parametrize("name", BODIES)
def test_rate_over_eps_is_the_rate_times_eps_at_the_inverse_budget(name: str) -> None:
    for q in (0, 1):
        usual = dipc.load(HEAD + BODIES[name].replace("RATE", "eps")).distribution(q=q)
        inverse = dipc.load(HEAD + BODIES[name].replace("RATE", "(1/eps)")).distribution(q=q)
        assert list(usual) == list(inverse)
        for output, p in usual.items():
            assert inverse[output] == p.at_inverse()
            if name != "fold":  # its two weights have coefficients exp(1/eps)
                assert not inverse[output].numerator.has_rates


@pytest.mark.parametrize("name", BODIES)
def test_probabilities_are_those_of_the_reference(name: str) -> None:
    program = read(Source("inverse.dip", HEAD + BODIES[name].replace("RATE", "(1/eps)")))
    for q in (0, 1):
        assert not wrong(program, {("q", 0): fmpq(q)}, fmpq(3, 4))


def test_one_variable_of_either_kind() -> None:
    """States merge although the sample is of one kind on one path and of the other on the other."""
    text = """
        b <- flip(exp(eps)/(exp(eps) + exp(1/eps)))
        if b then r <- Lap(eps, q) else r <- Lap(1/eps, q) end
        out <- disc(r, 0, 1, 2)
    """
    law = dipc.load(HEAD + text).distribution(q=1)
    e, v = Quotient(dipc.ExpPoly.exp(1)), Quotient(dipc.ExpPoly.exp(0, 0, 1))
    assert law[(("out", fmpq(0)),)] == 1 / (e + v)  # (e * 1/(2 e) + v * 1/(2 v)) / (e + v)


def test_coefficients_that_do_not_fit_into_the_weight() -> None:
    """A coefficient exp(1/eps) next to the density of Lap(eps, ..), and the other way round."""
    text = """
        b <- flip(exp(1/eps)/(exp(eps) + exp(1/eps)))
        if b then r <- Lap(eps, q) else r <- Lap(2*eps, q) end
        c <- flip(exp(1/eps)/(exp(eps) + exp(1/eps)))
        if c then s <- Lap(2/eps, q) else s <- Lap(1/eps, q) end
        out <- 2
        if r <= 0 and s <= 0 then out <- 0 end
    """
    law = dipc.load(HEAD + text).distribution(q=1)
    e, v = Quotient(dipc.ExpPoly.exp(1)), Quotient(dipc.ExpPoly.exp(0, 0, 1))
    first = (v / e + e / (e * e)) / (2 * (e + v))
    second = (v / (v * v) + e / v) / (2 * (e + v))
    assert law[(("out", fmpq(0)),)] == first * second


def test_samples_of_both_kinds_side_by_side() -> None:
    text = """
        r <- Lap(eps, q); s <- Lap(1/eps, q); z <- DLap(1/eps, q); w <- DLap(eps, q)
        if r <= 0 and s <= 0 and z <= 0 and w <= 0 then out <- 0 else out <- 1 end
    """
    law = dipc.load(HEAD + text).distribution(q=1)
    e, v = Quotient(dipc.ExpPoly.exp(-1)), Quotient(dipc.ExpPoly.exp(0, 0, -1))
    half = fmpq(1, 2)
    assert law[(("out", fmpq(0)),)] == e * half * v * half * (v / (1 + v)) * (e / (1 + e))


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
