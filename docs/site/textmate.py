"""The TextMate grammar, which Visual Studio Code, Sublime Text, JetBrains and GitHub read.

It is the file ``dip.tmLanguage.json``; ``python docs/site/textmate.py`` regenerates it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dipc.dipwhile.editors.words import CONTEXTS, KINDS, words
from dipc.files import write_file

FILE = Path(__file__).parents[2] / "dipc" / "dipwhile" / "editors" / "dip.tmLanguage.json"


def grammar() -> dict[str, Any]:
    """The grammar as a JSON object."""
    contexts = [
        {
            "match": rf"\b({before})[ \t]+({words(after)})",
            "captures": {"1": {"name": f"{first}.dip"}, "2": {"name": f"{second}.dip"}},
        }
        for before, after, first, second, _ in CONTEXTS
    ]
    patterns = [{"name": f"{scope}.dip", "match": pattern} for pattern, scope, _ in KINDS]
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "dipc",
        "scopeName": "source.dip",
        "fileTypes": ["dip"],
        "patterns": [*contexts, *patterns],
    }


def text() -> str:
    """The contents of the file."""
    return json.dumps(grammar(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    write_file(FILE, text())
