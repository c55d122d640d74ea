"""The search for a proof of f >= 0 that the kernel of certificates accepts.

The cheapest first: the derivative chain at 0 or at the least eps, also in 1/eps; then the irreducible
factors, where even powers need no proof and differences of two exponentials become polynomials; and pieces
(:mod:`dipc.signs.taylor`) for the factors that are left.

A function f + h sqrt(g) is cut into pieces with at most one root of the functions that matter, so that one of
the kinds of :meth:`dipc.signs.radicals.Radical.parts` proves it: next to a root of one part the other one is
larger; if the norm has a root but the function has none, both parts are positive.

A mistake here could do no harm: the kernel checks every proof.
"""

from __future__ import annotations

from itertools import pairwise
from math import prod

from flint import fmpq

from dipc.numbers.basis import common_basis
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.polynomial import split
from dipc.signs import proofs
from dipc.signs.derivatives import chain_proof
from dipc.signs.eps_range import EpsRange, simplest_between
from dipc.signs.inequality import without_monomial
from dipc.signs.limits import NoProof, Unsettled, negative
from dipc.signs.proofs import Proof
from dipc.signs.radicals import KINDS, Function, Radical
from dipc.signs.roots import irreducible, positive_roots, signs_of_binomial
from dipc.signs.taylor import by_pieces


def proof(f: Function, eps_range: EpsRange, strict: bool = False) -> Proof:
    """A proof of f >= 0 (f > 0, if strict) on the range, about f in normal form.  Raises :class:`NoProof`."""
    if isinstance(f, Radical):
        return _rooted(f, eps_range, strict)
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
    basis = common_basis(f, g)
    if basis is None or not basis.is_free:
        raise NoProof("no certificate: a function has too great a degree in exp(eps) for its factors")
    cofactor = basis.join(split(f, basis).polynomial / split(g, basis).polynomial)
    if without_monomial(g * cofactor) != f:
        cofactor = -cofactor
    return proofs.Binomial(g, cofactor, proof(signs * cofactor, eps_range, strict))


# --- with a square root -----------------------------------------------------------------------------


def _rooted(f: Radical, eps_range: EpsRange, strict: bool) -> Proof:
    if eps_range.is_point:
        if f.sign_at(eps_range.low) < strict:
            raise negative(eps_range)
        return proofs.Point()
    whole = _rooted_piece(f, eps_range, strict)
    if whole is not None:
        return proofs.Rooted((eps_range.low, eps_range.high), (whole,))
    points: list[proofs.End] = [eps_range.low, *_separators(f, eps_range), eps_range.high]
    pieces = []
    for i, (a, b) in enumerate(pairwise(points)):
        assert a is not None
        inner = EpsRange(a, b, i > 0 or eps_range.low_closed, i < len(points) - 2 or eps_range.high_closed)
        piece = _rooted_piece(f, inner, strict)
        if piece is None:
            message = "no proof was found of an inequality with a square root"
            raise NoProof(f"no certificate: {message} in {inner}")
        pieces.append(piece)
    return proofs.Rooted(tuple(points), tuple(pieces))


def _rooted_piece(f: Radical, eps_range: EpsRange, strict: bool) -> proofs.RootedPiece | None:
    samples = [eps_range.inside, *(end for end in (eps_range.low, eps_range.high) if end)]
    for kind in KINDS:
        first, second = f.parts(kind)
        if any(g.sign_at(point) < 0 for g in (first, second) for point in samples):
            continue
        try:
            return proofs.RootedPiece(kind, proof(first, eps_range), proof(second, eps_range, strict))
        except NoProof:
            pass
    return None


def _separators(f: Radical, eps_range: EpsRange) -> list[fmpq]:
    """Points inside between the roots of both parts and of the norm, and rational roots."""
    product = prod((part for part in (f.rational, f.coefficient, f.norm) if part), start=ExpPoly.of(1))
    try:
        roots = positive_roots(product, eps_range.low, eps_range.high)
    except Unsettled as doubt:
        where = f"[{doubt.low}, {doubt.high}]"
        raise NoProof(f"no certificate: roots in {where} could not be told apart") from None
    points = {root.low for root in roots if root.is_rational}
    for left, right in pairwise(roots):
        if not left.is_rational and not right.is_rational:
            points.add(simplest_between(left.high, right.low))
    return sorted(points)
