"""The parametrized Markov chain of a program on one input, as an object that can be walked.

This is the paper's finite parametrized DTMC (Definition 5, Theorem 13) with dead variables dropped and
equal states merged; a ``while`` loop is one step, from its head to the states in which it is left.  The
probability of an edge is the mass that flows along it over the mass of its source: exact functions of eps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import dipc.views as views
from dipc.dipwhile.semantics.explore import Input
from dipc.dipwhile.semantics.run import Sweep
from dipc.dipwhile.semantics.state import Key, State
from dipc.dipwhile.semantics.step import Outcome, Stepper, Transition
from dipc.dipwhile.syntax.core import CoreProgram, Halt
from dipc.numbers.quotient import Quotient

if TYPE_CHECKING:
    import networkx


@dataclass(eq=False)
class Node:
    """A state of the chain.

    ``mass`` is the probability of ever being here, ``edges`` lead to the successors with their
    probabilities, ``outcome`` is what a final state outputs; ``ways`` are the transitions by which the state
    is reached, before they are merged into edges.
    """

    state: State
    mass: Quotient
    outcome: Outcome | None = None
    edges: list[tuple[Node, Quotient]] = field(default_factory=list)
    ways: list[tuple[Node, Transition]] = field(default_factory=list)

    def __str__(self) -> str:
        return str(self.state)


class Chain:
    """The nodes in the order of the program, the initial one first."""

    def __init__(self, program: CoreProgram, inputs: Input) -> None:
        self.nodes: list[Node] = []
        stepper = Stepper(program)
        nodes: dict[Key, Node] = {}
        for state, ways in Sweep(stepper, [stepper.start()], inputs):
            node = Node(state, stepper.mass(state.joint))
            if not node.mass:
                continue
            self.nodes.append(node)
            nodes[state.key] = node
            if isinstance(stepper.program.code[state.pc], Halt):
                node.outcome = stepper.outcome(state)
            flows: dict[Node, Quotient] = {}  # all transitions from one state are one edge
            for way in ways:
                source, flow = nodes.get(way.source.key), stepper.mass(way.transition.state.joint)
                if source is not None and flow:
                    node.ways.append((source, way.transition))
                    flows[source] = flows.get(source, Quotient.of(0)) + flow
            for source, flow in flows.items():
                source.edges.append((node, flow / source.mass))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled node by node: a chain is longer than what is pickled may be deep."""
        number = {node: i for i, node in enumerate(self.nodes)}
        rows = [
            (
                (node.state, node.mass, node.outcome),
                [(number[target], p) for target, p in node.edges],
                [(number[source], transition) for source, transition in node.ways],
            )
            for node in self.nodes
        ]
        return _restored, (rows,)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)

    def __repr__(self) -> str:
        edges = sum(len(node.edges) for node in self.nodes)
        final = sum(node.outcome is not None for node in self.nodes)
        return f"<Chain: {len(self)} states, {edges} edges, {final} final>"

    def _repr_html_(self) -> str:
        return views.html(self)

    def graph(self) -> networkx.DiGraph:
        """The chain as a networkx graph: nodes have ``label`` and ``mass``, edges ``probability``."""
        import networkx

        numbers = {id(node): i for i, node in enumerate(self.nodes)}
        graph = networkx.DiGraph()
        for i, node in enumerate(self.nodes):
            graph.add_node(i, label=str(node), mass=node.mass, outcome=node.outcome)
        for i, node in enumerate(self.nodes):
            graph.add_edges_from((i, numbers[id(target)], {"probability": p}) for target, p in node.edges)
        return graph


def _restored(rows: list[Any]) -> Chain:
    """The chain of some nodes, with the numbers of their neighbours."""
    chain = Chain.__new__(Chain)
    chain.nodes = nodes = [Node(*node) for node, _, _ in rows]
    for node, (_, edges, ways) in zip(nodes, rows, strict=True):
        node.edges = [(nodes[i], p) for i, p in edges]
        node.ways = [(nodes[i], transition) for i, transition in ways]
    return chain
