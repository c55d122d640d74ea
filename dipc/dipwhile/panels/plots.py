"""Plots of single results: functions of eps, distributions, counterexamples, curves, profiles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any

from flint import fmpq

import dipc.views as views
from dipc.claims.claim import Witness
from dipc.claims.counterexample import Counterexample
from dipc.claims.tightness.curves import Curve, Profile
from dipc.claims.verdict import Refuted, Verdict
from dipc.dipwhile.distribution import Distribution
from dipc.dipwhile.panels.figures import FARTHEST, curve_marks, divided, example_panels, grouped_bars
from dipc.errors import InputError, check_type
from dipc.excerpts import article
from dipc.models.values import show_valuation
from dipc.numbers.exact import Number, rational
from dipc.numbers.function import FunctionOfEps, budget
from dipc.report import canvas, sampling
from dipc.report.canvas import Axis, Mark, Panel, eps_axis, sheet
from dipc.report.sampling import Range, float_end, fmpq_of, loss_value, value_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONGEST = 100  # characters of a formula in a legend

Functions = FunctionOfEps | Sequence[FunctionOfEps] | Mapping[str, FunctionOfEps]
Eps = Number | None  # an end of an axis; None: the usual one
Laws = Mapping[str, Mapping[Any, FunctionOfEps]]


@views.plot.register(FunctionOfEps)
def plot_functions(
    functions: Functions,
    low: Eps = None,
    high: Eps = None,
    *,
    log: bool | None = None,
    title: str = "",
    label: str = "",
    size: tuple[float, float] = (8.0, 4.8),
) -> Figure:
    """Functions of eps from ``low`` to ``high``, by default 1/100 to 100.

    ``log`` chooses a logarithmic (True) or linear (False) axis; ``label`` names the vertical axis.  The
    legend shows the exact function if it is short.
    """
    named, span = _named(functions), Range.of(low, high, log)
    lines = canvas.curves(((_legend(name, f), partial(value_of, f)) for name, f in named.items()), span)
    return _single(list(lines), span, Axis(label), title, size)


def _single(
    marks: Sequence[Mark], span: Range, up: Axis, title: str, size: tuple[float, float] = canvas.PANEL
) -> Figure:
    """One panel over eps."""
    return sheet([Panel("", title, "", marks, eps_axis(span), up)], size=size)


def _named(functions: Functions) -> dict[str, FunctionOfEps]:
    check_type(functions, (FunctionOfEps, Mapping, Sequence), "a plot needs functions of eps")
    match functions:
        case FunctionOfEps():
            return {"": functions}
        case Mapping():
            named = dict(zip(_names(functions), functions.values(), strict=True))
        case _:
            named = {f"f{number}": f for number, f in enumerate(functions, 1)}
    if not named:
        raise InputError("there is no function to plot")
    return named


def _names(outputs: Iterable[Any]) -> list[str]:
    return [output if isinstance(output, str) else show_valuation(output) for output in outputs]


def _legend(name: str, f: FunctionOfEps) -> str:
    """The name with the exact function, if that is short enough to be read."""
    if len(str(f)) > LONGEST:
        return name
    formula = f"${f.latex()}$".replace(r"\tfrac", r"\frac")
    return f"{name}:  {formula}" if name else formula


def plot_distributions(
    laws: Distribution | Laws, eps: Number, *, title: str = "", size: tuple[float, float] | None = None
) -> Figure:
    """Output distributions side by side at one eps: ``plot_distributions({"u": d, "u'": e}, 1)``."""
    check_type(laws, (Distribution, Mapping), "the laws are a distribution, or some by their names")
    point = budget(eps)
    groups = {"": laws} if isinstance(laws, Distribution) else dict(laws)
    outputs = list(dict.fromkeys(output for law in groups.values() for output in law))
    if not outputs:
        raise InputError("there is no distribution to plot")
    bars, across = list(grouped_bars(groups, outputs, point)), Axis("", names=_names(outputs))
    up, width = Axis("probability", low=0), max(6.0, 1.2 + 0.5 * len(outputs) * (1 + len(groups)))
    panel = Panel("", title or f"ε = {point}", "", bars, across, up, legend_above=True)
    return sheet([panel], size=size or (width, 4.8))


@views.plot.register(Witness)
@views.plot.register(Refuted)
def plot_region(
    found: Witness | Refuted,
    low: Eps = None,
    high: Eps = None,
    *,
    log: bool | None = None,
    title: str = "",
    size: tuple[float, float] = (8.0, 8.0),
) -> Figure:
    """``P(u)`` with its bound, and below it the excess; the eps that break the claim are shaded."""
    check_type(found, (Witness, Refuted), "a region is that of a counterexample")
    example = found.counterexample if isinstance(found, Refuted) else found
    texts = [text for region in example.violated_for for text in region if text != "inf"]
    ends = [x for x in (rational(text, "an end") for text in texts) if x] + [example.epsilon]
    span = Range.of(min(ends) / 20 if low is None else low, max(ends) * 5 if high is None else high, log)
    point = fmpq(example.epsilon.numerator, example.epsilon.denominator)
    bound = "bound exp(t·ε)·P(u′) + δ" if isinstance(example, Counterexample) else "bound"
    panels = list(example_panels(example, span, point, bound))
    heading = canvas.plain(title or _pair(example))
    return sheet(panels, heading, (size[0], size[1] / 2), columns=1, titles=False)


def _pair(example: Witness) -> str:
    if not isinstance(example, Counterexample):
        return example.brief()
    outputs = " or ".join(map(show_valuation, example.outputs))
    whole = f"u: {show_valuation(example.input)}   u′: {show_valuation(example.neighbour)}"
    return f"{whole}\n{outputs if len(outputs) < 80 else f'{len(example.outputs)} outputs'}"


@views.plot.register(Verdict)
def _of_verdict(verdict: Verdict, low: Eps = None, high: Eps = None, **options: Any) -> Figure:
    message = f"{article(verdict.status)} verdict has no counterexample to plot"
    hint = "plot the mechanism: m.plot(), or one distribution: m.distribution(...).plot()"
    raise InputError(message, hint=hint)


@views.plot.register(Curve)
def plot_curve(
    found: Curve, low: Eps = None, high: Eps = None, *, log: bool | None = None, title: str = ""
) -> Figure:
    """A loss curve or a privacy profile, by default on its whole eps range or to beyond its last break."""
    budgets = found.budgets
    if budgets.is_point:
        message = f"a curve at eps = {budgets.low} only is one number, which cannot be plotted"
        raise InputError(message, hint="print it, or leave out `at`")
    finite = [x for one in found.segments if isfinite(x := float_end(one.high))]
    span = sampling.axis(budgets, 3 * fmpq_of(max(finite)) if finite else FARTHEST, low, high, log)
    read, name = (loss_value, "privacy loss") if found.of_loss else (value_of, "least δ")
    if found.times > 1:
        read, name = partial(divided, loss_value, found.times), "divergence"
    return _single(list(curve_marks(found, span, read, name)), span, Axis(name), title)


views.plot.register(
    Distribution,
    lambda law, *ends, **options: plot_functions(
        {show_valuation(output): p for output, p in law.items()}, *ends, **{"label": "probability", **options}
    ),
)
views.plot.register(Profile, lambda found, *ends, **options: plot_curve(found.curve, *ends, **options))
