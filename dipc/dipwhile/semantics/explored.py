"""A program together with what exploring it has found."""

from __future__ import annotations

from functools import partial

from dipc.clock import Clock
from dipc.dipwhile.semantics.adjacency import Distance, InputSpace
from dipc.dipwhile.semantics.explore import Explorer
from dipc.dipwhile.semantics.functions import OutputFunctions
from dipc.dipwhile.semantics.neighbours import ProductNeighbours
from dipc.dipwhile.semantics.step import LeftOpen
from dipc.dipwhile.syntax.core import CoreAdjacency, CoreProgram


class Explored:
    """A program for several questions: what does not depend on the claim is computed once, when it is needed.

    Whoever asks more than one question about a program keeps this object.
    """

    def __init__(self, program: CoreProgram) -> None:
        self.program = program
        self.space = InputSpace(program)
        self._walked: tuple[ProductNeighbours, LeftOpen] | None = None

    def neighbours(self, distance: CoreAdjacency, clock: Clock) -> tuple[ProductNeighbours, LeftOpen]:
        """All neighbours in the program's distance, and what that left open."""
        if self._walked is None:
            explorer = Explorer(self.program, clock.deadline)
            functions = OutputFunctions(explorer, self.space, partial(clock.tick, "output distributions"))
            walked = ProductNeighbours(self.space, Distance(self.space, distance), functions)
            self._walked = walked, explorer.left_open
        return self._walked
