"""The figure of a mechanism: panels of its loss, privacy profile, distributions and counterexample."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle
from math import ceil, inf
from typing import TYPE_CHECKING, Any

from flint import fmpq

import dipc.views as views
from dipc.claims.counterexample import Counterexample
from dipc.claims.privacy import Violated
from dipc.claims.tightness.curves import Curve
from dipc.claims.verdict import Undecided
from dipc.dipwhile.convert import Inputs, PythonValue
from dipc.dipwhile.distribution import Distribution
from dipc.errors import DipcError, InputError, LimitReached
from dipc.mechanisms import Mechanism
from dipc.models.values import Valuation, show, valuation_text
from dipc.numbers.exact import Number, rational
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.function import FunctionOfEps
from dipc.numbers.quotient import Quotient
from dipc.report import canvas, sampling
from dipc.report.canvas import COLOURS, Panel, broken, clipped, dress, legend, shade
from dipc.report.sampling import Range, as_float, curve, finite_ones, float_end, fmpq_of, loss_value, value_of
from dipc.report.study import Attempts, Study, Subject, study
from dipc.report.words import nice, program_title
from dipc.suggest import options_only

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FARTHEST = fmpq(10)  # of an axis whose end nothing chooses
SHOWN_DIGITS = 4
MOST_BARS, MOST_CURVES = 8, 6
SOLID, DASHED = (7, 0), (4, 2)  # drawn and left out, in widths of the line
ZERO = Quotient.of(0)

LineStyle = str | tuple[int, tuple[int, int]]
Laws = tuple[Distribution, Distribution]


@dataclass(frozen=True, slots=True)
class View:
    """What panels have in common.

    ``fixed``: the user chose the end of the axis; ``alone``: the user asked for this kind of panel only.
    """

    span: Range
    fixed: bool = False
    digits: int = SHOWN_DIGITS
    alone: bool = False


# --- curves ----------------------------------------------------------------------------------


def loss_panels(found: Study, view: View) -> Iterator[Panel]:
    """The loss, and the loss divided by eps; none if it is infinite everywhere."""
    if found.loss is None or not any(segment.value for segment in found.loss.segments):
        return
    claimed = f" against the claim {nice(found.goal.epsilon)}" if found.goal else ""
    draw = partial(_draw_loss, found, found.loss, view.span)
    words, where = f"The privacy loss as a function of ε{claimed}.", _broken_words(found)
    yield Panel("loss", "Privacy loss", f"{words} {where}", partial(draw, 1))
    words = "The privacy loss divided by ε: the factor t that is needed at each ε."
    yield Panel("factor", "Privacy loss per ε", f"{words} {where}", partial(draw, 0))


def _draw_loss(found: Study, loss: Curve, span: Range, power: int, axes: Axes) -> None:
    """The loss (``power`` 1) or the loss divided by eps (0) against the claim."""
    goal, least = found.goal, found.budget.least.exact if found.budget and not power else None
    read, name = (loss_value, "privacy loss") if power else (sampling.factor_value, "privacy loss / ε")
    top = draw_curve(axes, loss, span, read, name)
    if goal is not None:
        text = nice(goal.epsilon) if power else f"t = {goal.t}"
        ends = list(span.ends), [as_float(goal.t)] * 2
        xs, ys = curve(ExpPoly.of(goal.t, 1), span) if power else ends  # on a logarithmic axis it bends
        axes.plot(xs, ys, **canvas.CLAIM, label=f"claim: {text}{' (and δ)' if goal.delta else ''}")
        top = min(max(top, ys[-1]), 4 * ys[-1]) if ys[-1] > 0 else top  # a loss far above it is cut
    if top > 0:
        axes.set_ylim(0, 1.08 * top)
    if least is not None and (goal is None or least != goal.t):
        axes.axhline(as_float(least), **canvas.LEAST, label=f"least t = {least}")
    across = "ln of the greatest ratio P(u) / P(u′)" if power else "factor t that is needed"
    _finish(axes, found, span, across)


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
            axes.plot(xs, ys, **canvas.CLAIM, label=named if len(named) < 40 else "claimed δ")
            top = max([top, *(y for y in finite_ones(ys) if y <= 1)])
        else:
            axes.axhline(0, **canvas.CLAIM, label="claim: δ = 0")
        least = profile.least.exact
        if least:
            axes.axhline(as_float(least), **canvas.LEAST, label=f"least for all ε: {least}")
            top = max(top, as_float(least))
        axes.set_ylim(-0.04 * (top or 1), 1.1 * (top or 1))
        _finish(axes, found, span, "δ")

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
    regions = [
        (end_of(low), end_of(high), f"broken by this pair for {said}")
        for (low, high), said in zip(example.violated_for, words, strict=True)
    ]

    def draw_bound(axes: Axes) -> None:
        axes.plot(*curve(example.probability, span), color=COLOURS[0], label="P(u)")
        xs, ys = curve(example.bound, span)
        axes.plot(xs, ys, **canvas.CLAIM, label=bound)
        shade(axes, span, regions)
        height = value_of(example.probability, point)
        axes.plot([as_float(point)], [height], "o", color=canvas.BROKEN, label=f"ε = {point}")
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


def draw_curve(
    axes: Axes, whole: Curve, span: Range, read: Callable[[Quotient, fmpq], float], label: str
) -> float:
    """Draw a curve segment by segment, grey where it is infinite; return its greatest height."""
    heights = [0.0]
    for segment in whole.segments:
        part = span.part(float_end(segment.low), float_end(segment.high))
        if part is not None and segment.value is None:
            shade(axes, span, [(*part.ends, "infinite loss")], canvas.INFINITE)
        elif part is not None and segment.value is not None:
            xs, ys = sampling.sampled(partial(read, segment.value), part)
            axes.plot(xs, ys, color=COLOURS[0], label=label)
            heights += finite_ones(ys)
    return max(heights)


def _finish(axes: Axes, found: Study, span: Range, label: str) -> None:
    """Shade where any pair violates the claim, and name the axes."""
    regions = found.regions.regions if found.regions else ()
    shade(axes, span, [(float_end(r.low), float_end(r.high), f"broken for {broken(r)}") for r in regions])
    dress(axes, span, label)


def _broken_words(found: Study) -> str:
    if not found.regions or not found.regions.regions:
        return ""
    return f"The claim is broken for {' and for '.join(map(broken, found.regions.regions))}."


# --- distributions ---------------------------------------------------------------------------


def law_panels(found: Study, view: View) -> Iterator[Panel]:
    """The two distributions at one eps, and as functions of eps."""
    if found.laws is None or found.pair is None:
        return
    u, v = (clipped(valuation_text(values), 60) for values in found.pair)
    names = [f"u: {u}", f"u′: {v}"]
    yield _bars_panel(found, found.laws, names, view.digits)
    yield _curves_panel(found, found.laws, names, view.span)


def _bars_panel(found: Study, laws: Laws, names: Sequence[str], digits: int) -> Panel:
    outputs, total = _shown_outputs(found, laws, MOST_BARS)
    point = found.point

    def draw(axes: Axes) -> None:
        widest = 0.0
        groups = dict(zip(names, laws, strict=True))
        for f, width, place in grouped_bars(axes.barh, groups, outputs, point):
            text = "0" if f is None else f.decimal(point, digits)
            size = 9 if len(outputs) < 6 else 8
            axes.text(width, place, f" {text}", va="center", ha="left", fontsize=size)
            widest = max(widest, width)
        axes.set_yticks(range(len(outputs)), [_name_of(output, 30) for output in outputs])
        axes.invert_yaxis()
        axes.set_xlim(0, 1.25 * widest)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel(f"probability at ε = {point}")
        axes.set_ylabel(canvas.plain(outputs[0][0][0]) if outputs and len(outputs[0]) == 1 else "output")
        legend(axes)

    words = f"The probability of each output at ε = {point}, for {' and '.join(names)}."
    return _laws_panel(Panel("bars", f"Output distributions at ε = {point}", words, draw), total, MOST_BARS)


def _curves_panel(found: Study, laws: Laws, names: Sequence[str], span: Range) -> Panel:
    outputs, total = _shown_outputs(found, laws, MOST_CURVES)
    left, right = laws

    def draw(axes: Axes) -> None:
        colours = dict(zip(outputs, cycle(COLOURS)))
        equal = {output for output in outputs if left.get(output, ZERO) == right.get(output, ZERO)}
        different = [output for output in outputs if output not in equal]
        for law, chosen, pattern in ((left, outputs, SOLID), (right, different, DASHED)):
            for f in dict.fromkeys(law.get(output, ZERO) for output in chosen):
                points = curve(f, span)
                together = [output for output in chosen if law.get(output, ZERO) == f]
                for number, output in enumerate(together):
                    line = in_turns(number, len(together), pattern)
                    axes.plot(*points, color=colours[output], linestyle=line)
        for output, colour in colours.items():  # the names, each with a whole line
            name = _name_of(output, 34) + (" (u and u′)" if output in equal else "")
            axes.plot([], [], color=colour, label=name)
        axes.axvline(as_float(found.point), color=canvas.INFINITE, linewidth=1, linestyle=":")
        axes.set_ylim(bottom=0)
        dress(axes, span, "probability (solid: u, dashed: u′)")

    first, second = names
    words = f"The probability of each output as a function of ε, solid for {first}, dashed for {second}."
    return _laws_panel(Panel("curves", "Output distributions for all ε", words, draw), total, MOST_CURVES)


def grouped_bars(
    bar: Callable[..., object],
    groups: Mapping[str, Mapping[Any, FunctionOfEps]],
    outputs: Sequence[Any],
    point: fmpq,
) -> Iterator[tuple[FunctionOfEps | None, float, float]]:
    """Draw the bars of distributions side by side; yield each bar's function, length and place."""
    thickness = 0.8 / len(groups)
    for number, ((name, law), colour) in enumerate(zip(groups.items(), cycle(COLOURS))):
        functions = [law.get(output) for output in outputs]
        lengths = [0.0 if f is None else sampling.exact_value_of(f, point) for f in functions]
        places = [i + (number - (len(groups) - 1) / 2) * thickness for i in range(len(outputs))]
        hatch = canvas.HATCHES[number % len(canvas.HATCHES)]
        bar(places, lengths, 0.92 * thickness, color=colour, label=name, hatch=hatch, edgecolor="white")
        yield from zip(functions, lengths, places, strict=True)


def _laws_panel(panel: Panel, total: int, most: int) -> Panel:
    """The panel, which says how many outputs it shows if these are not all."""
    some = f"{most} of {total} outputs"
    title, words = f"{panel.title} ({some})", f"{panel.words} Shown are {some}."
    return replace(panel, title=title, words=words) if total > most else panel


def in_turns(number: int, of: int, pattern: tuple[int, int]) -> LineStyle:
    """The style of one of several lines that coincide: each is seen where the others are not.

    >>> [in_turns(number, 3, (4, 2)) for number in range(3)]
    [(0, (4, 14)), (6, (4, 14)), (12, (4, 14))]
    """
    on, off = pattern
    if of == 1 and not off:
        return "-"
    return number * (on + off), (on, of * (on + off) - on)


def _shown_outputs(found: Study, laws: Laws, most: int) -> tuple[list[Valuation], int]:
    """The outputs that matter, then those that differ most, in the order of the output sets; and how many
    there are in all."""
    outputs = list(dict.fromkeys(output for law in laws for output in law))

    def difference(output: Valuation) -> float:
        p, q = (value_of(law.get(output, ZERO), found.point) for law in laws)
        return abs(p - q)

    ranked = sorted(outputs, key=lambda o: (o not in found.outputs, -difference(o)))[:most]
    return [output for output in outputs if output in ranked], len(outputs)


def _name_of(output: Valuation, most: int) -> str:
    """An output, clipped: the value alone if there is one variable."""
    return clipped(show(output[0][1]) if len(output) == 1 else valuation_text(output), most)


# --- figures ---------------------------------------------------------------------------------

PANELS: dict[str, tuple[str, Callable[[Study, View], Iterator[Panel]]]] = {
    "loss": ("loss", loss_panels),
    "profile": ("profile", profile_panels),
    "distributions": ("laws", law_panels),
    "region": ("verdict", region_panels),
}
"""What to plot: the part of a study that it needs, and how to draw it."""
WHAT = tuple(PANELS)


@options_only
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
    eps), ``"distributions"`` (of the counterexample's pair, or of the pair that needs the greatest t),
    ``"region"`` (a counterexample and where it breaks the claim), or ``"all"`` that there is.  ``at`` is the
    eps of the distributions; ``budgets`` replaces the eps range of the claim; the axis goes from ``low`` to
    ``high``.  The limits (:func:`dipc.limits`, 20 seconds if there is none) are for each part; a part that
    takes longer is left out and listed in ``attempts.notes``.  If nothing else is to be seen,
    :class:`LimitReached` is raised.
    """
    sampling.refuse_file(what)
    if what not in (*WHAT, "all"):
        raise InputError(f"there is no plot of `{what}`", hint=f"one of: {', '.join((*WHAT, 'all'))}")
    attempts = attempts or Attempts()
    attempts.strict |= what != "all"
    wanted = WHAT if what == "all" else (what,)
    found = study(Subject(mechanism, claim, pair, at, budgets), attempts, [PANELS[one][0] for one in wanted])
    view = View(axis_of(found, low, high, log), high is not None, digits, alone=what != "all")
    panels = panels_of(found, view, wanted)
    if not panels:
        raise _nothing(found, what, attempts)
    heading = program_title(found.name, mechanism.parameters)
    if found.verdict is not None:
        heading += f"\nclaim: {nice(str(found.goal))}: {found.verdict.status.upper()}"
    return canvas.sheet(panels, heading)


def panels_of(found: Study, view: View | None = None, kinds: Sequence[str] = WHAT) -> list[Panel]:
    """All panels that there are, or those of some kinds."""
    view = view or View(axis_of(found, None, None, None))
    return [panel for kind in kinds for panel in PANELS[kind][1](found, view)]


def _nothing(found: Study, what: str, attempts: Attempts) -> DipcError:
    if what == "region" and found.verdict is not None:
        message = f"there is no region to plot: the verdict is {found.verdict.status}"
        if isinstance(found.verdict, Undecided):
            return LimitReached(f"{message}: {found.verdict.reason}")
        return InputError(message, hint="try `loss`, or a smaller claim such as eps/2")
    if attempts.notes:
        note = attempts.notes[0]
        return LimitReached(f"there is nothing to plot: {note.part}: {note.why}")
    if found.goal is None:
        message = f"{found.name}: the program makes no claim"
        return InputError(message, hint="give one, for example the claim `eps`")
    return InputError("there is nothing to plot: no output distinguishes any two adjacent inputs")


def axis_of(found: Study, low: Number | None, high: Number | None, log: bool | None) -> Range:
    """The eps to be shown: as asked, or those of the claim, or up to a little beyond the broken ones."""
    budgets = found.subject.budgets
    start = sampling.beginning(low, fmpq(0) if budgets.is_point else budgets.low, log)
    end = 2 * budgets.low if high is None and budgets.is_point else high
    if end is not None or budgets.high is not None:
        return Range.of(start, budgets.high if end is None else end, log)
    ends = [end for r in (found.regions.regions if found.regions else ()) for end in (r.low, r.high)]
    finite = [fmpq_of(float_end(end)) for end in ends if end is not None]
    far = max([fmpq(ceil(3 * as_float(max(finite)))), found.point]) if any(finite) else FARTHEST
    # The axis is linear unless the user asks otherwise: the claim is a straight line there.
    return Range.of(start, max(far, 2 * budgets.low, 2 * found.point), log or False)


views.plot.register(
    Mechanism, lambda m, low=None, high=None, **options: plot_mechanism(m, low=low, high=high, **options)
)
