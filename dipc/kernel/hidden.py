"""Hidden Markov models with parameters: what a certificate of Pufferfish privacy lists of a question.

A certificate has the model, the parameters of which its probabilities are functions (none, if they are
numbers), the distributions ("sides"), the ordered pairs of them, the horizon (None: every one) and c.  The
first observation is made in the first state.  A state without successors is followed by one that shows
silence, the observation ``-``, for ever.  The weights of a side need not sum to 1: the distribution is that
of the weights divided by their sum.

**The class.**  Probabilities are polynomials in the parameters, or these divided by a listed divisor.  A
parameter p has the range (low, high), open or closed, whose ends are polynomials in the parameters before
it; conditions are further polynomials g >= 0.  *The class* are all points in the ranges that meet the
conditions. p = low + (high - low) u with u in [0, 1] maps the unit cube onto a set that contains all of
them.  One parameter may stand for exp(-eps/unit) with eps > 0; its range is (0, 1), and p = u^b instead,
where rate unit = a/b in lowest terms for the rate of eps in the claim: c exp(rate eps), and exp(-rate eps) =
u^a.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from .facts import ZERO
from .polynomials import (
    MAX_DEGREE,
    MAX_VARIABLES,
    Polynomial,
    Terms,
    added,
    composed,
    constant,
    number,
    plus,
    polynomial,
    product,
    times,
    value_at,
    variable,
)
from .polynomials import shown as polynomial_shown
from .privacy import MAX_NAME
from .reading import require
from .schema import name_of

SILENCE = "-"
LONGEST = 10**6  # a horizon, a sequence, and the unit of eps
MAX_STATES = 10**6
MAX_STATED = 1000  # terms of ranges and conditions: a statement has all of them
ONE = Fraction(1)

# --- the format ---------------------------------------------------------------------------------------

Function = Fraction | tuple[Terms, int | None]  # a number, or a polynomial over the divisor with this number
Row = list[tuple[int, Function]]  # the entries that are not zero


@dataclass(frozen=True)
class Range:
    """The values of a parameter."""

    name: str
    low: Terms
    high: Terms
    low_closed: bool
    high_closed: bool


@dataclass(frozen=True)
class Eps:
    """The parameter that stands for exp(-eps/unit), and the rate of eps in the claim."""

    parameter: int
    unit: int
    rate: Fraction


@dataclass(frozen=True)
class Side:
    """A distribution of first states, perhaps under a prior."""

    name: str
    prior: str | None
    start: Row


@dataclass(frozen=True)
class Statement:
    """What is asked."""

    format: str
    version: int
    statement: Literal["pufferfish"]
    model: str
    states: list[str]
    observations: list[str]
    parameters: list[Range]
    conditions: list[Terms]
    eps: Eps | None
    divisors: list[Terms]
    emissions: list[Row]
    transitions: list[Row]
    sides: list[Side]
    pairs: list[tuple[int, int]]
    horizon: int | None
    c: Fraction


# --- what is asked ------------------------------------------------------------------------------------

Vector = dict[int, Polynomial]


class Quotient(NamedTuple):
    """A polynomial, divided by the divisor with this number."""

    above: Polynomial
    divisor: int | None


Functions = dict[int, Quotient]


class Model(NamedTuple):
    """The rows of all states."""

    emissions: list[Vector]
    transitions: list[Vector]

    def seen(self, x: Vector) -> dict[int, Vector]:
        """The parts of a vector, by the observation that its states may show."""
        found: dict[int, Vector] = {}
        for s, f in x.items():
            for o, p in self.emissions[s].items():
                found.setdefault(o, {})[s] = times(f, p)
        return dict(sorted(found.items()))

    def moved(self, x: Vector) -> Vector:
        """The vector after a transition."""
        found: dict[int, list[Polynomial]] = {}
        for s, f in x.items():
            for t, q in self.transitions[s].items():
                found.setdefault(t, []).append(times(f, q))
        return present({t: added(parts) for t, parts in found.items()})

    def after(self, x: Vector) -> list[Vector]:
        """The vectors after each observation that is possible, and a transition."""
        return [moved for part in self.seen(x).values() if (moved := self.moved(part))]

    def probability(self, start: Vector, sequence: Sequence[int]) -> Fraction:
        """Of a sequence of observations, in a model of numbers."""
        for o in sequence:
            start = self.moved(self.seen(start).get(o, {}))
        return total(start)


def present(x: Vector) -> Vector:
    """Without entries that are zero; in the order of states."""
    return {s: x[s] for s in sorted(x) if x[s]}


def total(x: Vector) -> Fraction:
    """The sum of entries that are numbers."""
    return sum((number(f) or ZERO for f in x.values()), ZERO)


class Question:
    """What is asked, once it is well-formed; every row of the model sums to 1.

    The silent state is behind the last one, its silence behind the last observation.
    """

    def __init__(self, asked: Statement) -> None:
        n, m = len(asked.states), len(asked.observations)
        self.asked, self.size = asked, len(asked.parameters)
        for step, names in (("states", asked.states), ("observations", asked.observations)):
            good = 0 < len(names) <= MAX_STATES and len(set(names)) == len(names) and SILENCE not in names
            require(good, step, "there are none, too many, one is listed twice or stands for silence")
        self.read_class()
        self.divisors = [polynomial(f, self.size, "divisors") for f in asked.divisors]
        require(all(self.divisors), "divisors", "one of them is zero")
        for step, rows in (("emissions", asked.emissions), ("transitions", asked.transitions)):
            require(len(rows) == n, step, "there is not one row for every state")
        one = Quotient(constant(ONE, self.size), None)
        emissions = (self.distribution(x, m - 1, f"emissions {s}") for s, x in enumerate(asked.emissions))
        transitions = (
            self.distribution(x, n - 1, f"transitions {s}") if x else {n: one}
            for s, x in enumerate(asked.transitions)
        )
        self.emissions, self.transitions = [*emissions, {m: one}], [*transitions, {n: one}]
        self.sides = [self.row(side.start, n - 1, f"side {i}") for i, side in enumerate(asked.sides)]
        ends = {i for pair in asked.pairs for i in pair}
        known = asked.pairs and ends == set(range(len(asked.sides)))
        require(known, "pairs", "there are none, one has no such side, or one of the sides is in none")
        horizon = asked.horizon is None or 0 < asked.horizon <= LONGEST
        require(horizon, "horizon", f"it is not from 1 to {LONGEST}")
        require(asked.c >= 1 or (asked.eps and asked.c > 0), "c", "it is less than 1")

    def read_class(self) -> None:
        """The parameters: their ranges, whose ends depend on those before only, the conditions, and eps."""
        step, asked, size = "parameters", self.asked, self.size
        names = {name_of(r.name, step) for r in asked.parameters}
        require(len(names) == size <= MAX_VARIABLES, step, "there are too many, or a name is listed twice")
        self.ranges = [
            (polynomial(r.low, size, step), polynomial(r.high, size, step)) for r in asked.parameters
        ]
        early = all(not any(key[i:]) for i, ends in enumerate(self.ranges) for f in ends for key in f)
        require(early, step, "the end of a range depends on that parameter, or on a later one")
        self.conditions = [polynomial(f, size, "conditions") for f in asked.conditions]
        stated = sum(len(f) for ends in (*self.ranges, self.conditions) for f in ends)
        require(stated <= MAX_STATED, "conditions", f"more than {MAX_STATED} terms, which no statement shows")
        self.powers = Fraction(0) if asked.eps is None else self.powers_of(asked.eps)

    def powers_of(self, eps: Eps) -> Fraction:
        """a/b: the parameter that stands for eps is u^b, and exp(-rate eps) is u^a."""
        known = 0 <= eps.parameter < self.size and 0 < eps.unit <= LONGEST
        require(known, "eps", "there is no such parameter, or the unit is out of range")
        listed = self.asked.parameters[eps.parameter]
        plain = self.ranges[eps.parameter] == ({}, constant(ONE, self.size))
        plain = plain and not listed.low_closed and not listed.high_closed
        require(plain, "eps", "the range of its parameter is not (0, 1)")
        powers = eps.rate * eps.unit
        small = powers >= 0 and max(powers.numerator, powers.denominator) <= MAX_DEGREE
        require(small, "eps", "the rate is negative, or the powers are too large")
        return powers

    def row(self, listed: Row, last: int, step: str) -> Functions:
        """The entries, none of them zero."""
        places = [place for place, _ in listed]
        fits = all(0 <= place <= last for place in places) and all(a < b for a, b in pairwise(places))
        require(fits, step, "a place is out of range, or not in order")
        found = {place: self.quotient(f, step) for place, f in listed}
        require(all(f.above for f in found.values()), step, "an entry is zero")
        return found

    def quotient(self, listed: Function, step: str) -> Quotient:
        """One entry."""
        if isinstance(listed, Fraction):
            return Quotient(constant(listed, self.size), None)
        terms, divisor = listed
        require(divisor is None or 0 <= divisor < len(self.divisors), step, "there is no such divisor")
        return Quotient(polynomial(terms, self.size, step), divisor)

    def distribution(self, listed: Row, last: int, step: str) -> Functions:
        """A row whose sum is 1 for all parameters."""
        row = self.row(listed, last, step)
        (cleared,), scale = clear([row], self.divisors, self.size)
        require(added(cleared.values()) == scale, step, "the sum is not 1 for all parameters")
        return row

    def images(self) -> list[Polynomial]:
        """The parameters as polynomials in u."""
        found: list[Polynomial] = []
        for place, ends in enumerate(self.ranges):
            if self.asked.eps is not None and place == self.asked.eps.parameter:
                found.append(variable(place, self.size, self.powers.denominator))
                continue
            free = [*found, *({} for _ in range(place, self.size))]
            low, high = (composed(end, free, self.size) for end in ends)
            found.append(plus(low, times(plus(high, low, -1), variable(place, self.size))))
        return found

    def numerators(self) -> Iterator[Polynomial]:
        """Those that need a sign, each once: they are no numbers, which are >= 0."""
        found: dict[Any, Polynomial] = {}
        for row in (*self.emissions, *self.transitions, *self.sides):
            for f, _ in row.values():
                value = number(f)
                require(value is None or value >= 0, "signs", "a number is negative")
                if value is None:
                    found.setdefault(frozenset(f.items()), f)
        return iter(found.values())

    # --- at a point of the class ---

    def point(self, listed: Sequence[Fraction]) -> tuple[list[Fraction], Fraction]:
        """A listed point, which is in the class, and exp(-rate eps) there."""
        point, scale, eps = list(listed), ONE, self.asked.eps
        require(len(point) == self.size, "point", "there is not one number for every parameter")
        if eps is not None:
            u = point[eps.parameter]
            require(0 < u < 1, "point", "exp(-eps/unit) is not between 0 and 1")
            point[eps.parameter], scale = u**self.powers.denominator, u**self.powers.numerator
        for x, ends, r in zip(point, self.ranges, self.asked.parameters, strict=True):
            low, high = (value_at(end, point) for end in ends)
            inside = (low < x or (r.low_closed and low == x)) and (x < high or (r.high_closed and x == high))
            require(inside, "point", f"{r.name[:MAX_NAME]} is outside of its range")
        require(all(value_at(g, point) >= 0 for g in self.conditions), "point", "a condition does not hold")
        return point, scale

    def model_at(self, point: Sequence[Fraction]) -> tuple[Model, list[Vector]]:
        """The model of numbers at a point, and its sides: all is defined there, and no side impossible."""
        emissions = [self.values_at(row, point) for row in self.emissions]
        transitions = [self.values_at(row, point) for row in self.transitions]
        sides = []
        for row in self.sides:
            weights = self.values_at(row, point)
            scale = total(weights)
            require(scale, "point", "a side is impossible there")
            sides.append({s: {key: x / scale for key, x in f.items()} for s, f in weights.items()})
        return Model(emissions, transitions), sides

    def values_at(self, row: Functions, point: Sequence[Fraction]) -> Vector:
        """A row where the parameters are numbers."""
        found = {}
        for s, f in row.items():
            divisor = ONE if f.divisor is None else value_at(self.divisors[f.divisor], point)
            require(divisor, "point", "a divisor is 0 there")
            value = value_at(f.above, point) / divisor
            require(value >= 0, "point", "a probability is negative there")
            found[s] = constant(value, 0)
        return present(found)


def clear(
    rows: Sequence[Functions], divisors: Sequence[Polynomial], size: int
) -> tuple[list[Vector], Polynomial]:
    """All entries times the product of the divisors that occur, and this product."""
    used = sorted({f.divisor for row in rows for f in row.values() if f.divisor is not None})
    rest = {i: product([divisors[j] for j in used if j != i], size) for i in (None, *used)}
    return [{s: times(f.above, rest[f.divisor]) for s, f in row.items()} for row in rows], rest[None]


def class_shown(question: Question) -> str:
    """The class."""
    asked, names, parts = question.asked, [r.name for r in question.asked.parameters], []
    for i, (r, ends) in enumerate(zip(asked.parameters, question.ranges, strict=True)):
        meant = ""
        if asked.eps is not None and asked.eps.parameter == i:
            meant = " = exp(-eps)" if asked.eps.unit == 1 else f" = exp(-eps/{asked.eps.unit})"
        low, high = (polynomial_shown(end, names) for end in ends)
        parts.append(f"{r.name}{meant} in {'(['[r.low_closed]}{low}, {high}{')]'[r.high_closed]}")
    where = ", ".join(f"{polynomial_shown(g, names)} >= 0" for g in question.conditions)
    return f"every {', '.join(parts)}" + (f" where {where}" if where else "")
