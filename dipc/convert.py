"""Python values to program values, exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from flint import fmpq

from dipc.errors import InputError
from dipc.semantics.adjacency import Input
from dipc.syntax.core import CoreProgram, Variable
from dipc.syntax.values import Atom, Value, show, truth

PythonValue = fmpq | Atom | int | bool | str | Fraction
PythonValues = PythonValue | Sequence[PythonValue]


def to_rational(value: PythonValue, what: str) -> fmpq:
    """An exact rational number; a float is refused, because 0.1 is not 1/10.

    >>> to_rational("3/4", "t"), to_rational("0.25", "t"), to_rational(Fraction(1, 3), "t")
    (3/4, 1/4, 1/3)
    """
    if isinstance(value, fmpq):
        return value
    if isinstance(value, bool | Atom | float):
        raise InputError(
            f"{what} must be an exact number, not `{value}`",
            hint='write a string such as "1/10", a fractions.Fraction or an integer',
        )
    try:
        exact = Fraction(value)
    except (ValueError, TypeError, ZeroDivisionError):
        raise InputError(
            f"{what} must be a rational number, not `{value}`", hint="for example 3/4 or 0.75"
        ) from None
    return fmpq(exact.numerator, exact.denominator)


def to_value(value: PythonValue, what: str) -> Value:
    """A rational number, or an atom; ``True`` and ``False`` are the atoms true and false."""
    if isinstance(value, Atom):
        return value
    if isinstance(value, bool):
        return truth(value)
    if isinstance(value, str) and value.isidentifier():
        return Atom(value)
    return to_rational(value, what)


def to_input(program: CoreProgram, given: Mapping[str, PythonValues]) -> Input:
    """A value for every input cell of the program.  Raises :class:`InputError` naming what is wrong."""
    known = {v.name: v for v in program.inputs}
    for name in given:
        if name not in known:
            raise InputError(
                f"the program has no input `{name}`", hint=f"its inputs: {', '.join(known) or 'none'}"
            )
    cells: Input = {}
    for variable in program.inputs:
        if variable.name not in given:
            raise InputError(f"no value is given for the input `{variable.name}`", hint=_example(variable))
        cells.update(zip(variable.cells, _values(variable, given[variable.name]), strict=True))
    return cells


def _values(variable: Variable, given: PythonValues) -> list[Value]:
    name = variable.name
    cells: Sequence[PythonValue] = (given,) if isinstance(given, PythonValue) else given
    if isinstance(given, PythonValue) != (variable.size is None):
        kind = f"an array of {variable.size} values" if variable.size is not None else "one value"
        raise InputError(f"the input `{name}` is {kind}", hint=_example(variable))
    values = [to_value(value, f"the input `{name}`") for value in cells]
    if len(values) != len(variable.cells):
        raise InputError(
            f"the input `{name}` has {variable.size} cells, not {len(values)}", hint=_example(variable)
        )
    for value in values:
        if value not in variable.domain:
            domain = ", ".join(show(v) for v in variable.domain)
            raise InputError(
                f"{show(value)} is not a value of the input `{name}`", hint=f"its set is {{{domain}}}"
            )
    return values


def _example(variable: Variable) -> str:
    first = show(variable.domain[0])
    value = first if variable.size is None else f"[{', '.join([first] * variable.size)}]"
    return f"for example {variable.name}={value}"
