"""Proved and refuted inequalities, put to a judge that knows nothing of dipc's arithmetic.

Probabilities come from the oracle (`tests/oracles.py`, nested integrals in fractions), or the inequality is a
text that the judge reads by itself; dipc contributes its answer only.  The judge is mpmath with 60 digits, on
budgets from 1e-6 to 1e4 and at the budget where dipc says that it fails.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

import mpmath
import oracles
from export_tools import asked, load

import dipc
from dipc.dipwhile.mechanisms import Mechanism
from dipc.dipwhile.rederive.functions import constant, exponential, product
from dipc.dipwhile.syntax.parser import parse
from dipc.kernel.facts import Function
from dipc.models.values import Valuation
from dipc.signs.inequality import Fails, Holds

DIGITS = 60
ROUNDING = mpmath.mpf(10) ** -50  # of the largest term: far above what 60 digits lose
GRID = [Fraction(round(1000 * 10 ** (i / 8)), 10**9) for i in range(81)]  # 1e-6 ... 1e4
SAMPLE = 10  # proved inequalities of a claim, and as many refuted ones

Terms = Function  # {(n, a, k, b): c}: sums of c eps^n exp(a eps + k + b/eps)


@dataclass(frozen=True)
class Judged:
    """An inequality ``f >= 0`` for eps in [low, high] (None: all), and dipc's answer with its budget."""

    text: str
    f: Terms
    low: Fraction
    high: Fraction | None
    holds: bool
    fails_at: Fraction | None

    def budgets(self) -> Iterator[Fraction]:
        yield from (e for e in GRID if self.low <= e and (self.high is None or e <= self.high))


def number(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator


def sign(f: Terms, eps: Fraction) -> int:
    """The sign, or 0 if rounding could change it."""
    with mpmath.workdps(DIGITS):
        parts = [
            number(c * eps**n) * mpmath.exp(number(a * eps + k + b / eps)) for (n, a, k, b), c in f.items()
        ]
        total, size = mpmath.fsum(parts), mpmath.fsum(parts, absolute=True)
        return 0 if abs(total) <= size * ROUNDING else 1 if total > 0 else -1


def examine(judged: Judged) -> None:
    """No budget of the grid breaks what is proved; what is refuted fails where dipc says so."""
    if judged.holds:
        broken = [eps for eps in judged.budgets() if sign(judged.f, eps) < 0]
        assert not broken, f"{judged.text}: proved, but fails at {broken[0]}"
    else:
        assert judged.fails_at is not None
        assert sign(judged.f, judged.fails_at) < 0, f"{judged.text}: holds at {judged.fails_at}"


# --- inequalities of programs ----------------------------------------------------------------


def valuation(values: Valuation) -> dict[str, oracles.InputValue]:
    return {name: oracles.from_dipc(value) for name, value in values}


def total(law: oracles.Distribution, outputs: tuple[Valuation, ...]) -> oracles.Quotient:
    none = ({}, constant(1))
    return oracles.total_of(law.get(oracles.outcome_from_dipc(o), none) for o in outputs)


def positive(f: Terms) -> bool:
    return all(c >= 0 for c in f.values())


def of_claim(mechanism: Mechanism, claim: str | None, overrides: dict[str, int]) -> Iterator[Judged]:
    """The different inequalities of a claim with delta = 0 or a number, with the oracle's probabilities."""
    question = asked(mechanism, claim)
    tree = parse(mechanism.program.source)
    goal = question.goal
    delta = oracles.exppoly_from_dipc(goal.delta.numerator)
    laws: dict[Valuation, oracles.Distribution] = {}
    rng = random.Random(1)
    groups = [[r for r in question.requirements if isinstance(r.answer, kind)] for kind in (Holds, Fails)]
    for r in chain.from_iterable(rng.sample(group, min(SAMPLE, len(group))) for group in groups):
        for u in (r.input, r.neighbour):
            if u not in laws:
                laws[u] = oracles.oracle_distribution(tree, valuation(u), overrides)
        (p, over), (q, under) = total(laws[r.input], r.outputs), total(laws[r.neighbour], r.outputs)
        assert positive(over) and positive(under)
        # exp(t eps) q/under + delta - p/over, times both denominators
        factor = exponential(oracles.fraction(goal.t))
        f = oracles.add(
            oracles.add(product([factor, q, over]), product([delta, under, over])),
            product([constant(Fraction(-1)), p, under]),
        )
        fails_at = oracles.fraction(r.answer.sample) if isinstance(r.answer, Fails) else None
        low, high = goal.budgets.low, goal.budgets.high
        yield Judged(
            f"{mechanism.program.source.name}, {goal}: {r.input} {r.neighbour} {r.outputs}",
            {key: c for key, c in f.items() if c},
            oracles.fraction(low),
            None if high is None else oracles.fraction(high),
            fails_at is None,
            fails_at,
        )


CLAIMS: list[tuple[str, dict[str, int], str]] = [
    ("svt/svt1.dip", {"N": 2}, "eps/2"),
    ("svt/svt1.dip", {"N": 2}, "49/100*eps"),
    ("svt/svt4.dip", {"N": 2}, "eps"),
    ("svt/svt5.dip", {"N": 2}, "eps"),
    ("svt/svt6.dip", {"N": 2}, "eps"),
    ("svt/svt6.dip", {"N": 2}, "9/10*eps"),
    ("svt/sparse.dip", {"N": 2}, "eps/2, 1/10"),
    ("svt/sparse.dip", {"N": 2}, "eps/2, 1/20"),
    ("noisy_max/nmax1.dip", {"N": 2}, "eps"),
    ("noisy_max/nmax1.dip", {"N": 2}, "9/10*eps"),
    ("noisy_max/nmax3.dip", {"N": 2}, "3/4*eps"),
    ("histogram/hist1.dip", {"N": 1}, "eps"),
    ("histogram/hist1.dip", {"N": 1}, "99/100*eps"),
    ("randomized_response/rand1.dip", {"N": 2}, "eps"),
    ("randomized_response/kary.dip", {}, "eps"),
    ("randomized_response/kary_wrong.dip", {}, "eps"),
    ("exponential/exponential.dip", {}, "eps"),
    ("exponential/exponential.dip", {}, "eps/3"),
]


def test_shipped_programs_under_mpmath() -> None:
    found = [
        judged
        for name, parameters, claim in CLAIMS
        for judged in of_claim(load(name, **parameters), claim, parameters)
    ]
    for judged in found:
        examine(judged)
    answers = Counter(judged.holds for judged in found)
    assert answers[True] > 100, answers
    assert answers[False] > 20, answers


# --- inequalities as texts -------------------------------------------------------------------

INTERVAL = (Fraction(1, 2), Fraction(2))


def random_texts(count: int) -> Iterator[tuple[str, Terms]]:
    """Left sides of ``... >= 0``: sums of terms, and squares that touch 0, nearly touch it, or cross it."""
    rng = random.Random(20)

    def rational(most: int) -> Fraction:
        return Fraction(rng.randint(1, most), rng.randint(1, 4))

    for i in range(count):
        if i % 2:
            shift = rng.choice([Fraction(1, 1000), Fraction(-1, 1000), Fraction(0)])
            rate, c = rational(3), rational(12)
            root = oracles.add(exponential(rate), constant(-c))
            f = oracles.add(oracles.multiply(root, root), constant(shift))
            yield f"(exp({rate}*eps) - {c})^2 + ({shift})", f
        else:
            text, f = "0", Terms()
            for sign in (1, -1, rng.choice([1, -1])):
                c, n, rate = sign * rational(9), rng.randint(0, 2), rational(2) * rng.choice([1, -1])
                text += f" + ({c})*eps^{n}*exp(({rate})*eps)"
                f = oracles.add(f, {(n, rate, Fraction(0), Fraction(0)): c})
            yield text, f


def of_texts(count: int) -> list[Judged]:
    low, high = INTERVAL
    found = []
    for text, f in random_texts(count):
        answer = dipc.decide(f"forall eps in [{low}, {high}]: {text} >= 0")
        assert answer.truth is not None
        fails_at = None if answer.witness is None else answer.witness.exact
        place = None if fails_at is None else oracles.fraction(fails_at)
        found.append(Judged(text, {key: c for key, c in f.items() if c}, low, high, answer.truth, place))
    return found


def test_random_texts_under_mpmath() -> None:
    found = of_texts(200)
    for judged in found:
        examine(judged)
        if not judged.holds:  # a dense look at what is proved, where functions come close to 0
            continue
        low, high = INTERVAL
        assert all(sign(judged.f, low + (high - low) * i / 80) >= 0 for i in range(81)), judged.text
    answers = Counter(judged.holds for judged in found)
    assert min(answers[True], answers[False]) > 50, answers
