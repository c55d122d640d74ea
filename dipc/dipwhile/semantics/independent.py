"""Adjacent inputs of a program with independent parts.

Let P_k(u) be the law of part k on input u, so that P(u) is the product of all P_k(u)
(:mod:`dipc.dipwhile.semantics.parts`).

**Where one part differs.**  A change in a part with outputs costs at least the least cost of a move in one of
its cells.  If the two least of these costs exceed the distance together, or under ``linf``, where each cell
may use all of it, at most one of them is within it, then adjacent inputs differ in one such part at most.

There a claim holds iff it holds for each part, with the same distance on its cells.  Two adjacent inputs of a
part, completed with equal values, are adjacent; and of adjacent u, u' only part k differs, whose inputs are
adjacent: P(u) = P_k(u) x R and P(u') = P_k(u') x R with the same law R of the other parts.  Drawing from R
beside an output of part k turns the laws of the part into those of the whole, forgetting what was drawn turns
them back, and neither looks at the input.  Privacy, with or without delta, bounded range and a bound on a
Renyi divergence are kept by such processing.  Inputs that differ in cells without outputs have equal laws.

**Where several may differ**, a claim with delta = 0 is F q_1 q_2 ... >= p_1 p_2 ... for all *ways* (p_k, q_k)
of the parts, the probabilities of an output on two inputs of a part, whose costs share the distance.  Ways
with p = q are the way (1, 1), which costs nothing and stays.  Another way is left out if a way (p', q')
that costs no more takes its place: p q' <= p' q on the whole range.  Then p/q <= p'/q' wherever p' > 0, also
if q or q' is 0, an infinite ratio.  For p' = 0 on the whole range (1, 1) is in the place of both; else p' > 0
at all eps but isolated ones, which is enough, as both sides are continuous.  Equal products are one, so that
of parts that are alike multisets of ways remain.

**Outputs.**  With delta = 0, an output of one part stands for the output of the program that has it there
and, in each other part, the first output that is possible for every eps of the range if all cells have their
first value.  If one part differs, the first pair of inputs that violates the claim has these values, and all
probabilities of outputs that are stood for have the same positive factor.  For other claims, an output of a
part stands for the event that the part has it, and ``laws`` are those of the part that differs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from flint import fmpq

from dipc.claims.oracle import SignOracle, require_positive
from dipc.dipwhile.semantics.adjacency import Distance, InputSpace, cost, distance
from dipc.dipwhile.semantics.evaluate import spelled_cell
from dipc.dipwhile.semantics.neighbours import ProductNeighbours, WithinDistance
from dipc.dipwhile.semantics.pairs import Ranks
from dipc.dipwhile.semantics.parts import Part
from dipc.dipwhile.semantics.valuations import grouped, ungrouped
from dipc.dipwhile.syntax.core import CoreAdjacency
from dipc.errors import InputError
from dipc.models.laws import Case, Pairs, Vector
from dipc.models.values import Valuation
from dipc.numbers.quotient import Quotient
from dipc.signs.inequality import Holds

MOST_INPUTS = 64  # of a part, where several may differ
MOST_WAYS = 200  # of a part
MOST_PRODUCTS = 2000

ONE = Quotient.one()


def one_differs(space: InputSpace, parts: Sequence[Part], relation: CoreAdjacency) -> bool:
    """Whether adjacent inputs differ in one part with outputs at most."""
    most = relation.distance or fmpq(0)
    least = sorted(
        min(moves) for part in parts if part.outputs and (moves := _moves(space, part, relation.kind))
    )
    if len(least) < 2:
        return True
    return least[1] > most if relation.kind == "linf" else least[0] + least[1] > most


def _moves(space: InputSpace, part: Part, kind: str) -> list[fmpq]:
    """What the changes of single cells cost."""
    domains = {space.domains[space.place[cell]] for cell in part.inputs}
    return [cost(kind, a, b) for domain in domains for i, a in enumerate(domain) for b in domain[:i]]


class Way(NamedTuple):
    """The probabilities of an output of a part on two of its inputs, which use up a distance."""

    cost: fmpq
    p: Quotient
    q: Quotient
    rank: int
    output: int

    def replaces(self, other: Way, judge: SignOracle) -> bool:
        """Whether it costs no more, and loses as much for every eps."""
        loss = self.p * other.q - other.p * self.q
        return self.cost <= other.cost and isinstance(judge.nonnegative(loss), Holds)


class _Placed:
    """A part with the laws of its inputs."""

    def __init__(self, whole: InputSpace, part: Part, neighbours: ProductNeighbours) -> None:
        self.part, self.neighbours = part, neighbours
        found = [ungrouped(part.program.outputs, outcome).values() for outcome in neighbours.outcomes]
        self.outcomes = [dict(zip(part.outputs, values, strict=True)) for values in found]
        self._whole = whole
        self._places = [whole.place[cell] for cell in part.inputs]

    def lifted(self, rank: int) -> int:
        """The rank of the pair of whole inputs in which all other cells have their first value."""
        _, left, right = Ranks(space := self.neighbours.space).parts(rank)
        return Ranks(self._whole).of(*map(self._position, (space.digits(left), space.digits(right))))

    def _position(self, digits: Sequence[int]) -> int:
        return sum(self._whole.strides[place] * a for place, a in zip(self._places, digits, strict=True))

    def digits(self, position: int) -> list[int]:
        """The places of the values of the cells of the part in their domains, of a whole input."""
        digits = self._whole.digits(position)
        return [digits[place] for place in self._places]

    def possible(self, judge: SignOracle) -> int:
        """The first output that is possible for every eps where all cells have their first value."""
        for o, p in enumerate(self.neighbours.law_at(self.digits(0))):
            try:
                require_positive(p, judge, None)
            except InputError:
                continue
            return o
        raise InputError("no output is possible for every eps")

    def ways(self, relation: CoreAdjacency, judge: SignOracle, given: int) -> list[Way]:
        """That of equal probabilities, with the output ``given``, and the ways that no other replaces."""
        space, alone = self.neighbours.space, relation.kind == "linf"
        if space.size > MOST_INPUTS:
            raise InputError("a part has too many inputs")
        laws = [self.neighbours.law_at(space.digits(position)) for position in range(space.size)]
        found: list[Way] = []
        for (i, u), (j, v) in product(enumerate(space), repeat=2):
            if (used := distance(space, u, v, relation.kind)) > (relation.distance or 0):
                continue
            used = fmpq(0) if alone else used
            rank = Ranks(space).of(i, j)
            both = enumerate(zip(laws[i], laws[j], strict=True))
            found += [Way(used, p, q, rank, o) for o, (p, q) in both if p != q]
        found.sort(key=lambda way: (way.cost, way.rank, way.output))
        distinct = list({(way.p, way.q): way for way in reversed(found)}.values())[::-1]
        if len(distinct) > MOST_WAYS:
            raise InputError("a part has too many probabilities")
        equal, kept = Way(fmpq(0), ONE, ONE, 0, given), list[Way]()
        for way in distinct:
            if not any(other.replaces(way, judge) for other in (equal, *kept)):
                kept = [*(other for other in kept if not way.replaces(other, judge)), way]
        return [equal, *kept]


class Independent(WithinDistance):
    """All adjacent inputs of a program with independent parts.

    ``whole``: the outcomes stand for outputs of the program, for claims by output.  Raises
    :class:`InputError` if there are none that can, or too many products.
    """

    def __init__(
        self,
        space: InputSpace,
        relation: CoreAdjacency,
        parts: Sequence[tuple[Part, ProductNeighbours]],
        judge: SignOracle,
        whole: bool,
    ) -> None:
        super().__init__(space, Distance(space, relation))
        self.one_differs = one_differs(space, [part for part, _ in parts], relation)
        self._most = relation.distance or fmpq(0)
        self._parts = [_Placed(space, *each) for each in parts]
        if self.outputs == 1:
            raise InputError("there is only one output")
        given = {k: part.possible(judge) if whole else 0 for k, part in enumerate(self._parts)}
        own = [(k, o) for k, part in enumerate(self._parts) for o in range(len(part.outcomes))]
        single = [given | {k: o} for k, o in own]
        self.completed = [self._output(outputs) for outputs in single]
        self._products: list[Case] = []
        self._about = [k for k, _ in own] if self.one_differs else []  # for each outcome, its part
        self._rows = single if whole else [{k: o} for k, o in own]
        if not self.one_differs:
            self._multiply([part.ways(relation, judge, given[k]) for k, part in enumerate(self._parts)])
        self.outcomes = [self._output(row) for row in self._rows]

    def _multiply(self, ways: Sequence[Sequence[Way]]) -> None:
        """The products of ways within the distance."""
        products: dict[tuple[Quotient, Quotient], tuple[fmpq, int, tuple[int, ...]]]
        products = {(ONE, ONE): (fmpq(0), 0, ())}
        for part, own in zip(self._parts, ways, strict=True):
            longer: dict[tuple[Quotient, Quotient], tuple[fmpq, int, tuple[int, ...]]] = {}
            lifted = [(way, part.lifted(way.rank)) for way in own]
            for (p, q), (used, rank, outputs) in products.items():
                for way, step in lifted:
                    key, new = (p * way.p, q * way.q), (used + way.cost, rank + step, (*outputs, way.output))
                    if new[0] <= self._most and (key not in longer or new < longer[key]):
                        longer[key] = new
            products = longer
            if len(products) > MOST_PRODUCTS:
                raise InputError("there are too many products")
        for (p, q), (_, rank, outputs) in products.items():
            self._products.append(Case((len(self._rows),), (p,), (q,), Pairs(rank, 1)))
            self._rows.append(dict(enumerate(outputs)))

    def _output(self, outputs: dict[int, int]) -> Valuation:
        """The values of the cells of some parts: an output of the program, or single cells."""
        cells = {
            cell: value for k, o in outputs.items() for cell, value in self._parts[k].outcomes[o].items()
        }
        if len(outputs) == len(self._parts):
            return grouped(self.space.program.outputs, cells)
        return tuple((spelled_cell(cell), value) for cell, value in cells.items())

    @property
    def outputs(self) -> int:
        """The number of outputs of the program."""
        return prod(len(part.outcomes) for part in self._parts)

    def by_output(self) -> Iterator[Case]:
        """The cases of each part, or the products."""
        yield from self._products or self._cases(part.neighbours.by_output() for part in self._parts)

    def by_law(self, limit: int | None = None) -> Iterator[Case]:
        """The cases of each part."""
        cases = self._cases(part.neighbours.by_law() for part in self._parts)
        return (case for case in cases if limit is None or case.pairs.first <= limit)

    def _cases(self, found: Iterable[Iterable[Case]]) -> Iterator[Case]:
        first = 0
        for part, cases in zip(self._parts, found, strict=True):
            for case in cases:
                outputs = tuple(first + o for o in case.outputs)
                pairs = Pairs(part.lifted(case.pairs.first), case.pairs.number)
                yield case._replace(outputs=outputs, pairs=pairs)
            first += len(part.outcomes)

    def laws(self, rank: int) -> tuple[Vector, Vector]:
        """The probabilities of the outcomes, and 0 for those that are about a part that does not differ."""
        _, left, right = Ranks(self.space).parts(rank)
        differ = {k for k, part in enumerate(self._parts) if part.digits(left) != part.digits(right)}
        left_out = {e for e, k in enumerate(self._about) if k not in differ}
        return self._law(left, left_out), self._law(right, left_out)

    def _law(self, position: int, left_out: set[int]) -> Vector:
        laws = [part.neighbours.law_at(part.digits(position)) for part in self._parts]
        return tuple(
            Quotient.of(0) if e in left_out else prod((laws[k][o] for k, o in row.items()), start=ONE)
            for e, row in enumerate(self._rows)
        )
