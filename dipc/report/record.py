"""A verdict as the JSON record that ``dipc check --json`` prints.  Exact numbers are strings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flint import arb, ctx, fmpq

from dipc.claims.verdict import Counterexample, Doubt, Goal, Undecided, Verdict
from dipc.models.values import Valuation, Value
from dipc.numbers.surd import Number

Record = dict[str, Any]


def verdict_record(
    verdict: Verdict, program: str, parameters: Mapping[str, str], seconds: Mapping[str, float]
) -> Record:
    """The record of a check; ``seconds`` are added to those of the verdict."""
    counts = verdict.counts
    record: Record = {
        "program": program,
        "parameters": dict(parameters),
        "claim": claim_record(verdict.goal),
        "verdict": verdict.status,
        "inputs": counts.inputs,
        "pairs": counts.pairs,
        "outputs": counts.outputs,
        "inequalities": counts.inequalities,
        "distinct": counts.distinct,
        "counterexample": None,
    }
    if verdict.counterexample is not None:
        record["counterexample"] = counterexample_record(verdict.counterexample)
    if isinstance(verdict, Undecided):
        record["reason"] = verdict.reason
        record["doubts"] = [_doubt_record(doubt) for doubt in verdict.doubts]
    if verdict.notes:
        record["notes"] = list(verdict.notes)
    record["seconds"] = {k: round(v, 6) for k, v in {**verdict.seconds, **seconds}.items()}
    return record


def claim_record(goal: Goal) -> Record:
    """The claim: epsilon and delta as functions of eps, and the budgets it is for."""
    budgets = str(goal.budgets.low) if goal.budgets.is_point else str(goal.budgets)
    return {"epsilon": goal.epsilon, "delta": str(goal.delta), "for": budgets}


def counterexample_record(found: Counterexample) -> Record:
    def number(value: Number) -> Record:
        return {"exact": str(value), "decimal": decimal_at(value, found.epsilon)}

    return {
        "input": valuation_record(found.input),
        "neighbour": valuation_record(found.neighbour),
        "outputs": [valuation_record(output) for output in found.outputs],
        "epsilon": str(found.epsilon),
        "probability": number(found.probability),
        "neighbour_probability": number(found.neighbour_probability),
        "bound": number(found.bound),
        "excess": number(found.excess),
        "violated_for": [list(region) for region in found.violated_for],
    }


def _doubt_record(doubt: Doubt) -> Record:
    return {
        "input": valuation_record(doubt.input),
        "neighbour": valuation_record(doubt.neighbour),
        "outputs": [valuation_record(output) for output in doubt.outputs],
        "interval": [str(doubt.low), str(doubt.high)],
    }


def valuation_record(valuation: Valuation) -> Record:
    """Each variable with its value, or its list of values, as strings."""

    def text(value: Value | tuple[Value, ...]) -> str | list[str]:
        return [str(v) for v in value] if isinstance(value, tuple) else str(value)

    return {name: text(value) for name, value in valuation}


def decimal_at(value: Number, eps: fmpq, digits: int = 10) -> str:
    """The value at a rational eps to ``digits`` significant digits, correctly rounded but for the last.

    >>> from dipc.numbers.exppoly import ExpPoly
    >>> from dipc.numbers.quotient import Quotient
    >>> decimal_at(Quotient(ExpPoly.exp(1)), fmpq(1))
    '2.718281828'
    """
    if value.sign_at(eps) == 0:
        return "0"
    return digits_of(lambda: value.enclose(arb(eps)), digits)


def digits_of(enclosed: Callable[[], arb], digits: int) -> str:
    """A number that is not 0, given as a ball at the precision of the context, to ``digits`` digits."""
    precision = 64
    while True:
        with ctx.workprec(precision):
            ball = enclosed()
            if ball.is_finite() and ball.rel_accuracy_bits() > 4 * digits:
                return str(ball.str(digits, radius=False))
        precision *= 2
