"""What unrolling removes is checked as well."""

from __future__ import annotations

import pytest

from dipc.dipwhile.syntax.compile import read
from dipc.errors import InputError, Source

DECLARED = "param N = 0\ninput q in {0, 1}\noutput out in {0, 1}\nadjacent all\nprivate eps\n"

WRONG = {
    "an array by a dead branch": ("if N > 3 then a[1] <- 0 end\nx <- a + 1", "`a` is an array"),
    "a cell that only a dead branch assigns": (
        "if N > 3 then a[1] <- 0 end\nx <- a[1]",
        "the size of the array `a` is unknown",
    ),
    "random by an empty sum": (
        "r[1] <- Lap(eps, 0)\ns <- Lap(eps, 0)\nx <- sum(i in 1..N: r[i])\ny <- x * s",
        "a product of two random expressions",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_unrolling_hides_is_refused(what: str) -> None:
    body, message = WRONG[what]
    with pytest.raises(InputError, match=message):
        read(Source("<text>", f"{DECLARED}{body}\nout <- 0\n"))


@pytest.mark.parametrize("names", ["a, b, c, d, e, f, g", "g, f, e, d, c, b, a"])
def test_of_several_names_with_two_roles_the_first_is_named(names: str) -> None:
    body = "; ".join(f"{name} <- 1" for name in "cadbgfe")
    with pytest.raises(InputError, match=f"`{names[0]}` is both an atom and a variable"):
        read(Source("<text>", f"input q in {{{names}}}\noutput out in {{0, 1}}\n{body}\nout <- 0\n"))
