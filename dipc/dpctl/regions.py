"""Where a formula holds: all eps of a range at once, exactly.

A formula is evaluated on *pieces* of the range on which every function that matters has one sign.  Which
functions matter depends on the sets of states that satisfy the inner formulas, so the list grows until no
piece asks for a sign that is not in it: as many rounds as P and D are nested.  Where neither the chain nor
the numbers of a P or D depend on eps, all states are compared at once (:mod:`dipc.dpctl.enclosed`).

**Vanishing transitions.**  At a zero of a transition probability the graph of the chain is a smaller one, and
so are the sets of states from which something is reachable: there the functions come from the chain without
those transitions.  Skipping this is unsound (a loop with probability 1 - (eps - 1)^2/4 is left for certain at
every eps except 1).  The cuts are made first; on every other piece the graph is the generic one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar, assert_never, cast

from flint import arb, fmpq

from dipc.claims.exponent import Exponent
from dipc.clock import Clock
from dipc.dpctl.bounds import Bound, Outcome, Searched, lifted, plain
from dipc.dpctl.enclosed import Pair, Values
from dipc.dpctl.formula import (
    And,
    EachNext,
    Formula,
    Interval,
    Next,
    Not,
    Or,
    Privacy,
    Probability,
    Proposition,
    Truth,
    Until,
)
from dipc.dpctl.paths import exact, known_sets
from dipc.dpctl.verdict import Open
from dipc.errors import InputError
from dipc.models.chain import Mdp, Model
from dipc.models.linear import Rows
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.ends import Region
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import sign_if_constant, without_monomial
from dipc.signs.tables import Piece, pieces

States = frozenset[int]
Signs = dict[ExpPoly, int]
Result = TypeVar("Result")
Numbers = Sequence[Quotient] | Values[Any]
INSIDE = "a state formula inside is undecided"


@dataclass(frozen=True, slots=True)
class Found(Generic[Result]):
    """A piece of the range with the results that are possible there: several where signs are not settled."""

    piece: Piece
    results: frozenset[Result]


class Evaluation:
    """The evaluation of formulas on one model and one range of eps.  Everything found is remembered.

    ``together`` are states whose probabilities are all wanted; ``exact``: whether enclosures are no answer.
    """

    is_open = False  # whether a search for words ended without a result

    def __init__(
        self,
        chain: Model,
        eps_range: EpsRange,
        clock: Clock,
        together: States = frozenset(),
        exact: bool = False,
    ) -> None:
        self.chain, self.eps_range, self.clock, self.exact = chain, eps_range, clock, exact
        self.every = frozenset(range(len(chain.names)))
        self._signs: dict[ExpPoly, int | None] = {}
        self._vectors: dict[object, Numbers] = {}
        self._rows, self._together = cast("Rows[Quotient]", chain.rows), together
        # of a process those that vanish are looked for where a formula is not bounded
        rows: Any = () if isinstance(chain, Mdp) else chain.rows
        functions = (p for row in rows for _, p in row if isinstance(p, Quotient) and not p.is_constant)
        self.transitions = list(dict.fromkeys(functions))
        self.functions: dict[ExpPoly, None] = {}

    def everywhere(self, question: Callable[[Judge], Result]) -> list[Found[Result]]:
        """The answers on all pieces, from left to right.

        Raises :class:`~dipc.signs.limits.Unsettled` if the range cannot be cut.
        """
        for p in self.transitions:
            self.functions[self.normal_form(p)[0]] = None
        while True:
            functions = list(self.functions)
            wanted: dict[ExpPoly, None] = {}
            found: list[Found[Result]] = []
            for piece in pieces(functions, self.eps_range, partial(self.clock.tick, "regions")):
                self.clock.tick("regions", len(found))
                found.append(self._on(piece, functions, wanted, question))
            if not wanted:
                return found
            self.functions.update(wanted)

    def _on(
        self,
        piece: Piece,
        functions: Sequence[ExpPoly],
        wanted: dict[ExpPoly, None],
        question: Callable[[Judge], Result],
    ) -> Found[Result]:
        results = set()
        for signs in piece.readings:
            local = self.local(dict(zip(functions, signs, strict=True)), wanted)
            try:
                results.add(local.settled(question(local)))
            except _MissingSigns:
                continue
        return Found(piece, frozenset(results))

    def local(self, signs: Signs, wanted: dict[ExpPoly, None]) -> Local:
        """What judges on a piece."""
        return Local(self, signs, wanted)

    def doubts(self, formula: Formula, state: int) -> Iterator[Open]:
        """The pairs of states for which a D in an undecided formula is undecided."""
        return iter(())

    def normal_form(self, value: Quotient) -> tuple[ExpPoly, int]:
        """A function and a factor, 1 or -1: their product has the signs of ``value``."""
        if value.denominator not in self._signs:
            self._signs[value.denominator] = sign_if_constant(value.denominator, self.eps_range)
        sign = self._signs[value.denominator]
        above = value.numerator * value.denominator if sign is None else value.numerator
        f, sign = without_monomial(above), 1 if sign is None else sign
        return (-f, -sign) if f and next(f.terms()).coefficient < 0 else (f, sign)

    def vector(self, vanishing: frozenset[Quotient], path: Formula, sets: dict[Formula, States]) -> Numbers:
        """The probabilities of a path formula without the ``vanishing`` transitions, for all states.

        ``sets`` are the states of its state formulas.
        """
        key = vanishing, path, tuple(sets.items())
        if key not in self._vectors:
            self.clock.tick("probabilities", len(self._vectors))
            rows = self._rows
            if vanishing:
                rows = [[(t, p) for t, p in row if p not in vanishing] for row in rows]
            tick = partial(self.clock.tick, "probabilities", len(self._vectors))
            if self.transitions:
                self._vectors[key] = exact(rows, path, sets, tick)
            else:
                self._vectors[key] = Values(path, rows, sets, self._together, tick)
        return self._vectors[key]


class _MissingSigns(Exception):
    """The evaluation cannot go on before the signs that it asked for are known."""


class Judge:
    """The evaluation at some eps, the same for all eps of a piece."""

    chain: Model
    clock: Clock
    is_constant = False  # whether no number that is compared depends on eps
    limits = ""  # why a search ended without a result

    def satisfying(self, formula: Formula, asked: States, surely: bool = True) -> States:
        """The states among ``asked`` in which a state formula holds, or may hold if not ``surely``."""
        match formula:
            case Truth(value):
                return asked if value else frozenset()
            case Proposition(name, span):
                if (states := self.chain.states_of(name)) is None:
                    raise InputError(f"`{name}` is neither a label nor a state", span)
                return states & asked
            case Not(operand):
                return asked - self.satisfying(operand, asked, not surely)
            case And(operands):
                for operand in operands:
                    asked = self.satisfying(operand, asked, surely)
                return asked
            case Or(operands):
                rest = asked
                for operand in operands:
                    rest = rest - self.satisfying(operand, rest, surely)
                return asked - rest
            case Probability() | Privacy():
                return self.judged(formula, asked, surely)
            case Next() | EachNext() | Until():
                raise InputError("a path formula is true of paths, not of states", None, "put it into P or D")
            case _:
                assert_never(formula)

    def judged(self, formula: Probability | Privacy, asked: States, surely: bool) -> States:
        """The states among ``asked`` in which a P or D holds, or may hold if not ``surely``."""
        wanted = (True,) if surely else (True, None)
        return frozenset(s for s in asked if self.holds(formula, s) in wanted)

    def holds(self, formula: Probability | Privacy, state: int) -> bool | None:
        """Whether a P or D holds in a state; None if that is undecided."""
        if isinstance(formula, Privacy):
            return next(self.broken(formula, state), None) is None
        return all(self.missed(formula.interval, p) is None for p in set(self.extremes(formula.path, state)))

    def truth(self, formula: Formula, state: int) -> bool | None:
        """Whether a state formula holds in a state; None if that is undecided."""
        return state in self.satisfying(formula, frozenset([state]))

    def on(self, formula: Formula) -> Judge:
        """Who knows why a formula has its truth value."""
        return self

    def settled(self, result: Result) -> Result:
        """The result, if no sign was missing."""
        return result

    def number(self, value: Quotient) -> Quotient:
        """A number of a formula; its value, if there is only one eps."""
        return value

    def probability(self, path: Formula, state: int) -> Quotient:
        """The probability of a path formula from a state of a chain."""
        raise NotImplementedError

    def doubtful(self, path: Formula, *states: int) -> bool:
        """Whether an undecided state formula can be met from these states."""
        return False

    def near(self, path: Formula, *states: int) -> list[arb] | None:
        """Balls around the probabilities of a path formula, where exact ones would take long."""
        return None

    def extremes(self, path: Formula, state: int) -> tuple[Quotient, Quotient]:
        """The least and the largest probability over all schedulers; of a chain, the probability twice."""
        p = self.probability(path, state)
        return p, p

    def outcomes(self, path: Formula, s: int, t: int) -> Sequence[Outcome]:
        """The probabilities from two states, for the words of actions that are worst for s."""
        return [Outcome(s, t, self.probability(path, s), self.probability(path, t))]

    def sign(self, value: Quotient) -> int:
        """The sign of a number."""
        raise NotImplementedError

    def compare(self, value: Any) -> int:
        """The sign of a number that may be rational."""
        return self.sign(lifted(value))

    def bound(self, epsilon: Exponent | None, delta: Quotient | None, least: str = "") -> Bound:
        """The inequality of D, with the least values for what is None."""
        numbers = Quotient.one() if epsilon is None else epsilon.factor, delta or Quotient.of(0)
        factor, least_delta = (plain(self.number(value)) for value in numbers)
        return Bound(factor, least_delta, self.compare, least)

    def search(self, path: Formula, s: int, t: int, bound: Bound) -> Searched:
        """Look for outcomes that break a bound."""
        return bound.search(each for a, b in ((s, t), (t, s)) for each in self.outcomes(path, a, b))

    def broken(self, formula: Privacy, state: int) -> Iterator[tuple[int, int]]:
        """The :meth:`pairs` (s, t) with Pr_s > e^epsilon Pr_t + delta, in a chain."""
        raise NotImplementedError

    def breach(self, formula: Privacy, state: int) -> Outcome:
        """The first outcome that breaks a D which fails."""
        s, t = next(self.broken(formula, state))
        return self.outcomes(formula.path, s, t)[0]

    def violates(self, formula: Privacy, s: int, t: int) -> bool:
        """Whether Pr_s > e^epsilon Pr_t + delta."""
        return (s, t) in set(self.broken(formula, s))

    def pairs(self, state: int) -> Iterator[tuple[int, int]]:
        """The state with each of its neighbours, both ways, in the order of the file."""
        for other in self.chain.neighbours_of(state):
            self.clock.tick("pairs of neighbours")
            yield from ((state, other), (other, state))

    def missed(self, interval: Interval, p: Quotient) -> Quotient | None:
        """The end of the interval that a probability misses."""
        low, high = self.number(interval.low), self.number(interval.high)
        if self.sign(p - low) < (0 if interval.low_closed else 1):
            return low
        if self.sign(high - p) < (0 if interval.high_closed else 1):
            return high
        return None


class Careful(Judge):
    """An evaluation in which it may be undecided whether a P or D holds; what is found is remembered."""

    def __init__(self) -> None:
        self._held: dict[tuple[Formula, int], bool | None] = {}

    def truth(self, formula: Formula, state: int) -> bool | None:
        here = frozenset([state])
        if self.satisfying(formula, here):
            return True
        return None if self.satisfying(formula, here, surely=False) else False

    def holds(self, formula: Probability | Privacy, state: int) -> bool | None:
        if (key := (formula, state)) not in self._held:
            self._held[key] = self.found_to_hold(formula, state)
        return self._held[key]

    def found_to_hold(self, formula: Probability | Privacy, state: int) -> bool | None:
        """The answer that :meth:`holds` remembers."""
        return super().holds(formula, state)


class Local(Judge):
    """The evaluation on one piece, where every known function has one sign."""

    def __init__(self, evaluation: Evaluation, signs: Signs, wanted: dict[ExpPoly, None]) -> None:
        self.evaluation, self._signs, self._wanted = evaluation, signs, wanted
        self.chain, self.clock = evaluation.chain, evaluation.clock
        self._missing = False
        self._sets: dict[Formula, States] = {}
        self._numbers: dict[Formula, Numbers] = {}
        self._broken: dict[Formula, Collection[Pair] | None] = {}
        self._vanishing = frozenset(p for p in evaluation.transitions if not self.sign(p))

    def sign(self, value: Quotient) -> int:
        """The sign of a function on this piece; 0 and a wish if it is not known yet."""
        self.clock.tick("inequalities", len(self._signs))
        if value.is_constant:
            return value.sign_at(fmpq(1))
        f, factor = self.evaluation.normal_form(value)
        if f not in self._signs:
            self._wanted[f] = None
            self._missing = True
            return 0
        return factor * self._signs[f]

    def settled(self, result: Result) -> Result:
        if self._missing:
            raise _MissingSigns
        return result

    def truth(self, formula: Formula, state: int) -> bool | None:
        return self.settled(super().truth(formula, state))

    def numbers(self, path: Formula) -> Numbers:
        """The probabilities of a path formula in all states."""
        if path not in self._numbers:
            known = known_sets(path, self._set)
            self._numbers[path] = self.evaluation.vector(self._vanishing, path, known)
        return self._numbers[path]

    def probability(self, path: Formula, state: int) -> Quotient:
        return self.numbers(path)[state]

    def near(self, path: Formula, *states: int) -> list[arb] | None:
        values = self.numbers(path)
        return None if self.evaluation.exact or not isinstance(values, Values) else values.near(states)

    def _set(self, part: Formula) -> States:
        if part not in self._sets:
            self._sets[part] = self.settled(self.satisfying(part, self.evaluation.every))
        return self._sets[part]

    def judged(self, formula: Probability | Privacy, asked: States, surely: bool) -> States:
        if (broken := self._broken_at_once(formula)) is None:
            return super().judged(formula, asked, surely)
        return asked.difference(*broken)

    def broken(self, formula: Privacy, state: int) -> Iterator[tuple[int, int]]:
        if (broken := self._broken_at_once(formula)) is not None:
            yield from (pair for pair in self.pairs(state) if pair in broken)
            return
        numbers, factor = self.numbers(formula.path), formula.epsilon.factor
        for s, t in self.pairs(state):
            if self.sign(factor * numbers[t] + formula.delta - numbers[s]) < 0:
                yield s, t

    def _broken_at_once(self, formula: Probability | Privacy) -> Collection[Pair] | None:
        """The pairs that break a D, or the states, as pairs without a neighbour, in which a P fails.

        None if eps occurs in the chain or in the numbers of the formula.
        """
        if formula not in self._broken:
            self._broken[formula] = self.compared(formula)
        return self._broken[formula]

    def compared(self, formula: Probability | Privacy) -> Collection[Pair] | None:
        """The pairs that :meth:`_broken_at_once` remembers."""
        values = self.numbers(formula.path)
        if not isinstance(values, Values):
            return None
        match formula:
            case Privacy(epsilon, delta) if not epsilon.rate and delta.is_constant:
                pairs = [pair for s, t in self.chain.neighbours for pair in ((s, t), (t, s))]
                signs = values.signs(pairs, delta, epsilon.factor)
                return {pair for pair in pairs if signs[pair] < 0}
            case Probability(interval) if interval.low.is_constant and interval.high.is_constant:
                return self._outside(values, interval)
            case _:
                return None

    def _outside(self, values: Values[Any], interval: Interval) -> set[Pair]:
        """The states whose probability is not in an interval; it is in [0, 1] without a comparison."""
        states: list[Pair] = [(s, None) for s in self.evaluation.every]
        outside: set[Pair] = set()
        if interval.low != 0 or not interval.low_closed:
            signs = values.signs(states, interval.low)
            outside.update(state for state in states if signs[state] >= interval.low_closed)
        if interval.high != 1 or not interval.high_closed:
            signs = values.signs(states, interval.high)
            outside.update(state for state in states if signs[state] <= -interval.high_closed)
        return outside


def merged(found: Sequence[Found[Result]], holds: Callable[[Result], bool]) -> tuple[Region, ...]:
    """The maximal regions on which a condition surely holds."""
    regions = []
    for sure, run in itertools.groupby(found, lambda each: all(map(holds, each.results))):
        if sure:
            first, *_, last = [each.piece for each in run] * 2
            regions.append(Region(first.low, last.high, first.is_point, last.is_point))
    return tuple(regions)
