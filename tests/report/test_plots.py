"""Plots: the points drawn are right, the axes say what they show, and matplotlib is optional."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest
from flint import fmpq

import dipc
from dipc.errors import InputError
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.report.canvas import MissingPackage
from dipc.report.sampling import Range, curve

ROOT = Path(__file__).parent.parent.parent
SVT4 = ROOT / "programs" / "svt" / "svt4.dip"
Z = Quotient(ExpPoly.exp(1))
EPS = Quotient(ExpPoly.of(1, 1))
P = Z / (1 + Z)


@pytest.fixture(scope="module")
def law() -> dipc.Distribution:
    return dipc.load(SVT4, N=2).distribution(q=(0, 1))


@pytest.mark.parametrize("log", [True, False])
def test_points_lie_on_the_curve(log: bool) -> None:
    xs, ys = curve(P, Range(fmpq(1, 100), fmpq(50), log))
    assert xs == sorted(xs) and xs[0] == 0.01 and xs[-1] == 50
    for x, y in zip(xs, ys, strict=True):
        assert math.isclose(y, math.exp(x) / (1 + math.exp(x)), rel_tol=1e-12)


def test_bends_get_more_points() -> None:
    """A bump of width 1 in a range of 1000: straight lines between few points would miss it."""
    bump = 1 / (1 + Quotient(ExpPoly.exp(20, -6000)) * 1) * (1 / (1 + Quotient(ExpPoly.exp(-20, 5980))))
    xs, _ = curve(bump, Range(fmpq(0), fmpq(1000), False))
    assert sum(295 < x < 305 for x in xs) > 3 * sum(695 < x < 705 for x in xs)


def test_poles_and_limits() -> None:
    _, ys = curve(1 / EPS, Range(fmpq(0), fmpq(1), False))
    assert math.isnan(ys[0]) and ys[-1] == 1
    _, ys = curve((Z - 1) / EPS, Range(fmpq(0), fmpq(1), False))
    assert ys[0] == 1


def test_differences_of_huge_numbers_are_exact() -> None:
    f = (Z + 1) / Z**2 - 1 / Z  # exp(-2 eps) after cancellation; as an ExpPoly it stays a difference
    _, ys = curve((1 + f) - 1, Range(fmpq(1), fmpq(300), True))
    assert math.isclose(ys[-1], math.exp(-600), rel_tol=1e-9)


def test_functions() -> None:
    figure = dipc.plot_functions({"p": P, "half": P / 2}, "1/10", 40, title="two", label="value")
    (axes,) = figure.axes
    assert axes.get_xscale() == "log" and axes.get_xlim() == (0.1, 40)
    assert axes.get_xlabel() == "privacy budget ε" and axes.get_ylabel() == "value"
    assert axes.get_title(loc="left") == "two"
    names = axes.get_legend_handles_labels()[1]
    assert names[0] == r"p:  $\frac{e^{\varepsilon}}{1 + e^{\varepsilon}}$"
    assert len({(line.get_color(), line.get_linestyle()) for line in axes.lines}) == 2
    assert P.plot(0, 10).axes[0].get_xscale() == "linear"
    assert P.plot("1/100", 10, log=False).axes[0].get_xscale() == "linear"
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_distributions(law: dipc.Distribution) -> None:
    other = dipc.load(SVT4, N=2).distribution(q=(1, 0))
    (axes,) = dipc.plot_distributions({"u": law, "v": other}, 1).axes
    heights = [bar.get_height() for bar in axes.patches]
    expected = [float(p) for d in (law, other) for p in d.at(1).values()]
    assert heights == expected and len(heights) == 6
    assert axes.get_xticklabels()[0].get_text() == "out=[bot, bot]"
    assert len(law.plot().axes[0].lines) == 3


def test_region() -> None:
    verdict = dipc.load(SVT4, N=2).check()
    above, below = verdict.plot().axes
    (shaded,) = below.patches
    assert shaded.get_x() + shaded.get_width() == pytest.approx(2.0319164994)
    low, high = above.get_xlim()
    assert low < 1 < 2.03 < high
    inside = [y for x, y in zip(*below.lines[0].get_data(), strict=True) if x < 2.03]
    assert all(y > 0 for y in inside)
    assert below.get_ylim()[1] < 0.01  # the small excess can be seen
    assert verdict.counterexample is not None and len(verdict.counterexample.plot(1, 5).axes) == 2


def test_a_private_verdict_has_no_region() -> None:
    with pytest.raises(InputError, match=r"private verdict has no counterexample to plot\n.*m\.plot\(\)"):
        dipc.load(SVT4, N=2).check("3/2*eps").plot()


@pytest.mark.parametrize(
    ("low", "high", "log", "message"),
    [
        (2, 1, None, "low < high"),
        (0, 1, True, "cannot begin at 0"),
        (-1, 1, None, "not be negative"),
        (0.5, 1, None, "exact number"),
    ],
)
def test_ranges_that_are_refused(low: object, high: object, log: bool | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        P.plot(low, high, log=log)  # type: ignore[arg-type]


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingPackage, match="pip install matplotlib"):
        P.plot()
    assert issubclass(MissingPackage, ImportError)


@pytest.mark.filterwarnings("error")
def test_plots_leave_global_settings_alone() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    shown = pytest.importorskip("matplotlib._pylab_helpers").Gcf.get_all_fig_managers
    before = dict(matplotlib.rcParams), shown()
    Quotient.of(1).plot()._repr_png_()
    assert (dict(matplotlib.rcParams), shown()) == before


# --- by the methods of mechanisms and curves -----------------------------------------------------

HIST2 = dipc.load("hist2", N=1)


def test_the_axis_and_the_claim_of_a_plot() -> None:
    (axes, *_) = HIST2.plot("loss", "2*eps", low=1, high=3).axes
    assert axes.get_xlim() == (1, 3)
    assert any(line.get_label() == "claim: 2·ε" for line in axes.lines)
    with pytest.raises(InputError, match="there is no plot of `losses`"):
        HIST2.plot("losses")


def test_a_loss_curve_is_drawn() -> None:
    (axes,) = HIST2.loss_curve().plot(1, 2, title="hist2").axes
    (line,) = axes.lines  # the loss is 1/eps
    assert all(math.isclose(y, 1 / x, rel_tol=1e-9) for x, y in zip(*line.get_data(), strict=True))
    assert (axes.get_xlim(), axes.get_ylabel()) == ((1, 2), "privacy loss")


def test_a_profile_is_drawn() -> None:
    profile = dipc.load("sparse", N=2).profile("eps/2")
    (axes,) = profile.plot(1, 2).axes
    assert axes.get_ylabel() == "least δ"
    exact = float(profile.curve.segments[0].value.at(2))
    assert math.isclose(axes.lines[-1].get_ydata()[-1], exact, rel_tol=1e-9)


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
