"""One path of a program of any size, for two runs on adjacent inputs that decide alike.

A path is deterministic but for its choices, which a script prescribes: outcomes of comparisons, changes of
cells, values of finite draws.  It ends where a round of a loop may begin.  What is known there is the
:class:`Moment`; what happened on the way are samples, guards and costs, as in a certificate.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dipc.certificate.slow.functions import EPS, Draw, NotCovered, Pair, constant, same
from dipc.certificate.slow.paths import COMPARISONS
from dipc.certificate.slow.programs import value_of
from dipc.certificate.slow.sizes_text import (
    Assume,
    Cut,
    Do,
    Fork,
    Fresh,
    Item,
    Items,
    Neighbours,
    Round,
    Text,
    listed,
    names_of,
)
from dipc.certificate.slow.sizes_values import (
    Both,
    Form,
    Number,
    Row,
    Symbol,
    Value,
    impossible,
    multiple,
    number,
    plain,
    plus,
    symbol,
)
from dipc.certificate.slow.values import Plain, as_number, as_pair, combine, fraction, quotient, truth
from dipc.dipwhile.syntax import ast
from dipc.kernel.facts import ZERO
from dipc.kernel.reading import spend


class Dropped(Exception):
    """The conditions of a path contradict each other."""


class Broken(Exception):
    """The run on u' cannot take the path."""


@dataclass(frozen=True)
class Moves:
    """A private number, of which the change is known."""

    by: Fraction


@dataclass(frozen=True)
class Random:
    """The live variable of this name."""

    name: str


UNKNOWN, LOST = "unknown", "lost"
Kept = Number | Both | Moves | Random | str
"""What is known of a variable at a place: UNKNOWN if it is the same in both runs, LOST if nothing."""


@dataclass(frozen=True)
class Moment:
    """Where a path begins: what is left to do, what is known, what may still change in the inputs."""

    todo: Items
    kept: frozenset[tuple[str, Kept]] = frozenset()
    phases: frozenset[tuple[int, Fraction]] = frozenset()
    sign: int = 0


@dataclass(frozen=True)
class Chosen:
    """A finite draw that changes with the inputs: its probabilities on u and on u'."""

    left: Pair
    right: Pair


@dataclass(frozen=True)
class Mechanism:
    """A draw of the exponential mechanism."""

    rate: Fraction
    sensitivity: Fraction


@dataclass
class Shared:
    """What all paths have in common; ``streams`` numbers the ways in which each input is read.

    A stream reads each cell once; streams of different inputs with one number share what may change.
    """

    text: Text
    neighbours: Neighbours
    streams: dict[str, dict[object, int]] = field(default_factory=dict)
    draws: dict[str, Draw] = field(default_factory=dict)

    def stream(self, array: str, key: object) -> int:
        known = self.streams.setdefault(array, {})
        return known.setdefault(key, len(known))


@dataclass
class Path:
    """A path that is being followed."""

    shared: Shared
    begin: Moment
    rows: list[Row]
    script: Sequence[int]
    taken: list[tuple[int, int]] = field(default_factory=list)
    values: dict[str, Value | str] = field(default_factory=dict)
    moves: dict[Symbol, Fraction] = field(default_factory=dict)
    samples: list[tuple[str, Fraction, Form]] = field(default_factory=list)
    guards: set[tuple[Form, bool]] = field(default_factory=set)
    draws: list[Chosen | Mechanism] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    cells: dict[object, Value] = field(default_factory=dict)
    written: dict[object, Value] = field(default_factory=dict)
    constants: dict[str, Fraction] = field(default_factory=dict)
    count: int = 0

    def __post_init__(self) -> None:
        self.todo, self.phases, self.sign = self.begin.todo, dict(self.begin.phases), self.begin.sign
        self.text = self.shared.text
        for name, kept in sorted(self.begin.kept, key=lambda pair: pair[0]):
            self.values[name] = self.restored(name, kept)

    def restored(self, name: str, kept: Kept) -> Value | str:
        match kept:
            case Random(of):
                return symbol("live", of)
            case Moves(by):
                self.moves["cell", name] = by
                return symbol("cell", name)
            case "unknown":
                return symbol("public", "variable", name)
        return kept

    def choose(self, options: int) -> int:
        """One of so many options."""
        spend(8)
        position = len(self.taken)
        pick = self.script[position] if position < len(self.script) else 0
        self.taken.append((pick, options))
        return pick

    def new(self, *kind: object) -> Number:
        """A symbol of its own."""
        self.count += 1
        return symbol(*kind, self.count)

    # --- conditions

    def form(self, value: Number) -> Form:
        """How much a number changes."""
        known = {"": sum((c * self.moves[s] for s, c in value.terms if s[0] == "cell"), ZERO)}
        terms = {str(s[1]): c for s, c in value.terms if s[0] in ("sample", "live")}
        return frozenset((name, c) for name, c in (terms | known).items() if c)

    def is_public(self, value: Value | str) -> bool:
        """Is it the same in both runs?"""
        if isinstance(value, Number):
            return not self.form(value)
        return isinstance(value, Both) and value.left == value.right

    def guard(self, value: Number, equal: bool) -> None:
        """The run on u' has to find the same: >= 0, or = 0."""
        form = self.form(value)
        if any(name for name, _ in form):
            self.guards.add((form, equal))
        elif form and (equal or dict(form)[""] < 0):
            raise Broken

    def require(self, value: Number, op: str) -> None:
        """A condition of the path.  Raises :class:`Dropped` if it contradicts the others."""
        self.rows.append((value, op))
        if impossible(self.rows):
            raise Dropped
        self.guard(value, op == "=")

    def positive(self, value: Number, strict: bool) -> bool:
        """Is it >= 0 (> 0)?  A choice unless it is known."""
        if value.known:
            return value.constant > 0 or (not strict and not value.constant)
        outcome = self.choose(2) == 0
        self.require(value if outcome else multiple(value, -1), ">" if strict == outcome else ">=")
        return outcome

    def zero(self, value: Number) -> bool:
        """Is it 0?"""
        if value.known:
            return not value.constant
        if any(s[0] == "sample" and self.samples[int(str(s[1]))][0] != "DLap" for s, _ in value.terms):
            return False  # a fresh real sample: with probability 0
        outcome = self.choose(3)
        self.require(multiple(value, -1) if outcome == 2 else value, ">" if outcome else "=")
        return not outcome

    # --- the way

    def run(self) -> None:
        """Follow the path to its end; ``todo`` is what comes next."""
        if self.shared.neighbours.kind == "monotone" and not self.sign:
            self.sign = (1, -1)[self.choose(2)]
        begun = False
        while self.todo and not (begun and self.is_cut(self.todo[0])):
            spend(20)
            item, self.todo = self.todo[0], self.todo[1:]
            begun = self.carry_out(item) or begun
        self.publish()

    def is_cut(self, item: Item) -> bool:
        return isinstance(item, Round | Cut) or (
            isinstance(item, Do) and isinstance(item.statement, ast.While)
        )

    def carry_out(self, item: Item) -> bool:
        """Carry out an item, or put others in its place; whether anything happened."""
        match item:
            case Do(statement, constants):
                self.constants = dict(constants)
                return self.statement(statement, item)
            case Fresh(variable, site):
                self.fresh(variable, site)
            case Round(variable, site, body) if self.choose(2) == 0:
                self.fresh(variable, site)
                self.todo = (*body, item, *self.todo)
            case Fork(options):
                self.todo = (*options[self.choose(len(options))], *self.todo)
            case Assume(condition, constants):
                self.constants = dict(constants)
                left, right = self.number(condition.left), self.number(condition.right)
                sign = 1 if condition.op is ast.Op.GE else -1
                margin = multiple(plus(left, right, -1), sign)
                if not margin.known or margin.constant < 0:
                    self.require(margin, ">=")
        return True

    def fresh(self, variable: str, site: object) -> None:
        self.values[variable] = self.new("public", "round", site)

    def statement(self, statement: ast.Statement, item: Do) -> bool:
        """Carry out a statement, or put others in its place."""
        match statement:
            case ast.Assign() | ast.If():
                return self.simple(statement, item)
            case ast.For():
                return self.loop(statement, item)
            case ast.While(condition, body):
                if self.holds(condition):
                    self.todo = (*listed(*body, constants=item.constants), item, *self.todo)
            case ast.Exit():
                self.todo = ()
        return True

    def simple(self, statement: ast.Assign | ast.If, item: Do) -> bool:
        """An assignment or a conditional; sums come first."""
        parts = statement if isinstance(statement, ast.Assign) else tuple(c for c, _ in statement.branches)
        before, rest = self.text.without_sums(parts, item.constants)
        if isinstance(statement, ast.If):
            blocks = (block for _, block in statement.branches)
            rest = ast.If(tuple(zip(rest, blocks, strict=True)), statement.otherwise, span=statement.span)
        if before:
            self.todo = (*before, Do(rest, item.constants), *self.todo)
        elif isinstance(statement, ast.Assign):
            self.assign(statement)
        else:
            taken = next((b for c, b in statement.branches if self.holds(c)), statement.otherwise)
            self.todo = (*listed(*taken, constants=item.constants), *self.todo)
        return not before

    def loop(self, loop: ast.For, item: Do) -> bool:
        """Unroll a loop, or go from round to round."""
        low, high = self.number(loop.low), self.number(loop.high)
        if any(isinstance(n, ast.Assign) and n.target == ast.Name(loop.variable) for n in loop.body):
            raise NotCovered(f"{loop.variable}, a variable of a loop that is assigned")
        if not (low.known and high.known):
            self.todo = (*self.rounds(loop, item), *self.todo)
            return False
        cut = self.text.is_size(loop.low, loop.high)
        if cut and self.text.streaming(loop, item.constants, None) is not None:
            raise NotCovered("the best value of a loop of so many rounds")
        before, loop = self.text.running_sums(loop) if cut else ([], loop)
        unrolled: list[Item] = [*listed(*before, constants=item.constants)]
        for i in range(math.ceil(low.constant), math.floor(high.constant) + 1):
            unrolled += [Cut(f": {loop.variable} = {i}")] if cut else []
            unrolled += listed(*loop.body, constants=(*item.constants, (loop.variable, Fraction(i))))
        self.todo = (*unrolled, *self.todo)
        return False

    def rounds(self, loop: ast.For, item: Do) -> Items:
        """A loop with any number of rounds; it reads its cells anew."""
        site, constants = (loop.span.start, item.constants), item.constants
        for streams in self.shared.streams.values():
            for key, group in streams.items():
                if isinstance(key, tuple) and key[0] == site:
                    self.phases.pop(group, None)
        if (items := self.text.streaming(loop, constants, site)) is not None:
            return items
        before, loop = self.text.running_sums(loop)
        if (found := self.text.family(loop, self.todo)) is not None:
            return self.text.winner(loop, *found, constants, site)
        body = listed(*loop.body, constants=constants)
        return (*listed(*before, constants=constants), Round(loop.variable, site, body))

    def publish(self) -> None:
        """The outputs are the same in both runs."""
        if not self.todo:
            starts = {d.name for d in self.text.program.outputs if d.size is None}
            self.written |= {name: self.stored(name) for name in starts & self.values.keys()}
        for value in self.written.values():
            if isinstance(value, Number):
                self.guard(value, True)
            elif not self.is_public(value):
                raise Broken

    # --- variables

    def assign(self, statement: ast.Assign) -> None:
        value = self.drawn(statement.value) if not isinstance(statement.value, ast.Expr) else None
        value = self.value(statement.value) if value is None else value  # type: ignore[arg-type]
        target = statement.target
        if isinstance(target, ast.Name):
            self.values[target.name] = value
            return
        index, array = self.number(target.index), target.array
        if array in self.text.outputs:
            self.written[array, index] = value
        if index.known:
            self.values[f"{array}[{index.constant}]"] = value
            return
        if array not in self.text.outputs and not self.is_public(value):
            raise NotCovered(f"{array}, in which private or random values are kept")
        for name in self.cells_of(array):
            self.values[name] = self.new("public", "cell") if self.is_public(self.values[name]) else LOST

    def cells_of(self, array: str) -> list[str]:
        return [name for name in self.values if name.startswith(f"{array}[")]

    def read(self, name: str) -> Value:
        """The value of a variable."""
        if name[:1] == "$" and name[1:].isdigit():
            return number(int(name[1:]))
        if name in self.constants:
            return number(self.constants[name])
        if name in self.values:
            return self.stored(name)
        if name in self.text.domains:
            return self.input(name, name)
        start = next((d.start for d in self.text.program.outputs if d.name == name and d.size is None), None)
        if start is not None:
            return self.value(start)
        if name in self.text.known:
            return number(fraction_of(self.text.known[name]))
        if name in self.text.symbolic:
            return symbol("public", "size", name)
        if name in self.text.variables or any(name == p.name for p in self.text.program.params):
            raise NotCovered(f"{name}, which may have no value")
        return Both(name, name)

    def stored(self, name: str) -> Value:
        value = self.values[name]
        if isinstance(value, str):
            raise NotCovered(f"{name}, which the listed places do not keep")
        return value

    def input(self, array: str, cell: str) -> Value:
        """An input, or its cell with a known index, which keeps its change."""
        self.values[cell] = value = self.label(array, self.shared.stream(array, "cells"), ("cell", cell))
        return value

    def cell(self, expr: ast.Index) -> Value:
        """The value of a cell."""
        array, index = expr.array, self.number(expr.index)
        name = f"{array}[{index.constant}]"
        if index.known and name in self.values:
            return self.stored(name)
        if array in self.text.domains:
            return self.input(array, name) if index.known else self.some_cell(array, index)
        kept = [self.values[other] for other in self.cells_of(array)]
        kept += [value for key, value in self.written.items() if isinstance(key, tuple) and key[0] == array]
        if array not in self.text.outputs or not all(map(self.is_public, kept)):
            raise NotCovered(f"{array}, an array that is kept")
        return self.new("public", "cell")

    def some_cell(self, array: str, index: Number) -> Value:
        """A cell of an input, whose index is not known."""
        if not self.is_public(index):
            raise NotCovered(f"{array}, whose index is private")
        if (array, index) not in self.cells:
            (((s, c), *more),) = (list(index.terms),)
            key = (s[2], array, c, index.constant) if not more and s[:2] == ("public", "round") else None
            group = None if key is None else self.shared.stream(array, key)
            self.count += 1
            self.cells[array, index] = self.label(array, group, ("cell", self.count))
        return self.cells[array, index]

    def label(self, array: str, group: int | None, cell: Symbol) -> Value:
        """The change of a cell; ``group`` says which phase it belongs to, None: to none."""
        neighbours, domain = self.shared.neighbours, self.text.domains[array]
        full = neighbours.total
        left = full if group is None or full is None else self.phases.get(group, full)
        if domain.atoms:
            pairs = neighbours.pairs(domain, left)
            a, b = pairs[self.choose(len(pairs))]
            self.labels.append(str(a) if a == b else f"{a} / {b}")
            self.use(group, left, Fraction(a != b))
            return Both(a, b)
        changes = neighbours.changes(array, domain, left, self.sign)
        self.moves[cell] = change = changes[self.choose(len(changes))]
        self.labels.append(str(change))
        self.use(group, left, abs(change) if neighbours.kind == "l1" else Fraction(bool(change)))
        return symbol(*cell)

    def use(self, group: int | None, left: Fraction | None, amount: Fraction) -> None:
        if group is not None and left is not None and amount:
            self.phases[group] = left - amount

    # --- expressions

    def number(self, expr: ast.Expr) -> Number:
        value = self.value(expr)
        if not isinstance(value, Number):
            raise NotCovered("a name where a number is expected")
        return value

    def value(self, expr: ast.Expr) -> Value:
        """The value of an expression."""
        spend(4)
        match expr:
            case ast.Number(value):
                return number(fraction(value))
            case ast.Name(name):
                return self.read(name)
            case ast.Index():
                return self.cell(expr)
            case ast.Unary(ast.Op.NEG, operand):
                return multiple(self.number(operand), -1)
            case ast.Unary(_, operand):
                inner = self.value(operand)
                if isinstance(inner, Both):
                    return Both(truth(inner.left != "true"), truth(inner.right != "true"))
                return plain(truth(not self.is_true(inner)))
            case ast.Binary(op) if op in COMPARISONS or op in (ast.Op.AND, ast.Op.OR):
                return plain(truth(self.holds(expr)))
            case ast.Binary(op, left, right):
                return self.arithmetic(op, self.number(left), self.number(right))
            case ast.Call(function, arguments):
                return self.call(function, arguments)
            case ast.Fold():
                return self.fold(expr)
        raise NotCovered(f"{type(expr).__name__.lower()} in a program of any size")

    def arithmetic(self, op: ast.Op, a: Number, b: Number) -> Value:
        match op:
            case ast.Op.ADD | ast.Op.SUB:
                return plus(a, b, 1 if op is ast.Op.ADD else -1)
            case ast.Op.MUL if a.known or b.known:
                return multiple(b, a.constant) if a.known else multiple(a, b.constant)
            case ast.Op.DIV if b.known and b.constant:
                return multiple(a, 1 / b.constant)
        if a.known and b.known:
            return plain(fraction_of(combine(op, a.constant, b.constant)))
        return self.opaque(op.value, a, b)

    def opaque(self, name: str, *values: Number) -> Value:
        """The same function of the same public numbers has the same value, which is not known."""
        if not all(map(self.is_public, values)):
            raise NotCovered(f"{name} of private or random values")
        return symbol("public", "function", name, values)

    def fold(self, fold: ast.Fold) -> Value:
        """A range with known ends."""
        low, high = self.number(fold.low), self.number(fold.high)
        if not (low.known and high.known):
            raise NotCovered(f"{fold.kind} over a range of any size")
        outer, found = self.constants, list[Any]()
        for i in range(math.ceil(low.constant), math.floor(high.constant) + 1):
            self.constants = {**outer, fold.variable: Fraction(i)}
            found.append(self.number(fold.body) if fold.kind == "sum" else self.holds(fold.body))
            if fold.kind in ("forall", "exists") and found[-1] != (fold.kind == "forall"):
                break
        self.constants = outer
        match fold.kind:
            case "sum":
                return sum_of(found)
            case "count":
                return number(sum(found))
        return plain(truth(all(found) if fold.kind == "forall" else any(found)))

    def call(self, function: str, arguments: Sequence[ast.Expr]) -> Value:
        """The value of a function."""
        match function, arguments:
            case (("max" | "min" | "argmax" | "argmin"), (ast.Name(array),)) if (
                f"{function}({array})" in self.values
            ):
                return self.stored(f"{function}({array})")
            case "count", _:
                return number(sum(map(self.holds, self.flat(arguments))))
        values = [self.number(argument) for argument in self.flat(arguments)]
        match function:
            case "floor" | "ceil" | "mod":
                return self.rounded(function, values)
            case "sum":
                return sum_of(values)
            case "abs":
                return values[0] if self.positive(values[0], False) else multiple(values[0], -1)
            case "disc":
                x, *levels, last = values
                return next((y for y in levels if self.positive(plus(y, x, -1), False)), last)
            case "max" | "min" | "argmax" | "argmin":
                best = self.best(values, 1 if function.endswith("max") else -1)
                return number(best + 1) if function.startswith("arg") else values[best]
        raise NotCovered(f"the function {function} in a program of any size")

    def rounded(self, function: str, values: list[Number]) -> Value:
        if not all(value.known for value in values):
            return self.opaque(function, *values)
        a, *b = (value.constant for value in values)
        if function == "mod" and not b[0]:
            raise NotCovered("a remainder modulo 0")
        whole = math.floor(a) if function == "floor" else math.ceil(a)
        return number(a % b[0] if function == "mod" else whole)

    def best(self, values: list[Number], sign: int) -> int:
        """Which one wins; the first among equals."""
        best = self.choose(len(values))
        for i, value in enumerate(values):
            margin = multiple(plus(values[best], value, -1), sign)
            if i != best and not self.certainly(margin, strict=i < best):
                self.require(margin, ">" if i < best else ">=")
        return best

    def certainly(self, value: Number, strict: bool) -> bool:
        """Is it known to be >= 0 (> 0)?"""
        return value.known and (value.constant > 0 or (not strict and not value.constant))

    def flat(self, arguments: Iterable[ast.Expr]) -> list[ast.Expr]:
        """The arguments; an array of known size stands for its cells."""
        found: list[ast.Expr] = []
        for expr in arguments:
            size = self.size_of(expr.name) if isinstance(expr, ast.Name) else None
            if size is None or not isinstance(expr, ast.Name):
                found.append(expr)
            else:
                names = (f"${i}" for i in range(1, size + 1))
                found += [ast.Index(expr.name, ast.Name(i), span=expr.span) for i in names]
        return found

    def size_of(self, array: str) -> int | None:
        """The number of cells of an array, None for a scalar."""
        bound = self.text.bounds.get(array)
        if bound is None:
            return len(self.cells_of(array)) or None
        if names_of(bound) & self.text.symbolic:
            raise NotCovered(f"all cells of {array}")
        return int(as_number(value_of(bound, self.text.known)))

    # --- conditions

    def holds(self, expr: ast.Expr) -> bool:
        """The outcome of a condition."""
        match expr:
            case ast.Binary(ast.Op.AND, left, right):
                return self.holds(left) and self.holds(right)
            case ast.Binary(ast.Op.OR, left, right):
                return self.holds(left) or self.holds(right)
            case ast.Unary(ast.Op.NOT, operand):
                return not self.holds(operand)
            case ast.Binary(ast.Op.EQ | ast.Op.NE as op, left, right):
                return self.equal(self.value(left), self.value(right)) == (op is ast.Op.EQ)
            case ast.Binary(op, left, right) if op in COMPARISONS:
                difference = plus(self.number(left), self.number(right), -1)
                turned = op in (ast.Op.LE, ast.Op.LT)
                return self.positive(multiple(difference, -1 if turned else 1), op in (ast.Op.GT, ast.Op.LT))
        return self.is_true(self.value(expr))

    def is_true(self, value: Value) -> bool:
        """A truth value; the run on u' must have the same."""
        if isinstance(value, Both):
            if value.left != value.right:
                raise Broken
            return value.left == "true"
        if len(value.terms) != 1 or not self.is_public(value):
            raise NotCovered("a number where a condition is expected")
        return self.choose(2) == 0

    def equal(self, a: Value, b: Value) -> bool:
        """Are two values equal?"""
        if isinstance(a, Number) and isinstance(b, Number):
            return self.zero(plus(a, b, -1))
        if isinstance(a, Both) and isinstance(b, Both):
            return self.is_true(Both(truth(a.left == b.left), truth(a.right == b.right)))
        if not (self.is_public(a) and self.is_public(b)):
            raise NotCovered("a comparison of a number with a name")
        return self.choose(2) == 0

    # --- draws

    def drawn(self, source: ast.Distribution | ast.Expr) -> Value:
        """A random value."""
        match source:
            case ast.Noise(kind, rate, mean):
                return self.noise(kind, self.rate(rate), self.number(mean))
            case ast.Flip(p):
                q = combine(ast.Op.SUB, Fraction(1), value_of(p, self.numbers()))
                return self.finite([(plain("true"), self.chance(p)), (plain("false"), as_pair(q))])
            case ast.Choose(options):
                return self.finite([(self.value(v), self.chance(p)) for v, p in options])
            case ast.Uniform(support):
                values = self.members(support)
                return self.finite([(v, (constant(Fraction(1, len(values))), constant(1))) for v in values])
            case ast.ExpMechanism():
                return self.mechanism(source)
        raise NotCovered("a draw")

    def noise(self, kind: str, rate: Fraction, mean: Number) -> Value:
        form = self.form(mean)
        if kind == "DLap":
            factors = [c for _, c in mean.terms] + [mean.constant, *dict(form).values()]
            if any(c.denominator != 1 for c in factors):
                raise NotCovered("integer noise whose mean is not an integer")
        self.samples.append((kind, rate, form))
        drawn = symbol("sample", len(self.samples) - 1)
        if kind == "LapPlus":
            self.rows.append((plus(drawn, mean, -1), ">="))
        return drawn

    def numbers(self) -> dict[str, Plain | object]:
        """The scalars that are known numbers."""
        stored = {n: v.constant for n, v in self.values.items() if isinstance(v, Number) and v.known}
        return {**self.text.known, **stored, **self.constants}

    def chance(self, expr: ast.Expr) -> Pair:
        """A function of eps."""
        return as_pair(value_of(expr, self.numbers()))  # type: ignore[arg-type]

    def rate(self, expr: ast.Expr) -> Fraction:
        """The a of a rate a*eps."""
        top, bottom = self.chance(expr)
        if set(top) != {EPS} or bottom != constant(1) or top[EPS] <= 0:
            raise NotCovered("a rate that is not a number times eps")
        return top[EPS]

    def members(self, support: ast.FiniteSet) -> list[Value]:
        """The members of a set."""
        if isinstance(support, ast.SetOf):
            return [self.value(member) for member in support.members]
        low, high = self.number(support.low), self.number(support.high)
        if not (low.known and high.known):
            raise NotCovered("a draw from a set of any size")
        return [number(i) for i in range(math.ceil(low.constant), math.floor(high.constant) + 1)]

    def finite(self, options: Sequence[tuple[Value, Pair]]) -> Value:
        """A draw from finitely many values."""
        chances = tuple(p for _, p in options)
        self.shared.draws.setdefault(repr(chances), chances)
        if all(self.is_public(value) for value, _ in options):
            values = list(dict.fromkeys(value for value, _ in options))
            return values[self.choose(len(values))]
        left, right = dict[Plain, Pair](), dict[Plain, Pair]()
        for value, p in options:
            if not isinstance(value, Both):
                raise NotCovered("a choice of a private number")
            left[value.left] = together(left.get(value.left), p)
            right[value.right] = together(right.get(value.right), p)
        possible = [value for value, p in left.items() if p[0]]
        picked = possible[self.choose(len(possible))]
        if picked not in right or not right[picked][0]:
            raise Broken
        if not same(left[picked], right[picked]):
            self.draws.append(Chosen(left[picked], right[picked]))
        return plain(picked)

    def mechanism(self, draw: ast.ExpMechanism) -> Value:
        """The exponential mechanism (McSherry and Talwar, FOCS 2007, Theorem 6)."""
        rate, support = self.rate(draw.rate), draw.support
        if isinstance(support, ast.Range) and not self.number(support.high).known:
            value: Value = self.new("public", "drawn")
            sensitivity = self.sensitivity(draw)
        else:
            members = self.members(support)
            scores = [self.score(draw, member) for member in members]
            picked = self.choose(len(members))
            value, sensitivity = members[picked], max(scores) - scores[picked]
        if sensitivity:
            self.draws.append(Mechanism(rate, sensitivity))
        return value

    def score(self, draw: ast.ExpMechanism, member: Value) -> Fraction:
        """How much the score of a member changes."""
        self.values[draw.variable] = member
        change = dict(self.form(self.number(draw.score)))
        del self.values[draw.variable]
        if any(change):
            raise NotCovered("a score that is random")
        return change.get("", ZERO)

    def sensitivity(self, draw: ast.ExpMechanism) -> Fraction:
        """How far the changes of two scores can be apart, each over one cell of each input."""
        index = self.values[draw.variable] = self.new("public", "any")
        arrays = {array: ("cell", f"any {array}") for array in self.text.domains if array in self.text.bounds}
        cells, moves = self.cells, self.moves
        self.cells = {(array, index): symbol(*cell) for array, cell in arrays.items()}
        self.moves = {**moves, **dict.fromkeys(arrays.values(), ZERO)}
        score, found = dict(self.number(draw.score).terms), len(self.cells)
        if len(self.cells) > found or any(
            s[0] in ("sample", "live") or (s not in arrays.values() and moves.get(s)) for s in score
        ):
            raise NotCovered("a score that is not a sum of multiples of one cell of each input")
        self.cells, self.moves = cells, moves
        del self.values[draw.variable]
        spread, domains = self.shared.neighbours.spread, self.text.domains
        read = (array for array, s in arrays.items() if s in score)
        return sum((abs(score[arrays[array]]) * spread(array, domains[array]) for array in read), ZERO)


def fraction_of(value: object) -> Fraction:
    if not isinstance(value, Fraction):
        raise NotCovered("a parameter that is not a number")
    return value


def together(a: Pair | None, b: Pair) -> Pair:
    """The sum of two functions."""
    if a is None:
        return b
    return as_pair(combine(ast.Op.ADD, quotient(*a), quotient(*b)))


def sum_of(values: Sequence[Number]) -> Number:
    total = number(0)
    for value in values:
        total = plus(total, value)
    return total
