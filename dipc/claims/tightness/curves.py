"""Exact functions of eps for a whole program: the privacy loss, and the privacy profile.

* The *loss curve* is ``max ln(P(u)(o)/P(u')(o))`` over all adjacent inputs and outputs, for each eps.
* The *privacy profile* for a given epsilon is the least delta, the maximum over all adjacent inputs of
  ``sum_o max(0, P(u)(o) - exp(epsilon) P(u')(o))``.  As the sum over any set of outputs is at most that, the
  profile is the greatest of the functions ``P(u)(S) - exp(epsilon) P(u')(S)`` over the sets S that are worst
  somewhere.

Both consist of segments: one formula between two values of eps, exact or in isolating intervals.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq

import dipc.views as views
from dipc.claims.exponent import Exponent
from dipc.claims.oracle import SignOracle
from dipc.claims.privacy import Goal
from dipc.claims.ratios import Measure, vanishes
from dipc.claims.tightness.ends import need_of_value
from dipc.claims.tightness.envelope import Arc, greatest_ratio
from dipc.claims.tightness.growth import Limit, at_infinity, at_zero, limit_of_value
from dipc.claims.tightness.least import Least, Requirement, Spot, least
from dipc.claims.tightness.losses import Losses, Witness
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.tables import End


@dataclass(frozen=True, slots=True)
class Segment:
    """One formula from ``low`` to ``high``, and the inputs and outputs it comes from.

    For a loss curve the loss is ``ln(value)``, infinite if ``value`` is None; in a profile ``value`` is
    delta, and ``witness`` is None where delta is 0.
    """

    low: End
    high: End
    value: Quotient | None
    witness: Witness | None
    sample: fmpq


@dataclass(frozen=True, slots=True, repr=False)
class Curve(views.Shown, views.Plotted):
    """The segments from left to right; ``of_loss``: the curve is ``ln`` of their values, over ``times``."""

    budgets: EpsRange
    segments: tuple[Segment, ...]
    of_loss: bool
    times: int = 1


@dataclass(frozen=True, slots=True, repr=False)
class Profile(views.Shown, views.Plotted):
    """The least delta: for each eps (``curve``) and for all of them (``least``, with its witnesses)."""

    epsilon: Exponent
    curve: Curve
    least: Least
    witnesses: tuple[tuple[Spot, Witness], ...]


def loss_curve(losses: Losses, measure: Measure | None = None) -> Curve:
    """The exact privacy loss, or another measure, as a function of eps.  Raises :class:`LimitReached`."""
    known, budgets = losses.demands(measure), losses.budgets

    def segment(arc: Arc) -> Segment:
        demand = known[arc.which]
        p, q, *_ = demand.ratio
        value = None if vanishes(q, budgets) else p / q
        return Segment(arc.low, arc.high, value, losses.needing(demand, measure), arc.sample)

    arcs = greatest_ratio([ratio[:2] for ratio, _ in known], losses.judge, losses.clock.tick)
    return Curve(budgets, tuple(map(segment, arcs)), True, 1 if measure is None else measure.times)


def profile(losses: Losses, epsilon: Exponent, width: fmpq) -> Profile:
    """The exact privacy profile for an epsilon, and its supremum, exact or enclosed to ``width``.

    Raises :class:`LimitReached`.
    """
    budgets, clock = losses.budgets, losses.clock
    zero = Quotient.of(0)
    factor = epsilon.factor
    found: dict[Quotient, Witness | None] = {zero: None}
    for case, chosen in losses.worst_sets(Goal(budgets, epsilon, zero)):
        value = sum((case.left[k] - factor * case.right[k] for k in chosen), zero)
        if value not in found:
            found[value] = losses.witness(case, chosen)
    values, witnesses = list(found), list(found.values())
    arcs = greatest_ratio([(value, Quotient.one()) for value in values], losses.judge, clock.tick)
    segments = tuple(Segment(a.low, a.high, values[a.which], witnesses[a.which], a.sample) for a in arcs)
    top = least([bounded_by(value) for value in values], budgets, width, clock)
    named = tuple((s, w) for s in top.spots if (w := witnesses[s.demand]) is not None)
    return Profile(epsilon, Curve(budgets, segments, of_loss=False), top, named)


def bounded_by(value: Quotient) -> Requirement:
    """``delta - value >= 0``."""
    one = Quotient.one()
    none = Limit(fmpq(0))
    ends = (limit_of_value(at_zero(value)), limit_of_value(at_infinity(value))) if value else (none, none)

    def margin(judge: SignOracle, delta: fmpq) -> ExpPoly:
        return judge.positive(value) * delta - judge.numerator(value)

    return Requirement(margin, one, ends, exact=need_of_value(value))
