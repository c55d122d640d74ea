"""What the paths of one size show after another: a pair of inputs that breaks the claim, and lower bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import takewhile

from flint import fmpq

from dipc.claims.privacy import Private, Violated
from dipc.claims.tightness.least_epsilon import budget
from dipc.claims.verdict import Undecided, Verdict
from dipc.clock import Busy, Clock
from dipc.dipwhile.allsizes.automaton import Automaton
from dipc.dipwhile.allsizes.concrete import Concrete, Run, run_of
from dipc.dipwhile.allsizes.finite import decided, event, program_at
from dipc.dipwhile.allsizes.linear import relaxed
from dipc.dipwhile.allsizes.question import Question
from dipc.dipwhile.allsizes.runs import (
    layered_value,
    on_cycles,
    rank,
    repeated,
    run_value,
)
from dipc.dipwhile.allsizes.strategies import Solved, strategies
from dipc.dipwhile.allsizes.values import ZERO, Linear, Pair
from dipc.dipwhile.allsizes.verdict import BrokenFrom, LeastT
from dipc.dipwhile.hub.explored import Explored
from dipc.dipwhile.pipeline import losses_of
from dipc.dipwhile.semantics.adjacency import Input
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.core import Cell, CoreProgram
from dipc.dipwhile.syntax.printer import show
from dipc.errors import InputError, LimitReached
from dipc.models.values import Value

MOST_SIZE = 6
"""Up to which size claims are refuted one size at a time."""

SMALL = 4
"""Up to which size the run that needs the least t is looked for among all."""

MOST_OPEN = 2
"""After so many sizes at which nothing is decided the search ends."""

REPEATS = (1, 2, 4, 8, 16, 32, 64)
MOST_ROUNDS = 160
MOST_WAYS = 20
STEPS = (0, 1, 2, 4, 8, 16)
MOST_EDGES = 200
"""Of an automaton of one size, for its dearest run to be looked for."""

MOST_INPUTS = 27
"""How many declared inputs the exact engine is asked about."""

SECONDS = 1.5
"""Of the processor, for what the exact engine says of the declared inputs."""

LONG = 3.0
"""For the runs of one size, a run of many rounds, or one pair of inputs."""


@dataclass(frozen=True)
class Layer:
    """One size: no inputs need more than ``bound`` (None: some may need any amount), as the ``run`` does."""

    concrete: Concrete
    automaton: Automaton
    bound: fmpq | None
    run: Run


class Search:
    """Sizes, one by one."""

    def __init__(self, asked: Question, clock: Clock, most: int = MOST_SIZE) -> None:
        self.asked, self.clock = asked, clock
        self.numbers = range(1, most + 1 if asked.sizes else 2)
        self.covered = False  # whether the method covers the program at size 1, once that is asked
        self._layers: dict[int, Layer | None] = {}
        self._declared: dict[int, tuple[Verdict, CoreProgram] | None] = {}

    def limited(self, seconds: float = SECONDS) -> Clock:
        """A clock for one question; what it stops stays open."""
        self.clock.tick("sizes")
        return Busy(self.clock, seconds)

    def sizes(self, n: int) -> dict[str, int]:
        """All sizes at once."""
        return dict.fromkeys(self.asked.sizes, n)

    def layer(self, n: int) -> Layer | None:
        """What the paths of one size show; None if they are too many, or not supported."""
        if n not in self._layers and self._layers.get(n - 1, True):
            with suppress(InputError, LimitReached):
                self._layers[n] = self._layer(n, self.limited(LONG))
        return self._layers.setdefault(n, None)

    def _layer(self, n: int, clock: Clock) -> Layer | None:
        automaton = self.asked.automaton(clock, self.sizes(n))
        self.covered |= n == 1
        edges = range(len(automaton.edges))
        if len(edges) > MOST_EDGES or any(on_cycles(automaton, edges)):
            return None
        dearest = layered_value(automaton, clock)
        concrete = Concrete(self.asked, self.sizes(n), self.clock)
        return Layer(concrete, automaton, dearest.cost, run_of(concrete.system, automaton, dearest.run))

    # --- a violation -------------------------------------------------------------------------

    def broken(self) -> BrokenFrom | None:
        """The first size at which the exact engine confirms a violation, by a run or on declared inputs."""
        open_sizes = 0
        for n in self.numbers:
            layer = self.layer(n)
            if not self.covered:
                break
            if layer is not None and self.proved(n, layer):
                continue
            if (found := self.confirmed(n, layer)) is not None:
                least = not open_sizes and (n == 1 or len(self.asked.sizes) == 1)
                return self.broken_at(n, found, least)
            open_sizes += 1
            if open_sizes == MOST_OPEN:
                break
        return self.broken_on_declared()

    def broken_on_declared(self) -> BrokenFrom | None:
        """The first size at which the declared inputs violate the claim."""
        n = next((n for n in self.numbers if not self.private_on_declared(n)), self.numbers[0])
        found = self.confirmed(n, None)
        return None if found is None else self.broken_at(n, found, n == self.numbers[0])

    def broken_at(self, n: int, found: tuple[Violated, CoreProgram], least: bool) -> BrokenFrom:
        """The claim is violated at a size, which may be the ``least``."""
        verdict, program = found
        example, private = verdict.counterexample, self.private_on_declared(n)
        events = tuple(event(self.asked.program, output) for output in example.outputs)
        if all(events):
            verdict = replace(verdict, counterexample=replace(example, events=events))
        return BrokenFrom(self.size(n), verdict, LeastT(ZERO, None), "", least, private, program=program)

    def size(self, n: int) -> int:
        """The size of a layer: a number from outside, if there is one."""
        fixed = [int(size.p) for size in self.asked.fixed_sizes.values()]
        return n if self.asked.sizes or not fixed else fixed[0]

    def proved(self, n: int, layer: Layer) -> bool:
        """Whether the claim holds at a size; a proof of what is no program there is no proof."""
        goal, edges = self.asked.goal, layer.automaton.edges
        if goal is None or layer.bound is None or layer.bound > goal.multiple:
            return False
        with suppress(InputError, LimitReached):
            program_at(self.asked, self.sizes(n), {})
            if not any(sample.kind == "DLap" for edge in edges for sample in edge.samples):
                return True
            found = strategies(layer.automaton, goal.multiple, self.limited(LONG), least=False)
            return isinstance(found, Solved) and found.t <= goal.multiple
        return False

    def confirmed(self, n: int, layer: Layer | None) -> tuple[Violated, CoreProgram] | None:
        """A violation at a size: by the dearest run, or by the inputs that the program declares."""
        goal = self.asked.goal
        assert goal is not None
        if layer is not None and layer.run.labels is not None:
            for s in STEPS:
                with suppress(InputError, LimitReached):
                    made, pair = self.pair(n, layer.run, layer.concrete, s)
                    found = decided(goal, made, self.limited(LONG), pair)
                    if isinstance(found, Violated):
                        return found, made
                    if isinstance(found, Undecided):
                        break
        verdict, program = self.declared(n) or (None, None)
        return (verdict, program) if isinstance(verdict, Violated) and program is not None else None

    def pair(self, n: int, run: Run, concrete: Concrete, s: int) -> tuple[CoreProgram, tuple[Input, Input]]:
        """The inputs u + s*d and u + (s + 1)*d in a program that has them.  Raises :class:`InputError`."""
        start = concrete.start(run) or {}
        left: dict[Cell, Value] = {}
        right: dict[Cell, Value] = {}
        values: dict[str, set[fmpq]] = {}
        for name, label in (run.labels or {}).items():
            array, _, index = name.rstrip("]").partition("[")
            cell = array, int(index or 0)
            if isinstance(label, Pair):
                left[cell], right[cell] = label.left, label.right
            elif isinstance(label, Linear):
                first = start.get(name, ZERO) + s * label.constant
                left[cell], right[cell] = first, first + label.constant
                values.setdefault(array, set()).update({first, first + label.constant})
                if not (concrete.within(array, first) and concrete.within(array, first + label.constant)):
                    raise InputError(f"`{name}` would leave its interval")
        program = program_at(self.asked, self.sizes(n), values)
        others = {cell: v.domain[0] for v in program.inputs for cell in v.cells}
        return program, (others | left, others | right)

    # --- the inputs that are declared --------------------------------------------------------

    def declared(self, n: int) -> tuple[Verdict, CoreProgram] | None:
        """The answer of the exact engine for the inputs that the program declares, if they are few."""
        if n not in self._declared:
            self._declared[n] = None
            goal = self.asked.goal
            if goal is None or any(isinstance(d.domain, ast.Unlisted) for d in self.asked.program.inputs):
                return None
            with suppress(InputError, LimitReached):
                program = program_at(self.asked, self.sizes(n), {})
                if Explored(program).space.size <= MOST_INPUTS:
                    self._declared[n] = decided(goal, program, self.limited()), program
        return self._declared[n]

    def private_on_declared(self, n: int) -> bool | None:
        """Whether the declared inputs are private at a size; None if that is not known."""
        verdict, _ = self.declared(n) or (None, None)
        return True if isinstance(verdict, Private) else False if isinstance(verdict, Violated) else None

    def checked(self) -> str:
        """What the exact engine says of the declared inputs, in words."""
        private = list(takewhile(self.private_on_declared, self.numbers))
        sets = ", ".join(f"{d.name} in {show(d.domain)}" for d in self.asked.program.inputs)
        return f"private{self._where(private)} with {sets}: `dipc check`" if private else ""

    def _where(self, sizes: Sequence[int]) -> str:
        names = " = ".join(self.asked.sizes)
        return f" for {names} = {', '.join(map(str, sizes))}" if names else ""

    # --- the least t -------------------------------------------------------------------------

    def least(self, high: fmpq | None, most: int = MOST_SIZE) -> LeastT:
        """The greatest lower bound for the least t that is found up to a size, at most the upper bound."""
        low, size = ZERO, None
        for n in self.numbers:
            if low == high or n > most:
                break
            bound = self.lower_bound(n)
            if bound is None:
                return LeastT(low, None, self.size(n), unbounded=True)
            if bound > low:
                low, size = bound, self.size(n)
        return LeastT(low, high, size if low == high else None)

    def lower_bound(self, n: int) -> fmpq | None:
        """A t that a size needs; None if no t is enough for it."""
        layer, found = self.layer(n), ZERO
        if layer is not None:
            with suppress(InputError, LimitReached):
                bound, shown = layer.concrete.lower_bound(layer.run)
                if shown and bound == layer.bound:
                    return bound
                found = bound or ZERO
        if n <= MOST_OPEN:  # the least t of some inputs, or a lower bound for it
            with suppress(InputError, LimitReached):
                program = program_at(self.asked, self.sizes(n), {})
                if Explored(program).space.size <= MOST_INPUTS:
                    losses = losses_of(Explored(program), self.asked.budgets, self.limited())
                    least = budget(losses).least
                    return None if least.infinite else max(found, least.low)
        return found

    def longer(self, automaton: Automaton, high: fmpq) -> int | None:
        """A size that needs ``high``, by a run that repeats cycles; None if none is found."""
        edges = frozenset(relaxed(automaton.edges, automaton.start).carrying)
        ways = min(MOST_WAYS, max(Counter(edge.source for edge in automaton.edges).values()))
        once = [run_value(automaton, repeated(automaton, edges, 1, way)) for way in range(ways)]
        way = max(range(ways), key=lambda way: rank(once[way]))
        for times in REPEATS:
            self.clock.tick("runs")
            run = run_of(self.asked.system(), automaton, repeated(automaton, edges, times, way))
            n = max(1, sum(path.round for path, _, _ in run.parts))  # N >= 1
            if n > MOST_ROUNDS:
                break
            if run.cost == high:
                with suppress(InputError, LimitReached):
                    concrete = Concrete(self.asked, self.sizes(n), self.limited(LONG))
                    found = next(concrete.alike(*run.numbered()), None)
                    if found is not None and concrete.lower_bound(found) == (high, True):
                        return n
        return None
