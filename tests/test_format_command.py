"""``dipc format`` as a command."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from dipc.cli.main import status

ROOT = Path(__file__).parent.parent
UGLY = "output b in {0,1} # c\nb<-1\n"
GOOD = "output b in {0, 1}  # c\n\nb <- 1\n"

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("ugly", UGLY), ("good", GOOD), ("broken", "b <- \n")):
        (tmp_path / f"{name}.dip").write_text(text, encoding="utf-8")
    return tmp_path


def test_print(folder: Path, capsys: Capture) -> None:
    assert status(["format", "ugly.dip"]) == 0
    assert capsys.readouterr().out == GOOD
    assert (folder / "ugly.dip").read_text(encoding="utf-8") == UGLY


@pytest.mark.parametrize("option", ["-i", "-w", "--write"])
def test_write(option: str, folder: Path, capsys: Capture) -> None:
    assert status(["format", option, "ugly.dip", "good.dip"]) == 0
    assert capsys.readouterr().out == "formatted ugly.dip\n"
    assert (folder / "ugly.dip").read_bytes() == GOOD.encode()


def test_check_and_diff(folder: Path, capsys: Capture) -> None:
    assert status(["format", "--check", "ugly.dip", "good.dip"]) == 1
    assert capsys.readouterr().out == "would format ugly.dip\n"
    assert status(["format", "--check", "good.dip"]) == 0
    assert status(["format", "--diff", "ugly.dip", "good.dip"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert "-b<-1" in out
    assert "+b <- 1" in out
    assert (folder / "ugly.dip").read_text(encoding="utf-8") == UGLY


def test_broken_programs_are_left_alone(folder: Path, capsys: Capture) -> None:
    assert status(["format", "--write", "."]) == 2
    out, err = capsys.readouterr()
    assert "formatted" in out
    assert "broken.dip:1:" in err
    assert (folder / "broken.dip").read_text(encoding="utf-8") == "b <- \n"
    assert (folder / "ugly.dip").read_text(encoding="utf-8") == GOOD


def test_line_ends_are_a_difference(folder: Path, capsys: Capture) -> None:
    (folder / "good.dip").write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert status(["format", "--check", "good.dip"]) == 1
    assert status(["format", "--write", "good.dip"]) == 0
    assert (folder / "good.dip").read_bytes() == GOOD.encode()


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    for options, expected, out in (([], 0, GOOD), (["--check"], 1, "would format <stdin>\n")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(UGLY.encode())))
        assert status(["format", "-", *options]) == expected
        assert capsys.readouterr().out == out


def test_shipped_programs(folder: Path, capsys: Capture) -> None:
    assert status(["format", "--check", str(ROOT / "programs")]) == 0
    assert status(["format", "--write", "svt1"]) == 2
    assert "not rewritten" in capsys.readouterr().err


def test_contradicting_options(folder: Path) -> None:
    assert status(["format", "--write", "--check", "ugly.dip"]) == 2
