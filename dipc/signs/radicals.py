"""Signs and roots of ``P + R sqrt(g)`` with exponential polynomials P, R and g, where g >= 0.

Its roots are roots of the **norm** ``N = P^2 - g R^2``, which is not the zero function (g is not a perfect
square).
Once a common factor of P and R, which has roots of its own, is taken out:

* where N and P vanish, P + R sqrt(g) vanishes;
* where N vanishes and P does not, it vanishes if and only if P and R have opposite signs; else its conjugate
  P - R sqrt(g) does.

All roots of P, R, g and N are isolated together, so that in the interval of one of them the others have no
other root: whether a function vanishes at a root is whether it has a root in that interval, and the sign of
one that does not vanish is that at an end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, assert_never, get_args

from flint import fmpq

from dipc.errors import LimitReached
from dipc.numbers.basis import common_basis
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.polynomial import split
from dipc.numbers.surd import combined_sign
from dipc.signs.roots import Root, positive_roots

Kind = Literal["both", "plain", "root"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Radical:
    """``rational + coefficient * sqrt(radicand)``; the coefficient is not the zero function."""

    rational: ExpPoly
    coefficient: ExpPoly
    radicand: ExpPoly

    def __neg__(self) -> Radical:
        return Radical(-self.rational, -self.coefficient, self.radicand)

    def __str__(self) -> str:
        return f"{self.rational} + ({self.coefficient})*sqrt({self.radicand})"

    @property
    def norm(self) -> ExpPoly:
        """``P^2 - g R^2``."""
        return self.rational * self.rational - self.radicand * self.coefficient * self.coefficient

    def parts(self, kind: Kind) -> tuple[ExpPoly, ExpPoly]:
        """Two functions: this one is >= 0 where both are, and > 0 where moreover the second one is."""
        match kind:
            case "both":
                return self.coefficient, self.rational
            case "plain":
                return self.rational, self.norm
            case "root":
                return self.coefficient, -self.norm
            case _:
                assert_never(kind)

    def sign_at(self, point: fmpq) -> int:
        """The exact sign at a rational point at which the radicand is not negative."""
        b = self.coefficient.sign_at(point) * self.radicand.sign_at(point)
        return combined_sign(self.rational.sign_at(point), b, lambda: self.norm.sign_at(point))


Function = ExpPoly | Radical


def radical_roots(f: Radical, low: fmpq, high: fmpq | None) -> list[Root]:
    """The roots in the open interval (low, high), as :func:`dipc.signs.roots.positive_roots`."""
    if not f.rational:
        return positive_roots(f.coefficient * f.radicand, low, high)
    common, reduced = _reduced(f)
    every = f.rational * f.coefficient * f.radicand * reduced.norm
    return [root for root in positive_roots(every, low, high) if _vanishes(f, common, reduced, root)]


def _reduced(f: Radical) -> tuple[ExpPoly, Radical]:
    """A common factor d of P and R, and ``(P + R sqrt(g)) / d``."""
    basis = common_basis(f.rational, f.coefficient)
    if basis is None or not basis.is_free:
        raise LimitReached("the roots of a function of great degree in exp(eps) with a square root")
    p, r = split(f.rational, basis), split(f.coefficient, basis)
    common = p.polynomial.gcd(r.polynomial)
    rational, coefficient = (
        basis.join(part.polynomial / common) * part.monomial * part.scale for part in (p, r)
    )
    return basis.join(common), Radical(rational, coefficient, f.radicand)


def _vanishes(f: Radical, common: ExpPoly, reduced: Radical, root: Root) -> bool:
    """Whether f is 0 at a root of one of its parts."""
    if root.is_rational:
        return f.sign_at(root.low) == 0
    if _has(common, root):
        return True
    if not _has(reduced.norm, root):
        return False
    opposite = reduced.rational.sign_at(root.low) * reduced.coefficient.sign_at(root.low) < 0
    return opposite or _has(reduced.rational, root)


def _has(f: ExpPoly, root: Root) -> bool:
    """Whether f, all of whose roots are roots of the product, is 0 at this one."""
    return bool(positive_roots(f, root.low, root.high))
