"""Proofs of functions that need each kind of proof, and of random ones: found, and accepted by the kernel."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from typing import Any

import pytest
from campaigns import some
from proving import NoProof, proof_of, prove

from dipc.kernel import exponential, facts, reading
from dipc.kernel.facts import ZERO, Function, Interval

POSITIVE = Interval(ZERO, None, False, False)


def total(*terms: tuple[str | int, ...]) -> Function:
    """The sum of the terms (c, n, a, k, b), zeros at the end left out."""
    padded = [(*term, 0, 0, 0, 0)[:5] for term in terms]
    return facts.collected(
        ((int(n), Fraction(a), Fraction(k), Fraction(b)), Fraction(c)) for c, n, a, k, b in padded
    )


def function(*terms: tuple[str | int, ...]) -> Function:
    """The same in normal form."""
    return facts.normal(total(*terms))


def between(low: str, high: str | None, closed: bool = True) -> Interval:
    return Interval(
        Fraction(low), None if high is None else Fraction(high), closed, closed and high is not None
    )


CASES = [
    # (exp(x) - 2)^2 touches 0 at ln 2
    (function((4,), (-4, 0, 1), (1, 0, 2)), POSITIVE, {"product"}, False),
    # (exp(x) - 2)^2 + 1/100 has no root, but V(0) = 2
    (function(("401/100",), (-4, 0, 1), (1, 0, 2)), POSITIVE, {"pieces"}, True),
    # (x - 1)^2 exp(x) + 1/1000
    (function((1, 2, 1), (-2, 1, 1), (1, 0, 1), ("1/1000",)), POSITIVE, {"pieces"}, True),
    # (x - 2)^2 (exp(x) - 1)
    (
        function((1, 2, 1), (-4, 1, 1), (4, 0, 1), (-1, 2), (4, 1), (-4,)),
        POSITIVE,
        {"product", "chain"},
        False,
    ),
    # 3 - x on (0, 3): a root at an open end
    (function((3,), (-1, 1)), between("0", "3", False), {"pieces"}, True),
    # exp(3) - exp(x) on [1, 3]
    (function((1, 0, 0, 3), (-1, 0, 1)), between("1", "3"), {"binomial", "pieces"}, False),
    # x - 1 on [1, 5], by the chain at 1
    (function((1, 1), (-1,)), between("1", "5"), {"chain"}, False),
    # exp(x) - 1 - x, the chain at 0
    (function((1, 0, 1), (-1,), (-1, 1)), POSITIVE, {"chain"}, True),
    # exp(1/x) - 1 - 1/x
    (function((1, 0, 0, 0, 1), (-1,), (-1, -1)), POSITIVE, {"inverse", "chain"}, True),
    # exp(1/x) - exp(1/4) on (0, 4]: in 1/x it is the chain at 1/4
    (function((1, 0, 0, 0, 1), (-1, 0, 0, "1/4")), between("0", "4", False), {"inverse", "chain"}, True),
    # exp(x) + exp(1/x) - 5: at least 2 e - 5 > 0, up to the greatest exponent
    (function((1, 0, 1), (1, 0, 0, 0, 1), (-5,)), between("1/4", "100000"), {"pieces"}, True),
    # the same without bounds: two tails
    (function((1, 0, 1), (1, 0, 0, 0, 1), (-5,)), POSITIVE, {"pieces"}, True),
    # exp(x) - exp(1/x) on [1, inf), 0 at 1
    (function((1, 0, 1), (-1, 0, 0, 0, 1)), between("1", None), {"binomial", "chain"}, False),
    # (exp(x) - exp(2/x)) (x^2 - 2): both factors change their signs at sqrt(2)
    (
        function((1, 2, 1), (-2, 0, 1), (-1, 2, 0, 0, 2), (2, 0, 0, 0, 2)),
        POSITIVE,
        {"binomial", "product"},
        False,
    ),
    # exp(x) + exp(1/x) - 2 e x: touches 0 at 1
    (function((1, 0, 1), (1, 0, 0, 0, 1), (-2, 1, 0, 1)), between("0", "1"), {"pieces"}, False),
    # x exp(x) + exp(1/x) - 2 e: 0 at 1, to the right
    (function((1, 1, 1), (1, 0, 0, 0, 1), (-2, 0, 0, 1)), between("1", None), {"pieces"}, False),
    # exp(x) + exp(1/x) - 2 e, touches 0 at 1
    (function((1, 0, 1), (1, 0, 0, 0, 1), (-2, 0, 0, 1)), POSITIVE, {"pieces"}, False),
    # the same at the end of an interval, from both sides
    (function((1, 0, 1), (1, 0, 0, 0, 1), (-2, 0, 0, 1)), between("1/8", "1"), {"pieces"}, False),
    (function((1, 0, 1), (1, 0, 0, 0, 1), (-2, 0, 0, 1)), between("1", "9"), {"pieces"}, False),
    # exp(-2) + exp(-x) - exp(-2 - x)
    (function((1, 0, 0, -2), (1, 0, -1), (-1, 0, -1, -2)), POSITIVE, {"chain"}, True),
    (function((7, 3, 2)), POSITIVE, {"chain"}, True),
    # 5 x - exp(x) at x = 1
    (function((5, 1), (-1, 0, 1)), between("1", "1"), {"point"}, True),
    ({}, POSITIVE, {"identity"}, False),
]


@pytest.mark.parametrize(("f", "on", "kinds", "strict"), CASES)
def test_kinds(f: Function, on: Interval, kinds: set[str], strict: bool) -> None:
    proof = proof_of(f, on, strict)
    prove(f, on, proof, "test", strict)
    assert kinds == set(re.findall(r"'kind': '(\w+)'", str(proof)))


@pytest.mark.parametrize("strict", [False, True])
def test_a_touching_function_is_not_strictly_positive(strict: bool) -> None:
    f = function((4,), (-4, 0, 1), (1, 0, 2))
    proof = proof_of(f, POSITIVE)
    if strict:
        with pytest.raises(reading.Refused):
            prove(f, POSITIVE, proof, "test", strict=True)
    else:
        prove(f, POSITIVE, proof, "test")


def test_what_has_no_proof_says_so() -> None:
    """(exp(x) - exp(-2) - 1)^2 + exp(-4000): positive, but bisection gives up before bounds show it."""
    root = function((1, 0, 1), (-1,), (-1, 0, 0, -2))
    f = facts.normal(facts.add(facts.multiply(root, root), {(0, ZERO, Fraction(-4000), ZERO): Fraction(1)}))
    with pytest.raises(NoProof, match="too close to 0 at eps = 0"):
        proof_of(f, POSITIVE)


def test_a_proof_of_too_many_pieces_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dipc.signs.taylor.MAX_PIECES", 5)
    with pytest.raises(NoProof, match="too close to 0"):  # there are 8
        proof_of(function((1, 0, 1), (1, 0, 0, 0, 1), (-5,)), between("1/8", "20"))


@pytest.mark.parametrize(
    "f",
    [
        function((1,), (-1, 0, 1)),  # 1 - exp(x)
        function((1, 0, 1), (-1, 0, 0, 0, 1)),  # exp(x) - exp(1/x)
        function((1, 0, 1), (1, 0, 0, 0, 1), (-6,)),  # exp(x) + exp(1/x) - 6, less than 0 at 1 only just
        function((1, 2), (-2,)),
        function((1, 1, 1), (-1, 0, 0, 0, 1), (-1,)),
    ],
)
def test_what_is_negative_somewhere_has_no_proof(f: Function) -> None:
    with pytest.raises(NoProof):
        proof_of(f, POSITIVE)


@pytest.mark.parametrize("seed", some(range(40), 8))
def test_squares_and_sums_of_random_functions(seed: int) -> None:
    """f^2 and f^2 + c are not negative, whatever f is."""
    rng = random.Random(seed)
    terms = [
        (rng.randint(-6, 6), rng.randint(0, 2), Fraction(rng.randint(0, 6), rng.choice((1, 2, 4))))
        for _ in range(rng.randint(1, 3))
    ]
    f = facts.collected(((n, a, ZERO, ZERO), Fraction(c)) for c, n, a in terms)
    square = facts.multiply(f, f)
    high = rng.choice((None, Fraction(rng.randint(2, 40))))
    on = Interval(ZERO, high, False, high is not None and rng.random() < 0.5)
    for more in (0, Fraction(1, 10), 3):
        g = facts.normal(facts.add(square, facts.collected([(facts.UNIT, Fraction(more))])))
        prove(g, on, proof_of(g, on), "test")


@pytest.mark.parametrize(
    "x", [Fraction(0), Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(100), Fraction(1, 10**9)]
)
@pytest.mark.parametrize("bits", [8, 64, 500])
def test_bounds_of_exp(x: Fraction, bits: int) -> None:
    """The bounds hold each other's finer bounds, multiply like exp, and are as close as they say."""
    low, high = exponential.exp_bounds(x, bits)
    finer = exponential.exp_bounds(x, 2 * bits)
    assert low <= finer[0] <= finer[1] <= high
    assert (high - low) * 2**bits <= high
    twice = exponential.exp_bounds(2 * x, bits)
    assert low * low <= twice[1] and twice[0] <= high * high


def test_exact_signs() -> None:
    half = Fraction(1, 2)
    f = function((1, 0, 2), (-2, 0, 1), (1,))  # (exp(x) - 1)^2
    assert facts.sign_at(f, ZERO) == 0
    assert facts.sign_at(f, Fraction(1, 10**30)) == 1
    assert facts.sign_at(facts.negative(f), Fraction(1, 10**30)) == -1
    assert facts.sign_at(function((1, 0, 1), (-1, 0, 0, half)), half) == 0


# --- each condition of each rule: a false proof that only this one refuses --------------------------------

PARABOLA = function((1, 2), (-2, 1), (1,))  # (x - 1)^2
RISING = function((1, 1), (-1,))  # x - 1


def cut_at(*points: str | None, by: list[Any]) -> Any:
    return {"kind": "pieces", "points": list(points), "pieces": by}


def low(order: int, *times: str | int) -> list[Any]:
    return ["low", order, [list(times or ("1",))]]


def high(order: int, *times: str | int) -> list[Any]:
    return ["high", order, [list(times or ("1",))]]


FALSE = [
    # a derivative at the end has the wrong sign
    (RISING, between("0", "2", False), cut_at("0", "2", by=[low(1)]), "derivative 0 has the wrong sign at 0"),
    # to the left odd derivatives change their sign
    (RISING, between("0", "1", False), cut_at("0", "1", by=[high(1)]), "derivative 1 has perhaps"),
    (
        function((1, 3), (-1,)),
        between("1/2", "1"),
        cut_at("1/2", "1", by=[high(2)]),
        "derivative 1 has the wrong sign at 1",
    ),
    # bounds on all of the piece
    (
        function((1,), (-1, 1)),
        between("0", "2", False),
        cut_at("0", "2", by=[low(0)]),
        "derivative 0 has perhaps",
    ),
    # points from end to end, ascending
    (function((2,), (-1, 1)), between("0", "3", False), cut_at("0", "1", by=[low(0)]), "from one end"),
    (RISING, between("0", "3", False), cut_at("2", "3", by=[low(0)]), "from one end"),
    (RISING, between("0", "3", False), cut_at("0", "0", "3", by=[low(0)] * 2), "ascending"),
    (RISING, between("0", "3", False), cut_at("0", "2", "3", by=[low(0)]), "not one proof for every piece"),
    # a negative term turns the function round
    (RISING, between("0", "1", False), cut_at("0", "1", by=[high(1, "-1")]), "single positive term"),
    (
        function((1, 1), (-2,)),
        between("0", "1", False),
        cut_at("0", "1", by=[["low", 0, [["1"], ["-2", 1]]]]),
        "single positive term",
    ),
    # at 0 no term may be infinite
    (RISING, between("0", "1", False), cut_at("0", "1", by=[low(0, "1", -1)]), "1/eps"),
    # a tail only from a positive point on, or up to one
    (RISING, POSITIVE, cut_at("0", None, by=["tail"]), "nor a tail at an open end"),
    (RISING, between("1/2", "2"), cut_at("1/2", "2", by=["tail"]), "nor a tail at an open end"),
    (RISING, between("1/2", None), cut_at("1/2", None, by=[low(0)]), "nor a tail at an open end"),
    # the fastest term is the negative one; or not large enough
    (function((1,), (-1, 0, 1)), between("1", None), cut_at("1", None, by=["tail"]), "not larger"),
    (function((1, 0, 1), (-4, 1)), between("1", None), cut_at("1", None, by=["tail"]), "not larger"),
    # 10 exp(x) > 27 x^5 at 1, but not at 5
    (function((10, 0, 1), (-27, 5)), between("1", None), cut_at("1", None, by=["tail"]), "does not fall"),
    # exp(x) (exp(1/x) - 1 - 1/x) is about exp(x) x^-2 / 2, not exp(x) x^-2
    (
        function((1, 0, 1, 0, 1), (-1, 0, 1), (-1, -1, 1), (-17000, -2)),
        between("10", None),
        cut_at("10", None, by=["tail"]),
        "not larger",
    ),
    # near 0: exp(1/x) > 1000
    (
        function((-1, 0, 0, 0, 1), (1000,)),
        between("0", "1/10", False),
        cut_at("0", "1/10", by=["tail"]),
        "not larger",
    ),
    # a binomial has opposite coefficients and one power; the product is the function, with its sign
    (
        function((3,), (-1, 0, 1)),
        POSITIVE,
        {
            "kind": "binomial",
            "binomial": [["3"], ["-1", 0, "1"]],
            "cofactor": [["1"]],
            "proof": {"kind": "identity"},
        },
        "not a difference of two exponentials",
    ),
    (
        function((3, 1), (-3, 0, 1)),
        POSITIVE,
        {
            "kind": "binomial",
            "binomial": [["3", 1], ["-3", 0, "1"]],
            "cofactor": [["1"]],
            "proof": {"kind": "identity"},
        },
        "not a difference of two exponentials",
    ),
    (
        function((1,), (-1, 0, 1)),
        POSITIVE,
        {
            "kind": "binomial",
            "binomial": [["-1"], ["1", 0, "1"]],
            "cofactor": [["1"]],
            "proof": {"kind": "chain", "at": "0"},
        },
        "the product is not the function",
    ),
    (
        function((1,), (-1, 0, 1)),
        POSITIVE,
        {
            "kind": "binomial",
            "binomial": [["1"], ["-1", 0, "1"]],
            "cofactor": [["1"]],
            "proof": {"kind": "chain", "at": "0"},
        },
        "a number of the chain is negative",
    ),
]


@pytest.mark.parametrize(("f", "on", "proof", "reason"), FALSE)
def test_each_condition_is_needed(f: Function, on: Interval, proof: Any, reason: str) -> None:
    with pytest.raises(reading.Refused, match=reason):
        prove(f, on, proof, "test")


@pytest.mark.parametrize(("start", "ends"), [("0", False), ("1", True)])
def test_strict_proofs_look_at_the_points_between(start: str, ends: bool) -> None:
    """(x - 1)^2 is 0 at 1: where two pieces meet, or at a closed end."""
    points = ["1", "2"] if ends else ["0", "1", "2"]
    proof = cut_at(*points, by=[low(2)] if ends else [high(2), low(2)])
    on = between(start, "2", ends)
    prove(PARABOLA, on, proof, "test")
    with pytest.raises(reading.Refused, match="not positive"):
        prove(PARABOLA, on, proof, "test", strict=True)


@pytest.mark.parametrize("f", [f for f, *_ in CASES if f])
@pytest.mark.parametrize(("a", "b"), [("1/8", "1/7"), ("1", "2"), ("5", "9")])
def test_bounds_on_an_interval_hold_all_values(f: Function, a: str, b: str) -> None:
    """At the ends and inside, for f, for -f, and for f over each of its terms."""
    low, high = Fraction(a), Fraction(b)
    for n, r, k, i in f:
        g = facts.multiply(f, {(-n, -r, -k, -i): Fraction(1)})
        for h in (g, facts.negative(g)):
            least, greatest = facts.bounds_on(h, low, high)
            for x in (low, (low + high) / 2, high):
                above = facts.add(h, facts.collected([(facts.UNIT, -least)]))
                below = facts.add(facts.collected([(facts.UNIT, greatest)]), facts.negative(h))
                assert facts.sign_at(above, x) >= 0 and facts.sign_at(below, x) >= 0
