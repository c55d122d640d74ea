"""Values of a Markov model: probabilities, the least epsilon and the least delta, as functions of eps.

``D[?, d](f)`` is the least e >= 0 with Pr_s <= e^e Pr_t + d for the states s asked about and their neighbours
t, both ways: the largest ln((Pr_s - d)/Pr_t), infinite where Pr_t = 0 and Pr_s > d.  ``D[e, ?](f)`` is the
largest Pr_s - e^e Pr_t, at least 0.  Which pair attains the maximum may depend on eps: a value comes in
*segments*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from dipc.dpctl.formula import Query
from dipc.dpctl.regions import AnyEvaluation, Judge, merged
from dipc.numbers.quotient import Quotient
from dipc.signs.ends import Region

INSIDE = "a state formula inside is undecided"


class Attained(NamedTuple):
    """A value with the pair of states that attains it; ``value`` None: infinite.

    Of a least epsilon the value is its exponential, ``e^epsilon``.
    """

    value: Quotient | None
    state: int
    neighbour: int | None = None


class Enclosed(NamedTuple):
    """A value that was not found: it lies in [low, high]; ``high`` None: it may be infinite.

    The ``reason`` is why it stays open for this pair, which needs the most; of a least epsilon the ends are
    exponentials, as in :class:`Attained`.
    """

    low: Quotient
    high: Quotient | None
    state: int
    neighbour: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A maximal region of eps with the value there; several candidates where signs are not settled."""

    region: Region
    candidates: frozenset[Attained | Enclosed]

    @property
    def found(self) -> Attained | None:
        """The value, if it is settled."""
        (first, *others) = self.candidates
        return None if others or isinstance(first, Enclosed) else first

    @property
    def enclosed(self) -> Enclosed | None:
        """The interval in which the value lies, if that is all that is known."""
        return next((each for each in self.candidates if isinstance(each, Enclosed)), None)


def probability_segments(evaluation: AnyEvaluation, query: Query, state: int) -> tuple[Segment, ...]:
    """The least or the largest probability of a path formula in a state."""
    most = query.kind == "Pmax"

    def probability(local: Judge) -> Attained | Enclosed:
        if local.doubtful(query.path, state):
            return Enclosed(Quotient.of(0), Quotient.one(), state, None, INSIDE)
        return Attained(local.extremes(query.path, state)[most], state)

    return segments(evaluation, probability)


def segments(
    evaluation: AnyEvaluation, question: Callable[[Judge], Attained | Enclosed]
) -> tuple[Segment, ...]:
    """The answers to a question on maximal regions of eps."""
    runs = groupby(evaluation.everywhere(question), lambda found: found.results)
    return tuple(Segment(merged(list(run), lambda _: True)[0], results) for results, run in runs)


def least(local: Judge, query: Query, asked: Sequence[int]) -> Attained:
    """The least epsilon or the least delta over the states asked about and their neighbours."""
    zero, one = Quotient.of(0), Quotient.of(1)
    pairs = dict.fromkeys(pair for s in asked for pair in local.pairs(s))
    best = Attained(one if query.kind == "epsilon" else zero, asked[0])
    for s, t in pairs:
        for each in local.outcomes(query.path, s, t):
            value = _needed(local, query, each.p, each.q)
            if value is None:
                return Attained(None, s, t)
            assert best.value is not None
            if local.sign(value - best.value) > 0 or (best.neighbour is None and value == best.value):
                best = Attained(value, s, t)
    return best


def _needed(local: Judge, query: Query, p: Quotient, q: Quotient) -> Quotient | None:
    """What one inequality needs: ``e^epsilon`` or delta, None for an infinite epsilon."""
    if query.epsilon is not None:
        return p - query.epsilon.factor * q
    assert query.delta is not None
    excess = p - query.delta
    if local.sign(excess) <= 0:
        return Quotient.of(0)
    return excess / q if local.sign(q) else None
