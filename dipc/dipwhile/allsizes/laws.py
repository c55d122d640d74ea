"""Whether the program that the automaton is built from has the law of the program that was written.

For the automaton sums become loops and an extremum a winner that no other draw beats.  With numbers for the
sizes the compiler makes a program for the exact engine of it, but for two operations: at an ``Either`` both
ways count in full, and an ``Assume`` ends the runs that do not have its condition.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dipc.clock import Clock
from dipc.dipwhile.allsizes.finite import in_levels, levels
from dipc.dipwhile.allsizes.question import Question
from dipc.dipwhile.allsizes.rewrite import rewritten
from dipc.dipwhile.semantics.adjacency import InputSpace
from dipc.dipwhile.semantics.branching import Branch, branches
from dipc.dipwhile.semantics.evaluate import condition
from dipc.dipwhile.semantics.explore import Explorer, Law
from dipc.dipwhile.semantics.run import Sweep
from dipc.dipwhile.semantics.state import State
from dipc.dipwhile.semantics.step import Move, Stepper
from dipc.dipwhile.syntax import core
from dipc.dipwhile.syntax.arrays import assignments
from dipc.dipwhile.syntax.names import target_name
from dipc.dipwhile.syntax.unroll import compiled
from dipc.errors import InternalError, LimitReached
from dipc.models.values import Value
from dipc.numbers.quotient import Quotient

SOME_INPUTS = 4
WHAT = "the laws of the rewritten program"


def same_laws(asked: Question, sizes: Mapping[str, int], original: core.CoreProgram, clock: Clock) -> bool:
    """Whether the rewritten program has the output distribution of ``original`` on some inputs.

    ``original`` is the program at these sizes, as of :func:`.finite.program_at`.
    """
    declared, system = asked.declared_at(sizes), asked.system()
    body = rewritten(asked.program.body, system.constants, system.scope)
    body = in_levels(body, levels(asked.program, declared))
    code = compiled(body, dict(declared.constants), original.outputs[0].span, system.scope.sizes)
    refuse_endless(code)
    assigned = {target_name(o.target) for o in assignments(code)}
    made: Any = replace(original, code=code, variables=original.variables | assigned)  # type: ignore[arg-type]
    space, explorer = InputSpace(original), Explorer(original, clock.deadline)
    stepper = Guarded(made, lambda _: clock.tick(WHAT))
    for position in {*range(0, space.size, -(-space.size // SOME_INPUTS)), space.size - 1}:
        clock.tick(WHAT)
        values = space.at(position)
        if explorer.law(values) != stepper.masses(values):
            return False
    return True


def refuse_endless(code: core.Code) -> None:
    """A choice inside a ``while``, whose masses have no sum, is not compared."""
    found = [pc for pc, operation in enumerate(code) if isinstance(operation, core.Either)]
    loops = [(pc, o.otherwise) for pc, o in enumerate(code) if isinstance(o, core.Test) and o.is_loop]
    if any(head < pc < end for pc in found for head, end in loops):
        raise LimitReached("an extremum inside a `while`")


class Guarded(Stepper):
    """The steps of the exact engine, and those of the operations that rewriting has introduced."""

    def moves(self, state: State, inputs: Mapping[core.Cell, Value]) -> list[Move]:
        """What can happen next."""
        operation: Any = self.program.code[state.pc]
        match operation:
            case core.Either(otherwise):
                return [self._to(state, pc) for pc in (state.pc + 1, otherwise)]
            case core.Assume(expr):
                memory = self.memory(state.env, inputs)
                found = branches(lambda decide: condition(expr, memory, decide), state.joint)
                return [Move(state.pc + 1, state.env, branch) for branch in found if branch.value]
            case core.Pick() | core.Enter() | core.Cut():  # a pick of one number
                return [self._to(state, state.pc + 1)]
            case core.Round():
                raise InternalError("a loop without a number of rounds")
        return super().moves(state, inputs)

    def _to(self, state: State, pc: int) -> Move:
        return Move(pc, state.env, Branch(None, state.joint, ()))

    def masses(self, inputs: Mapping[core.Cell, Value]) -> Law:
        """The masses of all outputs."""
        found: Law = {}
        for state, _ in Sweep(self, [self.start()], inputs):
            if isinstance(self.program.code[state.pc], core.Halt):
                outcome = self.outcome(state)
                found[outcome] = found.get(outcome, Quotient.of(0)) + self.mass(state.joint)
        return {outcome: mass for outcome, mass in found.items() if mass}
