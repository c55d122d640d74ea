"""What is the same for all paths of a program, and what the builder knows at a cut."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from dipc.dipwhile.syntax.core import Code, Cut, Draw, Pick, Put, Round, Test
from dipc.dipwhile.syntax.names import target_name
from dipc.dipwhile.syntax.unroll import Constants, substitute
from dipc.errors import Span
from dipc.signs.eps_range import EpsRange

START, END = -2, -1
"""The places before the first operation and after the last one."""


@dataclass(frozen=True, slots=True)
class Point:
    """A place as the builder knows it.

    ``kept`` are the variables: a number, a finite value, nothing that is known, a live random variable
    (itself or another one with the same value), or private; ``moves`` says by how much a private one changes.
    """

    pc: int
    kept: tuple[tuple[str, Datum], ...] = ()
    moves: tuple[tuple[str, fmpq], ...] = ()
    phases: tuple[tuple[int, fmpq], ...] = ()
    direction: str = ""
    facts: tuple[Condition, ...] = ()

    @property
    def live(self) -> tuple[str, ...]:
        """The random variables that the rest of the program may read."""
        values = (value for _, value in self.kept if isinstance(value, Linear))
        return tuple(sorted({symbol.name for symbol in symbols(values) if symbol.random}))


Ends = tuple[ast.Expr, ast.Expr]


def _value(number: ast.Number) -> fmpq:
    return number.value


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
    def numeric(self) -> frozenset[str]:
        """The arrays whose cells are surely numbers."""
        outputs = {name for name, output in self.outputs.items() if self._is_numeric(output)}
        return (self.integers - self.outputs.keys()) | outputs

    def _is_numeric(self, output: ast.Declaration) -> bool:
        start = self.starts.get(output.name)
        if isinstance(output.domain, ast.SetOf):
            fixed = self.declared.fixed(output.domain)
            members = self.declared.members(output.domain, "a set") if fixed else ()
            return fixed and all(isinstance(member, fmpq) for member in members)
        return start is None or isinstance(start, Linear)

    @cached_property
    def loop_variables(self) -> frozenset[str]:
        """The variables of the loops whose bounds are no numbers."""
        return frozenset(
            o.variable for o in self.code if isinstance(o, Round) or (isinstance(o, Pick) and o.site)
        )

    @cached_property
    def ranges(self) -> Mapping[str, tuple[ast.Expr, ast.Expr]]:
        """Bounds of variables that are only ever assigned numbers and variables of loops."""
        found: dict[str, list[Ends]] = {name: [] for name in self.variables - self.loop_variables}
        for operation in self.code:
            match operation:
                case Put(ast.Name(name), ast.Number() as value) if name in found:
                    found[name].append((value, value))
                case Put(ast.Name(name), ast.Name(of)) if name in found and of in self.loop_variables:
                    loops = (o for o in self.code if isinstance(o, Round | Pick) and o.variable == of)
                    found[name] += ((loop.low, loop.high) for loop in loops)
                case Put(target) | Draw(target):
                    found.pop(target_name(target), None)
        hulls = ((name, self._hull(ends)) for name, ends in found.items() if ends)
        return {name: hull for name, hull in hulls if hull is not None}

    def _hull(self, parts: Sequence[Ends]) -> Ends | None:
        """The least and the greatest of some ends: numbers, or numbers up to 1 and one size, at least 1."""
        lows, highs = (
            [end for end in ends if isinstance(end, ast.Number)] for ends in zip(*parts, strict=True)
        )
        sizes = {high for _, high in parts} - {*highs}
        if len(lows) < len(parts):
            return None
        low = min(lows, key=_value)
        if not sizes:
            return low, max(highs, key=_value)
        small = all(high.value <= 1 for high in highs)
        known = len(sizes) == 1 and all(
            isinstance(s, ast.Name) and s.name in self.scope.lengths for s in sizes
        )
        return (low, sizes.pop()) if small and known else None

    def loops_around(self, pc: int) -> Iterator[Round]:
        """The loops without numbers that an operation is inside of, outer ones first."""
        for operation in self.code[: max(pc, 0)]:
            if isinstance(operation, Round) and pc < operation.otherwise:
                yield operation

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
