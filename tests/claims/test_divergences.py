"""Bounded range and Renyi divergences against their definitions, on a grid of budgets."""

from __future__ import annotations

import json
from functools import cache
from itertools import permutations, product

import mpmath
import pytest
from campaigns import many
from flint import fmpq
from hypothesis import assume, given
from hypothesis import strategies as st
from numeric import fixed, high, near, value

import dipc
from dipc.dipwhile.certify.compared import compared
from dipc.errors import InputError
from dipc.kernel import statements
from dipc.signs.tables import RootCluster

TABLES = (
    ("1/4", "1/4", "1/4", "1/4"),
    ("exp(eps)/(exp(eps)+3)", "1/(exp(eps)+3)", "1/(exp(eps)+3)", "1/(exp(eps)+3)"),
    ("1/(exp(eps)+3)", "exp(eps)/(exp(eps)+3)", "1/(exp(eps)+3)", "1/(exp(eps)+3)"),
    ("exp(eps)/(2*exp(eps)+4)", "exp(eps)/(2*exp(eps)+4)", "2/(exp(eps)+2)", "0"),
    ("exp(-eps)/4", "1/4", "(1-exp(-eps))/4", "1/2"),
    ("1/4 + eps*exp(-eps)/4", "1/4 - eps*exp(-eps)/4", "1/8", "3/8"),
    ("0", "1", "0", "0"),
    ("1/4", "3/4", "0", "0"),
)
GRID = [fmpq(1, 100), *(fmpq(i, 3) for i in range(1, 9)), fmpq(5), fmpq(9)]
MEASURES = (None, 2, 3)


@cache
def numbers(table: tuple[str, ...], eps: fmpq) -> list[mpmath.mpf]:
    names = {"eps": high(eps), "exp": mpmath.exp, "__builtins__": {}}
    return [mpmath.mpf(eval(text, names)) for text in table]  # all fractions are dyadic


@cache
def measured(left: tuple[str, ...], right: tuple[str, ...], order: int | None, eps: fmpq) -> mpmath.mpf:
    """The measure by its definition: the least epsilon of one ordered pair at one eps."""
    p, q = numbers(left, eps), numbers(right, eps)
    possible = [o for o in range(4) if p[o] or q[o]]
    if order is None:
        ratios = []
        for o, other in product(possible, repeat=2):
            more, less = p[o] * q[other], p[other] * q[o]
            if more and not less:
                return mpmath.inf
            ratios += [mpmath.log(more / less)] if more else []
        return max(ratios)
    if any(p[o] and not q[o] for o in possible):
        return mpmath.inf
    total = sum(p[o] ** order * q[o] ** (1 - order) for o in possible if p[o])
    return mpmath.log(total) / (order - 1)


def program(left: tuple[str, ...], right: tuple[str, ...], claim: str = "") -> dipc.Mechanism:
    one, other = (
        "choose {" + ", ".join(f"{o}: {text}" for o, text in enumerate(table)) + "}"
        for table in (left, right)
    )
    text = f"if q = 0 then o <- {one} else o <- {other} end"
    return dipc.load(f"input q in {{0, 1}}; output o in 0..3; adjacent all\n{claim}\n{text}")


def asked(order: int | None) -> dict[str, bool | int]:
    return {"range": True} if order is None else {"renyi": order}


@fixed(many(20, campaign=2000))
@given(st.permutations(TABLES), st.sampled_from(MEASURES))
def test_the_least_t_and_the_curve_on_a_grid(tables: list[tuple[str, ...]], order: int | None) -> None:
    left, right = tables[:2]
    assume("eps" in str(tables[:2]))
    mechanism = program(left, right)
    found = mechanism.budget(**asked(order)).least  # type: ignore[arg-type]
    curve = mechanism.loss_curve(**asked(order))  # type: ignore[arg-type]
    for eps in GRID:
        needed = max(measured(*pair, order, eps) for pair in permutations((left, right)))
        assert found.infinite or needed / high(eps) < high(found.high) + mpmath.mpf("1e-9")
        at = mechanism.budget(at=eps, **asked(order)).least  # type: ignore[arg-type]
        assert at.infinite == (needed == mpmath.inf)
        if not at.infinite:
            assert at.high is not None
            assert high(at.low) - mpmath.mpf("1e-9") <= needed / high(eps)
            assert needed / high(eps) <= high(at.high) + mpmath.mpf("1e-9")
        for segment in curve.segments:
            low = segment.low.high if isinstance(segment.low, RootCluster) else segment.low
            top = segment.high.low if isinstance(segment.high, RootCluster) else segment.high
            if low < eps and (top is None or eps < top):
                assert (segment.value is None) == (needed == mpmath.inf)
                if segment.value is not None:
                    assert near(mpmath.log(value(segment.value, eps)) / curve.times, needed)


@pytest.mark.parametrize(
    ("name", "question", "t"),
    [("nmax1", {"range": True}, 1), ("nmax2", {"range": True}, 2), ("nmax1", {"renyi": 3}, 1)],
)
def test_shipped_programs(name: str, question: dict[str, int], t: int) -> None:
    assert dipc.load(name, N=2).budget(**question).least.exact == t  # type: ignore[arg-type]


def test_a_divergence_without_a_value() -> None:
    """P(u')(0) = (eps - 1)^2/... vanishes at eps = 1, where P(u)(0) does not."""
    small = "(eps - 1)^2/(1 + eps^2)/2"
    mechanism = program(("1/2", "1/2", "0", "0"), (small, f"1 - {small}", "0", "0"))
    with pytest.raises(InputError, match="no value for some eps"):
        mechanism.budget(renyi=2)
    assert mechanism.budget(renyi=2, at=1).least.infinite
    assert mechanism.budget(range=True, at=1).least.infinite
    assert mechanism.budget(range=True).least.infinite


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"range": True, "renyi": 2}, "two questions"),
        ({"renyi": 1}, "at least 2"),
        ({"renyi": True}, "at least"),
    ],
)
def test_questions_that_make_no_sense(question: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        program(*TABLES[:2]).budget(**question)  # type: ignore[arg-type]


CLAIMS = ("0*eps", "eps/2", "eps", "2*eps", "ln(3)", "ln(1 + exp(eps))", "eps/4 + 1/8")


@fixed(many(15, campaign=1000))
@given(st.permutations(TABLES), st.sampled_from(MEASURES), st.sampled_from(CLAIMS))
def test_claims_on_a_grid(tables: list[tuple[str, ...]], order: int | None, epsilon: str) -> None:
    left, right = tables[:2]
    measure = "range " if order is None else f"renyi {order}, "
    verdict = program(left, right, f"private {measure}{epsilon}").check()
    found = verdict.counterexample

    def excess(pair: tuple[tuple[str, ...], ...], eps: fmpq) -> mpmath.mpf:
        names = {"eps": high(eps), "exp": mpmath.exp, "ln": mpmath.log, "__builtins__": {}}
        return measured(pair[0], pair[1], order, eps) - eval(epsilon, names)

    if found is None:
        assert verdict.status == "private"
        worst = max(excess(pair, eps) for pair in permutations((left, right)) for eps in GRID)
        assert worst < mpmath.mpf("1e-30")
        return
    pair = (left, right) if dict(found.input)["q"] == 0 else (right, left)
    assert verdict.status == "violated" and excess(pair, found.epsilon) > 0
    assert (found.value - found.bound).sign_at(found.epsilon) > 0


@pytest.mark.parametrize(
    ("name", "claim", "status"),
    [
        ("nmax2", "range eps", "violated"),
        ("nmax2", "range 2*eps", "private"),
        ("nmax1", "range eps", "private"),
    ],
)
def test_public_vectors(name: str, claim: str, status: str) -> None:
    assert dipc.load(name, N=2).check(claim).status == status


def test_a_measure_is_a_word_of_claims_only() -> None:
    """A parameter may have its name, also in a claim."""
    claim = "private range*eps, 1/range"
    text = f"param range = 2; input q in {{0, 1}}; output o in {{0}}; adjacent all; {claim}; o <- 0"
    assert str(dipc.load(text).check().goal) == "(2*eps, 1/2)-private for every eps in (0, inf)"
    assert str(dipc.load(text).check("range range*eps").goal).startswith("private range 2*eps")


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("range eps, 1/10", "no delta"),
        ("renyi 2", "epsilon of the claim is missing"),
        ("renyi 1, eps", "at least 2"),
        ("renyi 5/2, eps", "at least 2"),
        ("range eps - 1", "negative at eps"),
    ],
)
def test_claims_that_make_no_sense(claim: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        dipc.load("nmax1", N=2).check(claim)


def test_what_does_not_follow_refuses_by_name() -> None:
    mechanism = program(*TABLES[1:3], claim="private range 2*eps")
    with pytest.raises(InputError, match="there is no theorem for the claim private range"):
        mechanism.export("coq")
    for question in (mechanism.explain, mechanism.profile, mechanism.violating_budgets, mechanism.sentence):
        with pytest.raises(InputError, match="this is about"):
            question()


def test_a_certificate_of_privacy_is_none_of_a_range() -> None:
    """The program claims a range of eps; the certificate says less, that it is eps-private."""
    mechanism = program(*TABLES[1:3], claim="private range eps")
    written = json.dumps(mechanism.certificate(mechanism.check("eps")))
    assert compared(statements.check(written.encode()), {}, None).differences


def test_a_violation_in_python() -> None:
    verdict = dipc.load("nmax2", N=2).check("range eps")
    assert repr(verdict.counterexample).startswith(
        "<Excess q = [-1, 0] against q = [0, -1]: out = 2 against out"
    )
    assert str(verdict.to_sympy()) == "1 + exp(-eps)/4 - exp(-eps/2) > 1/4"
    first, second = verdict.plot().axes
    assert first.get_ylabel() == "value" and second.get_ylabel() == "excess"
