"""Which conditions contradict each other, and what they say about some of their unknowns: linear programs.

A path is dropped only if its conditions have no solution in the reals; strict and weak inequalities are kept
apart: a margin for the strict ones is pushed as far as 1.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from flint import fmpq

from dipc.dipwhile.allsizes.values import ONE, ZERO, Linear, Symbol, symbols, unknown
from dipc.models.simplex import CONSTANT, Infeasible, Row, least


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


def contradictory(conditions: Sequence[Condition]) -> bool:
    """Whether no numbers for the symbols satisfy all conditions."""
    return solution(conditions) is None


def connected(first: Condition, others: Sequence[Condition]) -> list[Condition]:
    """A condition with those that share symbols with it, directly or through others.

    The rest contradicts it only if it contradicts itself.
    """
    found, known, more = [first], symbols([first.value]), True
    while more:
        near = [c for c in others if not known.isdisjoint(s for s, _ in c.value.terms)]
        others = [c for c in others if known.isdisjoint(s for s, _ in c.value.terms)]
        found, known, more = [*found, *near], known | symbols(c.value for c in near), bool(near)
    return found


def solution(conditions: Iterable[Condition], small: Collection[Symbol] = ()) -> Mapping[Symbol, fmpq] | None:
    """Numbers that satisfy all conditions, with a margin up to 1 where they are strict; None: there are none.

    The symbols in ``small`` are as near to 0 as they can be.
    """
    conditions = list(conditions)
    names = sorted(symbols(c.value for c in conditions))
    up = {symbol: k for k, symbol in enumerate(names)}
    down = {symbol: len(names) + k for k, symbol in enumerate(names) if symbol in small}
    missing = 2 * len(names)  # to the margin of 1
    rows = []
    for condition in conditions:
        terms = {CONSTANT: condition.value.constant}
        for symbol, factor in condition.value.terms:
            terms |= {up[symbol]: factor} | ({down[symbol]: -factor} if symbol in down else {})
        if condition.strict:
            terms |= {CONSTANT: terms[CONSTANT] - ONE, missing: ONE}
        rows.append(Row(terms, condition.equal))
    goal = dict.fromkeys([*down.values(), *(up[s] for s in down)], ONE)
    found = least(rows, [{missing: ONE}, goal], {j for s, j in up.items() if s not in down})
    if isinstance(found, Infeasible) or found.cost >= ONE:
        return None
    known = found.values
    return {s: known.get(j, ZERO) - known.get(down.get(s, missing + 1), ZERO) for s, j in up.items()}


def consequences(
    conditions: Sequence[Condition], kept: Collection[Symbol], most: int
) -> tuple[Condition, ...]:
    """What follows for the symbols ``kept``, their differences and bounds, at most so many conditions.

    Those that follow from others are left out.
    """
    point = solution(conditions)
    assert point is not None, "the conditions of a path contradict each other"
    facts = list(_facts(conditions, sorted(kept), point))
    for fact in list(facts):
        rest = [other for other in facts if other != fact]
        if all(contradictory([*rest, negation]) for negation in negations(fact)):
            facts = rest
    return tuple(facts[:most])


def _facts(
    conditions: Sequence[Condition], kept: Sequence[Symbol], point: Mapping[Symbol, fmpq]
) -> Iterator[Condition]:
    pairs = (unknown(a).plus(unknown(b), -ONE) for a, b in combinations(kept, 2))
    for value in (*map(unknown, kept), *pairs):
        ends = [(side, _lowest(conditions, side, point)) for side in (value.times(-ONE), value)]
        (_, high), (_, low) = ends
        if low is not None and high == -low:
            yield Condition(Linear(value.terms, -low), equal=True)
            continue
        for side, end in ends:
            if end is not None:
                bound = Linear(side.terms, -end)
                reached = Condition(bound.times(-ONE))
                yield Condition(bound, strict=contradictory([*conditions, reached]))


def _lowest(conditions: Sequence[Condition], value: Linear, point: Mapping[Symbol, fmpq]) -> fmpq | None:
    """The greatest lower bound of a value, strictness aside: the value is it plus some conditions (Farkas).

    Seen from a solution, no condition is negative, so no multiplier has a negative cost.
    """
    rows: dict[Symbol, dict[int, fmpq]] = {s: {CONSTANT: -factor} for s, factor in value.terms}
    costs: dict[int, fmpq] = {}
    for k, condition in enumerate(conditions):
        for symbol, factor in condition.value.terms:
            rows.setdefault(symbol, {}).update(
                {2 * k: factor} | ({2 * k + 1: -factor} if condition.equal else {})
            )
        costs[2 * k] = at(condition.value, point)
    found = least([Row(terms, True) for terms in rows.values()], [costs])
    return None if isinstance(found, Infeasible) else at(value, point) - found.cost


def at(value: Linear, point: Mapping[Symbol, fmpq]) -> fmpq:
    """The number that a value has at a point."""
    return sum((factor * point[s] for s, factor in value.terms), value.constant)


def negations(condition: Condition) -> tuple[Condition, ...]:
    """Conditions one of which holds where this one does not."""
    less = replace(condition, value=condition.value.times(-ONE))
    if condition.equal:
        return Condition(condition.value, strict=True), Condition(less.value, strict=True)
    return (Condition(less.value, strict=not condition.strict),)
