"""The chain for model checkers: DRN, the explicit format of Storm, and the language of PRISM.

Probabilities are rational functions of z = exp(eps/u) and, where it occurs, eps.
"""

from __future__ import annotations

import re

from dipc.export.markov import PRISM, symbols
from dipc.export.operators import PLAIN, Style, unit_of, write
from dipc.export.questions import Picture
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
    return symbols((p for outgoing in edges(picture) for _, p in outgoing), style.unit or 1)


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


def _heading(picture: Picture, symbols: dict[str, str], marks: dict[int, str]) -> list[str]:
    """The program and the input, and what the symbols and the labels stand for, as comments."""
    texts = {marks[number]: valuation_text(output) for number, output in picture.outputs.items()}
    meaning = (f"{name} = {text}" for name, text in symbols.items())
    lines = (*picture.heading(), *meaning, *(f"label {name}: {text}" for name, text in texts.items()))
    return [f"// {line}" for line in lines]


def drn(picture: Picture) -> str:
    """The chain as a DTMC with parameters z = exp(eps/u) and, if it occurs, eps.

    The final states of an output have its label, and loop.
    """
    style, marks = style_of(picture), labels(picture)
    symbols = symbols_of(picture, style)
    lines = [*_heading(picture, symbols, marks), "@type: DTMC"]
    kinds = ["parametric", "@parameters", " ".join(symbols)] if symbols else ["rational"]
    lines += ["@value_type: " + kinds[0], *kinds[1:]]
    size = str(len(picture.chain))
    lines += ["@reward_models", "", "@nr_states", size, "@nr_choices", size, "@model"]
    for number, outgoing in enumerate(edges(picture)):
        names = [*(["init"] if number == 0 else []), *([marks[number]] if number in marks else [])]
        lines += [" ".join([f"state {number}", *names]), "\taction 0"]
        lines += [f"\t\t{target} : {write(style.function(p), PLAIN)}" for target, p in outgoing]
    return "\n".join(lines) + "\n"


def prism(picture: Picture) -> str:
    """The chain with undefined constants z = exp(eps/u) and, if it occurs, eps."""
    style, marks = style_of(picture), labels(picture)
    symbols = symbols_of(picture, style)
    lines = [*_heading(picture, symbols, marks), "dtmc", "", *(f"const double {name};" for name in symbols)]
    lines += ["", "module program", f"  s : [0..{max(1, len(picture.chain) - 1)}] init 0;"]
    for number, outgoing in enumerate(edges(picture)):
        moves = (f"{write(style.function(p), PRISM)} : (s'={target})" for target, p in outgoing)
        lines.append(f"  [] s={number} -> {' + '.join(moves)};")
    lines += ["endmodule", ""]
    for name in dict.fromkeys(marks.values()):
        places = " | ".join(f"s={number}" for number, mark in marks.items() if mark == name)
        lines.append(f'label "{name}" = {places};')
    return "\n".join(lines) + "\n"
