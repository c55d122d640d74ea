"""Programs with priors: the examples of the paper, laws, and brute force over all inputs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import exp

import pytest
from campaigns import many
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from pufferfish.prior_programs import (
    EQUAL,
    EXAMPLE_5,
    INDEPENDENT,
    SVT,
    decided,
    least,
    program,
)

import dipc
from dipc.clock import Clock
from dipc.dipwhile.priors import weights
from dipc.errors import InputError
from dipc.numbers.parametric import Ring
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.verdict import Private, Undecided, Violated

# --- examples of the paper -------------------------------------------------------------------


def test_fixed_parameters() -> None:
    core = program(EXAMPLE_5)
    half = fmpq(1, 2)
    free, one, two, all_three = (
        least(core, **dict.fromkeys(names, half)).high.as_rational()
        for names in ((), ("pA",), ("pA", "pB"), ("pA", "pB", "pC"))
    )
    assert 1 < all_three <= two <= one <= free
    with pytest.raises(InputError, match=r"pA = 1 is outside of its range \(0, 1\)"):
        least(core, pA=fmpq(1))
    with pytest.raises(InputError, match="no parameter `pa`"):
        least(core, pa=half)


# --- functions of eps ------------------------------------------------------------------------


@pytest.mark.parametrize("claim", ["eps/2", "3/4*eps", "eps"])
@pytest.mark.parametrize("prior", [INDEPENDENT, EQUAL])
def test_the_prototype_for_svt(prior: str, claim: str) -> None:
    core = program(SVT.format(prior="param a in (0, 1), b in (0, 1)", lines=prior))
    assert isinstance(decided(core, claim), Private)


def number(p: Quotient) -> float:
    """A constant, for comparisons with floats."""
    return float(p.enclose(arb(0)))


@pytest.mark.parametrize("claim", ["eps/4", "9/20*eps", "eps/2", "eps", "eps/2 for eps in (0, 1]"])
def test_without_a_prior_it_is_differential_privacy(claim: str) -> None:
    """The same functions of eps, without parameters."""
    text = SVT.format(prior="", lines="adjacent linf 1")
    assert decided(program(text), claim).status == dipc.load(text).check(claim).status


def test_numbers_and_multiples_of_eps_in_one_claim() -> None:
    core = program(SVT.format(prior="param a in (0, 1), b in (0, 1)", lines=EQUAL))
    assert isinstance(decided(core, "eps/4 + ln(3)"), Violated)
    assert isinstance(decided(core, "eps/2 + ln(2)"), Private)
    assert isinstance(decided(core, "ln(2) for eps in (0, 1]"), Private)
    assert isinstance(decided(core, "ln(2)"), Violated)
    assert isinstance(decided(core, "eps/2, 1/100"), Private)
    assert isinstance(decided(core, "eps/4, 1/100"), Violated)


RESPONSE = """
param a in {ranges}, b in {ranges}
input q[2] in {{0, 1}};  output out[2] in {{0, 1}}
adjacent hamming 1
private eps
prior
  q[1] <- choose {{1: a, 0: 1 - a}}
  q[2] <- choose {{1: b, 0: 1 - b}}
end
for i in 1..2 do secret q[i] = 0 vs q[i] = 1 end
for i in 1..2 do
  keep <- flip({keep}); out[i] <- q[i]
  if not keep then out[i] <- 1 - q[i] end
end
if out[1] = 1 and q[2] = {twist} then out[1] <- uniform {{0, 1}} end
"""
KEEPS = ["exp(eps)/(1 + exp(eps))", "(1 + eps)/(2 + eps)", "exp(eps/2)/(1 + exp(eps/2))"]


@settings(max_examples=many(4, campaign=100), deadline=None)
@given(
    st.sampled_from(KEEPS),
    st.sampled_from(["(0, 1)", "[0, 1]"]),
    st.integers(0, 2),
    st.sampled_from(["eps/4", "eps/2", "eps", "5/4*eps", "2*eps"]),
)
def test_independent_cells_agree_with_differential_privacy(
    keep: str, ranges: str, twist: int, claim: str
) -> None:
    """Kifer and Machanavajjhala, Theorem 6.1: with arbitrary laws of the cells both are the same."""
    text = RESPONSE.format(keep=keep, ranges=ranges, twist=twist)
    expected = dipc.load(text).check(claim).status
    assert decided(program(text), claim).status == expected


def test_at_one_eps() -> None:
    text = RESPONSE.format(keep=KEEPS[0], ranges="(0, 1)", twist=2)
    point = fmpq(1)
    assert isinstance(decided(program(text), "eps", point), Private)
    assert isinstance(decided(program(text), "1", point), Private)
    assert isinstance(decided(program(text), "99/100", point), Violated)


def test_from_python() -> None:
    response = dipc.load(RESPONSE.format(keep=KEEPS[0], ranges="(0, 1)", twist=2)).pufferfish()
    assert response.budget().c == 1
    assert response.check("eps").status == "private"
    assert response.check("1", at=2).status == "violated"
    with pytest.raises(InputError, match=r"`dipc pufferfish check`"):
        dipc.load(EXAMPLE_5).check()


# --- brute force -----------------------------------------------------------------------------

Draws = list[tuple[int, int, int, int]]
"""For each cell: whether it copies the one before with which chance (in tenths), and its own chance."""


@st.composite
def draws(draw: Callable) -> Draws:
    return [
        (draw(st.integers(0, 2)), draw(st.integers(0, 10)), draw(st.integers(0, 10)), draw(st.integers(0, 2)))
        for _ in range(draw(st.integers(1, 3)))
    ]


def prior_text(cells: Draws) -> str:
    lines = []
    for i, (kind, tenth, other, shift) in enumerate(cells, start=1):
        p = ["p", f"{tenth}/10", f"p*{tenth}/10 + (1 - p)*{other}/10"][kind]
        lines.append(f"  q[{i}] <- choose {{1: {p}, 0: 1 - ({p})}}")
        if i > 1 and shift:
            lines.append(f"  same <- flip({other}/10 * p + {10 - other}/20)")
            lines.append(f"  if same then q[{i}] <- {'1 - ' if shift == 2 else ''}q[{i - 1}] end")
    return "\n".join(lines)


def inputs_at(cells: Draws, p: Fraction) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Every input with its probability, by recursion over the cells."""

    def go(done: tuple[int, ...], weight: Fraction) -> Iterator[tuple[tuple[int, ...], Fraction]]:
        if len(done) == len(cells):
            yield done, weight
            return
        kind, tenth, other, shift = cells[len(done)]
        one = [p, Fraction(tenth, 10), p * tenth / 10 + (1 - p) * other / 10][kind]
        same = Fraction(other, 10) * p + Fraction(10 - other, 20) if done and shift else Fraction(0)
        for value, chance in ((1, one), (0, 1 - one)):
            copied = (1 - done[-1] if shift == 2 else done[-1]) if same else value
            yield from go((*done, value), weight * chance * (1 - same))
            if same:
                yield from go((*done, copied), weight * chance * same)

    return go((), Fraction(1))


def law_at(q: tuple[int, ...]) -> dict[int, Fraction]:
    """Three answers: the number of ones, capped and blurred."""
    top = min(sum(q), 2)
    return {o: Fraction(3, 5) if o == top else Fraction(1, 5) for o in range(3)}


BLURRED = """
param p in [1/5, 4/5]
input q[{n}] in {{0, 1}};  output out in 0..2
prior
{prior}
end
secret q[1] = 1 vs q[{n}] = 0
v <- min(sum(q), 2)
if v = 0 then out <- choose {{0: 3/5, 1: 1/5, 2: 1/5}}
elif v = 1 then out <- choose {{0: 1/5, 1: 3/5, 2: 1/5}}
else out <- choose {{0: 1/5, 1: 1/5, 2: 3/5}} end
"""


@settings(max_examples=many(6, campaign=200), deadline=None)
@given(
    draws(), st.integers(2, 8), st.sampled_from(["ln(1)", "ln(5/4)", "ln(3/2)", "ln(2)", "ln(5/2)", "1/2"])
)
def test_brute_force(cells: Draws, numerator: int, claim: str) -> None:
    n = len(cells)
    core = program(BLURRED.format(n=n, prior=prior_text(cells)))
    p = Fraction(numerator, 10)
    slow: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for q, weight in inputs_at(cells, p):
        slow[q] += weight
    ring = Ring(("p",))
    fast = weights(core, core.question.priors[0], ring, Clock(), {})
    values = {
        tuple(int(v.p) for v in key): w.at({"p": fmpq(p.numerator, p.denominator)}) for key, w in fast.items()
    }
    for q in product((0, 1), repeat=n):
        assert values.get(q, ring.of(0)) == fmpq(slow[q].numerator, slow[q].denominator)
    try:
        verdict = decided(core, claim)
    except InputError as error:
        assert "no prior draws" in error.message
        return
    assert not isinstance(verdict, Undecided)
    c = exp(0.5) if claim == "1/2" else float(Fraction(claim[3:-1]))
    quotients = [quotient for k in range(4, 17) for quotient in quotients_at(cells, Fraction(k, 20))]
    if isinstance(verdict, Private):
        assert all(a <= c * b * (1 + 1e-12) for a, b in quotients)
    else:
        assert isinstance(verdict, Violated)
        found = verdict.counterexample
        at = Fraction(str(found.parameters["p"]))
        assert Fraction(1, 5) <= at <= Fraction(4, 5)
        known = [number(x) for x in (found.probability, found.other_probability)]
        assert any(
            a == pytest.approx(known[0]) and b == pytest.approx(known[1]) for a, b in quotients_at(cells, at)
        )
        assert known[0] > c * known[1]


def quotients_at(cells: Draws, p: Fraction) -> Iterator[tuple[float, float]]:
    """P(o | left) and P(o | right) for every output, in both directions, where both events are possible."""
    found = list(inputs_at(cells, p))
    sides = []
    for event in (lambda q: q[0] == 1, lambda q: q[-1] == 0):
        z = sum((w for q, w in found if event(q)), Fraction(0))
        if not z:
            return
        sides.append(
            [sum((w * law_at(q)[o] for q, w in found if event(q)), Fraction(0)) / z for o in range(3)]
        )
    for a, b in zip(*sides, strict=True):
        yield float(a), float(b)
        yield float(b), float(a)


# --- Bernstein coefficients ------------------------------------------------------------------


SQUARE = """
param p in (0, 1)
input q in 0..2;  output out in 0..1
prior
  q <- choose {{0: p^2, 1: 2*p*(1 - p), 2: (1 - p)^2}}
end
secret q = 1 -> q != 1;  private {claim}*eps
if q = 1 then b <- flip(1/(4 + 2*eps)) else b <- flip(1/4) end
if b then out <- 1 else out <- 0 end
"""


def test_zero_on_the_border_and_the_centre() -> None:
    """The weights vanish at both ends; for output 0 the quotient is (3 + 2 eps)/(3 + 3/2 eps)."""
    core = program(SQUARE.format(claim="1/6"))
    assert isinstance(decided(core), Private)
    found = decided(program(SQUARE.format(claim="1/8")))
    assert isinstance(found, Violated)
    assert 0 < found.counterexample.parameters["p"] < 1


# --- refused ---------------------------------------------------------------------------------

REFUSED = [
    ("q <- choose {1: p, 0: p}", "sum to 2\\*p, not to 1"),
    ("q <- choose {1: 2*p, 0: 1 - 2*p}", "the probability -2\\*p \\+ 1 is -1 at p = 1|is -"),
    ("b <- flip(p); if b then q <- 1 end", "does not draw `q`"),
    ("q <- choose {1: p/p, 0: 0}", "division by `p`"),
    ("q <- 2", "not in its set"),
    ("q <- 1", "no prior draws an input with `q = 0`"),
    ("q <- choose {1: r, 0: 1 - r}", "unknown name `r`"),
]


@pytest.mark.parametrize(("line", "message"), REFUSED)
def test_refused(line: str, message: str) -> None:
    text = f"param p in (0, 1)\ninput q in {{0, 1}}\noutput o in {{0, 1}}\nprior\n{line}\nend\n"
    text += "secret q = 0 vs q = 1\nprivate ln(2)\no <- choose {q: 2/3, 1 - q: 1/3}"
    with pytest.raises(InputError, match=message):
        decided(program(text))


WRONG = [
    ("q <- 1/0", "division by zero"),
    ("x <- 1/a[1]", "division by zero"),
    ("x <- a[3]", "the index 3 is outside a"),
    ("a[0] <- 1", "the index 0 is outside a"),
    ("q <- 5", "draws `q = 5`, which is not in its set"),
    ("b <- flip(2)", "1 minus the probability -1 is -1"),
]


@pytest.mark.parametrize(("line", "message"), WRONG)
@pytest.mark.parametrize("branch", ["if q > 1 then {}; end", "b <- flip(0); if b then {}; end"])
def test_a_prior_is_judged_where_a_path_reaches_it(branch: str, line: str, message: str) -> None:
    """By the standard of the program itself: the same lines are refused where a path leads to them."""
    text = "input q in {{0, 1}}\noutput o in {{0, 1}}\nprior\n"
    text += "q <- uniform {{0, 1}}; a[1] <- 0; a[2] <- 0\n{}\nend\n"
    text += "secret q = 0 vs q = 1\nprivate ln(2)\no <- choose {{q: 2/3, 1 - q: 1/3}}"
    assert isinstance(decided(program(text.format(branch.format(line)))), Private)
    reached = branch.replace("q > 1", "q = 1").replace("flip(0)", "flip(1/2)").format(line)
    with pytest.raises(InputError, match=message):
        decided(program(text.format(reached)))


def test_a_prior_without_a_secret() -> None:
    text = "input q in {0, 1}; output o in {0, 1}\nprior\nq <- 1\nend\nprivate ln(2); o <- q"
    with pytest.raises(InputError, match="no secret"):
        decided(program(text))


def test_claims_that_do_not_fit() -> None:
    core = program(EXAMPLE_5)
    with pytest.raises(InputError, match="no probability of the program depends on eps"):
        decided(core, "eps")
    with pytest.raises(InputError, match="is negative"):
        decided(core, "ln(1/2)")
    with pytest.raises(InputError, match="with priors epsilon is a sum of numbers"):
        decided(core, "ln(1 + exp(eps))")
