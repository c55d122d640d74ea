"""A program whose laws are found once for several questions: by integrals over hubs, or by exploration."""

from __future__ import annotations

import logging
from contextlib import nullcontext
from functools import cached_property, partial

import dipc.dipwhile.hub.laws as hub
from dipc.clock import Clock, processor_time
from dipc.dipwhile.semantics.adjacency import INSTEAD, InputSpace
from dipc.dipwhile.semantics.explore import Explorer
from dipc.dipwhile.semantics.functions import OutputFunctions
from dipc.dipwhile.semantics.neighbours import Functions, ProductNeighbours
from dipc.dipwhile.semantics.pairs import relation_of
from dipc.dipwhile.semantics.parts import Part, parts_of
from dipc.dipwhile.semantics.step import LeftOpen
from dipc.dipwhile.syntax.core import CoreAdjacency, CoreProgram
from dipc.excerpts import count_text

MANY = 10**12
"""Inputs: of more, those programs are explored whose inputs are soon told apart, as of a running sum."""
SOON = 3  # seconds of the processor
LONGER = "--time-limit SECONDS tries for longer"

LOG = logging.getLogger(__name__)


class Explored:
    """A program for several questions: what does not depend on the claim is computed once, when needed."""

    def __init__(self, program: CoreProgram) -> None:
        self.program = program
        self.space = InputSpace(program)
        self._walked: tuple[ProductNeighbours, LeftOpen] | None = None

    @cached_property
    def parts(self) -> list[tuple[Part, Explored]]:
        """The independent parts; those that are alike share what is explored."""
        parts = parts_of(self.program)
        known = {part.program: Explored(part.program) for part in parts}
        return [(part, known[part.program]) for part in parts]

    def neighbours(self, adjacency: CoreAdjacency, clock: Clock) -> tuple[ProductNeighbours, LeftOpen]:
        """All neighbours in the program, and what that left open."""
        if self._walked is None:
            relation = relation_of(self.space, adjacency, clock)
            endless = f"{count_text(self.space.size)} inputs have no end in sight ({INSTEAD}; {LONGER})"
            many = self.space.size > MANY and clock.deadline is None
            with processor_time(SOON, endless) if many else nullcontext():
                functions, left_open = self._functions(clock)
                walked = ProductNeighbours(functions, self.space, relation)
            self._walked = walked, left_open
        return self._walked

    def _functions(self, clock: Clock) -> tuple[Functions, LeftOpen]:
        """The probabilities of all outputs, by integrals over hubs or by exploration."""
        tick = partial(clock.tick, "output distributions")
        if (found := hub.found(self.space, tick)) is not None:
            LOG.info("shortcut: the laws by one integral over a hub each")
            return found, found.left_open
        explorer = Explorer(self.program, clock.deadline)
        return OutputFunctions(explorer, self.space, tick), explorer.left_open
