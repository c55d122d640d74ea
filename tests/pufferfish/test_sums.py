"""delta > 0 with parameters, and what is known where a claim is undecided: all sequences, with fractions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from campaigns import some
from flint import fmpq
from pufferfish.parametric_examples import example3, example4
from pufferfish.small_models import mixing_chain, noisy_chain
from pufferfish.test_parameters import GRID, brute_quotients, some_question
from pufferfish.test_parameters import mixing_chain as unknown_chain

from dipc.clock import Clock, Limits
from dipc.errors import Source
from dipc.models.mixtures import Claim
from dipc.pufferfish import pipeline
from dipc.pufferfish.hmm import HiddenMarkovModel
from dipc.pufferfish.question import Question
from dipc.pufferfish.verdict import Private, PufferfishVerdict, Undecided, Violated


def check(asked: Question, clock: Clock | None = None) -> PufferfishVerdict:
    return pipeline.check(asked, clock or Clock())


def excesses(asked: Question, point: dict[str, fmpq], c: Fraction) -> list[Fraction]:
    """For every pair the sum of max(0, P(w | left) - c P(w | right)); there are as many words for each."""
    found = brute_quotients(asked, point)
    words = (len(asked.model.observations) + 1) ** (asked.horizon or 1)
    sums = (found[i : i + words] for i in range(0, len(found), words))
    return [sum((max(Fraction(0), a - c * b) for a, b in some), Fraction(0)) for some in sums]


@pytest.mark.parametrize("seed", some(range(30), 5))
@pytest.mark.parametrize("names", [("p",), ("p", "q")])
@pytest.mark.parametrize("delta", [fmpq(1, 100), fmpq(1, 10), fmpq(1, 3)])
def test_sums_over_all_sequences(seed: int, names: tuple[str, ...], delta: fmpq) -> None:
    asked = some_question(seed, names)
    asked = replace(asked, horizon=min(asked.horizon or 1, 2))
    assert asked.claim
    c, most = (Fraction(int(x.p), int(x.q)) for x in (asked.claim.factor, delta))
    asked = replace(asked, claim=replace(asked.claim, delta=delta))
    verdict = check(asked)
    if isinstance(verdict, Violated):
        found = verdict.counterexample
        assert max(excesses(asked, dict(found.parameters), c)) > most
        words = found.sequences or (found.sequence,)
        assert len(set(words)) == len(words)
        left, right = (Fraction(str(x)) for x in (found.probability, found.other_probability))
        assert left - c * right > most
        return
    for u in product(GRID if len(names) == 1 else GRID[::2], repeat=len(names)):
        assert max(excesses(asked, dict(zip(names, u, strict=True)), c), default=0) <= most
    assert isinstance(verdict, Private) or len(names) > 1


@pytest.mark.parametrize(
    ("delta", "private"), [(fmpq(1, 3), True), (fmpq(33, 100), False), (fmpq(1, 2), True)]
)
def test_the_least_delta_of_example_3(delta: fmpq, private: bool) -> None:
    """n(2) against n(0): 2/3 - 2/6 = 1/3."""
    for horizon in (1, 3, None):
        claim = Claim("ln(2)", fmpq(2), delta=delta)
        verdict = check(replace(example3(), claim=claim, horizon=horizon))
        assert isinstance(verdict, Private if private else Violated)


@pytest.mark.parametrize(("delta", "private"), [("4/5", True), ("79/100", False), ("81/100", True)])
def test_a_sum_that_is_greatest_inside(delta: str, private: bool) -> None:
    """243/40 p^2 (1 - p) is 9/10 at p = 2/3, its maximum."""
    text = "param p in (0, 1); let x = 243/40*p^2*(1 - p); observe a, b"
    text += "\nstate t emits {a: 1/10, b: 9/10} next stop"
    text += "\nstate s emits {a: x, b: 1 - x} next stop; compare s, t"
    verdict = HiddenMarkovModel(Source("m.hmm", text)).question().check(f"0, {delta}")
    assert verdict.status == ("private" if private else "violated")
    if verdict.counterexample is not None:
        p = verdict.counterexample.parameters["p"]
        assert verdict.counterexample.sequence == ("a",)
        assert fmpq(243, 40) * p * p * (1 - p) - fmpq(1, 10) > fmpq(79, 100)


def test_a_transcendental_constant_and_every_horizon() -> None:
    claim = Claim("1/2", fmpq(1), fmpq(1, 2), delta=fmpq(1, 20))
    verdict = check(replace(example4(), claim=claim, horizon=None))
    assert isinstance(verdict, Violated)
    assert verdict.counterexample.excess.sign_at(fmpq(0)) > 0
    assert isinstance(check(replace(example4(), claim=replace(claim, delta=fmpq(1, 4)))), Private)


def test_every_horizon_of_a_chain_that_goes_on() -> None:
    goes_on = unknown_chain(2)
    few = replace(goes_on, claim=Claim("ln(2)", fmpq(2), delta=fmpq(1, 100)))
    assert isinstance(check(few), Violated)
    some = replace(goes_on, claim=Claim("ln(2)", fmpq(2), delta=fmpq(1, 5)))
    verdict = check(some)
    assert isinstance(verdict, Undecided) and "observations are not settled" in verdict.reason
    settled = replace(goes_on, claim=Claim("ln(2.35079)", fmpq(235079, 10**5), delta=fmpq(1, 5)))
    assert isinstance(check(settled), Private)  # even with delta = 0


def test_what_is_known_of_an_undecided_claim() -> None:
    asked = replace(unknown_chain(2), claim=Claim("c", fmpq(2350782, 10**6)))
    verdict = check(asked)
    assert isinstance(verdict, Undecided) and verdict.least is not None
    low = verdict.least.low.as_rational()
    assert low is not None and 2 < low < fmpq(235079, 10**5) and verdict.least.high is None


@pytest.mark.parametrize("horizon", [5, None])
def test_a_violation_is_never_undecided(horizon: int | None) -> None:
    """Where a limit ends the search at once, one observation is still compared."""
    for asked, least in ((mixing_chain(horizon), fmpq(3)), (noisy_chain(horizon), fmpq(3))):
        for c in (least - fmpq(1, 100), least):
            verdict = check(replace(asked, claim=Claim(f"ln({c})", c)), Clock(Limits(0)))
            assert isinstance(verdict, Violated if c < least else Undecided)
