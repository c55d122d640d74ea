"""Theorems about the core of a program, whose laws Coq computes."""

from __future__ import annotations

import math
import random
import re
from fractions import Fraction
from pathlib import Path
from typing import Any, assert_never

import pytest
from certificates import certified
from coq_tools import accepted, hold, judged, refusals
from flint import arb, fmpq

import dipc
from dipc.dipwhile.pipeline import distribution
from dipc.dipwhile.syntax.compile import read
from dipc.dipwhile.syntax.core import CoreProgram
from dipc.errors import InputError, Source, Unsupported
from dipc.export.coq import core_syntax as syntax
from dipc.export.coq.core import core_theorem
from dipc.export.coq.core_program import Translation
from dipc.export.coq.core_syntax import Block, Term
from dipc.kernel import privacy
from dipc.models.values import Atom
from dipc.signs.eps_range import EpsRange

ROOT = Path(__file__).parent.parent.parent


def theorem(name: str, **parameters: int) -> str:
    """The file for a shipped program, without the library."""
    path = ROOT / "programs" / f"{name}.dip"
    _, certificate = certified(path, **parameters)
    program = dipc.load(path, **parameters).program
    return core_theorem(program, privacy.check(certificate.encode()), library=False)


# --- the meaning of the core, by brute force ----------------------------------------------------------------

EPS = 1.25
Memory = dict[str, Fraction]
Law = dict[tuple[Fraction, ...], float]

VALUES: dict[str, Any] = {
    "Added": lambda a, b: a + b,
    "Reduced": lambda a, b: a - b,
    "Times": lambda a, b: a * b,
    "Divided": lambda a, b: a / b,
    "Maximum": max,
    "Minimum": min,
    "Floor": lambda a: Fraction(math.floor(a)),
    "Equal": lambda a, b: Fraction(a == b),
    "Less": lambda a, b: Fraction(a < b),
    "AtMost": lambda a, b: Fraction(a <= b),
    "Not": lambda a: Fraction(a == 0),
    "And": lambda a, b: Fraction(a != 0 and b != 0),
    "Or": lambda a, b: Fraction(a != 0 or b != 0),
    "Cond": lambda c, a, b: a if c != 0 else b,
}
WEIGHTS: dict[str, Any] = {
    "Eps": lambda: EPS,
    "Exp": math.exp,
    "Sum": lambda a, b: a + b,
    "Difference": lambda a, b: a - b,
    "Product": lambda a, b: a * b,
    "Quotient": lambda a, b: a / b,
}


def value(e: Term, s: Memory) -> Fraction:
    (*_, last) = e.parts
    if e.head == "Number":
        assert isinstance(last, Fraction)
        return last
    if e.head == "Cell":
        assert isinstance(last, str)
        return s.get(last, Fraction(0))
    found = VALUES[e.head](*(value(part, s) for part in e.subterms))
    assert isinstance(found, Fraction)
    return found


def weight(w: Term, s: Memory) -> float:
    if w.head == "Const":
        (e,) = w.subterms
        return float(value(e, s))
    return float(WEIGHTS[w.head](*(weight(part, s) for part in w.subterms)))


def samples(statement: syntax.Statement, s: Memory) -> list[tuple[Fraction, float]]:
    """What a statement draws."""
    match statement:
        case syntax.Flip(_, p):
            return [(Fraction(1), weight(p, s)), (Fraction(0), 1 - weight(p, s))]
        case syntax.Uniform(_, values):
            return [(v, 1 / len(values)) for v in values]
        case syntax.Choose(_, options):
            return [(value(v, s), weight(p, s)) for v, p in options]
        case syntax.Exponential(_, rate, scores):
            grown = [math.exp(weight(rate, s) * weight(score, s)) for _, score in scores]
            return [(value(v, s), w / sum(grown)) for (v, _), w in zip(scores, grown, strict=True)]
        case syntax.Noise(_, rate, mean, _):
            z = math.exp(-weight(rate, s))
            middle = value(mean, s)
            return [(middle + i, (1 - z) / (1 + z) * z ** abs(i)) for i in range(-12, 13)]
        case syntax.Assign(_, e):
            return [(value(e, s), 1.0)]
        case syntax.If():
            raise AssertionError("it draws nothing")
        case _:
            assert_never(statement)


def after(statement: syntax.Statement, s: Memory) -> list[tuple[Memory, float]]:
    """The states after a statement."""
    if isinstance(statement, syntax.If):
        return reached(statement.yes if value(statement.condition, s) else statement.no, s)
    drawn = [({**s, statement.x: v}, p) for v, p in samples(statement, s)]
    if not isinstance(statement, syntax.Noise):
        return drawn
    inner = [(r, p * q) for start, p in drawn for r, q in reached(statement.rest, start)]
    return [({**r, statement.x: Fraction(0)}, p) for r, p in inner]


def reached(block: Block, s: Memory) -> list[tuple[Memory, float]]:
    """The states after a block, equal ones as one."""
    states = [(s, 1.0)]
    for statement in block:
        merged: dict[tuple[tuple[str, Fraction], ...], float] = {}
        for start, p in states:
            for r, q in after(statement, start):
                key = tuple(sorted(r.items()))
                merged[key] = merged.get(key, 0.0) + p * q
        states = [(dict(key), p) for key, p in merged.items()]
    return states


def law(block: Block, s: Memory, outputs: list[str]) -> Law:
    """The distribution of the outputs."""
    total: Law = {}
    for r, p in reached(block, s):
        outcome = tuple(r[cell] for cell in outputs)
        total[outcome] = total.get(outcome, 0.0) + p
    return total


# --- random programs ----------------------------------------------------------------------------------------

PROBABILITIES = ["1/3", "exp(eps)/(1 + exp(eps))", "1 - exp(-eps)/2", "exp(-abs(a - q)*eps)/2", "1/(2 + a)"]


def statement(draw: random.Random, depth: int) -> str:
    x = draw.choice("abc")
    p = draw.choice(PROBABILITIES)
    condition = draw.choice(["a < b", "b = 1 or not (c >= q)", "max(a, q) != 1", "argmax(v) = 2"])
    choices = [
        f"{x} <- {draw.choice(['q', 'a + 1 - a', 'min(b, 1)', 'mod(a + q, 2)', 'disc(b, 0, 1)'])}",
        f"t <- flip({p}); if t then {x} <- 1 end",
        f"{x} <- choose {{q: {p}, 2 - q: 1 - ({p})}}",
        f"{x} <- uniform {{0, 1, 2}}",
        f"{x} <- Exp(eps/2, i in 0..2, abs(i - q))",
        "z <- DLap(3*eps, q); out <- max(0, min(z, 2))",
        f"z <- DLap(3*eps, q); {x} <- 1; if z <= 0 or 2 < z then {x} <- 0 end",
        f"z <- DLap(2*eps, {x}); if z > 1 then {x} <- 0 elif z = -1 then {x} <- 2 end",
        f"v[q + 1] <- {x}",
        f"{x} <- v[q + 1]",
    ]
    if depth:
        inner = [statement(draw, depth - 1) for _ in range(2)]
        choices += [f"if {condition} then {inner[0]} else {inner[1]} end"] * 3
        choices.append(f"if {condition} then out <- 1; exit end")
    return draw.choice(choices)


def random_program(seed: int) -> CoreProgram:
    draw = random.Random(seed)
    body = "\n".join(statement(draw, 2) for _ in range(3))
    text = f"""
input  q in 0..1
output out in 0..4
adjacent all
private 9*eps
a <- 0; b <- 1; c <- q; v[1] <- 2; v[2] <- 0; out <- 4
{body}
out <- min(max(disc(a + v[2], 0, 1, 2), b), 3)
"""
    return read(Source(f"seed {seed}", text))


@pytest.mark.parametrize("seed", range(16))
def test_the_core_has_the_distribution_of_the_program(seed: int) -> None:
    program = random_program(seed)
    translation = Translation(program)
    block = translation.block()
    for q in (0, 1):
        slow = law(block, {translation.cells["q", 0]: Fraction(q)}, translation.outputs)
        exact = distribution(program, {("q", 0): fmpq(q)}, EpsRange.positive())
        fast = {outcome: float(p.enclose(arb(fmpq(5, 4)))) for outcome, p in exact.items()}
        for (v,), p in fast.items():
            assert not isinstance(v, Atom)
            assert math.isclose(slow.pop((Fraction(int(v.p), int(v.q)),), 0.0), p, abs_tol=1e-12)
        assert all(p < 1e-12 for p in slow.values())


# --- in Coq -------------------------------------------------------------------------------------------------


ACCEPTED = {
    "randomized_response/rand1": "private",
    "randomized_response/kary_wrong": "violated",
    "discrete/truncated_geometric": "private",
    "exponential/exponential": "private",
    "real_bugs/opendp_2922_fixed": "private",  # delta, noise inside a block
}


@pytest.mark.export
def test_coq_accepts_the_theorems(library: Path, tmp_path: Path) -> None:
    texts = [theorem(name) for name in ACCEPTED]
    for text, says in zip(texts, ACCEPTED.values(), strict=True):
        assert f"Theorem claim : {says}_program program (1 # 1) delta" in text
    hold(texts, library, tmp_path)


MUTANTS = [
    ("randomized_response/rand1", "v_q_1 ~> Exp Eps / (1 + Exp Eps)", "v_q_1 ~> Exp Eps / (2 + Exp Eps)"),
    ("randomized_response/rand1", "more_cells := 3", "more_cells := 2"),  # an output without a cell
    ("randomized_response/kary_wrong", "Uniform v_other [1; 2; 3]", "Uniform v_other [1; 2]"),
    ("discrete/truncated_geometric", "Noise v_z Eps", "Noise v_z (2 * Eps)"),
    ("discrete/truncated_geometric", "Noise v_z Eps", "Noise v_z (0 - Eps)"),  # no series has this sum
    ("discrete/truncated_geometric", "(Maximum v_z 0)", "v_z"),  # one side is not clamped
    ("real_bugs/opendp_2922_fixed", "Less 5 v_noisy", "AtMost 5 v_noisy"),  # the bug
    ("real_bugs/opendp_2922_fixed", "delta : weight := ", "delta : weight := 0 * "),
]


# The distributions are those listed, the adjacency is not.
OTHER_CLAIM = ("randomized_response/rand1", "neighbours := Cells 1", "neighbours := Cells 2")


def mutant(name: str, right: str, wrong: str) -> str:
    text = theorem(name)
    assert right in text
    return text.replace(right, wrong)


@pytest.mark.export
@pytest.mark.parametrize("altered", [MUTANTS[0], OTHER_CLAIM])
def test_coq_refuses_a_mutant(altered: tuple[str, str, str], library: Path, tmp_path: Path) -> None:
    found = judged(mutant(*altered), library, tmp_path)
    assert found.returncode and "Unable to unify" in found.stderr, found.stderr


@pytest.mark.export
def test_the_checker_refuses_every_mutant(library: Path, tmp_path: Path) -> None:
    accepted(refusals([mutant(*each) for each in MUTANTS]), library, tmp_path)


# --- the fragment -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("loops/retry", "a loop `while`"),
        ("svt/svt1", "the noise `Lap`"),
        ("histogram/hist1", "the noise `Lap`"),
        ("discrete/noisy_max_first", "compared with numbers only"),
    ],
)
def test_what_is_outside_is_refused_by_name(name: str, why: str) -> None:
    with pytest.raises(Unsupported, match=re.escape(why)):
        theorem(name, **({"N": 1} if name.startswith(("svt", "hist")) else {}))


def test_the_certificate_is_that_of_the_program() -> None:
    path = ROOT / "programs" / "randomized_response" / "kary.dip"
    certificate = privacy.check(certified(path)[1].encode())
    with pytest.raises(InputError, match="not one of"):
        core_theorem(dipc.load(path, k=3).program, certificate)
    with pytest.raises(InputError, match="not one of"):
        core_theorem(dipc.load(path.with_name("kary_wrong.dip")).program, certificate)


def test_the_text_is_read_with_the_precedences_of_coq() -> None:
    a, b, c = (Term("Cell", (name,)) for name in "abc")
    assert str(Term("Reduced", (a, Term("Reduced", (b, c))))) == "a - (b - c)"
    assert str(Term("Reduced", (Term("Reduced", (a, b)), c))) == "a - b - c"
    assert str(Term("Times", (Term("Added", (a, b)), c))) == "(a + b) * c"
    assert str(Term("Divided", (a, Term("Times", (b, c))))) == "a / (b * c)"
    assert str(Term("Exp", (Term("Product", (Term("Const", (a,)), Term("Eps"))),))) == "Exp (a * Eps)"
    inner = Term("Const", (Term("Added", (a, b)),))
    assert str(Term("Product", (inner, Term("Eps")))) == "(a + b)%expr * Eps"
