"""dpCTL* on Markov decision processes: three-valued answers, with reasons.

Without eps, or at one eps, P is decided by :mod:`schedulers` and D is searched for by :mod:`words`.  For a
range of eps, these run on the pieces that :mod:`regions` finds, on which every comparison that they make
has one answer: so a policy that is best is so on the whole piece.  For unbounded formulas the graph matters,
and transitions that vanish are left out; for bounded ones it does not, and D has finitely many words.

A state formula inside a path formula is evaluated in the process itself, over all schedulers or words afresh.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cmp_to_key, partial
from itertools import chain
from typing import Any, cast

from flint import arb, ctx, fmpq

from dipc.clock import Clock, Tick
from dipc.dpctl.automata import Automaton, automaton_of
from dipc.dpctl.bounds import Bound, Number, Outcome, Searched, lifted, plain
from dipc.dpctl.equivalence import accepts_the_same
from dipc.dpctl.every import LONGEST, EveryStep
from dipc.dpctl.formula import EachNext, Formula, Privacy, Probability, depends_on_eps, operands
from dipc.dpctl.paths import known_sets
from dipc.dpctl.progression import Progression, States, is_bounded, progression
from dipc.dpctl.ranges import sign_on
from dipc.dpctl.regions import INSIDE, Careful, Evaluation, Local, Signs
from dipc.dpctl.schedulers import HERE, Product, Sign, one_of, sign_of
from dipc.dpctl.steps import MOST_NODES, Steps
from dipc.dpctl.syntax import show
from dipc.dpctl.verdict import Open
from dipc.dpctl.words import DEPTH, Tree
from dipc.errors import InputError, LimitReached, Unsupported
from dipc.models.chain import Mdp
from dipc.models.graph import reaching
from dipc.models.parameters import has_eps, mapped
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Holds

AnyMdp = Mdp[fmpq] | Mdp[Quotient]
NEAR, NEAR_NODES = 2, 20  # words, and pairs of distributions, that are tried for a range of eps
LIMITS = "no proof and no counterexample up to words of {} actions and {} pairs"
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


class Process(Careful, Local):
    """A process on one piece of a range of eps, where every comparison of two policies has one answer.

    It ``is_constant`` if neither the process nor the numbers of formulas depend on eps: then all numbers are
    compared at once, and words are searched as far as the options say.
    """

    def __init__(
        self, words: Words, signs: Signs, wanted: dict[ExpPoly, None], is_constant: bool = False
    ) -> None:
        Careful.__init__(self)
        Local.__init__(self, words, signs, wanted)
        self.words, self.options, self.mdp, self.is_constant = words, words.options, words.mdp, is_constant
        self.tick = partial(words.clock.tick, "words of actions")
        self.depth, self.nodes = self.options.depth, MOST_NODES
        if not is_constant:
            self.depth, self.nodes = min(NEAR, self.depth), NEAR_NODES
        self.limits = LIMITS.format(self.depth, self.nodes)
        self._parts: dict[Formula, tuple[dict[Formula, States], set[int]]] = {}
        self._best: dict[Formula, tuple[list[Any], list[Any]]] = {}
        self._products: dict[Formula, Product[Any]] = {}
        self._trees: dict[Formula, Tree] = {}
        self._everies: dict[Formula, EveryStep] = {}
        self._searched: dict[tuple[Privacy, int, int], Searched] = {}

    def on(self, formula: Formula) -> Process:
        fixed = self.words.fixed
        return self if fixed is None or depends_on_eps(formula) else fixed

    def compare(self, value: Number) -> int:
        return sign_of(value) if self.is_constant else super().compare(value)

    def number(self, value: Quotient) -> Quotient:
        return value if self.words.eps is None else value.at(self.words.eps)

    def holds(self, formula: Probability | Privacy, state: int) -> bool | None:
        judge = self.on(formula)
        return super().holds(formula, state) if judge is self else judge.holds(formula, state)

    def compared(self, formula: Probability | Privacy) -> None:
        """Nothing: each state has its own words."""

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
        self.words.is_open |= found.low is not None and not self.is_constant
        return found.breach or (True if found.low is None else None)

    def searched(self, formula: Privacy, s: int, t: int) -> Searched:
        """The result of the search for two states."""
        if (key := (formula, s, t)) not in self._searched:
            if self._is_listed(formula.path):
                both = chain(self._breaches(formula, s, t), self._breaches(formula, t, s))
                self._searched[key] = Searched(next(both, None))
            else:
                bound = self.bound(formula.epsilon, formula.delta)
                self._searched[key] = self.search(formula.path, s, t, bound)
        return self._searched[key]

    def _breaches(self, formula: Privacy, s: int, t: int) -> Iterator[Outcome]:
        """Of all outcomes those that break a D."""
        outcomes, gaps = self.outcomes(formula.path, s, t), self.words.gaps
        if (key := (formula, tuple(outcomes))) not in gaps:
            bound = self.bound(formula.epsilon, formula.delta)
            at_least_one = isinstance(sign_on(formula.epsilon.factor - 1, self.words.eps_range), Holds)
            gaps[key] = []
            for each in outcomes:
                least = each.q + bound.delta - each.p  # of all epsilon >= 0
                if not (at_least_one and least.is_constant and sign_of(least) >= 0):
                    gaps[key].append((bound.needed(each.p, each.q) - bound.delta, each))
        return (each for gap, each in gaps[key] if self.compare(gap) > 0)

    def search(self, path: Formula, s: int, t: int, bound: Bound) -> Searched:
        if isinstance(path, EachNext):
            return self._every(path).search(s, t, bound)
        if self._is_listed(path):
            return super().search(path, s, t, bound)
        if bound.least and not self.is_constant:
            message = f"the least parameter for an unbounded formula, {show(path)}, for a range of eps"
            raise Unsupported(message, hint=AT_ONE_EPS)
        fixed = self.on(path)
        if fixed is not self and fixed.are_equal(path, s, t):
            return Searched()
        return self.settled(self.tree(path).search(s, t, bound))

    def _is_listed(self, path: Formula) -> bool:
        """Whether all outcomes are compared, instead of a search."""
        listed = self.options.all_schedulers or (is_bounded(path) and not self.is_constant)
        return listed and not isinstance(path, EachNext)

    def breach(self, formula: Privacy, state: int) -> Outcome:
        each = (self.found(formula, state, other) for other in self.mdp.neighbours_of(state))
        broken = next(found for found in each if isinstance(found, Outcome))
        return broken._replace(p=lifted(broken.p), q=lifted(broken.q))

    def violates(self, formula: Privacy, s: int, t: int) -> bool:
        if not self._is_listed(formula.path) or self.doubtful(formula.path, s, t):
            return isinstance(self.found(formula, s, t), Outcome)
        return any(True for _ in self._breaches(formula, s, t))

    def once(self) -> None:
        """A tick, at which it is no use to go on if a sign is missing."""
        self.tick()
        self.settled(None)

    def extremes(self, path: Formula, state: int) -> tuple[Quotient, Quotient]:
        if (judge := self.on(path)) is not self:
            return judge.extremes(path, state)
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
            sign: Sign = sign_of if self.is_constant else self.compare
            tree = Tree(self.product(path), self.once, depth, self.nodes, sign)
            self._trees[path] = self.settled(tree)
        return self._trees[path]

    def are_equal(self, path: Formula, s: int, t: int) -> bool:
        """Whether two states surely have the same probability under every word."""
        tree = self.tree(path)
        return tree.language is not None and tree.language.difference(tree.root(s, t)) is True

    def _every(self, path: EachNext) -> EveryStep:
        if self.options.all_schedulers:
            raise Unsupported("all schedulers for a formula about all k in N")
        if not self.is_constant:
            raise Unsupported("a formula for all k in N for a range of eps", hint=AT_ONE_EPS)
        if path not in self._everies:
            goal, mdp = self.parts(path)[0][path.operand], cast("Mdp[Any]", self.mdp)
            self._everies[path] = EveryStep(mdp, goal, one_of(mdp), self.tick, self.depth)
        return self._everies[path]

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

    def product(self, path: Formula) -> Product[Any]:
        """The process with the automaton of a path formula.

        If that is unbounded, transitions that vanish on the piece are left out.
        """
        if path not in self._products:
            known, _ = self.settled(self.parts(path))
            rows = () if self.is_constant or is_bounded(path) else self.mdp.rows
            numbers = dict.fromkeys(p for actions in rows for row in actions for _, p in row)
            vanishing = frozenset(p for p in numbers if not self.compare(p))
            self.once()
            self._products[path] = self.words.product(path, known, vanishing)
        return self._products[path]

    def outcomes(self, path: Formula, s: int, t: int) -> Sequence[Outcome]:
        self.sure(path, s, t)
        if self.options.all_schedulers:
            return [Outcome(s, t, self.extremes(path, s)[1], self.extremes(path, t)[0])]
        known, _ = self.settled(self.parts(path))
        key = path, tuple(known.items())
        if (*key, s, t) not in self.words.outcomes:
            if key not in self.words.steps:
                product = self.product(path)
                numbers = {None: None, True: product.one, False: product.one - product.one}
                settled = [numbers[truth] for truth in product.truth]
                self.words.steps[key] = Steps(product, settled, self.tick)
            found = self.words.steps[key].outcomes(s, t)
            self.words.outcomes[*key, s, t] = worst(o._replace(p=lifted(o.p), q=lifted(o.q)) for o in found)
        return self.words.outcomes[*key, s, t]


class Words(Evaluation):
    """The evaluation of formulas on a process.  What is found on a piece is remembered.

    With ``is_constant``, nothing depends on eps, or only one eps is asked about.  ``fixed`` answers for
    formulas without eps, if the process has none.
    """

    def __init__(
        self, mdp: AnyMdp, eps_range: EpsRange, clock: Clock, options: Options, is_constant: bool
    ) -> None:
        self.eps: fmpq | None = None
        if is_constant:
            self.eps = eps = eps_range.low if eps_range.is_point else HERE
            found: Any = mapped(mdp, lambda p: lifted(p).at(eps))
            mdp = found
        super().__init__(mdp, eps_range, clock)
        self.mdp, self.options, self.is_constant = mdp, options, is_constant
        self.products: dict[object, Product[Any]] = {}
        self.steps: dict[object, Steps] = {}
        self.outcomes: dict[object, Sequence[Outcome]] = {}
        self.gaps: dict[object, list[tuple[Quotient, Outcome]]] = {}
        self.fixed = None if has_eps(mdp) else Process(self, {}, {}, True)

    def local(self, signs: Signs, wanted: dict[ExpPoly, None]) -> Local:
        return self.fixed if self.is_constant and self.fixed else Process(self, signs, wanted)

    def product(
        self, path: Formula, known: dict[Formula, States], vanishing: frozenset[fmpq | Quotient]
    ) -> Product[Any]:
        """The process, without some transitions, with the automaton of a path formula."""
        key = path, tuple(known.items()), vanishing
        if key not in self.products:
            zero, tick = Quotient.of(0), partial(self.clock.tick, "words of actions")
            mdp: Any = mapped(self.mdp, lambda p: zero if p in vanishing else p) if vanishing else self.mdp
            self.products[key] = Product.of(mdp, self._monitor(path, known, tick), tick)
        return self.products[key]

    def _monitor(self, path: Formula, known: dict[Formula, States], tick: Tick) -> Progression | Automaton:
        """A deterministic automaton that accepts the paths that satisfy a formula."""
        if (own := progression(path, known)) is not None:
            return own
        found = automaton_of(path, known)
        successors = [{t for row in rows for t, _ in row} for rows in self.mdp.rows]
        if not accepts_the_same(found, path, known, successors, tick):
            message = f"the automaton of Spot does not accept what `{show(path)}` says"
            raise InputError(message, hint="write the formula in another way")
        return found

    def doubts(self, formula: Formula, state: int) -> Iterator[Open]:
        if not self.is_constant or (judge := self.fixed) is None or judge.truth(formula, state) is not None:
            return
        for operand in operands(formula):
            yield from self.doubts(operand, state)
        if isinstance(formula, Privacy):
            for other in self.mdp.neighbours_of(state):
                if judge.found(formula, state, other) is None:
                    yield self._open(judge, formula, state, other)

    def _open(self, judge: Process, formula: Privacy, state: int, other: int) -> Open:
        names = self.mdp.names[state], self.mdp.names[other]
        if judge.doubtful(formula.path, state, other):
            return Open(*names, fmpq(0), fmpq(1), INSIDE)
        found = judge.searched(formula, state, other)
        one_word = isinstance(formula.path, EachNext) and len(self.mdp.actions) == 1
        reason = f"no proof and no counterexample up to {LONGEST} steps" if one_word else judge.limits
        return Open(*names, below(found.low), -below(-found.high), reason)


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


def below(value: Number) -> fmpq:
    """A rational number that is not larger: the number itself, if it is rational."""
    if isinstance(exact := plain(lifted(value)), fmpq):
        return exact
    with ctx.workprec(128):
        least: fmpq = exact.enclose(arb(HERE)).lower().fmpq()
    return least
