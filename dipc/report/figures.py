"""The figures of a program: its privacy loss against the claim, its privacy profile, a pair of distributions.

A *panel* draws on one pair of axes.  :func:`plot_mechanism` puts panels side by side, a report takes each for
itself.  All values are balls around exact ones, see :mod:`dipc.report.plots`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from math import ceil, inf, isfinite, nan
from typing import TYPE_CHECKING, Any

from flint import arb, ctx, fmpq

import dipc.views as views
from dipc.claims.privacy import Region
from dipc.claims.tightness.curves import Curve, Profile, Segment
from dipc.claims.tightness.least_epsilon import LeastEpsilon
from dipc.claims.verdict import Goal
from dipc.dipwhile.convert import Inputs, PythonValue
from dipc.errors import DipcError, InputError, LimitReached
from dipc.mechanisms import Mechanism
from dipc.models.values import Valuation, show
from dipc.numbers.exact import Number, rational
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.report.plots import (
    BROKEN,
    COLOURS,
    LOW,
    PRECISIONS,
    STYLE,
    Range,
    as_float,
    budget_axis,
    curve,
    empty_figure,
    fmpq_of,
    refuse_file,
    sampled,
    value_of,
)
from dipc.report.study import Attempts, Study, Subject, study
from dipc.report.words import pretty, program_line, region_text, region_words, valuation_text
from dipc.signs.tables import End

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_BARS, MOST_CURVES = 8, 6
FARTHEST = fmpq(10)  # of an axis whose end nothing chooses
SHADE = 0.16
PANEL = (6.2, 4.6)  # inches
INFINITE = "#777777"
SHOWN_DIGITS = 4
SOLID, DASHED = (7, 0), (4, 2)  # what is drawn and left out, in widths of the line

LineStyle = str | tuple[int, tuple[int, int]]
Draw = Callable[["Axes"], None]


@dataclass(frozen=True, slots=True)
class Panel:
    """A drawing with its title, and what it says in words."""

    kind: str
    title: str
    words: str
    draw: Draw


@dataclass(frozen=True, slots=True)
class View:
    """What panels have in common; ``fixed``: the end of the axis was asked for."""

    span: Range
    fixed: bool
    digits: int
    alone: bool = False


WHAT = ("loss", "profile", "distributions", "region")
NEEDS = {
    "loss": ("loss",),
    "profile": ("profile",),
    "distributions": ("laws",),
    "region": ("verdict",),
}
"""The parts of a study that a plot needs."""


def plot_mechanism(
    mechanism: Mechanism,
    what: str = "all",
    claim: str | None = None,
    *,
    pair: Sequence[Inputs] | None = None,
    at: PythonValue | None = None,
    budgets: str | None = None,
    low: Number | None = None,
    high: Number | None = None,
    log: bool | None = None,
    digits: int = SHOWN_DIGITS,
    attempts: Attempts | None = None,
) -> Figure:
    """A figure with a panel for each thing to see.

    ``what`` is ``"loss"`` (the privacy loss against the claim), ``"profile"`` (the least delta for each
    eps), ``"distributions"`` (of the counterexample's pair, or of the pair that needs the most budget),
    ``"region"`` (a counterexample and where it breaks the claim), or ``"all"`` that there is.  ``at`` is the
    budget of the distributions; ``budgets`` replaces those of the claim; the axis goes from ``low`` to
    ``high``.  A part that takes too long is left out, and ``attempts.notes`` says so.
    """
    refuse_file(what)
    if what not in (*WHAT, "all"):
        raise InputError(f"there is no plot of `{what}`", hint=f"one of: {', '.join((*WHAT, 'all'))}")
    attempts = attempts or Attempts()
    if what != "all":
        attempts.strict = True
    wanted = WHAT if what == "all" else (what,)
    parts = tuple(dict.fromkeys(part for one in wanted for part in NEEDS[one]))
    found = study(Subject(mechanism, claim, pair, at, budgets), attempts, parts)
    view = View(axis_of(found, low, high, log), high is not None, digits, alone=what != "all")
    panels = [panel for one in wanted for panel in PANELS[one](found, view)]
    if not panels:
        raise _nothing(found, what, attempts)
    return sheet(panels, _heading(found))


@views.plot.register(Mechanism)
def _of_mechanism(mechanism: Mechanism, low: Any = None, high: Any = None, **options: Any) -> Figure:
    return plot_mechanism(mechanism, low=low, high=high, **options)


@views.plot.register(Curve)
def plot_curve(
    found: Curve,
    low: Number | None = None,
    high: Number | None = None,
    *,
    log: bool | None = None,
    title: str = "",
) -> Figure:
    """A loss curve or a privacy profile, by default for all its budgets or to beyond its last break."""
    budgets = found.budgets
    if budgets.is_point:
        raise InputError(
            f"a curve at eps = {budgets.low} only is one number, which cannot be plotted",
            hint="print it, or leave out `at`",
        )
    finite = [x for one in found.segments if isfinite(x := float_end(one.high))]
    far = max(3 * fmpq_of(max(finite)), 2 * budgets.low) if finite else max(FARTHEST, 2 * budgets.low)
    end = budgets.high if budgets.high is not None else far
    span = Range.of(beginning(low, budgets.low, log), end if high is None else high, log or False)
    read = loss_value if found.of_loss else value_of
    name = "privacy loss" if found.of_loss else "least δ"

    def draw(axes: Axes) -> None:
        draw_curve(axes, found, span, read, name)
        dress(axes, span, name)

    return sheet([Panel("curve", "", "", draw)], title)


@views.plot.register(Profile)
def _of_profile(found: Profile, low: Any = None, high: Any = None, **options: Any) -> Figure:
    return plot_curve(found.curve, low, high, **options)


@views.plot.register(LeastEpsilon)
def plot_budget(
    found: LeastEpsilon,
    low: Number | None = None,
    high: Number | None = None,
    *,
    log: bool | None = None,
    title: str = "",
) -> Figure:
    """The factor that each witness of a least t needs at each budget, and the least t itself."""
    if found.budgets.is_point or not found.witnesses:
        raise InputError(f"there is no curve to plot: {found!r}", hint='plot the mechanism: m.plot("loss")')
    start, end = found.budgets.low, found.budgets.high
    far = max(FARTHEST, 2 * start) if end is None else end
    span = Range.of(beginning(low, start, log), far if high is None else high, log or False)
    least = found.least

    def draw(axes: Axes) -> None:
        named: set[str] = set()
        for number, (_, witness) in enumerate(found.witnesses):
            if not witness.neighbour_probability:
                continue  # an infinite loss
            ratio = witness.probability / witness.neighbour_probability
            pair = f"{valuation_text(witness.input)} against {valuation_text(witness.neighbour)}"
            said = once(named, clipped(f"{pair}: {' or '.join(map(valuation_text, witness.outputs))}", 60))
            if said is not None:
                xs, ys = sampled(lambda eps, f=ratio: factor_value(f, eps), span)  # type: ignore[misc]
                axes.plot(xs, ys, color=COLOURS[number % len(COLOURS)], label=said)
        if least.high is not None:
            label = f"least t = {least.exact}" if least.exact is not None else "least t"
            axes.axhline(as_float(least.high), color="black", linestyle=":", label=label)
            axes.set_ylim(0, 1.15 * as_float(least.high) or 1)
        dress(axes, span, "factor t that is needed")

    return sheet([Panel("budget", "", "", draw)], title)


def _nothing(found: Study, what: str, attempts: Attempts) -> DipcError:
    if what == "region" and found.verdict is not None:
        return InputError(
            f"there is no region to plot: the verdict is {found.verdict.status}",
            hint="try `loss`, or a smaller claim such as eps/2",
        )
    if attempts.notes:
        note = attempts.notes[0]
        return LimitReached(f"there is nothing to plot: {note.part}: {note.why}")
    if found.goal is None:
        return InputError(
            f"{found.name}: the program makes no claim", hint="give one, for example the claim `eps`"
        )
    return InputError("there is nothing to plot: no pair of neighbours can be told apart")


def _heading(found: Study) -> str:
    _, head = program_line(found.name, found.subject.mechanism.parameters)
    if found.verdict is None:
        return head
    return f"{head}\nclaim: {nice(str(found.goal))}: {found.verdict.status.upper()}"


def sheet(panels: Sequence[Panel], heading: str = "", size: tuple[float, float] = PANEL) -> Figure:
    """The panels in two columns; a single one for itself."""
    columns = 1 if len(panels) == 1 else 2
    rows = ceil(len(panels) / columns)
    figure = empty_figure((size[0] * columns, size[1] * rows + (0.4 if heading else 0)))
    import matplotlib

    with matplotlib.rc_context({**STYLE, "font.size": 11, "axes.titlesize": 12}):
        if heading:
            figure.suptitle(plain(heading), x=0.01, ha="left", fontsize=12, fontweight="bold")
        for number, panel in enumerate(panels, start=1):
            axes = figure.add_subplot(rows, columns, number)
            panel.draw(axes)
            if heading:
                axes.set_title(plain(panel.title), loc="left")
    return figure


def plain(text: str) -> str:
    """Text in which nothing is a formula for matplotlib: names of programs are not ours.

    >>> plain("cost $5")
    'cost \\\\$5'
    """
    return text.replace("$", r"\$")


# --- the axis --------------------------------------------------------------------------------


def beginning(asked: Number | None, usual: fmpq, log: bool | None) -> Number:
    """Where an axis begins: as asked, or where the budgets begin; 0 is on no logarithmic axis.

    >>> beginning(None, fmpq(0), None), beginning(None, fmpq(0), True), beginning(3, fmpq(0), True)
    (0, 1/100, 3)
    """
    if asked is not None:
        return asked
    return LOW if log and not usual else usual


def axis_of(found: Study, low: Number | None, high: Number | None, log: bool | None) -> Range:
    """The budgets to be shown: as asked, or those of the claim, or to a little beyond the broken ones."""
    budgets = found.subject.budgets
    start = beginning(low, fmpq(0) if budgets.is_point else budgets.low, log)
    if high is not None:
        return Range.of(start, high, log)
    if budgets.is_point:
        return Range.of(start, 2 * budgets.low, log)
    if budgets.high is not None:
        return Range.of(start, budgets.high, log)
    ends = [end for r in (found.regions.regions if found.regions else ()) for end in (r.low, r.high)]
    finite = [fmpq_of(float_end(end)) for end in ends if end is not None]
    far = max([fmpq(ceil(3 * as_float(max(finite)))), found.point]) if any(finite) else FARTHEST
    # If nobody asks the axis is linear: the claim is a straight line there.
    return Range.of(start, max(far, 2 * budgets.low, 2 * found.point), log or False)


def float_end(end: End) -> float:
    """An end of a piece, to be drawn."""
    match end:
        case None:
            return inf
        case fmpq():
            return as_float(end)
        case _:
            return as_float((end.low + end.high) / 2)


def within(span: Range, segment: Segment) -> Range | None:
    """The part of a segment that is on the axis."""
    low, high = (fmpq_of(min(float_end(end), as_float(span.high))) for end in (segment.low, segment.high))
    low = max(low, span.low)
    return Range(low, high, span.log and low > 0) if low < high else None


# --- privacy loss ----------------------------------------------------------------------------


def loss_panels(found: Study, view: View) -> Iterator[Panel]:
    """The loss, and the loss divided by eps: the factor t that is needed at each budget."""
    if found.loss is None or not any(segment.value for segment in found.loss.segments):
        return  # nothing to draw, or infinite everywhere
    loss, goal, span = found.loss, found.goal, view.span

    def draw_loss(axes: Axes) -> None:
        top = draw_curve(axes, loss, span, loss_value, "privacy loss")
        if goal is not None:
            label = f"claim: {nice(goal.epsilon)}" + (" (and δ)" if goal.delta else "")
            xs, ys = curve(ExpPoly.of(goal.t, 1), span)  # on a logarithmic axis it is no straight line
            axes.plot(xs, ys, color="black", linestyle="--", label=label)
            limit(axes, top, ys[-1])
        shade(axes, found, span)
        dress(axes, span, "ln of the greatest ratio P(u) / P(u′)")

    def draw_factor(axes: Axes) -> None:
        top = draw_curve(axes, loss, span, factor_value, "privacy loss / ε")
        if goal is not None:
            label = f"claim: t = {goal.t}" + (" (and δ)" if goal.delta else "")
            axes.axhline(as_float(goal.t), color="black", linestyle="--", label=label)
            limit(axes, top, as_float(goal.t))
        least = found.budget.least.exact if found.budget else None
        if least is not None and (goal is None or least != goal.t):
            axes.axhline(as_float(least), color=COLOURS[2], linestyle=":", label=f"least t = {least}")
        shade(axes, found, span)
        dress(axes, span, "factor t that is needed")

    said = broken_words(found)
    claimed = f" against the claim {nice(goal.epsilon)}" if goal else ""
    yield Panel("loss", "Privacy loss", f"The privacy loss as a function of ε{claimed}. {said}", draw_loss)
    words = f"The privacy loss divided by ε: the factor t that is needed at each budget. {said}"
    yield Panel("factor", "Privacy loss per ε", words, draw_factor)


def loss_value(value: Quotient, eps: fmpq) -> float:
    """``ln(value)`` at a budget; nan where there is none."""
    for precision in PRECISIONS:
        with ctx.workprec(precision):
            ball = value.enclose(arb(eps)).log()
            if ball.is_finite() and (ball.rel_accuracy_bits() > 24 or abs(ball) < arb(2) ** -60):
                return float(ball.mid())
    return nan


def factor_value(value: Quotient, eps: fmpq) -> float:
    return loss_value(value, eps) / as_float(eps) if eps else nan


def draw_curve(
    axes: Axes, whole: Curve, span: Range, read: Callable[[Quotient, fmpq], float], label: str
) -> float:
    """A curve segment by segment; its greatest height.  Where it is infinite the ground is grey."""
    heights = [0.0]
    named: set[str] = set()
    for segment in whole.segments:
        part = within(span, segment)
        if part is None:
            continue
        value = segment.value
        if value is None:
            ends = as_float(part.low), as_float(part.high)
            axes.axvspan(*ends, color=INFINITE, alpha=SHADE, linewidth=0, label=once(named, "infinite loss"))
            continue
        xs, ys = sampled(lambda eps, f=value: read(f, eps), part)  # type: ignore[misc]
        axes.plot(xs, ys, color=COLOURS[0], label=once(named, label))
        heights += [y for y in ys if isfinite(y)]
    return max(heights)


def once(named: set[str], label: str) -> str | None:
    """A label for the legend, the first time only."""
    if label in named:
        return None
    named.add(label)
    return label


def limit(axes: Axes, top: float, claimed: float) -> None:
    """A loss far above the claim must not flatten the rest."""
    most = min(max(top, claimed), 4 * claimed) if claimed > 0 else top
    if most > 0:
        axes.set_ylim(0, 1.08 * most)


def broken(region: Region) -> str:
    """``0 < ε < 2.267666061``: ends are exact where they are rational."""
    return nice(region_words(region))


def nice(text: str) -> str:
    """Greek letters, and signs for infinity, limits and products.

    >>> nice("0 < eps < inf")
    '0 < ε < ∞'
    """
    return re.sub(r"\binf\b", "∞", pretty(text)).replace("->", "→").replace("*", "·")


def broken_words(found: Study) -> str:
    if not found.regions or not found.regions.regions:
        return ""
    return f"The claim is broken for {' and for '.join(broken(r) for r in found.regions.regions)}."


def shade(axes: Axes, found: Study, span: Range) -> None:
    """The budgets that break the claim, by any pair."""
    first, last = as_float(span.low), as_float(span.high)
    for region in found.regions.regions if found.regions else ():
        low, high = max(first, float_end(region.low)), min(last, float_end(region.high))
        label = f"broken for {broken(region)}"
        if low < high:
            axes.axvspan(low, high, color=BROKEN, alpha=SHADE, linewidth=0, label=label)
        elif low == high:
            axes.axvline(low, color=BROKEN, alpha=0.6, label=label)


def dress(axes: Axes, span: Range, label: str) -> None:
    """The axes' names and a legend."""
    axes.set_ylabel(label)
    budget_axis(axes, span)
    _legend(axes)


def _legend(axes: Axes) -> None:
    handles, names = axes.get_legend_handles_labels()
    if names:
        columns = 2 if len(names) > 2 and max(map(len, names)) < 28 else 1
        axes.legend(
            handles,
            names,
            fontsize=10,
            frameon=False,
            ncols=columns,
            loc="upper left",
            bbox_to_anchor=(0.0, -0.16),
            borderaxespad=0.0,
        )


# --- privacy profile -------------------------------------------------------------------------


def profile_panels(found: Study, view: View) -> Iterator[Panel]:
    """The least delta for each eps, and the one that is claimed."""
    if found.profile is None or found.goal is None:
        return
    profile, goal, span = found.profile, found.goal, view.span
    if not goal.delta and not any(segment.value for segment in profile.curve.segments) and not view.alone:
        return  # a line at 0 under a line at 0

    def draw(axes: Axes) -> None:
        top = draw_curve(axes, profile.curve, span, value_of, "least δ")
        if goal.delta:
            named = f"claim: δ = {nice(str(goal.delta))}"
            claimed = curve(goal.delta, span)
            axes.plot(
                *claimed, color="black", linestyle="--", label=named if len(named) < 40 else "claimed δ"
            )
            top = max([top, *(y for y in claimed[1] if isfinite(y) and y <= 1)])
        else:
            axes.axhline(0, color="black", linestyle="--", label="claim: δ = 0")
        least = profile.least.exact
        if least:
            axes.axhline(as_float(least), color=COLOURS[2], linestyle=":", label=f"least for all ε: {least}")
            top = max(top, as_float(least))
        axes.set_ylim(-0.04 * (top or 1), 1.1 * (top or 1))
        shade(axes, found, span)
        dress(axes, span, "δ")

    epsilon = nice(goal.epsilon)
    words = (
        f"The privacy profile: the least δ such that the program is ({epsilon}, δ)-private at each ε. "
        f"{broken_words(found)}"
    )
    yield Panel("profile", f"Least δ for {epsilon}", words, draw)


# --- distributions ---------------------------------------------------------------------------


def law_panels(found: Study, view: View) -> Iterator[Panel]:
    """The two distributions at one budget, and as functions of eps."""
    if found.laws is None or found.pair is None:
        return
    left, right = found.laws
    point, span, digits = found.point, view.span, view.digits
    bars, curves = (shown_outputs(found, most) for most in (MOST_BARS, MOST_CURVES))
    total = len(dict.fromkeys((*left, *right)))
    names = [
        f"{name}: {clipped(valuation_text(v), 60)}" for name, v in zip(("u", "u′"), found.pair, strict=True)
    ]

    def draw_bars(axes: Axes) -> None:
        height = 0.8 / 2
        widest = 0.0
        for number, (law, colour, hatch) in enumerate(
            zip(found.laws or (), COLOURS, ("", "//"), strict=False)
        ):
            functions = [law.get(output) for output in bars]
            widths = [0.0 if f is None else value_of(f, point) for f in functions]
            places = [i + (number - 0.5) * height for i in range(len(bars))]
            axes.barh(
                places,
                widths,
                height * 0.92,
                color=colour,
                label=names[number],
                hatch=hatch,
                edgecolor="white",
            )
            widest = max([widest, *widths])
            for f, width, place in zip(functions, widths, places, strict=True):
                text = "0" if f is None else f.decimal(point, digits)
                axes.text(
                    width, place, f" {text}", va="center", ha="left", fontsize=9 if len(bars) < 6 else 8
                )
        axes.set_yticks(range(len(bars)), [clipped(name_of(output), 30) for output in bars])
        axes.invert_yaxis()
        axes.set_xlim(0, 1.25 * widest)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel(f"probability at ε = {point}")
        axes.set_ylabel(variable_of(bars))
        _legend(axes)

    def draw_curves(axes: Axes) -> None:
        zero = Quotient.of(0)
        colours = dict(zip(curves, cycle(COLOURS)))
        equal = {output for output in curves if left.get(output, zero) == right.get(output, zero)}
        for law, outputs, pattern in ((left, curves, SOLID), (right, set(curves) - equal, DASHED)):
            for f, together in equals({o: law.get(o, zero) for o in curves if o in outputs}):
                points = curve(f, span)
                for number, output in enumerate(together):
                    line = in_turns(number, len(together), pattern)
                    axes.plot(*points, color=colours[output], linestyle=line)
        for output, colour in colours.items():  # the names, each with a whole line
            name = clipped(name_of(output), 34) + (" (u and u′)" if output in equal else "")
            axes.plot([], [], color=colour, label=name)
        axes.axvline(as_float(point), color=INFINITE, linewidth=1, linestyle=":")
        axes.set_ylim(bottom=0)
        dress(axes, span, "probability (solid: u, dashed: u′)")

    def some(most: int) -> str:
        return "" if total <= most else f" Shown are {most} of {total} outputs."

    who = " and ".join(names)
    yield Panel(
        "bars",
        f"Output distributions at ε = {point}{part_of(total, MOST_BARS)}",
        f"The probability of each output at ε = {point}, for {who}.{some(MOST_BARS)}",
        draw_bars,
    )
    yield Panel(
        "curves",
        f"Output distributions for all ε{part_of(total, MOST_CURVES)}",
        f"The probability of each output as a function of ε, solid for {names[0]}, dashed for {names[1]}."
        f"{some(MOST_CURVES)}",
        draw_curves,
    )


def part_of(total: int, most: int) -> str:
    """For titles.

    >>> part_of(15, 8), part_of(3, 8)
    (' (8 of 15 outputs)', '')
    """
    return f" ({most} of {total} outputs)" if total > most else ""


def equals(functions: Mapping[Valuation, Quotient]) -> Iterator[tuple[Quotient, list[Valuation]]]:
    """The different functions, each with the outputs that have it."""
    for f in dict.fromkeys(functions.values()):
        yield f, [output for output, g in functions.items() if g == f]


def in_turns(number: int, of: int, pattern: tuple[int, int]) -> LineStyle:
    """The style of one of several lines that lie on each other: each is seen where the others are not.

    >>> [in_turns(number, 3, (4, 2)) for number in range(3)]
    [(0, (4, 14)), (6, (4, 14)), (12, (4, 14))]
    """
    on, off = pattern
    if of == 1 and not off:
        return "-"
    return number * (on + off), (on, of * (on + off) - on)


def shown_outputs(found: Study, most: int) -> list[Valuation]:
    """The outputs that matter, then those that differ most, in the order of the output sets."""
    assert found.laws is not None
    left, right = found.laws
    outputs = list(dict.fromkeys((*left, *right)))
    zero = Quotient.of(0)

    def difference(output: Valuation) -> float:
        p, q = (value_of(law.get(output, zero), found.point) for law in (left, right))
        return abs(p - q)

    ranked = sorted(outputs, key=lambda o: (o not in found.outputs, -difference(o)))[:most]
    return [output for output in outputs if output in ranked]


def name_of(output: Valuation) -> str:
    """The value alone if there is one variable."""
    return show(output[0][1]) if len(output) == 1 else valuation_text(output)


def variable_of(outputs: Sequence[Valuation]) -> str:
    return plain(outputs[0][0][0]) if outputs and len(outputs[0]) == 1 else "output"


def clipped(text: str, most: int) -> str:
    """The beginning of a long text, safe for matplotlib."""
    return plain(text if len(text) <= most else f"{text[: most - 1]}…")


# --- where the claim breaks ------------------------------------------------------------------


def region_panels(found: Study, view: View) -> Iterator[Panel]:
    """P(u) with its bound, and the excess."""
    example = found.verdict.counterexample if found.verdict is not None else None
    if example is None or found.goal is None:
        return
    ends = [end_of(high) for _, high in example.violated_for]
    span = view.span
    if not view.fixed and ends and max(ends) < inf:
        span = Range(span.low, fmpq(ceil(3 * max(ends))), span.log)
    words = [
        nice(region_text(*ends, *closed))
        for ends, closed in zip(example.violated_for, example.closed_ends, strict=True)
    ]

    def spans(axes: Axes) -> None:
        for (low, high), said in zip(example.violated_for, words, strict=True):
            left, right = max(end_of(low), as_float(span.low)), min(end_of(high), as_float(span.high))
            if left < right:
                label = f"broken by this pair for {said}"
                axes.axvspan(left, right, color=BROKEN, alpha=SHADE, linewidth=0, label=label)

    def draw_bound(axes: Axes) -> None:
        axes.plot(*curve(example.probability, span), color=COLOURS[0], label="P(u)")
        heights = curve(example.bound, span)
        axes.plot(*heights, color="black", linestyle="--", label=bound_name(found.goal))
        spans(axes)
        x = as_float(found.point)
        axes.plot(
            [x], [value_of(example.probability, found.point)], "o", color=BROKEN, label=f"ε = {found.point}"
        )
        finite = [y for y in heights[1] if isfinite(y)]
        if finite and max(finite) > 1.05:
            axes.set_ylim(-0.03, 1.1)
        dress(axes, span, "probability")

    def draw_excess(axes: Axes) -> None:
        xs, ys = curve(example.excess, span)
        axes.plot(xs, ys, color=COLOURS[0], label="P(u) − bound")
        axes.axhline(0, color="black", linewidth=1)
        spans(axes)
        highest = max((y for y in ys if y > 0), default=0.0)
        if highest:  # what is far below 0 must not flatten it
            axes.set_ylim(-highest, 1.25 * highest)
        dress(axes, span, "excess")

    where = f"This pair breaks the claim for {' and for '.join(words)}." if words else ""
    yield Panel(
        "bound", "The counterexample", f"P(u) and the bound that the claim sets it. {where}", draw_bound
    )
    yield Panel(
        "excess",
        "By how much",
        f"P(u) minus the bound, positive where the claim breaks. {where}",
        draw_excess,
    )


def bound_name(goal: Goal | None) -> str:
    assert goal is not None
    epsilon = nice(goal.epsilon)
    return f"bound exp({epsilon})·P(u′)" + (" + δ" if goal.delta else "")


def end_of(text: str) -> float:
    """An end that a counterexample tells as text."""
    return inf if text == "inf" else as_float(rational(text, "an end"))


PANELS: dict[str, Callable[[Study, View], Iterator[Panel]]] = {
    "loss": loss_panels,
    "profile": profile_panels,
    "distributions": law_panels,
    "region": region_panels,
}


def panels_of(found: Study, digits: int = SHOWN_DIGITS) -> list[Panel]:
    """All that there is to see."""
    view = View(axis_of(found, None, None, None), False, digits)
    return [panel for what in WHAT for panel in PANELS[what](found, view)]
