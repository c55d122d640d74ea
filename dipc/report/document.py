"""A result as a document: sections of rows (:mod:`dipc.claims.rows`), shown as text or as HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from html import escape

from dipc.claims.rows import Node, Row, lines
from dipc.claims.wording import Line
from dipc.frozen import frozen


@frozen
class Section:
    """Rows below a heading; the first section has none."""

    heading: str
    rows: tuple[Node, ...]


Document = tuple[Section, ...]


def plain_document(rows: Iterable[Node]) -> Document:
    """A single section without a heading."""
    return (Section("", tuple(rows)),)


# --- renderers -------------------------------------------------------------------------------


def aligned(lines: Iterable[Line]) -> list[str]:
    """Headings and texts in two columns.

    >>> aligned([("claim", "eps"), ("verdict", "PRIVATE")])
    ['claim    eps', 'verdict  PRIVATE']
    """
    lines = list(lines)
    width = max((len(heading) for heading, _ in lines), default=0)
    return [f"{heading:<{width}}  {text}" for heading, text in lines]


def section_lines(section: Section) -> list[str]:
    """The rows of a section in two columns, indented if there is a heading."""
    margin = "  " if section.heading else ""
    return [f"{margin}{line}".rstrip() for line in aligned(list(lines(section.rows)) or [("", "")])]


def text(document: Document) -> str:
    """The document as the terminal prints it."""
    parts = ([*([one.heading] if one.heading else []), *section_lines(one)] for one in document)
    return "\n\n".join(map("\n".join, parts))


def html(document: Document, shown: Callable[[str], str] = escape) -> str:
    """The document as tables, which take their colours from the page; ``shown`` makes a text HTML."""
    parts = []
    kept = '<span style="white-space: nowrap">{}</span>'
    spaced = '<span style="white-space: pre-wrap">{}</span>'  # some texts have columns of their own
    for section in document:
        parts += [f"<div><b>{escape(section.heading)}</b></div>"] if section.heading else []
        rows = (
            (kept.format(escape(label)), spaced.format(shown(said))) for label, said in lines(section.rows)
        )
        parts.append(table(rows))
    return "\n".join(parts)


def typeset(text: str) -> str:
    """A text as HTML, with powers of e, products and limits as in print.

    >>> typeset("3*exp(-1/2*ε) for ε -> inf")
    '3·e<sup>−1/2·ε</sup> for ε → ∞'
    """
    raised = re.sub(r"exp\(([^()]*)\)", lambda power: f"e\0{power[1].replace('-', '−')}\1", text)
    raised = re.sub(r"(?<=[\d)])\*(?=[\dεe(])", "·", raised.replace("->", "→"))
    return escape(re.sub(r"\binf\b", "∞", raised)).replace("\0", "<sup>").replace("\1", "</sup>")


def table(rows: Iterable[Sequence[str]], head: Sequence[str] = ()) -> str:
    """An HTML table; the cells are HTML."""
    left = 'style="text-align: left; vertical-align: top; padding-right: 1.5em"'
    cells = "".join(f'<th scope="col" {left}>{cell}</th>' for cell in head)
    parts = ['<table style="font-size: 100%">', *([f"<thead><tr>{cells}</tr></thead>"] if head else [])]
    body = [f"<tr>{''.join(f'<td {left}>{cell}</td>' for cell in row)}</tr>" for row in rows]
    return "\n".join([*parts, "<tbody>", *body, "</tbody></table>"])


def time_row(seconds: float) -> Row:
    """How long it took."""
    return Row("time", f"{seconds:.2f} s", "seconds", round(seconds, 6))
