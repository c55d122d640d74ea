"""Ranges of the privacy parameter eps, and the simplest rational number in one."""

from __future__ import annotations

from flint import fmpq

from dipc.errors import InputError
from dipc.frozen import frozen


@frozen
class EpsRange:
    """The values of eps from ``low`` to ``high`` (None: infinity); an open end does not belong to them."""

    low: fmpq
    high: fmpq | None
    low_closed: bool = False
    high_closed: bool = False

    @staticmethod
    def positive() -> EpsRange:
        """All eps > 0."""
        return EpsRange(fmpq(0), None)

    @staticmethod
    def point(eps: fmpq) -> EpsRange:
        """One eps only."""
        return EpsRange(eps, eps, True, True)

    def only(self, eps: fmpq) -> EpsRange:
        """One eps of this range.  Raises :class:`InputError` if it is not in it."""
        if eps not in self:
            raise InputError(f"eps = {eps} is not in {self}", hint="ask about an eps of this range")
        return EpsRange.point(eps)

    @property
    def is_point(self) -> bool:
        """Whether it is one eps only."""
        return self.low == self.high

    @property
    def inside(self) -> fmpq:
        """A point inside."""
        return self.low + 1 if self.high is None else (self.low + self.high) / 2

    @property
    def closed_ends(self) -> tuple[fmpq, ...]:
        """The ends that belong to the range."""
        low = (self.low,) if self.low_closed else ()
        return (*low, self.high) if self.high is not None and self.high_closed else low

    @property
    def inverse(self) -> EpsRange:
        """The values of 1/eps."""
        low = fmpq(0) if self.high is None else 1 / self.high
        return EpsRange(low, 1 / self.low if self.low else None, self.high_closed, self.low_closed)

    def __contains__(self, eps: fmpq) -> bool:
        above = eps > self.low or (self.low_closed and eps == self.low)
        below = self.high is None or eps < self.high or (self.high_closed and eps == self.high)
        return above and below

    def __str__(self) -> str:
        high = "inf" if self.high is None else str(self.high)
        return f"{'[' if self.low_closed else '('}{self.low}, {high}{']' if self.high_closed else ')'}"


def simplest_between(low: fmpq, high: fmpq | None) -> fmpq:
    """The rational of least denominator (then least numerator) strictly between two non-negative ends.

    Walks down the Stern-Brocot tree by continued fractions.
    """
    whole = fmpq(low.floor()) + 1
    if high is None or whole < high:
        return whole
    floor = whole - 1
    # Both ends lie in [floor, floor + 1]; the answer is floor + 1/x with x in between the inverses.
    inverse_high = None if low == floor else 1 / (low - floor)
    return floor + 1 / simplest_between(1 / (high - floor), inverse_high)


def middle_of(low: fmpq, high: fmpq) -> fmpq:
    """A point between, about the geometric mean if the ends, 0 <= low < high, are of different size."""
    if not low or high <= 4 * low:
        return (low + high) / 2
    return low * fmpq(2) ** (int((high / low).floor()).bit_length() // 2)
