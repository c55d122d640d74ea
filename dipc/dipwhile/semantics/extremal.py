"""Extremal pairs: the pairs of adjacent inputs that stand for all others, where delta is 0.

For one output, f(u) is its probability on input u, a function of eps.  The pair (v, v') *dominates* (u, u')
if f(u) <= f(v) and f(u') >= f(v') for every eps in question.  Then, with e^t the factor of the claim,
positive and the same for all pairs,

    e^t f(u') - f(u)  =  e^t (f(u') - f(v'))  +  (f(v) - f(u))  +  (e^t f(v') - f(v))

and the first two terms are never negative.  So the inequality of (u, u') follows from that of (v, v'), and
at every single eps f(u)/f(u') <= f(v)/f(v'): to leave out (u, u') changes neither a verdict, nor the least
t, nor the loss at any eps, nor the eps at which some pair violates the claim.

**Orders of values.**  Of two values a, b of a cell a is at most b, if f does not fall from a to b, whatever
the other cells are and for every eps in question.  On the decision diagram of f these are finitely many
inequalities q - p >= 0 of leaves, each *proved* by the sign oracle on the eps range of the claim.  A guess
of the order (the mean of f at one eps) only chooses which ones are tried.  Values fall into chains; those
of different chains are not compared.  A chain need not follow the numbers: with abs(q - 1) the values 0 and
2 have one place in it.

**Moves.**  A pair is read cell by cell; a move ``(a, b, left)`` gives the cell the value a in u and b in u'
and leaves ``left`` of the distance.  It is dominated by a move with a greater or equal a, a less or equal b
*and no less distance left*: under ``l1`` and ``hamming`` another cell can use what this one does not.  From
a state with more distance left there are all moves of one with less, and each leaves more.  So every pair
is dominated by one whose moves are not dominated: replace its moves one after the other.  Of moves that
dominate each other the first is kept.

**Where it is not used.**  With delta > 0, and for profiles, bounded range and Renyi divergences, whole laws
are compared: a pair may be extremal for one output and not for another.  A claim whose epsilon depends on
the pair (on its distance, say) has no common factor e^t: the far pair may hold and the near one be
violated.  Formulas as adjacency have no moves.

**When.**  The proofs of an order are inequalities, too.  They are tried only for outputs with many pairs of
probabilities, and if extremal pairs and proofs together are fewer than half of those.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from flint import arb, fmpq

from dipc.claims.oracle import SignOracle
from dipc.clock import Tick
from dipc.dipwhile.semantics.adjacency import Distance, InputSpace
from dipc.dipwhile.semantics.diagrams import Diagrams, solved
from dipc.dipwhile.semantics.pairs import Walk
from dipc.errors import InputError, LimitReached
from dipc.models.laws import Pairs
from dipc.numbers.quotient import Quotient
from dipc.signs.inequality import Holds

FEW = 200  # pairs of probabilities that are decided without further ado
GAIN = 2  # so many times fewer inequalities make it worth while
PROBES = (fmpq(1, 8), fmpq(1), fmpq(8))

Nodes = tuple[int, int]
Move = tuple[int, int, int]
Found = dict[Nodes, Pairs]


@dataclass(frozen=True, slots=True)
class Order:
    """What is known of the values of a cell: in ``values`` each is at most the next, where that is linked.

    ``links`` hold the pairs of leaves (p, q) of which p <= q links two consecutive values; None: not linked.
    """

    values: tuple[int, ...]
    links: tuple[frozenset[Nodes] | None, ...]

    def ranks(self) -> dict[int, tuple[int, int]]:
        """For each value the number of its chain and its place there; equal functions have equal places."""
        chain, place, found = 0, 0, {self.values[0]: (0, 0)}
        for value, link in zip(self.values[1:], self.links, strict=True):
            chain, place = (chain + 1, 0) if link is None else (chain, place + bool(link))
            found[value] = chain, place
        return found


Orders = Sequence[Order]  # of each cell


class Extremal:
    """The pairs in a distance that are made of moves that no other move dominates."""

    def __init__(self, relation: Distance, orders: Sequence[Order]) -> None:
        self._relation, self._ranks = relation, [order.ranks() for order in orders]
        self.start = relation.start

    def moves(self, place: int, left: int) -> list[Move]:
        """Those of the distance without the dominated ones: sorted, a move follows those that dominate it."""
        ranks = self._ranks[place]

        def at_most(a: int, b: int) -> bool:
            return ranks[a][0] == ranks[b][0] and ranks[a][1] <= ranks[b][1]

        kept: list[Move] = []
        moves = self._relation.moves(place, left)
        for a, b, rest in sorted(moves, key=lambda m: (-ranks[m[0]][1], ranks[m[1]][1], -m[2])):
            if not any(at_most(a, x) and at_most(y, b) and rest <= more for x, y, more in kept):
                kept.append((a, b, rest))
        return kept

    def accepts(self, left: int) -> bool:
        """As the distance does."""
        return self._relation.accepts(left)


class Search:
    """The pairs of probabilities that matter; ``oracle`` is about the eps range of the claim."""

    def __init__(
        self, diagrams: Diagrams, space: InputSpace, relation: Distance, oracle: SignOracle, tick: Tick
    ) -> None:
        self._diagrams, self._space, self._relation, self._tick = diagrams, space, relation, tick
        self._oracle, self._walk = oracle, Walk(space, relation)
        budgets = oracle.budgets
        self._probes = [arb(eps) for eps in {budgets.inside, *PROBES} if eps in budgets]
        self._balls, self._proved = cache(self._values), cache(self._proof)
        self._means: dict[int, arb] = {}

    def pairs(self, root: int) -> tuple[Found, Orders | None]:
        """The pairs of leaves that one function has on adjacent inputs, or on the extremal ones by orders."""
        every = self._all(root, FEW)
        if every is not None:
            return every, None
        orders = [self._guessed(root, place) for place in range(len(self._space.cells))]
        chosen = self._extremal(root, orders)
        unproved = {pair for order in orders for link in order.links if link for pair in link}
        every = self._all(root, GAIN * (len(chosen) + len(unproved)))
        if every is not None:
            return every, None
        if not self._defined(root):
            return self._walk.pairs(self._diagrams, root, self._tick), None
        shown = [self._shown(order) for order in orders]
        return chosen if shown == orders else self._extremal(root, shown), shown

    def _extremal(self, root: int, orders: Sequence[Order]) -> Found:
        return Walk(self._space, Extremal(self._relation, orders)).pairs(self._diagrams, root, self._tick)

    def _all(self, root: int, most: int) -> Found | None:
        """All pairs of leaves; None if there are more than ``most``, or a walk takes long to find them."""
        return self._walk.up_to(most, self._diagrams, root, self._tick)

    # --- orders of values ---

    def _guessed(self, root: int, place: int) -> Order:
        """The values of a cell by the means of the function, linked where no probe speaks against it."""
        looking = [self._diagrams.branches[node] for node in self._diagrams.looking(root, place)]
        sums = [sum((self._mean(b[k]) for b in looking), arb(0)) for k in range(self._diagrams.sizes[place])]
        values = sorted(range(len(sums)), key=lambda k: sums[k].mid())
        steps = ({(b[i], b[j]) for b in looking} for i, j in pairwise(values))
        return Order(tuple(values), tuple(self._diagrams.compared(step, self._may) for step in steps))

    def _shown(self, order: Order) -> Order:
        """The links that are proved."""
        links = (link if link is not None and all(map(self._proved, link)) else None for link in order.links)
        return replace(order, links=tuple(links))

    def _mean(self, node: int) -> arb:
        """About the mean of a function over all inputs at one eps."""
        branches = self._diagrams.branches

        def combine(at: int) -> arb:
            if not branches[at]:
                return self._balls(at)[0].mid()
            return (sum((self._means[b] for b in branches[at]), arb(0)) / len(branches[at])).mid()

        return solved(node, branches.__getitem__, combine, self._means)

    def _values(self, leaf: int) -> list[arb]:
        return [self._value(leaf).enclose(eps) for eps in self._probes]

    def _may(self, pair: Nodes) -> bool:
        """Whether no probe refutes that the first leaf is at most the second."""
        self._tick()
        low, high = map(self._balls, pair)
        return not any(p > q for p, q in zip(low, high, strict=True))

    def _proof(self, pair: Nodes) -> bool:
        """Whether the first leaf is at most the second, for every eps of the range."""
        self._tick()
        low, high = map(self._value, pair)
        try:
            return isinstance(self._oracle.nonnegative(high - low), Holds)
        except (InputError, LimitReached):
            return False

    def _defined(self, root: int) -> bool:
        """Whether all leaves have values on the whole range; if not, going through all pairs reports it."""
        try:
            for leaf in self._diagrams.looking(root, self._diagrams.leaf_cell):
                self._oracle.numerator(self._value(leaf))
        except (InputError, LimitReached):
            return False
        return True

    def _value(self, leaf: int) -> Quotient:
        value = self._diagrams.value(leaf)
        assert isinstance(value, Quotient)
        return value
