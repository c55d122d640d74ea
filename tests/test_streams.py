"""Closed and full streams, and Ctrl-C: the exit status never reads as another verdict."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dipc.cli.main import status

ROOT = Path(__file__).parent.parent
Capture = pytest.CaptureFixture[str]
FULL = Path("/dev/full")
DIPC = [sys.executable, "-m", "dipc"]
VIOLATED = ["check", "svt4", "-D", "N=2", "--quiet"]
PRIVATE = ["check", "svt1", "-D", "N=1", "--quiet"]
FOUR = """
chain
u -> {a: 1/2, b: 1/2}
v -> {a: 1/4, b: 1/4, c: 1/4, d: 1/4}
final a, b, c, d
neighbours u ~ v
"""
NOTED = ["model", "check", "four.dpm", "forall x in {a, b, c, d}: D[0, 1/4](X x)", "--quiet"]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="streams and signals of POSIX")


def shell(arguments: list[str], streams: str, before: str = "") -> subprocess.CompletedProcess[str]:
    """A command whose standard streams a shell redirects; its environment has dipc."""
    return subprocess.run(
        ["bash", "-c", f'{before} "$@" {streams}', "bash", *DIPC, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


# --- closed streams ------------------------------------------------------------------------------


@pytest.mark.parametrize(("streams", "output"), [(">&-", ""), ("2>&-", "violated\n"), ("<&- >&- 2>&-", "")])
def test_a_verdict_with_closed_streams(streams: str, output: str) -> None:
    run = shell(VIOLATED, streams)
    assert (run.returncode, run.stdout, run.stderr) == (1, output, "")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the memory of a process is not known")
def test_what_flint_says_is_not_an_answer() -> None:
    """It has no memory for a product, and says so before it aborts."""
    sentence = "forall eps > 0: ((1 + exp(eps) + exp(eps/3) + eps)^100)^100 > 0"
    run = shell(["decide", sentence, "--memory-limit", "120"], "")
    assert (run.returncode, run.stdout) == (3, "")
    assert run.stderr == "error: the memory limit was reached (deciding)\n"


def test_a_dash_is_a_stream(tmp_path: Path) -> None:
    """``-o -`` writes what no ``-o`` prints, a certificate comes after the verdict; neither makes a file."""
    asked = ["export", "svt1", "-D", "N=1", "--to", "smtlib"]
    with contextlib.chdir(tmp_path):
        plain, dashed = shell(asked, ""), shell([*asked, "-o", "-"], "")
        assert plain.stdout == dashed.stdout and "check-sat" in plain.stdout
        for streams in ("| cat", "> both; cat both"):
            written = shell([*PRIVATE, "--certificate", "-"], streams).stdout
            assert written.startswith("private\n{")
        Path("c.json").write_text(written.removeprefix("private\n"))
        verified = shell(["verify", "-", "--program", "svt1", "-D", "N=1"], "< c.json")
        assert verified.stdout.startswith("accepted")
        assert sorted(file.name for file in tmp_path.iterdir()) == ["both", "c.json"]
    assert status(["check", "svt1", "--certificate", ""]) == 2


def test_a_closed_input_that_is_to_be_read() -> None:
    run = shell(["check", "-"], "<&-")
    assert (run.returncode, run.stderr) == (2, "error: <stdin>: the standard input is closed\n")


# --- what cannot be written ----------------------------------------------------------------------

full = pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
NO_SPACE = "error: <stdout>: No space left on device\n"


@full
@pytest.mark.parametrize("command", [PRIVATE, ["programs"]])
def test_an_answer_that_cannot_be_written(command: list[str]) -> None:
    run = shell(command, ">/dev/full")
    assert (run.returncode, run.stderr) == (2, NO_SPACE)


@full
def test_an_error_that_cannot_be_written() -> None:
    run = shell(["check", "none.dip", "--json"], ">/dev/full")
    assert run.returncode == 2 and run.stderr.endswith(NO_SPACE) and "Traceback" not in run.stderr


@full
def test_remarks_that_cannot_be_written_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Capture
) -> None:
    (tmp_path / "four.dpm").write_text(FOUR, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert status(NOTED) == 0
    usual = capfd.readouterr()
    assert usual.err, "there is a remark"
    run = shell(NOTED, "2>/dev/full")
    assert (run.returncode, run.stdout, run.stderr) == (0, usual.out, "")


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (PRIVATE, 0),
        (VIOLATED, 1),
        (["check", "svt1", "svt4", "-D", "N=2", "--color"], 1),
        (["check", "svt4", "-D", "N=2", "--quiet", "--certificate", "-"], 1),
        (["check", "none.dip", "--json"], 2),
    ],
    ids=str,
)
def test_nobody_reads(command: list[str], code: int) -> None:
    """The reader is gone before anything is written: the status is that of the verdict."""
    reading, writing = os.pipe()
    os.close(reading)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [*DIPC, *command], env=environment, stdout=writing, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writing)
    assert (run.returncode, run.stderr[:5]) == (code, "error" if code == 2 else "")


def test_a_reader_that_leaves_early() -> None:
    run = shell(["programs", "svt1"], "| head -1", "set -o pipefail;")
    assert (run.returncode, run.stderr) == (0, "") and run.stdout.count("\n") == 1


# --- Ctrl-C --------------------------------------------------------------------------------------

IN_THE_WORK = """
import os, sys
from dipc.clock import Clock
tick = Clock.tick
def ticking(self, stage, *more):
    stage == "inequalities" and os.kill(os.getpid(), {number})
    tick(self, stage, *more)
Clock.tick = ticking
sys.argv[1:] = ["check", "svt1", "-D", "N=1", "--quiet", "--certificate", {target!r}]
from dipc.cli.main import run
run()
"""


@pytest.mark.parametrize(("number", "expected"), [(signal.SIGTERM, -signal.SIGTERM), (signal.SIGINT, 130)])
def test_a_signal_in_the_middle_of_the_work(number: int, expected: int, tmp_path: Path) -> None:
    """Sent by the process itself when it comes to the inequalities: no traceback, no half of a file."""
    target = tmp_path / "certificate.json"
    target.write_text("old", encoding="utf-8")
    code = IN_THE_WORK.format(number=int(number), target=str(target))
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == expected and "Traceback" not in run.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["certificate.json"]
    assert target.read_text(encoding="utf-8") == "old"
