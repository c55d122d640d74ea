"""Deterministic omega-automata for path formulas, from texts in HOA format or from Spot.

Source: Babiak, Blahoudek, Duret-Lutz, Klein, Kretinsky, Mueller, Parker, Strejcek, *The Hanoi omega-automata
format*, 2015.  Any acceptance condition of Fin and Inf is understood; every letter that a path has must have
exactly one edge.  Spot is the optional package ``spottl`` (extra ``ltl``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from dipc.dpctl.formula import And, Formula, Next, Not, Or, Proposition, Truth, Until
from dipc.dpctl.progression import Condition, Marks, States
from dipc.errors import InputError, InternalError, Unsupported

TOKEN = re.compile(r"\s*(?:([A-Za-z]\w*\s*\(\s*\d+\s*\))|(\d+|[tf]\b)|([!&|()]))")
HEADER = re.compile(r"^([A-Za-z][\w-]*):[ \t]*(.*)$", re.MULTILINE)
EDGE = re.compile(r"\s*\[([^\]]*)\]\s*(\d+)\s*(?:\{([\d\s]*)\})?")
STATE = re.compile(r'\s*State:\s*(\d+)\s*(?:"[^"]*")?\s*(?:\{([\d\s]*)\})?')
DEEPEST = 100
MOST_STEPS = 100  # of a bounded U, which becomes as many X


class Edge(NamedTuple):
    """A transition for the letters that satisfy ``label``."""

    label: Formula
    target: int
    marks: Marks


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
    _found: dict[tuple[int, tuple[bool, ...]], tuple[int, Marks]] = field(default_factory=dict)

    def read(self, before: Hashable | None, state: int) -> tuple[int, Marks]:
        """The memory after one more state.  Raises :class:`InputError` if it is not determined."""
        at = before[0] if isinstance(before, tuple) else self.start
        key = at, tuple(state in states for states in self.letters)
        if key not in self._found:
            found = [edge for edge in self.edges.get(at, ()) if _holds(edge.label, key[1])]
            if len(found) != 1:
                what = "not complete" if not found else "not deterministic"
                raise InputError(f"the automaton is {what}: state {at} has {len(found)} edges for a letter")
            self._found[key] = found[0].target, found[0].marks
        return self._found[key]

    def marks(self, memory: Hashable) -> Marks:
        """The marks that were seen when this memory was reached."""
        assert isinstance(memory, tuple)
        marks: Marks = memory[1]
        return marks


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
    condition = _expression(fields["Acceptance"].strip().split(" ", 1)[-1])
    edges = _edges(body.partition("--END--")[0], len(names))
    return Automaton(edges, int(fields["Start"]), tuple(letters), *_conditions(condition))


def _edges(body: str, letters: int) -> dict[int, list[Edge]]:
    found: dict[int, list[Edge]] = {}
    place, marks, here = 0, _marks(None), None
    while body[place:].strip():
        if match := STATE.match(body, place):
            here, marks = int(match[1]), _marks(match[2])
            found[here] = []
        elif here is not None and (match := EDGE.match(body, place)):
            found[here].append(Edge(_expression(match[1], letters), int(match[2]), marks | _marks(match[3])))
        else:
            line = body[place:].strip().splitlines()[0]
            raise InputError(
                f"`{line}` is not understood in an automaton", hint="edges are written [0&!1] 2 {0}"
            )
        place = match.end()
    return found


def _marks(text: str | None) -> Marks:
    return frozenset(map(int, (text or "").split()))


def _expression(text: str, letters: int = 0) -> Formula:
    """A Boolean expression over numbers and Fin(..), Inf(..)."""
    tokens, place = [], 0
    while text[place:].strip():
        if (match := TOKEN.match(text, place)) is None:
            raise InputError(f"`{text.strip()}` is not understood in an automaton")
        tokens.append(re.sub(r"\s", "", match[0]))
        place = match.end()
    tokens.append("")

    def several(depth: int) -> Formula:
        parts = [every(depth)]
        while tokens[0] == "|":
            tokens.pop(0)
            parts.append(every(depth))
        return Or(tuple(parts))

    def every(depth: int) -> Formula:
        parts = [single(depth)]
        while tokens[0] == "&":
            tokens.pop(0)
            parts.append(single(depth))
        return And(tuple(parts))

    def single(depth: int) -> Formula:
        token = tokens.pop(0) if tokens[0] else ""
        if token == "!" and depth < DEEPEST:
            return Not(single(depth + 1))
        if token == "(" and depth < DEEPEST:
            inside = several(depth + 1)
            if tokens.pop(0) == ")":
                return inside
        elif token in ("t", "f"):
            return Truth(token == "t")
        elif token[:1].isalpha() or (token.isdigit() and int(token) < letters):
            return Proposition(token)
        raise InputError(f"`{text.strip()}` is not understood in an automaton")

    found = several(0)
    if tokens != [""]:
        raise InputError(f"`{text.strip()}` is not understood in an automaton")
    return found


def _holds(label: Formula, letter: Sequence[bool]) -> bool:
    match label:
        case Truth(value):
            return value
        case Proposition(name):
            return letter[int(name)]
        case Not(operand):
            return not _holds(operand, letter)
        case And(operands):
            return all(_holds(operand, letter) for operand in operands)
        case Or(operands):
            return any(_holds(operand, letter) for operand in operands)
    raise InternalError(f"{label} is no label")


def _conditions(condition: Formula) -> tuple[Condition, Condition]:
    """A condition and its negation as disjunctions."""
    nothing: Marks = frozenset()
    match condition:
        case Truth(value):
            both: tuple[Condition, Condition] = ((nothing, nothing),), ()
            return both if value else both[::-1]
        case Proposition(name) if name[:3] in ("Fin", "Inf") and name[3] == "(":
            mark = frozenset([int(name[4:-1])])
            both = ((mark, nothing),), ((nothing, mark),)
            return both if name.startswith("Fin") else both[::-1]
        case And(operands):
            return _meet([_conditions(operand) for operand in operands])
        case Or(operands):
            return _meet([_conditions(operand)[::-1] for operand in operands])[::-1]
    raise InputError(
        "the acceptance condition of an automaton is made of Fin(n), Inf(n), &, | and parentheses"
    )


def _meet(parts: Sequence[tuple[Condition, Condition]]) -> tuple[Condition, Condition]:
    together: Condition = ((frozenset(), frozenset()),)
    for positive, _ in parts:
        together = tuple(dict.fromkeys((fin | f, inf | i) for fin, inf in together for f, i in positive))
    return together, tuple(dict.fromkeys(pair for _, negative in parts for pair in negative))


def automaton_of(path: Formula, known: Mapping[Formula, States]) -> Automaton:
    """The deterministic automaton of a path formula from Spot.  Raises :class:`Unsupported` without it."""
    try:
        import spot  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise Unsupported(
            "this path formula needs a deterministic automaton on a decision process",
            hint="install the extra `ltl` (pip install dipc[ltl]), or give one: `--automaton FILE` (HOA)",
        ) from None
    names = {f"p{i}": states for i, states in enumerate(known.values())}
    text = _ltl(path, {part: f"p{i}" for i, part in enumerate(known)})
    made = spot.translate(text, "generic", "deterministic", "complete")
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
