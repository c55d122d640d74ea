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
from collections.abc import Sequence
from fractions import Fraction

from dipc.certificate.slow.cones import Simplicial, Vector, dot, generic_point, rays, simplices
from dipc.certificate.slow.functions import ONE, Mass, constant, difference, exponential, product, total
from dipc.certificate.slow.inequalities import Row, has_interior, integer_row
from dipc.kernel.facts import ZERO, Function, add


def simplicial_sum(cone: Simplicial, weights: Sequence[Fraction], inside: Vector) -> Mass:
    """The sum over the points at height 1 of one simplicial cone."""

    def term(point: Vector) -> Function:
        return exponential(-sum((a * x for a, x in zip(weights, point[:-1], strict=True)), ZERO))

    points = list(cone.fundamental([c < 0 for c in cone.coordinates(inside)]))
    steps = add(*(term(v) for v in cone.rays if v[-1] == 1))
    at_zero = add(*(term(p) for p in points if p[-1] == 0))
    mass = Mass(add(product([at_zero, steps]), *(term(p) for p in points if p[-1] == 1)))
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
    equation = min((r for r in rows if tuple(-c for c in r) in rows), default=None)
    if equation is not None:
        return within(equation, rows, weights)
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


def within(equation: Row, rows: frozenset[Row], weights: Sequence[Fraction]) -> Mass:
    """:func:`lattice_sum` where the equation holds: one variable less, in coordinates that suit it."""
    first, *others = unimodular(equation[:-1])
    shift = -equation[-1]

    def changed(r: Row) -> Row:
        return integer_row([*(dot(r[:-1], v) for v in others), r[-1] + shift * dot(r[:-1], first)], False)

    def weight(v: Vector) -> Fraction:
        return sum((a * c for a, c in zip(weights, v, strict=True)), ZERO)

    rest = lattice_sum(frozenset(map(changed, rows)), [weight(v) for v in others])
    return rest.times(Mass(exponential(-shift * weight(first))))


def unimodular(slopes: Sequence[int]) -> list[Vector]:
    """A basis of the integer vectors: the first has product 1 with the slopes, the others 0 (Euclid).

    >>> unimodular((2, 3))
    [(-1, 1), (3, -2)]
    """
    width = len(slopes)
    work = [(c, tuple(int(i == j) for j in range(width))) for i, c in enumerate(slopes)]
    while True:
        work.sort(key=lambda item: (not item[0], abs(item[0])))
        (least, first), *rest = work
        if not any(c for c, _ in rest):
            return [tuple(least * x for x in first), *(v for _, v in rest)]
        work[1:] = [
            (c - c // least * least, tuple(x - c // least * y for x, y in zip(v, first, strict=True)))
            for c, v in rest
        ]


def integer_mass(rows: frozenset[Row], rates: Sequence[Fraction]) -> Mass:
    """The probability of the rows for noise with ``P(X = x) = (1 - z)/(1 + z) z^|x|``, z = exp(-a eps).

    >>> from dipc.certificate.slow.functions import same
    >>> tail = integer_mass(frozenset({(1, -1)}), [ONE])  # P(X >= 1) = z/(1 + z)
    >>> z = exponential(-ONE)
    >>> same(tail.pair(), (z, add(constant(1), z)))
    True
    """
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
    """The row with ``-1 - x`` in place of x where x is negative.

    >>> mirrored((2, 3, 5), (False, True))
    (2, -3, 2)
    """
    flipped = [c for c, flip in zip(r[:-1], negative, strict=True) if flip]
    slopes = (-c if flip else c for c, flip in zip(r[:-1], negative, strict=True))
    return (*slopes, r[-1] - sum(flipped))
