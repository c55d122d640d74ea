"""The least cost of single runs, the one that costs most, and runs that repeat cycles.

Why no t is enough is said in words: what each round of a cycle costs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import count
from typing import NamedTuple

from flint import fmpq

from dipc.clock import Clock
from dipc.dipwhile.allsizes.automaton import ZERO, Automaton, Edge, Form
from dipc.dipwhile.allsizes.linear import cost_of_run, relaxed
from dipc.models.graph import components as strongly_connected
from dipc.models.graph import reachable


class Dearest(NamedTuple):
    """The run, as numbers of edges, with the greatest cost; None: no shift exists, its cost is infinite."""

    cost: fmpq | None
    run: tuple[int, ...]


def run_value(automaton: Automaton, run: Iterable[int]) -> fmpq | None:
    """The :func:`cost_of_run` of one run, given by the numbers of its edges."""
    return cost_of_run(automaton.edges[i] for i in run)


def layered_value(automaton: Automaton, clock: Clock) -> Dearest:
    """The greatest :func:`run_value` over all runs of an automaton without cycles.  Branch and bound.

    All edges together are an upper bound for each of their runs.  The branches are the edges that leave one
    place, which a run passes at most once; the branch with the greatest bound is the next.
    """
    waiting = [_bound(automaton, range(len(automaton.edges)))]
    best: Dearest | None = None
    for done in count(1):
        clock.tick("runs", done)
        edges, most, carrying = waiting.pop(max(range(len(waiting)), key=lambda n: rank(waiting[n].cost)))
        ways = leaving(automaton, sorted(edges, key=lambda i: i not in carrying))
        place, run = automaton.start, list[int]()
        while place in ways:  # the run that carries the cost, as far as one does
            run.append(ways[place][0])
            place = automaton.edges[run[-1]].target
        value = run_value(automaton, run)
        if best is None or rank(value) > rank(best.cost):
            best = Dearest(value, tuple(run))
        if rank(best.cost) >= rank(most):
            break
        fork = max(ways.values(), key=lambda own: (min(len(own), 2), sum(i in carrying for i in own)))
        waiting += (_bound(automaton, [j for j in edges if j == i or j not in fork]) for i in fork)
    assert best is not None
    return best


def rank(cost: fmpq | None) -> tuple[bool, fmpq]:
    """Costs in order, infinity (None) last."""
    return cost is None, cost or ZERO


class _Bound(NamedTuple):
    """Some edges, those that can be reached, from the start on; no run of them costs more than ``cost``."""

    edges: tuple[int, ...]
    cost: fmpq | None
    carrying: frozenset[int]


def _bound(automaton: Automaton, edges: Iterable[int]) -> _Bound:
    kept = reached(automaton, edges)
    found = relaxed([automaton.edges[i] for i in kept], automaton.start)
    return _Bound(kept, found.cost, frozenset(kept[i] for i in found.carrying))


def leaving(automaton: Automaton, edges: Iterable[int]) -> dict[int, list[int]]:
    """The edges, by number, that leave each place."""
    found: dict[int, list[int]] = {}
    for i in edges:
        found.setdefault(automaton.edges[i].source, []).append(i)
    return found


def reached(automaton: Automaton, edges: Iterable[int]) -> tuple[int, ...]:
    """The edges that a run of these edges can take, in their order."""
    ways = leaving(automaton, edges)
    rows = [[(automaton.edges[i].target, i) for i in ways.get(n, ())] for n in range(len(automaton.places))]
    seen = reachable(rows, [automaton.start])
    return tuple(sorted(i for n in seen for i in ways.get(n, ())))


# --- cycles in words -------------------------------------------------------------------------


def cycle_in_words(automaton: Automaton, numbers: Sequence[int]) -> str:
    """Of edges that contradict each other those that a run can repeat, with their costs.

    For example ``every `top` costs 1/2*eps or moves rT``; empty if no edge of a cycle costs anything.
    """
    told: dict[str, fmpq | None] = {}
    moved: dict[str, set[str]] = {}
    for edge in on_cycles(automaton, numbers):
        forms = [*(guard.form for guard in edge.guards), *(sample.mean for sample in edge.samples)]
        live = sorted({s for form in forms for s, _ in form.terms if isinstance(s, str)})
        before = Edge(0, 0, (), (), tuple((variable, Form()) for variable in live), ZERO)
        still = cost_of_run([before, edge])  # where no live variable moves
        if still is None or still > 0:
            name = _name(edge)
            told[name] = max(told.get(name, ZERO), still, key=rank)
            guarding = still is None or cost_of_run([edge]) != still
            moved.setdefault(name, set()).update(live if guarding else ())
    return "; ".join(_sentence(name, cost, sorted(moved[name])) for name, cost in told.items())


def _sentence(name: str, cost: fmpq | None, variables: Sequence[str]) -> str:
    costs = [] if cost is None else [f"costs {cost}*eps"]
    moves = [f"moves {' or '.join(variables)}"] if variables else []
    return f"every {name} {' or '.join([*costs, *moves]) or 'can be impossible for a neighbour'}"


def components(automaton: Automaton, edges: Iterable[Edge]) -> dict[int, int]:
    """The number of the strongly connected component of each place of these edges, and of the start."""
    rows: dict[int, list[tuple[int, Edge]]] = {automaton.start: []}
    for edge in edges:
        rows.setdefault(edge.source, []).append((edge.target, edge))
        rows.setdefault(edge.target, [])
    return {p: n for n, part in enumerate(strongly_connected(rows, rows)) for p in part}


def on_cycles(automaton: Automaton, numbers: Sequence[int]) -> Iterator[Edge]:
    """Those of some edges that are on a cycle."""
    component = components(automaton, automaton.edges)
    edges = (automaton.edges[i] for i in numbers)
    return (edge for edge in edges if component[edge.source] == component[edge.target])


def _name(edge: Edge) -> str:
    """What the edge publishes, or its last test."""
    known = [s.published[1] for s in edge.path if s.published and s.published[1]]
    tests = [s.text for s in edge.path if s.kind == "test"]
    return f"`{(known or tests or ['round'])[-1]}`"


# --- runs that repeat cycles -----------------------------------------------------------------


def repeated(automaton: Automaton, edges: Collection[int], times: int, way: int) -> tuple[int, ...]:
    """A run that takes those of the edges that lead from a place to itself so often.

    ``way`` says by which of its edges the run leaves a place; the last one if there are less.
    """
    run, place, seen = list[int](), automaton.start, set[int]()
    while place not in seen:
        seen.add(place)
        leaving = [i for i, edge in enumerate(automaton.edges) if edge.source == place]
        run += [i for i in leaving if automaton.edges[i].target == place and i in edges] * times
        onward = [i for i in leaving if automaton.edges[i].target not in seen]
        if onward:
            run.append(onward[min(way, len(onward) - 1)])
            place = automaton.edges[run[-1]].target
    return tuple(run)
