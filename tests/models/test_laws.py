"""The laws of listed inputs, pair by pair."""

from __future__ import annotations

from flint import fmpq

from dipc.models.laws import Listed
from dipc.models.values import Valuation
from dipc.numbers.quotient import Quotient

BITS: tuple[Valuation, ...] = ((("x", fmpq(0)),), (("x", fmpq(1)),))
HALVES, THIRDS = ((Quotient.of(fmpq(k, n)), Quotient.of(fmpq(n - k, n))) for k, n in ((1, 2), (1, 3)))


def test_the_pairs_of_each_outcome_are_counted() -> None:
    """Equal laws are one case, with the first of its pairs and their number."""
    listed = Listed(BITS * 2, BITS, [HALVES, HALVES, THIRDS], [(0, 1), (1, 0), (0, 2), (2, 1)])
    assert [tuple(case.pairs) for case in listed.by_law()] == [(0, 2), (2, 1), (3, 1)]
    assert [tuple(case.pairs) for case in listed.by_output()] == [(0, 2), (2, 1), (3, 1)] * 2
