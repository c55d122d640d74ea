"""Likelihood ratios of two laws: bounded range and Renyi divergences depend on nothing else.

Outputs of equal ratio P(u)(o)/P(u')(o) are merged first, which changes neither; outputs that are impossible
on both inputs are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from dipc.claims.oracle import SignOracle
from dipc.errors import InputError
from dipc.frozen import frozen
from dipc.models.laws import Vector, mass
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange


@frozen
class Measure:
    """Bounded range, or the Renyi divergence of an integer ``order`` of at least 2.

    >>> str(Measure()), str(Measure(3)), Measure(3).claim("2*eps")
    ('range', 'renyi 3', 'renyi 3, 2*eps')
    """

    order: int | None = None

    @property
    def times(self) -> int:
        """The k of ``exp(k epsilon)`` that bounds the ratios."""
        return 1 if self.order is None else self.order - 1

    def claim(self, epsilon: str) -> str:
        """What follows ``private`` in the claim that epsilon bounds the measure."""
        return f"{self}{' ' if self.order is None else ', '}{epsilon}"

    def __str__(self) -> str:
        return "range" if self.order is None else f"renyi {self.order}"


class Group(NamedTuple):
    """Outputs of equal ratio, by their places, with their probabilities on u and u'."""

    outputs: tuple[int, ...]
    p: Quotient
    q: Quotient


class Comparison(NamedTuple):
    """``P(u)(o) P(u')(o')`` and ``P(u)(o') P(u')(o)`` of two groups o and o': the first may exceed the other
    by a factor only."""

    one: Group
    other: Group

    @property
    def more(self) -> Quotient:
        """The product that must be small."""
        return self.one.p * self.other.q

    @property
    def less(self) -> Quotient:
        """The product that bounds it."""
        return self.other.p * self.one.q


def vanishes(value: Quotient, budgets: EpsRange) -> bool:
    """Whether a probability is 0 for every eps in question."""
    return not value or (budgets.is_point and not value.sign_at(budgets.low))


def groups(left: Vector, right: Vector, budgets: EpsRange) -> list[Group]:
    """The possible outputs of two laws, merged by their ratios, in the order of their first outputs."""
    found: dict[Quotient | None, list[int]] = {}
    for o, (p, q) in enumerate(zip(left, right, strict=True)):
        if not (vanishes(p, budgets) and vanishes(q, budgets)):
            found.setdefault(p / q if q else None, []).append(o)
    return [Group(tuple(some), mass(left, some), mass(right, some)) for some in found.values()]


def comparisons(among: Sequence[Group], budgets: EpsRange) -> Iterator[Comparison]:
    """All pairs of groups that can restrict the range; a law that has one group is compared with itself."""
    for one, other in product(among, repeat=2):
        useful = one is not other or len(among) == 1
        if useful and not vanishes(one.p, budgets) and not vanishes(other.q, budgets):
            yield Comparison(one, other)


def impossible(among: Sequence[Group], budgets: EpsRange) -> Group | None:
    """The outputs that are possible on u and impossible on u': they make every divergence infinite."""
    infinite = (each for each in among if vanishes(each.q, budgets) and not vanishes(each.p, budgets))
    return next(infinite, None)


def renyi_sum(among: Sequence[Group], order: int, judge: SignOracle) -> Quotient:
    """``sum_o P(u)(o)^A P(u')(o)^(1-A)`` of groups of which none is impossible on u' only.

    Raises :class:`InputError` if it has no value for some eps of the range.
    """
    total = Quotient.of(0)
    for _, p, q in among:
        if not vanishes(p, judge.budgets):
            total = total + p**order / q ** (order - 1)
    try:
        judge.numerator(total)
    except InputError:
        message = f"the divergence has no value for some eps in {judge.budgets}: a probability vanishes there"
        raise InputError(message, hint="restrict the question to an interval without this eps") from None
    return total
