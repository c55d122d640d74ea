"""Questions of Pufferfish privacy about programs: what ``Mechanism.pufferfish()`` gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from flint import fmpq

import dipc.views as views
from dipc.child import held
from dipc.clock import Clock
from dipc.errors import InputError, Unsupported
from dipc.lazily import lazily
from dipc.models.mixtures import Asked, Exponent, Mixtures, Secrets
from dipc.numbers.exact import Number, positive, rational
from dipc.pufferfish import mixtures as deciding
from dipc.pufferfish.mixed import Mixed, mixed
from dipc.pufferfish.question import Claim, Question
from dipc.pufferfish.verdict import Budget, PufferfishVerdict
from dipc.signs.eps_range import EpsRange
from dipc.suggest import did_you_mean, methods_with_options_only

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    import dipc.pufferfish.export.hmm as hidden
    import dipc.pufferfish.export.mixtures as with_functions
else:
    hidden, with_functions = map(lazily, ("dipc.pufferfish.export.hmm", "dipc.pufferfish.export.mixtures"))

T = TypeVar("T")

FEW = 12
NO_CLAIM = Exponent("", fmpq(1), fmpq(0), fmpq(0))


@dataclass(frozen=True, slots=True)
class Posed:
    """A question with its probabilities: what is compared, the claim if there is one, and for which eps."""

    mixtures: Mixtures
    claim: Claim | None
    eps_range: EpsRange

    @property
    def question(self) -> Question | None:
        """The same as a model that shows one output, if probabilities are rational, or functions of
        exp(-eps/m) for all eps > 0."""
        found = deciding.question_of(self.mixtures, self.claim, self.eps_range)
        return found if found.parameters.rational else None

    def check(self, clock: Clock) -> PufferfishVerdict:
        """Decide the claim, which there must be."""
        claim = self.claim
        assert claim is not None
        epsilon = Exponent(claim.text, claim.factor, claim.constant, claim.rate)
        return deciding.check(self.mixtures, epsilon, self.eps_range, clock, claim.delta)

    def functions(self, given: str | None = None) -> dict[tuple[str, str | None], dict[str, Mixed]]:
        """P(output | secret) by secret and prior, exactly; only for one secret if ``given``.

        Raises :class:`InputError` for an unknown secret.
        """
        pairs = self.mixtures.pairs
        sides = {(side.name, pair.prior): side for pair in pairs for side in pair[:2] if side.weights}
        if given is not None:
            names = dict.fromkeys(name for name, _ in sides)
            plain = given.replace(" ", "")
            sides = {key: side for key, side in sides.items() if key[0].replace(" ", "") == plain}
            if not sides:
                hint = (
                    did_you_mean(given, names) if len(names) <= FEW else "without it, those for all are shown"
                )
                raise InputError(f"there is no secret `{given}`", hint=hint)
        outputs = self.mixtures.outputs
        return {
            key: {name: mixed(self.mixtures, side, o) for o, name in enumerate(outputs)}
            for key, side in sides.items()
        }


@methods_with_options_only
@dataclass(frozen=True, slots=True)
class ProgramQuestion:
    """What the secrets of a program may reveal to an attacker with one of its priors.

    Without a prior, all neighbouring inputs are compared.  ``fixed`` are numbers for parameters with a range.
    """

    secrets: Secrets = field(repr=False)
    fixed: Mapping[str, fmpq] = field(default_factory=dict)

    def fix(self, **values: Number) -> ProgramQuestion:
        """The question with numbers for these parameters."""
        numbers = {name: rational(value, f"the parameter `{name}`") for name, value in values.items()}
        return ProgramQuestion(self.secrets, {**self.fixed, **numbers})

    def check(self, claim: str | None = None, *, at: Number | None = None) -> PufferfishVerdict:
        """Decide a claim such as ``"ln(2)"`` or ``"eps/2"``, by default the program's own.

        ``at`` decides it for one eps only; a limit (:func:`dipc.limits`) that runs out is an Undecided
        verdict (while the program is explored, :class:`~dipc.errors.LimitReached`).  Raises
        :class:`InputError` for what is wrong in the program, its priors or the claim.
        """
        clock = Clock()
        question = self.secrets.asked(claim, _eps(at))

        def decided() -> PufferfishVerdict:
            found = self._mixtures(question.eps_range, clock)
            return deciding.check(found, question.epsilon, question.eps_range, clock, question.delta)

        return self._held(clock, decided)

    def as_model(self, claim: str | None = None) -> Question:
        """The question as one about a hidden Markov model: a state for every law, which shows one output.

        Raises :class:`InputError` as :meth:`check`, :class:`~dipc.errors.LimitReached`, and
        :class:`~dipc.errors.Unsupported` if a probability is not a rational function of exp(-eps/m).
        """
        clock = Clock()
        question = self.secrets.asked(claim)

        def made() -> Question:
            found = self._mixtures(question.eps_range, clock)
            return deciding.as_model(found, question.epsilon, question.eps_range, question.delta)

        return self._held(clock, made)

    def budget(self, *, at: Number | None = None) -> Budget:
        """The least c = exp(epsilon) for which the program is private.

        Raises :class:`InputError`, :class:`~dipc.errors.LimitReached`, and
        :class:`~dipc.errors.Unsupported` if a probability depends on eps and ``at`` is not given.
        """
        clock = Clock()
        eps = _eps(at)
        eps_range = EpsRange.positive() if eps is None else EpsRange.point(eps)
        return self._held(clock, lambda: deciding.budget(self._mixtures(eps_range, clock), eps_range, clock))

    def posed(self, claim: str | None = None, *, at: Number | None = None) -> Posed:
        """What is compared, with exact probabilities, and the claim; at one eps if ``at`` is given.

        Raises :class:`InputError` for what is wrong in the program, its priors or the claim, and
        :class:`~dipc.errors.LimitReached`.
        """
        clock = Clock()
        return self._held(clock, lambda: self._posed(claim, _eps(at), clock))

    def _posed(self, claim: str | None, eps: fmpq | None, clock: Clock) -> Posed:
        if claim is None and not self.secrets.makes_claim:
            question = Asked(NO_CLAIM, fmpq(0), EpsRange.positive() if eps is None else EpsRange.point(eps))
        else:
            question = self.secrets.asked(claim, eps)
        found, exponent = self._mixtures(question.eps_range, clock), question.epsilon
        if question.eps_range.is_point:
            found, exponent = deciding.at(found, exponent, question.eps_range.inside)
        deciding.check_drawn(found, clock)
        made = None if exponent.text == NO_CLAIM.text else Claim(*exponent, question.delta)
        return Posed(found, made, question.eps_range)

    def distribution(
        self,
        given: str | None = None,
        *,
        at: Number | None = None,
    ) -> dict[tuple[str, str | None], dict[str, str]]:
        """P(output | secret) for every secret, with the name of the prior: exact functions, as text.

        ``given`` is one of the secrets, such as ``"q[1] = 0"``.  They are functions of the parameters of the
        priors and of eps; :meth:`Posed.functions` has their parts.  Raises as :meth:`posed`.
        """
        clock = Clock()

        def found() -> dict[tuple[str, str | None], dict[str, str]]:
            laws = self._posed(None, _eps(at), clock).functions(given)
            return {key: {o: str(f) for o, f in law.items()} for key, law in laws.items()}

        return self._held(clock, found)

    def export(self, to: str, *, claim: str | None = None, at: Number | None = None) -> str:
        """The question for another tool: ``smtlib``, ``redlog``, or a chain: ``drn``, ``prism``, ``dot``,
        ``svg``.

        Raises :class:`InputError` for what the format cannot say.
        """
        clock = Clock()

        def exported() -> str:
            posed = self._posed(claim, _eps(at), clock)
            if (question := posed.question) is not None:
                return hidden.export(question, to, clock)
            if to == "smtlib":
                return with_functions.smtlib(posed.mixtures, posed.claim, posed.eps_range, clock)
            hidden.check_format(to)
            problem = f"the probabilities of the program are functions of eps that {to} does not have"
            raise Unsupported(problem, hint="--to smtlib")

        return self._held(clock, exported)

    def plot(self, **options: Any) -> Figure:
        """What ``dipc pufferfish plot`` draws: ``question.plot().savefig("loss.png")``.

        Options are ``what`` ("loss", "delta", "witness"), ``claim``, ``at`` and ``points``.
        Needs matplotlib (extra ``report``).
        """
        return views.plot(self, **options)

    def report(self, file: str | Path | None = None, **options: Any) -> Path:
        """Write what ``dipc pufferfish report`` writes, a page of HTML, and return its path.

        ``file`` is by default named after the program, in the current folder; options are ``claim``, ``at``
        and ``title``.  Needs matplotlib (extra ``report``).
        """
        return views.page(self, file, **options)

    def _held(self, clock: Clock, work: Callable[[], T]) -> T:
        return held(clock, work, self.secrets.shared)

    def _mixtures(self, eps_range: EpsRange, clock: Clock) -> Mixtures:
        return deciding.fixed(self.secrets.mixtures(eps_range, clock), self.fixed)


def _eps(at: Number | None) -> fmpq | None:
    return None if at is None else positive(at)
