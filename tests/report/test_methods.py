"""What mechanisms and curves draw and write by their methods."""

from __future__ import annotations

from math import isclose
from pathlib import Path

import pytest

import dipc
from dipc.errors import InputError

HIST2 = dipc.load("hist2", N=1)


def test_a_mechanism_plots_what_the_command_draws() -> None:
    ours, theirs = HIST2.plot("loss", budgets="[1, 2]"), dipc.plot_mechanism(HIST2, "loss", budgets="[1, 2]")
    assert [axes.get_title(loc="left") for axes in ours.axes] == ["Privacy loss", "Privacy loss per ε"]
    for mine, other in zip(ours.axes, theirs.axes, strict=True):
        assert [list(line.get_ydata()) for line in mine.lines] == [
            list(line.get_ydata()) for line in other.lines
        ]


def test_the_axis_and_the_claim_of_a_plot() -> None:
    (axes, *_) = HIST2.plot("loss", "2*eps", low=1, high=3).axes
    assert axes.get_xlim() == (1, 3)
    assert any(line.get_label() == "claim: 2·ε" for line in axes.lines)
    with pytest.raises(InputError, match="there is no plot of `losses`"):
        HIST2.plot("losses")


def test_a_loss_curve_is_drawn() -> None:
    (axes,) = HIST2.loss_curve().plot(1, 2, title="hist2").axes
    (line,) = axes.lines  # the loss is 1/eps
    assert all(isclose(y, 1 / x, rel_tol=1e-9) for x, y in zip(*line.get_data(), strict=True))
    assert (axes.get_xlim(), axes.get_ylabel()) == ((1, 2), "privacy loss")


def test_a_profile_is_drawn() -> None:
    profile = dipc.load("sparse", N=2).profile("eps/2")
    (axes,) = profile.plot(1, 2).axes
    assert axes.get_ylabel() == "least δ"
    exact = float(profile.curve.segments[0].value.at(2))
    assert isclose(axes.lines[-1].get_ydata()[-1], exact, rel_tol=1e-9)


def test_a_curve_at_one_budget_is_a_number() -> None:
    with pytest.raises(InputError, match="is one number"):
        HIST2.loss_curve(at=1).plot()


def test_a_report_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    silent = dipc.load("input q in {0, 1}; output o in {0}; adjacent all; private eps; o <- 0")
    assert silent.report() == Path("report.html")
    assert silent.report(tmp_path / "page.html", "eps/2", title="Silence") == tmp_path / "page.html"
    assert "<title>" in Path("report.html").read_text(encoding="utf-8")
    assert "Silence" in Path("page.html").read_text(encoding="utf-8")
    with pytest.raises(InputError, match=r"page of HTML(.|\n)*\"page.html\""):
        silent.report("page.pdf")
