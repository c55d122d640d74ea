"""dpCTL* on Markov decision processes: three-valued answers, with reasons.

Without eps, or at one eps, P is decided by :mod:`schedulers` and D is searched for by :mod:`words`; for a
range of eps see :mod:`all_words`.  A state formula inside a path formula is evaluated in the process itself,
over all schedulers or words afresh.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cmp_to_key
from typing import Any, NamedTuple, assert_never

from flint import arb, ctx, fmpq

from dipc.clock import Clock
from dipc.dpctl.automata import Automaton, automaton_of, read_hoa
from dipc.dpctl.formula import (
    And,
    Formula,
    Interval,
    Next,
    Not,
    Or,
    Privacy,
    Probability,
    Proposition,
    Query,
    Truth,
    Until,
)
from dipc.dpctl.paths import known_sets, operands
from dipc.dpctl.progression import Progression, States, is_bounded, progression
from dipc.dpctl.regions import power_of_e
from dipc.dpctl.schedulers import HERE, Product, sign_of
from dipc.dpctl.syntax import show
from dipc.dpctl.values import Attained, Enclosed
from dipc.dpctl.verdict import Open
from dipc.dpctl.words import DEPTH, MOST_NODES, Bound, Breach, Found, Number, Tree, Word
from dipc.errors import LimitReached
from dipc.models.chain import Mdp, Row
from dipc.models.graph import reaching
from dipc.numbers.quotient import Quotient

AnyMdp = Mdp[fmpq] | Mdp[Quotient]
INSIDE = "a state formula inside is undecided"


@dataclass(frozen=True, slots=True)
class Options:
    """How far D is searched, and an automaton in HOA format for path formulas that need one."""

    depth: int = DEPTH
    nodes: int = MOST_NODES
    automaton: str | None = None


class Cause(NamedTuple):
    """Why a formula has the truth value ``truth`` in a state; of D with the word that breaks it.

    ``probability`` belongs to ``state``.
    """

    formula: Formula
    truth: bool
    state: int
    probability: Quotient | None = None
    neighbour: int | None = None
    neighbour_probability: Quotient | None = None
    bound: Quotient | None = None
    excess: Quotient | None = None
    prefix: Word = ()
    cycle: Word = ()


class Decider:
    """Truth of state formulas in the states of a process; what P and D say is left to the subclasses."""

    def __init__(self, mdp: AnyMdp, clock: Clock) -> None:
        self.mdp, self.clock = mdp, clock
        self.every = frozenset(range(len(mdp.names)))
        self._truths: dict[tuple[Formula, int], bool | None] = {}
        self._parts: dict[Formula, tuple[dict[Formula, States], set[int]]] = {}

    def tick(self) -> None:
        """Look at the limits."""
        self.clock.tick("words of actions")

    def truth(self, formula: Formula, state: int) -> bool | None:
        """Whether a state formula holds in a state; None if that is undecided (Kleene's logic)."""
        if (key := (formula, state)) not in self._truths:
            self._truths[key] = self._truth(formula, state)
        return self._truths[key]

    def _truth(self, formula: Formula, state: int) -> bool | None:
        match formula:
            case Truth(value):
                return value
            case Proposition(name):
                return state in (self.mdp.states_of(name) or ())
            case Not(operand):
                inner = self.truth(operand, state)
                return None if inner is None else not inner
            case And(parts) | Or(parts):
                decisive, unknown = isinstance(formula, Or), False
                for part in parts:
                    if (truth := self.truth(part, state)) is decisive:
                        return decisive
                    unknown |= truth is None
                return None if unknown else not decisive
            case Probability():
                return self.probability(formula, state)
            case Privacy():
                return self.privacy(formula, state)
            case Next() | Until():
                raise AssertionError("a path formula is not evaluated in states")
            case _:
                assert_never(formula)

    def probability(self, formula: Probability, state: int) -> bool | None:
        """Whether a P holds."""
        raise NotImplementedError

    def privacy(self, formula: Privacy, state: int) -> bool | None:
        """Whether a D holds."""
        breached = False
        for other in self.mdp.neighbours_of(state):
            found = self.found(formula, state, other)
            if isinstance(found, Breach):
                return False
            breached |= found is None
        return None if breached else True

    def found(self, formula: Privacy, state: int, other: int) -> Breach | bool | None:
        """A word that breaks a D between two states, or True, or None if it is undecided."""
        raise NotImplementedError

    def parts(self, path: Formula) -> tuple[dict[Formula, States], set[int]]:
        """The states of the state formulas in a path formula, and from where an undecided one can be met."""
        if path not in self._parts:
            doubtful = set[int]()

            def states(part: Formula) -> States:
                truths = {s: self.truth(part, s) for s in self.every}
                doubtful.update(s for s, truth in truths.items() if truth is None)
                return frozenset(s for s, truth in truths.items() if truth)

            known = known_sets(path, states)
            edges = [[edge for row in rows for edge in row] for rows in self.mdp.rows]
            self._parts[path] = known, reaching(edges, doubtful, self.every) if doubtful else doubtful
        return self._parts[path]

    def doubtful(self, path: Formula, *states: int) -> bool:
        """Whether an undecided state formula can be met from these states."""
        return not self.parts(path)[1].isdisjoint(states)

    def cause(self, formula: Formula, state: int, truth: bool = False) -> Cause | None:
        """Why a formula has this truth value in a state; None if it has not, or that is not known."""
        if self.truth(formula, state) is not truth:
            return None
        match formula:
            case Not(operand):
                return self.cause(operand, state, not truth)
            case And(parts) | Or(parts):
                causes = (self.cause(part, state, truth) for part in parts)
                return next(filter(None, causes), Cause(formula, truth, state))
            case Privacy() if not truth:
                return self._breach(formula, state)
            case Probability():
                return self.missed(formula, state, truth)
            case _:
                return Cause(formula, truth, state)

    def _breach(self, formula: Privacy, state: int) -> Cause:
        for other in self.mdp.neighbours_of(state):
            if isinstance(found := self.found(formula, state, other), Breach):
                s, t = (other, state) if found.flipped else (state, other)
                p, q = self.lifted(found.p), self.lifted(found.q)
                bound = self.number(power_of_e(formula.epsilon)) * q + self.number(formula.delta)
                return Cause(formula, False, s, p, t, q, bound, p - bound, found.prefix, found.cycle)
        raise AssertionError("a formula that fails is broken by some word")

    def missed(self, formula: Probability, state: int, truth: bool) -> Cause:
        """The probability to blame for a P."""
        raise NotImplementedError

    def violated(self, cause: Cause) -> bool:
        """Whether a cause is one here."""
        return self.truth(cause.formula, cause.state) is cause.truth

    def extreme(self, path: Formula, state: int, most: bool) -> Attained:
        """The largest or the least probability of a path formula."""
        raise NotImplementedError

    def least(self, query: Query, asked: Sequence[int]) -> Attained | Enclosed:
        """The least e^epsilon or the least delta, with the states that need it."""
        raise NotImplementedError

    def number(self, value: Quotient) -> Quotient:
        """A number of a formula."""
        return value

    @staticmethod
    def lifted(value: Number) -> Quotient:
        """A number as a function of eps."""
        return value if isinstance(value, Quotient) else Quotient.of(value)


class Fixed(Decider):
    """A process without eps, or at one eps: exact numbers."""

    def __init__(self, mdp: AnyMdp, eps: fmpq, clock: Clock, options: Options) -> None:
        super().__init__(at_eps(mdp, eps), clock)
        self.eps, self.options = eps, options
        self._products: dict[Formula, Product[Any]] = {}
        self._extremes: dict[Formula, tuple[list[Any], list[Any]]] = {}
        self._trees: dict[Formula, Tree[Any]] = {}
        self._searched: dict[tuple[Privacy, int, int], Found] = {}

    def number(self, value: Quotient) -> Quotient:
        """A number of a formula at this eps."""
        return value.at(self.eps)

    def product(self, path: Formula) -> Product[Any]:
        """The process with the automaton of a path formula."""
        if path not in self._products:
            known, _ = self.parts(path)
            monitor: Progression | Automaton | None = progression(path, known)
            if monitor is None:
                monitor = self._automaton(path, known)
            self._products[path] = Product.of(self.mdp, monitor, self.tick)
        return self._products[path]

    def _automaton(self, path: Formula, known: dict[Formula, States]) -> Automaton:
        if self.options.automaton is None:
            return automaton_of(path, known)
        named = {show(part).strip('"'): states for part, states in known.items()}
        return read_hoa(self.options.automaton, lambda name: named.get(name, self.mdp.states_of(name)))

    def extremes(self, path: Formula, state: int) -> tuple[Quotient, Quotient]:
        """The least and the largest probability of a path formula over all schedulers."""
        product = self.product(path)
        if path not in self._extremes:
            self._extremes[path] = product.minimum(self.tick), product.maximum(self.tick)
        low, high = self._extremes[path]
        node = product.start[state]
        return self.lifted(low[node]), self.lifted(high[node])

    def extreme(self, path: Formula, state: int, most: bool) -> Attained:
        """The largest or the least probability.  Raises :class:`LimitReached` if it is not certain."""
        if self.doubtful(path, state):
            raise LimitReached(f"{show(path)}: {INSIDE}")
        return Attained(self.extremes(path, state)[most], state)

    def probability(self, formula: Probability, state: int) -> bool | None:
        """Whether the least and the largest probability lie in the interval."""
        if self.doubtful(formula.path, state):
            return None
        low, high = self.extremes(formula.path, state)
        return self._end(formula.interval, low) is None and self._end(formula.interval, high) is None

    def _end(self, interval: Interval, p: Quotient) -> Quotient | None:
        """The end of the interval that a probability misses."""
        low, high = self.number(interval.low), self.number(interval.high)
        if sign_of(p - low) < (0 if interval.low_closed else 1):
            return low
        if sign_of(high - p) < (0 if interval.high_closed else 1):
            return high
        return None

    def missed(self, formula: Probability, state: int, truth: bool) -> Cause:
        """The least or the largest probability, whichever misses the interval."""
        low, high = self.extremes(formula.path, state)
        ends = formula.interval
        p, bound = (low, ends.low) if ends.low else (high, ends.high)
        for candidate in (high, low):
            if (end := self._end(ends, candidate)) is not None:
                p, bound = candidate, end
        bound = self.number(bound)
        excess = bound - p if sign_of(bound - p) > 0 else p - bound
        return Cause(formula, truth, state, p, bound=bound, excess=excess)

    def tree(self, path: Formula) -> Tree[Any]:
        """The words for a path formula."""
        if path not in self._trees:
            depth = 10**9 if is_bounded(path) else self.options.depth
            self._trees[path] = Tree(self.product(path), self.tick, depth, self.options.nodes)
        return self._trees[path]

    def searched(self, formula: Privacy, s: int, t: int) -> Found:
        """The result of the search for two states."""
        if (key := (formula, s, t)) not in self._searched:
            factor, delta = self.number(power_of_e(formula.epsilon)), self.number(formula.delta)
            self._searched[key] = self.tree(formula.path).search(s, t, Bound(plain(factor), plain(delta)))
        return self._searched[key]

    def found(self, formula: Privacy, state: int, other: int) -> Breach | bool | None:
        """What the search found."""
        if self.doubtful(formula.path, state, other):
            return None
        found = self.searched(formula, state, other)
        return found.breach or (True if found.low is None else None)

    def least(self, query: Query, asked: Sequence[int]) -> Attained | Enclosed:
        """The least e^epsilon or the least delta over all pairs, or an interval if pairs stay open."""
        factor = Quotient.one() if query.epsilon is None else self.number(power_of_e(query.epsilon))
        delta = Quotient.of(0) if query.delta is None else self.number(query.delta)
        bound = Bound(plain(factor), plain(delta), query.kind)
        open_pairs: list[Enclosed] = []
        for s, t in dict.fromkeys((a, b) for a in asked for b in self.mdp.neighbours_of(a)):
            if self.doubtful(query.path, s, t):
                most = None if query.kind == "epsilon" else Quotient.one()
                open_pairs.append(Enclosed(Quotient.of(0), most, s, t, INSIDE))
            elif (found := self.tree(query.path).search(s, t, bound)).wider is not None:
                most = None if (wider := found.wider.parameter) is None else self.lifted(wider)
                open_pairs.append(Enclosed(Quotient.of(0), most, s, t, self.limits))
        least = None if bound.parameter is None else self.lifted(bound.parameter)
        if least is not None and open_pairs:
            ordered = cmp_to_key(_order)
            worst = max(open_pairs, key=lambda pair: ordered(pair.high))
            if _order(worst.high, least) > 0:
                return worst._replace(low=least)
        s, other = bound.attained or (asked[0], None)
        return Attained(least, s, other)

    @property
    def limits(self) -> str:
        """Why a search ended without a result."""
        depth, nodes = self.options.depth, self.options.nodes
        return f"no proof and no counterexample up to words of {depth} actions and {nodes} pairs"

    def doubts(self, formula: Formula, state: int) -> Iterator[Open]:
        """The pairs of states for which a D in an undecided formula is undecided."""
        if self.truth(formula, state) is not None:
            return
        if not isinstance(formula, Privacy):
            for operand in operands(formula):
                yield from self.doubts(operand, state)
            return
        for other in self.mdp.neighbours_of(state):
            if self.found(formula, state, other) is None:
                yield self._open(formula, state, other)

    def _open(self, formula: Privacy, state: int, other: int) -> Open:
        names = self.mdp.names[state], self.mdp.names[other]
        if self.doubtful(formula.path, state, other):
            return Open(*names, fmpq(0), fmpq(1), INSIDE)
        found = self.searched(formula, state, other)
        assert found.low is not None and found.high is not None
        return Open(*names, below(found.low), -below(-found.high), self.limits)


def _order(a: Quotient | None, b: Quotient | None) -> int:
    """The order of two numbers; None is infinite."""
    return (a is None) - (b is None) if a is None or b is None else sign_of(a - b)


def with_functions(mdp: AnyMdp) -> Mdp[Quotient]:
    """The process with functions of eps for numbers."""
    rows = tuple(tuple(tuple((t, Decider.lifted(p)) for t, p in row) for row in rows) for rows in mdp.rows)
    return replace(mdp, rows=rows)  # type: ignore[arg-type,return-value]


def at_eps(mdp: AnyMdp, eps: fmpq) -> AnyMdp:
    """The process at one eps, without the transitions that vanish there."""
    exact = with_functions(mdp)
    values = {p: p.at(eps) for rows in exact.rows for row in rows for _, p in row}
    numbers: dict[Quotient, Any] = {p: plain(value) for p, value in values.items()}
    if not all(isinstance(number, fmpq) for number in numbers.values()):
        numbers = dict(values)

    def here(row: Row[Quotient]) -> Row[Any]:
        return tuple((t, numbers[p]) for t, p in row if numbers[p])

    return replace(exact, rows=tuple(tuple(map(here, rows)) for rows in exact.rows))


def plain(value: Quotient) -> Number:
    """A rational number as one."""
    found = value.as_rational()
    return value if found is None else fmpq(found.numerator, found.denominator)


def below(value: Number) -> fmpq:
    """A rational number that is not larger: the number itself, if it is rational."""
    exact = plain(value) if isinstance(value, Quotient) else value
    if isinstance(exact, fmpq):
        return exact
    with ctx.workprec(128):
        lower = exact.enclose(arb(HERE)).lower()
    mantissa, exponent = lower.man_exp()
    return fmpq(int(mantissa)) * fmpq(2) ** int(exponent)
