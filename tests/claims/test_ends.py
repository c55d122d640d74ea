"""Irrational least numbers with a name: they lie between bounds that bisection proves, ever closer."""

from __future__ import annotations

import random

import mpmath
import pytest
from campaigns import many, some
from flint import arb, ctx, fmpq

import dipc
from dipc.claims.tightness import least as least_module
from dipc.claims.tightness.ends import Name, Need, need_of_loss, need_of_value, needed_at_end
from dipc.claims.tightness.growth import at_infinity, at_zero, limit_of_value
from dipc.claims.tightness.least import Kind, Least, Requirement, least
from dipc.clock import Clock
from dipc.errors import InternalError
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange

NARROW = fmpq(1, 10**40)


def contains(found: Least, name: Name) -> bool:
    """Whether the name is surely between the bounds, or too close to one of them to be told apart."""
    assert found.high is not None
    with ctx.workprec(400):
        ball = name.enclose()
        return bool(ball > arb(found.low) - arb(NARROW) and ball < arb(found.high) + arb(NARROW))


@pytest.mark.parametrize(
    ("name", "n", "budgets", "kind", "place"),
    some(
        [
            ("svt1", 2, "(0, 1]", Kind.AT, 1),
            ("svt1", 3, "[1/2, 7/3]", Kind.AT, fmpq(7, 3)),
            ("svt1", 2, "(0, 1)", Kind.TOWARDS, 1),
            ("nmax1", 2, "(0, 5/2]", Kind.AT, fmpq(5, 2)),
            ("rand2", 2, "[1/4, 3/4]", Kind.AT, fmpq(3, 4)),
            ("svt4", 2, "[1, 2]", Kind.AT, 2),
        ],
        3,
    ),
)
def test_a_name_lies_between_narrower_bounds(
    name: str, n: int, budgets: str, kind: Kind, place: fmpq
) -> None:
    mechanism = dipc.load(name, N=n)
    found = mechanism.budget(budgets=budgets, width="1e-40").least
    assert found.exact is None and found.name is not None and contains(found, found.name)
    (spot,) = found.spots
    assert (spot.kind, spot.place) == (kind, place)
    assert found.attained is (kind is Kind.AT)


def test_names_are_as_expected() -> None:
    """The ratio of the tightest pair, and the profile, at the end."""
    found = dipc.load("svt1", N=2).budget(budgets="(0, 1]")
    assert str(found.least.name) == "ln((5*exp(1))/(-1 + 6*exp(1/2)))"
    assert "least t    ln((5*exp(1))/(-1 + 6*exp(1/2))) ≈ 0.4242490722\n" in str(found)
    at = dipc.load("svt1", N=2).budget(at="1/2").least
    assert str(at.name) == "2*ln((5*exp(1/2))/(-1 + 6*exp(1/4)))"
    profile = dipc.load("sparse").profile("eps/2", budgets="(0, 3]")
    value = profile.curve.segments[-1].value
    assert value is not None and profile.least.name == Name(value.at(3))


def test_a_maximum_inside_has_no_name() -> None:
    """eps exp(-eps) is greatest at 1, with slopes of both signs around it."""
    f = Quotient(ExpPoly.of(1, 1, -1))
    demand = Requirement(
        lambda _, x: ExpPoly.of(x) - f.numerator,
        Quotient.one(),
        (limit_of_value(at_zero(f)), limit_of_value(at_infinity(f))),
        exact=need_of_value(f),
    )
    for budgets in (EpsRange.positive(), EpsRange(fmpq(1, 2), fmpq(3, 2), True, True)):
        found = least([demand], budgets, fmpq(1, 10**6), Clock())
        assert found.exact is None and found.name is None


def test_a_wrong_name_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = (0, fmpq(1), Name(Quotient.of(3)))
    monkeypatch.setattr(least_module, "needed_at_end", lambda *_: wrong)
    with pytest.raises(InternalError, match="not between its bounds"):
        dipc.load("svt1", N=2).budget(budgets="(0, 1]")


def random_function(rng: random.Random) -> ExpPoly:
    terms = (ExpPoly.of(rng.randint(-6, 6), rng.randint(0, 2), rng.randint(-3, 3)) for _ in range(4))
    return sum(terms, ExpPoly())


def test_the_greatest_value_of_a_family() -> None:
    """Beside a grid of numbers: no function exceeds the name anywhere, and one reaches it at the place."""
    rng = random.Random(5)
    named = 0
    for _ in range(many(100, campaign=300)):
        functions = [random_function(rng) for _ in range(rng.randint(1, 2))]
        low, more = fmpq(rng.randint(1, 3)), fmpq(rng.randint(1, 6), 8)
        budgets = EpsRange(low, low + more, True, True)
        margins = {i: ExpPoly.of(-(10**6)) - f for i, f in enumerate(functions)}
        needs = {i: need_of_value(Quotient(f)) for i, f in enumerate(functions)}
        found = needed_at_end(margins, needs, budgets)
        if found is None or not all(sign < 0 for m in margins.values() for sign in signs(m, budgets)):
            continue
        named += 1
        i, place, name = found
        assert place in (budgets.low, budgets.high)
        assert functions[i].at(place) == name.value
        top = number(name)
        for f in functions:
            for k in range(17):
                assert number(Name(Quotient(f.at(low + more * fmpq(k, 16))))) <= top + abs(top) / 10**15
    assert named > 20


def signs(f: ExpPoly, budgets: EpsRange) -> list[int]:
    assert budgets.high is not None
    return [f.sign_at(budgets.low + (budgets.high - budgets.low) * fmpq(k, 8)) for k in range(9)]


def number(name: Name) -> mpmath.mpf:
    with ctx.workprec(100):
        return mpmath.mpf(str(name.enclose().str(25, radius=False)))


def test_the_slope_of_a_loss_by_differences() -> None:
    p, q = Quotient(ExpPoly.of(5, 0, 1)), Quotient(ExpPoly.exp(fmpq(1, 2)) * 6 - 1)
    need: Need = need_of_loss(p, q)
    step = fmpq(1, 10**12)
    for eps in (fmpq(1, 3), fmpq(2), fmpq(9)):
        with ctx.workprec(300):
            difference = need.name(eps + step).enclose() - need.name(eps - step).enclose()
            slope = need.slope(arb(eps)) / arb(eps) ** 2
            assert abs(difference / arb(2 * step) - slope) < arb("1e-9")
            assert slope > 0


@pytest.mark.parametrize("at", ["1/2", "7/3"])
@pytest.mark.parametrize("rate", ["eps/10^13", "eps*10^9/7"])
def test_a_logarithm_of_an_exponential_is_exact(rate: str, at: str) -> None:
    """The loss of one Laplace sample is its rate at every eps: no name, and no decimals."""
    text = f"input q in {{0, 1}}; output o in {{0, 1}} = 0; adjacent all; r <- Lap({rate}, q)"
    found = dipc.load(f"{text}; if r >= 0 then o <- 1 end").budget(at=at)
    assert found.t == (fmpq(1, 10**13) if "13" in rate else fmpq(10**9, 7)) and found.least.name is None
