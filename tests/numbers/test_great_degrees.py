"""Fractions with great exponents: short, equal if the functions are equal, with one hash for all forms.

The twin is the path for moderate degrees, which brings every fraction to lowest terms.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal

import pytest
from flint import fmpq
from patience import quickest

from dipc.numbers import function
from dipc.numbers.exppoly import ExpPoly, Term
from dipc.numbers.quotient import Quotient
from dipc.numbers.residues import Q

FAR: tuple[int | fmpq, ...] = (800, 10**9, 10**12, 10**19, fmpq(1, 10**12), fmpq(10**20, 998244353))


Force = Callable[..., None]


def drawn(rng: random.Random, exponents: int, unit: int) -> ExpPoly:
    """A function of few terms, some with constants and inverse exponents."""

    def number(chance: float) -> fmpq:
        return fmpq(rng.randint(-exponents, exponents), rng.randint(1, unit)) * (rng.random() < chance)

    terms = [
        Term(fmpq(rng.choice([-3, -1, 1, 2]), rng.randint(1, 3)), n, number(0.9), number(0.2), number(0.2))
        for n in rng.choices(range(-1, 3), k=rng.randint(1, 3))
    ]
    return ExpPoly.from_terms(terms) or ExpPoly.of(1)


@pytest.mark.parametrize("seed", range(60))
def test_against_lowest_terms(seed: int, force: Force) -> None:
    rng = random.Random(seed)
    unit = rng.choice([1, 2, 5])
    f, g, h, rest = (drawn(rng, 6, unit) for _ in range(4))
    lowest, other = Quotient(f * h, g * h), Quotient(f * h + rest, g * h)
    force(MODERATE=0, DENSE=rng.choice([0, 1]))
    short, second = Quotient(f * h, g * h), Quotient(f * h + rest, g * h)
    for p, q in ((lowest, short), (other, second)):
        assert p == q == p and hash(p) == hash(q)
        assert p.as_rational() == q.as_rational() and p.is_constant == q.is_constant
        assert len(q.numerator) + len(q.denominator) <= len(f * h) + len(rest) + len(g * h)
        for point in (fmpq(1), fmpq(2, 7)):
            if g.sign_at(point) and h.sign_at(point):
                assert p.sign_at(point) == q.sign_at(point)
    assert (short == second) == (lowest == other)
    assert short + second == lowest + other and short * second == lowest * other
    assert not (short - lowest) and not (second - other)
    if short + second:
        assert hash(1 / (short + second)) == hash(1 / (lowest + other))


def test_lowest_terms_are_not_always_found(force: Force) -> None:
    """The test above would be worth little if they were."""
    rng = random.Random(1)
    drawings = [(drawn(rng, 6, 2), drawn(rng, 6, 2), drawn(rng, 6, 2)) for _ in range(60)]
    lowest = [Quotient(f * h, g * h) for f, g, h in drawings]
    force(MODERATE=0)
    found = [Quotient(f * h, g * h) for f, g, h in drawings]
    assert sum(p.denominator != q.denominator for p, q in zip(lowest, found, strict=True)) > 10


@pytest.mark.parametrize("rate", FAR, ids=str)
def test_two_flips(rate: int | fmpq) -> None:
    def work() -> None:
        x, y = Quotient(ExpPoly.exp(rate)), Quotient(ExpPoly.exp(1))
        p, q = (x / (1 + x), 1 / (1 + x)), (y / (1 + y), 1 / (1 + y))
        both = [a * b for a in p for b in q]
        assert both[0] + both[1] + both[2] + both[3] == 1
        assert both[0] + both[1] == p[0] and hash(both[0] + both[1]) == hash(p[0])
        assert both[0] / both[1] == y and both[0] / both[2] == x

    assert quickest(work) < 1


@pytest.mark.parametrize("rate", FAR[1:], ids=str)
def test_long_lowest_terms_stay_short(rate: int | fmpq) -> None:
    x, y = Quotient(ExpPoly.exp(rate)), Quotient(ExpPoly.exp(fmpq(rate) / 10**6))
    p = (x - 1) / (y - 1)
    assert (len(p.numerator), len(p.denominator)) == (2, 2)
    assert p * (y - 1) == x - 1 and p * (y - 1) / (x - 1) == 1
    assert p.at(0) == 10**6 and p.sign_at(fmpq(0)) == 1


@pytest.mark.parametrize("seed", range(20))
def test_digits_of_far_numbers(seed: int, force: Force, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin writes the whole number out."""
    rng = random.Random(seed)
    p = Quotient(drawn(rng, 40, 5).at("1/3"), drawn(rng, 40, 5).at("1/3") or ExpPoly.of(1))
    written = [p.decimal(digits=digits) for digits in (1, 5, 30)]
    monkeypatch.setattr(function, "FAR", 1)
    force()
    for digits, text in zip((1, 5, 30), written, strict=True):
        assert Decimal(p.decimal(digits=digits)) == Decimal(text)


def test_numerators_of_finer_exponents() -> None:
    """A common factor in finer exponents than the denominator's is not looked for."""
    y = ExpPoly.exp(fmpq(1, 1000))
    short = Quotient(y - 1, ExpPoly.exp(1) - 1)
    long = Quotient(ExpPoly.of(1), sum((ExpPoly.exp(fmpq(i, 1000)) for i in range(1000)), ExpPoly()))
    assert short == long == short and hash(short) == hash(long)
    assert short.sign_at(fmpq(0)) == 1 == long.sign_at(fmpq(0)) and short.at(0) == fmpq(1, 1000)


def test_one_hash_whatever_the_unit_was() -> None:
    """Exponents in units of 1/Q, which has no inverse in the field, do not matter once they are gone."""
    fine = ExpPoly.exp(fmpq(1, Q)) * ExpPoly.exp(fmpq(Q - 1, Q))
    assert fine == ExpPoly.exp(1) and hash(fine) == hash(ExpPoly.exp(1))
    assert len({Quotient(fine) / (1 + fine), Quotient(ExpPoly.exp(1)) / (1 + ExpPoly.exp(1))}) == 1


def test_digits_of_very_far_numbers() -> None:
    tiny = ExpPoly.exp(-(10**20))
    assert tiny.decimal(1, 20) == "7.7109539291167196517e-43429448190325182766"  # by mpmath
    assert (-1 / Quotient(tiny)).decimal(1, 5) == "-1.2969e+43429448190325182765"
    assert float(tiny.at(1)) == 0.0
    with pytest.raises(OverflowError):
        float((1 / Quotient(tiny)).at(1))


def test_digits_next_to_a_tie() -> None:
    tiny = ExpPoly.exp(-(10**20))
    half, quarter, eighth = (ExpPoly.of(fmpq(1, n)) for n in (2, 4, 8))
    assert (half - tiny).decimal(1) == "0.5000000000" == (half + tiny).decimal(1)
    assert ((quarter - tiny).decimal(1, 1), (quarter + tiny).decimal(1, 1)) == ("0.2", "0.3")
    assert ((eighth - tiny).decimal(1, 2), (eighth + tiny).decimal(1, 2)) == ("0.12", "0.13")
    p = Quotient(1 + tiny, 4 - tiny)  # above 1/4
    assert p.decimal(1, 1) == "0.3" and (Quotient.of(fmpq(1, 2)) - p).decimal(1, 1) == "0.2"
    assert float((half - tiny).at(1)) == 0.5 and float((1 + tiny).at(1)) == 1.0
