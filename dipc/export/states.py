"""The states of a chain by number: their edges, labels, and the symbols that occur."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dipc.export.operators import Style, unit_of
from dipc.export.subject import Picture
from dipc.models.values import valuation_text
from dipc.numbers.quotient import Quotient

Edge = tuple[int, Quotient]  # the number of the target, and the probability

UNSAFE = {"-": "m", "/": "over", ".": "p"}


def edges(picture: Picture) -> list[list[Edge]]:
    """The edges of every state; a final state has a loop."""
    numbers = {id(node): i for i, node in enumerate(picture.chain)}
    outgoing = [[(numbers[id(target)], p) for target, p in node.edges] for node in picture.chain]
    return [found or [(i, Quotient.one())] for i, found in enumerate(outgoing)]


def style_of(picture: Picture) -> Style:
    """Rational functions over the least unit."""
    return Style(unit_of(p for outgoing in edges(picture) for _, p in outgoing))


def symbols_of(picture: Picture, style: Style) -> dict[str, str]:
    """The symbols that occur on edges, with what they stand for."""
    probabilities = [p for outgoing in edges(picture) for _, p in outgoing]
    terms = [t for p in probabilities for f in (p.numerator, p.denominator) for t in f.terms()]
    unit = style.unit
    known = {
        "eps": (any(t.power for t in terms), "the privacy budget"),
        "z": (any(t.rate for t in terms), f"exp(eps/{unit})" if unit != 1 else "exp(eps)"),
        "w": (any(t.constant for t in terms), f"exp(1/{unit})"),
        "v": (any(t.inverse for t in terms), f"exp(1/({unit}*eps))"),
    }
    return {name: text for name, (occurs, text) in known.items() if occurs}


def labels(picture: Picture) -> dict[int, str]:
    """An identifier for the output of every final state."""
    names: dict[str, str] = {}  # of each output, by its text
    for text in map(valuation_text, picture.outputs.values()):
        name = "".join(UNSAFE.get(c, c) for c in text)
        name = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")
        while text not in names and name in names.values():
            name += "_"
        names.setdefault(text, name)
    return {number: names[valuation_text(output)] for number, output in picture.outputs.items()}


def meaning(picture: Picture) -> Iterator[str]:
    """What the symbols and the labels stand for."""
    yield from (f"{name} = {text}" for name, text in symbols_of(picture, style_of(picture)).items())
    marks = labels(picture)
    texts = {marks[number]: valuation_text(output) for number, output in picture.outputs.items()}
    yield from (f"label {name}: {text}" for name, text in texts.items())
