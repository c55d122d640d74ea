"""How tight is it?  The least t for which a program is (t*eps, 0)-private for all eps of an interval.

The least t is the supremum of ``ln(P(u)(o)/P(u')(o)) / eps`` over adjacent inputs u, u', outputs o, and eps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from flint import fmpq

import dipc.views as views
from dipc.claims.oracle import SignOracle
from dipc.claims.ratios import Measure
from dipc.claims.tightness.curves import loss_curve
from dipc.claims.tightness.ends import need_of_loss
from dipc.claims.tightness.growth import NOTHING, limit_of_loss
from dipc.claims.tightness.least import Least, Requirement, Spot, least
from dipc.claims.tightness.losses import Losses, Witness
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange

WIDTH = fmpq(1, 10**10)


@dataclass(frozen=True, slots=True, repr=False)
class LeastEpsilon(views.Shown):
    """The least t, and for each spot where it is needed the inputs and the output that need it.

    ``without_eps``: it is the least epsilon of probabilities that do not depend on eps, or are right at
    eps = 1 only, and ``factor`` is exp(epsilon) there, None if it is infinite.  ``measure`` is what
    t*eps bounds, unless it is the privacy loss.
    """

    budgets: EpsRange
    least: Least
    witnesses: tuple[tuple[Spot, Witness], ...]
    without_eps: bool = False
    factor: Quotient | None = None
    measure: Measure | None = None

    @property
    def t(self) -> fmpq | None:
        """The least t if it is rational; else see ``least``."""
        return self.least.exact


def budget(losses: Losses, width: fmpq = WIDTH, measure: Measure | None = None) -> LeastEpsilon:
    """The least t, exact or enclosed to ``width``.  Raises :class:`LimitReached`.

    With a ``measure`` it is the supremum of ``ln(p/q)/(k eps)`` over its ratios.
    """
    known, times = losses.demands(measure), 1 if measure is None else measure.times
    wanted = [requirement(ratio.p, ratio.q, times) for ratio, _ in known]
    found = least(wanted, losses.budgets, width, losses.clock)
    spots = tuple((spot, losses.needing(known[spot.demand], measure)) for spot in found.spots)
    return LeastEpsilon(losses.budgets, found, spots, measure=measure)


def fixed(losses: Losses, width: fmpq = WIDTH) -> LeastEpsilon:
    """The least epsilon of probabilities that do not depend on eps, or are right at eps = 1 only: about that.

    Raises :class:`LimitReached`.
    """
    (segment,) = loss_curve(losses).segments
    return replace(budget(losses, width), without_eps=True, factor=segment.value)


def requirement(p: Quotient, q: Quotient, times: int = 1) -> Requirement:
    """What the probabilities of one output need: ``exp(times t eps) q - p >= 0``."""

    @cache
    def sides(judge: SignOracle) -> tuple[ExpPoly, ExpPoly]:
        """Functions in the ratio of q and p, without common factors that would make them larger."""
        if p.denominator == q.denominator:
            return judge.numerator(q), judge.numerator(p)
        return judge.numerator(q) * judge.positive(p), judge.numerator(p) * judge.positive(q)

    def margin(judge: SignOracle, t: fmpq) -> ExpPoly:
        more, less = sides(judge)
        return ExpPoly.exp(times * t) * more - less

    if not q:
        return Requirement(margin, q, (NOTHING, NOTHING), need=p)
    at_zero, at_infinity = (limit_of_loss(p, q, at_end).over(times) for at_end in (False, True))
    return Requirement(margin, q, (at_zero, at_infinity), need=p, exact=need_of_loss(p, q, times))
