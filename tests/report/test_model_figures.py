"""Plots and pages about formulas on Markov models."""

from __future__ import annotations

import re
from math import exp, isclose, log
from pathlib import Path
from typing import Any

import pytest

import dipc
from dipc.dpctl.model import MDP, MarkovChain, load_model
from dipc.errors import InputError

pytest.importorskip("matplotlib")
assert dipc.load is not None  # with it come the views

SURVEY = MarkovChain(
    {"plus": {"yes": "3/4", "no": "1/4"}, "minus": {"yes": "1/4", "no": "3/4"}},
    labels={"out_1": ["yes"]},
    neighbours=[("plus", "minus")],
)


def panel(figure: Any, title: str) -> Any:
    (found,) = [axes for axes in figure.axes if axes.get_title(loc="left").startswith(title)]
    return found


def at(axes: Any, name: str, x: float) -> float:
    """The height of a curve at a point that was sampled."""
    (line,) = [line for line in axes.get_lines() if line.get_label() == name]
    near = min(range(len(line.get_xdata())), key=lambda i: abs(line.get_xdata()[i] - x))
    assert isclose(line.get_xdata()[near], x)
    return float(line.get_ydata()[near])


def test_probabilities_margins_and_regions() -> None:
    figure = SURVEY.plot("D[eps, 0](X out_1) & P>=1/2 (X out_1) from plus")
    assert isclose(at(panel(figure, "D["), "plus", 2.0), 0.75)
    assert isclose(at(panel(figure, "D["), "minus", 2.0), 0.25)
    assert isclose(at(panel(figure, "Margin of D"), "plus", 2.0), exp(2) / 4 - 0.75)
    assert isclose(at(panel(figure, "Margin of D"), "plus", 0.5), exp(0.5) / 4 - 0.75)
    assert isclose(at(panel(figure, "Margin of P"), "plus", 1.0), 0.25)
    other = panel(SURVEY.plot("D[eps, 0](X out_1) from minus"), "Margin")  # the same pair the other way round
    assert isclose(at(other, "minus", 2.0), exp(2) / 4 - 0.75)
    (bar,) = panel(figure, "For which").patches
    assert isclose(bar.get_x(), log(3), rel_tol=1e-6) and isclose(bar.get_x() + bar.get_width(), 4)


def test_the_margin_is_negative_exactly_where_the_formula_fails() -> None:
    model = load_model("svt4", {"N": "2"})
    figure = model.plot('D[eps, 0](F "out = [bot, top]") from "q=[-1, 0]"')
    (line, _) = panel(figure, "Margin").get_lines()
    (bar,) = panel(figure, "For which").patches
    low = bar.get_x()
    for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True):
        assert x == 0 or abs(x - low) < 1e-6 or (y >= 0) is (x > low)


def test_the_ends_of_the_axis() -> None:
    figure = SURVEY.plot("D[eps, 0](X out_1) for eps in (1/2, 2]")
    assert panel(figure, "For which").get_xlim() == (0.5, 2.0)
    assert panel(SURVEY.plot("D[eps, 0](X out_1)", 1, 3), "For which").get_xlim() == (1.0, 3.0)
    with pytest.raises(InputError, match="a question at one eps cannot be plotted"):
        SURVEY.plot(SURVEY.property("D[eps, 0](X out_1)", at=1))


def test_a_page(tmp_path: Path) -> None:
    page = SURVEY.report("D[eps, 0](X out_1)", tmp_path / "a.html", title="<Survey>").read_text(
        encoding="utf-8"
    )
    assert "<title>&lt;Survey&gt;: fails</title>" in page and "<script" not in page
    for text in ("Fails", "3/4 - 1/4·e<sup>ε</sup>", "For which ε", "plus ~ minus"):
        assert text in page
    assert (page.count("<svg"), page.count("<img")) == (3, 1)
    assert not re.search(r"""(src|href)=["']https?:|@import|url\(http""", page)
    at_one = SURVEY.report(SURVEY.property("D[eps, 0](X out_1)", at=2), tmp_path / "b.html")
    assert "Holds" in at_one.read_text(encoding="utf-8")
    with pytest.raises(InputError, match="a report is a page of HTML"):
        SURVEY.report("true", tmp_path / "a.pdf")


def test_formats_of_python() -> None:
    assert SURVEY.export("dpm").startswith("chain\nplus -> {yes: 3/4, no: 1/4}\n")
    with pytest.raises(InputError, match="there is no format `dmp`"):
        SURVEY.export("dmp")
    assert MDP({("s", "L"): "s"}).export("drn").startswith("// names s\n")
