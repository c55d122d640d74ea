"""The search for a proof of f >= 0 that the kernel of certificates accepts.

The cheapest first: the derivative chain at 0 or at the least eps, also in 1/eps; then the irreducible
factors, where even powers need no proof and differences of two exponentials become polynomials; and pieces
(:mod:`dipc.signs.taylor`) for the factors that are left.

A mistake here could do no harm: the kernel checks every proof.
"""

from __future__ import annotations

from math import prod

from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.polynomial import grid_of, join, split
from dipc.signs import proofs
from dipc.signs.derivatives import chain_proof
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import without_monomial
from dipc.signs.limits import NoProof, negative
from dipc.signs.proofs import Proof
from dipc.signs.roots import irreducible, signs_of_binomial
from dipc.signs.taylor import by_pieces


def proof(f: ExpPoly, eps_range: EpsRange, strict: bool = False) -> Proof:
    """A proof of f >= 0 (f > 0, if strict) on the range, about f in normal form.  Raises :class:`NoProof`."""
    if strict and (not f or any(f.sign_at(end) <= 0 for end in eps_range.closed_ends)):
        raise negative(eps_range)
    if not f:
        return proofs.Identity()
    f = without_monomial(f)
    if _sign_inside(f, eps_range) < 0:
        raise negative(eps_range)
    if eps_range.is_point:
        return proofs.Point()
    return chain_proof(f, eps_range) or _by_factors(f, eps_range, strict)


def _sign_inside(f: ExpPoly, eps_range: EpsRange) -> int:
    """The sign at a point inside at which f, not the zero function, is not 0; or at the only point."""
    point = eps_range.inside
    while not (sign := f.sign_at(point)) and not eps_range.is_point:
        point = (eps_range.low + point) / 2
    return sign


# --- factors ----------------------------------------------------------------------------------------


def _by_factors(f: ExpPoly, eps_range: EpsRange, strict: bool) -> Proof:
    """The irreducible factors, those with odd powers (all, if strict) with a proof."""
    factors = []
    for g, power in irreducible(f):
        g = without_monomial(g)
        if _sign_inside(g, eps_range) < 0:
            g = -g
        needed = bool(power % 2) or strict
        chain = chain_proof(g, eps_range) if needed else None
        if needed and chain is None and (signs := signs_of_binomial(g)) is not None:
            return _without_binomial(f, g, signs, eps_range, strict)
        factors.append((proofs.Factor(g, power, chain), needed))
    product = prod((factor.function**factor.power for factor, _ in factors), start=ExpPoly.of(1))
    scale = next(f.terms()).coefficient / next(product.terms()).coefficient
    if scale < 0:
        raise negative(eps_range)
    proved = tuple(
        factor._replace(proof=by_pieces(factor.function, eps_range, strict))
        if needed and factor.proof is None
        else factor
        for factor, needed in factors
    )
    single = proved[0].proof
    if len(proved) == 1 and proved[0].power == 1 and scale == 1 and single is not None:
        return single
    return proofs.Product(scale, proved)


def _without_binomial(
    f: ExpPoly, g: ExpPoly, signs: ExpPoly, eps_range: EpsRange, strict: bool
) -> proofs.Binomial:
    """f = g h, where g = exp(u) - exp(v) has the signs of the polynomial eps (u - v)."""
    if (grid := grid_of(f, g)) is None:
        raise NoProof("no certificate: a function has too great a degree in exp(eps) for its factors")
    cofactor = join(split(f, grid).polynomial / split(g, grid).polynomial, grid)
    if without_monomial(g * cofactor) != f:
        cofactor = -cofactor
    return proofs.Binomial(g, cofactor, proof(signs * cofactor, eps_range, strict))
