"""The paths of an explanation: each step with its line, and what happens there on both inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import assert_never

from flint import fmpq

from dipc.claims.wording import Line, Record, number_record, number_text, pretty
from dipc.dipwhile.explain.explanation import Explanation, Route
from dipc.dipwhile.explain.paths import Event, Path, Sample, Step
from dipc.dipwhile.semantics.evaluate import Datum
from dipc.dipwhile.syntax.core import Cell
from dipc.export.history import RELATIONS, SUBSCRIPTS, cell_text, law_text, sum_text
from dipc.integration.linear import Linear
from dipc.models.values import show
from dipc.numbers.quotient import Quotient

MOST_SOURCE = 44  # characters of a source line in the listing of a path


class Names:
    """Names for samples: the name of the variable, numbered if a path draws it more than once."""

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


def paths_heading(found: Explanation) -> str:
    """The heading above the paths, which says whether they are all."""
    count = sum(route.left is not None for route in found.routes)
    these = "this output" if len(found.outputs) == 1 else "these outputs"
    if not found.complete:
        return f"The first {count} of the paths on u that lead to {these}"
    if not count:
        return f"No path leads to {these} on u"
    return f"The path{'s' * (count > 1)} that lead{'s' * (count == 1)} to {these} on u"


def path_lines(found: Explanation, names: Names) -> Iterator[Line]:
    """The paths on u with those on u' that match, then those on u' only."""
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
        yield "P(path)", f"{probability_text(path.probability, found.eps)}   on u'"


def _of_outcome(found: Explanation, path: Path) -> str:
    if len(found.outputs) == 1:
        return ""
    values = ", ".join(show(value) for value in path.outcome)
    return f"to {values}"


def _masses(found: Explanation, route: Route) -> Iterator[Line]:
    assert route.left is not None
    yield "P(path)", f"{probability_text(route.left.probability, found.eps)}   on u"
    if route.right is not None:
        yield "", f"{probability_text(route.right.probability, found.eps)}   on u'"
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


def probability_text(value: Quotient, eps: fmpq) -> str:
    """A probability: decimals at eps, and the exact function."""
    return number_text(value, eps) if value else "0"


def _steps(path: Path, twin: Path | None, before: Path | None, names: Names) -> Iterator[Line]:
    """The steps of a path, without those that it shares with the path before."""
    shared = _shared(path, before)
    if shared:
        yield f"line {path.steps[shared - 1].span.line}", "up to here as on the path before"
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
    """For each random step the matching one of the twin, which makes the same choices in the same order."""
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
    """A condition in normal form, with the last sample on the left.

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


# --- records ---------------------------------------------------------------------------------


def path_record(path: Path, eps: fmpq, names: Names) -> Record:
    """A path for machines."""
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
                "conditions": [condition_text(condition, own) for condition in step.conditions],
            }
            for step in path.steps
        ],
    }
