"""A proof for every size, for a reader: which sample moves by how much on which branch.

This is the coupling argument that a paper would print.  In words it is short: a sentence for each sample,
which splits its edges by one thing only (what they publish, one test ...).  A sentence is written only if it
is true of every edge; otherwise it gives bounds and refers to ``--details``, a table that has everything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import partial
from itertools import chain, groupby
from typing import NamedTuple

from flint import fmpq

from dipc.dipwhile.allsizes.automaton import ZERO, Automaton, Edge, Form, Place, Symbol
from dipc.dipwhile.allsizes.linear import Strategy
from dipc.models.values import show

KINDS = {"output": "on the way to", "test": "if", "choice": "if", "value": "while", "label": "where"}
"""What may tell edges apart, from what is best to read on, with the word before it."""

MOST_CASES = 3
LONGEST = 150  # characters of a sentence

Motion = tuple[str, fmpq]
"""``by s``, or ``more s``: by s more than its mean."""


class Atom(NamedTuple):
    """What an edge does or has; ``short`` is the value of an output, or ``publishing`` its variable."""

    kind: str
    text: str
    short: str = ""


@dataclass(frozen=True, slots=True)
class Move:
    """A sample on an edge: how far it and its mean move, and what that costs in units of eps."""

    number: int
    edge: Edge
    name: str
    mean: fmpq
    shift: fmpq
    cost: fmpq
    query: bool  # whether the change of its mean is that of the private inputs


# --- in words ------------------------------------------------------------------------------------


def moves(automaton: Automaton, strategy: Strategy) -> Iterator[Move]:
    """Every sample of every edge; a name that is drawn in several lines has its line."""
    drawn = [step for edge in automaton.edges for step in edge.path if step.kind == "sample"]
    lines = {(step.text, step.span.line) for step in drawn}
    several = {name for name, line in lines if any(line != other for same, other in lines if same == name)}
    for number, shifts in zip(strategy.edges, strategy.shifts, strict=True):
        edge = automaton.edges[number]
        known = differences(strategy.deltas.get(edge.source, {}), shifts)
        steps = [step for step in edge.path if step.kind == "sample"]
        for step, sample, shift in zip(steps, edge.samples, shifts, strict=True):
            mean = value(sample.mean, known)
            name = f"{step.text} (line {step.span.line})" if step.text in several else step.text
            cost = sample.rate * abs(shift - mean)
            yield Move(number, edge, name, mean, shift, cost, not sample.mean.terms)


def differences(deltas: Mapping[str, fmpq], shifts: Sequence[fmpq]) -> Mapping[Symbol, fmpq]:
    """The differences of live variables and of the samples of an edge."""
    known: dict[Symbol, fmpq] = {}
    known.update(deltas.items())
    known.update(enumerate(shifts))
    return known


def value(form: Form, known: Mapping[Symbol, fmpq]) -> fmpq:
    """A form at the shifts of samples and the differences of live variables."""
    return sum((c * known[symbol] for symbol, c in form.terms), start=form.constant)


def proof_in_words(automaton: Automaton, strategies: Sequence[Strategy]) -> str:
    """The numbers of edges and of strategies, and the proof if there is only one.

    For example ``12 edges, 1 strategy: rT moves by 1; r moves with its query, and by 1 on the way to top``.
    """
    numbers = ((len(automaton.edges), "edge", "edges"), (len(strategies), "strategy", "strategies"))
    counted = ", ".join(f"{count} {one if count == 1 else more}" for count, one, more in numbers)
    return ": ".join([counted, *(in_words(automaton, only) for only in strategies if len(strategies) == 1)])


def in_words(automaton: Automaton, strategy: Strategy, more: str = "--details") -> str:
    """How the samples move, and what finite choices cost; where that takes a table, ``more`` has it."""
    found: dict[str, list[Move]] = {}
    for move in moves(automaton, strategy):
        found.setdefault(move.name, []).append(move)
    same: dict[str, list[str]] = {}
    for name, own in found.items():
        same.setdefault(motion_in_words(own, automaton.places, more), []).append(name)
    parts = [_sentence(names, phrase) for phrase, names in same.items()]
    return "; ".join([*parts, *_choices(automaton, strategy)]) or "nothing moves, and nothing costs"


def _sentence(names: Sequence[str], phrase: str) -> str:
    if len(names) == 1:
        return f"{names[0]} {phrase}"
    plural = re.sub(r"^(move|stay)s", r"\1", phrase)
    plural = plural.replace("its query", "their queries").replace("its mean", "their means")
    return f"{', '.join(names[:-1])} and {names[-1]} {plural}"


def _choices(automaton: Automaton, strategy: Strategy) -> Iterator[str]:
    costs = {cost for number in strategy.edges if (cost := automaton.edges[number].cost)}
    if costs:
        yield f"a random choice costs {'' if len(costs) == 1 else 'at most '}{max(costs)}*eps"


Case = tuple[Sequence[Move], tuple[Atom, ...]]


def motion_in_words(found: Sequence[Move], places: Sequence[Place], more: str = "--details") -> str:
    """How one sample moves on all of its edges; true, or with bounds only."""
    atoms = [frozenset(_atoms(move.edge, places)) for move in found]
    whole: list[Case] = [(found, ())]
    for cases in chain([whole], _splits(found, atoms)):
        if 0 < len(cases) <= MOST_CASES and all(common(own) for own, _ in cases):
            text = _told(cases, {atom for each in atoms for atom in each})
            if len(text) <= LONGEST:
                return text
    low, high = (bound(move.shift for move in found) for bound in (min, max))
    return f"moves by {low} to {high} (see {more})"


def _splits(found: Sequence[Move], atoms: Sequence[frozenset[Atom]]) -> list[list[Case]]:
    """Ways to tell the edges of a sample apart: by one atom, and by all atoms of a kind.

    The first case of each is the usual one.  Where a sample usually moves with its mean comes first.
    """
    known = sorted({a for each in atoms for a in each}, key=lambda atom: (list(KINDS).index(atom[0]), atom))
    pairs: list[list[Case]] = []
    for atom in known:
        sides = [
            [m for m, own in zip(found, atoms, strict=True) if (atom in own) is has] for has in (False, True)
        ]
        pairs.append([(sides[0], ()), (sides[1], (atom,))] if all(sides) else [])
    pairs.sort(key=lambda cases: not (cases and _best(cases[0][0])[0] == "more"))
    return [*pairs, *(_by_kind(kind, found, atoms) for kind in KINDS)]


def _by_kind(kind: str, found: Sequence[Move], atoms: Sequence[frozenset[Atom]]) -> list[Case]:
    keyed = [(tuple(sorted(a for a in own if a[0] == kind)), m) for m, own in zip(found, atoms, strict=True)]
    keyed.sort(key=lambda pair: pair[0])
    if any(
        {*one} < {*other} for one in {key for key, _ in keyed if key} for other in {key for key, _ in keyed}
    ):
        return []  # "on the way to a" would include the way to a and b
    return [([m for _, m in own], key) for key, own in groupby(keyed, key=lambda pair: pair[0])]


def _atoms(edge: Edge, places: Sequence[Place]) -> Iterator[Atom]:
    for step in (step for step in edge.path if step.kind in KINDS):
        name, shown = step.published or ("", "")
        yield Atom(step.kind, step.text, f"publishing {name}" if shown is None else shown)
    yield from (Atom("value", f"{name} = {show(known)}") for name, known in places[edge.source].values)


def common(found: Sequence[Move]) -> list[Motion]:
    """The motions that describe all of these moves, the shortest to tell first."""
    shifts, more = {move.shift for move in found}, {move.shift - move.mean for move in found}
    constant = [("by", shifts.pop())] if len(shifts) == 1 else []
    relative = [("more", more.pop())] if len(more) == 1 and any(move.mean for move in found) else []
    return [*constant, *relative]


def _best(found: Sequence[Move]) -> Motion:
    return next(iter(common(found)), ("", ZERO))


def _told(cases: Sequence[Case], known: Iterable[Atom]) -> str:
    told = [(_motion(_best(own), own), " and ".join(_where(a, known) for a in key)) for own, key in cases]
    (first, where), *rest = told
    opening = first if not where else f"{first} {where}"
    usual = first.partition(" ")[0] if first.startswith("moves") else ""
    return ", and ".join(
        [opening, *(f"{phrase.removeprefix(f'{usual} ')} {w}".strip() for phrase, w in rest)]
    )


def _motion(motion: Motion, found: Sequence[Move]) -> str:
    """A motion in words.

    >>> _motion(("by", fmpq(1, 2)), []), _motion(("more", fmpq(0)), []), _motion(("by", fmpq(0)), [])
    ('moves by 1/2', 'moves with its query', 'stays')
    """
    kind, by = motion
    if kind == "by":
        return f"moves by {by}" if by else "stays"
    mean = "its query" if all(move.query for move in found) else "its mean"
    return f"moves by {by} more than {mean}" if by else f"moves with {mean}"


def _where(atom: Atom, known: Iterable[Atom]) -> str:
    """The words for an atom; of an output its value, unless another variable can have it too."""
    alone = all(other.short != atom.short or other.text == atom.text for other in known)
    return f"{KINDS[atom.kind]} {atom.short if atom.short and alone else atom.text}"


# --- as a table ----------------------------------------------------------------------------------

HEADS = ("place", "branch", "change", "sample", "moves by", "cost", "budget", "left")


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the table; the budget before and after the edge is what may still be spent."""

    place: str
    branch: str
    change: str
    sample: str
    shift: str
    cost: str
    before: str
    after: str


def table(automaton: Automaton, strategy: Strategy) -> list[Line]:
    """The rows of a strategy; edges that differ only in the changes of the inputs are one row if they can.

    Edges that neither draw nor cost anything have none.
    """
    merged: dict[tuple[str, ...], list[Line]] = {}
    for line in _lines(automaton, strategy):
        merged.setdefault(astuple(replace(line, change="", shift="")), []).append(line)
    return [_merged(lines) for lines in merged.values()]


def _merged(lines: Sequence[Line]) -> Line:
    shifts = [line.shift for line in lines]
    shown = shifts[0] if len({*shifts}) == 1 else ", ".join(shifts)
    changes = lines if shown != shifts[0] else {line.change: line for line in lines}.values()
    return replace(lines[0], change=" | ".join(line.change for line in changes), shift=shown)


def _lines(automaton: Automaton, strategy: Strategy) -> Iterator[Line]:
    own: dict[int, list[Move]] = {}
    for move in moves(automaton, strategy):
        own.setdefault(move.number, []).append(move)
    for number in strategy.edges:
        edge = automaton.edges[number]
        before, after = (str(strategy.potentials.get(end, ZERO)) for end in (edge.source, edge.target))
        texts = (_texts(edge, {"test", "choice", "output"}), _texts(edge, {"label"}))
        place = automaton.places[edge.source]
        known = ", ".join(f"{name} = {show(value)}" for name, value in place.values)
        line = partial(Line, place.cut + (f" ({known})" if known else ""), *texts)  # line 1: for i (k = 0)
        for move in own.get(number, []):
            yield line(move.name, str(move.shift), str(move.cost), before, after)
        if edge.cost:
            yield line("(choice)", "", str(edge.cost), before, after)


def _texts(edge: Edge, kinds: set[str]) -> str:
    return ", ".join(step.text for step in edge.path if step.kind in kinds)
