"""The programs that ship with dipc: found by name, from Python and from the command line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import dipc
from dipc.cli.main import status
from dipc.shipped import (
    NoSuchProgram,
    describe,
    every_size_programs,
    header,
    hidden_models,
    hidden_programs,
    located,
    located_hidden,
    located_model,
    models,
    paths,
)

ROOT = Path(__file__).parent.parent
FILES = sorted((ROOT / "programs").rglob("*.dip"))
SMALL = "output out in {0, 1}; input q in {0, 1}; adjacent all; private 2*eps; out <- q\n"

Capture = pytest.CaptureFixture[str]


def test_every_program_has_a_name_of_its_own() -> None:
    assert {path.resolve() for path in paths().values()} == {path.resolve() for path in FILES}


@pytest.mark.parametrize("name", sorted(paths()))
def test_every_program_says_what_it_is(name: str) -> None:
    program = describe(name)
    assert program.title
    assert program.source
    assert program.expect in ("private", "violated")


def test_the_header_of_a_program() -> None:
    text = "# A coin\n# source: folklore  \noutput b in {0, 1}"
    assert header(text) == {"title": "A coin", "source": "folklore"}


@pytest.mark.parametrize("text", ["", "  ", "\n"])
def test_no_text(text: str) -> None:
    with pytest.raises(dipc.InputError, match="the program is empty"):
        dipc.load(text)


def test_a_file_of_that_name_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert dipc.load("svt1").check().status == "private"
    (tmp_path / "svt1").write_text(SMALL, encoding="utf-8")
    assert dipc.load("svt1").check().status == "violated"


def test_unknown_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("svt1x", "stv1", "SVT1", "svt1.dip"):
        with pytest.raises(NoSuchProgram, match="no such file or program") as caught:
            dipc.load(name)
        assert "did you mean `svt1`?" in caught.value.hint
        assert isinstance(caught.value, FileNotFoundError)
    (tmp_path / "mechanism.dip").write_text(SMALL, encoding="utf-8")
    with pytest.raises(NoSuchProgram) as caught:
        located("mecanism.dip")
    assert "`mechanism.dip`" in caught.value.hint
    with pytest.raises(NoSuchProgram) as caught:
        located("qqqqqqqq")
    assert "dipc programs" in caught.value.hint


OTHERS = {
    "survey.dpm": (models, located_model, "a Markov model", ("`dipc model`", "`dipc.load`")),
    "ex3.hmm": (hidden_models, located_hidden, "a hidden Markov model", ("`dipc pufferfish`",)),
}
"""Files of other systems: where they are found, who takes them, what they are called, and the hints."""


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize("file", OTHERS)
def test_a_model_is_no_program(
    file: str, short: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    known, taken_by, what, hints = OTHERS[file]
    stem = Path(file).stem
    shutil.copy(known()[stem], file)
    asked = stem if short else file
    for locate in {located, located_model, located_hidden} - {taken_by}:
        with pytest.raises(dipc.InputError, match=f"^error: {asked} is {what}\n") as caught:
            locate(asked)
        assert all(hint in caught.value.hint for hint in hints)
    assert taken_by(asked).suffix == Path(file).suffix


def test_a_folder_is_no_program(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        dipc.load(tmp_path)


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "svt4", "-D", "N=2"],
        ["distribution", "svt4", "--input", "q=[0,0,0]"],
        ["export", "svt4", "--to", "latex", "-D", "N=1"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_names_on_the_command_line(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    by_name = status(arguments), capsys.readouterr().out
    by_path = (
        status([str(paths()["svt4"]) if word == "svt4" else word for word in arguments]),
        capsys.readouterr().out,
    )
    assert by_name[0] == by_path[0] < 2
    assert by_name[1].splitlines()[2:9] == by_path[1].splitlines()[2:9]


def test_list(capsys: Capture) -> None:
    assert status(["programs"]) == 0
    programs, every_size, known, hidden = capsys.readouterr().out.split("\n\n")
    assert [line.split()[0] for line in every_size.splitlines()] == ["for", *every_size_programs()]
    assert "private" in next(line for line in every_size.splitlines() if line.startswith("gap "))
    assert {line.split()[0] for line in known.splitlines()} == {"model", *models()}
    listed = ["hidden", *hidden_programs(), *hidden_models()]
    assert [line.split()[0] for line in hidden.splitlines()] == listed
    assert "violated" in next(line for line in hidden.splitlines() if line.startswith("above "))
    lines = programs.splitlines()
    assert lines[0].split() == ["name", "expected", "title"]
    assert len(lines) == len(FILES) - len(hidden_programs()) - len(every_size_programs()) + 1
    line = next(line for line in lines if line.startswith("svt4 "))
    assert "violated" in line
    assert "Lyu, Su and Li" not in line
    assert status(["programs", "--long"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["name", "expected", "title", "source"]
    assert "Lyu, Su and Li" in next(line for line in lines if line.startswith("svt4 "))


def test_one(capsys: Capture) -> None:
    text = paths()["svt4"].read_text(encoding="utf-8")
    assert status(["programs", "svt4"]) == 0
    assert capsys.readouterr().out == text
    assert status(["programs", "svt4", "--path"]) == 0
    assert Path(capsys.readouterr().out.strip()).read_text(encoding="utf-8") == text
    assert status(["programs", "svt44"]) == 2
    assert "did you mean `svt4`?" in capsys.readouterr().err


def test_list_json(capsys: Capture) -> None:
    assert status(["programs", "--json"]) == 0
    found = {record["name"]: record for record in json.loads(capsys.readouterr().out)}
    assert set(found) == {*paths(), *models(), *hidden_models()}
    assert found["svt4"]["expect"] == "violated"
    assert found["svt4"]["family"] == "svt"
    assert status(["programs", "svt4", "--json"]) == 0
    assert "input  q[N]" in json.loads(capsys.readouterr().out)["text"]
