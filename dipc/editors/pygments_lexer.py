"""Colours for programs wherever Pygments is used: Sphinx, LaTeX (minted), notebooks, ``pygmentize``.

>>> from pygments import lex
>>> [(str(kind), text) for kind, text in lex("x <- Lap(eps, 0)", DipLexer()) if text.strip()][:3]
[('Token.Name', 'x'), ('Token.Operator', '<-'), ('Token.Name.Builtin', 'Lap')]
"""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer, bygroups
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    Whitespace,
)

from dipc.dipwhile.syntax.layout import METRICS
from dipc.editors.words import (
    ARITHMETIC,
    ARROWS,
    BRACKETS,
    BUDGET,
    COMMENT,
    COMPARISONS,
    CONSTANTS,
    CONTROL,
    DECLARATIONS,
    DISTRIBUTIONS,
    FUNCTIONS,
    LOGIC,
    NAME,
    NUMBER,
    PUNCTUATION,
    signs,
    words,
)

__all__ = ["DipLexer"]


class DipLexer(RegexLexer):  # type: ignore[misc]
    """Programs of dipc."""

    name = "dipc"
    aliases: ClassVar[list[str]] = ["dip", "dipc"]
    filenames: ClassVar[list[str]] = ["*.dip"]
    mimetypes: ClassVar[list[str]] = ["text/x-dip"]

    tokens: ClassVar[dict[str, object]] = {
        "root": [
            (r"\s+", Whitespace),
            (COMMENT, Comment.Single),
            (
                rf"(\badjacent\b)([ \t]+)({'|'.join(METRICS)})\b(?!')",
                bygroups(Keyword.Declaration, Whitespace, Keyword.Type),
            ),
            (words(DECLARATIONS), Keyword.Declaration),
            (words(CONTROL), Keyword),
            (words(LOGIC), Operator.Word),
            (words(DISTRIBUTIONS), Name.Builtin),
            (words(BUDGET), Name.Builtin.Pseudo),
            (words(CONSTANTS), Keyword.Constant),
            (words(FUNCTIONS) + r"(?=\s*\()", Name.Function),
            (NUMBER, Number),
            (NAME, Name),
            (signs((*ARROWS, *COMPARISONS, *ARITHMETIC)), Operator),
            (signs((*BRACKETS, *PUNCTUATION)), Punctuation),
        ]
    }
