"""The token filter between lexer and parser: words, and separators that count.

A newline or ``;`` separates two statements.  A newline does not count inside brackets, after a
token that cannot end a statement (a comma, an operator, ``then``, ...), or before a token that
cannot begin one (``and``, ``then``, ``end``, ...).  Several separators count as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lark import Token

from dipc.dipwhile.syntax.distributions import NOISE

DECLARATIONS = ("param", "input", "output", "adjacent", "private", "prior", "secret")
CONTROL = ("if", "then", "elif", "else", "end", "for", "in", "while", "do", "exit")
"""The keywords that declarations begin with, and those of statements."""

WORDS = {
    "eps": "EPS",
    "ε": "EPS",
    "inf": "INF",
    "and": "AND",
    "or": "OR",
    "not": "NOT",
    "forall": "FORALL",
    "exists": "EXISTS",
    "vs": "VS",
    **dict.fromkeys(NOISE, "NOISE"),
}
"""Names that are terminals of their own (words with one spelling are in the grammar)."""

METRICS = ("linf", "l1", "hamming", "all")
"""Words right after ``adjacent`` only, so that a variable may be called ``all`` or ``l1``."""

NUMBERS = ("reals", "integers")
"""Words right after the ``in`` of an input or output only, as ``all`` is after the ``for`` of a claim."""

MEASURES = ("range", "renyi")
"""Words at the beginning of a claim only, if an expression follows."""

ACCURATE = "accurate"
"""A word at the beginning of a line only, if neither an index nor an arrow follows."""

DECLARING = frozenset(word.upper() for word in DECLARATIONS) | {"_ACCURATE"}
"""The terminals that declarations begin with."""

OPENING = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}
"""Brackets and their partners."""

CLOSING = frozenset(OPENING.values())

COMPARISONS = frozenset({"EQ", "NE", "LT", "LE", "GT", "GE"})
ARITHMETIC = frozenset({"PLUS", "MINUS", "STAR", "SLASH", "POWER"})

CONTINUES = (
    COMPARISONS | ARITHMETIC | {"AND", "OR", "NOT", "COMMA", "ARROW", "COLON", "DOTS", "IN", "VS", "TO"}
)
"""After one of these a statement continues on the next line."""

BLOCK_OPENS = frozenset({"THEN", "DO", "ELSE"})
BLOCK_CLOSES = frozenset({"END", "ELIF", "ELSE"})

AFTER = CONTINUES | BLOCK_OPENS
"""After one of these a newline does not count, and before one of the following."""

BEFORE = BLOCK_CLOSES | {"AND", "OR", "THEN", "DO"}


def layout(tokens: Iterable[Token]) -> Iterator[Token]:
    """The tokens with words classified and only those separators that count."""
    depth = 0
    waiting: Token | None = None
    previous: Token | None = None
    for token in tokens:
        if token.type == "_SEP":
            if waiting is None and (depth == 0 or token == ";"):
                waiting = token
            continue
        token = classify(token, previous)
        if waiting is not None and previous is not None and separates(previous, token):
            yield waiting
        waiting = None
        if token.type in OPENING:
            depth += 1
        elif depth > 0 and token.type in CLOSING:
            depth -= 1
        yield token
        previous = token


def claims(tokens: Iterable[Token], start: str) -> Iterator[Token]:
    """The same tokens with the words of claims classified; ``start`` is the rule of the text."""
    coming = iter(tokens)
    before = {"claim": "PRIVATE", "program": "_SEP"}.get(start)
    for token in coming:
        words = {"PRIVATE": MEASURES, "_SEP": (ACCURATE,)}.get(before or "", ())
        following = next(coming, None) if token.type == "NAME" and token in words else None
        if following is not None and token == ACCURATE:
            token.type = token.type if following.type in ("ARROW", "LSQB") else "_ACCURATE"
        elif following is not None and following.type in ("NAME", "NUMBER", "EPS", "LPAR"):
            token.type = "MEASURE"
        yield token
        if following is not None:
            yield following
        before = (following or token).type


def logarithms(tokens: Iterable[Token]) -> Iterator[Token]:
    """``ln 3`` as ``ln(3)`` and ``8 ln(3)`` as ``8*ln(3)``: so dipc writes them in answers.

    ``ln 3/2`` could mean two numbers, and is left as it is: an error.
    """
    coming = iter(tokens)
    before = ""
    for token in coming:
        if token == "ln" and before == "NUMBER":
            yield Token.new_borrow_pos("STAR", "*", token)
        yield token
        before = token.type
        number = next(coming, None) if token == "ln" else None
        if number is not None and number.type == "NUMBER":
            after = next(coming, None)
            if after is None or after.type not in ("SLASH", "STAR", "POWER"):
                yield Token.new_borrow_pos("LPAR", "(", number)
                yield number
                number = Token.new_borrow_pos("RPAR", ")", number)
            yield number
            number = after
        if number is not None:
            yield number
            before = number.type


def implications(tokens: Iterable[Token]) -> Iterator[Token]:
    """The tokens of a sentence: its arrows are implications, and its lines do not count."""
    for token in tokens:
        if token.type == "TO":
            token.type = "IMPLIES"
        if token.type != "_SEP" or token == ";":
            yield token


def classify(token: Token, previous: Token | None) -> Token:
    """The same token, as the terminal that it is in this position."""
    if token.type != "NAME":
        return token
    if previous is not None and previous.type == "ADJACENT" and token in METRICS:
        token.type = "METRIC"
    elif (word := WORDS.get(token)) is not None:
        token.type = word
    return token


def separates(previous: Token, following: Token) -> bool:
    """Whether a separator between these two tokens counts."""
    return previous.type not in AFTER and following.type not in BEFORE
