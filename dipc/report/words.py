"""The words of documents: programs, inputs, outputs and verdicts, for people and machines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from dipc.claims.cases import Counts
from dipc.claims.rows import Group, Node, Row, data, inner
from dipc.claims.verdict import Doubt, Undecided, Verdict
from dipc.claims.wording import pretty
from dipc.excerpts import count_text
from dipc.models.values import Valuation, valuation_record, valuation_text

Pair = tuple[Mapping[str, Any], Mapping[str, Any]]
"""Two inputs."""


def program_title(name: str, parameters: Mapping[str, str]) -> str:
    """The program with its parameters.

    >>> program_title("svt1", {"N": "3", "c": "1"})
    'svt1  (N = 3, c = 1)'
    """
    settings = ", ".join(f"{parameter} = {value}" for parameter, value in parameters.items())
    return name + (f"  ({settings})" if settings else "")


def program_rows(name: str, parameters: Mapping[str, str], pair: Pair | None = None) -> Iterator[Row]:
    """The program with its parameters, and the two inputs if only they are compared: how documents begin."""
    yield Row("program", program_title(name, parameters), "program", name)
    yield data("parameters", dict(parameters))
    yield data("pair", pair and [valuation_record(tuple(values.items())) for values in pair])


def verdict_rows(verdict: Verdict) -> Iterator[Node]:
    """The claim, what was checked and the answer."""
    found = verdict.counterexample
    yield Row("claim", pretty(str(verdict.claim)), "claim", verdict.claim.record())
    yield data("verdict", verdict.status)
    yield Row("checked", checked(verdict.counts, verdict.claim.of_pairs))
    for name in ("inputs", "pairs", "outputs", "inequalities", "distinct"):
        yield data(name, getattr(verdict.counts, name))
    yield Row("verdict", verdict.status.upper())
    yield from inner("counterexample", () if found is None else found.rows())
    if isinstance(verdict, Undecided):
        yield Row("reason", verdict.reason, "reason", verdict.reason)
        yield doubts(verdict)
    yield data("notes", list(verdict.notes))


def doubts(verdict: Undecided) -> Group:
    """The open inequalities, each with its inputs and where it is open."""
    return Group("doubts", tuple(tuple(_doubt(doubt)) for doubt in verdict.doubts), 5)


def _doubt(doubt: Doubt) -> Iterator[Row]:
    place = f"{pair_text(doubt.input, doubt.neighbour)}: eps in [{doubt.low}, {doubt.high}]"
    yield Row("open", pretty(place), "input", valuation_record(doubt.input))
    yield data("neighbour", valuation_record(doubt.neighbour))
    yield data("outputs", list(map(valuation_record, doubt.outputs)))
    yield data("interval", [str(doubt.low), str(doubt.high)])


def short_witness(verdict: Verdict) -> str:
    """What speaks against the claim, in one line; nothing for a proof."""
    if isinstance(verdict, Undecided):
        return verdict.reason
    return pretty(verdict.counterexample.brief()) if verdict.counterexample is not None else ""


def checked(counts: Counts, of_pairs: bool = True) -> str:
    """For example ``2 inputs, 4 ordered pairs of neighbours, 2 outputs: 8 inequalities, 2 distinct``."""
    how = {
        "by derivative chain": counts.by_chain,
        "identities" if counts.identities != 1 else "identity": counts.identities,
        "by root isolation": counts.by_roots,
        "by the sign at one ε": counts.at_point,
        "broken": counts.broken,
        "open": counts.open,
    }
    shown = ", ".join(f"{number} {name}" for name, number in how.items() if number)
    if of_pairs and not counts.inequalities and not counts.pairs:
        return f"{_number(counts.inputs, 'input')}; no pair of neighbours is settled yet"
    about = f" of {counts.shortcut}" if counts.shortcut else ""
    pairs = f", {_number(counts.pairs, 'ordered pair')} of neighbours, {_number(counts.outputs, 'output')}"
    return (
        f"{_number(counts.inputs, 'input')}{pairs * of_pairs}: {_number(counts.inequalities, 'inequality')}, "
        f"{counts.distinct} distinct{about}" + (f" ({shown})" if shown else "")
    )


def pair_text(left: Valuation, right: Valuation) -> str:
    """Two inputs: ``q = [0, 1] against q = [1, 1]``."""
    return f"{valuation_text(left)} against {valuation_text(right)}"


def nice(text: str) -> str:
    """Greek letters, and signs for infinity, limits and products.

    >>> nice("0 < eps < inf")
    '0 < ε < ∞'
    """
    return re.sub(r"\binf\b", "∞", pretty(text)).replace("->", "→").replace("*", "·")


def _number(count: int, noun: str) -> str:
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{count_text(count)} {noun if count == 1 else plural}"
