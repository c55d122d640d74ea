"""Markov chains as graphs of networkx, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dipc.errors import InputError
from dipc.models.chain import DEAD, Mdp, Model
from dipc.models.names import as_declared

if TYPE_CHECKING:
    import networkx


def graph_of(model: Model) -> networkx.DiGraph:
    """The graph of a chain: nodes with ``labels``, edges with ``probability``, and attributes of the whole.

    Raises :class:`InputError` for a decision process.
    """
    import networkx

    if isinstance(model, Mdp):
        raise InputError("a decision process is not a graph: several actions lead from a state")
    names = tuple(map(as_declared, model.names))
    pairs = [(names[s], names[t]) for s, t in model.neighbours]
    graph: networkx.DiGraph = networkx.DiGraph(neighbours=pairs, start=[names[s] for s in model.start])
    for s, name in enumerate(names):
        graph.add_node(
            name, labels=[as_declared(label) for label, states in model.labels.items() if s in states]
        )
    for s, row in enumerate(model.rows):
        for t, p in row:
            graph.add_edge(names[s], names[t], probability=p)
    return graph


def parts_of(graph: networkx.DiGraph, probability: str) -> dict[str, Any]:
    """The ``rows``, ``labels``, ``neighbours`` and ``start`` states in a graph; final states have no row."""
    rows: dict[str, dict[str, Any]] = {}
    labels: dict[str, list[str]] = {}
    for s, attributes in graph.nodes(data=True):
        edges = {str(t): data[probability] for _, t, data in graph.out_edges(s, data=True)}
        if s != DEAD:
            rows[str(s)] = {} if list(edges) == [DEAD] else edges
        for label in attributes.get("labels", ()):
            labels.setdefault(label, []).append(str(s))
    whole = {name: graph.graph.get(name, ()) for name in ("neighbours", "start")}
    return {"rows": rows, "labels": labels, **whole}
