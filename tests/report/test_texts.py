"""How tightness and explanations show themselves: at the prompt, printed and in a notebook."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from report.markup import Reader

import dipc
from dipc.claims.tightness.least_epsilon import LeastEpsilon
from dipc.cli.main import cli

PROGRAMS = Path(__file__).parent.parent.parent / "programs"
SPARSE = str(PROGRAMS / "svt" / "sparse.dip")
HIST = str(PROGRAMS / "histogram" / "hist2.dip")
SVT4 = str(PROGRAMS / "svt" / "svt4.dip")


def printed(*arguments: str) -> list[str]:
    """What the terminal prints, without the program, its warnings, the time and what to type next."""
    lines = CliRunner().invoke(cli, list(arguments)).stdout.rstrip("\n").split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith("program "))
    return [line for line in lines[first + 1 :] if not line.startswith("time ")]


def unpadded(text: str) -> list[list[str]]:
    """The words of the lines: the width of the first column depends on the headings."""
    return [line.split() for line in text.split("\n")]


@pytest.fixture(scope="module")
def sparse() -> dipc.Mechanism:
    return dipc.load(SPARSE, N=2)


@pytest.fixture(scope="module")
def hist() -> dipc.Mechanism:
    return dipc.load(HIST, N=1)


def test_budget(sparse: dipc.Mechanism) -> None:
    found = sparse.budget()
    assert unpadded(str(found)) == [line.split() for line in printed("budget", SPARSE, "-D", "N=2")]
    assert repr(found) == f"LeastEpsilon(t={found.least.exact}, approached as eps -> inf)"


def test_columns_are_aligned(sparse: dipc.Mechanism) -> None:
    lines = str(sparse.budget()).split("\n")
    assert lines[0].startswith("budgets    every ε in") and lines[1].startswith("least t    ")
    assert {len(line[:11].rstrip()) < 10 and line[11] != " " for line in lines} == {True}


def test_enclosed_and_infinite_budgets() -> None:
    named = dipc.load(PROGRAMS / "svt" / "svt1.dip", N=2).budget(budgets="(0, 1]", width="1e-3")
    assert repr(named).startswith("LeastEpsilon(t=ln((5*exp(1))/(-1 + 6*exp(1/2))) ≈ 0.4242")
    enclosed = LeastEpsilon(named.budgets, replace(named.least, name=None), named.witnesses)
    assert repr(enclosed).startswith("LeastEpsilon(t=between 0.")
    infinite = dipc.load(PROGRAMS / "svt" / "svt5.dip", N=2).budget()
    assert repr(infinite) == "LeastEpsilon(t=infinite, attained at every eps)"


def test_profile(sparse: dipc.Mechanism) -> None:
    found = sparse.profile("eps/2")
    told = printed("profile", SPARSE, "-D", "N=2", "--epsilon", "eps/2")
    assert unpadded(str(found)) == [line.split() for line in told]
    assert repr(found) == f"Profile(1/2*eps: delta={found.least.exact})"
    assert str(found.curve).startswith("δ(ε)")


def test_loss_curve(hist: dipc.Mechanism) -> None:
    curve = hist.loss_curve()
    assert str(curve).split("\n")[0] == "loss  1/ε   for 0 < ε < inf"
    assert repr(curve) == "Curve(1 segment)"


def test_regions(hist: dipc.Mechanism) -> None:
    found = hist.violating_budgets()
    assert unpadded(str(found)) == [line.split() for line in printed("regions", HIST, "-D", "N=1")]
    assert repr(found) == "Regions(broken for 0 < eps < 1)"
    assert repr(hist.violating_budgets("eps for eps in [2, 3]")) == "Regions(broken for no eps)"


def test_explanation() -> None:
    found = dipc.load(SVT4, N=2).explain()
    told = printed("explain", SVT4, "-D", "N=2")
    assert unpadded(str(found)) == [line.split() for line in told[: told.index("Next") - 1]]
    assert repr(found) == "Explanation(q = [-1, 0] against q = [0, -1], output out = [bot, top], eps = 1)"


def test_tables_hold_what_is_printed(sparse: dipc.Mechanism, hist: dipc.Mechanism) -> None:
    for found in (sparse.budget(), sparse.profile(), sparse.loss_curve(), hist.violating_budgets()):
        cells = Reader(found._repr_html_()).cells
        assert [word for cell in cells for word in cell.split()] == str(found).split()
        assert len(cells) == 2 * len(str(found).split("\n"))


def test_the_table_of_an_explanation() -> None:
    found = dipc.load(SVT4, N=2).explain()
    html = found._repr_html_()
    lines = str(found).split("\n")
    cells = Reader(html).cells
    assert cells[:4] == ["claim", "(ε)-private for every ε in (0, inf)", "why these", lines[1][11:]]
    assert html.count("<table") == 4 and "<b>Where the loss comes from</b>" in html


def test_a_value_that_no_view_knows_still_has_a_text() -> None:
    class Other(dipc.dipwhile.mechanisms.views.Shown):
        pass

    assert (repr(Other()), str(Other())) == ("Other(...)", "Other(...)")
