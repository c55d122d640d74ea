"""Linear programs, solved exactly: the simplex method on a tableau of fractions, with Bland's rule.

Bland's rule never cycles, so the loop ends without any tolerance.  The solution is a proof that can be
checked by multiplication: it *is* the list of multipliers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from flint import fmpq

Vector = Sequence[fmpq]
ZERO, ONE = fmpq(0), fmpq(1)


class Solution(NamedTuple):
    """The least cost, and the multipliers of the columns that have it."""

    cost: fmpq
    multipliers: tuple[fmpq, ...]


def minimum(columns: Sequence[Vector], target: Vector, costs: Vector) -> Solution | None:
    """The least ``costs . x`` with ``sum of x_j columns_j = target`` and x >= 0; None if there is no such x.

    The costs are >= 0, so that the least one exists.

    >>> minimum([[fmpq(1), ONE], [ONE, ZERO], [ZERO, ONE]], [fmpq(2), fmpq(3)], [fmpq(5), ONE, ONE])
    Solution(cost=5, multipliers=(0, 2, 3))
    >>> minimum([[ONE, ONE]], [ONE, fmpq(2)], [ONE]) is None
    True
    """
    size, wide = len(target), len(columns)
    rows = [_row(columns, target, i) for i in range(size)]
    basis = list(range(wide, wide + size))  # the artificial variables, which have no columns in the tableau
    _optimise(rows, basis, [-sum((row[j] for row in rows), ZERO) for j in range(wide + 1)])
    if any(row[-1] for row, j in zip(rows, basis, strict=True) if j >= wide):
        return None
    _expel(rows, basis, wide)
    _optimise(rows, basis, _reduced(rows, basis, costs))
    values = dict(zip(basis, (row[-1] for row in rows), strict=True))
    multipliers = tuple(values.get(j, ZERO) for j in range(wide))
    return Solution(sum((c * x for c, x in zip(costs, multipliers, strict=True)), ZERO), multipliers)


def combination(columns: Sequence[Vector], target: Vector) -> tuple[fmpq, ...] | None:
    """Numbers x >= 0 with ``sum of x_j columns_j = target``, or None: is it in the cone of the columns?"""
    found = minimum(columns, target, [ZERO] * len(columns))
    return found and found.multipliers


def _row(columns: Sequence[Vector], target: Vector, i: int) -> list[fmpq]:
    row = [column[i] for column in columns] + [target[i]]
    return [-x for x in row] if target[i] < 0 else row


def _reduced(rows: list[list[fmpq]], basis: list[int], costs: Vector) -> list[fmpq]:
    reduced = [*costs, ZERO]
    for row, j in zip(rows, basis, strict=True):
        _subtract(reduced, row, costs[j])
    return reduced


def _optimise(rows: list[list[fmpq]], basis: list[int], reduced: list[fmpq]) -> None:
    """Pivot until no reduced cost is negative."""
    while (entering := next((j for j, x in enumerate(reduced[:-1]) if x < 0), None)) is not None:
        ratios = [(row[-1] / row[entering], basis[i], i) for i, row in enumerate(rows) if row[entering] > 0]
        leaving = min(ratios)[2]
        _pivot(rows, basis, leaving, entering)
        _subtract(reduced, rows[leaving], reduced[entering])


def _expel(rows: list[list[fmpq]], basis: list[int], wide: int) -> None:
    """Replace the artificial variables left in the basis (they are zero), or drop their superfluous rows."""
    for i in reversed(range(len(rows))):
        if basis[i] < wide:
            continue
        entering = next((j for j in range(wide) if rows[i][j]), None)
        if entering is None:
            del rows[i], basis[i]
        else:
            _pivot(rows, basis, i, entering)


def _pivot(rows: list[list[fmpq]], basis: list[int], leaving: int, entering: int) -> None:
    pivot = rows[leaving][entering]
    rows[leaving] = [x / pivot for x in rows[leaving]]
    basis[leaving] = entering
    for i, row in enumerate(rows):
        if i != leaving:
            _subtract(row, rows[leaving], row[entering])


def _subtract(row: list[fmpq], other: list[fmpq], factor: fmpq) -> None:
    if factor:
        row[:] = [x - factor * y if y else x for x, y in zip(row, other, strict=True)]


def greatest_ratio(
    above: Vector, below: Vector, generators: Sequence[Vector]
) -> tuple[fmpq, tuple[fmpq, ...]] | None:
    """The least D with ``D below + sum of y_j generators_j >= above`` for some y >= 0, and these y.

    This is the dual of: the greatest (above . f)/(below . f) over all f >= 0 with generators_j . f <= 0.
    None if there is no such D (the ratio is not bounded).
    """
    size = len(above)
    slacks = [[-ONE if i == j else ZERO for i in range(size)] for j in range(size)]
    columns = [below, *generators, *slacks]
    found = minimum(columns, above, [ONE] + [ZERO] * (len(columns) - 1))
    return found and (found.cost, found.multipliers[1 : 1 + len(generators)])
