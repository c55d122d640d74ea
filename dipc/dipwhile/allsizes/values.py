"""What a variable holds on a path: its value on u, in terms of samples and unknowns, and how it moves.

A :class:`Linear` is a value on u.  Its difference between the runs on u and on u' follows from the moves of
its symbols: a sample moves by its shift, a live variable by its delta, a private symbol by a known number, a
public one not at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

from flint import fmpq

from dipc.dipwhile.allsizes.automaton import Form
from dipc.models.values import Value, show

ZERO, ONE = fmpq(0), fmpq(1)


class Symbol(NamedTuple):
    """An unknown number: ``sample``, ``live`` (random, of the source), ``private`` or ``public``."""

    kind: str
    name: str
    number: int = 0  # of a sample; of the loop whose round variable it is

    @property
    def random(self) -> bool:
        """Whether it is drawn with noise."""
        return self.kind in ("sample", "live")


@dataclass(frozen=True, slots=True)
class Linear:
    """``constant + sum of coefficient * symbol``; no coefficient is zero, symbols are sorted."""

    terms: tuple[tuple[Symbol, fmpq], ...] = ()
    constant: fmpq = ZERO

    def __hash__(self) -> int:  # the hash of a fraction itself takes nine times as long
        return hash((self.constant.p, self.constant.q, *((s, c.p, c.q) for s, c in self.terms)))

    @property
    def number(self) -> fmpq | None:
        """The number that it is, if it mentions no symbol."""
        return None if self.terms else self.constant

    @property
    def random(self) -> bool:
        """Whether it depends on noise."""
        return any(symbol.random for symbol, _ in self.terms)

    def plus(self, other: Linear, factor: fmpq = ONE) -> Linear:
        """``self + factor * other``."""
        terms = dict(self.terms)
        for symbol, coefficient in other.terms:
            terms[symbol] = terms.get(symbol, ZERO) + factor * coefficient
        return linear(terms, self.constant + factor * other.constant)

    def times(self, factor: fmpq) -> Linear:
        """``factor * self``."""
        return Linear().plus(self, factor)


def linear(terms: Mapping[Symbol, fmpq], constant: fmpq = ZERO) -> Linear:
    """The linear value with these coefficients."""
    return Linear(tuple(sorted((s, c) for s, c in terms.items() if c)), constant)


def total(values: Iterable[Linear]) -> Linear:
    """The sum of values."""
    return reduce(Linear.plus, values, Linear())


def number(value: fmpq) -> Linear:
    """A number as a value."""
    return Linear((), value)


def unknown(symbol: Symbol) -> Linear:
    """The value of a symbol."""
    return Linear(((symbol, ONE),))


@dataclass(frozen=True, slots=True)
class Pair:
    """A value of a finite set: ``left`` on u, ``right`` on u'."""

    left: Value
    right: Value

    @property
    def public(self) -> bool:
        """Whether both runs have the same."""
        return self.left == self.right


@dataclass(frozen=True, slots=True)
class Unknown:
    """A public value of which nothing is known, not even that it is a number."""

    name: str


Datum = Linear | Pair | Unknown


def datum(value: Value) -> Datum:
    """A public value as a datum."""
    return Linear((), value) if isinstance(value, fmpq) else Pair(value, value)


def as_linear(value: Datum) -> Linear | None:
    """The number that it stands for; None for other values."""
    match value:
        case Linear():
            return value
        case Unknown(name):
            return unknown(Symbol("public", name))
        case _:
            return None


def form(value: Linear, moves: Mapping[Symbol, fmpq]) -> Form:
    """The difference of a value between the two runs."""
    samples = tuple((s.number, c) for s, c in value.terms if s.kind == "sample")
    variables = tuple((s.name, c) for s, c in value.terms if s.kind == "live")
    known = sum((c * moves[s] for s, c in value.terms if s.kind == "private"), ZERO)
    return Form((*samples, *variables), known)


def shown(value: Datum) -> str:
    """A datum for a reader."""
    match value:
        case Linear():
            return show(value.constant) if not value.terms else "an unknown number"
        case Pair():
            return show(value.left) if value.public else f"{show(value.left)} / {show(value.right)}"
        case Unknown():
            return "an unknown value"


def replaced(value: Linear, by: Mapping[Symbol, Linear]) -> Linear:
    """The value with other values for some symbols."""
    return total([number(value.constant), *(by.get(s, unknown(s)).times(c) for s, c in value.terms)])


def symbols(values: Iterable[Linear]) -> set[Symbol]:
    """All symbols that occur."""
    return {s for value in values for s, _ in value.terms}
