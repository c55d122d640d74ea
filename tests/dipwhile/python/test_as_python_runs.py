"""A function means what Python runs: every path of its choices is run, with fakes that list all draws.

The twin shares nothing with dipc: numpy is numpy, and the sources of randomness are `Choices`.
"""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from dipwhile.python import finite_functions
from dipwhile.python.really_run import Choices, Law, law, returned

import dipc

FILE = Path(__file__).parent / "finite_functions.py"
TEXT = FILE.read_text(encoding="utf-8")
HEADS = re.findall(r"^# (.*) \| (.*)\ndef (\w+)", TEXT, re.MULTILINE)


class Uniform:
    """A number from [0, 1) of which only comparisons are known, shifted and multiplied; or one made an integer."""

    def __init__(self, draws: Choices, base: Any = None, factor: float = 1, offset: float = 0) -> None:
        self.draws, self.low, self.high = draws, 0.0, 1.0
        self.base, self.factor, self.offset = base or self, factor, offset

    def below(self, bound: float) -> bool:
        """Whether the number itself is below a bound."""
        if not self.low + 1e-12 < bound < self.high - 1e-12:
            return self.high <= bound + 1e-12
        below = self.draws.flip((bound - self.low) / (self.high - self.low))
        self.low, self.high = (self.low, bound) if below else (bound, self.high)
        return below

    def __add__(self, other: float) -> Uniform:
        return Uniform(self.draws, self.base, self.factor, self.offset + other)

    def __mul__(self, other: float) -> Uniform:
        return Uniform(self.draws, self.base, self.factor * other, self.offset * other)

    def __sub__(self, other: float) -> Uniform:
        return self + -other

    def __rsub__(self, other: float) -> Uniform:
        return self * -1 + other

    def __truediv__(self, other: float) -> Uniform:
        return self * (1 / other)

    __radd__, __rmul__ = __add__, __mul__

    def __lt__(self, bound: float) -> bool:
        return bool(self.base.below((bound - self.offset) / self.factor)) is (self.factor > 0)

    def __ge__(self, bound: float) -> bool:
        return not self < bound

    __le__, __gt__ = __lt__, __ge__

    def __int__(self) -> int:
        return int(self.offset) + int(self.draws.pick(range(int(self.factor))))


def fakes(draws: Choices) -> dict[str, Any]:
    """What takes the place of modules and words; the ends of ranges are those of the documentations."""

    def integers(low: int, high: int | None = None, endpoint: bool = False) -> int:
        low, high = (0, low) if high is None else (low, high)
        return int(draws.pick(range(low, high + endpoint)))

    def weighted(values: Any, weights: Any) -> list[Any]:
        return [draws.pick(values, [w / sum(weights) for w in weights])]

    rng = SimpleNamespace(
        random=lambda: Uniform(draws),
        uniform=lambda low=0, high=1: low + (high - low) * Uniform(draws),
        integers=integers,
        randint=integers,
        choice=lambda a, p=None: draws.pick(range(a) if isinstance(a, int) else a, p),
        binomial=lambda n, p: sum(draws.flip(p) for _ in range(n)),
    )
    everything = {
        name: getattr(np, name) for name in dir(np) if not name.startswith("_") and name != "random"
    }
    return {
        "rng": rng,
        "np": SimpleNamespace(**everything, random=rng),
        "random": SimpleNamespace(
            random=rng.random,
            uniform=rng.uniform,
            randint=lambda a, b: integers(a, b + 1),
            randrange=integers,
            getrandbits=lambda k: integers(2**k),
            choices=weighted,
        ),
        "secrets": SimpleNamespace(randbelow=integers),
        "flip": draws.flip,
        "uniform": draws.pick,
        "choose": lambda options: draws.pick(options, options.values()),
        "argmax": lambda values: max(range(len(values)), key=lambda i: (values[i], -i)),
        "argmin": lambda values: min(range(len(values)), key=lambda i: (values[i], i)),
        "disc": lambda x, *levels: next((level for level in levels[:-1] if x <= level), levels[-1]),
    }


def law_of(name: str, inputs: dict[str, Any]) -> Law:
    """The distribution of what Python returns, at eps = 1."""
    scope: dict[str, Any] = {}
    exec(compile(TEXT, "<run>", "exec"), scope)

    def run(draws: Choices) -> Any:
        scope.update(fakes(draws))
        fresh = {key: list(value) if isinstance(value, tuple) else value for key, value in inputs.items()}
        return plain(scope[name](**fresh, eps=1.0))

    return law(run)


def plain(value: Any) -> Any:
    """A result as numbers, strings and tuples of them; True is 1."""
    if isinstance(value, list | tuple):
        return tuple(map(plain, value))
    return value if isinstance(value, str | None) else float(value)


@pytest.mark.parametrize(("inputs", "outputs", "name"), HEADS, ids=[head[2] for head in HEADS])
def test_the_law_is_that_of_python(inputs: str, outputs: str, name: str) -> None:
    function = getattr(finite_functions, name)
    mechanism = dipc.mechanism(inputs=inputs, outputs=outputs.split("; "), adjacent="all", private="eps")(
        function
    )
    for variable in mechanism.program.inputs:
        values = [int(value.p) for value in variable.domain]
        every = values if variable.size is None else itertools.product(values, repeat=variable.size)
        for value in every:
            expected = law_of(name, {variable.name: value})
            found = {
                returned(k): float(p.at(1))
                for k, p in mechanism.distribution(**{variable.name: value}).items()
            }
            found = {key: mass for key, mass in found.items() if mass > 0}
            assert found.keys() == expected.keys(), value
            assert all(math.isclose(found[key], expected[key], rel_tol=1e-9) for key in found), value
