"""The finite program of a counterexample: one size, and the values of two inputs.

Its text is that of the program with a number for the size, the inputs in a set with the values of the pair,
and outputs without a finite set in levels: what breaks the claim after a function of the outputs breaks it
before.  The exact engine decides it, and writes the certificate, as for any program.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from flint import fmpq

from dipc.claims.deciding import decide
from dipc.claims.privacy import Goal
from dipc.claims.verdict import Verdict
from dipc.clock import Clock
from dipc.dipwhile.allsizes.declared import Declared
from dipc.dipwhile.allsizes.question import Question
from dipc.dipwhile.allsizes.rewrite import read_by
from dipc.dipwhile.hub.explored import Explored
from dipc.dipwhile.pipeline import neighbours_of
from dipc.dipwhile.semantics.adjacency import Input
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.compile import read
from dipc.dipwhile.syntax.constants import sample
from dipc.dipwhile.syntax.core import CoreProgram
from dipc.dipwhile.syntax.names import target_name
from dipc.dipwhile.syntax.printer import show_program
from dipc.dipwhile.syntax.types import names_in
from dipc.dipwhile.syntax.unroll import Constants
from dipc.dipwhile.syntax.walk import statements
from dipc.errors import InputError, Source
from dipc.models.values import Valuation, Value, show

LEVELS = tuple(ast.Number(fmpq(level)) for level in (-1, 0, 1))
"""Of an output of numbers: 0 stands for (-1, 0]; far out, where claims break, that is like one number."""

Levelled = Mapping[str, tuple[ast.Declaration, ast.Name]]
"""By output: how it is declared now, and the variable that holds what is put in levels."""


def decided(
    goal: Goal, program: CoreProgram, clock: Clock, pair: tuple[Input, Input] | None = None
) -> Verdict:
    """The claim for a finite program, or for one pair of its inputs.  Raises :class:`InputError`."""
    explored = Explored(program)
    explore = partial(neighbours_of, explored, pair=pair, clock=clock)
    return decide(goal, explored.space.size, explore, clock)


def program_at(
    asked: Question, sizes: Mapping[str, int], values: Mapping[str, Collection[fmpq]]
) -> CoreProgram:
    """The program for these sizes; ``values`` replace the sets of inputs, by name.

    Other inputs keep the sets that they declare, or have some values of an infinite one.  Raises
    :class:`InputError` if it is not a program for `dipc check`, or if its outputs cannot be put in levels.
    """
    program = asked.program
    declared = asked.declared_at(sizes)
    params = tuple(replace(p, value=ast.Number(declared.constants[p.name])) for p in program.params)
    levelled = _levelled(program, declared)
    if levelled is None:
        raise InputError("an output without a finite set is read", program.outputs[0].span)
    claim = replace(program.claim, sizes=()) if program.claim is not None else None
    inputs = tuple(listed(d, declared.constants, values.get(d.name, ())) for d in program.inputs)
    finite = replace(levelled, params=params, inputs=inputs, claim=claim)
    made = replace(finite, unknowns=(), priors=(), secrets=())
    return read(Source(asked.source.name, show_program(made)))


def listed(input: ast.Declaration, constants: Constants, some: Collection[fmpq] = ()) -> ast.Declaration:
    """The input with these values for a set, or with some values of an infinite one."""
    if not some and isinstance(input.domain, ast.Unlisted):
        some = sample(input.domain, constants)
    numbers = tuple(map(ast.Number, sorted(some)))
    return replace(input, domain=ast.SetOf(numbers)) if numbers else input


def event(program: ast.Program, output: Valuation) -> str:
    """What an output of :func:`program_at` stands for: ``out[1] <= -1, w = bot``; empty if it is itself."""
    levelled = {d.name for d in program.outputs if isinstance(d.domain, ast.Unlisted)}
    return ", ".join(chain(*(_events(*item, item[0] in levelled) for item in output))) if levelled else ""


def _events(name: str, value: Value | tuple[Value, ...], levelled: bool) -> Iterator[str]:
    if isinstance(value, tuple) and levelled:
        for k, each in enumerate(value, 1):
            yield from _events(f"{name}[{k}]", each, levelled)
    elif levelled and isinstance(value, fmpq):
        below = [level.value for level in LEVELS if level.value < value]
        if value == LEVELS[-1].value:  # everything above the others
            yield f"{name} > {below[-1]}"
        else:
            yield f"{below[-1]} < {name} <= {value}" if below else f"{name} <= {value}"
    else:
        yield f"{name} = {show(value)}"


# --- outputs in levels -----------------------------------------------------------------------


def levels(program: ast.Program, declared: Declared) -> Levelled:
    """The outputs without a finite set."""
    suffix, text = "_exact", show_program(program)
    while suffix in text:
        suffix += "_"  # no variable of the program may be overwritten
    return {
        d.name: (_in_levels(d, declared), ast.Name(d.name + suffix))
        for d in program.outputs
        if isinstance(d.domain, ast.Unlisted)
    }


def _levelled(program: ast.Program, declared: Declared) -> ast.Program | None:
    """The program with a finite set for every output; None if it reads one that has none.

    The new outputs are a function of the old ones: a number becomes its level, an atom stays.
    """
    levelled = levels(program, declared)
    read = (e for s, _ in statements(program.body) for e in read_by(s))
    if any(names_in(e) & levelled.keys() for e in read):
        return None
    outputs = tuple(levelled[d.name][0] if d.name in levelled else d for d in program.outputs)
    return replace(program, outputs=outputs, body=in_levels(program.body, levelled))


def _in_levels(output: ast.Declaration, declared: Declared) -> ast.Declaration:
    """The output with its levels for a set; a start value that is a number becomes its level."""
    if output.start is None:
        return replace(output, domain=ast.SetOf(LEVELS))
    start = declared.value(output.start, f"the start value of `{output.name}`")
    if not isinstance(start, fmpq):
        return replace(output, domain=ast.SetOf((*LEVELS, output.start)))
    level = next((level for level in LEVELS if start <= level.value), LEVELS[-1])
    return replace(output, domain=ast.SetOf(LEVELS), start=level)


def in_levels(block: ast.Block, levelled: Levelled) -> ast.Block:
    """A block that puts in levels what outputs get."""
    return tuple(new for statement in block for new in _statement(statement, levelled))


def _statement(statement: ast.Statement | ast.Rewritten, levelled: Levelled) -> Iterator[Any]:
    match statement:
        case ast.Assign(target, value) if target_name(target) in levelled:
            output, name = levelled[target_name(target)]
            if isinstance(value, ast.Name) and value == output.start:  # the atom that it starts with
                yield statement
            else:
                yield ast.Assign(name, value)
                yield ast.Assign(target, ast.Call("disc", (name, *LEVELS)))
        case ast.If(branches, otherwise):
            blocks = tuple((condition, in_levels(inside, levelled)) for condition, inside in branches)
            yield replace(statement, branches=blocks, otherwise=in_levels(otherwise, levelled))
        case ast.For(body=body) | ast.While(body=body):
            yield replace(statement, body=in_levels(body, levelled))
        case ast.Pick(winner=winner):  # no other block has an assignment that lasts
            yield replace(statement, winner=in_levels(winner, levelled))
        case _:
            yield statement
