"""What the language is made of, for editors: kinds of tokens and the patterns that match them.

The tests compare these tables with the grammar, so that a word added there is not forgotten here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from dipc.dipwhile.syntax.distributions import DISTRIBUTIONS as DISTRIBUTIONS
from dipc.dipwhile.syntax.functions import FUNCTIONS as FUNCTIONS
from dipc.dipwhile.syntax.layout import METRICS

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


def words(some: Iterable[str]) -> str:
    """A pattern for any of these whole words."""
    return rf"\b(?:{'|'.join(map(re.escape, some))})\b(?!')"


def signs(some: Iterable[str]) -> str:
    """A pattern for any of these signs, the longest first."""
    return "|".join(re.escape(sign) for sign in sorted(some, key=len, reverse=True))


METRIC = rf"(?:{'|'.join(METRICS)})\b(?!')"
"""A metric; it is a keyword only right after ``adjacent``."""

COMMENT = r"#.*"

KINDS = (
    (COMMENT, "comment.line.number-sign", "Comment.Single"),
    (words(DECLARATIONS), "keyword.other.declaration", "Keyword.Declaration"),
    (words(CONTROL), "keyword.control", "Keyword"),
    (words(LOGIC), "keyword.operator.word", "Operator.Word"),
    (words(DISTRIBUTIONS), "support.function.distribution", "Name.Builtin"),
    (words(BUDGET), "variable.language.budget", "Name.Builtin.Pseudo"),
    (words(CONSTANTS), "constant.language", "Keyword.Constant"),
    (words(FUNCTIONS) + r"(?=\s*\()", "support.function", "Name.Function"),
    (r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", "constant.numeric", "Number"),
    (r"[^\W\d]\w*'?", "variable.other", "Name"),
    (signs(ARROWS), "keyword.operator.assignment", "Operator"),
    (signs(COMPARISONS), "keyword.operator.comparison", "Operator"),
    (signs(ARITHMETIC), "keyword.operator.arithmetic", "Operator"),
    (signs(BRACKETS), "punctuation.section", "Punctuation"),
    (signs(PUNCTUATION), "punctuation.separator", "Punctuation"),
)
"""The kinds of tokens, the first pattern that matches counts; their TextMate scope and Pygments token."""
