"""The reference of `.hmm` files describes the whole grammar; every example is read, every message is true."""

from __future__ import annotations

import hmm_reference as reference
import language_reference
import pytest

from dipc.errors import InputError, Source
from dipc.pufferfish.expressions import FUNCTIONS
from dipc.pufferfish.reading import GRAMMAR, read_question

INLINED = {"file", "dist", "set", "entry", "expression", "comparison", "observed", "declaration", "parameter"}
"""Rules without a node of their own, and the whole."""


def test_every_construct_of_the_grammar_is_described() -> None:
    described = {name for own, it in reference.CONSTRUCTS.items() for name in (own, *it.parts)}
    forms = language_reference.forms(reference.GRAMMAR.read_text(encoding="utf-8"))
    own = {form.alias for form in forms} - INLINED - {"_relation"}
    assert own <= described <= own | {"power", "exp", "eps", "ln", "index"}  # of the arithmetic of all files
    assert reference.USAGE.keys() == FUNCTIONS.keys()


@pytest.mark.parametrize("name", reference.CONSTRUCTS)
def test_an_example_contains_its_construct(name: str) -> None:
    it = reference.CONSTRUCTS[name]
    source = Source("m.hmm", reference.MODEL + it.example)
    found = {str(node.data) for node in GRAMMAR.parse(source, "file").iter_subtrees()}
    assert {name, *it.parts} <= found
    clashing = name == "observe"  # it adds observations that no state shows
    assert read_question(source).model.states and (clashing or read_question(source).pairs)


@pytest.mark.parametrize("name", reference.CONSTRUCTS)
def test_a_refused_line_has_its_message(name: str) -> None:
    it = reference.CONSTRUCTS[name]
    with pytest.raises(InputError) as caught:
        read_question(Source("m.hmm", reference.MODEL + it.refused))
    assert caught.value.message.startswith(it.message) and caught.value.span is not None
