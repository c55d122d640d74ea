"""D of bounded path formulas on decision processes for every eps of a range.

There are finitely many words, so finitely many inequalities, whose signs :mod:`regions` finds.  Transitions
that vanish at some eps need no care here: the probabilities are sums of products of those of the model, and
no graph is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cmp_to_key
from typing import Any

from dipc.clock import Clock
from dipc.dpctl.formula import Exponent, Formula, Privacy, Probability, Query, depends_on_eps
from dipc.dpctl.processes import INSIDE, AnyMdp, Cause, Decider, Fixed, Options
from dipc.dpctl.progression import States, is_bounded, progression
from dipc.dpctl.regions import Evaluation, Judge, power_of_e
from dipc.dpctl.schedulers import HERE, Product, sign_of
from dipc.dpctl.syntax import show
from dipc.dpctl.values import Attained
from dipc.dpctl.words import Breach, Steps, Word
from dipc.errors import LimitReached, Unsupported
from dipc.models.chain import MarkovChain
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange

AT_ONE_EPS = "ask at one eps: `--at 1`, or `for eps in [1, 1]`"
Outcome = tuple[Quotient, Quotient, Word]
Outcomes = list[Outcome]


@dataclass(frozen=True, slots=True)
class Memory:
    """What was found on other pieces of the range."""

    steps: dict[object, Steps[Any]] = field(default_factory=dict)
    outcomes: dict[object, Outcomes] = field(default_factory=dict)
    rooms: dict[object, list[tuple[Quotient, Outcome]]] = field(default_factory=dict)


class AllWords(Decider):
    """A process on one piece of a range of eps: D of bounded formulas only."""

    def __init__(self, mdp: AnyMdp, local: Judge, clock: Clock, memory: Memory, fixed: Fixed | None) -> None:
        """``fixed`` answers for formulas without eps, if the process has none."""
        super().__init__(mdp, clock)
        self.local, self.memory, self.fixed = local, memory, fixed

    def truth(self, formula: Formula, state: int) -> bool | None:
        """Whether a state formula holds in a state."""
        if self.fixed is not None and not depends_on_eps(formula):
            return self.fixed.truth(formula, state)
        return super().truth(formula, state)

    def cause(self, formula: Formula, state: int, truth: bool = False) -> Cause | None:
        """Why a formula has this truth value in a state."""
        if self.fixed is not None and not depends_on_eps(formula):
            return self.fixed.cause(formula, state, truth)
        return super().cause(formula, state, truth)

    def extreme(self, path: Formula, state: int, most: bool) -> Attained:
        """Refused: the best scheduler may depend on eps."""
        raise Unsupported("Pmax and Pmin on a decision process for a range of eps", hint=AT_ONE_EPS)

    def probability(self, formula: Probability, state: int) -> bool | None:
        """Refused: the best scheduler may depend on eps."""
        raise Unsupported("P on a decision process for a range of eps", formula.span, AT_ONE_EPS)

    def outcomes(self, path: Formula, s: int, t: int) -> Outcomes:
        """The probabilities of a bounded path formula from two states, for the words that are worst for s."""
        if not is_bounded(path):
            message = f"D of an unbounded formula, {show(path)}, on a decision process for a range of eps"
            raise Unsupported(message, hint=AT_ONE_EPS)
        known, _ = self.parts(path)
        key = path, tuple(known.items())
        if (*key, s, t) not in self.memory.outcomes:
            if key not in self.memory.steps:
                self.memory.steps[key] = self._with(path, known)
            found = self.memory.steps[key].outcomes(s, t, self.tick)
            exact = ((self.lifted(p), self.lifted(q), word) for p, q, word in found)
            self.memory.outcomes[*key, s, t] = worst(exact)
        return self.memory.outcomes[*key, s, t]

    def _with(self, path: Formula, known: dict[Formula, States]) -> Steps[Any]:
        monitor = progression(path, known)
        assert monitor is not None
        product: Product[Any] = Product.of(self.mdp, monitor, self.tick)
        numbers = {None: None, True: product.one, False: product.one - product.one}
        return Steps.of(product, [numbers[truth] for truth in product.truth])

    def found(self, formula: Privacy, state: int, other: int) -> Breach | bool | None:
        """The first word that breaks an inequality; the signs of all are asked for at once."""
        if self.doubtful(formula.path, state, other):
            return None
        breach = None
        for flipped, s, t in ((False, state, other), (True, other, state)):
            for room, (p, q, word) in self._rooms(formula, s, t):
                if self.local.sign(room) < 0 and breach is None:
                    breach = Breach(flipped, p, q, word, ())
        return breach or True

    def _rooms(self, formula: Privacy, s: int, t: int) -> list[tuple[Quotient, Outcome]]:
        """How much smaller p is than its bound, for the worst outcomes (p, q) that could break it."""
        outcomes = self.outcomes(formula.path, s, t)
        if (key := (formula, s, t, tuple(outcomes))) not in self.memory.rooms:
            factor, delta = power_of_e(formula.epsilon), formula.delta
            at_least_one = is_nonnegative(formula.epsilon)
            self.memory.rooms[key] = [
                (factor * q + delta - p, (p, q, word))
                for p, q, word in outcomes
                if not (at_least_one and is_surely_nonnegative(q + delta - p))
            ]
        return self.memory.rooms[key]

    def violated(self, cause: Cause) -> bool:
        """Whether a cause is one here: of D, whether some word breaks the same inequality."""
        formula, s, t = cause.formula, cause.state, cause.neighbour
        if not isinstance(formula, Privacy) or t is None or not depends_on_eps(formula):
            return super().violated(cause)
        if self.doubtful(formula.path, s, t):
            return False
        signs = [self.local.sign(room) for room, _ in self._rooms(formula, s, t)]  # asks for all
        return min(signs, default=0) < 0

    def least(self, query: Query, asked: Sequence[int]) -> Attained:
        """The least e^epsilon or the least delta on this piece."""
        if self.parts(query.path)[1]:
            raise LimitReached(f"{show(query.path)}: {INSIDE}")
        best = Attained(Quotient.one() if query.epsilon is None else Quotient.of(0), asked[0])
        for s in asked:
            for t in self.mdp.neighbours_of(s):
                for state, other in ((s, t), (t, s)):
                    for p, q, _ in self.outcomes(query.path, state, other):
                        value = self._needed(query, p, q)
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


def is_nonnegative(epsilon: Exponent) -> bool:
    """Whether the parts of an exponent show that it is nonnegative for every eps."""
    logarithms = all((base > 1) is (power > 0) for base, power in epsilon.logarithms)
    return logarithms and epsilon.rate >= 0 and epsilon.constant >= 0


def is_surely_nonnegative(value: Quotient) -> bool:
    """Whether a number without eps is nonnegative; False for other functions."""
    return value.is_constant and sign_of(value) >= 0


def worst(outcomes: Iterable[Outcome]) -> Outcomes:
    """The outcomes (p, q) without those that another one with a larger p and a smaller q makes superfluous.

    Only numbers without eps are compared.

    >>> from flint import fmpq
    >>> half, one, zero = map(Quotient.of, (fmpq(1, 2), 1, 0))
    >>> worst([(half, half, (0,)), (half, zero, (1,)), (one, half, (2,)), (zero, zero, (3,))])
    [(1, 1/2, (2,)), (1/2, 0, (1,))]
    """
    found = list(outcomes)
    if not all(p.is_constant and q.is_constant for p, q, _ in found):
        return found
    kept: Outcomes = []
    for p, q, word in sorted(found, key=cmp_to_key(_order)):
        if not kept or sign_of(q - kept[-1][1]) < 0:
            kept.append((p, q, word))
    return kept


def _order(a: Outcome, b: Outcome) -> int:
    return sign_of(b[0] - a[0]) or sign_of(a[1] - b[1])


Question = Callable[[Judge], Decider]


def deciders(
    mdp: AnyMdp, fixed: bool, eps_range: EpsRange, clock: Clock, options: Options
) -> tuple[Evaluation, Question]:
    """The pieces of the range, and who answers there; ``fixed`` if there is only one eps, or none matters."""
    only_signs: MarkovChain[Quotient] = MarkovChain(mdp.names, {}, (), (), ())
    evaluation = Evaluation(only_signs, eps_range, clock)
    decider, memory = Fixed(mdp, eps_range.low if eps_range.is_point else HERE, clock, options), Memory()
    if fixed:
        return evaluation, lambda local: decider
    without_eps = None if has_eps(mdp) else decider
    return evaluation, lambda local: AllWords(mdp, local, clock, memory, without_eps)


def has_eps(mdp: AnyMdp) -> bool:
    """Whether eps occurs in a process."""
    probabilities = (p for rows in mdp.rows for row in rows for _, p in row)
    return any(isinstance(p, Quotient) and not p.is_constant for p in probabilities)
