"""The finite program of a counterexample: one size, and the values of two inputs.

Its text is that of the program with a number for the size, the inputs in a set with the values of the pair,
and outputs without a finite set in levels: what breaks the claim after a function of the outputs breaks it
before.  The exact engine decides it, and writes the certificate, as for any program.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain

from flint import fmpq

from dipc.claims.deciding import decide
from dipc.claims.privacy import Goal
from dipc.claims.verdict import Verdict
from dipc.clock import Clock
from dipc.dipwhile.allsizes.front import Front
from dipc.dipwhile.pipeline import neighbours_of
from dipc.dipwhile.semantics.adjacency import Input
from dipc.dipwhile.semantics.neighbours import Explored
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.compile import read
from dipc.dipwhile.syntax.constants import evaluate, evaluate_parameters, evaluate_set
from dipc.dipwhile.syntax.core import CoreProgram
from dipc.dipwhile.syntax.printer import show_program
from dipc.dipwhile.syntax.unroll import Constants
from dipc.dipwhile.syntax.walk import expressions, nodes, own_parts, statements
from dipc.errors import InputError, Source
from dipc.models.values import Value

LEVELS = tuple(ast.Number(fmpq(level)) for level in (-1, 0, 1))
"""Of an output of numbers: 0 stands for (-1, 0]; far out, where claims break, that is like one number."""

Starts = Mapping[str, tuple[ast.Expr | None, ast.Name]]
"""By output: its start value, and the variable that holds what is put in levels."""


def decided(
    goal: Goal, program: CoreProgram, clock: Clock, pair: tuple[Input, Input] | None = None
) -> Verdict:
    """The claim for a finite program, or for one pair of its inputs.  Raises :class:`InputError`."""
    explored = Explored(program)
    explore = partial(neighbours_of, explored, pair=pair, clock=clock)
    return decide(goal, explored.space.size, explore, clock)


def declared_at(front: Front, sizes: Mapping[str, int]) -> CoreProgram | None:
    """The program for these sizes with the inputs that it declares; None if they are not finite."""
    if any(isinstance(d.domain, ast.Unlisted) for d in front.program.inputs):
        return None
    return program_at(front, sizes, {})


def some_inputs_at(front: Front, sizes: Mapping[str, int]) -> CoreProgram:
    """The program for these sizes with the finite sets that it declares, and some values of infinite ones."""
    constants = dict(front.constants)
    return program_at(front, sizes, {d.name: set(_some(d.domain, constants)) for d in front.program.inputs})


def _some(domain: ast.Domain, constants: Constants) -> tuple[fmpq, ...]:
    match domain:
        case ast.Reals() | ast.Integers():
            return fmpq(-1), fmpq(0), fmpq(1)
        case ast.Between(low, high):
            return tuple(evaluate(end, constants, "an end of the interval") for end in (low, high))
    return ()


def program_at(front: Front, sizes: Mapping[str, int], values: Mapping[str, set[fmpq]]) -> CoreProgram:
    """The program for these sizes; the sets of numeric inputs also have these values, by input.

    Raises :class:`InputError` if it is not one for `dipc check`, or if its outputs cannot be put in levels.
    """
    program = front.program
    numbers = {**dict(front.constants), **{name: fmpq(size) for name, size in sizes.items()}}
    params = tuple(
        replace(p, value=ast.Number(numbers[p.name])) if p.name in numbers else p for p in program.params
    )
    inputs = tuple(replace(d, domain=_widened(front, d, values.get(d.name, set()))) for d in program.inputs)
    levelled = _levelled(program)
    if levelled is None:
        raise InputError("an output without a finite set is read", program.outputs[0].span)
    claim = replace(program.claim, sizes=()) if program.claim is not None else None
    made = replace(
        levelled,
        params=params,
        inputs=inputs,
        outputs=tuple(_with_declared(front, d, numbers) for d in levelled.outputs),
        claim=claim,
        unknowns=(),
        priors=(),
        secrets=(),
    )
    return read(Source(front.source.name, show_program(made)))


def _widened(front: Front, declared: ast.Declaration, more: set[fmpq]) -> ast.Domain:
    known: tuple[Value, ...] = ()
    if not isinstance(declared.domain, ast.Unlisted):
        known = next(v.domain for v in front.finite.inputs if v.name == declared.name)
        if more <= {*known}:
            return declared.domain
    return ast.SetOf(tuple(map(ast.Number, sorted({*more, *(v for v in known if isinstance(v, fmpq))}))))


def _with_declared(front: Front, output: ast.Declaration, numbers: Mapping[str, fmpq]) -> ast.Declaration:
    """An output with the values that it has in the text, for a set that depends on the size."""
    named = {n.name for n in _nodes(output.domain) if isinstance(n, ast.Name)}
    if not named & {*front.sizes} or isinstance(output.domain, ast.Unlisted):
        return output
    known = next(v.domain for v in front.finite.outputs if v.name == output.name)
    own = evaluate_set(output.domain, dict(evaluate_parameters(front.program.params, numbers)))
    values = sorted(v for v in {*known, *own} if isinstance(v, fmpq))
    return replace(output, domain=ast.SetOf(tuple(map(ast.Number, values)))) if {*known} - {*own} else output


def _nodes(node: ast.Node) -> Iterator[ast.Expr]:
    return chain.from_iterable(map(nodes, expressions(node)))


# --- outputs in levels -----------------------------------------------------------------------


def _levelled(program: ast.Program) -> ast.Program | None:
    """The program with a finite set for every output; None if it reads one that has none."""
    suffix, text = "_exact", show_program(program)
    while suffix in text:
        suffix += "_"  # no variable of the program may be overwritten
    starts = {
        d.name: (d.start, ast.Name(d.name + suffix))
        for d in program.outputs
        if isinstance(d.domain, ast.Unlisted)
    }
    if any(name in starts for s, _ in statements(program.body) for name in _read(s)):
        return None
    outputs = tuple(replace(d, domain=_levels(d.start)) if d.name in starts else d for d in program.outputs)
    return replace(program, outputs=outputs, body=_block(program.body, starts)) if starts else program


def _levels(start: ast.Expr | None) -> ast.SetOf:
    return ast.SetOf(LEVELS if start is None or start in LEVELS else (*LEVELS, start))


def _name(target: ast.Name | ast.Index) -> str:
    return target.name if isinstance(target, ast.Name) else target.array


def _read(statement: ast.Statement) -> Iterator[str]:
    """The names that a statement itself reads."""
    for part in own_parts(statement):
        target = isinstance(statement, ast.Assign) and part is statement.target
        for expr in expressions(part):
            for node in nodes(expr):
                if isinstance(node, ast.Name | ast.Index) and not (target and node is part):
                    yield _name(node)


def _block(block: ast.Block, starts: Starts) -> ast.Block:
    return tuple(new for statement in block for new in _statement(statement, starts))


def _statement(statement: ast.Statement, starts: Starts) -> Iterator[ast.Statement]:
    """A statement that puts in levels what an output gets, unless it gets its start value."""
    match statement:
        case ast.Assign(target, value) if _name(target) in starts and value != starts[_name(target)][0]:
            name = starts[_name(target)][1]
            yield ast.Assign(name, value)
            yield ast.Assign(target, ast.Call("disc", (name, *LEVELS)))
        case ast.If(branches, otherwise):
            yield ast.If(tuple((c, _block(b, starts)) for c, b in branches), _block(otherwise, starts))
        case ast.For(variable, low, high, body):
            yield ast.For(variable, low, high, _block(body, starts))
        case ast.While(condition, body):
            yield ast.While(condition, _block(body, starts))
        case _:
            yield statement
