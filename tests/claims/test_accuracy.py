"""Accuracy and expectations against brute force over all inputs and outputs on a grid of budgets."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import mpmath
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from numeric import fixed, high, value

import dipc
from dipc.cli.main import status
from dipc.dipwhile.syntax.parser import parse
from dipc.dipwhile.syntax.printer import show_program
from dipc.errors import Source

ROWS = (
    ("1/3", "1/3", "1/3"),
    ("exp(eps)/(exp(eps) + 2)", "1/(exp(eps) + 2)", "1/(exp(eps) + 2)"),
    ("exp(-eps)/2", "1/2", "(1 - exp(-eps))/2"),
    ("eps*exp(-eps)/2", "exp(-2*eps)/2", "1 - eps*exp(-eps)/2 - exp(-2*eps)/2"),
    ("exp(-eps/2)/4", "1 - exp(-eps/2)/4 - exp(-eps)/2", "exp(-eps)/2"),
)
"""Probabilities of three outputs."""
GOOD = {
    "out = q": lambda q, out, r: out == q,
    "abs(out - q) <= 1": lambda q, out, r: abs(out - q) <= 1,
    "out >= r or q = 2": lambda q, out, r: out >= r or q == 2,
    "not (out = 0 and r = 1)": lambda q, out, r: not (out == 0 and r == 1),
    "q = 1 and out + r < 2": lambda q, out, r: q == 1 and out + r < 2,
}
INPUTS = list(product((0, 1, 2), (0, 1)))
GRID = [mpmath.mpf(2) ** (mpmath.mpf(i) / 3) for i in range(-18, 15)]


def nearest(far: Any, metric: Any, u: Any, about: Any) -> Any:
    """The distance of an input to one where a function has another value."""
    return min((metric(u, v) for v in INPUTS if about(*v) != about(*u)), default=far)


def linf(u: Any, v: Any) -> int:
    return max(abs(a - b) for a, b in zip(u, v, strict=True))


def l1(u: Any, v: Any) -> int:
    return sum(abs(a - b) for a, b in zip(u, v, strict=True))


def hamming(u: Any, v: Any) -> int:
    return sum(a != b for a, b in zip(u, v, strict=True))


METRICS = {"": linf, "adjacent linf 1": linf, "adjacent l1 2": l1, "adjacent hamming 1": hamming}
WHEN = {
    "": lambda u, metric: True,
    "q > r": lambda u, metric: u[0] > u[1],
    "gap(max(q, r)) > 1": lambda u, metric: nearest(99, metric, u, lambda q, r: max(q, r)) > 1,
    "2 <= gap(q + r = 0)": lambda u, metric: nearest(99, metric, u, lambda q, r: q + r == 0) >= 2,
    "gap(q > 5) > 10 and not gap(q) = 2": lambda u, metric: nearest(99, metric, u, lambda q, r: q) != 2,
    "gap(q > 5) <= 10": lambda u, metric: False,
}


def program(rows: Any, adjacent: str = "adjacent all") -> dipc.Mechanism:
    """A program that draws its output from one of the rows."""
    lines = [
        f"if q = {q} and r = {r} then out <- choose {{0: {row[0]}, 1: {row[1]}, 2: {row[2]}}} end"
        for (q, r), row in zip(INPUTS, rows, strict=True)
    ]
    text = ["input q in 0..2, r in {0, 1}", "output out in 0..2", adjacent, *lines]
    return dipc.load("\n".join(text))


@cache
def at(text: str, eps: Any) -> Any:
    exactly = re.sub(r"(\d+)", r"mpf(\1)", text)
    return eval(exactly, {"exp": mpmath.exp, "mpf": mpmath.mpf, "eps": eps})


CHOSEN = st.tuples(*(st.sampled_from(ROWS) for _ in INPUTS))


@fixed(30)
@given(CHOSEN, st.sampled_from(list(GOOD)), st.sampled_from(list(WHEN)), st.sampled_from(list(METRICS)))
def test_accuracy_against_brute_force(rows: Any, good: str, when: str, adjacent: str) -> None:
    found = program(rows, adjacent).accuracy(good, when or None, beta="1/4 + exp(-eps)/8")
    with mpmath.workdps(40):
        chosen = {u: row for u, row in zip(INPUTS, rows, strict=True) if WHEN[when](u, METRICS[adjacent])}
        assert found.inputs == len(chosen)
        assert found.suffices is not None
        for eps in GRID:
            errors = [
                sum(at(p, eps) for out, p in enumerate(row) if not GOOD[good](q, out, r))
                for (q, r), row in chosen.items()
            ]
            worst = max(errors, default=mpmath.mpf(0))
            if found.pieces:
                assert abs(max_at(found.pieces, eps) - worst) < 1e-30
            assert found.least.high is not None and worst <= high(found.least.high) + 1e-30
            margin = at("1/4 + exp(-eps)/8", eps) - worst
            if abs(margin) > 1e-9:
                assert inside(found.suffices, eps) == (margin > 0), (eps, found.suffices)
    near = max_at(found.pieces, high(fmpq(1, 10**6))), max_at(found.pieces, high(fmpq(50)))
    on_grid = [max_at(found.pieces, eps) for eps in GRID]
    assert high(found.least.low) <= max(*near, *on_grid, 0) + 0.05  # it is the supremum, not only a bound


def max_at(pieces: Any, eps: Any) -> Any:
    """The value of the piece that an eps belongs to; 0 if there is none."""
    for piece in pieces:
        if inside((piece.interval,), eps):
            return value(piece.value, eps)
    return mpmath.mpf(0)


def inside(intervals: Any, eps: Any) -> bool:
    """Whether an eps is in one of the intervals."""

    def end(shown: Any, low: bool) -> Any:
        return mpmath.inf if shown.text == "inf" else high(fmpq(*parts(shown.low or shown.exact)))

    return any(end(i.low, True) <= eps <= end(i.high, False) for i in intervals)


def parts(text: str) -> tuple[int, int]:
    """A decimal or a fraction as a numerator and a denominator."""
    number = Fraction(text)
    return number.numerator, number.denominator


@fixed(25)
@given(CHOSEN, st.sampled_from(["(out - q)^2", "out - 2*r", "abs(out - q) - 3", "max(out, q, r)"]))
def test_expectations_against_brute_force(rows: Any, measure: str) -> None:
    found = program(rows).expect(measure)
    with mpmath.workdps(40):
        for eps in GRID:
            expected = [
                sum(
                    at(p, eps)
                    * eval(measure.replace("^", "**"), {"out": o, "q": q, "r": r, "abs": abs, "max": max})
                    for o, p in enumerate(row)
                )
                for (q, r), row in zip(INPUTS, rows, strict=True)
            ]
            for (_, mine), theirs in zip(found.values, expected, strict=True):
                assert abs(value(mine, eps) - theirs) < 1e-30
            assert abs(max_at(found.pieces, eps) - max(expected)) < 1e-30


@pytest.mark.parametrize(
    ("good", "when", "says"),
    [
        ("out = s", None, "unknown name `s`"),
        ("out + q", None, "what is accurate needs a Boolean"),
        ("gap(q) > 1", None, "unknown function `gap`"),
        ("out = q", "out = 1", "`out` is not an input"),
        ("out = q", "gap(q) + 1 > 2", "`gap` is not compared with a number"),
        ("out = q", "gap(gap(q)) > 2", "`gap` is not compared|`gap` takes one expression"),
        ("out = q", "gap(out) > 2", "`out` is not an input"),
        ("out = q", "gap(q, r) > 2", "`gap` takes one expression of the inputs"),
        ("out = q", "eps > 2", "eps"),
    ],
)
def test_refused(good: str, when: str | None, says: str) -> None:
    with pytest.raises(dipc.InputError, match=says):
        program([ROWS[0]] * 6).accuracy(good, when)


def test_gaps_of_atoms_need_hamming() -> None:
    first, last = "input q in {a, b}; output out in {a, b}", "out <- q"
    with pytest.raises(dipc.InputError, match="`gap` measures distances in linf"):
        dipc.load(f"{first}; {last}").accuracy("out = q", "gap(q) >= 1")
    hamming = dipc.load(f"{first}; adjacent hamming 1; {last}")
    assert hamming.accuracy("out = q", "gap(q) >= 1").inputs == 2


def test_no_input_meets_the_condition() -> None:
    found = program([ROWS[1]] * 6).accuracy("out = q", "q > 5", beta="0")
    assert not found.pieces and found.least.exact == 0
    assert found.suffices is not None and [each.brackets() for each in found.suffices] == ["(0, inf)"]


def test_values_are_those_of_the_kind_needed() -> None:
    text = "input q in {0, 1}; output out in {0, bot}; out <- choose {0: 1/2, bot: 1/2}"
    with pytest.raises(dipc.InputError, match="a number is needed here, not bot"):
        dipc.load(text).expect("out")


@fixed(15)
@given(CHOSEN, st.sampled_from(list(GOOD)), st.sampled_from(["1/3", "1/2 + exp(-eps)/4", "2/3"]))
def test_claims_against_brute_force(rows: Any, good: str, beta: str) -> None:
    """The verdict, and the budgets at which the input of a counterexample breaks the claim."""
    verdict = program(rows).check(f"accurate {good}, {beta} when q + r > 0")
    with mpmath.workdps(40):
        worst = [
            max(
                sum(at(p, eps) for out, p in enumerate(row) if not GOOD[good](q, out, r))
                for (q, r), row in zip(INPUTS, rows, strict=True)
                if q + r > 0
            )
            - at(beta, eps)
            for eps in GRID
        ]
    assert verdict.status in ("holds", "fails")
    if any(excess > 1e-20 for excess in worst):
        assert verdict.status == "fails"
    found = verdict.counterexample
    if found is not None:
        assert (found.probability - found.bound).sign_at(found.epsilon) > 0
        chosen = {name: str(value) for name, value in found.input}
        row = rows[INPUTS.index((int(chosen["q"]), int(chosen["r"])))]
        with mpmath.workdps(40):
            errors = (p for o, p in enumerate(row) if not GOOD[good](int(chosen["q"]), o, int(chosen["r"])))
            eps = high(found.epsilon)
            assert sum(at(p, eps) for p in errors) > at(beta, eps)


def test_claims_of_accuracy() -> None:
    geometric = dipc.load("truncated_geometric", N=3)
    good = "accurate abs(out - q) <= 1"
    assert geometric.check(f"{good}, exp(-eps)/(1 + exp(eps))").status == "holds"  # the least beta
    assert geometric.check(f"{good}, 999999/1000000*exp(-eps)/(1 + exp(eps))").status == "fails"
    assert geometric.check(f"{good}, 1/20 for eps in [2, inf)").status == "holds"
    assert geometric.check(f"{good}, 1/20", at=1).status == "fails"
    empty = geometric.check("accurate out = q, 0 when q > 7")
    assert empty.status == "holds" and empty.notes == ("no input meets the condition",)
    assert set(geometric.certificate(empty)["bad"]) == {None}


@pytest.mark.parametrize(
    ("claim", "says"),
    [
        ("accurate out = q, 1/2 where q > 0", "expected `when`, found `where`"),
        ("accurate out = q, -1/2", "beta is `-1/2`, not a probability"),
        ("accurate out = q, 1/4 - exp(-eps)", "the claimed beta .* is negative"),
        ("accurate out = q", "expected `,`"),
        ("accurate out = q, 1/2 for eps in (1, 0)", "the interval is empty"),
    ],
)
def test_broken_claims(claim: str, says: str) -> None:
    with pytest.raises(dipc.InputError, match=says):
        dipc.load("truncated_geometric").check(claim)


def test_as_a_test() -> None:
    good = "abs(out - q) <= 1"
    assert dipc.assert_accurate("truncated_geometric", good, "1/2").status == "holds"
    with pytest.raises(AssertionError, match="this mechanism is not accurate"):
        dipc.assert_accurate(dipc.load("truncated_geometric"), good, "1/20", when="q > 1")
    with pytest.raises(dipc.InputError, match="is not a claim of privacy"):
        dipc.assert_private("truncated_geometric", f"accurate {good}, 1/2")


LINE = """input q in {0, 1, 2}
output out in {0, 1, 2}
adjacent linf 1
accurate abs(out - q) <= 1, 1/4 when q > 0 for eps in [1, inf)
noisy <- DLap(eps, q)
out <- min(max(noisy, 0), 2)
"""


def test_a_line_of_the_program() -> None:
    program = dipc.load(LINE)
    verdict = program.check()
    assert str(verdict.claim) == "accurate abs(out - q) <= 1, 1/4 when q > 0 for every eps in [1, inf)"
    assert verdict == program.check("accurate abs(out - q) <= 1, 1/4 when q > 0 for eps in [1, inf)")
    assert dipc.load(LINE.replace("1/4", "1/100")).check().status == "fails"
    assert show_program(parse(Source("p.dip", LINE))).splitlines()[3] == LINE.splitlines()[3]


def test_a_program_with_two_claims() -> None:
    verdict = dipc.load(LINE.replace("accurate", "private eps\naccurate")).check()
    assert verdict.status == "private"
    assert "the claim of accuracy of the program is another question: give it with --claim" in verdict.notes
    with pytest.raises(dipc.InputError, match="a second `accurate`"):
        dipc.load(LINE.replace("accurate", "accurate out = q, 1\naccurate"))


def test_both_claims_have_a_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The exit status is that of the worst."""
    file = tmp_path / "both.dip"
    statuses = []
    for bound in ("1/4", "1/100"):
        file.write_text(LINE.replace("accurate", "private eps\naccurate").replace("1/4", bound))
        statuses.append(status(["check", str(file)]))
    assert statuses == [0, 1]
    assert "2 claims: 1 private, 1 fails" in capsys.readouterr().out
    assert status(["check", str(file), "--certificate", str(tmp_path / "c.json")]) == 0


def test_a_mistake_in_the_line_is_shown_there() -> None:
    with pytest.raises(dipc.InputError, match="unknown name `z`") as caught:
        dipc.load(LINE.replace("q > 0", "z > 0")).check()
    assert str(caught.value).startswith("<text>:4:")


def test_a_variable_may_be_called_accurate() -> None:
    body = "accurate <- DLap(eps, q)\nout <- min(max(accurate, 0), 2)\n"
    lines = LINE.splitlines(keepends=True)
    assert dipc.load("".join([*lines[:3], "private eps\n", body])).check().status == "private"
