"""Kinds of values.  A variable may hold several kinds at different times: a set of them."""

from __future__ import annotations

from enum import Enum

from dipc.models.values import FALSE, TRUE, Atom, Value


class Kind(Enum):
    """What a value is, in the words of error messages."""

    BOOLEAN = "a Boolean"
    NUMBER = "a number"
    ATOM = "an atom"
    REAL = "a real random variable"
    INTEGER = "an integer random variable"


Kinds = frozenset[Kind]

NOTHING: Kinds = frozenset()
BOOLEANS: Kinds = frozenset({Kind.BOOLEAN})
NUMBERS: Kinds = frozenset({Kind.NUMBER})
ATOMS: Kinds = frozenset({Kind.ATOM})
REALS: Kinds = frozenset({Kind.REAL})
INTEGERS: Kinds = frozenset({Kind.INTEGER})
RANDOM: Kinds = REALS | INTEGERS
NUMERIC: Kinds = NUMBERS | RANDOM


def kinds_of_value(value: Value) -> Kinds:
    """The kind of a value."""
    if not isinstance(value, Atom):
        return NUMBERS
    return BOOLEANS if value in (TRUE, FALSE) else ATOMS


def surely(kinds: Kinds, wanted: Kinds) -> bool:
    """Is every kind a wanted one?  (Nothing is certain about an unassigned variable.)"""
    return bool(kinds) and kinds <= wanted


def never(kinds: Kinds, wanted: Kinds) -> bool:
    """Whether no kind is a wanted one; never for an unassigned variable."""
    return bool(kinds) and not kinds & wanted


def describe(kinds: Kinds) -> str:
    """The kinds in words, as alternatives."""
    return " or ".join(kind.value for kind in Kind if kind in kinds)
