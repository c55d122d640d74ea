"""Graphs of states: can a part that is never left be reached?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dipc.errors import Span
from dipc.numbers.quotient import Quotient

if TYPE_CHECKING:
    import networkx


@dataclass(frozen=True, slots=True)
class Loop:
    """The graph of one pass through a loop, kept to find where vanishing probabilities make it endless."""

    head: int
    edges: tuple[tuple[int, int, Quotient], ...]
    exits: frozenset[int]
    span: Span

    def never_ends_without(self, vanishing: Iterable[Quotient]) -> bool:
        """Whether a part that is never left can be reached where these probabilities are 0."""
        import networkx

        gone = set(vanishing)
        graph: networkx.DiGraph = networkx.DiGraph()
        graph.add_node(self.head)
        graph.add_edges_from((s, t) for s, t, p in self.edges if p not in gone)
        reached = {self.head} | networkx.descendants(graph, self.head)
        backwards = graph.reverse(copy=False)
        leaving = set(self.exits & reached)
        for node in self.exits & reached:
            leaving |= networkx.descendants(backwards, node)
        return not reached <= leaving
