"""Random chains and formulas with a parameter x, and their truth at one rational x: slow and obvious.

x is eps itself, or z = exp(eps): then a rational z is a transcendental eps, and everything is rational again.
Shares no code with dipc: formulas are tuples, numbers are texts evaluated by Python with fractions.

State formulas: ("prop", name), ("not", f), ("and", f, g), ("P", comparison, number, path),
("D", epsilon, factor, delta, path) with factor = e^epsilon.  Path formulas: ("X", count, f),
("U", f, g, bound or None), ("G", f), ("neg", path), for state formulas f and g.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from operator import eq, ge, gt, le, lt

from dpctl.oracle import reach

COMPARISONS = {">=": ge, ">": gt, "<=": le, "<": lt, "=": eq}
Tree = tuple


@dataclass(frozen=True)
class Family:
    """Numbers in x on a range of eps; probabilities are in [0, 1] there, and deltas nonnegative."""

    let: str
    eps_range: str
    probabilities: tuple[str, ...]
    bounds: tuple[str, ...]
    exponents: tuple[tuple[str, str], ...]
    deltas: tuple[str, ...]
    points: tuple[Fraction, ...]  # x on the range


EPS = Family(
    "let x = eps",
    "(0, 2]",
    ("1/2", "1/3", "1", "(x - 1)^2/4", "1/2 - x/8", "x/2", "x*(2 - x)", "1/(1 + x)", "x^2/4"),
    ("0", "1", "1/2", "1/3", "x/2", "1/(1 + x)", "x^2/4", "2/3"),
    (("0", "1"), ("ln 2", "2"), ("ln 3", "3"), ("ln(3/2)", "3/2")),
    ("0", "1/10", "x/8", "1/2 - x/4", "(x - 1)^2/4"),
    tuple(Fraction(i, 8) for i in range(1, 17)),
)
EXP = Family(
    "let x = exp(eps)",
    "(0, 1]",
    ("1/2", "1", "(x - 2)^2/4", "x/(1 + x)", "(x - 1)/2", "1/x", "(3 - x)/2", "x/3", "(x - 1)*(4 - x)/3"),
    ("0", "1", "1/2", "1/3", "1/4", "x/(1 + x)", "(x - 1)/2", "2/3"),
    (("0", "1"), ("eps", "x"), ("2*eps", "x*x"), ("ln 2", "2"), ("eps + ln(3/2)", "x*3/2")),
    ("0", "1/10", "(x - 1)/8", "1/x - 1/4", "(x - 2)^2/4"),
    (*(Fraction(i, 16) for i in range(17, 44)), Fraction(4, 3), Fraction(5, 3), Fraction(7, 3)),
)


@lru_cache
def number(text: str, x: Fraction) -> Fraction:
    exact = re.sub(r"\d+", r"Fraction(\g<0>)", text).replace("^", "**")
    return Fraction(eval(exact, {"Fraction": Fraction, "x": x}))


@dataclass(frozen=True)
class Example:
    family: Family
    rows: tuple[dict[int, str], ...]
    labels: dict[str, frozenset[int]]
    neighbours: tuple[tuple[int, int], ...]

    def text(self, let: str | None = None) -> str:
        rows = [
            f"s{s} -> {{{', '.join(f's{t}: {p}' for t, p in row.items())}}}"
            for s, row in enumerate(self.rows)
        ]
        labels = [
            f"label {a} = {{{', '.join(f's{s}' for s in sorted(of))}}}" for a, of in self.labels.items()
        ]
        pairs = [f"neighbours {', '.join(f's{s} ~ s{t}' for s, t in self.neighbours)}"]
        return "\n".join(["chain", let or self.family.let, *rows, *labels, *pairs])


def example(rng: random.Random, family: Family) -> Example:
    n, rows = rng.randint(3, 4), []
    for _ in range(n):
        p = rng.choice(family.probabilities)
        a, b, c = rng.sample(range(n), k=3)
        two, three = {a: p, b: f"1 - ({p})"}, {a: f"({p})/2", b: f"({p})/2", c: f"1 - ({p})"}
        rows.append(rng.choice([two, two, three]))
    labels = {a: frozenset(s for s in range(n) if rng.random() < 0.5) for a in ("a", "b")}
    pairs = [(s, t) for s in range(n) for t in range(s + 1, n)]
    return Example(family, tuple(rows), labels, tuple(rng.sample(pairs, rng.randint(1, len(pairs)))))


def path(rng: random.Random, family: Family, depth: int) -> Tree:
    f, g = (formula(rng, family, depth - 1) for _ in range(2))
    kind = rng.choice(["X", "U", "U", "F", "G", "U<=", "neg"])
    match kind:
        case "X":
            return ("X", rng.randint(1, 3), f)
        case "U":
            return ("U", f, g, None)
        case "F":
            return ("U", ("not", ("and", f, ("not", f))), g, None)
        case "G":
            return ("G", f)
        case "U<=":
            return ("U", f, g, rng.randint(0, 3))
    return ("neg", path(rng, family, depth))


KINDS = ("prop", "not", "and", "P", "P", "P", "D", "D", "D")


def formula(rng: random.Random, family: Family, depth: int, kinds: tuple[str, ...] = KINDS) -> Tree:
    if depth <= 0:
        return ("prop", rng.choice("ab"))
    match rng.choice(kinds):
        case "prop":
            return ("prop", rng.choice("ab"))
        case "not":
            return ("not", formula(rng, family, depth))
        case "and":
            return ("and", formula(rng, family, depth), formula(rng, family, depth - 1))
        case "P":
            bound = rng.choice(family.bounds)
            return ("P", rng.choice(list(COMPARISONS)), bound, path(rng, family, depth))
    return ("D", *rng.choice(family.exponents), rng.choice(family.deltas), path(rng, family, depth))


def shown(f: Tree) -> str:
    match f:
        case ("prop", name):
            return name
        case ("not" | "neg", g):
            return f"!({shown(g)})"
        case ("and", g, h):
            return f"({shown(g)}) & ({shown(h)})"
        case ("P", comparison, bound, g):
            return f"P{comparison}{bound} ({shown(g)})"
        case ("D", epsilon, _, delta, g):
            return f"D[{epsilon}, {delta}]({shown(g)})"
        case ("X", count, g):
            return f"X^{count} ({shown(g)})"
        case ("G", g):
            return f"G ({shown(g)})"
        case ("U", g, h, bound):
            return f"({shown(g)}) U{'' if bound is None else f'<={bound}'} ({shown(h)})"
    raise AssertionError(f)


def holding(chain: Example, f: Tree, x: Fraction) -> frozenset[int]:
    """The states in which a state formula holds."""
    every = frozenset(range(len(chain.rows)))
    match f:
        case ("prop", name):
            return chain.labels[name]
        case ("not", g):
            return every - holding(chain, g, x)
        case ("and", g, h):
            return holding(chain, g, x) & holding(chain, h, x)
        case ("P", comparison, bound, g):
            limit = number(bound, x)
            return frozenset(
                s for s, p in enumerate(values(chain, g, x)) if COMPARISONS[comparison](p, limit)
            )
        case ("D", _, factor, delta, g):
            p, e, d = values(chain, g, x), number(factor, x), number(delta, x)
            bad = {
                s
                for pair in chain.neighbours
                for s in pair
                for u, v in (pair, pair[::-1])
                if p[u] > e * p[v] + d
            }
            return every - bad
    raise AssertionError(f)


def values(chain: Example, f: Tree, x: Fraction) -> list[Fraction]:
    """The probability of a path formula in every state."""
    rows = [{t: q for t, p in row.items() if (q := number(p, x))} for row in chain.rows]
    n = len(rows)

    def step(v: list[Fraction]) -> list[Fraction]:
        return [sum((p * v[t] for t, p in row.items()), Fraction(0)) for row in rows]

    match f:
        case ("neg", g):
            return [1 - p for p in values(chain, g, x)]
        case ("G", g):
            every = ("not", ("and", g, ("not", g)))
            return [1 - p for p in values(chain, ("U", every, ("not", g), None), x)]
        case ("X", count, g):
            good = holding(chain, g, x)
            v = [Fraction(s in good) for s in range(n)]
            for _ in range(count):
                v = step(v)
            return v
        case ("U", g, h, bound):
            left, right = holding(chain, g, x), holding(chain, h, x)
            if bound is None:
                inside = [row if s in left else {} for s, row in enumerate(rows)]
                return reach(inside, dict.fromkeys(right, Fraction(1)))
            v = [Fraction(s in right) for s in range(n)]
            for _ in range(bound):
                v = [
                    Fraction(1) if s in right else p if s in left else Fraction(0)
                    for s, p in enumerate(step(v))
                ]
            return v
    raise AssertionError(f)
