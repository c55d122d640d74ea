"""The statement about every size: a program is t*eps-private for every N, all inputs and every eps.

A certificate has the automaton of the program: places, and edges between them.  An edge is a path of the
program together with the changes ("labels") of the private cells that it reads.  A run of the automaton
stands for two runs of the program, on adjacent inputs u and u', that take the same decisions and publish the
same values.  A *form* is how much a quantity changes between the two: an object from symbols to fractions,
with a sample of the edge by its number ("0", "1", ...), a live random variable of the edge's source by its
name, and "" for the constant.  Costs and rates are in units of eps.

A *strategy* gives constants to some edges and their places: a *shift* for every sample, a *delta*, the
change, for every live variable, and *phi* >= 0, what may still be spent.  For each of its edges it is checked
that

* every guard is >= 0, or = 0: the run on u' decides like the one on u;
* every live variable of the target has the delta of the target;
* a shift stays in the support: of ``LapPlus`` it is not below the change of the mean, of ``DLap`` both are
  integers;
* phi(from) - phi(to) >= cost + the sum of rate * |shift - change of the mean|;

and phi(start) <= t.  A finite draw costs what a proved inequality says, one of the exponential mechanism
rate * sensitivity.  *Coverage*: from the start and the set of all strategies, every edge is followed, with
the strategies of the set that contain it; there always is one.

*This is a proof*: on a path x -> x + shift is a bijection of the samples that preserves the volume (for
``DLap``: of the integers).  It carries the event of the path on u into that on u', with the same outputs, and
lowers the density at most by exp(-eps*cost).  By coverage one strategy contains all edges of a run, and its
costs add up to at most phi(start), whatever the length.  Images of different paths are disjoint, so the sum
over all paths with given outputs is at most exp(t*eps) times that of u'.  For real inputs the least cost is
convex in the differences, so those at the corners of the adjacency are enough.

*Labels*: where all labels are changes of single numbers and the adjacency is linf, l1 or hamming, the edges
that differ in labels only have every label that the adjacency leaves.  That the automaton is that of the
program text is not checked here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Literal

from . import laws
from .automata import (
    Adjacency,
    Automaton,
    Changes,
    Choice,
    Edge,
    Form,
    Inputs,
    Labels,
    Place,
    Sample,
    Step,
    check_automaton,
    costs_of,
)
from .facts import ZERO
from .privacy import AboutProgram, Claimed, ProgramCertificate, check_program, read_claim, shown
from .reading import Refused, integer, require
from .schema import name_of

# --- strategies -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Strategy:
    """Constants for some edges, by number, and for the places where they begin and end."""

    edges: list[int]
    phi: dict[str, Fraction]
    delta: dict[str, dict[str, Fraction]]
    shift: list[list[Fraction]]

    def shifts(self) -> dict[int, list[Fraction]]:
        """The shifts of the samples of each edge."""
        return dict(zip(self.edges, self.shift, strict=True))


@dataclass(frozen=True)
class Listed(AboutProgram):
    """A certificate."""

    statement: Literal["sizes"]
    claim: Claimed
    sizes: list[str]
    adjacency: Adjacency
    inputs: Inputs
    start: int
    t: Fraction
    choices: list[Choice]
    places: list[Place]
    steps: list[Step]
    edges: list[Edge]
    strategies: list[Strategy]

    @property
    def automaton(self) -> Automaton:
        """The automaton."""
        return Automaton(self.start, self.places, self.steps, self.edges)


def value_of(form: Form, values: Mapping[str, Fraction]) -> Fraction:
    """The value of a form."""
    return sum((factor * values[symbol] for symbol, factor in form.items()), ZERO)


def cost_of(sample: Sample, shift: Fraction, mean: Fraction, step: str) -> Fraction:
    """What it costs to move a sample by ``shift`` while its mean changes by ``mean``."""
    if sample.kind == "LapPlus" and shift < mean:
        raise Refused(step, "a shift leaves the support: it is below the change of the mean")
    if sample.kind == "DLap" and (shift.denominator != 1 or mean.denominator != 1):
        raise Refused(step, "integer noise, or its mean, moves by a number that is not an integer")
    return sample.rate * abs(shift - mean)


def check_edge(edge: Edge, shifts: Sequence[Fraction], strategy: Strategy, step: str) -> None:
    """The strategy keeps the guards, and pays for the edge."""
    source, target = str(edge.source), str(edge.target)
    values = {"": Fraction(1), **strategy.delta[source]}
    values |= {str(j): shift for j, shift in enumerate(shifts)}
    cost = edge.cost
    for j, (sample, shift) in enumerate(zip(edge.samples, shifts, strict=True)):
        cost += cost_of(sample, shift, value_of(sample.mean, values), f"{step}, sample {j}")
    for i, guard in enumerate(edge.guards):
        moved = value_of(guard.form, values)
        kept = moved >= 0 and not (guard.equal and moved)
        require(kept, f"{step}, guard {i}", "the run on the neighbour decides otherwise")
    for name, form in edge.sets.items():
        right = value_of(form, values) == strategy.delta[target][name]
        require(right, f"{step}, sets", f"'{name[:40]}' changes by another number than delta says")
    require(
        cost <= strategy.phi[source] - strategy.phi[target], step, "the cost is more than phi(from) - phi(to)"
    )


def check_strategy(strategy: Strategy, automaton: Automaton, t: Fraction, step: str) -> None:
    """All edges of a strategy are right, and a run costs at most t."""
    numbers = [integer(i, step, 0, len(automaton.edges) - 1) for i in strategy.edges]
    ordered = len(strategy.shift) == len(numbers) and all(a < b for a, b in pairwise(numbers))
    require(ordered, step, "the edges are not ascending, or there are not shifts for each of them")
    edges = [automaton.edges[i] for i in numbers]
    places = {automaton.start, *(e.source for e in edges), *(e.target for e in edges)}
    for part in ("phi", "delta"):
        known = getattr(strategy, part).keys() == set(map(str, places))
        require(known, f"{step}, {part}", "it has not exactly the places of the edges")
    for place in places:
        live = strategy.delta[str(place)].keys() == set(automaton.places[place].live)
        require(live, f"{step}, delta {place}", "it has not exactly the live variables")
        positive = strategy.phi[str(place)] >= 0
        require(positive, f"{step}, phi {place}", "a number is negative")
    require(strategy.phi[str(automaton.start)] <= t, f"{step}, phi", "a run may cost more than t")
    for i, edge, shifts in zip(numbers, edges, strategy.shift, strict=True):
        here = f"{step}, edge {i}"
        require(len(shifts) == len(edge.samples), f"{here}, shift", "there is not one for each sample")
        check_edge(edge, shifts, strategy, here)


# --- coverage -------------------------------------------------------------------------------------------


class Walk:
    """All runs of the automaton, with the strategies that contain them, as bits, and their labels.

    ``widths`` has the greatest label of each input; it is None if labels cannot be checked.
    """

    def __init__(self, automaton: Automaton, changes: Changes, strategies: Sequence[Strategy]) -> None:
        self.automaton, self.changes, self.adjacency = automaton, changes, changes.adjacency
        self.outgoing = automaton.outgoing()
        self.labels = [automaton.labels(edge) for edge in automaton.edges]
        self.all = (1 << len(strategies)) - 1
        self.bits = [0] * len(automaton.edges)
        for n, strategy in enumerate(strategies):
            for i in strategy.edges:
                self.bits[i] |= 1 << n
        self.complete: set[tuple[int, Fraction]] = set()
        self.widths = self.widest() if self.adjacency.distance is not None else None

    def widest(self) -> dict[str, Fraction] | None:
        """The greatest label of each input, if all labels are changes of single numbers."""
        found: dict[str, Fraction] = {}
        for cells, labels in self.labels:
            if labels is None:
                return None
            for cell, label in zip(cells, labels, strict=True):
                found[cell] = max(found.get(cell, ZERO), abs(label))
        if self.adjacency.kind == "hamming" and self.adjacency.distance and not all(found.values()):
            raise Refused("edges", "some input never changes")
        return found

    def check(self) -> None:
        """Every run has a strategy, and every label of the adjacency has an edge."""
        first = self.automaton.start, self.all, ZERO
        seen, todo, places = {first}, [first], {first[0]}
        while todo:
            place, bits, used = todo.pop()
            self.check_labels(place, used)
            for i in self.outgoing[place]:
                edge, left = self.automaton.edges[i], bits & self.bits[i]
                if not left:
                    raise Refused(f"edge {i}", "no strategy contains some run that ends with it")
                after = edge.target, left, self.used_after(self.labels[i][1], used)
                if after not in seen:
                    seen.add(after)
                    places.add(edge.target)
                    todo.append(after)
        for place in range(len(self.outgoing)):
            if place not in places:
                raise Refused(f"place {place}", "no run leads there")

    def used_after(self, labels: Labels | None, used: Fraction) -> Fraction:
        """What is used up of the distance."""
        if self.widths is None or labels is None or self.adjacency.distance is None:
            return ZERO
        return min(used + self.adjacency.used(labels), self.adjacency.distance)

    def check_labels(self, place: int, used: Fraction) -> None:
        """From a place the edges with equal decisions have all labels that are left."""
        if self.widths is None or (place, used) in self.complete:
            return
        self.complete.add((place, used))
        groups: dict[tuple[str, ...], list[tuple[list[str], Labels | None]]] = {}
        for i in self.outgoing[place]:
            groups.setdefault(tuple(self.automaton.edges[i].decisions), []).append(self.labels[i])
        for group in groups.values():
            cells = group[0][0]
            same = all(others == cells for others, _ in group)
            require(same, f"place {place}", "edges with equal decisions read different cells")
            listed = {labels_shown(labels or ()) for _, labels in group}
            widths = [self.widths[cell] for cell in cells]
            for needed in map(labels_shown, self.changes.needed(widths, used)):
                if needed not in listed:
                    raise Refused(f"place {place}", f"an edge with the labels ({needed[:80]}) is missing")


def labels_shown(labels: Labels) -> str:
    """For example "1, -1": equal for equal labels only."""
    return ", ".join(map(str, labels))


# --- the certificate ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Certificate(ProgramCertificate):
    """``labels`` says whether the kernel has compared the labels."""

    listed: Listed
    changes: Changes
    labels: bool
    status = "private"

    def statement(self) -> str:
        """What was proved, in words, about the listed automaton."""
        every = "".join(f"every {size} >= 1, " for size in self.listed.sizes)
        edges, strategies = len(self.listed.edges), len(self.listed.strategies)
        counts = f"{edges} edges, {strategies} {'strategy' if strategies == 1 else 'strategies'}"
        claim = f"({self.epsilon}, 0)-private for {every}all adjacent inputs ({self.changes.shown})"
        where = f"every eps in {self.claim.on}"
        return shown(f"{self.about()} is {claim} and {where}: t = {self.listed.t}, {counts}")

    def conditional(self) -> str:
        """The statement under its condition: the kernel does not read programs."""
        return f"IF the listed automaton is that of the program THEN {self.statement()}"

    def summary(self) -> list[str]:
        """What was proved, and what is trusted."""
        labels = "" if self.labels else " its labels were not compared with the adjacency;"
        return [
            f"accepted: {self.conditional()}",
            "trusted: that the listed claim, parameters, inputs, adjacency and automaton are those of the "
            f"program text (SHA-256 {self.program.sha256});{labels} everything else was recomputed",
        ]


def checked(listed: Listed, file: bytes | None = None) -> Certificate:
    """All phases but the digest."""
    check_program(listed, file)
    claim, t = read_claim(listed.claim.interval), listed.t
    names = [*(name_of(name, "sizes") for name in listed.sizes), *listed.parameters]
    require(len(set(names)) == len(names), "sizes", "one is listed twice, or is a parameter with a value")
    changes = Changes(listed.adjacency, listed.inputs)
    changes.check()
    require(listed.claim.delta == ([], 0), "claim", "delta is 0 in a statement about every size")
    functions = listed.denominators, listed.functions, listed.claim.delta, listed.claim.factors
    table = laws.read_table(*functions, claim.on, claim.sample)
    require(0 <= t <= listed.claim.t, "t", "it is negative, or more than is claimed")
    automaton = listed.automaton
    check_automaton(automaton, costs_of(listed.choices, table, claim.on), listed.inputs.integers)
    for n, strategy in enumerate(listed.strategies):
        check_strategy(strategy, automaton, t, f"strategy {n}")
    walk = Walk(automaton, changes, listed.strategies)
    require(walk.all, "strategies", "there are none")
    walk.check()
    return Certificate(listed, claim, table, changes, walk.widths is not None)
