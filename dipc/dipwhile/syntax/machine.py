"""Parsing that builds the syntax tree at once, several times as fast as lark's trees.

A rule that is complete calls the builder with the place of its text and its parts, as lark's tree and its
transformer would afterwards.  What is wrong in a text is left to these two
(:func:`dipc.dipwhile.syntax.parser.run`): :class:`Rejected` says that something is.

A long text says the same few things over and over: `y <- 22` goes through the same states as `x <- 11`.  So
the pieces of one shape go through them once, to see what becomes of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain, pairwise
from typing import Any, NamedTuple

from lark import Lark, Token

from dipc.dipwhile.syntax import build
from dipc.dipwhile.syntax.ast import Assign, Distribution, Expr, Name, Number
from dipc.dipwhile.syntax.build import Builder
from dipc.dipwhile.syntax.lexer import Rejected, word
from dipc.dipwhile.syntax.pieces import Piece, Shape
from dipc.dipwhile.syntax.reductions import Entry, Reduction, Rows, Tables, reduce, tables
from dipc.errors import Source, Span


class Built(NamedTuple):
    """What a builder made of a text, and how deep the rules of the text are nested."""

    tree: Any
    depth: int


def built(lark: Lark, start: str, tokens: Iterable[Token], builder: Builder) -> Built:
    """What the builder makes of tokens and pieces.  Raises :class:`Rejected`, and what the builder raises."""
    table = tables(lark, start)
    states, entries = [table.first], list[Entry]()
    sketches: dict[tuple[Shape, int, str], Sketch | None] = {}
    values: Values = {}
    for token, following in pairwise(chain(tokens, (END, END))):
        if isinstance(token, Piece):
            key = token.shape, states[-1], following.type
            if key not in sketches:
                sketches[key] = sketched(*key, table.states, Sketcher(builder, token.shape, values))
            if (sketch := sketches[key]) is not None:
                at = token.start_pos or 0
                entries.append((sketch.made(token, at), at + sketch.first, at + sketch.last, sketch.depth))
                states.append(sketch.state)
            else:
                for one in token.tokens():
                    feed(one, table, states, entries, builder)
        else:
            feed(token, table, states, entries, builder)
    tree, _, _, depth = entries[-1]
    return Built(tree, depth)


END = Token("$END", "")


def feed(token: Token, table: Tables, states: list[int], entries: list[Entry], builder: Builder) -> None:
    """Put a token on the stack, after the rules that are complete before it."""
    rows, name = table.states, token.type
    while isinstance(step := rows[states[-1]].get(name), Reduction):
        if step.only:
            states[-1] = table.settled(states[-2], states[-1], name)
        else:
            reduce(step, rows, states, entries, builder)
    if step is not None:
        states.append(step)
        entries.append((token, token.start_pos, token.end_pos, 0))
    elif token is not END or states[-1] != table.last:
        raise Rejected


# --- pieces of one shape -----------------------------------------------------------------------


Maker = Callable[[str, int], Any]
"""Makes something of a piece, given its text and its place."""

Values = dict[str, tuple[Expr | Distribution, int]]
"""The texts of values that were assigned, with what each is in its first place, and this place."""


class Sketch(NamedTuple):
    """What becomes of a piece in some state: one thing that is made of it, nested so deep, and a state.

    ``first`` and ``last``: where its tokens begin and end, from the place of the piece on.
    """

    made: Maker
    first: int
    last: int
    depth: int
    state: int


def sketched(shape: Shape, state: int, following: str, rows: Rows, sketcher: Sketcher) -> Sketch | None:
    """What becomes of pieces of a shape in a state before a terminal.

    None if they do not become one thing by themselves, without what comes before or after.
    """
    states, entries = [state], list[Entry]()
    for position, name in enumerate((*shape.kinds, following)):
        while isinstance(step := rows[states[-1]].get(name), Reduction) and step.size <= len(entries):
            reduce(step, rows, states, entries, sketcher)
        if position < len(shape.kinds):
            if not isinstance(step, int):
                return None
            states.append(step)
            entries.append((position, position, position, 0))
    if len(entries) != 1 or not callable(entries[0][0]):
        return None
    made, _, _, depth = entries[0]
    return Sketch(made, shape.cuts[0][0], shape.cuts[-1][1], depth, states[-1])


class Sketcher:
    """A builder of makers: its parts are makers and, of tokens, their positions in a shape."""

    def __init__(self, builder: Builder, shape: Shape, values: Values) -> None:
        self.builder = builder
        self.source = builder.source
        self.shape = shape
        self.values = values

    def place(self, first: int | None, last: int | None) -> tuple[int, int] | None:
        """Where the tokens of a rule begin and end in a piece."""
        cuts = self.shape.cuts
        return None if first is None or last is None else (cuts[first][0], cuts[last][1])

    def __getattr__(self, name: str) -> Callable[..., Maker]:
        method = getattr(self.builder, name)
        return lambda place, *parts: maker(method, self.source, place, tuple(map(self.found, parts)))

    def found(self, part: Maker | int | None) -> Maker:
        """What makes or finds a part of a rule in a piece."""
        if part is None or callable(part):
            return part or (lambda text, at: None)
        kind, (first, last) = self.shape.kinds[part], self.shape.cuts[part]
        if kind in ("NAME", "PRIMED", "NUMBER"):
            return lambda text, at: word(kind, text[first:last], at + first)
        sign = Token(kind, self.shape.words[part])  # the places of others are for messages only
        return lambda text, at: sign

    # What most rules are, without a token in between.

    def assign(self, place: tuple[int, int], target: Maker, arrow: int, value: Maker) -> Maker:
        """See :meth:`.Builder.assign`; the value of a text is made once, if it is more than a word."""
        first, last, source, values = *place, self.source, self.values
        begin = self.shape.cuts[arrow][1]
        if arrow + 2 == len(self.shape.cuts):
            return lambda text, at: Assign(
                target(text, at), value(text, at), span=Span(source, at + first, at + last)
            )

        def made(text: str, at: int) -> Assign:
            written, here = text[begin:last], at + begin
            known = values.get(written)
            if known is None:
                known = values[written] = value(text, at), here
                return Assign(target(text, at), known[0], span=Span(source, at + first, at + last))
            shift, span = here - known[1], Span(source, at + first, at + last)
            return Assign.again(target(text, at), known[0], shift, span)

        return made

    def name(self, place: tuple[int, int], token: int) -> Maker:
        """See :meth:`.Builder.name`."""
        first, last, source = *place, self.source
        if self.shape.kinds[token] == "PRIMED":
            return lambda text, at: Name(
                text[first : last - 1], True, span=Span(source, at + first, at + last)
            )
        return lambda text, at: Name(text[first:last], span=Span(source, at + first, at + last))

    def number(self, place: tuple[int, int], token: int) -> Maker:
        """See :meth:`.Builder.number`."""
        first, last, source = *place, self.source

        def made(text: str, at: int) -> Number:
            span = Span(source, at + first, at + last)
            return Number(build.rational(text[first:last], span), span=span)

        return made


def maker(
    method: Callable[..., Any], source: Source, place: tuple[int, int] | None, parts: tuple[Maker, ...]
) -> Maker:
    """What calls a method of the builder, for a rule at a place of a piece."""
    if place is None:
        return lambda text, at: method(Span(source, 0, 0), *[part(text, at) for part in parts])
    first, last = place
    match parts:
        case (part,):
            return lambda text, at: method(Span(source, at + first, at + last), part(text, at))
        case (left, sign, right):
            return lambda text, at: method(
                Span(source, at + first, at + last), left(text, at), sign(text, at), right(text, at)
            )
    return lambda text, at: method(Span(source, at + first, at + last), *[part(text, at) for part in parts])
