"""What an observer with a prior may learn of a system: mixtures of its output laws, to be compared.

A prior draws the input u with the weight w(u), a polynomial in parameters.  Given an event B, the output o
has the probability A / Z with A = sum over u in B of w(u) P(o | u) and Z = sum over u in B of w(u).  Inputs
with equal laws are put together, so that A = sum over different laws g of (sum of the weights of g) g(o).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from flint import fmpq

from dipc.clock import Clock
from dipc.errors import Source
from dipc.models.hmm import Weights
from dipc.models.laws import Vector
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.parametric import Parametric, Ring
from dipc.signs.eps_range import EpsRange

ZERO = fmpq(0)


class Ends(NamedTuple):
    """The range of a parameter; its ends are polynomials in the parameters before it."""

    low: Parametric
    high: Parametric
    low_closed: bool
    high_closed: bool

    def is_around(self, x: fmpq, low: fmpq, high: fmpq) -> bool:
        """Whether x is in the range where its ends are these numbers."""
        return (low < x or (self.low_closed and low == x)) and (x < high or (self.high_closed and x == high))

    def between(self, low: object, high: object) -> str:
        """The interval with these ends as text."""
        return f"{'(['[self.low_closed]}{low}, {high}{')]'[self.high_closed]}"


class Side(NamedTuple):
    """An event, such as a secret, under a prior: the weights of laws or first states, or a distribution.

    Weights need not sum to 1; those that are left out are zero.
    """

    name: str
    prior: str | None
    weights: Weights[Parametric]

    @property
    def impossible(self) -> str:
        """The note that it is, if it is."""
        under = f" under the prior {self.prior}" if self.prior else ""
        return f"{self.name} has probability 0{under}: its pairs are not compared"


class Pair(NamedTuple):
    """Two sides to compare: is P(w | left) <= c P(w | right) for every output or sequence w?"""

    left: Side
    right: Side


def sides_of(pairs: Iterable[Pair]) -> dict[int, Side]:
    """The sides of some pairs, by identity: pairs share them, and there are many more pairs."""
    return {id(side): side for pair in pairs for side in pair}


def changed(pairs: Iterable[Pair], change: Callable[[Side], Side]) -> tuple[Pair, ...]:
    """The pairs with every side changed, once."""
    pairs = tuple(pairs)
    sides = {key: change(side) for key, side in sides_of(pairs).items()}
    return tuple(Pair(sides[id(left)], sides[id(right)]) for left, right in pairs)


class Drawn(NamedTuple):
    """A probability that a prior draws with, which must not be negative, and where it is written."""

    probability: Parametric
    place: str


@dataclass(frozen=True, slots=True)
class Mixtures:
    """Pairs of mixtures of output laws.

    ``laws[g][o]`` is the probability of ``outputs[o]``, a function of eps; ``examples[g]`` an input that has
    this law.  All weights belong to ``ring``, of whose parameters ``ranges`` are the values.
    """

    name: str
    ring: Ring = field(compare=False)
    ranges: tuple[Ends, ...]
    outputs: tuple[str, ...]
    laws: tuple[Vector, ...]
    examples: tuple[str, ...]
    pairs: tuple[Pair, ...]
    drawn: tuple[Drawn, ...] = ()


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


class ClaimOn(NamedTuple):
    """A claim, and the eps that it is about."""

    claim: Claim
    eps_range: EpsRange


class Secrets(Protocol):
    """A system with secrets, and what an attacker knows of them: what it compares, and the claim it makes."""

    @property
    def source(self) -> Source:
        """Its text."""

    @property
    def parameters(self) -> tuple[tuple[str, fmpq], ...]:
        """Its parameters with their numbers."""

    @property
    def makes_claim(self) -> bool:
        """Whether it makes a claim of its own."""

    @property
    def shared(self) -> tuple[object, ...]:
        """What results only refer to, see :func:`dipc.child.held`."""

    def asked(self, claim: str | None = None, at: fmpq | None = None) -> ClaimOn:
        """The claim in a text, by default its own; ``at`` replaces its range by one eps.

        Raises :class:`InputError` if there is none, and for what is wrong in it.
        """

    def mixtures(self, eps_range: EpsRange, clock: Clock) -> Mixtures:
        """What is compared on a range of eps.  Raises :class:`InputError`, :class:`LimitReached`."""
