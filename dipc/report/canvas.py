"""A figure is data: panels with curves, bars, bands and maps between two axes; :func:`sheet` draws them.

matplotlib is needed (``pip install '.[report]'``) and imported here only.  Figures are made without pyplot:
nothing global changes, and a notebook shows what is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from math import ceil, inf, nan
from typing import TYPE_CHECKING, Any, assert_never

from flint import fmpq

from dipc.claims.regions import Region, region_words
from dipc.errors import InputError
from dipc.report.sampling import Range, sampled
from dipc.report.words import nice

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Size = tuple[float, float]  # in inches
Look = Mapping[str, Any]  # of a line or a bar, in matplotlib's words
Matrix = Sequence[Sequence[float]]

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's colours, which people with any kind of colour vision can tell apart."""
LINES = ("-", "--", "-.", ":")
HATCHES = ("", "//", "..", "xx")
BROKEN, INFINITE = "#D55E00", "#777777"
SHADE = 0.16
CURVE: Look = {"color": COLOURS[0]}
CLAIM: Look = {"color": "black", "linestyle": "--"}
LEAST: Look = {"color": COLOURS[2], "linestyle": ":"}
ZERO_LINE: Look = {"color": "black", "linewidth": 1}

STYLE: Any = {
    "font.size": 11,
    "axes.titlesize": 12,
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
PANEL = (6.2, 4.6)
LETTERS = 15  # of a legend, to the inch


class MissingPackage(InputError, ImportError):
    """A package that an extra brings is not installed."""


# --- what is drawn -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Line:
    """A curve through points, with crosses at the upper border where it is infinite, or single points."""

    xs: Sequence[float]
    ys: Sequence[float]
    look: Look
    name: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line from border to border, at a height or upright at a place."""

    at: float
    look: Look
    name: str = ""
    upright: bool = False


@dataclass(frozen=True, slots=True)
class Band:
    """An interval of the axis across, shaded as far as it is on the axis; a line where it is one point."""

    low: float
    high: float
    name: str
    colour: str = BROKEN


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars at places on the axis that has names, from ``starts`` (or 0), and texts at their ends."""

    places: Sequence[float]
    lengths: Sequence[float]
    thickness: float
    look: Look
    name: str = ""
    starts: Sequence[float] | float = 0.0
    texts: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Cells:
    """A map: values of the cells between corners, nan for none; hatched where the excess is positive.

    ``excess`` are places, from border to border, and how far the value exceeds the claim there.
    """

    xs: Matrix
    ys: Matrix
    values: Matrix
    excess: tuple[Matrix, Matrix, Matrix] | None
    name: str


Mark = Line | Rule | Band | Bars | Cells


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis says and shows: from ``low`` to ``high`` if chosen, or ``names`` at 0, 1, 2, ..."""

    label: str
    low: float | None = None
    high: float | None = None
    log: bool = False
    whole: bool = False
    names: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Panel:
    """What is between two axes, with its title and what it says in words."""

    kind: str
    title: str
    words: str
    marks: Sequence[Mark] = field(repr=False)
    across: Axis
    up: Axis
    legend_above: bool = False


def eps_axis(span: Range) -> Axis:
    """The axis across, with eps."""
    return Axis("privacy budget ε", *span.ends, span.log)


def curves(named: Iterable[tuple[str, Callable[[fmpq], float]]], span: Range) -> Iterator[Line]:
    """Functions of eps with their names, each with a colour and a kind of line of its own."""
    for number, (name, read) in enumerate(named):
        look = {"color": COLOURS[number % len(COLOURS)], "linestyle": LINES[number % len(LINES)]}
        yield Line(*sampled(read, span), look, name)


def height(marks: Iterable[Mark]) -> float:
    """The greatest finite value of curves that start at 0 or above."""
    return max((y for mark in marks if isinstance(mark, Line) for y in mark.ys if 0 < y < inf), default=0.0)


def broken(region: Region) -> str:
    """``0 < ε < 2.267666061``: ends are exact where they are rational."""
    return nice(region_words(region))


def plain(text: str) -> str:
    """Text in which matplotlib finds no formula: names of programs are not ours."""
    return text.replace("$", r"\$")


def clipped(text: str, most: int) -> str:
    """The beginning of a long text, safe for matplotlib."""
    return plain(text if len(text) <= most else f"{text[: most - 1]}…")


# --- drawing -------------------------------------------------------------------------------------


def sheet(
    panels: Sequence[Panel], heading: str = "", size: Size = PANEL, *, columns: int = 2, titles: bool = True
) -> Figure:
    """The panels in columns, each of this size in inches."""
    columns = min(columns, len(panels))
    rows = ceil(len(panels) / columns)
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

    whole = size[0] * columns, size[1] * rows + (0.4 if heading else 0)
    with matplotlib.rc_context(STYLE):
        figure = Shown(figsize=whole, layout="constrained", dpi=110)
        if heading:
            figure.suptitle(heading, x=0.01, ha="left", fontsize=12, fontweight="bold")
        for number, panel in enumerate(panels, start=1):
            axes = figure.add_subplot(rows, columns, number)
            _draw(panel, axes)
            if titles:
                axes.set_title(panel.title, loc="left")
    return figure


def _draw(panel: Panel, axes: Axes) -> None:
    """Draw a panel."""
    for mark in panel.marks:
        match mark:
            case Line():
                _draw_line(mark, axes)
            case Rule(at, look, name, upright):
                (axes.axvline if upright else axes.axhline)(at, **look, label=name)
            case Band():
                _draw_band(mark, panel.across, axes)
            case Bars():
                _draw_bars(mark, bool(panel.up.names), axes)
            case Cells():
                _draw_cells(mark, axes)
            case _:
                assert_never(mark)
    _draw_axis(panel.across, "x", axes)
    _draw_axis(panel.up, "y", axes)
    _draw_legend(axes, panel.legend_above)


def _draw_line(line: Line, axes: Axes) -> None:
    axes.plot(line.xs, [nan if y == inf else y for y in line.ys], **line.look, label=line.name)
    infinite = [x for x, y in zip(line.xs, line.ys, strict=True) if y == inf]
    if infinite:
        above, top = axes.get_xaxis_transform(), [1.0] * len(infinite)
        axes.plot(infinite, top, "x", transform=above, clip_on=False, color=COLOURS[1], label="infinite")


def _draw_band(band: Band, across: Axis, axes: Axes) -> None:
    assert across.low is not None and across.high is not None
    low, high = max(across.low, band.low), min(across.high, band.high)
    if low < high:
        axes.axvspan(low, high, color=band.colour, alpha=SHADE, linewidth=0, label=band.name)
    elif low == high:
        axes.axvline(low, color=band.colour, alpha=0.6, label=band.name)


def _draw_bars(bars: Bars, flat: bool, axes: Axes) -> None:
    bar: Callable[..., Any] = axes.barh if flat else axes.bar
    start = {"left" if flat else "bottom": bars.starts}
    bar(bars.places, bars.lengths, bars.thickness, **start, **bars.look, label=bars.name)
    for text, length, place in zip(bars.texts, bars.lengths, bars.places, strict=False):
        axes.text(length, place, f" {text}", va="center", ha="left", fontsize=9 if len(bars.texts) < 6 else 8)


def _draw_cells(cells: Cells, axes: Axes) -> None:
    import numpy

    x, y, values = map(numpy.array, (cells.xs, cells.ys, cells.values))
    drawn = axes.pcolormesh(x, y, numpy.ma.masked_invalid(values), cmap="viridis", rasterized=True)
    axes.figure.colorbar(drawn, ax=axes, label=cells.name).outline.set_visible(False)
    axes.grid(visible=False)
    beyond = numpy.isinf(values)
    if beyond.any():
        axes.pcolormesh(x, y, 1.0 - beyond, alpha=1.0 * beyond, cmap="Greys_r", vmin=-1, vmax=1)
        axes.fill([], [], facecolor=INFINITE, label="infinite")
    if cells.excess is not None:
        _draw_excess(*(numpy.array(part) for part in cells.excess), axes=axes)
        if (outside := numpy.isnan(values)).any():  # white where no cell is
            blank = numpy.ma.array(numpy.zeros_like(values), mask=~outside)
            axes.pcolormesh(x, y, blank, cmap="Greys", vmin=0, vmax=1, zorder=2.5, rasterized=True)


def _draw_excess(x: Any, y: Any, excess: Any, *, axes: Axes) -> None:
    """Hatches where the claim does not hold, and a line around them: the excess is linear between places."""
    import numpy

    most = numpy.abs(excess[numpy.isfinite(excess)]).max(initial=1e-9)
    shown = numpy.clip(excess, -most, most)  # so that infinity has a place
    if (shown > 0).any():
        wide = _filled(shown)
        hatched = axes.contourf(x, y, wide, levels=[0, 2 * most], colors="none", hatches=["//"])
        hatched.set(edgecolor="white", linewidth=0)
        if (shown < 0).any():
            axes.contour(x, y, wide, levels=[0], colors="white", linewidths=1.5)
        axes.fill([], [], facecolor="grey", edgecolor="white", hatch="//", label="claim violated")


def _filled(values: Any) -> Any:
    """The values, where there is none the mean of those around; masked where there are none, too."""
    import numpy

    padded, known = numpy.pad(values, 1, constant_values=numpy.nan), ~numpy.isnan(values)
    rows, columns = values.shape
    around = [padded[i : i + rows, j : j + columns] for i in range(3) for j in range(3)]
    total = sum(numpy.nan_to_num(each) for each in around)
    count = sum(1 * ~numpy.isnan(each) for each in around)
    return numpy.ma.array(numpy.where(known, values, total / numpy.maximum(count, 1)), mask=count == 0)


def _draw_axis(axis: Axis, which: Any, axes: Axes) -> None:
    """The label, the scale with plain numbers, the ends and the names of the axis "x" or "y"."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

    drawn, low, high = axes.xaxis if which == "x" else axes.yaxis, axis.low, axis.high
    drawn.set_label_text(axis.label)
    if axis.log:
        axes.set(**{f"{which}scale": "log"})
        drawn.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        drawn.set_minor_formatter(NullFormatter())
    if axis.whole:
        drawn.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    if axis.names:
        turned: Any = (
            {"rotation": 30, "ha": "right"} if which == "x" and sum(map(len, axis.names)) > 60 else {}
        )
        drawn.set_ticks(range(len(axis.names)), axis.names, **turned)
        axes.grid(axis=which, visible=False)
        if which == "y":  # the first at the top
            low, high = len(axis.names) - 0.4, -0.6
    if low is not None or high is not None:
        axes.set(**{f"{which}lim": (low, high)})


def _draw_legend(axes: Axes, above: bool) -> None:
    """A legend below the axes in as many columns as fit, or above them at the right end of the title."""
    named = {name: handle for handle, name in zip(*axes.get_legend_handles_labels(), strict=True) if name}
    if not named:
        return
    width = axes.bbox.width / axes.figure.dpi
    fitting = max(1, min(4, int(LETTERS * width / (max(map(len, named)) + 3))))
    place: Any = {"loc": "upper left", "bbox_to_anchor": (0.0, -0.16), "borderaxespad": 0.0}
    if above:
        place = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0)}
    columns = fitting if above or len(named) > 2 else 1
    axes.legend(named.values(), named, fontsize=10, ncols=columns, **place)
