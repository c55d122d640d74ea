"""From a program to the output law of every input, sharing what inputs have in common.

Inputs are read lazily.  A **configuration** is what remains to be known after a prefix of the input
cells has been read: the states reached, with their densities, and those cells read so far that may
be read again.  It runs until a state asks for the next cell; the answer leads to the next
configuration.  Equal configurations are one object, so all inputs together form a small automaton:
for the sparse vector technique every permutation of a prefix leads to the same one.

The instructions are executed in the order of the program (the least place first), so that all states
that can meet do meet before they go on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from time import monotonic
from typing import NamedTuple

from dipc.dipwhile.semantics.evaluate import InputNeeded
from dipc.dipwhile.semantics.loops import successors
from dipc.dipwhile.semantics.state import State, merged
from dipc.dipwhile.semantics.step import Outcome, Stepper
from dipc.dipwhile.syntax.core import Cell, CoreProgram, Halt
from dipc.errors import InternalError, LimitReached, Span
from dipc.models.graph import Loop
from dipc.models.values import Value
from dipc.numbers.quotient import Quotient

Input = Mapping[Cell, Value]  # a value for every input cell
Law = dict[Outcome, Quotient]  # the output distribution; outcomes of probability 0 are left out

MAX_STEPS = 1_000_000


@dataclass(eq=False)
class Configuration:
    """``asks`` is the input cell read next, None when all states have halted."""

    asks: Cell | None
    states: tuple[State, ...]
    known: dict[Cell, Value]  # the cells read before that may be read again
    after: dict[Value, Arrival] = field(default_factory=dict)  # filled by :meth:`Explorer.after`


class Arrival(NamedTuple):
    """A configuration with the outcomes that were reached on the way from the one before."""

    emitted: Law
    configuration: Configuration


class LeftOpen(NamedTuple):
    """What depends on the budgets: numbers drawn with must be probabilities, and loops must end."""

    probabilities: dict[Quotient, tuple[Span, bool]]
    loops: list[Loop]


class Explorer:
    """All configurations of one program met so far.

    ``deadline`` is a value of :func:`time.monotonic` after which :class:`LimitReached` is raised.
    """

    def __init__(self, program: CoreProgram, deadline: float | None = None) -> None:
        self.stepper = Stepper(program)
        self.loops: list[Loop] = []  # the loops run through: that they end may depend on eps
        self._deadline = deadline
        self._steps = 0
        self._seen: dict[object, Configuration] = {}

    @property
    def left_open(self) -> LeftOpen:
        """Of all that was explored so far."""
        return LeftOpen(self.stepper.probabilities, self.loops)

    @cached_property
    def start(self) -> Arrival:
        """Where the program gets without any input."""
        return self._run([self.stepper.start()], {})

    def after(self, configuration: Configuration, value: Value) -> Arrival:
        """Where a configuration gets when the cell that it asks for has this value."""
        asked = configuration.asks
        assert asked is not None
        arrival = configuration.after.get(value)
        if arrival is None:
            arrival = self._run(list(configuration.states), {**configuration.known, asked: value})
            configuration.after[value] = arrival
        return arrival

    def law(self, inputs: Input) -> Law:
        """The exact output distribution on one input.

        Raises :class:`InputError` for what goes wrong in the program, :class:`LimitReached`, and
        :class:`InternalError` if the probabilities do not sum to 1: this is checked every time.
        """
        arrival = self.start
        law = dict(arrival.emitted)
        while (asked := arrival.configuration.asks) is not None:
            arrival = self.after(arrival.configuration, inputs[asked])
            for outcome, p in arrival.emitted.items():
                law[outcome] = law[outcome] + p if outcome in law else p
        law = {outcome: p for outcome, p in law.items() if p}
        check_total(sum(law.values(), Quotient.of(0)))
        return law

    def _run(self, states: list[State], known: dict[Cell, Value]) -> Arrival:
        """Execute until every state has halted or one needs an input cell that is not known."""
        code = self.stepper.program.code
        emitted: Law = {}
        waiting: dict[int, list[State]] = {}
        for state in states:
            waiting.setdefault(state.pc, []).append(state)
        while waiting:
            pc = min(waiting)
            present = merged(waiting.pop(pc))
            if isinstance(code[pc], Halt):
                self._emit(present, emitted)
                continue
            try:
                following = [s for state in present for s in self._successors(state, known)]
            except InputNeeded as need:
                waiting[pc] = present
                rest = tuple(state for place in sorted(waiting) for state in merged(waiting[place]))
                reached = Configuration(need.cell, rest, self._readable(rest, known))
                return Arrival(emitted, self._shared(reached))
            for state in following:
                if state.joint:
                    waiting.setdefault(state.pc, []).append(state)
        return Arrival(emitted, self._shared(Configuration(None, (), {})))

    def _successors(self, state: State, known: dict[Cell, Value]) -> list[State]:
        states, loop = successors(self.stepper, state, known, self._count)
        if loop is not None:
            self.loops.append(loop)
        return states

    def _emit(self, states: list[State], emitted: Law) -> None:
        for state in states:
            p = state.joint.mass()
            if p:
                outcome = self.stepper.outcome(state)
                emitted[outcome] = emitted[outcome] + p if outcome in emitted else p

    def _readable(self, states: tuple[State, ...], known: dict[Cell, Value]) -> dict[Cell, Value]:
        live = frozenset().union(*(self.stepper.live[state.pc] for state in states))
        return {cell: value for cell, value in known.items() if cell in live}

    def _shared(self, new: Configuration) -> Configuration:
        """The configuration, or the equal one that was met before."""
        key = (
            new.asks,
            frozenset((state.key, state.joint) for state in new.states),
            frozenset(new.known.items()),
        )
        return self._seen.setdefault(key, new)

    def _count(self, steps: int) -> None:
        self._steps += steps
        if self._steps > MAX_STEPS:
            raise LimitReached(f"more than {MAX_STEPS} steps: does a while loop run for ever?")
        if self._deadline is not None and monotonic() > self._deadline:
            raise LimitReached("the time limit was reached")


def check_total(total: Quotient) -> None:
    """Raises :class:`InternalError` if the probabilities of all outputs do not sum to 1."""
    if total != Quotient.one():
        raise InternalError(f"the probabilities of all outputs sum to {total}, not to 1")
