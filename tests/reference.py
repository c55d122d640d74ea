"""docs/semantics.md as a program: the exact law of the outputs of a code on one input, at one rational eps.

It shares no code with dipc and needs the standard library only: instructions and expressions are read by
their class names and attributes.  All choices are enumerated; :mod:`exact_integrals` measures what a run asks
of its samples.  What it cannot do is :class:`NotCovered`, never a wrong law.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import Any

from exact_integrals import (
    NONE,
    ONE,
    NotCovered,
    Sample,
    Sum,
    exponential,
    number,
    probability,
    row,
    sample,
    sign,
    total,
)

Cell = tuple[str, int]
Outcome = tuple[
    str, tuple[Any, ...]
]  # "ended", "failed" or "endless", and the outputs so far (None: no value)
Law = dict[Outcome, Sum]
MOST = 1_000  # runs from one state, and states of loops
MARKS = ("Enter", "Cut", "Alike", "Filled")  # instructions that do nothing
ARITHMETIC: dict[str, Callable[[Sum, Sum], Sum]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": lambda a, b: a ** whole(b),
}


class Failed(Exception):
    """The run ends here, with the outputs so far."""


class Dropped(Exception):
    """The run does not count: an assumption does not hold, or there is nothing to pick."""


@dataclass(frozen=True)
class World:
    """A code and what all its runs share; ``names`` are the variables, every other name is an atom."""

    code: Sequence[Any]
    outputs: Sequence[Any]  # with ``cells``, ``domain`` and ``start``
    arrays: Mapping[str, int]
    names: frozenset[str]
    eps: Fraction


@dataclass(frozen=True)
class State:
    """Where a run is: at the start, at the head of a ``while``, or at its end, which has an outcome."""

    pc: int
    memory: frozenset[tuple[Cell, Any]]
    samples: tuple[Sample, ...] = ()
    rows: frozenset[Sum] = frozenset()
    outcome: Outcome | None = None


def law_of(world: World, inputs: Mapping[Cell, Any]) -> Law:
    """The masses of all outcomes; the sum is 1 if the code has no ``Pick``, ``Either`` and ``Assume``."""
    given = {cell: value_of(value) for cell, value in inputs.items()}
    given |= {cell: value_of(o.start) for o in world.outputs if o.start is not None for cell in o.cells}
    todo, edges = [State(0, frozenset(given.items()))], dict[State, dict[State, Sum]]()
    while todo:
        state = todo.pop()
        if state not in edges:
            edges[state] = after(world, state)
            todo += (target for target in edges[state] if target.outcome is None)
        if len(edges) > MOST:
            raise NotCovered("a loop with too many states")
    targets: dict[State, Sum] = {}
    for state in reversed(list(edges)):  # what leads to it leads to its targets; the first one comes last
        targets = edges.pop(state)
        leaves = ONE - targets.pop(state, NONE)
        endless = State(0, frozenset(), state.samples, state.rows, ("endless", ()))
        targets = {t: p / leaves for t, p in targets.items()} if leaves.terms else {endless: ONE}
        for others in edges.values():
            p = others.pop(state, NONE)
            for target, q in targets.items() if p.terms else ():
                others[target] = others.get(target, NONE) + p * q
    law: Law = {}
    for end, p in targets.items():
        assert end.outcome is not None
        law[end.outcome] = law.get(end.outcome, NONE) + p * probability(end.samples, end.rows)
    return {outcome: p for outcome, p in law.items() if p.terms}


def after(world: World, state: State) -> dict[State, Sum]:
    """The next heads of loops, and ends, of all runs from a state, with their masses."""
    found: dict[State, Sum] = {}
    scripts: list[tuple[int, ...]] = [()]
    for _ in range(MOST):
        run = Run(world, scripts.pop(), dict(state.memory), list(state.samples), set(state.rows))
        try:
            pc, outcome = run.go(state.pc)
            memory = frozenset(run.memory.items()) if outcome is None else frozenset()
            target = State(pc, memory, tuple(run.samples), frozenset(run.rows), outcome)
            found[target] = found.get(target, NONE) + run.mass
        except Dropped:
            pass
        scripts += run.others
        if not scripts:
            return found
    raise NotCovered("too many runs")


def kind(node: Any) -> str:
    return type(node).__name__


def value_of(value: Any) -> Any:
    """A number or an atom of dipc: a sum, or a name."""
    return number(Fraction(int(value.p), int(value.q))) if hasattr(value, "p") else value.name


def rational(value: Any) -> Fraction:
    """The number; there is none for an atom, and a sample is not known."""
    if isinstance(value, str):
        raise Failed
    found: dict[int, Fraction] = value.linear
    if len(found) > 1:
        raise NotCovered("a sample where a number is needed")
    return found[-1]


def whole(value: Any) -> int:
    """The integer."""
    if (found := rational(value)).denominator > 1:
        raise Failed
    return int(found)


def truth(value: bool) -> str:
    return "true" if value else "false"


@dataclass
class Run:
    """One run: it makes the choices of its script, then the first ones; ``others`` are the scripts left."""

    world: World
    script: tuple[int, ...]
    memory: dict[Cell, Any]
    samples: list[Sample]
    rows: set[Sum]
    mass: Sum = ONE
    made: int = 0
    others: list[tuple[int, ...]] = field(default_factory=list)

    def choose(self, count: int) -> int:
        """One of so many choices."""
        if not count:
            raise Dropped
        if self.made == len(self.script):
            self.others += [(*self.script, i) for i in range(1, count)]
            self.script += (0,)
        self.made += 1
        return self.script[self.made - 1]

    def positive(self, form: Sum, strict: bool = False) -> bool:
        """Whether ``form >= 0``, or ``form > 0``: both, unless the run knows."""
        holds, fails = row(form, strict, self.samples), row(-form, not strict, self.samples)
        if ONE in (holds, fails):
            return holds == ONE
        found = holds in self.rows or (fails not in self.rows and not self.choose(2))
        self.rows.add(holds if found else fails)
        return found

    # --- instructions ---

    def go(self, pc: int) -> tuple[int, Outcome | None]:
        """Run to the end, which has an outcome, or to the next head of a ``while``."""
        moved = False
        try:
            while (name := kind(i := self.world.code[pc])) != "Halt":
                if moved and name == "Test" and i.is_loop:
                    return pc, None
                pc, moved = self.step(name, i, pc), True
            return 0, ("failed" if None in self.outputs else "ended", self.outputs)
        except (Failed, ZeroDivisionError):
            return 0, ("failed", self.outputs)

    @property
    def outputs(self) -> tuple[Any, ...]:
        """The outputs so far."""
        return tuple(self.memory.get(cell) for output in self.world.outputs for cell in output.cells)

    def step(self, name: str, i: Any, pc: int) -> int:
        """Execute an instruction; where to go on."""
        match name:
            case "Put" | "Draw":
                cell = self.cell(i.target)
                value = self.value(i.value) if name == "Put" else self.draw(i.distribution)
                domains = [o.domain for o in self.world.outputs if cell in o.cells]
                self.memory[cell] = self.published(value, list(map(value_of, *domains))) if domains else value
            case "Test":
                return pc + 1 if self.holds(i.condition) else int(i.otherwise)
            case "Jump":
                return int(i.to)
            case "Assume":
                if not self.holds(i.condition):
                    raise Dropped
            case "Either":
                return int(i.otherwise) if self.choose(2) else pc + 1
            case "Pick" | "Fresh":
                values = self.range(i)
                self.memory[i.variable, 0] = values[self.choose(len(values))]
            case "Round":  # a counter says how many rounds are over
                values, counter = self.range(i), (f"round of {pc}", 0)
                done = self.memory.pop(counter, 0)
                if done == len(values):
                    return int(i.otherwise)
                self.memory |= {counter: done + 1, (i.variable, 0): values[done]}
            case other if other not in MARKS:
                raise NotCovered(other)
        return pc + 1

    def published(self, value: Any, domain: list[Any]) -> Any:
        """The value of an output; an integer sample has each of the values in the set, or another one."""
        if isinstance(value, Sum) and any(self.samples[i][0] != "DLap" for i in value.linear if i >= 0):
            raise NotCovered("a real output")
        if isinstance(value, Sum) and len(value.linear) > 1:
            for v in sorted((v for v in domain if isinstance(v, Sum)), key=rational):
                if not self.positive(value - v):
                    raise Failed
                if not self.positive(value - v, strict=True):
                    return v
        if value not in domain:
            raise Failed
        return value

    def draw(self, d: Any) -> Any:
        """A new sample, or one of finitely many values with its probability."""
        match kind(d):
            case "Noise":
                if d.kind not in ("Lap", "LapPlus", "DLap"):
                    raise NotCovered(d.kind)
                a, mean = rational(self.value(d.rate)), rational(self.value(d.mean))
                if a <= 0 or (d.kind == "DLap" and mean.denominator > 1):
                    raise Failed
                self.samples.append((d.kind, a, mean))
                return sample(len(self.samples) - 1)
            case "Flip":
                p = self.value(d.probability)
                options = [("true", p), ("false", ONE - p)]
            case "Choose":
                options = [(self.value(v), self.value(p)) for v, p in d.options]
            case "Uniform":
                values = dict.fromkeys(self.members(d.support))
                options = [(v, number(Fraction(1, len(values)))) for v in values]
            case "ExpMechanism":
                rate, outside = rational(self.value(d.rate)), dict(self.memory)
                weights = {}
                for v in self.members(d.support):
                    self.memory[d.variable, 0] = v
                    weights[v] = exponential(rate * rational(self.value(d.score)))
                options = [(v, p / total(list(weights.values()))) for v, p in weights.items()]
                self.memory = outside
                if rate <= 0:
                    raise Failed
            case other:
                raise NotCovered(other)
        if (total([p for _, p in options]) - ONE).terms or any(sign(p) < 0 for _, p in options):
            raise Failed
        options = [(v, p) for v, p in options if p.terms]
        value, p = options[self.choose(len(options))]
        self.mass *= p
        return value

    # --- expressions ---

    def cell(self, target: Any) -> Cell:
        """The cell that a name or an element of an array is."""
        if kind(target) == "Name":
            return target.name, 0
        index = whole(self.value(target.index))
        if not 1 <= index <= self.world.arrays[target.array]:
            raise Failed
        return target.array, index

    def read(self, cell: Cell) -> Any:
        if cell not in self.memory:
            raise Failed
        return self.memory[cell]

    def range(self, i: Any) -> list[Sum]:
        """The integers from a low end to a high one."""
        return [number(v) for v in range(whole(self.value(i.low)), whole(self.value(i.high)) + 1)]

    def members(self, support: Any) -> list[Any]:
        """The values of a set."""
        return list(map(self.value, support.members)) if kind(support) == "SetOf" else self.range(support)

    def holds(self, condition: Any) -> bool:
        value = self.value(condition)
        if value not in ("true", "false"):
            raise Failed
        return bool(value == "true")

    def value(self, e: Any) -> Any:
        """A name, or a sum: a number, a linear expression of samples, or a function of eps."""
        match kind(e):
            case "Number":
                return value_of(e.value)
            case "Eps":
                return number(self.world.eps)
            case "Name" if e.name not in self.world.names and (e.name, 0) not in self.memory:
                return e.name
            case "Name" | "Index":
                return self.read(self.cell(e))
            case "Unary":
                return truth(not self.holds(e.operand)) if e.op.value == "not" else -self.numeric(e.operand)
            case "Binary" if e.op.value in ("and", "or"):
                early = self.holds(e.left) == (e.op.value == "or")
                return truth(e.op.value == "or" if early else self.holds(e.right))
            case "Binary" if e.op.value in ARITHMETIC:
                return ARITHMETIC[e.op.value](self.numeric(e.left), self.numeric(e.right))
            case "Binary":
                return truth(self.compare(e.op.value, self.value(e.left), self.value(e.right)))
            case "Call":
                return self.call(e.function, self.arguments(e.arguments))
            case other:
                raise NotCovered(other)

    def numeric(self, e: Any) -> Sum:
        if isinstance(value := self.value(e), str):
            raise Failed
        return value  # type: ignore[no-any-return]

    def compare(self, op: str, left: Any, right: Any) -> bool:
        """Real samples are equal with probability 0."""
        if isinstance(left, str) or isinstance(right, str):
            if op not in ("=", "!="):
                raise Failed
            return bool((left == right) == (op == "="))
        difference = left - right if op[0] != "<" else right - left
        if op[0] in "<>":
            return self.positive(difference, strict=len(op) == 1)
        real = any(self.samples[i][0] != "DLap" for i in difference.linear if i >= 0)
        equal = not real and self.positive(difference) and not self.positive(difference, strict=True)
        return equal == (op == "=")

    def arguments(self, arguments: Iterable[Any]) -> list[Any]:
        """The values, an array standing for its cells."""
        found: list[Any] = []
        for e in arguments:
            size = self.world.arrays.get(e.name, 0) if kind(e) == "Name" else 0
            found += [self.read((e.name, i + 1)) for i in range(size)] if size else [self.value(e)]
        return found

    def call(self, function: str, values: list[Any]) -> Any:
        """The value of a function; the first of equals is the greatest, or the least."""
        if function == "count":
            return number(values.count("true"))
        if any(isinstance(v, str) for v in values):
            raise Failed
        first: Sum = values[0]
        match function:
            case "max" | "min" | "argmax" | "argmin":
                sense, best = ">" if function.endswith("max") else "<", 0
                for i in range(1, len(values)):
                    best = i if self.compare(sense, values[i], values[best]) else best
                return number(best + 1) if function.startswith("arg") else values[best]
            case "abs":
                return first if self.positive(first) else -first
            case "sum":
                return reduce(operator.add, values)
            case "disc":
                return next((v for v in values[1:-1] if self.compare("<=", first, v)), values[-1])
            case "floor" | "ceil":
                return number(getattr(math, function)(rational(first)))
            case "mod":
                return number(rational(first) % rational(values[1]))
            case "exp":
                return exponential(rational(first))
        raise NotCovered(function)
