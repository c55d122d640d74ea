"""Boxes in layers from top to bottom, for drawings of small chains without Graphviz.

A layer is a topological generation (networkx), so arrows point down.  An arrow over several layers is led
through a narrow gap in each of them.  Inside a layer boxes are ordered by where their neighbours are, and
then moved towards these as far as others leave room.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dipc.export.drawing import Drawing

SWEEPS = 20

Place = int | tuple[int, int]  # a box, or the gap of an arrow in a layer


@dataclass(frozen=True, slots=True)
class Layout:
    """Layers of places from left to right, the middle of each, and the places that every arrow visits."""

    layers: tuple[tuple[Place, ...], ...]
    middle: dict[Place, float]
    ways: tuple[tuple[Place, ...], ...]


def layout(content: Drawing, widths: Sequence[float], gap: float) -> Layout:
    """The places of boxes with the given widths, ``gap`` apart."""
    import networkx

    graph = networkx.DiGraph((arrow.source, arrow.target) for arrow in content.arrows)
    graph.add_nodes_from(range(len(content.boxes)))
    generations = [sorted(layer) for layer in networkx.topological_generations(graph)]
    level = {box: depth for depth, layer in enumerate(generations) for box in layer}
    ways: list[tuple[Place, ...]] = []
    for number, arrow in enumerate(content.arrows):
        between = range(level[arrow.source] + 1, level[arrow.target])
        ways.append((arrow.source, *((number, depth) for depth in between), arrow.target))
    finer = networkx.DiGraph(pair for way in ways for pair in pairwise(way))
    finer.add_nodes_from(graph)
    first = {place: i for i, place in enumerate(networkx.dfs_preorder_nodes(finer, 0))}
    layers = [sorted(layer, key=first.__getitem__) for layer in networkx.topological_generations(finer)]
    above = {place: list(finer.predecessors(place)) for place in finer}
    below = {place: list(finer.successors(place)) for place in finer}
    _ordered(layers, above, below)
    room = {place: widths[place] if isinstance(place, int) else gap for place in finer}
    middle = _placed(layers, above, below, room, gap)
    return Layout(tuple(map(tuple, layers)), middle, tuple(ways))


def _ordered(
    layers: list[list[Place]], above: dict[Place, list[Place]], below: dict[Place, list[Place]]
) -> None:
    """Sort layers by the mean position of what their places are joined to, down and up."""
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for layer in layers if down else reversed(layers):
            rank = {place: i for row in layers for i, place in enumerate(row)}
            joined = above if down else below
            layer.sort(key=lambda p: _mean((rank[q] for q in joined[p]), rank[p]))


def _placed(
    layers: list[list[Place]],
    above: dict[Place, list[Place]],
    below: dict[Place, list[Place]],
    room: dict[Place, float],
    gap: float,
) -> dict[Place, float]:
    """The middles: every place as near to those it is joined to as the order allows."""
    middle: dict[Place, float] = {}
    for layer in layers:
        middle |= _spread(layer, dict.fromkeys(layer, 0.0), room, gap)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for layer in layers if down else reversed(layers):
            joined = above if down else below
            wished = {p: _mean((middle[q] for q in joined[p]), middle[p]) for p in layer}
            middle |= _spread(layer, wished, room, gap)
    return middle


@dataclass
class _Block:
    """Places side by side, with where each would like the left end of the block to be."""

    places: list[Place]
    wishes: list[float]
    width: float

    @property
    def left(self) -> float:
        """Where the left end is put: at the mean of the wishes."""
        return sum(self.wishes) / len(self.wishes)


def _spread(
    layer: Sequence[Place], wished: dict[Place, float], room: dict[Place, float], gap: float
) -> dict[Place, float]:
    """The middles nearest to the wishes that keep the order and the gap (pool adjacent violators)."""
    blocks: list[_Block] = []
    for place in layer:
        block = _Block([place], [wished[place] - room[place] / 2], room[place])
        while blocks and blocks[-1].left + blocks[-1].width + gap > block.left:
            before = blocks.pop()
            shift = before.width + gap
            block = _Block(
                [*before.places, *block.places],
                [*before.wishes, *(wish - shift for wish in block.wishes)],
                shift + block.width,
            )
        blocks.append(block)
    middle = {}
    for block in blocks:
        left = block.left
        for place in block.places:
            middle[place] = left + room[place] / 2
            left += room[place] + gap
    return middle


def _mean(values: Iterable[float], otherwise: float) -> float:
    found = list(values)
    return sum(found) / len(found) if found else otherwise
