"""One step of the parametrized Markov chain: what an instruction does to a state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import lcm
from typing import Any, NamedTuple, assert_never

from flint import fmpq

from dipc.dipwhile.semantics.branching import Branch, branches
from dipc.dipwhile.semantics.evaluate import Datum, Decide, Memory, cell_of, condition, evaluate, spelled_cell
from dipc.dipwhile.semantics.liveness import kept, live_cells
from dipc.dipwhile.semantics.noise import FUNCTIONS_OF_EPS, Field, Finite, Random, distribution
from dipc.dipwhile.semantics.state import State, renumbered
from dipc.dipwhile.syntax.ast import Distribution, Flip
from dipc.dipwhile.syntax.core import Cell, CoreProgram, Draw, Halt, Jump, Put, Test
from dipc.dipwhile.syntax.fragment import violation
from dipc.errors import FragmentError, InputError, Span
from dipc.integration.joint import Joint
from dipc.integration.linear import Linear
from dipc.models.termination import Loop
from dipc.models.values import FALSE, Value, show
from dipc.numbers.quotient import Quotient

MAX_VALUES = 10_000  # of a clamped integer that is assigned to an output
MANY_VALUES = 64  # from here on they are not asked for one by one

Outcome = tuple[Value, ...]  # a value for every output cell, in the order of declaration


@dataclass(frozen=True, slots=True)
class Move:
    """One thing that can happen to a state: where it goes, and by which branch of its comparisons.

    ``cell`` is what is assigned, None for a test or a jump; ``probability`` that of the option drawn, None
    for certainty; ``noise`` the law of a new sample, the last one of the joint density to be.
    """

    pc: int
    env: Mapping[Cell, Datum]
    branch: Branch[Any]
    cell: Cell | None = None
    probability: Any = None
    noise: Random | None = None


class Transition(NamedTuple):
    """A move and the state it leads to; ``move`` is None for a whole loop.

    ``kept`` are the numbers that the samples of the state had before the step (the new sample, if there is
    one, having the next number).
    """

    state: State
    kept: tuple[int, ...]
    move: Move | None


class LeftOpen(NamedTuple):
    """What depends on the interval of eps: drawn numbers must be probabilities, and loops must end.

    ``probabilities`` are those used by ``flip`` and ``choose``, each with its place and whether it is the
    complement of the one written there (the tails of ``flip``).
    """

    probabilities: dict[Quotient, tuple[Span, bool]]
    loops: list[Loop]


class Stepper:
    """The transition relation of a program.

    ``left_open`` collects what the caller must check; ``count`` is called with the number of steps made.
    Probabilities are functions of eps, or in another field: then the program draws no noise.
    """

    def __init__(
        self,
        program: CoreProgram,
        count: Callable[[int], None] = lambda steps: None,
        field: Field = FUNCTIONS_OF_EPS,
    ) -> None:
        self.program = program
        self.field = field
        self.count = count
        self.live = live_cells(program)
        self.left_open = LeftOpen({}, [])
        self._arrays = dict(program.arrays)
        self._input_names = frozenset(v.name for v in program.inputs)
        self._outputs = {cell: v for v in program.outputs for cell in v.cells}
        self._domains = {v.name: frozenset(v.domain) for v in program.outputs}

    def mass(self, joint: Joint) -> Quotient:
        """The probability of a state with this density; of a program with fixed rates that at eps = 1."""
        mass = joint.mass()
        return mass.at_one() if self.program.unit else mass

    def start(self) -> State:
        """The initial state: only outputs with a start value have a value."""
        env = {c: v.start for v in self.program.outputs if v.start is not None for c in v.cells}
        return State(0, kept(env, self.live[0]), Joint.certain(self.field.of(1)))

    def moves(self, state: State, inputs: Mapping[Cell, Value]) -> list[Move]:
        """What can happen next; nothing at a Halt, see :meth:`outcome`.

        Raises :class:`~dipc.dipwhile.semantics.evaluate.InputNeeded` if an input cell has no value.
        """
        memory = self.memory(state.env, inputs)
        instruction = self.program.code[state.pc]
        match instruction:
            case Put():
                return self._put(state, memory, instruction)
            case Draw():
                return self._draw(state, memory, instruction)
            case Test(otherwise=otherwise):
                found = branches(lambda d: condition(instruction.condition, memory, d), state.joint)
                return [Move(state.pc + 1 if b.value else otherwise, state.env, b) for b in found]
            case Jump(to):
                return [Move(to, state.env, Branch(None, state.joint, ()))]
            case Halt():
                return []
            case _:
                assert_never(instruction)

    def after(self, state: State, move: Move) -> Transition:
        """The state after a move, without dead variables."""
        joint = move.branch.joint
        if move.noise is not None:
            joint = joint.extended(move.noise.weight).scaled(move.noise.factor)
        if move.probability is not None:
            joint = joint.scaled(move.probability)
        env = kept(move.env, self.live[move.pc])
        return Transition(*renumbered(State(move.pc, env, joint)), move)

    def outcome(self, state: State) -> Outcome:
        """The outputs of a state at a Halt.  Raises :class:`InputError` if one has no value."""
        missing = [cell for cell in self._outputs if cell not in state.env]
        if missing:
            shown, variable = spelled_cell(missing[0]), self._outputs[missing[0]]
            start = f"`output {variable.name} in {{...}} = v`"
            hint = f"assign it on every path, or give it a start value: {start}"
            raise InputError(f"the output `{shown}` has no value when the program ends", variable.span, hint)
        values = (state.env[cell] for cell in self._outputs)
        return tuple(v for v in values if not isinstance(v, Linear))

    def memory(self, env: Mapping[Cell, Datum], inputs: Mapping[Cell, Value]) -> Memory:
        """What an expression can read."""
        return Memory(env, inputs, self._input_names, self.program.variables, self._arrays)

    # --- instructions ------------------------------------------------------------------------

    def law(self, node: Distribution, memory: Memory, decide: Decide) -> Finite | Random:
        """The distribution that is drawn from."""
        return distribution(node, memory, decide, self.field)

    def _put(self, state: State, memory: Memory, put: Put) -> list[Move]:
        def run(decide: Decide) -> tuple[Cell, Datum]:
            cell = cell_of(put.target, memory, decide)
            return cell, self._checked(cell, evaluate(put.value, memory, decide), put.span, decide)

        found = branches(run, state.joint)
        return [Move(state.pc + 1, {**state.env, b.value[0]: b.value[1]}, b, b.value[0]) for b in found]

    def _draw(self, state: State, memory: Memory, draw: Draw) -> list[Move]:
        def run(decide: Decide) -> tuple[Cell, Finite | Random]:
            cell = cell_of(draw.target, memory, decide)
            law = self.law(draw.distribution, memory, decide)
            if isinstance(law, Finite):
                for value, p in law.options:
                    if p:
                        self._checked(cell, value, draw.span, decide)
            elif cell in self._outputs:
                raise self._raw_output(cell[0], law.kind.integer, draw.span)
            return cell, law

        moves = []
        for branch in branches(run, state.joint):
            cell, law = branch.value
            if isinstance(law, Random):
                sample = Linear(((branch.joint.live, fmpq(1)),), fmpq(0), law.kind.integer)
                moves.append(Move(state.pc + 1, {**state.env, cell: sample}, branch, cell, noise=law))
                continue
            for value, p in law.options:
                if p:
                    tails = isinstance(draw.distribution, Flip) and value == FALSE
                    self.left_open.probabilities.setdefault(p, (draw.distribution.span, tails))
                    moves.append(Move(state.pc + 1, {**state.env, cell: value}, branch, cell, probability=p))
        return moves

    def _checked(self, cell: Cell, datum: Datum, span: Span, decide: Decide) -> Datum:
        """The value, if the cell may hold it: outputs are finite."""
        variable = self._outputs.get(cell)
        if variable is None:
            return datum
        if isinstance(datum, Linear):
            datum = self._enumerated(datum, variable.name, span, decide)
        if datum not in self._domains[variable.name]:
            hint = f"the set is {{{', '.join(show(v) for v in variable.domain)}}}"
            problem = f"the value `{show(datum)}` is not in the set of the output `{variable.name}`"
            raise InputError(problem, span, hint)
        return datum

    def _enumerated(self, form: Linear, name: str, span: Span, decide: Decide) -> fmpq:
        """The value of a random expression with finitely many values, by asking for each of them."""
        low, high = decide.range_of(form) if form.integer else (None, None)
        if low is None or high is None:
            raise self._raw_output(name, form.integer, span)
        if high - low > MAX_VALUES:
            raise InputError(f"the output `{name}` would have more than {MAX_VALUES} values", span)
        unit = fmpq(1, lcm(1, int(form.constant.q), *(int(c.q) for _, c in form.coefficients)))
        least = fmpq((low / unit).ceil())
        return _found(form, least, fmpq((high / unit).ceil()), unit, decide)

    @staticmethod
    def _raw_output(name: str, integer: bool, span: Span) -> FragmentError:
        kind, hint = "a real", "round it to levels with disc(r, a0, a1, ...)"
        if integer:
            kind, hint = "an unbounded integer", "clamp it, for example min(max(z, 0), 5)"
        return violation(6, f"the output `{name}` would be {kind} random value", span, hint)


def _found(form: Linear, least: fmpq, most: fmpq, unit: fmpq, decide: Decide) -> fmpq:
    """The value of a form that is one of the multiples ``least * unit .. most * unit``.

    A few values are asked for one after the other, which leaves short conditions; many by bisection.
    """
    while least < most:
        middle = least if most - least < MANY_VALUES else fmpq(((least + most) / 2).floor())
        if decide(Linear(form.coefficients, form.constant - middle * unit, True), strict=True):
            least = middle + 1
        else:
            most = middle
    return least * unit
