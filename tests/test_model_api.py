"""Markov models as Python objects: what is accepted and refused, and how results show themselves."""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from flint import fmpq
from processes import GUESS
from rationals import fraction

import dipc
from dipc.claims.rows import lines, record
from dipc.clock import Clock
from dipc.dpctl.model import ModelRegions
from dipc.dpctl.records import rows_of
from dipc.dpctl.verdict import Open, Undecided
from dipc.models.chain import MarkovChain
from dipc.models.validity import check_probabilities
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.tables import RootCluster, pieces, vanishes_at

ROWS: dict[str, dict[str, Any]] = {"plus": {"yes": "3/4", "no": "1/4"}, "minus": {"yes": "1/4", "no": "3/4"}}
PAIRS = [("plus", "minus")]
Z = Quotient(dipc.ExpPoly.exp(1))


@pytest.fixture
def survey() -> Any:
    return dipc.MarkovChain(ROWS, labels={"out_1": ["yes"]}, neighbours=PAIRS)


# --- in ----------------------------------------------------------------------------------------------


def test_states_keep_their_order() -> None:
    model = dipc.MarkovChain({"z": {"b": 1}, "a": {"z": "1/2", "c": "1/2"}}).model
    assert model.names == ("z", "a", "b", "c", "†")
    twelve = [[int(t == (s + 1) % 12) for t in range(12)] for s in range(12)]
    assert dipc.MarkovChain.from_matrix(twelve).model.names == tuple(map(str, range(12)))


@pytest.mark.parametrize("third", [Fraction(1, 3), fmpq(1, 3), "1/3", Quotient.of(fmpq(1, 3)), "2/6"])
def test_exact_numbers(third: Any) -> None:
    chain = dipc.MarkovChain({"s": {"g": third, "h": "2/3"}})
    assert chain.value("P=? (X g)")["s"] == fmpq(1, 3)


def test_a_row_may_be_one_state() -> None:
    assert dipc.MarkovChain({"s": "s"}).check("P>=1 (G s)").status == "holds"


def test_a_matrix_and_a_graph(survey: Any) -> None:
    chain = dipc.MarkovChain.from_matrix([["1/2", "1/2"], [0, 1]], labels={"end": ["1"]}, start=["0"])
    assert chain.value("P=? (F<=2 end)")["0"] == fmpq(3, 4)
    graph = survey.to_networkx()
    again = dipc.MarkovChain.from_networkx(graph.subgraph(["plus", "minus", "yes", "no"]), neighbours=PAIRS)
    assert again.value("D[?, 0](X yes)").values == survey.value("D[?, 0](X out_1)").values


@pytest.fixture
def guess(tmp_path: Path) -> Any:
    (tmp_path / "guess.dpm").write_text(GUESS, encoding="utf-8")
    return dipc.load_model(tmp_path / "guess.dpm")


def test_again_and_again(guess: Any) -> None:
    pytest.importorskip("spot")
    assert guess.value("Pmax=? (G F won)")["s"] == guess.value("Pmax=? (F won)")["s"]
    assert guess.check("P<=1 (G F won)").status == "holds"


REFUSED: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: dipc.MarkovChain({"a": {"b": 0.5, "c": 0.5}}), dipc.WrongType, "the float 0.5"),
    (lambda: dipc.MarkovChain.from_matrix([[0.5, 0.5], [0, 1]]), dipc.WrongType, "the float 0.5"),
    (lambda: dipc.MarkovChain({"a": {"b": "7/8"}}), dipc.InputError, "sum to 7/8"),
    (lambda: dipc.MarkovChain({"a": {"b": 2, "c": -1}}), dipc.InputError, "above 1"),
    (lambda: dipc.MarkovChain({"a": ["b"]}), dipc.WrongType, "not a mapping"),
    (lambda: dipc.MarkovChain({1: {"b": 1}}), dipc.WrongType, "a state is a text, not the int 1"),
    (lambda: dipc.MarkovChain({"a": {1: 1}}), dipc.WrongType, "not the int 1"),
    (lambda: dipc.MarkovChain({"a": "b"}, neighbours=[("a",)]), dipc.WrongType, "pair"),
    (lambda: dipc.MarkovChain({"a": "b"}, start="b"), dipc.WrongType, "a list of texts, not the text 'b'"),
    (lambda: dipc.MarkovChain({"a": "b"}, labels={"x": "b"}), dipc.WrongType, "the states of `x`"),
    (lambda: dipc.MarkovChain({"a": "b"}, labels={"b": ["b"]}), dipc.InputError, "`b` is a state"),
    (lambda: dipc.MarkovChain({"a": "b"}, neighbours=["ab"]), dipc.WrongType, "pairs of states"),
    (lambda: dipc.MarkovChain({"a": "b"}, neighbours=[("a", "d")]), dipc.InputError, "no state `d`"),
    (lambda: dipc.MarkovChain({}), dipc.InputError, "no states"),
    (lambda: dipc.MDP({("a", "x"): {"b": 0.1}}), dipc.WrongType, "the float 0.1"),
    (lambda: dipc.load_model("nosuch.dpm"), dipc.InputError, "no such file or model"),
    (lambda: dipc.MarkovChain({"a": "b"}).check(1), dipc.WrongType, "a formula is a text"),
    (lambda: dipc.MarkovChain({"a": "b"}).check("true", at=0.5), dipc.WrongType, "the float 0.5"),
    (lambda: dipc.MarkovChain({"a": "b"}).check("true", start="a"), dipc.WrongType, "a list of texts"),
    (lambda: dipc.MarkovChain({"a": "b"}).check("true", start=["c"]), dipc.InputError, "no state `c`"),
    (lambda: dipc.MarkovChain({"a": "b"}).check("true", at=-1), dipc.InputError, r"not in \(0, inf\)"),
    *(
        (
            lambda wrong=wrong: dipc.MDP({("a", "x"): "a"}).check("true", depth=wrong),
            dipc.WrongType,
            "a depth is",
        )
        for wrong in (-1, 2.5, True, "3")
    ),
]


@pytest.mark.parametrize(("make", "error", "says"), REFUSED)
def test_what_is_refused(make: Callable[[], object], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        make()


def test_numbers_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "coin.dpm"
    file.write_text(
        "chain; let z = exp(eps); s -> {a: z/(1+z), b: 1/(1+z)}; final a, b; start s\n"
        "property p: P>=1/2 (X a)"
    )
    assert dipc.load_model(file).value("P=? (X a)")["s"] == Z / (1 + Z)
    for two in (2, "2", Fraction(2), Quotient.of(2)):
        assert dipc.load_model(file, D={"z": two}).value("P=? (X a)")["s"] == fmpq(2, 3)
    with pytest.raises(dipc.WrongType, match="the float"):
        dipc.load_model(file, D={"z": 2.0})
    with pytest.raises(dipc.InputError, match="there is no number `y`"):
        dipc.load_model(file, D={"y": 2})
    model = dipc.load_model(str(file))
    (line,) = model.properties
    assert model.check(line).property.name == "p"
    assert model.check(model.property("true", at="1/2")).property.eps_range.is_point


# --- neighbours --------------------------------------------------------------------------------------


def test_other_neighbours(survey: Any) -> None:
    for others in ("yes ~ no", [("yes", "no")]):
        changed = survey.with_neighbours(others)
        assert (changed.model.neighbours, changed.model.start) == (((2, 3),), (0, 1))
        assert type(changed) is dipc.MarkovChain
    assert survey.model.neighbours == ((0, 1),)
    alone = dipc.MarkovChain.from_matrix([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert alone.model.start == (0, 1, 2)
    assert alone.with_neighbours("0 ~ 2").model.start == (0, 2)


# --- out ---------------------------------------------------------------------------------------------


def test_regions(survey: Any) -> None:
    found = survey.regions("D[eps, 0](X out_1)")
    (region,) = found["plus"]
    assert isinstance(found, ModelRegions)
    assert (region.low_closed, region.high, region.high_closed) == (True, None, False)
    assert str(found).splitlines()[-1] == "minus    holds for  1.0986122887 ≤ ε < inf (rounded inwards)"
    assert repr(found).startswith("ModelRegions(plus: holds for  1.0986122887 ≤ ε < inf (rounded inwards), ")
    assert survey.regions("D[eps, 0](X out_1)", at=1)["plus"] == ()


def test_views(survey: Any) -> None:
    failed = survey.check("D[1, 0](X out_1)")
    assert str(failed).splitlines()[0] == "model      Markov chain, 5 states, 1 pair of neighbours"
    assert repr(failed) == "Fails(D[1, 0](X out_1): P(plus) = 0.7500000000, P(minus) = 0.2500000000)"
    assert "<td" in failed._repr_html_()
    assert "3/4 - 1/4*exp(1)" in failed._repr_html_()
    assert repr(survey.check("true")) == "Holds(true)"
    assert repr(survey.value("P=? (X out_1)")).startswith("ModelValue(plus: 0.7500000000  =  3/4, minus: ")
    assert "ln(3)" in survey.value("D[?, 0](X out_1)")._repr_html_()
    assert repr(survey) == "<MarkovChain <model>: Markov chain, 5 states, 1 pair of neighbours>"


def test_what_is_open_is_rounded_outwards(survey: Any) -> None:
    low, high = fmpq(18139, 61440), fmpq(710333, 2211840)
    gap = Open("plus", "minus", low, high, "depth 8")
    asked = survey.property("D[0, 0](X out_1)")
    at = {"plus": "undecided"}
    found = Undecided(asked, survey.model, at, {}, frozenset(), undecided=(gap,), reason="why")
    rows = list(rows_of(found))
    said = dict(lines(rows))
    assert (said["verdict"], said["reason"]) == ("UNDECIDED at plus", "why")
    assert said["open"] == "plus ~ minus: the least delta lies in [18139/61440, 0.3211502641]  (depth 8)"
    assert float(high) <= 0.3211502641 < float(high) + 1e-10
    assert record(rows)["undecided"] == [
        {"state": "plus", "neighbour": "minus", "delta": [str(low), str(high)], "reason": "depth 8"}
    ]


# --- parts -------------------------------------------------------------------------------------------


def test_whether_a_function_vanishes_at_a_root() -> None:
    z = dipc.ExpPoly.exp(1)
    (root,) = [
        piece.low.roots[0]
        for piece in pieces([z - 2], EpsRange.positive())
        if isinstance(piece.low, RootCluster) and piece.is_point
    ]
    assert all(vanishes_at(f, root) for f in (z - 2, z * z - 4, (z - 2) * (z - 3), z - z))
    assert not any(vanishes_at(f, root) for f in (z - 3, z + 2))


def test_probabilities_are_judged_on_the_range_only() -> None:
    """Against values at many points of the range: a function of eps and what is left of 1."""
    for number, p in enumerate(
        (Z - 1, Z / 3, 1 / Z, Z / (Z - 2), 1 / (3 - Z), Quotient(dipc.ExpPoly.of(1, 1)))
    ):
        chain = MarkovChain(("a", "b"), {}, (), (0,), (((0, p), (1, 1 - p)), ((1, Quotient.one()),)))
        for low in range(1, 12):
            budgets = EpsRange(fmpq(low, 10), fmpq(low + 1, 10), True, True)
            points = [fmpq(10 * low + k, 100) for k in range(11)]
            good = (
                all(f.denominator.sign_at(x) and f.sign_at(x) >= 0 for f in (p, 1 - p) for x in points)
                and len({p.denominator.sign_at(x) for x in points}) == 1
            )
            try:
                check_probabilities(chain, budgets, Clock())
                accepted = True
            except dipc.InputError:
                accepted = False
            assert accepted is good, (number, low)


# --- Storm -------------------------------------------------------------------------------------------

COIN = """\
dtmc
const double z;
module coin
  s : [0..2] init 0;
  [] s=0 -> z/(1+z) : (s'=1) + 1/(1+z) : (s'=2);
  [] s>0 -> 1 : (s'=s);
endmodule
label "heads" = s=1;
"""
WALK = """\
mdp
const int N;
module walk
  s : [0..N] init 0;
  [slow] s<N -> 3/4 : (s'=s+1) + 1/4 : (s'=s);
  [fast] s<N -> 1 : (s'=N);
  [slow] s=N -> 1 : (s'=N);
  [fast] s=N -> 1 : (s'=N);
endmodule
label "end" = s=N;
"""


def test_without_stormpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, survey: Any) -> None:
    monkeypatch.setitem(__import__("sys").modules, "stormpy", None)
    (tmp_path / "coin.pm").write_text(COIN)
    for use in (lambda: dipc.load_model(tmp_path / "coin.pm"), survey.to_storm):
        with pytest.raises(dipc.InputError, match="this needs the package stormpy"):
            use()


def test_programs_of_prism(tmp_path: Path) -> None:
    pytest.importorskip("stormpy")
    file = tmp_path / "coin.pm"
    file.write_text(COIN)
    coin = dipc.load_model(file, D={"z": "exp(eps)"})
    assert coin.value("P=? (F heads)")["0"] == Z / (1 + Z)
    assert coin.with_neighbours("1 ~ 2").check("D[eps, 0](F heads)").status == "holds"
    assert dipc.load_model(file, D={"z": "2"}).value("P=? (F heads)")["0"] == fmpq(2, 3)
    for parameters, says in (({}, "`z` is undefined"), ({"z": 2, "y": 3}, "no undefined constant `y`")):
        with pytest.raises(dipc.InputError, match=says):
            dipc.load_model(file, D=parameters)
    file.write_text("dtmc\nmodule x\n foo")
    with pytest.raises(dipc.InputError, match="Storm refuses the program"):
        dipc.load_model(file)
    file.write_text(WALK)
    walk = dipc.load_model(file, D={"N": 2})
    assert isinstance(walk, dipc.MDP)
    assert (walk.model.actions, len(walk.model.names)) == (("slow", "fast"), 3)
    assert walk.model.rows[0] == (((0, fmpq(1, 4)), (1, fmpq(3, 4))), ((2, fmpq(1)),))


def test_models_go_to_storm_and_come_back(survey: Any, tmp_path: Path) -> None:
    stormpy = pytest.importorskip("stormpy")
    sparse = survey.to_storm()
    found = stormpy.model_checking(sparse, stormpy.parse_property('P=? [X "out_1"]'))
    assert [str(found.get_value(s)) for s in (0, 1)] == ["3/4", "1/4"]
    back = dipc.MarkovChain.from_storm(sparse, neighbours=[("0", "1")])
    assert back.model.rows == survey.model.rows
    assert (back.model.neighbours, back.model.start) == (((0, 1),), (0, 1))
    process = dipc.MDP({("s", "L"): {"y": "3/4", "n": "1/4"}, ("s", "H"): {"y": "4/5", "n": "1/5"}})
    again = dipc.MarkovChain.from_storm(process.to_storm())
    assert (again.model.rows, again.model.actions) == (process.model.rows, process.model.actions)
    with pytest.raises(dipc.Unsupported, match="a model with eps"):
        dipc.MarkovChain({"a": {"b": 1 / Z, "c": 1 - 1 / Z}}).to_storm()
    (tmp_path / "coin.pm").write_text(COIN)
    parsed = stormpy.parse_prism_program(str(tmp_path / "coin.pm"))
    program = stormpy.instantiate_constants(parsed, {"z": stormpy.Rational("2")})[0]
    with pytest.raises(dipc.InputError, match="floating-point"):
        dipc.MarkovChain.from_storm(stormpy.build_model(program))
    with pytest.raises(dipc.InputError, match="a DTMC or an MDP of stormpy is needed, not int"):
        dipc.MarkovChain.from_storm(3)


# --- dynamic Bayesian networks --------------------------------------------------------------------------


class Table:
    """What pgmpy has as a TabularCPD: the first axis of ``values`` is the variable."""

    def __init__(
        self, variable: Any, size: int, columns: Any, evidence: Any = (), sizes: Any = (), **more: Any
    ):
        self.variables, self.cardinality = [variable, *evidence], [size, *sizes]
        self.values = {
            (own, *places): columns[own][i] if isinstance(columns[own][i], str) else float(columns[own][i])
            for i, places in enumerate(product(*map(range, sizes)))
            for own in range(size)
        }
        self.state_names = more.get("state_names") or {variable: list(range(size))}


class Network:
    """What pgmpy has as a DynamicBayesianNetwork."""

    def __init__(self, edges: Any = ()) -> None:
        self.tables: dict[Any, Table] = {}

    def add_cpds(self, *tables: Table) -> None:
        self.tables |= {table.variables[0]: table for table in tables}

    def get_cpds(self, node: Any) -> Table | None:
        return self.tables.get(node)

    def get_slice_nodes(self, time: int) -> list[Any]:
        return [node for node in self.tables if node[1] == time]


def weather() -> Network:
    """A hidden Markov model: Z is hidden, and X tells which of three values it shows."""
    network, seen = Network(), [["0.5", "0.1"], ["0.25", "0.1"], ["0.25", "0.8"]]
    network.add_cpds(
        Table(("Z", 0), 2, [[1.0], [0.0]]),
        Table(("X", 0), 3, seen, [("Z", 0)], [2]),
        Table(("Z", 1), 2, [[0.7, 0.2], [0.3, 0.8]], [("Z", 0)], [2]),
        Table(("X", 1), 3, seen, [("Z", 1)], [2]),
    )
    return network


def test_a_hidden_markov_model_of_pgmpy_is_a_chain_of_pairs() -> None:
    chain = dipc.MarkovChain.from_pgmpy(weather(), neighbours=[("Z=0, X=0", "Z=1, X=0")])
    assert len(chain.states) == 6 and chain.model.start == (0, 1, 2)
    found = chain.value('P=? (X "X=2")', start=chain.states)
    for state in chain.states:
        rain = Fraction(7, 10) if state.startswith("Z=0") else Fraction(2, 10)
        shown = rain * Fraction(1, 4) + (1 - rain) * Fraction(8, 10)
        assert fraction(found[state]) == shown
    assert chain.check('D[ln 3, 0](X "X=2")').status == "holds"


def test_a_chain_is_a_network_of_pgmpy_and_back(survey: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(dipc.InputError, match="pgmpy is not installed"):
        survey.to_pgmpy()
    models, factors = ModuleType("pgmpy.models"), ModuleType("pgmpy.factors.discrete")
    models.DynamicBayesianNetwork, factors.TabularCPD = Network, Table  # type: ignore[attr-defined]
    for module in (ModuleType("pgmpy"), ModuleType("pgmpy.factors"), models, factors):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    again = dipc.MarkovChain.from_pgmpy(survey.to_pgmpy())
    assert (again.states, again.model.rows) == (survey.states, survey.model.rows) and not again.notes
    third = dipc.MarkovChain({"a": {"a": "1/3", "b": "2/3"}, "b": "b"})
    with pytest.raises(dipc.InputError, match="the table of state in slice 1 sums to 1"):
        thirds = dipc.MarkovChain({"a": dict.fromkeys("abc", "1/3")}, start=["a"])
        dipc.MarkovChain.from_pgmpy(thirds.to_pgmpy())
    assert dipc.MarkovChain.from_pgmpy(third.to_pgmpy(), round=3).model.rows == third.model.rows
    with pytest.raises(dipc.InputError, match="only a chain with rational probabilities"):
        dipc.MarkovChain({"s": {"s": "exp(-eps)", "t": "1 - exp(-eps)"}}).to_pgmpy()


def test_what_is_no_network_of_two_slices_is_refused() -> None:
    with pytest.raises(dipc.WrongType, match="a dynamic Bayesian network is expected"):
        dipc.MarkovChain.from_pgmpy([[1]])
    network = weather()
    del network.tables["X", 1]
    with pytest.raises(dipc.InputError, match="both slices need the same variables"):
        dipc.MarkovChain.from_pgmpy(network)
