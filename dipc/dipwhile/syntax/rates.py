"""Whether an argument of noise looks like a scale: every library takes one first, dipc a rate."""

from __future__ import annotations

from dipc.dipwhile.syntax import ast


def grows_as_scale(rate: ast.Expr) -> bool:
    """Is eps below the line, as in ``2/eps``?

    >>> from dipc.dipwhile.syntax.parser import parse_expression
    >>> [grows_as_scale(parse_expression(text)) for text in ("2/eps", "2*c/(eps/4)", "eps/2", "1/(2/eps)")]
    [True, True, False, False]
    """
    return degree(rate) < 0


def degree(expr: ast.Expr) -> int:
    """The power of eps in a product or quotient; of a sum the least."""
    match expr:
        case ast.Eps():
            return 1
        case ast.Unary(_, operand):
            return degree(operand)
        case ast.Binary(ast.Op.MUL, left, right):
            return degree(left) + degree(right)
        case ast.Binary(ast.Op.DIV, left, right):
            return degree(left) - degree(right)
        case ast.Binary(ast.Op.ADD | ast.Op.SUB, left, right):
            return min(degree(left), degree(right))
    return 0
