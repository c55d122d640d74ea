"""Formulas and queries where nothing depends on eps: one evaluation answers for the whole range.

The truth values come from :mod:`dipc.dpctl.checking`, which needs exact probabilities only where two numbers
are very close; those of a witness or a query are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from flint import fmpq

from dipc.clock import Clock
from dipc.dpctl.checking import Checker
from dipc.dpctl.formula import Formula, Privacy
from dipc.dpctl.regions import AnyChain, Evaluation, Found, Judge, Result, States
from dipc.models.chain import MarkovChain
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.tables import pieces


class Uniform(Judge):
    """An evaluation that is the same for the whole range."""

    eps_range: EpsRange
    clock: Clock

    def everywhere(self, question: Callable[[Judge], Result]) -> list[Found[Result]]:
        """The same answer on all pieces of the range."""
        self.clock.tick("regions")
        answer = frozenset([question(self)])
        return [Found(piece, answer) for piece in pieces((), self.eps_range)]

    def sign(self, value: Quotient) -> int:
        return value.sign_at(fmpq(1))


class Constant(Uniform):
    """The evaluation of formulas on a chain without eps."""

    def __init__(self, chain: AnyChain, eps_range: EpsRange, clock: Clock) -> None:
        self.chain, self.eps_range, self.clock = chain, eps_range, clock
        self._checker: Checker[Any] = Checker(cast("MarkovChain[Any]", chain), clock)
        self._broken: dict[Privacy, frozenset[tuple[int, int]]] = {}
        self._probabilities: dict[tuple[Formula, int], Quotient] = {}

    def satisfying(self, formula: Formula, asked: States, surely: bool = True) -> States:
        return self._checker.satisfying(formula) & asked

    def solve(self, path: Formula, states: Sequence[int]) -> None:
        """Find the probabilities in several states at once."""
        for state, number in zip(states, self._checker.exactly(path, states), strict=True):
            self._probabilities[path, state] = Quotient.one() * number

    def probability(self, path: Formula, state: int) -> Quotient:
        if (path, state) not in self._probabilities:
            self.solve(path, (state,))
        return self._probabilities[path, state]

    def broken(self, formula: Privacy, state: int) -> Iterator[tuple[int, int]]:
        if formula not in self._broken:
            self._broken[formula] = frozenset(self._checker.broken(formula))
        return (pair for pair in self.pairs(state) if pair in self._broken[formula])


AnyEvaluation = Evaluation | Uniform
