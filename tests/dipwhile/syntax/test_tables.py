"""The shipped parser tables: those of the grammar, and never a reason to fail."""

from __future__ import annotations

import json
from pathlib import Path

import lark
import parser_tables
import pytest
from campaigns import many
from dipwhile.syntax.programs import PROGRAMS
from hypothesis import assume, given, settings
from lark import Lark

from dipc.dipwhile.syntax import tables
from dipc.dipwhile.syntax.ast import Program
from dipc.dipwhile.syntax.layout import layout
from dipc.dipwhile.syntax.printer import show_program

GRAMMAR = tables.GRAMMAR.read_text(encoding="utf-8")
BUILT = tables.built(GRAMMAR)
SHIPPED = tables.parser()


def parsed(parser: Lark, text: str, start: str) -> object:
    machine = parser.parse_interactive(start=start)
    for token in layout(parser.lex(text)):
        machine.feed_token(token)
    return machine.feed_eof()


def test_they_are_for_the_grammar_of_today() -> None:
    """If this fails after a change of the grammar: python docs/site/parser_tables.py."""
    version, digest = json.loads(tables.TABLES.read_text(encoding="utf-8"))["for"]
    assert digest == tables.made_for(GRAMMAR)[1]
    if version != lark.__version__:
        pytest.skip(f"the tables are for lark {version}")


def test_they_are_read_and_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    version = json.loads(tables.TABLES.read_text(encoding="utf-8"))["for"][0]
    monkeypatch.setattr(lark, "__version__", version)
    monkeypatch.setattr(tables, "built", lambda grammar: pytest.fail("built anew"))
    assert parsed(tables.parser(), "eps/2, 1e-3 for eps in (0, 1]", "claim") == parsed(
        BUILT, "eps/2, 1e-3 for eps in (0, 1]", "claim"
    )


@settings(max_examples=many(12, campaign=1000))
@given(PROGRAMS)
def test_both_parsers_are_the_same(program: Program) -> None:
    assume(program.body or program.params or program.inputs or program.outputs)
    text = show_program(program)
    assert parsed(SHIPPED, text, "program") == parsed(BUILT, text, "program")


@pytest.mark.parametrize("of", [["0.0", "0"], ["1.3.1", "another grammar"]])
def test_tables_for_something_else_are_not_used(
    of: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "tables.json"
    file.write_text(json.dumps({"for": of}), encoding="utf-8")
    monkeypatch.setattr(tables, "TABLES", file)
    assert parsed(tables.parser(), "x", "expression") == parsed(BUILT, "x", "expression")


def test_what_is_written_is_what_is_shipped() -> None:
    """But for the order of sets, which differs between runs."""
    again = tables.loaded(parser_tables.shipped_text())
    assert again["for"] == tables.made_for(GRAMMAR)
    assert parsed(Lark.load(again), "1+x", "expression") == parsed(BUILT, "1+x", "expression")
