"""The probability that one sample, the hub, compares with others, the spokes, in a given way: one integral.

Given the hub's value y, the spokes are independent.  So with the density f of the hub and the distribution
functions F of the spokes

    P  =  integral of  f(y) * product of F(y - m) over the spokes below * product of 1 - F(y - m) over those
          above * product of F(y - m) - F(y - m - w) over those within an interval of width w,

m their means, or those moved by what they are compared with.  The density of a sample that is compared with
constants is 0 outside its limits, so F is not always a distribution function.  Each factor is a piecewise
function, see :mod:`dipc.integration.weight`.  **Integer samples** can be equal: below means ``X <= y``, above
``X >= y``, within both, and the integral is a sum.

Factors commute: a product depends on how many factors of each kind there are.  Products share prefixes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from flint import fmpq

from dipc.dipwhile.hub.conditions import Interval
from dipc.dipwhile.semantics.noise import Random
from dipc.dipwhile.syntax.distributions import NOISE
from dipc.integration.linear import Linear
from dipc.integration.piecewise import Piecewise
from dipc.integration.weight import Bound, Weight, between
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient

Powers = tuple[tuple[int, int], ...]  # how often each factor occurs, by their numbers

HUB, BELOW, ABOVE, WITHIN = range(4)


class Factor(NamedTuple):
    """The density of the hub, or what the comparison with a spoke contributes."""

    kind: int
    noise: str
    rate: fmpq
    mean: fmpq
    width: fmpq  # of the interval for y that begins at the mean
    limits: Interval  # of the sample

    @property
    def law(self) -> Random:
        """The distribution of the sample."""
        return Random(NOISE[self.noise], self.rate, False, self.mean)

    @property
    def weight(self) -> Weight:
        """The density within the limits."""
        weight = self.law.weight
        for sign, end in zip((1, -1), self.limits, strict=True):
            if end is not None:
                weight = weight.where(Linear(((0, fmpq(sign)),), -sign * end))
        return weight

    def function(self) -> tuple[Piecewise, Quotient]:
        """What a spoke contributes as a function of y, and a factor to it."""
        y: Bound = fmpq(1), fmpq(0)
        upper = frozenset({y} if self.kind != ABOVE else ())
        lower = {ABOVE: frozenset({y}), WITHIN: frozenset({(y[0], -self.width)})}.get(self.kind, frozenset())
        function, factor = between(self.weight, lower, upper)
        return function, factor * self.law.factor


class Integrals:
    """All integrals over some factors; these are numbers in the order given."""

    def __init__(self, factors: Sequence[Factor]) -> None:
        self._factors = factors
        self._spokes = [factor.function() if factor.kind != HUB else None for factor in factors]
        self._products: dict[Powers, Piecewise] = {}
        self.probability = cache(self._integral)

    def _integral(self, hub: int, spokes: Powers) -> Quotient:
        """The integral over the hub; ``spokes`` are sorted."""
        own = self._factors[hub].law
        total = self._factors[hub].weight.times(self._product(spokes)).total()
        if not own.kind.integer:
            return total
        for number, often in spokes:
            total = total * self._spoke(number)[1] ** often
        return total * own.factor

    def _product(self, spokes: Powers) -> Piecewise:
        """The product of the functions of spokes, which is remembered with all its beginnings."""
        product, before = Piecewise.constant(ExpPoly.of(1)), Powers()
        for number, often in spokes:
            for times in range(1, often + 1):
                key = (*before, (number, times))
                if key not in self._products:
                    self._products[key] = product * self._spoke(number)[0]
                product = self._products[key]
            before = (*before, (number, often))
        return product

    def _spoke(self, number: int) -> tuple[Piecewise, Quotient]:
        found = self._spokes[number]
        assert found is not None
        return found
