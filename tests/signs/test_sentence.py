"""Sentences of Th_exp: known answers, laws of logic, and mpmath as judge of random ones."""

from __future__ import annotations

import random

import mpmath
import pytest
from campaigns import some
from flint import fmpq
from numeric import high, value
from patience import PATIENCE

import dipc
from dipc.dipwhile.sentences import read_sentence
from dipc.errors import InputError
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.sentence import And, Comparison, Formula, Not, Or, Quantifier, Relation, Sentence, decide
from dipc.signs.tables import pieces

TRUE = [
    "forall eps > 0: 2 - exp(-eps) >= eps/(1 + eps)",
    "forall eps: exp(eps) + exp(-eps) >= 2 + eps^2",
    "exists eps in (0, 1]: exp(eps) = 2",
    "forall eps: exp(eps) = 2 -> eps < 7/10",
    "forall eps: (eps < 1 -> exp(eps) < 3) and not exp(eps) < 1 + eps",
    "exists eps: (exp(eps) - 2)^2 <= 0",
    "exists eps: exp(eps) = 2 and exp(2*eps) = 4",
    "exists eps: (eps - 1)*(exp(eps) - 2) = 0 and exp(eps) = 2 and eps != 1",
    "forall eps in (0, 1]: eps <= 1",
    "forall eps in (1, 2): 1/(eps - 1) > 0",
    "exists eps in [1, 2]: eps = 1",
    "forall eps = 1: exp(eps) = exp(1)",
    "forall eps >= 1: exp(eps) >= exp(1)",
    "exists eps: exp(1/eps) = eps",
    "forall eps < 1: exp(1/eps) > exp(1)",
    "forall eps: true",
    "exists eps: exp(eps)*(1 + exp(-2)) = 2 and (1 + exp(-2))*exp(2*eps) = 2*exp(eps)",
    "exists eps: (eps - 1)^2*(exp(eps) - exp(1))^2 + (eps - 1)^4 <= 0",
    "forall eps: 1/(1 - exp(eps)) < 0 and eps^-1 > 0",
    "forall eps:\n  exp(eps) > 1 or\n  false",
]

FALSE = [
    "exists eps in (0, 1]: exp(eps) = 3",
    "exists eps: exp(eps) = 2 and exp(2*eps) = 5",
    "forall eps in (0, 1]: eps < 1",
    "exists eps in (1, 2): eps = 1",
    "forall eps: exp(eps) != 2",
    "exists eps: exp(eps) = exp(1) and eps != 1",
    "forall eps: exp(eps) > 1 -> eps > 1",
    "exists eps: 1/(1 - exp(eps)) > 0",
    "forall eps > 0: eps < 1000000",
    "exists eps: (exp(eps) - 2)^2 < 0",
]

FAR_EXPONENTS = [  # hundreds of powers of exp(eps/300), of exp(1/300) and of exp(1/(300 eps))
    "exists eps > 0: 22/7*exp(1/30*eps) + exp(-1/eps) - 1/2*exp(101/100*eps) = 1",
    "exists eps > 0: 22/7*exp(1/30/eps) + exp(-eps) - 1/2*exp(101/100/eps) = 1",
    "exists eps: exp(101/100)*exp(1/7*eps) = exp(1/30) + exp(eps) + eps",
    "exists eps: (exp(101/100*eps) - exp(1/30/eps))*(exp(11/13*eps) + exp(-1/eps) - 2) = 0",
]


@pytest.mark.parametrize("text", FAR_EXPONENTS)
def test_exponents_with_different_denominators(text: str) -> None:
    """Their polynomials are not factored: flint would need hours, and hears no signal."""
    with dipc.limits(seconds=PATIENCE):
        assert dipc.decide(text).truth is True


@pytest.mark.parametrize("text", TRUE)
def test_true(text: str) -> None:
    assert dipc.decide(text).truth is True


@pytest.mark.parametrize("text", FALSE)
def test_false(text: str) -> None:
    assert dipc.decide(text).truth is False


@pytest.mark.parametrize("text", TRUE + FALSE)
def test_the_text_of_a_sentence_is_read_as_the_same_sentence_and_its_negation_is_opposite(text: str) -> None:
    sentence = read_sentence(text)
    assert read_sentence(str(sentence)) == sentence
    assert dipc.decide(sentence.negation).truth is (not dipc.decide(sentence).truth)


def test_witnesses_are_simple_or_roots() -> None:
    assert dipc.decide("exists eps: exp(eps) > 3").witness.exact == 2
    assert dipc.decide("forall eps: exp(eps) > 3").witness.exact == 1
    root = dipc.decide("exists eps: exp(eps) = 3").witness
    assert root.exact is None
    f = ExpPoly.exp(1) - 3
    assert (f.sign_at(root.low), f.sign_at(root.high)) == (-1, 1)
    assert str(root) == "1.0986122887"
    assert dipc.decide("exists eps: (exp(eps) - 3)*(eps - 2) = 0").witness.exact == 2


@pytest.mark.parametrize(
    ("body", "regions"),
    [
        ("exp(eps) >= 2", ("[0.6931471806, inf)",)),
        ("exp(eps) > 2 and eps <= 1 or eps = 3", ("(0.6931471806, 1]", "{3}")),
        ("exp(eps) != 2", ("(0, 0.6931471805)", "(0.6931471806, inf)")),
        ("(eps - 1)^2 > 0", ("(0, 1)", "(1, inf)")),
        ("eps < 0", ()),
    ],
)
def test_where_the_body_holds(body: str, regions: tuple[str, ...]) -> None:
    assert dipc.decide(f"exists eps: {body}").holds_for == regions


def test_what_cannot_be_told_apart_is_undecided_only_where_it_matters() -> None:
    f = "(1 + exp(-2))*exp(eps) - 2"
    g = "(exp(1) + exp(-1))*exp(eps) - 2*exp(1)"  # exp(1) f
    h = "(exp(eps) - exp(2/eps))^2 + (eps^2 - 2)^2"  # a touching root at sqrt(2) that bisection cannot settle
    k = "(exp(eps) - exp(1))^2 + (eps - 1)^2"  # one at 1, found
    assert dipc.decide(f"exists eps: {f} = 0 and {g} = 0").truth is True
    undecided = dipc.decide(f"forall eps: {h} >= 0")
    assert undecided.status == "undecided"
    assert undecided.reason
    assert dipc.decide(f"forall eps: {k} >= 0").truth is True
    assert dipc.decide(f"exists eps: {k} <= 0").witness.exact == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("forall eps: 1/(eps - 1) > 0", "the divisor `eps - 1` is 0"),
        ("forall eps: (eps - 1)/(eps - 1) = 1", "the divisor `eps - 1` is 0"),
        ("forall eps in (0, 1]: (exp(eps) - exp(1))^-2 > 0", "divisor"),
        ("forall eps: 1/(eps - eps) = 1", "divisor"),
        ("forall x: x > 0", "expected `eps`"),
        ("forall eps: eps + 1", "neither true nor false"),
        ("eps > 0", "begins with `forall` or `exists`"),
        ("", "begins with `forall` or `exists`"),
        ("forall eps > -1: eps > 0", "positive"),
        ("forall eps in (2, 1): eps > 0", "empty"),
        ("forall eps: max(eps, 1) > 0", "is not allowed in a function of eps"),
        ("forall eps: N > 0", "not to `N`"),
        ("forall eps: exp(exp(eps)) > 1", "exp takes"),
        ("forall eps: true > 1", "is not allowed"),
        ("forall eps: eps = 1; eps = 2", "found `;`"),
        ("forall eps: (eps = 1", "never closed"),
        ("forall eps: eps = ", "found the end of the text"),
        ("forall eps: $", "has no meaning here"),
    ],
)
def test_refusals(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        dipc.decide(text)


# --- random sentences ------------------------------------------------------------------------

POINTS = [mpmath.mpf(10) ** (mpmath.mpf(k) / 8) for k in range(-32, 25)]


HOLDS = {
    Relation.LT: lambda x: x < 0,
    Relation.LE: lambda x: x <= 0,
    Relation.EQ: lambda x: x == 0,
    Relation.NE: lambda x: x != 0,
    Relation.GE: lambda x: x >= 0,
    Relation.GT: lambda x: x > 0,
}


def truth_at(formula: Formula, eps: mpmath.mpf) -> bool | None:
    """By 60-digit numbers; None where a difference is too close to 0."""
    match formula:
        case Comparison(left, relation, right):
            difference = value(left, eps) - value(right, eps)
            return None if abs(difference) < mpmath.mpf(10) ** -30 else HOLDS[relation](difference)
        case Not(part):
            inner = truth_at(part, eps)
            return None if inner is None else not inner
        case And(parts) | Or(parts):
            found = [truth_at(part, eps) for part in parts]
            absorbing = isinstance(formula, Or)
            if absorbing in found:
                return absorbing
            return None if None in found else not absorbing


def random_function(rng: random.Random) -> ExpPoly:
    rates = [fmpq(rng.randint(-2, 3), rng.choice((1, 2))) for _ in range(3)]
    return sum(
        (
            ExpPoly.of(rng.randint(-4, 4), rng.randint(0, 2), rng.choice(rates))
            for _ in range(rng.randint(1, 4))
        ),
        ExpPoly(),
    )


def random_formula(rng: random.Random, pool: list[ExpPoly], depth: int) -> Formula:
    if depth == 0 or rng.random() < 0.2:
        left = rng.choice(pool) * rng.choice(pool) if rng.random() < 0.3 else rng.choice(pool)
        below = Quotient(ExpPoly.of(1), 1 + ExpPoly.of(1, 1)) if rng.random() < 0.3 else Quotient.one()
        return Comparison(
            Quotient(left) * below, rng.choice(list(Relation)), Quotient.of(rng.choice((0, 0, 1, -2)))
        )
    parts = tuple(random_formula(rng, pool, depth - 1) for _ in range(2))
    return rng.choice((Not(parts[0]), And(parts), Or(parts)))


@pytest.mark.parametrize("seed", some(range(150), 30))
def test_random_sentences_against_high_precision(seed: int) -> None:
    """Functions are drawn from a small pool, and multiplied: many share roots."""
    rng = random.Random(seed)
    pool = [random_function(rng) for _ in range(3)]
    low, top, closed = rng.choice(
        ((fmpq(0), None, False), (fmpq(0), fmpq(2), True), (fmpq(1, 2), None, False))
    )
    budgets = EpsRange(low, top, False, closed)
    sentence = Sentence(rng.choice(list(Quantifier)), budgets, random_formula(rng, pool, 3))
    decision = decide(sentence)
    assert decision.truth is not None
    assert decide(sentence.negation).truth is (not decision.truth)
    with mpmath.workdps(60):
        most = mpmath.inf if budgets.high is None else high(budgets.high)
        inside = [p for p in POINTS if high(budgets.low) < p < most]
        seen = {truth_at(sentence.body, point) for point in inside} - {None}
        if sentence.quantifier is Quantifier.FORALL:
            assert not (decision.truth and False in seen)
        else:
            assert not (not decision.truth and True in seen)
        if decision.witness is not None and decision.witness.exact is not None:
            found = truth_at(sentence.body, high(decision.witness.exact))
            assert found in (None, sentence.quantifier is Quantifier.EXISTS)


@pytest.mark.parametrize("seed", range(40))
def test_pieces_have_the_signs_that_high_precision_sees(seed: int) -> None:
    rng = random.Random(1000 + seed)
    pool = [f for f in (random_function(rng) for _ in range(3)) if f]
    functions = [*pool, *(f * g for f in pool for g in pool)]
    for piece in pieces(functions, EpsRange.positive()):
        (signs,) = piece.readings
        if piece.sample is not None:
            assert signs == tuple(f.sign_at(piece.sample) for f in functions)
        for place, f in enumerate(pool):
            for other, g in enumerate(pool):
                product = signs[len(pool) + place * len(pool) + other]
                assert product == signs[place] * signs[other], (f, g)
