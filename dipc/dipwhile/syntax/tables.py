"""The tables of the parser, shipped with the package: building them anew would take longer than most checks.

They are data (JSON, no pickle) beside the grammar, and name the grammar and the version of lark that they
are for; for any other the parser is built from the grammar.  Nothing is kept in a folder of the user, where
somebody else could change what dipc reads.  After a change of the grammar, run
``python docs/site/parser_tables.py``.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import lark
from lark import Lark

GRAMMAR = Path(__file__).with_name("grammar.lark")
TABLES = Path(__file__).with_name("grammar.tables.json")
STARTS = ("program", "claim", "accurate", "expression", "valuation", "sentence")


def parser() -> Lark:
    """The parser of dipc's language.

    >>> parser().parse("1+x", start="expression").data
    'binary'
    """
    shipped = loaded(TABLES.read_text(encoding="utf-8"))
    grammar = GRAMMAR.read_text(encoding="utf-8")
    return Lark.load(shipped) if shipped["for"] == made_for(grammar) else built(grammar)


def built(grammar: str) -> Lark:
    """The parser, from the grammar itself."""
    return Lark(grammar, parser="lalr", lexer="basic", start=list(STARTS), propagate_positions=True)


def made_for(grammar: str) -> list[str]:
    """What tables depend on."""
    return [lark.__version__, sha256(grammar.encode()).hexdigest()]


def loaded(text: str) -> Any:
    """The tables in a text; JSON writes the numbers of states, terminals and rules as strings.

    >>> loaded('{"states": {"0": 1}}')
    {'states': {0: 1}}
    """
    return json.loads(text, object_hook=lambda d: {int(k) if k.isdecimal() else k: v for k, v in d.items()})
