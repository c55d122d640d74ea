"""Names of states and labels: what formulas read otherwise is in quotes, where it is declared and there."""

from __future__ import annotations

from dipc.errors import InputError, Span
from dipc.models.arithmetic import WORDS

FORMULA_WORDS = {
    "not": "NOT", "and": "AND", "or": "OR", "X": "NEXT", "F": "EVENTUALLY", "G": "ALWAYS", "U": "UNTIL",
    "W": "WEAK", "R": "RELEASE", "true": "TRUE", "false": "FALSE", "forall": "FORALL", "in": "IN",
    "subset": "SUBSET", "P": "P", "Pmax": "PMAX", "Pmin": "PMIN", "D": "D", "from": "_FROM", "for": "_FOR",
}  # fmt: skip
"""Names that are a terminal of their own in ``formula.lark``; those of arithmetic are, too."""

RESERVED = frozenset({*FORMULA_WORDS, *WORDS})


def name_declared(written: str, span: Span | None = None) -> str:
    """The name of a state or label where it is declared; quotes are not a part of it."""
    if written in RESERVED:
        hint = f'as a name it is written "{written}", here and in formulas'
        raise InputError(f"`{written}` has a meaning of its own in formulas", span, hint)
    return unquoted(written)


def unquoted(text: str) -> str:
    """A name without its quotes."""
    return text[1:-1] if text.startswith('"') and text.endswith('"') and len(text) > 1 else str(text)


def as_declared(name: str) -> str:
    """The name as a text that declares it."""
    return f'"{name}"' if name in RESERVED else name
