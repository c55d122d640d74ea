"""What a finite draw costs: a w with ``left <= exp(w*eps) right`` for every eps."""

from __future__ import annotations

from flint import fmpq

from dipc.claims.oracle import SignOracle
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Holds

SIMPLE = [fmpq(p, q) for q in (1, 2, 3, 4) for p in range(1, 4 * q + 1)]
"""Costs that are tried besides those that the exponents suggest."""


def cost_of(left: Quotient, right: Quotient, budgets: EpsRange) -> fmpq | None:
    """The least cost that is found and proved, None if there is none: only then is the claim in doubt.

    >>> flip = Quotient(ExpPoly.exp(1)) / (1 + Quotient(ExpPoly.exp(1)))
    >>> cost_of(flip, 1 - flip, EpsRange.positive())
    1
    """
    exponents = {t.rate for f in (left, right) for p in (f.numerator, f.denominator) for t in p.terms()}
    steps = {abs(a - b) for a in exponents for b in exponents}
    judge = SignOracle(budgets)
    for cost in sorted({fmpq(0), *steps, *SIMPLE}):
        if isinstance(judge.nonnegative(Quotient(ExpPoly.exp(cost)) * right - left), Holds):
            return cost
    return None
