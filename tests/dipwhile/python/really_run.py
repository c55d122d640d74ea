"""The other twin: the function really run by Python, along every path of its finite choices.

Nothing is shared with dipc.python: ``flip``, ``uniform`` and ``choose`` are functions here, and each run
replays a list of choices.  The result is the exact distribution of what the function returns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from types import CodeType, SimpleNamespace
from typing import Any

from flint import fmpq

from dipc.models.values import Atom, truth

Law = dict[Any, Fraction]


class Choices:
    """One run: the choices so far are replayed, the next ones are the first of their kind."""

    def __init__(self, script: list[int]) -> None:
        self.script, self.position, self.mass = script, 0, Fraction(1)
        self.widths: list[int] = []

    def choose(self, options: Mapping[Any, Any]) -> Any:
        values = list(options)
        if self.position == len(self.script):
            self.script.append(0)
        place = self.script[self.position]
        self.position += 1
        self.widths.append(len(values))
        self.mass *= exact(options[values[place]])
        return values[place]

    def flip(self, probability: Any) -> bool:
        return bool(self.choose({True: exact(probability), False: 1 - exact(probability)}))

    def uniform(self, values: Iterable[Any]) -> Any:
        members = list(values)
        return self.choose(dict.fromkeys(members, Fraction(1, len(members))))


def exact(probability: Any) -> Fraction:
    """1/3 is a float when it is run."""
    return Fraction(probability).limit_denominator(1000)


def law(text: str, name: str, *inputs: Any) -> Law:
    """The distribution of what the function returns on these inputs."""
    found: Law = {}
    script: list[int] = []
    code = compile(text, "<run>", "exec")
    while True:
        run = Choices(script)
        value = function_of(code, name, run)(*(list(x) if isinstance(x, tuple) else x for x in inputs))
        key = tuple(value) if isinstance(value, list) else value
        found[key] = found.get(key, Fraction(0)) + run.mass
        while script and script[-1] + 1 == run.widths[len(script) - 1]:
            script.pop()
        if not script:
            return {key: mass for key, mass in found.items() if mass}
        script[-1] += 1


def function_of(code: CodeType, name: str, run: Choices) -> Callable[..., Any]:
    scope: dict[str, Any] = {
        "dipc": SimpleNamespace(mechanism=lambda **_: lambda function: function),
        "choose": run.choose,
        "flip": run.flip,
        "uniform": run.uniform,
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
