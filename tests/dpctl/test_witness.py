"""Why a formula fails: every number of a witness, computed again with fractions."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from campaigns import some
from dpctl import evaluator
from dpctl.evaluator import EPS, Tree, shown
from dpctl.test_regions import inside
from flint import fmpq
from patience import PATIENCE

from dipc.clock import Clock, Limits
from dipc.dpctl.pipeline import check
from dipc.dpctl.syntax import parse_property, show
from dipc.dpctl.verdict import Fails, Witness
from dipc.errors import Source
from dipc.models.reading import read_model
from dipc.signs.tables import RootCluster, end_as_text


def failing(chain: str, text: str) -> Witness:
    read = read_model(Source("m", chain))
    model, numbers = read.model, read.numbers
    found = check(model, parse_property(Source("f", text), model, numbers), Clock(Limits(PATIENCE)))
    assert isinstance(found, Fails)
    assert found.witness is not None
    return found.witness


def fraction(function: object, eps: fmpq) -> Fraction:
    number = function.at(eps).as_rational()  # type: ignore[attr-defined]
    return Fraction(int(number.numerator), int(number.denominator))


@pytest.mark.parametrize("seed", some(range(4), 1))
def test_witnesses_where_probabilities_are_rational_functions_of_eps(seed: int) -> None:
    rng, seen = random.Random(seed), 0
    for _ in range(25):
        chain, f = evaluator.example(rng, EPS), evaluator.formula(rng, EPS, 2, ("P", "D", "not", "and"))
        seen += judge(chain, f)
    assert seen >= 5


def judge(chain: evaluator.Example, f: Tree) -> bool:
    read = read_model(Source("m", chain.text()))
    model, numbers = read.model, read.numbers
    text = f"({shown(f)}) from s0, s1 for eps in {chain.family.eps_range}"
    found = check(model, parse_property(Source("f", text), model, numbers), Clock(Limits(PATIENCE)))
    witness = found.witness
    if witness is None or witness.epsilon is None:
        return False
    state = next(int(name[1:]) for name, status in found.at.items() if status == "fails")
    if not isinstance(witness.epsilon, fmpq):
        return False
    x = Fraction(int(witness.epsilon.p), int(witness.epsilon.q))
    assert state not in evaluator.holding(chain, f, x)
    assert inside(witness.epsilon, witness.violated_for)
    if witness.probability is None:
        return False
    blamed = [g for g in all_parts(f) if same(model, numbers, g, witness.subformula)]
    assert blamed
    own = int(witness.state[1:])
    p = fraction(witness.probability, witness.epsilon)
    assert p == evaluator.values(chain, blamed[0][-1], x)[own]
    if witness.neighbour is None:
        return True
    q = fraction(witness.neighbour_probability, witness.epsilon)
    assert q == evaluator.values(chain, blamed[0][-1], x)[int(witness.neighbour[1:])]
    bound = evaluator.number(blamed[0][2], x) * q + evaluator.number(blamed[0][3], x)
    assert bound == fraction(witness.bound, witness.epsilon)
    assert fraction(witness.excess, witness.epsilon) == p - bound > 0
    return True


def all_parts(f: Tree) -> list[Tree]:
    match f:
        case ("P" | "D", *_):
            return [f, *all_parts(f[-1])]
        case ("not" | "G" | "neg", g) | ("X", _, g):
            return all_parts(g)
        case ("and", g, h) | ("U", g, h, _):
            return all_parts(g) + all_parts(h)
    return []


def same(model: object, numbers: object, f: Tree, text: str) -> bool:
    source = Source("f", f"{shown(f)} for eps in {EPS.eps_range}")
    return show(parse_property(source, model, numbers).formula) == text  # type: ignore[arg-type]


SURVEY = """chain; plus -> {yes: 3/4, no: 1/4}; minus -> {yes: 1/4, no: 3/4}; final yes, no
label out_1 = {yes}; label out_0 = {no}; neighbours plus ~ minus"""


def test_where_the_neighbour_has_probability_0_the_factor_does_not_matter() -> None:
    chain = "chain; s -> yes; t -> no; final yes, no; neighbours s ~ t"
    witness = failing(chain, "D[ln 3, 1/3](X yes)")
    assert (witness.bound, witness.excess) == (fmpq(1, 3), fmpq(2, 3))


def test_the_witness_of_a_negation_is_the_value_that_satisfies_it() -> None:
    witness = failing(SURVEY, "!P>=1/2 (X out_1) from plus")
    assert (witness.subformula, witness.state, witness.neighbour) == ("P>=1/2 (X out_1)", "plus", None)
    assert (witness.probability, witness.bound, witness.excess) == (fmpq(3, 4), fmpq(1, 2), fmpq(1, 4))
    assert failing(SURVEY, "!D[ln 3, 0](X out_1)").subformula == "D[ln 3, 0](X out_1)"


def test_the_witness_of_a_disjunction_and_of_a_proposition() -> None:
    assert failing(SURVEY, "P<1/2 (X yes) | P>3/4 (X yes) from plus").subformula == "P<1/2 (X yes)"
    witness = failing(SURVEY, "out_1 from plus")
    assert (witness.subformula, witness.state, witness.probability) == ("out_1", "plus", None)


def test_a_formula_that_fails_at_a_transcendental_eps_only() -> None:
    chain = "chain; let p = (exp(eps) - 2)^2/4; s -> {s: 1 - p, g: p}; g -> g; t -> g; neighbours s ~ t"
    witness = failing(chain, "D[eps, 0](F g) for eps in (0, 1]")
    assert isinstance(witness.epsilon, RootCluster)
    assert (witness.state, witness.neighbour) == ("t", "s")
    assert (witness.probability, witness.neighbour_probability, witness.excess) == (1, 0, 1)
    ((low, high, low_closed, high_closed),) = witness.violated_for
    assert low is high
    assert (low_closed, high_closed) == (True, True)
    assert str(fmpq(69, 100) < witness.epsilon.low < fmpq(7, 10)) == "True"


def test_the_simplest_eps_is_reported_and_all_that_violate_the_same_inequality() -> None:
    chain = "chain; s -> {a: 1/2, b: 1/2}; t -> {a: 1/2 - eps/8, b: 1/2 + eps/8}; final a, b"
    chain += "; neighbours s ~ t"
    witness = failing(chain, "D[0, 1/8](X a) for eps in (0, 3]")
    assert witness.epsilon == 2
    ((low, high, low_closed, high_closed),) = witness.violated_for
    assert (end_as_text(low), end_as_text(high), low_closed, high_closed) == ("1", "3", False, True)


@pytest.mark.parametrize(("state", "other"), [("a", "b"), ("c", "d")])
def test_the_pair_of_a_witness_is_one_of_the_state_that_was_asked_about(state: str, other: str) -> None:
    chain = "chain; a -> g; b -> h; c -> g; d -> h; g -> g; h -> h; neighbours a ~ b, c ~ d"
    for eps in "", "eps + ":  # on chains without eps and with eps
        witness = failing(chain, f"D[{eps}1, 0](X g) from {state}")
        assert (witness.state, witness.neighbour) == (state, other)
