"""Cells as values of the variables of a program, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from flint import fmpq

from dipc.dipwhile.semantics.evaluate import Memory, condition, evaluate, never
from dipc.dipwhile.semantics.step import Outcome
from dipc.dipwhile.syntax.ast import Expr
from dipc.dipwhile.syntax.core import Cell, CoreProgram, Variable
from dipc.errors import InputError
from dipc.models.values import Atom, Valuation, Value, show


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


def ungrouped(variables: Sequence[Variable], valuation: Valuation) -> dict[Cell, Value]:
    """The cells of scalars and arrays."""
    found: dict[Cell, Value] = {}
    for variable, (_, value) in zip(variables, valuation, strict=True):
        values = value if isinstance(value, tuple) else (value,)
        found |= zip(variable.cells, values, strict=True)
    return found


def holds(expr: Expr, variables: Sequence[Variable], values: Sequence[Value]) -> bool:
    """Whether an expression over variables holds, given the values of their cells in order."""
    return condition(expr, _memory(variables, values), never)


def value_of(expr: Expr, variables: Sequence[Variable], values: Sequence[Value]) -> Value:
    """The value of an expression over variables, given those of their cells in order."""
    value = evaluate(expr, _memory(variables, values), never)
    assert isinstance(value, fmpq | Atom)  # nothing is random
    return value


def number_of(expr: Expr, variables: Sequence[Variable], values: Sequence[Value]) -> fmpq:
    """The same for an expression that must be a number."""
    value = value_of(expr, variables, values)
    if isinstance(value, Atom):
        raise InputError(f"a number is needed here, not {show(value)}", expr.span)
    return value


def _memory(variables: Sequence[Variable], values: Sequence[Value]) -> Memory:
    given = dict(zip((cell for v in variables for cell in v.cells), values, strict=True))
    names = frozenset(variable.name for variable in variables)
    arrays = {variable.name: variable.size for variable in variables if variable.size is not None}
    return Memory(given, {}, frozenset(), names, arrays)


def in_order(program: CoreProgram, outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Outcomes in the order of the output sets, the last cell varying fastest."""
    places = [{v: i for i, v in enumerate(x.domain)} for x in program.outputs for _ in x.cells]
    return sorted(outcomes, key=lambda o: [p[v] for p, v in zip(places, o, strict=True)])
