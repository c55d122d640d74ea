"""A forest of comparisons of unbounded samples: none of them follows from the others."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from flint import fmpq

from dipc.integration.halfspaces import feasible, is_forest
from dipc.integration.linear import Linear
from dipc.integration.piecewise import Piecewise
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.polynomial import primitive

UNBOUNDED = Piecewise.laplace(fmpq(1), fmpq(0))


def links(random: Random, samples: int, integer: bool) -> list[Linear]:
    """As many comparisons of pairs as a tree has, at random."""
    return [
        Linear(
            tuple((i, fmpq(random.choice((-2, -1, 1, 2)))) for i in sorted(random.sample(range(samples), 2))),
            fmpq(random.randrange(-3, 4)),
            integer,
        )
        for _ in range(samples - 1)
    ]


@pytest.mark.parametrize("integer", (False, True))
def test_each_link_of_a_forest_can_hold_or_fail(integer: bool) -> None:
    random, weights, forests = Random(1), dict.fromkeys(range(4), UNBOUNDED), 0
    for _ in range(200):
        found = links(random, 4, integer)
        signs = product((True, False), repeat=3)
        free = all(
            feasible(weights, [x if keep else x.negated() for x, keep in zip(found, each, strict=True)])
            for each in signs
        )
        forests += is_forest(weights, found)
        assert free or not is_forest(weights, found)
    assert 50 < forests < 150


def test_what_is_no_forest() -> None:
    link = Linear(((0, fmpq(1)), (1, fmpq(-1))), fmpq(0))
    other = Linear(((0, fmpq(1)), (1, fmpq(-2))), fmpq(5))
    three = Linear(((0, fmpq(1)), (1, fmpq(1)), (2, fmpq(1))), fmpq(0))
    weights = dict.fromkeys(range(3), UNBOUNDED)
    bounded = UNBOUNDED.restrict(fmpq(0), above=True)
    assert is_forest(weights, [link])
    assert not is_forest(weights, [link, other])
    assert not is_forest(weights, [three])
    assert not is_forest({**weights, 0: bounded}, [link])


def test_what_is_primitive_stays() -> None:
    once = primitive(ExpPoly.of(6, 2, 3) - ExpPoly.of(fmpq(4, 5), 1, 5))
    assert primitive(once) is once
