"""``dipc verify --deep``: the distributions of a certificate derived anew from the program text.

The slow, obvious route: run the program along every path, keep the comparisons of random expressions as
linear constraints over independent centred samples, and integrate (:mod:`dipc.certificate.integrals`).  From
dipc only the parser is used: names, numbers and sets are read off the syntax tree, and all arithmetic is that
of the standard library.

Not covered: discrete Laplace noise, loops that end only with probability 1, comparisons of noise of rate
a*eps with noise of rate a/eps, functions of eps that are no quotients of sums of exponentials.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dipc.certificate.integrals import (
    ONE,
    NotCovered,
    Row,
    Sample,
    constant,
    has_interior,
    measure,
    product,
    row,
)
from dipc.certificate.kernel import UNIT, ZERO, Certificate, Function, Ratio, Refused, add, multiply
from dipc.certificate.kernel import places as digits
from dipc.errors import Source
from dipc.syntax import ast
from dipc.syntax.parser import parse

EPS = (1, ZERO, ZERO, ZERO)
INVERSE = (-1, ZERO, ZERO, ZERO)
MAX_ROUNDS = 64  # of a while loop

Plain = Fraction | str
InputValue = Plain | tuple[Plain, ...]
Inputs = Mapping[str, InputValue]
Outcome = tuple[Plain, ...]
Pair = tuple[Function, Function]  # numerator and denominator


def rederive(certificate: Certificate) -> str:
    """Derive everything that the kernel trusts from the program text, and compare; what was found, in words.

    Raises :class:`~dipc.certificate.kernel.Refused` for a difference and :class:`NotCovered`.
    """
    data = certificate.data
    program = parse(Source(data["program"]["name"], data["program"]["text"]))
    known = parameters(program, certificate.parameters)
    if known != certificate.parameters:
        raise Refused("deep: parameters", "they are not those of the program")
    if declared(program.inputs, known) != data["inputs"]:
        raise Refused("deep: inputs", "they are not those of the program")
    if declared(program.outputs, known) != data["outputs"]:
        raise Refused("deep: outputs", "they are not those of the program")
    inputs = all_inputs(program, known)
    if certificate.violated:
        written = [data["violation"][name] for name in ("input", "neighbour")]
        places = [certificate.place(digits(v, certificate.inputs, "violation")) for v in written]
        u, v = (inputs[place] for place in places)
        if not adjacent(program, u, v, known):
            raise Refused("deep: adjacency", "the two inputs are no neighbours in the program")
    else:
        places = list(range(len(inputs)))
        check_pairs(program, inputs, set(certificate.pairs), known)
    rows = [tuple(plain(value) for value in outcome) for outcome in data["outcomes"]]
    for law, place in zip(certificate.laws, places, strict=True):
        derived = distribution(program, inputs[place], known)
        if not set(derived) <= set(rows):
            raise Refused("deep: outcomes", "an outcome of the program is not listed")
        for outcome, i in zip(rows, law, strict=True):
            ratio = certificate.functions[i]
            if not same(derived.get(outcome, ({}, constant(1))), ratio, certificate.denominators):
                raise Refused(
                    "deep: laws", f"another probability of {list(outcome)} is derived from the program"
                )
    own = claim_is_own(program, certificate, known)
    return f"{len(places)} distributions were derived from the program text" + (
        "" if own else "; the claim is not the one that the program makes"
    )


def same(derived: Pair, ratio: Ratio, denominators: Sequence[Function]) -> bool:
    """Are the two quotients one function?  Cross-multiplied."""
    above, below = derived
    return multiply(above, denominators[ratio.denominator]) == multiply(ratio.numerator, below)


def plain(value: str) -> Plain:
    return Fraction(value) if value[0] in "-0123456789" else value


def declared(declarations: Iterable[ast.Declaration], known: Mapping[str, Value]) -> list[dict[str, Any]]:
    """Names, sizes and sets as a certificate lists them."""
    run = Run(scalars=dict(known))
    return [
        {
            "name": d.name,
            "size": None if d.size is None else as_index(run.value(d.size)),
            "domain": [str(value) for value in run.members(d.domain)],
        }
        for d in declarations
    ]


def check_pairs(
    program: ast.Program, inputs: list[Inputs], pairs: set[tuple[int, int]], known: Mapping[str, Value]
) -> None:
    for (i, u), (j, v) in itertools.product(enumerate(inputs), repeat=2):
        if i <= j and adjacent(program, u, v, known) != ((i, j) in pairs):
            raise Refused("deep: adjacency", "the pairs are not the neighbours of the program")


def claim_is_own(program: ast.Program, certificate: Certificate, known: Mapping[str, Value]) -> bool:
    """Whether the certificate is about the claim that the program makes."""
    claim = program.claim
    if claim is None:
        return False
    run = Run(scalars=dict(known))
    epsilon = as_quotient(run.value(claim.epsilon))
    delta = as_quotient(run.value(claim.delta)) if claim.delta else (constant(0), constant(1))
    ends: tuple[Any, ...] = (ZERO, None, False, False)
    if claim.interval is not None:
        low, high = claim.interval.low, claim.interval.high
        ends = (
            as_number(run.value(low)),
            None if high is None else as_number(run.value(high)),
            claim.interval.low_closed,
            claim.interval.high_closed,
        )
    t = {EPS: certificate.t} if certificate.t else {}
    return (
        tuple(certificate.on) == ends
        and same(epsilon, Ratio(t, 0), certificate.denominators)
        and isinstance(certificate.delta, Ratio)
        and same(delta, certificate.delta, certificate.denominators)
    )


def all_inputs(program: ast.Program, known: Mapping[str, Value]) -> list[Inputs]:
    """Every input of the program, the last cell varying fastest."""
    run = Run(scalars=dict(known))
    choices: list[list[InputValue]] = []
    for d in program.inputs:
        domain = run.members(d.domain)
        if d.size is None:
            choices.append(list(domain))
        else:
            choices.append(list(itertools.product(domain, repeat=as_index(run.value(d.size)))))
    names = [d.name for d in program.inputs]
    return [dict(zip(names, values, strict=True)) for values in itertools.product(*choices)]


def adjacent(program: ast.Program, u: Inputs, v: Inputs, known: Mapping[str, Value]) -> bool:
    """Are u and v neighbours?  The symmetric closure of what the program says."""
    match program.adjacency:
        case ast.NamedAdjacency(kind="all"):
            return True
        case ast.NamedAdjacency(kind=kind, distance=distance) if distance is not None:
            pairs = list(zip(flat(u.values()), flat(v[name] for name in u), strict=True))
            limit = as_number(Run(scalars=dict(known)).value(distance))
            if kind == "hamming":
                return sum(a != b for a, b in pairs) <= limit
            gaps = [abs(as_number(a) - as_number(b)) for a, b in pairs]
            return (max(gaps, default=ZERO) if kind == "linf" else sum(gaps, ZERO)) <= limit
        case ast.FormulaAdjacency(formula=formula):
            return any(formula_holds(formula, known, a, b) for a, b in ((u, v), (v, u)))
    raise Refused("deep: adjacency", "the program does not say which inputs are neighbours")


def formula_holds(formula: ast.Expr, known: Mapping[str, Value], u: Inputs, v: Inputs) -> bool:
    run = Run(scalars=dict(known))
    for name in u:
        put(run, name, u[name])
        put(run, name + "'", v[name])
    return run.holds(formula)


# --- values -------------------------------------------------------------------------------------------


def fraction(value: Any) -> Fraction:
    """A number of the syntax tree."""
    return Fraction(int(value.p), int(value.q))


@dataclass(frozen=True)
class Linear:
    """``sum of c_j X_j + constant`` over the samples X_j drawn so far; at least one c_j is not 0."""

    coefficients: tuple[tuple[int, Fraction], ...]
    constant: Fraction


@dataclass(frozen=True)
class Quotient:
    """A function of eps that is not constant: numerator over denominator."""

    numerator: Function
    denominator: Function


Value = Fraction | str | Linear | Quotient | tuple[Any, ...]


def linear(coefficients: Mapping[int, Fraction], shift: Fraction) -> Fraction | Linear:
    kept = tuple(sorted((j, c) for j, c in coefficients.items() if c))
    return Linear(kept, shift) if kept else shift


def function(numerator: Function, denominator: Function) -> Fraction | Quotient:
    """The quotient; a denominator of one term is divided out, a constant becomes a number."""
    if not denominator:
        raise NotCovered("division by zero")
    if len(denominator) == 1:
        (((n, a, k, b), c),) = denominator.items()
        numerator, denominator = multiply(numerator, {(-n, -a, -k, -b): 1 / c}), constant(1)
    if denominator == constant(1) and set(numerator) <= {UNIT}:
        return numerator.get(UNIT, ZERO)
    return Quotient(numerator, denominator)


def as_quotient(value: Value) -> Pair:
    if isinstance(value, Fraction):
        return constant(value), constant(1)
    if isinstance(value, Quotient):
        return value.numerator, value.denominator
    raise NotCovered(f"{value} is not a function of eps")


def as_number(value: Value) -> Fraction:
    if isinstance(value, Fraction):
        return value
    raise NotCovered(f"{value} is not a number")


def as_index(value: Value) -> int:
    number = as_number(value)
    if number.denominator != 1:
        raise NotCovered(f"{value} is not an integer")
    return int(number)


def truth(flag: bool) -> str:
    return "true" if flag else "false"


def combine(op: ast.Op, left: Value, right: Value) -> Value:
    """Arithmetic on numbers, linear expressions in samples, and functions of eps."""
    if isinstance(left, Quotient) or isinstance(right, Quotient):
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
        raise NotCovered(f"{op} of random expressions")
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
    raise NotCovered(f"{op} is no arithmetic")


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
    numerator: Function = field(default_factory=lambda: constant(1))
    denominators: Counter[frozenset[Any]] = field(default_factory=Counter)
    variables: frozenset[str] = frozenset()

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
            raise NotCovered(f"{name} is read before it is assigned")
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
                return Quotient({EPS: ONE}, constant(1))
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
        raise NotCovered(f"unknown expression {expr}")

    def holds(self, expr: ast.Expr) -> bool:
        value = self.value(expr)
        if value not in ("true", "false"):
            raise NotCovered(f"{value} is no Boolean")
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
        raise NotCovered(f"unknown fold {expr.kind}")

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
                self.samples.append(noise(kind, self.value(rate)))
                fresh = Linear(((len(self.samples) - 1, ONE),), ZERO)
                return combine(ast.Op.ADD, fresh, self.value(mean))
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
                raise NotCovered("discrete Laplace noise")
        drawn, chance = table[self.choose(len(table))]
        self.weigh(chance)
        return drawn

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
                for _ in range(MAX_ROUNDS):
                    if not self.holds(condition):
                        return
                    self.block(body)
                raise NotCovered(f"a loop of {MAX_ROUNDS} rounds or more")
            case ast.Exit():
                raise Stop


COMPARISONS = (ast.Op.EQ, ast.Op.NE, ast.Op.LT, ast.Op.LE, ast.Op.GT, ast.Op.GE)


def is_random(*values: Value) -> bool:
    return any(isinstance(value, Linear) for value in values)


def flat(values: Iterable[Value]) -> list[Value]:
    """Arrays among the values replaced by their cells."""
    return [item for value in values for item in (value if isinstance(value, tuple) else (value,))]


def exponential(value: Value) -> Value:
    """exp(a*eps + k + b/eps)."""
    numerator, denominator = as_quotient(value)
    if denominator != constant(1) or not set(numerator) <= {UNIT, EPS, INVERSE}:
        raise NotCovered("exp of something else than a*eps + k + b/eps")
    a, k, b = (numerator.get(part, ZERO) for part in (EPS, UNIT, INVERSE))
    return function({(0, a, k, b): ONE}, constant(1))


def noise(kind: str, rate: Value) -> Sample:
    """Centred noise of rate a*eps or a/eps."""
    numerator, denominator = as_quotient(rate)
    if denominator == constant(1) and len(numerator) == 1:
        ((key, a),) = numerator.items()
        if key in (EPS, INVERSE) and a > 0:
            return Sample(kind, a, key == INVERSE)
    raise NotCovered("noise of a rate that is neither a*eps nor a/eps")


# --- all executions ----------------------------------------------------------------------------


def parameters(program: ast.Program, overrides: Mapping[str, Fraction]) -> dict[str, Value]:
    """The values of the parameters; each may use those before it."""
    run = Run()
    for param in program.params:
        run.scalars[param.name] = run.value(param.value)
        if param.name in overrides:
            run.scalars[param.name] = Fraction(overrides[param.name])
    return dict(run.scalars)


def prepared(program: ast.Program, inputs: Inputs, known: Mapping[str, Value], script: Sequence[int]) -> Run:
    """A run in which parameters, inputs and outputs have their start values."""
    run = Run(script=script, scalars=dict(known), variables=frozenset(assigned(program.body)))
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


def executions(program: ast.Program, inputs: Inputs, known: Mapping[str, Value]) -> Iterator[Run]:
    """Every path, once: run, then turn the last choice that has another option."""
    script: list[int] | None = []
    while script is not None:
        run = prepared(program, inputs, known, script)
        with contextlib.suppress(Stop):
            run.block(program.body)
        yield run
        choices = list(run.taken)
        while choices and choices[-1][0] + 1 == choices[-1][1]:
            choices.pop()
        script = [pick for pick, _ in choices[:-1]] + [choices[-1][0] + 1] if choices else None


def outcome(program: ast.Program, run: Run) -> Outcome:
    """The outputs at the end of a run, cell by cell."""
    result: list[Plain] = []
    for output in program.outputs:
        if output.size is None:
            cells = [run.scalars.get(output.name)]
        else:
            array = run.arrays.get(output.name, {})
            cells = [array.get(i) for i in range(1, as_index(run.value(output.size)) + 1)]
        for cell in cells:
            if not isinstance(cell, Fraction | str):
                raise Refused("deep: outputs", f"{output.name} is not assigned a value of its set")
            result.append(cell)
    return tuple(result)


def distribution(program: ast.Program, inputs: Inputs, known: Mapping[str, Value]) -> dict[Outcome, Pair]:
    """The exact probability of every outcome that is not impossible, as (numerator, denominator)."""
    parts: dict[Outcome, list[tuple[Function, Counter[frozenset[Any]]]]] = {}
    for run in executions(program, inputs, known):
        if not run.numerator:
            continue
        mass = multiply(run.numerator, measure(run.rows(), run.samples))
        if mass:
            parts.setdefault(outcome(program, run), []).append((mass, run.denominators))
    sums = {key: over_common_denominator(summands) for key, summands in parts.items()}
    return {key: quotient for key, quotient in sums.items() if quotient[0]}


def over_common_denominator(summands: Sequence[tuple[Function, Counter[frozenset[Any]]]]) -> Pair:
    """The sum of quotients whose denominators are given as multisets of factors."""
    common: Counter[frozenset[Any]] = Counter()
    for _, factors in summands:
        common |= factors
    total: Function = {}
    for numerator, factors in summands:
        missing = (common - factors).elements()
        total = add(total, multiply(numerator, product(dict(factor) for factor in missing)))
    return total, product(dict(factor) for factor in common.elements())
