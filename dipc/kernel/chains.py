"""The statement about a Markov chain: in which states a formula of dpCTL* holds.

A certificate has the chain (states, rows of fractions, labels, neighbours), the formula and the states asked
about.  What cannot be computed in linear time is listed: the probabilities of each ``A U B``, with a proof.
Everything else is computed here: the sets of states, all comparisons, and the answers.

**The formula** means what Liu, Wang, Zhang, *Model checking differentially private properties*, sections 4
and 5, say.  D[e, d](f) holds in s if Pr_s(f) <= exp(e) Pr_t(f) + d and Pr_t(f) <= exp(e) Pr_s(f) + d for
every neighbour t; with e, d >= 0 this needs no check for t = s.

**Probabilities of A U B**, for sets A and B of states, are a vector p with ranks; of a decision process
(:mod:`.processes`) the largest ones over all schedulers, or the least ones.  A chain has one action.

* In B: p = 1, and the rank is 0.
* Outside A and B: p = 0, without a rank.
* In A without B: p(s) is the largest (or the least) of the means of p after one action, and without a rank 0.
  With a rank, an action with this mean has a successor of a lower rank (or every action has one).

*These are the probabilities.*  Let M be the states of the last kind with a rank, h the probabilities.

* **p >= h**, for every scheduler, or for the one that takes an action with the least mean: h is the limit of
  the probabilities of meeting B within n steps, and by induction none of these exceeds p, as means of p under
  the scheduler do not.
* **p <= h**, for the scheduler that takes actions with the largest mean and a lower rank, or for every one:
  the ranks lead down to B along edges of positive probability; as M is finite, paths leave M with
  probability 1.  Up to then the expected value of p does not decrease; outside M it is 1 in B and else 0.
  (For one such scheduler the expected value is constant, so p >= 0.)

**Nested operators** (Courcoubetis and Yannakakis, *The complexity of probabilistic verification*, Journal
of the ACM 42, 1995, section 3.1).  Let f be ``X B`` or ``A U B`` with the probabilities q.  Mark every state
of a path by whether f holds on the rest of the path.  The states of the refined chain are the pairs
(s, true) where q(s) > 0 and (s, false) where q(s) < 1.  Let w(s, b) be q(s) or 1 - q(s).  Given that the mark
of s is b, the next pair is (t, c) with probability p(s, t) Pr_t(mark c, so that s has mark b) / w(s, b):

* ``X B``: the mark of s is b if and only if [t in B] = b; so p(s, t) w(t, c) / w(s, b) for such t;
* ``A U B``, s in A without B: the marks of s and t are equal; so p(s, t) w(t, b) / w(s, b) for c = b;
* ``A U B``, other s: its mark does not depend on the rest, and w(s, b) = 1; so p(s, t) w(t, c).

Given (t, c), what follows does not depend on what was before, so the same holds for the pair after it: marked
paths are paths of the refined chain, where f is a set of states.  What holds from s with a probability is
the mean of what holds from its pairs, weighted by w.  ``A U<=k B`` is B | (A & X (A U<=k-1 B)).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal, NamedTuple

from .facts import ZERO
from .formulas import Curve, ListedNode, Node, Signs, check_word, formula_shown, read_formula, word_shown
from .privacy import MAX_NAME, shown
from .reading import Refused, digest, integer, require
from .schema import write

MAX_STATES = 10**6
MAX_LISTED = 20  # states in a statement
DEAD = "†"  # the state behind states without transitions: not a proposition

Row = list[tuple[int, Fraction]]
States = frozenset[int]
Values = list[Fraction]

# --- the format ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Statement:
    """A chain, a formula, and the states that are asked about."""

    format: str
    version: int
    statement: Literal["chain"]
    model: str
    states: list[str]
    rows: list[Row]
    labels: dict[str, list[int]]
    neighbours: list[tuple[int, int]]
    asked: list[int]
    formula: list[ListedNode]


@dataclass(frozen=True)
class Until:
    """The probabilities of ``A U B``, with their ranks."""

    values: list[Fraction]
    ranks: list[int | None]


@dataclass(frozen=True)
class Listed(Statement):
    """A certificate: what each ``A U B`` needs, and the answers at the states that are asked about."""

    untils: list[Until]
    answers: list[Literal["holds", "fails"]]


Finder = Callable[[Sequence[Row], States, States], Until | None]  # knows what is listed for ``A U B``


# --- the chain ----------------------------------------------------------------------------------------


class Chain(NamedTuple):
    """A Markov chain, and the states asked about."""

    name: str
    states: list[str]
    rows: list[Row]
    labels: dict[str, States]
    neighbours: list[tuple[int, int]]
    asked: list[int]

    def states_of(self, proposition: str, step: str = "formula") -> States:
        """Those of a label, or the state with that name."""
        if proposition in self.labels:
            return self.labels[proposition]
        if proposition == DEAD or proposition not in self.states:
            raise Refused(step, "there is no such label or state")
        return frozenset([self.states.index(proposition)])


def read_chain(
    listed: Any, rows: list[Any] | None = None, positive: Callable[[Any], bool] = lambda p: p > 0
) -> Chain:
    """The chain, if every row sums to 1; ``rows`` are those listed unless they are given."""
    rows = listed.rows if rows is None else rows
    states, last = listed.states, len(listed.states) - 1
    for name in (*states, *listed.labels):
        check_word(name, "states" if name in states else "labels")
    some = 0 < len(set(states)) == len(states) <= MAX_STATES
    require(some, "states", "there are none, too many, or one is listed twice")
    require(len(rows) == len(states), "rows", "there is not one row for every state")
    for s, row in enumerate(rows):
        check_numbers([t for t, _ in row], last, f"row {s}")
        right = all(positive(p) for _, p in row) and expected(row, None) == 1
        require(right, f"row {s}", "a probability is not positive, or their sum is not 1")
    new = set(states).isdisjoint(listed.labels)
    require(new, "labels", "a label must not have the name of a state")
    for numbers in listed.labels.values():
        check_numbers(numbers, last, "labels")
    for pair in listed.neighbours:
        check_numbers(pair, last, "neighbours")
    check_numbers(listed.asked, last, "asked")
    require(listed.asked, "asked", "there are no states")
    labels = {name: frozenset(numbers) for name, numbers in listed.labels.items()}
    return Chain(listed.model, states, rows, labels, listed.neighbours, listed.asked)


def check_numbers(numbers: Sequence[int], last: int, step: str) -> None:
    """They are different, and from 0 to ``last``."""
    different = len({integer(number, step, 0, last) for number in numbers}) == len(numbers)
    require(different, step, "a state is listed twice")


# --- probabilities ------------------------------------------------------------------------------------


def expected(row: Row, values: Sequence[Fraction] | None) -> Fraction:
    """The expected value after one step; without values the sum of the row."""
    return sum((p if values is None else p * values[t] for t, p in row), ZERO)


def check_until(
    choices: Sequence[Sequence[Row]],
    left: States,
    right: States,
    listed: Until | None,
    step: str,
    most: bool = True,
) -> Values:
    """The largest or least probabilities of ``left U right``: the listed ones, if they are shown to be right.

    ``choices`` are the rows of every state, one for each action.
    """
    if listed is None or not len(listed.values) == len(listed.ranks) == len(choices):
        raise Refused(step, "there is not one probability and one rank for every state")
    values, ranks = listed.values, listed.ranks
    for s, (rows, p, rank) in enumerate(zip(choices, values, ranks, strict=True)):
        if s in right or s not in left:
            right_here = p == (s in right) and rank == (0 if s in right else None)
        else:
            means = [expected(row, values) for row in rows]
            right_here = p == (max(means) if most else min(means))
            if rank is None:
                right_here = right_here and p == 0
            else:
                lower = [any(r is not None and r < rank for r in (ranks[t] for t, _ in row)) for row in rows]
                good = [here for here, mean in zip(lower, means, strict=True) if not most or mean == p]
                right_here = right_here and (any(good) if most else all(good))
        require(right_here, f"{step}, state {s}", "the probability or the rank is not right")
    return values


class Level(NamedTuple):
    """A chain, and the states of those nodes that are sets of states there."""

    rows: Sequence[Row]
    truth: dict[int, States]

    @property
    def everything(self) -> States:
        return frozenset(range(len(self.rows)))

    def step(self, values: Values, count: int = 1) -> Values:
        """The expected values after some steps."""
        for _ in range(count):
            values = [expected(row, values) for row in self.rows]
        return values

    def indicator(self, states: States) -> Values:
        return [Fraction(s in states) for s in range(len(self.rows))]

    def refined(self, node: int, q: Values, follow: Callable[[int, int, int], tuple[int, ...]]) -> Refined:
        """The chain whose states know whether an operator holds; its node becomes a set of states.

        ``follow(s, b, t)`` are the marks that a successor t of (s, b) may have.
        """
        weights = [[1 - p for p in q], q]
        pairs = [(s, b) for s in range(len(q)) for b in (1, 0) if weights[b][s]]
        place = [[0] * len(q), [0] * len(q)]
        for i, (s, b) in enumerate(pairs):
            place[b][s] = i

        def row_of(s: int, b: int) -> Iterator[tuple[int, Fraction]]:
            for t, p in self.rows[s]:
                for c in follow(s, b, t):
                    if weights[c][t]:
                        yield place[c][t], p * weights[c][t] / weights[b][s]

        rows = [list(row_of(s, b)) for s, b in pairs]
        truth = {
            i: frozenset(n for n, (s, _) in enumerate(pairs) if s in states)
            for i, states in self.truth.items()
        }
        truth[node] = frozenset(n for n, (_, b) in enumerate(pairs) if b)
        return Level(rows, truth), lambda values: means(pairs, weights, values)


Refined = tuple[Level, Callable[[Values], Values]]
"""A refined chain, and how values there become values of the chain before."""


def means(pairs: Sequence[tuple[int, int]], weights: Sequence[Values], values: Values) -> Values:
    """The means of the values of the pairs of each state."""
    result = [ZERO] * len(weights[0])
    for (s, b), value in zip(pairs, values, strict=True):
        result[s] += value * weights[b][s]
    return result


class Evaluation:
    """The states of all state formulas; ``until`` gives what is listed for each ``A U B``."""

    def __init__(
        self, chain: Chain, nodes: Sequence[Node], until: Finder, signs: Signs | None = None
    ) -> None:
        self.chain, self.nodes, self.until, self.signs = chain, nodes, until, signs or Signs()
        self.untils = 0
        self.truth: dict[int, States] = {}
        for i, node in enumerate(nodes):
            if node.is_state:
                self.truth[i] = self.states(node, f"formula, node {i}")

    def states(self, node: Node, step: str) -> States:
        """The states in which a state formula holds."""
        if node.kind == "name":
            return self.chain.states_of(node.detail, step)
        if node.kind not in "PD":
            return self.boolean(Level(self.chain.rows, self.truth), node)
        values, detail = list(map(Curve.of, self.probabilities(node.operands[0]))), node.detail
        if node.kind == "P":
            return frozenset(s for s, p in enumerate(values) if detail.has(p, self.signs))
        pairs = [pair for s, t in self.chain.neighbours for pair in ((s, t), (t, s))]
        broken = {
            s for pair in pairs if not detail.holds(*(values[s] for s in pair), self.signs) for s in pair
        }
        return frozenset(range(len(values))) - broken

    def boolean(self, level: Level, node: Node) -> States:
        """The states of a Boolean combination of sets of states."""
        sets = [level.truth[j] for j in node.operands]
        match node.kind:
            case "not":
                return level.everything - sets[0]
            case "and" | "true":
                return level.everything.intersection(*sets)
            case _:
                return frozenset().union(*sets)

    def probabilities(self, root: int, level: Level | None = None) -> Values:
        """The probability of a path formula from every state: its operators are settled from outside, as
        long as their operands are sets of states but for one, and else from inside, by refined chains."""
        rows, truth = level or Level(self.chain.rows, self.truth)
        path = self.path(root)
        operands = {root, *(j for i in path for j in self.nodes[i].operands)}
        level = self.settled(Level(rows, {j: truth[j] for j in operands if j in truth}), path)
        after: list[Callable[[Values], Values]] = []
        while root not in level.truth:
            node = self.nodes[root]
            rest = {j for j in node.operands if j not in level.truth}
            if node.kind == "U" and not rest:
                values = self.until_values(level, node)
                break
            if node.kind in ("not", "X") or (node.kind != "U" and len(rest) == 1):
                after.append(self.outer(level, node, node.kind))
                (root,) = rest or node.operands
            else:
                inner = min(i for i in self.path(root) if self.nodes[i].kind in "XU" and i not in level.truth)
                for refined in list(self.split(level, inner)):
                    after.append(refined[1])
                    level = refined[0]
                level = self.settled(level, path)
        else:
            values = level.indicator(level.truth[root])
        for action in reversed(after):
            values = action(values)
        return values

    def path(self, root: int) -> list[int]:
        """The path formulas inside a node, and itself, in ascending order."""
        found, stack = set(), [root]
        while stack:
            i = stack.pop()
            if i not in found and not self.nodes[i].is_state:
                found.add(i)
                stack += self.nodes[i].operands
        return sorted(found)

    def settled(self, level: Level, path: Sequence[int]) -> Level:
        """The level with all Boolean combinations of sets of states."""
        truth = dict(level.truth)
        for i in path:
            node = self.nodes[i]
            if i not in truth and node.kind not in "XU" and all(j in truth for j in node.operands):
                truth[i] = self.boolean(Level(level.rows, truth), node)
        return Level(level.rows, truth)

    def outer(self, level: Level, node: Node, kind: str) -> Callable[[Values], Values]:
        """From the values of the only operand that is not a set of states to those of the node."""
        if kind == "not":
            return lambda values: [1 - p for p in values]
        if kind == "X":
            return lambda values: level.step(values, node.detail)
        known = Node(kind, tuple(j for j in node.operands if j in level.truth), None, True)
        states = self.boolean(level, known)
        fixed, end = (level.everything - states, ZERO) if kind == "and" else (states, Fraction(1))
        return lambda values: [end if s in fixed else p for s, p in enumerate(values)]

    def until_values(self, level: Level, node: Node) -> Values:
        """The probabilities of an ``U`` whose operands are sets of states."""
        left, right = (level.truth[j] for j in node.operands)
        if node.detail is None:
            self.untils += 1
            item = self.until(level.rows, left, right)
            choices = [[row] for row in level.rows]
            return check_until(choices, left, right, item, f"until {self.untils - 1}")
        ends = level.indicator(right)
        values = ends
        for _ in range(node.detail):
            later = level.step(values)
            values = [p if s in left and s not in right else ends[s] for s, p in enumerate(later)]
        return values

    def split(self, level: Level, i: int) -> Iterator[Refined]:
        """The refined chains that make an ``X`` or ``U``, whose operands are sets of states, one itself."""
        node = self.nodes[i]
        if node.kind == "U" and node.detail is None:
            left, right = (level.truth[j] for j in node.operands)
            q = self.until_values(level, node)
            yield level.refined(i, q, lambda s, b, t: (b,) if s in left and s not in right else (0, 1))
            return
        level.truth[i] = level.truth[node.operands[-1]]
        if not node.detail:
            yield level, list
        for _ in range(node.detail):
            level, merged = next_known(level, i)
            if node.kind == "U":
                left, right = (level.truth[j] for j in node.operands)
                level.truth[i] = right | (left & level.truth[i])
            yield level, merged


def next_known(level: Level, node: int) -> Refined:
    """The refined chain whose states know whether the next state is in the set of a node: its new set."""
    goal = level.truth[node]
    q = level.step(level.indicator(goal))
    return level.refined(node, q, lambda s, b, t: (0, 1) if (t in goal) == b else ())


# --- a certificate ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Certificate:
    """A certificate that was checked; ``holds`` tells for each state asked about whether the formula does."""

    listed: Listed
    chain: Chain
    formula: str
    holds: list[bool]
    kind: ClassVar[str] = "chain"

    @property
    def status(self) -> str:
        """ "holds" in all states asked about, or "fails" in one of them."""
        return "holds" if all(self.holds) else "fails"

    @property
    def sha256(self) -> str:
        """The hash of the listed chain."""
        parts = ("states", "rows", "labels", "neighbours")
        return digest({name: write(getattr(self.listed, name)) for name in parts})

    def statement(self) -> str:
        """What was proved, in words, about the listed chain."""
        name = self.chain.name[:MAX_NAME].translate({ord(c): "_" for c in "\"'`"})
        states, pairs = len(self.chain.states), len(self.chain.neighbours)
        sizes = f"{states} state{'s' * (states != 1)}, {pairs} pair{'s' * (pairs != 1)} of neighbours"
        places = [
            f"{word} at {self.names(state_holds)}"
            for word, state_holds in (("holds", True), ("fails", False))
            if state_holds in self.holds
        ]
        return shown(f"in model '{name}' ({sizes}) the formula {self.formula} {' and '.join(places)}")

    def names(self, holds: bool) -> str:
        """The states asked about in which the formula holds, or fails; only the first of very many."""
        asked = zip(self.chain.asked, self.holds, strict=True)
        names = [word_shown(self.chain.states[s]) for s, here in asked if here is holds]
        more = f", ... ({len(names)} states)" if len(names) > MAX_LISTED else ""
        return ", ".join(names[:MAX_LISTED]) + more

    def conditional(self) -> str:
        """The statement under its condition: the kernel does not read models."""
        return f"IF the listed {self.kind} is that of the model THEN {self.statement()}"

    def summary(self) -> list[str]:
        """What was proved, and what is trusted."""
        return [
            f"accepted: {self.conditional()}",
            "trusted: that the listed states, probabilities, labels, neighbours, states asked about and "
            "formula are those that were meant; everything else was recomputed",
        ]


def checked(listed: Listed) -> Certificate:
    """All phases but the digest."""
    chain, nodes = read_chain(listed), read_formula(listed.formula)
    rest = iter(listed.untils)
    evaluation = Evaluation(chain, nodes, lambda rows, left, right: next(rest, None))
    require(next(rest, None) is None, "untils", "there are more than the formula needs")
    return Certificate(listed, chain, formula_shown(nodes), answered(listed, [evaluation]))


def answered(listed: Any, found: Sequence[Evaluation]) -> list[bool]:
    """Whether the formula holds at the states asked about, each time; that is what is listed."""
    chain, nodes = found[0].chain, found[0].nodes
    occur = chain.labels.keys() <= {node.detail for node in nodes if node.kind == "name"}
    require(occur, "labels", "one of them does not occur in the formula")
    holds = [all(s in each.truth[len(nodes) - 1] for each in found) for s in chain.asked]
    right = listed.answers == ["holds" if here else "fails" for here in holds]
    require(right, "answers", "they are not those that were computed")
    return holds
