"""Highlighting of programs wherever Pygments is used: Sphinx, LaTeX (minted), notebooks, ``pygmentize``."""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Keyword, Whitespace, string_to_tokentype

from dipc.dipwhile.editors.words import CONTEXTS, KINDS, words

__all__ = ["DipLexer"]


class DipLexer(RegexLexer):  # type: ignore[misc]
    """The lexer of dipc's language."""

    name = "dipc"
    aliases: ClassVar[list[str]] = ["dip", "dipc"]
    filenames: ClassVar[list[str]] = ["*.dip"]
    mimetypes: ClassVar[list[str]] = ["text/x-dip"]

    tokens: ClassVar[dict[str, object]] = {
        "root": [
            (r"\s+", Whitespace),
            *(
                (
                    rf"(\b{before}\b)([ \t]+)({words(after)})",
                    bygroups(string_to_tokentype(token), Whitespace, Keyword.Type),
                )
                for before, after, _, _, token in CONTEXTS
            ),
            *((pattern, string_to_tokentype(token)) for pattern, _, token in KINDS),
        ]
    }
