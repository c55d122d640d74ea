"""Random chains and formulas with a parameter x, and their truth at one rational x, by the slow oracle.

x is eps itself, or z = exp(eps): then a rational z is a transcendental eps, and everything is rational again.
Formulas are tuples, numbers are texts evaluated by Python with fractions: what is put to the oracle has no x.

State formulas: ("prop", name), ("not", f), ("and", f, g), ("P", comparison, number, path),
("D", epsilon, factor, delta, path) with factor = e^epsilon.  Path formulas: ("X", count, f),
("U", f, g, bound or None), ("G", f), ("neg", path), for state formulas f and g.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from chain_certificates import model_of
from dpctl import oracle

from dipc.dpctl.formula import Formula, Probability
from dipc.dpctl.syntax import parse_property
from dipc.errors import Source
from dipc.models.chain import MarkovChain

COMPARISONS = (">=", ">", "<=", "<", "=")
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
        return "\n".join(["chain", self.family.let if let is None else let, *rows, *labels, *pairs])


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
            return ("P", rng.choice(COMPARISONS), bound, path(rng, family, depth))
    return ("D", *rng.choice(family.exponents), rng.choice(family.deltas), path(rng, family, depth))


def shown(f: Tree, x: Fraction | None = None) -> str:
    """The text of a formula, with its numbers in x, or with those at one x."""

    def text(number_: str) -> str:
        return number_ if x is None else str(number(number_, x))

    def inner(g: Tree) -> str:
        return shown(g, x)

    match f:
        case ("prop", name):
            return name
        case ("not" | "neg", g):
            return f"!({inner(g)})"
        case ("and", g, h):
            return f"({inner(g)}) & ({inner(h)})"
        case ("P", comparison, bound, g):
            return f"P{comparison}{text(bound)} ({inner(g)})"
        case ("D", epsilon, factor, delta, g):
            return f"D[{epsilon if x is None else f'ln({text(factor)})'}, {text(delta)}]({inner(g)})"
        case ("X", count, g):
            return f"X^{count} ({inner(g)})"
        case ("G", g):
            return f"G ({inner(g)})"
        case ("U", g, h, bound):
            return f"({inner(g)}) U{'' if bound is None else f'<={bound}'} ({inner(h)})"
    raise AssertionError(f)


def numeric(chain: Example, f: Tree, x: Fraction) -> tuple[MarkovChain, Formula]:
    """A chain and a state formula at one x."""
    rows = tuple({t: str(q) for t, p in row.items() if (q := number(p, x))} for row in chain.rows)
    model = model_of(replace(chain, rows=rows).text(""))
    return model, parse_property(Source("f", shown(f, x)), model).formula


def holding(chain: Example, f: Tree, x: Fraction) -> frozenset[int]:
    """The states in which a state formula holds."""
    return oracle.holding(*numeric(chain, f, x))


def values(chain: Example, path: Tree, x: Fraction) -> list[Fraction]:
    """The probability of a path formula in every state."""
    model, f = numeric(chain, ("P", ">=", "0", path), x)
    assert isinstance(f, Probability)
    return oracle.path_values(oracle.rows_of(model), f.path, lambda g: oracle.holding(model, g))
