"""Walking syntax trees without recursion over expressions.

Expressions may be long; every pass over them goes through :func:`bottom_up` or :func:`nodes`, which keep
their own stack.  Everything else about the shape of a tree is read off the fields of the dataclasses, which
are in the order of the text: :func:`parts`, :func:`expressions`, :func:`rebuilt`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar, assert_never, cast

from dipc.dipwhile.syntax import ast

Result = TypeVar("Result")
AnyNode = TypeVar("AnyNode", bound=ast.Node)


# --- expressions -----------------------------------------------------------------------------


LEAVES = (ast.Number, ast.Name, ast.Eps)
"""The nodes that have no parts: most of those that are walked, so every walk asks for them first."""


def children(expr: ast.Expr) -> tuple[ast.Expr, ...]:
    """The direct parts of an expression, in the order of the text."""
    match expr:
        case ast.Number() | ast.Name() | ast.Eps():
            return ()
        case ast.Index(_, index):
            return (index,)
        case ast.Unary(_, operand):
            return (operand,)
        case ast.Binary(_, left, right):
            return (left, right)
        case ast.Call(_, arguments):
            return arguments
        case ast.Fold(_, _, low, high, body):
            return (low, high, body)
        case _:
            assert_never(expr)


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
    if all(after is before for after, before in zip(new, children(expr), strict=True)):
        return expr
    rest = iter(new)
    return rebuilt(expr, lambda _: next(rest))


def bottom_up(expr: ast.Expr, visit: Callable[[ast.Expr, tuple[Result, ...]], Result]) -> Result:
    """``visit(node, results of its parts)`` for every node, parts first.

    >>> from dipc.dipwhile.syntax.parser import parse_expression
    >>> bottom_up(parse_expression("a + max(b, 2*c)"), lambda node, sizes: 1 + sum(sizes))
    7
    """
    if isinstance(expr, LEAVES):
        return visit(expr, ())
    todo: list[tuple[ast.Expr, bool]] = [(expr, False)]
    done: list[Result] = []
    while todo:
        node, ready = todo.pop()
        inside = () if isinstance(node, LEAVES) else children(node)
        if ready or not inside:
            first = len(done) - len(inside)
            results = tuple(done[first:])
            del done[first:]
            done.append(visit(node, results))
        else:
            todo.append((node, True))
            todo.extend((part, False) for part in reversed(inside))
    return done[0]


def nodes(expr: ast.Expr) -> Iterator[ast.Expr]:
    """All nodes of an expression, each before its parts, in the order of the text."""
    return iter((expr,)) if isinstance(expr, LEAVES) else preorder(expr, children)


def preorder(root: AnyNode, inside: Callable[[AnyNode], Sequence[AnyNode]]) -> Iterator[AnyNode]:
    """A node and all nodes below it, each before its parts; ``inside`` lists the parts."""
    todo = [root]
    while todo:
        node = todo.pop()
        yield node
        todo.extend(reversed(inside(node)))


# --- all kinds of nodes ----------------------------------------------------------------------


def fields_of(node: ast.Node) -> tuple[str, ...]:
    """The names of the fields of a node, without its span: those that a ``match`` takes by position."""
    names: tuple[str, ...] = node.__match_args__
    return names


def parts(node: ast.Node) -> tuple[ast.Node, ...]:
    """The nodes directly inside a node, in the order of the text."""
    if isinstance(node, LEAVES):
        return ()
    found: list[ast.Node] = []
    todo = [getattr(node, name) for name in reversed(fields_of(node))]
    while todo:
        value = todo.pop()
        if isinstance(value, ast.Node):
            found.append(value)
        elif isinstance(value, tuple):
            todo.extend(reversed(value))
    return tuple(found)


def expressions(node: ast.Node) -> Iterator[ast.Expr]:
    """The outermost expressions of a node, in the order of the text.

    >>> from dipc.dipwhile.syntax.parser import parse, Source
    >>> [expr.name for expr in expressions(parse(Source("", "if a then x <- choose {b: c, d: e} end")))]
    ['a', 'x', 'b', 'c', 'd', 'e']
    """
    if isinstance(node, ast.Expr):
        return iter((node,))
    walk = preorder(node, lambda part: () if isinstance(part, ast.Expr) else parts(part))
    return (part for part in walk if isinstance(part, ast.Expr))


def rebuilt(node: AnyNode, change: Callable[[ast.Node], ast.Node]) -> AnyNode:
    """The node with each of its direct parts changed."""

    def new(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(new, value))
        return change(value) if isinstance(value, ast.Node) else value

    return replace(node, **{name: new(getattr(node, name)) for name in fields_of(node)})


def map_expressions(node: AnyNode, change: Callable[[ast.Expr], ast.Expr]) -> AnyNode:
    """The node with each of its outermost expressions changed."""

    def inside(part: ast.Node) -> ast.Node:
        return change(part) if isinstance(part, ast.Expr) else rebuilt(part, inside)

    return cast(AnyNode, inside(node))


# --- statements ------------------------------------------------------------------------------


def statements(body: ast.Block) -> Iterator[tuple[ast.Statement, frozenset[str]]]:
    """Every statement, in the order of the text, with the ``for`` variables known there."""
    todo: list[tuple[ast.Statement, frozenset[str]]] = [
        (statement, frozenset()) for statement in reversed(body)
    ]
    while todo:
        statement, scope = todo.pop()
        yield statement, scope
        if isinstance(statement, ast.Assign | ast.Exit):
            continue
        inner = scope | {statement.variable} if isinstance(statement, ast.For) else scope
        todo.extend((part, inner) for part in reversed(inner_statements(statement)))


def inner_statements(statement: ast.Statement) -> tuple[ast.Statement, ...]:
    """The statements directly inside a statement."""
    if isinstance(statement, ast.Assign | ast.Exit):
        return ()
    return tuple(part for part in parts(statement) if isinstance(part, ast.Statement))


def own_parts(statement: ast.Statement) -> tuple[ast.Node, ...]:
    """The parts of a statement that are not statements: what it assigns, its condition, its bounds."""
    return tuple(part for part in parts(statement) if not isinstance(part, ast.Statement))
