"""Parameters of a Markov model: numbers that are not known, each with its range.

The probabilities are rational functions of the parameters, of eps, and of exp(eps/unit), exp(1/unit) and
exp(1/(unit eps)), which are generators of one ring.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, cast

from flint import fmpq, fmpq_mpoly

from dipc.errors import InputError
from dipc.models.chain import MarkovChain, Mdp, Model, transitions
from dipc.models.draft import fmpq_of
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.parametric import Parametric, Ring
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange

Coefficients = dict[tuple[int, ...], ExpPoly]
"""A polynomial in the parameters: the exponents of its monomials, with functions of eps."""


class Finer(Exception):
    """An exponent is no multiple of 1/unit: read again with this unit."""

    def __init__(self, unit: int) -> None:
        super().__init__(unit)
        self.unit = unit


class Piece(NamedTuple):
    """A part of the class: ``fixed`` are at closed ends of their ranges, ``free`` are inside."""

    fixed: dict[str, fmpq]
    free: tuple[str, ...]


@dataclass(frozen=True)
class Parameters:
    """The ranges of the parameters, in the order of the file."""

    ranges: Mapping[str, EpsRange]
    unit: int = 1

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.ranges)

    @cached_property
    def ring(self) -> Ring:
        """The ring of all numbers of the model."""
        unit = self.unit
        functions = "eps", f"exp(eps/{unit})", f"exp(1/{unit})", f"exp(1/{unit}/eps)"
        return Ring([*self.names, *functions], self._lifted)

    def symbol(self, name: str) -> Parametric:
        """A parameter as a function of itself."""
        return self.ring.gens[self.names.index(name)]

    def _lifted(self, f: Quotient | ExpPoly) -> Parametric:
        """A function of eps in the ring.  Raises :class:`Finer`."""
        if isinstance(f, Quotient):
            return self._lifted(f.numerator) / self._lifted(f.denominator)
        unit, _ = f.canonical()
        if self.unit % unit:
            raise Finer(unit)
        total, first = self.ring.of(0), len(self.names)
        for powers, c in f.in_unit(self.unit).items():
            term = self.ring.of(c)
            for place, power in enumerate(powers, first):
                term = term * self.ring.gens[place] ** power if power else term
            total = total + term
        return total

    def split(self, f: fmpq_mpoly) -> Coefficients:
        """A polynomial of the ring as one in the parameters."""
        size, found = len(self.names), dict[tuple[int, ...], dict[Any, fmpq]]()
        for powers, c in f.to_dict().items():
            exponents = tuple(map(int, powers))
            found.setdefault(exponents[:size], {})[exponents[size:]] = c
        return {key: ExpPoly(items, self.unit) for key, items in found.items()}

    def function_of_eps(self, f: Parametric) -> Quotient:
        """A function in which no parameter is left."""
        above, below = (next(iter(self.split(g).values()), ExpPoly()) for g in (f.numerator, f.denominator))
        return Quotient(above, below)

    def is_line(self, model: Model) -> bool:
        """Whether all numbers of a model are functions of one parameter, without eps."""
        return len(self.ranges) == 1 and not has_eps(model)

    def on_line(self, f: Parametric | Quotient) -> Quotient:
        """A function of one parameter only, which is called eps; others stay as they are."""
        if isinstance(f, Quotient):
            return f

        def renamed(g: fmpq_mpoly) -> ExpPoly:
            return ExpPoly({(int(powers[0]), 0, 0, 0): c for powers, c in g.to_dict().items()}, 1)

        return Quotient(renamed(f.numerator), renamed(f.denominator))

    def pieces(self) -> list[Piece]:
        """The class in parts without closed ends, the inside first."""
        found = [Piece({}, ())]
        for name, wanted in self.ranges.items():
            inside = [] if wanted.is_point else [Piece(p.fixed, (*p.free, name)) for p in found]
            ends = dict.fromkeys(wanted.closed_ends)
            found = inside + [Piece(p.fixed | {name: end}, p.free) for end in ends for p in found]
        return sorted(found, key=lambda piece: len(piece.fixed))

    def at(self, model: Model, values: Mapping[str, fmpq]) -> Model:
        """The model at a point of the class: its numbers are functions of eps.

        Raises :class:`InputError` where a probability does not exist.
        """

        return mapped(self.partly(model, values), self.function_of_eps)

    def partly(self, model: Model, values: Mapping[str, fmpq]) -> Model:
        """The model with numbers for some of the parameters."""

        def number(p: Parametric) -> Parametric:
            try:
                return p.at(values)
            except ZeroDivisionError:
                raise InputError(f"the probability {p} has no value at {values_text(values)}") from None

        return mapped(model, number)


def values_text(values: Mapping[str, fmpq]) -> str:
    """Parameters with their values."""
    return ", ".join(f"{name} = {value}" for name, value in values.items())


NONE = Parameters({})


def has_eps(model: Model) -> bool:
    """Whether eps occurs in a probability."""
    return any(uses_eps(p) for _, p in transitions(model))


def uses_eps(p: fmpq | Quotient | Parametric) -> bool:
    """Whether eps occurs in a number of a model, perhaps with parameters."""
    if isinstance(p, Parametric):
        parts: list[Any] = [p.numerator, p.denominator]
        return any(any(map(int, part.degrees()[-4:])) for part in parts)
    return isinstance(p, Quotient) and not p.is_constant


def mapped(model: Model, number: Callable[[Any], Any]) -> Model:
    """The model with other numbers: rational ones if they all are; what becomes 0 is left out."""
    known: dict[Any, Any] = {}

    def value(p: Any) -> Any:
        if p not in known:
            known[p] = number(p)
        return known[p]

    rows: Any = model.rows if isinstance(model, Mdp) else [(row,) for row in cast("Any", model.rows)]
    found = [[[(t, value(p)) for t, p in row if value(p)] for row in choices] for choices in rows]
    if all(isinstance(p, Quotient) and p.as_rational() is not None for p in known.values()):
        found = [[[(t, fmpq_of(p)) for t, p in row] for row in choices] for choices in found]
    done: Any = tuple(tuple(map(tuple, choices)) for choices in found)
    common = model.names, model.labels, model.neighbours, model.start
    if isinstance(model, Mdp):
        return Mdp(*common, model.actions, done)
    return MarkovChain(*common, tuple(row for (row,) in done))
