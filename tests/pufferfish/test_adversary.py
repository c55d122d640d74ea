"""Questions that once had a wrong answer, found by random search against a brute-force evaluator."""

from __future__ import annotations

from flint import fmpq

from dipc.clock import Clock
from dipc.errors import Source
from dipc.pufferfish.pipeline import budget, check
from dipc.pufferfish.question import Question
from dipc.pufferfish.reading import Asked, read_question
from dipc.pufferfish.verdict import Budget, PufferfishVerdict


def asked(text: str, **lines: str) -> Question:
    return read_question(Source("m.hmm", text), asked=Asked(**lines))


def least(text: str, horizon: str = "1") -> Budget:
    return budget(asked(text, horizon=horizon), Clock())


def verdict(text: str, claim: str, horizon: str = "1", seconds: float | None = None) -> PufferfishVerdict:
    return check(asked(text, claim=claim, horizon=horizon), Clock(limit=seconds))


TWO_STATES = """
observe a, b
state s emits {a: 1/2, b: 1/2} next stop
state t emits {a: 1/4, b: 3/4} next stop
"""


def test_a_quotient_is_not_attained_where_a_secret_has_probability_zero():
    """P(a | A) / P(a | all) = (1/2) / (1/2 x + 1/4 (1 - x)) for x = 1 - p, and at p = 1 A is impossible."""
    text = f"param p in [0, 1]; prior P {{s: 1 - p, t: p}}; secret A {{s}}; secret B {{s, t}}; {TWO_STATES}"
    found = least(f"{text}; compare A -> B")
    assert found.low == found.high and found.low.as_rational() == fmpq(2)
    assert not found.attained
    assert found.approached == "p -> 1"
