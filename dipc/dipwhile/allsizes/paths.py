"""One path of a program between two cuts, executed for a pair of runs: the edges of the automaton.

A path is deterministic but for its choices (outcomes of comparisons, labels of cells, values of finite
draws), which are read off a script; a choice beyond the script takes the first possibility and notes the
others, so that the builder enumerates all paths by replaying scripts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

from flint import fmpq

from dipc.dipwhile.allsizes.automaton import Choice, Edge, Exponential, Form, Guard, Sample, Step
from dipc.dipwhile.allsizes.choices import cost_of
from dipc.dipwhile.allsizes.feasible import Condition, consequences, contradictory
from dipc.dipwhile.allsizes.flatten import (
    Alike,
    Assume,
    Code,
    Cut,
    Either,
    Enter,
    Filled,
    Fresh,
    Operation,
    Round,
    Scope,
)
from dipc.dipwhile.allsizes.labels import Adjacency, Domain
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
    renamed,
    shown,
    symbols,
    unknown,
)
from dipc.dipwhile.semantics.evaluate import NOTHING, function_of_eps, never
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.core import Draw, Halt, Jump, Put, Test
from dipc.dipwhile.syntax.distributions import NOISE
from dipc.dipwhile.syntax.printer import show_expr
from dipc.dipwhile.syntax.unroll import Constants, substitute
from dipc.dipwhile.syntax.walk import joined, nodes
from dipc.errors import InputError, Span, Unsupported
from dipc.models.values import FALSE, TRUE, Atom, show, truth
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange

START, END = -2, -1
"""The places before the first operation and after the last one."""

IMPOSSIBLE = Guard(Form((), -ONE))
"""The guard of a path that the run on u' cannot take."""

MOST_FACTS = 8
MOST_ORDERED = 6
"""Of how many live variables the order is followed."""


class Dropped(Exception):
    """The conditions of the path contradict each other."""


@dataclass(frozen=True, slots=True)
class Moves:
    """A private variable: its value is unknown, its change is ``by``."""

    by: fmpq


@dataclass(frozen=True, slots=True)
class Alias:
    """A random variable: the live variable ``of``, itself or another one with the same value."""

    of: str


Kept = Linear | Pair | Unknown | Moves | Alias
"""What is known of a variable at a cut: a number, a finite value, nothing, its change, that it is random."""


@dataclass(frozen=True, slots=True)
class Point:
    """A place as the builder knows it."""

    pc: int
    kept: tuple[tuple[str, Kept], ...] = ()
    phases: tuple[tuple[int, fmpq], ...] = ()
    direction: str = ""
    facts: tuple[Condition, ...] = ()

    @property
    def live(self) -> tuple[str, ...]:
        """The random variables that the rest of the program may read."""
        return tuple(sorted({kept.of for _, kept in self.kept if isinstance(kept, Alias)}))


@dataclass(frozen=True, slots=True)
class System:
    """What is the same for all paths: the code, what the names in it mean, and how inputs differ."""

    code: Code
    live: tuple[frozenset[str], ...]
    scope: Scope
    constants: Constants
    variables: frozenset[str]
    domains: Mapping[str, Domain]
    sizes: Mapping[str, int | None]  # of all arrays, where they are numbers
    scalars: frozenset[str]  # scalar outputs
    adjacency: Adjacency
    budgets: EpsRange
    starts: Mapping[str, Datum]  # of scalar outputs
    streams: dict[str, dict[object, int]] = field(
        default_factory=dict
    )  # of each input, in order of appearance

    def is_cut(self, pc: int) -> bool:
        """Whether paths end here."""
        operation: Operation = self.code[pc]
        return isinstance(operation, Round | Cut) or (isinstance(operation, Test) and operation.is_loop)

    @property
    def stream_count(self) -> int:
        """How many streams have appeared."""
        return sum(map(len, self.streams.values()))

    def group(self, name: str, stream: object) -> int:
        """The number of a stream among those of its input: streams with the same number share a phase."""
        known = self.streams.setdefault(name, {})
        return known.setdefault(stream, len(known))


class Path:
    """The execution of one path."""

    def __init__(self, system: System, source: Point, script: Sequence[int]) -> None:
        self.system, self.source, self.script = system, source, script
        self.taken: list[int] = []
        self.pending: list[tuple[int, ...]] = []
        self.values: dict[str, Datum] = {}
        self.moves: dict[Symbol, fmpq] = {}
        self.phases = dict(source.phases)
        self.direction = source.direction
        self.cells: dict[object, Datum] = {}
        self.samples: list[Sample] = []
        self.kinds: list[bool] = []  # which samples are integers
        self.conditions = list(source.facts)
        self.guards: dict[Guard, None] = {}
        self.cost, self.choices = ZERO, list[Choice | Exponential]()
        self.outputs: dict[object, tuple[str, Datum, Span]] = {}
        self.public: set[str] = set()
        self.count = 0  # of unknowns, to tell them apart
        self.steps: list[Step] = []
        self.decisions: list[str] = []
        for name, kept in source.kept:
            self.values[name] = self._restored(name, kept)

    def _restored(self, name: str, kept: Kept) -> Datum:
        match kept:
            case Alias(of):
                return unknown(Symbol("live", of))
            case Moves(by):
                self.moves[Symbol("private", name)] = by
                return unknown(Symbol("private", name))
            case _:
                return kept

    def unknown(self, name: str) -> Unknown:
        """A value that nothing is known of, not even that it equals another one."""
        self.count += 1
        return Unknown(f"{name}#{self.count}")

    # --- choices -------------------------------------------------------------------------------

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

    # --- the way through the code ----------------------------------------------------------------

    def run(self) -> tuple[Edge, Point]:
        """The edge (its places are not numbered yet) and where it ends."""
        pc = self.source.pc
        if len(self.system.adjacency.directions) > 1 and pc == START:
            self.direction = self.system.adjacency.directions[self.choose(2)]
            self.steps.append(Step("label", f"all cells go {self.direction}", self.system.adjacency.span))
        pc = 0 if pc == START else self.step(pc)
        while pc != END and not self.system.is_cut(pc):
            pc = self.step(pc)
        return self.arrive(pc)

    def step(self, pc: int) -> int:
        """Execute one operation; the next one."""
        operation: Operation = self.system.code[pc]
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
            case Fresh(variable, site):
                self.fresh(variable, site)
            case Round(variable, site, _, _, otherwise, span):
                another = self.choose(2) == 0
                self.decide("test", "another round" if another else f"`for {variable}` ends", span)
                if not another:
                    return otherwise
                self.fresh(variable, site)
            case Either(otherwise, text, other, span):
                first = self.choose(2) == 0
                self.decide("test", text if first else other, span)
                return pc + 1 if first else otherwise
            case Assume(condition):
                margin = self.difference(condition.left, condition.right, condition.span)
                self.require(margin if condition.op is ast.Op.GE else margin.times(-ONE))
                self.steps.append(Step("test", show_expr(condition), condition.span))
            case Enter(site):
                self.enter(site)
            case Cut() | Alike() | Filled():
                pass
            case _:
                assert_never(operation)
        return pc + 1

    def fresh(self, variable: str, site: int) -> None:
        """A new round: its cells have not been read."""
        self.cells = {key: cell for key, cell in self.cells.items() if key[0] != site}  # type: ignore[index]
        self.values[variable] = unknown(Symbol("public", variable, site))

    def enter(self, site: int) -> None:
        """The loop reads its cells again: another phase."""
        for streams in self.system.streams.values():
            for stream, group in streams.items():
                if isinstance(stream, tuple) and stream[0] == site:
                    self.phases.pop(group, None)

    def assign(self, target: ast.Name | ast.Index, value: Datum) -> None:
        """Give a variable or a cell its value; what an output gets is published when the path ends."""
        text = show_expr(target)
        if isinstance(target, ast.Name):
            self.values[target.name] = value
            if target.name in self.system.scalars:
                self.outputs[target.name] = (text, value, target.span)
            return
        index = self.index(target)
        if target.array in self.system.scope.outputs:
            self.outputs[target.array, index] = (text, value, target.span)
        if index.number is not None:
            self.values[f"{target.array}[{index.number}]"] = value
            return
        if target.array not in self.system.scope.outputs and not self.is_public(value):
            hint = "only `max`, `min`, `argmax` and `argmin` of such an array are known"
            raise Unsupported(f"private or random values are kept in `{target.array}`", target.span, hint)
        self.forget(target)
        self.public.add(target.array)

    def forget(self, target: ast.Index) -> None:
        """A cell of an unknown index is overwritten: each of those that are known may be it."""
        array, output = target.array, target.array in self.system.scope.outputs
        if output:
            self.show(array)
        for name, value in self.values.items():
            if name.startswith(f"{array}["):
                if not output and not self.is_public(value):
                    raise Unsupported(f"`{show_expr(target)}` may be `{name}`, which is private", target.span)
                self.values[name] = self.unknown(name)

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
        if array in self.system.scope.outputs:
            self.show(array)  # what is read may be overwritten before the path ends
            return self.unknown(array)
        if array in self.public and all(map(self.is_public, stored)):
            return self.unknown(array)
        raise Unsupported(f"`{show_expr(expr)}` is kept over several loops", expr.span, FAMILY_HINT)

    def index(self, expr: ast.Index) -> Linear:
        """The place of an element in its array, the same in both runs."""
        index = self.number(expr.index)
        if not self.is_public(index):
            text = f"the index of `{show_expr(expr)}` depends on private values"
            raise Unsupported(text, expr.index.span)
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
        if isinstance(label, Pair):
            return label
        self.moves[symbol] = label
        return unknown(symbol)

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

    # --- expressions ---------------------------------------------------------------------------

    def evaluate(self, expr: ast.Expr) -> Datum:
        """The value of an expression."""
        match expr:
            case ast.Number(value):
                return Linear((), value)
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
        return found

    def chain(self, expr: ast.Binary) -> Datum:
        """The value of arithmetic; a long sum leans left."""
        first, links = expr.spine(ast.ARITHMETIC)
        value = self.evaluate(first)
        for node in links:
            value = self.arithmetic(node.op, self.numeric(value, node.left), self.number(node.right), node)
        return value

    def negated(self, value: Datum, operand: ast.Expr) -> Datum:
        if isinstance(value, Pair):
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
        known = substitute(expr, self.known())
        if isinstance(known, ast.Number):
            return Linear((), known.value)
        return Unknown(f"{name}({', '.join(map(str, values))})")

    def known(self) -> dict[str, fmpq]:
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
                return Linear(
                    (), fmpq(sum(self.condition(argument) for argument in self.flattened(arguments)))
                )
            case "floor" | "ceil" | "mod":
                return self.opaque(function, [self.number(argument) for argument in arguments], expr)
        values = [self.number(argument) for argument in self.flattened(arguments)]
        match function:
            case "sum":
                return _sum(values)
            case "abs":
                sign = ast.Binary(ast.Op.GE, arguments[0], ast.Number(ZERO), span=expr.span)
                return values[0] if self.compare(ast.Op.GE, values[0], sign) else values[0].times(-ONE)
            case "disc":
                return self.disc(values, arguments[0], arguments[1:])
            case "max" | "min" | "argmax" | "argmin":
                best = self.best(values, function.endswith("max"), expr)
                return Linear((), fmpq(best + 1)) if function.startswith("arg") else values[best]
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
                if not value.public:
                    self.guards[IMPOSSIBLE] = None
                    self.decide("test", outcome_text(expr, left == TRUE), expr.span)
                return left == TRUE
            case Unknown():
                return self.either(expr)
            case _:
                raise Unsupported("a condition is needed here", expr.span)

    def either(self, expr: ast.Expr) -> bool:
        """The outcome of a condition on public values that are not known."""
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

    # --- draws ---------------------------------------------------------------------------------

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
        if integer and not self.integral(mean):
            raise Unsupported("the mean of integer noise is not an integer for all inputs", span)
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

    def integral(self, value: Linear) -> bool:
        """Whether a value is an integer on both runs: whole multiples of integers."""
        return (
            value.constant.q == 1
            and all(c.q == 1 for _, c in value.terms)
            and form(value, self.moves).constant.q == 1
        )

    def finite(self, options: Sequence[tuple[Datum, ast.Expr]], target: str, span: Span) -> Datum:
        """A draw from a finite set: one path for each value."""
        for _, p in options:
            self.refuse_private(p)
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

    def chance(self, p: ast.Expr) -> Quotient:
        """A probability or a rate."""
        try:
            return function_of_eps(substitute(p, {**self.system.constants, **self.known()}), NOTHING, never)
        except InputError as error:
            raise Unsupported(f"`{show_expr(p)}` is not a function of eps alone", p.span) from error

    def refuse_private(self, p: ast.Expr) -> None:
        """Refuse a probability that is not the same on u and u'."""
        for node in nodes(p):
            private = isinstance(node, ast.Name | ast.Index) and not self.is_public(self.evaluate(node))
            if private or isinstance(node, ast.Fold):
                text = f"the probability `{show_expr(p)}` depends on `{show_expr(node)}`"
                raise Unsupported(text, p.span, FINITE_HINT)

    def pay(self, left: Quotient, right: Quotient, span: Span) -> None:
        """The cost of a finite draw."""
        if left == right:
            return
        if not right:
            self.guards[IMPOSSIBLE] = None
            return
        cost = cost_of(left, right, self.system.budgets)
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
                if ends[0] > ends[1]:
                    raise Unsupported(f"the set {ends[0]}..{ends[1]} is empty", span)
                return [
                    ast.Number(fmpq(k), span=span)
                    for k in range(int(ends[0].ceil()), int(ends[1].floor()) + 1)
                ]
            case _:
                assert_never(support)

    def exponential(self, draw: ast.ExpMechanism, target: str, span: Span) -> Datum:
        """The exponential mechanism: McSherry and Talwar (FOCS 2007), Theorem 6."""
        rate = self.rate(draw.rate)
        if isinstance(draw.support, ast.Range) and self.number(draw.support.high).number is None:
            if not all(self.is_public(self.number(end)) for end in (draw.support.low, draw.support.high)):
                raise Unsupported("a draw from a set that depends on private values", span)
            sensitivity = self.sensitivity(draw)
            value: Datum = self.unknown(target)
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

    def sensitivity(self, draw: ast.ExpMechanism) -> fmpq:
        """The greatest difference of two changes of the score, one cell ``q[v]`` of each input, over 1..N."""
        cells = {node for node in nodes(draw.score) if isinstance(node, ast.Index)}
        # As random cells, they are in no function but a linear one.
        arrays = {c.array: Symbol("live", c.array) for c in cells if c.array in self.system.scope.inputs}
        index = unknown(Symbol("public", draw.variable))
        probe = self.probe(self.system, ())
        probe.values[draw.variable] = index
        probe.cells = {(None, array, index): unknown(symbol) for array, symbol in arrays.items()}
        score = dict(probe.number(draw.score).terms)
        decided = bool(probe.taken)  # by a comparison, or by the label of another cell
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

    def probe(self, system: System, script: Sequence[int]) -> Path:
        """A path that knows what this one does, to try something."""
        probe = Path(system, Point(END), script)
        probe.values, probe.moves = dict(self.values), dict(self.moves)
        return probe

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
            tuple(sorted(self.phases.items())) if more else (),
            self.direction if more else "",
            self.facts(names),
        )
        sets = tuple(sorted((name, form(value, self.moves)) for value, name in names.items()))
        guards = (IMPOSSIBLE,) if IMPOSSIBLE in self.guards else tuple(self.guards)
        edge = Edge(
            0,
            0,
            tuple(self.samples),
            guards,
            sets,
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

    def _kept(self, name: str, value: Datum, names: Mapping[Linear, str]) -> Kept:
        match value:
            case Pair():
                return value
            case Unknown():
                return Unknown(name)
            case Linear():
                if value.random:
                    return Alias(names[value])
                return value if value.number is not None else Moves(form(value, self.moves).constant)
            case _:
                assert_never(value)

    def publish(self, pc: int) -> None:
        """What the outputs show must be the same in both runs."""
        if pc == END:
            for name in sorted(self.system.scalars & self.values.keys()):
                self.outputs.setdefault(name, (name, self.values[name], self.system.adjacency.span))
        for key, (text, value, span) in self.outputs.items():
            self.steps.append(Step("output", f"{text} = {shown(value)}", span))
            if not isinstance(key, str) or pc == END:
                self.same(value)

    def show(self, array: str) -> None:
        """What the cells of an output have been given on this path is the same in both runs."""
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

    def facts(self, names: Mapping[Linear, str]) -> tuple[Condition, ...]:
        """What the path says about the order of the live variables."""
        if not 0 < len(names) <= MOST_ORDERED or not self.conditions:
            return ()
        targets = {name: Symbol("target", name) for name in names.values()}
        defined = [
            Condition(value.plus(unknown(targets[name]), -ONE), equal=True) for value, name in names.items()
        ]
        found = consequences([*self.conditions, *defined], set(targets.values()), MOST_FACTS)
        back = {symbol: Symbol("live", name) for name, symbol in targets.items()}
        return tuple(Condition(renamed(fact.value, back), fact.strict, fact.equal) for fact in found)


FAMILY_HINT = (
    "over all cells, only `sum` of inputs and `max`, `min`, `argmax`, `argmin` of equal draws are known"
)
FINITE_HINT = (
    "inputs with names, such as `{yes, no}` or `{true, false}`, may select a probability;"
    " numbers and their sums may not"
)


def _sum(values: Sequence[Linear]) -> Linear:
    total = Linear()
    for value in values:
        total = total.plus(value)
    return total


NEGATED = {
    ast.Op.GE: ast.Op.LT,
    ast.Op.GT: ast.Op.LE,
    ast.Op.LE: ast.Op.GT,
    ast.Op.LT: ast.Op.GE,
    ast.Op.EQ: ast.Op.NE,
    ast.Op.NE: ast.Op.EQ,
}


def outcome_text(expr: ast.Expr, outcome: bool) -> str:
    """A condition that holds, or its negation."""
    if outcome:
        return show_expr(expr)
    if isinstance(expr, ast.Binary) and expr.op in NEGATED:
        return show_expr(replace(expr, op=NEGATED[expr.op]))
    return show_expr(ast.Unary(ast.Op.NOT, expr))
