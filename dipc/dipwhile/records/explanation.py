"""The document of an explanation: the inputs, paths to the output, where the loss comes from, the claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import assert_never

from flint import arb, fmpq

from dipc.claims.exponent import Exponent, exponent_text
from dipc.claims.rows import Node, Row, data, input_rows, output_row
from dipc.claims.tightness.least import Kind
from dipc.claims.wording import Line, Record, decimal_at, digits_of, number_record, number_text, pretty
from dipc.dipwhile.explain.explanation import Claimed, Explanation, Reason, Route, Tightness
from dipc.dipwhile.explain.paths import Event, Path, Sample, Step, Stop
from dipc.dipwhile.explain.shifts import Shift
from dipc.dipwhile.export.history import SUBSCRIPTS, comparison_text, law_text, sum_text
from dipc.dipwhile.semantics.evaluate import Datum, spelled_cell
from dipc.dipwhile.syntax.core import Cell
from dipc.integration.linear import Linear
from dipc.models.values import show
from dipc.numbers.quotient import Quotient
from dipc.report.document import Document, Section
from dipc.report.tightness import enclosure, ends_record, least_record, regions_record, where
from dipc.signs.ends import shown, union

MOST_SOURCE = 44  # characters of a source line in the listing of a path
WHY = {
    Reason.VIOLATED: "these inputs and this output break the claim",
    Reason.TIGHTEST: "these inputs and this output need the greatest multiple of ε",
    Reason.ASKED: "these inputs and this output were asked for",
}


def explanation_document(found: Explanation) -> Document:
    """The explanation, section by section."""
    names = Names(found)
    paths, sources = ([Row(*line) for line in part(found, names)] for part in (_path_lines, _source_lines))
    cost = data("shifts_cost", None if found.aligned is None else str(found.aligned))
    return (
        Section("", tuple(_head(found))),
        Section(_paths_heading(found), (*paths, *_sums(found, names))),
        Section("Where the loss comes from", (*sources, cost)),
        Section("The inequality", tuple(_inequality(found))),
    )


def _head(found: Explanation) -> Iterator[Node]:
    goal = found.claimed and found.claimed.goal
    yield Row("claim", pretty(str(goal)), "claim", goal.record()) if goal else data("claim", None)
    needs_delta = found.reason is Reason.TIGHTEST and found.tightness is not None and found.tightness.of_delta
    why = "these inputs and this output need the greatest δ" if needs_delta else WHY[found.reason]
    yield Row("why these", why, "reason", found.reason.name.lower())
    yield from input_rows(found.input, found.neighbour)
    changes = (f"{spelled_cell(c)} is {show(a)} on u and {show(b)} on u'" for c, a, b in found.changed)
    records = [{"cell": spelled_cell(c), "input": str(a), "neighbour": str(b)} for c, a, b in found.changed]
    yield Row("changed", "; ".join(changes) or "nothing: the two inputs are equal", "changed", records)
    yield output_row(found.outputs)
    yield Row("budget", pretty(f"eps = {found.eps}"), "epsilon", str(found.eps))


def _sums(found: Explanation, names: Names) -> Iterator[Node]:
    """The probabilities of the outputs, what the paths that are left out have of them, and the loss."""
    eps = found.eps
    for name, prefix in (("u", ""), ("u'", "neighbour_")):
        complete, rest = (getattr(found, f"{prefix}{part}") for part in ("complete", "rest"))
        text = None if complete else f"all other paths together have {_probability_text(rest, eps)}"
        yield Row(f"rest on {name}", text, f"{prefix}rest", number_record(rest, eps))
    yield data("complete", found.complete and found.neighbour_complete)
    several = "   (the sum of all paths)" if len(found.routes) > 1 else ""
    for name, key, note in (("P(u)", "probability", several), ("P(u')", "neighbour_probability", "")):
        value = getattr(found, key)
        yield Row(name, _probability_text(value, eps) + note, key, number_record(value, eps))
    yield _loss(found)
    yield data(
        "paths",
        [
            {
                "input": route.left and _path_record(route.left, eps, names),
                "neighbour": route.right and _path_record(route.right, eps, names),
                "shift": _shift_record(route, names),
            }
            for route in found.routes
        ],
    )


def _loss(found: Explanation) -> Row:
    """The loss at eps; null for machines if it is infinite, or there is nothing to compare."""
    if not found.neighbour_probability or not found.probability:
        return data("loss", None)
    ratio, eps = found.probability / found.neighbour_probability, found.eps
    differ = (ratio - 1).sign_at(eps)
    loss = digits_of(lambda: ratio.enclose(arb(eps)).log(), 10) if differ else "0"
    text = f"ln(P(u)/P(u')) = ln({decimal_at(ratio, eps)}) = {loss} at eps = {eps}"
    return Row("loss", pretty(text), "loss", loss)


# --- the inequality --------------------------------------------------------------------------


def _inequality(found: Explanation) -> Iterator[Node]:
    claimed, tightness = found.claimed, found.tightness
    if claimed is None:
        yield data("inequality", None)
    else:
        goal = claimed.goal
        factor, delta = f"exp({goal.epsilon}) * " * (goal.t != 0), f" + {goal.delta}" * bool(goal.delta)
        yield Row("claimed", pretty(f"P(u) ≤ {factor}P(u'){delta}"))
        record = _claimed_record(claimed, found.eps)
        yield Row("here", pretty(_state(claimed, found.eps)), "inequality", record)
    if tightness is None:
        yield data("least", None)
    else:
        label, text = _least(found, tightness)
        spots = [where(spot) for spot in tightness.spots]
        key = "delta" if tightness.of_delta else "t"
        yield Row(label, pretty(text), "least", {key: least_record(tightness.least), "where": spots})
        if spots and not tightness.least.infinite:
            yield Row("", pretty(spots[0]))


def _state(claimed: Claimed, eps: fmpq) -> str:
    if claimed.identity:
        return "an equality at every eps: tight, nothing is left"
    excess = claimed.excess
    spare = f"{decimal_at(-excess, eps)} more than needed"
    how = f"exceeded by {decimal_at(excess, eps)}" if claimed.broken_at(eps) else spare
    sides = f"at eps = {eps}: {decimal_at(claimed.bound, eps)} on the right, {how}"
    if claimed.regions is None:
        return sides
    broken = union(list(map(shown, claimed.regions)))
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
        "violated_for_ends": None if regions is None else ends_record(regions),
    }


# --- paths -----------------------------------------------------------------------------------


class Names:
    """Names for samples: the name of the variable, numbered if a path draws it more than once."""

    def __init__(self, found: Explanation) -> None:
        self._repeated: set[Cell] = set()
        for path in (path for route in found.routes for path in (route.left, route.right) if path):
            drawn = Counter(sample.cell for sample in path.samples)
            self._repeated |= {cell for cell, number in drawn.items() if number > 1}

    def of(self, samples: Sequence[Sample]) -> list[str]:
        """The names of the samples of one path."""
        drawn = [sample.cell for sample in samples]
        counts = (str(drawn[:i].count(cell) + 1).translate(SUBSCRIPTS) for i, cell in enumerate(drawn))
        return [spelled_cell(c) + n * (c in self._repeated) for c, n in zip(drawn, counts, strict=True)]


def _paths_heading(found: Explanation) -> str:
    count = sum(route.left is not None for route in found.routes)
    these = "this output" if len(found.outputs) == 1 else "these outputs"
    if not found.complete:
        return f"The first {count} of the paths on u that lead to {these}"
    if not count:
        return f"No path leads to {these} on u"
    return f"The path{'s' * (count > 1)} that lead{'s' * (count == 1)} to {these} on u"


def _path_lines(found: Explanation, names: Names) -> Iterator[Line]:
    """The paths on u with those on u' that match, then those on u' only."""
    before: Path | None = None
    lefts = [route for route in found.routes if route.left is not None]
    several = len(lefts) > 1
    for number, route in enumerate(lefts, 1):
        assert route.left is not None
        if several:
            yield f"path {number}", _of_outcome(found, route.left)
        yield from _steps(route.left, route.right, before, names)
        if several or route.right is None:
            yield from _masses(found, route)
        before = route.left
    for path in (route.right for route in found.routes if route.left is None and route.right is not None):
        yield "on u' only", _of_outcome(found, path) or "these choices lead to the output on u' only"
        yield from _steps(path, None, None, names)
        yield "P(path)", f"{_probability_text(path.probability, found.eps)}   on u'"


def _of_outcome(found: Explanation, path: Path) -> str:
    return "" if len(found.outputs) == 1 else f"to {', '.join(map(show, path.outcome))}"


def _masses(found: Explanation, route: Route) -> Iterator[Line]:
    assert route.left is not None
    yield "P(path)", f"{_probability_text(route.left.probability, found.eps)}   on u"
    if route.right is not None:
        yield "", f"{_probability_text(route.right.probability, found.eps)}   on u'"
        return
    if route.stop is not None:
        yield "on u'", _stopped(route.stop, route.left)


def _stopped(stop: Stop, path: Path) -> str:
    """Why no path on u' makes the same random choices as this one on u."""
    step, other = stop.step, stop.other
    if stop.path is not None:
        return f"the same choices lead to another output: {', '.join(map(show, stop.path.outcome))}"
    there = "" if other is None else f"line {other.span.line} `{_source(other)}`"
    if step is None:
        return f"the same choices are possible, and further ones follow: {there}"
    here = f"line {step.span.line} `{_source(step)}`"
    if other is not None and other.place == step.place:
        if stop.law is not None and step.sample is not None:
            laws = (law_text(law) for law in (stop.law, path.samples[step.sample].law))
            return f"{there} draws from {pretty(' instead of '.join(laws))}"
        if not step.compares_as(other):
            return f"{there} compares something else"
    if stop.reached:
        return f"impossible: {here} cannot come out like this"
    if other is None:
        return f"the program ends without a choice such as {here}"
    if there == here:
        return f"the program has branched on private values before {here}"
    return f"the program takes another way: {there} instead of {here}"


def _probability_text(value: Quotient, eps: fmpq) -> str:
    """A probability: decimals at eps, and the exact function."""
    return number_text(value, eps) if value else "0"


def _steps(path: Path, twin: Path | None, before: Path | None, names: Names) -> Iterator[Line]:
    """The steps of a path, without those that it shares with the path before."""
    shared = _shared(path, before)
    if shared:
        yield f"line {path.steps[shared - 1].span.line}", "up to here as on the path before"
    rest = iter(twin.choices if twin is not None else ())  # the same choices in the same order
    others = [next(rest, None) if step.random else None for step in path.steps]
    rows = [(step, *_row(path, twin, step, others[i], names)) for i, step in enumerate(path.steps)][shared:]
    width = max((len(source) for _, source, _ in rows), default=0)
    for step, source, meaning in rows:
        yield f"line {step.span.line}", f"{source:<{width}}   {meaning}".rstrip()


def _shared(path: Path, before: Path | None) -> int:
    """How many steps two paths have in common from the start; 0 if only one or two."""
    if before is None:
        return 0
    own, earlier = ([(step.sign(one.samples), step.value) for step in one.steps] for one in (path, before))
    number = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(own, earlier, strict=False)))
    return number if 2 < number < len(path.steps) else 0


def _row(path: Path, twin: Path | None, step: Step, other: Step | None, names: Names) -> tuple[str, str]:
    own = names.of(path.samples)
    here = _meaning(step, path, own)
    there = _meaning(other, twin, own) if other is not None and twin is not None else here
    return _source(step), pretty(here if here == there else f"{here};   on u' {there}")


def _source(step: Step) -> str:
    text = " ".join(step.span.source.text[step.span.start : step.span.end].split())
    text = ("while " if step.event is Event.LOOP else "if " if step.taken is not None else "") + text
    return text if len(text) <= MOST_SOURCE else f"{text[: MOST_SOURCE - 3]}..."


def _meaning(step: Step, path: Path, names: Sequence[str]) -> str:
    """What happens at a step."""
    conditions = " and ".join(_condition_text(condition, names) for condition in step.conditions)
    given = f"{conditions}, so " if conditions else ""
    cell = "" if step.cell is None else spelled_cell(step.cell)
    match step.event:
        case Event.NOISE:
            assert step.sample is not None
            sample = path.samples[step.sample]
            return f"{given}{names[step.sample]} ~ {law_text(sample.law)}"
        case Event.CHOICE:
            assert step.probability is not None
            return f"{given}{cell} = {_value(step.value, names)}, with probability {step.probability}"
        case Event.BRANCH if step.taken is None:
            return f"{given}{cell} = {_value(step.value, names)}"
        case Event.BRANCH:
            return f"{conditions}: {'it holds' if step.taken else 'it does not hold'}"
        case Event.LOOP:
            left = ", ".join(f"{spelled_cell(c)} = {_value(v, names)}" for c, v in step.left)
            return f"left{' with ' if left else ''}{left} (all ways through the loop are summed)"
        case Event.OUTPUT:
            return f"{cell} = {_value(step.value, names)}"
        case _:
            assert_never(step.event)


def _value(value: Datum | None, names: Sequence[str]) -> str:
    if isinstance(value, Linear):
        return sum_text([(names[i], c) for i, c in value.coefficients], value.constant)
    return "" if value is None else show(value)


def _condition_text(condition: Linear, names: Sequence[str]) -> str:
    """A condition in normal form, with the last sample on the left."""
    terms = [(names[i], c) for i, c in condition.coefficients]
    return comparison_text(terms, condition.constant, condition.integer, turned=terms[-1][1] < 0)


# --- shifts ----------------------------------------------------------------------------------


def _source_lines(found: Explanation, names: Names) -> Iterator[Line]:
    """How the samples of the paths shift, what that costs, and how tight the sum is."""
    lefts = [route for route in found.routes if route.left is not None]
    if found.infinite_loss and found.probability:
        yield "", "u' never gives this output: whoever sees it knows that the input was not u'"
        return
    groups: dict[tuple[object, ...], list[int]] = {}
    for number, route in enumerate(lefts, 1):
        key = (route.alignment, tuple(s.cell for s in route.left.samples) if route.left else ())
        groups.setdefault(key, []).append(number)
    for numbers in groups.values():
        listed = ", ".join(map(str, numbers))
        which = "" if len(lefts) == 1 else f"path{'s' * (len(numbers) > 1)} {listed}"
        yield from _group(lefts[numbers[0] - 1], which, names, found.eps)
    yield from _compared(found)


def _group(route: Route, which: str, names: Names, eps: fmpq) -> Iterator[Line]:
    found = route.alignment
    if found is None or route.left is None:
        yield which, _why_no_shift(route)
        return
    if found.shifts:
        yield which, "move the samples, so that all comparisons come out the same on u':"
        samples = route.left.samples
        for shift, name, sample in zip(found.shifts, names.of(samples), samples, strict=True):
            yield "", f"  {pretty(_shift_text(shift, name, sample))}"
    factors = [f"exp({_times(found.cost, found.inverse)})"] if found.cost else []
    if found.factor != Quotient.one():
        factors = [_ratio_text(found.factor, eps), *factors]
        text = f"the finite choices on the path are {factors[0]} times as likely on u as on u'"
        yield "" if found.shifts else which, pretty(text)
    argued = found.shifts or found.factor != Quotient.one()
    reason = "hence" if argued else "the same choices are as likely on u':"
    bound = " * ".join([*factors, "P(path on u')"])
    yield "" if argued else which, pretty(f"{reason} P(path on u) ≤ {bound} for every eps")


def _ratio_text(value: Quotient, eps: fmpq) -> str:
    """A positive quotient, with a denominator that is positive at a budget."""
    if value.denominator.sign_at(eps) > 0:
        return f"({value})" if value.denominator.as_rational() == 1 else str(value)
    return f"({-value.numerator})/({-value.denominator})"


def _why_no_shift(route: Route) -> str:
    if route.right is None:
        return "no path on u' corresponds to it (see above): only the exact probabilities tell"
    if route.right.has_loop:
        return "a loop is on this path: its probability is exact, but is not split further"
    why = "no shift of the samples makes the comparisons come out the same"
    return f"{why}: only the exact probabilities tell"


def _shift_text(shift: Shift, name: str, sample: Sample) -> str:
    """How a sample moves, and what that costs.

    >>> from dipc.dipwhile.semantics.noise import Random
    >>> from dipc.dipwhile.syntax.distributions import NOISE
    >>> noise = Sample(("r", 0), Random(NOISE["Lap"], fmpq(3, 4), False, fmpq(0)))
    >>> _shift_text(Shift(0, fmpq(1), fmpq(-1), fmpq(3, 2)), "r", noise)
    'r moves by 1, its mean by -1: this costs 3/4*2*eps = 3/2*eps'
    >>> _shift_text(Shift(0, fmpq(1), fmpq(1), fmpq(0)), "r", noise)
    'r moves by 1, as its mean does: free'
    """
    if not shift.cost:
        return f"{name} moves by {shift.by}, as its mean does: free" if shift.by else f"{name} stays: free"
    own = f"moves by {shift.by}" if shift.by else "stays"
    mean = ("by " if shift.by else "moves by ") + str(shift.mean) if shift.mean else "stays"
    moves = f"{name} {own}, its mean {mean}"
    law, distance = sample.law, abs(shift.by - shift.mean)
    unit = "/eps" if law.inverse else "*eps"
    product = f"{law.rate}*{distance}{unit} = " if distance != 1 and law.rate != 1 else ""
    return f"{moves}: this costs {product}{_times(shift.cost, law.inverse)}"


def _times(t: fmpq, inverse: bool = False) -> str:
    return f"{t}/eps" if inverse else exponent_text(Exponent(t))


def _compared(found: Explanation) -> Iterator[Line]:
    """The sum of the shifts against the exact least t."""
    t = found.aligned
    if t is None or found.infinite_loss:
        return
    yield "together", pretty(f"P(u) ≤ {f'exp({_times(t)}) * ' if t else ''}P(u') for every eps")
    tightness = found.tightness
    if tightness is None or tightness.of_delta or (least := tightness.least.exact) is None:
        return
    if least < t:
        text = f"the exact loss is less, at most {_times(least)}: the moves take each sample at its worst"
    elif any(spot.kind is Kind.EVERYWHERE for spot in tightness.spots):
        text = "this is tight: the loss is exactly what the moves cost, at every eps"
    else:
        text = "this is tight: no smaller multiple of eps is enough"
    yield "", pretty(text)


# --- records ---------------------------------------------------------------------------------


def _path_record(path: Path, eps: fmpq, names: Names) -> Record:
    own = names.of(path.samples)
    return {
        "output": [show(value) for value in path.outcome],
        "probability": number_record(path.probability, eps),
        "steps": [
            {
                "line": step.span.line,
                "source": _source(step),
                "kind": step.event.value,
                "meaning": _meaning(step, path, own).replace("ε", "eps"),
                "conditions": [_condition_text(condition, own) for condition in step.conditions],
            }
            for step in path.steps
        ],
    }


def _shift_record(route: Route, names: Names) -> Record | None:
    found, shown = route.alignment, route.left or route.right
    if found is None or shown is None:
        return None
    own = names.of(shown.samples)
    return {
        "samples": [
            {"name": own[s.sample], "by": str(s.by), "mean": str(s.mean), "cost": str(s.cost)}
            for s in found.shifts
        ],
        "factor": str(found.factor),
        "bound": str(found.bound),
    }
