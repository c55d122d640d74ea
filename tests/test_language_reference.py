"""The reference of the language describes the whole grammar; every example contains its construct."""

from __future__ import annotations

import language_reference as reference
import pytest
from lark import Tree

import dipc
from dipc.dipwhile.syntax import parser
from dipc.dipwhile.syntax.fragment import RULES
from dipc.dipwhile.syntax.layout import claims, implications, layout

GRAMMAR = reference.GRAMMAR.read_text(encoding="utf-8")


def tree(text: str, start: str) -> Tree[object]:
    """lark's tree of a text."""
    lark = parser._lark()
    machine = lark.parse_interactive(start=start)
    token = None
    tokens = layout(lark.lex(text))
    for token in implications(tokens) if start == "sentence" else claims(tokens, start):
        machine.feed_token(token)
    return machine.feed_eof(token)


def names_of_trees() -> set[str]:
    """The names that lark itself knows for the nodes of trees."""
    rules = {str(rule.alias or rule.origin.name) for rule in parser._lark().rules}
    return {name for name in rules if not name.startswith("_")}


def test_every_construct_of_the_grammar_is_described() -> None:
    described = {name for own, it in reference.CONSTRUCTS.items() for name in (own, *it.parts)}
    aliases = {form.alias for form in reference.forms(GRAMMAR)}
    inlined = {
        "item",
        "adjacent",
        "private",
        "accuracy",
        "domain",
        "finite_set",
        "statement",
        "target",
        "distribution",
    }
    inlined |= {
        "secrets",
        "formula",
        "expression",
        "conjunction",
        "negation",
        "comparison",
        "arith",
        "term",
        "factor",
        "primary",
        "literal",
    }
    compare = {"_compare"}  # the signs in a comparison
    assert described == aliases - inlined - compare
    assert described <= names_of_trees()


@pytest.mark.parametrize("name", reference.CONSTRUCTS)
def test_an_example_contains_its_construct(name: str) -> None:
    it = reference.CONSTRUCTS[name]
    found = {str(node.data) for node in tree(it.example, it.start).iter_subtrees()}
    assert name in found
    assert set(it.parts) <= found


@pytest.mark.parametrize("number", RULES)
def test_a_refused_program_breaks_its_rule(number: int) -> None:
    with pytest.raises(dipc.DipcError, match=rf"rule {number}:"):
        dipc.load(f"adjacent all; private eps; {reference.REFUSED[number]}").check()
