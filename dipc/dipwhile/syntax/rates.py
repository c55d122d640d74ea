"""Whether an argument of noise looks like a scale: every library takes one first, dipc a rate."""

from __future__ import annotations

from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.walk import nodes


def grows_as_scale(rate: ast.Expr) -> bool:
    """Is eps below a line, as in ``2/eps``?

    >>> from dipc.dipwhile.syntax.parser import parse_expression
    >>> [grows_as_scale(parse_expression(text)) for text in ("2/eps", "2*c/(eps/4)", "eps/2", "3/4*eps")]
    [True, True, False, False]
    """
    return any(
        isinstance(node, ast.Binary)
        and node.op is ast.Op.DIV
        and any(isinstance(part, ast.Eps) for part in nodes(node.right))
        for node in nodes(rate)
    )
