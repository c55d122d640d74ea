"""Our own format: what is written is read back as the same model."""

from __future__ import annotations

import pytest
from campaigns import many
from flint import fmpq
from hypothesis import given, settings

from dipc.clock import Clock
from dipc.dipwhile.star import star_of
from dipc.dipwhile.syntax.compile import read
from dipc.dpctl.model import MarkovChain, MarkovModel
from dipc.errors import InputError, Source
from dipc.export.markov import dpm
from dipc.models.chain import MarkovChain as Chain
from dipc.models.chain import Model
from dipc.models.reading import read_model
from dipc.shipped import source_of
from tests.models.random_models import models


def read_back(model: Model) -> Model:
    return read_model(Source("a.dpm", dpm(model))).model


def with_sets(model: Model) -> tuple[object, ...]:
    """A model as values that can be compared, its labels in any order."""
    actions = getattr(model, "actions", None)
    return type(model), model.names, dict(model.labels), model.neighbours, model.start, actions, model.rows


@settings(max_examples=many(35, campaign=3000), deadline=None)
@given(models())
def test_the_round_trip_is_exact(model: MarkovModel) -> None:
    assert with_sets(read_back(model.model)) == with_sets(model.model)


@pytest.mark.parametrize("name", ["svt4", "retry", "truncated_geometric"])
def test_the_star_of_a_program_is_a_file(name: str) -> None:
    star = star_of(read(source_of(name), {}), Clock()).model
    assert with_sets(read_back(star)) == with_sets(star)


def test_the_text_is_for_people() -> None:
    model = MarkovChain(
        {
            "plus": {"yes": "3/4", "no": "1/4"},
            "minus": {"yes": "exp(-eps)", "no": "1 - exp(-eps)"},
            "on": "on",
        },
        labels={"out": ["yes"], "from here": []},
        neighbours=[("plus", "minus")],
    )
    assert dpm(model.model).splitlines() == [
        "chain",
        "plus -> {yes: 3/4, no: 1/4}",
        "minus -> {yes: exp(-eps), no: 1 - exp(-eps)}",
        "on -> {on: 1}",
        "final yes, no",
        "label out = {yes}",
        'label "from here" = {}',
        "neighbours plus ~ minus",
        "start plus, minus",
    ]


def test_what_cannot_be_written_is_refused() -> None:
    with pytest.raises(InputError, match="cannot be written to a file"):
        dpm(MarkovChain({'a"b': 'a"b'}).model)
    half, one = fmpq(1, 2), fmpq(1)
    with pytest.raises(InputError, match="goes to † with a probability"):
        dpm(Chain(("a", "†"), {}, (), (0,), (((0, half), (1, half)), ((1, one),))))
