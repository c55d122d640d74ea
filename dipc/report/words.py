"""A verdict in words, for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from dipc.claims.privacy import Region
from dipc.claims.verdict import Counterexample, Counts, Goal, Undecided, Verdict
from dipc.models.values import Valuation, show
from dipc.numbers.surd import Number
from dipc.report.record import decimal_at
from dipc.signs.tables import end_as_text

Line = tuple[str, str]  # a heading and what stands behind it


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
    yield "claim", pretty(str(verdict.goal))
    yield "checked", checked(verdict.counts)
    yield "verdict", verdict.status.upper()
    if verdict.counterexample is not None:
        yield from counterexample_lines(verdict.counterexample)
    if isinstance(verdict, Undecided):
        yield "reason", verdict.reason
        for doubt in verdict.doubts[:5]:
            inputs = f"{valuation_text(doubt.input)} against {valuation_text(doubt.neighbour)}"
            yield "open", pretty(f"{inputs}: eps in [{doubt.low}, {doubt.high}]")
        if len(verdict.doubts) > 5:
            yield "", f"and {len(verdict.doubts) - 5} more"


def short_claim(goal: Goal) -> str:
    """For example ``(ε/2, exp(-2))``, and the budgets if these are not all."""
    delta = f", {goal.delta}" if goal.delta else ""
    if goal.budgets.is_point:
        where = f" at eps = {goal.budgets.low}"
    else:
        where = "" if str(goal.budgets) == "(0, inf)" else f" on {goal.budgets}"
    return pretty(f"({goal.epsilon}{delta}){where}")


def short_counterexample(verdict: Verdict) -> str:
    """What speaks against the claim, in one line; nothing for a proof."""
    if isinstance(verdict, Undecided):
        return verdict.reason
    found = verdict.counterexample
    if found is None:
        return ""
    outputs = " or ".join(map(valuation_text, found.outputs))
    u, v = valuation_text(found.input), valuation_text(found.neighbour)
    return pretty(f"{u} against {v}: {outputs} at eps = {found.epsilon}")


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


def counterexample_lines(found: Counterexample) -> Iterator[Line]:
    """u, u', the outputs, the budget, the exact numbers and where the claim breaks."""
    yield "input", f"u  : {valuation_text(found.input)}"
    yield "neighbour", f"u' : {valuation_text(found.neighbour)}"
    yield "outputs" if len(found.outputs) > 1 else "output", " or ".join(map(valuation_text, found.outputs))
    yield "budget", pretty(f"eps = {found.epsilon}")

    def number(value: Number) -> str:
        return pretty(f"{decimal_at(value, found.epsilon)}  =  {value}")

    yield "P(u)", number(found.probability)
    yield "P(u')", number(found.neighbour_probability)
    yield "bound", number(found.bound)
    yield "excess", number(found.excess)
    if found.infinite_loss:
        yield (
            "",
            pretty(
                "the neighbour never gives this output: no multiple of eps would do (infinite privacy loss)"
            ),
        )
    if found.violated_for:
        regions = (
            region_text(*ends, *closed)
            for ends, closed in zip(found.violated_for, found.closed_ends, strict=True)
        )
        yield "broken for", pretty(" or ".join(regions)) + "   by these two inputs"


def region_text(low: str, high: str, low_closed: bool, high_closed: bool) -> str:
    """For example ``0 < eps ≤ 1``; ends that are rounded may look alike.

    >>> region_text("1", "1", True, True), region_text("0.6931471806", "0.6931471806", False, False)
    ('eps = 1', 'eps in an interval so short that both its ends are 0.6931471806 rounded')
    """
    if low == high and not (low_closed and high_closed):
        return f"eps in an interval so short that both its ends are {low} rounded"
    if low == high:
        return f"eps = {low}"
    return f"{low} {'≤' if low_closed else '<'} eps {'≤' if high_closed else '<'} {high}"


def region_words(region: Region) -> str:
    """An interval of budgets, its ends exact or rounded."""
    ends = end_as_text(region.low), end_as_text(region.high)
    return region_text(*ends, region.low_closed, region.high_closed)


def valuation_text(valuation: Valuation) -> str:
    """For example ``q = [0, 1], x = 2``."""
    return ", ".join(f"{name} = {show(value)}" for name, value in valuation)


def pretty(text: str) -> str:
    """Greek letters for people."""
    return text.replace("eps", "ε")


def _number(count: int, noun: str) -> str:
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{count} {noun if count == 1 else plural}"
