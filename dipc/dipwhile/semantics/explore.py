"""From a program to the output law of every input, sharing what inputs have in common.

Inputs are read lazily.  A **configuration** is what remains to be known after a prefix of the input
cells has been read: the states reached, with their densities, and those cells read so far that may
be read again.  It runs until a state asks for the next cell; the answer leads to the next
configuration.  Equal configurations are one object, so all inputs together form a small automaton:
for the sparse vector technique every permutation of a prefix leads to the same one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from time import monotonic
from typing import Any, NamedTuple

from flint import fmpq

from dipc.dipwhile.semantics.evaluate import InputNeeded
from dipc.dipwhile.semantics.liveness import NO_CELLS
from dipc.dipwhile.semantics.plans import Mix, NotRational, Plan, plain_masses, plan_of
from dipc.dipwhile.semantics.run import Sweep
from dipc.dipwhile.semantics.state import State
from dipc.dipwhile.semantics.step import Outcome, Stepper
from dipc.dipwhile.syntax.core import Cell, CoreProgram, Halt
from dipc.errors import InternalError, LimitReached
from dipc.integration.joint import Joint
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


class Explorer:
    """All configurations of one program met so far.

    ``deadline`` is a value of :func:`time.monotonic` after which :class:`LimitReached` is raised.
    """

    def __init__(self, program: CoreProgram, deadline: float | None = None) -> None:
        self.stepper = Stepper(program, self._count)
        self.left_open = self.stepper.left_open  # what remains to be checked of everything explored so far
        self._deadline = deadline
        self._steps = 0
        self._seen: dict[object, Configuration] = {}
        self._plans: dict[object, Plan | None] = {}
        self._linear = not program.unit

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
            known = {**configuration.known, asked: value}
            arrival = configuration.after[value] = self._run(configuration.states, known)
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

    def _run(self, states: Iterable[State], known: dict[Cell, Value]) -> Arrival:
        """Execute until every state has halted or one needs an input cell that is not known.

        What is done again for other probabilities of the same states is planned the second time.
        """
        sources = tuple(states)
        masses = plain_masses(sources) if self._linear else None
        if masses is None:
            return self._arrived(*self._executed(sources, known))
        key = tuple(state.key for state in sources), frozenset(known.items())
        if key not in self._plans:
            self._plans[key] = None
            return self._arrived(*self._executed(sources, known))
        plan = self._plans[key]
        if plan is None:
            formal: Any = [Mix({i: fmpq(1)}) for i in range(len(sources))]
            mixed = [State(s.pc, s.env, Joint.certain(mix)) for s, mix in zip(sources, formal, strict=True)]
            try:
                emitted, configuration = self._executed(mixed, known)
            except NotRational:
                self._linear = False
                return self._arrived(*self._executed(sources, known))
            rest, asks = configuration.states, configuration.asks
            plan = self._plans[key] = plan_of(emitted, rest, len(sources), asks, configuration.known)
        law, rest = plan.applied(masses)
        return self._arrived(law, Configuration(plan.asks, rest, plan.known))

    def _arrived(self, emitted: Law, configuration: Configuration) -> Arrival:
        return Arrival(emitted, self._shared(configuration))

    def _executed(self, states: Iterable[State], known: dict[Cell, Value]) -> tuple[Law, Configuration]:
        emitted: Law = {}
        sweep = Sweep(self.stepper, states, known)
        try:
            for visit in sweep:
                halted = isinstance(self.stepper.program.code[visit.state.pc], Halt)
                if halted and (p := self.stepper.mass(visit.state.joint)):
                    outcome = self.stepper.outcome(visit.state)
                    emitted[outcome] = emitted[outcome] + p if outcome in emitted else p
        except InputNeeded as need:
            rest = sweep.rest
            live = NO_CELLS.union(*(self.stepper.live[state.pc] for state in rest))
            readable = {cell: value for cell, value in known.items() if cell in live}
            return emitted, Configuration(need.cell, rest, readable)
        return emitted, Configuration(None, (), {})

    def _shared(self, new: Configuration) -> Configuration:
        """The configuration, or the equal one that was met before."""
        states = frozenset((state.key, state.joint) for state in new.states)
        return self._seen.setdefault((new.asks, states, frozenset(new.known.items())), new)

    def _count(self, steps: int) -> None:
        self._steps += steps
        if self._steps > MAX_STEPS:
            raise LimitReached(f"more than {MAX_STEPS} steps: does a while loop run forever?")
        if self._deadline is not None and monotonic() > self._deadline:
            raise LimitReached("the time limit was reached")


def check_total(total: Quotient) -> None:
    """Raises :class:`InternalError` if the probabilities of all outputs do not sum to 1."""
    if total != Quotient.one():
        raise InternalError(f"the probabilities of all outputs sum to {total}, not to 1")
