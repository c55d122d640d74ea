"""The whole way: a question about every size, to its verdict.

syntax tree -> automaton -> strategies, a proof, which the exact engine confirms at the smallest sizes;
without one, refutation at N = 1, 2, ...: t(N), a pair of inputs that breaks the claim, the least t.

For each size the greatest cost of a run is a bound that no input exceeds.  Where it is above the claim,
the dearest run says how inputs differ, and the exact engine decides the claim for u + s*d against
u + (s + 1)*d, s = 0, 1, 2, 4, ...  So "violated" comes from the exact engine, and "not at a smaller size"
from proofs.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from flint import fmpq

from dipc.clock import Clock
from dipc.dipwhile.allsizes.automaton import Automaton
from dipc.dipwhile.allsizes.confirm import Contradicted, check_small, confirmed
from dipc.dipwhile.allsizes.question import Question
from dipc.dipwhile.allsizes.runs import cycle_in_words
from dipc.dipwhile.allsizes.search import MOST_SIZE, SMALL, Search
from dipc.dipwhile.allsizes.strategies import Solved, Unsolved, strategies
from dipc.dipwhile.allsizes.verdict import AllSizesVerdict, BrokenFrom, LeastT, Open, ProvedForAll
from dipc.dipwhile.syntax import ast
from dipc.errors import LimitReached, Span, Unsupported


def prove(question: Question, clock: Clock, find_least: bool = True) -> AllSizesVerdict:
    """Prove the claim of a question for every size, or refute it.

    Without a claim, or with ``find_least``, the least t is computed, too.  Raises :class:`InputError` for
    what is wrong in the program.
    """
    asked = question.checked()
    t = question.goal.multiple if question.goal else None
    try:
        automaton = asked.automaton(clock)
    except Unsupported as limit:
        return refuted(asked, None, limit, clock)
    solved = strategies(automaton, t, clock, find_least or t is None)
    if isinstance(solved, Solved) and (t is None or solved.t <= t):
        check_small(asked, clock)
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


# --- what speaks against a claim -------------------------------------------------------------


def attained(asked: Question, automaton: Automaton, solved: Solved, clock: Clock) -> LeastT:
    """What is known of the least t below the proved one: exact, if some size needs it."""
    search = Search(asked, clock)
    found = search.least(solved.t, SMALL)
    size = search.longer(automaton, solved.t) if not found.exact and automaton.sizes else None
    return found if size is None else LeastT(solved.t, solved.t, size)


def refuted(
    asked: Question, automaton: Automaton | None, failure: Solved | Unsolved | Unsupported, clock: Clock
) -> AllSizesVerdict:
    """The claim was not proved: a size that breaks it, confirmed by the exact engine, or why it is open.

    A claim with a delta and what the method does not cover at any size are refuted on the declared inputs
    only; without a violation there they stay open, with the sizes at which `dipc check` agrees.
    """
    search = Search(asked, clock, MOST_SIZE if automaton is not None else SMALL - 1)
    goal = asked.goal
    found = search.broken() if goal is not None else None
    inputs = automaton.inputs if automaton is not None else ""
    least, cycle = _least(search, automaton, failure, found) if automaton or found else (None, "")
    if found is not None:
        # A counterexample forgets the sets of outputs: its numbers are levels.  Outputs in a finite set keep
        # it, and `in reals` there is nothing to leave.
        outputs = asked.program.outputs
        loose = {d.name for d in outputs if isinstance(d.domain, ast.Between | ast.Integers)}
        if loose and (automaton is None or loose & asked.system().outside):
            return Open(MAY_FAIL, None, None, search.checked(), inputs)
        assert least is not None
        return replace(found, least=least, cycle=cycle, inputs=inputs)
    doubts = asked.system().doubts if isinstance(failure, Unsolved) else {}
    reason, span = next(iter(doubts), None) or _why(failure, cycle)
    if goal is not None and goal.delta:
        reason = f"only a proof with delta = 0 is known for every size: {reason}"
    return Open(reason, span, least, search.checked(), inputs)


MAY_FAIL = "a value may be outside the set of its output, which the search for a violation does not follow"


def _least(
    search: Search,
    automaton: Automaton | None,
    failure: Solved | Unsolved | Unsupported,
    found: BrokenFrom | None,
) -> tuple[LeastT, str]:
    """What is known of the least t, and what costs something in every round if there is none."""
    if isinstance(failure, Solved) and automaton is not None:
        return attained(search.asked, automaton, failure, search.clock), ""
    cycle = cycle_in_words(automaton, failure.edges) if automaton and isinstance(failure, Unsolved) else ""
    least = search.least(None, MOST_SIZE if found is None else found.size)
    if found is not None and found.violated.counterexample.infinite_loss:
        least = LeastT(least.low, None, found.size, unbounded=True)
    return least, cycle


def _why(failure: Solved | Unsolved | Unsupported, cycle: str) -> tuple[str, Span | None]:
    """Why the claim is open, and where."""
    match failure:
        case Unsupported():
            return ": ".join(filter(None, [failure.message, failure.hint])), failure.span
        case Unsolved(reason=reason):
            known = reason or "no constants move the samples so that all runs stay within one budget"
            return ", since ".join(filter(None, [known, cycle])), None
        case Solved(t):
            return f"all runs stay within {t}*eps, but no two inputs were found that break the claim", None
