"""Exponential polynomials as polynomials over the integers, for gcd, factoring and division.

With unit u, the substitution ``z = exp(eps/u)``, ``w = exp(1/u)``, ``v = exp(1/(u eps))`` turns an
exponential polynomial into a Laurent polynomial in (eps, z, w, v).  As functions, eps, z and v are
algebraically independent over the constants (no combination of eps and 1/eps is constant), and w is a
transcendental constant: so the four are independent over Q, and factors, gcds and divisibility of polynomials
are those of the functions.  Monomials have no zero for eps > 0, and are split off.  (Where the degree in z, w
or v is great, several variables take its place: :mod:`dipc.numbers.basis`.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import gcd, lcm

from flint import Ordering, fmpq, fmpq_mpoly_ctx, fmpz, fmpz_mpoly, fmpz_mpoly_ctx

from dipc.numbers.basis import Basis
from dipc.numbers.exppoly import ExpPoly

VARIABLES = ("eps", "z", "w", "v")


@cache
def context() -> fmpz_mpoly_ctx:
    """The ring Z[eps, z, w, v]."""
    return fmpz_mpoly_ctx.get(VARIABLES, Ordering.lex)


@dataclass(frozen=True)
class Split:
    """``f = scale * monomial * polynomial``, the polynomial with no monomial factor."""

    polynomial: fmpz_mpoly  # primitive, in the ring of the basis
    scale: fmpq
    monomial: ExpPoly  # one term, coefficient 1


def split(f: ExpPoly, basis: Basis) -> Split:
    """Write a non-zero exponential polynomial as a polynomial in the variables of a basis for it."""
    items = f.in_unit(basis.unit)
    n0, a0, k0, b0 = (min(key[i] for key in items) for i in range(4))
    denominator = lcm(*(int(c.q) for c in items.values()))
    integers: dict[tuple[int, ...], int | fmpz] = {}
    for (n, a, k, b), c in items.items():
        powers = basis.powers((n - n0, a - a0, k - k0, b - b0))
        integers[powers] = int((c * denominator).p)
    lows = [min(column) for column in zip(*integers, strict=True)]
    n, a, k, b = basis.key(lows)
    content, polynomial = basis.context.from_dict(
        {tuple(e - low for e, low in zip(powers, lows, strict=True)): c for powers, c in integers.items()}
    ).primitive()
    monomial = ExpPoly({(n0 + n, a0 + a, k0 + k, b0 + b): fmpq(1)}, basis.unit)
    return Split(polynomial, fmpq(content, denominator), monomial)


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


def join(polynomial: fmpz_mpoly, unit: int) -> ExpPoly:
    """The exponential polynomial that a polynomial in (eps, z, w, v) stands for."""
    items = {(int(n), int(a), int(k), int(b)): fmpq(c) for (n, a, k, b), c in polynomial.to_dict().items()}
    return ExpPoly(items, unit)


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
