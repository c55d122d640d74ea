"""What a certificate lists: sets, functions of eps, the laws as decision diagrams, and the adjacency.

**Laws.**  The probability of an outcome is a decision diagram over the cells of the input, with numbers of
functions of eps as leaves.  A named adjacency is an automaton that reads two inputs cell by cell.  The kernel
builds it from the declared sets, and walks its product with a diagram and the same diagram again: what it
meets at the end are all pairs (P(u)(o), P(u')(o)) of adjacent inputs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from . import facts, reading
from .facts import ONE, ZERO, Function, Interval, Scaled
from .reading import Domain, Refused, array, integer, pair_of, rational, record, text

MAX_CELLS = 1000  # of the input, or the output
MAX_PAIRS = 1_000_000  # listed for a formula


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


def read_sets(data: dict[str, Any]) -> Sets:
    """The sets, with different outcomes inside the output sets."""
    inputs, outputs = read_domains(data, "inputs"), read_domains(data, "outputs")
    outcomes = [tuple(reading.places(o, outputs, "outcomes")) for o in array(data["outcomes"], "outcomes")]
    if not outcomes or len(set(outcomes)) != len(outcomes):
        raise Refused("outcomes", "there are none, or one occurs twice")
    return Sets(inputs, outputs, len(outcomes))


def read_domains(data: dict[str, Any], which: str) -> list[Domain]:
    """The set of each cell of the inputs or the outputs."""
    domains: list[Domain] = []
    names = set()
    for item in array(data[which], which):
        variable = record(item, which, "name", "size", "domain")
        names.add(reading.name_of(variable["name"], which))
        domain = tuple(reading.value_of(v, which) for v in array(variable["domain"], which))
        if not domain or len(set(variable["domain"])) != len(domain):  # each value is written in one way
            raise Refused(which, "a set is empty or names a value twice")
        size = variable["size"]
        domains += [domain] * (1 if size is None else integer(size, which, 1, MAX_CELLS))
        if len(domains) > MAX_CELLS:
            raise Refused(which, f"more than {MAX_CELLS} cells")
    if len(names) != len(data[which]):
        raise Refused(which, "a name occurs twice")
    return domains


# --- functions ----------------------------------------------------------------------------------------


class Ratio(NamedTuple):
    """A function of eps over a denominator, given by its place in the list of denominators."""

    numerator: Function
    denominator: int


class Table(NamedTuple):
    """Denominators, all probabilities, and delta."""

    denominators: list[Function]
    functions: list[Ratio]
    delta: Ratio


def read_table(data: dict[str, Any], on: Interval, sample: Fraction) -> Table:
    """Denominators are proved positive; functions differ and are not negative at a sample eps."""
    denominators, known = [ONE], {repr([["1"]])}
    for i, item in enumerate(array(data["denominators"], "denominators"), start=1):
        step = f"denominator {i}"
        f = facts.function(record(item, step, "function", "proof")["function"], step)
        written = repr(item["function"])  # each function is written in one way
        if f != facts.normal(f) or written in known:
            raise Refused(step, "it is not in normal form, or occurs twice")
        known.add(written)
        facts.prove(f, on, item["proof"], step, strict=True)
        denominators.append(f)

    def ratio(value: Any, step: str) -> Ratio:
        numerator, denominator = pair_of(value, step)
        f = facts.function(numerator, step)
        return Ratio(f, integer(denominator, step, 0, len(denominators) - 1 if f else 0))

    functions = [ratio(p, f"function {i}") for i, p in enumerate(array(data["functions"], "functions"))]
    if len(set(map(repr, data["functions"]))) != len(functions):
        raise Refused("functions", "a function is listed twice")
    for i, (f, _) in enumerate(functions):
        if facts.sign_at(f, sample) < 0:
            raise Refused(f"function {i}", f"a probability is negative at eps = {sample}")
    delta = ratio(data["claim"]["delta"], "claim")
    if {d for _, d in (*functions, delta)} | {0} != set(range(len(denominators))):
        raise Refused("denominators", "a denominator is not used")
    return Table(denominators, functions, delta)


class Integers(NamedTuple):
    """The table in integers: everything times ``scale``, with exponents in multiples of 1/``unit``.

    ``bounds`` are the functions times exp(t*eps), in the order of ``functions``.
    """

    unit: int
    scale: int
    denominators: list[Scaled]
    functions: list[tuple[Scaled, int]]
    bounds: list[Scaled]
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
        """The parts of ``times`` * (exp(t*eps) Q - P) for sums P, Q of functions."""
        parts = []
        for i, j in pairs:
            parts.append((times, self.bounds[j], self.functions[j][1]))
            parts.append((-times, *self.functions[i]))
        return parts

    def total(self, parts: Iterable[tuple[int, Scaled, int]], times: int = 1) -> Scaled:
        """The sum of the parts and ``times`` * delta, multiplied by something positive."""
        above, below = self.delta
        return self.lifted([*parts, (times, above, below)] if above else parts)[0]

    def slack(self, pairs: Iterable[tuple[int, int]]) -> Scaled:
        """exp(t*eps) Q - P + delta for the sums P and Q of functions, multiplied by something positive."""
        return self.total(self.margins(pairs))

    def signed(self, pair: tuple[int, int], sign: str) -> Scaled:
        """The function that is >= 0 where P - exp(t*eps) Q has the sign."""
        return self.lifted(self.margins([pair], 1 if sign == "-" else -1))[0]


def in_integers(table: Table, t: Fraction) -> Integers:
    """All functions with one unit and one scale."""
    delta = table.delta
    numerators = [*(f for f, _ in table.functions), delta.numerator]
    scale = facts.scale_of(*numerators)
    unit = facts.unit_of(*numerators, *table.denominators, {(0, t, ZERO, ZERO): Fraction(1)})
    shift = int(t * unit)
    functions = [(facts.scaled(f, unit, scale), d) for f, d in table.functions]
    bounds = [{(n, a + shift, k, b): c for (n, a, k, b), c in f.items()} for f, _ in functions]
    denominators = [facts.scaled(f, unit, 1) for f in table.denominators]
    whole = facts.scaled(delta.numerator, unit, scale), delta.denominator
    return Integers(unit, scale, denominators, functions, bounds, whole)


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


def read_diagram(data: dict[str, Any], sets: Sets, functions: int) -> Diagram:
    """The probabilities of the outcomes, in a form without superfluous nodes."""
    end, step = len(sets.inputs), "nodes"
    cells, known = [end] * functions, set()
    nodes: list[tuple[int, ...]] = [()] * functions
    for i, item in enumerate(array(data["nodes"], step)):
        here, last = f"node {i}", functions + i - 1
        first, *rest = array(item, here) or [None]
        cell = integer(first, here, 0, end - 1)
        below = tuple(integer(child, here, 0, last) for child in rest)
        if len(below) != len(sets.inputs[cell]):
            raise Refused(here, "there is not one branch for every value of its cell")
        if any(cells[child] <= cell for child in below):
            raise Refused(here, "the cells on a path are not in order")
        key = cell, below
        if len(set(below)) == 1 or key in known:
            raise Refused(here, "all its branches are equal, or it is listed twice")
        known.add(key)
        cells.append(cell)
        nodes.append(below)
    roots = [integer(root, "roots", 0, len(cells) - 1) for root in array(data["roots"], "roots")]
    if len(roots) != sets.outcomes:
        raise Refused("roots", "there is not one for every outcome")
    used = set(roots)
    for node in range(len(cells) - 1, functions - 1, -1):
        if node not in used:
            raise Refused(f"node {node - functions}", "it is not used")
        used.update(nodes[node])
    if len(used) != len(cells):
        raise Refused("functions", "a function is not used")
    return Diagram(functions, end, cells, nodes, roots)


def check_sums(diagram: Diagram, integers: Integers) -> None:
    """The probabilities of all outcomes sum to 1 for every input: the sum of the diagrams, one by one."""
    sums = Sums(diagram)
    values = [{(d, *key): c for key, c in f.items()} for f, d in integers.functions]
    for root in diagram.roots:
        sums.add(root, values)
    for leaf in sums.leaves:
        check_total([({key[1:]: c}, key[0]) for key, c in sums.values[leaf].items()], integers)


def check_total(parts: Iterable[tuple[Any, int]], integers: Integers) -> None:
    """The sum of functions over denominators is 1."""
    one = {(0, 0, 0, 0): integers.scale}
    if integers.lifted([*((1, f, d) for f, d in parts), (-1, one, 0)])[0]:
        raise Refused("laws", "the probabilities of an input do not sum to 1")


Value = dict[tuple[int, int, int, int, int], int]


class Sums:
    """The sum of the diagrams so far, ``total``, as a diagram; its leaves are sums of functions."""

    def __init__(self, diagram: Diagram) -> None:
        self.diagram = diagram
        self.cells: list[int] = []
        self.branches: list[tuple[int, ...]] = []
        self.values: dict[int, Value] = {}
        self.known: dict[object, int] = {}
        self.total = self.leaf({})
        self.leaves = {self.total}

    def node(self, written: object, cell: int, branches: tuple[int, ...]) -> int:
        """The reference of a leaf or of a choice, equal ones only once."""
        if written not in self.known:
            self.known[written] = len(self.cells)
            self.cells.append(cell)
            self.branches.append(branches)
        return self.known[written]

    def leaf(self, value: Value) -> int:
        """The reference of a constant sum."""
        node = self.node(tuple(sorted(value.items())), self.diagram.end, ())
        self.values[node] = value
        return node

    def add(self, root: int, values: list[Value]) -> None:
        """Add one more diagram: pairs of nodes from the first cell on, then results backwards."""
        diagram, end = self.diagram, self.diagram.end
        layers: list[dict[tuple[int, int], list[tuple[int, int]]]] = [{} for _ in range(end + 1)]
        layers[min(self.cells[self.total], diagram.cells[root])][self.total, root] = []
        for cell in range(end):
            for (s, f), below in layers[cell].items():
                own = self.branches[s] if self.cells[s] == cell else None
                other = diagram.branches[f] if diagram.cells[f] == cell else None
                width = len(own or other or ())
                below += zip(own or (s,) * width, other or (f,) * width, strict=True)
                for x, y in below:
                    layers[min(self.cells[x], diagram.cells[y])].setdefault((x, y), [])
        results = {}
        for s, f in layers[end]:
            results[s, f] = self.leaf(facts.collected([*self.values[s].items(), *values[f].items()]))
        self.leaves = set(results.values())
        for cell in range(end - 1, -1, -1):
            for pair, below in layers[cell].items():
                branches = tuple(results[x] for x in below)
                same = branches.count(branches[0]) == len(branches)
                results[pair] = branches[0] if same else self.node((cell, branches), cell, branches)
        self.total = results[self.total, root]


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
    """A named distance, or the listed pairs of a formula, in both orders."""

    kind: str
    distance: Fraction
    pairs: list[tuple[int, int]] | None

    def holds(self, sets: Sets, u: list[int], v: list[int]) -> bool:
        """Whether two inputs, given by the places of their values, are adjacent."""
        if self.pairs is not None:
            return (sets.position(u), sets.position(v)) in self.pairs
        costs = [cost(self.kind, d[i], d[j]) for d, i, j in zip(sets.inputs, u, v, strict=True)]
        return (max(costs, default=ZERO) if self.kind == "linf" else sum(costs, ZERO)) <= self.distance


def read_adjacency(data: dict[str, Any], sets: Sets) -> Adjacency:
    """Which inputs are adjacent.  That the pairs of a formula are those of the program is not checked."""
    step = "adjacency"
    adjacency = record(data[step], step, "kind", "distance", "pairs")
    kind, distance, listed = text(adjacency["kind"], step), adjacency["distance"], adjacency["pairs"]
    if kind == "formula" and distance is None:
        if len(array(listed, step)) > MAX_PAIRS:
            raise Refused(step, f"more than {MAX_PAIRS} pairs of inputs are listed")
        last = math.prod(map(len, sets.inputs)) - 1
        ends = (pair_of(pair, step) for pair in listed)
        once = [(integer(u, step, 0, last), integer(v, step, u, last)) for u, v in ends]
        if once != sorted(set(once)):
            raise Refused(step, "the pairs are not in order")
        return Adjacency(kind, ZERO, [*once, *((v, u) for u, v in once if u != v)])
    if kind in ("linf", "l1", "hamming") and listed is None:
        if (read := rational(distance, step)) < 0:
            raise Refused(step, "no inputs are adjacent")
        return Adjacency(kind, read, None)
    if kind == "all" and distance is None and listed is None:
        return Adjacency(kind, ZERO, None)
    raise Refused(step, "it is not known, or has a field that is not its own")


def cost(kind: str, x: Fraction | str, y: Fraction | str) -> Fraction:
    """The distance of two values of one input cell."""
    if kind == "all" or x == y:
        return ZERO
    if kind == "hamming":
        return Fraction(1)
    if isinstance(x, str) or isinstance(y, str):
        raise Refused("adjacency", "names have no distance")
    return abs(x - y)


Move = tuple[int, int, int]


class Automaton:
    """A named adjacency reads two inputs cell by cell; its state is what is left of the distance.

    In the linf distance every cell may spend all of it, so nothing is remembered.  States are numbered.
    """

    def __init__(self, adjacency: Adjacency, sets: Sets) -> None:
        self.shared = adjacency.kind in ("l1", "hamming")
        self.kind, self.domains = adjacency.kind, sets.inputs
        self._states: list[Fraction] = []
        self._numbers: dict[Fraction, int] = {}
        self._moves: dict[tuple[int, int], list[Move]] = {}
        self.start = self._number(adjacency.distance)

    def _number(self, left: Fraction) -> int:
        """The number of a state."""
        number = self._numbers.setdefault(left, len(self._states))
        if number == len(self._states):
            self._states.append(left)
        return number

    def moves(self, cell: int, state: int) -> list[Move]:
        """(a, b, the state then): the cell may have its a-th value in u and its b-th in u'."""
        domain, left = self.domains[cell], self._states[state]
        key = id(domain), state
        if key not in self._moves:
            self._moves[key] = [
                (a, b, self._number(left - more) if self.shared and more else state)
                for a, x in enumerate(domain)
                for b, y in enumerate(domain)
                if (more := cost(self.kind, x, y)) <= left
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
    """What the adjacent inputs need: pairs of functions (delta = 0) or of laws, and how many pairs."""

    functions: set[tuple[int, int]]
    laws: set[Pairs]
    pairs: int


def needed_pairs(diagram: Diagram, adjacency: Adjacency, sets: Sets, whole_laws: bool) -> Needed:
    """The pairs of functions, or of sorted laws, of all pairs of adjacent inputs."""
    functions: set[tuple[int, int]] = set()
    laws: set[Pairs] = set()
    compared: Iterable[tuple[tuple[int, ...], tuple[int, ...]]] = ()
    if adjacency.pairs is not None:
        count = len(adjacency.pairs)
        law = {u: diagram.at(sets.digits(u)) for pair in adjacency.pairs for u in pair}
        compared = {(law[u], law[v]) for u, v in adjacency.pairs}
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
