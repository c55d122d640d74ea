"""A delta with constants such as exp(-2): the rational number that Coq has in its place, see Constants.v."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

from dipc.errors import Unsupported
from dipc.export.coq.bounds import MOST_TERMS, low_at
from dipc.export.coq.terms import listed, rational
from dipc.kernel.facts import Function, negative
from dipc.kernel.laws import Ratio
from dipc.kernel.privacy import Certificate

BITS = 32  # the relative error of the number is less than 2^-BITS or so
ZERO = Fraction(0)
ONE = Fraction(1)


@dataclass(frozen=True)
class Constant:
    """The sum of c*exp(k) over ``parts``, whose bounds need so many terms of the series of exp."""

    parts: tuple[tuple[Fraction, Fraction], ...]
    terms: int

    @property
    def text(self) -> str:
        """The pairs, as ``constant`` takes them."""
        return listed(f"({rational(c)}, {rational(k)})" for c, k in self.parts)


def in_numbers(certificate: Certificate) -> tuple[Certificate, Constant | None]:
    """The certificate of a stronger claim whose delta is a number, if the delta has constants.

    That is less than delta if it is private, and more if it is violated.  Raises :class:`Unsupported`.
    """
    delta = certificate.table.delta
    if not isinstance(delta, Ratio) or not any(k for _, _, k, _ in delta.numerator):
        return certificate, None
    if delta.denominator or any(n or a or b for n, a, _, b in delta.numerator):
        raise Unsupported("constants such as exp(-2) times functions of eps are not written for Coq yet")
    parts = tuple((c, k) for (_, _, k, _), c in delta.numerator.items())
    number, terms = bound({(0, k, ZERO, ZERO): c for c, k in parts}, above=certificate.violated)
    table = certificate.table._replace(delta=Ratio({(0, ZERO, ZERO, ZERO): number}, 0))
    return replace(certificate, table=table), Constant(parts, terms)


def bound(f: Function, above: bool) -> tuple[Fraction, int]:
    """A short number just below (or above) f(1) > 0, and how many terms of the series show that."""
    terms = 8
    while terms <= MOST_TERMS:
        low, high = low_at(terms, f, ONE), low_at(terms, negative(f), ONE)
        if low is not None and high is not None and low > 0 and (-high - low) * 2**BITS < low:
            places = 1 << BITS + ceil(1 / low).bit_length()
            return Fraction(ceil(-high * places) if above else floor(low * places), places), terms
        terms *= 2
    raise Unsupported(f"{MOST_TERMS} terms of the series of exp do not show the value of delta")
