"""Which cells the rest of the program may still read.

The classical backward data-flow analysis on single cells: a cell is live at an instruction if some
path from there reads it before overwriting it.  Dropping dead variables is what makes states meet
again, and dead samples are integrated out at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeVar

from dipc.dipwhile.syntax.arrays import instruction_parts
from dipc.dipwhile.syntax.ast import Index, Name, Number
from dipc.dipwhile.syntax.core import (
    Cell,
    CoreProgram,
    Draw,
    Either,
    Halt,
    Instruction,
    Jump,
    Operation,
    Pick,
    Put,
    Round,
    Test,
)
from dipc.dipwhile.syntax.walk import nodes

NO_CELLS: frozenset[Cell] = frozenset()
T = TypeVar("T")


def live_cells(program: CoreProgram) -> tuple[frozenset[Cell], ...]:
    """For each instruction, the cells that may be read from there on (inputs included)."""
    outputs = frozenset(cell for variable in program.outputs for cell in variable.cells)
    return live(program.code, dict(program.arrays), outputs)


def live(
    code: Sequence[Operation], arrays: Mapping[str, int], at_end: frozenset[Cell]
) -> tuple[frozenset[Cell], ...]:
    """The same for code after which these cells are read; an array without a size is one cell."""
    read = [at_end if isinstance(i, Halt) else frozenset(reads(i, arrays)) for i in code]
    writes = [_writes(instruction) for instruction in code]
    live = [NO_CELLS] * len(code)
    before: list[frozenset[Cell]] = []
    while live != before:
        before = live.copy()
        for pc in reversed(range(len(code))):
            after = NO_CELLS.union(*(live[s] for s in successors(code[pc], pc)))
            live[pc] = read[pc] | (after - writes[pc])
    return tuple(live)


def kept(env: Mapping[Cell, T], live: frozenset[Cell]) -> Mapping[Cell, T]:
    """The part of what is stored that is live."""
    return env if env.keys() <= live else {cell: value for cell, value in env.items() if cell in live}


def successors(operation: Operation, pc: int) -> tuple[int, ...]:
    """Where control may go next."""
    match operation:
        case Jump(to):
            return (to,)
        case Halt():
            return ()
        case Test(otherwise=otherwise) | Round(otherwise=otherwise) | Either(otherwise):
            return (pc + 1, otherwise)
    return (pc + 1,)


def _writes(operation: Operation) -> frozenset[Cell]:
    """The cell that is certainly overwritten."""
    match operation:
        case Put(target=Name(name)) | Draw(target=Name(name)) | Pick(name) | Round(name):
            return frozenset({(name, 0)})
        case Put(target=Index(array, Number(index))) | Draw(target=Index(array, Number(index))):
            return frozenset({(array, int(index.p))})
    return NO_CELLS


def written(code: Sequence[Instruction], arrays: Mapping[str, int]) -> frozenset[Cell]:
    """The cells that may be overwritten, by a computed index all of an array."""
    cells: set[Cell] = set()
    for instruction in code:
        cells |= _writes(instruction)
        match instruction:
            case Put(target=Index(array, index)) | Draw(target=Index(array, index)):
                if not isinstance(index, Number):
                    cells.update((array, i) for i in range(1, arrays[array] + 1))
    return frozenset(cells)


def reads(operation: Operation, arrays: Mapping[str, int]) -> Iterator[Cell]:
    """The cells that may be read."""
    for node in chain.from_iterable(map(nodes, instruction_parts(operation))):
        match node:
            case Index(array, Number(index)):
                yield array, int(index.p)
            case Name(name) | Index(name) if name in arrays:
                yield from ((name, i) for i in range(1, arrays[name] + 1))
            case Name(name) | Index(name):
                yield name, 0
