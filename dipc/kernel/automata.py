"""What a certificate about every size lists: the automaton of a program, and which inputs are adjacent.

Nothing is proved here; every form is checked to be over what there is.  :mod:`~.sizes` says what all of it
means.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Literal, NamedTuple

from . import facts, laws
from .facts import ZERO, Interval, Proof
from .laws import Table
from .reading import integer, require
from .schema import read

MAX_PLACES = 3000
MAX_EDGES = 100_000
CELL = re.compile(r"([^\W\d]\w*)(\[.*\])?( |$)")  # how the text of a label begins: one private cell
NUMBER = re.compile("-?[0-9]+(/[0-9]+)?")

Form = dict[str, Fraction]
Labels = tuple[Fraction, ...]  # the changes of the cells that an edge reads, in the order of its path
Step = tuple[Literal["label", "sample", "test", "choice", "output"], str, str]  # a text and a value besides


@dataclass(frozen=True)
class Adjacency:
    """Which inputs are adjacent; ``distance`` is None for ``all`` and formulas."""

    text: str
    kind: Literal["linf", "l1", "hamming", "all", "formula"]
    distance: Fraction | None

    def used(self, labels: Labels) -> Fraction:
        """What labels take of the distance."""
        if self.kind == "l1":
            return sum(map(abs, labels), ZERO)
        return Fraction(sum(map(bool, labels)) if self.kind == "hamming" else 0)


@dataclass(frozen=True)
class Inputs:
    """The inputs: all integers, or all reals."""

    text: str
    integers: bool


class Changes(NamedTuple):
    """Which changes of inputs the labels have."""

    adjacency: Adjacency
    inputs: Inputs

    @property
    def shown(self) -> str:
        """The same in words."""
        # Where whole cells change, their sets bound the labels: nothing is said of all reals.
        within = ", within the declared sets" if self.adjacency.kind in ("hamming", "all") else ""
        return f"{self.inputs.text}; {self.adjacency.text}{within}"

    def check(self) -> None:
        """There is a distance where there has to be one."""
        kind, distance = self.adjacency.kind, self.adjacency.distance
        right = (distance is None) == (kind in ("all", "formula")) and (distance or ZERO) >= 0
        require(right, "adjacency", "a distance is missing, negative, or has no meaning")

    def choices(self, width: Fraction) -> list[Fraction]:
        """The labels of a cell, ``width`` being its greatest one: all integers, or the ends (and 0)."""
        kind, distance = self.adjacency.kind, self.adjacency.distance
        most = distance if distance is not None and kind != "hamming" else width
        if self.inputs.integers:
            require(most <= MAX_EDGES, "adjacency", "a cell has more changes than a file lists")
            return [Fraction(d) for d in range(-int(most), int(most) + 1)]
        return sorted({most, -most} if kind == "linf" else {most, ZERO, -most})

    def needed(self, widths: Sequence[Fraction], used: Fraction) -> Iterator[Labels]:
        """All labels of cells of these widths, if so much of the distance is used up."""
        assert self.adjacency.distance is not None
        for labels in product(*map(self.choices, widths)):
            if self.adjacency.used(labels) <= self.adjacency.distance - used:
                yield labels


@dataclass(frozen=True)
class Sample:
    """A draw of noise."""

    kind: Literal["Lap", "LapPlus", "DLap"]
    rate: Fraction
    mean: Form


@dataclass(frozen=True)
class Guard:
    """A form that is >= 0, or = 0."""

    form: Form
    equal: bool


@dataclass(frozen=True)
class Edge:
    """A path between two places, with changes of the inputs that it reads; ``path`` are numbers of steps."""

    source: int
    target: int
    samples: list[Sample]
    guards: list[Guard]
    sets: dict[str, Form]
    cost: Fraction
    choices: list[int]
    decisions: list[str]
    path: list[int]


@dataclass(frozen=True)
class Place:
    """A place: where it is in the program, and the random variables that may still be read."""

    cut: str
    live: list[str]


@dataclass(frozen=True)
class Finite:
    """A finite draw: left <= exp(cost*eps) * right, by the proof."""

    mechanism: Literal["finite"]
    left: int
    right: int
    cost: Fraction
    proof: Proof


@dataclass(frozen=True)
class Exponential:
    """The exponential mechanism."""

    mechanism: Literal["Exp"]
    rate: Fraction
    sensitivity: Fraction


Choice = Finite | Exponential


@dataclass(frozen=True)
class Automaton:
    """The automaton."""

    start: int
    places: list[Place]
    steps: list[Step]
    edges: list[Edge]

    def outgoing(self) -> list[list[int]]:
        """The numbers of the edges from each place."""
        found: list[list[int]] = [[] for _ in self.places]
        for number, edge in enumerate(self.edges):
            found[edge.source].append(number)
        return found

    def labels(self, edge: Edge) -> tuple[list[str], Labels | None]:
        """The inputs whose cells an edge reads, and their labels if all are changes of single numbers."""
        cells, labels = [], list[Fraction]()
        simple = True
        for number in edge.path:
            kind, words, change = self.steps[number]
            if kind == "label":
                cell = CELL.match(words)
                simple = simple and cell is not None and NUMBER.fullmatch(change) is not None
                cells.append(cell[1] if cell else words)
                labels += [read(Fraction, change, "steps")] if simple else []
        return cells, tuple(labels) if simple else None


# --- checking -------------------------------------------------------------------------------------------


def check_automaton(automaton: Automaton, costs: Sequence[Fraction], integers: bool) -> None:
    """Every form is over what there is; only the end has no edges."""
    places, start = automaton.places, automaton.start
    require(0 < len(places) <= MAX_PLACES, "places", f"there are none, or more than {MAX_PLACES}")
    require(len(automaton.edges) <= MAX_EDGES, "edges", f"more than {MAX_EDGES}")
    integer(start, "start", 0, len(places) - 1)
    for i, place in enumerate(places):
        check_place(place, i == start, f"place {i}")
    for i, edge in enumerate(automaton.edges):
        check_edge(automaton, edge, costs, integers, f"edge {i}")
    back = places[start].cut == "start" and any(edge.target == start for edge in automaton.edges)
    require(not back, f"place {start}", "a run comes back to where it begins")
    for i, (place, out) in enumerate(zip(places, automaton.outgoing(), strict=True)):
        right = bool(out) == (place.cut != "end")
        require(right, f"place {i}", "a run goes on from every place but the end")


def check_place(place: Place, is_start: bool, step: str) -> None:
    """Nothing is random at the start, nor is it the end."""
    live = place.live
    named = len(set(live)) == len(live) and all(name and not name[0].isdigit() for name in live)
    require(named, step, "a live variable is listed twice, or has no name")
    begins = (is_start or place.cut != "start") and not (is_start and live)
    require(begins, step, "a run begins elsewhere, or something has been drawn before it begins")
    require(not is_start or place.cut != "end", step, "a run ends where it begins")


def check_form(form: Form, samples: int, live: Collection[str], step: str) -> None:
    """It is over the constant, so many samples and the live variables."""
    for symbol, factor in form.items():
        require(factor, step, "a term is 0 and must be left out")
        is_sample = re.fullmatch("0|[1-9][0-9]{0,5}", symbol) is not None and int(symbol) < samples
        known = symbol == "" or symbol in live or is_sample
        require(known, step, f"'{symbol[:40]}' is not a sample drawn before, nor a live variable")


def check_edge(
    automaton: Automaton, edge: Edge, costs: Sequence[Fraction], integers: bool, step: str
) -> None:
    """Its cost is that of its choices, and its forms are over what there is."""
    last = len(automaton.places) - 1
    here, there = (automaton.places[integer(end, step, 0, last)].live for end in (edge.source, edge.target))
    for j, sample in enumerate(edge.samples):
        inner = f"{step}, sample {j}"
        check_form(sample.mean, j, here, inner)
        require(sample.rate > 0, inner, "the rate is not positive")
        whole = sample.kind != "DLap" or integers or "" not in sample.mean
        require(whole, inner, "the mean of integer noise changes with inputs that are not integers")
    for i, guard in enumerate(edge.guards):
        check_form(guard.form, len(edge.samples), here, f"{step}, guard {i}")
    require(set(edge.sets) == set(there), f"{step}, sets", "it has not exactly the live variables")
    for form in edge.sets.values():
        check_form(form, len(edge.samples), here, f"{step}, sets")
    spent = sum((costs[integer(i, step, 0, len(costs) - 1)] for i in edge.choices), ZERO)
    require(edge.cost == spent, step, "the cost is not that of its choices")
    for number in edge.path:
        integer(number, step, 0, len(automaton.steps) - 1)


def costs_of(choices: Sequence[Choice], table: Table, on: Interval) -> list[Fraction]:
    """The cost of each finite draw, which is proved on the interval, and each exponential mechanism."""
    costs, used, last = [], set(), len(table.functions) - 1
    for i, choice in enumerate(choices):
        step = f"choice {i}"
        if isinstance(choice, Exponential):
            positive = choice.rate >= 0 and choice.sensitivity >= 0
            costs.append(choice.rate * choice.sensitivity)
        else:
            positive = choice.cost >= 0
            pair = integer(choice.left, step, 0, last), integer(choice.right, step, 0, last)
            used |= set(pair)
            costs.append(choice.cost)
            integers = laws.in_integers(table.rated(choice.cost))
            slack = facts.unscaled(integers.slack([pair]), integers.unit)
            facts.prove(facts.normal(slack), on, choice.proof, step)
        require(positive, step, "a number is negative")
    require(used == set(range(last + 1)), "functions", "a function is not used")
    return costs
