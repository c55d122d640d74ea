"""While loops: the sum over all ways through them, by solving linear equations (DiPC, Theorem 8).

Inside a loop no sample is drawn (rule 2), so every state reached from a loop head with density J is

    (place, values of the finite variables, conditions C)      with density      w * J * [C],

where C are the comparisons of samples made on the way there and w is a function of eps.  These are finitely
many, and their weights w, the expected numbers of visits, solve

    w(t) = [t is the head] + sum over edges s -> t of p(s, t) w(s),

p the probability of the option drawn, or 1.  A comparison that splits a state leads to larger sets C, from
which no edge leads back: inside one strongly connected component the edges out of a state have
probabilities that sum to at most 1, and the equations have one solution if the component can be left.

A component that cannot be left is an endless loop: the program is refused.  This does not depend on eps
unless probabilities of edges vanish; for the eps where one does, see :meth:`Loop.never_ends_without`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from dipc.dipwhile.semantics.liveness import kept
from dipc.dipwhile.semantics.state import Key, State, merged, renumbered
from dipc.dipwhile.semantics.step import Stepper, Transition
from dipc.dipwhile.syntax.core import Cell, Halt, Test
from dipc.dipwhile.syntax.fragment import violation
from dipc.errors import InputError, LimitReached
from dipc.integration.linear import Linear
from dipc.models.linear import visits
from dipc.models.termination import Loop
from dipc.models.values import Value
from dipc.numbers.quotient import Quotient

Place = tuple[Key, frozenset[Linear]]

MAX_PLACES = 20_000


@dataclass
class _Graph:
    """Places met so far with their states and edges."""

    number: dict[Place, int] = field(default_factory=dict)
    states: list[State] = field(default_factory=list)
    edges: dict[int, list[tuple[int, Quotient]]] = field(default_factory=dict)
    exits: set[int] = field(default_factory=set)


def run_loop(stepper: Stepper, state: State, inputs: Mapping[Cell, Value]) -> list[Transition]:
    """The states in which a loop is left, from a state at its head; merged.

    Raises :class:`InputError` if the loop may run forever, :class:`FragmentError` if a random variable is
    assigned in it, and :class:`~dipc.dipwhile.semantics.evaluate.InputNeeded`.
    """
    head = stepper.program.code[state.pc]
    assert isinstance(head, Test)
    graph = _explored(stepper, state, inputs, head)
    edges = tuple((s, t, p) for s, targets in graph.edges.items() for t, p in targets)
    loop = Loop(0, edges, frozenset(graph.exits), head.span)
    stepper.left_open.loops.append(loop)
    if loop.never_ends_without(()):
        hint = "make sure that from everywhere in the loop its condition can become false"
        raise InputError("this loop does not end with probability 1", head.span, hint)
    weights = visits([graph.edges.get(i, ()) for i in range(len(graph.states))], 0, Quotient.one())
    exits = ((graph.states[i], weights[i]) for i in sorted(graph.exits))
    left = (replace(state, joint=state.joint.scaled(weight)) for state, weight in exits)
    states = merged(renumbered(s) for s in left if s.joint)
    # equal states hold the samples from before the loop
    return [Transition(s, samples[-1], None) for s, samples in states]


def _explored(stepper: Stepper, start: State, inputs: Mapping[Cell, Value], head: Test) -> _Graph:
    """All places reachable inside the loop, and those in which it is left."""
    graph = _Graph()
    _number(graph, start, frozenset(), head)
    conditions: list[frozenset[Linear]] = [frozenset()]
    todo = [0]
    while todo:
        i = todo.pop()
        state = graph.states[i]
        if not start.pc <= state.pc < head.otherwise or isinstance(stepper.program.code[state.pc], Halt):
            graph.exits.add(i)
            continue
        stepper.count(1)
        targets = graph.edges.setdefault(i, [])
        for move in stepper.moves(state, inputs):
            new = None if move.cell is None else move.env[move.cell]
            changed = move.cell is not None and state.env.get(move.cell) is not new
            if move.noise is not None or (changed and isinstance(new, Linear)):
                raise violation(2, "a random variable is assigned inside this `while`", head.span)
            known = conditions[i].union(move.branch.conditions)
            env = kept(move.env, stepper.live[move.pc])
            following = State(move.pc, env, move.branch.joint)
            j = _number(graph, following, known, head)
            if j == len(conditions):
                conditions.append(known)
                todo.append(j)
            targets.append((j, Quotient.one() if move.probability is None else move.probability))
    return graph


def _number(graph: _Graph, state: State, known: frozenset[Linear], head: Test) -> int:
    """The number of a place; a new one if it was not met before."""
    place = (state.key, known)
    i = graph.number.get(place)
    if i is None:
        i = graph.number[place] = len(graph.states)
        if i >= MAX_PLACES:
            reached = f"the loop at {head.span.place} reaches more than {MAX_PLACES} states"
            raise LimitReached(f"{reached}: does a counter grow forever?")
        graph.states.append(state)
    return i
