"""The contract of a claim: all that the driver, the counts and the reports know about it.

The claims are (eps, delta)-privacy, in :mod:`dipc.claims.privacy`, and bounded range and Renyi divergences,
in :mod:`dipc.claims.divergence`.  A claim is about two laws at a time, P(u) and P(u') of adjacent inputs, and
for these it is a list of inequalities f >= 0 that must hold for every eps of its range.  It comes in two
shapes:

* *by output*: one inequality for every output, which depends on the two probabilities of that output only;
* *by law*: any number of inequalities, which depend on the two laws as a whole.

What a claim says when it is proved or refuted are its ``words``; how a violation reads belongs to its
:class:`Witness`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

from flint import fmpq

import dipc.views as views
from dipc.claims.oracle import SignOracle
from dipc.claims.regions import Region, violated_regions
from dipc.claims.rows import Row, lines
from dipc.claims.wording import Record, greater
from dipc.errors import Span
from dipc.models.laws import Vector
from dipc.models.values import Valuation
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.ends import Interval, shown
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Answer, Fails, Unclear
from dipc.signs.limits import Unsettled


class Checked(NamedTuple):
    """One inequality: for which places of the vectors, in normal form, with the answer.

    ``inequality`` is None if the outputs that matter could not even be found.
    """

    outputs: tuple[int, ...]
    inequality: ExpPoly | None
    answer: Answer


class Finding(NamedTuple):
    """The first violated inequality: the rank of the pair, and the places of its outputs."""

    pair: int
    outputs: tuple[int, ...]
    sample: fmpq


class PairOfLaws(NamedTuple):
    """The inputs u and u' with the probabilities of all outcomes on them."""

    outcomes: Sequence[Valuation]
    inputs: tuple[Valuation, Valuation]
    laws: tuple[Vector, Vector]


class Witness(views.Plotted, views.Recorded, ABC):
    """Why a claim does not hold: the inputs, the outputs, an eps and exact numbers."""

    __slots__ = ()
    epsilon: fmpq
    regions: tuple[Interval, ...]

    @property
    @abstractmethod
    def sides(self) -> tuple[Quotient, Quotient]:
        """What is greater than its bound, and the bound."""

    @property
    def violated_for(self) -> tuple[tuple[str, str], ...]:
        """The ends of the intervals ``regions``: exact, or rounded inwards to decimals."""
        return tuple(region.texts for region in self.regions)

    @property
    def closed_ends(self) -> tuple[tuple[bool, bool], ...]:
        """Which ends of the intervals ``violated_for`` belong to them."""
        return tuple(region.closed for region in self.regions)

    @property
    def broken_for(self) -> list[str]:
        """The intervals ``violated_for`` in words."""
        return [region.words() for region in self.regions]

    @abstractmethod
    def brief(self) -> str:
        """The witness in one line, without its numbers."""

    @abstractmethod
    def rows(self) -> Iterator[Row]:
        """The witness for people, and as JSON, where exact numbers are strings."""

    def to_sympy(self) -> Any:
        """The violated inequality in sympy, of the symbol ``eps``."""
        return greater(*self.sides)

    def __str__(self) -> str:
        return "\n".join(f"{heading}: {text}" for heading, text in lines(self.rows()))

    def _repr_html_(self) -> str:
        return views.html(self)


class Inequalities(ABC):
    """The inequalities of one claim, decided by one oracle."""

    claim: Claim
    judge: SignOracle

    @abstractmethod
    def slacks(self, left: Vector, right: Vector) -> Iterator[tuple[tuple[int, ...], Quotient]]:
        """What must be >= 0 for P(u) and P(u'), each with the places of its outputs.

        A claim by output has exactly one slack for every probability; it is asked about single ones, too.
        Raises :class:`~dipc.signs.limits.Unsettled` if it is not settled which outputs matter.
        """

    @abstractmethod
    def witness_as_found(self, finding: Finding, laws: PairOfLaws) -> Any:
        """The witness for a violated inequality at the eps at hand, without its regions."""

    def simplest(self, finding: Finding, laws: PairOfLaws) -> Finding:
        """The finding with the outputs that violate the claim most at its eps, a simple one."""
        return finding

    def examine(self, left: Vector, right: Vector) -> list[Checked]:
        """The inequalities for P(u) and P(u') with their answers, up to the first one that fails."""
        found: list[Checked] = []
        try:
            for outputs, slack in self.slacks(left, right):
                f = self.judge.normal_form(slack)
                found.append(Checked(outputs, f, self.judge.decide(f)))
                if isinstance(found[-1].answer, Fails):
                    break
        except Unsettled as doubt:
            return [Checked(tuple(range(len(left))), None, Unclear(doubt.low, doubt.high))]
        return found

    def witness(self, finding: Finding, laws: PairOfLaws) -> Witness:
        """The finding at a simple eps, with every eps at which the two inputs violate the claim."""
        slacks = {o: self.judge.numerator(slack) for o, slack in self.slacks(*laws.laws)}
        regions: list[Region] = []
        with suppress(Unsettled):
            sample = violated_regions([slacks[finding.outputs]], self.claim.budgets)[0].sample
            finding = self.simplest(finding._replace(sample=sample), laws)
        with suppress(Unsettled):
            regions = violated_regions([*slacks.values()], self.claim.budgets)
        found: Witness = replace(self.witness_as_found(finding, laws), regions=tuple(map(shown, regions)))
        return found


@dataclass(frozen=True, slots=True)
class Claim(ABC):
    """A statement about the laws of adjacent inputs, for every eps of ``budgets``.

    ``span`` is the place where it is written, for messages.  ``statement`` names what a certificate of the
    claim states; it is the name of the kernel's checker.
    """

    budgets: EpsRange
    span: Span | None = field(default=None, kw_only=True, compare=False, repr=False)

    proved: ClassVar[type[Any]]  # a subclass of dipc.claims.verdict.Proved
    refuted: ClassVar[type[Any]]  # and of Refuted: modules that build on this one
    statement: ClassVar[str]
    words: ClassVar[tuple[str, str]] = ("private", "violated")  # when it is proved, and when it is refuted
    of_pairs: ClassVar[bool] = True  # False: it is about the law of each input alone, paired with itself

    @property
    @abstractmethod
    def by_output(self) -> bool:
        """Whether the claim is by output; else it is by law."""

    @property
    def monotone(self) -> bool:
        """Whether what holds of probabilities (p, q) of an output holds of all (p2, q2), p2 <= p and q2 >= q.

        That takes a claim by output with one positive factor of q for all pairs of inputs.
        """
        return False

    @abstractmethod
    def inequalities(self, oracle: SignOracle) -> Inequalities:
        """The inequalities that must hold for two laws."""

    @abstractmethod
    def __str__(self) -> str:
        """The whole claim in words."""

    @property
    @abstractmethod
    def written(self) -> str:
        """The claim as it follows ``private``, or begins with ``accurate``, without its range."""

    @abstractmethod
    def brief(self) -> str:
        """The claim for a column of a table."""

    @abstractmethod
    def record(self) -> Record:
        """The claim as JSON; exact numbers are strings."""

    def validate(self, oracle: SignOracle) -> None:  # noqa: B027  (most claims always make sense)
        """Raise :class:`InputError` or :class:`LimitReached` unless the claim makes sense on its range."""

    def notes(self, oracle: SignOracle) -> tuple[str, ...]:
        """Why a verdict may say less than it seems to."""
        return ()

    @property
    def when(self) -> str:
        """The range in words, for the end of ``str``."""
        return f"at eps = {self.budgets.low}" if self.budgets.is_point else f"for every eps in {self.budgets}"

    @property
    def range_text(self) -> str:
        """The range for JSON: an interval, or the only eps."""
        return str(self.budgets.low) if self.budgets.is_point else str(self.budgets)

    @property
    def brief_range(self) -> str:
        """The range for the end of ``brief``: nothing if it is every eps > 0."""
        if self.budgets.is_point:
            return f" at eps = {self.budgets.low}"
        return "" if self.budgets == EpsRange.positive() else f" on {self.budgets}"
