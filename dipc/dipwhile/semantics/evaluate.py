"""Expressions in a state: one walk that gives numbers, atoms, or linear expressions of samples.

The value of a comparison between samples is not known.  The evaluator asks ``decide``, which answers for
one branch and remembers the other (:mod:`dipc.dipwhile.semantics.branching`).  So comparisons are allowed
wherever a Boolean is, ``and``/``or`` are lazy, and ``max``, ``abs``, ``disc`` ... of samples are their usual
definitions by comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, Protocol, assert_never

from flint import fmpq

from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.core import Cell
from dipc.dipwhile.syntax.fragment import violation
from dipc.dipwhile.syntax.simplify import OPERATORS
from dipc.errors import InputError, Span, Unsupported
from dipc.integration.linear import Linear, plus_multiple
from dipc.models.values import FALSE, TRUE, Atom, Value, show, truth
from dipc.numbers.exact import modulo
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient

MOST_EXPONENT = 10_000
"""The greatest exponent of a number, and the negative of the least."""

Numeric = fmpq | Linear
Datum = Numeric | Atom


class Decide(Protocol):
    """Answers for comparisons of samples, on one branch."""

    def __call__(self, form: Linear, strict: bool) -> bool:
        """Whether ``form > 0`` (strict) or ``form >= 0``."""

    def range_of(self, form: Linear) -> tuple[fmpq | None, fmpq | None]:
        """Bounds on the values the expression can have here; None is infinity."""


class InputNeeded(Exception):
    """An input cell was read whose value the exploration has not fixed yet."""

    def __init__(self, cell: Cell) -> None:
        self.cell = cell


@dataclass(frozen=True, slots=True)
class Memory:
    """Everything that an expression can read."""

    env: Mapping[Cell, Datum]
    inputs: Mapping[Cell, Value]
    input_names: frozenset[str]
    variables: frozenset[str]
    arrays: Mapping[str, int]

    def read(self, cell: Cell, span: Span) -> Datum:
        """The value of a cell.  Raises :class:`InputNeeded`, or :class:`InputError` if it has none."""
        if cell[0] in self.input_names:
            if cell not in self.inputs:
                raise InputNeeded(cell)
            return self.inputs[cell]
        if cell not in self.env:
            shown = spelled_cell(cell)
            hint = f"assign `{shown}` on every path that leads here"
            raise InputError(f"`{shown}` is read before it has a value", span, hint)
        return self.env[cell]


def evaluate(expr: ast.Expr, memory: Memory, decide: Decide) -> Datum:
    """The value.  Raises :class:`InputError` at the offending subexpression, and :class:`InputNeeded`."""
    if not isinstance(expr, ast.Binary):
        return _leaf(expr, memory, decide)
    first, links = expr.spine()  # long sums lean left: walk them without recursion
    result = _leaf(first, memory, decide)
    for node in links:
        result = _binary(node, result, memory, decide)
    return result


def condition(expr: ast.Expr, memory: Memory, decide: Decide) -> bool:
    """The value of a Boolean expression."""
    return _as_truth(evaluate(expr, memory, decide), expr.span)


def number(expr: ast.Expr, memory: Memory, decide: Decide) -> fmpq:
    """The value of an expression that is a number."""
    return _as_number(evaluate(expr, memory, decide), expr.span)


def _leaf(expr: ast.Expr, memory: Memory, decide: Decide) -> Datum:
    match expr:
        case ast.Number(value):
            return value
        case ast.Name(primed=primed):
            name = spelled(expr.name, primed)
            if name not in memory.variables:
                return Atom(name)
            if name in memory.arrays:
                hint = f"name one cell, for example `{name}[1]`"
                raise InputError(f"`{name}` is an array", expr.span, hint)
            return memory.read((name, 0), expr.span)
        case ast.Index():
            return memory.read(cell_of(expr, memory, decide), expr.span)
        case ast.Unary(ast.Op.NOT, operand):
            return truth(not condition(operand, memory, decide))
        case ast.Unary(_, operand):
            return _scaled(evaluate(operand, memory, decide), fmpq(-1), operand.span)
        case ast.Call(function, arguments):
            return _call(function, arguments, expr.span, memory, decide)
        case ast.Eps():
            raise InputError("eps is allowed only in rates, probabilities and claims", expr.span)
        case ast.Binary() | ast.Fold():
            raise AssertionError("walked before")
        case _:
            assert_never(expr)


def cell_of(target: ast.Name | ast.Index, memory: Memory, decide: Decide) -> Cell:
    """The cell that a name or an array element denotes."""
    if isinstance(target, ast.Name):
        return target.name, 0
    index = evaluate(target.index, memory, decide)
    array = spelled(target.array, target.primed)
    size = memory.arrays[array]
    if not isinstance(index, fmpq) or index.q != 1 or not 1 <= index <= size:
        shown = show(index) if isinstance(index, fmpq | Atom) else "random"
        problem = f"the index {shown} is outside {array}[1..{size}]"
        raise InputError(problem, target.index.span, "arrays are indexed from 1")
    return array, int(index.p)


def spelled(name: str, primed: bool) -> str:
    """The name of a variable, or of its twin in the neighbouring input."""
    return name + "'" if primed else name


def spelled_cell(cell: Cell) -> str:
    """A cell as the language writes it: ``n`` or ``q[1]``."""
    name, index = cell
    return f"{name}[{index}]" if index else name


# --- operators -------------------------------------------------------------------------------


def _binary(node: ast.Binary, left: Datum, memory: Memory, decide: Decide) -> Datum:
    match node.op:
        case ast.Op.AND | ast.Op.OR:
            if _as_truth(left, node.left.span) == (node.op is ast.Op.OR):
                return left
            return truth(condition(node.right, memory, decide))
        case op if op in ast.COMPARISONS:
            return truth(compare(op, left, evaluate(node.right, memory, decide), node.span, decide))
    return _arithmetic(node, left, evaluate(node.right, memory, decide))


def compare(op: ast.Op, left: Datum, right: Datum, span: Span, decide: Decide) -> bool:
    """``left op right``; real random expressions are equal with probability 0."""
    if isinstance(left, Atom) or isinstance(right, Atom):
        if op not in (ast.Op.EQ, ast.Op.NE):
            problem = f"`{_shown(left)}` and `{_shown(right)}` have no order"
            raise InputError(problem, span, "compare with `=` or `!=`")
        return (left == right) == (op is ast.Op.EQ)
    difference = _sum(left, right, fmpq(-1), span)
    if isinstance(difference, fmpq):
        return bool(OPERATORS[op](difference, fmpq(0)))
    try:
        if op in (ast.Op.EQ, ast.Op.NE):
            # Integer samples can tie; for real ones it has probability 0.
            ties = difference.integer and decide(difference, strict=False)
            return (ties and not decide(difference, strict=True)) == (op is ast.Op.EQ)
        if op in (ast.Op.LT, ast.Op.LE):
            difference = difference.negated()
        return decide(difference, strict=op in (ast.Op.LT, ast.Op.GT))
    except Unsupported as limit:  # the density does not know the place of the comparison
        raise Unsupported(limit.message, limit.span or span, limit.hint) from None


def _arithmetic(node: ast.Binary, left: Datum, right: Datum) -> Datum:
    left, right = _as_numeric(left, node.left.span), _as_numeric(right, node.right.span)
    match node.op:
        case ast.Op.ADD | ast.Op.SUB:
            return _sum(left, right, fmpq(1 if node.op is ast.Op.ADD else -1), node.span)
        case ast.Op.MUL:
            if isinstance(left, fmpq):
                return _scaled(right, left, node.right.span)
            return _scaled(left, _as_number(right, node.right.span), node.left.span)
        case ast.Op.DIV:
            divisor = _as_number(right, node.right.span)
            if not divisor:
                raise InputError("division by zero", node.right.span)
            return _scaled(left, 1 / divisor, node.left.span)
        case ast.Op.POW:
            base, exponent = _as_number(left, node.left.span), _as_number(right, node.right.span)
            number: fmpq = _power(base, exponent, MOST_EXPONENT, node.span)
            return number
        case _:
            raise AssertionError(node.op)


def _power(base: Any, exponent: fmpq, most: int, span: Span) -> Any:
    """``base ^ exponent`` for an integer exponent of sane size."""
    if exponent.q != 1 or abs(exponent) > most:
        raise InputError(f"the exponent must be an integer between -{most} and {most}", span)
    if exponent < 0 and not base:
        raise InputError("division by zero", span)
    return base ** int(exponent.p)


def _sum(left: Numeric, right: Numeric, sign: fmpq, span: Span) -> Numeric:
    """``left + sign * right``."""
    if isinstance(left, fmpq):
        if isinstance(right, fmpq):
            return left + sign * right
        left = Linear((), left, right.integer)
    if isinstance(right, fmpq):
        return Linear(left.coefficients, left.constant + sign * right, left.integer)
    if left.integer != right.integer:
        hint = "draw both from Lap, or from DLap"
        raise violation(5, "a real random variable meets an integer one", span, hint)
    coefficients = plus_multiple(left.coefficients, sign, right.coefficients)
    return Linear.make(coefficients, left.constant + sign * right.constant, left.integer)


def _scaled(value: Datum, factor: fmpq, span: Span) -> Numeric:
    value = _as_numeric(value, span)
    if isinstance(value, fmpq):
        return value * factor
    return Linear.make({i: c * factor for i, c in value.coefficients}, value.constant * factor, value.integer)


# --- functions -------------------------------------------------------------------------------


def _call(name: str, arguments: tuple[ast.Expr, ...], span: Span, memory: Memory, decide: Decide) -> Datum:
    given = flattened(arguments, memory, decide)
    if name == "count":
        return fmpq(sum(_as_truth(v, s) for v, s in given))
    return _FUNCTIONS[name]([_as_numeric(v, s) for v, s in given], span, decide)


def flattened(arguments: tuple[ast.Expr, ...], memory: Memory, decide: Decide) -> list[tuple[Datum, Span]]:
    """The arguments, an array standing for all its cells."""
    result: list[tuple[Datum, Span]] = []
    for argument in arguments:
        name = spelled(argument.name, argument.primed) if isinstance(argument, ast.Name) else ""
        if name in memory.arrays:
            cells = ((name, i) for i in range(1, memory.arrays[name] + 1))
            result.extend((memory.read(cell, argument.span), argument.span) for cell in cells)
        else:
            result.append((evaluate(argument, memory, decide), argument.span))
    return result


def _best(values: list[Numeric], op: ast.Op, span: Span, decide: Decide) -> int:
    """The position of the greatest (GT) or least (LT) value; the first one among equals."""
    best = 0
    for i in range(1, len(values)):
        if compare(op, values[i], values[best], span, decide):
            best = i
    return best


def _disc(values: list[Numeric], span: Span, decide: Decide) -> Numeric:
    """The paper's Disc (Section 6.2): a_i for the first i with x <= a_i, the last one otherwise."""
    x, *levels = values
    return next((a for a in levels[:-1] if compare(ast.Op.LE, x, a, span, decide)), levels[-1])


def _modulo(values: list[Numeric], span: Span, decide: Decide) -> fmpq:
    rest = modulo(*(_as_number(v, span) for v in values))
    if rest is None:
        raise InputError("division by zero", span)
    return rest


_FUNCTIONS: dict[str, Callable[[list[Numeric], Span, Decide], Numeric]] = {
    "max": lambda v, s, d: v[_best(v, ast.Op.GT, s, d)],
    "min": lambda v, s, d: v[_best(v, ast.Op.LT, s, d)],
    "argmax": lambda v, s, d: fmpq(_best(v, ast.Op.GT, s, d) + 1),
    "argmin": lambda v, s, d: fmpq(_best(v, ast.Op.LT, s, d) + 1),
    "abs": lambda v, s, d: v[0] if compare(ast.Op.GE, v[0], fmpq(0), s, d) else _scaled(v[0], fmpq(-1), s),
    "sum": lambda v, s, d: reduce(lambda a, b: _sum(a, b, fmpq(1), s), v),
    "disc": _disc,
    "floor": lambda v, s, d: fmpq(_as_number(v[0], s).floor()),
    "ceil": lambda v, s, d: fmpq(_as_number(v[0], s).ceil()),
    "mod": _modulo,
}


# --- functions of eps ------------------------------------------------------------------------


def function_of_eps(expr: ast.Expr, memory: Memory, decide: Decide) -> Quotient:
    """A rate, probability, epsilon or delta: numbers, eps, ``exp(a*eps + k + b/eps)`` and arithmetic."""
    match expr:
        case ast.Eps():
            return Quotient(ExpPoly.of(1, 1))
        case ast.Unary(ast.Op.NEG, operand):
            return -function_of_eps(operand, memory, decide)
        case ast.Call("exp", (argument,)):
            return _exponential(function_of_eps(argument, memory, decide), argument.span)
        case ast.Binary(ast.Op.ADD | ast.Op.SUB | ast.Op.MUL | ast.Op.DIV, _, _):
            first, links = expr.spine(ast.SUMS | ast.PRODUCTS)
            result = function_of_eps(first, memory, decide)
            for step in links:
                right = function_of_eps(step.right, memory, decide)
                if step.op is ast.Op.DIV and not right:
                    raise InputError("division by zero", step.right.span)
                result = OPERATORS[step.op](result, right)
            return result
        case ast.Binary(ast.Op.POW, base, exponent):
            n = _as_number(evaluate(exponent, memory, decide), exponent.span)
            power: Quotient = _power(function_of_eps(base, memory, decide), n, 100, expr.span)
            return power
        case _:
            return Quotient.of(_as_number(evaluate(expr, memory, decide), expr.span))


def _exponential(argument: Quotient, span: Span) -> Quotient:
    terms = list(argument.numerator.terms())
    if argument.denominator.as_rational() != 1 or any(any(t[2:]) or abs(t.power) > 1 for t in terms):
        problem = "exp takes a*eps + k + b/eps with rational numbers a, k and b"
        raise InputError(problem, span, "for example exp(eps/2) or exp(-2)")
    exponents = {t.power: t.coefficient for t in terms}
    return Quotient(ExpPoly.exp(*(exponents.get(n, fmpq(0)) for n in (1, 0, -1))))


# --- conversions -----------------------------------------------------------------------------


def _shown(value: Datum) -> str:
    return "a random value" if isinstance(value, Linear) else show(value)


def _as_truth(value: Datum, span: Span) -> bool:
    if value not in (TRUE, FALSE):
        raise InputError(f"a Boolean is needed here, not {_shown(value)}", span)
    return value == TRUE


def _as_numeric(value: Datum, span: Span) -> fmpq | Linear:
    if isinstance(value, Atom):
        raise InputError(f"a number is needed here, not {value}", span)
    return value


def _as_number(value: Datum, span: Span) -> fmpq:
    if not isinstance(value, fmpq):
        raise InputError(f"a number is needed here, not {_shown(value)}", span)
    return value


NOTHING = Memory({}, {}, frozenset(), frozenset(), {})


class _Never:
    """For expressions that cannot mention samples."""

    def __call__(self, form: Linear, strict: bool) -> bool:
        raise InputError("a random comparison is not allowed here")

    def range_of(self, form: Linear) -> tuple[fmpq | None, fmpq | None]:
        raise InputError("a random value is not allowed here")


never: Decide = _Never()
