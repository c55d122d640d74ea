"""Answers about hidden Markov models: is a claim private, and what is the least constant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, NamedTuple

from flint import fmpq

from dipc.claims.verdict import ThreeAnswers
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.question import Question
from dipc.views import Shown

Status = str
"""``"private"``, ``"violated"`` or ``"undecided"``."""

INFINITE = "no c is enough (infinite privacy loss)"


class Pump(NamedTuple):
    """A loop of observations that makes the quotient grow beyond all bounds.

    P(prefix word^n | secret) grows at least like growth^n, P(prefix word^n | against) at most like
    other_growth^n, which is smaller.  ``exact``: the quotient is multiplied by growth/other_growth each time.
    """

    prefix: tuple[str, ...]
    word: tuple[str, ...]
    growth: fmpq
    other_growth: fmpq
    exact: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """Two sides under one prior, and a sequence of observations with its probability on each.

    If delta > 0, ``sequences`` is the whole set of sequences O, ``sequence`` the most telling one, and the
    probabilities are those of O.  ``parameters`` maps names to the numbers of the point; ``epsilon`` is the
    budget of a model with eps, else None.
    """

    secret: str
    against: str
    prior: str | None = None
    sequence: tuple[str, ...]
    parameters: Mapping[str, fmpq] = field(default_factory=dict)
    epsilon: fmpq | None = None
    probability: Quotient
    other_probability: Quotient
    pump: Pump | None = None
    sequences: tuple[tuple[str, ...], ...] = ()

    @property
    def infinite_loss(self) -> bool:
        """Whether this shows that no c is enough."""
        return not self.other_probability or self.pump is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexample(Reached):
    """``probability > bound = c * other_probability + delta``; ``excess`` is the difference."""

    bound: Quotient
    excess: Quotient


class Least(NamedTuple):
    """The least c lies in [low, high]; None as ``high`` is infinity."""

    low: Quotient
    high: Quotient | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PufferfishVerdict(Shown, ThreeAnswers):
    """What the three answers share; ``pairs`` counts the directed pairs that were compared.

    ``counterexample`` is None unless the claim is violated.
    """

    question: Question = field(repr=False, compare=False)
    pairs: int
    seconds: float = field(default=0.0, compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)
    counterexample: Counterexample | None = None
    status: ClassVar[Status]
    asserted_by: ClassVar[str] = "assert_pufferfish_private"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Private(PufferfishVerdict):
    """The claim holds for every pair, every sequence and every point of the class."""

    status: ClassVar[Status] = "private"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Violated(PufferfishVerdict):
    """The claim does not hold."""

    counterexample: Counterexample
    status: ClassVar[Status] = "violated"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Undecided(PufferfishVerdict):
    """Neither proved nor refuted, for the ``reason``; ``least`` is what is known about the least c."""

    reason: str
    least: Least | None = None
    status: ClassVar[Status] = "undecided"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Budget(Shown):
    """The least c (or, in a model with eps, the least t of ``exp(t*eps)``).

    It lies in [low, high]; both are equal if it is known exactly, and None as ``high`` is infinity: not known
    to be finite, or infinite if ``low`` is None too.  ``reached`` has a quotient of ``low`` (in delta = 0);
    ``attained`` tells whether some sequence (and point of the class) has the quotient ``high`` itself.
    ``approached`` tells where parameters (and eps) go if ``low`` is only a limit, ``everywhere`` whether all
    parameters have it.
    """

    question: Question = field(repr=False, compare=False)
    low: Quotient | None
    high: Quotient | None
    attained: bool = True
    reached: Reached | None = None
    approached: str = ""
    everywhere: bool = False
    pairs: int = 0
    seconds: float = field(default=0.0, compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)
    reason: str = ""

    @property
    def c(self) -> Fraction | None:
        """The least c (or t), None if it is infinite or not known exactly."""
        number = self.low.as_rational() if self.low is not None and self.exact else None
        return None if number is None else Fraction(number.numerator, number.denominator)

    @property
    def witness(self) -> Reached | None:
        """What reaches ``low``."""
        return self.reached

    @property
    def infinite(self) -> bool:
        """Whether no c is enough."""
        return self.low is None

    @property
    def exact(self) -> bool:
        """Whether the least c is known exactly (infinity is)."""
        return self.low == self.high
