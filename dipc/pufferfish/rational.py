"""Questions without parameters: their numbers, and what is known of them at once."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq

from dipc.clock import NONE, Clock
from dipc.errors import Unsupported
from dipc.models.hmm import HiddenMarkovModel, Weights, added
from dipc.models.mixtures import Claim, Side, sides_of
from dipc.numbers.parametric import Parametric
from dipc.numbers.quotient import Quotient
from dipc.pufferfish import beliefs
from dipc.pufferfish.beliefs import ZERO, Sparse, Steps, Word
from dipc.pufferfish.problem import Constant, Problem, counterexample, least
from dipc.pufferfish.question import Question
from dipc.pufferfish.verdict import Least, PufferfishVerdict, Pump, Reached, Undecided, Violated


class Rational(Problem):
    """A question of rational numbers; ``sides`` are the distributions of its pairs."""

    steps: Steps

    def __init__(self, question: Question, clock: Clock) -> None:
        if names := question.parameters.ring.names:
            raise Unsupported(f"hidden Markov models with parameters (here {', '.join(names)})")
        super().__init__(question, clock)
        model = question.model
        emissions, transitions = (tuple(map(_rationals, m)) for m in (model.emissions, model.transitions))
        self.steps = Steps(HiddenMarkovModel(model.states, model.observations, emissions, transitions))
        sides = {key: _normalised(side) for key, side in sides_of(self.pairs).items()}
        self.sides = [(sides[id(left)], sides[id(right)]) for left, right in self.pairs]

    def enclosure(self) -> Least:
        """The least c of every horizon, roughly: the first observation, and the first state itself.

        An infinite quotient, which no time was left to answer with, is no bound.
        """
        exploration = beliefs.Exploration(self.steps, self.sides, Clock(NONE))
        high = beliefs.greatest(belief.bound for belief in exploration.frontier)
        ratios = (belief.ratio for belief in exploration.level())
        return least(beliefs.greatest(ratio for ratio in ratios if ratio is not None), high)

    def unsettled(self, claim: Claim, reason: str) -> PufferfishVerdict:
        """The verdict of a search that a limit ended: one observation may be a violation already."""
        if claim.delta:
            return Undecided(**self.common, reason=reason)
        exploration = beliefs.Exploration(self.steps, self.sides, Clock(NONE))
        found = beliefs.improved(beliefs.NONE, exploration.level())
        if Constant(claim).is_below(found.ratio):
            return self.violated(claim, found.pair, [found.word])
        return Undecided(**self.common, reason=reason, least=self.enclosure())

    def spoken(self, number: int, words: Sequence[Word], pump: Pump | None = None) -> Reached:
        """The probabilities of some words on both sides of a pair."""
        sums = (
            sum((self.steps.probability(side, word) for word in words), ZERO) for side in self.sides[number]
        )
        return self.reached(number, words, list(map(Quotient.of, sums)), pump=pump)

    def violated(
        self, claim: Claim, number: int, words: Sequence[Word], pump: Pump | None = None
    ) -> Violated:
        """The verdict that these words of a pair violate the claim, which they must."""
        return Violated(**self.common, counterexample=counterexample(claim, self.spoken(number, words, pump)))


def _rationals(row: Weights[Parametric]) -> Weights[fmpq]:
    found = [(place, p.as_rational()) for place, p in row]
    return tuple((place, fmpq(p.p, p.q)) for place, p in found if p)


def _normalised(side: Side) -> Sparse:
    row = added(_rationals(side.weights))
    return beliefs.scaled(row, 1 / sum(row.values(), ZERO))
