"""SVG: the drawing of the chain, by Graphviz where it is installed.

Without Graphviz small chains are drawn here: boxes in layers (:mod:`dipc.export.layers`), arrows as smooth
curves in the space between the layers.  The type is monospaced, so that the width of a text is known.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from xml.etree import ElementTree

from dipc.errors import InputError
from dipc.export.dot import dot
from dipc.export.drawing import Arrow, Box, Drawing, drawing, wrapped
from dipc.export.layers import Layout, Place, layout
from dipc.export.subject import Picture

SMALL = 100  # states that are drawn without Graphviz
LARGE = 1000  # more is unreadable
PATIENCE = 60  # seconds for Graphviz

SIGN, LINE = 6.7, 15.0  # the width of a sign and the height of a line
MARGIN, PADDING = 16.0, 7.0
GAP, BETWEEN = 22.0, 46.0  # between boxes, and between layers
TIP = 6.0
PARTS = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)  # where on an arrow a label can be

STYLE = (
    "text { font: 11px 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #111; white-space: pre } "
    "rect { fill: #fff; stroke: #111 } path { fill: none; stroke: #444 } path.tip { fill: #444 } "
    "rect.plain { stroke: none }"
)


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
        raise _too_large(
            f"it has {states} states; without Graphviz dipc draws at most {SMALL}", graphviz=True
        )
    return by_layers(drawing(picture))


def _too_large(why: str, graphviz: bool = False) -> InputError:
    ways = "install Graphviz (its program `dot`), " if graphviz else ""
    return InputError(
        f"the chain is too large for a drawing: {why}",
        hint=f"{ways}choose smaller parameters (for example -D N=2), or export --to dot or drn",
    )


def _by_graphviz(program: str, picture: Picture) -> str:
    try:
        run = subprocess.run(
            [program, "-Tsvg"], input=dot(picture), capture_output=True, encoding="utf-8", timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        raise _too_large(f"Graphviz needs more than {PATIENCE} seconds") from None
    if run.returncode != 0:
        raise InputError(
            f"Graphviz could not draw the chain: {run.stderr.strip()}", hint="fix it, or export --to dot"
        )
    return run.stdout[run.stdout.index("<svg") :]


# --- without Graphviz ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A place in the drawing."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @property
    def middle(self) -> float:
        return self.left + self.width / 2

    def meets(self, other: Rectangle) -> bool:
        """Whether the two overlap."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


Point = tuple[float, float]


def by_layers(content: Drawing) -> str:
    """The drawing with a layout of our own."""
    sizes = [_size(box) for box in content.boxes]
    places = layout(content, [width for width, _ in sizes], GAP)
    boxes, bands = _boxes(places, sizes)
    ways = [list(_stretches(way, places, boxes, bands)) for way in places.ways]
    labels = _labels(content.arrows, ways, boxes)
    shown = [*boxes, *(label for label in labels if label is not None)]
    left, right = min(r.left for r in shown), max(r.right for r in shown)
    bottom = max(r.bottom for r in boxes)
    signs = max(80, int((right - left) / SIGN))
    foot = [line for text in (*content.heading, *content.foot) for line in wrapped(text, signs)]
    frame = Rectangle(
        left - MARGIN,
        -MARGIN,
        max(right - left, SIGN * max(map(len, foot))) + 2 * MARGIN,
        bottom + (len(foot) + 1) * LINE + 2 * MARGIN,
    )
    root = _root(frame, content.heading)
    for way in ways:
        root.extend(_curve(way))
    for box, place in zip(content.boxes, boxes, strict=True):
        root.extend(_box(box, place))
    for arrow, label in zip(content.arrows, labels, strict=True):
        if label is not None:
            root.append(_rectangle(label, **PLAIN))
            root.append(_text(arrow.label, label.middle, label.bottom - LINE / 4, anchor="middle"))
    for number, line in enumerate(foot):
        root.append(_text(line, left, bottom + (number + 2) * LINE, anchor="start"))
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _size(box: Box) -> tuple[float, float]:
    return max(map(len, box.lines)) * SIGN + 2 * PADDING, len(box.lines) * LINE + 2 * PADDING


def _boxes(places: Layout, sizes: list[tuple[float, float]]) -> tuple[list[Rectangle], list[Point]]:
    """The boxes, and top and bottom of every layer."""
    found: dict[int, Rectangle] = {}
    bands = []
    top = 0.0
    for layer in places.layers:
        height = max(sizes[place][1] for place in layer if isinstance(place, int))
        for place in layer:
            if isinstance(place, int):
                width, own = sizes[place]
                found[place] = Rectangle(
                    places.middle[place] - width / 2, top + (height - own) / 2, width, own
                )
        bands.append((top, top + height))
        top += height + BETWEEN
    return [found[i] for i in range(len(sizes))], bands


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of an arrow: straight from ``start`` down to ``low``, then a curve to ``end``."""

    start: Point
    low: float
    end: Point

    def at(self, part: float) -> Point:
        """A point of the curve, a cubic one with vertical ends."""
        (x, _), y, (x2, y2) = self.start, self.low, self.end
        eased = 3 * part**2 * (1 - part) + part**3
        return x + (x2 - x) * eased, y + (y2 - y) * (1.5 * part * (1 - part) + part**3)


def _stretches(
    way: tuple[Place, ...], places: Layout, boxes: list[Rectangle], bands: list[Point]
) -> Iterator[Stretch]:
    level = {place: depth for depth, layer in enumerate(places.layers) for place in layer}

    def ends(place: Place) -> Point:
        return (boxes[place].top, boxes[place].bottom) if isinstance(place, int) else bands[level[place]]

    for place, target in pairwise(way):
        # Through a gap of a layer an arrow goes straight, as part of the stretch that leaves it.
        start = ends(place)[1] if isinstance(place, int) else ends(place)[0]
        yield Stretch(
            (places.middle[place], start), bands[level[place]][1], (places.middle[target], ends(target)[0])
        )


def _labels(
    arrows: tuple[Arrow, ...], ways: list[list[Stretch]], boxes: list[Rectangle]
) -> list[Rectangle | None]:
    """A place for every label on its arrow, on the first stretch if it covers nothing there."""
    taken = list(boxes)
    found: list[Rectangle | None] = []
    for arrow, way in zip(arrows, ways, strict=True):
        if not arrow.label:
            found.append(None)
            continue
        width = len(arrow.label) * SIGN + 4
        choices = []
        for stretch, aside, part in product(way, (0.0, 0.5, -0.5, 1.0, -1.0), PARTS):
            x, y = stretch.at(part)
            left = x + (aside - 0.5) * width
            choices.append(Rectangle(left, y - LINE / 2, width, LINE))
        best = min(choices, key=lambda r: sum(map(r.meets, taken)))
        taken.append(best)
        found.append(best)
    return found


# --- elements --------------------------------------------------------------------------------


def _element(tag: str, text: str | None = None, /, **attributes: str | float) -> ElementTree.Element:
    """An element; numbers get one decimal place."""
    shown = {name: f"{v:.1f}" if isinstance(v, float) else str(v) for name, v in attributes.items()}
    element = ElementTree.Element(tag, {name.replace("_", "-"): v for name, v in shown.items()})
    element.text = text
    return element


def _root(frame: Rectangle, heading: tuple[str, ...]) -> ElementTree.Element:
    box = " ".join(f"{v:.1f}" for v in (frame.left, frame.top, frame.width, frame.height))
    root = _element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=box,
        width=frame.width,
        height=frame.height,
        role="img",
    )
    root.extend([_element("title", "; ".join(heading)), _element("style", STYLE), _rectangle(frame, **PLAIN)])
    return root


PLAIN: dict[str, str] = {"class": "plain"}


def _rectangle(place: Rectangle, **more: str | float) -> ElementTree.Element:
    return _element("rect", x=place.left, y=place.top, width=place.width, height=place.height, **more)


def _text(text: str, x: float, y: float, anchor: str) -> ElementTree.Element:
    return _element("text", text, x=x, y=y, text_anchor=anchor)


def _box(box: Box, place: Rectangle) -> Iterator[ElementTree.Element]:
    """A frame, double for a final state, and the lines in it."""
    yield _rectangle(place, rx=PADDING)
    if box.final:
        inner = Rectangle(place.left + 2.5, place.top + 2.5, place.width - 5, place.height - 5)
        yield _rectangle(inner, rx=PADDING - 2)
    for number, line in enumerate(box.lines, start=1):
        yield _text(line, place.middle, place.top + PADDING + number * LINE - LINE / 4, anchor="middle")


def _curve(way: list[Stretch]) -> Iterator[ElementTree.Element]:
    """An arrow with its tip."""
    steps = []
    for stretch in way:
        (x, y), low, (x2, y2) = stretch.start, stretch.low, stretch.end
        if stretch is way[-1]:
            y2 -= TIP
        half = (low + y2) / 2
        steps.append(
            f"M {x:.1f} {y:.1f} V {low:.1f} C {x:.1f} {half:.1f} {x2:.1f} {half:.1f} {x2:.1f} {y2:.1f}"
        )
    yield _element("path", d=" ".join(steps))
    x, y = way[-1].end
    tip = f"M {x:.1f} {y:.1f} l {-TIP / 2:.1f} {-TIP:.1f} h {TIP:.1f} z"
    yield _element("path", **{"class": "tip", "d": tip})
