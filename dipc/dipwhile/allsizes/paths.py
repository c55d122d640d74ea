"""One path of a program between two cuts, executed for a pair of runs: the edges of the automaton.

A path is deterministic but for its choices (outcomes of comparisons, labels of cells, values of finite
draws), which are read off a script; a choice beyond the script takes the first possibility and notes the
others, so that the builder enumerates all paths by replaying scripts.

**A run that fails is an outcome**: that it fails, with the outputs so far.  Where a step may fail, a path
ends there, with the outputs published (:meth:`Path.may_fail`).  What decides whether it fails is the same in
both runs, construct by construct:

- an index outside its array or no integer, a cell without a value, a divisor 0, an exponent, the bounds of a
  loop, an empty range: of public numbers, the method takes no others;
- probabilities and rates: functions of eps and of public values;
- a value of another kind (a name for a number): names are public, or differ in the two runs, and then no
  shift is found;
- a value outside the set of its output: shown to be inside, or required to be the same in both runs, when it
  is assigned, whatever overwrites it later;
- the mean of integer noise: shown to be an integer, or public, or refused;
- an output without a value at the end: the path says so, and both runs take it.

A run that never ends is an outcome, too, and shows nothing else: all its finite parts keep the bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NoReturn, TypeGuard, assert_never

from flint import fmpq

from dipc.claims.oracle import SignOracle
from dipc.dipwhile.allsizes.automaton import Choice, Edge, Exponential, Form, Guard, Sample, Step
from dipc.dipwhile.allsizes.feasible import Condition, consequences, contradictory
from dipc.dipwhile.allsizes.known import Known
from dipc.dipwhile.allsizes.system import END, START, Point, System
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
    form,
    number,
    replaced,
    shown,
    symbols,
    total,
    unknown,
)
from dipc.dipwhile.semantics.evaluate import MOST_EXPONENT, NOTHING, function_of_eps, never
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.core import (
    Assume,
    Cut,
    Draw,
    Either,
    Enter,
    Halt,
    Jump,
    Pick,
    Put,
    Round,
    Test,
)
from dipc.dipwhile.syntax.distributions import NOISE
from dipc.dipwhile.syntax.printer import show_expr
from dipc.dipwhile.syntax.unroll import substitute
from dipc.dipwhile.syntax.walk import joined, nodes
from dipc.errors import InputError, LimitReached, Span, Unsupported
from dipc.models.values import FALSE, TRUE, Atom, show, truth
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Holds

IMPOSSIBLE = Guard(Form((), -ONE))
"""The guard of a path that the run on u' cannot take."""

MOST_FACTS = 8
MOST_ORDERED = 6
"""Of how many live variables the order is followed."""

SIMPLE = [fmpq(p, q) for q in (1, 2, 3, 4) for p in range(1, 4 * q + 1)]
"""Costs that are tried besides those that the exponents suggest."""

FAMILY_HINT = (
    "over all cells, only `sum` of inputs and `max`, `min`, `argmax`, `argmin` of equal draws are known"
)
FINITE_HINT = (
    "inputs with names, such as `{yes, no}` or `{true, false}`, may select a probability;"
    " numbers and their sums may not"
)


def cost_of(draw: tuple[Quotient, Quotient, EpsRange]) -> fmpq | None:
    """What a finite draw costs: a w with ``left <= exp(w*eps) right`` for every eps of a range.

    The least that is found and proved, None if there is none: only then is the claim in doubt.

    >>> flip = Quotient(ExpPoly.exp(1)) / (1 + Quotient(ExpPoly.exp(1)))
    >>> cost_of((flip, 1 - flip, EpsRange.positive()))
    1
    """
    left, right, budgets = draw
    exponents = {t.rate for f in (left, right) for p in (f.numerator, f.denominator) for t in p.terms()}
    steps = {abs(a - b) for a in exponents for b in exponents}
    judge = SignOracle(budgets)
    for cost in sorted({fmpq(0), *steps, *SIMPLE}):
        if isinstance(judge.nonnegative(Quotient(ExpPoly.exp(cost)) * right - left), Holds):
            return cost
    return None


class Dropped(Exception):
    """The conditions of the path contradict each other."""


class Failed(Exception):
    """The run fails here, on both inputs."""


class Path:
    """One path from a place."""

    def __init__(self, system: System, source: Point, script: Sequence[int]) -> None:
        self.system, self.source, self.script = system, source, script
        self.pc = source.pc
        self.taken: list[int] = []
        self.pending: list[tuple[int, ...]] = []
        self.values = dict(source.kept)
        self.moves = {Symbol("private", name): by for name, by in source.moves}
        self.phases = dict(source.phases)
        self.direction = source.direction
        self.cells: dict[object, Datum] = {}
        self.labels: dict[str, Datum] = {}  # by cell, a number or a pair
        self.round = False  # whether the path is a round of a loop
        self.samples: list[Sample] = []
        self.kinds: list[bool] = []  # which samples are integers
        self.conditions = list(source.facts)
        self.known = Known(system, self.conditions, self.kinds)
        self.guards: dict[Guard, None] = {}
        self.cost, self.choices = ZERO, list[Choice | Exponential]()
        self.outputs: dict[object, tuple[str, Datum, Span]] = {}
        self.public: set[str] = set()
        self.count = 0  # of unknowns, to tell them apart
        self.vague = False  # it is not certain that the path can be taken
        self.shown = False  # what it reads has to be the same in both runs: the program need not ask for that
        self.steps: list[Step] = []
        self.decisions: list[str] = []
        for name in sorted(dict(source.moves).keys() & system.ranges.keys()):
            self.known.learn(unknown(Symbol("private", name)), *map(self.constant, system.ranges[name]))

    # --- the way through the code ------------------------------------------------------------------

    def run(self) -> tuple[Edge, Point]:
        """The edge (its places are not numbered yet) and where it ends."""
        try:
            return self.arrive(self.way())
        except Failed:
            return self.arrive(END)

    def way(self) -> int:
        """Execute everything up to the next cut."""
        for loop in self.system.loops_around(self.pc):
            # a variable that is not read from here on may be in the bounds of an inner loop
            self.values.setdefault(loop.variable, unknown(Symbol("public", loop.variable, -1)))
            self.know_bounds(loop)
        if len(self.system.adjacency.directions) > 1 and self.pc == START:
            self.direction = self.system.adjacency.directions[self.choose(2)]
            self.steps.append(Step("label", f"all cells go {self.direction}", self.system.adjacency.span))
        self.pc = 0 if self.pc == START else self.step(self.pc)
        while self.pc != END and not self.system.is_cut(self.pc):
            self.pc = self.step(self.pc)
        return self.pc

    def step(self, pc: int) -> int:
        """Execute one operation; the next one."""
        operation = self.system.code[pc]
        match operation:
            case Put(target, value):
                self.assign(target, self.evaluate(value))
            case Draw(target, distribution, span):
                self.assign(target, self.draw(distribution, show_expr(target), span))
            case Test(condition, otherwise):
                return pc + 1 if self.condition(condition) else otherwise
            case Jump(to):
                return to
            case Halt():
                return END
            case Pick(_, site, low, high, required, span=span):
                if required:
                    self.nonempty(low, high, span)
                if site:
                    self.fresh(operation)
            case Round(variable, otherwise=otherwise, span=span):
                another = self.choose(2) == 0
                self.decide("test", "another round" if another else f"`for {variable}` ends", span)
                self.round = another
                if not another:
                    return otherwise
                self.fresh(operation)
            case Either(otherwise, text, other, span):
                first = self.choose(2) == 0
                self.decide("test", text if first else other, span)
                return pc + 1 if first else otherwise
            case Assume(condition):
                self.assume(condition)
            case Enter(site):  # the loop reads its cells again: another phase
                for streams in self.system.streams.values():
                    for stream, group in streams.items():
                        if isinstance(stream, tuple) and stream[0] == site:
                            self.phases.pop(group, None)
            case Cut():
                pass
            case _:
                assert_never(operation)
        return pc + 1

    def fresh(self, loop: Round | Pick) -> None:
        """A new round: its cells have not been read."""
        self.cells = {key: cell for key, cell in self.cells.items() if key[0] != loop.site}  # type: ignore[index]
        self.values[loop.variable] = unknown(Symbol("public", loop.variable, loop.site))
        self.know_bounds(loop)

    def know_bounds(self, loop: Round | Pick) -> None:
        """The variable of a loop is between its bounds, which are integers or the loop fails."""
        ends = self.bound(loop.low), self.bound(loop.high)
        value = as_linear(self.values[loop.variable])
        if value is not None and len(value.terms) == 1:
            self.known.learn(value, *ends)
            if loop.low == ast.Number(ONE):
                self.known.counts[value] = loop.high

    def assume(self, condition: ast.Binary) -> None:
        """Read a condition weakly: ``>=`` stands for ``>`` as well."""
        weak = {ast.Op.GT: ast.Op.GE, ast.Op.LT: ast.Op.LE}
        condition = replace(condition, op=weak.get(condition.op, condition.op))
        margin = self.difference(condition.left, condition.right, condition.span)
        self.require(margin if condition.op is ast.Op.GE else margin.times(-ONE))
        self.steps.append(Step("test", show_expr(condition), condition.span))

    def assign(self, target: ast.Name | ast.Index, value: Datum) -> None:
        """Give a variable or a cell its value; what an output gets is published when the path ends."""
        text = show_expr(target)
        if isinstance(target, ast.Name):
            self.fits(target.name, value, target.span)
            self.values[target.name] = value
            if target.name in self.system.scalars:
                self.outputs[target.name] = (text, value, target.span)
            return
        array, index = target.array, self.index(target)
        self.fits(array, value, target.span)
        if array in self.system.outputs:
            self.outputs[array, index] = (text, value, target.span)
        elif array not in self.system.scope.inputs:
            self.grows(target, index)
        if index.number is not None:
            self.values[f"{array}[{index.number}]"] = value
            return
        if array not in self.system.outputs and not self.is_public(value):
            hint = "only `max`, `min`, `argmax` and `argmin` of such an array are known"
            raise Unsupported(f"private or random values are kept in `{array}`", target.span, hint)
        self.forget(target)
        self.public.add(array)

    def forget(self, target: ast.Index) -> None:
        """A cell of an unknown index is overwritten: each of those that are known may be it."""
        array, output = target.array, target.array in self.system.outputs
        if output:
            self.show(array)
        for name, value in self.values.items():
            if name.startswith(f"{array}["):
                if not output and not self.is_public(value):
                    raise Unsupported(f"`{show_expr(target)}` may be `{name}`, which is private", target.span)
                self.values[name] = self.unknown(name)

    # --- the end of the path -------------------------------------------------------------------

    def arrive(self, pc: int) -> tuple[Edge, Point]:
        """Publish the outputs; the edge, and the point where the path ends."""
        self.publish(pc)
        live = self.system.live[pc] if pc != END else frozenset()
        kept = {name: value for name, value in self.values.items() if self.lasts(name, value, live, pc)}
        names: dict[Linear, str] = {}
        for name, value in sorted(kept.items()):
            if isinstance(value, Linear) and value.random:
                names.setdefault(value, name)
        more = bool({name.partition("[")[0] for name in live} & self.system.scope.inputs)
        point = Point(
            pc,
            tuple((name, self._kept(name, value, names)) for name, value in sorted(kept.items())),
            tuple((n, form(v, self.moves).constant) for n, v in sorted(kept.items()) if _is_private(v)),
            tuple(sorted(self.phases.items())) if more else (),
            self.direction if more else "",
            self.facts(names),
        )
        edge = Edge(
            0,
            0,
            tuple(self.samples),
            (IMPOSSIBLE,) if IMPOSSIBLE in self.guards else tuple(self.guards),
            tuple(sorted((name, form(value, self.moves)) for value, name in names.items())),
            self.cost,
            tuple(self.choices),
            tuple(self.decisions),
            tuple(self.steps),
        )
        return edge, point

    def lasts(self, name: str, value: Datum, live: frozenset[str], pc: int) -> bool:
        """Whether a variable is needed after the cut: it is read, or an output that is not public yet."""
        if name in live or name.partition("[")[0] in live:
            return True
        return pc != END and name in self.system.scalars and not self.is_public(value)

    def _kept(self, name: str, value: Datum, names: Mapping[Linear, str]) -> Datum:
        match value:
            case Unknown():
                return replace(value, name=name)
            case Linear() if value.terms:
                return unknown(Symbol("live", names[value]) if value.random else Symbol("private", name))
            case _:
                return value

    def publish(self, pc: int) -> None:
        """What the outputs show must be the same in both runs."""
        if pc == END:
            for name in sorted(self.system.scalars & self.values.keys()):
                self.outputs.setdefault(name, (name, self.values[name], self.system.adjacency.span))
        for key, (text, value, span) in self.outputs.items():
            self.steps.append(Step("output", f"{text} = {shown(value)}", span))
            if not isinstance(key, str) or pc == END:
                self.same(value)

    def facts(self, names: Mapping[Linear, str]) -> tuple[Condition, ...]:
        """What the path says about the order of the live variables."""
        if not 0 < len(names) <= MOST_ORDERED or not self.conditions:
            return ()
        targets = {name: Symbol("target", name) for name in names.values()}
        defined = [
            Condition(value.plus(unknown(targets[name]), -ONE), equal=True) for value, name in names.items()
        ]
        found = consequences([*self.conditions, *defined], set(targets.values()), MOST_FACTS)
        back = {symbol: unknown(Symbol("live", name)) for name, symbol in targets.items()}
        return tuple(replace(fact, value=replaced(fact.value, back)) for fact in found)

    @property
    def published(self) -> dict[str, Datum]:
        """What the outputs get."""
        return {text: value for text, value, _ in self.outputs.values()}

    # --- choices and conditions ------------------------------------------------------------------

    def choose(self, count: int) -> int:
        """One of ``count`` possibilities."""
        place = len(self.taken)
        if place < len(self.script):
            pick = self.script[place]
        else:
            pick = 0
            self.pending.extend((*self.taken, other) for other in range(1, count))
        self.taken.append(pick)
        return pick

    def decide(self, kind: str, text: str, span: Span) -> None:
        """Note a decision that the path stands for."""
        self.decisions.append(text)
        self.steps.append(Step(kind, text, span))

    def unknown(self, name: str) -> Unknown:
        """A value that nothing is known of, not even that it equals another one."""
        self.count += 1
        return Unknown(f"{name}#{self.count}")

    def require(
        self, value: Linear, *, strict: bool = False, equal: bool = False, public: bool = False
    ) -> None:
        """The path has ``value >= 0`` (> 0, = 0).  Raises :class:`Dropped` if that contradicts the rest."""
        condition = Condition(value, strict, equal)
        known = symbols(c.value for c in self.conditions)
        if condition.settled is None:
            self.conditions.append(condition)
        bound = bool(value.terms) and symbols([value]) <= known  # else some symbol is free to satisfy it
        if condition.settled is False or (bound and contradictory(self.conditions)):
            raise Dropped
        if not public:
            self.guard(value, equal)

    def guard(self, value: Linear, equal: bool) -> None:
        """The shift has to keep a condition."""
        change = form(value, self.moves)
        if change.terms:
            self.guards[Guard(change, equal)] = None
        elif change.constant < 0 or (equal and change.constant):
            self.guards[IMPOSSIBLE] = None

    def is_public(self, value: Datum) -> bool:
        """Whether both runs have the same."""
        match value:
            case Pair():
                return value.public
            case Linear():
                return not value.random and not form(value, self.moves).constant
            case Unknown():
                return True
            case _:
                assert_never(value)

    def show(self, array: str) -> None:
        """Cells of an output are read, or maybe overwritten: they are the same in both runs."""
        self.shown = True
        for key, (_, value, _) in self.outputs.items():
            if isinstance(key, tuple) and key[0] == array:
                self.same(value)

    def same(self, value: Datum) -> None:
        """The shift has to keep a value."""
        if self.is_public(value):
            return
        if isinstance(value, Linear):
            self.guard(value, equal=True)
        else:
            self.guards[IMPOSSIBLE] = None

    # --- what may fail -----------------------------------------------------------------------------

    def may_fail(self, text: str, span: Span) -> None:
        """The run may fail here; what decides it is the same in both runs.

        Where draws have been moved, the outputs so far are not those of the run that fails.
        """
        if self.system.is_moved(self.pc):
            raise Unsupported(f"{text}, among draws that are looked at in another order", span)
        self.vague = True
        if self.choose(2):
            self.fail(text, span)

    def fail(self, text: str, span: Span) -> NoReturn:
        """The run fails here."""
        self.decide("test", f"the run fails: {text}", span)
        raise Failed

    def bound(self, expr: ast.Expr) -> Linear:
        """An end of a range of integers."""
        value = self.number(expr)
        if not self.known.is_integer(value):
            self.may_fail(f"the bound `{show_expr(expr)}` is not an integer", expr.span)
        return value

    def nonempty(self, low: ast.Expr, high: ast.Expr, span: Span) -> tuple[Linear, Linear]:
        """The ends of a range that must not be empty."""
        ends = self.bound(low), self.bound(high)
        if not self.known.shows(ends[1].plus(ends[0], -ONE)):
            self.may_fail(f"the set `{show_expr(low)}..{show_expr(high)}` is empty", span)
        return ends

    def grows(self, target: ast.Index, index: Linear) -> None:
        """A local array is as large as the largest constant index that is assigned."""
        constant = all(
            isinstance(n, ast.Number | ast.Unary | ast.Binary)
            or (isinstance(n, ast.Name) and n.name in self.system.scope.names | self.system.loop_variables)
            for n in nodes(target.index)
        )
        if not constant or not self.known.shows(index.plus(number(ONE), -ONE)):
            self.may_fail(f"`{show_expr(target)}` is outside its array", target.span)

    def fits(self, name: str, value: Datum, span: Span) -> None:
        """What is assigned to an output is in its set, or the run fails: on both inputs, at once."""
        output = self.system.outputs.get(name)
        if output is None or self.belongs(output, value):
            return
        text = f"the value is not in the set of the output `{name}`"
        self.system.outside.add(name)
        if not self.is_public(value):
            self.shown = True
            doubt = f"whether the value is in the set of the output `{name}` may depend on private values"
            self.system.doubts[doubt, span] = None
            self.same(value)
        self.may_fail(text, span)

    def belongs(self, output: ast.Declaration, value: Datum) -> bool:
        """Whether a value is surely in the set of an output."""
        declared, found = self.system.declared, as_linear(value)
        if not declared.fixed(output.domain) and not isinstance(output.domain, ast.Range):
            return False
        match output.domain:
            case ast.SetOf():
                with suppress(InputError):  # at this size there is no program
                    members = declared.members(output.domain, f"the set of `{output.name}`")
                    return self.among(value, {*members})
                return False
            case ast.Range(low, high):
                ends = self.constant(low), self.constant(high)
                return found is not None and self.known.is_integer(found) and self.known.within(found, *ends)
            case ast.Between() if found is not None:
                interval = declared.interval(output.domain, f"the interval of `{output.name}`")
                return self.known.within(found, *map(number, interval))
            case ast.Integers() if found is not None:
                return self.known.is_integer(found)
        if isinstance(value, Unknown):
            return value.numeric
        started = output.start is not None and value == self.start(output.start)
        return found is not None or started

    def start(self, expr: ast.Expr) -> Datum:
        """A start value, in terms of the sizes; the variables of the path are not in it."""
        return Path(self.system, Point(START), ()).evaluate(substitute(expr, self.system.constants))

    def among(self, value: Datum, values: set[object]) -> bool:
        """Whether a value is surely one of a list."""
        if isinstance(value, Pair):
            return {value.left, value.right} <= values
        found, numbers = as_linear(value), sorted(v for v in values if isinstance(v, fmpq))
        if found is None or not numbers:
            return False
        if found.number is not None:
            return found.number in values
        low, high = numbers[0], numbers[-1]
        consecutive = numbers == [low + k for k in range(len(numbers))] and self.known.is_integer(found)
        return consecutive and low.q == 1 and self.known.within(found, number(low), number(high))

    # --- reading -------------------------------------------------------------------------------

    def read(self, name: str, span: Span) -> Datum:
        """The value of a scalar."""
        system = self.system
        if name in self.values:
            return self.values[name]
        if name in system.scope.inputs:
            return self.keep(name, name, span)
        if name in system.starts:
            return system.starts[name]
        if name in system.scope.names:
            return unknown(Symbol("public", name))
        if name not in system.variables:
            return datum(Atom(name))
        raise Unsupported(f"`{name}` may have no value here", span)

    def constant(self, expr: ast.Expr) -> Linear:
        """The value of a declared size, or of an end of a declared range."""
        return self.number(substitute(expr, self.system.constants))

    def cell(self, expr: ast.Index) -> Datum:
        """The value of an element of an array."""
        array, index = expr.array, self.index(expr)
        if index.number is not None:
            name = f"{array}[{index.number}]"
            if name in self.values:
                return self.values[name]
            if array in self.system.scope.inputs:
                return self.keep(array, name, expr.span)
        elif array in self.system.scope.inputs:
            return self.stream(array, index, expr)
        stored = [v for name, v in self.values.items() if name.startswith(f"{array}[")]
        output = self.system.outputs.get(array)
        if output is not None:
            self.show(array)  # what is read may be overwritten before the path ends
        elif array not in self.public or not all(map(self.is_public, stored)):
            raise Unsupported(f"`{show_expr(expr)}` is kept over several loops", expr.span, FAMILY_HINT)
        if output is None or output.start is None:
            self.may_fail(f"`{show_expr(expr)}` has no value here", expr.span)
        return replace(self.unknown(array), numeric=array in self.system.numeric)

    def index(self, expr: ast.Index) -> Linear:
        """The place of an element in its array, the same in both runs."""
        index, text = self.number(expr.index), show_expr(expr)
        if not self.is_public(index):
            raise Unsupported(f"the index of `{text}` depends on private values", expr.index.span)
        size = self.system.lengths.get(expr.array)
        if size is not None and (index.number == 1 or self.known.counts.get(index) == size):
            return index  # the first cell, or one for each round of a loop over all
        if not self.known.is_integer(index):
            self.may_fail(f"the index of `{text}` is not an integer", expr.span)
        elif size is not None and not self.known.within(index, number(ONE), self.number(size)):
            self.may_fail(f"`{text}` is outside its array", expr.span)
        return index

    def keep(self, name: str, cell: str, span: Span) -> Datum:
        """Read a scalar input or a cell with a constant index, and remember it."""
        self.values[cell] = value = self.label(name, cell, ("cells",), Symbol("private", cell), span)
        return value

    def stream(self, array: str, index: Linear, expr: ast.Index) -> Datum:
        """Read a cell of an input whose index is not known."""
        text = show_expr(expr)
        (symbol, _), *more = index.terms
        site = None if more else symbol.number or None
        key: object = (site, array, index)
        if key not in self.cells:
            place = Symbol("private", self.unknown(text).name)
            self.cells[key] = self.label(array, text, None if site is None else key, place, expr.span)
        return self.cells[key]

    def label(self, name: str, cell: str, stream: object | None, symbol: Symbol, span: Span) -> Datum:
        """Choose how a cell differs."""
        system = self.system
        full = system.adjacency.full
        group = system.group(name, stream) if stream is not None and full is not None else None
        left = full if group is None else self.phases.get(group, full)
        options = system.adjacency.labels(name, system.domains[name], left, self.direction)
        label, after = options[self.choose(len(options))]
        if group is not None and after is not None and after != full:
            self.phases[group] = after
        text = shown(label) if isinstance(label, Pair) else show(label)
        verb = "is" if isinstance(label, Pair) else "changes by"
        self.steps.append(Step("label", f"{cell} {verb} {text}", span, text))
        self.labels[cell] = label if isinstance(label, Pair) else number(label)
        if isinstance(label, Pair):
            return label
        self.moves[symbol] = label
        return unknown(symbol)

    # --- expressions ---------------------------------------------------------------------------

    def evaluate(self, expr: ast.Expr) -> Datum:
        """The value of an expression."""
        match expr:
            case ast.Number(value):
                return number(value)
            case ast.Name(name):
                return self.read(name, expr.span)
            case ast.Index():
                return self.cell(expr)
            case ast.Unary(ast.Op.NEG, operand):
                return self.number(operand).times(-ONE)
            case ast.Unary(_, operand):
                return self.negated(self.evaluate(operand), operand)
            case ast.Binary(op) if op in ast.ARITHMETIC:
                return self.chain(expr)
            case ast.Binary():
                return datum(truth(self.condition(expr)))
            case ast.Call(function, arguments):
                return self.call(function, arguments, expr)
            case ast.Fold(kind):
                raise Unsupported(f"`{kind}` over a range of any size", expr.span, FAMILY_HINT)
            case ast.Eps():
                raise Unsupported("`eps` is a part of a value", expr.span)
            case _:
                assert_never(expr)

    def number(self, expr: ast.Expr) -> Linear:
        """The value of a numeric expression."""
        return self.numeric(self.evaluate(expr), expr)

    def numeric(self, value: Datum, expr: ast.Expr) -> Linear:
        """The value of an expression, as a number."""
        found = as_linear(value)
        if found is None:
            raise Unsupported("a number is needed here", expr.span)
        if isinstance(value, Unknown) and not value.numeric:
            self.may_fail(f"`{show_expr(expr)}` is not a number", expr.span)
        return found

    def chain(self, expr: ast.Binary) -> Datum:
        """The value of arithmetic; a long sum leans left."""
        first, links = expr.spine(ast.ARITHMETIC)
        value = self.evaluate(first)
        for node in links:
            value = self.arithmetic(node.op, self.numeric(value, node.left), self.number(node.right), node)
        return value

    def negated(self, value: Datum, operand: ast.Expr) -> Datum:
        """The other Boolean."""
        if isinstance(value, Pair):
            self.boolean(value, operand)
            return Pair(*(truth(side != TRUE) for side in (value.left, value.right)))
        return datum(truth(not self.is_true(value, operand)))

    def arithmetic(self, op: ast.Op, left: Linear, right: Linear, expr: ast.Expr) -> Datum:
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
        return self.opaque(op.value, (left, right), expr)

    def opaque(self, name: str, values: Sequence[Linear], expr: ast.Expr) -> Datum:
        """A function of public numbers: a number if they are known, else the same unknown in both runs."""
        if not all(map(self.is_public, values)):
            raise Unsupported(f"`{show_expr(expr)}` is not linear in private or random values", expr.span)
        self.is_defined(name, values, expr)
        known = substitute(expr, self.numbers())
        if isinstance(known, ast.Number):
            return number(known.value)
        return Unknown(f"{name}({', '.join(map(str, values))})", numeric=True)

    def is_defined(self, name: str, values: Sequence[Linear], expr: ast.Expr) -> None:
        """A divisor is not 0, an exponent is an integer, or the run fails."""
        last = values[-1]
        power = name == ast.Op.POW.value
        if power and not (
            last.number is not None and last.number.q == 1 and abs(last.number) <= MOST_EXPONENT
        ):
            self.may_fail(f"the exponent of `{show_expr(expr)}` is not an integer", expr.span)
        divisor = values[0] if power and (last.number or ZERO) < 0 else last
        if (name in (ast.Op.DIV.value, "mod") or divisor is not last) and not self.known.is_nonzero(divisor):
            self.may_fail(f"`{show_expr(expr)}` divides by zero", expr.span)

    def numbers(self) -> dict[str, fmpq]:
        """The scalars whose value is a number."""
        return {
            n: v.constant
            for n, v in self.values.items()
            if isinstance(v, Linear) and not v.terms and "[" not in n
        }

    def call(self, function: str, arguments: tuple[ast.Expr, ...], expr: ast.Expr) -> Datum:
        """The value of a call."""
        match function:
            case "count":
                return number(fmpq(sum(map(self.condition, self.flattened(arguments)))))
            case "floor" | "ceil" | "mod":
                return self.opaque(function, [self.number(argument) for argument in arguments], expr)
        values = [self.number(argument) for argument in self.flattened(arguments)]
        match function:
            case "sum":
                return total(values)
            case "abs":
                sign = ast.Binary(ast.Op.GE, arguments[0], ast.Number(ZERO), span=expr.span)
                return values[0] if self.compare(ast.Op.GE, values[0], sign) else values[0].times(-ONE)
            case "disc":
                return self.disc(values, arguments[0], arguments[1:])
            case "max" | "min" | "argmax" | "argmin":
                best = self.best(values, function.endswith("max"), expr)
                return number(fmpq(best + 1)) if function.startswith("arg") else values[best]
        raise Unsupported(f"`{function}` is not known for every size", expr.span)

    def flattened(self, arguments: Iterable[ast.Expr]) -> list[ast.Expr]:
        """The arguments, an array standing for all its cells."""
        found: list[ast.Expr] = []
        for argument in arguments:
            size = self.system.sizes.get(argument.name) if isinstance(argument, ast.Name) else None
            if isinstance(argument, ast.Name) and size is not None:
                cells = (ast.Number(fmpq(k), span=argument.span) for k in range(1, size + 1))
                found += [ast.Index(argument.name, cell, span=argument.span) for cell in cells]
            elif isinstance(argument, ast.Name) and argument.name in self.system.sizes:
                raise Unsupported(
                    f"all of `{argument.name}`, an array of any size", argument.span, FAMILY_HINT
                )
            else:
                found.append(argument)
        return found

    def best(self, values: Sequence[Linear], greatest: bool, expr: ast.Expr) -> int:
        """Which value wins; the first one among equals."""
        best = self.choose(len(values))
        sign = ONE if greatest else -ONE
        for i, value in enumerate(values):
            if i != best:
                self.require(values[best].plus(value, -ONE).times(sign), strict=i < best)
        self.decide("test", f"{show_expr(expr)} is number {best + 1}", expr.span)
        return best

    def disc(self, values: Sequence[Linear], argument: ast.Expr, levels: Sequence[ast.Expr]) -> Datum:
        """The first level that is not exceeded, or the last one."""
        value, *amounts = values
        for level, amount in zip(levels[:-1], amounts, strict=False):
            condition = ast.Binary(ast.Op.LE, argument, level, span=argument.span)
            if self.compare(ast.Op.GE, amount.plus(value, -ONE), condition):
                return amount
        return amounts[-1]

    # --- conditions ----------------------------------------------------------------------------

    def condition(self, expr: ast.Expr) -> bool:
        """The outcome of a Boolean expression, on this path."""
        match expr:
            case ast.Binary(ast.Op.AND):
                return all(map(self.condition, joined(expr, ast.Op.AND)))
            case ast.Binary(ast.Op.OR):
                return any(map(self.condition, joined(expr, ast.Op.OR)))
            case ast.Unary(ast.Op.NOT, operand):
                return not self.condition(operand)
            case ast.Binary(ast.Op.EQ | ast.Op.NE as op, left, right):
                return self.equal(left, right, expr) == (op is ast.Op.EQ)
            case ast.Binary(ast.Op.GE | ast.Op.GT as op, left, right):
                return self.compare(op, self.difference(left, right, expr.span), expr)
            case ast.Binary(ast.Op.LE | ast.Op.LT as op, left, right):
                turned = ast.Op.GE if op is ast.Op.LE else ast.Op.GT
                return self.compare(turned, self.difference(right, left, expr.span), expr)
            case _:
                return self.is_true(self.evaluate(expr), expr)

    def difference(self, left: ast.Expr, right: ast.Expr, span: Span) -> Linear:
        """``left - right``."""
        return self.number(left).plus(self.number(right), -ONE)

    def is_true(self, value: Datum, expr: ast.Expr) -> bool:
        """The value of a Boolean on u; if it is another one on u', the run on u' cannot take the path."""
        match value:
            case Pair(left):
                self.boolean(value, expr)
                if not value.public:
                    self.guards[IMPOSSIBLE] = None
                    self.decide("test", outcome_text(expr, left == TRUE), expr.span)
                return left == TRUE
            case Unknown():
                self.may_fail(f"`{show_expr(expr)}` is not a Boolean", expr.span)
                return self.either(expr)
            case _:
                raise Unsupported("a condition is needed here", expr.span)

    def boolean(self, value: Pair, expr: ast.Expr) -> None:
        """A condition is `true` or `false`, or the run fails."""
        if not {value.left, value.right} <= {TRUE, FALSE}:
            self.same(value)
            if value.left not in (TRUE, FALSE):
                self.fail(f"`{show_expr(expr)}` is not a Boolean", expr.span)

    def either(self, expr: ast.Expr) -> bool:
        """The outcome of a condition on public values that are not known."""
        self.vague = True
        outcome = self.choose(2) == 0
        self.decide("test", outcome_text(expr, outcome), expr.span)
        return outcome

    def compare(self, op: ast.Op, value: Linear, expr: ast.Expr) -> bool:
        """The outcome of ``value >= 0`` or ``value > 0``, which ``expr`` says."""
        strict = op is ast.Op.GT
        if value.number is not None:
            return value.number > 0 or (value.number == 0 and not strict)
        outcome = self.choose(2) == 0
        self.decide("test", outcome_text(expr, outcome), expr.span)
        self.require(value if outcome else value.times(-ONE), strict=strict == outcome)
        return outcome

    def equal(self, left: ast.Expr, right: ast.Expr, expr: ast.Binary) -> bool:
        """The outcome of an equation."""
        expr = ast.Binary(ast.Op.EQ, left, right, span=expr.span)
        text, a, b = show_expr(expr), self.evaluate(left), self.evaluate(right)
        if isinstance(a, Pair) and isinstance(b, Pair):
            outcomes = Pair(truth(a.left == b.left), truth(a.right == b.right))
            return self.is_true(outcomes, expr)
        x, y = as_linear(a), as_linear(b)
        if x is None or y is None:
            if isinstance(a, Unknown) or isinstance(b, Unknown):
                if not (self.is_public(a) and self.is_public(b)):
                    raise Unsupported(f"`{text}` compares private values with unknown ones", expr.span)
                return self.either(expr)
            raise Unsupported(f"`{text}` compares a number with a name", expr.span)
        value = x.plus(y, -ONE)
        if value.number is not None:
            return value.number == 0
        if any(s.kind == "sample" and not self.kinds[s.number] for s, _ in value.terms):
            return False  # a fresh real sample: the probability is 0
        outcome = self.choose(3)
        op = (ast.Op.EQ, ast.Op.GT, ast.Op.LT)[outcome]
        self.decide("test", show_expr(ast.Binary(op, left, right)), expr.span)
        if outcome == 0:
            self.require(value, equal=True)
        else:
            self.require(value.times(ONE if outcome == 1 else -ONE), strict=True)
        return outcome == 0

    # --- draws -------------------------------------------------------------------------------------

    def draw(self, distribution: ast.Distribution, target: str, span: Span) -> Datum:
        """A value drawn at random."""
        match distribution:
            case ast.Noise(kind, rate, mean):
                return self.noise(kind, rate, self.number(mean), target, span)
            case ast.Flip(p):
                complement = ast.Binary(ast.Op.SUB, ast.Number(ONE), p, span=p.span)
                return self.finite([(datum(TRUE), p), (datum(FALSE), complement)], target, span)
            case ast.Choose(options):
                return self.finite([(self.evaluate(value), p) for value, p in options], target, span)
            case ast.Uniform(support):
                members = self.members(support, span)
                share = ast.Number(1 / fmpq(len(members)), span=span)
                return self.finite([(self.evaluate(value), share) for value in members], target, span)
            case ast.ExpMechanism():
                return self.exponential(distribution, target, span)
            case _:
                assert_never(distribution)

    def noise(self, kind: str, rate: ast.Expr, mean: Linear, target: str, span: Span) -> Datum:
        """A sample."""
        factor = self.rate(rate)
        integer = NOISE[kind].integer
        if integer and not self.known.is_integer(mean):
            if not self.is_public(mean):
                text = f"whether the mean of `{kind}` is an integer may depend on private values"
                raise Unsupported(text, span)
            self.may_fail(f"the mean of `{kind}` is not an integer", span)
        symbol = Symbol("sample", "", len(self.samples))
        self.samples.append(Sample(kind, factor, form(mean, self.moves)))
        self.kinds.append(integer)
        self.steps.append(Step("sample", target, span))
        if -1 not in NOISE[kind].shifts:
            self.require(unknown(symbol).plus(mean, -ONE), public=True)
        return unknown(symbol)

    def rate(self, expr: ast.Expr) -> fmpq:
        """The a of a rate ``a*eps``."""
        rate = self.chance(expr)
        term = rate.numerator.as_term()
        if term is None or term.coefficient <= 0 or rate != Quotient(ExpPoly.of(term.coefficient, 1)):
            hint = "`dipc check` takes other rates, for the sizes and inputs that are declared"
            raise Unsupported(f"the rate `{show_expr(expr)}` is not a number times eps", expr.span, hint)
        return term.coefficient

    def finite(self, options: Sequence[tuple[Datum, ast.Expr]], target: str, span: Span) -> Datum:
        """A draw from a finite set: one path for each value."""
        for _, p in options:
            for node in nodes(p):
                private = isinstance(node, ast.Name | ast.Index) and not self.is_public(self.evaluate(node))
                if private or isinstance(node, ast.Fold):
                    text = f"the probability `{show_expr(p)}` depends on `{show_expr(node)}`"
                    raise Unsupported(text, p.span, FINITE_HINT)
        self.check_probabilities([p for _, p in options], span)
        if all(self.is_public(value) for value, _ in options):
            values = list(dict.fromkeys(value for value, _ in options))
            value = values[self.choose(len(values))]
            self.decide("choice", f"{target} = {shown(value)}", span)
            return value
        left, right = dict[object, Quotient](), dict[object, Quotient]()
        for value, p in options:
            if not isinstance(value, Pair):
                raise Unsupported("a value to choose depends on a private number", span, FINITE_HINT)
            chance = self.chance(p)
            left[value.left] = left.get(value.left, Quotient.of(0)) + chance
            right[value.right] = right.get(value.right, Quotient.of(0)) + chance
        drawn = [value for value, chance in left.items() if chance]
        picked = drawn[self.choose(len(drawn))]
        self.decide("choice", f"{target} = {show(picked)}", span)  # type: ignore[arg-type]
        self.pay(left[picked], right.get(picked, Quotient.of(0)), span)
        return datum(picked)  # type: ignore[arg-type]

    def check_probabilities(self, exprs: Sequence[ast.Expr], span: Span) -> None:
        """Probabilities are between 0 and 1, and sum to 1, or the run fails."""
        chances: list[Quotient] = []
        with suppress(Unsupported):
            chances = [self.chance(p) for p in exprs]
        self.vague = self.vague or not chances or not all(chances)
        if not chances or not self.system.remembered(tuple(chances), self.is_law):
            self.may_fail("the probabilities are outside of [0, 1] or do not sum to 1", span)

    def is_law(self, chances: Sequence[Quotient]) -> bool:
        """Whether these are probabilities, for every eps of the claim."""
        judge = SignOracle(self.system.budgets)
        with suppress(InputError, LimitReached):
            return sum(chances, Quotient.of(0)) == Quotient.one() and all(
                isinstance(judge.nonnegative(chance), Holds) for chance in chances
            )
        return False

    def chance(self, p: ast.Expr) -> Quotient:
        """A probability or a rate."""
        try:
            return function_of_eps(substitute(p, {**self.system.constants, **self.numbers()}), NOTHING, never)
        except InputError as error:
            text = f"`{show_expr(p)}` is not a function of eps alone: {error.message}"
            raise Unsupported(text, p.span) from error

    def pay(self, left: Quotient, right: Quotient, span: Span) -> None:
        """The cost of a finite draw."""
        if left == right:
            return
        if not right:
            self.guards[IMPOSSIBLE] = None
            return
        cost = self.system.remembered((left, right, self.system.budgets), cost_of)
        if cost is None:
            text = "no multiple of eps bounds the ratio of the probabilities of this draw, for every eps"
            raise Unsupported(text, span)
        self.choices.append(Choice(left, right, cost))
        self.cost += cost

    def members(self, support: ast.FiniteSet, span: Span) -> list[ast.Expr]:
        """The members of a set as expressions."""
        match support:
            case ast.SetOf(members):
                return list(members)
            case ast.Range(low, high):
                ends = [self.number(end).number for end in (low, high)]
                if ends[0] is None or ends[1] is None:
                    raise Unsupported("a draw from a set of any size", span)
                if ends[0] > ends[1] or ends[0].q != 1 or ends[1].q != 1:
                    raise Unsupported(f"there is no set {ends[0]}..{ends[1]}", span)
                return [ast.Number(fmpq(k), span=span) for k in range(int(ends[0]), int(ends[1]) + 1)]
            case _:
                assert_never(support)

    def exponential(self, draw: ast.ExpMechanism, target: str, span: Span) -> Datum:
        """The exponential mechanism: McSherry and Talwar (FOCS 2007), Theorem 6."""
        rate = self.rate(draw.rate)
        if isinstance(draw.support, ast.Range) and self.number(draw.support.high).number is None:
            if not all(self.is_public(self.number(end)) for end in (draw.support.low, draw.support.high)):
                raise Unsupported("a draw from a set that depends on private values", span)
            ends = self.nonempty(draw.support.low, draw.support.high, span)
            sensitivity = self.sensitivity(draw, ends)
            value: Datum = replace(self.unknown(target), numeric=True)
            drawn = as_linear(value)
            assert drawn is not None
            self.known.learn(drawn, *ends)
            self.decide("choice", f"{target} is drawn", span)
        else:
            members = self.members(draw.support, span)
            scores = [self.score(draw, member) for member in members]
            chosen = self.choose(len(members))
            value = self.evaluate(members[chosen])
            self.decide("choice", f"{target} = {shown(value)}", span)
            sensitivity = max(scores) - scores[chosen]
        if sensitivity:
            self.choices.append(Exponential(rate, sensitivity))
            self.cost += rate * sensitivity
        return value

    def score(self, draw: ast.ExpMechanism, member: ast.Expr) -> fmpq:
        """How much the score of a member changes."""
        outer = self.values.get(draw.variable)
        self.values[draw.variable] = self.evaluate(member)
        score = self.number(draw.score)
        self.values.pop(draw.variable)
        if outer is not None:
            self.values[draw.variable] = outer
        if score.random:
            raise Unsupported("the score of the exponential mechanism is random", draw.score.span)
        return form(score, self.moves).constant

    def sensitivity(self, draw: ast.ExpMechanism, ends: tuple[Linear, Linear]) -> fmpq:
        """The greatest difference of two changes of the score, one cell ``q[v]`` of each input, over 1..N."""
        cells = {node for node in nodes(draw.score) if isinstance(node, ast.Index)}
        # As random cells, they are in no function but a linear one.
        arrays = {c.array: Symbol("live", c.array) for c in cells if c.array in self.system.scope.inputs}
        index = unknown(Symbol("public", draw.variable))
        probe = Path(self.system, Point(END), ())
        probe.values, probe.moves, probe.pc = dict(self.values), dict(self.moves), self.pc
        probe.values[draw.variable] = index
        probe.known.bounds = [*self.known.bounds]
        probe.known.learn(index, *ends)
        probe.cells = {(None, array, index): unknown(symbol) for array, symbol in arrays.items()}
        score = dict(probe.number(draw.score).terms)
        decided = bool(probe.taken)  # by a comparison, by the label of another cell, or it may fail
        others = score.keys() - arrays.values()
        if decided or len(cells) > len(arrays) or any(s.random or probe.moves.get(s) for s in others):
            hint = "a score is a sum of multiples of `q[v]`, `v` being the variable of the mechanism"
            raise Unsupported("a score that is not one cell of each input", draw.score.span, hint)
        adjacency, domains, span = self.system.adjacency, self.system.domains, draw.score.span
        return sum(
            (
                abs(score.get(symbol, ZERO)) * adjacency.spread(array, domains[array], span)
                for array, symbol in arrays.items()
            ),
            ZERO,
        )


NEGATED = {
    ast.Op.GE: ast.Op.LT,
    ast.Op.GT: ast.Op.LE,
    ast.Op.LE: ast.Op.GT,
    ast.Op.LT: ast.Op.GE,
    ast.Op.EQ: ast.Op.NE,
    ast.Op.NE: ast.Op.EQ,
}


def _is_private(value: Datum) -> TypeGuard[Linear]:
    """Whether it is a number that is not drawn, and not known: its change is kept."""
    return isinstance(value, Linear) and value.number is None and not value.random


def outcome_text(expr: ast.Expr, outcome: bool) -> str:
    """A condition that holds, or its negation."""
    if outcome:
        return show_expr(expr)
    if isinstance(expr, ast.Binary) and expr.op in NEGATED:
        return show_expr(replace(expr, op=NEGATED[expr.op]))
    return show_expr(ast.Unary(ast.Op.NOT, expr))
