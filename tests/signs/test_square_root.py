"""Deltas with a square root, and deltas that are quotients, against 60-digit arithmetic on grids."""

from __future__ import annotations

from random import Random

import mpmath
import pytest
from campaigns import spread
from flint import fmpq

import dipc
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.numbers.surd import Surd, exact_root
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Fails, Holds, nonnegative
from dipc.signs.radicals import Radical, radical_roots

X, E = ExpPoly.of(1, 1), ExpPoly.exp(1)
EVERY = EpsRange.positive()

# P(true | true) = 1/2 + d, P(true | false) = 1/2 - d with d = exp(-eps)/4: the least delta at 0*eps is 2 d.
COIN = """
    input q in {true, false};  output out in {true, false};  adjacent all
    truth <- flip(1/2 + exp(-eps)/4)
    if truth then out <- q else out <- not q end
"""


def high(number: fmpq) -> mpmath.mpf:
    return mpmath.mpf(int(number.p)) / int(number.q)


def slow(f: ExpPoly, eps: mpmath.mpf) -> mpmath.mpf:
    return mpmath.fsum(
        high(t.coefficient) * eps**t.power * mpmath.exp(high(t.rate) * eps + high(t.constant))
        for t in f.terms()
    )


def slow_radical(f: Radical, eps: mpmath.mpf) -> mpmath.mpf:
    root = mpmath.sqrt(slow(f.radicand, eps))
    return slow(f.rational, eps) + slow(f.coefficient, eps) * root


def profile(t: mpmath.mpf, eps: mpmath.mpf) -> mpmath.mpf:
    """The exact least delta of the coin at (t*eps, delta)."""
    d = mpmath.exp(-eps) / 4
    p, q = mpmath.mpf(1) / 2 + d, mpmath.mpf(1) / 2 - d
    bound = mpmath.exp(t * eps)
    return max(p - bound * q, 0) + max(q - bound * p, 0)


@pytest.mark.parametrize(
    ("t", "delta"),
    [
        ("0", "sqrt(eps)/10"),
        ("0", "sqrt(eps)/2"),
        ("0", "1/(2 + sqrt(eps)/10)"),
        ("0", "exp(-eps)*sqrt(1 + eps)/2"),
        ("0", "sqrt(1 - exp(-eps))/3"),
        ("0", "sqrt(exp(-2*eps) + exp(-4*eps))/2"),
        ("0", "exp(-eps)/2"),
        ("0", "exp(-eps)/(1 + exp(-eps))"),
        ("0", "exp(-eps)/(1 + exp(-8*eps))"),
        ("1/2", "sqrt(eps)/10"),
        ("1/2", "(1 + sqrt(eps))/(8 + sqrt(eps))"),
        ("1/2", "1/(2 + 3*sqrt(eps))^2"),
        ("1/4", "sqrt(2)/5"),
        ("1/4", "sqrt(2)/3"),
        ("1/2", "sqrt(eps/(1 + eps))/4"),
    ],
)
def test_claims_against_the_exact_profile(t: str, delta: str) -> None:
    claim = f"{t}*eps, {delta}"
    mechanism = dipc.load(COIN)
    verdict = mechanism.check(claim)
    formula = delta.replace("sqrt", "mpmath.sqrt").replace("exp(", "mpmath.exp(").replace("^", "**")
    with mpmath.workdps(60):
        rate = mpmath.mpf(eval(t))

        def broken_at(eps: mpmath.mpf) -> bool:
            bound = eval(formula, {"mpmath": mpmath, "eps": eps})
            return bool(profile(rate, eps) > bound + mpmath.mpf(10) ** -50)

        grid = [mpmath.mpf(10) ** (mpmath.mpf(i) / 100 - 3) for i in range(500)]
        broken = [eps for eps in grid if broken_at(eps)]
        assert verdict.status == ("violated" if broken else "private")
        found = verdict.counterexample
        if found is not None:
            assert broken_at(high(found.epsilon))
            regions = [(mpmath.mpf(low), mpmath.mpf(top)) for low, top in found.violated_for]
            for eps in grid:
                assert (eps in broken) == any(low < eps < top for low, top in regions), eps
        for point in (fmpq(1, 100), fmpq(1, 2), fmpq(3)):
            at = mechanism.check(claim, at=str(point))
            assert at.status == ("violated" if broken_at(high(point)) else "private")


def test_a_claim_that_touches() -> None:
    """``sqrt(eps) <= (1 + eps)/2`` with equality at 1."""
    half = COIN.replace("1/2 + exp(-eps)/4", "1/2 + eps/(2*(1 + eps))")  # the least delta is eps/(1 + eps)
    mechanism = dipc.load(half)
    assert mechanism.check("0*eps, eps/(1 + eps)").status == "private"
    assert mechanism.check("0*eps, sqrt(eps)/2").status == "private"  # touches at 1
    assert mechanism.check("0*eps, sqrt(eps)/2", at="1").status == "private"
    found = mechanism.check("0*eps, sqrt(eps)*49/100").counterexample
    assert found is not None
    assert found.epsilon == 1
    assert mechanism.check("0*eps, sqrt(eps)*499999999/1000000000", at="1").status == "violated"


def random_function(random: Random) -> ExpPoly:
    total = ExpPoly()
    for _ in range(random.randint(1, 3)):
        number = fmpq(random.choice([-3, -2, -1, 1, 1, 2]), random.choice([1, 2]))
        total = total + ExpPoly.of(number, random.randint(0, 2), fmpq(random.randint(-1, 1)))
    return total


@pytest.mark.parametrize("seed", spread(range(60), 12))
def test_roots_and_signs_of_random_radicals(seed: int) -> None:
    random = Random(seed)
    radicand = random.choice([X, X + 1, E, E + X, ExpPoly.of(2), X * (1 + X * X)])
    p, r = random_function(random), random_function(random)
    if seed % 3 == 0:  # a common factor
        d = random_function(random)
        p, r = p * d, r * d
    if not r or exact_root(Quotient(radicand)) is not None:
        return
    f = Radical(p, r, radicand)
    roots = radical_roots(f, fmpq(0), None)
    answer = nonnegative(f, EVERY)
    with mpmath.workdps(60):
        for root in roots:
            root.refine_to(fmpq(1, 10**25))
            size = abs(slow(p, high(root.low))) + 1
            assert abs(slow_radical(f, high(root.low))) < size * mpmath.mpf(10) ** -15
        grid = [mpmath.mpf(10) ** (mpmath.mpf(i) / 60 - 3) for i in range(300)]
        values = [slow_radical(f, eps) for eps in grid]
        for (a, x), (b, y) in zip(
            zip(grid, values, strict=True), zip(grid[1:], values[1:], strict=True), strict=False
        ):
            between = [root for root in roots if a < high(root.low) < b]
            if not between:
                assert x * y > 0
        if min(values) < 0:
            assert isinstance(answer, Fails)
            assert slow_radical(f, high(answer.sample)) < 0
        elif isinstance(answer, Fails):
            assert slow_radical(f, high(answer.sample)) < 0


@pytest.mark.parametrize(
    ("f", "holds"),
    [
        (Radical(1 + X, ExpPoly.of(-2), X), True),  # (1 - sqrt(eps))^2
        (Radical(2 + X * X * 2 + X * 4, (1 + X) * -4, X), True),
        (Radical(1 + X - fmpq(1, 10**15), ExpPoly.of(-2), X), False),
        (Radical(E, ExpPoly.of(-1), E + 1), False),  # exp(eps) < sqrt(1 + exp(eps)) near 0
        (Radical(E * E, ExpPoly.of(-1), E + 1), False),
        (Radical(E * 2, ExpPoly.of(-1), E + 1), True),
    ],
)
def test_known_radicals(f: Radical, holds: bool) -> None:
    assert isinstance(nonnegative(f, EVERY), Holds if holds else Fails)


def test_a_root_at_which_the_radicand_vanishes() -> None:
    """``(exp(eps) - 2) + |exp(eps) - 2| sqrt(eps)`` changes its sign at ln 2, a double root of the norm."""
    f = Radical(E - 2, ExpPoly.of(1), (E - 2) ** 2 * X)
    for sign in (1, -1):
        g = Radical(f.rational * sign, f.coefficient, f.radicand)  # the other sign: also zero at 1
        root = radical_roots(g, fmpq(0), fmpq(9, 10))[0]
        root.refine_to(fmpq(1, 10**6))
        assert root.low < fmpq(693148, 10**6) and root.high > fmpq(693147, 10**6)
    assert isinstance(nonnegative(f, EVERY), Fails)
    assert isinstance(nonnegative(f, EpsRange(fmpq(7, 10), None)), Holds)


def test_perfect_squares_are_no_roots() -> None:
    mechanism = dipc.load(COIN)
    assert str(mechanism.check("0*eps, sqrt(eps^2)").goal.delta) == "eps"
    assert str(mechanism.check("0*eps, sqrt(exp(-eps)/4)").goal.delta) == "1/2*exp(-1/2*eps)"
    assert str(mechanism.check("0*eps, sqrt(eps)^2").goal.delta) == "eps"
    assert str(mechanism.check("0*eps, sqrt(4/9)").goal.delta) == "2/3"
    assert isinstance(mechanism.check("0*eps, sqrt(eps)/10").goal.delta, Surd)
    with pytest.raises(dipc.InputError, match="absolute value"):
        mechanism.check("0*eps, sqrt((1 - exp(-eps))^2)")


@pytest.mark.parametrize(
    ("delta", "message"),
    [
        ("sqrt(eps) + sqrt(1 + eps)", "two different square roots"),
        ("sqrt(sqrt(eps))", "only in delta"),
        ("exp(-sqrt(eps))", "only in delta"),
        ("sqrt(eps - 1)", "negative"),
        ("sqrt(eps) - eps", "negative"),
        ("1/(1 - sqrt(eps))", "vanishes"),
        ("1/(sqrt(eps) - sqrt(eps))", "division by zero"),
        ("sqrt(eps, 2)", "argument"),
    ],
)
def test_refused(delta: str, message: str) -> None:
    with pytest.raises(dipc.InputError, match=message):
        dipc.load(COIN).check(f"0*eps, {delta}")


@pytest.mark.parametrize(
    "text", ["b <- flip(sqrt(eps))", "r <- Lap(sqrt(eps), 0); b <- r < 0", "b <- sqrt(4) > 1"]
)
def test_a_square_root_stands_in_delta_only(text: str) -> None:
    program = f"output out in {{true, false}}\n{text}\nout <- b\n"
    with pytest.raises(dipc.InputError, match=r"sqrt` is not allowed here|square root is allowed only"):
        dipc.load(program).distribution()
