"""The least budgets and deltas of the shipped programs, as computed independently of this code."""

from __future__ import annotations

from pathlib import Path

import pytest
from campaigns import some

import dipc
from dipc.claims.tightness.least import Kind
from dipc.errors import LimitReached
from dipc.signs.tables import end_as_text

PROGRAMS = Path(__file__).parents[2] / "programs"

TABLE = [
    ("svt/svt1", {"N": 1}, "1/4", False),
    ("svt/svt1", {"N": 2}, "1/2", False),
    ("svt/svt1", {"N": 3}, "3/4", False),
    ("svt/svt1", {"N": 4}, "1", False),
    ("svt/svt4", {"N": 1}, "1/4", False),
    ("svt/svt4", {"N": 2}, "3/2", False),
    ("svt/svt4", {"N": 3}, "7/4", False),
    ("svt/svt6", {"N": 1}, "1/2", False),
    ("svt/svt6", {"N": 2}, "1", False),
    ("svt/svt6", {"N": 3}, "3/2", False),
    ("svt/svt3", {"N": 1}, "1/2", True),
    ("svt/svt3", {"N": 2}, "1", True),
    ("svt/svt3", {"N": 3}, "3/2", True),
    *(("svt/svt3_quarter", {"N": n}, t, True) for n, t in enumerate(("1/4", "1/2", "3/4", "1"), 1)),
    ("noisy_max/nmax1", {"N": 2}, "1", False),
    ("noisy_max/nmax1", {}, "1", False),
    ("noisy_max/nmax2", {"N": 2}, "1", True),
    ("noisy_max/nmax2", {}, "1", True),
    ("noisy_max/nmax3", {"N": 1}, "1/2", True),
    ("noisy_max/nmax3", {"N": 2}, "1", True),
    ("noisy_max/nmax3", {"N": 3}, "3/2", True),
    ("histogram/hist1", {"N": 2}, "1", True),
    ("histogram/hist1", {}, "1", True),
    ("randomized_response/rand1", {"N": 2}, "1", True),
]
"""Program, parameters, least t, and whether it is attained (at every eps)."""


@pytest.mark.parametrize(("name", "parameters", "t", "attained"), some(TABLE, 12))
def test_least_budget(name: str, parameters: dict[str, int], t: str, attained: bool) -> None:
    program = dipc.load(PROGRAMS / f"{name}.dip", **parameters)
    found = program.budget()
    assert (str(found.least.exact), found.least.attained) == (t, attained)
    assert program.check(f"{t}*eps").status == "private"
    assert program.check(f"{t}*eps - eps/100").status == "violated"
    kinds = {spot.kind for spot, _ in found.witnesses}
    assert kinds == {Kind.EVERYWHERE if attained else Kind.TOWARDS}


@pytest.mark.parametrize(
    ("budgets", "t", "attained"),
    [("[1, inf)", "1", True), ("(1, inf)", "1", False), ("(1/2, 3)", "4", False), ("[1/2, 3)", "4", True)],
)
def test_hist2_has_the_loss_one_over_eps(budgets: str, t: str, attained: bool) -> None:
    hist = dipc.load(PROGRAMS / "histogram/hist2.dip", N=2)
    found = hist.budget(budgets=budgets).least
    assert (str(found.exact), found.attained) == (t, attained)


def test_an_irrational_end_of_a_region() -> None:
    """The loss 1/eps is more than 2 eps up to the square root of 1/2."""
    hist = dipc.load(PROGRAMS / "histogram/hist2.dip", N=1)
    (region,) = hist.violating_budgets("2*eps").regions
    assert end_as_text(region.high) == "0.7071067812"


def test_a_claim_that_holds_breaks_nowhere() -> None:
    assert dipc.load(PROGRAMS / "svt/svt1.dip", N=2).violating_budgets().regions == ()


def two_laws(first: str, second: str, claim: str = "eps") -> dipc.Mechanism:
    """``o`` is 0 with one probability or another; the rest is 2, but for 1 with probability 1/4."""
    options = [f"choose {{0: {p}, 1: 1/4, 2: 3/4 - {p}}}" for p in (first, second)]
    return dipc.load(
        f"input q in {{0, 1}}; output o in {{0, 1, 2}}; adjacent all; private {claim}\n"
        f"if q = 0 then o <- {options[0]} else o <- {options[1]} end"
    )


@pytest.mark.parametrize(
    ("first", "second", "budgets"),
    [
        ("(1 - eps)*(1 + eps^3)/8", "(1 - eps)/8", "[1/2, 1]"),
        ("(1 - eps)^2*exp(2*eps)/64", "(1 - eps)^2*exp(eps)*(1 + (1 - eps)^2)/64", "[1/2, 3/2]"),
    ],
)
def test_a_supremum_next_to_a_common_zero_is_not_said_to_be_attained(
    first: str, second: str, budgets: str
) -> None:
    """The loss over eps grows towards eps = 1, where both probabilities are 0: ln 2, and 1, are limits."""
    least = two_laws(first, second).budget(budgets=budgets, width="1/1000").least
    assert least.exact is None and least.attained is None


def test_an_output_that_is_impossible_at_a_single_budget_loses_nothing() -> None:
    leaking = two_laws("(1 - eps)/2", "0")
    assert leaking.budget(budgets="[1/2, 1]").least.infinite
    at_one = leaking.budget(budgets="[1, 1]").least
    assert (at_one.exact, leaking.check("0*eps", at=1).status) == (0, "private")
    (segment,) = leaking.loss_curve(budgets="[1, 1]").segments
    assert segment.value == 1


def test_regions_are_not_told_if_a_sign_is_not_settled() -> None:
    """The slack is -1/10^102 at 5/13, and positive where it can be settled."""
    slack = "(exp(eps) - exp(5/13)*(1 + eps - 5/13) - 1/10^100)/100"
    program = two_laws("1/2", "0", f"eps, 1/2 + {slack} for eps in (0, 1)")
    assert (program.check().status, program.check(at="5/13").status) == ("undecided", "violated")
    with pytest.raises(LimitReached):
        program.violating_budgets()
