"""Every distribution against its definition, with means, rates and scores that are not symmetric."""

from __future__ import annotations

from pathlib import Path

import mpmath
import pytest
from flint import fmpq
from numeric import high, near, value

import dipc
import dipc.words
from dipc.dipwhile.semantics.evaluate import NOTHING, never
from dipc.dipwhile.semantics.noise import Random, distribution
from dipc.dipwhile.syntax.ast import NOWHERE, Eps, Noise, Number
from dipc.dipwhile.syntax.distributions import NOISE, NoiseKind
from dipc.dipwhile.syntax.types import assigned_kinds
from dipc.errors import InputError
from dipc.integration.linear import Linear
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient

E, ONE = Quotient(ExpPoly.exp(1)), Quotient.one()
EPS = fmpq(3, 4)


def law(body: str, outputs: str = "0..2") -> dict[int, Quotient]:
    found = dipc.load(f"output o in {outputs}\n{body}").distribution()
    return {int(str(dict(output)["o"])): p for output, p in found.items()}


def test_laplace() -> None:
    """P(X <= 0), P(0 < X <= 1) and P(X > 1) for Lap(2 eps, 1)."""
    tail = 1 / (E * E) / 2
    assert law("r <- Lap(2*eps, 1); o <- disc(r, 0, 1, 2)") == {0: tail, 1: ONE / 2 - tail, 2: ONE / 2}


def test_one_sided_laplace() -> None:
    """LapPlus(eps/2, 1) lies above 1, and above 3 with probability exp(-eps)."""
    assert law("r <- LapPlus(eps/2, 1); o <- disc(r, 1, 3, 4)", "1..4") == {3: 1 - 1 / E, 4: 1 / E}


def test_discrete_laplace() -> None:
    """P(i) = (1 - z)/(1 + z) z^|i - 1| with z = exp(-2 eps); what is beyond is at the ends."""
    z = 1 / (E * E)
    found = law("k <- DLap(2*eps, 1); o <- min(max(k, 0), 3)", "0..3")
    middle = (1 - z) / (1 + z)
    assert found == {0: z / (1 + z), 1: middle, 2: middle * z, 3: z * z / (1 + z)}


@pytest.mark.parametrize(("rate", "base"), [("eps", E), ("2*eps", E * E), ("3*eps", E * E * E)])
def test_exponential_mechanism(rate: str, base: Quotient) -> None:
    found = law(f"o <- Exp({rate}, v in {{0, 1, 2}}, v)")
    total = 1 + base + base * base
    assert found == {0: 1 / total, 1: base / total, 2: base * base / total}


def test_exponential_mechanism_with_a_score_that_falls() -> None:
    found = law("o <- Exp(eps, v in 0..2, -abs(v - 2))")
    weights = {v: mpmath.exp(-abs(v - 2) * high(EPS)) for v in range(3)}
    for v, p in found.items():
        assert near(value(p, EPS), weights[v] / sum(weights.values()))


def test_finite_choices() -> None:
    p = E / (1 + E)
    assert law("b <- flip(exp(eps)/(1 + exp(eps))); if b then o <- 1 else o <- 0 end") == {1: p, 0: 1 - p}
    assert law("b <- 0; o <- choose {0: b^0/2, 2: 1/3, 1: 1/6}") == {
        o: Quotient.of(fmpq(1, q)) for o, q in ((0, 2), (1, 6), (2, 3))
    }
    assert law("o <- choose {1: 1/2, 0: 1/3, 1: 1/6}") == {o: Quotient.of(fmpq(1 + o, 3)) for o in (0, 1)}
    assert law("o <- uniform {0, 2}") == dict.fromkeys((0, 2), ONE / 2)
    assert law("o <- uniform 0..2") == dict.fromkeys(range(3), ONE / 3)


@pytest.mark.parametrize(
    "body",
    [
        "o <- choose {0: 1/2, 1: 1/3}",
        "k <- DLap(eps, 1/2); o <- min(max(k, 0), 1)",
        "r <- Lap(0*eps, 0); o <- disc(r, 0, 1)",
        "r <- Lap(-eps, 0); o <- disc(r, 0, 1)",
        "o <- uniform 1..0",
        "b <- flip(2); o <- 0",
        "b <- flip(-1/2); o <- 0",
        "b <- flip(eps); o <- 0",
    ],
)
def test_what_is_no_distribution_is_refused(body: str) -> None:
    with pytest.raises(InputError):
        law(body)


# --- the table of noise ----------------------------------------------------------------------

LANGUAGE = Path(__file__).parents[3] / "docs" / "language.md"
kinds = pytest.mark.parametrize("kind", NOISE.values(), ids=list(NOISE))


@kinds
def test_the_price_of_a_shift(kind: NoiseKind) -> None:
    """A step away in a direction of the row costs a factor exp(a*eps), one in another direction more."""
    for direction in (1, -1):
        pairs = [(mass(kind, i), mass(kind, i + direction)) for i in range(-3, 4)]
        cheap = all((E * there - here).sign_at(EPS) >= 0 for here, there in pairs)
        assert cheap == (direction in kind.shifts)


def mass(kind: NoiseKind, low: int) -> Quotient:
    """The probability of [low, low + 1) for rate eps and mean 0."""
    noise = Random(kind, fmpq(1), False, fmpq(0))
    above = Linear(((0, fmpq(1)),), fmpq(-low), kind.integer).condition(strict=False)
    below = Linear(((0, fmpq(-1)),), fmpq(low + 1), kind.integer).condition(strict=True)
    return noise.weight.where(above).where(below).total() * noise.factor


def test_an_unknown_kind_is_an_error_everywhere() -> None:
    """Never one of the known kinds."""
    unknown = Noise("Gauss", Eps(), Number(fmpq(0)), span=NOWHERE)
    with pytest.raises(KeyError):
        distribution(unknown, NOTHING, never)
    with pytest.raises(KeyError):
        assigned_kinds(unknown, {})
