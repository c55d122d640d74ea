"""Searches in graphs, against networkx and plain iteration."""

from __future__ import annotations

from random import Random

import networkx
import pytest

from dipc.models.graph import components, never_and_surely, reachable, reaching

Rows = list[list[tuple[int, str]]]


def random_rows(rng: Random) -> Rows:
    n = rng.randint(1, 12)
    return [[(t, "") for t in rng.sample(range(n), rng.randint(0, min(n, 3)))] for _ in range(n)]


def graph_of(rows: Rows, states: set[int]) -> networkx.DiGraph:
    graph = networkx.DiGraph()
    graph.add_nodes_from(states)
    graph.add_edges_from((s, t) for s in states for t, _ in rows[s] if t in states)
    return graph


@pytest.mark.parametrize("seed", range(60))
def test_components_are_those_of_networkx_and_come_after_what_they_lead_to(seed: int) -> None:
    rng = Random(seed)
    rows = random_rows(rng)
    states = set(rng.sample(range(len(rows)), rng.randint(0, len(rows))))
    found = list(components(rows, states))
    graph = graph_of(rows, states)
    assert sorted(map(sorted, found)) == sorted(map(sorted, networkx.strongly_connected_components(graph)))
    place = {s: i for i, component in enumerate(found) for s in component}
    assert all(place[s] >= place[t] for s, t in graph.edges)


@pytest.mark.parametrize("seed", range(30))
def test_what_is_reachable(seed: int) -> None:
    rng = Random(seed)
    rows = random_rows(rng)
    everything = set(range(len(rows)))
    some = set(rng.sample(sorted(everything), rng.randint(0, len(rows))))
    through = set(rng.sample(sorted(everything), rng.randint(0, len(rows))))
    graph = graph_of(rows, everything)
    expected = some.union(*(networkx.descendants(graph, s) for s in some))
    assert reachable(rows, some) == expected
    backwards = set(some)
    for _ in rows:
        backwards |= {s for s in through if any(t in backwards for t, _ in rows[s])}
    assert reaching(rows, some, through) == backwards


@pytest.mark.parametrize("seed", range(60))
def test_never_and_surely_by_the_reachable_states(seed: int) -> None:
    """0: no path through left leads to right; 1: no path that has not met right leads to such a state."""
    rng = Random(seed)
    rows = [row or [(0, "")] for row in random_rows(rng)]
    left, right = ({s for s in range(len(rows)) if rng.random() < chance} for chance in (0.7, 0.3))
    between = graph_of(rows, set(range(len(rows))))
    between.remove_edges_from([(s, t) for s, t in between.edges if s not in left or s in right])
    after = {s: {s} | networkx.descendants(between, s) for s in between}
    never = {s for s in between if not after[s] & right}
    surely = {s for s in between if not after[s] & never}
    assert never_and_surely(rows, left, right) == (never, surely)


def test_a_long_line_needs_no_deep_recursion() -> None:
    n = 50_000
    rows = [[(min(s + 1, n - 1), "")] for s in range(n)]
    assert len(list(components(rows, range(n)))) == n
    assert never_and_surely(rows, set(range(n)), {n - 1}) == (set(), set(range(n)))
