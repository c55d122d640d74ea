"""Ties of integer samples: argmax and argmin take the first of equals, and every tie is counted once."""

from __future__ import annotations

import pytest

import dipc

SAMPLES = "a[1] <- DLap(eps, 0)\na[2] <- DLap(eps, 0)\n"


def same(left: str, right: str) -> bool:
    first, second = (
        dipc.load(f"output o in {{1, 2}}\n{SAMPLES}{text}").distribution() for text in (left, right)
    )
    return dict(first) == dict(second)


@pytest.mark.parametrize(
    ("function", "first_wins", "last_wins"),
    [("argmax", "a[1] >= a[2]", "a[1] > a[2]"), ("argmin", "a[1] <= a[2]", "a[1] < a[2]")],
)
def test_the_first_of_equals(function: str, first_wins: str, last_wins: str) -> None:
    assert same(f"o <- {function}(a)", f"if {first_wins} then o <- 1 else o <- 2 end")
    assert not same(f"o <- {function}(a)", f"if {last_wins} then o <- 1 else o <- 2 end")


def test_constants_too() -> None:
    law = dipc.load("output o in {1, 2, 3}\nc[1] <- 0; c[2] <- 1; c[3] <- 1\no <- argmax(c)").distribution()
    assert repr(law) == "o=2: 1"


def test_three_ways() -> None:
    """P(a > b) + P(a = b) + P(a < b) = 1, the first and the last being equal."""
    law = dipc.load(
        "output o in {less, equal, more}\n" + SAMPLES + "if a[1] < a[2] then o <- less\n"
        "elif a[1] = a[2] then o <- equal\nelse o <- more end"
    ).distribution()
    less, equal, more = law.values()
    assert less == more
    assert less + equal + more == dipc.Quotient.one()
