"""Every answer has a record for other programs: what the command line prints with --json."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dipc
from dipc.cli.main import status


@pytest.fixture(scope="module")
def svt() -> dipc.Mechanism:
    return dipc.load("svt4", N=2)


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """What the command line answers."""
    capsys.readouterr()
    status([*arguments, "--json"])
    found = json.loads(capsys.readouterr().out)
    return {**found["question"], **found["answer"]}


ASKED: dict[str, Any] = {
    "check svt4 -D N=2": lambda m: m.check(),
    "budget svt4 -D N=2": lambda m: m.budget(),
    "profile svt4 -D N=2": lambda m: m.profile("eps"),
    "regions svt4 -D N=2": lambda m: m.violating_budgets(),
    "accuracy svt4 -D N=2 --of out[1]=top": lambda m: m.accuracy("out[1]=top"),
    "expect svt4 -D N=2 --of q[1]": lambda m: m.expect("q[1]"),
    "explain svt4 -D N=2": lambda m: m.explain(),
    "distribution svt4 -D N=2 --input q=[0,1]": lambda m: m.distribution(q=(0, 1)),
    "prove svt4 -D N=2": lambda m: m.prove(),
    "check ex2": lambda _: dipc.load("ex2").check(),
}


@pytest.mark.parametrize("command", ASKED)
def test_is_what_the_command_line_prints(
    command: str, svt: dipc.Mechanism, capsys: pytest.CaptureFixture[str]
) -> None:
    found = ASKED[command](svt).to_dict()
    printed = answer(capsys, *command.split())
    assert found
    assert {key: printed[key] for key in found if found[key] is not None} == {
        key: value for key, value in found.items() if value is not None
    }


def test_a_counterexample_by_itself(svt: dipc.Mechanism) -> None:
    verdict = svt.check()
    assert verdict.counterexample.to_dict() == verdict.to_dict()["counterexample"]
    assert json.loads(json.dumps(verdict.to_dict())) == verdict.to_dict()
