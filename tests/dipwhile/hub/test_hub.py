"""The integral over a hub against the exploration of every input: laws, verdicts, least t, witnesses."""

from __future__ import annotations

from math import inf
from random import Random
from typing import Any

import numpy as np
import pytest
from campaigns import many

import dipc
import dipc.dipwhile.hub.extremal as extremal
import dipc.dipwhile.hub.laws as laws
import dipc.dipwhile.pipeline as pipeline
from dipc.dipwhile.hub.extremal import HubNeighbours, found
from dipc.dipwhile.mechanisms import Mechanism
from dipc.dipwhile.semantics.diagrams import Diagrams
from dipc.dipwhile.semantics.explore import Explorer
from tests.dipwhile.hub.hub_programs import ALMOST, almost, of_the_class

RUNNING = """
input  q[4] in {0, 1}
output o in 1..4
adjacent linf 1
best <- Lap(eps/2, q[1])
o <- 1
for i in 2..4 do
  r <- Lap(eps/2, q[i])
  if r > best then o <- i; best <- r end
end
"""
CLAIMS = ("eps/4", "eps/2", "3/4*eps", "eps", "3/2*eps", "2*eps", "3*eps", "eps for eps in (0, 1/2]", "1/2")


def hub_of(mechanism: Mechanism) -> HubNeighbours | None:
    """The shortcut for a program, if it has one."""
    relation = mechanism.program.adjacency
    assert relation is not None
    return found(mechanism.explored.space, relation, lambda: None)


def same_laws(mechanism: Mechanism, hub: HubNeighbours) -> int:
    """Compare the probability of each output for every input; how many."""
    space, explorer, compared = mechanism.explored.space, Explorer(mechanism.program), 0
    outcomes = hub._shapes.outcomes
    functions, diagrams = laws.found(space, lambda: None), Diagrams([len(domain) for domain in space.domains])
    assert functions is not None
    nodes = [functions.function(outcome, diagrams) for outcome in outcomes]
    for values in space:
        law = explorer.law(values)
        digits = [domain.index(values[cell]) for cell, domain in zip(space.cells, space.domains, strict=True)]
        mine = dict(zip(outcomes, hub.law(digits), strict=True))
        assert mine == law
        assert [diagrams.value(diagrams.at(node, digits)) for node in nodes] == list(mine.values())
        compared += len(law)
    return compared


WAYS = {"pairs": (0.0, laws.found), "laws": (inf, laws.found), "exploration": (inf, lambda *_: None)}


def answers(text: str, claim: str, way: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any, list[Any]]:
    """The verdict on a claim, the least t and the budgets that violate, with a shortcut or without."""
    few, found = WAYS[way]
    monkeypatch.setattr(pipeline, "FEW", few)
    monkeypatch.setattr(laws, "found", found)
    mechanism = Mechanism.load(text)
    verdict = mechanism.check(claim)
    most = 4 if "DLap" in text else many(4, 9)
    if mechanism.explored.space.size > most:  # the exploration takes minutes for the least t of some
        return verdict, None, []
    least = mechanism.budget().least
    ends = [end for region in mechanism.violating_budgets(claim).regions for end in region[:2]]
    return verdict, (least.exact, least.low, least.high), ends


def meet(end: Any, other: Any) -> bool:
    """Whether two ends of intervals may be the same number: it is exact, enclosed, or infinite."""
    if end is None or other is None:
        return end is other
    lows, highs = ([getattr(x, side, x) for x in (end, other)] for side in ("low", "high"))
    return bool(max(lows) <= min(highs))


def same_answers(text: str, claim: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Compare verdicts and least t; the verdict."""
    slow, least_of_all, all_ends = answers(text, claim, "exploration", monkeypatch)
    parts = pipeline.has_parts(Mechanism.load(text).explored, by_output=True)  # which are tried first
    for way in ("pairs", "laws"):
        fast, least, ends = answers(text, claim, way, monkeypatch)
        assert ("hub" in fast.counts.shortcut) == (way == "pairs" and not parts)
        assert fast.status == slow.status
        assert least == least_of_all
        for end, other in zip(ends, all_ends, strict=True):
            assert meet(end, other)
        if way == "laws":
            assert fast.counts == slow.counts
        if fast.status == "violated":
            witness = fast.counterexample
            confirmed = Mechanism.load(text).check(claim, pair=(dict(witness.input), dict(witness.neighbour)))
            assert confirmed.status == "violated"
    status: str = slow.status
    return status


@pytest.mark.parametrize("seed", range(many(12, 520)))
def test_programs_of_the_class_have_the_same_answers(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = of_the_class(seed, many(2, 3 if seed % 6 == 5 else 2))
    mechanism = Mechanism.load(text)
    hub = hub_of(mechanism)
    assert hub is not None, text
    assert same_laws(mechanism, hub)
    same_answers(text, Random(seed).choice(CLAIMS), monkeypatch)


@pytest.mark.parametrize("seed", range(many(len(ALMOST), 20 * len(ALMOST))))
def test_programs_that_almost_are(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = almost(seed)
    mechanism = Mechanism.load(text)
    hub = hub_of(mechanism)
    reason = ALMOST[seed % len(ALMOST)][1]
    assert (hub is not None) == (reason in USABLE), (reason, text)
    if hub is not None:
        assert same_laws(mechanism, hub)
        same_answers(text, Random(seed).choice(CLAIMS), monkeypatch)


USABLE = {
    "published",
    "compared with a constant",
    "a hub compared with a constant",
    "a spoke compared with a constant",
    "a sample that is 1",
    "a multiple of a sample and a constant",
    "a sample within bounds",
    "both compared with a constant",
    "samples between constants",
    "nothing is between the constants",
    "a hub within bounds",
    "compared twice",
    "integer noise",
    "a coin",
    "a tie",
    "a distance",
    "an output that is read",
    "the other sample is the hub",
    "a cell in two stars",
    "a cell in two spokes",
    "an extreme in an expression",
    "an extreme compared with another one",
    "an extreme in a condition",
    "a cell beside the other sample",
    "a cell by another name",
    "a cell beside a sample, by another name",
}
"""Which of them are of the class after all."""


@pytest.mark.parametrize("sign", ["r > best", "best > r"])
def test_the_extreme_so_far_is_folded(sign: str) -> None:
    mechanism = Mechanism.load(RUNNING.replace("r > best", sign))
    hub = hub_of(mechanism)
    assert hub is not None
    assert all(len(shape.runs) == 1 for shape, _ in hub._shapes.of)
    assert same_laws(mechanism, hub) == 4 * 2**4


def test_a_hub_between_its_spokes_is_not_monotone(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
    input  q in {0, 3, 6}
    output o in {0, 1} = 0
    adjacent all
    h <- Lap(eps, q)
    r <- Lap(eps, 3)
    s <- Lap(eps, 3)
    if r > h then if h > s then o <- 1 end end
    """
    assert same_answers(text, "eps", monkeypatch) == "violated"


def test_sizes_that_no_list_of_inputs_reaches() -> None:
    verdict = Mechanism.load("svt1", N=8).check()
    assert verdict.status == "private"
    assert verdict.counts.inputs == 3**8
    assert verdict.counts.shortcut
    assert dipc.load("nmax1", N=9).check().status == "private"
    assert dipc.load("nmax1", N=9).check("99/100*eps").status == "violated"


@dipc.mechanism(inputs="q[2] in {0, 1, 2}", outputs="out in 0..1", adjacent="linf 1", private="eps")
def noisy_maximum(q: Any, eps: Any) -> Any:
    noisy = np.array(q) + np.random.laplace(scale=2 / eps, size=len(q))
    return int(np.argmax(noisy))


def test_a_mechanism_in_python() -> None:
    hub = hub_of(noisy_maximum)
    assert hub is not None
    assert same_laws(noisy_maximum, hub)


def test_many_pairs_that_no_other_dominates_are_left_to_the_exploration(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mechanism = Mechanism.load("nmax1", N=5)
    assert hub_of(mechanism) is not None
    monkeypatch.setattr(extremal, "MOST_PAIRS", 9)  # it has 10
    assert hub_of(mechanism) is None


def test_a_certificate_is_about_all_pairs() -> None:
    mechanism = Mechanism.load("nmax1", N=5)
    verdict = mechanism.check("eps")
    assert verdict.counts.shortcut and verdict.evidence is None
