"""The change of inputs: their cells in another order, and their values reflected."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, cast

from flint import fmpq
from hypothesis import strategies as st
from laws.changes import Changed, Draw, constant_value, fresh, integer, members, renamed, shuffled

from dipc.dipwhile.rederive.programs import InputValue
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.ast import Assign, Binary, Name, Number, Op, Program, Statement
from dipc.dipwhile.syntax.walk import bottom_up, map_expressions, with_children


def permuting(draw: Draw, program: Program) -> Changed | None:
    """Cells of inputs in the opposite order, their values reflected, and declarations in another order.

    All domains of the random programs are symmetric, and so are the named adjacencies.  The program first
    restores its old inputs under new names; a formula for adjacency is rewritten.
    """
    if not program.inputs:
        return None
    mirrors = [mirror(draw, program, declaration) for declaration in program.inputs]
    copies = {each.name: fresh(program, f"old_{each.name}") for each in mirrors}
    prologue = tuple(each.restore(copies[each.name]) for each in mirrors)
    adjacency = program.adjacency
    if isinstance(adjacency, ast.FormulaAdjacency):
        adjacency = map_expressions(
            adjacency, lambda e: bottom_up(e, lambda x, new: mirrored(mirrors, x, new))
        )
    inputs = tuple(each.declaration for each in mirrors)
    new = replace(
        program,
        inputs=shuffled(draw, inputs),
        outputs=shuffled(draw, program.outputs),
        adjacency=adjacency,
        body=(*prologue, *(renamed(statement, copies) for statement in program.body)),
    )
    return Changed(new, lambda old: {each.name: each.value(old[each.name]) for each in mirrors})


@dataclass(frozen=True)
class Mirror:
    """One input, its new declaration, the size of an array, and what happens to cells and values."""

    name: str
    declaration: ast.Declaration
    boolean: bool
    total: Fraction  # of a number and its reflection
    size: int | None
    turned: bool
    reflected: bool

    def cell(self, value: Any) -> Any:
        if not self.reflected:
            return value
        return {"true": "false", "false": "true"}[value] if self.boolean else self.total - value

    def value(self, value: InputValue) -> InputValue:
        if not isinstance(value, tuple):
            return cast(InputValue, self.cell(value))
        return tuple(map(self.cell, reversed(value) if self.turned else value))

    def expression(self, cell: ast.Expr) -> ast.Expr:
        """The reflection of a cell."""
        if not self.reflected:
            return cell
        if self.boolean:
            return ast.Unary(Op.NOT, cell)
        return Binary(Op.SUB, Number(fmpq(self.total.numerator, self.total.denominator)), cell)

    def index(self, index: ast.Expr) -> ast.Expr:
        """The new place of a cell."""
        assert self.size is not None
        return Binary(Op.SUB, integer(self.size + 1), index) if self.turned else index

    def restore(self, copy: str) -> Statement:
        """The statement that copies the old input."""
        if self.size is None:
            return Assign(Name(copy), self.expression(Name(self.name)))
        cell = ast.Index(self.name, self.index(Name("cell")))
        body = (Assign(ast.Index(copy, Name("cell")), self.expression(cell)),)
        return ast.For("cell", integer(1), integer(self.size), body)


def mirror(draw: Draw, program: Program, declaration: ast.Declaration) -> Mirror:
    """What happens to one input."""
    values = members(cast(ast.FiniteSet, declaration.domain))
    boolean = Name("true") in values
    numbers = [] if boolean else [constant_value(value) for value in values]
    domain = ast.SetOf(shuffled(draw, values))
    return Mirror(
        name=declaration.name,
        declaration=replace(declaration, domain=domain),
        boolean=boolean,
        total=min(numbers) + max(numbers) if numbers else Fraction(0),
        size=size_of(program, declaration.size),
        turned=declaration.size is not None and draw(st.booleans()),
        reflected=draw(st.booleans()),
    )


def size_of(program: Program, size: ast.Expr | None) -> int | None:
    """The size of an input, a number or a parameter."""
    if isinstance(size, Name):
        size = next(param.value for param in program.params if param.name == size.name)
    return None if size is None else int(constant_value(size))


def mirrored(mirrors: list[Mirror], expr: ast.Expr, new: tuple[ast.Expr, ...]) -> ast.Expr:
    """A node of an adjacency formula, its parts being rewritten, about the new inputs."""
    expr = with_children(expr, new)
    for each in mirrors:
        match expr:
            case Name(each.name):
                return each.expression(expr)
            case ast.Index(each.name, index):
                return each.expression(replace(expr, index=each.index(index)))
    return expr
