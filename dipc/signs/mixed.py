"""Roots of exponential polynomials in which exp(b/eps) occurs.

The derivative chain of :mod:`dipc.signs.derivatives` does not end for such functions: differentiating
``exp(b/eps)`` gives ever higher powers of 1/eps.  But the two ends of (0, inf) are exact, and what is left is
compact.

**At the two ends** the fastest terms win (:func:`dipc.signs.bounds.rootless_up_to`): there are R and S
without a root in (0, R] and in [S, inf).

**In between.**  An interval [x, y] is settled if a ball excludes 0 from g([x, y]) or from g'([x, y]), where g
is f divided by its greatest term there: g has the signs of f, and is monotone in the second case, so that the
exact signs at the rational ends decide whether there is a root.  It is also settled if f has a zero of
exact order j at a rational r in it and a ball excludes 0 from g^(j)([x, y]): then r is the only root (Rolle).
Otherwise it is halved.

All zeros that are simple or rational are found in this way.  Whether there are others (multiple and
irrational) would need Schanuel's conjecture in general; at a width of 2^-128, or after many intervals, this
is not settled and :class:`Unsettled` is raised.
"""

from __future__ import annotations

from itertools import count

from flint import arb, ctx, fmpq

from dipc.numbers.exppoly import ExpPoly, Term
from dipc.signs.bounds import greatest_term, rootless_up_to
from dipc.signs.eps_range import middle_of, simplest_between
from dipc.signs.limits import LEAST_WIDTH, Unsettled

GUESS_WIDTH = fmpq(1, 2**10)  # below it a rational root is guessed
MAX_BOXES = 20_000

Isolated = tuple[fmpq, fmpq]  # an open interval with one simple root, or a rational root twice


def isolated(f: ExpPoly, low: fmpq, high: fmpq | None) -> list[Isolated]:
    """The roots of f, not the zero function, in the open interval (low, high).  Raises :class:`Unsettled`."""
    near, far = rootless_up_to(f), 1 / rootless_up_to(f.at_inverse())
    left = max(low, near)
    right = far if high is None else min(high, far)
    if left >= right:
        return []
    return [(a, b) for a, b in _Search(f).between(left, right) if a != high]


class _Search:
    """The search for roots in compact intervals."""

    def __init__(self, f: ExpPoly) -> None:
        self.f = f
        self.terms = list(f.terms())
        self.boxes = 0
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
                middle = middle_of(a, b)
                pending += [(a, middle), (middle, b)]
        return found

    def settle(self, a: fmpq, b: fmpq) -> list[Isolated] | None:
        """The roots in (a, b]; None: not clear."""
        bits = max(int(x).bit_length() for x in ((1 / (b - a)).ceil(), b.ceil(), (1 / a).ceil()))
        with ctx.workprec(64 + 2 * bits):
            box = arb(a).union(arb(b))
            greatest = greatest_term(self.terms, (a + b) / 2)
            if not self.scaled(greatest, 0).enclose(box).contains(0):
                return []
            if not self.scaled(greatest, 1).enclose(box).contains(0):  # monotone: at most one root
                left, right = self.f.sign_at(a), self.f.sign_at(b)
                return [(b, b)] if right == 0 else [(a, b)] if left * right < 0 else []
            if b - a > GUESS_WIDTH:
                return None
            for guess in (a, b, simplest_between(a, b)):
                order = next(k for k in count() if self.scaled(greatest, k).sign_at(guess))
                if order and not self.scaled(greatest, order).enclose(box).contains(0):
                    return [(guess, guess)] if guess > a else []
        return None

    def scaled(self, term: Term, order: int) -> ExpPoly:
        """The derivative of the given order of f divided by the term (without its coefficient)."""
        key = str(term), order
        if key not in self._scaled:
            self._scaled[key] = (
                self.scaled(term, order - 1).derivative()
                if order
                else self.f * ExpPoly.of(1, -term.power, -term.rate, -term.constant, -term.inverse)
            )
        return self._scaled[key]
