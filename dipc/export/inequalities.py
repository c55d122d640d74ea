"""The claim of a program as a list of different inequalities."""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq

from dipc.models.values import Valuation
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.inequality import Answer, Holds
from dipc.signs.proofs import Chain


@dataclass(frozen=True, slots=True)
class Inequality:
    """``probability <= bound`` for some outputs of one pair of inputs.

    Other pairs and outputs that lead to the same inequality are not listed.  ``function`` has the signs of
    the right side minus the left side; ``answer`` is what dipc found out about ``function >= 0``.
    """

    input: Valuation
    neighbour: Valuation
    outputs: tuple[Valuation, ...]
    probability: Quotient
    bound: Quotient
    function: ExpPoly
    answer: Answer

    @property
    def chain_start(self) -> fmpq | None:
        """Where the derivative chain begins that is its proof; None if it has another proof, or none."""
        match self.answer:
            case Holds(Chain(at)):
                return at
            case _:
                return None

    @property
    def margin(self) -> Quotient:
        """Right side minus left side."""
        return self.bound - self.probability
