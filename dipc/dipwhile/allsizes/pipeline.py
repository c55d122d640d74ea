"""The whole way: a question about every size, to its verdict.

syntax tree -> automaton -> strategies, a proof, which the exact engine confirms at the smallest sizes;
without one, refutation at N = 1, 2, ...
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from flint import fmpq

from dipc.clock import Clock
from dipc.dipwhile.allsizes.confirm import Contradicted, confirmed
from dipc.dipwhile.allsizes.meaning import check_some, doubt_about
from dipc.dipwhile.allsizes.prepared import prepared
from dipc.dipwhile.allsizes.question import Question
from dipc.dipwhile.allsizes.refute import attained, doubted, refuted
from dipc.dipwhile.allsizes.strategies import Solved, strategies
from dipc.dipwhile.allsizes.verdict import AllSizesVerdict, LeastT, Open, ProvedForAll
from dipc.errors import LimitReached, Unsupported


def prove(question: Question, clock: Clock, find_least: bool = True) -> AllSizesVerdict:
    """Prove the claim of a question for every size, or refute it.

    Without a claim, or with ``find_least``, the least t is computed, too.  Raises :class:`InputError` for
    what is wrong in the program.
    """
    asked = prepared(question)
    t = question.goal.t if question.goal else None
    try:
        automaton = asked.automaton(clock)
    except Unsupported as limit:
        return refuted(asked, None, limit, clock)
    solved = strategies(automaton, t, clock, find_least or t is None)
    if isinstance(solved, Solved) and (t is None or solved.t <= t):
        check_some(asked.front, asked.budgets, clock)
        doubt = doubt_about(asked, clock)
        if doubt is not None:
            return doubted(asked, automaton, doubt, clock)
        try:
            agreed = confirmed(asked, solved.t, clock)
        except Contradicted as contradiction:
            reason = f"the proof with t = {solved.t} is wrong, which is a bug of dipc: {contradiction.text}"
            return Open(reason, inputs=automaton.inputs)
        proved = ProvedForAll(automaton, solved.strategies, LeastT(fmpq(0), solved.t), agreed)
        if find_least or t is None:
            clock.found(proved)  # it stands, whatever is found below its t
            with suppress(LimitReached):
                return replace(proved, least=attained(asked, automaton, solved, clock))
        return proved
    return refuted(asked, automaton, solved, clock)
