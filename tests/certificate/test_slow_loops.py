"""Loops that the slow route does not solve; those that it solves are judged by `tests/laws`."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dipc.dipwhile.rederive.functions import Mass, NotCovered, constant, exponential
from dipc.dipwhile.rederive.loops import Moves, exits
from dipc.kernel.facts import add

E = exponential(Fraction(1))
ONE = constant(1)
UP, DOWN = Mass(E).over(add(ONE, E)), Mass().over(add(ONE, E))


def number(value: Fraction) -> Mass:
    return Mass(constant(value))


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
