"""A bound on nesting, so that every later pass may rely on shallow trees.

Trees are walked with a stack here, but hashing and comparing a node recurse: a tree deeper than
Python's recursion limit could not even be put into a dictionary.  Sequences of statements and
``elif`` chains are flat and may be arbitrarily long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dipc.dipwhile.syntax.ast import Claim, Expr, Program
from dipc.dipwhile.syntax.walk import children, expressions, inner_statements
from dipc.errors import InputError

DEEPEST_EXPRESSION = (200, "this expression is", "split it: assign a part of it to a variable first")
DEEPEST_BLOCK = (100, "blocks are", "join conditions with `and`, or use `elif`")


def check_depth(tree: Program | Claim | Expr) -> None:
    """Refuse a tree that is nested too deep.

    >>> from dipc.dipwhile.syntax.parser import parse_expression
    >>> parse_expression("-" * 300 + "1")
    Traceback (most recent call last):
    dipc.errors.InputError: <expression>:1:201: error: this expression is nested more than 200 levels deep
    ...
    """
    if isinstance(tree, Program):
        refuse_deep(tree.body, inner_statements, *DEEPEST_BLOCK)
    for expr in expressions(tree):
        refuse_deep((expr,), children, *DEEPEST_EXPRESSION)


def refuse_deep(
    level: tuple[Any, ...], inside: Callable[[Any], tuple[Any, ...]], most: int, what: str, hint: str
) -> None:
    """Refuse nodes with too many levels of nodes inside."""
    for _ in range(most):
        if not level:
            return
        level = tuple(part for node in level for part in inside(node))
    if level:
        raise InputError(f"{what} nested more than {most} levels deep", level[0].span, hint)
