"""Conditions that contradict each other: against points of a grid, and with those that have nothing to do."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from flint import fmpq

from dipc.dipwhile.allsizes.feasible import Condition, at, connected, contradictory
from dipc.dipwhile.allsizes.values import Symbol, linear

SYMBOLS = [Symbol("public", name) for name in "abcd"]
GRID = [dict(zip(SYMBOLS, map(fmpq, point), strict=True)) for point in product(range(-2, 3), repeat=4)]


def some(random: Random) -> list[Condition]:
    """Conditions on one or two of the symbols."""
    found = []
    for _ in range(random.randint(2, 6)):
        terms = {s: fmpq(random.choice((-2, -1, 1, 2))) for s in random.sample(SYMBOLS, random.randint(1, 2))}
        value = linear(terms, fmpq(random.randint(-3, 3)))
        found.append(Condition(value, *random.choice(((False, False), (True, False), (False, True)))))
    return found


def holds(condition: Condition, point: dict[Symbol, fmpq]) -> bool:
    number = at(condition.value, point)
    return bool(number == 0 if condition.equal else number > 0 or (number == 0 and not condition.strict))


@pytest.mark.parametrize("seed", range(60))
def test_contradictions(seed: int) -> None:
    first, *others = conditions = some(Random(seed))
    if any(all(holds(c, point) for c in conditions) for point in GRID):
        assert not contradictory(conditions)
    related = connected(first, others)
    assert first in related and {*related} <= {*conditions}
    assert contradictory(conditions) == (contradictory(others) or contradictory(related))
