"""Formulas as text: what is read, how, and what every refusal says and points at."""

from __future__ import annotations

import pytest
from campaigns import many
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from dipc.dpctl.formula import (
    And,
    Exponent,
    Formula,
    Interval,
    Next,
    Not,
    Or,
    Privacy,
    Probability,
    Proposition,
    Truth,
    Until,
    is_state_formula,
)
from dipc.dpctl.syntax import parse_property, show
from dipc.errors import InputError, LimitReached, Source
from dipc.models.reading import number_from_text, read_model

MODEL = read_model(
    Source(
        "m.dpm",
        "chain; s -> {a: 1/2, b: 1/2}; final a, b, c; neighbours s ~ a\n"
        'label out_0 = {a}; label out_1 = {b}; label "U" = {a}; label "out 2" = {c}',
    )
).model


def parsed(text: str) -> Formula:
    return parse_property(Source("f", text), MODEL).formula


def core(text: str) -> str:
    return show(parsed(text))


READINGS = """
    P>=1/2 (X a)  ~>  P>=1/2 (X a)
    P > 0.5 (X^3 a)  ~>  P>1/2 (X^3 a)
    P = 1/3 [X a]  ~>  P=1/3 (X a)
    P in (0, 1/2] (a U b)  ~>  P in (0, 1/2] (a U b)
    P<1 (a U<=3 b)  ~>  P<1 (a U<=3 b)
    P<1 (F<=0 b)  ~>  P<1 (F<=0 b)
    P>=1/2 (G a)  ~>  P>=1/2 (G a)
    P<1 (a W b)  ~>  P<1 (!(!b U (!a & !b)))
    P<1 (a R<=2 b)  ~>  P<1 (!(!a U<=2 !b))
    P>0 (a & X (b & X c))  ~>  P>0 (a & (X (b & (X c))))
    P>0 (a & X b)  ~>  P>0 (a & (X b))
    a & b | c  ~>  (a & b) | c
    a -> b -> c  ~>  !a | (!b | c)
    a -> b <-> c  ~>  ((!a | b) & c) | (!(!a | b) & !c)
    !a & not b  ~>  !a & !b
    D[ln 3, 0](X out_1)  ~>  D[ln 3, 0](X out_1)
    D[2*eps + ln 2, exp(-2)/2](X a)  ~>  D[2*eps + ln 2, 1/2*exp(-2)](X a)
    D[(ln 9)/2 + (ln 9)/2, 0](X a)  ~>  D[ln 9, 0](X a)
    D[ln(3/2) + ln 2 - ln 2, 0](X a)  ~>  D[ln(3/2), 0](X a)
    D[ln 1, 0](X a)  ~>  D[0, 0](X a)
    D[ln 3 - 1, 0](X a)  ~>  D[-1 + ln 3, 0](X a)
    D[ln 20 - 1 - ln 7, 0](X a)  ~>  D[-1 - 1*ln 7 + ln 20, 0](X a)
    a ∧ ¬b ∨ ⊥  ~>  (a & !b) | false
    P≥1/2 (○ a) → ⊤  ~>  !P>=1/2 (X a) | true
    P≤1/2 (◇ a) ↔ P>0 (□ b)  ~>  (P<=1/2 (F a) & P>0 (G b)) | (!P<=1/2 (F a) & !P>0 (G b))
    ∀ k ∈ {0, 1}: D[ε, 0](X "out_{k}")  ~>  D[eps, 0](X out_0) & D[eps, 0](X out_1)
    forall k in 0..1: D[k, 0](X^k b)  ~>  D[0, 0](b) & D[1, 0](X b)
    forall x in {0.5, 2}: D[x, 0](X b)  ~>  D[1/2, 0](X b) & D[2, 0](X b)
    forall x, y in {a, b}: P>0 (x U y)  ~>  P>0 (a U a) & P>0 (a U b) & P>0 (b U a) & P>0 (b U b)
    forall o in "out_*": P>0 (X o)  ~>  P>0 (X out_0) & P>0 (X out_1)
    forall A ⊆ {a, b}: P>0 (X A)  ~>  P>0 (X a) & P>0 (X b) & P>0 (X (a | b))
    forall k in {1}: forall o in {"out_{k}"}: o  ~>  out_1
    "U" & "out 2"  ~>  "U" & "out 2"
    a # the rest is a comment | b  ~>  a
    P=? (F a)  ~>  P=? (F a)
    D[?, 1/10](F a)  ~>  D[?, 1/10](F a)
    D[eps, ?](F a)  ~>  D[eps, ?](F a)
"""


@pytest.mark.parametrize("line", READINGS.strip().splitlines())
def test_what_is_read(line: str) -> None:
    text, _, expected = line.strip().partition("  ~>  ")
    assert core(text) == expected


REFUSALS = [
    ("F a & b", "F a & b", "`F a & b` is read differently", "write `(F a) & b` or `F (a & b)`"),
    ("a & b U c", "a & b U c", "is read differently", "write `a & (b U c)` or `(a & b) U c`"),
    ("P>0 (a U b & c)", "a U b & c", "is read differently", "write `(a U b) & c` or `a U (b & c)`"),
    ("c & a U b -> s", "c & a U b", "differently", "write `c & (a U b)` or `(c & a) U b`"),
    ("c & F a | b", "c & F a | b", "differently", "write `c & (F a) | b` or `c & F (a | b)`"),
    ("!X a -> b", "!X a -> b", "differently", "write `!(X a) -> b` or `!X (a -> b)`"),
    ("F<=3 a U b", "F<=3 a U b", "differently", "write `(F<=3 a) U b` or `F<=3 (a U b)`"),
    ("a U b U c", "a U b U c", "not associative", "write `(a U b) U c` or `a U (b U c)`"),
    ("P>=1/2 (P=? (X a))", "P=? (X a)", "a query cannot be a part of a formula", "dipc model value"),
    ("P=? (X a) & b", "P=? (X a)", "a query cannot be a part of a formula", "dipc model value"),
    ("a | D[?, 0](X a)", "D[?, 0](X a)", "a query cannot be a part of a formula", "dipc model value"),
    ("X a", "X a", "this is a path formula", "put it into P(...) or D(...)"),
    ("a & F b", "a & F b", "this is a path formula", "put it into P(...) or D(...)"),
    ("D[(ln 9)/2, 0](X a)", "(ln 9)/2", "must be whole numbers", "for `1/2*ln 9` write `ln 3`"),
    ("D[1 + eps + 2/3*ln 2, ?](X a)", "1 + eps + 2/3*ln 2", "whole numbers", "a rational number near"),
    ("P>0 (X out_3)", "out_3", "there is no label or state `out_3`", "did you mean"),
    ("P>0 (X zzz)", "zzz", "there is no label or state `zzz`", "labels: out_0, out_1"),
    ('P>0 (X "†")', '"†"', "there is no label or state", "labels"),
    ("P>0 (X a) from q, s", "q", "there is no state `q`", "known names: `a`, `b`, `c`, `s`"),
    ("D[-1, 0](X a)", "-1", "epsilon = -1 is negative", ""),
    ("D[ln(1/2), 0](X a)", "ln(1/2)", "epsilon = ln(1/2) is negative", ""),
    ("D[ln 2 - 1, 0](X a)", "ln 2 - 1", "epsilon = -1 + ln 2 is negative", ""),
    ("D[2*ln 20 - 6, 0](X a)", "2*ln 20 - 6", "is negative", ""),
    ("D[ln 1/2, 0](X a)", "ln 1/2", "can be read in two ways", "`ln(1/...)` or `(ln 1)/...`"),
    ("D[eps - 1, 0](X a)", "eps - 1", "negative at eps = 1/8", "for eps in"),
    ("D[eps - ln 2, 0](X a) for eps in (1/2, 2]", "eps - ln 2", "negative at eps = 2/3", "for eps in"),
    ("D[eps - ln 2, 0](X a) for eps in [1/2, 2]", "eps - ln 2", "negative at eps = 2/3", "for eps in"),
    ("D[2 - eps, 0](X a)", "2 - eps", "negative at eps = 8", "for eps in"),
    ("D[2 - eps, 0](X a) for eps in (1, 3]", "2 - eps", "negative at eps = 5/2", "for eps in"),
    ("D[0, -1/2](X a)", "-1/2", "delta = -1/2 is negative", ""),
    ("D[0, exp(-1) - 1/2](X a)", "exp(-1) - 1/2", "is negative", ""),
    ("D[0, 1/2 - eps/8](X a)", "1/2 - eps/8", "is negative at eps = 8", "for eps in"),
    ("D[0, 1/(1 - eps)^2](X a)", "1/(1 - eps)^2", "has no value at eps = 1", ""),
    ("P>1/(2 - eps)^2 (X a)", "1/(2 - eps)^2", "has no value at eps = 2", ""),
    ("D[ln 0, 0](X a)", "0", "ln 0 does not exist", ""),
    ("D[ln(-2), 0](X a)", "-2", "ln -2 does not exist", ""),
    ("D[ln eps, 0](X a)", "eps", "`eps` is not expected here", "expected `(` or a number"),
    ("D[eps^2, 0](X a)", "eps^2", "must be linear in eps", "2*eps + ln 2"),
    ("D[ln 2*eps, 0](X a)", "ln 2*eps", "two ways", ""),
    ("D[(ln 2)*eps, 0](X a)", "(ln 2)*eps", "a logarithm may only be multiplied", ""),
    ("D[1, ln 2](X a)", "ln 2", "in the first parameter of D only", ""),
    ("D[2000*ln 2, 0](X a)", "2000*ln 2", "coefficients of ln", ""),
    ("D[0, 1/0](X a)", "1/0", "division by zero", ""),
    ("D[0, (1 + eps)^101](X a)", "(1 + eps)^101", "a power beyond 100", ""),
    ("D[x, 0](X a)", "x", "no number is called `x`", ""),
    ("P in [0, inf] (X a)", "inf", "a probability is at most 1", ""),
    ("P>0 (X a) for eps in (1, 1)", "(1, 1)", "must be a nonempty interval within (0, inf)", "(0, 1]"),
    ("P>0 (X a) for eps in [2, 1]", "[2, 1]", "must be a nonempty interval", ""),
    ("P>0 (X a) for eps in [0, 1]", "[0, 1]", "within (0, inf)", ""),
    ("P>0 (X a) for eps in (-1, 1]", "(-1, 1]", "within (0, inf)", ""),
    ("P>0 (X a) for eps in (1, inf]", "(1, inf]", "within (0, inf)", ""),
    ("P>0 (X a) for eps in (exp(1), 4]", "exp(1)", "must be rational numbers", ""),
    ("forall k in {}: a", "}", "`}` is not expected here", "expected a label or a number"),
    ("forall k in 3..1: a", "3..1", "the domain is empty", ""),
    ('forall k in "none*": k', '"none*"', "the domain is empty", ""),
    ('forall k in "out_0": k', '"out_0"', "a domain is a list {a, b}", ""),
    ("forall k in a..3: k", "a", "`a` is not a number of steps", "an integer such as 3"),
    ("P>0 (X^x a)", "x", "`x` is not a number of steps", "an integer such as 3"),
    ("P>0 (X^99999999999 a)", "99999999999", "steps are too many", ""),
    ("P(X a)", "(", "`(` is not expected here", "expected `<=` or `<` or `=` or `>=` or `>` or `in`"),
    ("D[2 ln 3, 0](X a)", "ln", "`ln` is not expected here", "expected `*` or `+` or `,` or `-` or `/`"),
    ("P>0 X a", "X", "`X` is not expected here", ""),
    ("P>0 (X U)", "U", "`U` is not expected here", 'as a name it is written "U"'),
    ("P>0 (a", "", "the text ends too early", ""),
    ("", "", "the text ends too early", ""),
    ("a $ b", "$", "unexpected character `$`", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "place", "message", "hint"), REFUSALS, ids=[r[0] for r in REFUSALS])
def test_what_a_refusal_says_and_points_at(text: str, place: str, message: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        parsed(text)
    error = caught.value
    assert message in error.message
    assert hint in error.hint
    assert error.span is not None
    assert text[error.span.start : error.span.end] == place
    if place:
        line, caret = error.span.excerpt().splitlines()
        assert line[caret.index("^") : caret.rindex("^") + 1] == place


@pytest.mark.parametrize("text", [r[0] for r in REFUSALS if r[3].startswith("write `")])
def test_both_readings_in_a_hint_can_be_written(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parsed(text)
    first, second = caught.value.hint.removeprefix("write `").removesuffix("`").split("` or `")
    whole = text[caught.value.span.start : caught.value.span.end] if caught.value.span else ""
    for reading in first, second:
        assert reading.replace("(", "").replace(")", "") == whole
    assert parsed(f"P>0 ({first})") != parsed(f"P>0 ({second})")


LARGE = {
    "parentheses": "(" * 10**4 + "a" + ")" * 10**4,
    "negations": "!" * many(60_000, campaign=10**6) + "a",
    "open": "P>0 (" * 10**5,
    "conjunction": "a" + " & a" * many(60_000, campaign=10**6),
    "sum": "D[0" + "+1" * many(60_000, campaign=10**6) + ", 0](X a)",
    "doubling": "a <-> (" * 45 + "a" + ")" * 45,
    "weak": "P>0 (" + "a W (" * 45 + "a" + ")" * 46,
    "product": "forall x, y in 0..999: a",
    "range": "forall x in 0..999999999: a",
    "subsets": 'forall A subset "many_*": P>0 (X A)',
}


@pytest.mark.parametrize("name", LARGE)
def test_a_formula_that_is_too_large_reaches_a_limit(name: str) -> None:
    labels = "; ".join(f"label many_{i} = {{a}}" for i in range(13))
    model = read_model(Source("m", f"chain; a -> a; {labels}")).model
    with pytest.raises(LimitReached):
        parse_property(Source("f", LARGE[name]), model)


def test_formulas_up_to_the_limits_are_read() -> None:
    assert isinstance(parsed("a" + " & a" * 40_000), And)
    assert len(core("P>0 (" + "G " * 97 + "a)")) > 300
    assert len(core("D[0" + "+1" * 10_000 + ", 0](X a)")) < 30


def test_the_range_and_the_states_are_read() -> None:
    found = parse_property(Source("f", "  P>0 (X a) from s, a for eps in [1/2, 3)  "), MODEL)
    assert (found.states, str(found.eps_range), found.text) == (("s", "a"), "[1/2, 3)", "P>0 (X a)")


# --- parse(show(f)) = f ---------------------------------------------------------------------------------

NUMBERS = [
    number_from_text(t)
    for t in ("0", "1", "1/3", "exp(-1)", "exp(-eps)/2", "1/(1 + exp(eps/2))", "eps*exp(-eps)")
]
PROPOSITIONS = st.sampled_from(["s", "a", "out_0", "U", "out 2"]).map(Proposition)


@st.composite
def exponents(draw: st.DrawFn) -> Exponent:
    positive = st.sampled_from([fmpq(0), fmpq(1), fmpq(2, 3), fmpq(5)])
    bases = draw(st.sets(st.sampled_from([fmpq(2), fmpq(3, 2), fmpq(10)])))
    powers = st.sampled_from([fmpq(1), fmpq(3)])
    return Exponent(draw(positive), draw(positive), tuple((b, draw(powers)) for b in sorted(bases)))


@st.composite
def intervals(draw: st.DrawFn) -> Interval:
    ends = st.sampled_from(NUMBERS)
    return Interval(draw(ends), draw(ends), draw(st.booleans()), draw(st.booleans()))


def larger(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    bounds = st.none() | st.integers(0, 4)
    return st.one_of(
        st.builds(Not, inner),
        st.builds(And, several),
        st.builds(Or, several),
        st.builds(Next, inner, st.integers(1, 3)),
        st.builds(Until, inner, inner, bounds),
        st.builds(Until, st.just(Truth(True)), inner, bounds),
        st.builds(Probability, intervals(), inner),
        st.builds(Privacy, exponents(), st.sampled_from(NUMBERS), inner),
    )


FORMULAS = st.recursive(PROPOSITIONS | st.builds(Truth, st.booleans()), larger, max_leaves=8)


@given(FORMULAS)
def test_a_printed_formula_is_read_as_itself(formula: Formula) -> None:
    whole = formula if is_state_formula(formula) else Probability(Interval(NUMBERS[2], NUMBERS[1]), formula)
    assert parsed(show(whole)) == whole
