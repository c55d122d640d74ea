"""The three answers.  A verdict is a value, never an exception."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from flint import fmpq

import dipc.views as views
from dipc.errors import InputError, WrongType
from dipc.models.values import Valuation, show_valuation
from dipc.numbers.exact import Exact
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.numbers.surd import Number
from dipc.signs.eps_range import EpsRange

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dipc.claims.cases import Evidence


@dataclass(frozen=True, slots=True)
class Goal:
    """The claim: (t*eps, delta)-privacy for all eps of ``budgets``."""

    t: fmpq
    delta: Number
    budgets: EpsRange

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
    ``identities`` are equalities for every eps, ``by_roots`` needed the isolation of roots, and the sign of
    those ``at_point`` was found at the one budget that is asked about.  ``broken`` ones do not hold, and
    ``open`` ones are not settled.

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
    at_point: int = 0
    broken: int = 0
    open: int = 0


@dataclass(frozen=True, slots=True, repr=False)
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

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", Exact(self.epsilon))  # an ordinary rational number for others

    @property
    def infinite_loss(self) -> bool:
        """Whether the neighbour can never give these outputs: no epsilon would do."""
        return not self.neighbour_probability

    def __str__(self) -> str:
        p, q, bound = (
            number.decimal(self.epsilon)
            for number in (self.probability, self.neighbour_probability, self.bound)
        )
        return "\n".join(
            (
                f"u:  {show_valuation(self.input)}",
                f"u': {show_valuation(self.neighbour)}",
                f"output: {' or '.join(map(show_valuation, self.outputs))}",
                f"at eps = {self.epsilon}: P(u) = {p}, more than {bound}; P(u') = {q}",
            )
        )

    def __repr__(self) -> str:
        outputs = f"{show_valuation(self.outputs[0])}{' or ...' if len(self.outputs) > 1 else ''}"
        return (
            f"<Counterexample {show_valuation(self.input)} against {show_valuation(self.neighbour)}, "
            f"output {outputs}, eps = {self.epsilon}>"
        )

    def _repr_html_(self) -> str:
        return views.html(self)

    def to_sympy(self) -> Any:
        """The violated inequality ``P(u) > exp(t*eps)*P(u') + delta`` in sympy, of the symbol ``eps``."""
        from sympy import Gt

        return Gt(self.probability.to_sympy(), self.bound.to_sympy(), evaluate=False)

    def plot(self, low: Any = None, high: Any = None, **options: Any) -> Figure:
        """``P(u)`` and its bound, with the budgets shaded at which the claim is broken."""
        return views.plot(self, low, high, **options)


@dataclass(frozen=True, slots=True)
class Doubt:
    """An inequality that was not settled, and where."""

    input: Valuation
    neighbour: Valuation
    outputs: tuple[Valuation, ...]
    low: fmpq
    high: fmpq


@dataclass(frozen=True, slots=True, repr=False)
class Verdict:
    """What is common to the three answers."""

    goal: Goal
    counts: Counts
    seconds: Mapping[str, float] = field(compare=False, repr=False)  # by stage
    notes: tuple[str, ...] = field(default=(), compare=False, kw_only=True)  # what may not be meant
    evidence: Evidence | None = field(default=None, compare=False, repr=False, kw_only=True)
    status: ClassVar[str]
    counterexample: ClassVar[Counterexample | None] = None

    def __str__(self) -> str:
        return "\n".join((f"{self.status}: {self.goal}", *self._details()))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.goal}>"

    def __bool__(self) -> bool:
        """Refused: there are three answers, and ``if m.check():`` would take a violation for true."""
        raise WrongType(
            f"a verdict is neither true nor false; this one is `{self.status}`",
            hint='ask for its status, `verdict.status == "private"`, or use `dipc.assert_private`',
        )

    def _details(self) -> tuple[str, ...]:
        """What the text says after the claim."""
        return ()

    def _repr_html_(self) -> str:
        return views.html(self)

    def to_sympy(self) -> Any:
        """The violated inequality in sympy; only a counterexample has one."""
        raise InputError(
            f"there is no violated inequality: the verdict is {self.status}",
            hint="the claim itself is `mechanism.sentence().to_sympy()`",
        )

    def plot(self, low: Any = None, high: Any = None, **options: Any) -> Figure:
        """The counterexample as a plot; :class:`InputError` if there is none."""
        return views.plot(self, low, high, **options)


@dataclass(frozen=True, slots=True, repr=False)
class Private(Verdict):
    """Proved for every neighbouring pair, every set of outputs and every eps of the claim."""

    status: ClassVar[str] = "private"


@dataclass(frozen=True, slots=True, repr=False)
class Violated(Verdict):
    """Refuted by an exact counterexample."""

    counterexample: Counterexample  # type: ignore[misc]
    status: ClassVar[str] = "violated"

    def _details(self) -> tuple[str, ...]:
        return tuple(str(self.counterexample).splitlines())

    def to_sympy(self) -> Any:
        """The violated inequality of the counterexample in sympy, of the symbol ``eps``."""
        return self.counterexample.to_sympy()


@dataclass(frozen=True, slots=True, repr=False)
class Undecided(Verdict):
    """Neither: no violation was found, and the doubts or the limit remain."""

    doubts: tuple[Doubt, ...] = ()
    reason: str = ""
    status: ClassVar[str] = "undecided"

    def _details(self) -> tuple[str, ...]:
        open_ones = [
            f"open: {show_valuation(doubt.input)} against {show_valuation(doubt.neighbour)}, "
            f"eps in [{doubt.low}, {doubt.high}]"
            for doubt in self.doubts[:3]
        ]
        more = len(self.doubts) - len(open_ones)
        return (f"reason: {self.reason}", *open_ones, *([f"and {more} more"] if more else []))
