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

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from . import laws
from .automata import (
    Adjacency,
    Automaton,
    Edge,
    Form,
    Labels,
    Sample,
    nonnegative,
    read_adjacency,
    read_automaton,
    read_choices,
)
from .facts import ZERO
from .laws import Table
from .privacy import FORMAT, MAX_NAME, VERSION, Claim, ProgramText, read_claim, read_program, shown
from .reading import Refused, array, integer, name_of, rational, record

FIELDS = (
    "format version statement program parameters sizes adjacency inputs claim start t "
    "denominators functions choices places steps edges strategies digest"
)


# --- strategies -----------------------------------------------------------------------------------------


class Strategy(NamedTuple):
    """Constants for some edges, by number, and for the places where they begin and end."""

    shifts: dict[int, list[Fraction]]
    phi: dict[int, Fraction]
    delta: dict[int, dict[str, Fraction]]


def by_place(value: Any, places: Iterable[int], step: str) -> dict[int, Any]:
    """An object with a field for each of the places."""
    written = record(value, step, *map(str, places))
    return {place: written[str(place)] for place in places}


def read_strategy(value: Any, automaton: Automaton, step: str) -> Strategy:
    """A strategy, of which nothing is checked yet."""
    listed = record(value, step, "edges", "phi", "delta", "shift")
    last = len(automaton.edges) - 1
    numbers = [integer(i, step, 0, last) for i in array(listed["edges"], step)]
    if any(b <= a for a, b in pairwise(numbers)) or len(array(listed["shift"], step)) != len(numbers):
        raise Refused(step, "the edges are not ascending, or there are not shifts for each of them")
    edges = [automaton.edges[i] for i in numbers]
    places = {automaton.start, *(e.source for e in edges), *(e.target for e in edges)}
    phi = by_place(listed["phi"], places, f"{step}, phi")
    delta = {}
    for place, written in by_place(listed["delta"], places, f"{step}, delta").items():
        named = record(written, f"{step}, delta {place}", *automaton.live[place])
        delta[place] = {name: rational(x, f"{step}, delta {place}") for name, x in named.items()}
    shifts = {}
    for i, edge, row in zip(numbers, edges, listed["shift"], strict=True):
        shifts[i] = [rational(x, f"{step}, edge {i}, shift") for x in array(row, f"{step}, edge {i}, shift")]
        if len(shifts[i]) != len(edge.samples):
            raise Refused(f"{step}, edge {i}, shift", "there is not one for each sample")
    return Strategy(shifts, {p: nonnegative(x, f"{step}, phi {p}") for p, x in phi.items()}, delta)


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
    values = {"": Fraction(1), **strategy.delta[edge.source]}
    values |= {str(j): shift for j, shift in enumerate(shifts)}
    cost = edge.cost
    for j, (sample, shift) in enumerate(zip(edge.samples, shifts, strict=True)):
        cost += cost_of(sample, shift, value_of(sample.mean, values), f"{step}, sample {j}")
    for i, (form, equal) in enumerate(edge.guards):
        moved = value_of(form, values)
        if moved < 0 or (equal and moved):
            raise Refused(f"{step}, guard {i}", "the run on the neighbour decides otherwise")
    for name, form in edge.sets.items():
        if value_of(form, values) != strategy.delta[edge.target][name]:
            raise Refused(f"{step}, sets", f"'{name[:40]}' changes by another number than delta says")
    if cost > strategy.phi[edge.source] - strategy.phi[edge.target]:
        raise Refused(step, "the cost is more than phi(from) - phi(to)")


def check_strategy(strategy: Strategy, automaton: Automaton, t: Fraction, step: str) -> None:
    """All edges of a strategy are right, and a run costs at most t."""
    if strategy.phi[automaton.start] > t:
        raise Refused(f"{step}, phi", "a run may cost more than t")
    for i, shifts in strategy.shifts.items():
        check_edge(automaton.edges[i], shifts, strategy, f"{step}, edge {i}")


# --- coverage -------------------------------------------------------------------------------------------


class Walk:
    """All runs of the automaton, with the strategies that contain them, as bits, and their labels.

    ``widths`` has the greatest label of each input; it is None if labels cannot be checked.
    """

    def __init__(self, automaton: Automaton, adjacency: Adjacency, strategies: Sequence[Strategy]) -> None:
        self.automaton, self.adjacency = automaton, adjacency
        self.outgoing = automaton.outgoing()
        self.all = (1 << len(strategies)) - 1
        self.bits = [0] * len(automaton.edges)
        for n, strategy in enumerate(strategies):
            for i in strategy.shifts:
                self.bits[i] |= 1 << n
        self.complete: set[tuple[int, Fraction]] = set()
        self.widths = self.widest() if adjacency.distance is not None else None

    def widest(self) -> dict[str, Fraction] | None:
        """The greatest label of each input, if all labels are changes of single numbers."""
        found: dict[str, Fraction] = {}
        for edge in self.automaton.edges:
            if edge.labels is None:
                return None
            for cell, label in zip(edge.cells, edge.labels, strict=True):
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
                after = edge.target, left, self.used_after(edge, used)
                if after not in seen:
                    seen.add(after)
                    places.add(edge.target)
                    todo.append(after)
        for place in range(len(self.outgoing)):
            if place not in places:
                raise Refused(f"place {place}", "no run leads there")

    def used_after(self, edge: Edge, used: Fraction) -> Fraction:
        """What is used up of the distance."""
        if self.widths is None or edge.labels is None or self.adjacency.distance is None:
            return ZERO
        return min(used + self.adjacency.used(edge.labels), self.adjacency.distance)

    def check_labels(self, place: int, used: Fraction) -> None:
        """From a place the edges with equal decisions have all labels that are left."""
        if self.widths is None or (place, used) in self.complete:
            return
        self.complete.add((place, used))
        groups: dict[tuple[str, ...], list[Edge]] = {}
        for i in self.outgoing[place]:
            edge = self.automaton.edges[i]
            groups.setdefault(edge.decisions, []).append(edge)
        for edges in groups.values():
            cells = edges[0].cells
            if any(edge.cells != cells for edge in edges):
                raise Refused(f"place {place}", "edges with equal decisions read different cells")
            listed = {labels_shown(edge.labels or ()) for edge in edges}
            widths = [self.widths[cell] for cell in cells]
            for needed in map(labels_shown, self.adjacency.needed(widths, used)):
                if needed not in listed:
                    raise Refused(f"place {place}", f"an edge with the labels ({needed[:80]}) is missing")


def labels_shown(labels: Labels) -> str:
    """For example "1, -1": equal for equal labels only."""
    return ", ".join(map(str, labels))


# --- the certificate ------------------------------------------------------------------------------------


class Certificate(NamedTuple):
    """A certificate that was checked; ``labels`` says whether the kernel has compared the labels."""

    data: dict[str, Any]
    program: ProgramText
    claim: Claim
    table: Table
    sizes: list[str]
    adjacency: Adjacency
    labels: bool
    status: str = "private"

    def claim_shown(self) -> str:
        """The claim, for example "(1*eps, 0) for every eps in (0, inf)"."""
        return f"({self.claim.t}*eps, 0) for every eps in {self.claim.on}"

    def statement(self) -> str:
        """What was proved, in words, about the listed automaton."""
        settings = ", ".join(f"{name} = {value}" for name, value in self.program.parameters.items())
        name = self.program.name[:MAX_NAME].translate({ord(c): "_" for c in "\"'`"})
        about = f"program '{name}'" + (f" with {settings}" if settings else "")
        every = "".join(f"every {size} >= 1, " for size in self.sizes)
        edges, strategies = len(self.data["edges"]), len(self.data["strategies"])
        counts = f"{edges} edges, {strategies} {'strategy' if strategies == 1 else 'strategies'}"
        t = f"({self.claim.t}*eps, 0)-private for {every}all adjacent inputs ({self.adjacency.shown})"
        return shown(f"{about} is {t} and every eps in {self.claim.on}: t = {self.data['t']}, {counts}")

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


def read_table(data: dict[str, Any], claim: Claim) -> Table:
    """The functions of finite draws; delta is 0."""
    if data["claim"]["delta"] != [[], 0]:
        raise Refused("claim", "delta is 0 in a statement about every size")
    return laws.read_table(data, claim.on, claim.sample)


def checked(data: Any, file: bytes | None) -> Certificate:
    """All phases but the digest."""
    record(data, "format", *FIELDS.split())
    if data["format"] != FORMAT or type(data["version"]) is not int or data["version"] != VERSION:
        raise Refused("format", f"only '{FORMAT}' version {VERSION} is known")
    if data["statement"] != "sizes":
        raise Refused("format", "only statements about every size are known")
    program, claim = read_program(data, file), read_claim(data)
    sizes = [name_of(name, "sizes") for name in array(data["sizes"], "sizes")]
    if len({*sizes, *program.parameters}) < len(sizes) + len(program.parameters):
        raise Refused("sizes", "one is listed twice, or is a parameter with a value")
    adjacency, table, t = read_adjacency(data), read_table(data, claim), nonnegative(data["t"], "t")
    if t > claim.t:
        raise Refused("t", "it is more than is claimed")
    automaton = read_automaton(data, read_choices(data, table, claim.on), adjacency.integers)
    strategies = []
    for n, item in enumerate(array(data["strategies"], "strategies")):
        strategies.append(read_strategy(item, automaton, f"strategy {n}"))
        check_strategy(strategies[n], automaton, t, f"strategy {n}")
    walk = Walk(automaton, adjacency, strategies)
    if not walk.all:
        raise Refused("strategies", "there are none")
    walk.check()
    return Certificate(data, program, claim, table, sizes, adjacency, walk.widths is not None)
