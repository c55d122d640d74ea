"""Exact constant folding: one node at a time, parts already folded.

Folding never fails.  What has no value (``1/0``, ``true + 1``) is left unchanged, so that a branch that
turns out dead may contain it; :mod:`dipc.dipwhile.syntax.types` refuses what is left alive.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from flint import fmpq

from dipc.dipwhile.syntax.ast import ARITHMETIC, Binary, Call, Expr, Index, Name, Number, Op, Unary
from dipc.dipwhile.syntax.walk import bottom_up
from dipc.models.values import FALSE, TRUE, Value, truth
from dipc.numbers.exact import ON_NUMBERS

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
        case Binary():
            return simplify_binary(node)
        case Unary(Op.NEG, Number(value)):
            return constant(node, -value)
        case Unary(Op.NOT, Name("true" | "false" as name)):
            return constant(node, truth(name == "false"))
        case Call(function, arguments):
            values = [argument.value for argument in arguments if isinstance(argument, Number)]
            if function == "count":
                return simplify_count(node, arguments)
            count, compute = ON_NUMBERS.get(function, (0, None))
            if compute is not None and len(values) == len(arguments) == (count or len(values)):
                return constant(node, compute(*values))
    return node


def simplify_binary(node: Binary) -> Expr:
    """The same for an operator between two expressions, which is asked most."""
    op, left, right = node.op, node.left, node.right
    if isinstance(left, Number) and isinstance(right, Number):
        return constant(node, on_numbers(op, left.value, right.value))
    if op is Op.AND:
        return connective(node, left, right, unit=TRUE.name, zero=FALSE.name)
    if op is Op.OR:
        return connective(node, left, right, unit=FALSE.name, zero=TRUE.name)
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
            return op not in (Op.NEG, *ARITHMETIC)
    return False


def on_numbers(op: Op, left: fmpq, right: fmpq) -> Value | None:
    """The value of an operator on two numbers, if it has one that is not enormous."""
    value = OPERATORS[op](left, right) if op in OPERATORS else None
    if value is None or isinstance(value, bool):
        return value if value is None else truth(value)
    return value if max(value.p.bit_length(), value.q.bit_length()) <= BITS else None


def power(base: fmpq, exponent: fmpq) -> fmpq | None:
    """``base^exponent`` for an integer exponent, unless there is no value or it is enormous."""
    if exponent.q != 1 or (base == 0 and exponent < 0):
        return None
    times = int(exponent.p)
    if base in (0, 1, -1):
        return base ** (2 - times % 2) if times else fmpq(1)
    bits = max(int(base.p).bit_length(), int(base.q).bit_length())
    return base**times if bits * abs(times) <= BITS else None


OPERATORS: dict[Op, Callable[[Any, Any], Any]] = {
    Op.ADD: operator.add,
    Op.SUB: operator.sub,
    Op.MUL: operator.mul,
    Op.DIV: lambda left, right: left / right if right else None,
    Op.POW: power,
    Op.EQ: operator.eq,
    Op.NE: operator.ne,
    Op.LT: operator.lt,
    Op.LE: operator.le,
    Op.GT: operator.gt,
    Op.GE: operator.ge,
}
"""What an operator does with numbers, and with functions; None: there is no value."""

DIVISION = "division by zero"


def why_no_value(node: Expr) -> str:
    """Why a folded node with constant parts is not a constant; empty if there is no reason."""
    match node:
        case Binary() if node.op not in (Op.DIV, Op.POW):
            return ""  # so are most
        case Binary(Op.DIV, _, Number(value)) if value == 0:
            return DIVISION
        case Call("mod", (_, Number(value))) if value == 0:
            return DIVISION
        case Binary(Op.POW, Number(base), Number(exponent)) if base == 0 and exponent < 0:
            return DIVISION
        case Binary(Op.POW, _, Number(exponent)) if exponent.q != 1:
            return "a power with a fractional exponent is not a rational number"
        case Binary(Op.POW, Number(), Number()):
            return "the power is too large"
    return ""


def simplify_count(node: Call, arguments: tuple[Expr, ...]) -> Expr:
    """``count`` of constants is a number; constants among others stay (they are harmless)."""
    names = [argument.name for argument in arguments if isinstance(argument, Name)]
    if len(names) == len(arguments) and all(name in ("true", "false") for name in names):
        return Number(fmpq(names.count("true")), span=node.span)
    return replace(node, arguments=tuple(a for a in arguments if a != Name("false"))) if names else node


# --- linear expressions ----------------------------------------------------------------------

Linear = Mapping[Any, fmpq]
"""The coefficient of each unknown in a linear expression, without zeros; that of None is the constant."""


def linear(expr: Expr, leaf: Callable[[Expr], Linear | None]) -> Linear | None:
    """An expression as a linear one; ``leaf``: what every node is that is not linear in linear parts.

    >>> from dipc.dipwhile.syntax.parser import parse_expression
    >>> linear(parse_expression("2*(x - 1)/4 + x"), lambda node: {node.name: fmpq(1)})
    {'x': 3/2, None: -1/2}
    """

    def visit(node: Expr, parts: tuple[Linear | None, ...]) -> Linear | None:
        if None in parts and not isinstance(node, Index | Call):  # what is inside is no part of the sum
            return None
        match node, parts:
            case Number(value), _:
                return combined((value, {None: fmpq(1)}))
            case Unary(Op.NEG), (dict(part),):
                return combined((fmpq(-1), part))
            case Binary(Op.ADD | Op.SUB as op), (dict(left), dict(right)):
                return combined((fmpq(1), left), (fmpq(1 if op is Op.ADD else -1), right))
            case Binary(Op.MUL), (dict(left), dict(right)) if left.keys() <= {None}:
                return combined((left.get(None, fmpq(0)), right))
            case Binary(Op.MUL), (dict(left), dict(right)) if right.keys() <= {None}:
                return combined((right.get(None, fmpq(0)), left))
            case Binary(Op.DIV), (dict(left), dict(right)) if right.keys() == {None}:
                return combined((1 / right[None], left))
        return leaf(node)

    return bottom_up(expr, visit)


def combined(*terms: tuple[fmpq, Linear]) -> Linear:
    """A sum of multiples."""
    total: dict[Any, fmpq] = {}
    for factor, term in terms:
        for unknown, value in term.items():
            total[unknown] = total.get(unknown, fmpq(0)) + factor * value
    return {unknown: value for unknown, value in total.items() if value != 0}
