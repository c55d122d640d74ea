"""The Renyi divergence of an integer order A >= 2 as a claim.

For all adjacent u, u' the sum ``sum_o P(u)(o)^A P(u')(o)^(1-A)`` is at most ``exp((A-1) epsilon)``; it is
infinite if an output is possible on u and impossible on u'.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dipc.claims.divergence import MeasuredClaim, Part
from dipc.claims.oracle import SignOracle
from dipc.claims.ratios import Measure, groups, impossible, renyi_sum
from dipc.models.laws import Vector
from dipc.numbers.quotient import Quotient


@dataclass(frozen=True, slots=True)
class Renyi(MeasuredClaim):
    """A Renyi divergence of at most epsilon for every eps of ``budgets``."""

    order: int

    @property
    def measure(self) -> Measure:
        """The divergence of this order."""
        return Measure(self.order)

    def parts(self, left: Vector, right: Vector, judge: SignOracle) -> Iterator[Part]:
        """The sum, or an output that makes it infinite."""
        among = groups(left, right, judge.budgets)
        if (infinite := impossible(among, judge.budgets)) is not None:
            yield Part(infinite.outputs, infinite.p, Quotient.of(0), infinite.outputs, infinite=True)
            return
        every = tuple(sorted(o for group in among for o in group.outputs))
        bound = self.exponent.factor ** (self.order - 1)
        yield Part(every, renyi_sum(among, self.order, judge), bound, every)
