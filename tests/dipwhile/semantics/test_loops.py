"""While loops against finite unrolling, and against the reference."""

from __future__ import annotations

import pytest
from agreement import wrong
from flint import fmpq

import dipc
from dipc.dipwhile.syntax.compile import read
from dipc.errors import FragmentError, InputError, LimitReached, Source
from dipc.numbers.quotient import Quotient

SETTING = "output o in {0, 1}\n"


def law(text: str, **inputs: object) -> dict[str, Quotient]:
    found = dipc.load(text).distribution(**inputs)  # type: ignore[arg-type]
    return {str(output[0][1]): p for output, p in found.items()}


LOOPS = {
    "a coin until heads": "o <- 0\ngo <- true\nwhile go do\n  o <- 1 - o\n"
    "  stop <- flip(1/(1+exp(eps)))\n  if stop then go <- false end\nend",
    "the ruin of a gambler": "x <- 2\nwhile x > 0 and x < 5 do\n  up <- flip(1/(1+exp(eps)))\n"
    "  if up then x <- x + 1 else x <- x - 1 end\nend\nif x = 5 then o <- 1 else o <- 0 end",
    "an exit inside": "o <- 0\nwhile o = 0 do\n  b <- flip(1/4)\n"
    "  if b then exit end\n  o <- uniform {0, 1}\nend",
    "a loop inside": "o <- 0\ngo <- true\nwhile go do\n  again <- true\n"
    "  while again do again <- flip(1/2) end\n  o <- 1 - o\n  go <- flip(1/3)\nend",
    "samples drawn before": "x <- Lap(eps, 0)\ny <- Lap(eps/2, 1)\nn <- 1\ngo <- true\nwhile go do\n"
    "  c <- flip(1/3)\n  if x > y then n <- 0 end\n  if y > 2 and c then n <- 1 end\n"
    "  d <- flip(1/(1+exp(eps)))\n  if d then go <- false end\nend\no <- n\n",
}


@pytest.mark.parametrize("name", LOOPS)
def test_the_law_is_that_of_the_reference(name: str) -> None:
    assert not wrong(read(Source("loop.dip", SETTING + LOOPS[name])), {}, fmpq(4, 5))


def test_a_loop_that_only_counts_is_its_unrolling() -> None:
    body = "  x <- flip(1/3)\n  if x then o <- 1 - o end\n"
    counted = law(f"{SETTING}o <- 0\ni <- 1\nwhile i <= 4 do\n{body}  i <- i + 1\nend")
    assert counted == law(f"{SETTING}o <- 0\nfor i in 1..4 do\n{body}end")


@pytest.mark.parametrize(
    "loop",
    [
        "while true do o <- 1 end",
        "b <- flip(1/2)\nwhile b do o <- 1 end",
        "x <- Lap(eps, 0)\nwhile x > 0 do o <- 1 end",
        "z <- DLap(eps, 0)\nwhile z = 3 do o <- 1 end",
    ],
)
def test_a_loop_that_loses_mass_is_refused(loop: str) -> None:
    with pytest.raises(InputError, match="does not end with probability 1"):
        law(f"{SETTING}o <- 0\n{loop}")


def test_a_counter_that_grows_for_ever_is_a_limit() -> None:
    with pytest.raises(LimitReached, match=r"the loop at <text>:\d+:\d+ reaches more than"):
        law(f"{SETTING}o <- 0\ni <- 1\nwhile i > 0 do i <- i + 1 end")


def test_a_random_variable_on_some_paths_only() -> None:
    with pytest.raises(FragmentError, match="rule 2"):
        law(f"{SETTING}x <- 1; b <- flip(1/2); if b then x <- Lap(eps, 0) end; while b do r <- x; exit end")


@pytest.mark.parametrize(("budgets", "ends"), [("(0, 1)", True), ("(0, 1]", False), ("[1/2, 3/4]", True)])
def test_an_edge_that_vanishes_for_one_budget(budgets: str, ends: bool) -> None:
    """The loop is left with probability 1 - eps: at eps = 1 it never ends."""
    mechanism = dipc.load(
        f"input q in {{0, 1}}; output o in {{0, 1}}\nadjacent all\nprivate eps for eps in {budgets}\n"
        "o <- q\ndone <- false\nwhile not done do\n  done <- flip(1 - eps)\n  o <- uniform {0, 1}\nend"
    )
    if ends:
        assert mechanism.check().status == "private"
    else:
        with pytest.raises(InputError, match="at eps = 1"):
            mechanism.check()


def test_an_edge_that_vanishes_without_harm() -> None:
    """At eps = 1 one of two ways out is closed; the other one stays open."""
    mechanism = dipc.load(
        "input q in {0, 1}; output o in {0, 1}\nadjacent all\nprivate eps for eps in (0, 1]\n"
        "o <- 0\ndone <- false\nwhile not done do\n  done <- flip((1 - eps)/2)\n"
        "  if not done then done <- flip(1/2) end\nend"
    )
    assert mechanism.check().status == "private"
