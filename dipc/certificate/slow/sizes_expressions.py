"""The values of expressions on a path of a program of any size, in two runs that decide alike.

Outcomes of comparisons and changes of cells are choices, which a script prescribes.  What happens on the way
are samples, guards and costs, as in a certificate.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import Any

from dipc.certificate.slow.functions import Draw, NotCovered, Pair
from dipc.certificate.slow.paths import COMPARISONS
from dipc.certificate.slow.programs import value_of
from dipc.certificate.slow.sizes_neighbours import Neighbours, operands
from dipc.certificate.slow.sizes_text import Items, Text, names_of
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
from dipc.certificate.slow.values import as_number, combine, fraction, truth
from dipc.dipwhile.syntax import ast
from dipc.kernel.facts import ZERO

CONDITIONS = (*COMPARISONS, ast.Op.AND, ast.Op.OR)


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
class Evaluation:
    """A path that is being followed: what is known there, and what happened on the way."""

    shared: Shared
    begin: Moment
    rows: list[Row]
    script: Sequence[int]
    begun: bool = False  # is the beginning a place of its own, even if a loop comes first?
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
            match kept:
                case Random(of):
                    self.values[name] = symbol("live", of)
                case Moves(by):
                    self.moves["cell", name] = by
                    self.values[name] = symbol("cell", name)
                case "unknown":
                    self.values[name] = symbol("public", "variable", name)
                case _:
                    self.values[name] = kept

    def choose(self, options: int) -> int:
        """One of so many options."""
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
            return self.certainly(value, strict)
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

    # --- variables

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
        return numeric(self.value(expr))

    def value(self, expr: ast.Expr) -> Value:
        """The value of an expression."""
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
            case ast.Binary(op) if op in CONDITIONS:
                return plain(truth(self.holds(expr)))
            case ast.Binary():
                return self.chain(expr)
            case ast.Call(function, arguments):
                return self.call(function, arguments)
            case ast.Fold():
                return self.fold(expr)
        raise NotCovered(f"{type(expr).__name__.lower()} in a program of any size")

    def chain(self, expr: ast.Binary) -> Value:
        """The value of arithmetic, from the left to the right."""
        links = [expr]
        while isinstance(left := links[-1].left, ast.Binary) and left.op not in CONDITIONS:
            links.append(left)
        result = self.value(left)
        for node in reversed(links):
            result = self.arithmetic(node.op, numeric(result), self.number(node.right))
        return result

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
            case ast.Binary(ast.Op.AND):
                return all(map(self.holds, operands(expr, ast.Op.AND)))
            case ast.Binary(ast.Op.OR):
                return any(map(self.holds, operands(expr, ast.Op.OR)))
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


def numeric(value: Value) -> Number:
    if not isinstance(value, Number):
        raise NotCovered("a name where a number is expected")
    return value


def fraction_of(value: object) -> Fraction:
    if not isinstance(value, Fraction):
        raise NotCovered("a parameter that is not a number")
    return value


def sum_of(values: Sequence[Number]) -> Number:
    return reduce(plus, values, number(0))
