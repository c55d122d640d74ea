"""A mechanism that is called draws from the law that dipc proves things about."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import e, sqrt
from pathlib import Path
from typing import Any

import pytest
from campaigns import LEFT_OUT, many
from dipwhile.python.to_python import load_function

import dipc
from dipc.dipwhile.python import running, words
from dipc.dipwhile.python.running import Runnable
from dipc.dipwhile.python.samplers import coins
from dipc.dipwhile.python.source import text_of
from dipc.errors import InputError, WrongType
from dipc.models.values import Atom

ROOT = Path(__file__).parents[3]
RUNS = many(2000, 100_000)
FAR = 6  # standard deviations: with a fixed rng a test never flakes, and a wrong law is further away


def plain(value: Any) -> Any:
    """A value of dipc or of Python, comparable to both."""
    match value:
        case list() | tuple():
            return tuple(map(plain, value))
        case bool() | str() | Atom():
            return str(value).lower()
    return Fraction(int(value.numerator), int(value.denominator))


def law_of(mechanism: dipc.PythonMechanism, eps: Any, inputs: dict[str, Any]) -> dict[Any, float]:
    """The exact law, by what the function returns: all outputs, or the only one."""
    exact = mechanism.distribution(**inputs)
    law = {}
    for outputs, p in exact.items():
        values = tuple(plain(value) for _, value in outputs)
        law[values if len(values) > 1 else values[0]] = float(p.at(eps))
    return law


def distance(mechanism: dipc.PythonMechanism, eps: Any, law_at: Any, runs: int, **inputs: Any) -> float:
    """How far the runs are from the law: chi-square, as standard deviations (Wilson, Hilferty)."""
    rng = random.Random(str(inputs))
    listed = {name: list(x) if isinstance(x, tuple) else x for name, x in inputs.items()}
    seen = Counter(plain(mechanism(**listed, eps=eps, rng=rng)) for _ in range(runs))
    law = law_of(mechanism, law_at, inputs)
    assert {outcome for outcome in seen if not law.get(outcome)} == set()
    rare = [outcome for outcome, p in law.items() if p * runs < 8]
    cells = [(seen[outcome], p * runs) for outcome, p in law.items() if outcome not in rare]
    cells.append((sum(seen[o] for o in rare), sum(law[o] for o in rare) * runs))
    square = sum((n - expected) ** 2 / (expected or 1) for n, expected in cells)
    degrees = max(1, len([1 for _, expected in cells if expected]) - 1)
    part = 2 / (9 * degrees)
    return float(((square / degrees) ** (1 / 3) - (1 - part)) / sqrt(part))


# --- functions that are shipped or documented ----------------------------------------------------


def written_in(document: str) -> Iterator[tuple[str, str]]:
    """The names and texts of the mechanisms in the sessions of a document."""
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    for session in re.findall(r"^>>> @dipc\.mechanism.*\n(?:\.\.\. .*\n)+", text, re.MULTILINE):
        code = re.sub(r"^(>>>|\.\.\.) ?", "", session, flags=re.MULTILINE)
        name = re.search(r"def (\w+)", code)
        assert name is not None
        yield name[1], code


NOT_RUN = ("rejection", "first_above", "wrong")  # endless, with a helper beside it, refused
DOCUMENTED = {name: code for name, code in written_in("python.md") if name not in NOT_RUN}


def inputs_of(mechanism: dipc.PythonMechanism) -> dict[str, Any]:
    """The first input, and one with as many different values as there are."""
    return {
        d.name: d.domain[-1] if d.size is None else tuple(d.domain[i % len(d.domain)] for i in range(d.size))
        for d in mechanism.program.inputs
    }


def as_python(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(as_python, value))
    text = str(value)
    return {"true": True, "false": False}.get(text, Fraction(text) if text[-1].isdigit() else text)


def agrees(mechanism: dipc.PythonMechanism, eps: Any = 1) -> None:
    inputs = {name: as_python(value) for name, value in inputs_of(mechanism).items()}
    whole = {
        name: tuple(int(x) if x == int(x) else x for x in value) if isinstance(value, tuple) else value
        for name, value in inputs.items()
    }
    assert distance(mechanism, eps, eps, RUNS, **whole) < FAR


@pytest.mark.parametrize("name", DOCUMENTED)
def test_the_documented_functions(name: str) -> None:
    agrees(load_function(DOCUMENTED[name], name))


BIT = '@dipc.mechanism(inputs="q in {0, 1}", outputs="out in -9..9", adjacent="all", private="eps")\ndef f(q):\n'
BODIES = {
    "two-sided geometric": "return max(-9, min(9, DLap(eps, q)))",
    "of a scale": "return max(-9, min(9, DLap(scale=3/(2*eps), mean=q)))",
    "equal values of a choice": "return choose({q: 1/2, q**2: 1/4, 5: 1/4})",
    "a choice with powers of e": "return choose({q: exp(eps)/(1 + exp(eps)), 1 - q: 1/(1 + exp(eps))})",
    "decimals": "return choose({q: 0.1, 7: 0.25, 2: 0.65})",
    "a rate in decimals": "return max(-9, min(9, DLap(0.1*eps + 0.9*eps, q)))",
    "powers": "return 1 if flip(2**-1 - 2**-2) else 0",
    "uniform": "return uniform({q, 3, 4}) - uniform([0, 1])",
    "exponential": "return Exp(eps/2, {0, 3, 5}, lambda v: v*q)",
    "augmented": "n = 4\nn /= 2\nreturn n if flip(1/3) else 0",
    "real noise": "return disc(LapPlus(eps, q), 0, 1, 2, 3)",
    "real noise of a scale": "return disc(Lap(scale=2/eps, mean=q), -2, 0, 1, 3)",
    "the least and the largest": "a = [Lap(eps, q), Lap(eps, 0), Lap(eps, 1)]\nreturn 3*argmax(a) + argmin(a)",
    "the rest": "return count(q == 1, flip(1/2)) + mod(q + 5, 3) + floor(q/2) + ceil(q/2)",
}


@pytest.mark.parametrize("name", BODIES)
def test_every_word(name: str) -> None:
    f = load_function(BIT + textwrap.indent(BODIES[name], "    "), "f")
    for eps in (1, Fraction(1, 3)):
        agrees(f, eps)


def test_another_law_is_noticed() -> None:
    f = load_function(BIT + textwrap.indent(BODIES["two-sided geometric"], "    "), "f")
    assert distance(f, 1, Fraction(4, 5), RUNS, q=1) > FAR


# --- names ---------------------------------------------------------------------------------------

HALF = Fraction(1, 2)


def test_constants_from_outside_and_with_other_values() -> None:
    levels = 3

    @dipc.mechanism(inputs="q in 0..levels", outputs="out in 0..levels", adjacent="all", private="eps", M=2)
    def f(q, step=1):
        return min(levels, max(0, DLap(HALF * eps, M * q - q + step - 1)))

    agrees(f)
    agrees(f.with_parameters(HALF=2, levels=2, step=2, M=1))


def test_imported_words() -> None:
    text = (
        "from dipc.words import *\nfrom math import exp\n"
        '@dipc.mechanism(inputs="q in {0, 1}", outputs="out in {0, 1}", adjacent="all", private="eps")\n'
        "def f(q):\n    return q if flip(exp(eps)/(1 + exp(eps))) else 1 - q\n"
    )
    agrees(load_function(text, "f"))


HELPED = """
def noisy(x):
    return x + choose({0: exp(eps)/(1 + exp(eps)), 1: 1/(1 + exp(eps))})

def kept(x, p):
    return x if flip(p) else noisy(x)

def f(q):
    return kept(q, 0.25)
"""


def test_functions_of_the_module_run_in_the_same_way() -> None:
    """They find the words, eps and exact numbers, although nothing is imported."""
    ready = Runnable(text_of(load_function(HELPED, "f")))
    rng = random.Random(1)
    runs = [running.run(ready, {}, {}, (5,), {"eps": 2}, rng) for _ in range(RUNS)]
    wanted = 0.75 / (1 + e**2)
    assert set(runs) == {5, 6}
    assert abs(runs.count(6) / RUNS - wanted) < FAR * sqrt(wanted / RUNS)


# --- calls ---------------------------------------------------------------------------------------


@dipc.mechanism(inputs="q in {0, 1}", outputs="out in {0, 1}", adjacent="all", private="eps")
def coin(q):
    return q if flip(exp(eps) / (1 + exp(eps))) else 1 - q


@dipc.mechanism(inputs="q in {0, 1}", outputs="out in {0, 1}", adjacent="all", private="ln(3)")
def fixed(q):
    return q if flip(3 / 4) else 1 - q


def test_the_sources_of_bits() -> None:
    numpy = pytest.importorskip("numpy")
    for rng in (None, random.SystemRandom(), numpy.random.default_rng(1)):
        assert {coin(0, eps=1, rng=rng) for _ in range(200)} == {0, 1}
    again = [[coin(0, eps=1, rng=random.Random(3)) for _ in range(20)] for _ in range(2)]
    assert again[0] == again[1]
    with pytest.raises(WrongType, match="`rng` has no random bits"):
        coin(0, eps=1, rng=7)


def test_eps_is_exact_and_needed_where_it_is_used() -> None:
    assert coin(0, eps="1/2") in (0, 1)
    assert fixed(0) in (0, 1)
    with pytest.raises(WrongType, match=r"eps must be an exact number, not the float 0\.5"):
        coin(0, eps=0.5)
    with pytest.raises(InputError, match="`eps` has no value here") as caught:
        coin(0)
    assert caught.value.span is not None
    line = coin.__wrapped__.__code__.co_firstlineno + 2
    assert caught.value.span.place.endswith(f"test_running.py:{line}:5")
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'q'"):
        coin(eps=1)


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: words.DLap(words.eps, HALF), "the mean of `DLap` must be an integer, not 1/2"),
        (lambda: words.DLap(0, 1), "the rate of `DLap` must be positive, not 0"),
        (lambda: words.Lap(mean=1), "`Lap` needs a rate or a scale"),
        (lambda: words.flip(2), "the probability 2 is not between 0 and 1"),
        (lambda: words.flip(words.exp(words.eps)), r"the probability exp\(1\) is not between 0 and 1"),
        (
            lambda: words.choose({0: HALF, 1: HALF / 2}),
            "the probabilities of `choose` add up to 3/4, not to 1",
        ),
        (lambda: words.uniform(set()), "there is no value to draw"),
        (lambda: words.DLap("1", 0), "the rate must be a rational number, not `1`"),
    ],
)
def test_what_cannot_be_drawn(draw: Callable[[], object], message: str) -> None:
    token = words.RUN.set(words.Run(Fraction(1), coins(random.Random(1))))
    try:
        with pytest.raises(InputError, match=message):
            draw()
    finally:
        words.RUN.reset(token)


TYPED = """
import dipc
from dipc.words import DLap, Exp, Lap, argmax, choose, disc, eps, exp, flip, uniform


@dipc.mechanism(inputs="q[N] in {-1, 0, 1}", outputs="out[N] in {bot, top}", adjacent="linf 1", private="eps")
def above(q: list[int], N: int = 3, threshold: int = 0) -> list[str]:
    out = ["bot"] * N
    bar = Lap(eps / 2, threshold)
    for i in range(N):
        if Lap(scale=4 / eps, mean=q[i]) >= bar:
            out[i] = "top"
            break
    return out


@dipc.mechanism(inputs="q[N] in {0, 1}", outputs="out in 0..N-1", adjacent="linf 1", private="eps")
def largest(q: list[int], N: int = 3) -> int:
    if flip(exp(eps) / (1 + exp(eps))):
        return argmax([Lap(eps / 2, x) for x in q])
    if uniform({0, 1}) == choose({0: 1 / 2, 1: 1 / 2}):
        return disc(Lap(eps, q[0]), 0, 1)
    return min(max(DLap(eps, 0), 0), Exp(eps / 2, range(N), lambda v: q[v]))


above([0, 1, 1], eps=1)
"""


@LEFT_OUT
def test_a_mechanism_is_clean_for_mypy_and_ruff(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(TYPED.lstrip(), encoding="utf-8")
    cache = f"--cache-dir={tmp_path / 'cache'}"
    for command in (
        ["mypy", "--strict", "--follow-imports=silent", cache, str(file)],
        ["ruff", "check", "--isolated", "--no-cache", str(file)],
    ):
        pytest.importorskip(command[0])
        done = subprocess.run(
            [sys.executable, "-m", *command], capture_output=True, text=True, cwd=ROOT, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
