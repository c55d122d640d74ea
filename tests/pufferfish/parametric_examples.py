"""The examples of the paper (FAIER, section 4) as questions; the larger ones are built by code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

from flint import fmpq

from dipc.errors import Source
from dipc.models.hmm import HiddenMarkovModel
from dipc.models.mixtures import Claim, Pair, Side
from dipc.numbers.parametric import Parametric, Ring
from dipc.pufferfish.question import Parameters, Question, Range
from dipc.pufferfish.reading import read_question
from dipc.shipped import hidden_models

GEOMETRIC = ((4, 1, 1), (2, 2, 2), (1, 1, 4))


def unit_ranges(ring: Ring, closed: bool = False) -> tuple[Range, ...]:
    """Every parameter in (0, 1), or in [0, 1]."""
    return tuple(Range(ring.of(0), ring.of(1), closed, closed) for _ in ring.names)


def one_shot(ring: Ring, laws: Sequence[Sequence[fmpq]]) -> HiddenMarkovModel[Parametric]:
    """States that show something once, and stop."""
    emissions = tuple(tuple((o, ring.of(x)) for o, x in enumerate(law) if x) for law in laws)
    names = tuple(f"n{i}" for i in range(len(laws)))
    return HiddenMarkovModel(names, tuple(map(str, range(len(laws[0])))), emissions, ((),) * len(laws))


def geometric(ring: Ring) -> HiddenMarkovModel[Parametric]:
    """Example 1: the truncated 1/2-geometric mechanism."""
    return one_shot(ring, [[fmpq(x, 6) for x in row] for row in GEOMETRIC])


def side(name: str, weights: Mapping[int, Parametric], prior: str | None = None) -> Side:
    return Side(name, prior, tuple(weights.items()))


def question(
    model: HiddenMarkovModel[Parametric],
    ring: Ring,
    sides: tuple[Side, Side],
    c: fmpq | int = 2,
    horizon: int | None = 1,
    closed: bool = False,
) -> Question:
    """Both directions, ln(c)-Pufferfish private."""
    pairs = (Pair(*sides), Pair(*sides[::-1]))
    return Question(
        model, Parameters(ring, unit_ranges(ring, closed)), pairs, horizon, Claim(f"ln({c})", fmpq(c))
    )


def shipped(name: str, c: fmpq | int = 2) -> Question:
    """The question of a shipped file, with another c."""
    asked = read_question(Source(name, hidden_models()[name].read_text(encoding="utf-8")))
    return replace(asked, claim=Claim(f"ln({c})", fmpq(c)))


example3, example4, example4_events = (partial(shipped, name) for name in ("ex3", "ex4", "ex4-events"))


def noisy_argmax(counts: Sequence[int]) -> list[fmpq]:
    """The law of the index with the greatest noisy count, ties broken evenly."""
    law = [fmpq(0)] * len(counts)
    for noisy in product(range(3), repeat=len(counts)):
        mass = fmpq(1)
        for count, value in zip(counts, noisy, strict=True):
            mass *= fmpq(GEOMETRIC[count][value], 6)
        best = [i for i, value in enumerate(noisy) if value == max(noisy)]
        for i in best:
            law[i] += mass / len(best)
    return law


def example5(c: fmpq | int = 2) -> Question:
    """Noisy max of three diseases of two people: John has the first, or not (secrets as events)."""
    ring = Ring(("pA", "pB", "pC"))
    states = list(product(range(3), repeat=3))
    model = one_shot(ring, [noisy_argmax(counts) for counts in states])
    sick, healthy = {}, {}
    for place, counts in enumerate(states):
        weights = [_count_weights(p) for p in ring.gens]
        others = weights[1][counts[1]] * weights[2][counts[2]]
        p = ring.gens[0]
        first = ({0: ring.of(0), 1: p * (1 - p), 2: p * p}, {0: (1 - p) ** 2, 1: p * (1 - p), 2: ring.of(0)})
        sick[place], healthy[place] = (law[counts[0]] * others for law in first)
    present = [{s: x for s, x in weights.items() if x} for weights in (sick, healthy)]
    return question(model, ring, (side("sick", present[0]), side("healthy", present[1])), c)


def _count_weights(p: Parametric) -> tuple[Parametric, ...]:
    return (1 - p) ** 2, 2 * p * (1 - p), p * p


def example6(c: fmpq | int = 2) -> Question:
    """Five diseases, the first contagious, an unknown chance of the second."""
    ring = Ring(("p2",))
    chances = [ring.gens[0], *(ring.of(fmpq(k, 10)) for k in (3, 4, 5))]
    states = [(first, *rest) for first in (0, 2) for rest in product(range(3), repeat=4)]
    model = one_shot(ring, [noisy_argmax(counts) for counts in states])
    weights: list[dict[int, Parametric]] = [{}, {}]
    for place, (first, *rest) in enumerate(states):
        weight = ring.of(1)
        for p, count in zip(chances, rest, strict=True):
            weight = weight * _count_weights(p)[count]
        weights[first // 2][place] = weight
    return question(model, ring, (side("sick", weights[1]), side("healthy", weights[0])), c)
