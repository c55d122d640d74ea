"""Numbers on a path of a program of any size, and which linear conditions contradict each other.

A number is linear over *symbols*: ``("sample", j)`` and ``("live", name)`` are random, ``("cell", n)`` is
private with a known change, ``("public", ...)`` is the same in both runs.  Nothing else is known of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from dipc.certificate.slow.values import Plain
from dipc.kernel.facts import ZERO

MOST_ROWS = 400  # of an elimination; beyond, nothing is said to be impossible

Symbol = tuple[object, ...]
Form = frozenset[tuple[str, Fraction]]
"""How much a number changes: samples by number, live variables by name, the constant under ""."""


@dataclass(frozen=True)
class Number:
    """``constant + sum of factor * symbol``, without zero factors."""

    terms: frozenset[tuple[Symbol, Fraction]]
    constant: Fraction

    @property
    def known(self) -> bool:
        """Is it a number and nothing else?"""
        return not self.terms

    @property
    def random(self) -> bool:
        """Does it depend on noise?"""
        return any(symbol[0] in ("sample", "live") for symbol, _ in self.terms)


@dataclass(frozen=True)
class Both:
    """A value of a finite set, on u and on u'."""

    left: Plain
    right: Plain


Value = Number | Both


def number(constant: Fraction | int, terms: Mapping[Symbol, Fraction] | None = None) -> Number:
    """The number with these factors."""
    return Number(frozenset((s, c) for s, c in (terms or {}).items() if c), Fraction(constant))


def symbol(*name: object) -> Number:
    """The number that a symbol stands for."""
    return Number(frozenset({(name, Fraction(1))}), ZERO)


def plus(a: Number, b: Number, times: Fraction | int = 1) -> Number:
    """a + times * b."""
    terms = dict(a.terms)
    for s, c in b.terms:
        terms[s] = terms.get(s, ZERO) + c * times
    return number(a.constant + b.constant * times, terms)


def multiple(a: Number, factor: Fraction | int) -> Number:
    """factor * a."""
    return plus(number(0), a, factor)


def plain(value: Plain) -> Value:
    """A public value."""
    return number(value) if isinstance(value, Fraction) else Both(value, value)


# --- conditions -----------------------------------------------------------------------------------------

Row = tuple[Number, str]
"""``number OP 0`` with one of ``>=``, ``>`` and ``=``."""


def follows(row: Row, rows: Iterable[Row]) -> bool:
    """Is it certain that the conditions imply this one?"""
    given, (value, op) = list(rows), row
    contrary = multiple(value, -1)
    # conditions one of which holds wherever this one does not
    others = [(value, ">"), (contrary, ">")] if op == "=" else [(contrary, ">=" if op == ">" else ">")]
    return all(impossible([*given, other]) for other in others)


def impossible(rows: Iterable[Row]) -> bool:
    """Is it certain that no real numbers satisfy all conditions?

    Equations are two inequalities.  By Motzkin's transposition theorem a contradiction is a combination of
    the rows that says 0 > 0 or -1 >= 0; elimination finds it, the cheapest symbol first.
    """
    return _impossible(frozenset(rows))


@lru_cache(maxsize=20_000)
def _impossible(rows: frozenset[Row]) -> bool:
    system = {part for row in rows for part in _inequalities(row)}
    while True:
        if any(not v.terms and (v.constant < 0 or (strict and not v.constant)) for v, strict in system):
            return True
        system = {row for row in system if row[0].terms}
        if not system or len(system) > MOST_ROWS:
            return False
        system = _without(system)


def _inequalities(row: Row) -> list[tuple[Number, bool]]:
    value, op = row
    both = [_scaled(value), _scaled(multiple(value, -1))]
    return [(one, False) for one in both] if op == "=" else [(both[0], op == ">")]


def _scaled(value: Number) -> Number:
    """A positive multiple that is the same for all positive multiples."""
    if not value.terms:
        return value
    factors = [c for _, c in value.terms]
    divisor = Fraction(math.gcd(*(c.numerator for c in factors)), math.lcm(*(c.denominator for c in factors)))
    return multiple(value, 1 / divisor)


def _without(system: set[tuple[Number, bool]]) -> set[tuple[Number, bool]]:
    """The projection along the symbol that makes the fewest rows."""
    signs: dict[Symbol, list[int]] = {}
    for value, _ in system:
        for s, c in value.terms:
            signs.setdefault(s, [0, 0])[c > 0] += 1
    gone = min(signs, key=lambda s: (signs[s][0] * signs[s][1], repr(s)))
    above, below = list[tuple[Number, bool]](), list[tuple[Number, bool]]()
    rest = set[tuple[Number, bool]]()
    for value, strict in system:
        factor = dict(value.terms).get(gone, ZERO)
        if factor:
            (above if factor > 0 else below).append((multiple(value, 1 / abs(factor)), strict))
        else:
            rest.add((value, strict))
    return rest | {(_scaled(plus(a, b)), s or t) for a, s in above for b, t in below}
