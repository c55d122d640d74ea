"""Chains and formulas without eps: the numeric checker, asked like the evaluation on a piece of a range."""

from __future__ import annotations

from collections.abc import Iterator

from flint import fmpq

from dipc.clock import Clock
from dipc.dpctl.checking import Checker
from dipc.dpctl.formula import Formula, Interval, Privacy
from dipc.models.chain import MarkovChain
from dipc.numbers.quotient import Quotient

States = frozenset[int]
ANYWHERE = fmpq(1)  # nothing depends on eps


class Numbers:
    """The exact probabilities of a path formula, each computed when it is asked for."""

    def __init__(self, checker: Checker[fmpq], path: Formula) -> None:
        self._checker, self._path = checker, path

    def __getitem__(self, state: int) -> Quotient:
        return Quotient.of(self._checker.exactly(self._path, [state])[0])


class Numeric:
    """What :func:`~dipc.dpctl.witness.reason` asks, answered by balls and exact numbers."""

    def __init__(self, chain: MarkovChain[fmpq], clock: Clock) -> None:
        self.chain, self._checker = chain, Checker(chain, clock)

    def satisfying(self, formula: Formula, asked: States) -> States:
        """The states among ``asked`` in which a state formula holds."""
        return self._checker.satisfying(formula) & asked

    def numbers(self, path: Formula) -> Numbers:
        """The probabilities of a path formula."""
        return Numbers(self._checker, path)

    def sign(self, value: Quotient) -> int:
        """The sign of a number."""
        return value.sign_at(ANYWHERE)

    def missed(self, interval: Interval, p: Quotient) -> Quotient | None:
        """The end of the interval that a probability misses."""
        if self.sign(p - interval.low) < (0 if interval.low_closed else 1):
            return interval.low
        return interval.high if self.sign(interval.high - p) < (0 if interval.high_closed else 1) else None

    def broken(self, formula: Privacy, state: int) -> Iterator[tuple[int, int]]:
        """The pairs (s, t), one of them ``state``, with Pr_s > e^epsilon Pr_t + delta."""
        pairs = self._checker.broken(formula)
        return iter(sorted((p for p in pairs if state in p), key=lambda p: self._rank(p, state)))

    def _rank(self, pair: tuple[int, int], state: int) -> tuple[int, bool]:
        other = pair[1] if pair[0] == state else pair[0]
        return list(self.chain.neighbours_of(state)).index(other), pair[0] != state
