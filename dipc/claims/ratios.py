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


class Ratio(NamedTuple):
    """``p/q``, infinite where q vanishes, of the outputs at some places, compared with ``others``."""

    p: Quotient
    q: Quotient
    outputs: tuple[int, ...]
    others: tuple[int, ...] = ()


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

    def ratios(self, left: Vector, right: Vector, judge: SignOracle) -> Iterator[Ratio]:
        """The ratios that are bounded, of P(u) and P(u').  Raises :class:`InputError` if one has no value.

        Of the range they are ``P(u)(o) P(u')(o')`` to ``P(u)(o') P(u')(o)`` for all outputs o, o', where an
        output that is possible on one input only makes one infinite; a law that has one group is compared
        with itself.  Of the order A it is the sum over all o of ``P(u)(o)^A P(u')(o)^(1-A)``, or an output
        that makes it infinite: one that is possible on u and impossible on u'.
        """
        budgets = judge.budgets
        among = _groups(left, right, budgets)
        if self.order is not None:
            yield _renyi(among, self.order, judge)
            return
        for one, other in product(among, repeat=2):
            useful = one is not other or len(among) == 1
            if useful and not vanishes(one.p, budgets) and not vanishes(other.q, budgets):
                yield Ratio(one.p * other.q, other.p * one.q, one.outputs, other.outputs)


def vanishes(value: Quotient, budgets: EpsRange) -> bool:
    """Whether a probability is 0 for every eps in question."""
    return not value or (budgets.is_point and not value.sign_at(budgets.low))


def _groups(left: Vector, right: Vector, budgets: EpsRange) -> list[Ratio]:
    """The possible outputs of two laws, merged by their ratios, in the order of their first outputs."""
    found: dict[Quotient | None, list[int]] = {}
    for o, (p, q) in enumerate(zip(left, right, strict=True)):
        if not (vanishes(p, budgets) and vanishes(q, budgets)):
            found.setdefault(p / q if q else None, []).append(o)
    return [Ratio(mass(left, some), mass(right, some), tuple(some)) for some in found.values()]


def _renyi(among: Sequence[Ratio], order: int, judge: SignOracle) -> Ratio:
    total = Quotient.of(0)
    for each in among:
        if vanishes(each.p, judge.budgets):
            continue
        if vanishes(each.q, judge.budgets):
            return each
        total = total + each.p**order / each.q ** (order - 1)
    try:
        judge.numerator(total)
    except InputError:
        message = f"the divergence has no value for some eps in {judge.budgets}: a probability vanishes there"
        raise InputError(message, hint="restrict the question to an interval without this eps") from None
    return Ratio(total, Quotient.one(), tuple(sorted(o for each in among for o in each.outputs)))
