"""A checked program as a core program of ``Core.v``: the part of the language with finitely many states.

Booleans are 1 and 0, other atoms are numbers that do not occur in the program.  What is outside the fragment
is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from itertools import chain
from typing import assert_never

from flint import fmpq

from dipc.dipwhile.export.coq.core_syntax import Block, Statement, Term, number, size
from dipc.dipwhile.semantics.evaluate import spelled_cell
from dipc.dipwhile.semantics.liveness import live_cells, successors
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.arrays import instruction_parts
from dipc.dipwhile.syntax.ast import Op
from dipc.dipwhile.syntax.core import Cell, CoreProgram, Draw, Halt, Instruction, Jump, Put, Test
from dipc.dipwhile.syntax.unroll import substitute
from dipc.dipwhile.syntax.walk import nodes
from dipc.errors import Span, Unsupported

MOST_STATEMENTS = 20_000
MOST_POWER = 100
BINARY = {
    Op.ADD: "Added",
    Op.SUB: "Reduced",
    Op.MUL: "Times",
    Op.DIV: "Divided",
    Op.EQ: "Equal",
    Op.AND: "And",
}
BINARY |= {Op.OR: "Or", Op.LT: "Less", Op.LE: "AtMost"}
SWAPPED = {Op.GT: "Less", Op.GE: "AtMost"}
OF_EPS = {Op.ADD: "Sum", Op.SUB: "Difference", Op.MUL: "Product", Op.DIV: "Quotient"}
ZERO = number(0)


def refused(what: str, span: Span | None = None) -> Unsupported:
    """The error for what is outside the fragment."""
    return Unsupported(f"{what} is not in the part of the language that Coq knows", span)


@dataclass(frozen=True)
class Translation:
    """A program, and the names of its cells in Coq; those of the input come first."""

    program: CoreProgram

    @cached_property
    def cells(self) -> dict[Cell, str]:
        """All cells with their names."""
        inputs = list(chain.from_iterable(variable.cells for variable in self.program.inputs))
        arrays = dict(self.program.arrays)
        others = [
            (name, i)
            for name in sorted(self.program.variables)
            for i in (range(1, arrays[name] + 1) if name in arrays else (0,))
        ]
        names: dict[Cell, str] = {}
        for cell in (*inputs, *others):
            if cell not in names:
                stem = "v_" + "".join(
                    c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in cell[0]
                )
                wanted = f"{stem}_{cell[1]}" if cell[1] else stem
                names[cell] = wanted if wanted not in names.values() else f"{wanted}_cell_{len(names)}"
        return names

    @cached_property
    def outputs(self) -> list[str]:
        """The cells of the outputs, in the order of their declaration."""
        return [self.cells[cell] for variable in self.program.outputs for cell in variable.cells]

    # --- statements ---

    def block(self) -> Block:
        """The whole program."""
        if self.program.unit:
            raise refused("noise with a fixed rate")
        code = self.region(0, len(self.program.code))
        if size(code) > MOST_STATEMENTS:
            raise Unsupported(f"the program has more than {MOST_STATEMENTS} statements for Coq")
        return code

    @cached_property
    def joins(self) -> list[int]:
        """For every instruction the next one that all runs from there pass; the last one is the end."""
        code = self.program.code
        end = len(code)
        joins = [end] * (end + 1)
        for pc in reversed(range(end)):
            places = set(successors(code[pc], pc))
            if any(to <= pc for to in places):
                raise refused("a loop `while`", getattr(code[min(places)], "span", None))
            while len(places) > 1:
                least = min(places)
                places = (places - {least}) | {joins[least]}
            joins[pc] = places.pop() if places else end
        return joins

    def region(self, pc: int, stop: int) -> Block:
        """The statements from one place to another."""
        found: list[Statement] = []
        while pc != stop:
            instruction = self.program.code[pc]
            if isinstance(instruction, Draw) and isinstance(instruction.distribution, ast.Noise):
                return (*found, self.noise(instruction.target, instruction.distribution, pc, stop))
            if isinstance(instruction, Test):
                yes, no = (
                    self.region(pc + 1, self.joins[pc]),
                    self.region(instruction.otherwise, self.joins[pc]),
                )
                condition = self.expression(instruction.condition)
                found.append(Statement("If", terms=(condition,), blocks=(yes, no)))
            else:
                found += self.simple(instruction)
            pc = self.joins[pc]
        return tuple(found)

    def simple(self, instruction: Instruction) -> Block:
        """An assignment or a draw; nothing for a jump."""
        match instruction:
            case Put(target, value):
                found = self.expression(value)
                return self.assigned(target, lambda x: Statement("Assign", x, (found,)))
            case Draw(target, distribution):
                return self.assigned(target, lambda x: self.draw(x, distribution))
            case Jump() | Halt() | Test():
                return ()
            case _:
                assert_never(instruction)

    def assigned(self, target: ast.Name | ast.Index, make: Callable[[str], Statement]) -> Block:
        """A statement for every cell that the target may be."""
        if isinstance(target, ast.Name):
            return (make(self.cells[target.name, 0]),)
        index = self.expression(target.index)
        if index.constant is not None:
            return (make(self.cells[target.array, int(index.constant)]),)
        statements: Block = ()
        for i in reversed(range(1, dict(self.program.arrays)[target.array] + 1)):
            cell = make(self.cells[target.array, i])
            here = Term("Equal", (index, number(i)))
            statements = (Statement("If", terms=(here,), blocks=((cell,), statements)),)
        return statements

    def noise(self, target: ast.Name | ast.Index, noise: ast.Noise, pc: int, stop: int) -> Statement:
        """A sample that the rest of its block, up to ``stop``, may compare with numbers."""
        if noise.kind != "DLap":
            raise refused(f"the noise `{noise.kind}`", noise.span)
        cell = self.cell_of(target)
        ends = {(v.name, i) for v in self.program.outputs for _, i in v.cells}
        later = live_cells(self.program)[stop] if stop < len(self.program.code) else ends
        if cell in later:
            raise refused(f"a sample `{spelled_cell(cell)}` that is read after its block", noise.span)
        terms = self.weight(noise.rate), self.expression(noise.mean)
        return Statement("Noise", self.cells[cell], terms, blocks=(self.region(pc + 1, stop),))

    def cell_of(self, target: ast.Name | ast.Index) -> Cell:
        """The cell of a sample."""
        index = number(0) if isinstance(target, ast.Name) else self.expression(target.index)
        if index.constant is None:
            raise refused("a sample with a computed index", target.span)
        return (target.name if isinstance(target, ast.Name) else target.array), int(index.constant)

    def draw(self, x: str, distribution: ast.Distribution) -> Statement:
        """What draws a cell."""
        match distribution:
            case ast.Noise():
                raise AssertionError("written with the rest of its block")
            case ast.Flip(probability):
                return Statement("Flip", x, (self.weight(probability),))
            case ast.Choose(options):
                chances = tuple((self.expression(v), self.weight(p)) for v, p in options)
                return Statement("Choose", x, options=chances)
            case ast.Uniform(support):
                return Statement("Uniform", x, tuple(map(number, self.members(support))))
            case ast.ExpMechanism(rate, variable, support, score):
                pairs = ((v, {variable: fmpq(v.numerator, v.denominator)}) for v in self.members(support))
                scores = (
                    (number(v), Term("Const", (self.expression(substitute(score, given)),)))
                    for v, given in pairs
                )
                return Statement("Exponential", x, (self.weight(rate),), tuple(scores))
            case _:
                assert_never(distribution)

    def members(self, support: ast.FiniteSet) -> list[Fraction]:
        """A constant set, without repetitions."""
        if isinstance(support, ast.SetOf):
            return list(dict.fromkeys(map(self.constant, support.members)))
        low, high = self.constant(support.low), self.constant(support.high)
        return [Fraction(i) for i in range(int(low), int(high) + 1)]

    def constant(self, expr: ast.Expr) -> Fraction:
        """The value of an expression that reads no cell."""
        found = self.expression(expr).constant
        if found is None:
            raise refused("a set or an exponent that depends on variables", expr.span)
        return found

    # --- expressions ---

    def expression(self, expr: ast.Expr) -> Term:
        """An expression of values."""
        match expr:
            case ast.Number(value):
                return number(Fraction(int(value.p), int(value.q)))
            case ast.Name(name):
                return self.named(name)
            case ast.Index():
                return self.indexed(expr)
            case ast.Unary(op, operand):
                part = self.expression(operand)
                return Term("Not", (part,)) if op is Op.NOT else folded("Reduced", ZERO, part)
            case ast.Binary(op, left, right):
                return self.binary(expr, self.expression(left), self.expression(right))
            case ast.Call(function, arguments):
                return self.call(function, self.arguments(arguments), expr.span)
            case ast.Eps():
                raise refused("eps in an expression of values", expr.span)
            case ast.Fold():
                raise AssertionError("unrolled before")
            case _:
                assert_never(expr)

    def named(self, name: str) -> Term:
        """A variable, or an atom."""
        if (name, 0) in self.cells:
            return Term("Cell", (self.cells[name, 0],))
        return number(self.atoms[name])

    @cached_property
    def atoms(self) -> Atoms:
        """The numbers of atoms; other than ``true`` and ``false`` they are above all numbers of the text."""
        read = (node for i in self.program.code for part in instruction_parts(i) for node in nodes(part))
        values = [node.value for node in read if isinstance(node, ast.Number)]
        values += [v for variable in self.program.inputs for v in variable.domain if isinstance(v, fmpq)]
        return Atoms(max([1, *(int(value.ceil()) for value in values)]) + 1)

    def indexed(self, expr: ast.Index) -> Term:
        """A cell of an array; with a computed index the one that it names."""
        index = self.expression(expr.index)
        if index.constant is not None:
            return Term("Cell", (self.cells[expr.array, int(index.constant)],))
        whole = range(1, dict(self.program.arrays)[expr.array] + 1)
        *cells, last = (Term("Cell", (self.cells[expr.array, i],)) for i in whole)
        for i, cell in reversed(list(enumerate(cells, start=1))):
            last = Term("Cond", (Term("Equal", (index, number(i))), cell, last))
        return last

    def binary(self, expr: ast.Binary, left: Term, right: Term) -> Term:
        """An operator."""
        match expr.op:
            case Op.GT | Op.GE:
                return Term(SWAPPED[expr.op], (right, left))
            case Op.NE:
                return Term("Not", (Term("Equal", (left, right)),))
            case Op.POW:
                return powered(self.power(expr.right), left, "Times", "Divided", number(1))
        return folded(BINARY[expr.op], left, right)

    def power(self, exponent: ast.Expr) -> int:
        """A constant exponent."""
        value = self.constant(exponent)
        if value.denominator != 1 or abs(value) > MOST_POWER:
            raise refused(f"the exponent {value}", exponent.span)
        return int(value)

    def arguments(self, arguments: Iterable[ast.Expr]) -> list[Term]:
        """The arguments of a function, an array standing for its cells."""
        arrays = dict(self.program.arrays)
        found: list[Term] = []
        for argument in arguments:
            if isinstance(argument, ast.Name) and argument.name in arrays:
                cells = ((argument.name, i) for i in range(1, arrays[argument.name] + 1))
                found += (Term("Cell", (self.cells[cell],)) for cell in cells)
            else:
                found.append(self.expression(argument))
        return found

    def call(self, function: str, given: list[Term], span: Span) -> Term:
        """A function of values."""
        match function:
            case "max" | "min":
                return reduce(lambda a, b: Term("Maximum" if function == "max" else "Minimum", (a, b)), given)
            case "sum" | "count":
                return reduce(lambda a, b: folded("Added", a, b), given, ZERO if not given else given.pop(0))
            case "abs":
                return Term("Maximum", (given[0], folded("Reduced", ZERO, given[0])))
            case "argmax" | "argmin":
                return best(given, largest=function == "argmax")
            case "disc":
                return levels(*given)
            case "floor":
                return Term("Floor", (given[0],))
            case "ceil":
                return folded("Reduced", ZERO, Term("Floor", (folded("Reduced", ZERO, given[0]),)))
            case "mod":
                a, b = given
                return Term("Reduced", (a, Term("Times", (b, Term("Floor", (Term("Divided", (a, b)),))))))
        raise refused(f"the function `{function}` here", span)

    # --- functions of eps ---

    def weight(self, expr: ast.Expr) -> Term:
        """A probability or a rate."""
        match expr:
            case ast.Eps():
                return Term("Eps")
            case ast.Unary(Op.NEG, operand):
                return Term("Difference", (Term("Const", (ZERO,)), self.weight(operand)))
            case ast.Call("exp", (argument,)):
                return Term("Exp", (self.weight(argument),))
            case ast.Binary(op, left, right) if op in OF_EPS:
                parts = self.weight(left), self.weight(right)
                if all(part.head == "Const" for part in parts):
                    return Term("Const", (self.expression(expr),))
                return Term(OF_EPS[op], parts)
            case ast.Binary(Op.POW, base, exponent):
                one = Term("Const", (number(1),))
                return powered(self.power(exponent), self.weight(base), "Product", "Quotient", one)
        return Term("Const", (self.expression(expr),))


class Atoms(dict[str, Fraction]):
    """The numbers of atoms, given as they are asked for, from one number on."""

    def __init__(self, first: int) -> None:
        super().__init__(true=Fraction(1), false=Fraction(0))
        self.first = first

    def __missing__(self, name: str) -> Fraction:
        self[name] = Fraction(self.first + len(self) - 2)
        return self[name]


def folded(head: str, left: Term, right: Term) -> Term:
    """A sum, difference ... of expressions; a number if both sides are."""
    a, b = left.constant, right.constant
    if a is not None and b is not None:
        match head:
            case "Added":
                return number(a + b)
            case "Reduced":
                return number(a - b)
            case "Times":
                return number(a * b)
            case "Divided" if b:
                return number(a / b)
    return Term(head, (left, right))


def powered(n: int, base: Term, times: str, over: str, one: Term) -> Term:
    """A power, as a product."""
    product = reduce(lambda a, b: Term(times, (a, b)), [base] * abs(n)) if n else one
    return product if n >= 0 else Term(over, (one, product))


def best(values: Sequence[Term], largest: bool) -> Term:
    """The place of the largest, or least, value, counted from 1; the first one among equals."""
    found = number(len(values))
    for i in reversed(range(len(values) - 1)):
        rest = values[i + 1 :]
        pairs = [(b, values[i]) if largest else (values[i], b) for b in rest]
        wins = reduce(lambda a, b: Term("And", (a, b)), (Term("AtMost", pair) for pair in pairs))
        found = Term("Cond", (wins, number(i + 1), found))
    return found


def levels(x: Term, *values: Term) -> Term:
    """The first level that is not below x, else the last one."""
    *most, found = values
    for level in reversed(most):
        found = Term("Cond", (Term("AtMost", (x, level)), level, found))
    return found
