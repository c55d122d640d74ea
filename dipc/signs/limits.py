"""Where the search for roots stops: what is not settled by then is undecided."""

from __future__ import annotations

from flint import fmpq

from dipc.errors import LimitReached

LEAST_WIDTH = fmpq(1, 2**128)


class Unsettled(LimitReached):
    """Whether a function has a root in an interval was not settled."""

    def __init__(self, low: fmpq, high: fmpq) -> None:
        super().__init__(
            "the sign of an expression with constants exp(k) or inverse exponents exp(b/eps) "
            f"could not be settled in [{low}, {high}]"
        )
        self.low = low
        self.high = high
