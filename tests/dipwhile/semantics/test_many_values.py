"""Integers that are assigned to an output: the values are asked for one by one, or by bisection."""

from __future__ import annotations

import random

import pytest
from flint import fmpq

import dipc
from dipc.dipwhile.semantics import step
from dipc.dipwhile.semantics.explore import Explorer

EXPRESSIONS = (
    "min(max(r, {low}), {high})",
    "min(max(r - s, {low}), {high})",
    "min(max(r / 2, {low}), {high})",
    "min(max(2 * r + 1/3, {low}), {high} + 1/3)",
    "max(min(r, s, {high}), {low})",
    "min(max(abs(r) - s, {low}), {high})",
)


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.parametrize("seed", range(3))
def test_bisection_finds_the_values_that_asking_for_each_finds(
    expression: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(f"{expression} {seed}")
    low, high = -rng.randint(0, 3), rng.randint(1, 4)
    values = ", ".join(str(fmpq(k, 6)) for k in range(6 * low, 6 * high + 7))
    text = f"""output out in {{{values}}}
r <- DLap(eps, {rng.randint(-2, 2)})
s <- DLap(2*eps, 1)
out <- {expression.format(low=low, high=high)}
"""
    laws = []
    for many in (1, 10**6):
        monkeypatch.setattr(step, "MANY_VALUES", many)
        laws.append(Explorer(dipc.load(text).program).law({}))
    assert laws[0] == laws[1]
    assert len(laws[0]) > 1
