"""The independent parts of a program: code that shares no input, no output and no value.

The code is cut into *segments* between which no jump goes: assignments, and whole conditionals and loops.
Put together are

* a segment and the last writer of each cell that it reads, or that it may leave as it is for a later reader;
  the first writer of an input or output cell is the cell itself, with what it has at the start;
* a segment and the last writer of each output cell that it writes.

A *part* is a class of the least equivalence with these pairs: its program is its segments in their order.

**The law of the program is the product of the laws of its parts.**  By induction over the run, each value
that a segment reads is the same in the program and in the program of its part: the last writer belongs to the
part and comes first there, too, and nothing in the part writes the cell in between.  So what a part does
depends on its own input cells and its own draws, which are independent of those of other parts.  No part
decides whether another one runs: no jump leaves a segment, there is no ``exit``, and a loop that may run
forever is refused.  Every output cell belongs to one part, with all that is assigned to it.

In the program of a part, cells and arrays are called ``#1``, ``#2``, ...: inputs, outputs, then the others as
the code mentions them.  So parts that are alike, up to names, have equal programs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from dipc.dipwhile.semantics.liveness import live, live_cells, successors, written
from dipc.dipwhile.syntax.arrays import mentioned
from dipc.dipwhile.syntax.ast import NOWHERE, Expr, Index, Name, Number
from dipc.dipwhile.syntax.core import (
    Cell,
    CoreProgram,
    CoreQuestion,
    Draw,
    Halt,
    Instruction,
    Jump,
    Put,
    Test,
    Variable,
    assignment,
    value_of,
)
from dipc.dipwhile.syntax.walk import bottom_up, map_expressions, nodes, with_children

Group = set[Cell | int]
"""Input and output cells, and segments by their places."""


@dataclass(frozen=True, slots=True)
class Part:
    """The program of a part, and which cells of the whole its inputs and outputs are, in order."""

    program: CoreProgram
    inputs: tuple[Cell, ...]
    outputs: tuple[Cell, ...]


def parts_of(program: CoreProgram) -> tuple[Part, ...]:
    """The parts, two with outputs at least, which share out all inputs and outputs; or none."""
    outputs = {cell for variable in program.outputs for cell in variable.cells}
    if len(outputs) < 2 or any(isinstance(instruction, Halt) for instruction in program.code[:-1]):
        return ()
    segments = _segments(program.code)
    groups = _groups(program, segments)
    if sum(not outputs.isdisjoint(group) for group in groups) < 2:
        return ()
    parts = [_part(program, segments, group) for group in groups]
    return () if None in parts else tuple(part for part in parts if part is not None)


def _segments(code: Sequence[Instruction]) -> dict[int, list[Instruction]]:
    """The segments by the places where they begin; their jumps are counted from there."""
    inside: set[int] = set()
    for pc, instruction in enumerate(code):
        for to in successors(instruction, pc):
            inside.update(range(pc + 1, to), range(to + 1, pc + 1))
    borders = [pc for pc in range(len(code)) if pc not in inside]
    return {low: [_moved(each, -low) for each in code[low:high]] for low, high in pairwise(borders)}


def _moved(instruction: Instruction, by: int) -> Instruction:
    match instruction:
        case Test(otherwise=otherwise):
            return replace(instruction, otherwise=otherwise + by)
        case Jump(to):
            return Jump(to + by)
    return instruction


def _groups(program: CoreProgram, segments: dict[int, list[Instruction]]) -> list[Group]:
    """What belongs together."""
    outputs = frozenset(cell for v in program.outputs for cell in v.cells)
    declared: list[Cell] = [cell for v in (*program.inputs, *program.outputs) for cell in v.cells]
    arrays, live_at, end = dict(program.arrays), live_cells(program), program.code[-1]
    nodes: list[Cell | int] = [*declared, *segments]
    group: dict[Cell | int, Group] = {node: {node} for node in nodes}
    writer: dict[Cell, Cell | int] = {cell: cell for cell in declared}
    for place, code in segments.items():
        targets = written(code, arrays)
        passed_on = targets & live_at[place + len(code)]
        for cell in live([*code, end], arrays, passed_on)[0] | (targets & outputs):
            if cell in writer and group[writer[cell]] is not group[place]:
                small, large = sorted((group[writer[cell]], group[place]), key=len)
                large |= small
                group |= dict.fromkeys(small, large)
        writer |= dict.fromkeys(targets, place)
    return list({id(each): each for each in group.values()}.values())


def _part(program: CoreProgram, segments: dict[int, list[Instruction]], group: Group) -> Part | None:
    """The part; None if it uses as a whole an array that it has some cells of, or if an index is wrong."""
    code: list[Instruction] = []
    for place in sorted(each for each in group if isinstance(each, int)):
        code += [_moved(instruction, len(code)) for instruction in segments[place]]
    whole = _used_as_whole(code, dict(program.arrays))
    declared = (*program.inputs, *program.outputs)
    if whole is None or any(v.name in whole and not group.issuperset(v.cells) for v in declared):
        return None
    names = _Names(program.variables, whole)
    inputs, input_cells = names.declared(program.inputs, group)
    outputs, output_cells = names.declared(program.outputs, group)
    renamed = (*map(names.instruction, code), Halt(NOWHERE))
    own = replace(
        program,
        parameters=(),
        inputs=inputs,
        outputs=outputs,
        claim=None,
        code=renamed,
        arrays=tuple(sorted((names.of(name), size) for name, size in program.arrays if name in whole)),
        variables=frozenset(names.given.values()),
        question=CoreQuestion(),
        empty_ranges=(),
    )
    return Part(own, input_cells, output_cells)


def _used_as_whole(code: Sequence[Instruction], sizes: Mapping[str, int]) -> frozenset[str] | None:
    """The arrays that are arguments or have a computed index; None if a constant index is wrong."""
    whole = set()
    for node in (node for each in code for part in mentioned(each) for node in nodes(part)):
        match node:
            case Index(array, Number(k)) if k.q != 1 or not 1 <= k <= sizes[array]:
                return None
            case Index(_, Number()):
                pass
            case Index(name) | Name(name) if name in sizes:
                whole.add(name)
    return frozenset(whole)


class _Names:
    """The names of a part as they are given, ``given`` by cells: for an array as a whole, its cell 0."""

    def __init__(self, variables: frozenset[str], whole: frozenset[str]) -> None:
        self.given: dict[Cell, str] = {}
        self._variables, self._whole = variables, whole

    def of(self, name: str, k: int = 0) -> str:
        """The name of an array as a whole, or of a cell."""
        cell = name, 0 if name in self._whole else k
        return self.given.setdefault(cell, f"#{len(self.given) + 1}")

    def declared(
        self, variables: Sequence[Variable], group: Group
    ) -> tuple[tuple[Variable, ...], tuple[Cell, ...]]:
        """The inputs or outputs in the group: arrays used as a whole, and single cells; and all cells."""
        own = []
        for v in variables:
            whole = v.name in self._whole
            names = [self.of(*cell) for cell in (v.cells[:1] if whole else v.cells) if cell in group]
            own += [replace(v, name=name, size=v.size if whole else None, span=NOWHERE) for name in names]
        return tuple(own), tuple(cell for v in variables for cell in v.cells if cell in group)

    def instruction(self, instruction: Instruction) -> Instruction:
        """The instruction with the names of the part, and without its place in the text."""
        match instruction:
            case Put() | Draw():
                target = self._expression(instruction.target)
                assert isinstance(target, Name | Index)
                value = map_expressions(value_of(instruction), self._expression)
                return assignment(target, value, NOWHERE)
            case Test(condition):
                return replace(instruction, condition=self._expression(condition), span=NOWHERE)
        return instruction

    def _expression(self, expr: Expr) -> Expr:
        return bottom_up(expr, lambda node, parts: self._node(with_children(node, parts)))

    def _node(self, node: Expr) -> Expr:
        match node:
            case Index(array, Number(k)) if array not in self._whole:
                return Name(self.of(array, int(k.p)), span=node.span)
            case Index(array, index):
                return Index(self.of(array), index, span=node.span)
            case Name(name) if name in self._variables:
                return Name(self.of(name), span=node.span)
        return node
