"""Deterministic omega-automata for path formulas, from texts in HOA format or from Spot.

Source: Babiak, Blahoudek, Duret-Lutz, Klein, Kretinsky, Mueller, Parker, Strejcek, *The Hanoi omega-automata
format*, 2015.  Any acceptance condition of Fin and Inf is understood; every letter that a path has must have
exactly one edge.  Spot is the optional package ``spottl`` (extra ``ltl``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from lark import Lark, Transformer, UnexpectedInput

from dipc.dpctl.formula import And, Formula, Next, Not, Or, Until
from dipc.dpctl.progression import Condition, Marks, States
from dipc.errors import InputError, InternalError, Unsupported

GRAMMAR = r"""
either: every ("|" every)*
every: _single ("&" _single)*
_single: negation | atom | "(" either ")"
negation: "!" _single
?atom: "t" -> true | "f" -> false | %s
%%import common.INT
%%ignore /\s+/
"""
LABEL = "INT -> inf"
ACCEPTANCE = '"Inf" "(" INT ")" -> inf | "Fin" "(" INT ")" -> fin'
HEADER = re.compile(r"^([A-Za-z][\w-]*):[ \t]*(.*)$", re.MULTILINE)
LINE = re.compile(
    r'\s*(?:State:\s*(?P<state>\d+)\s*(?:"[^"]*")?|\[(?P<label>[^\]]*)\]\s*(?P<target>\d+))'
    r"\s*(?:\{(?P<marks>[\d\s]*)\})?"
)
NOTHING: Marks = frozenset()
MOST_STEPS = 100  # of a bounded U, which becomes as many X
Edge = tuple[Condition, tuple[int, Marks]]
"""For the letters (sets of propositions) that meet the condition, the next state with the marks seen."""


@dataclass(frozen=True, slots=True)
class Automaton:
    """A deterministic automaton; its memory is its state with the marks that were just seen.

    ``letters[i]`` are the states of the model in which the i-th proposition holds.
    """

    edges: Mapping[int, Sequence[Edge]]
    start: int
    letters: tuple[States, ...]
    accepted: Condition
    rejected: Condition
    _found: dict[tuple[int, Marks], tuple[int, Marks]] = field(default_factory=dict)

    def read(self, before: tuple[int, Marks] | None, state: int) -> tuple[int, Marks]:
        """The memory after one more state.  Raises :class:`InputError` if it is not determined."""
        at = self.start if before is None else before[0]
        key = at, frozenset(i for i, states in enumerate(self.letters) if state in states)
        if key not in self._found:
            edges, here = self.edges.get(at, ()), key[1]
            found = [after for label, after in edges if any(i <= here and not f & here for f, i in label)]
            if len(found) != 1:
                what = "not complete" if not found else "not deterministic"
                raise InputError(f"the automaton is {what}: state {at} has {len(found)} edges for a letter")
            self._found[key] = found[0]
        return self._found[key]

    def marks(self, memory: tuple[int, Marks]) -> Marks:
        """The marks that were seen when this memory was reached."""
        return memory[1]


def read_hoa(text: str, states_of: Callable[[str], States | None]) -> Automaton:
    """The automaton in a text in HOA format; ``states_of`` gives the states of its propositions.

    Raises :class:`InputError` for what is not deterministic or not understood.
    """
    head, _, body = text.partition("--BODY--")
    lines = HEADER.findall(head)
    fields = dict(lines)
    for name in ("HOA", "Start", "Acceptance"):
        if name not in fields:
            raise InputError(f"the automaton has no line `{name}:`", hint="it must be a text in HOA format")
    starts = [value.strip() for name, value in lines if name == "Start"]
    if fields["HOA"].strip() != "v1" or "Alias" in fields or len(starts) > 1 or not starts[0].isdigit():
        raise InputError("only HOA v1 without aliases and with one start state is understood")
    count = fields.get("AP", "").split(" ")[0] or "0"
    names = re.findall(r'"([^"]*)"', fields.get("AP", ""))
    if count != str(len(names)):
        raise InputError(f"the automaton has {len(names)} names for {count} propositions")
    letters = []
    for name in names:
        if (states := states_of(name)) is None:
            raise InputError(f"the automaton reads `{name}`, which is no label or state of the model")
        letters.append(states)
    conditions = _conditions(fields["Acceptance"].strip().split(" ", 1)[-1], ACCEPTANCE)
    edges = _edges(body.partition("--END--")[0], len(names))
    return Automaton(edges, int(starts[0]), tuple(letters), *conditions)


def _edges(body: str, letters: int) -> dict[int, list[Edge]]:
    found: dict[int, list[Edge]] = {}
    place, marks, here = 0, NOTHING, list[Edge]()
    while body[place:].strip():
        match = LINE.match(body, place)
        if match is None or not (found or match["state"]):
            line = body[place:].strip().splitlines()[0]
            hint = "edges are written [0&!1] 2 {0}"
            raise InputError(f"`{line}` is not understood in an automaton", hint=hint)
        seen = frozenset(map(int, (match["marks"] or "").split()))
        if match["state"]:
            marks, here = seen, found.setdefault(int(match["state"]), [])
        else:
            label, _ = _conditions(match["label"], LABEL, letters)
            here.append((label, (int(match["target"]), marks | seen)))
        place = match.end()
    return found


def _conditions(text: str, atom: str, letters: int | None = None) -> tuple[Condition, Condition]:
    """A Boolean expression and its negation as disjunctions; a number is true in a set that has it."""
    try:
        found: Any = _reader(atom).parse(text)
    except UnexpectedInput:
        found = None
    if found is None or (letters is not None and any(int(n) >= letters for n in re.findall(r"\d+", text))):
        hint = "it is made of t, f, !, &, |, parentheses and propositions, or Fin(n) and Inf(n)"
        raise InputError(f"`{text.strip()}` is not understood in an automaton", hint=hint)
    return found  # type: ignore[no-any-return]


@cache
def _reader(atom: str) -> Lark:
    return Lark(GRAMMAR % atom, parser="lalr", start="either", transformer=_Meaning())


class _Meaning(Transformer[Any, Any]):
    def either(self, parts: list[Any]) -> Any:
        return self.every([part[::-1] for part in parts])[::-1]

    def every(self, parts: list[Any]) -> Any:
        together: Condition = ((NOTHING, NOTHING),)
        for positive, _ in parts:
            together = tuple(dict.fromkeys((fin | f, inf | i) for fin, inf in together for f, i in positive))
        return together, tuple(dict.fromkeys(pair for _, negative in parts for pair in negative))

    def negation(self, parts: list[Any]) -> Any:
        return parts[0][::-1]

    def true(self, _: list[Any]) -> Any:
        return self.every([])

    def false(self, _: list[Any]) -> Any:
        return self.either([])

    def inf(self, parts: list[Any]) -> Any:
        mark = frozenset([int(parts[0])])
        return ((NOTHING, mark),), ((mark, NOTHING),)

    def fin(self, parts: list[Any]) -> Any:
        return self.inf(parts)[::-1]


def automaton_of(path: Formula, known: Mapping[Formula, States]) -> Automaton:
    """The deterministic automaton of a path formula from Spot.  Raises :class:`Unsupported` without it.

    Spot 2.13 is wrong about some nested equivalences where it makes an automaton from those of the operands.
    """
    try:
        import spot
    except ImportError:
        raise Unsupported(
            "this path formula needs a deterministic automaton on a decision process",
            hint="install the extra `ltl` (pip install dipc[ltl]), or give one: `--automaton FILE` (HOA)",
        ) from None
    names = {f"p{i}": states for i, states in enumerate(known.values())}
    text = _ltl(path, {part: f"p{i}" for i, part in enumerate(known)})
    made = spot.translate(text, "generic", "deterministic", "complete", xargs="ltl-split=0")
    return read_hoa(made.to_str("hoa"), names.get)


def _ltl(path: Formula, names: Mapping[Formula, str]) -> str:
    """A path formula as Spot writes it."""
    if path in names:
        return names[path]
    match path:
        case Not(operand):
            return f"!({_ltl(operand, names)})"
        case And(operands) | Or(operands):
            sign = " & " if isinstance(path, And) else " | "
            return sign.join(f"({_ltl(operand, names)})" for operand in operands)
        case Next(operand, count):
            return f"{'X ' * count}({_ltl(operand, names)})"
        case Until(left, right, None):
            return f"({_ltl(left, names)}) U ({_ltl(right, names)})"
        case Until(left, right, int(bound)):
            if bound > MOST_STEPS:
                raise Unsupported(f"an automaton for a bounded operator of more than {MOST_STEPS} steps")
            a, b = _ltl(left, names), _ltl(right, names)
            text = f"({b})"
            for _ in range(bound):
                text = f"(({b}) | (({a}) & X {text}))"
            return text
    raise InternalError(f"the states of {path} are not known")
