"""``dipc pufferfish``: outputs as people and scripts read them, exit statuses, misuse without a traceback."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from answers import contents
from click.shell_completion import ShellComplete

from dipc.cli.main import cli, status
from dipc.shipped import hidden_models

FIRST = """\
observe 0..2
table G[0..2, 0..2] = ((2/3, 1/6, 1/6), (1/3, 1/3, 1/3), (1/6, 1/6, 2/3))
state n(i) for i in 0..2 emits {j: G[i, j] for j in 0..2} next stop
"""
LAST = "horizon 1; private ln(2)\n"
EX2 = f"# expect: private\n{FIRST}compare n(0), n(1); compare n(1), n(2)\n{LAST}"
CONTAGIOUS = """\
param p in (0, 1); prior contagious {n(0): 1 - p, n(2): p}
secret sick {n(2)}; secret healthy {n(0)}; compare sick, healthy
"""
EX3 = f"# expect: violated\n{FIRST}{CONTAGIOUS}{LAST}"
LOOP = """\
observe a, b
state s emits {a: 2/3, b: 1/3} next s
state t emits {a: 1/3, b: 2/3} next {t: 1/2, s: 1/2}
compare s -> t
horizon 3
private 1, 1/10
"""
COUNT = """\
observe yes, no
state does(a) for a in 0..1
  emits {yes: exp(a*eps)/(1 + exp(eps)), no: exp((1 - a)*eps)/(1 + exp(eps))} next does(a)
compare does(0), does(1)
horizon 2
private eps
"""
TEXTS = {"ex2.hmm": EX2, "ex3.hmm": EX3, "loop.hmm": LOOP, "count.hmm": COUNT}

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files above, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "above.hmm").write_bytes(hidden_models()["above"].read_bytes())
    return tmp_path


def run(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    """Exit status, stdout with all times set to 0.01 s, stderr; never a traceback."""
    code = status(["pufferfish", *arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    assert "internal error" not in err
    return code, re.sub(r"\d+\.\d\d s", "0.01 s", out), err


def record(capsys: Capture, *arguments: str) -> tuple[int, Any]:
    """Exit status and JSON."""
    code, out, _ = run(capsys, *arguments, "--json")
    return code, contents(out)


# --- functions of eps, delta -------------------------------------------------------------------------


def test_delta(capsys: Capture) -> None:
    code, out, _ = run(capsys, "check", "loop.hmm", "--claim", "ln(3/2), 1/10")
    assert code == 1
    assert "(ln(3/2), 1/10)-Pufferfish private" in out
    code, out, _ = run(capsys, "check", "loop.hmm", "--claim", "ln(6/5), 28/100")
    assert (code, "\nsequences  a a a\n           a a b\n           a b a\n" in out) == (1, True)


# --- options -----------------------------------------------------------------------------------------


def test_claims(capsys: Capture) -> None:
    for claim, word in (("ln(4)", "private"), ("1.387", "private"), ("1.386", "violated")):
        assert run(capsys, "check", "ex3.hmm", "--claim", claim, "--quiet")[1] == f"{word}\n"
    code, out, _ = run(capsys, "check", "ex2.hmm", "--claim", "3*eps", "--at", "1/4")
    assert (code, "(3*ε at ε = 1/4)-Pufferfish private, horizon 1   (c = exp(3/4))" in out) == (0, True)
    assert "1/2 + ln(2)" in run(capsys, "check", "ex2.hmm", "--claim", "1/2 + ln(2)")[1]


def test_fixed_parameters_and_other_pairs(capsys: Capture) -> None:
    code, out, _ = run(capsys, "check", "ex3.hmm", "--fix", "p=1/3")
    assert (code, out.splitlines()[0]) == (1, "model     ex3.hmm  (3 states, 3 observations)")
    assert run(capsys, "check", "ex3.hmm", "-D", "p=1/3")[:2] == (code, out)
    found = record(capsys, "check", "ex2.hmm", "--compare", "n(0)", "n(2)")
    shown = found[1]["counterexample"]
    assert (found[0], found[1]["pairs"], shown["secret"], shown["against"]) == (1, 2, "n(0)", "n(2)")


def test_a_table_of_several(capsys: Capture, folder: Path) -> None:
    code, out, _ = run(capsys, "check", "ex2.hmm", "ex3.hmm", "none.hmm")
    lines = out.splitlines()
    assert code == 2
    assert lines[0].split()[:4] == ["model", "claim", "verdict", "time"]
    assert lines[1].split()[:4] == ["ex2.hmm", "ln(2)-Pufferfish", "private", "private"]
    assert "sick against healthy: 2: P(s) = 0.6666666667, P(s') = 0.1666666667 at p = 1/2" in lines[2]
    assert lines[-1] == "3 models: 1 private, 1 violated, 1 error"
    code, out, _ = run(capsys, "check", ".", "--quiet")
    words = [line.split(": ")[1] for line in out.splitlines()]
    assert (code, words) == (1, ["violated", "violated", "private", "violated", "private"])
    code, out, _ = run(capsys, "check", "ex2.hmm", "ex3.hmm", "--expect")
    assert (code, out.splitlines()[-1]) == (0, "2 models: 1 private, 1 violated, all as expected")
    code, out, _ = run(capsys, "check", "ex2.hmm", "ex3.hmm", "--json")
    assert [each["verdict"] for each in contents(out)] == ["private", "violated"]


def test_expectations(capsys: Capture, folder: Path) -> None:
    assert run(capsys, "check", "ex3.hmm", "--expect")[0] == 0
    (folder / "wrong.hmm").write_text(EX2.replace("private\n", "violated\n", 1), encoding="utf-8")
    code, out, _ = run(capsys, "check", "wrong.hmm", "--expect")
    assert (code, "expected  violated, but it is not so" in out) == (1, True)
    assert run(capsys, "check", "ex3.hmm", "--expect", "--fix", "p=1/2")[0] == 2


def test_json_of_check(capsys: Capture) -> None:
    code, found = record(capsys, "check", "ex3.hmm")
    assert (code, found["parameters"]) == (1, {"p": "(0, 1)"})
    assert found["claim"] == {"epsilon": "ln(2)", "c": "2", "delta": "0", "horizon": 1, "for": "every p"}
    shown = found["counterexample"]
    assert (shown["secret"], shown["against"], shown["prior"]) == ("sick", "healthy", "contagious")
    assert (shown["sequence"], shown["parameters"], shown["excess"]["exact"]) == (["2"], {"p": "1/2"}, "1/3")
    pump = record(capsys, "check", "above.hmm", "--horizon", "any")[1]["counterexample"]["pump"]
    assert (pump["word"], pump["growth"]) == (["ask(1, 2)", "bot"], "2/21")


# --- distribution ------------------------------------------------------------------------------------


def test_distribution(capsys: Capture) -> None:
    out = run(capsys, "distribution", "loop.hmm", "--given", "t", "--horizon", "2")[1]
    rows = [line.split("  ") for line in out.splitlines()]
    expected = {
        word: pytest.approx(p) for word, p in {"a a": 1 / 6, "a b": 1 / 6, "b a": 1 / 3, "b b": 1 / 3}.items()
    }
    assert {row[0]: float(row[1]) for row in rows} == expected
    out = run(capsys, "distribution", "count.hmm", "--given", "does(0)")[1]
    assert out.startswith("yes yes  (1)/(1 + 2*exp(ε) + exp(2*ε))\n")


# --- programs ----------------------------------------------------------------------------------------

COIN = """\
param p in (0, 1);  input q in {0, 1};  output out in {0, 1};  private ln(2)
prior
  q <- choose {1: p, 0: 1 - p}
end
secret q = 0 vs q = 1
out <- choose {q: 2/3, 1 - q: 1/3}     # expect: private
"""


def test_a_program_with_a_prior(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "coin.dip"
    file.write_text(COIN, encoding="utf-8")
    code, out, _ = run(capsys, "check", str(file))
    assert code == 0 and "ln(2)-Pufferfish private for every p" in out and "verdict  PRIVATE" in out
    code, found = record(capsys, "check", str(file), "--claim", "ln(19/10)", "--fix", "p=1/3")
    shown = found["counterexample"]
    assert code == 1 and (shown["secret"], shown["against"]) == ("q = 0", "q = 1")
    assert (shown["probability"]["exact"], shown["other_probability"]["exact"]) == ("2/3", "1/3")
    assert record(capsys, "budget", str(file))[1]["c"]["exact"] == "2"
    assert run(capsys, "check", str(file), "--expect", "--quiet")[0] == 0


def test_a_program_without_a_prior_compares_its_neighbours(capsys: Capture) -> None:
    assert run(capsys, "check", "svt1", "-D", "N=2", "--quiet")[:2] == (0, "private\n")
    assert run(capsys, "check", "svt4", "-D", "N=2", "--quiet")[:2] == (1, "violated\n")


DOUBLE = """\
param p in (0, 1)  # input or output
input a in {0, 1}; output o in {0, 1}; adjacent all; private 2*eps
prior one
  a <- choose {1: p, 0: 1 - p}
end
secret a = 0 vs a = 1
r <- Lap(eps, a); o <- disc(r, 0, 1)
"""


@pytest.mark.parametrize(
    "command", [["check"], ["budget"], ["distribution"], ["export", "--to", "smtlib"], ["check", "--json"]]
)
def test_a_program_on_the_standard_input(
    command: list[str], capsys: Capture, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    def answer(file: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(DOUBLE.encode())))
        code, out, _ = run(capsys, *command, file)
        return code, re.sub(r'time .*|"seconds": .*', "", out.replace("<stdin>", "double.dip"))

    (folder / "double.dip").write_text(DOUBLE, encoding="utf-8")
    assert answer("-") == answer("double.dip")
    assert answer("-")[0] == 0


# --- misuse ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (["check", "ex9"], "ex9: no such file or hidden Markov model", ""),
        (["check", "svt1", "--horizon", "2"], "--compare and --horizon are about hidden", "secret A vs B"),
        (
            ["distribution", "svt1", "--given", "q"],
            "there is no secret `q`",
            "without it, those for all are shown",
        ),
        (["check", "ex2.hmm", "--claim", "foo"], "--claim:1:1: error: no number is called `foo`", ""),
        (["check", "ex2.hmm", "--compare", "n(0)", "n(7)"], "--compare:1:7: error: there is no", "`n(2)`"),
        (["check", "ex2.hmm", "--horizon", "0"], "--horizon:1:1: error: a horizon is at least 1", ""),
        (["check", "ex3.hmm", "--fix", "p=2"], "p = 2 is outside the range", ""),
        (["check", "ex3.hmm", "--fix", "r=2"], "no parameter `r`", "`p`"),
        (["check", "ex2.hmm", "--at", "x"], "eps must be a rational number", ""),
        (["check", "ex2.hmm", "--claim", "eps"], "no number of the model depends on eps", "--at"),
        (["distribution", "ex2.hmm", "--given", "n(9)"], "no secret, distribution or state `n(9)`", "n(2)"),
        (
            ["distribution", "above.hmm", "--given", "init(1, 0)", "--horizon", "any"],
            "infinitely many",
            "--horizon",
        ),
        (["distribution", "ex2.hmm", "--given", "n(1), n(2)"], "`n(1), n(2)` is not a name", "words"),
        (["distribution", "ex2.hmm", "--given", "n(1)", "--sequence", "7"], "no observation `7`", ""),
        (["budget", "above.hmm", "--horizon", "any", "--curve"], "needs a number of observations", ""),
    ],
)
def test_wrong_input(arguments: list[str], message: str, hint: str, capsys: Capture) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert hint in err


def test_a_probability_outside_the_class(capsys: Capture, folder: Path) -> None:
    wrong = EX3.replace("1 - p, n(2): p", "2 - 3*p, n(2): 3*p - 1")
    (folder / "wrong.hmm").write_text(wrong, encoding="utf-8")
    for command in (["check"], ["budget"], ["distribution", "--given", "sick"]):
        code, out, err = run(capsys, *command, "wrong.hmm")
        assert (code, out, "p = " in err) == (2, "", True)


def test_several_priors_and_secrets_that_are_impossible(capsys: Capture, folder: Path) -> None:
    priors = "prior one {n(0): 1/2, n(1): 1/2}; prior two {n(0): 1/3, n(1): 1/3, n(2): 1/3}\n"
    secrets = "secret x {n(0)}; secret y {n(1), n(2)}; compare x, y\n"
    (folder / "two.hmm").write_text(FIRST + priors + secrets + LAST, encoding="utf-8")
    assert "least c   3:" in run(capsys, "budget", "two.hmm")[1]  # observation 2: (1/3 + 2/3)/2 against 1/6
    assert run(capsys, "distribution", "two.hmm", "--given", "y", "--sequence", "0") == (0, """\
prior one
0  0.3333333333  =  1/3
prior two
0  0.2500000000  =  1/4
""", "")  # fmt: skip
    (folder / "no.hmm").write_text(
        FIRST + priors + secrets.replace("n(1), n(2)", "n(2)") + LAST, encoding="utf-8"
    )
    code, out, err = run(capsys, "check", "no.hmm", "--claim", "ln(3)")
    assert (code, "under the prior one, y has probability 0" in err) == (1, True)
    never = FIRST + "prior one {n(0): 1, n(2): 0}; secret x {n(0)}; secret y {n(2)}; compare x, y\n" + LAST
    (folder / "never.hmm").write_text(never, encoding="utf-8")
    code, out, err = run(capsys, "check", "never.hmm")
    assert (code, "0 ordered pairs" in out, err.count("nothing was compared")) == (0, True, 1)


def test_the_group_is_suggested(capsys: Capture) -> None:
    assert status(["above.hmm"]) == 2
    assert "did you mean `dipc pufferfish check above.hmm`?" in capsys.readouterr().err


def test_completion() -> None:
    complete = ShellComplete(cli, {}, "dipc", "_DIPC_COMPLETE")
    found = {item.value for item in complete.get_completions(["pufferfish", "check"], "ab")}
    assert {"above", "above.hmm"} <= found
    assert isinstance(cli, click.Group)
