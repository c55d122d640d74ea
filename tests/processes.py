"""Random decision processes, and slow, obvious oracles for them: every path, every word, every policy.

Nothing here uses the algorithms of dipc: probabilities are fractions, formulas are evaluated on paths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from random import Random

from dpctl.oracle import reach
from flint import fmpq
from rationals import fraction

from dipc.dpctl.formula import And, Formula, Next, Not, Or, Proposition, Truth, Until
from dipc.models.chain import Mdp
from dipc.numbers.quotient import Quotient

LABELS = ("a", "b")
Rows = tuple[tuple[dict[int, Fraction], ...], ...]

GUESS = """
mdp
s [zero] -> {s: 1/2, t: 1/2};  s [one] -> {s: 1/4, won: 1/4, lost: 1/2}
t [zero] -> {s: 1/3, lost: 2/3};  t [one] -> {t: 3/4, won: 1/4}
u [zero] -> {u: 1/2, v: 1/2};  u [one] -> {u: 1/4, won: 1/2, lost: 1/4}
v [zero] -> {u: 1/3, lost: 2/3};  v [one] -> {v: 3/4, lost: 1/4}
won [*] -> won; lost [*] -> lost
neighbours s ~ u
start s
"""
"""Two guessers of a coin that are not quite alike: the least delta of `F won` is 1/3, approached by words."""


def random_mdp(random: Random, states: int, actions: int) -> Mdp[fmpq]:
    """A process with the labels a and b, some absorbing states and all states adjacent."""
    rows = []
    for s in range(states):
        loop, different = random.random() < 0.3, [_row(random, states) for _ in range(2)]
        rows.append(tuple(((s, fmpq(1)),) if loop else random.choice(different) for _ in range(actions)))
    labels = {label: frozenset(s for s in range(states) if random.random() < 0.4) for label in LABELS}
    pairs = tuple((s, t) for s in range(states) for t in range(s + 1, states))
    names = tuple(f"s{s}" for s in range(states))
    acts = tuple(f"act{a}" for a in range(actions))
    return Mdp(names, labels, pairs, tuple(range(states)), acts, tuple(rows))


def _row(random: Random, states: int) -> tuple[tuple[int, fmpq], ...]:
    targets = sorted(random.sample(range(states), random.choice([1, 2, 2, 3]) if states > 2 else 1))
    weights = [random.randint(1, 3) for _ in targets]
    return tuple((t, fmpq(w, sum(weights))) for t, w in zip(targets, weights, strict=True))


def with_coins(random: Random, mdp: Mdp[fmpq], coins: Sequence[Quotient]) -> Mdp[Quotient]:
    """The process in which each choice between two states is one of these coins."""

    def changed(row: tuple[tuple[int, fmpq], ...]) -> tuple[tuple[int, Quotient], ...]:
        if len(row) != 2:
            return tuple((t, Quotient.of(p)) for t, p in row)
        p = random.choice(coins)
        return ((row[0][0], p), (row[1][0], 1 - p))

    rows = tuple(tuple(map(changed, rows)) for rows in mdp.rows)
    return Mdp(mdp.names, mdp.labels, mdp.neighbours, mdp.start, mdp.actions, rows)


def fractions_of(mdp: Mdp[fmpq]) -> Rows:
    """The rows with fractions."""
    return tuple(tuple({t: fraction(p) for t, p in row} for row in rows) for rows in mdp.rows)


def random_path(random: Random, depth: int, bounded: bool, unbounded_sign: bool | None = None) -> Formula:
    """A path formula; ``unbounded_sign`` allows an unbounded U only without (True) negations above it."""
    if depth == 0:
        return Proposition(random.choice(LABELS))
    inner = lambda: random_path(random, depth - 1, bounded, unbounded_sign)  # noqa: E731
    match random.randrange(7):
        case 0:
            return Not(random_path(random, depth - 1, bounded or unbounded_sign is True, unbounded_sign))
        case 1:
            return And((inner(), inner()))
        case 2:
            return Or((inner(), inner()))
        case 3:
            return Next(inner(), random.choice([1, 1, 2]))
        case 4:
            return Until(Truth(True), inner(), random.choice([1, 2]) if bounded else None)
        case 5:
            return Until(inner(), inner(), random.choice([1, 2]) if bounded else None)
        case _:
            return Until(inner(), inner(), random.choice([0, 1, 2]))


def horizon(formula: Formula) -> int:
    """The number of states after the first one that a bounded formula looks at."""
    match formula:
        case Not(operand):
            return horizon(operand)
        case And(parts) | Or(parts):
            return max(map(horizon, parts))
        case Next(operand, count):
            return count + horizon(operand)
        case Until(left, right, int(bound)):
            return bound + max(horizon(left), horizon(right))
        case _:
            return 0


def satisfies(path: Sequence[int], formula: Formula, mdp: Mdp[fmpq], at: int = 0) -> bool:
    """The truth of a bounded formula on a path that is long enough."""
    match formula:
        case Truth(value):
            return value
        case Proposition(name):
            return path[at] in (mdp.states_of(name) or ())
        case Not(operand):
            return not satisfies(path, operand, mdp, at)
        case And(parts):
            return all(satisfies(path, part, mdp, at) for part in parts)
        case Or(parts):
            return any(satisfies(path, part, mdp, at) for part in parts)
        case Next(operand, count):
            return satisfies(path, operand, mdp, at + count)
        case Until(left, right, int(bound)):
            for k in range(bound + 1):
                if satisfies(path, right, mdp, at + k):
                    return True
                if not satisfies(path, left, mdp, at + k):
                    return False
    return False


def by_histories(mdp: Mdp[fmpq], formula: Formula, start: int, best: Callable[..., Fraction]) -> Fraction:
    """The largest (best = max) or least probability of a bounded formula: a choice for every history."""
    rows, length = fractions_of(mdp), horizon(formula)

    def value(path: tuple[int, ...]) -> Fraction:
        if len(path) > length:
            return Fraction(satisfies(path, formula, mdp))
        return best(sum(p * value((*path, t)) for t, p in row.items()) for row in rows[path[-1]])

    return value((start,))


def by_word(mdp: Mdp[fmpq], formula: Formula, start: int, word: Sequence[int]) -> Fraction:
    """The probability of a bounded formula under a word that is long enough: the sum over all paths."""
    rows = fractions_of(mdp)

    def value(path: tuple[int, ...]) -> Fraction:
        if len(path) > horizon(formula):
            return Fraction(satisfies(path, formula, mdp))
        return sum(
            (p * value((*path, t)) for t, p in rows[path[-1]][word[len(path) - 1]].items()), Fraction(0)
        )

    return value((start,))


def policies(mdp: Mdp[fmpq]) -> Iterator[list[dict[int, Fraction]]]:
    """The chains of all memoryless policies."""
    rows = fractions_of(mdp)
    for choice in product(range(len(mdp.actions)), repeat=len(rows)):
        yield [rows[s][a] for s, a in enumerate(choice)]


def until_in_chain(rows: Sequence[dict[int, Fraction]], left: set[int], right: set[int]) -> list[Fraction]:
    """Pr(left U right) from every state."""
    inside = [row if s in left else {} for s, row in enumerate(rows)]
    return reach(inside, dict.fromkeys(right, Fraction(1)))


def often_in_chain(rows: Sequence[dict[int, Fraction]], goal: set[int]) -> list[Fraction]:
    """Pr(G F goal) from every state: the goal is in the part of the chain where it ends."""
    states = set(range(len(rows)))
    reached = [_closure(rows, s) for s in states]
    final = {s for s in states if all(s in reached[t] for t in reached[s]) and goal & reached[s]}
    return until_in_chain(rows, states, final)


def _closure(rows: Sequence[dict[int, Fraction]], start: int) -> set[int]:
    found = {start}
    while more := {t for s in found for t in rows[s]} - found:
        found |= more
    return found
