"""The greatest of several functions, beside exact comparisons at many budgets."""

from __future__ import annotations

from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from numeric import fixed

from dipc.claims.tightness.envelope import Arc, envelope
from dipc.numbers.exppoly import ExpPoly
from dipc.signs.eps_range import EpsRange
from dipc.signs.tables import RootCluster

terms = st.builds(
    ExpPoly.of,
    st.integers(-4, 4),
    st.integers(0, 1),
    st.integers(-3, 1).map(lambda n: fmpq(n, 2)),
)
functions = st.lists(terms, min_size=1, max_size=3).map(lambda parts: sum(parts, ExpPoly()))
intervals = st.sampled_from(
    [EpsRange.positive(), EpsRange(fmpq(0), fmpq(2), False, True), EpsRange(fmpq(1, 3), fmpq(5, 2))]
)
GRID = [fmpq(n, 37) for n in range(1, 120, 3)] + [fmpq(n) for n in (4, 7, 13, 40)]


def holds(arc: Arc, eps: fmpq) -> bool:
    """Whether a budget lies on an arc, away from its borders."""
    low = arc.low.high if isinstance(arc.low, RootCluster) else arc.low
    high = arc.high.low if isinstance(arc.high, RootCluster) else arc.high
    return low is not None and low <= eps and (high is None or eps <= high)


@fixed(60)
@given(st.lists(functions, min_size=1, max_size=6), intervals)
def test_greatest_everywhere(family: list[ExpPoly], budgets: EpsRange) -> None:
    arcs = envelope(len(family), lambda i, j: family[i] - family[j], budgets, lambda *_: None)
    for eps in (e for e in GRID if e in budgets):
        on = [arc for arc in arcs if holds(arc, eps)]
        assert on or any(isinstance(arc.low, RootCluster) for arc in arcs)
        for arc in on:
            assert all((family[arc.which] - f).sign_at(eps) >= 0 for f in family), (arc, eps)


def test_a_short_arc_is_found() -> None:
    """A function that is greatest only between two of the budgets that are tried first."""
    f, g = ExpPoly.of(1), ExpPoly.of(1) - (ExpPoly.of(1, 1) - fmpq(3, 2)) ** 2 + fmpq(1, 1000)
    arcs = envelope(2, lambda i, j: (f, g)[i] - (f, g)[j], EpsRange.positive(), lambda *_: None)
    assert [arc.which for arc in arcs] == [0, 1, 0]
