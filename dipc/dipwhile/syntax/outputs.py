"""Rules about whole instructions: outputs are finite, loops hold no noise, what is supported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.arrays import assignments
from dipc.dipwhile.syntax.core import Draw, Instruction, Put, Test, Variable
from dipc.dipwhile.syntax.fragment import violation
from dipc.dipwhile.syntax.kinds import INTEGERS, NUMBERS, RANDOM, REALS, describe, never, surely
from dipc.dipwhile.syntax.names import target_name
from dipc.dipwhile.syntax.types import Kinding, assigned_kinds
from dipc.errors import InputError
from dipc.models.values import Atom, Value, show


def check_outputs(code: Iterable[Instruction], outputs: Mapping[str, Variable], kinding: Kinding) -> None:
    """Outputs are assigned values of their set, never raw noise (rule 6)."""
    for target, value in assignments(code):
        if target_name(target) in outputs:
            check_output(value, outputs[target_name(target)], kinding)


def check_output(assigned: ast.Expr | ast.Distribution, output: Variable, kinding: Kinding) -> None:
    """Refuse a value that can never be in the set of the output."""
    kinds = assigned_kinds(assigned, kinding)
    if surely(kinds, REALS):
        hint = f"round it first, for example `{output.name} <- disc(r, -1, 0, 1)`"
        raise violation(6, f"the output `{output.name}` is assigned {describe(kinds)}", assigned.span, hint)
    for expr, value in constants(assigned):
        if value not in output.domain:
            message = f"the output `{output.name}` is assigned `{show(value)}`, which is not in its set"
            raise InputError(message, expr.span, f"its set is `{show_domain(output.domain)}`")
    # An integer random variable may be assigned where its values are finitely many: found in exploration.
    possible = kinds | NUMBERS if kinds & INTEGERS else kinds
    if never(possible, kinding[output.name]):
        hint = f"its set is `{show_domain(output.domain)}`"
        raise InputError(f"the output `{output.name}` is assigned {describe(kinds)}", assigned.span, hint)


def constants(assigned: ast.Expr | ast.Distribution) -> Iterator[tuple[ast.Expr | ast.Distribution, Value]]:
    """The constants among the values that are assigned."""
    match assigned:
        case ast.Choose(options):
            candidates: Sequence[ast.Expr | ast.Distribution] = [value for value, _ in options]
        case ast.Uniform(ast.SetOf(members)):
            candidates = members
        case _:
            candidates = (assigned,)
    for expr in candidates:
        match expr:
            case ast.Number(value):
                yield expr, value
            case ast.Name("true" | "false" as name):
                yield expr, Atom(name)


def show_domain(domain: Sequence[Value]) -> str:
    """The set of an output, shortened to ten values."""
    shown = [show(value) for value in domain[:10]] + ["..."] * (len(domain) > 10)
    return "{" + ", ".join(shown) + "}"


def check_loops(code: Sequence[Instruction], kinding: Kinding) -> None:
    """No random variable is assigned between a ``while`` and its ``end`` (rule 2)."""
    inside = 0
    for position, instruction in enumerate(code):
        match instruction:
            case Test(_, otherwise, is_loop=True):
                inside = max(inside, otherwise)
            case Put(target, value, span) | Draw(target, value, span) if position < inside and surely(
                assigned_kinds(value, kinding), RANDOM
            ):
                name = target_name(target)
                message = f"the random variable `{name}` is assigned inside a `while`"
                raise violation(2, message, span, "use a `for` loop with constant bounds, which is unrolled")
