"""The probability of a path formula from every state of a Markov chain.

Source: Courcoubetis and Yannakakis, *The complexity of probabilistic verification*, 1995, section 3.1; no
automaton is built.  For an innermost temporal operator with probabilities q, a state s is split into a copy
(s, true) with weight q(s), on whose paths the operator holds, and a copy (s, false) with weight 1 - q(s), on
whose paths it does not; copies of weight 0 do not exist.  The paths from a copy are those of s under the
condition, which are the paths of a Markov chain again:

* ``X B``, from (s, b): keep t with [t in B] = b, with p(s, t) q_c(t) / q_b(s) to every copy (t, c);
* ``A U B``, from (s, b) with s in A without B: p(s, t) q_b(t) / q_b(s) to (t, b), because the operator is
  true at s if and only if it is at t; from other s, where b is fixed: p(s, t) q_c(t) to every copy (t, c).

Then the operator is a set of states, and the next one is innermost.  A formula with k operators makes at most
2^k copies of a state.  What needs no copies is peeled off the formula first: negation at the top, X, operands
that are sets of states.  ``f U<=k g`` is ``g | (f & X (f U<=k-1 g))``, which has at most k + 2 copies.

Nothing is subtracted, 1 - q(s) is computed as the probability of the negation, so the same code serves
rationals, functions of eps and balls.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypeVar, cast

from flint import fmpq

from dipc.clock import Tick, unlimited
from dipc.dpctl.formula import (
    And,
    Formula,
    Next,
    Not,
    Or,
    Truth,
    Until,
    is_state_formula,
    operands,
    outermost,
)
from dipc.errors import InternalError
from dipc.models.graph import never_and_surely
from dipc.models.linear import N, Rows, absorption, acyclic, forwards, total
from dipc.numbers.polynomial import common_unit, grid_of
from dipc.numbers.quotient import Quotient
from dipc.numbers.ratio import Ratio, common_denominator, in_one_ring

K = TypeVar("K", fmpq, Quotient)
States = frozenset[int]
Solve = Callable[[States, States, bool], list[N] | None]
FEW_TERMS, FEW_BITS = 64, 1024  # of a common denominator, and of its leading coefficient


def exact(
    rows: Rows[K], path: Formula, known: Mapping[Formula, States], tick: Tick = unlimited
) -> Sequence[K]:
    """The probabilities of ``path`` in exact numbers; see :func:`probabilities` for ``known``.

    In a chain with eps the result is right where no probability of the chain vanishes.

    >>> from dipc.dpctl.formula import Proposition
    >>> third, one = fmpq(1, 3), fmpq(1)
    >>> rows = ((0, third), (1, third), (2, third)), ((1, one),), ((2, one),)
    >>> known = {Truth(True): frozenset([0, 1, 2]), Proposition("t"): frozenset([1])}
    >>> exact(rows, Not(Until(*known)), known)
    [1/2, 0, 1]
    """
    numbers: Any = rows
    found: Any
    if isinstance(numbers[0][0][1], Quotient):
        found = _functions(numbers, path, known, tick)
    else:
        found = probabilities(numbers, fmpq(1), path, known, tick)
    values: Sequence[K] = found
    return values


def _functions(
    rows: Rows[Quotient], path: Formula, known: Mapping[Formula, States], tick: Tick
) -> Sequence[Quotient]:
    one = Quotient.one()
    objects = {id(p): p for row in rows for _, p in row}  # they are slow to hash
    different = {one, *objects.values()}
    parts = [f for p in different for f in (p.numerator, p.denominator) if f]
    if grid_of(*parts) is None:  # polynomials in one variable would be too long
        return probabilities(rows, one, path, known, tick)
    unit = common_unit(*parts)
    ratios = in_one_ring(different, unit)
    fast = {key: ratios[p] for key, p in objects.items()}
    found = probabilities(
        [[(t, fast[id(p)]) for t, p in row] for row in rows], ratios[one], path, known, tick
    )
    return Quotients(found, unit)


class Quotients(Sequence[Quotient]):
    """Functions of eps in a fast form, each converted when it is asked for."""

    def __init__(self, ratios: Sequence[Ratio], unit: int) -> None:
        self._ratios, self._unit = ratios, unit
        self._found: dict[int, Quotient] = {}

    def __len__(self) -> int:
        return len(self._ratios)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[i] for i in range(len(self))[place]]
        if place not in self._found:
            self._found[place] = self._ratios[place].quotient(self._unit)
        return self._found[place]


def known_sets(path: Formula, sets: Callable[[Formula], States]) -> dict[Formula, States]:
    """The largest state formulas inside a path formula, with their states."""
    return {part: sets(part) for part in dict.fromkeys(outermost(path, is_state_formula))}


def probabilities(
    rows: Rows[N],
    one: N,
    path: Formula,
    known: Mapping[Formula, States],
    tick: Tick = unlimited,
    solve: Solve[N] | None = None,
) -> list[N]:
    """The probability of ``path`` from every state, of a chain given by its rows and the number 1.

    ``known`` are the states of formulas inside ``path`` such that only temporal and Boolean operators are
    above them.  A probability that is 0 or 1 because of the graph is exactly that number.  ``solve`` may know
    the probabilities of ``left U right`` in this chain, or of its negation.
    """
    chain, holds = _Chain(rows, one, known, frozenset(range(len(rows))), tick, solve), True
    after: list[Callable[[list[N]], list[N]]] = []
    while (values := chain.solved(path, holds)) is None:
        match path:
            case Not(operand):
                path, holds = operand, not holds
            case Next(operand, count):
                after.append(partial(chain.steps, count))
                path = operand
            case And(parts) | Or(parts) if len(rest := chain.unknown(parts)) == 1:
                after.append(chain.fixing(path, rest[0], holds))
                path = rest[0]
            case _:
                chain, merge = chain.split(chain.innermost(path))
                after.append(merge)
    for action in reversed(after):
        tick()
        values = action(values)
    return values


@dataclass(frozen=True, slots=True)
class _Chain(Generic[N]):
    """Rows with the sets of states of the formulas that are known to depend on the state only."""

    rows: Rows[N]
    one: N
    known: Mapping[Formula, States]
    everything: States
    tick: Tick
    solve: Solve[N] | None = None

    def truth(self, formula: Formula) -> States | None:
        """The states of a Boolean combination of known formulas; None for others."""
        if formula in self.known:
            return self.known[formula]
        match formula:
            case Truth(value):
                return self.everything if value else frozenset()
            case Not(operand):
                inner = self.truth(operand)
                return None if inner is None else self.everything - inner
            case And(parts) | Or(parts):
                sets = [self.truth(f) for f in parts]
                found = [states for states in sets if states is not None]
                if len(found) < len(sets):
                    return None
                both = isinstance(formula, And)
                return self.everything.intersection(*found) if both else frozenset().union(*found)
            case Until(_, right, 0):
                return self.truth(right)
            case Until(left, right, int(bound)) if (later := _later(left, right, bound)) in self.known:
                return self.truth(Or((right, And((left, later)))))
            case _:
                return None

    def unknown(self, parts: tuple[Formula, ...]) -> list[Formula]:
        """The formulas that are no sets of states yet."""
        return [part for part in parts if self.truth(part) is None]

    def solved(self, path: Formula, holds: bool) -> list[N] | None:
        """The probabilities of a formula (of its negation, if not ``holds``) without nested operators."""
        if (states := self.truth(path)) is not None:
            return self.indicator(states if holds else self.everything - states)
        if not isinstance(path, Until):
            return None
        left, right = self.truth(path.left), self.truth(path.right)
        if left is None or right is None:
            return None
        if path.bound is None:
            return self.until(left, right, holds)
        return self.within(left, right, path.bound, holds)

    def indicator(self, states: Collection[int]) -> list[N]:
        """1 in these states, 0 in the others."""
        nothing = self.one - self.one
        return [self.one if s in states else nothing for s in range(len(self.rows))]

    def until(self, left: States, right: States, holds: bool) -> list[N]:
        """The probabilities of ``left U right``, or of its negation."""
        if self.solve is not None and (solved := self.solve(left, right, holds)) is not None:
            return solved
        if isinstance(self.one, fmpq):  # functions of eps may hide that they are 1 at some eps
            values = forwards(cast("Rows[fmpq]", self.rows), left - right, right, self.tick)
            if values is not None:
                return cast("list[N]", values if holds else [1 - value for value in values])
        never, surely = never_and_surely(self.rows, left, right)
        between = self.everything - never - surely
        goal = surely if holds else never
        if isinstance(self.one, Ratio):
            ratios: Any = self.rows
            found: Any = acyclic(ratios, between, goal, self.one, self.tick)
            if found is not None:
                return cast("list[N]", found)
        return absorption(self.rows, between, goal, self.one, self.tick)

    def within(self, left: States, right: States, bound: int, holds: bool) -> list[N]:
        """The probabilities of ``left U<=bound right``, or of its negation."""
        between, start = left - right, self.indicator(right if holds else self.everything - right)
        rows = [row if s in between else [(s, self.one)] for s, row in enumerate(self.rows)]
        return replace(self, rows=rows).steps(bound, start)

    def step(self, values: list[N]) -> list[N]:
        """The expected values after one step."""
        nothing, live = self.one - self.one, self._live(values)
        result = []
        for row in self.rows:
            terms = [self.times(p, live[t]) for t, p in row if t in live]
            result.append(total(terms) if terms else nothing)
        return result

    def steps(self, count: int, values: list[N]) -> list[N]:
        """The expected values after some steps."""
        if isinstance(self.one, Ratio) and count > 1:
            scaled: Any = self
            found: list[N] = scaled._steps_over_one_denominator(count, values)
            return found
        return self._until_stable(count, values, self.one)[0]

    def _until_stable(self, count: int, values: list[N], factor: N) -> tuple[list[N], int]:
        """The values after some steps, and the number of steps: more would only multiply by the factor."""
        for done in range(count):
            self.tick()
            following = self.step(values)
            if all(new == self.times(old, factor) for new, old in zip(following, values, strict=True)):
                return values, done
            values = following
        return values, count

    def _steps_over_one_denominator(self: _Chain[Ratio], count: int, values: list[Ratio]) -> list[Ratio]:
        """The same with polynomials, whose sums and products need no gcd, where few denominators occur."""
        below = common_denominator((p for row in self.rows for _, p in row), FEW_TERMS, FEW_BITS)
        first = common_denominator(values, FEW_TERMS, FEW_BITS)
        if below is None or first is None:
            return self._until_stable(count, values, self.one)[0]
        rows = [[(t, p.over(below)) for t, p in row] for row in self.rows]
        chain: Any = replace(cast(Any, self), rows=rows, one=self.one.numerator)
        above, steps = chain._until_stable(count, [value.over(first) for value in values], below)
        return [Ratio.reduced(f, below**steps * first) for f in above]

    def _live(self, values: list[N]) -> dict[int, N]:
        """The values that are not exactly 0: `!=` would leave out a ball around 0."""
        nothing = self.one - self.one
        return {s: value for s, value in enumerate(values) if not (value == nothing)}  # noqa: SIM201

    def times(self, p: N, q: N) -> N:
        """A product; the factor 1 costs nothing."""
        return p if q is self.one else p * q

    def fixing(self, path: Formula, rest: Formula, holds: bool) -> Callable[[list[N]], list[N]]:
        """From the values of the only unknown operand to those of a conjunction or disjunction."""
        one, nothing = self.one, self.one - self.one
        parts = tuple(part for part in operands(path) if part != rest)
        if isinstance(path, And):
            fixed = self.everything - (self.truth(And(parts)) or frozenset())
            end = nothing if holds else one
        else:
            fixed = self.truth(Or(parts)) or frozenset()
            end = one if holds else nothing
        return lambda values: [end if s in fixed else value for s, value in enumerate(values)]

    def innermost(self, path: Formula) -> Formula:
        """An operator X or U whose operands are sets of states."""
        inner: tuple[Formula, ...]
        while True:
            self.tick()
            match path:
                case Next(operand, count):
                    inner = (operand if count == 1 else Next(operand, count - 1),)
                case Until(left, right, int(bound)) if not self.unknown((left, right)):
                    inner = (_later(left, right, bound),)
                case _:
                    inner = operands(path)
            unknown = self.unknown(inner)
            if not unknown:
                return path
            path = unknown[0]

    def split(self, operator: Formula) -> tuple[_Chain[N], Callable[[list[N]], list[N]]]:
        """The chain whose states know whether the operator holds on their paths, and the way back."""
        both, kept = self._weights(operator)
        weights = [self._live(values) for values in both]
        copies = [(s, b) for s in range(len(self.rows)) for b in (1, 0) if s in weights[b]]
        number = {copy: place for place, copy in enumerate(copies)}
        rows = []
        for s, b in copies:
            self.tick()
            weight = weights[b][s]
            row = [
                (number[t, c], self.times(p, weights[c][t]))
                for t, p in self.rows[s]
                for c in kept(s, b, t)
                if (t, c) in number
            ]
            rows.append(row if weight is self.one else [(t, p / weight) for t, p in row])
        known = {
            f: frozenset(number[c] for c in copies if c[0] in states) for f, states in self.known.items()
        }
        known[operator] = frozenset(number[c] for c in copies if c[1])

        def merge(values: list[N]) -> list[N]:
            terms: list[list[N]] = [[] for _ in self.rows]
            for (s, b), value in zip(copies, values, strict=True):
                terms[s].append(self.times(value, weights[b][s]))
            return [total(several) for several in terms]

        return _Chain(rows, self.one, known, frozenset(range(len(copies))), self.tick), merge

    def _weights(self, operator: Formula) -> tuple[list[list[N]], Callable[[int, int, int], tuple[int, ...]]]:
        """The probabilities of the negation and of the operator, and the copies of t that follow (s, b)."""
        match operator:
            case Next(operand, count):
                inner = operand if count == 1 else Next(operand, count - 1)
                goal = self.truth(inner) or frozenset()
                steps = [self.step(self.indicator(goal if b else self.everything - goal)) for b in (0, 1)]
                return steps, lambda s, b, t: (1, 0) if (t in goal) == b else ()
            case Until(a, b, None):
                left, right = self.truth(a) or frozenset(), self.truth(b) or frozenset()
                between = left - right
                ways = [self.until(left, right, holds) for holds in (False, True)]
                return ways, lambda s, b, t: (b,) if s in between else (1, 0)
        raise InternalError(f"{operator} is not an innermost operator")


def _later(left: Formula, right: Formula, bound: int) -> Next:
    """What ``left U<=bound right`` means from the next state on."""
    return Next(Until(left, right, bound - 1))
