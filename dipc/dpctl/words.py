"""D on Markov decision processes: two states under every infinite word of actions, the same from both.

A finite word leads from two states to two distributions over the nodes of a product with an automaton.  All
words are searched breadth first; those that lead to the same pair are one.  With hi and lo, the largest and
least probabilities over all schedulers, a pair (mu, nu) is *closed* if no continuation can break an
inequality: mu.hi <= e^epsilon nu.lo + delta and the same with mu and nu exchanged.  At the root that is
Proposition 2 of Liu, Wang and Zhang.  A pair is a counterexample if the word a a a ... breaks one from there
on.  The problem is undecidable (their Theorem 1), so pairs may stay open at the limits.

A word that meets no closed pair, and no limit, visits some pair infinitely often.  In a weak automaton
(:mod:`dipc.dpctl.language`) its probabilities are those of the marks in that pair, which are compared.  With
other automata such a pair stays open, unless its shortest cycle is a counterexample.

Nodes where hi = lo become that number: nothing depends on the actions any more.  Whether two states have the
same probability under every word is decided first, by :mod:`dipc.dpctl.language`: then D holds for all
parameters, and otherwise ``D[0, 0]`` fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from dipc.clock import Tick
from dipc.dpctl.bounds import Bound, Number, Outcome, Searched
from dipc.dpctl.language import Language, Lasso, along
from dipc.dpctl.schedulers import Product, Sign, largest, sign_of
from dipc.dpctl.steps import MOST_NODES, Distribution, Pair, Steps, Word
from dipc.models.graph import components

DEPTH = 8


class Tree(Steps):
    """The words of actions from pairs of states, for one path formula."""

    def __init__(
        self,
        product: Product[Any],
        tick: Tick,
        depth: int = DEPTH,
        most: int = MOST_NODES,
        sign: Sign = sign_of,
    ) -> None:
        """``sign`` compares functions of eps on a piece of their range."""
        high, low = product.maximum(tick, sign), product.minimum(tick, sign)
        super().__init__(product, [p if p == q else None for p, q in zip(high, low, strict=True)], tick)
        self.depth, self.most = depth, most
        self.high, self.low = [*high, product.one], [*low, product.one]
        self.repeated = [along(product, (), (a,), tick) for a in range(len(product.rows[0]))]
        self.language = Language(self, self.repeated) if sign is sign_of else None

    def search(self, s: int, t: int, bound: Bound) -> Searched:
        """Look for a word that breaks the bound, the shortest prefix first; a bound that grows is changed."""
        root = self.root(s, t)
        if self.language is not None and not self._closed(root, bound):
            difference = self.language.difference(root)
            if difference is True:
                return Searched()
            if isinstance(difference, tuple) and bound.is_equality:
                return Searched(self._told_apart(s, t, root, difference))
        waiting, number = [root], {root[:2]: 0}
        following: dict[int, list[tuple[int, int]]] = {}
        left_open: list[Pair] = []
        tried: dict[tuple[Number, Number], None] = {}
        for place, pair in enumerate(waiting):  # grows while it is read
            self.tick()
            if self._closed(pair, bound):
                continue
            for lasso in self.repeated:
                if breach := self._breach(s, t, pair, lasso.values, lasso.cycle, bound, tried):
                    return Searched(breach)
            if len(pair.word) >= self.depth or len(number) > self.most:
                left_open.append(pair)
                continue
            following[place] = []
            for a, child in self.children(pair):
                if child[:2] not in number:
                    number[child[:2]] = len(waiting)
                    waiting.append(child)
                following[place].append((number[child[:2]], a))
        for place, cycle in _cycles(following):
            pair = waiting[place]
            under = self.marks if self.is_weak else along(self.product, (), cycle, self.tick).values
            if breach := self._breach(s, t, pair, under, cycle, bound, tried):
                return Searched(breach)
            if not self.is_weak:
                left_open.append(pair)
        still = [pair for pair in left_open if not self._closed(pair, bound)]
        return self._open(s, t, still, bound, tried) if still else Searched()

    def _breach(
        self,
        s: int,
        t: int,
        pair: Pair,
        values: Sequence[Number],
        cycle: Word,
        bound: Bound,
        tried: dict[tuple[Number, Number], None],
    ) -> Outcome | None:
        """What breaks the bound if a cycle is repeated from a pair on; a bound that grows allows it."""
        p, q = self._mean(pair.left, values), self._mean(pair.right, values)
        tried[p, q] = None
        for each in (Outcome(s, t, p, q), Outcome(t, s, q, p)):
            if bound.breaks(each.p, each.q):
                if not bound.least:
                    return self._with_word(each, pair, cycle)
                bound.grow(each)
        return None

    def _open(
        self, s: int, t: int, still: list[Pair], bound: Bound, tried: Iterable[tuple[Number, Number]]
    ) -> Searched:
        """What is known if some pairs stay open."""
        if self.language is None:  # comparing more functions would only cut the range
            return Searched(low=self.zero, high=self.product.one)
        if not bound.least and not bound.delta:
            for pair in still:  # with no probability on one side, any on the other is too large
                one_side = bool(self._mean(pair.left, self.high)) is not bool(
                    self._mean(pair.right, self.high)
                )
                if one_side and isinstance(difference := self.language.difference(pair), tuple):
                    return Searched(self._told_apart(s, t, pair, difference))
        extremes = [each for pair in still for each in self._extremes(pair)]
        if bound.least:
            return Searched(wider=bound.widened(extremes))
        lows = [bound.needed(*each) for p, q in tried for each in ((p, q), (q, p))]
        highs = [bound.needed(*each) for each in extremes]
        return Searched(low=largest([self.zero, *lows]), high=largest(highs))

    def _mean(self, distribution: Distribution, values: Sequence[Number]) -> Number:
        return sum((weight * values[n] for n, weight in distribution), self.zero)

    def _extremes(self, pair: Pair) -> Iterator[tuple[Number, Number]]:
        """The largest probability from one side and the least from the other, both ways."""
        for left, right in ((pair.left, pair.right), (pair.right, pair.left)):
            yield self._mean(left, self.high), self._mean(right, self.low)

    def _closed(self, pair: Pair, bound: Bound) -> bool:
        return not any(bound.breaks(hi, lo) for hi, lo in self._extremes(pair))

    def _told_apart(self, s: int, t: int, pair: Pair, difference: tuple[Word, Lasso]) -> Outcome:
        """Two different probabilities, under a word and what follows it; the larger one first."""
        word, lasso = difference
        for a in word:
            pair = self.after(pair, a)
        p, q = (self._mean(side, lasso.values) for side in pair[:2])
        for a in lasso.prefix:
            pair = self.after(pair, a)
        larger = Outcome(s, t, p, q) if sign_of(p - q) > 0 else Outcome(t, s, q, p)
        return self._with_word(larger, pair, lasso.cycle)

    def _with_word(self, breach: Outcome, pair: Pair, cycle: Word) -> Outcome:
        """The breach by a cycle repeated from a pair on, written out if it settles the probabilities."""
        prefix = pair.word
        for place in range(len(self.product.rows)):
            if self.is_settled(pair):
                return breach._replace(prefix=pair.word)
            pair = self.after(pair, cycle[place % len(cycle)])
        return breach._replace(prefix=prefix, cycle=cycle)


def _cycles(following: dict[int, list[tuple[int, int]]]) -> Iterator[tuple[int, Word]]:
    """The pairs on cycles, each with a shortest word that leads back to it."""
    found = {place: set(members) for members in components(following, following) for place in members}
    for start in sorted(found):
        words: dict[int, Word] = {}
        queue: list[tuple[int, Word]] = [(start, ())]
        for place, word in queue:  # grows while it is read
            for target, a in following[place]:
                if target in found[start] and target not in words:
                    words[target] = (*word, a)
                    queue.append((target, words[target]))
        if start in words:
            yield start, words[start]
