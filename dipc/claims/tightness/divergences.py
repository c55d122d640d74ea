"""The least t of other measures of privacy than the greatest loss: bounded range, and Renyi of integer order.

A measure gives each pair of laws some ratios p/q; the least t is the supremum of ``ln(p/q)/(k eps)``, with
k = 1 for the range and k = A - 1 for the order A.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from flint import fmpq

from dipc.claims.ratios import (
    Comparison,
    Group,
    Measure,
    comparisons,
    groups,
    impossible,
    renyi_sum,
    vanishes,
)
from dipc.claims.tightness.curves import Curve, Segment
from dipc.claims.tightness.envelope import envelope
from dipc.claims.tightness.least import Requirement, least
from dipc.claims.tightness.least_epsilon import LeastEpsilon, requirement
from dipc.claims.tightness.losses import Losses, Witness
from dipc.models.laws import Case
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient


class Demand(NamedTuple):
    """The ratio p/q of a pair of laws, infinite if q is 0, and the outputs that have it."""

    p: Quotient
    q: Quotient
    case: Case
    outputs: tuple[int, ...]
    others: tuple[int, ...]


def demands(losses: Losses, measure: Measure) -> list[Demand]:
    """The different ratios of all adjacent inputs.  Raises :class:`LimitReached`."""
    found: dict[object, Demand] = {}
    cases = losses.by_law()
    for done, case in enumerate(cases):
        losses.clock.tick("likelihood ratios", done, len(cases))
        merged = groups(case.left, case.right, losses.budgets)
        if measure.order is None:
            for each in comparisons(merged, losses.budgets):
                key = _ratio(each.one), _ratio(each.other)
                if key not in found:
                    found[key] = _of_range(each, case)
        else:
            p, q, outputs = _of_renyi(merged, measure.order, losses)
            found.setdefault((p, q), Demand(p, q, case, outputs, ()))
    return list(found.values())


def _ratio(group: Group) -> Quotient | None:
    return group.p / group.q if group.q else None


def _of_range(found: Comparison, case: Case) -> Demand:
    return Demand(found.more, found.less, case, found.one.outputs, found.other.outputs)


def _of_renyi(merged: list[Group], order: int, losses: Losses) -> tuple[Quotient, Quotient, tuple[int, ...]]:
    """The sum over all outputs, or the outputs that make it infinite."""
    if (infinite := impossible(merged, losses.budgets)) is not None:
        return infinite.p, infinite.q, infinite.outputs
    every = tuple(sorted(o for each in merged for o in each.outputs))
    return renyi_sum(merged, order, losses.judge), Quotient.one(), every


def measured(losses: Losses, measure: Measure, width: fmpq) -> LeastEpsilon:
    """The least t of a measure, exact or enclosed to ``width``.  Raises :class:`LimitReached`."""
    known = demands(losses, measure)
    wanted: list[Requirement] = [requirement(each.p, each.q, measure.times) for each in known]
    found = least(wanted, losses.budgets, width, losses.clock)
    spots = tuple((spot, _witness(losses, known[spot.demand])) for spot in found.spots)
    return LeastEpsilon(losses.budgets, found, spots, measure=measure)


def measured_curve(losses: Losses, measure: Measure) -> Curve:
    """The measure as a function of eps.  Raises :class:`LimitReached`."""
    known, budgets = demands(losses, measure), losses.budgets

    def difference(i: int, j: int) -> ExpPoly:
        return losses.judge.normal_form(known[i].p * known[j].q - known[j].p * known[i].q)

    def segments() -> Iterator[Segment]:
        for arc in envelope(len(known), difference, budgets, losses.clock.tick):
            one = known[arc.which]
            value = None if vanishes(one.q, budgets) else one.p / one.q
            yield Segment(arc.low, arc.high, value, _witness(losses, one), arc.sample)

    return Curve(budgets, tuple(segments()), of_loss=True, times=measure.times)


def _witness(losses: Losses, found: Demand) -> Witness:
    """The first pair of inputs of a ratio: both groups of outputs, or the sum over all of them."""
    first = losses.witness(found.case, found.outputs)
    if found.others:
        return first.against(losses.witness(found.case, found.others))
    return first if vanishes(found.q, losses.budgets) else first.summed(found.p / found.q)
