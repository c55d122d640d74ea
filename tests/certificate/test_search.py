"""Proofs of functions that need each kind of proof, and of random ones: found, and accepted by the kernel."""

from __future__ import annotations

import random
import re
from fractions import Fraction

import pytest

from dipc.certificate import kernel
from dipc.certificate.kernel import ZERO, Function, Interval
from dipc.certificate.search import NoProof, proof_of

POSITIVE = Interval(ZERO, None, False, False)


def function(*terms: tuple[str | int, ...]) -> Function:
    """The sum of the terms (c, n, a, k, b), zeros at the end left out, in normal form."""
    padded = [(*term, 0, 0, 0, 0)[:5] for term in terms]
    return kernel.normal(
        kernel.collected(
            ((int(n), Fraction(a), Fraction(k), Fraction(b)), Fraction(c)) for c, n, a, k, b in padded
        )
    )


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
    (function((1, 0, 0, 3), (-1, 0, 1)), between("1", "3"), {"pieces"}, False),
    # x - 1 on [1, 5], by the chain at 1
    (function((1, 1), (-1,)), between("1", "5"), {"chain"}, False),
    # exp(x) - 1 - x, the chain at 0
    (function((1, 0, 1), (-1,), (-1, 1)), POSITIVE, {"chain"}, True),
    # exp(1/x) - 1 - 1/x
    (function((1, 0, 0, 0, 1), (-1,), (-1, -1)), POSITIVE, {"inverse", "chain"}, True),
    # exp(1/x) - exp(1/4) on (0, 4]: in 1/x it is the chain at 1/4
    (function((1, 0, 0, 0, 1), (-1, 0, 0, "1/4")), between("0", "4", False), {"inverse", "chain"}, True),
    # exp(x) + exp(1/x) - 5: at least 2 e - 5 > 0
    (function((1, 0, 1), (1, 0, 0, 0, 1), (-5,)), between("1/4", "3"), {"pieces"}, True),
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
    kernel.prove(f, on, proof, "test", strict)
    assert kinds <= set(re.findall(r"'kind': '(\w+)'", str(proof)))


@pytest.mark.parametrize("strict", [False, True])
def test_a_touching_function_is_not_strictly_positive(strict: bool) -> None:
    f = function((4,), (-4, 0, 1), (1, 0, 2))
    proof = proof_of(f, POSITIVE)
    if strict:
        with pytest.raises(kernel.Refused):
            kernel.prove(f, POSITIVE, proof, "test", strict=True)
    else:
        kernel.prove(f, POSITIVE, proof, "test")


def test_what_has_no_proof_says_so() -> None:
    """(exp(x) - exp(-2) - 1)^2 + exp(-4000): positive, but bisection gives up before bounds show it."""
    root = function((1, 0, 1), (-1,), (-1, 0, 0, -2))
    f = kernel.normal(
        kernel.add(kernel.multiply(root, root), {(0, ZERO, Fraction(-4000), ZERO): Fraction(1)})
    )
    with pytest.raises(NoProof, match="too close to 0 at eps = 0"):
        proof_of(f, POSITIVE)


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


@pytest.mark.parametrize("seed", range(40))
def test_squares_and_sums_of_random_functions(seed: int) -> None:
    """f^2 and f^2 + c are not negative, whatever f is."""
    rng = random.Random(seed)
    terms = [
        (rng.randint(-6, 6), rng.randint(0, 2), Fraction(rng.randint(0, 6), rng.choice((1, 2, 4))))
        for _ in range(rng.randint(1, 3))
    ]
    f = kernel.collected(((n, a, ZERO, ZERO), Fraction(c)) for c, n, a in terms)
    square = kernel.multiply(f, f)
    high = rng.choice((None, Fraction(rng.randint(2, 40))))
    on = Interval(ZERO, high, False, high is not None and rng.random() < 0.5)
    for more in (0, Fraction(1, 10), 3):
        g = kernel.normal(kernel.add(square, kernel.collected([(kernel.UNIT, Fraction(more))])))
        kernel.prove(g, on, proof_of(g, on), "test")


@pytest.mark.parametrize("seed", range(40))
def test_the_proof_of_one_function_proves_no_other(seed: int) -> None:
    rng = random.Random(seed)
    proofs = [(f, on, proof_of(f, on)) for f, on, _, _ in CASES if f and on.low != on.high]
    (f, on, proof), (g, _, _) = rng.sample(proofs, 2)
    kernel.prove(f, on, proof, "test")
    negative = kernel.negative(f)
    with pytest.raises(kernel.Refused):
        kernel.prove(negative, on, proof, "test")
    if kernel.sign_at(g, Fraction(1)) < 0 and on.has(Fraction(1)):
        with pytest.raises(kernel.Refused):
            kernel.prove(g, on, proof, "test")


@pytest.mark.parametrize(
    "x", [Fraction(0), Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(100), Fraction(1, 10**9)]
)
@pytest.mark.parametrize("bits", [8, 64, 500])
def test_bounds_of_exp(x: Fraction, bits: int) -> None:
    """The bounds hold each other's finer bounds, multiply like exp, and are as close as they say."""
    low, high = kernel.exp_bounds(x, bits)
    finer = kernel.exp_bounds(x, 2 * bits)
    assert low <= finer[0] <= finer[1] <= high
    assert (high - low) * 2**bits <= high
    twice = kernel.exp_bounds(2 * x, bits)
    assert low * low <= twice[1] and twice[0] <= high * high


def test_exact_signs() -> None:
    half = Fraction(1, 2)
    f = function((1, 0, 2), (-2, 0, 1), (1,))  # (exp(x) - 1)^2
    assert kernel.sign_at(f, ZERO) == 0
    assert kernel.sign_at(f, Fraction(1, 10**30)) == 1
    assert kernel.sign_at(kernel.negative(f), Fraction(1, 10**30)) == -1
    assert kernel.sign_at(function((1, 0, 1), (-1, 0, 0, half)), half) == 0
