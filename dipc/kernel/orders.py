"""Extremal pairs: the pairs of adjacent inputs that stand for all others, where delta is 0.

A certificate may list, for an outcome, an order of the values of each cell: chains of classes of values.
For the probability f of the outcome, whatever the other cells are and for every eps of the claim,

* two values of one class give the same function;
* from a class to the next one of its chain, f does not fall.

The first is seen in the diagram.  The second is a list of facts Q - P >= 0 about leaves of the diagram,
which the certificate proves like all others; the kernel finds out itself which ones are needed.

Then f(u) <= f(v) and f(u') >= f(v') for inputs u, v and u', v' whose cells are ordered so, and with e^t > 0

    e^t f(u') - f(u)  =  e^t (f(u') - f(v'))  +  (f(v) - f(u))  +  (e^t f(v') - f(v)):

what (v, v') needs implies what (u, u') needs.  The automaton of the adjacency has moves (a, b, left):
values in u and in u' and the distance left.  One of at least this a, at most this b and no less distance
left dominates it: more distance left allows all the moves that less does, each leaving no less.  So each
adjacent pair is dominated by one whose moves are dominated by no others, and the walk through those is
enough.  Of moves that dominate each other one is kept.
"""

from __future__ import annotations

from itertools import pairwise

from .laws import Adjacency, Automaton, Diagram, Move, Needed, Sets
from .reading import integer, require

Order = list[list[list[int]]]  # chains of classes of the values of a cell
Rank = tuple[int, int]  # a chain, and a place in it
Pair = tuple[int, int]


def needed_pairs(
    diagram: Diagram, adjacency: Adjacency, sets: Sets, has_delta: bool, orders: list[list[Order] | None]
) -> Needed:
    """The pairs of functions of the extremal pairs of inputs, and the facts that make them enough."""
    distance = adjacency.pairs is None and not has_delta
    require(distance, "orders", "they are for a distance and delta = 0")
    require(len(orders) == len(diagram.roots), "orders", "there is not one for every outcome")
    automaton = Automaton(adjacency, sets)
    functions: set[Pair] = set()
    rises: set[Pair] = set()
    for number, (root, listed) in enumerate(zip(diagram.roots, orders, strict=True)):
        step, walked = f"order {number}", automaton
        if listed is not None:
            walked = Ordered(automaton, listed, step)
            rises |= facts_of(diagram, root, listed, step)
        functions |= walked.walk(diagram, root)
    return Needed(functions, set(), automaton.number_of_pairs(), frozenset(rises))


class Ordered(Automaton):
    """The moves of an automaton that no others dominate; ``orders`` has one order for each cell."""

    def __init__(self, inner: Automaton, orders: list[Order], step: str) -> None:
        self.inner, self.start, self.domains = inner, inner.start, inner.domains
        require(len(orders) == len(self.domains), step, "there is not one order for every cell")
        self.ranks = [ranks(order, len(d), step) for order, d in zip(orders, self.domains, strict=True)]

    def moves(self, cell: int, state: int) -> list[Move]:
        """Sorted, a move comes after all those that dominate it."""
        place = self.ranks[cell]
        moves = self.inner.moves(cell, state)
        kept: list[Move] = []
        for a, b, after in sorted(moves, key=lambda m: (-place[m[0]][1], place[m[1]][1], -m[2])):
            others = (
                at_most(place[a], place[x]) and at_most(place[y], place[b]) and after <= z for x, y, z in kept
            )
            if not any(others):
                kept.append((a, b, after))
        return kept


def at_most(one: Rank, other: Rank) -> bool:
    """Whether a value is known to be at most another."""
    return one[0] == other[0] and one[1] <= other[1]


def ranks(order: Order, size: int, step: str) -> list[Rank]:
    """The rank of each value of a cell."""
    found = {
        integer(value, step, 0, size - 1): (number, place)
        for number, chain in enumerate(order)
        for place, some in enumerate(chain)
        for value in some
    }
    once = sum(len(some) for chain in order for some in chain) == len(found) == size
    full = all(some for chain in order for some in chain)
    require(once and full, step, "an order does not name every value once, or has an empty class")
    return [found[value] for value in range(size)]


def facts_of(diagram: Diagram, root: int, orders: list[Order], step: str) -> set[Pair]:
    """The pairs of leaves (P, Q) of which P <= Q makes the orders right."""
    needed: set[Pair] = set()
    for node in below(diagram, root):
        branches = diagram.branches[node]
        for chain in orders[diagram.cells[node]]:
            equal = all(branches[value] == branches[some[0]] for some in chain for value in some)
            require(equal, step, "values of one class differ")
            needed |= {(branches[low[0]], branches[high[0]]) for low, high in pairwise(chain)}
    return compared(diagram, needed)


def below(diagram: Diagram, root: int) -> set[int]:
    """The nodes of a function that are not leaves."""
    found, stack = set(), [root]
    while stack:
        node = stack.pop()
        if node >= diagram.leaves and node not in found:
            found.add(node)
            stack += diagram.branches[node]
    return found


def compared(diagram: Diagram, pairs: set[Pair]) -> set[Pair]:
    """The pairs of different leaves that pairs of functions have on an input."""
    seen, stack = set(pairs), list(pairs)
    leaves = set()
    while stack:
        left, right = stack.pop()
        cell = min(diagram.cells[left], diagram.cells[right])
        if left == right:
            continue
        if cell == diagram.end:
            leaves.add((left, right))
            continue
        width = len(diagram.branches[left if diagram.cells[left] == cell else right])
        lefts = diagram.branches[left] if diagram.cells[left] == cell else (left,) * width
        rights = diagram.branches[right] if diagram.cells[right] == cell else (right,) * width
        fresh = set(zip(lefts, rights, strict=True)) - seen
        seen |= fresh
        stack += fresh
    return leaves
