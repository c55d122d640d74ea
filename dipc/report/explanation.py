"""An explanation in words, and as a JSON record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from flint import fmpq

from dipc.claims.privacy import Goal
from dipc.claims.regions import region_words
from dipc.claims.tightness.least import Kind
from dipc.claims.wording import Line, Record, decimal_at, pretty
from dipc.dipwhile.explain.explanation import Claimed, Explanation, Reason, Route, Tightness
from dipc.dipwhile.explain.paths import Event, Path, Sample, Step
from dipc.dipwhile.explain.shifts import Shift
from dipc.dipwhile.semantics.evaluate import Datum
from dipc.dipwhile.syntax.core import Cell
from dipc.export.history import RELATIONS, SUBSCRIPTS, cell_text, law_text, sum_text
from dipc.integration.linear import Linear
from dipc.models.values import show, valuation_record, valuation_text
from dipc.numbers.quotient import Quotient
from dipc.report.tightness import enclosure, epsilon_text, least_record, logarithm_at, where
from dipc.report.words import aligned
from dipc.signs.tables import end_as_text

MOST_SOURCE = 44  # characters of a source line in the listing of a path


@dataclass(frozen=True, slots=True)
class Section:
    """A heading (none for the first one) and its lines: what stands in front, and the text."""

    heading: str
    lines: tuple[Line, ...]


def explanation_sections(found: Explanation) -> Iterator[Section]:
    """The explanation for people."""
    names = Names(found)
    yield Section("", tuple(_head(found)))
    yield Section(_paths_heading(found), tuple(_paths(found, names)))
    yield Section("Where the loss comes from", tuple(_sources(found, names)))
    yield Section("The inequality", tuple(_inequality(found)))


def section_lines(section: Section) -> list[str]:
    """The lines below the heading, moved in if there is one."""
    margin = "  " if section.heading else ""
    return [f"{margin}{line}".rstrip() for line in aligned(section.lines or [("", "")])]


def explanation_text(found: Explanation) -> str:
    """All sections."""
    sections = explanation_sections(found)
    parts = ([*([one.heading] if one.heading else []), *section_lines(one)] for one in sections)
    return "\n\n".join(map("\n".join, parts))


class Names:
    """Names for the samples of paths: that of the variable, numbered if it is drawn more than once."""

    def __init__(self, found: Explanation) -> None:
        paths = [path for route in found.routes for path in (route.left, route.right) if path is not None]
        self._repeated: set[Cell] = set()
        for path in paths:
            drawn = Counter(sample.cell for sample in path.samples)
            self._repeated |= {cell for cell, number in drawn.items() if number > 1}

    def of(self, samples: Sequence[Sample]) -> list[str]:
        """The names of the samples of one path."""
        seen: Counter[Cell] = Counter()
        names = []
        for sample in samples:
            seen[sample.cell] += 1
            number = str(seen[sample.cell]).translate(SUBSCRIPTS) if sample.cell in self._repeated else ""
            names.append(cell_text(sample.cell) + number)
        return names


# --- the head --------------------------------------------------------------------------------------

WHY = {
    Reason.VIOLATED: "these inputs and this output break the claim",
    Reason.TIGHTEST: "these inputs and this output need the greatest multiple of ε",
    Reason.ASKED: "these inputs and this output were asked for",
}


def _head(found: Explanation) -> Iterator[Line]:
    if found.claimed is not None:
        yield "claim", pretty(str(found.claimed.goal))
    yield "why these", _why(found)
    yield "input", f"u  : {valuation_text(found.input)}"
    yield "neighbour", f"u' : {valuation_text(found.neighbour)}"
    changes = (f"{cell_text(c)} is {show(a)} on u and {show(b)} on u'" for c, a, b in found.changed)
    yield "changed", "; ".join(changes) or "nothing: the two inputs are equal"
    yield "outputs" if len(found.outputs) > 1 else "output", " or ".join(map(valuation_text, found.outputs))
    yield "budget", pretty(f"eps = {found.eps}")


def _why(found: Explanation) -> str:
    needs_delta = found.reason is Reason.TIGHTEST and found.tightness is not None and found.tightness.of_delta
    return "these inputs and this output need the greatest δ" if needs_delta else WHY[found.reason]


# --- the paths -------------------------------------------------------------------------------------


def _paths_heading(found: Explanation) -> str:
    count = sum(route.left is not None for route in found.routes)
    these = "this output" if len(found.outputs) == 1 else "these outputs"
    if not found.complete:
        return f"The first {count} of the paths on u that lead to {these}"
    if not count:
        return f"No path leads to {these} on u"
    return f"The path{'s' * (count > 1)} that lead{'s' * (count == 1)} to {these} on u"


def _paths(found: Explanation, names: Names) -> Iterator[Line]:
    several = sum(route.left is not None for route in found.routes) > 1
    before: Path | None = None
    lefts = [route for route in found.routes if route.left is not None]
    for number, route in enumerate(lefts, 1):
        assert route.left is not None
        if several:
            yield f"path {number}", _of_outcome(found, route.left)
        yield from _steps(route.left, route.right, before, names)
        if several or route.right is None:
            yield from _masses(found, route)
        before = route.left
    others = [route.right for route in found.routes if route.left is None and route.right is not None]
    for path in others:
        yield "on u' only", _of_outcome(found, path) or "these choices lead to the output on u' only"
        yield from _steps(path, None, None, names)
        yield "P(path)", f"{_number(path.probability, found.eps)}   on u'"
    yield from _sums(found)


def _of_outcome(found: Explanation, path: Path) -> str:
    if len(found.outputs) == 1:
        return ""
    values = ", ".join(show(value) for value in path.outcome)
    return f"to {values}"


def _masses(found: Explanation, route: Route) -> Iterator[Line]:
    assert route.left is not None
    yield "P(path)", f"{_number(route.left.probability, found.eps)}   on u"
    if route.right is not None:
        yield "", f"{_number(route.right.probability, found.eps)}   on u'"
        return
    stop = route.stop
    if stop is not None and stop.step is not None:
        line = f"line {stop.step.span.line}"
        how = f"at {line} `{_source(stop.step)}` cannot come out like this"
        yield "on u'", f"impossible: {how if stop.reached else f'{line} is not reached with these choices'}"
    elif stop is not None and stop.path is not None:
        values = ", ".join(show(value) for value in stop.path.outcome)
        yield "on u'", f"the same choices lead to another output: {values}"
    elif stop is not None:
        yield "on u'", "the same choices are possible, and further ones follow"


def _sums(found: Explanation) -> Iterator[Line]:
    for name, complete, rest in (
        ("u", found.complete, found.rest),
        ("u'", found.neighbour_complete, found.neighbour_rest),
    ):
        if not complete:
            yield f"rest on {name}", f"all other paths together have {_number(rest, found.eps)}"
    several = len(found.routes) > 1
    yield "P(u)", f"{_number(found.probability, found.eps)}{'   (the sum of all paths)' * several}"
    yield "P(u')", _number(found.neighbour_probability, found.eps)
    if found.neighbour_probability and found.probability:
        ratio = found.probability / found.neighbour_probability
        yield (
            "loss",
            pretty(
                f"ln(P(u)/P(u')) = ln({decimal_at(ratio, found.eps)}) = {logarithm_at(ratio, found.eps)}"
                f" at eps = {found.eps}"
            ),
        )


def _number(value: Quotient, eps: fmpq) -> str:
    if not value:
        return "0"
    return pretty(f"{decimal_at(value, eps)}  =  {value}")


def _steps(path: Path, twin: Path | None, before: Path | None, names: Names) -> Iterator[Line]:
    """The steps of a path; those that it shares with the path before are not repeated."""
    shared = _shared(path, before)
    if shared:
        yield f"line {path.steps[shared - 1].span.line}", "until here as the path before"
    others = _matched(path, twin)
    rows = [(step, *_row(path, twin, step, others[i], names)) for i, step in enumerate(path.steps)][shared:]
    width = max((len(source) for _, source, _ in rows), default=0)
    for step, source, meaning in rows:
        yield f"line {step.span.line}", f"{source:<{width}}   {meaning}".rstrip()


def _shared(path: Path, before: Path | None) -> int:
    """How many steps two paths have in common from the start; 0 if only one or two."""
    if before is None:
        return 0
    number = 0
    for a, b in zip(path.steps, before.steps, strict=False):
        if (a.sign(path.samples), a.value) != (b.sign(before.samples), b.value):
            break
        number += 1
    return number if 2 < number < len(path.steps) else 0


def _matched(path: Path, twin: Path | None) -> list[Step | None]:
    """For each step that of the twin: the random ones are the same, in the same order."""
    rest = iter(twin.choices if twin is not None else ())
    return [next(rest, None) if step.random else None for step in path.steps]


def _row(path: Path, twin: Path | None, step: Step, other: Step | None, names: Names) -> tuple[str, str]:
    own = names.of(path.samples)
    here = _meaning(step, path, own)
    there = _meaning(other, twin, own) if other is not None and twin is not None else here
    return _source(step), pretty(here if here == there else f"{here};   on u' {there}")


def _source(step: Step) -> str:
    text = " ".join(step.span.source.text[step.span.start : step.span.end].split())
    if step.event is Event.LOOP:
        text = f"while {text}"
    elif step.taken is not None:
        text = f"if {text}"
    return text if len(text) <= MOST_SOURCE else f"{text[: MOST_SOURCE - 3]}..."


def _meaning(step: Step, path: Path, names: Sequence[str]) -> str:
    """What happens at a step."""
    conditions = " and ".join(condition_text(condition, names) for condition in step.conditions)
    given = f"{conditions}, so " if conditions else ""
    cell = "" if step.cell is None else cell_text(step.cell)
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
            left = ", ".join(f"{cell_text(c)} = {_value(v, names)}" for c, v in step.left)
            return f"left{' with ' if left else ''}{left} (all ways through the loop are summed)"
        case Event.OUTPUT:
            return f"{cell} = {_value(step.value, names)}"
        case _:
            assert_never(step.event)


def _value(value: Datum | None, names: Sequence[str]) -> str:
    if isinstance(value, Linear):
        return sum_text([(names[i], c) for i, c in value.coefficients], value.constant)
    return "" if value is None else show(value)


def condition_text(condition: Linear, names: Sequence[str]) -> str:
    """A condition in normal form; what was drawn last stands on the left.

    >>> condition_text(Linear(((0, fmpq(1)), (1, fmpq(-1))), fmpq(2)), ["t", "r"])
    'r < t + 2'
    """
    last = condition.coefficients[-1][1]
    sign = -1 if last < 0 else 1
    terms = [(names[i], c * sign) for i, c in condition.coefficients]
    own = [(name, c) for name, c in terms if c > 0]
    others = [(name, -c) for name, c in terms if c < 0]
    relation = RELATIONS[condition.integer][last < 0]
    return f"{sum_text(own, fmpq(0))} {relation} {sum_text(others, -condition.constant * sign)}"


# --- where the loss comes from ---------------------------------------------------------------------


def _sources(found: Explanation, names: Names) -> Iterator[Line]:
    lefts = [route for route in found.routes if route.left is not None]
    groups: dict[tuple[object, ...], list[int]] = {}
    for number, route in enumerate(lefts, 1):
        key = (route.alignment, tuple(s.cell for s in route.left.samples) if route.left else ())
        groups.setdefault(key, []).append(number)
    if found.infinite_loss and found.probability:
        yield "", "u' never gives this output: whoever sees it knows that the input was not u'"
        return
    for numbers in groups.values():
        which = "" if len(lefts) == 1 else f"path{'s' * (len(numbers) > 1)} {_listed(numbers)}"
        yield from _group(lefts[numbers[0] - 1], which, names, found.eps)
    yield from _compared(found)


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def _group(route: Route, which: str, names: Names, eps: fmpq) -> Iterator[Line]:
    found = route.alignment
    if found is None:
        yield which, _why_no_shift(route)
        return
    assert route.left is not None
    if found.shifts:
        yield which, "move the samples, so that all comparisons come out the same on u':"
        for shift, name, sample in zip(
            found.shifts, names.of(route.left.samples), route.left.samples, strict=True
        ):
            yield "", f"  {pretty(_shift_text(shift, name, sample))}"
    factors = _factors(found.cost, found.inverse)
    if found.factor != Quotient.one():
        factors = [_ratio_text(found.factor, eps), *factors]
        text = f"the finite choices on the path are {factors[0]} times as likely on u as on u'"
        yield "" if found.shifts else which, pretty(text)
    right = _at_most(factors, "P(path on u')")
    yield "", pretty(f"hence P(path on u) ≤ {right} for every eps")


def _ratio_text(value: Quotient, eps: fmpq) -> str:
    """A positive quotient, with a denominator that is positive at a budget."""
    if value.denominator.sign_at(eps) > 0:
        return f"({value})" if value.denominator.as_rational() == 1 else str(value)
    return f"({-value.numerator})/({-value.denominator})"


def _why_no_shift(route: Route) -> str:
    if route.right is None:
        if route.stop is not None and route.stop.step is None and route.stop.path is None:
            return "on u' further random choices follow: no single path there stands against them"
        if route.stop is not None and route.stop.step is None:
            return "on u' the same choices lead to another output: no path there stands against them"
        return "on u' these choices are impossible: no path there stands against them"
    if route.right.has_loop:
        return "a loop is on this path: its probability is exact, but is not split further"
    return (
        "no shift of the samples makes the comparisons come out the same: only the exact probabilities tell"
    )


def _shift_text(shift: Shift, name: str, sample: Sample) -> str:
    """What becomes of a sample, and what it costs.

    >>> from dipc.dipwhile.semantics.noise import Random
    >>> from dipc.dipwhile.syntax.distributions import NOISE
    >>> noise = Sample(("r", 0), Random(NOISE["Lap"], fmpq(3, 4), False, fmpq(0)))
    >>> _shift_text(Shift(0, fmpq(1), fmpq(-1), fmpq(3, 2)), "r", noise)
    'r moves by 1, its mean by -1: this costs 3/4*2*eps = 3/2*eps'
    >>> _shift_text(Shift(0, fmpq(1), fmpq(1), fmpq(0)), "r", noise)
    'r moves by 1, as its mean does: free'
    >>> _shift_text(Shift(0, fmpq(0), fmpq(1), fmpq(3, 4)), "r", noise)
    'r stays, its mean moves by 1: this costs 3/4*eps'
    """
    if not shift.cost:
        return f"{name} moves by {shift.by}, as its mean does: free" if shift.by else f"{name} stays: free"
    match bool(shift.by), bool(shift.mean):
        case True, True:
            moves = f"{name} moves by {shift.by}, its mean by {shift.mean}"
        case True, False:
            moves = f"{name} moves by {shift.by}, its mean stays"
        case _:
            moves = f"{name} stays, its mean moves by {shift.mean}"
    distance = abs(shift.by - shift.mean)
    law = sample.law
    unit = "/eps" if law.inverse else "*eps"
    product = f"{law.rate}*{distance}{unit} = " if distance != 1 and law.rate != 1 else ""
    return f"{moves}: this costs {product}{_times(shift.cost, law.inverse)}"


def _times(t: fmpq, inverse: bool = False) -> str:
    if inverse:
        return f"{t}/eps"
    return epsilon_text(t)


def _at_most(factors: Sequence[str], right: str) -> str:
    return " * ".join([*factors, right])


def _factors(t: fmpq, inverse: bool = False) -> list[str]:
    """``exp(t*eps)``; nothing if t is 0."""
    return [f"exp({_times(t, inverse)})"] if t else []


def _compared(found: Explanation) -> Iterator[Line]:
    """The sum of the shifts against the exact least t."""
    t = found.aligned
    if t is None or found.infinite_loss:
        return
    right = _at_most(_factors(t), "P(u')")
    yield "together", pretty(f"P(u) ≤ {right} for every eps")
    tightness = found.tightness
    least = None if tightness is None or tightness.of_delta else tightness.least.exact
    if tightness is None or least is None:
        return
    if least < t:
        text = f"the exact loss is less, at most {_times(least)}: the moves take each sample at its worst"
    elif any(spot.kind is Kind.EVERYWHERE for spot in tightness.spots):
        text = "this is tight: the loss is exactly what the moves cost, at every eps"
    else:
        text = "this is tight: no smaller multiple of eps is enough"
    yield "", pretty(text)


# --- the inequality --------------------------------------------------------------------------------


def _inequality(found: Explanation) -> Iterator[Line]:
    if found.claimed is not None:
        yield "claimed", _claimed_text(found.claimed.goal)
        yield "here", pretty(_state(found.claimed, found.eps))
    if found.tightness is not None:
        yield from _tightness(found, found.tightness)


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


def _tightness(found: Explanation, tightness: Tightness) -> Iterator[Line]:
    least = tightness.least
    if tightness.of_delta:
        yield "least δ", f"{enclosure(least)} is enough for all inputs and outputs"
    elif least.infinite:
        reason = ": u' never gives this output" if found.infinite_loss else ""
        yield "least t", pretty(f"none: P(u) ≤ exp(t*eps) * P(u') holds for no t{reason}")
    else:
        yield (
            "least t",
            pretty(f"{enclosure(least)}: P(u) ≤ exp(t*eps) * P(u') holds for this t and for no smaller one"),
        )
    if not least.infinite:
        for spot in tightness.spots[:1]:
            yield "", pretty(where(spot))


# --- records ---------------------------------------------------------------------------------------


def explanation_record(found: Explanation) -> Record:
    """The explanation for machines."""
    names = Names(found)
    claimed, tightness = found.claimed, found.tightness
    return {
        "claim": None if claimed is None else claimed.goal.record(),
        "reason": found.reason.name.lower(),
        "input": valuation_record(found.input),
        "neighbour": valuation_record(found.neighbour),
        "changed": [
            {"cell": cell_text(c), "input": str(a), "neighbour": str(b)} for c, a, b in found.changed
        ],
        "outputs": [valuation_record(output) for output in found.outputs],
        "epsilon": str(found.eps),
        "probability": _value_record(found.probability, found.eps),
        "neighbour_probability": _value_record(found.neighbour_probability, found.eps),
        "loss": _loss_record(found),
        "paths": [_route_record(route, found.eps, names) for route in found.routes],
        "complete": found.complete and found.neighbour_complete,
        "rest": _value_record(found.rest, found.eps),
        "neighbour_rest": _value_record(found.neighbour_rest, found.eps),
        "shifts_cost": None if found.aligned is None else str(found.aligned),
        "inequality": None if claimed is None else _claimed_record(claimed, found.eps),
        "least": None if tightness is None else _tightness_record(tightness),
    }


def _value_record(value: Quotient, eps: fmpq) -> Record:
    return {"exact": str(value), "decimal": decimal_at(value, eps)}


def _loss_record(found: Explanation) -> str | None:
    """The loss at the budget; null if it is infinite, or there is nothing to compare."""
    if not found.probability or not found.neighbour_probability:
        return None
    return logarithm_at(found.probability / found.neighbour_probability, found.eps)


def _route_record(route: Route, eps: fmpq, names: Names) -> Record:
    alignment = route.alignment
    shown = route.left or route.right
    assert shown is not None
    own = names.of(shown.samples)
    return {
        "input": None if route.left is None else _path_record(route.left, eps, names),
        "neighbour": None if route.right is None else _path_record(route.right, eps, names),
        "shift": None
        if alignment is None
        else {
            "samples": [
                {"name": own[s.sample], "by": str(s.by), "mean": str(s.mean), "cost": str(s.cost)}
                for s in alignment.shifts
            ],
            "factor": str(alignment.factor),
            "bound": str(alignment.bound),
        },
    }


def _path_record(path: Path, eps: fmpq, names: Names) -> Record:
    own = names.of(path.samples)
    return {
        "output": [show(value) for value in path.outcome],
        "probability": _value_record(path.probability, eps),
        "steps": [
            {
                "line": step.span.line,
                "source": _source(step),
                "kind": step.event.value,
                "meaning": _meaning(step, path, own).replace("ε", "eps"),
                "conditions": [condition_text(condition, own) for condition in step.conditions],
            }
            for step in path.steps
        ],
    }


def _claimed_record(claimed: Claimed, eps: fmpq) -> Record:
    regions = claimed.regions
    return {
        "bound": {"exact": str(claimed.bound), "decimal": decimal_at(claimed.bound, eps)},
        "excess": {"exact": str(claimed.excess), "decimal": decimal_at(claimed.excess, eps)},
        "identity": claimed.identity,
        "violated_for": None
        if regions is None
        else [[end_as_text(r.low), end_as_text(r.high)] for r in regions],
    }


def _tightness_record(tightness: Tightness) -> Record:
    kind = "delta" if tightness.of_delta else "t"
    return {kind: least_record(tightness.least), "where": [where(spot) for spot in tightness.spots]}
