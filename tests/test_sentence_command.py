"""``dipc decide`` as a command."""

from __future__ import annotations

from fractions import Fraction

import pytest
from answers import contents

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


def test_what_is_rounded_is_marked_and_not_0(capsys: pytest.CaptureFixture[str]) -> None:
    tiny = "exp(10000000000000*eps)"
    assert status(["decide", f"exists eps: {tiny} = 2"]) == 0
    out = capsys.readouterr().out
    assert "witness: eps ≈ 6.931471806e-14" in out and "holds for: {≈ 6.931471806e-14}\n" in out
    assert status(["decide", f"exists eps: {tiny} > 2 and eps <= 1 or exp(eps) = 3", "--json"]) == 0
    record = contents(capsys.readouterr().out)
    assert record["holds_for"] == ["(6.931471806e-14, 1]", "{1.0986122887}"]
    (low, high), (point, _) = record["holds_for_ends"]
    assert (low["exact"], high["exact"], point["exact"]) == ("1/10000000000000*ln(2)", "1", "ln(3)")
    assert (low["closed"], high["closed"], point["closed"]) == (False, True, True)
    assert Fraction(low["low"]) < Fraction(693147180559945309417, 10**34) < Fraction(low["high"])
