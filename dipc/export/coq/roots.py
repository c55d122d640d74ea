"""A delta with a square root, (a + b*sqrt(g)) / (c + e*sqrt(g)), as ``Roots.v`` has it.

The sign of A + B*sqrt(g) is shown without a root, by those of A, B and A^2 - B^2*g: on the whole interval, or
on parts of it, as which of the two is larger may change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from dipc.errors import Unsupported
from dipc.export.coq.bounds import terms_needed
from dipc.export.coq.effort import Effort
from dipc.export.coq.listing import NOT_PROVED, Listing, Pair, Signs, scaled_by
from dipc.export.coq.terms import function
from dipc.kernel.facts import ROOTED, Function, Interval, Rooted, add, multiply, scale_of
from dipc.kernel.laws import Surd

MOST_CUTS = 6  # of the interval of the claim, one inside the other

Taken = Sequence[tuple[int, int, int]]


@dataclass(frozen=True)
class RootListing(Listing):
    """What a certificate lists, with a delta that has a square root."""

    @cached_property
    def surd(self) -> Surd:
        """The delta, in integers."""
        delta = self.certificate.table.delta
        assert isinstance(delta, Surd)
        square, scale = scale_of(delta.radicand), scale_of(*delta.above, *delta.below)
        above, below = (
            Rooted(scaled_by(scale * square, f.plain), scaled_by(scale, f.root))
            for f in (delta.above, delta.below)
        )
        return Surd(above, below, scaled_by(square**2, delta.radicand))

    has_delta = True

    def crossed(self, taken: Taken, times: int) -> Rooted:
        """The sum of times * (exp(t*eps) Q - P), and delta so often, multiplied by something positive."""
        f = self.over_common(taken, delta=0)
        d = scaled_by(times, self.product(self.denominators_of(taken)))
        above, below = self.surd.above, self.surd.below
        plain, root = (add(multiply(f, c), multiply(d, a)) for a, c in zip(above, below, strict=True))
        return Rooted(plain, root)

    # --- texts ---

    @property
    def more(self) -> tuple[str, ...]:
        """The modules that are needed besides."""
        return (*super().more, "Roots")

    def model(self) -> Iterator[str]:
        """The definition of the model, and that of delta."""
        unit = self.integers.unit

        def rooted(f: Rooted) -> str:
            return f"Rooted {' '.join(function(part, unit, 1) for part in f)}"

        yield from super().model()
        yield "Definition delta : surd := {|"
        yield f"  top := {rooted(self.surd.above)};"
        yield f"  bottom := {rooted(self.surd.below)};"
        yield f"  radicand := {function(self.surd.radicand, unit, 1)} |}}."

    def delta_of_eps(self) -> str:
        """Delta as a function of eps."""
        return "root_delta listed delta"

    def applied(self, word: str, rest: str) -> Iterator[str]:
        """The theorem about the check."""
        cuts = "" if self.certificate.violated else f" {self.root_signs.cuts}"
        yield f"  apply ({word}_root_sound listed _ delta _ {rest}{cuts})."

    # --- proofs ---

    def signs_with(self, pieces: bool) -> RootSigns:
        """The signs, proved with pieces or without."""
        return RootSigns(self, pieces)

    @property
    def root_signs(self) -> RootSigns:
        """The signs."""
        assert isinstance(self.signs, RootSigns)
        return self.signs

    def terms(self, eps: Fraction, pairs: Sequence[Pair]) -> int:
        """How many terms of exp show that the excess, and all denominators, are positive at eps."""
        g = self.surd.radicand
        excess = self.crossed([(-1, *pair) for pair in pairs], times=-1)
        positive = self.certificate.table.denominators
        return max(
            terms_needed(g, eps, strict=False),
            *(terms_needed(f, eps, strict=True) for f in positive),
            *(terms_at(f, g, eps) for f in (excess, self.surd.below)),
        )


def terms_at(f: Rooted, g: Function, eps: Fraction) -> int:
    """How many terms of exp show that f > 0 at eps.  Raises :class:`Unsupported`."""
    for kind in ROOTED.values():
        first, last = kind(f, g)
        try:
            return max(terms_needed(first, eps, strict=False), terms_needed(last, eps, strict=True))
        except Unsupported:
            continue
    raise Unsupported(f"bounds of exp do not show the sign of a function with a square root at eps = {eps}")


class RootSigns(Signs):
    """The signs of the pairs, and how often the interval is cut to show that delta is enough."""

    def __init__(self, listing: RootListing, pieces: bool) -> None:
        self.root_listing, self.cuts = listing, 0
        super().__init__(listing, pieces)
        self.require(listing.surd.radicand, "a radicand")
        self.require_rooted(listing.surd.below, "a denominator", strict=True)
        self.effort.settle()

    def require_delta(self, taken: Taken) -> None:
        """Refuse unless delta is shown to be enough for these outcomes."""
        self.require_rooted(self.root_listing.crossed(taken, times=1), "an inequality")

    def require_rooted(self, f: Rooted, what: str, strict: bool = False) -> None:
        """Refuse what is not proved."""
        found = cuts_needed(self.effort, f, self.root_listing.surd.radicand, strict)
        if found is None:
            raise Unsupported(NOT_PROVED.format(what))
        self.cuts = max(self.cuts, found)


def cuts_needed(effort: Effort, f: Rooted, g: Function, strict: bool) -> int | None:
    """``on_parts``: how often the interval is cut in two to prove f >= 0 (f > 0) on all parts, or None."""
    kinds = [kind(f, g) for kind in ROOTED.values()]

    def proves(on: Interval) -> bool:
        return any(effort.proves(a, part=on) and effort.proves(b, strict, on) for a, b in kinds)

    def cuts(on: Interval, most: int) -> int | None:
        if proves(on):
            return 0
        if most == 0:
            return None
        total = 0
        for part in parts(on):
            if (found := cuts(part, most - 1)) is None:
                return None
            total = max(total, 1 + found)
        return total

    return cuts(effort.on, MOST_CUTS)


def parts(on: Interval) -> tuple[Interval, Interval]:
    """The two parts of an interval.

    >>> [str(part.low) for part in parts(Interval(Fraction(0), None, False, False))]
    ['0', '1']
    """
    at = max(2 * on.low, Fraction(1)) if on.high is None else (on.low + on.high) / 2
    return on._replace(high=at, high_closed=True), on._replace(low=at, low_closed=True)
