"""Values of a Markov model: probabilities, the least epsilon and the least delta, as functions of eps.

``D[?, d](f)`` is the least e >= 0 with Pr_s <= e^e Pr_t + d for the states s asked about and their neighbours
t, both ways: the largest ln((Pr_s - d)/Pr_t), infinite where Pr_t = 0 and Pr_s > d.  ``D[e, ?](f)`` is the
largest Pr_s - e^e Pr_t, at least 0.  Which pair attains the maximum may depend on eps: a value comes in
*segments*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cmp_to_key, partial
from itertools import groupby
from typing import NamedTuple

from dipc.dpctl.bounds import lifted
from dipc.dpctl.formula import Query
from dipc.dpctl.regions import INSIDE, Evaluation, Judge, merged
from dipc.numbers.quotient import Quotient
from dipc.signs.ends import Region


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


def probability_segments(evaluation: Evaluation, query: Query, state: int) -> tuple[Segment, ...]:
    """The least or the largest probability of a path formula in a state."""
    most = query.kind == "Pmax"

    def probability(local: Judge) -> Attained | Enclosed:
        if local.doubtful(query.path, state):
            return Enclosed(Quotient.of(0), Quotient.one(), state, None, INSIDE)
        return Attained(local.extremes(query.path, state)[most], state)

    return segments(evaluation, probability)


def segments(evaluation: Evaluation, question: Callable[[Judge], Attained | Enclosed]) -> tuple[Segment, ...]:
    """The answers to a question on maximal regions of eps."""
    runs = groupby(evaluation.everywhere(question), lambda found: found.results)
    return tuple(Segment(merged(list(run), lambda _: True)[0], results) for results, run in runs)


def least(local: Judge, query: Query, asked: Sequence[int]) -> Attained | Enclosed:
    """The least e^epsilon or the least delta over the states asked about and their neighbours.

    Where pairs stay open, it is an interval.
    """
    bound, open_pairs = local.bound(query.epsilon, query.delta, query.kind), list[Enclosed]()
    for s, t in dict.fromkeys(pair for state in asked for pair in local.pairs(state)):
        if local.is_constant and local.doubtful(query.path, s, t):
            most = None if query.kind == "epsilon" else Quotient.one()
            open_pairs.append(Enclosed(Quotient.of(0), most, s, t, INSIDE))
        elif (found := local.search(query.path, s, t, bound)).wider is not None:
            most = None if (wider := found.wider.parameter) is None else lifted(wider)
            open_pairs.append(Enclosed(Quotient.of(0), most, s, t, local.limits))
    value = None if bound.parameter is None else lifted(bound.parameter)
    if value is not None and open_pairs:
        ordered = cmp_to_key(partial(_order, local))
        worst = max(open_pairs, key=lambda pair: ordered(pair.high))
        if _order(local, worst.high, value) > 0:
            return worst._replace(low=value)
    return Attained(value, *(bound.attained or (asked[0], None)))


def _order(local: Judge, a: Quotient | None, b: Quotient | None) -> int:
    """The order of two numbers; None is infinite."""
    return (a is None) - (b is None) if a is None or b is None else local.sign(a - b)
