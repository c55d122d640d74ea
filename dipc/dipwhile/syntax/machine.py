"""Parsing that builds the syntax tree at once, several times as fast as lark's trees.

A rule that is complete calls the builder with the place of its text and its parts, as lark's tree and its
transformer would afterwards.  What is wrong in a text is left to these two
(:func:`dipc.dipwhile.syntax.parser.run`): :class:`Rejected` says that something is.

A long text says the same few things over and over: `y <- 22` goes through the same states as `x <- 1`.  So a
run of tokens goes through them once for each sequence of terminals, to see what becomes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

from lark import Lark, Token

from dipc.dipwhile.syntax.build import Builder
from dipc.dipwhile.syntax.layout import BLOCK_CLOSES, BLOCK_OPENS
from dipc.dipwhile.syntax.lexer import Rejected
from dipc.dipwhile.syntax.reductions import Entry, Reduction, Tables, reduce, tables
from dipc.errors import Source, Span


class Built(NamedTuple):
    """What a builder made of a text, and how deep the rules of the text are nested."""

    tree: Any
    depth: int


def built(lark: Lark, start: str, tokens: Iterable[Token], builder: Builder) -> Built:
    """What the builder makes of the tokens.  Raises :class:`Rejected`, and what the builder raises."""
    table = tables(lark, start)
    rows = table.states
    states, entries = [table.first], list[Entry]()
    sketcher = Sketcher(builder)
    sketches: dict[tuple[int, tuple[str, ...]], Sketch | None] = {}
    for run in runs(tokens):
        key = states[-1], tuple([token.type for token in run])
        if key not in sketches:
            sketches[key] = sketched(table, *key, sketcher)
        if (sketch := sketches[key]) is not None:
            entries.append((sketch.made(run), run[0].start_pos, run[-2].end_pos, sketch.depth))
            states.append(sketch.state)
            run = run[-1:]
        for token in run:
            name = token.type
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
    tree, _, _, depth = entries[-1]
    return Built(tree, depth)


END = Token("$END", "")


# --- runs of tokens ----------------------------------------------------------------------------

LONGEST_RUN = 32
"""How many tokens a run may have, without its last one: the terminals of longer ones are hardly met again."""

ENDS = BLOCK_OPENS | BLOCK_CLOSES | {"_SEP", "$END"}
"""What runs end with: most are one simple statement."""


def runs(tokens: Iterable[Token]) -> Iterator[list[Token]]:
    """The tokens in pieces, each with the token that ends it."""
    run: list[Token] = []
    for token in chain(tokens, (END,)):
        run.append(token)
        if token.type in ENDS or len(run) > LONGEST_RUN:
            yield run
            run = []


Maker = Callable[[list[Any]], Any]
"""Makes something of a run of tokens, all of which have a place (lark's own may have none)."""


class Sketch(NamedTuple):
    """What becomes of a run in some state: one thing that is made of it, nested so deep, and a state."""

    made: Maker
    depth: int
    state: int


def sketched(table: Tables, state: int, names: tuple[str, ...], sketcher: Sketcher) -> Sketch | None:
    """What becomes of a run with these terminals, all but the last one, which only ends it.

    None if it does not become one thing by itself, without what comes before or after.
    """
    rows = table.states
    states, entries = [state], list[Entry]()
    for position, name in enumerate(names):
        while isinstance(step := rows[states[-1]].get(name), Reduction) and step.size <= len(entries):
            reduce(step, rows, states, entries, sketcher)
        if position < len(names) - 1:
            if not isinstance(step, int):
                return None
            states.append(step)
            entries.append((position, position, position, 0))
    if len(names) == 1 or len(entries) != 1 or not callable(entries[0][0]):
        return None
    made, _, _, depth = entries[0]
    return Sketch(made, depth, states[-1])


class Sketcher:
    """A builder of makers: its parts are makers and, of tokens, their positions in a run."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def place(self, first: int | None, last: int | None) -> tuple[int | None, int | None]:
        """The first and the last token of a rule in the run."""
        return first, last

    def __getattr__(self, name: str) -> Callable[..., Maker]:
        method = getattr(self.builder, name)
        source = self.builder.source
        return lambda place, *parts: maker(method, source, place[0], place[1], tuple(map(found, parts)))


def found(part: Maker | int | None) -> Maker:
    """What makes or finds a part of a rule in a run."""
    return part if callable(part) else (lambda run: None) if part is None else itemgetter(part)


def maker(
    method: Callable[..., Any], source: Source, first: int | None, last: int | None, parts: tuple[Maker, ...]
) -> Maker:
    """What calls a method of the builder, for a rule from one token of a run to another."""
    if first is None or last is None:
        return lambda run: method(Span(source, 0, 0), *[part(run) for part in parts])
    match parts:
        case (part,):
            return lambda run: method(Span(source, run[first].start_pos, run[last].end_pos), part(run))
        case (left, sign, right):
            return lambda run: method(
                Span(source, run[first].start_pos, run[last].end_pos), left(run), sign(run), right(run)
            )
    return lambda run: method(
        Span(source, run[first].start_pos, run[last].end_pos), *[part(run) for part in parts]
    )
