"""Discrete Laplace noise with small rates and means far apart, or with great rates.

The probabilities are compared with those of the reference; the number of their terms depends on the
comparisons of a program and not on the distances between its means.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
import reference
from agreement import world, wrong
from campaigns import some
from exact_integrals import NONE, exponential, sign
from flint import fmpq

import dipc
from dipc.certificate.format import dumps
from dipc.claims.privacy import Private, Violated
from dipc.dipwhile.certify.compared import rederive
from dipc.dipwhile.certify.privacy import certificate
from dipc.dipwhile.rederive.functions import NotCovered
from dipc.dipwhile.syntax.compile import read
from dipc.errors import Source
from dipc.kernel import statements
from dipc.numbers import quotient
from dipc.numbers.quotient import Quotient

FAMILIES = {
    "threshold": ("{{true, false}}", "o <- r >= {c}"),
    "band": ("0..3", "o <- count(abs(r) > {c}, r > {d}, -7 < r <= {c})"),
    "both": ("0..2", "o <- count(r >= {c}, s >= {d})"),
    "order": ("{{true, false}}", "o <- r + {c} >= s"),
    "largest": ("1..3", "x[1] <- r\nx[2] <- s\nx[3] <- t\no <- argmax(x)"),
    "clamped": ("{c}..{c} + 3", "o <- min(max(r, {c}), {c} + 3)"),
    "released": ("0..2", "o <- 0\nif r >= t then o <- 1 end\nif o = 0 and s >= t then o <- 2 end"),
}
"""The set of the output o, and what three samples r, s, t say of it; ``{c}`` and ``{d}`` are two integers."""


@dataclass(frozen=True)
class Sample:
    """A program of a family."""

    family: tuple[str, str]
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
                "output o in " + self.family[0].format(c=self.c),
                "adjacent all",
                f"private {self.t}*eps",
                *(f"{name} <- DLap({rate}*eps, {mean})" for name, rate, mean in draws),
                self.family[1].format(c=self.c, d=self.d),
            ]
        )


def law_of(mechanism: Any, q: int) -> dict[str, Quotient]:
    return {str(dict(output)["o"]): p for output, p in mechanism.distribution(q=q).items()}


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


@pytest.mark.parametrize("family", some(FAMILIES, 4))
def test_probabilities_far_apart(family: str) -> None:
    """Means 3000 apart, rates near eps/3000."""
    program = read(Source("far.dip", random_sample(family, 0, 3000).text))
    for q in (0, 3000):
        assert not wrong(program, {("q", 0): fmpq(q)}, fmpq(4))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", some(range(4), 2))
def test_verdicts(family: str, seed: int) -> None:
    """Means a few steps apart: the verdict against the reference."""
    sample = random_sample(family, seed, 4 + 2 * seed)
    verdict = dipc.load(sample.text).check()
    assert isinstance(verdict, Private | Violated)
    points = [Fraction(1, 2), Fraction(2), Fraction(5)]
    if isinstance(verdict, Violated):
        found = verdict.counterexample.epsilon
        points = [Fraction(int(found.p), int(found.q))]
        if not Fraction(1, 4) <= points[0] <= 8:
            return
    program = read(Source("near.dip", sample.text))
    for eps in points:
        here = world(program, fmpq(eps.numerator, eps.denominator))
        laws = [reference.law_of(here, {("q", 0): fmpq(q)}) for q in (0, sample.far)]
        factor = exponential(sample.t * eps)
        losses = (sign(u[o] - factor * v.get(o, NONE)) for u in laws for v in laws for o in u)
        assert (max(losses) > 0) == isinstance(verdict, Violated)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", some(range(3), 1))
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
        checked = statements.check(dumps(data).encode())
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
