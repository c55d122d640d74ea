"""Drawings of chains: what boxes say is so, and all of it is drawn."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
import shipped_programs
from export_tools import ROOT, drawn, load, smallest_input
from flint import fmpq

from dipc.dipwhile.export.drawing import dot, drawing, svg
from dipc.dipwhile.export.history import Condition, History, Names, Origin, histories
from dipc.dipwhile.export.questions import Picture
from dipc.dipwhile.mechanisms import Mechanism
from dipc.errors import InputError
from dipc.export import boxes as module
from dipc.export.boxes import by_rows
from dipc.integration.joint import Joint
from dipc.integration.linear import Linear
from dipc.integration.piecewise import Piecewise
from dipc.integration.weight import Weight

PROGRAMS = [path.relative_to(ROOT / "programs") for path in shipped_programs.PROGRAMS]

MEETING = """
input q in {0, 1}
output o in {0, 1} = 0
b <- flip(1/3)
if b then
  r <- Lap(eps, q)
else
  r <- Lap(eps/2, 0)
  if r > 5 then skip <- true else skip <- false end
end
n <- LapPlus(eps, 2)
y <- 1 - r/2
if y > n then o <- 1 end
"""


def boxes(picture: Picture) -> list[str]:
    return ["\n".join(box.lines) for box in drawing(picture).boxes.values()]


def test_randomized_response_as_in_figure_2_of_the_paper() -> None:
    """A binary tree of depth 2 with p and q on its arrows."""
    content = drawing(drawn(load("randomized_response/rand1.dip", N=2), q=("true", "false")))
    assert [box.final for box in content.boxes.values()] == [False] * 3 + [True] * 4
    assert [arrow.label for arrow in content.arrows] == ["p1", "p2"] * 3
    assert content.foot == ("p1 = exp(ε)/(exp(ε) + 1)", "p2 = 1/(exp(ε) + 1)")
    assert content.boxes[1].lines == ("13: out[1]=true",)
    assert content.boxes[3].lines == ("out = [true, false]",)


def test_sparse_vector_as_in_figure_4_of_the_paper() -> None:
    """Values, parameters of the random variables, and the condition that holds on the way."""
    found = boxes(drawn(load("svt/svt1.dip", N=2), q=(0, 1)))
    assert "15: count=0 out[2]=bot\nr₁ ~ Lap(ε/4, 0),\nrT ~ Lap(ε/2, 0)" in found
    assert "16: b=true count=0\nout[2]=bot\nrT ~ Lap(ε/2, 0),\nr₁ ~ Lap(ε/4, 0)\nr₁ > rT" in found
    assert "15: count=0 out[1]=bot\nr₂ ~ Lap(ε/4, 1),\nrT ~ Lap(ε/2, 0),\nr₁ ~ Lap(ε/4, 0)\nr₁ < rT" in found


def test_ways_that_meet() -> None:
    """What they have in common is shown, and that they differ is said."""
    picture = drawn(Mechanism.load(MEETING), q=1)
    found = boxes(picture)
    assert "9: o=0\nr₂ ~ Lap(ε/2, 0)\nr₂ > 5" in found
    assert any("\nr₃ ~ Lap(ε, 1) or Lap(ε/2, 0)\n…" in text for text in found)
    assert any("y = -1/2*r₃ + 1" in text for text in found)
    assert "… = and what differs between the ways that meet here" in drawing(picture).foot


def test_conditions_of_integer_samples() -> None:
    found = boxes(drawn(load("discrete/noisy_max_random.dip", N=2), q=(0, 1)))
    assert any(text.endswith("noisy[2] ≤ noisy[1]") for text in found)


# --- the texts against the densities ---------------------------------------------------------

DENSITIES = {"Lap": Piecewise.laplace, "LapPlus": Piecewise.exponential}


def density(origin: Origin) -> Weight:
    """From the text in the drawing back to a density."""
    (law,) = origin.laws
    match = re.fullmatch(r"(\w+)\((?:(\d+)\*)?ε(?:/(\d+))?, (-?\d+)\)", law)
    assert match, law
    rate = fmpq(int(match[2] or 1), int(match[3] or 1))
    return Weight(DENSITIES[match[1]](rate, fmpq(int(match[4]))))


def form(condition: Condition, names: dict[Origin, int]) -> Linear:
    terms = {names[origin]: c for origin, c in condition.terms}
    made = Linear.make(terms, condition.constant, condition.integer)
    assert isinstance(made, Linear)
    return made


def explained(history: History) -> Joint:
    """The density that the history speaks of."""
    joint = Joint.certain()
    for origin in history.origins:
        joint = joint.extended(density(origin))
    names = {origin: i for i, origin in enumerate(history.origins)}
    for condition in history.conditions:
        joint = joint.assuming(form(condition, names))
    return joint.keeping(range(len(history.samples)))


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("svt/svt1.dip", (0, 1, -1)),
        ("svt/svt6.dip", (1, 0, 1)),
        ("svt/sparse.dip", (0, 1, 1)),
        ("svt/svt_numeric.dip", (0, 1)),
        ("sums/prefix_sums.dip", (0, 1)),
        ("noisy_max/nmax3.dip", (1, 0)),
    ],
)
def test_what_a_box_says_determines_the_density(name: str, inputs: tuple[int, ...]) -> None:
    """The probability of every comparison with a number, or of two samples, under the two densities."""
    picture = drawn(load(name, N=len(inputs)), q=inputs)
    seen = 0
    for node, history in zip(picture.chain, histories(picture), strict=True):
        assert not history.mixed
        ours, theirs = explained(history), node.state.joint
        live = len(history.samples)
        asked_for = [Linear(((i, fmpq(1)),), fmpq(-c)) for i in range(live) for c in (-1, 0, 2)]
        asked_for += [
            Linear(((i, fmpq(1)), (j, fmpq(-1))), fmpq(1, 3)) for i, j in combinations(range(live), 2)
        ]
        for condition in asked_for:
            expected = theirs.assuming(condition).mass() / theirs.mass()
            assert ours.assuming(condition).mass() / ours.mass() == expected, str(node)
            seen += 1
    assert seen >= 10


def test_names_are_numbered_only_where_a_variable_is_drawn_again() -> None:
    twice, again = Origin("r", 1, ("Lap(ε, 0)",)), Origin("r", 4, ("Lap(ε, 1)",))
    names = Names([History((twice,)), History((again, Origin("s", 2, ("Lap(ε, 0)",))))])
    assert names.law(twice) == "r₁ ~ Lap(ε, 0)"
    assert names.law(again) == "r₂ ~ Lap(ε, 1)"
    condition = Condition(((twice, fmpq(-2)), (again, fmpq(1))), fmpq(3), False)
    assert names.condition(condition) == "r₂ > 2*r₁ - 3"


# --- the picture -----------------------------------------------------------------------------


def small_picture(name: Path) -> Picture:
    mechanism = load(str(name))
    return drawn(mechanism, **smallest_input(mechanism))


SPACE = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", ["svt/svt1.dip", "discrete/noisy_max_random.dip", "noisy_max/nmax1.dip"])
def test_every_box_and_label_is_drawn(name: str) -> None:
    """Also without Graphviz; boxes stand in rows, each below those that lead to it."""
    content = drawing(small_picture(Path(name)))
    rows = {box: n for n, row in enumerate(module.rows_of(content)) for box in row}
    assert rows.keys() == content.boxes.keys()
    assert all(rows[arrow.source] < rows[arrow.target] for arrow in content.arrows)
    shown = [text.text for text in ElementTree.fromstring(by_rows(content)).iter(f"{SPACE}text")]
    for line in (line for box in content.boxes.values() for line in box.lines):
        assert line in shown
    assert sum(text in {a.label for a in content.arrows if a.label} for text in shown) >= len(
        [a for a in content.arrows if a.label]
    )


def without_graphviz(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.shutil, "which", lambda program: None)


def test_a_small_chain_needs_no_graphviz(monkeypatch: pytest.MonkeyPatch) -> None:
    without_graphviz(monkeypatch)
    assert svg(small_picture(Path("svt/svt1.dip"))).startswith("<svg")


def test_a_larger_chain_needs_graphviz(monkeypatch: pytest.MonkeyPatch) -> None:
    without_graphviz(monkeypatch)
    picture = drawn(load("randomized_response/rand1.dip", N=6), q=("true",) * 6)
    with pytest.raises(InputError, match="it has 127 states, but without Graphviz dipc draws 100") as found:
        svg(picture)
    assert "install Graphviz" in str(found.value.hint)
    assert dot(picture).count("->") == 126


def test_a_huge_chain_is_not_drawn() -> None:
    picture = drawn(load("randomized_response/rand1.dip", N=9), q=("true",) * 9)
    with pytest.raises(InputError, match="it has 1023 states, but at most 1000 can be read") as found:
        svg(picture)
    assert "smaller parameters" in str(found.value.hint)


def test_graphviz_that_takes_too_long_or_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = small_picture(Path("svt/svt1.dip"))
    monkeypatch.setattr(module.shutil, "which", lambda program: "false")
    with pytest.raises(InputError, match="Graphviz could not draw"):
        svg(picture)

    def never_ends(*command: object, **options: object) -> None:
        raise subprocess.TimeoutExpired("dot", 60)

    monkeypatch.setattr(module.subprocess, "run", never_ends)
    with pytest.raises(InputError, match="more than 60 seconds"):
        svg(picture)


@pytest.mark.export
@pytest.mark.parametrize("name", ["svt/svt1.dip", "randomized_response/rand1.dip", "noisy_max/nmax1.dip"])
def test_graphviz_draws_the_same_boxes(name: str) -> None:
    if shutil.which("dot") is None:
        pytest.skip("Graphviz (its program `dot`) is not installed")
    picture = small_picture(Path(name))
    text = svg(picture)
    assert text.startswith("<svg")
    root = ElementTree.fromstring(text)
    shown = {t.text for t in root.iter(f"{SPACE}text")}
    for box in drawing(picture).boxes.values():
        assert set(box.lines) <= shown
