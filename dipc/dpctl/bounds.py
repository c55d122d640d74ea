"""The inequalities of D between two states, and what a search for a violation finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from dipc.numbers.quotient import Quotient

Number = Any  # fmpq or Quotient


class Outcome(NamedTuple):
    """The probabilities of a path formula from two states; of a decision process, under the word ``prefix``
    of actions and then ``cycle`` for ever; ``steps`` is the k of a ``forall k in N``."""

    state: int
    neighbour: int
    p: Quotient
    q: Quotient
    prefix: tuple[int, ...] = ()
    cycle: tuple[int, ...] = ()
    steps: int | None = None


@dataclass(slots=True)
class Bound:
    """The inequalities p <= factor*q + delta and q <= factor*p + delta; ``sign`` compares numbers.
    While a least parameter is looked for, ``least`` is "epsilon" or "delta" and the bound grows just enough
    to allow every pair that is found; ``factor`` None is infinite.
    """

    factor: Number | None
    delta: Number
    sign: Callable[[Any], int]
    least: str = ""
    attained: tuple[int, int] | None = None

    def breaks(self, p: Number, q: Number) -> bool:
        """Whether p is too large."""
        return self.factor is not None and self.sign(self.needed(p, q) - self.delta) > 0

    @property
    def is_equality(self) -> bool:
        """Whether exactly p = q is allowed."""
        return not self.least and self.factor == 1 and not self.delta

    @property
    def parameter(self) -> Number | None:
        """The least parameter that was found so far."""
        return self.factor if self.least == "epsilon" else self.delta

    def needed(self, p: Number, q: Number) -> Number:
        """The least delta for this pair and the factor, which may be negative."""
        return p - self.factor * q

    def grow(self, breach: Outcome) -> None:
        """Allow a pair that breaks the bound."""
        self.attained = breach.state, breach.neighbour
        self.allow(breach.p, breach.q)

    def allow(self, p: Number, q: Number) -> None:
        """Grow until p is not too large for q."""
        if self.least == "delta":
            self.delta = self.needed(p, q)
        else:
            self.factor = (p - self.delta) / q if self.sign(q) else None

    def widened(self, pairs: Iterable[tuple[Number, Number]]) -> Bound:
        """The bound grown to allow these pairs too."""
        wider = replace(self)
        for p, q in pairs:
            if wider.breaks(p, q):
                wider.allow(p, q)
        return wider

    def search(self, outcomes: Iterable[Outcome]) -> Searched:
        """The first of all outcomes that breaks the bound; a bound that grows allows them."""
        for each in outcomes:
            if self.breaks(each.p, each.q):
                if not self.least:
                    return Searched(each)
                self.grow(each)
            elif self.least and self.attained is None and self._is_tight(each.p, each.q):
                self.attained = each.state, each.neighbour
        return Searched()

    def _is_tight(self, p: Number, q: Number) -> bool:
        """Whether both sides are equal."""
        equal = self.factor is not None and not self.needed(p, q) - self.delta
        return equal and bool(self.least == "delta" or self.sign(q))


@dataclass(frozen=True, slots=True)
class Searched:
    """What the search found: a counterexample, or none and the range [low, high] of the least delta if some
    pairs stay open, or a proof (all None).  While a least parameter is looked for, ``wider`` is a bound that
    allows whatever stays open."""

    breach: Outcome | None = None
    low: Number = None
    high: Number = None
    wider: Bound | None = None


def lifted(value: Number) -> Quotient:
    """A number as a function of eps."""
    return value if isinstance(value, Quotient) else Quotient.of(value)


def plain(value: Quotient) -> Number:
    """A rational number as one."""
    found = value.as_rational()
    return value if found is None else found
