"""The twin of mechanisms in Python: the function really run, along every path of its finite choices.

Nothing is shared with dipc.python: ``flip``, ``uniform``, ``choose`` and whatever else draws are functions
here, and each run replays a list of choices.  The result is the exact distribution of what is returned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from types import CodeType, SimpleNamespace
from typing import Any

from flint import fmpq

from dipc.models.values import Atom, truth

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


def exact(probability: Any) -> Fraction:
    """1/3 is a float when it is run."""
    return Fraction(probability).limit_denominator(1000)


def law_of(text: str, name: str, *inputs: Any) -> Law:
    """The distribution of what the function returns on these inputs, with the words of dipc."""
    code = compile(text, "<run>", "exec")

    def run(choices: Choices) -> Any:
        value = function_of(code, name, choices)(*(list(x) if isinstance(x, tuple) else x for x in inputs))
        return tuple(value) if isinstance(value, list) else value

    return law(run)


def function_of(code: CodeType, name: str, run: Choices) -> Callable[..., Any]:
    scope: dict[str, Any] = {
        "dipc": SimpleNamespace(mechanism=lambda **_: lambda function: function),
        "choose": lambda options: run.pick(options, map(exact, options.values())),
        "flip": lambda probability: run.flip(exact(probability)),
        "uniform": run.pick,
        "argmax": lambda values: max(range(len(values)), key=lambda i: (values[i], -i)),
        "argmin": lambda values: min(range(len(values)), key=lambda i: (values[i], i)),
        "disc": lambda x, *levels: next((level for level in levels[:-1] if x <= level), levels[-1]),
        "count": lambda *conditions: sum(conditions),
        "floor": math.floor,
        "ceil": math.ceil,
        "mod": lambda a, b: a % b,
        "Fraction": Fraction,
    }
    exec(code, scope)
    function = scope[name]
    assert callable(function)
    return function


def as_value(value: Any) -> Any:
    """A Python value as dipc's."""
    match value:
        case tuple():
            return tuple(map(as_value, value))
        case bool():
            return truth(value)
        case str():
            return Atom(value)
    exact = Fraction(value)
    return fmpq(exact.numerator, exact.denominator)


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
