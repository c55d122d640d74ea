"""Conditions that contradict each other, against points of a grid, and how they order their symbols."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from flint import fmpq

from dipc.dipwhile.allsizes.feasible import Condition, contradictory, order
from dipc.dipwhile.allsizes.values import ONE, Symbol, linear, unknown

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
    value = condition.value
    number = sum((factor * point[s] for s, factor in value.terms), value.constant)
    return bool(number == 0 if condition.equal else number > 0 or (number == 0 and not condition.strict))


@pytest.mark.parametrize("seed", range(60))
def test_contradictions(seed: int) -> None:
    conditions = some(Random(seed))
    if any(all(holds(c, point) for c in conditions) for point in GRID):
        assert not contradictory(conditions)


@pytest.mark.parametrize("seed", range(60))
def test_an_order_holds_wherever_the_conditions_do(seed: int) -> None:
    conditions = some(Random(seed))
    facts = [*order(conditions, SYMBOLS[:3])]
    for point in GRID:
        if all(holds(c, point) for c in conditions):
            assert all(holds(fact, point) for fact in facts)


X, Y, Z = (Symbol("sample", name) for name in "xyz")
x, y, z = map(unknown, (X, Y, Z))


def test_the_order_of_some_symbols() -> None:
    """From x <= z < y: y > x, and no more about x and y."""
    conditions = [Condition(z.plus(x, -ONE)), Condition(y.plus(z, -ONE), strict=True)]
    assert [*order(conditions, {X, Y})] == [Condition(y.plus(x, -ONE), strict=True)]
    assert [*order([Condition(y.plus(x, -ONE), equal=True)], {X, Y})] == [
        Condition(x.plus(y, -ONE)),
        Condition(y.plus(x, -ONE)),
    ]
