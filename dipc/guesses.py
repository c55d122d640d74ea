"""Guesses of the solutions of large linear equations, by scipy (extra ``fast``): floats that decide nothing.

The equations are x = A x + b, with A >= 0 and all states left with probability 1.  A guess x with residual
r = A x + b - x is moved down and up by a share e of the expected numbers of steps u, which solve u = A u + 1:
then A (x + e u) + b = (x + e u) + r - e, a bound if e exceeds r.  :mod:`dipc.models.inductive` proves it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from dipc.clock import Tick, unlimited

FEW = 500  # so few equations are solved directly, or those whose matrix has a narrow band; else by iteration
WORK = 2 * 10**9  # products in the elimination of a narrow band
MANY = 20_000  # so many at most are solved directly where the iteration fails
FEW_STEPS, MOST_STEPS = 300, 2000  # of the iteration, if another way is left, and if none is
SHARES = (2.0**-50, 2.0**-44, 2.0**-36)


class Row(NamedTuple):
    """An equation in integers: ``below * x = gain/2^bits + sum of weights times the x at these places``."""

    below: int
    gain: int
    places: Sequence[int]
    weights: Sequence[int]


def guesses(
    system: Sequence[Row], bits: int, tick: Tick = unlimited
) -> Iterator[tuple[list[int], list[int]]]:
    """Numbers a bit below and a bit above the solution, as multiples of 2^-bits, closer ones first.

    Nothing without scipy, or if no solution was found.
    """
    if (solved := _solved(system, bits, tick)) is None:
        return
    values, steps = solved
    for share in SHARES:
        tick()
        pairs = [(x, share * u) for x, u in zip(values, steps, strict=True)]
        yield [_dyadic(x - e, bits) for x, e in pairs], [_dyadic(x + e, bits) for x, e in pairs]


def _dyadic(x: float, bits: int) -> int:
    """A float as a multiple of 2^-bits, rounded down."""
    above, below = x.as_integer_ratio()
    return (above << bits) // below


def _solved(system: Sequence[Row], bits: int, tick: Tick) -> tuple[list[float], list[float]] | None:
    """Floats near h, and near the expected numbers of steps; None without scipy or if nothing was found."""
    try:
        import numpy
        from scipy.sparse import csr_matrix, identity
        from scipy.sparse.csgraph import reverse_cuthill_mckee
        from scipy.sparse.linalg import bicgstab, splu
    except ImportError:
        return None
    size = len(system)
    lengths = numpy.fromiter((len(row.places) for row in system), dtype=int, count=size)
    columns = numpy.fromiter((t for row in system for t in row.places), dtype=int, count=lengths.sum())
    data = numpy.fromiter((w / row.below for row in system for w in row.weights), float, lengths.sum())
    gains = numpy.fromiter(((row.gain >> bits) / row.below for row in system), float, size)
    matrix: Any = csr_matrix((data, columns, numpy.concatenate([[0], numpy.cumsum(lengths)])), (size, size))
    rank = numpy.argsort(reverse_cuthill_mckee(matrix, symmetric_mode=False))
    width = numpy.abs(rank[columns] - numpy.repeat(rank, lengths)).max(initial=0)
    tick()
    equations: Any = (identity(size, format="csc") - matrix).tocsc()
    # The start is not 0: from there the iteration breaks down where few states lead to the goal.
    sides: Any = [(gains, 1e-14 * size**0.5), (numpy.ones(size), 0.1)]  # u need not be precise
    found: list[Any] = []
    direct = size <= FEW or size * int(width) ** 2 <= WORK
    with numpy.errstate(all="ignore"):
        if not direct:
            half = numpy.full(size, 0.5)
            most = FEW_STEPS if size <= MANY else MOST_STEPS
            for b, error in sides:
                x, failed = bicgstab(equations, b, half, rtol=0.0, atol=error, maxiter=most)
                if failed:
                    break
                found.append(x)
            direct = len(found) < len(sides) and size <= MANY
        if direct:
            try:
                solve = splu(equations).solve
            except RuntimeError:  # singular in floats
                return None
            found = [solve(side) for side, _ in sides]
    if len(found) < len(sides) or not all(numpy.isfinite(x).all() for x in found):
        return None
    values, steps = (x.tolist() for x in found)
    return values, steps
