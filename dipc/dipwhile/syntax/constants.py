"""Declarations and their constants: parameters, sizes, domains, bounds."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import assert_never

from flint import fmpq

from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.core import Variable
from dipc.dipwhile.syntax.fragment import violation
from dipc.dipwhile.syntax.functions import check_call
from dipc.dipwhile.syntax.kinds import show_domain
from dipc.dipwhile.syntax.simplify import why_no_value
from dipc.dipwhile.syntax.unroll import Constants, substitute
from dipc.dipwhile.syntax.walk import nodes
from dipc.errors import InputError, LimitReached, Span
from dipc.models.values import Atom, Value, show
from dipc.suggest import did_you_mean

LARGEST_SET = 100_000
"""How many values a set, and how many cells an array, may have."""

NUMBER_HINT = "it must be a number, possibly computed from parameters"


def evaluate_parameters(params: tuple[ast.Param, ...], overrides: Mapping[str, fmpq]) -> Constants:
    """The value of every parameter; each may use the earlier ones."""
    values: Constants = {}
    for name in overrides.keys() - {param.name for param in params}:
        hint = did_you_mean(name, (param.name for param in params)) or "it has no parameters at all"
        if name == "eps":
            hint = "eps stands for every value; choose a single one with `at` (`--at 1`)"
        raise InputError(f"the program has no parameter `{name}`", hint=hint)
    names = {param.name for param in params}
    for param in params:
        check_known(param.value, values, names)
        value = evaluate(param.value, values, f"parameter `{param.name}`")
        values[param.name] = overrides.get(param.name, value)
    return values


def check_known(expr: ast.Expr, values: Constants, parameters: Set[str] = frozenset()) -> None:
    """Refuse every name that has no value; ``parameters``: those that have one now or later."""
    for node in nodes(expr):
        match node:
            case ast.Name(name) if name in parameters and name not in values:
                hint = "a parameter may only use earlier ones"
                raise InputError(f"`{name}` has no value yet", node.span, hint)
            case ast.Name(name) if name not in values:
                raise InputError(f"`{name}` is not a parameter", node.span, did_you_mean(name, values))
            case ast.Call():
                check_call(node)


def evaluate(expr: ast.Expr, values: Constants, what: str) -> fmpq:
    """The number that a constant expression is equal to."""
    result = substitute(expr, values)
    if isinstance(result, ast.Number):
        return result.value
    for node in nodes(result):
        if reason := why_no_value(node):
            raise InputError(reason, node.span, NUMBER_HINT)
        match node:
            case ast.Eps():
                hint = "`eps` is allowed only in rates, probabilities and the claim"
                raise InputError(f"{what} depends on `eps`", node.span, hint)
            case ast.Name(name) if name not in ("true", "false"):
                message = f"{what} depends on `{name}`, which is not a constant"
                raise InputError(message, node.span, NUMBER_HINT)
    raise InputError(f"{what} is not a number", expr.span, NUMBER_HINT)


def evaluate_integer(expr: ast.Expr, values: Constants, what: str) -> int:
    """The integer that a constant expression is equal to."""
    value = evaluate(expr, values, what)
    if value.q != 1:
        raise InputError(f"{what} is `{show(value)}`, not an integer", expr.span, "round it: `floor(x)`")
    return int(value.p)


def evaluate_size(expr: ast.Expr, values: Constants, array: str) -> int:
    """The size of an array."""
    size = evaluate_integer(expr, values, f"the size of `{array}`")
    if size < 1:
        raise InputError(f"the size of `{array}` is {size}", expr.span, "an array has at least one cell")
    if size > LARGEST_SET:
        raise LimitReached(f"{expr.span.place}: array `{array}` has {size} cells, more than {LARGEST_SET}")
    return size


def evaluate_set(values: ast.FiniteSet, constants: Constants) -> tuple[Value, ...]:
    """The values of a set, in the order of the text; the integers of a range."""
    match values:
        case ast.Range(low, high):
            first = evaluate_integer(low, constants, "the start of the range")
            last = evaluate_integer(high, constants, "the end of the range")
            if first > last:
                hint = f"the smaller number comes first: `{last}..{first}`"
                raise InputError(f"the range `{first}..{last}` is empty", values.span, hint)
            if last - first >= LARGEST_SET:
                raise LimitReached(f"{values.span.place}: this range has more than {LARGEST_SET} values")
            return tuple(fmpq(value) for value in range(first, last + 1))
        case ast.SetOf(members):
            found: dict[Value, Span] = {}
            for member in members:
                value = evaluate_value(member, constants)
                if value in found:
                    hint = "remove one of them"
                    raise InputError(f"`{show(value)}` appears twice in this set", member.span, hint)
                found[value] = member.span
            return tuple(found)
        case _:
            assert_never(values)


def evaluate_value(expr: ast.Expr, constants: Constants) -> Value:
    """A number, or an atom."""
    result = substitute(expr, constants)
    if isinstance(result, ast.Name):
        return Atom(result.name)
    return evaluate(expr, constants, "this member of a set")


SAMPLE = (fmpq(-1), fmpq(0), fmpq(1))
"""Some of all real numbers, and of all integers."""


def sample(domain: ast.Unlisted, constants: Constants) -> tuple[fmpq, ...]:
    """Some values of an infinite set, the ends of an interval among them."""
    match domain:
        case ast.Reals() | ast.Integers():
            return SAMPLE
        case ast.Between(low, high):
            first = evaluate(low, constants, "the start of the interval")
            last = evaluate(high, constants, "the end of the interval")
            if first >= last:
                hint = "the smaller number comes first: `[0, 1]`"
                message = f"the interval `[{show(first)}, {show(last)}]` has no two values"
                raise InputError(message, domain.span, hint)
            return first, last
        case _:
            assert_never(domain)


def unlisted(name: str, domain: ast.Unlisted, constants: Constants) -> InputError:
    """The error where the values of every set are listed."""
    some = sample(domain, constants)
    listed = ", ".join(map(show, some))
    hint = f"`dipc prove` decides the claim; or declare a finite set, such as `in {{{listed}}}`"
    what = "all integers" if isinstance(domain, ast.Integers) else "all reals"
    if isinstance(domain, ast.Between):
        what += f" in [{listed}]"
        hint += f" or `in {listed.replace(', ', '..')}`" * all(value.q == 1 for value in some)
    return violation(8, f"`{name}` ranges over {what}, which `dipc check` cannot list", domain.span, hint)


def members(declaration: ast.Declaration, constants: Constants, sampled: bool) -> tuple[Value, ...]:
    """The values of a set; if ``sampled`` some of an infinite one, among them the start value."""
    domain, start = declaration.domain, declaration.start
    if not isinstance(domain, ast.Unlisted):
        return evaluate_set(domain, constants)
    some = sample(domain, constants)
    if not sampled:
        raise unlisted(declaration.name, domain, constants)
    first = () if start is None else (evaluate_value(start, constants),)
    return tuple(dict.fromkeys((*some, *first)))


def declare(declaration: ast.Declaration, constants: Constants, sampled: bool = False) -> Variable:
    """An input or output with its size, set and start value; ``sampled``: some values of an infinite set."""
    size = None if declaration.size is None else evaluate_size(declaration.size, constants, declaration.name)
    domain = members(declaration, constants, sampled)
    start = None
    if declaration.start is not None:
        start = evaluate_value(declaration.start, constants)
        if start not in domain:
            message = f"the start value `{show(start)}` is not in the set"
            raise InputError(message, declaration.start.span, f"the set is `{show_domain(domain)}`")
    return Variable(declaration.name, size, domain, start, declaration.span)


def declare_input(declaration: ast.Declaration, constants: Constants, sampled: bool = False) -> Variable:
    """An input, which has no start value."""
    if declaration.start is not None:
        message = f"the input `{declaration.name}` cannot have a start value"
        hint = "an input takes every value of its set in turn: remove it"
        raise InputError(message, declaration.start.span, hint)
    return declare(declaration, constants, sampled)
