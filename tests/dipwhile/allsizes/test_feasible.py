"""Conditions that contradict each other, against points of a grid, and what follows from conditions."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from flint import fmpq

from dipc.dipwhile.allsizes.feasible import Condition, at, connected, consequences, contradictory
from dipc.dipwhile.allsizes.values import ONE, Symbol, linear, number, unknown

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


X, Y, Z = (Symbol("sample", name) for name in "xyz")
x, y, z = map(unknown, (X, Y, Z))


def test_facts_that_follow_from_others_are_left_out() -> None:
    """From 0 <= x <= z <= y: x >= 0 and y >= x, and no more about x and y."""
    conditions = [Condition(x), Condition(z.plus(x, -ONE)), Condition(y.plus(z, -ONE))]
    facts = {Condition(x), Condition(y.plus(x, -ONE))}
    assert {*consequences(conditions, {X, Y}, 9)} == facts
    assert {*consequences([*conditions, Condition(y.plus(number(ONE), ONE))], {X, Y}, 9)} == facts
