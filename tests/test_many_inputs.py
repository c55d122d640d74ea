"""More inputs than any machine goes through: refused soon, unless equal beginnings are few."""

from __future__ import annotations

import sys
from io import StringIO
from pathlib import Path
from time import sleep

import pytest

import dipc
from dipc.cli.main import status
from dipc.cli.work import Bar
from dipc.dipwhile.pipeline import announced

Capture = pytest.CaptureFixture[str]

SUM = """
param N = 60
input q[N] in {0, 1}; output o in {0, 1}; adjacent hamming 1; private eps
s <- 0
for i in 1..N do s <- s + q[i] end
x <- DLap(eps, s)
if x > 30 then o <- 1 else o <- 0 end
"""


def test_too_many_inputs_are_refused_soon(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture, tmp_path: Path
) -> None:
    monkeypatch.setattr("dipc.dipwhile.hub.explored.SOON", 0.3)
    monkeypatch.setattr("dipc.dipwhile.commands.check.PROBE", 0.5)
    (file := tmp_path / "digits.dip").write_text(SUM.replace("s + q[i]", "2*s + q[i]"), encoding="utf-8")
    assert status(["check", str(file), "-D", "N=84"]) == 3
    out, err = capsys.readouterr()
    assert "1.9*10^25 inputs have no end in sight" in out
    assert "--pair" in out and "dipc prove" in out
    assert err.startswith("note: N = ")
    assert status(["budget", str(file), "-D", "N=84"]) == 3
    assert "no end in sight" in capsys.readouterr().err


def test_many_inputs_that_are_alike_are_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dipc.dipwhile.hub.explored.SOON", 30.0)
    found = dipc.load(SUM).check()
    assert found.status == "private"
    assert found.counts.inputs == 2**60


def test_a_formula_about_too_many_inputs_is_refused_at_once() -> None:
    text = SUM.replace("hamming 1", "q'[1] = 0 or q[1]/q'[1] >= 0")  # without a value at 0
    found = dipc.load(text).check()
    assert isinstance(found, dipc.Undecided)
    assert found.reason.startswith("1.2*10^18 inputs, one by one, are too many")
    with pytest.raises(dipc.LimitReached, match="one by one"):
        dipc.load(SUM).expect("o")


def test_what_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    program = dipc.load(SUM.replace("N = 60", "N = 2"))
    said = "4 inputs, 12 ordered pairs of neighbours: alike ones are decided once"
    assert announced(program.explored) == said
    screen = StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", screen)
    with Bar("reading", patience=0.01) as bar:
        bar.announce(lambda: announced(program.explored))
        sleep(0.5)
    assert screen.getvalue().count("4 inputs, 12 ordered pairs") == 1
