"""Laws of the least budget, the loss curve, the profile and the violating budgets, on random programs.

Each is compared with the verdicts, and with what the oracle's probabilities give at single budgets (50
digits), pair by pair and output by output.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

import mpmath
import oracles
from campaigns import drawn, many, sown
from flint import fmpq
from hypothesis import given, note
from strategies import programs

import dipc
from dipc.claims.regions import Region
from dipc.claims.tightness.curves import Curve, Segment
from dipc.dipwhile.syntax.parser import parse
from dipc.errors import InputError, LimitReached, Source, Unsupported
from dipc.signs.tables import RootCluster

GRID = [Fraction(1, 9), Fraction(2, 3), Fraction(7, 4), Fraction(5), Fraction(17)]
CLOSE = mpmath.mpf(10) ** -30
ZERO = mpmath.mpf(0)
MOST_INPUTS = 20
SEEDS = range(many(5, campaign=20))  # one alone may draw few programs of infinite loss


def loss(numbers: oracles.Numbers) -> mpmath.mpf:
    return max((mpmath.log(p / q) if q else mpmath.inf for p, q in numbers if p > CLOSE), default=ZERO)


def excess(numbers: oracles.Numbers, t: Fraction, eps: Fraction) -> mpmath.mpf:
    factor = mpmath.exp(oracles.as_mpf(t * eps))
    return mpmath.fsum(max(ZERO, p - factor * q) for p, q in numbers)


def segment_at(curve: Curve, eps: fmpq) -> Segment | None:
    """The segment that surely holds a budget."""
    for segment in curve.segments:
        low = segment.low.high if isinstance(segment.low, RootCluster) else segment.low
        high = segment.high.low if isinstance(segment.high, RootCluster) else segment.high
        if low is not None and low <= eps and (high is None or eps <= high):
            return segment
    return None


def inside(region: Region, eps: fmpq) -> bool | None:
    """Whether a budget is in a region; None on its border."""
    low, high = (
        (end.low, end.high) if hasattr(end, "low") else (end, end) for end in (region.low, region.high)
    )
    if low[1] is not None and low[1] < eps and (high[0] is None or eps < high[0]):
        return True
    if (low[0] is not None and eps < low[0]) or (high[1] is not None and eps > high[1]):
        return False
    return None


def test_tightness() -> None:
    tally: Counter[str] = Counter()

    def law(text: str) -> None:
        program = parse(Source("random.dip", text))
        if len(oracles.all_inputs(program)) > MOST_INPUTS:
            return
        note(text)
        mechanism = dipc.load(text)
        numbers = oracles.numbers_on_grid(program, GRID)
        try:
            tally[check_budget(mechanism, numbers)] += 1
            check_profile(mechanism, numbers)
            check_regions(mechanism)
        except Unsupported:
            tally["unsupported"] += 1
        except LimitReached:
            tally["undecided"] += 1

    with mpmath.workdps(50):
        sown(drawn(2, campaign=4)(given(programs())(law)), SEEDS)
    assert tally["exact"] > 3 and tally["infinite"] > 0, tally
    assert tally["undecided"] + tally["unsupported"] <= tally.total() / 4, tally


def check_budget(mechanism: dipc.Mechanism, numbers: Mapping[Fraction, list[oracles.Numbers]]) -> str:
    """The least t is enough and nothing less is; the loss curve is the greatest loss at single budgets."""
    found = mechanism.budget(budgets="(0, inf)", width="1e-6").least
    curve = mechanism.loss_curve(budgets="(0, inf)")
    for eps in GRID:
        greatest = max(map(loss, numbers[eps]), default=ZERO)
        if found.high is not None:
            assert greatest <= oracles.as_mpf(oracles.fraction(found.high) * eps) + CLOSE, (eps, found)
        segment = segment_at(curve, fmpq(eps.numerator, eps.denominator))
        if segment is None:
            continue
        if segment.value is None:
            assert greatest == mpmath.inf
        else:
            own = mpmath.log(
                oracles.evaluate(
                    (
                        oracles.exppoly_from_dipc(segment.value.numerator),
                        oracles.exppoly_from_dipc(segment.value.denominator),
                    ),
                    eps,
                )
            )
            assert abs(own - greatest) < CLOSE, (eps, own, greatest)
    if found.high is None:
        for t in (1, 1000):
            assert mechanism.check(f"{t}*eps for eps in (0, inf)").status == "violated"
        return "infinite"
    assert mechanism.check(f"{found.high}*eps for eps in (0, inf)").status == "private"
    less = found.low * fmpq(999, 1000) if found.exact is not None else found.low
    if less > 0:
        assert mechanism.check(f"{less}*eps for eps in (0, inf)").status == "violated"
    return "exact" if found.exact is not None else "enclosed"


def check_profile(mechanism: dipc.Mechanism, numbers: Mapping[Fraction, list[oracles.Numbers]]) -> None:
    """The profile is the greatest excess at single budgets, and its supremum is enough."""
    for t in (Fraction(1, 2), Fraction(1)):
        found = mechanism.profile(f"{t}*eps", budgets="(0, inf)", width="1e-6")
        assert found.least.high is not None
        for eps in GRID:
            greatest = max((excess(n, t, eps) for n in numbers[eps]), default=ZERO)
            assert greatest <= oracles.as_mpf(oracles.fraction(found.least.high)) + CLOSE
            segment = segment_at(found.curve, fmpq(eps.numerator, eps.denominator))
            if segment is not None and segment.value is not None:
                parts = (segment.value.numerator, segment.value.denominator)
                above, below = map(oracles.exppoly_from_dipc, parts)
                assert abs(oracles.evaluate((above, below), eps) - greatest) < CLOSE
        if found.least.low:
            less = found.least.low * fmpq(99, 100)
            claim = f"{t}*eps, {less} for eps in (0, inf)"
            assert mechanism.check(claim).status == "violated"


def check_regions(mechanism: dipc.Mechanism) -> None:
    """At single budgets the claim is broken exactly inside the regions."""
    regions = mechanism.violating_budgets().regions
    for eps in GRID:
        point = fmpq(eps.numerator, eps.denominator)
        try:
            status = mechanism.check(at=point).status
        except InputError:
            continue  # not one of the budgets of the claim
        where = [inside(region, point) for region in regions]
        if None not in where and status != "undecided":
            assert any(where) == (status == "violated"), (eps, status, regions)
