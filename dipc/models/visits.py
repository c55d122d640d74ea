"""Expected numbers of visits: state elimination, one strongly connected component at a time.

The expected numbers of visits w to the states of a chain that starts in ``start`` solve

    w(t) = [t is the start] + sum over edges s -> t of p(s, t) w(s).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dipc.models.graph import components
from dipc.numbers.quotient import Quotient

Edges = Mapping[int, Sequence[tuple[int, Quotient]]]


def visits(states: Iterable[int], edges: Edges, start: int) -> dict[int, Quotient]:
    """The expected numbers of visits, component by component in the order of the edges."""
    incoming: dict[int, Quotient] = {start: Quotient.one()}
    weights: dict[int, Quotient] = {}
    rows = {s: edges.get(s, ()) for s in states}
    for members in reversed([*components(rows, rows)]):
        solved = _solve_component(edges, sorted(members), incoming)
        weights |= solved
        for i, weight in solved.items():
            for j, p in rows[i]:
                if j not in solved:
                    incoming[j] = incoming.get(j, Quotient.of(0)) + weight * p
    return weights


def _solve_component(edges: Edges, members: list[int], incoming: dict[int, Quotient]) -> dict[int, Quotient]:
    """Solve ``w = incoming + A^T w`` on one component by state elimination."""
    zero = Quotient.of(0)
    flow: dict[int, dict[int, Quotient]] = {i: {} for i in members}  # flow[s][t] = p(s, t)
    for s in members:
        for t, p in edges.get(s, ()):
            if t in flow:
                flow[s][t] = flow[s].get(t, zero) + p
    weights = {i: incoming.get(i, zero) for i in members}
    for place, s in enumerate(members):
        later = members[place + 1 :]
        # w(s) = (weights(s) + sum over later r of w(r) flow(r, s)) / (1 - flow(s, s))
        factor = 1 / (1 - flow[s].get(s, zero))
        weights[s] = weights[s] * factor
        sources = [r for r in later if s in flow[r]]
        for r in sources:
            flow[r][s] = flow[r][s] * factor
        for t in later:
            if t in flow[s]:
                weights[t] = weights[t] + weights[s] * flow[s][t]
                for r in sources:
                    flow[r][t] = flow[r].get(t, zero) + flow[r][s] * flow[s][t]
    for place, s in reversed(list(enumerate(members))):
        for r in members[place + 1 :]:
            if s in flow[r]:
                weights[s] = weights[s] + weights[r] * flow[r][s]
    return weights
