"""A question about every size with its program checked: what is asked from here on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dipc.clock import Clock
from dipc.dipwhile.allsizes.automaton import Automaton
from dipc.dipwhile.allsizes.build import build, system_of
from dipc.dipwhile.allsizes.front import Front, free_sizes, front, symbolic
from dipc.dipwhile.allsizes.question import Question
from dipc.dipwhile.allsizes.system import System
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.unroll import Constants
from dipc.errors import Source
from dipc.signs.eps_range import EpsRange


@dataclass(frozen=True, slots=True)
class Prepared:
    """A checked question: its automata, for every size or for one."""

    question: Question
    front: Front

    @property
    def budgets(self) -> EpsRange:
        """The range of eps in question."""
        return self.question.goal.budgets if self.question.goal else EpsRange.positive()

    def automaton(self, clock: Clock, sizes: Mapping[str, int] | None = None) -> Automaton:
        """The automaton for every size, or, layer by layer, for the given ones.

        Raises :class:`Unsupported` for what the method does not cover.
        """
        return build(*self._parts(sizes), clock)

    def system(self, sizes: Mapping[str, int] | None = None) -> System:
        """What all paths have in common, for every size or for given ones.  Raises :class:`Unsupported`."""
        return system_of(*self._parts(sizes))

    def _parts(
        self, sizes: Mapping[str, int] | None
    ) -> tuple[ast.Program, Source, Constants, frozenset[str], EpsRange]:
        front = self.front
        constants = dict(front.constants) if sizes is None else front.constants_at(sizes)
        program = front.program
        names = symbolic(program, free_sizes(program), {})
        return program, front.source, constants, names, self.budgets


def prepared(question: Question) -> Prepared:
    """Check the program.  Raises :class:`InputError` for what is wrong in it."""
    return Prepared(question, front(question.program, question.source, question.overrides))
