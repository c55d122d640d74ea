"""Figures of questions: points against exact answers, and what is drawn."""

from __future__ import annotations

from itertools import chain, combinations, product
from math import inf, log
from pathlib import Path
from typing import Any

import pytest
from flint import arb, fmpq

import dipc
import dipc.pufferfish.panels as maps
from dipc.cli.main import status
from dipc.clock import Clock
from dipc.errors import InputError, Source
from dipc.pufferfish.laws import Law, laws_of
from dipc.pufferfish.rational import Rational
from tests.pufferfish.small_models import above_threshold
from tests.pufferfish.test_program_export import CLINIC, asked

Capture = pytest.CaptureFixture[str]


def near(value: float) -> Any:
    return pytest.approx(value, abs=1e-12)


def model(text: str) -> dipc.PufferfishQuestion:
    return dipc.HiddenMarkovModel(Source("a.hmm", text)).question()


# --- the values that are drawn -------------------------------------------------------------------


def test_the_loss_of_a_program_is_its_budget() -> None:
    question = dipc.load("ex5-events").pufferfish(pC="1/2")
    subject = maps.subject_of(question.asking(None, None, Clock()), Clock())
    assert tuple(subject.axes) == ("pA", "pB")
    for u in ((fmpq(1, 3), fmpq(1, 5)), (fmpq(9, 10), fmpq(1, 7))):
        values = subject.values(u)
        c = question.fix(**{name: str(x) for name, x in values.items()}).budget().c
        assert subject.least(values).low == near(log(c))


def test_the_loss_of_a_program_with_eps() -> None:
    question = asked(CLINIC).fix(t="1/3", p="2/5")
    subject = maps.subject_of(question.asking(None, None, Clock()), Clock())
    assert tuple(subject.axes) == ("ε",)
    for u in (fmpq(1, 4), fmpq(2, 3)):
        values = subject.values((u,))
        posed = question.asking(None, None, Clock())
        of_eps, functions = posed.parameters.function_of_eps, laws_of(posed).values()
        first, second = (
            [float(of_eps(f).enclose(arb(values["ε"]))) for f in law.outputs.values()] for law in functions
        )
        both = [*zip(first, second, strict=True), *zip(second, first, strict=True)]
        assert subject.least(values).low == near(max(log(p / q) for p, q in both))
        assert subject.claim is not None
        assert maps.claimed(subject.claim, values) == near(2 * float(arb(values["ε"])))


def test_where_the_claim_is_violated() -> None:
    """For a claim in eps that is not where the loss is greatest."""
    question, claim = asked(CLINIC).fix(t="1/2"), "5/4*eps"
    subject, seen = maps.subject_of(question.asking(claim, None, Clock()), Clock()), set()
    assert subject.claim is not None
    for u in ((fmpq(1, 2), fmpq(1, 4)), (fmpq(1, 2), fmpq(19, 20)), (fmpq(1, 50), fmpq(19, 20))):
        values = subject.values(u)
        at, p = f"{float(arb(values['ε'])):.3f}", str(values["p"])
        violated = subject.least(values).low > maps.claimed(subject.claim, values)
        assert question.fix(p=p).check(claim, at=at).status == ("violated" if violated else "private")
        seen.add(violated)
    assert len(seen) == 2


def test_the_axis_of_eps() -> None:
    cases = {"eps": (0.1, 10.0), "eps for eps in (0, 2]": (0.02, 2.0), "eps for eps in [3, 4]": (3.0, 4.0)}
    for claim, ends in cases.items():
        subject = maps.subject_of(asked(CLINIC).fix(t="1/3", p="2/5").asking(claim, None, Clock()), Clock())
        found = [float(arb(subject.values((fmpq(u),))["ε"])) for u in (0, 1)]
        assert found == pytest.approx(list(ends))
        assert subject.axes["ε"].log == (ends[1] >= 50 * ends[0])


def test_an_output_that_only_one_secret_allows() -> None:
    text = """
        input q in {0, 1}; output o in {0, 1}; private ln(2)
        param p in (0, 1)
        prior
          q <- choose {1: p, 0: 1 - p}
        end
        secret q = 0 vs q = 1
        if q = 0 then o <- 0 else o <- uniform {0, 1} end
    """
    subject = maps.subject_of(asked(text).asking(None, None, Clock()), Clock())
    assert subject.least({"p": fmpq(1, 2)}).low == inf
    assert "infinite" in asked(text).plot(points=4).axes[0].get_legend_handles_labels()[1]


def test_a_tiny_probability_is_not_zero() -> None:
    posed = (
        asked(CLINIC.replace("DLap(eps", "DLap(400*eps")).fix(t="1/3", p="2/5").asking(None, None, Clock())
    )
    assert maps.subject_of(posed, Clock()).least({"ε": fmpq(100)}).high < inf


def subsets(items: list[int]) -> list[tuple[int, ...]]:
    return list(chain.from_iterable(combinations(items, n) for n in range(len(items) + 1)))


def test_delta_of_a_program() -> None:
    """The greatest P(O) - c P'(O), over all sets O of outputs."""
    posed = dipc.load("noisy-max-3").pufferfish().asking(None, None, Clock())
    numbers = [[dict(row).get(o, fmpq(0)) for o in range(3)] for row in posed.model.emissions]
    laws = [[fmpq(*map(int, str(p).split("/"))) for p in law] for law in numbers]
    for c in (fmpq(1), fmpq(3, 2), fmpq(24, 7)):
        worst = fmpq(0)
        for left, right in posed.pairs:
            ((a, _),), ((b, _),) = left.weights, right.weights
            for chosen in subsets([0, 1, 2]):
                worst = max(worst, sum((laws[a][o] - c * laws[b][o] for o in chosen), fmpq(0)))
        assert maps.delta_of_question(Rational(posed, Clock()), 1, c) == near(float(arb(worst)))
        assert (worst == 0) == (c == fmpq(24, 7))


def law_of(question: Any, side: Any, horizon: int) -> dict[tuple[str, ...], fmpq]:
    found: dict[tuple[str, ...], fmpq] = {}
    for word, p in Law(question, side).sequences(horizon, Clock()):
        number = p.as_rational()
        found[word] = found.get(word, fmpq(0)) + fmpq(number.numerator, number.denominator)
    return found


def test_delta_of_a_model() -> None:
    """The sum over all sequences."""
    question = above_threshold(5)
    problem = Rational(question, Clock())
    pairs = [[law_of(question, side, 5) for side in pair] for pair in question.pairs]
    for c in (fmpq(1), fmpq(2), fmpq(7, 2), fmpq(4)):
        excesses = [[p - c * right.get(word, fmpq(0)) for word, p in left.items()] for left, right in pairs]
        worst = max(sum((x for x in each if x > 0), fmpq(0)) for each in excesses)
        assert maps.delta_of_question(problem, 5, c) == near(float(arb(worst)))
        assert (worst == 0) == (c == 4)


DEPENDENT = """
    param p in (0, 1), q in (0, 1 - p)
    observe a, b
    state s emits {a: p + q, b: 1 - p - q} next s
    state t emits {a: 1/2, b: 1/2} next s
    compare s, t; horizon 2; private ln(2)
"""


def test_the_map_of_a_model_is_its_budget() -> None:
    subject = maps.subject_of(model(DEPENDENT).question, Clock())
    for u in ((fmpq(1, 3), fmpq(1, 2)), (fmpq(3, 4), fmpq(1, 8))):
        p, q = u[0], u[1] * (1 - u[0])
        assert subject.values(u) == {"p": p, "q": q}
        same = DEPENDENT.replace("param p in (0, 1), q in (0, 1 - p)", f"let p = {p}\n let q = {q}")
        assert subject.least(subject.values(u)).low == near(log(model(same).budget().c))


# --- the drawings --------------------------------------------------------------------------------


def test_a_curve_with_its_claim() -> None:
    (axes,) = dipc.load("ex5-events").pufferfish(pB="1/2", pC="1/2").plot(points=4).axes
    assert axes.get_legend_handles_labels()[1] == ["least ε", "claim ln(2)"]
    drawn, claimed = axes.lines
    assert list(drawn.get_xdata()) == [0.25, 0.5, 0.75]
    assert list(claimed.get_ydata()) == pytest.approx([log(2)] * 2)
    assert axes.get_xlabel() == "pA"


def test_a_map_and_the_border_of_the_claim() -> None:
    question = dipc.load("ex5-events").pufferfish(pC="1/2")
    axes, bar = question.plot(points=4, claim="ln(8/5)").axes
    assert (axes.get_xlabel(), axes.get_ylabel(), bar.get_ylabel()) == ("pA", "pB", "least ε")
    assert axes.get_legend_handles_labels()[1] == ["claim violated"]
    assert axes.collections[0].get_array().shape == (4, 4)
    assert question.plot(points=4).axes[0].get_legend() is None  # the claim holds everywhere


def test_cells_outside_of_the_class_are_empty() -> None:
    text = """
        param p in (0, 1), q in (0, 1); where p + q <= 1
        observe a, b
        state s emits {a: p, b: 1 - p} next stop; state t emits {a: q, b: 1 - q} next stop
        compare s, t; horizon 1
    """
    axes = model(text).plot(points=4).axes[-2]
    shown = axes.collections[0].get_array()
    assert shown.mask.tolist() == [[x + y > 3 for x in range(4)] for y in range(4)]


@pytest.mark.parametrize("where", ["", "where p + q <= 1"])
def test_hatches_end_where_the_class_ends(where: str) -> None:
    """The claim fails where p < 1/4, and where p > 3/4, for every q: up to the border of the map."""
    text = f"""
        param p in (0, 1), q in (0, 1); {where}
        observe a, b, c
        state s emits {{a: p/2, b: (1 - p)/2, c: 1/2}} next stop
        state t emits {{a: 1/4, b: 1/4, c: 1/2}} next stop
        start u {{s: q, t: 1 - q}}; start v {{t: 1}}
        compare s -> t; horizon 1; private ln(3/2)
    """
    axes = next(axes for axes in model(text).plot(points=6).axes if axes.get_ylabel() == "q")
    hatched = next(each for each in axes.collections if getattr(each, "hatches", None))
    (region,) = hatched.get_paths()
    for p, q in product((0.01, 0.1, 0.4, 0.6, 0.95, 0.99), (0.01, 0.3, 0.7, 0.99)):
        if not where or p + q < 0.8:
            assert region.contains_point((p, q)) == (p < 1 / 4 or p > 3 / 4), (p, q)


def test_infinite_cells() -> None:
    text = """
        param p in (0, 1), q in (0, 1)
        observe a, b
        state s emits {a: p, b: 1 - p} next stop; state t emits a next stop
        start d {s: q, t: 1 - q}; compare d -> t; horizon 1; private ln(2)
    """
    axes = next(axes for axes in model(text).plot(points=3).axes if axes.get_xlabel() == "p")
    assert axes.get_legend_handles_labels()[1] == ["infinite", "claim violated"]
    _, beyond = axes.collections[:2]
    assert beyond.norm(0.0) == 0.5  # grey, not the white of the paper


def test_delta_is_drawn() -> None:
    (axes,) = dipc.load("noisy-max-3").pufferfish().plot(points=8).axes
    values = list(axes.lines[0].get_ydata())
    assert values == sorted(values, reverse=True)
    assert values[0] > 0 == values[-1]
    (axes,) = dipc.load("ex2").question().plot(what="delta", points=8).axes
    assert axes.get_ylabel() == "least δ"


def test_one_eps() -> None:
    """A program at one eps is drawn as it is there."""
    question = asked(CLINIC).fix(t="1/2")
    alone, all_ = (maps.subject_of(question.asking("5/4*eps", at, Clock()), Clock()) for at in (2, None))
    assert (tuple(alone.axes), tuple(all_.axes)) == (("p",), ("p", "ε"))
    values = alone.values((fmpq(1, 3),))
    both = {**values, "ε": fmpq(2)}
    assert alone.claim is not None and all_.claim is not None
    assert maps.claimed(alone.claim, values) == near(5 / 2) == maps.claimed(all_.claim, both)
    assert alone.least(values).low == near(all_.least(both).low)
    (axes,) = question.plot(at=2, claim="5/4*eps", points=4).axes
    assert axes.get_xlabel() == "p"


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("ex5", {}, "a figure has 2 axes, not 3: pA, pB, pC"),
        ("ex5", {"what": "delta"}, "nothing to draw"),
        ("ex3", {"what": "delta"}, "nothing to draw"),
        ("ex3", {"what": "everything"}, "no figure `everything`"),
        ("ex5", {"what": "everything"}, "no figure `everything`"),
    ],
)
def test_nothing_to_draw(name: str, options: dict[str, str], message: str) -> None:
    loaded = dipc.load(name)
    question = loaded.pufferfish() if isinstance(loaded, dipc.Mechanism) else loaded.question()
    with pytest.raises(InputError, match=message):
        question.plot(**options)


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_the_command(suffix: str, tmp_path: Path, capsys: Capture) -> None:
    target = tmp_path / f"map.{suffix}"
    fixed = ["--fix", "pC=1/2", "--points", "4"]
    assert status(["pufferfish", "plot", "ex5", *fixed, "-o", str(target)]) == 0
    assert target.stat().st_size > 5000
    assert status(["pufferfish", "plot", "ex2", "--what", "delta", "-o", str(target), "--points", "4"]) == 0
    assert status(["pufferfish", "plot", "ex5", "-o", str(target)]) == 2
    assert "--fix pC=1/2" in capsys.readouterr().err
