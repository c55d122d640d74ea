"""The probability that one sample, the hub, compares with others, the spokes, in a given way: one integral.

Given the hub's value y, the spokes are independent.  So with the density f of the hub and the distribution
functions F of the spokes

    P  =  integral of  f(y) * product of F(y - m) over the spokes below * product of 1 - F(y - m) over those
          above,

m their means.  In the coordinate of :mod:`dipc.integration.piecewise` (y stands for eps*y) each factor is a
sum of terms ``c exp(k y + q eps)`` on either side of its mean: F is ``b e`` before and ``1 - (1 - b) e``
behind it, with ``e = exp(-a |y - eps m|)`` and b = 1/2 for ``Lap``, 0 for ``LapPlus``.  Between two
neighbouring means the product is such a sum, too, with the integral

    c exp(q eps) (exp(k R eps) - exp(k L eps)) / k,   or, where exponents cancel,   c exp(q eps) eps (R - L).

At the two infinite ends every term vanishes, for the density of the hub does and all factors are bounded.
Factors commute: a product depends on how many factors of each kind there are.  Products share prefixes.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, lcm
from typing import NamedTuple

from flint import fmpq

from dipc.errors import InternalError
from dipc.numbers.exppoly import ExpPoly

Terms = dict[tuple[int, int], fmpq]  # k and q in units: the coefficient
Powers = tuple[tuple[int, int], ...]  # how often each factor occurs, by their numbers

HUB, BELOW, ABOVE = range(3)


class Factor(NamedTuple):
    """The density of the hub, or what the comparison with a spoke contributes."""

    kind: int
    noise: str  # "Lap" or "LapPlus"
    rate: fmpq
    mean: fmpq


class Integrals:
    """All integrals over some factors; these are numbers in the order given."""

    def __init__(self, factors: Sequence[Factor]) -> None:
        self._rates = lcm(1, *(int(f.rate.q) for f in factors))
        means = lcm(1, *(int(f.mean.q) for f in factors))
        self._unit = self._rates * means  # of q and of the exponents of results; k is in units of 1/rates
        self._factors = [(f.kind, int((f.rate * self._rates).p), int((f.mean * means).p)) for f in factors]
        self._weights = [(fmpq(1, 2),) * 2 if f.noise == "Lap" else (fmpq(0), fmpq(1)) for f in factors]
        self._full_rates = [f.rate for f in factors]
        self._breaks = sorted({mean for _, _, mean in self._factors})
        self._means = means
        self._powers: dict[tuple[int, int, int], Terms] = {}
        self._products: dict[tuple[Powers, int], Terms] = {}
        self._known: dict[tuple[int, Powers], ExpPoly] = {}

    def probability(self, hub: int, spokes: Powers) -> ExpPoly:
        """The integral over the hub; ``spokes`` are sorted."""
        found = self._known.get((hub, spokes))
        if found is None:
            found = self._known[hub, spokes] = self._integral(hub, spokes)
        return found

    def _integral(self, hub: int, spokes: Powers) -> ExpPoly:
        result: dict[tuple[int, int, int, int], fmpq] = {}

        def add(power: int, exponent: int, c: fmpq) -> None:
            key = power, exponent, 0, 0
            result[key] = result[key] + c if key in result else c

        _, rate, mean = self._factors[hub]
        for cell in range(len(self._breaks) + 1):
            left = self._breaks[cell - 1] if cell else None
            right = self._breaks[cell] if cell < len(self._breaks) else None
            behind = left is not None and left >= mean
            sign, density = 1 - 2 * behind, self._full_rates[hub] * self._weights[hub][behind]
            for (k, q), c in self._product(spokes, cell).items() if density else ():
                k, q, c = k + sign * rate, q - sign * rate * mean, c * density
                if k:
                    c = c * fmpq(self._rates, k)
                    self._vanishes(k, left, right)
                    if right is not None:
                        add(0, q + k * right, c)
                    if left is not None:
                        add(0, q + k * left, -c)
                elif left is None or right is None:
                    raise InternalError("an integrand does not vanish at infinity")
                else:
                    add(1, q, c * fmpq(right - left, self._means))
        return ExpPoly({key: c for key, c in result.items() if c}, self._unit)

    @staticmethod
    def _vanishes(k: int, left: int | None, right: int | None) -> None:
        if (left is None and k < 0) or (right is None and k > 0):
            raise InternalError("an integrand does not vanish at infinity")

    def _product(self, powers: Powers, cell: int) -> Terms:
        """The product of factors on a cell between two means, from its longest known prefix."""
        known = len(powers)
        while known and (powers[:known], cell) not in self._products:
            known -= 1
        found = self._products[powers[:known], cell] if known else {(0, 0): fmpq(1)}
        for end in range(known, len(powers)):
            found = _times(found, self._power(*powers[end], cell))
            self._products[powers[: end + 1], cell] = found
        return found

    def _power(self, factor: int, number: int, cell: int) -> Terms:
        """A power of one factor, by the binomial theorem."""
        found = self._powers.get((factor, number, cell))
        if found is None:
            kind, rate, mean = self._factors[factor]
            behind = cell > 0 and self._breaks[cell - 1] >= mean
            k, q = (-rate, rate * mean) if behind else (rate, -rate * mean)
            weight = self._weights[factor][behind]
            if behind == (kind == BELOW):
                terms = {(k * j, q * j): comb(number, j) * (-weight) ** j for j in range(number + 1)}
            else:
                terms = {(k * number, q * number): weight**number}
            found = self._powers[factor, number, cell] = {key: c for key, c in terms.items() if c}
        return found


def _times(left: Terms, right: Terms) -> Terms:
    """The product; terms may cancel and stay as zeros."""
    result: Terms = {}
    for (k, q), c in left.items():
        for (k2, q2), c2 in right.items():
            key = k + k2, q + q2
            result[key] = result[key] + c * c2 if key in result else c * c2
    return result
