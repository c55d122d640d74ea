"""One step of the parametrized Markov chain: what an instruction does to a state."""

from __future__ import annotations

from collections.abc import Mapping
from math import lcm
from typing import assert_never

from flint import fmpq

from dipc.errors import InputError, Span, Unsupported
from dipc.probability.joint import Joint
from dipc.probability.linear import Linear
from dipc.probability.quotient import Quotient
from dipc.semantics.branching import branches
from dipc.semantics.evaluate import Datum, Decide, Memory, cell_of, condition, evaluate
from dipc.semantics.liveness import live_cells
from dipc.semantics.noise import Finite, Random, distribution
from dipc.semantics.state import State, settled, united
from dipc.syntax.core import Cell, CoreProgram, Draw, Halt, Jump, Put, Test
from dipc.syntax.fragment import violation
from dipc.syntax.values import Value, show

_ZERO, _ONE = fmpq(0), fmpq(1)

MAX_VALUES = 10_000  # of a clamped integer that is assigned to an output

Outcome = tuple[Value, ...]  # a value for every output cell, in the order of declaration


class Stepper:
    """The transition relation of a program.

    ``probabilities`` collects every probability used by ``flip`` and ``choose`` with its place: that
    they lie in [0, 1] depends on the interval of eps, and is for the caller to check.
    """

    def __init__(self, program: CoreProgram) -> None:
        self.program = program
        self.live = live_cells(program)
        self.probabilities: dict[Quotient, Span] = {}
        self._arrays = dict(program.arrays)
        self._input_names = frozenset(v.name for v in program.inputs)
        self._outputs = {cell: v for v in program.outputs for cell in v.cells}
        self._domains = {v.name: frozenset(v.domain) for v in program.outputs}

    def start(self) -> State:
        """The initial state: only outputs with a start value have a value."""
        env = {c: v.start for v in self.program.outputs if v.start is not None for c in v.cells}
        return settled(State(0, env, Joint.certain()), self.live[0])

    def step(self, state: State, inputs: Mapping[Cell, Value]) -> list[State]:
        """The successors, merged; a state at a Halt has none, see :meth:`outcome`.

        Raises :class:`~dipc.semantics.evaluate.InputNeeded` if an input cell without a value is read.
        """
        memory = self._memory(state, inputs)
        instruction = self.program.code[state.pc]
        match instruction:
            case Put():
                return self._put(state, memory, instruction)
            case Draw():
                return self._draw(state, memory, instruction)
            case Test():
                return self._test(state, memory, instruction)
            case Jump(to):
                return [self._moved(state, to, state.env, state.joint)]
            case Halt():
                return []
            case _:
                assert_never(instruction)

    def outcome(self, state: State) -> Outcome:
        """The outputs of a state at a Halt.  Raises :class:`InputError` if one has no value."""
        missing = [(v, i) for (_, i), v in self._outputs.items() if (v.name, i) not in state.env]
        if missing:
            variable, i = missing[0]
            shown = f"{variable.name}[{i}]" if i else variable.name
            raise InputError(
                f"the output '{shown}' has no value when the program ends",
                variable.span,
                f"assign it on every path, or give it a start value: output {variable.name} in {{...}} = v",
            )
        values = (state.env[cell] for cell in self._outputs)
        return tuple(v for v in values if not isinstance(v, Linear))

    def _memory(self, state: State, inputs: Mapping[Cell, Value]) -> Memory:
        return Memory(state.env, inputs, self._input_names, self.program.variables, self._arrays)

    def _moved(self, state: State, pc: int, env: Mapping[Cell, Datum], joint: Joint) -> State:
        return settled(State(pc, env, joint, state.trail), self.live[pc])

    # --- instructions ------------------------------------------------------------------------

    def _put(self, state: State, memory: Memory, put: Put) -> list[State]:
        def run(decide: Decide) -> tuple[Cell, Datum]:
            cell = cell_of(put.target, memory, decide)
            return cell, self._checked(cell, evaluate(put.value, memory, decide), put.span, decide)

        return united(
            self._moved(state, state.pc + 1, {**state.env, cell: datum}, joint)
            for (cell, datum), joint in branches(run, state.joint)
        )

    def _draw(self, state: State, memory: Memory, draw: Draw) -> list[State]:
        def run(decide: Decide) -> tuple[Cell, Finite | Random]:
            cell = cell_of(draw.target, memory, decide)
            law = distribution(draw.distribution, memory, decide)
            if isinstance(law, Random):
                self._checked(cell, Linear(((0, _ONE),), _ZERO), draw.span, decide)
            else:
                for value, p in law.options:
                    if p:
                        self._checked(cell, value, draw.span, decide)
            return cell, law

        successors = []
        for (cell, law), joint in branches(run, state.joint):
            if isinstance(law, Random):
                sample = Linear(((joint.live, _ONE),), _ZERO, law.weight.integer)
                drawn = joint.extended(law.weight).scaled(law.factor)
                successors.append(self._moved(state, state.pc + 1, {**state.env, cell: sample}, drawn))
                continue
            for value, p in law.options:
                if p:
                    self.probabilities.setdefault(p, draw.distribution.span)
                    env = {**state.env, cell: value}
                    successors.append(self._moved(state, state.pc + 1, env, joint.scaled(p)))
        return united(successors)

    def _checked(self, cell: Cell, datum: Datum, span: Span, decide: Decide) -> Datum:
        """The value, if the cell may hold it: outputs are finite."""
        variable = self._outputs.get(cell)
        if variable is None:
            return datum
        if isinstance(datum, Linear):
            datum = self._enumerated(datum, variable.name, span, decide)
        if datum not in self._domains[variable.name]:
            raise InputError(
                f"the value {show(datum)} is not in the set of the output '{variable.name}'",
                span,
                f"the set is {{{', '.join(show(v) for v in variable.domain)}}}",
            )
        return datum

    def _enumerated(self, form: Linear, name: str, span: Span, decide: Decide) -> fmpq:
        """The value of a random expression with finitely many values, by asking for each of them."""
        low, high = decide.range_of(form) if form.integer else (None, None)
        if low is None or high is None:
            kind = "an unbounded integer" if form.integer else "a real"
            raise violation(
                6,
                f"the output `{name}` would be {kind} random value",
                span,
                "clamp it, for example min(max(z, 0), 5)"
                if form.integer
                else "round it with disc(r, a0, a1, ...)",
            )
        if high - low > MAX_VALUES:
            raise InputError(f"the output `{name}` would have more than {MAX_VALUES} values", span)
        unit = fmpq(1, lcm(1, int(form.constant.q), *(int(c.q) for _, c in form.coefficients)))
        value = fmpq((low / unit).ceil()) * unit
        while value < high and decide(Linear(form.coefficients, form.constant - value, True), strict=True):
            value += unit
        return value

    def _test(self, state: State, memory: Memory, test: Test) -> list[State]:
        if test.is_loop:
            key = state.key
            if key in state.trail:
                raise Unsupported(
                    "this loop can come back to the same state: cyclic loops are not there yet",
                    test.span,
                    "a while loop over a counter that always ends is supported",
                )
            state = State(state.pc, state.env, state.joint, state.trail | {key})
        outcomes = branches(lambda decide: condition(test.condition, memory, decide), state.joint)
        return united(
            self._moved(state, state.pc + 1 if holds else test.otherwise, state.env, joint)
            for holds, joint in outcomes
        )
