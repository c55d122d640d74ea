"""What is the same for all paths of a program, and what the builder knows at a cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from flint import fmpq

from dipc.dipwhile.allsizes.declared import Declared
from dipc.dipwhile.allsizes.feasible import Condition
from dipc.dipwhile.allsizes.flatten import Code, Cut, Operation, Round, Scope
from dipc.dipwhile.allsizes.labels import Adjacency, Domain
from dipc.dipwhile.allsizes.values import Datum, Linear, Pair, Unknown
from dipc.dipwhile.syntax.core import Test
from dipc.dipwhile.syntax.unroll import Constants
from dipc.signs.eps_range import EpsRange

START, END = -2, -1
"""The places before the first operation and after the last one."""


@dataclass(frozen=True, slots=True)
class Moves:
    """A private variable: its value is unknown, its change is ``by``."""

    by: fmpq


@dataclass(frozen=True, slots=True)
class Alias:
    """A random variable: the live variable ``of``, itself or another one with the same value."""

    of: str


Kept = Linear | Pair | Unknown | Moves | Alias
"""What is known of a variable at a cut: a number, a finite value, nothing, its change, that it is random."""


@dataclass(frozen=True, slots=True)
class Point:
    """A place as the builder knows it."""

    pc: int
    kept: tuple[tuple[str, Kept], ...] = ()
    phases: tuple[tuple[int, fmpq], ...] = ()
    direction: str = ""
    facts: tuple[Condition, ...] = ()

    @property
    def live(self) -> tuple[str, ...]:
        """The random variables that the rest of the program may read."""
        return tuple(sorted({kept.of for _, kept in self.kept if isinstance(kept, Alias)}))


@dataclass(frozen=True, slots=True)
class System:
    """What is the same for all paths: the code, what the names in it mean, and how inputs differ."""

    code: Code
    live: tuple[frozenset[str], ...]
    scope: Scope
    constants: Constants
    variables: frozenset[str]
    domains: Mapping[str, Domain]
    sizes: Mapping[str, int | None]  # of all arrays, where they are numbers
    scalars: frozenset[str]  # scalar outputs
    adjacency: Adjacency
    budgets: EpsRange
    starts: Mapping[str, Datum]  # of scalar outputs; those that mention a size are symbolic
    streams: dict[str, dict[object, int]] = field(
        default_factory=dict
    )  # of each input, in order of appearance

    @property
    def declared(self) -> Declared:
        """Evaluates what the program declares."""
        return Declared(self.constants, self.scope.names)

    def is_cut(self, pc: int) -> bool:
        """Whether paths end here."""
        operation: Operation = self.code[pc]
        return isinstance(operation, Round | Cut) or (isinstance(operation, Test) and operation.is_loop)

    @property
    def stream_count(self) -> int:
        """How many streams have appeared."""
        return sum(map(len, self.streams.values()))

    def group(self, name: str, stream: object) -> int:
        """The number of a stream among those of its input: streams with the same number share a phase."""
        known = self.streams.setdefault(name, {})
        return known.setdefault(stream, len(known))
