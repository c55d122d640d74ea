"""Which conditions contradict each other, and how they order some of their unknowns: linear programs.

A path is dropped only if its conditions have no solution in the reals; strict and weak inequalities are kept
apart: a margin for the strict ones is pushed as far as 1.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from flint import fmpq

from dipc.dipwhile.allsizes.values import ONE, ZERO, Linear, Symbol, number, symbols, unknown
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


def order(conditions: Sequence[Condition], kept: Collection[Symbol]) -> Iterator[Condition]:
    """How the symbols ``kept`` and 0 are ordered, strictly or not, as far as the conditions say so."""
    for a, b in permutations([number(ZERO), *map(unknown, sorted(kept))], 2):
        above = a.plus(b, -ONE)
        for strict in (True, False):
            (contrary,) = negations(fact := Condition(above, strict))
            if contradictory([*conditions, contrary]):
                yield fact
                break


def negations(condition: Condition) -> tuple[Condition, ...]:
    """Conditions one of which holds where this one does not."""
    less = replace(condition, value=condition.value.times(-ONE))
    if condition.equal:
        return Condition(condition.value, strict=True), Condition(less.value, strict=True)
    return (Condition(less.value, strict=not condition.strict),)
