"""All adjacent inputs, not listed: see :mod:`dipc.dipwhile.semantics.pairs`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from functools import cached_property
from typing import Protocol

from dipc.clock import Tick, unlimited
from dipc.dipwhile.semantics.adjacency import Distance, InputSpace
from dipc.dipwhile.semantics.diagrams import Diagrams
from dipc.dipwhile.semantics.formulas import Related
from dipc.dipwhile.semantics.pairs import (
    Ranks,
    Relation,
    UpTo,
    Walk,
    listed_pairs,
    number_of_pairs,
)
from dipc.dipwhile.semantics.step import Outcome
from dipc.dipwhile.semantics.valuations import grouped, in_order, output_valuation
from dipc.models.laws import Case, Vector
from dipc.models.values import Valuation, Value
from dipc.numbers.quotient import Quotient


class Functions(Protocol):
    """The possible outcomes, and the probability of each as a function of the input."""

    @property
    def outcomes(self) -> frozenset[Outcome]:
        """Those with a positive probability on some input."""

    def function(self, outcome: Outcome, diagrams: Diagrams) -> int:
        """The probability of an outcome as a node of ``diagrams``."""


class OutputLaws:
    """The output laws of all inputs: the probability of each outcome as a function of the input."""

    def __init__(self, functions: Functions, space: InputSpace) -> None:
        outcomes = in_order(space.program, functions.outcomes)
        self.outcomes = [output_valuation(space.program, outcome) for outcome in outcomes]
        self.space = space
        self._diagrams = Diagrams([len(domain) for domain in space.domains])
        self._functions = [functions.function(outcome, self._diagrams) for outcome in outcomes]

    def diagrams(self) -> tuple[Diagrams, list[int]]:
        """The probabilities of all outcomes as functions of the input: a store, and a node for each."""
        return self._diagrams, self._functions

    @cached_property
    def joined(self) -> int:
        """The law as a function of the input; equal laws are one leaf."""
        return self._diagrams.joined(self._functions)

    def leaf(self, key: Sequence[Value]) -> int:
        """The law of an input, given by the values of its cells."""
        digits = [domain.index(value) for domain, value in zip(self.space.domains, key, strict=True)]
        return self._diagrams.at(self.joined, digits)

    def law(self, leaf: int) -> Vector:
        """The probabilities of a law."""
        parts = self._diagrams.value(leaf)
        assert isinstance(parts, tuple)
        return tuple(self._probability(part) for part in parts)

    def _probability(self, leaf: int) -> Quotient:
        value = self._diagrams.value(leaf)
        assert isinstance(value, Quotient)
        return value


class WithinDistance:
    """All adjacent pairs of inputs, read cell by cell, without their laws."""

    shortcut = ""

    def __init__(self, space: InputSpace, relation: Distance | Related) -> None:
        self.space = space
        self.inputs = space.size
        self.symmetric, self.different = relation.symmetric, relation.different
        self._valuations: dict[int, Valuation] = {}
        self._relation = relation

    def count(self, limit: int | None = None) -> int:
        """A walk that looks at no probability."""
        return number_of_pairs(self.space, self._up_to(limit))

    def pair(self, rank: int) -> tuple[Valuation, Valuation]:
        """Both inputs from their positions."""
        _, left, right = Ranks(self.space).parts(rank)
        return self._valuation(left), self._valuation(right)

    def _valuation(self, position: int) -> Valuation:
        if position not in self._valuations:
            self._valuations[position] = grouped(self.space.program.inputs, self.space.at(position))
        return self._valuations[position]

    def _up_to(self, limit: int | None) -> Relation:
        return self._relation if limit is None else UpTo(self._relation, self.space, limit)


class ProductNeighbours(OutputLaws, WithinDistance):
    """All adjacent inputs, by the product construction."""

    def __init__(
        self,
        functions: Functions,
        space: InputSpace,
        relation: Distance | Related,
    ) -> None:
        OutputLaws.__init__(self, functions, space)
        WithinDistance.__init__(self, space, relation)
        self._tick: Tick = unlimited

    def telling(self, tick: Tick) -> ProductNeighbours:
        """The same neighbours, whose walks call ``tick`` and add to diagrams of their own."""
        other = copy(self)
        other._tick = tick
        other._diagrams = self._diagrams.copy()
        return other

    def positions(self) -> list[tuple[int, int]]:
        """The places of both inputs of all pairs, pair by pair."""
        return listed_pairs(self.space, self._relation)

    def by_output(self) -> Iterator[Case]:
        """A walk for every outcome."""
        walk = Walk(self.space, self._relation)
        for o, function in enumerate(self._functions):
            for (left, right), pairs in walk.pairs(self._diagrams, function, self._tick).items():
                yield Case((o,), (self._probability(left),), (self._probability(right),), pairs)

    def by_law(self, limit: int | None = None) -> Iterator[Case]:
        """One walk with all outcomes at once."""
        every = tuple(range(len(self.outcomes)))
        law = self._diagrams.joined(self._functions)
        found = Walk(self.space, self._up_to(limit)).pairs(self._diagrams, law, self._tick)
        laws = {leaf: self.law(leaf) for leaf in {leaf for pair in found for leaf in pair}}
        for (left, right), pairs in found.items():
            yield Case(every, laws[left], laws[right], pairs)

    def laws(self, rank: int) -> tuple[Vector, Vector]:
        """The functions evaluated."""
        _, left, right = Ranks(self.space).parts(rank)
        return self.law_at(self.space.digits(left)), self.law_at(self.space.digits(right))

    def law_at(self, digits: Sequence[int]) -> Vector:
        """The law of the input in which each cell has this value of its domain."""
        return tuple(self._probability(self._diagrams.at(f, digits)) for f in self._functions)
