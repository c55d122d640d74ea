"""Small random chains and formulas, biased to corners: loops, sure steps, equal rows, parts never left."""

from __future__ import annotations

from random import Random

from flint import fmpq

from dipc.dpctl.formula import (
    And,
    Exponent,
    Formula,
    Interval,
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
from dipc.numbers.quotient import Quotient

LABELS = ("a", "b", "c")


def random_chain(rng: Random, largest: int = 6) -> MarkovChain[fmpq]:
    """States s0, s1, ... with labels a, b, c and random neighbours."""
    n = rng.randint(min(rng.choice([1, 3, 5]), largest), largest)
    rows = []
    for s in range(n):
        if rows and rng.random() < 0.2:
            rows.append(rng.choice(rows))
            continue
        targets = rng.sample(range(n), min(n, rng.choice([1, 2, 2, 3])))
        if rng.random() < 0.1:
            targets = [s]
        weights = [rng.randint(1, 3) for _ in targets]
        rows.append(tuple((t, fmpq(w, sum(weights))) for t, w in zip(targets, weights, strict=True)))
    labels = {name: frozenset(s for s in range(n) if rng.random() < 0.4) for name in LABELS}
    pairs = tuple((s, t) for t in range(n) for s in range(t) if rng.random() < 0.5)
    names = tuple(f"s{s}" for s in range(n))
    return MarkovChain(names, labels, pairs, tuple(range(n)), tuple(rows))


def random_path(rng: Random, operators: int, nested: int = 0) -> Formula:
    """A path formula with so many temporal operators."""
    if operators == 0:
        return random_state(rng, nested)
    kind = rng.choice(["X", "X", "U", "U", "U<=", "F", "G", "not", "and", "or"])
    here = rng.randint(0, operators - 1)
    match kind:
        case "X":
            return Next(random_path(rng, operators - 1, nested), rng.choice([1, 1, 1, 2, 3]))
        case "U":
            return Until(random_path(rng, here, nested), random_path(rng, operators - 1 - here, nested))
        case "U<=":
            right = random_path(rng, operators - 1 - here, nested)
            return Until(random_path(rng, here, nested), right, rng.randint(0, 3))
        case "F":
            return Until(Truth(True), random_path(rng, operators - 1, nested))
        case "G":
            return Not(Until(Truth(True), Not(random_path(rng, operators - 1, nested))))
        case "not":
            return Not(random_path(rng, operators, nested))
        case _:
            parts = random_path(rng, here, nested), random_path(rng, operators - here, nested)
            return And(parts) if kind == "and" else Or(parts)


def random_state(rng: Random, nested: int = 0) -> Formula:
    """A state formula; ``nested`` is the depth of P and D in it."""
    kind = rng.random() if nested else rng.uniform(0.5, 1)
    if kind < 0.5:
        path = random_path(rng, rng.randint(1, 2), nested - 1)
        return random_probability(rng, path) if kind < 0.25 else random_privacy(rng, path)
    if kind < 0.6:
        return Not(random_state(rng, nested))
    if kind < 0.63:
        return Truth(rng.random() < 0.5)
    if kind < 0.7:
        parts = random_state(rng, nested), random_state(rng, nested)
        return And(parts) if kind < 0.66 else Or(parts)
    return Proposition(rng.choice([*LABELS, "s0"]))


def random_probability(rng: Random, path: Formula) -> Probability:
    ends = sorted(fmpq(rng.randint(0, k), k) for k in (rng.choice([1, 2, 3, 4, 6]) for _ in range(2)))
    low, high = (Quotient.of(end) for end in rng.choice([ends, [fmpq(0), ends[1]], [ends[0], fmpq(1)]]))
    return Probability(Interval(low, high, rng.random() < 0.6, rng.random() < 0.6), path)


def random_privacy(rng: Random, path: Formula) -> Privacy:
    return Privacy(
        random_exponent(rng),
        Quotient.of(rng.choice([fmpq(0), fmpq(0), fmpq(1, 4), fmpq(1, 2), fmpq(1)])),
        path,
    )


def random_exponent(rng: Random) -> Exponent:
    """Nonnegative: ln 1 = 0, ln 2, ln(5/3), ln 4 - ln 2, 1/2, 1/2 + ln 2, ..."""
    logarithms = rng.choice(
        [
            (),
            (),
            ((2, 1),),
            ((3, 1),),
            ((fmpq(5, 3), 1),),
            ((4, 1), (2, -1)),
            ((2, -2), (5, 1)),
        ]
    )
    powers = tuple((fmpq(base), fmpq(power)) for base, power in logarithms)
    return Exponent(fmpq(0), fmpq(rng.choice([0, 0, 0, 1]), 2), powers)
