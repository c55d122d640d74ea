"""The constants of a function: numbers that are parameters, by default or by decorator, and others."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from dipc.dipwhile.python.source import FunctionText, decimal_note, exact_number
from dipc.dipwhile.python.words import BUDGETS, RESERVED
from dipc.dipwhile.syntax.ast import Node, Program, SetOf
from dipc.dipwhile.syntax.types import free_names
from dipc.dipwhile.syntax.walk import expressions
from dipc.suggest import did_you_mean

GENERATORS = ("rng", "random_state", "generator", "prng", "random_generator")
"""Arguments that are a source of randomness."""


@dataclass(frozen=True)
class Constants:
    """Numbers, with the values they have here, and the defaults of arguments that are something else.

    Numbers from outside are added when they are used.  A generator without a default has None.
    """

    numbers: dict[str, fmpq]
    others: Mapping[str, object]
    notes: tuple[str, ...]


def constants_of(
    text: FunctionText, parts: Program, given: Mapping[str, fmpq], changed: Mapping[str, fmpq]
) -> Constants:
    """The constants in the head of a function, and numbers from outside that the declarations mention."""
    declared = {declaration.name for declaration in (*parts.inputs, *parts.outputs)}
    inputs = {declaration.name for declaration in parts.inputs}
    signature = inspect.signature(text.function, follow_wrapped=False).parameters
    numbers: dict[str, fmpq] = {}
    others: dict[str, object] = {}
    notes: list[str | None] = []
    for argument in text.arguments:
        name, value = argument.arg, signature[argument.arg].default
        if name in inputs or name in BUDGETS or name in given:
            continue
        if value is inspect.Parameter.empty and name in GENERATORS:
            value = None
        if value is inspect.Parameter.empty:
            hint = f'declare it: inputs="{name} in {{0, 1}}", or give it a value: `{name}=1`'
            message = f"the argument `{name}` is neither an input nor a parameter"
            raise text.mistake(argument, message, did_you_mean(name, inputs, hint))
        if isinstance(value, float) and repr(value) in text.until_end.text:
            notes.append(decimal_note(repr(value), Fraction(repr(value))))
            value = Fraction(repr(value))
        exact = exact_number(value)
        if exact is None:
            others[name] = value
        else:
            numbers[name] = exact
    numbers |= given
    for name in names_in(parts):
        exact = exact_number(text.outside(name))
        if exact is not None and name not in numbers and name not in declared and name not in RESERVED:
            numbers[name] = exact
    numbers = {name: changed.get(name, value) for name, value in numbers.items()}
    return Constants(numbers, others, tuple(filter(None, notes)))


def names_in(parts: Program) -> Iterator[str]:
    """The names in the declarations, but for the members of sets, which are atoms."""
    sizes = (part for d in (*parts.inputs, *parts.outputs) for part in (d.size, d.domain))
    found: tuple[Node | None, ...] = (*sizes, parts.adjacency, parts.claim)
    for node in found:
        if node is not None and not isinstance(node, SetOf):
            for expr in expressions(node):
                yield from sorted(free_names(expr))
