"""Whether every step of a path means something, for every size and all inputs.

A :class:`Careful` path notes a *doubt* where an index may lie outside its array, a divisor may be 0, a value
may not be in the set of its output, and so on: all that :mod:`dipc.dipwhile.semantics` refuses for one size
and one input.  There is no doubt if the contrary contradicts what is known there:

- sizes are integers >= 1, and other parameters what they are computed from;
- the variable of a loop is an integer between its bounds;
- the conditions of the path, whose strict inequalities between integers are sharpened;
- of a variable that outlasts a cut, *habits*: bounds that hold wherever it is assigned.  All are assumed at
  first; one that fails at some assignment is dropped, and if it has been relied on, all paths are walked
  again.  In the end those that are left hold by induction over the steps of a run.

All but the sets of outputs is about public values: the method takes no others as indices, divisors, rates or
probabilities.  So runs on u and u' would fail together, and a doubt is not about privacy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain

from flint import fmpq

from dipc.claims.oracle import SignOracle
from dipc.dipwhile.allsizes.automaton import Edge
from dipc.dipwhile.allsizes.expressions import Dropped
from dipc.dipwhile.allsizes.feasible import Condition, contradictory, negations
from dipc.dipwhile.allsizes.flatten import Alike, Filled, Fresh, Operation, Round
from dipc.dipwhile.allsizes.paths import Path
from dipc.dipwhile.allsizes.system import END, START, Kept, Point, System
from dipc.dipwhile.allsizes.values import (
    ONE,
    ZERO,
    Datum,
    Linear,
    Pair,
    Symbol,
    Unknown,
    as_linear,
    symbols,
    total,
    unknown,
)
from dipc.dipwhile.semantics.evaluate import MOST_EXPONENT
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.core import Draw, Put
from dipc.dipwhile.syntax.distributions import NOISE
from dipc.dipwhile.syntax.kinds import Kinds, surely
from dipc.dipwhile.syntax.printer import show_expr
from dipc.dipwhile.syntax.unroll import substitute
from dipc.dipwhile.syntax.walk import nodes
from dipc.errors import InputError, LimitReached, Span, Unsupported
from dipc.models.values import FALSE, TRUE, Value
from dipc.numbers.quotient import Quotient
from dipc.signs.inequality import Holds

VALUE = Symbol("value", "")
"""What a habit is about."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """What may mean nothing for some size or input."""

    text: str
    span: Span | None


@dataclass
class Known:
    """What all paths of a program share: its declarations, what is known of names, the doubts so far."""

    system: System
    program: ast.Program
    kinds: Mapping[str, Kinds]
    oracle: SignOracle
    sizes: tuple[str, ...]  # integers >= 1
    facts: list[Condition] = field(default_factory=list)  # on parameters
    integers: set[Symbol] = field(default_factory=set)
    broken: set[tuple[str, Condition | None]] = field(default_factory=set)  # habits; None: to be an integer
    trusted: set[tuple[str, Condition | None]] = field(default_factory=set)
    doubts: dict[Doubt, None] = field(default_factory=dict)
    answers: dict[tuple[Condition, ...], bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.outputs = {declared.name: declared for declared in self.program.outputs}
        code = self.system.code
        self.loops = [(pc, o) for pc, o in enumerate(code) if isinstance(o, Round)]
        self.variables = {o.variable for o in code if isinstance(o, Round | Fresh)}
        for name in self.sizes:
            symbol = Symbol("public", name)
            self.integers.add(symbol)
            self.facts.append(Condition(unknown(symbol).plus(Linear((), ONE), -ONE)))
        self.largest: dict[str, fmpq] = {}
        for operation in code:
            match operation:
                case Put(ast.Index(array, ast.Number(k))) | Draw(ast.Index(array, ast.Number(k))):
                    self.largest[array] = max(self.largest.get(array, ZERO), k)
        self.habits = tuple(chain([None], map(Condition, self._bounds())))

    def _bounds(self) -> Iterator[Linear]:
        """Bounds that a variable may keep: 0, 1, sizes, and the ends of the sets of outputs."""
        lows, highs = {Linear(), Linear((), ONE)}, {unknown(Symbol("public", name)) for name in self.sizes}
        for declared in self.program.outputs:
            if isinstance(declared.domain, ast.SetOf | ast.Range):
                with suppress(InputError):
                    found = _numbers(declared.domain, self)
                    lows.add(Linear((), min(found)))
                    highs.add(Linear((), max(found)))
        for low in lows:
            yield unknown(VALUE).plus(low, -ONE)
        for high in highs:
            yield high.plus(unknown(VALUE), -ONE)

    def is_nonnegative(self, chance: Quotient) -> bool:
        """Whether a function of eps is surely >= 0 for every eps of the claim."""
        with suppress(InputError, LimitReached):
            return isinstance(self.oracle.nonnegative(chance), Holds)
        return False

    def contradictory(self, conditions: tuple[Condition, ...]) -> bool:
        """Whether conditions contradict each other; each question is answered once."""
        if conditions not in self.answers:
            self.answers[conditions] = contradictory(conditions)
        return self.answers[conditions]


def _numbers(domain: ast.SetOf | ast.Range, known: Known) -> list[fmpq]:
    """The numbers of a set that names no size.  Raises :class:`InputError`."""
    parts = domain.members if isinstance(domain, ast.SetOf) else (domain.low, domain.high)
    values = [known.system.declared.value(part, "a set") for part in parts]
    found = [value for value in values if isinstance(value, fmpq)]
    if not found:
        raise InputError("a set without numbers")
    return found


class Careful(Path):
    """A path that notes its doubts."""

    def __init__(self, known: Known, source: Point, script: Sequence[int], system: System) -> None:
        self.common = known
        self.about: dict[Symbol, tuple[Condition, ...]] = {}
        self.integers: set[Symbol] = set()
        self.doubts: dict[Doubt, None] = {}
        self.filled: set[tuple[str, Linear]] = set()  # cells that have been assigned
        self.maybe_atoms: set[Datum] = set()
        super().__init__(system, source, script)

    def doubt(self, text: str, span: Span) -> None:
        """Note a doubt."""
        self.doubts[Doubt(text, span)] = None

    # --- what is known ---------------------------------------------------------------------------

    def shows(self, value: Linear, *, strict: bool = False) -> bool:
        """Whether ``value >= 0`` (> 0) follows from what is known."""
        goal = Condition(value, strict)
        if goal.settled is not None:
            return goal.settled
        known = [*self.common.facts, *self.conditions, *chain.from_iterable(self.about.values())]
        (contrary,) = negations(goal)
        return self.common.contradictory(tuple(map(self.sharpened, linked(contrary, known))))

    def sharpened(self, condition: Condition) -> Condition:
        """``value >= 1`` for ``value > 0`` of an integer."""
        value = condition.value
        if condition.strict and not condition.equal and self.is_integer(value):
            return Condition(value.plus(Linear((), ONE), -ONE))
        return condition

    def is_integer(self, value: Linear) -> bool:
        """Whether a value is surely an integer."""
        whole = value.constant.q == 1 and all(c.q == 1 for _, c in value.terms)
        return whole and all(
            self.kinds[s.number] if s.kind == "sample" else s in self.integers | self.common.integers
            for s, _ in value.terms
        )

    def is_nonzero(self, value: Linear) -> bool:
        """Whether a value is surely not 0."""
        return self.shows(value, strict=True) or self.shows(value.times(-ONE), strict=True)

    def within(self, value: Linear, low: Linear, high: Linear) -> bool:
        """Whether a value surely lies between two others."""
        return self.shows(value.plus(low, -ONE)) and self.shows(high.plus(value, -ONE))

    def learn(self, value: Linear, low: Linear, high: Linear) -> None:
        """Know that an unknown is an integer between two bounds."""
        ((symbol, _),) = value.terms
        self.integers.add(symbol)
        self.about[symbol] = Condition(value.plus(low, -ONE)), Condition(high.plus(value, -ONE))

    # --- variables that outlast a cut ------------------------------------------------------------

    def _restored(self, name: str, kept: Kept) -> Datum:
        value = super()._restored(name, kept)
        number = as_linear(value)
        if number is not None and number.terms:
            ((symbol, _),) = number.terms
            declared = self.system.domains.get(name.partition("[")[0])
            if declared is not None and declared.integers:
                self.integers.add(symbol)
            if declared is None and not name.endswith("]"):
                # rely on the habits of a variable; those of an input or a cell are not watched
                habits = [h for h in self.common.habits if (name, h) not in self.common.broken]
                self.common.trusted |= {(name, habit) for habit in habits}
                if None in habits:
                    self.integers.add(symbol)
                held = [put_in(habit, unknown(symbol)) for habit in habits if habit is not None]
                self.about[symbol] = (*self.about.get(symbol, ()), *held)
        return value

    def keep_habits(self, name: str, value: Datum) -> None:
        """Drop the habits of a variable that a new value does not have."""
        number = as_linear(value)
        if number is not None:
            left = [h for h in self.common.habits if (name, h) not in self.common.broken]
            self.common.broken |= {(name, habit) for habit in left if not self.has(number, habit)}

    def has(self, value: Linear, habit: Condition | None) -> bool:
        """Whether a value surely has a habit."""
        if habit is None:
            return self.is_integer(value)
        return not value.random and self.shows(put_in(habit, value).value)

    # --- the way through the code ----------------------------------------------------------------

    def run(self) -> tuple[Edge, Point]:
        """The edge and where it ends; only then the doubts count."""
        # the bounds of the loops around the start of the path are known, outer loops first
        for loop in (loop for head, loop in self.common.loops if head < self.source.pc < loop.otherwise):
            symbol = Symbol("public", loop.variable, -1)  # of a variable that is not read from here on
            value = as_linear(self.values.setdefault(loop.variable, unknown(symbol)))
            if value is not None and len(value.terms) == 1:
                self.learn(value, self.number(loop.low), self.number(loop.high))
        found = super().run()
        self.common.doubts |= self.doubts
        return found

    def step(self, pc: int) -> int:
        """Execute one operation; the next one."""
        operation: Operation = self.system.code[pc]
        if isinstance(operation, Alike):
            try:
                self.alike(operation)
            except Unsupported as limit:
                self.doubt(limit.message, limit.span or operation.span)
        if isinstance(operation, Filled):  # an array that is read as a whole has cells, all with a value
            low, _ = self.nonempty(operation.low, operation.high, operation.span)
            if low.number != ONE:
                self.doubt(f"cells of `{operation.array}` may have no value", operation.span)
        if not isinstance(operation, Round | Fresh):
            return super().step(pc)
        ends = [self.bound(end) for end in (operation.low, operation.high)]
        after = super().step(pc)
        if isinstance(operation, Fresh) or self.taken[-1] == 0:
            value = self.values[operation.variable]
            self.learn(super().numeric(value, operation.low), *ends)
            self.keep_habits(operation.variable, value)
        return after

    def bound(self, expr: ast.Expr) -> Linear:
        """An end of a range of integers."""
        value = self.number(expr)
        if not self.is_integer(value):
            self.doubt(f"the bound `{show_expr(expr)}` may not be an integer", expr.span)
        return value

    def nonempty(self, low: ast.Expr, high: ast.Expr, span: Span) -> tuple[Linear, Linear]:
        """The ends of a range that must not be empty."""
        ends = self.bound(low), self.bound(high)
        if not self.shows(ends[1].plus(ends[0], -ONE)):
            self.doubt(f"the set `{show_expr(low)}..{show_expr(high)}` may be empty", span)
        return ends

    def alike(self, cells: Alike) -> None:
        """Try a round of a loop that draws the cells of an array, for its doubts."""
        scripts: list[tuple[int, ...]] = [()]
        code = cells.round
        if any(isinstance(o, Round) for o in code):
            raise Unsupported("a sum over all cells, for each cell")
        while scripts:
            probe = self.probe(replace(self.system, code=code, streams={}), scripts.pop())
            with suppress(Dropped):
                pc = 0
                while pc < len(code):
                    pc = probe.step(pc)
            scripts += probe.pending

    def probe(self, system: System, script: Sequence[int]) -> Careful:
        """A path that knows what this one does, to try something."""
        probe = Careful(self.common, Point(END), script, system)
        probe.values, probe.moves = dict(self.values), dict(self.moves)
        probe.conditions, probe.samples, probe.kinds = [*self.conditions], [*self.samples], [*self.kinds]
        probe.about, probe.integers = dict(self.about), set(self.integers)
        probe.doubts, probe.filled = self.doubts, set(self.filled)
        return probe

    # --- values ------------------------------------------------------------------------------------

    def numeric(self, value: Datum, expr: ast.Expr) -> Linear:
        """The value of an expression, as a number."""
        self.of_kind(value, expr, Kinds.NUMERIC, "a number")
        return super().numeric(value, expr)

    def is_true(self, value: Datum, expr: ast.Expr) -> bool:
        """The value of a Boolean on u."""
        self.boolean(value, expr)
        return super().is_true(value, expr)

    def compare(self, op: ast.Op, value: Linear, expr: ast.Expr) -> bool:
        """The outcome of a comparison; the one that is sure, so that no loop seems to end that never does."""
        if not value.random:
            strict = op is ast.Op.GT
            if self.shows(value, strict=strict):
                return True
            if self.shows(value.times(-ONE), strict=not strict):
                return False
        return super().compare(op, value, expr)

    def negated(self, value: Datum, operand: ast.Expr) -> Datum:
        """The other Boolean."""
        self.boolean(value, operand)
        return super().negated(value, operand)

    def boolean(self, value: Datum, expr: ast.Expr) -> None:
        """A condition is `true` or `false`."""
        self.of_kind(value, expr, Kinds.BOOLEAN, "a Boolean")
        if isinstance(value, Pair) and not {value.left, value.right} <= {TRUE, FALSE}:
            self.doubt(f"`{show_expr(expr)}` may not be a Boolean", expr.span)

    def of_kind(self, value: Datum, expr: ast.Expr, wanted: Kinds, name: str) -> None:
        """What is read is of a kind, even if nothing is known of its value."""
        match value, expr:
            case Unknown(), ast.Name(of) | ast.Index(of):
                kinds = self.common.kinds.get(of)
                if kinds is not None and not surely(kinds, wanted):
                    self.doubt(f"`{show_expr(expr)}` may not be {name}", expr.span)

    def label(self, name: str, cell: str, stream: object | None, symbol: Symbol, span: Span) -> Datum:
        """Choose how a cell differs."""
        if self.system.domains[name].integers:
            self.integers.add(symbol)
        return super().label(name, cell, stream, symbol, span)

    def opaque(self, name: str, values: Sequence[Linear], expr: ast.Expr) -> Datum:
        """A function of public numbers."""
        found = super().opaque(name, values, expr)
        last = values[-1]
        power = name == ast.Op.POW.value
        if power and not (
            last.number is not None and last.number.q == 1 and abs(last.number) <= MOST_EXPONENT
        ):
            self.doubt(f"the exponent of `{show_expr(expr)}` is not a known integer", expr.span)
        divisor = values[0] if power and (last.number or ZERO) < 0 else last
        if (name in (ast.Op.DIV.value, "mod") or divisor is not last) and not self.is_nonzero(divisor):
            self.doubt(f"`{show_expr(expr)}` may divide by zero", expr.span)
        number = as_linear(found)
        if name in ("floor", "ceil") and number is not None and number.terms:
            ((symbol, _),) = number.terms
            self.integers.add(symbol)
            change = number.plus(last, -ONE).times(-ONE if name == "floor" else ONE)
            less = Linear((), ONE).plus(change, -ONE)
            self.about[symbol] = Condition(change), Condition(less, strict=True)  # the nearest integer
        return found

    # --- cells and outputs -------------------------------------------------------------------------

    def index(self, expr: ast.Index) -> Linear:
        """The place of an element in its array."""
        index, size = super().index(expr), self.system.scope.bounds.get(expr.array)
        if not self.is_integer(index):
            self.doubt(f"the index of `{show_expr(expr)}` may not be an integer", expr.span)
        elif size is not None and not self.within(index, Linear((), ONE), self.constant(size)):
            self.doubt(f"`{show_expr(expr)}` may be outside its array", expr.span)
        return index

    def constant(self, expr: ast.Expr) -> Linear:
        """The value of a declared size, or of an end of a declared range."""
        return self.number(substitute(expr, self.system.constants))

    def read(self, name: str, span: Span) -> Datum:
        """The value of a scalar."""
        return self.noted(name, super().read(name, span))

    def noted(self, name: str, value: Datum) -> Datum:
        """The value; it is noted whether it may be no number."""
        if not surely(self.common.kinds.get(name, Kinds.NUMBER), Kinds.NUMERIC):
            self.maybe_atoms.add(value)
        return value

    def cell(self, expr: ast.Index) -> Datum:
        """The value of an element of an array, which must have one."""
        value, scope = self.noted(expr.array, super().cell(expr)), self.system.scope
        declared = self.common.outputs.get(expr.array)
        if isinstance(value, Unknown) and expr.array not in scope.inputs:
            started = declared is not None and declared.start is not None
            if not started and (expr.array, self.index(expr)) not in self.filled:
                self.doubt(f"`{show_expr(expr)}` may have no value here", expr.span)
        return value

    def assign(self, target: ast.Name | ast.Index, value: Datum) -> None:
        """Give a variable or a cell its value."""
        name = target.name if isinstance(target, ast.Name) else target.array
        if name in self.common.outputs:
            self.fits(self.common.outputs[name], value, target.span)
        elif isinstance(target, ast.Index):
            self.local(target)
        super().assign(target, value)
        if isinstance(target, ast.Name):
            self.keep_habits(name, value)
        else:
            self.filled.add((name, self.index(target)))

    def local(self, target: ast.Index) -> None:
        """A local array is as large as the largest constant index that is assigned."""
        index, one = self.index(target), Linear((), ONE)
        constants = self.system.scope.names | self.common.variables
        constant = all(
            isinstance(n, ast.Number | ast.Unary | ast.Binary)
            or (isinstance(n, ast.Name) and n.name in constants)
            for n in nodes(target.index)
        )
        largest = self.common.largest.get(target.array)
        if not constant and largest is None:
            self.doubt(f"the size of the array `{target.array}` may be unknown", target.span)
        high = index if largest is None or constant else Linear((), largest)
        if not self.within(index, one, high):
            self.doubt(f"`{show_expr(target)}` may be outside its array", target.span)

    def look_at(self, declared: ast.Declaration) -> None:
        """A declared array has cells, a declared range is not empty and has the start value."""
        if declared.size is not None:
            size, text = self.constant(declared.size), show_expr(declared.size)
            if not (self.is_integer(size) and self.shows(size.plus(Linear((), ONE), -ONE))):
                text = f"the size `{text}` of `{declared.name}` may not be an integer from 1 on"
                self.doubt(text, declared.size.span)
        if isinstance(declared.domain, ast.Range):
            constants = self.system.constants
            low, high = (substitute(end, constants) for end in (declared.domain.low, declared.domain.high))
            self.nonempty(low, high, declared.domain.span)
        if declared.start is not None:
            self.fits(declared, self.start(declared.start), declared.start.span)

    def fits(self, output: ast.Declaration, value: Datum, span: Span) -> None:
        """What is assigned to an output is in its set."""
        if not self.belongs(output, value):
            self.doubt(f"the value may not be in the set of the output `{output.name}`", span)

    def belongs(self, output: ast.Declaration, value: Datum) -> bool:
        """Whether a value is surely in the set of an output."""
        number = as_linear(value)
        match output.domain:
            case ast.SetOf():
                values = self.system.declared.members(output.domain, f"the set of `{output.name}`")
                return self.among(value, {*values})
            case ast.Range(low, high):
                ends = self.constant(low), self.constant(high)
                return number is not None and self.is_integer(number) and self.within(number, *ends)
            case ast.Between(low, high) if number is not None:
                return self.within(number, self.constant(low), self.constant(high))
            case ast.Integers() if number is not None:
                return self.is_integer(number)
        if isinstance(value, Unknown):
            return value not in self.maybe_atoms
        return number is not None or (output.start is not None and value == self.start(output.start))

    def start(self, expr: ast.Expr) -> Datum:
        """A start value, in terms of the sizes; the variables of the path are not in it."""
        return Careful(self.common, Point(START), (), self.system).evaluate(
            substitute(expr, self.system.constants)
        )

    def among(self, value: Datum, values: Set[Value]) -> bool:
        """Whether a value is surely one of a list."""
        if isinstance(value, Pair):
            return {value.left, value.right} <= values
        number, numbers = as_linear(value), sorted(v for v in values if isinstance(v, fmpq))
        if number is None or not numbers:
            return False
        if number.number is not None:
            return number.number in values
        low, high = numbers[0], numbers[-1]
        consecutive = numbers == [low + k for k in range(len(numbers))] and self.is_integer(number)
        return consecutive and low.q == 1 and self.within(number, Linear((), low), Linear((), high))

    # --- draws -------------------------------------------------------------------------------------

    def noise(self, kind: str, rate: ast.Expr, mean: Linear, target: str, span: Span) -> Datum:
        """A sample."""
        if NOISE[kind].integer and not self.is_integer(mean):
            self.doubt(f"the mean of `{kind}` may not be an integer", span)
        return super().noise(kind, rate, mean, target, span)

    def finite(self, options: Sequence[tuple[Datum, ast.Expr]], target: str, span: Span) -> Datum:
        """A draw from a finite set; what has the probability 0 is not drawn."""
        value = super().finite(options, target, span)
        if not all(self.is_public(other) for other, _ in options):
            options = [(value, p) for _, p in options]  # the method has looked at what may be drawn
        try:
            chances = [self.chance(p) for _, p in options]
        except Unsupported:
            self.proportions([p for _, p in options], span)
            return value
        wrong = [p for (_, p), c in zip(options, chances, strict=True) if not self.common.is_nonnegative(c)]
        for p in wrong:
            self.doubt(f"the probability `{show_expr(p)}` may be outside of [0, 1]", span)
        if sum(chances, Quotient.of(0)) != Quotient.one():
            self.doubt("the probabilities may not sum to 1", span)
        elif not wrong and not any(chances[k] for k, (other, _) in enumerate(options) if other == value):
            raise Dropped
        return value

    def proportions(self, exprs: Sequence[ast.Expr], span: Span) -> None:
        """Probabilities that are functions of public numbers."""
        if any(isinstance(node, ast.Eps) for p in exprs for node in nodes(p)):
            self.doubt("the probabilities may be outside of [0, 1]", span)
            return
        numbers = [self.number(p) for p in exprs]
        if total(numbers) != Linear((), ONE):
            self.doubt("the probabilities may not sum to 1", span)
        for p, number in zip(exprs, numbers, strict=True):
            if not self.shows(number):
                self.doubt(f"the probability `{show_expr(p)}` may be outside of [0, 1]", span)

    def members(self, support: ast.FiniteSet, span: Span) -> list[ast.Expr]:
        """The members of a set as expressions."""
        if isinstance(support, ast.Range):
            self.nonempty(support.low, support.high, span)
        return super().members(support, span)

    def exponential(self, draw: ast.ExpMechanism, target: str, span: Span) -> Datum:
        """The exponential mechanism; what it draws is between the ends of a range."""
        if not isinstance(draw.support, ast.Range):
            return super().exponential(draw, target, span)
        ends = self.nonempty(draw.support.low, draw.support.high, span)
        self.learn(unknown(Symbol("public", draw.variable)), *ends)
        value = super().exponential(draw, target, span)
        self.about.pop(Symbol("public", draw.variable))
        if isinstance(value, Unknown):
            self.learn(self.numeric(value, draw.rate), *ends)
        return value


def put_in(habit: Condition, value: Linear) -> Condition:
    """The habit of this value."""
    factor = dict(habit.value.terms)[VALUE]
    rest = habit.value.plus(unknown(VALUE), -factor)
    return replace(habit, value=rest.plus(value, factor))


def linked(goal: Condition, conditions: Iterable[Condition]) -> list[Condition]:
    """A condition, and those that share symbols with it, directly or through others."""
    found, left = [goal], list(dict.fromkeys(conditions))
    reached: set[Symbol] = set()
    while (now := symbols(c.value for c in found)) != reached:
        reached = now
        found += [c for c in left if symbols([c.value]) & reached]
        left = [c for c in left if not symbols([c.value]) & reached]
    return found
