"""The tables of the parser, shipped with the package: building them anew would take longer than most checks.

They are data (JSON, no pickle) beside the grammar, and name the grammar and the version of lark that they are
for; for any other the parser is built from the grammar.  Nothing is kept in a folder of the user, where
somebody else could change what dipc reads.  After a change of the grammar, run
``python -m dipc.dipwhile.syntax.tables``.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import lark
from lark import Lark
from lark.grammar import Rule
from lark.lexer import TerminalDef

GRAMMAR = Path(__file__).with_name("grammar.lark")
TABLES = Path(__file__).with_name("grammar.tables.json")
STARTS = ("program", "claim", "expression", "valuation")


def parser() -> Lark:
    """The parser of dipc's language.

    >>> parser().parse("1+x", start="expression").data
    'binary'
    """
    shipped = json.loads(TABLES.read_text(encoding="utf-8"), object_hook=thawed)
    grammar = GRAMMAR.read_text(encoding="utf-8")
    if shipped["for"] != made_for(grammar):
        return built(grammar)
    return Lark.load(shipped["tables"])


def built(grammar: str) -> Lark:
    """The parser, from the grammar itself."""
    return Lark(grammar, parser="lalr", lexer="basic", start=list(STARTS), propagate_positions=True)


def made_for(grammar: str) -> list[str]:
    """What tables depend on."""
    return [lark.__version__, sha256(grammar.encode()).hexdigest()]


def frozen(value: Any) -> Any:
    """As JSON: a dictionary whose keys are numbers is a marked list of its items."""
    match value:
        case dict() if all(isinstance(key, str) for key in value):
            return {key: frozen(item) for key, item in value.items()}
        case dict():
            return {"items": [[key, frozen(item)] for key, item in value.items()]}
        case list() | tuple():
            return [frozen(item) for item in value]
        case _:
            return value


def thawed(record: dict[str, Any]) -> dict[Any, Any]:
    """The inverse of :func:`frozen` for one dictionary, but for tuples: a hook for ``json``.

    >>> json.loads(json.dumps(frozen({1: ["a", None]})), object_hook=thawed)
    {1: ['a', None]}
    """
    return dict(record["items"]) if record.keys() == {"items"} else record


def shipped_text() -> str:
    """The content of the shipped file, for the grammar and the lark of today."""
    grammar = GRAMMAR.read_text(encoding="utf-8")
    data, memo = built(grammar).memo_serialize([TerminalDef, Rule])
    tables = frozen({"data": data, "memo": memo})
    return json.dumps({"for": made_for(grammar), "tables": tables}, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    TABLES.write_text(shipped_text(), encoding="utf-8")
