"""A verdict as the JSON record that ``dipc check --json`` prints.  Exact numbers are strings."""

from __future__ import annotations

from collections.abc import Mapping

from dipc.claims.verdict import Doubt, Undecided, Verdict
from dipc.claims.wording import Record
from dipc.models.values import valuation_record


def verdict_record(
    verdict: Verdict, program: str, parameters: Mapping[str, str], seconds: Mapping[str, float]
) -> Record:
    """The record of a check; ``seconds`` are added to those of the verdict."""
    counts = verdict.counts
    record: Record = {
        "program": program,
        "parameters": dict(parameters),
        "claim": verdict.claim.record(),
        "verdict": verdict.status,
        "inputs": counts.inputs,
        "pairs": counts.pairs,
        "outputs": counts.outputs,
        "inequalities": counts.inequalities,
        "distinct": counts.distinct,
        "counterexample": verdict.counterexample.record() if verdict.counterexample is not None else None,
    }
    if isinstance(verdict, Undecided):
        record["reason"] = verdict.reason
        record["doubts"] = [_doubt_record(doubt) for doubt in verdict.doubts]
    if verdict.notes:
        record["notes"] = list(verdict.notes)
    record["seconds"] = {k: round(v, 6) for k, v in {**verdict.seconds, **seconds}.items()}
    return record


def _doubt_record(doubt: Doubt) -> Record:
    return {
        "input": valuation_record(doubt.input),
        "neighbour": valuation_record(doubt.neighbour),
        "outputs": [valuation_record(output) for output in doubt.outputs],
        "interval": [str(doubt.low), str(doubt.high)],
    }
