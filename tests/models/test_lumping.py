"""The coarsest bisimulation, against plain refinement."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random

import pytest
from dpctl.random_chains import random_chain
from flint import fmpq

from dipc.models.chain import Row
from dipc.models.lumping import bisimulation


def refined(rows: list[dict[int, Fraction]], marks: list[object]) -> list[object]:
    """Split by what each state sends to each class, until nothing changes."""
    classes = [marks.index(mark) for mark in marks]
    while True:
        seen = []
        for s, row in enumerate(rows):
            sums: dict[int, Fraction] = {}
            for t, p in row.items():
                sums[classes[t]] = sums.get(classes[t], Fraction(0)) + p
            seen.append((classes[s], sorted(sums.items())))
        new = [seen.index(each) for each in seen]
        if len(set(new)) == len(set(classes)):
            return new
        classes = new


@pytest.mark.parametrize("seed", range(100))
def test_plain_refinement_agrees(seed: int) -> None:
    rng = Random(seed)
    chain = random_chain(rng, 16)
    marks = [rng.random() < 0.2 for _ in chain.rows]
    compare(chain.rows, marks)
    half, n = fmpq(1, 2), 30  # few different probabilities: large classes
    rows = [tuple((t, half) for t in rng.sample(range(n), 2)) for _ in range(n)]
    compare(rows, [rng.randrange(6) == 0 for _ in rows])
    compare([*rows, *rows, *rows], [s % n == 0 for s in range(3 * n)])


def compare(rows: Sequence[Row[fmpq]], marks: list[object]) -> None:
    plain = [{t: Fraction(int(p.p), int(p.q)) for t, p in row} for row in rows]
    found, expected = bisimulation(rows, marks), refined(plain, marks)
    pairs = set(zip(found, expected, strict=True))
    assert len(pairs) == len(set(found)) == len(set(expected)) == max(found) + 1


def test_symmetric_chains_become_small() -> None:
    """A counter of coins, each coin a state of its own: 2^9 states in 10 classes and the last one."""
    half, coins = fmpq(1, 2), 9
    rows = []
    for s in range(2 ** (coins + 1) - 1):
        children = [2 * s + 1, 2 * s + 2]
        last = children[0] >= 2 ** (coins + 1) - 1
        rows.append([(s, fmpq(1))] if last else [(t, half) for t in children])
    classes = bisimulation(rows, ["" for _ in rows])
    assert set(classes) == {0}  # nothing to tell apart
    depth = [(s + 1).bit_length() for s in range(len(rows))]
    marks = [d > coins for d in depth]
    assert len(set(bisimulation(rows, marks))) == coins + 1
