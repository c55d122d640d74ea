"""Questions of Pufferfish privacy about programs: what ``Mechanism.pufferfish()`` gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from flint import fmpq

from dipc.child import held
from dipc.clock import Clock
from dipc.errors import Source, Unsupported
from dipc.models.mixtures import Claim, Mixtures, Secrets
from dipc.numbers.exact import Number, positive, rational
from dipc.pufferfish import mixtures as deciding
from dipc.pufferfish import pipeline
from dipc.pufferfish.hmm import AnyQuestion
from dipc.pufferfish.laws import Laws, as_function, laws_of, spelled
from dipc.pufferfish.question import Question
from dipc.pufferfish.verdict import Budget, PufferfishVerdict
from dipc.signs.eps_range import EpsRange
from dipc.suggest import methods_with_options_only


@methods_with_options_only
@dataclass(frozen=True, slots=True)
class ProgramQuestion(AnyQuestion):
    """What the secrets of a program may reveal to an attacker with one of its priors.

    Without a prior, all neighbouring inputs are compared.  ``fixed`` are numbers for parameters with a range.
    """

    secrets: Secrets = field(repr=False)
    fixed: Mapping[str, fmpq] = field(default_factory=dict)

    @property
    def source(self) -> Source:
        return self.secrets.source

    def fix(self, **values: Number) -> ProgramQuestion:
        """The question with numbers for these parameters."""
        numbers = {name: rational(value, f"the parameter `{name}`") for name, value in values.items()}
        return ProgramQuestion(self.secrets, {**self.fixed, **numbers})

    def asking(self, claim: str | None, at: Number | None, clock: Clock) -> Question:
        """The question as one about a hidden Markov model: a state for every law, which shows one output.

        Raises :class:`InputError` for what is wrong in the program, its priors or the claim, and
        :class:`~dipc.errors.LimitReached`.
        """
        eps = None if at is None else positive(at)
        if claim is None and not self.secrets.makes_claim:
            return self._posed(None, _range(eps), clock)
        asked = self.secrets.asked(claim, eps)
        return self._posed(asked.claim, asked.eps_range, clock)

    def _posed(self, claim: Claim | None, eps_range: EpsRange, clock: Clock, strict: bool = True) -> Question:
        def posed() -> Question:
            mixtures: Mixtures = self.secrets.mixtures(eps_range, clock)
            question = deciding.question_of(mixtures, claim, eps_range, self.fixed)
            if strict:
                deciding.check_claim(question)
            deciding.check_drawn(mixtures, self.fixed, clock)
            return question

        return held(clock, posed, self.secrets.shared)

    def laws(self, given: str | None, at: Number | None, clock: Clock) -> tuple[Question, Laws]:
        """Those of the outputs, for the eps of the claim, which need not fit."""
        eps = None if at is None else positive(at)
        eps_range = self.secrets.asked(None, eps).eps_range if self.secrets.makes_claim else _range(eps)
        question = self._posed(None, eps_range, clock)
        return question, laws_of(question, given)

    def check(self, claim: str | None = None, *, at: Number | None = None) -> PufferfishVerdict:
        self.secrets.asked(claim)  # refuses a program without a claim
        return AnyQuestion.check(self, claim, at=at)

    def as_model(self, claim: str | None = None) -> Question:
        """The question of the file, if certificates can be about it; the claim may not fit.

        Raises as :meth:`asking`, and :class:`~dipc.errors.Unsupported` if a probability is not a rational
        function of exp(-eps/m).
        """
        asked = self.secrets.asked(claim)
        question = self._posed(asked.claim, asked.eps_range, Clock(), strict=False)
        if not question.parameters.rational:
            raise Unsupported(
                "models of programs whose probabilities are not rational functions of exp(-eps/m)"
            )
        return question

    def budget(self, *, at: Number | None = None) -> Budget:
        """The least c = exp(epsilon), or the least t of ``t*eps``, for which the program is private.

        Raises :class:`InputError`, and :class:`~dipc.errors.LimitReached` if a limit runs out.
        """
        clock = Clock()
        return pipeline.budget(self._posed(None, _range(None if at is None else positive(at)), clock), clock)

    def distribution(
        self, given: str | None = None, *, at: Number | None = None
    ) -> dict[tuple[str, str | None], dict[str, str]]:
        """P(output | secret) for every secret, with the name of the prior: exact functions, as text.

        ``given`` is one of the secrets, such as ``"q[1] = 0"``.  They are functions of the parameters of the
        priors and of eps.  Raises as :meth:`asking`.
        """
        question, laws = self.laws(given, at, Clock())
        of = question.parameters
        return {
            key: {o: spelled(as_function(p, of), of) for o, p in law.outputs.items()}
            for key, law in laws.items()
        }


def _range(eps: fmpq | None) -> EpsRange:
    return EpsRange.positive() if eps is None else EpsRange.point(eps)
