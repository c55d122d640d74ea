"""Answers about a Markov model: where a formula holds, and why it does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from flint import arb, fmpq

from dipc.claims.verdict import ThreeAnswers
from dipc.dpctl.formula import Property
from dipc.models.chain import Model
from dipc.numbers.quotient import Quotient
from dipc.signs.ends import Region as Region
from dipc.signs.eps_range import EpsRange
from dipc.signs.tables import RootCluster
from dipc.views import Shown

Status = str
"""``"holds"``, ``"fails"`` or ``"undecided"``."""


class Near(NamedTuple):
    """A number that lies in [low, high], of which no more was computed."""

    low: fmpq
    high: fmpq

    @property
    def ball(self) -> arb:
        """A ball around it."""
        return arb(self.low).union(arb(self.high))


@dataclass(frozen=True, slots=True)
class Witness:
    """Why a formula fails in ``state``: one probability or one inequality, at one eps.

    ``subformula`` is the P or D to blame, or a proposition, which has no numbers.  For D the inequality
    Pr_state <= e^epsilon Pr_neighbour + delta is violated; ``bound`` is its right-hand side, ``excess`` the
    difference.  For P the bound is the end of the interval that is missed, and there is no neighbour.
    ``prefix`` and ``cycle`` are the actions, of a decision process, that lead there; ``epsilon`` is None in a
    model and a formula without eps; it is an isolated root if the formula fails at no rational eps.
    ``parameters`` are the values of several parameters.  In a large chain the numbers may be enclosures.
    """

    subformula: str
    state: str
    neighbour: str | None = None
    probability: Quotient | Near | None = None
    neighbour_probability: Quotient | Near | None = None
    bound: Quotient | Near | None = None
    excess: Quotient | Near | None = None
    epsilon: fmpq | RootCluster | None = None
    violated_for: tuple[Region, ...] = ()
    prefix: tuple[str, ...] = ()
    cycle: tuple[str, ...] = ()
    parameters: Mapping[str, fmpq] = field(default_factory=dict)


class Box(NamedTuple):
    """Values of several parameters with the answer for them; "fails": at all of them for some eps."""

    ranges: Mapping[str, EpsRange]
    status: Status


@dataclass(frozen=True, slots=True)
class Open:
    """A pair of states for which D stays undecided: the least delta that would do lies in [low, high]."""

    state: str
    neighbour: str
    low: fmpq
    high: fmpq
    reason: str


@dataclass(frozen=True, slots=True, repr=False)
class ModelVerdict(Shown, ThreeAnswers):
    """What the three answers about a formula share.

    ``at`` is the answer at each state that was asked about; it "holds" only if it holds for every eps of the
    range, ``regions`` tell for which it does.  ``satisfying`` are those of these states at which it holds;
    for all states of a model that satisfy the formula, ask about all: ``check(formula, start=model.states)``.
    With several ``parameters`` there are ``boxes`` of them in place of regions.
    """

    property: Property
    model: Model = field(compare=False)
    at: Mapping[str, Status]
    regions: Mapping[str, tuple[Region, ...]]
    satisfying: frozenset[str]
    seconds: float = field(default=0.0, compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)
    witness: Witness | None = None
    undecided: tuple[Open, ...] = ()
    reason: str = ""
    parameters: Mapping[str, EpsRange] = field(default_factory=dict)
    boxes: Mapping[str, tuple[Box, ...]] = field(default_factory=dict)
    status: ClassVar[Status]
    good: ClassVar[str] = "holds"
    asserted_by: ClassVar[str] = "assert_holds"


@dataclass(frozen=True, slots=True, repr=False)
class Holds(ModelVerdict):
    """The formula holds at every state asked about, for every eps of the range."""

    status: ClassVar[Status] = "holds"


@dataclass(frozen=True, slots=True, repr=False)
class Fails(ModelVerdict):
    """It fails at some state for some eps; ``witness`` says why."""

    status: ClassVar[Status] = "fails"


@dataclass(frozen=True, slots=True, repr=False)
class Undecided(ModelVerdict):
    """Neither a proof nor a counterexample was found, for the ``reason``."""

    status: ClassVar[Status] = "undecided"
