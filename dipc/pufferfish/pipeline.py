"""From a question to an answer: is the claim private, and what is the least constant?"""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

from dipc.child import held
from dipc.clock import Clock
from dipc.errors import LimitReached, Unsupported
from dipc.models.mixtures import Claim
from dipc.pufferfish import finite, horizons, least, parameters, sums
from dipc.pufferfish.beliefs import ZERO
from dipc.pufferfish.clearing import Cleared
from dipc.pufferfish.functions import Functions
from dipc.pufferfish.question import Question, claimed
from dipc.pufferfish.rational import Rational
from dipc.pufferfish.verdict import Budget, PufferfishVerdict, Undecided


def check(question: Question, clock: Clock) -> PufferfishVerdict:
    """Decide a claim.  A limit that runs out is an Undecided verdict.  Raises :class:`InputError`."""
    claim, start = claimed(question.claim), monotonic()
    try:
        found = held(clock, lambda: _check(question, claim, clock), (question,))
    except LimitReached as limit:
        reason, pairs = f"{limit} ({clock.doing})", len(question.pairs)
        found = Undecided(question=question, pairs=pairs, notes=question.notes, reason=reason)
    return replace(found, seconds=monotonic() - start)


def validate(question: Question, clock: Clock) -> None:
    """Raise :class:`InputError` for a probability that is negative or undefined somewhere on the class."""
    if question.parameters.ring.names:
        _problem(question, clock)


def _problem(question: Question, clock: Clock) -> Cleared:
    """A question with parameters, or with functions of eps."""
    return (Functions if question.parameters.symbols else Cleared)(question, clock)


def _check(question: Question, claim: Claim, clock: Clock) -> PufferfishVerdict:
    if question.parameters.ring.names:
        problem = _problem(question, clock)
        try:
            return sums.check(problem, claim) if claim.delta else parameters.decided(problem, claim)
        except LimitReached as limit:
            return parameters.unsettled(problem, claim, f"{limit} ({clock.doing})")
    rational = Rational(question, clock)
    try:
        if question.horizon is None:
            return horizons.check(rational, claim)
        return finite.check(rational, claim, question.horizon)
    except LimitReached as limit:
        return rational.unsettled(claim, f"{limit} ({clock.doing})")


def budget(question: Question, clock: Clock) -> Budget:
    """The least c for which a question is private, with the delta of its claim if it has one.

    Raises :class:`InputError`, and :class:`LimitReached` if a limit runs out.
    """
    start = monotonic()
    found = held(clock, lambda: _budget(question, clock), (question,))
    return replace(found, seconds=monotonic() - start)


def _budget(question: Question, clock: Clock) -> Budget:
    if question.parameters.functions and question.parameters.eps_name is None:
        hint = "`check` decides claims"
        raise Unsupported("the least c of a model with constants such as exp(1/2)", hint=hint)
    if question.parameters.names:
        return least.budget(_problem(question, clock))
    problem, delta = Rational(question, clock), question.claim.delta if question.claim else ZERO
    if question.horizon is None:
        return horizons.budget(problem, delta)
    return finite.budget(problem, question.horizon, delta)
