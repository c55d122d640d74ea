"""The probabilities of observation sequences, as functions of the parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import add
from typing import Any

from dipc.clock import Clock
from dipc.errors import InputError
from dipc.models.hmm import SILENCE, added
from dipc.models.mixtures import Side, sides_of
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.parametric import Parametric
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.beliefs import Steps, Word
from dipc.pufferfish.question import Parameters, Question
from dipc.suggest import did_you_mean

Function = Quotient | Parametric
FEW = 12  # secrets


def as_function(p: Parametric, parameters: Parameters) -> Function:
    """A function of eps (or a number) if it depends on no other parameter."""
    powers = list(map(max, p.numerator.degrees(), p.denominator.degrees()))
    if any(powers[axis] > 0 for axis in parameters.free_axes):
        return p
    return parameters.function_of_eps(p)


def spelled(p: Function, parameters: Parameters) -> str:
    """The text of a function; generators that stand for functions of eps are these.

    >>> from flint import fmpq
    >>> from dipc.numbers.parametric import Ring
    >>> x, p = (ring := Ring(("x", "p"))).gens
    >>> spelled(x * p / (1 + x**2), Parameters(ring, eps_name="x", eps_unit=2))
    '(exp(-1/2*eps)*p)/(exp(-1/2*eps)^2 + 1)'
    """
    if isinstance(p, Quotient):
        return str(p)
    names = {parameters.ring.names[i]: str(ExpPoly.from_terms([t])) for i, t in parameters.symbols.items()}
    some = "|".join(map(re.escape, names))
    return re.sub(rf"(?<!\w)({some})(?!\w)", lambda found: names[found[0]], str(p)) if names else str(p)


def laws_of(question: Question, given: str | None = None) -> Laws:
    """The laws of a question by secret and prior; only those of one secret if it is ``given``.

    Raises :class:`InputError` for an unknown secret.
    """
    sides = {(s.name, s.prior): s for s in sides_of(question.pairs).values() if s.weights}
    if given is not None:
        names, plain = dict.fromkeys(name for name, _ in sides), given.replace(" ", "")
        sides = {key: side for key, side in sides.items() if key[0].replace(" ", "") == plain}
        if not sides:
            hint = did_you_mean(given, names) if len(names) <= FEW else "without it, those for all are shown"
            raise InputError(f"there is no secret `{given}`", hint=hint)
    return {key: Law(question, side) for key, side in sides.items()}


class Law:
    """P(sequence | side); the weights of the side are scaled to the sum 1."""

    def __init__(self, question: Question, side: Side) -> None:
        model: Any = question.model  # the steps use field operations only, which rational functions have too
        self._steps, self._ring = Steps(model), question.parameters.ring
        self._called = "output" if question.of_program else "observation"
        total = reduce(add, (x for _, x in side.weights))
        self._start: Any = added((state, x / total) for state, x in side.weights)

    def probability(self, sequence: Sequence[str]) -> Parametric:
        """P(sequence | side); ``-`` is the silence behind a state that stops.

        Raises :class:`InputError` for an unknown observation.
        """
        return self._ring.of(0) + self._steps.probability(self._start, tuple(map(self._place, sequence)))

    def named(self, sequence: Sequence[str]) -> tuple[str, ...]:
        """The names of observations, as the model has them."""
        return self._steps.text(tuple(map(self._place, sequence)))

    @property
    def outputs(self) -> dict[str, Parametric]:
        """The probabilities of all single observations."""
        return {name: self.probability([name]) for name in self._steps.names[:-1]}

    def _place(self, observation: str) -> int:
        """Blanks in the name do not matter."""
        known = {name.replace(" ", ""): o for o, name in enumerate(self._steps.names)}
        if (place := known.get(observation.replace(" ", ""))) is None:
            hint = did_you_mean(observation, self._steps.names)
            raise InputError(f"there is no {self._called} `{observation}`", hint=hint)
        return place

    def sequences(self, horizon: int, clock: Clock) -> Iterator[tuple[tuple[str, ...], Parametric]]:
        """All sequences of this length with their probabilities, where these are not zero.

        They are in the order of the observations; silence at the end is left out.
        """
        stack: list[tuple[Word, Any]] = [((), self._start)]
        while stack:
            clock.tick("sequences")
            word, belief = stack.pop()
            if len(word) == horizon:
                text = self._steps.text(word)
                heard = next((i for i in range(len(text), 0, -1) if text[i - 1] != SILENCE), 0)
                yield text[:heard], self._ring.of(0) + sum(belief.values())
                continue
            parts = self._steps.filtered(belief)
            stack += [((*word, o), self._steps.moved(parts[o])) for o in sorted(parts, reverse=True)]


Laws = dict[tuple[str, str | None], Law]
"""Laws by secret and prior."""
