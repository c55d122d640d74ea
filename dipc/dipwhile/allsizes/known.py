"""What is known of public numbers on a path, and of the values that its conditions bound.

Sizes are integers >= 1, the variable of a loop is an integer between its bounds, and the path has conditions;
strict inequalities between integers are sharpened.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from dipc.dipwhile.allsizes.feasible import Condition, contradictory, negations
from dipc.dipwhile.allsizes.system import System
from dipc.dipwhile.allsizes.values import ONE, Linear, Symbol, number

impossible = lru_cache(maxsize=65536)(contradictory)


class Known:
    """What a path knows; its ``conditions``, and the ``kinds`` of its samples, grow with it."""

    def __init__(
        self,
        system: System,
        conditions: Sequence[Condition],
        kinds: Sequence[bool],
        bounds: Sequence[Condition],
    ) -> None:
        self.system, self.conditions, self.kinds = system, conditions, kinds
        self.bounds = [*bounds]  # on public numbers: true of every run that comes here
        self.whole: set[Symbol] = set()  # unknowns that are integers, by where they are from

    def learn(self, value: Linear, low: Linear, high: Linear) -> None:
        """Know that an unknown is an integer between two bounds."""
        self.whole.add(value.terms[0][0])
        self.bounds += Condition(value.plus(low, -ONE)), Condition(high.plus(value, -ONE))

    def shows(self, value: Linear, *, strict: bool = False) -> bool:
        """Whether ``value >= 0`` (> 0) follows from what is known of public numbers."""
        goal = Condition(value, strict)
        if goal.settled is not None:
            return goal.settled
        (contrary,) = negations(goal)
        known = [contrary, *self.system.known, *self.bounds, *self.conditions]
        return impossible(tuple(map(self.sharpened, known)))

    def sharpened(self, condition: Condition) -> Condition:
        """``value >= 1`` for ``value > 0`` of an integer."""
        value = condition.value
        if condition.strict and not condition.equal and self.is_integer(value):
            return Condition(value.plus(number(ONE), -ONE))
        return condition

    def within(self, value: Linear, low: Linear, high: Linear) -> bool:
        """Whether a value surely lies between two others."""
        return self.shows(value.plus(low, -ONE)) and self.shows(high.plus(value, -ONE))

    def is_integer(self, value: Linear) -> bool:
        """Whether a value is surely an integer."""
        whole = value.constant.q == 1 and all(c.q == 1 for _, c in value.terms)
        return whole and all(self._is_integer(symbol) for symbol, _ in value.terms)

    def _is_integer(self, symbol: Symbol) -> bool:
        if symbol.kind == "sample":
            return self.kinds[symbol.number]
        name, known = symbol.name, self.system.integers
        named = name in known or name.partition("[")[0] in known or name.startswith(("floor(", "ceil("))
        return named or symbol in self.whole

    def is_nonzero(self, value: Linear) -> bool:
        """Whether a value is surely not 0."""
        return self.shows(value, strict=True) or self.shows(value.times(-ONE), strict=True)
