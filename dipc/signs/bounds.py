"""Rigorous bounds of an exponential polynomial on an interval, and of its tail at 0.

**On [low, high]** each term is bounded by itself, and each of its factors by its values at the ends.
On small pieces these bounds are as good as needed.

**At zero.**  Let B be the greatest of the b in exp(b/eps), and write

    f(eps) = exp(B/eps) * ( eps^n Q(eps) + sum_i c_i eps^n_i exp(a_i eps + k_i - d_i/eps) ),      d_i > 0,

with Q entire and not the zero function.  Let m be the order of its zero at 0, found exactly.  By Lagrange's
remainder ``Q(eps) = eps^m Q^(m)(x) / m!`` for some x in [0, eps].  And ``eps^s exp(-d/eps)`` increases on
(0, R] if s >= 0 or R <= d/(-s).  So if, for some R with these inequalities,

    min |Q^(m)| over [0, R]  >  m! * sum_i |c_i| R^(n_i - n - m) exp(max(a_i, 0) R + k_i - d_i/R),

then f has no root in (0, R].  As R goes to 0 the left side tends to |Q^(m)(0)| > 0 and the right side to 0:
halving R ends.  At infinity ``f(1/eta)`` is a function of the same kind, a and b exchanged.

The kernel that checks certificates computes the same bounds with rationals, of :func:`kernel_bits`.  Here
they are balls; a margin larger than the kernel's rounding is left, so that it accepts what is found with
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial

from flint import arb, ctx, fmpq

from dipc.numbers.exppoly import ExpPoly, Term

GUARD = 32  # bits beyond the kernel's
MARGIN = 8  # bits of the kernel's that are left to its rounding


def kernel_bits(low: fmpq, high: fmpq) -> int:
    """The precision of the kernel's bounds on [low, high]."""
    return 64 + 2 * int((1 / (high - low)).ceil()).bit_length()


def bounds_on(f: ExpPoly, low: fmpq, high: fmpq) -> tuple[arb, arb]:
    """A number below all values of f on [low, high], 0 <= low < high, and one above them.

    At low = 0 f must have no power or exponent of 1/eps.

    >>> least, greatest = bounds_on(ExpPoly.exp(1) - ExpPoly.of(1, 1), fmpq(1), fmpq(2))    # exp(eps) - eps
    >>> least > 0.7, greatest < 6.4                                                # e - 2 and e^2 - 1
    (True, True)
    """
    bits = kernel_bits(low, high)
    with ctx.workprec(bits + GUARD):
        least = greatest = size = arb(0)
        for c, n, a, k, b in f.terms():
            powers = (low**n, high**n) if n >= 0 else (high**n, low**n)
            x = (a * low, a * high) if a >= 0 else (a * high, a * low)
            y = (b / high, b / low) if b > 0 else (b / low, b / high) if b else (b, b)
            ends = [
                arb(c * power) * arb(rate + k + inverse).exp()
                for power, rate, inverse in zip(powers, x, y, strict=True)
            ]
            smallest, largest = ends if c > 0 else reversed(ends)
            least, greatest, size = least + smallest, greatest + largest, size + abs(ends[1])
        rounding = size * arb(2) ** (MARGIN - bits)
        return (least - rounding).lower(), (greatest + rounding).upper()


def greatest_term(terms: Sequence[Term], point: fmpq) -> Term:
    """The term of greatest size at a point, or nearly so: this choice decides nothing."""
    with ctx.workprec(64):
        log = arb(point).log()
        sizes = [arb(abs(c)).log() + n * log + arb(a * point + k + b / point) for c, n, a, k, b in terms]
    return terms[max(range(len(sizes)), key=lambda i: sizes[i].mid())]


def rootless_up_to(f: ExpPoly) -> fmpq:
    """A rational R > 0 with no root of f, not the zero function, in (0, R]: 1, halved until that is shown."""
    terms = list(f.terms())
    most = max(t.inverse for t in terms)
    power = min(t.power for t in terms if t.inverse == most)
    lead = ExpPoly.from_terms(
        [Term(t.coefficient, t.power - power, t.rate, t.constant) for t in terms if t.inverse == most]
    )
    order = 0
    while not (sign := lead.sign_at(fmpq(0))):
        lead = lead.derivative()
        order += 1
    rest = [
        Term(t.coefficient * factorial(order), t.power - power - order, t.rate, t.constant, t.inverse - most)
        for t in terms
        if t.inverse != most
    ]
    bound = fmpq(1)
    while not _dominates(lead * sign, rest, bound):
        bound = bound / 2
    return bound


def _dominates(lead: ExpPoly, rest: Sequence[Term], bound: fmpq) -> bool:
    """The inequality of the module's docstring, for R = ``bound`` and Q^(m) = ``lead``, positive at 0."""
    if any(n < 0 and bound > b / n for _, n, _, _, b in rest):
        return False
    least, _ = bounds_on(lead, fmpq(0), bound)
    with ctx.workprec(kernel_bits(fmpq(0), bound) + GUARD):
        total = arb(1 + fmpq(1, 2**32)) * sum(
            (
                arb(abs(c) * bound**n) * arb(max(a, fmpq(0)) * bound + k + b / bound).exp()
                for c, n, a, k, b in rest
            ),
            arb(0),
        )
        return bool(least > total)
