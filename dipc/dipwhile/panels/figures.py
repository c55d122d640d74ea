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
from dipc.claims.accuracy import Accurate
from dipc.claims.claim import Witness
from dipc.claims.counterexample import Counterexample
from dipc.claims.divergence import Measured
from dipc.claims.exponent import exponent_text
from dipc.claims.privacy import Goal
from dipc.claims.tightness.curves import Curve
from dipc.claims.verdict import Refuted, Undecided
from dipc.dipwhile.convert import Inputs, PythonValue
from dipc.dipwhile.distribution import Distribution
from dipc.dipwhile.mechanisms import Mechanism
from dipc.dipwhile.panels.study import Study, Subject, study
from dipc.errors import DipcError, InputError, LimitReached
from dipc.models.values import Valuation, show, valuation_text
from dipc.numbers.exact import Number, rational
from dipc.numbers.function import FunctionOfEps
from dipc.numbers.quotient import Quotient
from dipc.report import canvas, sampling
from dipc.report.attempts import Attempts
from dipc.report.canvas import Axis, Band, Bars, Line, Mark, Panel, Rule, clipped, eps_axis, height
from dipc.report.sampling import Range, as_float, curve, float_end, fmpq_of, value_of
from dipc.report.words import nice, program_title
from dipc.signs.eps_range import EpsRange
from dipc.suggest import options_only

if TYPE_CHECKING:
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
    span, name = view.span, "privacy loss"
    if isinstance(found.goal, Measured):
        order = found.goal.measure.order
        name = "range" if order is None else f"Rényi divergence of order {order}"
    title = name[0].upper() + name[1:]
    claimed = f" against the claim {nice(exponent_text(found.exponent))}" if found.exponent else ""
    words = f"The {name} as a function of ε{claimed}."
    yield _judged(found, span, "loss", title, words, *_loss(found, found.loss, span, 1, name))
    words = f"The {name} divided by ε: the factor t that is needed at each ε."
    yield _judged(found, span, "factor", f"{title} per ε", words, *_loss(found, found.loss, span, 0, name))


def _loss(found: Study, loss: Curve, span: Range, power: int, name: str) -> tuple[list[Mark], Axis]:
    """The loss (``power`` 1) or the loss divided by eps (0) against the claim."""
    epsilon, least = found.exponent, found.budget.least.exact if found.budget and not power else None
    t = None if epsilon is None else epsilon.multiple
    read = sampling.loss_value if power else sampling.factor_value
    value = partial(divided, read, loss.times)
    marks: list[Mark] = [*curve_marks(loss, span, value, name if power else f"{name} / ε")]
    top = height(marks)
    if epsilon is not None:
        text = f"t = {t}" if t is not None and not power else nice(exponent_text(epsilon))
        if t is None or power:  # on a logarithmic axis a line bends
            xs, ys = sampling.sampled(partial(read, epsilon.factor), span)
        else:
            xs, ys = [*span.ends], [as_float(t)] * 2
        delta = isinstance(found.goal, Goal) and found.goal.delta
        marks.append(Line(xs, ys, canvas.CLAIM, f"claim: {text}{' (and δ)' if delta else ''}"))
        top = min(max(top, ys[-1]), 4 * ys[-1]) if ys[-1] > 0 else top  # a loss far above it is cut
    if least is not None and (epsilon is None or least != t):
        marks.append(Rule(as_float(least), canvas.LEAST, f"least t = {least}"))
    of_loss = "ln of the greatest ratio P(u) / P(u′)" if name == "privacy loss" else name
    label = of_loss if power else "factor t that is needed"
    return marks, Axis(label, 0, 1.08 * top) if top > 0 else Axis(label)


def divided(read: Callable[[Quotient, fmpq], float], times: int, value: Quotient, eps: fmpq) -> float:
    """What is read of a value, over ``times``: of Rényi divergences."""
    return read(value, eps) / times


def error_panels(found: Study, view: View) -> Iterator[Panel]:
    """The greatest probability of an error for each eps, and the claimed one."""
    if found.error is None or not isinstance(found.goal, Accurate):
        return
    marks: list[Mark] = []
    for piece in found.error.pieces:
        part = view.span.part(end_of(piece.interval.low.text), end_of(piece.interval.high.text))
        if part is not None:
            marks.append(Line(*curve(piece.value, part), canvas.CURVE, "least β"))
    bound = Line(*curve(found.goal.beta, view.span), canvas.CLAIM, f"claim: β = {nice(str(found.goal.beta))}")
    up = Axis("probability of an error", 0, 1.1 * height([*marks, bound]) or 1)
    words = "The greatest probability of an error, over all inputs, as a function of ε."
    yield _judged(found, view.span, "error", "Probability of an error", words, [*marks, bound], up)


def profile_panels(found: Study, view: View) -> Iterator[Panel]:
    """The least delta for each eps, and the claimed one; none if both are 0."""
    if found.profile is None or not isinstance(found.goal, Goal):
        return
    profile, goal, span = found.profile, found.goal, view.span
    if not goal.delta and not any(segment.value for segment in profile.curve.segments) and not view.alone:
        return
    marks: list[Mark] = [*curve_marks(profile.curve, span, value_of, "least δ")]
    top, least = height(marks), profile.least.exact
    if goal.delta:
        named, (xs, ys) = f"claim: δ = {nice(str(goal.delta))}", curve(goal.delta, span)
        marks.append(Line(xs, ys, canvas.CLAIM, named if len(named) < 40 else "claimed δ"))
        top = max([top, *(y for y in ys if y <= 1)])
    else:
        marks.append(Rule(0, canvas.CLAIM, "claim: δ = 0"))
    if least:
        marks.append(Rule(as_float(least), canvas.LEAST, f"least for all ε: {least}"))
        top = max(top, as_float(least))
    epsilon, up = nice(goal.epsilon), Axis("δ", -0.04 * (top or 1), 1.1 * (top or 1))
    words = f"The privacy profile: the least δ such that the program is ({epsilon}, δ)-private at each ε."
    yield _judged(found, span, "profile", f"Least δ for {epsilon}", words, marks, up)


def _judged(
    found: Study, span: Range, kind: str, title: str, words: str, marks: Sequence[Mark], up: Axis
) -> Panel:
    """A panel over eps, shaded where any pair violates the claim."""
    regions = found.regions.regions if found.regions else ()
    named = list(map(canvas.broken, regions))
    bands = [
        Band(float_end(r.low), float_end(r.high), f"broken for {n}")
        for r, n in zip(regions, named, strict=True)
    ]
    where = f"The claim is broken for {' and for '.join(named)}." if regions else ""
    return Panel(kind, title, f"{words} {where}", [*marks, *bands], eps_axis(span), up)


def curve_marks(
    whole: Curve, span: Range, read: Callable[[Quotient, fmpq], float], name: str
) -> Iterator[Line | Band]:
    """A curve segment by segment, grey where it is infinite."""
    for segment in whole.segments:
        part = span.part(float_end(segment.low), float_end(segment.high))
        if part is not None and segment.value is None:
            yield Band(*part.ends, "infinite loss", canvas.INFINITE)
        elif part is not None and segment.value is not None:
            yield Line(*sampling.sampled(partial(read, segment.value), part), canvas.CURVE, name)


def region_panels(found: Study, view: View) -> Iterator[Panel]:
    """The counterexample of the verdict; none if there is none."""
    if not isinstance(found.verdict, Refuted):
        return
    example, goal = found.verdict.counterexample, found.verdict.claim
    ends = [end_of(high) for _, high in example.violated_for]
    span = view.span
    if not view.fixed and ends and max(ends) < inf:
        span = Range(span.low, fmpq(ceil(3 * max(ends))), span.log)
    bound = "bound"
    if isinstance(goal, Goal):
        bound = f"bound exp({nice(goal.epsilon)})·P(u′)" + (" + δ" if goal.delta else "")
    yield from example_panels(example, span, found.point, bound)


def example_panels(example: Witness, span: Range, point: fmpq, bound: str) -> Iterator[Panel]:
    """P(u), or another value, with its bound, which is named in the legend, and below it the excess."""
    value, most = example.sides
    name = "P(u)" if isinstance(example, Counterexample) else "value"
    words, eps = list(map(nice, example.broken_for)), eps_axis(span)
    where = f"This counterexample breaks the claim for {' and for '.join(words)}." if words else ""
    bands = [
        Band(end_of(low), end_of(high), f"broken by it for {said}")
        for (low, high), said in zip(example.violated_for, words, strict=True)
    ]
    limit = Line(*curve(most, span), canvas.CLAIM, bound)
    marks: list[Mark] = [Line(*curve(value, span), canvas.CURVE, name), limit, *bands]
    spot = [as_float(point)], [value_of(value, point)]
    marks.append(Line(*spot, {"color": canvas.BROKEN, "marker": "o", "linestyle": ""}, f"ε = {point}"))
    # a bound far above 1 must not flatten the rest
    up = Axis("probability", -0.03, 1.1) if height([limit]) > 1.05 else Axis("probability")
    up = up if name == "P(u)" else Axis(name)
    above = f"{name} and the bound that the claim sets it. {where}"
    yield Panel("bound", "The counterexample", above, marks, eps, up)

    excess = Line(*curve(value - most, span), canvas.CURVE, f"{name} − bound")
    highest = height([excess])  # values far below 0 must not flatten it
    up = Axis("excess", -highest, 1.25 * highest) if highest else Axis("excess")
    below = f"{name} minus the bound, positive where the claim breaks. {where}"
    yield Panel("excess", "By how much", below, [excess, Rule(0, canvas.ZERO_LINE), *bands], eps, up)


def end_of(text: str) -> float:
    """An end of an interval in which a counterexample breaks the claim."""
    return inf if text == "inf" else as_float(rational(text, "an end"))


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
    bars = list(grouped_bars(dict(zip(names, laws, strict=True)), outputs, point, digits))
    widest = max((x for each in bars for x in each.lengths), default=0.0)
    title = f"Output distributions at ε = {point}"
    words = f"The probability of each output at ε = {point}, for {' and '.join(names)}."
    across = Axis(f"probability at ε = {point}", 0, 1.25 * widest)
    label = canvas.plain(outputs[0][0][0]) if outputs and len(outputs[0]) == 1 else "output"
    up = Axis(label, names=[_name_of(output, 30) for output in outputs])
    return _some(Panel("bars", title, words, bars, across, up), total, MOST_BARS)


def _curves_panel(found: Study, laws: Laws, names: Sequence[str], span: Range) -> Panel:
    outputs, total = _shown_outputs(found, laws, MOST_CURVES)
    left, right = laws
    colours = dict(zip(outputs, cycle(canvas.COLOURS)))
    different = [output for output in outputs if left.get(output, ZERO) != right.get(output, ZERO)]
    marks: list[Mark] = []
    for law, chosen, pattern in ((left, outputs, SOLID), (right, different, DASHED)):
        for f in dict.fromkeys(law.get(output, ZERO) for output in chosen):
            points = curve(f, span)
            together = [output for output in chosen if law.get(output, ZERO) == f]
            for number, output in enumerate(together):
                line = in_turns(number, len(together), pattern)
                marks.append(Line(*points, {"color": colours[output], "linestyle": line}))
    for output, colour in colours.items():  # the names, each with a whole line
        name = _name_of(output, 34) + ("" if output in different else " (u and u′)")
        marks.append(Line([], [], {"color": colour}, name))
    look = {"color": canvas.INFINITE, "linewidth": 1, "linestyle": ":"}
    marks.append(Rule(as_float(found.point), look, upright=True))
    first, second = names
    words = f"The probability of each output as a function of ε, solid for {first}, dashed for {second}."
    up = Axis("probability (solid: u, dashed: u′)", low=0)
    panel = Panel("curves", "Output distributions for all ε", words, marks, eps_axis(span), up)
    return _some(panel, total, MOST_CURVES)


def grouped_bars(
    groups: Mapping[str, Mapping[Any, FunctionOfEps]],
    outputs: Sequence[Any],
    point: fmpq,
    digits: int = 0,
) -> Iterator[Bars]:
    """The bars of distributions side by side, with so many digits of each probability as its text."""
    thickness = 0.8 / len(groups)
    for number, (name, law) in enumerate(groups.items()):
        functions = [law.get(output, ZERO) for output in outputs]
        lengths = [sampling.exact_value_of(f, point) for f in functions]
        places = [i + (number - (len(groups) - 1) / 2) * thickness for i in range(len(outputs))]
        look = {
            "color": canvas.COLOURS[number % len(canvas.COLOURS)],
            "hatch": canvas.HATCHES[number % len(canvas.HATCHES)],
            "edgecolor": "white",
        }
        texts = [f.decimal(point, digits) if f else "0" for f in functions] if digits else []
        yield Bars(places, lengths, 0.92 * thickness, look, name, texts=texts)


def _some(panel: Panel, total: int, most: int) -> Panel:
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
    "error": ("error", error_panels),
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

    ``what`` is ``"loss"`` (the privacy loss, or what is claimed instead, against the claim), ``"profile"``
    (the least delta for each eps), ``"error"`` (the probability of an error, of a claim of accuracy),
    ``"distributions"`` (of the counterexample's pair, or of the pair that needs the greatest t),
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
    return canvas.sheet(panels, canvas.plain(heading))


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
    if budgets.is_point:
        budgets = EpsRange(fmpq(0), 2 * budgets.low)
    ends = [end for r in (found.regions.regions if found.regions else ()) for end in (r.low, r.high)]
    finite = [fmpq_of(float_end(end)) for end in ends if end is not None]
    far = max([fmpq(ceil(3 * as_float(max(finite)))), found.point]) if any(finite) else FARTHEST
    return sampling.axis(budgets, max(far, 2 * found.point), low, high, log)


views.plot.register(
    Mechanism, lambda m, low=None, high=None, **options: plot_mechanism(m, low=low, high=high, **options)
)
