"""Models with parameters: formulas are decided for every value in the ranges.

One parameter, where eps occurs neither in the model nor in the formula, takes the place of eps: all
probabilities are functions of it, and everything that is known of functions of eps > 0 holds for it.  Its
value 0, if that is in the range, is a model of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, cast

from flint import fmpq

import dipc.dpctl.pipeline as pipeline
from dipc.clock import Clock
from dipc.dpctl.boxes import Search
from dipc.dpctl.formula import ALL, EPS, EachNext, Formula, Property, depends_on_eps, parts
from dipc.dpctl.notes import notes
from dipc.dpctl.pipeline import ModelValue
from dipc.dpctl.processes import Options
from dipc.dpctl.values import Segment
from dipc.dpctl.verdict import Fails, Holds, ModelVerdict, Region, Undecided
from dipc.errors import InputError, Unsupported
from dipc.models.chain import Model
from dipc.models.parameters import Parameters, mapped
from dipc.signs.eps_range import EpsRange

ZERO = fmpq(0)
AT_ZERO = Region(ZERO, ZERO, True, True)
ORDER = "fails", "undecided", "holds"


def check(
    model: Model,
    parameters: Parameters,
    asked: Property,
    clock: Clock,
    options: Options,
    everything: bool = False,
) -> ModelVerdict:
    """Decide a formula for every value of the parameters and every eps; see :func:`pipeline.check`.

    Of several parameters, or one and eps, the boxes are complete if ``everything`` is wanted.
    """
    if not parameters.ranges:
        return pipeline.check(model, asked, clock, options)
    if asked.variable == EPS:
        work = partial(_on_class, model, parameters, asked, clock, options, everything)
        return pipeline.decided(model, asked, clock, work, parameters=parameters.ranges)
    line, inside, end = _on_line(model, parameters, asked)
    with _speaking_of(asked.variable):
        found = pipeline.check(line, inside, clock, options)
        if end is not None:
            found = _joined(pipeline.check(end, replace(asked, eps_range=ALL), clock, options), found)
    return replace(found, property=asked)


def _on_class(
    model: Model,
    parameters: Parameters,
    asked: Property,
    clock: Clock,
    options: Options,
    everything: bool,
    states: Sequence[int],
) -> ModelVerdict:
    """The verdict on several parameters, part by part: the inside of the class, and its closed ends."""
    formula = cast(Formula, asked.formula)
    if any(isinstance(part, EachNext) for part in parts(formula)):
        raise Unsupported("a formula for all k in N with several parameters, or with one and eps")
    search = Search(model, parameters, asked, states, clock, options, everything)
    for piece in parameters.pieces():
        search.on(piece)
    found = {model.names[s]: tuple(search.boxes.get(s, ())) for s in states}
    failed = {model.names[s] for s in search.failed}
    open_at = {name: [box for box in boxes if box.status == "undecided"] for name, boxes in found.items()}
    at_states = {s: "fails" if s in failed else "undecided" if open_at[s] else "holds" for s in found}
    holds = frozenset(s for s, status in at_states.items() if status == "holds")
    wanted = asked.eps_range
    whole = Region(wanted.low, wanted.high, wanted.low_closed, wanted.high_closed)
    common: Any = {
        "property": asked,
        "model": model,
        "at": at_states,
        "regions": {s: (whole,) if s in holds else () for s in found},
        "satisfying": holds,
        "parameters": parameters.ranges,
        "boxes": found,
        "notes": notes(model, formula),
    }
    if failed:
        return Fails(**common, witness=search.witness)
    if len(holds) == len(found):
        return Holds(**common)
    state, (box, *_) = next((s, boxes) for s, boxes in open_at.items() if boxes)
    return Undecided(**common, reason=f"it is open at {state} for {ranges_text(box.ranges)}")


def ranges_text(ranges: Mapping[str, EpsRange]) -> str:
    """Parameters with their ranges.

    >>> ranges_text({"p": EpsRange(fmpq(0), fmpq(1)), "q": EpsRange.point(fmpq(1, 2))})
    'p in (0, 1), q = 1/2'
    """
    return ", ".join(
        f"{name} = {wanted.low}" if wanted.is_point else f"{name} in {wanted}"
        for name, wanted in ranges.items()
    )


def value(
    model: Model, parameters: Parameters, asked: Property, clock: Clock, options: Options
) -> ModelValue:
    """Answer a query for every value of the parameter; see :func:`pipeline.value`."""
    if not parameters.ranges:
        return pipeline.value(model, asked, clock, options)
    if asked.variable == EPS:
        raise Unsupported("queries about several parameters, or one and eps")
    line, inside, end = _on_line(model, parameters, asked)
    with _speaking_of(asked.variable):
        found = pipeline.value(line, inside, clock, options)
        values = dict(found.values)
        if end is not None:
            first = pipeline.value(end, replace(asked, eps_range=ALL), clock, options)
            for key, (segment,) in first.values.items():
                values[key] = (Segment(AT_ZERO, segment.candidates), *values[key])
    return replace(found, property=asked, values=values)


def _on_line(model: Model, parameters: Parameters, asked: Property) -> tuple[Model, Property, Model | None]:
    """The model with the parameter as eps > 0, the property of that; the model at 0 if it is asked about."""
    line, wanted = mapped(model, parameters.on_line), asked.eps_range
    if ZERO not in wanted:
        return line, asked, None
    if depends_on_eps(asked.formula):
        message = f"a number of the formula with {asked.variable}, which may be 0"
        raise Unsupported(message, hint=f"ask about {asked.variable} > 0: `for {asked.variable} in (0, 1]`")
    end = parameters.at(model, {asked.variable: ZERO})
    if wanted.is_point:
        return end, replace(asked, eps_range=ALL), None
    inside = EpsRange(ZERO, wanted.high, False, wanted.high_closed)
    return line, replace(asked, eps_range=inside), end


def _joined(first: ModelVerdict, rest: ModelVerdict) -> ModelVerdict:
    """The verdict on a range from that at 0 and that on what is above."""
    worst = min((rest, first), key=lambda verdict: ORDER.index(verdict.status))
    at = {s: min(first.at[s], status, key=ORDER.index) for s, status in rest.at.items()}
    regions = {}
    for s, found in rest.regions.items():
        if first.at[s] == "holds":
            near = found[:1] if found and found[0].low == ZERO else ()
            start = AT_ZERO if not near else Region(ZERO, near[0].high, True, near[0].high_closed)
            found = (start, *found[len(near) :])
        regions[s] = found
    shown: dict[str, Any] = {}
    if worst is first and first.witness is not None:
        shown["witness"] = replace(first.witness, epsilon=ZERO)
    satisfying = first.satisfying & rest.satisfying
    return replace(worst, model=rest.model, at=at, regions=regions, satisfying=satisfying, **shown)


def renamed(text: str, variable: str) -> str:
    """A text about eps as one about a parameter.

    >>> renamed("holds for 0 < eps < 1", "p")
    'holds for 0 < p < 1'
    """
    return text if variable == EPS else re.sub(r"\b(eps|ε)\b", variable, text)


@contextmanager
def _speaking_of(variable: str) -> Iterator[None]:
    """Errors about the parameter, not about eps."""
    try:
        yield
    except InputError as error:
        message, hint = (renamed(text, variable) for text in (error.message, error.hint))
        raise type(error)(message, error.span, hint) from None
