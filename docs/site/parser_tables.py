"""The tables of the parser that ship with the package: ``python docs/site/parser_tables.py`` makes them."""

from __future__ import annotations

import json

from lark.grammar import Rule
from lark.lexer import TerminalDef

from dipc.dipwhile.syntax.tables import GRAMMAR, TABLES, built, made_for
from dipc.files import write_file


def shipped_text() -> str:
    """The content of the shipped file, for the grammar and the lark of today."""
    grammar = GRAMMAR.read_text(encoding="utf-8")
    data, memo = built(grammar).memo_serialize([TerminalDef, Rule])
    shipped = {"for": made_for(grammar), "data": data, "memo": memo}
    return json.dumps(shipped, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    write_file(TABLES, shipped_text())
