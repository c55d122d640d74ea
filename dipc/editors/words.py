"""The words of the language by what they are, for editors.

The tests compare these tables with the grammar, so that a word that is added there is not forgotten here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from dipc.dipwhile.syntax.distributions import DISTRIBUTIONS as DISTRIBUTIONS
from dipc.dipwhile.syntax.functions import FUNCTIONS as FUNCTIONS

DECLARATIONS = ("param", "input", "output", "adjacent", "private")
CONTROL = ("if", "then", "elif", "else", "end", "for", "in", "while", "do", "exit")
LOGIC = ("and", "or", "not", "forall", "exists")
CONSTANTS = ("inf", "true", "false")
BUDGET = ("eps", "ε")

ARROWS = ("<-", ":=", "←")
COMPARISONS = ("!=", "≠", "<=", "≤", ">=", "≥", "=", "<", ">")
ARITHMETIC = ("+", "-", "*", "/", "^", "..")
BRACKETS = ("(", ")", "[", "]", "{", "}")
PUNCTUATION = (",", ":", ";")

NUMBER = r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
NAME = r"[^\W\d]\w*'?"
COMMENT = r"#.*"


def words(some: Iterable[str]) -> str:
    """A pattern for any of these whole words.

    >>> bool(re.match(words(CONTROL), "in")), bool(re.match(words(CONTROL), "input"))
    (True, False)
    """
    return rf"\b(?:{'|'.join(map(re.escape, some))})\b(?!')"


def signs(some: Iterable[str]) -> str:
    """A pattern for any of these signs, the longest first."""
    return "|".join(re.escape(sign) for sign in sorted(some, key=len, reverse=True))
