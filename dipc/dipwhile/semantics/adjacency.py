"""Inputs, and which of them are adjacent.

A named adjacency is a small automaton that reads the two inputs cell by cell and remembers how much of the
distance is left; a formula is evaluated on every pair.  The relation is made symmetric.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, product
from math import lcm, prod
from operator import mul
from types import MappingProxyType

from flint import fmpq

from dipc.dipwhile.semantics.evaluate import Memory, condition, never, number, spelled
from dipc.dipwhile.syntax.ast import Expr
from dipc.dipwhile.syntax.core import Cell, CoreAdjacency, CoreProgram
from dipc.dipwhile.syntax.pairwise import DISTANCE, METRICS
from dipc.errors import LimitReached
from dipc.excerpts import count_text
from dipc.models.values import Value

Input = dict[Cell, Value]
Pair = tuple[int, int]  # positions in the list of all inputs


MOST_LISTED = 10**7  # inputs that are listed
INSTEAD = "ask about a smaller size with -D, about two inputs with --pair, or about every size: dipc prove"


class InputSpace:
    """All inputs of a program, in the order of their domains, the last cell varying fastest.

    The *position* of an input is its place in that order: the sum over its cells of ``stride`` times the
    place of the value in the domain.
    """

    def __init__(self, program: CoreProgram) -> None:
        self.program = program
        self.cells: list[Cell] = [cell for v in program.inputs for cell in v.cells]
        self.domains: list[tuple[Value, ...]] = [v.domain for v in program.inputs for _ in v.cells]
        self.place = {cell: i for i, cell in enumerate(self.cells)}
        sizes = [len(domain) for domain in self.domains]
        self.size = prod(sizes)  # may be too large for ``len``
        self.strides = list(accumulate(sizes[:0:-1], mul, initial=1))[::-1] if sizes else []

    def __iter__(self) -> Iterator[Input]:
        for values in product(*self.domains):
            yield dict(zip(self.cells, values, strict=True))

    def listed(self, most: int = MOST_LISTED) -> list[Input]:
        """All inputs.  Raises :class:`LimitReached` at once if no machine gets through so many."""
        if self.size > most:
            raise LimitReached(f"{count_text(self.size)} inputs, one by one, are too many ({INSTEAD})")
        return list(self)

    def digits(self, position: int) -> list[int]:
        """For the input at a position, the place of each cell's value in its domain."""
        return [position // s % len(d) for s, d in zip(self.strides, self.domains, strict=True)]

    def at(self, position: int) -> Input:
        """The input at a position."""
        digits = self.digits(position)
        return {c: d[i] for c, d, i in zip(self.cells, self.domains, digits, strict=True)}


class Distance:
    """A named adjacency as an automaton over cells; its state is how much of the distance is left.

    Costs and states are integers, in units of a common denominator.  In the linf distance every cell may use
    the whole distance, so that nothing has to be remembered; with ``all`` no change has a cost.
    ``different`` says whether it relates any two different inputs.
    """

    symmetric = True

    def __init__(self, space: InputSpace, adjacency: CoreAdjacency) -> None:
        budget = adjacency.distance or fmpq(0)
        costs = [[[cost(adjacency.kind, a, b) for b in d] for a in d] for d in space.domains]
        unit = lcm(int(budget.q), *(int(c.q) for table in costs for row in table for c in row))
        self.start = int((budget * unit).p)
        self._shared_budget = adjacency.kind != "linf"
        self._costs = [[[int((c * unit).p) for c in row] for row in table] for table in costs]
        allowed = (move for place in range(len(costs)) for move in self.moves(place, self.start))
        self.different = any(a != b for a, b, _ in allowed)

    def moves(self, place: int, left: int) -> list[tuple[int, int, int]]:
        """``(a, b, what is left then)``: the cell may have its a-th value in u and its b-th in u'."""
        return [
            (a, b, left - cost if self._shared_budget else left)
            for a, row in enumerate(self._costs[place])
            for b, cost in enumerate(row)
            if cost <= left
        ]

    def accepts(self, left: int) -> bool:
        """Always: what is left is never negative."""
        return left >= 0


def adjacent(space: InputSpace, u: Input, v: Input, adjacency: CoreAdjacency) -> bool:
    """Whether two inputs are neighbours, in either order."""
    if adjacency.formula is not None:
        holds = relation(space, adjacency.formula)
        return holds(u, v) or holds(v, u)
    return distance(space, u, v, adjacency.kind) <= (adjacency.distance or 0)


def distance(space: InputSpace, u: Input, v: Input, kind: str) -> fmpq:
    """The distance of two inputs in a metric; 0 with ``all``."""
    costs = [cost(kind, u[cell], v[cell]) for cell in space.cells]
    return max(costs, default=fmpq(0)) if kind == "linf" else sum(costs, fmpq(0))


def relation(space: InputSpace, formula: Expr) -> Callable[[Input, Input], bool]:
    """The formula as a relation: the primed names are those of the second input."""
    both = _memory(space)
    return lambda u, v: condition(formula, both(u, v), never)


def numbers_of(
    space: InputSpace, adjacency: CoreAdjacency, parts: Sequence[Expr]
) -> Callable[[Input, Input], tuple[fmpq, ...]]:
    """The values of expressions about a pair of inputs, and about its ``distance``."""
    both = _memory(space)
    measured = adjacency.kind in METRICS and (DISTANCE, 0) not in space.place

    def values(u: Input, v: Input) -> tuple[fmpq, ...]:
        known = {(DISTANCE, 0): distance(space, u, v, adjacency.kind)} if measured else {}
        memory = both(u, v, known)
        return tuple(number(part, memory, never) for part in parts)

    return values


def _memory(space: InputSpace) -> Callable[..., Memory]:
    """Two inputs as one memory, in which the names of the second one are primed."""
    inputs = space.program.inputs
    names = frozenset(v.name for v in inputs)
    primed = frozenset(spelled(name, True) for name in names)
    sizes = {v.name: v.size for v in inputs if v.size is not None}
    arrays = {**sizes, **{spelled(name, True): size for name, size in sizes.items()}}

    def memory(u: Input, v: Input, more: Mapping[Cell, Value] = MappingProxyType({})) -> Memory:
        twin = {(spelled(name, True), k): value for (name, k), value in v.items()}
        known = names | primed | {name for name, _ in more}
        return Memory({}, {**u, **twin, **more}, known, known, arrays)

    return memory


def cost(kind: str, a: Value, b: Value) -> fmpq:
    """What changing one cell from a to b costs of the distance."""
    if kind == "all" or a == b:
        return fmpq(0)
    if kind == "hamming":
        return fmpq(1)
    assert isinstance(a, fmpq) and isinstance(b, fmpq)
    return abs(a - b)
