"""dpCTL* on Markov chains without eps: the states in which a formula holds.

The formula is evaluated from the inside out; each P and D inside asks a list of questions of the form *is
e^epsilon Pr_t(f) + c - Pr_s(f) nonnegative* (or positive).  Exact probabilities may have thousands of digits,
so the answers are looked for in this order:

1. balls of 128 bits, which are proved enclosures: the elimination never subtracts, so they stay narrow;
2. states of one class of the coarsest bisimulation have equal probabilities;
3. balls of 256, 512 and 1024 bits, on the classes that the open questions can reach;
4. exact probabilities there, and exact signs.

Only the last step can answer a question whose two sides happen to be equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, NamedTuple, TypeVar, cast

from flint import arb, ctx, fmpq

from dipc.clock import Clock, Tick
from dipc.dpctl.formula import ALL, Formula, Interval, Not, Privacy, Probability
from dipc.dpctl.paths import States, exact, known_sets, probabilities
from dipc.dpctl.powers import UNSCALED, Scale
from dipc.dpctl.regions import Uniform
from dipc.errors import InternalError
from dipc.models.chain import MarkovChain, Model
from dipc.models.graph import reachable
from dipc.models.linear import Rows, increase
from dipc.models.lumping import bisimulation
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange

K = TypeVar("K", fmpq, Quotient)

FIRST = 128
MORE = (256, 512, 1024)  # bits
SMALL = 64  # so few states are solved exactly at once

ZERO, ONE = Quotient.of(0), Quotient.one()
HERE = fmpq(1)  # any eps: nothing depends on it


def satisfying(chain: MarkovChain[K], formula: Formula, clock: Clock) -> States:
    """The states of a chain without eps in which a state formula without eps holds.

    Raises :class:`~dipc.errors.LimitReached` beyond the limits of the clock.

    >>> from dipc.dpctl.formula import Exponent, Next, Proposition
    >>> most, least, one = fmpq(3, 4), fmpq(1, 4), fmpq(1)        # the survey, Figure 1 of the paper
    >>> rows = ((2, most), (3, least)), ((2, least), (3, most)), ((2, one),), ((3, one),)
    >>> chain = MarkovChain(("plus", "minus", "yes", "no"), {}, ((0, 1),), (0, 1), rows)
    >>> for bound in 3, 2:
    ...     epsilon = Exponent(fmpq(0), fmpq(0), ((fmpq(bound), fmpq(1)),))             # ln 3, ln 2
    ...     sorted(satisfying(chain, Privacy(epsilon, ZERO, Next(Proposition("yes"))), Clock()))
    [0, 1, 2, 3]
    [2, 3]
    """
    checker = Checker(chain, clock)
    return checker.satisfying(formula, checker.every)


@dataclass(frozen=True, slots=True)
class Broken(Generic[K]):
    """Pr_state > e^epsilon Pr_neighbour + delta, with both probabilities."""

    state: int
    neighbour: int
    probability: K
    neighbour_probability: K


def comparisons(chain: MarkovChain[K], formula: Privacy, clock: Clock) -> Iterator[Broken[K]]:
    """The inequalities of a D that are broken, in the order of the neighbours in the file.

    The exact numbers are computed for one pair after the other.
    """
    checker = Checker(chain, clock)
    for s, t in checker.all_broken(formula):
        p, q = checker.exactly(formula.path, (s, t))
        yield Broken(s, t, p, q)


@dataclass(frozen=True, slots=True)
class Bound:
    """The right-hand side of an inequality Pr_s <= scale * Pr_t + constant."""

    constant: Quotient
    scale: Scale = UNSCALED

    def __post_init__(self) -> None:
        if not self.constant.is_constant:
            raise InternalError(f"the bound {self.constant} depends on eps")

    @property
    def is_lax(self) -> bool:
        """Whether it holds wherever Pr_s = Pr_t."""
        grows = (self.scale.power() - 1).sign_at(HERE) >= 0
        return grows and self.constant.sign_at(HERE) >= 0

    def sign(self, p: K, neighbour: K | None = None) -> int:
        """The exact sign of scale*q + constant - p, for the probability q of the neighbour."""
        rest = self.constant - p
        if neighbour is None:
            return rest.sign_at(HERE)
        q = Quotient.one() * neighbour
        if self.scale.root == 1:
            return (self.scale.power() * q + rest).sign_at(HERE)
        # For rest < 0 compare scale*q and -rest, both nonnegative, by their powers.
        if (sign := rest.sign_at(HERE)) >= 0:
            return max(sign, q.sign_at(HERE))
        root = self.scale.root
        return (self.scale.power() * q**root - (-rest) ** root).sign_at(HERE)


class Question(NamedTuple):
    """Is Pr_s <= bound (< if strict), the bound depending on Pr_t (0 if there is no t)?"""

    s: int
    t: int | None
    strict: bool = False

    @property
    def states(self) -> tuple[int, ...]:
        return (self.s,) if self.t is None else (self.s, self.t)


@dataclass(frozen=True, slots=True)
class Part(Generic[K]):
    """A part of a chain, or its classes: ``place[s]`` is the state that stands for the state s."""

    rows: Rows[K]
    known: dict[Formula, States]
    place: dict[int, int]

    def around(self, states: Iterable[int]) -> Part[K]:
        """What can be reached from these states."""
        kept = sorted(reachable(self.rows, {self.place[s] for s in states}))
        if len(kept) == len(self.rows):
            return self
        number = {s: place for place, s in enumerate(kept)}
        rows = [[(number[t], p) for t, p in self.rows[s]] for s in kept]
        return Part(rows, *self._renamed(number))

    def _renamed(self, number: dict[int, int]) -> tuple[dict[Formula, States], dict[int, int]]:
        known = {f: frozenset(number[s] for s in truth if s in number) for f, truth in self.known.items()}
        return known, {s: number[p] for s, p in self.place.items() if p in number}

    def lumped(self, tick: Tick) -> Part[K]:
        """The classes of the coarsest bisimulation."""
        truths = self.known.values()
        marks = [tuple(s in truth for truth in truths) for s in range(len(self.rows))]
        classes = bisimulation(self.rows, marks, tick)
        rows: list[dict[int, K]] = [{} for _ in range(max(classes) + 1)]
        for s, number in enumerate(classes):
            if not rows[number]:
                for t, p in self.rows[s]:
                    increase(rows[number], classes[t], p)
        return Part([list(row.items()) for row in rows], *self._renamed(dict(enumerate(classes))))

    def balls(self, bits: int, path: Formula, tick: Tick) -> list[arb]:
        """Enclosures of the probabilities of a path formula, from balls of so many bits."""
        here = arb(1)
        with ctx.workprec(bits):
            rows = [
                [(t, p.enclose(here) if isinstance(p, Quotient) else arb(p)) for t, p in row]
                for row in self.rows
            ]
            return probabilities(rows, here, path, self.known, tick)


class Checker(Uniform, Generic[K]):
    """Answers questions about one chain; remembers the states of every state formula."""

    def __init__(self, chain: MarkovChain[K], clock: Clock, eps_range: EpsRange = ALL) -> None:
        if not all(_is_constant(p) for row in chain.rows for _, p in row):
            raise InternalError("a chain with eps has no truth values of its own")
        self.chain, self.clock, self.eps_range = cast(Model, chain), clock, eps_range
        self._rows: Rows[K] = chain.rows
        self._tick: Tick = partial(clock.tick, "states")
        self.every = frozenset(range(len(self._rows)))
        self._found: dict[Formula, States] = {}
        self._broken: dict[Privacy, Mapping[tuple[int, ...], None]] = {}
        self._probabilities: dict[tuple[Formula, int], Quotient] = {}

    def satisfying(self, formula: Formula, asked: States, surely: bool = True) -> States:
        if formula not in self._found:
            self._found[formula] = super().satisfying(formula, self.every)
        return self._found[formula] & asked

    def judged(self, formula: Probability | Privacy, asked: States, surely: bool) -> States:
        if isinstance(formula, Probability):
            return self._within(formula.path, formula.interval)
        return self.every - {s for pair in self.all_broken(formula) for s in pair}

    def solve(self, path: Formula, states: Sequence[int]) -> None:
        """Find the probabilities in several states at once."""
        for state, number in zip(states, self.exactly(path, states), strict=True):
            self._probabilities[path, state] = Quotient.one() * number

    def probability(self, path: Formula, state: int) -> Quotient:
        if (path, state) not in self._probabilities:
            self.solve(path, (state,))
        return self._probabilities[path, state]

    def broken(self, formula: Privacy, state: int) -> Iterator[tuple[int, int]]:
        return (pair for pair in self.pairs(state) if pair in self.all_broken(formula))

    def _within(self, path: Formula, interval: Interval) -> States:
        """The states from which the probability is in the interval."""
        outside = self._below(path, interval.low, strict=interval.low_closed)
        return self._below(path, interval.high, strict=not interval.high_closed) - outside

    def _below(self, path: Formula, end: Quotient, strict: bool) -> States:
        """The states from which the probability is at most a number, or less than it.

        At 0 and 1 this is a matter of the graph: Pr(f) < 1 if and only if Pr(not f) > 0.
        """
        if end == ONE:
            return self.every - self._below(Not(path), ZERO, not strict)
        if end == ZERO and strict:
            return frozenset()
        questions = [Question(s, None, strict) for s in range(len(self._rows))]
        return frozenset(q.s for q in self._true(path, Bound(end), questions))

    def all_broken(self, formula: Privacy) -> Mapping[tuple[int, ...], None]:
        """The pairs (s, t) of neighbours with Pr_s > e^epsilon Pr_t + delta, in the order of the file."""
        if formula not in self._broken:
            questions = [Question(*pair) for s, t in self.chain.neighbours for pair in ((s, t), (t, s))]
            true = set(self._true(formula.path, Bound(formula.delta, Scale.of(formula.epsilon)), questions))
            self._broken[formula] = dict.fromkeys(q.states for q in questions if q not in true)
        return self._broken[formula]

    def exactly(self, path: Formula, states: Sequence[int]) -> list[K]:
        """The exact probabilities of a path formula from some states."""
        part = self._part(path, states).lumped(self._tick)
        values = exact(part.rows, path, part.known, self._tick)
        return [values[part.place[s]] for s in states]

    def _part(self, path: Formula, states: Iterable[int]) -> Part[K]:
        known = known_sets(path, partial(self.satisfying, asked=self.every))
        return Part(self._rows, known, {s: s for s in self.every}).around(states)

    def _true(self, path: Formula, bound: Bound, questions: Sequence[Question]) -> list[Question]:
        if not questions:
            return []
        part = self._part(path, _asked(questions))
        true, unclear = self._by_balls(part, FIRST, path, bound, questions)
        if not unclear:
            return true
        part = part.around(_asked(unclear)).lumped(self._tick)
        same = [q for q in unclear if q.t is not None and part.place[q.s] == part.place[q.t]]
        equal = set(same) if bound.is_lax else set()
        true += equal
        unclear = [q for q in unclear if q not in equal]
        for bits in MORE:
            part = part.around(_asked(unclear))
            if len(part.rows) <= SMALL:
                break
            more, unclear = self._by_balls(part, bits, path, bound, unclear)
            true += more
        return true + self._by_exact_numbers(part, path, bound, unclear)

    def _by_balls(
        self, part: Part[K], bits: int, path: Formula, bound: Bound, questions: Sequence[Question]
    ) -> tuple[list[Question], list[Question]]:
        """The questions that balls answer with yes, and those they do not answer."""
        values, true, unclear = part.balls(bits, path, self._tick), [], []
        with ctx.workprec(bits):
            scale, constant = bound.scale.enclose(), bound.constant.enclose(arb(1))
            for q in questions:
                rest = constant - values[part.place[q.s]]
                gap = rest if q.t is None else scale * values[part.place[q.t]] + rest
                if gap > 0 or (gap >= 0 and not q.strict):
                    true.append(q)
                elif not (gap < 0 or (gap <= 0 and q.strict)):
                    unclear.append(q)
        return true, unclear

    def _by_exact_numbers(
        self, part: Part[K], path: Formula, bound: Bound, questions: Sequence[Question]
    ) -> list[Question]:
        """The questions whose answer is yes, by exact signs."""
        if not questions:
            return []
        values = exact(part.rows, path, part.known, self._tick)
        return [q for q in questions if bound.sign(*(values[part.place[s]] for s in q.states)) >= q.strict]


def _asked(questions: Iterable[Question]) -> set[int]:
    return {s for q in questions for s in q.states}


def _is_constant(number: fmpq | Quotient) -> bool:
    return isinstance(number, fmpq) or number.is_constant
