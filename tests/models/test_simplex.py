"""Linear programs: every answer is a proof, checked by multiplication."""

from __future__ import annotations

from random import Random

import pytest
from flint import fmpq

from dipc.models.simplex import CONSTANT, Infeasible, Row, least

ZERO = fmpq(0)


def random_program(seed):
    random = Random(seed)
    wide = random.randint(1, 6)
    free = {j for j in range(wide) if random.random() < 0.4}

    def row():
        chosen = random.sample(range(wide), random.randint(0, min(wide, 3)))
        return {j: fmpq(random.choice((1, 2, -1, -2))) for j in [*chosen, CONSTANT] if random.random() < 0.9}

    rows = [Row(row(), random.random() < 0.3) for _ in range(random.randint(0, 8))]
    costs = [{j: fmpq(random.randint(0, 2)) for j in range(wide) if j not in free} for _ in range(2)]
    return rows, costs, free, wide


def combined(rows, factors):
    total = {}
    for row, factor in zip(rows, factors, strict=True):
        for j, a in row.terms.items():
            total[j] = total.get(j, ZERO) + factor * a
    return total


def at(terms, values):
    return sum((a * (values | {CONSTANT: fmpq(1)}).get(j, ZERO) for j, a in terms.items()), ZERO)


@pytest.mark.parametrize("seed", range(400))
def test_every_answer_is_a_proof(seed):
    rows, costs, free, wide = random_program(seed)
    found = least(rows, costs, free, dense=bool(seed % 2))
    assert all(y >= 0 for row, y in zip(rows, found.multipliers, strict=True) if not row.equal)
    total = combined(rows, found.multipliers)
    if isinstance(found, Infeasible):
        assert total.get(CONSTANT, ZERO) < 0
        assert all(total.get(j, ZERO) == 0 if j in free else total.get(j, ZERO) <= 0 for j in range(wide))
        return
    assert all(x >= 0 for j, x in found.values.items() if j not in free)
    for row in rows:
        assert at(row.terms, found.values) == 0 if row.equal else at(row.terms, found.values) >= 0
    assert found.cost == at(costs[0], found.values) == -total.get(CONSTANT, ZERO)
    left = {j: costs[0].get(j, ZERO) - total.get(j, ZERO) for j in range(wide)}
    assert all(left[j] == 0 if j in free else left[j] >= 0 for j in range(wide))


@pytest.mark.parametrize("seed", range(100))
def test_the_second_costs_choose_among_the_first(seed):
    rows, costs, free, _ = random_program(seed)
    found = least(rows, costs, free)
    if not isinstance(found, Infeasible):
        first = Row({j: -c for j, c in costs[0].items()} | {CONSTANT: found.cost})
        assert least([*rows, first], [costs[1]], free).cost == at(costs[1], found.values)
