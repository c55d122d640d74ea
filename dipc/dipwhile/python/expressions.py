"""Python expressions to expressions of the syntax tree.

Lists are counted from 0 in Python and from 1 in the language: ``q[i]`` becomes ``q[i + 1]``,
``range(N)`` becomes ``0..N - 1``, and ``argmax(a)`` becomes ``argmax(a) - 1``.

In Python, noise is allowed inside an expression. It is drawn first, into an auxiliary variable: that
assignment goes to ``prelude``, which precedes the statement being read. Expressions have no side effects
and samples are independent of everything before them, so it does not matter that Python would sometimes
skip the draw (``b and flip(p)``).
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager

from flint import fmpq

from dipc.dipwhile.python.errors import EXPRESSIONS, OPERATORS, UnknownCall
from dipc.dipwhile.python.scope import ABSENT, Scope, exact_number, number
from dipc.dipwhile.python.source import FunctionText, Located
from dipc.dipwhile.python.words import MEANINGS, scale_or_rate
from dipc.dipwhile.syntax import ast as dip
from dipc.dipwhile.syntax.ast import Assign, Binary, Block, Expr, Index, Name, Number, Op, Statement, Unary
from dipc.dipwhile.syntax.build import LONGEST_NUMBER, Argument, between, chained, noise_parameters, rational
from dipc.dipwhile.syntax.distributions import DISTRIBUTIONS
from dipc.dipwhile.syntax.functions import FUNCTIONS
from dipc.dipwhile.syntax.rates import grows_as_scale
from dipc.errors import InputError, Span

ARITHMETIC: dict[type[ast.operator], Op] = {
    ast.Add: Op.ADD,
    ast.Sub: Op.SUB,
    ast.Mult: Op.MUL,
    ast.Div: Op.DIV,
    ast.Pow: Op.POW,
}
COMPARISONS: dict[type[ast.cmpop], Op] = {
    ast.Eq: Op.EQ,
    ast.NotEq: Op.NE,
    ast.Lt: Op.LT,
    ast.LtE: Op.LE,
    ast.Gt: Op.GT,
    ast.GtE: Op.GE,
}
FOLDS = {"all": "forall", "any": "exists", "sum": "sum"}
USAGE = {
    "Exp": "Exp(eps/2, range(N), lambda v: q[v])",
    "choose": "choose({0: 1/2, 1: 1/2})",
    "flip": "flip(1/2)",
    "uniform": "uniform(range(1, 4))",
}
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
        self.error = scope.text.mistake
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
            case ast.UnaryOp(ast.USub(), operand):
                return Unary(Op.NEG, self.read(operand), span=span)
            case ast.UnaryOp(ast.Not(), operand):
                return Unary(Op.NOT, self.read(operand), span=span)
            case ast.UnaryOp(op):
                raise self.refused(node, OPERATORS[type(op)])
            case ast.BinOp(left, op, right):
                operands = self.read(left), self.read(right)
                self.check_operator(node, op)
                return self.arithmetic(node, *operands)
            case ast.BoolOp(op, values):
                return chained(Op.AND if isinstance(op, ast.And) else Op.OR, [self.read(v) for v in values])
            case ast.Compare():
                return self.comparison(node)
            case ast.IfExp():
                return self.auxiliary("either", node)
            case ast.Call():
                return self.call(node, span)
        raise self.refused(node, EXPRESSIONS.get(type(node), ("this expression", "write it with operators")))

    def refused(self, node: Located, reason: tuple[str, str]) -> InputError:
        """The error for what the language does not have: what it is, and what to write instead."""
        return self.error(node, f"{reason[0]} is not allowed here in a mechanism", reason[1])

    def constant(self, node: ast.Constant, span: Span) -> Expr:
        """A number, truth value or string."""
        match node.value:
            case bool():
                return Name(str(node.value).lower(), span=span)
            case int():
                if node.value.bit_length() > 4 * LONGEST_NUMBER:
                    raise InputError(f"this number has more than {LONGEST_NUMBER} digits", span)
                return Number(fmpq(node.value), span=span)
            case float():
                return Number(rational(self.text.written(node).replace("_", ""), span), span=span)
            case str():
                return self.scope.atom(node.value, span)
            case None:
                return self.scope.atom("None", span)
        hint = "values are numbers, True, False, None and strings"
        raise InputError(f"`{node.value!r}` is not a value of dipc", span, hint)

    def arithmetic(self, node: ast.BinOp | ast.AugAssign, left: Expr, right: Expr) -> Expr:
        """Two operands joined by the operator of a node."""
        span = self.text.span(node)
        if isinstance(node.op, ast.FloorDiv):
            return dip.Call("floor", (Binary(Op.DIV, left, right, span=span),), span=span)
        if isinstance(node.op, ast.Mod):
            return dip.Call("mod", (left, right), span=span)
        return Binary(ARITHMETIC[type(node.op)], left, right, span=span)

    def check_operator(self, node: Located, op: ast.AST) -> None:
        """Refuse an operator that the language does not have."""
        if type(op) in OPERATORS:
            raise self.refused(node, OPERATORS[type(op)])

    def comparison(self, node: ast.Compare) -> Expr:
        """``a < b < c`` is ``a < b and b < c``; ``x in {0, 1}`` is ``x == 0 or x == 1``."""
        links: list[Expr] = []
        left = self.read(node.left)
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            if isinstance(op, ast.In | ast.NotIn):
                if len(node.ops) > 1:
                    raise self.refused(node, ("`in` within a chain of comparisons", "use `and`"))
                return self.member(left, op, comparator, self.text.span(node))
            self.check_operator(node, op)
            right = self.read(comparator)
            links.append(Binary(COMPARISONS[type(op)], left, right, span=between(left.span, right.span)))
            left = right
        return chained(Op.AND, links)

    def member(self, left: Expr, op: ast.In | ast.NotIn, node: ast.expr, span: Span) -> Expr:
        """``x in {0, 1}`` as a disjunction of equalities."""
        if not isinstance(node, ast.Set | ast.List | ast.Tuple) or not node.elts:
            raise self.refused(node, ("`in` with this", "write the values out: `x in {0, 1}`"))
        inside = chained(Op.OR, [Binary(Op.EQ, left, self.read(value), span=span) for value in node.elts])
        return Unary(Op.NOT, inside, span=span) if isinstance(op, ast.NotIn) else inside

    # --- lists -------------------------------------------------------------------------------

    def cell(self, node: ast.Subscript) -> Index:
        """``a[i]``."""
        span = self.text.span(node)
        if not isinstance(node.value, ast.Name):
            raise self.refused(node, ("an index into this", "a list has a name and one index: `a[i]`"))
        if isinstance(node.slice, ast.Slice):
            raise self.refused(node, EXPRESSIONS[ast.Slice])
        if isinstance(node.slice, ast.Tuple):
            raise self.refused(node, ("more than one index", "lists have one index: `a[i]`"))
        name = node.value.id
        if name not in self.sizes:
            raise self.no_list(node.value)
        index = self.read(node.slice)
        match index:
            case Unary(Op.NEG, Number(value)):
                size = self.text.written(node.value)
                hint = f"write `{size}[len({size}) - {value}]`"
                raise self.error(node.slice, f"the index -{value} counts from the end", hint)
        return Index(name, plus_one(index), span=span)

    def no_list(self, node: ast.Name) -> InputError:
        """The error for an index into something that is not a list."""
        name = node.id
        if name in self.scope.inputs | self.scope.outputs | self.scope.constants.keys():
            return self.error(node, f"`{name}` is not a list", "remove the index")
        message, hint = f"`{name}` is not a list of this function", f"create it first: `{name} = [0] * N`"
        if self.scope.knows(name):
            message = f"no list `{name}` has been created here"
        elif isinstance(self.scope.outside(name), list | tuple):
            hint = "copy its values into a list of the function first"
        return self.error(node, message, hint)

    def bounds(self, node: ast.expr) -> tuple[Expr, Expr] | None:
        """The first and the last number of ``range(...)``; None for something else."""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)) or node.keywords:
            return None
        if node.func.id != "range":
            return None
        self.scope.check_word(node.func, "range")
        match node.args:
            case [stop]:
                return Number(fmpq(0), span=self.text.span(node)), minus_one(self.read(stop))
            case [start, stop] | [start, stop, ast.Constant(1)]:
                return self.read(start), minus_one(self.read(stop))
        raise self.error(node, "a `range` must have step 1 here", "write `range(N)` or `range(1, N)`")

    def named_list(self, node: ast.expr) -> str | None:
        """The name of a list; None for another expression."""
        return node.id if isinstance(node, ast.Name) and node.id in self.sizes else None

    def repeated(self, target: ast.expr, iterable: ast.expr) -> tuple[str, Expr, Expr, dict[str, Expr]]:
        """``for target in iterable``: a counter, its bounds, and what the target's names mean."""
        span = self.text.span(iterable)
        range_ = self.bounds(iterable)
        if range_ is not None:
            if not isinstance(target, ast.Name):
                raise self.error(target, "a `range` gives one number at a time", "write `for i in range(N)`")
            self.scope.check_name(target.id, self.text.span(target))
            plain = target.id not in self.scope.locals and target.id not in self.scope.bound
            counter = target.id if plain else self.scope.fresh(target.id)
            return counter, *range_, {target.id: Name(counter, span=self.text.span(target))}
        match iterable, target:
            case ast.Call(ast.Name("enumerate"), [ast.Name(name)], []), ast.Tuple(
                [ast.Name(index), ast.Name(value)]
            ):
                pass
            case ast.Name(name), ast.Name(value):
                index = ""
            case _:
                name = ""
        if name not in self.sizes:
            hint = "write `for i in range(N)` or `for x in q`"
            raise self.error(iterable, "a loop runs over a `range` or a list", hint)
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
        if not isinstance(node.func, ast.Name):
            hint = "only dipc's own words can be called, by their names"
            if isinstance(node.func, ast.Attribute) and node.func.attr in MEANINGS:
                hint = f"write `{node.func.attr}(...)`, which needs no module"
            message = f"`{self.text.written(node.func)}` cannot be called here"
            raise UnknownCall(message, self.text.span(node.func), hint)
        word = node.func.id
        self.scope.check_called(node.func)
        if word in DISTRIBUTIONS:
            return self.auxiliary(word.lower(), node)
        if node.keywords:
            raise self.error(node.keywords[0], f"`{word}` has no such argument", "remove its name")
        match word, node.args:
            case (("all" | "any" | "sum"), [ast.GeneratorExp() as generator]):
                return self.fold(word, generator, span)
            case (("all" | "any" | "range"), _):
                usage = "all(q[i] >= 0 for i in range(N))" if word != "range" else "for i in range(N):"
                raise self.error(node, f"`{word}` cannot be used here like this", f"write `{usage}`")
            case "len", [ast.Name(name)] if name in self.sizes:
                return self.sizes[name]
            case "len", [listed]:
                raise self.error(listed, "the length of this is not known", "`len` takes a list: `len(q)`")
            case "len", _:
                raise self.error(node, "`len` takes one list", "write `len(q)`")
        result = dip.Call(word, self.arguments(word, node.args), span=span)
        if word in ("argmax", "argmin"):
            return Binary(Op.SUB, result, ONE, span=span)
        return result

    def arguments(self, word: str, nodes: list[ast.expr]) -> tuple[Expr, ...]:
        """The arguments of a function; a list as the only one may be written out."""
        match nodes:
            case [ast.List(values) | ast.Tuple(values)] if word in ("max", "min", "sum", "count") and values:
                nodes = values
            case [ast.List() | ast.Tuple() | ast.ListComp() | ast.GeneratorExp() as values] if (
                word in OF_LISTS
            ):
                return (self.auxiliary("list", values),)
            case [ast.Name(name)] if name in self.sizes and word in FUNCTIONS and FUNCTIONS[word].arrays:
                return (Name(name, span=self.text.span(nodes[0])),)
        return tuple(self.read(node) for node in nodes)

    def fold(self, word: str, node: ast.GeneratorExp, span: Span) -> Expr:
        """``all``, ``any`` or ``sum`` over a range or a list."""
        if len(node.generators) > 1:
            hint = f"nest them: `{word}({word}(...) for i in ...)`"
            raise self.error(node.generators[1].target, "one `for` at a time", hint)
        (generator,) = node.generators
        counter, low, high, means = self.repeated(generator.target, generator.iter)
        with self.binding(means), self.collected() as prelude:
            conditions = [self.read(test) for test in generator.ifs]
            counts = word == "sum" and (is_boolean(node.elt) or (bool(conditions) and is_one(node.elt)))
            if counts and is_one(node.elt):
                body = chained(Op.AND, conditions)
            else:
                body = self.guarded(word, counts, conditions, node.elt)
        if prelude:
            hint = f"fill a list first: `a = [... for i in range(N)]`, then `{word}` of it"
            raise InputError(f"nothing can be drawn or chosen inside `{word}`", prelude[0].span, hint)
        return dip.Fold("count" if counts else FOLDS[word], counter, low, high, body, span=span)

    def guarded(self, word: str, counts: bool, conditions: list[Expr], element: ast.expr) -> Expr:
        """The element where the conditions after ``if`` hold."""
        body = self.read(element)
        if not conditions:
            return body
        guard = chained(Op.AND, conditions)
        if word == "all":
            return Binary(Op.OR, Unary(Op.NOT, guard, span=guard.span), body, span=body.span)
        if word == "any" or counts:
            return Binary(Op.AND, guard, body, span=body.span)
        hint = "count with `sum(1 for ... if ...)`, or use a loop"
        raise InputError("a filtered sum is not supported", guard.span, hint)

    # --- distributions -----------------------------------------------------------------------

    def distribution(self, node: ast.Call) -> dip.Distribution:
        """The distribution that a call draws from."""
        assert isinstance(node.func, ast.Name)
        self.scope.check_called(node.func)
        word, span = node.func.id, self.text.span(node)
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
        if word in USAGE:
            raise self.error(node, f"`{word}` does not take these arguments", f"usage: `{USAGE[word]}`")
        return self.noise(node, word)

    def noise(self, node: ast.Call, word: str) -> dip.Noise:
        """``Lap(rate, mean)``, ``Lap(scale=s, mean=m)`` ..."""
        given: list[Argument] = []
        for argument in (*node.args, *node.keywords):
            match argument:
                case ast.Starred() | ast.keyword(None):
                    stars = "`*`" if isinstance(argument, ast.Starred) else "`**`"
                    raise self.refused(argument, (stars, "write both arguments"))
                case ast.keyword(str(name), value):
                    given.append((name, self.text.start_of(argument, len(name)), self.read(value)))
                case ast.expr():
                    given.append((None, self.text.span(argument), self.read(argument)))
        if given and given[0][0] is None and grows_as_scale(given[0][2]):
            raise self.error(node, *scale_or_rate(word, self.text.written(node.args[0])))
        if len(node.args) < 2 and all(name in ("rate", "scale") for name, *_ in given if name is not None):
            given.append(("mean", self.text.span(node), Number(fmpq(0), span=self.text.span(node))))
        rate, mean = noise_parameters(word, self.text.span(node.func), given)
        return dip.Noise(word, rate, mean, span=self.text.span(node))

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
            raise self.error(score, "a score must not draw or choose anything", "do so on an earlier line")
        return dip.ExpMechanism(read_rate, variable, support, read_score, span=span)

    def finite_set(self, node: ast.expr) -> dip.FiniteSet:
        """A range, or values written out, or a collection of constants from outside."""
        span = self.text.span(node)
        bounds = self.bounds(node)
        if bounds is not None:
            return dip.Range(*bounds, span=span)
        match node:
            case ast.Set(values) | ast.List(values) | ast.Tuple(values) if values:
                members = tuple(self.read(value) for value in values)
            case ast.Name(name) if name not in self.sizes:
                members = self.constants(node)
            case _:
                raise self.error(node, "this is not a finite set", "write `range(N)` or the values: `{0, 1}`")
        if len(set(members)) < len(members) and not isinstance(node, ast.Set):  # sets ignore repetitions
            hint = "list every value once; if some are more likely, use `choose`: `choose({0: 2/3, 1: 1/3})`"
            raise self.error(node, "a value appears here twice", hint)
        return dip.SetOf(members, span=span)

    def constants(self, node: ast.Name) -> tuple[Expr, ...]:
        """The values of a list, tuple or range from outside the function."""
        span, scope = self.text.span(node), self.scope
        value = ABSENT if node.id in scope.variables | scope.loops else scope.outside(node.id)
        if not isinstance(value, list | tuple | range) or not value:
            raise self.error(node, f"`{node.id}` is not a finite set", "write the values: `{0, 1}`")
        found: list[Expr] = []
        for member in value:
            exact = exact_number(member)
            read = scope.symbol(member, span) if exact is None else number(exact, span)
            if read is None:
                hint = "use exact numbers, True, False and strings"
                raise self.error(node, f"`{node.id}` holds {member!r}", hint)
            found.append(read)
        return tuple(found)


def is_boolean(node: ast.expr) -> bool:
    """Is this certainly a truth value, by its form?"""
    match node:
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp(ast.Not()) | ast.Constant(True | False):
            return True
    return False


def is_one(node: ast.expr) -> bool:
    """Is this the number 1?"""
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == 1
