"""DOT: the chain as a drawing, like Figures 2 and 4 of the DiPC paper.

A state is a box ``line: finite variables``, with the random variables, linear expressions of samples s0, s1,
..., in a second line; ``line`` is that of the statement to be executed next.  The initial state is on top.  A
probability that is longer than a few signs is written as p1, p2, ... and explained at the foot.  The drawing
itself (SVG) needs Graphviz.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from dipc.errors import InputError
from dipc.export.operators import EXACT, PLAIN, Symbol, product, total, write
from dipc.export.states import edges
from dipc.export.subject import Picture, valuation_text
from dipc.probability.linear import Linear
from dipc.probability.quotient import Quotient
from dipc.semantics.chain import Node
from dipc.syntax.core import CoreProgram, Jump
from dipc.syntax.values import show

LONG = 12
MISSING = "the drawing needs Graphviz"


def dot(picture: Picture) -> str:
    """The chain as a directed graph."""
    names = _Names()
    arrows = [
        f"  s{number} -> s{target}{_label(names.short(_text(p)))};"
        for number, outgoing in enumerate(edges(picture))
        if number not in picture.outputs
        for target, p in outgoing
    ]
    foot = "".join(f"{_quoted(line)}\\l" for line in (*picture.heading(), *names.legend()))
    lines = [
        "digraph chain {",
        f'  graph [rankdir=TB, labeljust=l, fontname="serif", label="{foot}"];',
        '  node [shape=box, style=rounded, fontname="serif"];',
        '  edge [fontname="serif"];',
    ]
    for number, node in enumerate(picture.chain):
        text = "\\n".join(map(_quoted, _state(picture, number, node)))
        shape = ", peripheries=2" if number in picture.outputs else ""
        lines.append(f'  s{number} [label="{text}"{shape}];')
    return "\n".join([*lines, *arrows, "}"]) + "\n"


def svg(picture: Picture) -> str:
    """The drawing that Graphviz makes.  Raises :class:`InputError` if its program ``dot`` is missing."""
    import subprocess  # hardly ever needed

    program = shutil.which("dot")
    if program is None:
        raise InputError(MISSING, hint="install Graphviz (its program `dot`), or export --to dot")
    run = subprocess.run([program, "-Tsvg"], input=dot(picture), capture_output=True, text=True, check=True)
    return run.stdout


class _Names:
    """Short names for long probabilities."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def short(self, text: str) -> str:
        if len(text) <= LONG:
            return text
        return self._names.setdefault(text, f"p{len(self._names) + 1}")

    def legend(self) -> Iterator[str]:
        yield from (f"{name} = {text}" for text, name in self._names.items())


def _text(p: Quotient) -> str:
    return write(EXACT.function(p), PLAIN)


def _label(text: str) -> str:
    return f' [label="{_quoted(text)}"]' if text != "1" else ""


def _state(picture: Picture, number: int, node: Node) -> Iterator[str]:
    """The lines of a box."""
    if number in picture.outputs:
        yield valuation_text(picture.outputs[number])
        return
    cells = [(f"{name}[{i}]" if i else name, value) for (name, i), value in node.state.key[1]]
    finite = [f"{name}={show(value)}" for name, value in cells if not isinstance(value, Linear)]
    yield " ".join([f"{_line(picture.program, node.state.pc)}:", *finite])
    random = [f"{name}={_linear(value)}" for name, value in cells if isinstance(value, Linear)]
    if random:
        yield " ".join(random)


def _linear(value: Linear) -> str:
    terms = [product([c, Symbol(f"s{i}")]) for i, c in value.coefficients]
    return write(total([*terms, *([value.constant] if value.constant else [])]), PLAIN)


def _line(program: CoreProgram, pc: int) -> int:
    """The line of the statement at a place."""
    instruction = program.code[pc]
    while isinstance(instruction, Jump):
        instruction = program.code[instruction.to]
    return instruction.span.line


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
