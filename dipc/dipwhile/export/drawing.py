"""The chain of a program as a picture: what its boxes, arrows and the lines at the foot say.

As in Figures 2 and 4 of the DiPC paper, a box has the line of the statement to be executed next with the
values of the finite variables, the parameters of the random ones, and the conditions that hold among them.
A final state shows its output.  A long probability is abbreviated as p1, p2, ... on the arrow and
explained at the foot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dipc.dipwhile.export.history import DIGITS, PRETTY, History, Names, histories
from dipc.dipwhile.export.questions import Picture
from dipc.dipwhile.export.storm import edges
from dipc.dipwhile.semantics.chain import Node
from dipc.dipwhile.semantics.evaluate import spelled_cell
from dipc.dipwhile.syntax.core import CoreProgram, Jump
from dipc.export import boxes
from dipc.export.boxes import Arrow, Box, Drawing, Short
from dipc.export.operators import EXACT, write
from dipc.integration.linear import Linear
from dipc.models.values import show, valuation_text
from dipc.numbers.quotient import Quotient

LONG = 8  # of a probability on an arrow, in signs
WIDTH = 28  # of a line in a box
MIXED = "…"


def drawing(picture: Picture) -> Drawing:
    """The content of the drawing of a chain."""
    found = histories(picture)
    names, short = Names(found), Short(LONG)

    def label(p: Quotient) -> str:
        text = write(EXACT.function(p), PRETTY)
        return "" if text == "1" else short(text)

    arrows = tuple(
        Arrow(number, target, label(p))
        for number, outgoing in enumerate(edges(picture))
        if number not in picture.outputs
        for target, p in outgoing
    )
    shown = {
        i: Box((valuation_text(picture.outputs[i]),), final=True)
        if i in picture.outputs
        else Box(tuple(_state(picture.program, node, found[i], names)))
        for i, node in enumerate(picture.chain)
    }
    foot = short.foot()
    if any(MIXED in box.lines for box in shown.values()):
        foot.append(f"{MIXED} = and what differs between the ways that meet here")
    return Drawing(shown, arrows, heading=tuple(picture.heading()), foot=tuple(foot))


def dot(picture: Picture) -> str:
    """The picture in the language of Graphviz."""
    return boxes.dot(drawing(picture))


def svg(picture: Picture) -> str:
    """The picture, an ``<svg>`` element.  Raises :class:`InputError` for a chain that is too large."""
    boxes.check_size("chain", len(picture.chain))
    return boxes.svg(drawing(picture))


def _state(program: CoreProgram, node: Node, history: History, names: Names) -> Iterator[str]:
    """The lines of a box."""
    cells = [(spelled_cell(cell), value) for cell, value in node.state.key[1]]
    finite = [f"{name}={show(value)}" for name, value in cells if not isinstance(value, Linear)]
    yield from _filled([f"{_line(program, node.state.pc)}:", *finite], " ")
    yield from _filled(map(names.law, history.origins), ", ")
    sums = [(name, value) for name, value in cells if isinstance(value, Linear)]
    values = ((name, names.value(value, history.samples)) for name, value in sums)
    # Not for a variable that is the sample that bears its name, numbered or not.
    others = (f"{name} = {value}" for name, value in values if value.rstrip(DIGITS) != name)
    yield from _filled(others, ", ")
    yield from _filled(map(names.condition, history.conditions), ", ")
    if history.mixed:
        yield MIXED


def _filled(items: Iterable[str], separator: str) -> Iterator[str]:
    """The items in as few lines as possible; an item is never broken."""
    line = ""
    for item in items:
        longer = f"{line}{separator}{item}" if line else item
        if line and len(longer) > WIDTH:
            yield line + separator.rstrip()
            longer = item
        line = longer
    if line:
        yield line


def _line(program: CoreProgram, pc: int) -> int:
    """The line of the statement at a place."""
    instruction = program.code[pc]
    while isinstance(instruction, Jump):
        instruction = program.code[instruction.to]
    return instruction.span.line
