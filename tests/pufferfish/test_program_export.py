"""Programs with priors for other tools, and the laws of their outputs: judged by sums over all inputs."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import product
from math import exp, prod
from operator import ge, gt, le, lt
from pathlib import Path
from random import Random

import pytest
from answers import contents
from flint import fmpq

import dipc
from dipc.cli.main import status
from dipc.clock import Clock
from dipc.errors import InputError, Source, Unsupported
from dipc.pufferfish.hmm import HiddenMarkovModel
from dipc.pufferfish.laws import laws_of
from dipc.pufferfish.programs import ProgramQuestion
from tests.pufferfish.prior_programs import INDEPENDENT, SVT
from tests.pufferfish.test_export import by_z3

Capture = pytest.CaptureFixture[str]
CLINIC = """
param t in (0, 1), p in (0, 1)
input john in {0, 1}, neighbour in {0, 1}
output out in 0..2
private 2*eps
prior contagion
  john <- choose {1: p, 0: 1 - p}
  caught <- flip(t)
  if caught then neighbour <- john else neighbour <- choose {1: p, 0: 1 - p} end
end
secret john = 0 vs john = 1
count <- john + neighbour
r <- DLap(eps, count)
if r <= 0 then out <- 0 elif r = 1 then out <- 1 else out <- 2 end
"""


SVT_PROGRAM = SVT.format(prior="", lines="param a in (0, 1), b in [1/4, 1 - a/2)\n" + INDEPENDENT)


def parsed(text: str) -> list:
    """All S-expressions of a text."""
    stack: list[list] = [[]]
    for token in re.findall(r"[()]|\|[^|]*\||[^\s()]+", re.sub(r"^;.*$", "", text, flags=re.M)):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    return stack[0]


def value(tree, env, number=Fraction):
    """A term; for ``exp`` the numbers must be floats."""
    if isinstance(tree, str):
        return env[tree] if tree in env else number(Fraction(tree))
    if tree[0] == "ite":
        return value(tree[2] if value(tree[1], env, number) else tree[3], env, number)
    given = [value(part, env, number) for part in tree[1:]]
    match tree[0]:
        case "+":
            return sum(given)
        case "*":
            return prod(given)
        case "-":
            return -given[0]
        case "/":
            return given[0] / given[1]
        case "exp":
            return exp(given[0])
        case "=":
            return given[0] == given[1]
        case "or" | "and" | "not" as word:
            return {"or": any, "and": all, "not": lambda x: not x[0]}[word](given)
    return {">": gt, ">=": ge, "<=": le, "<": lt}[tree[0]](*given)


def asked(text: str) -> ProgramQuestion:
    return dipc.load(text).pufferfish()


# --- P(output | secret) --------------------------------------------------------------------------


def by_inputs(text: str, weights: dict[tuple[int, int], Fraction], event) -> dict[str, float]:
    """At eps = 1: the law of every input from `dipc distribution`, weighted."""
    mechanism, found, whole = dipc.load(text), {}, sum(w for u, w in weights.items() if event(u))
    names = [variable.name for variable in mechanism.program.inputs]
    for u, weight in weights.items():
        if event(u):
            inputs = {names[0]: list(u)} if len(names) == 1 else dict(zip(names, u, strict=True))
            for i, (_, p) in enumerate(mechanism.distribution(**inputs).items()):
                found[i] = found.get(i, 0.0) + float(weight / whole) * float(p.enclose(1))
    return found


def test_laws_given_a_secret() -> None:
    t, p = Fraction(1, 3), Fraction(2, 5)
    one = {0: 1 - p, 1: p}
    weights = {(x, y): one[x] * (t * (x == y) + (1 - t) * one[y]) for x, y in product((0, 1), repeat=2)}
    question = asked(CLINIC).asking(None, None, Clock())
    functions, of_eps = laws_of(question), question.parameters.function_of_eps
    assert list(functions) == [("john = 0", "contagion"), ("john = 1", "contagion")]
    for place, law in enumerate(functions.values()):
        expected = by_inputs(CLINIC, weights, lambda u, place=place: u[0] == place)
        point = {"t": fmpq(1, 3), "p": fmpq(2, 5)}
        found = [float(of_eps(f.at(point)).enclose(1)) for f in law.outputs.values()]
        assert found == pytest.approx(list(expected.values()))
        assert sum(found) == pytest.approx(1)


def test_texts_of_laws() -> None:
    law = dipc.load("ex5-events").pufferfish(pB="1/2", pC="1/3").distribution("john[1]=1")
    assert law == {
        ("john[1] = 1", None): {
            "out=1": "2717/15552*pA + 2737/7776",
            "out=2": "-755/7776*pA + 353/972",
            "out=3": "-1207/15552*pA + 2215/7776",
        }
    }
    with pytest.raises(InputError, match="there is no secret `mary = 1`"):
        dipc.load("ex5-events").pufferfish().distribution("mary = 1")


@pytest.mark.parametrize("claim", ["eps", "ln(1/2)"])
def test_a_distribution_does_not_depend_on_the_claim(claim: str) -> None:
    text = "input q in {0, 1}; output o in {0, 1}; secret q = 0 vs q = 1; adjacent all; private "
    text += claim + "\no <- choose {q: 2/3, 1 - q: 1/3}"
    (law,) = asked(text).distribution("q=1").values()
    assert law == {"o=0": "1/3", "o=1": "2/3"}


def test_the_command(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "clinic.dip"
    path.write_text(CLINIC, encoding="utf-8")
    fixed = ["--fix", "t=1/2", "--fix", "p=1/2"]
    assert status(["pufferfish", "distribution", str(path), *fixed, "--given", "john=1", "--at", "1/2"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("given john = 1   (prior contagion)\nout=0  0.2661276604  =  (3/4*exp(-1/2)")
    assert shown.count("\n") == 4
    options = [*fixed, "--sequence", "out = 1", "--json"]
    assert status(["pufferfish", "distribution", str(path), *options]) == 0
    found = contents(capsys.readouterr().out)["distribution"]
    assert [(each["given"], each["sequence"]) for each in found] == [
        ("john = 0", ["out=1"]),
        ("john = 1", ["out=1"]),
    ]
    assert status(["pufferfish", "distribution", str(path), "--sequence", "out=7"]) == 2
    assert "there is no output `out=7`" in capsys.readouterr().err
    assert status(["pufferfish", "distribution", "ex3"]) == 2
    assert "--given NAME" in capsys.readouterr().err
    assert status(["pufferfish", "distribution", "ex3", "--given", "sick", "--at", "1"]) == 2
    assert status(["pufferfish", "distribution", str(path), "--horizon", "2"]) == 2


def test_a_program_is_observed_once(capsys: Capture) -> None:
    assert status(["pufferfish", "budget", "ex5", "--curve"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split() == ["1", "40/21", "0.6443570164", "out=1"]


# --- SMT-LIB with functions of eps ---------------------------------------------------------------


def excesses(text: str, point: dict[str, float]) -> list[float] | None:
    """``A Z' - c A' Z`` of every query at a point; None outside of the class."""
    env, found, asking = dict(point), [], False
    for line in parsed(text):
        match line:
            case ["define-fun", name, [], _, body]:
                env[name] = value(body, env, float)
            case ["push" | "pop" as word, _]:
                asking = word == "push"
            case ["assert", [">", left, right]] if asking:
                found.append(value(left, env, float) - value(right, env, float))
            case ["assert", body] if not value(body, env, float):
                return None
    return found


@pytest.mark.parametrize("claim", ["eps", "eps/2", "1/2*eps for eps in (0, 2]"])
def test_smtlib_with_functions_of_eps(claim: str) -> None:
    """Laplace noise gives eps*exp(-eps): the queries at points agree with the exact laws."""
    question, random = asked(SVT_PROGRAM), Random(3)
    text = question.export("smtlib", claim=claim)
    posed = question.asking(claim, None, Clock())
    assert posed.claim is not None and not posed.parameters.rational
    assert text.count("(check-sat)") == len(posed.pairs)
    seen, laws, c, of_eps = 0, laws_of(posed), posed.claim.c, posed.parameters.function_of_eps
    for _ in range(12):
        a, b, eps = (Fraction(random.randint(0, 12), 12) for _ in range(3))
        eps *= 3
        inside = 0 < a < 1 and Fraction(1, 4) <= b < 1 - a / 2 and 0 < eps <= (2 if "for" in claim else 3)
        at = {"p.a": float(a), "p.b": float(b), "eps": float(eps)}
        point = {"a": fmpq(a.numerator, a.denominator), "b": fmpq(b.numerator, b.denominator)}
        for i, o in enumerate(posed.model.observations):
            found = excesses(text, {**at, "w.0": i})
            assert (found is not None) == inside
            for f, pair in zip(found or (), posed.pairs, strict=inside):
                both = (laws[side.name, side.prior].probability([o]) for side in pair)
                left, right = (of_eps(p.at(point)) for p in both)
                expected = float((left - right * c).enclose(fmpq(eps.numerator, eps.denominator)))
                assert abs(expected) < 1e-9 or f / expected > 0
                seen += 1
    assert seen


def test_smtlib_of_a_model_with_functions_of_eps() -> None:
    """Two observations, a parameter, and eps outside of exp: the excess of every sequence at a point."""
    text = """
    param p in (0, 1); observe a, b
    state s emits {a: p*eps/2, b: 1 - p*eps/2} next {s: exp(-eps), t: 1 - exp(-eps)}
    state t emits {a: 1/3, b: 2/3} next t
    compare s -> t; horizon 2; private eps for eps in (0, 2]
    """
    written, p, eps = HiddenMarkovModel(Source("m.hmm", text)).export("smtlib"), 0.25, 1.5
    assert excesses(written, {"p.p": p, "eps": 2.5, "w.0": 0, "w.1": 0}) is None
    shows, stays = ((p * eps / 2, 1 - p * eps / 2), (1 / 3, 2 / 3)), exp(-eps)
    for x, y in product((0, 1), repeat=2):
        (found,) = excesses(written, {"p.p": p, "eps": eps, "w.0": x, "w.1": y})
        left = shows[0][x] * (stays * shows[0][y] + (1 - stays) * shows[1][y])
        expected = left - exp(eps) * shows[1][x] * shows[1][y]
        assert found == pytest.approx(expected)


def test_the_other_formats() -> None:
    question = asked(SVT_PROGRAM)
    with pytest.raises(Unsupported, match="eps outside of exp"):
        question.export("redlog", claim="eps")
    with pytest.raises(InputError, match="no export to `maple`"):
        question.export("maple", claim="eps")
    with pytest.raises(InputError, match="sets of sequences"):
        question.export("smtlib", claim="eps, 1/100")
    assert question.fix(a="1/2", b="1/2").export("drn").startswith("//")
    fixed = dipc.load("ex5").pufferfish(pA="1/2", pB="1/2", pC="1/2")
    assert fixed.export("drn").startswith("//")
    assert fixed.export("svg").startswith("<svg")
    with pytest.raises(InputError, match="needs numbers for pA, pB, pC"):
        dipc.load("ex5").pufferfish().export("drn")


def test_without_a_claim() -> None:
    text = re.sub(r"private .*\n", "", CLINIC)
    assert asked(text).distribution("john=0") == asked(CLINIC).distribution("john=0")
    with pytest.raises(InputError, match="nothing is claimed"):
        asked(text).export("smtlib")
    assert "(check-sat)" in asked(text).export("smtlib", claim="eps")


def test_a_negative_probability_is_refused() -> None:
    text = CLINIC.replace("p in (0, 1)", "p in (0, 2)")
    with pytest.raises(InputError, match="is -"):
        asked(text).export("redlog")
    with pytest.raises(InputError, match="is -"):
        asked(text).distribution()


def test_a_solver_without_exp_does_not_answer() -> None:
    """Before, z3 left the assertion out and answered `sat`; whether it knows `exp` depends on the logic."""
    for text in (asked(SVT_PROGRAM).export("smtlib"), dipc.load("svt1", N=1).export("smtlib")):
        assert "(exp " in text and by_z3(text.replace("(exp ", "(noexp ")) == []
