"""Which pairs of probabilities neighbouring inputs have: the same answers by walking and by listing.

Both classes below answer, for all ordered pairs (u, u') of neighbours,

* for every output o, which pairs (P(u)(o), P(u')(o)) there are,
* which pairs (P(u), P(u')) of whole output laws there are,

each with the rank of the first pair of inputs that has it (a number that grows in the order of pairs: fewest
changed cells, then u, then u') and with the number of pairs of inputs that have it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from typing import NamedTuple, Protocol

from dipc.dipwhile.semantics.adjacency import Distance, Input, InputSpace, Pair
from dipc.dipwhile.semantics.diagrams import Diagrams
from dipc.dipwhile.semantics.explore import Law
from dipc.dipwhile.semantics.functions import OutputFunctions
from dipc.dipwhile.semantics.pairs import Pairs, Ranks, Relation, UpTo, number_of_pairs, walk
from dipc.dipwhile.semantics.step import Outcome
from dipc.dipwhile.syntax.core import CoreProgram
from dipc.numbers.quotient import Quotient

Vector = tuple[Quotient, ...]  # a probability for every outcome
Tick = Callable[[], None]  # called now and then; may raise LimitReached


def silent() -> None:
    """Nobody wants to know."""


class Case(NamedTuple):
    """All pairs of inputs (u, u') with the same probabilities of the same outputs.

    ``outputs`` are places in the list of outcomes, ``left`` and ``right`` their probabilities on u and u'.
    """

    outputs: tuple[int, ...]
    left: Vector
    right: Vector
    pairs: Pairs


class Neighbours(Protocol):
    """The ordered pairs of neighbouring inputs and their laws."""

    @property
    def inputs(self) -> int:
        """How many inputs there are."""

    @property
    def outcomes(self) -> Sequence[Outcome]:
        """The outcomes with a positive probability on some input, in the order of the output sets."""

    @property
    def different(self) -> bool:
        """Whether some two different inputs are neighbours."""

    @property
    def symmetric(self) -> bool:
        """Whether the relation was symmetric as it was written."""

    def by_output(self) -> Iterator[Case]:
        """For one outcome after the other, the different pairs of its probabilities."""

    def by_law(self, limit: int | None = None) -> Iterator[Case]:
        """The different pairs of laws; only of the pairs of inputs up to this rank."""

    def count(self, limit: int | None = None) -> int:
        """The number of pairs of inputs, or of those up to this rank."""

    def pair(self, rank: int) -> tuple[Input, Input]:
        """The pair of inputs with this rank."""

    def laws(self, rank: int) -> tuple[Vector, Vector]:
        """The laws of these two inputs."""


class Walked:
    """All neighbours in a named distance, without listing them: see :mod:`dipc.dipwhile.semantics.pairs`."""

    def __init__(self, space: InputSpace, relation: Distance, functions: OutputFunctions) -> None:
        self.inputs = space.size
        self.outcomes = in_order(space.program, functions.outcomes)
        self._space = space
        self._relation = relation
        self._tick: Tick = silent
        self._diagrams = Diagrams([len(domain) for domain in space.domains])
        self._functions = [functions.function(outcome, self._diagrams) for outcome in self.outcomes]
        self.symmetric = True

    def telling(self, tick: Tick) -> Walked:
        """The same neighbours, whose walks call ``tick`` and add to diagrams of their own."""
        other = copy(self)
        other._tick = tick
        other._diagrams = self._diagrams.copy()
        return other

    @property
    def different(self) -> bool:
        """In a distance every input is its own neighbour: are there more pairs than inputs?"""
        return self.count() > self.inputs

    def by_output(self) -> Iterator[Case]:
        """A walk for every outcome."""
        for o, function in enumerate(self._functions):
            found = walk(self._diagrams, function, self._space, self._relation, self._tick)
            for (left, right), pairs in found.items():
                yield Case((o,), (self._probability(left),), (self._probability(right),), pairs)

    def by_law(self, limit: int | None = None) -> Iterator[Case]:
        """One walk with all outcomes at once."""
        every = tuple(range(len(self.outcomes)))
        law = self._diagrams.joined(self._functions)
        found = walk(self._diagrams, law, self._space, self._up_to(limit), self._tick)
        laws = {leaf: self._law(leaf) for pair in found for leaf in pair}
        for (left, right), pairs in found.items():
            yield Case(every, laws[left], laws[right], pairs)

    def count(self, limit: int | None = None) -> int:
        """A walk that looks at no probability."""
        return number_of_pairs(self._space, self._up_to(limit))

    def pair(self, rank: int) -> tuple[Input, Input]:
        """Both inputs from their positions."""
        _, left, right = Ranks(self._space).parts(rank)
        return self._space.at(left), self._space.at(right)

    def laws(self, rank: int) -> tuple[Vector, Vector]:
        """The functions evaluated."""
        _, left, right = Ranks(self._space).parts(rank)
        return self._law_at(left), self._law_at(right)

    def _law_at(self, position: int) -> Vector:
        digits = self._space.digits(position)
        return tuple(self._probability(self._diagrams.at(f, digits)) for f in self._functions)

    def _up_to(self, limit: int | None) -> Relation:
        return self._relation if limit is None else UpTo(self._relation, self._space, limit)

    def _probability(self, leaf: int) -> Quotient:
        value = self._diagrams.value(leaf)
        assert isinstance(value, Quotient)
        return value

    def _law(self, leaf: int) -> Vector:
        parts = self._diagrams.value(leaf)
        assert isinstance(parts, tuple)
        return tuple(self._probability(part) for part in parts)


class Listed:
    """A list of pairs of inputs; the rank of a pair is its place in the list.

    ``pairs`` hold places in the list of inputs, and ``laws`` are their output laws.
    """

    def __init__(
        self,
        program: CoreProgram,
        inputs: Sequence[Input],
        laws: Sequence[Law],
        pairs: Sequence[Pair],
        symmetric: bool = True,
    ) -> None:
        self.inputs = len(inputs)
        self.outcomes = in_order(program, {outcome for law in laws for outcome in law})
        self.symmetric = symmetric
        self.different = any(i != j for i, j in pairs)
        self._inputs = inputs
        self._pairs = pairs
        zero = Quotient.of(0)
        vectors = (tuple(law.get(outcome, zero) for outcome in self.outcomes) for law in laws)
        number: dict[Vector, int] = {}
        self._law = [number.setdefault(vector, len(number)) for vector in vectors]
        self._vectors = list(number)

    def by_output(self) -> Iterator[Case]:
        """The pairs of laws taken apart."""
        for o in range(len(self.outcomes)):
            found: dict[tuple[Vector, Vector], Pairs] = {}
            for case in self.by_law():
                key = (case.left[o],), (case.right[o],)
                first, number = found.get(key, Pairs(case.pairs.first, 0))
                found[key] = Pairs(min(first, case.pairs.first), number + case.pairs.number)
            for (left, right), pairs in found.items():
                yield Case((o,), left, right, pairs)

    def by_law(self, limit: int | None = None) -> Iterator[Case]:
        """The pairs of inputs with equal laws put together."""
        found: dict[Pair, Pairs] = {}
        for rank, (i, j) in enumerate(self._pairs[: self.count(limit)]):
            key = self._law[i], self._law[j]
            first, number = found.get(key, Pairs(rank, 0))
            found[key] = Pairs(first, number + 1)
        every = tuple(range(len(self.outcomes)))
        for (left, right), pairs in found.items():
            yield Case(every, self._vectors[left], self._vectors[right], pairs)

    def count(self, limit: int | None = None) -> int:
        """The length of the list, or of its part."""
        return len(self._pairs) if limit is None else limit + 1

    def pair(self, rank: int) -> tuple[Input, Input]:
        """The pair at this place."""
        i, j = self._pairs[rank]
        return self._inputs[i], self._inputs[j]

    def laws(self, rank: int) -> tuple[Vector, Vector]:
        """Their vectors."""
        i, j = self._pairs[rank]
        return self._vectors[self._law[i]], self._vectors[self._law[j]]


def in_order(program: CoreProgram, outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Outcomes in the order of the output sets, the last cell varying fastest."""
    places = [{v: i for i, v in enumerate(x.domain)} for x in program.outputs for _ in x.cells]
    return sorted(outcomes, key=lambda o: [p[v] for p, v in zip(places, o, strict=True)])
