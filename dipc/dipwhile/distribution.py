"""The output distribution on one input, as a mapping."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from flint import fmpq

import dipc.views as views
from dipc.claims.wording import decimal_at
from dipc.dipwhile.convert import PythonValues, cells_of
from dipc.dipwhile.semantics.valuations import grouped
from dipc.dipwhile.syntax.core import Variable
from dipc.errors import InputError
from dipc.models.values import Valuation, show_valuation, valuation_record
from dipc.numbers.exact import Number
from dipc.numbers.quotient import Quotient
from dipc.signs.ends import DIGITS


class Distribution(Mapping[Valuation, Quotient], views.Plotted, views.Recorded):
    """The exact output distribution on one input: outputs to probabilities, functions of eps.

    A key lists every output variable with its value, or its tuple of values for an array; :meth:`of`
    looks up an output without a key.  Distributions are equal if they give equal probabilities to the same
    outputs.
    """

    def __init__(self, items: Mapping[Valuation, Quotient], variables: tuple[Variable, ...] = ()) -> None:
        """``items`` in the order of the output sets; ``variables`` are the outputs of the program."""
        self._items = dict(items)
        self._variables = variables

    def __getitem__(self, output: Valuation) -> Quotient:
        if output not in self._items and output != ():
            raise KeyError(f"{output!r}: ask `of`, for example d.of({self._example()})")
        return self._items[output]

    def __iter__(self) -> Iterator[Valuation]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def of(self, *values: PythonValues, **named: PythonValues) -> Quotient:
        """The probability of an output: ``d.of(out=["bot", "top"])``, or ``d.of("top")`` for one variable.

        An output that cannot occur has probability 0.  Raises :class:`InputError` for what is not an output.
        """
        return self._items.get(self._key(values, named), Quotient.of(0))

    def total(self) -> Quotient:
        """The sum of all probabilities: 1 if the program always ends."""
        return sum(self.values(), Quotient.of(0))

    def at(self, eps: Number) -> Distribution:
        """The distribution at a rational eps: exact numbers in place of functions."""
        return Distribution({output: p.at(eps) for output, p in self.items()}, self._variables)

    def decimals(self, eps: Number | None = None, digits: int = 10) -> dict[str, str]:
        """Every output, as text, with its probability at an eps, correctly rounded."""
        return {show_valuation(output): p.decimal(eps, digits) for output, p in self.items()}

    def records(self, eps: fmpq | None = None, digits: int = DIGITS) -> list[dict[str, Any]]:
        """The outputs with their probabilities as JSON."""
        found: list[dict[str, Any]] = []
        for output, p in self.items():
            found.append({"output": valuation_record(output), "probability": str(p)})
            if eps is not None:
                found[-1]["value"] = {"exact": str(p.at(eps)), "decimal": decimal_at(p, eps, digits)}
        return found

    def to_sympy(self) -> dict[str, Any]:
        """Every output, as text, with its probability in sympy."""
        return {show_valuation(output): p.to_sympy() for output, p in self.items()}

    def __repr__(self) -> str:
        return "\n".join(f"{show_valuation(output)}: {p}" for output, p in self._items.items())

    def _repr_html_(self) -> str:
        return views.html(self)

    def _key(self, values: tuple[PythonValues, ...], named: Mapping[str, PythonValues]) -> Valuation:
        names = [variable.name for variable in self._variables]
        if values and (named or len(names) != 1 or len(values) != 1):
            hint = f"for example d.of({self._example()})"
            raise InputError(f"give each output by its name: {', '.join(names)}", hint=hint)
        given = dict(zip(names, values, strict=True)) if values else named
        return grouped(self._variables, cells_of(self._variables, given, "output"))

    def _example(self) -> str:
        """One of the outputs as arguments of :meth:`of`."""
        output = next(iter(self._items), ())
        return ", ".join(
            f"{name}={[str(v) for v in value] if isinstance(value, tuple) else repr(str(value))}"
            for name, value in output
        )
