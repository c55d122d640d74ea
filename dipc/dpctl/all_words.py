"""D of bounded path formulas on decision processes for every eps of a range.

There are finitely many words, so finitely many inequalities, whose signs :mod:`regions` finds.  Transitions
that vanish at some eps need no care here: the probabilities are sums of products of those of the model, and
no graph is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dipc.clock import Clock
from dipc.dpctl.formula import Formula, Privacy, Probability, Query
from dipc.dpctl.processes import AnyMdp, Cause, Fixed, Judge, Options, with_functions
from dipc.dpctl.progression import States, is_bounded, progression
from dipc.dpctl.regions import Evaluation, Local, power_of_e
from dipc.dpctl.schedulers import HERE, Product
from dipc.dpctl.syntax import show
from dipc.dpctl.values import Attained
from dipc.dpctl.words import Breach, Steps, Word
from dipc.errors import InputError, Unsupported
from dipc.models.chain import MarkovChain, Mdp
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Fails, nonnegative

AT_ONE_EPS = "ask at one eps: `--at 1`, or `for eps in [1, 1]`"
Outcomes = list[tuple[Quotient, Quotient, Word]]


class AllWords(Judge):
    """A process on one piece of a range of eps: D of bounded formulas only."""

    def __init__(
        self, mdp: Mdp[Quotient], local: Local, clock: Clock, remembered: dict[object, Outcomes]
    ) -> None:
        super().__init__(mdp, clock)
        self.local, self._remembered = local, remembered

    def extreme(self, path: Formula, state: int, most: bool) -> Attained:
        """Refused: the best scheduler may depend on eps."""
        raise Unsupported("Pmax and Pmin on a decision process for a range of eps", hint=AT_ONE_EPS)

    def probability(self, formula: Probability, state: int) -> bool | None:
        """Refused: the best scheduler may depend on eps."""
        raise Unsupported("P on a decision process for a range of eps", formula.span, AT_ONE_EPS)

    def outcomes(self, path: Formula, s: int, t: int) -> Outcomes:
        """The probabilities of a bounded path formula from two states, for all words."""
        if not is_bounded(path):
            message = (
                f"D of an unbounded path formula, {show(path)}, on a decision process for a range of eps"
            )
            raise Unsupported(message, hint=AT_ONE_EPS)
        known, _ = self.parts(path)
        if (key := (path, tuple(known.items()), s, t)) not in self._remembered:
            monitor = progression(path, known)
            assert monitor is not None
            product: Product[Any] = Product.of(self.mdp, monitor, self.tick)
            one, zero = Quotient.one(), Quotient.of(0)
            settled = [None if truth is None else one if truth else zero for truth in product.truth]
            self._remembered[key] = list(Steps.of(product, settled).outcomes(s, t, self.tick))
        return self._remembered[key]

    def found(self, formula: Privacy, state: int, other: int) -> Breach | bool | None:
        """The first word that breaks an inequality; the signs of all are asked for at once."""
        factor, delta, breach = power_of_e(formula.epsilon), formula.delta, None
        for p, q, word in self.outcomes(formula.path, state, other):
            for flipped, large, small in ((False, p, q), (True, q, p)):
                if self.local.sign(factor * small + delta - large) < 0 and breach is None:
                    breach = Breach(flipped, large, small, word, ())
        return breach or True

    def violated(self, cause: Cause) -> bool:
        """Whether a cause is one here: of D, whether some word breaks the same inequality."""
        formula, s, t = cause.formula, cause.state, cause.neighbour
        if not isinstance(formula, Privacy) or t is None:
            return super().violated(cause)
        factor = power_of_e(formula.epsilon)
        rooms = [factor * q + formula.delta - p for p, q, _ in self.outcomes(formula.path, s, t)]
        return min(map(self.local.sign, rooms)) < 0

    def parts(self, path: Formula) -> tuple[dict[Formula, States], set[int]]:
        """As above, once the signs that decide it are known."""
        return self.local.settled(super().parts(path))

    def least(self, query: Query, asked: Sequence[int]) -> Attained:
        """The least e^epsilon or the least delta on this piece."""
        best = Attained(Quotient.one() if query.epsilon is None else Quotient.of(0), asked[0])
        for s in asked:
            for t in self.mdp.neighbours_of(s):
                for p, q, _ in self.outcomes(query.path, s, t):
                    for state, other, large, small in ((s, t, p, q), (t, s, q, p)):
                        value = self._needed(query, large, small)
                        if value is None:
                            return Attained(None, state, other)
                        assert best.value is not None
                        if self.local.sign(value - best.value) > 0:
                            best = Attained(value, state, other)
        return best

    def _needed(self, query: Query, p: Quotient, q: Quotient) -> Quotient | None:
        if query.epsilon is not None:
            return p - power_of_e(query.epsilon) * q
        assert query.delta is not None
        if self.local.sign(p - query.delta) <= 0:
            return Quotient.of(0)
        return (p - query.delta) / q if self.local.sign(q) else None


Question = Callable[[Local], Judge]


def judges(
    mdp: AnyMdp, fixed: bool, eps_range: EpsRange, clock: Clock, options: Options
) -> tuple[Evaluation, Question]:
    """The pieces of the range, and who answers on each; ``fixed`` if there is only one eps, or none matters.

    Raises :class:`InputError` if a probability is negative somewhere.
    """
    refuse_negative(mdp, eps_range)
    only_signs: MarkovChain[Quotient] = MarkovChain(mdp.names, {}, (), (), ())
    evaluation = Evaluation(only_signs, eps_range, clock)
    if fixed:
        judge = Fixed(mdp, eps_range.low if eps_range.is_point else HERE, clock, options)
        return evaluation, lambda local: judge
    lifted, remembered = with_functions(mdp), dict[object, Outcomes]()
    return evaluation, lambda local: AllWords(lifted, local, clock, remembered)


def refuse_negative(mdp: AnyMdp, eps_range: EpsRange) -> None:
    """Raise :class:`InputError` if a probability is negative for some eps of the range."""
    cells = ((s, p) for s, rows in enumerate(mdp.rows) for row in rows for _, p in row)
    for p, s in {p: s for s, p in cells if isinstance(p, Quotient)}.items():
        answer = nonnegative(p.numerator * p.denominator, eps_range)
        if isinstance(answer, Fails):
            message = f"the probability {p} of `{mdp.names[s]} -> ...` is negative at eps = {answer.sample}"
            raise InputError(message, hint="ask for other eps: ... for eps in (low, high)")


def has_eps(mdp: AnyMdp) -> bool:
    """Whether eps occurs in a process."""
    probabilities = (p for rows in mdp.rows for row in rows for _, p in row)
    return any(isinstance(p, Quotient) and not p.is_constant for p in probabilities)
