"""Pictures of Markov models: states with their labels, probabilities, and neighbours by dashed lines.

Of a violated formula the witness is in colour: the state and its neighbour, and the way from both that the
word of actions takes; without actions, a shortest way to a state that the formula names.  Final states have a
double frame; the state ``†`` behind them is not drawn.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain
from statistics import fmean
from typing import NamedTuple

from dipc.claims.wording import pretty
from dipc.dpctl.formula import Proposition, Query, parts
from dipc.dpctl.syntax import parse_property
from dipc.dpctl.verdict import Witness
from dipc.errors import InputError, Source
from dipc.export.markov import Numbers, choices_of, dpm, drn, goes_to_dead, labels_by_state, prism
from dipc.export.operators import EXACT
from dipc.export.svg import style_of
from dipc.models.chain import DEAD, Model

SMALL = 100  # states that are drawn without Graphviz
LARGE = 1000  # more is unreadable
PATIENCE = 60  # seconds for Graphviz
LONG = 14  # signs of a probability on an arrow
COLOUR = "#c01c28"
FONT = 'fontname="monospace", fontsize=11'


class Edge(NamedTuple):
    """An arrow; ``marked`` if the witness uses it."""

    source: int
    target: int
    label: str
    marked: bool


@dataclass(frozen=True, slots=True)
class Drawing:
    """What is drawn, in any format; ``boxes`` are the lines of each state, ``foot`` abbreviations."""

    boxes: dict[int, tuple[str, ...]]
    final: frozenset[int]
    marked: frozenset[int]
    edges: tuple[Edge, ...]
    pairs: tuple[tuple[int, int], ...]
    foot: tuple[str, ...]


# --- what is shown -----------------------------------------------------------------------------------


def drawing(model: Model, witness: Witness | None = None) -> Drawing:
    """The content of the picture of a model."""
    visible = [s for s, name in enumerate(model.names) if name != DEAD or not _only_final(model, s)]
    final = {s for s in visible if all(goes_to_dead(model, r) for _, r in choices_of(model, s))}
    final -= {s for s in visible if model.names[s] == DEAD}
    labels, short, written = labels_by_state(model), _Short(), Numbers(EXACT)
    way = set() if witness is None else set(way_of(model, witness))
    edges: dict[tuple[int, int], list[tuple[str, bool]]] = {}
    for s in visible:
        for action, row in choices_of(model, s) if s not in final else ():
            for t, p in row:
                if t in visible:
                    told = "" if p == 1 else short(pretty(written(p)))
                    text = ": ".join(filter(None, (action, told)))
                    edges.setdefault((s, t), []).append((text, (s, action, t) in way))
    arrows = (
        Edge(s, t, "\n".join(text for text, _ in texts if text), any(marked for _, marked in texts))
        for (s, t), texts in edges.items()
    )
    ends = [] if witness is None else [n for n in (witness.state, witness.neighbour) if n is not None]
    marked = {model.names.index(name) for name in ends} | {t for _, _, t in way}
    boxes = {s: (model.names[s], *([", ".join(labels[s])] if labels[s] else [])) for s in visible}
    return Drawing(
        boxes, frozenset(final), frozenset(marked), tuple(arrows), model.neighbours, tuple(short.foot())
    )


def _only_final(model: Model, dead: int) -> bool:
    """Whether ``†`` is reached with certainty or not at all."""
    rows = (row for s in range(len(model.names)) for _, row in choices_of(model, s))
    return all(goes_to_dead(model, row) or all(t != dead for t, _ in row) for row in rows)


class _Short:
    """Abbreviates long probabilities as p1, p2, ..."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        return text if len(text) <= LONG else self._names.setdefault(text, f"p{len(self._names) + 1}")

    def foot(self) -> Iterator[str]:
        return (f"{name} = {text}" for text, name in self._names.items())


Step = tuple[int, str | None, int]


def way_of(model: Model, witness: Witness) -> Iterator[Step]:
    """The transitions in colour, from the state of the witness and from its neighbour."""
    names = [name for name in (witness.state, witness.neighbour) if name is not None]
    word = [*witness.prefix, *witness.cycle]
    for s in map(model.names.index, names):
        yield from _by_word(model, s, word) if word else _shortest(model, s, _goals(model, witness))


def _by_word(model: Model, start: int, word: Sequence[str]) -> Iterator[Step]:
    here = {start}
    for chosen in word:
        steps = [(s, a, t) for s in here for a, row in choices_of(model, s) if a == chosen for t, _ in row]
        yield from steps
        here = {t for _, _, t in steps}


def _goals(model: Model, witness: Witness) -> frozenset[int]:
    """The states that the formula names."""
    formula = parse_property(Source("witness", witness.subformula), model).formula
    assert not isinstance(formula, Query)
    named = (part.name for part in parts(formula) if isinstance(part, Proposition))
    return frozenset().union(*(model.states_of(name) or () for name in named))


def _shortest(model: Model, start: int, goals: frozenset[int]) -> Iterator[Step]:
    """A shortest way of at least one step, backwards; none if there is no way."""
    came: dict[int, Step] = {}
    queue = [start]
    for s in queue:  # grows while it is read
        for action, row in choices_of(model, s):
            new = [t for t, _ in row if t not in came]
            came |= {t: (s, action, t) for t in new}
            queue += new
    found = next((t for t in came if t in goals), None)
    while found is not None:
        yield came[found]
        found = came[found][0] if came[found][0] != start else None


# --- DOT ---------------------------------------------------------------------------------------------


def dot(model: Model, witness: Witness | None = None) -> str:
    """The picture in the language of Graphviz."""
    content = drawing(model, witness)
    foot = "".join(f"{_escaped(line)}\\l" for line in content.foot)
    lines = [
        "digraph model {",
        f'  graph [rankdir=LR, labeljust=l, {FONT}, label="{foot}"];',
        f"  node [shape=box, style=rounded, {FONT}];",
        f"  edge [{FONT}];",
    ]
    for s, texts in content.boxes.items():
        more = ", peripheries=2" if s in content.final else ""
        more += f', color="{COLOUR}", penwidth=2' if s in content.marked else ""
        lines.append(f'  s{s} [label="{_joined(texts)}"{more}];')
    for edge in content.edges:
        colour = f', color="{COLOUR}", fontcolor="{COLOUR}", penwidth=2' if edge.marked else ""
        lines.append(
            f'  s{edge.source} -> s{edge.target} [label="{_joined(edge.label.split(chr(10)))}"{colour}];'
        )
    lines += [f"  s{s} -> s{t} [dir=none, style=dashed, constraint=false];" for s, t in content.pairs]
    return "\n".join([*lines, "}"]) + "\n"


def _joined(lines: Sequence[str]) -> str:
    return "\\n".join(map(_escaped, lines))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


# --- SVG ---------------------------------------------------------------------------------------------


def svg(model: Model, witness: Witness | None = None) -> str:
    """The picture, an ``<svg>`` element: by Graphviz where it is installed, else small ones drawn here.

    Raises :class:`InputError` for a model that is too large to be drawn.
    """
    states, program = len(model.names), shutil.which("dot")
    if states > LARGE or (program is None and states > SMALL):
        most = f"at most {LARGE} can be read" if states > LARGE else f"without Graphviz dipc draws {SMALL}"
        message = f"the model is too large for a picture: it has {states} states, but {most}"
        raise InputError(message, hint="choose smaller parameters, or export --to dot or drn")
    return (
        by_columns(drawing(model, witness)) if program is None else _by_graphviz(program, dot(model, witness))
    )


def _by_graphviz(program: str, text: str) -> str:
    try:
        run = subprocess.run(
            [program, "-Tsvg"], input=text, capture_output=True, encoding="utf-8", timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"Graphviz needs more than {PATIENCE} seconds", hint="export --to dot") from None
    if run.returncode != 0:
        raise InputError(f"Graphviz could not draw the model: {run.stderr.strip()}", hint="export --to dot")
    return run.stdout[run.stdout.index("<svg") :]


SIGN, LINE = 6.7, 15.0  # the width of a sign and the height of a line
PADDING, MARGIN = 8.0, 20.0
GAP, BETWEEN = 90.0, 46.0  # between columns, and between boxes in a column
BEND = 34.0  # how far a curve leaves the straight line
STYLE = {
    "text": "font: 11px 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #111",
    "rect": "fill: #fff; stroke: #111",
    "path": "fill: none; stroke: #444",
    ".back": "stroke: none; fill: #fff",
    "path.tip": "fill: #444; stroke: none",
    ".pair": "stroke-dasharray: 5 4; stroke: #777",
    "path.on": f"stroke: {COLOUR}; stroke-width: 2",
    "rect.on": f"stroke: {COLOUR}; stroke-width: 2",
    "text.on": f"fill: {COLOUR}",
}
Point = tuple[float, float]
Curve = tuple[Point, Point, Point, Point]


class Frame(NamedTuple):
    """The place of a box."""

    left: float
    top: float
    width: float
    height: float

    def at(self, x: float, y: float) -> Point:
        """A point of the box: (0, 0) is the left upper corner, (1, 1) the right lower one."""
        return self.left + x * self.width, self.top + y * self.height


def by_columns(content: Drawing) -> str:
    """The picture with a layout of our own: columns by the distance from the first states."""
    frames = _frames(content)
    body = [_pair(frames[s], frames[t]) for s, t in content.pairs if s in frames and t in frames]
    edges = sorted(content.edges, key=lambda edge: edge.marked)
    curves = [_curve(frames[edge.source], frames[edge.target]) for edge in edges]
    body += [_arrow(edge, curve) for edge, curve in zip(edges, curves, strict=True)]
    body += chain.from_iterable(_label(edge, curve) for edge, curve in zip(edges, curves, strict=True))
    for s, texts in content.boxes.items():
        body += _box(frames[s], texts, s in content.final, s in content.marked)
    bottom = max(f.top + f.height for f in frames.values()) + BEND
    for number, text in enumerate(content.foot, 1):
        body.append(_text(text, (0.0, bottom + number * LINE), "", "start"))
    right = max([f.left + f.width for f in frames.values()] + [SIGN * len(text) for text in content.foot])
    corner = -MARGIN - BEND
    size = right + MARGIN + BEND - corner, bottom + LINE * len(content.foot) + MARGIN - corner
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{corner:.1f} {corner:.1f} {size[0]:.1f} '
        f'{size[1]:.1f}" width="{size[0]:.1f}" height="{size[1]:.1f}" class="model" role="img">'
        f'{style_of("model", STYLE)}<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" '
        'markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto">'
        '<path class="tip" d="M 0 0 L 8 4 L 0 8 z"/></marker>'
        f"</defs>{''.join(body)}</svg>\n"
    )


def _columns(content: Drawing) -> list[list[int]]:
    """The states by their distance from those without predecessors, each near to its predecessors."""
    before: dict[int, list[int]] = {s: [] for s in content.boxes}
    for s, t, *_ in content.edges:
        if s != t:
            before[t].append(s)
    column = [s for s in before if not before[s]] or [next(iter(before))]
    columns, left = [], dict.fromkeys(before)
    while left:
        column = column or [next(iter(left))]
        columns.append(column)
        place = {s: i for i, s in enumerate(chain.from_iterable(columns))}
        left = {s: None for s in left if s not in place}
        following = [s for s in left if any(p in column for p in before[s])]
        column = sorted(following, key=lambda s: fmean(place[p] for p in before[s] if p in place))
    return columns


def _frames(content: Drawing) -> dict[int, Frame]:
    widest = max((len(line) for e in content.edges for line in e.label.split("\n")), default=0)
    frames, left = {}, 0.0
    for column in _columns(content):
        sizes = {s: (max(map(len, content.boxes[s])) * SIGN, len(content.boxes[s]) * LINE) for s in column}
        width = max(w for w, _ in sizes.values()) + 2 * PADDING
        top = 0.0
        for s, (own, height) in sizes.items():
            frames[s] = Frame(
                left + (width - own) / 2 - PADDING, top, own + 2 * PADDING, height + 2 * PADDING
            )
            top += height + 2 * PADDING + BETWEEN
        left += width + GAP + widest * SIGN
    return frames


def _numbers(*points: Point) -> str:
    return ", ".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _text(text: str, at: Point, mark: str, anchor: str = "middle") -> str:
    return f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" text-anchor="{anchor}"{mark}>{escape(text)}</text>'


def _rectangle(frame: Frame, more: str) -> str:
    left, top, width, height = frame
    return f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}"{more}/>'


def _box(frame: Frame, texts: Sequence[str], final: bool, marked: bool) -> Iterator[str]:
    mark = ' class="on"' if marked else ""
    yield _rectangle(frame, f' rx="7"{mark}')
    if final:
        inner = Frame(frame.left + 2.5, frame.top + 2.5, frame.width - 5, frame.height - 5)
        yield _rectangle(inner, f' rx="5"{mark}')
    for number, text in enumerate(texts, 1):
        yield _text(text, (frame.at(0.5, 0)[0], frame.top + PADDING + number * LINE - LINE / 4), mark)


def _pair(a: Frame, b: Frame) -> str:
    """A dashed line between neighbours: on the left of a column, above boxes of different ones."""
    if _one_column(a, b):
        start, end = a.at(0, 0.5), b.at(0, 0.5)
        left = min(start[0], end[0]) - BEND
        bend = (left, start[1]), (left, end[1])
    else:
        start, end = a.at(0.5, 0), b.at(0.5, 0)
        top = min(start[1], end[1]) - BEND
        bend = (start[0], top), (end[0], top)
    return f'<path class="pair" d="M {_numbers(start)} C {_numbers(*bend, end)}"/>'


def _one_column(a: Frame, b: Frame) -> bool:
    return a.left < b.left + b.width and b.left < a.left + a.width


def _curve(source: Frame, target: Frame) -> Curve:
    """A loop above the box, a bow on the right in a column, a way to the right, or a bow below."""
    if source == target:
        start, end = source.at(0.3, 0), source.at(0.7, 0)
        return start, (start[0], start[1] - BEND), (end[0], end[1] - BEND), end
    if _one_column(source, target):
        start, end = source.at(1, 0.6), target.at(1, 0.4)
        right = max(start[0], end[0]) + BEND
        return start, (right, start[1]), (right, end[1]), end
    if target.left > source.left:
        start, end = source.at(1, 0.5), target.at(0, 0.5)
        half = (end[0] - start[0]) / 2
        return start, (start[0] + half, start[1]), (end[0] - half, end[1]), end
    start, end = source.at(0.5, 1), target.at(0.6, 1)
    low = max(start[1], end[1]) + BEND
    return start, (start[0], low), (end[0], low), end


def _arrow(edge: Edge, curve: Curve) -> str:
    mark = ' class="on"' if edge.marked else ""
    return f'<path{mark} marker-end="url(#tip)" d="M {_numbers(curve[0])} C {_numbers(*curve[1:])}"/>'


def _label(edge: Edge, curve: Curve) -> Iterator[str]:
    """The text of an arrow, a bit before its middle, where fewer arrows cross."""
    lines = edge.label.split("\n") if edge.label else []
    weights = (0.216, 0.432, 0.288, 0.064)  # of a cubic curve at 2/5
    x, y = (sum(w * point[axis] for w, point in zip(weights, curve, strict=True)) for axis in (0, 1))
    for number, line in enumerate(lines):
        at = x, y + (number - (len(lines) - 1) / 2) * LINE
        width = len(line) * SIGN + 4
        yield _rectangle(Frame(at[0] - width / 2, at[1] - LINE / 2, width, LINE), ' class="back"')
        yield _text(line, (at[0], at[1] + LINE / 4), ' class="on"' if edge.marked else "")


FORMATS: Mapping[str, Callable[[Model], str]] = {
    "drn": drn,
    "prism": prism,
    "dpm": dpm,
    "dot": dot,
    "svg": svg,
}
"""The formats of Markov models by name."""
