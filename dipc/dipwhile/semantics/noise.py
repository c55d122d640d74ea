"""Distributions: what drawing from each of them does to a state.

A finite distribution (``choose``, ``flip``, ``uniform``, ``Exp``) gives values with probabilities; noise (a
kind in :data:`dipc.dipwhile.syntax.distributions.NOISE`) gives a random variable.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, assert_never

from flint import fmpq

from dipc.dipwhile.semantics.evaluate import Decide, Memory, evaluate, function_of_eps
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.distributions import NOISE, NoiseKind
from dipc.dipwhile.syntax.fragment import violation
from dipc.errors import InputError
from dipc.frozen import frozen
from dipc.integration.linear import Linear
from dipc.integration.weight import Weight
from dipc.models.values import FALSE, TRUE, Value
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient


@frozen
class Field:
    """Where probabilities lie: functions of eps, or functions of the parameters of a prior.

    ``of`` is the element that a number is, ``value`` the one that an expression stands for.
    """

    of: Callable[[fmpq | int], Any]
    value: Callable[[ast.Expr, Memory, Decide], Any]


FUNCTIONS_OF_EPS = Field(Quotient.of, function_of_eps)


@frozen
class Finite:
    """Values with their probabilities, which sum to 1 as elements of their field."""

    options: tuple[tuple[Value, Any], ...]


@frozen
class Random:
    """The law ``kind(rate*eps, mean)`` of a sample, or ``kind(rate/eps, mean)`` if ``inverse``."""

    kind: NoiseKind
    rate: fmpq
    inverse: bool
    mean: fmpq

    @property
    def weight(self) -> Weight:
        """The density up to :attr:`factor`."""
        return Weight(self.kind.shape(self.rate, self.mean), self.kind.integer, self.inverse)

    @property
    def factor(self) -> Quotient:
        """The weight times this function of eps has the total 1."""
        factor = self.kind.factor(self.rate)
        return factor.at_inverse() if self.inverse else factor


def distribution(
    node: ast.Distribution, memory: Memory, decide: Decide, field: Field = FUNCTIONS_OF_EPS
) -> Finite | Random:
    """The distribution with its parameters evaluated.

    That probabilities lie in [0, 1] depends on the interval of eps, and is checked later.
    """
    match node:
        case ast.Noise(kind, rate, mean):
            law = Random(NOISE[kind], *rate_of(rate, memory, decide), _number(mean, memory, decide))
            if law.kind.integer and law.mean.q != 1:
                raise InputError(f"the mean of {kind} must be an integer, not {law.mean}", mean.span)
            return law
        case ast.Flip(probability):
            p = field.value(probability, memory, decide)
            return Finite(((TRUE, p), (FALSE, 1 - p)))
        case ast.Choose(options):
            pairs = [(_value(v, memory, decide), field.value(p, memory, decide)) for v, p in options]
            total = sum((p for _, p in pairs), field.of(0))
            if total != 1:
                problem = f"the probabilities of `choose` sum to {total}, not to 1"
                raise InputError(problem, node.span, "fix one of them")
            return Finite(tuple(pairs))
        case ast.Uniform(support):
            values = dict.fromkeys(_members(support, memory, decide))
            return Finite(tuple((v, field.of(fmpq(1, len(values)))) for v in values))
        case ast.ExpMechanism():
            return _exponential_mechanism(node, memory, decide)
        case _:
            assert_never(node)


def _exponential_mechanism(node: ast.ExpMechanism, memory: Memory, decide: Decide) -> Finite:
    """Each value with probability proportional to exp(rate * score) (DiPC, Section 2)."""
    rate, inverse = rate_of(node.rate, memory, decide)
    weights: dict[Value, Quotient] = {}
    for value in _members(node.support, memory, decide):
        env = {**memory.env, (node.variable, 0): value}
        bound = replace(memory, env=env, variables=memory.variables | {node.variable})
        score = _number(node.score, bound, decide, "the score")
        weight = ExpPoly.exp(rate * score)
        weights[value] = Quotient(weight.at_inverse() if inverse else weight)
    total = sum(weights.values(), Quotient.of(0))
    return Finite(tuple((value, weight / total) for value, weight in weights.items()))


def rate_of(expr: ast.Expr, memory: Memory, decide: Decide) -> tuple[fmpq, bool]:
    """a, for a rate ``a*eps`` or ``a/eps``, and whether it is the latter."""
    match expr:  # Lap(scale = s) has the rate 1/s
        case ast.Binary(ast.Op.DIV, ast.Number(), scale) if not function_of_eps(scale, memory, decide):
            raise violation(7, "the scale is 0", scale.span, "give a positive multiple of 1/eps")
    rate = function_of_eps(expr, memory, decide)
    term = rate.numerator.as_term() if rate.denominator.as_rational() == 1 else None
    if term is None or any(term[2:]) or term.power not in (-1, 1):
        problem = f"the rate is {rate}, but must be a*eps or a/eps with a rational number a"
        hint = "the first argument is the rate, 1/scale: Lap(eps/2, mean) is Lap(scale = 2/eps, mean = mean)"
        raise violation(7, problem, expr.span, hint)
    if term.coefficient <= 0:
        raise violation(7, f"the rate {rate} is not positive", expr.span, "give a positive number times eps")
    return term.coefficient, term.power == -1


def _value(expr: ast.Expr, memory: Memory, decide: Decide) -> Value:
    value = evaluate(expr, memory, decide)
    if isinstance(value, Linear):
        raise InputError("a number or an atom is needed here, not a random value", expr.span)
    return value


def _number(expr: ast.Expr, memory: Memory, decide: Decide, what: str = "the mean") -> fmpq:
    value = _value(expr, memory, decide)
    if not isinstance(value, fmpq):
        raise InputError(f"{what} must be a number, not {value}", expr.span)
    return value


def _members(support: ast.FiniteSet, memory: Memory, decide: Decide) -> list[Value]:
    if isinstance(support, ast.SetOf):
        return [_value(member, memory, decide) for member in support.members]
    low, high = _whole(support.low, memory, decide), _whole(support.high, memory, decide)
    if low > high:
        raise InputError(f"the set {low}..{high} is empty", support.span)
    return [fmpq(i) for i in range(low, high + 1)]


def _whole(expr: ast.Expr, memory: Memory, decide: Decide) -> int:
    value = _number(expr, memory, decide)
    if value.q != 1:
        raise InputError(f"{value} is not an integer", expr.span)
    return int(value.p)
