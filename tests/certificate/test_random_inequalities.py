"""Random inequalities of every class: true ones get a proof that the kernel accepts, false ones never pass.

The judge is the decision procedure, which isolates roots where no chain is a proof.  The forger
writes proofs of every kind for false inequalities, with numbers that are right where it can.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from campaigns import drawn
from hypothesis import assume, given
from hypothesis import strategies as st
from proving import NoProof, budgets, factored, proof_of, prove, to_exppoly

from dipc.certificate.format import listed_proof, terms, to_function
from dipc.claims.oracle import SignOracle
from dipc.kernel import facts, reading
from dipc.kernel.facts import UNIT, ZERO, Function, Interval
from dipc.kernel.schema import write
from dipc.signs import search
from dipc.signs.inequality import Answer, Fails, Holds, nonnegative
from dipc.signs.proofs import SignTable
from dipc.signs.roots import Unsettled

few, many = drawn(6, campaign=16), drawn(12, campaign=30)

POINTS = [ZERO, Fraction(1, 3), Fraction(1), Fraction(2), Fraction(7, 2), Fraction(20)]


@st.composite
def intervals(draw: st.DrawFn) -> Interval:
    low, high = sorted(draw(st.lists(st.sampled_from(POINTS), min_size=2, max_size=2, unique=True)))
    closed = draw(st.booleans())
    infinite = draw(st.booleans())
    return Interval(low, None if infinite else high, closed and low > 0, closed and not infinite)


def exponents(used: bool) -> st.SearchStrategy[Fraction]:
    return st.sampled_from([Fraction(x, 2) for x in range(5)]) if used else st.just(ZERO)


@st.composite
def functions(draw: st.DrawFn, rates: bool, inverse: bool, constants: bool, size: int = 4) -> Function:
    """A sum of a few terms with small coefficients, in normal form; not 0."""
    items = [
        (
            (
                draw(st.integers(0, 2)),
                draw(exponents(rates)),
                draw(exponents(constants)),
                draw(exponents(inverse)),
            ),
            Fraction(draw(st.integers(-4, 4))),
        )
        for _ in range(draw(st.integers(1, size)))
    ]
    f = facts.normal(facts.collected(items))
    assume(f)
    return f


CLASSES = {
    "exp(a*eps)": (True, False, False),
    "exp(b/eps)": (False, True, False),
    "both": (True, True, False),
    "with constants": (True, False, True),
    "all": (True, True, True),
}


def judged(f: Function, on: Interval) -> Answer | None:
    try:
        return nonnegative(to_exppoly(f), budgets(on))
    except Unsettled:
        return None


def plus(f: Function, c: Fraction) -> Function:
    return facts.normal(facts.add(f, facts.collected([(facts.UNIT, c)])))


def examined(f: Function, on: Interval) -> None:
    """Proved if it holds, and not proved if it fails; and -f just the other way."""
    answer = judged(f, on)
    if isinstance(answer, Holds):
        proof = proof_of(f, on)
        prove(f, on, proof, "test")
        below = facts.negative(f)
        if isinstance(judged(below, on), Fails):
            refused(below, on, proof)
    elif isinstance(answer, Fails):
        with pytest.raises(NoProof):
            proof_of(f, on)


def refused(f: Function, on: Interval, proof: Any) -> None:
    with pytest.raises(reading.Refused):
        prove(f, on, proof, "test")


@pytest.mark.parametrize("kind", CLASSES)
@few
@given(st.data())
def test_sums(kind: str, data: st.DataObject) -> None:
    examined(data.draw(functions(*CLASSES[kind])), data.draw(intervals()))


@pytest.mark.parametrize("kind", CLASSES)
@few
@given(st.data())
def test_squares_and_products(kind: str, data: st.DataObject) -> None:
    """f^2 touches 0 wherever f is 0; f^2 g changes its sign where g does."""
    f, g = (data.draw(functions(*CLASSES[kind], size=2)) for _ in range(2))
    on = data.draw(intervals())
    square = facts.multiply(f, f)
    examined(facts.normal(square), on)
    examined(facts.normal(facts.multiply(square, g)), on)
    examined(plus(square, Fraction(1, 100)), on)


@pytest.mark.parametrize("kind", CLASSES)
@few
@given(st.data())
def test_zeros_at_rational_points(kind: str, data: st.DataObject) -> None:
    """f - f(r) at a rational r: if f(r) is rational times exponentials this is a function of the class."""
    f, on, r = (
        data.draw(functions(*CLASSES[kind])),
        data.draw(intervals()),
        data.draw(st.sampled_from(POINTS[1:])),
    )
    value = facts.collected((((0, ZERO, x, ZERO), -c) for x, c in facts.value_at(f, r).items()))
    g = facts.normal(facts.add(f, value))
    assume(g)
    assert facts.sign_at(g, r) == 0
    examined(g, on)


@pytest.mark.parametrize("kind", CLASSES)
@many
@given(st.data())
def test_the_oracle_has_a_proof_of_what_holds(kind: str, data: st.DataObject) -> None:
    """That of the answer, or else one that is searched for once; the kernel accepts both."""
    f, on = data.draw(functions(*CLASSES[kind])), data.draw(intervals())
    oracle = SignOracle(budgets(on))
    for c in (0, data.draw(st.integers(1, 9))):
        h = to_exppoly(plus(f, Fraction(c)))
        assume(h)
        answer = oracle.decide(h)
        if isinstance(answer, Holds):
            proof = oracle.proof_of(h)
            prove(to_function(h), on, write(listed_proof(proof, h)), "test")
            assert oracle.proof_of(h) is proof
            assert isinstance(answer.proof, SignTable) or answer.proof == proof
        elif isinstance(answer, Fails):
            with pytest.raises(NoProof):
                oracle.proof_of(h)


@pytest.mark.parametrize("kind", CLASSES)
@many
@given(st.data())
def test_a_proof_of_another_function_is_refused(kind: str, data: st.DataObject) -> None:
    """The proof of f, with all its numbers those of g: g is negative somewhere, and the kernel sees it."""
    f, g = (data.draw(functions(*CLASSES[kind])) for _ in range(2))
    on = data.draw(intervals())
    f = data.draw(st.sampled_from([f, facts.normal(facts.multiply(f, f)), plus(f, Fraction(30))]))
    assume(isinstance(judged(f, on), Holds) and isinstance(judged(g, on), Fails))
    proof = search.proof(to_exppoly(f), budgets(on))
    try:
        forged = write(listed_proof(proof, to_exppoly(g)))
    except reading.Refused:  # there is no such number
        return
    refused(g, on, forged)


# --- the forger ---------------------------------------------------------------------------------------

small = st.sampled_from(
    [Fraction(n, d) for n in range(5) for d in (1, 2, 7)] + [Fraction(20), Fraction(1000)]
)


@st.composite
def forged(draw: st.DrawFn, f: Function, on: Interval, depth: int = 2) -> Any:
    """A proof of any kind, as right as it can be."""
    kinds = ["chain", "pieces", "identity", "point"]
    kinds += ["product", "binomial", "inverse"] * (depth > 0 and len(f) > 1)
    kind = draw(st.sampled_from(kinds))
    if kind == "chain":
        return draw(chains(on))
    if kind == "pieces":
        return draw(pieces(f, on))
    if kind == "product":
        factors = [
            {
                "function": write(terms(to_exppoly(g if draw(st.booleans()) else facts.negative(g)))),
                "power": n,
                "proof": draw(st.none() | forged(g, on, depth - 1)),
            }
            for g, n in factored(f)
        ]
        return {"kind": kind, "scale": str(draw(small)), "factors": factors}
    if kind == "binomial":
        (g, _), *rest = draw(st.permutations(factored(f)))
        cofactor = {UNIT: Fraction(draw(st.sampled_from([-1, 1])))}
        for h, n in rest:
            for _ in range(n):
                cofactor = facts.multiply(cofactor, h)
        signs = facts.normal(facts.multiply(facts.binomial_signs(g), cofactor))
        proof = draw(forged(signs, on, depth - 1)) if signs else {"kind": "identity"}
        return {
            "kind": kind,
            "binomial": write(terms(to_exppoly(g))),
            "cofactor": write(terms(to_exppoly(cofactor))),
            "proof": proof,
        }
    if kind == "inverse":
        low = ZERO if on.high is None else 1 / on.high
        turned = Interval(low, 1 / on.low if on.low else None, on.high_closed, on.low_closed)
        return {"kind": kind, "proof": draw(forged(facts.inverted(f), turned, depth - 1))}
    return {"kind": kind}


@st.composite
def chains(draw: st.DrawFn, on: Interval) -> Any:
    return {"kind": "chain", "at": str(draw(small | st.just(on.low)))}


@st.composite
def pieces(draw: st.DrawFn, f: Function, on: Interval) -> Any:
    between = sorted(
        p for p in draw(st.sets(small, max_size=4)) if on.low < p and (on.high is None or p < on.high)
    )
    points = [on.low, *between, on.high]
    listed = [draw(st.just("tail") | taylor(f)) for _ in points[1:]]
    if on.high is None:
        listed[-1] = "tail"
    return {"kind": "pieces", "points": [p if p is None else str(p) for p in points], "pieces": listed}


@st.composite
def taylor(draw: st.DrawFn, f: Function) -> Any:
    n, a, k, b = draw(st.sampled_from([*f, UNIT]))
    times = {(-n, -a, -k, -b): draw(small.filter(bool))}
    return [draw(st.sampled_from(["low", "high"])), draw(st.integers(0, 6)), write(terms(to_exppoly(times)))]


@pytest.mark.parametrize("kind", CLASSES)
@many
@given(st.data())
def test_no_forged_proof_of_a_false_inequality(kind: str, data: st.DataObject) -> None:
    f, on = data.draw(functions(*CLASSES[kind])), data.draw(intervals())
    assume(isinstance(judged(f, on), Fails))
    refused(f, on, data.draw(forged(f, on)))


@pytest.mark.parametrize("kind", CLASSES)
@few
@given(st.data())
def test_no_proof_of_a_larger_function(kind: str, data: st.DataObject) -> None:
    """f fails, f + c holds: the proof of this is none of that, nor with its numbers or its kinds."""
    f, on = data.draw(functions(*CLASSES[kind])), data.draw(intervals())
    larger = plus(f, Fraction(data.draw(st.integers(1, 30))))
    assume(isinstance(judged(f, on), Fails) and isinstance(judged(larger, on), Holds))
    refused(f, on, proof_of(larger, on))
