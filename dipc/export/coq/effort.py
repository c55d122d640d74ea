"""What Coq will compute, computed here first: so that no file is written whose theorem does not hold.

The functions mirror those of ``Chain.v``, ``Bounds.v`` and ``Pieces.v``; Coq trusts none of them.
"""

from __future__ import annotations

from fractions import Fraction

from dipc.errors import Unsupported
from dipc.export.coq.bounds import above_zero, low_at, terms_needed
from dipc.export.coq.pieces import ZERO, Needed, needed
from dipc.export.coq.terms import rational
from dipc.kernel.facts import Function, Interval, chain_holds, chain_of, scaled_together, unit_of

MOST_ROUNDS = 8


class Effort:
    """What the proofs of one file need: chains of derivatives and, if they are allowed and needed, pieces."""

    def __init__(self, on: Interval, pieces: bool = True) -> None:
        self.on, self.allowed = on, pieces
        self.terms, self.fuel = 0, 1
        self.pieces: tuple[int, int, Fraction] | None = None  # order, depth, beyond
        self.bounded: list[tuple[Function, bool, Interval]] = []  # what is proved with bounds of exp

    def __str__(self) -> str:
        """As Coq text."""
        known = f"{max(self.terms, 1)} {self.fuel}"
        if self.pieces is None:
            return f"(Effort {known})"
        order, depth, beyond = self.pieces
        return f"(Pieces {known} {order} {depth} {rational(beyond)})"

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that it needs besides."""
        return () if self.pieces is None else ("Pieces",)

    def include(self, other: Effort) -> None:
        """Be enough for the other proofs as well."""
        self.terms, self.fuel = max(self.terms, other.terms), max(self.fuel, other.fuel)
        if other.pieces is not None:
            self._more_pieces(*other.pieces)
        self.bounded += other.bounded
        self.settle()

    def settle(self) -> None:
        """Prove again what was proved with smaller numbers, as rounding is not monotonic."""
        for _ in range(MOST_ROUNDS):
            again = [claim for claim in self.bounded if not self._still(*claim)]
            if not again:
                return
            for claim in again:
                self._by_pieces(*claim)
        raise Unsupported("Coq cannot prove all inequalities with the same bounds of exp")

    def _more_pieces(self, order: int, depth: int, beyond: Fraction) -> None:
        known = self.pieces or (0, 0, ZERO)
        self.pieces = max(known[0], order), max(known[1], depth), max(known[2], beyond)

    # --- proofs ---

    def proves(self, f: Function, strict: bool = False, part: Interval | None = None) -> bool:
        """Whether f >= 0 (f > 0) on the interval, or a part of it, can be proved."""
        if not f:
            return not strict
        unit, [scaled] = unit_of(f), scaled_together(f)[1]
        if chain_holds(scaled, unit):
            self.fuel = max(self.fuel, 1 + sum(1 for _ in chain_of(f)))
            return True
        claim = f, strict, part or self.on
        found = self._from_low(*claim) or (self.allowed and self._by_pieces(*claim))
        if found:
            self.bounded.append(claim)
        return found

    def _from_low(self, f: Function, strict: bool, on: Interval) -> bool:
        """By a chain from the lower end on."""
        if on.low <= 0:
            return False
        chain = list(chain_of(f))
        try:
            terms = [terms_needed(g, on.low, strict) for g in chain]
        except Unsupported:
            return False
        self.fuel, self.terms = max(self.fuel, 1 + len(chain)), max(self.terms, *terms)
        return True

    def _by_pieces(self, f: Function, strict: bool, on: Interval) -> bool:
        """By pieces, whose end is then that of all functions."""
        found = needed(f, on, strict, ZERO if self.pieces is None else self.pieces[2])
        if found is None:
            return False
        self.terms, self.fuel = max(self.terms, found.terms), max(self.fuel, found.fuel)
        self._more_pieces(found.order, found.depth, found.beyond)
        return True

    def _still(self, f: Function, strict: bool, on: Interval) -> bool:
        """Whether Coq proves it with what is known now."""
        if on.low > 0 and all(above_zero(low_at(max(self.terms, 1), g, on.low), strict) for g in chain_of(f)):
            return True
        pieces = self.pieces
        return pieces is not None and Needed(self.terms, self.fuel, *pieces).proves(f, on, strict)
