"""A bound on nesting, so that every later pass may rely on shallow trees.

Trees are walked with a stack here, but hashing and comparing a node recurse: a tree deeper than
Python's recursion limit could not even be put into a dictionary.  Sequences of statements and
``elif`` chains are flat and may be as long as one likes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from dipc.dipwhile.syntax.ast import (
    Adjacency,
    Assign,
    Binary,
    Block,
    Call,
    Claim,
    Declaration,
    Eps,
    Exit,
    Expr,
    Fold,
    For,
    FormulaAdjacency,
    If,
    Index,
    Name,
    NamedAdjacency,
    Number,
    Program,
    Unary,
    While,
)
from dipc.dipwhile.syntax.walk import children, distribution_parts, set_parts
from dipc.errors import InputError

DEEPEST_EXPRESSION = 200
DEEPEST_BLOCK = 100


def check_depth(tree: Program | Claim | Expr) -> None:
    """Refuse a tree that is nested too deep.

    >>> from dipc.dipwhile.syntax.parser import parse_expression
    >>> parse_expression("-" * 300 + "1")
    Traceback (most recent call last):
    dipc.errors.InputError: <expression>:1:201: error: this expression is nested more than 200 levels deep
    ...
    """
    for expr in expressions(tree):
        check_expression(expr)


def check_expression(expr: Expr) -> None:
    level, depth = [expr], 0
    while level and depth < DEEPEST_EXPRESSION:
        level, depth = [part for node in level for part in children(node)], depth + 1
    if level:
        raise InputError(
            f"this expression is nested more than {DEEPEST_EXPRESSION} levels deep",
            level[0].span,
            "split it: assign a part of it to a variable first",
        )


def expressions(tree: Program | Claim | Expr) -> Iterator[Expr]:
    """Every outermost expression of a tree."""
    match tree:
        case Program(params, inputs, outputs, adjacency, claim, body):
            yield from (param.value for param in params)
            for declaration in (*inputs, *outputs):
                yield from declaration_parts(declaration)
            if adjacency is not None:
                yield from adjacency_parts(adjacency)
            if claim is not None:
                yield from expressions(claim)
            yield from block_parts(body)
        case Claim(epsilon, delta, interval):
            ends = (interval.low, interval.high) if interval is not None else ()
            yield from (part for part in (epsilon, delta, *ends) if part is not None)
        case Number() | Name() | Index() | Eps() | Unary() | Binary() | Call() | Fold():
            yield tree
        case _:
            assert_never(tree)


def adjacency_parts(adjacency: Adjacency) -> Iterator[Expr]:
    """The expressions of an adjacency."""
    match adjacency:
        case FormulaAdjacency(formula):
            yield formula
        case NamedAdjacency(_, distance):
            if distance is not None:
                yield distance
        case _:
            assert_never(adjacency)


def declaration_parts(declaration: Declaration) -> Iterator[Expr]:
    """The expressions of a declaration, in the order of the text."""
    if declaration.size is not None:
        yield declaration.size
    yield from set_parts(declaration.domain)
    if declaration.start is not None:
        yield declaration.start


def block_parts(body: Block) -> Iterator[Expr]:
    """Every outermost expression of a block; refuses blocks nested too deep."""
    todo = [(statement, 1) for statement in reversed(body)]
    while todo:
        statement, depth = todo.pop()
        if depth > DEEPEST_BLOCK:
            raise InputError(
                f"blocks are nested more than {DEEPEST_BLOCK} levels deep",
                statement.span,
                "join conditions with `and`, or use `elif`",
            )
        match statement:
            case Assign(target, value):
                yield target
                yield from (value,) if isinstance(value, Expr) else distribution_parts(value)
            case If(branches, otherwise):
                for condition, block in branches:
                    yield condition
                    todo.extend((inner, depth + 1) for inner in reversed(block))
                todo.extend((inner, depth + 1) for inner in reversed(otherwise))
            case For(_, low, high, block):
                yield from (low, high)
                todo.extend((inner, depth + 1) for inner in reversed(block))
            case While(condition, block):
                yield condition
                todo.extend((inner, depth + 1) for inner in reversed(block))
            case Exit():
                pass
            case _:
                assert_never(statement)
