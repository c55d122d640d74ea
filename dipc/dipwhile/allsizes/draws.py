"""What is drawn on a path: samples of noise, and finite choices with what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from typing import assert_never

from flint import fmpq

from dipc.claims.oracle import SignOracle
from dipc.dipwhile.allsizes.automaton import Choice, Exponential, Sample, Step
from dipc.dipwhile.allsizes.expressions import evaluate, nonempty, number_of
from dipc.dipwhile.allsizes.paths import IMPOSSIBLE, Path
from dipc.dipwhile.allsizes.system import END, Point
from dipc.dipwhile.allsizes.values import (
    ONE,
    ZERO,
    Datum,
    Linear,
    Pair,
    Symbol,
    datum,
    form,
    shown,
    unknown,
)
from dipc.dipwhile.semantics.evaluate import NOTHING, function_of_eps, never
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.distributions import NOISE
from dipc.dipwhile.syntax.printer import show_expr
from dipc.dipwhile.syntax.unroll import substitute
from dipc.dipwhile.syntax.walk import nodes
from dipc.errors import InputError, LimitReached, Span, Unsupported
from dipc.models.values import FALSE, TRUE, show
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Holds

SIMPLE = [fmpq(p, q) for q in (1, 2, 3, 4) for p in range(1, 4 * q + 1)]
"""Costs that are tried besides those that the exponents suggest."""

FINITE_HINT = (
    "inputs with names, such as `{yes, no}` or `{true, false}`, may select a probability;"
    " numbers and their sums may not"
)


@lru_cache(maxsize=4096)
def cost_of(left: Quotient, right: Quotient, budgets: EpsRange) -> fmpq | None:
    """What a finite draw costs: a w with ``left <= exp(w*eps) right`` for every eps of a range.

    The least that is found and proved, None if there is none: only then is the claim in doubt.

    >>> flip = Quotient(ExpPoly.exp(1)) / (1 + Quotient(ExpPoly.exp(1)))
    >>> cost_of(flip, 1 - flip, EpsRange.positive())
    1
    """
    exponents = {t.rate for f in (left, right) for p in (f.numerator, f.denominator) for t in p.terms()}
    steps = {abs(a - b) for a in exponents for b in exponents}
    judge = SignOracle(budgets)
    for cost in sorted({fmpq(0), *steps, *SIMPLE}):
        if isinstance(judge.nonnegative(Quotient(ExpPoly.exp(cost)) * right - left), Holds):
            return cost
    return None


def draw(path: Path, distribution: ast.Distribution, target: str, span: Span) -> Datum:
    """A value drawn at random."""
    match distribution:
        case ast.Noise(kind, rate, mean):
            return noise_of(path, kind, rate, number_of(path, mean), target, span)
        case ast.Flip(p):
            complement = ast.Binary(ast.Op.SUB, ast.Number(ONE), p, span=p.span)
            return finite_draw(path, [(datum(TRUE), p), (datum(FALSE), complement)], target, span)
        case ast.Choose(options):
            return finite_draw(path, [(evaluate(path, value), p) for value, p in options], target, span)
        case ast.Uniform(support):
            members = members_of(path, support, span)
            share = ast.Number(1 / fmpq(len(members)), span=span)
            return finite_draw(path, [(evaluate(path, value), share) for value in members], target, span)
        case ast.ExpMechanism():
            return exponential(path, distribution, target, span)
        case _:
            assert_never(distribution)


def noise_of(path: Path, kind: str, rate: ast.Expr, mean: Linear, target: str, span: Span) -> Datum:
    """A sample."""
    factor = rate_of(path, rate)
    integer = NOISE[kind].integer
    if integer and not path.is_integer(mean):
        if not path.is_public(mean):
            text = f"whether the mean of `{kind}` is an integer may depend on private values"
            raise Unsupported(text, span)
        path.may_fail(f"the mean of `{kind}` is not an integer", span)
    symbol = Symbol("sample", "", len(path.samples))
    path.samples.append(Sample(kind, factor, form(mean, path.moves)))
    path.steps.append(Step("sample", target, span))
    if -1 not in NOISE[kind].shifts:
        path.require(unknown(symbol).plus(mean, -ONE), public=True)
    return unknown(symbol)


def rate_of(path: Path, expr: ast.Expr) -> fmpq:
    """The a of a rate ``a*eps``."""
    rate = chance_of(path, expr)
    term = rate.numerator.as_term()
    if term is None or term.coefficient <= 0 or rate != Quotient(ExpPoly.of(term.coefficient, 1)):
        hint = "`dipc check` takes other rates, for the sizes and inputs that are declared"
        raise Unsupported(f"the rate `{show_expr(expr)}` is not a number times eps", expr.span, hint)
    return term.coefficient


def finite_draw(path: Path, options: Sequence[tuple[Datum, ast.Expr]], target: str, span: Span) -> Datum:
    """A draw from a finite set: one path for each value."""
    for _, p in options:
        for node in nodes(p):
            private = isinstance(node, ast.Name | ast.Index) and not path.is_public(evaluate(path, node))
            if private or isinstance(node, ast.Fold):
                text = f"the probability `{show_expr(p)}` depends on `{show_expr(node)}`"
                raise Unsupported(text, p.span, FINITE_HINT)
    check_probabilities(path, [p for _, p in options], span)
    if all(path.is_public(value) for value, _ in options):
        values = list(dict.fromkeys(value for value, _ in options))
        value = values[path.choose(len(values))]
        path.decide("choice", f"{target} = {shown(value)}", span)
        return value
    left, right = dict[object, Quotient](), dict[object, Quotient]()
    for value, p in options:
        if not isinstance(value, Pair):
            raise Unsupported("a value to choose depends on a private number", span, FINITE_HINT)
        chance = chance_of(path, p)
        left[value.left] = left.get(value.left, Quotient.of(0)) + chance
        right[value.right] = right.get(value.right, Quotient.of(0)) + chance
    drawn = [value for value, chance in left.items() if chance]
    picked = drawn[path.choose(len(drawn))]
    path.decide("choice", f"{target} = {show(picked)}", span)  # type: ignore[arg-type]
    pay(path, left[picked], right.get(picked, Quotient.of(0)), span)
    return datum(picked)  # type: ignore[arg-type]


def check_probabilities(path: Path, exprs: Sequence[ast.Expr], span: Span) -> None:
    """Probabilities are between 0 and 1, and sum to 1, or the run fails."""
    chances: list[Quotient] = []
    with suppress(Unsupported):
        chances = [chance_of(path, p) for p in exprs]
    path.vague = path.vague or not chances or not all(chances)
    if not chances or not is_law(tuple(chances), path.system.budgets):
        path.may_fail("the probabilities are outside of [0, 1] or do not sum to 1", span)


@lru_cache(maxsize=4096)
def is_law(chances: tuple[Quotient, ...], budgets: EpsRange) -> bool:
    """Whether these are probabilities, for every eps of a range."""
    judge = SignOracle(budgets)
    with suppress(InputError, LimitReached):
        return sum(chances, Quotient.of(0)) == Quotient.one() and all(
            isinstance(judge.nonnegative(chance), Holds) for chance in chances
        )
    return False


def chance_of(path: Path, p: ast.Expr) -> Quotient:
    """A probability or a rate."""
    try:
        return function_of_eps(substitute(p, {**path.system.constants, **path.numbers()}), NOTHING, never)
    except InputError as error:
        text = f"`{show_expr(p)}` is not a function of eps alone: {error.message}"
        raise Unsupported(text, p.span) from error


def pay(path: Path, left: Quotient, right: Quotient, span: Span) -> None:
    """The cost of a finite draw."""
    if left == right:
        return
    if not right:
        path.guards[IMPOSSIBLE] = None
        return
    cost = cost_of(left, right, path.system.budgets)
    if cost is None:
        text = "no multiple of eps bounds the ratio of the probabilities of this draw, for every eps"
        raise Unsupported(text, span)
    path.choices.append(Choice(left, right, cost))
    path.cost += cost


def members_of(path: Path, support: ast.FiniteSet, span: Span) -> list[ast.Expr]:
    """The members of a set as expressions."""
    match support:
        case ast.SetOf(members):
            return list(members)
        case ast.Range(low, high):
            ends = [number_of(path, end).number for end in (low, high)]
            if ends[0] is None or ends[1] is None:
                raise Unsupported("a draw from a set of any size", span)
            if ends[0] > ends[1] or ends[0].q != 1 or ends[1].q != 1:
                raise Unsupported(f"there is no set {ends[0]}..{ends[1]}", span)
            return [ast.Number(fmpq(k), span=span) for k in range(int(ends[0]), int(ends[1]) + 1)]
        case _:
            assert_never(support)


def exponential(path: Path, draw: ast.ExpMechanism, target: str, span: Span) -> Datum:
    """The exponential mechanism: McSherry and Talwar (FOCS 2007), Theorem 6."""
    rate = rate_of(path, draw.rate)
    if isinstance(draw.support, ast.Range) and number_of(path, draw.support.high).number is None:
        if not all(path.is_public(number_of(path, end)) for end in (draw.support.low, draw.support.high)):
            raise Unsupported("a draw from a set that depends on private values", span)
        ends = nonempty(path, draw.support.low, draw.support.high, span)
        sensitivity = sensitivity_of(path, draw, ends)
        value: Datum
        value = drawn = unknown(Symbol("public", path.unknown(target).name))
        path.learn(drawn, *ends)
        path.decide("choice", f"{target} is drawn", span)
    else:
        members = members_of(path, draw.support, span)
        scores = [score_of(path, draw, member) for member in members]
        chosen = path.choose(len(members))
        value = evaluate(path, members[chosen])
        path.decide("choice", f"{target} = {shown(value)}", span)
        sensitivity = max(scores) - scores[chosen]
    if sensitivity:
        path.choices.append(Exponential(rate, sensitivity))
        path.cost += rate * sensitivity
    return value


def score_of(path: Path, draw: ast.ExpMechanism, member: ast.Expr) -> fmpq:
    """How much the score of a member changes."""
    outer = path.values.get(draw.variable)
    path.values[draw.variable] = evaluate(path, member)
    score = number_of(path, draw.score)
    path.values.pop(draw.variable)
    if outer is not None:
        path.values[draw.variable] = outer
    if score.random:
        raise Unsupported("the score of the exponential mechanism is random", draw.score.span)
    return form(score, path.moves).constant


def sensitivity_of(path: Path, draw: ast.ExpMechanism, ends: tuple[Linear, Linear]) -> fmpq:
    """The greatest difference of two changes of the score, one cell ``q[v]`` of each input, over 1..N."""
    cells = {node for node in nodes(draw.score) if isinstance(node, ast.Index)}
    # As random cells, they are in no function but a linear one.
    arrays = {c.array: Symbol("live", c.array) for c in cells if c.array in path.system.scope.inputs}
    index = unknown(Symbol("public", draw.variable))
    probe = Path(path.system, Point(END), ())
    probe.values, probe.moves, probe.pc = dict(path.values), dict(path.moves), path.pc
    probe.values[draw.variable] = index
    probe.bounds = [*path.bounds]
    probe.learn(index, *ends)
    probe.cells = {(None, array, index): unknown(symbol) for array, symbol in arrays.items()}
    score = dict(number_of(probe, draw.score).terms)
    decided = bool(probe.taken)  # by a comparison, by the label of another cell, or it may fail
    others = score.keys() - arrays.values()
    if decided or len(cells) > len(arrays) or any(s.random or probe.moves.get(s) for s in others):
        hint = "a score is a sum of multiples of `q[v]`, `v` being the variable of the mechanism"
        raise Unsupported("a score that is not one cell of each input", draw.score.span, hint)
    adjacency, domains, span = path.system.adjacency, path.system.domains, draw.score.span
    return sum(
        (
            abs(score.get(symbol, ZERO)) * adjacency.spread(array, domains[array], span)
            for array, symbol in arrays.items()
        ),
        ZERO,
    )
