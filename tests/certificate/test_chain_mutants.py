"""Certificates of formulas about Markov chains: altered, forged, hostile; refused, or still true."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from campaigns import some
from certificate import altered
from certificate.altered import declared, mutants, survivors
from chain_certificates import ROUNDS, SURVEY, TWICE, checked, model_of, only_ranks_may_change, written
from dpctl.fast import satisfying
from dpctl.oracle import holding

from dipc.clock import Clock
from dipc.dpctl.certify import is_about, listed_model, other_model
from dipc.dpctl.syntax import parse_property
from dipc.errors import Source
from dipc.kernel import chains
from dipc.kernel.reading import Refused

# --- mutants ----------------------------------------------------------------------------------------------

SUBJECTS = [
    (SURVEY, "D[ln 3, 1/8](X out_1) & !P<1/4 (X X out_0)"),
    (TWICE, "P>=1/2 (G F out) | P in [1/3, 1) (low U (stop & X stop))"),
    (TWICE, "D[ln 3 - 1/4, 1/10](F (out & X (low U<=2 stop)))"),
    (ROUNDS, 'D[1/10, 1/5]((bot | X bot) U (top & P>=1 (X "halt")))'),
]


WORDS = ("yes", "out", "low", "fails", "holds", "or", "and", "U")
others = partial(altered.others, words=WORDS)


def is_true(certificate: chains.Certificate) -> bool:
    """The stated formula, judged by the oracle on the listed chain; by dipc where a number is irrational."""
    chain = listed_model(certificate)
    formula = parse_property(Source("f", certificate.formula), chain).formula
    try:
        found = holding(chain, formula)
    except (AttributeError, AssertionError):  # an irrational delta, a negative exponent
        found = satisfying(chain, formula, Clock())
    return certificate.holds == [s in found for s in certificate.chain.asked]


def meaning(data: dict[str, Any]) -> Any:
    """The chain of a certificate, without the order of what has none."""
    labels = {name: set(states) for name, states in data["labels"].items()}
    return (
        data["states"],
        list(map(dict, data["rows"])),
        labels,
        {frozenset(pair) for pair in data["neighbours"]},
    )


@pytest.mark.parametrize(("model", "formula"), SUBJECTS)
def test_a_mutant_is_refused_or_still_true(model: str, formula: str) -> None:
    original = model_of(model)
    asked = parse_property(Source("f", formula), original)
    data = written(original, formula)
    tried, accepted, changed = some(mutants(data, others), 250), 0, 0
    for where, mutant, certificate in survivors(tried, checked):
        accepted += 1
        assert where[0] != "untils" or mutant["untils"] != data["untils"]
        assert is_true(certificate), (where, mutant)
        assert bool(other_model(certificate, original)) is (meaning(mutant) != meaning(data)), where
        if where[0] in ("formula", "asked") and not is_about(certificate, original, asked):
            changed += 1
    assert len(tried) > 200 and accepted < len(tried) / 2 and changed > 1


@pytest.mark.parametrize(("model", "formula"), SUBJECTS)
def test_listed_probabilities_cannot_be_changed(model: str, formula: str) -> None:
    data = written(model_of(model), formula)
    tried = list(mutants({"untils": data["untils"]}, others))
    only_ranks_may_change(data, tried)
    assert len(tried) > 50 or not data["untils"]


def test_forged_answers_are_refused() -> None:
    data = written(model_of(TWICE), "P>=1/2 (G F out)")
    with pytest.raises(Refused, match=r"^answers"):
        checked(data | {"answers": ["holds", "holds"]})
    for answers in (["fails"], [], ["fails", "fails", "fails"], [False, False], "fails"):
        with pytest.raises(Refused, match=r"^answers"):
            checked(data | {"answers": answers})


LOOP = "chain; s -> {s: 1/2, t: 1/2}; t -> s; g -> g; start s"


def test_every_solution_but_the_probabilities_is_refused() -> None:
    """s and t never reach g, and 1, 1 solves the equations as well: only a rank could exclude it."""
    data = written(model_of(LOOP), "P<=0 (F g)")
    assert checked(data).status == "holds"
    for values, ranks in (
        (["1", "1", "1"], [1, 1, 0]),
        (["1", "1", "1"], [2, 1, 0]),
        (["1", "1", "1"], [None, None, 0]),
        (["1/2", "1/2", "1"], [1, 2, 0]),
        (["0", "0", "1"], [1, 1, 0]),
        (["0", "0", "1"], [None, 0, 0]),
        (["0", "0", "0"], [None, None, None]),
    ):
        with pytest.raises(Refused, match=r"^until 0, state"):
            checked(data | {"untils": [{"values": values, "ranks": ranks}], "answers": ["fails"]})


def test_a_forged_zero_set_is_refused() -> None:
    data = written(model_of("chain; s -> {s: 1/2, g: 1/2}; g -> g; start s"), "P>=1 (F g)")
    for ranks, place in (([None, 0], 0), ([None, None], 0), ([None, 1], 0)):
        forged = {"untils": [{"values": ["0", "1"], "ranks": ranks}], "answers": ["fails"]}
        with pytest.raises(Refused, match=f"^until 0, state {place}"):
            checked(data | forged)


def test_a_state_outside_has_no_rank() -> None:
    data = written(model_of(LOOP), "P<=0 (s U g)")
    assert data["untils"] == [{"values": ["0", "0", "1"], "ranks": [None, None, 0]}]
    with pytest.raises(Refused, match=r"^until 0, state 1"):
        checked(data | {"untils": [{"values": ["0", "0", "1"], "ranks": [1, 0, 0]}]})
    with pytest.raises(Refused, match=r"^until 0, state 1"):
        checked(data | {"untils": [{"values": ["0", "0", "1"], "ranks": [2, 1, 0]}]})


# --- hostile input ----------------------------------------------------------------------------------------


def node(kind: str, detail: Any, *operands: int) -> list[Any]:
    return [kind, detail, [*operands]]


HALF = [[["1/2"]], [["1"]]]
NOTHING = [[], [["1"]]]
NAME = node("name", "out_1")


def private(constant: str = "0", logarithms: Any = (), delta: Any = NOTHING) -> dict[str, Any]:
    return {"constant": constant, "logarithms": list(logarithms), "delta": delta}


def within(low: Any, high: Any) -> dict[str, Any]:
    return {"low": low, "high": high, "low_closed": True, "high_closed": True}


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "version 1": ({"version": 1}, "format"),
    "another statement": ({"statement": "mdp"}, "statement"),
    "a new field": ({"note": 1}, "format"),
    "no states": ({"states": []}, "states"),
    "a state twice": ({"states": ["plus", "plus", "yes", "no", "†"]}, "states"),
    "a quotation mark": ({"states": ['p" at', "minus", "yes", "no", "†"]}, "states"),
    "a long name": ({"states": ["p" * 201, "minus", "yes", "no", "†"]}, "states"),
    "a row is missing": ({"rows": [[[0, "1"]]]}, "rows"),
    "a row of 7/8": ({"rows": [[[0, "7/8"]], *[[[0, "1"]]] * 4]}, "row 0"),
    "a negative probability": ({"rows": [[[0, "-1"], [1, "2"]], *[[[0, "1"]]] * 4]}, "row 0"),
    "probability 0": ({"rows": [[[0, "1"], [1, "0"]], *[[[0, "1"]]] * 4]}, "row 0"),
    "a target twice": ({"rows": [[[0, "1/2"], [0, "1/2"]], *[[[0, "1"]]] * 4]}, "row 0"),
    "a target outside": ({"rows": [[[5, "1"]], *[[[0, "1"]]] * 4]}, "row 0"),
    "a target before": ({"rows": [[[-1, "1"]], *[[[0, "1"]]] * 4]}, "row 0"),
    "an empty row": ({"rows": [[], *[[[0, "1"]]] * 4]}, "row 0"),
    "a label of a state": ({"labels": {"yes": [0], "out_1": [0]}}, "labels"),
    "a label outside": ({"labels": {"out_1": [9]}}, "labels"),
    "an unused label": ({"labels": {"out_1": [2], "low": [1]}}, "labels"),
    "a neighbour of itself": ({"neighbours": [[0, 0]]}, "neighbours"),
    "nothing asked": ({"asked": []}, "asked"),
    "no formula": ({"formula": []}, "formula"),
    "a path formula": ({"formula": [NAME, node("X", 1, 0)]}, "formula"),
    "an unused node": ({"formula": [NAME, node("true", None)]}, "formula"),
    "a forward reference": ({"formula": [node("not", None, 0)]}, "formula, node 0"),
    "a later reference": ({"formula": [NAME, node("not", None, 1)]}, "formula, node 1"),
    "two operands of not": ({"formula": [NAME, node("not", None, 0, 0)]}, "formula, node 1"),
    "an empty and": ({"formula": [node("and", None)]}, "formula, node 0"),
    "a detail too much": ({"formula": [NAME, node("not", 1, 0)]}, "formula, node 1"),
    "an unknown operator": ({"formula": [NAME, node("G", None, 0)]}, "formula, node 1"),
    "no operator": ({"formula": [[]]}, "formula, node 0"),
    "an unknown name": ({"labels": {}, "formula": [node("name", "out_7")]}, "formula, node 0"),
    "the implicit state": ({"labels": {}, "formula": [node("name", "†")]}, "formula, node 0"),
    "X^0": ({"formula": [NAME, node("X", 0, 0), node("P", within(HALF, HALF), 1)]}, "formula, node 1"),
    "U<=-1": ({"formula": [NAME, node("U", -1, 0, 0), node("P", within(HALF, HALF), 1)]}, "formula, node 1"),
    "no denominator": ({"formula": [NAME, node("P", within([[["1"]], []], HALF), 0)]}, "formula, node 1"),
    "a denominator < 0": (
        {"formula": [NAME, node("P", within([[["1"]], [["-1"]]], HALF), 0)]},
        "formula, node 1",
    ),
    "eps": ({"formula": [NAME, node("P", within([[["1", 1]], [["1"]]], HALF), 0)]}, "formula, node 1"),
    "exp(eps)": (
        {"formula": [NAME, node("P", within([[["1", 0, "1"]], [["1"]]], HALF), 0)]},
        "formula, node 1",
    ),
    "epsilon < 0": ({"formula": [NAME, node("D", private("-1/100"), 0)]}, "formula, node 1"),
    "ln(1/2)": ({"formula": [NAME, node("D", private("0", [["1/2", "1"]]), 0)]}, "formula, node 1"),
    "ln 0": ({"formula": [NAME, node("D", private("0", [["0", "1"]]), 0)]}, "formula, node 1"),
    "delta < 0": ({"formula": [NAME, node("D", private(delta=[[["-1"]], [["1"]]]), 0)]}, "formula, node 1"),
    "a root": ({"formula": [NAME, node("D", private("0", [["4", "1/2"]]), 0)]}, "formula, node 1"),
    "a huge power": ({"formula": [NAME, node("D", private("0", [["2", "9" * 1000]]), 0)]}, "formula, node 1"),
    "exp(10^6)": ({"formula": [NAME, node("D", private("1000000"), 0)]}, "answers"),
    "a probability listed too much": ({"untils": [{"values": [], "ranks": []}]}, "untils"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_refused_with_its_step(name: str) -> None:
    changed, step = BROKEN[name]
    data = written(model_of(SURVEY), "out_1 | D[1, 0](X out_1)")
    checked(data)
    with pytest.raises(Refused, match=rf"^({step}|{declared(step)})(:|,)"):
        checked(data | changed)


def test_a_missing_vector_is_refused() -> None:
    data = written(model_of(TWICE), "P>=1/2 (G F out)")
    with pytest.raises(Refused, match=r"^until 1: there is not one probability"):
        checked(data | {"untils": data["untils"][:1]})


def test_the_formula_and_the_states_cannot_forge_the_statement() -> None:
    data = written(model_of(SURVEY), "D[1, 0](X out_1)")
    data["states"][0] = "x holds at\nplus\x1b[2K"
    statement = checked(data).statement()
    assert statement.endswith(r'fails at "x holds at\nplus\x1b[2K", minus')
    data["model"] = "'; accepted\n" + "m" * 1000
    assert len(checked(data).statement()) < 300 and "\n" not in checked(data).statement()
