"""The greatest of finitely many functions of eps, piece by piece.

Only exact differences of the functions are needed: for the privacy loss ln(p/q) the sign of a difference is
that of ``p1 q2 - p2 q1``.  The pieces are guessed and then proved:

1. At some eps, exact signs find the greatest function; these functions are the *candidates*.
2. The signs of their differences cut the range of eps into pieces with one greatest candidate each.
3. Every other function is proved to be nowhere above all candidates at once; one that is above them somewhere
   becomes a candidate, and step 2 starts again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, reduce
from itertools import combinations
from typing import NamedTuple

from flint import fmpq

from dipc.claims.oracle import SignOracle
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Fails, Holds, nonnegative
from dipc.signs.tables import End, pieces

Difference = Callable[[int, int], ExpPoly]  # a function with the signs of f_i - f_j
Tick = Callable[[str, int, int | None], None]

SAMPLES = tuple(fmpq(2) ** e for e in range(-6, 10))


class Arc(NamedTuple):
    """From ``low`` to ``high`` (with the ends that are in the range) the function ``which`` is greatest."""

    low: End
    high: End
    which: int
    sample: fmpq


def envelope(number: int, difference: Difference, budgets: EpsRange, tick: Tick) -> list[Arc]:
    """The greatest of ``number`` functions, from left to right.

    Of functions that are equal everywhere, the first represents all.  Raises :class:`Unsettled`.
    """
    search = _Search(range(number), cache(difference), budgets, tick)
    samples = [budgets.low] if budgets.is_point else [s for s in SAMPLES if s in budgets]
    samples = samples or [piece.sample for piece in pieces([], budgets) if piece.sample is not None]
    candidates = sorted({search.greatest(search.every, s) for s in samples})
    while (new := search.above(candidates)) is not None:
        candidates = sorted([*candidates, new])
    return search.cut(candidates)


def greatest_ratio(ratios: Sequence[tuple[Quotient, Quotient]], judge: SignOracle, tick: Tick) -> list[Arc]:
    """The greatest of the functions p/q, where p and q are not negative; infinite where q is 0."""

    def difference(i: int, j: int) -> ExpPoly:
        (p, q), (r, s) = ratios[i], ratios[j]
        return judge.normal_form(p * s - r * q)

    return envelope(len(ratios), difference, judge.budgets, tick)


class _Search(NamedTuple):
    every: range
    known: Difference
    budgets: EpsRange
    tick: Tick

    def difference(self, i: int, j: int) -> ExpPoly:
        """The exact difference of two of the functions, each computed once."""
        return -self.known(j, i) if i > j else self.known(i, j)

    def greatest(self, among: Sequence[int], eps: fmpq) -> int:
        """The first of the functions that are greatest at an eps."""
        return reduce(lambda best, i: i if self.difference(i, best).sign_at(eps) > 0 else best, among)

    def above(self, candidates: Sequence[int]) -> int | None:
        """A function that is somewhere above all candidates: the greatest one at such an eps."""
        for k in self.every:
            self.tick("comparing functions", k, len(self.every))
            if k not in candidates and (eps := self._highest(k, candidates)) is not None:
                return self.greatest(self.every, eps)
        return None

    def _highest(self, k: int, candidates: Sequence[int]) -> fmpq | None:
        """An eps where function k is above all candidates."""
        for c in candidates:
            match nonnegative(self.difference(c, k), self.budgets):
                case Holds():
                    return None
                case Fails(eps) if len(candidates) == 1:
                    return eps
        for piece in pieces([self.difference(k, c) for c in candidates], self.budgets):
            if piece.sample is not None and all(s > 0 for s in piece.readings[0]):
                return piece.sample
        return None

    def cut(self, candidates: Sequence[int]) -> list[Arc]:
        """The range, cut where another candidate becomes greatest."""
        differences = [self.difference(i, j) for i, j in combinations(candidates, 2)]
        arcs: list[Arc] = []
        for cell in pieces(differences, self.budgets):
            if cell.is_point and not self.budgets.is_point:
                continue
            assert cell.sample is not None  # open intervals have one, and so does a single eps
            best = self.greatest(candidates, cell.sample)
            if arcs and arcs[-1].which == best:
                arcs[-1] = arcs[-1]._replace(high=cell.high)
            else:
                arcs.append(Arc(cell.low, cell.high, best, cell.sample))
        return arcs
