"""P(output | event) of a program with a prior: rational functions of parameters times output laws."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import add
from typing import NamedTuple

from flint import fmpq

from dipc.models.hmm import added
from dipc.models.mixtures import Mixture, Mixtures
from dipc.numbers.parametric import Parametric
from dipc.numbers.quotient import Quotient


class Mixed(NamedTuple):
    """``sum of weight * function``: different functions of eps, and weights that depend on parameters."""

    parts: tuple[tuple[Parametric, Quotient], ...]

    @property
    def value(self) -> Quotient | Parametric | None:
        """A function of eps alone (or a number), or one of the parameters alone; None if it is of both."""
        numbers = [(w.as_rational(), f.as_rational()) for w, f in self.parts]
        if all(w is not None for w, _ in numbers):
            terms = (f * fmpq(w.p, w.q) for (w, _), (_, f) in zip(numbers, self.parts, strict=True) if w)
            return sum(terms, Quotient.of(0))
        if all(f is not None for _, f in numbers):
            return reduce(
                add, (w * fmpq(f.p, f.q) for (w, _), (_, f) in zip(self.parts, numbers, strict=True) if f)
            )
        return None

    def at(self, point: Mapping[str, fmpq]) -> Quotient:
        """The function of eps that is left where the parameters have these values.

        Raises :class:`ZeroDivisionError` where the event has probability 0.
        """
        total = Quotient.of(0)
        for weight, function in self.parts:
            number = weight.at(point).as_rational()
            if number is None:
                raise ZeroDivisionError(f"{weight} is not a number")
            total = total + function * fmpq(number.p, number.q)
        return total

    def __str__(self) -> str:
        """The function as text.

        >>> from dipc.numbers.parametric import Ring
        >>> (p,) = Ring(("p",)).gens
        >>> print(Mixed(((p, Quotient.of(fmpq(1, 2))), (1 - p, Quotient.of(fmpq(1, 3))))))
        1/6*p + 1/3
        """
        value = self.value
        if value is not None:
            return str(value)
        return " + ".join(f"({weight})*({function})" for weight, function in self.parts)


def mixed(mixtures: Mixtures, side: Mixture, output: int) -> Mixed:
    """P(output | event); the event is possible for some values of the parameters."""
    whole = reduce(add, (w for _, w in side.weights))
    found = added((mixtures.laws[law][output], weight) for law, weight in side.weights)
    return Mixed(tuple((w / whole, p) for p, w in found.items() if p) or ((0 / whole, Quotient.of(0)),))
