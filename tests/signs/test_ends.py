"""Printed ends are read back as exact numbers, and what is said of them is judged by exact signs.

The functions here have roots that are known otherwise: ``z^a - c``, products of linear factors and squares.
Nothing of :mod:`dipc.signs.ends` is used to judge, only :meth:`ExpPoly.sign_at`.
"""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from campaigns import many, some
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from rationals import flint

from dipc.claims.regions import violated_regions
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.ends import Region, about, outwards, shown
from dipc.signs.eps_range import EpsRange
from dipc.signs.sentence import And, Comparison, Quantifier, Relation, Sentence, decide
from dipc.signs.tables import RootCluster, end_as_text, pieces, sharpened

MIXED = [fmpq(1), fmpq(7, 3), fmpq(10**13), fmpq(3, 10**21), 10 * fmpq(10) ** 299, fmpq(10) ** -300]
NEAR = [fmpq(10) ** -10, fmpq(10) ** -40, fmpq(10) ** -90]


def simple(c: fmpq, rate: fmpq) -> ExpPoly:
    """``exp(rate*eps) - c``: negative below ``ln(c)/rate``."""
    return ExpPoly.exp(rate) - ExpPoly.of(c)


@st.composite
def functions(draw: st.DrawFn) -> ExpPoly:
    """A function with a root, whose size is anything from 10^-300 to 10^300."""
    size = draw(st.sampled_from(MIXED)) * draw(st.integers(1, 9))
    match draw(st.integers(0, 3)):
        case 0:
            return simple(fmpq(draw(st.integers(2, 9))), size)
        case 1:
            return ExpPoly.of(size, 1) - draw(st.integers(1, 10**12))
        case 2:
            return ExpPoly.of(size**2, 2) - draw(st.integers(2, 99))
        case _:
            return simple(fmpq(3), size) * simple(fmpq(3) + draw(st.sampled_from(NEAR)), size)


def between(low: fmpq, high: fmpq) -> list[fmpq]:
    return [low + (high - low) * fmpq(k, 64) for k in range(1, 64, 3)]


def inside(record: list[dict[str, Any]]) -> list[fmpq]:
    """Points of the interval that JSON is sure of, up to its ends."""
    low, high = record[0]["high"], record[1]["low"]
    first = flint(low)
    last = flint(high) if high is not None else 2 * first + 10
    assert first < last
    return [*between(first, last), (127 * first + last) / 128, (first + 127 * last) / 128]


@settings(max_examples=many(3, campaign=50))
@given(st.lists(functions(), min_size=1, max_size=3), st.booleans())
def test_regions_are_true_as_printed(fs: list[ExpPoly], flipped: bool) -> None:
    slacks: list[Any] = [-f if flipped else f for f in fs]
    for region in violated_regions(slacks, EpsRange.positive()):
        interval = shown(region)
        match = re.fullmatch(r"(\S+) ([<≤]) eps ([<≤]) (\S+)( \(rounded inwards\))?", interval.words())
        assert match, interval.words()
        low = flint(match[1])
        high = 2 * low + 10 if match[4] == "inf" else flint(match[4])
        assert low < high and match[4] != "0"
        assert (match[1] == "0") == (region.low == 0)
        for point in [*between(low, high), *inside(interval.record())]:
            assert any(f.sign_at(point) < 0 for f in slacks), (interval.words(), point)
        for text, end in zip((match[1], match[4]), (region.low, region.high), strict=True):
            if isinstance(end, RootCluster) and not end.is_rational:  # strictly within, by at most one digit
                assert match[5] and any(f.sign_at(flint(text)) < 0 for f in slacks)
                assert "/" not in text and abs(flint(text) - end.low) <= flint(text) / 10**9
            else:
                assert text == ("inf" if end is None else str(end_of(end)))


def end_of(end: RootCluster | fmpq) -> fmpq:
    return end.low if isinstance(end, RootCluster) else end


@settings(max_examples=many(3, campaign=50))
@given(st.lists(functions(), min_size=1, max_size=3))
def test_enclosures_contain_the_end_and_no_other(fs: list[ExpPoly]) -> None:
    for region in violated_regions(list(fs), EpsRange.positive()):
        for record, end in zip(shown(region).record(), (region.low, region.high), strict=True):
            if isinstance(end, RootCluster) and not end.is_rational:
                low, high = flint(record["low"]), flint(record["high"])
                assert 0 < low < high <= low + low / 10**18
                assert any(f.sign_at(low) * f.sign_at(high) < 0 for f in fs)
            elif isinstance(end, fmpq):
                assert record["exact"] == record["low"] == record["high"] == str(end)


@pytest.mark.parametrize("gap", NEAR)
@pytest.mark.parametrize("size", some(MIXED, 3))
def test_near_ends_do_not_read_as_empty(size: fmpq, gap: fmpq) -> None:
    above, below = simple(fmpq(3), size), simple(3 + gap, size)
    (region,) = violated_regions([above * below], EpsRange.positive())
    low, high = map(flint, shown(region).texts)
    assert low < high
    assert above.sign_at(low) > 0 > below.sign_at(high)
    (first, last) = (region.low, region.high)
    assert isinstance(first, RootCluster) and isinstance(last, RootCluster)
    assert (high - low) * 100 > (last.low - first.high) * 99


@pytest.mark.parametrize("gap", NEAR)
def test_a_short_violation_is_not_lost_beside_another_function(gap: fmpq) -> None:
    """Roots that are not told apart at first have a violation between them: it is a region, and printed."""
    short, touching = simple(fmpq(3), fmpq(1)) * simple(3 + gap, fmpq(1)), simple(3 + gap / 2, fmpq(1)) ** 2
    found = violated_regions([touching, short], EpsRange.positive())
    assert found
    for region in found:
        low, high = map(flint, shown(region).texts)
        assert low < high and short.sign_at((low + high) / 2) < 0 and short.sign_at(region.sample) < 0
    (before, after) = violated_regions([touching, -short], EpsRange.positive())
    assert flint(shown(before).texts[1]) < low < high < flint(shown(after).texts[0])


@pytest.mark.parametrize(("off", "above", "below"), [(1, "0.3000000001", "0.3"), (-1, "0.3", "0.2999999999")])
def test_a_root_close_to_a_decimal_is_on_its_right_side(off: int, above: str, below: str) -> None:
    with ctx.workprec(200):
        c = (arb(fmpq(3, 10)) + off * arb(10) ** -14).exp().str(40, radius=False)
    f = simple(flint(c), fmpq(1))
    (end,) = (p.low for p in pieces([f], EpsRange.positive()) if p.is_point)
    assert shown(Region(end, None)).low.text == above
    assert shown(Region(fmpq(0), end)).high.text == below


@settings(max_examples=many(4, campaign=50))
@given(functions())
def test_points_are_close_marked_and_not_zero(f: ExpPoly) -> None:
    for piece in pieces([f], EpsRange.positive()):
        if piece.is_point:
            assert isinstance(piece.low, RootCluster)
            interval = shown(Region(piece.low, piece.high, True, True))
            text = end_as_text(piece.low)
            sign = "=" if piece.low.is_rational else "≈"
            assert interval.words() == f"eps {sign} {text}" and about(piece.low) == f"{sign} {text}"
            error = abs(flint(text) - sharpened(piece.low)) * 10**9
            assert flint(text) > 0 and error <= flint(text)


@pytest.mark.parametrize("power", [*range(4, 12), 15, 20, 40, 300])
def test_a_point_beside_a_power_of_ten(power: int) -> None:
    size = fmpq(10) ** power
    for rate in (fmpq(1), 1 + 1 / size, 1 - 1 / size):
        f = simple(1 + 1 / size, rate)  # its root is ln(1 + 10^-power)/rate, close to 10^-power
        (piece,) = (p for p in pieces([f], EpsRange.positive()) if p.is_point)
        interval = shown(Region(piece.low, piece.high, True, True))
        text = interval.low.text
        assert interval.is_point and interval.brackets() == f"{{≈ {text}}}"
        assert abs(flint(text) * size - 1) < 3 / size + fmpq(10) ** -9
        assert re.fullmatch(r"0\.\d+|[1-9](\.\d+)?e-\d+", text), text


@settings(max_examples=many(4, campaign=50))
@given(functions(), st.sampled_from(list(Relation)))
def test_decisions_hold_where_they_say(f: ExpPoly, relation: Relation) -> None:
    body = And((Comparison(Quotient(f), relation, Quotient.of(0)),))
    found = decide(Sentence(Quantifier.EXISTS, EpsRange.positive(), body))
    assert found.holds_for is not None and found.regions is not None
    wanted = {"<": (-1,), "<=": (-1, 0), "=": (0,), "!=": (-1, 1), ">=": (0, 1), ">": (1,)}[relation.value]
    for text, interval in zip(found.holds_for, found.regions, strict=True):
        if text.startswith("{"):
            (shown_text,) = re.findall(r"\{(\S+)\}", text)
            assert flint(shown_text) > 0
            assert interval.is_rounded or f.sign_at(flint(shown_text)) in wanted
            continue
        opening, low, high, closing = re.fullmatch(r"([\[(])(\S+), (\S+)([\])])", text).groups()  # type: ignore[union-attr]
        first = flint(low)
        last = 2 * first + 10 if high == "inf" else flint(high)
        assert first < last and high != "0"
        assert all(f.sign_at(point) in wanted for point in between(first, last))
        closed = [*[first] * (opening == "["), *[last] * (closing == "]")]
        assert all(f.sign_at(point) in wanted for point in closed)
    if found.witness is not None:
        assert found.witness.low > 0 and Fraction(str(found.witness)) > 0
        if found.witness.exact is not None:
            assert f.sign_at(found.witness.low) in wanted


@settings(max_examples=many(3, campaign=50))
@given(functions())
def test_texts_do_not_depend_on_what_was_refined(f: ExpPoly) -> None:
    first = [shown(region).words() for region in violated_regions([f], EpsRange.positive())]
    again = violated_regions([f], EpsRange.positive())
    for region in again:
        for end in (region.low, region.high):
            for root in end.roots if isinstance(end, RootCluster) else ():
                root.refine_to(root.high / 10**60)
    assert [shown(region).words() for region in again] == first


@given(st.fractions(min_value=0), st.integers(-300, 300), st.booleans())
def test_outwards(value: Fraction, power: int, up: bool) -> None:
    x = fmpq(value.numerator, value.denominator) * fmpq(10) ** power
    text = flint(outwards(x, up))
    assert (text >= x if up else text <= x) and abs(text - x) * 10**9 <= x
    assert (text == 0) == (x == 0)


def test_neighbouring_intervals_leave_out_only_the_end() -> None:
    """``(0, ln 2)`` and ``(ln 2, inf)``: both rounded inwards, with nothing but ln 2 near between them."""
    cells = [p for p in pieces([simple(fmpq(2), fmpq(1))], EpsRange.positive()) if not p.is_point]
    texts = [shown(Region(p.low, p.high)).texts for p in cells]
    assert texts == [("0", "0.6931471805"), ("0.6931471806", "inf")]
    assert all(flint(right[0]) - flint(left[1]) == fmpq(1, 10**10) for left, right in pairwise(texts))
