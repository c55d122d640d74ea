"""Comparisons of samples inside an expression, one branch at a time.

An expression is evaluated once for every outcome of the comparisons that it makes.  The first
evaluation takes the first feasible outcome of each comparison and queues the other; a queued branch
is evaluated again from the start, with the outcomes up to there given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from dipc.errors import InputError
from dipc.probability.joint import Joint, Linear
from dipc.semantics.evaluate import Decide

T = TypeVar("T")


class _Run:
    """One evaluation: ``joint`` already contains the constraints of the outcomes ``given``."""

    def __init__(self, given: tuple[bool, ...], joint: Joint) -> None:
        self.given = given
        self.joint = joint
        self.outcomes: list[bool] = []
        self.queued: list[_Run] = []

    def decide(self, form: Linear) -> bool:
        """Whether ``form`` is positive on this branch."""
        at = len(self.outcomes)
        outcome = self.given[at] if at < len(self.given) else self._split(form)
        self.outcomes.append(outcome)
        return outcome

    def _split(self, form: Linear) -> bool:
        above, below = self.joint.assuming(form), self.joint.assuming(form.negated())
        if above and below:
            self.queued.append(_Run((*self.outcomes, False), below))
        self.joint = above or below
        return bool(above)


def branches(evaluate: Callable[[Decide], T], joint: Joint) -> list[tuple[T, Joint]]:
    """All results of an evaluation, each with the density restricted to its branch.

    >>> from flint import fmpq
    >>> from dipc.probability.piecewise import Piecewise
    >>> joint = Joint.certain().extended(Piecewise.laplace(fmpq(1), fmpq(0)))
    >>> form = Linear(((0, fmpq(1)),), fmpq(-1))                       # the sample minus 1
    >>> [(sign, part.mass()) for sign, part in branches(lambda decide: decide(form), joint)]
    [(True, 1/2*exp(-eps)), (False, -1/2*exp(-eps) + 1)]
    """
    results = []
    pending = [_Run((), joint)]
    while pending:
        run = pending.pop()
        try:
            results.append((evaluate(run.decide), run.joint))
        except InputError:
            if run.joint.mass():
                raise  # else the branch is never taken, whatever eps: it cannot go wrong
        pending.extend(reversed(run.queued))
    return results
