"""Panels of output distributions: bars at one eps, and probabilities as functions of eps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

from flint import fmpq

from dipc.dipwhile.distribution import Distribution
from dipc.models.values import Valuation, valuation_text
from dipc.numbers.function import FunctionOfEps
from dipc.numbers.quotient import Quotient
from dipc.report.canvas import COLOURS, HATCHES, INFINITE, Panel, clipped, dress, legend, name_of, plain
from dipc.report.curve_panels import View
from dipc.report.sampling import Range, as_float, curve, exact_value_of, value_of
from dipc.report.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BARS, MOST_CURVES = 8, 6
SOLID, DASHED = (7, 0), (4, 2)  # drawn and left out, in widths of the line
ZERO = Quotient.of(0)

LineStyle = str | tuple[int, tuple[int, int]]
Laws = tuple[Distribution, Distribution]


def law_panels(found: Study, view: View) -> Iterator[Panel]:
    """The two distributions at one eps, and as functions of eps."""
    if found.laws is None or found.pair is None:
        return
    names = [
        f"{name}: {clipped(valuation_text(v), 60)}" for name, v in zip(("u", "u′"), found.pair, strict=True)
    ]
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
        axes.set_yticks(range(len(outputs)), [clipped(name_of(output), 30) for output in outputs])
        axes.invert_yaxis()
        axes.set_xlim(0, 1.25 * widest)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel(f"probability at ε = {point}")
        axes.set_ylabel(_variable_of(outputs))
        legend(axes)

    words = f"The probability of each output at ε = {point}, for {' and '.join(names)}."
    title = f"Output distributions at ε = {point}{part_of(total, MOST_BARS)}"
    return Panel("bars", title, words + _shown(total, MOST_BARS), draw)


def _curves_panel(found: Study, laws: Laws, names: Sequence[str], span: Range) -> Panel:
    outputs, total = _shown_outputs(found, laws, MOST_CURVES)
    left, right = laws

    def draw(axes: Axes) -> None:
        colours = dict(zip(outputs, cycle(COLOURS)))
        equal = {output for output in outputs if left.get(output, ZERO) == right.get(output, ZERO)}
        different = [output for output in outputs if output not in equal]
        for law, chosen, pattern in ((left, outputs, SOLID), (right, different, DASHED)):
            for f, together in _equals({o: law.get(o, ZERO) for o in chosen}):
                points = curve(f, span)
                for number, output in enumerate(together):
                    line = in_turns(number, len(together), pattern)
                    axes.plot(*points, color=colours[output], linestyle=line)
        for output, colour in colours.items():  # the names, each with a whole line
            name = clipped(name_of(output), 34) + (" (u and u′)" if output in equal else "")
            axes.plot([], [], color=colour, label=name)
        axes.axvline(as_float(found.point), color=INFINITE, linewidth=1, linestyle=":")
        axes.set_ylim(bottom=0)
        dress(axes, span, "probability (solid: u, dashed: u′)")

    first, second = names
    words = f"The probability of each output as a function of ε, solid for {first}, dashed for {second}."
    title = f"Output distributions for all ε{part_of(total, MOST_CURVES)}"
    return Panel("curves", title, words + _shown(total, MOST_CURVES), draw)


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
        lengths = [0.0 if f is None else exact_value_of(f, point) for f in functions]
        places = [i + (number - (len(groups) - 1) / 2) * thickness for i in range(len(outputs))]
        hatch = HATCHES[number % len(HATCHES)]
        bar(places, lengths, 0.92 * thickness, color=colour, label=name, hatch=hatch, edgecolor="white")
        yield from zip(functions, lengths, places, strict=True)


def part_of(total: int, most: int) -> str:
    """For titles.

    >>> part_of(15, 8), part_of(3, 8)
    (' (8 of 15 outputs)', '')
    """
    return f" ({most} of {total} outputs)" if total > most else ""


def _shown(total: int, most: int) -> str:
    return "" if total <= most else f" Shown are {most} of {total} outputs."


def _equals(functions: Mapping[Valuation, Quotient]) -> Iterator[tuple[Quotient, list[Valuation]]]:
    """The different functions, each with the outputs that have it."""
    for f in dict.fromkeys(functions.values()):
        yield f, [output for output, g in functions.items() if g == f]


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


def _variable_of(outputs: Sequence[Valuation]) -> str:
    return plain(outputs[0][0][0]) if outputs and len(outputs[0]) == 1 else "output"
