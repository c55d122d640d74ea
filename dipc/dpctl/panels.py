"""A formula on a Markov model over eps: its probabilities, its margins, and where it holds.

Drawn for every P and D that the formula combines, in the states asked about.  The margin of D is the least
``e^epsilon Pr_t + delta - Pr_s`` over the neighbours, both ways; that of P is how far the probability is
inside the interval.  Where it is negative, that P or D fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from math import nan
from typing import TYPE_CHECKING, cast

from flint import arb, fmpq

from dipc.child import held
from dipc.claims.wording import pretty
from dipc.clock import Clock
from dipc.dpctl.formula import EachNext, Privacy, Probability, Property, Query, outermost
from dipc.dpctl.model import Formula, MarkovModel
from dipc.dpctl.syntax import show
from dipc.dpctl.values import Segment
from dipc.dpctl.verdict import ModelVerdict, Region
from dipc.errors import InputError
from dipc.models.chain import Mdp
from dipc.numbers.exact import Number
from dipc.report import canvas
from dipc.report.canvas import COLOURS, Axis, Bars, Line, Mark, Panel, Rule, clipped, curves, eps_axis, sheet
from dipc.report.sampling import Range, axis, float_end, value_of
from dipc.signs.eps_range import EpsRange
from dipc.signs.tables import End, RootCluster
from dipc.suggest import options_only

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FARTHEST = fmpq(4)  # of an axis whose end nothing chooses
NEAR = fmpq(1, 10**10)
MOST_STATES, MOST_PARTS = 8, 4
Values = Mapping[str, tuple[Segment, ...]]
Read = Callable[[fmpq], float]
Judged = Probability | Privacy


@options_only
def plot_model(
    model: MarkovModel,
    formula: Formula | None = None,
    low: Number | None = None,
    high: Number | None = None,
    *,
    log: bool | None = None,
    title: str = "",
) -> Figure:
    """A figure of a state formula from ``low`` to ``high``, by default on its range of eps or up to 4.

    ``formula`` is by default the only property of the model's file.

    Raises :class:`InputError`, also for a query and for a question at one eps only, and
    :class:`LimitReached` if a limit runs out.
    """

    def computed() -> tuple[ModelVerdict, list[Panel]]:
        verdict = model.check(formula)
        return verdict, panels_of(model, verdict, low, high, log)

    verdict, panels = held(Clock(), computed)
    return sheet(panels, title or pretty(clipped(verdict.property.text, 90)))


def panels_of(
    model: MarkovModel,
    verdict: ModelVerdict,
    low: Number | None = None,
    high: Number | None = None,
    log: bool | None = None,
) -> list[Panel]:
    """Probabilities and margins of each P and D, and the regions of each state."""
    span, asked = _span(verdict, low, high, log), verdict.property
    assert not isinstance(asked.formula, Query)
    found = list(_panels(model, verdict, span)) if not isinstance(model.model, Mdp) else []
    return [*found, _regions_panel(verdict, span)]


def _span(verdict: ModelVerdict, low: Number | None, high: Number | None, log: bool | None) -> Range:
    budgets = verdict.property.eps_range
    if budgets.is_point:
        raise InputError("a question at one eps cannot be plotted", hint="leave out `at`")
    inner = [_place(e) for r in _regions(verdict) for e in (r.low, r.high) if isinstance(e, RootCluster)]
    far = max([FARTHEST, *(fmpq(int(2 * end) + 1) for end in inner)])
    return axis(budgets, far, low, high, log)


def _place(end: End) -> float:
    """An end of a region, near enough to be drawn."""
    for root in end.roots if isinstance(end, RootCluster) else ():
        if not root.is_rational:
            root.refine_to(NEAR)
    return float_end(end)


def _regions(verdict: ModelVerdict) -> Iterator[Region]:
    return (region for regions in verdict.regions.values() for region in regions)


def _has_a_curve(formula: object) -> bool:
    return isinstance(formula, Probability | Privacy) and not isinstance(formula.path, EachNext)


def _panels(model: MarkovModel, verdict: ModelVerdict, span: Range) -> Iterator[Panel]:
    names, chain = list(islice(verdict.at, MOST_STATES)), model.model
    assert not isinstance(verdict.property.formula, Query)
    judged = outermost(verdict.property.formula, _has_a_curve)
    for part in islice(dict.fromkeys(cast("Iterator[Judged]", judged)), MOST_PARTS):
        near = {s: [chain.names[t] for t in chain.neighbours_of(chain.names.index(s))] for s in names}
        states = list(
            dict.fromkeys([*names, *(t for s in names if isinstance(part, Privacy) for t in near[s])])
        )
        values, said = _values(model, part, states, verdict.property.eps_range), pretty(show(part))
        shown = [(clipped(name, 40), partial(_at, values[name])) for name in states[:MOST_STATES]]
        words = f"The probability of the path formula in {said}, for each state."
        lines, eps = list(curves(shown, span)), eps_axis(span)
        yield Panel("probability", clipped(said, 60), words, lines, eps, Axis("probability"))
        margins = [(clipped(name, 40), partial(_margin, part, values, name, near[name])) for name in names]
        words, title = f"How far {said} is from being violated; below 0 it fails.", clipped(said, 50)
        marks: list[Mark] = [*curves(margins, span), Rule(0, canvas.ZERO_LINE)]
        yield Panel("margin", f"Margin of {title}", words, marks, eps, Axis("margin"))


def _values(model: MarkovModel, part: Judged, states: list[str], budgets: EpsRange) -> Values:
    return model.value(Property(Query("P", part.path), show(part), tuple(states), budgets)).values


def _at(segments: tuple[Segment, ...], eps: fmpq) -> float:
    """The value at eps; nan where it is not settled."""
    for segment in segments:
        region = segment.region
        if _place(region.low) <= float(arb(eps).mid()) <= _place(region.high):
            found = segment.found
            return nan if found is None or found.value is None else value_of(found.value, eps)
    return nan


def _margin(part: Judged, values: Values, state: str, neighbours: list[str], eps: fmpq) -> float:
    p = _at(values[state], eps)
    if isinstance(part, Probability):
        return min(p - value_of(part.interval.low, eps), value_of(part.interval.high, eps) - p)
    factor, delta = (value_of(f, eps) for f in (part.epsilon.factor, part.delta))
    others = [_at(values[t], eps) for t in neighbours]
    return min((min(factor * q + delta - p, factor * p + delta - q) for q in (*others, p)), default=nan)


def _regions_panel(verdict: ModelVerdict, span: Range) -> Panel:
    """A bar for each region of each state, and a dot for one that is a single eps."""
    names, marks = list(islice(verdict.regions, 2 * MOST_STATES)), list[Mark]()
    first, last = span.ends
    for place, name in enumerate(names):
        for region in verdict.regions[name]:
            low, high = max(first, _place(region.low)), min(last, _place(region.high))
            if low < high:
                marks.append(Bars([place], [high - low], 0.5, {"color": COLOURS[2]}, starts=low))
            elif low == high:
                marks.append(Line([low], [place], {"color": COLOURS[2], "marker": "o"}))
    words = "The values of eps at which the formula holds, for each state."
    up = Axis("", names=[clipped(name, 30) for name in names])
    return Panel("regions", "For which ε", words, marks, eps_axis(span), up)
