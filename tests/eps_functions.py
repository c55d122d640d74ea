"""Random functions of eps, and their values in balls of flint."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from flint import arb, ctx

from dipc.kernel.facts import Function, Interval

ZERO = Fraction(0)


def number(x: Fraction) -> arb:
    return arb(x.numerator) / x.denominator


def value(f: Function, x: Fraction) -> arb:
    """f(x) in a ball."""
    with ctx.workprec(300):
        parts = (number(c) * number(x) ** n * (number(a) * number(x)).exp() for (n, a, _, _), c in f.items())
        return sum(parts, arb(0))


def random_functions(seed: int, count: int) -> list[tuple[Function, Fraction]]:
    """Functions with a point; half of them are made 0 or nearly so at 0."""
    random = Random(seed)
    found: list[tuple[Function, Fraction]] = []
    while len(found) < count:
        keys = {(random.choice((0, 0, 0, 1, 2)), Fraction(random.randint(-4, 4), 2)) for _ in range(4)}
        f = {(n, a, ZERO, ZERO): Fraction(random.choice((-3, -2, -1, 1, 2, 5)), 2) for n, a in keys}
        if random.random() < 0.5:
            constant = (0, Fraction(random.randint(-3, 3)), ZERO, ZERO)
            f[constant] = f.get(constant, ZERO) - sum(c for (n, *_), c in f.items() if n == 0)
            f[constant] += random.choice((0, 0, 1))
        if f := {key: c for key, c in f.items() if c}:
            found.append((f, Fraction(random.randint(1, 30), random.randint(5, 20))))
    return found


def grid(on: Interval) -> list[Fraction]:
    """Many eps > 0 of an interval."""
    high = Fraction(40) if on.high is None else on.high
    steps = {on.low + (high - on.low) * i / 60 for i in range(61)} | {
        on.low + (high - on.low) / 2**i for i in range(20)
    }
    return sorted(x for x in steps if on.has(x))
