"""Questions that once had a wrong answer, found by random search against a brute-force evaluator."""

from __future__ import annotations

from math import inf

import pytest
from flint import fmpq
from patience import PATIENCE, quickest

from dipc.clock import Clock, Limits
from dipc.errors import InputError, Source
from dipc.pufferfish.pipeline import budget, check
from dipc.pufferfish.question import Question
from dipc.pufferfish.reading import Replaced, read_question
from dipc.pufferfish.verdict import Budget, PufferfishVerdict


def asked(text: str, **lines: str) -> Question:
    return read_question(Source("m.hmm", text), asked=Replaced(**lines))


def least(text: str, horizon: str = "1") -> Budget:
    return budget(asked(text, horizon=horizon), Clock())


def verdict(text: str, claim: str, horizon: str = "1", seconds: float = inf) -> PufferfishVerdict:
    return check(asked(text, claim=claim, horizon=horizon), Clock(Limits(seconds)))


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


def test_a_quotient_is_approached_inside_the_class_where_a_secret_is_impossible():
    text = """
    param p in [0, 1]; observe a, b
    state s emits {a: 1 - (p - 1/2)^2, b: (p - 1/2)^2} next stop; state t emits {a: 1/4, b: 3/4} next stop
    prior P {s: (p - 1/2)^2, t: 1 - (p - 1/2)^2}; secret A {s}; secret B {t}; compare A -> B
    """
    found = least(text)
    assert found.low.as_rational() == fmpq(4)
    assert (found.attained, found.approached) == (False, "p -> 1/2")


INFINITE = "observe a, b; state s emits a next stop; state t emits b next stop; compare s, t"


@pytest.mark.parametrize("horizon", ["1", "3", "any"])
def test_an_infinite_quotient_is_a_violation_even_without_time(horizon):
    found = verdict(INFINITE, "ln(2)", horizon, seconds=-1.0)
    assert found.status == "violated" and found.counterexample.infinite_loss
    other = verdict(TWO_STATES + "; compare s, t", "ln(2)", horizon, seconds=-1.0)
    assert other.status == "undecided" and other.least.low == fmpq(2)


def test_no_time_is_an_open_budget_though_a_quotient_is_infinite():
    found = budget(asked(INFINITE, horizon="any"), Clock(Limits(-1.0)))
    assert not found.infinite and found.high is None


def test_a_slow_pump_does_not_compute_its_sequence_anew_each_time():
    """The growth is 501/500: 1151 repetitions are more than 10, which took 10 s."""
    text = """
    observe a, b; state e emits b next stop
    state s emits a next {s: 501/1000, e: 499/1000}; state t emits a next {t: 1/2, e: 1/2}; compare s, t
    """
    assert quickest(lambda: verdict(text, "ln(10)", "any")) < 5
    found = verdict(text, "ln(10)", "any")
    assert found.status == "violated"
    word = found.counterexample.sequence
    assert set(word) == {"a"}
    assert fmpq(501, 500) ** (len(word) - 1) > 10 >= fmpq(501, 500) ** (len(word) - 2)


@pytest.mark.parametrize("where", ["p^2 >= 1, q >= 1/2", "p + q >= 2"])
def test_a_class_at_a_corner_of_the_cube_is_not_empty(where):
    text = f"""
    param p in [0, 1]; param q in [0, 1]; where {where}
    observe a, b; state s emits {{a: p/2, b: 1 - p/2}} next stop
    state t emits {{a: q/4, b: 1 - q/4}} next stop; compare s -> t
    """
    assert verdict(text, "ln(5)").status == "private"
    found = verdict(text, "ln(19/10)")
    assert found.status == "violated"
    assert found.counterexample.parameters["p"] == 1


EPS = """
observe a, b; state s emits {a: 1/(1 + exp(-eps)), b: exp(-eps)/(1 + exp(-eps))} next stop
state t emits {a: exp(-eps)/(1 + exp(-eps)), b: 1/(1 + exp(-eps))} next stop; compare s, t
"""


def test_huge_and_fine_powers_of_eps():
    """The least t is 1: exp(-eps) is a power of no parameter then, but eps is decided by its functions."""
    assert verdict(EPS, "10^50*eps", seconds=PATIENCE).status == "private"
    assert verdict(EPS, "1001/1000*eps", seconds=PATIENCE).status == "private"
    assert verdict(EPS, "999/1000*eps", seconds=PATIENCE).status == "violated"


def test_a_huge_horizon_is_refused():
    with pytest.raises(InputError, match="at most 1000000000"):
        asked(TWO_STATES + "; param p in (0, 1); start A {s: p, t: 1 - p}; compare A, s", horizon="10^400")
