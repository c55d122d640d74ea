"""Models with parameters: the examples of the paper, brute force on grids, and laws."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
import sympy
from campaigns import some
from flint import fmpq
from pufferfish.brute_force import Matrices
from pufferfish.parametric_examples import (
    example3,
    example4,
    example5,
    geometric,
    one_shot,
    question,
    side,
    unit_ranges,
)
from rationals import fraction

from dipc.clock import Clock
from dipc.errors import Source, Unsupported
from dipc.models.hmm import HiddenMarkovModel
from dipc.models.mixtures import Claim, Pair, Side
from dipc.numbers.parametric import Parametric, Ring
from dipc.pufferfish import pipeline
from dipc.pufferfish.panels import fixed
from dipc.pufferfish.question import Parameters, Question, Range
from dipc.pufferfish.reading import read_question
from dipc.pufferfish.verdict import Budget, Counterexample, Private, PufferfishVerdict, Undecided, Violated


def check(asked: Question) -> PufferfishVerdict:
    return pipeline.check(asked, Clock())


def budget(asked: Question) -> Budget:
    return pipeline.budget(asked, Clock())


def claiming(asked: Question, c: fmpq | int) -> Question:
    return replace(asked, claim=Claim(f"ln({c})", fmpq(c)))


def counterexample(asked: Question) -> Counterexample:
    verdict = check(asked)
    assert isinstance(verdict, Violated)
    return verdict.counterexample


def test_where_the_least_constants_are_reached() -> None:
    everywhere, never, corner = budget(example3()), budget(example4()), budget(example5())
    assert everywhere.attained and everywhere.reached
    assert everywhere.reached.parameters == {"p": fmpq(1, 2)}
    assert not never.attained and never.approached == "p -> 0"
    assert not corner.attained and corner.approached == "pA -> 0, pB, pC -> 1" and corner.reached
    assert corner.reached.probability == fmpq(5, 27)
    assert corner.reached.other_probability == fmpq(7, 72)


@pytest.mark.parametrize(("epsilon", "private"), [("0.6443570163", False), ("0.6443570164", True)])
def test_a_transcendental_constant_is_decided_on_both_sides(epsilon: str, private: bool) -> None:
    constant = fmpq(int(epsilon[2:]), 10 ** len(epsilon[2:]))
    asked = replace(example5(), claim=Claim(epsilon, fmpq(1), constant))
    assert isinstance(check(asked), Private if private else Violated)


# Random models against all sequences, with fractions


def some_model(rng: random.Random, ring: Ring) -> HiddenMarkovModel[Parametric]:
    size, shown = rng.randint(2, 3), 2
    emissions = tuple(_some_law(rng, ring, shown) for _ in range(size))
    transitions = tuple(_some_law(rng, ring, size) if rng.random() < 0.8 else () for _ in range(size))
    return HiddenMarkovModel(tuple("abc"[:size]), ("x", "y"), emissions, transitions)


def _some_law(rng: random.Random, ring: Ring, size: int) -> tuple[tuple[int, Parametric], ...]:
    p = rng.choice(ring.gens)
    share = rng.choice((p, 1 - p, p / 2, (1 + p) / 3, 1 / (2 + p), ring.of(fmpq(rng.randint(0, 4), 4))))
    places = rng.sample(range(size), 2)
    return tuple((place, x) for place, x in zip(places, (share, 1 - share), strict=True) if x)


def some_question(seed: int, names: tuple[str, ...] = ("p",)) -> Question:
    rng = random.Random(seed)
    ring = Ring(names)
    model = some_model(rng, ring)
    sides = []
    for name in ("left", "right"):
        weights = dict(_some_law(rng, ring, len(model.states)))
        sides.append(Side(name, None, tuple(weights.items())))
    closed = rng.random() < 0.5
    return question(model, ring, (sides[0], sides[1]), fmpq(rng.randint(2, 8), 2), rng.randint(1, 3), closed)


def brute_quotients(asked: Question, point: dict[str, fmpq]) -> list[tuple[Fraction, Fraction]]:
    """P(w | left), P(w | right) for all sequences."""
    there = fixed(asked, point)
    matrices, found = Matrices(there.model), []
    for pair in there.pairs:
        left, right = (matrices.vector(side.weights) for side in pair)
        for word in matrices.all_words(asked.horizon or 1):
            found.append((matrices.probability(left, word), matrices.probability(right, word)))
    return found


GRID = [fmpq(1, 100), fmpq(1, 4), fmpq(1, 2), fmpq(2, 3), fmpq(99, 100)]


@pytest.mark.parametrize("seed", some(range(30), 3))
@pytest.mark.parametrize("names", [("p",), ("p", "q")])
def test_answers_agree_with_all_paths_on_a_grid(seed: int, names: tuple[str, ...]) -> None:
    asked = some_question(seed, names)
    assert asked.claim
    c = Fraction(int(asked.claim.factor.p), int(asked.claim.factor.q))
    grid = [
        dict(zip(names, u, strict=True))
        for u in product(GRID if len(names) == 1 else GRID[::2], repeat=len(names))
    ]
    everywhere = [pair for point in grid for pair in brute_quotients(asked, point)]
    verdict, least = check(asked), budget(asked)
    match verdict:
        case Private():
            assert all(a <= c * b for a, b in everywhere)
        case Violated(counterexample=shown):
            numbers = brute_quotients(replace(asked, horizon=len(shown.sequence)), dict(shown.parameters))
            pair = tuple(fraction(x) for x in (shown.probability, shown.other_probability))
            assert pair in numbers and pair[0] > c * pair[1]
        case Undecided():
            assert all(a <= c * b for a, b in everywhere)
    if least.high is not None:
        high = fraction(least.high)
        assert all(a <= high * b for a, b in everywhere)
    if not isinstance(verdict, Undecided):
        assert (
            isinstance(verdict, Violated) == (least.low is None or fraction(least.low) > c) or not least.exact
        )
    assert len(names) > 1 or not isinstance(verdict, Undecided)


@pytest.mark.parametrize("seed", some(range(25), 3))
def test_the_least_constant_of_one_parameter_agrees_with_sympy(seed: int) -> None:
    """The greatest value of every quotient at the ends and where its derivative vanishes."""
    rng, ring = random.Random(seed), Ring(("p",))
    (p,) = ring.gens
    laws = [[fmpq(x, 10), fmpq(10 - x, 10)] for x in rng.sample(range(1, 10), 3)]
    shares = [p * (1 - p) * rng.randint(1, 3), p ** rng.randint(1, 3) * (1 - p) * rng.randint(1, 2)]
    sides = [
        side(name, {0: x, i: 1 - x}) for name, x, i in zip("ab", (s / 2 for s in shares), (1, 2), strict=True)
    ]
    found = budget(question(one_shot(ring, laws), ring, (sides[0], sides[1])))
    x = sympy.Symbol("x")
    best = 0
    for a, _b in (shares, shares[::-1]):
        starts = [(s / 2, i) for s, i in zip(shares, (1, 2), strict=True)]
        starts = starts if a is shares[0] else starts[::-1]
        for o in range(2):
            top, bottom = (
                sympy.sympify(str(s * laws[0][o] + (1 - s) * laws[i][o])).subs("p", x) for s, i in starts
            )
            ratio = sympy.cancel(top / bottom)
            slope = sympy.Poly(sympy.numer(sympy.together(sympy.diff(ratio, x))), x)
            points = [sympy.Integer(0), sympy.Integer(1)]
            points += [
                r
                for r in (slope.nroots(n=30, maxsteps=200) if slope.degree() > 0 else [])
                if abs(sympy.im(r)) < 1e-20
            ]
            best = max(best, *(ratio.subs(x, sympy.re(r)).evalf(25) for r in points if 0 <= sympy.re(r) <= 1))
    low, high = (sympy.Rational(str(fraction(c))) for c in (found.low, found.high))
    assert abs(best - low) < 1e-9 and abs(best - high) < 1e-9


# Laws


@pytest.mark.parametrize("seed", some(range(30), 6))
def test_open_and_closed_ranges_have_one_verdict(seed: int) -> None:
    asked = some_question(seed, ("p", "q"))
    verdicts = set()
    for closed in (False, True):
        parameters = replace(asked.parameters, ranges=unit_ranges(asked.parameters.ring, closed))
        verdict = check(replace(asked, parameters=parameters))
        verdicts.add(verdict.status)
        if isinstance(verdict, Violated) and not closed:
            assert all(0 < x < 1 for x in verdict.counterexample.parameters.values())
    assert len(verdicts) == 1


def test_every_horizon_closes_where_everything_stops() -> None:
    assert isinstance(check(replace(example4(), horizon=None)), Private)
    assert budget(replace(example5(), horizon=None)).high == fmpq(40, 21)


# eps as a parameter


def randomized_response(claim: Claim) -> Question:
    """Truth with x^-2 against a lie with 1, x = exp(-eps/2), twice; the secret is the truth itself."""
    ring = Ring(("p", "x"))
    p, x = ring.gens
    lie = x**2 / (1 + x**2)
    emissions = (((0, 1 - lie), (1, lie)), ((0, lie), (1, 1 - lie)))
    model = HiddenMarkovModel(("no", "yes"), ("0", "1"), emissions, (((0, ring.of(1)),), ((1, ring.of(1)),)))
    sides = side("a", {0: p, 1: 1 - p}), side("b", {1: ring.of(1)})
    parameters = Parameters(ring, unit_ranges(ring), (), "x", 2)
    return Question(model, parameters, (Pair(*sides), Pair(*sides[::-1])), 2, claim)


@pytest.mark.parametrize(
    ("rate", "factor", "private"),
    [
        (2, 1, True),
        (fmpq(5, 2), 1, True),
        (fmpq(19, 10), 1, False),
        (1, 1, False),
        (1, 2, False),
        (fmpq(7, 3), 1, True),
    ],
)
def test_claims_in_eps(rate: fmpq | int, factor: int, private: bool) -> None:
    claim = Claim("t*eps", fmpq(factor), fmpq(0), fmpq(rate))
    verdict = check(randomized_response(claim))
    assert isinstance(verdict, Private if private else Violated)
    if isinstance(verdict, Violated):
        shown = verdict.counterexample
        assert shown.epsilon is not None and shown.epsilon > 0 and set(shown.parameters) == {"p"}
        assert shown.excess.sign_at(fmpq(0)) > 0
        truth = sympy.exp(sympy.Rational(str(shown.epsilon)))
        p = sympy.Rational(str(shown.parameters["p"]))
        law = {"0": truth / (1 + truth), "1": 1 / (1 + truth)}
        other = {"0": law["1"], "1": law["0"]}
        values = [sympy.prod([side[o] for o in shown.sequence]) for side in (law, other)]
        mixed = p * values[0] + (1 - p) * values[1]
        expected = (mixed, values[1]) if shown.secret == "a" else (values[1], mixed)
        for exact, number in zip(expected, (shown.probability, shown.other_probability), strict=True):
            assert (
                abs(sympy.N(exact, 30) - sympy.N(sympy.sympify(str(number).replace("^", "**")), 30)) < 1e-20
            )


def test_what_is_not_decided_is_said() -> None:
    asked = replace(example3(), claim=Claim("ln(2)", fmpq(2), delta=fmpq(1, 100)))
    with pytest.raises(Unsupported, match="delta"):
        budget(asked)


def test_a_secret_of_probability_0_is_not_compared() -> None:
    ring = Ring(("p",))
    (p,) = ring.gens
    asked = question(geometric(ring), ring, (side("never", {0: p - p}), side("always", {1: p})))
    verdict = check(asked)
    assert isinstance(verdict, Private) and verdict.pairs == 0
    assert verdict.notes == ("never has probability 0: its pairs are not compared", "nothing was compared")


def test_an_impossible_observation_is_infinite_loss() -> None:
    ring = Ring(("p",))
    (p,) = ring.gens
    model = one_shot(ring, [[fmpq(1), fmpq(0)], [fmpq(1, 2), fmpq(1, 2)]])
    mixed = question(model, ring, (side("a", {0: p, 1: 1 - p}), side("b", {0: ring.of(1)})), 1000)
    assert budget(mixed).infinite and counterexample(mixed).infinite_loss
    near = question(model, ring, (side("a", {0: p, 1: 1 - p}), side("b", {1: ring.of(1)})), 2)
    assert budget(near).infinite and isinstance(check(near), Violated)  # the quotient 1/(1 - p)


@pytest.mark.parametrize("seed", some(range(25), 3))
def test_a_condition_means_the_same_as_a_range(seed: int) -> None:
    asked = some_question(seed, ("p", "q") if seed % 2 else ("p",))
    ring = asked.parameters.ring
    p, bounds = ring.gens[0], (fmpq(1, 4), fmpq(2, 3))
    part = Range(ring.of(bounds[0]), ring.of(bounds[1]), True, True)
    ranged = replace(asked.parameters, ranges=(part, *asked.parameters.ranges[1:]))
    conditioned = replace(asked.parameters, conditions=(p - bounds[0], bounds[1] - p))
    verdicts = [check(replace(asked, parameters=parameters)) for parameters in (ranged, conditioned)]
    first, second = (budget(replace(asked, parameters=parameters)) for parameters in (ranged, conditioned))
    if not any(isinstance(verdict, Undecided) for verdict in verdicts):
        assert verdicts[0].status == verdicts[1].status
    if len(ring.names) == 1:
        assert first.low == second.low or not first.exact
        assert first.attained == second.attained or not first.exact
    elif first.high is not None and second.low is not None:
        assert fraction(second.low) <= fraction(first.high)
    if isinstance(verdicts[1], Violated):
        assert bounds[0] <= verdicts[1].counterexample.parameters["p"] <= bounds[1]


def mixing_chain(c: int) -> Question:
    """Two states, each shown by a noisy reading; the chance to move is unknown."""
    ring = Ring(("p",))
    (p,) = ring.gens
    noisy = [
        [(0, ring.of(fmpq(2, 3))), (1, ring.of(fmpq(1, 3)))],
        [(0, ring.of(fmpq(1, 3))), (1, ring.of(fmpq(2, 3)))],
    ]
    moves = [[(0, 1 - p), (1, p)], [(0, p), (1, 1 - p)]]
    model = HiddenMarkovModel(("a", "b"), ("x", "y"), tuple(map(tuple, noisy)), tuple(map(tuple, moves)))
    asked = question(model, ring, (side("a", {0: ring.of(1)}), side("b", {1: ring.of(1)})), c, None)
    away = Range(ring.of(fmpq(2, 5)), ring.of(fmpq(3, 5)), True, True)
    return replace(asked, parameters=replace(asked.parameters, ranges=(away,)))


def test_every_horizon_of_a_chain_that_goes_on() -> None:
    verdict = check(mixing_chain(2))
    assert isinstance(verdict, Violated) and len(verdict.counterexample.sequence) == 2
    longer = check(claiming(mixing_chain(2), fmpq(235078, 10**5)))
    assert isinstance(longer, Violated) and len(longer.counterexample.sequence) == 9
    unsettled = check(claiming(mixing_chain(2), fmpq(2350782, 10**6)))
    assert isinstance(unsettled, Undecided) and "longer sequences are not settled" in unsettled.reason
    settled = claiming(mixing_chain(2), fmpq(235079, 10**5))
    assert isinstance(check(settled), Private)  # at some depth every belief is settled
    for k in some((6, 8, 9), 1):
        longest = budget(replace(settled, horizon=k))
        assert longest.high is not None and fraction(longest.high) < Fraction(235079, 10**5)


def test_what_is_next_to_an_irrational_answer_is_not_tried() -> None:
    """The witnesses come closer and closer to the answer; claims with their own c cannot be settled."""
    text = """param p in [1/3, 2/3], q in [1/4, 3/4]
    observe a, b
    state s emits {a: q, b: 1 - q} next {s: p/(p + q), t: q/(p + q)}
    state t emits {a: 1/2, b: 1/2} next {s: q^2, t: 1 - q^2}
    start u {s: p*q, t: 1 - p*q}
    start v {s: 1 - q, t: q}
    compare u, v; horizon 2"""
    found = budget(read_question(Source("m.hmm", text)))
    assert not found.exact and not found.reason
