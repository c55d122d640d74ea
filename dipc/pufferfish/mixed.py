"""P(output | event) of a program with a prior: rational functions of parameters times output laws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, reduce
from operator import add
from typing import NamedTuple

from flint import fmpq

from dipc.errors import InputError
from dipc.models.hmm import added
from dipc.models.mixtures import Side
from dipc.numbers.parametric import Parametric
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.question import Question
from dipc.suggest import did_you_mean

FEW = 12  # secrets


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


Laws = dict[tuple[str, str | None], dict[str, Mixed]]


def laws_of(question: Question, given: str | None = None) -> Laws:
    """P(output | secret) of a program by secret and prior, exactly; only for one secret if ``given``.

    Raises :class:`InputError` for an unknown secret.
    """
    sides = {(side.name, side.prior): side for pair in question.pairs for side in pair if side.weights}
    if given is not None:
        names, plain = dict.fromkeys(name for name, _ in sides), given.replace(" ", "")
        sides = {key: side for key, side in sides.items() if key[0].replace(" ", "") == plain}
        if not sides:
            hint = did_you_mean(given, names) if len(names) <= FEW else "without it, those for all are shown"
            raise InputError(f"there is no secret `{given}`", hint=hint)
    laws = outputs_of(question)
    return {
        key: {name: mixed(laws, side, o) for o, name in enumerate(question.model.observations)}
        for key, side in sides.items()
    }


def outputs_of(question: Question) -> list[dict[int, Quotient]]:
    """What the states of a program show, as functions of eps."""
    function = cache(question.parameters.function_of_eps)
    return [{o: function(p) for o, p in row} for row in question.model.emissions]


def mixed(laws: Sequence[Mapping[int, Quotient]], side: Side, output: int) -> Mixed:
    """P(output | event); the event is possible for some values of the parameters."""
    whole = reduce(add, (w for _, w in side.weights))
    found = added((laws[state][output], w) for state, w in side.weights if output in laws[state])
    return Mixed(tuple((w / whole, p) for p, w in found.items()) or ((0 / whole, Quotient.of(0)),))
