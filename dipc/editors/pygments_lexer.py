"""Highlighting of programs wherever Pygments is used: Sphinx, LaTeX (minted), notebooks, ``pygmentize``.

>>> from pygments import lex
>>> [(str(kind), text) for kind, text in lex("x <- Lap(eps, 0)", DipLexer()) if text.strip()][:3]
[('Token.Name', 'x'), ('Token.Operator', '<-'), ('Token.Name.Builtin', 'Lap')]
"""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, Whitespace

from dipc.editors.words import METRIC, PATTERNS

__all__ = ["DipLexer"]

TOKENS = {
    "comment": Comment.Single,
    "declaration": Keyword.Declaration,
    "control": Keyword,
    "logic": Operator.Word,
    "distribution": Name.Builtin,
    "budget": Name.Builtin.Pseudo,
    "constant": Keyword.Constant,
    "function": Name.Function,
    "number": Number,
    "name": Name,
    "arrow": Operator,
    "comparison": Operator,
    "arithmetic": Operator,
    "bracket": Punctuation,
    "punctuation": Punctuation,
}
"""The Pygments token of each kind of token."""


class DipLexer(RegexLexer):  # type: ignore[misc]
    """The lexer of dipc's language."""

    name = "dipc"
    aliases: ClassVar[list[str]] = ["dip", "dipc"]
    filenames: ClassVar[list[str]] = ["*.dip"]
    mimetypes: ClassVar[list[str]] = ["text/x-dip"]

    tokens: ClassVar[dict[str, object]] = {
        "root": [
            (r"\s+", Whitespace),
            (rf"(\badjacent\b)([ \t]+)({METRIC})", bygroups(Keyword.Declaration, Whitespace, Keyword.Type)),
            *((pattern, TOKENS[kind]) for kind, pattern in PATTERNS.items()),
        ]
    }
