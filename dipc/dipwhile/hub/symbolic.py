"""One execution for all inputs: input cells as symbols that occur in the means of samples only.

A run is what it draws from finite distributions and what it answers to comparisons of two samples.  No other
step of a program in this class depends on an input: a cell is read as (part of) the mean of a sample, where
it is tabulated for each value that it may have, and everything else (rates, probabilities, branches, indices,
outputs) is a number or an atom.  So for *every* input the runs are the same, with the same comparisons and
the same *weight*, the product of the probabilities of what is drawn; only the means differ.  The law is a
mixture: the probability of an output is the sum, over its runs, of the weight times the probability of the
comparisons, for finite draws and samples are independent.  Every sample is drawn at one place of the program,
at most once in a run.

A cell beside a sample, as in ``r + q[1]``, is a part of its mean: in linear expressions cells are symbols
with negative numbers, and ``r + q[1]`` becomes a sample of its own, drawn at the place of r.  No run may
compare two samples of one place.  Beside integer samples, cells have integer values.

Runs at the same place whose remaining variables are equal go on together; what they have assigned to
outputs that no expression reads, and the conditions met, are kept as lists that share their beginnings.
Where several nodes meet, runs that are one become one (:mod:`dipc.dipwhile.hub.conditions`).
``argmax`` and its like are no chain of comparisons here: sample i is the greatest where it is greater than
each earlier one and at least each later one (two real samples are equal with probability 0).

What is not in the class raises :class:`Unfit`: loops, finite draws whose probabilities read an input,
comparisons of three samples, samples that are published as they are, anything that today's execution would
refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from flint import fmpq

from dipc.dipwhile.hub.conditions import (
    ZEROS,
    Bounds,
    Condition,
    Folding,
    Run,
    Sample,
    Unfit,
    Weighted,
    bounds_of,
    elements,
    stars,
)
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
from dipc.dipwhile.semantics.noise import Finite, distribution, rate_of
from dipc.dipwhile.semantics.step import LeftOpen, Outcome
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.arrays import instruction_parts
from dipc.dipwhile.syntax.core import Cell, Draw, Halt, Instruction, Jump, Put, Test
from dipc.dipwhile.syntax.distributions import NOISE
from dipc.dipwhile.syntax.walk import bottom_up, nodes, with_children
from dipc.errors import InputError
from dipc.integration.linear import Linear
from dipc.models.values import FALSE, TRUE, Value
from dipc.numbers.quotient import Quotient

MOST_RUNS = 100_000
EXTREMES = ("max", "argmax", "min", "argmin")
EXTREME = "the extreme"  # no name in a program
MOST_WAYS = 16  # through one expression

Way = tuple[Datum, tuple[Condition, ...]]  # a value, and the conditions where it comes about


class Step(NamedTuple):
    """Where one way through an instruction leads."""

    pc: int
    env: Mapping[Cell, Datum]
    output: tuple[Cell, Value] | None
    conditions: tuple[Condition, ...]
    probability: Quotient | None = None  # of what was drawn


@dataclass
class Node:
    """Runs at one place with the same variables."""

    env: Mapping[Cell, Datum]
    runs: list[Run] = field(default_factory=list)
    meet: bool = False  # whether they come from several nodes, or have a new output: some may be one


class Execution:
    """All runs of a program: ``samples``, the runs of every outcome, and what depends on the range of eps.

    ``tick`` is called now and then.  Raises :class:`Unfit`, also if a run is no product of stars.
    """

    def __init__(self, space: InputSpace, tick: Callable[[], None]) -> None:
        self.program = program = space.program
        self.samples = ZEROS.copy()
        self.outcomes: dict[Outcome, list[Weighted]] = {}
        self.left_open = LeftOpen({}, [])
        self._space, self._tick = space, tick
        self._numbers: dict[object, int] = {}
        self._integer = any(map(_draws_integers, program.code))
        self._symbols: dict[Cell, Datum] = {
            cell: Linear(((-1 - place, fmpq(1)),), fmpq(0), self._integer)
            for cell, place in space.place.items()
            if all(isinstance(x, fmpq) and (x.q == 1 or not self._integer) for x in space.domains[place])
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

    # --- runs ----------------------------------------------------------------------------------

    def _execute(self) -> None:
        start = {c: v.start for c, v in self._outputs.items() if v.start is not None}
        waiting: dict[int, dict[object, Node]] = {}
        self._arrive(waiting, Step(0, start, None, ()), [Run((), (), Quotient.one())])
        while waiting:
            pc = min(waiting)
            for node in waiting.pop(pc).values():
                self._tick()
                if node.meet:
                    self._fold(node)
                if isinstance(self.program.code[pc], Halt):
                    self._halt(node)
                    continue
                for step in self._steps(pc, self.program.code[pc], node.env):
                    if step.pc <= pc:
                        raise Unfit
                    if runs := self._continued(node.runs, step):
                        self._arrive(waiting, step, runs)

    def _arrive(self, waiting: dict[int, dict[object, Node]], step: Step, runs: list[Run]) -> None:
        env = kept(step.env, self._live[step.pc])
        nodes = waiting.setdefault(step.pc, {})
        key = tuple(sorted(((cell, str(value)) for cell, value in env.items())))
        node = nodes.setdefault(key, Node(env))
        node.meet = node.meet or bool(node.runs) or step.output is not None
        node.runs += runs
        if len(node.runs) > MOST_RUNS:
            raise Unfit

    def _continued(self, runs: list[Run], step: Step) -> list[Run]:
        """The runs with what a step adds, without those that it makes impossible."""
        if step.output is not None:
            runs = [run._replace(outputs=(run.outputs, step.output)) for run in runs]
        if step.probability is not None:
            runs = [run._replace(weight=run.weight * step.probability) for run in runs]
        for one in step.conditions:
            runs = [run._replace(conditions=(run.conditions, one)) for run in runs]
        if step.conditions and self._integer:
            runs = [run for run in runs if self.bounds(run) is not None]
        if step.conditions and runs:
            stars(self.bounds(runs[0]) or {}, self.samples)
        return runs

    def bounds(self, run: Run) -> Bounds | None:
        """The comparisons of a run; None if they cannot be."""
        return bounds_of(elements(run.conditions), self.samples)

    def _fold(self, node: Node) -> None:
        """Runs that are one become one."""
        groups: dict[object, list[Run]] = {}
        for run in node.runs:
            outputs = dict(reversed(list(elements(run.outputs))))
            key = frozenset((cell, type(datum), datum) for cell, datum in outputs.items())  # True is not 1
            groups.setdefault(key, []).append(run)
        folded = (Folding(group, self.samples).runs if len(group) > 1 else group for group in groups.values())
        node.runs = [run for group in folded for run in group]

    def _halt(self, node: Node) -> None:
        for run in node.runs:
            if (bounds := self.bounds(run)) is None:
                continue
            values = {c: v.start for c, v in self._outputs.items()}
            values.update(reversed(list(elements(run.outputs))))
            if None in values.values():
                raise Unfit
            outcome: Any = tuple(values.values())
            self.outcomes.setdefault(outcome, []).append((bounds, run.weight))

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
                case Draw(target, ast.Noise() as noise):
                    cell = cell_of(target, memory, never)
                    return [self._assigned(pc, env, cell, self._drawn(pc, noise, memory), ())]
                case Draw(target, law):
                    cell = cell_of(target, memory, never)
                    return [
                        self._assigned(pc, env, cell, value, ())._replace(probability=p)
                        for value, p in self._options(law, memory)
                    ]
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
        return Linear(((number, fmpq(1)),), fmpq(0), self.samples[number].integer)

    def _options(self, law: ast.Distribution, memory: Memory) -> list[tuple[Value, Quotient]]:
        """The values of a finite draw, none of which depends on the input, with their probabilities."""
        found = distribution(law, memory, never)
        assert isinstance(found, Finite)
        options = [(value, p) for value, p in found.options if p]
        for value, p in options:
            tails = isinstance(law, ast.Flip) and value == FALSE
            self.left_open.probabilities.setdefault(p, (law.span, tails))
        return options

    def _sample(self, sample: Sample) -> int:
        """The number of a sample."""
        if sample.integer and any(mean.q != 1 for mean in sample.means):
            raise Unfit
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
            case Linear(((symbol, c), (number, a)), constant, integer) if symbol < 0 <= number:
                return Linear(((self._with_cell(number, symbol, c / a), a),), constant, integer)
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
            forms = [(_difference(one, x, sign), j < i) for j, x in enumerate(given) if j != i]
            if any(not isinstance(form, Linear) for form, _ in forms):
                raise Unfit
            others = [self._condition(form.condition(strict)) for form, strict in forms]
            found.append((fmpq(i + 1) if call.function.startswith("arg") else one, tuple(others)))
        return found

    # --- comparisons ---------------------------------------------------------------------------

    def _condition(self, form: Linear) -> Condition:
        """A normal form of a comparison; a cell beside two samples is counted to the one drawn last."""
        match form:
            case Linear(((symbol, c), (i, a), (j, b)), constant, integer) if symbol < 0 <= i:
                free = [(k, d) for k, d in ((i, a), (j, b)) if self.samples[k].cell in (None, -1 - symbol)]
                if not free:
                    raise Unfit
                number, factor = max(free, key=lambda one: self.samples[one[0]].place)
                own = self._with_cell(number, symbol, c / factor)
                rest = {i: a, j: b}
                del rest[number]
                return self._condition(Linear(tuple({**rest, own: factor}.items()), constant, integer))
            case Linear(((symbol, c), (i, a)), constant, integer) if symbol < 0 <= i:
                return self._condition(Linear(((self._with_cell(i, symbol, c / a), a),), constant, integer))
            case Linear(((i, a),), constant, integer) if i >= 0:
                above, below = (i, int(integer)) if a > 0 else (int(integer), i)
                return Condition(above, below, -constant / abs(a))
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
    return Linear.make(scaled, sign * (one.constant - other.constant), one.integer)


def _draws_integers(instruction: Instruction) -> bool:
    """Whether an instruction draws integer noise."""
    match instruction:
        case Draw(_, ast.Noise(kind)):
            return NOISE[kind].integer
    return False


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
