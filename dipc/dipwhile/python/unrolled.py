"""A function read by running it with symbols: with its loops, or unrolled.

Numbers that are parameters are put into the program, but for the sizes of inputs where loops are kept: what
is read then holds for all sizes, and for inputs that are any numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from flint import fmpq

from dipc.dipwhile.python.constants import GENERATORS, Constants
from dipc.dipwhile.python.interpreter import Interpreter
from dipc.dipwhile.python.loops import minus_one, new_index, place_in, read_cell, rounds
from dipc.dipwhile.python.outside import Outside
from dipc.dipwhile.python.paths import Branches, frozen, order
from dipc.dipwhile.python.source import FunctionText, number, python_number
from dipc.dipwhile.python.values import (
    LOST,
    Array,
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
from dipc.dipwhile.syntax.ast import Assign, Eps, Exit, Expr, For, Index, Name, Number, Param, Program
from dipc.dipwhile.syntax.constants import declare
from dipc.dipwhile.syntax.core import Variable
from dipc.dipwhile.syntax.types import free_names
from dipc.dipwhile.syntax.walk import rebuilt, statements
from dipc.errors import InputError
from dipc.excerpts import plural
from dipc.models.values import FALSE, TRUE, Atom

NONE = Atom("None")
MOST_STATEMENTS = 20_000


def read_function(
    text: FunctionText, parts: Program, given: Constants, changed: Mapping[str, fmpq], keeps: bool
) -> tuple[Program, tuple[str, ...]]:
    """The program of a function, with notes; ``keeps`` its loops and sizes, and takes numbers as any numbers.

    Paths meet although they differ in the values of variables, ``apart`` aside. If the function is refused
    then, it may be because of a ``while`` that could run on for ever so: it is read again.  So it is when the
    kind of what a loop changes turned out to be a wider one.
    """
    kinds: dict[Any, str] = {}
    apart: frozenset[str] = frozenset()
    while True:
        m = Reader(text, parts, given, changed, keeps)
        m.kinds, m.apart = dict(kinds), apart
        try:
            program = m.program()
            if not m.unstable:
                return program, tuple(m.notes)
        except InputError:
            if not m.unstable and m.deciding <= apart:
                raise
            apart |= m.deciding
        kinds = m.kinds


class Reader(Interpreter):
    """Reads one function."""

    def __init__(
        self, text: FunctionText, parts: Program, given: Constants, changed: Mapping[str, fmpq], keeps: bool
    ) -> None:
        taken = {*text.words, *(d.name for d in (*parts.inputs, *parts.outputs))}
        super().__init__(text, Outside(given.numbers, changed), taken)
        self.keeps, self.given, self.known = keeps, given, dict(given.numbers)
        lengths = {name for d in parts.inputs if d.size is not None for name in free_names(d.size)}
        self.sizes = frozenset(lengths & self.known.keys() if keeps else ())
        numbers = {
            name: number(value, text.place) for name, value in self.known.items() if name not in self.sizes
        }
        self.parts = substituted(parts, numbers)
        self.notes |= dict.fromkeys(given.notes)
        self.inputs, self.outputs = (
            {d.name: declare(d, self.known) for d in ds} for ds in (self.parts.inputs, self.parts.outputs)
        )
        self.lengths = {d.name: d.size for d in (*self.parts.inputs, *self.parts.outputs)}
        self.declared = frozenset(
            str(v) for variable in (*self.inputs.values(), *self.outputs.values()) for v in variable.domain
        )
        returned = [node.value for node in ast.walk(text.node) if isinstance(node, ast.Return)]
        written = {name for node in text.node.body for name in filled_in(node)}
        nothing = all(value is None or ast.unparse(value) == "None" for value in returned)
        self.assigns = nothing and bool(written & self.outputs.keys())
        self.homes: dict[str, str] = {}  # the lists that are returned, by their outputs

    def program(self) -> Program:
        """The program of the function."""
        place = self.text.place
        values: dict[str, Value] = {name: python_number(value) for name, value in self.known.items()}
        values |= {name: Sym(Name(name, span=place), "num") for name in self.sizes}
        block, _ = self.explore(lambda: self.main({**values, **arguments_of(self), **self.declarations()}))
        names = {made: output for output, made in self.homes.items()}
        body = tuple(renamed(statement, names) for statement in frozen(block))
        if sum(1 for _ in statements(body)) > MOST_STATEMENTS:
            raise self.too_many()
        params = tuple(
            Param(name, number(value, place), span=place)
            for name, value in self.known.items()
            if name in self.sizes
        )
        body = body[:-1] if body and isinstance(body[-1], Exit) else body
        program: Program = replace(self.parts, params=params, body=body, span=place)
        return program

    def declarations(self) -> dict[str, Value]:
        """The inputs, and the arrays of outputs whose cells are assigned and not returned."""
        found = {name: input_value(self, variable) for name, variable in self.inputs.items()}
        if self.assigns:
            arrays = {name: size for name, size in self.lengths.items() if size is not None}
            found |= {name: Array(name, arrays[name], name) for name in self.outputs.keys() & arrays.keys()}
        return found

    def store(self, name: str, value: Value) -> None:
        """Give a variable a value; an output that is not returned has it too."""
        super().store(name, value)
        variable = self.outputs.get(name)
        if self.assigns and len(self.stack) == 1 and variable is not None and variable.size is None:
            give(self, Name(name, span=self.place), variable, value)

    def lives_in(self, array: Array, output: str) -> bool:
        """Is this the only list that is returned as an output, so that it can have its name?"""
        if array.name == output:
            return True
        if ("copied", output) not in self.kinds and array.key is not None:
            home = self.homes.setdefault(output, array.name)
            if home == array.name and [*self.homes.values()].count(home) == 1:
                return True
            self.unstable = True  # which is known only at the last of several `return`s
        self.kinds["copied", output] = ""
        return False

    def finish(self, value: Value) -> None:
        """The outputs get their values from what the function returns, LOST for nothing."""
        variables = [*self.outputs.values()]
        if self.assigns:
            for variable in variables:
                if variable.size is not None:
                    output(self, variable, self.load(variable.name))
            return
        if value == LOST:
            if all(NONE not in v.domain and v.start is None for v in variables):
                return  # refused by dipc if it can be reached
            value = None
        for variable, each in zip(variables, results(self, variables, value), strict=True):
            output(self, variable, each)


def filled_in(node: ast.stmt) -> Iterator[str]:
    """The variables that a statement assigns, and the lists of which it assigns cells."""
    for part in ast.walk(node):
        match part:
            case ast.Name(name, ast.Store()) | ast.Subscript(ast.Name(name), _, ast.Store()):
                yield name


def renamed(node: Any, names: Mapping[str, str]) -> Any:
    """A part of the program with other names of lists."""
    match node:
        case Name(name) if name in names:
            return replace(node, name=names[name])
        case Index(name) if name in names:
            node = replace(node, array=names[name])
    return rebuilt(node, lambda part: renamed(part, names))


def arguments_of(m: Reader) -> dict[str, Value]:
    """The values of the arguments that are neither inputs nor numbers."""
    found: dict[str, Value] = {}
    others = m.given.others
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


def input_value(m: Reader, variable: Variable) -> Value:
    """The symbols of an input; where loops are kept, its numbers may be others than those of its set."""
    values = list(map(python_value, variable.domain))
    kinds = set(map(kind_of, values))
    kind = kinds.pop() if len(kinds) == 1 else "dom"
    if "bool" in kinds:
        hint = "use truth values only, or none"
        raise InputError("this set mixes truth values with others", variable.span, hint)
    possible = None if m.keeps and any(map(is_number, values)) else frozenset(values)
    size = m.lengths[variable.name]
    if size is not None and free_names(size):
        return Array(variable.name, size, None, kind, possible)
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


def results(m: Reader, outputs: list[Variable], result: Value) -> list[Value]:
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


def output(m: Reader, variable: Variable, value: Value) -> None:
    """An output gets its value."""
    size = m.lengths[variable.name]
    if variable.size is None or size is None:
        give(m, Name(variable.name, span=m.place), variable, value)
        return
    if isinstance(value, Array) and value.size == size:
        if m.lives_in(value, variable.name):
            return
        low, high = m.lift(0), minus_one(m, size)
        index = new_index(m, "i", low, high)
        place = Sym(index, "num")
        cell = place_in(m, replace(value, name=variable.name), place)
        block, _ = rounds(m, lambda: give(m, cell, variable, read_cell(m, value, place)))
        m.out.append(For(index.name, low, high, frozen(block), span=m.place))
        return
    if free_names(size):
        raise m.refuse("a list of another length than the output", "make it with the size of the output")
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


def give(m: Reader, target: Name | Index, variable: Variable, value: Value) -> None:
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
    if len(cases) == 1:
        m.assign_to_target(target, cases[0][1], len(m.outputs) == 1 and not m.assigns)
        return
    found = [(test, [Assign(target, m.lift(v), span=m.place)]) for test, v in cases]
    m.out.append(Branches(found, m.place))


def truth_for(value: Value) -> Value:
    """1 and 0 as truth values."""
    return bool(value) if is_number(value) and value in (0, 1) else value
