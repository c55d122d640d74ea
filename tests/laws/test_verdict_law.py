"""Law: a verdict is never contradicted by the oracle's probabilities, evaluated with 50 digits.

*private* must survive every budget of a grid, *violated* must be confirmed at its own budget.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import mpmath
import oracles
import pytest
from campaigns import drawn, many, sown
from hypothesis import given, note
from hypothesis import strategies as st
from strategies import discrete_programs, programs

import dipc
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.parser import parse
from dipc.errors import Source, Unsupported

DECIDED = 0.75
CLOSE = mpmath.mpf(10) ** -25

SEEDS = range(many(4, campaign=20))  # one alone may draw few claims that are violated


@pytest.mark.parametrize("source", [programs(), discrete_programs()], ids=["real", "integer"])
def test_verdicts_survive_the_oracle(source: st.SearchStrategy[str]) -> None:
    tally: Counter[str] = Counter()

    def law(text: str) -> None:
        note(text)
        program = parse(Source("random.dip", text))
        try:
            verdict = dipc.load(text).check()
        except Unsupported:
            tally["unsupported"] += 1
            return
        tally[verdict.status] += 1
        if verdict.status == "private":
            survives(program)
        elif verdict.status == "violated":
            confirm(program, verdict.counterexample)
        else:
            assert verdict.status == "undecided"

    sown(drawn(4, campaign=7)(given(source)(law)), SEEDS)
    assert tally["private"] + tally["violated"] >= DECIDED * tally.total(), tally
    assert tally["private"], tally
    assert tally["violated"], tally


def survives(program: ast.Program) -> None:
    """At no budget of a grid the positive parts of P(o) - exp(claim) Q(o) add up to more than delta."""
    epsilon, delta = oracles.claim_of(program)
    for eps, pairs in oracles.numbers_on_grid(program, oracles.budget_grid(program)).items():
        with mpmath.workdps(oracles.DIGITS):
            factor, slack = mpmath.exp(oracles.evaluate(epsilon, eps)), oracles.evaluate(delta, eps)
            for pair in pairs:
                assert mpmath.fsum(max(oracles.NO, p - factor * q) for p, q in pair) - slack <= CLOSE, eps


def confirm(program: ast.Program, counterexample: Any) -> None:
    """The two inputs are neighbours, the budget is in the interval, and the claim fails there."""
    u = {name: oracles.from_dipc(value) for name, value in dict(counterexample.input).items()}
    v = {name: oracles.from_dipc(value) for name, value in dict(counterexample.neighbour).items()}
    outputs = [oracles.outcome_from_dipc(outcome) for outcome in counterexample.outputs]
    budget = oracles.fraction(counterexample.epsilon)
    assert oracles.adjacent(program, u, v), (u, v)
    assert oracles.in_interval(program, budget), budget
    laws = (oracles.oracle_distribution(program, u), oracles.oracle_distribution(program, v))
    excess = oracles.excess_function(program, laws, outputs)
    assert oracles.evaluate(excess, budget) > 0, counterexample
