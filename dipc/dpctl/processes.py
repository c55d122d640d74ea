"""dpCTL* on Markov decision processes: three-valued answers, with reasons.

Without eps, or at one eps, P is decided by :mod:`schedulers` and D is searched for by :mod:`words`.  For a
range of eps, these run on the pieces that :mod:`regions` finds, on which every comparison that they make
has one answer: so a policy that is best is so on the whole piece.  For unbounded formulas the graph matters,
and transitions that vanish are left out; for bounded ones it does not, and D has finitely many words.

A state formula inside a path formula is evaluated in the process itself, over all schedulers or words afresh.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cmp_to_key, partial
from typing import Any, cast

from flint import arb, ctx, fmpq

from dipc.claims.exponent import Exponent
from dipc.clock import Clock
from dipc.dpctl.automata import Automaton, automaton_of
from dipc.dpctl.equivalence import accepts_the_same
from dipc.dpctl.every import LONGEST, EveryStep
from dipc.dpctl.formula import EachNext, Formula, Privacy, Probability, Query, depends_on_eps, operands
from dipc.dpctl.paths import known_sets
from dipc.dpctl.progression import Progression, States, is_bounded, progression
from dipc.dpctl.ranges import sign_on
from dipc.dpctl.regions import Careful, Evaluation, Judge, Local, Outcome, Signs, Uniform
from dipc.dpctl.schedulers import HERE, Product, Sign, one_of, sign_of
from dipc.dpctl.steps import MOST_NODES, Number, Steps
from dipc.dpctl.syntax import show
from dipc.dpctl.values import INSIDE, Attained, Enclosed
from dipc.dpctl.verdict import Open
from dipc.dpctl.words import DEPTH, Bound, Found, Tree
from dipc.errors import InputError, LimitReached, Unsupported
from dipc.models.chain import MarkovChain, Mdp
from dipc.models.graph import reaching
from dipc.models.parameters import mapped
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Holds

AnyMdp = Mdp[fmpq] | Mdp[Quotient]
NEAR, NEAR_NODES = 2, 20  # words, and pairs of distributions, that are tried for a range of eps
AT_ONE_EPS = "ask at one eps: `--at 1`, or `for eps in [1, 1]`"


@dataclass(frozen=True, slots=True)
class Options:
    """How far D is searched; if ``all_schedulers``, D compares all schedulers instead of words of actions:
    the largest probability from one state with the least one from the other.

    ``exact``: whether the numbers of a witness are fractions in any chain.
    """

    depth: int = DEPTH
    all_schedulers: bool = False
    exact: bool = False


class Process(Careful):
    """Truth of state formulas in the states of a process; ``compare`` has the signs of its numbers."""

    depth, nodes = DEPTH, MOST_NODES
    compare: Sign = staticmethod(sign_of)

    def __init__(self, mdp: AnyMdp, clock: Clock) -> None:
        self.mdp, self.tick = mdp, partial(clock.tick, "words of actions")
        Careful.__init__(self)
        self._parts: dict[Formula, tuple[dict[Formula, States], set[int]]] = {}
        self._best: dict[Formula, tuple[list[Any], list[Any]]] = {}
        self._trees: dict[Formula, Tree] = {}
        self._searched: dict[tuple[Privacy, int, int], Found] = {}

    def found_to_hold(self, formula: Probability | Privacy, state: int) -> bool | None:
        if isinstance(formula, Probability):
            return None if self.doubtful(formula.path, state) else super().found_to_hold(formula, state)
        undecided = False
        for other in self.mdp.neighbours_of(state):
            if isinstance(found := self.found(formula, state, other), Outcome):
                return False
            undecided |= found is None
        return None if undecided else True

    def found(self, formula: Privacy, state: int, other: int) -> Outcome | bool | None:
        """A word that breaks a D between two states, or True, or None if it is undecided."""
        if self.doubtful(formula.path, state, other):
            return None
        found = self.searched(formula, state, other)
        return found.breach or (True if found.low is None else None)

    def searched(self, formula: Privacy, s: int, t: int) -> Found:
        """The result of the search for two states."""
        if (key := (formula, s, t)) not in self._searched:
            bound = self.bound(formula.epsilon, formula.delta)
            self._searched[key] = self.settled(self.search(formula.path, s, t, bound))
        return self._searched[key]

    @abstractmethod
    def search(self, path: Formula, s: int, t: int, bound: Bound) -> Found:
        """Look for a word, or schedulers, that break a bound."""

    def bound(self, epsilon: Exponent | None, delta: Quotient | None, least: str = "") -> Bound:
        """The inequality of D, with the least values for what is None."""
        factor = Quotient.one() if epsilon is None else self.number(epsilon.factor)
        delta = Quotient.of(0) if delta is None else self.number(delta)
        return Bound(plain(factor), plain(delta), least, self.compare)

    def breach(self, formula: Privacy, state: int) -> Outcome:
        each = (self.found(formula, state, other) for other in self.mdp.neighbours_of(state))
        broken = next(found for found in each if isinstance(found, Outcome))
        return broken._replace(p=lifted(broken.p), q=lifted(broken.q))

    def violates(self, formula: Privacy, s: int, t: int) -> bool:
        return isinstance(self.found(formula, s, t), Outcome)

    @abstractmethod
    def product(self, path: Formula) -> Product[Any]:
        """The process with the automaton of a path formula."""

    def once(self) -> None:
        """A tick, at which it is no use to go on if a sign is missing."""
        self.tick()
        self.settled(None)

    def extremes(self, path: Formula, state: int) -> tuple[Quotient, Quotient]:
        self.sure(path, state)
        product = self.product(path)
        if path not in self._best:
            best = product.minimum(self.once, self.compare), product.maximum(self.once, self.compare)
            self._best[path] = self.settled(best)
        low, high = (lifted(values[product.start[state]]) for values in self._best[path])
        return low, high

    def tree(self, path: Formula) -> Tree:
        """The words of actions for a path formula."""
        if path not in self._trees:
            depth = 10**9 if is_bounded(path) else self.depth
            tree = Tree(self.product(path), self.once, depth, self.nodes, self.compare)
            self._trees[path] = self.settled(tree)
        return self._trees[path]

    def parts(self, path: Formula) -> tuple[dict[Formula, States], set[int]]:
        """The states of the state formulas in a path formula, and from where an undecided one can be met."""
        if path not in self._parts:
            every, doubtful = frozenset(range(len(self.mdp.names))), set[int]()

            def states(part: Formula) -> States:
                surely = self.satisfying(part, every)
                doubtful.update(self.satisfying(part, every, surely=False) - surely)
                return surely

            known = known_sets(path, states)
            edges = [[edge for row in rows for edge in row] for rows in self.mdp.rows]
            self._parts[path] = known, reaching(edges, doubtful, every) if doubtful else doubtful
        return self._parts[path]

    def doubtful(self, path: Formula, *states: int) -> bool:
        return not self.parts(path)[1].isdisjoint(states)

    def sure(self, path: Formula, *states: int) -> None:
        """Raise :class:`LimitReached` if an undecided state formula can be met from these states."""
        if self.doubtful(path, *states):
            raise LimitReached(f"{show(path)}: {INSIDE}")

    def monitor(self, path: Formula, known: dict[Formula, States]) -> Progression | Automaton:
        """A deterministic automaton that accepts the paths that satisfy a formula."""
        if (own := progression(path, known)) is not None:
            return own
        found = automaton_of(path, known)
        successors = [{t for row in rows for t, _ in row} for rows in self.mdp.rows]
        if not accepts_the_same(found, path, known, successors, self.tick):
            message = f"the automaton of Spot does not accept what `{show(path)}` says"
            raise InputError(message, hint="write the formula in another way")
        return found

    def unrelated(self, path: Formula, s: int, t: int) -> Outcome:
        """The largest probability from s, and the least one from t, over all schedulers."""
        if isinstance(path, EachNext):
            raise Unsupported("all schedulers for a formula about all k in N")
        return Outcome(s, t, self.extremes(path, s)[1], self.extremes(path, t)[0])


class Fixed(Process, Uniform):
    """A process without eps, or at one eps: exact numbers."""

    def __init__(self, mdp: AnyMdp, eps_range: EpsRange, clock: Clock, options: Options) -> None:
        self.eps_range, self.clock, self.options = eps_range, clock, options
        self.depth = options.depth
        self.eps: fmpq = eps_range.low if eps_range.is_point else HERE
        here: Any = mapped(mdp, lambda p: lifted(p).at(self.eps))
        self.chain = here
        super().__init__(here, clock)
        self._everies: dict[Formula, EveryStep] = {}
        self._products: dict[Formula, Product[Any]] = {}

    def number(self, value: Quotient) -> Quotient:
        return value.at(self.eps)

    def product(self, path: Formula) -> Product[Any]:
        if path not in self._products:
            known, _ = self.parts(path)
            self._products[path] = Product.of(self.mdp, self.monitor(path, known), self.tick)
        return self._products[path]

    def search(self, path: Formula, s: int, t: int, bound: Bound) -> Found:
        if self.options.all_schedulers:
            for each in (self.unrelated(path, s, t), self.unrelated(path, t, s)):
                p, q = plain(each.p), plain(each.q)
                if bound.breaks(p, q):
                    if not bound.least:
                        return Found(each)
                    bound.grow(each._replace(p=p, q=q))
            return Found()
        if isinstance(path, EachNext):
            return self._every(path).search(s, t, bound)
        return self.tree(path).search(s, t, bound)

    def are_equal(self, path: Formula, s: int, t: int) -> bool:
        """Whether two states surely have the same probability under every word."""
        tree = self.tree(path)
        return tree.language is not None and tree.language.difference(tree.root(s, t)) is True

    def _every(self, path: EachNext) -> EveryStep:
        if path not in self._everies:
            goal, mdp = self.parts(path)[0][path.operand], cast("Mdp[Any]", self.mdp)
            every = EveryStep(mdp, goal, one_of(mdp), self.tick, self.depth)
            self._everies[path] = every
        return self._everies[path]

    def least(self, query: Query, asked: Sequence[int]) -> Attained | Enclosed:
        """The least e^epsilon or the least delta over all pairs, or an interval if pairs stay open."""
        bound = self.bound(query.epsilon, query.delta, query.kind)
        open_pairs: list[Enclosed] = []
        for s, t in dict.fromkeys((a, b) for a in asked for b in self.mdp.neighbours_of(a)):
            if self.doubtful(query.path, s, t):
                most = None if query.kind == "epsilon" else Quotient.one()
                open_pairs.append(Enclosed(Quotient.of(0), most, s, t, INSIDE))
            elif (found := self.search(query.path, s, t, bound)).wider is not None:
                most = None if (wider := found.wider.parameter) is None else lifted(wider)
                open_pairs.append(Enclosed(Quotient.of(0), most, s, t, self.limits))
        least = None if bound.parameter is None else lifted(bound.parameter)
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
        return f"no proof and no counterexample up to words of {self.depth} actions and {self.nodes} pairs"

    def doubts(self, formula: Formula, state: int) -> Iterator[Open]:
        """The pairs of states for which a D in an undecided formula is undecided."""
        if self.truth(formula, state) is not None:
            return
        for operand in operands(formula):
            yield from self.doubts(operand, state)
        if isinstance(formula, Privacy):
            for other in self.mdp.neighbours_of(state):
                if self.found(formula, state, other) is None:
                    yield self._open(formula, state, other)

    def _open(self, formula: Privacy, state: int, other: int) -> Open:
        names = self.mdp.names[state], self.mdp.names[other]
        if self.doubtful(formula.path, state, other):
            return Open(*names, fmpq(0), fmpq(1), INSIDE)
        found = self.searched(formula, state, other)
        one_word = isinstance(formula.path, EachNext) and len(self.mdp.actions) == 1
        reason = f"no proof and no counterexample up to {LONGEST} steps" if one_word else self.limits
        return Open(*names, below(found.low), -below(-found.high), reason)


def _order(a: Quotient | None, b: Quotient | None) -> int:
    """The order of two numbers; None is infinite."""
    return (a is None) - (b is None) if a is None or b is None else sign_of(a - b)


class AllWords(Process, Local):
    """A process on one piece of a range of eps, where every comparison of two policies has one answer."""

    def __init__(self, words: Words, signs: Signs, wanted: dict[ExpPoly, None]) -> None:
        Process.__init__(self, words.mdp, words.clock)
        Local.__init__(self, words, signs, wanted)
        self.words, self.chain = words, words.mdp
        self.depth, self.nodes = min(NEAR, words.options.depth), NEAR_NODES
        self.compare = lambda value: self.sign(lifted(value))

    def on(self, formula: Formula) -> Judge:
        return self if self.words.fixed is None or depends_on_eps(formula) else self.words.fixed

    def holds(self, formula: Probability | Privacy, state: int) -> bool | None:
        if (judge := self.on(formula)) is not self:
            return judge.holds(formula, state)
        return super().holds(formula, state)

    def compared(self, formula: Probability | Privacy) -> None:
        """Nothing: each state has its own words."""

    def extremes(self, path: Formula, state: int) -> tuple[Quotient, Quotient]:
        if (judge := self.on(path)) is not self:
            return judge.extremes(path, state)
        return super().extremes(path, state)

    def product(self, path: Formula) -> Product[Any]:
        """The product for a formula, if it is unbounded without transitions that vanish on the piece."""
        known, _ = self.settled(self.parts(path))
        rows = () if is_bounded(path) else self.mdp.rows
        numbers = dict.fromkeys(p for actions in rows for row in actions for _, p in row)
        vanishing = frozenset(p for p in numbers if not self.compare(p))
        self.once()
        key = path, tuple(known.items()), vanishing
        if key not in self.words.products:
            zero = Quotient.of(0)
            mdp: Any = mapped(self.mdp, lambda p: zero if p in vanishing else p) if vanishing else self.mdp
            self.words.products[key] = Product.of(mdp, self.monitor(path, known), self.tick)
        return self.words.products[key]

    def search(self, path: Formula, s: int, t: int, bound: Bound) -> Found:
        fixed = self.words.fixed
        if fixed is not None and not depends_on_eps(path) and fixed.are_equal(path, s, t):
            return Found()
        return self.tree(path).search(s, t, bound)

    def outcomes(self, path: Formula, s: int, t: int) -> Sequence[Outcome]:
        if isinstance(path, EachNext):
            raise Unsupported("a formula for all k in N for a range of eps", hint=AT_ONE_EPS)
        self.sure(path, s, t)
        if self.words.options.all_schedulers:
            return [self.unrelated(path, s, t)]
        known, _ = self.settled(self.parts(path))
        key = path, tuple(known.items())
        if (*key, s, t) not in self.words.outcomes:
            if key not in self.words.steps:
                self.words.steps[key] = self._steps(path)
            found = self.words.steps[key].outcomes(s, t)
            self.words.outcomes[*key, s, t] = worst(o._replace(p=lifted(o.p), q=lifted(o.q)) for o in found)
        return self.words.outcomes[*key, s, t]

    def _steps(self, path: Formula) -> Steps:
        if not is_bounded(path):
            message = f"the least parameter for an unbounded formula, {show(path)}, for a range of eps"
            raise Unsupported(message, hint=AT_ONE_EPS)
        product = self.product(path)
        numbers = {None: None, True: product.one, False: product.one - product.one}
        return Steps(product, [numbers[truth] for truth in product.truth], self.tick)

    def found(self, formula: Privacy, state: int, other: int) -> Outcome | bool | None:
        if self._is_searched(formula.path):
            found = super().found(formula, state, other)
            self.words.is_open |= found is None and not self.doubtful(formula.path, state, other)
            return found
        if self.doubtful(formula.path, state, other):
            return None
        for s, t in ((state, other), (other, state)):
            for room, each in self._rooms(formula, s, t):
                if self.sign(room) < 0:
                    return each
        return True

    def _is_searched(self, path: Formula) -> bool:
        return not (is_bounded(path) or self.words.options.all_schedulers or isinstance(path, EachNext))

    def _rooms(self, formula: Privacy, s: int, t: int) -> list[tuple[Quotient, Outcome]]:
        """How much smaller p is than its bound, for the worst outcomes that could break it."""
        outcomes, rooms = self.outcomes(formula.path, s, t), self.words.rooms
        if (key := (formula, tuple(outcomes))) not in rooms:
            factor = formula.epsilon.factor
            at_least_one = isinstance(sign_on(factor - 1, self.words.eps_range), Holds)
            rooms[key] = []
            for each in outcomes:
                least = each.q + formula.delta - each.p  # of all epsilon >= 0
                if not (at_least_one and least.is_constant and sign_of(least) >= 0):
                    rooms[key].append((factor * each.q + formula.delta - each.p, each))
        return rooms[key]

    def violates(self, formula: Privacy, s: int, t: int) -> bool:
        if self._is_searched(formula.path) or self.doubtful(formula.path, s, t):
            return super().violates(formula, s, t)
        return any(self.sign(room) < 0 for room, _ in self._rooms(formula, s, t))


class Words(Evaluation):
    """The evaluation of formulas on a process for a range of eps.  What is found on a piece is remembered."""

    def __init__(
        self, mdp: AnyMdp, eps_range: EpsRange, clock: Clock, options: Options, fixed: Fixed | None
    ) -> None:
        """``fixed`` answers for formulas without eps, if the process has none."""
        super().__init__(MarkovChain(mdp.names, {}, (), (), ()), eps_range, clock)  # nothing vanishes
        self.mdp, self.options, self.fixed = mdp, options, fixed
        self.is_open = False  # whether a search for words ended without a result
        self.products: dict[object, Product[Any]] = {}
        self.steps: dict[object, Steps] = {}
        self.outcomes: dict[object, Sequence[Outcome]] = {}
        self.rooms: dict[object, list[tuple[Quotient, Outcome]]] = {}

    def local(self, signs: Signs, wanted: dict[ExpPoly, None]) -> Local:
        return AllWords(self, signs, wanted)


def worst(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """The outcomes without those that another one with a larger p and a smaller q makes superfluous.

    Only numbers without eps are compared.

    >>> half, one, zero = map(Quotient.of, (fmpq(1, 2), 1, 0))
    >>> pairs = [(half, half), (half, zero), (one, half), (zero, zero)]
    >>> [(each.p, each.q) for each in worst(Outcome(0, 1, p, q) for p, q in pairs)]
    [(1, 1/2), (1/2, 0)]
    """
    found = list(outcomes)
    if not all(each.p.is_constant and each.q.is_constant for each in found):
        return found
    kept: list[Outcome] = []

    def order(a: Outcome, b: Outcome) -> int:
        return sign_of(b.p - a.p) or sign_of(a.q - b.q)

    for each in sorted(found, key=cmp_to_key(order)):
        if not kept or sign_of(each.q - kept[-1].q) < 0:
            kept.append(each)
    return kept


def lifted(value: Number) -> Quotient:
    """A number as a function of eps."""
    return value if isinstance(value, Quotient) else Quotient.of(value)


def plain(value: Quotient) -> Number:
    """A rational number as one."""
    found = value.as_rational()
    return value if found is None else found


def below(value: Number) -> fmpq:
    """A rational number that is not larger: the number itself, if it is rational."""
    if isinstance(exact := plain(lifted(value)), fmpq):
        return exact
    with ctx.workprec(128):
        least: fmpq = exact.enclose(arb(HERE)).lower().fmpq()
    return least
