"""Walking expressions without recursion.

Expressions may be long, so every pass over them uses :func:`bottom_up`, which keeps its own stack.
:func:`children` and :func:`with_children` are all that a pass needs to know about the shape of a node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar, assert_never

from dipc.dipwhile.syntax.ast import (
    Binary,
    Call,
    Choose,
    Distribution,
    Eps,
    ExpMechanism,
    Expr,
    FiniteSet,
    Flip,
    Fold,
    Index,
    Name,
    Noise,
    Number,
    Range,
    SetOf,
    Unary,
    Uniform,
)

Result = TypeVar("Result")


def children(expr: Expr) -> tuple[Expr, ...]:
    """The direct parts of an expression, in the order of the text."""
    match expr:
        case Number() | Name() | Eps():
            return ()
        case Index(_, index):
            return (index,)
        case Unary(_, operand):
            return (operand,)
        case Binary(_, left, right):
            return (left, right)
        case Call(_, arguments):
            return arguments
        case Fold(_, _, low, high, body):
            return (low, high, body)
        case _:
            assert_never(expr)


def with_children(expr: Expr, parts: tuple[Expr, ...]) -> Expr:
    """The same node with other parts; the very same object if the parts are."""
    if all(new is old for new, old in zip(parts, children(expr), strict=True)):
        return expr
    match expr:
        case Number() | Name() | Eps():
            return expr
        case Index():
            return replace(expr, index=parts[0])
        case Unary():
            return replace(expr, operand=parts[0])
        case Binary():
            return replace(expr, left=parts[0], right=parts[1])
        case Call():
            return replace(expr, arguments=parts)
        case Fold():
            return replace(expr, low=parts[0], high=parts[1], body=parts[2])
        case _:
            assert_never(expr)


def bottom_up(expr: Expr, visit: Callable[[Expr, tuple[Result, ...]], Result]) -> Result:
    """``visit(node, results of its parts)`` for every node, parts first.

    >>> from dipc.dipwhile.syntax.parser import parse_expression
    >>> bottom_up(parse_expression("a + max(b, 2*c)"), lambda node, sizes: 1 + sum(sizes))
    7
    """
    todo: list[tuple[Expr, bool]] = [(expr, False)]
    done: list[Result] = []
    while todo:
        node, ready = todo.pop()
        parts = children(node)
        if ready or not parts:
            first = len(done) - len(parts)
            results = tuple(done[first:])
            del done[first:]
            done.append(visit(node, results))
        else:
            todo.append((node, True))
            todo.extend((part, False) for part in reversed(parts))
    return done[0]


def nodes(expr: Expr) -> Iterator[Expr]:
    """All nodes, each before its parts, in the order of the text."""
    todo = [expr]
    while todo:
        node = todo.pop()
        yield node
        todo.extend(reversed(children(node)))


def set_parts(values: FiniteSet) -> tuple[Expr, ...]:
    """The expressions of a set."""
    return _visited(lambda note: map_set(values, note))


def distribution_parts(distribution: Distribution) -> tuple[Expr, ...]:
    """The expressions of a distribution, in the order of the text."""
    return _visited(lambda note: map_distribution(distribution, note))


def _visited(mapped: Callable[[Callable[[Expr], Expr]], object]) -> tuple[Expr, ...]:
    """The expressions that a map changes, in order."""
    found: list[Expr] = []

    def note(expr: Expr) -> Expr:
        found.append(expr)
        return expr

    mapped(note)
    return tuple(found)


def map_set(values: FiniteSet, change: Callable[[Expr], Expr]) -> FiniteSet:
    """The set with every expression changed."""
    match values:
        case SetOf(members):
            return replace(values, members=tuple(change(member) for member in members))
        case Range(low, high):
            return replace(values, low=change(low), high=change(high))
        case _:
            assert_never(values)


def map_distribution(distribution: Distribution, change: Callable[[Expr], Expr]) -> Distribution:
    """The distribution with every expression changed."""
    match distribution:
        case Noise(_, rate, mean):
            return replace(distribution, rate=change(rate), mean=change(mean))
        case Choose(options):
            return replace(distribution, options=tuple((change(v), change(p)) for v, p in options))
        case Flip(probability):
            return replace(distribution, probability=change(probability))
        case Uniform(support):
            return replace(distribution, support=map_set(support, change))
        case ExpMechanism(rate, _, support, score):
            return replace(
                distribution, rate=change(rate), support=map_set(support, change), score=change(score)
            )
        case _:
            assert_never(distribution)
