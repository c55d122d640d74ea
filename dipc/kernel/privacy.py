"""The (eps, delta) statement: what a certificate says, and what must be proved for it.

**A claim** (t*eps, delta) holds at eps if delta is at least the sum of the positive ones among
g_o = P(u)(o) - exp(t*eps) P(u')(o), over the outcomes o, for all adjacent inputs u and u'.

**Laws.**  The probability of an outcome is a decision diagram over the cells of the input, with numbers of
functions of eps as leaves.  A named adjacency is an automaton that reads two inputs cell by cell.  The kernel
builds it from the declared sets, and walks its product with a diagram and the same diagram again: what it
meets at the end are all pairs (P(u)(o), P(u')(o)) of adjacent inputs.  Each needs a proved inequality.

Each phase is a function that returns a value or raises :class:`~.reading.Refused`; :func:`check` is the list
of phases.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain as chained
from itertools import combinations, pairwise
from typing import Any, NamedTuple

from .facts import (
    MAX_POWER,
    ONE,
    ZERO,
    Facts,
    Function,
    Interval,
    Rooted,
    Scaled,
    ScaledRooted,
    add,
    combined,
    constant,
    function,
    function_shown,
    multiply,
    negative,
    normal,
    prove,
    prove_rooted,
    scaled,
    scaled_product,
    sign_at,
    sign_rooted,
    unit_of,
)
from .reading import (
    MAX_STEPS,
    METER,
    Domain,
    Meter,
    Refused,
    array,
    flag,
    integer,
    name_of,
    pair_of,
    places,
    rational,
    record,
    spend,
    text,
    unpacked,
    value_of,
    weight,
)

FORMAT = "dipc certificate"
VERSION = 2

MAX_CELLS = 1000  # of the input, or the output
MAX_PAIRS = 1_000_000  # listed for a formula
MAX_UNSURE = 12  # outcomes of unknown sign on one piece
MAX_SCALE_BITS = 2**17  # of the common denominator of all coefficients


# --- program and claim --------------------------------------------------------------------------------


def check_fields(data: Any) -> bool:
    """That the format is the one known here; whether the certificate is of a violation."""
    if isinstance(data, dict) and data.get("format") == FORMAT and data.get("version") == 1:
        raise Refused(
            "format",
            "version 1 is no longer read: write a new one with dipc check FILE --certificate c.json",
        )
    violated = isinstance(data, dict) and "violation" in data
    fields = "format version program parameters claim inputs outputs adjacency outcomes denominators"
    parts = "laws violation" if violated else "nodes roots inequalities cases"
    record(data, "format", *fields.split(), "functions", *parts.split(), "digest")
    if data["format"] != FORMAT or type(data["version"]) is not int or data["version"] != VERSION:
        raise Refused("format", f"only '{FORMAT}' version {VERSION} is known")
    return violated


class ProgramText(NamedTuple):
    """The program that a certificate is about."""

    name: str
    parameters: dict[str, Fraction]


def read_program(data: dict[str, Any], file: bytes | None) -> ProgramText:
    """The program, refused unless it is that of the file, if one is given."""
    step = "program"
    program = record(data[step], step, "name", "text", "sha256")
    name, source = text(program["name"], step), text(program["text"], step)
    if program["sha256"] != hashlib.sha256(source.encode("utf-8")).hexdigest():
        raise Refused(step, "the hash is not that of the text")
    if file is not None and as_read(file) != source.replace("\r\n", "\n"):
        raise Refused(step, f"the given program is not the one in the certificate, {name[:60]!r}")
    if not isinstance(data["parameters"], dict):
        raise Refused("parameters", "an object is expected")
    values = {name_of(k, "parameters"): rational(v, "parameters") for k, v in data["parameters"].items()}
    return ProgramText(name, values)


def as_read(file: bytes) -> str:
    """The text of a program file as dipc reads it.

    Only these ends of lines are alike.  To ``str.splitlines`` a form feed or U+2028 ends a line too, while
    for dipc a comment goes on there: the two texts may be two programs.
    """
    return file.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


class Claim(NamedTuple):
    """(t*eps, delta)-privacy on an interval; ``eps`` is where it is violated."""

    t: Fraction
    on: Interval
    eps: Fraction | None

    @property
    def proved_on(self) -> Interval:
        """The interval of the proofs: for a violation its point."""
        return self.on if self.eps is None else Interval(self.eps, self.eps, True, True)

    @property
    def sample(self) -> Fraction:
        """A point inside."""
        low, high, *_ = self.proved_on
        return low + 1 if high is None else (low + high) / 2


def read_claim(data: dict[str, Any]) -> Claim:
    """The claim but for delta, which needs the denominators."""
    step = "claim"
    claim = record(data[step], step, "t", "delta", "interval")
    ends = record(claim["interval"], step, "low", "high", "low_closed", "high_closed")
    low, high = rational(ends["low"], step), None if ends["high"] is None else rational(ends["high"], step)
    low_closed, high_closed = flag(ends["low_closed"], step), flag(ends["high_closed"], step)
    if low < 0 or (low == 0 and low_closed) or (high is None and high_closed):
        raise Refused(step, "the interval holds more than positive numbers")
    if high is not None and (high < low or (high == low and not (low_closed and high_closed))):
        raise Refused(step, "the interval is empty")
    on, eps = Interval(low, high, low_closed, high_closed), None
    if "violation" in data:
        fields = ("input", "neighbour", "outcomes", "eps", "numbers")
        eps = rational(record(data["violation"], "violation", *fields)["eps"], "violation")
        if not on.has(eps):
            raise Refused("violation", "the claim does not speak of this eps")
    return Claim(rational(claim["t"], step), on, eps)


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
    outcomes = [tuple(places(o, outputs, "outcomes")) for o in array(data["outcomes"], "outcomes")]
    if not outcomes or len(set(outcomes)) != len(outcomes):
        raise Refused("outcomes", "there are none, or one occurs twice")
    return Sets(inputs, outputs, len(outcomes))


def read_domains(data: dict[str, Any], which: str) -> list[Domain]:
    """The set of each cell of the inputs or the outputs."""
    domains: list[Domain] = []
    names = set()
    for item in array(data[which], which):
        variable = record(item, which, "name", "size", "domain")
        names.add(name_of(variable["name"], which))
        domain = tuple(value_of(v, which) for v in array(variable["domain"], which))
        if not domain or len(set(domain)) != len(domain):
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


class Surd(NamedTuple):
    """above / below, two functions with sqrt(radicand)."""

    above: Rooted
    below: Rooted
    radicand: Function


Delta = Ratio | Surd


def total(parts: Iterable[Ratio], denominators: Sequence[Function]) -> tuple[Function, Function]:
    """A sum as one quotient: the numerator, and the product of all denominators that occur."""
    sums: dict[int, Function] = {}
    for f, d in parts:
        sums[d] = add(sums[d], f) if d in sums else f
    lifted = []
    below = ONE
    for d, f in sums.items():
        for other in sums:
            if other != d:
                f = multiply(f, denominators[other])
        lifted.append(f)
        below = multiply(below, denominators[d])
    return add(*lifted), below


def sum_with(parts: Iterable[Ratio], times: int, delta: Delta, denominators: Sequence[Function]) -> Rooted:
    """The sum of the parts and times * delta, multiplied by something positive."""
    factor = constant(Fraction(times))
    if isinstance(delta, Ratio):
        more = Ratio(multiply(factor, delta.numerator), delta.denominator)
        return Rooted(total([*parts, more], denominators)[0], {})
    f, d = total(parts, denominators)
    plain, root = (
        add(multiply(f, c), multiply(multiply(factor, d), a))
        for a, c in zip(delta.above, delta.below, strict=True)
    )
    return Rooted(plain, root)


def excess(p: Iterable[Ratio], q: Iterable[Ratio], t: Fraction) -> list[Ratio]:
    """The parts of  exp(t*eps) q - p ."""
    factor: Function = {(0, t, ZERO, ZERO): Fraction(1)}
    larger = [Ratio(multiply(factor, f), d) for f, d in q]
    return [*larger, *(Ratio(negative(f), d) for f, d in p)]


class Table(NamedTuple):
    """Denominators, all probabilities, and delta."""

    denominators: list[Function]
    functions: list[Ratio]
    delta: Delta

    @property
    def has_delta(self) -> bool:
        """Whether delta is not 0."""
        return isinstance(self.delta, Surd) or bool(self.delta.numerator)

    @property
    def radicand(self) -> Function:
        """What delta has a square root of; the zero function if it has none."""
        return self.delta.radicand if isinstance(self.delta, Surd) else {}


def read_table(data: dict[str, Any], claim: Claim) -> Table:
    """Denominators are proved positive; functions differ and are not negative at a sample eps."""
    on = claim.proved_on
    denominators = [ONE]
    for i, item in enumerate(array(data["denominators"], "denominators"), start=1):
        step = f"denominator {i}"
        f = function(record(item, step, "function", "proof")["function"], step)
        spend(len(denominators))
        if f != normal(f) or f in denominators:
            raise Refused(step, "it is not in normal form, or occurs twice")
        prove(f, on, item["proof"], step, strict=True)
        denominators.append(f)

    def ratio(value: Any, step: str) -> Ratio:
        numerator, denominator = pair_of(value, step)
        f = function(numerator, step)
        return Ratio(f, integer(denominator, step, 0, len(denominators) - 1 if f else 0))

    functions = [ratio(p, f"function {i}") for i, p in enumerate(array(data["functions"], "functions"))]
    if len({(d, frozenset(f.items())) for f, d in functions}) != len(functions):
        raise Refused("functions", "a function is listed twice")
    for i, (f, _) in enumerate(functions):
        if sign_at(f, claim.sample) < 0:
            raise Refused(f"function {i}", f"a probability is negative at eps = {claim.sample}")
    delta = data["claim"]["delta"]
    read = read_surd(delta, on) if isinstance(delta, dict) else ratio(delta, "claim")
    listed = [*functions, *([read] if isinstance(read, Ratio) else [])]
    if {d for _, d in listed} | {0} != set(range(len(denominators))):
        raise Refused("denominators", "a denominator is not used")
    return Table(denominators, functions, read)


def read_surd(value: Any, on: Interval) -> Surd:
    """A delta with a square root: the radicand is not negative, and the denominator positive."""
    step = "claim"
    delta = record(value, step, "above", "below", "radicand", "proofs")
    g = function(delta["radicand"], step)
    above, below = (Rooted(*(function(f, step) for f in pair_of(delta[x], step))) for x in ("above", "below"))
    if not g or not (above.root or below.root):
        raise Refused(step, "delta has no square root")
    proofs = record(delta["proofs"], step, "radicand", "below")
    prove(normal(g), on, proofs["radicand"], f"{step}, radicand")
    prove_rooted(below, g, on, proofs["below"], f"{step}, below", strict=True)
    return Surd(above, below, g)


class Integers(NamedTuple):
    """The table in integers: everything times ``scale``, with exponents in multiples of 1/``unit``.

    ``bounds`` are the functions times exp(t*eps), in the order of ``functions``.
    """

    unit: int
    scale: int
    denominators: list[Scaled]
    functions: list[tuple[Scaled, int]]
    bounds: list[Scaled]
    delta: tuple[Scaled, int] | tuple[tuple[Scaled, Scaled], tuple[Scaled, Scaled]]

    def lifted(self, parts: Iterable[tuple[int, Scaled, int]]) -> tuple[Scaled, Scaled]:
        """The sum of integers times functions over denominators, as one numerator and one denominator."""
        groups: dict[int, list[tuple[int, Scaled]]] = {}
        for times, f, d in parts:
            groups.setdefault(d, []).append((times, f))
        sums = {d: combined(group) for d, group in groups.items()}
        above, below = [], {(0, 0, 0, 0): 1}
        for d, f in sums.items():
            for other in sums:
                if other != d and other:
                    f = scaled_product(f, self.denominators[other])
            above.append((1, f))
            below = scaled_product(below, self.denominators[d]) if d else below
        return above[0][1] if len(above) == 1 else combined(above), below

    def margins(self, pairs: Iterable[tuple[int, int]], times: int = 1) -> list[tuple[int, Scaled, int]]:
        """The parts of ``times`` * (exp(t*eps) Q - P) for sums P, Q of functions."""
        parts = []
        for i, j in pairs:
            parts.append((times, self.bounds[j], self.functions[j][1]))
            parts.append((-times, *self.functions[i]))
        return parts

    def slack(self, pairs: Iterable[tuple[int, int]]) -> ScaledRooted:
        """exp(t*eps) Q - P + delta for the sums P and Q of functions, multiplied by something positive."""
        parts = self.margins(pairs)
        above, below = self.delta
        if isinstance(below, int):
            assert isinstance(above, dict)
            return ScaledRooted(self.lifted([*parts, (1, above, below)] if above else parts)[0], {})
        assert isinstance(above, tuple)
        f, d = self.lifted(parts) if parts else ({}, {(0, 0, 0, 0): 1})
        d = {key: c * self.scale for key, c in d.items()}
        plain, root = (
            combined([(1, scaled_product(f, c)), (1, scaled_product(d, a))])
            for a, c in zip(above, below, strict=True)
        )
        return ScaledRooted(plain, root)

    def signed(self, pair: tuple[int, int], sign: str) -> ScaledRooted:
        """The function that is >= 0 where P - exp(t*eps) Q has the sign."""
        return ScaledRooted(self.lifted(self.margins([pair], 1 if sign == "-" else -1))[0], {})


def in_integers(table: Table, claim: Claim) -> Integers:
    """All functions with one unit and one scale."""
    ratios = [*table.functions, *([table.delta] if isinstance(table.delta, Ratio) else [])]
    roots = [*table.delta.above, *table.delta.below] if isinstance(table.delta, Surd) else []
    numerators = [*(f for f, _ in ratios), *roots]
    unit = unit_of(*numerators, *table.denominators, table.radicand, {(0, claim.t, ZERO, ZERO): Fraction(1)})
    scale = 1
    for c in chained.from_iterable(f.values() for f in numerators):
        if scale % c.denominator:
            scale = math.lcm(scale, c.denominator)
            spend(1 + (scale.bit_length() ** 2 >> 14))
            if scale.bit_length() > MAX_SCALE_BITS:
                raise Refused("functions", "the common denominator of their coefficients is too large")
    t = int(claim.t * unit)
    functions = [(scaled(f, unit, scale), d) for f, d in table.functions]
    bounds = [{(n, a + t, k, b): c for (n, a, k, b), c in f.items()} for f, _ in functions]
    denominators = [scaled(f, unit, 1) for f in table.denominators]
    delta: Any
    if isinstance(table.delta, Ratio):
        delta = scaled(table.delta.numerator, unit, scale), table.delta.denominator
    else:
        delta = tuple(
            tuple(scaled(f, unit, scale) for f in pair) for pair in (table.delta.above, table.delta.below)
        )
    return Integers(unit, scale, denominators, functions, bounds, delta)


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
        spend(len(self.roots) * len(digits))
        return tuple(self.leaf(root, digits) for root in self.roots)

    def leaf(self, node: int, digits: Sequence[int]) -> int:
        """The leaf that a node leads to on one input."""
        while node >= self.leaves:
            node = self.branches[node][digits[self.cells[node]]]
        return node

    def branch(self, node: int, cell: int, k: int) -> int:
        """Where the k-th value of a cell leads, from a node that looks at no earlier one."""
        return self.branches[node][k] if self.cells[node] == cell else node


def read_diagram(data: dict[str, Any], sets: Sets, functions: int) -> Diagram:
    """The probabilities of the outcomes, in a form without superfluous nodes."""
    end, step = len(sets.inputs), "nodes"
    cells, branches = [end] * functions, [()] * functions
    known = set()
    nodes: Any = branches
    for i, item in enumerate(array(data["nodes"], step)):
        here, last = f"node {i}", functions + i - 1
        spend(len(array(item, here)) + 1)
        cell = integer(item[0] if item else None, here, 0, end - 1)
        below = tuple(integer(child, here, 0, last) for child in item[1:])
        if len(below) != len(sets.inputs[cell]):
            raise Refused(here, "there is not one branch for every value of its cell")
        if any(cells[child] <= cell for child in below):
            raise Refused(here, "the cells on a path are not in order")
        if len(set(below)) == 1 or (cell, below) in known:
            raise Refused(here, "all its branches are equal, or it is listed twice")
        known.add((cell, below))
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
    total = sums.leaf({})
    values = [{(d, *key): c for key, c in f.items()} for f, d in integers.functions]
    for root in diagram.roots:
        total = sums.added(total, root, values)
    for value in sums.leaves_below(total):
        check_total([({key[1:]: c}, key[0]) for key, c in value.items()], integers)


def check_total(parts: Iterable[tuple[Any, int]], integers: Integers) -> None:
    """The sum of functions over denominators is 1."""
    one = {(0, 0, 0, 0): integers.scale}
    if integers.lifted([*((1, f, d) for f, d in parts), (-1, one, 0)])[0]:
        raise Refused("laws", "the probabilities of an input do not sum to 1")


Value = dict[tuple[int, ...], int]


class Sums:
    """Sums of the diagrams of outcomes, as diagrams whose leaves are sums of functions."""

    def __init__(self, diagram: Diagram) -> None:
        self.diagram = diagram
        self.cells: list[int] = []
        self.branches: list[tuple[int, ...]] = []
        self.values: dict[int, Value] = {}
        self.known: dict[object, int] = {}

    def node(self, key: object, cell: int, branches: tuple[int, ...]) -> int:
        """The reference of a leaf or of a choice, equal ones only once."""
        if key not in self.known:
            self.known[key] = len(self.cells)
            self.cells.append(cell)
            self.branches.append(branches)
        return self.known[key]

    def leaf(self, value: Value) -> int:
        """The reference of a constant sum."""
        node = self.node(frozenset(value.items()), self.diagram.end, ())
        self.values[node] = value
        return node

    def added(self, total: int, root: int, values: list[Value]) -> int:
        """The sum with one more diagram: pairs of nodes from the first cell on, then results backwards."""
        diagram, end = self.diagram, self.diagram.end
        layers: list[dict[tuple[int, int], list[tuple[int, int]]]] = [{} for _ in range(end + 1)]
        layers[min(self.cells[total], diagram.cells[root])][total, root] = []
        for cell in range(end):
            for (s, f), below in layers[cell].items():
                own = self.branches[s] if self.cells[s] == cell else None
                other = diagram.branches[f] if diagram.cells[f] == cell else None
                width = len(own or other or ())
                below += zip(own or (s,) * width, other or (f,) * width, strict=True)
                spend(1 + width)
                for x, y in below:
                    layers[min(self.cells[x], diagram.cells[y])].setdefault((x, y), [])
        results = {}
        for s, f in layers[end]:
            value = dict(self.values[s])
            spend(1 + ((len(value) + len(values[f])) >> 1))
            for key, c in values[f].items():
                value[key] = value.get(key, 0) + c
            results[s, f] = self.leaf({key: c for key, c in value.items() if c})
        for cell in range(end - 1, -1, -1):
            for pair, below in layers[cell].items():
                branches = tuple(results[x] for x in below)
                same = branches.count(branches[0]) == len(branches)
                results[pair] = branches[0] if same else self.node((cell, branches), cell, branches)
        return results[total, root]

    def leaves_below(self, node: int) -> Iterator[Value]:
        """The different values of one sum."""
        seen, todo = {node}, [node]
        while todo:
            at = todo.pop()
            if at in self.values:
                yield self.values[at]
            todo += (new := set(self.branches[at]) - seen)
            seen |= new


def joint(diagram: Diagram) -> tuple[Diagram, list[tuple[int, ...]]]:
    """One diagram of all outcomes: its leaves are laws, given by the functions of the outcomes."""
    start = tuple(diagram.roots)
    layers: list[dict[tuple[int, ...], list[tuple[int, ...]]]] = [{} for _ in range(diagram.end + 1)]
    layers[min(diagram.cells[node] for node in start)][start] = []
    for cell in range(diagram.end):
        for group, below in layers[cell].items():
            width = max(len(diagram.branches[node]) for node in group if diagram.cells[node] == cell)
            spend(1 + width * len(group))
            below += (tuple(diagram.branch(node, cell, k) for node in group) for k in range(width))
            for following in below:
                layers[min(diagram.cells[node] for node in following)].setdefault(following, [])
    laws = list(layers[diagram.end])
    number = {law: i for i, law in enumerate(laws)}
    cells, branches = [diagram.end] * len(laws), [()] * len(laws)
    nodes: Any = branches
    for cell in range(diagram.end - 1, -1, -1):
        for group, below in layers[cell].items():
            number[group] = len(cells)
            cells.append(cell)
            nodes.append(tuple(number[following] for following in below))
    return Diagram(len(laws), diagram.end, cells, nodes, [number[start]]), laws


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
        spend(len(listed))
        last = math.prod(map(len, sets.inputs)) - 1
        once = [(integer(u, step, 0, last), integer(v, step, u, last)) for u, v in map(two, listed)]
        if once != sorted(set(once)) or not once:
            raise Refused(step, "the pairs are not in order, or there are none")
        return Adjacency(kind, ZERO, [*once, *((v, u) for u, v in once if u != v)])
    if kind in ("linf", "l1", "hamming") and listed is None:
        if (read := rational(distance, step)) < 0:
            raise Refused(step, "no inputs are adjacent")
        return Adjacency(kind, read, None)
    if kind == "all" and distance is None and listed is None:
        return Adjacency(kind, ZERO, None)
    raise Refused(step, "it is not known, or has a field that is not its own")


def two(value: Any) -> list[Any]:
    """A listed pair."""
    return pair_of(value, "adjacency")


def cost(kind: str, x: Fraction | str, y: Fraction | str) -> Fraction:
    """The distance of two values of one input cell."""
    if kind == "all" or x == y:
        return ZERO
    if kind == "hamming":
        return Fraction(1)
    if isinstance(x, str) or isinstance(y, str):
        raise Refused("adjacency", "names have no distance")
    return abs(x - y)


Move = tuple[int, int, Fraction]


class Automaton:
    """A named adjacency reads two inputs cell by cell; its state is what is left of the distance.

    In the linf distance every cell may spend all of it, so nothing is remembered.
    """

    def __init__(self, adjacency: Adjacency, sets: Sets) -> None:
        self.shared = adjacency.kind in ("l1", "hamming")
        self.kind, self.start, self.domains = adjacency.kind, adjacency.distance, sets.inputs
        self._moves: dict[tuple[Domain, Fraction], list[Move]] = {}

    def moves(self, cell: int, left: Fraction) -> list[Move]:
        """(a, b, what is left then): the cell may have its a-th value in u and its b-th in u'."""
        domain = self.domains[cell]
        key = domain, left
        if key not in self._moves:
            spend(len(domain) ** 2 * weight(left))
            self._moves[key] = [
                (a, b, left - more if self.shared else left)
                for a, x in enumerate(domain)
                for b, y in enumerate(domain)
                if (more := cost(self.kind, x, y)) <= left
            ]
        return self._moves[key]

    def number_of_pairs(self) -> int:
        """How many ordered pairs of inputs are adjacent."""
        counts = {self.start: 1}
        for cell in range(len(self.domains)):
            following: dict[Fraction, int] = {}
            for left, count in counts.items():
                spend(len(self.moves(cell, left)))
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
                spend(1 + (len(steps) >> 1))
                following.update([(us[a], vs[b], after) for a, b, after in steps])
            layer = following
        return {(u, v) for u, v, _ in layer}


class Needed(NamedTuple):
    """What the adjacent inputs need: pairs of functions (delta = 0) or of laws, and how many pairs."""

    functions: set[tuple[int, int]]
    laws: set[tuple[tuple[int, int], ...]]
    pairs: int


def needed_pairs(diagram: Diagram, adjacency: Adjacency, sets: Sets, whole_laws: bool) -> Needed:
    """The pairs of functions, or of sorted laws, of all pairs of adjacent inputs."""
    functions: set[tuple[int, int]] = set()
    laws: set[tuple[tuple[int, int], ...]] = set()
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
        spend(len(p) * 2)
        if whole_laws:
            laws.add(tuple(sorted(zip(p, q, strict=True))))
        else:
            functions.update(zip(p, q, strict=True))
    if not functions and not laws:
        raise Refused("adjacency", "there are no pairs of adjacent inputs")
    return Needed(functions, laws, count)


# --- coverage -----------------------------------------------------------------------------------------


Pairs = tuple[tuple[int, int], ...]
Named = tuple[str, Pairs]
WHAT = ("slack", "+", "-")


class Proofs(NamedTuple):
    """The proved inequalities, and the names of those that are proved on the whole interval."""

    facts: Facts
    named: dict[Named, int]
    items: list[str]


def read_inequalities(data: dict[str, Any], table: Table, integers: Integers, on: Interval) -> Proofs:
    """Each inequality is recomputed from the functions that it names, and proved."""
    proofs = Proofs(Facts(integers.unit, table.radicand), {}, [])
    kinds = WHAT if table.has_delta else WHAT[:1]
    last = len(table.functions) - 1
    for i, item in enumerate(array(data["inequalities"], "inequalities")):
        step = f"inequality {i}"
        inequality = record(item, step, "what", "of", "on", "proof")
        what, here = text(inequality["what"], step), on
        if what not in kinds or not array(inequality["of"], step):
            raise Refused(step, f"it is about one of {', '.join(kinds)}, of some functions")
        if inequality["on"] is not None:
            low, high = pair_of(inequality["on"], step)
            ends = rational(low, step), None if high is None else rational(high, step)
            here = Interval(*ends, False, False)
            if ends[0] < 0 or (ends[1] is not None and ends[1] <= ends[0]):
                raise Refused(step, "its interval is empty, or not positive")
        for j, name in enumerate(inequality["of"]):
            inner = f"{step}, {j}"
            pairs = read_pairs(name, last, inner)
            if what != "slack" and len(pairs) != 1:
                raise Refused(inner, "a sign is that of one pair of functions")
            f = integers.slack(pairs) if what == "slack" else integers.signed(pairs[0], what)
            number = proofs.facts.prove(f, here, inequality["proof"], inner)
            proofs.items.append(inner)
            if inequality["on"] is None:
                proofs.named[what, pairs] = number
    return proofs


def read_pairs(value: Any, last: int, step: str) -> Pairs:
    """A flat list i, j, i', j', ... of numbers of functions: pairs in ascending order."""
    numbers = [integer(i, step, 0, last) for i in array(value, step)]
    pairs = tuple(zip(numbers[::2], numbers[1::2], strict=False))
    spend(len(numbers))
    if len(numbers) % 2 or any(b < a for a, b in pairwise(pairs)):
        raise Refused(step, "the pairs of functions are not in order")
    return pairs


def check_coverage(
    data: dict[str, Any], needed: Needed, table: Table, integers: Integers, proofs: Proofs, on: Interval
) -> None:
    """Every pair of adjacent inputs and every outcome is covered, and nothing is superfluous."""
    if needed.laws:
        check_cases(data, needed.laws, Coverage(integers, proofs, on), len(table.functions) - 1)
    elif array(data["cases"], "cases"):
        raise Refused("cases", "there are none if delta is 0")
    for i, j in needed.functions:
        spend(1)
        number = proofs.named.get(("slack", ((i, j),)))
        if number is not None:
            proofs.facts.used.add(number)
        else:
            step = f"functions {i} and {j}"
            proofs.facts.require(integers.slack([(i, j)]), on.low, on.high, step)
    for number, step in enumerate(proofs.items):
        if number not in proofs.facts.used:
            raise Refused(step, "it is not needed, or listed twice")


class Coverage(NamedTuple):
    """What a case is checked against."""

    integers: Integers
    proofs: Proofs
    on: Interval

    def require(self, f: ScaledRooted, low: Fraction, high: Fraction | None, step: str) -> None:
        """Refuse unless f >= 0 is proved there."""
        self.proofs.facts.require(f, low, high, step)

    def check_piece(self, pairs: Pairs, signs: str, low: Fraction, high: Fraction | None, step: str) -> None:
        """Whichever outcomes the sum of the positive differences is over on this piece, delta is enough."""
        if len(signs) != len(pairs) or not set(signs) <= set("+-?") or signs.count("?") > MAX_UNSURE:
            raise Refused(step, "the signs are not a string of +, - and a few ?")
        for pair, sign in zip(pairs, signs, strict=True):
            if sign != "?":
                signed = self.integers.signed(pair, sign)
                if signed.plain:
                    self.require(signed, low, high, step)
        sure = [pair for pair, sign in zip(pairs, signs, strict=True) if sign == "+"]
        unsure = [pair for pair, sign in zip(pairs, signs, strict=True) if sign == "?"]
        for more in chained.from_iterable(combinations(unsure, n) for n in range(len(unsure) + 1)):
            self.require(self.integers.slack([*sure, *more]), low, high, step)


def check_cases(data: dict[str, Any], needed: set[Pairs], coverage: Coverage, last: int) -> None:
    """Every pair of laws has a case, whose pieces go from end to end of the interval."""
    seen = set()
    on = coverage.on
    for number, item in enumerate(array(data["cases"], "cases")):
        step = f"case {number}"
        case = record(item, step, "functions", "points", "signs")
        pairs = read_pairs(case["functions"], last, step)
        if pairs not in needed or pairs in seen:
            raise Refused(step, "no adjacent inputs have these functions, or it is listed twice")
        seen.add(pairs)
        points = [None if p is None else rational(p, step) for p in array(case["points"], step)]
        pieces = list(pairwise(points)) if len(points) > 1 else [(on.low, on.low)]
        if (points[:1], points[-1]) != ([on.low], on.high) or len(pieces) != len(array(case["signs"], step)):
            raise Refused(step, "the points do not go from one end of the interval to the other")
        for (low, high), signs in zip(pieces, case["signs"], strict=True):
            if low is None or (high is not None and high <= low and len(points) > 1):
                raise Refused(step, "the points are not ascending")
            coverage.check_piece(pairs, text(signs, step), low, high, step)
    if seen != needed:
        raise Refused("cases", "some adjacent inputs are not covered")


# --- a violation --------------------------------------------------------------------------------------


def read_rows(data: dict[str, Any], sets: Sets, integers: Integers) -> list[list[int]]:
    """The laws of the input and of its neighbour, as numbers of functions."""
    last = len(integers.functions) - 1
    rows = [[integer(i, "laws", 0, last) for i in array(law, "laws")] for law in array(data["laws"], "laws")]
    if len(rows) != 2 or any(len(law) != sets.outcomes for law in rows):
        raise Refused("laws", "two laws with one probability for every outcome are expected")
    for law in rows:
        check_total((integers.functions[i] for i in law), integers)
    if {i for law in rows for i in law} != set(range(last + 1)):
        raise Refused("functions", "a function is not used")
    return rows


def check_violation(
    data: dict[str, Any], claim: Claim, sets: Sets, table: Table, rows: list[list[int]], adjacency: Adjacency
) -> None:
    """The listed outcomes break the claim at eps, and the numbers shown are right."""
    step = "violation"
    violation = data[step]
    u = places(violation["input"], sets.inputs, step)
    v = places(violation["neighbour"], sets.inputs, step)
    if not adjacency.holds(sets, u, v):
        raise Refused(step, "the two inputs are not adjacent")
    if u == v and rows[0] != rows[1]:
        raise Refused(step, "one input has two distributions")
    chosen = [integer(o, step, 0, sets.outcomes - 1) for o in array(violation["outcomes"], step)]
    if not chosen or chosen != sorted(set(chosen)):
        raise Refused(step, "there are no outcomes, or they are not in order")
    p, q = ([table.functions[law[o]] for o in chosen] for law in rows)
    larger = excess([], q, claim.t)
    losing = [*p, *(Ratio(negative(f), d) for f, d in larger)]

    def sign(parts: list[Ratio], times: int) -> int:
        """The sign of the sum of the parts and times * delta at the eps of the violation."""
        f = sum_with(parts, times, table.delta, table.denominators)
        return sign_rooted(f, table.radicand, claim.sample)

    if sign(excess(p, q, claim.t), 1) >= 0:
        raise Refused(step, "the claim is not broken")
    parts: dict[str, tuple[list[Ratio], int]] = {
        "probability": (p, 0),
        "neighbour_probability": (q, 0),
        "bound": (larger, 1),
        "excess": (losing, -1),
    }
    numbers = record(violation["numbers"], step, *parts)
    for name, (ratios, times) in parts.items():
        check_number(name, numbers[name], lambda c, r=ratios, n=times: sign([*r, Ratio(constant(c), 0)], n))


def check_number(name: str, value: Any, sign_of_sum: Callable[[Fraction], int]) -> None:
    """[m, e] with m * 10^e <= number < (m+1) * 10^e; the function gives the sign of number + c."""
    step = "violation"
    digits, place = pair_of(value, step)
    low, unit = rational(digits, step), Fraction(10) ** integer(place, step, -MAX_POWER, MAX_POWER)
    if low.denominator != 1:
        raise Refused(step, f"the number '{name}' is not written as m * 10^e")
    if sign_of_sum(-low * unit) < 0 or sign_of_sum(-(low + 1) * unit) >= 0:
        raise Refused(step, f"the number '{name}' is not right")


# --- a certificate ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Certificate:
    """A certificate that was checked: either a diagram, or two laws and a violation."""

    data: dict[str, Any]
    program: ProgramText
    claim: Claim
    sets: Sets
    table: Table
    adjacency: Adjacency
    diagram: Diagram | None
    rows: list[list[int]]
    pairs: int

    @property
    def violated(self) -> bool:
        """Whether it is the certificate of a violation."""
        return self.diagram is None

    def summary(self) -> list[str]:
        """What was proved, and what is trusted."""
        settings = ", ".join(f"{name} = {value}" for name, value in self.program.parameters.items())
        about = f"program {self.program.name!r}" + (f" with {settings}" if settings else "")
        claim = f"({self.claim.t}*eps, {delta_shown(self.table.delta, self.table.denominators)})-private"
        if self.violated:
            proved = f"not {claim}: violated at eps = {self.claim.eps}"
        else:
            count = sum(len(item["of"]) for item in self.data["inequalities"])
            proved = f"{claim} for every eps in {self.claim.on}: {self.pairs} ordered pairs of neighbours, "
            proved += f"{self.sets.outcomes} outcomes, {count} inequalities"
        trusted = (
            "that the listed inputs, outputs, neighbours and distributions are those of the program text"
        )
        rest = "everything else was recomputed"
        if self.adjacency.pairs is not None:
            rest = "the adjacency formula was not recomputed; " + rest
        return [f"accepted: {about} is {proved}", f"trusted: {trusted}; {rest}"]


def check(data: bytes, program: bytes | None = None, steps: int = MAX_STEPS) -> Certificate:
    """Check the bytes of a certificate, and that it is about the program.  Raises :class:`Refused`."""
    outer = METER.set(Meter(steps))
    try:
        read = unpacked(data)
        certificate = checked(read, program)
        if read["digest"] != digest(read):
            raise Refused("digest", "the certificate is not as it was written")
        return certificate
    except Refused:
        raise
    except RecursionError:
        raise Refused("reading", "too deeply nested") from None
    except Exception as error:  # a file that is broken in a way not thought of is refused as well
        raise Refused("reading", f"{type(error).__name__}: {str(error)[:200]}") from None
    finally:
        METER.reset(outer)


def checked(data: Any, file: bytes | None) -> Certificate:
    """All phases but the digest."""
    violated = check_fields(data)
    program = read_program(data, file)
    claim = read_claim(data)
    sets = read_sets(data)
    table = read_table(data, claim)
    integers = in_integers(table, claim)
    if violated:
        rows = read_rows(data, sets, integers)
        adjacency = read_adjacency(data, sets)
        check_violation(data, claim, sets, table, rows, adjacency)
        return Certificate(data, program, claim, sets, table, adjacency, None, rows, 1)
    diagram = read_diagram(data, sets, len(table.functions))
    check_sums(diagram, integers)
    adjacency = read_adjacency(data, sets)
    needed = needed_pairs(diagram, adjacency, sets, table.has_delta)
    proofs = read_inequalities(data, table, integers, claim.on)
    check_coverage(data, needed, table, integers, proofs, claim.on)
    return Certificate(data, program, claim, sets, table, adjacency, diagram, [], needed.pairs)


def digest(data: dict[str, Any]) -> str:
    """The hash of everything else in a certificate, in a standard form: finds changes made by accident."""
    rest = {key: value for key, value in data.items() if key != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def delta_shown(delta: Delta, denominators: Sequence[Function]) -> str:
    """For example "exp(-2)" or "(1 + eps) / (1 + exp(eps))"."""
    if isinstance(delta, Ratio):
        above = function_shown(delta.numerator)
        return (
            f"({above}) / ({function_shown(denominators[delta.denominator])})" if delta.denominator else above
        )
    parts = [[function_shown(f) for f in rooted] for rooted in (delta.above, delta.below)]
    above, below = (f"({plain}) + ({root})*sqrt({function_shown(delta.radicand)})" for plain, root in parts)
    return above if parts[1] == ["1", "0"] else f"({above}) / ({below})"
