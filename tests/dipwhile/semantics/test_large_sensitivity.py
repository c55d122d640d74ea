"""Discrete Laplace noise with small rates and means far apart, or with great rates.

The probabilities are compared with sums of the weights of all integers in a window, in floating point; the
forms with the number of their terms, which depends on the comparisons of a program and not on the distances
between its means.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

import mpmath
import pytest
from campaigns import spread
from flint import fmpq
from numeric import value

import dipc
from dipc.certificate.produce import certificate
from dipc.certificate.rederive import rederive
from dipc.certificate.slow.functions import NotCovered
from dipc.claims.privacy import Private, Violated
from dipc.kernel import privacy
from dipc.numbers import quotient
from dipc.numbers.quotient import Quotient

Law = dict[str, float]

WINDOW = 45  # times 1/rate on both sides of all means; exp(-45) is left out


@dataclass(frozen=True)
class Weights:
    """Probabilities of the integers from ``low`` on, and of those up to each of them."""

    low: int
    each: list[float]
    up_to: list[float]

    @staticmethod
    def of(rate: Fraction, mean: int, eps: Fraction, means: Iterable[int]) -> Weights:
        """All weights in the window, divided by their sum."""
        around = math.ceil(WINDOW / (rate * eps))
        low, high = min(means) - around, max(means) + around
        each = [math.exp(-float(rate * eps) * abs(k - mean)) for k in range(low, high + 1)]
        total = math.fsum(each)
        each = [w / total for w in each]
        return Weights(low, each, list(accumulate(each)))

    def below(self, k: int) -> float:
        """The probability of the integers less than k."""
        at = k - self.low - 1
        return 0.0 if at < 0 else self.up_to[min(at, len(self.up_to) - 1)]

    def where(self, holds: Callable[[int], bool]) -> float:
        """The probability of all integers with a property."""
        return math.fsum(w for k, w in enumerate(self.each, self.low) if holds(k))

    def mean_of(self, f: Callable[[int], float]) -> float:
        """The expectation of a function."""
        return math.fsum(w * f(k) for k, w in enumerate(self.each, self.low))


@dataclass(frozen=True)
class Family:
    """Programs of three samples r, s, t with an output o; ``{c}`` and ``{d}`` are two integers."""

    outputs: str
    body: str
    law: Callable[[list[Weights], int, int], Law]


def threshold(w: list[Weights], c: int, d: int) -> Law:
    yes = w[0].where(lambda k: k >= c)
    return {"true": yes, "false": 1 - yes}


def band(w: list[Weights], c: int, d: int) -> Law:
    def holds(n: int) -> float:
        return w[0].where(lambda k: (abs(k) > c) + (k > d) + (-7 < k <= c) == n)

    return {str(n): holds(n) for n in range(4)}


def both(w: list[Weights], c: int, d: int) -> Law:
    p, q = 1 - w[0].below(c), 1 - w[1].below(d)
    return {"0": (1 - p) * (1 - q), "1": p * (1 - q) + q * (1 - p), "2": p * q}


def order(w: list[Weights], c: int, d: int) -> Law:
    yes = w[1].mean_of(lambda k: 1 - w[0].below(k - c))
    return {"true": yes, "false": 1 - yes}


def largest(w: list[Weights], c: int, d: int) -> Law:
    return {
        "1": w[0].mean_of(lambda k: w[1].below(k + 1) * w[2].below(k + 1)),
        "2": w[1].mean_of(lambda k: w[0].below(k) * w[2].below(k + 1)),
        "3": w[2].mean_of(lambda k: w[0].below(k) * w[1].below(k)),
    }


def clamped(w: list[Weights], c: int, d: int) -> Law:
    inner = {str(k): w[0].where(k.__eq__) for k in (c + 1, c + 2)}
    return {str(c): w[0].below(c + 1), **inner, str(c + 3): 1 - w[0].below(c + 3)}


def released(w: list[Weights], c: int, d: int) -> Law:
    """The first sample above the threshold t."""
    both_below = w[2].mean_of(lambda k: w[0].below(k) * w[1].below(k))
    second = w[2].mean_of(lambda k: w[0].below(k) * (1 - w[1].below(k)))
    return {"0": both_below, "1": 1 - both_below - second, "2": second}


FAMILIES = {
    "threshold": Family("{{true, false}}", "o <- r >= {c}", threshold),
    "band": Family("0..3", "o <- count(abs(r) > {c}, r > {d}, -7 < r <= {c})", band),
    "both": Family("0..2", "o <- count(r >= {c}, s >= {d})", both),
    "order": Family("{{true, false}}", "o <- r + {c} >= s", order),
    "largest": Family("1..3", "x[1] <- r\nx[2] <- s\nx[3] <- t\no <- argmax(x)", largest),
    "clamped": Family("{c}..{c} + 3", "o <- min(max(r, {c}), {c} + 3)", clamped),
    "released": Family(
        "0..2", "o <- 0\nif r >= t then o <- 1 end\nif o = 0 and s >= t then o <- 2 end", released
    ),
}


@dataclass(frozen=True)
class Sample:
    """A program of a family."""

    family: Family
    far: int  # the other value of the input q
    rates: tuple[Fraction, Fraction, Fraction]
    c: int
    d: int
    t: Fraction = Fraction(1)

    @property
    def text(self) -> str:
        draws = zip("rst", self.rates, ("q", "q", "0"), strict=True)
        return "\n".join(
            [
                f"input q in {{0, {self.far}}}",
                "output o in " + self.family.outputs.format(c=self.c),
                "adjacent all",
                f"private {self.t}*eps",
                *(f"{name} <- DLap({rate}*eps, {mean})" for name, rate, mean in draws),
                self.family.body.format(c=self.c, d=self.d),
            ]
        )

    def law(self, q: int, eps: Fraction) -> Law:
        """The probabilities from the weights of single integers."""
        weights = [
            Weights.of(rate, mean, eps, (0, self.far))
            for rate, mean in zip(self.rates, (q, q, 0), strict=True)
        ]
        return self.family.law(weights, self.c, self.d)


def law_of(mechanism: Any, q: int) -> dict[str, Quotient]:
    return {str(dict(output)["o"]): p for output, p in mechanism.distribution(q=q).items()}


def value_of(p: Quotient, eps: fmpq) -> mpmath.mpf:
    """Denominators such as (1 - exp(-eps/10^6))^6 are small: their terms need many digits."""
    with mpmath.workdps(200):
        return value(p, eps)


def assert_equal(found: dict[str, Quotient], slow: Law, eps: Fraction) -> None:
    for outcome, p in slow.items():
        exact = value_of(found[outcome], fmpq(eps.numerator, eps.denominator)) if outcome in found else 0
        assert float(exact) == pytest.approx(p, rel=1e-7, abs=1e-11), outcome


def random_sample(family: str, seed: int, far: int) -> Sample:
    rng = random.Random(f"{family} {seed} {far}")
    rates = [
        Fraction(rng.choice([1, 1, 2, 3]), rng.choice([far, far, far + 1, max(far - 1, 1)])) for _ in "rst"
    ]
    c, d = rng.randrange(far + 1), rng.randrange(far + 1)
    return Sample(
        FAMILIES[family],
        far,
        (rates[0], rates[1], rates[2]),
        c,
        d,
        rng.choice([Fraction(1, 2), Fraction(2), Fraction(3)]),
    )


@pytest.mark.parametrize("family", spread(FAMILIES, 4))
def test_probabilities_far_apart(family: str) -> None:
    """Means 3000 apart, rates near eps/3000."""
    sample = random_sample(family, 0, 3000)
    mechanism = dipc.load(sample.text)
    for q in (0, 3000):
        assert_equal(law_of(mechanism, q), sample.law(q, Fraction(4)), Fraction(4))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", spread(range(4), 2))
def test_verdicts(family: str, seed: int) -> None:
    """Means a few steps apart: the verdict against the ratios of the sums."""
    sample = random_sample(family, seed, 4 + 2 * seed)
    verdict = dipc.load(sample.text).check()
    assert isinstance(verdict, Private | Violated)
    points = [Fraction(1, 2), Fraction(2), Fraction(5)]
    if isinstance(verdict, Violated):
        found = verdict.counterexample.epsilon
        points = [Fraction(int(found.p), int(found.q))]
        if not Fraction(1, 4) <= points[0] <= 8:
            return
    for eps in points:
        laws = [sample.law(q, eps) for q in (0, sample.far)]
        factor = math.exp(float(sample.t * eps))
        excess = max(u[o] - factor * v[o] for u in laws for v in laws for o in u)
        assert (excess > 0) if isinstance(verdict, Violated) else (excess < 1e-9)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", spread(range(3), 1))
def test_short_fractions_against_lowest_terms(
    family: str, seed: int, force: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same programs with fractions as they are kept where the degree is great."""
    sample = random_sample(family, seed, 4 + 3 * seed)
    results = []
    for short in (False, True):
        if short:
            monkeypatch.setattr(quotient, "LONG", 0)
            force(MODERATE=0, DENSE=0)
        mechanism = dipc.load(sample.text)
        verdict = mechanism.check()
        results.append((law_of(mechanism, 0), law_of(mechanism, sample.far), verdict.status))
    assert results[0] == results[1]


def terms(mechanism: Any, q: int) -> list[tuple[int, int]]:
    return [(len(p.numerator), len(p.denominator)) for p in law_of(mechanism, q).values()]


@pytest.mark.parametrize("family", FAMILIES)
def test_the_number_of_terms_does_not_depend_on_the_distance(family: str) -> None:
    """Means 10^4, 10^6 and 10^20 apart."""
    found = []
    for far in (10**4, 10**6, 10**20):
        rates = (Fraction(1, far), Fraction(1, far), Fraction(2, far))
        sample = Sample(FAMILIES[family], far, rates, far // 5, far // 2)
        mechanism = dipc.load(sample.text)
        assert isinstance(mechanism.check(), Private | Violated)
        found.append([terms(mechanism, q) for q in (0, far)])
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("family", sorted(set(FAMILIES) - {"clamped"}))
def test_far_apart_it_is_nearly_continuous(family: str) -> None:
    """With means 10^6 apart the probabilities are those of Laplace noise, but for some 10^-6."""
    far = 10**6
    rates = (Fraction(1, far), Fraction(3, 2 * far), Fraction(1, far - 1))
    sample = Sample(FAMILIES[family], far, rates, far // 3, far // 2)
    discrete = law_of(dipc.load(sample.text), far)
    continuous = law_of(dipc.load(sample.text.replace("DLap(", "Lap(")), far)
    eps = fmpq(3, 2)
    assert set(discrete) == set(continuous)
    for outcome, p in continuous.items():
        assert abs(value_of(p, eps) - value_of(discrete[outcome], eps)) < mpmath.mpf(10) ** -5


@pytest.mark.parametrize(
    ("rate", "far", "claims"),
    [
        ("eps/3000", 3000, {"eps": "private", "999/1000*eps": "violated"}),
        ("eps/1000000", 10**6, {"eps": "private", "999/1000*eps": "violated"}),
        ("100000000000000000000*eps", 1, {"10^20*eps": "private", "10^19*eps": "violated"}),
        ("eps/1000000007", 998244353, {"eps": "private", "9/10*eps": "violated"}),
    ],
)
def test_thresholds(rate: str, far: int, claims: dict[str, str]) -> None:
    """The noise of a count, compared with a threshold: private up to its sensitivity times the rate."""
    text = f"input q in {{0, {far}}}\noutput o in {{true, false}}\nadjacent all\nr <- DLap({rate}, q)\n"
    mechanism = dipc.load(text + f"o <- r >= {far}\n")
    for claim, status in claims.items():
        verdict = mechanism.check(claim)
        assert verdict.status == status
        data = certificate(mechanism.program, verdict)  # also where exp(-10^20) has 10^20 digits
        checked = privacy.check(json.dumps({**data, "digest": privacy.digest(data)}).encode())
        if far == 3000:
            assert "derived from the program text" in rederive(checked)
        elif far > 3000:
            with pytest.raises(NotCovered, match="integer noise with coefficients of this size"):
                rederive(checked)


def test_a_clamped_count_with_many_values() -> None:
    """Every value of a count up to 400 is published: a constant number of terms for each."""
    text = "input q in {0, 400}\noutput o in 0..400\nadjacent all\nprivate eps\n"
    mechanism = dipc.load(text + "r <- DLap(eps/400, q)\no <- min(max(r, 0), 400)\n")
    assert max(len(p.numerator) + len(p.denominator) for p in law_of(mechanism, 400).values()) <= 5
    assert mechanism.check().status == "private"
