"""Exponential polynomials are a ring, and evaluation at a point is a homomorphism."""

from __future__ import annotations

import re
from random import Random

import mpmath
import oracles
import pytest
from campaigns import some
from flint import arb, fmpq
from hypothesis import given
from numeric import POINTS, exppolys, fixed, high, near, rationals, value

from dipc.numbers.exppoly import LONG, ExpPoly, Term
from dipc.numbers.quotient import Quotient

ANY = exppolys(constants=True, inverses=True)
PLAIN = exppolys(constants=True)


@fixed(80)
@given(ANY, ANY, ANY)
def test_ring_laws(f: ExpPoly, g: ExpPoly, h: ExpPoly) -> None:
    assert (f + g) + h == f + (g + h)
    assert (f * g) * h == f * (g * h)
    assert f + g == g + f
    assert f * g == g * f
    assert f * (g + h) == f * g + f * h
    assert not f - f
    assert f * 1 == f == f + 0
    assert f**3 == f * f * f
    assert hash(f * (g + h)) == hash(f * g + f * h)


@fixed(60)
@given(PLAIN, PLAIN)
def test_sums_and_products_are_those_of_the_oracle(f: ExpPoly, g: ExpPoly) -> None:
    twin = oracles.exppoly_from_dipc
    assert twin(f + g) == oracles.add(twin(f), twin(g))
    assert twin(f * g) == oracles.multiply(twin(f), twin(g))


@pytest.mark.parametrize("seed", some(range(5), 2))
def test_products_of_many_terms_are_those_of_the_oracle(seed: int) -> None:
    rng, twin = Random(seed), oracles.exppoly_from_dipc
    f, g = (long_function(rng) for _ in range(2))
    assert min(len(f), len(g)) > LONG
    assert twin(f * g) == oracles.multiply(twin(f), twin(g))
    assert (f * g) * (f + g) == f * f * g + g * f * g
    assert (f + g) * (f - g) == f * f - g * g


def long_function(rng: Random) -> ExpPoly:
    terms = [
        Term(
            fmpq(rng.choice([-3, -1, 1, 2]), rng.randint(1, 5)),
            rng.randint(-2, 2),
            fmpq(rng.randint(-9, 9), 6),
            fmpq(rng.randint(-1, 1), 2),
            fmpq(rng.randint(-2, 1), 3),
        )
        for _ in range(60)
    ]
    return ExpPoly.from_terms(terms)


@fixed(60)
@given(ANY, ANY)
def test_evaluation_is_a_homomorphism(f: ExpPoly, g: ExpPoly) -> None:
    for x in POINTS:
        assert near(value(f * g, x), value(f, x) * value(g, x))
        assert near(value(f - g, x), value(f, x) - value(g, x))
        assert near(value(f.at(x), fmpq(9)), value(f, x))


@fixed(60)
@given(ANY, ANY)
def test_functions_are_equal_if_their_values_are(f: ExpPoly, g: ExpPoly) -> None:
    same = all(near(value(f, x), value(g, x)) for x in (*POINTS, fmpq(7, 5), fmpq(9, 4)))
    assert (f == g) == same
    assert bool(f) != all(near(value(f, x), mpmath.mpf(0)) for x in POINTS)


@fixed(80)
@given(ANY, rationals(2).map(abs).filter(bool))
def test_signs(f: ExpPoly, x: fmpq) -> None:
    number = value(f, x)
    if abs(number) > mpmath.mpf(10) ** -20:
        assert f.sign_at(x) == (1 if number > 0 else -1)
    assert ((ExpPoly.of(1, 1) - x) * f).sign_at(x) == 0
    assert (ExpPoly.exp(1) - ExpPoly.exp(0, x)).sign_at(x) == 0


@pytest.mark.parametrize("digits", [10, 60, 300])
def test_signs_of_tiny_values(digits: int) -> None:
    """e - a/b with an approximation of that many digits."""
    with mpmath.workdps(digits + 20):
        scale = 10**digits
        below = fmpq(int(mpmath.floor(mpmath.e * scale)), scale)
    assert (ExpPoly.exp(1) - below).sign_at(fmpq(1)) == 1
    assert (ExpPoly.exp(1) - below - fmpq(1, scale)).sign_at(fmpq(1)) == -1


@fixed(60)
@given(ANY)
def test_enclosures_hold_the_values(f: ExpPoly) -> None:
    for x in POINTS:
        ball = f.enclose(arb(x, x / 8))
        for y in (x, x * fmpq(9, 8), x * fmpq(15, 16)):
            number = value(f, y)
            assert ball.overlaps(arb(mpmath.nstr(number, 35), 1e-20 * (1 + abs(float(number)))))


@fixed(60)
@given(ANY)
def test_the_inverse_budget(f: ExpPoly) -> None:
    assert f.at_inverse().at_inverse() == f
    for x in POINTS:
        assert near(value(f.at_inverse(), 1 / x), value(f, x))


@fixed(60)
@given(ANY)
def test_text_says_the_function(f: ExpPoly) -> None:
    text = repr(f).replace("^", "**")
    for x in POINTS[:3]:
        names = {"eps": high(x), "exp": mpmath.exp, "__builtins__": {}}
        exact = re.sub(r"(\d+)/(\d+)", r"q(\1, \2)", text)  # Python would divide floats
        shown = eval(exact, names | {"q": lambda a, b: mpmath.mpf(a) / b})
        assert near(mpmath.mpf(shown), value(f, x)), text


def test_the_unit_of_exponents_does_not_matter() -> None:
    half = ExpPoly.exp(fmpq(1, 2))
    assert half * half == ExpPoly.exp(1)
    assert hash(half * half) == hash(ExpPoly.exp(1))
    assert (half**2 - ExpPoly.exp(1) + 3).as_rational() == 3
    assert (half * half).as_term() == next(ExpPoly.exp(1).terms())
    assert half.as_rational() is None
    assert (half + 1).as_term() is None


def test_lines_through_different_points_rarely_collide() -> None:
    """Tables of signs look functions up: with one hash for all a*exp(eps) + b they are quadratic."""
    found = {hash(ExpPoly.exp(1) * fmpq(a, 7) + fmpq(b, 5)) for a in range(1, 9) for b in range(1, 101)}
    assert len(found) >= 100
    half = ExpPoly.exp(fmpq(1, 2)) * fmpq(2, 3)
    assert hash(half * half + 1) == hash(1 + ExpPoly.exp(1) * fmpq(4, 9))
    assert hash(Quotient(half * half)) == hash(ExpPoly.exp(1) * fmpq(4, 9))
    assert hash(ExpPoly.of(fmpq(1, 3))) == hash(Quotient.of(fmpq(1, 3))) == hash(fmpq(1, 3))
