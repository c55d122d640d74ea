"""Finite chains against their powers."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numeric import fixed

from dipc.dipwhile.rederive.functions import Mass, NotCovered, constant, exponential
from dipc.dipwhile.rederive.loops import Moves, eliminated, exits
from dipc.kernel.facts import add

E = exponential(Fraction(1))
ONE = constant(1)
UP, DOWN = Mass(E).over(add(ONE, E)), Mass().over(add(ONE, E))


def number(value: Fraction) -> Mass:
    return Mass(constant(value))


@st.composite
def chains(draw: st.DrawFn) -> dict[int, dict[int, Fraction]]:
    """States 0 to n - 1; exits -1 and -2; every state leaves with a probability of at least 1/4."""
    size = draw(st.integers(1, 4))
    chain = {}
    for state in range(size):
        weights = {t: draw(st.integers(0, 3)) for t in range(-2, size)}
        weights[draw(st.sampled_from([-1, -2]))] += 4
        total = sum(weights.values())
        chain[state] = {t: Fraction(w, total) for t, w in weights.items() if w}
    return chain


@fixed(60)
@given(chains())
def test_powers_of_the_chain_tend_to_the_exits(chain: dict[int, dict[int, Fraction]]) -> None:
    """What has left after 40 steps is at most the probability, and nearly all of it."""
    law = exits(0, lambda s: {t: number(p) for t, p in chain[s].items()} if s >= 0 else None)
    found = {}
    for target, mass in law.items():
        above, below = mass.pair()
        found[target] = sum(above.values()) / sum(below.values())
    assert sum(found.values()) == 1
    here = {0: 1.0}
    for _ in range(150):
        there: dict[int, float] = defaultdict(float)
        for state, p in here.items():
            for target, q in chain[state].items() if state >= 0 else [(state, Fraction(1))]:
                there[target] += p * float(q)
        here = there
    assert all(abs(here[target] - float(p)) < 1e-9 for target, p in found.items())


def test_a_pivot_that_is_zero() -> None:
    """Rows change places; 0 x + y = 3 and x + 0 y = 5."""
    rows = eliminated([[{}, ONE, constant(3)], [ONE, {}, constant(5)]])
    assert rows[1][1:] == [constant(-1), constant(-3)]  # minors: the second one is the determinant


def test_a_loop_without_end_is_not_covered() -> None:
    for moves in ({0: Mass()}, {0: UP, 1: Mass(add(E, constant(-2)))}):
        with pytest.raises(NotCovered, match="not shown that it ends"):
            exits(0, lambda s, moves=moves: moves if s == 0 else None)  # type: ignore[misc]


def test_every_state_must_leave_its_component() -> None:
    """From 0 a run leaves, or goes to 1; but whether it comes back from there depends on the budget."""
    half, perhaps = number(Fraction(1, 2)), Mass(add(E, constant(-2)))
    chain: dict[int, Moves[int]] = {0: {1: half, 2: half}, 1: {0: perhaps, 1: Mass(add(constant(3), E))}}
    with pytest.raises(NotCovered, match="not shown that it ends"):
        exits(0, chain.get)


def test_a_chain_that_grows_is_not_covered() -> None:
    with pytest.raises(NotCovered, match="states"):
        exits(0, lambda s: {s + 1: Mass()})
