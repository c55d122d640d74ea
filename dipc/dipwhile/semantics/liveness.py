"""Which cells the rest of the program may still read.

The classical backward data-flow analysis on single cells: a cell is live at an instruction if some
path from there reads it before overwriting it.  Dropping dead variables is what makes states meet
again, and dead samples are integrated out at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from itertools import chain
from operator import or_
from typing import TypeVar, assert_never

from dipc.dipwhile.syntax.arrays import parts_as_written
from dipc.dipwhile.syntax.ast import Index, Name, Number
from dipc.dipwhile.syntax.core import Cell, CoreProgram, Draw, Halt, Instruction, Jump, Put, Test
from dipc.dipwhile.syntax.walk import nodes
from dipc.models.values import Value

NO_CELLS: frozenset[Cell] = frozenset()
T = TypeVar("T")


def live_cells(program: CoreProgram) -> tuple[frozenset[Cell], ...]:
    """For each instruction, the cells that may be read from there on (inputs included)."""
    code, arrays = program.code, dict(program.arrays)
    outputs = frozenset(cell for variable in program.outputs for cell in variable.cells)
    reads = [outputs if isinstance(i, Halt) else frozenset(_reads(i, arrays)) for i in code]
    writes = [_writes(instruction) for instruction in code]
    live = [NO_CELLS] * len(code)
    before: list[frozenset[Cell]] = []
    while live != before:
        before = live.copy()
        for pc in reversed(range(len(code))):
            after = NO_CELLS.union(*(live[s] for s in successors(code[pc], pc)))
            live[pc] = reads[pc] | (after - writes[pc])
    return tuple(live)


class Liveness:
    """What :func:`live_cells` says, told as what dies: each of those sets can be as large as the program.

    Whole sets are kept only where control comes from elsewhere.  Inputs, which no state stores and nothing
    overwrites, are bits of a number at each instruction.
    """

    def __init__(self, program: CoreProgram) -> None:
        self._code, arrays = program.code, dict(program.arrays)
        self._outputs = frozenset(cell for variable in program.outputs for cell in variable.cells)
        inputs = (cell for variable in program.inputs for cell in variable.cells)
        self._number = {cell: i for i, cell in enumerate(inputs)}
        self._reads = [frozenset(_reads(instruction, arrays)) for instruction in self._code]
        self._may_write = [_may_write(instruction, arrays) for instruction in self._code]
        jumps = [
            (p, to) for p, i in enumerate(self._code) if isinstance(i, Test | Jump) for to in successors(i, p)
        ]
        self._live = dict.fromkeys([0, *(to for _, to in jumps)], NO_CELLS)
        self._inputs = [0] * len(self._code)
        self._dropped: dict[tuple[int, int], frozenset[Cell]] = {}
        self._pass()
        while any(to <= pc for pc, to in jumps) and self._pass():
            pass

    def at_start(self, env: Mapping[Cell, T]) -> dict[Cell, T]:
        """What may be read of what is stored before the first instruction."""
        return {cell: value for cell, value in env.items() if cell in self._live[0]}

    def dropped(self, pc: int, to: int) -> frozenset[Cell]:
        """The cells that are live or may be assigned at ``pc``, and dead at ``to``, which follows."""
        return self._dropped.get((pc, to), NO_CELLS)

    def kept(self, env: Mapping[Cell, T], pc: int, to: int) -> Mapping[Cell, T]:
        """The part that is live at ``to`` of what was live at ``pc``, with what was assigned there."""
        dead = self.dropped(pc, to)
        if not any(cell in env for cell in dead):
            return env  # mostly so, and a copy costs as much as the state is large
        return {cell: value for cell, value in env.items() if cell not in dead}

    def readable(self, inputs: Mapping[Cell, Value], places: Iterable[int]) -> dict[Cell, Value]:
        """Those input cells that may be read from one of the places on."""
        live = reduce(or_, (self._inputs[pc] for pc in places), 0)
        return {cell: value for cell, value in inputs.items() if live >> self._number[cell] & 1}

    def _pass(self) -> bool:
        """Go through the code once, backwards.  Whether that gave something new."""
        before = self._live.copy(), self._inputs.copy()
        self._dropped.clear()  # more is live than the pass before knew
        now: set[Cell] = set()
        inputs = 0
        for pc in reversed(range(len(self._code))):
            instruction, reads = self._code[pc], self._reads[pc]
            match instruction:
                case Put() | Draw():
                    self._drop(pc, pc + 1, (self._may_write[pc] | reads) - now)
                    now -= _writes(instruction)
                case Test(_, otherwise):
                    now |= self._live[otherwise]
                    inputs |= self._inputs[otherwise]
                    for to in (pc + 1, otherwise):
                        self._drop(pc, to, (now | reads) - self._live[to])
                case Jump(to):
                    now, inputs = set(self._live[to]), self._inputs[to]
                case Halt():
                    now, inputs = set(self._outputs), 0
            for cell in reads:
                if cell in self._number:
                    inputs |= 1 << self._number[cell]
                else:
                    now.add(cell)
            self._inputs[pc] = inputs
            if pc in self._live:
                self._live[pc] = frozenset(now)
        return before != (self._live, self._inputs)

    def _drop(self, pc: int, to: int, cells: Iterable[Cell]) -> None:
        if dead := frozenset(cell for cell in cells if cell not in self._number):
            self._dropped[pc, to] = dead


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
    """The cell that is certainly overwritten."""
    match instruction:
        case Put(target=Name(name)) | Draw(target=Name(name)):
            return frozenset({(name, 0)})
        case Put(target=Index(array, Number(index))) | Draw(target=Index(array, Number(index))):
            return frozenset({(array, int(index.p))})
    return NO_CELLS


def _may_write(instruction: Instruction, arrays: Mapping[str, int]) -> frozenset[Cell]:
    """The cells that may be overwritten: of an array with a computed index, all."""
    certain = _writes(instruction)
    if certain or not isinstance(instruction, Put | Draw) or isinstance(instruction.target, Name):
        return certain
    name = instruction.target.array
    return frozenset((name, i) for i in range(1, arrays[name] + 1))


def _reads(instruction: Instruction, arrays: Mapping[str, int]) -> Iterator[Cell]:
    """The cells that may be read."""
    for node in chain.from_iterable(map(nodes, parts_as_written(instruction))):
        match node:
            case Index(array, Number(index)):
                yield array, int(index.p)
            case Name(name) | Index(name) if name in arrays:
                yield from ((name, i) for i in range(1, arrays[name] + 1))
            case Name(name):
                yield name, 0
