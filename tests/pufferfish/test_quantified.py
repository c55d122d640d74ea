"""Formulas for Redlog and QEPCAD, read back: at points of the class, and as a whole by z3."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random

import pytest
from campaigns import spread
from flint import fmpq
from patience import PATIENCE

import dipc
from dipc.cli.main import status
from dipc.clock import Clock
from dipc.errors import InputError, LimitReached
from dipc.export import quantified
from dipc.export.hidden import export
from dipc.pufferfish import pipeline
from dipc.pufferfish.question import Claim, Question
from dipc.report.hidden_figures import fixed
from tests.pufferfish.parametric_examples import example3, example4, example4_events
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


def parts(text: str, to: str) -> tuple[list[str], list[str], list[str]]:
    """The variables, the conditions and the conclusions as expressions of Python."""
    if to == "redlog":
        pattern = r"phi := all\(\{(.*)\},\s*\((.*)\) impl \((.*)\)\)\$\s*rlqe phi;\s*"
        text = re.sub(r"^%.*\n", "", text, flags=re.MULTILINE)
        assert text.startswith("load_package redlog$\nrlset reals$\n")
        text, conjunction = text.split("\n", 2)[2], " and\n"
    else:
        pattern = r"\[[^]]*\]\s*\((.*)\)\n0\n(?:\(A \w+\))*\[ \[(.*)\] ==> \[(.*)\] \]\.\nfinish\n"
        conjunction = " /\\\n"
    found = re.fullmatch(pattern, text, flags=re.DOTALL)
    assert found
    names, *atoms = found.groups()
    split = [[python(" ".join(atom.split()), to) for atom in part.split(conjunction)] for part in atoms]
    variables = re.split(", ?", names)
    assert re.findall(r"\(A (\w+)\)", text) == ([] if to == "redlog" else variables)
    return variables, split[0], split[1]


def python(atom: str, to: str) -> str:
    if to == "qepcad":
        assert "*" not in atom
        atom = re.sub(r"(?<=\w) (?=\w)", "*", atom)
    return atom.replace("^", "**")


def holds(text: str, to: str, point: list[Fraction]) -> tuple[bool, bool]:
    """Whether the point belongs to the class, and whether the conclusions hold there."""
    names, conditions, conclusions = parts(text, to)
    values = dict(zip(names, point, strict=True))
    inside, private = (all(eval(atom, {}, values) for atom in part) for part in (conditions, conclusions))
    return inside, private


def random_points(size: int, random: Random) -> list[list[Fraction]]:
    return [[Fraction(random.randint(-1, 13), 12) for _ in range(size)] for _ in range(40)]


@pytest.mark.parametrize("to", ["redlog", "qepcad"])
@pytest.mark.parametrize(
    "make",
    [example3, example4, example4_events, *(partial(read, RATIO, claim) for claim in ("ln(2)", "ln(5/4)"))],
)
def test_the_formula_at_points_of_the_class(make, to: str) -> None:
    """Where all parameters are numbers the question is decided by other code."""
    question: Question = make()
    text = export(question, to, Clock())
    names, seen = question.parameters.names, set()
    for point in random_points(len(names), Random(1)):
        inside, private = holds(text, to, point)
        if inside:
            values = {name: fmpq(x.numerator, x.denominator) for name, x in zip(names, point, strict=True)}
            verdict = pipeline.check(fixed(question, values), Clock())
            assert (verdict.status == "private") == private
            seen.add(private)
    assert seen


def with_z3(text: str, to: str) -> str:
    z3 = pytest.importorskip("z3")
    names, conditions, conclusions = parts(text, to)
    variables = {name: z3.Real(name) for name in names}
    solver = z3.Tactic("qfnra-nlsat").solver()
    solver.set("timeout", int(1000 * PATIENCE))
    solver.add(*(eval(atom, {}, variables) for atom in conditions))
    solver.add(z3.Or(*(z3.Not(eval(atom, {}, variables)) for atom in conclusions)))
    return {"sat": "violated", "unsat": "private"}[str(solver.check())]


@pytest.mark.parametrize("to", ["redlog", "qepcad"])
@pytest.mark.parametrize("name", ["ex5-events", "ex3", "ex4", "ex4-events"])
@pytest.mark.parametrize("claim", spread(["ln(2)", "ln(3/2)", "ln(4)"], 2))
def test_the_whole_formula(name: str, claim: str, to: str) -> None:
    loaded = dipc.load(name)
    question = loaded.pufferfish() if isinstance(loaded, dipc.Mechanism) else loaded.question()
    assert with_z3(question.export(to, claim=claim), to) == question.check(claim).status


@pytest.mark.parametrize("to", ["redlog", "qepcad"])
@pytest.mark.parametrize("rate", [fmpq(1, 2), fmpq(1, 4), fmpq(1, 3), fmpq(2, 3)])
def test_a_root_of_the_exponential(rate: fmpq, to: str) -> None:
    """The model has exp(-eps/2) only: the claim may need a root of it."""
    read_with = read(EPS, "eps/2")
    assert read_with.parameters.eps_unit == 2
    question = replace(read_with, claim=Claim(f"{rate}*eps", fmpq(1), rate=rate))
    text = export(question, to, Clock())
    assert with_z3(text, to) == pipeline.check(question, Clock()).status
    assert "p1: exp(-eps/" in text
    assert "p2: p\n" in text


def test_conditions_of_the_class() -> None:
    text = export(read(RATIO, "ln(2)"), "redlog", Clock())
    _, conditions, _ = parts(text, "redlog")
    for p, q in random_points(2, Random(2)):
        expected = 0 < p < 1 and 0 < q < 1 / (1 + p) and p <= Fraction(1, 2)
        if p != -1:
            assert all(eval(atom, {}, {"p1": p, "p2": q}) for atom in conditions) == expected


@pytest.mark.parametrize("to", ["redlog", "qepcad"])
def test_refused(to: str) -> None:
    with pytest.raises(InputError, match=r"exp\(1.1\) is not rational"):
        dipc.load("ex3").question().export(to, claim="1.1")
    with pytest.raises(InputError, match="no parameters"):
        dipc.load("ex2").question().export(to)
    with pytest.raises(InputError, match="number of observations"):
        dipc.load("ex3").question(horizon="any").export(to)
    with pytest.raises(InputError, match="sets of sequences"):
        dipc.load("ex3").question().export(to, claim="ln(2), 1/10")
    with pytest.raises(InputError, match="no number of the model depends on eps"):
        dipc.load("ex3").question().export(to, claim="eps")
    with pytest.raises(InputError, match="no export to `maple`"):
        dipc.load("ex3").question().export("maple")


def test_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quantified, "MOST", 3)
    with pytest.raises(LimitReached, match="more than 3 inequalities"):
        dipc.load("ex4").question().export("redlog")


def test_names_are_replaced_and_explained(tmp_path: Path, capsys: Capture) -> None:
    """``E`` is a quantifier of QEPCAD, ``i`` a number of REDUCE, and a description ends at a bracket."""
    text = "param i in (0, 1), E in [0, 1 - i]; observe a, b; state s emits {a: i, b: 1 - i} next stop\n"
    text += "state t emits {a: E, b: 1 - E} next stop; compare s, t; horizon 1; private ln(2)"
    path = tmp_path / "a[1].hmm"
    path.write_text(text, encoding="utf-8")
    for to in ("redlog", "qepcad"):
        assert status(["pufferfish", "export", str(path), "--to", to]) == 0
        shown = capsys.readouterr().out
        names, conditions, _ = parts(shown, to)
        assert names == ["p1", "p2"]
        assert "p1: i\n" in shown and "p2: E\n" in shown
        assert len(conditions) == 4
        assert sum(">=" in condition for condition in conditions) == 2
