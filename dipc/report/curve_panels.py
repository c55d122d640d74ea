"""Panels of curves: the privacy loss against the claim, the privacy profile, a counterexample."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil, inf
from typing import TYPE_CHECKING

from flint import fmpq

from dipc.claims.counterexample import Counterexample
from dipc.claims.privacy import Violated
from dipc.claims.tightness.curves import Curve
from dipc.numbers.exact import rational
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.report.canvas import (
    BROKEN,
    CLAIM,
    COLOURS,
    INFINITE,
    LEAST,
    SHADE,
    Panel,
    Stretch,
    broken,
    dress,
    once,
    shade,
    stretches,
)
from dipc.report.sampling import (
    Range,
    as_float,
    curve,
    factor_value,
    finite_ones,
    float_end,
    loss_value,
    sampled,
    value_of,
)
from dipc.report.study import Study
from dipc.report.words import nice

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN_DIGITS = 4

Read = Callable[[Quotient, fmpq], float]


@dataclass(frozen=True, slots=True)
class View:
    """What panels have in common.

    ``fixed``: the user chose the end of the axis; ``alone``: the user asked for this kind of panel only.
    """

    span: Range
    fixed: bool = False
    digits: int = SHOWN_DIGITS
    alone: bool = False


def loss_panels(found: Study, view: View) -> Iterator[Panel]:
    """The loss, and the loss divided by eps; none if it is infinite everywhere."""
    if found.loss is not None and any(segment.value for segment in found.loss.segments):
        yield _loss_panel(found, found.loss, view.span)
        yield _factor_panel(found, found.loss, view.span)


def _loss_panel(found: Study, loss: Curve, span: Range) -> Panel:
    goal = found.goal

    def draw(axes: Axes) -> None:
        top = draw_curve(axes, loss, span, loss_value, "privacy loss")
        if goal is not None:
            label = f"claim: {nice(goal.epsilon)}" + (" (and δ)" if goal.delta else "")
            xs, ys = curve(ExpPoly.of(goal.t, 1), span)  # not a straight line on a logarithmic axis
            axes.plot(xs, ys, **CLAIM, label=label)
            _limit(axes, top, ys[-1])
        shade_broken(axes, found, span)
        dress(axes, span, "ln of the greatest ratio P(u) / P(u′)")

    claimed = f" against the claim {nice(goal.epsilon)}" if goal else ""
    words = f"The privacy loss as a function of ε{claimed}. {_broken_words(found)}"
    return Panel("loss", "Privacy loss", words, draw)


def _factor_panel(found: Study, loss: Curve, span: Range) -> Panel:
    goal, least = found.goal, found.budget.least.exact if found.budget else None

    def draw(axes: Axes) -> None:
        top = draw_curve(axes, loss, span, factor_value, "privacy loss / ε")
        if goal is not None:
            label = f"claim: t = {goal.t}" + (" (and δ)" if goal.delta else "")
            axes.axhline(as_float(goal.t), **CLAIM, label=label)
            _limit(axes, top, as_float(goal.t))
        if least is not None and (goal is None or least != goal.t):
            axes.axhline(as_float(least), **LEAST, label=f"least t = {least}")
        shade_broken(axes, found, span)
        dress(axes, span, "factor t that is needed")

    words = f"The privacy loss divided by ε: the factor t that is needed at each ε. {_broken_words(found)}"
    return Panel("factor", "Privacy loss per ε", words, draw)


def profile_panels(found: Study, view: View) -> Iterator[Panel]:
    """The least delta for each eps, and the claimed one; none if both are 0."""
    if found.profile is None or found.goal is None:
        return
    profile, goal, span = found.profile, found.goal, view.span
    if not goal.delta and not any(segment.value for segment in profile.curve.segments) and not view.alone:
        return

    def draw(axes: Axes) -> None:
        top = draw_curve(axes, profile.curve, span, value_of, "least δ")
        if goal.delta:
            named = f"claim: δ = {nice(str(goal.delta))}"
            xs, ys = curve(goal.delta, span)
            axes.plot(xs, ys, **CLAIM, label=named if len(named) < 40 else "claimed δ")
            top = max([top, *(y for y in finite_ones(ys) if y <= 1)])
        else:
            axes.axhline(0, **CLAIM, label="claim: δ = 0")
        least = profile.least.exact
        if least:
            axes.axhline(as_float(least), **LEAST, label=f"least for all ε: {least}")
            top = max(top, as_float(least))
        axes.set_ylim(-0.04 * (top or 1), 1.1 * (top or 1))
        shade_broken(axes, found, span)
        dress(axes, span, "δ")

    epsilon = nice(goal.epsilon)
    words = f"The privacy profile: the least δ such that the program is ({epsilon}, δ)-private at each ε."
    yield Panel("profile", f"Least δ for {epsilon}", f"{words} {_broken_words(found)}", draw)


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


def draw_curve(axes: Axes, whole: Curve, span: Range, read: Read, label: str) -> float:
    """Draw a curve segment by segment, grey where it is infinite; return its greatest height."""
    heights = [0.0]
    named: set[str] = set()
    for segment in whole.segments:
        part = span.part(float_end(segment.low), float_end(segment.high))
        value = segment.value
        if part is None:
            continue
        if value is None:
            said = once(named, "infinite loss")
            axes.axvspan(*part.ends, color=INFINITE, alpha=SHADE, linewidth=0, label=said)
            continue
        xs, ys = sampled(lambda eps, f=value: read(f, eps), part)  # type: ignore[misc]
        axes.plot(xs, ys, color=COLOURS[0], label=once(named, label))
        heights += finite_ones(ys)
    return max(heights)


def _limit(axes: Axes, top: float, claimed: float) -> None:
    """A loss far above the claim must not flatten the rest."""
    most = min(max(top, claimed), 4 * claimed) if claimed > 0 else top
    if most > 0:
        axes.set_ylim(0, 1.08 * most)


def shade_broken(axes: Axes, found: Study, span: Range) -> None:
    """Shade where any pair violates the claim."""
    shade(axes, span, stretches(found.regions.regions if found.regions else ()))


def _broken_words(found: Study) -> str:
    if not found.regions or not found.regions.regions:
        return ""
    return f"The claim is broken for {' and for '.join(map(broken, found.regions.regions))}."
