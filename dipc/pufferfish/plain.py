"""Plain lines of states, of which a file may have many thousands, without the grammar.

A line such as ``state s(1) emits {a: 1/3, b: 2/3} next {s(2): 0.5, s(1): 0.5}`` becomes the tree that the
grammar would give it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from lark import Token, Tree
from lark.tree import Meta

from dipc.models.arithmetic import Node

VALUE = r"[^\W\d]\w*(?:\(\d+(?:,[ ]*\d+)*\))?"
ROW = r"\{[^{}#;\n]+\}"
LINE = re.compile(
    rf"^[ \t]*state[ \t]+({VALUE})[ \t]+emits[ \t]+({VALUE}|{ROW})[ \t]+next[ \t]+(stop\b|{ROW})[ \t]*$", re.M
)
ITEM = re.compile(rf"\s*({VALUE}|\d+)\s*:\s*(\d+\.\d+|\d+(?:/0*[1-9]\d*)?)\s*(?:,\s*|(?=\}}))")
PART = re.compile(r"\w+")


def plain_states(text: str, words: Collection[str]) -> tuple[list[Node], str]:
    """The trees of all plain lines, and the text in which a separator takes the place of each."""
    found, rest, at = [], [], 0
    for match in LINE.finditer(text):
        if (tree := _state(match, words)) is not None:
            found.append(tree)
            rest += [text[at : match.start()], ";", " " * (match.end() - match.start() - 1)]
            at = match.end()
    return found, "".join([*rest, text[at:]])


def _state(match: re.Match[str], words: Collection[str]) -> Node | None:
    value = _value(match[1], *match.span(1), words)
    emits = _distribution(match, 2, words)
    following = Token("STOP", "stop") if match[3] == "stop" else _distribution(match, 3, words)
    if value is None or emits is None or following is None:
        return None
    family = _tree("family", [value, None], *match.span(1))
    return _tree("state", [family, emits, following], *match.span())


def _distribution(match: re.Match[str], group: int, words: Collection[str]) -> Node | None:
    start, end = match.span(group)
    if not match[group].startswith("{"):
        value = _value(match[group], start, end, words)
        return None if value is None else _tree("sure", [value], start, end)
    items, at = [], start + 1
    while at < end - 1 and (found := ITEM.match(match.string, at, end)):
        if (value := _value(found[1], *found.span(1), words)) is None:
            return None
        number = _tree("number", [found[2]], *found.span(2))
        items.append(_tree("item", [value, number, None], found.start(1), found.end(2)))
        at = found.end()
    return _tree("weighted", items, start, end) if at == end - 1 else None


def _value(text: str, start: int, end: int, words: Collection[str]) -> Node | None:
    """The tree of a name, a number or a name with integers as indices; None if it is a word."""
    name, *indices = PART.findall(text)
    if name in words:
        return None
    if name[0].isdecimal():
        return _tree("number", [name], start, end)
    if "(" not in text:
        return _tree("name", [name], start, end)
    return _tree("call", [name, *(_tree("number", [index], start, end) for index in indices)], start, end)


def _tree(data: str, children: list[Any], start: int, end: int) -> Node:
    meta: Any = Meta()  # type: ignore[no-untyped-call]
    meta.start_pos, meta.end_pos, meta.empty = start, end, False
    return Tree(data, children, meta)
