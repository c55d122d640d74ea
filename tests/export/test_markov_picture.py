"""Pictures of Markov models: what is drawn, and what the witness colours."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings

from dipc.dpctl.model import MarkovChain, MarkovModel, wrapped
from dipc.dpctl.picture import coloured, svg, way_of
from dipc.dpctl.verdict import Witness
from dipc.errors import Source
from dipc.export import boxes, markov_picture
from dipc.export.boxes import COLOUR, Box, by_rows
from dipc.models.chain import Model
from dipc.models.reading import read_model
from tests.models.random_models import models

SURVEY = """chain
plus  -> {yes: 3/4, no: 1/4}
minus -> {yes: 1/4, no: 3/4}
final yes, no
label out_1 = {yes}
neighbours plus ~ minus
"""
GAME = """mdp
a [L] -> {a: 1/2, b: 1/2}; a [H] -> {b: 1/3, c: 2/3}
b [L] -> {a: exp(-eps/3)/(1 + eps), c: 1 - exp(-eps/3)/(1 + eps)}; b [H] -> b
c [*] -> {c: 1/2, d: 1/2}
final d
neighbours a ~ b; label goal = {c, d}
"""


def model(text: str) -> MarkovModel:
    return wrapped(read_model(Source("a.dpm", text)).model, "a.dpm")


def drawing(model: Model, witness: Witness | None = None) -> boxes.Drawing:
    return markov_picture.drawing(model, *coloured(model, witness))


def elements(text: str, tag: str) -> list[ET.Element]:
    return list(ET.fromstring(text).iter(f"{{http://www.w3.org/2000/svg}}{tag}"))


def test_the_witness_of_a_chain_is_in_colour() -> None:
    survey = model(SURVEY)
    witness = survey.check("D[1, 0](X out_1)").witness
    assert witness is not None
    assert list(way_of(survey.model, witness)) == [(0, None, 2), (1, None, 2)]
    content = drawing(survey.model, witness)
    assert content.boxes == {
        0: Box(("plus",), marked=True),
        1: Box(("minus",), marked=True),
        2: Box(("yes", "out_1"), final=True, marked=True),
        3: Box(("no",), final=True),
    }
    assert content.pairs == ((0, 1),)
    assert [(e.source, e.target, e.label, e.marked) for e in content.arrows] == [
        (0, 2, "3/4", True),
        (0, 3, "1/4", False),
        (1, 2, "1/4", True),
        (1, 3, "3/4", False),
    ]


def test_the_word_of_a_decision_process_is_in_colour() -> None:
    game = model(GAME)
    witness = Witness("D[1, 0](F goal)", "a", "b", prefix=("H",), cycle=("L",))
    content = drawing(game.model, witness)
    marked = {(e.source, e.target): e.label for e in content.arrows if e.marked}
    # H from a and from b, then L from b and c, and from b
    assert marked == {
        (0, 1): "L: 1/2\nH: 1/3",
        (0, 2): "H: 2/3",
        (1, 1): "H",
        (1, 0): "L: p1",
        (1, 2): "L: p2",
        (2, 2): "L: 1/2\nH: 1/2",
        (2, 3): "L: 1/2\nH: 1/2",
    }
    assert [(e.source, e.target) for e in content.arrows if not e.marked] == [(0, 0)]
    assert content.foot == ("p1 = exp(-1/3*ε)/(ε + 1)", "p2 = (ε + 1 - exp(-1/3*ε))/(ε + 1)")


def test_a_way_leads_through_other_states() -> None:
    chain = MarkovChain(
        {"a": {"a": "1/2", "b": "1/2"}, "b": {"c": "1/2", "a": "1/2"}, "c": "d", "d": "d"},
        labels={"goal": ["d"]},
        neighbours=[("a", "d")],
    ).model
    steps = list(way_of(chain, Witness("P>=1 (F goal)", "a")))
    assert sorted(steps) == [(0, None, 1), (1, None, 2), (2, None, 3)]
    assert list(way_of(chain, Witness("P>=1 (F goal)", "d"))) == [(3, None, 3)]
    assert list(way_of(chain, Witness("P>=1 (F a)", "a"))) == [(0, None, 0)]
    assert list(way_of(chain, Witness("P>=1 (F true)", "a"))) == []
    assert list(way_of(chain, Witness("P>=1 (F a)", "c"))) == []


def test_dot() -> None:
    text = boxes.dot(drawing(model(SURVEY).model, Witness("D[1, 0](X out_1)", "plus", "minus")))
    assert f'  s2 [label="yes\\nout_1", peripheries=2, color="{COLOUR}", penwidth=2];' in text.splitlines()
    assert "  s0 -> s1 [dir=none, style=dashed, constraint=false];" in text.splitlines()
    assert text.count("->") == 5 and text.count(COLOUR) == 3 + 2 * 2
    assert 'label="a\\\\b"' in markov_picture.dot(MarkovChain({"a\\b": "a\\b"}).model)


@settings(max_examples=20, deadline=None)
@given(models())
def test_every_model_has_a_picture_with_all_its_parts(found: MarkovModel) -> None:
    content = drawing(found.model)
    text = by_rows(content)
    shown = {element.text for element in elements(text, "text")}
    assert {line for box in content.boxes.values() for line in box.lines} <= shown
    assert COLOUR not in text


def test_colours_in_svg() -> None:
    text = by_rows(drawing(model(SURVEY).model, Witness("D[1, 0](X out_1)", "plus", "minus")))
    assert COLOUR in text


@pytest.mark.export
@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
@pytest.mark.parametrize("text", [SURVEY, GAME])
def test_graphviz_draws_it(text: str) -> None:
    drawn = svg(model(text).model, Witness("D[1, 0](F true)", model(text).model.names[0]))
    assert drawn.startswith("<svg") and COLOUR in drawn
