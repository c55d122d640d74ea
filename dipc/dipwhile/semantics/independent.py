"""Adjacent inputs of a program with independent parts, where no two parts differ at once.

Let P_k(u) be the law of part k on input u, so that P(u) is the product of all P_k(u)
(:mod:`dipc.dipwhile.semantics.parts`).  Suppose that any adjacent u, u' differ in the input cells of one part
with outputs at most.  This is established: a change costs at least the least cost of a move in some cell of
the part, and the two least of these costs exceed the distance, together; under ``linf``, where each cell may
use the whole distance, at most one of them is within it.

**A claim holds iff it holds for each part** with the same distance on its cells.  Two adjacent inputs of a
part, completed with equal values, are adjacent; and of adjacent u, u' only part k differs, whose inputs are
adjacent.  There P(u) = P_k(u) x R and P(u') = P_k(u') x R with the same law R of the other parts.  Drawing
from R beside an output of part k turns the laws of the part into those of the whole, forgetting what was
drawn turns them back, and neither looks at the input.  Privacy, with or without delta, bounded range and a
bound on a Renyi divergence are kept by such processing: so they hold before iff they hold after.  Two inputs
that differ in cells without outputs only have equal laws, like an input and itself.

**Outputs.**  With delta = 0, an output o of part k stands for the output that has o there and, in each other
part, the first output that is possible for every eps of the range if all cells have their first value.  In
the first pair of inputs that violates the claim the other cells have it, and all probabilities of outputs
that are stood for have the same positive factor.  For other claims, an output of a part stands for the event
that the part has it, and ``laws`` are those of the part that differs.  The cases hold probabilities of parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import prod

from flint import fmpq

from dipc.claims.oracle import SignOracle, require_positive
from dipc.dipwhile.semantics.adjacency import Distance, InputSpace, cost
from dipc.dipwhile.semantics.evaluate import spelled_cell
from dipc.dipwhile.semantics.neighbours import ProductNeighbours
from dipc.dipwhile.semantics.pairs import Ranks, UpTo, number_of_pairs
from dipc.dipwhile.semantics.parts import Part
from dipc.dipwhile.semantics.valuations import grouped, ungrouped
from dipc.dipwhile.syntax.core import CoreAdjacency
from dipc.errors import InputError
from dipc.models.laws import Case, Pairs, Vector
from dipc.models.values import Valuation
from dipc.numbers.quotient import Quotient


def one_differs(space: InputSpace, parts: Sequence[Part], relation: CoreAdjacency) -> bool:
    """Whether adjacent inputs differ in one part with outputs at most."""
    if relation.formula is not None:
        return False
    distance = relation.distance or fmpq(0)
    least = sorted(
        min(moves) for part in parts if part.outputs and (moves := _moves(space, part, relation.kind))
    )
    if len(least) < 2:
        return True
    return least[1] > distance if relation.kind == "linf" else least[0] + least[1] > distance


def _moves(space: InputSpace, part: Part, kind: str) -> list[fmpq]:
    """What the changes of single cells cost."""
    domains = {space.domains[space.place[cell]] for cell in part.inputs}
    return [cost(kind, a, b) for domain in domains for i, a in enumerate(domain) for b in domain[:i]]


class _Placed:
    """A part with the laws of its inputs; its outcomes are those from ``first`` on."""

    def __init__(self, whole: InputSpace, part: Part, neighbours: ProductNeighbours, first: int) -> None:
        self.part, self.neighbours, self.first = part, neighbours, first
        found = [ungrouped(part.program.outputs, outcome).values() for outcome in neighbours.outcomes]
        self.outcomes = [dict(zip(part.outputs, values, strict=True)) for values in found]
        self._whole = whole
        self._places = [whole.place[cell] for cell in part.inputs]

    def lifted(self, rank: int) -> int:
        """The rank of the pair of whole inputs in which all other cells have their first value."""
        _, left, right = Ranks(self.neighbours.space).parts(rank)
        digits = zip(self.neighbours.space.digits(left), self.neighbours.space.digits(right), strict=True)
        ranks = Ranks(self._whole)
        return sum(ranks.step(place, a, b) for place, (a, b) in zip(self._places, digits, strict=True))

    def digits(self, position: int) -> list[int]:
        """The places of the values of the cells of the part in their domains, of a whole input."""
        digits = self._whole.digits(position)
        return [digits[place] for place in self._places]

    def law(self, position: int) -> Vector:
        """The law of the part on a whole input."""
        return self.neighbours.law_at(self.digits(position))

    def possible(self, judge: SignOracle) -> int:
        """The first output that is possible for every eps where all cells have their first value."""
        for o, p in enumerate(self.law(0)):
            try:
                require_positive(p, judge, None)
            except InputError:
                continue
            return o
        raise InputError("no output is possible for every eps")


class Independent:
    """All adjacent inputs; the outcomes are those of one part after the other.

    ``whole``: they stand for outputs of the program, for claims by output.  Raises :class:`InputError` if
    there are none that can.
    """

    symmetric = True
    reduced = 0

    def __init__(
        self,
        space: InputSpace,
        relation: CoreAdjacency,
        parts: Sequence[tuple[Part, ProductNeighbours]],
        judge: SignOracle,
        whole: bool,
    ) -> None:
        self.inputs = space.size
        self._space, self._relation = space, Distance(space, relation)
        firsts = accumulate((len(neighbours.outcomes) for _, neighbours in parts), initial=0)
        self._parts = [_Placed(space, *each, first) for each, first in zip(parts, firsts, strict=False)]
        if self.outputs == 1:
            raise InputError("there is only one output")
        self._whole = whole
        self._given = [part.possible(judge) if whole else 0 for part in self._parts]
        given = zip(self._parts, self._given, strict=True)
        rest = {cell: value for part, o in given for cell, value in part.outcomes[o].items()}
        outputs = space.program.outputs
        self.completed = [grouped(outputs, rest | own) for part in self._parts for own in part.outcomes]
        events: list[Valuation] = [
            tuple((spelled_cell(cell), value) for cell, value in outcome.items())
            for part in self._parts
            for outcome in part.outcomes
        ]
        self.outcomes = self.completed if whole else events

    @property
    def outputs(self) -> int:
        """The number of outputs of the program."""
        return prod(len(part.outcomes) for part in self._parts)

    def before(self, output: Valuation) -> int:
        """How many outputs of the program come before this one."""
        wanted, found = ungrouped(self._space.program.outputs, output), 0
        left = [part.outcomes for part in self._parts]
        for variable in self._space.program.outputs:
            place = {value: i for i, value in enumerate(variable.domain)}
            for cell in variable.cells:
                own = next(k for k, part in enumerate(self._parts) if cell in part.part.outputs)
                smaller = [each for each in left[own] if place[each[cell]] < place[wanted[cell]]]
                found += prod(len(smaller) if k == own else len(each) for k, each in enumerate(left))
                left[own] = [each for each in left[own] if each[cell] == wanted[cell]]
        return found

    @property
    def different(self) -> bool:
        """Whether there are more pairs than inputs."""
        return self.count() > self.inputs

    def by_output(self) -> Iterator[Case]:
        """The cases of each part."""
        return (self._case(part, case) for part in self._parts for case in part.neighbours.by_output())

    def by_law(self, limit: int | None = None) -> Iterator[Case]:
        """The cases of each part."""
        cases = (self._case(part, case) for part in self._parts for case in part.neighbours.by_law())
        return (case for case in cases if limit is None or case.pairs.first <= limit)

    def _case(self, part: _Placed, case: Case) -> Case:
        outputs = tuple(part.first + o for o in case.outputs)
        return case._replace(outputs=outputs, pairs=Pairs(part.lifted(case.pairs.first), case.pairs.number))

    def count(self, limit: int | None = None) -> int:
        """A walk that looks at no probability."""
        relation = self._relation if limit is None else UpTo(self._relation, self._space, limit)
        return number_of_pairs(self._space, relation)

    def pair(self, rank: int) -> tuple[Valuation, Valuation]:
        """Both inputs from their positions."""
        _, left, right = Ranks(self._space).parts(rank)
        inputs = self._space.program.inputs
        return grouped(inputs, self._space.at(left)), grouped(inputs, self._space.at(right))

    def laws(self, rank: int) -> tuple[Vector, Vector]:
        """The probabilities of the outcomes of the part that differs, and 0 for those of other parts."""
        _, left, right = Ranks(self._space).parts(rank)
        differs = next(
            (part for part in self._parts if part.digits(left) != part.digits(right)), self._parts[0]
        )
        others = Quotient.one()
        if self._whole:
            for part, o in zip(self._parts, self._given, strict=True):
                others = others if part is differs else others * part.law(left)[o]
        return self._vector(differs, left, others), self._vector(differs, right, others)

    def _vector(self, differs: _Placed, position: int, others: Quotient) -> Vector:
        zero = Quotient.of(0)
        return tuple(
            p * others if part is differs else zero for part in self._parts for p in part.law(position)
        )
