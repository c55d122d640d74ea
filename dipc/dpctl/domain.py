"""The probabilities of a model must not be negative wherever it is asked about.

They sum to 1 in every row, so none is above 1 then, and none has a pole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flint import fmpq

from dipc.errors import InputError, LimitReached
from dipc.models.chain import Mdp, Model
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Fails, Holds, nonnegative


def require_probabilities(model: Model, eps_range: EpsRange) -> None:
    """Check the transitions of a model on a range of eps.

    Raises :class:`InputError` for a probability that is negative somewhere, :class:`LimitReached` if a sign
    is not settled.

    >>> from dipc.errors import Source
    >>> from dipc.models.reading import read_model
    >>> model = read_model(Source("m", "chain; s -> {a: eps, b: 1 - eps}; final a, b")).model
    >>> require_probabilities(model, EpsRange(fmpq(0), fmpq(1), False, True))
    >>> require_probabilities(model, EpsRange.positive())
    Traceback (most recent call last):
    dipc.errors.InputError: error: the probability 1 - eps of `s -> b` is negative at eps = 8
        help: limit eps by `for eps in`
    """
    judged: set[Quotient] = set()
    for s, t, p in _transitions(model):
        if isinstance(p, fmpq) or p in judged:
            continue
        judged.add(p)
        what = f"the probability {p} of `{model.names[s]} -> {model.names[t]}`"
        match nonnegative(p.numerator * p.denominator, eps_range):
            case Fails(sample):
                at, hint = ("", "") if p.is_constant else (f" at eps = {sample}", "limit eps by `for eps in`")
                raise InputError(f"{what} is negative{at}", hint=hint)
            case Holds():
                pass
            case _:
                raise LimitReached(f"the sign of {what} could not be settled")


def _transitions(model: Model) -> Iterator[tuple[int, int, fmpq | Quotient]]:
    for s, state in enumerate(model.rows):
        rows: Any = state if isinstance(model, Mdp) else (state,)
        yield from ((s, t, p) for row in rows for t, p in row)
