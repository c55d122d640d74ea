"""Models and questions that once led to a wrong answer, a traceback or an endless run."""

from __future__ import annotations

import pytest

from dipc.dpctl.model import MarkovModel, wrapped
from dipc.errors import InputError, Source
from dipc.models.reading import read_model

LOOP = "s -> {s: 3/4, b: 1/4}; b -> b; start s"


def model(text: str) -> MarkovModel:
    return wrapped(read_model(Source("m.dpm", f"chain; {text}")).model, "m.dpm")


# --- probabilities that are none ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "eps_range", "at"),
    [
        ("{a: eps, b: 1 - eps}", "(0, inf)", " at eps = "),
        ("{a: eps, b: 1 - eps}", "[1/2, 3/2]", " at eps = "),
        ("{a: 1/(eps - 1), b: 1 - 1/(eps - 1)}", "(0, 2]", " at eps = "),
        ("{a: -1/(1 + eps), b: 1 + 1/(1 + eps)}", "(0, 2]", " at eps = "),
        ("{a: exp(1)/2, b: 1 - exp(1)/2}", "(0, inf)", ""),
    ],
)
def test_a_negative_probability_in_the_range_is_an_error(row: str, eps_range: str, at: str) -> None:
    chain = model(f"s -> {row}; final a, b; start s")
    for ask, text in ((chain.check, "P<=1 (X a)"), (chain.value, "P=? (X a)")):
        with pytest.raises(InputError, match=rf"the probability .* (is negative{at}|has no value)"):
            ask(f"{text} for eps in {eps_range}")


# --- names ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ['"†" -> a; s -> a; final a', 's -> a; final "†", a', '"†" -> s; s -> {s: 1/2, a: 1/2}; final a']
)
def test_the_dead_state_cannot_be_declared(text: str) -> None:
    with pytest.raises(InputError, match="`†` is the state behind those without transitions"):
        model(text)


# --- long numbers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", ["((1/3)^1000)^1000", "((((eps + 1)/(eps + 2))^100)^100)^100"])
def test_towers_of_powers_are_refused(number: str) -> None:
    with pytest.raises(InputError, match="the value of this power is too long"):
        model(LOOP).check(f"P>={number} (X b)")


# --- one eps --------------------------------------------------------------------------------------------


def test_the_numbers_of_a_formula_are_judged_where_it_is_asked() -> None:
    chain = model("s -> {a: 3/4, b: 1/4}; final a, b; neighbours s ~ a; start s")
    assert chain.check("D[1 - eps, 1](X a)", at="1/2").status == "holds"
    for formula in ["D[eps - 1, 1](X a)", "D[0, eps - 1](X a)", "P>=1/(2*eps - 1) (X a)"]:
        assert chain.check(f"{formula} for eps in [2, 3]").status in ("holds", "fails")
        with pytest.raises(InputError, match="not in"):
            chain.check(f"{formula} for eps in [2, 3]", at="1/2")
