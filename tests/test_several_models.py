"""Several models and folders, and models as tests: what ``dipc check`` and the plugin do with programs."""

from __future__ import annotations

import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from answers import contents

import dipc
from dipc.cli.main import status
from tests.dipwhile.python.test_plugin import LOADED, ROOT

pytest_plugins = ["pytester"]

Capture = pytest.CaptureFixture[str]
CHAIN = """chain
plus -> {yes: 3/4, no: 1/4}
minus -> {yes: 1/4, no: 3/4}
final yes, no
label out = {yes}
neighbours plus ~ minus
"""
GOOD = f"{CHAIN}property private: D[ln 3, 0](X out)\nproperty tight: D[1, 0](X out)  # expect: fails\n"
BAD = f"{CHAIN}property private: D[1, 0](X out)\n"
BROKEN = GOOD.replace("minus -> {yes: 1/4", "minus -> {yes: 1/2")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    for name, text in {"good": GOOD, "bad": BAD, "none": CHAIN}.items():
        (tmp_path / "models" / f"{name}.dpm").write_text(text)
    return tmp_path


def test_a_folder_of_models(folder: Path, capsys: Capture) -> None:
    assert status(["model", "check", "models", "--expect", "--quiet", "--junit", "report.xml"]) == 1
    good, bad = "models/good.dpm", "models/bad.dpm"
    lines = [f"{bad}: private: fails", f"{good}: private: holds", f"{good}: tight: fails"]
    assert capsys.readouterr().out.splitlines() == lines  # the model without properties is left out
    cases = ElementTree.parse(folder / "report.xml").findall(".//testcase")
    assert [(case.get("classname"), case.get("name")) for case in cases] == [
        (bad, "private"), (good, "private"), (good, "tight")
    ]  # fmt: skip
    shutil.rmtree(folder / "models")
    (folder / "models").mkdir()
    assert status(["model", "check", "models"]) == 2


def test_several_models_and_a_formula(folder: Path, capsys: Capture) -> None:
    files = ["models/good.dpm", "models/none.dpm", "survey"]
    assert status(["model", "check", *files, "D[ln 3, 0](X yes)", "--json"]) == 0
    assert [each["verdict"] for each in contents(capsys.readouterr().out)] == ["holds"] * 3
    (folder / "yes").mkdir()  # a proposition, too
    formulas = "P>=0 (X yes)", f"P>=0 (X ({' | '.join(['yes'] * 100)}))", "yes"
    assert status(["model", "check", "survey", "models/", *formulas, "--quiet"]) == 1
    assert len(capsys.readouterr().out.splitlines()) == 12


def test_a_broken_model_does_not_stop_the_others(folder: Path, capsys: Capture) -> None:
    (folder / "models" / "broken.dpm").write_text(BROKEN)
    assert status(["model", "check", "models", "--expect"]) == 2
    shown = capsys.readouterr().out
    assert "4 formulas: 2 hold" not in shown and "1 error" in shown and "models/good.dpm" in shown


def test_the_budget_command(capsys: Capture) -> None:
    assert status(["model", "budget", "survey", "D[eps, 0](X out_1)"]) == 0
    first = capsys.readouterr().out
    assert status(["model", "value", "survey", "D[?, 0](X out_1)"]) == 0
    assert capsys.readouterr().out == first and "ln(3)" in first
    assert status(["model", "budget", "survey", "P>=1/2 (X out_1)"]) == 2
    assert "has no least epsilon" in capsys.readouterr().err


# --- tests ---------------------------------------------------------------------------------------


def test_the_plugin_collects_models(
    folder: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for path in (folder / "models").iterdir():
        shutil.copy(path, pytester.path)
    shutil.copy(ROOT / "programs" / "hidden_markov" / "ex2.hmm", pytester.path)
    monkeypatch.chdir(pytester.path)
    pytester.runpytest_inprocess(*LOADED, "--dipc").assert_outcomes(passed=2, failed=1)
    pytester.runpytest_inprocess(*LOADED, "good.dpm", "none.dpm").assert_outcomes(passed=1, failed=1)


def test_assert_holds(folder: Path) -> None:
    assert dipc.assert_holds("survey", "D[ln 3, 0](X out_1)").status == "holds"
    with pytest.raises(AssertionError, match="this formula does not hold"):
        dipc.assert_holds(dipc.load_model("survey"), "D[1, 0](X out_1)")
    with pytest.raises(AssertionError, match="this formula does not hold"):
        dipc.assert_holds(folder / "models" / "bad.dpm")
    with dipc.limits(seconds=0), pytest.raises(AssertionError, match="undecided"):
        dipc.assert_holds(folder / "models" / "bad.dpm")
    with pytest.raises(dipc.WrongType):
        dipc.assert_holds(3)  # type: ignore[arg-type]
