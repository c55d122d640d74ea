"""``dipc decide`` as a command."""

from __future__ import annotations

import json

import pytest

from dipc.cli.main import status


@pytest.mark.parametrize(
    ("sentence", "expected", "line"),
    [
        ("forall eps > 0: 2 - exp(-eps) >= eps/(1 + eps)", 0, "true"),
        ("forall eps: exp(eps) > 3", 1, "counterexample: eps = 1"),
        ("exists eps: exp(eps) > 3", 0, "witness: eps = 2"),
        ("forall eps: (exp(eps) - exp(2/eps))^2 + (eps^2 - 2)^2 >= 0", 3, "undecided"),
    ],
)
def test_exit_status(sentence: str, expected: int, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["decide", sentence]) == expected
    assert line in capsys.readouterr().out


def test_broken_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["decide", "forall eps: eps"]) == 2
    assert "neither true nor false" in capsys.readouterr().err


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["decide", "exists eps: exp(eps) = 2", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["decision"] == "true"
    assert record["holds_for"] == ["{0.6931471806}"]
