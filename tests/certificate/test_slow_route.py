"""The slow route refuses every name, kind, arity, comparison and loop that it does not define.

The programs are refused by dipc's front end, too; here only its parser has seen them.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from dipc.dipwhile.rederive.draws import check_draws, samples, surely
from dipc.dipwhile.rederive.functions import EPS, ONE, Mass, NotCovered, constant, exponential, same
from dipc.dipwhile.rederive.loops import Moves, exits
from dipc.dipwhile.rederive.noise import Sample, measure
from dipc.dipwhile.rederive.programs import Inputs, adjacent, distribution
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.parser import parse
from dipc.errors import Source
from dipc.kernel.facts import ZERO, Interval, add
from dipc.kernel.reading import Refused

HEAD = "input q in {0, 1}; output o in {0, 1} = 0\n"
MEANINGLESS = [
    "if eps = 1 then o <- q else o <- 0 end",
    "if eps < 1 then o <- q else o <- 0 end",
    "if exp(-eps) != 1 then o <- q else o <- 0 end",
    "o <- clamp(q, 0, 1)",
    "o <- round(q, 0)",
    "o <- floor(0, q)",
    "o <- mod(q)",
    "o <- mod(q, 0)",
    "o <- abs(q, q)",
    "o <- argmax(q)",
    "o <- argmax(q, 1)",
    "o <- sqrt(q)",
    "o <- count(q)",
    "o <- sum(i in 1..2: q')",
    "o <- q'",
    "if q = q' then o <- q end",
    "o <- queue",
    "if q = half then o <- 1 end",
    "for q in 1..2 do o <- 0 end",
    "o[2] <- q",
    "o[1] <- q; o <- q",
    "a[1] <- DLap(eps, q); b[1] <- DLap(eps, 0); if a = b then o <- 1 end",
    "a[1] <- DLap(eps, q); if a = 0 then o <- 1 end",
    "o <- forall i in 1..2: q",
    "if count(i in 1..2: q) = 2 then o <- 1 end",
    "o <- 1/q",
    "o <- q and 1",
    "o <- q + 5; o <- 0",
    "x <- 0; y <- x^(-1); o <- 0",
    "x <- 2; y <- x^20000; o <- 0",
    "z <- 1; y <- uniform z..0; o <- 0",
    "z <- 1; y <- Exp(eps, r in z..0, q); o <- 0",
    "y <- Exp(-eps, r in {0, 1}, q); o <- 0",
    "x <- Lap(eps, 0); y <- Exp(1, r in {0, 1}, q); o <- 0",
    "z <- 0; y <- Exp(z*eps, r in {0, 1}, q); o <- 0",
    "z <- 0; y <- choose {0: z, 1: z}; o <- 0",
    "x <- Lap(eps, q); y <- choose {x: 1/2, 0: 1/2}; o <- 0",
    "x <- DLap(eps, 1/2); if x = 0 then o <- q else o <- 0 end",
    "z <- q/2; x <- DLap(eps, z); o <- 0",
    "x[1] <- 1; x[3] <- 1; y <- sum(x); o <- 0",
]


@pytest.mark.parametrize("body", MEANINGLESS)
def test_what_has_no_meaning_is_not_covered(body: str) -> None:
    program = parse(Source("p.dip", HEAD + body))
    with pytest.raises(NotCovered):
        for q in (0, 1):
            distribution(program, {"q": Fraction(q)}, {})


@pytest.mark.parametrize(
    "formula",
    [
        "q = q' or eps = 1",
        "q = r",
        "abs(q - q', 1) <= 1",
        "near(q, q')",
        "q - q'",
        "(exists i in 1..2: q) or true",
    ],
)
def test_adjacency_without_a_meaning(formula: str) -> None:
    program = parse(Source("p.dip", f"{HEAD}adjacent {formula}\no <- 0"))
    u: Inputs = {"q": Fraction(0)}
    with pytest.raises(NotCovered):
        adjacent(program, u, {"q": Fraction(1)}, {})


def test_counting() -> None:
    program = parse(Source("p.dip", "output o in 0..3\no <- count(1 < 2, 2 < 1, true)"))
    assert list(distribution(program, {}, {})) == [(Fraction(2),)]


def test_noise_of_an_unknown_kind() -> None:
    """A distribution that is new in the front end is not taken for one that the slow route knows."""
    program = parse(Source("p.dip", HEAD + "x <- Lap(eps, q); if x > 1 then o <- 1 end"))
    draw, *rest = program.body
    assert isinstance(draw, ast.Assign)
    assert isinstance(draw.value, ast.Noise)
    other = replace(draw, value=replace(draw.value, kind="Gauss"))
    with pytest.raises(NotCovered, match="noise of the kind Gauss"):
        distribution(replace(program, body=(other, *rest)), {"q": Fraction(0)}, {})


def test_integers_and_reals_do_not_mix() -> None:
    samples = [Sample("DLap", Fraction(1)), Sample("Lap", Fraction(1))]
    with pytest.raises(NotCovered, match="integer noise compared with real noise"):
        measure([(1, 1, 0)], samples)
    apart = measure([(1, 0, -1), (0, 1, -1)], samples).pair()
    tails = [measure([(1, -1)], [sample]) for sample in samples]
    assert same(apart, tails[0].times(tails[1]).pair())


# --- loops that are not solved; `tests/laws` judges the others --------------------------------------

E = exponential(Fraction(1))
UP, DOWN = Mass(E).over(add(constant(1), E)), Mass().over(add(constant(1), E))


def number(value: Fraction) -> Mass:
    return Mass(constant(value))


def test_a_loop_without_end_is_not_covered() -> None:
    for moves in ({0: Mass()}, {0: UP, 1: Mass(add(E, constant(-2)))}):
        with pytest.raises(NotCovered, match="not shown that it ends"):
            exits(0, lambda s, moves=moves: moves if s == 0 else None)  # type: ignore[misc]


def test_every_state_must_leave_its_component() -> None:
    """From 0 a run leaves, or goes to 1; but whether it comes back from there depends on the budget."""
    half, perhaps = number(Fraction(1, 2)), Mass(add(E, constant(-2)))
    chain: dict[int, Moves[int]] = {0: {1: half, 2: half}, 1: {0: perhaps, 1: Mass(add(constant(3), E))}}
    with pytest.raises(NotCovered, match="not shown that it ends"):
        exits(0, chain.get)


def test_a_chain_that_grows_is_not_covered() -> None:
    with pytest.raises(NotCovered, match="states"):
        exits(0, lambda s: {s + 1: Mass()})


# --- draws ------------------------------------------------------------------------------------------------

UNIT = constant(1)
LESS = add(UNIT, {EPS: Fraction(-1)})  # 1 - eps


def up_to(high: int) -> Interval:
    return Interval(ZERO, Fraction(high), False, True)


def test_draws() -> None:
    halves = (({EPS: ONE}, UNIT), (LESS, UNIT))
    check_draws([halves], up_to(1))
    with pytest.raises(Refused, match=r"^deep: draws: a probability is negative: \(1 \+ -1\*eps\) / \(1\)"):
        check_draws([halves], Interval(ZERO, None, False, False))
    assert surely(LESS, up_to(1), False)
    assert not surely(LESS, up_to(1), True)
    assert not surely(LESS, up_to(2), False)
    first = samples(Interval(ONE, Fraction(3, 2), True, False))[:3]
    assert first == [ONE, Fraction(129, 128), Fraction(65, 64)]
