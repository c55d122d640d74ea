"""``dipc sweep``, ``--jobs`` and ``--cluster``: many questions, the same rows however they are asked."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import sys
from pathlib import Path

import pytest

from dipc.cli.main import status
from dipc.cli.tasks import Workers

Capture = pytest.CaptureFixture[str]

COIN = """
param N = 1, k = 1
input q[N] in {0, 1}; output out in {0, 1}
adjacent hamming 1
private eps
x <- flip(exp(k*eps)/(1 + exp(k*eps)))
if x then out <- q[N] else out <- 1 - q[N] end
"""


@pytest.fixture
def coin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("coin.dip").write_text(COIN, encoding="utf-8")
    return "coin.dip"


def rows(text: str) -> list[list[str]]:
    """The rows of a table without times."""
    return [re.split(r" {2,}", re.sub(r"\b\d+\.\d\d\b", "", line)) for line in text.splitlines()]


def test_a_table_of_verdicts(coin: str, capsys: Capture) -> None:
    assert status(["sweep", coin, "--each", "N=1..2", "--each", "k=1, 2"]) == 1
    out = capsys.readouterr().out
    assert [row[:3] for row in rows(out)[1:]] == [
        ["1", "1", "private"],
        ["1", "2", "violated"],
        ["2", "1", "private"],
        ["2", "2", "violated"],
    ]
    assert max(map(len, out.splitlines())) <= 80


def test_a_table_of_budgets_with_a_plot_and_csv(coin: str, capsys: Capture) -> None:
    arguments = ["--each", "k=1/2,1,3", "--ask", "budget", "--csv", "t.csv", "--plot", "t.svg"]
    assert status(["sweep", coin, *arguments]) == 0
    assert [row[1] for row in rows(capsys.readouterr().out)] == ["least t", "1/2", "1", "3"]
    with open("t.csv", encoding="utf-8", newline="") as file:
        table = list(csv.reader(file))
    assert [row[:2] for row in table] == [["k", "least t"], ["1/2", "1/2"], ["1", "1"], ["3", "3"]]
    assert "<svg" in Path("t.svg").read_text(encoding="utf-8")


def test_an_error_has_a_row(coin: str, capsys: Capture) -> None:
    assert status(["sweep", coin, "--each", "N=0..1", "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert [row["kind"] for row in found["answer"]["rows"]] == ["error", "check"]
    assert found["question"]["each"] == {"N": ["0", "1"]}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--each", "N"], "for `--each`: `N` is not of the form NAME=VALUE"),
        (["--each", "N=3..1"], "there is no value in this range"),
        (["--each", "N=1..99999"], "99999 values"),
        (["--each", "N=1..200", "--each", "k=1..200"], "a sweep of 40000 questions"),
        (["--each", "N=1", "--each", "N=2"], "set twice"),
        (["--each", "N=1", "-D", "N=1"], "is set by -D and by --each"),
        (["--each", "N=1", "--for", "(0, 1]"], "--for is about the least t"),
        (["--each", "N=1", "--ask", "budget", "--claim", "eps"], "--claim is about a verdict"),
        (["--each", "M=1"], "the program has no parameter `M`"),
        (["--each", "N=1", "--cluster", "here"], "not of the form dask://HOST:PORT"),
        (["--each", "N=1", "--plot", "a.txt"], "a figure is written as"),
    ],
    ids=" ".join,
)
def test_what_is_refused(coin: str, arguments: list[str], said: str, capsys: Capture) -> None:
    assert status(["sweep", coin, *arguments]) == 2
    assert said in capsys.readouterr().err


# --- jobs ----------------------------------------------------------------------------------------


def test_jobs_change_nothing(coin: str, capsys: Capture) -> None:
    pytest.importorskip("joblib")
    Path("bad.dip").write_text(COIN.replace("k = 1", "k = 2"), encoding="utf-8")
    Path("broken.dip").write_text("output o in {0, 1}; o <- r", encoding="utf-8")
    tables = []
    for more in ([], ["--jobs", "2"]):
        assert status(["check", coin, "bad.dip", "broken.dip", *more]) == 2
        assert status(["sweep", coin, "--each", "k=1..3", *more]) == 1
        tables.append(rows(capsys.readouterr().out))
    assert tables[0] == tables[1]
    assert len(tables[0]) == 9


@pytest.mark.parametrize("command", ["prove rand1 svt1", "model check survey", "pufferfish check ex2 ex3"])
def test_jobs_of_every_check(command: str, capsys: Capture) -> None:
    pytest.importorskip("joblib")
    found = [
        (status([*command.split(), *more]), rows(capsys.readouterr().out)) for more in ([], ["--jobs", "2"])
    ]
    assert found[0] == found[1]


def test_jobs_without_joblib(coin: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setitem(sys.modules, "joblib", None)
    assert status(["check", coin, coin, "--jobs", "2"]) == 2
    assert "pip install joblib" in capsys.readouterr().err


# --- a cluster -----------------------------------------------------------------------------------


def killing_once(thing: tuple[int, str]) -> int:
    """A task whose worker is lost the first time."""
    number, pressed = thing
    if number == 1 and not Path(pressed).exists():
        Path(pressed).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_of_two(coin: str, tmp_path: Path, capsys: Capture) -> None:
    distributed = pytest.importorskip("distributed")
    assert status(["sweep", coin, "--each", "k=1..3"]) == 1
    alone = rows(capsys.readouterr().out)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as local:
        address = local.scheduler_address.replace("tcp://", "dask://")
        assert status(["sweep", coin, "--each", "k=1..3", "--cluster", address]) == 1
        assert rows(capsys.readouterr().out) == alone
        things = [(number, str(tmp_path / "pressed")) for number in range(4)]
        assert list(Workers(cluster=address).answers(killing_once, things)) == [0, 1, 2, 3]


def test_a_cluster_that_does_not_answer(coin: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("dipc.cli.tasks.PATIENCE", 0.2)
    assert status(["sweep", coin, "--each", "k=1..3", "--cluster", "dask://127.0.0.1:9"]) == 2
    assert "no scheduler of dask answers at dask://127.0.0.1:9" in capsys.readouterr().err


def test_a_cluster_without_dask(coin: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setitem(sys.modules, "dask.distributed", None)
    assert status(["sweep", coin, "--each", "k=1..3", "--cluster", "dask://127.0.0.1:9"]) == 2
    assert "pip install 'dask[distributed]'" in capsys.readouterr().err
