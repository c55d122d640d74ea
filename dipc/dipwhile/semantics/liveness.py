"""Which cells the rest of the program may still read.

The classical backward data-flow analysis on single cells: a cell is live at an instruction if some
path from there reads it before it is overwritten.  Dropping dead variables from states is what makes
states meet again (and dead samples are integrated out at once).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import assert_never

from dipc.dipwhile.syntax.ast import (
    Binary,
    Call,
    Choose,
    Distribution,
    Eps,
    ExpMechanism,
    Expr,
    Flip,
    Fold,
    Index,
    Name,
    Noise,
    Number,
    Range,
    SetOf,
    Unary,
    Uniform,
)
from dipc.dipwhile.syntax.core import Cell, CoreProgram, Draw, Halt, Instruction, Jump, Put, Test


def live_cells(program: CoreProgram) -> tuple[frozenset[Cell], ...]:
    """For each instruction, the cells that may be read from there on (inputs included)."""
    code = program.code
    arrays = dict(program.arrays)
    outputs = frozenset(cell for variable in program.outputs for cell in variable.cells)
    reads = [_reads(i, arrays) | (outputs if isinstance(i, Halt) else frozenset()) for i in code]
    writes = [_writes(i) for i in code]
    live: list[frozenset[Cell]] = [frozenset()] * len(code)
    changed = True
    while changed:
        changed = False
        for pc in range(len(code) - 1, -1, -1):
            after: frozenset[Cell] = frozenset().union(*(live[s] for s in successors(code[pc], pc)))
            now = reads[pc] | (after - writes[pc])
            if now != live[pc]:
                live[pc] = now
                changed = True
    return tuple(live)


def successors(instruction: Instruction, pc: int) -> tuple[int, ...]:
    """Where control may go next."""
    match instruction:
        case Put() | Draw():
            return (pc + 1,)
        case Test(_, otherwise):
            return (pc + 1, otherwise)
        case Jump(to):
            return (to,)
        case Halt():
            return ()
        case _:
            assert_never(instruction)


def _writes(instruction: Instruction) -> frozenset[Cell]:
    """The cell certainly overwritten."""
    if isinstance(instruction, Put | Draw):
        match instruction.target:
            case Name(name):
                return frozenset({(name, 0)})
            case Index(array, Number(index)):
                return frozenset({(array, int(index.p))})
            case _:
                pass
    return frozenset()


def _reads(instruction: Instruction, arrays: Mapping[str, int]) -> frozenset[Cell]:
    """The cells possibly read."""
    match instruction:
        case Put(target, value):
            expressions = [value, *_index_of(target)]
        case Draw(target, distribution):
            expressions = [*_expressions(distribution), *_index_of(target)]
        case Test(condition):
            expressions = [condition]
        case Jump() | Halt():
            expressions = []
        case _:
            assert_never(instruction)
    return frozenset(cell for expr in expressions for cell in cells_in(expr, arrays))


def _index_of(target: Name | Index) -> tuple[Expr, ...]:
    return (target.index,) if isinstance(target, Index) else ()


def _expressions(distribution: Distribution) -> tuple[Expr, ...]:
    match distribution:
        case Noise(_, rate, mean):
            return rate, mean
        case Choose(options):
            return tuple(e for option in options for e in option)
        case Flip(probability):
            return (probability,)
        case Uniform(support):
            return _members(support)
        case ExpMechanism(rate, _, support, score):
            return (rate, score, *_members(support))
        case _:
            assert_never(distribution)


def _members(support: SetOf | Range) -> tuple[Expr, ...]:
    return support.members if isinstance(support, SetOf) else (support.low, support.high)


def cells_in(expr: Expr, arrays: Mapping[str, int]) -> Iterator[Cell]:
    """The cells that evaluating an expression may read."""
    pending = [expr]
    while pending:
        node = pending.pop()
        match node:
            case Number() | Eps():
                pass
            case Name(name) if name in arrays:
                yield from ((name, i) for i in range(1, arrays[name] + 1))
            case Name(name):
                yield name, 0
            case Index(array, Number(index)):
                yield array, int(index.p)
            case Index(array, index):
                pending.append(index)
                yield from ((array, i) for i in range(1, arrays[array] + 1))
            case Unary(_, operand):
                pending.append(operand)
            case Binary(_, left, right):
                pending += (left, right)
            case Call(_, arguments):
                pending += arguments
            case Fold(_, _, low, high, body):
                pending += (low, high, body)
            case _:
                assert_never(node)
