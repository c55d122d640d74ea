"""Arithmetic, comparisons and rounding of values, as Python computes them.

Known numbers are computed with Python's own operators on exact fractions.  A sample that is rounded or
clamped is a monotone function of it, written with comparisons: ``round(x) <= 2`` is ``x <= 5/2``.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import partial, reduce
from itertools import chain
from typing import Any

from flint import fmpq

from dipc.dipwhile.python.paths import Paths
from dipc.dipwhile.python.source import python_number
from dipc.dipwhile.python.values import (
    RANDOM,
    Array,
    Geometric,
    Gumbel,
    Items,
    Logarithm,
    Members,
    Ref,
    Row,
    Scaled,
    Stepped,
    Sym,
    Table,
    Unit,
    Value,
    is_known,
    is_number,
    kind_of,
    possible_results,
    possible_values,
    some,
)
from dipc.dipwhile.semantics.evaluate import NOTHING, function_of_eps, never
from dipc.dipwhile.syntax import ast as dip
from dipc.dipwhile.syntax.ast import Binary, Eps, Expr, Name, Number, Op, Unary
from dipc.dipwhile.syntax.build import chained
from dipc.dipwhile.syntax.types import free_names
from dipc.dipwhile.syntax.unroll import substitute
from dipc.dipwhile.syntax.walk import rebuilt
from dipc.errors import InputError, LimitReached
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import sign_if_constant

ARITHMETIC: dict[str, tuple[type[ast.operator], Op | None, Callable[[Any, Any], Any]]] = {
    "+": (ast.Add, Op.ADD, operator.add),
    "-": (ast.Sub, Op.SUB, operator.sub),
    "*": (ast.Mult, Op.MUL, operator.mul),
    "/": (ast.Div, Op.DIV, lambda a, b: Fraction(a) / b),
    "**": (ast.Pow, Op.POW, lambda a, b: power(a, b)),
    "//": (ast.FloorDiv, None, operator.floordiv),
    "%": (ast.Mod, None, operator.mod),
}
COMPARISONS: dict[str, tuple[type[ast.cmpop], Op, Callable[[Any, Any], bool]]] = {
    "==": (ast.Eq, Op.EQ, operator.eq),
    "!=": (ast.NotEq, Op.NE, operator.ne),
    "<": (ast.Lt, Op.LT, operator.lt),
    "<=": (ast.LtE, Op.LE, operator.le),
    ">": (ast.Gt, Op.GT, operator.gt),
    ">=": (ast.GtE, Op.GE, operator.ge),
}
"""Operators by their signs: in Python's syntax, in the language (where it has them), and on known values."""
SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}

ROUNDING: dict[str, Callable[[Any], int]] = {
    "floor": math.floor,
    "ceil": math.ceil,
    "round": round,
    "int": int,
    "": lambda x: x,
}
"""What each way of rounding does to a known number: half to even, towards zero."""

MOST_STEPS = 200


def power(base: Any, exponent: Any) -> Any:
    """A power with an integer exponent."""
    if Fraction(exponent).denominator != 1 or abs(exponent) > 1000:
        raise ArithmeticError
    whole = int(exponent)
    return base**whole if whole >= 0 else Fraction(base) ** whole


class Operations(Paths):
    """Computes with values."""

    def binary(self, sign: str, left: Value, right: Value) -> Value:
        """``left sign right``."""
        _, op, compute = ARITHMETIC[sign]
        for one, other, swapped in ((left, right, False), (right, left, True)):
            if isinstance(self.get(one), Items):
                return self.over_lists(sign, one, other, swapped)
        if (scaled := self.scaled(sign, left, right)) is not None:
            return scaled
        left, right = self.sample(left), self.sample(right)
        if (shifted := self.shifted(sign, left, right)) is not None:
            return shifted
        if kind_of(left) == kind_of(right) == "bool":
            hint = "write `int(b)`: numpy adds truth values in another way than Python"
            raise self.refuse(f"`{sign}` of two truth values", hint)
        if is_number(left) and is_number(right):
            return self.computed(sign, compute, left, right)
        if isinstance(left, str | tuple) or isinstance(right, str | tuple):
            return self.sequences(sign, left, right)
        match left, sign, right:
            case (Logarithm(of), "*", int(n)) | (int(n), "*", Logarithm(of)):
                return Logarithm(of**n)
            case Sym(dip.Call("exp", (exponent,)), "eps"), "**", _:
                inside = constant(exponent)
                base = Sym(exponent, "eps") if inside is None else inside
                power = self.binary("*", base, right)
                return Sym(dip.Call("exp", (self.lift(power),), span=self.place), "eps")
        if sign == "//" or sign == "%":
            return self.whole_division(sign, left, right)
        a, b = self.number(left), self.number(right)
        if is_number(a) and is_number(b):
            return self.computed(sign, compute, a, b)
        assert op is not None
        kind = self.kind_of_result(sign, a, b)
        possible = None
        if kind == "num":
            with suppress(ArithmeticError):
                possible = possible_results(compute, a, b)
        if is_number(a) and a == 0 and sign == "+":
            return b
        if is_number(b) and (sign, b) in (("+", 0), ("-", 0), ("*", 1), ("/", 1)):
            return a
        return Sym(Binary(op, self.lift(a), self.lift(b), span=self.place), kind, possible)

    def computed(self, sign: str, compute: Callable[[Any, Any], Any], a: Any, b: Any) -> Value:
        """Two known numbers."""
        try:
            return compute(a, b)
        except ZeroDivisionError:
            raise self.stop("division by zero") from None
        except ArithmeticError:
            raise self.refuse("this power is not a rational number", "use an integer exponent") from None

    def kind_of_result(self, sign: str, a: Value, b: Value) -> str:
        """The kind of a sum, product or quotient."""
        kinds = {value.kind for value in (a, b) if isinstance(value, Sym)}
        if "eps" in kinds:
            if kinds & {*RANDOM}:
                hint = "eps is allowed in rates, scales and probabilities"
                raise self.refuse("a sample is combined with eps here", hint)
            return "eps"
        if "dom" in kinds:
            raise self.refuse("this value may be a string or None here", "test for it first with `if`")
        if "real" in kinds:
            return "real"
        if kinds & {"int", "lattice"}:
            whole = sign != "/" and "lattice" not in kinds
            numbers = [possible_values(v) or {Fraction(1, 2)} for v in (a, b) if kind_of(v) == "num"]
            whole = whole and all(Fraction(v).denominator == 1 for v in chain(*numbers))
            return "int" if whole else "lattice"
        return "num"

    def number(self, value: Value) -> Value:
        """A scalar as a number or symbol that arithmetic takes."""
        value = self.plain(value)
        if isinstance(value, Sym):
            return self.as_number(value)
        if is_number(value):
            return int(value) if isinstance(value, bool) else value
        if isinstance(value, Logarithm):
            hint = "values are exact rational numbers: write the number itself, or `exp(log(x))`"
            raise self.refuse("a logarithm is not a rational number", hint)
        raise self.refuse(f"{self.what(value)} is not a number", "compute with numbers only")

    def what(self, value: Value) -> str:
        """How a message names a value."""
        if isinstance(self.get(value), Items):
            return "a list"
        return f"the string {value!r}" if isinstance(value, str) else "None" if value is None else "this"

    def plain(self, value: Value) -> Value:
        """A rounded or clamped sample, or one not drawn yet, as a symbol or known number."""
        value = self.sample(value)
        if (drawn := self.unit_in(value)) is not None:
            self.refuse_gumbel(drawn)
            hint = "compare it with a probability: `random.random() < p`; for noise write `Lap(scale=s)`"
            raise self.refuse("a number drawn from [0, 1) can only be compared", hint)
        if not isinstance(value, Stepped):
            return value
        value = self.within(value)
        whole = bool(value.mode) or value.base.kind == "int"
        if whole and value.low is not None and value.high is not None:
            return self.steps(value)
        if value.mode:
            hint = "clamp it: `max(0, min(N, round(x)))`, which has finitely many values"
            raise self.refuse("a rounded sample has infinitely many values", hint)
        expr = value.base.expr
        for name, bound in (("max", value.low), ("min", value.high)):
            if bound is not None:
                expr = dip.Call(name, (expr, self.lift(bound)), span=self.place)
        return Sym(expr, value.base.kind)

    # --- rounding and clamping -----------------------------------------------------------------

    def steps(self, value: Stepped) -> Value:
        """A rounded and clamped sample as a finite variable."""
        assert value.low is not None
        assert value.high is not None
        low, high = int(value.low), int(value.high)
        if low == high:
            return low
        if high - low > MOST_STEPS:
            raise self.refuse(f"this has more than {MOST_STEPS} values", "clamp it to fewer values")
        cases: list[tuple[Expr | None, Value]] = [(self.below(value, k), k) for k in range(low, high)]
        return self.by_cases("step", [*cases, (None, high)], "num", some(range(low, high + 1)))

    def below(self, value: Stepped, k: int) -> Expr:
        """Whether the rounded sample is at most the integer ``k``."""
        bound, strict = Fraction(k), False
        match value.mode:
            case "floor":
                bound, strict = bound + 1, True
            case "int" if k >= 0:
                bound, strict = bound + 1, True
            case "round":
                bound, strict = bound + Fraction(1, 2), k % 2 == 1
        return Binary(Op.LT if strict else Op.LE, value.base.expr, self.lift(bound), span=self.place)

    def rounded(self, mode: str, value: Value) -> Value:
        """``round``, ``floor``, ``ceil`` or ``int`` of a value."""
        value = self.now(self.sample(value))
        if mode in ("int", "floor") and (drawn := self.unit_in(value)) is not None:
            return self.one_of_many(drawn)
        match value:
            case bool() | int() | Fraction():
                return ROUNDING[mode](value)
            case Stepped(base, "", low, high):
                a = None if low is None else Fraction(ROUNDING[mode](low))
                b = None if high is None else Fraction(ROUNDING[mode](high))
                return Stepped(base, mode if base.kind != "int" else "", a, b)
            case Stepped():
                return value
            case Sym(_, "int"):
                return value
            case Sym(_, "real" | "lattice"):
                stepped = self.within(Stepped(value, mode, None, None))
                return stepped if stepped.low is None or stepped.high is None else self.steps(stepped)
            case Sym(_, "bool"):
                return self.as_number(value)
            case Sym(_, "num", possible) if possible is not None:
                if all(Fraction(v).denominator == 1 for v in possible):
                    return value
                return self.mapped(mode, ROUNDING[mode], value)
        raise self.refuse(f"`{mode}` of this", "round samples and finite numbers only")

    def shifted(self, sign: str, left: Value, right: Value) -> Stepped | None:
        """Arithmetic of a clamped sample and a number, or of a rounded one and an integer.

        ``n + round(x)`` is ``round(n + x)``, except at ties, which have probability 0 for continuous x.
        """
        if isinstance(right, Stepped) and sign == "-":
            turned = {"floor": "ceil", "ceil": "floor"}.get(right.mode, right.mode)
            low, high = (None if end is None else -end for end in (right.high, right.low))
            right, sign = Stepped(self.binary("*", -1, right.base), turned, low, high), "+"
        if isinstance(right, Stepped) and sign in "+*":
            left, right = right, left
        if not isinstance(left, Stepped) or isinstance(right, Stepped) or sign not in "+-*/":
            return None
        n = self.now(self.number(right))
        ends = [left.low, left.high]
        if left.mode:
            whole = all(Fraction(v).denominator == 1 for v in possible_values(n) or (Fraction(1, 2),))
            exact = left.mode in ("floor", "ceil") or (
                left.mode == "round" and self.continuous(left.base.expr)
            )
            if sign in "*/" or not whole or not exact or (ends != [None, None] and not is_number(n)):
                return None
        elif not is_number(n) or (sign in "*/" and n == 0):
            return None
        low, high = (None if end is None else Fraction(ARITHMETIC[sign][2](end, n)) for end in ends)
        if sign in "*/" and n < 0:
            low, high = high, low
        return Stepped(self.binary(sign, left.base, n), left.mode, low, high)

    def continuous(self, expr: Expr) -> bool:
        """Is this one continuous sample, shifted by finite values, so that no value has a probability?"""
        match expr:
            case Name():
                return expr in self.drawn
            case Binary(Op.MUL, factor, inside) if constant(factor):
                return self.continuous(inside)
            case Binary(Op.ADD | Op.SUB, left, right):
                return any(
                    self.continuous(one) and free_names(other) <= self.finite_names
                    for one, other in ((left, right), (right, left))
                )
        return False

    @property
    def finite_names(self) -> set[str]:
        """The variables and inputs with finitely many known values."""
        return {name for expr in self.finite for name in free_names(expr)}

    def within(self, value: Stepped) -> Stepped:
        """A rounded sample, with the bounds that the comparisons decided on this path give it."""
        if not value.mode or (value.low is not None and value.high is not None):
            return value
        ends = self.bounds(value.base.expr)
        low, high = (None if end is None else Fraction(ROUNDING[value.mode](end)) for end in ends)
        if value.low is not None:
            low, high = value.low, None if high is None else max(high, value.low)
        if value.high is not None:
            low, high = None if low is None else min(low, value.high), value.high
        return replace(value, low=low, high=high)

    def bounds(self, expr: Expr) -> tuple[Value, Value]:
        """What the comparisons decided on this path say about a sample."""
        low = high = None
        for condition, answers in self.state.known.items():
            for op, left, right in facts(condition, next(iter(answers))) if len(answers) == 1 else ():
                bound = constant(right)
                if left != expr or bound is None:
                    continue
                if op in (Op.LT, Op.LE):
                    high = bound if high is None else min(high, bound)
                else:
                    low = bound if low is None else max(low, bound)
        return (low, high) if low is None or high is None or low <= high else (None, None)

    def mapped(self, stem: str, function: Callable[[Any], Any], value: Sym) -> Value:
        """A function of a finite value, case by case."""
        assert value.possible is not None
        values = sorted(value.possible)
        cases: list[tuple[Expr | None, Value]] = [(self.equal(value, v), function(v)) for v in values]
        cases[-1] = (None, cases[-1][1])
        return self.by_cases(stem, cases, "num", possible_results(function, value))

    def whole_division(self, sign: str, left: Value, right: Value) -> Value:
        """``//`` and ``%``, which round down."""
        a, b = self.number(left), self.number(right)
        if is_number(b) and b != 0 and isinstance(a, Sym):
            if a.kind == "num" and a.possible is None:
                top, bottom = self.lift(a), self.lift(b)
                if sign == "%":
                    return Sym(dip.Call("mod", (top, bottom), span=self.place), "num")
                quotient = Binary(Op.DIV, top, bottom, span=self.place)
                return Sym(dip.Call("floor", (quotient,), span=self.place), "num")
            if sign == "//":
                quotient = self.binary("/", a, b)
                return self.rounded("floor", Sym(quotient.expr, "lattice") if a.kind == "int" else quotient)
            if a.kind == "num" and a.possible is not None:
                return self.mapped("rest", lambda v: v % b, a)
        if isinstance(b, Sym) and b.kind == "num":
            return self.binary(sign, a, self.settled(b))
        raise self.refuse(f"`{sign}` of these values", "use it with finite numbers only")

    def extreme(self, name: str, values: Sequence[Value]) -> Value:
        """``max`` or ``min`` of some values."""
        if not values:
            raise self.stop(f"`{name}` of nothing")
        if len(values) > 2 and all(isinstance(v, Sym) and v.kind in RANDOM for v in values):
            kind = min((v.kind for v in values), key=RANDOM.index)
            return Sym(dip.Call(name, tuple(map(self.lift, values)), span=self.place), kind)
        return reduce(lambda a, b: self.extreme_of_two(name, a, b), values)

    def extreme_of_two(self, name: str, a: Value, b: Value) -> Value:
        """The larger or smaller of two."""
        pick: Callable[..., Any] = max if name == "max" else min
        a, b = self.sample(a), self.sample(b)
        for one, other in ((a, b), (b, a)):
            if isinstance(one, float):
                return other if pick(0, one) == 0 else one
        if is_number(a) and is_number(b):
            return pick(a, b)
        for one, bound in ((a, b), (b, a)):
            if is_number(bound) and isinstance(one, Sym | Stepped):
                sample = one if isinstance(one, Stepped) else Stepped(one, "", None, None)
                if sample.base.kind in RANDOM:
                    return self.clamped(name, sample, Fraction(bound))
        a, b = self.number(a), self.number(b)
        if is_number(a) and is_number(b):
            return pick(a, b)
        kind = self.kind_of_result("+", a, b)
        if kind == "eps":
            return a if self.order_of(a, b) in ((0, 1) if name == "max" else (0, -1)) else b
        call = dip.Call(name, (self.lift(a), self.lift(b)), span=self.place)
        return Sym(call, kind, possible_results(pick, a, b))

    def clamped(self, name: str, sample: Stepped, bound: Fraction) -> Value:
        """``max(bound, sample)`` or ``min``."""
        whole = bool(sample.mode) or sample.base.kind == "int"
        if whole and bound.denominator != 1:
            raise self.refuse("this bound is not an integer", "clamp to integers, or clamp before you round")
        low, high = sample.low, sample.high
        if name == "max":
            low = bound if low is None else max(low, bound)
            high = None if high is None else max(high, bound)
        else:
            high = bound if high is None else min(high, bound)
            low = None if low is None else min(low, bound)
        made = Stepped(sample.base, sample.mode, low, high)
        if low is not None and low == high:
            return int(low) if low.denominator == 1 else low
        return self.steps(made) if whole and low is not None and high is not None else made

    # --- comparisons ---------------------------------------------------------------------------

    def compare(self, sign: str, left: Value, right: Value) -> Value:
        """A comparison of two scalars."""
        _, op, compute = COMPARISONS[sign]
        if isinstance(left, float) and isinstance(right, float):
            return compute(left, right)
        for one, way in ((left, SWAPPED[sign]), (right, sign)):
            if isinstance(one, float):  # an infinity is larger or smaller than everything
                return COMPARISONS[way][2](0, one)
        if is_known(left) and is_known(right):
            try:
                return compute(left, right)
            except TypeError:
                raise self.refuse("these cannot be compared", "compare numbers with numbers") from None
        if isinstance(left, tuple) and isinstance(right, tuple) and sign in ("==", "!="):
            return self.same_tuples(sign, left, right)
        for one, other, way in ((left, right, sign), (right, left, SWAPPED[sign])):
            if (unit := self.unit_in(one)) is not None:
                return self.chance(way, unit, other)
        left, right = self.sample(left), self.sample(right)
        for one, other, way in ((left, right, sign), (right, left, SWAPPED[sign])):
            if isinstance(one, Stepped):
                bound: Any = None if isinstance(other, Stepped) else self.settled(self.as_number(other))
                if is_number(bound):
                    return self.step_compared(way, one, Fraction(bound))
        a, b = self.now(self.plain(left)), self.now(self.plain(right))
        if not (isinstance(a, Sym) or is_known(a)) or not (isinstance(b, Sym) or is_known(b)):
            raise self.refuse("these cannot be compared", "compare numbers, truth values and strings")
        if any(isinstance(v, Sym) and v.kind == "eps" for v in (a, b)):
            return compute(self.order_of(a, b), 0)
        return self.compared(op, compute, a, b)

    def order_of(self, a: Value, b: Value) -> int:
        """-1, 0 or 1: how two functions of eps compare, if that is the same for every eps > 0.

        The finite values in them are settled first.
        """
        found = sign_of_difference(*(self.with_settled(self.lift(self.number(value))) for value in (a, b)))
        if found is None:
            hint = "a mechanism covers every eps at once: compare private values, samples and constants"
            raise self.refuse("what depends on eps cannot be compared, unless every eps agrees", hint)
        return found

    def with_settled(self, expr: Expr) -> Any:
        """The expression with the values of the finite variables in it."""
        if expr in self.finite:
            return self.lift(self.settled(self.finite[expr]))
        return rebuilt(expr, self.with_settled)  # type: ignore[arg-type]

    def compared(self, op: Op, compute: Callable[[Any, Any], bool], a: Value, b: Value) -> Value:
        """A comparison of two symbols, or of a symbol with a known value."""
        source = None
        try:
            answers = possible_results(compute, a, b)
        except TypeError:
            raise self.refuse("these cannot be compared", "compare numbers with numbers") from None
        if answers is not None:
            if len(answers) == 1:
                return next(iter(answers))
            if isinstance(a, Sym) and is_known(b):
                source = a, frozenset(v for v in a.possible or () if compute(v, b))
            elif isinstance(b, Sym) and is_known(a):
                source = b, frozenset(v for v in b.possible or () if compute(a, v))
        bools = [value for value in (a, b) if kind_of(value) == "bool"]
        if len(bools) == 1 or (bools and op not in dip.EQUALITY):
            a, b = self.as_number(a), self.as_number(b)
        for one, other in ((a, b), (b, a)):
            atom = isinstance(other, str) or other is None
            if atom and isinstance(one, Sym) and one.kind in RANDOM:
                return op is Op.NE
        return Sym(Binary(op, self.lift(a), self.lift(b), span=self.place), "bool", source=source)

    def step_compared(self, sign: str, value: Stepped, bound: Fraction) -> Value:
        """A rounded and clamped sample against a known number."""
        at_most, under = self.at_most(value, bound, False), self.at_most(value, bound, True)
        match sign:
            case "<=":
                return at_most
            case "<":
                return under
            case ">":
                return self.negated(at_most)
            case ">=":
                return self.negated(under)
        equal = self.both(at_most, self.negated(under))
        return equal if sign == "==" else self.negated(equal)

    def at_most(self, value: Stepped, bound: Fraction, strictly: bool) -> Value:
        """Whether the sample is at most the bound, or less."""
        low, high = value.low, value.high
        if high is not None and (bound > high or (bound == high and not strictly)):
            return True
        if low is not None and (bound < low or (bound == low and strictly)):
            return False
        if value.mode:
            k = math.ceil(bound) - 1 if strictly else math.floor(bound)
            return Sym(self.below(value, k), "bool")
        op = Op.LT if strictly else Op.LE
        return Sym(Binary(op, value.base.expr, self.lift(bound), span=self.place), "bool")

    def same_tuples(self, sign: str, left: tuple[Value, ...], right: tuple[Value, ...]) -> Value:
        """Whether two tuples are equal."""
        if len(left) != len(right):
            return sign == "!="
        pairs = zip(left, right, strict=True)
        equal = reduce(self.both, (self.compare("==", a, b) for a, b in pairs), True)
        return equal if sign == "==" else self.negated(equal)

    # --- truth values --------------------------------------------------------------------------

    def negated(self, value: Value) -> Value:
        """``not value`` for a truth value."""
        if not isinstance(value, Sym):
            return not value
        source = None
        if value.source is not None:
            base, yes = value.source
            source = base, (base.possible or frozenset()) - yes
        match value.expr:
            case Unary(Op.NOT, inside):
                return Sym(inside, "bool", source=source)
        return Sym(Unary(Op.NOT, value.expr, span=self.place), "bool", source=source)

    def both(self, left: Value, right: Value) -> Value:
        """``left and right`` for truth values."""
        if not isinstance(left, Sym):
            return right if left else False
        if not isinstance(right, Sym):
            return left if right else False
        source = None
        if left.source and right.source and left.source[0] == right.source[0]:
            source = left.source[0], left.source[1] & right.source[1]
        return Sym(chained(Op.AND, [left.expr, right.expr]), "bool", source=source)

    def condition(self, value: Value) -> Value:
        """What Python takes a value for in a condition, as a truth value."""
        value = self.sample(value)
        match value:
            case Sym(_, "bool"):
                return value
            case Sym(_, "dom", possible) if possible is not None:
                false = [v for v in possible if not v]
                return self.negated(
                    reduce(self.either, (Sym(self.equal(value, v), "bool") for v in false), False)
                )
            case Sym(_, "dom"):
                raise self.refuse("the truth of this value", "compare it: `x == 'yes'`, `x is not None`")
            case Sym() | Stepped():
                return self.compare("!=", value, 0)
        match self.get(value):
            case Array() | Row():
                raise self.refuse("a list or range is no truth value here", "compare its length: `N > 1`")
            case Items(_, "array"):
                raise self.refuse("an array is neither true nor false", "use `np.any` or `np.all`")
            case Items(values) | Members(values) | Table(values) | (tuple() | range() as values):
                return bool(values)
            case _ if is_known(value):
                return bool(value)
        return True

    def either(self, left: Value, right: Value) -> Value:
        """``left or right`` for truth values."""
        return self.negated(self.both(self.negated(left), self.negated(right)))

    # --- lists ---------------------------------------------------------------------------------

    def over_lists(self, sign: str, listed: Ref, other: Value, swapped: bool) -> Value:
        """An operator with a list: joined, repeated, or cell by cell if it is numpy's."""
        mine = self.get(listed)
        its = self.get(other) if isinstance(self.get(other), Items) else None
        kinds = {mine.kind, its.kind if its else ""}
        if kinds & {"array", "view"} or (
            "input" in kinds and (sign not in "+*" or (not its and sign != "*"))
        ):
            return self.broadcast(
                lambda a, b: self.binary(sign, b, a) if swapped else self.binary(sign, a, b), listed, other
            )
        if "input" in kinds:
            hint = "write `np.array(q)` for arithmetic on each cell, `list(q)` for lists"
            raise self.refuse(f"`{sign}` means one thing for a list and another for an array", hint)
        if sign == "+" and its is not None:
            values = (*its.values, *mine.values) if swapped else (*mine.values, *its.values)
            return self.new(Items(values))
        if sign == "*" and isinstance(other, int):
            return self.new(Items(mine.values * other))
        raise self.refuse(f"`{sign}` of a list", "use `np.array`, or a comprehension")

    def broadcast(self, function: Callable[..., Value], *values: Value, size: int | None = None) -> Value:
        """The function of scalars; if some are lists, or a size is given, an array of the results."""
        lists = [self.cells(value) for value in values]
        lengths = {len(cells) for cells in lists if cells is not None}
        lengths |= set() if size is None else {size}
        if not lengths:
            return function(*values)
        if len(lengths) > 1:
            raise self.refuse("these arrays have different lengths", "use arrays of the same length")
        length = lengths.pop()
        columns = [
            [value] * length if cells is None else cells for value, cells in zip(values, lists, strict=True)
        ]
        tables = {self.is_table(cells) for cells in lists if cells is not None}
        if tables > {True} or (True in tables and size is not None):
            hint = "go through its rows: `np.array([row + other for row in P])`"
            raise self.refuse("a table and an array of one dimension in one operation", hint)
        inside = partial(self.broadcast, function) if True in tables else function
        return self.array([inside(*(column[i] for column in columns)) for i in range(length)])

    def cells(self, value: Value) -> tuple[Value, ...] | None:
        """The cells of a list or tuple; None for others."""
        thing = self.get(value)
        return thing.values if isinstance(thing, Items) else thing if isinstance(thing, tuple) else None

    def is_table(self, value: Value) -> bool:
        """Is this a list of lists? An array of two dimensions is one of its rows, which are arrays."""
        return any(self.cells(cell) is not None for cell in self.cells(value) or ())

    def array(self, values: Sequence[Value], dtype: str = "") -> Ref:
        """A numpy array; its type is that of its values.  Rows are copied."""
        rows = [self.cells(value) for value in values]
        flat = [cell for row in rows for cell in row or ()]
        single = (*values, *flat)
        if any(isinstance(value, str) for value in single) and any(self.dtype([value]) for value in single):
            raise self.refuse("numpy makes strings of the numbers here", "use a list")
        if rows.count(None) == len(rows):
            return self.new(Items(tuple(values), "array", dtype or self.dtype(values)))
        if None in rows or len({*map(len, filter(None, rows))}) > 1 or () in rows or self.is_table((*flat,)):
            hint = "make all rows of the same length, of single values"
            raise self.refuse("arrays have one dimension here, or two", hint)
        kind = dtype or self.dtype(flat)
        table = tuple(self.new(Items(row or (), "array", kind)) for row in rows)
        return self.new(Items(table, "array", kind))

    def dtype(self, values: Sequence[Value]) -> str:
        """The type that numpy gives an array of these values."""
        kinds = set()
        for value in values:
            match value:
                case bool() | Sym(_, "bool"):
                    kinds.add("bool")
                case int() | Sym(_, "int"):
                    kinds.add("int")
                case Sym(_, "num", possible) if possible and all(
                    Fraction(v).denominator == 1 for v in possible
                ):
                    kinds.add("int")
                case Fraction() | Sym(_, "num" | "real" | "lattice" | "eps"):
                    kinds.add("float")
                case _ if self.unit_in(value) is not None:
                    kinds.add("float")
                case _:
                    return ""
        return next((kind for kind in ("float", "int", "bool") if kind in kinds), "float")

    def sequences(self, sign: str, left: Value, right: Value) -> Value:
        """``+`` and ``*`` of tuples and strings."""
        if sign == "+" and type(left) is type(right) and isinstance(left, str | tuple):
            return left + right
        for one, other in ((left, right), (right, left)):
            if sign == "*" and isinstance(one, str | tuple) and isinstance(other, int):
                return one * other
        raise self.refuse(f"`{sign}` of these values", "compute with numbers only")

    # --- samples that are not drawn at once ------------------------------------------------------

    def drawn_in(self, value: Value) -> Scaled | None:
        """The value as one that depends on a sample that is not drawn yet."""
        if isinstance(self.get(value), Unit | Gumbel | Geometric):
            return Scaled(value, 1, 0)
        return value if isinstance(value, Scaled) else None

    def unit_in(self, value: Value) -> Scaled | None:
        """The value as one that depends on a number drawn from [0, 1), or on Gumbel noise."""
        drawn = self.drawn_in(value)
        return drawn if drawn and isinstance(self.get(drawn.unit), Unit | Gumbel) else None

    def scaled(self, sign: str, left: Value, right: Value) -> Value | None:
        """A sample not drawn yet that is shifted, or multiplied by a number of known sign."""
        a, b = self.drawn_in(left), self.drawn_in(right)
        if b is not None and sign == "-":
            b, sign = self.scaled("*", b, -1), "+"
        if a is not None and b is not None:
            return self.difference(a, b) if sign == "+" else None
        if a is None and b is not None and sign in "+*":
            a, right = b, left
        if a is None or sign not in ("+", "-", "*", "/"):
            return None
        other = self.number(right)
        if sign in "+-":
            return replace(a, offset=self.binary(sign, a.offset, other))
        if not positive(other) and not positive(self.binary("*", -1, other)):
            return None
        return Scaled(a.unit, self.binary(sign, a.factor, other), self.binary(sign, a.offset, other))

    def difference(self, left: Scaled, right: Scaled) -> Value | None:
        """The difference of two numbers of trials is discrete Laplace noise."""
        a, b = self.get(left.unit), self.get(right.unit)
        if isinstance(a, Unit | Gumbel) or isinstance(b, Unit | Gumbel):
            return None
        offset = self.binary("+", left.offset, right.offset)
        opposite = left.factor == self.binary("*", -1, right.factor)
        if left.unit == right.unit and opposite:
            return offset
        both = isinstance(a, Geometric) and isinstance(b, Geometric)
        if not both or not opposite or a.spent or b.spent or a.rate != b.rate:
            hint = "write `DLap(eps)` for two-sided geometric noise"
            raise self.refuse("these two samples do not make two-sided geometric noise", hint)
        self.put(left.unit, Geometric(a.rate, True))
        self.put(right.unit, Geometric(b.rate, True))
        noise = self.assign("noise", dip.Noise("DLap", a.rate, self.lift(0), span=self.place), "int")
        return self.binary("+", offset, self.binary("*", noise, left.factor))

    def sample(self, value: Value) -> Value:
        """A number of trials as a sample; every other value as it is."""
        if isinstance(value, Scaled) and self.unit_in(value) is None:
            drawn = self.sample(value.unit)
            return self.binary("+", value.offset, self.binary("*", drawn, value.factor))
        thing = self.get(value)
        if isinstance(thing, Geometric):
            return self.trials(value)
        return thing if isinstance(thing, Stepped) else value

    def trials(self, ref: Ref) -> Value:
        """A number of trials by itself: exponential noise, rounded up."""
        thing = self.get(ref)
        if not thing.spent:
            drawn = self.assign(
                "trials", dip.Noise("LapPlus", thing.rate, self.lift(0), span=self.place), "real"
            )
            made = Stepped(drawn, "ceil", Fraction(1), None)
            self.put(ref, made)
            return made
        raise self.refuse("this sample is used twice", "write `DLap(eps)` for two-sided geometric noise")

    def refuse_gumbel(self, drawn: Scaled) -> None:
        """Gumbel noise has a meaning in one place only, under ``argmax``."""
        if isinstance(self.get(drawn.unit), Gumbel):
            hint = (
                "give every score its own: `np.argmax(scores + rng.gumbel(scale=2 / eps, size=len(scores)))`"
            )
            raise self.refuse("Gumbel noise is read only as the exponential mechanism", hint)

    def chance(self, sign: str, drawn: Scaled, bound: Value) -> Value:
        """``u < p`` for a number drawn from [0, 1): a coin; for a second bound, given the first answer."""
        self.refuse_gumbel(drawn)
        if sign in ("==", "!="):
            return sign == "!="
        if isinstance(bound, Ref | Stepped | Scaled) or (isinstance(bound, Sym) and bound.kind in RANDOM):
            raise self.refuse(
                "a number drawn from [0, 1) is compared with a sample", "compare it with a probability"
            )
        ref, p = (
            drawn.unit,
            self.binary("/", self.binary("-", self.number(bound), drawn.offset), drawn.factor),
        )
        if not positive(drawn.factor):
            sign = SWAPPED[sign]
        if (kind_of(p) == "num" and not possible_values(p)) or any(
            not 0 < v < 1 for v in possible_values(p) or ()
        ):
            p = self.settled(p)  # some values are no probability
        unit = self.get(ref)
        if unit.low == unit.high:
            hint = "compare it in one `if`, or draw it again"
            raise self.refuse("this number was compared on some paths only", hint)
        if unit.asked is not None and unit.asked[0] != p:
            bound_before, answer = unit.asked
            below = self.truth(answer)
            unit = Unit(unit.low, bound_before) if below else Unit(bound_before, unit.high)
            self.put(ref, unit)
        under = self.under(ref, unit, p)
        return under if sign in ("<", "<=") else self.negated(under)

    def one_of_many(self, drawn: Scaled) -> Value:
        """``int(k * u)``: each of 0, ..., k - 1 with the same probability."""
        self.refuse_gumbel(drawn)
        k, least, unit = drawn.factor, drawn.offset, self.get(drawn.unit)
        if not (isinstance(k, int) and isinstance(least, int) and 0 < k <= MOST_STEPS and least >= 0):
            raise self.refuse(
                "this number from [0, 1) is not made an integer by `int(k * u)`", "use `rng.integers(k)`"
            )
        if unit != Unit(0, 1):
            raise self.refuse("this number was compared or rounded before", "draw it again")
        self.put(drawn.unit, Unit(0, 0))
        chance = self.lift(Fraction(1, k))
        options = tuple((self.lift(least + i), chance) for i in range(k))
        return self.assign(
            "choice", dip.Choose(options, span=self.place), "num", some(range(least, least + k))
        )

    def under(self, ref: Ref, unit: Unit, p: Value) -> Value:
        """Whether a number drawn from an interval is below a bound."""
        if unit.asked is not None:
            return unit.asked[1]
        for end, answer in ((unit.low, False), (unit.high, True)):
            if p == end:
                return answer
            if (is_number(p) and is_number(end)) or unit != Unit(0, 1):  # it was compared before
                sign = sign_of_difference(self.lift(p), self.lift(end))
                if sign is not None and (sign >= 0 if answer else sign <= 0):
                    return answer
        above, size = self.binary("-", p, unit.low), self.binary("-", unit.high, unit.low)
        share = self.lift(above if size == 1 else self.binary("/", above, size))
        coin = self.assign("coin", dip.Flip(share, span=self.place), "bool")
        self.put(ref, Unit(unit.low, unit.high, (p, coin)))
        return coin


def sign_of_difference(left: Expr, right: Expr) -> int | None:
    """The sign of left - right for every eps > 0; None if it varies, or depends on anything else."""
    if free_names(left) or free_names(right):
        return None
    try:
        f, g = (function_of_eps(expr, NOTHING, never) for expr in (left, right))
        if f == g:
            return 0
        parts = (f - g).numerator, (f - g).denominator
        signs = [sign_if_constant(part, EpsRange.positive()) for part in parts]
    except (InputError, LimitReached):
        return None
    return None if signs[0] is None or signs[1] is None else signs[0] * signs[1]


OPPOSITE = {Op.LT: Op.GE, Op.LE: Op.GT, Op.GT: Op.LE, Op.GE: Op.LT}


def facts(condition: Expr, holds: Value) -> Iterator[tuple[Op, Expr, Expr]]:
    """The inequalities that hold if a condition does, or does not."""
    match condition:
        case Unary(Op.NOT, inside):
            yield from facts(inside, not holds)
        case Binary(Op.AND, left, right) if holds:
            yield from facts(left, True)
            yield from facts(right, True)
        case Binary(op, left, right) if op in OPPOSITE:
            yield op if holds else OPPOSITE[op], left, right


def positive(value: Value) -> bool:
    """Is a number or an expression of eps certainly more than 0?"""
    if is_number(value):
        return bool(value > 0)
    if not isinstance(value, Sym):
        return False
    return positive_form(value.expr) or sign_of_difference(value.expr, Number(fmpq(0))) == 1


def positive_form(expr: Expr) -> bool:
    """Is this made of positive numbers, powers of e and eps, by sums, products and quotients?"""
    match expr:
        case Number(value):
            return bool(value > 0)
        case Eps() | dip.Call("exp"):
            return True
        case Binary(Op.ADD | Op.MUL | Op.DIV, left, right):
            return positive_form(left) and positive_form(right)
    return False


def constant(expr: Expr) -> int | Fraction | None:
    """The number that an expression is; None for others."""
    found = substitute(expr, {})
    return python_number(found.value) if isinstance(found, Number) else None
