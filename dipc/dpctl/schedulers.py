"""The largest probability of a path formula over all schedulers of a Markov decision process, exactly.

The process and a deterministic automaton that reads its states run side by side (the *product*).  A scheduler
can satisfy the formula with probability 1 from an accepting end component; elsewhere it can do no better than
reach one (Baier and Katoen, *Principles of Model Checking*, 10.6).  That is policy iteration, one strongly
connected component after the other: it starts with a policy under which no state is stuck, evaluates it
exactly, and changes an action only if that is strictly better, so it ends at the maximum.  The least
probability is 1 minus the largest one of the negation.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from flint import fmpq

from dipc.dpctl.progression import Condition, Marks, Monitor
from dipc.models.chain import Mdp, Row
from dipc.models.graph import components
from dipc.models.linear import Tick, absorption, increase, silent, total
from dipc.numbers.quotient import Quotient

K = TypeVar("K", fmpq, Quotient)
HERE = fmpq(1)  # any eps: nothing depends on it


def sign_of(value: fmpq | Quotient) -> int:
    """The exact sign of a number without eps."""
    if isinstance(value, Quotient):
        return value.sign_at(HERE)
    return (value > 0) - (value < 0)


@dataclass(frozen=True, slots=True)
class Product(Generic[K]):
    """A decision process whose nodes are states with a memory; ``rows[n][a]`` as in the process.

    ``start[s]`` is the node of a path that begins in the state s; ``truth[n]`` is the truth of the formula
    where it is settled already.
    """

    rows: Sequence[Sequence[Row[K]]]
    start: Sequence[int]
    marks: Sequence[Marks]
    truth: Sequence[bool | None]
    monitor: Monitor
    one: K

    @staticmethod
    def of(mdp: Mdp[K], monitor: Monitor, tick: Tick = silent) -> Product[K]:
        """The product of a process with an automaton; once the truth is settled, the state is forgotten."""
        number: dict[tuple[int, Hashable], int] = {}
        nodes: list[tuple[int, Hashable]] = []

        def node(before: Hashable | None, state: int) -> int:
            memory = monitor.read(before, state)
            key = (-1 if isinstance(memory, bool) else state), memory
            if key not in number:
                number[key] = len(nodes)
                nodes.append(key)
            return number[key]

        start = [node(None, s) for s in range(len(mdp.names))]
        first = mdp.rows[0][0][0][1]
        one = Quotient.one() if isinstance(first, Quotient) else fmpq(1)
        rows: list[tuple[Row[K], ...]] = []
        for n, (s, memory) in enumerate(nodes):  # grows while it is read
            tick()
            if isinstance(memory, bool):
                rows.append((((n, one),),) * len(mdp.actions))
                continue
            made: dict[Row[K], Row[K]] = {}
            for row in mdp.rows[s]:
                if row not in made:
                    targets: dict[int, K] = {}
                    for t, p in row:
                        increase(targets, node(memory, t), p)
                    made[row] = tuple(sorted(targets.items()))
            rows.append(tuple(made[row] for row in mdp.rows[s]))
        truth = [memory if isinstance(memory, bool) else None for _, memory in nodes]
        return Product(rows, start, [monitor.marks(memory) for _, memory in nodes], truth, monitor, one)

    def under(self, action: int) -> Product[K]:
        """The chain in which always the same action is taken."""
        return replace(self, rows=[(rows[action],) for rows in self.rows])

    def maximum(self, tick: Tick = silent) -> list[K]:
        """From every node, the largest probability that the path satisfies the formula."""
        return self._largest(self.monitor.accepted, tick)

    def minimum(self, tick: Tick = silent) -> list[K]:
        """From every node, the least probability that the path satisfies the formula."""
        return [self.one - value for value in self._largest(self.monitor.rejected, tick)]

    def _largest(self, condition: Condition, tick: Tick) -> list[K]:
        return reaching_probabilities(self.rows, self._winning(condition), self.one, tick)

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
    waiting = [set(nodes)]
    while waiting:
        inside = waiting.pop()
        edges, shrinking = dict[int, list[tuple[int, object]]](), True
        while shrinking:
            staying = {n: [row for row in rows[n] if all(t in inside for t, _ in row)] for n in inside}
            edges = {n: [edge for row in found for edge in row] for n, found in staying.items() if found}
            shrinking = len(edges) < len(inside)
            inside = set(edges)
        parts = list(components(_Lookup(edges), inside))
        if len(parts) == 1:
            yield inside
        else:
            waiting += reversed([set(part) for part in parts])


class _Lookup(Sequence[Sequence[tuple[int, object]]]):
    """A table of some rows that is read like a list of all of them."""

    def __init__(self, table: dict[int, list[tuple[int, object]]]) -> None:
        self._table = table

    def __len__(self) -> int:
        return len(self._table)

    def __getitem__(self, n):  # type: ignore[no-untyped-def]
        return self._table[n]


def reaching_probabilities(
    rows: Sequence[Sequence[Row[K]]], goal: Collection[int], one: K, tick: Tick = silent
) -> list[K]:
    """From every node, the largest probability of reaching the goal."""
    zero: K = one - one
    values = [one if n in goal else zero for n in range(len(rows))]
    edges = [[edge for row in dict.fromkeys(actions) for edge in row] for actions in rows]
    for members in components(edges, dict.fromkeys(n for n in range(len(rows)) if n not in goal)):
        tick()
        inside = frozenset(members)
        choices = {n: list(dict.fromkeys(rows[n])) for n in members}
        if len(members) == 1 and not any(t in inside for t, _ in edges[members[0]]):
            (n,) = members
            values[n] = _best([expected(row, values) for row in choices[n]])
        else:
            _iterate(_attractor(choices, inside, values), choices, values, one, tick)
    return values


def expected(row: Row[K], values: Sequence[K]) -> K:
    """The expected value after a step."""
    return total([p * values[t] for t, p in row])


def _best(candidates: Sequence[K]) -> K:
    best = candidates[0]
    for value in candidates[1:]:
        if sign_of(value - best) > 0:
            best = value
    return best


def _attractor(
    choices: dict[int, list[Row[K]]], inside: frozenset[int], values: Sequence[K]
) -> dict[int, Row[K]]:
    """An action for every state such that something better than 0 can be reached, nearest states first."""
    before: dict[int, list[tuple[int, Row[K]]]] = {n: [] for n in inside}
    policy: dict[int, Row[K]] = {}
    for n, rows in choices.items():
        for row in rows:
            for t, _ in row:
                if t in inside:
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
    policy: dict[int, Row[K]], choices: dict[int, list[Row[K]]], values: list[K], one: K, tick: Tick
) -> None:
    """Improve a policy, empty if nothing can be reached, until no action is strictly better."""
    improving = bool(policy)
    while improving:
        tick()
        _evaluate(policy, values, one, tick)
        improving = False
        for n, rows in choices.items():
            best = values[n]
            for row in rows:
                if sign_of((value := expected(row, values)) - best) > 0:
                    best, policy[n], improving = value, row, True


def _evaluate(policy: dict[int, Row[K]], values: list[K], one: K, tick: Tick) -> None:
    """The values under a policy that leaves the component for certain; those outside are known."""
    place = {n: i for i, n in enumerate(policy)}
    yes, no = len(place), len(place) + 1
    rows: list[list[tuple[int, K]]] = []
    for row in policy.values():
        targets: dict[int, K] = {}
        for t, p in row:
            if t in place:
                increase(targets, place[t], p)
            else:
                increase(targets, yes, p * values[t])
                increase(targets, no, p * (one - values[t]))
        rows.append([(t, p) for t, p in targets.items() if p])
    rows += [[(yes, one)], [(no, one)]]
    for n, value in zip(policy, absorption(rows, range(len(place)), {yes}, one, tick), strict=False):
        values[n] = value
