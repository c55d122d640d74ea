"""A program text in canonical style, with its comments and its lines.

The style is that of :mod:`dipc.dipwhile.syntax.printer`: spaces, indentation and one spelling of each sign.
The formatter works on tokens, not on the tree: line breaks and parentheses stay, and a comment stays beside
its code.  So nothing is lost, and the meaning of the program does not change.

A trailing comment is put two spaces after the longest line of its group, a comment on a line of its own is
indented like the code around it, and several empty lines become one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise

from lark import Token

from dipc.dipwhile.syntax import layout
from dipc.dipwhile.syntax.parser import parse, raw_tokens
from dipc.errors import Source

SPELLING = {"ARROW": "<-", "NE": "!=", "LE": "<=", "GE": ">=", "EPS": "eps"}
"""Signs with more than one spelling, and the one that is used."""

OPERANDS = frozenset({"NAME", "PRIMED", "NUMBER", "EPS", "INF"}) | layout.CLOSING
"""After one of these a minus is a subtraction."""

TIGHT = frozenset({"STAR", "SLASH", "POWER", "DOTS"})
"""No spaces around these."""

NO_SPACE_BEFORE = frozenset({"COMMA", "COLON", "_SEP"}) | layout.CLOSING
CALLED = frozenset({"NAME", "PRIMED", "NOISE", "EXP", "FLIP", "UNIFORM"})
"""No space between these and a parenthesis."""

WIDTH = {"PARAM": len("output "), "INPUT": len("output ")}
"""Declarations that are padded to align the names."""

INDENT = "  "
CONTINUATION = "    "

CLOSERS = layout.BLOCK_CLOSES | layout.CLOSING
"""Each of these at the beginning of a line reduces its indentation by one step."""

MINUS_SIGN = "MINUS_SIGN"
"""The type given here to a minus that is not a subtraction."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line: its tokens, its comment, and where its code began in the original."""

    tokens: tuple[Token, ...] = ()
    comment: str = ""
    column: int = 0
    indent: str = field(default="", compare=False)

    @property
    def first(self) -> str:
        """The type of the first token."""
        return self.tokens[0].type if self.tokens else ""


def formatted(source: Source) -> str:
    """The program in canonical style.  Raises :class:`InputError` for a text that is not a program.

    >>> print(formatted(Source("a.dip", "output b in {0,1}# a bit\\nif 1=1 then # why\\nb:=1 end")), end="")
    output b in {0, 1}  # a bit
    <BLANKLINE>
    if 1 = 1 then  # why
      b <- 1 end
    """
    parse(source)
    return arranged(source.text)


def arranged(text: str) -> str:
    """The text of a program in canonical style."""
    lines = list(_with_gaps(_indented(_lines(text.replace("\r\n", "\n")))))
    return "\n".join(_written(lines)) + "\n"


def _lines(text: str) -> Iterator[Line]:
    """The lines of the original, without separators that do not count."""
    tokens: list[Token] = []
    previous: Token | None = None
    separator: Token | None = None
    end = start = 0
    for token in [*layout.claims(raw_tokens(text), "program"), None]:
        where = len(text) if token is None else token.start_pos or 0
        comment = text[end:where].strip()
        if token is None or "\n" in token:
            column = (tokens[0].start_pos or 0 if tokens else text.find(comment, end)) - start
            yield Line(tuple(tokens), comment, column)
            tokens, separator = [], None
            start = end = where + 1
            continue
        end = token.end_pos or 0
        if token.type == "_SEP":
            separator = token
            continue
        word = layout.classify(token, previous)
        if word.type == "MINUS" and (previous is None or previous.type not in OPERANDS):
            word = word.update(type=MINUS_SIGN)
        if separator is not None and tokens and layout.separates(tokens[-1], word):
            tokens.append(separator)
        separator = None
        tokens.append(word)
        previous = word


def _indented(lines: Iterator[Line]) -> Iterator[Line]:
    """The lines with their indentation; comments wait for the line that follows them."""
    depth = brackets = 0
    previous = ""
    waiting: list[Line] = []
    for line in lines:
        if not line.tokens:
            waiting.append(line)
            continue
        goes_on = not brackets and (previous in layout.CONTINUES or line.first in ("AND", "OR"))
        extra = INDENT * brackets + CONTINUATION * goes_on
        inside = INDENT * depth + extra
        closing = [token.type in CLOSERS for token in line.tokens]
        leading = closing.index(False) if False in closing else len(closing)
        indent = inside[len(INDENT) * leading :]
        for each in waiting:
            outside = leading > 0 and each.column <= line.column
            yield replace(each, indent=indent if outside else inside)
        waiting.clear()
        yield replace(line, indent=indent)
        for token in line.tokens:
            depth += (token.type in ("THEN", "DO", "PRIOR")) - (token.type in ("END", "ELIF"))
            brackets += (token.type in layout.OPENING) - (token.type in layout.CLOSING)
        previous = line.tokens[-1].type
    for each in waiting:
        yield replace(each, indent=INDENT * depth)


def _with_gaps(lines: Iterator[Line]) -> Iterator[Line]:
    """No empty line at the ends, one at most between, and one between declarations and statements."""
    started = blank = False
    declaration = False  # does the line before belong to the declarations?
    every = list(lines)
    for place, line in enumerate(every):
        if not line.tokens and not line.comment:
            blank = started
            continue
        begins = bool(line.tokens) and not line.indent
        closes = declaration and line.first == "END"  # a prior, or a loop of secrets
        declares = line.first in layout.DECLARING or closes or _loops_over_secrets(every, place)
        if blank or (declaration and begins and not declares):
            yield Line()
        started, blank = True, False
        yield line
        declaration = declares if begins else declaration and bool(line.tokens)


def _loops_over_secrets(lines: Sequence[Line], place: int) -> bool:
    """Whether a loop (or several) over secrets begins with the line at this place."""
    types = (token.type for k in range(place, len(lines)) for token in lines[k].tokens)
    inside = (body for before, body in pairwise(types) if before == "DO" and body != "FOR")
    return lines[place].first == "FOR" and next(inside, "") == "SECRET"


def _written(lines: Sequence[Line]) -> Iterator[str]:
    """The lines as text, with the trailing comments of neighbouring lines in one column."""
    for trailing, group in groupby(lines, key=lambda line: bool(line.tokens and line.comment)):
        block = [(line.indent + "".join(_pieces(line.tokens)), line.comment) for line in group]
        column = max(len(code) for code, _ in block) + 2 if trailing else 0
        for code, comment in block:
            yield f"{code:<{column}}{comment}".rstrip()


def _pieces(tokens: Sequence[Token]) -> Iterator[str]:
    """The tokens with the spaces between them."""
    alone = all(token.type != "_SEP" for token in tokens)
    for k, token in enumerate(tokens):
        if k and not (k == 1 and alone and tokens[0].type in WIDTH):
            yield _space(tokens[k - 1].type, token.type)
        text = ";" if token.type == "_SEP" else SPELLING.get(token.type, str(token))
        yield text.ljust(WIDTH.get(token.type, 0)) if k == 0 and alone else text


def _space(left: str, right: str) -> str:
    """The space between two tokens."""
    if right in NO_SPACE_BEFORE or left in layout.OPENING or left == MINUS_SIGN or TIGHT & {left, right}:
        return ""
    if (right == "LPAR" and left in CALLED) or (right == "LSQB" and left in ("NAME", "PRIMED")):
        return ""
    return " "
