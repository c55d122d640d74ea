"""Inputs explored together give the laws that each gives alone, in whatever order they are asked for."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, given
from numeric import fixed
from strategies import programs

import dipc
from dipc.dipwhile.semantics.adjacency import InputSpace
from dipc.dipwhile.semantics.explore import Explorer, check_total
from dipc.dipwhile.semantics.functions import OutputFunctions
from dipc.dipwhile.semantics.neighbours import OutputLaws
from dipc.errors import InternalError, LimitReached, Unsupported
from dipc.numbers.quotient import Quotient

PROGRAMS = Path(__file__).parent.parent.parent.parent / "programs"
SHARED = [
    "svt/svt1.dip",
    "svt/svt4.dip",
    "noisy_max/nmax1.dip",
    "noisy_max/nmax3.dip",
    "sums/prefix_sums.dip",
]


def assert_shared_is_fresh(mechanism: dipc.Mechanism, most: int) -> None:
    inputs = list(InputSpace(mechanism.program))
    fresh = [Explorer(mechanism.program).law(values) for values in inputs[:most]]
    together = Explorer(mechanism.program)
    assert [together.law(values) for values in inputs[:most]] == fresh
    order = list(range(len(fresh)))
    Random(1).shuffle(order)
    another = Explorer(mechanism.program)
    assert all(another.law(inputs[i]) == fresh[i] for i in order)
    space = InputSpace(mechanism.program)
    functions = OutputLaws(OutputFunctions(together, space, lambda _: None), space)
    found = [functions.law(functions.leaf([*values.values()])) for values in inputs[:most]]
    assert [sorted(str(p) for p in f if p) for f in found] == [sorted(map(str, f.values())) for f in fresh]
    assert all(another.law(inputs[i]) == fresh[i] for i in order)  # once more, from what is remembered


@pytest.mark.parametrize("name", SHARED)
def test_shipped_programs(name: str) -> None:
    assert_shared_is_fresh(dipc.load(PROGRAMS / name), 12)


@fixed(25)
@given(programs())
def test_random_programs(text: str) -> None:
    try:
        assert_shared_is_fresh(dipc.load(text), 6)
    except Unsupported:
        assume(False)


def test_permuted_prefixes_share_a_configuration() -> None:
    """Noisy sums do not remember in which order the ones came."""
    mechanism = dipc.load(
        "input q[3] in {0, 1}; output o in {0, 1}\nn <- 0\n"
        "for i in 1..3 do if q[i] = 1 then n <- n + 1 end end\n"
        "r <- Lap(eps, n); if r >= 1 then o <- 1 else o <- 0 end"
    )
    explorer = Explorer(mechanism.program)
    first = explorer.start.configuration
    zero, one = (explorer.after(first, v).configuration for v in mechanism.program.inputs[0].domain)
    assert zero is not one
    low, high = mechanism.program.inputs[0].domain
    assert explorer.after(zero, high).configuration is explorer.after(one, low).configuration


def test_an_unread_cell_does_not_matter() -> None:
    mechanism = dipc.load("input q[2] in 0..2; output o in 0..2\no <- q[2]")
    explorer = Explorer(mechanism.program)
    laws = {str(values): explorer.law(values) for values in InputSpace(mechanism.program)}
    assert len({str(law) for law in laws.values()}) == 3


def test_an_outcome_reached_before_and_after_an_input_is_read() -> None:
    mechanism = dipc.load(
        "input q in {0, 1}; output o in {0, 1} = 0\nb <- flip(1/2); if b then exit end\n"
        "c <- flip(1/3); if q = 1 and c then o <- 1 end"
    )
    explorer = Explorer(mechanism.program)
    assert explorer.start.emitted
    zero, one = (explorer.law(values) for values in InputSpace(mechanism.program))
    assert list(zero.values()) == [Quotient.one()]
    assert list(one.values()) == [Quotient.one() * 5 / 6, Quotient.one() / 6]


def test_probabilities_must_sum_to_one() -> None:
    check_total(Quotient.one())
    with pytest.raises(InternalError, match="sum to 1/2"):
        check_total(Quotient.one() / 2)


def test_a_deadline_that_has_passed() -> None:
    mechanism = dipc.load(PROGRAMS / "svt/svt1.dip")
    explorer = Explorer(mechanism.program, deadline=0.0)
    with pytest.raises(LimitReached, match="time limit"):
        explorer.law(next(iter(InputSpace(mechanism.program))))
