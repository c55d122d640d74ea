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

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import inf
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

    def after(self, belief: Sparse, word: Word) -> Sparse:
        """A vector after more observations."""
        for o in word:
            belief = self.moved(self.filtered(belief).get(o, {}))
        return belief

    def probability(self, start: Sparse, word: Word) -> fmpq:
        """P(word | start)."""
        return sum(self.after(start, word).values(), ZERO)

    def text(self, word: Word) -> tuple[str, ...]:
        """The observations of a word."""
        return tuple(self.names[o] for o in word)


class Belief(NamedTuple):
    """A pair of vectors for the compared pair with this number, after the ``word``.

    ``ratio`` is P(word | left) / P(word | right), once there is a word.
    """

    pair: int
    a: Sparse
    b: Sparse
    word: Word = ()
    ratio: Ratio = ONE

    @property
    def bound(self) -> Ratio:
        """No continuation has a greater quotient."""
        return greatest(quotient(x, self.b.get(s, ZERO)) for s, x in self.a.items())

    @property
    def scaled(self) -> Belief:
        """The same up to a factor: the first entry of a is 1."""
        scale = 1 / next(iter(self.a.values()))
        return self._replace(a=scaled(self.a, scale), b=scaled(self.b, scale))

    def dominates(self, other: Belief) -> bool:
        """Whether all continuations have at least the quotients of the other's."""
        if not (other.a.keys() <= self.a.keys() and self.b.keys() <= other.b.keys()):
            return False
        if not self.b:
            return True
        most = min(other.b[s] / x for s, x in self.b.items())
        return all(x <= most * self.a[s] for s, x in other.a.items())


class Part(NamedTuple):
    """What follows one observation: the next states, and its probability."""

    after: Sparse
    mass: fmpq


UNSEEN = Part({}, ZERO)


class Exploration:
    """Levels of beliefs, from those before any observation."""

    def __init__(self, steps: Steps, pairs: Sequence[Sides], clock: Clock, remember: bool = False) -> None:
        """``remember``: let earlier levels dominate, too; that is worth its time if the search may end."""
        self._steps, self._clock, self._remember = steps, clock, remember
        self.frontier = [Belief(i, *sides) for i, sides in enumerate(pairs)]
        self._kept: list[Belief] = []
        self._parts: dict[int, Mapping[int, Part]] = {}
        self.depth = self.explored = 0

    def level(self) -> list[Belief]:
        """The beliefs after one more observation, in the order of pairs and words."""
        self.depth += 1
        self._parts.clear()
        return [child for belief in self.frontier for child in self._children(belief)]

    def keep(self, level: Iterable[Belief], is_open: Callable[[Belief], bool]) -> None:
        """Go on from the beliefs of a level that are open (not settled) and not dominated."""
        if not self._remember:
            self._kept.clear()
        # by quotients: what comes first is not dominated by what comes later, but for ties
        rated = ((b.ratio, b) for b in level if is_open(b))
        strongest = sorted(rated, key=lambda each: (each[0] is None, each[0] or ZERO), reverse=True)
        new = (belief.scaled for _, belief in strongest if self._is_new(belief))
        self.frontier = sorted(new, key=lambda belief: (belief.pair, belief.word))

    def _children(self, belief: Belief) -> Iterator[Belief]:
        self.explored += 1
        self._clock.tick("beliefs", self.explored)
        if self.explored > LARGEST:
            raise LimitReached(f"more than {LARGEST} beliefs")
        left, right = self._after(belief.a), self._after(belief.b)
        for o in sorted(left):
            a, b = left[o], right.get(o, UNSEEN)
            yield Belief(belief.pair, a.after, b.after, (*belief.word, o), quotient(a.mass, b.mass))

    def _after(self, side: Sparse) -> Mapping[int, Part]:
        """The parts by observation; pairs share sides."""
        if (found := self._parts.get(id(side))) is None:
            parts = self._steps.filtered(side).items()
            found = {o: Part(self._steps.moved(x), sum(x.values(), ZERO)) for o, x in parts}
            self._parts[id(side)] = found
        return found

    def _is_new(self, belief: Belief) -> bool:
        if any(old.dominates(belief) for old in self._kept):
            return False
        self._kept.append(belief)
        return True


def scaled(vector: Sparse, factor: fmpq) -> Sparse:
    """The vector times a number that is not 0."""
    return {s: x * factor for s, x in vector.items()}


class Extreme(NamedTuple):
    """The greatest quotient of a pair, and a shortest word that has it."""

    pair: int
    ratio: Ratio
    word: Word


NONE = Extreme(0, ZERO, ())


def improved(best: Extreme, level: Iterable[Belief]) -> Extreme:
    """The best so far, or the first greater one of a level."""
    for belief in level:
        if exceeds(belief.ratio, best.ratio):
            best = Extreme(belief.pair, belief.ratio, belief.word)
    return best


Above = Callable[[Ratio, Extreme], bool]
"""Whether a quotient is too great, given the greatest one so far."""


def explored(
    exploration: Exploration,
    best: Extreme,
    above: Above,
    enough: Callable[[Ratio], bool] = lambda ratio: False,
    bound: Callable[[Belief], Ratio] = lambda belief: belief.bound,
    horizon: float = inf,
    largest: float = inf,
) -> Extreme:
    """The greatest quotient, after levels until no belief may be above or one quotient is enough."""

    def is_open(belief: Belief) -> bool:
        return above(bound(belief), best)

    while exploration.frontier and exploration.depth < horizon and exploration.explored < largest:
        level = exploration.level()
        best = improved(best, level)
        if enough(best.ratio):
            break
        if exploration.depth < horizon:
            exploration.keep(level, is_open)
    return best


def greatest_of(steps: Steps, pairs: Sequence[Sides], horizon: int, clock: Clock) -> Extreme:
    """The greatest quotient of all pairs: one search, in which pairs dominate each other."""
    exploration = Exploration(steps, pairs, clock)
    return explored(exploration, NONE, lambda ratio, best: exceeds(ratio, best.ratio), horizon=horizon)


def violation(
    steps: Steps, pairs: Sequence[Sides], horizon: int, above: Callable[[Ratio], bool], clock: Clock
) -> Extreme | None:
    """A shortest word with a quotient ``above`` the claim; of these the greatest quotient, the first pair."""
    exploration = Exploration(steps, pairs, clock)
    found = explored(exploration, NONE, lambda ratio, best: above(ratio), above, horizon=horizon)
    return found if above(found.ratio) else None
