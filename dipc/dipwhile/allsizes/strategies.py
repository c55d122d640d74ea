"""Strategies: how far the samples move on every edge, so that every run costs at most t.

A strategy is a solution of the linear program of some edges (:mod:`.linear`): constants for the potential
of a place, which is what may still be spent there in units of eps, the deltas of its live variables, and the
shifts.  Shifts may depend on the whole path, so several strategies can share the runs: each run needs one
that contains all its edges.  Inside a strongly connected component a run can repeat all edges, so they stay
together.  An edge between components is taken at most once: a run chooses one way out of each component.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

from flint import fmpq

from dipc.clock import Clock
from dipc.dipwhile.allsizes.automaton import ZERO, Automaton
from dipc.dipwhile.allsizes.linear import NoShift, Strategy, cheapest
from dipc.dipwhile.allsizes.runs import components, leaving, reached

MAX_CHAINS = 3000
TOO_MANY = f"more than {MAX_CHAINS} chains of decisions that can be taken once"
MAX_MERGED = 200
"""Up to how many strategies it is tried whether some can be joined."""


@dataclass(frozen=True, slots=True)
class Solved:
    """Every run costs at most ``t``: each has a strategy with all its edges."""

    t: fmpq
    strategies: tuple[Strategy, ...]


@dataclass(frozen=True, slots=True)
class Unsolved:
    """No strategies were found; ``edges`` are the numbers of those that contradict each other."""

    edges: tuple[int, ...]
    reason: str


def strategies(
    automaton: Automaton, claim: fmpq | None, clock: Clock, least: bool = True
) -> Solved | Unsolved:
    """The least t for which there are strategies: for all edges, or else apart, first without the labels.

    Without ``least``, the first t that is at most the claim will do.
    """
    edges = reached(automaton, range(len(automaton.edges)))
    best, known = _stage(automaton, [edges], None, clock), {frozenset(edges)}
    for labels in (False, True):
        if isinstance(best, Solved) and (not best.t or (claim is not None and not least and best.t <= claim)):
            break
        parts = _parts(automaton, edges, labels, clock)
        if parts is None:
            best = best if isinstance(best, Solved) else Unsolved(best.edges, TOO_MANY)
        elif parts != known:
            longest_first = sorted(map(sorted, parts), key=lambda part: (-len(part), part))
            best, known = _stage(automaton, longest_first, best, clock), parts
    assert isinstance(best, Unsolved) or covers(automaton, best.strategies), "a run without a strategy"
    return best


def covers(automaton: Automaton, chosen: Sequence[Strategy]) -> bool:
    """Whether every run has a strategy with all its edges.

    From the start with all strategies, follow every edge and keep the strategies that contain it.
    """
    having = [0] * len(automaton.edges)
    for n, one in enumerate(chosen):
        for i in one.edges:
            having[i] |= 1 << n
    ways = leaving(automaton, range(len(automaton.edges)))
    waiting = [(automaton.start, (1 << len(chosen)) - 1)]
    seen = set(waiting)
    while waiting:
        place, kept = waiting.pop()
        after = {(automaton.edges[i].target, kept & having[i]) for i in ways.get(place, ())}
        if any(not left for _, left in after):
            return False
        waiting += after - seen
        seen |= after
    return bool(chosen)


def _stage(
    automaton: Automaton, parts: Sequence[Sequence[int]], best: Solved | Unsolved | None, clock: Clock
) -> Solved | Unsolved:
    """A strategy for each part, if their t is less than the best one; a part that costs as much ends it."""
    t, found = ZERO, list[Strategy]()
    for done, part in enumerate(parts):
        clock.tick("strategies", done, len(parts))
        one = cheapest([automaton.edges[i] for i in part], automaton.start, clock)
        if isinstance(one, NoShift):
            return (
                best
                if isinstance(best, Solved)
                else Unsolved(tuple(part[i] for i in one.carrying), one.reason)
            )
        t = max(t, one.cost)
        if isinstance(best, Solved) and t >= best.t:
            return best
        found.append(replace(one, edges=tuple(part)))
    return Solved(t, tuple(_merged(automaton, found, t, clock) if len(found) <= MAX_MERGED else found))


def _merged(automaton: Automaton, parts: Sequence[Strategy], t: fmpq, clock: Clock) -> list[Strategy]:
    """Fewer and larger parts, if they cost no more together: each is joined to the first that it can be."""
    merged: list[Strategy] = []
    for done, part in enumerate(parts):
        clock.tick("joining strategies", done, len(parts))
        for n, other in enumerate(merged):
            union = sorted({*other.edges, *part.edges})
            together = cheapest([automaton.edges[i] for i in union], automaton.start, clock)
            if isinstance(together, Strategy) and together.cost <= t:
                merged[n] = replace(together, edges=tuple(union))
                break
        else:
            merged.append(part)
    return merged


def _parts(
    automaton: Automaton, edges: Sequence[int], labels: bool, clock: Clock
) -> set[frozenset[int]] | None:
    """The edges of each chain of components; None if there are too many."""
    found: set[frozenset[int]] = set()
    for done, chain in enumerate(_chains(automaton, edges, labels)):
        clock.tick("chains", done)
        found.add(chain)
        if len(found) > MAX_CHAINS:
            return None
    return found


def _chains(automaton: Automaton, edges: Sequence[int], labels: bool) -> Iterator[frozenset[int]]:
    """One way out of every component that has one, and the edges inside each that is reached.

    Edges that differ in their labels only are one way, unless apart by ``labels``.
    """
    component = components(automaton, (automaton.edges[i] for i in edges))
    inside, ways = dict[int, set[int]](), dict[int, dict[Hashable, list[int]]]()
    for i, edge in ((i, automaton.edges[i]) for i in edges):
        here = component[edge.source]
        if here == component[edge.target]:
            inside.setdefault(here, set()).add(i)
        else:
            key = i if labels else (edge.source, edge.decisions)
            ways.setdefault(here, {}).setdefault(key, []).append(i)
    first: tuple[int, ...] = (component[automaton.start],)
    waiting = [(frozenset[int](), frozenset[int](), first)]
    while waiting:
        taken, passed, ahead = waiting.pop()
        if not ahead:
            yield taken
        elif ahead[0] in passed:
            waiting.append((taken, passed, ahead[1:]))
        else:
            here, rest = ahead[0], ahead[1:]
            for way in ways.get(here, {None: []}).values():
                targets = (component[automaton.edges[i].target] for i in way)
                more = taken | inside.get(here, set()) | {*way}
                waiting.append((more, passed | {here}, (*rest, *targets)))
