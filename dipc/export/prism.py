"""PRISM: the chain as a module with one variable, and rational functions as probabilities."""

from __future__ import annotations

from dipc.export.operators import ARITHMETIC, Dialect, Pattern, write
from dipc.export.states import edges, labels, meaning, style_of, symbols_of
from dipc.export.subject import Picture

PRISM = Dialect(ARITHMETIC | {"^": Pattern("pow({0}, {1})")})


def prism(picture: Picture) -> str:
    """The chain with undefined constants z = exp(eps/u) and, if it occurs, eps."""
    style, marks = style_of(picture), labels(picture)
    lines = [f"// {line}" for line in (*picture.heading(), *meaning(picture))]
    lines += ["dtmc", ""]
    lines += [f"const double {symbol};" for symbol in symbols_of(picture, style)]
    lines += ["", "module program", f"  s : [0..{max(1, len(picture.chain) - 1)}] init 0;"]
    for number, outgoing in enumerate(edges(picture)):
        moves = (f"{write(style.function(p), PRISM)} : (s'={target})" for target, p in outgoing)
        lines.append(f"  [] s={number} -> {' + '.join(moves)};")
    lines += ["endmodule", ""]
    for name in dict.fromkeys(marks.values()):
        places = " | ".join(f"s={number}" for number, mark in marks.items() if mark == name)
        lines.append(f'label "{name}" = {places};')
    return "\n".join(lines) + "\n"
