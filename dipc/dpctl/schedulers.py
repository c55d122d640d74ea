"""The largest probability of a path formula over all schedulers of a Markov decision process, exactly.

The process and a deterministic automaton that reads its states run side by side (the *product*).  A scheduler
can satisfy the formula with probability 1 from an accepting end component; elsewhere it can do no better than
reach one (Baier and Katoen, *Principles of Model Checking*, 10.6).  That is policy iteration, one strongly
connected component after the other: it starts with a policy under which no state is stuck, evaluates it
exactly, and changes an action only if that is strictly better, so it ends at the maximum.  The least
probability is 1 minus the largest one of the negation.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Generic, TypeVar, cast

from flint import fmpq

from dipc.clock import Tick, unlimited
from dipc.dpctl.automata import Automaton
from dipc.dpctl.progression import Condition, Progression
from dipc.models.chain import Mdp, Row
from dipc.models.graph import components
from dipc.models.linear import absorption, increase, total
from dipc.numbers.quotient import Quotient

K = TypeVar("K", fmpq, Quotient)
HERE = fmpq(1)  # any eps: nothing depends on it


def sign_of(value: fmpq | Quotient) -> int:
    """The exact sign of a number without eps."""
    if isinstance(value, Quotient):
        return value.sign_at(HERE)
    return (value > 0) - (value < 0)


Sign = Callable[[Any], int]
"""The exact sign of a number: by :func:`sign_of`, or of a function on a piece of the range of eps."""


def largest(numbers: Iterable[Any], sign: Sign = sign_of) -> Any:
    """The largest of some numbers, the first of equal ones."""
    return reduce(lambda best, value: value if sign(value - best) > 0 else best, numbers)


def one_of(mdp: Mdp[K]) -> K:
    """The number 1 of the kind that the process has."""
    some: Any = mdp.rows[0][0][0][1]
    found: Any = Quotient.one() if isinstance(some, Quotient) else fmpq(1)
    return cast("K", found)


@dataclass(frozen=True, slots=True)
class Product(Generic[K]):
    """A decision process whose nodes are states with a memory; ``rows[n][a]`` as in the process.

    ``start[s]`` is the node of a path that begins in the state s; ``truth[n]`` is the truth of the formula
    where it is settled already.
    """

    rows: Sequence[Sequence[Row[K]]]
    start: Sequence[int]
    marks: Sequence[frozenset[int]]
    truth: Sequence[bool | None]
    monitor: Progression | Automaton
    one: K

    @staticmethod
    def of(mdp: Mdp[K], monitor: Progression | Automaton, tick: Tick = unlimited) -> Product[K]:
        """The product of a process with an automaton; once the truth is settled, the state is forgotten."""
        number: dict[tuple[int, Hashable], int] = {}
        nodes: list[tuple[int, Any]] = []

        def node(before: Any, state: int) -> int:
            memory = monitor.read(before, state)
            key = (-1 if isinstance(memory, bool) else state), memory
            if key not in number:
                number[key] = len(nodes)
                nodes.append(key)
            return number[key]

        start = [node(None, s) for s in range(len(mdp.names))]
        one = one_of(mdp)
        rows: list[tuple[Row[K], ...]] = []
        for n, (s, memory) in enumerate(nodes):  # grows while it is read
            tick()
            if isinstance(memory, bool):
                rows.append((((n, one),),) * len(mdp.actions))
                continue
            made: dict[Row[K], Row[K]] = {}
            for row in dict.fromkeys(mdp.rows[s]):
                targets: dict[int, K] = {}
                for t, p in row:
                    increase(targets, node(memory, t), p)
                made[row] = tuple(sorted(targets.items()))
            rows.append(tuple(made[row] for row in mdp.rows[s]))
        truth = [memory if isinstance(memory, bool) else None for _, memory in nodes]
        return Product(rows, start, [monitor.marks(memory) for _, memory in nodes], truth, monitor, one)

    def maximum(self, tick: Tick = unlimited, sign: Sign = sign_of) -> list[K]:
        """From every node, the largest probability that the path satisfies the formula."""
        return reaching_probabilities(self.rows, self._winning(self.monitor.accepted), self.one, tick, sign)

    def minimum(self, tick: Tick = unlimited, sign: Sign = sign_of) -> list[K]:
        """From every node, the least probability that the path satisfies the formula."""
        found = reaching_probabilities(self.rows, self._winning(self.monitor.rejected), self.one, tick, sign)
        return [self.one - value for value in found]

    def _winning(self, condition: Condition) -> set[int]:
        """The nodes of end components in which a scheduler can meet the condition with probability 1."""
        found: set[int] = set()
        for fin, inf in condition:
            allowed = {n for n, marks in enumerate(self.marks) if not marks & fin}
            for component in end_components(self.rows, allowed):
                if inf <= frozenset().union(*(self.marks[n] for n in component)):
                    found |= component
        return found


def end_components(rows: Sequence[Sequence[Row[K]]], nodes: Iterable[int]) -> Iterator[set[int]]:
    """The maximal sets of nodes that a scheduler can visit for ever, each node again and again.

    >>> half, one = fmpq(1, 2), fmpq(1)
    >>> rows = [[((1, one),), ((2, one),)], [((0, half), (2, half)), ((0, one),)], [((2, one),)] * 2]
    >>> list(end_components(rows, range(3)))
    [{2}, {0, 1}]
    """

    def staying(inside: set[int]) -> dict[int, list[tuple[int, K]]]:
        kept = {n: [row for row in rows[n] if all(t in inside for t, _ in row)] for n in inside}
        return {n: [edge for row in found for edge in row] for n, found in kept.items() if found}

    waiting = [set(nodes)]
    while waiting:
        inside = waiting.pop()
        while len(edges := staying(inside)) < len(inside):
            inside = set(edges)
        parts = [set(part) for part in components(edges, edges)]
        if len(parts) == 1:
            yield inside
        else:
            waiting += reversed(parts)


def reaching_probabilities(
    rows: Sequence[Sequence[Row[K]]], goal: Collection[int], one: K, tick: Tick, sign: Sign = sign_of
) -> list[K]:
    """From every node, the largest probability of reaching the goal.

    With functions of eps this is right on a piece of the range where every ``sign`` is constant, for there
    each comparison of a policy with another one has one answer, and where no probability vanishes.
    """
    values = [one if n in goal else one - one for n in range(len(rows))]
    edges = [[edge for row in dict.fromkeys(actions) for edge in row] for actions in rows]
    for members in components(edges, dict.fromkeys(n for n in range(len(rows)) if n not in goal)):
        tick()
        choices = {n: list(dict.fromkeys(rows[n])) for n in members}
        if len(members) == 1 and not any(t == members[0] for t, _ in edges[members[0]]):
            values[members[0]] = largest((expected(row, values) for row in choices[members[0]]), sign)
        elif policy := _attractor(choices, values):
            _iterate(policy, choices, values, one, tick, sign)
    return values


def expected(row: Row[K], values: Sequence[K]) -> K:
    """The expected value after a step."""
    return total([p * values[t] for t, p in row])


def _attractor(choices: dict[int, list[Row[K]]], values: Sequence[K]) -> dict[int, Row[K]]:
    """An action for every state such that something better than 0 can be reached, nearest states first."""
    before: dict[int, list[tuple[int, Row[K]]]] = {n: [] for n in choices}
    policy: dict[int, Row[K]] = {}
    for n, rows in choices.items():
        for row in rows:
            for t, _ in row:
                if t in choices:
                    before[t].append((n, row))
                elif values[t]:
                    policy.setdefault(n, row)
    queue = list(policy)
    for t in queue:  # grows while it is read
        for n, row in before[t]:
            if n not in policy:
                policy[n] = row
                queue.append(n)
    return policy


def _iterate(
    policy: dict[int, Row[K]],
    choices: dict[int, list[Row[K]]],
    values: list[K],
    one: K,
    tick: Tick,
    sign: Sign,
) -> None:
    """Improve a policy until no action is strictly better."""
    improving = True
    while improving:
        tick()
        _evaluate(policy, values, one, tick)
        improving = False
        for n, rows in choices.items():
            best = values[n]
            for row in rows:
                if sign((value := expected(row, values)) - best) > 0:
                    best, policy[n], improving = value, row, True


def _evaluate(policy: dict[int, Row[K]], values: list[K], one: K, tick: Tick) -> None:
    """The values under a policy that leaves the component for certain; those outside are known."""
    place = {n: i for i, n in enumerate(policy)}
    yes, no = len(place), len(place) + 1
    rows: list[list[tuple[int, K]]] = [[] for _ in range(no + 1)]
    for i, row in enumerate(policy.values()):
        for t, p in row:
            if t in place:
                rows[i].append((place[t], p))
            else:
                rows[i] += ((yes, p * values[t]), (no, p * (one - values[t])))
    for n, value in zip(place, absorption(rows, range(yes), {yes}, one, tick), strict=False):
        values[n] = value
