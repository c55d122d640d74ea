"""The documents of Markov models and of answers about them: verdicts, values and regions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from flint import arb, ctx, fmpq

from dipc.claims.exponent import logarithm_text
from dipc.claims.rows import Group, Node, Row, data, inner, lines
from dipc.claims.wording import Record, decimal_at, digits_of, pretty, rounded_outwards, within
from dipc.dpctl.families import ranges_text, renamed
from dipc.dpctl.formula import EPS, Property, Query
from dipc.dpctl.model import MarkovModel, ModelRegions, describe
from dipc.dpctl.pipeline import ModelValue, is_symbolic, start_states
from dipc.dpctl.values import Attained, Enclosed, Segment
from dipc.dpctl.verdict import Box, Fails, ModelVerdict, Near, Open, Region, Undecided, Witness
from dipc.export.markov import Numbers, choices_of, goes_to_dead, labels_by_state
from dipc.export.operators import EXACT
from dipc.models.chain import DEAD, Mdp, Model
from dipc.models.parameters import values_text
from dipc.numbers.quotient import Quotient
from dipc.signs.ends import about, shown, union
from dipc.signs.eps_range import EpsRange
from dipc.signs.tables import RootCluster, end_as_text, vanishes_at

MOST_NAMES = 10
MOST_OPEN = 5
MOST_SHOWN = 200  # states of a model
MOST_TOGETHER = 50  # in a line about a model
MORE = "and {} more (`dipc model export --to dpm` writes them all)"
MOST_BITS = 1024  # to which a number at a root is computed
NUMBERS = "probability", "neighbour_probability", "bound", "excess"
SIGNS = {"holds": "✓", "fails": "✗", "undecided": "?"}
Place = fmpq | RootCluster | None
"""The eps at which a number is shown: None if it does not depend on eps."""


# --- what was asked ----------------------------------------------------------------------------------


def model_rows(model: Model, name: str = "") -> Iterator[Row]:
    """The model: what a document begins with."""
    title = f"{name}  ({describe(model)})" if name else describe(model)
    yield Row("model", title, "model", name or None)
    yield data("kind", "mdp" if isinstance(model, Mdp) else "chain")
    yield data("states", len(model.names))
    yield data("neighbours", len(model.neighbours))


def _asked(
    model: Model,
    property: Property,
    states: Sequence[str],
    label: str = "formula",
    parameters: Mapping[str, EpsRange] | None = None,
) -> Iterator[Row]:
    budgets = property.eps_range
    text = " ".join(property.text.split())
    shown = str(budgets.low if budgets.is_point else budgets)
    ranges = dict(parameters or {}) | ({EPS: budgets} if is_symbolic(model, property.formula) else {})
    text += f"   for {ranges_text(ranges)}" if ranges else ""
    yield Row(label, pretty(text), label, property.text)
    yield from () if property.name is None else (data("name", property.name),)
    yield data("from", list(states))
    yield data("for", shown)
    if parameters:
        yield data("parameters", {name: str(wanted) for name, wanted in parameters.items()})


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {rest} more" if rest > 0 else "")


# --- verdicts ----------------------------------------------------------------------------------------


def verdict_rows(found: ModelVerdict) -> Iterator[Node]:
    """What was asked, the answer and its witness."""
    yield from _asked(found.model, found.property, list(found.at), parameters=found.parameters)
    yield Row("asked", _listed(list(found.at)))
    yield data("verdict", found.status)
    same = [state for state, status in found.at.items() if status == found.status]
    where = "" if found.status == "holds" else f" at {_listed(same)}"
    yield Row("verdict", found.status.upper() + where)
    yield from _regions_data(found)
    yield from inner("witness", () if found.witness is None else _witness(found.witness))
    if isinstance(found, Undecided):
        yield Row("reason", pretty(found.reason), "reason", found.reason)
    yield Group("undecided", tuple(tuple(_open(each)) for each in found.undecided), MOST_OPEN)
    yield data("notes", list(found.notes))


def _regions_data(found: ModelVerdict) -> Iterator[Row]:
    """For each state the answer, and the eps at which the formula holds."""
    yield data("at", dict(found.at))
    yield data("regions", {state: _regions_record(each) for state, each in found.regions.items()})
    yield data("regions_ends", {state: _ends_record(each) for state, each in found.regions.items()})
    if found.parameters:
        yield data("boxes", {state: list(map(_box_record, boxes)) for state, boxes in found.boxes.items()})


def _box_record(box: Box) -> Record:
    return {"parameters": {name: str(wanted) for name, wanted in box.ranges.items()}, "verdict": box.status}


def _open(found: Open) -> Iterator[Row]:
    low, high = (rounded_outwards(end, up) for end, up in ((found.low, False), (found.high, True)))
    text = f"{found.state} ~ {found.neighbour}: the least delta lies in [{low}, {high}]  ({found.reason})"
    yield Row("open", pretty(text), "state", found.state)
    yield data("neighbour", found.neighbour)
    yield data("delta", [str(found.low), str(found.high)])
    yield data("reason", found.reason)


def _witness(found: Witness) -> Iterator[Row]:
    yield Row("because", pretty(found.subformula), "subformula", found.subformula)
    yield Row("state", found.state, "state", found.state)
    yield Row("neighbour", found.neighbour, "neighbour", found.neighbour)
    word = {"prefix": list(found.prefix), "cycle": list(found.cycle)} if found.prefix or found.cycle else None
    yield Row("actions", _word(found) if word else None, "actions", word)
    place = found.epsilon
    if found.parameters:
        values = {name: str(value) for name, value in found.parameters.items()}
        yield Row("parameters", values_text(found.parameters), "parameters", values)
    said = None if place is None else pretty(f"eps {about(place)}")
    yield Row("budget", said, "epsilon", None if place is None else end_as_text(place))
    if isinstance(place, RootCluster):
        yield data("isolated", [str(place.low), str(place.high)])
    labels = f"P({found.state})", f"P({found.neighbour})", "bound", "excess"
    for label, key in zip(labels, NUMBERS, strict=True):
        value = getattr(found, key)
        if value is None:
            yield data(key, None)
            continue
        exact, rounded = None if isinstance(value, Near) else str(value), decimal(value, place)
        text = rounded if exact in (None, rounded) else f"{rounded}  =  {exact}"
        yield Row(label, pretty(text), key, {"exact": exact, "decimal": rounded})
    words = pretty(_regions_words(found.violated_for)) if found.violated_for else None
    yield Row("violated for", words, "violated_for", _regions_record(found.violated_for))
    yield data("violated_for_ends", _ends_record(found.violated_for))


def _word(found: Witness) -> str:
    """The actions, for example ``H L (H)^ω``."""
    cycle = [f"({' '.join(found.cycle)})^ω"] if found.cycle else []
    return " ".join([*found.prefix, *cycle])


def brief_witness(verdict: ModelVerdict) -> str:
    """The witness in one line: ``P(plus) = 3/4, P(minus) = 1/4``, ``P(s) = 1``, or the formula to blame."""
    found = verdict.witness
    assert found is not None
    if found.probability is None:
        return f"{found.subformula} at {found.state}"
    other = found.neighbour_probability
    values = [f"P({found.state}) = {decimal(found.probability, found.epsilon)}"]
    values += [] if other is None else [f"P({found.neighbour}) = {decimal(other, found.epsilon)}"]
    at = "" if found.epsilon is None else f" at eps {about(found.epsilon)}"
    return pretty(f"{', '.join(values)}{renamed(at, verdict.property.variable)}")


# --- regions -----------------------------------------------------------------------------------------


def regions_rows(found: ModelRegions) -> Iterator[Node]:
    """For each state the eps at which the formula holds."""
    verdict = found.verdict
    yield from _asked(verdict.model, verdict.property, list(verdict.at), parameters=verdict.parameters)
    symbolic = is_symbolic(verdict.model, verdict.property.formula)
    for state in verdict.at:
        if verdict.parameters:
            yield from _boxes_rows(verdict, state)
        else:
            yield Row(state, pretty(_where(verdict, state, symbolic)))
    yield from _regions_data(verdict)
    if isinstance(verdict, Undecided):
        yield Row("reason", pretty(verdict.reason), "reason", verdict.reason)
    yield data("notes", list(verdict.notes))


def _boxes_rows(found: ModelVerdict, state: str) -> Iterator[Row]:
    """How much of the class the answers cover, and the largest boxes."""
    sizes: list[tuple[fmpq, Box]] = []
    for box in found.boxes.get(state, ()):
        size = fmpq(1)
        for name, whole in found.parameters.items():
            part = box.ranges[name]
            assert part.high is not None and whole.high is not None
            size *= fmpq(1) if whole.is_point else (part.high - part.low) / (whole.high - whole.low)
        sizes.append((size, box))
    said = []
    for status in ("holds", "fails", "undecided"):
        share = sum((size for size, box in sizes if box.status == status), fmpq(0))
        said += [f"{status} on {share}"] if share else []
    yield Row(state, f"{', '.join(said) or 'undecided'} of the class")
    largest = [box for _, box in sorted(sizes, key=lambda each: -each[0])]
    for box in largest[:MOST_OPEN]:
        yield Row("", pretty(f"{box.status} for {ranges_text(box.ranges)}"))
    if len(largest) > MOST_OPEN:
        yield Row("", f"and {len(largest) - MOST_OPEN} more boxes (`--json` has all)")


def _where(found: ModelVerdict, state: str, symbolic: bool) -> str:
    regions = _regions_words(found.regions.get(state, ()))
    if found.at[state] == "undecided":
        return "undecided" + (f", surely holds for  {regions}" if regions else "")
    if not regions:
        return "holds for no eps"
    return f"holds for  {regions}" if symbolic else "holds for every eps"


def _regions_words(regions: Sequence[Region]) -> str:
    return union(list(map(shown, regions)))


def _regions_record(regions: Sequence[Region]) -> list[list[str | bool]]:
    return [[*shown(region).texts, region.low_closed, region.high_closed] for region in regions]


def _ends_record(regions: Sequence[Region]) -> list[list[Record]]:
    return [shown(region).record() for region in regions]


# --- values ------------------------------------------------------------------------------------------


def value_rows(found: ModelValue) -> Iterator[Node]:
    """Of P a value for each state, of D the least parameter with the pair that needs it."""
    query, names = found.property.formula, found.model.names
    assert isinstance(query, Query)
    states = [names[s] for s in start_states(found.model, found.property)]
    yield from _hidden(_asked(found.model, found.property, states, "query"))
    symbolic = is_symbolic(found.model, query)
    if query.kind in ("epsilon", "delta"):
        segments = found.values[""]
        for segment in segments:
            yield from _least(segment, query.kind, names, symbolic)
        yield data("least", _one_or_all(segments, query.kind, names))
    else:
        for state, segments in found.values.items():
            texts = (_said(each, "P", symbolic) for each in segments)
            yield from (Row("" if number else state, text) for number, text in enumerate(texts))
            yield from (Row("reason", each.enclosed.reason) for each in segments if each.enclosed is not None)
        yield data("values", {s: _one_or_all(each, "P", names) for s, each in found.values.items()})
    yield data("notes", list(found.notes))


def _hidden(rows: Iterator[Row]) -> Iterator[Row]:
    """For machines only: people see the answer alone."""
    return (data(row.key, row.data) for row in rows if row.key)


def _least(segment: Segment, kind: str, names: Sequence[str], symbolic: bool) -> Iterator[Row]:
    yield Row(f"least {'ε' if kind == 'epsilon' else 'δ'}", _said(segment, kind, symbolic))
    yield from (Row(label, name) for label, name in _pair(segment, names).items())
    if segment.enclosed is not None:
        yield Row("reason", segment.enclosed.reason)


def _pair(segment: Segment, names: Sequence[str]) -> dict[str, str | None]:
    """The states that need a least parameter; none do if it is 0 for all of them."""
    found = segment.found or segment.enclosed
    if found is None or found.neighbour is None:
        return {"state": None, "neighbour": None}
    return {"state": names[found.state], "neighbour": names[found.neighbour]}


def _one_or_all(segments: Sequence[Segment], kind: str, names: Sequence[str]) -> Record | list[Record]:
    """The value if it is one for all eps, else those on all segments."""
    records = [_value_record(each, kind) | (_pair(each, names) if kind != "P" else {}) for each in segments]
    if len(records) == 1:
        return records[0]
    for each, record in zip(segments, records, strict=True):
        record["for"], record["for_ends"] = _regions_record([each.region])[0], _ends_record([each.region])[0]
    return records


def _said(segment: Segment, kind: str, symbolic: bool) -> str:
    if segment.enclosed is not None:
        text = "undecided, in [{}, {}]".format(*_ends(segment.enclosed, kind))
    elif segment.found is None:
        text = f"not settled: {' or '.join(_candidates(segment, kind))}"
    else:
        rounded, exact = _decimal(segment, kind), _exact(segment.found, kind)
        both = (exact, rounded) if kind == "epsilon" else (rounded, exact)
        text = exact if rounded in (None, exact) else "{}  =  {}".format(*both)
    return pretty(text + (f"   for {shown(segment.region).words()}" if symbolic else ""))


def _value_record(segment: Segment, kind: str) -> Record:
    if (enclosed := segment.enclosed) is not None:
        ends = list(_ends(enclosed, kind))
        return {"exact": None, "decimal": None, "undecided": ends, "reason": enclosed.reason}
    if segment.found is None:
        return {"exact": None, "decimal": None, "candidates": _candidates(segment, kind)}
    return {"exact": _exact(segment.found, kind), "decimal": _decimal(segment, kind)}


def _candidates(segment: Segment, kind: str) -> list[str]:
    return sorted({_exact(each, kind) for each in segment.candidates if isinstance(each, Attained)})


def _ends(found: Enclosed, kind: str) -> tuple[str, str]:
    """The ends of an interval, rounded outwards; of a least epsilon the logarithms of what is stored."""
    low, high = (None if end is None else within(end, kind) for end in (found.low, found.high))
    assert low is not None
    return rounded_outwards(low[0], False), "inf" if high is None else rounded_outwards(high[1], True)


def _exact(found: Attained, kind: str) -> str:
    """The value as text; of a least epsilon the logarithm of what is stored."""
    if found.value is None:
        return "inf"
    return logarithm_text(found.value) if kind == "epsilon" else str(found.value)


def _decimal(segment: Segment, kind: str) -> str | None:
    """The value in decimals; None if it depends on an eps that is not one point, or is infinite."""
    found, region = segment.found, segment.region
    assert found is not None
    place = region.low if region.low_closed and region.low == region.high else None
    if found.value is None or not (found.value.is_constant or place is not None):
        return None
    if kind != "epsilon":
        return decimal(found.value, place)
    return "0" if found.value == 1 else _at(found.value, place, logarithm=True)


# --- numbers -----------------------------------------------------------------------------------------


def decimal(value: Quotient | Near, place: Place) -> str:
    """A value at a rational eps or at a root, rounded to ten significant digits; of an enclosure fewer."""
    if isinstance(value, Near):
        with ctx.workprec(128):
            return str(value.ball.str(10, radius=False))
    if value.is_constant or not isinstance(place, RootCluster):
        return decimal_at(value, place if isinstance(place, fmpq) else fmpq(1))
    if vanishes_at(value.numerator, place.roots[0]):
        return "0"
    try:
        return _at(value, place)
    except _TooSmall:
        return f"0 (to {MOST_BITS} bits)"


class _TooSmall(Exception):
    """A number could not be told from 0."""


def _at(value: Quotient, place: Place, logarithm: bool = False) -> str:
    """A number that is not 0, or its logarithm, to ten digits."""

    def enclosed() -> arb:
        ball = value.enclose(_ball(place))
        return ball.log() if logarithm else ball

    return digits_of(enclosed, 10)


def _ball(place: Place) -> arb:
    """A ball around an eps, at the precision of the context."""
    if not isinstance(place, RootCluster):
        return arb(fmpq(1) if place is None else place)
    if ctx.prec > MOST_BITS:
        raise _TooSmall
    root = place.roots[0]
    root.refine_to(fmpq(1, 2**ctx.prec))
    return arb(root.low).union(arb(root.high))


# --- the model itself --------------------------------------------------------------------------------


def state_rows(found: MarkovModel) -> Iterator[Node]:
    """Everything about a model; people see the first states, machines all of them."""
    model = found.model
    yield Row("model", f"{found.name}  ({describe(model)})", "model", found.name)
    yield data("kind", "mdp" if isinstance(model, Mdp) else "chain")
    start = [model.names[s] for s in model.start]
    every = len(start) > 1 and len(start) >= len(model.names) - 1
    yield Row("start", "every state" if every else _enumerated(start), "start", start)
    labels = {name: [model.names[s] for s in sorted(states)] for name, states in model.labels.items()}
    yield from (Row(f"label {name}", _enumerated(states) or "no state") for name, states in labels.items())
    yield data("labels", labels)
    pairs = [[model.names[s], model.names[t]] for s, t in model.neighbours]
    text = _enumerated([f"{s} ~ {t}" for s, t in pairs])
    yield Row("neighbours", text or "none", "neighbours", pairs)
    written, marks = Numbers(EXACT), labels_by_state(model)
    items = (tuple(_moves(model, s, written, marks[s])) for s in range(len(model.names)))
    yield Group("states", tuple(items), MOST_SHOWN, MORE)


def _enumerated(items: Sequence[str]) -> str:
    more = f", and {len(items) - MOST_TOGETHER} more" if len(items) > MOST_TOGETHER else ""
    return ", ".join(items[:MOST_TOGETHER]) + more


def _moves(model: Model, state: int, written: Numbers, labels: list[str]) -> Iterator[Row]:
    """A line for each action, a single one for a final state, none for ``†``."""
    name, transitions, shown = model.names[state], {}, 0
    for action, row in choices_of(model, state):
        moves = {model.names[t]: written(p) for t, p in row}
        transitions[action or ""] = moves
        text = ", ".join(f"{target}: {p}" for target, p in moves.items())
        mark = f"[{action}] " if action is not None else ""
        if not goes_to_dead(model, row):
            yield Row(name if shown == 0 else "", pretty(f"{mark}-> {text}"))
            shown += 1
    if not shown and name != DEAD:
        yield Row(name, "final")
    yield data("state", name)
    yield data("labels", labels)
    rows: Any = transitions if isinstance(model, Mdp) else transitions[""]
    yield data("transitions", rows)


# --- in one line -------------------------------------------------------------------------------------


def brief(found: ModelVerdict | ModelValue | ModelRegions) -> str:
    """A result for the prompt."""
    match found:
        case ModelValue():
            shown = (f"{label}: {text}" for label, text in lines(rows_of(found)))
            return f"ModelValue({_listed(list(shown))})"
        case ModelRegions(verdict):
            parts = (f"{state}: {pretty(_where(verdict, state, True))}" for state in verdict.at)
            return f"ModelRegions({renamed(_listed(list(parts)), verdict.property.variable)})"
        case Fails(witness=Witness()):
            return f"Fails({found.property.text}: {brief_witness(found)})"
        case Undecided():
            return f"Undecided({found.property.text}: {found.reason})"
    return f"{type(found).__name__}({found.property.text})"


def rows_of(found: ModelVerdict | ModelValue | ModelRegions, name: str = "") -> Iterator[Node]:
    """The rows of a result about the model called ``name``."""
    variable = (found.verdict if isinstance(found, ModelRegions) else found).property.variable
    rows = _rows_of(found, name)
    yield from rows if variable == EPS else (_about(variable, row) for row in rows)


def _about(variable: str, node: Node) -> Node:
    """A row about a parameter that has the place of eps."""

    def said(value: Any) -> Any:
        match value:
            case str():
                return renamed(value, variable)
            case list():
                return [said(each) for each in value]
            case dict():
                found = {key: said(each) for key, each in value.items()}
                point = found.get("epsilon")
                return found | ({"parameters": {variable: point}, "epsilon": None} if point else {})
            case _:
                return value

    if isinstance(node, Group):
        items = tuple(tuple(Row(r.label, said(r.text), r.key, said(r.data)) for r in i) for i in node.items)
        return replace(node, items=items)
    label = "parameter" if node.label == "budget" else node.label
    return Row(label, said(node.text), node.key, said(node.data))


def _rows_of(found: ModelVerdict | ModelValue | ModelRegions, name: str) -> Iterator[Node]:
    match found:
        case ModelValue():
            yield from _hidden(model_rows(found.model, name))
            yield from value_rows(found)
        case ModelRegions(verdict):
            yield from model_rows(verdict.model, name)
            yield from regions_rows(found)
        case _:
            yield from model_rows(found.model, name)
            yield from verdict_rows(found)
