"""States of a Markov chain that nobody can tell apart: the coarsest bisimulation.

Source: Valmari and Franceschinis, *Simple O(m log n) time Markov chain lumping*, TACAS 2010.  States of one
class have the same initial mark and go to every class with the same probability, compared exactly.  So every
path formula over the marks has the same probability from all states of a class.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from dipc.clock import Tick, unlimited
from dipc.models.linear import N, Rows, increase


def bisimulation(rows: Rows[N], marks: Sequence[Hashable], tick: Tick = unlimited) -> list[int]:
    """The class of every state, numbered from 0.  The numbers of the rows are exact.

    >>> from flint import fmpq
    >>> half, one = fmpq(1, 2), fmpq(1)
    >>> rows = [[(2, half), (3, half)], [(3, one)], [(2, one)], [(3, one)]]
    >>> bisimulation(rows, ["", "", "end", "end"])
    [0, 0, 1, 1]
    """
    partition = _Partition(marks)
    before: list[list[tuple[int, N]]] = [[] for _ in rows]
    for s, row in enumerate(rows):
        for t, p in row:
            before[t].append((s, p))
    while partition.waiting:
        tick()
        weights: dict[int, N] = {}
        for t in partition.members[partition.waiting.pop()]:
            for s, p in before[t]:
                increase(weights, s, p)
        partition.split(weights)
    return partition.block


class _Partition:
    """Blocks of states; ``waiting`` are those that may still tell states of one block apart."""

    def __init__(self, marks: Iterable[Hashable]) -> None:
        numbers: dict[Hashable, int] = {}
        self.block = [numbers.setdefault(mark, len(numbers)) for mark in marks]
        self.members: list[set[int]] = [set() for _ in numbers]
        for s, number in enumerate(self.block):
            self.members[number].add(s)
        self.waiting = set(range(len(numbers)))

    def split(self, weights: dict[int, N]) -> None:
        """Separate states with different probabilities of going to one block; 0 where no weight is given."""
        touched: dict[int, dict[N, list[int]]] = {}
        for s, weight in weights.items():
            touched.setdefault(self.block[s], {}).setdefault(weight, []).append(s)
        for number, groups in touched.items():
            parts = sorted(groups.values(), key=len)
            if sum(map(len, parts)) == len(self.members[number]):
                parts.pop()  # the largest part keeps the number
            self._separate(number, parts)

    def _separate(self, number: int, parts: list[list[int]]) -> None:
        """Give each part a block of its own; the largest of all need not wait unless the whole did."""
        family = [number]
        for part in parts:
            self.members[number].difference_update(part)
            family.append(len(self.members))
            self.members.append(set(part))
            for s in part:
                self.block[s] = family[-1]
        if number not in self.waiting:
            family.remove(max(family, key=lambda b: len(self.members[b])))
        self.waiting.update(family)
