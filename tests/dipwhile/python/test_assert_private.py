"""dipc.assert_private: what it says when a claim does not hold."""

from __future__ import annotations

from pathlib import Path

import pytest

import dipc
from dipc.errors import InputError

PROGRAMS = Path(__file__).parents[3] / "programs"
SVT4 = PROGRAMS / "svt" / "svt4.dip"


def test_it_returns_the_verdict() -> None:
    verdict = dipc.assert_private(PROGRAMS / "svt" / "svt1.dip", parameters={"N": 2})
    assert (verdict.status, verdict.counts.inputs) == ("private", 9)


def test_the_message_of_a_violation_is_the_counterexample() -> None:
    with pytest.raises(AssertionError) as caught:
        dipc.assert_private(str(SVT4), parameters={"N": 2})
    message = str(caught.value)
    assert message.startswith("this mechanism is not private\n")
    for part in (
        "svt4.dip  (N = 2, c = 1, T = 0, Delta = 1)",
        "u  : q = [-1, 0]",
        "u' : q = [0, -1]",
        "out = [bot, top]",
        "ε = 1\n",
        "0.1420193399  =  -9/112*exp(-ε)",
        "0.05057187082  =  -9/112*exp(-ε)",
        "0 < ε < 2.0319164994",
    ):
        assert part in message, part


def test_another_claim_and_options() -> None:
    mechanism = dipc.load(SVT4, N=2)
    dipc.assert_private(mechanism, "3/2*eps")
    dipc.assert_private(mechanism, "11/10*eps", at=3, pair=({"q": (-1, 0)}, {"q": (0, -1)}))
    with pytest.raises(AssertionError, match="ε = 1/2\n"):
        dipc.assert_private(mechanism, at="1/2")


def test_undecided_is_a_failure_of_its_own() -> None:
    with dipc.limits(seconds=0), pytest.raises(AssertionError) as caught:
        dipc.assert_private(SVT4)
    message = str(caught.value)
    assert "undecided" in message.splitlines()[0]
    assert "not private" not in message
    assert "time limit" in message


def test_a_mechanism_written_in_python() -> None:
    @dipc.mechanism(inputs="q in {0, 1}", outputs="out in {0, 1}", adjacent="all", private="eps")
    def noisy(q):  # type: ignore[no-untyped-def]
        return disc(Lap(eps, q), 0, 1)  # type: ignore[name-defined]

    assert dipc.assert_private(noisy).status == "private"
    with pytest.raises(AssertionError, match=r"test_assert_private\.py:noisy"):
        dipc.assert_private(noisy, "eps/2")


def test_a_broken_program_is_an_error_and_no_failure() -> None:
    with pytest.raises(InputError):
        dipc.assert_private("output o in {0, 1}; o <- 2")


def test_parameters_of_a_mechanism_are_set_where_it_is_made() -> None:
    with pytest.raises(InputError, match="`parameters` are for a program in a file") as caught:
        dipc.assert_private(dipc.load("svt1"), parameters={"N": 2})
    assert caught.value.hint.endswith(': dipc.load("svt1", N=2)')

    @dipc.mechanism(inputs="q in {0, 1}", outputs="o in {0}", adjacent="all", private="M*eps", M=1)
    def hist(q):  # type: ignore[no-untyped-def]
        return 0

    with pytest.raises(InputError) as caught:
        dipc.assert_private(hist, parameters={"M": 2})
    assert caught.value.hint.endswith(": hist.with_parameters(M=2)")
    with pytest.raises(dipc.WrongType) as wrong:
        hist.check(M=2)  # type: ignore[call-arg]
    assert wrong.value.hint.endswith(": hist.with_parameters(M=2)")
