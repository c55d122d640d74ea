"""More programs written to fool `dipc prove`: wrong proofs, and counterexamples that are none."""

from __future__ import annotations

import pytest
from flint import fmpq

from dipc.dipwhile.allsizes.verdict import BrokenFrom, Open, ProvedForAll
from tests.dipwhile.allsizes.asking import needed, proved, proved_t

BOUNDED = """param N = 2
input q[N] in [0, 1]
output o in {0, 1} = 0
adjacent linf 1
private eps for all N
"""


@pytest.mark.parametrize("condition", ["q[1] >= 0", "q[1] > 1", "q[1] + 1/2 < 0"])
def test_no_counterexample_is_outside_of_the_interval_of_an_input(condition: str) -> None:
    found = proved(BOUNDED + f"if {condition} then o <- 1 end\n")
    assert isinstance(found, Open)
    assert found.least is None or not found.least.unbounded


@pytest.mark.parametrize("interval, bound", [("[0, 1]", "1/2"), ("[2, 3]", "5/2"), ("[-3, -2]", "-5/2")])
def test_a_counterexample_is_inside_of_the_interval_of_an_input(interval: str, bound: str) -> None:
    found = proved(BOUNDED.replace("[0, 1]", interval) + f"if q[1] >= {bound} then o <- 1 end\n")
    assert isinstance(found, BrokenFrom)
    low, high = (fmpq(int(end)) for end in interval.strip("[]").split(","))
    example = found.violated.counterexample
    for inputs in (example.input, example.neighbour):
        cells = dict(inputs)["q"]
        assert isinstance(cells, tuple)
        assert all(isinstance(value, fmpq) and low <= value <= high for value in cells)


@pytest.mark.parametrize("output", ["o", "out[1]"])
def test_a_run_without_a_round_is_of_no_size(output: str) -> None:
    """The loop overwrites what was published; only with N = 0 it would stay."""
    text = f"""param N = 2
input q[N] in reals
output o in {{0, 1}} = 0, out[N] in {{0, 1}} = 0
adjacent linf 1
private eps for all N
x <- Lap(eps, q[1])
{output} <- disc(x, 0, 1)
for i in 1..N do
  {output.replace("1", "i")} <- 0
end
"""
    found = proved(text)
    assert isinstance(found, ProvedForAll)
    assert found.least.low == 0 and not found.least.exact


PUBLISHED = """param N = 2
input q[N] in reals
output out[N] in {0, 1} = 0, o in reals = 0
adjacent linf 1
private eps/2 for all N
"""


@pytest.mark.parametrize("name", ["o_exact", "o_exact_"])
def test_a_variable_with_the_name_of_a_level_keeps_its_value(name: str) -> None:
    """The program publishes constants only; its variable must not become that of the counterexample."""
    text = f"""x <- Lap(eps, q[1])
if x > 0 then o_exact <- 1; {name} <- 1 else o_exact <- 1; {name} <- 1 end
z <- Lap(eps, q[1])
o <- z
if {name} > 1/2 then out[1] <- 1 end
o <- 0
"""
    assert isinstance(proved(PUBLISHED + text), Open)


def test_what_is_read_of_an_output_and_then_overwritten_needs_nothing() -> None:
    text = """param N = 2
input q[N] in reals
output out[N] in reals = 1
adjacent linf 1
private 0*eps for all N
x <- Lap(eps, q[1])
m <- out[2]
out[1] <- x
z <- out[m]
out[1] <- 0
"""
    found = proved(text, N=2)
    assert isinstance(found, Open) and found.least is not None
    assert found.least.low == 0


@pytest.mark.parametrize("distance", ["1000000000", "10^30"])
def test_changes_of_integers_are_not_listed_without_end(distance: str) -> None:
    text = f"""param N = 2
input q[N] in integers
output o in {{0, 1}} = 0
adjacent linf {distance}
private {distance}*eps
x <- DLap(eps, q[1])
if x > 0 then o <- 1 end
"""
    found = proved(text)
    assert isinstance(found, Open)
    assert "too many to look at" in found.reason


def test_inputs_that_all_go_down_are_neighbours_too() -> None:
    text = """param N = 1
input q[N] in reals
output o in {bot, top} = bot
adjacent forall i in 1..N: 0 <= q'[i] - q[i] and q'[i] - q[i] <= 1
private eps for all N
r <- LapPlus(eps, -q[1])
if r >= 0 then o <- top end
"""
    assert isinstance(proved(text), BrokenFrom)


def test_a_sample_of_two_sides_is_also_less_than_its_mean() -> None:
    text = "r <- Lap(eps, 0)\nif r < 0 then if q[1] >= 1/2 then o <- 1 end end\n"
    assert isinstance(proved(BOUNDED + text), BrokenFrom)


SVT = "z <- Lap(eps/2, 0)\nfor i in 1..N do\n  x <- {}\n  if x > z then out[i] <- 1; exit end\nend"
TELLING = {
    "cells in the other order": ("linf 1", SVT.format("Lap(eps/4, q[N + 1 - i])"), 3, "3/4", "1"),
    "a cell by its number, and in its round": (
        "l1 1",
        "x <- Lap(eps, q[1])\nfor i in 1..N do\n"
        "  if x > 0 then y <- Lap(eps, q[i]); out[i] <- disc(y, 0, 1) end\nend",
        *(1, "2", "2"),
    ),
    "one round of a second loop": (
        "hamming 1",
        "for i in 1..N do y <- Lap(eps, q[i]); out[i] <- disc(y, 0, 1) end\n"
        "for i in 1..N do if i = 2 then x <- Lap(eps, q[i]); o <- disc(x, 0, 1) end end",
        *(2, "2", "2"),
    ),
    "two loops over fewer and fewer cells": (
        "l1 1",
        "for i in 1..2 do for j in 1..N do\n"
        "  if j >= i then x <- Lap(eps/4, q[j]); if x > 1 then out[j] <- 1; exit end end\nend end",
        *(2, "1/2", "1/2"),
    ),
    "a remainder that is asked for twice": (
        "linf 1",
        "m <- 0\nfor i in 1..N do\n  if mod(i, 2) = 0 then m <- 1 end\n  if mod(i, 2) = 1 and m = 1 then\n"
        "    x <- Lap(eps, q[i]); out[i] <- disc(x, 0, 1); exit\n  end\nend",
        *(3, "1", "1"),
    ),
    "noise of all rounds in the best one": (
        "linf 1",
        "z <- Lap(eps/2, 0); best <- 0; w <- 0\nfor i in 1..N do\n  r <- Lap(eps/2, q[i])\n"
        "  if r + z > best then best <- r + z; w <- i end\nend\no <- w",
        *(2, "1", "1"),
    ),
    "two counters end the run": (
        "linf 1",
        "z <- Lap(eps/4, 0); n <- 0; m <- 0\nfor i in 1..N do\n  r <- Lap(eps/8, q[i])\n"
        "  if r > z then out[i] <- 1; n <- n + 1; if n >= 2 then exit end\n"
        "  else m <- m + 1; if m >= 2 then o <- 3; exit end end\nend",
        *(3, "3/8", "3/8"),
    ),
    "a threshold drawn again in a branch": (
        "linf 1",
        "z <- Lap(eps/2, 0); n <- 0\nfor i in 1..N do\n  r <- Lap(eps/4, q[i])\n  if r > z then\n"
        "    out[i] <- 1; n <- n + 1; if n >= 2 then exit end; z <- Lap(eps/2, 0)\n  end\nend",
        *(3, "3/4", "2"),
    ),
    "a running total": (
        "l1 1",
        SVT.replace("for", "s <- 0\nfor").format("Lap(eps/4, s + q[i]); s <- s + q[i]"),
        *(2, "1/2", "1/2"),
    ),
    "variables that change places": (
        "linf 1",
        "x <- Lap(eps/2, q[1]); y <- Lap(eps/2, 0)\nfor i in 1..N do\n"
        "  z <- x; x <- y; y <- z\n  if x > y then out[i] <- 1 end\nend",
        *(1, "1/2", "1/2"),
    ),
    "two draws of scores": (
        "hamming 1",
        "o <- Exp(eps/2, v in {0, 1, 2}, v*q[1])\nout[1] <- Exp(eps/2, v in {0, 1}, -v*q[1])",
        *(1, "3/2", "3/2"),
    ),
    "multiples of integers are equal": (
        "linf 1",
        "x <- DLap(eps, q[1]); y <- DLap(eps, 0)\nif 2*x = 3*y then o <- 1 end",
        *(1, "1", "1"),
    ),
}


@pytest.mark.parametrize("name", TELLING)
def test_what_is_needed_at_a_size_is_at_most_what_is_proved(name: str) -> None:
    adjacency, body, size, least, t = TELLING[name]
    cells = "{0, 1}" if "hamming" in adjacency else "{-1, 0, 1}"  # a changed cell moves within its set
    outputs = "o in 0..9 = 0, out[N] in {0, 1, 2} = 0"
    head = f"param N = 2\ninput q[N] in {cells}\noutput {outputs}\nadjacent {adjacency}\nprivate eps\n"
    assert str(needed(head + body, size).low) == least
    assert str(proved_t(head + body)) == t
