"""Probabilities of path formulas on chains, against the slow oracle, and their laws."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from campaigns import some
from dpctl.fast import path_probabilities
from dpctl.oracle import holding, path_values, rows_of
from dpctl.random_chains import LABELS, random_chain, random_path
from flint import arb, ctx, fmpq

import dipc.dpctl.paths as paths
from dipc.dpctl.formula import And, Formula, Next, Not, Proposition, Truth, Until
from dipc.dpctl.paths import known_sets, probabilities
from dipc.dpctl.syntax import parse_property
from dipc.errors import Source
from dipc.models.chain import MarkovChain
from dipc.numbers.exact import ends
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient


def fast(chain: MarkovChain, path: Formula) -> list[Fraction]:
    values = path_probabilities(chain, path, lambda f: holding(chain, f))
    return [Fraction(int(p.p), int(p.q)) for p in values]


def slow(chain: MarkovChain, path: Formula) -> list[Fraction]:
    return path_values(rows_of(chain), path, lambda f: holding(chain, f))


@pytest.mark.parametrize("seed", some(range(12), 3))
def test_the_oracle_agrees(seed: int) -> None:
    rng, proper = Random(seed), 0
    for _ in range(80):
        chain, path = random_chain(rng), random_path(rng, rng.randint(1, 4))
        values = fast(chain, path)
        assert values == slow(chain, path), (chain, path)
        proper += any(0 < p < 1 for p in values)
    assert proper > 5  # not a test of zeros and ones


@pytest.mark.parametrize("seed", range(5))
def test_balls_enclose_the_exact_numbers_and_are_exact_at_zero(seed: int) -> None:
    rng = Random(2000 + seed)
    for _ in range(20):
        chain, path = random_chain(rng, 8), random_path(rng, rng.randint(1, 3))
        known = known_sets(path, lambda f, c=chain: holding(c, f))
        with ctx.workprec(128):
            rows = [[(t, arb(p)) for t, p in row] for row in chain.rows]
            balls = probabilities(rows, arb(1), path, known)
            for ball, exact in zip(balls, path_probabilities(chain, path, known.__getitem__), strict=True):
                low, high = ends(ball)
                assert low <= Fraction(int(exact.p), int(exact.q)) <= high
                assert ball.rad() < arb(2) ** -100
                assert (ball == 0) == (exact == 0)


def test_functions_of_eps_take_the_values_of_the_chain_at_every_eps() -> None:
    """With z = exp(eps) in place of the weights 1, at eps = ln 2 every probability is a rational number."""
    rng, z = Random(7), Quotient(ExpPoly.exp(1))
    for _ in range(25):
        chain, path = random_chain(rng, 4), random_path(rng, rng.randint(1, 2))
        symbolic, numeric = [], []
        for row in chain.rows:
            weights = [int(p.p) for _, p in row]
            total = sum((w * z**i for i, w in enumerate(weights)), Quotient.of(0))
            symbolic.append(
                tuple((t, w * z**i / total) for i, ((t, _), w) in enumerate(zip(row, weights, strict=True)))
            )
            whole = sum(w * 2**i for i, w in enumerate(weights))
            numeric.append(
                tuple(
                    (t, fmpq(w * 2**i, whole)) for i, ((t, _), w) in enumerate(zip(row, weights, strict=True))
                )
            )
        at_two = MarkovChain(chain.names, chain.labels, (), (), tuple(numeric))
        with_eps = MarkovChain(chain.names, chain.labels, (), (), tuple(symbolic))
        found = path_probabilities(with_eps, path, lambda f, c=chain: holding(c, f))
        for f, value in zip(found, fast(at_two, path), strict=True):
            assert at_ln_2(f) == value


@pytest.mark.parametrize(
    "path", ["F<=7 goal", "!(F<=7 goal)", "X X X !goal", "F<=4 (F goal)", "X^3 (F goal)", "s4 U<=99 goal"]
)
def test_steps_over_one_denominator_are_steps(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Polynomials over one denominator against fractions, and against numbers at eps = ln 2."""
    z = Quotient(ExpPoly.exp(1))
    chains = [line(6, z / (z + 1), 1 / (z + 1)), line(6, fmpq(2, 3), fmpq(1, 3))]
    formula = parse_property(Source("path", f"P>=0 ({path})"), chains[0]).formula.path
    found, numbers = (path_probabilities(c, formula, lambda f, c=c: holding(c, f)) for c in chains)
    assert [at_ln_2(f) for f in found] == [Fraction(int(p.p), int(p.q)) for p in numbers]
    monkeypatch.setattr(paths, "FEW_TERMS", 0)
    assert list(path_probabilities(chains[0], formula, lambda f: holding(chains[0], f))) == list(found)


def line(n: int, up: Quotient | fmpq, down: Quotient | fmpq) -> MarkovChain:
    one = up + down
    inner = [((s - 1, down), (s + 1, up)) for s in range(1, n - 1)]
    labels = {"goal": frozenset([n - 1])}
    return MarkovChain(
        tuple(f"s{i}" for i in range(n)), labels, (), (0,), (((0, one),), *inner, ((n - 1, one),))
    )


def at_ln_2(f: Quotient) -> Fraction:
    def value(g: ExpPoly) -> Fraction:
        return sum(
            (
                Fraction(int(t.coefficient.p), int(t.coefficient.q)) * Fraction(2) ** int(t.rate.p)
                for t in g.terms()
            ),
            Fraction(0),
        )

    return value(f.numerator) / value(f.denominator)


A, B, C = map(Proposition, LABELS)
TRUE = Truth(True)


def test_many_steps_need_few_copies() -> None:
    """A bounded until inside another operator has two copies more than its bound, not 2^bound."""
    half = fmpq(1, 2)
    rows = (((0, half), (1, half)), ((0, half), (1, half)))
    chain = MarkovChain(("s", "t"), {"a": frozenset([1])}, (), (0,), rows)
    (p, _) = fast(chain, Not(Until(TRUE, Not(Until(TRUE, A, 60)))))
    assert p == 0
    (p, _) = fast(chain, And((Until(TRUE, A, 40), Next(Not(A)))))
    assert p == (1 - Fraction(1, 2**39)) / 2


def test_a_vanishing_transition_changes_the_graph() -> None:
    """s loops with 1 - (eps-1)^2/4 and goes to g with (eps-1)^2/4: surely, unless that edge is missing."""
    one, leave = Quotient.one(), Quotient((ExpPoly.of(1, 1) - 1) ** 2) / 4
    reach_g = Until(TRUE, Proposition("g"))
    for row, expected in ((((0, one - leave), (1, leave)), 1), (((0, one - leave),), 0)):
        chain = MarkovChain(("s", "g"), {}, (), (0,), (row, ((1, one),)))
        values = path_probabilities(chain, reach_g, lambda f: frozenset([1] if f != TRUE else [0, 1]))
        assert list(values) == [expected, 1]
        assert values[-2:] == [expected, 1] and len(values) == 2


def test_functions_with_constants_powers_and_roots_of_exp() -> None:
    """s -> t with p, t -> yes with p, t -> s with q = 1 - p: the goal has probability p^2/(1 - p q) at s."""
    eps, one = ExpPoly.of(1, 1), Quotient.one()
    for p in (
        Quotient(ExpPoly.exp(fmpq(1, 3))) / (1 + ExpPoly.exp(fmpq(1, 3))),
        Quotient(ExpPoly.exp(0, fmpq(-1, 2))),
        Quotient(eps * eps) / (1 + eps * eps),
        Quotient(ExpPoly.exp(-1, 0, -1)),
    ):
        q = one - p
        rows = (((1, p), (2, q)), ((0, q), (3, p)), ((2, one),), ((3, one),))
        chain = MarkovChain(("s", "t", "no", "yes"), {}, (), (0,), rows)
        values = path_probabilities(chain, Until(TRUE, A), lambda f: frozenset([3] if f == A else range(4)))
        assert values[0] == p * p / (one - p * q)
        assert values[1] == p / (one - p * q)
