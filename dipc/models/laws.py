"""All that a claim may see of a system: the output distributions of adjacent inputs.

A program, a Markov model or a list of distributions becomes :class:`Neighbours`.  Claims ask it

* for each output o, which pairs (P(u)(o), P(u')(o)) occur,
* which pairs (P(u), P(u')) of whole output laws occur,

each with the number of pairs of inputs that have it and with the rank of the first one.  Ranks grow in the
order of pairs: fewest changed cells, then u, then u'.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from dipc.models.values import Valuation
from dipc.numbers.quotient import Quotient


class Pairs(NamedTuple):
    """Some pairs of inputs: the rank of the first one, and how many there are."""

    first: int
    number: int


Vector = tuple[Quotient, ...]  # a probability for every outcome


class Case(NamedTuple):
    """All pairs of inputs (u, u') with the same probabilities of the same outputs.

    ``outputs`` are places in the list of outcomes, ``left`` and ``right`` their probabilities on u and u'.
    """

    outputs: tuple[int, ...]
    left: Vector
    right: Vector
    pairs: Pairs


def mass(law: Vector, outputs: Iterable[int]) -> Quotient:
    """The probability of a set of outputs, given by their places in the law."""
    return sum((law[o] for o in outputs), Quotient.of(0))


class Neighbours(Protocol):
    """The ordered pairs of adjacent inputs and their laws."""

    @property
    def inputs(self) -> int:
        """The number of inputs."""

    @property
    def outcomes(self) -> Sequence[Valuation]:
        """The outcomes with a positive probability on some input, in the order of the output sets."""

    @property
    def different(self) -> bool:
        """Whether any two different inputs are adjacent."""

    @property
    def symmetric(self) -> bool:
        """Whether the relation was symmetric as it was written."""

    @property
    def shortcut(self) -> str:
        """Why the cases by output are only those that decide a claim; empty if they are all."""

    def by_output(self) -> Iterator[Case]:
        """Outcome by outcome, the different pairs of its probabilities."""

    def by_law(self, limit: int | None = None) -> Iterator[Case]:
        """The different pairs of laws, of all pairs of inputs or of those up to this rank."""

    def count(self, limit: int | None = None) -> int:
        """The number of pairs of inputs, of all or of those up to this rank."""

    def pair(self, rank: int) -> tuple[Valuation, Valuation]:
        """The pair of inputs with this rank."""

    def laws(self, rank: int) -> tuple[Vector, Vector]:
        """The laws of these two inputs."""


def cases_in_order(neighbours: Neighbours, by_output: bool) -> list[Case]:
    """The cases by output or by law, sorted by their first pair of inputs, then by their outputs."""
    cases = neighbours.by_output() if by_output else neighbours.by_law()
    return sorted(cases, key=lambda case: (case.pairs.first, case.outputs))


class Listed:
    """A list of pairs of inputs; the rank of a pair is its place in the list.

    ``pairs`` hold places in the list of inputs; ``laws`` are the output laws of the inputs, each a
    probability for every outcome.
    """

    shortcut = ""

    def __init__(
        self,
        inputs: Sequence[Valuation],
        outcomes: Sequence[Valuation],
        laws: Sequence[Vector],
        pairs: Sequence[tuple[int, int]],
        symmetric: bool = True,
    ) -> None:
        self.inputs = len(inputs)
        self.outcomes = outcomes
        self.symmetric = symmetric
        self.different = any(i != j for i, j in pairs)
        self._inputs = inputs
        self._pairs = pairs
        number: dict[Vector, int] = {}
        self._law = [number.setdefault(law, len(number)) for law in laws]
        self._vectors = list(number)

    def restricted(self, pairs: Sequence[tuple[int, int]]) -> Listed:
        """The same laws with some of the pairs."""
        laws = [self._vectors[law] for law in self._law]
        found = Listed(self._inputs, self.outcomes, laws, pairs, self.symmetric)
        found.different = self.different  # a question about the relation
        return found

    def by_output(self) -> Iterator[Case]:
        for o in range(len(self.outcomes)):
            found: dict[tuple[Vector, Vector], Pairs] = {}
            for case in self.by_law():
                key = (case.left[o],), (case.right[o],)
                first, number = found.get(key, Pairs(case.pairs.first, 0))
                found[key] = Pairs(min(first, case.pairs.first), number + case.pairs.number)
            for (left, right), pairs in found.items():
                yield Case((o,), left, right, pairs)

    def by_law(self, limit: int | None = None) -> Iterator[Case]:
        found: dict[tuple[int, int], Pairs] = {}
        for rank, (i, j) in enumerate(self._pairs[: self.count(limit)]):
            key = self._law[i], self._law[j]
            first, number = found.get(key, Pairs(rank, 0))
            found[key] = Pairs(first, number + 1)
        every = tuple(range(len(self.outcomes)))
        for (left, right), pairs in found.items():
            yield Case(every, self._vectors[left], self._vectors[right], pairs)

    def count(self, limit: int | None = None) -> int:
        return len(self._pairs) if limit is None else limit + 1

    def pair(self, rank: int) -> tuple[Valuation, Valuation]:
        i, j = self._pairs[rank]
        return self._inputs[i], self._inputs[j]

    def laws(self, rank: int) -> tuple[Vector, Vector]:
        i, j = self._pairs[rank]
        return self._vectors[self._law[i]], self._vectors[self._law[j]]
