"""Theorems about the core of a program, whose laws Coq computes."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from functools import reduce
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from agreement import at, differ, inside
from campaigns import many, some
from certificates import certified
from coq_tools import accepted, hold, judged, refusals
from flint import fmpq
from reference import Law, World, law_of, value_of
from shipped_programs import FINITE

import dipc
from dipc.dipwhile.export.coq import core_syntax as syntax
from dipc.dipwhile.export.coq.core import core_theorem
from dipc.dipwhile.export.coq.core_program import Translation
from dipc.dipwhile.export.coq.core_syntax import Block, Term
from dipc.dipwhile.semantics.adjacency import Input, InputSpace
from dipc.dipwhile.semantics.explore import Explorer
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.ast import NOWHERE, Op
from dipc.dipwhile.syntax.compile import read
from dipc.dipwhile.syntax.core import CoreProgram, Draw, Halt, Jump, Put, Test
from dipc.errors import InputError, Source, Unsupported
from dipc.kernel import statements
from dipc.models.values import Atom, Value

ROOT = Path(__file__).parent.parent.parent


def theorem(name: str, **parameters: int) -> str:
    """The file for a shipped program, without the library."""
    path = ROOT / "programs" / f"{name}.dip"
    _, certificate = certified(path, **parameters)
    program = dipc.load(path, **parameters).program
    return core_theorem(program, statements.check(certificate.encode()), library=False)


# --- the meaning of the core --------------------------------------------------------------------------------

NUMBERS = {"Added": Op.ADD, "Reduced": Op.SUB, "Times": Op.MUL, "Divided": Op.DIV}
NUMBERS |= {"Sum": Op.ADD, "Difference": Op.SUB, "Product": Op.MUL, "Quotient": Op.DIV}
TRUTHS = {"Equal": Op.EQ, "Less": Op.LT, "AtMost": Op.LE, "And": Op.AND, "Or": Op.OR}
CALLS = {"Maximum": "max", "Minimum": "min", "Floor": "floor", "Exp": "exp"}
ZERO = ast.Number(fmpq(0))


def rational(value: Fraction) -> ast.Number:
    return ast.Number(fmpq(value.numerator, value.denominator))


def truth(e: Term) -> ast.Expr:
    return ast.Binary(Op.NE, expression(e), ZERO)


def expression(e: Term) -> ast.Expr:
    """A term of the core in dipc's language, in which truths are no numbers: ``count`` makes them 1 and 0."""
    match e.head, e.parts:
        case "Number", (Fraction() as value,):
            return rational(value)
        case "Cell", (str() as name,):
            return ast.Name(name)
        case "Eps", ():
            return ast.Eps()
        case "Const", (Term() as inner,):
            return expression(inner)
        case "Not", (Term() as inner,):
            return ast.Call("count", (ast.Binary(Op.EQ, expression(inner), ZERO),))
        case "Cond", (Term() as test, Term() as yes, Term() as no):
            more = ast.Binary(Op.SUB, expression(yes), expression(no))
            chosen = ast.Binary(Op.MUL, ast.Call("count", (truth(test),)), more)
            return ast.Binary(Op.ADD, expression(no), chosen)
        case ("And" | "Or") as head, _:
            return ast.Call("count", (ast.Binary(TRUTHS[head], *map(truth, e.subterms)),))
        case head, _ if head in TRUTHS:
            return ast.Call("count", (ast.Binary(TRUTHS[head], *map(expression, e.subterms)),))
        case head, _ if head in NUMBERS:
            return ast.Binary(NUMBERS[head], *map(expression, e.subterms))
    return ast.Call(CALLS[e.head], tuple(map(expression, e.subterms)))


def drawn(statement: syntax.Statement) -> ast.Distribution:
    """What a statement draws from."""
    match statement:
        case syntax.Statement("Flip", _, (p,)):
            rest = ast.Binary(Op.SUB, rational(Fraction(1)), expression(p))
            return ast.Choose(((rational(Fraction(1)), expression(p)), (ZERO, rest)))
        case syntax.Statement("Uniform", _, values):
            return ast.Uniform(ast.SetOf(tuple(map(expression, values))))
        case syntax.Statement("Choose", options=options):
            return ast.Choose(tuple((expression(v), expression(p)) for v, p in options))
        case syntax.Statement("Exponential", _, (rate,), scores):
            weights = [Term("Exp", (Term("Product", (rate, score)),)) for _, score in scores]
            whole = reduce(lambda a, b: Term("Sum", (a, b)), weights)
            shares = (expression(Term("Quotient", (weight, whole))) for weight in weights)
            return ast.Choose(tuple((expression(v), p) for (v, _), p in zip(scores, shares, strict=True)))
        case syntax.Statement("Noise", _, (rate, mean)):
            return ast.Noise("DLap", expression(rate), expression(mean))
    raise AssertionError("it draws nothing")


def code_of(block: Block, code: list[Any]) -> list[Any]:
    """The instructions with a block at their end."""
    for statement in block:
        match statement:
            case syntax.Statement("If", _, (condition,), _, (yes, no)):
                test, arm = len(code), code_of(yes, [*code, None])
                whole = code_of(no, [*arm, None])
                whole[test], whole[len(arm)] = Test(truth(condition), len(arm) + 1, NOWHERE), Jump(len(whole))
                code = whole
            case syntax.Statement("Assign", x, (value,)):
                code = [*code, Put(ast.Name(x), expression(value), NOWHERE)]
            case _:
                code = [*code, Draw(ast.Name(statement.x), drawn(statement), NOWHERE)]
                for rest in statement.blocks:
                    code = [*code_of(rest, code), Put(ast.Name(statement.x), ZERO, NOWHERE)]
    return code


def core_law(program: CoreProgram, inputs: Input, eps: Fraction) -> Law:
    """The law of the core of a program; every cell of Coq begins as 0."""
    translation = Translation(program)
    code = [*code_of(translation.block(), []), Halt(NOWHERE)]
    atoms = {cell: translated(translation, value) for cell, value in inputs.items()}
    start = {(name, 0): atoms.get(cell, fmpq(0)) for cell, name in translation.cells.items()}
    outputs = [
        SimpleNamespace(
            cells=[(translation.cells[cell], 0)],
            domain=[translated(translation, v) for v in variable.domain],
            start=None,
        )
        for variable in program.outputs
        for cell in variable.cells
    ]
    return law_of(World(code, outputs, {}, frozenset(translation.cells.values()), eps), start)


def translated(translation: Translation, value: Value) -> fmpq:
    """A value of a program as a number of Coq."""
    return rational(translation.atoms[value.name]).value if isinstance(value, Atom) else value


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


def assert_same(program: CoreProgram, inputs: Input) -> None:
    """The exact engine and the core give the same law."""
    translation, eps = Translation(program), inside(program)
    exact = {
        ("ended", tuple(value_of(translated(translation, v)) for v in outcome)): at(p, eps)
        for outcome, p in Explorer(program).law(inputs).items()
    }
    assert not differ(core_law(program, inputs, Fraction(int(eps.p), int(eps.q))), exact)


@pytest.mark.parametrize("seed", range(16))
def test_the_core_has_the_distribution_of_the_program(seed: int) -> None:
    program = random_program(seed)
    for q in (0, 1):
        assert_same(program, {("q", 0): fmpq(q)})


def test_the_core_of_shipped_programs_has_their_distributions() -> None:
    compared = set()
    for path in FINITE:
        program = read(Source(path.name, path.read_text()))
        try:
            small = syntax.size(Translation(program).block()) <= many(50, campaign=2_000)
        except Unsupported:
            continue
        for inputs in some(list(InputSpace(program)), 2) if small else ():
            assert_same(program, inputs)
            compared.add(path.stem)
    assert compared >= {Path(name).name for name in ACCEPTED}


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
    certificate = statements.check(certified(path)[1].encode())
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
