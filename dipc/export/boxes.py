"""Pictures of boxes and arrows: in the language of Graphviz, and as SVG.

Graphviz places the boxes where it is installed.  Else they stand in rows, and matplotlib draws them.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any

from dipc.errors import InputError

SMALL = 100  # boxes that are drawn without Graphviz
LARGE = 1000  # more is unreadable
PATIENCE = 60  # seconds for Graphviz

COLOUR = "#c01c28"
FONT = 'fontname="monospace", fontsize=11'
FOOT = 100  # signs in a line at the foot of a DOT file


@dataclass(frozen=True, slots=True)
class Box:
    """A state: its lines; a final one has a double frame, a marked one is in colour."""

    lines: tuple[str, ...]
    final: bool = False
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge between two boxes, by their numbers; its label may have several lines, or be empty."""

    source: int
    target: int
    label: str
    marked: bool = False

    @property
    def lines(self) -> list[str]:
        """Those of the label."""
        return self.label.split("\n") if self.label else []


@dataclass(frozen=True, slots=True)
class Drawing:
    """``heading`` says of what, ``foot`` what is abbreviated; ``pairs`` are joined by dashed lines.

    Graphviz draws from the top, or ``sideways``.
    """

    boxes: Mapping[int, Box]
    arrows: tuple[Arrow, ...]
    pairs: tuple[tuple[int, int], ...] = ()
    heading: tuple[str, ...] = ()
    foot: tuple[str, ...] = ()
    sideways: bool = False

    def below(self, width: int) -> list[str]:
        """The lines below the picture."""
        return [line for text in (*self.heading, *self.foot) for line in _wrapped(text, width)]


class Short:
    """Abbreviates texts of more than so many signs as p1, p2, ..."""

    def __init__(self, most: int) -> None:
        self._most, self._names = most, dict[str, str]()

    def __call__(self, text: str) -> str:
        if len(text) <= self._most:
            return text
        return self._names.setdefault(text, f"p{len(self._names) + 1}")

    def foot(self) -> list[str]:
        """What the names stand for."""
        return [f"{name} = {text}" for text, name in self._names.items()]


def _wrapped(text: str, width: int) -> list[str]:
    whole: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
    return textwrap.wrap(text, width, subsequent_indent="    ", **whole)


# --- Graphviz ----------------------------------------------------------------------------------------


def dot(content: Drawing) -> str:
    """The picture in the language of Graphviz."""
    foot = "".join(f"{_quoted(line)}\\l" for line in content.below(FOOT))
    direction = "LR" if content.sideways else "TB"
    lines = [
        "digraph chain {",
        f'  graph [rankdir={direction}, labeljust=l, {FONT}, label="{foot}"];',
        f"  node [shape=box, style=rounded, {FONT}];",
        f"  edge [{FONT}];",
    ]
    for number, box in content.boxes.items():
        more = ", peripheries=2" if box.final else ""
        more += f', color="{COLOUR}", penwidth=2' if box.marked else ""
        lines.append(f'  s{number} [label="{_joined(box.lines)}"{more}];')
    for arrow in content.arrows:
        label = [f'label=" {_joined(arrow.lines)} "'] if arrow.label else []
        colour = [f'color="{COLOUR}", fontcolor="{COLOUR}", penwidth=2'] if arrow.marked else []
        attributes = f" [{', '.join(label + colour)}]" if label + colour else ""
        lines.append(f"  s{arrow.source} -> s{arrow.target}{attributes};")
    lines += [f"  s{s} -> s{t} [dir=none, style=dashed, constraint=false];" for s, t in content.pairs]
    return "\n".join([*lines, "}"]) + "\n"


def _joined(lines: Iterable[str]) -> str:
    return "\\n".join(map(_quoted, lines))


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def check_size(what: str, states: int) -> None:
    """Raise :class:`InputError` for what is too large to be drawn here."""
    install = "" if shutil.which("dot") else "install Graphviz (its program `dot`), "
    if states <= LARGE and (states <= SMALL or not install):
        return
    most = f"at most {LARGE} can be read" if states > LARGE else f"without Graphviz dipc draws {SMALL}"
    hint = f"{install}choose smaller parameters (for example -D N=2), or export --to dot or drn"
    raise InputError(f"the {what} is too large for a picture: it has {states} states, but {most}", hint=hint)


def svg(content: Drawing) -> str:
    """The picture, an ``<svg>`` element that can be part of an HTML page.

    Raises :class:`InputError` if Graphviz fails.
    """
    if (program := shutil.which("dot")) is None:
        return by_rows(content)
    try:
        run = subprocess.run(
            [program, "-Tsvg"], input=dot(content), capture_output=True, encoding="utf-8", timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"Graphviz needs more than {PATIENCE} seconds", hint="export --to dot") from None
    if run.returncode != 0:
        raise InputError(f"Graphviz could not draw this: {run.stderr.strip()}", hint="export --to dot")
    return run.stdout[run.stdout.index("<svg") :]


# --- without Graphviz --------------------------------------------------------------------------------

INK, SOFT = "#111", "#777"
SIGN, LINE = 0.095, 0.17  # inches: the width of a sign, the height of a line
BETWEEN, ROW = 0.6, 1.1  # between boxes, and between rows
BEND = 0.15  # of an arrow


def by_rows(content: Drawing) -> str:
    """The picture in rows, drawn by matplotlib; states that lead to each other are in one row.

    Raises :class:`InputError` without it.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        hint = "install Graphviz (its program `dot`), or matplotlib: pip install matplotlib"
        raise InputError("a picture needs Graphviz or matplotlib", hint=hint) from None
    wide = max(_width(box.lines) for box in content.boxes.values()) + BETWEEN
    wide += max((_width(arrow.lines) for arrow in content.arrows), default=0)
    high = max(len(box.lines) for box in content.boxes.values()) * LINE + ROW
    rows, foot = rows_of(content), content.below(FOOT)
    width = max(max(map(len, rows)) * wide, _width(foot)) + BETWEEN
    height = len(rows) * high + (len(foot) + 1) * LINE
    places = {
        box: (width / 2 + (i - (len(row) - 1) / 2) * wide, (n + 0.5) * high)
        for n, row in enumerate(rows)
        for i, box in enumerate(row)
    }
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "boxes", "font.family": "monospace"}):
        figure, text = Figure(figsize=(width, height)), StringIO()
        axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
        axes.set_axis_off()
        frames = {number: _framed(axes, box, places[number]) for number, box in content.boxes.items()}
        figure.draw_without_rendering()  # only then the frames have their sizes
        for arrow in content.arrows:
            if arrow.source == arrow.target:
                height_of_box = (len(content.boxes[arrow.source].lines) + 1) * LINE
                _looped(axes, arrow, places[arrow.source], height_of_box / 2)
            else:
                _joining(axes, arrow, places, frames)
        for ends in ((places[s], places[t]) for s, t in content.pairs if {s, t} <= places.keys()):
            axes.plot(*zip(*ends, strict=True), color=SOFT, linestyle="dashed", zorder=0)
        axes.text(BETWEEN / 2, len(rows) * high, "\n".join(foot), size=7, va="top", color=INK)
        figure.savefig(text, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    drawn = text.getvalue()
    return re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", drawn[drawn.index("<svg") :], flags=re.S)


def _framed(axes: Any, box: Box, place: tuple[float, float]) -> Any:
    """Draw a box; its frame, where arrows end."""
    colour = COLOUR if box.marked else INK
    frame: dict[str, Any] = {"fc": "white", "ec": colour}
    style: dict[str, Any] = {"size": 8, "ha": "center", "va": "center", "color": colour}
    drawn = [
        axes.text(*place, "\n".join(box.lines), bbox={"boxstyle": f"round,pad={pad}", **frame}, **style)
        for pad in ((0.6, 0.4) if box.final else (0.4,))
    ]
    return drawn[0].get_bbox_patch()


def _joining(axes: Any, arrow: Arrow, places: Mapping[int, Any], frames: Mapping[int, Any]) -> None:
    """Draw an arrow from one box to another, with its label in the middle of the arc."""
    (x, y), (u, v) = places[arrow.source], places[arrow.target]
    ends = {"patchA": frames[arrow.source], "patchB": frames[arrow.target]}
    _pointed(axes, arrow, ((x, y), (u, v)), {"connectionstyle": f"arc3,rad={BEND}", **ends})
    _labelled(axes, arrow, ((x + u - (v - y) * BEND) / 2, (y + v + (u - x) * BEND) / 2))


def _looped(axes: Any, arrow: Arrow, place: tuple[float, float], above: float) -> None:
    """Draw an arrow from a box to itself, above it, with its label on top."""
    x, y = place[0], place[1] - above
    _pointed(axes, arrow, ((x - 2 * SIGN, y), (x + 2 * SIGN, y)), {"connectionstyle": "arc3,rad=-1"})
    _labelled(axes, arrow, (x, y - (len(arrow.lines) + 2) * LINE / 2))


def _pointed(axes: Any, arrow: Arrow, ends: tuple[Any, Any], arc: Mapping[str, Any]) -> None:
    colour = COLOUR if arrow.marked else SOFT
    axes.annotate("", ends[1], ends[0], arrowprops={"arrowstyle": "-|>", "color": colour, **arc})


def _labelled(axes: Any, arrow: Arrow, place: tuple[float, float]) -> None:
    if arrow.label:
        colour = COLOUR if arrow.marked else SOFT
        around = {"boxstyle": "square,pad=0.1", "fc": "white", "ec": "none"}
        axes.text(*place, arrow.label, size=7, ha="center", va="center", color=colour, bbox=around)


def _width(lines: Sequence[str]) -> float:
    return max(map(len, lines), default=0) * SIGN


def rows_of(content: Drawing) -> list[list[int]]:
    """The boxes in rows, each below those that lead to it only."""
    import networkx

    graph = networkx.DiGraph((arrow.source, arrow.target) for arrow in content.arrows)
    graph.add_nodes_from(content.boxes)
    parts = networkx.condensation(graph)
    return [
        sorted(box for part in generation for box in parts.nodes[part]["members"])
        for generation in networkx.topological_generations(parts)
    ]
