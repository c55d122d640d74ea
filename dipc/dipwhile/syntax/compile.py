"""Syntax tree to core program: the entry to the front end.

The passes, in order: names, parameters, declarations, unrolling, arrays, places of eps, kinds, rules,
adjacency and claim.  Each is a separate module and refuses what it finds wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from flint import fmpq

from dipc.dipwhile.syntax.arrays import array_sizes, check_arrays
from dipc.dipwhile.syntax.ast import Declaration, Program
from dipc.dipwhile.syntax.claims import compile_adjacency, compile_claim
from dipc.dipwhile.syntax.constants import evaluate_parameters, evaluate_set, evaluate_size, evaluate_value
from dipc.dipwhile.syntax.core import CoreProgram, Variable
from dipc.dipwhile.syntax.eps_positions import check_budget
from dipc.dipwhile.syntax.kinds import show_domain
from dipc.dipwhile.syntax.names import check_names, collect_names
from dipc.dipwhile.syntax.parser import parse
from dipc.dipwhile.syntax.types import check_loops, check_outputs, check_types, declared_kinds, infer
from dipc.dipwhile.syntax.unroll import Constants, unroll
from dipc.errors import InputError, Source, Span
from dipc.models.values import show

__all__ = ["compile_claim", "compile_program", "read"]

NO_OVERRIDES: Mapping[str, fmpq] = MappingProxyType({})


def read(source: Source, overrides: Mapping[str, fmpq] = NO_OVERRIDES) -> CoreProgram:
    """Text to core program.

    >>> core = read(Source("a.dip", "param N = 2; output o[N] in {0, 1}; for i in 1..N do o[i] <- 0 end"))
    >>> core.arrays, len(core.code)
    ((('o', 2),), 3)
    """
    return compile_program(parse(source), source, overrides)


def compile_program(
    program: Program, source: Source, overrides: Mapping[str, fmpq] = NO_OVERRIDES
) -> CoreProgram:
    """Check and unroll a program."""
    names = collect_names(program)
    parameters = evaluate_parameters(program.params, overrides)
    inputs = tuple(declare_input(declaration, parameters) for declaration in program.inputs)
    outputs = tuple(declare(declaration, parameters) for declaration in program.outputs)
    if not outputs:
        hint = "declare one: `output b in {true, false}`"
        raise InputError("the program has no output", Span(source, 0, 0), hint)
    check_names(program, names)

    end = len(source.text.rstrip())
    code = unroll(program.body, parameters, Span(source, end, end))
    sizes = array_sizes(code, {variable.name: variable.size for variable in (*inputs, *outputs)})
    check_arrays(code, sizes)
    check_budget(code)
    kinding = infer(code, declared_kinds((*inputs, *outputs)), names.locals)
    check_types(code, kinding)
    check_loops(code, kinding)
    check_outputs(code, {output.name: output for output in outputs}, kinding)

    adjacency, claim = program.adjacency, program.claim
    return CoreProgram(
        source=source,
        parameters=tuple(parameters.items()),
        inputs=inputs,
        outputs=outputs,
        adjacency=compile_adjacency(adjacency, names, inputs, parameters) if adjacency else None,
        claim=compile_claim(claim, parameters) if claim else None,
        code=code,
        variables=names.variables,
        arrays=tuple(sizes.items()),
    )


def declare(declaration: Declaration, constants: Constants) -> Variable:
    """An input or output with its size, set and start value."""
    size = None if declaration.size is None else evaluate_size(declaration.size, constants, declaration.name)
    domain = evaluate_set(declaration.domain, constants)
    start = None
    if declaration.start is not None:
        start = evaluate_value(declaration.start, constants)
        if start not in domain:
            message = f"the start value `{show(start)}` is not in the set"
            raise InputError(message, declaration.start.span, f"the set is `{show_domain(domain)}`")
    return Variable(declaration.name, size, domain, start, declaration.span)


def declare_input(declaration: Declaration, constants: Constants) -> Variable:
    """An input, which has no start value."""
    if declaration.start is not None:
        message = f"the input `{declaration.name}` cannot have a start value"
        hint = "an input takes every value of its set in turn: remove it"
        raise InputError(message, declaration.start.span, hint)
    return declare(declaration, constants)
