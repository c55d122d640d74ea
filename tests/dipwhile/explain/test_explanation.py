"""Explanations: what is chosen, what is computed, and how it is told."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from answers import contents
from flint import fmpq

import dipc
from dipc.claims.rows import lines
from dipc.cli.main import status
from dipc.dipwhile.explain import explanation
from dipc.dipwhile.explain.explanation import Explanation, Reason
from dipc.dipwhile.records.explanation import explanation_document
from dipc.errors import InputError, InternalError, LimitReached
from dipc.numbers.quotient import Quotient

PROGRAMS: list[tuple[str, dict[str, int]]] = [
    *((name, {"N": 2}) for name in ("svt1", "svt4", "svt5", "svt_bottoms", "sparse", "nmax1", "nmax4")),
    *((name, {"N": 1}) for name in ("hist1", "hist2", "rand1", "rand2", "svt3")),
    *((name, {}) for name in ("nmax3", "leaky_retry", "retry", "opendp_2922", "opendp_480", "mbi_65")),
    *((name, {}) for name in ("opendp_2922_fixed", "truncated_geometric", "kary_wrong", "exponential")),
]
Capture = pytest.CaptureFixture[str]

SILENT = "input q in {0, 1}; output o in {0}; adjacent all; private eps; o <- 0"


def totals(found: Explanation) -> tuple[Quotient, Quotient]:
    lefts = [route.left.probability for route in found.routes if route.left is not None]
    rights = [route.right.probability for route in found.routes if route.right is not None]
    return sum(lefts, Quotient.of(0)), sum(rights, Quotient.of(0))


@pytest.mark.parametrize(("name", "parameters"), PROGRAMS, ids=str)
def test_programs_are_explained(name: str, parameters: dict[str, int]) -> None:
    mechanism = dipc.load(name, **parameters)
    found = mechanism.explain()
    violated = mechanism.check().counterexample
    assert found.reason is (Reason.TIGHTEST if violated is None else Reason.VIOLATED)
    left, right = totals(found)
    assert left + found.rest == found.probability
    assert right + found.neighbour_rest == found.neighbour_probability
    assert (not found.rest) == found.complete
    assert found.claimed is not None
    assert found.claimed.broken_at(found.eps) == (violated is not None)
    if violated is not None:
        assert (found.input, found.neighbour) == (violated.input, violated.neighbour)
        assert found.probability == violated.probability
        assert found.claimed.bound == violated.bound
    t = found.aligned
    if t is not None and found.tightness is not None and not found.tightness.of_delta:
        assert found.tightness.least.low <= t, "the bound by shifts is a bound"
    text = "\n".join(line for section in explanation_document(found) for _, line in lines(section.rows))
    assert found.outputs
    assert "None" not in text


def test_what_was_asked_for() -> None:
    mechanism = dipc.load("svt1")
    pair = ("q=[0,1,1]", "q=[1,1,1]")
    found = mechanism.explain(pair=pair, output="out=[bot,top,bot]")
    assert found.reason is Reason.ASKED
    assert found.probability == mechanism.distribution(q=[0, 1, 1]).of(["bot", "top", "bot"])
    assert [(c, a, b) for c, a, b in found.changed] == [(("q", 1), 0, 1)]
    chosen = mechanism.explain(pair=pair)
    assert {found.input, found.neighbour} == {chosen.input, chosen.neighbour}
    assert chosen.tightness is not None
    assert found.tightness is not None
    assert chosen.tightness.least.low >= found.tightness.least.low


def test_a_twin_beyond_the_first_paths_is_found() -> None:
    """What makes the same choices comes later on u', where one more path leads to the output."""
    text = """
    input q in {0, 1}; output o in {0, 1}; adjacent all; private eps
    b <- flip(1/2); c <- q = 1 and b; d <- flip(1/3)
    if c then o <- 0 else
      if d then o <- 0 else o <- 1 end
    end
    """
    mechanism = dipc.load(text)
    found = mechanism.explain(pair=("q=0", "q=1"), output="o=0", paths=1)
    whole = mechanism.explain(pair=("q=0", "q=1"), output="o=0")
    assert not found.complete
    assert [route.right for route in found.routes][:1] == [whole.routes[0].right]
    assert whole.complete and whole.neighbour_complete
    assert any(route.left is None for route in whole.routes), "d = false leads to o = 0 on u' only"


def test_a_sum_that_is_wrong_is_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    law = SimpleNamespace(get=lambda *_: Quotient.of(fmpq(1, 2)))
    monkeypatch.setattr(explanation.pipeline, "distribution", lambda *_: law)
    with pytest.raises(InternalError, match="the paths have the probability"):
        dipc.load("nmax3").explain()


def test_refusals() -> None:
    svt = dipc.load("svt1")
    with pytest.raises(InputError, match="two inputs"):
        svt.explain(output="out=[bot,bot,bot]")
    with pytest.raises(InputError, match="no output `o`"):
        svt.explain(pair=("q=[0,1,1]", "q=[1,1,1]"), output="o=1")
    with pytest.raises(InputError, match="not neighbours"):
        svt.explain(pair=("q=[-1,1,1]", "q=[1,1,1]"))
    with pytest.raises(InputError, match="not neighbours"):
        svt.explain(pair=("q=[-1,1,1]", "q=[1,1,1]"), output="out=[bot,bot,bot]")
    with pytest.raises(InputError, match="must be positive"):
        svt.explain(paths=0)
    with pytest.raises(InputError, match="one of the budgets"):
        svt.explain("eps for eps in (0, 1]", at=2)
    with dipc.limits(seconds=0), pytest.raises(LimitReached):
        svt.explain()


def test_a_program_without_loss() -> None:
    silent = dipc.load(SILENT)
    with pytest.raises(InputError, match="no pair of neighbours differs"):
        silent.explain()
    found = silent.explain(pair=("q=0", "q=1"))
    assert found.tightness is not None
    assert (found.probability, found.tightness.least.exact, found.aligned) == (Quotient.one(), 0, 0)


# --- words -----------------------------------------------------------------------------------------


def run(capsys: Capture, *arguments: str) -> str:
    assert status(["explain", *arguments]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["opendp_2922"], "the program ends without a choice such as line 14 `noisy <- DLap("),
        (["leaky_retry"], "(all ways through the loop are summed)"),
        (["svt1", "-D", "N=2"], "this is tight: no smaller multiple of ε is enough"),
        (["rand1"], "an equality at every ε: tight, nothing is left"),
        (["sparse"], "31/240 is enough for all inputs and outputs"),
        (["nmax3", "--paths", "1"], "all other paths together have"),
        (["svt1", "-D", "N=2", "--at", "1/2"], "budget     ε = 1/2"),
    ],
)
def test_what_is_said(arguments: list[str], said: str, capsys: Capture) -> None:
    assert said in run(capsys, *arguments)


HEAD = "input q in {1, 2}\noutput o in {0, 1} = 0\nadjacent all\nprivate eps\n"
ONE_BRANCH = "if q = 1 then\n  b <- flip(1/2)\nelse\n  b <- flip(1/3)\nend\nif b then o <- 1 end"
TWO_FLIPS = """b <- flip(1/(1 + exp(eps)))
if b then o <- 1 end
keep <- flip(1/2)
if keep then o <- q - 1 end"""


@pytest.mark.parametrize(
    ("body", "pair", "said"),
    [
        (
            "z <- Lap(q*eps, 0)\nif z > 1 then o <- 1 end",
            ("q=1", "q=2"),
            "line 5 `z <- Lap(q*eps, 0)` draws from Lap(2*ε, 0) instead of Lap(ε, 0)",
        ),
        (
            ONE_BRANCH,
            ("q=1", "q=2"),
            "the program takes another way: line 8 `b <- flip(1/3)` instead of line 6 `b <- flip(1/2)`",
        ),
        (
            "y <- Lap(eps, 0)\nz <- Lap(eps, 0)\nif y > q*z then o <- 1 end",
            ("q=1", "q=2"),
            "line 7 `if y > q*z` compares something else",
        ),
        (
            "z <- Lap(eps, 0)\nif q = 1 then o <- 1 elif z > 0 then o <- 1 end",
            ("q=1", "q=2"),
            "the same choices are possible, and further ones follow: line 6 `if z > 0`",
        ),
        (
            "b <- choose {q: 1}\no <- 2 - b",
            ("q=1", "q=2"),
            "impossible: line 5 `b <- choose {q: 1}` cannot come out like this",
        ),
    ],
)
def test_why_no_path_corresponds(body: str, pair: tuple[str, str], said: str) -> None:
    found = str(dipc.load(HEAD + body).explain(pair=pair, output="o=1"))
    assert said in found
    assert ("impossible" in found) == said.startswith("impossible")


def test_a_conclusion_names_its_paths() -> None:
    """The first path has no partner; what holds of the second one is not concluded from that."""
    found = str(dipc.load(HEAD + TWO_FLIPS).explain(pair=("q=2", "q=1"), output="o=1"))
    lines = found[found.index("Where the loss comes from") :].splitlines()
    assert lines[1].split("  ")[1:] == [
        "paths 1, 3",
        "no path on u' corresponds to it (see above): only the exact probabilities tell",
    ]
    assert lines[2].split("  ")[1] == "path 2"
    assert "hence" not in found


@pytest.mark.parametrize(
    "arguments",
    [
        ["svt1", "-D", "N=2"],
        ["svt4", "-D", "N=2"],
        ["sparse", "-D", "N=2"],
        ["opendp_2922"],
        ["svt1", "-D", "N=3", "--claim", "eps/2"],
    ],
)
def test_the_next_commands_work(arguments: list[str], capsys: Capture) -> None:
    record = contents(run(capsys, *arguments, "--json"))
    assert record["next"]
    for command in record["next"]:
        words = re.findall(r"'[^']*'|\S+", command)
        assert words[0] == "dipc"
        assert status([word.strip("'") for word in words[1:]]) == 0
        capsys.readouterr()


def test_the_strongest_claim_keeps_the_interval(capsys: Capture) -> None:
    record = contents(run(capsys, "rand1", "-D", "N=1", "--claim", "2*eps for eps in (0, 1]", "--json"))
    assert "for eps in (0, 1]" in record["next"][0]
    assert record["claim"]["for"] == "(0, 1]"


def test_the_record(capsys: Capture) -> None:
    record: dict[str, Any] = contents(run(capsys, "svt4", "-D", "N=2", "--json"))
    assert (record["reason"], record["complete"], record["shifts_cost"]) == ("violated", True, "3/2")
    assert record["least"]["t"]["exact"] == "21/20"
    assert record["least"]["where"] == ["approached as eps -> 0"]
    assert record["inequality"]["violated_for"] == [["0", "2.0319164994"]]
    (path,) = record["paths"]
    assert path["input"]["probability"] == record["probability"]
    assert [step["kind"] for step in path["input"]["steps"]][:3] == ["noise", "noise", "branch"]
    assert path["input"]["steps"][2]["conditions"] == ["r₁ < rT"]
    assert path["shift"]["samples"][2] == {"name": "r₂", "by": "0", "mean": "-1", "cost": "3/4"}
    assert path["shift"]["bound"] == "exp(3/2*eps)"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["svt1", "--output", "out=[bot,bot,bot]"], "--pair"),
        (["svt1", "--paths", "0"], "--paths"),
        (["svt1", "--at", "-1"], "eps = -1"),
    ],
)
def test_broken_use(arguments: list[str], said: str, capsys: Capture) -> None:
    assert status(["explain", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_the_claim_itself_is_not_the_next_one_to_try(capsys: Capture) -> None:
    least = contents(run(capsys, "svt1", "-D", "N=1", "--json"))["next"][0].split("'")[1]
    assert "strongest" not in run(capsys, "svt1", "-D", "N=1", "--claim", least)
