"""Bounds on an integer sample that meet at an integer: the sum at the meeting point was once lost.

With a lower bound L(w) above the upper bound U(w) on one side of w0 and L(w0) = U(w0), the one value at w0
still counts.
"""

from __future__ import annotations

from itertools import product

import pytest
from agreement import wrong
from flint import fmpq

import dipc
from dipc.dipwhile.semantics.adjacency import InputSpace
from dipc.dipwhile.syntax.compile import read
from dipc.errors import Source
from dipc.integration.linear import Linear
from dipc.integration.piecewise import Piecewise
from dipc.integration.weight import Weight, over_leaf

HEAD = "input q in {0, 1}\noutput o in {true, false}\nadjacent all\nprivate eps\n"
NOISE = "a <- DLap(eps, q); b <- DLap(eps/2, 0)\n"
CONDITIONS = (
    "a <= b and a >= -b",
    "a + b >= 2 and a <= b",
    "a + b = 1 and a != b",
    "a + b = 2 and a = b",
    "a <= 2*b and a >= 4 - 2*b",
    "a >= b and a <= -b - 1",
    "a <= 3*b and a >= 1 - b and a <= 2",
)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_two_integers_between_crossing_bounds(condition: str) -> None:
    program = read(Source("test.dip", f"{HEAD}{NOISE}o <- {condition}\n"))
    for inputs in InputSpace(program):
        assert not wrong(program, inputs, fmpq(3, 2))


def condition(slope: int, offset: int, sign: int) -> Linear:
    """``v >= slope * w + offset`` (sign 1) or ``v <= slope * w + offset`` (sign -1); v is 0 and w is 1."""
    coefficients = ((0, fmpq(sign)), (1, fmpq(-sign * slope))) if slope else ((0, fmpq(sign)),)
    return Linear(coefficients, fmpq(-sign * offset), integer=True)


@pytest.mark.parametrize(("low", "high"), list(product(product((-2, -1, 1, 2), (-1, 0, 1)), repeat=2)))
def test_a_leaf_between_two_bounds_at_every_integer(low: tuple[int, int], high: tuple[int, int]) -> None:
    """``sum of exp(-|v|) over low(w) <= v <= high(w)``, w by w, with the sum written out."""
    weight = Weight(Piecewise.geometric(fmpq(1), fmpq(0)), integer=True)
    function, factor = over_leaf(weight, 0, [condition(*low, 1), condition(*high, -1)])
    for w in range(-4, 5):
        values = range(low[0] * w + low[1], high[0] * w + high[1] + 1)
        wanted = sum((dipc.ExpPoly.exp(-abs(v)) for v in values), dipc.ExpPoly())
        at_w = function.on_integers().restrict(fmpq(2 * w - 1, 2), above=True)
        at_w = at_w.restrict(fmpq(2 * w + 1, 2), above=False)
        point = Weight(at_w, integer=True).total()
        assert point * factor == dipc.Quotient(wanted), w
