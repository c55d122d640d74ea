"""Mechanisms by many hands are accepted as they stand, have the right verdict, and run."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from dipwhile.python import as_written

import dipc
from dipc.models.values import Atom

TEXT = (Path(__file__).parent / "as_written.py").read_text(encoding="utf-8")
VERDICTS = re.findall(
    r"^# (private|violated)\n(?:(?!@dipc).*\n)*@dipc(?:(?!def ).*\n)*def (\w+)", TEXT, re.MULTILINE
)


@pytest.mark.parametrize(("verdict", "name"), VERDICTS, ids=[name for _, name in VERDICTS])
def test_verdict_and_run(verdict: str, name: str) -> None:
    mechanism = getattr(as_written, name)
    assert mechanism.check().status == verdict
    draws = random.Random(1)
    for _ in range(3):
        given = {}
        for variable in mechanism.program.inputs:
            values = [v.name if isinstance(v, Atom) else int(v.p) for v in variable.domain]
            cells = [draws.choice(values) for _ in range(variable.size or 1)]
            given[variable.name] = cells if variable.size else cells[0]
        mechanism(**given, eps="1/2")


def test_none_is_left_out() -> None:
    everything = [value for value in vars(as_written).values() if isinstance(value, dipc.PythonMechanism)]
    assert len(VERDICTS) == len(everything)
    assert [verdict for verdict, _ in VERDICTS].count("violated") == 7
