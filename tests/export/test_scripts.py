"""Exported scripts, run in the real interpreters."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from export_tools import Run, asked, drawn, load
from flint import fmpq
from rationals import flint

from dipc.dipwhile.export.mathematica import mathematica as to_mathematica
from dipc.dipwhile.export.sage import sage as to_sage
from dipc.dipwhile.export.smtlib import smtlib
from dipc.dipwhile.export.storm import as_model, drn, labels, prism
from dipc.export.markov import over_symbols
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.inequality import Fails, Holds

pytestmark = pytest.mark.export

QUESTIONS = [
    ("svt/svt1.dip", {"N": 1}, None),  # private, by derivative chains
    ("svt/svt4.dip", {"N": 1}, "eps/8"),  # violated
    ("svt/sparse.dip", {}, None),  # delta = exp(-2)
    ("randomized_response/rand2.dip", {"N": 1}, None),  # powers of eps, violated
    ("randomized_response/kary.dip", {}, None),  # denominators
    ("histogram/hist2.dip", {"N": 1}, None),  # exp(b/eps), violated
]
"""Programs with their parameters and claims."""


def script(tmp_path: Path, text: str, name: str) -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def assert_all_passed(run: subprocess.CompletedProcess[str], text: str, checks: str) -> None:
    """A syntax error may go unnoticed, so the number of checks is compared."""
    assert run.returncode == 0, run.stdout + run.stderr
    lines = run.stdout.split("\n")
    expected = len(re.findall(checks, text, re.MULTILINE))
    assert expected > 3
    assert sum(line.startswith("PASS ") for line in lines) == expected
    assert not [line for line in lines if line.startswith("FAIL")]
    assert run.stdout.rstrip().endswith("failures: 0")


LEAVE = "Exit[If[fails > 0, 1, 0]]\n"
BORDER = "====="


def test_mathematica(mathics: Run, tmp_path: Path) -> None:
    text = to_mathematica(asked(load("svt/svt1.dip", N=1)))
    assert_all_passed(mathics(script(tmp_path, text, "x.wl")), text, r'^check\["')


def test_mathematica_in_one_session(mathics: Run, tmp_path: Path) -> None:
    """Mathics takes seconds to start: several scripts one after the other, the last with a wrong number."""
    first, *others = (to_mathematica(asked(load(name, **n), claim)) for name, n, claim in QUESTIONS)
    assert all(text.count(LEAVE) == 1 for text in others)
    wrong = first.replace("f[1] = 6*z^6", "f[1] = 7*z^6")
    assert wrong != first
    session = f'\nPrint["{BORDER}"];\n'.join([*(text.replace(LEAVE, "") for text in others), wrong])
    run = mathics(script(tmp_path, session, "session.wl"))
    assert run.returncode == 1, run.stdout + run.stderr
    *outputs, last = run.stdout.split(f"{BORDER}\n")
    for text, output in zip(others, outputs, strict=True):
        part = subprocess.CompletedProcess(run.args, 0, output, run.stderr)
        assert_all_passed(part, text, r'^check\["')
    assert "FAIL 1: right - left is f times factor" in last


@pytest.mark.parametrize(("name", "parameters", "claim"), QUESTIONS)
def test_sage(name: str, parameters: dict[str, int], claim: str | None, sage: Run, tmp_path: Path) -> None:
    text = to_sage(asked(load(name, **parameters), claim))
    assert_all_passed(sage(script(tmp_path, text, "x.sage")), text, r'^check\("')


def test_a_wrong_number_fails_in_sage(sage: Run, tmp_path: Path) -> None:
    text = to_sage(asked(load("svt/svt1.dip", N=1)))
    wrong = text.replace("f = R(6*z^6", "f = R(7*z^6", 1)
    assert wrong != text
    run = sage(script(tmp_path, wrong, "x.sage"))
    assert run.returncode == 1
    assert "FAIL 1: right - left is f times factor" in run.stdout


@pytest.mark.parametrize(
    ("name", "parameters", "claim", "least"),
    [
        ("svt/svt5.dip", {"N": 2}, "eps for eps in [1/2, 2]", {"sat": 1, "unsat": 5}),
        ("svt/svt1.dip", {"N": 1}, "eps for eps in [1/2, 2]", {"sat": 0, "unsat": 2}),
        ("randomized_response/warner.dip", {}, "eps for eps in [1/2, 2]", {"sat": 1, "unsat": 1}),
        ("randomized_response/warner.dip", {}, "eps for eps in [3/2, 2]", {"sat": 0, "unsat": 3}),
    ],
)
def test_smtlib(
    name: str,
    parameters: dict[str, int],
    claim: str,
    least: dict[str, int],
    cvc5: Run,
    tmp_path: Path,
) -> None:
    """No answer contradicts dipc; "unknown" is allowed, but not for all."""
    question = asked(load(name, **parameters), claim)
    run = cvc5(script(tmp_path, smtlib(question), "x.smt2"))
    assert run.returncode == 0, run.stdout + run.stderr
    answers = [line.split()[0] for line in run.stdout.splitlines() if line]
    assert len(answers) == len(question.requirements)
    for answer, requirement in zip(answers, question.requirements, strict=True):
        if answer != "unknown":
            assert isinstance(requirement.answer, {"sat": Fails, "unsat": Holds}[answer])
    for answer, number in least.items():
        assert answers.count(answer) >= number


Storm = Callable[[Path, Path], "subprocess.CompletedProcess[str]"]

CHAINS = [
    ("svt/svt1.dip", {"N": 3}, {"q": (0, 1, -1)}),
    ("randomized_response/rand1.dip", {"N": 3}, {"q": (True, False, True)}),
    ("randomized_response/rand2.dip", {"N": 2}, {"q": (True, False)}),  # eps itself
    ("noisy_max/nmax1.dip", {"N": 3}, {"q": (0, 1, 1)}),
    ("histogram/hist2.dip", {"N": 2}, {"q": (0, 1)}),  # exp(b/eps)
]


@pytest.mark.parametrize("language", [drn, prism])
@pytest.mark.parametrize(("name", "parameters", "inputs"), CHAINS)
def test_storm_finds_the_same_probabilities(
    name: str,
    parameters: dict[str, int],
    inputs: dict[str, object],
    language: Callable[..., str],
    storm: Storm,
    tmp_path: Path,
) -> None:
    """Storm solves the chain; its rational functions are compared with ours, exactly, at several points."""
    mechanism = load(name, **parameters)
    picture = drawn(mechanism, **inputs)
    numbers, symbols = over_symbols(as_model(picture))
    points = [{s: str(fmpq(3 * i + 5 * k + 2, i + k + 7)) for k, s in enumerate(symbols)} for i in range(12)]
    model = script(tmp_path, language(picture), f"x.{language.__name__}")
    run = storm(model, script(tmp_path, json.dumps(points), "points.json"))
    assert run.returncode == 0, run.stdout + run.stderr
    found = json.loads(run.stdout.splitlines()[-1])
    law = mechanism.distribution(**inputs)
    marks = labels(picture)
    expected = {marks[number]: law[output] for number, output in picture.outputs.items()}
    assert set(found) == set(expected)
    for label, p in expected.items():
        ours = [str(value_at(p, point, numbers.style.unit or 1)) for point in points]
        assert [str(flint(value)) for value in found[label][1]] == ours, label


def value_at(p: Quotient, point: dict[str, str], unit: int) -> fmpq:
    """The value when eps, z, w, v are independent numbers."""
    eps, z, w, v = (flint(point.get(s, "1")) for s in ("eps", "z", "w", "v"))

    def value(f: ExpPoly) -> fmpq:
        return sum(
            (
                t.coefficient
                * eps**t.power
                * z ** int(t.rate * unit)
                * w ** int(t.constant * unit)
                * v ** int(t.inverse * unit)
                for t in f.terms()
            ),
            fmpq(0),
        )

    return value(p.numerator) / value(p.denominator)
