"""Pictures of boxes and arrows: in the language of Graphviz, and as SVG.

Graphviz places the boxes where it is installed.  Else they stand in rows, the topological generations once
the arrows that close a cycle are turned round, with a row for labels below each.  An arrow passes every row
on its way through a place of its own, its label being the first.  The type is monospaced, so that the width
of a text is known.
"""

from __future__ import annotations

import shutil
import subprocess
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import inf
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from dipc.errors import InputError

if TYPE_CHECKING:
    import networkx

SMALL = 100  # boxes that are drawn without Graphviz
LARGE = 1000  # more is unreadable
PATIENCE = 60  # seconds for Graphviz

COLOUR = "#c01c28"
FONT = 'fontname="monospace", fontsize=11'
FOOT = 100  # signs in a line at the foot of a DOT file
SIGN, LINE = 6.7, 15.0  # the width of a sign and the height of a line
MARGIN, PADDING = 16.0, 7.0
GAP, BETWEEN = 22.0, 17.0  # between boxes, and between rows
BEND = 20.0  # how far a loop, or a dashed line, leaves its box
SWEEPS = 20  # over the rows, to reduce crossings

STYLE = {
    "text": "font: 11px 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #111; white-space: pre",
    "rect": "fill: #fff; stroke: #111",
    "path": "fill: none; stroke: #444",
    "path.tip": "fill: #444; stroke: none",
    "rect.plain": "stroke: none",
    "path.pair": "stroke-dasharray: 5 4; stroke: #777",
    "path.on": f"stroke: {COLOUR}; stroke-width: 2",
    "rect.on": f"stroke: {COLOUR}; stroke-width: 2",
    "text.on": f"fill: {COLOUR}",
}
TIP = (
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" '
    'markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
    '<path class="tip" d="M 0 0 L 8 4 L 0 8 z"/></marker></defs>'
)


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


# --- rows --------------------------------------------------------------------------------------------

Place = int | tuple[int, int]  # a box, or where an arrow passes a row


class Frame(NamedTuple):
    """A place in the drawing; ``floor`` is the lower end of its row."""

    left: float
    top: float
    width: float
    height: float
    floor: float = 0.0

    @property
    def middle(self) -> float:
        return self.left + self.width / 2

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height

    def within(self, x: float, y: float = 0.0) -> Frame:
        """The frame without a border."""
        return Frame(self.left + x, self.top + y, self.width - 2 * x, self.height - 2 * y, self.floor)


def by_rows(content: Drawing) -> str:
    """The picture without Graphviz."""
    ways = _ways(content)
    places = _places(content, ways)
    frames = places | {s: places[s].within(_beside(content, s)) for s in content.boxes}
    left, bottom = min(f.left for f in places.values()), max(f.floor for f in places.values())
    span = max(f.right for f in places.values()) - left
    foot = content.below(max(80, int(span / SIGN)))
    width = max([span, *(SIGN * len(line) for line in foot)]) + 2 * MARGIN
    height = bottom + (len(foot) + 1) * LINE + 2 * MARGIN
    whole = Frame(left - MARGIN, -MARGIN, width, height)
    scoped = " ".join(f"svg.boxes {selector} {{ {rule} }}" for selector, rule in STYLE.items())
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{_numbers(*whole[:4])}" width="{width:.1f}" '
        f'height="{height:.1f}" class="boxes" role="img"><title>{escape("; ".join(content.heading))}</title>'
        f"<style>{scoped}</style>{TIP}{_rectangle(whole, 'plain')}"
    ]
    parts += [_pair(frames[s], frames[t]) for s, t in content.pairs if s in frames and t in frames]
    for arrow, way in zip(content.arrows, ways, strict=True):
        tip = "end" if way[0] == arrow.source else "start"
        path = _curve([frames[place] for place in way]) if len(way) > 1 else _loop(frames[way[0]])
        parts.append(_path(path, _class(arrow.marked), f' marker-{tip}="url(#tip)"'))
    for number, box in content.boxes.items():
        parts += _box(box, frames[number])
    for arrow, way in zip(content.arrows, ways, strict=True):
        if arrow.label:
            place = frames[way[1]] if len(way) > 1 else _label_of_loop(arrow, frames[way[0]])
            parts += [_rectangle(place, "plain"), *_texts(arrow.lines, place, arrow.marked)]
    parts += [_text(line, left, bottom + n * LINE, anchor="start") for n, line in enumerate(foot, start=2)]
    return "".join([*parts, "</svg>\n"])


def _ways(content: Drawing) -> list[list[Place]]:
    """The places of every arrow from the top: a box, one in each row that it passes, a box; one of a loop."""
    import networkx

    graph = networkx.DiGraph((arrow.source, arrow.target) for arrow in content.arrows)
    graph.add_nodes_from(content.boxes)
    order = {box: -i for i, box in enumerate(networkx.dfs_postorder_nodes(graph))}
    downwards = networkx.DiGraph(
        sorted(edge, key=order.__getitem__) for edge in graph.edges if len({*edge}) > 1
    )
    downwards.add_nodes_from(content.boxes)
    generations = networkx.topological_generations(downwards)
    row = {box: 2 * i for i, generation in enumerate(generations) for box in generation}
    ways: list[list[Place]] = []
    for number, arrow in enumerate(content.arrows):
        top, bottom = sorted((arrow.source, arrow.target), key=row.__getitem__)
        passed = ((number, i) for i in range(row[top] + 1, row[bottom]))
        ways.append([top, *passed, bottom] if top != bottom else [top])
    return ways


def _places(content: Drawing, ways: list[list[Place]]) -> dict[Place, Frame]:
    """The places in rows, each near to those that it is joined to; boxes with the space for their loops."""
    import networkx

    graph = networkx.DiGraph(pair for way in ways for pair in pairwise(way))
    graph.add_nodes_from(content.boxes)
    sizes: dict[Place, tuple[float, float]] = dict.fromkeys(graph, (0.0, 0.0))
    for number, box in content.boxes.items():
        width = _width(box.lines) + 2 * PADDING + 2 * _beside(content, number)
        sizes[number] = width, len(box.lines) * LINE + 2 * PADDING
    for arrow, way in zip(content.arrows, ways, strict=True):
        if len(way) > 1:
            sizes[way[1]] = _width(arrow.lines) + 4, max(1, len(arrow.lines)) * LINE
    first = {place: i for i, place in enumerate(networkx.dfs_preorder_nodes(graph))}
    rows = [sorted(row, key=first.__getitem__) for row in networkx.topological_generations(graph)]
    middle = _middles(rows, graph, sizes)
    frames, top = {}, 0.0
    for row in rows:
        floor = top + max(sizes[p][1] for p in row)
        for p in row:
            width, height = sizes[p]
            frames[p] = Frame(middle[p] - width / 2, top, width, height, floor)
        top = floor + BETWEEN
    return frames


def _middles(
    rows: list[list[Place]], graph: networkx.DiGraph, sizes: dict[Place, tuple[float, float]]
) -> dict[Place, float]:
    """Sort each row by where its places would like to be, and move them apart."""
    middle = dict.fromkeys(graph, 0.0)
    for sweep in range(SWEEPS):
        joined, order = (graph.succ, rows[::-1]) if sweep % 2 else (graph.pred, rows)
        for row in order:
            wished = {p: fmean([middle[q] for q in joined[p]] or [middle[p]]) for p in row}
            row.sort(key=wished.__getitem__)
            end = -inf
            for p in row:
                half = sizes[p][0] / 2
                middle[p] = max(wished[p], end + GAP + half)
                end = middle[p] + half
            shift = fmean(wished[p] - middle[p] for p in row)
            middle |= {p: middle[p] + shift for p in row}
    return middle


def _width(lines: Sequence[str]) -> float:
    return max(map(len, lines), default=0) * SIGN


def _beside(content: Drawing, number: int) -> float:
    """The space on each side of a box for its loops and their labels."""
    loops = [a for a in content.arrows if a.source == a.target == number]
    return max((BEND + _width(a.lines) for a in loops), default=0.0)


# --- elements ----------------------------------------------------------------------------------------


def _numbers(*values: float) -> str:
    return " ".join(f"{value:.1f}" for value in values)


def _class(marked: bool) -> str:
    return "on" if marked else ""


def _rectangle(place: Frame, kind: str, round: float = 0) -> str:
    x, y, width, height, _ = place
    more = f' rx="{round:g}"' * bool(round) + f' class="{kind}"' * bool(kind)
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"{more}/>'


def _text(text: str, x: float, y: float, kind: str = "", anchor: str = "middle") -> str:
    more = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(text)}</text>'


def _texts(lines: Sequence[str], place: Frame, marked: bool) -> Iterator[str]:
    """Lines in the middle of a place, from its top."""
    for number, line in enumerate(lines, start=1):
        yield _text(line, place.middle, place.top + number * LINE - LINE / 4, _class(marked))


def _path(path: str, kind: str, more: str = "") -> str:
    shown = f' class="{kind}"' if kind else ""
    return f'<path d="{path}"{shown}{more}/>'


def _box(box: Box, place: Frame) -> Iterator[str]:
    """A frame, double for a final state, and the lines in it."""
    yield _rectangle(place, _class(box.marked), PADDING)
    if box.final:
        yield _rectangle(place.within(2.5, 2.5), _class(box.marked), PADDING - 2)
    yield from _texts(box.lines, place.within(0, PADDING), box.marked)


def _curve(way: list[Frame]) -> str:
    """Straight through its places, smooth from row to row."""
    path = f"M {_numbers(way[0].middle, way[0].bottom)}"
    for place, after in pairwise(way):
        half = (place.floor + after.top) / 2
        curve = _numbers(place.middle, half, after.middle, half, after.middle, after.top)
        path += f" V {place.floor:.1f} C {curve}"
    return path


def _loop(box: Frame) -> str:
    """A bow on the right of a box."""
    x, third = box.right, box.height / 3
    far, high, low = x + BEND, box.top + third, box.bottom - third
    return f"M {_numbers(x, high)} C {_numbers(far, high, far, low, x, low)}"


def _label_of_loop(arrow: Arrow, box: Frame) -> Frame:
    height = len(arrow.lines) * LINE
    return Frame(box.right + BEND, box.top + (box.height - height) / 2, _width(arrow.lines), height)


def _pair(a: Frame, b: Frame) -> str:
    """A dashed line: above the boxes of one row, else from middle to middle."""
    if a.top != b.top:
        start, end = ((f.middle, f.top + f.height / 2) for f in (a, b))
        return _path(f"M {_numbers(*start)} L {_numbers(*end)}", "pair")
    high = a.top - BEND
    bow = _numbers(a.middle, high, b.middle, high, b.middle, b.top)
    return _path(f"M {_numbers(a.middle, a.top)} C {bow}", "pair")
