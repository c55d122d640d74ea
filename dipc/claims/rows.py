"""A result as rows: one description, from which people see lines and machines a record.

A *row* has a label and a text for people, and a key and data for machines; it may lack either pair.
People see a long text without its middle; machines have the whole.
A *group* holds several things: people see their rows one after the other, machines a list of records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, assert_never

from flint import fmpq

from dipc.claims.wording import Line, Record, number_record, number_text, pretty
from dipc.excerpts import MOST_ANSWERED, MOST_QUOTED, shortened
from dipc.frozen import frozen
from dipc.models.values import Valuation, valuation_record, valuation_text
from dipc.numbers.quotient import Quotient
from dipc.signs.ends import DIGITS, Interval, union


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


def data(key: str, value: Any) -> Row:
    """A row for machines only."""
    return Row("", None, key, value)


def inner(key: str, rows: Iterable[Row]) -> Iterator[Row]:
    """Rows that people see like all others; machines have one record of them, null if there are none."""
    rows = tuple(rows)
    yield from (Row(row.label, row.text) for row in rows)
    yield data(key, record(rows) or None)


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


# --- rows of several results -----------------------------------------------------------------


def input_rows(left: Valuation, right: Valuation) -> Iterator[Row]:
    """Two adjacent inputs."""
    yield Row("input", f"u  : {valuation_text(left)}", "input", valuation_record(left))
    yield Row("neighbour", f"u' : {valuation_text(right)}", "neighbour", valuation_record(right))


def output_row(outputs: Sequence[Valuation], events: Sequence[str] = ()) -> Row:
    """A set of outputs, or the events that they stand for."""
    shown, records = " or ".join(events or map(valuation_text, outputs)), list(map(valuation_record, outputs))
    return Row("outputs" if len(outputs) > 1 else "output", shown, "outputs", records)


def against_row(outputs: Sequence[Valuation]) -> Row:
    """The outputs that others are compared with; people see nothing if there are none."""
    shown = " or ".join(map(valuation_text, outputs))
    return Row("against", shown or None, "against", list(map(valuation_record, outputs)))


def eps_row(eps: fmpq) -> Row:
    """The eps of a witness."""
    return Row("budget", pretty(f"eps = {eps}"), "epsilon", str(eps))


def number_row(label: str, key: str, value: Quotient, eps: fmpq, digits: int = DIGITS) -> Row:
    """A function, and its value at an eps."""
    return Row(label, number_text(value, eps, digits), key, number_record(value, eps, digits))


def broken_rows(regions: Sequence[Interval], by: str) -> Iterator[Row]:
    """Where a claim is violated ``by`` something; people see nothing where that is not known."""
    text = f"{pretty(union(regions))}   by {by}" if regions else None
    yield Row("broken for", text, "violated_for", [list(region.texts) for region in regions])
    yield data("violated_for_ends", [region.record() for region in regions])
