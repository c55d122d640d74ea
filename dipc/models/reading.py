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
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, NamedTuple, cast

from flint import fmpq
from lark import Token
from lark.visitors import Interpreter

from dipc.errors import InputError, LimitReached, Source, Span
from dipc.models.arithmetic import Amount, Arithmetic, Grammar, Node, span_of
from dipc.models.chain import DEAD, MarkovChain, Mdp, Model
from dipc.numbers.exact import rational
from dipc.numbers.quotient import Quotient
from dipc.suggest import did_you_mean

WORDS = {
    "let": "LET", "final": "FINAL", "label": "LABEL", "neighbours": "NEIGHBOURS", "neighbors": "NEIGHBOURS",
    "start": "START", "actions": "ACTIONS", "chain": "KIND", "mdp": "KIND",
}  # fmt: skip
NAMES = {
    "NAME": "a name", "STRING": "", "ARROW": "`->`", "COMMA": "`,`", "COLON": "`:`", "LBRACE": "`{`",
    "RBRACE": "`}`", "LSQB": "`[action]`", "TILDE": "`~`", "EQUAL": "`=`", "$END": "the end",
}  # fmt: skip
GRAMMAR = Grammar(
    Path(__file__).with_name("model.lark"), ("declaration", "neighbours", "value"), WORDS, NAMES
)

MOST_STATES = 10**6
MOST_TRANSITIONS = 10**7

CUT = re.compile(r'"[^"\n]*"|#[^\n]*|[{}\n;]')
PROPERTY = re.compile(r"\s*property\s+([^\W\d]\w*)\s*:\s*")
EXPECT = re.compile(r"#[ \t]*expect[ \t]*:[ \t]*(\w+)")
NAME = r'([^\W\d]\w*|"[^"\n]*")'
NUMBER = r"(\d+(?:\.\d+)?(?:/\d+)?)"
PLAIN_ROW = re.compile(rf"\s*{NAME}\s*(?:\[\s*{NAME}\s*\]\s*)?->\s*\{{((?:[^{{}}#]*))\}}\s*")
PLAIN_TARGET = re.compile(rf"\s*{NAME}\s*:\s*{NUMBER}\s*(?:,|$)")
ANSWERS = ("holds", "fails", "undecided")


class PropertyLine(NamedTuple):
    """A ``property`` line: its name, the text with the formula (blank before it), the expected answer."""

    name: str
    source: Source
    expected: str | None


class ModelFile(NamedTuple):
    """What a model file says."""

    model: Model
    properties: tuple[PropertyLine, ...]
    numbers: Mapping[str, Amount]


def read_model(source: Source, overrides: Mapping[str, Amount] | None = None) -> ModelFile:
    """The model in a text; ``overrides`` replace numbers of ``let``.

    Raises :class:`InputError` with the place and a hint, :class:`LimitReached` for a model that is too large.

    >>> found = read_model(Source("coin", "chain; s -> {a: 1/3, b: 2/3}; final a, b; neighbours a ~ b"))
    >>> found.model.names, found.model.rows[0], found.model.start
    (('s', 'a', 'b', '†'), ((1, 1/3), (2, 2/3)), (1, 2))
    """
    draft, properties = _Draft(source, dict(overrides or {})), []
    for start, end in declarations(source.text):
        if match := PROPERTY.match(source.text, start, end):
            properties.append(_property(source, match, end))
        else:
            draft.declare(start, end)
    return ModelFile(draft.model(), tuple(properties), draft.numbers)


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


def _property(source: Source, match: re.Match[str], end: int) -> PropertyLine:
    """The formula at its place, so that messages point there; the comment may end the line or stand above."""
    text, start = source.text, match.end()
    blank = re.sub(r"[^\n]", " ", text[:start])
    line = text.find("\n", end) if text.find("\n", end) >= 0 else len(text)
    above = text[: text.rfind("\n", 0, match.start(1)) + 1].rstrip("\n").rsplit("\n", 1)[-1]
    found = EXPECT.search(text, start, line) or EXPECT.match(above.strip())
    if found and found[1] not in ANSWERS:
        span = Span(source, match.start(1), match.end(1))
        raise InputError(f"there is no answer `{found[1]}`", span, f"write {', '.join(ANSWERS)}")
    return PropertyLine(match[1], Source(source.name, blank + text[start:end]), found[1] if found else None)


Place = tuple[int, int]
"""Where something is written."""

Named = tuple[str, Place]
Cell = tuple[str, str | None]
"""A state and, in a decision process, an action."""


@dataclass(slots=True)
class _Draft:
    """A model that is being read: its names are checked at the end, when all of them are known."""

    source: Source
    overrides: dict[str, Amount]
    kind: Named | None = None
    numbers: dict[str, Amount] = field(default_factory=dict)
    rows: dict[Cell, list[tuple[str, Quotient, Place]]] = field(default_factory=dict)
    places: dict[Cell, Place] = field(default_factory=dict)
    final: list[Named] = field(default_factory=list)
    labels: dict[str, list[Named]] = field(default_factory=dict)
    label_places: dict[str, Place] = field(default_factory=dict)
    pairs: list[tuple[Named, Named]] = field(default_factory=list)
    start: list[Named] = field(default_factory=list)
    actions: dict[str, None] = field(default_factory=dict)
    known: dict[str, Quotient] = field(default_factory=dict)
    transitions: int = 0

    def fail(self, place: Place, message: str, hint: str = "") -> InputError:
        """The error about what is written there."""
        return InputError(message, Span(self.source, *place), hint)

    def declare(self, start: int, end: int) -> None:
        """Read one declaration; plain rows, of which there may be a million, without the grammar."""
        match = PLAIN_ROW.fullmatch(self.source.text, start, end)
        if match is not None and match[1] not in WORDS and self._plain(match):
            return
        part = Source(self.source.name, self.source.text[start:end])
        try:
            tree = GRAMMAR.parse(part, "declaration")
            _Declaration(self, part, start).visit(tree)
        except InputError as error:
            if error.span is None or error.span.source is not part:
                raise
            raise self.fail(
                (error.span.start + start, error.span.end + start), error.message, error.hint
            ) from None

    def _plain(self, match: re.Match[str]) -> bool:
        """Add a row whose probabilities are rational numbers; False if it is not such a row."""
        inside, begin, end = match[3], match.start(3), match.end(3)
        targets, at = [], begin
        while at < end and (found := PLAIN_TARGET.match(self.source.text, at, end)):
            number = self.known.get(found[2])
            if number is None:
                above, _, below = found[2].partition("/")
                if below and not int(below):
                    return False
                value = rational(above, "a probability") / (rational(below, "a probability") if below else 1)
                number = self.known[found[2]] = Quotient.of(value)
            targets.append((_unquoted(found[1]), number, found.span(1)))
            at = found.end()
        if at < end or not inside.strip():
            return False
        action = None if match[2] is None else _unquoted(match[2])
        self.add_row(_unquoted(match[1]), action, targets, match.span(1))
        return True

    def add_row(
        self, state: str, action: str | None, targets: list[tuple[str, Quotient, Place]], place: Place
    ) -> None:
        """Add the transitions of a state."""
        cell = state, action
        if cell in self.rows:
            what = f"`{state}`" if action is None else f"`{state}` under `{action}`"
            line = Span(self.source, *self.places[cell]).line
            raise self.fail(place, f"the transitions of {what} are given twice", f"first in line {line}")
        if action is not None and action != STAR:
            self.actions[action] = None
        self.rows[cell], self.places[cell] = targets, place
        self.transitions += len(targets)
        if len(self.rows) > MOST_STATES or self.transitions > MOST_TRANSITIONS:
            raise LimitReached(f"more than {MOST_STATES} states or {MOST_TRANSITIONS} transitions")

    # --- the whole -----------------------------------------------------------------------------------

    def model(self) -> Model:
        """The model, once everything is read."""
        if self.kind is None:
            raise self.fail((0, 1), "a model begins with a line `chain` or `mdp`")
        number = self._states()
        rows = {cell: self._row(cell, number) for cell in self.rows}
        constant = all(p.as_rational() is not None for row in rows.values() for _, p in row)
        labels = {name: self._members(members, number) for name, members in self.labels.items()}
        pairs = self._neighbours(number)
        start = tuple(dict.fromkeys(self._number(each, number) for each in self.start))
        if not start:
            start = tuple(sorted({s for pair in pairs for s in pair})) or tuple(
                range(len(number) - (DEAD in number))
            )
        common: dict[str, Any] = {
            "names": tuple(number),
            "labels": labels,
            "neighbours": pairs,
            "start": start,
        }
        exact = (
            {cell: tuple((t, _fmpq(p)) for t, p in row) for cell, row in rows.items()} if constant else rows
        )
        dead: Any = ((number.get(DEAD, 0), fmpq(1) if constant else Quotient.one()),)
        if self.kind[0] == "chain":
            return MarkovChain(**common, rows=tuple(exact.get((name, None), dead) for name in number))
        actions = tuple(self.actions)
        table = tuple(tuple(exact.get((s, a), exact.get((s, STAR), dead)) for a in actions) for s in number)
        return Mdp(**common, actions=actions, rows=table)

    def _states(self) -> dict[str, int]:
        """The states in the order of the file, and at the end the one behind states without transitions."""
        final = dict(self.final)
        for state, action in self.rows:
            if state in final:
                raise self.fail(final[state], f"`{state}` is final, but it has transitions")
            if self.kind is not None and (self.kind[0] == "chain") is not (action is None):
                need = (
                    "has no actions" if self.kind[0] == "chain" else "needs an action: STATE [ACTION] -> ..."
                )
                raise self.fail(self.places[state, action], f"a state of {ARTICLE[self.kind[0]]} {need}")
        written = [(self.places[cell], cell[0]) for cell in self.rows] + [
            (place, name) for name, place in self.final
        ]
        names = dict.fromkeys(name for _, name in sorted(written))
        number = {name: i for i, name in enumerate(names)}
        if not number:
            raise self.fail((0, 1), "the model has no states")
        for label, place in self.label_places.items():
            if label in number:
                raise self.fail(
                    place,
                    f"`{label}` is a state, and a state is a proposition of its own",
                    "rename the label",
                )
        enabled = {(s, a) for s, a in self.rows}
        full = all((s, STAR) in enabled or all((s, a) in enabled for a in self.actions) for s, _ in self.rows)
        if self.final or (self.kind is not None and self.kind[0] == "mdp" and not full):
            number[DEAD] = len(number)
        return number

    def _number(self, named: Named, number: dict[str, int]) -> int:
        name, place = named
        if name not in number or name == DEAD:
            hint = did_you_mean(
                name, list(number)[:1000], "declare it: `final NAME` for a state without transitions"
            )
            raise self.fail(place, f"there is no state `{name}`", hint)
        return number[name]

    def _members(self, members: list[Named], number: dict[str, int]) -> frozenset[int]:
        return frozenset(self._number(each, number) for each in members)

    def _row(self, cell: Cell, number: dict[str, int]) -> tuple[tuple[int, Quotient], ...]:
        """A row with the numbers of its targets, which must sum to 1."""
        found: dict[int, Quotient] = {}
        for name, p, place in self.rows[cell]:
            target = self._number((name, place), number)
            if target in found:
                raise self.fail(
                    place, f"`{name}` is given twice as a target of `{cell[0]}`", "add the probabilities"
                )
            if (value := p.as_rational()) is not None and not 0 <= value <= 1:
                size = "negative" if value < 0 else "above 1"
                raise self.fail(place, f"the probability {value} of `{cell[0]} -> {name}` is {size}")
            found[target] = p
        total = sum(found.values(), Quotient.of(0))
        if total != 1:
            what = f"`{cell[0]}`" if cell[1] is None else f"`{cell[0]} [{cell[1]}]`"
            raise self.fail(self.places[cell], f"the probabilities of {what} sum to {total}, not to 1")
        return tuple((t, p) for t, p in sorted(found.items()) if p)

    def _neighbours(self, number: dict[str, int]) -> tuple[tuple[int, int], ...]:
        found = ((self._number(s, number), self._number(t, number)) for s, t in self.pairs)
        return tuple(dict.fromkeys((min(pair), max(pair)) for pair in found if pair[0] != pair[1]))


STAR = "*"
ARTICLE = {"chain": "a chain", "mdp": "a decision process"}


def _fmpq(p: Quotient) -> fmpq:
    value = p.as_rational()
    assert value is not None
    return fmpq(value.numerator, value.denominator)


def _unquoted(text: str) -> str:
    return text[1:-1] if text.startswith('"') else str(text)


class _Declaration(Interpreter[Token, None]):
    """Adds the declaration of a tree to a draft; ``offset`` is where its text begins in the file."""

    def __init__(self, draft: _Draft, source: Source, offset: int) -> None:
        self.draft, self.source, self.offset = draft, source, offset

    def _place(self, node: Any) -> Place:
        span = span_of(node, self.source)
        return span.start + self.offset, span.end + self.offset

    def _named(self, tokens: Iterable[Any]) -> list[Named]:
        return [(_unquoted(token), self._place(token)) for token in tokens if token is not None]

    def kind(self, node: Node) -> None:
        if self.draft.kind is not None or self.draft.rows:
            raise self.draft.fail(self._place(node), "`chain` or `mdp` is the first line of a model, once")
        self.draft.kind = str(node.children[0]), self._place(node)

    def let(self, node: Node) -> None:
        name = str(node.children[1])
        if name in self.draft.numbers:
            raise self.draft.fail(self._place(node.children[1]), f"the number `{name}` is given twice")
        found = self.draft.overrides.get(name)
        self.draft.numbers[name] = found or self._arithmetic.amount(cast(Node, node.children[2]))

    @property
    def _arithmetic(self) -> Arithmetic:
        return Arithmetic(self.source, self.draft.numbers)

    def transitions(self, node: Node) -> None:
        state, action, _, targets = cast("list[Any]", node.children)
        if isinstance(targets, Token):
            row = [(_unquoted(targets), Quotient.one(), self._place(targets))]
        else:
            row = [self._target(target) for target in targets.children]
        chosen = None if action is None else _unquoted(action.children[0])
        self.draft.add_row(_unquoted(state), chosen, row, self._place(state))

    def _target(self, node: Node) -> tuple[str, Quotient, Place]:
        state, arith = node.children
        return (
            _unquoted(cast(Token, state)),
            self._arithmetic.number_of(cast(Node, arith)),
            self._place(state),
        )

    def final(self, node: Node) -> None:
        self.draft.final += self._named(node.children[1:])

    def label(self, node: Node) -> None:
        ((name, place), *members) = self._named(node.children[1:])
        if name in self.draft.labels:
            raise self.draft.fail(place, f"the label `{name}` is given twice")
        self.draft.labels[name], self.draft.label_places[name] = members, place

    def links(self, node: Node) -> None:
        for link in node.children[1:]:
            self.draft.pairs += pairwise(self._named(cast(Node, link).children))

    def clique(self, node: Node) -> None:
        self.draft.pairs += combinations(self._named(node.children[1:]), 2)

    def start(self, node: Node) -> None:
        self.draft.start += self._named(node.children[1:])

    def actions(self, node: Node) -> None:
        self.draft.actions |= dict.fromkeys(name for name, _ in self._named(node.children[1:]))
