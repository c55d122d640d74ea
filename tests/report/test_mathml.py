"""Formulas as MathML: well formed, and the function itself when they are read back."""

from __future__ import annotations

from fractions import Fraction
from math import exp, isclose
from xml.etree import ElementTree

import pytest
from campaigns import many
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from dipc.numbers.exppoly import ExpPoly, Term
from dipc.numbers.quotient import Quotient
from dipc.report.mathml import MOST_TERMS, mathml, rational

PYTHON = {"−": "-", "+": "+", "/": "/", "(": "(", ")": ")"}


def read(element: ElementTree.Element) -> str:
    """The formula as an expression of Python in eps and e."""
    inner = [read(child) for child in element]
    match element.tag:
        case "mn":
            return f"*{element.text}" if element.text else ""
        case "mi":
            return {"ε": "*eps", "e": "*e"}[element.text or ""]
        case "mo":
            return PYTHON[element.text or ""]
        case "mspace":
            return ""
        case "mfrac":
            return f"*(({clean(inner[0])})/({clean(inner[1])}))"
        case "msup":
            return f"*(({clean(inner[0])})**({clean(inner[1])}))"
        case _:
            return "".join(inner)


def clean(text: str) -> str:
    """No sign of a product at the beginning of one."""
    for sign in ("+", "-", "/", "("):
        text = text.replace(f"{sign}*", sign)
    return text.removeprefix("*")


def value(formula: str, eps: float) -> float:
    root = ElementTree.fromstring(f"<all>{formula}</all>")
    assert all(child.tag == "math" for child in root)
    found = eval(clean(read(root)), {"eps": eps, "e": exp(1)})
    assert isinstance(found, float | int)
    return float(found)


small = st.fractions(-3, 3, max_denominator=4).map(lambda x: fmpq(x.numerator, x.denominator))
nonzero = small.filter(bool)


@st.composite
def functions(draw: st.DrawFn, most: int = 8) -> ExpPoly:
    terms = draw(
        st.lists(st.tuples(nonzero, st.integers(0, 3), small, small, small), min_size=1, max_size=most)
    )
    return ExpPoly.from_terms([Term(*term) for term in terms])


@settings(max_examples=40, deadline=None)
@given(functions(), st.sampled_from((fmpq(1, 2), fmpq(2))))
def test_sums_are_what_they_were(f: ExpPoly, eps: fmpq) -> None:
    shown = value(mathml(f), int(eps.p) / int(eps.q))
    assert isclose(shown, float(f.at(eps)), rel_tol=1e-6, abs_tol=1e-6)


@settings(max_examples=many(20, campaign=40), deadline=None)
@given(functions(3), functions(MOST_TERMS + 3))
def test_quotients_too(f: ExpPoly, g: ExpPoly) -> None:
    if not g.sign_at(fmpq(1)):
        return
    q = Quotient(f) / Quotient(g)
    exact = float(q.at(1))
    assert isclose(value(mathml(q), 1.0), exact, rel_tol=1e-5, abs_tol=1e-5 * max(1.0, abs(exact)))


def test_numbers() -> None:
    assert value(rational(fmpq(-3, 4)), 1.0) == Fraction(-3, 4)
    assert value(mathml(ExpPoly.of(0)), 1.0) == 0


def test_a_rate_over_eps_is_one_fraction() -> None:
    formula = mathml(ExpPoly.from_terms([Term(fmpq(1), 0, fmpq(0), fmpq(0), fmpq(-2))]))
    assert "<mn>1</mn>" not in formula  # not "2 1/ε"
    assert value(formula, 2.0) == pytest.approx(exp(-1))


def test_long_sums_can_be_broken() -> None:
    f = sum((ExpPoly.exp(k) for k in range(1, 9)), ExpPoly.of(1))
    assert mathml(f).count("<math>") == 9
