"""Typical mistakes of new users: each is refused or reported before it does harm."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

import dipc
from dipc.cli.main import status

VACUOUS = """
input q in {0, 1}
output o in {0, 1}
adjacent linf 0.5
private eps
o <- q
"""


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert status(list(arguments)) == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("ask", "better"),
    [
        (lambda: dipc.load("svt1", N=1).check("eps"), "assert_private"),
        (lambda: dipc.load("svt1", N=1).check("eps/8"), "assert_private"),
        (lambda: dipc.load("rand1").prove(), "assert_private"),
        (lambda: dipc.load_model("survey").check("D[1, 0](X out_1)"), "assert_holds"),
        (lambda: dipc.load("ex2").question().check(), "assert_pufferfish_private"),
    ],
)
def test_a_verdict_is_no_truth_value(ask: Callable[[], object], better: str) -> None:
    with pytest.raises(dipc.WrongType, match=rf"neither true nor false(.|\n)*dipc\.{better}`"):
        bool(ask())


@pytest.mark.parametrize(
    "arguments",
    [
        ["report", "c.html"],
        ["export", "c.dip", "--to", "latex"],
        ["check", "c.dip", "--certificate"],
        ["check", "c.dip", "svt1", "--junit"],
        ["check", ".", "--junit"],
    ],
)
def test_a_program_is_not_overwritten(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    name = "c.html" if "c.html" in arguments else "c.dip"
    Path(name).write_text(VACUOUS, encoding="utf-8")
    option = [] if arguments[-1].startswith("--") and arguments[-1] != "latex" else ["-o"]
    err = said(capsys, *arguments, *option, str(tmp_path / name))
    assert "this is the program itself" in err
    assert Path(name).read_text(encoding="utf-8") == VACUOUS


def test_a_report_is_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "a report is a page of HTML" in said(capsys, "report", "svt1", "-o", str(tmp_path / "x.pdf"))


def test_an_empty_claim_is_noted_among_several(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program, junit = tmp_path / "vacuous.dip", tmp_path / "junit.xml"
    program.write_text(VACUOUS, encoding="utf-8")
    assert status(["check", str(program), "rand1", "--junit", str(junit)]) == 0
    note = "no two different inputs are neighbours"
    assert note in " ".join(capsys.readouterr().out.split())
    assert note in ElementTree.parse(junit).getroot().findtext(".//system-out", "")


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (["check", "svt1", "--for", "(0, 1]"], "--claim 'eps for eps in (0, 1]'"),
        (["budget", "svt1", "--claim", "eps"], "--for '(0, 1]'"),
        (["profile", "svt1", "--claim", "eps"], "--epsilon 'eps/2'"),
        (["check", "svt1", "--claim", "eps, delta"], "delta is a number or a function of eps"),
        (["budget", "svt1", "--for", "0.1"], "--at 0.1"),
        (["budget", "svt1", "--for", "0..1"], "write `for eps in (0, 1]`"),
        (["svt1"], "did you mean `dipc check svt1`?"),
        (["mine.dip"], "did you mean `dipc check mine.dip`?"),
        (["budget", "N=2"], "`-D N=2`"),
        (["check", "svt1", "-D", "eps=1"], "--at 1"),
        (["check", "svt1", "-D", "N=1", "-D", "N=2"], "`N` is set twice"),
    ],
)
def test_advice(arguments: list[str], advice: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert advice in said(capsys, *arguments)


def test_an_interval_may_be_written_as_in_a_claim(capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("(0, 1]", "for eps in (0, 1]", "eps in (0,1]"):
        assert status(["budget", "svt1", "-D", "N=1", "--for", text]) == 0
        assert "every ε in (0, 1]" in capsys.readouterr().out


def test_a_file_beside_a_shipped_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rand1.dip").write_text(VACUOUS, encoding="utf-8")
    assert status(["check", "rand1", "--quiet"]) == 0
    assert "yours is rand1.dip" in capsys.readouterr().err


def test_the_pair_that_is_told_needs_most_on_the_way() -> None:
    """Several pairs of neighbours lose 1/4 in the limit; the one on the loss curve is told."""
    mechanism = dipc.load(
        """
        input q[2] in {-1, 0, 1, 2}
        output out[2] in {low, mid, high}
        adjacent linf 1
        private eps
        rho <- Lap(eps/4, 0)
        for i in 1..2 do
          r <- Lap(eps/8, q[i])
          if r >= 1 + rho then out[i] <- high
          else
            if r >= 0 + rho then out[i] <- mid else out[i] <- low end
          end
        end
        """
    )
    ((_, witness),) = mechanism.budget().witnesses
    last = mechanism.loss_curve().segments[-1]
    assert last.witness is not None
    assert witness.probability / witness.neighbour_probability == last.value
