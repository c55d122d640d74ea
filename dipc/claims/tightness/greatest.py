"""The greatest of one function of eps for each input: the probability of an error, or an expectation.

It comes piece by piece, each with an input that needs it; of a function that is never negative also the
supremum, and the budgets at which a bound is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq

import dipc.views as views
from dipc.claims.oracle import SignOracle
from dipc.claims.tightness.curves import bounded_by
from dipc.claims.tightness.envelope import greatest_ratio
from dipc.claims.tightness.least import Least, Spot, least
from dipc.clock import Clock
from dipc.models.values import Valuation
from dipc.numbers.quotient import Quotient
from dipc.signs.ends import Interval, between, runs, shown
from dipc.signs.eps_range import EpsRange
from dipc.signs.tables import pieces as sign_pieces

Values = Sequence[tuple[Valuation, Quotient]]
"""A function of eps for each input."""


@dataclass(frozen=True, slots=True)
class Piece:
    """From ``low`` to ``high`` the greatest value is this one, of this input (the first of equals)."""

    interval: Interval
    value: Quotient
    input: Valuation


@dataclass(frozen=True, slots=True, repr=False)
class Accuracy(views.Shown):
    """The least beta of ``accurate good, beta [when condition]``: for each eps, and for all of them.

    Without an input that meets the condition there are no pieces, and every beta is enough.  ``suffices``
    are the budgets at which the bound ``beta`` is enough, None if no bound was given.
    """

    good: str
    when: str | None
    budgets: EpsRange
    inputs: int
    pieces: tuple[Piece, ...]
    least: Least
    spots: tuple[tuple[Spot, Valuation], ...]
    beta: Quotient | None = None
    suffices: tuple[Interval, ...] | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Expectation(views.Shown):
    """An expectation as a function of eps: of each input, and the greatest of all piece by piece."""

    measure: str
    budgets: EpsRange
    values: Values
    pieces: tuple[Piece, ...]


def accuracy(
    errors: Values,
    texts: tuple[str, str | None],
    judge: SignOracle,
    clock: Clock,
    width: fmpq,
    beta: Quotient | None = None,
) -> Accuracy:
    """The least beta for the probabilities of an error on each input, exact or enclosed to ``width``.

    ``texts`` are what is good and the condition.  Raises :class:`LimitReached`.
    """
    different = _different(errors)
    values = list(different)
    found = greatest(errors, judge, clock)
    top = least([bounded_by(value) for value in values], judge.budgets, width, clock)
    spots = tuple((spot, different[values[spot.demand]]) for spot in top.spots if values)
    enough = None if beta is None else suffices(beta, [piece.value for piece in found], judge)
    return Accuracy(*texts, judge.budgets, len(errors), found, top, spots, beta, enough)


def greatest(values: Values, judge: SignOracle, clock: Clock) -> tuple[Piece, ...]:
    """The greatest value for each eps; nothing if there is no input.  Raises :class:`LimitReached`."""
    different = _different(values)
    functions = list(different)

    ratios = [(value, Quotient.one()) for value in functions]
    arcs = greatest_ratio(ratios, judge, clock.tick) if functions else []
    return tuple(
        Piece(between(low, high, judge.budgets), functions[which], different[functions[which]])
        for low, high, which, _ in arcs
    )


def suffices(beta: Quotient, values: Sequence[Quotient], judge: SignOracle) -> tuple[Interval, ...]:
    """The budgets at which no value exceeds beta, as maximal intervals.  Raises :class:`LimitReached`."""
    found = sign_pieces([judge.numerator(beta - value) for value in values], judge.budgets)
    holding = runs(found, lambda piece: all(min(signs, default=0) >= 0 for signs in piece.readings))
    return tuple(shown(region) for region, _ in holding)


def _different(values: Values) -> dict[Quotient, Valuation]:
    """The different functions, each with its first input."""
    found: dict[Quotient, Valuation] = {}
    for values_of_input, value in values:
        found.setdefault(value, values_of_input)
    return found
