"""Linear programs, solved exactly: the dual simplex method on sparse rows of fractions, with Bland's rule.

Slack form: every row ``w = constant + sum of a_j x_j`` expresses a basic variable in the others, which are 0.
Variables that may be negative are first exchanged for the slacks of rows.  No cost is negative, so that all
variables at 0 are the best choice if no row is violated: each exchange repairs one violated row and keeps
the costs >= 0 (the dual method); no other phase is needed.  Bland's rule, the first violated row, never
cycles, so the loop ends without any tolerance.  Where rows are dense, it is better to repair the row violated
most as long as that raises the cost, and only then to follow Bland's rule: no basis returns either.

Each answer is a proof that can be checked by multiplication: a solution *is* the list of multipliers that was
asked for, and the multipliers of the rows show that no solution is cheaper, or that there is none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from flint import fmpq

Vector = Sequence[fmpq]
ZERO, ONE = fmpq(0), fmpq(1)

Terms = dict[int, fmpq]
CONSTANT = -1
"""The key of the constant in the terms of a row."""


class Row(NamedTuple):
    """``sum of terms[j] x_j + terms[CONSTANT] >= 0``, or ``= 0`` if ``equal``."""

    terms: Mapping[int, fmpq]
    equal: bool = False


class Least(NamedTuple):
    """The least cost, and the variables that are not 0 in a solution that has it.

    ``multipliers``, one for each row and >= 0 unless the row is an equation, prove that no solution is
    cheaper: ``costs - sum of multipliers[i] row_i`` is ``cost`` plus a sum of variables >= 0 with
    factors >= 0.
    """

    cost: fmpq
    values: dict[int, fmpq]
    multipliers: tuple[fmpq, ...]


class Infeasible(NamedTuple):
    """There is no solution: ``sum of multipliers[i] row_i`` is negative (Farkas).

    It is a negative number plus a sum of variables >= 0 with factors <= 0; the multipliers of inequalities
    are >= 0.
    """

    multipliers: tuple[fmpq, ...]


class Solution(NamedTuple):
    """The least cost, and the multipliers of the columns that have it."""

    cost: fmpq
    multipliers: tuple[fmpq, ...]


def least(
    rows: Sequence[Row],
    costs: Sequence[Mapping[int, fmpq]],
    free: Collection[int] = (),
    dense: bool = False,
) -> Least | Infeasible:
    """The least cost of a solution of ``rows``; among these the least by the second list of costs, and so on.

    Variables are numbered from 0 and >= 0.  Those in ``free`` may be negative and have no cost; the others
    have costs >= 0.  ``dense``: most rows have most variables, which only matters for the time it takes.

    >>> least([Row({0: ONE, 1: -ONE, CONSTANT: fmpq(-2)}), Row({1: ONE, CONSTANT: ONE})], [{0: ONE}], {1})
    Least(cost=1, values={0: 1, 1: -1}, multipliers=(1, 1))
    >>> least([Row({0: -ONE, CONSTANT: fmpq(-2)})], [])
    Infeasible(multipliers=(1,))
    """
    tableau = _Tableau.of(rows, costs, free)
    for j in sorted(free):
        tableau.exchange(j)
    if (violated := tableau.optimise(dense)) is not None:
        return Infeasible(tableau.farkas(*violated))
    return Least(tableau.cost, tableau.values(), tableau.multipliers(tableau.costs[0] if costs else {}))


@dataclass(slots=True)
class _Tableau:
    """``rows``: the basic variables, in terms of the others.

    The slack of row i is the variable ``first + i``; it is 0 if it is in ``zero``.
    """

    first: int
    count: int
    rows: dict[int, Terms]
    costs: list[Terms]
    zero: set[int]
    aside: list[tuple[int, Terms]] = field(default_factory=list)  # the variables that may be negative

    @classmethod
    def of(
        cls, rows: Sequence[Row], costs: Sequence[Mapping[int, fmpq]], free: Collection[int] = ()
    ) -> _Tableau:
        used = (max(row.terms, default=0) for row in rows)
        first = 1 + max((*used, *free, *(j for cost in costs for j in cost)), default=0)
        return cls(
            first,
            len(rows),
            {first + i: {j: a for j, a in row.terms.items() if a} for i, row in enumerate(rows)},
            [{j: c for j, c in cost.items() if c} for cost in costs],
            {first + i for i, row in enumerate(rows) if row.equal},
        )

    @property
    def cost(self) -> fmpq:
        return self.costs[0].get(CONSTANT, ZERO) if self.costs else ZERO

    def exchange(self, free: int) -> None:
        """Make a variable that may be negative basic, at the cost of the shortest row; then no row has it."""
        having = [i for i, row in self.rows.items() if free in row]
        if having:
            leaving = min(having, key=lambda i: (i not in self.zero, len(self.rows[i])))
            self.pivot(leaving, free)
            self.aside.append((free, self.rows.pop(free)))

    def optimise(self, dense: bool) -> tuple[int, bool] | None:
        """Repair violated rows; the first that cannot be repaired, and whether it is too big."""
        cautious = not dense
        while (leaving := self._violated(cautious)) is not None:
            row = self.rows[leaving]
            big = row[CONSTANT] > 0
            entering = [
                (tuple(cost.get(j, ZERO) / abs(a) for cost in self.costs), j)
                for j, a in row.items()
                if j != CONSTANT and (a < 0) is big and a and j not in self.zero
            ]
            if not entering:
                return leaving, big
            ratios, chosen = min(entering)
            cautious = not (dense and any(ratios))
            self.pivot(leaving, chosen)
        return None

    def _violated(self, cautious: bool) -> int | None:
        """A basic variable that is negative or should be 0: the worst, or the first if ``cautious``."""
        wrong = (i for i, row in self.rows.items() if (b := row.get(CONSTANT)) and (b < 0 or i in self.zero))
        return min(wrong, key=lambda i: (0 if cautious else -abs(self.rows[i][CONSTANT]), i), default=None)

    def pivot(self, leaving: int, entering: int) -> None:
        """Exchange a basic variable for one that is not."""
        row = self.rows.pop(leaving)
        factor = -1 / row.pop(entering)
        new = {j: a * factor for j, a in row.items()}
        new[leaving] = -factor
        for other in (*self.rows.values(), *self.costs):
            if (a := other.pop(entering, None)) is not None:
                added(other, new, a)
        self.rows[entering] = new

    def values(self) -> dict[int, fmpq]:
        """The variables of the program that are not 0."""
        found = {j: row.get(CONSTANT, ZERO) for j, row in self.rows.items()} | {CONSTANT: ONE}
        for j, row in reversed(self.aside):
            found[j] = sum((a * found[k] for k, a in row.items() if k in found), ZERO)
        return {j: found[j] for j in sorted(found) if found[j] and 0 <= j < self.first}

    def multipliers(self, of: Mapping[int, fmpq]) -> tuple[fmpq, ...]:
        return tuple(of.get(self.first + i, ZERO) for i in range(self.count))

    def farkas(self, leaving: int, big: bool) -> tuple[fmpq, ...]:
        sign = -ONE if big else ONE
        combined = {j: -sign * a for j, a in self.rows[leaving].items()}
        return self.multipliers(combined | {leaving: sign})


def added(row: Terms, other: Mapping[int, fmpq], factor: fmpq) -> None:
    """Add ``factor != 0`` times the other terms to a row, in place."""
    for j, a in other.items():
        old = row.get(j)
        if old is None:
            row[j] = a * factor
        elif new := old + a * factor:
            row[j] = new
        else:
            del row[j]


def minimum(columns: Sequence[Vector], target: Vector, costs: Vector) -> Solution | None:
    """The least ``costs . x`` with ``sum of x_j columns_j = target`` and x >= 0; None if there is no such x.

    The costs are >= 0, so that the least one exists.

    >>> minimum([[fmpq(1), ONE], [ONE, ZERO], [ZERO, ONE]], [fmpq(2), fmpq(3)], [fmpq(5), ONE, ONE])
    Solution(cost=5, multipliers=(0, 2, 3))
    >>> minimum([[ONE, ONE]], [ONE, fmpq(2)], [ONE]) is None
    True
    """
    rows = [
        Row({j: column[i] for j, column in enumerate(columns)} | {CONSTANT: -b}, True)
        for i, b in enumerate(target)
    ]
    ones = dict.fromkeys(range(len(columns)), ONE)  # without ties, every exchange raises the cost
    found = least(rows, [dict(enumerate(costs)), ones], dense=True)
    if isinstance(found, Infeasible):
        return None
    return Solution(found.cost, tuple(found.values.get(j, ZERO) for j in range(len(columns))))


def combination(columns: Sequence[Vector], target: Vector) -> tuple[fmpq, ...] | None:
    """Numbers x >= 0 with ``sum of x_j columns_j = target``, or None: is it in the cone of the columns?"""
    found = minimum(columns, target, [ZERO] * len(columns))
    return found and found.multipliers


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
