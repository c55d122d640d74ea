"""Single runs of a program with numbers for its sizes: what they read, publish and require.

**A lower bound on t.**  Let d be the labels of a run, o its outputs, and u an input that gives o with a
positive probability (density).  Along u + s*d

    -ln P(o) / s  ->  at least eps * (the least cost of any run with labels d and outputs o)        (s -> inf)

since for each of these runs the exponent of the noise is that cost at the scale of s: constants do not scale,
and guards are kept in the limit.  P(o) > 0 at s = 0, so the mean of the increments of -ln P(o) tends to no
less, and some come as near to it as one likes: no t below that cost will do, at any eps.  If no run has a
shift, P(o) becomes 0 on the way.

This holds for noise over the reals or the integers (a sum over lattice points has the same exponent), and
for the exponential mechanism, whose weight exp(a*eps*score) has the exponent a*(greatest change - own
change): that is what an edge costs where the scores are listed.  It does not hold for a choice from a table,
whose loss does not grow with s, nor where the inputs are bounded.  More runs than there are only lower the
bound; guards that the program does not have would raise it, so that runs with those are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from flint import fmpq

from dipc.clock import Clock
from dipc.dipwhile.allsizes.automaton import Automaton, Choice, Edge
from dipc.dipwhile.allsizes.build import Prepared, walked
from dipc.dipwhile.allsizes.feasible import Condition
from dipc.dipwhile.allsizes.linear import cost_of_run
from dipc.dipwhile.allsizes.paths import Path
from dipc.dipwhile.allsizes.system import END, START, Alias, Moves, Point
from dipc.dipwhile.allsizes.values import ONE, ZERO, Datum, Linear, Pair, Symbol, Unknown, as_linear, unknown
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.core import Draw, Jump, Put
from dipc.errors import LimitReached
from dipc.models.simplex import CONSTANT, Infeasible, Row, least
from dipc.models.values import show

MOST_RUNS = 64
MOST_STEPS = 10_000
"""How many parts of runs are looked at to find those with the same outputs."""

MARGINS = (ONE, fmpq(1, 4), fmpq(1, 32))
"""By how much an input and samples shall keep every condition; less is not tried."""

Labels = Mapping[str, Datum]
"""How cells change: by a number, or from one value to another."""

CELL = re.compile(r"\w+(\[\d+\])?")
NUMBER = re.compile(r"-?\d+(/\d+)?")
RANDOM = ("an unknown number", "an unknown value")  # as :func:`..values.shown` writes what is not known


@dataclass(frozen=True)
class Stretch:
    """A part of a run, from ``source`` to ``target``: one path."""

    path: Path
    edge: Edge
    target: Point

    @cached_property
    def labels(self) -> dict[str, Datum]:
        """How the cells that it reads change: by a number, or from one value to another."""
        found: dict[str, Datum] = {}
        for step in self.edge.path:
            if step.kind == "label" and step.value:
                cell = re.split(" is | changes by ", step.text)[0]
                known = self.path.values.get(cell)
                found[cell] = known if isinstance(known, Pair) else number(step.value)
        return found

    @cached_property
    def outputs(self) -> dict[str, str]:
        """What it publishes."""
        pairs = (step.text.partition(" = ") for step in self.edge.path if step.kind == "output")
        return {name: value for name, _, value in pairs}


@dataclass(frozen=True)
class Run:
    """A whole run, part by part."""

    parts: tuple[Stretch, ...]

    @cached_property
    def labels(self) -> dict[str, Datum] | None:
        """How the inputs change; None if the labels contradict each other, or a cell has no number."""
        found: dict[str, Datum] = {}
        for cell, label in (item for part in self.parts for item in part.labels.items()):
            if not CELL.fullmatch(cell) or found.setdefault(cell, label) != label:
                return None
        return found

    @cached_property
    def outputs(self) -> dict[str, str]:
        """What it publishes."""
        return {name: value for part in self.parts for name, value in part.outputs.items()}

    @cached_property
    def cost(self) -> fmpq | None:
        """The least cost; None if no shift exists."""
        return cost_of_run([part.edge for part in self.parts])

    def conditions(self) -> list[Condition]:
        """What samples and cells of the input must satisfy, with a number of its own for each sample."""
        known: dict[Symbol, Linear] = {}
        found: list[Condition] = []
        drawn = 0
        for part in self.parts:
            numbers = {
                Symbol("sample", "", k): unknown(Symbol("sample", "", drawn + k))
                for k in range(len(part.edge.samples))
            }
            drawn += len(numbers)
            env = known | numbers
            found += (replace(c, value=_put(c.value, env)) for c in part.path.conditions)
            known = dict(_kept(part, env))
        return found


def number(text: str) -> Datum:
    """The number that a label says."""
    return Linear((), fmpq(*map(int, text.split("/")))) if NUMBER.fullmatch(text) else Unknown(text)


def _put(value: Linear, env: Mapping[Symbol, Linear]) -> Linear:
    total = Linear((), value.constant)
    for symbol, factor in value.terms:
        total = total.plus(env.get(symbol, unknown(symbol)), factor)
    return total


def _kept(part: Stretch, env: Mapping[Symbol, Linear]) -> Iterator[tuple[Symbol, Linear]]:
    """What the symbols of the next part stand for."""
    for name, kept in part.target.kept:
        symbol = {Alias: Symbol("live", name), Moves: Symbol("private", name)}.get(type(kept))
        value = as_linear(part.path.values[name])
        if symbol is not None and value is not None:
            yield symbol, _put(value, env)


class Concrete:
    """The runs of a program for some sizes."""

    def __init__(self, asked: Prepared, sizes: Mapping[str, int], clock: Clock) -> None:
        program = asked.front.program
        self.system = asked.system(sizes)
        declared = asked.front.declared_at(sizes)
        self.bounded = {
            d.name: declared.interval(d.domain, f"the interval of `{d.name}`")
            for d in program.inputs
            if isinstance(d.domain, ast.Between)
        }
        self.starts = {
            d.name: show(declared.value(d.start, f"the start value of `{d.name}`"))
            for d in program.outputs
            if d.start is not None
        }
        self.clock = clock
        self._parts: dict[Point, list[Stretch]] = {}

    def parts(self, source: Point) -> list[Stretch]:
        """All paths from a point to the next cuts."""
        if source not in self._parts:
            self._parts[source] = [Stretch(*walk) for walk in walked(self.system, source, self.clock)]
        return self._parts[source]

    def run(self, automaton: Automaton, edges: Sequence[int]) -> Run | None:
        """A run of the automaton for the same sizes."""
        point, parts = Point(START), list[Stretch]()
        for edge in (automaton.edges[i] for i in edges):
            same = (
                p
                for p in self.parts(point)
                if replace(p.edge, source=edge.source, target=edge.target) == edge
            )
            part = next(same, None)
            if part is None:
                return None
            parts.append(part)
            point = part.target
        return Run(tuple(parts))

    # --- a lower bound -----------------------------------------------------------------------

    def lower_bound(self, run: Run) -> tuple[fmpq | None, bool]:
        """A t that the run shows to be needed, None for infinity; whether it shows anything."""
        known = run.labels is not None and all(map(CELL.fullmatch, run.outputs))
        if not known or self.start(run) is None or not self.unbounded(run):
            return ZERO, False
        alike = list(islice(self.alike(run.labels or {}, run.outputs), MOST_RUNS + 1))
        if len(alike) > MOST_RUNS or not all(map(self.exact, alike)):
            return ZERO, False
        costs = [cost for other in alike if (cost := other.cost) is not None]
        return min(costs, default=None), True

    def unbounded(self, run: Run) -> bool:
        """Whether the inputs of the run may be moved on and on."""
        labels = run.labels or {}
        numbers = [label.constant for label in labels.values() if isinstance(label, Linear)]
        bounded = any(cell.partition("[")[0] in self.bounded for cell in labels)
        if len(numbers) < len(labels) or bounded:
            return False
        adjacency = self.system.adjacency
        match adjacency.kind:  # each change alone is one of the adjacency
            case "l1":
                return sum(map(abs, numbers), ZERO) <= adjacency.distance
            case "hamming":
                return sum(change != 0 for change in numbers) <= adjacency.distance
            case "monotone":
                return not (min(numbers, default=ZERO) < 0 < max(numbers, default=ZERO))
        return True

    def exact(self, run: Run) -> bool:
        """Whether its guards and costs are those of the program."""
        choices = any(isinstance(c, Choice) for part in run.parts for c in part.edge.choices)
        overwritten = any(
            value in RANDOM and "[" in name and not self.final(name, part)
            for part in run.parts
            for name, value in part.outputs.items()
        )
        return not (choices or overwritten or any(part.path.shown for part in run.parts))

    def alike(self, labels: Labels, outputs: Mapping[str, str]) -> Iterator[Run]:
        """All runs with these labels and outputs, and maybe more.  Raises :class:`LimitReached`."""
        waiting: list[tuple[Point, tuple[Stretch, ...]]] = [(Point(START), ())]
        steps = 0
        while waiting:
            steps += 1
            if steps > MOST_STEPS:
                raise LimitReached("too many runs have the same outputs")
            point, parts = waiting.pop()
            if point.pc == END:
                if not self._leaves_out(run := Run(parts), outputs):
                    yield run
                continue
            for part in self.parts(point):
                if self._fits(part, labels, outputs):
                    waiting.append((part.target, (*parts, part)))

    def _fits(self, part: Stretch, labels: Labels, outputs: Mapping[str, str]) -> bool:
        if any(labels.get(cell, label) != label for cell, label in part.labels.items()):
            return False
        return not any(
            _differ(value, outputs.get(name, self.starts.get(name.partition("[")[0], value)))
            and self.final(name, part)
            for name, value in part.outputs.items()
        )

    def _leaves_out(self, run: Run, outputs: Mapping[str, str]) -> bool:
        """Whether an output that the run never sets keeps a start value which is not the one asked for."""
        if not all(map(CELL.fullmatch, run.outputs)):
            return False
        starts = (
            (self.starts.get(name.partition("[")[0], value), value)
            for name, value in outputs.items()
            if name not in run.outputs
        )
        return any(_differ(start, value) for start, value in starts)

    def final(self, name: str, part: Stretch) -> bool:
        """Whether the output keeps what the part gives it."""
        if not CELL.fullmatch(name):
            return False
        code = self.system.code
        loops = any(isinstance(o, Jump) and o.to <= pc for pc, o in enumerate(code))
        rest = () if part.target.pc == END else code if loops else code[part.target.pc :]
        return not any(isinstance(o, Put | Draw) and _may_write(o, name) for o in rest)

    # --- an input ----------------------------------------------------------------------------

    def start(self, run: Run) -> dict[str, fmpq] | None:
        """Values of cells for which the run has a positive probability; None if none are found."""
        if any(part.path.vague for part in run.parts):
            return None
        conditions, integers = run.conditions(), self.integers(run)
        if not integers and any(c.equal and c.value.random for c in conditions):
            return None  # of probability 0
        symbols = {s for c in conditions for s, _ in c.value.terms}
        if any(s.kind not in ("sample", "private") or "#" in s.name for s in symbols):
            return None
        for margin in MARGINS:
            found = _solution(conditions, margin, tuple(self.bounds(run)))
            if found is not None and (not integers or all(v.q == 1 for v in found.values())):
                return {s.name: v for s, v in found.items() if s.kind == "private"}
        return None

    def bounds(self, run: Run) -> Iterator[Condition]:
        """The cells of bounded inputs are in their intervals, before and after their change."""
        for cell, label in (run.labels or {}).items():
            interval = self.bounded.get(cell.partition("[")[0])
            if interval is not None and isinstance(label, Linear):
                left = unknown(Symbol("private", cell))
                for value in (left, left.plus(label)):
                    yield Condition(value.plus(Linear((), interval[0]), -ONE))
                    yield Condition(Linear((), interval[1]).plus(value, -ONE))

    def within(self, name: str, value: fmpq) -> bool:
        """Whether a cell of an input may have a value."""
        low, high = self.bounded.get(name, (value, value))
        return low <= value <= high

    def integers(self, run: Run) -> bool:
        """Whether some noise or input is an integer."""
        return any(d.integers for d in self.system.domains.values()) or any(
            any(part.path.kinds) for part in run.parts
        )


def _differ(value: str, other: str) -> bool:
    """Whether outputs are not the same for certain; a random number is none of the names."""
    if value in RANDOM or other in RANDOM:
        known = {value, other} - {*RANDOM}
        return RANDOM[1] not in (value, other) and not all(map(NUMBER.fullmatch, known))
    return value != other


def _may_write(operation: Put | Draw, name: str) -> bool:
    match operation.target:
        case ast.Index(array, ast.Number(k)):
            return f"{array}[{k}]" == name
        case ast.Index(array):
            return array == name.partition("[")[0]
        case ast.Name(other):
            return other == name


def _solution(
    conditions: Sequence[Condition], margin: fmpq, bounds: Sequence[Condition] = ()
) -> dict[Symbol, fmpq] | None:
    """Numbers that satisfy all conditions by a margin, and the bounds, with small values of the cells."""
    names = sorted({s for c in (*conditions, *bounds) for s, _ in c.value.terms})
    numbers = {symbol: k for k, symbol in enumerate(names)}
    down = {s: len(names) + k for k, s in enumerate(names) if s.kind == "private"}
    rows = []
    margins = [ZERO if condition.equal else margin for condition in conditions] + [ZERO] * len(bounds)
    for condition, least_value in zip((*conditions, *bounds), margins, strict=True):
        terms = {CONSTANT: condition.value.constant - least_value}
        for symbol, factor in condition.value.terms:
            terms[numbers[symbol]] = factor
            if symbol in down:
                terms[down[symbol]] = -factor
        rows.append(Row({j: a for j, a in terms.items() if a}, condition.equal))
    goal = {j: ONE for s, j in down.items()} | {numbers[s]: ONE for s in down}
    found = least(rows, [goal], {j for s, j in numbers.items() if s not in down})
    if isinstance(found, Infeasible):
        return None
    known = found.values
    return {
        s: known.get(j, ZERO) - (known.get(down[s], ZERO) if s in down else ZERO) for s, j in numbers.items()
    }
