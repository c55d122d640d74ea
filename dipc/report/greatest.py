"""The documents of ``dipc accuracy`` and ``dipc expect``: the greatest of one function of eps per input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from dipc.claims.rows import Group, Node, Row, data
from dipc.claims.tightness.greatest import Accuracy, Expectation, Piece
from dipc.claims.wording import decimal_at, pretty
from dipc.models.values import Valuation, valuation_record, valuation_text
from dipc.numbers.quotient import Quotient
from dipc.report.tightness import enclosure, least_record, where
from dipc.signs.ends import Interval, union
from dipc.signs.eps_range import EpsRange

MOST_INPUTS = 16


def accuracy_rows(found: Accuracy) -> Iterator[Node]:
    """The least beta: its supremum, where it is needed, and as a function of eps."""
    yield Row("accurate", found.good, "good", found.good)
    if found.when is not None:
        number = "no input" if not found.inputs else f"{found.inputs} input{'s' * (found.inputs > 1)}"
        yield Row("when", f"{found.when}   ({number})")
    yield data("when", found.when)
    yield data("inputs", found.inputs)
    yield _budgets(found.budgets)
    yield Row("least β", enclosure(found.least), "least", least_record(found.least))
    spots = (
        (Row("reached", pretty(place := where(spot, found.least.attained)), "where", place), _input(values))
        for spot, values in found.spots[:1]
    )
    yield Group("reached", tuple(spots))
    yield _curve("β(ε)", found.pieces, found.budgets)
    yield data("beta", None if found.beta is None else str(found.beta))
    if found.suffices is not None:
        words = union([named(each) for each in found.suffices]) or "no eps"
        yield Row("enough", pretty(f"{found.beta}   for {words}"))
    enough = None if found.suffices is None else [each.record() for each in found.suffices]
    yield data("suffices", enough)
    yield data("notes", list(notes(found)))


def notes(found: Accuracy) -> Iterator[str]:
    """Why the answer may say less than it seems to."""
    if not found.inputs:
        yield "no input meets the condition: every bound is enough"


def expectation_rows(found: Expectation) -> Iterator[Node]:
    """The expectation on each input, and the greatest one as a function of eps."""
    yield Row("expected", found.measure, "measure", found.measure)
    yield _budgets(found.budgets)
    values = (
        (
            Row("E(ε)", pretty(f"{value}   for {valuation_text(values)}"), "value", str(value)),
            data("input", valuation_record(values)),
            *_at(value, found.budgets),
        )
        for values, value in found.values
    )
    yield Group("expectations", tuple(values), MOST_INPUTS, "and for {} more inputs")
    if len(found.values) > 1:
        yield _curve("greatest", found.pieces, found.budgets)
    else:
        yield data("curve", None)


def _budgets(budgets: EpsRange) -> Row:
    text = str(budgets.low if budgets.is_point else budgets)
    return Row(
        "budgets", pretty(f"eps = {text}" if budgets.is_point else f"every eps in {text}"), "for", text
    )


def _curve(label: str, pieces: Sequence[Piece], budgets: EpsRange) -> Group:
    """Each piece with its formula and an input that has it."""
    return Group("curve", tuple(tuple(_piece(label, piece, budgets)) for piece in pieces))


def _piece(label: str, piece: Piece, budgets: EpsRange) -> Iterator[Row]:
    interval = named(piece.interval)
    yield data("low", interval.low.text)
    yield data("high", interval.high.text)
    yield data("ends", interval.record())
    yield Row(label, pretty(f"{piece.value}   for {interval.words()}"), "value", str(piece.value))
    yield from _at(piece.value, budgets)
    yield _input(piece.input)


def _at(value: Quotient, budgets: EpsRange) -> Iterator[Row]:
    """The value at the only eps, in decimals."""
    if budgets.is_point:
        decimal = decimal_at(value, budgets.low)
        yield Row("", f"≈ {decimal}", "decimal", decimal)


def _input(values: Valuation) -> Row:
    return Row("input", valuation_text(values) or "none", "input", valuation_record(values))


def named(interval: Interval) -> Interval:
    """The interval with the names of its ends, where these have one, as their texts."""
    low, high = (replace(end, text=end.exact or end.text) for end in (interval.low, interval.high))
    return Interval(low, high)
