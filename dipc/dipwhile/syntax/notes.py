"""What is allowed in a program but cannot be intended.

Each function lists what it finds; a caller shows it as a note, never as an error.  Branches and loops
that unrolling removed are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from flint import fmpq

from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.arrays import assignments, instruction_parts
from dipc.dipwhile.syntax.core import CoreProgram, Instruction, value_of
from dipc.dipwhile.syntax.distributions import NOISE
from dipc.dipwhile.syntax.kinds import Kinds, surely
from dipc.dipwhile.syntax.names import target_name
from dipc.dipwhile.syntax.printer import as_written
from dipc.dipwhile.syntax.simplify import Linear, linear
from dipc.dipwhile.syntax.types import Kinding, declared_kinds, infer, kinds_of, names_in
from dipc.dipwhile.syntax.walk import nodes
from dipc.errors import Span
from dipc.models.values import show
from dipc.suggest import nearest

MOST_UNREAD = 100  # variables that are compared with others: who misspells more?
MOST_PAIRS = 100_000  # of names that are compared


def first_places(core: CoreProgram) -> dict[str, Span]:
    """Where each variable or array is assigned first."""
    first: dict[str, Span] = {}
    for instruction in assignments(core.code):
        first.setdefault(target_name(instruction.target), instruction.target.span)
    return first


def unread_variables(core: CoreProgram) -> list[tuple[str, Span, str]]:
    """Variables that are assigned and never read and resemble another: name, place, the other name.

    Names that the text does not have are no misspellings: those that unrolling a Python function makes.
    """
    first = first_places(core)
    outputs = {output.name for output in core.outputs}
    read = (names_in(part) for one in core.code for part in instruction_parts(one))
    unread = first.keys() - outputs.union(*read)
    known = sorted(outputs | first.keys())
    most = min(MOST_UNREAD, MOST_PAIRS // max(1, len(known)))
    some = [name for name in first if name in unread and _stands_at(name, first[name])][:most]
    found = [(name, first[name], similar(name, known)) for name in some]
    return [(name, span, near) for name, span, near in found if near]


def _stands_at(name: str, span: Span) -> bool:
    return span.source.text.startswith(name, span.start)


def similar(name: str, known: Iterable[str]) -> str:
    """The name that this one may be a misspelling of; "" if there is none.  `x1` and `x2` are two variables.

    >>> similar("cuont", ["count", "r"]), similar("x1", ["x2"])
    ('count', '')
    """
    plain = re.sub(r"\d", "", name)
    return nearest(name, [other for other in known if re.sub(r"\d", "", other) != plain])


def unassigned_outputs(core: CoreProgram) -> list[tuple[str, Span]]:
    """Outputs with a start value that no instruction assigns."""
    assigned = first_places(core)
    return [
        (output.name, output.span)
        for output in core.outputs
        if output.start is not None and output.name not in assigned
    ]


def impossible_equalities(core: CoreProgram) -> list[tuple[Span, str]]:
    """Comparisons by ``=`` or ``!=`` whose outcome is certain: place and reason.

    >>> from dipc.errors import Source
    >>> from dipc.dipwhile.syntax.compile import read
    >>> core = read(Source("a.dip", "output o in {true, false}; r <- Lap(eps, 0); o <- r = 1"))
    >>> [reason for _, reason in impossible_equalities(core)]
    ['`r` is continuous noise: it is equal to `1` with probability 0']
    """
    comparing = list(chain.from_iterable(map(equalities, core.code)))
    if not comparing:
        return []
    declared = declared_kinds((*core.inputs, *core.outputs))
    kinding = infer(core.code, declared, core.variables - declared.keys())
    assigned: dict[str, list[ast.Expr | ast.Distribution]] = {}
    for instruction in assignments(core.code):
        assigned.setdefault(target_name(instruction.target), []).append(value_of(instruction))
    noise = frozenset(
        name
        for name, values in assigned.items()
        if all(isinstance(value, ast.Noise) and NOISE[value.kind].continuous for value in values)
    )
    for output in core.outputs:
        assigned.pop(output.name, None)
    steps = {name: [levels_of(value, {}) for value in values] for name, values in assigned.items()}
    levels = {name: frozenset().union(*each) for name, each in steps.items() if all(each)}
    found: dict[tuple[int, int], tuple[Span, str]] = {}
    for node in comparing:
        if reason := continuous(node, noise, kinding) or no_level(node, levels):
            found.setdefault((node.span.start, node.span.end), (node.span, reason))
    return [found[place] for place in sorted(found)]


def equalities(instruction: Instruction) -> Iterator[ast.Binary]:
    """The comparisons by ``=`` or ``!=``."""
    for node in chain.from_iterable(map(nodes, instruction_parts(instruction))):
        if isinstance(node, ast.Binary) and node.op in ast.EQUALITY:
            yield node


def continuous(equality: ast.Binary, noise: frozenset[str], kinding: Kinding) -> str:
    """Why the two sides are equal with probability 0; "" if this is not clear.

    Both sides must be linear in cells of fresh noise, and one cell must not cancel: ``s = r`` after
    ``s <- r`` and ``m = r`` after ``m <- max(r, 0)`` are not listed.
    """
    left = coefficients(equality.left, noise, kinding)
    right = coefficients(equality.right, noise, kinding)
    if left is None or right is None or left == right:
        return ""
    first, second = (equality.left, equality.right) if left else (equality.right, equality.left)
    return (
        f"`{as_written(first)}` is continuous noise: it is equal to `{as_written(second)}` with probability 0"
    )


def coefficients(expr: ast.Expr, noise: frozenset[str], kinding: Kinding) -> Linear | None:
    """The coefficient of each noise cell in a linear expression; None for other expressions."""

    def leaf(node: ast.Expr) -> Linear | None:
        match node:
            case ast.Name(name) if name in noise:
                return {(name, 0): fmpq(1)}
            case ast.Index(array, ast.Number(index)) if array in noise:
                return {(array, int(index.p)): fmpq(1)}
        return {node: fmpq(1)} if surely(kinds_of(node, kinding), Kinds.NUMBER) else None

    form = linear(expr, leaf)
    return None if form is None else {cell: form[cell] for cell in form if isinstance(cell, tuple)}


Levels = Mapping[str, frozenset[fmpq]]


def no_level(equality: ast.Binary, levels: Levels) -> str:
    """Why ``disc(...) = c`` never holds; "" if it may."""
    for side, constant in ((equality.left, equality.right), (equality.right, equality.left)):
        if isinstance(constant, ast.Number):
            possible = levels_of(side, levels)
            if possible and constant.value not in possible:
                shown = ", ".join(show(value) for value in sorted(possible))
                return f"`{as_written(side)}` is never `{as_written(constant)}`: its values are `{shown}`"
    return ""


def levels_of(expr: ast.Expr | ast.Distribution, levels: Levels) -> frozenset[fmpq]:
    """The values of ``disc`` with constant levels, or of a variable that holds no other; empty: unknown."""
    match expr:
        case ast.Call("disc", (_, *steps)):
            constants = [step.value for step in steps if isinstance(step, ast.Number)]
            return frozenset(constants) if len(constants) == len(steps) else frozenset()
        case ast.Name(name) | ast.Index(name):
            return levels.get(name, frozenset())
    return frozenset()
