"""Probabilities of absorption, and expected visits: state elimination, one component of the graph at a time.

The probabilities h of being absorbed in a goal solve h(s) = sum over edges s -> t of p(s, t) h(t).  Nothing
is ever subtracted: the row of an eliminated state is divided by the sum of its other edges and never by
1 - p(s, s) (Grassmann, Taksar and Heyman, *Regenerative analysis and steady state distributions for Markov
chains*, 1985).  So balls stay tight, functions of eps stay nonnegative, and no denominator vanishes where
the graph keeps its edges.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import reduce
from heapq import heapify, heappop, heappush
from operator import add
from typing import Generic, Protocol, Self, TypeVar

from flint import fmpq, fmpq_mat

from dipc.clock import Tick, unlimited
from dipc.models.graph import components
from dipc.numbers.ratio import Ratio, common_denominator

ZERO, ONE = fmpq(0), fmpq(1)
SOME = 16  # states after which a limit is looked at, where each takes a microsecond
LONG = 300  # bits: products of matrices of such numbers need fewer gcds
FEW_BITS = 64  # of the leading coefficient of a denominator whose powers are common denominators


class Number(Protocol):
    """An element of a field, or a ball: fmpq, Quotient, Ratio, arb."""

    def __add__(self, other: Self, /) -> Self: ...
    def __sub__(self, other: Self, /) -> Self: ...
    def __mul__(self, other: Self, /) -> Self: ...
    def __truediv__(self, other: Self, /) -> Self: ...


N = TypeVar("N", bound=Number)
Rows = Sequence[Sequence[tuple[int, N]]]
_Eliminated = tuple[int, Sequence[tuple[int, N]], list[N]]  # a state, its edges to later ones, its gain


def absorption(
    rows: Rows[N], transient: Collection[int], goal: Collection[int], one: N, tick: Tick = unlimited
) -> list[N]:
    """For every state the probability of leaving the transient states into the goal.

    Every transient state leaves them with probability 1; the others stay where they are.  What is 0 or 1
    because of the graph is exactly that: 0 is the state's only value without a path to the goal.

    >>> from flint import fmpq
    >>> half, one = fmpq(1, 2), fmpq(1)                     # the ruin of a gambler
    >>> rows = [[(0, one)], [(0, half), (2, half)], [(1, half), (3, half)], [(3, one)]]
    >>> absorption(rows, {1, 2}, {3}, one)
    [0, 1/3, 2/3, 1]
    """
    nothing = one - one
    values = [nothing] * len(rows)
    for s in goal:
        values[s] = one
    reached = set(goal)  # the states whose value is not 0
    for members in components(rows, transient):
        tick()
        solved: list[_Eliminated[N]]
        if len(members) == 1 and all(t != members[0] for t, _ in rows[members[0]]):
            solved = [(members[0], rows[members[0]], [])]
        else:
            solved = list(_Block(rows, members, values, reached).eliminated(tick))
        for s, row, gain in reversed(solved):
            value = gain[0] if gain else None
            for t, p in row:
                if t in reached:
                    term = p * values[t]
                    value = term if value is None else value + term
            if value is not None:
                values[s] = value
                reached.add(s)
    return values


def forwards(
    rows: Rows[fmpq], between: Collection[int], goal: Collection[int], tick: Tick = unlimited
) -> list[fmpq] | None:
    """For every state the probability of reaching the goal through the states between, which are no goals.

    None unless all edges of these states lead to states of higher numbers, or stay for ever.

    >>> from flint import fmpq
    >>> forwards([[(1, fmpq(1, 3)), (2, fmpq(2, 3))], [(1, fmpq(1))], [(2, fmpq(1))]], {0, 1}, {2})
    [2/3, 0, 1]
    """
    values = [ZERO] * len(rows)
    for s in goal:
        values[s] = ONE
    for s in range(len(rows) - 1, -1, -1):
        if s in between:
            if s % SOME == 0:
                tick()
            row, value = rows[s], ZERO
            if len(row) > 2 and values[row[-1][0]].q.bit_length() > LONG and all(t > s for t, _ in row):
                column = fmpq_mat(len(row), 1, [values[t] for t, _ in row])
                values[s] = (fmpq_mat(1, len(row), [p for _, p in row]) * column)[0, 0]
                continue
            for t, p in row:
                if t <= s:
                    if len(row) == 1 and t == s:
                        break
                    return None
                if number := values[t]:
                    value = value + p * number
            values[s] = value
    return values


def acyclic(
    rows: Rows[Ratio], transient: Collection[int], goal: Collection[int], one: Ratio, tick: Tick = unlimited
) -> list[Ratio] | None:
    """What :func:`absorption` finds, if the transient states are on no cycle and have few denominators.

    ``above[s] / below**height[s]`` is the value of s: sums of such fractions need no gcd.
    """
    parts, nothing = [*components(rows, transient)], one - one
    order = [s for s, *others in parts if not others and all(t != s for t, _ in rows[s])]
    numbers = {id(p): p for s in order for _, p in rows[s]}
    most = 1 + max((len(p.denominator) for p in numbers.values()), default=0)
    below = common_denominator([one, *numbers.values()], most, FEW_BITS)
    if len(order) < len(parts) or below is None:
        return None
    scaled = {key: p.over(below) for key, p in numbers.items()}
    values = [one if s in goal else nothing for s in range(len(rows))]
    above, height, powers = [value.numerator for value in values], [0] * len(rows), [one.numerator]
    for s in order:
        tick()
        row = rows[s]
        high = max([height[t] for t, _ in row])
        whole = len(row) == 1 and row[0][1].denominator.is_one()
        for t, p in row:
            if weight := above[t]:
                term = (p.numerator if whole else scaled[id(p)]) * weight
                above[s] += term if height[t] == high else term * powers[high - height[t]]
        height[s] = high if whole else high + 1
        if height[s] == len(powers):
            powers.append(powers[-1] * below)
        coprime = above[s].gcd(below).is_one()  # then the value is in lowest terms
        values[s] = (Ratio if coprime else Ratio.reduced)(above[s], powers[height[s]])
    return values


def visits(rows: Rows[N], start: int, one: N) -> list[N]:
    """For every state the expected number of visits, if the start is ``start`` and all states are left.

    They solve ``w(t) = [t is the start] + sum over edges s -> t of p(s, t) w(s)``.
    """
    nothing = one - one
    weights = [nothing] * len(rows)
    weights[start] = one
    for component in reversed([*components(rows, range(len(rows)))]):
        members, inside = sorted(component), set(component)
        _within(rows, members, weights, one)
        for s in members:
            for t, p in rows[s]:
                if t not in inside:
                    weights[t] = weights[t] + weights[s] * p
    return weights


def _within(rows: Rows[N], members: Sequence[int], weights: list[N], one: N) -> None:
    """Add to the visits of a component those that come from inside, by state elimination."""
    flow: dict[int, dict[int, N]] = {s: {} for s in members}
    for s in members:
        for t, p in rows[s]:
            if t in flow:
                increase(flow[s], t, p)
    for place, s in enumerate(members):
        later = members[place + 1 :]
        # w(s) = (weights(s) + sum over later r of w(r) flow(r, s)) / (1 - flow(s, s))
        factor = one / (one - flow[s].get(s, one - one))
        weights[s] = weights[s] * factor
        sources = [r for r in later if s in flow[r]]
        for r in sources:
            flow[r][s] = flow[r][s] * factor
        for t in later:
            if t in flow[s]:
                weights[t] = weights[t] + weights[s] * flow[s][t]
                for r in sources:
                    increase(flow[r], t, flow[r][s] * flow[s][t])
    for place, s in reversed(list(enumerate(members))):
        for r in members[place + 1 :]:
            if s in flow[r]:
                weights[s] = weights[s] + weights[r] * flow[r][s]


def total(terms: list[N]) -> N:
    """The sum of one or more numbers."""
    return reduce(add, terms)


def increase(table: dict[int, N], key: int, amount: N) -> None:
    """Add to an entry, which is 0 if it is missing."""
    table[key] = table[key] + amount if key in table else amount


class _Block(Generic[N]):
    """A strongly connected component whose states are eliminated one by one.

    ``edges[s]`` are the edges to other states of the block, ``leave[s]`` the probability of leaving it and
    ``gain[s]`` the part that ends in the goal; a state missing there has 0.
    """

    def __init__(self, rows: Rows[N], members: list[int], values: list[N], reached: set[int]) -> None:
        self.edges: dict[int, dict[int, N]] = {s: {} for s in members}
        self.sources: dict[int, set[int]] = {s: set() for s in members}
        self.leave: dict[int, N] = {}
        self.gain: dict[int, N] = {}
        self.loops: set[int] = set()
        for s in members:
            for t, p in rows[s]:
                if t == s:
                    self.loops.add(s)
                elif t in self.edges:
                    increase(self.edges[s], t, p)
                    self.sources[t].add(s)
                else:
                    increase(self.leave, s, p)
                    if t in reached:
                        increase(self.gain, s, p * values[t])

    def eliminated(self, tick: Tick) -> Iterator[_Eliminated[N]]:
        """The states by least degree: each with its edges to states that come later, and its gain."""
        heap = [(self._degree(s), s) for s in self.edges]
        heapify(heap)
        while heap:
            degree, s = heappop(heap)
            if s in self.edges and degree == self._degree(s):  # else there is a newer entry
                changed = self.sources[s].union(self.edges[s])
                yield self.eliminate(s, tick)
                for t in changed:
                    heappush(heap, (self._degree(t), t))

    def _degree(self, s: int) -> int:
        return len(self.sources[s]) * len(self.edges[s])

    def eliminate(self, s: int, tick: Tick) -> _Eliminated[N]:
        """Send the flow into a state on to where it goes from there."""
        tick()
        row, sources = list(self.edges.pop(s).items()), self.sources.pop(s)
        for t, _ in row:
            self.sources[t].discard(s)
        leave = [self.leave.pop(s)] if s in self.leave else []
        gain = [self.gain.pop(s)] if s in self.gain else []
        if s in self.loops:  # else the other edges sum to 1
            rest = total([*(p for _, p in row), *leave])
            row = [(t, p / rest) for t, p in row]
            leave, gain = [x / rest for x in leave], [x / rest for x in gain]
        for r in sources:
            flow = self.edges[r].pop(s)
            for t, p in row:
                if t == r:  # what comes back is a loop
                    self.loops.add(r)
                else:
                    increase(self.edges[r], t, flow * p)
                    self.sources[t].add(r)
            for amount in leave:
                increase(self.leave, r, flow * amount)
            for amount in gain:
                increase(self.gain, r, flow * amount)
        return s, row, gain
