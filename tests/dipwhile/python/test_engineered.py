"""Each mechanism is accepted as written, has the right verdict, and the exact law of its twin in the language."""

from __future__ import annotations

import itertools

import pytest
from dipwhile.python import engineered

import dipc
from dipc.models.values import show

FUNCTIONS = [value for value in vars(engineered).values() if isinstance(value, dipc.PythonMechanism)]


def twin(mechanism: dipc.PythonMechanism) -> tuple[dipc.Mechanism, str]:
    """The docstring as a program with the same declarations, and the verdict."""
    head = mechanism.source_text.partition("\n\n")[0]
    body, _, verdict = (mechanism.__doc__ or "").rpartition(" | ")
    if "param" not in head:
        head = "param N = 3\n" + head if "[3]" in head else "param N = 2\n" + head
    return dipc.load(f"{head}\n\n{body}\n"), verdict


@pytest.mark.parametrize("mechanism", FUNCTIONS, ids=lambda mechanism: mechanism.__name__)
def test_verdict_and_law(mechanism: dipc.PythonMechanism) -> None:
    program, verdict = twin(mechanism)
    assert (mechanism.check().status, program.check().status) == (verdict, verdict)
    variables = mechanism.program.inputs
    every = [itertools.product(v.domain, repeat=v.size or 1) for v in variables]
    for values in itertools.product(*every):
        text = ", ".join(
            f"{v.name}={show(cells if v.size else cells[0])}"
            for v, cells in zip(variables, values, strict=True)
        )
        given = {
            v.name: [str(c) for c in cells] if v.size else str(cells[0])
            for v, cells in zip(variables, values, strict=True)
        }
        assert mechanism.distribution(**given) == program.distribution(**given), text


def test_five_are_wrong_on_purpose() -> None:
    verdicts = [twin(mechanism)[1] for mechanism in FUNCTIONS]
    assert len(FUNCTIONS) == 17
    assert verdicts.count("violated") == 5
