"""What is the same for all paths of a program, and what the builder knows at a cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from flint import fmpq

from dipc.dipwhile.allsizes.automaton import Edge
from dipc.dipwhile.allsizes.declared import Declared
from dipc.dipwhile.allsizes.feasible import Condition
from dipc.dipwhile.allsizes.labels import Adjacency, Domain
from dipc.dipwhile.allsizes.rewrite import Scope
from dipc.dipwhile.allsizes.values import ONE, Datum, Linear, Symbol, number, symbols, unknown
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.core import Code, Cut, Pick, Round, Test
from dipc.dipwhile.syntax.unroll import Constants, substitute
from dipc.errors import Span
from dipc.signs.eps_range import EpsRange

START, END = -2, -1
"""The places before the first operation and after the last one."""


@dataclass(frozen=True, slots=True)
class Point:
    """A place as the builder knows it.

    ``kept`` are the variables: a number, a finite value, nothing that is known, a live random variable
    (itself or another one with the same value), or private; ``moves`` says by how much a private one changes,
    ``facts`` how the live ones are ordered, ``bounds`` which public ones are in 1..N for a size N.
    """

    pc: int
    kept: tuple[tuple[str, Datum], ...] = ()
    moves: tuple[tuple[str, fmpq], ...] = ()
    phases: tuple[tuple[int, fmpq], ...] = ()
    direction: str = ""
    facts: tuple[Condition, ...] = ()
    bounds: tuple[Condition, ...] = ()

    @property
    def live(self) -> tuple[str, ...]:
        """The random variables that the rest of the program may read."""
        values = (value for _, value in self.kept if isinstance(value, Linear))
        return tuple(sorted({symbol.name for symbol in symbols(values) if symbol.random}))


@dataclass(frozen=True)
class System:
    """What is the same for all paths: the code, what the names in it mean, and how inputs differ."""

    code: Code
    live: tuple[frozenset[str], ...]
    scope: Scope
    constants: Constants
    variables: frozenset[str]
    domains: Mapping[str, Domain]
    sizes: Mapping[str, int | None]  # of all arrays, where they are numbers
    outputs: Mapping[str, ast.Declaration]
    integers: frozenset[str]  # the names that only ever hold integers
    adjacency: Adjacency
    budgets: EpsRange
    starts: Mapping[str, Datum]  # of outputs; those that mention a size are symbolic
    streams: dict[str, dict[object, int]] = field(
        default_factory=dict
    )  # of each input, in order of appearance
    doubts: dict[tuple[str, Span], None] = field(default_factory=dict)  # what may fail for one input only
    outside: set[str] = field(default_factory=set)  # the outputs that may get a value outside their sets
    walked: dict[Point, list[Any]] = field(
        default_factory=dict
    )  # the paths from a point, as the builder knows them
    edges: dict[Edge, Any] = field(default_factory=dict)  # of the automaton, each with one of its paths

    @property
    def declared(self) -> Declared:
        """Evaluates what the program declares."""
        return Declared(self.constants, self.scope.names)

    @cached_property
    def scalars(self) -> frozenset[str]:
        """The scalar outputs."""
        return frozenset(name for name, output in self.outputs.items() if output.size is None)

    @cached_property
    def lengths(self) -> Mapping[str, ast.Expr]:
        """The sizes of the declared arrays, numbers where they are."""
        return {name: substitute(size, self.constants) for name, size in self.scope.bounds.items()}

    @cached_property
    def known(self) -> tuple[Condition, ...]:
        """What is known of the sizes: they are at least 1."""
        names = sorted(self.scope.lengths - self.constants.keys())
        return tuple(Condition(unknown(Symbol("public", name)).plus(number(ONE), -ONE)) for name in names)

    @cached_property
    def loop_variables(self) -> frozenset[str]:
        """The variables of the loops whose bounds are no numbers."""
        return frozenset(
            o.variable for o in self.code if isinstance(o, Round) or (isinstance(o, Pick) and o.site)
        )

    @cached_property
    def _moved(self) -> frozenset[int]:
        picks = ((pc, o.end) for pc, o in enumerate(self.code) if isinstance(o, Pick))
        return frozenset(k for pc, end in picks for k in range(pc + 1, end))

    def is_moved(self, pc: int) -> bool:
        """Whether the draws at this operation are elsewhere in the text."""
        return pc in self._moved

    def is_cut(self, pc: int) -> bool:
        """Whether paths end here."""
        operation = self.code[pc]
        return isinstance(operation, Round | Cut) or (isinstance(operation, Test) and operation.is_loop)

    @property
    def stream_count(self) -> int:
        """How many streams have appeared."""
        return sum(map(len, self.streams.values()))

    def group(self, name: str, stream: object) -> int:
        """The number of a stream among those of its input: streams with the same number share a phase."""
        known = self.streams.setdefault(name, {})
        return known.setdefault(stream, len(known))
