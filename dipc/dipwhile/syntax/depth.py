"""A bound on nesting, so that every later pass may rely on shallow trees.

Trees are walked with a stack here, but hashing and comparing a node recurse: a tree deeper than
Python's recursion limit could not even be put into a dictionary.  Sequences of statements and
``elif`` chains are flat and may be arbitrarily long.
"""

from __future__ import annotations

from dipc.dipwhile.syntax.ast import Block, Claim, Expr, Program
from dipc.dipwhile.syntax.walk import children, expressions, inner_statements
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
    if isinstance(tree, Program):
        check_blocks(tree.body)
    for expr in expressions(tree):
        check_expression(expr)


def check_expression(expr: Expr) -> None:
    """Refuse an expression with too many levels."""
    level, depth = [expr], 0
    while level and depth < DEEPEST_EXPRESSION:
        level, depth = [part for node in level for part in children(node)], depth + 1
    if level:
        message = f"this expression is nested more than {DEEPEST_EXPRESSION} levels deep"
        raise InputError(message, level[0].span, "split it: assign a part of it to a variable first")


def check_blocks(body: Block) -> None:
    """Refuse blocks within too many blocks."""
    level, depth = body, 0
    while level and depth < DEEPEST_BLOCK:
        level, depth = tuple(part for statement in level for part in inner_statements(statement)), depth + 1
    if level:
        hint = "join conditions with `and`, or use `elif`"
        raise InputError(f"blocks are nested more than {DEEPEST_BLOCK} levels deep", level[0].span, hint)
