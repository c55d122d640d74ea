"""Certificates of formulas about Markov chains: accepted, judged by slow twins, altered, forged, hostile."""

from __future__ import annotations

import copy
import dataclasses
import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from dpctl.oracle import holding
from dpctl.random_chains import random_chain, random_path, random_probability, random_state
from flint import fmpq

from dipc.certificate.chains import (
    is_about,
    listed_model,
    model_certificate,
    nodes_of,
    other_model,
    verdict_certificate,
)
from dipc.certificate.format import dumps
from dipc.cli.main import status as exit_status
from dipc.clock import Clock
from dipc.dpctl import formula as tree
from dipc.dpctl import pipeline
from dipc.dpctl.checking import satisfying
from dipc.dpctl.formula import Formula, Property
from dipc.dpctl.syntax import parse_property
from dipc.dpctl.verdict import Undecided
from dipc.errors import InputError, InternalError, LimitReached, Source, Unsupported
from dipc.kernel import chains
from dipc.kernel.privacy import Certificate as PrivacyCertificate
from dipc.kernel.reading import Refused
from dipc.kernel.statements import check
from dipc.model import load_model
from dipc.models.chain import MarkovChain
from dipc.models.reading import read_model
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient

ROOT = Path(__file__).parent.parent.parent
SHIPPED = sorted((ROOT / "programs" / "chains").glob("*.dpm"))

SURVEY = """chain
plus  -> {yes: 3/4, no: 1/4}; minus -> {yes: 1/4, no: 3/4}
final yes, no
label out_1 = {yes}; label out_0 = {no}
neighbours plus ~ minus
start plus, minus
"""
TWICE = """chain
s -> {a: 3/4, b: 1/4}; t -> {a: 1/4, b: 3/4}
a -> {s: 1/2, t: 1/4, end: 1/4}; b -> {t: 1/2, b: 1/2}
end -> end
label out = {a}; label low = {b}; label stop = {end}
neighbours s ~ t, a ~ b
start s, t
"""
ROUNDS = """chain
q0 -> {bot0: 2/3, top: 1/3}; q1 -> {bot1: 1/2, top: 1/2}
bot0 -> q0; bot1 -> {q1: 9/10, q0: 1/10}; top -> halt; final halt
label bot = {bot0, bot1}
neighbours q0 ~ q1
"""
CASES = [
    (SURVEY, "D[ln 3, 0](X out_1) & D[ln 3, 0](X out_0)", "holds"),
    (SURVEY, "D[0, 0.5](X out_1)", "holds"),
    (SURVEY, "D[0, 0.49](X out_1)", "fails"),
    (SURVEY, "D[1, 0](X out_1)", "fails"),
    (SURVEY, "D[1, 3/4 - exp(1)/4](X out_1) from plus", "holds"),  # tight: no bound is above it
    (SURVEY, "P>=3/4 (X out_1) from minus", "fails"),
    (SURVEY, "P in (1/4, 1] (X X out_1)", "fails"),
    (SURVEY, "D[1/2*ln 9, 0](X (out_1 & X !out_0))", "holds"),
    (SURVEY, "D[2/3*ln 5, 0](X out_1)", "fails"),  # 5^(2/3) = 2.924
    (SURVEY, "D[2/3*ln 6, 0](X out_1)", "holds"),  # 6^(2/3) = 3.302
    (SURVEY, "D[1/2*ln 2 + 1, 0](X out_1)", "holds"),  # 3.84
    (TWICE, "P>=1 (F stop)", "holds"),
    (TWICE, "P>=1/2 (G F out)", "fails"),
    (TWICE, "D[ln 3, 0](X (out & X (low | stop)))", "holds"),
    (TWICE, "P>=1/2 (G (low -> X low))", "fails"),
    (TWICE, "D[1/2, exp(-2)](F (out & X F (low & F stop))) | P<1/3 (out U<=5 (stop & X stop))", "holds"),
    (TWICE, "P>=1/4 ((F<=3 low) & !(X X out))", "holds"),
    (ROUNDS, "D[ln 2, 0](F<=7 top)", "holds"),
    (ROUNDS, "D[ln(3/2), 0](X^2 top) & P>=1 (F top)", "holds"),
    (ROUNDS, "forall k in 1..4: D[1/10, 1/50](X^k top)", "fails"),
    (ROUNDS, "D[1/10, 1/5]((bot | X bot) U (top & D[1, 0](X halt)))", "holds"),
]


def model_of(text: str) -> MarkovChain[Quotient]:
    found = read_model(Source("test.dpm", text)).model
    assert isinstance(found, MarkovChain)
    return found


def written(chain: Any, formula: str | Property) -> dict[str, Any]:
    """The certificate, as it is read back."""
    asked = parse_property(Source("f", formula), chain) if isinstance(formula, str) else formula
    found = json.loads(dumps(model_certificate(chain, asked, "test.dpm")))
    assert isinstance(found, dict)
    return found


def checked(data: dict[str, Any], steps: int = 10**7) -> chains.Certificate:
    found = check(dumps({k: v for k, v in data.items() if k != "digest"}).encode(), None, steps)
    assert isinstance(found, chains.Certificate)
    return found


@pytest.mark.parametrize(("model", "formula", "expected"), CASES)
def test_certificates_are_accepted_and_say_what_check_says(model: str, formula: str, expected: str) -> None:
    chain = model_of(model)
    asked = parse_property(Source("f", formula), chain)
    certificate = checked(written(chain, formula))
    assert certificate.status == expected and not isinstance(asked.formula, tree.Query)
    found = satisfying(chain, asked.formula, Clock())
    assert certificate.holds == [s in found for s in certificate.chain.asked]
    if "/2*ln" not in formula and "/3*ln" not in formula:
        verdict = pipeline.check(chain, asked, Clock())
        names = [chain.names[s] for s in certificate.chain.asked]
        answers = ["holds" if here else "fails" for here in certificate.holds]
        assert dict(zip(names, answers, strict=True)) == verdict.at
    assert not other_model(certificate, chain) and is_about(certificate, chain, asked)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_chains_have_certificates(path: Path) -> None:
    model = load_model(path)
    for line in model.properties if isinstance(model.model, MarkovChain) else ():
        asked = parse_property(line.source, model.model, model.numbers)
        if isinstance(asked.formula, tree.Query):
            continue
        try:
            certificate = checked(written(model.model, asked))
        except Unsupported as unsupported:
            assert "eps" in str(unsupported) or "irrational" in str(unsupported)
            continue
        assert certificate.status == line.expected
        assert not other_model(certificate, model.model) and is_about(certificate, model.model, asked)


# --- random chains and formulas, judged by the slow oracle ------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_the_oracle_agrees(seed: int) -> None:
    rng, splits, mixed = Random(seed), 0, 0
    for _ in range(40):
        nested = rng.random() < 0.5
        chain = random_chain(rng, 4 if nested else 6)
        formula = random_probability(rng, random_path(rng, 3, 1)) if nested else random_state(rng, 2)
        certificate = checked(written(chain, Property(formula, "")))
        found = frozenset(
            s for s, here in zip(certificate.chain.asked, certificate.holds, strict=True) if here
        )
        assert found == holding(chain, formula) == satisfying(chain, formula, Clock()), (chain, formula)
        splits += any(len(item["values"]) > len(chain.rows) for item in certificate.data["untils"])
        mixed += 0 < len(found) < len(chain.rows)
    assert splits >= 2 and mixed >= 5


@pytest.mark.parametrize("seed", range(4))
def test_a_formula_is_shown_as_it_is_read(seed: int) -> None:
    rng = Random(seed)
    for _ in range(40):
        chain, formula = random_chain(rng), random_state(rng, 2)
        shown = checked(written(chain, Property(formula, ""))).formula
        if "..." in shown:
            continue
        again = parse_property(Source("f", shown), chain).formula
        assert not isinstance(again, tree.Query)
        assert holding(chain, again) == holding(chain, formula), shown


# --- mutants ----------------------------------------------------------------------------------------------

SUBJECTS = [
    (SURVEY, "D[ln 3, 1/8](X out_1) & !P<1/4 (X X out_0)"),
    (TWICE, "P>=1/2 (G F out) | P in [1/3, 1) (low U (stop & X stop))"),
    (TWICE, "D[1/2*ln 3 + 1/4, 1/10](F (out & X (low U<=2 stop)))"),
    (ROUNDS, 'D[1/10, 1/5]((bot | X bot) U (top & P>=1 (X "halt")))'),
]
Where = tuple[str | int, ...]


def places(value: Any, where: Where = ()) -> Iterator[Where]:
    yield where
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inner, (*where, key))


def others(value: Any) -> Iterator[Any]:
    """Other values for a value."""
    match value:
        case bool():
            yield not value
        case int():
            yield from (value + 1, value - 1, 0, None)
        case None:
            yield from (0, 1)
        case str():
            yield from (
                "0",
                "1",
                "1/2",
                "-1/4",
                "yes",
                "out",
                "low",
                "fails",
                "holds",
                "or",
                "and",
                "U",
                value + "x",
            )
            with_number = value.replace("/", "").isdigit()
            yield from (str(Fraction(value) + d) for d in (Fraction(1, 8), Fraction(-1, 8)) if with_number)
        case list():
            yield from (value[:i] + value[i + 1 :] for i in range(len(value)))
            yield from (value[:i] + value[i : i + 1] + value[i:] for i in range(len(value)))
            yield from ([*value[:i], value[i + 1], value[i], *value[i + 2 :]] for i in range(len(value) - 1))
        case dict():
            yield from ({k: v for k, v in value.items() if k != gone} for gone in value)


def mutants(data: dict[str, Any]) -> Iterator[tuple[Where, dict[str, Any]]]:
    """Every value changed, one at a time."""
    for where in places(data):
        if not where or where[0] == "digest":
            continue
        here = data
        for key in where:
            here = here[key]  # type: ignore[index]
        for other in others(here):
            if other == here and type(other) is type(here):
                continue
            mutant = copy.deepcopy(data)
            inside: Any = mutant
            for key in where[:-1]:
                inside = inside[key]
            inside[where[-1]] = other
            yield where, mutant


def formula_of(nodes: list[Any]) -> Formula:
    """The formula of a list of nodes."""
    made: list[Formula] = []
    for kind, detail, *operands in nodes:
        made.append(built(kind, detail, [made[j] for j in operands]))
    return made[-1]


def built(kind: str, detail: Any, inner: list[Formula]) -> Formula:
    match kind:
        case "true" | "false":
            return tree.Truth(kind == "true")
        case "name":
            return tree.Proposition(detail)
        case "not":
            return tree.Not(*inner)
        case "and":
            return tree.And(tuple(inner))
        case "or":
            return tree.Or(tuple(inner))
        case "X":
            return tree.Next(*inner, detail)
        case "U":
            return tree.Until(*inner, detail)
        case "P":
            ends = (constant(detail[end]) for end in ("low", "high"))
            return tree.Probability(tree.Interval(*ends, detail["low_closed"], detail["high_closed"]), *inner)
        case _:
            logarithms = tuple((number(base), number(power)) for base, power in detail["logarithms"])
            epsilon = tree.Exponent(fmpq(0), number(detail["constant"]), logarithms)
            return tree.Privacy(epsilon, constant(detail["delta"]), *inner)


def number(text: str) -> fmpq:
    return fmpq(Fraction(text).numerator, Fraction(text).denominator)


def constant(parts: list[Any]) -> Quotient:
    above, below = (
        sum((ExpPoly.of(number(c), 0, 0, number((*rest, 0, "0", "0")[2])) for c, *rest in part), ExpPoly())
        for part in parts
    )
    return Quotient(above, below)


def is_true(certificate: chains.Certificate) -> bool:
    """The answers, judged by the oracle on what is listed; by dipc where a number is irrational."""
    chain, formula = listed_model(certificate), formula_of(certificate.data["formula"])
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
    count = accepted = changed = 0
    for where, mutant in mutants(data):
        count += 1
        with pytest.raises(Refused):
            check(json.dumps(mutant).encode())  # with the old digest
        try:
            certificate = checked(mutant)
        except Refused as refused:
            assert not str(refused).startswith("reading:"), (where, mutant, refused)
            continue
        accepted += 1
        assert where[0] != "untils" or mutant["untils"] != data["untils"]
        assert is_true(certificate), (where, mutant)
        assert bool(other_model(certificate, original)) is (meaning(mutant) != meaning(data)), where
        if where[0] in ("formula", "asked") and not is_about(certificate, original, asked):
            changed += 1
    assert count > 400 and accepted < count / 2 and changed > 20


@pytest.mark.parametrize(("model", "formula"), SUBJECTS)
def test_listed_probabilities_cannot_be_changed(model: str, formula: str) -> None:
    """Not one number of a vector; a rank only to another one that proves the same."""
    data = written(model_of(model), formula)
    tried = 0
    for where, mutant in mutants({"untils": data["untils"]}):
        tried += 1
        try:
            certificate = checked(data | mutant)
        except Refused as refused:
            assert str(refused).startswith("until"), (where, refused)
            continue
        assert "ranks" in where and certificate.holds == checked(data).holds
    assert tried > 50 or not data["untils"]


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
    for ranks, place in (([None, 0], 0), ([None, None], 1), ([None, 1], 0)):
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

HALF = [[["1/2"]], [["1"]]]
NOTHING = [[], [["1"]]]
NAME = ["name", "out_1"]


def private(constant: str = "0", logarithms: Any = (), delta: Any = NOTHING) -> dict[str, Any]:
    return {"constant": constant, "logarithms": list(logarithms), "delta": delta}


def within(low: Any, high: Any) -> dict[str, Any]:
    return {"low": low, "high": high, "low_closed": True, "high_closed": True}


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "version 1": ({"version": 1}, "format"),
    "version true": ({"version": True}, "format"),
    "another statement": ({"statement": "mdp"}, "format"),
    "another format": ({"format": "dipc"}, "format"),
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
    "true for 1": ({"rows": [[[True, "1"]], *[[[0, "1"]]] * 4]}, "row 0"),
    "a float": ({"rows": [[[0, 1]], *[[[0, "1"]]] * 4]}, "row 0"),
    "an empty row": ({"rows": [[], *[[[0, "1"]]] * 4]}, "row 0"),
    "a label of a state": ({"labels": {"yes": [0], "out_1": [0]}}, "labels"),
    "a label outside": ({"labels": {"out_1": [9]}}, "labels"),
    "labels as a list": ({"labels": []}, "labels"),
    "an unused label": ({"labels": {"out_1": [2], "low": [1]}}, "labels"),
    "a neighbour of itself": ({"neighbours": [[0, 0]]}, "neighbours"),
    "three neighbours": ({"neighbours": [[0, 1, 2]]}, "neighbours"),
    "nothing asked": ({"asked": []}, "asked"),
    "no formula": ({"formula": []}, "formula"),
    "a path formula": ({"formula": [NAME, ["X", 1, 0]]}, "formula"),
    "an unused node": ({"formula": [NAME, ["true", None]]}, "formula"),
    "a forward reference": ({"formula": [["not", None, 0]]}, "formula, node 0"),
    "a later reference": ({"formula": [NAME, ["not", None, 1]]}, "formula, node 1"),
    "two operands of not": ({"formula": [NAME, ["not", None, 0, 0]]}, "formula, node 1"),
    "an empty and": ({"formula": [["and", None]]}, "formula, node 0"),
    "a detail too much": ({"formula": [NAME, ["not", 1, 0]]}, "formula, node 1"),
    "an unknown operator": ({"formula": [NAME, ["G", None, 0]]}, "formula, node 1"),
    "no operator": ({"formula": [[]]}, "formula, node 0"),
    "an unknown name": ({"labels": {}, "formula": [["name", "out_7"]]}, "formula, node 0"),
    "the implicit state": ({"labels": {}, "formula": [["name", "†"]]}, "formula, node 0"),
    "X^0": ({"formula": [NAME, ["X", 0, 0], ["P", within(HALF, HALF), 1]]}, "formula, node 1"),
    "U<=-1": ({"formula": [NAME, ["U", -1, 0, 0], ["P", within(HALF, HALF), 1]]}, "formula, node 1"),
    "no denominator": ({"formula": [NAME, ["P", within([[["1"]], []], HALF), 0]]}, "formula, node 1"),
    "a denominator < 0": (
        {"formula": [NAME, ["P", within([[["1"]], [["-1"]]], HALF), 0]]},
        "formula, node 1",
    ),
    "eps": ({"formula": [NAME, ["P", within([[["1", 1]], [["1"]]], HALF), 0]]}, "formula, node 1"),
    "exp(eps)": ({"formula": [NAME, ["P", within([[["1", 0, "1"]], [["1"]]], HALF), 0]]}, "formula, node 1"),
    "epsilon < 0": ({"formula": [NAME, ["D", private("-1/100"), 0]]}, "formula, node 1"),
    "ln(1/2)": ({"formula": [NAME, ["D", private("0", [["1/2", "1"]]), 0]]}, "formula, node 1"),
    "ln 0": ({"formula": [NAME, ["D", private("0", [["0", "1"]]), 0]]}, "formula, node 1"),
    "delta < 0": ({"formula": [NAME, ["D", private(delta=[[["-1"]], [["1"]]]), 0]]}, "formula, node 1"),
    "a root of 65": ({"formula": [NAME, ["D", private("0", [["2", "1/65"]]), 0]]}, "formula, node 1"),
    "a huge power": ({"formula": [NAME, ["D", private("0", [["2", "9" * 1000]]), 0]]}, "formula, node 1"),
    "exp(10^6)": ({"formula": [NAME, ["D", private("1000000"), 0]]}, "exp"),
    "a probability listed too much": ({"untils": [{"values": [], "ranks": []}]}, "untils"),
    "X^(10^9)": ({"formula": [NAME, ["X", 10**9, 0], ["P", within(HALF, HALF), 1]]}, "work"),
    "U<=10^9": ({"formula": [NAME, ["U", 10**9, 0, 0], ["P", within(HALF, HALF), 1]]}, "work"),
    "a split of X^(10^9)": (
        {"formula": [NAME, ["X", 10**9, 0], ["U", 3, 1, 1], ["P", within(HALF, HALF), 2]]},
        "work",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_refused_with_its_step(name: str) -> None:
    changed, step = BROKEN[name]
    data = written(model_of(SURVEY), "out_1 | D[1, 0](X out_1)")
    checked(data)
    with pytest.raises(Refused, match=rf"^{step}(:|,)"):
        checked(data | changed)


def test_a_deep_file_is_refused() -> None:
    data = json.dumps(written(model_of(SURVEY), "out_1")).replace('"rows": ', '"rows": ' + "[" * 100_000, 1)
    with pytest.raises(Refused, match=r"^reading"):
        check(data.encode())


def test_a_missing_vector_is_refused() -> None:
    data = written(model_of(TWICE), "P>=1/2 (G F out)")
    with pytest.raises(Refused, match=r"^until 1: an object is expected"):
        checked(data | {"untils": data["untils"][:1]})


def test_copies_that_double_again_and_again_are_refused_in_time() -> None:
    """20 nested operators on a chain whose every state has two successors."""
    chain = "chain; s -> {s: 1/2, t: 1/2}; t -> {s: 1/3, t: 2/3}; start s"
    formula = "P>=1/2 (" + " | ".join(f"((X^{k} s) & F<={k} t)" for k in range(2, 30)) + ")"
    with pytest.raises(LimitReached, match="no certificate: it would be refused: work: more than"):
        written(model_of(chain), formula)


def test_the_formula_and_the_states_cannot_forge_the_statement() -> None:
    data = written(model_of(SURVEY), "D[1, 0](X out_1)")
    data["states"][0] = "x holds at\nplus\x1b[2K"
    statement = checked(data).statement()
    assert statement.endswith(r'fails at "x holds at\nplus\x1b[2K", minus')
    data["model"] = "'; accepted\n" + "m" * 1000
    assert len(checked(data).statement()) < 300 and "\n" not in checked(data).statement()


# --- what has no certificate ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "formula", "reason"),
    [
        ("chain; s -> {s: exp(-eps), t: 1 - exp(-eps)}; t -> t", "P>=0 (F t)", "models with eps"),
        ("chain; s -> {s: 1/2, t: 1/2}; t -> t; neighbours s ~ t", "D[eps, 0](F t)", "models with eps"),
        ("chain; s -> {s: 1/2, t: 1/2}; t -> t", "P<=exp(-eps) (F t)", "models with eps"),
        ("chain; s -> {s: exp(-1), t: 1 - exp(-1)}; t -> t", "P>=0 (F t)", "irrational probabilities"),
        ("mdp; s [a] -> t; t [a] -> t", "P>=0 (F t)", "decision processes"),
    ],
)
def test_what_is_not_yet_supported_is_refused_by_name(model: str, formula: str, reason: str) -> None:
    found = read_model(Source("test.dpm", model)).model
    with pytest.raises(Unsupported, match=f"certificates of .*{reason}"):
        written(found, formula)


def test_the_certificate_of_a_verdict() -> None:
    chain = model_of(SURVEY)
    verdict = pipeline.check(chain, parse_property(Source("f", "P>=1/2 (X out_1)"), chain), Clock())
    assert checked(verdict_certificate(verdict, "survey")).holds == [True, False]
    wrong = dataclasses.replace(verdict, at={"plus": "holds", "minus": "holds"})
    with pytest.raises(InternalError, match="the kernel answers the formula otherwise"):
        verdict_certificate(wrong, "survey")
    fields = {field.name: getattr(verdict, field.name) for field in dataclasses.fields(verdict)}
    with pytest.raises(InputError, match="nothing was decided: the time"):
        verdict_certificate(Undecided(**fields | {"reason": "the time limit"}), "survey")


def test_a_query_has_no_certificate() -> None:
    with pytest.raises(InputError, match="a query has no certificate"):
        written(model_of(SURVEY), "P=? (X out_1)")


# --- comparing with a text, and the command line ------------------------------------------------------------


def test_another_model_is_told_by_its_part() -> None:
    chain = model_of(SURVEY)
    certificate = checked(written(chain, "D[ln 3, 0](X out_1)"))
    for text, part in (
        (SURVEY.replace("yes: 3/4, no: 1/4", "yes: 5/8, no: 3/8"), "rows"),
        (SURVEY.replace("out_1 = {yes}", "out_1 = {no}"), "labels"),
        (SURVEY.replace("plus ~ minus", "plus ~ yes"), "neighbours"),
        (SURVEY.replace("minus", "none"), "states"),
    ):
        assert other_model(certificate, model_of(text)) == [f"the {part} (the model has others)"]
    assert is_about(certificate, chain, parse_property(Source("f", "D[ln 3, 0](X out_1)"), chain))
    for other in (
        "D[ln 3, 0](X out_0)",
        "D[ln 4, 0](X out_1)",
        "D[ln 3, 0](X out_1) from plus",
        "P=? (X out_1)",
    ):
        assert not is_about(certificate, chain, parse_property(Source("f", other), chain))


def test_equal_nodes_are_listed_once() -> None:
    formula = parse_property(Source("f", "P>=1/2 (F a) & P>=1/2 (F a)")).formula
    assert not isinstance(formula, tree.Query)
    assert len(nodes_of(formula)) == 5


@pytest.fixture
def files(tmp_path: Path) -> Path:
    own = SURVEY + "property survey: D[ln 3, 0](X out_1)   # expect: holds\n"
    (tmp_path / "survey.dpm").write_text(own)
    (tmp_path / "bare.dpm").write_text(SURVEY)
    (tmp_path / "other.dpm").write_text(own.replace("3/4, no: 1/4", "5/8, no: 3/8"))
    for name, formula in (("holds", "D[ln 3, 0](X out_1)"), ("fails", "D[1, 0](X out_1)")):
        certificate = model_certificate(
            *(lambda m: (m, parse_property(Source("f", formula), m)))(model_of(SURVEY))
        )
        (tmp_path / f"{name}.json").write_text(dumps(certificate))
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "status", "first"),
    [
        ("holds.json", 0, "accepted: in model"),
        ("holds.json --model survey.dpm", 0, "accepted: in model"),
        ("holds.json --model bare.dpm", 1, "accepted, but for another statement: the formula, or"),
        ("holds.json --model other.dpm", 1, "accepted, but for another statement: the rows"),
        ("holds.json --model bare.dpm --formula 'D[ln 3, 0](X out_1)'", 0, "accepted: in model"),
        ("holds.json --formula 'D[ln 3, 0](X out_0)'", 1, "accepted, but for another statement: the formula"),
        (
            "holds.json --formula 'D[ln 3, 0](X out_1) from nowhere'",
            2,
            "<formula>:1:26: error: there is no state",
        ),
        ("holds.json --formula 'D[eps, 0](X out_1)'", 1, "accepted, but for another statement: the formula"),
        ("holds.json --expect fails", 1, "accepted, but for another statement: the formula holds"),
        ("holds.json --expect private", 1, "accepted, but for another statement: the formula holds"),
        ("fails.json", 1, "accepted, but for another statement: the formula fails"),
        ("fails.json --expect fails", 0, "accepted: in model"),
        (
            "fails.json --expect fails --model survey.dpm",
            1,
            "accepted, but for another statement: the formula, or",
        ),
        ("holds.json --no-deep", 3, "IF the listed chain is that of the model THEN in model"),
        ("holds.json --no-deep --model survey.dpm", 2, "error: -D, --claim, --model and"),
        ("holds.json --program svt1", 1, "refused: program: the certificate is about a Markov chain"),
        ("holds.json --claim eps", 2, "error: --claim is about programs"),
        ("holds.json -D z=2", 2, "error: -D sets numbers of a model"),
    ],
)
def test_verify(
    files: Path,
    arguments: str,
    status: int,
    first: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(files)
    assert exit_status(["verify", *shlex.split(arguments)]) == status
    shown = capsys.readouterr()
    assert (shown.out + shown.err).startswith(first)


def test_a_certificate_of_a_program_has_no_model(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(files)
    assert exit_status(["check", "warner", "--certificate", "warner.json"]) == 0
    assert isinstance(check((files / "warner.json").read_bytes()), PrivacyCertificate)
    assert exit_status(["verify", "warner.json"]) == 0
    assert exit_status(["verify", "warner.json", "--expect", "holds"]) == 1
    assert exit_status(["verify", "warner.json", "--formula", "true"]) == 2
    assert "are about Markov chains" in capsys.readouterr().err


def test_a_copy_of_the_kernel_checks_it_alone(files: Path) -> None:
    shutil.copytree(ROOT / "dipc" / "kernel", files / "kernel", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("holds", "fails"):
        run = subprocess.run(
            [sys.executable, "-I", "-S", "kernel", f"{name}.json"], capture_output=True, text=True, cwd=files
        )
        assert run.returncode == 0, run.stdout
        assert run.stdout.startswith("accepted: IF the listed chain is that of the model THEN in model '")
        assert f"{name} at plus, minus\n" in run.stdout
