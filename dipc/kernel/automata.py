"""What a certificate about every size lists: the automaton of a program, and which inputs are adjacent.

Nothing is proved here; every value is checked to be of its kind, and every form to be over what there is.
:mod:`~.sizes` says what all of it means.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

from . import facts, laws
from .facts import ZERO, Interval
from .laws import Table
from .reading import Refused, array, flag, integer, rational, record, text

PLACE = "cut values differences phase facts live"
EDGE = "from to samples guards sets cost choices decisions path"
KINDS = ("Lap", "LapPlus", "DLap")
STEPS = ("label", "sample", "test", "choice", "output")
SIGNS = (">= 0", "> 0", "= 0")  # of facts
MAX_PLACES = 3000
MAX_EDGES = 100_000
CELL = re.compile(r"([^\W\d]\w*)(\[.*\])?( |$)")  # how the text of a label begins: one private cell
NUMBER = re.compile("-?[0-9]+(/[0-9]+)?")

Form = dict[str, Fraction]
Labels = tuple[Fraction, ...]  # the changes of the cells that an edge reads, in the order of its path


class Adjacency(NamedTuple):
    """Which inputs are adjacent; ``distance`` is None for ``all`` and formulas."""

    kind: str
    distance: Fraction | None
    shown: str
    integers: bool

    def choices(self, width: Fraction) -> list[Fraction]:
        """The labels of a cell, ``width`` being its greatest one: all integers, or the ends (and 0)."""
        most = self.distance if self.distance is not None and self.kind != "hamming" else width
        if self.integers:
            if most > MAX_EDGES:
                raise Refused("adjacency", "a cell has more changes than a file lists")
            return [Fraction(d) for d in range(-int(most), int(most) + 1)]
        return sorted({most, -most} if self.kind == "linf" else {most, ZERO, -most})

    def used(self, labels: Labels) -> Fraction:
        """What labels take of the distance."""
        if self.kind == "l1":
            return sum(map(abs, labels), ZERO)
        return Fraction(sum(map(bool, labels)) if self.kind == "hamming" else 0)

    def needed(self, widths: Sequence[Fraction], used: Fraction) -> Iterator[Labels]:
        """All labels of cells of these widths, if so much of the distance is used up."""
        assert self.distance is not None
        for labels in product(*map(self.choices, widths)):
            if self.used(labels) <= self.distance - used:
                yield labels


class Sample(NamedTuple):
    """A draw of noise."""

    kind: str
    rate: Fraction
    mean: Form


class Edge(NamedTuple):
    """``labels`` are those of ``cells``: None if one of them is not the change of a single number."""

    source: int
    target: int
    samples: list[Sample]
    guards: list[tuple[Form, bool]]
    sets: dict[str, Form]
    cost: Fraction
    decisions: tuple[str, ...]
    cells: list[str]
    labels: Labels | None


class Automaton(NamedTuple):
    """``live`` has the random variables of every place."""

    start: int
    live: list[list[str]]
    edges: list[Edge]

    def outgoing(self) -> list[list[int]]:
        """The numbers of the edges from each place."""
        found: list[list[int]] = [[] for _ in self.live]
        for number, edge in enumerate(self.edges):
            found[edge.source].append(number)
        return found


# --- reading --------------------------------------------------------------------------------------------


def nonnegative(value: Any, step: str) -> Fraction:
    """A number >= 0."""
    if (read := rational(value, step)) < 0:
        raise Refused(step, "a number is negative")
    return read


def members(value: Any, step: str) -> dict[str, Any]:
    """An object with any fields."""
    if not isinstance(value, dict):
        raise Refused(step, "an object is expected")
    return value


def read_form(value: Any, samples: int, live: Collection[str], step: str) -> Form:
    """A form over the constant, so many samples and the live variables."""
    form = {}
    for symbol, written in members(value, step).items():
        form[symbol] = rational(written, step)
        if not form[symbol]:
            raise Refused(step, "a term is 0 and must be left out")
        known = symbol == "" or symbol in live or (re.fullmatch("0|[1-9][0-9]{0,5}", symbol) is not None)
        if not known or (symbol[:1].isdigit() and int(symbol) >= samples):
            raise Refused(step, f"'{symbol[:40]}' is not a sample drawn before, nor a live variable")
    return form


def read_samples(value: Any, live: Collection[str], integers: bool, step: str) -> list[Sample]:
    """The draws of an edge; the mean of each is over those before."""
    samples = []
    for j, item in enumerate(array(value, step)):
        sample, here = record(item, step, "kind", "rate", "mean"), f"{step}, sample {j}"
        kind, rate = text(sample["kind"], here), rational(sample["rate"], here)
        mean = read_form(sample["mean"], j, live, here)
        if kind not in KINDS or rate <= 0:
            raise Refused(here, "the kind is not known, or the rate is not positive")
        if kind == "DLap" and not integers and "" in mean:
            raise Refused(here, "the mean of integer noise changes with inputs that are not integers")
        samples.append(Sample(kind, rate, mean))
    return samples


def read_steps(value: Any) -> list[list[str]]:
    """The steps of all paths, for a reader: of each one a kind, a text and a value."""
    steps = []
    for i, item in enumerate(array(value, "steps")):
        if len(array(item, f"step {i}")) != 3:
            raise Refused(f"step {i}", "a kind, a text and a value are expected")
        steps.append([text(part, f"step {i}") for part in item])
        if item[0] not in STEPS:
            raise Refused(f"step {i}", f"the kind '{item[0][:40]}' is not known")
    return steps


def read_labels(value: Any, steps: Sequence[list[str]], step: str) -> tuple[list[str], Labels | None]:
    """The inputs whose cells a path reads, and their labels if all are changes of single numbers."""
    cells, labels = [], list[Fraction]()
    simple = True
    for number in array(value, step):
        kind, words, change = steps[integer(number, step, 0, len(steps) - 1)]
        if kind == "label":
            cell = CELL.match(words)
            simple = simple and cell is not None and NUMBER.fullmatch(change) is not None
            cells.append(cell[1] if cell else words)
            labels += [rational(change, step)] if simple else []
    return cells, tuple(labels) if simple else None


class Tables(NamedTuple):
    """What edges refer to: the live variables of places, the costs of choices, and the steps of paths."""

    live: list[list[str]]
    costs: list[Fraction]
    steps: list[list[str]]
    integers: bool


def read_edge(value: Any, tables: Tables, step: str) -> Edge:
    """An edge, whose cost is that of its choices, and whose forms are over what there is."""
    edge = record(value, step, *EDGE.split())
    live, costs = tables.live, tables.costs
    source, target = (integer(edge[end], step, 0, len(live) - 1) for end in ("from", "to"))
    here, last = live[source], len(costs) - 1
    samples = read_samples(edge["samples"], here, tables.integers, step)
    guards = []
    for i, item in enumerate(array(edge["guards"], step)):
        guard = record(item, f"{step}, guard {i}", "form", "equal")
        form = read_form(guard["form"], len(samples), here, f"{step}, guard {i}")
        guards.append((form, flag(guard["equal"], f"{step}, guard {i}")))
    written = record(edge["sets"], f"{step}, sets", *live[target])
    sets = {name: read_form(form, len(samples), here, f"{step}, sets") for name, form in written.items()}
    cost = nonnegative(edge["cost"], step)
    if cost != sum((costs[integer(i, step, 0, last)] for i in array(edge["choices"], step)), ZERO):
        raise Refused(step, "the cost is not that of its choices")
    decisions = tuple(text(word, step) for word in array(edge["decisions"], step))
    cells, labels = read_labels(edge["path"], tables.steps, step)
    return Edge(source, target, samples, guards, sets, cost, decisions, cells, labels)


class Fact(NamedTuple):
    """What is known at a place: a form over its live variables, and how it compares with 0."""

    form: Form
    sign: str


def read_fact(value: Any, live: Collection[str], step: str) -> Fact:
    """A fact such as "1*a + -1/2*b + 3 >= 0"."""
    rest, _, end = text(value, step).rpartition(" + ")
    constant, _, sign = end.partition(" ")
    form = {"": rational(constant, step)}
    while rest:
        factor, _, rest = rest.partition("*")
        name = max((n for n in live if rest == n or rest.startswith(f"{n} + ")), key=len, default="")
        if name in form:
            raise Refused(step, "a fact is about something that is not live, or twice about one variable")
        form[name], rest = rational(factor, step), rest[len(name) + 3 :]
    if len(form) < 2 or not all(form[name] for name in form if name) or sign not in SIGNS:
        raise Refused(step, f"'{value[:40]}' is not a fact about live variables")
    return Fact(form, sign.removesuffix(" 0"))


def read_places(value: Any, start: int) -> list[list[str]]:
    """The live variables of every place; nothing is random or known at the start, nor is it the end."""
    live: list[list[str]] = []
    for i, item in enumerate(array(value, "places")):
        step = f"place {i}"
        place = record(item, step, *PLACE.split())
        names = [text(name, step) for name in array(place["live"], step)]
        if len(set(names)) < len(names) or any(not name or name[0].isdigit() for name in names):
            raise Refused(step, "a live variable is listed twice, or has no name")
        if (text(place["cut"], step) == "start" and i != start) or (i == start and names):
            raise Refused(step, "a run begins elsewhere, or something has been drawn before it begins")
        if i == start and (place["facts"] or place["cut"] == "end"):
            raise Refused(step, "something is known before a run begins, or it ends where it begins")
        for part in ("values", "differences", "phase"):
            for word in members(place[part], step).values():
                text(word, step)
        for fact in array(place["facts"], step):
            read_fact(fact, names, f"{step}, facts")
        live.append(names)
    if not 0 < len(live) <= MAX_PLACES:
        raise Refused("places", f"there are none, or more than {MAX_PLACES}")
    return live


def read_automaton(data: dict[str, Any], costs: list[Fraction], integers: bool) -> Automaton:
    """The automaton; only the end has no edges."""
    start = integer(data["start"], "start", 0, MAX_PLACES)
    tables = Tables(read_places(data["places"], start), costs, read_steps(data["steps"]), integers)
    live = tables.live
    integer(start, "start", 0, len(live) - 1)
    if len(array(data["edges"], "edges")) > MAX_EDGES:
        raise Refused("edges", f"more than {MAX_EDGES}")
    edges = [read_edge(e, tables, f"edge {i}") for i, e in enumerate(data["edges"])]
    if data["places"][start]["cut"] == "start" and any(edge.target == start for edge in edges):
        raise Refused(f"place {start}", "a run comes back to where it begins")
    automaton = Automaton(start, live, edges)
    for i, (place, out) in enumerate(zip(data["places"], automaton.outgoing(), strict=True)):
        if bool(out) == (place["cut"] == "end"):
            raise Refused(f"place {i}", "a run goes on from every place but the end")
    return automaton


def read_choices(data: dict[str, Any], table: Table, on: Interval) -> list[Fraction]:
    """The cost of each finite draw and each exponential mechanism.

    A finite one has left <= exp(cost*eps) * right, proved on the interval.
    """
    costs, used, last = [], set(), len(table.functions) - 1
    for i, item in enumerate(array(data["choices"], "choices")):
        step = f"choice {i}"
        if isinstance(item, dict) and item.get("mechanism") == "Exp":
            drawn = record(item, step, "mechanism", "rate", "sensitivity")
            costs.append(nonnegative(drawn["rate"], step) * nonnegative(drawn["sensitivity"], step))
            continue
        drawn = record(item, step, "mechanism", "left", "right", "cost", "proof")
        if drawn["mechanism"] != "finite":
            raise Refused(step, "the mechanism is not known")
        pair = integer(drawn["left"], step, 0, last), integer(drawn["right"], step, 0, last)
        used |= set(pair)
        costs.append(nonnegative(drawn["cost"], step))
        integers = laws.in_integers(table, costs[-1])
        slack = facts.unscaled(integers.slack([pair]), integers.unit)
        facts.prove(facts.normal(slack), on, drawn["proof"], step)
    if used != set(range(last + 1)):
        raise Refused("functions", "a function is not used")
    return costs


def read_adjacency(data: dict[str, Any]) -> Adjacency:
    """The adjacency, and whether inputs are all integers or all reals."""
    step = "adjacency"
    adjacency = record(data[step], step, "text", "kind", "distance")
    inputs = record(data["inputs"], "inputs", "text", "integers")
    kind, written = text(adjacency["kind"], step), adjacency["distance"]
    if kind not in ("linf", "l1", "hamming", "all", "formula"):
        raise Refused(step, "it is not known")
    if (written is None) != (kind in ("all", "formula")):
        raise Refused(step, "a distance is missing, or there is one that has no meaning")
    distance = None if written is None else nonnegative(written, step)
    # Where whole cells change, their sets bound the labels: nothing is said of all reals.
    within = ", within the declared sets" if kind in ("hamming", "all") else ""
    words = f"{text(inputs['text'], 'inputs')}; {text(adjacency['text'], step)}{within}"
    return Adjacency(kind, distance, words, flag(inputs["integers"], "inputs"))
