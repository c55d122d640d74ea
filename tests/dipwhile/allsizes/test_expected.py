"""What is known of the shipped programs and of a few others, for every size."""

from __future__ import annotations

import pytest
from campaigns import some
from flint import fmpq

from dipc.dipwhile.allsizes.verdict import BrokenFrom, Open, ProvedForAll
from tests.dipwhile.allsizes.asking import GAP, RANGE, SMART_SUM, proved

STREAMED = """
param N = 3
input q[N] in reals
output arg in 1..N
adjacent linf 1
private eps for all N
best <- 0
arg <- 1
for i in 1..N do
  query <- q[i]
  r <- Lap(eps/2, query)
  if i = 1 or r > best then best <- r; arg <- i end
end
"""
BRANCH = """
param N = 3
input q[N] in reals
output out[N] in {yes, no}
adjacent linf 1
private eps for all N
for i in 1..N do
  if q[i] >= 0 then out[i] <- yes else out[i] <- no end
end
"""
SECOND = """
param N = 3
input q[N] in {-1, 0, 1}
output out in 1..N
adjacent linf 1
private 2*eps
for i in 1..N do
  noisy[i] <- Lap(eps/2, q[i])
end
first <- argmax(noisy)
noisy[first] <- -100
out <- argmax(noisy)
"""


@pytest.mark.parametrize(
    ("program", "values", "least", "size"),
    [
        *(("svt1", {"c": c}, 1, size) for c, size in some(((1, 4), (2, 10), (3, 19), (16, 80)), 2)),
        *(("svt2", {"c": c}, 1, size) for c, size in some(((1, 4), (2, 10), (3, 15), (16, 80)), 2)),
        ("svt_bottoms", {}, 1, 4),
        ("svt_numeric", {}, 1, 4),
        ("nmax1", {}, 1, 2),
        ("nmax2", {}, 1, 2),
        ("noisy_max_first", {}, 1, 2),
        ("hist1", {}, 1, 1),
        ("prefix_sums", {}, 1, 1),
        ("partial_sum", {}, 1, 1),
        ("rand1", {}, 1, 1),
        ("exponential", {}, 1, 2),
        ("exponential_full", {}, 2, 2),
        (GAP, {}, 1, 4),
        (SMART_SUM, {}, 2, 2),
        (RANGE, {}, 1, 4),
        (STREAMED, {}, 1, 2),
    ],
)
def test_proved(program: str, values: dict[str, int], least: int, size: int) -> None:
    verdict = proved(program, None, **values)
    assert isinstance(verdict, ProvedForAll)
    assert verdict.least.low == least == verdict.least.high
    assert verdict.least.attained_at == size


@pytest.mark.parametrize(
    ("program", "values", "size", "least"),
    [
        ("svt3", {}, 3, None),
        ("svt3_quarter", {}, 5, None),
        ("svt4", {}, 2, fmpq(7, 4)),
        ("svt4", {"c": 2}, 2, fmpq(13, 4)),
        ("svt4", {"c": 3}, 2, fmpq(19, 4)),
        ("svt5", {}, 2, None),
        ("svt6", {}, 3, None),
        ("nmax3", {}, 3, None),
        ("nmax4", {}, 1, None),
        ("prefix_sums_wrong", {}, 2, None),
        ("partial_sum_wrong", {}, 1, fmpq(2)),
        (GAP.replace("r - rT", "r"), {}, 5, None),
        (BRANCH, {}, 1, None),
    ],
)
def test_violated(program: str, values: dict[str, int], size: int, least: fmpq | None) -> None:
    verdict = proved(program, None, **values)
    assert isinstance(verdict, BrokenFrom)
    assert (verdict.size, verdict.known_least) == (size, True)
    assert verdict.least.high == least
    assert least is None or verdict.least.exact


def test_without_noise_on_the_sums() -> None:
    text = SMART_SUM.replace("    e1 <- Lap(eps, 0)\n", "").replace(" + e1", "")
    verdict = proved(text)
    assert isinstance(verdict, BrokenFrom)
    assert (verdict.size, verdict.known_least, verdict.least.unbounded) == (2, True, True)
    assert verdict.violated.counterexample.infinite_loss


@pytest.mark.parametrize(
    ("program", "size", "least"),
    [("sparse", 4, False), ("hist2", 1, True), ("rand2", 1, True)],
)
def test_declared_inputs_that_violate_the_claim_refute_it(program: str, size: int, least: bool) -> None:
    """Where the method proves nothing, the exact engine may still know a counterexample."""
    verdict = proved(program)
    assert isinstance(verdict, BrokenFrom)
    assert (verdict.size, verdict.known_least) == (size, least)


ROUNDS = """
param N = 2
input q[N] in reals
output o[N] in {0, 1} = 0
adjacent linf 1
private eps for all N
n <- 0
for i in 1..N do
  if n = 5 then o[i] <- 1 end
  n <- n + 1
end
"""


@pytest.mark.parametrize(
    ("program", "reason", "checked"),
    [
        (ROUNDS, "`n` changes without bound", ""),
        ("noisy_max_random", "kept in `noisy`", "private for N = 1, 2"),
        (SECOND, "", "private for N = 1, 2"),
    ],
)
def test_undecided(program: str, reason: str, checked: str) -> None:
    verdict = proved(program)
    assert isinstance(verdict, Open)
    assert reason in verdict.reason
    assert verdict.checked.startswith(checked)
