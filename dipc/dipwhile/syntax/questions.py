"""What a program says for ``dipc pufferfish`` only: unknown parameters, priors, secrets, claims of a number.

A prior is compiled as a program whose outputs are the inputs, with the passes of every other program.  It may
only draw from finite choices, so that the probability of an input is a polynomial in the unknowns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from flint import fmpq

from dipc.dipwhile.syntax import ast, types, walk
from dipc.dipwhile.syntax.arrays import array_sizes, assignments
from dipc.dipwhile.syntax.certain import check_certain, compile_about, refuse_names
from dipc.dipwhile.syntax.constants import check_known, evaluate
from dipc.dipwhile.syntax.core import CorePrior, Instruction, Variable
from dipc.dipwhile.syntax.everywhere import check_everywhere
from dipc.dipwhile.syntax.names import (
    Names,
    Scope,
    check_binder,
    check_names,
    collect_names,
    target_name,
)
from dipc.dipwhile.syntax.simplify import BITS, Linear, linear
from dipc.dipwhile.syntax.unroll import Constants, integers, substitute, unroll
from dipc.errors import InputError, Span
from dipc.models.values import show

# --- unknown parameters ----------------------------------------------------------------------


def check_unknowns(program: ast.Program, overrides: Mapping[str, fmpq]) -> None:
    """Refuse unknown parameters outside of priors, and values given for them."""
    unknown = {parameter.name for parameter in program.unknowns}
    for name in sorted(overrides.keys() & unknown):
        hint = f"choose a value in it by `dipc pufferfish ... --fix {name}={show(overrides[name])}`"
        raise InputError(f"the parameter `{name}` has a range, not a value", hint=hint)
    if not unknown:
        return
    declared = (*program.params, *program.inputs, *program.outputs, program.adjacency, program.claim)
    for part in (*declared, *program.body, *program.secrets):
        for expr in walk.expressions(part) if part is not None else ():
            refuse_unknown(expr, unknown, UNKNOWN_HINT)


UNKNOWN_HINT = "only the probabilities of a `prior` may depend on it; a constant is declared by `param N = 3`"


def refuse_unknown(expr: ast.Expr, unknown: Collection[str], hint: str) -> None:
    """Refuse an expression that depends on an unknown parameter."""
    for node in walk.nodes(expr):
        if isinstance(node, ast.Name) and node.name in unknown:
            raise InputError(f"only the range of `{node.name}` is known", node.span, hint)


def compile_unknowns(unknowns: Sequence[ast.Unknown], constants: Constants) -> tuple[ast.Unknown, ...]:
    """The ranges, whose ends may use earlier unknowns."""
    found: list[ast.Unknown] = []
    names = {parameter.name for parameter in unknowns}
    for parameter in unknowns:
        known = constants | {earlier.name: fmpq(0) for earlier in found}
        interval = parameter.interval
        if interval.high is None:
            hint = "give it a number: `param p in (0, 1)`"
            raise InputError(f"the range of `{parameter.name}` has no upper end", interval.span, hint)
        for end in (interval.low, interval.high):
            check_known(end, known, names)
            check_polynomial(end, "an end of a range")
        interval = walk.map_expressions(interval, lambda end: substitute(end, constants))
        match interval.low, interval.high:
            case ast.Number(low), ast.Number(high) if is_empty(interval, low, high):
                hint = "its lower end comes first: `(0, 1)`"
                raise InputError(f"the range of `{parameter.name}` is empty", interval.span, hint)
        found.append(replace(parameter, interval=interval))
    return tuple(found)


def is_empty(interval: ast.Interval, low: fmpq, high: fmpq) -> bool:
    """Whether an interval with these ends has no number."""
    return low > high or (low == high and not (interval.low_closed and interval.high_closed))


def check_polynomial(expr: ast.Expr, what: str) -> None:
    """Refuse what is not built from numbers and names with ``+ - * / ^``."""
    for node in walk.nodes(expr):
        match node:
            case ast.Number() | ast.Name() | ast.Index() | ast.Unary(ast.Op.NEG):
                continue
            case ast.Binary(op) if op in ast.ARITHMETIC:
                continue
        message = f"{what} must be built from numbers and parameters with `+ - * / ^`"
        raise InputError(message, node.span, "for example `p`, `1 - p` or `p*(1 - p)/2`")


# --- priors ----------------------------------------------------------------------------------


def compile_prior(
    prior: ast.Prior, program: ast.Program, constants: Constants, inputs: Sequence[Variable]
) -> CorePrior:
    """A prior, checked and unrolled, as a program of its own whose outputs are the inputs."""
    first = next(other for other in program.priors if other.name == prior.name)
    if prior.name is not None and first is not prior:
        hint = f"the first is on line {first.span.line}: rename one of them"
        raise InputError(f"a second prior `{prior.name}`", prior.span, hint)
    unknown = frozenset(parameter.name for parameter in program.unknowns)
    for statement, _ in walk.statements(prior.body):
        check_statement(statement, {output.name for output in program.outputs})
    ranges = (ast.Param(u.name, ast.Number(fmpq(0)), span=u.span) for u in program.unknowns)
    drawing = ast.Program((*program.params, *ranges), (), program.inputs, None, None, prior.body)
    names = collect_names(drawing)
    check_names(drawing, names)
    arrays = check_everywhere(replace(drawing, outputs=()), inputs, {}, names.locals, noise_in_loops=True)
    code = unroll(prior.body, constants, prior.span)
    for instruction in code:
        for part in types.settled_parts(instruction):
            refuse_unknown(part, unknown, "in a prior, only probabilities may depend on it")
    sizes = array_sizes(code, inputs, arrays)
    types.check_constants(code)
    check_certain(code, sizes, {})
    check_all_drawn(prior, code, inputs)
    return CorePrior(prior.name, code, names.variables, tuple(sizes.items()), prior.span)


DRAWS_HINT = "a prior draws the inputs with `flip`, `choose`, `uniform`, `for` and `if`"


def check_statement(statement: ast.Statement, outputs: Collection[str]) -> None:
    """Refuse noise, eps, loops with a condition, ``exit`` and outputs."""
    match statement:
        case ast.While() | ast.Exit():
            word = type(statement).__name__.lower()
            raise InputError(f"`{word}` is not allowed in a prior", statement.span, DRAWS_HINT)
        case ast.Assign(_, ast.Noise() | ast.ExpMechanism() as drawn):
            word = drawn.kind if isinstance(drawn, ast.Noise) else "Exp"
            raise InputError(f"`{word}` is not allowed in a prior", drawn.span, DRAWS_HINT)
    for node in (node for part in walk.own_parts(statement) for node in walk.preorder(part, walk.parts)):
        match node:
            case ast.Eps() | ast.Call("exp"):
                word = "eps" if isinstance(node, ast.Eps) else node.function
                hint = "use a number, or a parameter with a range: `param p in (0, 1)`"
                message = f"`{word}` is not allowed in a prior: beliefs do not depend on the privacy budget"
                raise InputError(message, node.span, hint)
            case ast.Name() | ast.Index() if target_name(node) in outputs:
                message = f"`{target_name(node)}` is an output: a prior is about the inputs only"
                raise InputError(message, node.span, DRAWS_HINT)


def check_all_drawn(prior: ast.Prior, code: Sequence[Instruction], inputs: Sequence[Variable]) -> None:
    """Refuse a prior in which no assignment can be to some input cell."""
    assigned: set[tuple[str, int]] = set()
    for instruction in assignments(code):
        match instruction.target:
            case ast.Name(name):
                assigned.add((name, 0))
            case ast.Index(name, ast.Number(index)):
                assigned.add((name, int(index.p)))
            case ast.Index(name):
                assigned.update(cell for v in inputs if v.name == name for cell in v.cells)
    for cell, place in (cell for variable in inputs for cell in variable.cells):
        if (cell, place) not in assigned:
            raise not_drawn(f"{cell}[{place}]" if place else cell, prior.span)


def not_drawn(cell: str, span: Span) -> InputError:
    """The error for an input cell that a prior leaves open."""
    hint = f"every input needs a value on every path, for example `{cell} <- choose {{0: 1/3, 1: 2/3}}`"
    return InputError(f"this prior does not draw `{cell}`", span, hint)


# --- secrets ---------------------------------------------------------------------------------


def secrets(
    line: ast.Secrets,
    names: Names,
    inputs: Sequence[Variable],
    constants: Constants,
    scope: Scope = frozenset(),
) -> Iterator[ast.Secret]:
    """The secrets of one line, for every value of the variables of its loops."""
    match line:
        case ast.Secret():
            yield walk.map_expressions(
                line, lambda side: compile_event(side, names, inputs, constants, scope)
            )
        case ast.SecretFor(variable, low, high, body):
            check_binder(variable, line.span, names, scope)
            ends = [
                ast.Number(evaluate(end, constants, "a bound of the loop"), span=end.span)
                for end in (low, high)
            ]
            for value in integers(*ends):
                for inner in body:
                    known = {**constants, variable: fmpq(value)}
                    yield from secrets(inner, names, inputs, known, scope | {variable})
        case _:
            assert_never(line)


def compile_event(
    expr: ast.Expr, names: Names, inputs: Sequence[Variable], constants: Constants, scope: Scope
) -> ast.Expr:
    """A Boolean expression over the inputs."""
    refuse_names(expr, names.outputs | names.locals, "an input", "a secret refers to inputs only")
    return compile_about(expr, inputs, constants, "a secret", atoms=names.atoms, scope=scope)


# --- claims of a number ----------------------------------------------------------------------


def exponent_of(epsilon: ast.Expr) -> Linear | None:
    """An epsilon as a sum: of rational numbers (None), of multiples of eps ("eps") and of ``q*ln(r)`` (r).

    Here r is a number, or the expression of a function of eps.

    >>> from dipc.dipwhile.syntax.parser import parse_expression
    >>> exponent_of(parse_expression("2*ln(3) + 1 - eps/2")) == {3: 2, None: 1, "eps": fmpq(-1, 2)}
    True
    """

    def leaf(node: ast.Expr) -> Linear | None:
        match node:
            case ast.Eps():
                return {"eps": fmpq(1)}
            case ast.Call("ln", (ast.Number(value),)):
                return {value: fmpq(1)}
            case ast.Call("ln", (argument,)):
                return {argument: fmpq(1)}
        return None

    return linear(epsilon, leaf)


LN_HINT = "for example `ln(2)`, `ln(9)/2` or `1.372`"


def whole_power(power: fmpq, base: ast.Expr) -> fmpq:
    """The power of a logarithm of a function, which is whole."""
    if power.q != 1:
        message = f"`{power}*ln(...)` of a function of eps takes a root of it, which dipc does not have"
        raise InputError(message, base.span, "a whole number before ln")
    return power


def rational_power(base: fmpq, power: fmpq, span: Span) -> fmpq:
    """``base^power``, if that is a rational number."""
    if base <= 0:
        raise InputError(f"`ln({show(base)})` has no value", span, LN_HINT)
    if base.height_bits() * abs(power.p) + power.q > BITS:
        raise InputError(f"`exp({power}*ln({show(base)}))` is too large", span, LN_HINT)
    roots = [part.root(int(power.q)) for part in (base.p, base.q)]
    if any(root ** int(power.q) != part for root, part in zip(roots, (base.p, base.q), strict=True)):
        message = f"`exp({power}*ln({show(base)}))` is not a rational number"
        raise InputError(message, span, LN_HINT)
    return fmpq(*roots) ** int(power.p)
