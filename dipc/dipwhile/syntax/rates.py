"""How a rate depends on eps, and whether it looks like a scale, which every library takes first."""

from __future__ import annotations

from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.walk import bottom_up


def grows_as_scale(rate: ast.Expr) -> bool:
    """Is eps below the line, as in ``2/eps``?

    >>> from dipc.dipwhile.syntax.parser import parse_expression
    >>> [grows_as_scale(parse_expression(text)) for text in ("2/eps", "2*c/(eps/4)", "eps/2", "1/(2/eps)")]
    [True, True, False, False]
    """
    return (degree(rate) or 0) < 0


def degree(expr: ast.Expr) -> int | None:
    """The d of an expression ``a * eps^d``, where a may depend on variables; None for other forms."""
    return bottom_up(expr, _from_parts)


def _from_parts(node: ast.Expr, parts: tuple[int | None, ...]) -> int | None:
    match node, parts:
        case ast.Eps(), _:
            return 1
        case ast.Number() | ast.Name() | ast.Index(), _:
            return 0
        case ast.Unary(ast.Op.NEG), (d,):
            return d
        case ast.Binary(ast.Op.MUL), (int(d), int(e)):
            return d + e
        case ast.Binary(ast.Op.DIV), (int(d), int(e)):
            return d - e
        case ast.Binary(ast.Op.ADD | ast.Op.SUB), (d, e):
            return d if d == e else None
        case ast.Binary(ast.Op.POW, _, ast.Number(n)), (int(d), _) if n.q == 1:
            return d * int(n.p)
        case ast.Call() | ast.Fold(), _:
            return 0 if all(d == 0 for d in parts) else None
    return None
