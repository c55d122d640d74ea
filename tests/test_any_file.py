"""``dipc plot``, ``dipc report`` and ``dipc export`` take the files of every system; Python has the same."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

import dipc
from dipc.cli.main import status
from dipc.errors import InputError

Capture = pytest.CaptureFixture[str]
FILES = ("svt1", "survey", "ex3")  # a program, a Markov model, a hidden one


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("file", FILES)
def test_a_page_of_every_file(file: str, folder: Path) -> None:
    assert status(["report", file]) == 0
    assert f"<title>{file}: " in (folder / f"{file}.html").read_text(encoding="utf-8")


def test_a_page_of_all_properties(folder: Path) -> None:
    assert status(["report", "survey"]) == 0
    page = (folder / "survey.html").read_text(encoding="utf-8")
    names = [line.name for line in dipc.load_model("survey").properties]
    assert page.count('<section class="verdict') == len(names) == 6
    assert all(f">{name}</h2>" in page for name in names)
    assert "<h3>Over ε</h3>" in page and "D[eps, 0](X out_1) for eps in [11/10, inf)" in page


@pytest.mark.parametrize(
    "words",
    [
        "plot svt1 --what loss",
        'plot survey --formula "D[eps, 0](X out_1)"',
        "plot ex3",
        "plot above --horizon 4",
    ],
)
def test_a_figure_of_every_file(words: str, folder: Path) -> None:
    assert status([*shlex.split(words), "-o", "a.svg"]) == 0
    assert (folder / "a.svg").stat().st_size > 1000


@pytest.mark.parametrize(
    "words", ['svt1 --input "q=[0,0,0]"', "survey", "ex2", "ex3 --fix p=1/2", "ex3 -D p=1/2"]
)
@pytest.mark.parametrize("to", ["drn", "svg"])
def test_the_chain_of_every_file(words: str, to: str, capsys: Capture) -> None:
    assert status(["export", *shlex.split(words), "--to", to]) == 0
    assert ("@type: DTMC" if to == "drn" else "<svg") in capsys.readouterr().out


@pytest.mark.parametrize(
    ("general", "own"),
    [
        ("export survey --to dpm", "model export survey --to dpm"),
        ("export ex3 --to redlog", "pufferfish export ex3 --to redlog"),
    ],
)
def test_it_is_the_same_command(general: str, own: str, capsys: Capture) -> None:
    assert status(general.split()) == 0
    first = capsys.readouterr().out
    assert status(own.split()) == 0 and capsys.readouterr().out == first


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("plot ex3 --log", "no such option `--log`"),
        ("plot ex3 --pair q=1 q=2", "no such option `--pair`"),
        ("plot ex3 --what region", "`region` is not one of"),
        ("export ex3 --to coq", "`coq` is not one of"),
        ("export survey --to drn --claim eps", "no such option `--claim`"),
        ("plot survey --digits 3 --formula true", "no such option `--digits`"),
        ("plot svt1 --horizon 3", "no such option `--horizon`"),
        ("plot survey", "survey has 6 properties: private, tight,"),
        ("report missing.hmm", "missing.hmm: no such file or hidden Markov model"),
    ],
)
def test_what_does_not_belong_is_refused(words: str, message: str, capsys: Capture) -> None:
    assert status(words.split()) == 2 and message in capsys.readouterr().err


# --- Python --------------------------------------------------------------------------------------


@pytest.mark.parametrize("found", [*map(dipc.load, ("svt1", "ex3")), dipc.load_model("survey")])
def test_what_is_loaded_can_do_the_same(found: object) -> None:
    assert all(callable(getattr(found, name)) for name in ("check", "budget", "plot", "report", "export"))


def test_a_hidden_model_asks_the_question_of_its_file() -> None:
    model = dipc.load("ex3")
    assert model.check() == model.question().check() and model.check("ln(4)").status == "private"
    assert model.budget().c == 4 and model.export("redlog") == model.question().export("redlog")


def test_a_model_with_one_property() -> None:
    text = "chain; plus -> {yes: 3/4, no: 1/4}; minus -> {yes: 1/4, no: 3/4}; final yes, no\n"
    text += "neighbours plus ~ minus\n"
    Path("one.dpm").write_text(text + "label out = {yes}\nproperty private: D[ln 3, 0](X out)\n")
    model = dipc.load_model("one.dpm")
    assert model.check().status == "holds" and model.budget() == model.value("D[?, 0](X out)")
    assert model.report().name == "one.html" and status(["plot", "one.dpm", "-o", "a.svg"]) == 0
    Path("none.dpm").write_text(text)
    with pytest.raises(InputError, match=r"none.dpm: there is no formula"):
        dipc.load_model("none.dpm").check()


def test_the_budget_of_a_formula() -> None:
    model = dipc.load_model("survey")
    least = [model.budget(each) for each in ("D[eps, 1/10](X out_1)", "D[?, 1/10](X out_1)")]
    assert least[0] == least[1] == model.value("D[?, 1/10](X out_1)")
    for formula in ("P>=1/2 (X out_1)", "D[eps, ?](X out_1)", "!D[eps, 0](X out_1)"):
        with pytest.raises(InputError, match="has no least epsilon"):
            model.budget(formula)
