"""What is found wrong only when a program runs: the message, where it points, and the advice."""

from __future__ import annotations

import pytest

import dipc
from dipc.errors import InputError

HEAD = "input q in {0, 1}\noutput o in {0, 1}\nadjacent all\nprivate eps\n"

MISTAKES = {
    "unset variable": (
        "if q = 0 then x <- 1 end\no <- x\n",
        "`x` is read before it has a value",
        "x",
        "assign `x` on every path that leads here",
    ),
    "unset cell": (
        "if q = 0 then x[1] <- 1 end\no <- x[1]\n",
        "`x[1]` is read before it has a value",
        "x[1]",
        "assign `x[1]` on every path that leads here",
    ),
    "unset output": (
        "if q = 0 then o <- 1 end\n",
        "the output `o` has no value when the program ends",
        "o",
        "assign it on every path, or give it a start value: `output o in {...} = v`",
    ),
    "value of an output": (
        "o <- 2*q\n",
        "the value `2` is not in the set of the output `o`",
        "o <- 2*q",
        "the set is {0, 1}",
    ),
    "sum of probabilities": (
        "o <- choose {0: 1/2, 1: 1/3}\n",
        "the probabilities of `choose` sum to 5/6, not to 1",
        "choose {0: 1/2, 1: 1/3}",
        "fix one of them",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_messages(name: str) -> None:
    body, message, place, advice = MISTAKES[name]
    with pytest.raises(InputError) as raised:
        dipc.load(HEAD + body).check()
    error = raised.value
    assert error.span is not None
    found = error.span.source.text[error.span.start : error.span.end]
    assert (error.message, found, error.hint) == (message, place, advice)


@pytest.mark.parametrize("rate", ["-1/eps", "(1 + exp(1))/eps", "exp(1)/eps"])
def test_noise_that_grows_with_eps_has_a_warning_without_a_wrong_scale(rate: str) -> None:
    (warning,) = dipc.load(f"{HEAD}r <- Lap({rate}, q)\no <- disc(r, 0, 1)").warnings
    assert "the noise grows with eps: its rate is of the form a/eps" in warning
