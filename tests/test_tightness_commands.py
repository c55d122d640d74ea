"""``dipc budget``, ``dipc profile`` and ``dipc regions``: their output and their error messages."""

from __future__ import annotations

from math import log
from pathlib import Path
from typing import Any

import pytest
from answers import contents

import dipc
from dipc.cli.main import status

PROGRAMS = Path(__file__).parents[1] / "programs"
SVT = str(PROGRAMS / "svt/svt1.dip")
HIST2 = str(PROGRAMS / "histogram/hist2.dip")
SPARSE = str(PROGRAMS / "svt/sparse.dip")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert status(list(arguments)) == 0
    return capsys.readouterr().out


def record(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = contents(run(capsys, *arguments, "--json"))
    return found


def test_a_broken_epsilon_names_its_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["profile", SPARSE, "--epsilon", "foo"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("--epsilon:1:1: ")
    assert "--claim" not in err


def test_budget_at_one_eps(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "budget", HIST2, "-D", "N=1", "--at", "1/2")
    assert "budgets    ε = 1/2\n" in out
    assert "least t    4:" in out  # the loss is 1/eps = 2 = 4 eps
    assert "attained at ε = 1/2\n" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["budget", SVT, "--for", "(0, 0]"], "the interval is empty"),
        (["budget", SVT, "--for", "0, 1"], "expected an interval of eps"),
        (["budget", SVT, "--width", "x"], "the width must be a rational number"),
        (["budget", SVT, "--width", "0"], "the width must be positive"),
        (["budget", SVT, "--at", "1", "--for", "(0, 1)"], "give only one of the two"),
        (["budget", SVT, "--at", "0"], "the privacy parameter must be positive, not eps = 0"),
        (["budget", SVT, "--pair", "q=[0,0,0]", "q=[1,1,5]"], "5 is not a value"),
        (["profile", SVT, "--epsilon", "eps, 1/2"], "give an epsilon only"),
        (["profile", SVT, "--epsilon", ""], "the claim is an empty text"),
        (["profile", SVT, "--epsilon", "eps*eps"], "must be a sum of multiples of eps"),
        (["regions", SPARSE, "--claim", "eps, eps - 1"], "the claimed delta -1 + eps is negative"),
        (
            ["export", SPARSE, "--to", "sage", "--claim", "eps, eps - 1"],
            "the claimed delta -1 + eps is negative",
        ),
    ],
)
def test_mistakes(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(arguments) == 2
    assert message in capsys.readouterr().err


FAR_APART = """input q in {0, 1000000000000}
output out in {true, false}
adjacent all
private 0*eps, 1/10
r <- Lap(eps, q)
out <- r >= 0
"""


@pytest.mark.parametrize("command", ["check", "regions"])
def test_a_region_that_begins_very_close_to_0(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every eps below 10^-12 ln(5/4) is private: the region must not begin at 0."""
    program = tmp_path / "far.dip"
    program.write_text(FAR_APART)
    status([command, str(program)])
    assert "broken for  2.231435514e-13 < ε < inf (rounded inwards)" in capsys.readouterr().out
    status([command, str(program), "--json"])
    found = contents(capsys.readouterr().out)
    found = found["counterexample"] if command == "check" else found
    assert found["violated_for"] == [["2.231435514e-13", "inf"]]
    low, high = found["violated_for_ends"][0]
    assert low["exact"] == "1/1000000000000*ln(5/4)" and not low["closed"]
    assert float(low["low"]) <= log(5 / 4) / 10**12 <= float(low["high"])
    assert (high["exact"], high["low"], high["high"]) == ("inf", None, None)
    mechanism = dipc.load(FAR_APART)
    assert mechanism.check(at=low["low"]).status == "private"
    assert mechanism.check(at=low["high"]).status == "violated"
    assert mechanism.check(at="2.231435514e-13").status == "violated"
