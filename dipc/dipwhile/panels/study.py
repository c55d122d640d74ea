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

from dipc.claims.accuracy import Accurate
from dipc.claims.claim import Claim
from dipc.claims.counterexample import Counterexample
from dipc.claims.divergence import Excess, Measured
from dipc.claims.exponent import Exponent
from dipc.claims.privacy import Goal, Violated
from dipc.claims.tightness.curves import Curve, Profile
from dipc.claims.tightness.greatest import Accuracy
from dipc.claims.tightness.least_epsilon import LeastEpsilon
from dipc.claims.tightness.losses import Regions
from dipc.claims.verdict import Refuted, Undecided, Verdict
from dipc.dipwhile.convert import Inputs, PythonValue, to_claim, to_eps, to_pair
from dipc.dipwhile.distribution import Distribution
from dipc.dipwhile.explain.explanation import simple_budget
from dipc.dipwhile.mechanisms import Mechanism
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
        goal = self.mechanism.claimed(self.claim) if self.interval is not None else None
        if goal is None:
            return self.claim
        return f"{goal.written if self.claim is None else self.claim} for eps in {self.interval}"

    @property
    def core_claim(self) -> CoreClaim | None:
        """The claim of (epsilon, delta)-privacy on the requested interval; None if it is another one."""
        text = self.text
        if not isinstance(self.goal, Goal):
            return None
        return self.mechanism.program.claim if text is None else to_claim(self.mechanism.program, text)

    @property
    def goal(self) -> Claim | None:
        """What must hold; None without a claim."""
        return self.mechanism.claimed(self.text)

    @property
    def budgets(self) -> EpsRange:
        """The eps range of the claim, or the requested one."""
        if self.goal is not None:
            return self.goal.budgets
        return to_claim(self.mechanism.program, f"eps for eps in {self.interval or '(0, inf)'}").budgets


@dataclass(frozen=True, slots=True)
class Study:
    """The answers; None for what was not requested, or left out."""

    subject: Subject
    goal: Claim | None
    verdict: Verdict | None
    regions: Regions | None
    budget: LeastEpsilon | None
    loss: Curve | None
    profile: Profile | None
    error: Accuracy | None
    pair: tuple[Valuation, Valuation] | None
    outputs: tuple[Valuation, ...]
    laws: tuple[Distribution, Distribution] | None
    point: fmpq
    notes: tuple[Note, ...]

    @property
    def exponent(self) -> Exponent | None:
        """The epsilon that the claim bounds the loss by; None for another claim."""
        match self.goal:
            case Goal(exponent=exponent, text="") | Measured(exponent=exponent):
                return exponent
        return None

    @property
    def name(self) -> str:
        """The name of the program."""
        return self.subject.mechanism.program.source.name


NAMES = {
    "verdict": "the verdict",
    "budget": "the least budget",
    "loss": "the privacy loss",
    "profile": "the privacy profile",
    "error": "the probability of an error",
    "regions": "the budgets that break the claim",
    "laws": "the distributions of two neighbours",
}
NEEDS = {"loss": ("loss", "regions"), "profile": ("profile", "regions"), "laws": ("budget",)}
"""The parts that a part is shown with."""

PARTS = ("verdict", "budget", "loss", "profile", "error", "laws")


def study(subject: Subject, attempts: Attempts, parts: Sequence[str] = PARTS) -> Study:
    """Compute the requested parts and what they need."""
    mechanism, goal = subject.mechanism, subject.goal
    asked: dict[str, Any] = {"pair": subject.pair}
    check = partial(mechanism.check, subject.text, **asked)
    verdict = attempts(NAMES["verdict"], check, None) if goal is not None else None
    wanted = {need for part in parts for need in NEEDS.get(part, (part,))}
    answers: dict[str, Any] = dict.fromkeys(("budget", "loss", "profile", "error", "regions"))
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
    mechanism, budgets, goal = subject.mechanism, subject.budgets, subject.goal
    where = {"at": budgets.low} if budgets.is_point else {"budgets": str(budgets)}
    measure: dict[str, Any] = {}
    if isinstance(goal, Measured):
        measure = {"range": True} if goal.measure.order is None else {"renyi": goal.measure.order}
    yield "budget", partial(mechanism.budget, **where, **asked, **measure)
    yield "loss", partial(mechanism.loss_curve, **where, **asked, **measure)
    if isinstance(goal, Accurate):
        yield "error", partial(mechanism.accuracy, goal.good, goal.condition, **where)
    if isinstance(goal, Goal) and not goal.text:
        yield "profile", partial(mechanism.profile, str(goal.epsilon), **where, **asked)
    if isinstance(verdict, Violated) and not verdict.claim.text:
        yield "regions", partial(mechanism.violating_budgets, subject.text, **asked)


def gave_up(verdict: Verdict | None) -> bool:
    """Whether the check reached its limit: then nothing else that visits all neighbours will finish."""
    return verdict is None or (isinstance(verdict, Undecided) and not verdict.doubts)


def _chosen(
    subject: Subject, verdict: Verdict | None, budget: LeastEpsilon | None, profile: Profile | None
) -> tuple[tuple[Valuation, Valuation] | None, tuple[Valuation, ...]]:
    """The pair to show and its outputs: those of the counterexample, or those that need the greatest t."""
    found = verdict.counterexample if verdict is not None else None
    if isinstance(found, Counterexample | Excess):
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
    if isinstance(verdict, Refuted):
        epsilon = verdict.counterexample.epsilon
        return fmpq(epsilon.numerator, epsilon.denominator)
    return simple_budget(subject.budgets)
