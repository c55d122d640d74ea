"""The least cost of single runs, and the run of an automaton without cycles that costs most."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from flint import fmpq

from dipc.clock import Clock
from dipc.dipwhile.allsizes.automaton import Automaton
from dipc.dipwhile.allsizes.linear import NoShift, cost_of_run, relaxed
from dipc.models.graph import reachable


@dataclass(frozen=True, slots=True)
class Dearest:
    """The run, as numbers of edges, with the greatest cost; None: no shift exists, its cost is infinite."""

    cost: fmpq | None
    run: tuple[int, ...]


def run_value(automaton: Automaton, run: Sequence[int]) -> fmpq | None:
    """The :func:`cost_of_run` of one run, given by the numbers of its edges."""
    return cost_of_run(automaton.edges[i] for i in run)


def layered_value(automaton: Automaton, clock: Clock) -> Dearest:
    """The greatest :func:`run_value` over all runs of an automaton without cycles.  Branch and bound.

    All edges together are an upper bound for each of their runs.  The branches are the edges that leave one
    place, which a run passes at most once; the branch with the greatest bound is the next.
    """
    waiting = [_Bound.of(automaton, range(len(automaton.edges)))]
    best: Dearest | None = None
    done = 0
    while True:
        clock.tick("runs", done := done + 1)
        node = waiting.pop(max(range(len(waiting)), key=lambda n: waiting[n].rank))
        run = node.run(automaton)
        value = run_value(automaton, run)
        if best is None or rank(value) > rank(best.cost):
            best = Dearest(value, run)
        if rank(best.cost) >= node.rank:
            return best
        waiting += (_Bound.of(automaton, edges) for edges in node.branches(automaton))


def rank(cost: fmpq | None) -> tuple[bool, fmpq]:
    """Costs in order, infinity (None) last."""
    return cost is None, cost or fmpq(0)


@dataclass(frozen=True, slots=True)
class _Bound:
    """Some edges, those that can be reached, from the start on; no run of them costs more than ``cost``."""

    edges: tuple[int, ...]
    cost: fmpq | None
    carrying: frozenset[int]

    @classmethod
    def of(cls, automaton: Automaton, edges: Collection[int]) -> _Bound:
        kept = reached(automaton, edges)
        found = relaxed([automaton.edges[i] for i in kept], automaton.start)
        positions = found.edges if isinstance(found, NoShift) else found.carrying
        cost = None if isinstance(found, NoShift) else found.cost
        return cls(kept, cost, frozenset(kept[i] for i in positions))

    @property
    def rank(self) -> tuple[bool, fmpq]:
        return rank(self.cost)

    def leaving(self, automaton: Automaton) -> dict[int, list[int]]:
        """The edges that leave each place, those that carry the cost first."""
        found: dict[int, list[int]] = {}
        for i in sorted(self.edges, key=lambda i: i not in self.carrying):
            found.setdefault(automaton.edges[i].source, []).append(i)
        return found

    def run(self, automaton: Automaton) -> tuple[int, ...]:
        """The run that carries the cost, as far as one does."""
        leaving, place, run = self.leaving(automaton), automaton.start, []
        while ways := leaving.get(place):
            run.append(ways[0])
            place = automaton.edges[ways[0]].target
        return tuple(run)

    def branches(self, automaton: Automaton) -> Iterator[list[int]]:
        """Only one of the edges that leave a place, for each of them."""
        ways = max(
            self.leaving(automaton).values(),
            key=lambda ways: (min(len(ways), 2), sum(i in self.carrying for i in ways)),
        )
        for i in ways:
            yield [j for j in self.edges if j == i or j not in ways]


def reached(automaton: Automaton, edges: Collection[int]) -> tuple[int, ...]:
    """The edges that a run of these edges can take, in their order."""
    rows: list[list[tuple[int, int]]] = [[] for _ in automaton.places]
    for i in edges:
        rows[automaton.edges[i].source].append((automaton.edges[i].target, i))
    seen = reachable(rows, [automaton.start])
    return tuple(i for i in edges if automaton.edges[i].source in seen)
