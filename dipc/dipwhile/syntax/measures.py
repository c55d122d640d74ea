"""Expressions about an input and the final outputs: what is accurate, on which inputs, and what is measured.

A condition on inputs may compare ``gap(E)``, the least distance to an input at which E has another value.
Each ``gap(E)`` becomes an input of its own, whose name is its text and whose value is filled in later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq

from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.certain import compile_about, refuse_names
from dipc.dipwhile.syntax.core import CoreProgram, Variable
from dipc.dipwhile.syntax.kinds import Kinds
from dipc.dipwhile.syntax.printer import as_written
from dipc.dipwhile.syntax.walk import bottom_up, nodes, with_children
from dipc.errors import InputError

GAP = "gap"


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on inputs; ``gaps`` are the expressions whose gaps it compares, by the names of these."""

    text: str
    expr: ast.Expr
    gaps: tuple[tuple[str, ast.Expr], ...]


def compile_good(expr: ast.Expr, program: CoreProgram) -> ast.Expr:
    """What is accurate: a Boolean expression of inputs and outputs, with its constants evaluated."""
    variables = (*program.inputs, *program.outputs)
    return _compiled(expr, program, variables, "what is accurate", Kinds.BOOLEAN)


def compile_measure(expr: ast.Expr, program: CoreProgram) -> ast.Expr:
    """The same of a number that depends on inputs and outputs."""
    variables = (*program.inputs, *program.outputs)
    return _compiled(expr, program, variables, "what is measured", Kinds.NUMBER)


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
    known = {variable.name for variable in variables}
    kind = "an input or an output" if any(v in variables for v in program.outputs) else "an input"
    hint = f"{role} may depend on: {', '.join(sorted(known)) or 'nothing'}"
    refuse_names(expr, program.variables - known, kind, hint)
    return compile_about(expr, variables, dict(program.parameters), role, wanted)
