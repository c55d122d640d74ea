"""Hidden Markov models as Python objects: what is accepted and refused, and how answers show themselves."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import networkx
import pytest
from flint import fmpq
from pufferfish.brute_force import Matrices

import dipc
from dipc.clock import Clock
from dipc.models.mixtures import Side
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.hmm import HiddenMarkovModel, spoken
from dipc.pufferfish.laws import Law

G = [["2/3", "1/6", "1/6"], ["1/3", "1/3", "1/3"], ["1/6", "1/6", "2/3"]]
T = [["2/3", "1/3"], ["1/3", "2/3"]]
E = [["3/4", "1/4"], ["1/4", "3/4"]]


@pytest.fixture
def count() -> HiddenMarkovModel:
    return dipc.HiddenMarkovModel.of(transitions=None, emissions=G)


# --- in ----------------------------------------------------------------------------------------------


def test_a_file(tmp_path: Path) -> None:
    model = dipc.load("ex3")
    assert isinstance(model, dipc.HiddenMarkovModel)
    verdict = model.question().check("ln(2)")
    assert (verdict.status, verdict.counterexample.sequence) == ("violated", ("2",))
    assert verdict.counterexample.parameters == {"p": fmpq(1, 2)}
    assert model.question().budget().c == Fraction(4)
    assert model.question().probability(("2",), given="sick") == fmpq(2, 3)
    file = tmp_path / "copy.hmm"
    file.write_text(model.source.text, encoding="utf-8")
    assert dipc.load(file).question().check().status == "violated"
    assert dipc.load(str(file), p="1/3").question().check().counterexample.parameters == {}


def test_matrices(count: HiddenMarkovModel) -> None:
    assert count.compare("0", "1").check("ln(2)").status == "private"
    assert count.compare({"0": 1}, {"2": 1}, horizon=1).budget().c == 4
    numbers: list[list[Any]] = [[Fraction(2, 3), fmpq(1, 3)], [0, 1]]
    model = dipc.HiddenMarkovModel.of(numbers, E, states=["ill", "well"], observations=["yes", "no"])
    assert str(model.compare("ill", "well", horizon=2).question.model.states) == "('ill', 'well')"
    z = Quotient(dipc.ExpPoly.exp(1))
    coin = dipc.HiddenMarkovModel.of(None, [[z / (z + 1), 1 / (z + 1)], [1 / (z + 1), z / (z + 1)]])
    assert coin.compare("0", "1").check("eps").status == "private"
    assert coin.compare("0", "1").check("1/2*eps").counterexample.epsilon is not None


def test_parameters_of_priors_and_of_the_model(count: HiddenMarkovModel) -> None:
    asked = count.question(
        params={"p": "(0, 1)"},
        prior={"0": "1 - p", "2": "p"},
        secrets={"sick": ["2"], "healthy": ["0"]},
        pairs=[("sick", "healthy")],
        horizon=1,
    )
    assert asked.check("ln(2)").status == "violated"
    assert asked.check("ln(4)").status == "private"
    assert (asked.budget().c, asked.budget().witness.sequence) == (4, ("2",))
    rows = [["p", "1 - p"], ["1/2", "1/2"]]
    coin = dipc.HiddenMarkovModel.of(None, rows).compare("0", "1", params={"p": "[1/4, 3/4]"})
    assert coin.budget().c == 2
    assert str(coin.probability("1", given="0")) == "-p + 1"


def test_a_pair_in_one_line(count: HiddenMarkovModel) -> None:
    spread = count.compare({"0": "1/2", "1": "1/2"}, {"2": 1}, horizon=1)
    assert spread.budget().c == 3  # (1/2 * 2/3 + 1/2 * 1/3) / (1/6)
    with pytest.raises(dipc.InputError, match="the only state 0 is 1/2, not 1"):
        count.compare({"0": "1/2"}, {"2": 1})


def test_floats() -> None:
    model = dipc.HiddenMarkovModel.from_arrays([[0.9, 0.1], [0.2, 0.8]], [[0.3, 0.7], [0.6, 0.4]])
    assert model.notes == ()
    assert model.compare("0", "1", horizon=1).budget().c == 2  # 0.6 against 0.3, exactly
    thirds = [[1 / 3, 2 / 3], [0.5, 0.5]]
    with pytest.raises(
        dipc.InputError, match="row 0 of the emissions sums to 1 - 1/10000000000000000"
    ) as error:
        dipc.HiddenMarkovModel.from_arrays([[0.0, 0.0], [0.0, 0.0]], thirds)
    assert "round=1000" in error.value.hint
    model = dipc.HiddenMarkovModel.from_arrays([[0.0, 0.0], [0.0, 0.0]], thirds, round=1000)
    assert "rounded to multiples of 1/1000" in model.notes[0]
    verdict = model.compare("0", "1").check("ln(2)")
    assert verdict.notes == model.notes
    assert model.compare("0", "1").probability("0", given="0") == fmpq(333, 1000)


@pytest.mark.parametrize("row", [[1.5, -0.5], [float("nan"), 1.0], [float("inf"), 0.0], [0.5, 0.4]])
def test_floats_that_are_no_probabilities(row: list[float]) -> None:
    with pytest.raises(dipc.InputError):
        dipc.HiddenMarkovModel.from_arrays([[0, 0]], [row], round=10)


def test_a_graph() -> None:
    graph: Any = networkx.DiGraph()
    graph.add_node("day", emits={"dry": "3/4", "wet": "1/4"})
    graph.add_node("night", emits={"dry": "1/4", "wet": "3/4"})
    graph.add_edge("day", "night", probability="1/2")
    graph.add_edge("day", "day", probability="1/2")
    model = dipc.HiddenMarkovModel.from_networkx(graph)
    assert model.compare("day", "night", horizon=1).budget().c == 3
    assert model.compare("day", "night", horizon=2).budget().infinite  # the night is silent afterwards
    graph.nodes["day"].clear()
    with pytest.raises(dipc.InputError, match="the node `day` has no `emits`"):
        dipc.HiddenMarkovModel.from_networkx(graph)


Wrong = Callable[[HiddenMarkovModel], Any]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda m: m.of(None, [[0.5, 0.5]]), "must be an exact number, not the float 0.5"),
        (lambda m: m.of([["1"]], G), "3 states need 3 rows of transitions, not 1"),
        (lambda m: m.of(None, G, states=["a"]), "3 states need 3 names, not 1"),
        (lambda m: m.of(None, G, states=["a b", "c", "d"]), "`a b` is not a name"),
        (lambda m: m.of(None, G, states=["a\nhorizon 1", "c", "d"]), "is not a name"),
        (lambda m: m.of(None, [["1/2", "1/3"]]).compare("0", "1"), "sum to 5/6, not 1"),
        (lambda m: m.of(None, [["1/2", "p"]]).compare("0", "0"), "`p`"),
        (lambda m: m.compare("0", "7"), "there is no secret, distribution or state `7`"),
        (lambda m: m.question(), "there is no `compare`"),
        (lambda m: m.compare("0", "1").check(), "nothing is claimed"),
        (lambda m: m.compare("0", "1").check("ln(0)"), "ln"),
        (lambda m: m.compare("0", "1", horizon="soon"), "soon"),
        (lambda m: m.compare("0", "1").probability("3", given="0"), "no observation `3`"),
        (lambda m: m.compare("0", "1").probability("0", given="5"), "no secret, distribution or state `5`"),
        (lambda m: list(m.compare("0", "1", horizon="any").curve()), "needs a number of observations"),
    ],
)
def test_wrong_input(wrong: Wrong, message: str, count: HiddenMarkovModel) -> None:
    with pytest.raises(dipc.InputError) as error:
        wrong(count)
    assert message in str(error.value)


def test_assertions(count: HiddenMarkovModel) -> None:
    asked = count.compare("0", "2")
    assert dipc.assert_pufferfish_private(asked, "ln(4)").status == "private"
    assert dipc.assert_pufferfish_private("ex2").status == "private"
    with pytest.raises(AssertionError, match="not private") as error:
        dipc.assert_pufferfish_private(asked, "ln(2)")
    assert "P(s)      0.6666666667  =  2/3" in str(error.value)
    with dipc.limits(seconds=0), pytest.raises(AssertionError, match="neither proved nor refuted"):
        dipc.assert_pufferfish_private(dipc.load("above"))


# --- out ---------------------------------------------------------------------------------------------


def test_views() -> None:
    asked = dipc.load("ex3").question()
    verdict, least = asked.check(), asked.budget()
    assert repr(verdict) == (
        "Violated(sick against healthy: 2: P(s) = 0.6666666667, P(s') = 0.1666666667 at p = 1/2)"
    )
    assert repr(asked.check("ln(4)")) == "Private(ln(4)-Pufferfish private)"
    assert repr(least) == "Budget(c: 4: ln(4)-Pufferfish private, and not for a smaller number)"
    assert "excess      0.3333333333  =  1/3" in str(verdict)
    assert "<table" in verdict._repr_html_()
    assert "reached   for every p" in str(least)
    assert "sick" in least._repr_html_()


def test_a_horizon_without_a_least_constant() -> None:
    found = dipc.load("above").question(horizon="any").budget()
    assert (found.c, found.infinite) == (None, True)
    enclosed = dipc.load("weather").question().budget()
    assert (enclosed.c, enclosed.exact) == (None, False)
    assert float(enclosed.low.as_rational()) == pytest.approx(2 + 7**0.5)


# --- probabilities -------------------------------------------------------------------------------------


def test_probabilities() -> None:
    model = dipc.HiddenMarkovModel.of(T, E)
    asked = model.compare({"0": "1/3", "1": "2/3"}, "1", horizon=3)
    matrices = Matrices(asked.question.model)
    start = matrices.vector([(0, fmpq(1, 3)), (1, fmpq(2, 3))])
    for letters in product("01", repeat=3):
        found = Fraction(asked.probability(letters, given="first").as_rational())
        assert found == matrices.probability(start, letters)
    (law,) = asked.laws("first", None, Clock())[1].values()
    found = list(law.sequences(3, Clock()))
    assert [word for word, _ in found] == list(product("01", repeat=3))
    assert sum(p.as_rational() for _, p in found) == 1


def test_weights_are_scaled_and_equal_states_added(count: HiddenMarkovModel) -> None:
    found = count.compare("0", "1").question
    one = found.parameters.ring.of(1)
    law = Law(found, Side("twice", None, ((0, one), (1, one), (0, one))))
    assert law.probability(["0"]) == fmpq(5, 9)
    assert law.probability(["0", "-"]) == fmpq(5, 9)
    assert law.probability(["0", "0"]) == 0


def test_sequences_as_text() -> None:
    assert spoken("ask(1, 2) bot  -") == ["ask(1, 2)", "bot", "-"]
    assert dipc.load("above").question().probability("blank ask(1,2) bot", "init(1, 0)") == fmpq(1, 84)
