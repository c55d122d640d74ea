"""Claims whose epsilon depends on the pair of inputs, judged pair by pair with a fixed epsilon for each."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest

from dipc.claims.privacy import Violated
from dipc.dipwhile.mechanisms import Mechanism
from dipc.errors import InputError

NEAR_AND_FAR = """input q in {0, 1, 2}
output o in {0, 1} = 0
adjacent all
private eps*abs(q - q')
x <- Lap(2*eps, min(q, 1))
o <- disc(x, 0, 1)
"""

Pair = tuple[tuple[int, ...], tuple[int, ...]]

DISTANCES: dict[str, Callable[[Pair], Fraction]] = {
    "linf": lambda pair: Fraction(max(abs(a - b) for a, b in zip(*pair, strict=True))),
    "l1": lambda pair: Fraction(sum(abs(a - b) for a, b in zip(*pair, strict=True))),
    "hamming": lambda pair: Fraction(sum(a != b for a, b in zip(*pair, strict=True))),
}

EPSILONS: dict[str, Callable[[Pair, Fraction], Fraction]] = {
    "eps*distance": lambda pair, d: d,
    "3/2*eps*distance": lambda pair, d: d * 3 / 2,
    "eps*distance/2 + eps/2": lambda pair, d: (d + 1) / 2,
    "2*eps*abs(q[1] - q'[1]) + eps*abs(q[2] - q'[2])": lambda pair, d: Fraction(
        2 * abs(pair[0][0] - pair[1][0]) + abs(pair[0][1] - pair[1][1])
    ),
    "eps*(1 + q[1])": lambda pair, d: Fraction(1 + min(pair[0][0], pair[1][0])),  # read both ways round
    "eps*max(q[1], q'[1])": lambda pair, d: Fraction(max(pair[0][0], pair[1][0])),
}


def program(seed: int, metric: str) -> str:
    """Noise on functions of two cells; what is published is whether it exceeds a number."""
    chosen = random.Random(seed)
    means = ("q[1]", "q[1] + q[2]", "min(q[1], 1)", "2*q[2]", "abs(q[1] - 1)", "q[1]*q[2]")
    body = "".join(
        f"x <- Lap({chosen.choice(('eps', '2*eps', 'eps/2'))}, {chosen.choice(means)})\n"
        f"o[{i}] <- disc(x, {chosen.choice((0, 1))}, 2)\n"
        for i in (1, 2)
    )
    declared = "input q[2] in {0, 1, 2}\noutput o[2] in {0, 1, 2} = 0\n"
    return f"{declared}adjacent {metric} {chosen.choice((1, 2))}\n{body}"


def one_by_one(source: str, metric: str, epsilon: Callable[[Pair, Fraction], Fraction], most: int) -> bool:
    """Whether every pair within the distance has the epsilon that is claimed for it."""
    mechanism = Mechanism.load(source)
    for pair in product(product(range(3), repeat=2), repeat=2):
        if (d := DISTANCES[metric](pair)) <= most:
            inputs = [{"q": list(u)} for u in pair]
            if mechanism.check(f"{epsilon(pair, d)}*eps", pair=inputs).status != "private":
                return False
    return True


@pytest.mark.parametrize("seed", range(12))
def test_as_pair_by_pair(seed: int) -> None:
    metric = list(DISTANCES)[seed % 3]
    source = program(seed, metric)
    most = int(source.split(f"adjacent {metric} ")[1][0])
    claim, epsilon = list(EPSILONS.items())[seed % len(EPSILONS)]
    expected = one_by_one(source, metric, epsilon, most)
    assert (Mechanism.load(source).check(claim).status == "private") == expected


def test_the_near_pair_violates_and_the_far_one_does_not() -> None:
    verdict = Mechanism.load(NEAR_AND_FAR).check()
    assert isinstance(verdict, Violated)
    assert verdict.counterexample.brief() == "q = 0 against q = 1: o = 0 at eps = 1"
    assert "the epsilon of this pair is eps" in verdict.notes
    assert "eps*abs(q - q')" in str(verdict.claim)
    far = Mechanism.load(NEAR_AND_FAR).check(pair=({"q": 0}, {"q": 2}))
    assert far.status == "private"
    assert Mechanism.load(NEAR_AND_FAR).check("2*eps*abs(q - q')").status == "private"


def test_other_epsilons_of_pairs() -> None:
    coin = """input b in {0, 1}
output o in {0, 1}
adjacent hamming 1
c <- choose {0: 3/4, 1: 1/4}
o <- b
if c = 1 then o <- 1 - b end
"""
    mechanism = Mechanism.load(coin)
    assert mechanism.check("ln(1 + 2*distance)").status == "private"
    assert mechanism.check("ln(1 + distance)").status == "violated"
    assert mechanism.check("distance, 1/10").status == "private"  # e > 2.7 and 3/4 <= e/4 + 1/10
    assert mechanism.check("distance/2, 1/10").status == "violated"


def test_an_epsilon_that_is_not_symmetric_is_read_both_ways_round() -> None:
    """2 eps is enough from q = 0 to 1, and eps/2 from 1 to 0, but not from 0 to 1."""
    source = NEAR_AND_FAR.replace("{0, 1, 2}", "{0, 1}")
    claim = "{} for eps in [2, inf)"
    for epsilon, pair in (("2*eps", (0, 1)), ("eps/2", (1, 0))):
        mechanism = Mechanism.load(
            source.replace("adjacent all", f"adjacent q = {pair[0]} and q' = {pair[1]}")
        )
        verdict = mechanism.check(claim.format(epsilon))
        assert verdict.status == ("private" if epsilon == "2*eps" else "violated")
    verdict = Mechanism.load(source).check(claim.format("2*eps - 3/2*eps*q"))
    assert verdict.status == "violated"
    assert any("not symmetric" in note for note in verdict.notes)


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("eps*distance", "`distance` is that of the metric"),
        ("eps*(q - q')", "the epsilon of the claim is negative"),
        ("range eps*abs(q - q')", "one for all pairs of inputs"),
        ("eps*o", "must not depend on `o`"),
        ("eps*abs(q - o)", "unknown name `o`"),
        ("eps*(q = q')", "number"),
    ],
)
def test_refused_by_name(claim: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Mechanism.load(NEAR_AND_FAR).check(claim)


@pytest.mark.parametrize("question", ["profile", "violating_budgets", "explain"])
def test_other_questions_refuse_it(question: str) -> None:
    with pytest.raises(InputError, match="depends on the two inputs"):
        getattr(Mechanism.load(NEAR_AND_FAR), question)()
