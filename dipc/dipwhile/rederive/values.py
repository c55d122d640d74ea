"""Values of the slow route, all hashable: numbers, names, linear expressions, functions of eps, arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dipc.dipwhile.rederive.functions import EPS, INVERSE, ONE, NotCovered, Pair, constant, product
from dipc.dipwhile.syntax import ast
from dipc.kernel.facts import UNIT, ZERO, Function, Key, add, multiply, negative

MAX_EXPONENT = 10_000  # of a power
MAX_SHOWN_BITS = 14_000  # of a number as text; Python refuses more than 4300 digits

Plain = Fraction | str


@dataclass(frozen=True)
class Linear:
    """``sum of c_j X_j + constant`` over the samples X_j drawn so far; at least one c_j is not 0."""

    coefficients: tuple[tuple[int, Fraction], ...]
    constant: Fraction


@dataclass(frozen=True)
class Quotient:
    """A function of eps that is not constant: the terms of its numerator and of its denominator."""

    numerator: frozenset[tuple[Key, Fraction]]
    denominator: frozenset[tuple[Key, Fraction]]


Value = Plain | Linear | Quotient | tuple[Any, ...]


def linear(coefficients: Mapping[int, Fraction], shift: Fraction) -> Fraction | Linear:
    """The linear expression, or the number that it is."""
    kept = tuple(sorted((j, c) for j, c in coefficients.items() if c))
    return Linear(kept, shift) if kept else shift


def quotient(numerator: Function, denominator: Function) -> Fraction | Quotient:
    """The quotient; a denominator of one term is divided out, a constant becomes a number."""
    if not denominator:
        raise NotCovered("division by zero")
    if len(denominator) == 1:
        (((n, a, k, b), c),) = denominator.items()
        numerator, denominator = multiply(numerator, {(-n, -a, -k, -b): 1 / c}), constant(1)
    if denominator == constant(1) and set(numerator) <= {UNIT}:
        return numerator.get(UNIT, ZERO)
    return Quotient(frozenset(numerator.items()), frozenset(denominator.items()))


def as_pair(value: Value) -> Pair:
    """Numerator and denominator of a function of eps."""
    if isinstance(value, Fraction):
        return constant(value), constant(1)
    if isinstance(value, Quotient):
        return dict(value.numerator), dict(value.denominator)
    raise NotCovered(f"{described(value)} as a function of eps")


def described(value: Value) -> str:
    """For messages."""
    match value:
        case Linear():
            return "a random expression"
        case Quotient():
            return "a function of eps"
        case tuple():
            return "an array"
        case Fraction() if max(abs(value.numerator), value.denominator).bit_length() > MAX_SHOWN_BITS:
            return "a number of thousands of digits"
        case _:
            return str(value)


def as_number(value: Value) -> Fraction:
    if isinstance(value, Fraction):
        return value
    raise NotCovered(f"{described(value)} as a number")


def as_index(value: Value) -> int:
    number = as_number(value)
    if number.denominator != 1:
        raise NotCovered(f"{described(number)} as an integer")
    return int(number)


def truth(flag: bool) -> str:
    """A Boolean of the language."""
    return "true" if flag else "false"


def flat(values: Iterable[Value]) -> list[Value]:
    """Arrays among the values replaced by their cells."""
    return [item for value in values for item in (value if isinstance(value, tuple) else (value,))]


def combine(op: ast.Op, left: Value, right: Value) -> Value:
    """Arithmetic."""
    if isinstance(left, Quotient) or isinstance(right, Quotient):
        return combine_functions(op, left, right)
    if isinstance(left, Linear) or isinstance(right, Linear):
        return combine_linear(op, left, right)
    a, b = as_number(left), as_number(right)
    match op:
        case ast.Op.ADD:
            return a + b
        case ast.Op.SUB:
            return a - b
        case ast.Op.MUL:
            return a * b
        case ast.Op.DIV if b:
            return a / b
        case ast.Op.DIV:
            raise NotCovered("division by zero")
        case ast.Op.POW:
            return power(a, as_index(right))
    raise NotCovered(f"{op} as arithmetic")


def power(base: Fraction, exponent: int) -> Fraction:
    """An integer power that dipc takes as well, after it is known how long it will be."""
    if abs(exponent) > MAX_EXPONENT:
        raise NotCovered("a power whose exponent is too large")
    if not base and exponent < 0:
        raise NotCovered("division by zero")
    return Fraction(base**exponent)


def combine_functions(op: ast.Op, left: Value, right: Value) -> Value:
    """Arithmetic on functions of eps."""
    n, d = as_pair(left)
    if op is ast.Op.POW:
        times = as_index(right)
        up, down = product([n] * abs(times)), product([d] * abs(times))
        return quotient(up, down) if times >= 0 else quotient(down, up)
    m, e = as_pair(right)
    match op:
        case ast.Op.ADD | ast.Op.SUB:
            other = multiply(m if op is ast.Op.ADD else negative(m), d)
            return quotient(add(multiply(n, e), other), multiply(d, e))
        case ast.Op.MUL:
            return quotient(multiply(n, m), multiply(d, e))
        case ast.Op.DIV:
            return quotient(multiply(n, e), multiply(d, m))
    raise NotCovered(f"{op} of functions of eps")


def combine_linear(op: ast.Op, left: Value, right: Value) -> Value:
    """Arithmetic on linear expressions in samples."""
    match op:
        case ast.Op.ADD | ast.Op.SUB:
            (f, c), (g, d) = split(left), split(right if op is ast.Op.ADD else scaled(right, -ONE))
            return linear({j: f.get(j, ZERO) + g.get(j, ZERO) for j in {*f, *g}}, c + d)
        case ast.Op.MUL if isinstance(right, Linear):
            return scaled(right, as_number(left))
        case ast.Op.MUL:
            return scaled(left, as_number(right))
        case ast.Op.DIV:
            return scaled(left, as_number(combine(ast.Op.DIV, ONE, right)))
    raise NotCovered(f"{op} of random expressions")


def split(value: Value) -> tuple[dict[int, Fraction], Fraction]:
    """The coefficients of the samples, and the constant."""
    return (dict(value.coefficients), value.constant) if isinstance(value, Linear) else ({}, as_number(value))


def scaled(value: Value, factor: Fraction) -> Fraction | Linear:
    """A number or a linear expression times a number."""
    coefficients, shift = split(value)
    return linear({j: c * factor for j, c in coefficients.items()}, shift * factor)


def exponential_of(value: Value) -> Value:
    """exp(a*eps + k + b/eps)."""
    numerator, denominator = as_pair(value)
    if denominator != constant(1) or not set(numerator) <= {UNIT, EPS, INVERSE}:
        raise NotCovered("exp of something else than a*eps + k + b/eps")
    a, k, b = (numerator.get(part, ZERO) for part in (EPS, UNIT, INVERSE))
    return quotient({(0, a, k, b): ONE}, constant(1))


def fraction(value: Any) -> Fraction:
    """A number of the syntax tree."""
    return Fraction(int(value.p), int(value.q))
