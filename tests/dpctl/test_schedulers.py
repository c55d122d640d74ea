"""The largest and least probabilities over all schedulers, against every policy and every history."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from campaigns import some
from dpctl.fast import path_probabilities
from flint import fmpq
from processes import (
    LABELS,
    by_histories,
    often_in_chain,
    policies,
    random_mdp,
    random_path,
    satisfies,
    until_in_chain,
)
from rationals import fraction

from dipc.dpctl.automata import Automaton
from dipc.dpctl.formula import And, Formula, Not, Proposition, Truth, Until
from dipc.dpctl.model import MDP, load_model
from dipc.dpctl.paths import known_sets
from dipc.dpctl.progression import Condition, Marks, progression
from dipc.dpctl.schedulers import Product
from dipc.dpctl.syntax import parse_property
from dipc.errors import InputError
from dipc.models.chain import MarkovChain, Mdp

A, B = map(Proposition, LABELS)
EVENTUALLY_A = Until(Truth(True), A)

NOTHING: Marks = frozenset()
ZERO, ONE = frozenset([0]), frozenset([1])
TRUE: Condition = ((NOTHING, NOTHING),)
INF_0, FIN_0 = ((NOTHING, ZERO),), ((ZERO, NOTHING),)


def label(text: str) -> Condition:
    """A conjunction of the first letter (a) and the second (b)."""
    negative, positive = (
        frozenset("ab".index(word.strip("!")) for word in text.split() if ("!" in word) is negated)
        for negated in (True, False)
    )
    return ((negative, positive),)


def often_a(mdp: Mdp[fmpq]) -> Automaton:
    """G F a."""
    edges = {0: [(label("a"), (0, ZERO)), (label("!a"), (0, NOTHING))]}
    return Automaton(edges, 0, (mdp.states_of("a"),), INF_0, FIN_0)


def persistent(mdp: Mdp[fmpq]) -> Automaton:
    """F G a & G F b, a Rabin condition."""
    edges = {0: [(label("!a"), (0, ZERO)), (label("a b"), (0, ONE)), (label("a !b"), (0, NOTHING))]}
    letters = mdp.states_of("a"), mdp.states_of("b")
    return Automaton(edges, 0, letters, ((ZERO, ONE),), ((NOTHING, ZERO), (ONE, NOTHING)))


def safely(mdp: Mdp[fmpq]) -> Automaton:
    """F a & G b."""
    edges = {
        1: [(label("!b"), (2, NOTHING)), (label("a b"), (0, NOTHING)), (label("!a b"), (1, NOTHING))],
        0: [(label("b"), (0, ZERO)), (label("!b"), (2, ZERO))],
        2: [(TRUE, (2, NOTHING))],
    }
    return Automaton(edges, 1, (mdp.states_of("a"), mdp.states_of("b")), INF_0, FIN_0)


def extremes(mdp: Mdp[fmpq], path: Formula) -> list[tuple[object, object]]:
    """The least and the largest probability from every state."""
    monitor = progression(path, known_sets(path, lambda part: states_of(mdp, part)))
    assert monitor is not None
    return _extremes(Product.of(mdp, monitor))


def _extremes(product: Product[fmpq]) -> list[tuple[object, object]]:
    low, high = product.minimum(), product.maximum()
    return [(fraction(low[n]), fraction(high[n])) for n in product.start]


def states_of(mdp: Mdp[fmpq], part: Formula) -> frozenset[int]:
    """The states of a Boolean combination of labels."""
    return frozenset(s for s in range(len(mdp.names)) if satisfies([s], part, mdp))


@pytest.mark.parametrize("seed", some(range(60), 10))
def test_until_is_attained_by_a_memoryless_policy(seed: int) -> None:
    random = Random(seed)
    mdp = random_mdp(random, random.randint(2, 5), random.randint(1, 3))
    left, right = set(mdp.labels["a"]), set(mdp.labels["b"])
    values = [until_in_chain(rows, left, right) for rows in policies(mdp)]
    expected = [(min(column), max(column)) for column in zip(*values, strict=True)]
    assert extremes(mdp, Until(A, B)) == expected
    assert extremes(mdp, Not(Until(A, B))) == [(1 - high, 1 - low) for low, high in expected]


@pytest.mark.parametrize("seed", some(range(60), 10))
def test_bounded_formulas_need_a_choice_for_every_history(seed: int) -> None:
    random = Random(seed)
    mdp = random_mdp(random, 3, 2)
    path = random_path(random, 2, bounded=True)
    expected = [(by_histories(mdp, path, s, min), by_histories(mdp, path, s, max)) for s in range(3)]
    assert extremes(mdp, path) == expected


@pytest.mark.parametrize("seed", some(range(40), 6))
def test_conjunctions_of_safe_and_cosafe_formulas(seed: int) -> None:
    """F a & G b: no single policy may attain it, so chains bound it; two automata agree on it."""
    random = Random(seed)
    mdp = random_mdp(random, 4, 2)
    path = (EVENTUALLY_A, Not(Until(Truth(True), Not(B))))
    found = extremes(mdp, And(path))
    assert found == _extremes(Product.of(mdp, safely(mdp)))
    for rows in policies(mdp):
        fixed = tuple(tuple((t, fmpq(p.numerator, p.denominator)) for t, p in row.items()) for row in rows)
        chain = MarkovChain(mdp.names, mdp.labels, (), (), fixed)
        values = path_probabilities(chain, And(path), lambda part: states_of(mdp, part))
        assert all(low <= fraction(p) <= high for (low, high), p in zip(found, values, strict=True))


@pytest.mark.parametrize("seed", some(range(60), 10))
def test_often_is_attained_by_a_memoryless_policy(seed: int) -> None:
    random = Random(seed)
    mdp = random_mdp(random, random.randint(2, 5), 2)
    values = [often_in_chain(rows, set(mdp.labels["a"])) for rows in policies(mdp)]
    expected = [(min(column), max(column)) for column in zip(*values, strict=True)]
    assert _extremes(Product.of(mdp, often_a(mdp))) == expected


@pytest.mark.parametrize("seed", some(range(40), 6))
def test_a_rabin_condition_on_chains(seed: int) -> None:
    random = Random(seed)
    mdp = random_mdp(random, 5, 1)
    chain = MarkovChain(mdp.names, mdp.labels, (), (), tuple(rows[0] for rows in mdp.rows))
    finally_a = Until(Truth(True), Not(Until(Truth(True), Not(A))))
    often_b = Not(Until(Truth(True), Not(Until(Truth(True), B))))
    values = path_probabilities(chain, And((finally_a, often_b)), lambda part: states_of(mdp, part))
    found = _extremes(Product.of(mdp, persistent(mdp)))
    assert found == [(fraction(p), fraction(p)) for p in values]


@pytest.mark.parametrize("seed", some(range(30), 5))
def test_spot_agrees_with_chains(seed: int) -> None:
    """Random formulas of any form, on processes whose actions are all the same."""
    pytest.importorskip("spot")
    from dipc.dpctl.automata import automaton_of

    random = Random(seed)
    mdp = random_mdp(random, 4, 1)
    path = random_path(random, 3, bounded=False)
    known = known_sets(path, lambda part: states_of(mdp, part))
    chain = MarkovChain(mdp.names, mdp.labels, (), (), tuple(rows[0] for rows in mdp.rows))
    values = path_probabilities(chain, path, known.__getitem__)
    assert _extremes(Product.of(mdp, automaton_of(path, known))) == [
        (fraction(p), fraction(p)) for p in values
    ]


TWO = {
    ("s", "L"): {"yes": "1/3", "no": "2/3"},
    ("s", "H"): {"yes": "1/2", "s": "1/4", "no": "1/4"},
}


def test_every_scheduler_must_be_in_the_interval() -> None:
    model = MDP(TWO, labels={"good": ["yes"]}, start=["s"])
    low, high = (model.value(f"{kind}=? (F good)")["s"] for kind in ("Pmin", "Pmax"))
    assert (str(low), str(high)) == ("1/3", "2/3")
    verdicts = {
        "P>=1/3 (F good)": "holds",
        "P>1/3 (F good)": "fails",
        "P<=2/3 (F good)": "holds",
        "P<2/3 (F good)": "fails",
        "P in [1/3, 2/3] (F good)": "holds",
        "P>=1/2 (F good)": "fails",
        "P<1/2 (F good)": "fails",
        "!P>=1/2 (F good)": "holds",
    }
    assert {text: model.check(text).status for text in verdicts} == verdicts
    witness = model.check("P<1/2 (F good)").witness
    assert witness is not None
    assert (witness.state, str(witness.probability), str(witness.excess)) == ("s", "2/3", "1/6")


def test_at_one_eps_the_numbers_are_exact() -> None:
    rows = {("s", "L"): {"yes": "exp(-eps)", "no": "1 - exp(-eps)"}, ("s", "H"): {"yes": "1/2", "no": "1/2"}}
    model = MDP(rows, start=["s"])
    assert str(model.value("Pmax=? (F yes)", at=1)["s"]) == "1/2"
    assert str(model.value("Pmin=? (F yes)", at=1)["s"]) == "exp(-1)"
    assert model.check("P<=exp(-1/2) (F yes)", at="1/2").status == "holds"
    assert model.check("P<exp(-1/2) (F yes)", at="1/2").status == "fails"
    assert model.check("P<=1/2 (F yes)").status == "fails"
    assert model.check("P<=1/2 (F yes) for eps in [1, inf)").status == "holds"


def test_a_transition_that_vanishes_at_this_eps_is_none() -> None:
    rows = {("s", "L"): {"s": "1 - (eps - 1)^2/4", "g": "(eps - 1)^2/4"}}
    model = MDP(rows, start=["s"])
    assert model.check("P>=1 (F g)", at="1/2").status == "holds"
    assert model.check("P>=1 (F g)", at=1).status == "fails"


def test_a_negative_probability_is_refused() -> None:
    model = MDP({("s", "L"): {"s": "1 - eps", "g": "eps"}}, start=["s"])
    assert str(model.value("Pmax=? (X g)", at="1/3")["s"]) == "1/3"
    with pytest.raises(InputError, match="negative at eps = 2"):
        model.value("Pmax=? (X g)", at=2)


def test_a_query_without_a_scheduler_is_refused() -> None:
    with pytest.raises(InputError, match="Pmax"):
        MDP(TWO).value("P=? (F yes)")


def test_the_shipped_model_has_the_answers_that_it_says() -> None:
    model = load_model(Path(__file__).parents[2] / "programs" / "chains" / "above_threshold.dpm")
    for name, source, expected in some(model.properties[::-1], 3):
        assert model.check(parse_property(source, model.model)).status == expected, name
