"""Where the parser stopped, and what it would have accepted there, in plain words."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from lark import Token

from dipc.dipwhile.syntax.layout import ARITHMETIC, BLOCK_OPENS, CLOSING, COMPARISONS, DECLARING, OPENING
from dipc.errors import InputError, Source, Span

Errors = Iterator[InputError]

EXPRESSION = frozenset({"NUMBER", "NAME", "PRIMED", "EPS", "LPAR", "MINUS", "NOT", "FORALL", "EXISTS"})
VALUE = frozenset({"NUMBER", "NAME", "PRIMED", "EPS", "LPAR", "MINUS"})
SAMPLING = frozenset({"NOISE", "EXP", "CHOOSE", "FLIP", "UNIFORM"})
STATEMENT = frozenset({"NAME", "IF", "FOR", "WHILE", "EXIT"})
OPERATORS = COMPARISONS | ARITHMETIC | {"AND", "OR"}
BLOCKS = frozenset({"IF", "FOR", "WHILE", "PRIOR"})

PHRASES: tuple[tuple[frozenset[str], str], ...] = (
    (EXPRESSION | SAMPLING, "an expression or a distribution"),
    (EXPRESSION, "an expression"),
    (VALUE | {"LBRACE"}, "a set"),
    (VALUE, "a number or a name"),
    (STATEMENT | DECLARING, "a declaration or a statement"),
    (STATEMENT, "a statement"),
    (frozenset({"NUMBER", "MINUS", "NAME"}), "a value"),
    (COMPARISONS, ""),  # an operator is nearly always allowed: name what is less obvious
)
"""Sets of terminals that share a phrase; the first that fits is taken."""

TERMINALS = {
    "$END": "the end of the text",
    "_SEP": "the end of the statement",
    "NUMBER": "a number",
    "NAME": "a name",
    "METRIC": "a metric such as `linf`",
    "NOISE": "`Lap`",
    "EXP": "`Exp`",
    "ARROW": "`<-`",
    "COMMA": "`,`",
    "COLON": "`:`",
    "DOTS": "`..`",
    "EQ": "`=`",
    "TO": "`->`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "LSQB": "`[`",
    "RSQB": "`]`",
    "LBRACE": "`{`",
    "RBRACE": "`}`",
}
"""How messages name single terminals; a keyword stands for itself."""

SILENT = OPERATORS - {"EQ"} | {"SECRET", "IMPLIES"}
"""What messages do not suggest: operators, implications, and secrets in a loop."""


@dataclass(frozen=True)
class Situation:
    """The tokens read, the one that does not fit, and the terminals that would have fitted."""

    source: Source
    seen: Sequence[Token]
    found: Token
    accepts: frozenset[str]
    start: str = "program"  # what was being read: a rule of the grammar

    def error(self, message: str, hint: str, at: Token | Span | None = None) -> InputError:
        """The error at a token or span, by default at the token that does not fit."""
        place = self.span if at is None else at if isinstance(at, Span) else self.span_of(at)
        return InputError(message, place, hint)

    def span_of(self, token: Token | None) -> Span:
        """The place of a token."""
        if token is None or token.start_pos is None or token.end_pos is None:
            return Span(self.source, 0, 0)
        return Span(self.source, token.start_pos, token.end_pos)

    @property
    def previous(self) -> Token | None:
        """The last token that fits."""
        return self.seen[-1] if self.seen else None

    def before(self, token: Token) -> str:
        """The token before another one, if there is one."""
        return next(
            (str(first) for first, second in pairwise([*self.seen, self.found]) if second is token), ""
        )

    def inside(self, bracket: Token) -> str:
        """The text inside the brackets that open here, up to the end of its line."""
        line = self.source.text[bracket.start_pos :].partition("\n")[0]
        return line[1 : next((end for end, depth in enumerate(depths(line)) if depth == 0), 0)].strip()

    @property
    def span(self) -> Span:
        """The place of the token that does not fit."""
        if self.found.type == "$END":
            end = self.span_of(self.previous).end
            return Span(self.source, end, end)
        return self.span_of(self.found)

    @property
    def found_text(self) -> str:
        """What was found."""
        if self.found.type == "$END":
            return "the end of the text"
        return "the end of the line" if self.found.type == "_SEP" and self.found != ";" else f"`{self.found}`"

    @property
    def statement(self) -> Sequence[Token]:
        """The tokens of the statement or declaration that was being read."""
        starts = [k for k, token in enumerate(self.seen, 1) if token.type in ("_SEP", *BLOCK_OPENS)]
        return self.seen[starts[-1] if starts else 0 :]

    @property
    def types(self) -> list[str]:
        """The terminals of the statement that was being read."""
        return [token.type for token in self.statement]

    @property
    def private(self) -> str:
        """What a claim begins with here."""
        return "" if self.start == "claim" else "private "

    @property
    def rest(self) -> str:
        """The text from the token that does not fit."""
        return self.rest_of_line(self.span.start)

    def fits(self, where: str, *accepts: str) -> re.Match[str] | None:
        """Where the pattern occurs, if one of the terminals ``accepts`` would have fitted.

        It is searched in the terminals of the statement, ``#``, the next terminal and the text from there.
        """
        before = ["PRIVATE"] * (self.start == "claim")
        read = f"{' '.join(before + self.types)} # {self.found.type} {self.rest}"
        return re.search(where, read) if not accepts or self.accepts & {*accepts} else None

    @property
    def name(self) -> str:
        """The text of the statement that was being read, without spaces."""
        return "".join(self.statement)

    def rest_of_line(self, position: int) -> str:
        """The text from a position to the end of its statement, at most to the end of the line."""
        return re.split(r"[;#\n]", self.source.text[position:], maxsplit=1)[0].strip()

    @property
    def brackets(self) -> Sequence[Token]:
        """The brackets that are open, the innermost last."""
        return still_open(self.seen, OPENING, CLOSING)

    @property
    def blocks(self) -> Sequence[Token]:
        """The words of the blocks that are open, the innermost last; not the `for` of a claim."""
        claim = {id(token) for token, after in pairwise(self.seen) if after.type == "EPS"}
        return still_open([token for token in self.seen if id(token) not in claim], BLOCKS, ("END",))

    def expected(self) -> str:
        """What would have fitted.

        >>> Situation(Source("", ""), [], Token("END", "end"), frozenset({"RSQB", "PLUS", "NAME"})).expected()
        'a name or `]`'
        """
        rest, phrases = set(self.accepts), []
        for terminals, phrase in PHRASES:
            if terminals <= rest:
                rest -= terminals
                phrases += [phrase] * bool(phrase)
        rest -= SILENT | ({"$END"} if "_SEP" in rest else set())
        telling = rest - {"LPAR", "LSQB"} if phrases or rest - {"LPAR", "LSQB"} else rest
        return either(phrases + [word_for(terminal) for terminal in sorted(telling)]) or "an operator"


def word_for(terminal: str) -> str:
    """How a message names a terminal."""
    return TERMINALS.get(terminal, f"`{terminal.lower()}`")


def either(phrases: Iterable[str]) -> str:
    """The phrases as alternatives."""
    *most, last = list(phrases) or [""]
    return f"{', '.join(most)} or {last}" if most else last


def still_open(tokens: Iterable[Token], opening: Container[str], closing: Container[str]) -> list[Token]:
    """The tokens that open something which no later token closes."""
    stack: list[Token] = []
    for token in tokens:
        if token.type in opening:
            stack.append(token)
        elif token.type in closing and stack:
            stack.pop()
    return stack


def depths(text: str) -> Iterator[int]:
    """The number of open brackets (of any kind) after each character.

    >>> list(depths("a(b)"))
    [0, 1, 1, 0]
    """
    return accumulate((sign in "([{") - (sign in ")]}") for sign in text)
