"""Arrays: their sizes, and checks that they are used as arrays.

Inputs and outputs declare their size.  A local array is as large as the largest constant index
that is assigned; cells with a computed index must lie inside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dipc.dipwhile.syntax.ast import Call, Expr, Index, Name, Number
from dipc.dipwhile.syntax.core import Draw, Instruction, Put, Test, value_of
from dipc.dipwhile.syntax.functions import FUNCTIONS
from dipc.dipwhile.syntax.walk import children, expressions
from dipc.errors import InputError, Span
from dipc.models.values import show

Sizes = dict[str, int]


def instruction_parts(instruction: Instruction) -> tuple[Expr, ...]:
    """The expressions that an instruction reads (of a target only its index)."""
    if isinstance(instruction, Put | Draw):
        return (*children(instruction.target), *expressions(value_of(instruction)))
    return (instruction.condition,) if isinstance(instruction, Test) else ()


def assignments(code: Iterable[Instruction]) -> Iterator[Put | Draw]:
    """All that assign."""
    return (instruction for instruction in code if isinstance(instruction, Put | Draw))


def array_sizes(code: Iterable[Instruction], declared: dict[str, int | None], unrolled: bool = True) -> Sizes:
    """The size of every array; ``declared`` gives those of inputs and outputs, None for scalars.

    Of a text that is not ``unrolled``, only which names are arrays: the index may be the variable of a loop.
    """
    code = list(code)
    sizes = {name: size for name, size in declared.items() if size is not None}
    scalars = {name: None for name, size in declared.items() if size is None}
    computed: dict[str, Span] = {}
    for instruction in assignments(code):
        match target := instruction.target:
            case Name(name):
                if name in sizes:
                    span = value_of(instruction).span
                    written = span.source.text[span.start : span.end] or "..."
                    hint = f"write `{name}[i] <- {' '.join(written.split())}`"
                    raise InputError(f"`{name}` is an array and needs an index here", target.span, hint)
                scalars.setdefault(name)
            case Index(name) if name in scalars:
                raise InputError(f"`{name}` is not an array", target.span, "remove the index")
            case Index(name) if name in declared:
                pass
            case Index(name, Number(index)):  # whether there is such a cell is asked where it is evaluated
                cell = int(index.p) if index.q == 1 else 1
                sizes[name] = max(sizes.get(name, 1), cell)
            case Index(name):
                computed.setdefault(name, target.span)
    if not unrolled:
        return dict.fromkeys(computed, 1) | sizes
    for name in computed.keys() - sizes.keys():
        hint = f"assign its last cell first, with a constant index: `{name}[3] <- 0`"
        raise InputError(f"the size of the array `{name}` is unknown", computed[name], hint)
    return sizes


def check_arrays(code: Iterable[Instruction], sizes: Sizes) -> None:
    """Do arrays have an index, and scalars none?"""
    for instruction in code:
        if isinstance(instruction, Put | Draw) and isinstance(instruction.target, Index):
            check_index(instruction.target, sizes)
        for expr in instruction_parts(instruction):
            check_uses(expr, sizes)


def check_uses(expr: Expr, sizes: Sizes) -> None:
    """The same for one expression, except for the range of an index: that is :func:`check_range`."""
    todo = [expr]
    while todo:
        node = todo.pop()
        match node:
            case Name(name) if name in sizes:
                raise used_as_scalar(name, node.span)
            case Index():
                check_index(node, sizes)
            case Call(function, arguments):
                check_arguments(function, arguments, sizes)
                todo.extend(part for part in arguments if getattr(part, "name", None) not in sizes)
                continue
        todo.extend(reversed(children(node)))


def check_index(cell: Index, sizes: Sizes) -> None:
    """Is it a cell of an array?"""
    if cell.array not in sizes:
        raise InputError(f"`{cell.array}` is not an array", cell.span, "remove the index")


def check_range(cell: Index, sizes: Sizes) -> None:
    """Is the cell inside its array, as far as this is known?"""
    size = sizes[cell.array]
    if isinstance(cell.index, Number) and not (cell.index.value.q == 1 and 1 <= cell.index.value <= size):
        hint = f"the cells of `{cell.array}` are numbered from 1 to {size}"
        raise InputError(f"`{cell.array}[{show(cell.index.value)}]` does not exist", cell.span, hint)


def check_arguments(function: str, arguments: tuple[Expr, ...], sizes: Sizes) -> None:
    """Does the function accept its arguments: one array, or scalars?"""
    rule = FUNCTIONS[function]
    for argument in arguments:
        if isinstance(argument, Name) and argument.name in sizes:
            if not rule.arrays or len(arguments) > 1:
                raise used_as_scalar(argument.name, argument.span)
        elif not rule.scalars:
            raise InputError(f"`{function}` takes a whole array", argument.span, f"usage: `{rule.usage}`")


def used_as_scalar(name: str, span: Span) -> InputError:
    """The error for an array read as a scalar."""
    hint = f"write `{name}[1]`, or use `sum({name})`, `max({name})`, `argmax({name})`"
    return InputError(f"`{name}` is an array and needs an index here", span, hint)
