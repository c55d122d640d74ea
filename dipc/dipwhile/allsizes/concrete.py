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
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from flint import fmpq

from dipc.clock import Clock
from dipc.dipwhile.allsizes.automaton import Automaton, Choice
from dipc.dipwhile.allsizes.build import Walk, walked
from dipc.dipwhile.allsizes.feasible import Condition, solution
from dipc.dipwhile.allsizes.linear import cost_of_run
from dipc.dipwhile.allsizes.question import Question
from dipc.dipwhile.allsizes.system import END, START, Point, System
from dipc.dipwhile.allsizes.values import (
    ONE,
    ZERO,
    Datum,
    Linear,
    Pair,
    Symbol,
    Unknown,
    datum,
    number,
    replaced,
    symbols,
    unknown,
)
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.core import Draw, Jump, Put
from dipc.dipwhile.syntax.distributions import NOISE
from dipc.dipwhile.syntax.names import target_name
from dipc.errors import LimitReached

MOST_RUNS = 64
MOST_STEPS = 10_000
"""How many parts of runs are looked at to find those with the same outputs."""

CELL = re.compile(r"\w+(\[\d+\])?")
Data = Mapping[str, Datum]
"""By cell: its change, a number or a pair of values; or what is published."""


@dataclass(frozen=True)
class Run:
    """A whole run, part by part."""

    parts: tuple[Walk, ...]

    @cached_property
    def labels(self) -> Data | None:
        """How the inputs change; None if the labels contradict each other, or a cell has no number."""
        found: dict[str, Datum] = {}
        for cell, label in (item for path, _, _ in self.parts for item in path.labels.items()):
            if not CELL.fullmatch(cell) or found.setdefault(cell, label) != label:
                return None
        return found

    @cached_property
    def outputs(self) -> Data:
        """What it publishes."""
        return {name: value for path, _, _ in self.parts for name, value in path.published.items()}

    @cached_property
    def cost(self) -> fmpq | None:
        """The least cost; None if no shift exists."""
        return cost_of_run(edge for _, edge, _ in self.parts)

    def numbered(self) -> tuple[Data, Data]:
        """Labels and outputs of a run for every size, a loop's variable being the number of its round."""
        labels: dict[str, Datum] = {}
        outputs: dict[str, Datum] = {}
        rounds = 0
        for path, _, _ in self.parts:
            rounds += path.round
            for found, own in ((labels, path.labels), (outputs, path.published)):
                found |= {re.sub(r"\[[^\W\d]\w*\]", f"[{rounds}]", cell): own[cell] for cell in own}
        return labels, outputs

    def conditions(self) -> list[Condition]:
        """What samples and cells of the input must satisfy, with a number of its own for each sample."""
        known: dict[Symbol, Linear] = {}
        found: list[Condition] = []
        drawn = 0
        for path, edge, target in self.parts:
            for k in range(len(edge.samples)):
                known[Symbol("sample", "", k)] = unknown(Symbol("sample", "", drawn + k))
            drawn += len(edge.samples)
            found += (replace(c, value=replaced(c.value, known)) for c in path.conditions)
            values = ((path.values[name], kept) for name, kept in target.kept)
            known = {
                kept.terms[0][0]: replaced(value, known)
                for value, kept in values
                if isinstance(value, Linear) and isinstance(kept, Linear) and kept.terms
            }
        return found


def run_of(system: System, automaton: Automaton, edges: Iterable[int]) -> Run:
    """A run of the automaton of a system, by the numbers of its edges."""
    return Run(tuple(system.edges[automaton.edges[i]] for i in edges))


class Concrete:
    """The runs of a program for some sizes."""

    def __init__(self, asked: Question, sizes: Mapping[str, int], clock: Clock) -> None:
        self.system, self.clock = asked.system(sizes), clock
        declared = asked.declared_at(sizes)
        self.bounded = {
            d.name: declared.interval(d.domain, f"the interval of `{d.name}`")
            for d in asked.program.inputs
            if isinstance(d.domain, ast.Between)
        }

    # --- a lower bound -----------------------------------------------------------------------

    def lower_bound(self, run: Run) -> tuple[fmpq | None, bool]:
        """A t that the run shows to be needed, None for infinity; whether it shows anything."""
        labels = run.labels
        known = labels is not None and all(map(CELL.fullmatch, run.outputs))
        if labels is None or not known or self.start(run) is None or not self.unbounded(labels):
            return ZERO, False
        alike = list(islice(self.alike(labels, run.outputs), MOST_RUNS + 1))
        if len(alike) > MOST_RUNS or not all(map(self.exact, alike)):
            return ZERO, False
        return min((cost for other in alike if (cost := other.cost) is not None), default=None), True

    def unbounded(self, labels: Data) -> bool:
        """Whether the inputs may be moved on and on: each change alone is one of the adjacency."""
        numbers = [label.constant for label in labels.values() if isinstance(label, Linear)]
        if len(numbers) < len(labels) or any(_array(cell) in self.bounded for cell in labels):
            return False
        adjacency = self.system.adjacency
        match adjacency.kind:
            case "l1":
                return sum(map(abs, numbers), ZERO) <= adjacency.distance
            case "hamming":
                return sum(change != 0 for change in numbers) <= adjacency.distance
            case "monotone":
                return not (min(numbers, default=ZERO) < 0 < max(numbers, default=ZERO))
        return True

    def exact(self, run: Run) -> bool:
        """Whether its guards and costs are those of the program."""
        return not any(
            path.shown
            or any(isinstance(choice, Choice) for choice in edge.choices)
            or any(
                "[" in name and not _certain(value) and not self.final(name, target)
                for name, value in path.published.items()
            )
            for path, edge, target in run.parts
        )

    def alike(self, labels: Data, outputs: Data) -> Iterator[Run]:
        """All runs with these labels and outputs, and maybe more.  Raises :class:`LimitReached`."""
        waiting: list[tuple[Point, tuple[Walk, ...]]] = [(Point(START), ())]
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
            walks = walked(self.system, point, self.clock)
            waiting += ((walk[2], (*parts, walk)) for walk in walks if self._fits(walk, labels, outputs))

    def _fits(self, walk: Walk, labels: Data, outputs: Data) -> bool:
        path, _, target = walk
        return not any(labels.get(cell, label) != label for cell, label in path.labels.items()) and not any(
            _differ(value, outputs.get(name, self._start(name, value))) and self.final(name, target)
            for name, value in path.published.items()
        )

    def _leaves_out(self, run: Run, outputs: Data) -> bool:
        """Whether an output that the run never sets keeps a start value which is not the one asked for."""
        return all(map(CELL.fullmatch, run.outputs)) and any(
            _differ(self._start(name, value), value)
            for name, value in outputs.items()
            if name not in run.outputs
        )

    def _start(self, name: str, otherwise: Datum) -> Datum:
        return self.system.starts.get(_array(name), otherwise)

    def final(self, name: str, target: Point) -> bool:
        """Whether the output keeps what it has at a point."""
        code = self.system.code
        loops = any(isinstance(o, Jump) and o.to <= pc for pc, o in enumerate(code))
        rest = () if target.pc == END else code if loops else code[target.pc :]
        return bool(CELL.fullmatch(name)) and not any(
            isinstance(o, Put | Draw) and _may_write(o, name) for o in rest
        )

    # --- an input ----------------------------------------------------------------------------

    def start(self, run: Run) -> dict[str, fmpq] | None:
        """Values of cells for which the run has a positive probability; None if none are found."""
        conditions = run.conditions()
        integers = any(d.integers for d in self.system.domains.values()) or any(
            any(NOISE[s.kind].integer for s in edge.samples) for _, edge, _ in run.parts
        )
        if (
            any(path.vague for path, _, _ in run.parts)
            or (not integers and any(c.equal and c.value.random for c in conditions))  # of probability 0
            or any(
                s.kind not in ("sample", "private") or "#" in s.name
                for s in symbols(c.value for c in conditions)
            )
        ):
            return None
        inside = (replace(c, strict=not c.equal) for c in conditions)
        cells = {s for s in symbols(c.value for c in conditions) if s.kind == "private"}
        bounds = tuple(self.bounds(run.labels or {}))
        found = solution([*inside, *bounds], cells | symbols(c.value for c in bounds))
        if found is None or (integers and any(v.q != 1 for v in found.values())):
            return None
        return {s.name: v for s, v in found.items() if s.kind == "private"}

    def bounds(self, labels: Data) -> Iterator[Condition]:
        """The cells of bounded inputs are in their intervals, before and after their change."""
        for cell, label in labels.items():
            if _array(cell) in self.bounded and isinstance(label, Linear):
                low, high = map(number, self.bounded[_array(cell)])
                left = unknown(Symbol("private", cell))
                for value in (left, left.plus(label)):
                    yield Condition(value.plus(low, -ONE))
                    yield Condition(high.plus(value, -ONE))

    def within(self, name: str, value: fmpq) -> bool:
        """Whether a cell of an input may have a value."""
        low, high = self.bounded.get(name, (value, value))
        return low <= value <= high


def _array(cell: str) -> str:
    return cell.partition("[")[0]


def _certain(value: Datum) -> bool:
    return isinstance(value, Pair) or (isinstance(value, Linear) and value.number is not None)


def _differ(value: Datum, other: Datum) -> bool:
    """Whether outputs are not the same for certain; a random number is none of the names.

    >>> _differ(Pair(ONE, ONE), number(ONE)), _differ(Pair(ONE, ONE), unknown(Symbol("sample", "")))
    (False, False)
    """
    value, other = (datum(v.left) if isinstance(v, Pair) and v.public else v for v in (value, other))
    if isinstance(value, Unknown) or isinstance(other, Unknown):
        return False
    if isinstance(value, Linear) and isinstance(other, Linear):
        return _certain(value) and _certain(other) and value != other
    return value != other


def _may_write(operation: Put | Draw, name: str) -> bool:
    match operation.target:
        case ast.Index(array, ast.Number(k)):
            return f"{array}[{k}]" == name
        case target:
            return target_name(target) in (_array(name), name)
