"""Questions without parameters: their numbers, the engine that suits them, and witnesses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from flint import arb, ctx, fmpq

from dipc.clock import NONE, Clock
from dipc.errors import InternalError, Unsupported
from dipc.models.hmm import HiddenMarkovModel, Weights, added
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.parametric import Parametric
from dipc.numbers.quotient import Quotient
from dipc.pufferfish import beliefs
from dipc.pufferfish.beliefs import ONE, ZERO, Ratio, Sides, Sparse, Steps, Word
from dipc.pufferfish.question import NOTHING, Claim, Pair, Question
from dipc.pufferfish.verdict import (
    Counterexample,
    Least,
    PufferfishVerdict,
    Pump,
    Reached,
    Undecided,
    Violated,
)

BITS = 256
"""The precision of the enclosure of e^epsilon that settles most comparisons."""


class Constant:
    """The c of a claim without eps, compared exactly with rational numbers."""

    def __init__(self, claim: Claim) -> None:
        if claim.rate:
            raise InternalError("a claim in eps about a model without eps")
        self._factor, self._exponent = claim.factor, claim.constant
        with ctx.workprec(BITS):
            self._ball = arb(claim.constant).exp()

    def compare(self, ratio: Ratio) -> int:
        """1 if the quotient is greater than c, 0 if equal, -1 if smaller."""
        if ratio is None:
            return 1
        scaled = ratio / self._factor
        with ctx.workprec(BITS):
            shown = arb(scaled)
            if shown > self._ball or shown < self._ball:
                return 1 if shown > self._ball else -1
        return (ExpPoly.of(scaled) - ExpPoly.exp(0, self._exponent)).sign_at(ZERO)

    def is_below(self, ratio: Ratio) -> bool:
        """Whether the quotient is greater than c."""
        return self.compare(ratio) > 0


class Rational:
    """A question of rational numbers: the model, and the pairs of which both secrets are possible."""

    def __init__(self, question: Question, clock: Clock) -> None:
        if names := question.parameters.ring.names:
            raise Unsupported(f"hidden Markov models with parameters (here {', '.join(names)})")
        self.question, self.clock = question, clock
        model = question.model
        emissions, transitions = (tuple(map(_rationals, m)) for m in (model.emissions, model.transitions))
        self.steps = Steps(HiddenMarkovModel(model.states, model.observations, emissions, transitions))
        known: dict[Weights[Parametric], Sparse] = {}
        sides = [
            (_normalised(left.weights, known), _normalised(right.weights, known))
            for left, right in question.pairs
        ]
        kept = [i for i, (left, right) in enumerate(sides) if left and right]
        self.pairs, self.sides = [question.pairs[i] for i in kept], [sides[i] for i in kept]
        self.notes = tuple(dict.fromkeys((*question.notes, *_notes(question.pairs, sides))))

    @property
    def common(self) -> dict[str, Any]:
        """What every verdict tells."""
        return {"question": self.question, "pairs": len(self.pairs), "notes": self.notes}

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
            shown = self.counterexample(found.pair, [found.word], claim)
            return Violated(**self.common, counterexample=shown)
        return Undecided(**self.common, reason=reason, least=self.enclosure())

    def reached(self, number: int, words: Sequence[Word], pump: Pump | None = None) -> Reached:
        """The probabilities of some words on both sides of a pair."""
        pair, (left, right) = self.pairs[number], self.sides[number]
        return Reached(
            secret=pair.left.name,
            against=pair.right.name,
            prior=pair.left.prior or pair.right.prior,
            sequence=self.steps.text(words[0]),
            probability=self._probability(left, words),
            other_probability=self._probability(right, words),
            pump=pump,
            sequences=tuple(map(self.steps.text, words)) if len(words) > 1 else (),
        )

    def _probability(self, start: Sparse, words: Sequence[Word]) -> Quotient:
        return Quotient.of(sum((self.steps.probability(start, word) for word in words), ZERO))

    def counterexample(
        self, number: int, words: Sequence[Word], claim: Claim, pump: Pump | None = None
    ) -> Counterexample:
        """These words against a claim; InternalError if they do not violate it."""
        shown = self.reached(number, words, pump)
        bound = shown.other_probability * claim.c + claim.delta
        excess = shown.probability - bound
        if excess.sign_at(ZERO) <= 0:
            raise InternalError("a counterexample that does not violate the claim")
        common = {name: getattr(shown, name) for name in Reached.__dataclass_fields__}
        return Counterexample(**common, bound=bound, excess=excess)


def least(low: Ratio, high: Ratio) -> Least:
    """An enclosure of the least c, which is at least 1."""
    if low is None:
        raise InternalError("an infinite quotient is an answer, not an enclosure")
    return Least(Quotient.of(max(low, ONE)), None if high is None else Quotient.of(max(high, ONE)))


def _rationals(row: Weights[Parametric]) -> Weights[fmpq]:
    found = [(place, p.as_rational()) for place, p in row]
    return tuple((place, fmpq(p.p, p.q)) for place, p in found if p)


def _normalised(weights: Weights[Parametric], known: dict[Weights[Parametric], Sparse]) -> Sparse:
    if (found := known.get(weights)) is None:
        row = added(_rationals(weights))
        total = sum(row.values(), ZERO)
        found = known[weights] = beliefs.scaled(row, 1 / total) if total else {}
    return found


def _notes(pairs: Sequence[Pair], sides: Sequence[Sides]) -> Iterator[str]:
    for pair, both in zip(pairs, sides, strict=True):
        for side, found in zip(pair, both, strict=True):
            if not found:
                yield side.impossible
    if not any(left and right for left, right in sides):
        yield NOTHING
