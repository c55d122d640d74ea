"""Whether the program that the automaton is built from has the law of the program that was written.

For the automaton sums become loops and an extremum a winner that no other draw beats.  With numbers for the
sizes the compiler makes a program for the exact engine of it, but for two operations: ``Either`` becomes a
coin that doubles the *weight* of a run, and ``Assume`` a test that gives a run the weight 0.  The probability
of an output is the sum of its probabilities with each weight, times the weight.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from flint import fmpq

from dipc.clock import Clock
from dipc.dipwhile.allsizes.build import Prepared
from dipc.dipwhile.allsizes.finite import Levelled, levels, put_in_levels
from dipc.dipwhile.allsizes.rewrite import rewritten
from dipc.dipwhile.semantics.adjacency import InputSpace
from dipc.dipwhile.semantics.explore import Explorer, Law
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.core import (
    Assume,
    Code,
    CoreProgram,
    Cut,
    Draw,
    Either,
    Enter,
    Halt,
    Instruction,
    Jump,
    Operation,
    Pick,
    Put,
    Round,
    Test,
    Variable,
    assignment,
)
from dipc.dipwhile.syntax.names import target_name
from dipc.dipwhile.syntax.unroll import compiled
from dipc.errors import InternalError, LimitReached
from dipc.models.values import Atom, Value
from dipc.numbers.quotient import Quotient

WEIGHT, COIN = ast.Name("the weight"), ast.Name("the coin")
"""Variables with names that no program has."""

ZERO, ONE, TWO = (ast.Number(fmpq(k)) for k in (0, 1, 2))
SOME_INPUTS = 4


def same_laws(asked: Prepared, sizes: Mapping[str, int], original: CoreProgram, clock: Clock) -> bool:
    """Whether the rewritten program has the output distribution of ``original`` on some inputs.

    ``original`` is the program at these sizes, as of :func:`.finite.program_at`.
    """
    declared, system = asked.front.declared_at(sizes), asked.system()
    body = rewritten(asked.front.program.body, system.constants, system.scope)
    code = compiled(body, dict(declared.constants), original.outputs[0].span, system.scope.sizes)
    made = with_weights(code, levels(asked.front.program, declared), original)
    space = InputSpace(original)
    left, right = (Explorer(program, clock.deadline) for program in (original, made))
    for position in {*range(0, space.size, -(-space.size // SOME_INPUTS)), space.size - 1}:
        clock.tick("the laws of the rewritten program")
        values = space.at(position)
        if left.law(values) != weighted(right.law(values)):
            return False
    return True


def weighted(law: Law) -> Law:
    """The probabilities of the outputs but for the last one, which is a weight."""
    found: Law = {}
    for (*outcome, weight), p in law.items():
        assert isinstance(weight, fmpq)
        found[tuple(outcome)] = found.get(tuple(outcome), Quotient.of(0)) + p * weight
    return {outcome: p for outcome, p in found.items() if p}


def with_weights(code: Code, levelled: Levelled, original: CoreProgram) -> CoreProgram:
    """The code as a program with the inputs and outputs of ``original``, and a weight for its last output."""
    span = original.outputs[0].span
    parts = [tuple(_instructions(operation, len(code), levelled)) for operation in code]
    places = list(accumulate(map(len, parts), initial=1))  # the last one is that of rejected runs
    made: list[Instruction] = [Put(WEIGHT, ONE, span)]
    made += [_moved(instruction, places) for part in parts for instruction in part]
    made += [
        assignment(_cell(v, k), _constant(v.domain[0]), span) for v in original.outputs for _, k in v.cells
    ]
    made += [Put(WEIGHT, ZERO, span), Halt(span)]
    weights = (fmpq(0), *(fmpq(2**coins) for coins in range(_coins(code) + 1)))
    assigned = {target_name(o.target) for o in made if isinstance(o, Put | Draw)}
    return replace(
        original,
        code=tuple(made),
        outputs=(*original.outputs, Variable(WEIGHT.name, None, weights, None, span)),
        variables=original.variables | assigned,
    )


def _coins(code: Code) -> int:
    """How many coins a run tosses at most; without bound inside a ``while``, which is not compared."""
    found = [pc for pc, operation in enumerate(code) if isinstance(operation, Either)]
    loops = [(pc, o.otherwise) for pc, o in enumerate(code) if isinstance(o, Test) and o.is_loop]
    if any(head < pc < end for pc in found for head, end in loops):
        raise LimitReached("an extremum inside a `while`")
    return len(found)


def _instructions(operation: Operation, rejected: int, levelled: Levelled) -> Iterator[Instruction]:
    """What an operation becomes; its jumps are still places in the code of operations."""
    match operation:
        case Put(target, value, span) | Draw(target, value, span):
            for each in put_in_levels(ast.Assign(target, value, span=span), levelled):
                yield assignment(each.target, each.value, span)
        case Test() | Jump() | Halt():
            yield operation
        case Either(otherwise, span=span):
            yield Draw(COIN, ast.Uniform(ast.SetOf((ZERO, ONE))), span)
            yield Put(WEIGHT, ast.Binary(ast.Op.MUL, TWO, WEIGHT), span)
            yield Test(ast.Binary(ast.Op.EQ, COIN, ZERO), otherwise, span)
        case Assume(condition, span):
            yield Test(condition, rejected, span)
        case Round():
            raise InternalError("a loop without a number of rounds")
        case Pick() | Enter() | Cut():  # a pick of one number
            pass


def _moved(instruction: Instruction, places: Sequence[int]) -> Instruction:
    """The instruction with the place of its jump among all instructions."""
    match instruction:
        case Jump(to):
            return Jump(places[to])
        case Test(otherwise=otherwise):
            return replace(instruction, otherwise=places[otherwise])
    return instruction


def _cell(variable: Variable, k: int) -> ast.Name | ast.Index:
    return ast.Index(variable.name, ast.Number(fmpq(k))) if k else ast.Name(variable.name)


def _constant(value: Value) -> ast.Expr:
    return ast.Name(value.name) if isinstance(value, Atom) else ast.Number(value)
