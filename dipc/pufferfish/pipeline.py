"""From a question to an answer: is the claim private, and what is the least constant?"""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

from dipc.child import held
from dipc.clock import Clock
from dipc.errors import LimitReached, Unsupported
from dipc.models.mixtures import Claim
from dipc.pufferfish import finite, functions, horizons, rates, sums
from dipc.pufferfish.beliefs import ZERO
from dipc.pufferfish.classes import check_class
from dipc.pufferfish.parameters import check_with_parameters
from dipc.pufferfish.question import Question, claimed
from dipc.pufferfish.rational import Rational
from dipc.pufferfish.suprema import budget_with_parameters
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


MOST_POWER = 200


def validate(question: Question, clock: Clock) -> None:
    """Raise :class:`InputError` for a probability that is negative or undefined somewhere on the class."""
    if _of_functions(question):
        functions.Functions(question, clock)
    elif question.parameters.names:
        check_class(question, clock)


def _of_functions(question: Question) -> bool:
    """Whether eps occurs outside of exp, or a constant such as exp(1), or not all eps > 0 are asked about.

    Or a claim about eps needs very large powers of ``exp(-eps/unit)``.
    """
    parameters = question.parameters
    power = question.claim.rate * parameters.eps_unit if question.claim else ZERO
    large = max(power.p, power.q) > MOST_POWER
    return not parameters.rational or large


def _check(question: Question, claim: Claim, clock: Clock) -> PufferfishVerdict:
    if _of_functions(question):
        return functions.check(question, clock)
    if question.parameters.names:
        return check_with_parameters(question, clock, sums.check if claim.delta else None)
    problem = Rational(question, clock)
    try:
        if question.horizon is None:
            return horizons.check(problem, claim)
        return finite.check(problem, claim, question.horizon)
    except LimitReached as limit:
        return problem.unsettled(claim, f"{limit} ({clock.doing})")


def budget(question: Question, clock: Clock) -> Budget:
    """The least c for which a question is private, with the delta of its claim if it has one.

    Raises :class:`InputError`, and :class:`LimitReached` if a limit runs out.
    """
    start = monotonic()
    found = held(clock, lambda: _budget(question, clock), (question,))
    return replace(found, seconds=monotonic() - start)


def _budget(question: Question, clock: Clock) -> Budget:
    if question.parameters.eps_name is not None:
        return rates.budget(question, clock)
    if question.parameters.functions:
        hint = "`check` decides claims"
        raise Unsupported("the least c of a model with constants such as exp(1/2)", hint=hint)
    if question.parameters.names:
        return budget_with_parameters(question, clock)
    problem, delta = Rational(question, clock), question.claim.delta if question.claim else ZERO
    if question.horizon is None:
        return horizons.budget(problem, delta)
    return finite.budget(problem, question.horizon, delta)
