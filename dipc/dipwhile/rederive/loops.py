"""Where a loop ends, and with which probability: the equations of a finite Markov chain, solved exactly.

States are visited component by component.  In a component (of states that can come back to each other) the
probabilities to leave to each exit solve a linear system, ``x_i = sum_j m_ij x_j + sum_e m_ie [e]``.  Each
equation is multiplied by its denominators, and E. H. Bareiss's elimination (1968) solves it: every division
is one of sums of exponentials that leaves no remainder, so that no quotient needs a greatest common divisor.

Of several solutions only the least would be the probabilities.  There is one solution, and it is right for
every eps > 0, where every state of a component can leave it by transitions whose probabilities are proved
positive for every eps; else the loop is not covered.  (A comparison with noise adds an inequality to the
state whichever way it falls, so that both ways leave the component: it is the coins before it that count.)
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from dipc.dipwhile.rederive.functions import (
    Mass,
    NotCovered,
    constant,
    difference,
    divided,
    product,
    surely_positive,
    total,
    totals,
)
from dipc.kernel.facts import Function, multiply, negative

MAX_STATES = 1000

S = TypeVar("S", bound=Hashable)
Moves = Mapping[S, Mass]
"""The states that a step may lead to, with their probabilities."""


def exits(start: S, step: Callable[[S], Moves[S] | None]) -> dict[S, Mass]:
    """The probabilities of the states without a step that the chain ends in."""
    chain, leader = lumped(explored(start, step))
    arrived: dict[S, list[Mass]] = defaultdict(list)
    arrived[leader.get(start, start)].append(Mass())
    for component in components(chain):
        inside = sorted(component, key=list(chain).index)
        if len(inside) > 1 or inside[0] in chain[inside[0]]:
            must_be_left(inside, chain)
        for state in inside:
            if state in arrived:
                here = total(arrived.pop(state))
                for target, mass in left(state, inside, chain).items():
                    arrived[target].append(here.times(mass))
    return {state: total(masses) for state, masses in arrived.items()}


def explored(start: S, step: Callable[[S], Moves[S] | None]) -> dict[S, Moves[S]]:
    """The steps of all states that can be reached, but for exits."""
    chain: dict[S, Moves[S]] = {}
    seen, waiting = {start}, [start]
    while waiting:
        state = waiting.pop()
        moves = step(state)
        if moves is None:
            continue
        chain[state] = moves
        if len(chain) > MAX_STATES:
            raise NotCovered(f"a loop with more than {MAX_STATES} states")
        waiting += [target for target in moves if target not in seen]
        seen.update(moves)
    return chain


def lumped(chain: dict[S, Moves[S]]) -> tuple[dict[S, Moves[S]], dict[S, S]]:
    """The chain with one of every set of states that have the same step, and the one that stands for each.

    Such states differ in a variable that the next round does not read.
    """
    leader = {state: state for state in chain}
    while True:
        first: dict[object, S] = {}
        same = {state: first.setdefault(signature(moves), state) for state, moves in chain.items()}
        if len(first) == len(chain):
            return chain, leader
        leader = {state: same[other] for state, other in leader.items()}
        chain = {
            state: totals((same.get(target, target), mass) for target, mass in moves.items())
            for state, moves in chain.items()
            if same[state] == state
        }


def signature(moves: Moves[S]) -> object:
    """Equal for steps that are written in the same way."""
    return frozenset(
        (target, frozenset(mass.numerator.items()), frozenset(mass.factors.items()))
        for target, mass in moves.items()
    )


def components(chain: Mapping[S, Moves[S]]) -> list[frozenset[S]]:
    """The strongly connected components, each before those that it leads to."""
    reach = {state: explored(state, chain.get) for state in chain}
    parts = {state: frozenset(t for t in reach[state] if state in reach[t]) for state in chain}
    # A state that leads to another component reaches all that this one does, and itself.
    return list(dict.fromkeys(parts[state] for state in sorted(chain, key=lambda s: -len(reach[s]))))


def must_be_left(component: Sequence[S], chain: Mapping[S, Moves[S]]) -> None:
    """Refuse a component in which a run might stay for ever."""
    leaving: set[S] = set()
    while more := {
        state
        for state in set(component) - leaving
        if any(
            (target in leaving or target not in component) and certain(mass)
            for target, mass in chain[state].items()
        )
    }:
        leaving |= more
    if len(leaving) < len(component):
        raise NotCovered("a loop of which it is not shown that it ends with probability 1 for every eps")


def certain(mass: Mass) -> bool:
    """Is the probability proved positive for every eps > 0?"""
    return all(map(surely_positive, (mass.numerator, *map(dict, mass.factors))))


def left(start: S, component: Sequence[S], chain: Mapping[S, Moves[S]]) -> dict[S, Mass]:
    """Where a run from a state leaves the component."""
    if len(component) == 1 and start not in chain[start]:
        return dict(chain[start])
    unknowns = [*(state for state in component if state != start), start]
    targets = list(dict.fromkeys(t for s in unknowns for t in chain[s] if t not in component))
    matrix = [equation(state, unknowns, targets, chain[state]) for state in unknowns]
    *_, last = eliminated(matrix)
    pivot, solution = last[len(unknowns) - 1], last[len(unknowns) :]
    return {target: Mass(n).over(pivot) for target, n in zip(targets, solution, strict=True) if n}


def equation(state: S, unknowns: Sequence[S], targets: Sequence[S], moves: Moves[S]) -> list[Function]:
    """``d x_state - sum_j n_j x_j = sum_e n_e [e]``, d the common denominator of the transitions."""
    shared = total(list(moves.values())).factors

    def weight(target: S) -> Function:
        return total([moves.get(target, Mass({})), Mass({}, Counter(shared))]).numerator

    d = product(dict(factor) for factor in shared.elements())
    row = [difference(d if other == state else {}, weight(other)) for other in unknowns]
    return [*row, *map(weight, targets)]


def eliminated(matrix: Iterable[list[Function]]) -> list[list[Function]]:
    """Bareiss's elimination: the square part becomes triangular, every entry is a minor of the matrix."""
    rows = list(matrix)
    before = constant(1)
    for i in range(len(rows) - 1):
        # What must be left has one solution, so that there is a pivot.
        swap = next(r for r in range(i, len(rows)) if rows[r][i])
        if swap != i:  # the sign of the row changes with the order, so that entries stay minors
            rows[i], rows[swap] = rows[swap], [negative(f) for f in rows[i]]
        pivot = rows[i][i]
        for r in range(i + 1, len(rows)):
            factor = rows[r][i]
            rows[r] = [
                divided(difference(multiply(pivot, f), multiply(factor, g)), before)
                for f, g in zip(rows[r], rows[i], strict=True)
            ]
        before = pivot
    return rows
