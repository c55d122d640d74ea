"""Probabilities, least epsilons and least deltas, compared with a slow evaluation at rational points."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

import pytest
from campaigns import many
from dpctl import evaluator
from dpctl.evaluator import EPS, EXP, Example, Family, Tree, shown
from dpctl.test_regions import side
from flint import arb, ctx, fmpq

from dipc.clock import Clock
from dipc.dpctl.pipeline import ModelValue, value
from dipc.dpctl.syntax import parse_property
from dipc.dpctl.values import Attained, Segment
from dipc.errors import InputError, Source
from dipc.models.reading import number_from_text, read_model
from dipc.signs.tables import end_as_text

CLOSE = fmpq(1, 10**30)


@pytest.fixture(autouse=True)
def _precise() -> Iterator[None]:
    with ctx.workprec(300):
        yield


def answer(chain: Example, text: str) -> ModelValue:
    read = read_model(Source("m", chain.text()))
    model, numbers = read.model, read.numbers
    every = ", ".join(f"s{s}" for s in range(len(chain.rows)))
    asked = f"{text} from {every} for eps in {chain.family.eps_range}"
    return value(model, parse_property(Source("f", asked), model, numbers), Clock())


def at(segments: tuple[Segment, ...], eps: arb) -> Attained:
    """The value at one eps; ends that are closer than 10^-30 are that eps."""
    found = []
    for segment in segments:
        low, high, low_closed, high_closed = segment.region
        if side(eps, low) >= (0 if low_closed else 1) and side(eps, high) <= (0 if high_closed else -1):
            found.append(segment.found)
    (only,) = found  # the segments do not overlap and leave nothing out
    assert only is not None
    return only


def exactly(family: Family, x: Fraction, function: object) -> arb:
    here = fmpq(x.numerator, x.denominator)
    return function.enclose(arb(here) if family is EPS else arb(here).log())  # type: ignore[attr-defined]


def equal(family: Family, x: Fraction, function: object, number: Fraction) -> bool:
    return bool(abs(exactly(family, x, function) - fmpq(number.numerator, number.denominator)) < CLOSE)


def cases(family: Family, seed: int, count: int) -> Iterator[tuple[Example, Tree, Fraction, arb]]:
    rng = random.Random(seed)
    for _ in range(count):
        chain, path = evaluator.example(rng, family), evaluator.path(rng, family, 1)
        for x in rng.sample(family.points, 6):
            eps = arb(fmpq(x.numerator, x.denominator))
            yield chain, path, x, eps if family is EPS else eps.log()


@pytest.mark.parametrize("family", [EPS, EXP], ids=["eps", "exp"])
def test_probabilities(family: Family) -> None:
    for chain, path, x, eps in cases(family, 1, many(2, campaign=100)):
        found = answer(chain, f"P=? ({shown(path)})").values
        for s, p in enumerate(evaluator.values(chain, path, x)):
            function = at(found[f"s{s}"], eps).value
            assert function is not None
            assert equal(family, x, function, p)


@pytest.mark.parametrize("family", [EPS, EXP], ids=["eps", "exp"])
def test_least_deltas(family: Family) -> None:
    rng = random.Random(2)
    for chain, path, x, eps in cases(family, 3, many(2, campaign=100)):
        epsilon, factor = rng.choice(family.exponents)
        p, e = evaluator.values(chain, path, x), evaluator.number(factor, x)
        least = max(p[s] - e * p[t] for pair in chain.neighbours for s, t in (pair, pair[::-1]))
        function, s, t = at(answer(chain, f"D[{epsilon}, ?]({shown(path)})").values[""], eps)
        assert function is not None
        assert equal(family, x, function, max(least, Fraction(0)))
        if least > 0:
            assert t is not None
            assert p[s] - e * p[t] == least


@pytest.mark.parametrize("family", [EPS, EXP], ids=["eps", "exp"])
def test_least_epsilons(family: Family) -> None:
    rng, infinite = random.Random(4), 0
    for chain, path, x, eps in cases(family, 5, many(3, campaign=100)):
        delta = rng.choice(family.deltas)
        p, d = evaluator.values(chain, path, x), evaluator.number(delta, x)
        pairs = [each for pair in chain.neighbours for each in (pair, pair[::-1]) if p[each[0]] > d]
        function, s, t = at(answer(chain, f"D[?, {delta}]({shown(path)})").values[""], eps)
        if any(not p[t] for _, t in pairs):
            assert (function, p[s] > d, p[t or 0]) == (None, True, 0)
            infinite += 1
        else:
            assert function is not None
            assert equal(family, x, function, max([(p[s] - d) / p[t] for s, t in pairs] + [Fraction(1)]))
    assert infinite > 1


def segments(chain: str, text: str) -> list[str]:
    read = read_model(Source("m", chain))
    model, numbers = read.model, read.numbers
    found = value(model, parse_property(Source("f", text), model, numbers), Clock()).values[""]
    return [written(each) for each in found]


def written(segment: Segment) -> str:
    (low, high, *closed), attained = segment.region, segment.found
    assert attained is not None
    return f"{end_as_text(low)} {end_as_text(high)} {closed[0]} {closed[1]}: {attained.value}"


TWO = "chain; s -> {a: 1/2, b: 1/2}; t -> {a: 1/2 - eps/8, b: 1/2 + eps/8}; u -> a; a -> a; b -> b"


def test_pieces_of_a_value() -> None:
    chain = TWO + "; neighbours s ~ t"
    assert segments(chain, "D[?, 0](X a) for eps in (0, 2]") == ["0 2 False True: (-4)/(-4 + eps)"]
    assert segments(chain, "D[0, ?](X a) for eps in (0, 2]") == ["0 2 False True: 1/8*eps"]
    assert segments(chain, "D[eps, ?](X a) for eps in (0, 2]") == ["0 2 False True: 0"]
    assert segments(chain, "D[?, 1/8](X a) for eps in (0, 2]") == [
        "0 1 False True: 1",
        "1 2 False True: (-3)/(-4 + eps)",
    ]
    assert segments(chain, "D[?, 1/8](X a) for eps in [3/2, 3/2]") == ["3/2 3/2 True True: (-3)/(-4 + eps)"]


def test_an_infinite_value_and_one_that_is_infinite_only_where_a_transition_vanishes() -> None:
    assert segments(TWO + "; neighbours u ~ b", "D[?, 1/2](X a) for eps in (0, 4)") == [
        "0 4 False False: None"
    ]
    chain = "chain; let p = (eps - 1)^2/4; s -> {a: p, b: 1 - p}; t -> {a: 1/4, b: 3/4}; a -> a; b -> b"
    found = segments(chain + "; neighbours s ~ t", "D[?, 0](X a) for eps in [1, 2)")
    assert found == ["1 1 True True: None", "1 2 False False: (1)/(1 - 2*eps + eps^2)"]


def test_values_without_neighbours_and_between_equal_states() -> None:
    assert segments(TWO, "D[?, 0](X a) from s for eps in (0, 4)") == ["0 4 False False: 1"]
    assert segments(TWO, "D[1, ?](X a) from s for eps in (0, 4)") == ["0 4 False False: 0"]


def test_one_function_for_a_state_is_given_by_its_name() -> None:
    model = read_model(Source("m", TWO)).model
    found = value(model, parse_property(Source("f", "P=? (X a) from s, t for eps in (0, 4)"), model), Clock())
    assert (found["s"], found["t"]) == (fmpq(1, 2), number_from_text("1/2 - eps/8"))
    same = value(model, parse_property(Source("f", "Pmin=? (X a) from s for eps in (0, 4)"), model), Clock())
    assert same.notes
    with pytest.raises(InputError, match="a formula has no value"):
        value(model, parse_property(Source("f", "P>0 (X a)"), model), Clock())
