"""``dipc check`` on several programs: the table, the exit status, JUnit, JSON, expected verdicts."""

from __future__ import annotations

import os
from pathlib import Path
from xml.etree import ElementTree

import pytest
from answers import contents

from dipc.cli.main import status
from dipc.cli.outcome import Outcome, report
from dipc.errors import InputError

HEAD = "input q in {0, 1}; output out in {0, 1}; adjacent all; "
TEXTS = {
    "good": HEAD + "private eps\nout <- 0\n",
    "bad": HEAD + "private eps\nout <- q\n",
    "broken": HEAD + "private eps\nout <- r\n",
    "expected": "# expect: violated\n" + HEAD + "private eps\nout <- q\n",
    "surprise": "# expect: private\n" + HEAD + "private eps\nout <- q\n",
    "better": "# expect: violated\n" + HEAD + "private eps\nout <- 0\n",
}

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        (tmp_path / f"{name}.dip").write_text(text, encoding="utf-8")
    (tmp_path / "inner folder").mkdir()
    (tmp_path / "inner folder" / "good one.dip").write_text(TEXTS["good"], encoding="utf-8")
    (tmp_path / "inner folder" / "notes.txt").write_text("no program", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("good", "bad", "broken"), 2),
        (("bad", "good"), 1),
        (("good", "good"), 0),
        (("good", "nowhere"), 2),
    ],
)
def test_the_worst_counts(folder: Path, names: tuple[str, ...], expected: int, capsys: Capture) -> None:
    assert status(["check", *(f"{name}.dip" for name in names)]) == expected
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == len(names) + 2
    assert "Traceback" not in out + err


@pytest.mark.usefixtures("between_steps")
def test_undecided_is_worse_than_private_and_better_than_violated(folder: Path) -> None:
    assert status(["check", "good.dip", "good.dip", "--time-limit", "0"]) == 3
    assert status(["check", "good.dip", "broken.dip", "--time-limit", "0"]) == 2


def test_the_table(folder: Path, capsys: Capture) -> None:
    status(["check", "good.dip", "bad.dip", "broken.dip", "gone.dip"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["program", "claim", "verdict", "time", "counterexample", "or", "reason"]
    assert lines[1].split()[:3] == ["good.dip", "(ε)", "private"]
    assert lines[2].split()[:3] == ["bad.dip", "(ε)", "violated"]
    assert lines[2].endswith("q = 0 against q = 1: out = 0 at ε = 1")
    assert "line 2: " in lines[3]
    assert "`r`" in lines[3]
    assert "no such file" in lines[4]
    assert lines[5] == "4 programs: 1 private, 1 violated, 2 errors"


def test_a_folder(folder: Path, capsys: Capture) -> None:
    assert status(["check", "inner folder"]) == 0
    assert "inner folder/good one.dip" in capsys.readouterr().out.replace(os.sep, "/")
    assert status(["check", str(folder), "--quiet"]) == 2
    said = capsys.readouterr().out
    assert len(said.splitlines()) == len(TEXTS) + 1
    assert f"{folder / 'bad.dip'}: violated" in said


def test_expected_verdicts(folder: Path, capsys: Capture) -> None:
    assert status(["check", "good.dip", "expected.dip", "--expect"]) == 0
    assert "violated (as expected)" in (out := capsys.readouterr().out)
    assert out.splitlines()[-1] == "2 programs: 1 private, 1 violated, all as expected"
    assert status(["check", "good.dip", "bad.dip", "--expect"]) == 1
    assert status(["check", "better.dip", "good.dip", "--expect"]) == 1
    assert "private (expected: violated)" in capsys.readouterr().out
    assert status(["check", "expected.dip", "--expect"]) == 0
    assert "expected    violated\n" in capsys.readouterr().out
    assert status(["check", "surprise.dip", "--expect"]) == 1
    assert status(["check", "surprise.dip", "--expect", "--time-limit", "0"]) == 3


def test_only_the_first_word_of_the_expected_verdict_counts(folder: Path, capsys: Capture) -> None:
    program = HEAD + "private eps\nout <- q\n"
    Path("remark.dip").write_text(f"# expect: violated from N = 2 on\n{program}")
    assert status(["check", "remark.dip", "--expect"]) == 0


def test_an_expected_verdict_that_does_not_exist(folder: Path, capsys: Capture) -> None:
    Path("typo.dip").write_text("# expect: violatd\n" + HEAD + "private eps\nout <- q\n")
    assert status(["check", "typo.dip", "--expect"]) == 2
    assert "typo.dip:1:11: error: there is no verdict `violatd`" in capsys.readouterr().err


def test_json_is_a_list(folder: Path, capsys: Capture) -> None:
    assert status(["check", "good.dip", "expected.dip", "broken.dip", "--json", "--expect"]) == 2
    good, expected, broken = contents(capsys.readouterr().out)
    assert good["verdict"] == "private"
    assert "expected" not in good
    assert expected["verdict"] == expected["expected"] == "violated" and expected["as_expected"] is True
    assert broken["program"] == "broken.dip"
    assert (broken["error"]["kind"], broken["error"]["place"]) == ("input", "broken.dip:2:8")


def test_junit(folder: Path, capsys: Capture) -> None:
    names = ["good", "bad", "broken", "expected", "surprise"]
    assert status(["check", *(f"{n}.dip" for n in names), "--expect", "--junit", "out file.xml"]) == 2
    root = ElementTree.parse(folder / "out file.xml").getroot()
    assert root.tag == "testsuites"
    (suite,) = root
    assert [suite.get(k) for k in ("tests", "failures", "errors")] == ["5", "2", "1"]
    cases = {case.get("name"): case for case in suite.findall("testcase")}
    assert set(cases) == {f"{name}.dip" for name in names}
    assert all(float(case.get("time") or "x") >= 0 and case.get("classname") for case in cases.values())
    failure, error = cases["bad.dip"].find("failure"), cases["broken.dip"].find("error")
    assert failure is not None and error is not None
    assert failure.get("type") == "violated"
    assert "q = 0 against q = 1" in (failure.get("message") or "")
    assert "broken for" in (failure.text or "")
    assert "broken.dip:2:8" in (error.text or "")
    assert cases["expected.dip"].find("failure") is None
    assert cases["surprise.dip"].find("failure") is not None


def test_junit_of_one_program(folder: Path) -> None:
    assert status(["check", "bad.dip", "--junit", "a.xml"]) == 1
    assert status(["check", "broken.dip", "--junit", "b.xml"]) == 2
    tags = [ElementTree.parse(folder / f).getroot()[0][0][0].tag for f in ("a.xml", "b.xml")]
    assert tags == ["failure", "error"]


def test_junit_survives_strange_characters() -> None:
    outcome = Outcome("a\x00b.dip", 0.1, error=InputError("\x1b[31m ε < 1 & \ud800"))
    text = ElementTree.tostring(report([outcome]), encoding="utf-8")
    assert "ε < 1 &" in (ElementTree.fromstring(text)[0][0][0].get("message") or "")
