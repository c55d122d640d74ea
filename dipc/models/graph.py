"""Graphs of states: what can be reached, strongly connected components, parts that are never left.

Models have up to 10^6 states, so every search keeps its own stack.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

Transitions = Sequence[Sequence[tuple[int, object]]]
"""For each state its successors, each with something, for example a probability."""


def reachable(rows: Transitions, sources: Iterable[int]) -> set[int]:
    """The states that can be reached from these, which are among them.

    >>> reachable([[(1, "")], [(1, "")], [(0, "")]], [0])
    {0, 1}
    """
    return closure(sources, lambda s: (t for t, _ in rows[s]))


def reaching(rows: Transitions, targets: Iterable[int], through: Collection[int]) -> set[int]:
    """The targets, and the states of ``through`` from which a path through such states leads to a target."""
    return closure(targets, predecessors(rows, through).__getitem__)


def predecessors(rows: Transitions, through: Collection[int]) -> list[list[int]]:
    """For each state those of ``through`` that lead to it."""
    before: list[list[int]] = [[] for _ in rows]
    for s in through:
        for t, _ in rows[s]:
            before[t].append(s)
    return before


def closure(sources: Iterable[int], following: Callable[[int], Iterable[int]]) -> set[int]:
    """All that can be reached from these, which are among them."""
    found = set(sources)
    stack = list(found)
    while stack:
        for s in following(stack.pop()):
            if s not in found:
                found.add(s)
                stack.append(s)
    return found


def never_and_surely(
    rows: Transitions, left: Collection[int], right: Collection[int]
) -> tuple[set[int], set[int]]:
    """The states in which ``left U right`` has probability 0, and those in which it has probability 1.

    Source: Baier and Katoen, *Principles of Model Checking*, 10.1.1: never, if no path through ``left`` leads
    to ``right``; surely, if no path through ``left`` without ``right`` leads to such a state.

    >>> rows = [[(1, ""), (2, "")], [(0, ""), (3, "")], [(2, "")], [(3, "")]]
    >>> never_and_surely(rows, {0, 1}, {2, 3}), never_and_surely(rows, {0, 1}, {3})
    ((set(), {0, 1, 2, 3}), ({2}, {3}))
    """
    everything = set(range(len(rows)))
    before = predecessors(rows, set(left) - set(right)).__getitem__
    never = everything - closure(right, before)
    return never, everything - closure(never, before)


def components(
    rows: Transitions | Mapping[int, Sequence[tuple[int, object]]], states: Collection[int]
) -> Iterator[list[int]]:
    """The strongly connected components of the graph on ``states``, each after those it leads to.

    Source: Gabow, *Path-based depth-first search for strong and biconnected components*, 2000.

    >>> list(components([[(1, "")], [(0, ""), (2, "")], []], [0, 1, 2]))
    [[2], [1, 0]]
    """
    place: dict[int, int] = {}
    open_states: list[int] = []  # found, but their component is not complete
    borders: list[int] = []  # where the components known so far begin
    closed: set[int] = set()
    for start in states:
        walk = [] if start in place else [(start, iter(rows[start]))]
        while walk:
            state, targets = walk[-1]
            if state not in place:
                place[state] = len(place)
                open_states.append(state)
                borders.append(state)
            for t, _ in targets:
                if t not in states:
                    continue
                if t not in place:
                    walk.append((t, iter(rows[t])))
                    break
                if t not in closed:
                    while place[borders[-1]] > place[t]:
                        borders.pop()
            else:
                walk.pop()
                if borders[-1] == state:
                    borders.pop()
                    component = [open_states.pop()]
                    while component[-1] != state:
                        component.append(open_states.pop())
                    closed.update(component)
                    yield component
