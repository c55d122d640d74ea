"""Parts of programs as linear maps: the laws of all inputs, explored together, against the reference."""

from __future__ import annotations

from random import Random

import pytest
from agreement import at, differ, world
from campaigns import many
from flint import fmpq
from reference import law_of, value_of

import dipc
from dipc.dipwhile.semantics.adjacency import InputSpace
from dipc.dipwhile.semantics.explore import Explorer
from dipc.dipwhile.syntax.compile import read
from dipc.dipwhile.syntax.core import CoreProgram
from dipc.errors import Source

EPS = fmpq(2, 3)
DRAWS = (
    "choose {q[i]: 1/2, 0: 1/3, 2: 1/6}",
    "uniform {0, 1, q[i]}",
    "choose {mod(x + q[i], 3): 3/4, x: 1/4}",
    "choose {q[i]: 1/(1 + exp(-eps)), 0: exp(-eps)/(1 + exp(-eps))}",
)
STEPS = (
    "x <- min(x + y, 3)",
    "if y > x then x <- y; n <- 1 elif y = x then n <- n + 1; c <- flip(1/n); if c then x <- 0 end end",
    "y <- 0; while y = 0 do y <- choose {0: 1/3, 1: 1/3, x: 1/3} end; x <- mod(x + y, 4)",
    "if x = 3 then exit end",
)


def program(seed: int) -> CoreProgram:
    """Two cells, read one after the other; three of four programs draw without eps."""
    rng = Random(seed)
    draw = rng.choice(DRAWS[:3]) if rng.random() < 0.75 else DRAWS[3]
    body = [f"y <- {draw}", *rng.sample(STEPS, 2), "x <- max(x, y)", "o <- min(x, 3)"]
    text = "input q[2] in 0..2; output o in 0..3 = 0; adjacent linf 1; private eps; x <- 0; y <- 0; n <- 1"
    return read(Source("random.dip", f"{text}; c <- false\nfor i in 1..2 do {'; '.join(body)} end"))


@pytest.mark.parametrize("seed", range(many(10, campaign=200)))
def test_all_inputs_together(seed: int) -> None:
    found, inputs = program(seed), list(InputSpace(program(seed)))
    explorer = Explorer(found)
    laws = [explorer.law(values) for values in inputs]
    for values, law in list(zip(inputs, laws, strict=True))[seed % 2 :: many(2, campaign=1)]:
        engine = {("ended", tuple(map(value_of, o))): at(p, EPS) for o, p in law.items()}
        assert not differ(law_of(world(found, EPS), values), engine)


def test_a_noisy_maximum_is_a_few_plans() -> None:
    explorer = Explorer(dipc.load("noisy-max-4").program)
    space = list(InputSpace(explorer.stepper.program))
    for values in space:
        explorer.law(values)
    assert explorer._steps < 5_000  # 24,000 without plans
