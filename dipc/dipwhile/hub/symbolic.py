"""One execution for all inputs: input cells as symbols that occur in the means of real samples only.

A run is what it answers to comparisons of two samples.  No other step of a program in this class depends on
an input: a cell is read as (part of) the mean of a sample, where it is tabulated for each value that it may
have, and everything else (rates, branches, indices, outputs) is a number or an atom.  So for *every* input
the runs are the same, with the same conditions ``sample above > sample below + offset``, and only the means
differ.  Every sample is drawn at one place of the program, at most once in a run.

A cell beside a sample, as in ``r + q[1]``, is a part of its mean: in linear expressions cells are symbols
with negative numbers, and ``r + q[1]`` becomes a sample of its own, drawn at the place of r.  No run may
compare two samples of one place.

Runs at the same place whose remaining variables are equal go on together; what they have assigned to
outputs that no expression reads, and the conditions met, are kept as lists that share their beginnings.
``argmax`` and its like are no chain of comparisons here: sample i is the greatest where it is greater than
each other one (two real samples are equal with probability 0).

What is not in the class raises :class:`Unfit`: loops, other distributions, comparisons with constants or of
three samples, samples that are published, anything that today's execution would refuse.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from flint import fmpq

from dipc.dipwhile.semantics.adjacency import InputSpace
from dipc.dipwhile.semantics.branching import branches
from dipc.dipwhile.semantics.evaluate import (
    Datum,
    InputNeeded,
    Memory,
    cell_of,
    evaluate,
    flattened,
    never,
)
from dipc.dipwhile.semantics.liveness import kept, live_cells, reads
from dipc.dipwhile.semantics.noise import rate_of
from dipc.dipwhile.semantics.step import Outcome
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.arrays import instruction_parts
from dipc.dipwhile.syntax.core import Cell, Draw, Halt, Instruction, Jump, Put, Test
from dipc.dipwhile.syntax.walk import bottom_up, nodes, with_children
from dipc.errors import InputError
from dipc.integration.linear import Linear
from dipc.models.values import FALSE, TRUE, Value

MOST_RUNS = 100_000
EXTREMES = ("max", "argmax", "min", "argmin")
EXTREME = "the extreme"  # no name in a program
MOST_FOLDED = 256  # runs at one place
MOST_WAYS = 16  # through one expression

Chain = tuple[Any, ...]  # () or (the chain before, its last element): lists that share their beginnings


class Unfit(Exception):
    """The program is not in the class."""


class Sample(NamedTuple):
    """``kind(rate*eps, mean)``, the mean for each value of its cell, or the only one if it reads none."""

    kind: str
    place: int
    rate: fmpq
    cell: int | None
    means: tuple[fmpq, ...]


class Condition(NamedTuple):
    """``sample above > sample below + offset``."""

    above: int
    below: int
    offset: fmpq


Way = tuple[Datum, tuple[Condition, ...]]  # a value, and the conditions where it comes about


class Run(NamedTuple):
    """What a run has assigned to outputs, and the numbers of its conditions, last ones first."""

    outputs: Chain
    conditions: Chain


class Step(NamedTuple):
    """Where one way through an instruction leads."""

    pc: int
    env: Mapping[Cell, Datum]
    output: tuple[Cell, Value] | None
    conditions: tuple[Condition, ...]


@dataclass
class Node:
    """Runs at one place with the same variables."""

    env: Mapping[Cell, Datum]
    runs: list[Run] = field(default_factory=list)


def elements(chain: Chain) -> Iterator[Any]:
    """The elements of a chain, the last one first."""
    while chain:
        chain, element = chain
        yield element


class Execution:
    """All runs of a program: ``samples``, ``conditions``, and the runs of every outcome.

    ``tick`` is called now and then.  Raises :class:`Unfit`, also if a run is no product of stars.
    """

    def __init__(self, space: InputSpace, tick: Callable[[], None]) -> None:
        self.program = program = space.program
        self.samples: list[Sample] = []
        self.conditions: list[Condition] = []
        self.outcomes: dict[Outcome, list[Chain]] = {}
        self._space, self._tick = space, tick
        self._numbers: dict[object, int] = {}
        self._symbols: dict[Cell, Datum] = {
            cell: Linear(((-1 - place, fmpq(1)),), fmpq(0))
            for cell, place in space.place.items()
            if all(isinstance(value, fmpq) for value in space.domains[place])
        }
        self._equalities = {
            pc for pc, i in enumerate(program.code) if any(map(_equality, instruction_parts(i)))
        }
        self._names = frozenset(v.name for v in program.inputs)
        self._arrays = dict(program.arrays)
        self._outputs = {cell: v for v in program.outputs for cell in v.cells}
        inner = [i for i in program.code if not isinstance(i, Halt)]
        read = {cell for i in inner for cell in reads(i, self._arrays)}
        unread = self._outputs.keys() - read
        self._live = [live - unread for live in live_cells(program)]
        self._execute()

    def stars(self, conditions: Chain) -> dict[int, list[tuple[int, int]]]:
        """The spokes of each hub of a run with their roles, by numbers: the sample and the condition.

        Raises :class:`Unfit` if some condition is between two samples that are both in other conditions, or
        if a sample is in conditions with a cell beside it, and without.
        """
        found = [(number, *self.conditions[number][:2]) for number in elements(conditions)]
        often = Counter([end for _, *ends in found for end in ends])
        if len({self.samples[sample].place for sample in often}) < len(often):
            raise Unfit
        hubs: dict[int, list[tuple[int, int]]] = {}
        for number, above, below in found:
            more = often[above] - often[below] or below - above  # of two that are alone the first is the hub
            if often[above] > 1 and often[below] > 1:
                raise Unfit
            hub, spoke = (above, below) if more > 0 else (below, above)
            hubs.setdefault(hub, []).append((spoke, number))
        return hubs

    # --- runs ----------------------------------------------------------------------------------

    def _execute(self) -> None:
        start = {c: v.start for c, v in self._outputs.items() if v.start is not None}
        waiting: dict[int, dict[object, Node]] = {}
        self._arrive(waiting, 0, start, [Run((), ())])
        while waiting:
            pc = min(waiting)
            for node in waiting.pop(pc).values():
                self._tick()
                self._fold(node)
                if isinstance(self.program.code[pc], Halt):
                    self._halt(node)
                    continue
                for step in self._steps(pc, self.program.code[pc], node.env):
                    if step.pc <= pc:
                        raise Unfit
                    self._arrive(waiting, step.pc, step.env, self._continued(node.runs, step))

    def _arrive(
        self, waiting: dict[int, dict[object, Node]], pc: int, env: Mapping[Cell, Datum], runs: list[Run]
    ) -> None:
        env = kept(env, self._live[pc])
        nodes = waiting.setdefault(pc, {})
        key = tuple(sorted(((cell, str(value)) for cell, value in env.items())))
        node = nodes.setdefault(key, Node(env))
        node.runs += runs
        if len(node.runs) > MOST_RUNS:
            raise Unfit

    def _continued(self, runs: list[Run], step: Step) -> list[Run]:
        """The runs with what a step adds."""
        if step.output is not None:
            runs = [Run((run.outputs, step.output), run.conditions) for run in runs]
        for one in step.conditions:
            number = self._numbers.setdefault(("condition", *map(str, one)), len(self.conditions))
            if number == len(self.conditions):
                self.conditions.append(one)
            runs = [Run(run.outputs, (run.conditions, number)) for run in runs]
        if step.conditions:
            self.stars(runs[0].conditions)
        return runs

    def _fold(self, node: Node) -> None:
        """Runs that differ in which of some samples was the greatest (least) before the last one k, as one.

        That h is above all others of a set and k above h, for some h of the set, means that k is above all.
        """
        if not 1 < len(node.runs) <= MOST_FOLDED or len({run.conditions[-1:] for run in node.runs}) == 1:
            return
        groups: dict[object, list[Run]] = {}
        for run in node.runs:
            outputs = dict(reversed(list(elements(run.outputs))))
            groups.setdefault(str(sorted(outputs.items(), key=lambda item: item[0])), []).append(run)
        node.runs = [run for group in groups.values() for run in self._folded(group)]

    def _folded(self, runs: list[Run]) -> list[Run]:
        """The runs, with the same outputs, as one if they can be."""
        if len(runs) == 1 or not all(run.conditions for run in runs):
            return runs
        sets = [frozenset(elements(run.conditions)) for run in runs]
        common = frozenset.intersection(*sets)
        last = [self.conditions[run.conditions[1]] for run in runs]
        for greatest in (True, False):
            tops = {one.above if greatest else one.below for one in last}
            before = [one.below if greatest else one.above for one in last]
            if len(tops) > 1 or len(set(before)) < len(before):
                continue
            (top,) = tops

            def beats(one: int, other: int, greatest: bool = greatest) -> int:
                pair = (one, other) if greatest else (other, one)
                return self._numbers.get(("condition", *map(str, Condition(*pair, fmpq(0)))), -1)

            wanted = [{beats(top, h), *(beats(h, other) for other in before if other != h)} for h in before]
            if all(one - common == these for one, these in zip(sets, wanted, strict=True)):
                chain: Chain = ()
                for number in (*sorted(common), *(beats(top, h) for h in before)):
                    chain = (chain, number)
                return [Run(runs[0].outputs, chain)]
        return runs

    def _halt(self, node: Node) -> None:
        for run in node.runs:
            values = {c: v.start for c, v in self._outputs.items()}
            values.update(reversed(list(elements(run.outputs))))
            if None in values.values():
                raise Unfit
            outcome: Any = tuple(values.values())
            self.outcomes.setdefault(outcome, []).append(run.conditions)

    # --- instructions --------------------------------------------------------------------------

    def _steps(self, pc: int, instruction: Instruction, env: Mapping[Cell, Datum]) -> list[Step]:
        """All ways through an instruction."""
        visible = {**self._symbols, **env}
        if pc in self._equalities:
            visible = {cell: datum for cell, datum in visible.items() if not _mentions_cell(datum)}
        memory = Memory(visible, {}, frozenset(), self.program.variables, self._arrays)
        try:
            match instruction:
                case Put(target, value):
                    cell = cell_of(target, memory, never)
                    found = self._values(value, memory)
                    return [self._assigned(pc, env, cell, datum, conditions) for datum, conditions in found]
                case Draw(target, ast.Noise("Lap" | "LapPlus") as noise):
                    cell = cell_of(target, memory, never)
                    return [self._assigned(pc, env, cell, self._drawn(pc, noise, memory), ())]
                case Test(asked, otherwise, is_loop=False):
                    places: dict[Datum, int] = {TRUE: pc + 1, FALSE: otherwise}
                    found = self._values(asked, memory)
                    return [Step(places[answer], env, None, conditions) for answer, conditions in found]
                case Jump(to):
                    return [Step(to, env, None, ())]
        except (InputError, InputNeeded, KeyError):
            pass
        raise Unfit

    def _assigned(
        self, pc: int, env: Mapping[Cell, Datum], cell: Cell, datum: Datum, conditions: tuple[Condition, ...]
    ) -> Step:
        datum = self._shifted(datum)
        env = {**env, cell: datum}
        if cell not in self._outputs:
            return Step(pc + 1, env, None, conditions)
        if isinstance(datum, Linear) or datum not in self._outputs[cell].domain:
            raise Unfit
        return Step(pc + 1, env, (cell, datum), conditions)

    def _drawn(self, pc: int, noise: ast.Noise, memory: Memory) -> Linear:
        """A new sample as a variable."""
        rate, inverse = rate_of(noise.rate, memory, never)
        if inverse:
            raise Unfit
        number = self._sample(Sample(noise.kind, pc, rate, *self._means(noise.mean, memory)))
        return Linear(((number, fmpq(1)),), fmpq(0))

    def _sample(self, sample: Sample) -> int:
        """The number of a sample."""
        number = self._numbers.setdefault(("sample", *map(str, sample)), len(self.samples))
        if number == len(self.samples):
            self.samples.append(sample)
        return number

    def _means(self, mean: ast.Expr, memory: Memory) -> tuple[int | None, tuple[fmpq, ...]]:
        """The cell that a mean reads, and the mean for each of its values."""
        memory = replace(memory, input_names=self._names)
        try:
            match evaluate(mean, memory, never):
                case Linear(((symbol, c),), constant) if symbol < 0:
                    domain: Any = self._space.domains[-1 - symbol]
                    return -1 - symbol, tuple(c * value + constant for value in domain)
                case number:
                    return None, (_number(number),)
        except InputNeeded as need:
            cell = need.cell
        place = self._space.place[cell]
        tables = (replace(memory, inputs={cell: value}) for value in self._space.domains[place])
        return place, tuple(_number(evaluate(mean, table, never)) for table in tables)

    def _shifted(self, datum: Datum) -> Datum:
        """A linear expression of a sample and a cell as one of a sample whose mean depends on the cell."""
        match datum:
            case Linear(((symbol, c), (number, a)), constant) if symbol < 0 <= number:
                return Linear(((self._with_cell(number, symbol, c / a), a),), constant)
        return datum

    def _with_cell(self, number: int, symbol: int, factor: fmpq) -> int:
        """The sample plus a multiple of a cell."""
        kind, place, rate, cell, means = self.samples[number]
        domain: Any = self._space.domains[-1 - symbol]
        if cell not in (None, -1 - symbol):
            raise Unfit
        shifts = [factor * value for value in domain]
        old = means if cell is not None else means * len(domain)
        moved = tuple(mean + shift for mean, shift in zip(old, shifts, strict=True))
        return self._sample(Sample(kind, place, rate, -1 - symbol, moved))

    def _values(self, expr: ast.Expr, memory: Memory) -> list[Way]:
        """All values of an expression; the first extreme of samples in it is found first, if there is one."""
        calls = (n for n in nodes(expr) if isinstance(n, ast.Call) and n.function in EXTREMES)
        call = next(calls, None)
        extremes = self._extremum(call, memory) if call is not None else []
        if call is None or not extremes:
            return self._ways(expr, memory)
        name = ast.Name(EXTREME, span=call.span)
        rest = bottom_up(expr, lambda n, parts: name if n is call else with_children(n, parts))
        found: list[Way] = []
        for extreme, conditions in extremes:
            env = {**memory.env, (EXTREME, 0): extreme}
            bound = replace(memory, env=env, variables=memory.variables | {EXTREME})
            found += [(value, conditions + more) for value, more in self._ways(rest, bound)]
        return found

    def _extremum(self, call: ast.Call, memory: Memory) -> list[Way]:
        """The ways through the greatest or least of several samples; none if it is not that."""
        given = [self._shifted(datum) for datum, _ in flattened(call.arguments, memory, never)]
        if len(given) < 2 or not all(isinstance(x, Linear) for x in given):
            return []
        sign = 1 if call.function.endswith("max") else -1
        found: list[Way] = []
        for i, one in enumerate(given):
            others = [self._condition(_difference(one, x, sign)) for j, x in enumerate(given) if j != i]
            found.append((fmpq(i + 1) if call.function.startswith("arg") else one, tuple(others)))
        return found

    # --- comparisons ---------------------------------------------------------------------------

    def _condition(self, form: Any) -> Condition:
        """``form > 0`` of two samples; a cell beside them is counted to the one that is drawn last."""
        match form:
            case Linear(((symbol, c), (i, a), (j, b)), constant) if symbol < 0 <= i:
                free = [(k, d) for k, d in ((i, a), (j, b)) if self.samples[k].cell in (None, -1 - symbol)]
                if not free:
                    raise Unfit
                number, factor = max(free, key=lambda one: self.samples[one[0]].place)
                own = self._with_cell(number, symbol, c / factor)
                rest = {i: a, j: b}
                del rest[number]
                return self._condition(Linear.make({**rest, own: factor}, constant))
            case Linear(((i, a), (j, b)), constant) if i >= 0 and a == -b:
                above, below = (i, j) if a > 0 else (j, i)
                return Condition(above, below, -constant / abs(a))
        raise Unfit

    def _ways(self, expr: ast.Expr, memory: Memory) -> list[Way]:
        """All values of an expression, by the comparisons in it."""
        anything: Any = _Anything()
        found = branches(lambda decide: evaluate(expr, memory, decide), anything)
        return [(branch.value, tuple(map(self._condition, branch.conditions))) for branch in found]


def _difference(one: Any, other: Any, sign: int) -> Any:
    """``sign * (one - other)``; linear, unless the two have the same samples."""
    coefficients = dict(one.coefficients)
    for i, c in other.coefficients:
        coefficients[i] = coefficients.get(i, fmpq(0)) - c
    scaled = {i: sign * c for i, c in coefficients.items()}
    return Linear.make(scaled, sign * (one.constant - other.constant))


def _mentions_cell(datum: Datum) -> bool:
    """Whether an expression has a cell as a symbol."""
    return isinstance(datum, Linear) and any(number < 0 for number in datum.samples)


def _equality(expr: ast.Expr) -> bool:
    """Whether an expression compares by ``=`` or ``!=``: of samples that is certain, of cells it is not."""
    return any(isinstance(n, ast.Binary) and n.op in (ast.Op.EQ, ast.Op.NE) for n in nodes(expr))


def _number(value: Datum) -> fmpq:
    if not isinstance(value, fmpq):
        raise Unfit
    return value


class _Anything:
    """The joint density of samples of which nothing is known: each comparison has both answers."""

    def __init__(self) -> None:
        self._asked = 0

    def assuming(self, condition: Linear) -> _Anything:
        """Asked for both answers; each comparison adds one way."""
        self._asked += 1
        if self._asked > 2 * MOST_WAYS:
            raise Unfit
        return self

    def range_of(self, form: Linear) -> tuple[fmpq | None, fmpq | None]:
        """Not asked of real samples."""
        raise Unfit

    def mass(self) -> bool:
        """What goes wrong may happen."""
        return True
