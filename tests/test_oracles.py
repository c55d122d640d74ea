"""The oracle against the reference.  `tests/laws` compares it with the exact engine, as the reference is."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import mpmath
import oracles
import pytest
from agreement import differ, number_at, world
from exact_integrals import Sum, number
from flint import fmpq
from oracles import InputValue
from reference import law_of

from dipc.dipwhile.rederive import programs as slow
from dipc.dipwhile.rederive.functions import NotCovered, Pair, constant, same
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.compile import read
from dipc.dipwhile.syntax.parser import parse
from dipc.errors import Source
from dipc.kernel.facts import ZERO, Function

PROGRAMS = Path(__file__).parent.parent / "programs"
EPS = Fraction(3, 4)


def shipped(name: str) -> ast.Program:
    return parse(Source(name, (PROGRAMS / name).read_text()))


def written(text: str) -> ast.Program:
    return parse(Source("test.dip", text))


def numbers(*values: int) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, values))


def exponentials(terms: Mapping[tuple[int, str], str]) -> Function:
    """``{(n, a): c}`` for the sum of c eps^n exp(a eps)."""
    return {(n, Fraction(a), ZERO, ZERO): Fraction(c) for (n, a), c in terms.items()}


# --- laws ------------------------------------------------------------------------------------------


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


TEXTS = [
    *(
        f"output o in {{true, false}}; x <- Lap(eps, 0); y <- {kind}({rate}, 0); o <- x - y > 1"
        for kind in ("Lap", "LapPlus")
        for rate in ("eps", "3*eps", "2*eps/3")
    ),
    "output o in {true, false}; x <- LapPlus(2*eps, 0); o <- x <= 0",
    """output o in {true, false}
    x <- LapPlus(eps, 0); y <- LapPlus(eps, 0); z <- LapPlus(eps, 0); o <- x + y + z >= 2""",
    """output o in {true, false}
    w <- Lap(eps, 0); x <- Lap(eps, 0); y <- Lap(eps, 0); z <- Lap(eps, 0)
    o <- w > x and x > y and y > z""",
    """output o in {true, false}
    x <- Lap(eps, 0); y <- Lap(eps, 0); z <- Lap(eps, 0)
    o <- abs(x - y) <= 1 and abs(y - z) <= 1 and abs(z - x) <= 1""",
    "output o in -1..2; x <- DLap(eps, 1); y <- DLap(eps/2, 0); o <- min(max(x - y, -1), 2)",
    """output o in {true, false}
    b <- flip(1/2)
    if b then o <- flip(1/(1 + exp(eps))) else o <- flip(1/(2 + exp(eps))) end""",
    """output o in {0, 1}
    o <- 0
    go <- true
    while go do
      done <- flip(1/2)
      if done then exit end
      go <- flip(1/2)
    end
    o <- 1""",
    "output o in {0, 1, 2}; o <- Exp(eps/2, v in {0, 1, 2}, v - 1)",
    "output o in {0, 1} = 0; x <- Lap(1/eps, 1); if x > 0 then o <- 1 end",
]


@pytest.mark.parametrize("text", TEXTS)
def test_the_law_is_that_of_the_reference(text: str) -> None:
    """Noise of every kind, choices and a loop, at one eps."""
    law = slow.distribution(written(text), {}, {})
    found = {("ended", tuple(map(of_reference, o))): at_eps(p) for o, p in law.items()}
    assert not differ(found, law_of(world(read(Source("test.dip", text)), fmpq(3, 4)), {}))


def of_reference(value: Fraction | str) -> Sum | str:
    """A value of an output as the reference has it."""
    return value if isinstance(value, str) else number(value)


def at_eps(p: Pair) -> Sum:
    """A probability of the oracle as a number of the reference."""
    above, below = ([(c, *powers) for powers, c in f.items()] for f in p)
    return number_at(above, EPS) / number_at(below, EPS)


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
    ("svt/svt3.dip", 3, True),
    ("svt/svt4.dip", 2, True),
    ("svt/svt4.dip", 1, False),
    ("noisy_max/nmax3.dip", 2, False),
    ("randomized_response/rand2.dip", 1, True),
]


@pytest.mark.parametrize(("name", "size", "violated"), VERDICTS)
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
