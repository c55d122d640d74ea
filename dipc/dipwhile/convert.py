"""Python values to program values, exactly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from numbers import Rational

from flint import fmpq

from dipc.dipwhile.semantics.adjacency import Input
from dipc.dipwhile.syntax.compile import compile_claim
from dipc.dipwhile.syntax.core import Cell, CoreClaim, CoreProgram, Variable
from dipc.dipwhile.syntax.parser import parse_claim, parse_valuation
from dipc.errors import CLAIM_NAME, InputError, WrongType
from dipc.models.values import Atom, Value, show, truth
from dipc.numbers.exact import positive, rational
from dipc.signs.eps_range import EpsRange

PythonValue = fmpq | Atom | int | bool | str | Fraction | Rational
BOOLEANS = ("bool", "bool_")  # Python's, and numpy's new and old one, which are not subclasses of it
PythonValues = PythonValue | Sequence[PythonValue]
Inputs = Mapping[str, PythonValues] | str
"""An input as a mapping, or as text: ``{"q": [0, 1]}`` or ``"q=[0,1]"``."""


def to_rational(value: PythonValue, what: str) -> fmpq:
    """An exact rational number; a float is refused, because 0.1 is not 1/10."""
    return rational(value, what)  # type: ignore[arg-type]


def to_eps(value: PythonValue) -> fmpq:
    """One privacy parameter: a positive rational."""
    return positive(value)  # type: ignore[arg-type]


def to_value(value: PythonValue, what: str) -> Value:
    """A rational number, or an atom; ``True`` and ``False`` are the atoms true and false."""
    if isinstance(value, Atom):
        return value
    if type(value).__name__ in BOOLEANS:
        return truth(bool(value))
    if isinstance(value, str) and value.isidentifier():
        return Atom(value)
    return to_rational(value, what)


def to_input(program: CoreProgram, given: Inputs, name: str = "input") -> Input:
    """A value for every input cell of the program.  Raises :class:`InputError` naming what is wrong."""
    return cells_of(program.inputs, _named(program.inputs, given, name, "input"), "input")


def to_outcome(program: CoreProgram, given: Inputs) -> tuple[Value, ...]:
    """A value for every output cell, in the order of declaration, from a mapping or a text."""
    named = _named(program.outputs, given, "output", "output")
    return tuple(cells_of(program.outputs, named, "output").values())


def _named(variables: Sequence[Variable], given: Inputs, name: str, kind: str) -> Mapping[str, PythonValues]:
    if isinstance(given, str):
        given = parse_valuation(given, f"<{name}>") if given.strip() else {}
    if not isinstance(given, Mapping):
        found = f"the {type(given).__name__} {given!r}"
        example = ", ".join(f'"{v.name}": ...' for v in variables)
        hint = f"write {{{example}}} or {_text(variables)}"
        raise WrongType(f"the {name} must name the {kind}s of the program, not be {found}", hint=hint)
    return given


def to_pair(program: CoreProgram, pair: Sequence[Inputs]) -> tuple[Input, Input]:
    """Two inputs, each a mapping or a text."""
    if isinstance(pair, str | Mapping) or not isinstance(pair, Sequence) or len(pair) != 2:
        number = len(pair) if isinstance(pair, Sequence) and not isinstance(pair, str) else "one"
        hint = f"for example pair=({_text(program.inputs)}, {_text(program.inputs)})"
        raise WrongType(f"a pair is two inputs, not {number}", hint=hint)
    return to_input(program, pair[0], "first input"), to_input(program, pair[1], "second input")


def to_eps_range(program: CoreProgram, interval: str) -> EpsRange:
    """An interval of eps such as ``"(0, 1]"``, also as it is written in a claim: ``"for eps in (0, 1]"``."""
    interval = re.sub(r"^\s*(for\s+)?(eps|ε)\s+in\s+", "", interval)
    if re.fullmatch(r"\s*[\d./]+\s*", interval) and ".." not in interval:
        one = interval.strip()
        hint = f"`at` (`--at {one}`) asks about one budget; an interval is `(0, {one}]`"
        raise InputError(f"`{one}` is one budget, not an interval", hint=hint)
    return to_claim(program, f"eps for eps in {interval}", "the interval of budgets").budgets


def to_claim(program: CoreProgram, text: object, name: str = CLAIM_NAME) -> CoreClaim:
    """The claim that a text makes about a program; messages call the text ``name``."""
    claim, parameters = parse_claim(checked_claim(text), name), dict(program.parameters)
    return compile_claim(claim, parameters, program.inputs, program.adjacency)


def checked_claim(text: object) -> str:
    """The text of a claim; anything else is refused with advice."""
    if isinstance(text, str):
        if not text.strip():
            raise InputError("the claim is an empty text", hint='write for example "eps/2, exp(-2)"')
        return text
    known = isinstance(text, int | float) and not isinstance(text, bool)
    factor = str(text) if known else "1/2"
    raise WrongType(
        f"a claim is a text, not the {type(text).__name__} {text}",
        hint=f'write "{factor}*eps" for epsilon = {factor}*eps, "{factor}*eps, 1/10" with delta = 1/10; '
        "one budget is `at=`",
    )


def to_width(value: PythonValue) -> fmpq:
    """How narrow to enclose a number: a positive rational."""
    if (width := to_rational(value, "the width")) <= 0:
        raise InputError(f"the width must be positive, not {width}", hint="for example 1e-10")
    return width


def cells_of(
    variables: Sequence[Variable], given: Mapping[str, PythonValues], kind: str
) -> dict[Cell, Value]:
    """A value for every cell of the variables, which are inputs or outputs (``kind``)."""
    known = {v.name: v for v in variables}
    for name in given:
        if name not in known:
            hint = f"its {kind}s: {', '.join(known) or 'none'}"
            raise InputError(f"the program has no {kind} `{name}`", hint=hint)
    cells: dict[Cell, Value] = {}
    for variable in variables:
        if variable.name not in given:
            hint = f"for example {_example(variable)}"
            raise InputError(f"no value is given for the {kind} `{variable.name}`", hint=hint)
        cells.update(zip(variable.cells, _values(variable, given[variable.name], kind), strict=True))
    return cells


def _values(variable: Variable, given: PythonValues, kind: str) -> list[Value]:
    what, hint = f"the {kind} `{variable.name}`", f"for example {_example(variable)}"
    single = isinstance(given, str | Atom | fmpq) or not isinstance(given, Iterable)
    if single != (variable.size is None):
        kinds = f"an array of {variable.size} values" if variable.size is not None else "one value"
        found = f"{len(given)} values" if isinstance(given, list | tuple) else f"`{given}`"
        raise InputError(f"{what} is {kinds}, not {found}", hint=hint)
    members: list[PythonValue] = [given] if single else list(given)  # type: ignore[list-item, arg-type]
    values = [to_value(value, what) for value in members]
    if len(values) != len(variable.cells):
        raise InputError(f"{what} has {variable.size} cells, not {len(values)}", hint=hint)
    for value in values:
        if value not in variable.domain:
            domain = ", ".join(map(show, variable.domain))
            raise InputError(f"{show(value)} is not a value of {what}", hint=f"its set is {{{domain}}}")
    return values


def _example(variable: Variable) -> str:
    """A variable with a value, as text."""
    first = variable.domain[0]
    return f"{variable.name}={show(first if variable.size is None else [first] * variable.size)}"


def _text(variables: Sequence[Variable]) -> str:
    """Variables with values, as text in quotes."""
    return f'"{", ".join(map(_example, variables))}"'
