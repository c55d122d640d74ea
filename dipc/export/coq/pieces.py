"""Proofs by pieces, as ``Pieces.v`` checks them, and the search for what they need.

A piece [a, b] is proved by derivatives at one of its ends and bounds of the next one on all of it; where that
does not do it is halved.  Beyond the last piece there is a chain.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from dipc.export.coq.bounds import above_zero, low_at, times_exp
from dipc.kernel.facts import Function, Interval, chain_of, derivative, negative, sign_at

ZERO = Fraction(0)
PRECISIONS = (8, 16, 32, 64)  # terms of the series of exp
MOST_DERIVATIVES = 12
MOST_HALVINGS = 12
MOST_PIECES = 400  # tried for one function
FARTHEST = 1 << 10
SAMPLES = 8


class Needed(NamedTuple):
    """The numbers with which ``Pieces`` proves a sign: larger ones prove it too, but for rounding."""

    terms: int
    fuel: int
    order: int
    depth: int
    beyond: Fraction

    def proves(self, f: Function, on: Interval, strict: bool) -> bool:
        """``by_pieces``."""
        return _found(self, levelled(f), on, strict, [1 << (self.depth + 1)]) is not None


def needed(f: Function, on: Interval, strict: bool, beyond: Fraction) -> Needed | None:
    """What shows f >= 0 (f > 0) on the interval, with a chain from ``beyond`` or later on, or None."""
    f = levelled(f)
    if any(sign_at(f, x) < int(strict) for x in samples(on)):
        return None
    if on.high is None:
        later = (x for x in distances(max(beyond, on.low)) if chain_from(x, f, strict))
        if (start := next(later, None)) is None:
            return None
        beyond = start
    for terms in PRECISIONS:
        most = Needed(terms, 1 + sum(1 for _ in chain_of(f)), MOST_DERIVATIVES, MOST_HALVINGS, beyond)
        if (found := _found(most, f, on, strict, [MOST_PIECES])) is not None:
            return most._replace(order=found[0], depth=found[1])
    return None


def distances(least: Fraction) -> Iterator[Fraction]:
    """Where a chain may begin."""
    x = max(least, Fraction(1))
    while x <= FARTHEST:
        yield x
        x *= 2


def chain_from(x: Fraction, f: Function, strict: bool) -> bool:
    """Whether the chain from x on proves the sign, with bounds that are close enough."""
    return all(sign_at(g, x) >= int(strict) for g in chain_of(f))


def samples(on: Interval) -> Iterator[Fraction]:
    """Some eps > 0 of the interval."""
    high = max(on.low, Fraction(1)) * 16 if on.high is None else on.high
    yield from (on.low + (high - on.low) * i / SAMPLES for i in range(1, SAMPLES))
    yield from (on.low + (high - on.low) / 2**i for i in range(SAMPLES))


def _found(most: Needed, f: Function, on: Interval, strict: bool, left: list[int]) -> tuple[int, int] | None:
    """The derivatives and halvings that do, of at most so many; ``left`` is how many pieces may be tried."""
    high = on.high
    if high is None:
        high = most.beyond
        if not all(above_zero(low_at(most.terms, g, high), strict) for g in chain_of(f)):
            return None
    return halves(most, f, (max(on.low, ZERO), high), strict, most.depth, left)


Piece = tuple[Fraction, Fraction]


def halves(
    most: Needed, f: Function, piece: Piece, strict: bool, depth: int, left: list[int]
) -> tuple[int, int] | None:
    """``by_halves``: how many derivatives and halvings it takes."""
    left[0] -= 1
    for end in piece:
        order = from_end(most, f, piece, end, strict)
        if order is not None:
            return order, 0
    if depth == 0 or left[0] <= 0:
        return None
    a, b = piece
    total = (0, 0)
    for half in ((a, (a + b) / 2), ((a + b) / 2, b)):
        found = halves(most, f, half, strict, depth - 1, left)
        if found is None:
            return None
        total = max(total[0], found[0]), max(total[1], 1 + found[1])
    return total


def from_end(most: Needed, f: Function, piece: Piece, end: Fraction, strict: bool) -> int | None:
    """``from_left`` or ``from_right``: how many derivatives it takes."""
    for order in range(most.order + 1):
        if not f:
            return None if strict else order
        if above_zero(low_between(most.terms, f, piece), strict):
            return order
        if order == most.order or not above_zero(low_at(most.terms, f, end), strict and end > 0):
            return None
        f = derivative(f, min(a for _, a, _, _ in f))
        f = f if end == piece[0] else negative(f)
    return None


# --- bounds on a piece -------------------------------------------------------------------------------------


def levelled(f: Function) -> Function:
    """f without its greatest rate: all rates <= 0."""
    top = max(a for _, a, _, _ in f)
    return {(n, a - top, k, b): c for (n, a, k, b), c in f.items()}


def low_between(n: int, f: Function, piece: Piece) -> Fraction | None:
    """A lower bound of f on a piece, or None if n is too small."""
    a, b = piece
    columns: dict[Fraction, dict[int, Fraction]] = {}
    for (power, rate, _, _), c in f.items():
        columns.setdefault(rate, {})[power] = c
    total = ZERO
    for rate, p in columns.items():
        least, most = (rate * a, rate * b) if rate >= 0 else (rate * b, rate * a)
        below = times_exp(n, least_value(p, a, b), least, most)
        if below is None:
            return None
        total += below
    return total


def least_value(p: dict[int, Fraction], a: Fraction, b: Fraction) -> Fraction:
    """``plow``."""
    low = ZERO
    for i in range(max(p), -1, -1):
        low = p.get(i, ZERO) + low * (a if low >= 0 else b)
    return low
