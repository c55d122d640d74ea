"""What is certain to go wrong: a division by zero, a cell that does not exist, a value outside its set.

What no path of positive probability reaches is not evaluated, so such an error counts only where evaluation
gets to it, and the exploration of the program finds it there.  This module finds earlier what is certain: in
the instructions before the first branch, outside the right sides of ``and`` and ``or``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from flint import fmpq

from dipc.dipwhile.syntax import ast, types
from dipc.dipwhile.syntax.arrays import (
    Sizes,
    assignments,
    check_range,
    check_uses,
    check_whole_arrays,
    instruction_parts,
)
from dipc.dipwhile.syntax.core import Halt, Instruction, Jump, Test, Variable, value_of
from dipc.dipwhile.syntax.kinds import Kinds, show_domain
from dipc.dipwhile.syntax.names import Names, Scope, check_expression, target_name
from dipc.dipwhile.syntax.simplify import why_no_value
from dipc.dipwhile.syntax.unroll import Constants, substitute
from dipc.dipwhile.syntax.walk import children, nodes, preorder
from dipc.errors import InputError
from dipc.models.values import Atom, Value, show


def check_certain(
    code: Sequence[Instruction], sizes: Sizes, outputs: Mapping[str, Variable], everywhere: bool = False
) -> None:
    """Refuse what is certain to go wrong; ``everywhere``: wherever it stands, evaluated or not."""
    inside = children if everywhere else evaluated
    domains = {name: frozenset(output.domain) for name, output in outputs.items()}
    for instruction in code if everywhere else reached(code):
        for part in instruction_parts(instruction):
            check_nodes(preorder(part, inside), sizes)
        for assigned in assignments((instruction,)):
            check_nodes((assigned.target,), sizes)
            if (output := outputs.get(target_name(assigned.target))) is not None:
                for expr, value in constants(value_of(assigned)):
                    if value not in domains[output.name]:
                        message = f"the output `{output.name}` is assigned `{show(value)}`"
                        hint = f"its set is `{show_domain(output.domain)}`"
                        raise InputError(f"{message}, which is not in its set", expr.span, hint)


def reached(code: Sequence[Instruction]) -> Iterator[Instruction]:
    """The instructions that every path begins with, of all or of the distinct ones."""
    for instruction in code:
        yield instruction
        if isinstance(instruction, Test | Jump | Halt):
            return


def evaluated(expr: ast.Expr) -> tuple[ast.Expr, ...]:
    """The parts of an expression that are evaluated whenever it is."""
    return (expr.left,) if isinstance(expr, ast.Binary) and expr.op in ast.CONNECTIVES else children(expr)


def compile_about(
    expr: ast.Expr,
    variables: Sequence[Variable],
    constants: Constants,
    role: str,
    wanted: Kinds = Kinds.BOOLEAN,
    *,
    atoms: frozenset[str] = frozenset(),
    scope: Scope = frozenset(),
    primes: bool = False,
) -> ast.Expr:
    """An expression about inputs or outputs, with constants evaluated; refuses what is wrong in it anywhere.

    It may mention the variables (and, with ``primes``, neighbours), constants, and atoms: these and those in
    the sets of the variables.
    """
    none: frozenset[str] = frozenset()
    named = frozenset(variable.name for variable in variables)
    atoms |= {value.name for v in variables for value in v.domain if isinstance(value, Atom)}
    check_expression(expr, Names(frozenset(constants), named, none, none, atoms), scope, primes)
    check_whole_arrays(expr, variables)
    core = substitute(expr, constants)
    types.refuse_eps((core,))
    sizes = {variable.name: variable.size for variable in variables if variable.size is not None}
    check_uses(core, sizes)
    check_nodes(nodes(core), sizes)
    types.require(core, types.check(core, types.declared_kinds(variables)), wanted, role)
    for node in nodes(core):
        types.check_constant(node)
    return core


def refuse_names(expr: ast.Expr, others: Collection[str], what: str, hint: str) -> None:
    """Refuse an expression that mentions one of these, which is not ``what`` it may mention."""
    for node in nodes(expr):
        if isinstance(node, ast.Name | ast.Index) and (name := target_name(node)) in others:
            raise InputError(f"`{name}` is not {what}", node.span, hint)


def check_nodes(found: Iterable[ast.Expr], sizes: Sizes) -> None:
    """Refuse divisions by zero and cells that do not exist."""
    for node in found:
        if reason := why_no_value(node):
            raise InputError(reason, node.span, types.NO_VALUE_HINT)
        if isinstance(node, ast.Index):
            check_range(node, sizes)


def constants(assigned: ast.Expr | ast.Distribution) -> Iterator[tuple[ast.Expr, Value]]:
    """The constants among the values that are assigned with a positive probability."""
    match assigned:
        case ast.Choose(options):
            zero = ast.Number(fmpq(0))
            candidates: Sequence[ast.Expr] = [value for value, probability in options if probability != zero]
        case ast.Uniform(ast.SetOf(members)):
            candidates = members
        case _:
            candidates = (assigned,) if isinstance(assigned, ast.Expr) else ()
    for expr in candidates:
        match expr:
            case ast.Number(value):
                yield expr, value
            case ast.Name("true" | "false" as name):
                yield expr, Atom(name)
