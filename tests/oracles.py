"""The slow, obvious twin: output distributions straight from the syntax tree.

Nothing here is shared with dipc except the syntax tree of the program.  Three parts judge dipc:

*   :func:`oracle_distribution` runs a program along every path.  On each path it keeps the
    comparisons of random expressions as linear constraints over independent centred samples, and
    the product of the discrete probabilities.  The probability of the constraints is the nested
    integral of Lemma 23 of the paper (:func:`measure`).  The result is exact.
*   :func:`discrete_bounds` does the same for programs with discrete Laplace noise: a sample is a choice
    among the integers close to its mean.  What is left out is the missing mass, known exactly: the result
    is an interval for every probability.
*   :func:`monte_carlo_distribution` translates the program to Python and runs it many times.
*   :func:`numeric_privacy_violation` looks for the worst breach of a claim on a grid of budgets.

An exact function of eps is an *exponential polynomial*: a dictionary ``{(n, a, k): c}`` for the
sum of ``c * eps^n * exp(a*eps + k)``, or a pair of two of them, numerator and denominator.  By
Lindemann's theorem the functions ``eps^n exp(a*eps + k)`` with different rational (n, a, k) are
linearly independent over the rationals, so that two such functions are equal if and only if
their dictionaries (without zero coefficients) are.

Not covered: rates other than a*eps, loops that end only with probability 1.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

import mpmath
from flint import fmpq

from dipc.syntax import ast
from dipc.syntax.values import Atom

ExpPoly = dict[tuple[int, Fraction, Fraction], Fraction]
Quotient = tuple[ExpPoly, ExpPoly]
Plain = Fraction | str
InputValue = Plain | tuple[Plain, ...]
Inputs = Mapping[str, InputValue]
Overrides = Mapping[str, Fraction | int] | None
Outcome = tuple[tuple[str, InputValue], ...]
Distribution = dict[Outcome, Quotient]

ZERO = Fraction(0)
ONE = Fraction(1)
UNIT = (0, ZERO, ZERO)
DIGITS = 50
FUEL = 10_000


class OracleError(Exception):
    """The program is wrong, or beyond the oracle."""


# --- exponential polynomials -----------------------------------------------------------------


def constant(value: Fraction | int) -> ExpPoly:
    """The constant function."""
    return {UNIT: Fraction(value)} if value else {}


def add(f: ExpPoly, g: ExpPoly) -> ExpPoly:
    """f + g.

    >>> add({UNIT: ONE}, {UNIT: -ONE})
    {}
    """
    total = dict(f)
    for key, c in g.items():
        total[key] = total.get(key, ZERO) + c
    return {key: c for key, c in total.items() if c}


def multiply(f: ExpPoly, g: ExpPoly) -> ExpPoly:
    """f * g: powers, rates and constants add."""
    total: ExpPoly = {}
    for (n, a, k), c in f.items():
        for (m, b, j), d in g.items():
            key = (n + m, a + b, k + j)
            total[key] = total.get(key, ZERO) + c * d
    return {key: c for key, c in total.items() if c}


def scale(f: ExpPoly, factor: Fraction) -> ExpPoly:
    return {key: c * factor for key, c in f.items()}


def product(factors: Iterable[ExpPoly]) -> ExpPoly:
    """The product of all factors, 1 for none."""
    result = constant(1)
    for factor in factors:
        result = multiply(result, factor)
    return result


def same_function(p: Quotient, q: Quotient) -> bool:
    """Are the two quotients the same function of eps?  Exact: cross-multiplied and compared.

    >>> e, one = {(0, ONE, ZERO): ONE}, constant(1)
    >>> same_function((e, add(one, e)), (one, add(one, {(0, -ONE, ZERO): ONE})))
    True
    >>> same_function((e, one), (one, one))
    False
    """
    return multiply(p[0], q[1]) == multiply(q[0], p[1])


def evaluate_exppoly(f: ExpPoly, eps: Fraction) -> mpmath.mpf:
    """f(eps) for a rational eps with 50 correct digits, however much the terms cancel.

    Terms with the same exponent are added exactly first; by Lindemann's theorem the value is then 0
    if and only if nothing remains, so that raising the precision ends.
    """
    exact: dict[Fraction, Fraction] = {}
    for (n, a, k), c in f.items():
        exact[a * eps + k] = exact.get(a * eps + k, ZERO) + c * eps**n
    exact = {exponent: c for exponent, c in exact.items() if c}
    digits = DIGITS + 10
    while exact:
        with mpmath.workdps(digits):
            terms = [as_mpf(c) * mpmath.exp(as_mpf(exponent)) for exponent, c in exact.items()]
            value, size = mpmath.fsum(terms), mpmath.fsum(terms, absolute=True)
            if abs(value) > size * mpmath.mpf(10) ** (DIGITS - digits + 5):
                return value
        digits *= 2
    return mpmath.mpf(0)


def as_mpf(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator


def evaluate(quotient: Quotient, eps: Fraction) -> mpmath.mpf:
    """numerator(eps) / denominator(eps) with 50 digits."""
    with mpmath.workdps(DIGITS + 10):
        return evaluate_exppoly(quotient[0], eps) / evaluate_exppoly(quotient[1], eps)


# --- the measure of a system of linear inequalities (Lemma 23) --------------------------------

Row = tuple[int, ...]
"""``(c_1, ..., c_n, c_0)``, without common factor: ``c_1 x_1 + ... + c_n x_n + c_0 >= 0``."""

Term = tuple[int, tuple[Fraction, ...], tuple[int, ...], Fraction]
"""``(n, k, m, q)``: the function ``eps^n exp(q eps) prod_i x_i^m_i exp(k_i eps x_i)``."""

Integrand = dict[Term, Fraction]
Affine = tuple[Fraction, ...]
"""``(h_1, ..., h_n, h_0)``: the function ``h_1 x_1 + ... + h_n x_n + h_0``."""


@dataclass(frozen=True)
class Sample:
    """Centred noise: density ``a eps/2 exp(-a eps |x|)`` (Lap), or twice that for x > 0 (LapPlus)."""

    kind: str
    rate: Fraction


def row(coefficients: Sequence[Fraction | int]) -> Row:
    """The inequality with integer coefficients without a common factor."""
    scale = math.lcm(*(c.denominator for c in coefficients))
    integers = [int(c * scale) for c in coefficients]
    divisor = math.gcd(*integers) or 1
    return tuple(c // divisor for c in integers)


@lru_cache(maxsize=100_000)
def has_interior(rows: frozenset[Row]) -> bool:
    """Has ``{x : every row > 0}`` a point?  Fourier-Motzkin elimination, one variable at a time.

    >>> has_interior(frozenset({(1, 0), (-1, 1)})), has_interior(frozenset({(1, 0), (-1, 0)}))
    (True, False)
    """
    system = set(rows)
    width = len(next(iter(system))) - 1 if system else 0
    for x in range(width):
        lower = [r for r in system if r[x] > 0]
        upper = [r for r in system if r[x] < 0]
        free = {r for r in system if r[x] == 0}
        system = free | {
            row([a * -high[x] + b * low[x] for a, b in zip(low, high, strict=True)])
            for low in lower
            for high in upper
        }
    return all(r[-1] > 0 for r in system)


def bound(r: Row, x: int) -> Affine:
    """The value of x_x at which the row is 0, as a function of the other variables."""
    return tuple(ZERO if i == x else Fraction(-c, r[x]) for i, c in enumerate(r))


def power(h: Affine, exponent: int) -> dict[tuple[int, ...], Fraction]:
    """``h^exponent`` as a polynomial: powers of x_1 ... x_n to coefficient."""
    width = len(h) - 1
    result: dict[tuple[int, ...], Fraction] = {(0,) * width: ONE}
    for _ in range(exponent):
        larger: dict[tuple[int, ...], Fraction] = {}
        for powers, c in result.items():
            for i, factor in enumerate(h):
                key = powers if i == width else (*powers[:i], powers[i] + 1, *powers[i + 1 :])
                larger[key] = larger.get(key, ZERO) + c * factor
        result = {key: c for key, c in larger.items() if c}
    return result


def substitute(f: Integrand, x: int, h: Affine) -> Integrand:
    """f with x_x replaced by the affine function h of the others."""
    result: Integrand = {}
    for (n, k, m, q), c in f.items():
        rates = tuple(ZERO if i == x else k[i] + k[x] * h[i] for i in range(len(k)))
        others = tuple(0 if i == x else m[i] for i in range(len(m)))
        for powers, d in power(h, m[x]).items():
            exponents = tuple(a + b for a, b in zip(others, powers, strict=True))
            key = (n, rates, exponents, q + k[x] * h[-1])
            result[key] = result.get(key, ZERO) + c * d
    return {key: c for key, c in result.items() if c}


def antiderivative(f: Integrand, x: int) -> Integrand:
    """An antiderivative of f in x_x, term by term.

    ``int x^m dx = x^(m+1)/(m+1)``, and for K = k eps with k != 0 repeated integration by parts
    gives ``int x^m e^(Kx) dx = sum_j (-1)^j m!/(m-j)! x^(m-j) e^(Kx) / K^(j+1)``.
    """
    result: Integrand = {}

    def put(n: int, k: tuple[Fraction, ...], m: tuple[int, ...], new: int, q: Fraction, c: Fraction) -> None:
        key = (n, k, (*m[:x], new, *m[x + 1 :]), q)
        result[key] = result.get(key, ZERO) + c

    for (n, k, m, q), c in f.items():
        if k[x] == 0:
            put(n, k, m, m[x] + 1, q, c / (m[x] + 1))
            continue
        for j in range(m[x] + 1):
            falling = Fraction(math.factorial(m[x]), math.factorial(m[x] - j))
            put(n - j - 1, k, m, m[x] - j, q, (-1) ** j * c * falling / k[x] ** (j + 1))
    return {key: c for key, c in result.items() if c}


def definite(f: Integrand, x: int, low: Affine, high: Affine | None) -> Integrand:
    """The integral of f over x_x from low to high (None: infinity)."""
    primitive = antiderivative(f, x)
    if high is None:
        if any(k[x] >= 0 for _, k, _, _ in primitive):
            raise OracleError("a probability that diverges: the cell should have been empty")
        upper: Integrand = {}
    else:
        upper = substitute(primitive, x, high)
    for key, c in substitute(primitive, x, low).items():
        upper[key] = upper.get(key, ZERO) - c
    return {key: c for key, c in upper.items() if c}


def integrate(f: Integrand, rows: frozenset[Row], remaining: tuple[int, ...]) -> ExpPoly:
    """The integral of f over ``{x : every row >= 0}`` in the remaining variables.

    One variable is eliminated at a time.  Its range is cut into cells by which lower bound is the
    largest and which upper bound the smallest; cells overlap in measure 0 because different
    bounds are different affine functions.  Cells without interior have measure 0.
    """
    if not has_interior(rows):
        return {}
    if not remaining:
        return {(n, q, ZERO): c for (n, _, _, q), c in f.items()}
    x = min(remaining, key=lambda i: sum(r[i] > 0 for r in rows) * max(1, sum(r[i] < 0 for r in rows)))
    rest = tuple(i for i in remaining if i != x)
    free = {r for r in rows if r[x] == 0}
    lows = {bound(r, x) for r in rows if r[x] > 0}
    highs: set[Affine | None] = {bound(r, x) for r in rows if r[x] < 0} or {None}
    total: ExpPoly = {}
    for low, high in itertools.product(lows, highs):
        cell = free | {above(low, other) for other in lows if other != low}
        if high is not None:
            cell |= {above(other, high) for other in highs if other is not None and other != high}
            cell |= {above(high, low)}
        if has_interior(frozenset(cell)):
            total = add(total, integrate(definite(f, x, low, high), frozenset(cell), rest))
    return total


def above(g: Affine, h: Affine) -> Row:
    """The row that says g >= h."""
    return row([a - b for a, b in zip(g, h, strict=True)])


@lru_cache(maxsize=100_000)
def measure_of(rows: frozenset[Row], samples: tuple[Sample, ...]) -> tuple[tuple[Any, Fraction], ...]:
    """:func:`measure` for samples that all occur (frozen for the cache)."""
    count = len(samples)
    positive = {tuple(int(i == j) for j in range(count + 1)) for i in range(count)}
    choices: list[tuple[int, ...]] = [(1, -1) if sample.kind == "Lap" else (1,) for sample in samples]
    weight = ONE
    for sample, signs in zip(samples, choices, strict=True):
        weight *= sample.rate / len(signs)
    density: Integrand = {(count, tuple(-s.rate for s in samples), (0,) * count, ZERO): weight}
    total: ExpPoly = {}
    for signs in itertools.product(*choices):
        mirrored = {tuple(c * s for c, s in zip(r, (*signs, 1), strict=True)) for r in rows}
        total = add(total, integrate(density, frozenset(mirrored | positive), tuple(range(count))))
    return tuple(total.items())


def measure(rows: Iterable[Row], samples: Sequence[Sample]) -> ExpPoly:
    """The probability that independent samples satisfy every row.

    Samples that no row mentions are dropped (their mass is 1), and samples that no chain of rows
    connects are independent.  Every Laplace sample is split by its sign, so that all variables are
    positive; then :func:`integrate`.

    >>> half = Fraction(1, 2)
    >>> X, Y = Sample("Lap", ONE), Sample("Lap", half)
    >>> measure([(1, -1, 0)], [X, Y]) == constant(half)  # P(X >= Y)
    True
    >>> measure([(1, -1)], [X])  # P(X >= 1) = exp(-eps)/2
    {(0, Fraction(-1, 1), Fraction(0, 1)): Fraction(1, 2)}
    """
    groups: list[tuple[set[int], set[Row]]] = []
    for r in set(rows):
        joined, together = {i for i in range(len(samples)) if r[i]}, {r}
        for group in [group for group in groups if group[0] & joined]:
            groups.remove(group)
            joined |= group[0]
            together |= group[1]
        groups.append((joined, together))
    factors = []
    for joined, together in groups:
        used = sorted(joined)
        short = frozenset((*(r[i] for i in used), r[-1]) for r in together)
        factors.append(dict(measure_of(short, tuple(samples[i] for i in used))))
    return product(factors)


# --- values of the exact interpreter -----------------------------------------------------------


@dataclass(frozen=True)
class Linear:
    """``sum of c_j X_j + constant`` over the samples X_j drawn so far; at least one c_j is not 0."""

    coefficients: tuple[tuple[int, Fraction], ...]
    constant: Fraction


@dataclass(frozen=True)
class Function:
    """A function of eps that is not constant: numerator over denominator."""

    numerator: ExpPoly
    denominator: ExpPoly


Value = Fraction | str | Linear | Function | tuple[Any, ...]


def linear(coefficients: Mapping[int, Fraction], shift: Fraction) -> Fraction | Linear:
    kept = tuple(sorted((j, c) for j, c in coefficients.items() if c))
    return Linear(kept, shift) if kept else shift


def function(numerator: ExpPoly, denominator: ExpPoly) -> Fraction | Function:
    """The quotient; a denominator of one term is divided out, a constant becomes a number."""
    if not denominator:
        raise OracleError("division by zero")
    if len(denominator) == 1:
        (((n, a, k), c),) = denominator.items()
        numerator, denominator = multiply(numerator, {(-n, -a, -k): 1 / c}), constant(1)
    if denominator == constant(1) and set(numerator) <= {UNIT}:
        return numerator.get(UNIT, ZERO)
    return Function(numerator, denominator)


def as_quotient(value: Value) -> Quotient:
    if isinstance(value, Fraction):
        return constant(value), constant(1)
    if isinstance(value, Function):
        return value.numerator, value.denominator
    raise OracleError(f"{value} is not a function of eps")


def as_number(value: Value) -> Fraction:
    if isinstance(value, Fraction):
        return value
    raise OracleError(f"{value} is not a number")


def as_index(value: Value) -> int:
    number = as_number(value)
    if number.denominator != 1:
        raise OracleError(f"{value} is not an integer")
    return int(number)


def truth(flag: bool) -> str:
    return "true" if flag else "false"


def combine(op: ast.Op, left: Value, right: Value) -> Value:
    """Arithmetic on numbers, linear expressions in samples, and functions of eps."""
    if isinstance(left, Function) or isinstance(right, Function):
        (n, d), (m, e) = as_quotient(left), as_quotient(right)
        match op:
            case ast.Op.ADD:
                return function(add(multiply(n, e), multiply(m, d)), multiply(d, e))
            case ast.Op.SUB:
                return function(add(multiply(n, e), multiply(constant(-1), multiply(m, d))), multiply(d, e))
            case ast.Op.MUL:
                return function(multiply(n, m), multiply(d, e))
            case ast.Op.DIV:
                return function(multiply(n, e), multiply(d, m))
            case ast.Op.POW:
                times = as_index(right)
                up, down = product([n] * abs(times)), product([d] * abs(times))
                return function(up, down) if times >= 0 else function(down, up)
    if isinstance(left, Linear) or isinstance(right, Linear):
        match op:
            case ast.Op.ADD | ast.Op.SUB:
                sign = ONE if op is ast.Op.ADD else -ONE
                a, b = split(left), split(right)
                merged = {j: a[0].get(j, ZERO) + sign * b[0].get(j, ZERO) for j in {*a[0], *b[0]}}
                return linear(merged, a[1] + sign * b[1])
            case ast.Op.MUL if isinstance(right, Linear):
                return scaled(right, as_number(left))
            case ast.Op.MUL:
                return scaled(left, as_number(right))
            case ast.Op.DIV:
                return scaled(left, 1 / as_number(right))
        raise OracleError(f"{op} of random expressions")
    x, y = as_number(left), as_number(right)
    match op:
        case ast.Op.ADD:
            return x + y
        case ast.Op.SUB:
            return x - y
        case ast.Op.MUL:
            return x * y
        case ast.Op.DIV:
            return x / y
        case ast.Op.POW:
            return Fraction(x ** as_index(y))
    raise OracleError(f"{op} is no arithmetic")


def split(value: Value) -> tuple[dict[int, Fraction], Fraction]:
    if isinstance(value, Linear):
        return dict(value.coefficients), value.constant
    return {}, as_number(value)


def scaled(value: Value, factor: Fraction) -> Fraction | Linear:
    coefficients, shift = split(value)
    return linear({j: c * factor for j, c in coefficients.items()}, shift * factor)


# --- one execution along a prescribed path ------------------------------------------------------


class Stop(Exception):
    """``exit``."""


@dataclass
class Run:
    """One execution.  ``script`` says how the first choices fall; later ones fall to option 0.

    A comparison of random expressions is a choice between the outcomes that have positive
    probability given the constraints so far.
    """

    script: Sequence[int] = ()
    scalars: dict[str, Value] = field(default_factory=dict)
    arrays: dict[str, dict[int, Value]] = field(default_factory=dict)
    taken: list[tuple[int, int]] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    constraints: list[Linear] = field(default_factory=list)
    numerator: ExpPoly = field(default_factory=lambda: constant(1))
    denominators: Counter[frozenset[Any]] = field(default_factory=Counter)
    variables: frozenset[str] = frozenset()
    fuel: int = FUEL
    radius: Fraction | None = None  # how far integer samples may go: the sum of rate * |distance| left

    # choices

    def choose(self, options: int) -> int:
        position = len(self.taken)
        pick = self.script[position] if position < len(self.script) else 0
        self.taken.append((pick, options))
        return pick

    def rows(self, extra: Sequence[Linear] = ()) -> frozenset[Row]:
        width = len(self.samples)
        found = set()
        for item in (*self.constraints, *extra):
            coefficients = dict(item.coefficients)
            found.add(row([*(coefficients.get(j, ZERO) for j in range(width)), item.constant]))
        return frozenset(found)

    def possible(self, constraint: Linear) -> bool:
        width = len(self.samples)
        support = {
            tuple(int(i == j) for j in range(width + 1))
            for i, sample in enumerate(self.samples)
            if sample.kind == "LapPlus"
        }
        return has_interior(self.rows([constraint]) | support)

    def at_least_zero(self, value: Value, strict: bool) -> bool:
        """Is value >= 0 (> 0 if strict)?  For a random value: a choice that is remembered."""
        if not isinstance(value, Linear):
            number = as_number(value)
            return number > 0 if strict else number >= 0
        negated = scaled(value, -ONE)
        assert isinstance(negated, Linear)
        outcomes = [item for item in (value, negated) if self.possible(item)]
        picked = outcomes[self.choose(len(outcomes))]
        self.constraints.append(picked)
        return picked is value

    def weigh(self, probability: Value) -> None:
        numerator, denominator = as_quotient(probability)
        self.numerator = multiply(self.numerator, numerator)
        if denominator != constant(1):
            self.denominators[frozenset(denominator.items())] += 1

    # expressions

    def lookup(self, name: str) -> Value:
        """The value of a variable or an array; a name that is never assigned is an atom."""
        if name in self.arrays:
            cells = self.arrays[name]
            return tuple(cells[i] for i in range(1, max(cells) + 1))
        if name in self.variables and name not in self.scalars:
            raise OracleError(f"{name} is read before it is assigned")
        return self.scalars.get(name, name)

    def value(self, expr: ast.Expr) -> Value:
        match expr:
            case ast.Number(value=number):
                return fraction(number)
            case ast.Name(name=name, primed=primed):
                return self.lookup(name + "'" * primed)
            case ast.Index(array=array, index=index, primed=primed):
                return self.arrays[array + "'" * primed][as_index(self.value(index))]
            case ast.Eps():
                return Function({(1, ZERO, ZERO): ONE}, constant(1))
            case ast.Unary(op=ast.Op.NEG, operand=operand):
                return combine(ast.Op.MUL, Fraction(-1), self.value(operand))
            case ast.Unary(op=ast.Op.NOT, operand=operand):
                return truth(not self.holds(operand))
            case ast.Binary(op=ast.Op.AND, left=left, right=right):
                return truth(self.holds(left) and self.holds(right))
            case ast.Binary(op=ast.Op.OR, left=left, right=right):
                return truth(self.holds(left) or self.holds(right))
            case ast.Binary(op=op, left=left, right=right) if op in COMPARISONS:
                return truth(self.compare(op, self.value(left), self.value(right)))
            case ast.Binary(op=op, left=left, right=right):
                return combine(op, self.value(left), self.value(right))
            case ast.Call(function=name, arguments=arguments):
                return self.call(name, [self.value(argument) for argument in arguments])
            case ast.Fold():
                return self.fold(expr)
        raise OracleError(f"unknown expression {expr}")

    def holds(self, expr: ast.Expr) -> bool:
        value = self.value(expr)
        if value not in ("true", "false"):
            raise OracleError(f"{value} is no Boolean")
        return value == "true"

    def compare(self, op: ast.Op, left: Value, right: Value) -> bool:
        if op in (ast.Op.EQ, ast.Op.NE):
            # Different real random expressions are equal with probability 0.
            equal = combine(ast.Op.SUB, left, right) == 0 if is_random(left, right) else left == right
            return equal == (op is ast.Op.EQ)
        if op in (ast.Op.LT, ast.Op.LE):
            left, right = right, left
        difference = combine(ast.Op.SUB, left, right)
        return self.at_least_zero(difference, strict=op in (ast.Op.LT, ast.Op.GT))

    def call(self, name: str, arguments: list[Value]) -> Value:
        if name == "exp":
            return exponential(arguments[0])
        if name in ("floor", "ceil"):
            return Fraction((math.floor if name == "floor" else math.ceil)(as_number(arguments[0])))
        if name == "mod":
            return as_number(arguments[0]) % as_number(arguments[1])
        if name == "abs":
            negated = combine(ast.Op.MUL, Fraction(-1), arguments[0])
            return arguments[0] if self.at_least_zero(arguments[0], strict=False) else negated
        if name == "disc":
            return self.disc(arguments[0], flat(arguments[1:]))
        items = flat(arguments)
        if name == "sum":
            total: Value = ZERO
            for item in items:
                total = combine(ast.Op.ADD, total, item)
            return total
        best = 0  # the first index wins a tie
        for i in range(1, len(items)):
            better = ast.Op.GT if name in ("max", "argmax") else ast.Op.LT
            if self.compare(better, items[i], items[best]):
                best = i
        return Fraction(best + 1) if name.startswith("arg") else items[best]

    def disc(self, x: Value, steps: list[Value]) -> Value:
        for step in steps[:-1]:
            if self.compare(ast.Op.LE, x, step):
                return step
        return steps[-1]

    def fold(self, expr: ast.Fold) -> Value:
        low, high = as_index(self.value(expr.low)), as_index(self.value(expr.high))
        hidden = self.scalars.get(expr.variable)
        results = []
        for i in range(low, high + 1):
            self.scalars[expr.variable] = Fraction(i)
            results.append(self.value(expr.body))
        self.scalars.pop(expr.variable, None)
        if hidden is not None:
            self.scalars[expr.variable] = hidden
        match expr.kind:
            case "forall":
                return truth(all(item == "true" for item in results))
            case "exists":
                return truth(any(item == "true" for item in results))
            case "count":
                return Fraction(sum(item == "true" for item in results))
            case "sum":
                return self.call("sum", results)
        raise OracleError(f"unknown fold {expr.kind}")

    def members(self, support: ast.FiniteSet) -> list[Plain]:
        if isinstance(support, ast.Range):
            low, high = as_index(self.value(support.low)), as_index(self.value(support.high))
            return [Fraction(i) for i in range(low, high + 1)]
        values = [self.value(member) for member in support.members]
        return list(dict.fromkeys(v if isinstance(v, str) else as_number(v) for v in values))

    # distributions

    def draw(self, source: ast.Distribution) -> Value:
        match source:
            case ast.Noise(kind="Lap" | "LapPlus" as kind, rate=rate, mean=mean):
                self.samples.append(Sample(kind, rate_factor(self.value(rate))))
                fresh = Linear(((len(self.samples) - 1, ONE),), ZERO)
                return combine(ast.Op.ADD, fresh, self.value(mean))
            case ast.Noise(kind="DLap", rate=rate, mean=mean):
                return self.draw_integer(rate_factor(self.value(rate)), as_number(self.value(mean)))
            case ast.Choose(options=options):
                table = [(self.value(value), self.value(probability)) for value, probability in options]
            case ast.Flip(probability=probability):
                p = self.value(probability)
                table = [("true", p), ("false", combine(ast.Op.SUB, ONE, p))]
            case ast.Uniform(support=support):
                items = self.members(support)
                table = [(item, Fraction(1, len(items))) for item in items]
            case ast.ExpMechanism(rate=rate, variable=variable, support=support, score=score):
                table = self.exponential_mechanism(rate, variable, support, score)
            case _:
                raise OracleError(f"not covered by the oracle: {source}")
        drawn, chance = table[self.choose(len(table))]
        self.weigh(chance)
        return drawn

    def draw_integer(self, rate: Fraction, mean: Fraction) -> Fraction:
        """A discrete Laplace sample at one of its next values: mean + i has probability
        ``(1 - z)/(1 + z) z^|i|``, z = exp(-rate eps)."""
        if self.radius is None:
            raise OracleError("discrete Laplace noise: ask discrete_bounds")
        most = math.floor(self.radius / rate)
        i = self.choose(2 * most + 1) - most
        self.radius -= rate * abs(i)
        z: ExpPoly = {(0, -rate, ZERO): ONE}
        self.numerator = multiply(self.numerator, {(0, -rate * abs(i), ZERO): ONE})
        self.weigh(function(add(constant(1), scale(z, -ONE)), add(constant(1), z)))
        return mean + i

    def exponential_mechanism(
        self, rate: ast.Expr, variable: str, support: ast.FiniteSet, score: ast.Expr
    ) -> list[tuple[Value, Value]]:
        weights: list[tuple[Value, Value]] = []
        hidden = self.scalars.get(variable)
        for item in self.members(support):
            self.scalars[variable] = item
            exponent = combine(ast.Op.MUL, self.value(rate), self.value(score))
            weights.append((item, exponential(exponent)))
        self.scalars.pop(variable, None)
        if hidden is not None:
            self.scalars[variable] = hidden
        total: Value = ZERO
        for _, weight in weights:
            total = combine(ast.Op.ADD, total, weight)
        return [(item, combine(ast.Op.DIV, weight, total)) for item, weight in weights]

    # statements

    def assign(self, target: ast.Name | ast.Index, value: Value) -> None:
        if isinstance(target, ast.Name):
            self.scalars[target.name] = value
        else:
            self.arrays.setdefault(target.array, {})[as_index(self.value(target.index))] = value

    def block(self, statements: ast.Block) -> None:
        for statement in statements:
            self.execute(statement)

    def execute(self, statement: ast.Statement) -> None:
        self.fuel -= 1
        if self.fuel < 0:
            raise OracleError("out of fuel: a loop without a bound")
        match statement:
            case ast.Assign(target=target, value=source):
                new = self.draw(source) if isinstance(source, ast.Distribution) else self.value(source)
                self.assign(target, new)
            case ast.If(branches=branches, otherwise=otherwise):
                for condition, block in branches:
                    if self.holds(condition):
                        self.block(block)
                        return
                self.block(otherwise)
            case ast.For(variable=variable, low=low, high=high, body=body):
                for i in range(as_index(self.value(low)), as_index(self.value(high)) + 1):
                    self.scalars[variable] = Fraction(i)
                    self.block(body)
                self.scalars.pop(variable, None)
            case ast.While(condition=condition, body=body):
                while self.holds(condition):
                    self.fuel -= 1
                    self.block(body)
            case ast.Exit():
                raise Stop


COMPARISONS = (ast.Op.EQ, ast.Op.NE, ast.Op.LT, ast.Op.LE, ast.Op.GT, ast.Op.GE)


def is_random(*values: Value) -> bool:
    return any(isinstance(value, Linear) for value in values)


def flat(values: Iterable[Value]) -> list[Value]:
    """Arrays among the values replaced by their cells."""
    return [item for value in values for item in (value if isinstance(value, tuple) else (value,))]


def exponential(value: Value) -> Value:
    """exp(a*eps + k)."""
    numerator, denominator = as_quotient(value)
    if denominator != constant(1) or not set(numerator) <= {UNIT, (1, ZERO, ZERO)}:
        raise OracleError("exp of something else than a*eps + k")
    key = (0, numerator.get((1, ZERO, ZERO), ZERO), numerator.get(UNIT, ZERO))
    return function({key: ONE}, constant(1))


def rate_factor(value: Value) -> Fraction:
    """The a of a rate a*eps."""
    numerator, denominator = as_quotient(value)
    a = numerator.get((1, ZERO, ZERO), ZERO)
    if denominator != constant(1) or set(numerator) != {(1, ZERO, ZERO)} or a <= 0:
        raise OracleError(f"not covered by the oracle: a rate {value}")
    return a


# --- all executions ----------------------------------------------------------------------------


def parameters(program: ast.Program, overrides: Overrides) -> dict[str, Value]:
    """The values of the parameters; each may use those before it."""
    run = Run()
    for param in program.params:
        run.scalars[param.name] = run.value(param.value)
        if overrides and param.name in overrides:
            run.scalars[param.name] = Fraction(overrides[param.name])
    return dict(run.scalars)


def prepared(
    program: ast.Program,
    inputs: Inputs,
    known: Mapping[str, Value],
    script: Sequence[int],
    radius: Fraction | None = None,
) -> Run:
    """A run in which parameters, inputs and outputs have their start values."""
    run = Run(script, dict(known), variables=frozenset(assigned(program.body)), radius=radius)
    for name, value in inputs.items():
        put(run, name, value)
    for output in program.outputs:
        if output.start is None:
            continue
        start = run.value(output.start)
        if output.size is None:
            run.scalars[output.name] = start
        else:
            size = as_index(run.value(output.size))
            run.arrays[output.name] = dict.fromkeys(range(1, size + 1), start)
    return run


def assigned(block: ast.Block) -> Iterator[str]:
    """The names of all variables and arrays that a block may assign."""
    for statement in block:
        match statement:
            case ast.Assign(target=ast.Name(name=name) | ast.Index(array=name)):
                yield name
            case ast.If(branches=branches, otherwise=otherwise):
                for inner in (*(inner for _, inner in branches), otherwise):
                    yield from assigned(inner)
            case ast.For(variable=name, body=body):
                yield name
                yield from assigned(body)
            case ast.While(body=body):
                yield from assigned(body)


def put(run: Run, name: str, value: InputValue) -> None:
    """Set a scalar or a whole array."""
    if isinstance(value, tuple):
        run.arrays[name] = dict(enumerate(value, start=1))
    else:
        run.scalars[name] = value


def executions(
    program: ast.Program, inputs: Inputs, known: Mapping[str, Value], radius: Fraction | None = None
) -> Iterator[Run]:
    """Every path, once: run, then turn the last choice that has another option."""
    script: list[int] | None = []
    while script is not None:
        run = prepared(program, inputs, known, script, radius)
        with contextlib.suppress(Stop):
            run.block(program.body)
        yield run
        choices = list(run.taken)
        while choices and choices[-1][0] + 1 == choices[-1][1]:
            choices.pop()
        script = [pick for pick, _ in choices[:-1]] + [choices[-1][0] + 1] if choices else None


def outcome(program: ast.Program, run: Run) -> Outcome:
    """The outputs at the end of a run."""
    result: list[tuple[str, Any]] = []
    for output in program.outputs:
        if output.size is None:
            cells = [run.scalars.get(output.name)]
        else:
            array = run.arrays.get(output.name, {})
            cells = [array.get(i) for i in range(1, as_index(run.value(output.size)) + 1)]
        if None in cells:
            raise OracleError(f"{output.name} is never assigned")
        domain = run.members(output.domain)
        for cell in cells:
            if cell not in domain:
                raise OracleError(f"{output.name} = {cell} is outside its set")
        result.append((output.name, cells[0] if output.size is None else tuple(cells)))
    return tuple(result)


def oracle_distribution(program: ast.Program, inputs: Inputs, overrides: Overrides = None) -> Distribution:
    """The exact probability of every outcome that is not impossible, as (numerator, denominator)."""
    known = parameters(program, overrides)
    parts: dict[Outcome, list[tuple[ExpPoly, Counter[frozenset[Any]]]]] = {}
    for run in executions(program, inputs, known):
        if not run.numerator:
            continue
        mass = multiply(run.numerator, measure(run.rows(), run.samples))
        if mass:
            parts.setdefault(outcome(program, run), []).append((mass, run.denominators))
    sums = {key: over_common_denominator(summands) for key, summands in parts.items()}
    return {key: quotient for key, quotient in sums.items() if quotient[0]}


Bounds = dict[Outcome, tuple[mpmath.mpf, mpmath.mpf]]


def discrete_bounds(
    program: ast.Program,
    inputs: Inputs,
    budgets: Sequence[Fraction],
    radius: Fraction | int = 8,
    overrides: Overrides = None,
) -> list[Bounds]:
    """For each budget, an interval that certainly holds the probability of every outcome.

    All paths on which the integer samples i of rate a are so close to their means that the sum of
    ``a |i - mean|`` is at most ``radius``.  Their probabilities are exact; what is missing to 1, about
    ``exp(-radius * eps)``, may belong to any outcome, also to one that is not listed (key ``()``).
    """
    known = parameters(program, overrides)
    sums: dict[Outcome, dict[frozenset[Any], ExpPoly]] = {}
    for run in executions(program, inputs, known, Fraction(radius)):
        if not run.numerator:
            continue
        over = frozenset(run.denominators.items())
        total = sums.setdefault(outcome(program, run), {}).setdefault(over, {})
        for key, c in multiply(run.numerator, measure(run.rows(), run.samples)).items():
            total[key] = total.get(key, ZERO) + c
    return [_bounds_at(sums, eps) for eps in budgets]


def _bounds_at(sums: Mapping[Outcome, Mapping[frozenset[Any], ExpPoly]], eps: Fraction) -> Bounds:
    with mpmath.workdps(DIGITS):
        rounding = mpmath.mpf(10) ** (5 - DIGITS)
        low = {key: mpmath.mpf(0) for key in (*sums, ())}
        for key, parts in sums.items():
            for over, numerator in parts.items():
                factors = Counter(dict(over)).elements()
                low[key] += evaluate((clean(numerator), product(dict(f) for f in factors)), eps)
        missing = 1 - mpmath.fsum(low.values())
        return {key: (p - rounding, p + missing + rounding) for key, p in low.items()}


def clean(f: ExpPoly) -> ExpPoly:
    """Without zero coefficients."""
    return {key: c for key, c in f.items() if c}


def outside(law: Distribution, bounds: Bounds, eps: Fraction) -> list[Outcome]:
    """The outcomes whose probability at eps lies outside its interval."""
    with mpmath.workdps(DIGITS):
        values = {key: evaluate(law[key], eps) if key in law else mpmath.mpf(0) for key in {**law, **bounds}}
        ends = {key: bounds.get(key, bounds[()]) for key in values}
        return [key for key, (low, high) in ends.items() if not low <= values[key] <= high]


def over_common_denominator(summands: Sequence[tuple[ExpPoly, Counter[frozenset[Any]]]]) -> Quotient:
    """The sum of quotients whose denominators are given as multisets of factors."""
    common: Counter[frozenset[Any]] = Counter()
    for _, factors in summands:
        common |= factors
    total: ExpPoly = {}
    for numerator, factors in summands:
        missing = (common - factors).elements()
        total = add(total, multiply(numerator, product(dict(factor) for factor in missing)))
    return total, product(dict(factor) for factor in common.elements())


# --- Monte Carlo: the program as Python ---------------------------------------------------------

OPERATORS = {
    ast.Op.ADD: "+",
    ast.Op.SUB: "-",
    ast.Op.MUL: "*",
    ast.Op.AND: "and",
    ast.Op.OR: "or",
    ast.Op.EQ: "==",
    ast.Op.NE: "!=",
    ast.Op.LT: "<",
    ast.Op.LE: "<=",
    ast.Op.GT: ">",
    ast.Op.GE: ">=",
}


class Translator:
    """Writes a program as the Python function ``run()`` that returns the outputs."""

    def __init__(self, program: ast.Program) -> None:
        self.program = program
        self.variables = {p.name for p in program.params}
        self.variables |= {d.name for d in (*program.inputs, *program.outputs)}
        self.arrays = {d.name for d in (*program.inputs, *program.outputs) if d.size is not None}
        self.lines: list[str] = []

    def source(self) -> str:
        self.collect(self.program.body)
        self.lines = ["def run():"]
        for d in self.program.outputs:
            if d.size is None and d.start is not None:
                self.lines.append(f"    v_{d.name} = {self.expr(d.start)}")
            elif d.size is not None and d.start is not None:
                fill = f"{{i: {self.expr(d.start)} for i in range(1, {self.expr(d.size)} + 1)}}"
                self.lines.append(f"    v_{d.name} = {fill}")
        declared = {
            d.name
            for d in (*self.program.inputs, *self.program.outputs)
            if d.start or d in self.program.inputs
        }
        for name in sorted(self.arrays - declared):
            self.lines.append(f"    v_{name} = {{}}")
        self.block(self.program.body, 1)
        self.lines.append("    " + self.leave())
        return "\n".join(self.lines)

    def leave(self) -> str:
        return "return (" + "".join(f"v_{d.name}, " for d in self.program.outputs) + ")"

    def collect(self, block: ast.Block) -> None:
        """Which names are variables and arrays; every other name is an atom."""
        for statement in block:
            match statement:
                case ast.Assign(target=ast.Name(name=name)):
                    self.variables.add(name)
                case ast.Assign(target=ast.Index(array=name)):
                    self.variables.add(name)
                    self.arrays.add(name)
                case ast.If(branches=branches, otherwise=otherwise):
                    for _, inner in branches:
                        self.collect(inner)
                    self.collect(otherwise)
                case ast.For(variable=name, body=body):
                    self.variables.add(name)
                    self.collect(body)
                case ast.While(body=body):
                    self.collect(body)

    def block(self, block: ast.Block, depth: int) -> None:
        pad = "    " * depth
        if not block:
            self.lines.append(pad + "pass")
        for statement in block:
            match statement:
                case ast.Assign(target=target, value=source):
                    text = (
                        self.distribution(source)
                        if isinstance(source, ast.Distribution)
                        else self.expr(source)
                    )
                    self.lines.append(f"{pad}{self.expr(target)} = {text}")
                case ast.If(branches=branches, otherwise=otherwise):
                    for i, (condition, inner) in enumerate(branches):
                        self.lines.append(f"{pad}{'elif' if i else 'if'} {self.expr(condition)}:")
                        self.block(inner, depth + 1)
                    self.lines.append(pad + "else:")
                    self.block(otherwise, depth + 1)
                case ast.For(variable=name, low=low, high=high, body=body):
                    self.lines.append(f"{pad}for v_{name} in range({self.expr(low)}, {self.expr(high)} + 1):")
                    self.block(body, depth + 1)
                case ast.While(condition=condition, body=body):
                    self.lines.append(f"{pad}while {self.expr(condition)}:")
                    self.block(body, depth + 1)
                case ast.Exit():
                    self.lines.append(pad + self.leave())

    def expr(self, expr: ast.Expr) -> str:
        match expr:
            case ast.Number(value=number):
                return str(int(number.p)) if number.q == 1 else f"Fraction({int(number.p)}, {int(number.q)})"
            case ast.Name(name=("true" | "false") as name):
                return name.capitalize()
            case ast.Name(name=name):
                return f"v_{name}" if name in self.variables else repr(name)
            case ast.Index(array=array, index=index):
                return f"v_{array}[{self.expr(index)}]"
            case ast.Eps():
                return "EPS"
            case ast.Unary(op=op, operand=operand):
                return f"({'-' if op is ast.Op.NEG else 'not '}{self.expr(operand)})"
            case ast.Binary(op=ast.Op.DIV, left=left, right=right):
                return f"divide({self.expr(left)}, {self.expr(right)})"
            case ast.Binary(op=ast.Op.POW, left=left, right=right):
                return f"({self.expr(left)} ** {self.expr(right)})"
            case ast.Binary(op=op, left=left, right=right):
                return f"({self.expr(left)} {OPERATORS[op]} {self.expr(right)})"
            case ast.Call(function=name, arguments=arguments):
                return f"f_{name}({', '.join(self.expr(a) for a in arguments)})"
            case ast.Fold(kind=kind, variable=variable, low=low, high=high, body=body):
                self.variables.add(variable)
                span = f"range({self.expr(low)}, {self.expr(high)} + 1)"
                gather = {"forall": "all", "exists": "any", "count": "sum", "sum": "sum"}[kind]
                return f"{gather}([{self.expr(body)} for v_{variable} in {span}])"
        raise OracleError(f"unknown expression {expr}")

    def members(self, support: ast.FiniteSet) -> str:
        if isinstance(support, ast.Range):
            return f"list(range({self.expr(support.low)}, {self.expr(support.high)} + 1))"
        return "[" + ", ".join(self.expr(member) for member in support.members) + "]"

    def distribution(self, source: ast.Distribution) -> str:
        match source:
            case ast.Noise(kind="Lap", rate=rate, mean=mean):
                return f"laplace({self.expr(rate)}) + {self.expr(mean)}"
            case ast.Noise(kind="LapPlus", rate=rate, mean=mean):
                return f"rng.expovariate({self.expr(rate)}) + {self.expr(mean)}"
            case ast.Noise(kind="DLap", rate=rate, mean=mean):
                return f"geometric({self.expr(rate)}) - geometric({self.expr(rate)}) + {self.expr(mean)}"
            case ast.Choose(options=options):
                table = ", ".join(f"({self.expr(v)}, {self.expr(p)})" for v, p in options)
                return f"pick([{table}])"
            case ast.Flip(probability=probability):
                return f"rng.random() < {self.expr(probability)}"
            case ast.Uniform(support=support):
                return f"rng.choice({self.members(support)})"
            case ast.ExpMechanism(rate=rate, variable=variable, support=support, score=score):
                self.variables.add(variable)
                weight = f"f_exp({self.expr(rate)} * {self.expr(score)})"
                return f"pick([(v_{variable}, {weight}) for v_{variable} in {self.members(support)}])"
        raise OracleError(f"not covered by the oracle: {source}")


def library(rng: random.Random, eps: float) -> dict[str, Any]:
    """The functions that a translated program calls."""

    def items(*arguments: Any) -> list[Any]:
        return [x for a in arguments for x in ([a[i] for i in sorted(a)] if isinstance(a, dict) else [a])]

    def divide(a: Any, b: Any) -> Any:
        exact = not isinstance(a, float) and not isinstance(b, float)
        quotient = Fraction(a) / b if exact else a / b
        return int(quotient) if exact and quotient.denominator == 1 else quotient

    def pick(table: Sequence[tuple[Any, float]]) -> Any:
        return rng.choices([v for v, _ in table], weights=[float(p) for _, p in table])[0]

    def disc(x: Any, *steps: Any) -> Any:
        return min((s for s in steps if x <= s), default=steps[-1])

    return {
        "Fraction": Fraction,
        "EPS": eps,
        "rng": rng,
        "laplace": lambda rate: rng.expovariate(rate) - rng.expovariate(rate),
        "geometric": lambda rate: math.floor(rng.expovariate(rate)),
        "divide": divide,
        "pick": pick,
        "f_exp": math.exp,
        "f_abs": abs,
        "f_disc": disc,
        "f_floor": math.floor,
        "f_ceil": math.ceil,
        "f_mod": lambda a, b: a % b,
        "f_sum": lambda *a: sum(items(*a)),
        "f_max": lambda *a: max(items(*a)),
        "f_min": lambda *a: min(items(*a)),
        "f_argmax": lambda *a: items(*a).index(max(items(*a))) + 1,
        "f_argmin": lambda *a: items(*a).index(min(items(*a))) + 1,
    }


def monte_carlo_distribution(
    program: ast.Program,
    inputs: Inputs,
    eps: float,
    samples: int,
    seed: int,
    overrides: Overrides = None,
) -> dict[Outcome, float]:
    """The frequency of every outcome in ``samples`` runs of the program with floating-point noise.

    The program is translated to Python, and Laplace noise is the difference of two exponential
    samples (of two geometric ones, if it is discrete), so that nothing is shared with the exact interpreter.
    """
    rng = random.Random(seed)
    known = library(rng, eps)
    for name, value in parameters(program, overrides).items():
        known[f"v_{name}"] = python_value(value)
    for name, value in inputs.items():
        cells = enumerate(value, start=1) if isinstance(value, tuple) else None
        known[f"v_{name}"] = {i: python_value(v) for i, v in cells} if cells else python_value(value)
    exec(compile(Translator(program).source(), "<translated>", "exec"), known)
    names = [output.name for output in program.outputs]
    counts: Counter[Outcome] = Counter()
    for _ in range(samples):
        counts[tuple((n, plain(v)) for n, v in zip(names, known["run"](), strict=True))] += 1
    return {key: count / samples for key, count in counts.items()}


def python_value(value: Value) -> Any:
    """Integers as int, Booleans as bool."""
    if value in ("true", "false"):
        return value == "true"
    return int(value) if isinstance(value, Fraction) and value.denominator == 1 else value


def plain(value: Any) -> InputValue:
    """The inverse of :func:`python_value`, arrays as tuples."""
    if isinstance(value, dict):
        return tuple(plain(value[i]) for i in sorted(value))  # type: ignore[misc]
    if isinstance(value, bool):
        return truth(value)
    return value if isinstance(value, str) else Fraction(value)


# --- privacy on a grid --------------------------------------------------------------------------


def all_inputs(program: ast.Program, overrides: Overrides = None) -> list[Inputs]:
    """Every input of the program."""
    run = Run(scalars=parameters(program, overrides))
    choices: list[list[InputValue]] = []
    for d in program.inputs:
        domain = run.members(d.domain)
        if d.size is None:
            choices.append(list(domain))
        else:
            choices.append(list(itertools.product(domain, repeat=as_index(run.value(d.size)))))
    names = [d.name for d in program.inputs]
    return [dict(zip(names, values, strict=True)) for values in itertools.product(*choices)]


def adjacent(program: ast.Program, u: Inputs, v: Inputs, overrides: Overrides = None) -> bool:
    """Are u and v neighbours?  The symmetric closure of what the program says."""
    known = parameters(program, overrides)
    match program.adjacency:
        case ast.NamedAdjacency(kind="all"):
            return True
        case ast.NamedAdjacency(kind=kind, distance=distance) if distance is not None:
            pairs = list(zip(flat(u.values()), flat(v[name] for name in u), strict=True))
            limit = as_number(Run(scalars=known).value(distance))
            if kind == "hamming":
                return sum(a != b for a, b in pairs) <= limit
            gaps = [abs(as_number(a) - as_number(b)) for a, b in pairs]
            return (max(gaps, default=ZERO) if kind == "linf" else sum(gaps, ZERO)) <= limit
        case ast.FormulaAdjacency(formula=formula):
            return any(formula_holds(formula, known, a, b) for a, b in ((u, v), (v, u)))
    raise OracleError("the program does not say which inputs are neighbours")


def formula_holds(formula: ast.Expr, known: Mapping[str, Value], u: Inputs, v: Inputs) -> bool:
    run = Run(scalars=dict(known))
    for name in u:
        put(run, name, u[name])
        put(run, name + "'", v[name])
    return run.holds(formula)


def claim_of(program: ast.Program, overrides: Overrides = None) -> tuple[Quotient, Quotient]:
    """The epsilon and the delta of the claim, as functions of the budget."""
    if program.claim is None:
        raise OracleError("the program claims nothing")
    run = Run(scalars=parameters(program, overrides))
    delta = as_quotient(run.value(program.claim.delta)) if program.claim.delta else (constant(0), constant(1))
    return as_quotient(run.value(program.claim.epsilon)), delta


def claim_interval(
    program: ast.Program, overrides: Overrides = None
) -> tuple[Fraction, Fraction | None, bool, bool]:
    """Low end, high end (None: infinity), and whether they belong to the interval."""
    interval = program.claim.interval if program.claim else None
    if interval is None:
        return ZERO, None, False, False
    run = Run(scalars=parameters(program, overrides))
    high = None if interval.high is None else as_number(run.value(interval.high))
    return as_number(run.value(interval.low)), high, interval.low_closed, interval.high_closed


def budget_grid(program: ast.Program, overrides: Overrides = None) -> list[Fraction]:
    """Rational budgets of the claim's interval: logarithmic from 1/1000 to 60, and near both ends."""
    low, high, _, _ = claim_interval(program, overrides)
    points = {Fraction(round(1000 * (60_000 ** (i / 16))), 1_000_000) for i in range(17)}
    if high is not None:
        points |= {low + (high - low) * Fraction(i, 8) for i in range(1, 8)}
        points |= {high - (high - low) / 1000}
    points |= {low + Fraction(1, 1000), low + 1}
    points |= {low} | ({high} if high is not None else set())
    return sorted(x for x in points if x > 0 and in_interval(program, x, overrides))


def in_interval(program: ast.Program, eps: Fraction, overrides: Overrides = None) -> bool:
    """Does the claim speak of this budget?"""
    low, high, low_closed, high_closed = claim_interval(program, overrides)
    above_low = eps > low or (low_closed and eps == low)
    return above_low and (high is None or eps < high or (high_closed and eps == high))


def excess_function(
    program: ast.Program,
    laws: tuple[Distribution, Distribution],
    outputs: Iterable[Outcome],
    overrides: Overrides = None,
) -> Quotient:
    """``P(S) - exp(epsilon) Q(S) - delta`` as an exact function of eps: positive where the claim fails."""
    epsilon, delta = claim_of(program, overrides)
    p, q = (total_of(law[o] for o in outputs if o in law) for law in laws)
    loss = as_quotient(exponential(function(*epsilon)))
    return total_of([p, negative((multiply(loss[0], q[0]), multiply(loss[1], q[1]))), negative(delta)])


def negative(f: Quotient) -> Quotient:
    return multiply(constant(-1), f[0]), f[1]


def total_of(quotients: Iterable[Quotient]) -> Quotient:
    """The sum of the quotients."""
    return over_common_denominator([(n, Counter([frozenset(d.items())])) for n, d in quotients])


@dataclass(frozen=True)
class Breach:
    """The claim fails by ``excess`` at ``epsilon``: P(u in S) - exp(claim) P(v in S) - delta > 0."""

    input: Inputs
    neighbour: Inputs
    outputs: frozenset[Outcome]
    epsilon: Fraction
    excess: mpmath.mpf


def breach_at(
    p: Mapping[Outcome, mpmath.mpf], q: Mapping[Outcome, mpmath.mpf], factor: mpmath.mpf, delta: mpmath.mpf
) -> tuple[mpmath.mpf, frozenset[Outcome]]:
    """The largest P(S) - factor Q(S) - delta over all S: the sum of the positive parts."""
    with mpmath.workdps(DIGITS):
        gains = {o: x - factor * q.get(o, mpmath.mpf(0)) for o, x in p.items()}
        worst = frozenset(o for o, gain in gains.items() if gain > 0)
        if delta == 0 and worst:
            top = max(worst, key=lambda o: gains[o])
            return gains[top], frozenset([top])
        return mpmath.fsum(gains[o] for o in worst) - delta, worst


def numeric_privacy_violation(
    program: ast.Program,
    grid: Sequence[Fraction] | None = None,
    tolerance: float = 1e-25,
    overrides: Overrides = None,
    distribution: Callable[..., Distribution] = oracle_distribution,
) -> Breach | None:
    """The worst breach of the program's claim at the budgets of the grid, or None.

    For delta = 0 it is enough to look at single outputs; for delta > 0 the worst set of outputs
    is that of all outputs with a positive gain.  ``excess`` up to ``tolerance`` is no breach.
    """
    inputs = all_inputs(program, overrides)
    laws = [distribution(program, u, overrides) for u in inputs]
    epsilon, delta = claim_of(program, overrides)
    pairs = [
        (i, j)
        for i, u in enumerate(inputs)
        for j, v in enumerate(inputs)
        if i != j and adjacent(program, u, v, overrides)
    ]
    worst: Breach | None = None
    for budget in budget_grid(program, overrides) if grid is None else grid:
        values = [{o: evaluate(p, budget) for o, p in law.items()} for law in laws]
        with mpmath.workdps(DIGITS):
            factor, slack = mpmath.exp(evaluate(epsilon, budget)), evaluate(delta, budget)
        for i, j in pairs:
            excess, outputs = breach_at(values[i], values[j], factor, slack)
            if excess > tolerance and (worst is None or excess > worst.excess):
                worst = Breach(inputs[i], inputs[j], outputs, budget, excess)
    return worst


# --- to and from dipc's values --------------------------------------------------------------------


def to_dipc(value: InputValue) -> Any:
    """Fraction to ``fmpq``, name to ``Atom``, arrays as tuples."""
    if isinstance(value, tuple):
        return tuple(to_dipc(item) for item in value)
    return Atom(value) if isinstance(value, str) else fmpq(value.numerator, value.denominator)


def from_dipc(value: Any) -> InputValue:
    """The inverse of :func:`to_dipc`.

    >>> from_dipc(to_dipc((Fraction(1, 2), "bot")))
    (Fraction(1, 2), 'bot')
    """
    if isinstance(value, Atom):
        return value.name
    if isinstance(value, fmpq):
        return fraction(value)
    return tuple(from_dipc(item) for item in value)  # type: ignore[misc]


def fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def outcome_from_dipc(outputs: Any) -> Outcome:
    """A key of dipc's distribution as a key of the oracle's."""
    return tuple((str(name), from_dipc(value)) for name, value in outputs)


def exppoly_from_dipc(polynomial: Any) -> ExpPoly:
    """dipc's exponential polynomial, from its terms (coefficient, power, rate, constant)."""
    total: ExpPoly = {}
    for coefficient, n, rate, shift, inverse in polynomial.terms():
        if inverse:
            raise OracleError("an exponent b/eps")
        total = add(total, {(int(n), fraction(rate), fraction(shift)): fraction(coefficient)})
    return total


def dipc_distribution(mechanism: Any, inputs: Inputs) -> Distribution:
    """What a dipc mechanism says, in the oracle's terms: the one place that knows dipc's interface."""
    law = mechanism.distribution(**{name: to_dipc(value) for name, value in inputs.items()})
    return {
        outcome_from_dipc(outputs): (exppoly_from_dipc(p.numerator), exppoly_from_dipc(p.denominator))
        for outputs, p in law.items()
    }


def different(law: Distribution, other: Distribution) -> list[Outcome]:
    """The outcomes whose probabilities are not the same function of eps."""
    nothing = (constant(0), constant(1))
    return [o for o in {**law, **other} if not same_function(law.get(o, nothing), other.get(o, nothing))]
