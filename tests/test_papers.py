"""``dipc papers``: the numbers of the papers, and what happens if one is another."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from campaigns import LEFT_OUT

from dipc import shipped
from dipc.cli.main import status
from dipc.papers import DIFFERS, KINDS, Row, equal, outcome, rows_of

ROOT = Path(__file__).parent.parent
ROWS = [row for name in shipped.papers() for row in rows_of(name)]
FEW = {"counterexample": 3, "bound": 0, "ratio": 4, "verdict": 9}
"""Of these kinds only every so many-th row is tried outside of a campaign, of 0 none; of DiPC all are."""

Capture = pytest.CaptureFixture[str]


def tried(row: Row) -> bool:
    """Whether the gate has time for the row."""
    every = 1 if row.place.startswith("DiPC") else FEW.get(row.kind, 1)
    alike = [each for each in ROWS if each.kind == row.kind]
    return not row.slow and every > 0 and alike.index(row) % every == every - 1


@pytest.mark.parametrize(
    "row",
    [pytest.param(row, marks=() if tried(row) else LEFT_OUT, id=f"{row.place}: {row.what}") for row in ROWS],
)
def test_a_number(row: Row) -> None:
    found = outcome(row)
    assert found.result != DIFFERS, found
    if row.ours not in (None, row.paper):  # otherwise it is no erratum
        assert found.result == f"[{row.erratum}]"
        assert not (row.kind == "verdict" and found.dipc == row.paper)


def test_every_row_can_be_asked() -> None:
    assert {row.kind for row in ROWS} == set(KINDS)
    assert {row.round for row in ROWS} <= {"nearest", "up", "down"}
    assert all(row.erratum for row in ROWS if row.ours is not None)


def test_every_erratum_is_in_the_document() -> None:
    text = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
    points = list(map(int, re.findall(r"^(?:## |- \*\*)(\d+)\. ", text, re.MULTILINE)))
    assert points == list(range(1, 21))
    assert {row.erratum for row in ROWS} - {None} <= set(points)


def test_the_tables_are_complete() -> None:
    """So many rows of the paper stand under each heading."""
    sizes = {"Table 1": 14, "Table 2": 14, "Table 3": 8, "Table 4": 7, "Table 5": 10}
    for table, size in sizes.items():
        assert sum(row.place.startswith(f"DiPC, {table}") for row in ROWS) == size
    assert sum(bool(row.time) for row in ROWS if row.place.startswith("DiPC, Table 6")) == 8


FILE = """
[[group]]
place = "Table 1"
system = "svt4"
kind = "verdict"
rows = [{{ what = "SVT4", D = {{ N = 1 }}, paper = "{paper}"{more} }}]
"""


@pytest.mark.parametrize(
    ("paper", "more", "code", "result"),
    [
        ("private", "", 0, "ok"),
        ("private", ", erratum = 1", 0, "ok [1]"),
        ("violated", "", 1, DIFFERS),
        ("violated", ', ours = "private"', 1, DIFFERS),  # our answer needs an erratum
        ("violated", ', ours = "private", erratum = 1', 0, "[1]"),
        ("private", ', ours = "violated", erratum = 1', 1, DIFFERS),  # the erratum is out of date
        ("private", ', replace = [["no such text", ""]]', 1, DIFFERS),
    ],
)
def test_another_number(
    paper: str,
    more: str,
    code: int,
    result: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    file = tmp_path / "dipc.toml"
    file.write_text(FILE.format(paper=paper, more=more), encoding="utf-8")
    monkeypatch.setattr(shipped, "papers", lambda: {"dipc": file})
    assert status(["papers", "--json"]) == code
    (found,) = json.loads(capsys.readouterr().out)
    assert found["result"] == result
    assert status(["papers"]) == code
    out = capsys.readouterr().out
    assert f" s   {result}\n" in out and f"1 rows: {code} different" in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("printed", "found", "rounding", "same"),
    [
        ("1.372", "ln(288/73)", "down", True),
        ("1.372", "ln(288/73)", "nearest", False),
        ("1.373", "ln(288/73)", "nearest", True),
        ("0.17", "1661/10240", "up", True),
        ("0.16", "1661/10240", "nearest", True),
        ("0.5", "1/2", "up", True),
        ("2/4", "1/2", "nearest", True),
        ("1/2", "500001/1000000", "nearest", False),
        ("> 16", "16", "nearest", False),
        ("> exp(1.372)", "288/73", "nearest", True),
        ("> exp(1.373)", "288/73", "nearest", False),
        ("oo", "oo", "nearest", True),
        ("oo", "ln(2)", "nearest", False),
        ("(1 - p)^2", "p^2 - 2*p + 1", "nearest", True),
        ("exp(2*eps)/(1 + exp(eps))^2", "1/(1 + exp(-eps))^2", "nearest", True),
    ],
)
def test_comparison(printed: str, found: str, rounding: str, same: bool) -> None:
    row = Row(place="", what="", kind="value", paper="", round=rounding)
    assert equal(row, printed, found) is same


def test_one_paper_quickly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    files = {name: tmp_path / f"{name}.toml" for name in shipped.papers()}
    for name, file in files.items():
        text = FILE.format(paper="private", more="").replace("Table 1", name)
        file.write_text(text + text.replace("paper =", "slow = true, paper ="), encoding="utf-8")
    monkeypatch.setattr(shipped, "papers", lambda: files)
    assert status(["papers", "--quick", "--json"]) == 0
    assert [each["row"]["place"] for each in json.loads(capsys.readouterr().out)] == sorted(files)
    assert status(["papers", "--paper", "faier"]) == 0
    out = capsys.readouterr().out
    assert "faier" in out and "2 rows" in out and "dpctl" not in out


def test_the_files_are_no_programs() -> None:
    assert not shipped.papers().keys() & {*shipped.paths(), *shipped.models(), *shipped.hidden_models()}
