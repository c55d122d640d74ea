"""The polynomials of the kernel: values at points judge the arithmetic, the coefficients and the trees."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb, prod
from random import Random
from typing import Any

import pytest
from campaigns import many

from dipc.kernel import polynomials
from dipc.kernel.polynomials import Cube, Polynomial, Sign, Terms, bernstein, composed, plus, times
from dipc.kernel.reading import Refused
from dipc.kernel.schema import read

GRID = [Fraction(n, 8) for n in range(9)]


def random_polynomial(random: Random, variables: int, degree: int = 3) -> Polynomial:
    found: Polynomial = {}
    for _ in range(random.randint(0, 5)):
        key = bytes(random.randint(0, degree) for _ in range(variables))
        found[key] = Fraction(random.choice((-3, -2, -1, 1, 2, 5)), random.randint(1, 4))
    return found


def at(f: Polynomial, point: tuple[Fraction, ...]) -> Fraction:
    return sum((c * prod(x**n for x, n in zip(point, key, strict=True)) for key, c in f.items()), Fraction(0))


@pytest.mark.parametrize("seed", range(30))
def test_arithmetic(seed: int) -> None:
    random = Random(seed)
    f, g, h, k = (random_polynomial(random, 2) for _ in range(4))
    point = Fraction(random.randint(-9, 9), 5), Fraction(random.randint(-9, 9), 7)
    assert at(plus(f, g, Fraction(-2, 3)), point) == at(f, point) - Fraction(2, 3) * at(g, point)
    assert at(times(f, g), point) == at(f, point) * at(g, point)
    assert at(composed(f, [h, k], 2), point) == at(f, (at(h, point), at(k, point)))
    assert polynomials.value_at(f, point) == at(f, point)
    assert plus(f, f, -1) == {} and all(times(plus(f, g), h).values())


def boxes(tree: list[int], box: tuple[tuple[Fraction, Fraction], ...]) -> Iterator[tuple[int, Any]]:
    """The leaves of a tree, with their boxes; consumes the tree."""
    label = tree.pop(0)
    if label < 0:
        yield label, box
        return
    low, high = box[label]
    middle = (low + high) / 2
    for part in ((low, middle), (middle, high)):
        yield from boxes(tree, (*box[:label], part, *box[label + 1 :]))


@pytest.mark.parametrize("seed", range(30))
def test_bernstein_coefficients_and_their_halves(seed: int) -> None:
    """On each half the combination of Bernstein polynomials has the values of f, times a positive number."""
    random = Random(seed)
    f = random_polynomial(random, 2)
    whole = bernstein(f, 2, "f")
    low, high = whole.halves(seed % 2)
    for tensor, box in ((whole, ((0, 1), (0, 1))), (low, None), (high, None)):
        start = Fraction(tensor is high, 2)
        sides = box or tuple(
            (start, start + Fraction(1, 2)) if axis == seed % 2 else (0, 1) for axis in range(2)
        )
        factors = set()
        for t in product(GRID[::2], repeat=2):
            value = sum(
                b
                * prod(
                    comb(n - 1, i) * x**i * (1 - x) ** (n - 1 - i)
                    for n, i, x in zip(tensor.shape, index, t, strict=True)
                )
                for index, b in zip(product(*map(range, tensor.shape)), tensor.values, strict=True)
            )
            point = tuple(lo + (hi - lo) * x for (lo, hi), x in zip(sides, t, strict=True))
            expected = at(f, point)
            assert (value > 0) == (expected > 0) and (value < 0) == (expected < 0)
            factors |= {value / expected} if expected else set()
        assert len(factors) <= 1


def random_tree(random: Random, variables: int, conditions: int, depth: int) -> list[int]:
    if depth and random.random() < 0.6:
        halves = (random_tree(random, variables, conditions, depth - 1) for _ in range(2))
        return [random.randrange(variables), *(label for half in halves for label in half)]
    return [random.choice((-1, -1, *(-2 - i for i in range(conditions))))]


def accepted(f: Polynomial, conditions: list[Polynomial], proof: Any) -> bool:
    try:
        sign = read(Sign, proof, "f")
        Cube(2, [bernstein(g, 2, "g") for g in conditions]).check_sign(f, sign, "f")
    except Refused:
        return False
    return True


def test_random_trees_prove_only_what_is_true() -> None:
    """Most are refused; those that are accepted are right at all points of a grid, also on every leaf."""
    random, count = Random(0), 0
    for _ in range(many(700, campaign=40_000)):
        f, conditions = random_polynomial(random, 2, 2), [random_polynomial(random, 2, 1) for _ in range(2)]
        tree = random_tree(random, 2, 2, 3)
        if not accepted(f, conditions, tree):
            continue
        count += len(tree) > 1
        for point in product(GRID, repeat=2):
            assert at(f, point) >= 0 or any(at(g, point) < 0 for g in conditions), (f, conditions, tree)
        leaves = list(boxes(tree.copy(), ((Fraction(0), Fraction(1)),) * 2))
        assert sum(prod(hi - lo for lo, hi in box) for _, box in leaves) == 1
        for broken in (tree[:-1], [*tree, -1], [2, *tree], [-4], [0, *tree]):
            assert not accepted(f, conditions, broken)
    assert count > 25


def as_listed(f: Polynomial) -> Any:
    return [[list(key), str(c)] for key, c in sorted(f.items())]


def test_factors() -> None:
    """p (1 - p) (2p - 1)^2 is nonnegative, and no tree alone proves that; (2p - 1)^3 is not."""
    p, other = {bytes((1, 0)): Fraction(1)}, {bytes((0, 0)): Fraction(1), bytes((1, 0)): Fraction(-1)}
    g = {bytes((0, 0)): Fraction(-1), bytes((1, 0)): Fraction(2)}
    square = times(g, g)
    f = times(times(p, other), square)
    assert not accepted(f, [], [-1])
    listed = [[as_listed(p), 1, [-1]], [as_listed(other), 1, [-1]], [as_listed(g), 2, None]]
    assert accepted(f, [], {"factors": listed})
    for broken in (listed[:-1], [*listed[:2], [as_listed(g), 1, None]], [*listed[:2], [as_listed(g), 2, []]]):
        assert not accepted(f, [], {"factors": broken})
    assert not accepted(times(f, g), [], {"factors": [*listed[:2], [as_listed(g), 3, None]]})
    assert not accepted(times(f, g), [], {"factors": [*listed[:2], [as_listed(g), 3, [-1]]]})
    assert not accepted({key: -c for key, c in f.items()}, [], {"factors": listed})
    for power in (0, -1, -2, 256, 10**9):  # none is an exponent: neither left out, nor waited for
        assert not accepted(f, [], {"factors": [*listed, [as_listed(other), power, [-1]]]})
        assert not accepted(f, [], {"factors": [*listed, [as_listed(other), power, None]]})
    assert accepted({bytes(2): Fraction(1, 2)}, [], None) and accepted({}, [], None)
    assert not accepted({bytes(2): Fraction(-1, 2)}, [], None) and not accepted(p, [], None)


def test_a_box_is_dropped_only_if_a_condition_fails_on_all_of_it() -> None:
    """p - 1/2 >= 0 fails on [0, 1/2), but not at its end."""
    f = {bytes((0, 0)): Fraction(-1, 4), bytes((1, 0)): Fraction(1)}
    strict = {bytes((0, 0)): Fraction(-1, 2), bytes((1, 0)): Fraction(1)}
    larger = {bytes((0, 0)): Fraction(-3, 4), bytes((1, 0)): Fraction(1)}
    assert not accepted(f, [strict], [0, -2, -1]) and accepted(f, [larger], [0, -2, -1])
    assert accepted(f, [strict], [0, 0, -2, -1, -1])


def test_polynomials_in_words() -> None:
    f = {bytes((0, 0)): Fraction(-1), bytes((1, 2)): Fraction(3, 2), bytes((0, 1)): Fraction(-1)}
    assert (
        polynomials.shown(f, ["p", "q"]) == "-1 - q + 3/2*p*q^2" and polynomials.shown({}, ["p", "q"]) == "0"
    )


@pytest.mark.parametrize(
    "written",
    [
        [[[0], "1"]],
        [[[0, 0], "0"]],
        [[[0, 0], "2/2"]],
        [[[0, -1], "1"]],
        [[[0, 256], "1"]],
        [[[0, True], "1"]],
        [[[0, 1], "1"], [[0, 1], "1"]],
        [[[0, 1], "1"], [[0, 0], "1"]],
        [[[0, 0], 1]],
        [[0, 0], "1"],
        None,
    ],
)
def test_what_is_not_a_polynomial_is_refused(written: Any) -> None:
    with pytest.raises(Refused, match=r"^f[:,] "):
        polynomials.polynomial(read(Terms, written, "f"), 2, "f")


def test_sizes_are_limited() -> None:
    f = {bytes((200, 0)): Fraction(1)}
    with pytest.raises(Refused, match="above 255"):
        times(f, f)
    wide = {bytes((255, 255, 255)): Fraction(1)}
    with pytest.raises(Refused, match="Bernstein coefficients"):
        bernstein(wide, 3, "f")
