"""The least x of monotone families: by hand, and beside a grid of budgets."""

from __future__ import annotations

import mpmath
import pytest
from campaigns import many
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from numeric import fixed, high, value

from dipc.claims.tightness.growth import at_infinity, at_zero, limit_of_loss, limit_of_value
from dipc.claims.tightness.least import Kind, Least, Requirement, Spot, least
from dipc.clock import Clock
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange

WIDTH = fmpq(1, 10**8)


def of_value(f: ExpPoly) -> Requirement:
    """x >= f."""
    quotient = Quotient(f)
    ends = limit_of_value(at_zero(quotient)), limit_of_value(at_infinity(quotient))
    return Requirement(lambda _, x: ExpPoly.of(x) - f, Quotient.one(), ends)


def of_loss(f: ExpPoly, g: ExpPoly) -> Requirement:
    """exp(x eps) g >= f."""
    p, q = Quotient(f), Quotient(g)
    ends = limit_of_loss(p, q, False), limit_of_loss(p, q, True)
    return Requirement(lambda _, x: ExpPoly.exp(x) * g - f, q, ends, need=p)


POSITIVE = EpsRange.positive()


def search(demands: list[Requirement], budgets: EpsRange = POSITIVE) -> Least:
    return least(demands, budgets, WIDTH, Clock())


def test_a_maximum_inside_is_found_exactly() -> None:
    """4 eps^2 (eps - 1)^2 has ... 1 - (eps - 2)^2 has the maximum 1 at eps = 2."""
    found = search([of_value(1 - (ExpPoly.of(1, 1) - 2) ** 2)])
    assert (found.exact, found.attained) == (1, True)
    assert [spot.kind for spot in found.spots] == [Kind.AT]


def test_an_irrational_maximum_is_enclosed() -> None:
    """eps exp(-eps) has the maximum 1/e at eps = 1."""
    found = search([of_value(ExpPoly.of(1, 1, -1))])
    assert found.exact is None and found.high is not None and found.high - found.low <= WIDTH
    assert high(found.low) < mpmath.exp(-1) < high(found.high)
    (spot,) = found.spots
    assert spot.low is not None and spot.high is not None and spot.low < 1 < spot.high
    assert found.attained


@pytest.mark.parametrize(
    ("budgets", "exact", "attained", "kind"),
    [
        (EpsRange(fmpq(0), fmpq(3), False, True), fmpq(9), True, Kind.AT),
        (EpsRange(fmpq(0), fmpq(3)), fmpq(9), False, Kind.TOWARDS),
        (EpsRange.point(fmpq(3)), fmpq(9), True, Kind.AT),
    ],
)
def test_ends_of_the_budgets(budgets: EpsRange, exact: fmpq, attained: bool, kind: Kind) -> None:
    found = search([of_value(ExpPoly.of(1, 2))], budgets)
    assert (found.exact, found.attained) == (exact, attained)
    assert [spot.kind for spot in found.spots] == [kind]


def test_infinite_at_an_end_inside_and_everywhere() -> None:
    one, none = ExpPoly.of(1), ExpPoly()
    assert search([of_value(ExpPoly.of(1, 1))]).infinite
    inside = search([of_loss(one, (ExpPoly.of(1, 1) - 2) ** 2)], EpsRange(fmpq(1), fmpq(3)))
    assert inside.infinite and inside.spots[0].kind is Kind.AT
    everywhere = search(
        [Requirement(lambda *_: -one, Quotient(none), of_value(one).ends, need=Quotient(one))]
    )
    assert everywhere == Least(fmpq(0), None, (Spot(Kind.EVERYWHERE, 0),), attained=True)


def test_a_doubt_at_the_first_try_goes_away_at_a_greater_one() -> None:
    bump = ExpPoly.exp(1) - 1 - ExpPoly.exp(0, -2)
    found = search([of_value(1 - 100 * bump**2 - ExpPoly.exp(0, -4000))])
    assert found.high is not None and found.low < 1 < found.high


def test_a_common_zero_is_not_a_place_where_it_is_attained() -> None:
    """At eps = 2 both probabilities vanish: any x is enough there; the loss is ln 1 elsewhere but 1/4 eps."""
    hump = (ExpPoly.of(1, 1) - 2) ** 2
    found = search([of_loss(hump, hump), of_loss(hump * ExpPoly.exp(fmpq(1, 4)), hump)])
    assert found.exact == fmpq(1, 4)
    assert found.spots[0].kind is Kind.EVERYWHERE


terms = st.builds(
    ExpPoly.of, st.integers(-3, 3), st.integers(0, 2), st.integers(-4, -1).map(lambda n: fmpq(n, 2))
)
functions = st.lists(terms, min_size=1, max_size=4).map(lambda parts: sum(parts, ExpPoly()))
GRID = [fmpq(2) ** e * m / 8 for e in range(-12, 7) for m in range(8, 16)]


@fixed(many(6, campaign=500))
@given(st.lists(functions, min_size=1, max_size=4))
def test_supremum_beside_a_grid(family: list[ExpPoly]) -> None:
    found = search([of_value(f) for f in [ExpPoly(), *family] if f])
    top = max([mpmath.mpf(0), *(value(f, eps) for f in family for eps in GRID)])
    if not any(family):
        return
    assert found.high is not None
    assert top <= high(found.high) + mpmath.mpf(10) ** -20
    assert high(found.low) - top < (1 + top) / 50
    assert found.exact is not None or found.high - found.low <= WIDTH
