"""States of the parametrized Markov chain (DiPC, Appendix D), with dead variables left out.

A state is a place in the program, a value for every live finite variable, a linear expression of
samples for every live random variable, and the joint density of the samples, which replaces the paper's
set C of constraints.  Samples are numbered in the order in which the variables, sorted by name,
mention them: states that differ only in the names of their samples are equal, and merge.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from dipc.dipwhile.semantics.evaluate import Datum, spelled_cell
from dipc.dipwhile.syntax.core import Cell
from dipc.frozen import frozen
from dipc.integration.joint import Joint, added
from dipc.integration.linear import Linear
from dipc.models.values import show

Key = tuple[int, tuple[tuple[Cell, Datum], ...]]
T = TypeVar("T")


@frozen
class State:
    """A place ``pc``, the values of the live cells, and the density of the samples they mention."""

    pc: int
    env: Mapping[Cell, Datum]
    joint: Joint

    @property
    def key(self) -> Key:
        """The discrete part: states with equal keys are one state, their densities add."""
        return self.pc, tuple(sorted(self.env.items(), key=lambda item: item[0]))

    def __str__(self) -> str:
        return f"{self.pc}: " + " ".join(f"{spelled_cell(cell)}={_show(v)}" for cell, v in self.key[1])


def _show(value: Datum) -> str:
    if not isinstance(value, Linear):
        return show(value)
    terms = [f"{c}*s{i}" if c != 1 else f"s{i}" for i, c in value.coefficients]
    return " + ".join([*terms, *([str(value.constant)] if value.constant else [])])


def renumbered(state: State) -> tuple[State, tuple[int, ...]]:
    """The state without samples that no cell mentions; and the former numbers of the others."""
    if not state.joint.live:
        return state, ()
    order: dict[int, int] = {}
    forms = [(cell, value) for cell, value in state.env.items() if isinstance(value, Linear)]
    for _, value in sorted(forms, key=lambda item: item[0]):
        for sample in value.samples:
            order.setdefault(sample, len(order))
    kept = tuple(order)
    if kept == tuple(range(state.joint.live)):
        return state, kept
    renamed = {c: v.renamed(order) if isinstance(v, Linear) else v for c, v in state.env.items()}
    return State(state.pc, renamed, state.joint.keeping(kept)), kept


def merged(states: Iterable[tuple[State, T]]) -> Iterator[tuple[State, list[T]]]:
    """Equal states as one, whose densities add, with what came with each; in order of first appearance."""
    groups: dict[Key, list[tuple[State, T]]] = {}
    present = list(states)
    if len(present) == 1:  # mostly so, and a key costs as much as the state is large
        yield present[0][0], [present[0][1]]
        return
    for state, companion in present:
        groups.setdefault(state.key, []).append((state, companion))
    for group in groups.values():
        state = group[0][0]
        if len(group) > 1:
            state = State(state.pc, state.env, added(equal.joint for equal, _ in group))
        yield state, [companion for _, companion in group]
