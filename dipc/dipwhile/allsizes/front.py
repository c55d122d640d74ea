"""The checks of `dipc prove`, and the names of the sizes of a program.

A parameter that is the size of an input array, as in ``input q[N]``, is a *size*: it stands for every integer
>= 1.  A claim ``for all N`` names the sizes itself; all other parameters keep their values.  A number from
outside (``-D N=4``) makes a size a parameter again.

The checks are those of every command, on a finite version of the program: sizes as declared, some values of
each infinite set.  What is wrong there is refused with the same words as by `dipc check`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from flint import fmpq

from dipc.dipwhile.pipeline import no_adjacency
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.compile import NO_OVERRIDES, compile_program
from dipc.dipwhile.syntax.core import CoreProgram
from dipc.dipwhile.syntax.types import names_in
from dipc.dipwhile.syntax.walk import expressions, nodes
from dipc.errors import InputError, Source, Unsupported
from dipc.suggest import did_you_mean


def finite_version(
    program: ast.Program, source: Source, overrides: Mapping[str, fmpq] = NO_OVERRIDES
) -> CoreProgram:
    """The program with the declared sizes and some values of each infinite set, after all checks.

    Its inputs are not those of the claim.  Raises :class:`InputError` for what is wrong in the text, and
    :class:`Unsupported` for a claim that changes with the sizes.  Whether the method covers the program is
    not asked here.  For a claim from outside, replace that of the program.
    """
    finite = compile_program(program, source, overrides, sampled=True)
    if finite.adjacency is None:
        raise no_adjacency(finite)
    refuse_varying(program.claim, symbolic(program, sizes_of(program, overrides), overrides))
    return finite


def sizes_of(program: ast.Program, overrides: Mapping[str, fmpq]) -> tuple[str, ...]:
    """The parameters that stand for every integer >= 1."""
    free = free_sizes(program)
    named = program.claim.sizes if program.claim else ()
    for size in named:
        if size.name not in free:
            computed = size.name in symbolic(program, free, {})
            what = "computed from other parameters" if computed else "not the size of an input array"
            hint = f"write `for all {', '.join(free)}`" if free else NO_SIZE
            hint = did_you_mean(size.name, free, hint)
            raise InputError(f"`{size.name}` is {what}", size.span, hint)
    asked = {size.name for size in named} or {*free}
    return tuple(name for name in free if name in asked and name not in overrides)


NO_SIZE = "declare an array with a parameter for its size: `param N = 3; input q[N] in reals`"


def free_sizes(program: ast.Program) -> tuple[str, ...]:
    """The parameters that are sizes of input arrays and are not computed from others that are."""
    sizes = {
        declaration.size.name for declaration in program.inputs if isinstance(declaration.size, ast.Name)
    }
    found: tuple[str, ...] = ()
    for param in program.params:
        if param.name in sizes and not names_in(param.value) & symbolic(program, found, {}):
            found += (param.name,)
    return found


def symbolic(program: ast.Program, sizes: tuple[str, ...], overrides: Mapping[str, fmpq]) -> frozenset[str]:
    """The sizes, and the parameters that are computed from them; a number from outside is not computed."""
    found = frozenset(sizes)
    for param in program.params:
        if param.name not in overrides and names_in(param.value) & found:
            found |= {param.name}
    return found


def refuse_varying(claim: ast.Claim | None, names: frozenset[str]) -> None:
    """Refuse a claim such as ``N*eps``: for every size there is one t."""
    parts = expressions(replace(claim, sizes=())) if claim else ()
    for node in (node for part in parts for node in nodes(part)):
        if isinstance(node, ast.Name) and node.name in names:
            hint = f"give it a number: `-D {node.name}=3`, or ask `dipc budget --all-sizes` for one t"
            raise Unsupported(f"the claim changes with the size `{node.name}`", node.span, hint)
