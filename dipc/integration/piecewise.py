"""Piecewise functions of one real variable: densities, distribution functions and their products.

A sample x is worked on in the coordinate ``y = eps * x``.  In it the density of ``Lap(a eps, mu)``
is ``a/2 exp(-a |y - eps mu|)``: no power of eps is ever divided by.  Every function met is

    sum  c * eps^n * y^m * exp(k y + q eps)           on  eps*b_i < y < eps*b_{i+1},

with rational c, k, q and breakpoints b_1 < b_2 < ...; the class is closed under sum, product,
substitution of an affine function, and integration (DiPC, Lemma 23, whose induction this is).

Values at the breakpoints do not matter: samples have densities.  Functions are canonical (no
breakpoint between equal pieces), so that equal functions are equal objects.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from math import comb, gcd, lcm

from flint import fmpq

from dipc.errors import InternalError
from dipc.numbers.exppoly import ExpPoly, Items, collected, plus, times, whole

Piece = Items  # with exponents (m, k * unit, n, q * unit)
ZERO: Piece = {}


class Piecewise:
    """A function of y with finitely many pieces; ``pieces[i]`` lies left of ``breaks[i]``.  Immutable.

    >>> Piecewise.laplace(fmpq(1), fmpq(0)).restrict(fmpq(1), above=True).total()
    1/2*exp(-eps)
    """

    __slots__ = ("_hash", "breaks", "pieces", "unit")

    def __init__(self, unit: int, breaks: tuple[fmpq, ...], pieces: tuple[Piece, ...]) -> None:
        self.unit, self.breaks, self.pieces = _canonical(unit, breaks, pieces)
        self._hash: int | None = None

    # --- construction ------------------------------------------------------------------------

    @staticmethod
    def laplace(rate: fmpq, mean: fmpq) -> Piecewise:
        """The density of ``Lap(rate * eps, mean)``."""
        return _exponentials(mean, (rate / 2, rate, -rate * mean), (rate / 2, -rate, rate * mean))

    @staticmethod
    def exponential(rate: fmpq, low: fmpq) -> Piecewise:
        """The density of ``LapPlus(rate * eps, low)``: zero below ``low``, rate on its right."""
        return _exponentials(low, None, (rate, -rate, rate * low))

    @staticmethod
    def geometric(rate: fmpq, mean: fmpq) -> Piecewise:
        """``exp(-rate * eps * |i - mean|)`` at the integers i: DLap but for its constant."""
        left, right = (fmpq(1), rate, -rate * mean), (fmpq(1), -rate, rate * mean)
        return _exponentials(mean - fmpq(1, 2), left, right)

    @staticmethod
    def constant(value: ExpPoly) -> Piecewise:
        """The function that does not depend on y (its value without exp(k) and exp(b/eps))."""
        unit, items = value.canonical()
        return Piecewise(unit, (), ({(0, 0, n, a): c for (n, a, _, _), c in items.items()},))

    # --- comparison --------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Piecewise):
            return NotImplemented
        return self is other or (
            self.unit == other.unit and self.breaks == other.breaks and self.pieces == other.pieces
        )

    def __hash__(self) -> int:
        if self._hash is None:
            shapes = tuple(frozenset(piece) for piece in self.pieces)
            self._hash = hash((self.unit, tuple(map(str, self.breaks)), shapes))
        return self._hash

    def __bool__(self) -> bool:
        return any(self.pieces)

    def __repr__(self) -> str:
        return f"Piecewise(unit={self.unit}, breaks={self.breaks}, pieces={self.pieces})"

    @property
    def support(self) -> tuple[fmpq | None, fmpq | None]:
        """The least interval (in x) outside which the function is 0; None is infinity."""
        live = [i for i, piece in enumerate(self.pieces) if piece]
        if not live:
            return fmpq(0), fmpq(0)
        edges = (None, *self.breaks, None)
        return edges[live[0]], edges[live[-1] + 1]

    # --- algebra -----------------------------------------------------------------------------

    def in_unit(self, unit: int) -> tuple[Piece, ...]:
        """The pieces with exponents in units of 1/unit, a multiple of the own unit."""
        factor = unit // self.unit
        if factor == 1:
            return self.pieces
        return tuple(
            {(m, k * factor, n, q * factor): c for (m, k, n, q), c in piece.items()} for piece in self.pieces
        )

    def __add__(self, other: Piecewise) -> Piecewise:
        return self._combine(other, plus)

    def __mul__(self, other: Piecewise) -> Piecewise:
        return self._combine(other, times)

    def _combine(self, other: Piecewise, operation: Callable[[Piece, Piece], Piece]) -> Piecewise:
        unit = lcm(self.unit, other.unit)
        left, right = self.in_unit(unit), other.in_unit(unit)
        breaks = _merge(self.breaks, other.breaks)
        pieces, i, j = [], 0, 0
        for b in (*breaks, None):
            pieces.append(operation(left[i], right[j]))
            i += i < len(self.breaks) and self.breaks[i] == b
            j += j < len(other.breaks) and other.breaks[j] == b
        return Piecewise(unit, breaks, tuple(pieces))

    def scale(self, factor: ExpPoly) -> Piecewise:
        """The product with an exponential polynomial in eps alone (without exp(k) and exp(b/eps))."""
        unit = lcm(self.unit, factor.canonical()[0])
        constant = {(0, 0, n, a): c for (n, a, _, _), c in factor.in_unit(unit).items()}
        return Piecewise(unit, self.breaks, tuple(times(p, constant) for p in self.in_unit(unit)))

    def restrict(self, bound: fmpq, *, above: bool) -> Piecewise:
        """The function, made zero below (``above``) or above ``bound``."""
        at = bisect_left(self.breaks, bound)
        breaks, pieces = self.breaks, self.pieces
        if breaks[at : at + 1] != (bound,):
            breaks, pieces = (*breaks[:at], bound, *breaks[at:]), (*pieces[: at + 1], *pieces[at:])
        left, right = pieces[: at + 1], pieces[at + 1 :]
        kept = (ZERO,) * len(left) + right if above else left + (ZERO,) * len(right)
        return Piecewise(self.unit, breaks, kept)

    def on_integers(self) -> Piecewise:
        """The same values at the integers, with every breakpoint halfway between two of them."""
        breaks: list[fmpq] = []
        pieces = [self.pieces[0]]
        for b, piece in zip(self.breaks, self.pieces[1:], strict=True):
            moved = fmpq(b.floor()) + fmpq(1, 2)
            if breaks and breaks[-1] == moved:
                pieces[-1] = piece  # no integer lay in between
            else:
                breaks.append(moved)
                pieces.append(piece)
        return Piecewise(self.unit, tuple(breaks), tuple(pieces))

    def compose(self, slope: fmpq, offset: fmpq) -> Piecewise:
        """The function ``w -> self(slope * w + offset * eps)``, slope not 0."""
        if slope == 1 and not offset:
            return self
        unit = self.unit * lcm(int(slope.q), int(offset.q))
        pieces = [_substitute(piece, slope, offset, unit // self.unit) for piece in self.pieces]
        breaks = [(b - offset) / slope for b in self.breaks]
        if slope < 0:
            breaks.reverse()
            pieces.reverse()
        return Piecewise(unit, tuple(breaks), tuple(pieces))

    # --- integration -------------------------------------------------------------------------

    def antiderivative(self) -> Piecewise:
        """The continuous antiderivative in y that vanishes at minus infinity."""
        # At y = eps*b a factor exp(k y) becomes exp(k b eps): the unit must hold k*b.
        unit = self.unit * lcm(1, *(int(b.q) for b in self.breaks))
        primitives = [_primitive(piece, unit) for piece in self.in_unit(unit)]
        return joined(unit, self.breaks, primitives, self.breaks)

    def total(self) -> ExpPoly:
        """The integral over the whole line."""
        unit = self.unit * lcm(1, *(int(b.q) for b in self.breaks))
        ends, items = (None, *self.breaks, None), Items()
        for piece, low, high in zip(self.in_unit(unit), ends[:-1], ends[1:], strict=True):
            found = [(b, int((b * unit).p), sign) for b, sign in ((low, -1), (high, 1)) if b is not None]
            for (m, k, n, q), c in piece.items():
                if (low is None and k <= 0) or (high is None and k >= 0):
                    raise InternalError("a density does not vanish at infinity")
                for j, factor in power_primitive(m, fmpq(k, unit)) if m or not k else ((0, fmpq(unit, k)),):
                    for b, place, sign in found:
                        key = n + j, q + k * place // unit, 0, 0
                        value = c * factor * sign * b**j if j else c * factor * sign
                        items[key] = items[key] + value if key in items else value
        return ExpPoly({key: c for key, c in items.items() if c}, unit)

    def limit(self) -> ExpPoly:
        """The limit at plus infinity, of a function that has one."""
        items = {}
        for (m, k, n, q), c in self.pieces[-1].items():
            if k > 0 or (k == 0 and m > 0):
                raise InternalError("a density does not vanish at plus infinity")
            if k == 0:
                items[n, q, 0, 0] = c
        return ExpPoly(items, self.unit)


def _exponentials(at: fmpq, *sides: tuple[fmpq, fmpq, fmpq] | None) -> Piecewise:
    """``c exp(k y + q eps)`` on either side of ``at``; the triples are (c, k, q), None for 0."""
    unit = lcm(*(int(x.q) for side in sides if side for x in side[1:]))
    pieces = ({(0, whole(s[1] * unit), 0, whole(s[2] * unit)): s[0]} if s else ZERO for s in sides)
    return Piecewise(unit, (at,), tuple(pieces))


def _canonical(
    unit: int, breaks: tuple[fmpq, ...], pieces: tuple[Piece, ...]
) -> tuple[int, tuple[fmpq, ...], tuple[Piece, ...]]:
    """Drop breakpoints between equal pieces; make the unit as small as possible."""
    keep = [i for i in range(len(breaks)) if pieces[i] != pieces[i + 1]]
    if len(keep) < len(breaks):
        breaks = tuple(breaks[i] for i in keep)
        pieces = (*(pieces[i] for i in keep), pieces[-1])
    common = unit
    for piece in pieces:
        for _, k, _, q in piece:
            common = gcd(common, k, q)
        if common == 1:
            return unit, breaks, pieces
    reduced = tuple({(m, k // common, n, q // common): c for (m, k, n, q), c in p.items()} for p in pieces)
    return unit // common, breaks, reduced


def _merge(left: tuple[fmpq, ...], right: tuple[fmpq, ...]) -> tuple[fmpq, ...]:
    """The union of two ascending lists."""
    if left == right or not right:
        return left
    return tuple([b for b, _ in groupby(sorted(left + right))])


def joined(unit: int, breaks: tuple[fmpq, ...], pieces: list[Piece], joints: Iterable[fmpq]) -> Piecewise:
    """One function of the pieces, each moved by a constant to meet the one before at their joint."""
    if any(k <= 0 for _, k, _, _ in pieces[0]):
        raise InternalError("a density does not vanish at minus infinity")
    for i, b in enumerate(joints):
        start = {key: -c for key, c in evaluate_at(pieces[i + 1], b).items()}
        pieces[i + 1] = plus(pieces[i + 1], plus(evaluate_at(pieces[i], b), start))
    return Piecewise(unit, breaks, tuple(pieces))


def evaluate_at(piece: Piece, b: fmpq) -> Piece:
    """The value at ``y = eps*b``, as a piece that does not depend on y; k*b must be integers."""
    terms = piece.items()
    return collected(((0, 0, n + m, q + whole(k * b)), c * b**m if m else c) for (m, k, n, q), c in terms)


def power_primitive(m: int, rate: fmpq) -> Iterator[tuple[int, fmpq]]:
    """An antiderivative of ``y^m exp(rate y)`` (DiPC, proof of Lemma 23): each power of y, and its factor.

    ``y^m`` becomes ``y^(m+1)/(m+1)``;  ``y^m exp(k y)`` becomes
    ``exp(k y) * sum_j (-1)^j m!/(m-j)! y^(m-j) / k^(j+1)``.
    """
    if not rate:
        yield m + 1, fmpq(1, m + 1)
        return
    factor = 1 / rate
    for j in range(m, -1, -1):
        yield j, factor
        factor = -factor * j / rate


def _primitive(piece: Piece, unit: int) -> Piece:
    """An antiderivative in y, term by term."""
    return collected(
        ((j, k, n, q), c * factor)
        for (m, k, n, q), c in piece.items()
        for j, factor in power_primitive(m, fmpq(k, unit))
    )


def _substitute(piece: Piece, slope: fmpq, offset: fmpq, factor: int) -> Piece:
    """``y = slope*w + offset*eps`` put in, exponents in a unit ``factor`` times finer."""
    return collected(
        (
            (j, whole(k * slope * factor), n + m - j, whole((k * offset + q) * factor)),
            c * comb(m, j) * slope**j * offset ** (m - j),
        )
        for (m, k, n, q), c in piece.items()
        for j in range(m + 1)
    )
