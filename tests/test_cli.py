"""The command line as people and scripts use it: wording, options, and misuse without a traceback."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import pytest
from answers import contents

from dipc.cli.main import status

PROGRAMS = Path(__file__).parent.parent / "programs"
SVT1 = str(PROGRAMS / "svt" / "svt1.dip")
SVT4 = str(PROGRAMS / "svt" / "svt4.dip")

Capture = pytest.CaptureFixture[str]


def run(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    """Exit status, stdout, stderr; never a traceback."""
    code = status(list(arguments))
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    assert "internal error" not in err
    return code, out, err


def lines(out: str) -> dict[str, str]:
    """The first word of each line with the rest."""
    return dict(re.findall(r"^(\S+) +(.*)$", out, re.MULTILINE))


# --- what people see -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "word", "expected"),
    [
        (("check", SVT1), "private", 0),
        (("check", SVT1, "--time-limit", "0"), "undecided", 3),
        (("pufferfish", "check", "ex2"), "private", 0),
    ],
)
@pytest.mark.usefixtures("between_steps")
def test_quiet(capsys: Capture, arguments: tuple[str, ...], word: str, expected: int) -> None:
    assert run(capsys, *arguments, "--quiet") == (expected, f"{word}\n", "")


@pytest.mark.parametrize(
    "command", [["check", SVT1], ["prove", "svt1"], ["model", "check", "survey", "D[ln 3, 0](X out_1)"]]
)
@pytest.mark.usefixtures("between_steps")
def test_no_certificate_of_what_is_undecided(command: list[str], capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    code, _, err = run(capsys, *command, "--time-limit", "0", "--certificate", str(file))
    assert (code, err) == (3, "no certificate is written: nothing was decided\n")
    assert not file.exists()


@pytest.mark.parametrize(
    "command", [["check"], ["budget"], ["explain"], ["regions"], ["profile", "--epsilon", "eps"], ["prove"]]
)
def test_the_standard_input_has_one_name(
    command: list[str], capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(SVT1).read_bytes())))
    assert lines(run(capsys, *command, "-")[1])["program"].startswith("<stdin>")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(SVT1).read_bytes())))
    assert contents(run(capsys, *command, "-", "--json")[1])["program"] == "<stdin>"


# --- options -------------------------------------------------------------------------------------


def test_distribution_json(capsys: Capture) -> None:
    _, out, _ = run(capsys, "distribution", SVT1, "--input", "q=[0,1]", "-D", "N=2", "--json")
    got = contents(out)
    assert set(got) == {"program", "parameters", "input", "distribution"}
    assert got["input"] == {"q": ["0", "1"]}
    assert got["distribution"][2] == {"output": {"out": ["top", "bot"]}, "probability": "1/2"}


@pytest.mark.parametrize(
    ("arguments", "holds"),
    [
        (["sampled_count", "--claim", "ln(1 + (exp(eps) - 1)/5)"], "ln(3/4 + 1/4*exp(ε))"),
        (["rand1", "-D", "N=1", "--claim", "1/2"], "ε"),
        (["sampled_count", "--claim", "eps/2"], "ln(3/4 + 1/4*exp(ε))"),
        (["rand1", "-D", "N=1", "--claim", "eps/2"], None),  # a multiple of eps: `dipc budget` answers
        (["svt4", "-D", "N=1", "--claim", "eps/8, 1/100"], None),
        (["sampled_count", "--claim", "ln(1 + (exp(eps) - 1)/4)"], None),
        (["sampled_count", "--claim", "ln(1 + (exp(eps) - 1)/5)", "--quiet"], None),
    ],
)
def test_a_violated_curve_is_shown_with_the_one_that_holds(
    capsys: Capture, arguments: list[str], holds: str | None
) -> None:
    _, out, _ = run(capsys, "check", *arguments)
    shown = [line for line in out.splitlines() if line.startswith("what holds is")]
    assert shown == ([] if holds is None else [f"what holds is private {holds}"])
    if holds is not None:  # it does, and nothing less
        claim = holds.replace("ε", "eps")
        assert run(capsys, "check", *arguments[:-1], claim, "--quiet")[0] == 0
        assert run(capsys, "check", *arguments[:-1], f"{claim} - 1/1000*eps", "--quiet")[0] == 1


def test_help_names_the_exit_statuses(capsys: Capture) -> None:
    code, out, _ = run(capsys, "check", "--help")
    assert code == 0
    assert "0 private, 1 violated, 2 broken input, 3 undecided" in " ".join(out.split())


def test_version(capsys: Capture) -> None:
    assert run(capsys, "--version") == (0, "dipc, version 0.1.0\n", "")


# --- broken use ----------------------------------------------------------------------------------

BROKEN = [
    (["check", SVT1, "-D", "N"], "NAME=VALUE"),
    (["check", SVT1, "-D", "N=abc"], "N"),
    (["check", SVT1, "-D", "N=1/2"], "N"),
    (["check", SVT1, "-D", "N=1/0"], "division by zero"),
    (["check", SVT1, "-D", "M=3"], "M"),
    (["check", SVT1, "-D", "Delta=-1"], "positive"),
    (["check"], "FILE"),
    (["check", "no_such_file.dip"], "no_such_file.dip"),
    (["distribution", str(PROGRAMS)], "folder"),
    (["check", str(PROGRAMS.parent / ".ci")], "no program"),
    (["check", SVT1, SVT4, "--certificate", "c.json"], "one program"),
    (["check", SVT1, "--expect", "-D", "N=2"], "as it stands"),
    (["check", SVT1, "--claim", "garbage"], "--claim:1:1: error"),
    (["check", SVT1, "--at", "0"], "positive"),
    (["check", SVT1, "--at", "x"], "rational"),
    (["check", SVT1, "--time-limit", "-1"], "time-limit"),
    (["check", SVT1, "--time-limit", "soon"], "not a valid number of seconds"),
    (["check", SVT1, "--memory-limit", "all"], "not a valid number of megabytes"),
    (["check", SVT1, "--claim"], "the options are shown by `dipc check --help`"),
    (["check", SVT1, "--pair", "q=[-1,0,0]", "q=[1,0,0]"], "not neighbours"),
    (["check", SVT1, "--pair", "p=[0,0,0]", "q=[1,0,0]"], "no input `p`"),
    (["check", SVT1, "--pair", "q=[0,0]", "q=[1,0,0]"], "3 cells"),
    (["check", SVT1, "--pair", "q=0", "q=[1,0,0]"], "array"),
    (["check", SVT1, "--pair", "q=[0,0,7]", "q=[1,0,0]"], "7 is not a value"),
    (["check", SVT1, "--pair", "q=[0,0,0]"], "pair"),
    (["check", SVT1, "--no-such-option"], "no-such-option"),
    (["distribution", SVT1], "q"),
    (["distribution", SVT1, "--input", "q=[0]"], "3 cells"),
    (["distribution", SVT1, "--input", "q=[0,0,0], r=1"], "no input `r`"),
    (["distribution", SVT1, "--input", "q=[0,0,0], q=[1,0,0]"], "q"),
    (["chekc", SVT1], "no such command `chekc`: did you mean `check`?"),
]


@pytest.mark.parametrize(
    ("arguments", "says"), BROKEN, ids=lambda x: " ".join(x)[-60:] if isinstance(x, list) else ""
)
def test_broken_use(capsys: Capture, arguments: list[str], says: str) -> None:
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert err.strip()
    assert says in err


def test_broken_use_with_json_prints_an_error_record(capsys: Capture) -> None:
    code, out, err = run(capsys, "check", SVT1, "--json", "--at", "0")
    assert code == 2
    assert contents(out)["error"]["kind"] == "input"
    assert "positive" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["plot", SVT1, "-o", "nodir/a.pdf"],
        ["check", SVT1, "--junit", "nodir/j.xml"],
        ["check", SVT1, "--certificate", "nodir/c.json"],
        ["new", "nodir/mine"],
    ],
    ids=lambda arguments: arguments[0] + arguments[-2],
)
def test_a_folder_that_is_not_there(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    """It is told before the computation: nothing is printed."""
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert "there is no folder nodir\n    help: create it: mkdir -p nodir" in err
    (tmp_path / "file").touch()
    code, out, err = run(capsys, *(text.replace("nodir", "file") for text in arguments))
    assert (code, out) == (2, "")
    assert "file is not a folder" in err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\xff\xfe\x00\x01", "not UTF-8"),
        (b"\x7fELF\x02\x01\x01\x00\x00", "has no meaning here"),
        (b"", "the program is empty"),
        (b"\xef\xbb\xbf", "the program is empty"),
    ],
)
def test_files_that_are_no_programs(capsys: Capture, tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "strange.dip"
    path.write_bytes(content)
    for command in ("check", "distribution", "format"):
        code, out, err = run(capsys, command, str(path))
        assert (code, out) == (2, "")
        assert "strange.dip" in err and says in err and len(err.splitlines()) <= 4


def test_program_without_claim_or_adjacency(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "bare.dip"
    path.write_text("input q in {0, 1}\noutput o in {0, 1}\no <- q\n", encoding="utf-8")
    code, _, err = run(capsys, "check", str(path))
    assert code == 2
    assert "makes no claim" in err
    code, _, err = run(capsys, "check", str(path), "--claim", "eps")
    assert code == 2
    assert "neighbours" in err
    assert run(capsys, "check", str(path), "--claim", "eps", "--pair", "q=0", "q=1", "--quiet")[0] == 1
    assert run(capsys, "distribution", str(path), "--input", "q=1")[:2] == (0, "o=1  1\n")


def test_an_empty_claim_has_no_empty_excerpt(capsys: Capture) -> None:
    _, _, err = run(capsys, "check", SVT1, "--claim", "")
    assert [line.strip()[:6] for line in err.splitlines()] == [err[:6], "help: "]
