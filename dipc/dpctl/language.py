"""Whether two states satisfy a path formula with the same probability under every infinite word of actions.

This is ``D[0, 0]`` on decision processes: equivalence of probabilistic automata. For an infinite word w let
``P_w`` be the vector of the probabilities of the formula from every node of the product with its automaton
(:mod:`dipc.dpctl.schedulers`). With the matrix ``A_a`` of an action a, ``P_aw = A_a P_w``. So the difference
d of two distributions satisfies ``d P_w = 0`` for all w if and only if all x in the span of ``d A_u``, over
all finite words u, do. A basis of that span, shortest words first, has at most as many vectors as there are
nodes (Tzeng, *A polynomial-time algorithm for the equivalence of probabilistic automata*, 1992). His
automata read finite words and have one vector P. Comparing what has been accepted after equally many letters
would be wrong here, as one side may accept a letter later; the event itself is compared.

A Boolean combination of co-safe formulas has a *weak* automaton: along every path the mark of the node is
constant from some point on, and the formula is true if that mark is.

**Equal, in polynomial time.** Under every word almost every path visits only nodes of end components
infinitely often. Let c(n) be the mark of n on these, and any number on the other nodes. Then the expected
value of c after k letters of w tends to ``P_w``; so if ``x c = 0`` for all x in the span, ``d P_w = 0``.
Such a c exists if and only if those x that are 0 outside end components satisfy ``x c = 0``; in a basis in
echelon form, with the other nodes first, they are spanned by the vectors that lead in an end component.

**Decided.** A set of nodes is *calm* under w if no path under w from one of its nodes meets another mark.
For every set S that is calm under some word, the subset construction finds an ultimately periodic one, z(S).
*The vectors* ``A_u P_z(S)``, *for all finite words u and the largest calm sets S, span all* ``P_w``. Proof:
Let w_n be w without its first n letters, X_n the node after these, and g_n(m) the probability that the mark
changes under w_n from m. The probability of a change after n letters is the expected value of g_n(X_n) and
tends to 0; hence so does, for every e > 0, that of g_n(X_n) >= e. If a set is calm under no word, some
number of letters suffices for all words to change a mark (Koenig's lemma); so for small e, ``S_n = {m:
g_n(m) < e}`` is calm under some word. Replace w_n by z(S_n). From X_n in S_n both probabilities of the
formula are within e of the mark, so ``P_w`` is a limit of vectors of words that begin with n letters of w
and end in z(S_n), and a span is closed. So finitely many products decide: either all vanish, or one names a
word that tells the states apart.

For other formulas, such as G F f, the question is undecidable: asked about a state and one that never
satisfies the formula, it is whether some word satisfies it with positive probability (Baier, Bertrand and
Groesser, *On decision problems for probabilistic Buechi automata*, 2008). There it suffices that the
sequences of marks have the same distribution under every word, or that the span has no vector that is 0
outside end components: then the differences tend to 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from dipc.clock import Tick
from dipc.dpctl.bounds import Number
from dipc.dpctl.schedulers import Product, end_components, expected
from dipc.dpctl.steps import Distribution, Pair, Steps, Word
from dipc.models.linear import increase

MOST_SETS = 500  # calm sets
Vector = dict[int, Number]
Next = tuple[Word, Distribution]


@dataclass(frozen=True, slots=True)
class Lasso:
    """The word ``prefix`` and then ``cycle`` for ever, with the probabilities of the formula under it."""

    prefix: Word
    cycle: Word
    values: Sequence[Number]


class Language:
    """The comparison of distributions over the nodes of a product; ``repeated`` are the words a a a ..."""

    def __init__(self, steps: Steps, repeated: Sequence[Lasso]) -> None:
        self.steps, self.product, self.tick = steps, steps.product, steps.tick
        self.actions, self.repeated = range(len(repeated)), repeated
        self.is_weak = steps.is_weak

    def difference(self, root: Pair) -> tuple[Word, Lasso] | bool | None:
        """True if no word tells the sides of a pair apart, or a shortest word after which a lasso does; None
        if that is open."""
        start: Distribution = (*root.left, *((n, -weight) for n, weight in root.right))
        basis: list[tuple[Word, int, Vector]] = []
        for word, lead, vector in independent([((), start)], self._following, self._rank, self.tick):
            basis.append((word, lead, vector))
            for lasso in self.repeated:
                if _product(vector, lasso.values):
                    return word, lasso
        last = [vector for _, lead, vector in basis if self._rank(lead)[0]]
        if not any(_product(vector, self.steps.marks) for vector in last) if self.is_weak else not last:
            return True
        if not self.is_weak:
            return True if self._same_marks(start) else None
        if self._lassos is None:
            return None
        tries = ((word, z) for word, _, vector in basis for z in self._lassos if _product(vector, z.values))
        return next(tries, True)

    def _following(self, vector: Distribution) -> Iterator[tuple[int, Distribution]]:
        return ((a, self.steps.step(vector, a)) for a in self.actions)

    @cached_property
    def _stays(self) -> set[int]:
        """The nodes of end components, and ``yes``."""
        rows = self.product.rows
        return set[int]().union({self.steps.yes}, *end_components(rows, range(len(rows))))

    def _rank(self, node: int) -> tuple[bool, int]:
        return node in self._stays, node

    def _same_marks(self, start: Distribution) -> bool:
        """Whether the sequences of marks have the same distribution under every word."""

        def observed(vector: Distribution) -> list[Distribution]:
            seen: dict[object, list[tuple[int, Number]]] = {}
            for n, weight in vector:
                seen.setdefault(n if n == self.steps.yes else self.product.marks[n], []).append((n, weight))
            return [tuple(part) for part in seen.values()]

        def following(vector: Distribution) -> Iterator[tuple[int, Distribution]]:
            return ((a, part) for a, after in self._following(vector) for part in observed(after))

        waiting: list[Next] = [((), part) for part in observed(start)]
        ones = [self.product.one] * (self.steps.yes + 1)
        basis = independent(waiting, following, self._rank, self.tick)
        return not any(_product(vector, ones) for _, _, vector in basis)

    @cached_property
    def _lassos(self) -> list[Lasso] | None:
        """A lasso for every largest calm set, None if they are too many.  Sets are binary numbers."""
        marks, calm = self.product.marks, list[dict[int, int]]()
        for a in self.actions:
            rows = enumerate(row[a] for row in self.product.rows)
            kept = {n: row for n, row in rows if all(marks[t] == marks[n] for t, _ in row)}
            calm.append({n: sum(1 << t for t, _ in row) for n, row in kept.items()})
        family: dict[int, tuple[int, int]] = {(1 << len(marks)) - 1: (0, 0)}
        while True:
            self.tick()
            before: dict[int, tuple[int, int]] = {}
            for later in family:
                for a, targets in enumerate(calm):
                    earlier = sum(1 << n for n, mask in targets.items() if not mask & ~later)
                    before.setdefault(earlier, (a, later))
            largest = {s: way for s, way in before.items() if not any(s & ~o == 0 for o in before if o != s)}
            if len(largest) > MOST_SETS:
                return None
            if largest.keys() == family.keys():
                return [along(self.product, *_way(largest, each), self.tick) for each in largest]
            family = largest


def along(product: Product[Any], prefix: Word, cycle: Word, tick: Tick) -> Lasso:
    """The lasso of a word, by the chain in which its cycle is repeated."""
    size, length = len(product.rows), len(cycle)
    rows = [
        (tuple((t + (i + 1) % length * size, p) for t, p in product.rows[n][a]),)
        for i, a in enumerate(cycle)
        for n in range(size)
    ]
    chain: Product[Any] = replace(product, rows=rows, marks=[*product.marks] * length)
    values = chain.maximum(tick)[:size]
    for a in reversed(prefix):
        values = [expected(row[a], values) for row in product.rows]
    return Lasso(prefix, cycle, [*values, product.one])


def independent(
    waiting: list[Next],
    following: Callable[[Distribution], Iterable[tuple[int, Distribution]]],
    rank: Callable[[int], object],
    tick: Tick,
) -> Iterator[tuple[Word, int, Vector]]:
    """A basis of what these vectors and all that follow them span, the first words first.

    Each vector is 1 at its leading node, the first one by ``rank``, where all later vectors are 0.
    """
    basis: dict[int, Vector] = {}
    for word, entries in waiting:  # grows while it is read
        tick()
        vector: Vector = {}
        for n, weight in entries:
            increase(vector, n, weight)
        for lead, other in basis.items():
            if factor := vector.get(lead):
                for n, x in other.items():
                    increase(vector, n, -(factor * x))
        vector = {n: x for n, x in vector.items() if x}
        if vector:
            lead = min(vector, key=rank)  # type: ignore[arg-type]
            basis[lead] = {n: x / vector[lead] for n, x in vector.items()}
            yield word, lead, basis[lead]
            waiting += [((*word, a), row) for a, row in following(tuple(basis[lead].items()))]


def _product(vector: Vector, values: Sequence[Number]) -> Number:
    first, *rest = (x * values[n] for n, x in vector.items())
    return sum(rest, first)


def _way(family: dict[int, tuple[int, int]], start: int) -> tuple[Word, Word]:
    """The actions by which a set stays calm, up to and along a cycle."""
    place: dict[int, int] = {}
    actions: list[int] = []
    while start not in place:
        place[start] = len(actions)
        action, start = family[start]
        actions.append(action)
    return tuple(actions[: place[start]]), tuple(actions[place[start] :])
