"""Bounded range as a claim: ``P(u)(o) P(u')(o') <= exp(epsilon) P(u)(o') P(u')(o)`` for all outputs o, o'.

Outputs that are impossible on both inputs are left out; one that is possible on one of them only breaks it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dipc.claims.divergence import MeasuredClaim, Part
from dipc.claims.oracle import SignOracle
from dipc.claims.ratios import Measure, comparisons, groups
from dipc.models.laws import Vector


@dataclass(frozen=True, slots=True)
class BoundedRange(MeasuredClaim):
    """A bounded range of epsilon for every eps of ``budgets``."""

    @property
    def measure(self) -> Measure:
        """The range."""
        return Measure()

    def parts(self, left: Vector, right: Vector, judge: SignOracle) -> Iterator[Part]:
        """One inequality for each ordered pair of groups of outputs."""
        factor = self.exponent.factor
        for each in comparisons(groups(left, right, judge.budgets), judge.budgets):
            one, other = each.one.outputs, each.other.outputs
            yield Part((one[0], other[0]), each.more, factor * each.less, one, other)
