"""Where the searches for roots and for proofs stop: what is not settled by then is undecided."""

from __future__ import annotations

from flint import fmpq

from dipc.errors import LimitReached
from dipc.signs.eps_range import EpsRange

LEAST_WIDTH = fmpq(1, 2**128)


class Unsettled(LimitReached):
    """It was not settled whether a function has a root in an interval."""

    def __init__(self, low: fmpq, high: fmpq) -> None:
        super().__init__(
            "the sign of an expression with constants exp(k), inverse exponents exp(b/eps) or a great "
            f"degree could not be settled in [{low}, {high}]"
        )
        self.low = low
        self.high = high

    def __reduce__(self) -> tuple[type[Unsettled], tuple[fmpq, fmpq]]:
        """An exception is else made again from its message: it must come out of a child process as it is."""
        return Unsettled, (self.low, self.high)


class NoProof(LimitReached):
    """No proof was found of what was decided by other means."""


def negative(eps_range: EpsRange) -> NoProof:
    """The error for a function that has no proof because it is negative somewhere in the range."""
    return NoProof(f"no certificate: a function is negative in {eps_range} though it was found not to be")
