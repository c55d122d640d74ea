"""The Coq library that ships with dipc, and how a file begins with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent
MODULES = ("Chain", "Bounds", "Privacy")
"""In the order in which they need each other."""
PREFIX = "From Dipc Require Import "


def inlined(modules: tuple[str, ...] = MODULES) -> Iterator[str]:
    """The library as a part of a file, so that the file needs nothing else of dipc: a Coq module each."""
    for name in modules:
        text = (FOLDER / f"{name}.v").read_text(encoding="utf-8")
        yield f"Module {name}."
        yield from (imports(line) for line in text.splitlines())
        yield f"End {name}.\n"


def imports(line: str) -> str:
    """A line of a module of the library, in a file in which the modules before it are inlined."""
    if line.startswith(PREFIX):
        return f"Import {line.removeprefix(PREFIX)}"
    return line
