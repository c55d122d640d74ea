"""Kinds of values.  A variable may hold several kinds at different times: a set of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Flag, auto
from functools import reduce
from operator import or_

from dipc.models.values import FALSE, TRUE, Atom, Value, show


class Kinds(Flag):
    """What a value may be."""

    NOTHING = 0
    BOOLEAN = auto()
    NUMBER = auto()
    ATOM = auto()
    REAL = auto()
    INTEGER = auto()
    RANDOM = REAL | INTEGER
    NUMERIC = NUMBER | RANDOM


WORDS = {
    Kinds.BOOLEAN: "a Boolean",
    Kinds.NUMBER: "a number",
    Kinds.ATOM: "an atom",
    Kinds.REAL: "a real random variable",
    Kinds.INTEGER: "an integer random variable",
}
"""The kinds in the words of error messages."""


def union(kinds: Iterable[Kinds]) -> Kinds:
    """All of these kinds."""
    return reduce(or_, kinds, Kinds.NOTHING)


def kinds_of_value(value: Value) -> Kinds:
    """The kind of a value."""
    if not isinstance(value, Atom):
        return Kinds.NUMBER
    return Kinds.BOOLEAN if value in (TRUE, FALSE) else Kinds.ATOM


def surely(kinds: Kinds, wanted: Kinds) -> bool:
    """Is every kind a wanted one?  (Nothing is certain about an unassigned variable.)"""
    return bool(kinds) and kinds & wanted is kinds


def never(kinds: Kinds, wanted: Kinds) -> bool:
    """Whether no kind is a wanted one; never for an unassigned variable."""
    return bool(kinds) and not kinds & wanted


def describe(kinds: Kinds) -> str:
    """The kinds in words, as alternatives."""
    return " or ".join(word for kind, word in WORDS.items() if kind in kinds)


def show_domain(domain: Sequence[Value]) -> str:
    """The set of an output, shortened to ten values."""
    shown = [show(value) for value in domain[:10]] + ["..."] * (len(domain) > 10)
    return "{" + ", ".join(shown) + "}"
