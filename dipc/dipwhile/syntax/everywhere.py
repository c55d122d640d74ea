"""What is checked on the text, also in branches and loops that unrolling removes: kinds, arrays, one type.

Whether ``if N > 3`` is dead depends on N, and whether the code in it is right must not.  So parameters and
loop variables are numbers here of which nothing else is known.  What depends on values (a division by zero, a
cell outside its array) is asked only where it is evaluated: in unrolled code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dipc.dipwhile.syntax import ast, types
from dipc.dipwhile.syntax.arrays import array_names, assignments, check_uses, mentioned
from dipc.dipwhile.syntax.core import Instruction, Test, Variable, assignment, value_of
from dipc.dipwhile.syntax.kinds import Kinds, describe
from dipc.dipwhile.syntax.names import target_name
from dipc.dipwhile.syntax.unroll import Constants, substitute
from dipc.dipwhile.syntax.walk import own_parts, parts, preorder, statements
from dipc.errors import InputError, Span
from dipc.models.values import show


def check_everywhere(
    program: ast.Program,
    variables: Sequence[Variable],
    unlisted: types.Unlisted,
    local: frozenset[str],
    noise_in_loops: bool,
) -> frozenset[str]:
    """The names of arrays; refuses wrong kinds and uses of arrays in all of a program's text.

    ``variables`` are its inputs and outputs.
    """
    check_bounds(program)
    code = as_code(program.body)
    arrays = array_names(code, variables)
    for part in (part for instruction in code for part in mentioned(instruction)):
        check_uses(part, arrays)
    types.check_budget(code)
    numbers = dict.fromkeys(constants_of(program), Kinds.NUMBER)
    kinding = types.infer(code, {**numbers, **types.declared_kinds(variables, unlisted)}, local)
    types.check_types(code, kinding)
    if not noise_in_loops:
        types.check_loops(program.body, kinding)
    check_one_type(variables, code, kinding)
    outputs = {output.name for output in program.outputs}
    types.check_outputs(code, {v.name: v for v in variables if v.name in outputs}, kinding, unlisted)
    return arrays


def as_code(body: ast.Block) -> list[Instruction]:
    """The assignments and conditions of a text, which jump nowhere."""
    code: list[Instruction] = []
    for statement, _ in statements(body):
        match statement:
            case ast.Assign(target, value):
                code.append(assignment(target, value, statement.span))
            case ast.If(branches):
                code += (Test(condition, 0, condition.span) for condition, _ in branches)
            case ast.While(condition):
                code.append(Test(condition, 0, condition.span, is_loop=True))
    return code


# --- ranges ------------------------------------------------------------------------------------

Ranged = ast.For | ast.Fold | ast.SecretFor


def ranged(root: ast.Node) -> Iterator[Ranged]:
    """Everything that runs over a range."""
    return (node for node in preorder(root, parts) if isinstance(node, Ranged))


def constants_of(program: ast.Program) -> set[str]:
    """The names of parameters and of the variables of loops; those of the adjacency are its own."""
    inside = (part for part in parts(program) if part is not program.adjacency)
    loops = {node.variable for part in inside for node in ranged(part)}
    return {param.name for param in program.params} | loops


def check_bounds(program: ast.Program) -> None:
    """The bounds of a ``for`` are made of parameters and the variables of loops around it."""
    parameters = {param.name for param in program.params}
    for statement, scope in statements(program.body):
        for bound in own_parts(statement) if isinstance(statement, ast.For) else ():
            if not types.free_names(bound) <= parameters | scope:
                raise InputError("the bounds of a `for` must be constants", bound.span, BOUNDS_HINT)


def empty_ranges(program: ast.Program, constants: Constants) -> tuple[tuple[Span, str], ...]:
    """The ranges over nothing that can hardly be meant: place and reason.

    ``1..N - 1`` is empty for N = 1, and this is what it should be; ``N..1`` for N = 3 is not.
    """
    found = []
    for node in ranged(program):
        low, high = (substitute(bound, constants) for bound in (node.low, node.high))
        if isinstance(low, ast.Number) and isinstance(high, ast.Number):
            written = isinstance(node.low, ast.Number) and isinstance(node.high, ast.Number)
            if low.value > high.value + (0 if written else 1):
                reason = f"the range from {show(low.value)} to {show(high.value)} is empty"
                found.append((Span(node.span.source, node.low.span.start, node.high.span.end), reason))
    return tuple(found)


# --- one type for every variable ---------------------------------------------------------------


def check_one_type(
    variables: Sequence[Variable], code: Sequence[Instruction], kinding: types.Kinding
) -> None:
    """No variable holds Booleans and numbers, whatever path leads where it is read."""
    for variable in variables:
        if mixed(types.declared_kinds((variable,))[variable.name]):
            raise InputError(
                f"the set of `{variable.name}` mixes Booleans and numbers", variable.span, ONE_TYPE
            )
    first: dict[str, tuple[Kinds, Span]] = {}
    for instruction in assignments(code):
        target, value = instruction.target, value_of(instruction)
        name = target_name(target)
        kinds = types.assigned_kinds(value, kinding)
        before, place = first.get(name, (Kinds.NOTHING, target.span))
        if mixed(kinds):
            raise InputError(f"`{name}` is assigned {describe(kinds)}", value.span, ONE_TYPE)
        if mixed(before | kinds):
            message = (
                f"`{name}` is assigned {describe(kinds)} here, and {describe(before)} on line {place.line}"
            )
            raise InputError(message, value.span, ONE_TYPE)
        if kinds & TYPED:
            first.setdefault(name, (kinds, target.span))


TYPED = Kinds.BOOLEAN | Kinds.NUMERIC
ONE_TYPE = "a variable holds Booleans or numbers, on every path the same: use two variables"
BOUNDS_HINT = "use a parameter, or write the loop with `while`"


def mixed(kinds: Kinds) -> bool:
    """Booleans and numbers together; atoms go with both."""
    return bool(kinds & Kinds.BOOLEAN) and bool(kinds & Kinds.NUMERIC)
