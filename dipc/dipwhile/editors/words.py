"""The kinds of tokens of the language, for editors, and the patterns that match them.

The tests compare these tables with the grammar, so that no word is forgotten here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from dipc.dipwhile.syntax import layout
from dipc.dipwhile.syntax.distributions import DISTRIBUTIONS as DISTRIBUTIONS
from dipc.dipwhile.syntax.functions import FUNCTIONS as FUNCTIONS
from dipc.dipwhile.syntax.layout import METRICS, NUMBERS

DECLARATIONS = (*layout.DECLARATIONS, "vs")
CONTROL = layout.CONTROL
LOGIC = ("and", "or", "not", "forall", "exists")
CONSTANTS = ("inf", "true", "false")
BUDGET = ("eps", "ε")


def words(some: Iterable[str]) -> str:
    """A pattern for any of these whole words."""
    return rf"\b(?:{'|'.join(map(re.escape, some))})\b(?!')"


def signs(some: str) -> str:
    """A pattern for any of these signs, which are separated by blanks; the longest is tried first."""
    return "|".join(map(re.escape, sorted(some.split(), key=len, reverse=True)))


CONTEXTS = (
    ("adjacent", METRICS, "keyword.other.declaration", "storage.type.metric", "Keyword.Declaration"),
    ("in", NUMBERS, "keyword.control", "storage.type.numbers", "Keyword"),
    ("for", ("all",), "keyword.control", "storage.type.sizes", "Keyword"),
)
"""Words after which others are keywords: both, their TextMate scopes, the Pygments token of the first."""

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
    (r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", "constant.numeric", "Number"),
    (r"[^\W\d]\w*'?", "variable.other", "Name"),
    (signs("<- := ← ->"), "keyword.operator.assignment", "Operator"),
    (signs("!= ≠ <= ≤ >= ≥ = < >"), "keyword.operator.comparison", "Operator"),
    (signs("+ - * / ^ .."), "keyword.operator.arithmetic", "Operator"),
    (signs("( ) [ ] { }"), "punctuation.section", "Punctuation"),
    (signs(", : ;"), "punctuation.separator", "Punctuation"),
)
"""The kinds of tokens (the first pattern that matches counts), their TextMate scopes and Pygments tokens."""
