"""Python expressions to expressions of the syntax tree.

Lists are counted from 0 in Python and from 1 in the language: ``q[i]`` becomes ``q[i + 1]``,
``range(N)`` becomes ``0..N - 1``, and ``argmax(a)`` becomes ``argmax(a) - 1``.

In Python, noise is allowed inside an expression. It is drawn first, into an auxiliary variable: that
assignment goes to ``prelude``, which precedes the statement being read. Expressions have no side effects
and samples are independent of everything before them, so it does not matter that Python would sometimes
skip the draw (``b and flip(p)``).

Everything else is left to :mod:`~dipc.dipwhile.python.interpreter`, which also says what is wrong with it:
the refusals here are seen only where a claim for all sizes needs the loops.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager

from flint import fmpq

from dipc.dipwhile.python.operations import ARITHMETIC, COMPARISONS
from dipc.dipwhile.python.scope import Scope, number, unread
from dipc.dipwhile.python.source import FunctionText, Located
from dipc.dipwhile.python.words import scale_or_rate
from dipc.dipwhile.syntax import ast as dip
from dipc.dipwhile.syntax.ast import Assign, Binary, Block, Expr, Index, Name, Number, Op, Statement, Unary
from dipc.dipwhile.syntax.build import Argument, between, chained, noise_parameters, rational
from dipc.dipwhile.syntax.distributions import DISTRIBUTIONS
from dipc.dipwhile.syntax.functions import FUNCTIONS
from dipc.dipwhile.syntax.rates import grows_as_scale
from dipc.errors import InputError, Span

BINARY = {kind: op for kind, op, _ in (*ARITHMETIC.values(), *COMPARISONS.values()) if op is not None}
SIGNS: dict[type[ast.unaryop], Op] = {ast.USub: Op.NEG, ast.Not: Op.NOT}
FOLDS = {"all": "forall", "any": "exists", "sum": "sum"}
OF_LISTS = frozenset({"max", "min", "sum", "argmax", "argmin"})

ONE = Number(fmpq(1))


def plus_one(expr: Expr) -> Expr:
    """``expr + 1``, without the sum where that is easy: ``i`` for ``i - 1``, and ``1`` for ``0``."""
    match expr:
        case Number(value):
            return Number(value + 1, span=expr.span)
        case Binary(Op.SUB, left, Number(value)) if value == 1:
            return left
        case Binary(Op.SUB, left, Number(value)) if value > 1:
            return Binary(Op.SUB, left, Number(value - 1, span=expr.span), span=expr.span)
    return Binary(Op.ADD, expr, ONE, span=expr.span)


def minus_one(expr: Expr) -> Expr:
    """``expr - 1``, without the difference where that is easy."""
    match expr:
        case Number(value):
            return number(value - 1, expr.span)
        case Binary(Op.ADD, left, Number(value)) if value == 1:
            return left
    return Binary(Op.SUB, expr, ONE, span=expr.span)


class Expressions(ABC):
    """Reads the expressions of one function."""

    def __init__(self, scope: Scope, sizes: dict[str, Expr]) -> None:
        self.scope = scope
        self.text: FunctionText = scope.text
        self.sizes = sizes  # of all lists
        self.prelude: list[Statement] = []

    @contextmanager
    def collected(self) -> Iterator[list[Statement]]:
        """A separate prelude for a part that is not always executed."""
        outer, self.prelude = self.prelude, []
        try:
            yield self.prelude
        finally:
            self.prelude = outer

    @abstractmethod
    def filled(self, target: Name, node: ast.expr) -> Block:
        """The statements that make a list."""

    def unread(self, node: Located, what: str = "this") -> InputError:
        """The error for what is not read here."""
        return unread(self.text.span(node), what)

    def scalar(self, target: Name | Index, value: ast.expr) -> Block:
        """``target = value`` for one value, drawn or computed or either."""
        span = self.text.span(value)
        match value:
            case ast.Call(ast.Name(word)) if word in DISTRIBUTIONS:
                return (Assign(target, self.distribution(value), span=span),)
            case ast.IfExp(test, first, second):
                condition, then = self.read(test), self.apart(target, first)
                return (dip.If(((condition, then),), self.apart(target, second), span=span),)
        return (Assign(target, self.read(value), span=span),)

    def apart(self, target: Name | Index, value: ast.expr) -> Block:
        """``target = value`` preceded by its own draws."""
        with self.collected() as prelude:
            made = self.scalar(target, value)
        return (*prelude, *made)

    def auxiliary(self, stem: str, node: ast.expr) -> Name:
        """A new variable that is given the value of an expression, or a list, beforehand."""
        name = Name(self.scope.fresh(stem), span=self.text.span(node))
        self.prelude += self.filled(name, node) if stem == "list" else self.scalar(name, node)
        return name

    # --- expressions -------------------------------------------------------------------------

    def read(self, node: ast.expr) -> Expr:
        """The syntax of an expression; what must be drawn before goes to the prelude."""
        span = self.text.span(node)
        match node:
            case ast.Constant():
                return self.constant(node, span)
            case ast.Name():
                return self.scope.read(node)
            case ast.Subscript():
                return self.cell(node)
            case ast.UnaryOp(ast.UAdd(), operand):
                return self.read(operand)
            case ast.UnaryOp(op, operand) if type(op) in SIGNS:
                return Unary(SIGNS[type(op)], self.read(operand), span=span)
            case ast.BinOp(left, _, right):
                return self.arithmetic(node, self.read(left), self.read(right))
            case ast.BoolOp(op, values):
                return chained(Op.AND if isinstance(op, ast.And) else Op.OR, [self.read(v) for v in values])
            case ast.Compare():
                return self.comparison(node)
            case ast.IfExp():
                return self.auxiliary("either", node)
            case ast.Call():
                return self.call(node, span)
        raise self.unread(node)

    def constant(self, node: ast.Constant, span: Span) -> Expr:
        """A number, truth value or string."""
        match node.value:
            case float():
                return Number(rational(self.text.written(node).replace("_", ""), span), span=span)
            case bool() | int() | str() | None:
                return self.scope.constant(node.value, span)
        raise self.unread(node)

    def arithmetic(self, node: ast.BinOp | ast.AugAssign, left: Expr, right: Expr) -> Expr:
        """Two operands joined by the operator of a node."""
        span = self.text.span(node)
        match node.op:
            case ast.FloorDiv():
                return dip.Call("floor", (Binary(Op.DIV, left, right, span=span),), span=span)
            case ast.Mod():
                return dip.Call("mod", (left, right), span=span)
            case op if type(op) in BINARY:
                return Binary(BINARY[type(op)], left, right, span=span)
        raise self.unread(node)

    def comparison(self, node: ast.Compare) -> Expr:
        """``a < b < c`` is ``a < b and b < c``; ``x in {0, 1}`` is ``x == 0 or x == 1``."""
        links: list[Expr] = []
        left = self.read(node.left)
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            match op, comparator:
                case ast.In() | ast.NotIn(), ast.Set(values) | ast.List(values) | ast.Tuple(values) if (
                    values and comparator is node.comparators[-1]
                ):
                    span = self.text.span(node)
                    equal = [Binary(Op.EQ, left, self.read(value), span=span) for value in values]
                    inside = chained(Op.OR, equal)
                    links.append(inside if isinstance(op, ast.In) else Unary(Op.NOT, inside, span=span))
                case _ if type(op) in BINARY:
                    right = self.read(comparator)
                    span = between(left.span, right.span)
                    links.append(Binary(BINARY[type(op)], left, right, span=span))
                    left = right
                case _:
                    raise self.unread(node)
        return chained(Op.AND, links)

    # --- lists -------------------------------------------------------------------------------

    def cell(self, node: ast.expr) -> Index:
        """``a[i]``."""
        match node:
            case ast.Subscript(ast.Name(name), place) if name in self.sizes:
                index = self.read(place)
                if not isinstance(index, Unary):  # -1 counts from the end
                    return Index(name, plus_one(index), span=self.text.span(node))
        raise self.unread(node)

    def bounds(self, node: ast.expr) -> tuple[Expr, Expr] | None:
        """The first and the last number of ``range(...)``; None for something else."""
        match node:
            case ast.Call(ast.Name("range") as word, [stop], []) if self.scope.is_word(word):
                return Number(fmpq(0), span=self.text.span(node)), minus_one(self.read(stop))
            case ast.Call(ast.Name("range") as word, [start, stop] | [start, stop, ast.Constant(1)], []) if (
                self.scope.is_word(word)
            ):
                return self.read(start), minus_one(self.read(stop))
        return None

    def named_list(self, node: ast.expr) -> str | None:
        """The name of a list; None for another expression."""
        return node.id if isinstance(node, ast.Name) and node.id in self.sizes else None

    def repeated(self, target: ast.expr, iterable: ast.expr) -> tuple[str, Expr, Expr, dict[str, Expr]]:
        """``for target in iterable``: a counter, its bounds, and what the target's names mean."""
        span = self.text.span(iterable)
        range_ = self.bounds(iterable)
        match iterable, target:
            case _, ast.Name(name) if range_ is not None:
                self.scope.check_name(name, self.text.span(target))
                plain = name not in self.scope.locals and name not in self.scope.bound
                counter = name if plain else self.scope.fresh(name)
                return counter, *range_, {name: Name(counter, span=self.text.span(target))}
            case (
                ast.Call(ast.Name("enumerate"), [ast.Name(name)], []),
                ast.Tuple([ast.Name(index), ast.Name(value)]),
            ) if self.text.outside("enumerate") is enumerate and not self.scope.knows("enumerate"):
                pass
            case ast.Name(name), ast.Name(value):
                index = ""
            case _:
                name = ""
        if name not in self.sizes:
            raise self.unread(iterable)
        counter = self.scope.fresh(index or "i")
        place = Name(counter, span=span)
        means: dict[str, Expr] = {value: Index(name, plus_one(place), span=span)}
        if index:
            means[index] = place
        return counter, Number(fmpq(0), span=span), minus_one(self.sizes[name]), means

    @contextmanager
    def binding(self, means: dict[str, Expr]) -> Iterator[None]:
        """Let names have these meanings for a while."""
        self.scope.binders.append(means)
        try:
            yield
        finally:
            self.scope.binders.pop()

    # --- calls -------------------------------------------------------------------------------

    def call(self, node: ast.Call, span: Span) -> Expr:
        """A call of a word of dipc."""
        if not isinstance(node.func, ast.Name) or not self.scope.is_word(node.func):
            raise self.unread(node.func)
        word = node.func.id
        if word in DISTRIBUTIONS:
            return self.auxiliary(word.lower(), node)
        match word, node.args, node.keywords:
            case "all" | "any" | "sum", [ast.GeneratorExp(element, [generator])], []:
                return self.fold(word, element, generator, span)
            case "len", [ast.Name(name)], [] if name in self.sizes:
                return self.sizes[name]
            case _, arguments, [] if word in FUNCTIONS:
                result = dip.Call(word, self.arguments(word, arguments), span=span)
                if word in ("argmax", "argmin"):
                    return Binary(Op.SUB, result, ONE, span=span)
                return result
        raise self.unread(node)

    def arguments(self, word: str, nodes: list[ast.expr]) -> tuple[Expr, ...]:
        """The arguments of a function; a list as the only one may be written out."""
        match nodes:
            case [ast.List(values) | ast.Tuple(values)] if word in ("max", "min", "sum", "count") and values:
                nodes = values
            case [ast.List() | ast.Tuple() | ast.ListComp() | ast.GeneratorExp() as values] if (
                word in OF_LISTS
            ):
                return (self.auxiliary("list", values),)
            case [ast.Name(name)] if name in self.sizes and FUNCTIONS[word].arrays:
                return (Name(name, span=self.text.span(nodes[0])),)
        return tuple(self.read(node) for node in nodes)

    def fold(self, word: str, element: ast.expr, generator: ast.comprehension, span: Span) -> Expr:
        """``all``, ``any`` or ``sum`` over a range or a list; ``if`` only to count."""
        counter, low, high, means = self.repeated(generator.target, generator.iter)
        ones = bool(generator.ifs) and is_one(element)
        counts = word == "sum" and (is_boolean(element) or ones)
        with self.binding(means), self.collected() as prelude:
            parts = [self.read(part) for part in (*generator.ifs, *(() if ones else (element,)))]
        if prelude or (generator.ifs and not counts):
            raise self.unread(element)
        body = chained(Op.AND, parts)
        return dip.Fold("count" if counts else FOLDS[word], counter, low, high, body, span=span)

    # --- distributions -----------------------------------------------------------------------

    def distribution(self, node: ast.Call) -> dip.Distribution:
        """The distribution that a call draws from."""
        assert isinstance(node.func, ast.Name)
        word, span = node.func.id, self.text.span(node)
        if not self.scope.is_word(node.func):
            raise self.unread(node.func)
        match word, node.args, node.keywords:
            case "flip", [probability], []:
                return dip.Flip(self.read(probability), span=span)
            case "choose", [ast.Dict([_, *_] as keys, values)], [] if None not in keys:
                pairs = zip(keys, values, strict=True)
                options = tuple((self.read(value), self.read(p)) for value, p in pairs if value is not None)
                return dip.Choose(options, span=span)
            case "uniform", [support], []:
                return dip.Uniform(self.finite_set(support), span=span)
            case "Exp", [rate, values, ast.Lambda(ast.arguments([], [v], None, [], [], None, []), score)], []:
                return self.exp_mechanism(span, rate, values, v, score)
            case (("Lap" | "LapPlus" | "DLap"), _, _):
                return self.noise(node, word)
        raise self.unread(node)

    def noise(self, node: ast.Call, word: str) -> dip.Noise:
        """``Lap(rate, mean)``, ``Lap(scale=s, mean=m)`` ..."""
        span = self.text.span(node)
        given: list[Argument] = [(None, self.text.span(each), self.read(each)) for each in node.args]
        given += [(each.arg, self.text.span(each), self.read(each.value)) for each in node.keywords]
        if any(each.arg is None for each in node.keywords):
            raise self.unread(node)
        if node.args and grows_as_scale(given[0][2]):
            message, hint = scale_or_rate(word, self.text.written(node.args[0]))
            raise InputError(message, span, hint)
        if len(node.args) < 2 and all(name in ("rate", "scale") for name, *_ in given if name is not None):
            given.append(("mean", span, Number(fmpq(0), span=span)))
        rate, mean = noise_parameters(word, self.text.span(node.func), given)
        return dip.Noise(word, rate, mean, span=span)

    def exp_mechanism(
        self, span: Span, rate: ast.expr, values: ast.expr, argument: ast.arg, score: ast.expr
    ) -> dip.ExpMechanism:
        """``Exp(rate, values, lambda v: score)``."""
        name, place = argument.arg, self.text.span(argument)
        self.scope.check_name(name, place)
        variable = self.scope.fresh(name) if self.scope.knows(name) else name
        read_rate, support = self.read(rate), self.finite_set(values)
        with self.binding({name: Name(variable, span=place)}), self.collected() as prelude:
            read_score = self.read(score)
        if prelude:
            raise self.unread(score)
        return dip.ExpMechanism(read_rate, variable, support, read_score, span=span)

    def finite_set(self, node: ast.expr) -> dip.FiniteSet:
        """A range, or values written out; only a set may repeat a value."""
        span = self.text.span(node)
        bounds = self.bounds(node)
        if bounds is not None:
            return dip.Range(*bounds, span=span)
        match node:
            case ast.Set(values) | ast.List(values) | ast.Tuple(values) if values:
                members = tuple(self.read(value) for value in values)
                if isinstance(node, ast.Set) or len(set(members)) == len(members):
                    return dip.SetOf(members, span=span)
        raise self.unread(node)


def is_boolean(node: ast.expr) -> bool:
    """Is this certainly a truth value, by its form?"""
    match node:
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp(ast.Not()) | ast.Constant(True | False):
            return True
    return False


def is_one(node: ast.expr) -> bool:
    """Is this the number 1?"""
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == 1
