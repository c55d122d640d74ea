"""Arrays: their sizes, and checks that they are used as arrays.

Inputs and outputs declare their size.  A local array is as large as the largest constant index
that is assigned; cells with a computed index must lie inside.  Which names are arrays is a question about
the text, their sizes one about unrolled code.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from dipc.dipwhile.syntax.ast import COMPARISONS, Binary, Call, Expr, Index, Name, Number
from dipc.dipwhile.syntax.core import (
    Assume,
    Draw,
    Instruction,
    Operation,
    Pick,
    Put,
    Round,
    Test,
    Variable,
    value_of,
)
from dipc.dipwhile.syntax.functions import FUNCTIONS
from dipc.dipwhile.syntax.names import target_name
from dipc.dipwhile.syntax.printer import as_written
from dipc.dipwhile.syntax.walk import children, expressions, nodes, preorder
from dipc.errors import InputError, Span
from dipc.models.values import show

Sizes = Mapping[str, int]


def instruction_parts(operation: Operation) -> tuple[Expr, ...]:
    """The expressions that an instruction reads (of a target only its index)."""
    if isinstance(operation, Put | Draw):
        return (*children(operation.target), *expressions(value_of(operation)))
    if isinstance(operation, Round | Pick):
        return operation.low, operation.high
    return (operation.condition,) if isinstance(operation, Test | Assume) else ()


def mentioned(instruction: Instruction) -> tuple[Expr, ...]:
    """The same with what is assigned."""
    if isinstance(instruction, Put | Draw):
        return (instruction.target, *expressions(value_of(instruction)))
    return instruction_parts(instruction)


def assignments(code: Iterable[Operation]) -> Iterator[Put | Draw]:
    """All that assign."""
    return (instruction for instruction in code if isinstance(instruction, Put | Draw))


def array_names(code: Iterable[Instruction], declared: Iterable[Variable]) -> frozenset[str]:
    """The names of arrays in a text; refuses one that is assigned as a scalar, too."""
    variables = list(declared)
    arrays = {variable.name for variable in variables if variable.size is not None}
    scalars = {variable.name for variable in variables if variable.size is None}
    for instruction in assignments(code):
        match target := instruction.target:
            case Name(name) if name in arrays:
                span = value_of(instruction).span
                written = span.source.text[span.start : span.end] or "..."
                hint = f"write `{name}[i] <- {' '.join(written.split())}`"
                raise InputError(f"`{name}` is an array and needs an index here", target.span, hint)
            case Name(name):
                scalars.add(name)
            case Index(name) if name in scalars:
                raise not_an_array(target)
            case Index(name):
                arrays.add(name)
    return frozenset(arrays)


def array_sizes(code: Sequence[Instruction], declared: Iterable[Variable], arrays: Collection[str]) -> Sizes:
    """The size of every array in unrolled code; ``arrays`` are their names."""
    fixed = {variable.name: variable.size for variable in declared if variable.size is not None}
    sizes: dict[str, int] = {}
    for instruction in assignments(code):
        match instruction.target:
            case Index(name, Number(index)) if name not in fixed:
                cell = int(index.p) if index.q == 1 else 1  # what is wrong is refused where it is evaluated
                sizes[name] = max(sizes.get(name, 1), cell)
    unknown = set(arrays) - sizes.keys() - fixed.keys()
    for part in (part for one in code for part in mentioned(one)) if unknown else ():
        for node in nodes(part):
            if isinstance(node, Name | Index) and (name := target_name(node)) in unknown:
                hint = f"assign its last cell first, with a constant index: `{name}[3] <- 0`"
                raise InputError(f"the size of the array `{name}` is unknown", node.span, hint)
    return fixed | sizes


def check_uses(expr: Expr, arrays: Collection[str]) -> None:
    """Do arrays have an index, and scalars none?  The range of an index is for :func:`check_range`."""
    todo = [expr]
    while todo:
        node = todo.pop()
        match node:
            case Name(name) if name in arrays:
                raise used_as_scalar(name, node.span)
            case Index(array) if array not in arrays:
                raise not_an_array(node)
            case Call(function, arguments):
                check_arguments(function, arguments, arrays)
                todo.extend(part for part in arguments if getattr(part, "name", None) not in arrays)
                continue
        todo.extend(reversed(children(node)))


def check_range(cell: Index, sizes: Sizes) -> None:
    """Is the cell inside its array, as far as this is known?"""
    size = sizes[cell.array]
    if isinstance(cell.index, Number) and not (cell.index.value.q == 1 and 1 <= cell.index.value <= size):
        hint = f"the cells of `{cell.array}` are numbered from 1 to {size}"
        raise InputError(f"`{cell.array}[{show(cell.index.value)}]` does not exist", cell.span, hint)


def check_arguments(function: str, arguments: tuple[Expr, ...], arrays: Collection[str]) -> None:
    """Does the function accept its arguments: one array, or scalars?"""
    rule = FUNCTIONS[function]
    for argument in arguments:
        if isinstance(argument, Name) and argument.name in arrays:
            if not rule.arrays or len(arguments) > 1:
                raise used_as_scalar(argument.name, argument.span)
        elif not rule.scalars:
            raise InputError(f"`{function}` takes a whole array", argument.span, f"usage: `{rule.usage}`")


def not_an_array(cell: Index) -> InputError:
    """The error for a scalar with an index."""
    return InputError(f"`{cell.array}` is not an array", cell.span, "remove the index")


def used_as_scalar(name: str, span: Span) -> InputError:
    """The error for an array read as a scalar."""
    hint = f"write `{name}[1]`, or use `sum({name})`, `max({name})`, `argmax({name})`"
    return InputError(f"`{name}` is an array and needs an index here", span, hint)


def check_whole_arrays(expr: Expr, inputs: Sequence[Variable]) -> None:
    """``q = q'`` for arrays: cells are compared, not arrays."""
    arrays = {variable.name: variable for variable in inputs if variable.size is not None}
    for node in nodes(expr):
        if not isinstance(node, Binary) or node.op not in COMPARISONS:
            continue
        names = [part for side in (node.left, node.right) for part in bare_names(side) if part.name in arrays]
        if names:
            cells = re.sub(
                r"([^\W\d]\w*)('?)(?![\w'\[(])", lambda m: m[0] + "[i]" * (m[1] in arrays), as_written(node)
            )
            array = arrays[names[0].name]
            size = re.match(r"\s*\[([^\]]*)\]", array.span.source.text[array.span.end :])  # as declared
            message = f"`{array.name}` is an array: its cells are compared one by one"
            hint = f"write `forall i in 1..{size[1].strip() if size else array.size}: {cells}`"
            raise InputError(message, node.span, hint)


def bare_names(expr: Expr) -> Iterator[Name]:
    """The names in an expression, but not a name that is the whole argument of a function of arrays."""

    def inside(node: Expr) -> tuple[Expr, ...]:
        whole = isinstance(node, Call) and FUNCTIONS[node.function].arrays and len(node.arguments) == 1
        return () if whole and isinstance(children(node)[0], Name) else children(node)

    return (node for node in preorder(expr, inside) if isinstance(node, Name))
