"""Panels of curves: the privacy loss against the claim, the factor t that is needed, the privacy profile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flint import fmpq

from dipc.claims.tightness.curves import Curve
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.report.canvas import (
    CLAIM,
    COLOURS,
    INFINITE,
    LEAST,
    SHADE,
    Panel,
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
