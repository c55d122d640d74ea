"""All that a plot or a report shows about one program, computed part by part.

Each part is the answer of an exact function.  A part that reaches its time limit, or that dipc does not cover
for this program, is left out with a note; nothing is guessed in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from flint import fmpq

from dipc.claims.privacy import Goal, Violated
from dipc.claims.tightness.curves import Curve, Profile
from dipc.claims.tightness.least_epsilon import LeastEpsilon
from dipc.claims.tightness.losses import Regions
from dipc.claims.verdict import Undecided, Verdict
from dipc.dipwhile.convert import Inputs, PythonValue, to_claim, to_eps, to_pair
from dipc.dipwhile.distribution import Distribution
from dipc.dipwhile.explain.explanation import simple_budget
from dipc.dipwhile.mechanisms import Mechanism
from dipc.dipwhile.pipeline import goal_of
from dipc.dipwhile.semantics.valuations import grouped
from dipc.dipwhile.syntax.core import CoreClaim
from dipc.errors import LimitReached, check_type
from dipc.models.values import Valuation
from dipc.report.attempts import Attempts, Note
from dipc.signs.eps_range import EpsRange


@dataclass(frozen=True, slots=True)
class Subject:
    """The question: a program, a claim about it, perhaps for one pair of inputs, and an eps to look at."""

    mechanism: Mechanism
    claim: str | None = None
    pair: Sequence[Inputs] | None = None
    at: PythonValue | None = None
    interval: str | None = None

    def __post_init__(self) -> None:
        check_type(self.mechanism, Mechanism, "what is studied is a mechanism", "see dipc.load")

    @property
    def text(self) -> str | None:
        """The claim as text; None if it is the program's own."""
        if self.interval is None or self.own is None:
            return self.claim
        goal = goal_of(self.own)
        claim = f"{goal.epsilon}, {goal.delta}" if self.claim is None else self.claim
        return f"{claim} for eps in {self.interval}"

    @property
    def own(self) -> CoreClaim | None:
        """The claim without the requested interval."""
        return self.mechanism.program.claim if self.claim is None else self._compiled(self.claim)

    @property
    def core_claim(self) -> CoreClaim | None:
        """The claim on the requested interval."""
        text = self.text
        return self.own if text is None else self._compiled(text)

    @property
    def goal(self) -> Goal | None:
        """What must hold; None without a claim."""
        claim = self.core_claim
        return None if claim is None else goal_of(claim)

    @property
    def budgets(self) -> EpsRange:
        """The eps range of the claim, or the requested one."""
        if self.goal is not None:
            return self.goal.budgets
        return goal_of(self._compiled(f"eps for eps in {self.interval or '(0, inf)'}")).budgets

    def _compiled(self, text: str) -> CoreClaim:
        return to_claim(self.mechanism.program, text)


@dataclass(frozen=True, slots=True)
class Study:
    """The answers; None for what was not requested, or left out."""

    subject: Subject
    goal: Goal | None
    verdict: Verdict | None
    regions: Regions | None
    budget: LeastEpsilon | None
    loss: Curve | None
    profile: Profile | None
    pair: tuple[Valuation, Valuation] | None
    outputs: tuple[Valuation, ...]
    laws: tuple[Distribution, Distribution] | None
    point: fmpq
    notes: tuple[Note, ...]

    @property
    def name(self) -> str:
        """The name of the program."""
        return self.subject.mechanism.program.source.name


NAMES = {
    "verdict": "the verdict",
    "budget": "the least budget",
    "loss": "the privacy loss",
    "profile": "the privacy profile",
    "regions": "the budgets that break the claim",
    "laws": "the distributions of two neighbours",
}
NEEDS = {"loss": ("loss", "regions"), "profile": ("profile", "regions"), "laws": ("budget",)}
"""The parts that a part is shown with."""

PARTS = ("verdict", "budget", "loss", "profile", "laws")


def study(subject: Subject, attempts: Attempts, parts: Sequence[str] = PARTS) -> Study:
    """Compute the requested parts and what they need."""
    mechanism, goal = subject.mechanism, subject.goal
    asked: dict[str, Any] = {"pair": subject.pair}
    check = partial(mechanism.check, subject.text, **asked)
    verdict = attempts(NAMES["verdict"], check, None) if goal is not None else None
    wanted = {need for part in parts for need in NEEDS.get(part, (part,))}
    answers: dict[str, Any] = dict.fromkeys(("budget", "loss", "profile", "regions"))
    for part, task in _tasks(subject, asked, verdict):
        if part not in wanted:
            continue
        if goal is None or not gave_up(verdict):
            answers[part] = attempts(NAMES[part], task, None)
        elif attempts.strict:
            raise LimitReached(f"the limit was reached by the check itself: {NAMES[part]} was not tried")
        else:
            attempts.notes.append(Note(NAMES[part], "not tried, since the check itself did not end"))
    pair, outputs = _chosen(subject, verdict, answers["budget"], answers["profile"])
    point, laws = _point(subject, verdict), None
    if "laws" in parts and pair is not None:
        u, v = map(dict, pair)
        laws = attempts(NAMES["laws"], lambda: (mechanism.distribution(**u), mechanism.distribution(**v)))
    return Study(
        subject=subject, goal=goal, verdict=verdict, pair=pair, outputs=outputs, laws=laws, point=point,
        notes=tuple(attempts.notes), **answers,
    )  # fmt: skip


def _tasks(
    subject: Subject, asked: dict[str, Any], verdict: Verdict | None
) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The parts other than the verdict, each with its computation."""
    mechanism, budgets = subject.mechanism, subject.budgets
    where = {"at": budgets.low} if budgets.is_point else {"budgets": str(budgets)}
    yield "budget", partial(mechanism.budget, **where, **asked)
    yield "loss", partial(mechanism.loss_curve, **where, **asked)
    if subject.goal is not None:
        yield "profile", partial(mechanism.profile, str(subject.goal.epsilon), **where, **asked)
    if isinstance(verdict, Violated):
        yield "regions", partial(mechanism.violating_budgets, subject.text, **asked)


def gave_up(verdict: Verdict | None) -> bool:
    """Whether the check reached its limit: then nothing else that visits all neighbours will finish."""
    return verdict is None or (isinstance(verdict, Undecided) and not verdict.doubts)


def _chosen(
    subject: Subject, verdict: Verdict | None, budget: LeastEpsilon | None, profile: Profile | None
) -> tuple[tuple[Valuation, Valuation] | None, tuple[Valuation, ...]]:
    """The pair to show and its outputs: those of the counterexample, or those that need the greatest t."""
    if isinstance(verdict, Violated):
        found = verdict.counterexample
        return (found.input, found.neighbour), found.outputs
    if subject.pair is not None:
        program = subject.mechanism.program
        u, v = (grouped(program.inputs, x) for x in to_pair(program, subject.pair))
        return (u, v), ()
    for bound in (profile if profile and profile.epsilon.multiple != 0 else None, budget):
        for _, witness in bound.witnesses if bound else ():
            return (witness.input, witness.neighbour), witness.outputs
    return None, ()


def _point(subject: Subject, verdict: Verdict | None) -> fmpq:
    """The eps to look at: the requested one, that of the counterexample, or a simple one."""
    if subject.at is not None:
        return to_eps(subject.at)
    if isinstance(verdict, Violated):
        epsilon = verdict.counterexample.epsilon
        return fmpq(epsilon.numerator, epsilon.denominator)
    return simple_budget(subject.budgets)
