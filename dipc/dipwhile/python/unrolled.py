"""A function read by running it with symbols: its program has no loops, and no parameters.

The values of the parameters are put into the declarations too: nothing can be claimed for other sizes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flint import fmpq

from dipc.dipwhile.python.constants import GENERATORS, Constants
from dipc.dipwhile.python.interpreter import Interpreter
from dipc.dipwhile.python.outside import Outside
from dipc.dipwhile.python.paths import Branches, frozen, order
from dipc.dipwhile.python.scope import number
from dipc.dipwhile.python.source import FunctionText, python_number
from dipc.dipwhile.python.values import (
    LOST,
    Items,
    Ref,
    Sym,
    Table,
    Value,
    Word,
    is_number,
    kind_of,
    possible_values,
)
from dipc.dipwhile.python.words import BUDGETS
from dipc.dipwhile.syntax import ast as dip
from dipc.dipwhile.syntax.ast import Assign, Eps, Expr, Index, Name, Number, Program
from dipc.dipwhile.syntax.constants import declare
from dipc.dipwhile.syntax.core import Variable
from dipc.dipwhile.syntax.walk import rebuilt, statements
from dipc.errors import InputError
from dipc.excerpts import plural
from dipc.models.values import FALSE, TRUE, Atom

MOST_STATEMENTS = 20_000


def read_unrolled(
    text: FunctionText,
    parts: Program,
    given: Constants,
    changed: Mapping[str, fmpq],
    apart: frozenset[str] = frozenset(),
) -> tuple[Program, tuple[str, ...]]:
    """The program of a function, with notes.

    Paths meet although they differ in the values of variables, ``apart`` aside. If the function is refused
    then, it may be because of a ``while`` that could run on for ever so: it is read again.
    """
    taken = {*text.words, *(d.name for d in (*parts.inputs, *parts.outputs))}
    known = given.numbers
    m = Interpreter(text, Outside(known, changed), taken)
    m.apart = apart
    for note in given.notes:
        m.note(note)
    arguments = arguments_of(m, given.others)
    parts = substituted(parts, {name: number(value, text.place) for name, value in known.items()})
    inputs = [declare(declaration, {}) for declaration in parts.inputs]
    outputs = [declare(declaration, {}) for declaration in parts.outputs]
    m.declared = frozenset(str(v) for variable in (*inputs, *outputs) for v in variable.domain)
    values = {**{name: python_number(n) for name, n in known.items()}, **arguments}

    def whole() -> Value:
        own = {variable.name: input_value(m, variable) for variable in inputs}
        result = m.main({**values, **own})
        if result is LOST:
            return None
        for variable, value in zip(outputs, results(m, outputs, result), strict=True):
            output(m, variable, value)
        return None

    try:
        block, _ = m.explore(whole)
    except InputError:
        if m.deciding <= apart:
            raise
        return read_unrolled(text, parts, given, changed, apart | m.deciding)
    body = frozen(block)
    if sum(1 for _ in statements(body)) > MOST_STATEMENTS:
        raise m.too_many()
    return replace(parts, params=(), body=body, span=text.place), tuple(m.notes)


def arguments_of(m: Interpreter, others: Mapping[str, object]) -> dict[str, Value]:
    """The values of the arguments that are neither inputs nor numbers."""
    found: dict[str, Value] = {}
    for argument in m.text.arguments:
        name, m.place = argument.arg, m.text.span(argument)
        if name in BUDGETS:
            found[name] = Sym(Eps(span=m.place), "eps")
        elif name in others:
            generator = name in GENERATORS and others[name] is None
            found[name] = Word("rng") if generator else m.outside.value(m, name, others[name])
    m.place = m.text.place
    return found


def substituted(node: Any, constants: Mapping[str, Expr]) -> Any:
    """A part of the program with constants put in."""
    match node:
        case Name(name, False) if name in constants:
            return constants[name]
        case dip.SetOf():
            return node
        case dip.Fold(_, variable):
            constants = {name: value for name, value in constants.items() if name != variable}
    return rebuilt(node, lambda part: substituted(part, constants))


def input_value(m: Interpreter, variable: Variable) -> Value:
    """The symbols of an input."""
    values = list(map(python_value, variable.domain))
    kinds = set(map(kind_of, values))
    kind = kinds.pop() if len(kinds) == 1 else "dom"
    if "bool" in kinds:
        hint = "use truth values only, or none"
        raise InputError("this set mixes truth values with others", variable.span, hint)
    possible = frozenset(values)
    if variable.size is None:
        return m.variable(Name(variable.name, span=variable.span), kind, possible)
    places = (Number(fmpq(i), span=variable.span) for i in range(1, variable.size + 1))
    cells = tuple(
        m.variable(Index(variable.name, place, span=variable.span), kind, possible) for place in places
    )
    return m.new(Items(cells, "input"))


def python_value(value: fmpq | Atom) -> Value:
    """A value of a set as Python's."""
    if isinstance(value, Atom):
        return {"true": True, "false": False, "None": None}.get(value.name, value.name)
    return python_number(value)


def results(m: Interpreter, outputs: list[Variable], result: Value) -> list[Value]:
    """One value for each output, in their order; a dictionary has their names."""
    table = m.get(result)
    if isinstance(table, Table) and {key for key, _ in table.entries} == {each.name for each in outputs}:
        return [dict(table.entries)[each.name] for each in outputs]
    if len(outputs) == 1 and (outputs[0].size is not None or not isinstance(result, tuple)):
        return [result]
    values = m.items(result) if isinstance(result, Ref | tuple) else [result]
    if len(values) != len(outputs):
        names = ", ".join(output.name for output in outputs)
        hint = f"return as many values, in this order: `return {names}`"
        raise m.refuse(f"the mechanism has {plural(len(outputs), 'output')}: {names}", hint)
    return values


def output(m: Interpreter, variable: Variable, value: Value) -> None:
    """An output gets its value."""
    if variable.size is None:
        give(m, Name(variable.name, span=m.place), variable, value)
        return
    if not isinstance(value, Ref | tuple):
        hint = f"return a list: `return [...]`, or assign the cells of `{variable.name}`"
        raise InputError(f"the output `{variable.name}` is a list", m.returned_value, hint)
    cells = m.items(value)
    if len(cells) != variable.size:
        message = (
            f"the output `{variable.name}` has {variable.size} cells, and {len(cells)} values are returned"
        )
        raise m.refuse(message, f"declare its size, or fill the list up to {variable.size} values")
    for i, cell in enumerate(cells, 1):
        give(m, Index(variable.name, Number(fmpq(i), span=m.place), span=m.place), variable, cell)


def give(m: Interpreter, target: Name | Index, variable: Variable, value: Value) -> None:
    """Assign an output; True and 1 are equal in Python: the set of the output decides between them."""
    value = m.now(m.plain(value))
    if (value is None or isinstance(value, str)) and Atom(str(value)) not in variable.domain:
        hint = f"list it there: `outputs=...`, or return one of {', '.join(map(str, variable.domain))}"
        raise m.stop(f"{m.what(value)} is not in the set of the output `{variable.name}`", hint)
    truths = {TRUE, FALSE} & set(variable.domain)
    is_truth = kind_of(value) == "bool"
    cases: list[tuple[Expr | None, Value]] = [(None, value)]
    if is_truth and not truths:
        cases = [(None, m.as_number(value))]
    elif not is_truth and truths and not any(isinstance(v, fmpq) for v in variable.domain):
        possible = sorted(possible_values(value) or (), key=order)
        if isinstance(value, Sym) and any(is_number(v) and v in (0, 1) for v in possible):
            cases = [(m.equal(value, v), truth_for(v)) for v in possible[:-1]]
            cases.append((None, truth_for(possible[-1])))
        else:
            cases = [(None, truth_for(value))]
    found = [(test, [Assign(target, m.lift(v), span=m.place)]) for test, v in cases]
    m.out.append(Branches(found, m.place) if len(found) > 1 else found[0][1][0])


def truth_for(value: Value) -> Value:
    """1 and 0 as truth values."""
    return bool(value) if is_number(value) and value in (0, 1) else value
