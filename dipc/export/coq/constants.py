"""A delta with constants such as exp(-2): the rational number that Coq has in its place, see Constants.v."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

from dipc.errors import Unsupported
from dipc.export.coq.terms import listed, rational
from dipc.kernel.exponential import exp_bounds
from dipc.kernel.laws import Ratio
from dipc.kernel.privacy import Certificate

BITS = 32  # the relative error of the number is less than 2^-BITS or so
ZERO = Fraction(0)


@dataclass(frozen=True)
class Constant:
    """The sum of c*exp(k) over ``parts``."""

    parts: tuple[tuple[Fraction, Fraction], ...]

    @property
    def text(self) -> str:
        """The pairs, as ``constant`` takes them."""
        return listed(f"({rational(c)}, {rational(k)})" for c, k in self.parts)


def in_numbers(certificate: Certificate) -> tuple[Certificate, Constant | None]:
    """The certificate of a stronger claim whose delta is a number, if the delta has constants.

    That is less than delta if it is private, and more if it is violated.  Raises :class:`Unsupported`.
    """
    delta = certificate.table.delta
    if not any(k for _, _, k, _ in delta.numerator):
        return certificate, None
    if delta.denominator or any(n or a or b for n, a, _, b in delta.numerator):
        raise Unsupported("constants such as exp(-2) times functions of eps are not written for Coq yet")
    parts = tuple((c, k) for (_, _, k, _), c in delta.numerator.items())
    number = bound(parts, above=certificate.violated)
    table = certificate.table._replace(delta=Ratio({(0, ZERO, ZERO, ZERO): number}, 0))
    return replace(certificate, table=table), Constant(parts)


def bound(parts: Sequence[tuple[Fraction, Fraction]], above: bool) -> Fraction:
    """A short number just below (or above) the sum of c*exp(k), which is > 0."""
    bits = 2 * BITS
    while True:
        ends = [sorted(c * e for e in exp_bounds(k, bits)) for c, k in parts]
        low, high = (sum(column, ZERO) for column in zip(*ends, strict=True))
        if low > 0 and (high - low) * 4**BITS < low:
            places = 1 << BITS + ceil(1 / low).bit_length()
            return Fraction(ceil(high * places) if above else floor(low * places), places)
        bits *= 2
