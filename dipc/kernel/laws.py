"""What a certificate lists: sets, functions of eps, the laws as decision diagrams, and the adjacency.

**Laws.**  The probability of an outcome is a decision diagram over the cells of the input, with numbers of
functions of eps as leaves.  A named adjacency is an automaton that reads two inputs cell by cell.  The kernel
builds it from the declared sets, and walks its product with a diagram and the same diagram again: what it
meets at the end are all pairs (P(u)(o), P(u')(o)) of adjacent inputs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from . import facts
from .facts import ONE, ZERO, Function, Interval, Proof, Scaled, Terms
from .reading import Refused, integer, require
from .schema import name_of, read

MAX_CELLS = 1000  # of the input, or the output
MAX_PAIRS = 1_000_000  # listed for a formula

Domain = tuple["Fraction | str", ...]

# --- the format ---------------------------------------------------------------------------------------

Quotient = tuple[Terms, int]  # a numerator, and the number of a denominator; number 0 is 1


@dataclass(frozen=True)
class Variable:
    """An input or output with its set; ``size`` is that of an array."""

    name: str
    size: int | None
    domain: list[str]


@dataclass(frozen=True)
class Denominator:
    """A function, and the proof that it is positive."""

    function: Terms
    proof: Proof


@dataclass(frozen=True)
class Related:
    """Which inputs are adjacent: by a distance, or for a formula the places of all pairs, one way round."""

    kind: Literal["linf", "l1", "hamming", "all", "formula"]
    distance: Fraction | None
    pairs: list[tuple[int, int]] | None


# --- sets ---------------------------------------------------------------------------------------------


class Sets(NamedTuple):
    """The sets of the inputs and outputs, cell by cell, and how many outcomes are listed."""

    inputs: list[Domain]
    outputs: list[Domain]
    outcomes: int

    def position(self, digits: Sequence[int]) -> int:
        """The place of an input among all, the last cell varying fastest."""
        place = 0
        for domain, digit in zip(self.inputs, digits, strict=True):
            place = place * len(domain) + digit
        return place

    def digits(self, position: int) -> list[int]:
        """The inverse of :meth:`position`."""
        digits = []
        for domain in reversed(self.inputs):
            position, digit = divmod(position, len(domain))
            digits.append(digit)
        return digits[::-1]


def read_sets(inputs: list[Variable], outputs: list[Variable], outcomes: list[list[str]]) -> Sets:
    """The sets, with different outcomes inside the output sets."""
    cells, shown = read_domains(inputs, "inputs"), read_domains(outputs, "outputs")
    found = {tuple(places(outcome, shown, "outcomes")) for outcome in outcomes}
    require(0 < len(found) == len(outcomes), "outcomes", "there are none, or one occurs twice")
    return Sets(cells, shown, len(outcomes))


def read_domains(variables: Sequence[Variable], which: str) -> list[Domain]:
    """The set of each cell of the inputs or the outputs."""
    domains: list[Domain] = []
    for variable in variables:
        name_of(variable.name, which)
        domain = tuple(value_of(value, which) for value in variable.domain)
        once = domain and len(set(variable.domain)) == len(domain)  # each value is written in one way
        require(once, which, "a set is empty or names a value twice")
        size = 1 if variable.size is None else integer(variable.size, which, 1, MAX_CELLS)
        domains += [domain] * size
        require(len(domains) <= MAX_CELLS, which, f"more than {MAX_CELLS} cells")
    require(len({v.name for v in variables}) == len(variables), which, "a name occurs twice")
    return domains


def value_of(written: str, step: str) -> Fraction | str:
    """The value of an input or output: a number or a name."""
    return read(Fraction, written, step) if re.match(r"[-0-9]", written) else name_of(written, step)


def places(values: Sequence[str], domains: Sequence[Domain], step: str) -> list[int]:
    """The place of every value in its set."""
    require(len(values) == len(domains), step, "there is not one value for every cell")
    known = [value_of(value, step) for value in values]
    inside = all(value in domain for value, domain in zip(known, domains, strict=True))
    require(inside, step, "a value is outside its set")
    return [domain.index(value) for value, domain in zip(known, domains, strict=True)]


# --- functions ----------------------------------------------------------------------------------------


class Ratio(NamedTuple):
    """A function of eps over a denominator, given by its place in the list of denominators."""

    numerator: Function
    denominator: int


class Table(NamedTuple):
    """Denominators, all probabilities, delta, and the factors exp(epsilon) of a claim."""

    denominators: list[Function]
    functions: list[Ratio]
    delta: Ratio
    factors: list[Ratio]

    def rated(self, t: Fraction) -> Table:
        """The same with the factor exp(t*eps)."""
        return self._replace(factors=[Ratio({(0, t, ZERO, ZERO): Fraction(1)}, 0)])


def read_table(
    listed: Sequence[Denominator],
    functions: Sequence[Quotient],
    delta: Quotient,
    factors: Sequence[Quotient],
    on: Interval,
    at: Fraction,
) -> Table:
    """Denominators are proved positive; functions differ and are not negative at a sample eps.

    A factor is positive: its numerator is a positive number times a monomial, times a denominator.
    """
    denominators, known = [ONE], {frozenset(ONE.items())}
    for i, item in enumerate(listed, start=1):
        step = f"denominator {i}"
        f = facts.function(item.function, step)
        new = f == facts.normal(f) and frozenset(f.items()) not in known
        require(new, step, "it is not in normal form, or occurs twice")
        known.add(frozenset(f.items()))
        facts.prove(f, on, item.proof, step, strict=True)
        denominators.append(f)

    def ratio(quotient: Quotient, step: str) -> Ratio:
        f = facts.function(quotient[0], step)
        return Ratio(f, integer(quotient[1], step, 0, len(denominators) - 1 if f else 0))

    ratios = [ratio(p, f"function {i}") for i, p in enumerate(functions)]
    once = len({(frozenset(f.items()), d) for f, d in ratios}) == len(ratios)
    require(once, "functions", "a function is listed twice")
    for i, (f, _) in enumerate(ratios):
        possible = facts.sign_at(f, at) >= 0
        require(possible, f"function {i}", f"a probability is negative at eps = {at}")
    table = Table(denominators, ratios, ratio(delta, "claim"), [ratio(f, "claim") for f in factors])
    used = {0, *(d for _, d in (*ratios, table.delta, *table.factors))}
    for f, _ in table.factors:
        positive = f and facts.normal(f) in denominators
        require(positive, "claim", "it is not shown that exp(epsilon) is positive")
        used.add(denominators.index(facts.normal(f)))
    require(used == set(range(len(denominators))), "denominators", "a denominator is not used")
    return table


class Integers(NamedTuple):
    """The table in integers, with exponents in multiples of 1/``unit``: everything times ``one``.

    That is ``scale``, another integer, and the denominators of the factors.  ``bounds`` are the functions
    times the first factor, in the order of ``functions``, then those times the second one, and so on.
    """

    unit: int
    scale: int
    one: Scaled
    denominators: list[Scaled]
    functions: list[tuple[Scaled, int]]
    bounds: list[tuple[Scaled, int]]
    delta: tuple[Scaled, int]

    @property
    def has_delta(self) -> bool:
        """Whether delta is not 0."""
        return bool(self.delta[0])

    def lifted(self, parts: Iterable[tuple[int, Scaled, int]]) -> tuple[Scaled, Scaled]:
        """The sum of integers times functions over denominators, as one numerator and one denominator."""
        groups: dict[int, list[tuple[int, Scaled]]] = {}
        for times, f, d in parts:
            groups.setdefault(d, []).append((times, f))
        sums = {d: facts.combined(group) for d, group in groups.items()}
        above, below = [], {(0, 0, 0, 0): 1}
        for d, f in sums.items():
            for other in sums:
                if other != d and other:
                    f = facts.multiply(f, self.denominators[other])
            above.append((1, f))
            below = facts.multiply(below, self.denominators[d]) if d else below
        return above[0][1] if len(above) == 1 else facts.combined(above), below

    def margins(self, pairs: Iterable[tuple[int, int]], times: int = 1) -> list[tuple[int, Scaled, int]]:
        """The parts of ``times`` * (B - P) for sums P of functions and B of bounds."""
        parts = []
        for i, j in pairs:
            parts.append((times, *self.bounds[j]))
            parts.append((-times, *self.functions[i]))
        return parts

    def total(self, parts: Iterable[tuple[int, Scaled, int]], times: int = 1) -> Scaled:
        """The sum of the parts and ``times`` * delta, multiplied by something positive."""
        above, below = self.delta
        return self.lifted([*parts, (times, above, below)] if above else parts)[0]

    def slack(self, pairs: Iterable[tuple[int, int]]) -> Scaled:
        """B - P + delta for sums P of functions and B of bounds, multiplied by something positive."""
        return self.total(self.margins(pairs))

    def signed(self, pair: tuple[int, int], sign: str) -> Scaled:
        """The function that is >= 0 where P - B has the sign."""
        return self.lifted(self.margins([pair], 1 if sign == "-" else -1))[0]


def rated(t: Fraction) -> Quotient:
    """The factor exp(t*eps)."""
    return [(Fraction(1), 0, t) if t else (Fraction(1),)], 0


def in_integers(table: Table) -> Integers:
    """All functions with one unit and one scale."""
    above = [f for f, _ in table.factors]
    numerators = [*(f for f, _ in table.functions), table.delta.numerator]
    scale, times = facts.scale_of(*numerators), facts.scale_of(*above)
    unit = facts.unit_of(*numerators, *above, *table.denominators)
    denominators = [facts.scaled(f, unit, 1) for f in table.denominators]
    below = {d for _, d in table.factors}

    def without(d: int | None, f: Scaled) -> Scaled:
        """f times the denominators of the factors but for one."""
        for other in sorted(below - {d}):
            f = facts.multiply(f, denominators[other])
        return f

    one = without(None, {(0, 0, 0, 0): times})
    factors = [without(d, facts.scaled(f, unit, times)) for f, d in table.factors]
    *listed, delta = ((facts.scaled(f, unit, scale), d) for f, d in (*table.functions, table.delta))
    *functions, delta = ((facts.multiply(f, one), d) for f, d in (*listed, delta))
    bounds = [(facts.multiply(f, factor), d) for factor in factors for f, d in listed]
    whole = facts.multiply({(0, 0, 0, 0): scale}, one)
    return Integers(unit, scale, whole, denominators, functions, bounds, delta)


# --- laws ---------------------------------------------------------------------------------------------


class Diagram(NamedTuple):
    """Decision diagrams over the input cells: of each reference its cell and its branches.

    References below ``leaves`` are leaves, whose cell is ``end``.  On every path cells ascend.
    """

    leaves: int
    end: int
    cells: list[int]
    branches: list[tuple[int, ...]]
    roots: list[int]

    def at(self, digits: Sequence[int]) -> tuple[int, ...]:
        """The leaves that the roots lead to on one input."""
        found = []
        for node in self.roots:
            while node >= self.leaves:
                node = self.branches[node][digits[self.cells[node]]]
            found.append(node)
        return tuple(found)


def read_diagram(
    listed: Sequence[Sequence[int]], listed_roots: Sequence[int], sets: Sets, functions: int
) -> Diagram:
    """The probabilities of the outcomes, in a form without superfluous nodes."""
    end = len(sets.inputs)
    cells, known = [end] * functions, set()
    nodes: list[tuple[int, ...]] = [()] * functions
    for i, node in enumerate(listed):
        here, last = f"node {i}", functions + i - 1
        require(node, here, "it has no cell")
        cell = integer(node[0], here, 0, end - 1)
        below = tuple(integer(child, here, 0, last) for child in node[1:])
        full = len(below) == len(sets.inputs[cell])
        require(full, here, "there is not one branch for every value of its cell")
        ordered = all(cells[child] > cell for child in below)
        require(ordered, here, "the cells on a path are not in order")
        key = cell, below
        new = len(set(below)) > 1 and key not in known
        require(new, here, "all its branches are equal, or it is listed twice")
        known.add(key)
        cells.append(cell)
        nodes.append(below)
    roots = [integer(root, "roots", 0, len(cells) - 1) for root in listed_roots]
    require(len(roots) == sets.outcomes, "roots", "there is not one for every outcome")
    used = set(roots)
    for number in range(len(cells) - 1, functions - 1, -1):
        require(number in used, f"node {number - functions}", "it is not used")
        used.update(nodes[number])
    require(len(used) == len(cells), "functions", "a function is not used")
    return Diagram(functions, end, cells, nodes, roots)


def check_sums(diagram: Diagram, integers: Integers) -> None:
    """The probabilities of all outcomes sum to 1 for every input."""
    for law in joint(diagram)[1]:
        check_total([integers.functions[i] for i in law], integers)


def check_total(parts: Iterable[tuple[Any, int]], integers: Integers) -> None:
    """The sum of functions over denominators is 1."""
    if integers.lifted([*((1, f, d) for f, d in parts), (-1, integers.one, 0)])[0]:
        raise Refused("laws", "the probabilities of an input do not sum to 1")


def joint(diagram: Diagram) -> tuple[Diagram, list[tuple[int, ...]]]:
    """One diagram of all outcomes: its leaves are laws, given by the functions of the outcomes."""
    cells, branches, start = diagram.cells, diagram.branches, tuple(diagram.roots)
    layers: list[dict[tuple[int, ...], list[tuple[int, ...]]]] = [{} for _ in range(diagram.end + 1)]
    layers[min(cells[node] for node in start)][start] = []
    for cell in range(diagram.end):
        for group, below in layers[cell].items():
            width = max(len(branches[node]) for node in group if cells[node] == cell)
            for k in range(width):
                below.append(tuple(branches[n][k] if cells[n] == cell else n for n in group))
            for following in below:
                layers[min(cells[node] for node in following)].setdefault(following, [])
    laws = list(layers[diagram.end])
    number = {law: i for i, law in enumerate(laws)}
    joined_cells = [diagram.end] * len(laws)
    joined: list[tuple[int, ...]] = [()] * len(laws)
    for cell in range(diagram.end - 1, -1, -1):
        for group, below in layers[cell].items():
            number[group] = len(joined)
            joined_cells.append(cell)
            joined.append(tuple(number[following] for following in below))
    return Diagram(len(laws), diagram.end, joined_cells, joined, [number[start]]), laws


# --- adjacency ----------------------------------------------------------------------------------------


class Adjacency(NamedTuple):
    """A named distance, or the listed pairs, in both orders, each with the number of its factor."""

    kind: str
    distance: Fraction
    pairs: dict[tuple[int, int], list[int]] | None

    def holds(self, sets: Sets, u: list[int], v: list[int]) -> bool:
        """Whether two inputs, given by the places of their values, are adjacent."""
        if self.pairs is not None:
            return (sets.position(u), sets.position(v)) in self.pairs
        costs = [cost(self.kind, d[i], d[j]) for d, i, j in zip(sets.inputs, u, v, strict=True)]
        return (max(costs, default=ZERO) if self.kind == "linf" else sum(costs, ZERO)) <= self.distance


def read_adjacency(listed: Related, of: list[int] | None, factors: int, sets: Sets) -> Adjacency:
    """Which inputs are adjacent, and the factors ``of`` listed pairs, the first one if this is None.

    That listed pairs are those of the program is not checked.
    """
    step, kind, distance, once = "adjacency", listed.kind, listed.distance, listed.pairs
    known = (once is not None) == (kind == "formula") and (distance is None) == (kind in ("all", "formula"))
    require(known, step, "it has a field that is not its own, or not one that is")
    require(distance is None or distance >= 0, step, "no inputs are adjacent")
    numbers = [0] * len(once or ()) if of is None else of
    fits = len(numbers) == len(once or ()) and (of is None or once is not None)
    fits = fits and {*numbers} | {0} == {*range(factors)}
    require(fits, "claim", "its factors are not those of the listed pairs")
    if once is None:
        return Adjacency(kind, distance or ZERO, None)
    require(len(once) <= MAX_PAIRS, step, f"more than {MAX_PAIRS} pairs of inputs are listed")
    last = math.prod(map(len, sets.inputs)) - 1
    inside = all(0 <= u <= v <= last for u, v in once)
    listed_once = [*zip(once, numbers, strict=True)]
    ordered = inside and all(a < b for a, b in pairwise(listed_once))
    require(ordered, step, "a pair is not one of inputs, or the pairs are not in order")
    pairs: dict[tuple[int, int], list[int]] = {}
    for (u, v), number in listed_once:
        for pair in {(u, v), (v, u)}:
            pairs.setdefault(pair, []).append(number)
    return Adjacency(kind, ZERO, pairs)


def cost(kind: str, x: Fraction | str, y: Fraction | str) -> Fraction:
    """The distance of two values of one input cell."""
    if kind == "all" or x == y:
        return ZERO
    if kind == "hamming":
        return Fraction(1)
    if isinstance(x, str) or isinstance(y, str):
        raise Refused("adjacency", "names have no distance")
    return abs(x - y)


class Automaton:
    """A named adjacency reads two inputs cell by cell; its state is what is left of the distance.

    In the linf distance every cell may spend all of it, so nothing is remembered.  States are integers, in
    units of a common denominator.
    """

    def __init__(self, adjacency: Adjacency, sets: Sets) -> None:
        self.shared = adjacency.kind in ("l1", "hamming")
        self.kind, self.domains = adjacency.kind, sets.inputs
        numbers = [x for domain in sets.inputs for x in domain if isinstance(x, Fraction)]
        self.unit = math.lcm(*(x.denominator for x in [adjacency.distance, *numbers]))
        self.start = int(adjacency.distance * self.unit)
        self._moves: dict[tuple[int, int], list[tuple[int, int, int]]] = {}

    def moves(self, cell: int, state: int) -> list[tuple[int, int, int]]:
        """(a, b, the state then): the cell may have its a-th value in u and its b-th in u'."""
        domain = self.domains[cell]
        key = id(domain), state
        if key not in self._moves:
            self._moves[key] = [
                (a, b, state - more if self.shared else state)
                for a, x in enumerate(domain)
                for b, y in enumerate(domain)
                if (more := int(cost(self.kind, x, y) * self.unit)) <= state
            ]
        return self._moves[key]

    def number_of_pairs(self) -> int:
        """How many ordered pairs of inputs are adjacent."""
        counts = {self.start: 1}
        for cell in range(len(self.domains)):
            following: dict[int, int] = {}
            for left, count in counts.items():
                for _, _, after in self.moves(cell, left):
                    following[after] = following.get(after, 0) + count
            counts = following
        return sum(counts.values())

    def walk(self, diagram: Diagram, root: int) -> set[tuple[int, int]]:
        """The pairs of leaves that a diagram has on the pairs of adjacent inputs.

        All pairs of inputs that lead to the same two nodes and the same state are one.
        """
        cells, branches = diagram.cells, diagram.branches
        layer = {(root, root, self.start)}
        for cell in range(diagram.end):
            states = {left for _, _, left in layer}
            moves = {left: self.moves(cell, left) for left in states}
            merged = {left: {(0, 0, after) for _, _, after in moves[left]} for left in states}
            size = len(self.domains[cell])
            following = set()
            for u, v, left in layer:
                us = branches[u] if cells[u] == cell else (u,) * size
                vs = branches[v] if cells[v] == cell else (v,) * size
                steps = moves[left] if cell in (cells[u], cells[v]) else merged[left]
                following.update([(us[a], vs[b], after) for a, b, after in steps])
            layer = following
        return {(u, v) for u, v, _ in layer}


Pairs = tuple[tuple[int, int], ...]


class Needed(NamedTuple):
    """What the adjacent inputs need: pairs of a function and a bound (delta = 0) or of laws, and how many
    pairs of inputs."""

    functions: set[tuple[int, int]]
    laws: set[Pairs]
    pairs: int


def needed_pairs(diagram: Diagram, adjacency: Adjacency, sets: Sets, whole_laws: bool) -> Needed:
    """The pairs of functions and bounds, or of sorted laws, of all pairs of adjacent inputs."""
    functions: set[tuple[int, int]] = set()
    laws: set[Pairs] = set()
    compared: Iterable[tuple[tuple[int, ...], tuple[int, ...]]] = ()
    if adjacency.pairs is not None:
        count = len(adjacency.pairs)
        law = {u: diagram.at(sets.digits(u)) for pair in adjacency.pairs for u in pair}
        compared = {
            (law[u], tuple(q + number * diagram.leaves for q in law[v]))
            for (u, v), numbers in adjacency.pairs.items()
            for number in numbers
        }
    else:
        automaton = Automaton(adjacency, sets)
        count = automaton.number_of_pairs()
        if whole_laws:
            joined, known = joint(diagram)
            compared = [(known[u], known[v]) for u, v in automaton.walk(joined, joined.roots[0])]
        else:
            for root in diagram.roots:
                functions |= automaton.walk(diagram, root)
    for p, q in compared:
        if whole_laws:
            laws.add(tuple(sorted(zip(p, q, strict=True))))
        else:
            functions.update(zip(p, q, strict=True))
    return Needed(functions, laws, count)
