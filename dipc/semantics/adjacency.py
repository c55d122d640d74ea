"""Inputs and which of them are neighbours.

A named adjacency generates the neighbours of an input cell by cell; a formula is evaluated on every
pair.  The relation is made symmetric.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product

from flint import fmpq

from dipc.semantics.evaluate import Memory, condition, never, spelled
from dipc.syntax.ast import Expr
from dipc.syntax.core import Cell, CoreAdjacency, CoreProgram
from dipc.syntax.values import Value

Input = dict[Cell, Value]
Pair = tuple[int, int]  # positions in the list of all inputs


class InputSpace:
    """All inputs of a program, in the order of their domains, the last cell varying fastest."""

    def __init__(self, program: CoreProgram) -> None:
        self.program = program
        self.cells: list[Cell] = [cell for v in program.inputs for cell in v.cells]
        self.domains: list[tuple[Value, ...]] = [v.domain for v in program.inputs for _ in v.cells]
        self._strides = [1] * len(self.cells)
        for i in range(len(self.cells) - 2, -1, -1):
            self._strides[i] = self._strides[i + 1] * len(self.domains[i + 1])

    def __len__(self) -> int:
        size = 1
        for domain in self.domains:
            size *= len(domain)
        return size

    def __iter__(self) -> Iterator[Input]:
        for values in product(*self.domains):
            yield dict(zip(self.cells, values, strict=True))

    def position(self, values: Input) -> int:
        """The place of an input in the order of iteration; KeyError if it is none."""
        digits = (domain.index(values[c]) for c, domain in zip(self.cells, self.domains, strict=True))
        return sum(d * stride for d, stride in zip(digits, self._strides, strict=True))

    def pairs(self, adjacency: CoreAdjacency) -> list[Pair]:
        """The ordered neighbouring pairs: fewest changed cells first, then by u, then by u'.

        An input is its own neighbour if the relation says so (a named one does).
        """
        found: Iterable[tuple[int, int, int]]
        if adjacency.formula is not None:
            found = _closed(self._formula_pairs(adjacency.formula))
        else:
            found = self._named_pairs(adjacency)
        ordered = [(changed, i, j) for i, j, changed in found]
        ordered.sort()
        return [(i, j) for _, i, j in ordered]

    def adjacent(self, u: Input, v: Input, adjacency: CoreAdjacency) -> bool:
        """Whether two inputs are neighbours, in either order."""
        if adjacency.formula is not None:
            holds = self._formula(adjacency.formula)
            return holds(u, v) or holds(v, u)
        budget = adjacency.distance if adjacency.distance is not None else fmpq(0)
        costs = [_cost(adjacency.kind, u[cell], v[cell]) for cell in self.cells]
        if adjacency.kind == "linf":
            return all(cost <= budget for cost in costs)
        return sum(costs, fmpq(0)) <= budget

    # --- named relations ---------------------------------------------------------------------

    def _named_pairs(self, adjacency: CoreAdjacency) -> Iterator[tuple[int, int, int]]:
        """Each input with its neighbours, extended cell by cell while the distance allows."""
        budget = adjacency.distance if adjacency.distance is not None else fmpq(0)
        steps = [_steps(adjacency.kind, domain) for domain in self.domains]
        for i, digits in enumerate(product(*(range(len(d)) for d in self.domains))):
            reached: list[tuple[int, int, fmpq]] = [(0, 0, budget)]  # position, changed cells, budget left
            for at, digit in enumerate(digits):
                stride = self._strides[at]
                reached = [
                    (position + other * stride, changed + (other != digit), left - spent)
                    for position, changed, left in reached
                    for other, spent in _affordable(steps[at][digit], adjacency.kind, left, budget)
                ]
            yield from ((i, j, changed) for j, changed, _ in reached)

    # --- formulas ----------------------------------------------------------------------------

    def _formula_pairs(self, formula: Expr) -> Iterator[tuple[int, int, int]]:
        everything = list(self)
        holds = self._formula(formula)
        for i, u in enumerate(everything):
            for j, v in enumerate(everything):
                if holds(u, v):
                    yield i, j, sum(u[c] != v[c] for c in self.cells)

    def _formula(self, formula: Expr) -> Callable[[Input, Input], bool]:
        """The formula as a relation: the primed names are those of the second input."""
        names = frozenset(v.name for v in self.program.inputs)
        primed = frozenset(spelled(name, True) for name in names)
        sizes = {v.name: v.size for v in self.program.inputs if v.size is not None}
        arrays = {**sizes, **{spelled(name, True): size for name, size in sizes.items()}}

        def holds(u: Input, v: Input) -> bool:
            twin = {(spelled(name, True), k): value for (name, k), value in v.items()}
            return condition(
                formula, Memory({}, {**u, **twin}, names | primed, names | primed, arrays), never
            )

        return holds


def _cost(kind: str, a: Value, b: Value) -> fmpq:
    """What changing one cell from a to b costs of the distance."""
    if kind == "all" or a == b:
        return fmpq(0)
    if kind == "hamming":
        return fmpq(1)
    assert isinstance(a, fmpq) and isinstance(b, fmpq)
    return abs(a - b)


def _steps(kind: str, domain: Sequence[Value]) -> list[list[tuple[int, fmpq]]]:
    """For each value of a cell, the values it can change to with what that costs."""
    return [[(j, _cost(kind, a, b)) for j, b in enumerate(domain)] for a in domain]


def _affordable(steps: list[tuple[int, fmpq]], kind: str, left: fmpq, budget: fmpq) -> list[tuple[int, fmpq]]:
    """The changes within the budget: in the linf distance every cell has all of it."""
    if kind == "linf":
        return [(j, fmpq(0)) for j, cost in steps if cost <= budget]
    return [(j, cost) for j, cost in steps if cost <= left]


def _closed(pairs: Iterator[tuple[int, int, int]]) -> set[tuple[int, int, int]]:
    """The symmetric closure."""
    found = set(pairs)
    return found | {(j, i, changed) for i, j, changed in found}
