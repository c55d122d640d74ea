"""Exact constant folding: one node at a time, parts already folded.

Folding never fails.  What has no value (``1/0``, ``true + 1``) is left unchanged, so that a branch that
turns out dead may contain it; :mod:`dipc.dipwhile.syntax.types` refuses what is left alive.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace

from flint import fmpq

from dipc.dipwhile.syntax.ast import Binary, Call, Expr, Name, Number, Op, Unary
from dipc.models.values import FALSE, TRUE, Value, truth

BITS = 14_000  # Python prints integers of up to 4,300 digits
"""How many bits the result of constant arithmetic may have."""


def simplify(node: Expr) -> Expr:
    """The node, or the constant it is equal to.

    >>> from dipc.dipwhile.syntax.parser import parse_expression
    >>> from dipc.dipwhile.syntax.walk import bottom_up, with_children
    >>> fold = lambda text: bottom_up(parse_expression(text), lambda n, ps: simplify(with_children(n, ps)))
    >>> fold("-2^2/8").value, fold("1/0").op.name, fold("false and x").name
    (-1/2, 'DIV', 'false')
    """
    match node:
        case Unary(Op.NEG, Number(value)):
            return constant(node, -value)
        case Unary(Op.NOT, Name("true" | "false" as name)):
            return constant(node, truth(name == "false"))
        case Binary(op, Number(left), Number(right)):
            return constant(node, on_numbers(op, left, right))
        case Binary(Op.AND, left, right):
            return connective(node, left, right, unit=TRUE.name, zero=FALSE.name)
        case Binary(Op.OR, left, right):
            return connective(node, left, right, unit=FALSE.name, zero=TRUE.name)
        case Call(function, arguments):
            values = [argument.value for argument in arguments if isinstance(argument, Number)]
            if function == "count":
                return simplify_count(node, arguments)
            if function in ON_NUMBERS and len(values) == len(arguments):
                return constant(node, ON_NUMBERS[function](values))
    return node


def constant(node: Expr, value: Value | None) -> Expr:
    """The constant at the node's place; the node itself if there is no value."""
    match value:
        case None:
            return node
        case fmpq():
            return Number(value, span=node.span)
        case _:
            return Name(value.name, span=node.span)


def connective(node: Expr, left: Expr, right: Expr, unit: str, zero: str) -> Expr:
    """``and`` and ``or``: the left side is evaluated first."""
    match left, right:
        case (Name(name), _) if name == zero:
            return left
        case (Name(name), _) if name == unit and is_boolean(right):
            return right
        case (_, Name(name)) if name == unit and is_boolean(left):
            return left
    return node


def is_boolean(expr: Expr) -> bool:
    """Is this a Boolean by its form?  (What a variable holds is not known here.)"""
    match expr:
        case Name(name):
            return name in (TRUE.name, FALSE.name)
        case Unary(op) | Binary(op):
            return op in COMPARISON or op in (Op.NOT, Op.AND, Op.OR)
    return False


ARITHMETIC: dict[Op, Callable[[fmpq, fmpq], fmpq]] = {
    Op.ADD: operator.add,
    Op.SUB: operator.sub,
    Op.MUL: operator.mul,
}

COMPARISON: dict[Op, Callable[[fmpq, fmpq], bool]] = {
    Op.EQ: operator.eq,
    Op.NE: operator.ne,
    Op.LT: operator.lt,
    Op.LE: operator.le,
    Op.GT: operator.gt,
    Op.GE: operator.ge,
}


def on_numbers(op: Op, left: fmpq, right: fmpq) -> Value | None:
    """The value of an operator on two numbers, if it has one."""
    if op in ARITHMETIC:
        return bounded(ARITHMETIC[op](left, right))
    if op in COMPARISON:
        return truth(COMPARISON[op](left, right))
    if op is Op.DIV:
        return bounded(left / right) if right != 0 else None
    if op is Op.POW:
        return power(left, right)
    return None


def bounded(value: fmpq) -> fmpq | None:
    """The value, unless it is enormous."""
    small = max(value.p.bit_length(), value.q.bit_length()) <= BITS
    return value if small else None


def power(base: fmpq, exponent: fmpq) -> fmpq | None:
    """``base^exponent`` for an integer exponent, unless there is no value or it is enormous."""
    if exponent.q != 1 or (base == 0 and exponent < 0):
        return None
    times = int(exponent.p)
    if base in (0, 1, -1):
        return base ** (2 - times % 2) if times else fmpq(1)
    bits = max(int(base.p).bit_length(), int(base.q).bit_length())
    return base**times if bits * abs(times) <= BITS else None


def why_no_value(node: Expr) -> str:
    """Why a folded node with constant parts is not a constant; empty if there is no reason."""
    match node:
        case Binary(Op.DIV, _, Number(value)) if value == 0:
            return "division by zero"
        case Call("mod", (_, Number(value))) if value == 0:
            return "division by zero"
        case Binary(Op.POW, Number(base), Number(exponent)) if base == 0 and exponent < 0:
            return "division by zero"
        case Binary(Op.POW, _, Number(exponent)) if exponent.q != 1:
            return "a power with a fractional exponent is not a rational number"
        case Binary(Op.POW, Number(), Number()):
            return "the power is too large"
    return ""


def modulo(values: list[fmpq]) -> fmpq | None:
    """``mod(a, b)`` has the sign of b."""
    if len(values) != 2 or values[1] == 0:
        return None
    left, right = values
    return left - right * (left / right).floor()


ON_NUMBERS: dict[str, Callable[[list[fmpq]], fmpq | None]] = {
    "abs": lambda values: abs(values[0]) if len(values) == 1 else None,
    "floor": lambda values: fmpq(values[0].floor()) if len(values) == 1 else None,
    "ceil": lambda values: fmpq(values[0].ceil()) if len(values) == 1 else None,
    "mod": modulo,
    "max": max,
    "min": min,
    "sum": lambda values: sum(values, fmpq(0)),
}


def simplify_count(node: Call, arguments: tuple[Expr, ...]) -> Expr:
    """``count`` of constants is a number; constants among others stay (they are harmless)."""
    names = [argument.name for argument in arguments if isinstance(argument, Name)]
    if len(names) == len(arguments) and all(name in ("true", "false") for name in names):
        return Number(fmpq(names.count("true")), span=node.span)
    return replace(node, arguments=tuple(a for a in arguments if a != Name("false"))) if names else node
