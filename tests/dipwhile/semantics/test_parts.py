"""Independent parts: the answers are those of the whole program, and a program without them has none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from campaigns import many, some
from flint import fmpq
from independent_parts import random_program

import dipc
from dipc.claims.claim import Claim
from dipc.claims.counterexample import Counterexample
from dipc.claims.tightness.least_epsilon import budget
from dipc.claims.tightness.losses import violating_budgets
from dipc.claims.verdict import Verdict
from dipc.cli.main import status
from dipc.clock import Clock
from dipc.dipwhile import pipeline
from dipc.dipwhile.hub.explored import Explored
from dipc.dipwhile.mechanisms import Mechanism
from dipc.dipwhile.semantics.evaluate import spelled_cell
from dipc.dipwhile.semantics.independent import one_differs
from dipc.dipwhile.semantics.valuations import ungrouped
from dipc.errors import InputError
from dipc.numbers.quotient import Quotient

HEAD = "input q[2] in {0, 1}; output o[2] in {0, 1} = 0; "
EACH = "for i in 1..2 do x <- Lap(eps, q[i]); o[i] <- disc(x, 0, 1) end; "


def result(question: Callable[[], Any]) -> Any:
    """The answer, or the text of the error."""
    try:
        return question()
    except InputError as error:
        return str(error)


def twins(mechanism: Mechanism, goal: Claim) -> tuple[Any, Any]:
    """The verdict by parts, None if the program has none, and that of the whole program."""
    by_parts = result(lambda: pipeline._decided_by_parts(Explored(mechanism.program), goal, pipeline.Ask()))
    whole = result(lambda: pipeline._decided(Explored(mechanism.program), goal, pipeline.Ask()))
    return by_parts, whole


def is_exact(mechanism: Mechanism, found: Counterexample) -> bool:
    """Whether a counterexample has the probabilities of the whole program."""
    program = mechanism.program
    assert program.claim is not None
    (output,) = (tuple(ungrouped(program.outputs, output).values()) for output in found.outputs)
    inputs = (ungrouped(program.inputs, values) for values in (found.input, found.neighbour))
    laws = (pipeline.distribution(program, values, program.claim.budgets) for values in inputs)
    probabilities = [law.get(output, Quotient.of(0)) for law in laws]
    return probabilities == [found.probability, found.neighbour_probability]


def agree(mechanism: Mechanism, one: Verdict, other: Verdict) -> bool:
    """Whether two verdicts say the same.

    If one part differs, counterexamples are equal, but for outputs that are impossible at some eps.
    """
    assert (one.status, one.claim, one.notes) == (other.status, other.claim, other.notes)
    mine, its = one.counts, other.counts
    assert (mine.inputs, mine.outputs) == (its.inputs, its.outputs)
    found, known = one.counterexample, other.counterexample
    program = mechanism.program
    assert program.adjacency is not None
    if one_differs(
        mechanism.explored.space, [part for part, _ in mechanism.explored.parts], program.adjacency
    ):
        assert mine.pairs == its.pairs
        if found == known:
            return True
        alike = (found.input, found.neighbour, found.regions) == (known.input, known.neighbour, known.regions)
        assert alike and "flip(eps)" in mechanism.source.text
    return found is None or is_exact(mechanism, found)


def compared(text: str) -> str:
    """How a program was decided, if both ways agree: ``whole`` without parts, else the verdict."""
    mechanism = Mechanism.load(text)
    claim = mechanism.program.claim
    assert claim is not None
    goal = pipeline.claim_of(claim)
    by_parts, whole = twins(mechanism, goal)
    if by_parts is None:
        return "whole"
    assert agree(mechanism, by_parts, whole), text
    if goal.by_output:
        program = mechanism.program
        some, every = (
            pipeline.losses_of(Explored(program), goal.budgets, Clock(), by_output=by_output)
            for by_output in (True, None)
        )
        least, known = budget(some).least, budget(every).least
        assert (least.low, least.infinite) == (known.low, known.infinite), text
        assert str(violating_budgets(goal, some)) == str(violating_budgets(goal, every)), text
    return by_parts.status


def tried(almost: bool, seeds: range) -> Counter[str]:
    """How many programs were decided how, or were refused with which error."""
    return Counter(result(lambda seed=seed: compared(random_program(seed, almost))) for seed in seeds)


def test_random_programs_with_parts() -> None:
    found = tried(False, range(many(8, 1000)))
    assert found["private"] > 2 and found["violated"] > 2


def test_random_programs_that_almost_have_parts() -> None:
    found = tried(True, range(many(8, 1000)))
    assert found["whole"] > 2 and found["private"] + found["violated"] > 2


def parts(text: str) -> list[tuple[str, ...]]:
    """The inputs and outputs of each part."""
    explored = Mechanism.load(text).explored
    cells = [(*part.inputs, *part.outputs) for part, _ in explored.parts]
    return [tuple(map(spelled_cell, each)) for each in cells]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (EACH, [("q[1]", "o[1]"), ("q[2]", "o[2]")]),
        (EACH.replace("q[i]", "q[1]"), [("q[1]", "o[1]", "o[2]"), ("q[2]",)]),
        ("o[1] <- q[1]", [("q[1]", "o[1]"), ("q[2]",), ("o[2]",)]),
        ("o[1] <- q[1]; if q[2] = 0 then o[1] <- 0 end", [("q[1]", "q[2]", "o[1]"), ("o[2]",)]),
        ("o[1] <- q[1]; o[1] <- q[2]", [("q[1]", "q[2]", "o[1]"), ("o[2]",)]),
        ("o[1] <- q[1]; o[2] <- o[1]", [("q[1]", "o[1]", "o[2]"), ("q[2]",)]),
        ("o[1] <- o[2]; o[2] <- q[2]", [("q[1]",), ("q[2]", "o[1]", "o[2]")]),
        ("x <- q[1]; if q[2] = 0 then x <- 1 end; o[2] <- x", [("q[1]", "q[2]", "o[2]"), ("o[1]",)]),
        ("x <- q[1]; x <- q[2]; o[2] <- x", [("q[1]",), ("q[2]", "o[2]"), ("o[1]",)]),
        ("k <- choose {1: 1/2, 2: 1/2}; o[k] <- 1", [("q[1]",), ("q[2]",), ("o[1]", "o[2]")]),
        (f"if q[1] = 1 then exit end; {EACH}", []),
    ],
)
def test_the_parts_of_a_program(text: str, expected: list[tuple[str, ...]]) -> None:
    other = [("z",)] if expected else []
    assert sorted(parts(f"{HEAD}output z in {{0}} = 0; {text}")) == sorted(expected + other)


def test_parts_that_are_alike_are_explored_once() -> None:
    explored = Mechanism.load("hist1", N=4).explored
    assert len({id(own) for _, own in explored.parts}) == 1


@pytest.mark.parametrize(
    ("adjacent", "domain", "mean", "least"),
    [
        ("l1 1", "0, 1", "q[i]", 1),
        ("hamming 1", "0, 1", "q[i]", 1),
        ("l1 1", "0, 1", "q[1]", 2),
        ("l1 1", "0, 1/2, 1", "min(q[i], 1/2)", 1),
        ("l1 1/2", "0, 1/2, 1", "min(q[i], 1/2)", "1/2"),
        ("hamming 2", "0, 1", "q[i]", 2),
        ("linf 1", "0, 1", "q[i]", 2),
        ("all", "0, 1", "q[i]", 2),
    ],
)
def test_parts_that_may_differ_at_once_add_up(adjacent: str, domain: str, mean: str, least: Any) -> None:
    head = (
        f"input q[2] in {{{domain}}}; output o[2] in {{0, 1}} = 0; adjacent {adjacent}; private {least}*eps; "
    )
    found = dipc.load(head + EACH.replace("q[i]", mean))
    assert found.check().status == "private"
    assert str(found.budget().least.exact) == str(least)


CROSSING = (
    "if q[i] = 0 then x <- flip(1/2) elif q[i] = 1 then x <- flip(exp(eps)/(1+exp(eps)))"
    " else x <- flip(3/4) end; if x then o[i] <- 1 else o[i] <- 0 end"
)
CERTAIN = "if q[i] = 2 then x <- true else x <- flip(eps/2) end; if x then o[i] <- 1 else o[i] <- 0 end"
CONCAVE = "x <- Lap(eps, min(3*q[i], 1 + q[i])); o[i] <- disc(x, 0, 1, 2, 3)"


WAYS = product(
    (CROSSING, CERTAIN, CONCAVE),
    ("3/2*eps", "3*eps", "4*eps", "eps + ln(3)", "2*ln(2)"),
    ("hamming 2", "l1 1", "l1 2", "linf 1", "all"),
)


@pytest.mark.parametrize(("body", "claim", "adjacent"), some(WAYS, 8))
def test_the_ways_that_lose_most(body: str, claim: str, adjacent: str) -> None:
    domain = "0, 1/2, 1" if body is CONCAVE else "0, 1, 2"
    head = f"input q[2] in {{{domain}}}; output o[2] in 0..3 = 0; adjacent {adjacent}; "
    text = f"{head}private {claim} for eps in (0, 1]; for i in 1..2 do {body} end"
    assert compared(text) in ("private", "violated")


def test_many_cells() -> None:
    mechanism = dipc.load("hist1", N=20)
    private, violated = mechanism.check(), mechanism.check("1/2*eps")
    assert private.counts.outputs == private.counts.inputs == 3**20
    found = violated.counterexample
    assert (found.probability, len(found.outputs)) == (Quotient.of(fmpq(1, 2**20)), 1)
    assert mechanism.budget().t == 1
    text = Path("programs/histogram/hist1.dip").read_text(encoding="utf-8")
    assert dipc.load(text.replace("l1 1", "linf 1"), N=20).budget().t == 20
    (region,) = mechanism.violating_budgets("eps/2, 1/10").regions
    assert fmpq(2, 5) < region.low.low < fmpq(1, 2) and region.high is None


def test_an_event_of_one_part_refutes_where_outputs_are_too_many() -> None:
    found = dipc.load("hist1", N=12).check("1/2*eps, 1/1000").counterexample
    assert found.outputs == ((("out[12]", -1),),)
    assert str(found.probability) == "1/2"


@pytest.mark.parametrize(("claim", "found"), [("eps", 0), ("1/2*eps", 1)])
def test_the_certificate_is_about_the_whole_program(claim: str, found: int, tmp_path: Path) -> None:
    question, file = ["hist1", "-D", "N=2"], str(tmp_path / "hist1.json")
    assert status(["check", *question, "--claim", claim, "--certificate", file]) == found
    verdict = ["--claim", claim, "--expect", "violated" if found else "private"]
    assert status(["verify", file, "--program", *question, *verdict, "--deep"]) == 0


def test_a_part_that_is_wrong_is_reported_as_ever() -> None:
    text = HEAD + "adjacent hamming 1; private eps; o[1] <- q[1]; b <- flip(2*eps); if b then o[2] <- 1 end"
    with pytest.raises(InputError, match="exceeds 1 at eps"):
        dipc.load(text).check()


@pytest.mark.parametrize("command", ["check", "budget", "regions"])
def test_the_shortcut_is_named(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status([command, "hist1", "-D", "N=5", "--verbose"]) == 0
    assert "5 independent parts, of which one differs\n" in capsys.readouterr().err
    assert status([command, "hist1", "-D", "N=1", "--verbose"]) == 0
    assert "independent" not in capsys.readouterr().err
