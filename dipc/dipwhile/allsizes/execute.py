"""A path from a place, operation by operation, to the next cut: an edge of the automaton."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeGuard, assert_never

from dipc.dipwhile.allsizes.automaton import Edge, Step
from dipc.dipwhile.allsizes.draws import draw
from dipc.dipwhile.allsizes.expressions import (
    bound_of,
    condition,
    difference,
    evaluate,
    index_of,
    nonempty,
)
from dipc.dipwhile.allsizes.feasible import Condition, order
from dipc.dipwhile.allsizes.outputs import fits, publish
from dipc.dipwhile.allsizes.paths import IMPOSSIBLE, Failed, Path
from dipc.dipwhile.allsizes.system import END, START, Point
from dipc.dipwhile.allsizes.values import (
    ONE,
    Datum,
    Linear,
    Symbol,
    Unknown,
    as_linear,
    form,
    number,
    replaced,
    unknown,
)
from dipc.dipwhile.syntax import ast, core
from dipc.dipwhile.syntax.printer import show_expr
from dipc.dipwhile.syntax.walk import nodes
from dipc.errors import Unsupported

MOST_ORDERED = 6
"""Of how many live variables the order is followed."""


def run(path: Path) -> tuple[Edge, Point]:
    """The edge (its places are not numbered yet) and where it ends."""
    try:
        return arrive(path, way(path))
    except Failed:
        return arrive(path, END)


def way(path: Path) -> int:
    """Execute everything up to the next cut."""
    if len(path.system.adjacency.directions) > 1 and path.pc == START:
        path.direction = path.system.adjacency.directions[path.choose(2)]
        path.steps.append(Step("label", f"all cells go {path.direction}", path.system.adjacency.span))
    path.pc = 0 if path.pc == START else step(path, path.pc)
    while path.pc != END and not path.system.is_cut(path.pc):
        path.pc = step(path, path.pc)
    return path.pc


def step(path: Path, pc: int) -> int:
    """Execute one operation; the next one."""
    operation = path.system.code[pc]
    match operation:
        case core.Put(target, value):
            assign(path, target, evaluate(path, value))
        case core.Draw(target, distribution, span):
            assign(path, target, draw(path, distribution, show_expr(target), span))
        case core.Test(expr, otherwise):
            return pc + 1 if condition(path, expr) else otherwise
        case core.Jump(to):
            return to
        case core.Halt():
            return END
        case core.Pick(_, site, low, high, required, span=span):
            if required:
                nonempty(path, low, high, span)
            if site:
                fresh(path, operation)
        case core.Round(variable, otherwise=otherwise, span=span):
            another = path.choose(2) == 0
            path.decide("test", "another round" if another else f"`for {variable}` ends", span)
            path.round = another
            if not another:
                return otherwise
            fresh(path, operation)
        case core.Either(otherwise, text, other, span):
            first = path.choose(2) == 0
            path.decide("test", text if first else other, span)
            return pc + 1 if first else otherwise
        case core.Assume(comparison):
            assume(path, comparison)
        case core.Enter(site):  # the loop reads its cells again: another phase
            for streams in path.system.streams.values():
                for stream, group in streams.items():
                    if isinstance(stream, tuple) and stream[0] == site:
                        path.phases.pop(group, None)
        case core.Cut():
            pass
        case _:
            assert_never(operation)
    return pc + 1


def fresh(path: Path, loop: core.Round | core.Pick) -> None:
    """A new round: its cells have not been read."""
    path.cells = {key: cell for key, cell in path.cells.items() if key[0] != loop.site}  # type: ignore[index]
    path.values[loop.variable] = unknown(Symbol("public", loop.variable, loop.site))
    know_bounds(path, loop)


def know_bounds(path: Path, loop: core.Round | core.Pick) -> None:
    """The variable of a loop is between its bounds, which are integers or the loop fails."""
    ends = bound_of(path, loop.low), bound_of(path, loop.high)
    value = as_linear(path.values[loop.variable])
    if value is not None and len(value.terms) == 1:
        path.learn(value, *ends)


def assume(path: Path, comparison: ast.Binary) -> None:
    """Read a condition weakly: ``>=`` stands for ``>`` as well."""
    weak = {ast.Op.GT: ast.Op.GE, ast.Op.LT: ast.Op.LE}
    comparison = replace(comparison, op=weak.get(comparison.op, comparison.op))
    margin = difference(path, comparison.left, comparison.right, comparison.span)
    path.require(margin if comparison.op is ast.Op.GE else margin.times(-ONE))
    path.steps.append(Step("test", show_expr(comparison), comparison.span))


def assign(path: Path, target: ast.Name | ast.Index, value: Datum) -> None:
    """Give a variable or a cell its value; what an output gets is published when the path ends."""
    text = show_expr(target)
    if isinstance(target, ast.Name):
        fits(path, target.name, value, target.span)
        path.values[target.name] = value
        if target.name in path.system.scalars:
            path.outputs[target.name] = (text, value, target.span)
        return
    array, index = target.array, index_of(path, target)
    fits(path, array, value, target.span)
    if array in path.system.outputs:
        path.outputs[array, index] = (text, value, target.span)
    elif array not in path.system.scope.inputs:
        grows(path, target, index)
    if index.number is not None:
        path.values[f"{array}[{index.number}]"] = value
        return
    if array not in path.system.outputs and not path.is_public(value):
        hint = "only `max`, `min`, `argmax` and `argmin` of such an array are known"
        raise Unsupported(f"private or random values are kept in `{array}`", target.span, hint)
    forget(path, target)
    path.public.add(array)


def forget(path: Path, target: ast.Index) -> None:
    """A cell of an unknown index is overwritten: each of those that are known may be it."""
    array, output = target.array, target.array in path.system.outputs
    if output:
        path.show(array)
    for name, value in path.values.items():
        if name.startswith(f"{array}["):
            if not output and not path.is_public(value):
                raise Unsupported(f"`{show_expr(target)}` may be `{name}`, which is private", target.span)
            path.values[name] = path.unknown(name)


def grows(path: Path, target: ast.Index, index: Linear) -> None:
    """A local array is as large as the largest constant index that is assigned."""
    constant = all(
        isinstance(n, ast.Number | ast.Unary | ast.Binary)
        or (isinstance(n, ast.Name) and n.name in path.system.scope.names | path.system.loop_variables)
        for n in nodes(target.index)
    )
    if not constant or not path.shows(index.plus(number(ONE), -ONE)):
        path.may_fail(f"`{show_expr(target)}` is outside its array", target.span)


def arrive(path: Path, pc: int) -> tuple[Edge, Point]:
    """Publish the outputs; the edge, and the point where the path ends."""
    publish(path, pc)
    live = path.system.live[pc] if pc != END else frozenset()
    kept = {name: value for name, value in path.values.items() if lasts(path, name, value, live, pc)}
    names: dict[Linear, str] = {}
    for name, value in sorted(kept.items()):
        if isinstance(value, Linear) and value.random:
            names.setdefault(value, name)
    more = bool({name.partition("[")[0] for name in live} & path.system.scope.inputs)
    point = Point(
        pc,
        tuple((name, kept_value(name, value, names)) for name, value in sorted(kept.items())),
        tuple((n, form(v, path.moves).constant) for n, v in sorted(kept.items()) if _is_private(v)),
        tuple(sorted(path.phases.items())) if more else (),
        path.direction if more else "",
        facts(path, names),
        tuple(bounds(path, kept)),
    )
    edge = Edge(
        0,
        0,
        tuple(path.samples),
        (IMPOSSIBLE,) if IMPOSSIBLE in path.guards else tuple(path.guards),
        tuple(sorted((name, form(value, path.moves)) for value, name in names.items())),
        path.cost,
        tuple(path.choices),
        tuple(path.decisions),
        tuple(path.steps),
    )
    return edge, point


def lasts(path: Path, name: str, value: Datum, live: frozenset[str], pc: int) -> bool:
    """Whether a variable is needed after the cut: it is read, or an output that is not public yet."""
    if name in live or name.partition("[")[0] in live:
        return True
    return pc != END and name in path.system.scalars and not path.is_public(value)


def kept_value(name: str, value: Datum, names: Mapping[Linear, str]) -> Datum:
    """What is kept of a variable; ``names`` has one name for each random value."""
    match value:
        case Unknown():
            return replace(value, name=name)
        case Linear() if value.terms:
            return unknown(Symbol("live", names[value]) if value.random else Symbol("private", name))
        case _:
            return value


def facts(path: Path, names: Mapping[Linear, str]) -> tuple[Condition, ...]:
    """What the path says about the order of the live variables."""
    if not 0 < len(names) <= MOST_ORDERED or not path.conditions:
        return ()
    targets = {name: Symbol("target", name) for name in names.values()}
    defined = [
        Condition(value.plus(unknown(targets[name]), -ONE), equal=True) for value, name in names.items()
    ]
    found = order([*path.conditions, *defined], targets.values())
    back = {symbol: unknown(Symbol("live", name)) for name, symbol in targets.items()}
    return tuple(replace(fact, value=replaced(fact.value, back)) for fact in found)


def bounds(path: Path, kept: Mapping[str, Datum]) -> Iterator[Condition]:
    """Which of the public numbers are indices: in 1..N for a size N."""
    for name, value in sorted(kept.items()):
        if _is_private(value) and path.is_public(value):
            itself = unknown(Symbol("private", name))
            for size in (condition.value.plus(number(ONE)) for condition in path.system.known):
                if path.within(value, number(ONE), size):
                    yield Condition(itself.plus(number(ONE), -ONE))
                    yield Condition(size.plus(itself, -ONE))


def _is_private(value: Datum) -> TypeGuard[Linear]:
    """Whether it is a number that is not drawn, and not known: its change is kept."""
    return isinstance(value, Linear) and value.number is None and not value.random
