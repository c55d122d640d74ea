"""What many inputs have in common: a part of a program without noise and without eps is a linear map.

If the states of a configuration hold no samples, and everything drawn on the way to the next input cells has
rational probabilities, then what comes out is linear in the probabilities of these states.  So that part is
executed once, with a formal sum in the place of each probability (:class:`Mix`), and for all other
configurations with the same states it is a product with a matrix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from flint import fmpq, fmpq_mat

from dipc.dipwhile.semantics.evaluate import Datum
from dipc.dipwhile.semantics.state import State
from dipc.dipwhile.semantics.step import Outcome
from dipc.dipwhile.syntax.core import Cell
from dipc.integration.joint import Joint
from dipc.models.values import Value
from dipc.numbers.quotient import Quotient

Known = dict[Cell, Value]


class NotRational(Exception):
    """A probability on the way depends on eps."""


class Mix:
    """A linear combination of the probabilities of some states, with nonnegative rational coefficients."""

    __slots__ = ("parts",)

    def __init__(self, parts: dict[int, fmpq]) -> None:
        self.parts = parts

    def __add__(self, other: Mix) -> Mix:
        parts = dict(self.parts)
        for i, x in other.parts.items():
            parts[i] = parts[i] + x if i in parts else x
        return Mix(parts)

    def __mul__(self, factor: Quotient) -> Mix:
        if (number := factor.as_rational()) is None:
            raise NotRational
        return Mix({i: x * number for i, x in self.parts.items()})

    def __bool__(self) -> bool:
        return bool(self.parts)

    @property
    def numerator(self) -> Mix:
        """Itself: it is no fraction."""
        return self


class Plan(NamedTuple):
    """What comes out: first the outcomes, then the states that go on, a column of the matrix for each."""

    matrix: fmpq_mat
    outcomes: tuple[Outcome, ...]
    rest: tuple[tuple[int, Mapping[Cell, Datum]], ...]
    asks: Cell | None
    known: Known

    def applied(self, masses: Sequence[fmpq]) -> tuple[dict[Outcome, Quotient], tuple[State, ...]]:
        """What is emitted, and the states that go on, for these probabilities of the states at the start."""
        found = (fmpq_mat(1, len(masses), list(masses)) * self.matrix).entries()
        emitted = {o: Quotient.of(x) for o, x in zip(self.outcomes, found, strict=False)}
        states = zip(self.rest, found[len(self.outcomes) :], strict=True)
        return emitted, tuple(State(*place, Joint.certain(Quotient.of(x))) for place, x in states)


def plan_of(
    emitted: Mapping[Outcome, Any],
    rest: Sequence[State],
    size: int,
    asks: Cell | None,
    known: dict[Cell, Value],
) -> Plan:
    """The plan of a part that was executed with formal sums of so many probabilities."""
    columns: list[Mix] = [*emitted.values(), *(state.joint.mass() for state in rest)]  # type: ignore[list-item]
    table = [[column.parts.get(i, fmpq(0)) for column in columns] for i in range(size)]
    places = tuple((state.pc, state.env) for state in rest)
    return Plan(fmpq_mat(table), tuple(emitted), places, asks, known)


def plain_masses(states: Sequence[State]) -> list[fmpq] | None:
    """The probabilities of states, if they hold no samples and are rational numbers."""
    found: list[fmpq] = []
    for state in states:
        products = state.joint.products
        if state.joint.live or len(products) != 1 or products[0].weights or products[0].links:
            return None
        if (number := products[0].coefficient.as_rational()) is None:
            return None
        found.append(number)
    return found
