"""What Coq will compute, computed here first: so that no file is written whose theorem does not hold.

The functions mirror those of the same names in ``Chain.v`` and ``Bounds.v``; Coq trusts none of them.
"""

from __future__ import annotations

from fractions import Fraction

from dipc.errors import Unsupported
from dipc.kernel.facts import Function, chain_holds, chain_of, scaled_together, sign_at, unit_of

MOST_TERMS = 1 << 10  # of Taylor's polynomials of exp


def exp_low(n: int, x: Fraction) -> Fraction:
    """A lower bound of exp(x): n terms of the series, twice as many if x < 0."""
    total, term = Fraction(0), Fraction(1)
    for i in range(1 if x == 0 else n if x > 0 else 2 * n):
        total, term = total + term, term * x / (i + 1)
    return total


def low_at(n: int, f: Function, point: Fraction) -> Fraction | None:
    """A lower bound of f at a point, or None if n terms are too few."""
    values: dict[Fraction, Fraction] = {}
    for (power, a, _, _), c in f.items():
        values[a * point] = values.get(a * point, Fraction(0)) + c * point**power
    total = Fraction(0)
    for x, c in values.items():
        if c < 0:
            below = exp_low(n, -x)
            if below <= 0:
                return None
            total += c / below
        elif c > 0:
            total += c * exp_low(n, x)
    return total


def terms_needed(f: Function, point: Fraction, strict: bool) -> int:
    """How many terms show that f is > 0 at the point, or >= 0; a power of 2.

    Raises :class:`Unsupported` if it is not, or if that would take too many.
    """
    n = 8 if sign_at(f, point) >= int(strict) else MOST_TERMS + 1
    while n <= MOST_TERMS:
        bound = low_at(n, f, point)
        if bound is not None and (bound > 0 or (bound == 0 and not strict)):
            return n
        n *= 2
    raise Unsupported(f"{MOST_TERMS} terms of the series of exp do not show the sign at eps = {point}")


class Effort:
    """The numbers of terms and of derivatives that the proofs of one file need, from ``low`` on."""

    def __init__(self, low: Fraction) -> None:
        self.low, self.terms, self.fuel = low, 0, 1

    def proves(self, f: Function, strict: bool = False) -> bool:
        """Whether the chain of derivatives proves f >= 0 (f > 0) for all eps > 0, or from ``low`` on."""
        if not f:
            return not strict
        unit, [scaled] = unit_of(f), scaled_together(f)[1]
        if chain_holds(scaled, unit):
            self.fuel = max(self.fuel, 1 + sum(1 for _ in chain_of(f)))
            return True
        return bool(self.low) and self._from_low(f, strict)

    def _from_low(self, f: Function, strict: bool) -> bool:
        chain = list(chain_of(f))
        try:
            needed = [terms_needed(g, self.low, strict) for g in chain]
        except Unsupported:
            return False
        self.fuel, self.terms = max(self.fuel, 1 + len(chain)), max(self.terms, *needed)
        return True
