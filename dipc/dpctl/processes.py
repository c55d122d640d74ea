"""dpCTL* on Markov decision processes: three-valued answers, with reasons.

Without eps, or at one eps, P is decided by :mod:`schedulers` and D is searched for by :mod:`words`.  For a
range of eps, these run on the pieces that :mod:`regions` finds, on which every comparison that they make
has one answer: so a policy that is best is so on the whole piece.  For unbounded formulas the graph matters,
and transitions that vanish are left out; for bounded ones it does not, and D has finitely many words.

A state formula inside a path formula is evaluated in the process itself, over all schedulers or words afresh.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cmp_to_key, partial
from typing import Any

from flint import arb, ctx, fmpq

from dipc.claims.exponent import Exponent
from dipc.clock import Clock
from dipc.dpctl.automata import Automaton, automaton_of
from dipc.dpctl.equivalence import accepts_the_same
from dipc.dpctl.every import LONGEST, EveryStep
from dipc.dpctl.formula import EachNext, Formula, Privacy, Probability, Query, depends_on_eps, operands
from dipc.dpctl.paths import known_sets
from dipc.dpctl.progression import Progression, States, is_bounded, progression
from dipc.dpctl.ranges import negative_at
from dipc.dpctl.regions import Evaluation, Judge, Local, Outcome, Signs, Uniform
from dipc.dpctl.schedulers import HERE, Product, one_of, sign_of
from dipc.dpctl.steps import MOST_NODES, Number, Steps
from dipc.dpctl.syntax import show
from dipc.dpctl.values import INSIDE, Attained, Enclosed
from dipc.dpctl.verdict import Open
from dipc.dpctl.words import DEPTH, Bound, Found, Tree
from dipc.errors import InputError, LimitReached, Unsupported
from dipc.models.chain import MarkovChain, Mdp, Row
from dipc.models.graph import reaching
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange

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
    nodes: int = MOST_NODES
    all_schedulers: bool = False
    exact: bool = False


class Process(Judge):
    """Truth of state formulas in the states of a process; what P and D say is left to the subclasses."""

    def __init__(self, mdp: AnyMdp, clock: Clock) -> None:
        self.mdp, self.tick = mdp, partial(clock.tick, "words of actions")
        self._held: dict[tuple[Formula, int], bool | None] = {}
        self._parts: dict[Formula, tuple[dict[Formula, States], set[int]]] = {}

    def truth(self, formula: Formula, state: int) -> bool | None:
        here = frozenset([state])
        if self.satisfying(formula, here):
            return True
        return None if self.satisfying(formula, here, surely=False) else False

    def holds(self, formula: Probability | Privacy, state: int) -> bool | None:
        if (key := (formula, state)) not in self._held:
            self._held[key] = self._holds(formula, state)
        return self._held[key]

    def _holds(self, formula: Probability | Privacy, state: int) -> bool | None:
        if isinstance(formula, Probability):
            return None if self.doubtful(formula.path, state) else super().holds(formula, state)
        undecided = False
        for other in self.mdp.neighbours_of(state):
            if isinstance(found := self.found(formula, state, other), Outcome):
                return False
            undecided |= found is None
        return None if undecided else True

    def found(self, formula: Privacy, state: int, other: int) -> Outcome | bool | None:
        """A word that breaks a D between two states, or True, or None if it is undecided."""
        raise NotImplementedError

    def breach(self, formula: Privacy, state: int) -> Outcome:
        each = (self.found(formula, state, other) for other in self.mdp.neighbours_of(state))
        broken = next(found for found in each if isinstance(found, Outcome))
        return broken._replace(p=lifted(broken.p), q=lifted(broken.q))

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
        self.eps: fmpq = eps_range.low if eps_range.is_point else HERE
        self.chain = at_eps(mdp, self.eps)
        super().__init__(self.chain, clock)
        self._trees: dict[Formula, Tree] = {}
        self._everies: dict[Formula, EveryStep] = {}
        self._products: dict[Formula, Product[Any]] = {}
        self._extremes: dict[Formula, tuple[list[Any], list[Any]]] = {}
        self._searched: dict[tuple[Privacy, int, int], Found] = {}

    def number(self, value: Quotient) -> Quotient:
        return value.at(self.eps)

    def product(self, path: Formula) -> Product[Any]:
        """The process with the automaton of a path formula."""
        if path not in self._products:
            known, _ = self.parts(path)
            self._products[path] = Product.of(self.mdp, self.monitor(path, known), self.tick)
        return self._products[path]

    def extremes(self, path: Formula, state: int) -> tuple[Quotient, Quotient]:
        self.sure(path, state)
        product = self.product(path)
        if path not in self._extremes:
            self._extremes[path] = product.minimum(self.tick), product.maximum(self.tick)
        low, high = (lifted(values[product.start[state]]) for values in self._extremes[path])
        return low, high

    def search(self, path: Formula, s: int, t: int, bound: Bound) -> Found:
        """Look for a word, or schedulers, that break a bound."""
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
        return self._tree(path).search(s, t, bound)

    def _tree(self, path: Formula) -> Tree:
        if path not in self._trees:
            depth = 10**9 if is_bounded(path) else self.options.depth
            self._trees[path] = Tree(self.product(path), self.tick, depth, self.options.nodes)
        return self._trees[path]

    def are_equal(self, path: Formula, s: int, t: int) -> bool:
        """Whether two states surely have the same probability under every word."""
        tree = self._tree(path)
        return tree.language is not None and tree.language.difference(tree.root(s, t)) is True

    def _every(self, path: EachNext) -> EveryStep:
        if path not in self._everies:
            goal, options = self.parts(path)[0][path.operand], (self.options.depth, self.options.nodes)
            mdp: Any = self.mdp
            self._everies[path] = EveryStep(mdp, goal, one_of(mdp), self.tick, *options)
        return self._everies[path]

    def bound(self, epsilon: Exponent | None, delta: Quotient | None, least: str = "") -> Bound:
        """The inequality of D, with the least values for what is None."""
        factor = Quotient.one() if epsilon is None else self.number(epsilon.factor)
        return Bound(plain(factor), plain(Quotient.of(0) if delta is None else self.number(delta)), least)

    def searched(self, formula: Privacy, s: int, t: int) -> Found:
        """The result of the search for two states."""
        if (key := (formula, s, t)) not in self._searched:
            bound = self.bound(formula.epsilon, formula.delta)
            self._searched[key] = self.search(formula.path, s, t, bound)
        return self._searched[key]

    def found(self, formula: Privacy, state: int, other: int) -> Outcome | bool | None:
        if self.doubtful(formula.path, state, other):
            return None
        found = self.searched(formula, state, other)
        return found.breach or (True if found.low is None else None)

    def violates(self, formula: Privacy, s: int, t: int) -> bool:
        return isinstance(self.found(formula, s, t), Outcome)

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
        depth, nodes = self.options.depth, self.options.nodes
        return f"no proof and no counterexample up to words of {depth} actions and {nodes} pairs"

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
        self._best: dict[Formula, tuple[list[Any], list[Any]]] = {}
        self._trees: dict[Formula, Tree] = {}

    def on(self, formula: Formula) -> Judge:
        return self if self.words.fixed is None or depends_on_eps(formula) else self.words.fixed

    def holds(self, formula: Probability | Privacy, state: int) -> bool | None:
        if (judge := self.on(formula)) is not self:
            return judge.holds(formula, state)
        return super().holds(formula, state)

    def compared(self, formula: Probability | Privacy) -> None:
        """Nothing: each state has its own words."""

    def extremes(self, path: Formula, state: int) -> tuple[Quotient, Quotient]:
        if self.words.fixed is not None and not depends_on_eps(path):
            return self.words.fixed.extremes(path, state)
        self.sure(path, state)
        if path not in self._best:
            product = self._product(path)
            best = product.minimum(self._once, self._compare), product.maximum(self._once, self._compare)
            self._best[path] = self.settled(best)
        low, high = (lifted(values[self._product(path).start[state]]) for values in self._best[path])
        return low, high

    def _compare(self, value: Number) -> int:
        return self.sign(lifted(value))

    def _once(self) -> None:
        """A tick, at which it is no use to go on if a sign is missing."""
        self.tick()
        self.settled(None)

    def _product(self, path: Formula) -> Product[Any]:
        """The product for a formula, if it is unbounded without transitions that vanish on the piece."""
        known, _ = self.settled(self.parts(path))
        rows = () if is_bounded(path) else self.mdp.rows
        numbers = {p: p for actions in rows for row in actions for _, p in row}
        vanishing = frozenset(p for p in numbers if not self._compare(p))
        self._once()
        key = path, tuple(known.items()), vanishing
        if key not in self.words.products:
            kept = {p: p for p in numbers if p not in vanishing}
            mdp: Any = renumbered(self.mdp, kept) if vanishing else self.mdp
            self.words.products[key] = Product.of(mdp, self.monitor(path, known), self.tick)
        return self.words.products[key]

    def _searched(self, formula: Privacy, s: int, t: int) -> Found:
        """The result of the search for a word that breaks a D of an unbounded formula."""
        path, fixed = formula.path, self.words.fixed
        if fixed is not None and not depends_on_eps(path) and fixed.are_equal(path, s, t):
            return Found()
        if path not in self._trees:
            depth, product = min(NEAR, self.words.options.depth), self._product(path)
            self._trees[path] = self.settled(Tree(product, self._once, depth, NEAR_NODES, self._compare))
        bound = Bound(formula.epsilon.factor, formula.delta, sign=self._compare)
        found = self._trees[path].search(s, t, bound)
        if found.breach is None:
            return found
        breach = found.breach._replace(p=lifted(found.breach.p), q=lifted(found.breach.q))
        return replace(found, breach=breach)

    def outcomes(self, path: Formula, s: int, t: int) -> Sequence[Outcome]:
        if isinstance(path, EachNext):
            raise Unsupported("a formula for all k in N for a range of eps", hint=AT_ONE_EPS)
        if self.words.options.all_schedulers:
            self.sure(path, s, t)
            return [self.unrelated(path, s, t)]
        known, _ = self.settled(self.parts(path))
        self.sure(path, s, t)
        key = path, tuple(known.items())
        if (*key, s, t) not in self.words.outcomes:
            if key not in self.words.steps:
                self.words.steps[key] = self._steps(path, known)
            found = self.words.steps[key].outcomes(s, t)
            self.words.outcomes[*key, s, t] = worst(o._replace(p=lifted(o.p), q=lifted(o.q)) for o in found)
        return self.words.outcomes[*key, s, t]

    def _steps(self, path: Formula, known: dict[Formula, States]) -> Steps:
        monitor = progression(path, known) if is_bounded(path) else None
        if monitor is None:
            message = f"the least parameter for an unbounded formula, {show(path)}, for a range of eps"
            raise Unsupported(message, hint=AT_ONE_EPS)
        product: Product[Any] = Product.of(self.mdp, monitor, self.tick)
        numbers = {None: None, True: product.one, False: product.one - product.one}
        return Steps(product, [numbers[truth] for truth in product.truth], self.tick)

    def found(self, formula: Privacy, state: int, other: int) -> Outcome | bool | None:
        if self.doubtful(formula.path, state, other):
            return None
        if self._is_searched(formula.path):
            found = self._searched(formula, state, other)
            self.words.is_open |= found.low is not None
            return found.breach or (True if found.low is None else None)
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
            at_least_one = negative_at(formula.epsilon, self.words.eps_range) is None
            rooms[key] = []
            for each in outcomes:
                least = each.q + formula.delta - each.p  # of all epsilon >= 0
                if not (at_least_one and least.is_constant and sign_of(least) >= 0):
                    rooms[key].append((factor * each.q + formula.delta - each.p, each))
        return rooms[key]

    def violates(self, formula: Privacy, s: int, t: int) -> bool:
        if self.doubtful(formula.path, s, t):
            return False
        if self._is_searched(formula.path):
            return self._searched(formula, s, t).breach is not None
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


def at_eps(mdp: AnyMdp, eps: fmpq) -> AnyMdp:
    """The process at one eps, without the transitions that vanish there."""
    used = {p for rows in mdp.rows for row in rows for _, p in row}  # each number once: most occur often
    numbers: dict[Any, Any] = {p: lifted(p).at(eps) for p in used}
    rational = {p: plain(value) for p, value in numbers.items()}
    if all(isinstance(number, fmpq) for number in rational.values()):
        numbers = rational

    return renumbered(mdp, {p: value for p, value in numbers.items() if value})


def renumbered(mdp: AnyMdp, numbers: Mapping[Any, Any]) -> AnyMdp:
    """The process with other numbers, without the transitions whose probabilities have none."""

    def here(row: Row[Any]) -> Row[Any]:
        return tuple((t, numbers[p]) for t, p in row if p in numbers)

    rows: Any = mdp.rows
    return replace(mdp, rows=tuple(tuple(map(here, each)) for each in rows))  # type: ignore[arg-type]


def plain(value: Quotient) -> Number:
    """A rational number as one."""
    found = value.as_rational()
    return value if found is None else found


def below(value: Number) -> fmpq:
    """A rational number that is not larger: the number itself, if it is rational."""
    exact = plain(lifted(value))
    if isinstance(exact, fmpq):
        return exact
    with ctx.workprec(128):
        least: fmpq = exact.enclose(arb(HERE)).lower().fmpq()
    return least
