"""The document of an explanation: the inputs, paths to the output, where loss comes from, the claim."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from flint import fmpq

from dipc.claims.privacy import Goal
from dipc.claims.regions import region_words
from dipc.claims.wording import Line, Record, decimal_at, number_record, pretty
from dipc.dipwhile.explain.explanation import Claimed, Explanation, Reason, Route, Tightness
from dipc.export.history import cell_text
from dipc.models.values import show
from dipc.report.document import Document, Node, Row, Section, data
from dipc.report.paths import Names, path_lines, path_record, paths_heading, probability_text
from dipc.report.shifts import shift_record, source_lines
from dipc.report.tightness import (
    enclosure,
    input_rows,
    least_record,
    logarithm_at,
    output_row,
    regions_record,
    where,
)

WHY = {
    Reason.VIOLATED: "these inputs and this output break the claim",
    Reason.TIGHTEST: "these inputs and this output need the greatest multiple of ε",
    Reason.ASKED: "these inputs and this output were asked for",
}


def explanation_document(found: Explanation) -> Document:
    """The explanation, section by section."""
    names = Names(found)
    paths = (*_rows(path_lines(found, names)), *_sums(found, names))
    return (
        Section("", tuple(_head(found))),
        Section(paths_heading(found), paths),
        Section("Where the loss comes from", (*_rows(source_lines(found, names)), _shifts_cost(found))),
        Section("The inequality", tuple(_inequality(found))),
    )


def _rows(lines: Iterable[Line]) -> Iterator[Row]:
    return (Row(label, text) for label, text in lines)


def _shifts_cost(found: Explanation) -> Row:
    return data("shifts_cost", None if found.aligned is None else str(found.aligned))


def _head(found: Explanation) -> Iterator[Node]:
    claim = found.claimed
    if claim is None:
        yield data("claim", None)
    else:
        yield Row("claim", pretty(str(claim.goal)), "claim", claim.goal.record())
    yield Row("why these", _why(found), "reason", found.reason.name.lower())
    yield from input_rows(found.input, found.neighbour)
    changes = (f"{cell_text(c)} is {show(a)} on u and {show(b)} on u'" for c, a, b in found.changed)
    records = [{"cell": cell_text(c), "input": str(a), "neighbour": str(b)} for c, a, b in found.changed]
    yield Row("changed", "; ".join(changes) or "nothing: the two inputs are equal", "changed", records)
    yield output_row(found.outputs)
    yield Row("budget", pretty(f"eps = {found.eps}"), "epsilon", str(found.eps))


def _why(found: Explanation) -> str:
    needs_delta = found.reason is Reason.TIGHTEST and found.tightness is not None and found.tightness.of_delta
    return "these inputs and this output need the greatest δ" if needs_delta else WHY[found.reason]


def _sums(found: Explanation, names: Names) -> Iterator[Node]:
    """The probabilities of the outputs, what the paths that are left out have of them, and the loss."""
    eps = found.eps
    for name, key, complete, rest in (
        ("u", "rest", found.complete, found.rest),
        ("u'", "neighbour_rest", found.neighbour_complete, found.neighbour_rest),
    ):
        text = None if complete else f"all other paths together have {probability_text(rest, eps)}"
        yield Row(f"rest on {name}", text, key, number_record(rest, eps))
    yield data("complete", found.complete and found.neighbour_complete)
    several = "   (the sum of all paths)" if len(found.routes) > 1 else ""
    for name, key, value, note in (
        ("P(u)", "probability", found.probability, several),
        ("P(u')", "neighbour_probability", found.neighbour_probability, ""),
    ):
        yield Row(name, probability_text(value, eps) + note, key, number_record(value, eps))
    yield _loss(found)
    yield data("paths", [_route_record(found, route, names) for route in found.routes])


def _loss(found: Explanation) -> Row:
    """The loss at eps; null for machines if it is infinite, or there is nothing to compare."""
    if not found.neighbour_probability or not found.probability:
        return data("loss", None)
    ratio, eps = found.probability / found.neighbour_probability, found.eps
    loss = logarithm_at(ratio, eps)
    text = f"ln(P(u)/P(u')) = ln({decimal_at(ratio, eps)}) = {loss} at eps = {eps}"
    return Row("loss", pretty(text), "loss", loss)


def _route_record(found: Explanation, route: Route, names: Names) -> Record:
    left, right = (
        None if path is None else path_record(path, found.eps, names) for path in (route.left, route.right)
    )
    return {"input": left, "neighbour": right, "shift": shift_record(route, names)}


# --- the inequality --------------------------------------------------------------------------


def _inequality(found: Explanation) -> Iterator[Node]:
    claimed, tightness = found.claimed, found.tightness
    if claimed is None:
        yield data("inequality", None)
    else:
        yield Row("claimed", _claimed_text(claimed.goal))
        yield Row(
            "here", pretty(_state(claimed, found.eps)), "inequality", _claimed_record(claimed, found.eps)
        )
    if tightness is None:
        yield data("least", None)
    else:
        label, text = _least(found, tightness)
        spots = [where(spot) for spot in tightness.spots]
        key = "delta" if tightness.of_delta else "t"
        yield Row(label, pretty(text), "least", {key: least_record(tightness.least), "where": spots})
        if spots and not tightness.least.infinite:
            yield Row("", pretty(spots[0]))


def _claimed_text(goal: Goal) -> str:
    factor = f"exp({goal.epsilon}) * " if goal.t else ""
    delta = f" + {goal.delta}" if goal.delta else ""
    return pretty(f"P(u) ≤ {factor}P(u'){delta}")


def _state(claimed: Claimed, eps: fmpq) -> str:
    if claimed.identity:
        return "an equality at every eps: tight, nothing is left"
    sides = f"at eps = {eps}: {decimal_at(claimed.bound, eps)} on the right, "
    sides += (
        f"exceeded by {decimal_at(claimed.excess, eps)}"
        if claimed.broken_at(eps)
        else f"{decimal_at(-claimed.excess, eps)} more than needed"
    )
    if claimed.regions is None:
        return sides
    broken = " or ".join(map(region_words, claimed.regions))
    return f"{sides}; {f'broken for {broken}' if broken else 'it holds for every eps of the claim'}"


def _least(found: Explanation, tightness: Tightness) -> Line:
    least = tightness.least
    if tightness.of_delta:
        return "least δ", f"{enclosure(least)} is enough for all inputs and outputs"
    if least.infinite:
        reason = ": u' never gives this output" if found.infinite_loss else ""
        return "least t", f"none: P(u) ≤ exp(t*eps) * P(u') holds for no t{reason}"
    return "least t", f"{enclosure(least)}: P(u) ≤ exp(t*eps) * P(u') holds for this t and for no smaller one"


def _claimed_record(claimed: Claimed, eps: fmpq) -> Record:
    regions = claimed.regions
    return {
        "bound": number_record(claimed.bound, eps),
        "excess": number_record(claimed.excess, eps),
        "identity": claimed.identity,
        "violated_for": None if regions is None else regions_record(regions),
    }
