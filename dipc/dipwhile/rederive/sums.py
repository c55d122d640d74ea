"""The probability that independent integer noise satisfies linear inequalities, by generating functions.

``sum of exp(-eps (a_1 x_1 + ... + a_n x_n))`` over the integer points of ``{x >= 0 : every row >= 0}``.
The points (x, 1) are the integer points at height t = 1 of a pointed cone.  A cone is cut into simplicial
cones without overlap (their facets are open or closed according to the side on which a generic point lies:
M. Köppe and S. Verdoolaege, 2008).  In a simplicial cone every integer point is, in exactly one way, a
point of the parallelepiped of the rays plus a sum of rays (R. P. Stanley, Enumerative Combinatorics I,
Section 4.6).  A ray at height 0 may be added without end: it gives ``1 / (1 - exp(-eps (a ray)))``, a ray at
height 1 at most once, others never.

No term has a denominator that vanishes, since the a_i are positive: nothing has to be cancelled.  This has
nothing in common with the nested sums by which :mod:`dipc.integration` finds the same numbers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dipc.dipwhile.rederive.functions import ONE, Mass, NotCovered, constant, difference, exponential, total
from dipc.dipwhile.rederive.inequalities import Row, has_interior
from dipc.kernel.facts import ZERO, Function, add, multiply

Vector = tuple[int, ...]

MAX_POINTS = 20_000  # of a parallelepiped
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47)


# --- cones ------------------------------------------------------------------------------------------------


def dot(u: Sequence[int], v: Sequence[int]) -> int:
    """The inner product."""
    return sum(a * b for a, b in zip(u, v, strict=True))


def determinant(matrix: Sequence[Vector]) -> int:
    """By the first row."""
    if not matrix:
        return 1
    first, *rest = matrix
    return sum(
        (-1) ** j * c * determinant([(*r[:j], *r[j + 1 :]) for r in rest]) for j, c in enumerate(first) if c
    )


def normal_to(vectors: Sequence[Vector], width: int) -> Vector:
    """A vector orthogonal to ``width - 1`` others, 0 if these are dependent: their cross product."""
    minors = [determinant([(*v[:j], *v[j + 1 :]) for v in vectors]) for j in range(width)]
    divisor = math.gcd(*minors) or 1
    return tuple((-1) ** j * m // divisor for j, m in enumerate(minors))


def rays(rows: Sequence[Row]) -> list[Vector]:
    """The extreme rays of the pointed cone ``{v : every row v >= 0}``: all lines where facets may meet."""
    width = len(rows[0])
    found = set()
    for chosen in itertools.combinations(rows, width - 1):
        line = normal_to(chosen, width)
        for v in (line, tuple(-c for c in line)):
            if any(v) and all(dot(r, v) >= 0 for r in rows):
                found.add(v)
    return sorted(found)


def simplices(face: frozenset[Vector], rows: Sequence[Row], dimension: int) -> list[frozenset[Vector]]:
    """A triangulation of a face of the cone, given by its rays: one ray, with every facet that lacks it."""
    if dimension == len(face):
        return [face]
    apex = min(face)
    parts = {frozenset(v for v in face if dot(r, v) == 0) for r in rows} - {face}
    facets = [part for part in parts if not any(part < other for other in parts)]
    return [
        simplex | {apex}
        for facet in facets
        if apex not in facet
        for simplex in simplices(facet, rows, dimension - 1)
    ]


def adjugate(columns: Sequence[Vector]) -> list[Vector]:
    """The rows of the inverse of the matrix with these columns, times its determinant."""
    size = range(len(columns))

    def cofactor(i: int, j: int) -> int:
        minor = [tuple(columns[c][r] for r in size if r != j) for c in size if c != i]
        return determinant(minor) * (-1 if (i + j) % 2 else 1)

    return [tuple(cofactor(i, j) for j in size) for i in size]


@dataclass(frozen=True)
class Simplicial:
    """A simplicial cone; coordinates of points along its rays are integers, in units of ``1 / index``."""

    rays: tuple[Vector, ...]
    index: int
    scaled_inverse: tuple[Vector, ...]

    @staticmethod
    def of(generators: Iterable[Vector]) -> Simplicial:
        """The cone with these rays, in an order of positive determinant."""
        ordered = sorted(generators)
        index = determinant(ordered)
        if index < 0:
            ordered[-2:] = reversed(ordered[-2:])
        return Simplicial(tuple(ordered), abs(index), tuple(adjugate(ordered)))

    def coordinates(self, point: Vector) -> Vector:
        """The coordinates of a point."""
        return tuple(dot(r, point) for r in self.scaled_inverse)

    def fundamental(self, opened: Sequence[bool]) -> Iterator[Vector]:
        """The integer points ``sum of l_i ray_i`` with 0 <= l_i < 1, or 0 < l_i <= 1 where the facet is open.

        Modulo 1 the coordinates of all integer points form a finite group, generated by those of the
        unit vectors, with ``index`` elements.
        """
        if self.index > MAX_POINTS:
            raise NotCovered("integer noise with coefficients of this size")
        group = {(0,) * len(self.rays)}
        for column in zip(*self.scaled_inverse, strict=True):
            order = self.index // math.gcd(self.index, *column)
            group = {
                tuple((g + k * c) % self.index for g, c in zip(point, column, strict=True))
                for point in group
                for k in range(order)
            }
        for point in group:
            shifted = [c or self.index * is_open for c, is_open in zip(point, opened, strict=True)]
            yield tuple(dot(shifted, cells) // self.index for cells in zip(*self.rays, strict=True))


def generic_point(all_rays: Sequence[Vector], parts: Sequence[Simplicial]) -> Vector:
    """A point inside the cone that lies on no facet of its parts."""

    def candidate(power: int) -> Vector:
        weights = [PRIMES[i % len(PRIMES)] ** power + i for i in range(len(all_rays))]
        return tuple(dot(weights, cells) for cells in zip(*all_rays, strict=True))

    points = map(candidate, itertools.count(1))
    return next(point for point in points if all(all(part.coordinates(point)) for part in parts))


# --- sums ---------------------------------------------------------------------------------------------------


def simplicial_sum(cone: Simplicial, weights: Sequence[Fraction], inside: Vector) -> Mass:
    """The sum over the points at height 1 of one simplicial cone."""

    def term(point: Vector) -> Function:
        return exponential(-sum((a * x for a, x in zip(weights, point[:-1], strict=True)), ZERO))

    points = list(cone.fundamental([c < 0 for c in cone.coordinates(inside)]))
    steps = add(*(term(v) for v in cone.rays if v[-1] == 1))
    at_zero = add(*(term(p) for p in points if p[-1] == 0))
    mass = Mass(add(multiply(at_zero, steps), *(term(p) for p in points if p[-1] == 1)))
    for v in cone.rays:
        if v[-1] == 0:
            mass = mass.over(difference(constant(1), term(v)))
    return mass


def lattice_sum(rows: frozenset[Row], weights: Sequence[Fraction]) -> Mass:
    """The sum of ``exp(-eps (a x))`` over the integer points with every row >= 0.

    The set holds no line, and a x is positive in every direction in which it is unbounded.

    >>> lattice_sum(frozenset({(1, 0), (-1, 1)}), [ONE]).numerator == add(constant(1), exponential(-ONE))
    True
    """
    if any(r[-1] < 0 for r in rows if not any(r[:-1])):
        return Mass({})
    rows = frozenset(r for r in rows if any(r[:-1]))
    if not weights:
        return Mass()
    system = rows
    if not has_interior(system):
        # An integer c x + c_0 is >= 0 exactly if it is > -1/2; then every integer point is an inner one.
        system = frozenset((*(2 * c for c in r[:-1]), 2 * r[-1] + 1) for r in rows)
        if not has_interior(system):
            return Mass({})
    faces = sorted(system | {(*(0 for _ in weights), 1)})
    everything = rays(faces)
    parts = [Simplicial.of(simplex) for simplex in simplices(frozenset(everything), faces, len(weights) + 1)]
    inside = generic_point(everything, parts)
    return total([simplicial_sum(part, weights, inside) for part in parts])


def integer_mass(rows: frozenset[Row], rates: Sequence[Fraction]) -> Mass:
    """The probability of the rows for noise with ``P(X = x) = (1 - z)/(1 + z) z^|x|``, z = exp(-a eps)."""
    width = len(rates)
    sides = {tuple(int(i == j) for j in range(width + 1)) for i in range(width)}
    parts = []
    for negative in itertools.product((False, True), repeat=width):
        shift = sum((a for a, flip in zip(rates, negative, strict=True) if flip), ZERO)
        system = frozenset({mirrored(r, negative) for r in rows} | sides)
        parts.append(lattice_sum(system, rates).times(Mass(exponential(-shift))))
    mass = total(parts)
    for a in rates:
        less, more = add(constant(1), exponential(-a, -ONE)), add(constant(1), exponential(-a))
        mass = mass.times(Mass(less)).over(more)
    return mass


def mirrored(r: Row, negative: Sequence[bool]) -> Row:
    """The row with ``-1 - x`` in place of x where x is negative."""
    flipped = [c for c, flip in zip(r[:-1], negative, strict=True) if flip]
    slopes = (-c if flip else c for c, flip in zip(r[:-1], negative, strict=True))
    return (*slopes, r[-1] - sum(flipped))
