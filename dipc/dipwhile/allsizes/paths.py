"""One path of a program between two cuts, executed for a pair of runs: the edges of the automaton.

A path is deterministic but for its choices (outcomes of comparisons, labels of cells, values of finite
draws), which are read off a script; a choice beyond the script takes the first possibility and notes the
others, so that the builder enumerates all paths by replaying scripts.

**A run that fails is an outcome**: that it fails, with the outputs so far.  Where a step may fail, a path
ends there, with the outputs published (:meth:`Path.may_fail`).  What decides whether it fails is the same in
both runs, construct by construct:

- an index outside its array or no integer, a cell without a value, a divisor 0, an exponent, the bounds of a
  loop, an empty range: of public numbers, the method takes no others;
- probabilities and rates: functions of eps and of public values;
- a value of another kind (a name for a number): names are public, or differ in the two runs, and then no
  shift is found;
- a value outside the set of its output: shown to be inside, or required to be the same in both runs, when it
  is assigned, whatever overwrites it later;
- the mean of integer noise: shown to be an integer, or public, or refused;
- an output without a value at the end: the path says so, and both runs take it.

A run that never ends is an outcome, too, and shows nothing else: all its finite parts keep the bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NoReturn, assert_never

from flint import fmpq

from dipc.dipwhile.allsizes.automaton import Choice, Exponential, Form, Guard, Sample, Step
from dipc.dipwhile.allsizes.feasible import Condition, contradictory, negations
from dipc.dipwhile.allsizes.system import Point, System
from dipc.dipwhile.allsizes.values import (
    ONE,
    ZERO,
    Datum,
    Linear,
    Pair,
    Symbol,
    Unknown,
    form,
    number,
    shown,
    symbols,
    unknown,
)
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.distributions import NOISE
from dipc.dipwhile.syntax.printer import show_expr
from dipc.errors import Span, Unsupported
from dipc.models.values import show

impossible = lru_cache(maxsize=65536)(contradictory)
IMPOSSIBLE = Guard(Form((), -ONE))
"""The guard of a path that the run on u' cannot take."""


class Dropped(Exception):
    """The conditions of the path contradict each other."""


class Failed(Exception):
    """The run fails here, on both inputs."""


class Path:
    """One path from a place."""

    def __init__(self, system: System, source: Point, script: Sequence[int]) -> None:
        self.system, self.source, self.script = system, source, script
        self.pc = source.pc
        self.taken: list[int] = []
        self.pending: list[tuple[int, ...]] = []
        self.values = dict(source.kept)
        self.moves = {Symbol("private", name): by for name, by in source.moves}
        self.phases = dict(source.phases)
        self.direction = source.direction
        self.cells: dict[object, Datum] = {}
        self.labels: dict[str, Datum] = {}  # by cell, a number or a pair
        self.round = False  # whether the path is a round of a loop
        self.samples: list[Sample] = []
        self.conditions = list(source.facts)
        self.bounds = [*source.bounds]  # on public numbers: true of every run that comes here
        self.whole: set[Symbol] = set()  # unknowns that are integers, by where they are from
        self.guards: dict[Guard, None] = {}
        self.cost, self.choices = ZERO, list[Choice | Exponential]()
        self.outputs: dict[object, tuple[str, Datum, Span]] = {}
        self.public: set[str] = set()
        self.count = 0  # of unknowns, to tell them apart
        self.vague = False  # it is not certain that the path can be taken
        self.shown = False  # what it reads has to be the same in both runs: the program need not ask for that
        self.steps: list[Step] = []
        self.decisions: list[str] = []

    @property
    def published(self) -> dict[str, Datum]:
        """What the outputs get."""
        return {text: value for text, value, _ in self.outputs.values()}

    # --- choices and conditions ------------------------------------------------------------------

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

    def unknown(self, name: str) -> Unknown:
        """A value that nothing is known of, not even that it equals another one."""
        self.count += 1
        return Unknown(f"{name}#{self.count}")

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

    # --- what is known of public numbers -----------------------------------------------------------

    def learn(self, value: Linear, low: Linear, high: Linear) -> None:
        """Know that an unknown is an integer between two bounds."""
        self.whole.add(value.terms[0][0])
        self.bounds += Condition(value.plus(low, -ONE)), Condition(high.plus(value, -ONE))

    def shows(self, value: Linear, *, strict: bool = False) -> bool:
        """Whether ``value >= 0`` (> 0) follows from sizes being >= 1, the bounds and the conditions."""
        goal = Condition(value, strict)
        if goal.settled is not None:
            return goal.settled
        (contrary,) = negations(goal)
        known = [contrary, *self.system.known, *self.bounds, *self.conditions]
        return impossible(tuple(map(self.sharpened, known)))

    def sharpened(self, condition: Condition) -> Condition:
        """``value >= 1`` for ``value > 0`` of an integer."""
        value = condition.value
        if condition.strict and not condition.equal and self.is_integer(value):
            return Condition(value.plus(number(ONE), -ONE))
        return condition

    def within(self, value: Linear, low: Linear, high: Linear) -> bool:
        """Whether a value surely lies between two others."""
        return self.shows(value.plus(low, -ONE)) and self.shows(high.plus(value, -ONE))

    def is_integer(self, value: Linear) -> bool:
        """Whether a value is surely an integer."""
        whole = value.constant.q == 1 and all(c.q == 1 for _, c in value.terms)
        return whole and all(self._is_integer(symbol) for symbol, _ in value.terms)

    def _is_integer(self, symbol: Symbol) -> bool:
        if symbol.kind == "sample":
            return NOISE[self.samples[symbol.number].kind].integer
        name, known = symbol.name, self.system.integers
        named = name in known or name.partition("[")[0] in known or name.startswith(("floor(", "ceil("))
        return named or symbol in self.whole

    # --- what may fail -----------------------------------------------------------------------------

    def may_fail(self, text: str, span: Span) -> None:
        """The run may fail here; what decides it is the same in both runs.

        Where draws have been moved, the outputs so far are not those of the run that fails.
        """
        if self.system.is_moved(self.pc):
            raise Unsupported(f"{text}, among draws that are looked at in another order", span)
        self.vague = True
        if self.choose(2):
            self.fail(text, span)

    def fail(self, text: str, span: Span) -> NoReturn:
        """The run fails here."""
        self.decide("test", f"the run fails: {text}", span)
        raise Failed

    # --- reading -------------------------------------------------------------------------------

    def keep(self, name: str, cell: str, span: Span) -> Datum:
        """Read a scalar input or a cell with a constant index, and remember it."""
        self.values[cell] = value = self.label(name, cell, ("cells",), Symbol("private", cell), span)
        return value

    def stream(self, array: str, index: Linear, expr: ast.Index) -> Datum:
        """Read a cell of an input whose index is not known."""
        text = show_expr(expr)
        (symbol, _), *more = index.terms
        site = None if more else symbol.number or None
        key: object = (site, array, index)
        if key not in self.cells:
            place = Symbol("private", self.unknown(text).name)
            self.cells[key] = self.label(array, text, None if site is None else key, place, expr.span)
        return self.cells[key]

    def label(self, name: str, cell: str, stream: object | None, symbol: Symbol, span: Span) -> Datum:
        """Choose how a cell differs."""
        system = self.system
        full = system.adjacency.full
        group = system.group(name, stream) if stream is not None and full is not None else None
        left = full if group is None else self.phases.get(group, full)
        options = system.adjacency.labels(name, system.domains[name], left, self.direction)
        label, after = options[self.choose(len(options))]
        if group is not None and after is not None and after != full:
            self.phases[group] = after
        text = shown(label) if isinstance(label, Pair) else show(label)
        verb = "is" if isinstance(label, Pair) else "changes by"
        self.steps.append(Step("label", f"{cell} {verb} {text}", span, text))
        self.labels[cell] = label if isinstance(label, Pair) else number(label)
        if isinstance(label, Pair):
            return label
        self.moves[symbol] = label
        return unknown(symbol)

    def numbers(self) -> dict[str, fmpq]:
        """The scalars whose value is a number."""
        return {
            n: v.constant
            for n, v in self.values.items()
            if isinstance(v, Linear) and not v.terms and "[" not in n
        }
