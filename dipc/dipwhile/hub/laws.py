"""The probability of every output as a function of the input, without exploring: from shapes to diagrams.

The probability depends on how many cells with the same roles have which value
(:mod:`dipc.dipwhile.hub.shapes`).  So the cells of an output are read in their order, and prefixes with the
same numbers lead to one node.  What is asked about the laws afterwards is asked as always.
"""

from __future__ import annotations

from collections.abc import Sequence

from dipc.clock import Tick
from dipc.dipwhile.hub.conditions import Unfit
from dipc.dipwhile.hub.shapes import Cells, Roles, Shape, Shapes
from dipc.dipwhile.hub.symbolic import Execution
from dipc.dipwhile.semantics.adjacency import InputSpace
from dipc.dipwhile.semantics.diagrams import Diagrams
from dipc.dipwhile.semantics.step import LeftOpen, Outcome

MOST = 100_000  # probabilities of runs to put together, for all outputs

Read = frozenset[
    tuple[tuple[Roles, int], int]
]  # how many cells with these roles have the value at this place


def found(space: InputSpace, tick: Tick) -> HubFunctions | None:
    """The functions of a program; None if it is not of the class, or if they take long."""
    try:
        return None if space.program.unit else HubFunctions(space, tick)
    except Unfit:
        return None


class HubFunctions:
    """The outcomes and their functions.  Raises :class:`Unfit`."""

    def __init__(self, space: InputSpace, tick: Tick) -> None:
        self._space, self._tick = space, tick
        self._shapes = shapes = Shapes(space, Execution(space, tick))
        self.left_open: LeftOpen = shapes.left_open
        self.outcomes = frozenset(shapes.outcomes)
        self._layers: dict[Outcome, list[dict[Read, None]]] = {}
        rest = MOST
        for outcome, (shape, cells) in zip(shapes.outcomes, shapes.of, strict=True):
            layers: list[dict[Read, None]] = [{frozenset(): None}]
            for place, roles in _in_order(shape, cells):
                tick()
                values = range(len(space.domains[place]))
                layers.append({_further(read, roles, k): None for read in layers[-1] for k in values})
                if len(layers[-1]) * len(shape.runs) > rest:
                    raise Unfit
            rest -= len(layers[-1]) * len(shape.runs)
            self._layers[outcome] = layers
        shapes.check_totals(space)

    def function(self, outcome: Outcome, diagrams: Diagrams) -> int:
        """The probability of an outcome as a node of ``diagrams``."""
        shape, cells = self._shapes.of[self._shapes.outcomes.index(outcome)]
        *layers, last = self._layers[outcome]
        below: dict[Read, int] = {}
        for read in last:
            self._tick()
            assigned = ((roles, value, number) for (roles, value), number in read)
            below[read] = diagrams.leaf(self._shapes.probability(shape, assigned))
        for layer, (place, roles) in zip(reversed(layers), reversed(_in_order(shape, cells)), strict=True):
            values = range(len(self._space.domains[place]))
            below = {
                read: diagrams.choice(place, [below[_further(read, roles, k)] for k in values])
                for read in layer
            }
        return below[frozenset()]


def _in_order(shape: Shape, cells: Sequence[Cells]) -> list[tuple[int, Roles]]:
    """The cells with roles, in the order of the input."""
    groups = zip(shape.cells, cells, strict=True)
    return sorted((place, roles) for (roles, _), own in groups for place in own)


def _further(read: Read, roles: Roles, value: int) -> Read:
    """One more cell with these roles has the value."""
    number = dict(read)
    number[roles, value] = number.get((roles, value), 0) + 1
    return frozenset(number.items())
