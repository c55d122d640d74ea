"""Which names expressions and statements read."""

from __future__ import annotations

from collections.abc import Iterator

from dipc.dipwhile.syntax.ast import Assign, Block, Expr, Fold, For, If, Index, Name, While
from dipc.dipwhile.syntax.names import statements
from dipc.dipwhile.syntax.walk import distribution_parts, nodes


def names_in(expr: Expr) -> frozenset[str]:
    """The variables, lists and constants that an expression reads; not those of a ``Fold``.

    >>> from dipc.dipwhile.syntax.parser import parse_expression
    >>> sorted(names_in(parse_expression("a[i + 1] + sum(j in 1..N: q[j])")))
    ['N', 'a', 'i', 'q']
    """
    found: set[str] = set()
    bound: set[str] = set()
    for node in nodes(expr):
        match node:
            case Name(name) | Index(name):
                found.add(name)
            case Fold(_, variable):
                bound.add(variable)
    return frozenset(found - bound)


def read_in(block: Block) -> frozenset[str]:
    """The names that statements read."""
    return frozenset(name for expr in expressions(block) for name in names_in(expr))


def expressions(block: Block) -> Iterator[Expr]:
    """What statements read."""
    for statement, _ in statements(block):
        match statement:
            case Assign(target, value):
                if isinstance(target, Index):
                    yield target.index
                yield from (value,) if isinstance(value, Expr) else distribution_parts(value)
            case If(branches):
                yield from (condition for condition, _ in branches)
            case For(_, low, high):
                yield from (low, high)
            case While(condition):
                yield condition
