"""The twin of mechanisms in Python: the function really run, along every path of its finite choices.

Nothing is shared with dipc.python: each run replays a list of choices, which whatever draws has made.  The
result is the exact distribution of what is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from dipc.models.values import Atom

Law = dict[Any, Any]


class Choices:
    """One run: the choices so far are replayed, the next ones are the first of their kind."""

    def __init__(self, script: list[int]) -> None:
        self.script, self.position, self.mass = script, 0, Fraction(1)
        self.widths: list[int] = []

    def pick(self, values: Iterable[Any], chances: Iterable[Any] | None = None) -> Any:
        """One of the values; without chances all are equally likely."""
        values = list(values)
        chances = [Fraction(1, len(values))] * len(values) if chances is None else list(chances)
        if self.position == len(self.script):
            self.script.append(0)
        place = self.script[self.position]
        self.position += 1
        self.widths.append(len(values))
        self.mass *= chances[place]
        return values[place]

    def flip(self, probability: Any) -> bool:
        return bool(self.pick([True, False], [probability, 1 - probability]))


def law(run: Callable[[Choices], Any]) -> Law:
    """The distribution of what a run returns, with all its choices."""
    found: Law = {}
    script: list[int] = []
    while True:
        choices = Choices(script)
        key = run(choices)
        found[key] = found.get(key, 0) + choices.mass
        while script and script[-1] + 1 == choices.widths[len(script) - 1]:
            script.pop()
        if not script:
            return {key: mass for key, mass in found.items() if mass > 0}
        script[-1] += 1


WORDS = {"true": True, "false": False, "True": True, "False": False, "None": None}


def returned(key: Any) -> Any:
    """An output of dipc as what the function returns, with exact numbers: several values are a tuple."""
    values = tuple(as_python(value) for _, value in key)
    return values if len(values) > 1 else values[0]


def as_python(value: Any) -> Any:
    """A value of dipc in Python."""
    if isinstance(value, tuple):
        return tuple(map(as_python, value))
    return (
        WORDS.get(str(value), str(value)) if isinstance(value, Atom) else Fraction(int(value.p), int(value.q))
    )
