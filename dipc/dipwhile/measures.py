"""What is computed for every input alone: the probability that an output is not good, and expectations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from flint import fmpq

from dipc.claims.accuracy import Accurate
from dipc.claims.deciding import decide
from dipc.claims.oracle import SignOracle
from dipc.claims.tightness.greatest import Values
from dipc.claims.verdict import Verdict
from dipc.clock import Clock
from dipc.dipwhile.hub.explored import Explored
from dipc.dipwhile.pipeline import check_for_all_budgets, restricted
from dipc.dipwhile.semantics.adjacency import Input, cost
from dipc.dipwhile.semantics.evaluate import NOTHING, function_of_eps, never
from dipc.dipwhile.semantics.explore import Explorer, Law
from dipc.dipwhile.semantics.valuations import grouped, holds, number_of, value_of
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.compile import compile_delta, compile_interval
from dipc.dipwhile.syntax.core import CoreProgram
from dipc.dipwhile.syntax.measures import Condition, compile_condition_on_inputs, compile_good
from dipc.dipwhile.syntax.parser import parse_expression
from dipc.dipwhile.syntax.printer import show_expr
from dipc.dipwhile.syntax.simplify import OPERATORS
from dipc.dipwhile.syntax.walk import bottom_up, with_children
from dipc.errors import InputError
from dipc.models.laws import Listed, Neighbours
from dipc.models.values import FALSE, TRUE, Atom, Value, show
from dipc.numbers.quotient import Quotient

Gap = fmpq | None
"""The distance to the nearest input with another value; None: no input has another value."""


def read_bound(text: str, program: CoreProgram, name: str) -> Quotient:
    """A bound on a probability, which is built like delta; messages call the text ``name``."""
    core = compile_delta(parse_expression(text, name), dict(program.parameters), "beta")
    return function_of_eps(core, NOTHING, never)


def errors(
    explored: Explored, good: ast.Expr, when: Condition | None, judge: SignOracle, clock: Clock
) -> Values:
    """For each input with the condition, the probability that its output is not good.

    Raises :class:`InputError` and :class:`LimitReached`.
    """
    program = explored.program
    variables = (*program.inputs, *program.outputs)

    def error(values: tuple[Value, ...], law: Law) -> Quotient:
        bad = (p for outcome, p in law.items() if not holds(good, variables, (*values, *outcome)))
        return sum(bad, Quotient.of(0))

    return _for_each(explored, inputs_with(explored, when, clock), error, judge, clock)


def expectations(
    explored: Explored, measure: ast.Expr, only: Input | None, judge: SignOracle, clock: Clock
) -> Values:
    """For each input, or the only one, the expectation of a number that depends on it and on the outputs.

    Raises :class:`InputError` and :class:`LimitReached`.
    """
    program = explored.program
    variables = (*program.inputs, *program.outputs)

    def expectation(values: tuple[Value, ...], law: Law) -> Quotient:
        terms = (p * number_of(measure, variables, (*values, *outcome)) for outcome, p in law.items())
        return sum(terms, Quotient.of(0))

    inputs = explored.space.listed() if only is None else [only]
    return _for_each(explored, inputs, expectation, judge, clock)


# --- accuracy as a claim -----------------------------------------------------------------------


def accurate_claim(program: CoreProgram, written: ast.AccurateClaim, at: fmpq | None) -> Accurate:
    """``accurate GOOD, BETA [when CONDITION] [for eps in INTERVAL]``.  Raises :class:`InputError`."""
    constants = dict(program.parameters)
    beta = function_of_eps(compile_delta(written.beta, constants, "beta"), NOTHING, never)
    budgets = restricted(compile_interval(written.interval, constants), at, written.span)
    condition = None if written.condition is None else show_expr(written.condition)
    return Accurate(budgets, show_expr(written.good), beta, condition, span=written.span)


def check_accurate(explored: Explored, written: ast.AccurateClaim, at: fmpq | None, clock: Clock) -> Verdict:
    """Decide such a claim.  Raises :class:`InputError`."""
    program = explored.program
    good = compile_good(written.good, program)
    when = None if written.condition is None else compile_condition_on_inputs(written.condition, program)
    claim = accurate_claim(program, written, at)

    def explore(oracle: SignOracle) -> Neighbours:
        found = errors(explored, good, when, oracle, clock)
        outcomes = [(("good", TRUE),), (("good", FALSE),)]
        laws = [(1 - error, error) for _, error in found]
        return Listed([u for u, _ in found], outcomes, laws, [(i, i) for i in range(len(found))])

    return without_pairs(decide(claim, explored.space.size, explore, clock))


def without_pairs(verdict: Verdict) -> Verdict:
    """The verdict without the note that inputs were compared with themselves: that is what is asked."""
    none = ("no input meets the condition",) if not verdict.counts.inputs else ()
    return replace(verdict, notes=none)


def _for_each(
    explored: Explored,
    inputs: Sequence[Input],
    measured: Callable[[tuple[Value, ...], Law], Quotient],
    judge: SignOracle,
    clock: Clock,
) -> Values:
    """A function of eps for each input, from the values of its cells and its output distribution."""
    program = explored.program
    explorer = Explorer(program, clock.deadline)
    found = []
    for done, values in enumerate(inputs):
        clock.tick("output distributions", done, len(inputs))
        value = measured(cells(explored, values), explorer.law(values))
        found.append((grouped(program.inputs, values), value))
    check_for_all_budgets(explorer.left_open, judge)
    return found


def cells(explored: Explored, values: Input) -> tuple[Value, ...]:
    """The values of the cells of an input, in the order of their declarations."""
    return tuple(values[cell] for cell in explored.space.cells)


# --- the inputs that meet a condition ----------------------------------------------------------


def inputs_with(explored: Explored, when: Condition | None, clock: Clock) -> list[Input]:
    """The inputs that meet a condition, in their order."""
    if when is None:
        return explored.space.listed()
    inputs = explored.space.listed()
    keys = [cells(explored, values) for values in inputs]
    names = [name for name, _ in when.gaps]
    columns = [gaps(explored.program, keys, expr, clock) for _, expr in when.gaps]
    rows: Iterator[tuple[Gap, ...]] = zip(*columns, strict=True) if columns else iter([()] * len(inputs))
    return [
        values
        for values, key, row in zip(inputs, keys, rows, strict=True)
        if holds(_with_gaps(when.expr, dict(zip(names, row, strict=True))), explored.program.inputs, key)
    ]


def gaps(
    program: CoreProgram, inputs: Sequence[tuple[Value, ...]], expr: ast.Expr, clock: Clock
) -> list[Gap]:
    """For each input, the distance to the nearest one at which the expression has another value.

    The metric is that of the line ``adjacent``; linf if it names none.
    """
    values = [value_of(expr, program.inputs, key) for key in inputs]
    kind = program.adjacency.kind if program.adjacency is not None else "linf"
    kind = kind if kind in ("l1", "hamming") else "linf"
    if kind != "hamming" and (atom := _atom_in(program)) is not None:
        message = f"`gap` measures distances in {kind}, but an input may be `{show(atom)}`, not a number"
        raise InputError(message, expr.span, "use `adjacent hamming 1`, which counts the inputs that differ")
    join: Callable[[Sequence[fmpq]], fmpq] = max if kind == "linf" else _total
    found: list[Gap] = []
    for done, (u, value) in enumerate(zip(inputs, values, strict=True)):
        clock.tick("distances of inputs", done, len(inputs))
        others = (v for v, other in zip(inputs, values, strict=True) if other != value)
        found.append(
            min((join([cost(kind, a, b) for a, b in zip(u, v, strict=True)]) for v in others), default=None)
        )
    return found


def _total(costs: Sequence[fmpq]) -> fmpq:
    return sum(costs, fmpq(0))


def _atom_in(program: CoreProgram) -> Atom | None:
    """An input value that is not a number, if there is one."""
    return next((x for v in program.inputs for x in v.domain if isinstance(x, Atom)), None)


def _with_gaps(expr: ast.Expr, known: dict[str, Gap]) -> ast.Expr:
    """The condition with the gaps put in; a comparison with an infinite one is decided."""

    def infinite(side: ast.Expr) -> bool:
        return isinstance(side, ast.Name) and side.name in known and known[side.name] is None

    def visit(node: ast.Expr, parts: tuple[ast.Expr, ...]) -> ast.Expr:
        match node:
            case ast.Name(name) if (distance := known.get(name)) is not None:
                return ast.Number(distance, span=node.span)
            case ast.Binary(op, left, right) if op in ast.COMPARISONS and (infinite(left) or infinite(right)):
                truth = OPERATORS[op](fmpq(infinite(left)), fmpq(infinite(right)))
                return ast.Name((TRUE if truth else FALSE).name, span=node.span)
        return with_children(node, parts)

    return bottom_up(expr, visit) if known else expr
