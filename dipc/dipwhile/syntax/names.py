"""Which names a program has, and that every name is known.

A name is a parameter, an input, an output, a local variable (it is assigned somewhere), a
``for`` or fold variable (known inside its loop), or an atom.  An atom must be listed somewhere:
in the set of an input or output, or as a value of ``choose``, ``uniform`` or ``Exp``.  This
catches misspelt variables, which would otherwise silently become atoms.

The check runs on the syntax tree, so that it also covers statements that unrolling removes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.functions import FUNCTIONS, check_call
from dipc.dipwhile.syntax.printer import as_written
from dipc.dipwhile.syntax.walk import children, expressions, own_parts, statements
from dipc.errors import InputError, Span
from dipc.excerpts import article
from dipc.suggest import did_you_mean

TRUTH = frozenset({"true", "false"})

Scope = frozenset[str]
"""The ``for`` and fold variables known at a place."""


@dataclass(frozen=True)
class Names:
    """The names of a program, by role."""

    parameters: frozenset[str]
    inputs: frozenset[str]
    outputs: frozenset[str]
    locals: frozenset[str]
    atoms: frozenset[str]

    @cached_property
    def variables(self) -> frozenset[str]:
        """Everything that has a value while the program runs."""
        return self.inputs | self.outputs | self.locals

    @cached_property
    def everything(self) -> frozenset[str]:
        """All names that an expression may mention."""
        return self.parameters | self.variables | self.atoms | TRUTH


def collect_names(program: ast.Program) -> Names:
    """The names of a program; refuses a name with two roles."""
    declared: dict[str, str] = {}
    params: tuple[ast.Param | ast.Unknown, ...] = (*program.params, *program.unknowns)
    roles: tuple[tuple[str, Sequence[ast.Param | ast.Unknown | ast.Declaration]], ...]
    roles = (("parameter", params), ("input", program.inputs), ("output", program.outputs))
    for role, parts in roles:
        for part in parts:
            name, span = part.name, part.span
            if name in TRUTH:
                message = f"`{name}` is a truth value and cannot name {article(role)}"
                raise InputError(message, span, "choose another name")
            if name in declared:
                hint = f"it is already {article(declared[name])}: rename one of them"
                raise InputError(f"`{name}` is declared twice", span, hint)
            declared[name] = role
    parameters, inputs, outputs = (frozenset(part.name for part in parts) for _, parts in roles)
    assigned: dict[str, Span] = {}
    assigns = [(it, scope) for it, scope in statements(program.body) if isinstance(it, ast.Assign)]
    for statement, scope in assigns:
        if target_name(statement.target) not in scope:
            assigned.setdefault(target_name(statement.target), statement.target.span)
    locals_ = frozenset(assigned) - frozenset(declared)
    atoms: dict[str, Span] = {}
    for declaration in (*program.inputs, *program.outputs):
        domain, start = declaration.domain, declaration.start
        if isinstance(domain, ast.Unlisted) and start is not None:  # the only member that is written down
            domain = ast.SetOf((start,))
        for member in listed(domain):
            atoms.setdefault(member.name, member.span)
    for name in (name for name in atoms if name in inputs | outputs | locals_):
        hint = "it is listed in the set of an input or output: rename the variable"
        raise InputError(f"`{name}` is both an atom and a variable", assigned.get(name, atoms[name]), hint)
    variables = locals_ | frozenset(declared)
    for statement, scope in assigns:
        if not isinstance(statement.value, ast.Expr):
            for value in chosen(statement.value):
                if value.name not in variables and value.name not in scope:
                    atoms.setdefault(value.name, value.span)
    return Names(parameters, inputs, outputs, locals_, frozenset(atoms) - parameters - TRUTH)


def listed(values: ast.Domain) -> Iterator[ast.Name]:
    """The names among the members of a set."""
    if isinstance(values, ast.SetOf):
        yield from (member for member in values.members if isinstance(member, ast.Name))


def chosen(distribution: ast.Distribution) -> Iterator[ast.Name]:
    """The names among the values of a finite choice."""
    match distribution:
        case ast.Choose(options):
            yield from (value for value, _ in options if isinstance(value, ast.Name))
        case ast.Uniform(support) | ast.ExpMechanism(_, _, support):
            yield from listed(support)


def target_name(target: ast.Name | ast.Index) -> str:
    """The variable or array that is assigned."""
    return target.name if isinstance(target, ast.Name) else target.array


def check_names(program: ast.Program, names: Names) -> None:
    """Refuse unknown names, unknown functions, and assignments to what cannot be assigned."""
    for statement, scope in statements(program.body):
        parts = [(part, scope) for part in own_parts(statement)]
        match statement:
            case ast.Assign(target, value):
                check_target(target, names, scope)
                parts = [(value, scope)]
                if isinstance(value, ast.ExpMechanism):
                    check_binder(value.variable, value.span, names, scope)
                    inside = scope | {value.variable}
                    parts = [(value.rate, scope), (value.support, scope), (value.score, inside)]
            case ast.For(variable):
                check_binder(variable, statement.span, names, scope)
        for part, known in parts:
            for expr in expressions(part):
                check_expression(expr, names, known)


def check_target(target: ast.Name | ast.Index, names: Names, scope: Scope) -> None:
    """May this be assigned?"""
    name = target_name(target)
    roles = (
        (names.parameters, "a parameter", f"copy it first: `x <- {name}`"),
        (names.inputs, "an input", "copy it into a variable first"),
        (scope, "the variable of an enclosing `for`", "use another variable"),
        (TRUTH, "a truth value", "rename it"),
    )
    for known, role, hint in roles:
        if name in known:
            raise InputError(f"`{name}` is {role} and cannot be assigned", target.span, hint)
    if isinstance(target, ast.Index):
        check_expression(target.index, names, scope)


def check_binder(variable: str, span: Span, names: Names, scope: Scope) -> None:
    """May this name a ``for`` or fold variable?"""
    if variable in names.everything or variable in scope:
        hint = "give this loop a variable of its own"
        raise InputError(f"`{variable}` already has a meaning here", span, hint)


def check_expression(expr: ast.Expr, names: Names, scope: Scope, primes: bool = False) -> None:
    """Is every name in the expression known?  ``primes``: it may mention ``q'``."""
    todo = [(expr, scope)]
    everything = names.everything
    while todo:
        node, known = todo.pop()
        match node:
            case ast.Name(name, primed):
                check_prime(name, primed, node.span, names, primes)
                if name not in everything and name not in known:
                    raise unknown(name, node.span, everything | known)
            case ast.Index(array, _, primed):
                check_prime(array, primed, node.span, names, primes)
                if array not in names.variables:
                    raise unknown_array(array, node.span, names, known)
            case ast.Fold(_, variable):
                check_binder(variable, node.span, names, known)
                todo.append((node.body, known | {variable}))
                todo.extend(((node.high, known), (node.low, known)))
                continue
            case ast.Call():
                check_no_cell(node, names, known)
                check_call(node)
        todo += [(part, known) for part in reversed(children(node))]


def check_no_cell(call: ast.Call, names: Names, scope: Scope) -> None:
    """``q(1)``, where ``q[1]`` is meant."""
    name = call.function
    known = any(name in some for some in (names.variables, names.parameters, scope))
    if not known or name in FUNCTIONS:
        return
    arguments = ", ".join(map(as_written, call.arguments))
    hint = f"cells are written `{name}[{arguments}]`, products `{name}*({arguments})`"
    raise InputError(f"`{name}` is not a function", call.span, hint)


def check_prime(name: str, primed: bool, span: Span, names: Names, primes: bool) -> None:
    """Refuse ``q'`` outside adjacency formulas, and for anything but inputs."""
    if primed and not primes:
        hint = "it refers to the neighbouring input"
        raise InputError(f"`{name}'` is allowed only in an adjacency formula", span, hint)
    if primed and name not in names.inputs:
        message = f"`{name}'` has no meaning: `{name}` is not an input"
        raise InputError(message, span, did_you_mean(name, names.inputs))


def unknown(name: str, span: Span, known: Iterable[str]) -> InputError:
    """The error for a name that has no meaning."""
    if name == "e":
        return InputError("unknown name `e`", span, "write `exp(x)` for the power of e")
    known = {*known, "eps"} if name[0] in "eE" else known
    hint = "assign it first, or list it in the set of an input or output"
    return InputError(f"unknown name `{name}`", span, did_you_mean(name, known, hint))


def unknown_array(name: str, span: Span, names: Names, scope: Scope) -> InputError:
    """The error for an index into something that is not an array."""
    if name in names.everything | scope:
        return InputError(f"`{name}` is not an array", span, "remove the index")
    return InputError(f"unknown array `{name}`", span, did_you_mean(name, names.variables))
