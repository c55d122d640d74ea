"""What a text has between separators: most of it is there over and over, but for some digits.

So a piece of a text is matched with the terminals once for each :class:`Shape`: pieces that differ in digits
only have the same tokens at the same places.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from lark import Lark, Token

from dipc.dipwhile.syntax.layout import AFTER, BEFORE, CLOSING, OPENING, WORDS
from dipc.dipwhile.syntax.lexer import Word, tokens, word

PIECE = re.compile(r"([^;\n#]*)(?:#[^\n]*)?([;\n]?)")
"""What is before a separator, without its comment, and the separator or the end."""

SAME = {ord(digit): "0" for digit in "123456789"}
"""What pieces of one shape are equal by; no word of the language has a digit but those after ``adjacent``."""

LONGEST = 64
"""How many tokens a piece may have: longer ones are hardly met again, and what makes them would be deep."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """What pieces that differ in digits only have in common.

    ``kinds`` are the terminals of their tokens, ``cuts`` the places of these in the piece, ``words`` the
    texts of those of one such piece.  ``alone``: no separator next to it may be left out because of what it
    begins or ends with, nor inside of it.
    """

    kinds: tuple[str, ...]
    cuts: tuple[tuple[int, int], ...]
    words: tuple[str, ...]
    alone: bool


def shape_of(found: Iterable[Token]) -> Shape:
    """The shape of a piece with these tokens."""
    tokens = tuple(found)
    kinds = tuple(WORDS.get(token, token.type) for token in tokens)
    cuts = tuple((token.start_pos or 0, token.end_pos or 0) for token in tokens)
    return Shape(kinds, cuts, tuple(token.value for token in tokens), is_alone(kinds))


def is_alone(kinds: tuple[str, ...]) -> bool:
    """Whether separators around such a piece count, whatever it is beside."""
    if not 0 < len(kinds) <= LONGEST or kinds[0] in BEFORE or kinds[-1] in AFTER or "ADJACENT" in kinds:
        return False  # after `adjacent`, some words are others than elsewhere
    depths = list(accumulate((kind in OPENING) - (kind in CLOSING) for kind in kinds))
    return min(depths) == depths[-1] == 0


class Piece(Word):
    """A piece in the place of its tokens."""

    __slots__ = ("shape",)
    shape: Shape

    def tokens(self) -> Iterator[Token]:
        """Its tokens."""
        shape, start = self.shape, self.start_pos or 0
        for kind, (first, last) in zip(shape.kinds, shape.cuts, strict=True):
            yield word(kind, self[first:last], start + first)


def pieces(lark: Lark, text: str) -> Iterator[Token]:
    """The tokens of a text, many together as a :class:`Piece`.

    Raises :class:`~dipc.dipwhile.syntax.lexer.Rejected`.
    """
    shapes: dict[str, Shape] = {}
    separators = {sign: Token("_SEP", sign) for sign in ";\n"}
    for match in PIECE.finditer(text):
        written, sign = match.groups()
        outline = written.translate(SAME)
        shape = shapes.get(outline)
        if shape is None:
            shape = shapes[outline] = shape_of(tokens(lark, written))
        if shape.kinds:
            piece = str.__new__(Piece, written)
            piece.type, piece.value, piece.start_pos, piece.shape = "PIECE", written, match.start(), shape
            if shape.alone:
                yield piece
            else:
                yield from piece.tokens()
        if sign:
            yield separators[sign]
