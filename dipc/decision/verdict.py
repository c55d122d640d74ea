"""The three answers.  A verdict is a value, never an exception."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from flint import fmpq

from dipc.decision.budgets import Budgets
from dipc.probability.exppoly import ExpPoly
from dipc.probability.quotient import Quotient
from dipc.probability.surd import Number
from dipc.syntax.values import Value

Valuation = tuple[tuple[str, Value | tuple[Value, ...]], ...]  # each variable with its value(s)


@dataclass(frozen=True, slots=True)
class Goal:
    """The claim: (t*eps, delta)-privacy for all eps of ``budgets``."""

    t: fmpq
    delta: Number
    budgets: Budgets

    @property
    def factor(self) -> ExpPoly:
        """``exp(t * eps)``."""
        return ExpPoly.exp(self.t)

    @property
    def epsilon(self) -> str:
        """The claimed epsilon as text."""
        return str(ExpPoly.of(self.t, 1))

    def __str__(self) -> str:
        delta = f", {self.delta}" if self.delta else ""
        if self.budgets.is_point:
            return f"({self.epsilon}{delta})-private at eps = {self.budgets.low}"
        return f"({self.epsilon}{delta})-private for every eps in {self.budgets}"


@dataclass(frozen=True, slots=True)
class Counts:
    """What was looked at: for a violation, up to the counterexample in the order of pairs and outputs.

    ``pairs`` are ordered; ``inequalities`` are counted for every pair, ``distinct`` are those that differ by
    more than a positive factor.  ``by_chain`` of the distinct ones were proved by the derivative chain,
    ``identities`` are equalities for every eps, and ``by_roots`` needed the isolation of roots.

    If a limit was reached, ``pairs`` are those settled with all their inequalities, and ``inequalities``
    are all that are settled, for these pairs and others.
    """

    inputs: int
    pairs: int
    outputs: int
    inequalities: int
    distinct: int
    identities: int = 0
    by_chain: int = 0
    by_roots: int = 0


@dataclass(frozen=True, slots=True)
class Counterexample:
    """``P(input in outputs) > exp(t*eps) * P(neighbour in outputs) + delta`` at ``epsilon``.

    ``bound`` is the right-hand side and ``excess`` the difference; ``violated_for`` are the budgets at
    which this pair of inputs breaks the claim with some set of outputs, as (low, high) in exact or
    rounded decimal form.
    """

    input: Valuation
    neighbour: Valuation
    outputs: tuple[Valuation, ...]
    epsilon: fmpq
    probability: Quotient
    neighbour_probability: Quotient
    bound: Number
    excess: Number
    violated_for: tuple[tuple[str, str], ...]
    closed_ends: tuple[tuple[bool, bool], ...] = ()  # of violated_for: which ends belong to it

    @property
    def infinite_loss(self) -> bool:
        """Whether the neighbour can never give these outputs: no epsilon would do."""
        return not self.neighbour_probability


@dataclass(frozen=True, slots=True)
class Doubt:
    """An inequality that was not settled, and where."""

    input: Valuation
    neighbour: Valuation
    outputs: tuple[Valuation, ...]
    low: fmpq
    high: fmpq


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is common to the three answers."""

    goal: Goal
    counts: Counts
    seconds: Mapping[str, float] = field(compare=False, repr=False)  # by stage
    notes: tuple[str, ...] = field(default=(), compare=False, kw_only=True)  # what may not be meant
    status: ClassVar[str]
    counterexample: ClassVar[Counterexample | None] = None

    def __str__(self) -> str:
        return f"{self.status}: {self.goal}"


@dataclass(frozen=True, slots=True)
class Private(Verdict):
    """Proved for every neighbouring pair, every set of outputs and every eps of the claim."""

    status: ClassVar[str] = "private"


@dataclass(frozen=True, slots=True)
class Violated(Verdict):
    """Refuted by an exact counterexample."""

    counterexample: Counterexample  # type: ignore[misc]
    status: ClassVar[str] = "violated"


@dataclass(frozen=True, slots=True)
class Undecided(Verdict):
    """Neither: no violation was found, and the doubts or the limit remain."""

    doubts: tuple[Doubt, ...] = ()
    reason: str = ""
    status: ClassVar[str] = "undecided"
