"""What docs/errata.md says about *Model checking differentially private properties*, shown by computation."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import pytest
from flint import arb, fmpq

from dipc.clock import Clock
from dipc.dpctl.pipeline import check
from dipc.dpctl.syntax import parse_property
from dipc.errors import Source
from dipc.models.reading import read_model


def status(chain: str, text: str) -> str:
    model = read_model(Source("m", chain)).model
    return check(model, parse_property(Source("f", text), model), Clock()).status


AUTOMATON = """chain
s0 -> {{s1: 1/2, s2: 1/2}}; s1 -> {{s0: 1/3, {end}: 2/3}}; s2 -> s2; B -> B; other -> other; copy -> copy
label at_B = {{B}}; neighbours s0 ~ copy; start s0"""


@pytest.mark.parametrize(("end", "expected"), [("B", "fails"), ("other", "holds")])
def test_the_formula_in_the_proof_of_theorem_1_asks_for_reachability(end: str, expected: str) -> None:
    """With one letter: it fails if and only if B can be reached, which is decidable for automata as well."""
    assert status(AUTOMATON.format(end=end), "D[1, 0](F at_B)") == expected


def test_equal_limits_do_not_need_equal_languages() -> None:
    """D[0, 0](F b) holds, but words of length 1 tell s and t apart."""
    chain = "chain; s -> b; t -> u; u -> b; b -> b; neighbours s ~ t"
    assert status(chain, "D[0, 0](F b)") == "holds"
    assert status(chain, "D[0, 0](F<=1 b)") == "fails"


def test_the_number_of_subsamples() -> None:
    """Line 2 of Algorithm 1 at n = 3, eps = 1, delta = 1/10."""
    q = 1 / (64 * arb(10).log())
    m = (3 / arb(fmpq(1, 10))).log() / q**2
    assert ceil(float(m)) == 73_863


def test_a_row_of_algorithm_3_does_not_sum_to_one() -> None:
    """Case 1 of r' as printed, and with 1/3 for 2/3."""
    rest = [Fraction(1, 3), Fraction(1, 6), Fraction(1, 12), Fraction(1, 24), Fraction(1, 24)]
    assert (Fraction(2, 3) + sum(rest), Fraction(1, 3) + sum(rest)) == (Fraction(4, 3), 1)
