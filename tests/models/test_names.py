"""Names that formulas read otherwise are declared in quotes, in every kind of model."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

import dipc
from dipc.dpctl.formula import Next, Proposition, Query
from dipc.dpctl.syntax import GRAMMAR, parse_property
from dipc.errors import InputError, Source
from dipc.export.markov import dpm, drn
from dipc.models.arithmetic import WORDS
from dipc.models.chain import Model
from dipc.models.drn import read_drn
from dipc.models.names import RESERVED
from dipc.models.reading import read_model

QUOTE = 'as a name it is written "{}", here and in formulas'


def in_dpm(text: str) -> Model:
    return read_model(Source("a.dpm", text)).model


def in_drn(text: str) -> Model:
    head = "@type: DTMC\n@value_type: rational\n@nr_states\n2\n@model\n"
    return read_drn(
        Source("a.drn", head + "state 0 init\naction 0\n1 : 1\n" + text + "\naction 0\n1 : 1\n")
    ).model


def in_python(text: str) -> Model:
    return dipc.MarkovChain({"s": {text: 1}}).model


def label_in_python(text: str) -> Model:
    return dipc.MarkovChain({"s": {"t": 1}}, labels={text: ["t"]}).model


def proposition(text: str, model: Model | None = None) -> str | None:
    """The name that a formula asks about, if it is one."""
    match parse_property(Source("f", f"P=? (X {text})"), model).formula:
        case Query(_, Next(Proposition(name))):
            return name
    return None


DECLARATIONS: dict[str, tuple[Callable[[str], Model], str]] = {
    "row": (in_dpm, "chain\ns -> {{t: 1/2, {0}: 1/2}}; {0} -> {{t: 1}}; final t"),
    "computed row": (in_dpm, "chain\ns -> {{t: 1 - 1/2, {0}: 1/2}}; {0} -> t; final t"),
    "action": (in_dpm, "mdp\ns [a] -> {{{0}: 1}}; {0} [a] -> {{s: 1}}"),
    "final": (in_dpm, "chain\ns -> {{t: 1/2, {0}: 1/2}}; final t, {0}"),
    "label": (in_dpm, "chain\ns -> {{t: 1}}; final t; label {0} = {{t}}"),
    "drn label": (in_drn, "state 1 {}"),
    "drn names": (in_drn, "state 1\n// names s, {}"),
    "python state": (in_python, "{}"),
    "python label": (label_in_python, "{}"),
}


@pytest.mark.parametrize("word", sorted(RESERVED))
@pytest.mark.parametrize("kind", DECLARATIONS)
def test_words_of_formulas_are_declared_in_quotes(kind: str, word: str) -> None:
    read, template = DECLARATIONS[kind]
    with pytest.raises(InputError) as caught:
        read(template.format(word))
    if caught.value.span is not None:
        assert caught.value.span.excerpt().count("^") == len(word)
        assert f'as a name it is written "{word}"' in caught.value.hint or word in WORDS
    else:
        assert caught.value.hint == QUOTE.format(word) and kind.startswith("python")
    model = read(template.format(f'"{word}"'))
    assert word in (*model.names, *model.labels)
    assert proposition(f'"{word}"', model) == word
    for back in (in_dpm(dpm(model)), read_drn(Source("b.drn", drn(model))).model):
        assert (back.names, set(back.labels)) == (model.names, set(model.labels))


@pytest.mark.parametrize("word", sorted(RESERVED))
def test_without_quotes_formulas_read_something_else(word: str) -> None:
    with suppress(InputError):
        assert proposition(word) is None


def test_the_words_are_those_of_the_grammar() -> None:
    """Whatever the lexer of formulas does not take for a name; other names are names."""
    assert set(GRAMMAR.words) | set(WORDS) == RESERVED
    for name in ("T", "Fa", "trueish", "EPS", "eps1", "until", "Dmax", "property"):
        assert proposition(name) == name


def test_graphs_keep_the_quotes() -> None:
    chain = dipc.MarkovChain({"s": {'"true"': "1/2", "t": "1/2"}}, labels={'"F"': ["t"]}, start=["s"])
    assert (
        chain.value('P=? (X "true")')["s"] == chain.value('P=? (X "F")')["s"] == chain.value("P=? (X t)")["s"]
    )
    back = dipc.MarkovChain.from_networkx(chain.to_networkx())
    assert set(back.model.names) == set(chain.model.names) and set(back.model.labels) == {"F"}
