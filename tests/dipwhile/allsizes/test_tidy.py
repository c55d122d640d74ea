"""Tidied shifts are a proof, by the conditions that the tests write down themselves; and shorter to tell."""

from __future__ import annotations

from dataclasses import replace
from itertools import starmap

import pytest

import dipc
from dipc.clock import Clock
from dipc.dipwhile.allsizes.automaton import Automaton, Edge
from dipc.dipwhile.allsizes.linear import Strategy
from dipc.dipwhile.allsizes.strategies import Solved, strategies
from dipc.dipwhile.allsizes.tidy import tidy
from dipc.dipwhile.allsizes.verdict import ProvedForAll
from dipc.dipwhile.allsizes.wording import in_words
from tests.dipwhile.allsizes import automata
from tests.dipwhile.allsizes.by_hand import SVT1, SVT1_PROOF, step


def named(automaton: Automaton, names: int) -> Automaton:
    """The automaton with names for its samples, the fewer the more edges share one."""

    def with_names(n: int, edge: Edge) -> Edge:
        texts = [f"x{(n + i) % names}" for i in range(len(edge.samples))]
        return replace(edge, path=tuple(step("sample", text, 1) for text in texts))

    return replace(automaton, edges=tuple(starmap(with_names, enumerate(automaton.edges))))


def solved(automaton: Automaton) -> list[Strategy]:
    """Strategies that could spend three times as much: a proof still, which leaves more open."""
    found = strategies(automaton, None, Clock())
    proofs = found.strategies if isinstance(found, Solved) else ()
    return [replace(one, potentials={p: 3 * phi for p, phi in one.potentials.items()}) for one in proofs]


@pytest.mark.parametrize("seed", range(120))
def test_a_tidy_strategy_is_a_proof(seed: int) -> None:
    automaton = named(automata.random_automaton(seed, kinds=("Lap", "LapPlus")), seed % 7 + 1)
    for strategy in solved(automaton):
        tidied = tidy(automaton, strategy)
        assert not [*automata.violations(automaton, strategy)]
        assert not [*automata.violations(automaton, tidied)]
        assert replace(tidied, shifts=strategy.shifts) == strategy


def test_some_random_strategies_change() -> None:
    automatons = [named(automata.random_automaton(seed), 50) for seed in range(40)]
    assert sum(tidy(a, one) != one for a in automatons for one in solved(a)) > 3


def test_what_is_needed_stays() -> None:
    assert tidy(SVT1, SVT1_PROOF) == SVT1_PROOF


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("hist1", "noisy stays"),
        ("partial_sum", "s stays"),
        ("svt_numeric", "rT moves by 1; r moves with its query, and by 1 if r >= rT; v stays"),
    ],
)
def test_shipped_programs(name: str, said: str) -> None:
    """The corner of the simplex method would need a table."""
    found = dipc.load(name).prove(find_least=False)
    assert isinstance(found.verdict, ProvedForAll)
    automaton, (strategy,) = found.verdict.automaton, found.verdict.strategies
    assert in_words(automaton, strategy) == said
    assert not [*automata.violations(automaton, strategy)]


GAP = """param N = 3
input q[N] in reals
output out[N] in reals = bot
adjacent linf 1
private eps for all N
rT <- Lap(eps/2, 0)
for i in 1..N do
  r <- Lap(eps/4, q[i])
  if r >= rT then out[i] <- r - rT; exit end
end
"""


def test_a_random_value_that_is_published() -> None:
    found = dipc.load(GAP).prove(find_least=False)
    said = "rT moves by 1; r moves with its query, and by 1 on the way to publishing out[i]"
    assert str(found).splitlines()[2].endswith(said)
