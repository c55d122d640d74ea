"""Classes of parameters: polynomials on them, their messages."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import pytest
from campaigns import some
from flint import fmpq
from pufferfish.parametric_examples import GEOMETRIC, one_shot, question, side, unit_ranges

from dipc.clock import Clock
from dipc.errors import InputError
from dipc.numbers.parametric import Parametric, Ring
from dipc.pufferfish.classes import ParameterClass, check_class
from dipc.pufferfish.question import Parameters, Question, Range
from dipc.signs.boxes import Fails, Holds, Unclear

RING = Ring(("p", "q"))
P, Q = RING.gens
ZERO, ONE = RING.of(0), RING.of(1)
TRIANGLE = Parameters(RING, (Range(ZERO, ONE, False, False), Range(ZERO, 1 - P, False, False)))
FRACTION = Parameters(RING, (Range(ZERO, ONE, True, True), Range(P / (1 + P), ONE / (1 + P), True, False)))
HALF_SQUARE = Parameters(RING, unit_ranges(RING), (P + Q - fmpq(1, 2), P - Q))
CLASSES = [TRIANGLE, FRACTION, HALF_SQUARE, Parameters(RING, unit_ranges(RING, closed=True))]


def values_on(parameters: Parameters, f: Parametric) -> list[fmpq]:
    """The values at grid points of the class, membership by its definition."""
    found = []
    for p, q in product([fmpq(i, 16) for i in range(17)], repeat=2):
        point = {"p": p, "q": q}
        bounds = [[_number(end.at(point)) for end in (r.low, r.high)] for r in parameters.ranges]
        inside = all(
            (low < x or (r.low_closed and low == x)) and (x < high or (r.high_closed and x == high))
            for x, (low, high), r in zip((p, q), bounds, parameters.ranges, strict=True)
        )
        if inside and all(_number(g.at(point)) >= 0 for g in parameters.conditions):
            found.append(_number(f.at(point)))
    return found


def _number(f: Parametric) -> fmpq:
    value = f.as_rational()
    assert value is not None
    return fmpq(value.p, value.q)


def some_function(rng: random.Random) -> Parametric:
    terms = (
        P**i * Q**j * fmpq(rng.randint(-4, 5), 2)
        for i, j in product(range(3), repeat=2)
        if rng.random() < 0.5
    )
    f = sum(terms, ZERO)
    if rng.random() < 0.3:
        f = f * (P - Q) ** 2
    return f / (1 + P * rng.randint(0, 2))


@pytest.mark.parametrize("seed", some(range(80), 16))
@pytest.mark.parametrize("parameters", CLASSES, ids=["triangle", "fraction", "where", "square"])
def test_answers_agree_with_a_grid(parameters: Parameters, seed: int) -> None:
    f = some_function(random.Random(seed))
    family = ParameterClass(parameters, Clock())
    match family.nonnegative(family.pulled(f)):
        case Holds():
            assert all(value >= 0 for value in values_on(parameters, f))
        case Fails(point):
            assert _number(f.at(family.values(point))) < 0
            assert family.contains(point)
        case Unclear():
            assert all(value >= 0 for value in values_on(parameters, f))


def test_a_dependent_range_is_settled_where_it_meets_the_zeros() -> None:
    family = ParameterClass(TRIANGLE, Clock())
    assert isinstance(family.nonnegative(family.pulled(1 - P - Q)), Holds)
    assert isinstance(family.nonnegative(family.pulled((1 - P - Q) * (P - Q) ** 2 * P)), Holds)
    assert isinstance(family.nonnegative(family.pulled(fmpq(99, 100) - P - Q)), Fails)


ONE_RING = Ring(("p",))
(R,) = ONE_RING.gens


@pytest.mark.parametrize(
    ("condition", "f", "holds"),
    [
        (R - fmpq(1, 3), R - fmpq(1, 3), True),
        (R - fmpq(1, 3), (R - fmpq(1, 3)) * (R * R - fmpq(1, 2)), False),
        (R * R - fmpq(1, 2), (R * R - fmpq(1, 2)) * (2 - R), True),
        (R * R - fmpq(1, 2), fmpq(1, 2) - R * R, False),
        (fmpq(1, 2) - R * R, fmpq(1, 2) - R * R, True),
        ((R - fmpq(1, 3)) * (R - fmpq(2, 3)), (R - fmpq(1, 3)) * (R - fmpq(2, 3)), True),
    ],
)
def test_one_parameter_is_decided_at_shared_roots(condition: Parametric, f: Parametric, holds: bool) -> None:
    family = ParameterClass(Parameters(ONE_RING, unit_ranges(ONE_RING), (condition,)), Clock())
    assert isinstance(family.nonnegative(family.pulled(f)), Holds if holds else Fails)


def test_an_isolated_point_of_a_class_is_not_overlooked() -> None:
    """The class is the one irrational point p = sqrt(1/2): no sample meets it, so nothing is claimed."""
    condition = -((R * R - fmpq(1, 2)) ** 2)
    family = ParameterClass(Parameters(ONE_RING, unit_ranges(ONE_RING), ()), Clock())
    family.conditions = (family.pulled(condition),)
    assert isinstance(family.nonnegative(family.pulled(fmpq(1, 2) - R)), Unclear)


HARD = [  # zeros inside the class, irreducible
    (P - fmpq(1, 3)) ** 2 + (Q - fmpq(1, 3)) ** 2,
    P * P - P * Q + Q * Q,
    (P + Q - fmpq(1, 2)) ** 2 + P * (Q - fmpq(1, 4)) ** 2,
]


@pytest.mark.parametrize("f", HARD)
def test_zeros_inside_are_unclear(f: Parametric) -> None:
    """No solver is asked, installed or not: nothing would check a `private` of its own."""
    family = ParameterClass(CLASSES[-1], Clock())
    assert isinstance(family.nonnegative(family.pulled(f)), Unclear)


@pytest.mark.parametrize("f", HARD)
def test_what_is_not_zero_inside_is_settled(f: Parametric) -> None:
    family = ParameterClass(CLASSES[-1], Clock())
    for seed in range(20):
        g = f * f - fmpq(random.Random(seed).randint(-3, 5), 10**6)
        answer = family.nonnegative(family.pulled(g))
        assert not isinstance(answer, Unclear)
        assert isinstance(answer, Fails) or min(values_on(CLASSES[-1], g)) >= 0


# Messages


def asked(weights: dict[int, Parametric], ranges: tuple[Range, ...], *conditions: Parametric) -> Question:
    model = one_shot(RING, [[fmpq(x, 6) for x in row] for row in GEOMETRIC])
    both = side("a", weights, "prior"), side("b", {0: RING.of(1)}, "prior")
    return replace(question(model, RING, both), parameters=Parameters(RING, ranges, conditions))


UNIT = unit_ranges(RING)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (asked({0: P, 1: 1 - P}, (Range(ONE, ONE, False, True), UNIT[1])), "the range of p is empty"),
        (asked({0: P}, (Range(ONE, ZERO, False, True), UNIT[1])), "the range of p is empty: 1 is above 0"),
        (
            asked({0: P}, (UNIT[0], Range(P, RING.of(fmpq(1, 2)), False, True))),
            r"the range of q is empty at p = 3/4.*: p is above 1/2",
        ),
        (asked({0: P}, (Range(Q, ONE, True, True), UNIT[1])), "the bound q of p uses p or a later parameter"),
        (asked({0: P}, UNIT, P - 2), "no values of the parameters meet all the `where` conditions"),
        (asked({0: P}, UNIT, P - Q - fmpq(1, 2), Q - P), "no values of the parameters meet all"),
        (asked({0: P / (2 * Q - 1)}, UNIT), "the divisor q - 1/2 vanishes at p = 1/2, q = 1/2"),
        (asked({0: P / (3 * Q - 1)}, UNIT), "the divisor q - 1/3 changes its sign: it is -1/"),
        (
            asked({1: P - fmpq(3, 4)}, UNIT),
            "the probability p - 3/4 of n1 in prior is -1/4 at p = 1/2, q = 1/2",
        ),
        (asked({1: P - Q}, UNIT), r"the probability p - q of n1 in prior is -1/2 at p = 1/4, q = 3/4"),
    ],
)
def test_messages(wrong: Question, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_class(wrong, Clock())


def test_a_divisor_may_vanish_at_an_open_end() -> None:
    fine = asked({0: 1 / (P + Q)}, UNIT)
    check_class(fine, Clock())
    with pytest.raises(InputError, match=r"vanishes at p = 0, q = 0"):
        check_class(replace(fine, parameters=Parameters(RING, unit_ranges(RING, closed=True))), Clock())
