"""Functions of the input as decision diagrams: how millions of inputs fit into a few nodes.

A function of the input cells is a *leaf* (a constant, equal to itself only), or a *choice*: the cell that
it looks at first, and for every value of that cell the function of the other cells that remains.  Two rules
make the diagram of a function unique (Bryant 1986; Bahar et al. 1993 for leaves that are not Boolean):

* on every path the cells occur in the order of their declaration;
* no choice has equal branches everywhere, and equal choices are one node.

So **equal functions are equal nodes**, whatever the program read first: for the sparse vector technique all
permutations of a prefix of the input, for a histogram all prefixes that make the output equally likely.
Nodes are small integers, cells are their places in the order of declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from dipc.clock import Tick, unlimited

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def solved(goal: K, needs: Callable[[K], Sequence[K]], combine: Callable[[K], V], known: dict[K, V]) -> V:
    """The value of ``goal`` by a recursion without cycles, with a stack in place of recursive calls.

    ``needs(k)`` are the arguments whose values must be in ``known`` before ``combine(k)`` is called.
    """
    stack = [goal]
    while stack:
        top = stack[-1]
        missing = [k for k in needs(top) if k not in known] if top not in known else []
        if missing:
            stack += missing
            continue
        stack.pop()
        if top not in known:
            known[top] = combine(top)
    return known[goal]


class Diagrams:
    """A store of diagrams over cells with the given numbers of values."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = sizes
        self.leaf_cell = len(sizes)  # what a leaf looks at: a cell after the last
        self.cells: list[int] = []  # of each node, the cell it looks at
        self.branches: list[tuple[int, ...]] = []  # of each node, its branches; a leaf has none
        self._leaves: dict[Hashable, int] = {}
        self._values: dict[int, Hashable] = {}
        self._nodes: dict[tuple[int, tuple[int, ...]], int] = {}
        self._choices: dict[tuple[int, tuple[int, ...]], int] = {}

    def __len__(self) -> int:
        return len(self.cells)

    def copy(self) -> Diagrams:
        """The same nodes in a store of its own: what is added there is not seen here."""
        other = Diagrams(self.sizes)
        other.cells, other.branches = self.cells.copy(), self.branches.copy()
        other._leaves, other._values = self._leaves.copy(), self._values.copy()
        other._nodes, other._choices = self._nodes.copy(), self._choices.copy()
        return other

    def leaf(self, value: Hashable) -> int:
        """The constant function."""
        node = self._leaves.get(value)
        if node is None:
            node = self._leaves[value] = self._new(self.leaf_cell, ())
            self._values[node] = value
        return node

    def value(self, leaf: int) -> Hashable:
        """The constant that a leaf is."""
        return self._values[leaf]

    def at(self, node: int, digits: Sequence[int]) -> int:
        """The leaf that is the value of a function where each cell has its ``digits[cell]``-th value."""
        while self.cells[node] < self.leaf_cell:
            node = self.branches[node][digits[self.cells[node]]]
        return node

    def choice(self, cell: int, branches: Sequence[int]) -> int:
        """The function that is ``branches[k]`` where the cell has its k-th value.

        A branch that looks at earlier cells is moved: the least cell d that any branch looks at comes
        first, and the choice is made below it, in the k-th branch of each branch that looks at d.
        """
        return solved((cell, tuple(branches)), self._below, self._placed, self._choices)

    def table(self, leaves: list[int]) -> int:
        """The function with these values, the last cell varying fastest."""
        for cell in range(self.leaf_cell - 1, -1, -1):
            width = self.sizes[cell]
            leaves = [self.choice(cell, leaves[i : i + width]) for i in range(0, len(leaves), width)]
        (found,) = leaves
        return found

    def joined(self, nodes: Sequence[int]) -> int:
        """The function whose value is the tuple of the leaves of these functions."""
        return self.applied(tuple(nodes), self.leaf)

    def applied(
        self, nodes: tuple[int, ...], at_leaves: Callable[[tuple[int, ...]], int], tick: Tick = unlimited
    ) -> int:
        """The function whose value is the leaf ``at_leaves`` of the leaves of these functions."""
        known: dict[tuple[int, ...], int] = {}

        def needs(group: tuple[int, ...]) -> list[tuple[int, ...]]:
            cell = min((self.cells[node] for node in group), default=self.leaf_cell)
            sizes = range(self.sizes[cell]) if cell < self.leaf_cell else ()
            return [tuple(self.branch(node, cell, k) for node in group) for k in sizes]

        def combine(group: tuple[int, ...]) -> int:
            tick()
            below = needs(group)
            if not below:
                return at_leaves(group)
            return self._node(min(self.cells[node] for node in group), tuple(known[k] for k in below))

        return solved(nodes, needs, combine, known)

    def branch(self, node: int, cell: int, k: int) -> int:
        """What is left of a function that looks at no earlier cell, where the cell has its k-th value."""
        return self.branches[node][k] if self.cells[node] == cell else node

    def _below(self, choice: tuple[int, tuple[int, ...]]) -> list[tuple[int, tuple[int, ...]]]:
        """The choices to be made below the least cell, if that is not the cell chosen."""
        cell, branches = choice
        least = min(self.cells[b] for b in branches)
        if least >= cell:
            return []
        return [(cell, tuple(self.branch(b, least, k) for b in branches)) for k in range(self.sizes[least])]

    def _placed(self, choice: tuple[int, tuple[int, ...]]) -> int:
        cell, branches = choice
        below = self._below(choice)
        if below:
            return self._node(min(self.cells[b] for b in branches), tuple(self._choices[c] for c in below))
        return self._node(cell, tuple(self.branch(b, cell, k) for k, b in enumerate(branches)))

    def _node(self, cell: int, branches: tuple[int, ...]) -> int:
        if all(branch == branches[0] for branch in branches):
            return branches[0]
        node = self._nodes.get((cell, branches))
        if node is None:
            node = self._nodes[cell, branches] = self._new(cell, branches)
        return node

    def _new(self, cell: int, branches: tuple[int, ...]) -> int:
        self.cells.append(cell)
        self.branches.append(branches)
        return len(self.cells) - 1
