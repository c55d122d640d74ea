"""The choices of a path, and the conditions that it stands for.

Choices (outcomes of comparisons, labels of cells, values of finite draws) are read off a script; one beyond
the script takes the first possibility and notes the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from flint import fmpq

from dipc.dipwhile.allsizes.automaton import Choice, Exponential, Form, Guard, Sample, Step
from dipc.dipwhile.allsizes.feasible import Condition, contradictory
from dipc.dipwhile.allsizes.system import Alias, Kept, Moves, Point, System
from dipc.dipwhile.allsizes.values import (
    ONE,
    ZERO,
    Datum,
    Linear,
    Pair,
    Symbol,
    Unknown,
    form,
    symbols,
    unknown,
)
from dipc.errors import Span

IMPOSSIBLE = Guard(Form((), -ONE))
"""The guard of a path that the run on u' cannot take."""


class Dropped(Exception):
    """The conditions of the path contradict each other."""


class Choosing:
    """What is known on a path so far, and the choices to come."""

    def __init__(self, system: System, source: Point, script: Sequence[int]) -> None:
        self.system, self.source, self.script = system, source, script
        self.taken: list[int] = []
        self.pending: list[tuple[int, ...]] = []
        self.values: dict[str, Datum] = {}
        self.moves: dict[Symbol, fmpq] = {}
        self.phases = dict(source.phases)
        self.direction = source.direction
        self.cells: dict[object, Datum] = {}
        self.samples: list[Sample] = []
        self.kinds: list[bool] = []  # which samples are integers
        self.conditions = list(source.facts)
        self.guards: dict[Guard, None] = {}
        self.cost, self.choices = ZERO, list[Choice | Exponential]()
        self.outputs: dict[object, tuple[str, Datum, Span]] = {}
        self.public: set[str] = set()
        self.count = 0  # of unknowns, to tell them apart
        self.vague = False  # it is not certain that the path can be taken
        self.shown = False  # what it reads has to be the same in both runs: the program need not ask for that
        self.steps: list[Step] = []
        self.decisions: list[str] = []
        for name, kept in source.kept:
            self.values[name] = self._restored(name, kept)

    def _restored(self, name: str, kept: Kept) -> Datum:
        match kept:
            case Alias(of):
                return unknown(Symbol("live", of))
            case Moves(by):
                self.moves[Symbol("private", name)] = by
                return unknown(Symbol("private", name))
            case _:
                return kept

    def unknown(self, name: str) -> Unknown:
        """A value that nothing is known of, not even that it equals another one."""
        self.count += 1
        return Unknown(f"{name}#{self.count}")

    def choose(self, count: int) -> int:
        """One of ``count`` possibilities."""
        place = len(self.taken)
        if place < len(self.script):
            pick = self.script[place]
        else:
            pick = 0
            self.pending.extend((*self.taken, other) for other in range(1, count))
        self.taken.append(pick)
        return pick

    def decide(self, kind: str, text: str, span: Span) -> None:
        """Note a decision that the path stands for."""
        self.decisions.append(text)
        self.steps.append(Step(kind, text, span))

    def require(
        self, value: Linear, *, strict: bool = False, equal: bool = False, public: bool = False
    ) -> None:
        """The path has ``value >= 0`` (> 0, = 0).  Raises :class:`Dropped` if that contradicts the rest."""
        condition = Condition(value, strict, equal)
        known = symbols(c.value for c in self.conditions)
        if condition.settled is None:
            self.conditions.append(condition)
        bound = bool(value.terms) and symbols([value]) <= known  # else some symbol is free to satisfy it
        if condition.settled is False or (bound and contradictory(self.conditions)):
            raise Dropped
        if not public:
            self.guard(value, equal)

    def guard(self, value: Linear, equal: bool) -> None:
        """The shift has to keep a condition."""
        change = form(value, self.moves)
        if change.terms:
            self.guards[Guard(change, equal)] = None
        elif change.constant < 0 or (equal and change.constant):
            self.guards[IMPOSSIBLE] = None

    def is_public(self, value: Datum) -> bool:
        """Whether both runs have the same."""
        match value:
            case Pair():
                return value.public
            case Linear():
                return not value.random and not form(value, self.moves).constant
            case Unknown():
                return True
            case _:
                assert_never(value)

    def show(self, array: str) -> None:
        """Cells of an output are read, or maybe overwritten: they are the same in both runs."""
        self.shown = True
        for key, (_, value, _) in self.outputs.items():
            if isinstance(key, tuple) and key[0] == array:
                self.same(value)

    def same(self, value: Datum) -> None:
        """The shift has to keep a value."""
        if self.is_public(value):
            return
        if isinstance(value, Linear):
            self.guard(value, equal=True)
        else:
            self.guards[IMPOSSIBLE] = None
