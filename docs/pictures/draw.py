"""Draw the pictures of the documents: ``python docs/pictures/draw.py``.  Needs Graphviz and matplotlib."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt

import dipc
from dipc import ExpPoly
from dipc.dipwhile.allsizes.verdict import ProvedForAll
from dipc.dipwhile.allsizes.wording import moves
from dipc.dpctl import picture as formula_picture
from dipc.signs.derivatives import chain_values

HERE = Path(__file__).parent
BLUE, RED, GREEN, GREY = "#3949ab", "#c62828", "#2e7d32", "#757575"
BOX = {"facecolor": "white", "edgecolor": "none", "pad": 1}
STYLE = {
    "svg.hashsalt": "dipc",
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 2.2,
}


def save(figure: Any, name: str) -> None:
    figure.savefig(HERE / name, metadata={"Date": None}, bbox_inches="tight")
    plt.close(figure)


def grid(low: float, high: float, steps: int = 300) -> list[float]:
    return [low + (high - low) * k / steps for k in range(steps + 1)]


def at(function: Any, x: float) -> float:
    """The value of an exact function, rounded for a picture."""
    return float(function.decimal(str(round(x, 6))))


def chains() -> None:
    """The parametrized chain of two programs on one input each."""
    for name, values in (("rand1", (True,)), ("svt1", (1,))):
        picture = dipc.load(name, N=1).export("svg", input={"q": values})
        (HERE / f"chain_{name}.svg").write_text(picture, encoding="utf-8")


def derivative_chain() -> None:
    """Why f_k(0) >= 0 for all k proves f >= 0, for f = -3 - exp(x/2) + 4 exp(3x/4)."""
    f = ExpPoly.exp("3/4") * 4 - ExpPoly.exp("1/2") - 3
    assert [(str(a), str(v)) for a, v in chain_values(f)] == [("0", "0"), ("1/2", "5/2"), ("3/4", "3/4")]
    panels = [
        (lambda x: 3 / 4, "exp(−¾x) · f₂", "3/4", "constant: f₃ = 0"),
        (lambda x: -1 / 2 + 3 * math.exp(x / 4), "exp(−½x) · f₁", "5/2", "its slope is exp(−½x) · f₂ ≥ 0"),
        (
            lambda x: float(4 * math.exp(3 * x / 4) - math.exp(x / 2) - 3),
            "f₀ = f",
            "0",
            "its slope is f₁ ≥ 0",
        ),
    ]
    figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.1))
    xs = grid(0, 1)
    for number, (axis, (g, name, start, why)) in enumerate(zip(axes, panels, strict=True)):
        top = max(1.2, 1.15 * g(1))
        axis.plot(xs, [g(x) for x in xs], color=BLUE)
        axis.fill_between(xs, [g(x) for x in xs], color=BLUE, alpha=0.1)
        axis.plot([0], [g(0)], "o", color=RED, markersize=9, clip_on=False, zorder=5)
        axis.annotate(start, (0.06, g(0) + 0.07 * top), color=RED, va="bottom", fontsize=13)
        axis.set_title(f"{number + 1}.  {name}", loc="left")
        axis.set_xlabel(f"x\nstarts at {start} ≥ 0;\n{why}")
        axis.set_ylim(0, top)
        axis.set_xticks([0, 1])
    figure.subplots_adjust(wspace=0.35)
    save(figure, "derivative_chain.svg")


def worst_sets() -> None:
    """The cells of a claim with delta > 0: NMax1, three counts, t = 1/4."""
    mechanism = dipc.load("nmax1", N=3)
    u, v = (mechanism.distribution(q=q) for q in ((0, 1, -1), (-1, 0, 0)))
    xs = grid(0.01, 8)
    curves = {str(o[0][1]): [at(u[o], x) - math.exp(x / 4) * at(v[o], x) for x in xs] for o in u}
    worst = [[o for o in curves if curves[o][i] > 1e-12] for i in range(len(xs))]
    figure, (above, below) = plt.subplots(2, 1, figsize=(8.5, 5), sharex=True, height_ratios=[3, 2])
    for (name, ys), colour in zip(curves.items(), (BLUE, GREEN, GREY), strict=True):
        above.plot(xs, ys, color=colour, label=f"g({name})")
    above.axhline(0, color="black", linewidth=0.8)
    above.set_ylim(-0.3, 0.2)
    above.legend(frameon=False)
    above.set_title("g(o) = P(u)(o) − exp(ε/4) · P(u')(o)", loc="left")
    below.plot(xs, [sum(max(0.0, ys[i]) for ys in curves.values()) for i in range(len(xs))], color=RED)
    below.set_title("the least δ for this pair: the sum over the worst set", loc="left")
    below.set_xlabel("ε")
    starts = [0] + [i for i in range(1, len(xs)) if worst[i] != worst[i - 1]]
    for number, start in enumerate(starts):
        end = starts[number + 1] if number + 1 < len(starts) else len(xs) - 1
        for axis in (above, below):
            axis.axvspan(xs[start], xs[end], color=BLUE, alpha=0.10 * (number % 2) + 0.02, linewidth=0)
            if number:
                axis.axvline(xs[start], color=GREY, linewidth=0.8, linestyle=":")
        label = "{" + ", ".join(worst[start]) + "}" if worst[start] else "∅"
        above.text((xs[start] + xs[end]) / 2, -0.27, label, ha="center", fontsize=12, bbox=BOX)
    above.text(8.05, -0.27, "worst set", fontsize=10)
    save(figure, "worst_sets.svg")


def tightness() -> None:
    """The privacy loss per eps, and its supremum: the least t."""
    figure, axis = plt.subplots(figsize=(8.5, 4))
    xs = grid(0.05, 40)
    for (name, n), colour in zip((("svt4", 2), ("svt1", 3), ("svt1", 1)), (RED, BLUE, GREEN), strict=True):
        mechanism = dipc.load(name, N=n)
        segments = mechanism.loss_curve().segments
        least = mechanism.budget().least.exact
        ys = [loss(segments, x) / x for x in xs]
        axis.plot(xs, ys, color=colour, label=f"{name}, N = {n}")
        level = float(least.p) / float(least.q)
        axis.plot([0, 40], [level, level], color=colour, linewidth=1, linestyle="--")
        axis.text(40.5, level, f"t = {least}", color=colour, va="center")
    axis.set_title("(greatest privacy loss) / ε", loc="left")
    axis.set_xlabel("ε")
    axis.set_ylim(0, 1.65)
    axis.set_xlim(0, 44)
    axis.legend(frameon=False, loc=(0.6, 0.52))
    save(figure, "tightness.svg")


def loss(segments: Any, x: float) -> float:
    """The greatest loss at x; each segment is the loss of some pair, so their maximum is correct."""
    return max(math.log(at(s.value, x)) for s in segments)


def survey() -> None:
    """Why the survey is not (1, 0)-private."""
    model = dipc.load_model("survey")
    picture = formula_picture.svg(model.model, model.check("D[1, 0](X out_1)").witness)
    (HERE / "survey_witness.svg").write_text(picture, encoding="utf-8")


def prior_map() -> None:
    """What an attacker learns of John in Example 5, if disease C has the probability 1/2."""
    figure = dipc.load("ex5-events").pufferfish(pC="1/2").plot(claim="ln(17/10)")
    figure.savefig(HERE / "prior_map.svg", metadata={"Date": None})


def moved_samples() -> None:
    """A run of SVT1 on u, and the run on u' with the same outputs: the samples moved as the proof says."""
    changes, outputs = (1, -1, 1, -1), ("bot", "bot", "bot", "top")
    threshold, samples = 0.3, (-1.3, -0.4, -2.1, 0.9)
    shift, cost = shifts_of_svt1()
    up, first = shift["", ""], cost["", ""]
    rounds = list(zip(outputs, changes, strict=True))
    moved = [r + shift[each] for r, each in zip(samples, rounds, strict=True)]
    xs = range(1, 5)
    figure, axis = plt.subplots(figsize=(5.6, 5.2))
    for level, colour, style, name in ((threshold, BLUE, "-", "rT"), (threshold + up, RED, "--", "rT + 1")):
        axis.plot([0.55, 4.45], [level, level], color=colour, linestyle=style)
        axis.text(4.5, level, name, color=colour, va="center", fontsize=13)
    axis.plot(xs, samples, color=BLUE, marker="o", markersize=9, linewidth=1, label="run on u")
    axis.plot(xs, moved, color=RED, marker="s", markersize=8, linewidth=1, linestyle="--", label="run on u'")
    for x, below, above in zip(xs, samples, moved, strict=True):
        arrow = {"arrowstyle": "->", "color": GREY, "linewidth": 1.6, "shrinkA": 6, "shrinkB": 6}
        axis.annotate("", (x, above), (x, below), arrowprops=arrow)
    rows = (
        ("output", outputs),
        ("q[i]", [signed(change) for change in changes]),
        ("r", [signed(shift[each]) for each in rounds]),
        ("cost", [exact(cost[each]) for each in rounds]),
    )
    for row, (name, cells) in enumerate(rows):
        axis.text(0.45, -3.3 - 0.5 * row, name, ha="right", color=GREY, fontsize=12)
        for x, cell in zip(xs, cells, strict=True):
            axis.text(x, -3.3 - 0.5 * row, cell, ha="center", fontsize=13)
    total = first + sum(cost[each] for each in rounds)
    axis.set_title(
        f"rT moves by {exact(up)}: cost {exact(first)}.   In all: {exact(total)}", loc="left", fontsize=13
    )
    axis.set_xlim(0.1, 5.2)
    axis.set_ylim(-5, 2.6)
    axis.set_axis_off()
    axis.legend(frameon=False, ncols=2, loc="upper left", fontsize=12)
    save(figure, "moved_samples.svg")


def shifts_of_svt1() -> tuple[dict[Any, Fraction], dict[Any, Fraction]]:
    """How far a sample moves, and what it costs, by the output and the change of the query; ``""``: rT."""
    answer = dipc.load("svt1").prove()
    assert isinstance(answer.verdict, ProvedForAll)
    shift: dict[Any, Fraction] = {}
    cost: dict[Any, Fraction] = {}
    for move in moves(answer.verdict.automaton, answer.strategies[0]):
        steps = {step.kind: step for step in move.edge.path}
        key: tuple[str, Any] = ("", "")
        if "output" in steps:
            key = steps["output"].text.split(" = ")[1], int(steps["label"].value)
        shift[key], cost[key] = Fraction(str(move.shift)), Fraction(str(move.cost))
    return shift, cost


def signed(number: Any) -> str:
    return f"{int(number):+d}".replace("-", "−")


def exact(number: Any) -> str:
    return str(number).replace("1/2", "½")


def main() -> None:
    matplotlib.use("svg")
    plt.rcParams.update(STYLE)
    for draw in (chains, derivative_chain, worst_sets, tightness, survey, prior_map, moved_samples):
        draw()


if __name__ == "__main__":
    main()
