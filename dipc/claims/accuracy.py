"""Accuracy as a claim: Pr[not GOOD on u] <= BETA for every input u with a condition, and every eps.

No two inputs are compared: the laws are those of one input each, as (good, bad), paired with itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from flint import fmpq

from dipc.claims.claim import Claim, Finding, Inequalities, PairOfLaws, Witness
from dipc.claims.oracle import SignOracle, require_nonnegative
from dipc.claims.rows import Row, broken_rows, eps_row, number_row
from dipc.claims.verdict import Proved, Refuted
from dipc.claims.wording import Record
from dipc.models.laws import Vector
from dipc.models.values import Valuation, valuation_record, valuation_text
from dipc.numbers.quotient import Quotient
from dipc.signs.ends import Interval

BAD = 1
"""The place of the probability of an output that is not good."""


@dataclass(frozen=True, slots=True, repr=False)
class Inaccuracy(Witness):
    """An input and an eps at which an error is more likely than claimed; ``regions`` are all such eps."""

    input: Valuation
    epsilon: fmpq
    probability: Quotient
    bound: Quotient
    regions: tuple[Interval, ...] = ()

    def brief(self) -> str:
        """For example ``q = 0 at eps = 1``."""
        return f"{valuation_text(self.input)} at eps = {self.epsilon}"

    @property
    def sides(self) -> tuple[Quotient, Quotient]:
        return self.probability, self.bound

    def rows(self) -> Iterator[Row]:
        """The input, eps, the exact numbers, and where the claim is violated."""
        yield Row("input", valuation_text(self.input), "input", valuation_record(self.input))
        yield eps_row(self.epsilon)
        yield number_row("P(error)", "probability", self.probability, self.epsilon)
        yield number_row("bound", "bound", self.bound, self.epsilon)
        yield from broken_rows(self.regions, "this input")


@dataclass(frozen=True, slots=True)
class Accurate(Claim):
    """``accurate good, beta [when condition]`` for every eps of ``budgets``."""

    good: str
    beta: Quotient
    condition: str | None = None

    proved: ClassVar[type[Proved]] = Proved
    refuted: ClassVar[type[Refuted]] = Refuted
    statement: ClassVar[str] = "measures"
    words: ClassVar[tuple[str, str]] = ("holds", "fails")
    of_pairs: ClassVar[bool] = False

    @property
    def by_output(self) -> bool:
        """The error is a set of outputs."""
        return False

    def inequalities(self, oracle: SignOracle) -> AccuracyInequalities:
        """The one inequality of each law."""
        return AccuracyInequalities(self, oracle)

    def __str__(self) -> str:
        return f"{self.written} {self.when}"

    @property
    def written(self) -> str:
        when = "" if self.condition is None else f" when {self.condition}"
        return f"accurate {self.good}, {self.beta}{when}"

    def brief(self) -> str:
        """The claim, and the range if that is not every eps > 0."""
        return f"{self.written}{self.brief_range}"

    def record(self) -> Record:
        """What is good, beta as a function of eps, the condition and the range."""
        beta, when = str(self.beta), self.condition
        return {"accurate": self.good, "beta": beta, "when": when, "for": self.range_text}

    def validate(self, oracle: SignOracle) -> None:
        """That beta is >= 0 on the whole range."""
        require_nonnegative(self.beta, oracle, self.span, f"the claimed beta {self.beta} is negative")


class AccuracyInequalities(Inequalities):
    """``beta - P(bad) >= 0``."""

    def __init__(self, claim: Accurate, judge: SignOracle) -> None:
        self.claim: Accurate = claim
        self.judge = judge

    def slacks(self, left: Vector, right: Vector) -> Iterator[tuple[tuple[int, ...], Quotient]]:
        """The one of the law on the left; both are the same."""
        yield (BAD,), self.claim.beta - left[BAD]

    def witness_as_found(self, finding: Finding, laws: PairOfLaws) -> Inaccuracy:
        """The input at the eps at hand."""
        return Inaccuracy(laws.inputs[0], finding.sample, laws.laws[0][BAD], self.claim.beta)
