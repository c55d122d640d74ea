"""How output looks: decimals at one eps, colour, terminals without Greek letters, progress."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from answers import contents

from dipc.cli.main import status
from dipc.cli.terminal import columns, encodable, show_table
from dipc.cli.work import Bar

ROOT = Path(__file__).parent.parent
ASK = ["distribution", "svt1", "-D", "N=2", "--input", "q=[0,1]"]

Capture = pytest.CaptureFixture[str]


def process(arguments: list[str], **environment: str) -> subprocess.CompletedProcess[bytes]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "LC_", "LANG"))}
    return subprocess.run(
        [sys.executable, "-m", "dipc", *arguments],
        env={**kept, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        check=False,
    )


# --- a distribution at one budget ----------------------------------------------------------------


def test_record_at_a_budget(capsys: Capture) -> None:
    status([*ASK, "--at", "1/2", "--json", "--digits", "20"])
    record = contents(capsys.readouterr().out)
    assert record["at"] == "1/2"
    assert record["distribution"][2]["value"] == {"exact": "1/2", "decimal": "0.50000000000000000000"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([*ASK, "--at", "0"], "positive"),
        ([*ASK, "--at", "-1"], "positive"),
        ([*ASK, "--at", "x"], "rational"),
        ([*ASK, "--digits", "5"], "--at"),
        ([*ASK, "--at", "1", "--digits", "0"], "digits"),
        (["distribution", "rand2", "--input", "q=[true,true,true]", "--at", "2"], "not one of those"),
    ],
)
def test_broken_budgets(arguments: list[str], says: str, capsys: Capture) -> None:
    assert status(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err


# --- colour --------------------------------------------------------------------------------------

COMMANDS = [
    ["check", "rand1", "--quiet"],
    ["decide", "forall eps > 0: eps > 0"],
]


class Terminal(io.StringIO):
    """Says that it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:3]))
@pytest.mark.parametrize(
    ("terminal", "option", "no_color", "expected"),
    [
        (True, None, "", True),
        (True, "--no-color", "", False),
        (True, None, "1", False),
        (True, "--color", "1", True),
        (False, None, "", False),
        (False, "--color", "", True),
        (False, "--no-color", "", False),
    ],
)
def test_colour(
    command: list[str],
    terminal: bool,
    option: str | None,
    no_color: str,
    expected: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setenv("TERM", "xterm-256color")
    status([*command, *([option] if option else [])])
    colours = ("\x1b[31m", "\x1b[32m", "\x1b[1;31m", "\x1b[1;32m")
    assert any(code in stream.getvalue() for code in colours) == expected


def test_a_plain_table_is_aligned(capsys: Capture) -> None:
    show_table(("a", "bb"), [("x", "y"), ("longer", "ε")])
    assert capsys.readouterr().out == "a       bb\nx       y\nlonger  ε\n"
    assert columns([("", "1"), ("2", "")]) == ["   1", "2"]


# --- other locales, other places -----------------------------------------------------------------


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
    ],
    ids=lambda environment: next(iter(environment.values())),
)
def test_a_terminal_without_greek(environment: dict[str, str], tmp_path: Path) -> None:
    run = process(["check", "rand2"], **environment)
    assert (run.returncode, run.stderr) == (1, b"")
    assert b"eps" in run.stdout and run.stdout.isascii()
    path = tmp_path / "ε.dip"
    path.write_text("output out in {0, 1}; out <- žluť\n", encoding="utf-8")
    run = process(["check", str(path)], **environment)
    assert run.returncode == 2
    assert b"error: " in run.stderr and b"Traceback" not in run.stderr


def test_encodable_keeps_what_can_be_shown() -> None:
    assert encodable("ε ≤ 1", "utf-8") == "ε ≤ 1"
    assert encodable("t ≈ 0.42", "ascii") == "t ~ 0.42"
    assert encodable("é ≤ 1", "latin-1") == "é <= 1"


# --- progress ------------------------------------------------------------------------------------


def test_progress_says_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm-256color")
    with Bar("reading", patience=0) as bar:
        bar._timer.join()
        bar.show("inequalities", 3, 12)
    shown = stream.getvalue()
    assert "reading" in shown
    assert "inequalities" in shown
    assert "3/12" in shown


def test_no_progress_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with Bar("reading", patience=0) as bar:
        bar.show("inequalities", 3, 12)
    assert stream.getvalue() == ""
    assert not bar._timer.is_alive()


def test_quick_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with Bar("reading") as bar:
        bar.show("inequalities", 3, 12)
    bar._timer.join()
    assert stream.getvalue() == ""
