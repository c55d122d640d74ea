"""The three answers.  A verdict is a value, never an exception."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from flint import fmpq

import dipc.views as views
from dipc.claims.cases import Counts, Evidence
from dipc.claims.claim import Claim, Witness
from dipc.errors import InputError, WrongType
from dipc.models.values import Valuation, show_valuation


class ThreeAnswers:
    """A verdict of any system: proved, refuted, or undecided."""

    __slots__ = ()
    good: ClassVar[str] = "private"
    asserted_by: ClassVar[str] = "assert_private"
    status: ClassVar[Any]  # the answer in a word

    def __bool__(self) -> bool:
        """Refused: there are three answers, and ``if m.check():`` would take a violation for true."""
        raise WrongType(
            f"a verdict is neither true nor false; this one is `{self.status}`",
            hint=f'ask for its status, `verdict.status == "{self.good}"`, or use `dipc.{self.asserted_by}`',
        )


@dataclass(frozen=True, slots=True)
class Doubt:
    """An inequality that was not settled for some eps in [low, high]."""

    input: Valuation
    neighbour: Valuation
    outputs: tuple[Valuation, ...]
    low: fmpq
    high: fmpq


@dataclass(frozen=True, slots=True, repr=False)
class Verdict(views.Plotted, views.Recorded, ThreeAnswers):
    """What the three answers have in common.

    ``plot`` and ``to_sympy`` are about the counterexample, and raise :class:`InputError` if there is none.
    """

    claim: Claim
    counts: Counts
    seconds: Mapping[str, float] = field(compare=False, repr=False)  # by stage
    notes: tuple[str, ...] = field(default=(), compare=False, kw_only=True)  # caveats
    evidence: Evidence | None = field(default=None, compare=False, repr=False, kw_only=True)
    counterexample: ClassVar[Any] = None  # of a refuted claim its witness, of the kind that the claim has

    @property
    def status(self) -> str:
        """The answer in a word, the claim's own where it is proved or refuted."""
        return "undecided"

    @property
    def good(self) -> str:  # type: ignore[override]
        """The word of a proof."""
        return self.claim.words[0]

    @property
    def goal(self) -> Any:
        """The claim, whatever its kind."""
        return self.claim

    def __str__(self) -> str:
        return "\n".join((f"{self.status}: {self.claim}", *self._details()))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.claim}>"

    def _details(self) -> tuple[str, ...]:
        """The lines of the text after the claim."""
        return ()

    def _repr_html_(self) -> str:
        return views.html(self)

    def to_sympy(self) -> Any:
        """The violated inequality in sympy."""
        raise InputError(
            f"there is no violated inequality: the verdict is {self.status}",
            hint="the claim itself is `mechanism.sentence().to_sympy()`",
        )


@dataclass(frozen=True, slots=True, repr=False)
class Proved(Verdict):
    """The claim holds: for every pair of adjacent inputs, every set of outputs and every eps of its range."""

    @property
    def status(self) -> str:
        return self.claim.words[0]


@dataclass(frozen=True, slots=True, repr=False)
class Refuted(Verdict):
    """The claim does not hold: ``counterexample`` is an exact witness."""

    counterexample: Witness  # type: ignore[misc]

    @property
    def status(self) -> str:
        return self.claim.words[1]

    def to_sympy(self) -> Any:
        """The violated inequality of the counterexample in sympy, of the symbol ``eps``."""
        return self.counterexample.to_sympy()

    def _details(self) -> tuple[str, ...]:
        return tuple(str(self.counterexample).splitlines())


@dataclass(frozen=True, slots=True, repr=False)
class Undecided(Verdict):
    """Neither proved nor refuted, for the ``reason``; ``doubts`` are the open inequalities."""

    doubts: tuple[Doubt, ...] = ()
    reason: str = ""

    def _details(self) -> tuple[str, ...]:
        open_ones = [
            f"open: {show_valuation(doubt.input)} against {show_valuation(doubt.neighbour)}, "
            f"eps in [{doubt.low}, {doubt.high}]"
            for doubt in self.doubts[:3]
        ]
        more = len(self.doubts) - len(open_ones)
        return (f"reason: {self.reason}", *open_ones, *([f"and {more} more"] if more else []))
