"""Words of actions from two states: the pairs of distributions over the nodes of a product that they lead to.

Nodes at which the probability of the formula is known whatever follows become that number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from dipc.clock import Tick
from dipc.dpctl.bounds import Number, Outcome
from dipc.dpctl.progression import Progression
from dipc.dpctl.schedulers import Product
from dipc.errors import LimitReached
from dipc.models.chain import Row
from dipc.models.linear import increase

Word = tuple[int, ...]
Distribution = Row[Any]
MOST_NODES = 20_000


class Pair(NamedTuple):
    """Where a word leads from two states; the probability of what is settled as false is left out."""

    left: Distribution
    right: Distribution
    word: Word = ()


class Steps:
    """Distributions over nodes.

    ``settled[n]`` is a probability that is certain at the node n: entering it leads to the node ``yes``, the
    last one, with that probability.
    """

    def __init__(self, product: Product[Any], settled: Sequence[Number | None], tick: Tick) -> None:
        self.product, self.tick, self.yes = product, tick, len(product.rows)
        self.zero: Number = product.one - product.one
        self.is_weak = isinstance(product.monitor, Progression) and product.monitor.is_weak
        self.marks = [*(product.one if marks else self.zero for marks in product.marks), product.one]
        self.entered: list[Distribution] = []
        for n, value in enumerate(settled):
            row: Distribution = (
                ((n, product.one),) if value is None else ((self.yes, value),) if value else ()
            )
            self.entered.append(row)
        self.kinds: list[Word] = []  # for every node and action, the first action like it
        for rows in product.rows:
            first: dict[Distribution, int] = {}
            self.kinds.append(tuple(first.setdefault(row, a) for a, row in enumerate(rows)))

    def root(self, s: int, t: int) -> Pair:
        """The pair of two states under the empty word."""
        return Pair(self.entered[self.product.start[s]], self.entered[self.product.start[t]])

    def children(self, pair: Pair) -> Iterator[tuple[int, Pair]]:
        """The pairs after one more action; of actions with equal effect, the first."""
        nodes = [n for n, _ in (*pair.left, *pair.right) if n != self.yes]
        kinds: dict[Word, int] = {}
        for a in range(len(self.product.rows[0])):
            kinds.setdefault(tuple(self.kinds[n][a] for n in nodes), a)
        return ((a, self.after(pair, a)) for a in kinds.values())

    def after(self, pair: Pair, action: int) -> Pair:
        left, right = self.step(pair.left, action), self.step(pair.right, action)
        return Pair(left, right, (*pair.word, action))

    def step(self, distribution: Distribution, action: int) -> Distribution:
        found: dict[int, Number] = {}
        for n, weight in distribution:
            if n == self.yes:
                increase(found, n, weight)
                continue
            for target, p in self.product.rows[n][action]:
                for entered, q in self.entered[target]:
                    increase(found, entered, weight * p * q)
        return tuple(sorted(found.items()))

    def is_settled(self, pair: Pair) -> bool:
        """Whether the rest of the word does not matter."""
        return all(n == self.yes for n, _ in (*pair.left, *pair.right))

    def outcomes(self, s: int, t: int) -> Iterator[Outcome]:
        """For a bounded formula: the different pairs of probabilities, each with its first word."""
        waiting, seen = [self.root(s, t)], set[object]()
        for pair in waiting:  # grows while it is read
            self.tick()
            if self.is_settled(pair):
                p, q = (sum((weight for _, weight in side), self.zero) for side in pair[:2])
                yield Outcome(s, t, p, q, pair.word)
                continue
            for _, child in self.children(pair):
                if child[:2] not in seen:
                    seen.add(child[:2])
                    waiting.append(child)
            if len(seen) > MOST_NODES:
                raise LimitReached(f"the words lead to more than {MOST_NODES} pairs of distributions")
