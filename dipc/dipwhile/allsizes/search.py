"""What the paths of one size show after another: a pair of inputs that breaks the claim, and lower bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice, takewhile

from flint import fmpq

from dipc.claims.privacy import Private, Violated
from dipc.claims.tightness.least_epsilon import budget
from dipc.claims.verdict import Undecided, Verdict
from dipc.clock import Busy, Clock
from dipc.dipwhile.allsizes.automaton import Automaton
from dipc.dipwhile.allsizes.build import Prepared
from dipc.dipwhile.allsizes.concrete import Concrete, Run, run_of
from dipc.dipwhile.allsizes.finite import decided, declared_at, event, program_at
from dipc.dipwhile.allsizes.runs import (
    carrying,
    layered_value,
    on_cycles,
    rank,
    repeated,
    run_value,
)
from dipc.dipwhile.allsizes.strategies import Solved, strategies
from dipc.dipwhile.allsizes.values import ZERO, Linear, Pair
from dipc.dipwhile.allsizes.verdict import BrokenFrom, LeastT
from dipc.dipwhile.pipeline import losses_of
from dipc.dipwhile.semantics.adjacency import Input
from dipc.dipwhile.semantics.neighbours import Explored
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

    def proves(self, t: fmpq, clock: Clock) -> bool:
        """Whether the claim holds at this size."""
        if self.bound is None or self.bound > t:
            return False
        if not any(sample.kind == "DLap" for edge in self.automaton.edges for sample in edge.samples):
            return True
        found = strategies(self.automaton, t, clock, least=False)
        return isinstance(found, Solved) and found.t <= t


class Search:
    """Sizes, one by one."""

    def __init__(self, asked: Prepared, clock: Clock, most: int = MOST_SIZE) -> None:
        self.asked, self.front, self.clock = asked, asked.front, clock
        self.numbers = range(1, most + 1 if asked.front.sizes else 2)
        self.covered = False  # whether the method covers the program at size 1, once that is asked
        self._layers: dict[int, Layer | None] = {}
        self._declared: dict[int, tuple[Verdict, CoreProgram] | None] = {}

    def limited(self, seconds: float = SECONDS) -> Clock:
        """A clock for one question; what it stops stays open."""
        self.clock.tick("sizes")
        return Busy(self.clock, seconds)

    def sizes(self, n: int) -> dict[str, int]:
        """All sizes at once."""
        return dict.fromkeys(self.front.sizes, n)

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
            if layer is not None and self.meaningful(n) and self.proved(layer):
                continue
            if (found := self.confirmed(n, layer)) is not None:
                least = not open_sizes and (n == 1 or len(self.front.sizes) == 1)
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
        events = tuple(event(self.front.program, output) for output in example.outputs)
        if all(events):
            verdict = replace(verdict, counterexample=replace(example, events=events))
        return BrokenFrom(self.size(n), verdict, LeastT(ZERO, None), "", least, private, program=program)

    def size(self, n: int) -> int:
        """The size of a layer: a number from outside, if there is one."""
        fixed = [int(size.p) for size in self.asked.question.fixed_sizes.values()]
        return n if self.front.sizes or not fixed else fixed[0]

    def meaningful(self, n: int) -> bool:
        """Whether the program is one at a size; a proof of what is not is no proof."""
        with suppress(InputError):
            program_at(self.front, self.sizes(n), {})
            return True
        return False

    def proved(self, layer: Layer) -> bool:
        """Whether the claim holds at a size."""
        assert self.asked.question.goal is not None
        with suppress(LimitReached):
            return layer.proves(self.asked.question.goal.t, self.limited(LONG))
        return False

    def confirmed(self, n: int, layer: Layer | None) -> tuple[Violated, CoreProgram] | None:
        """A violation at a size: by the dearest run, or by the inputs that the program declares."""
        goal = self.asked.question.goal
        assert goal is not None
        if layer is not None and layer.run.labels is not None:
            for s in STEPS:
                with suppress(InputError, LimitReached):
                    program, pair = self.pair(n, layer.run, layer.concrete, s)
                    found = decided(goal, program, self.limited(LONG), pair)
                    if isinstance(found, Violated):
                        return found, program
                    if isinstance(found, Undecided):
                        break
        known = self.declared(n)
        if known is not None and isinstance(known[0], Violated):
            return known[0], known[1]
        return None

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
        program = program_at(self.front, self.sizes(n), values)
        others = {cell: v.domain[0] for v in program.inputs for cell in v.cells}
        return program, (others | left, others | right)

    # --- the inputs that are declared --------------------------------------------------------

    def declared(self, n: int) -> tuple[Verdict, CoreProgram] | None:
        """The answer of the exact engine for the inputs that the program declares, if they are few."""
        if n not in self._declared:
            self._declared[n] = None
            with suppress(InputError, LimitReached):
                program = declared_at(self.front, self.sizes(n))
                goal = self.asked.question.goal
                if program is not None and goal is not None and Explored(program).space.size <= MOST_INPUTS:
                    self._declared[n] = decided(goal, program, self.limited()), program
        return self._declared[n]

    def private_on_declared(self, n: int) -> bool | None:
        """Whether the declared inputs are private at a size; None if that is not known."""
        found = self.declared(n)
        known = {Private: True, Violated: False}
        return known.get(type(found[0])) if found is not None else None

    def checked(self) -> str:
        """What the exact engine says of the declared inputs, in words."""
        private = list(takewhile(self.private_on_declared, self.numbers))
        sets = ", ".join(f"{d.name} in {show(d.domain)}" for d in self.front.program.inputs)
        return f"private{self._where(private)} with {sets}: `dipc check`" if private else ""

    def _where(self, sizes: Sequence[int]) -> str:
        names = " = ".join(self.front.sizes)
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
                program = program_at(self.front, self.sizes(n), {})
                if Explored(program).space.size <= MOST_INPUTS:
                    losses = losses_of(Explored(program), self.asked.budgets, self.limited())
                    least = budget(losses).least
                    return None if least.infinite else max(found, least.low)
        return found

    def longer(self, automaton: Automaton, high: fmpq) -> int | None:
        """A size that needs ``high``, by a run that repeats cycles; None if none is found."""
        edges = carrying(automaton)
        ways = max(Counter(edge.source for edge in automaton.edges).values())
        once = [
            run_value(automaton, repeated(automaton, edges, 1, way)) for way in range(min(ways, MOST_WAYS))
        ]
        way = max(range(len(once)), key=lambda way: rank(once[way]))
        for times in REPEATS:
            run = repeated(automaton, edges, times, way)
            self.clock.tick("runs")
            found = run_of(self.asked.every_size, automaton, run)
            rounds = max(1, sum(path.round for path, _, _ in found.parts))  # N >= 1
            if rounds > MOST_ROUNDS:
                break
            if found.cost == high and self._needs(found, rounds, high):
                return rounds
        return None

    def _needs(self, run: Run, n: int, high: fmpq) -> bool:
        with suppress(InputError, LimitReached):
            concrete = Concrete(self.asked, self.sizes(n), self.limited(LONG))
            for found in islice(concrete.alike(*run.numbered()), 1):
                return concrete.lower_bound(found) == (high, True)
        return False
