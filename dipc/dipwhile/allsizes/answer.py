"""The answer to ``dipc prove`` as users meet it: the question, the verdict, and how long it took."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING

import dipc.views as views
from dipc.child import held
from dipc.claims.counterexample import Counterexample
from dipc.claims.oracle import SignOracle
from dipc.claims.verdict import ThreeAnswers
from dipc.clock import Clock
from dipc.dipwhile.allsizes.linear import Strategy
from dipc.dipwhile.allsizes.question import Question
from dipc.dipwhile.allsizes.tidy import tidy
from dipc.dipwhile.allsizes.verdict import AllSizesVerdict, BrokenFrom, LeastT, Open, ProvedForAll
from dipc.dipwhile.syntax.everywhere import empty_ranges
from dipc.errors import InternalError, LimitReached
from dipc.lazily import lazily
from dipc.numbers.exact import Exact

if TYPE_CHECKING:
    import dipc.dipwhile.allsizes.pipeline as pipeline
else:
    pipeline = lazily("dipc.dipwhile.allsizes.pipeline")

STATUS: dict[type[AllSizesVerdict], str] = {
    ProvedForAll: "private",
    BrokenFrom: "violated",
    Open: "undecided",
}


@dataclass(frozen=True, slots=True, repr=False)
class AllSizesAnswer(views.Shown, ThreeAnswers):
    """What is known of a claim for every size and all inputs.

    ``verdict`` is :class:`~dipc.dipwhile.allsizes.verdict.ProvedForAll`, ``BrokenFrom`` or ``Open``.
    """

    question: Question
    verdict: AllSizesVerdict
    seconds: float

    @property
    def notes(self) -> tuple[str, ...]:
        """A delta that makes the claim empty, and ranges over nothing that can hardly be meant."""
        goal, asked = self.question.goal, self.question
        empty = empty_ranges(asked.program, asked.parameters)
        found = tuple(f"line {span.line}: {reason}" for span, reason in empty)
        return found if goal is None else (*goal.notes(SignOracle(goal.budgets)), *found)

    @property
    def status(self) -> str:
        """``private``, ``violated`` or ``undecided``."""
        return STATUS[type(self.verdict)]

    @property
    def least(self) -> LeastT | None:
        """All that is known of the least t."""
        return self.verdict.least

    @property
    def least_t(self) -> Exact | None:
        """The least t for which the program is (t*eps)-private for every size; None if it is not known."""
        least = self.least
        return Exact(least.low) if least is not None and least.exact else None

    @property
    def attained_at(self) -> int | None:
        """A size at which no smaller t is enough."""
        return self.least.attained_at if self.least is not None and self.least.exact else None

    @property
    def first_broken_N(self) -> int | None:
        """The least size at which the claim is violated; None if it is not, or not known to be the least."""
        if not isinstance(self.verdict, BrokenFrom) or not self.question.sizes:
            return None
        return self.verdict.size if self.verdict.known_least else None

    @property
    def counterexample(self) -> Counterexample | None:
        """Against a claim that is violated, as of ``check``, at the size of the verdict."""
        return self.verdict.violated.counterexample if isinstance(self.verdict, BrokenFrom) else None

    @property
    def strategies(self) -> tuple[Strategy, ...]:
        """How far the samples move, if the claim is proved."""
        return self.verdict.strategies if isinstance(self.verdict, ProvedForAll) else ()

    @property
    def reason(self) -> str:
        """Why the claim is undecided."""
        return self.verdict.reason if isinstance(self.verdict, Open) else ""


def answered(question: Question, clock: Clock, find_least: bool = True) -> AllSizesAnswer:
    """Decide the claim for every size; a limit that runs out is an undecided verdict.

    Raises :class:`~dipc.errors.InputError` for what is wrong in the program.
    """
    start = monotonic()
    try:
        verdict = held(clock, lambda: _decided(question, clock, find_least), (question.source,))
    except LimitReached as limit:
        verdict = clock.known if isinstance(clock.known, ProvedForAll | BrokenFrom) else Open(str(limit))
    _check(question, verdict)
    if isinstance(verdict, ProvedForAll):
        own = (tidy(verdict.automaton, each) for each in verdict.strategies)
        verdict = replace(verdict, strategies=tuple(own))
    return AllSizesAnswer(question, verdict, monotonic() - start)


def _check(question: Question, verdict: AllSizesVerdict) -> None:
    """A proof is at the t of the claim or at a smaller one, a counterexample is against this claim."""
    goal = question.goal
    match verdict:
        case ProvedForAll(least=LeastT(high=proved)) if goal is not None:
            if proved is None or proved > goal.multiple:
                raise InternalError(f"a proof at t = {proved} is no proof of ({goal.epsilon})-privacy")
        case BrokenFrom(violated=violated):
            if goal is None or (violated.claim.t, violated.claim.delta) != (goal.multiple, goal.delta):
                raise InternalError(f"a counterexample to {violated.claim} is none to {goal}")


def _decided(question: Question, clock: Clock, find_least: bool) -> AllSizesVerdict:
    if question.varying is not None:
        return Open(f"{question.varying.message}: {question.varying.hint}", question.varying.span)
    return pipeline.prove(question, clock, find_least)
