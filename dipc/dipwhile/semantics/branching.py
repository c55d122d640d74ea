"""Comparisons of samples inside an expression, one branch at a time.

An expression is evaluated once for every outcome of the comparisons that it makes.  The first
evaluation takes the first feasible outcome of each comparison and queues the other; a queued branch
is evaluated again from the start, with the outcomes up to there given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from flint import fmpq

from dipc.dipwhile.semantics.evaluate import Decide
from dipc.errors import InputError
from dipc.frozen import frozen
from dipc.integration.joint import Joint
from dipc.integration.linear import Linear

T = TypeVar("T")


Range = tuple[fmpq | None, fmpq | None]


@frozen
class Branch(Generic[T]):
    """A result, the density where it comes about, and the conditions (in normal form) that say where."""

    value: T
    joint: Joint
    conditions: tuple[Linear, ...]


@dataclass
class _Run:
    """One evaluation; ``joint`` already satisfies the answers ``given``."""

    given: tuple[bool | Range, ...]
    joint: Joint
    conditions: tuple[Linear, ...]
    answers: list[bool | Range] = field(default_factory=list)
    queued: list[_Run] = field(default_factory=list)

    def __call__(self, form: Linear, strict: bool) -> bool:
        """Whether ``form > 0`` (strict) or ``form >= 0`` on this branch."""
        return bool(self._answer(lambda: self._split(form, strict)))

    def range_of(self, form: Linear) -> Range:
        """Bounds on the values of an expression on this branch."""
        answer = self._answer(lambda: self.joint.range_of(form))
        assert isinstance(answer, tuple)
        return answer

    def _answer(self, find: Callable[[], bool | Range]) -> bool | Range:
        """The answer given before, so that an evaluation that is repeated goes the same way; or a new one."""
        at = len(self.answers)
        answer = self.given[at] if at < len(self.given) else find()
        self.answers.append(answer)
        return answer

    def _split(self, form: Linear, strict: bool) -> bool:
        """Both outcomes if both are possible; a certain outcome adds no condition."""
        holds, fails = form.condition(strict), form.negated().condition(not strict)
        above, below = self.joint.assuming(holds), self.joint.assuming(fails)
        if above and below:
            self.queued.append(_Run((*self.answers, False), below, (*self.conditions, fails)))
            self.joint = above
            self.conditions = (*self.conditions, holds)
        return bool(above)


def branches(evaluate: Callable[[Decide], T], joint: Joint) -> list[Branch[T]]:
    """All results of an evaluation, each with the density restricted to its branch."""
    results = []
    pending = [_Run((), joint, ())]
    while pending:
        run = pending.pop()
        try:
            results.append(Branch(evaluate(run), run.joint, run.conditions))
        except InputError:
            if run.joint.mass():
                raise  # a branch that is never taken, whatever eps, cannot go wrong
        pending.extend(reversed(run.queued))
    return results
