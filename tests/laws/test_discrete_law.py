"""Law: the probabilities of programs with discrete Laplace noise lie in the intervals of the oracle.

The oracle adds up the paths on which the samples are close to their means; what is missing to 1 is the
width of its intervals.  At large budgets that is almost nothing, at small ones many paths are compared.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import oracles
from campaigns import drawn
from hypothesis import given, note
from strategies import discrete_programs

import dipc
from dipc.dipwhile.syntax.parser import parse
from dipc.errors import Source, Unsupported

BUDGETS = (Fraction(2), Fraction(4), Fraction(13, 2))
RADIUS = 4
DECIDED = 0.9


def test_discrete_distributions_lie_in_the_bounds_of_the_oracle() -> None:
    tally: Counter[str] = Counter()

    @drawn(8, campaign=20)
    @given(discrete_programs())
    def law(text: str) -> None:
        note(text)
        program = parse(Source("random.dip", text))
        try:
            mechanism = dipc.load(text)
            for inputs in oracles.all_inputs(program):
                found = oracles.dipc_distribution(mechanism, inputs)
                bounds = oracles.discrete_bounds(program, inputs, BUDGETS, RADIUS)
                for eps, interval in zip(BUDGETS, bounds, strict=True):
                    wrong = oracles.outside(found, interval, eps)
                    assert not wrong, (inputs, eps, wrong)
        except Unsupported:
            tally["unsupported"] += 1
        else:
            tally["decided"] += 1

    law()
    assert tally["decided"] >= DECIDED * tally.total(), tally
