"""The oracle against closed forms.  `tests/laws` compares it with the exact engine, as the reference is."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import mpmath
import oracles
import pytest
from campaigns import spread
from oracles import Distribution, InputValue

from dipc.certificate.slow.functions import ONE, NotCovered, constant, exponential, product, same
from dipc.certificate.slow.noise import Sample
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.parser import parse
from dipc.errors import Source
from dipc.kernel.facts import ZERO, Function, add, multiply

PROGRAMS = Path(__file__).parent.parent / "programs"


def shipped(name: str) -> ast.Program:
    return parse(Source(name, (PROGRAMS / name).read_text()))


def written(text: str) -> ast.Program:
    return parse(Source("test.dip", text))


def numbers(*values: int) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, values))


def exponentials(terms: Mapping[tuple[int, str], str]) -> Function:
    """``{(n, a): c}`` for the sum of c eps^n exp(a eps)."""
    return {(n, Fraction(a), ZERO, ZERO): Fraction(c) for (n, a), c in terms.items()}


def assert_total_one(law: Distribution) -> None:
    assert same(oracles.total_of(law.values()), (constant(1), constant(1)))


# --- closed forms ----------------------------------------------------------------------------------


def test_the_two_probabilities_of_svt1_in_the_paper() -> None:
    """With 24 e^(3/4) - 21 e^(1/2) + ...: the paper prints +21, whose value at eps = 0 exceeds 1."""
    svt1 = shipped("svt/svt1.dip")
    wanted = (("out", ("bot", "top")),)
    first = oracles.oracle_distribution(svt1, {"q": numbers(0, 1)}, {"N": 2})[wanted]
    top = exponentials({(0, "3/4"): "24", (0, "1/2"): "-21", (0, "1/4"): "8", (0, "0"): "-1"})
    assert same(first, (top, exponentials({(0, "3/4"): "48"})))
    second = oracles.oracle_distribution(svt1, {"q": numbers(1, 1)}, {"N": 2})[wanted]
    top = exponentials({(0, "1/4"): "32", (0, "0"): "-22", (1, "0"): "-3"})
    assert same(second, (top, exponentials({(0, "1/2"): "48"})))


@pytest.mark.parametrize("a", ["1", "1/2", "3"])
@pytest.mark.parametrize("b", ["1", "2/3"])
@pytest.mark.parametrize("shift", [0, 1, 2])
def test_one_laplace_variable_exceeds_another(a: str, b: str, shift: int) -> None:
    """P(X - Y > d) is (b^2 e^(-a d) - a^2 e^(-b d)) / (2 (b^2 - a^2)), or (2 + a d) e^(-a d)/4 if a = b."""
    x, y = Fraction(a), Fraction(b)
    found = oracles.real_measure([(1, -1, -shift)], [Sample("Lap", x), Sample("Lap", y)])
    if x == y:
        linear = {(1, -x * shift, ZERO, ZERO): x * shift / 4} if shift else {}
        wanted = add(exponential(-x * shift, Fraction(1, 2)), linear)
    else:
        scale = 2 * (y * y - x * x)
        wanted = add(exponential(-x * shift, y * y / scale), exponential(-y * shift, -x * x / scale))
    assert found == wanted


def test_exponential_noise() -> None:
    x, y = Sample("LapPlus", Fraction(2)), Sample("LapPlus", ONE)
    assert oracles.real_measure([(1, -1, 0)], [x, y]) == constant(Fraction(1, 3))  # P(X >= Y) = b/(a + b)
    assert oracles.real_measure([(-1, 0)], [x]) == {}  # X <= 0
    assert oracles.real_measure([(1, 1, 0)], [x, y]) == constant(1)


def test_a_sum_of_equal_exponentials_is_a_gamma_variable() -> None:
    """P(X + Y + Z >= d) = (1 + d + d^2/2) e^-d for rate 1 (in units of 1/eps)."""
    found = oracles.real_measure([(1, 1, 1, -2)], [Sample("LapPlus", ONE)] * 3)
    assert found == exponentials({(0, "-2"): "1", (1, "-2"): "2", (2, "-2"): "2"})


def test_all_orders_of_equal_samples_are_equally_likely() -> None:
    samples = [Sample("Lap", ONE)] * 4
    chain = [(1, -1, 0, 0, 0), (0, 1, -1, 0, 0), (0, 0, 1, -1, 0)]
    assert oracles.real_measure(chain, samples) == constant(Fraction(1, 24))


def test_the_cyclic_system_of_three_differences() -> None:
    """|X - Y| <= 1, |Y - Z| <= 1, |Z - X| <= 1 at eps = 1 against numerical integration (dblquad, mpmath)."""
    rows = [r for i, j in ((0, 1), (1, 2), (2, 0)) for r in window(i, j)]
    found = oracles.evaluate((oracles.real_measure(rows, [Sample("Lap", ONE)] * 3), constant(1)), ONE)

    def inner(x: mpmath.mpf) -> mpmath.mpf:
        """P(all within [x, x + 1] and the least is at x) by the distribution function."""
        mass = cumulative(x + 1) - cumulative(x)
        return 3 * mpmath.exp(-abs(x)) / 2 * mass**2

    wanted = mpmath.quad(inner, [-40, -1, 0, 40])
    assert abs(found - wanted) < mpmath.mpf(10) ** -12


def window(i: int, j: int) -> list[tuple[int, ...]]:
    difference = [(k == i) - (k == j) for k in range(3)]
    return [(*difference, 1), (*(-c for c in difference), 1)]


def cumulative(x: mpmath.mpf) -> mpmath.mpf:
    return mpmath.exp(x) / 2 if x < 0 else 1 - mpmath.exp(-x) / 2


def test_randomized_response() -> None:
    law = oracles.oracle_distribution(
        shipped("randomized_response/rand1.dip"), {"q": ("true", "false")}, {"N": 2}
    )
    e = exponentials({(0, "1"): "1"})
    square = product([add(constant(1), e)] * 2)
    assert same(law[(("out", ("true", "false")),)], (multiply(e, e), square))


def test_paths_with_different_denominators() -> None:
    """(1/(1 + e^eps) + 1/(2 + e^eps)) / 2 = (3 + 2 e^eps) / (2 (1 + e^eps) (2 + e^eps))."""
    program = written("""output o in {true, false}
        b <- flip(1/2)
        if b then o <- flip(1/(1 + exp(eps))) else o <- flip(1/(2 + exp(eps))) end""")
    law = oracles.oracle_distribution(program, {})
    e = exponentials({(0, "1"): "1"})
    bottom = product([constant(2), add(constant(1), e), add(constant(2), e)])
    top = exponentials({(0, "0"): "3", (0, "1"): "2"})
    assert same(law[(("o", "true"),)], (top, bottom))


def test_exit_from_a_loop_ends_the_program() -> None:
    """A round ends the program with 1/2, and the loop only with 1/4: 2/3 and 1/3 in the end."""
    law = oracles.oracle_distribution(
        written("""output o in {0, 1}
        o <- 0
        go <- true
        while go do
          done <- flip(1/2)
          if done then exit end
          go <- flip(1/2)
        end
        o <- 1"""),
        {},
    )
    found = {outcome[0][1]: p for outcome, p in law.items()}
    assert same(found[Fraction(0)], (constant(2), constant(3)))
    assert same(found[Fraction(1)], (constant(1), constant(3)))


def test_exponential_mechanism() -> None:
    program = written("output o in {0, 1, 2}\no <- Exp(eps/2, v in {0, 1, 2}, v - 1)")
    law = oracles.oracle_distribution(program, {})
    wanted = exponentials({(0, "0"): "1", (0, "1/2"): "1", (0, "1"): "1"})
    assert same(law[(("o", Fraction(2)),)], (exponentials({(0, "1"): "1"}), wanted))


def test_values_near_zero_keep_their_digits() -> None:
    """1 - e^-x - x + x^2/2 is x^3/6 - ... : at 1e-12 the terms cancel to 37 digits."""
    f = exponentials({(0, "0"): "1", (0, "-1"): "-1", (1, "0"): "-1", (2, "0"): "1/2"})
    x = Fraction(1, 10**12)
    with mpmath.workdps(60):
        wanted = mpmath.mpf(10) ** -36 / 6 - mpmath.mpf(10) ** -48 / 24 + mpmath.mpf(10) ** -60 / 120
        assert abs(oracles.evaluate_exppoly(f, x) / wanted - 1) < mpmath.mpf(10) ** -30


# --- the interpreter -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("o <- 7/2 - 1/2", 3),
        ("o <- 1; if 1 < 0 then o <- 2 elif 2 > 1 then o <- 3 else o <- 4 end", 3),
        ("o <- 0; for i in 1..3 do o <- o + i end", 6),
        ("o <- 0; while o < 5 do o <- o + 2 end", 6),
        ("o <- 1; if true then exit end; o <- 2", 1),
        ("a[1] <- 4; a[2] <- 9; a[3] <- 9; o <- argmax(a)", 2),
        ("a[1] <- 4; a[2] <- 1; o <- sum(a) + min(a) - max(a) + abs(-2)", 4),
        ("o <- disc(1/2, 0, 1, 5)", 1),
        ("o <- disc(0, 0, 1, 5)", 0),
        ("o <- disc(7, 0, 1, 5)", 5),
        ("o <- count(i in 1..4: i > 2) + sum(i in 1..3: i^2)", 16),
        (
            "if (forall i in 1..3: i < 4) and not exists i in 1..3: i > 3 then o <- 1 else o <- 2 end",
            1,
        ),
        ("o <- floor(5/2) + ceil(5/2) + mod(7, 4)", 8),
    ],
)
def test_deterministic_programs(body: str, wanted: int) -> None:
    program = written(f"output o in 0..20 = 0\n{body}")
    outcome = (("o", Fraction(wanted)),)
    assert oracles.oracle_distribution(program, {}) == {outcome: (constant(1), constant(1))}


def test_refuses_what_it_cannot_do() -> None:
    for body in (
        "o <- x; x <- 1",
        "o <- 5",
        "o <- 0; while true do o <- 1 end",
        "if eps > 1 then o <- 1 end",
    ):
        with pytest.raises(NotCovered):
            oracles.oracle_distribution(written(f"output o in {{0, 1}}\n{body}"), {})


# --- privacy on a grid -----------------------------------------------------------------------------

VERDICTS = [
    ("svt/svt1.dip", 2, False),
    ("svt/svt2.dip", 2, False),
    ("svt/svt3.dip", 3, True),
    ("svt/svt3_quarter.dip", 2, False),
    ("svt/svt4.dip", 2, True),
    ("svt/svt4.dip", 1, False),
    ("svt/svt5.dip", 2, True),
    ("svt/svt6.dip", 3, True),
    ("svt/svt6.dip", 2, False),
    ("svt/sparse.dip", 3, False),
    ("noisy_max/nmax1.dip", 3, False),
    ("noisy_max/nmax2.dip", 3, False),
    ("noisy_max/nmax3.dip", 3, True),
    ("noisy_max/nmax3.dip", 2, False),
    ("noisy_max/nmax4.dip", 1, True),
    ("histogram/hist1.dip", 2, False),
    ("randomized_response/rand1.dip", 2, False),
    ("randomized_response/rand2.dip", 1, True),
]


@pytest.mark.parametrize(("name", "size", "violated"), spread(VERDICTS, 8))
def test_verdicts_of_the_shipped_programs(name: str, size: int, violated: bool) -> None:
    program = shipped(name)
    points = (Fraction(1, 10), Fraction(1, 2), Fraction(3), Fraction(12))
    grid = [x for x in points if oracles.in_interval(program, x)]
    breach = oracles.numeric_privacy_violation(program, grid, overrides={"N": size})
    assert (breach is not None) == violated


def test_sparse_needs_its_delta() -> None:
    """At eps = 14 the least delta lies between exp(-2.125) and exp(-2), for the pair of the design note."""
    text = (PROGRAMS / "svt/sparse.dip").read_text()
    tighter = written(text.replace("exp(-2)\n", "exp(-17/8)\n"))
    assert oracles.numeric_privacy_violation(shipped("svt/sparse.dip"), [Fraction(14)]) is None
    breach = oracles.numeric_privacy_violation(tighter, [Fraction(14)])
    assert breach is not None
    assert breach.outputs == {(("out", ("bot", "bot", "top")),)}
    assert breach.input == {"q": numbers(0, 0, 1)}
    assert breach.neighbour == {"q": numbers(1, 1, 0)}


@pytest.mark.parametrize(
    ("kind", "v", "wanted"),
    [
        ("linf 1", (1, 1), True),
        ("linf 1", (2, 0), False),
        ("l1 1", (1, 1), False),
        ("l1 1", (1, 0), True),
        ("hamming 1", (2, 0), True),
        ("hamming 1", (1, 1), False),
        ("all", (2, 2), True),
        ("forall i in 1..2: q[i] <= q'[i]", (1, 2), True),
        ("q[1] > q'[1]", (1, 2), True),
        ("q[1] = q'[1] + 5", (1, 2), False),
    ],
)
def test_adjacency(kind: str, v: tuple[InputValue, ...], wanted: bool) -> None:
    program = written(f"input q[2] in 0..2\noutput o in {{1}}\nadjacent {kind}\no <- 1")
    u, w = {"q": numbers(0, 0)}, {"q": numbers(*v)}  # type: ignore[arg-type]
    assert oracles.adjacent(program, u, w) is wanted
    assert oracles.adjacent(program, w, u) is wanted
