"""Law: a .dip program written as Python and read back has the same distributions, on every input."""

from __future__ import annotations

from pathlib import Path

import oracles
import pytest
from campaigns import drawn, some
from dipwhile.python.to_python import load_function, to_python
from hypothesis import given
from hypothesis import strategies as st
from shipped_programs import PROGRAMS
from strategies import discrete_programs, programs

import dipc
from dipc.dipwhile.syntax.parser import parse
from dipc.errors import Source, Unsupported


def in_python(text: str, **parameters: int) -> dipc.PythonMechanism:
    source = Source("original.dip", text)
    written = to_python(parse(source), source, parameters)
    mechanism = load_function(written, "f")
    assert isinstance(mechanism, dipc.PythonMechanism)
    return mechanism


def same_distributions(text: str, **parameters: int) -> None:
    original, written = dipc.load(text, **parameters), in_python(text, **parameters)
    for inputs in oracles.all_inputs(parse(Source("", text)), parameters):
        given = {name: oracles.to_dipc(value) for name, value in inputs.items()}
        try:
            law = dict(original.distribution(**given))
        except Unsupported:
            with pytest.raises(Unsupported):
                written.distribution(**given)
            continue
        assert dict(written.distribution(**given)) == law, inputs


@pytest.mark.parametrize("path", some(PROGRAMS, 12), ids=lambda path: path.stem)
def test_shipped_programs(path: Path) -> None:
    """The same verdict, counts and counterexample too."""
    text = path.read_text(encoding="utf-8")
    fixed = path.parent.name == "sums"  # programs whose levels are those of N = 3
    smaller = {"N": 2} if "param  N" in text and not fixed else {}
    same_distributions(text, **smaller)
    original, written = dipc.load(text, **smaller).check(), in_python(text, **smaller).check()
    assert (written.status, written.goal, written.counts) == (original.status, original.goal, original.counts)
    assert written.counterexample == original.counterexample


@drawn(6, campaign=30)
@given(st.one_of(programs(), discrete_programs()))
def test_random_programs(text: str) -> None:
    same_distributions(text)
