"""The steps of the parser: which rule is complete before which terminal, and what is done with its parts.

The tables are lark's; what a rule keeps, inlines and leaves out is what lark's tree builder would.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

from lark import Lark
from lark.grammar import Rule
from lark.parse_tree_builder import maybe_create_child_filter
from lark.parsers.lalr_analysis import Shift

Parts = list[Any]
Entry = tuple[Any, int | None, int | None, int]
"""What was built, where its text begins and ends, and how deep rules are nested in it."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """What completing a rule does: ``kept`` are the parts that count, with the absent ones before each.

    ``plain`` are the positions of these parts if none is inlined or absent.  ``only``: the rule has one part,
    and that is what is made of it.
    """

    size: int
    origin: str
    kept: tuple[tuple[int, bool, int], ...]
    plain: tuple[int, ...] | None
    absent: int
    single: bool
    method: str
    only: bool

    def parts(self, entries: list[Entry]) -> Parts:
        """The parts of the rule, those of inlined rules among them."""
        if self.plain is not None:
            return [entries[position][0] for position in self.plain]
        found: Parts = []
        for position, inlined, absent in self.kept:
            if absent:
                found += [None] * absent
            value = entries[position][0]
            if inlined and found:
                found += value
            elif inlined:
                found = value  # a long list grows in place, and is not copied at every step
            else:
                found.append(value)
        return found + [None] * self.absent if self.absent else found


Rows = dict[int, dict[str, int | Reduction]]


@dataclass(frozen=True, slots=True)
class Tables:
    """For each state and terminal, the next state or the rule that is complete; for each rule, the state.

    ``shortcuts``: where rules with one part lead, of which an expression such as `1` is ten.
    """

    states: Rows
    first: int
    last: int
    shortcuts: dict[tuple[int, int, str], int] = field(default_factory=dict)

    def settled(self, below: int, top: int, name: str) -> int:
        """The state in the place of ``top`` after all rules with one part, before a terminal."""
        key = below, top, name
        if key not in self.shortcuts:
            while isinstance(step := self.states[top].get(name), Reduction) and step.only:
                following = self.states[below][step.origin]
                assert isinstance(following, int)
                top = following
            self.shortcuts[key] = top
        return self.shortcuts[key]


@cache
def tables(lark: Lark, start: str) -> Tables:
    """The tables of a parser, for a rule to begin with."""
    setting = lark.parse_interactive(start=start).parser_state.parse_conf
    states = {
        state: {name: to if action is Shift else _reduction(to) for name, (action, to) in row.items()}
        for state, row in setting.states.items()
    }
    return Tables(states, setting.start_state, setting.end_state)


@cache
def _reduction(rule: Rule) -> Reduction:
    options = rule.options
    select = maybe_create_child_filter(
        rule.expansion, options.keep_all_tokens, False, list(options.empty_indices)
    )
    kept = tuple((k, False, 0) for k in range(len(rule.expansion)))
    absent = 0
    if select is not None:
        chosen = select(None)
        kept = tuple((k, inlined, *(more or (0,))) for k, inlined, *more in chosen.to_include)
        absent = getattr(chosen, "append_none", 0)
    plain = (
        None if absent or any(inlined or more for _, inlined, more in kept) else tuple(k for k, _, _ in kept)
    )
    name = rule.origin.name
    single = bool(options.expand1 and not rule.alias)
    method = "" if name.startswith("_") else str(rule.alias or options.template_source or name)
    only = single and not absent and len(rule.expansion) == 1 and kept == ((0, False, 0),)
    return Reduction(len(rule.expansion), name, kept, plain, absent, single, method, only)


def reduce(step: Reduction, rows: Rows, states: list[int], entries: list[Entry], builder: Any) -> None:
    """Replace the parts of a complete rule by what the builder makes of them, on top of the stack."""
    first = len(entries) - step.size
    inside = entries[first:]
    del entries[first:], states[len(states) - step.size :]
    start = end = None
    depth = 0
    for _, begins, ends, deep in inside:
        if begins is not None:  # the part has a text
            start = begins if start is None else start
            end = ends
        if deep > depth:
            depth = deep
    parts = step.parts(inside)
    made = parts
    if step.single and len(parts) == 1:
        made = parts[0]
    elif step.method:
        made = getattr(builder, step.method)(builder.place(start, end), *parts)
        depth += 1
    entries.append((made, start, end, depth))
    following = rows[states[-1]][step.origin]
    assert isinstance(following, int)
    states.append(following)
