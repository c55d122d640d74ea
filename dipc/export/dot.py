"""DOT: the drawing of the chain in the language of Graphviz."""

from __future__ import annotations

from dipc.export.drawing import drawing, wrapped
from dipc.export.subject import Picture

FONT = 'fontname="monospace", fontsize=11'
FOOT = 100  # signs in a line


def dot(picture: Picture) -> str:
    """The chain as a directed graph."""
    content = drawing(picture)
    below = (line for text in (*content.heading, *content.foot) for line in wrapped(text, FOOT))
    foot = "".join(f"{_quoted(line)}\\l" for line in below)
    lines = [
        "digraph chain {",
        f'  graph [rankdir=TB, labeljust=l, {FONT}, label="{foot}"];',
        f"  node [shape=box, style=rounded, {FONT}];",
        f"  edge [{FONT}];",
    ]
    for number, box in enumerate(content.boxes):
        text = "\\n".join(map(_quoted, box.lines))
        lines.append(f'  s{number} [label="{text}"{", peripheries=2" if box.final else ""}];')
    for arrow in content.arrows:
        label = f' [label=" {_quoted(arrow.label)} "]' if arrow.label else ""
        lines.append(f"  s{arrow.source} -> s{arrow.target}{label};")
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
