"""Which names of a program only ever hold integers."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from flint import fmpq

from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.distributions import NOISE
from dipc.dipwhile.syntax.names import target_name
from dipc.dipwhile.syntax.unroll import Constants, substitute
from dipc.dipwhile.syntax.walk import bottom_up, statements

Assigned = Sequence[tuple[str, ast.Expr | ast.Distribution]]
"""The names that are assigned, each with a value."""


def assigned_values(body: ast.Block) -> Assigned:
    """All assignments of a body; the variable of a loop is an integer."""
    found = [(target_name(s.target), s.value) for s, _ in statements(body) if isinstance(s, ast.Assign)]
    loops = (s for s, _ in statements(body) if isinstance(s, ast.For))
    return [*found, *((loop.variable, ast.Number(fmpq(1))) for loop in loops)]


def integer_names(assigned: Assigned, known: Collection[str], constants: Constants) -> frozenset[str]:
    """Of all names those that only ever hold integers: ``known`` ones, and those assigned nothing else.

    The greatest set that agrees with all assignments, whatever their order.
    """
    found = frozenset({*known, *(name for name, _ in assigned)})
    while True:
        wrong = {name for name, value in assigned if not _draws_integer(value, found, constants)}
        if not wrong & found:
            return found
        found -= wrong


def _draws_integer(value: ast.Expr | ast.Distribution, names: frozenset[str], constants: Constants) -> bool:
    match value:
        case ast.Noise(kind):
            return NOISE[kind].integer
        case ast.Choose(options):
            return all(is_integer(option, names, constants) for option, _ in options)
        case ast.Uniform(support) | ast.ExpMechanism(support=support):
            ends = support.members if isinstance(support, ast.SetOf) else (support.low, support.high)
            return all(is_integer(end, names, constants) for end in ends)
    return isinstance(value, ast.Expr) and is_integer(value, names, constants)


WHOLE = {"floor", "ceil", "count", "argmax", "argmin"}
"""The functions whose values are integers; those of KEEPING are, if their arguments are."""
KEEPING = {"sum", "max", "min", "abs", "mod"}


def is_integer(expr: ast.Expr, names: Collection[str], constants: Constants) -> bool:
    """Whether a value is surely an integer, where ``names`` hold integers."""

    def visit(node: ast.Expr, parts: tuple[bool, ...]) -> bool:
        match node:
            case ast.Number(value):
                return bool(value.q == 1)
            case ast.Name(name) | ast.Index(name):
                return name in names
            case ast.Binary(op):
                return op in (ast.Op.ADD, ast.Op.SUB, ast.Op.MUL) and all(parts)
            case ast.Unary(op):
                return op is ast.Op.NEG and all(parts)
            case ast.Call(function):
                return function in WHOLE or (function in KEEPING and all(parts))
            case ast.Fold(kind):
                return kind == "count" or (kind == "sum" and parts[2])
        return False

    return bottom_up(substitute(expr, constants), visit)
