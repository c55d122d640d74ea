"""The values of inputs and outputs: exact rationals and atoms.

A number is a ``flint.fmpq``.  Everything else, ``true`` and ``false`` included, is an
:class:`Atom`.  Program values are deliberately never Python's own ``bool``: ``True == 1`` holds in
Python, so that a state with ``b = true`` and one with ``b = 1`` would be merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq


@dataclass(frozen=True, slots=True, order=True)
class Atom:
    """A symbolic constant such as ``bot``.

    >>> Atom("bot") == Atom("bot"), Atom("true") == 1
    (True, False)
    """

    name: str

    def __str__(self) -> str:
        return self.name


Value = fmpq | Atom
Valuation = tuple[tuple[str, Value | tuple[Value, ...]], ...]  # each variable with its value(s)

TRUE = Atom("true")
FALSE = Atom("false")


def truth(flag: bool) -> Atom:
    """The program value of a Python Boolean."""
    return TRUE if flag else FALSE


def show(value: Value | Sequence[Value]) -> str:
    """A value, or an array of values, as the language writes it.

    >>> show(fmpq(-1, 2)), show(TRUE), show((fmpq(0), Atom("bot")))
    ('-1/2', 'true', '[0, bot]')
    """
    if isinstance(value, Sequence):
        return "[" + ", ".join(show(item) for item in value) + "]"
    return str(value)


def show_valuation(valuation: Valuation) -> str:
    """A valuation as text: ``out=[bot, top], n=1``."""
    return ", ".join(f"{name}={show(value)}" for name, value in valuation)


def valuation_text(valuation: Valuation) -> str:
    """A valuation in prose: ``q = [0, 1], x = 2``."""
    return ", ".join(f"{name} = {show(value)}" for name, value in valuation)


def valuation_record(valuation: Valuation) -> dict[str, str | list[str]]:
    """A valuation for JSON: each variable with its value, or its list of values, as strings."""
    return {
        name: [str(v) for v in value] if isinstance(value, tuple) else str(value) for name, value in valuation
    }
