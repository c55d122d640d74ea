"""Panels of a counterexample: P(u) with its bound, and the excess."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, inf
from typing import TYPE_CHECKING

from flint import fmpq

from dipc.claims.counterexample import Counterexample
from dipc.claims.privacy import Violated
from dipc.numbers.exact import rational
from dipc.report.canvas import BROKEN, CLAIM, COLOURS, Panel, Stretch, dress, shade
from dipc.report.curve_panels import View
from dipc.report.sampling import Range, as_float, curve, finite_ones, value_of
from dipc.report.study import Study
from dipc.report.words import nice

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def region_panels(found: Study, view: View) -> Iterator[Panel]:
    """The counterexample of the verdict; none if there is none."""
    if not isinstance(found.verdict, Violated):
        return
    example, goal = found.verdict.counterexample, found.verdict.claim
    ends = [end_of(high) for _, high in example.violated_for]
    span = view.span
    if not view.fixed and ends and max(ends) < inf:
        span = Range(span.low, fmpq(ceil(3 * max(ends))), span.log)
    bound = f"bound exp({nice(goal.epsilon)})·P(u′)" + (" + δ" if goal.delta else "")
    yield from example_panels(example, span, found.point, bound)


def example_panels(example: Counterexample, span: Range, point: fmpq, bound: str) -> Iterator[Panel]:
    """P(u) with its bound, which is named in the legend, and below it the excess."""
    words = list(map(nice, example.broken_for))
    regions: list[Stretch] = [
        (end_of(low), end_of(high), f"broken by this pair for {said}")
        for (low, high), said in zip(example.violated_for, words, strict=True)
    ]

    def draw_bound(axes: Axes) -> None:
        axes.plot(*curve(example.probability, span), color=COLOURS[0], label="P(u)")
        xs, ys = curve(example.bound, span)
        axes.plot(xs, ys, **CLAIM, label=bound)
        shade(axes, span, regions)
        height = value_of(example.probability, point)
        axes.plot([as_float(point)], [height], "o", color=BROKEN, label=f"ε = {point}")
        if max(finite_ones(ys), default=0.0) > 1.05:  # a bound far above 1 must not flatten the rest
            axes.set_ylim(-0.03, 1.1)
        dress(axes, span, "probability")

    def draw_excess(axes: Axes) -> None:
        xs, ys = curve(example.excess, span)
        axes.plot(xs, ys, color=COLOURS[0], label="P(u) − bound")
        axes.axhline(0, color="black", linewidth=1)
        shade(axes, span, regions)
        highest = max((y for y in ys if y > 0), default=0.0)
        if highest:  # values far below 0 must not flatten it
            axes.set_ylim(-highest, 1.25 * highest)
        dress(axes, span, "excess")

    where = f"This pair breaks the claim for {' and for '.join(words)}." if words else ""
    above = f"P(u) and the bound that the claim sets it. {where}"
    below = f"P(u) minus the bound, positive where the claim breaks. {where}"
    yield Panel("bound", "The counterexample", above, draw_bound)
    yield Panel("excess", "By how much", below, draw_excess)


def end_of(text: str) -> float:
    """An end of an interval in which a counterexample breaks the claim."""
    return inf if text == "inf" else as_float(rational(text, "an end"))
