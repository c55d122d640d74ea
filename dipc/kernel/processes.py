"""The statement about a Markov decision process: in which states a formula of dpCTL* holds.

**P** is about all schedulers: it holds if the largest and the least probability are inside its interval.
**D** is about all infinite words of actions, the same from both states.  What is listed is what cannot be
computed step by step: the extreme probabilities of each ``A U B`` (:func:`.chains.check_until`), and for each
D and pair of neighbours a word that breaks it, or none.  All other pairs are proved here.

**Sums.**  From a state, and after some actions from it, the probability of a path formula under the rest w
of a word is a sum of coefficients times P_w(u), for *unknowns* u, plus a constant.  An unknown is an ``X`` or
``U`` of the formula, the count of it that is left, and a state in which it is not settled.  This needs
formulas in which of the operands of ``U`` none, of "and" and "or" at most one is a path formula.

**No word breaks D** for the two sums L and R of a pair if one of these holds:

* *closed*: the inequalities hold for the extreme values of L and R.
* *equal*: ``x c = 0`` for all x in the span of the vectors that L - R becomes after any finite word, where c
  is 1 for the constant, 0 for the unknowns that may stay unsettled for ever, and free elsewhere.  Under a
  word the constant of the sum after k letters tends to the probability.  An unknown that no action can keep
  among those that may stay is in no end component, so almost every path visits it finitely often, and its
  share tends to 0 (Baier and Katoen, *Principles of Model Checking*, Theorem 10.120).  So both probabilities
  are equal.
* *all ways end*: breadth first, every pair of sums after a word is closed, or all pairs after one more action
  are known.  A word that meets no closed pair meets some pair again and again, to which an edge leads from
  one that was found no earlier.  As the constants tend to the probabilities, these are the constants there;
  they are compared at every such edge.

**A word that breaks D** makes the process a chain of pairs of a state and a place in the word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from . import chains, formulas
from .chains import Chain, Evaluation, Level, Row, States, Until, Values, check_until, read_chain
from .facts import ZERO
from .formulas import Curve, ListedNode, Node, Private
from .reading import Refused, digest, integer, require
from .schema import write

MAX_ACTIONS = 1000
MAX_PLACES = 10**6  # states times letters of a word
MAX_STEPS = 80  # operators and steps of a path formula
MAX_PAIRS = 2000  # pairs of sums, and vectors of a span

Word = tuple[list[int], list[int]]
"""Numbers of actions: those at first, and those that are repeated for ever."""

# --- the format ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Statement:
    """A process (its rows by state and action), a formula, and the states that are asked about."""

    format: str
    version: int
    statement: Literal["process"]
    model: str
    states: list[str]
    actions: list[str]
    rows: list[list[Row]]
    labels: dict[str, list[int]]
    neighbours: list[tuple[int, int]]
    asked: list[int]
    formula: list[ListedNode]


@dataclass(frozen=True)
class Listed(Statement):
    """A certificate: what each ``A U B`` needs, the words, and the answers at the states asked about."""

    untils: list[Until]
    words: list[Word | None]
    answers: list[Literal["holds", "fails"]]


def read_process(listed: Statement) -> Chain:
    """The process as a chain of its first action, if every row sums to 1."""
    count = len(listed.actions)
    require(0 < count == len(set(listed.actions)) <= MAX_ACTIONS, "actions", "none, too many, or one twice")
    complete = all(len(choices) == count for choices in listed.rows)
    require(complete, "rows", "there is not one row for every action")
    read = [read_chain(listed, [choices[a] for choices in listed.rows]) for a in range(count)]
    return read[0]


# --- sums ---------------------------------------------------------------------------------------------

Unknown = tuple[int, int | None, int]
"""An ``X`` or ``U``, the count that is left, a state."""

Sum = dict[Unknown | None, Fraction]
"""Coefficients, none of them 0; that of None is the constant."""


def combined(terms: Iterable[tuple[Fraction, Sum]]) -> Sum:
    """The sum of multiples of sums."""
    found: Sum = {}
    for factor, each in terms:
        for u, weight in each.items():
            found[u] = found.get(u, ZERO) + factor * weight
    return {u: weight for u, weight in found.items() if weight}


def constant(value: Fraction | int) -> Sum:
    """A sum without unknowns."""
    return {None: Fraction(value)} if value else {}


class Process(Evaluation):
    """The evaluation; ``word`` gives what is listed for each D and pair of neighbours."""

    def __init__(
        self,
        listed: Statement,
        nodes: Sequence[Node],
        until: Callable[..., Until | None],
        word: Callable[[Node, int, int], Word | None],
    ) -> None:
        self.choices, self.listed_until, self.word, chain = listed.rows, until, word, read_process(listed)
        self.actions = range(len(listed.actions))
        self.vectors: dict[tuple[int, bool], Values] = {}
        self.extremes: dict[tuple[Unknown, bool], Fraction] = {}
        self.following: dict[tuple[Unknown, int], Sum] = {}
        self.under: dict[tuple[int, str], Values] = {}
        super().__init__(chain, nodes, until)

    def states(self, node: Node, step: str) -> States:
        if node.kind not in "PD":
            return super().states(node, step)
        root = node.operands[0]
        path = self.path(root)
        long = sum(self.nodes[i].detail or 1 for i in path if self.nodes[i].kind in "XU") + len(path)
        require(long <= MAX_STEPS, step, f"its path formula has more than {MAX_STEPS} operators and steps")
        every = range(len(self.choices))
        if node.kind == "P":
            both = [
                [Curve.of(self.value(self.begun(root, s), most)) for s in every] for most in (False, True)
            ]
            return frozenset(
                s for s in every if all(node.detail.has(values[s], self.signs) for values in both)
            )
        broken = {s for pair in self.chain.neighbours if self.breaks(node, *pair, step) for s in pair}
        return frozenset(every) - broken

    # --- sums -------------------------------------------------------------------------------------------

    def begun(self, i: int, s: int) -> Sum:
        """The sum for a node from a state."""
        return self.entered(i, self.nodes[i].detail if self.nodes[i].kind in "XU" else None, s)

    def entered(self, i: int, count: int | None, s: int) -> Sum:
        """The same with the count of the node that is left."""
        if i in self.truth:
            return constant(s in self.truth[i])
        node = self.nodes[i]
        rest = {j for j in node.operands if j not in self.truth}
        if node.kind == "not":
            return combined([(Fraction(1), constant(1)), (Fraction(-1), self.begun(node.operands[0], s))])
        if node.kind in ("and", "or"):
            require(len(rest) == 1, f"formula, node {i}", "it combines path formulas")
            known = [s in self.truth[j] for j in node.operands if j not in rest]
            decisive = node.kind == "or"
            return constant(decisive) if decisive in known else self.begun(rest.pop(), s)
        if node.kind == "U":
            require(not rest, f"formula, node {i}", "an operand of its U is a path formula")
            left, right = (self.truth[j] for j in node.operands)
            if s in right or s not in left or count == 0:
                return constant(s in right)
        unknown = i, count, s
        low, high = self.extreme(unknown, False), self.extreme(unknown, True)
        return constant(low) if low == high else {unknown: Fraction(1)}

    def ahead(self, unknown: Unknown, action: int) -> Sum:
        """The sum for an unknown after an action."""
        if (unknown, action) not in self.following:
            i, count, s = unknown
            node, row = self.nodes[i], self.choices[s][action]
            if node.kind == "X" and count == 1:
                after = [(p, self.begun(node.operands[0], t)) for t, p in row]
            else:
                after = [(p, self.entered(i, None if count is None else count - 1, t)) for t, p in row]
            self.following[unknown, action] = combined(after)
        return self.following[unknown, action]

    def after(self, whole: Sum, action: int) -> Sum:
        """The sum after an action."""
        return combined(
            (weight, {None: Fraction(1)} if u is None else self.ahead(u, action))
            for u, weight in whole.items()
        )

    def value(self, whole: Sum, most: bool) -> Fraction:
        """The largest value of a sum, or the least one: each unknown has its own extreme."""
        return sum((w if u is None else w * self.extreme(u, most is (w > 0)) for u, w in whole.items()), ZERO)

    def extreme(self, unknown: Unknown, most: bool) -> Fraction:
        """The largest or the least probability over all schedulers."""
        i, count, s = unknown
        if self.nodes[i].kind == "U" and count is None:
            if (i, most) not in self.vectors:
                left, right = (self.truth[j] for j in self.nodes[i].operands)
                self.untils += 1
                step, item = f"until {self.untils - 1}", self.listed_until(self.choices, left, right, most)
                self.vectors[i, most] = check_until(self.choices, left, right, item, step, most)
            return self.vectors[i, most][s]
        if (unknown, most) not in self.extremes:
            values = [self.value(self.ahead(unknown, a), most) for a in self.actions]
            self.extremes[unknown, most] = max(values) if most else min(values)
        return self.extremes[unknown, most]

    # --- D ----------------------------------------------------------------------------------------------

    def breaks(self, node: Node, s: int, t: int, step: str) -> bool:
        """Whether the listed word breaks a D for two states; that none does is proved."""
        word, where = self.word(node, s, t), f"{step}, states {s} and {t}"
        if word is None:
            pair = self.begun(node.operands[0], s), self.begun(node.operands[0], t)
            proved = self.closed(node.detail, pair) or self.equal(*pair) or self.ends(node.detail, pair)
            require(proved, where, "no word is listed, and there is no proof")
            return False
        values = self.values_under(node.operands[0], word, where)
        broken = not self.both_hold(node.detail, (values[s], values[t]), (values[t], values[s]))
        require(broken, where, "the word breaks no inequality")
        return True

    def both_hold(self, private: Private, *pairs: tuple[Fraction, Fraction]) -> bool:
        return all(private.holds(Curve.of(p), Curve.of(q), self.signs) for p, q in pairs)

    def closed(self, private: Private, pair: tuple[Sum, Sum]) -> bool:
        """Whether the inequalities hold for the extreme values."""
        ways = ((left, right) for left, right in (pair, pair[::-1]))
        return self.both_hold(private, *((self.value(p, True), self.value(q, False)) for p, q in ways))

    def ends(self, private: Private, start: tuple[Sum, Sum]) -> bool:
        """Whether all words lead to pairs that are closed, or to the same pairs again, where D holds."""
        number: dict[Any, int] = {key(start): 0}
        waiting = [start]
        for place, pair in enumerate(waiting):  # grows while it is read
            if self.closed(private, pair):
                continue
            for a in self.actions:
                child = self.after(pair[0], a), self.after(pair[1], a)
                if key(child) not in number:
                    number[key(child)] = len(waiting)
                    waiting.append(child)
                elif number[key(child)] <= place:
                    p, q = (side.get(None, ZERO) for side in child)
                    if not self.both_hold(private, (p, q), (q, p)):
                        return False
            if len(waiting) > MAX_PAIRS:
                return False
        return True

    def equal(self, left: Sum, right: Sum) -> bool:
        """Whether two sums have the same value under every word, by the span of their difference."""
        staying = self.staying([u for u in (*left, *right) if u is not None])
        basis: list[tuple[Unknown, Sum]] = []  # each with a place that later vectors do not have
        waiting = [combined([(Fraction(1), left), (Fraction(-1), right)])]
        for vector in waiting:  # grows while it is read
            for pivot, each in basis:
                if pivot in vector:
                    vector = combined([(Fraction(1), vector), (-vector[pivot] / each[pivot], each)])
            free = [u for u in vector if u is not None and u not in staying]
            if (not free and None in vector) or len(basis) > MAX_PAIRS:
                return False
            if vector:
                pivot = free[0] if free else next(u for u in vector if u is not None)
                basis.append((pivot, vector))
                waiting += (self.after(vector, a) for a in self.actions)
        return True

    def staying(self, start: Iterable[Unknown]) -> set[Unknown]:
        """The unbounded ``U``, met from these, that some actions may keep unsettled for ever."""
        found = dict.fromkeys(start)
        queue = list(found)
        for u in queue:  # grows while it is read
            new = [v for a in self.actions for v in self.ahead(u, a) if v is not None and v not in found]
            found |= dict.fromkeys(new)
            queue += dict.fromkeys(new)
        kept = {u for u in found if u[1] is None}

        def stays(u: Unknown) -> bool:
            rows = (self.ahead(u, a) for a in self.actions)
            return any(row.keys() <= kept and sum(row.values()) == 1 for row in rows)

        while gone := {u for u in kept if not stays(u)}:
            kept -= gone
        return kept

    def values_under(self, root: int, word: Word, step: str) -> Values:
        """The probabilities of a path formula from every state under a word."""
        letters = [*word[0], *word[1]]
        length = len(letters)
        small = word[1] and length * len(self.choices) <= MAX_PLACES
        require(small, step, "the word has no letters to repeat, or too many")
        for a in letters:
            integer(a, step, 0, self.actions[-1])
        if (root, str(word)) not in self.under:
            after = [*range(1, length), len(word[0])]
            rows = [
                [(t * length + after[place], p) for t, p in choices[a]]
                for choices in self.choices
                for place, a in enumerate(letters)
            ]
            truth = {
                i: frozenset(s * length + place for s in states for place in range(length))
                for i, states in self.truth.items()
            }
            self.under[root, str(word)] = self.probabilities(root, Level(rows, truth))[::length]
        return self.under[root, str(word)]


def key(pair: tuple[Sum, Sum]) -> Any:
    """The same for equal pairs."""
    return tuple(frozenset(side.items()) for side in pair)


# --- a certificate ------------------------------------------------------------------------------------


class Certificate(chains.Certificate):
    """A certificate that was checked."""

    kind = "process"

    @property
    def sha256(self) -> str:
        parts = ("states", "actions", "rows", "labels", "neighbours")
        return digest({name: write(getattr(self.listed, name)) for name in parts})


def checked(listed: Listed) -> Certificate:
    """All phases but the digest."""
    nodes = formulas.read_formula(listed.formula)
    untils, words = iter(listed.untils), iter(listed.words)

    def word(*_: object) -> Word | None:
        found = next(words, "")
        if isinstance(found, str):
            raise Refused("words", "there are fewer than pairs of neighbours")
        return found

    found = Process(listed, nodes, lambda *_: next(untils, None), word)
    require(next(untils, None) is None, "untils", "there are more than the formula needs")
    require(next(words, "") == "", "words", "there are more than the formula needs")
    holds = chains.answered(listed, [found])
    return Certificate(listed, found.chain, formulas.formula_shown(nodes), holds)  # type: ignore[arg-type]
