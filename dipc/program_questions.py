"""Questions of Pufferfish privacy about programs: what ``Mechanism.pufferfish()`` gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from flint import fmpq

import dipc.dipwhile.convert as convert
from dipc.clock import Clock, Progress, silent
from dipc.dipwhile.convert import PythonValue
from dipc.dipwhile.priors import asked, mixtures
from dipc.dipwhile.semantics.neighbours import Explored
from dipc.models.mixtures import Mixtures
from dipc.pufferfish import mixtures as deciding
from dipc.pufferfish.question import Question
from dipc.pufferfish.verdict import Budget, PufferfishVerdict
from dipc.signs.eps_range import EpsRange


@dataclass(frozen=True, slots=True)
class ProgramQuestion:
    """What the secrets of a program may reveal to an attacker with one of its priors.

    Without a prior, all neighbouring inputs are compared.  ``fixed`` are numbers for parameters with a range.
    """

    explored: Explored = field(repr=False)
    fixed: Mapping[str, fmpq] = field(default_factory=dict)

    def fix(self, **values: PythonValue) -> ProgramQuestion:
        """The question with numbers for these parameters."""
        numbers = {
            name: convert.to_rational(value, f"the parameter `{name}`") for name, value in values.items()
        }
        return ProgramQuestion(self.explored, {**self.fixed, **numbers})

    def check(
        self,
        claim: str | None = None,
        *,
        at: PythonValue | None = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        progress: Progress = silent,
    ) -> PufferfishVerdict:
        """Decide a claim such as ``"ln(2)"`` or ``"eps/2"``, by default the program's own.

        ``at`` decides it for one eps only; limits are in seconds and megabytes, and one that runs out is an
        Undecided verdict (while the program is explored, :class:`~dipc.errors.LimitReached`).  Raises
        :class:`InputError` for what is wrong in the program, its priors or the claim.
        """
        clock = Clock(
            convert.to_limit(time_limit, "time_limit"),
            convert.to_limit(memory_limit, "memory_limit"),
            progress,
        )
        question = asked(self.explored.program, claim, _eps(at))
        found = self._mixtures(question.eps_range, clock)
        return deciding.check(found, question.epsilon, question.eps_range, clock, question.delta)

    def as_model(self, claim: str | None = None) -> Question:
        """The question as one about a hidden Markov model: a state for every law, which shows one output.

        Raises :class:`InputError` as :meth:`check`, and :class:`~dipc.errors.Unsupported` if a probability is
        not a rational function of exp(-eps/m).
        """
        question = asked(self.explored.program, claim)
        found = self._mixtures(question.eps_range, Clock())
        return deciding.as_model(found, question.epsilon, question.eps_range, question.delta)

    def budget(
        self,
        *,
        at: PythonValue | None = None,
        time_limit: float | None = None,
        memory_limit: float | None = None,
        progress: Progress = silent,
    ) -> Budget:
        """The least c = exp(epsilon) for which the program is private.

        Raises :class:`InputError`, :class:`~dipc.errors.LimitReached`, and
        :class:`~dipc.errors.Unsupported` if a probability depends on eps and ``at`` is not given.
        """
        clock = Clock(
            convert.to_limit(time_limit, "time_limit"),
            convert.to_limit(memory_limit, "memory_limit"),
            progress,
        )
        eps = _eps(at)
        eps_range = EpsRange.positive() if eps is None else EpsRange.point(eps)
        return deciding.budget(self._mixtures(eps_range, clock), eps_range, clock)

    def _mixtures(self, eps_range: EpsRange, clock: Clock) -> Mixtures:
        return deciding.fixed(mixtures(self.explored, eps_range, clock), self.fixed)


def _eps(at: PythonValue | None) -> fmpq | None:
    return None if at is None else convert.to_eps(at)
