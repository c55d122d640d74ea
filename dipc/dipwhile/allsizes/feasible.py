"""Which conditions contradict each other, and what they say about some of their unknowns: Fourier-Motzkin.

A path is dropped only if its conditions have no solution in the reals; strict and weak inequalities are kept
apart.  Where the elimination grows too large nothing is dropped and nothing follows, which is always right.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from dipc.dipwhile.allsizes.values import ONE, Linear, Symbol, symbols

MOST = 200
"""How many inequalities an elimination may reach before it is given up."""


@dataclass(frozen=True, slots=True)
class Condition:
    """``value > 0`` if ``strict``, ``value = 0`` if ``equal``, else ``value >= 0``."""

    value: Linear
    strict: bool = False
    equal: bool = False

    @property
    def settled(self) -> bool | None:
        """Whether it holds, if it is about a number."""
        number = self.value.number
        if number is None:
            return None
        return number == 0 if self.equal else number > 0 or (number == 0 and not self.strict)


class TooMany(Exception):
    """The elimination was given up."""


def contradictory(conditions: Sequence[Condition]) -> bool:
    """Whether no numbers for the symbols satisfy all conditions (False also where that is not found out)."""
    try:
        return eliminate(conditions, symbols(c.value for c in conditions)) is None
    except TooMany:
        return False


def consequences(
    conditions: Sequence[Condition], kept: Collection[Symbol], most: int
) -> tuple[Condition, ...]:
    """What follows for the symbols ``kept``: at most so many conditions, without what follows from others."""
    others = symbols(c.value for c in conditions) - set(kept)
    try:
        found = eliminate(conditions, others)
    except TooMany:
        return ()
    facts = sorted({scaled(c) for c in found or () if c.value.terms}, key=_key)
    if len(facts) > 2 * most:
        return ()
    for fact in list(facts):
        rest = [other for other in facts if other != fact]
        if all(contradictory([*rest, negation]) for negation in negations(fact)):
            facts = rest
    return tuple(facts[:most])


def negations(condition: Condition) -> tuple[Condition, ...]:
    """Conditions one of which holds where this one does not."""
    less = replace(condition, value=condition.value.times(-ONE))
    if condition.equal:
        return Condition(condition.value, strict=True), Condition(less.value, strict=True)
    return (Condition(less.value, strict=not condition.strict),)


def linked(goal: Condition, conditions: Iterable[Condition]) -> list[Condition]:
    """A condition, and those that share symbols with it, directly or through others."""
    found, left = [goal], [(c, {s for s, _ in c.value.terms}) for c in conditions]
    reached = {s for s, _ in goal.value.terms}
    while near := [item for item in left if item[1] & reached]:
        left = [item for item in left if not item[1] & reached]
        found += (condition for condition, _ in near)
        reached = reached.union(*(names for _, names in near))
    return found


def scaled(condition: Condition) -> Condition:
    """The same condition with the first coefficient 1 or -1 (1 for an equation)."""
    first = condition.value.terms[0][1]
    return replace(condition, value=condition.value.times(1 / (first if condition.equal else abs(first))))


def eliminate(conditions: Iterable[Condition], gone: Iterable[Symbol]) -> list[Condition] | None:
    """Conditions on the other symbols that hold where some values of ``gone`` satisfy all; None: never."""
    left = _alive(conditions)
    for symbol in sorted(gone):
        if left is None:
            return None
        left = _alive(_without(left, symbol))
    return left


def _alive(conditions: Iterable[Condition]) -> list[Condition] | None:
    """The conditions that say something; None if one of them is false."""
    alive: dict[Condition, None] = {}
    for condition in conditions:
        match condition.settled:
            case False:
                return None
            case None:
                alive[scaled(condition)] = None
    if len(alive) > MOST:
        raise TooMany
    return list(alive)


def _without(conditions: Sequence[Condition], symbol: Symbol) -> list[Condition]:
    """The projection along one symbol: by an equation if there is one, else by pairs of bounds."""
    about = [(c, dict(c.value.terms).get(symbol)) for c in conditions]
    free = [c for c, factor in about if factor is None]
    bound = [(c, factor) for c, factor in about if factor is not None]
    equation = next(((c, factor) for c, factor in bound if c.equal), None)
    if equation is not None:
        by, pivot = equation
        others = [(c, factor) for c, factor in bound if c is not by]
        return free + [replace(c, value=c.value.plus(by.value, -factor / pivot)) for c, factor in others]
    lower = [(c, factor) for c, factor in bound if factor > 0]
    upper = [(c, factor) for c, factor in bound if factor < 0]
    if len(lower) * len(upper) > MOST:
        raise TooMany
    return free + [
        Condition(a.value.times(1 / p).plus(b.value, -1 / q), a.strict or b.strict)
        for a, p in lower
        for b, q in upper
    ]


def _key(condition: Condition) -> tuple[object, ...]:
    value = condition.value
    return (len(value.terms), [(s, str(c)) for s, c in value.terms], str(value.constant), condition.strict)
