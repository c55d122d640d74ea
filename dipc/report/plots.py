"""Plots: functions of eps, output distributions side by side, and where a claim breaks.

Every number drawn is a ball around the exact value, rounded to a float at the very end; a curve gets more
points where it bends.  matplotlib is needed (``pip install '.[report]'``) and imported here only.
Figures are made without pyplot: nothing global changes, and a notebook shows what is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from io import BytesIO
from itertools import cycle, pairwise
from math import isfinite, log10, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from flint import arb, ctx, fmpq

import dipc.views as views
from dipc.claims.counterexample import Counterexample
from dipc.claims.privacy import Violated
from dipc.claims.verdict import Verdict
from dipc.dipwhile.distribution import Distribution
from dipc.errors import InputError
from dipc.models.values import show_valuation
from dipc.numbers.exact import Number, rational
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.function import FunctionOfEps, budget
from dipc.numbers.quotient import Quotient
from dipc.numbers.surd import Surd

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's colours, which people with any kind of colour vision can tell apart."""
LINES = ("-", "--", "-.", ":")
BROKEN = "#D55E00"

STYLE: Any = {
    "font.size": 12,
    "axes.titlesize": 13,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.8,
    "lines.linewidth": 2.2,
    "legend.frameon": False,
    "mathtext.fontset": "cm",
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "svg.hashsalt": "dipc",
}

LOW, HIGH = fmpq(1, 100), fmpq(100)
PICTURES = (".png", ".svg", ".pdf", ".jpg", ".jpeg", ".eps", ".ps", ".webp")
LONGEST = 100  # characters of a formula in a legend
START, DEPTH = 64, 6  # first pieces of a curve, and how often one may be halved
BENT = 1 / 500  # of the height of the plot
PRECISIONS = (64, 256, 1024, 4096)

Functions = FunctionOfEps | Sequence[FunctionOfEps] | Mapping[str, FunctionOfEps]
Laws = Mapping[str, Mapping[Any, FunctionOfEps]]


class MissingPackage(InputError, ImportError):
    """A package that an extra brings is not installed."""


class Range(NamedTuple):
    """The budgets of a plot; ``log`` tells the scale of the axis."""

    low: fmpq
    high: fmpq
    log: bool

    @staticmethod
    def of(low: Number | None, high: Number | None, log: bool | None) -> Range:
        """The ends asked for; the scale is logarithmic if they are a factor 50 apart, unless chosen."""
        for asked in (low, high):
            if isinstance(asked, str | Path):
                refuse_file(asked)
        start = LOW if low is None else budget(low)
        end = max(HIGH, start * 100) if high is None else budget(high)
        if not start < end:
            raise InputError(f"a plot needs low < high, not {start} and {end}")
        if log and not start:
            raise InputError(
                "a logarithmic axis cannot begin at 0", hint="give a positive `low`, or log=False"
            )
        return Range(start, end, (start > 0 and end >= 50 * start) if log is None else log)

    def point(self, share: float) -> float:
        """The budget at a share between 0 and 1 of the axis."""
        low, high = as_float(self.low), as_float(self.high)
        if self.log:
            inside = 10 ** (log10(low) + share * (log10(high) - log10(low)))
            return low if share == 0 else high if share == 1 else inside
        return low + share * (high - low)


def refuse_file(name: str | Path) -> None:
    """A plot is drawn first, and then written: the name of a picture is refused where a budget belongs.

    >>> refuse_file("d.png")
    Traceback (most recent call last):
    dipc.errors.InputError: error: `plot` draws, and does not write the file `d.png`
        help: the figure writes itself: .plot().savefig("d.png")
    """
    if Path(name).suffix.lower() in PICTURES:
        raise InputError(
            f"`plot` draws, and does not write the file `{name}`",
            hint=f'the figure writes itself: .plot().savefig("{name}")',
        )


# --- the three plots -------------------------------------------------------------------------


def plot_functions(
    functions: Functions,
    low: Number | None = None,
    high: Number | None = None,
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
    named = _named(functions)
    span = Range.of(low, high, log)
    figure, (axes,) = _figure(size, 1)
    for (name, f), (colour, line) in zip(named.items(), _looks(), strict=False):
        axes.plot(*curve(f, span), color=colour, linestyle=line, label=_legend(name, f))
    budget_axis(axes, span)
    finish(figure, axes, title, label)
    return figure


def plot_distributions(
    laws: Distribution | Laws,
    eps: Number,
    *,
    title: str = "",
    size: tuple[float, float] | None = None,
) -> Figure:
    """Output distributions side by side at one budget: ``plot_distributions({"u": d, "u'": e}, 1)``."""
    point = budget(eps)
    groups = {"": laws} if isinstance(laws, Distribution) else dict(laws)
    outputs = list(dict.fromkeys(output for law in groups.values() for output in law))
    if not outputs:
        raise InputError("there is no distribution to plot")
    figure, (axes,) = _figure(size or (max(6.0, 1.2 + 0.5 * len(outputs) * (1 + len(groups))), 4.8), 1)
    width = 0.8 / len(groups)
    for number, ((name, law), colour) in enumerate(zip(groups.items(), cycle(COLOURS), strict=False)):
        heights = [float(f.at(point)) if (f := law.get(output)) is not None else 0.0 for output in outputs]
        places = [i + (number - (len(groups) - 1) / 2) * width for i in range(len(outputs))]
        hatch = ("", "//", "..", "xx")[number % 4]
        axes.bar(places, heights, width * 0.92, color=colour, label=name, hatch=hatch, edgecolor="white")
    names = [_output_name(output) for output in outputs]
    slanted = sum(map(len, names)) > 60
    axes.set_xticks(
        range(len(outputs)), names, rotation=30 if slanted else 0, ha="right" if slanted else "center"
    )
    axes.grid(axis="x", visible=False)
    axes.set_ylim(bottom=0)
    finish(figure, axes, title or f"ε = {point}", "probability")
    return figure


def plot_region(
    found: Counterexample | Violated,
    low: Number | None = None,
    high: Number | None = None,
    *,
    log: bool | None = None,
    title: str = "",
    size: tuple[float, float] = (8.0, 6.0),
) -> Figure:
    """``P(u)`` with its bound, and below what it has too much; budgets that break the claim are shaded."""
    example = found.counterexample if isinstance(found, Violated) else found
    regions = [(_end(a), _end(b)) for a, b in example.violated_for]
    ends = [x for region in regions for x in region if x] + [example.epsilon]
    start = min(ends) / 20 if low is None else low
    span = Range.of(start, max(ends) * 5 if high is None else high, log)
    figure, (axes, below) = _figure(size, 2)
    axes.plot(*curve(example.probability, span), color=COLOURS[0], label="P(u)")
    axes.plot(*curve(example.bound, span), color="black", linestyle="--", label="bound exp(t·ε)·P(u′) + δ")
    excesses = curve(example.excess, span)
    below.plot(*excesses, color=COLOURS[0])
    below.axhline(0, color="black", linewidth=1)
    last = as_float(span.high)
    for number, (a, b) in enumerate(regions):
        left, right = (
            max(as_float(a or fmpq(0)), as_float(span.low)),
            last if b is None else min(as_float(b), last),
        )
        if left < right:
            for one in (axes, below):
                one.axvspan(left, right, color=BROKEN, alpha=0.13, linewidth=0)
            axes.fill_between([], [], color=BROKEN, alpha=0.13, label="claim broken" if not number else None)
    axes.plot(
        [as_float(example.epsilon)],
        [value_of(example.probability, example.epsilon)],
        "o",
        color=BROKEN,
        label=f"counterexample at ε = {example.epsilon}",
    )
    _zoom(axes, example, span)
    budget_axis(below, span)
    below.set_ylabel("excess")
    highest = max((y for y in excesses[1] if y > 0), default=0.0)
    if highest:  # what is far below 0 must not flatten it
        below.set_ylim(-highest, 1.25 * highest)
    finish(figure, axes, title or _pair(example), "probability")
    return figure


def _pair(example: Counterexample) -> str:
    outputs = " or ".join(map(show_valuation, example.outputs))
    whole = f"u: {show_valuation(example.input)}   u′: {show_valuation(example.neighbour)}"
    return f"{whole}\n{outputs if len(outputs) < 80 else f'{len(example.outputs)} outputs'}"


def _zoom(axes: Axes, example: Counterexample, span: Range) -> None:
    """A bound far above 1 must not flatten the rest."""
    _, heights = curve(example.bound, span)
    finite = [y for y in heights if isfinite(y)]
    if finite and max(finite) > 1.05:
        axes.set_ylim(-0.03, 1.1)


def _end(text: str) -> fmpq | None:
    return None if text == "inf" else rational(text, "an end")


# --- sampling --------------------------------------------------------------------------------


def curve(f: FunctionOfEps, span: Range) -> tuple[list[float], list[float]]:
    """Points of the function, more of them where it bends."""
    return sampled(lambda eps: value_of(f, eps), span)


def sampled(read: Callable[[fmpq], float], span: Range) -> tuple[list[float], list[float]]:
    """Points of what is read at each budget, more of them where it bends."""
    shares = [i / START for i in range(START + 1)]
    known = {share: read(fmpq_of(span.point(share))) for share in shares}
    finite = [y for y in known.values() if isfinite(y)]
    height = max(finite) - min(finite) if finite else 0.0
    pending = [(a, b, 0) for a, b in pairwise(shares)]
    while pending and height:
        a, b, depth = pending.pop()
        middle = (a + b) / 2
        known[middle] = read(fmpq_of(span.point(middle)))
        straight = abs(known[middle] - (known[a] + known[b]) / 2) <= BENT * height
        if not straight and depth < DEPTH:
            pending += [(a, middle, depth + 1), (middle, b, depth + 1)]
    ordered = sorted(known)
    return [span.point(share) for share in ordered], [known[share] for share in ordered]


def value_of(f: FunctionOfEps, eps: fmpq) -> float:
    """The value at a budget as a float; nan where it is not finite."""
    for precision in PRECISIONS:
        with ctx.workprec(precision):
            ball = f.enclose(arb(eps))
            if ball.is_finite() and (ball.rel_accuracy_bits() > 24 or _tiny(ball)):
                return float(ball.mid())
    try:
        return float(f.at(eps))
    except (InputError, OverflowError):
        return nan


def _tiny(ball: arb) -> bool:
    return bool(abs(ball) < arb(2) ** -60)


def fmpq_of(value: float) -> fmpq:
    """The rational number that a float is."""
    exact = Fraction(value)
    return fmpq(exact.numerator, exact.denominator)


def as_float(value: fmpq) -> float:
    return int(value.p) / int(value.q)


# --- figures ---------------------------------------------------------------------------------


def empty_figure(size: tuple[float, float]) -> Figure:
    """A figure to be filled within ``matplotlib.rc_context(STYLE)``."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingPackage("plots need matplotlib", hint="pip install matplotlib") from None

    class Shown(Figure):
        """A figure that a notebook shows, whatever its backend is."""

        def _repr_png_(self) -> bytes:
            data = BytesIO()
            self.savefig(data, format="png")
            return data.getvalue()

    with matplotlib.rc_context(STYLE):
        return Shown(figsize=size, layout="constrained", dpi=110)


def _figure(size: tuple[float, float], rows: int) -> tuple[Figure, list[Axes]]:
    """An empty figure with panels above each other on one budget axis."""
    figure = empty_figure(size)
    import matplotlib

    with matplotlib.rc_context(STYLE):
        ratios = (3, *[1.4] * (rows - 1))
        axes = figure.subplots(rows, 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": ratios})
    return figure, [row[0] for row in axes]


def finish(figure: Figure, axes: Axes, title: str, label: str) -> None:
    import matplotlib

    with matplotlib.rc_context(STYLE):
        axes.set_ylabel(label)
        if title:
            axes.set_title(title, loc="left")
        handles, names = axes.get_legend_handles_labels()
        if any(names):
            longest = max(map(len, names))
            outside = len(names) > 4 or longest > 40
            if outside:
                columns = 1 if longest > 40 else 3
                figure.legend(handles, names, loc="outside lower center", ncols=columns)
            else:
                axes.legend()


def budget_axis(axes: Axes, span: Range) -> None:
    axes.set_xlabel("privacy budget ε")
    if span.log:
        from matplotlib.ticker import FuncFormatter, NullFormatter

        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlim(as_float(span.low), as_float(span.high))


def _looks() -> Iterator[tuple[str, str]]:
    """A colour with a line style, both new each time: 28 pairs, and readable without colours too."""
    return zip(cycle(COLOURS), cycle(LINES), strict=False)


def _named(functions: Functions) -> dict[str, FunctionOfEps]:
    match functions:
        case FunctionOfEps():
            return {"": functions}
        case Mapping():
            named = {_output_name(name): f for name, f in functions.items()}
        case _:
            named = {f"f{number}": f for number, f in enumerate(functions, 1)}
    if not named:
        raise InputError("there is no function to plot")
    return named


def _output_name(output: Any) -> str:
    return output if isinstance(output, str) else show_valuation(output)


def _legend(name: str, f: FunctionOfEps) -> str:
    """The name with the exact function, if that is short enough to be read."""
    if len(str(f)) > LONGEST:
        return name
    formula = f"${f.latex()}$".replace(r"\tfrac", r"\frac")
    return f"{name}:  {formula}" if name else formula


# --- methods ---------------------------------------------------------------------------------


def _of_function(f: FunctionOfEps, low: Any = None, high: Any = None, **options: Any) -> Figure:
    return plot_functions(f, low, high, **options)


for _kind in (ExpPoly, Quotient, Surd):
    views.plot.register(_kind, _of_function)
for _found in (Counterexample, Violated):
    views.plot.register(_found, plot_region)


@views.plot.register(Distribution)
def _of_distribution(law: Distribution, low: Any = None, high: Any = None, **options: Any) -> Figure:
    named = {show_valuation(output): p for output, p in law.items()}
    return plot_functions(named, low, high, **{"label": "probability", **options})


@views.plot.register(Verdict)
def _of_verdict(verdict: Verdict, low: Any = None, high: Any = None, **options: Any) -> Figure:
    article = "an" if verdict.status[0] in "aeiou" else "a"
    raise InputError(
        f"{article} {verdict.status} verdict has no counterexample to plot",
        hint="plot the mechanism: m.plot(), or one distribution: m.distribution(...).plot()",
    )
