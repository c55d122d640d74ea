"""``D[e, d](X^k f)`` for every number k of steps, on chains and decision processes, for a state formula f.

Let hi_k(n) and lo_k(n) be the largest and the least probability, over all schedulers, that f holds k steps
after the state n.  Bounds of these that are valid for all k >= K settle all large k at once:

* In a set of states that is never left, no hi_k with k >= K is larger than the maximum of hi_K over the set,
  as a step only takes means.  With the common period P of such sets, ``K, K + P, K + 2 P, ...`` are bounded
  together, and only the states of one cyclic class count.
* Elsewhere the largest mean of the bounds one step later is a bound; it is 0 where f cannot be reached.

On a chain these bounds tend to the limits of the probabilities. So if ``p <= e^e q + d`` is strict in the
limit for each residue of k modulo P, some K is large enough; smaller k are tried. If a limit is a tie, this
is the positivity problem of linear recurrences, whose decidability is open. Then it may help that a measure
is signed: after a word that leads to mu and nu, ``p - e^e q <= sum of w(n) V(n)`` with w = mu - e^e nu,
where V bounds hi_k for all k >= 1 if w(n) > 0, and lo_k otherwise.

For e = d = 0 this is language equivalence, decided by the span of the differences after all finite words
(Tzeng, see :mod:`dipc.dpctl.language`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from math import gcd, lcm
from typing import Any

from dipc.clock import Tick
from dipc.dpctl.bounds import Bound, Number, Outcome, Searched
from dipc.dpctl.formula import Truth
from dipc.dpctl.language import independent
from dipc.dpctl.progression import Progression
from dipc.dpctl.schedulers import Product, expected, largest, sign_of
from dipc.dpctl.steps import MOST_NODES, Distribution, Pair, Steps
from dipc.models.chain import Mdp, Row
from dipc.models.graph import components, reaching
from dipc.models.linear import increase

Vector = list[Number]
States = frozenset[int]
LONGEST = 500  # steps that are tried of a chain
LOOKAHEAD = 40  # steps after which the bounds V are taken
MOST_PERIODS = 1000


class EveryStep:
    """The search for a number of steps, and a word, that break an inequality."""

    def __init__(self, mdp: Mdp[Any], goal: States, one: Number, tick: Tick, depth: int) -> None:
        self.goal, self.one, self.zero, self.tick = goal, one, one - one, tick
        self.rows: list[list[Row[Any]]] = [list(dict.fromkeys(rows)) for rows in mdp.rows]
        self.actions, states = range(len(mdp.actions)), range(len(mdp.rows))
        marks, monitor = [frozenset([0])] * len(states), Progression(Truth(True), (), {}, (), (), False)
        product = Product(mdp.rows, states, marks, [None] * len(states), monitor, one)
        self.steps = Steps(product, [None if s in self._alive else self.zero for s in states], tick)
        self.depth = depth if len(mdp.actions) > 1 else LONGEST

    def search(self, s: int, t: int, bound: Bound) -> Searched:
        """A number of steps and a word that break the bound, the least number first, or a proof."""
        if (differs := self._equal(s, t)) is None:
            return Searched()
        if bound.is_equality:
            return Searched(differs)
        worst, open_pairs = [self.zero], []
        level = [Pair(((s, self.one),), ((t, self.one),))]
        seen: set[object] = set()
        for k in range(self.depth + 1):
            following: list[Pair] = []
            settled = self._settled_after(k, s, t, bound)
            for pair in level:
                self.tick()
                for each in self._outcomes(s, t, pair):
                    if bound.breaks(each.p, each.q):
                        return Searched(each)
                    worst.append(bound.needed(each.p, each.q))
                if settled or (excess := self._excess(pair, bound)) is None:
                    continue
                if k == self.depth or len(seen) > MOST_NODES:
                    open_pairs.append(excess)
                    continue
                for _, child in self.steps.children(pair):
                    if child[:2] not in seen:
                        seen.add(child[:2])
                        following.append(child)
            level, seen = following, {each[:2] for each in following}
        if not open_pairs:
            return Searched()
        return Searched(low=largest(worst), high=largest(open_pairs))

    def _equal(self, s: int, t: int) -> Outcome | None:
        """A shortest word after which the probabilities differ."""

        def following(vector: Distribution) -> Iterator[tuple[int, Distribution]]:
            return ((a, self.steps.step(vector, a)) for a in self.actions)

        start: Distribution = ((s, self.one), (t, -self.one))
        for word, _, vector in independent([((), start)], following, lambda n: n, self.tick):
            if sum((x for n, x in vector.items() if n in self.goal), self.zero):
                pair = Pair(((s, self.one),), ((t, self.one),))
                for a in word:
                    pair = self.steps.after(pair, a)
                return next(each for each in self._outcomes(s, t, pair) if sign_of(each.p - each.q) > 0)
        return None

    def _outcomes(self, s: int, t: int, pair: Pair) -> tuple[Outcome, Outcome]:
        """The probabilities of the goal after a word, both ways."""
        left, right, word = pair
        p, q = (sum((x for n, x in side if n in self.goal), self.zero) for side in (left, right))
        prefix = word if len(self.actions) > 1 else ()
        return Outcome(s, t, p, q, prefix, (), len(word)), Outcome(t, s, q, p, prefix, (), len(word))

    # --- bounds --------------------------------------------------------------------------------------

    def _excess(self, pair: Pair, bound: Bound) -> Number | None:
        """None if no longer word breaks the bound, else the delta that would surely do."""
        high, low = self._limits
        found: list[Number] = []
        for left, right in ((pair.left, pair.right), (pair.right, pair.left)):
            weights = dict(left)
            for n, x in right:
                increase(weights, n, -(bound.factor * x))
            terms = [x * (high if sign_of(x) > 0 else low)[n] for n, x in weights.items()]
            found.append(sum(terms, self.zero))
        worst = largest(found)
        return worst if sign_of(worst - bound.delta) > 0 else None

    def _settled_after(self, k: int, s: int, t: int, bound: Bound) -> bool:
        """Whether no word of more than k actions breaks the bound."""
        if self._period > MOST_PERIODS:
            return False
        for j in range(k + 1, k + 1 + self._period):
            high, low = self._most[j], self._least[j]
            if bound.breaks(high[s], low[t]) or bound.breaks(high[t], low[s]):
                return False
        return True

    @cached_property
    def _alive(self) -> set[int]:
        """The states from which the goal can be reached."""
        edges = [[edge for row in rows for edge in row] for rows in self.rows]
        return reaching(edges, self.goal, range(len(edges)))

    @cached_property
    def _classes(self) -> tuple[int, list[States]]:
        """The common period of the sets that are never left; their cyclic classes, and all states."""
        edges = [[edge for row in rows for edge in row] for rows in self.rows]
        found, everything = [], frozenset(range(len(edges)))
        for part in components(edges, everything):
            members = set(part)
            if all(t in members for n in part for t, _ in edges[n]):
                found.append(_cyclic(edges, part))
        period = lcm(*(each[0] for each in found))
        return period, [everything, *(group for _, groups in found for group in groups)]

    @property
    def _period(self) -> int:
        return self._classes[0]

    @cached_property
    def _most(self) -> _Bounds:
        start = [self.one if n in self._alive else self.zero for n in range(len(self.rows))]
        return _Bounds(self, start, largest)

    @cached_property
    def _least(self) -> _Bounds:
        return _Bounds(self, [self.zero] * len(self.rows), _smallest)

    @cached_property
    def _limits(self) -> tuple[Vector, Vector]:
        """Bounds of hi_k and lo_k for all k >= 1."""
        return self._most.for_all(LOOKAHEAD, self._period), self._least.for_all(LOOKAHEAD, self._period)


class _Bounds:
    """For every k a bound, from above or below, of the probabilities after k, k + P, k + 2 P, ... steps."""

    def __init__(self, every: EveryStep, start: Vector, best: Callable[[Sequence[Number]], Number]) -> None:
        self.every, self.best = every, best
        self.worst = _smallest if best is largest else largest
        goal = [every.one if n in every.goal else every.zero for n in range(len(start))]
        self.values, self.bounds = [goal], [self._tightened(start, goal)]

    def __getitem__(self, k: int) -> Vector:
        while len(self.bounds) <= k:
            self.every.tick()
            self.values.append(self._step(self.values[-1]))
            self.bounds.append(self._tightened(self._step(self.bounds[-1]), self.values[-1]))
        return self.bounds[k]

    def for_all(self, ahead: int, period: int) -> Vector:
        """A bound for all k >= 1."""
        last = [self[k] for k in range(ahead + 1, ahead + 1 + min(period, MOST_PERIODS))]
        each = zip(*self.values[1 : ahead + 1], *last, strict=True)
        return [self.best(list(dict.fromkeys(values))) for values in each]

    def _step(self, values: Vector) -> Vector:
        return [self.best([expected(row, values) for row in rows]) for rows in self.every.rows]

    def _tightened(self, bounds: Vector, values: Vector) -> Vector:
        """The bounds, or the extreme values in a set that is never left, if these are tighter."""
        for group in self.every._classes[1]:
            extreme = self.best([values[n] for n in group])
            for n in group:
                bounds[n] = self.worst([bounds[n], extreme])
        return bounds


def _smallest(numbers: Sequence[Number]) -> Number:
    return -largest([-number for number in numbers])


def _cyclic(edges: Sequence[Sequence[tuple[int, Any]]], part: Sequence[int]) -> tuple[int, list[States]]:
    """The period of a strongly connected component, and its cyclic classes."""
    depth, queue, period = {part[0]: 0}, [part[0]], 0
    for n in queue:  # grows while it is read
        for t, _ in edges[n]:
            if t not in depth:
                depth[t] = depth[n] + 1
                queue.append(t)
            period = gcd(period, depth[n] + 1 - depth[t])
    classes: dict[int, set[int]] = {}
    for n, steps in depth.items():
        classes.setdefault(steps % period, set()).add(n)
    return period, [frozenset(members) for members in classes.values()]
