"""Claims with delta > 0 against brute force over all sets of outputs on a grid of budgets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import chain, combinations
from random import Random

import mpmath
import oracles
import pytest
from campaigns import many
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from numeric import fixed, high

import dipc
from dipc.claims.exponent import Exponent
from dipc.claims.oracle import SignOracle
from dipc.claims.privacy import Goal, PrivacyInequalities, worst_sets
from dipc.claims.regions import violated_regions
from dipc.claims.rows import lines, record
from dipc.dipwhile.semantics.adjacency import InputSpace
from dipc.dipwhile.semantics.valuations import grouped
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.shipped import describe
from dipc.signs.eps_range import EpsRange

TABLES = (
    ("1/4", "1/4", "1/4", "1/4"),
    ("exp(eps)/(exp(eps)+3)", "1/(exp(eps)+3)", "1/(exp(eps)+3)", "1/(exp(eps)+3)"),
    ("1/(exp(eps)+3)", "exp(eps)/(exp(eps)+3)", "1/(exp(eps)+3)", "1/(exp(eps)+3)"),
    ("exp(-eps)/2", "1/2", "(1-exp(-eps))/4", "(1-exp(-eps))/4"),
    ("1/2", "exp(-2*eps)/4", "1/4 - exp(-2*eps)/4", "1/4"),
    ("eps*exp(-eps)/2", "1/2 - eps*exp(-eps)/2", "exp(-eps/2)/2", "1/2 - exp(-eps/2)/2"),
    ("0", "1", "0", "0"),
    ("1/8", "3/4 + eps*exp(-eps)/8", "1/8 - eps*exp(-eps)/8", "0"),
    ("1/(1+eps)/2", "eps/(1+eps)/2", "1/6", "1/3"),
)
EPSILONS = (
    *("eps", "eps", "eps/2", "2*eps", "0*eps"),
    *("1/2", "ln(3)", "eps/2 + 1/8", "2*eps + ln(3)/1", "ln(9)/2"),
    *(
        "ln(1 + (exp(eps) - 1)/4)",
        "2*ln(1 + eps)",
        "ln(3) + ln(1 + exp(eps)) - ln(2)",
        "ln(1 + eps*exp(eps))",
    ),
)
DELTAS = (
    "0",
    "1/10",
    "1/4",
    "1/2",
    "exp(-eps)/8",
    "eps*exp(-eps)/4",
    "(1 - exp(-eps))/2",
    "1/8 + exp(-eps)/4",
)
INTERVALS = ("(0, inf)", "(0, inf)", "(0, 1]", "[1/2, 2]", "(1, inf)", "(0, 2)")
GRID = [fmpq(i, 7) for i in range(1, 12)] + [fmpq(i, 2) for i in (1, 2, 4, 6, 9, 14)] + [fmpq(1, 100)]
OUTPUTS = range(4)
SETS = list(chain.from_iterable(combinations(OUTPUTS, k) for k in range(5)))


@cache
def number(text: str, eps: fmpq) -> mpmath.mpf:
    names = {"eps": high(eps), "exp": mpmath.exp, "ln": mpmath.log, "__builtins__": {}}
    for small in ("1/10", "1/8", "3/4", "1/4", "1/6", "1/3", "1/2"):
        p, q = small.split("/")
        text = text.replace(small, f"({p}*one/{q})")
    return mpmath.mpf(eval(text, names | {"one": mpmath.mpf(1)}))


def excess(
    left: Sequence[str], right: Sequence[str], epsilon: str, delta: str, eps: fmpq
) -> dict[tuple[int, ...], mpmath.mpf]:
    """P(S) - exp(epsilon) Q(S) - delta for every set S."""
    p, q = ([number(text, eps) for text in table] for table in (left, right))
    factor, slack = mpmath.exp(number(epsilon, eps)), number(delta, eps)
    return {s: sum((p[o] - factor * q[o] for o in s), -slack) for s in SETS}


def table_of(texts: Sequence[str]) -> str:
    return "choose {" + ", ".join(f"{o}: {text}" for o, text in enumerate(texts)) + "}"


@fixed(many(120, campaign=2000))
@given(
    st.permutations(TABLES), st.sampled_from(EPSILONS), st.sampled_from(DELTAS), st.sampled_from(INTERVALS)
)
def test_all_sets_on_a_grid(tables: list[tuple[str, ...]], epsilon: str, delta: str, interval: str) -> None:
    left, right = tables[:2]
    claim = f"private {epsilon}, {delta} for eps in {interval}"
    verdict = dipc.load(
        f"input q in {{0, 1}}; output o in 0..3; adjacent all\n{claim}\n"
        f"if q = 0 then o <- {table_of(left)} else o <- {table_of(right)} end"
    ).check()
    budgets = verdict.goal.budgets
    pairs = ((left, right), (right, left))
    found = verdict.counterexample
    if found is None:
        assert verdict.status == "private", verdict
        for eps in (x for x in GRID if x in budgets):
            for pair in pairs:
                assert max(excess(*pair, epsilon, delta, eps).values()) < 1e-30, (eps, pair)
        return
    outputs = tuple(int(dict(outcome)["o"].p) for outcome in found.outputs)
    pair = pairs[int(dict(found.input)["q"].p)]
    gains = excess(*pair, epsilon, delta, found.epsilon)
    assert found.epsilon in budgets
    assert gains[outputs] > 0
    if delta != "0":
        assert abs(gains[outputs] - max(gains.values())) < 1e-30  # the worst set
    ends = {text for region in found.violated_for for text in region}
    for eps in (x for x in GRID if x in budgets and str(x) not in ends):
        broken = max(excess(*pair, epsilon, delta, eps).values()) > 1e-30
        assert broken == told(found.violated_for, eps), (eps, found.violated_for)


def told(regions: Sequence[tuple[str, str]], eps: fmpq) -> bool:
    """Whether a budget lies inside one of the intervals."""
    return any(end(low) < high(eps) < end(top) for low, top in regions)


def end(text: str) -> mpmath.mpf:
    """An end of an interval: a rational, or a decimal rounded to ten digits."""
    return mpmath.inf if text == "inf" else oracles.as_mpf(Fraction(text))


@pytest.mark.parametrize("count", [1, 3, 6])
def test_the_worst_set_may_be_any(count: int) -> None:
    """Each of n outputs gains d = exp(-eps)/20: the least delta at 0*eps is n d, of all of them together."""
    up = ", ".join(f"{o}: 1/10 + exp(-eps)/20" for o in range(count))
    level = ", ".join(f"{o}: 1/10" for o in range(count))
    rest = fmpq(1) - fmpq(count, 10)
    text = (
        f"input q in {{0, 1}}; output o in 0..{count}; adjacent all\n"
        f"if q = 0 then o <- choose {{{up}, {count}: {rest} - {count}*exp(-eps)/20}}\n"
        f"else o <- choose {{{level}, {count}: {rest}}} end"
    )
    mechanism = dipc.load(text)
    assert mechanism.check(f"0*eps, {count}*exp(-eps)/20").status == "private"
    verdict = mechanism.check(f"0*eps, {count}*exp(-eps)/20 - exp(-8*eps)/1000")
    assert verdict.counterexample is not None
    assert len(verdict.counterexample.outputs) in (count, 1)
    assert verdict.counterexample.violated_for == (("0", "inf"),)


@pytest.mark.parametrize("gap", [fmpq(1, 2**80), fmpq(-1, 2**80), fmpq(1, 2**40), fmpq(0)])
def test_roots_too_close_to_be_told_apart(gap: fmpq) -> None:
    """2 - e^eps and 2 + gap - e^eps change sign one after the other: every set in between is taken."""
    margins = [2 - ExpPoly.exp(1), 2 + gap - ExpPoly.exp(1)]
    sets = worst_sets(margins, EpsRange.positive())
    needed = {(), (0, 1)} | ({(0,)} if gap > 0 else {(1,)} if gap < 0 else set())
    assert needed <= set(sets)


@pytest.mark.parametrize("gap", [fmpq(1, 2**40), fmpq(1, 2**80), fmpq(1, 2**200), ExpPoly.exp(0, -150)])
def test_budgets_between_close_roots(gap: fmpq | ExpPoly) -> None:
    """One function is negative from ln 2 on, the other one until a little later: everywhere one of them."""
    later, earlier = 2 - ExpPoly.exp(1), ExpPoly.exp(2) - 4
    everywhere = violated_regions([later, earlier - gap], EpsRange.positive())
    if isinstance(gap, fmpq):  # else the roots are not told apart
        assert [(region.low, region.high) for region in everywhere] == [(0, None)]
    assert len(violated_regions([later, earlier], EpsRange.positive())) == 2
    assert len(violated_regions([later, earlier + gap], EpsRange.positive())) == 2


def test_equal_roots_of_many_margins_are_one() -> None:
    """More outputs than could be tried both ways: at their common root all change at once."""
    margins = [(ExpPoly.exp(1) - ExpPoly.exp(0, 0, 1)) * (k + ExpPoly.exp(1)) for k in range(1, 20)]
    assert worst_sets(margins, EpsRange.positive()) == [tuple(range(19)), ()]
    shifted = [(ExpPoly.exp(1) - 2) * k for k in range(1, 20)]
    assert worst_sets(shifted, EpsRange.positive()) == [tuple(range(19)), ()]


def test_what_is_more_looks_so() -> None:
    """P(u) = 1/2 exceeds its bound by 1.5e-14: both have as many digits as it takes to see it."""
    text = "input q in {0, 1}; output o in {0, 1} = 0; adjacent all; r <- Lap(eps/10^13, q)"
    verdict = dipc.load(f"{text}; if r >= 0 then o <- 1 end").check("0*eps, 1/3")
    assert isinstance(verdict, dipc.Violated)
    found = verdict.counterexample
    said = dict(lines(found.rows()))
    shown = [said[name].split()[0] for name in ("P(u)", "bound")]
    records = [record(found.rows())[name]["decimal"] for name in ("probability", "bound")]
    assert shown == records == ["0.500000000000000", "0.499999999999985"]
    assert "P(u) = 0.5, more than 0.499999999999985;" in str(found)


# --- the epsilon of a claim --------------------------------------------------------------------------

COIN = "input q in {0, 1}; output o in {0, 1}; adjacent all\no <- choose {q: 3/4, 1 - q: 1/4}\n"
NOISE = """input q in {0, 1}; output o in {0, 1}; adjacent all
r <- Lap(scale = 5/2, mean = q); o <- 0; if r > 1 then o <- 1 end
"""


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("ln(3) - eps", r"the claimed epsilon -eps \+ ln 3 is negative at eps = "),
        ("ln(1 - exp(eps))", r"ln\(1 - exp\(eps\)\) has no value: its argument is not positive at eps = "),
        ("2*ln(abs(eps - 1))", "must be built from numbers"),
        ("ln(1 + eps)/2", "takes a root of it"),
        ("ln(2)/2", "is not a rational number"),
        ("ln(z)", "must not depend on `z`"),
        ("eps*ln(2)", "must be a sum of multiples of eps, numbers and logarithms"),
    ],
)
def test_an_epsilon_that_cannot_be_claimed(claim: str, message: str) -> None:
    with pytest.raises(dipc.InputError, match=message):
        dipc.load(COIN).check(claim)


def test_a_logarithm_with_a_root_has_no_value_there() -> None:
    """ln((eps - 1)^2) is -inf at eps = 1, and its square root in the factor hides no sign."""
    with pytest.raises(dipc.InputError, match=r"is not positive near eps = 1|is negative"):
        dipc.load(COIN).check("ln((eps - 1)^2) + 100 for eps in (0, 2)")


def test_one_number_for_a_program_without_eps() -> None:
    """The least epsilon, its name, and claims on both sides of it."""
    found = dipc.load(COIN).budget()
    assert found.factor == 3 and "ln 3 = 1.0986" in str(found) and found.without_eps
    assert [dipc.load(COIN).check(c).status for c in ("ln(3)", "ln(299/100)")] == ["private", "violated"]
    found = dipc.load(NOISE).budget()
    assert "2/5" in str(found) and found.least.exact == fmpq(2, 5)
    assert [dipc.load(NOISE).check(c).status for c in ("2/5", "399/1000")] == ["private", "violated"]
    violated = dipc.load(NOISE).check("eps")
    assert violated.status == "violated" and violated.counterexample.epsilon < fmpq(2, 5)
    assert dipc.load(NOISE).check("eps for eps in [2/5, inf)").status == "private"
    for refused in (dipc.load(NOISE).explain, lambda: dipc.load(NOISE).prove("eps")):
        with pytest.raises(dipc.InputError, match=r"fixed|does not mention"):
            refused()
    with pytest.raises(dipc.InputError, match="the rate `5/2` does not mention `eps`"):
        dipc.load(NOISE.replace("o <- 0;", "o <- 0; s <- Lap(eps, q);"))


@pytest.mark.parametrize(
    "name", ["svt1", "svt4", "nmax1", "hist1", "sparse", "truncated_geometric", "rand1", "exponential"]
)
def test_fixed_rates_are_eps_one(name: str) -> None:
    """With 1 in the place of eps: the same distributions, losses and least epsilon as at eps = 1."""
    given = dipc.load(name).parameters
    smaller = {"N": 2} if "N" in given else {}
    text = describe(name).path.read_text(encoding="utf-8")
    text = re.sub(r"#.*", "", text)
    body = re.sub(r"^private.*$", "", text, flags=re.MULTILINE)
    scaled = dipc.load(re.sub(r"^private.*$", "private eps", text, flags=re.MULTILINE), **smaller)
    fixed_rates = dipc.load(re.sub(r"\beps\b", "1", body), **smaller)
    assert not fixed_rates.program.with_eps and fixed_rates.program.unit == ("Lap" in body or "Exp(" in body)
    for values in list(InputSpace(scaled.program))[:: 5 if smaller else 1]:
        named = dict(grouped(scaled.program.inputs, values))
        one, other = scaled.distribution(**named), fixed_rates.distribution(**named)
        assert {o: p.at_one() for o, p in one.items()} == dict(other.items())
    least, known = fixed_rates.budget().least, scaled.budget(at=1).least
    assert (least.low, least.high) == (known.low, known.high)


RANGES = (
    EpsRange.positive(),
    EpsRange.point(fmpq(1, 2)),
    EpsRange(fmpq(1, 4), fmpq(2), True, True),
    EpsRange(fmpq(0), fmpq(1)),
)


@pytest.mark.parametrize("seed", range(many(20, 1000)))
def test_signs_that_are_found_once_give_the_same_sets(seed: int) -> None:
    random = Random(seed)
    budgets = random.choice(RANGES)
    pool = [
        Quotient(ExpPoly.exp(-fmpq(k, 2)) * fmpq(random.randint(0, 8), 8) + fmpq(random.randint(0, 4), 8))
        / (1 + random.choice((ExpPoly(), ExpPoly.exp(-1))))
        for k in range(4)
    ]
    goal = Goal(budgets, Exponent(fmpq(random.randint(0, 3), 2)), Quotient.of(fmpq(1, 9)))
    judge = SignOracle(budgets)
    inequalities = PrivacyInequalities(goal, judge)
    for _ in range(5):
        left, right = (tuple(random.choice(pool) for _ in range(5)) for _ in range(2))
        margins = [judge.numerator(q * goal.factor - p) for p, q in zip(left, right, strict=True)]
        assert [outputs for outputs, _ in inequalities.slacks(left, right)] == worst_sets(margins, budgets)
