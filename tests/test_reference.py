"""The exact engine against the meaning of programs: docs/semantics.md, executable in `tests/reference.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from agreement import differ, inside, world, wrong
from campaigns import drawn, many, spared
from exact_integrals import ONE, NotCovered, number, sign, total
from flint import fmpq
from hypothesis import given, note
from hypothesis import strategies as st
from reference import Law, law_of
from shipped_programs import FINITE
from strategies import discrete_programs, looping_programs, programs

from dipc.dipwhile.semantics import evaluate
from dipc.dipwhile.semantics.adjacency import InputSpace
from dipc.dipwhile.semantics.explore import Explorer
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.compile import read
from dipc.dipwhile.syntax.core import Assume, CoreProgram, Draw, Either, Halt, Jump, Put, Round
from dipc.dipwhile.syntax.parser import parse_expression
from dipc.errors import InputError, Source, Unsupported
from tests.dipwhile.allsizes.random_programs import program as program_of_arrays


def meaning(text: str, **inputs: int) -> Law:
    """The law of a program at eps = 3/4."""
    program = read(Source("test.dip", text))
    return law_of(world(program, fmpq(3, 4)), {(name, 0): fmpq(value) for name, value in inputs.items()})


def sizes(path: Path) -> list[CoreProgram]:
    """A shipped program for N = 1 and 2; as it is, if it has no N."""
    source = Source(path.name, path.read_text())
    if "N" not in dict(read(source).parameters):
        return [read(source)]
    return [read(source, {"N": fmpq(n)}) for n in (1, 2)]


SLOW = [path for path in FINITE if path.stem in ("ex6", "noisy-max-4", "noisy-max-5", "nvflare_343")]


@pytest.mark.parametrize("path", spared(FINITE, SLOW), ids=lambda path: path.stem)
def test_shipped_programs(path: Path) -> None:
    """All of them are covered."""
    for program in sizes(path):
        space = list(InputSpace(program))
        for inputs in space[:: -(-len(space) // many(2, campaign=8))]:
            assert not wrong(program, inputs, inside(program))


ARRAYS = st.integers(0, 100_000).map(program_of_arrays)
RANDOM = {
    "real": (programs(), 2, 400, 1.0),
    "integer": (discrete_programs(), 7, 300, 0.7),
    "loops": (looping_programs(), 10, 200, 0.9),
    "arrays": (ARRAYS, 8, 100, 0.8),  # some take a sample for the mean of another one
}
"""Random programs, how many of them, by default and in a campaign, and the share that must be covered."""


@pytest.mark.parametrize("kind", RANDOM)
def test_random_programs(kind: str) -> None:
    source, examples, campaign, share = RANDOM[kind]
    tally: Counter[str] = Counter()

    @drawn(examples, campaign)
    @given(source)
    def law(text: str) -> None:
        note(text)
        try:
            program = read(Source("random.dip", text))
            for inputs in list(InputSpace(program))[:: max(1, InputSpace(program).size - 1)]:
                assert not wrong(program, inputs, inside(program))
            tally["covered"] += 1
        except Unsupported:
            tally["the engine refuses it"] += 1
        except NotCovered as reason:
            tally[f"not covered: {reason}"] += 1
        except InputError:
            tally["no program"] += 1

    law()
    judged = {reason: n for reason, n in tally.items() if reason.startswith(("covered", "not"))}
    assert tally["covered"] >= share * sum(judged.values()) > 0, tally


def test_the_rule_for_ties_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge can see a difference: the last of equals in the place of the first."""
    text = "output o in 1..2; a[1] <- DLap(eps, 0); a[2] <- DLap(eps, 0); o <- argmax(a)"
    program, eps = read(Source("ties.dip", text)), fmpq(3, 4)
    assert not wrong(program, {}, eps)
    last = lambda v, s, d: fmpq(evaluate._best(v[::-1], ast.Op.GT, s, d)) * -1 + len(v)  # noqa: E731
    monkeypatch.setitem(evaluate._FUNCTIONS, "argmax", last)
    assert len(wrong(program, {}, eps)) == 2


# --- failing and endless runs ------------------------------------------------------------------------------

ZERO, HALF = number(0), number(Fraction(1, 2))
FAILING = {
    "a mean that is no integer": ("o <- 0; x <- DLap(eps, q/2)", 1),
    "a value outside its set": ("o <- q; o <- 0", 2),
    "a value outside its set at the end": ("o <- 0; if q > 1 then o <- q end", 2),
    "a division by zero": ("o <- 1/(q - 1)", 1),
    "an index outside its array": ("a[1] <- 0; a[2] <- 1; o <- a[q + 1]", 2),
    "a negative probability": ("b <- flip(exp(eps)*(1 - q) + q); o <- 0", 0),
    "an unassigned variable": ("if q = 1 then x <- 0 end; o <- x", 2),
    "an unassigned output": ("if q = 1 then o <- 0 end", 2),
}
"""A body, and an input for which it fails."""


@pytest.mark.parametrize("body", FAILING)
def test_failing_runs(body: str) -> None:
    text, bad = FAILING[body]
    text = f"input q in {{0, 1, 2}}\noutput o in {{0, 1, -1}}\n{text}"
    law = meaning(text, q=bad)
    assert {kind for kind, _ in law} == {"failed"}
    assert not differ({("all", ()): total(list(law.values()))}, {("all", ()): ONE})
    assert {kind for kind, _ in meaning(text, q=1 if bad != 1 else 0)} <= {"ended"}
    program = read(Source("test.dip", text))
    if "exp(" not in text:  # whether a probability makes sense is asked later, for all eps together
        assert not wrong(program, {("q", 0): fmpq(bad)}, fmpq(3, 4))


def test_outputs_so_far() -> None:
    text = "input q in {0, 1}; output o[2] in {0, 1}; o[1] <- flip(1/2); x <- DLap(eps, q/2); o[2] <- 0"
    text = text.replace("o[1] <- flip(1/2)", "o[1] <- choose {0: 1/2, 1: 1/2}")
    assert meaning(text, q=1) == {("failed", (number(i), None)): HALF for i in (0, 1)}
    assert meaning(text, q=0) == {("ended", (number(i), ZERO)): HALF for i in (0, 1)}


def test_endless_runs() -> None:
    text = "output o in {0} = 0; b <- flip(1/2); while b do c <- flip(1/3) end"
    assert meaning(text) == {("ended", (ZERO,)): HALF, ("endless", ()): HALF}
    with pytest.raises(InputError, match="does not end with probability 1"):
        Explorer(read(Source("endless.dip", text))).law({})


# --- codes that are rewritten ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pick:
    """A variable becomes each number of a range."""

    variable: str
    low: ast.Expr
    high: ast.Expr


def put(name: str, value: str) -> Put:
    return Put(ast.Name(name), parse_expression(value), ast.NOWHERE)


def draw(name: str, kind: str, mean: str) -> Draw:
    return Draw(ast.Name(name), ast.Noise(kind, parse_expression("eps"), parse_expression(mean)), ast.NOWHERE)


def assume(condition: str) -> Assume:
    return Assume(parse_expression(condition), ast.NOWHERE)  # type: ignore[arg-type]


def pick(low: str, high: str) -> Pick:
    return Pick("w", parse_expression(low), parse_expression(high))


def rounds(place: int, low: str, high: str, *body: Any) -> list[Any]:
    """A loop over j, which begins at a place."""
    ends = parse_expression(low), parse_expression(high)
    return [Round("j", place, *ends, place + len(body) + 2, ast.NOWHERE), *body, Jump(place)]


def winner(kind: str, before: str, after: str) -> list[Any]:
    """``argmax`` of noisy cells: the winner is drawn first, then those before and those after it."""
    other = draw("r", kind, "q[j]")
    code = [pick("1", "N"), draw("best", kind, "q[w]")]
    code += rounds(2, "1", "w - 1", other, assume(f"best {before} r"))
    code += rounds(6, "w + 1", "N", other, assume(f"best {after} r"))
    return [*code, put("o", "w"), Halt(ast.NOWHERE)]


def running(kind: str) -> list[Any]:
    """A running best: the first value stays, or a cell is the first that is greater than all before."""
    other = draw("r", kind, "q[j]")
    code = [draw("best", kind, "0"), Either(8, "it stays", "it is beaten", ast.NOWHERE)]
    code += [*rounds(2, "1", "N", other, assume("r <= best")), put("o", "0"), Halt(ast.NOWHERE)]
    code += [pick("1", "N"), draw("x", kind, "q[w]"), assume("x > best")]
    code += rounds(11, "1", "w - 1", other, assume("r < x"))
    code += rounds(15, "w + 1", "N", other, assume("r <= x"))
    return [*code, put("o", "w"), Halt(ast.NOWHERE)]


HEAD = "param N = 1\ninput q[N] in {0, 1}\noutput o in 0..N\n"
ARGMAX = HEAD + "for i in 1..N do a[i] <- KIND(eps, q[i]) end; o <- argmax(a)"
BEST = (
    HEAD
    + """best <- KIND(eps, 0); o <- 0
for i in 1..N do
  r <- KIND(eps, q[i])
  if r > best then best <- r; o <- i end
end"""
)


def laws(text: str, n: int, code: Sequence[Any]) -> list[tuple[Law, Law]]:
    """For every input the law of a program and that of a code in its place."""
    program, eps = read(Source("original.dip", text), {"N": fmpq(n)}), fmpq(3, 4)
    found = []
    for inputs in InputSpace(program):
        rewritten = law_of(world(program, eps, code), {**inputs, ("N", 0): fmpq(n)})
        found.append((law_of(world(program, eps), inputs), rewritten))
    return found


@pytest.mark.parametrize("kind", ["Lap", "DLap", "LapPlus"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_winner_is_drawn_first(kind: str, n: int) -> None:
    for law, rewritten in laws(ARGMAX.replace("KIND", kind), n, winner(kind, ">", ">=")):
        assert not differ(law, rewritten)
        assert n > 1 or law == {("ended", (ONE,)): ONE}


@pytest.mark.parametrize("kind", ["Lap", "DLap"])
@pytest.mark.parametrize("n", [1, 2])
def test_a_running_best(kind: str, n: int) -> None:
    for law, rewritten in laws(BEST.replace("KIND", kind), n, running(kind)):
        assert not differ(law, rewritten)


def test_wrong_rewritings_have_other_laws() -> None:
    """Ties count twice or not at all; a winner that must beat itself drawn again has a mass of 1/2."""
    for sense, excess in ((">=", 1), (">", -1)):
        for _, rewritten in laws(ARGMAX.replace("KIND", "DLap"), 2, winner("DLap", sense, sense)):
            assert sign(total(list(rewritten.values())) - ONE) == excess
    again = [pick("1", "N"), draw("best", "Lap", "q[w]")]
    again += rounds(2, "1", "N", draw("r", "Lap", "q[j]"), assume("best >= r"))
    again += [put("o", "w"), Halt(ast.NOWHERE)]
    for law, rewritten in laws(ARGMAX.replace("KIND", "Lap"), 1, again):
        assert law == {("ended", (ONE,)): ONE}
        assert not differ(rewritten, {("ended", (ONE,)): HALF})
