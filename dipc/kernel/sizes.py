"""The statement about every size: a program is t*eps-private for every N, all inputs and every eps.

A certificate has the automaton of the program: places, and edges between them, each one a path of the program
together with the changes ("labels") of the private cells that it reads.  A run of the automaton stands for the
two runs of the program on adjacent inputs u and u' that take the same decisions and publish the same values.
A *form* is how much a quantity changes between the two: an object from symbols to fractions, with a sample of
the edge by its number ("0", "1", ...), a live random variable of the edge's source by its name, and "" for the
constant.  Costs and rates are in units of eps.

A *strategy* gives constants to some edges and their places: a *shift* for every sample, a *delta*, the change,
for every live variable, and *phi* >= 0, what may still be spent.  For each of its edges it is checked that

* every guard is >= 0, or = 0: the run on u' decides like the one on u;
* every live variable of the target has the delta of the target;
* a shift is in the support: of ``LapPlus`` not below the change of the mean, of ``DLap`` an integer, and so is
  the change of its mean;
* phi(from) - phi(to) >= cost + the sum of rate * |shift - change of the mean|;

and phi(start) <= t.  *Coverage*: from the start and the set of all strategies, every edge is followed, with
the strategies of the set that contain it; there always is one.  Finite draws cost what a proved inequality
says, those of the exponential mechanism rate * sensitivity.

*This is a proof*: on a path the map x -> x + shift of its samples is a bijection that preserves the volume (of
the integers, for ``DLap``); it carries the event of the path on u into that on u', with the same outputs, and
lowers the density at most by exp(-eps*cost).  By coverage one strategy contains all edges of a run; its costs
add up to at most phi(start), whatever the length.  Images of different paths are disjoint, so the sum over all
paths with given outputs is at most exp(t*eps) times that of u'.  Real inputs: the least cost is convex in the
differences, so those at the corners of the adjacency are enough.

*Labels*: where all labels are changes of single numbers and the adjacency is linf, l1 or hamming, the edges
that differ in labels only have every label that the adjacency leaves.  That the automaton is that of the
program text is not checked here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any, NamedTuple

from . import facts, laws
from .facts import ZERO, Interval
from .laws import Table
from .privacy import FORMAT, MAX_NAME, VERSION, Claim, ProgramText, read_claim, read_program, shown
from .reading import Refused, array, flag, integer, name_of, rational, record, salted, spend, text, weight

FIELDS = (
    "format version statement program parameters sizes adjacency inputs claim start t "
    "denominators functions choices places edges strategies digest"
)
PLACE = "cut values differences phase facts live"
EDGE = "from to samples guards sets cost choices decisions path"
KINDS = ("Lap", "LapPlus", "DLap")
STEPS = ("label", "sample", "test", "choice", "output")
MAX_PLACES = 3000
MAX_EDGES = 100_000
CELL = re.compile(r"[^\W\d]\w*(\[[^\]]*\])?( |$)")  # how the text of a label begins: one private cell

Form = dict[str, Fraction]
Labels = tuple[Fraction, ...]  # the changes of the cells that an edge reads, in the order of its path


class Adjacency(NamedTuple):
    """Which inputs are adjacent; ``distance`` is None for ``all`` and formulas."""

    kind: str
    distance: Fraction | None
    shown: str
    integers: bool

    def choices(self, width: Fraction) -> list[Fraction]:
        """The labels of one cell: the integers up to its greatest change, or only the ends, and 0."""
        most = self.distance if self.distance is not None and self.kind != "hamming" else width
        if self.integers:
            spend(2 * int(most) + 1)
            return [Fraction(d) for d in range(-int(most), int(most) + 1)]
        return sorted({most, -most} if self.kind == "linf" else {most, ZERO, -most})

    def used(self, labels: Labels) -> Fraction:
        """What labels take of the distance."""
        spend(weight(*labels))
        if self.kind == "l1":
            return sum(map(abs, labels), ZERO)
        return Fraction(sum(map(bool, labels)) if self.kind == "hamming" else 0)

    def needed(self, cells: int, width: Fraction, used: Fraction) -> Iterator[Labels]:
        """All labels of so many cells, if so much of the distance is used up."""
        assert self.distance is not None
        for labels in product(self.choices(width), repeat=cells):
            spend(4 * cells)
            if self.used(labels) <= self.distance - used:
                yield labels


class Sample(NamedTuple):
    """A draw of noise."""

    kind: str
    rate: Fraction
    mean: Form


class Edge(NamedTuple):
    """``labels`` is None if one of them is not the change of a single number."""

    source: int
    target: int
    samples: list[Sample]
    guards: list[tuple[Form, bool]]
    sets: dict[str, Form]
    cost: Fraction
    decisions: tuple[str, ...]
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
        spend(len(live))
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


def read_labels(value: Any, step: str) -> Labels | None:
    """The labels of a path, if all of them are changes of single numbers."""
    labels: list[Fraction] | None = []
    for item in array(value, step):
        if len(array(item, step)) != 3:
            raise Refused(step, "a step of a path has a kind, a text and a value")
        kind, words, change = (text(part, step) for part in item)
        if kind not in STEPS:
            raise Refused(step, f"the kind '{kind[:40]}' of a step is not known")
        if kind == "label" and labels is not None:
            simple = CELL.match(words) and re.fullmatch(r"-?[0-9]+(/[0-9]+)?", change)
            labels = [*labels, rational(change, step)] if simple else None
    return None if labels is None else tuple(labels)


def read_edge(
    value: Any, live: Sequence[list[str]], costs: Sequence[Fraction], integers: bool, step: str
) -> Edge:
    """An edge, whose cost is that of its choices, and whose forms are over what there is."""
    edge = record(value, step, *EDGE.split())
    source, target = (integer(edge[end], step, 0, len(live) - 1) for end in ("from", "to"))
    here, last = live[source], len(costs) - 1
    samples = read_samples(edge["samples"], here, integers, step)
    guards = []
    for i, item in enumerate(array(edge["guards"], step)):
        guard = record(item, f"{step}, guard {i}", "form", "equal")
        form = read_form(guard["form"], len(samples), here, f"{step}, guard {i}")
        guards.append((form, flag(guard["equal"], f"{step}, guard {i}")))
    written = record(edge["sets"], f"{step}, sets", *live[target])
    sets = {name: read_form(form, len(samples), here, f"{step}, sets") for name, form in written.items()}
    cost, drawn = nonnegative(edge["cost"], step), ZERO
    for i in array(edge["choices"], step):
        drawn += costs[integer(i, step, 0, last)]
        spend(weight(drawn))
    if cost != drawn:
        raise Refused(step, "the cost is not that of its choices")
    decisions = tuple(text(word, step) for word in array(edge["decisions"], step))
    return Edge(source, target, samples, guards, sets, cost, decisions, read_labels(edge["path"], step))


def read_places(value: Any, start: int) -> list[list[str]]:
    """The live variables of every place; nothing is random at the start."""
    live: list[list[str]] = []
    for i, item in enumerate(array(value, "places")):
        step = f"place {i}"
        place = record(item, step, *PLACE.split())
        names = [text(name, step) for name in array(place["live"], step)]
        if len(set(names)) < len(names) or any(not name or name[0].isdigit() for name in names):
            raise Refused(step, "a live variable is listed twice, or has no name")
        if (text(place["cut"], step) == "start") != (i == start) or (i == start and names):
            raise Refused(step, "a run begins at the place 'start', and nothing has been drawn there")
        for part in ("values", "differences", "phase"):
            for word in members(place[part], step).values():
                text(word, step)
        for word in array(place["facts"], step):
            text(word, step)
        live.append(names)
    if not 0 < len(live) <= MAX_PLACES:
        raise Refused("places", f"there are none, or more than {MAX_PLACES}")
    return live


def read_automaton(data: dict[str, Any], costs: Sequence[Fraction], integers: bool) -> Automaton:
    """The automaton; only the end has no edges."""
    start = integer(data["start"], "start", 0, MAX_PLACES)
    live = read_places(data["places"], start)
    integer(start, "start", 0, len(live) - 1)
    if len(array(data["edges"], "edges")) > MAX_EDGES:
        raise Refused("edges", f"more than {MAX_EDGES}")
    edges = [read_edge(e, live, costs, integers, f"edge {i}") for i, e in enumerate(data["edges"])]
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
        slack = facts.unscaled(integers.slack([pair]).plain, integers.unit)
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
    words = f"{text(inputs['text'], 'inputs')[:MAX_NAME]}; {text(adjacency['text'], step)[:MAX_NAME]}"
    return Adjacency(kind, distance, words, flag(inputs["integers"], "inputs"))


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
    total = ZERO
    for symbol, factor in form.items():
        total += factor * values[symbol]
        spend(weight(factor, values[symbol], total))
    return total


def cost_of(sample: Sample, shift: Fraction, mean: Fraction, step: str) -> Fraction:
    """What it costs to move a sample by ``shift`` while its mean changes by ``mean``."""
    if sample.kind == "LapPlus" and shift < mean:
        raise Refused(step, "a shift leaves the support: it is below the change of the mean")
    if sample.kind == "DLap" and (shift.denominator != 1 or mean.denominator != 1):
        raise Refused(step, "integer noise, or its mean, moves by a number that is not an integer")
    spend(weight(sample.rate, shift, mean))
    return sample.rate * abs(shift - mean)


def check_edge(edge: Edge, shifts: Sequence[Fraction], strategy: Strategy, step: str) -> None:
    """The strategy keeps the guards, and pays for the edge."""
    values = {"": Fraction(1), **strategy.delta[edge.source]}
    values |= {str(j): shift for j, shift in enumerate(shifts)}
    spend(len(values))
    cost = edge.cost
    for j, (sample, shift) in enumerate(zip(edge.samples, shifts, strict=True)):
        cost += cost_of(sample, shift, value_of(sample.mean, values), f"{step}, sample {j}")
        spend(weight(cost))
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

    ``width`` is the greatest change of a cell under hamming; None if labels cannot be checked.
    """

    def __init__(self, automaton: Automaton, adjacency: Adjacency, strategies: Sequence[Strategy]) -> None:
        self.automaton, self.adjacency = automaton, adjacency
        self.outgoing = automaton.outgoing()
        self.all = (1 << len(strategies)) - 1
        self.bits = [0] * len(automaton.edges)
        for n, strategy in enumerate(strategies):
            for i in strategy.shifts:
                self.bits[i] |= 1 << n
        listed = [edge.labels for edge in automaton.edges]
        labels = [label for row in listed if row is not None for label in row]
        known = adjacency.distance is not None and None not in listed
        self.width = max(map(abs, labels), default=ZERO) if known else None
        if adjacency.kind == "hamming" and adjacency.distance and labels and self.width == 0:
            raise Refused("edges", "no cell ever changes")
        self.complete: set[bytes] = set()

    def check(self) -> None:
        """Every run has a strategy, and every label of the adjacency has an edge."""
        first = self.automaton.start, self.all, ZERO
        seen, todo = {state_key(*first)}, [first]
        while todo:
            place, bits, used = todo.pop()
            self.check_labels(place, used)
            for i in self.outgoing[place]:
                edge, left = self.automaton.edges[i], bits & self.bits[i]
                if not left:
                    raise Refused(f"edge {i}", "no strategy contains some run that ends with it")
                after = edge.target, left, self.used_after(edge, used)
                spend(16 + (self.all.bit_length() >> 4))
                if (key := state_key(*after)) not in seen:
                    seen.add(key)
                    todo.append(after)

    def used_after(self, edge: Edge, used: Fraction) -> Fraction:
        """What is used up of the distance."""
        if self.width is None or edge.labels is None or self.adjacency.distance is None:
            return ZERO
        return min(used + self.adjacency.used(edge.labels), self.adjacency.distance)

    def check_labels(self, place: int, used: Fraction) -> None:
        """From a place the edges with equal decisions have all labels that are left."""
        if self.width is None or (key := state_key(place, 0, used)) in self.complete:
            return
        self.complete.add(key)
        groups: dict[tuple[str, ...], list[Labels]] = {}
        for i in self.outgoing[place]:
            edge = self.automaton.edges[i]
            assert edge.labels is not None
            groups.setdefault(edge.decisions, []).append(edge.labels)
        for rows in groups.values():
            listed, cells = set(map(labels_shown, rows)), len(rows[0])
            if any(len(row) != cells for row in rows):
                raise Refused(f"place {place}", "edges with equal decisions read different cells")
            for needed in map(labels_shown, self.adjacency.needed(cells, self.width, used)):
                if needed not in listed:
                    raise Refused(f"place {place}", f"an edge with the labels ({needed[:80]}) is missing")


def state_key(place: int, bits: int, used: Fraction) -> bytes:
    """A key whose hash cannot be chosen."""
    return salted((place, bits, *used.as_integer_ratio()))


def labels_shown(labels: Labels) -> str:
    """For example "1, -1": equal for equal labels only."""
    spend(weight(*labels))
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
    return Certificate(data, program, claim, table, sizes, adjacency, walk.width is not None)
