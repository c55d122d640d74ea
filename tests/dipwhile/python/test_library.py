"""The table of words: documented, and about words that exist."""

from __future__ import annotations

import importlib
import inspect
import types
from enum import Enum, IntEnum
from pathlib import Path

import numpy as np
import pytest
from dipwhile.python.to_python import load_function

import dipc
from dipc.dipwhile.python.library import INSTEAD, WORDS

DOCUMENT = (Path(__file__).parents[3] / "docs" / "python.md").read_text(encoding="utf-8")
RNG = np.random.default_rng()
mechanisms = types.ModuleType("diffprivlib.mechanisms")


@pytest.mark.parametrize("path", sorted(WORDS))
def test_a_word_of_the_table(path: str) -> None:
    """It is documented and exists, and no name that is bound in a lambda can be given: `np.argmax(q, 0)`."""
    module, _, name = path.rpartition(".")
    assert name in DOCUMENT
    if module:
        there = (RNG, np.random) if module == "rng" else (importlib.import_module(module),)
        assert any(hasattr(each, name) for each in there)
    assert not [given for given in inspect.signature(WORDS[path]).parameters if given.startswith("_")]


def test_words_of_other_libraries_are_none_of_the_table() -> None:
    assert not {path.rpartition(".")[2] for path in WORDS if path.startswith("numpy")} & INSTEAD.keys()


def test_notes_are_made_once() -> None:
    @dipc.mechanism(inputs="x in {0, 1}", outputs="out in {0, 1}", adjacent="all", private="eps")
    def f(x, eps):
        rng = np.random.default_rng()
        if rng.random() < 0.1:
            return 0
        return x if rng.random() < 0.3 else 1 - x

    notes = f.check().notes
    assert len(notes) == len(set(notes))
    assert any("1/10" in note for note in notes)
    assert any("rounding of floats" in note for note in notes)


def test_parameters_change_the_unrolled_program() -> None:
    @dipc.mechanism(inputs="q[N] in {0, 1}", outputs="out[N] in {0, 1}", adjacent="hamming 1", private="eps")
    def f(q, eps, N=2, cut=1):
        out = []
        for x in q:
            out.append(int(x + np.random.laplace(0, 1 / eps) >= cut))
        return out

    larger = f.with_parameters(N=3, cut="1/2")
    assert larger.check().status == "private"
    assert len(larger.program.inputs[0].cells) == 3
    assert "param" not in larger.source_text
    with pytest.raises(dipc.InputError, match="no parameter `M`"):
        f.with_parameters(M=3)


def test_no_claim_is_made_for_other_sizes() -> None:
    """An unrolled program reads as many cells as it was unrolled for."""

    def f(q, eps, N=2):
        total = []
        for x in q:
            total.append(x)
        return int(sum(total) + np.random.laplace(0, 1 / eps) > 1)

    told = {"inputs": "q[N] in {0, 1}", "outputs": "out in {0, 1}", "adjacent": "hamming 1"}
    assert "q[2]" in dipc.mechanism(**told, private="eps")(f).source_text
    with pytest.raises(dipc.InputError, match="a loop that changes a list or dictionary"):
        dipc.mechanism(**told, private="eps for all N")(f)


def test_a_constructor_of_another_library_gets_the_line_to_write_instead() -> None:
    def f(x, eps):
        noisy = mechanisms.Laplace(epsilon=eps, sensitivity=1).randomise(x)
        return 1 if noisy > 0 else 0

    with pytest.raises(dipc.InputError) as caught:
        dipc.mechanism(inputs="x in {0, 1}", outputs="out in {0, 1}", adjacent="all", private="eps")(f)
    assert caught.value.hint == "write `x + Lap(scale=sensitivity/eps)`"


class Config:
    SHARE = 0.1
    LEVELS = (0, 1)


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    HIGH = 1


@pytest.mark.parametrize(
    ("value", "message"), [("Color.RED", "not a single value"), ("Config.NO", "has no `NO`")]
)
def test_constants_of_classes_and_enums(value: str, message: str) -> None:
    told = {"inputs": "x in {0, 1}", "outputs": "out in {red, blue}", "adjacent": "all", "private": "eps"}

    def f(x, eps):
        if x + np.random.laplace(scale=1 / eps) > Config.SHARE + Level.HIGH + Config.LEVELS[0]:
            return Color.RED.value
        return Color.BLUE.value

    mechanism = dipc.mechanism(**told)(f)
    assert "> 1.1" in mechanism.source_text
    assert [str(dict(key)["out"]) for key in mechanism.distribution(x=0)] == ["red", "blue"]
    text = f"@dipc.mechanism(**told)\ndef f(x, eps):\n    return {value}\n"
    with pytest.raises(dipc.InputError, match=message):
        load_function(text, "f", told=told, Color=Color, Config=Config)
