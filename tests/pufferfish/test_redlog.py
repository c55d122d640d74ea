"""Formulas for Redlog, read back: at points of the class, and as a whole by z3."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from campaigns import some
from flint import fmpq
from patience import PATIENCE

import dipc
from dipc.cli.main import status
from dipc.clock import Clock
from dipc.errors import InputError, LimitReached
from dipc.models.mixtures import Claim
from dipc.pufferfish import pipeline
from dipc.pufferfish.export import redlog as module
from dipc.pufferfish.export.redlog import redlog
from tests.pufferfish.test_export import TEXTS, read

Capture = pytest.CaptureFixture[str]
RATIO = TEXTS["ratio"]
EPS = (
    "observe a, b\nparam p in [0, 1]\n"
    + """
state s emits {a: exp(eps/2)/(1 + exp(eps/2)), b: 1/(1 + exp(eps/2))} next stop
state t emits {a: 1/(1 + exp(eps/2)), b: exp(eps/2)/(1 + exp(eps/2))} next stop
prior P {s: p, t: 1 - p}; secret A {s}; secret B {s, t}
compare A, B
horizon 1
"""
)


def parts(text: str) -> tuple[list[str], list[str], list[str], list[str]]:
    """The variables, their meanings, the conditions and the conclusions as expressions of Python."""
    pattern = r"phi := all\(\{(.*)\},\s*\((.*)\) impl \((.*)\)\)\$\s*rlqe phi;\s*"
    meanings = re.findall(r"^% (?!epsilon)(?:\w+|exp\(.*\)) = (.*)$", text, flags=re.MULTILINE)
    text = re.sub(r"^%.*\n", "", text, flags=re.MULTILINE)
    assert text.startswith("load_package redlog$\nrlset reals$\n")
    found = re.fullmatch(pattern, text.split("\n", 2)[2], flags=re.DOTALL)
    assert found
    names, *atoms = found.groups()
    split = [[python(" ".join(atom.split())) for atom in part.split(" and\n")] for part in atoms]
    return names.split(", "), list(map(python, meanings)), *split


def python(text: str) -> str:
    """With exact fractions."""
    return re.sub(r"\b(?<!u)(\d+)\b", r"Fraction(\1)", text.replace("^", "**"))


def evaluated(text: str, values: dict[str, Any]) -> Any:
    return eval(text, {"Fraction": Fraction}, values)


def random_points(size: int, random: Random) -> list[list[Fraction]]:
    return [[Fraction(random.randint(-1, 13), 12) for _ in range(size)] for _ in range(40)]


def with_z3(text: str) -> str:
    z3 = pytest.importorskip("z3")
    names, _, conditions, conclusions = parts(text)
    variables = {name: z3.Real(name) for name in names}
    solver = z3.Tactic("qfnra-nlsat").solver()
    solver.set("timeout", int(1000 * PATIENCE))
    meaning = {"Fraction": z3.RealVal}
    solver.add(*(eval(atom, meaning, variables) for atom in conditions))
    solver.add(z3.Or(*(z3.Not(eval(atom, meaning, variables)) for atom in conclusions)))
    return {"sat": "violated", "unsat": "private"}[str(solver.check())]


@pytest.mark.parametrize("name", ["ex5-events", "ex3", "ex4", "ex4-events"])
@pytest.mark.parametrize("claim", some(["ln(2)", "ln(3/2)", "ln(4)"], 2))
def test_the_whole_formula(name: str, claim: str) -> None:
    loaded = dipc.load(name)
    question = loaded.pufferfish() if isinstance(loaded, dipc.Mechanism) else loaded.question()
    assert with_z3(question.export("redlog", claim=claim)) == question.check(claim).status


@pytest.mark.parametrize("rate", [fmpq(1, 2), fmpq(1, 4), fmpq(1, 3), fmpq(2, 3)])
def test_a_root_of_the_exponential(rate: fmpq) -> None:
    """The model has exp(-eps/2) only: the claim may need a root of it."""
    read_with = read(EPS, "eps/2")
    assert read_with.parameters.eps_unit == 2
    question = replace(read_with, claim=Claim(f"{rate}*eps", fmpq(1), rate=rate))
    text = redlog(question, Clock())
    assert with_z3(text) == pipeline.check(question, Clock()).status
    root = (2 * rate).denominator
    assert f"% exp(-eps/2) = u1{f'^{root}' if root > 1 else ''}\n" in text
    assert "% p = u2\n" in text


def test_the_class() -> None:
    variables, meanings, conditions, _ = parts(redlog(read(RATIO, "ln(2)"), Clock()))
    for point in random_points(2, Random(2)):
        values = dict(zip(variables, point, strict=True))
        inside = all(evaluated(atom, values) for atom in conditions)
        p, q = (evaluated(text, values) for text in meanings)
        u, v = point
        assert inside == (0 < u < 1 and 0 < v < 1 and p <= Fraction(1, 2))
        assert not inside or 0 < q < 1 / (1 + p)


def test_refused() -> None:
    question = dipc.load("ex3").question()
    with pytest.raises(InputError, match=r"exp\(1.1\) is not rational"):
        question.export("redlog", claim="1.1")
    with pytest.raises(InputError, match="no parameters"):
        dipc.load("ex2").question().export("redlog")
    with pytest.raises(InputError, match="number of observations"):
        dipc.load("ex3").question(horizon="any").export("redlog")
    with pytest.raises(InputError, match="sets of sequences"):
        question.export("redlog", claim="ln(2), 1/10")
    with pytest.raises(InputError, match="no number of the model depends on eps"):
        question.export("redlog", claim="eps")
    with pytest.raises(InputError, match="no export to `maple`"):
        question.export("maple")


def test_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 3)
    with pytest.raises(LimitReached, match="more than 3 inequalities"):
        dipc.load("ex4").question().export("redlog")


def test_names_are_replaced_and_explained(tmp_path: Path, capsys: Capture) -> None:
    """``i`` is a number of REDUCE."""
    text = "param i in (0, 1), E in [0, 1 - i]; observe a, b; state s emits {a: i, b: 1 - i} next stop\n"
    text += "state t emits {a: E, b: 1 - E} next stop; compare s, t; horizon 1; private ln(2)"
    path = tmp_path / "a[1].hmm"
    path.write_text(text, encoding="utf-8")
    assert status(["pufferfish", "export", str(path), "--to", "redlog"]) == 0
    shown = capsys.readouterr().out
    names, _, conditions, _ = parts(shown)
    assert names == ["u1", "u2"]
    assert "% i = u1\n" in shown and "% E = -u1*u2 + u2\n" in shown
    assert len(conditions) == 4
    assert sum(">=" in condition or "<=" in condition for condition in conditions) == 2
