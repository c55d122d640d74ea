"""The shipped programs: expected verdicts, the paper's tables, hard claims."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from campaigns import some
from certificates import SMALLER
from shipped_programs import PROGRAMS

import dipc

ROOT = Path(__file__).parent.parent


loaded = cache(dipc.load)
"""Each file once: a mechanism remembers what was explored."""


def text_of(name: str) -> str:
    return (ROOT / "programs" / f"{name}.dip").read_text(encoding="utf-8")


def verdict(name: str, claim: str | None = None) -> dipc.Verdict:
    """The verdict on a shipped program, perhaps with another claim."""
    return dipc.load(text_of(name)).check(claim)


def plain(valuation: Any) -> str:
    """A valuation as the tables print it: ``[-1 0]``, several joined by spaces."""
    values = (v for _, v in valuation)
    return " ".join(f"[{' '.join(map(str, v))}]" if isinstance(v, tuple) else str(v) for v in values)


# --- every file ----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_header_and_expected_verdict(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    source = re.search(r"^# source: (\S.*)$", text, re.MULTILINE)
    expect = re.search(r"^# expect: (private|violated)$", text, re.MULTILINE)
    assert source, "a line '# source: ...' is missing"
    assert expect, "a line '# expect: private' or '# expect: violated' is missing"
    assert dipc.load(path, **SMALLER.get(path.stem, {})).check().status == expect[1]


TIGHTEST = re.compile(r"^# tightest: (\d+(?:/\d+)?|infinite)", re.MULTILINE)


@pytest.mark.parametrize(
    "path",
    some([path for path in PROGRAMS if TIGHTEST.search(path.read_text())], 12),
    ids=lambda path: path.stem,
)
def test_tightest_budget(path: Path) -> None:
    """The multiple of eps that a file calls its tightest is enough, and 1/100 less is not."""
    found = TIGHTEST.search(path.read_text(encoding="utf-8"))
    assert found
    mechanism = loaded(path)
    if found[1] == "infinite":
        verdict = mechanism.check("1000*eps")
        assert verdict.counterexample is not None
        assert verdict.counterexample.infinite_loss
        return
    t = Fraction(found[1])
    assert mechanism.check(f"{t}*eps").status == "private"
    assert mechanism.check(f"{t - Fraction(1, 100)}*eps").status == "violated"


def test_clamped_noise_is_the_table_written_out() -> None:
    clamped, table = (dipc.load(text_of(f"discrete/truncated_geometric{end}")) for end in ("", "_table"))
    for q in range(4):
        assert dict(clamped.distribution(q=q)) == dict(table.distribution(q=q))


# --- Sparse: delta > 0 (DiPC, Table 6) -----------------------------------------------------------


@pytest.mark.parametrize(
    ("delta", "beyond"),
    [("exp(-3)", "3.6545"), ("exp(-2.5)", "6.2619"), ("exp(-2.125)", "13.0147"), ("129/1000", "29.3824")],
)
def test_sparse_fails_beyond(delta: str, beyond: str) -> None:
    found = verdict("svt/sparse", f"eps/2, {delta}").counterexample
    assert found is not None
    assert (plain(found.input), plain(found.neighbour)) == ("[0 0 1]", "[1 1 0]")
    assert [plain(output) for output in found.outputs] == ["[bot bot top]"]
    ((low, high),) = found.violated_for
    assert abs(Fraction(low) - Fraction(beyond)) < Fraction(1, 10**4)
    assert high == "inf"


# --- the least t: (t*eps, 0)-private for every eps -----------------------------------------------


@pytest.mark.parametrize(
    ("delta", "until"), [("exp(-3)", "3.6545"), ("exp(-2.125)", "13.0146"), ("129/1000", "29.3823")]
)
def test_sparse_holds_before(delta: str, until: str) -> None:
    """No other pair and no other set of outputs breaks the claim earlier."""
    assert verdict("svt/sparse", f"eps/2, {delta} for eps in (0, {until}]").status == "private"


# --- named corner cases --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["noisy_max/nmax2", "histogram/hist1", "randomized_response/rand1"])
def test_equality_for_every_eps(name: str) -> None:
    result = verdict(name)
    assert result.status == "private"
    assert result.counts.identities > 0


def test_the_chain_of_svt1_grows_linearly() -> None:
    sizes = [len(dipc.load(text_of("svt/svt1"), N=n).chain(q=(0,) * n)) for n in range(1, 9)]
    steps = {b - a for a, b in pairwise(sizes[1:])}
    assert len(steps) == 1
