"""What docs/language.md settles: each clause of "What a program means", in every engine that reads it."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dipc
from dipc.cli.main import status
from dipc.numbers.exact import rational

HEAD = "input q in {0, 1}; output o in {0, 1, 2}; adjacent all; private eps; "


def loaded(body: str, head: str = HEAD) -> dipc.Mechanism:
    """A program with one input and one output."""
    return dipc.load(head + body)


def outcome(body: str, q: int, head: str = HEAD) -> str:
    """The only output on an input."""
    (row,) = [text for text, p in loaded(body, head).distribution({"q": q}).items() if p != 0]
    return str(row)


# --- names and numbers ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spelt", "meant"),
    [
        ("x <- ϵ", "write `eps`"),
        ("b <- flip(exp(-ϵ))", "write `eps`"),
        ("b <- flip(exp(-𝜀))", "write `eps`"),
        ("µ <- 1", "write `mu`"),
        ("\u2126 <- 1", "write `Omega`"),  # the sign of the unit
        ("x <- q²", r"write `q\^2` for a power, or `q2` for a name"),
        ("x₁ <- 1", "write `x1`"),
        ("x१ <- 1", "write `x1`"),
        ("ﬁ <- 1", "write `fi`"),
        ("ｘ <- 1", "write `x`"),
        ("x <- ٣", "write `3`"),
        ("x <- 1٣", "write `3`"),
        ("e\u0301 <- 1", "one character"),
    ],
)
def test_what_looks_like_something_else_is_refused(spelt: str, meant: str) -> None:
    with pytest.raises(dipc.InputError, match=meant):
        loaded(f"{spelt}; o <- 0")


@pytest.mark.parametrize("name", ["größe", "μ", "Δq", "х", "пример", "値", "é", "x_1", "σ2"])
def test_letters_of_any_alphabet(name: str) -> None:
    assert isinstance(loaded(f"{name} <- 1; o <- {name}").check(), dipc.Private)


def test_numbers_of_the_command_line() -> None:
    assert rational("1/10^13", "eps") == rational("1e-13", "eps") == rational("10^-13", "eps")
    assert rational("-3/2^2", "eps") == rational(Fraction(-3, 4), "eps")
    for wrong in ("١", "1/10^", "1^2^3", "2^100000", "^2", "1/2/3^1", "x^2"):
        with pytest.raises(dipc.InputError, match="must be a rational number"):
            rational(wrong, "eps")
    with pytest.raises(dipc.InputError, match="division by zero"):
        rational("1/0^1", "eps")
    with pytest.raises(dipc.InputError, match="more than 1000 digits"):
        rational("12^9000", "eps")


def test_at_takes_a_power(capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for eps in ("1/10^13", "1e-13"):
        assert status(["check", "rand1", "--at", eps, "--quiet"]) == 0
        said.append(capsys.readouterr())
    assert said[0] == said[1]


# --- the claim and the adjacency -----------------------------------------------------------------

EMPTY = "the claimed delta is 1 or more: every program is private then"


@pytest.mark.parametrize("delta", ["1", "2", "3/2", "exp(eps)", "2 + exp(-eps)", "1 + eps"])
def test_a_delta_that_is_nowhere_below_one_gets_a_note(delta: str) -> None:
    verdict = loaded("o <- q").check(f"eps, {delta}")
    assert isinstance(verdict, dipc.Private)
    assert EMPTY in verdict.notes


@pytest.mark.parametrize("delta", ["999/1000", "exp(-eps)", "2*exp(-eps)", "eps"])
def test_a_delta_that_is_somewhere_below_one_gets_none(delta: str) -> None:
    assert EMPTY not in loaded("o <- q").check(f"eps, {delta}").notes


@pytest.mark.parametrize("delta", ["-1", "-eps", "exp(-eps) - 1"])
def test_a_negative_delta_is_refused(delta: str) -> None:
    with pytest.raises(dipc.InputError, match=r"negative|not a probability"):
        loaded("o <- q").check(f"eps, {delta}")


@pytest.mark.parametrize("question", ["check", "prove", "budget"])
def test_hamming_counts(question: str) -> None:
    head = HEAD.replace("all", "hamming 3/2")
    with pytest.raises(dipc.InputError, match="`3/2` is not an integer"):
        getattr(loaded("o <- 0", head), question)()
    assert isinstance(loaded("o <- 0", HEAD.replace("all", "hamming 4/2")).check(), dipc.Private)
    assert isinstance(loaded("o <- 0", HEAD.replace("all", "l1 3/2")).check(), dipc.Private)
