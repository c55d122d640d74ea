"""Ctrl-C in the middle of a command: it reports what was settled by then."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import sleep

import pytest
from patience import PATIENCE

import dipc.dipwhile.commands.judge as judge
from dipc.cli.main import status
from dipc.clock import Clock

Interrupt = Callable[[str], None]

PATIENTLY = ["--time-limit", str(PATIENCE)]  # for each part; no part may be left out because of time

SVT1_CLOSED = ["svt1", "-D", "N=2", "--for", "(0, 1]"]  # the least t is irrational: found by bisection


@pytest.fixture
def interrupt_at(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Interrupt:
    """``interrupt_at(stage)``: Ctrl-C is pressed when the work first comes to this stage.

    The work may be done in a process of its own: the first one hears of it, and tells the others.
    """
    tick, first = Clock.tick, os.getpid()

    def arm(wanted: str) -> None:
        pressed = tmp_path_factory.mktemp("pressed") / "once"

        def pressing(self: Clock, stage: str, done: int = 0, total: int | None = None) -> None:
            tick(self, stage, done, total)
            if stage == wanted and not pressed.exists():
                pressed.touch()
                os.kill(first, signal.SIGINT)
                if os.getpid() != first:
                    sleep(PATIENCE)  # until the first process tells

        pressing.__name__ = "tick"  # found by its name where a result comes from another process
        monkeypatch.setattr(Clock, "tick", pressing)

    return arm


@pytest.mark.parametrize(
    ("command", "stage", "says"),
    [
        (["budget", *SVT1_CLOSED], "bounds, step 12", "interrupted: the answer is at least "),
        (["budget", *SVT1_CLOSED], "neighbours", "interrupted ("),
        (["profile", "sparse"], "worst sets of outputs", "interrupted ("),
        (["check", "svt1"], "inequalities", "interrupted (inequalities: 0 of "),
        (["check", "rand1", "svt1"], "inequalities", "interrupted: 0 of 2 programs were checked"),
    ],
)
def test_what_was_settled_is_said(
    command: list[str], stage: str, says: str, interrupt_at: Interrupt, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupt_at(stage)
    assert status(command) == 130
    said = capsys.readouterr()
    assert says in said.out + said.err
    assert "Traceback" not in said.err


def test_a_deep_check_that_is_interrupted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the kernel found is said; but the status is not that of a condition."""
    certificate = str(tmp_path / "svt1.json")
    assert status(["check", "svt1", "-D", "N=1", "--certificate", certificate, "--quiet"]) == 0
    first = os.getpid()

    def press(*_: object) -> None:
        os.kill(first, signal.SIGINT)
        sleep(PATIENCE)  # until the first process tells

    monkeypatch.setattr(judge, "rederive", press)
    assert status(["verify", certificate, "-D", "N=1"]) == 130
    assert "IF the listed distributions" in capsys.readouterr().out


def test_the_bounds_are_bounds(interrupt_at: Interrupt, capsys: pytest.CaptureFixture[str]) -> None:
    interrupt_at("bounds, step 12")
    assert status(["budget", *SVT1_CLOSED]) == 130
    said = capsys.readouterr().err
    low, high = (text.split()[0] for text in said.split("at least ")[1].split("and at most "))
    for t, verdict in ((low, 1), (high, 0)):
        claim = f"{t}*eps for eps in (0, 1]"
        assert status(["check", "svt1", "-D", "N=2", "--quiet", "--claim", claim]) == verdict


@pytest.mark.parametrize(
    ("stage", "known"),
    [("inequalities", "undecided"), ("comparing functions", "private")],
)
def test_a_report_is_written_with_what_is_known(
    stage: str, known: str, interrupt_at: Interrupt, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("matplotlib")
    page = tmp_path / "page.html"
    interrupt_at(stage)
    assert status(["report", "svt1", "-D", "N=2", "-o", str(page), *PATIENTLY]) == 130
    said = capsys.readouterr()
    assert "wrote" in said.out and "left out: " in said.err
    assert known in page.read_text(encoding="utf-8")


def test_a_plot_is_drawn_with_what_is_known(
    interrupt_at: Interrupt, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "svt1.png"
    interrupt_at("worst sets of outputs")
    assert status(["plot", "svt1", "-D", "N=2", "-o", str(picture), *PATIENTLY]) == 130
    assert picture.exists()
    assert "interrupted" in capsys.readouterr().err


STUCK = """
import os, signal, threading
import dipc.dipwhile.commands.distribution as command
from dipc.cli.main import status
from flint import fmpz_mpoly_ctx, Ordering
z, v = fmpz_mpoly_ctx.get(("z", "v"), Ordering.lex).gens()
p = 14 - 7*z**303*v**300 + 44*z**10*v**300 - 14*v**300
command.decision_of = lambda text: p.factor()  # one step of flint, for hours, which hears nothing
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
print("status", status(["decide", "forall eps: true"]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits inside one step need `fork`")
def test_in_the_middle_of_one_step_without_a_limit() -> None:
    run = subprocess.run(
        [sys.executable, "-c", STUCK],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.stdout == "status 130\n" and "interrupted (deciding)" in run.stderr
