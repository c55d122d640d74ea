"""Functions with exp(b/eps): signs, roots and verdicts against 60-digit arithmetic on dense grids."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random

import mpmath
import pytest
from campaigns import some
from flint import fmpq
from numeric import high, value

import dipc
from dipc.numbers.exppoly import ExpPoly, Term
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Fails, Holds, Unclear, nonnegative
from dipc.signs.mixed import rootless_up_to
from dipc.signs.roots import Unsettled, positive_roots
from dipc.signs.tables import end_as_text, sign_table

HIST2 = Path(__file__).parent.parent.parent / "programs" / "histogram" / "hist2.dip"
EVERY = EpsRange.positive()
E, V, X = ExpPoly.exp(1), ExpPoly.exp(0, 0, 1), ExpPoly.of(1, 1)  # exp(eps), exp(1/eps), eps


def slow_signs(f: ExpPoly, low: int, top: int, count: int) -> list[tuple[mpmath.mpf, int]]:
    """Signs on ``count`` log-spaced points from 10^low to 10^top; 0 where 60 digits cannot tell."""
    result = []
    for i in range(count):
        eps = mpmath.mpf(10) ** (low + mpmath.mpf(top - low) * i / (count - 1))
        at_eps = value(f, eps)
        size = max(
            abs(value(ExpPoly.of(t.coefficient, t.power, t.rate, t.constant, t.inverse), eps))
            for t in f.terms()
        )
        result.append((eps, 0 if abs(at_eps) < size * mpmath.mpf(10) ** -45 else int(mpmath.sign(at_eps))))
    return result


def random_function(random: Random, constants: bool) -> ExpPoly:
    """Two to five terms with small exponents, biased to coefficients that cancel."""
    total = ExpPoly()
    for _ in range(random.randint(2, 5)):
        total = total + ExpPoly.of(
            fmpq(random.choice([-3, -2, -1, -1, 1, 1, 2, 5]), random.choice([1, 1, 2])),
            random.randint(-1, 2),
            fmpq(random.randint(-2, 2), random.choice([1, 2])),
            fmpq(random.choice([0, 0, 1, -1])) if constants else 0,
            fmpq(random.randint(-2, 2), random.choice([1, 2])),
        )
    return total


def agrees(f: ExpPoly) -> None:
    """The sign table of f has the signs of the twin on the grid."""
    cells = sign_table([f], EVERY)
    for eps, sign in slow_signs(f, -2, 2, 100):
        if not sign:
            continue
        for cell in cells:
            low = mpmath.mpf(end_as_text(cell.low, 30))
            top = mpmath.mpf(end_as_text(cell.high, 30))
            if low + mpmath.mpf(10) ** -25 < eps < top - mpmath.mpf(10) ** -25:
                assert cell.signs[0] == sign, (f, eps, cells)


@pytest.mark.parametrize("seed", some(range(90), 18))
def test_sign_tables_agree_with_sixty_digits(seed: int) -> None:
    random = Random(seed)
    f = random_function(random, constants=seed % 3 == 0)
    if seed % 2:
        f = f * random_function(random, constants=False)
    if not f:
        return
    with mpmath.workdps(60):
        agrees(f)


@pytest.mark.parametrize("seed", some(range(60), 12))
def test_no_root_up_to(seed: int) -> None:
    f = random_function(Random(1000 + seed), constants=seed % 2 == 0)
    if not f:
        return
    bound = rootless_up_to(f)
    with mpmath.workdps(60):
        signs = {
            int(mpmath.sign(value(f, high(bound) / mpmath.mpf(2) ** (mpmath.mpf(i) / 16)))) for i in range(80)
        }
    assert len(signs - {0}) == 1
    assert f.sign_at(bound) in signs


def test_signs_at_rational_points_are_exact() -> None:
    assert (E - V).sign_at(fmpq(1)) == 0
    assert (E - V).sign_at(fmpq(10**30 + 1, 10**30)) == 1
    assert (E * V - ExpPoly.exp(0, 2)).sign_at(fmpq(1)) == 0
    assert (ExpPoly.exp(0, fmpq(5, 2)) - E * V).sign_at(fmpq(2)) == 0
    assert (V - ExpPoly.exp(0, 3)).sign_at(fmpq(1, 3)) == 0


@pytest.mark.parametrize(
    ("f", "roots"),
    [
        (E - V, ["1"]),
        (E - ExpPoly.exp(0, 0, 2), ["1.4142135624"]),
        (ExpPoly.exp(1, 0, 2) - ExpPoly.exp(0, 3), ["1", "2"]),  # eps + 2/eps = 3
        (ExpPoly.exp(1, 0, 1) - ExpPoly.exp(0, fmpq(19, 10)), []),  # eps + 1/eps >= 2
        (V - 2, ["1.4426950409"]),  # 1/ln 2
        (V - 1 - X, ["1.2399778877"]),
        ((X * X - 2) * (E - ExpPoly.exp(0, 0, 2)), ["1.4142135624"]),  # one root of two factors
        ((X - 1) * (E - V) * (V - ExpPoly.exp(0, 1)), ["1"]),
        (E + V - ExpPoly.exp(0, 1) * 2, ["1"]),  # touches 0
        (E + V + 1, []),
        (E - ExpPoly.exp(0, 1) * X, ["1"]),  # exp(eps) >= e*eps
        (X * ExpPoly.exp(0, 0, 2) - ExpPoly.exp(0, 1) * 2, ["2"]),
    ],
)
def test_roots(f: ExpPoly, roots: list[str]) -> None:
    cells = sign_table([f], EVERY)
    assert [end_as_text(cell.high) for cell in cells[:-1]] == roots
    with mpmath.workdps(60):
        for root in positive_roots(f, fmpq(0), None):
            root.refine_to(fmpq(1, 10**25))
            assert abs(value(f, high(root.low))) < mpmath.mpf(10) ** -22


@pytest.mark.parametrize(
    "f",
    [
        (E - V) ** 2,
        (E - ExpPoly.exp(0, 0, 2)) ** 2,
        E + V - ExpPoly.exp(0, 1) * 2,
        (E + V - ExpPoly.exp(0, 1) * 2) * (E - V) ** 2 * (V - 1),
        (X * X - 2) * (E - ExpPoly.exp(0, 0, 2)),
        E - ExpPoly.exp(0, 1) * X,
        X * ExpPoly.exp(0, 0, 2) - ExpPoly.exp(0, 1) * 2,
        V - 1 - ExpPoly.of(1, -1),  # exp(x) >= 1 + x
        V * E - 1 - ExpPoly.of(1, -1) - X,
    ],
)
def test_touching_is_no_violation(f: ExpPoly) -> None:
    assert isinstance(nonnegative(f, EVERY), Holds)
    less = nonnegative(f - ExpPoly.of(fmpq(1, 10**12), 0, -1, 0, -1), EVERY)
    assert isinstance(less, Fails) or f in (V - 1 - ExpPoly.of(1, -1), V * E - 1 - ExpPoly.of(1, -1) - X)
    assert isinstance(nonnegative(-f, EVERY), Fails)


def test_a_double_root_that_is_not_rational_stays_open() -> None:
    """exp(t) - 1 - t with t = eps - 2/eps touches 0 at the square root of 2."""
    f = ExpPoly.exp(1, 0, -2) - 1 - X + ExpPoly.of(2, -1)
    answer = nonnegative(f, EVERY)
    assert isinstance(answer, Unclear)
    assert answer.low**2 < 2 < answer.high**2
    assert answer.high - answer.low < fmpq(1, 2**38)
    assert isinstance(nonnegative(f, EpsRange(fmpq(3, 2), None)), Holds)
    assert isinstance(nonnegative(f, EpsRange(fmpq(0), fmpq(7, 5))), Holds)
    with pytest.raises(Unsettled):
        sign_table([f], EVERY)
    # A violation elsewhere is still found, however small its region.
    assert isinstance(nonnegative(f * (X - 5), EVERY), Fails)
    dent = (X - 5) ** 2 - fmpq(1, 10**12)
    assert isinstance(nonnegative(f * dent, EpsRange(fmpq(1), fmpq(8))), Fails)


def test_a_dent_between_the_probes() -> None:
    """Functions of 1/eps alone: negative between 1/ln 8 and 1/ln 5 only."""
    dent = (V - 5) * (V - 8)
    assert isinstance(nonnegative(dent, EVERY), Fails)
    assert isinstance(nonnegative(dent, EpsRange(fmpq(0), fmpq(48, 100))), Holds)
    assert isinstance(nonnegative(dent, EpsRange(fmpq(0), fmpq(49, 100))), Fails)
    assert isinstance(nonnegative(dent, EpsRange(fmpq(63, 100), None)), Holds)
    assert isinstance(nonnegative(dent, EpsRange(fmpq(61, 100), fmpq(63, 100))), Fails)


def test_terms_survive_the_round_trip() -> None:
    f = ExpPoly.from_terms(
        [Term(fmpq(2), -3, fmpq(1, 2), fmpq(1), fmpq(-3, 4)), Term(fmpq(1), 0, *[fmpq(0)] * 3)]
    )
    assert f.at_inverse().at_inverse() == f
    assert str(f) == "2*eps^-3*exp(1/2*eps + 1 - 3/(4*eps)) + 1"


@pytest.mark.parametrize("n", [1, 2])
def test_hist2(n: int) -> None:
    mechanism = dipc.load(HIST2, N=n)
    verdict = mechanism.check()
    found = verdict.counterexample
    assert found is not None
    assert found.violated_for == (("0", "1"),)
    assert found.epsilon == fmpq(1, 2)
    if n == 1:
        assert found.input == (("q", (fmpq(-1),)),)
        assert found.neighbour == (("q", (fmpq(0),)),)
        assert found.outputs == ((("out", (fmpq(-1),)),),)
    assert mechanism.check(at="9/34").status == "violated"
    assert mechanism.check(at="1").status == "private"
    assert mechanism.check("eps for eps in [1, inf)").status == "private"
    assert mechanism.check("eps for eps in [1/2, inf)").status == "violated"
    assert mechanism.check("eps for eps in [999/1000, inf)").status == "violated"
    assert mechanism.check("eps/2 for eps in [3/2, inf)").status == "private"
    assert mechanism.check("eps/2 for eps in (7/5, 3]").counterexample.violated_for == (
        ("7/5", "1.4142135623"),
    )
    # The total variation: an equality.
    assert mechanism.check("0*eps, (1 - exp(-1/eps))/2").status == "private"
    assert mechanism.check("0*eps, (1 - exp(-9/(10*eps)))/2").status == "violated"


@pytest.mark.parametrize("delta", some(["1/20", "1/5", "exp(-1/eps)", "exp(-eps)", "eps/(1+eps)/2"], 3))
def test_mixed_claims_with_delta_against_the_grid(delta: str) -> None:
    """The exact delta at eps = sum of the positive excesses, at 60 digits, for all pairs on a grid."""
    text = """
        input q[2] in {0, 1};  output out[2] in {0, 1};  adjacent all
        r <- Lap(eps, q[1]);  s <- Lap(1/eps, q[2])
        if r <= 0 then out[1] <- 0 else out[1] <- 1 end
        if s <= 0 then out[2] <- 0 else out[2] <- 1 end
    """
    verdict = dipc.load(text).check(f"eps, {delta}")
    formula = delta.replace("exp", "mpmath.exp")
    broken = []
    with mpmath.workdps(60):
        for i in range(200):
            eps = mpmath.mpf(10) ** (mpmath.mpf(i) / 50 - 2)
            one = [mpmath.mpf(1) / 2, mpmath.exp(-eps) / 2]
            two = [mpmath.mpf(1) / 2, mpmath.exp(-1 / eps) / 2]
            laws = [
                [p * q for p, q in product((one[a], 1 - one[a]), (two[b], 1 - two[b]))]
                for a, b in product((0, 1), repeat=2)
            ]
            worst = max(
                sum(max(p - mpmath.exp(eps) * q, 0) for p, q in zip(*pair, strict=True))
                for pair in product(laws, repeat=2)
            )
            if worst > eval(formula, {"mpmath": mpmath, "eps": eps}) + mpmath.mpf(10) ** -50:
                broken.append(eps)
    assert verdict.status == ("violated" if broken else "private")
    if verdict.counterexample is not None and verdict.counterexample.violated_for:
        regions = [tuple(map(mpmath.mpf, region)) for region in verdict.counterexample.violated_for]
        for low, top in regions:
            for eps in (low * mpmath.mpf("1.001"), top * mpmath.mpf("0.999")):
                if low < eps < top and mpmath.mpf("0.01") < eps < 95:
                    assert any(abs(eps / other - 1) < mpmath.mpf("0.06") for other in broken)


def test_growing_noise_is_pointed_out() -> None:
    """Once for each place, however often it is unrolled, with the form that is nearly always meant."""
    assert dipc.load(HIST2, N=3).warnings[0].splitlines()[1:] == [
        "      noisy <- Lap(1/eps, q[i])",
        "                   ^^^^^",
        "    help: the first argument is the rate, 1/scale: for scale 1/eps write Lap(eps, q[i]),",
        "          which is the same as Lap(scale = 1/eps, mean = q[i])",
    ]
    assert len(dipc.load(HIST2, N=3).warnings) == 1
    assert dipc.load(HIST2.parent / "hist1.dip").warnings == ()
    scale = dipc.load("output o in {0, 1}; r <- DLap(scale = 2*eps/3, mean = 0); o <- min(max(r, 0), 1)")
    assert "its rate is 3/(2*eps), its scale 2*eps/3" in scale.warnings[0]
    assert "write DLap(2*eps/3, 0)" in scale.warnings[0]
    exponential = dipc.load("output o in {0, 1}; o <- Exp(1/eps, v in {0, 1}, v)")
    assert "falls with eps" in exponential.warnings[0]
