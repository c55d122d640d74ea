"""The tokens of a text, several times as fast as lark's lexer: in one pass, without lines and columns.

The terminals are those of lark's grammar, tried in lark's order.  What is wrong in a text is left to lark, as
in :mod:`dipc.dipwhile.syntax.machine`: :class:`Rejected` says that something is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from lark import Lark, Token
from lark.lexer import TerminalDef

from dipc.spelling import misspelt


class Rejected(Exception):
    """The text is not of the grammar."""


@cache
def scanner(lark: Lark) -> tuple[re.Pattern[str], dict[str, dict[str, str]]]:
    """A pattern with a group for every terminal, and for each terminal the words that are others.

    Blanks before a terminal are a part of the match where they are ignored: most tokens follow one.
    """
    strings = [terminal for terminal in lark.terminals if terminal.pattern.type == "str"]
    patterns = [terminal for terminal in lark.terminals if terminal.pattern.type == "re"]
    words = {terminal.name: found for terminal in patterns if (found := words_of(terminal, strings))}
    inside = {word for found in words.values() for word in found}
    rest = [terminal for terminal in strings if terminal.pattern.value not in inside]
    ordered = sorted((*patterns, *rest), key=precedence)
    groups = (f"(?P<{terminal.name}>{terminal.pattern.to_regexp()})" for terminal in ordered)
    ignored = (t.pattern.to_regexp() for t in patterns if t.name in lark.lexer_conf.ignore)
    blanks = "[ \\t]*" if any(re.fullmatch(pattern, " \t") for pattern in ignored) else ""
    return re.compile(f"{blanks}(?:{'|'.join(groups)})"), words


def words_of(terminal: TerminalDef, strings: list[TerminalDef]) -> dict[str, str]:
    """The terminals with one spelling that are matched by a pattern as well."""
    pattern = re.compile(terminal.pattern.to_regexp())
    return {str(one.pattern.value): one.name for one in strings if pattern.fullmatch(one.pattern.value)}


def precedence(terminal: TerminalDef) -> tuple[int, int, int, str]:
    """The place of a terminal in the order in which they are tried."""
    pattern = terminal.pattern
    return -terminal.priority, -pattern.max_width, -len(pattern.value), terminal.name


def tokens(lark: Lark, text: str) -> Iterator[Token]:
    """The tokens of a text.  Raises :class:`Rejected`, for a misspelt name as well.

    >>> from dipc.dipwhile.syntax.tables import parser
    >>> [(token.type, str(token), token.start_pos) for token in tokens(parser(), "if x2 # why")]
    [('IF', 'if', 0), ('NAME', 'x2', 3)]
    """
    pattern, words = scanner(lark)
    ignored = frozenset(lark.lexer_conf.ignore)
    foreign = not text.isascii()
    position = 0
    for match in pattern.finditer(text):
        start, end = match.span()
        if start != position:
            raise Rejected
        position = end
        kind = match.lastgroup
        assert kind is not None
        if kind in ignored:
            continue
        value = match[kind]
        if foreign and kind in ("NAME", "PRIMED") and misspelt(value.rstrip("'")):
            raise Rejected
        yield word(words[kind].get(value, kind) if kind in words else kind, value, end - len(value))
    if position != len(text):
        raise Rejected


class Word(Token):
    """A token without lines and columns, made without lark's constructor, which takes twice as long."""

    __slots__ = ()
    line = column = end_line = end_column = None


def word(kind: str, value: str, start: int) -> Word:
    """A token at a place of a text."""
    token = str.__new__(Word, value)
    token.type, token.value, token.start_pos, token.end_pos = kind, value, start, start + len(value)
    return token
