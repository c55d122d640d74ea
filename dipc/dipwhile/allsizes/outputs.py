"""What the outputs of a path get: whether it is in their sets, and what of it is published."""

from __future__ import annotations

from contextlib import suppress

from flint import fmpq

from dipc.dipwhile.allsizes.automaton import Step
from dipc.dipwhile.allsizes.expressions import declared_number, evaluate
from dipc.dipwhile.allsizes.paths import Path
from dipc.dipwhile.allsizes.system import END, START, Point
from dipc.dipwhile.allsizes.values import (
    Datum,
    Linear,
    Pair,
    as_linear,
    number,
    shown,
)
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.unroll import substitute
from dipc.errors import InputError, Span


def publish(path: Path, pc: int) -> None:
    """What the outputs show must be the same in both runs."""
    if pc == END:
        for name in sorted(path.system.scalars & path.values.keys()):
            path.outputs.setdefault(name, (name, path.values[name], path.system.adjacency.span))
    for key, (text, value, span) in path.outputs.items():
        certain = isinstance(value, Pair) or (isinstance(value, Linear) and value.number is not None)
        published = text, shown(value) if certain else None
        path.steps.append(Step("output", f"{text} = {shown(value)}", span, published=published))
        if not isinstance(key, str) or pc == END:
            path.same(value)


def fits(path: Path, name: str, value: Datum, span: Span) -> None:
    """What is assigned to an output is in its set, or the run fails: on both inputs, at once."""
    output = path.system.outputs.get(name)
    if output is None or belongs(path, output, value):
        return
    text = f"the value is not in the set of the output `{name}`"
    path.system.outside.add(name)
    if not path.is_public(value):
        path.shown = True
        doubt = f"whether the value is in the set of the output `{name}` may depend on private values"
        path.system.doubts[doubt, span] = None
        path.same(value)
    path.may_fail(text, span)


def belongs(path: Path, output: ast.Declaration, value: Datum) -> bool:
    """Whether a value is surely in the set of an output."""
    declared, found = path.system.declared, as_linear(value)
    if not declared.fixed(output.domain) and not isinstance(output.domain, ast.Range):
        return False
    match output.domain:
        case ast.SetOf():
            with suppress(InputError):  # at this size there is no program
                members = declared.members(output.domain, f"the set of `{output.name}`")
                return among(path, value, {*members})
            return False
        case ast.Range(low, high):
            ends = declared_number(path, low), declared_number(path, high)
            return found is not None and path.is_integer(found) and path.within(found, *ends)
        case ast.Between() if found is not None:
            interval = declared.interval(output.domain, f"the interval of `{output.name}`")
            return path.within(found, *map(number, interval))
        case ast.Integers() if found is not None:
            return path.is_integer(found)
    started = output.start is not None and value == start_of(path, output.start)
    return isinstance(value, Linear) or started


def start_of(path: Path, expr: ast.Expr) -> Datum:
    """A start value, in terms of the sizes; the variables of the path are not in it."""
    return evaluate(Path(path.system, Point(START), ()), substitute(expr, path.system.constants))


def among(path: Path, value: Datum, values: set[object]) -> bool:
    """Whether a value is surely one of a list."""
    if isinstance(value, Pair):
        return {value.left, value.right} <= values
    found, numbers = as_linear(value), sorted(v for v in values if isinstance(v, fmpq))
    if found is None or not numbers:
        return False
    if found.number is not None:
        return found.number in values
    low, high = numbers[0], numbers[-1]
    consecutive = numbers == [low + k for k in range(len(numbers))] and path.is_integer(found)
    return consecutive and low.q == 1 and path.within(found, number(low), number(high))
