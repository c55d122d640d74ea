"""Certificates about chains whose probabilities are functions of eps: accepted if true, refused if forged."""

from __future__ import annotations

import json
import random
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from campaigns import many
from certificate.altered import at, changed, checker, places
from dpctl import evaluator
from dpctl.evaluator import Family, shown
from flint import fmpq

from dipc.certificate.format import dumps
from dipc.clock import Clock
from dipc.dpctl import pipeline
from dipc.dpctl.certify import listed_model, verdict_certificate
from dipc.dpctl.model import READERS, MarkovModel
from dipc.dpctl.syntax import parse_property
from dipc.errors import Source, Unsupported
from dipc.kernel import curves, facts
from dipc.kernel.reading import Refused
from dipc.signs.eps_range import EpsRange

LOOP = """chain
let p = exp(eps)/(1 + exp(eps))
plus -> {yes: p, no: 1 - p}; minus -> {yes: 1 - p, no: p}
yes -> {yes: p/2, plus: p/2, end: 1 - p}; no -> {no: 1/2, end: 1/2}; end -> end
label out = {yes}; neighbours plus ~ minus
"""
CURVES = Family(
    "let x = exp(eps)",
    "",
    ("1/2", "1", "x/(1 + x)", "1/x", "1/(1 + x)", "1/3", "1 - 1/(2*x)"),
    ("0", "1", "1/2", "1/3", "x/(1 + x)"),
    (("0", "1"), ("eps", "x"), ("2*eps", "x*x"), ("ln 2", "2"), ("eps + ln(3/2)", "x*3/2")),
    ("0", "1/10", "1/x"),
    tuple(Fraction(n, 8) for n in (9, 12, 16, 30, 80, 800)),
)
FORMULAS = {
    "D[eps, 0](X out)": "holds",
    "D[eps/2, 0](X out)": "fails",
    "D[eps, 0](X X out) & P>=1 (F end)": "holds",
    "P<=1/2 (F<=2 end) from minus for eps in [1/2, 2]": "holds",
    "P>=1/2 (X out) from minus": "fails",
    "!P>1/2 (X out) from minus": "holds",
}


def model_of(text: str) -> MarkovModel:
    return READERS[".dpm"](Source("loop.dpm", text), {}, Clock())


def listed(model: MarkovModel, formula: str, **options: Any) -> dict[str, Any]:
    found = json.loads(dumps(verdict_certificate(model.check(formula, **options), "loop.dpm")))
    assert isinstance(found, dict)
    return found


checked = checker(curves.Certificate)


@pytest.mark.parametrize(("formula", "answer"), FORMULAS.items())
def test_certificates_are_accepted(formula: str, answer: str) -> None:
    model = model_of(LOOP)
    assert model.check(formula).status == answer
    found = checked(listed(model, formula))
    assert found.status == answer
    assert (found.on.low == found.on.high) == (answer == "fails")


def test_a_certificate_means_what_numbers_say() -> None:
    """The slow twin: the same chain at numbers exp(eps), by Gaussian elimination."""
    rng, done = random.Random(3), 0
    while done < many(25, campaign=1000):
        chain, f = evaluator.example(rng, CURVES), evaluator.formula(rng, CURVES, 1, ("P", "D", "and", "not"))
        start = [f"s{s}" for s in range(len(chain.rows))]
        verdict = model_of(chain.text()).check(shown(f), start=start)
        try:
            data = json.loads(dumps(verdict_certificate(verdict, "m")))
        except Unsupported:
            continue
        if data["statement"] != "curves":
            continue
        done += 1
        found = checked(data)
        assert found.status == verdict.status
        for x in CURVES.points if found.on.high is None else ():
            slow = evaluator.holding(chain, f, x)
            for s, holds in zip(found.chain.asked, found.holds, strict=True):
                assert s in slow or not holds, (chain.text(), shown(f), x)


def altered(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case "holds":
            return "fails"
        case "fails":
            return "holds"
        case str() if value.lstrip("-").replace("/", "").isdigit():
            return str(Fraction(value) + 1)
        case _:
            return "x"


TRUE_ANYWAY = ("model", "labels", "states", "digest")
"""Another name is another true statement."""


@pytest.mark.parametrize("formula", ["D[eps, 0](X out)", "P>=1 (F end)", "P>=1/2 (X out) from minus"])
def test_forged_certificates_are_refused(formula: str) -> None:
    data = listed(model_of(LOOP), formula)
    kept = []
    for place in places(data):
        if not place or place[0] in TRUE_ANYWAY or isinstance(old := at(data, place), dict | list):
            continue
        try:
            judged(checked(changed(data, place, altered(old))))
        except Refused:
            continue
        kept.append(place)
    assert kept


def judged(found: curves.Certificate) -> None:
    """What is accepted is true of the listed chain, says the engine."""
    on, model = found.on, listed_model(found)
    high = None if on.high is None else fmpq(*on.high.as_integer_ratio())
    budgets = EpsRange(fmpq(*on.low.as_integer_ratio()), high, on.low_closed, on.high_closed)
    asked = parse_property(Source("f", found.formula), model)
    names = tuple(model.names[s] for s in found.chain.asked)
    verdict = pipeline.check(model, replace(asked, eps_range=budgets, states=names), Clock())
    for name, holds in zip(names, found.holds, strict=True):
        assert (verdict.at[name] == "holds") == holds, found.statement()


def test_attacks() -> None:
    data = listed(model_of(LOOP), "D[eps, 0](X out)")
    for change, reason in (
        (lambda d: d["pieces"][0]["signs"].pop(), "a sign is not listed"),
        (lambda d: d["pieces"][0]["signs"].append(d["pieces"][0]["signs"][0]), "there are more signs"),
        (lambda d: d["pieces"].clear(), "there are none"),
        (lambda d: d["pieces"][0]["on"].update(low="-1"), "a piece is empty, or has an eps <= 0"),
        (lambda d: d["pieces"][0]["on"].update(low_closed=True), "a piece is empty, or has an eps <= 0"),
        (lambda d: d["pieces"].append(d["pieces"][0]), "they do not go from one end to the other"),
        (lambda d: d["numbers"][0].reverse(), "row 0|sign|number 0"),
    ):
        forged = deepcopy(data)
        change(forged)
        with pytest.raises(Refused, match=reason):
            checked(forged)


def test_nested_operators_and_vanishing_transitions_are_refused_by_name() -> None:
    with pytest.raises(Unsupported):
        verdict_certificate(model_of(LOOP).check("P>=0 (F (out & X F end))"), "m")
    away = "chain; s -> {s: 1 - (eps - 1)^2/4, g: (eps - 1)^2/4}; g -> g; start s"
    verdict = model_of(away).check("P>=0 (F g) for eps in (0, 2)")
    with pytest.raises(Unsupported):
        verdict_certificate(verdict, "m")
    assert verdict.status == "holds" and verdict.property.eps_range.high == fmpq(2)


def test_what_touches_zero_is_not_positive() -> None:
    """-(eps - 1)^2 < 0 is wrong at 1, though (eps - 1)^2 >= 0 has a proof."""
    one, zero = Fraction(1), Fraction(0)
    square = {(2, zero, zero, zero): one, (1, zero, zero, zero): -2 * one, (0, zero, zero, zero): one}
    touching = facts.Product("product", one, [facts.Factor([(-one,), (one, 1)], 2, None)])
    on = facts.Interval(zero, Fraction(2), False, False)
    assert curves.Signs(on, [curves.Sign(True, touching)], "piece 0").nonnegative(square)
    with pytest.raises(Refused, match="a factor has no proof"):
        curves.Signs(on, [curves.Sign(False, touching)], "piece 0").positive(square)
