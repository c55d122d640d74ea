"""The TextMate grammar, which Visual Studio Code, Sublime Text, JetBrains and GitHub read.

It is the file ``dip.tmLanguage.json``; ``python -m dipc.editors.textmate`` writes it anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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

FILE = Path(__file__).with_name("dip.tmLanguage.json")

SCOPES = (
    ("comment.line.number-sign", COMMENT),
    ("keyword.other.declaration", words(DECLARATIONS)),
    ("keyword.control", words(CONTROL)),
    ("keyword.operator.word", words(LOGIC)),
    ("support.function.distribution", words(DISTRIBUTIONS)),
    ("variable.language.budget", words(BUDGET)),
    ("constant.language", words(CONSTANTS)),
    ("support.function", words(FUNCTIONS) + r"(?=\s*\()"),
    ("constant.numeric", NUMBER),
    ("variable.other", NAME),
    ("keyword.operator.assignment", signs(ARROWS)),
    ("keyword.operator.comparison", signs(COMPARISONS)),
    ("keyword.operator.arithmetic", signs(ARITHMETIC)),
    ("punctuation.section", signs(BRACKETS)),
    ("punctuation.separator", signs(PUNCTUATION)),
)
"""What a pattern is; the first that matches counts."""


def grammar() -> dict[str, Any]:
    """The grammar as a JSON object."""
    metric = {
        "match": rf"\b(adjacent)[ \t]+({'|'.join(METRICS)})\b(?!')",
        "captures": {
            "1": {"name": "keyword.other.declaration.dip"},
            "2": {"name": "storage.type.metric.dip"},
        },
    }
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "dipc",
        "scopeName": "source.dip",
        "fileTypes": ["dip"],
        "patterns": [metric, *({"name": f"{scope}.dip", "match": match} for scope, match in SCOPES)],
    }


def text() -> str:
    """The file."""
    return json.dumps(grammar(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
