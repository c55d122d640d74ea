"""Models from tables and matrices, and back: nothing is rounded unless that is said."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import pytest

import dipc
from dipc.errors import InputError, Source, WrongType
from dipc.export.markov import table
from dipc.models.chain import Model
from dipc.models.reading import read_model
from dipc.models.tables import read_table
from dipc.shipped import models

SURVEY = """# a survey
from,to,probability
plus,yes,0.75
plus,no,0.25
minus,yes,1/4
minus,"no",0.75
# label out_1 = {yes}
# neighbours plus ~ minus
# property private: D[ln 3, 0](X out_1)   # expect: holds
"""


def of(text: str) -> Model:
    return read_table(Source("table.csv", text)).model


def test_a_table_is_a_model(tmp_path: Path) -> None:
    (tmp_path / "survey.csv").write_text(SURVEY)
    model = dipc.load_model(tmp_path / "survey.csv")
    assert isinstance(model, dipc.MarkovChain)
    assert model.states == ("plus", "yes", "no", "minus") and model.notes == ()
    (line,) = model.properties
    assert model.check(line).status == line.expected == "holds"
    assert model.check("D[1, 0](X out_1)").status == "fails"


def test_columns_come_in_any_order_and_actions_make_a_decision_process() -> None:
    found = of("probability,to,Action,from\n1,t,a,s\n1/2,s,b,s\n1/2,t,b,s\n1,t,a,t\n1,s,b,t\n# start s\n")
    text = "mdp; s [a] -> t; s [b] -> {s: 1/2, t: 1/2}; t [a] -> t; t [b] -> s; start s"
    wanted = read_model(Source("m", text)).model
    assert found == wanted


@pytest.mark.parametrize("name", sorted(set(models()) - {"crowds"}))
def test_shipped_models_come_back(name: str) -> None:
    model = dipc.load_model(name).model
    back = of(table(model))
    assert set(back.names) == set(model.names) and back.labels.keys() == model.labels.keys()
    places = {s: back.names.index(name) for s, name in enumerate(model.names)}
    assert {frozenset(places[s] for s in pair) for pair in model.neighbours} == set(
        map(frozenset, back.neighbours)
    )
    assert [places[s] for s in model.start] == list(back.start)
    for s, row in enumerate(model.rows):
        choices = [row] if isinstance(model, dipc.models.chain.MarkovChain) else row  # type: ignore[list-item]
        again = [back.rows[places[s]]] if choices == [row] else back.rows[places[s]]
        for one, other in zip(choices, again, strict=True):
            assert {places[t]: p for t, p in one} == dict(other)  # type: ignore[misc, arg-type]


def test_rounding_is_said() -> None:
    third = "from,to,probability\ns,a,0.333\ns,b,0.333\ns,c,0.333\n"
    with pytest.raises(InputError, match=r"the probabilities of `s` sum to 999/1000, not to 1") as error:
        of(third)
    assert error.value.span is not None and error.value.span.line == 2
    found = read_table(Source("t", f"# round 100\n{third}"))
    assert [str(p) for _, p in found.model.rows[0]] == ["17/50", "33/100", "33/100"]  # type: ignore[misc]
    assert found.notes == ("the probabilities were rounded to multiples of 1/100, by at most 0.007",)
    with pytest.raises(InputError, match=r"the row of `s` sums to 1 - 1/2"):
        of("# round 100\nfrom,to,probability\ns,a,0.5\n")


def test_random_rows_of_floats_are_rounded_to_rows_that_sum_to_1() -> None:
    rng = random.Random(1)
    for _ in range(50):
        raw = [rng.random() for _ in range(rng.randint(2, 6))]
        row = [x / sum(raw) for x in raw]
        n = rng.choice([10, 1000, 10**6, 7])
        matrix = [row, *([[0.0] * len(row)] * (len(row) - 1))]
        found = dipc.MarkovChain.from_matrix(matrix, round=n)
        exact = found.to_matrix()[0][: len(row)]
        assert sum(exact) == 1 and all((x * n).denominator == 1 for x in exact)
        assert all(abs(x - Fraction(str(y))) < Fraction(2, n) for x, y in zip(exact, row, strict=True))


def test_floats_without_rounding_are_refused() -> None:
    with pytest.raises(InputError, match="float"):
        dipc.MarkovChain.from_matrix([[0.5, 0.5], [0, 1]])
    with pytest.raises(WrongType, match="round is a positive integer"):
        dipc.MarkovChain.from_matrix([[0.5, 0.5], [0, 1]], round=0)
    with pytest.raises(WrongType, match="the row of `0` contains nan, not a probability"):
        dipc.MarkovChain.from_matrix([[float("nan"), 0.5], [0, 1]], round=10)


def test_matrices_come_back() -> None:
    rows = [["1/2", "1/2", 0], [0, "1/3", "2/3"], [1, 0, 0]]
    model = dipc.MarkovChain.from_matrix(rows)
    assert model.to_matrix() == [[Fraction(x) for x in row] for row in rows]
    again = dipc.MarkovChain.from_matrix(model.to_matrix())
    assert again.model == model.model
    hidden = dipc.HiddenMarkovModel.of([["1/2", "1/2"], [0, 0]], [["1/3", "2/3"], [1, 0]])
    transitions, emissions = hidden.compare("0", "1", horizon=1).to_arrays()
    assert transitions == [[Fraction(1, 2), Fraction(1, 2)], [0, 0]]
    assert emissions == [[Fraction(1, 3), Fraction(2, 3)], [1, 0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the table is empty"),
        ("from,to,prob\n", "these are not the columns of a table of transitions"),
        ("from,to,probability,weight\n", "these are not the columns"),
        ("from,to,probability\na,b\n", "a line has 3 cells"),
        ("from,to,probability\na,b,1/2\na,b,1/2\n", "`b` is given twice as a target of `a`"),
        ("from,to,probability\na,b,half\n", "no number is called `half`"),
        ("from,to,probability\na,b,3/2\na,c,-1/2\n", "is above 1"),
        ("from,to,probability\na,b,1\n# label x = {c}\n", "there is no state `c`"),
    ],
)
def test_broken_tables(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        of(text)
