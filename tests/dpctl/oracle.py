"""dpCTL* on Markov chains without eps, slowly and obviously: a judge that shares no code with the fast way.

Numbers are ``fractions.Fraction``; a chain is a list of dictionaries {successor: probability}.

* Linear equations by Gauss, with a division by 1 - p(s, s).
* The probability of a path formula by *progression*: what remains to be satisfied after a state is a formula
  again, of which there are finitely many.  In a bottom component of the pairs (state, remaining formula) all
  probabilities are 0 or all are 1 (Levy), so one random path that goes round the component a few hundred
  times tells which: whether a formula holds on a lasso is computed exactly.
* Inequalities with exp by Taylor's series in rationals.
"""

from __future__ import annotations

import random
from fractions import Fraction

from rationals import fraction

from dipc.dpctl.formula import (
    And,
    Formula,
    Next,
    Not,
    Or,
    Privacy,
    Probability,
    Proposition,
    Truth,
    Until,
)
from dipc.models.chain import MarkovChain

Rows = list[dict[int, Fraction]]
CYCLE = 400  # steps of a path round a component


def rows_of(chain: MarkovChain) -> Rows:
    return [{t: Fraction(int(p.p), int(p.q)) for t, p in row} for row in chain.rows]


# --- linear equations ----------------------------------------------------------------------------------


def solved(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """The solution of a regular system."""
    n = len(matrix)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i in range(n):
        pivot = next(r for r in range(i, n) if rows[r][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(n):
            if r != i and rows[r][i]:
                rows[r] = [x - rows[r][i] * y for x, y in zip(rows[r], rows[i], strict=True)]
    return [row[n] for row in rows]


def reaches(rows: Rows, targets: set[int]) -> set[int]:
    found = set(targets)
    while True:
        more = {s for s, row in enumerate(rows) if found & row.keys()} - found
        if not more:
            return found
        found |= more


def reach(rows: Rows, values: dict[int, Fraction]) -> list[Fraction]:
    """The expected value of the first state among those with a value; 0 if none is met."""
    stopped = [{} if s in values else row for s, row in enumerate(rows)]
    live = sorted(reaches(stopped, set(values)) - values.keys())
    matrix = [[Fraction(s == t) - rows[s].get(t, Fraction(0)) for t in live] for s in live]
    right = [sum((p * values[t] for t, p in rows[s].items() if t in values), Fraction(0)) for s in live]
    known = dict(zip(live, solved(matrix, right), strict=True)) | values
    return [known.get(s, Fraction(0)) for s in range(len(rows))]


# --- path formulas by progression ----------------------------------------------------------------------

# A formula in negation normal form: ("set", states), ("and"|"or", f, g), ("X", f), ("U"|"R", f, g).
Nnf = tuple
Clauses = frozenset[frozenset[Nnf]]  # a disjunction of conjunctions of formulas that are no "and" and no "or"
NO: Clauses = frozenset()
YES: Clauses = frozenset([frozenset()])


def normal(path: Formula, sets, everything: frozenset[int], holds: bool = True) -> Nnf:
    """A path formula, or its negation, in negation normal form."""

    def inner(f: Formula, same: bool = True) -> Nnf:
        return normal(f, sets, everything, holds == same)

    match path:
        case Not(f):
            return inner(f, False)
        case And(parts) | Or(parts):
            kind = "and" if isinstance(path, And) == holds else "or"
            result: Nnf = ("set", everything if kind == "and" else frozenset())
            for part in parts:
                result = (kind, result, inner(part))
            return result
        case Next(f, count):
            result = inner(f)
            for _ in range(count):
                result = ("X", result)
            return result
        case Until(f, g, None):
            return ("U" if holds else "R", inner(f), inner(g))
        case Until(f, g, bound):
            result = inner(g)
            for _ in range(bound):
                step = ("and" if holds else "or", inner(f), ("X", result))
                result = ("or" if holds else "and", inner(g), step)
            return result
        case _:
            states = sets(path)
            return ("set", states if holds else everything - states)


def either(a: Clauses, b: Clauses) -> Clauses:
    every = a | b
    return frozenset(c for c in every if not any(d < c for d in every))


def both(a: Clauses, b: Clauses) -> Clauses:
    return either(frozenset(c | d for c in a for d in b), NO)


def clauses(f: Nnf) -> Clauses:
    match f[0]:
        case "and":
            return both(clauses(f[1]), clauses(f[2]))
        case "or":
            return either(clauses(f[1]), clauses(f[2]))
        case _:
            return frozenset([frozenset([f])])


def after(f: Nnf, state: int) -> Clauses:
    """What remains to be satisfied by the rest of a path that begins with this state."""
    match f[0]:
        case "set":
            return YES if state in f[1] else NO
        case "and":
            return both(after(f[1], state), after(f[2], state))
        case "or":
            return either(after(f[1], state), after(f[2], state))
        case "X":
            return clauses(f[1])
        case "U":
            return either(after(f[2], state), both(after(f[1], state), clauses(f)))
        case _:
            return both(after(f[2], state), either(after(f[1], state), clauses(f)))


def rest(remaining: Clauses, state: int) -> Clauses:
    result = NO
    for clause in remaining:
        every = YES
        for f in clause:
            every = both(every, after(f, state))
        result = either(result, every)
    return result


def product(rows: Rows, f: Nnf) -> tuple[list[tuple[int, Clauses]], Rows]:
    nodes = [(s, clauses(f)) for s in range(len(rows))]
    number = {node: i for i, node in enumerate(nodes)}
    edges: Rows = []
    for state, remaining in nodes:  # which grows
        left = rest(remaining, state)
        row = {}
        for t, p in rows[state].items():
            if (t, left) not in number:
                number[t, left] = len(nodes)
                nodes.append((t, left))
            row[number[t, left]] = p
        edges.append(row)
    return nodes, edges


def path_values(rows: Rows, path: Formula, sets) -> list[Fraction]:
    """The probability of a path formula from every state."""
    f = normal(path, sets, frozenset(range(len(rows))))
    nodes, edges = product(rows, f)
    values: dict[int, Fraction] = {}
    for members in bottoms(edges):
        value = Fraction(generic(nodes, edges, min(members)))
        values |= dict.fromkeys(members, value)
    return reach(edges, values)[: len(rows)]


def bottoms(edges: Rows) -> list[set[int]]:
    """The strongly connected components that are never left."""
    forward = []
    for s in range(len(edges)):
        seen, stack = {s}, [s]
        while stack:
            new = edges[stack.pop()].keys() - seen
            seen |= new
            stack += new
        forward.append(seen)
    found = {frozenset(seen) for s, seen in enumerate(forward) if all(s in forward[t] for t in seen)}
    return [set(component) for component in found]


def generic(nodes: list[tuple[int, Clauses]], edges: Rows, start: int) -> bool:
    """Whether the remaining formula holds on a long random path back to the start, repeated for ever."""
    rng, here, cycle = random.Random(1), start, [start]
    while True:
        here = rng.choice(sorted(edges[here]))
        if here == start and len(cycle) > CYCLE:
            break
        cycle.append(here)
    states = [nodes[i][0] for i in cycle]
    return any(all(on_cycle(f, states)[0] for f in clause) for clause in nodes[start][1])


def on_cycle(f: Nnf, states: list[int]) -> list[bool]:
    """At which places of a path that is repeated for ever a formula holds."""
    n = len(states)
    match f[0]:
        case "set":
            return [s in f[1] for s in states]
        case "X":
            inner = on_cycle(f[1], states)
            return [inner[(i + 1) % n] for i in range(n)]
    a, b = on_cycle(f[1], states), on_cycle(f[2], states)
    match f[0]:
        case "and":
            return [x and y for x, y in zip(a, b, strict=True)]
        case "or":
            return [x or y for x, y in zip(a, b, strict=True)]
        case "U":
            result = list(b)
            for i in reversed(range(2 * n)):
                result[i % n] = b[i % n] or (a[i % n] and result[(i + 1) % n])
        case _:
            result = list(b)
            for i in reversed(range(2 * n)):
                result[i % n] = b[i % n] and (a[i % n] or result[(i + 1) % n])
    return result


# --- state formulas --------------------------------------------------------------------------------------


def holding(chain: MarkovChain, formula: Formula) -> frozenset[int]:
    """The states in which a state formula holds."""
    everything = frozenset(range(len(chain.rows)))
    match formula:
        case Truth(value):
            return everything if value else frozenset()
        case Proposition(name):
            named = frozenset(i for i, other in enumerate(chain.names) if other == name)
            return chain.labels.get(name, named)
        case Not(f):
            return everything - holding(chain, f)
        case And(parts):
            found = [holding(chain, f) for f in parts]
            return frozenset(s for s in everything if all(s in states for states in found))
        case Or(parts):
            found = [holding(chain, f) for f in parts]
            return frozenset(s for s in everything if any(s in states for states in found))
        case Probability(interval, path):
            low, high = fraction(interval.low), fraction(interval.high)
            return frozenset(
                s
                for s, p in enumerate(path_values(rows_of(chain), path, lambda f: holding(chain, f)))
                if (low <= p if interval.low_closed else low < p)
                and (p <= high if interval.high_closed else p < high)
            )
        case Privacy(_, _, path):
            values = path_values(rows_of(chain), path, lambda f: holding(chain, f))
            pairs = {pair for s, t in chain.neighbours for pair in ((s, t), (t, s))}
            bad = {
                s
                for s, t in pairs
                if not (ok(values[s], values[t], formula) and ok(values[t], values[s], formula))
            }
            return everything - bad
    raise AssertionError(formula)


def ok(p: Fraction, q: Fraction, formula: Privacy) -> bool:
    """Whether p <= e^epsilon q + delta; delta is rational."""
    gap = p - fraction(formula.delta)
    if gap <= 0 or q == 0:
        return gap <= 0
    # Is (gap/q)^root <= base * exp(k)?  The right-hand side is irrational unless k = 0.
    root, base = 1, Fraction(1)
    for _, power in formula.epsilon.logarithms:
        root *= int(power.q)
    for number, power in formula.epsilon.logarithms:
        base *= Fraction(int(number.p), int(number.q)) ** int(power.p * root / power.q)
    left = (gap / q) ** root / base
    k = Fraction(int(formula.epsilon.constant.p), int(formula.epsilon.constant.q)) * root
    if not k:
        return left <= 1
    low, high = exponential(k)
    assert not low < left < high
    return left <= low


def exponential(k: Fraction) -> tuple[Fraction, Fraction]:
    """Two numbers closer than 10^-40 with exp(k) between them, for 0 < k < 50."""
    assert 0 < k < 50
    total, term = Fraction(0), Fraction(1)
    for i in range(1, 400):
        total += term
        term *= k / i
    return total, total + 2 * term
