"""From lark's tree to the syntax tree: one method per rule of ``grammar.lark``.

A method gets the ``meta`` of its rule (its place in the text) and the rule's children, already
built.  Optional parts that are absent arrive as None.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any

from flint import fmpq
from lark import Token, Transformer_NonRecursive, v_args
from lark.tree import Meta

from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.fragment import violation
from dipc.dipwhile.syntax.functions import FOLDS
from dipc.dipwhile.syntax.layout import NUMBERS
from dipc.dipwhile.syntax.printer import as_written
from dipc.errors import InputError, Source, Span
from dipc.frozen import frozen
from dipc.models.values import Atom, Value
from dipc.suggest import did_you_mean

OPERATORS = {op.value: op for op in ast.Op} | {"≠": ast.Op.NE, "≤": ast.Op.LE, "≥": ast.Op.GE}

Valuation = dict[str, Value | tuple[Value, ...]]

LONGEST_NUMBER = 1000
"""Digits a number may have, written out."""


Argument = tuple[str | None, Span, ast.Expr]
"""A keyword, or None, with its place, and the value."""


@frozen
class Item:
    """A line of ``param``, ``input`` or ``output`` declarations."""

    kind: str
    members: tuple[Any, ...]
    span: Span


def made(kind: type[ast.Node], place: str = "", gather: int | None = None) -> Callable[..., ast.Node]:
    """The method for a rule whose parts are the fields of a node, but for signs such as ``<-``.

    The node's place is that of the rule, its ``name``, or the word that the rule begins with.  ``gather``:
    the parts from this one on are one field.
    """

    def build(self: Builder, meta: Meta, *parts: Any) -> ast.Node:
        fields: list[Any] = []
        for part in parts:
            if not isinstance(part, Token):
                fields.append(part)
            elif part.type not in ("ARROW", "EPS"):
                fields.append(part.value)
        if gather is not None:
            fields[gather:] = [tuple(fields[gather:])]
        span = self._at(parts[0] if place == "name" else meta)
        return kind(*fields, span=self._keyword(meta, place) if place == "while" else span)

    return build


def listed(word: str) -> Callable[..., Item]:
    """The method for a line of declarations that begins with a word."""

    def build(self: Builder, meta: Meta, *members: Any) -> Item:
        return Item(word, members, self._keyword(meta, word))

    return build


def gathered(self: Builder, meta: Meta, *parts: Any) -> tuple[Any, ...]:
    """The method for a rule that only groups its parts, for the rule around it."""
    return parts


@v_args(meta=True, inline=True)
class Builder(Transformer_NonRecursive[Token, Any]):
    """Builds the syntax tree of one source."""

    def __init__(self, source: Source) -> None:
        super().__init__(visit_tokens=False)
        self.source = source

    def _at(self, place: Meta | Token) -> Span:
        """The span of a rule or a token, of a rule without text the beginning."""
        return Span(self.source, getattr(place, "start_pos", 0), getattr(place, "end_pos", 0))

    def _keyword(self, meta: Meta, word: str) -> Span:
        """The word a rule begins with."""
        start = self._at(meta).start
        return Span(self.source, start, start + len(word))

    block = branch = options = option = noise_argument = binder = literals = binding = gathered
    param_list, input_list, output_list = listed("param"), listed("input"), listed("output")
    range, flip, uniform, choose = made(ast.Range), made(ast.Flip), made(ast.Uniform), made(ast.Choose)
    formula_adjacency, named_adjacency = made(ast.FormulaAdjacency), made(ast.NamedAdjacency)
    assign, exit_, exp_mechanism, eps = map(made, (ast.Assign, ast.Exit, ast.ExpMechanism, ast.Eps))
    sentence = made(ast.Sentence)
    param, declaration, for_ = (made(kind, "name") for kind in (ast.Param, ast.Declaration, ast.For))
    unknown, secret_for = made(ast.Unknown, "name"), made(ast.SecretFor, "name", gather=3)
    set_of, call, while_ = made(ast.SetOf, gather=0), made(ast.Call, gather=1), made(ast.While, "while")

    # --- the program and its declarations ----------------------------------------------------

    def program(self, meta: Meta, *items: Item) -> ast.Program:
        """The whole program; :func:`assemble` checks the order of its lines."""
        return assemble(items, self._at(meta))

    def numbers(self, meta: Meta, name: Token) -> ast.Domain:
        """``reals`` or ``integers``."""
        if name not in ALL:
            raise no_set(str(name), self._at(name))
        return ALL[str(name)](span=self._at(name))

    def between(self, meta: Meta, interval: ast.Interval) -> ast.Between:
        """A closed interval."""
        if interval.high is None or not (interval.low_closed and interval.high_closed):
            high = "1" if interval.high is None else as_written(interval.high)
            hint = f"write `in [{as_written(interval.low)}, {high}]`, or `in reals` for all real numbers"
            raise InputError("an interval of values has both its ends", interval.span, hint)
        return ast.Between(interval.low, interval.high, span=self._at(meta))

    def claim(
        self, meta: Meta, measure: Any, epsilon: ast.Expr, delta: Any, _eps: Any, interval: Any, sizes: Any
    ) -> ast.Claim:
        span = self._at(meta)
        if measure is None:
            return ast.Claim(epsilon, delta, interval, sizes or (), span=span)
        if (delta is None) == (measure == "renyi"):
            hint = "for example `range 2*eps`, or `renyi 2, eps`: an order, then epsilon"
            message = (
                "a claim of bounded range has no delta" if delta else "the epsilon of the claim is missing"
            )
            raise InputError(message, span, hint)
        order, bound = (epsilon, delta) if measure == "renyi" else (None, epsilon)
        return ast.Claim(bound, None, interval, sizes or (), str(measure), order, span=span)

    def sizes(self, meta: Meta, every: Token, *names: Token) -> tuple[ast.Name, ...]:
        """The names after ``for all``."""
        if every != "all":
            hint = f"write `for all {', '.join(names)}`"
            raise InputError(f"expected `all`, found `{every}`", self._at(every), hint)
        return tuple(ast.Name(str(name), span=self._at(name)) for name in names)

    def accurate(
        self, meta: Meta, good: ast.Expr, beta: ast.Expr, word: Any, condition: Any, _eps: Any, interval: Any
    ) -> ast.AccurateClaim:
        if word is not None and word != "when":
            hint = "write `accurate GOOD, BETA when CONDITION`"
            raise InputError(f"expected `when`, found `{word}`", self._at(word), hint)
        return ast.AccurateClaim(good, beta, condition, interval, span=self._at(meta))

    def interval(self, meta: Meta, opening: Token, low: ast.Expr, high: Any, closing: Token) -> ast.Interval:
        end = None if isinstance(high, Token) else high
        return ast.Interval(low, end, opening == "[", closing == "]", span=self._at(meta))

    def prior(self, meta: Meta, name: Token | None, body: ast.Block = ()) -> ast.Prior:
        return ast.Prior(None if name is None else str(name), body, span=self._keyword(meta, "prior"))

    def secret(self, meta: Meta, left: ast.Expr, sign: Token, right: ast.Expr) -> ast.Secret:
        return ast.Secret(left, right, sign == "->", span=self._at(meta))

    # --- statements --------------------------------------------------------------------------

    def if_(self, meta: Meta, *parts: Any) -> ast.If:
        """The branches, and an ``else`` or None."""
        *branches, otherwise = parts
        return ast.If(tuple(branches), otherwise or (), span=self._keyword(meta, "if"))

    # --- distributions -----------------------------------------------------------------------

    def noise(self, meta: Meta, kind: Token, *arguments: tuple[Token | None, ast.Expr]) -> ast.Noise:
        given: list[Argument] = [
            (None, value.span, value) if keyword is None else (str(keyword), self._at(keyword), value)
            for keyword, value in arguments
        ]
        rate, mean = noise_parameters(str(kind), self._at(kind), given)
        return ast.Noise(str(kind), rate, mean, span=self._at(meta))

    # --- expressions -------------------------------------------------------------------------

    def binary(self, meta: Meta, left: ast.Expr, operator: Token, right: ast.Expr) -> ast.Binary:
        return ast.Binary(OPERATORS[operator.value], left, right, span=self._at(meta))

    def unary(self, meta: Meta, operator: Token, operand: ast.Expr) -> ast.Unary:
        return ast.Unary(ast.Op.NOT if operator == "not" else ast.Op.NEG, operand, span=self._at(meta))

    def chain(self, meta: Meta, *parts: Any) -> ast.Expr:
        """``a < b < c`` is ``a < b and b < c``."""
        operands, operators = parts[::2], parts[1::2]
        links: list[ast.Expr] = [
            ast.Binary(OPERATORS[operator], left, right, span=between(left.span, right.span))
            for operator, (left, right) in zip(operators, pairwise(operands), strict=True)
        ]
        return chained(ast.Op.AND, links)

    def fold(self, meta: Meta, kind: Token, binder: tuple[Token, ast.Expr, ast.Expr, ast.Expr]) -> ast.Fold:
        """``sum(i in 1..N: ...)`` and the like."""
        variable, low, high, body = binder
        if kind not in FOLDS:
            hint = "only `forall`, `exists`, `count` and `sum` do"
            raise InputError(f"`{kind}` does not run over a range", self._at(kind), hint)
        return ast.Fold(str(kind), str(variable), low, high, body, span=self._at(meta))

    def name(self, meta: Meta, name: Token) -> ast.Name:
        primed = name.type == "PRIMED"
        return ast.Name(name.value[:-1] if primed else name.value, primed, span=self._at(meta))

    def index(self, meta: Meta, array: Token, index: ast.Expr) -> ast.Index:
        return ast.Index(array.rstrip("'"), index, array.endswith("'"), span=self._at(meta))

    def number(self, meta: Meta, digits: Token) -> ast.Number:
        span = self._at(meta)
        return ast.Number(rational(digits.value, span), span=span)

    # --- sentences ---------------------------------------------------------------------------

    def budgets(self, meta: Meta, _eps: Token, *rest: Any) -> ast.Interval | None:
        """``eps < 1`` is ``eps in (0, 1)``: eps is positive."""
        span = self._at(meta)
        if len(rest) < 2:
            return rest[0] if rest else None
        sign, bound = rest
        match sign.type:
            case "GT" | "GE":
                return ast.Interval(bound, None, sign.type == "GE", False, span=span)
            case "EQ":
                return ast.Interval(bound, bound, True, True, span=span)
            case _:
                return ast.Interval(ast.Number(fmpq(0)), bound, False, sign.type == "LE", span=span)

    def implies(self, meta: Meta, left: ast.Expr, _arrow: Token, right: ast.Expr) -> ast.Expr:
        """``a -> b`` as ``not a or b``."""
        return ast.Binary(ast.Op.OR, ast.Unary(ast.Op.NOT, left, span=left.span), right, span=self._at(meta))

    # --- values on the command line ----------------------------------------------------------

    def valuation(self, meta: Meta, *bindings: tuple[Token, Value | tuple[Value, ...]]) -> Valuation:
        """Values by name."""
        values: Valuation = {}
        for name, value in bindings:
            if name in values:
                raise InputError(f"`{name}` is given twice", self._at(name), "keep one of the values")
            values[str(name)] = value
        return values

    def numeral(self, meta: Meta, minus: Token | None, top: Token, bottom: Token | None) -> Value:
        """A signed number or quotient."""
        value = rational(top, self._at(top))
        if bottom is not None:
            divisor = rational(bottom, self._at(bottom))
            if divisor == 0:
                raise InputError("division by zero", self._at(bottom))
            value /= divisor
        return -value if minus is not None else value

    def atom(self, meta: Meta, name: Token) -> Value:
        return Atom(str(name))


def chained(op: ast.Op, parts: Sequence[ast.Expr]) -> ast.Expr:
    """The parts with an operator between them, from the left."""
    return reduce(lambda left, right: ast.Binary(op, left, right, span=between(left.span, right.span)), parts)


def between(first: Span, last: Span) -> Span:
    """From the first character of either to the last: the parts may be in another order in the text."""
    if first.source != last.source:
        return first
    return Span(first.source, min(first.start, last.start), max(first.end, last.end))


def rational(digits: str, span: Span) -> fmpq:
    """The exact value of a decimal number.

    >>> rational("0.25", Span(Source("", ""), 0, 0)), rational("1e-2", Span(Source("", ""), 0, 0))
    (1/4, 1/100)
    """
    if digits.isdecimal() and len(digits) <= LONGEST_NUMBER:
        return fmpq(int(digits))
    mantissa, _, exponent = re.sub("E", "e", digits).partition("e")
    whole, _, fraction = mantissa.partition(".")
    shift = int(exponent or 0) if len(exponent) < 5 else LONGEST_NUMBER
    if len(mantissa) + abs(shift) > LONGEST_NUMBER:
        raise InputError(f"this number has more than {LONGEST_NUMBER} digits", span)
    return fmpq(int(whole + fraction)) * fmpq(10) ** (shift - len(fraction))


# --- order and names that the grammar leaves open, for better messages --------------------------


Line = Item | ast.Adjacency | ast.Claim | ast.Prior | ast.Secrets | ast.Statement


def assemble(items: Sequence[Line], span: Span) -> ast.Program:
    """The program made of these lines, in the order of the text; refuses one in a wrong place."""
    declared: dict[str, list[Any]] = {kind: [] for kind in DECLARED}
    body: list[ast.Statement] = []
    for item in items:
        if isinstance(item, ast.Statement):
            body.append(item)
            continue
        kind = item.kind if isinstance(item, Item) else KIND_OF[type(item)]
        if body:
            hint = f"declarations come first: move it above line {body[0].span.line}"
            raise InputError(f"the declaration `{kind}` comes after a statement", item.span, hint)
        if declared[kind] and kind in ONLY_ONE:
            hint = f"the first is on line {declared[kind][0].span.line}: keep one of them"
            raise InputError(f"a second `{kind}`", item.span, hint)
        declared[kind] += item.members if isinstance(item, Item) else (item,)
    params, inputs, outputs, priors, secrets = (tuple(declared[kind]) for kind in SEVERAL)
    adjacency, claim, accurate = (next(iter(declared[kind]), None) for kind in ONLY_ONE)
    known = tuple(param for param in params if isinstance(param, ast.Param))
    unknown = tuple(param for param in params if isinstance(param, ast.Unknown))
    asked = unknown, priors, secrets, accurate
    return ast.Program(known, inputs, outputs, adjacency, claim, tuple(body), *asked, span=span)


SEVERAL = ("param", "input", "output", "prior", "secret")
ONLY_ONE = ("adjacent", "private", "accurate")
DECLARED = (*SEVERAL, *ONLY_ONE)
KIND_OF: dict[type[ast.Node], str] = {
    **dict.fromkeys((ast.NamedAdjacency, ast.FormulaAdjacency), "adjacent"),
    **dict.fromkeys((ast.Secret, ast.SecretFor), "secret"),
    ast.Claim: "private",
    ast.AccurateClaim: "accurate",
    ast.Prior: "prior",
}


ALL: dict[str, type[ast.Reals | ast.Integers]] = dict(zip(NUMBERS, (ast.Reals, ast.Integers), strict=True))

FINITE = "choose a finite set that shows the behaviour, for example `in -1..1` or `in {0, 1/2, 1}`"

OTHER_NAMES = {
    **dict.fromkeys(("int", "integer", "integers", "nat", "natural", "N", "Z"), "integers"),
    **dict.fromkeys(("real", "reals", "float", "double", "number", "Q", "R"), "reals"),
}
"""What infinite sets are called elsewhere."""


def no_set(name: str, span: Span) -> InputError:
    """The error for a name where the set of an input or output is expected."""
    known = OTHER_NAMES.get(name) or OTHER_NAMES.get(name.lower())
    if known is not None:
        hint = f"{FINITE};\n          for `dipc prove`, which needs no finite set, write `in {known}`"
        return violation(8, "an infinite set", span, hint)
    members = "true, false" if name.lower() in ("bool", "boolean") else name
    hint = did_you_mean(name, NUMBERS, f"a set is written in braces: `in {{{members}}}`")
    return InputError(f"`{name}` is not a set", span, hint)


KEYWORDS = ("rate", "scale", "mean")
ELSEWHERE = {
    **dict.fromkeys(("loc", "location", "center", "centre", "mu", "value"), "mean"),
    **dict.fromkeys(("b", "sigma", "width"), "scale"),
}
"""What the arguments of noise are called elsewhere."""


def noise_parameters(kind: str, place: Span, arguments: Sequence[Argument]) -> tuple[ast.Expr, ast.Expr]:
    """Rate and mean of ``Lap(rate, mean)``, ``Lap(scale = s, mean = m)`` and all their mixtures."""
    form = f"write `{kind}(eps/2, 0)` or `{kind}(scale = 2/eps, mean = 0)`"
    given: dict[str, ast.Expr] = {}
    for position, (keyword, span, value) in enumerate(arguments):
        if keyword is None and position > 1:
            raise InputError(f"`{kind}` takes two arguments, the rate and the mean", span, form)
        name = ("rate", "mean")[position] if keyword is None else keyword
        if name not in KEYWORDS:
            hint = did_you_mean(ELSEWHERE.get(name, name), KEYWORDS)
            raise InputError(f"`{kind}` has no argument `{name}`", span, f"{hint}; {form}")
        if name in given or {name, *given} >= {"rate", "scale"}:
            raise InputError(f"`{kind}` is given its {name} twice", span, form)
        given[name] = value
    for part, names in (("rate", {"rate", "scale"}), ("mean", {"mean"})):
        if not given.keys() & names:
            raise InputError(f"`{kind}` is missing its {part}", place, form)
    if (scale := given.get("scale")) is not None:
        given["rate"] = ast.Binary(ast.Op.DIV, ast.Number(fmpq(1), span=scale.span), scale, span=scale.span)
    return given["rate"], given["mean"]
