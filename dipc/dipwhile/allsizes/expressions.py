"""The values of expressions on a path, and the outcomes of conditions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import assert_never

from flint import fmpq

from dipc.dipwhile.allsizes.paths import IMPOSSIBLE, Path
from dipc.dipwhile.allsizes.values import (
    ONE,
    ZERO,
    Datum,
    Linear,
    Pair,
    Symbol,
    Unknown,
    as_linear,
    datum,
    number,
    total,
    unknown,
)
from dipc.dipwhile.semantics.evaluate import MOST_EXPONENT
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.printer import show_expr
from dipc.dipwhile.syntax.unroll import substitute
from dipc.dipwhile.syntax.walk import joined
from dipc.errors import Span, Unsupported
from dipc.models.values import FALSE, TRUE, Atom, truth

FAMILY_HINT = (
    "over all cells, only `sum` of inputs and `max`, `min`, `argmax`, `argmin` of equal draws are known"
)


def evaluate(path: Path, expr: ast.Expr) -> Datum:
    """The value of an expression."""
    match expr:
        case ast.Number(value):
            return number(value)
        case ast.Name(name):
            return scalar(path, name, expr.span)
        case ast.Index():
            return cell_of(path, expr)
        case ast.Unary(ast.Op.NEG, operand):
            return number_of(path, operand).times(-ONE)
        case ast.Unary(_, operand):
            return negated(path, evaluate(path, operand), operand)
        case ast.Binary(op) if op in ast.ARITHMETIC:
            return chain(path, expr)
        case ast.Binary():
            return datum(truth(condition(path, expr)))
        case ast.Call(function, arguments):
            return call(path, function, arguments, expr)
        case ast.Fold(kind):
            raise Unsupported(f"`{kind}` over a range of any size", expr.span, FAMILY_HINT)
        case ast.Eps():
            raise Unsupported("`eps` is a part of a value", expr.span)
        case _:
            assert_never(expr)


def number_of(path: Path, expr: ast.Expr) -> Linear:
    """The value of a numeric expression."""
    return numeric(path, evaluate(path, expr), expr)


def numeric(path: Path, value: Datum, expr: ast.Expr) -> Linear:
    """The value of an expression, as a number."""
    found = as_linear(value)
    if found is None:
        raise Unsupported("a number is needed here", expr.span)
    if isinstance(value, Unknown):
        path.may_fail(f"`{show_expr(expr)}` is not a number", expr.span)
    return found


def chain(path: Path, expr: ast.Binary) -> Datum:
    """The value of arithmetic; a long sum leans left."""
    first, links = expr.spine(ast.ARITHMETIC)
    value = evaluate(path, first)
    for node in links:
        value = arithmetic(path, node.op, numeric(path, value, node.left), number_of(path, node.right), node)
    return value


def negated(path: Path, value: Datum, operand: ast.Expr) -> Datum:
    """The other Boolean."""
    if isinstance(value, Pair):
        boolean(path, value, operand)
        return Pair(*(truth(side != TRUE) for side in (value.left, value.right)))
    return datum(truth(not is_true(path, value, operand)))


def arithmetic(path: Path, op: ast.Op, left: Linear, right: Linear, expr: ast.Expr) -> Datum:
    """A sum, a multiple, or a function of public numbers."""
    match op:
        case ast.Op.ADD:
            return left.plus(right)
        case ast.Op.SUB:
            return left.plus(right, -ONE)
        case ast.Op.MUL if left.number is not None:
            return right.times(left.number)
        case ast.Op.MUL if right.number is not None:
            return left.times(right.number)
        case ast.Op.DIV if right.number:
            return left.times(1 / right.number)
    return opaque(path, op.value, (left, right), expr)


def opaque(path: Path, name: str, values: Sequence[Linear], expr: ast.Expr) -> Datum:
    """A function of public numbers: a number if they are known, else the same unknown in both runs."""
    if not all(map(path.is_public, values)):
        raise Unsupported(f"`{show_expr(expr)}` is not linear in private or random values", expr.span)
    is_defined(path, name, values, expr)
    known = substitute(expr, path.numbers())
    if isinstance(known, ast.Number):
        return number(known.value)
    return unknown(Symbol("public", f"{name}({', '.join(map(str, values))})"))


def is_defined(path: Path, name: str, values: Sequence[Linear], expr: ast.Expr) -> None:
    """A divisor is not 0, an exponent is an integer, or the run fails."""
    last = values[-1]
    power = name == ast.Op.POW.value
    if power and not (last.number is not None and last.number.q == 1 and abs(last.number) <= MOST_EXPONENT):
        path.may_fail(f"the exponent of `{show_expr(expr)}` is not an integer", expr.span)
    divisor = values[0] if power and (last.number or ZERO) < 0 else last
    if (name in (ast.Op.DIV.value, "mod") or divisor is not last) and not (
        path.shows(divisor, strict=True) or path.shows(divisor.times(-ONE), strict=True)
    ):
        path.may_fail(f"`{show_expr(expr)}` divides by zero", expr.span)


def call(path: Path, function: str, arguments: tuple[ast.Expr, ...], expr: ast.Expr) -> Datum:
    """The value of a call."""
    match function:
        case "count":
            return number(fmpq(sum(condition(path, a) for a in flattened(path, arguments))))
        case "floor" | "ceil" | "mod":
            return opaque(path, function, [number_of(path, argument) for argument in arguments], expr)
    values = [number_of(path, argument) for argument in flattened(path, arguments)]
    match function:
        case "sum":
            return total(values)
        case "abs":
            sign = ast.Binary(ast.Op.GE, arguments[0], ast.Number(ZERO), span=expr.span)
            return values[0] if compare(path, ast.Op.GE, values[0], sign) else values[0].times(-ONE)
        case "disc":
            return disc(path, values, arguments[0], arguments[1:])
        case "max" | "min" | "argmax" | "argmin":
            best = best_of(path, values, function.endswith("max"), expr)
            return number(fmpq(best + 1)) if function.startswith("arg") else values[best]
    raise Unsupported(f"`{function}` is not known for every size", expr.span)


def flattened(path: Path, arguments: Iterable[ast.Expr]) -> list[ast.Expr]:
    """The arguments, an array standing for all its cells."""
    found: list[ast.Expr] = []
    for argument in arguments:
        size = path.system.sizes.get(argument.name) if isinstance(argument, ast.Name) else None
        if isinstance(argument, ast.Name) and size is not None:
            cells = (ast.Number(fmpq(k), span=argument.span) for k in range(1, size + 1))
            found += [ast.Index(argument.name, cell, span=argument.span) for cell in cells]
        elif isinstance(argument, ast.Name) and argument.name in path.system.sizes:
            raise Unsupported(f"all of `{argument.name}`, an array of any size", argument.span, FAMILY_HINT)
        else:
            found.append(argument)
    return found


def best_of(path: Path, values: Sequence[Linear], greatest: bool, expr: ast.Expr) -> int:
    """Which value wins; the first one among equals."""
    best = path.choose(len(values))
    sign = ONE if greatest else -ONE
    for i, value in enumerate(values):
        if i != best:
            path.require(values[best].plus(value, -ONE).times(sign), strict=i < best)
    path.decide("test", f"{show_expr(expr)} is number {best + 1}", expr.span)
    return best


def disc(path: Path, values: Sequence[Linear], argument: ast.Expr, levels: Sequence[ast.Expr]) -> Datum:
    """The first level that is not exceeded, or the last one."""
    value, *amounts = values
    for level, amount in zip(levels[:-1], amounts, strict=False):
        condition = ast.Binary(ast.Op.LE, argument, level, span=argument.span)
        if compare(path, ast.Op.GE, amount.plus(value, -ONE), condition):
            return amount
    return amounts[-1]


def scalar(path: Path, name: str, span: Span) -> Datum:
    """The value of a scalar."""
    system = path.system
    if name in path.values:
        return path.values[name]
    if name in system.scope.inputs:
        return path.keep(name, name, span)
    if name in system.starts:
        return system.starts[name]
    if name in system.scope.names:
        return unknown(Symbol("public", name))
    if name not in system.variables:
        return datum(Atom(name))
    raise Unsupported(f"`{name}` may have no value here", span)


def cell_of(path: Path, expr: ast.Index) -> Datum:
    """The value of an element of an array."""
    array, index = expr.array, index_of(path, expr)
    if index.number is not None:
        name = f"{array}[{index.number}]"
        if name in path.values:
            return path.values[name]
        if array in path.system.scope.inputs:
            return path.keep(array, name, expr.span)
    elif array in path.system.scope.inputs:
        return path.stream(array, index, expr)
    stored = [v for name, v in path.values.items() if name.startswith(f"{array}[")]
    output = path.system.outputs.get(array)
    if output is not None:
        path.show(array)  # what is read may be overwritten before the path ends
    elif array not in path.public or not all(map(path.is_public, stored)):
        raise Unsupported(f"`{show_expr(expr)}` is kept over several loops", expr.span, FAMILY_HINT)
    if output is None or output.start is None:
        path.may_fail(f"`{show_expr(expr)}` has no value here", expr.span)
    return path.unknown(array)


def index_of(path: Path, expr: ast.Index) -> Linear:
    """The place of an element in its array, the same in both runs."""
    index = number_of(path, expr.index)
    if not path.is_public(index):
        raise Unsupported(f"the index of `{show_expr(expr)}` depends on private values", expr.index.span)
    size = path.system.lengths.get(expr.array)
    if not path.is_integer(index):
        path.may_fail(f"the index of `{show_expr(expr)}` is not an integer", expr.span)
    elif size is not None and not path.within(index, number(ONE), number_of(path, size)):
        path.may_fail(f"`{show_expr(expr)}` is outside its array", expr.span)
    return index


def condition(path: Path, expr: ast.Expr) -> bool:
    """The outcome of a Boolean expression, on this path."""
    match expr:
        case ast.Binary(ast.Op.AND):
            return all(condition(path, part) for part in joined(expr, ast.Op.AND))
        case ast.Binary(ast.Op.OR):
            return any(condition(path, part) for part in joined(expr, ast.Op.OR))
        case ast.Unary(ast.Op.NOT, operand):
            return not condition(path, operand)
        case ast.Binary(ast.Op.EQ | ast.Op.NE as op, left, right):
            return equation(path, left, right, expr) == (op is ast.Op.EQ)
        case ast.Binary(ast.Op.GE | ast.Op.GT as op, left, right):
            return compare(path, op, difference(path, left, right, expr.span), expr)
        case ast.Binary(ast.Op.LE | ast.Op.LT as op, left, right):
            turned = ast.Op.GE if op is ast.Op.LE else ast.Op.GT
            return compare(path, turned, difference(path, right, left, expr.span), expr)
        case _:
            return is_true(path, evaluate(path, expr), expr)


def difference(path: Path, left: ast.Expr, right: ast.Expr, span: Span) -> Linear:
    """``left - right``."""
    return number_of(path, left).plus(number_of(path, right), -ONE)


def is_true(path: Path, value: Datum, expr: ast.Expr) -> bool:
    """The value of a Boolean on u; if it is another one on u', the run on u' cannot take the path."""
    match value:
        case Pair(left):
            boolean(path, value, expr)
            if not value.public:
                path.guards[IMPOSSIBLE] = None
                path.decide("test", outcome_text(expr, left == TRUE), expr.span)
            return left == TRUE
        case Unknown():
            path.may_fail(f"`{show_expr(expr)}` is not a Boolean", expr.span)
            return either(path, expr)
        case _:
            raise Unsupported("a condition is needed here", expr.span)


def boolean(path: Path, value: Pair, expr: ast.Expr) -> None:
    """A condition is `true` or `false`, or the run fails."""
    if not {value.left, value.right} <= {TRUE, FALSE}:
        path.same(value)
        if value.left not in (TRUE, FALSE):
            path.fail(f"`{show_expr(expr)}` is not a Boolean", expr.span)


def either(path: Path, expr: ast.Expr) -> bool:
    """The outcome of a condition on public values that are not known."""
    path.vague = True
    outcome = path.choose(2) == 0
    path.decide("test", outcome_text(expr, outcome), expr.span)
    return outcome


def compare(path: Path, op: ast.Op, value: Linear, expr: ast.Expr) -> bool:
    """The outcome of ``value >= 0`` or ``value > 0``, which ``expr`` says."""
    strict = op is ast.Op.GT
    if value.number is not None:
        return value.number > 0 or (value.number == 0 and not strict)
    outcome = path.choose(2) == 0
    path.decide("test", outcome_text(expr, outcome), expr.span)
    path.require(value if outcome else value.times(-ONE), strict=strict == outcome)
    return outcome


def equation(path: Path, left: ast.Expr, right: ast.Expr, expr: ast.Binary) -> bool:
    """The outcome of an equation."""
    expr = ast.Binary(ast.Op.EQ, left, right, span=expr.span)
    text, a, b = show_expr(expr), evaluate(path, left), evaluate(path, right)
    if isinstance(a, Pair) and isinstance(b, Pair):
        outcomes = Pair(truth(a.left == b.left), truth(a.right == b.right))
        return is_true(path, outcomes, expr)
    x, y = as_linear(a), as_linear(b)
    if x is None or y is None:
        if isinstance(a, Unknown) or isinstance(b, Unknown):
            if not (path.is_public(a) and path.is_public(b)):
                raise Unsupported(f"`{text}` compares private values with unknown ones", expr.span)
            return either(path, expr)
        raise Unsupported(f"`{text}` compares a number with a name", expr.span)
    value = x.plus(y, -ONE)
    if value.number is not None:
        return value.number == 0
    if any(s.kind == "sample" and not path.is_integer(unknown(s)) for s, _ in value.terms):
        return False  # a fresh real sample: the probability is 0
    outcome = path.choose(3)
    op = (ast.Op.EQ, ast.Op.GT, ast.Op.LT)[outcome]
    path.decide("test", show_expr(ast.Binary(op, left, right)), expr.span)
    if outcome == 0:
        path.require(value, equal=True)
    else:
        path.require(value.times(ONE if outcome == 1 else -ONE), strict=True)
    return outcome == 0


def bound_of(path: Path, expr: ast.Expr) -> Linear:
    """An end of a range of integers."""
    value = number_of(path, expr)
    if not path.is_integer(value):
        path.may_fail(f"the bound `{show_expr(expr)}` is not an integer", expr.span)
    return value


def nonempty(path: Path, low: ast.Expr, high: ast.Expr, span: Span) -> tuple[Linear, Linear]:
    """The ends of a range that must not be empty."""
    ends = bound_of(path, low), bound_of(path, high)
    if not path.shows(ends[1].plus(ends[0], -ONE)):
        path.may_fail(f"the set `{show_expr(low)}..{show_expr(high)}` is empty", span)
    return ends


def declared_number(path: Path, expr: ast.Expr) -> Linear:
    """The value of a declared size, or of an end of a declared range."""
    return number_of(path, substitute(expr, path.system.constants))


def outcome_text(expr: ast.Expr, outcome: bool) -> str:
    """A condition that holds, or its negation."""
    if outcome:
        return show_expr(expr)
    if isinstance(expr, ast.Binary) and expr.op in ast.NEGATED:
        return show_expr(replace(expr, op=ast.NEGATED[expr.op]))
    return show_expr(ast.Unary(ast.Op.NOT, expr))
