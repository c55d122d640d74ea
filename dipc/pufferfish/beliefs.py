"""Forward: what two observers believe after the same observations, and which beliefs need no exploration.

A *belief* is a pair (a, b): a(u) is the probability of the observations so far, and that the state is u next,
on the left side; b likewise on the right side; both up to one positive factor.  The quotient of the two
probabilities is (sum of a)/(sum of b).  Two rules prune (both keep every level's greatest quotient, and the
first level at which a quotient exceeds c):

* *settled*: a(u) <= c b(u) for all u; then the quotient stays at most c whatever is observed next;
* *dominated* by a belief (a', b') found before, at the same level or an earlier one: l a' >= a and l b' <= b
  for some l > 0; then every continuation of the other has at least the quotient of this one.

If nothing is left, the quotients of *all* observation sequences, of any length, are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from flint import fmpq

from dipc.clock import Clock
from dipc.errors import LimitReached
from dipc.models.hmm import SILENCE, HiddenMarkovModel

ZERO, ONE = fmpq(0), fmpq(1)
LARGEST = 10**7
"""So many beliefs are explored at most."""

Sparse = dict[int, fmpq]
"""A vector over states: the entries that are not zero."""

Ratio = fmpq | None
"""A quotient of probabilities; None is infinity."""

Word = tuple[int, ...]
"""Places of observations; the last place is silence."""

Sides = tuple[Sparse, Sparse]
"""The two initial distributions that are compared."""


def exceeds(x: Ratio, y: Ratio) -> bool:
    """Whether x > y."""
    return y is not None and (x is None or x > y)


def quotient(above: fmpq, below: fmpq) -> Ratio:
    """``above / below``, where x/0 is infinite and 0/0 is 0: it says nothing."""
    if below:
        return above / below
    return None if above else ZERO


def greatest(ratios: Iterable[Ratio]) -> Ratio:
    """The greatest of some quotients (0 if there are none)."""
    best: Ratio = ZERO
    for ratio in ratios:
        best = ratio if exceeds(ratio, best) else best
    return best


class Steps:
    """A model, compiled: the last state, ``silent``, follows those that stop and shows silence for ever."""

    def __init__(self, model: HiddenMarkovModel[fmpq]) -> None:
        self.silent = len(model.states)
        self.names = (*model.observations, SILENCE)
        self.emissions = [*map(dict, model.emissions), {len(model.observations): ONE}]
        stop = {self.silent: ONE}
        self.transitions = [*(dict(row) or stop for row in model.transitions), stop]
        self.ending = not all(model.transitions)

    @property
    def size(self) -> int:
        """The number of states, with the silent one if it can be reached."""
        return self.silent + self.ending

    def filtered(self, belief: Sparse) -> dict[int, Sparse]:
        """The parts of a vector by the observation made."""
        parts: dict[int, Sparse] = {}
        for s, mass in belief.items():
            for o, p in self.emissions[s].items():
                parts.setdefault(o, {})[s] = mass * p
        return parts

    def moved(self, belief: Sparse) -> Sparse:
        """One transition."""
        after: Sparse = {}
        for s, mass in belief.items():
            for t, p in self.transitions[s].items():
                after[t] = after.get(t, ZERO) + mass * p
        return after

    def probability(self, start: Sparse, word: Word) -> fmpq:
        """P(word | start)."""
        belief = start
        for o in word:
            belief = self.moved(self.filtered(belief).get(o, {}))
        return sum(belief.values(), ZERO)

    def text(self, word: Word) -> tuple[str, ...]:
        """The observations of a word."""
        return tuple(self.names[o] for o in word)


class Belief(NamedTuple):
    """A pair of vectors for the compared pair with this number, after the ``word``."""

    pair: int
    a: Sparse
    b: Sparse
    word: Word = ()

    @property
    def ratio(self) -> Ratio:
        """P(word | left) / P(word | right)."""
        return quotient(sum(self.a.values(), ZERO), sum(self.b.values(), ZERO))

    @property
    def bound(self) -> Ratio:
        """No continuation has a greater quotient."""
        return greatest(quotient(x, self.b.get(s, ZERO)) for s, x in self.a.items())

    def dominates(self, other: Belief) -> bool:
        """Whether all continuations have at least the quotients of the other's."""
        if not (other.a.keys() <= self.a.keys() and self.b.keys() <= other.b.keys()):
            return False
        least = max(x / self.a[s] for s, x in other.a.items())
        return all(least * x <= other.b[s] for s, x in self.b.items())


class Exploration:
    """Levels of beliefs, from those before any observation."""

    def __init__(self, steps: Steps, pairs: Sequence[Sides], clock: Clock, largest: int = LARGEST) -> None:
        self._steps, self._clock, self._largest = steps, clock, largest
        self.frontier = [Belief(i, *sides) for i, sides in enumerate(pairs)]
        self._kept: dict[tuple[frozenset[int], frozenset[int]], list[Belief]] = {}
        self.depth = self.explored = 0

    def level(self) -> list[Belief]:
        """The beliefs after one more observation, in the order of pairs and words."""
        self.depth += 1
        return [child for belief in self.frontier for child in self._children(belief)]

    def keep(self, level: Iterable[Belief], open: Callable[[Belief], bool]) -> None:
        """Go on from the beliefs of a level that are open (not settled) and not dominated."""
        self.frontier = [belief for belief in level if open(belief) and self._is_new(belief)]

    def _children(self, belief: Belief) -> Iterator[Belief]:
        self.explored += 1
        self._clock.tick("beliefs", self.explored)
        if self.explored > self._largest:
            raise LimitReached(f"more than {self._largest} beliefs")
        left, right = self._steps.filtered(belief.a), self._steps.filtered(belief.b)
        for o in sorted(left):
            a, b = self._steps.moved(left[o]), self._steps.moved(right.get(o, {}))
            scale = 1 / next(iter(a.values()))
            word = (*belief.word, o)
            yield Belief(belief.pair, scaled(a, scale), scaled(b, scale), word)

    def _is_new(self, belief: Belief) -> bool:
        supports = frozenset(belief.a), frozenset(belief.b)
        for (a, b), kept in self._kept.items():
            if supports[0] <= a and b <= supports[1] and any(old.dominates(belief) for old in kept):
                return False
        self._kept.setdefault(supports, []).append(belief)
        return True


def scaled(vector: Sparse, factor: fmpq) -> Sparse:
    """The vector times a number that is not 0."""
    return {s: x * factor for s, x in vector.items()}


class Extreme(NamedTuple):
    """The greatest quotient of a pair, and a shortest word that has it."""

    pair: int
    ratio: Ratio
    word: Word


def worst(steps: Steps, pairs: Sequence[Sides], horizon: int, clock: Clock) -> list[Extreme]:
    """For every pair the greatest quotient of the words of at most ``horizon`` observations."""
    return [_worst_of(steps, number, sides, horizon, clock) for number, sides in enumerate(pairs)]


def _worst_of(steps: Steps, number: int, sides: Sides, horizon: int, clock: Clock) -> Extreme:
    best = Extreme(number, ZERO, ())
    exploration = Exploration(steps, [sides], clock)
    while exploration.frontier and exploration.depth < horizon:
        level = exploration.level()
        best = improved(best, level)
        exploration.keep(level, partial(_may_exceed, best.ratio))
    return best._replace(pair=number)


def _may_exceed(ratio: Ratio, belief: Belief) -> bool:
    return exceeds(belief.bound, ratio)


def improved(best: Extreme, level: Iterable[Belief]) -> Extreme:
    """The best so far, or the first greater one of a level."""
    for belief in level:
        if exceeds(belief.ratio, best.ratio):
            best = Extreme(belief.pair, belief.ratio, belief.word)
    return best


def violation(
    steps: Steps, pairs: Sequence[Sides], horizon: int, above: Callable[[Ratio], bool], clock: Clock
) -> Extreme | None:
    """A shortest word with a quotient ``above`` the claim; of these the greatest quotient, the first pair."""
    exploration = Exploration(steps, pairs, clock)
    while exploration.frontier and exploration.depth < horizon:
        level = exploration.level()
        found = improved(Extreme(0, ZERO, ()), level)
        if above(found.ratio):
            return found
        exploration.keep(level, lambda belief: above(belief.bound))
    return None
