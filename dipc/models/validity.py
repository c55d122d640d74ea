"""Whether the functions of a model are probabilities for every eps that is asked about.

A row sums to 1 as a function (:mod:`dipc.models.draft` checks that), so numbers that are not negative are
not above 1 either.
"""

from __future__ import annotations

from dipc.clock import Clock
from dipc.errors import InputError, LimitReached
from dipc.models.chain import Model, transitions
from dipc.numbers.quotient import Quotient
from dipc.signs.ends import about
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Fails, Unclear, nonnegative, sign_of_denominator
from dipc.signs.tables import pieces

HINT = "ask about less: `FORMULA for eps in (low, high)`"


def check_probabilities(model: Model, eps_range: EpsRange, clock: Clock) -> None:
    """Raise :class:`InputError` unless every probability exists and is not negative on the whole range.

    Raises :class:`LimitReached` if that cannot be settled.
    """
    functions = ((p, place) for place, p in transitions(model) if isinstance(p, Quotient))
    where = {p: place for p, place in functions if p.as_rational() is None}
    for done, (p, (s, action, t)) in enumerate(where.items()):
        clock.tick("probabilities", done, len(where))
        if wrong := _wrong(p, eps_range):
            names = f"`{model.names[s]}{f' [{action}]' * bool(action)} -> {model.names[t]}`"
            raise InputError(f"the probability of {names}, {p}, {wrong}", hint=HINT)


def _wrong(p: Quotient, eps_range: EpsRange) -> str:
    """What is wrong with a probability, and at which eps."""
    sign = sign_of_denominator(p, eps_range)
    if sign is None:
        places = (each.low for each in pieces([p.denominator], eps_range) if (0,) in each.readings)
        return f"has no value at eps {about(next(places))}"
    match nonnegative(p.numerator * sign, eps_range):
        case Fails(sample):
            return f"is negative at eps = {sample}"
        case Unclear(low, high):
            raise LimitReached(f"it is not settled whether {p} is negative for eps in [{low}, {high}]")
    return ""
