"""Bounded range and Renyi divergences as claims: that epsilon bounds a measure of likelihood ratios."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from flint import fmpq

from dipc.claims.claim import Claim, Finding, Inequalities, PairOfLaws, Witness
from dipc.claims.exponent import Exponent, exponent_text
from dipc.claims.oracle import SignOracle, require_nonnegative, require_positive
from dipc.claims.ratios import Measure, Ratio, vanishes
from dipc.claims.rows import (
    Row,
    against_row,
    broken_rows,
    eps_row,
    input_rows,
    number_row,
    output_row,
)
from dipc.claims.verdict import Proved, Refuted
from dipc.claims.wording import Record, digits_apart
from dipc.models.laws import Vector
from dipc.models.values import Valuation, valuation_text
from dipc.numbers.exact import Exact
from dipc.numbers.quotient import Quotient
from dipc.signs.ends import Interval


@dataclass(frozen=True, slots=True)
class Measured(Claim):
    """That epsilon bounds a measure of the laws of adjacent inputs: no ratio exceeds ``exp(k epsilon)``."""

    exponent: Exponent
    measure: Measure

    proved: ClassVar[type[Proved]] = Proved
    refuted: ClassVar[type[Refuted]] = Refuted
    statement: ClassVar[str] = "measures"

    @property
    def by_output(self) -> bool:
        """Never: outputs are compared with each other, or summed."""
        return False

    @property
    def epsilon(self) -> str:
        """The claimed epsilon as text."""
        return exponent_text(self.exponent)

    def __str__(self) -> str:
        return f"private {self.written} {self.when}"

    @property
    def written(self) -> str:
        return self.measure.claim(self.epsilon)

    def brief(self) -> str:
        """For example ``range 2*eps``, and the range of eps if that is not every eps > 0."""
        return f"{self.written}{self.brief_range}"

    def record(self) -> Record:
        """The measure, epsilon as a function of eps, and the range of eps."""
        return {"measure": str(self.measure), "epsilon": self.epsilon, "for": self.range_text}

    def inequalities(self, oracle: SignOracle) -> MeasuredInequalities:
        """The inequalities that bound the measure."""
        return MeasuredInequalities(self, oracle)

    def validate(self, oracle: SignOracle) -> None:
        """That epsilon is >= 0 on the whole range."""
        for base, _ in self.exponent.functions:
            require_positive(base, oracle, self.span)
        message = f"the claimed epsilon {self.epsilon} is negative"
        require_nonnegative(self.exponent.factor - 1, oracle, self.span, message)


class MeasuredInequalities(Inequalities):
    """The inequalities of one claim for two laws."""

    def __init__(self, claim: Measured, judge: SignOracle) -> None:
        self.claim: Measured = claim
        self.judge = judge
        self._factor = claim.exponent.factor**claim.measure.times

    def _ratios(self, left: Vector, right: Vector) -> Iterator[tuple[tuple[int, ...], Ratio, Quotient]]:
        """The places of outputs, their ratio p/q, and the bound of p: 0 where a divergence is infinite."""
        for each in self.claim.measure.ratios(left, right, self.judge):
            yield (
                (each.outputs[0], each.others[0]) if each.others else each.outputs,
                each,
                Quotient.of(0) if self._infinite(each) else self._factor * each.q,
            )

    def _infinite(self, ratio: Ratio) -> bool:
        return not ratio.others and vanishes(ratio.q, self.judge.budgets)

    def slacks(self, left: Vector, right: Vector) -> Iterator[tuple[tuple[int, ...], Quotient]]:
        """What each ratio is less than its bound."""
        for places, ratio, bound in self._ratios(left, right):
            yield places, bound - ratio.p

    def witness_as_found(self, finding: Finding, laws: PairOfLaws) -> Excess:
        """The finding with exact numbers at the eps at hand."""
        known = self._ratios(*laws.laws)
        _, ratio, bound = next(each for each in known if each[0] == finding.outputs)
        outputs, others = (tuple(laws.outcomes[o] for o in some) for some in (ratio.outputs, ratio.others))
        eps, infinite = Exact(finding.sample), self._infinite(ratio)
        return Excess(*laws.inputs, outputs, others, eps, ratio.p, bound, (), infinite)


INFINITE = "impossible for the neighbour: no epsilon would do"


@dataclass(frozen=True, slots=True, repr=False)
class Excess(Witness):
    """``value > bound`` at ``epsilon``; ``others`` are the outputs that ``outputs`` are compared with.

    Of a bounded range the value is ``P(u)(o) P(u')(o')``, of a Renyi divergence the sum over ``outputs``, or
    the probability of outputs that are impossible for the neighbour (``infinite``).
    """

    input: Valuation
    neighbour: Valuation
    outputs: tuple[Valuation, ...]
    others: tuple[Valuation, ...]
    epsilon: fmpq
    value: Quotient
    bound: Quotient
    regions: tuple[Interval, ...]
    infinite: bool

    def __repr__(self) -> str:
        return f"<Excess {self.brief()}>"

    @property
    def sides(self) -> tuple[Quotient, Quotient]:
        return self.value, self.bound

    def brief(self) -> str:
        """For example ``q = 0 against q = 1: out = 0 against out = 1 at eps = 1``."""
        outputs = " or ".join(map(valuation_text, self.outputs))
        others = " against " + " or ".join(map(valuation_text, self.others)) if self.others else ""
        u, v = valuation_text(self.input), valuation_text(self.neighbour)
        return f"{u} against {v}: {outputs}{others} at eps = {self.epsilon}"

    def rows(self) -> Iterator[Row]:
        """The inputs, the outputs, eps, both sides and where the claim is violated."""
        yield from input_rows(self.input, self.neighbour)
        yield output_row(self.outputs)
        yield against_row(self.others)
        yield eps_row(self.epsilon)
        digits = digits_apart(self.value, self.bound, self.epsilon)
        label = "P(u)" if self.infinite else "P(u)(o) P(u')(o')" if self.others else "sum"
        yield number_row(label, "value", self.value, self.epsilon, digits)
        yield number_row("bound", "bound", self.bound, self.epsilon, digits)
        yield number_row("excess", "excess", self.value - self.bound, self.epsilon)
        yield Row("", INFINITE if self.infinite else None, "infinite", self.infinite)
        yield from broken_rows(self.regions, "these two inputs")
