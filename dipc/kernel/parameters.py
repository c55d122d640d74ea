"""Questions about hidden Markov models with parameters: how they are read.

The probabilities are functions of parameters: a polynomial, or one divided by a listed divisor.  A parameter
p has the range (low, high), open or closed, whose ends are polynomials in the parameters before it;
conditions are further polynomials g >= 0.  *The class* are all points in the ranges that meet the conditions.

**The cube.**  p = low + (high - low) u with u in [0, 1] maps the unit cube onto a set that contains all
points in the ranges.  One parameter may stand for exp(-eps/unit) with eps > 0; its range is (0, 1), and
p = u^b instead, where rate unit = a/b in lowest terms for the rate of eps in the claim: then
exp(-rate eps) = u^a.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from . import hidden
from .chains import numbers
from .hidden import LONGEST
from .models import read_names
from .polynomials import (
    MAX_DEGREE,
    MAX_VARIABLES,
    Polynomial,
    composed,
    constant,
    plus,
    product,
    read_polynomial,
    times,
    value_at,
    variable,
)
from .polynomials import shown as polynomial_shown
from .privacy import MAX_NAME
from .reading import Refused, array, flag, integer, name_of, pair_of, rational, record

MAX_STATED = 1000  # terms of ranges and conditions: a statement has all of them

Vector = dict[int, Polynomial]


class Range(NamedTuple):
    """The values of a parameter."""

    name: str
    low: Polynomial
    high: Polynomial
    low_closed: bool
    high_closed: bool


class Eps(NamedTuple):
    """The parameter that stands for exp(-eps/unit), and the rate of eps in the claim."""

    place: int
    unit: int
    rate: Fraction

    @property
    def powers(self) -> Fraction:
        """a/b: it is u^b, and exp(-rate eps) is u^a."""
        return self.rate * self.unit

    @property
    def text(self) -> str:
        """What the parameter stands for."""
        return f"exp(-eps/{self.unit})" if self.unit > 1 else "exp(-eps)"


class Class(NamedTuple):
    """The parameters."""

    ranges: list[Range]
    conditions: list[Polynomial]
    eps: Eps | None

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.ranges)

    def images(self) -> list[Polynomial]:
        """The parameters as polynomials in u."""
        found: list[Polynomial] = []
        for place, (_, low, high, _, _) in enumerate(self.ranges):
            if self.eps is not None and place == self.eps.place:
                found.append(variable(place, self.size, self.eps.powers.denominator))
                continue
            free = [*found, *({} for _ in range(place, self.size))]
            ends = [composed(end, free, self.size) for end in (low, high)]
            found.append(plus(ends[0], times(plus(ends[1], ends[0], -1), variable(place, self.size))))
        return found

    def check_point(self, point: Sequence[Fraction]) -> None:
        """That it belongs to the class."""
        for x, (name, low, high, low_closed, high_closed) in zip(point, self.ranges, strict=True):
            ends = value_at(low, point), value_at(high, point)
            if not (
                (ends[0] < x or (low_closed and ends[0] == x))
                and (x < ends[1] or (high_closed and x == ends[1]))
            ):
                raise Refused("point", f"{name[:MAX_NAME]} is outside of its range")
        if any(value_at(g, point) < 0 for g in self.conditions):
            raise Refused("point", "a condition does not hold")

    def text(self) -> str:
        """In words."""
        names = [each.name for each in self.ranges]
        parts = []
        for place, (name, low, high, low_closed, high_closed) in enumerate(self.ranges):
            ends = ", ".join(polynomial_shown(end, names) for end in (low, high))
            is_eps = self.eps is not None and place == self.eps.place
            told = f" = {self.eps.text}" if is_eps and self.eps else ""
            parts.append(f"{name}{told} in {'(['[low_closed]}{ends}{')]'[high_closed]}")
        where = [f"{polynomial_shown(g, names)} >= 0" for g in self.conditions]
        return f"every {', '.join(parts)}" + (f" where {', '.join(where)}" if where else "")


class Function(NamedTuple):
    """A polynomial, divided by the divisor with this number."""

    above: Polynomial
    divisor: int | None


Functions = dict[int, Function]


class Side(NamedTuple):
    """A distribution of first states: its name, and the weights."""

    name: str
    weights: Functions


class Question(NamedTuple):
    """What is asked."""

    states: list[str]
    observations: list[str]
    family: Class
    divisors: list[Polynomial]
    emissions: list[Functions]
    transitions: list[Functions]
    sides: list[Side]
    pairs: list[tuple[int, int]]
    horizon: int | None
    c: Fraction

    def what(self) -> str:
        """What a certificate shows or refutes."""
        claim, eps, of = f"ln({self.c})", self.family.eps, self.family.text()
        if eps is not None and eps.rate:
            claim = f"{eps.rate}*eps" if self.c == 1 else f"({claim} + {eps.rate}*eps)"
        where = "every horizon" if self.horizon is None else f"horizon {self.horizon}"
        return f"{claim}-Pufferfish private for {of} and {where}"

    def functions(self) -> Iterator[Function]:
        """All of them."""
        for row in (*self.emissions, *self.transitions, *(side.weights for side in self.sides)):
            yield from row.values()


# --- reading ------------------------------------------------------------------------------------------


def read_class(data: dict[str, Any]) -> Class:
    """The parameters; an end depends on those before only."""
    listed = array(data["parameters"], "parameters")
    if not 0 < len(listed) <= MAX_VARIABLES:
        raise Refused("parameters", "there are none, or too many")
    ranges = []
    for place, value in enumerate(listed):
        each = record(value, "parameters", "name", "low", "high", "low_closed", "high_closed")
        low, high = (read_polynomial(each[end], len(listed), "parameters") for end in ("low", "high"))
        if any(any(key[place:]) for end in (low, high) for key in end):
            raise Refused("parameters", "the end of a range depends on that parameter, or on a later one")
        closed = flag(each["low_closed"], "parameters"), flag(each["high_closed"], "parameters")
        ranges.append(Range(name_of(each["name"], "parameters"), low, high, *closed))
    if len({each.name for each in ranges}) < len(ranges):
        raise Refused("parameters", "a name is listed twice")
    conditions = [
        read_polynomial(g, len(ranges), "conditions") for g in array(data["conditions"], "conditions")
    ]
    stated = [end for each in ranges for end in (each.low, each.high)] + conditions
    if sum(map(len, stated)) > MAX_STATED:
        raise Refused("conditions", f"more than {MAX_STATED} terms, which no statement shows")
    return Class(ranges, conditions, None if data["eps"] is None else read_eps(data["eps"], ranges))


def read_eps(value: Any, ranges: Sequence[Range]) -> Eps:
    """The parameter that stands for eps: its range is (0, 1)."""
    listed, one = record(value, "eps", "parameter", "unit", "rate"), constant(Fraction(1), len(ranges))
    place = integer(listed["parameter"], "eps", 0, len(ranges) - 1)
    found = Eps(place, integer(listed["unit"], "eps", 1, LONGEST), rational(listed["rate"], "eps"))
    if ranges[place][1:] != ({}, one, False, False):
        raise Refused("eps", "the range of its parameter is not (0, 1)")
    if found.rate < 0 or max(found.powers.numerator, found.powers.denominator) > MAX_DEGREE:
        raise Refused("eps", "the rate is negative, or the powers are too large")
    return found


def read_functions(value: Any, last: int, count: int, size: int, step: str) -> Functions:
    """The entries of a row that are not zero."""
    cells = [pair_of(cell, step) for cell in array(value, step)]
    places = numbers([place for place, _ in cells], last, step)
    row: Functions = {}
    for place, (_, written) in zip(places, cells, strict=True):
        above, divisor = pair_of(written, step)
        number = None if divisor is None else integer(divisor, step, 0, count - 1)
        row[place] = Function(read_polynomial(above, size, step), number)
    if not all(f.above for f in row.values()):
        raise Refused(step, "an entry is zero")
    return row


def read_question(data: dict[str, Any]) -> Question:
    """The question of a certificate, if every row sums to 1."""
    states, observations = (read_names(data[field], field) for field in ("states", "observations"))
    family = read_class(data)
    divisors = [read_polynomial(d, family.size, "divisors") for d in array(data["divisors"], "divisors")]
    if not all(divisors):
        raise Refused("divisors", "one of them is zero")
    n, count = len(states), len(divisors)
    emissions = read_rows(data, "emissions", n, len(observations) - 1, divisors, family.size)
    transitions = read_rows(data, "transitions", n, n - 1, divisors, family.size)
    sides = [
        read_side(side, n - 1, count, family.size, f"side {i}")
        for i, side in enumerate(array(data["sides"], "sides"))
    ]
    pairs = hidden.read_pairs(data["pairs"], len(sides))
    horizon = None if data["horizon"] is None else integer(data["horizon"], "horizon", 1, LONGEST)
    c = rational(data["c"], "c")
    if c <= 0 or (c < 1 and family.eps is None):
        raise Refused("c", "it is less than 1")
    return Question(states, observations, family, divisors, emissions, transitions, sides, pairs, horizon, c)


def read_rows(
    data: dict[str, Any], field: str, states: int, last: int, divisors: Sequence[Polynomial], size: int
) -> list[Functions]:
    """A row for each state that sums to 1; a state may have no transitions."""
    listed, rows = array(data[field], field), []
    if len(listed) != states:
        raise Refused(field, "there is not one row for every state")
    for s, value in enumerate(listed):
        row = read_functions(value, last, len(divisors), size, f"{field} {s}")
        if (row or field == "emissions") and not sums_to_1(row, divisors, size):
            raise Refused(f"{field} {s}", "the sum is not 1 for all parameters")
        rows.append(row)
    return rows


def read_side(value: Any, last: int, count: int, size: int, step: str) -> Side:
    """A distribution of first states."""
    side = record(value, step, "name", "prior", "start")
    return Side(hidden.side_name(side, step), read_functions(side["start"], last, count, size, step))


def sums_to_1(row: Functions, divisors: Sequence[Polynomial], size: int) -> bool:
    """Whether the sum of a row is 1 for all parameters."""
    cleared, scale = clear([row], divisors, size)
    total: Polynomial = {}
    for f in cleared[0].values():
        total = plus(total, f)
    return total == scale


def clear(
    rows: Sequence[Functions], divisors: Sequence[Polynomial], size: int
) -> tuple[list[Vector], Polynomial]:
    """All entries times the product of the divisors that occur, and this product."""
    used = sorted({f.divisor for row in rows for f in row.values() if f.divisor is not None})
    rest = {i: product([divisors[j] for j in used if j != i], size) for i in (None, *used)}
    return [{s: times(f.above, rest[f.divisor]) for s, f in row.items()} for row in rows], rest[None]
