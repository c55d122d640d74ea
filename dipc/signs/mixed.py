"""Roots of exponential polynomials in which exp(b/eps) occurs next to exp(a eps) or powers of eps.

The derivative chain of :mod:`dipc.signs.derivatives` does not end for such functions: differentiating
``exp(b/eps)`` gives ever higher powers of 1/eps.  But the two ends of (0, inf) are exact, and what is left is
compact.

**At zero.**  Let B be the greatest of the b, and write

    f(eps) = exp(B/eps) * ( eps^n Q(eps) + sum_i c_i eps^n_i exp(a_i eps + k_i - d_i/eps) ),      d_i > 0,

with Q entire and not the zero function.  Let m be the order of its zero at 0, found exactly.  By Lagrange's
remainder ``Q(eps) = eps^m Q^(m)(x) / m!`` for some x in [0, eps].  And ``eps^s exp(-d/eps)`` increases on
(0, R] if s >= 0 or R <= d/(-s).  So if, for some R with these inequalities,

    min |Q^(m)| over [0, R]  >  m! * sum_i |c_i| R^(n_i - n - m) exp(max(a_i, 0) R + k_i - d_i/R),

then f has no root in (0, R].  Both sides are enclosed by balls.  As R goes to 0 the left side tends to
|Q^(m)(0)| > 0 and the right side to 0: halving R ends.

**At infinity.**  ``f(1/eta)`` is a function of the same kind, a and b exchanged: the same statement settles
eta in (0, R], which is eps in [1/R, inf).

**In between.**  An interval [x, y] is settled if a ball excludes 0 from g([x, y]) or from g'([x, y]), where g
is f divided by its greatest term there: g has the signs of f, and is monotone in the second case, so that the
exact signs at the rational ends tell whether there is a root.  It is also settled if f has a zero of
exact order j at a rational r in it and a ball excludes 0 from g^(j)([x, y]): then r is the only root (Rolle).
Otherwise it is halved.

All zeros that are simple or rational are found in this way.  Whether there are others (multiple and
irrational) would need Schanuel's conjecture in general; at a width of 2^-128, or after many intervals, this
is not settled and :class:`Unsettled` is raised.
"""

from __future__ import annotations

from math import factorial

from flint import arb, ctx, fmpq

from dipc.numbers.exppoly import ExpPoly, Term
from dipc.signs.derivatives import derivative
from dipc.signs.eps_range import simplest_between
from dipc.signs.limits import LEAST_WIDTH, Unsettled

GUESS_WIDTH = fmpq(1, 2**10)  # below it a rational root is guessed
MAX_BOXES = 20_000

Isolated = tuple[fmpq, fmpq]  # an open interval with one simple root, or a rational root twice


def isolated(f: ExpPoly, low: fmpq, high: fmpq | None) -> list[Isolated]:
    """The roots of f, not the zero function, in the open interval (low, high).

    Raises :class:`Unsettled`.

    >>> f = ExpPoly.exp(1) - ExpPoly.exp(0, 0, 1) - ExpPoly.of(1, 1)      # exp(eps) - exp(1/eps) - eps
    >>> [(low, high)] = isolated(f, fmpq(0), None)
    >>> f.sign_at(low), f.sign_at(high)
    (-1, 1)
    """
    near, far = rootless_up_to(f), 1 / rootless_up_to(f.at_inverse())
    left = max(low, near)
    right = far if high is None else min(high, far)
    if left >= right:
        return []
    return [(a, b) for a, b in _Search(f).between(left, right) if a != high]


def rootless_up_to(f: ExpPoly) -> fmpq:
    """A rational R > 0 with no root of f, not the zero function, in (0, R].

    >>> rootless_up_to(ExpPoly.exp(0, 0, 1) - ExpPoly.of(1, -2) * 10)      # exp(1/eps) - 10/eps^2
    1/8
    """
    terms = list(f.terms())
    most = max(t.inverse for t in terms)
    power = min(t.power for t in terms if t.inverse == most)
    lead = ExpPoly.from_terms(
        [Term(t.coefficient, t.power - power, t.rate, t.constant) for t in terms if t.inverse == most]
    )
    order = 0
    while not lead.sign_at(fmpq(0)):
        lead = derivative(lead)
        order += 1
    rest = [t for t in terms if t.inverse != most]
    bound, precision = fmpq(1), 64
    while not _dominates(lead, rest, most, power + order, factorial(order), bound, precision):
        bound, precision = bound / 2, precision + 16
    return bound


def _dominates(
    lead: ExpPoly, rest: list[Term], most: fmpq, power: int, factor: int, bound: fmpq, precision: int
) -> bool:
    """The inequality of the module's docstring, for R = ``bound``."""
    with ctx.workprec(precision):
        total = arb(0)
        for c, n, a, k, b in rest:
            s, d = n - power, most - b
            if s < 0 and bound > d / -s:
                return False
            total += arb(abs(c) * bound**s) * arb(max(a, fmpq(0)) * bound + k - d / bound).exp()
        least = lead.enclose(_box(fmpq(0), bound)).abs_lower()
        return bool(least > total * factor)


def _box(low: fmpq, high: fmpq) -> arb:
    """A ball that contains [low, high]."""
    return arb(low).union(arb(high))


def _middle(low: fmpq, high: fmpq) -> fmpq:
    """A point between, about the geometric mean if the ends are of different size."""
    if high <= 4 * low:
        return (low + high) / 2
    return low * fmpq(2) ** (int((high / low).floor()).bit_length() // 2)


class _Search:
    """The search for roots in compact intervals."""

    def __init__(self, f: ExpPoly) -> None:
        self.f = f
        self.terms = list(f.terms())
        self.boxes = 0
        self._logs = [arb(abs(t.coefficient)).log() for t in self.terms]
        self._scaled: dict[tuple[str, int], ExpPoly] = {}

    def between(self, low: fmpq, high: fmpq) -> list[Isolated]:
        """The roots in (low, high], 0 < low < high."""
        pending, found = [(low, high)], []
        while pending:
            a, b = pending.pop()
            self.boxes += 1
            roots = self.settle(a, b)
            if roots is not None:
                found += roots
            elif b - a < LEAST_WIDTH or self.boxes > MAX_BOXES:
                raise Unsettled(a, b)
            else:
                middle = _middle(a, b)
                pending += [(a, middle), (middle, b)]
        return found

    def settle(self, a: fmpq, b: fmpq) -> list[Isolated] | None:
        """The roots in (a, b]; None: not clear."""
        bits = max(int(x).bit_length() for x in ((1 / (b - a)).ceil(), b.ceil(), (1 / a).ceil()))
        with ctx.workprec(64 + 2 * bits):
            box = _box(a, b)
            greatest = self.greatest((a + b) / 2)
            if not self.scaled(greatest, 0).enclose(box).contains(0):
                return []
            if not self.scaled(greatest, 1).enclose(box).contains(0):
                return self.of_monotone(a, b)
            if b - a > GUESS_WIDTH:
                return None
            for guess in (a, b, simplest_between(a, b)):
                if self.f.sign_at(guess) == 0:
                    order = self.order(guess)
                    if not self.scaled(greatest, order).enclose(box).contains(0):
                        return [(guess, guess)] if guess > a else []
        return None

    def of_monotone(self, a: fmpq, b: fmpq) -> list[Isolated]:
        """The roots in (a, b] of a function that has at most one in [a, b]."""
        left, right = self.f.sign_at(a), self.f.sign_at(b)
        if right == 0:
            return [(b, b)]
        return [(a, b)] if left * right < 0 else []

    def greatest(self, point: fmpq) -> Term:
        """The term of greatest size at a point, or nearly so: this choice decides nothing."""
        with ctx.workprec(64):
            log = arb(point).log()
            sizes = [
                self._logs[i] + t.power * log + arb(t.rate * point + t.constant + t.inverse / point)
                for i, t in enumerate(self.terms)
            ]
        return self.terms[max(range(len(sizes)), key=lambda i: sizes[i].mid())]

    def scaled(self, term: Term, order: int) -> ExpPoly:
        """The derivative of the given order of f divided by the term (without its coefficient)."""
        key = str(term), order
        known = self._scaled.get(key)
        if known is None:
            if order:
                known = derivative(self.scaled(term, order - 1))
            else:
                inverse = ExpPoly.of(1, -term.power, -term.rate, -term.constant, -term.inverse)
                known = self.f * inverse
            self._scaled[key] = known
        return known

    def order(self, root: fmpq) -> int:
        """The exact order of a rational root."""
        order, g = 1, derivative(self.f)
        while g.sign_at(root) == 0:
            order, g = order + 1, derivative(g)
        return order
