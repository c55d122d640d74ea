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
from lark.grammar import NonTerminal, Rule, RuleOptions, Terminal
from lark.lexer import TerminalDef

from dipc.files import write_file

GRAMMAR = Path(__file__).with_name("grammar.lark")
TABLES = Path(__file__).with_name("grammar.tables.json")
STARTS = ("program", "claim", "expression", "valuation")


def parser() -> Lark:
    """The parser of dipc's language.

    >>> parser().parse("1+x", start="expression").data
    'binary'
    """
    shipped = json.loads(TABLES.read_text(encoding="utf-8"))
    grammar = GRAMMAR.read_text(encoding="utf-8")
    return loaded(shipped) if shipped["for"] == made_for(grammar) else built(grammar)


def built(grammar: str) -> Lark:
    """The parser, from the grammar itself."""
    return Lark(grammar, parser="lalr", lexer="basic", start=list(STARTS), propagate_positions=True)


def made_for(grammar: str) -> list[str]:
    """What tables depend on."""
    return [lark.__version__, sha256(grammar.encode()).hexdigest()]


def packed(parser: Lark) -> dict[str, Any]:
    """The tables of a parser in short: rules are lists, and so are states: token, action, token, action, ...

    The action n >= 0 shifts to state n; n < 0 reduces by entry -1 - n of the memo.
    """
    data, memo = parser.memo_serialize([TerminalDef, Rule])
    table = data["parser"]["parser"]
    table["tokens"] = [table["tokens"][number] for number in range(len(table["tokens"]))]
    table["states"] = {
        state: [n for token, (reduce, to) in row.items() for n in (token, -1 - to["@"] if reduce else to)]
        for state, row in table["states"].items()
    }
    for number, old in memo.items():
        if old["__type__"] == "Rule":
            symbols = [[symbol["name"], symbol.get("filter_out")] for symbol in old["expansion"]]
            options = [old["options"][name] for name in RuleOptions.__serialize_fields__]
            memo[number] = [old["origin"]["name"], symbols, old["order"], old["alias"], options]
    return {"data": data, "memo": [memo[number] for number in range(len(memo))]}


def loaded(shipped: dict[str, Any]) -> Lark:
    """The parser with these tables, the inverse of :func:`packed`."""
    data, memo = shipped["data"], shipped["memo"]
    references = [{"@": number} for number in range(len(memo))]
    table = data["parser"]["parser"]
    table["states"] = {
        int(state): {
            token: (1, references[-1 - to]) if to < 0 else (0, to)
            for token, to in zip(row[::2], row[1::2], strict=True)
        }
        for state, row in table["states"].items()
    }
    return Lark.load({"data": data, "memo": [rule(*e) if isinstance(e, list) else e for e in memo]})


def rule(origin: str, symbols: list[Any], order: int, alias: str | None, options: list[Any]) -> Rule:
    """A rule of the grammar from its short form."""
    expansion = [NonTerminal(name) if out is None else Terminal(name, out) for name, out in symbols]
    return Rule(NonTerminal(origin), expansion, order, alias, RuleOptions(*options))


def shipped_text() -> str:
    """The content of the shipped file, for the grammar and the lark of today."""
    grammar = GRAMMAR.read_text(encoding="utf-8")
    shipped = {"for": made_for(grammar), **packed(built(grammar))}
    return json.dumps(shipped, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    write_file(TABLES, shipped_text())
