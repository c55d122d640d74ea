"""The slow twin: all words, all matrices in full, fractions.Fraction only; nothing of dipc's algorithms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import product
from math import inf

from rationals import fraction

from dipc.models.hmm import SILENCE, HiddenMarkovModel
from dipc.pufferfish.question import Question


class Matrices:
    def __init__(self, model: HiddenMarkovModel) -> None:
        self.words = [*model.observations, SILENCE]
        n, m = len(model.states), len(model.observations)
        self.emit = [[Fraction(0)] * (m + 1) for _ in range(n + 1)]
        self.move = [[Fraction(0)] * (n + 1) for _ in range(n + 1)]
        for s in range(n):
            for o, p in model.emissions[s]:
                self.emit[s][o] += fraction(p)
            for t, p in model.transitions[s]:
                self.move[s][t] += fraction(p)
            if not model.transitions[s]:
                self.move[s][n] = Fraction(1)
        self.emit[n][m] = self.move[n][n] = Fraction(1)
        self.size = n + 1

    def vector(self, weights: Iterable) -> list[Fraction]:
        found = [Fraction(0)] * self.size
        for s, x in weights:
            found[s] += fraction(x)
        return [x / sum(found) for x in found] if sum(found) else found

    def probability(self, start: list[Fraction], word: Iterable[str]) -> Fraction:
        alpha = start
        for i, name in enumerate(word):
            o = self.words.index(name)
            if i:
                alpha = [sum(alpha[s] * self.move[s][t] for s in range(self.size)) for t in range(self.size)]
            alpha = [alpha[s] * self.emit[s][o] for s in range(self.size)]
        return sum(alpha)

    def all_words(self, horizon: int) -> Iterable[tuple[str, ...]]:
        return product(self.words, repeat=horizon)


def ratio(p: Fraction, q: Fraction) -> Fraction | float:
    return p / q if q else (inf if p else Fraction(0))


def least(question: Question, horizon: int) -> dict[int, Fraction | float]:
    """The greatest quotient of every pair."""
    matrices = Matrices(question.model)
    best: dict[int, Fraction | float] = {}
    for i, (left, right) in enumerate(question.pairs):
        a, b = matrices.vector(left.weights), matrices.vector(right.weights)
        if not any(a) or not any(b):
            continue
        best[i] = max(
            ratio(matrices.probability(a, w), matrices.probability(b, w)) for w in matrices.all_words(horizon)
        )
    return best


def excess(question: Question, number: int, horizon: int, c: Fraction) -> Fraction:
    """The sum of max(0, P(w | left) - c P(w | right))."""
    matrices = Matrices(question.model)
    a, b = (matrices.vector(side.weights) for side in question.pairs[number])
    words = matrices.all_words(horizon)
    return sum(max(0, matrices.probability(a, w) - c * matrices.probability(b, w)) for w in words)


def evaluated(question: Question, shown: object) -> tuple[Fraction, Fraction]:
    """The probabilities of the sequences of a witness."""
    matrices = Matrices(question.model)
    sides: Mapping[tuple[str, str | None], list[Fraction]] = {
        (side.name, side.prior): matrices.vector(side.weights) for pair in question.pairs for side in pair
    }
    words = shown.sequences or (shown.sequence,)
    left, right = sides[shown.secret, shown.prior], sides[shown.against, shown.prior]
    return (
        sum(matrices.probability(left, w) for w in words),
        sum(matrices.probability(right, w) for w in words),
    )
