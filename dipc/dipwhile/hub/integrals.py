"""The probability that one sample, the hub, compares with others, the spokes, in a given way: one integral.

Given the hub's value y, the spokes are independent.  So with the density f of the hub and the distribution
functions F of the spokes

    P  =  integral of  f(y) * product of F(y - m) over the spokes below * product of 1 - F(y - m) over those
          above * product of F(y - m) - F(y - m - w) over those within an interval of width w,

m their means, or those moved by what they are compared with.  In the coordinate of
:mod:`dipc.integration.piecewise` (y stands for eps*y) each factor is a sum of terms ``c exp(k y + q eps)`` on
either side of m and m + w: F is ``b e`` before and ``1 - (1 - b) e`` behind m, with
``e = exp(-a |y - eps m|)`` and b = 1/2 for ``Lap``, 0 for ``LapPlus``.  Between two neighbouring means the
product is such a sum, too, with the integral

    c exp(q eps) (exp(k R eps) - exp(k L eps)) / k,   or, where exponents cancel,   c exp(q eps) eps (R - L).

At the two infinite ends every term vanishes, for the density of the hub does and all factors are bounded.

**Integer samples** can be equal: below means ``X <= y``, above ``X >= y``, within both.  With z = exp(-a eps)
and n = y - m, P(X <= y) is ``e`` before and ``1 + z - z e`` behind m, P(X >= y) is ``1 + z - z e`` before and
``e`` behind it, P(X = y) = ``(1 - z) e``, all over 1 + z; within is below + above - 1.  The sum over
L <= y < R of a term is

    c exp(q eps) (exp(k L eps) - exp(k R eps)) / (1 - exp(k eps)),   or   c exp(q eps) (R - L).

Factors commute: a product depends on how many factors of each kind there are.  Products share prefixes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import lcm, prod
from typing import NamedTuple

from flint import fmpq

from dipc.dipwhile.syntax.distributions import NOISE
from dipc.errors import InternalError
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient

Terms = dict[tuple[int, int], fmpq]  # k and q in units: the coefficient
Powers = tuple[tuple[int, int], ...]  # how often each factor occurs, by their numbers

HUB, BELOW, ABOVE, WITHIN = range(4)


class Factor(NamedTuple):
    """The density of the hub, or what the comparison with a spoke contributes."""

    kind: int
    noise: str
    rate: fmpq
    mean: fmpq
    width: fmpq = fmpq(0)  # of the interval for y that begins at the mean


class Integrals:
    """All integrals over some factors; these are numbers in the order given."""

    def __init__(self, factors: Sequence[Factor]) -> None:
        self._rates = lcm(1, *(int(f.rate.q) for f in factors))
        ends = [(f.mean, f.mean + f.width) for f in factors]
        means = lcm(1, *(int(end.q) for both in ends for end in both))
        self._unit = self._rates * means  # of q and of the exponents of results; k is in units of 1/rates
        self._factors = factors
        self._scaled = [int((f.rate * self._rates).p) for f in factors]
        self._ends = [(int((low * means).p), int((high * means).p)) for low, high in ends]
        self._breaks = sorted({end for both in self._ends for end in both})
        self._means = means
        self._powers: dict[tuple[int, int, int], Terms] = {}
        self._products: dict[tuple[Powers, int], Terms] = {}
        self._known: dict[tuple[int, Powers], Quotient] = {}

    def probability(self, hub: int, spokes: Powers) -> Quotient:
        """The integral over the hub; ``spokes`` are sorted."""
        found = self._known.get((hub, spokes))
        if found is None:
            found = self._known[hub, spokes] = self._integral(hub, spokes)
        return found

    def _integral(self, hub: int, spokes: Powers) -> Quotient:
        integer = NOISE[self._factors[hub].noise].integer
        parts: dict[int, dict[tuple[int, int, int, int], fmpq]] = defaultdict(dict)  # by what divides them

        def add(power: int, exponent: int, c: fmpq, below: int = 0) -> None:
            key, result = (power, exponent, 0, 0), parts[below]
            result[key] = result[key] + c if key in result else c

        rate, (mean, _) = self._scaled[hub], self._ends[hub]
        for cell in range(len(self._breaks) + 1):
            left = self._breaks[cell - 1] if cell else None
            right = self._breaks[cell] if cell < len(self._breaks) else None
            behind = left is not None and left >= mean
            sign, density = 1 - 2 * behind, self._density(hub, behind)
            for (k, q), c in self._product(spokes, cell).items() if density else ():
                k, q, c = k + sign * rate, q - sign * rate * mean, c * density
                if k:
                    below, c = (k * self._means, -c) if integer else (0, c * fmpq(self._rates, k))
                    self._vanishes(k, left, right)
                    if right is not None:
                        add(0, q + k * right, c, below)
                    if left is not None:
                        add(0, q + k * left, -c, below)
                elif left is None or right is None:
                    raise InternalError("an integrand does not vanish at infinity")
                else:
                    add(0 if integer else 1, q, c * fmpq(right - left, self._means))
        return self._summed(parts) * self._common(hub, spokes) if integer else Quotient(self._sum(parts[0]))

    def _sum(self, terms: dict[tuple[int, int, int, int], fmpq]) -> ExpPoly:
        return ExpPoly({key: c for key, c in terms.items() if c}, self._unit)

    def _exp(self, exponent: int) -> ExpPoly:
        return ExpPoly.exp(fmpq(exponent, self._unit))

    def _summed(self, parts: dict[int, dict[tuple[int, int, int, int], fmpq]]) -> Quotient:
        """The sum of all parts, each over one minus an exponential."""
        above: dict[int, ExpPoly] = defaultdict(ExpPoly)
        for k, terms in parts.items():  # 1/(1 - exp(-k)) is -exp(k)/(1 - exp(k))
            above[abs(k)] = above[abs(k)] + self._sum(terms) * (-self._exp(-k) if k < 0 else 1)
        return sum(
            (Quotient(f, 1 - self._exp(k)) if k else Quotient(f) for k, f in above.items()), Quotient.of(0)
        )

    def _common(self, hub: int, spokes: Powers) -> Quotient:
        """What was left out of the factors of integer samples."""
        often = [(hub, 1), *spokes]
        ratios = [(1 + self._exp(-self._scaled[f] * self._means)) ** number for f, number in often]
        return Quotient(1 - self._exp(-self._scaled[hub] * self._means), prod(ratios, start=ExpPoly.of(1)))

    @staticmethod
    def _vanishes(k: int, left: int | None, right: int | None) -> None:
        if (left is None and k < 0) or (right is None and k > 0):
            raise InternalError("an integrand does not vanish at infinity")

    # --- factors ---------------------------------------------------------------------------------

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
        """A power of one factor."""
        found = self._powers.get((factor, number, cell))
        if found is None:
            if number == 1:
                found = self._once(factor, cell)
            else:
                found = _times(self._power(factor, number - 1, cell), self._power(factor, 1, cell))
            found = self._powers[factor, number, cell] = {key: c for key, c in found.items() if c}
        return found

    def _once(self, factor: int, cell: int) -> Terms:
        kind, (low, high) = self._factors[factor].kind, self._ends[factor]
        if kind != WITHIN:
            return self._side(factor, kind, low, cell)
        found = {key: -c for key, c in self._certain(factor).items()}
        for side, end in ((BELOW, low), (ABOVE, high)):
            for key, c in self._side(factor, side, end, cell).items():
                found[key] = found.get(key, fmpq(0)) + c
        return found

    def _side(self, factor: int, kind: int, mean: int, cell: int) -> Terms:
        """The probability that y is on one side of a spoke with this mean."""
        behind = cell > 0 and self._breaks[cell - 1] >= mean
        rate = self._scaled[factor]
        k, q = (-rate, rate * mean) if behind else (rate, -rate * mean)
        if behind != (kind == BELOW):
            return {(k, q): self._weight(factor, behind)}
        shift = rate * self._means if NOISE[self._factors[factor].noise].integer else 0
        return {**self._certain(factor), (k, q - shift): -self._weight(factor, behind)}

    def _certain(self, factor: int) -> Terms:
        """One, or 1 + z for integers."""
        one = {(0, 0): fmpq(1)}
        if NOISE[self._factors[factor].noise].integer:
            one[0, -self._scaled[factor] * self._means] = fmpq(1)
        return one

    def _weight(self, factor: int, behind: bool) -> fmpq:
        """What the exponential is multiplied by on one side of the mean."""
        weights = {"Lap": (fmpq(1, 2), fmpq(1, 2)), "LapPlus": (fmpq(0), fmpq(1))}
        return weights.get(self._factors[factor].noise, (fmpq(1), fmpq(1)))[behind]

    def _density(self, hub: int, behind: bool) -> fmpq:
        """The factor of the exponential in the density of the hub."""
        own = self._factors[hub]
        return self._weight(hub, behind) * (1 if NOISE[own.noise].integer else own.rate)


def _times(left: Terms, right: Terms) -> Terms:
    """The product; terms may cancel and stay as zeros."""
    result: Terms = {}
    for (k, q), c in left.items():
        for (k2, q2), c2 in right.items():
            key = k + k2, q + q2
            result[key] = result[key] + c * c2 if key in result else c * c2
    return result
