"""Cells as values of the variables of a program, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dipc.dipwhile.semantics.evaluate import Memory, condition, never
from dipc.dipwhile.semantics.step import Outcome
from dipc.dipwhile.syntax.ast import Expr
from dipc.dipwhile.syntax.core import Cell, CoreProgram, Variable
from dipc.models.values import Valuation, Value


def output_valuation(program: CoreProgram, outcome: Sequence[Value]) -> Valuation:
    """The outputs, variable by variable."""
    cells = [cell for variable in program.outputs for cell in variable.cells]
    return grouped(program.outputs, dict(zip(cells, outcome, strict=True)))


def grouped(variables: Sequence[Variable], values: Mapping[Cell, Value]) -> Valuation:
    """Cells put together into scalars and arrays."""
    return tuple(
        (v.name, values[v.name, 0] if v.size is None else tuple(values[cell] for cell in v.cells))
        for v in variables
    )


def holds(expr: Expr, variables: Sequence[Variable], values: Sequence[Value]) -> bool:
    """Whether an expression over variables holds, given the values of their cells in order."""
    given = dict(zip((cell for v in variables for cell in v.cells), values, strict=True))
    names = frozenset(variable.name for variable in variables)
    arrays = {variable.name: variable.size for variable in variables if variable.size is not None}
    return condition(expr, Memory(given, {}, frozenset(), names, arrays), never)


def in_order(program: CoreProgram, outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Outcomes in the order of the output sets, the last cell varying fastest."""
    places = [{v: i for i, v in enumerate(x.domain)} for x in program.outputs for _ in x.cells]
    return sorted(outcomes, key=lambda o: [p[v] for p, v in zip(places, o, strict=True)])
