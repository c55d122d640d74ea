"""The Coq library that ships with dipc, and how a file begins with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent
MODULES = ("Chain", "Bounds", "Privacy")
"""In the order in which they need each other."""
MORE = ("Pieces", "Distributions")
"""What only some files need besides."""
PREFIX = "From Dipc Require Import "
REQUIRED = re.compile(r"^From (\w+) Require Import (.*)\.$")


def imported(modules: tuple[str, ...], library: bool = True) -> Iterator[str]:
    """The lines with which a file imports modules: the library itself, or that which is compiled as ``Dipc``.

    >>> list(imported(("Chain", "Bounds"), library=False))
    ['From Dipc Require Import Chain Bounds.']
    """
    names = " ".join(modules)
    yield from (*inlined(modules), f"Import {names}.") if library else (f"{PREFIX}{names}.",)


def inlined(modules: tuple[str, ...] = MODULES) -> Iterator[str]:
    """The library as a part of a file, so that the file needs nothing else of dipc: a Coq module each.

    What the modules need of Coq's own libraries comes before them, as Coq wants it; nothing else changes.
    """
    texts = {name: (FOLDER / f"{name}.v").read_text(encoding="utf-8").splitlines() for name in modules}
    lines = [line for text in texts.values() for line in text]
    found = [match for line in lines if (match := REQUIRED.match(line)) and match[1] != "Dipc"]
    for source in dict.fromkeys(match[1] for match in found):
        names = dict.fromkeys(name for match in found if match[1] == source for name in match[2].split())
        yield f"From {source} Require {' '.join(names)}."
    for name, text in texts.items():
        yield f"Module {name}."
        yield from map(imports, text)
        yield f"End {name}.\n"


def imports(line: str) -> str:
    """A line of a module of the library, in a file that has the modules before it, and what they require.

    >>> imports("From Coq Require Import Reals List.")
    'Import Reals List.'
    """
    return REQUIRED.sub(r"Import \2.", line)
