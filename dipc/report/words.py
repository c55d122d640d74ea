"""A verdict in words, for people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from dipc.claims.counts import Counts
from dipc.claims.verdict import Proved, Refuted, Undecided, Verdict
from dipc.claims.wording import Line, pretty
from dipc.models.values import Valuation, valuation_text


def aligned(lines: Iterable[Line]) -> list[str]:
    """Headings and texts in two columns.

    >>> aligned([("claim", "eps"), ("verdict", "PRIVATE")])
    ['claim    eps', 'verdict  PRIVATE']
    """
    lines = list(lines)
    width = max((len(heading) for heading, _ in lines), default=0)
    return [f"{heading:<{width}}  {text}" for heading, text in lines]


def program_line(name: str, parameters: Mapping[str, str]) -> Line:
    """The program with its parameters.

    >>> program_line("svt1", {"N": "3", "c": "1"})
    ('program', 'svt1  (N = 3, c = 1)')
    """
    settings = ", ".join(f"{parameter} = {value}" for parameter, value in parameters.items())
    return "program", name + (f"  ({settings})" if settings else "")


def verdict_lines(verdict: Verdict) -> Iterator[Line]:
    """The claim, what was checked and the answer, line by line."""
    yield "claim", pretty(str(verdict.claim))
    yield "checked", checked(verdict.counts)
    yield "verdict", verdict.status.upper()
    if verdict.counterexample is not None:
        yield from verdict.counterexample.lines()
    if isinstance(verdict, Undecided):
        yield "reason", verdict.reason
        yield from doubt_lines(verdict)


def sign(verdict: Verdict) -> str:
    """The answer as a sign."""
    return "✓" if isinstance(verdict, Proved) else "✗" if isinstance(verdict, Refuted) else "?"


def doubt_lines(verdict: Undecided) -> Iterator[Line]:
    """The first open inequalities, each with its inputs and where it is open."""
    for doubt in verdict.doubts[:5]:
        inputs = pair_text(doubt.input, doubt.neighbour)
        yield "open", pretty(f"{inputs}: eps in [{doubt.low}, {doubt.high}]")
    if len(verdict.doubts) > 5:
        yield "", f"and {len(verdict.doubts) - 5} more"


def short_witness(verdict: Verdict) -> str:
    """What speaks against the claim, in one line; nothing for a proof."""
    if isinstance(verdict, Undecided):
        return verdict.reason
    return pretty(verdict.counterexample.brief()) if verdict.counterexample is not None else ""


def checked(counts: Counts) -> str:
    """For example ``2 inputs, 4 ordered pairs of neighbours, 2 outputs: 8 inequalities, 2 distinct``."""
    how = [
        f"{number} {name}"
        for number, name in (
            (counts.by_chain, "by derivative chain"),
            (counts.identities, "identities" if counts.identities != 1 else "identity"),
            (counts.by_roots, "by root isolation"),
            (counts.at_point, "by the sign at one ε"),
            (counts.broken, "broken"),
            (counts.open, "open"),
        )
        if number
    ]
    if not counts.inequalities and not counts.pairs:
        return f"{_number(counts.inputs, 'input')}; no pair of neighbours is settled yet"
    return (
        f"{_number(counts.inputs, 'input')}, {_number(counts.pairs, 'ordered pair')} of neighbours, "
        f"{_number(counts.outputs, 'output')}: {_number(counts.inequalities, 'inequality')}, "
        f"{counts.distinct} distinct" + (f" ({', '.join(how)})" if how else "")
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
    return f"{count} {noun if count == 1 else plural}"
