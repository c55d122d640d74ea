"""Expressions about an input and the final outputs: what is accurate, on which inputs, and what is measured.

A condition on inputs may compare ``gap(E)``, the least distance to an input at which E has another value.
Each ``gap(E)`` becomes an input of its own, whose name is its text and whose value is filled in later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq

from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.arrays import check_whole_arrays
from dipc.dipwhile.syntax.certain import check_formula
from dipc.dipwhile.syntax.core import CoreProgram, Variable
from dipc.dipwhile.syntax.kinds import Kinds
from dipc.dipwhile.syntax.names import Names, check_expression, target_name
from dipc.dipwhile.syntax.parser import parse_expression
from dipc.dipwhile.syntax.printer import as_written
from dipc.dipwhile.syntax.unroll import substitute
from dipc.dipwhile.syntax.walk import bottom_up, nodes, with_children
from dipc.errors import InputError
from dipc.models.values import Atom

GAP = "gap"


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on inputs; ``gaps`` are the expressions whose gaps it compares, by the names of these."""

    text: str
    expr: ast.Expr
    gaps: tuple[tuple[str, ast.Expr], ...]


def read_good(text: str, program: CoreProgram, name: str) -> ast.Expr:
    """What is accurate: a Boolean expression of inputs and outputs; messages call the text ``name``."""
    return compile_measure(parse_expression(text, name), program, "what is accurate", Kinds.BOOLEAN)


def read_measure(text: str, program: CoreProgram, name: str) -> ast.Expr:
    """A number that depends on inputs and outputs."""
    return compile_measure(parse_expression(text, name), program, "what is measured", Kinds.NUMBER)


def read_condition(text: str, program: CoreProgram, name: str) -> Condition:
    """A condition on inputs, which may compare gaps."""
    return compile_condition_on_inputs(parse_expression(text, name), program)


def compile_measure(expr: ast.Expr, program: CoreProgram, role: str, wanted: Kinds) -> ast.Expr:
    """An expression of inputs and outputs with its constants evaluated; refuses one that has no value."""
    return _compiled(expr, program, (*program.inputs, *program.outputs), role, wanted)


def compile_condition_on_inputs(expr: ast.Expr, program: CoreProgram) -> Condition:
    """The condition and the expressions of its gaps, with constants evaluated."""
    gaps: dict[str, ast.Expr] = {}
    compared = [
        side
        for node in nodes(expr)
        if isinstance(node, ast.Binary) and node.op in ast.COMPARISONS
        for side in (node.left, node.right)
        if _is_gap(side)
    ]
    found = [node for node in nodes(expr) if _is_gap(node)]
    for node in found:
        assert isinstance(node, ast.Call)
        if not any(node is side for side in compared):
            hint = "it may be infinite, so that it can only be compared: `gap(max(q)) > 1`"
            raise InputError("`gap` is not compared with a number", node.span, hint)
        if len(node.arguments) != 1 or any(_is_gap(inner) for inner in nodes(node.arguments[0])):
            hint = "for example `gap(max(q)) > 1`"
            raise InputError("`gap` takes one expression of the inputs", node.span, hint)
        (about,) = node.arguments
        some = Kinds.NUMBER | Kinds.BOOLEAN | Kinds.ATOM
        gaps[as_written(node)] = _compiled(about, program, program.inputs, "`gap`", some)

    def named(node: ast.Expr, parts: tuple[ast.Expr, ...]) -> ast.Expr:
        return ast.Name(as_written(node), span=node.span) if _is_gap(node) else with_children(node, parts)

    numbers = (Variable(name, None, (fmpq(0),), None, expr.span) for name in gaps)
    variables = (*program.inputs, *numbers)
    core = _compiled(bottom_up(expr, named), program, variables, "a condition", Kinds.BOOLEAN)
    return Condition(as_written(expr), core, tuple(gaps.items()))


def _is_gap(node: ast.Expr) -> bool:
    return isinstance(node, ast.Call) and node.function == GAP


def _compiled(
    expr: ast.Expr, program: CoreProgram, variables: Sequence[Variable], role: str, wanted: Kinds
) -> ast.Expr:
    """The expression with its constants evaluated; it may mention these variables, parameters and atoms."""
    none: frozenset[str] = frozenset()
    known = frozenset(variable.name for variable in variables)
    for node in nodes(expr):
        if isinstance(node, ast.Name | ast.Index) and target_name(node) in program.variables - known:
            kind = "an input or an output" if any(v in variables for v in program.outputs) else "an input"
            hint = f"{role} may depend on: {', '.join(sorted(known)) or 'nothing'}"
            raise InputError(f"`{target_name(node)}` is not {kind}", node.span, hint)
    constants = dict(program.parameters)
    declared = (*program.inputs, *program.outputs)
    atoms = frozenset(value.name for v in declared for value in v.domain if isinstance(value, Atom))
    check_expression(expr, Names(frozenset(constants), known, none, none, atoms), none)
    check_whole_arrays(expr, variables)
    core = substitute(expr, constants)
    check_formula(core, variables, role, wanted)
    return core
