"""Running a program: the one driver of the transition relation.

:func:`transitions` are the steps out of one state, a whole ``while`` loop being one step.  :class:`Sweep`
follows them all at once and merges equal states.  The instructions are executed in the order of the program
(the least place first), so that all states that can meet do meet before they go on.

The explorer (all inputs), the chain (one input) and its drawing look at a sweep; the paths of an explanation
follow the transitions one by one, because nothing may be merged there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from dipc.dipwhile.semantics.loops import run_loop
from dipc.dipwhile.semantics.state import State, merged
from dipc.dipwhile.semantics.step import Stepper, Transition
from dipc.dipwhile.syntax.core import Cell, Test
from dipc.models.values import Value


def transitions(stepper: Stepper, state: State, inputs: Mapping[Cell, Value]) -> list[Transition]:
    """The steps out of a state, not merged; none at a Halt.

    Raises :class:`InputError`, :class:`LimitReached`, and
    :class:`~dipc.dipwhile.semantics.evaluate.InputNeeded` if an input cell has no value.
    """
    instruction = stepper.program.code[state.pc]
    if isinstance(instruction, Test) and instruction.is_loop:
        return run_loop(stepper, state, inputs)
    stepper.count(1)
    return [stepper.after(state, move) for move in stepper.moves(state, inputs)]


class Way(NamedTuple):
    """A transition and the state that it comes from."""

    source: State
    transition: Transition


class Visit(NamedTuple):
    """A state that is reached, with all the ways that lead to it; none at the start."""

    state: State
    ways: list[Way]


class Sweep:
    """All runs from some states on.  Iterating gives every visit before it is executed.

    When a state needs an input cell, :class:`~dipc.dipwhile.semantics.evaluate.InputNeeded` is raised and
    ``rest`` are the states that have to go on from there.
    """

    def __init__(self, stepper: Stepper, states: Iterable[State], inputs: Mapping[Cell, Value]) -> None:
        self._stepper = stepper
        self._inputs = inputs
        self._waiting: dict[int, list[tuple[State, Way | None]]] = {}
        for state in states:
            self._add(state, None)

    def __iter__(self) -> Iterator[Visit]:
        waiting = self._waiting
        while waiting:
            pc = min(waiting)
            present = _visits(waiting[pc])
            yield from present
            ways = [
                Way(state, transition)
                for state, _ in present
                for transition in transitions(self._stepper, state, self._inputs)
            ]
            del waiting[pc]
            for way in ways:
                if way.transition.state.joint:
                    self._add(way.transition.state, way)

    @property
    def rest(self) -> tuple[State, ...]:
        """The states that wait, merged, in the order of the program."""
        return tuple(state for pc in sorted(self._waiting) for state, _ in _visits(self._waiting[pc]))

    def _add(self, state: State, way: Way | None) -> None:
        self._waiting.setdefault(state.pc, []).append((state, way))


def _visits(arrivals: list[tuple[State, Way | None]]) -> list[Visit]:
    """Equal states as one visit, in order of first appearance."""
    return [Visit(state, [way for way in ways if way is not None]) for state, ways in merged(arrivals)]
