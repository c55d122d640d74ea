"""The choices of a path, the conditions that it stands for, and the values of expressions, for both runs.

Choices (outcomes of comparisons, labels of cells, values of finite draws) are read off a script; one beyond
the script takes the first possibility and notes the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import assert_never

from flint import fmpq

from dipc.dipwhile.allsizes.automaton import Choice, Exponential, Form, Guard, Sample, Step
from dipc.dipwhile.allsizes.feasible import Condition, contradictory
from dipc.dipwhile.allsizes.system import Alias, Kept, Moves, Point, System
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
    shown,
    symbols,
    total,
    unknown,
)
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.printer import show_expr
from dipc.dipwhile.syntax.unroll import substitute
from dipc.dipwhile.syntax.walk import joined
from dipc.errors import Span, Unsupported
from dipc.models.values import TRUE, Atom, show, truth

IMPOSSIBLE = Guard(Form((), -ONE))
"""The guard of a path that the run on u' cannot take."""


class Dropped(Exception):
    """The conditions of the path contradict each other."""


class Choosing:
    """What is known on a path so far, and the choices to come."""

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
        self.vague = False  # it is not certain that the path can be taken
        self.shown = False  # what it reads has to be the same in both runs: the program need not ask for that
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


class Evaluating(Choosing):
    """A path that reads variables and cells, and computes."""

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
                return total(values)
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


FAMILY_HINT = (
    "over all cells, only `sum` of inputs and `max`, `min`, `argmax`, `argmin` of equal draws are known"
)


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
