"""What a notebook shows: cells run by IPython, and the HTML is well formed."""

from __future__ import annotations

from pathlib import Path

import pytest
from report.markup import Reader

import dipc
from dipc.claims.verdict import Undecided

ROOT = Path(__file__).parent.parent.parent
SVT4 = ROOT / "programs" / "svt" / "svt4.dip"


@pytest.fixture(scope="module")
def svt() -> dipc.Mechanism:
    return dipc.load(SVT4, N=2)


def test_views(svt: dipc.Mechanism) -> None:
    law = Reader(svt.distribution(q=(0, 1))._repr_html_())
    assert "out=[bot, top]" in law.text and "13/56·e−3ε/4" in law.text
    verdict = Reader(svt.check()._repr_html_())
    assert "VIOLATED" in verdict.text and "0 < ε < 2.0319164994" in verdict.text
    assert "0.1374685975" in verdict.text and "q = [0, -1]" in verdict.text
    assert "PRIVATE" in Reader(svt.check("3/2*eps")._repr_html_()).text
    shown = Reader(svt._repr_html_())
    assert shown.text.strip().endswith(svt.program.source.text.strip()) and "N = 2" in shown.text
    assert "21 states" in Reader(svt.chain(q=(0, 1))._repr_html_()).text


def test_an_undecided_verdict_tells_what_is_open(svt: dipc.Mechanism) -> None:
    with dipc.limits(seconds=0):
        verdict = svt.check()
    assert isinstance(verdict, Undecided)
    assert verdict.reason in Reader(verdict._repr_html_()).text


def test_programs_cannot_inject_markup() -> None:
    text = "# <script>alert(1)</script> & so on\noutput o in {0, 1}\no <- 1"
    html = dipc.load(text)._repr_html_()
    assert "<script" not in html and text in Reader(html).text


def test_views_have_no_colour_of_their_own(svt: dipc.Mechanism) -> None:
    """Text and background are those of the page, so that dark pages stay readable."""
    for shown in (svt, svt.distribution(q=(0, 1)), svt.check()):
        html = shown._repr_html_()
        assert "background" not in html and "color:" not in html


def test_cells_in_ipython(svt: dipc.Mechanism) -> None:
    """The display data of cells, by the real formatters of IPython."""
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    shell.display_formatter.active_types = shell.display_formatter.format_types  # a terminal shows text only
    cells = {
        f"import dipc; m = dipc.load({str(SVT4)!r}, N=2); m": {"text/html", "text/plain"},
        "m.distribution(q=(0, 1))": {"text/html", "text/plain"},
        "m.check()": {"text/html", "text/plain"},
        'm.distribution(q=(0, 1)).of(["bot", "top"])': {"text/latex", "text/plain"},
        "m.check().plot()": {"image/png", "text/plain"},
    }
    for cell, kinds in cells.items():
        result = shell.run_cell(cell)
        result.raise_error()
        data, _ = shell.display_formatter.format(result.result)
        assert kinds <= data.keys(), cell
        assert len(data["text/plain"]) < 400, cell
