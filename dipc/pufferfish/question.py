"""What is asked about a hidden Markov model: which distributions are compared, how long, for what claim."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from flint import fmpq

from dipc.models.hmm import HiddenMarkovModel, Weights
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.parametric import Parametric, Ring

ZERO = fmpq(0)


class Range(NamedTuple):
    """The values of a parameter; the ends may depend on the parameters before it."""

    low: Parametric
    high: Parametric
    low_closed: bool
    high_closed: bool


@dataclass(frozen=True, slots=True)
class Parameters:
    """A class of parameters: a range for each, and further conditions ``f >= 0``.

    One of the parameters may stand for ``exp(-eps/unit)``: then its name is ``eps_name``.
    """

    ring: Ring = field(compare=False)
    ranges: tuple[Range, ...] = ()
    conditions: tuple[Parametric, ...] = ()
    eps_name: str | None = None
    eps_unit: int = 1

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters, in their order."""
        return self.ring.names


class Side(NamedTuple):
    """A secret (or a distribution) under a prior: first states with weights that need not sum to 1."""

    name: str
    prior: str | None
    weights: Weights[Parametric]


class Pair(NamedTuple):
    """Two sides to compare: is P(w | left) <= c P(w | right) for every sequence w?"""

    left: Side
    right: Side


@dataclass(frozen=True, slots=True)
class Claim:
    """``P(O | s) <= c P(O | s') + delta`` for all sets O of sequences; ``text`` is epsilon as it was written.

    ``c = factor * exp(constant)``, or ``exp(rate * eps)`` in a model with eps.
    """

    text: str
    factor: fmpq
    constant: fmpq = ZERO
    rate: fmpq = ZERO
    delta: fmpq = ZERO

    @property
    def c(self) -> ExpPoly:
        """``e^epsilon``."""
        return ExpPoly.exp(self.rate, self.constant) * self.factor


@dataclass(frozen=True, slots=True)
class Question:
    """A model with what is compared.  ``horizon`` is the number of observations, None: every one ("any")."""

    model: HiddenMarkovModel[Parametric]
    parameters: Parameters
    pairs: tuple[Pair, ...]
    horizon: int | None
    claim: Claim | None
    name: str = "<model>"
    notes: tuple[str, ...] = ()
