"""Bounds of reachability probabilities by one exact sweep over a guess.

The probabilities h of reaching the goal solve x = A x + b on the states between: those that can reach the
goal, but that may also miss it.  Two facts make a guess a proof, by one exact multiplication each:

* **above**: if x >= 0 and A x + b <= x, then h <= x.  h is the limit of the sequence 0, b, A b + b, ..., and
  by induction no member of it exceeds x: if y <= x, then A y + b <= A x + b <= x, as A >= 0.
* **below**: if A y + b >= y, then y <= h.  Iterating gives y <= A^n y + (A^(n-1) + ... + 1) b.  The second
  part tends to h; the first one to 0, because from every state between a path leads to the goal, so that
  these finitely many states are left with probability 1.  (With states that never reach the goal this would
  be wrong: for a state with a loop only, every y satisfies y <= A y.)

The guess (:mod:`dipc.guesses`) comes from floats that decide nothing: the inequalities are checked in
integers, for multiples of 2^-BITS.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import lcm
from typing import NamedTuple

from flint import arb, fmpq

from dipc.clock import Tick, unlimited
from dipc.guesses import Row, guesses
from dipc.models.graph import never_and_surely
from dipc.models.linear import Rows

BITS = 80  # of the dyadic numbers


class Bounds(NamedTuple):
    """``low[s] / 2^BITS <= h(s) <= high[s] / 2^BITS`` for every state s."""

    low: Sequence[int]
    high: Sequence[int]

    def balls(self) -> list[arb]:
        """Balls around the probabilities, which are exact where both ends are equal."""
        one = arb(1) / (1 << BITS)
        return [
            arb(low) * one if low == high else (arb(low) * one).union(arb(high) * one)
            for low, high in zip(self.low, self.high, strict=True)
        ]


def bounds(
    rows: Rows[fmpq], left: Collection[int], right: Collection[int], tick: Tick = unlimited
) -> Bounds | None:
    """Bounds of the probabilities of ``left U right``; None without scipy, or if no guess is a proof.

    >>> half, one = fmpq(1, 2), fmpq(1)                     # the ruin of a gambler
    >>> rows = [[(0, one)], [(0, half), (2, half)], [(1, half), (3, half)], [(3, one)]]
    >>> found = bounds(rows, {1, 2}, {3})
    >>> found is None or [bool(abs(3 * ball - s) < fmpq(1, 10**9)) for s, ball in enumerate(found.balls())]
    [True, True, True, True]
    """
    never, surely = never_and_surely(rows, left, right)
    low = [0] * len(rows)
    for s in surely:
        low[s] = 1 << BITS
    high, between = list(low), [s for s in range(len(rows)) if s not in never and s not in surely]
    if not between:
        return Bounds(low, high)
    place = {s: i for i, s in enumerate(between)}
    system = [equation(rows[s], place, surely) for s in between]
    tick()
    for below, above in guesses(system, BITS, tick):
        if is_below(system, below) and is_above(system, above):
            for i, s in enumerate(between):
                low[s], high[s] = max(below[i], 0), min(above[i], 1 << BITS)
            return Bounds(low, high)
    return None


def is_above(system: Sequence[Row], x: Sequence[int]) -> bool:
    """Whether x >= 0 and A x + b <= x, in units of 2^-BITS."""
    return min(x) >= 0 and all(after <= before for after, before in _swept(system, x))


def is_below(system: Sequence[Row], y: Sequence[int]) -> bool:
    """Whether A y + b >= y, in units of 2^-BITS."""
    return all(after >= before for after, before in _swept(system, y))


def _swept(system: Sequence[Row], x: Sequence[int]) -> Iterator[tuple[int, int]]:
    """A x + b and x, each row times its denominator."""
    for (below, gain, places, weights), value in zip(system, x, strict=True):
        yield gain + sum([w * x[t] for t, w in zip(places, weights, strict=True)]), below * value


def equation(row: Sequence[tuple[int, fmpq]], place: dict[int, int], goal: Collection[int]) -> Row:
    """The equation of a state; ``place`` numbers the states between."""
    parts = [(t, int(p.p), int(p.q)) for t, p in row]
    below = lcm(*[q for _, _, q in parts])
    gain = sum([p * (below // q) for t, p, q in parts if t in goal])
    inside = [(place[t], p * (below // q)) for t, p, q in parts if t in place]
    return Row(below, gain << BITS, [t for t, _ in inside], [w for _, w in inside])
