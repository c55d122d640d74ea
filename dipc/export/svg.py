"""SVG: the drawing of the chain, by Graphviz where it is installed.

Without Graphviz small chains are drawn here: boxes in rows from top to bottom, the topological generations,
with a row for labels below each.  An arrow passes every row on its way through a place of its own, its label
being the first.  The type is monospaced, so that the width of a text is known.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from html import escape
from itertools import pairwise
from math import inf
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from dipc.errors import InputError
from dipc.export.drawing import Box, Drawing, dot, drawing, wrapped
from dipc.export.questions import Picture

if TYPE_CHECKING:
    import networkx

SMALL = 100  # states that are drawn without Graphviz
LARGE = 1000  # more is unreadable
PATIENCE = 60  # seconds for Graphviz

SIGN, LINE = 6.7, 15.0  # the width of a sign and the height of a line
MARGIN, PADDING = 16.0, 7.0
GAP, BETWEEN = 22.0, 17.0  # between boxes, and between rows
TIP = 6.0
SWEEPS = 20  # over the rows, to reduce crossings

Place = int | tuple[int, int]  # a box, or where an arrow passes a row

STYLE = {
    "text": "font: 11px 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #111; white-space: pre",
    "rect": "fill: #fff; stroke: #111",
    "path": "fill: none; stroke: #444",
    "path.tip": "fill: #444",
    "rect.plain": "stroke: none",
}


def style_of(drawing: str, rules: Mapping[str, str]) -> str:
    """A ``<style>`` element for the drawings of a class: other drawings on the same page keep their own."""
    scoped = " ".join(f"svg.{drawing} {selector} {{ {rule} }}" for selector, rule in rules.items())
    return f"<style>{scoped}</style>"


def svg(picture: Picture) -> str:
    """The drawing, an ``<svg>`` element that can be part of an HTML page.

    Raises :class:`InputError` for a chain that is too large to be drawn.
    """
    states = len(picture.chain)
    if states > LARGE:
        raise _too_large(f"a drawing of its {states} states could not be read")
    program = shutil.which("dot")
    if program is not None:
        return _by_graphviz(program, picture)
    if states > SMALL:
        why = f"it has {states} states; without Graphviz dipc draws at most {SMALL}"
        raise _too_large(why, "install Graphviz (its program `dot`), ")
    return by_layers(drawing(picture))


def _too_large(why: str, way: str = "") -> InputError:
    hint = f"{way}choose smaller parameters (for example -D N=2), or export --to dot or drn"
    return InputError(f"the chain is too large for a drawing: {why}", hint=hint)


def _by_graphviz(program: str, picture: Picture) -> str:
    try:
        run = subprocess.run(
            [program, "-Tsvg"], input=dot(picture), capture_output=True, encoding="utf-8", timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        raise _too_large(f"Graphviz needs more than {PATIENCE} seconds") from None
    if run.returncode != 0:
        message = f"Graphviz could not draw the chain: {run.stderr.strip()}"
        raise InputError(message, hint="fix it, or export --to dot")
    return run.stdout[run.stdout.index("<svg") :]


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
    def bottom(self) -> float:
        return self.top + self.height


def by_layers(content: Drawing) -> str:
    """The drawing with a layout of our own."""
    ways = _ways(content)
    frames = _frames(content, ways)
    left = min(f.left for f in frames.values())
    span = max(f.left + f.width for f in frames.values()) - left
    texts = (*content.heading, *content.foot)
    foot = [line for text in texts for line in wrapped(text, max(80, int(span / SIGN)))]
    bottom = max(f.floor for f in frames.values())
    width = max(span, SIGN * max(map(len, foot))) + 2 * MARGIN
    whole = Frame(left - MARGIN, -MARGIN, width, bottom + (len(foot) + 1) * LINE + 2 * MARGIN)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{_numbers(*whole[:4])}" width="{width:.1f}" '
        f'height="{whole.height:.1f}" class="chain" role="img">'
        f"<title>{escape('; '.join(content.heading))}</title>"
        f"{style_of('chain', STYLE)}{_rectangle(whole, PLAIN)}"
    ]
    parts += [_curve([frames[place] for place in way]) for way in ways]
    for number, box in enumerate(content.boxes):
        parts += _box(box, frames[number])
    for arrow, way in zip(content.arrows, ways, strict=True):
        if arrow.label:
            place = frames[way[1]]
            parts += [_rectangle(place, PLAIN), _text(arrow.label, place.middle, place.bottom - LINE / 4)]
    parts += [_text(line, left, bottom + n * LINE, "start") for n, line in enumerate(foot, start=2)]
    return "".join([*parts, "</svg>\n"])


def _ways(content: Drawing) -> list[list[Place]]:
    """The places of every arrow: its source, one in each row that it passes, its target."""
    import networkx

    graph = networkx.DiGraph((arrow.source, arrow.target) for arrow in content.arrows)
    graph.add_nodes_from(range(len(content.boxes)))
    generations = networkx.topological_generations(graph)
    row = {box: 2 * i for i, generation in enumerate(generations) for box in generation}
    ways: list[list[Place]] = []
    for number, arrow in enumerate(content.arrows):
        passed = range(row[arrow.source] + 1, row[arrow.target])
        ways.append([arrow.source, *((number, i) for i in passed), arrow.target])
    return ways


def _frames(content: Drawing, ways: list[list[Place]]) -> dict[Place, Frame]:
    """The places in rows, each near to those that it is joined to."""
    import networkx

    graph = networkx.DiGraph(pair for way in ways for pair in pairwise(way))
    graph.add_nodes_from(range(len(content.boxes)))
    sizes: dict[Place, tuple[float, float]] = dict.fromkeys(graph, (0.0, 0.0))
    for number, box in enumerate(content.boxes):
        width = max(map(len, box.lines)) * SIGN + 2 * PADDING
        sizes[number] = width, len(box.lines) * LINE + 2 * PADDING
    for arrow, way in zip(content.arrows, ways, strict=True):
        sizes[way[1]] = len(arrow.label) * SIGN + 4, LINE
    first = {place: i for i, place in enumerate(networkx.dfs_preorder_nodes(graph, 0))}
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


PLAIN = 'class="plain"'


def _numbers(*values: float) -> str:
    return " ".join(f"{value:.1f}" for value in values)


def _rectangle(place: Frame, more: str) -> str:
    x, y, width, height, _ = place
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" {more}/>'


def _text(text: str, x: float, y: float, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _box(box: Box, place: Frame) -> Iterator[str]:
    """A frame, double for a final state, and the lines in it."""
    yield _rectangle(place, f'rx="{PADDING}"')
    if box.final:
        inner = Frame(place.left + 2.5, place.top + 2.5, place.width - 5, place.height - 5)
        yield _rectangle(inner, f'rx="{PADDING - 2}"')
    for number, line in enumerate(box.lines, start=1):
        yield _text(line, place.middle, place.top + PADDING + number * LINE - LINE / 4)


def _curve(way: list[Frame]) -> str:
    """An arrow with its tip: straight through its places, smooth from row to row."""
    path = f"M {_numbers(way[0].middle, way[0].bottom)}"
    for place, after in pairwise(way):
        end = after.top - (TIP if after is way[-1] else 0)
        half = (place.floor + end) / 2
        curve = _numbers(place.middle, half, after.middle, half, after.middle, end)
        path += f" V {place.floor:.1f} C {curve}"
    tip = f"M {_numbers(way[-1].middle, way[-1].top)} l {_numbers(-TIP / 2, -TIP)} h {TIP} z"
    return f'<path d="{path}"/><path class="tip" d="{tip}"/>'
