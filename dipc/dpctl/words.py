"""D on Markov decision processes: two states under every infinite word of actions, the same from both.

A finite word leads from two states to two distributions over the nodes of a product with an automaton.  The
tree of all words is searched breadth first; words that lead to the same pair are one.  With hi and lo, the
largest and least probabilities over all schedulers, a pair (mu, nu) is *closed* if no continuation can break
an inequality: mu.hi <= e^epsilon nu.lo + delta and the same with mu and nu exchanged.  At the root that is
Proposition 2 of Liu, Wang and Zhang.  A pair is a counterexample if the word a a a ... breaks one from there
on.  The problem is undecidable (their Theorem 1), so pairs may stay open at the limits.

Nodes where hi = lo become that number: nothing depends on the actions any more.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, NamedTuple, TypeVar

from flint import fmpq

from dipc.dpctl.progression import Progression
from dipc.dpctl.schedulers import Product, sign_of
from dipc.errors import InternalError, LimitReached
from dipc.models.chain import Row
from dipc.models.linear import Tick, increase, silent
from dipc.numbers.quotient import Quotient

K = TypeVar("K", fmpq, Quotient)
Word = tuple[int, ...]
Number = fmpq | Quotient
MOST_NODES = 20_000
DEPTH = 8


class Pair(NamedTuple, Generic[K]):
    """Where a word leads from two states; the probability of what is settled as false is left out."""

    left: Row[K]
    right: Row[K]
    word: Word = ()


@dataclass(frozen=True, slots=True)
class Steps(Generic[K]):
    """Distributions over nodes: ``entered[n]`` is where entering the node n leads, the node itself or the
    last one, ``yes``, with the probability that is settled there; ``kinds[n][a]`` is the first
    action like a."""

    product: Product[K]
    entered: Sequence[Row[K]]
    kinds: Sequence[Word]

    @property
    def yes(self) -> int:
        """The node of what is settled as true."""
        return len(self.product.rows)

    @staticmethod
    def of(product: Product[K], settled: Sequence[K | None]) -> Steps[K]:
        """The distributions over the nodes of a product; ``settled[n]`` is a probability that is certain."""
        yes, entered = len(product.rows), list[Row[K]]()
        for n, value in enumerate(settled):
            row: Row[K] = ((n, product.one),) if value is None else ((yes, value),) if value else ()
            entered.append(row)
        kinds = []
        for rows in product.rows:
            first: dict[Row[K], int] = {}
            kinds.append(tuple(first.setdefault(row, a) for a, row in enumerate(rows)))
        return Steps(product, entered, kinds)

    def root(self, s: int, t: int) -> Pair[K]:
        """The pair of two states under the empty word."""
        return Pair(self.entered[self.product.start[s]], self.entered[self.product.start[t]])

    def following(self, pair: Pair[K]) -> Iterator[Pair[K]]:
        """The pairs after one more action; of actions with equal effect, the first."""
        nodes = [n for n, _ in (*pair.left, *pair.right) if n != self.yes]
        seen = set()
        for a in range(len(self.product.rows[0])):
            if (kind := tuple(self.kinds[n][a] for n in nodes)) not in seen:
                seen.add(kind)
                yield self.after(pair, a)

    def after(self, pair: Pair[K], action: int) -> Pair[K]:
        """The pair after this action."""
        left, right = self._step(pair.left, action), self._step(pair.right, action)
        return Pair(left, right, (*pair.word, action))

    def _step(self, distribution: Row[K], action: int) -> Row[K]:
        found: dict[int, K] = {}
        for n, weight in distribution:
            if n == self.yes:
                increase(found, n, weight)
                continue
            for target, p in self.product.rows[n][action]:
                for entered, q in self.entered[target]:
                    increase(found, entered, weight * p * q)
        return tuple(sorted(found.items()))

    def is_settled(self, pair: Pair[K]) -> bool:
        """Whether the rest of the word does not matter."""
        return all(n == self.yes for n, _ in (*pair.left, *pair.right))

    def outcomes(self, s: int, t: int, tick: Tick = silent) -> Iterator[tuple[K, K, Word]]:
        """For a bounded formula: the different pairs of probabilities, each with its first word."""
        level, seen = [self.root(s, t)], dict[tuple[object, ...], None]()
        nothing = self.product.one - self.product.one
        while level:
            following = []
            for pair in level:
                tick()
                if self.is_settled(pair):
                    yield (
                        dict(pair.left).get(self.yes, nothing),
                        dict(pair.right).get(self.yes, nothing),
                        pair.word,
                    )
                    continue
                for child in self.following(pair):
                    if (key := child[:2]) not in seen:
                        seen[key] = None
                        following.append(child)
            if len(seen) > MOST_NODES:
                raise LimitReached(f"the words lead to more than {MOST_NODES} pairs of distributions")
            level = following


@dataclass(slots=True)
class Bound:
    """The inequalities p <= factor*q + delta and q <= factor*p + delta.

    While a least parameter is looked for, ``least`` is "epsilon" or "delta" and the bound grows just enough
    to allow every pair that is found; ``factor`` None is infinite.
    """

    factor: Number | None
    delta: Number
    least: str = ""
    attained: tuple[int, int] | None = None

    def breaks(self, p: Number, q: Number) -> bool:
        """Whether p is too large."""
        if self.factor is None:
            return False
        return sign_of(self.excess(p, q)) > 0

    def excess(self, p: Number, q: Number) -> Number:
        """p - factor*q - delta, for a finite factor."""
        assert self.factor is not None
        return _minus(p, self.factor * q + self.delta)

    @property
    def parameter(self) -> Number | None:
        """The least parameter that was found so far."""
        return self.factor if self.least == "epsilon" else self.delta

    def needed(self, p: Number, q: Number) -> Number:
        """The least delta for this pair and the factor, which may be negative."""
        assert self.factor is not None, "a least epsilon is infinite"
        return _minus(p, self.factor * q)

    def grow(self, p: Number, q: Number) -> None:
        """Allow a pair that breaks the bound."""
        if self.least == "delta":
            self.delta = self.needed(p, q)
        else:
            self.factor = _minus(p, self.delta) / q if q else None

    def widened(self, pairs: Iterable[tuple[Number, Number]]) -> Bound:
        """The bound grown to allow these pairs too."""
        wider = replace(self)
        for p, q in pairs:
            if wider.breaks(p, q):
                wider.grow(p, q)
        return wider


def _minus(left: Number, right: Number) -> Number:
    return left + -right


class Breach(NamedTuple):
    """Two states under a word, prefix cycle cycle ..., with p > e^epsilon q + delta; no cycle if the rest of
    the word does not matter.  ``flipped`` if p belongs to the second state."""

    flipped: bool
    p: Number
    q: Number
    prefix: Word
    cycle: Word


@dataclass(frozen=True, slots=True)
class Found:
    """What the search found: a counterexample, or none and the range [low, high] of the least delta if some
    pairs stay open, or a proof (all None).  While a least parameter is looked for, ``wider`` is a bound that
    allows whatever stays open."""

    breach: Breach | None = None
    low: Number | None = None
    high: Number | None = None
    wider: Bound | None = None


class Tree(Generic[K]):
    """The words of actions from pairs of states, for one path formula."""

    def __init__(self, product: Product[K], tick: Tick, depth: int = DEPTH, most: int = MOST_NODES) -> None:
        self.tick: Tick = tick
        self.depth: int = depth
        self.most: int = most
        one: K = product.one
        self.zero: K = one - one
        self.high: list[K] = product.maximum(tick)
        self.low: list[K] = product.minimum(tick)
        certain = [hi if hi == lo else None for hi, lo in zip(self.high, self.low, strict=True)]
        self.steps: Steps[K] = Steps.of(product, certain)
        actions = range(len(product.rows[0]))
        self.repeated: list[list[K]] = [product.under(a).maximum(tick) for a in actions]
        self.high.append(one)
        self.low.append(one)
        for values in self.repeated:
            values.append(one)
        monitor = product.monitor
        self.settles = monitor.settles if isinstance(monitor, Progression) else None

    def search(self, s: int, t: int, bound: Bound) -> Found:
        """Look for a word that breaks the bound, the shortest prefix first; a bound that grows is changed."""
        root = self.steps.root(s, t)
        waiting, seen = deque([root]), {root[:2]}
        left_open: list[Pair[K]] = []
        tried: dict[tuple[K, K], None] = {}
        while waiting:
            self.tick()
            pair = waiting.popleft()
            if self._closed(pair, bound):
                continue
            for a, values in enumerate(self.repeated):
                p, q = self._mean(pair.left, values), self._mean(pair.right, values)
                tried[p, q] = None
                while (breach := self._breach(pair, a, p, q, bound)) is not None:
                    if not bound.least:
                        return Found(breach)
                    bound.grow(breach.p, breach.q)
                    bound.attained = (t, s) if breach.flipped else (s, t)
                    if bound.factor is None:
                        return Found()
            if len(pair.word) >= self.depth or len(seen) > self.most:
                left_open.append(pair)
                continue
            for child in self.steps.following(pair):
                if child[:2] not in seen:
                    seen.add(child[:2])
                    waiting.append(child)
        still = [pair for pair in left_open if not self._closed(pair, bound)]
        return self._rest(root, still, list(tried), bound)

    def _rest(self, root: Pair[K], still: list[Pair[K]], tried: list[tuple[K, K]], bound: Bound) -> Found:
        """The answer if neither words nor bounds gave one."""
        if not still or (self.settles is not None and self._equal_on_words(root)):
            return Found()
        if self.settles and not bound.least and not bound.delta:
            for pair in still:
                for flipped in (False, True):
                    if (breach := self._possible(pair, flipped)) is not None:
                        return Found(breach)
        extremes = [each for pair in still for each in self._extremes(pair)]
        if bound.least:
            return Found(wider=bound.widened(extremes))
        lows: list[Number] = [bound.needed(*each) for p, q in tried for each in ((p, q), (q, p))]
        highs: list[Number] = [bound.needed(*each) for each in extremes]
        return Found(low=_largest([self.zero, *lows]), high=_largest(highs))

    def _mean(self, distribution: Row[K], values: Sequence[K]) -> K:
        result = self.zero
        for n, weight in distribution:
            result = result + weight * values[n]
        return result

    def _extremes(self, pair: Pair[K]) -> Iterator[tuple[K, K]]:
        """The largest probability from one side and the least from the other, both ways."""
        for left, right in ((pair.left, pair.right), (pair.right, pair.left)):
            yield self._mean(left, self.high), self._mean(right, self.low)

    def _closed(self, pair: Pair[K], bound: Bound) -> bool:
        return not any(bound.breaks(hi, lo) for hi, lo in self._extremes(pair))

    def _breach(self, pair: Pair[K], action: int, p: K, q: K, bound: Bound) -> Breach | None:
        for flipped, large, small in ((False, p, q), (True, q, p)):
            if bound.breaks(large, small):
                return Breach(flipped, large, small, *self._trimmed(pair, action))
        return None

    def _trimmed(self, pair: Pair[K], action: int) -> tuple[Word, Word]:
        """The word with its cycle written out, if the probabilities are settled after some actions."""
        prefix = pair.word
        for _ in range(len(self.steps.product.rows)):
            if self.steps.is_settled(pair):
                return pair.word, ()
            pair = self.steps.after(pair, action)
        return prefix, (action,)

    def _possible(self, pair: Pair[K], flipped: bool) -> Breach | None:
        """For a co-safe formula: a word that may satisfy it on one side where it never does on the other."""
        large, small = (pair.right, pair.left) if flipped else (pair.left, pair.right)
        if self._mean(small, self.high) or not self._mean(large, self.high):
            return None
        for a in self._way([n for n, _ in large if self.high[n]]):
            pair = self.steps.after(pair, a)
        p = self._mean(pair.right if flipped else pair.left, self.repeated[0])
        return Breach(flipped, p, self.zero, *self._trimmed(pair, 0))

    def _way(self, nodes: list[int]) -> Word:
        """The actions on a shortest path from one of these nodes to where the formula is true."""
        words: dict[int, Word] = dict.fromkeys(nodes, ())
        n: int
        for n in nodes:  # grows while it is read
            if n == self.steps.yes or self.steps.product.truth[n]:
                return words[n]
            actions: Sequence[Row[K]] = self.steps.product.rows[n]
            for a, row in enumerate(actions):
                for target, _ in row:
                    if target not in words and self.high[target]:
                        words[target] = (*words[n], a)
                        nodes.append(target)
        raise InternalError("a co-safe formula can become true wherever its probability is positive")

    def _equal_on_words(self, root: Pair[K]) -> bool:
        """Whether the two sides have settled equally after every finite word, so their limits are equal.

        Source: Tzeng, *A polynomial-time algorithm for the equivalence of probabilistic automata*, 1992: a
        basis of the differences of the distributions is enough.
        """
        difference = dict(root.left)
        for n, weight in root.right:
            increase(difference, n, -weight)
        basis: dict[int, dict[int, K]] = {}
        waiting = [difference]
        while waiting:
            self.tick()
            vector = _reduced(waiting.pop(), basis)
            if not vector:
                continue
            basis[min(vector)] = vector
            waiting += [dict(self.steps._step(tuple(vector.items()), a)) for a in range(len(self.repeated))]
        return not any(self._undecided_difference(vector) for vector in basis.values())

    def _undecided_difference(self, vector: dict[int, K]) -> bool:
        """Whether the functional that tends to the probability is not 0."""
        if self.settles:
            return bool(vector.get(self.steps.yes, self.zero))
        return bool(sum(vector.values(), self.zero))


def _reduced(vector: dict[int, K], basis: dict[int, dict[int, K]]) -> dict[int, K]:
    """A vector minus multiples of a basis, each of which has its own first coordinate, with 1 there."""
    vector = {n: x for n, x in vector.items() if x}
    while vector:
        rest = [n for n in vector if n in basis]
        if not rest:
            break
        n = min(rest)
        factor = vector[n]
        for m, x in basis[n].items():
            increase(vector, m, -(factor * x))
        vector = {m: x for m, x in vector.items() if x}
    if not vector:
        return vector
    lead = vector[min(vector)]
    return {n: x / lead for n, x in vector.items()}


def _largest(numbers: Sequence[Number]) -> Number:
    best = numbers[0]
    for number in numbers[1:]:
        if sign_of(_minus(number, best)) > 0:
            best = number
    return best
