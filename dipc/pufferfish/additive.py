"""delta > 0: the sum over all words w of a length of max(0, P(w | left) - c P(w | right)).

Level by level, over beliefs (a, b): where a <= c b in every cell nothing is added, where a >= c b in every
cell the whole of a - c b, else the belief is split by the observation; beliefs that are equal up to a factor
are merged.  Exponential in the worst case, and exact: a limit raises LimitReached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import NamedTuple

from flint import fmpq

from dipc.clock import Clock
from dipc.errors import LimitReached
from dipc.pufferfish.beliefs import LARGEST, ONE, ZERO, Ratio, Sides, Sparse, Steps, Word, quotient, scaled

Compare = Callable[[Ratio], int]
"""Whether a quotient is smaller than c (-1), equal (0) or greater (1)."""

MANY = 100_000
"""So many sequences are listed at most."""


class Mass(NamedTuple):
    """The probabilities of a set of words on both sides."""

    left: fmpq
    right: fmpq

    def plus(self, other: Mass, times: fmpq) -> Mass:
        """Another set added, weighted."""
        return Mass(self.left + times * other.left, self.right + times * other.right)


@dataclass(eq=False, slots=True)
class _Node:
    """All words with these beliefs, up to a factor; ``weight`` is the sum of the factors.

    ``parents`` are the ways here: a node of the level before, an observation, and the factor of that step.
    """

    a: Sparse
    b: Sparse
    weight: fmpq
    parents: list[tuple[_Node, int, fmpq]]

    @property
    def mass(self) -> Mass:
        """The probabilities, without the weight."""
        return Mass(sum(self.a.values(), ZERO), sum(self.b.values(), ZERO))

    def words(self) -> Iterator[tuple[Word, fmpq]]:
        """The words with their factors."""
        stack: list[tuple[_Node, Word, fmpq]] = [(self, (), ONE)]
        while stack:
            node, tail, factor = stack.pop()
            if not node.parents:
                yield tail, factor
            stack += [(up, (o, *tail), factor * f) for up, o, f in reversed(node.parents)]


@dataclass(frozen=True, slots=True)
class Excess:
    """The sum is taken over the words of ``nodes``, whose probabilities are ``total``.

    At no later horizon the sum is greater than ``most.left - c most.right``.
    """

    depth: int
    total: Mass
    most: Mass
    nodes: tuple[_Node, ...]

    def words(self, enough: Callable[[Mass], bool]) -> tuple[list[Word], Mass]:
        """Some of these words, those with the greatest quotients first, until their masses are enough."""
        chosen: list[Word] = []
        sum_so_far = Mass(ZERO, ZERO)
        for node in sorted(self.nodes, key=lambda node: node.mass.right / node.mass.left):
            for word, factor in node.words():
                if enough(sum_so_far):
                    return chosen, sum_so_far
                chosen.append(word)
                sum_so_far = sum_so_far.plus(node.mass, factor)
                if len(chosen) > MANY:
                    raise LimitReached(f"more than {MANY} sequences are needed")
        return chosen, sum_so_far


def excesses(steps: Steps, sides: Sides, compare: Compare, clock: Clock) -> Iterator[Excess]:
    """The sum at the horizons 1, 2, ...; it never falls.  It ends when it cannot grow any more."""
    level = [_Node(*sides, ONE, [])]
    settled: list[_Node] = []
    depth = explored = 0
    while level:
        depth, explored = depth + 1, explored + len(level)
        if explored > LARGEST:
            raise LimitReached(f"more than {LARGEST} beliefs")
        merged: dict[object, _Node] = {}
        for node in level:
            clock.tick("horizon", depth)
            _split(steps, node, merged)
        for node in merged.values():  # settled: a >= c b in every cell
            if all(compare(quotient(node.a.get(s, ZERO), x)) >= 0 for s, x in node.b.items()):
                settled.append(node)
        level = [node for node in merged.values() if _is_mixed(node, compare)]
        now = [*settled, *(node for node in level if compare(quotient(*node.mass)) > 0)]
        most = _total(settled)
        for node in level:
            # of the cells with a > c b no continuation makes more
            cells = [s for s, x in node.a.items() if compare(quotient(x, node.b.get(s, ZERO))) > 0]
            parts = (sum((side.get(s, ZERO) for s in cells), ZERO) for side in (node.a, node.b))
            most = most.plus(Mass(*parts), node.weight)
        yield Excess(depth, _total(now), most, tuple(now))


def _total(nodes: Iterable[_Node]) -> Mass:
    total = Mass(ZERO, ZERO)
    for node in nodes:
        total = total.plus(node.mass, node.weight)
    return total


def _split(steps: Steps, node: _Node, merged: dict[object, _Node]) -> None:
    left, right = steps.filtered(node.a), steps.filtered(node.b)
    for o in sorted(left):
        a, b = steps.moved(left[o]), steps.moved(right.get(o, {}))
        factor = sum(a.values(), ZERO)
        a, b = scaled(a, 1 / factor), scaled(b, 1 / factor)
        key = frozenset(a.items()), frozenset(b.items())
        child = merged.setdefault(key, _Node(a, b, ZERO, []))
        child.weight += node.weight * factor
        child.parents.append((node, o, factor))


def _is_mixed(node: _Node, compare: Compare) -> bool:
    """Whether a > c b in some cell and a < c b in some."""
    ratios = [quotient(node.a.get(s, ZERO), x) for s, x in node.b.items()]
    above = node.a.keys() - node.b.keys() or any(compare(ratio) > 0 for ratio in ratios)
    return bool(above) and any(compare(ratio) < 0 for ratio in ratios)


def least_constant(
    steps: Steps, sides: Sides, horizon: int, delta: fmpq, clock: Clock
) -> tuple[Ratio, Excess]:
    """The least c >= 1 with a sum of at most ``delta``, and words with just this sum at this c.

    The sum is a convex, piecewise linear, falling function of c: Newton's method from the left ends at the
    least c after finitely many steps.
    """
    c, reached = ONE, None
    while True:
        *_, last = islice(excesses(steps, sides, partial(_compared, c), clock), horizon)
        left, right = last.total
        if left - c * right <= delta:
            return c, reached or last
        if not right:
            return None, last
        c, reached = (left - delta) / right, last


def _compared(c: fmpq, ratio: Ratio) -> int:
    return 1 if ratio is None or ratio > c else -(ratio < c)
