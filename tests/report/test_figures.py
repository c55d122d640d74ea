"""``dipc plot``: what is drawn is what the exact functions say."""

from __future__ import annotations

import sys
from math import exp, isclose, log
from pathlib import Path
from xml.etree import ElementTree

import pytest
from flint import fmpq

import dipc
from dipc.cli.main import status
from dipc.dipwhile.panels.figures import axis_of, panels_of, plot_mechanism
from dipc.dipwhile.panels.page import report_html
from dipc.dipwhile.panels.study import Subject, study
from dipc.errors import InputError, LimitReached
from dipc.report.attempts import Attempts
from dipc.report.canvas import Line, sheet
from dipc.report.words import nice

SVT4 = dipc.load("svt4", N=2)
HIST2 = dipc.load("hist2", N=1)
Capture = pytest.CaptureFixture[str]


def axes_of(mechanism: dipc.Mechanism, what: str, **options: object) -> dict[str, object]:
    figure = plot_mechanism(mechanism, what, **options)  # type: ignore[arg-type]
    return {axes.get_title(loc="left"): axes for axes in figure.axes}


def test_the_loss_is_the_greatest_ratio() -> None:
    """Against all outputs of all neighbours, in floats."""
    axes = axes_of(SVT4, "loss")["Privacy loss"]
    line = next(line for line in axes.lines if line.get_label() == "privacy loss")
    for eps in ("1/2", 2, 7):
        worst = 0.0
        for u in ((a, b) for a in (-1, 0, 1) for b in (-1, 0, 1)):
            for v in ((a, b) for a in (-1, 0, 1) for b in (-1, 0, 1)):
                if max(abs(x - y) for x, y in zip(u, v, strict=True)) <= 1:
                    p, q = SVT4.distribution(q=u).at(eps), SVT4.distribution(q=v).at(eps)
                    worst = max(worst, *(log(float(p[o]) / float(q[o])) for o in p))
        xs, ys = line.get_data()
        at = float(dipc.ExpPoly.of(fmpq(1, 2) if eps == "1/2" else eps))
        near = min(range(len(xs)), key=lambda i: abs(xs[i] - at))
        slope = (ys[near] - ys[near - 1]) / (xs[near] - xs[near - 1])
        assert isclose(ys[near] + slope * (at - xs[near]), worst, rel_tol=1e-3)


def test_the_shade_ends_where_the_claim_breaks() -> None:
    axes = axes_of(HIST2, "loss")["Privacy loss"]
    (shade,) = axes.patches
    assert (shade.get_x(), shade.get_x() + shade.get_width()) == (0, 1)
    assert shade.get_label() == "broken for 0 < ε < 1"
    crossing = axes_of(SVT4, "region")["By how much"]
    assert [p.get_label() for p in crossing.patches] == [
        "broken by it for 0 < ε < 2.0319164994 (rounded inwards)"
    ]
    assert crossing.patches[0].get_width() == pytest.approx(2.0319164994)


def test_the_factor_meets_the_least_budget() -> None:
    svt1 = dipc.load("svt1", N=2)
    axes = axes_of(svt1, "all")["Privacy loss per ε"]
    lines = {line.get_label(): line for line in axes.lines}
    assert lines["claim: t = 1"].get_ydata()[0] == 1
    heights = lines["privacy loss / ε"].get_ydata()
    exact = svt1.budget().least.exact
    least = lines[f"least t = {exact}"].get_ydata()[0]
    assert least == float(exact) and all(y < least for y in heights[1:]) and heights[-1] > 0.85 * least


def test_the_profile_and_its_claim() -> None:
    sparse = dipc.load("sparse")
    axes = axes_of(sparse, "profile")["Least δ for 1/2·ε"]
    lines = {line.get_label(): line for line in axes.lines}
    top = float(sparse.profile().least.exact)
    assert max(lines["least δ"].get_ydata()) < top < lines["claim: δ = exp(-2)"].get_ydata()[0]
    assert max(lines["least δ"].get_ydata()) > 0.6 * top


def test_distributions_of_the_pair_that_was_asked_for() -> None:
    found = axes_of(SVT4, "distributions", pair=("q=[0,0]", "q=[1,1]"), at="1/2", digits=6)
    bars = found["Output distributions at ε = 1/2"]
    laws = [SVT4.distribution(q=u).at("1/2") for u in ([0, 0], [1, 1])]
    assert [p.get_width() for p in bars.patches] == pytest.approx(
        [float(p) for d in laws for p in d.values()]
    )
    assert [t.get_text().strip() for t in bars.texts] == [
        p.decimal(None, 6) for d in laws for p in d.values()
    ]
    lines = found["Output distributions for all ε"].lines
    assert sum(len(line.get_xdata()) > 2 for line in lines) == 2 * 3


def test_equal_curves_do_not_hide_each_other() -> None:
    """On [-1, 0, 0] the second and the third place are equally likely; each of both lines has a gap."""
    lines = axes_of(dipc.load("nmax2"), "distributions", pair=("q=[-1,0,0]", "q=[0,-1,1]"))[
        "Output distributions for all ε"
    ].lines
    drawn = [(tuple(line.get_ydata()), line.get_linestyle()) for line in lines if len(line.get_xdata()) > 2]
    shared = [style for heights, style in drawn if sum(heights == other for other, _ in drawn) == 2]
    assert shared == ["--", "--"]
    assert len({heights for heights, _ in drawn}) == 5


def test_the_same_on_both_inputs_is_drawn_once() -> None:
    axes = axes_of(SVT4, "distributions", pair=("q=[-1,0]", "q=[0,-1]"))["Output distributions for all ε"]
    names = [line.get_label() for line in axes.lines]
    assert "[bot, bot] (u and u′)" in names and "[bot, top]" in names
    assert sum(len(line.get_xdata()) > 2 for line in axes.lines) == 2 * 3 - 1


def test_budgets_choose_the_axis() -> None:
    span = axis_of(study(Subject(SVT4, interval="[1/2, 3]"), Attempts(), ()), None, None, None)
    assert (span.low, span.high, span.log) == (fmpq(1, 2), 3, False)
    span = axis_of(study(Subject(SVT4, claim="eps for eps in [1/2, 1/2]"), Attempts(), ()), None, None, None)
    assert (span.low, span.high) == (0, 1)
    span = axis_of(study(Subject(SVT4), Attempts(), ()), "1/10", 100, True)
    assert (span.low, span.high, span.log) == (fmpq(1, 10), 100, True)


def test_the_interval_is_that_of_the_claim() -> None:
    subject = Subject(dipc.load("sparse"), interval="(0, 1]")
    assert str(subject.goal) == "(1/2*eps, exp(-2))-private for every eps in (0, 1]"
    assert (
        str(Subject(SVT4, claim="2*eps", interval="(0, 1]").goal) == "(2*eps)-private for every eps in (0, 1]"
    )


def test_nothing_private_is_shown_broken() -> None:
    found = study(Subject(dipc.load("svt1", N=2)), Attempts())
    assert [panel.kind for panel in panels_of(found)] == ["loss", "factor", "bars", "curves"]
    assert not any("broken" in panel.words for panel in panels_of(found))


def test_the_title_says_what_is_claimed_and_what_came_of_it() -> None:
    title = plot_mechanism(SVT4, "region").get_suptitle()
    assert "claim: (ε)-private for every ε in (0, ∞): VIOLATED" in title


def test_failures_have_names() -> None:
    with pytest.raises(InputError, match="no region to plot: the verdict is private"):
        plot_mechanism(SVT4, "region", "3/2*eps")
    with pytest.raises(InputError, match="no plot of `lines`"):
        plot_mechanism(SVT4, "lines")
    with pytest.raises(InputError, match="the program makes no claim"):
        plot_mechanism(dipc.load("output o in {0}; adjacent all; o <- 0"), "profile")


def test_what_takes_too_long() -> None:
    """Asked for alone it is an error; among others it is left out and noted."""
    mechanism = dipc.load("svt1", N=5)
    with dipc.limits(seconds=0):
        with pytest.raises(LimitReached):
            plot_mechanism(mechanism, "loss")
        found = study(Subject(mechanism), Attempts())
    assert found.loss is None and found.budget is None
    assert {note.part for note in found.notes} >= {"the privacy loss", "the least budget"}


def test_names_are_no_formulas(tmp_path: Path) -> None:
    """A dollar sign would begin a formula of matplotlib, and end with an error."""
    path = tmp_path / "a$b$_{.dip"
    path.write_text("input q in {0, 1}; output o in {0, 1}; adjacent all; private eps; o <- q")
    plot_mechanism(dipc.load(path)).savefig(tmp_path / "x.png")
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")


def test_long_outputs(tmp_path: Path) -> None:
    found = study(Subject(dipc.load("rand1", N=4)), Attempts())
    bars = next(panel for panel in panels_of(found) if panel.kind == "bars")
    assert "8 of 16 outputs" in bars.words
    (axes,) = sheet([bars]).axes
    assert len(axes.get_yticklabels()) == 8


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_the_command(ending: str, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / f"x.{ending}"
    assert status(["plot", "svt4", "-D", "N=2", "--what", "region", "-o", str(out)]) == 0
    assert capsys.readouterr().out == f"wrote {out}\n"
    data = out.read_bytes()
    assert data.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending])
    if ending == "svg":
        ElementTree.fromstring(data)


def test_the_command_refuses(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert status(["plot", "svt4", "-o", "x.gif"]) == 2
    assert "written as .png, .svg, .pdf" in capsys.readouterr().err
    assert status(["plot", "svt1", "-D", "N=5", "--what", "loss", "--time-limit", "0"]) == 3
    assert status(["plot", "svt1", "--what", "region", "--time-limit", "0"]) == 3
    assert "the verdict is undecided: the time limit was reached" in capsys.readouterr().err
    assert status(["plot", "svt4", "-D", "N=2", "--what", "loss"]) == 0
    assert (tmp_path / "svt4.png").exists()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert status(["plot", "svt4", "-D", "N=2", "--what", "loss"]) == 2
    assert "pip install matplotlib" in capsys.readouterr().err


def test_nice() -> None:
    assert nice("(1/2*eps)-private for every eps in (0, inf)") == "(1/2·ε)-private for every ε in (0, ∞)"
    assert nice("information") == "information"


@pytest.mark.parametrize(
    ("claim", "titles"),
    [
        ("private renyi 3, eps/4", ["Rényi divergence of order 3", "Rényi divergence of order 3 per ε"]),
        ("private range eps/4", ["Range", "Range per ε"]),
        ("accurate b = q, 1/4", ["Privacy loss", "Privacy loss per ε", "Probability of an error"]),
        ("private eps*abs(q - q')/4", ["Privacy loss", "Privacy loss per ε"]),
    ],
)
def test_every_claim_has_its_panels(claim: str, titles: list[str]) -> None:
    """The measure against its bound at eps = 1 and, as each claim is violated, the counterexample."""
    text = "input q in {0, 1}; output b in {0, 1}; adjacent all\nCLAIM\n"
    text += "b <- choose {q: exp(eps)/(1 + exp(eps)), 1 - q: 1/(1 + exp(eps))}"
    mechanism = dipc.load(text.replace("CLAIM", claim))
    found = study(Subject(mechanism, at="1", interval="(0, 2]"), Attempts(strict=True))
    panels = panels_of(found)
    shown = [panel.title for panel in panels]
    assert shown[: len(titles)] == titles and shown[-2:] == ["The counterexample", "By how much"]
    lines = [mark for mark in panels[len(titles) - 1].marks if isinstance(mark, Line)]
    e = exp(1)
    p, q = e / (1 + e), 1 / (1 + e)
    expected = {"renyi": log(p**3 / q**2 + q**3 / p**2) / 2, "range": 2.0, "accurate": q, "eps": 1.0}
    value = next(number for word, number in expected.items() if word in claim)
    xs, ys = lines[0].xs, lines[0].ys
    nearest = min(range(len(xs)), key=lambda i: abs(xs[i] - 1))
    assert abs(ys[nearest] - value) < 0.02
    assert any(line.name.startswith("claim: ") for line in lines) == ("abs" not in claim)
    assert "The counterexample" in report_html(mechanism)
