"""Walking syntax trees without recursion over expressions.

Expressions may be long; every pass over them goes through :func:`bottom_up` or :func:`nodes`, which keep
their own stack.  Everything else about the shape of a tree is read off the fields of the dataclasses, which
are in the order of the text: :func:`parts`, :func:`expressions`, :func:`rebuilt`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import is_
from typing import Any, TypeVar, cast

from dipc.dipwhile.syntax import ast

Result = TypeVar("Result")
AnyNode = TypeVar("AnyNode", bound=ast.Node)


# --- expressions -----------------------------------------------------------------------------


def children(expr: ast.Expr) -> tuple[ast.Expr, ...]:
    """The direct parts of an expression, in the order of the text."""
    if isinstance(expr, ast.Binary):
        return expr.left, expr.right
    return () if isinstance(expr, ast.Number | ast.Name | ast.Eps) else cast(Any, parts(expr))


def operands(expr: ast.Expr) -> tuple[ast.Expr, ...]:
    """The parts of an expression, of a chain such as ``a + b*c - d`` all its terms: what it has brackets for.

    >>> from dipc.dipwhile.syntax.parser import parse_expression
    >>> len(operands(parse_expression("a + b*c - d"))), len(operands(parse_expression("a^(b + c)")))
    (3, 2)
    """
    if not isinstance(expr, ast.Binary):
        return children(expr)
    first, links = expr.spine(ast.STRENGTH.get(expr.op, frozenset()))
    return (first, *(node.right for node in links))


def joined(expr: ast.Expr, op: ast.Op) -> list[ast.Expr]:
    """What an associative operator joins, in the order of the text, however it is bracketed.

    >>> from dipc.dipwhile.syntax.parser import parse_expression
    >>> [part.name for part in joined(parse_expression("a and ((b and c) and d)"), ast.Op.AND)]
    ['a', 'b', 'c', 'd']
    """
    found, todo = [], [expr]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Binary) and node.op is op:
            todo += (node.right, node.left)
        else:
            found.append(node)
    return found


def with_children(expr: ast.Expr, new: tuple[ast.Expr, ...]) -> ast.Expr:
    """The same node with other parts; the very same object if the parts are."""
    if all(map(is_, new, children(expr))):
        return expr
    rest = iter(new)
    return rebuilt(expr, lambda _: next(rest))


def bottom_up(expr: ast.Expr, visit: Callable[[ast.Expr, tuple[Result, ...]], Result]) -> Result:
    """``visit(node, results of its parts)`` for every node, parts first.

    >>> from dipc.dipwhile.syntax.parser import parse_expression
    >>> bottom_up(parse_expression("a + max(b, 2*c)"), lambda node, sizes: 1 + sum(sizes))
    7
    """
    todo: list[ast.Expr] = [expr]
    order: list[ast.Expr] = []  # each node before its parts, the last part first
    while todo:
        order.append(part := todo.pop())
        todo += children(part)
    done: list[Result] = []
    for node in reversed(order):
        first = len(done) - len(children(node))
        results = tuple(done[first:])
        del done[first:]
        done.append(visit(node, results))
    return done[0]


def nodes(expr: ast.Expr) -> Iterator[ast.Expr]:
    """All nodes of an expression, each before its parts, in the order of the text."""
    return preorder(expr, children)


def preorder(root: AnyNode, inside: Callable[[AnyNode], Sequence[AnyNode]]) -> Iterator[AnyNode]:
    """A node and all nodes below it, each before its parts; ``inside`` lists the parts."""
    todo = [root]
    while todo:
        node = todo.pop()
        yield node
        todo += inside(node)[::-1]


# --- all kinds of nodes ----------------------------------------------------------------------


def fields_of(node: ast.Node) -> tuple[str, ...]:
    """The names of the fields of a node, without its span: those that a ``match`` takes by position."""
    names: tuple[str, ...] = node.__match_args__
    return names


def parts(node: ast.Node) -> tuple[ast.Node, ...]:
    """The nodes directly inside a node, in the order of the text."""
    return tuple(nodes_in([getattr(node, name) for name in fields_of(node)]))


def nodes_in(values: Iterable[Any]) -> Iterator[ast.Node]:
    """The nodes among some values, and in tuples among them."""
    for value in values:
        if isinstance(value, ast.Node):
            yield value
        elif isinstance(value, tuple):
            yield from nodes_in(value)


def expressions(node: ast.Node) -> Iterator[ast.Expr]:
    """The outermost expressions of a node, in the order of the text.

    >>> from dipc.dipwhile.syntax.parser import parse, Source
    >>> [expr.name for expr in expressions(parse(Source("", "if a then x <- choose {b: c, d: e} end")))]
    ['a', 'x', 'b', 'c', 'd', 'e']
    """
    walk = preorder(node, lambda part: () if isinstance(part, ast.Expr) else parts(part))
    return (part for part in walk if isinstance(part, ast.Expr))


def rebuilt(node: AnyNode, change: Callable[[ast.Node], ast.Node]) -> AnyNode:
    """The node with each of its direct parts changed; the very same object if none of them is."""

    def new(value: Any) -> Any:
        if isinstance(value, ast.Node):
            return change(value)
        if not isinstance(value, tuple):
            return value
        after = tuple([new(part) for part in value])
        return value if all(map(is_, after, value)) else after

    fields = [getattr(node, name) for name in fields_of(node)]
    changed = list(map(new, fields))
    return node if all(map(is_, changed, fields)) else type(node)(*changed, span=node.span)


def map_expressions(node: AnyNode, change: Callable[[ast.Expr], ast.Expr]) -> AnyNode:
    """The node with each of its outermost expressions changed."""

    def inside(part: ast.Node) -> ast.Node:
        return change(part) if isinstance(part, ast.Expr) else rebuilt(part, inside)

    return cast(AnyNode, inside(node))


# --- statements ------------------------------------------------------------------------------


def statements(
    body: ast.Block, scope: frozenset[str] = frozenset()
) -> Iterator[tuple[ast.Statement, frozenset[str]]]:
    """Every statement, in the order of the text, with the ``for`` variables known there."""
    for statement in body:
        yield statement, scope
        inner = scope | {statement.variable} if isinstance(statement, ast.For) else scope
        yield from statements(inner_statements(statement), inner)


def inner_statements(statement: ast.Statement) -> tuple[ast.Statement, ...]:
    """The statements directly inside a statement."""
    return tuple(part for part in parts(statement) if isinstance(part, ast.Statement))


def own_parts(statement: ast.Statement) -> tuple[ast.Node, ...]:
    """The parts of a statement that are not statements: what it assigns, its condition, its bounds."""
    return tuple(part for part in parts(statement) if not isinstance(part, ast.Statement))
