"""Exponential polynomials as polynomials over the integers, for gcd, factoring and division.

With a unit u and steps a, k, b (:class:`Grid`), the substitution ``z = exp(a eps/u)``, ``w = exp(k/u)``,
``v = exp(b/(u eps))`` turns an exponential polynomial into a Laurent polynomial in (eps, z, w, v).  As
functions, eps, z and v are algebraically independent over the constants (no combination of eps and 1/eps is
constant), and w is a transcendental constant: so the four are independent over Q, and factors, gcds and
divisibility of polynomials are those of the functions.  Monomials have no zero for eps > 0, and are split
off.

A polynomial has as many coefficients as its degree, and gcds and factors take time and memory that grow with
it: ``exp(10^9 eps) - exp(eps) + 1`` has three terms.  Where the degree is not moderate (:func:`grid_of`), no
common factors and no multiple ones are looked for, and nothing follows from that.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import gcd, lcm
from typing import NamedTuple

from flint import Ordering, fmpq, fmpq_mpoly_ctx, fmpz, fmpz_mpoly, fmpz_mpoly_ctx

from dipc.numbers.exppoly import ExpPoly

VARIABLES = ("eps", "z", "w", "v")
MODERATE = 2000  # the largest degree that is moderate, unless the polynomial is dense
DENSE = 4  # so many powers for each term are dense


@cache
def context() -> fmpz_mpoly_ctx:
    """The ring Z[eps, z, w, v]."""
    return fmpz_mpoly_ctx.get(VARIABLES, Ordering.lex)


def common_unit(*functions: ExpPoly) -> int:
    """The least unit in which all exponents are integers."""
    return lcm(*(f.canonical()[0] for f in functions))


class Grid(NamedTuple):
    """The exponents of a function, but for a monomial, are multiples of these steps in units of 1/unit."""

    unit: int
    a: int = 1
    k: int = 1
    b: int = 1


def grid_of(*functions: ExpPoly) -> Grid | None:
    """The widest grid of functions that are not zero; None if a degree is not moderate there.

    >>> grid_of(ExpPoly.exp(10**9) - 2), grid_of(ExpPoly.exp(10**9) - ExpPoly.exp(1) + 1)
    (Grid(unit=1, a=1000000000, k=1, b=1), None)
    """
    unit = common_unit(*functions)
    columns = [tuple(zip(*f.in_unit(unit), strict=True)) for f in functions]
    steps = [1]  # of the powers of eps, and of the three exponents
    for axis in (1, 2, 3):
        steps.append(gcd(*(e - column[axis][0] for column in columns for e in column[axis])) or 1)
    for column in columns:
        for axis, (step, exponents) in enumerate(zip(steps, column, strict=True)):
            degree = (max(exponents) - min(exponents)) // step
            if degree > MODERATE and not (axis and degree <= DENSE * len(set(exponents))):
                return None
    return Grid(unit, *steps[1:])


@dataclass(frozen=True)
class Split:
    """``f = scale * monomial * polynomial``, the polynomial with no monomial factor."""

    polynomial: fmpz_mpoly  # primitive
    scale: fmpq
    monomial: ExpPoly  # one term, coefficient 1


def split(f: ExpPoly, grid: Grid) -> Split:
    """Write a non-zero exponential polynomial as a polynomial on a grid of it."""
    unit, x, y, z = grid
    items = f.in_unit(unit)
    n0, a0, k0, b0 = (min(key[i] for key in items) for i in range(4))
    denominator = lcm(*(int(c.q) for c in items.values()))
    content, polynomial = (
        context()
        .from_dict(
            {
                (n - n0, (a - a0) // x, (k - k0) // y, (b - b0) // z): int((c * denominator).p)
                for (n, a, k, b), c in items.items()
            }
        )
        .primitive()
    )
    return Split(polynomial, fmpq(content, denominator), ExpPoly({(n0, a0, k0, b0): fmpq(1)}, unit))


def primitive(f: ExpPoly) -> ExpPoly:
    """A non-zero f divided by a positive number and a monomial: coprime integers, no common monomial.

    >>> primitive(ExpPoly.of(6, 2, 3) - ExpPoly.of(fmpq(4, 5), 1, 5))
    15*eps - 2*exp(2*eps)
    """
    if f._primitive:
        return f
    unit, items = f.canonical()
    n0, a0, k0, b0 = (min(key[i] for key in items) for i in range(4))
    denominator = lcm(*(int(c.q) for c in items.values()))
    integers = {key: int((c * denominator).p) for key, c in items.items()}
    content = gcd(*integers.values())
    found = ExpPoly(
        {(n - n0, a - a0, k - k0, b - b0): fmpq(c // content) for (n, a, k, b), c in integers.items()}, unit
    )
    found._primitive = True
    return found


def join(polynomial: fmpz_mpoly, grid: Grid) -> ExpPoly:
    """The exponential polynomial that a polynomial in (eps, z, w, v) stands for."""
    unit, x, y, z = grid
    terms = polynomial.to_dict().items()
    return ExpPoly({(int(n), int(a) * x, int(k) * y, int(b) * z): fmpq(c) for (n, a, k, b), c in terms}, unit)


def factors_of(polynomial: fmpz_mpoly, squarefree: bool = False) -> tuple[fmpz, list[tuple[fmpz_mpoly, int]]]:
    """A number, and the irreducible factors (or square-free, coprime ones) with their powers.

    >>> z = context().gens()[1]
    >>> factors_of(2 * (2 - z) * (z - 2**70))
    (-2, [(z - 1180591620717411303424, 1), (z - 2, 1)])
    """
    ring = polynomial.context()
    try:
        number, found = polynomial.factor_squarefree() if squarefree else polynomial.factor()
        return number, found
    except OverflowError:  # python-flint sorts the factors, and fails for coefficients of more than 63 bits
        rational = fmpq_mpoly_ctx.get(ring.names(), Ordering.lex).from_dict(polynomial.to_dict())
        _, over_q = rational.factor_squarefree() if squarefree else rational.factor()
    rest, found = polynomial, []
    for factor, power in over_q:
        items = factor.to_dict()
        common = lcm(*(int(c.q) for c in items.values()))
        _, integral = ring.from_dict({key: int((c * common).p) for key, c in items.items()}).primitive()
        rest = rest / integral ** int(power)
        found.append((integral, int(power)))
    return rest.leading_coefficient(), found
