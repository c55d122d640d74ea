"""Random functions: what dipc reads is what CPython returns on every input, for every outcome of the coins."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from campaigns import many
from dipwhile.python.random_python import HEADS, OUTPUTS, VALUES, written
from dipwhile.python.really_run import Choices, Law, law, returned

import dipc


class Drawn:
    """A number from [0, 1) that is compared once."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices

    def __lt__(self, p: float) -> bool:
        return self.choices.flip(Fraction(p))

    def __ge__(self, p: float) -> bool:
        return not self < p


def law_of(function: Callable[..., Any], scope: dict[str, Any], given: dict[str, Any]) -> Law | None:
    """The distribution of what the function returns; None if it stops with an error on some path."""

    def run(choices: Choices) -> Any:
        scope["random"] = SimpleNamespace(
            random=lambda: Drawn(choices), randrange=lambda k: choices.pick(range(k))
        )
        fresh = {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}
        result = function(**fresh, eps=1)
        return tuple(map(plain, result)) if isinstance(result, tuple) else plain(result)

    try:
        return law(run)
    except Exception:  # whatever stops it
        return None


def plain(value: Any) -> Any:
    return value if isinstance(value, str | None) else Fraction(value)


def compared(seed: int) -> str:
    """How a random function fares: "same", "stops" or "refused", with the reason."""
    writer = written(seed)
    text = "import random\n\n\n" + writer.text_of()
    file = f"<random {seed}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {}
    exec(compile(text, file, "exec"), scope)
    inputs, outputs = HEADS[writer.head].split("; "), OUTPUTS[writer.outputs].split("; ")
    laws = {}
    names = writer.head.split(", ")
    real = scope["random"]
    for values in itertools.product(*(VALUES[name] for name in names)):
        values = tuple(
            v % 2 if writer.head == "x, t" and n == "x" else v for n, v in zip(names, values, strict=True)
        )
        laws[values] = law_of(scope["f"], scope, dict(zip(names, values, strict=True)))
    scope["random"] = real
    try:
        mechanism = dipc.mechanism(inputs=inputs, outputs=outputs, adjacent="all", private="eps")(scope["f"])
    except dipc.InputError as error:
        return told("stops" if None in laws.values() else "refused", error)
    for values, expected in laws.items():
        try:
            found = mechanism.distribution(**dict(zip(names, values, strict=True)))
        except dipc.InputError as error:
            if expected is not None:
                return told("refused", error)
            continue
        rational = {returned(key): p.at(1) for key, p in found.items()}
        shown = {key: Fraction(str(p)) for key, p in rational.items() if str(p) != "0"}
        assert expected is not None, f"{file} stops on {values}, and is read\n{text}"
        assert shown == expected, f"{file} on {values}: {shown}, not {expected}\n{text}"
    return "same"


def told(what: str, error: dipc.InputError) -> str:
    """A refusal, which has a place in the text of the function."""
    assert error.span is not None, error
    assert error.hint, error
    return f"{what}|{error.message}"


SEEDS = many(60, 3000)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("part", range(6))
def test_random_functions(part: int) -> None:
    answers = [compared(seed) for seed in range(part, SEEDS, 6)]
    assert answers.count("same") > len(answers) / 4
