"""Model files (.dpm): Markov chains and decision processes with adjacent states.

One declaration a line, or several separated by ``;``; braces continue a line, ``#`` begins a comment::

    chain
    plus  -> {yes: 3/4, no: 1/4};  minus -> {yes: 1/4, no: 3/4}
    final yes, no
    label out_1 = {yes}
    neighbours plus ~ minus
    start plus, minus
    property survey: D[ln 3, 0](X out_1)     # expect: holds
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import combinations, pairwise
from math import lcm
from pathlib import Path
from typing import Any, NamedTuple, cast

from flint import fmpq
from lark import Token
from lark.visitors import Interpreter

from dipc.errors import InputError, Source, Span
from dipc.models.arithmetic import Amount, Arithmetic, Grammar, Node, check_spelling, placed, span_of
from dipc.models.chain import Model
from dipc.models.draft import Draft, Named, Place
from dipc.models.names import RESERVED, name_declared, unquoted
from dipc.models.parameters import NONE, Finer, Parameters, mapped
from dipc.numbers.exact import rational
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange

WORDS = {
    "let": "LET", "param": "PARAM", "in": "IN", "final": "FINAL",
    "label": "LABEL", "neighbours": "NEIGHBOURS", "neighbors": "NEIGHBOURS",
    "start": "START", "actions": "ACTIONS", "chain": "KIND", "mdp": "KIND",
}  # fmt: skip
NAMES = {
    "NAME": "a name", "STRING": "", "ARROW": "`->`", "COLON": "`:`", "LBRACE": "`{`", "RBRACE": "`}`",
    "TILDE": "`~`", "EQUAL": "`=`", "$END": "the end",
}  # fmt: skip
WITH_MEANING = {*WORDS, *RESERVED}  # here or in formulas
STARTS = ("declaration", "neighbours", "value")
GRAMMAR = Grammar(Path(__file__).with_name("model.lark"), STARTS, WORDS, NAMES)

CUT = re.compile(r'"[^"\n]*"|#[^\n]*|[{}\n;]')
PROPERTY = re.compile(r"\s*property\s+([^\W\d]\w*)\s*:\s*")
FORMULA = re.compile(r"\s*([^\W\d]\w*)\s*:\s*")
FORMULA_HINT = "for example `survey: D[ln 3, 0](X out_1)`"
EXPECT = re.compile(r"#[ \t]*expect[ \t]*:[ \t]*(\w+)")
NAME = r'([^\W\d]\w*|"[^"\n]*")'
PLAIN_NUMBER = re.compile(r"[0-9]+(?:/0*[1-9][0-9]{0,998}|(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)")
PLAIN_ROW = re.compile(rf"\s*{NAME}\s*(?:\[\s*{NAME}\s*\]\s*)?->\s*\{{((?:[^{{}}#]*))\}}\s*")
PLAIN_TARGET = re.compile(rf"\s*{NAME}\s*:\s*({PLAIN_NUMBER.pattern})\s*(?:,|$)")
ANSWERS = ("holds", "fails", "undecided")


class PropertyLine(NamedTuple):
    """A ``property`` line: its name, the text with the formula (blank before it), the expected answer."""

    name: str
    source: Source
    expected: str | None


class ModelFile(NamedTuple):
    """What a model file says; with parameters, its probabilities are functions of them.

    ``numbers`` have names that formulas may use; ``notes`` tell what was rounded or skipped.
    """

    model: Model
    properties: tuple[PropertyLine, ...] = ()
    numbers: Mapping[str, Amount] = {}
    parameters: Parameters = NONE
    notes: tuple[str, ...] = ()


def read_model(source: Source, overrides: Mapping[str, Amount] | None = None) -> ModelFile:
    """The model in a text; ``overrides`` replace numbers of ``let`` and ``param``.

    Raises :class:`InputError` with the place and a hint, :class:`LimitReached` for a model that is too large.

    >>> found = read_model(Source("coin", "chain; s -> {a: 1/3, b: 2/3}; final a, b; neighbours a ~ b"))
    >>> found.model.names, found.model.rows[0], found.model.start
    (('s', 'a', 'b', '†'), ((1, 1/3), (2, 2/3)), (1, 2))
    """
    if not source.text.strip():
        raise InputError(f"{source.name}: the file is empty", hint="a model begins with `chain` or `mdp`")
    unit = 1
    while True:
        try:
            return _read(source, overrides or {}, unit)
        except Finer as finer:
            unit = lcm(unit, finer.unit)


def _read(source: Source, overrides: Mapping[str, Amount], unit: int) -> ModelFile:
    """The model, with functions of eps/unit beside its parameters."""
    reader = Reader(source, overrides, unit)
    for start, end in declarations(source.text):
        reader.read(start, end)
    model = reader.draft.model()
    if reader.parameters.ranges:
        model = mapped(model, lambda p: reader.parameters.ring.of(0) + p)
    return ModelFile(model, tuple(reader.properties), reader.numbers, reader.parameters)


def read_formulas(source: Source) -> tuple[PropertyLine, ...]:
    """The formulas in a text, one ``NAME: FORMULA`` a line, with comments ``# expect: fails``.

    >>> [(one.name, one.expected) for one in read_formulas(Source("f", "f: D[0, 0](X a)  # expect: fails"))]
    [('f', 'fails')]
    """
    found = []
    for start, end in declarations(source.text):
        match = FORMULA.match(source.text, start, end)
        if match is None:
            first = end - len(source.text[start:end].lstrip())
            raise InputError("a line with a formula is NAME: FORMULA", Span(source, first, end), FORMULA_HINT)
        check_spelling(match[1], Span(source, *match.span(1)))
        found.append(_property(source, match, end, source.text.count("\n", 0, match.end())))
    return tuple(found)


def declarations(text: str) -> Iterator[tuple[int, int]]:
    """Where each declaration begins and ends.

    >>> [text[a:b] for text in ["a -> {b: 1,\\n c: 0}; d # e"] for a, b in declarations(text)]
    ['a -> {b: 1,\\n c: 0}', ' d # e']
    """
    start, depth = 0, 0
    for match in CUT.finditer(text):
        sign = match[0]
        depth = max(0, depth + (sign == "{") - (sign == "}"))
        if sign in "\n;" and not depth:
            if _says_something(text, start, match.start()):
                yield start, match.start()
            start = match.end()
    if _says_something(text, start, len(text)):
        yield start, len(text)


def _says_something(text: str, start: int, end: int) -> bool:
    return text[start:end].lstrip()[:1] not in ("", "#")


def _property(source: Source, match: re.Match[str], end: int, line: int) -> PropertyLine:
    """The formula at its place, after ``line`` line ends, so that messages point there.

    The comment with the answer may end the line or stand above.
    """
    text, start = source.text, match.end()
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end) if text.find("\n", end) >= 0 else len(text)
    above = text[text.rfind("\n", 0, max(first - 1, 0)) + 1 : first].strip()
    found = EXPECT.search(text, start, last) or EXPECT.match(above)
    blank = "\n" * line + re.sub(r"[^\t]", " ", text[first:start])
    if found and found[1] not in ANSWERS:
        span = Span(source, match.start(1), match.end(1))
        raise InputError(f"there is no answer `{found[1]}`", span, f"write {', '.join(ANSWERS)}")
    return PropertyLine(match[1], Source(source.name, blank + text[start:end]), found[1] if found else None)


class Reader(Interpreter[Token, None]):
    """Reads declarations into a draft; ``part`` is the text of one, ``offset`` its place in the file."""

    def __init__(self, source: Source, overrides: Mapping[str, Amount] | None = None, unit: int = 1) -> None:
        self.draft, self.overrides, self.part, self.offset = Draft(source), overrides or {}, source, 0
        self.properties: list[PropertyLine] = []
        self._line, self._counted = 0, 0
        self.numbers: dict[str, Amount] = {}
        self.parameters = Parameters({}, unit)
        self._known: dict[str, Quotient] = {}

    def read(self, start: int, end: int) -> None:
        """Read a property or another declaration; they come in the order of the text."""
        source = self.draft.source
        if match := PROPERTY.match(source.text, start, end):
            check_spelling(match[1], Span(source, *match.span(1)))
            self._line += source.text.count("\n", self._counted, match.end())
            self._counted = match.end()
            self.properties.append(_property(source, match, end, self._line))
        else:
            self.declare(start, end)

    def declare(self, start: int, end: int) -> None:
        """Read one declaration; plain rows, of which there may be a million, without the grammar."""
        source = self.draft.source
        match = PLAIN_ROW.fullmatch(source.text, start, end)
        if match is not None and match[0].isascii() and match[1] not in WITH_MEANING and self.plain(match):
            return
        self.part, self.offset = Source(source.name, source.text[start:end]), start
        with placed(self.part, source, start):
            self.visit(GRAMMAR.parse(self.part, "declaration"))

    def plain(self, match: re.Match[str]) -> bool:
        """Add a row whose probabilities are rational numbers; False if it is not such a row."""
        targets, (at, end) = [], match.span(3)
        while at < end and (found := PLAIN_TARGET.match(self.draft.source.text, at, end)):
            if found[2] not in self._known:
                self._known[found[2]] = number_in(self.draft.source, {}, *found.span(2))
            targets.append((unquoted(found[1]), self._known[found[2]], found.span(1)))
            at = found.end()
        if at < end or not targets:
            return False
        action = None if match[2] is None else unquoted(match[2])
        self.draft.add_row(unquoted(match[1]), action, targets, match.span(1))
        return True

    def _place(self, node: Any) -> Place:
        span = span_of(node, self.part)
        return span.start + self.offset, span.end + self.offset

    def _declared(self, token: Any) -> str:
        return name_declared(token, Span(self.draft.source, *self._place(token)))

    def _named(self, tokens: Iterable[Any]) -> list[Named]:
        return [(unquoted(token), self._place(token)) for token in tokens if token is not None]

    def kind(self, node: Node) -> None:
        if self.draft.kind is not None or self.draft.rows:
            raise self.draft.fail(self._place(node), "`chain` or `mdp` is the first line of a model, once")
        self.draft.kind = str(node.children[0]), self._place(node)

    def let(self, node: Node) -> None:
        name = str(node.children[1])
        if name in self.numbers:
            raise self.draft.fail(self._place(node.children[1]), f"the number `{name}` is given twice")
        given = self.overrides.get(name)
        self.numbers[name] = given or Arithmetic(self.part, self.numbers).amount(node.children[2])

    def param(self, node: Node) -> None:
        if self.numbers or self.draft.rows:
            message = "parameters are declared once, above all other numbers and transitions"
            raise self.draft.fail(self._place(node), message, "`param p in (0, 1), q in (0, 1/2]`")
        ranges: dict[str, EpsRange] = {}
        for token, _, interval in (cast("Any", each).children for each in node.children[1:]):
            if (name := str(token)) in ranges:
                raise self.draft.fail(self._place(token), f"the parameter `{name}` is given twice")
            ranges[name] = self._range(interval)
            if (given := self.overrides.get(name)) is not None:
                value = None if given.logarithms else given.value.as_rational()
                if value is None or value not in ranges.pop(name):
                    message = f"`{name}` must be a number of its range, not {given.value}"
                    raise self.draft.fail(self._place(token), message)
                self.numbers[name] = given
        self.parameters = Parameters(ranges, self.parameters.unit)
        for name in ranges:
            self.numbers[name] = Amount(cast(Quotient, self.parameters.symbol(name)))

    def _range(self, interval: Any) -> EpsRange:
        """The values of a parameter: none is negative."""
        left, *ends, right = interval.children
        number = Arithmetic(self.part, {}).number_of
        low, high = (None if isinstance(end, Token) else number(end).as_rational() for end in ends)
        found = EpsRange(fmpq(-1) if low is None else low, high, left == "[", right == "]")
        empty = high is not None and found.inside not in found
        if low is None or low < 0 or empty or (high is None and not isinstance(ends[1], Token)):
            message = "the range of a parameter has rational ends, none of them negative, and is not empty"
            raise self.draft.fail(self._place(interval), message, "for example `param p in (0, 1)`")
        return found

    def transitions(self, node: Node) -> None:
        state, action, _, targets = cast("list[Any]", node.children)
        if isinstance(targets, Token):
            row = [(unquoted(targets), Quotient.one(), self._place(targets))]
        else:
            number = Arithmetic(self.part, self.numbers).number_of
            pairs = (target.children for target in targets.children)
            row = [(unquoted(target), number(arith), self._place(target)) for target, arith in pairs]
        chosen = None if action is None else unquoted(action.children[0])
        self.draft.add_row(self._declared(state), chosen, row, self._place(state))

    def final(self, node: Node) -> None:
        self.draft.final += [(self._declared(token), self._place(token)) for token in node.children[1:]]

    def label(self, node: Node) -> None:
        _, written, *states = node.children
        name, place, members = self._declared(written), self._place(written), self._named(states)
        if name in self.draft.labels:
            raise self.draft.fail(place, f"the label `{name}` is given twice")
        self.draft.labels[name] = place, members

    def links(self, node: Node) -> None:
        for link in node.children:
            self.draft.pairs += pairwise(self._named(cast(Node, link).children))

    def clique(self, node: Node) -> None:
        self.draft.pairs += combinations(self._named(node.children), 2)

    def start(self, node: Node) -> None:
        self.draft.start += self._named(node.children[1:])

    def actions(self, node: Node) -> None:
        self.draft.actions |= dict.fromkeys(name for name, _ in self._named(node.children[1:]))


def number_from_text(text: str, numbers: Mapping[str, Amount] | None = None) -> Quotient:
    """The exact number, or function of eps, in a text.

    >>> number_from_text("exp(eps)/(1 + exp(eps))")
    (exp(eps))/(1 + exp(eps))
    """
    return number_in(Source("<number>", text), numbers, 0, len(text)) if numbers else _number(text)


@lru_cache(maxsize=4096)  # a model repeats its numbers
def _number(text: str) -> Quotient:
    return number_in(Source("<number>", text), {}, 0, len(text))


def number_in(source: Source, numbers: Mapping[str, Amount], start: int, end: int) -> Quotient:
    """The exact number in a part of a text; ``numbers`` have names.  Raises :class:`InputError`."""
    part = Source(source.name, source.text[start:end])
    if PLAIN_NUMBER.fullmatch(part.text):
        return Quotient.of(rational(part.text, "a number"))
    with placed(part, source, start):
        return Arithmetic(part, numbers).number_of(cast(Node, GRAMMAR.parse(part, "value").children[0]))


def read_neighbours(text: str, model: Model) -> Model:
    """The model with the neighbours in a text instead of its own: ``a ~ b ~ c, d ~ e`` or ``{a, b, c}``."""
    reader = Reader(Source("<neighbours>", text), {})
    reader.visit(GRAMMAR.parse(reader.part, "neighbours"))
    return reader.draft.onto(model)
