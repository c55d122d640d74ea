"""The roots of an exponential polynomial for eps > 0, isolated exactly.

1. **Factor.**  As a polynomial in eps, z = exp(eps/u) and w = exp(1/u) (algebraically independent, see
   :mod:`dipc.numbers.polynomial`) f splits into irreducible factors; monomials have no root.
2. **Simple.**  Let p(eps, z) be irreducible and r > 0 a root of p(eps, exp(eps/u)).  If p mentions z then r
   is transcendental (Lindemann: for an algebraic r, exp(r/u) is not algebraic).  If moreover the derivative,
   again a polynomial in eps and z, vanished at r, then the resultant of the two would vanish at the
   transcendental r, hence identically, and p would divide its own derivative: impossible but for
   monomials.  So all roots are simple, and different factors share none.  This is the argument of
   McCallum and Weispfenning (2012).  So it is also enough to know square-free factors that are coprime:
   where the degree is great (exponents of very different denominators) these are taken.
3. **Bisect.**  V(a) - V(b) of :mod:`dipc.signs.derivatives` bounds the number of roots in (a, b].  An
   interval is settled when the bound is 0 or 1, or when ball arithmetic excludes a root, or a root of
   the derivative (then the signs at the ends decide).  As roots are simple and f does not vanish between
   them, small intervals are settled, and the bisection ends.

With constants such as exp(-2) in f (w occurs) step 2 would need Schanuel's conjecture.  Then roots may
be multiple or shared; bisection stops at a width of 2^-128, for such f only.  Multiple roots that are
rational are then found by :mod:`dipc.signs.mixed`; for others :class:`Unsettled` is raised.

**Inverse exponents** exp(b/eps) (noise of rate a/eps):

* A factor ``M1 - M2``, two terms with the same power of eps and opposite coefficients, has the
  roots of the polynomial ``a eps^2 + k eps + b`` (the difference of their exponents times eps), and takes its
  place; this is done for factors without inverse exponents too.
* The others are for :mod:`dipc.signs.mixed`.  As with constants, their roots may be multiple or shared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from flint import arb, ctx, fmpq

from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.polynomial import factors_of, grid_of, join, primitive, split
from dipc.signs.derivatives import derivative_chain, variations, variations_from
from dipc.signs.eps_range import simplest_between
from dipc.signs.limits import LEAST_WIDTH
from dipc.signs.limits import Unsettled as Unsettled
from dipc.signs.mixed import isolated

MOST_DEGREE = 60  # in z, w or v: beyond it polynomials are not factored, which can take minutes
CONSTANT, FIRST_POWER = (0, fmpq(0), fmpq(0), fmpq(0)), (1, fmpq(0), fmpq(0), fmpq(0))
LINEAR = {CONSTANT, FIRST_POWER}


@dataclass(eq=False)
class Root:
    """The only root of ``factor`` in (low, high); or the rational root ``low == high``.

    Mutable: :meth:`refine` narrows the interval.  A copy has an interval of its own, and shares ``halves``.
    """

    factor: ExpPoly
    low: fmpq
    high: fmpq
    halves: list[tuple[fmpq, fmpq]] = field(default_factory=list, repr=False)
    halvings: int = field(default=0, repr=False)

    @property
    def is_rational(self) -> bool:
        """Whether it is known to be a rational number."""
        return self.low == self.high

    @property
    def width(self) -> fmpq:
        """The length of the interval."""
        return self.high - self.low

    @property
    def is_narrow(self) -> bool:
        """Whether it is not worth narrowing: by its size, since great rates have small roots."""
        return self.width < LEAST_WIDTH * min(fmpq(1), self.high)

    @property
    def may_be_shared(self) -> bool:
        """Whether it may be multiple, or a root of other factors as well."""
        return bool(self.factor.has_constants or self.factor.has_inverse or grid_of(self.factor) is None)

    def refine(self) -> None:
        """Halve the interval."""
        if self.is_rational:
            return
        if self.halvings == len(self.halves):
            self.halves.append(self._half())
        self.low, self.high = self.halves[self.halvings]
        self.halvings += 1

    def _half(self) -> tuple[fmpq, fmpq]:
        middle = (self.low + self.high) / 2
        sign = self.factor.sign_at(middle)
        if sign == 0:
            return middle, middle
        return (self.low, middle) if sign == self.factor.sign_at(self.high) else (middle, self.high)

    def refine_to(self, width: fmpq) -> None:
        """Halve the interval until it is no wider than this."""
        while self.width > width:
            self.refine()


def may_coincide(*roots: Root) -> bool:
    """Whether roots of different factors may be equal and nobody sees it."""
    return any(root.may_be_shared for root in roots) or grid_of(*(root.factor for root in roots)) is None


def positive_roots(f: ExpPoly, low: fmpq, high: fmpq | None) -> list[Root]:
    """The roots in the open interval (low, high), ascending, in disjoint closed intervals inside it.

    ``low`` >= 0, ``high`` None is infinity, f is not zero.  Multiple roots are listed once.  Raises
    :class:`Unsettled`.
    """
    f = primitive(signs_of_binomial(f) or f)
    # At most one sign change means at most one root, and a simple one.
    changes = 2 if f.has_inverse else variations_from(f, low)
    if not changes:
        return []
    few = changes == 1
    roots = _only_root(f, low, high) if few and not f.has_constants else None
    if roots is None:
        roots = [root for factor in ((f,) if few else _factors(f)) for root in _isolated(factor, low, high)]
    _separate(roots)
    for root in roots:
        while not root.is_rational and (root.low <= low or (high is not None and root.high >= high)):
            root.refine()
    return sorted(roots, key=lambda root: root.low)


def _only_root(f: ExpPoly, low: fmpq, high: fmpq | None) -> list[Root]:
    """The roots in (low, high) of a function without exp(k) that has one root above ``low``, a simple one.

    Behind it f has the sign of its dominant term.
    """
    dominant = max(f.terms(), key=lambda term: (term.rate, term.power))
    sign = 1 if dominant.coefficient > 0 else -1
    if high is not None and f.sign_at(high) != sign:
        return []
    point = low + 1
    while (high is None or point < high) and f.sign_at(point) != sign:
        point = 2 * point
    return [_simplified(Root(f, low, point if high is None else min(point, high)))]


@lru_cache(maxsize=4096)
def _factors(f: ExpPoly) -> tuple[ExpPoly, ...]:
    """Functions that together have the positive roots of f, each a simple root of one of them."""
    if _one_sign(f):
        return ()
    found: dict[ExpPoly, None] = {}
    for factor, _ in irreducible(f):
        exponents = signs_of_binomial(factor)
        for g, _ in [(factor, 1)] if exponents is None else irreducible(exponents):
            if not _one_sign(g) and any(n or a or b for _, n, a, _, b in g.terms()):
                found[g] = None
    return tuple(found)


def irreducible(f: ExpPoly) -> list[tuple[ExpPoly, int]]:
    """The irreducible factors with their powers, but for monomials and a number.

    If a degree is great, square-free factors that are coprime; if it is not even moderate, f itself, which
    need not be irreducible.
    """
    if (grid := grid_of(f)) is None:
        return [(primitive(f), 1)]
    polynomial = split(f, grid).polynomial
    _, found = factors_of(polynomial, squarefree=max(polynomial.degrees()[1:]) > MOST_DEGREE)
    return [(join(p, grid), int(power)) for p, power in found]


def _one_sign(f: ExpPoly) -> bool:
    """Whether all coefficients have the same sign: then f has no positive root."""
    return len({c > 0 for c, *_ in f.terms()}) == 1


def signs_of_binomial(f: ExpPoly) -> ExpPoly | None:
    """A polynomial with the signs of f, for ``f = c eps^n (exp(u) - exp(v))``: it is ``c eps (u - v)``.

    >>> signs_of_binomial(ExpPoly.exp(1) - ExpPoly.exp(0, 3, 2))               # exp(eps) - exp(3 + 2/eps)
    -2 - 3*eps + eps^2
    """
    if len(f) != 2:
        return None
    terms = list(f.terms())
    if terms[0].power != terms[1].power or terms[0].coefficient != -terms[1].coefficient:
        return None
    return sum(
        (ExpPoly.of(c * x, n) for c, _, *exponent in terms for n, x in zip((2, 1, 0), exponent, strict=True)),
        ExpPoly(),
    )


def _isolated(f: ExpPoly, low: fmpq, high: fmpq | None) -> list[Root]:
    """The roots of an irreducible f in (low, high)."""
    if not f.has_inverse:
        try:
            return _isolated_by_chain(f, low, high)
        except Unsettled:  # perhaps at a multiple root that is rational
            pass
    return [_simplified(Root(f, a, b)) for a, b in isolated(f, low, high)]


def _isolated_by_chain(f: ExpPoly, low: fmpq, high: fmpq | None) -> list[Root]:
    """Raises :class:`Unsettled` below the least width if roots may be multiple.

    Where exponents are large, roots are close: then the width is less.
    """
    limited = f.has_constants or grid_of(f) is None
    least_width = LEAST_WIDTH / max(fmpq(1), *(abs(rate) for _, _, rate, _, _ in f.terms()))
    chain = derivative_chain(f)
    at_low = variations(chain, low)
    if high is None:
        high = _beyond_all_roots(chain, low)
    slope = f.derivative()
    pending = [(low, high, at_low, variations(chain, high))]
    roots = []
    while pending:
        a, b, before, after = pending.pop()
        found = _settle(f, slope, a, b, before - after)
        if found is not None:
            roots += [root for root in found if root.low < high]
            continue
        if limited and b - a < least_width:
            raise Unsettled(a, b)
        middle = (a + b) / 2
        at_middle = variations(chain, middle)
        pending += [(a, middle, before, at_middle), (middle, b, at_middle, after)]
    return roots


def _beyond_all_roots(chain: list[ExpPoly], low: fmpq) -> fmpq:
    """A point that is not a root of f, chain[0], with no root above it: V is 0 there.

    V leaves zeros out and is already 0 *at* the last root, so f itself must be checked too.
    """
    point = low + 1
    while variations(chain, point) or not chain[0].sign_at(point):
        point = 2 * point
    return point


def _settle(f: ExpPoly, slope: ExpPoly, a: fmpq, b: fmpq, bound: int) -> list[Root] | None:
    """The roots in (a, b], given that there are ``bound`` or fewer by an even number; None: not clear."""
    if bound == 0:
        return []
    if bound > 1:
        # Enough bits that rounding does not matter: more for smaller intervals and larger numbers.
        size = max(int(max(abs(c.p), c.q)).bit_length() for c, *_ in f.terms())
        with ctx.workprec(64 + 2 * size + 2 * int((1 / (b - a)).ceil()).bit_length()):
            box = arb((a + b) / 2, (b - a) / 2)
            if not f.enclose(box).contains(0):
                return []
            if slope.enclose(box).contains(0):
                return None
        # f is monotone on [a, b].
        if f.sign_at(a) * f.sign_at(b) > 0 or f.sign_at(a) == 0:
            return []
    if f.sign_at(b) == 0:
        return [Root(f, b, b)]
    if f.sign_at(a) == 0:
        return None  # a is a root of its own, not in (a, b]: move away from it
    return [_simplified(Root(f, a, b))]


def _simplified(root: Root) -> Root:
    """The root as a rational number, if it is a simple one or that of a linear function."""
    coefficients = {term[1:]: term.coefficient for term in root.factor.terms()}
    if coefficients.keys() == LINEAR:
        exact = -coefficients[CONSTANT] / coefficients[FIRST_POWER]
        return Root(root.factor, exact, exact)
    root.refine_to(fmpq(1, 1024))
    if not root.is_rational:
        guess = simplest_between(root.low, root.high)
        if root.factor.sign_at(guess) == 0:
            return Root(root.factor, guess, guess)
    return root


def _separate(roots: list[Root]) -> None:
    """Refine until no two intervals meet.

    Equal rational roots of different factors (possible only with exp(k) or exp(b/eps)) are one root.
    """
    roots.sort(key=lambda root: root.low)
    done = False
    while not done:
        done = True
        for left, right in list(pairwise(roots)):
            if left.high < right.low:
                continue
            if left.is_rational and right.is_rational:
                roots.remove(right)
            elif left.is_narrow and right.is_narrow and may_coincide(left, right):
                raise Unsettled(left.low, right.high)
            left.refine()
            right.refine()
            done = False
        roots.sort(key=lambda root: root.low)
