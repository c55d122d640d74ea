"""The same proof in fewer words: shifts that are alike wherever they may be.

The linear program leaves many shifts open, and the simplex method takes a corner, which differs from edge to
edge without need.  With potentials and deltas as they are, each edge stands alone.  So a sample that could
stay, or move with its mean, on all edges does so; if not on all, then on all edges with the same decisions.
Every change is tried against all conditions of its edges: the result is a proof like the one before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from flint import fmpq

from dipc.dipwhile.allsizes.automaton import ZERO, Automaton, Edge
from dipc.dipwhile.allsizes.linear import Strategy
from dipc.dipwhile.allsizes.wording import differences, value

Shifts = tuple[fmpq, ...]
Group = tuple[object, ...]
STAY, FOLLOW = "stay", "follow"


def tidy(automaton: Automaton, strategy: Strategy) -> Strategy:
    """A strategy with the same edges, potentials and deltas, whose shifts differ less."""
    current = dict(zip(strategy.edges, strategy.shifts, strict=True))
    groups: dict[Group, list[tuple[int, int]]] = {}
    for n in strategy.edges:
        edge = automaton.edges[n]
        names = [step.text for step in edge.path if step.kind == "sample"]
        for i, name in enumerate(names[: len(edge.samples)]):
            groups.setdefault((name,), []).append((n, i))
            groups.setdefault((name, edge.decisions), []).append((n, i))
    done: set[tuple[int, int]] = set()
    for _, uses in sorted(groups.items(), key=lambda item: len(item[0])):
        left = [use for use in uses if use not in done]
        if left == uses and (changed := _alike(automaton, strategy, current, uses)) is not None:
            current |= changed
            done |= {*uses}
    return replace(strategy, shifts=tuple(current[n] for n in strategy.edges))


def _alike(
    automaton: Automaton, strategy: Strategy, current: Mapping[int, Shifts], uses: Iterable[tuple[int, int]]
) -> dict[int, Shifts] | None:
    """The shifts if a sample stays, or else moves with its mean, on all of its edges; None if neither can."""
    for motion in (STAY, FOLLOW):
        changed: dict[int, Shifts] = {}
        for n, i in uses:
            edge, shifts = automaton.edges[n], list(changed.get(n, current[n]))
            known = differences(strategy.deltas.get(edge.source, {}), shifts)
            shifts[i] = ZERO if motion == STAY else value(edge.samples[i].mean, known)
            changed[n] = tuple(shifts)
        if all(_holds(automaton.edges[n], strategy, shifts) for n, shifts in changed.items()):
            return changed
    return None


def _holds(edge: Edge, strategy: Strategy, shifts: Shifts) -> bool:
    """Whether the shifts keep the guards, the supports, the variables and the budget of one edge."""
    known = differences(strategy.deltas.get(edge.source, {}), shifts)
    after, spent = strategy.deltas.get(edge.target, {}), edge.cost
    for sample, shift in zip(edge.samples, shifts, strict=True):
        move = shift - value(sample.mean, known)
        spent += sample.rate * abs(move)
        if (sample.kind == "LapPlus" and move < 0) or (sample.kind == "DLap" and shift.q != 1):
            return False
    left = [(value(guard.form, known), guard.equal) for guard in edge.guards]
    before, rest = (strategy.potentials.get(place, ZERO) for place in (edge.source, edge.target))
    return (
        all(kept >= 0 and not (equal and kept) for kept, equal in left)
        and all(value(form, known) == after[name] for name, form in edge.sets)
        and before >= spent + rest
    )
