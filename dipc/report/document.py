"""A result as a document: one description, shown as text, as JSON or as HTML.

A *row* has a label and a text for people, and a key and data for machines; it may lack either pair.
People see a long text without its middle; machines have the whole.
A *group* holds several things: people see their rows one after the other, machines a list of records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import chain
from typing import Any, assert_never

from dipc.claims.wording import Line, Record
from dipc.excerpts import MOST_ANSWERED, MOST_QUOTED, shortened
from dipc.frozen import frozen


@frozen
class Row:
    """A fact.  ``text`` None: for machines only; ``key`` None: for people only."""

    label: str
    text: str | None
    key: str | None = None
    data: Any = None


@frozen
class Group:
    """Several things; people see the first ``most``, and how many more there are."""

    key: str
    items: tuple[tuple[Row, ...], ...]
    most: int | None = None
    more: str = "and {} more"


Node = Row | Group


@frozen
class Section:
    """Rows below a heading; the first section has none."""

    heading: str
    rows: tuple[Node, ...]


Document = tuple[Section, ...]


def plain_document(rows: Iterable[Node]) -> Document:
    """A single section without a heading."""
    return (Section("", tuple(rows)),)


def data(key: str, value: Any) -> Row:
    """A row for machines only."""
    return Row("", None, key, value)


def inner(key: str, rows: Iterable[Row]) -> Iterator[Row]:
    """Rows that people see like all others; machines have one record of them, null if there are none."""
    rows = tuple(rows)
    yield from (Row(row.label, row.text) for row in rows)
    yield data(key, record(rows) or None)


# --- renderers -------------------------------------------------------------------------------


def lines(rows: Iterable[Node]) -> Iterator[Line]:
    """What people see, line by line.

    >>> [(label, text)] = lines([Row("claim", "eps + " * 10_000 + "eps", "claim")])
    >>> label, len(text)
    ('claim', 1800)
    """
    for row in rows:
        match row:
            case Row(label, text):
                if text is not None:
                    yield shortened(label, MOST_QUOTED), shortened(text, MOST_ANSWERED)
            case Group(_, items, most, more):
                yield from lines(chain.from_iterable(items[:most]))
                if most is not None and len(items) > most:
                    yield "", more.format(len(items) - most)
            case _:
                assert_never(row)


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


def record(rows: Iterable[Node]) -> Record:
    """What machines see."""
    found: Record = {}
    for row in rows:
        match row:
            case Row(_, _, key, value):
                if key is not None:
                    found[key] = value
            case Group(key, items):
                found[key] = [record(item) for item in items]
            case _:
                assert_never(row)
    return found


def html(document: Document) -> str:
    """The document as tables, which take their colours from the page."""
    parts = []
    spaced = '<span style="white-space: pre-wrap">{}</span>'  # some texts have columns of their own
    for section in document:
        parts += [f"<div><b>{escape(section.heading)}</b></div>"] if section.heading else []
        rows = ((escape(label), spaced.format(escape(said))) for label, said in lines(section.rows))
        parts.append(table(rows))
    return "\n".join(parts)


def table(rows: Iterable[tuple[str, str]], head: Sequence[str] = ()) -> str:
    """An HTML table of two columns; the cells are HTML."""
    left = 'style="text-align: left; vertical-align: top; padding-right: 1.5em"'
    cells = "".join(f"<th {left}>{cell}</th>" for cell in head)
    parts = ['<table style="font-size: 100%">', *([f"<thead><tr>{cells}</tr></thead>"] if head else [])]
    body = [f"<tr><td {left}>{a}</td><td {left}>{b}</td></tr>" for a, b in rows]
    return "\n".join([*parts, "<tbody>", *body, "</tbody></table>"])


def time_row(seconds: float) -> Row:
    """How long it took."""
    return Row("time", f"{seconds:.2f} s", "seconds", round(seconds, 6))
