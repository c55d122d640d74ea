"""Which names expressions and statements read."""

from __future__ import annotations

from dipc.dipwhile.syntax.ast import Assign, Block, Expr, Fold, Index, Name, Node
from dipc.dipwhile.syntax.walk import children, expressions, nodes, own_parts, statements


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
    """The names that statements read; of an assigned cell only its index."""
    found: set[str] = set()
    for statement, _ in statements(block):
        read: tuple[Node, ...] = own_parts(statement)
        if isinstance(statement, Assign):
            read = (*children(statement.target), statement.value)
        found.update(name for part in read for expr in expressions(part) for name in names_in(expr))
    return frozenset(found)
