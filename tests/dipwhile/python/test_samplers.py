"""The samplers are exact: every run of their bits is followed, to some depth."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from math import exp

import pytest
from campaigns import many

from dipc.dipwhile.python.samplers import Coins, coins, simple
from dipc.errors import WrongType
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient

DEPTH = many(12, 16)
SMALL = 1e-12  # far below the mass of a run, far above the rounding of the floats that are compared


class TooDeep(Exception):
    """A run needs more bits."""


def enumerated(draw: Callable[[Coins], object], depth: int) -> tuple[dict[object, Fraction], Fraction]:
    """The probability of each outcome by runs of at most ``depth`` bits, and that of all longer runs."""
    found: Counter[object] = Counter()
    script: list[int] = []
    longer = Fraction(0)
    while True:
        position = 0

        def bits(count: int) -> int:
            nonlocal position
            drawn = 0
            for _ in range(count):
                if position == depth:
                    raise TooDeep
                if position == len(script):
                    script.append(0)
                drawn = 2 * drawn + script[position]
                position += 1
            return drawn

        try:
            found[draw(Coins(bits))] += Fraction(1, 2 ** len(script))  # type: ignore[assignment]
        except TooDeep:
            longer += Fraction(1, 2**depth)
        while script and script[-1] == 1:
            script.pop()
        if not script:
            return dict(found), longer
        script[-1] = 1


def power(x: Fraction) -> Quotient:
    return Quotient(ExpPoly.exp(0, 1)) if x == 1 else Quotient(ExpPoly.exp(0, 2))


E = exp(1)
LAWS: dict[str, tuple[Callable[[Coins], object], dict[object, float], float]] = {
    "below 5": (lambda c: c.below(5), dict.fromkeys(range(5), 1 / 5), 0.02),
    "below 1": (lambda c: c.below(1), {0: 1}, 0),
    "1/3": (lambda c: c.flip(Fraction(1, 3)), {True: 1 / 3, False: 2 / 3}, 0.001),
    "0": (lambda c: c.flip(Fraction(0)), {False: 1}, 0),
    "1": (lambda c: c.flip(Fraction(1)), {True: 1}, 0),
    "e/(1 + e)": (
        lambda c: c.flip(power(Fraction(1)) / (1 + power(Fraction(1)))),
        {True: E / (1 + E), False: 1 / (1 + E)},
        2**-12,
    ),
    "exp(-1)": (lambda c: c.exp_minus(Fraction(1)), {True: 1 / E, False: 1 - 1 / E}, 0.05),
    "exp(-1/2)": (lambda c: c.exp_minus(Fraction(1, 2)), {True: exp(-0.5), False: 1 - exp(-0.5)}, 0.02),
    "exp(-5/2)": (lambda c: c.exp_minus(Fraction(5, 2)), {True: exp(-2.5), False: 1 - exp(-2.5)}, 0.06),
    "weights": (
        lambda c: c.by_weight([Fraction(0), Fraction(1), Fraction(1, 2)]),
        {i: exp(x) / (1 + exp(1) + exp(0.5)) for i, x in enumerate((0, 1, 0.5))},
        0.25,
    ),
    "rational choice": (
        lambda c: c.one_of([Fraction(1, 2), Fraction(1, 3), Fraction(0), Fraction(1, 6)]),
        {0: 1 / 2, 1: 1 / 3, 3: 1 / 6},
        0.01,
    ),
    "real choice": (
        lambda c: c.one_of([1 / power(Fraction(1)), Fraction(1, 2), Fraction(1, 2) - 1 / power(Fraction(1))]),
        {0: 1 / E, 1: 1 / 2, 2: 1 / 2 - 1 / E},
        0.01,
    ),
}


def two_sided(rate: Fraction) -> dict[object, float]:
    z = exp(-rate)
    return {i: (1 - z) / (1 + z) * z ** abs(i) for i in range(-40, 41)}


for rate, most in ((Fraction(1), 0.2), (Fraction(3, 2), 0.45), (Fraction(1, 2), 0.31)):
    LAWS[f"two-sided {rate}"] = (lambda c, rate=rate: c.two_sided(rate), two_sided(rate), most)  # type: ignore[misc]


@pytest.mark.parametrize("name", LAWS)
def test_every_outcome_has_its_probability(name: str) -> None:
    """What is settled after k bits is at most the law, and the rest of the law has not been drawn yet."""
    draw, law, most = LAWS[name]
    found, longer = enumerated(draw, DEPTH)
    assert found.keys() <= law.keys()
    assert float(longer) <= most
    for outcome, wanted in law.items():
        settled = float(found.get(outcome, 0))
        assert settled - SMALL <= wanted <= settled + float(longer) + SMALL, outcome


@pytest.mark.parametrize("name", ["e/(1 + e)", "1/3", "exp(-1)", "two-sided 1"])
def test_what_is_left_over_gets_small(name: str) -> None:
    """Four more bits leave less: runs end."""
    draw = LAWS[name][0]
    assert enumerated(draw, DEPTH)[1] < Fraction(4, 5) * enumerated(draw, DEPTH - 4)[1]


def test_a_wrong_law_is_found() -> None:
    found, longer = enumerated(lambda c: c.flip(Fraction(1, 3)), 14)
    assert not float(found[True]) <= 0.334 <= float(found[True] + longer)


def test_a_number_close_to_a_dyadic_one() -> None:
    """A float would take 1/2 + exp(-60) for 1/2."""
    near = Quotient(ExpPoly.exp(0, -60)) + Fraction(1, 2)
    assert Coins(scripted([1, *[0] * 200])).flip(near)
    assert not Coins(scripted([1, *[0] * 85, *[1] * 100])).flip(near)


def scripted(bits: list[int]) -> Callable[[int], int]:
    left = iter(bits)
    return lambda count: [next(left) for _ in range(count)][-1]


def test_sources_of_bits() -> None:
    numpy = pytest.importorskip("numpy")
    for rng in (random.Random(1), numpy.random.default_rng(1), None):
        drawn = Counter(coins(rng).below(3) for _ in range(3000))
        assert all(850 < drawn[i] < 1150 for i in range(3)), rng
        assert coins(rng).bits(53) < 2**53
    with pytest.raises(WrongType, match="`rng` has no random bits: it is a int"):
        coins(1)


def test_a_number_is_a_fraction_where_it_can_be() -> None:
    e = Quotient(ExpPoly.exp(0, 1))
    assert simple(e / e) == 1
    assert isinstance(simple(e / e), Fraction)
