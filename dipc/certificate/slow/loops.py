"""Where a loop ends, and with which probability: the equations of a finite Markov chain, solved exactly.

States are visited component by component.  In a component (of states that can come back to each other) the
probabilities to leave to each exit solve a linear system, ``x_i = sum_j m_ij x_j + sum_e m_ie [e]``.  Each
equation is multiplied by its denominators, and E. H. Bareiss's elimination (1968) solves it: every division
is one of sums of exponentials that leaves no remainder, so that no quotient needs a greatest common divisor.

Of several solutions only the least would be the probabilities.  There is one solution, and it is right for
every eps > 0, where every state of a component can leave it by transitions whose probabilities are proved
positive for every eps; else the loop is not covered.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from dipc.certificate.kernel import Function, add, multiply
from dipc.certificate.slow.functions import (
    Mass,
    NotCovered,
    constant,
    divided,
    product,
    surely_positive,
    total,
)

MAX_STATES = 1000

S = TypeVar("S", bound=Hashable)
Moves = Mapping[S, list[Mass]]
"""Where a step may lead, by which transitions."""


def exits(start: S, step: Callable[[S], Moves[S] | None]) -> dict[S, Mass]:
    """The probabilities of the states without a step that the chain ends in.

    >>> half = Mass(constant(1)).over(constant(2))
    >>> law = exits("go", lambda s: {"go": [half], "left": [half]} if s == "go" else None)
    >>> {s: p.pair() for s, p in law.items()} == {"left": (constant(1), constant(1))}
    True
    """
    chain = explored(start, step)
    arrived: dict[S, list[Mass]] = defaultdict(list)
    arrived[start].append(Mass())
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


def components(chain: Mapping[S, Moves[S]]) -> list[frozenset[S]]:
    """The strongly connected components, each before those that it leads to.

    >>> components({1: {1: []}, 2: {1: [], 3: []}, 3: {2: []}}) == [frozenset({2, 3}), frozenset({1})]
    True
    """
    reach = {state: reachable(state, chain) for state in chain}
    parts = {state: frozenset(t for t in reach[state] if state in reach[t]) for state in chain}
    # A state that leads to another component reaches all that this one does, and itself.
    return list(dict.fromkeys(parts[state] for state in sorted(chain, key=lambda s: -len(reach[s]))))


def reachable(start: S, chain: Mapping[S, Moves[S]]) -> set[S]:
    """The states with a step that a state leads to, itself included."""
    found, waiting = {start}, [start]
    while waiting:
        new = {target for target in chain[waiting.pop()] if target in chain} - found
        found |= new
        waiting += new
    return found


def must_be_left(component: Sequence[S], chain: Mapping[S, Moves[S]]) -> None:
    """Refuse a component in which a run might stay for ever."""
    leaving: set[S] = set()
    while True:
        more = {
            state
            for state in component
            if state not in leaving
            and any(
                (target in leaving or target not in component) and any(map(certain, masses))
                for target, masses in chain[state].items()
            )
        }
        if not more:
            break
        leaving |= more
    if len(leaving) < len(component):
        raise NotCovered("a loop of which it is not shown that it ends with probability 1 for every eps")


def certain(mass: Mass) -> bool:
    """Is the probability proved positive for every eps > 0?"""
    return all(map(surely_positive, (mass.numerator, *map(dict, mass.factors))))


def left(start: S, component: Sequence[S], chain: Mapping[S, Moves[S]]) -> dict[S, Mass]:
    """Where a run from a state leaves the component."""
    if len(component) == 1 and start not in chain[start]:
        return {target: total(masses) for target, masses in chain[start].items()}
    unknowns = [*(state for state in component if state != start), start]
    targets = list(dict.fromkeys(t for s in unknowns for t in chain[s] if t not in component))
    matrix = [equation(state, unknowns, targets, chain[state]) for state in unknowns]
    *_, last = eliminated(matrix)
    pivot, solution = last[len(unknowns) - 1], last[len(unknowns) :]
    return {target: Mass(n).over(pivot) for target, n in zip(targets, solution, strict=True) if n}


def equation(state: S, unknowns: Sequence[S], targets: Sequence[S], moves: Moves[S]) -> list[Function]:
    """``d x_state - sum_j n_j x_j = sum_e n_e [e]``, d the common denominator of the transitions."""
    shared = total([mass for masses in moves.values() for mass in masses]).factors

    def weight(target: S) -> Function:
        masses = [*moves.get(target, ()), Mass({}, Counter(shared))]
        return total(masses).numerator

    d = product(dict(factor) for factor in shared.elements())
    row = [add(d if other == state else {}, multiply(constant(-1), weight(other))) for other in unknowns]
    return [*row, *map(weight, targets)]


def eliminated(matrix: Iterable[list[Function]]) -> list[list[Function]]:
    """Bareiss's elimination: the square part becomes triangular, every entry is a minor of the matrix.

    >>> one, two = constant(1), constant(2)
    >>> eliminated([[two, one, constant(5)], [one, two, constant(4)]])[1] == [{}, constant(3), constant(3)]
    True
    """
    rows = list(matrix)
    before = constant(1)
    for i in range(len(rows) - 1):
        # What must be left has one solution, so that there is a pivot.
        swap = next(r for r in range(i, len(rows)) if rows[r][i])
        if swap != i:  # the sign of the row changes with the order, so that entries stay minors
            rows[i], rows[swap] = rows[swap], [multiply(constant(-1), f) for f in rows[i]]
        pivot = rows[i][i]
        for r in range(i + 1, len(rows)):
            factor = rows[r][i]
            rows[r] = [
                divided(add(multiply(pivot, f), product([constant(-1), factor, g])), before)
                for f, g in zip(rows[r], rows[i], strict=True)
            ]
        before = pivot
    return rows
