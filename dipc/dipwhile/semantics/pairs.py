"""All adjacent pairs at once: the product construction of a function with itself and the adjacency.

A pair (u, u') is read cell by cell in the order of declaration.  What has to be remembered is a triple

    (the node of F(u) reached, the node of F(u') reached, the state of the adjacency),

F a decision diagram.  All pairs that lead to a triple are one: only their number and the first of them are
kept.  So 282 million pairs (SVT1 with ten queries) are a few thousand triples.

**The first pair.**  Pairs are ordered by (number of changed cells, u, u'), u and u' in the order of
:class:`InputSpace`.  With S inputs, the place of a pair in this order is compared by its *rank*

    changed * S^2 + position(u) * S + position(u')  =  a sum over the cells of a number that depends on
                                                       the two values of that cell only.

If two pairs agree on the cells still to come, then the one with the smaller rank on the cells read so far
is the smaller one: both gain the same number.  Hence the least rank that leads to a triple is all that
matters, and the least rank at the end is that of the first pair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, Protocol

from dipc.clock import Clock
from dipc.dipwhile.semantics.adjacency import Distance, InputSpace, Pair
from dipc.dipwhile.semantics.diagrams import Diagrams
from dipc.dipwhile.semantics.formulas import Related
from dipc.dipwhile.syntax.core import CoreAdjacency
from dipc.errors import LimitReached
from dipc.models.laws import Pairs

PATIENCE = 4096  # triples between two ticks


class Relation(Protocol):
    """An automaton that reads pairs of inputs cell by cell."""

    @property
    def start(self) -> Any:
        """The state before the first cell."""

    def moves(self, place: int, state: Any) -> list[tuple[int, int, Any]]:
        """``(a, b, next state)`` for the places a, b of the values that the cell may have in u and u'."""

    def accepts(self, state: Any) -> bool:
        """Whether a pair that ends in this state is in the relation."""


Triple = tuple[int, int, Any]  # two nodes and a state of the relation
Row = tuple[int, Any, dict[int, int]]  # a value in u, the next state, ranks of values in u', ascending
Step = tuple[int, int, Any, Pairs]  # two values, the next state, what is added and multiplied


class Ranks:
    """Pairs of inputs as numbers in the order of pairs."""

    def __init__(self, space: InputSpace) -> None:
        self._space = space
        self._size = space.size

    def step(self, place: int, a: int, b: int) -> int:
        """What a cell with its a-th value in u and its b-th in u' adds to the rank."""
        size, stride = self._size, self._space.strides[place]
        return (a != b) * size * size + a * stride * size + b * stride

    def of(self, left: int, right: int) -> int:
        """The rank of the pair of the inputs at these positions."""
        digits = zip(self._space.digits(left), self._space.digits(right), strict=True)
        return sum(self.step(place, a, b) for place, (a, b) in enumerate(digits))

    def parts(self, rank: int) -> tuple[int, int, int]:
        """The number of changed cells, the position of u, the position of u'."""
        rest, right = divmod(rank, self._size)
        return *divmod(rest, self._size), right


class UpTo:
    """A relation cut off: only its pairs with at most this rank.

    u and the limit are compared cell by cell (the sign so far is enough), u' likewise; the number of changed
    cells is counted.
    """

    def __init__(self, relation: Relation, space: InputSpace, limit: int) -> None:
        self._relation = relation
        self._changed, left, right = Ranks(space).parts(limit)
        self._left = space.digits(left)
        self._right = space.digits(right)
        self.start = (relation.start, 0, 0, 0)

    def moves(self, place: int, state: Any) -> list[tuple[int, int, Any]]:
        """Those of the relation within the limit."""
        inner, changed, left, right = state
        at_left, at_right = self._left[place], self._right[place]
        return [
            (a, b, (after, changed + (a != b), left or _sign(a - at_left), right or _sign(b - at_right)))
            for a, b, after in self._relation.moves(place, inner)
            if changed + (a != b) <= self._changed
        ]

    def accepts(self, state: Any) -> bool:
        """Whether the pair is in the relation and has at most the rank."""
        inner, changed, left, right = state
        within = changed < self._changed or (changed == self._changed and (left, right) <= (0, 0))
        return within and self._relation.accepts(inner)


class Walk:
    """The walk with one relation, whose moves are found once for all functions."""

    def __init__(self, space: InputSpace, relation: Relation) -> None:
        self._relation = relation
        self._steps = [Steps(space, relation, place) for place in range(len(space.cells))]

    def pairs(self, diagrams: Diagrams, node: int, tick: Callable[[], None]) -> dict[tuple[int, int], Pairs]:
        """The pairs of leaves that a function has on the pairs of the relation, each with those pairs."""
        triples = {(node, node, self._relation.start): Pairs(0, 1)}
        for steps in self._steps:
            triples = _read(diagrams, triples, steps, tick)
        found: dict[tuple[int, int], Pairs] = {}
        for (left, right, state), pairs in triples.items():
            if self._relation.accepts(state):
                _add(found, (left, right), pairs.first, pairs.number)
        return found


def relation_of(space: InputSpace, adjacency: CoreAdjacency, clock: Clock) -> Distance | Related:
    """The automaton of an adjacency.  Raises :class:`InputError` and :class:`LimitReached`."""
    if adjacency.formula is None:
        return Distance(space, adjacency)
    return Related(space, adjacency.formula, partial(clock.tick, "neighbours"))


def listed_pairs(space: InputSpace, relation: Relation, most: int | None = None) -> list[Pair]:
    """The positions of the inputs of all pairs, in their order.  Raises :class:`LimitReached`."""
    found: list[tuple[int, int, int, Any]] = [(0, 0, 0, relation.start)]  # changed cells, u, u', the state
    for place, stride in enumerate(space.strides):
        found = [
            (changed + (a != b), left + a * stride, right + b * stride, after)
            for changed, left, right, state in found
            for a, b, after in relation.moves(place, state)
        ]
        if most is not None and len(found) > most:
            raise LimitReached(f"more than {most} pairs of neighbours")
    return [(left, right) for _, left, right, state in sorted(found) if relation.accepts(state)]


def number_of_pairs(space: InputSpace, relation: Relation) -> int:
    """How many pairs of inputs are in a relation."""
    diagrams = Diagrams([len(domain) for domain in space.domains])
    found = Walk(space, relation).pairs(diagrams, diagrams.leaf(None), lambda: None)
    return sum(pairs.number for pairs in found.values())


def _read(
    diagrams: Diagrams, triples: dict[Triple, Pairs], steps: Steps, tick: Callable[[], None]
) -> dict[Triple, Pairs]:
    """One cell further."""
    cells, branches, place, size = diagrams.cells, diagrams.branches, steps.place, steps.size
    reading = {node for left, right, _ in triples for node in (left, right) if cells[node] == place}
    kinds = alike([branches[node] for node in reading], size)
    following: dict[Triple, Pairs] = {}
    for done, ((left, right, state), (first, number)) in enumerate(triples.items()):
        if done % PATIENCE == 0:
            tick()
        reads = cells[left] == place, cells[right] == place
        lefts = branches[left] if reads[0] else (left,) * size
        rights = branches[right] if reads[1] else (right,) * size
        for a, b, after, pairs in steps.between(state, kinds if any(reads) else (0,) * size):
            _add(following, (lefts[a], rights[b], after), first + pairs.first, number * pairs.number)
    return following


def alike(branches: Sequence[tuple[int, ...]], size: int) -> tuple[int, ...]:
    """For each value of a cell the first value at which all these nodes have the same branches."""
    first: dict[tuple[int, ...], int] = {}
    columns = zip(*branches, strict=True) if branches else ((),) * size
    return tuple(first.setdefault(column, k) for k, column in enumerate(columns))


class Steps:
    """The moves of a relation at one cell, with what they add to the rank.

    Values at which the functions are alike are taken together.  For each value a in u and each state that
    follows, the values in u' are sorted by rank: all but a few are counted without going through them.
    """

    def __init__(self, space: InputSpace, relation: Relation, place: int) -> None:
        self.place = place
        self.size = len(space.domains[place])
        self._relation = relation
        self._ranks = Ranks(space)
        self._listed: dict[Any, list[Row]] = {}
        self._known: dict[tuple[Any, tuple[int, ...]], list[Step]] = {}

    def between(self, state: Any, kinds: tuple[int, ...]) -> list[Step]:
        """The moves from a state, of values of two kinds each: ``kinds`` are as in :func:`alike`."""
        known = self._known.get((state, kinds))
        if known is None:
            known = self._known[state, kinds] = self._between(state, kinds)
        return known

    def _between(self, state: Any, kinds: tuple[int, ...]) -> list[Step]:
        common, _ = Counter(kinds).most_common(1)[0]
        rare = [b for b in range(self.size) if kinds[b] != common]
        found: dict[tuple[int, int, Any], Pairs] = {}
        for a, after, ranks in self._rows(state):
            others = [b for b in rare if b in ranks]
            for b in others:
                _add(found, (kinds[a], kinds[b], after), ranks[b], 1)
            if len(others) < len(ranks):
                first = next(rank for b, rank in ranks.items() if kinds[b] == common)
                _add(found, (kinds[a], common, after), first, len(ranks) - len(others))
        return [(*move, pairs) for move, pairs in found.items()]

    def _rows(self, state: Any) -> list[Row]:
        """The moves from a state by the value in u and the state that follows."""
        if state not in self._listed:
            rows: dict[tuple[int, Any], dict[int, int]] = {}
            for a, b, after in self._relation.moves(self.place, state):
                rows.setdefault((a, after), {})[b] = self._ranks.step(self.place, a, b)
            self._listed[state] = [
                (a, after, dict(sorted(ranks.items(), key=itemgetter(1))))
                for (a, after), ranks in rows.items()
            ]
        return self._listed[state]


def _add(found: dict[Any, Pairs], key: Any, first: int, number: int) -> None:
    known = found.get(key)
    found[key] = (
        Pairs(first, number) if known is None else Pairs(min(known.first, first), known.number + number)
    )


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
