"""The meaning of programs for the slow route: one run along a prescribed path, and all runs.

A random expression never gets a value.  A comparison is a choice between its outcomes, recorded as a linear
inequality; a finite draw is a choice with a probability; so is a ``while`` loop, a choice between the states
in which it ends (:mod:`dipc.dipwhile.rederive.loops`).
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial, reduce

from dipc.dipwhile.rederive.functions import EPS, INVERSE, ONE, Draw, Mass, NotCovered, constant, totals
from dipc.dipwhile.rederive.inequalities import Row
from dipc.dipwhile.rederive.loops import exits
from dipc.dipwhile.rederive.noise import (
    Condition,
    Sample,
    as_row,
    condition_of,
    opposite,
    possible,
    without_implied,
)
from dipc.dipwhile.rederive.values import (
    Linear,
    Plain,
    Quotient,
    Value,
    as_index,
    as_number,
    as_pair,
    combine,
    described,
    exponential_of,
    flat,
    fraction,
    scaled,
    truth,
)
from dipc.dipwhile.syntax import ast
from dipc.kernel.facts import ZERO

TRUTH = frozenset({"true", "false"})

COMPARISONS = (ast.Op.EQ, ast.Op.NE, ast.Op.LT, ast.Op.LE, ast.Op.GT, ast.Op.GE)
BETTER = {"max": ast.Op.GT, "min": ast.Op.LT, "argmax": ast.Op.GT, "argmin": ast.Op.LT}

ARGUMENTS: dict[str, tuple[int, int | None]] = {
    **dict.fromkeys(("abs", "argmax", "argmin", "exp", "floor", "ceil"), (1, 1)),
    **dict.fromkeys(("max", "min", "sum", "count"), (1, None)),
    "mod": (2, 2),
    "disc": (2, None),
}
"""The functions that are covered, with the least and the greatest number of arguments."""


class Stop(Exception):
    """``exit``."""


@dataclass(frozen=True)
class Moment:
    """What a run knows at one moment."""

    scalars: tuple[tuple[str, Value], ...]
    arrays: tuple[tuple[str, tuple[tuple[int, Value], ...]], ...]
    samples: tuple[Sample, ...]
    conditions: frozenset[Condition]


AtLoop = tuple[str, Moment]
"""A moment before a round (``round``), after the loop (``after``), or at the end of the run (``exit``)."""

Solved = dict[tuple[int, Moment], list[tuple[AtLoop, Mass]]]


@dataclass
class Run:
    """One run.  ``script`` says how the first choices fall; later ones fall to option 0.

    ``solved`` and ``drawn`` are shared by all runs: loops that are solved, and every table drawn from.
    """

    script: Sequence[int] = ()
    scalars: dict[str, Value] = field(default_factory=dict)
    arrays: dict[str, dict[int, Value]] = field(default_factory=dict)
    taken: list[tuple[int, int]] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    conditions: set[Condition] = field(default_factory=set)
    mass: Mass = field(default_factory=Mass)
    variables: frozenset[str] = frozenset()
    atoms: frozenset[str] = TRUTH
    domains: dict[str, frozenset[Plain]] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    solved: Solved = field(default_factory=dict)
    drawn: dict[object, Draw] = field(default_factory=dict)
    unit: bool = False

    # choices

    def choose(self, options: int) -> int:
        position = len(self.taken)
        pick = self.script[position] if position < len(self.script) else 0
        self.taken.append((pick, options))
        return pick

    def rows(self) -> frozenset[Row]:
        """The conditions, over all samples."""
        return frozenset(as_row(condition, len(self.samples)) for condition in self.conditions)

    def at_least_zero(self, value: Value, strict: bool) -> bool:
        """Is value >= 0 (> 0 if strict)?  For a random value: a choice that is remembered."""
        if not isinstance(value, Linear):
            number = as_number(value)
            return number > 0 if strict else number >= 0
        condition = condition_of(value, strict, self.samples)
        outcomes = (True, condition), (False, opposite(condition, self.samples))
        open_ones = [(answer, c) for answer, c in outcomes if possible({*self.conditions, c}, self.samples)]
        answer, condition = open_ones[self.choose(len(open_ones))]
        if len(open_ones) > 1:
            self.conditions.add(condition)
        return answer

    def pick(self, table: Sequence[tuple[Value, Value]]) -> Value:
        """One of the values that have a probability other than 0."""
        if any(isinstance(value, Linear) for value, _ in table):
            raise NotCovered("a draw of a random expression")
        if all(chance == 0 for _, chance in table):
            raise NotCovered("a draw of nothing")
        draw = tuple(as_pair(chance) for _, chance in table)
        self.drawn.setdefault(tuple(frozenset(f.items()) for pair in draw for f in pair), draw)
        options = [(value, chance) for value, chance in table if chance != 0]
        value, chance = options[self.choose(len(options))]
        numerator, denominator = as_pair(chance)
        self.mass = self.mass.times(Mass(numerator).over(denominator))
        return value

    # expressions

    def lookup(self, name: str) -> Value:
        """The value of a variable or an array; a name that is never assigned is an atom."""
        if name in self.arrays:
            last = max(self.arrays[name])
            return tuple(self.cell(name, i) for i in range(1, last + 1))
        if name in self.scalars:
            return self.scalars[name]
        if name in self.variables:
            raise NotCovered(f"{name}, which is read before it is assigned")
        if name not in self.atoms:
            raise NotCovered(f"the name {name}, which is neither a variable nor in any set")
        return name

    def cell(self, array: str, index: int) -> Value:
        cells = self.arrays.get(array, {})
        if index not in cells:
            raise NotCovered(f"{array}[{index}], which is read before it is assigned")
        return cells[index]

    def value(self, expr: ast.Expr) -> Value:
        """The value of an expression, a random one by choice where it is compared."""
        match expr:
            case ast.Number(value=number):
                return fraction(number)
            case ast.Name(name=name, primed=primed):
                return self.lookup(name + "'" * primed)
            case ast.Index(array=array, index=index, primed=primed):
                return self.cell(array + "'" * primed, as_index(self.value(index)))
            case ast.Eps():
                return Quotient(frozenset({(EPS, ONE)}), frozenset(constant(1).items()))
            case ast.Unary(op=ast.Op.NEG, operand=operand):
                return combine(ast.Op.MUL, -ONE, self.value(operand))
            case ast.Unary(operand=operand):
                return truth(not self.holds(operand))
            case ast.Binary():
                return self.chain(expr)
            case ast.Call(function=name, arguments=arguments):
                return self.call(name, [self.value(argument) for argument in arguments])
            case ast.Fold(kind=kind, variable=variable, low=low, high=high, body=body) if kind in GATHERED:
                return GATHERED[kind](self.each(variable, self.range(low, high), body))
            case ast.Fold(kind=kind):
                raise NotCovered(f"{kind} over a range")

    def chain(self, expr: ast.Binary) -> Value:
        """The value of operators, from the left to the right: a long sum is not nested."""
        links = [expr]
        while isinstance(left := links[-1].left, ast.Binary):
            links.append(left)
        result = self.value(left)
        for node in reversed(links):
            result = self.operated(node.op, result, node.right)
        return result

    def operated(self, op: ast.Op, left: Value, right: ast.Expr) -> Value:
        """The value of an operator whose left side is known; the right side is evaluated if it counts."""
        if op is ast.Op.AND:
            return truth(is_true(left) and self.holds(right))
        if op is ast.Op.OR:
            return truth(is_true(left) or self.holds(right))
        if op in COMPARISONS:
            return truth(self.compare(op, left, self.value(right)))
        return combine(op, left, self.value(right))

    def holds(self, expr: ast.Expr) -> bool:
        """Is the condition true?"""
        return is_true(self.value(expr))

    def compare(self, op: ast.Op, left: Value, right: Value) -> bool:
        if op in (ast.Op.EQ, ast.Op.NE):
            return self.equal(left, right) == (op is ast.Op.EQ)
        if op in (ast.Op.LT, ast.Op.LE):
            left, right = right, left
        difference = combine(ast.Op.SUB, left, right)
        return self.at_least_zero(difference, strict=op in (ast.Op.LT, ast.Op.GT))

    def equal(self, left: Value, right: Value) -> bool:
        if isinstance(left, Quotient | tuple) or isinstance(right, Quotient | tuple):
            raise NotCovered(f"a comparison of {described(left)} with {described(right)}")
        if not isinstance(left, Linear) and not isinstance(right, Linear):
            return left == right
        difference = combine(ast.Op.SUB, left, right)
        if not isinstance(difference, Linear):
            return difference == 0
        if not self.samples[difference.coefficients[0][0]].integer:
            return False  # different real random expressions are equal with probability 0
        return self.at_least_zero(difference, strict=False) and self.at_least_zero(
            scaled(difference, -ONE), strict=False
        )

    def call(self, name: str, arguments: list[Value]) -> Value:
        least, most = ARGUMENTS.get(name, (1, 0))
        if not least <= len(arguments) <= (len(arguments) if most is None else most):
            raise NotCovered(f"{name} of {len(arguments)} arguments")
        items = flat(arguments)
        match name:
            case "exp":
                return exponential_of(arguments[0])
            case "floor" | "ceil":
                rounded = math.floor if name == "floor" else math.ceil
                return Fraction(rounded(as_number(arguments[0])))
            case "mod":
                a, b = map(as_number, arguments)
                if not b:
                    raise NotCovered("a remainder modulo 0")
                return a % b
            case "abs":
                negated = combine(ast.Op.MUL, -ONE, arguments[0])
                return arguments[0] if self.at_least_zero(arguments[0], strict=False) else negated
            case "disc":
                x, *steps, last = items
                return next((step for step in steps if self.compare(ast.Op.LE, x, step)), last)
            case "sum" | "count":
                return GATHERED[name](items)
            case "max" | "min":
                return items[self.best(BETTER[name], items)]
            case "argmax" | "argmin":
                if not isinstance(arguments[0], tuple):
                    raise NotCovered(f"{name} of {described(arguments[0])}")
                return Fraction(self.best(BETTER[name], items) + 1)
        raise NotCovered(f"the function {name}")

    def best(self, better: ast.Op, items: list[Value]) -> int:
        """The place of the best item; the first one wins a tie."""
        best = 0
        for i in range(1, len(items)):
            if self.compare(better, items[i], items[best]):
                best = i
        return best

    def each(self, variable: str, items: Sequence[Plain], expr: ast.Expr) -> list[Value]:
        """The values of an expression, with a variable bound to each item in turn."""
        outer, results = self.scalars, []
        for item in items:
            self.scalars = {**outer, variable: item}
            results.append(self.value(expr))
        self.scalars = outer
        return results

    def range(self, low: ast.Expr, high: ast.Expr) -> list[Plain]:
        """The integers from low to high."""
        first, last = as_index(self.value(low)), as_index(self.value(high))
        return [Fraction(i) for i in range(first, last + 1)]

    def members(self, support: ast.Domain) -> list[Plain]:
        """The values in a finite set, each once."""
        if isinstance(support, ast.Range):
            return self.range(support.low, support.high)
        if not isinstance(support, ast.SetOf):
            raise NotCovered("the values of an infinite set")
        values = [self.value(member) for member in support.members]
        return list(dict.fromkeys(v if isinstance(v, str) else as_number(v) for v in values))

    # distributions

    def draw(self, source: ast.Distribution) -> Value:
        match source:
            case ast.Noise(kind=kind, rate=rate, mean=mean):
                noise, shift = self.noise(kind, self.value(self.rate(rate))), as_number(self.value(mean))
                return combine(ast.Op.ADD, noise, Fraction(as_index(shift)) if kind == "DLap" else shift)
            case ast.Choose(options=options):
                return self.pick([(self.value(value), self.value(chance)) for value, chance in options])
            case ast.Flip(probability=probability):
                p = self.value(probability)
                return self.pick([("true", p), ("false", combine(ast.Op.SUB, ONE, p))])
            case ast.Uniform(support=support):
                items = self.members(support)
                return self.pick([(item, Fraction(1, len(items))) for item in items])
            case ast.ExpMechanism(rate=rate, variable=variable, support=support, score=score):
                items = self.members(support)
                rate = self.rate(rate)
                rate_of(self.value(rate))
                exponent = ast.Binary(ast.Op.MUL, rate, score)
                weights = [exponential_of(value) for value in self.each(variable, items, exponent)]
                total = added(weights)
                chances = [combine(ast.Op.DIV, weight, total) for weight in weights]
                return self.pick(list(zip(items, chances, strict=True)))

    def rate(self, rate: ast.Expr) -> ast.Expr:
        """A rate r, or r*eps if the program never mentions eps."""
        return ast.Binary(ast.Op.MUL, rate, ast.Eps()) if self.unit else rate

    def noise(self, kind: str, rate: Value) -> Value:
        """Fresh centred noise of rate a*eps or a/eps."""
        a, inverse = rate_of(rate)
        self.samples.append(Sample(kind, a, inverse))
        return Linear(((len(self.samples) - 1, ONE),), ZERO)

    # statements

    def assign(self, target: ast.Name | ast.Index, value: Value) -> None:
        """Set a variable or a cell; an output takes values of its set only, at all times."""
        name = target.name if isinstance(target, ast.Name) else target.array
        if isinstance(value, Fraction | str) and value not in self.domains.get(name, (value,)):
            raise NotCovered(f"{name}, which is assigned a value outside its set")
        if isinstance(target, ast.Name):
            self.scalars[target.name] = value
        else:
            index = as_index(self.value(target.index))
            if not 1 <= index <= self.sizes.get(name, index):
                raise NotCovered(f"{name}[{index}], which is beyond the end")
            self.arrays.setdefault(name, {})[index] = value

    def block(self, statements: ast.Block) -> None:
        """Run the statements one by one."""
        for statement in statements:
            self.execute(statement)

    def execute(self, statement: ast.Statement) -> None:
        """Run one statement."""
        match statement:
            case ast.Assign(target=target, value=source):
                new = self.draw(source) if isinstance(source, ast.Distribution) else self.value(source)
                self.assign(target, new)
            case ast.If(branches=branches, otherwise=otherwise):
                self.block(next((block for condition, block in branches if self.holds(condition)), otherwise))
            case ast.For(variable=variable, low=low, high=high, body=body):
                if variable in self.scalars or variable in self.arrays:
                    raise NotCovered(f"the loop variable {variable}, which is a variable already")
                for i in self.range(low, high):
                    self.scalars[variable] = i
                    self.block(body)
                self.scalars.pop(variable, None)
            case ast.While():
                self.loop(statement)
            case ast.Exit():
                raise Stop

    # loops

    def moment(self) -> Moment:
        """Conditions that follow from others are left out, so that equal moments look equal."""
        arrays = {name: tuple(sorted(cells.items())) for name, cells in self.arrays.items()}
        return Moment(
            tuple(sorted(self.scalars.items())),
            tuple(sorted(arrays.items())),
            tuple(self.samples),
            without_implied(self.conditions, self.samples),
        )

    def at(self, moment: Moment) -> None:
        """Go on from a moment."""
        self.scalars = dict(moment.scalars)
        self.arrays = {name: dict(cells) for name, cells in moment.arrays}
        self.samples, self.conditions = list(moment.samples), set(moment.conditions)

    def loop(self, loop: ast.While) -> None:
        """A choice between the moments in which the loop ends."""
        now = self.moment()
        key = id(loop), now
        if key not in self.solved:
            self.solved[key] = list(exits(("round", now), partial(self.one_round, loop)).items())
        options = self.solved[key]
        (how, moment), mass = options[self.choose(len(options))]
        self.at(moment)
        self.mass = self.mass.times(mass)
        if how == "exit":
            raise Stop

    def one_round(self, loop: ast.While, before: AtLoop) -> dict[AtLoop, Mass] | None:
        """Where a round of the loop may lead, or None after the loop."""
        if before[0] != "round":
            return None
        runs = list(all_runs(partial(self.resumed, before[1]), partial(round_of, loop)))
        if any(len(run.samples) > len(before[1].samples) for _, run in runs):
            raise NotCovered("noise that is drawn inside a while loop")
        return totals(((how, run.moment()), run.mass) for how, run in runs)

    def resumed(self, moment: Moment, script: Sequence[int]) -> Run:
        run = replace(self, script=script, taken=[], mass=Mass())
        run.at(moment)
        return run


def rate_of(rate: Value) -> tuple[Fraction, bool]:
    """a, of a rate a*eps or a/eps with a > 0, and whether it is the latter."""
    numerator, denominator = as_pair(rate)
    if denominator == constant(1) and len(numerator) == 1:
        ((key, a),) = numerator.items()
        if key in (EPS, INVERSE) and a > 0:
            return a, key == INVERSE
    raise NotCovered("a rate that is neither a*eps nor a/eps")


def is_true(value: Value) -> bool:
    """The truth value of a Boolean; nothing else has one."""
    if value not in ("true", "false"):
        raise NotCovered(f"{described(value)} as a Boolean")
    return value == "true"


def added(items: Sequence[Value]) -> Value:
    """The sum."""
    zero: Value = ZERO
    return reduce(partial(combine, ast.Op.ADD), items, zero)


GATHERED: dict[str, Callable[[list[Value]], Value]] = {
    "forall": lambda items: truth(all(map(is_true, items))),
    "exists": lambda items: truth(any(map(is_true, items))),
    "count": lambda items: Fraction(sum(map(is_true, items))),
    "sum": added,
}


def round_of(loop: ast.While, run: Run) -> str:
    """Test the condition, and run the body once."""
    if not run.holds(loop.condition):
        return "after"
    run.block(loop.body)
    return "round"


def all_runs(begin: Callable[[Sequence[int]], Run], act: Callable[[Run], str]) -> Iterator[tuple[str, Run]]:
    """Every path once, with what ``act`` returns, or ``exit``: run, then turn the last choice that can be."""
    script: list[int] | None = []
    while script is not None:
        run = begin(script)
        how = "exit"
        with contextlib.suppress(Stop):
            how = act(run)
        yield how, run
        script = following(run.taken)


def following(taken: Sequence[tuple[int, int]]) -> list[int] | None:
    """The next script: the last choice that can be turned, is."""
    for i in reversed(range(len(taken))):
        pick, options = taken[i]
        if pick + 1 < options:
            return [*(other for other, _ in taken[:i]), pick + 1]
    return None
