"""How figures look, and how they are put together from panels.

matplotlib is needed (``pip install '.[report]'``) and imported here only.  Figures are made without pyplot:
nothing global changes, and a notebook shows what is returned.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dipc.claims.regions import Region, region_words
from dipc.errors import InputError
from dipc.files import write_file
from dipc.report.sampling import Range
from dipc.report.words import nice

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

Size = tuple[float, float]  # in inches

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's colours, which people with any kind of colour vision can tell apart."""
LINES = ("-", "--", "-.", ":")
HATCHES = ("", "//", "..", "xx")
BROKEN, INFINITE = "#D55E00", "#777777"
SHADE = 0.16
CLAIM: Any = {"color": "black", "linestyle": "--"}
LEAST: Any = {"color": COLOURS[2], "linestyle": ":"}

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


@dataclass(frozen=True, slots=True)
class Panel:
    """A drawing on one pair of axes, with its title and what it says in words."""

    kind: str
    title: str
    words: str
    draw: Callable[[Axes], None]


def sheet(
    panels: Sequence[Panel], heading: str = "", size: Size = PANEL, *, columns: int = 2, titles: bool = True
) -> Figure:
    """The panels in columns, each of this size in inches; with titles if there is a heading."""
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

        def savefig(self, fname: Any, **options: Any) -> None:
            """As Figure.savefig, but a file is written in one piece."""
            if isinstance(fname, str | os.PathLike):
                save_in_one_piece(super().savefig, Path(fname), **options)
            else:
                super().savefig(fname, **options)

    whole = size[0] * columns, size[1] * rows + (0.4 if heading else 0)
    with matplotlib.rc_context(STYLE):
        figure = Shown(figsize=whole, layout="constrained", dpi=110)
        if heading:
            figure.suptitle(plain(heading), x=0.01, ha="left", fontsize=12, fontweight="bold")
        for number, panel in enumerate(panels, start=1):
            axes = figure.add_subplot(rows, columns, number)
            panel.draw(axes)
            if titles and heading:
                axes.set_title(plain(panel.title), loc="left")
    return figure


def save_in_one_piece(
    save: Callable[..., None], path: Path, *, format: str | None = None, **options: Any
) -> None:
    """Write what ``save``, a figure's ``savefig``, draws; the format follows the name if it is not given."""
    from matplotlib import rcParams

    if format is None:
        path = path if path.suffix else path.with_suffix(f".{rcParams['savefig.format']}")
    data = BytesIO()
    save(data, format=format or path.suffix[1:], **options)
    write_file(path, data.getvalue())


def single(draw: Callable[[Axes], None], title: str = "", size: Size = PANEL) -> Figure:
    """A figure with one pair of axes and its title."""

    def titled(axes: Axes) -> None:
        draw(axes)
        axes.set_title(title, loc="left")

    return sheet([Panel("", "", "", titled)], size=size)


def dress(axes: Axes, span: Range, label: str) -> None:
    """The names of the axes, eps across, and a legend."""
    axes.set_ylabel(label)
    axes.set_xlabel("privacy budget ε")
    if span.log:
        logarithmic(axes.xaxis, axes.set_xscale)
    axes.set_xlim(*span.ends)
    legend(axes)


def logarithmic(axis: Axis, scale: Callable[[str], None]) -> None:
    """Give an axis a logarithmic scale with plain numbers."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    scale("log")
    axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axis.set_minor_formatter(NullFormatter())


def legend(axes: Axes, above: bool = False) -> None:
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


def shade(axes: Axes, span: Range, regions: Iterable[tuple[float, float, str]], colour: str = BROKEN) -> None:
    """Colour intervals of eps, each with its words, as far as they are on the axis."""
    first, last = span.ends
    for start, end, label in regions:
        low, high = max(first, start), min(last, end)
        if low < high:
            axes.axvspan(low, high, color=colour, alpha=SHADE, linewidth=0, label=label)
        elif low == high:
            axes.axvline(low, color=colour, alpha=0.6, label=label)


def broken(region: Region) -> str:
    """``0 < ε < 2.267666061``: ends are exact where they are rational."""
    return nice(region_words(region))


def plain(text: str) -> str:
    """Text in which matplotlib finds no formula: names of programs are not ours."""
    return text.replace("$", r"\$")


def clipped(text: str, most: int) -> str:
    """The beginning of a long text, safe for matplotlib."""
    return plain(text if len(text) <= most else f"{text[: most - 1]}…")
