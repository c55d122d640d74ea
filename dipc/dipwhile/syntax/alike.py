"""Which instructions are alike to every check, so that the first of them is checked in the place of all.

A long program says the same few things over and over.  What a check finds depends on the parts of an
instruction and not on their places, and what it finds in ``x + 2`` it finds in ``x + 3``.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable

from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.core import Draw, Instruction, Put, Test
from dipc.dipwhile.syntax.names import target_name
from dipc.dipwhile.syntax.walk import LEAVES

TOTAL = frozenset(ast.Op) - {ast.Op.DIV, ast.Op.POW}
"""Operators that have a value for all numbers, the same kind of value for any."""

EXACT_CALLS = frozenset({"disc", "mod"})
"""Functions whose constants have an order, or may be a divisor."""


def outline(value: ast.Node) -> Hashable:
    """Equal for values that differ in numbers only, where no check asks which.

    >>> from dipc.dipwhile.syntax.parser import parse_expression
    >>> one, other, third = (outline(parse_expression(text)) for text in ("x + 2*y", "x + 3*y", "x + 2/y"))
    >>> one == other, one == third
    (True, False)
    """
    if isinstance(value, LEAVES):
        return ast.Number if isinstance(value, ast.Number) else value
    if isinstance(value, ast.Binary) and value.op in TOTAL:
        if not isinstance(value.left, ast.Binary):  # most are no chains
            return value.op, outline(value.left), outline(value.right)
        first, links = value.spine(TOTAL)
        return (outline(first), *[(link.op, outline(link.right)) for link in links])
    match value:
        case ast.Binary(ast.Op.DIV, dividend, divisor):
            return ast.Op.DIV, outline(dividend), divisor
        case ast.Unary(op, operand):
            return op, outline(operand)
        case ast.Call(function, arguments) if function not in EXACT_CALLS:
            return function, *map(outline, arguments)
        case _:
            return value


class Outlines:
    """A number for every outline, by which values are told apart; each value is looked at once."""

    def __init__(self) -> None:
        self.numbers: dict[Hashable, int] = {}
        self.known: dict[int, tuple[ast.Node, int]] = {}  # by identity, of values that stay where they are

    def number(self, value: ast.Node) -> int:
        """The number of its outline."""
        if isinstance(value, ast.Number):
            return self.numbers.setdefault(ast.Number, len(self.numbers))
        if (known := self.known.get(id(value))) is not None:
            return known[1]
        number = self.numbers.setdefault(outline(value), len(self.numbers))
        self.known[id(value)] = value, number
        return number


def distinct(code: Iterable[Instruction], exact: Container[str]) -> tuple[Put | Draw | Test, ...]:
    """The assignments and tests, of those alike the first.

    ``exact``: variables for which each of their values counts, such as outputs.
    """
    return firsts(code, exact, lambda target: target.name if isinstance(target, ast.Name) else target)


def readings(code: Iterable[Instruction], exact: Container[str]) -> tuple[Put | Draw | Test, ...]:
    """The same for checks that ask only what is read: other variables are alike in the place of a target."""
    return firsts(code, exact, lambda target: None if isinstance(target, ast.Name) else target)


def firsts(
    code: Iterable[Instruction],
    exact: Container[str],
    assigned: Callable[[ast.Name | ast.Index], Hashable],
) -> tuple[Put | Draw | Test, ...]:
    """The first instruction of each kind; ``assigned``: what counts of a target."""
    found: dict[Hashable, Put | Draw | Test] = {}
    outlines = Outlines()
    for instruction in code:
        if isinstance(instruction, Put | Draw):
            target, value = instruction.target, instruction.written
            if target_name(target) in exact:
                found.setdefault((Put, target, value), instruction)
            else:
                found.setdefault((assigned(target), outlines.number(value)), instruction)
        elif isinstance(instruction, Test):
            found.setdefault((Test, instruction.condition, instruction.is_loop), instruction)
    return tuple(found.values())
