"""From rows, labels and neighbours to a model, with all names and sums checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any, NamedTuple

from flint import fmpq

from dipc.errors import InputError, LimitReached, Source, Span
from dipc.models.chain import DEAD, MarkovChain, Mdp, Model, Row
from dipc.numbers.quotient import Quotient
from dipc.suggest import did_you_mean

MOST_STATES = 10**6
MOST_TRANSITIONS = 10**7

Place = tuple[int, int]
"""Where something is written."""

Named = tuple[str, Place]
Cell = tuple[str, str | None]
"""A state and, in a decision process, an action."""

STAR = "*"
ARTICLE = {"chain": "a chain", "mdp": "a decision process"}


class Weight(NamedTuple):
    """A probability: a function of eps, the rational number that it is, if it is one, and what is wrong."""

    value: Quotient
    rational: fmpq | None
    wrong: str

    @staticmethod
    def of(value: Quotient) -> Weight:
        """A constant may be negative, or above 1."""
        if value.as_rational() is None:
            return Weight(value, None, "")
        p = fmpq_of(value)
        return Weight(value, p, "" if 0 <= p <= 1 else "negative" if p < 0 else "above 1")


@dataclass(slots=True)
class Draft:
    """A model that is being read: its names are checked at the end, when all of them are known."""

    source: Source
    kind: Named | None = None
    rows: dict[Cell, list[tuple[str, Quotient, Place]]] = field(default_factory=dict)
    places: dict[Cell, Place] = field(default_factory=dict)
    final: list[Named] = field(default_factory=list)
    labels: dict[str, tuple[Place, list[Named]]] = field(default_factory=dict)
    pairs: list[tuple[Named, Named]] = field(default_factory=list)
    start: list[Named] = field(default_factory=list)
    actions: dict[str, None] = field(default_factory=dict)
    transitions: int = 0
    _weights: dict[int, Weight] = field(default_factory=dict)

    def fail(self, place: Place, message: str, hint: str = "") -> InputError:
        """The error about what is written there; without a place in a model that has no text."""
        return InputError(message, Span(self.source, *place) if self.source.text else None, hint)

    def add_row(
        self, state: str, action: str | None, targets: list[tuple[str, Quotient, Place]], place: Place
    ) -> None:
        """Add the transitions of a state."""
        cell = state, action
        if cell in self.rows:
            what = f"`{state}`" if action is None else f"`{state}` under `{action}`"
            hint = f"first in line {Span(self.source, *self.places[cell]).line}" if self.source.text else ""
            raise self.fail(place, f"the transitions of {what} are given twice", hint)
        if action is not None and action != STAR:
            self.actions[action] = None
        self.rows[cell], self.places[cell] = targets, place
        self.transitions += len(targets)
        if len(self.rows) > MOST_STATES or self.transitions > MOST_TRANSITIONS:
            raise LimitReached(f"more than {MOST_STATES} states or {MOST_TRANSITIONS} transitions")

    # --- the whole -----------------------------------------------------------------------------------

    def model(self) -> Model:
        """The model, once everything is read."""
        if self.kind is None:
            raise self.fail((0, 1), "a model begins with a line `chain` or `mdp`")
        number = self._states(self.kind[0])
        rows = {cell: self._row(cell, number) for cell in self.rows}
        for state, _ in [cell for cell in rows if cell[1] == STAR]:
            row = rows.pop((state, STAR))
            for action in self.actions:
                rows.setdefault((state, action), row)
        labels = {
            name: frozenset(self._number(each, number) for each in members)
            for name, (_, members) in self.labels.items()
        }
        pairs, names = self.neighbours(number), tuple(number)
        start = tuple(dict.fromkeys(self._number(each, number) for each in self.start))
        common = names, labels, pairs, start or default_start(names, pairs)
        exact, one = _in_one_field(rows)
        dead: Row[Any] = ((len(names) - 1, one),)  # of a state, or a state and an action, without a row
        if self.kind[0] == "chain":
            return MarkovChain(*common, tuple(exact.get((s, None), dead) for s in names))
        chosen = tuple(self.actions)
        return Mdp(*common, chosen, tuple(tuple(exact.get((s, a), dead) for a in chosen) for s in names))

    def _states(self, kind: str) -> dict[str, int]:
        """The states in the order of the file, and at the end the one behind states without transitions."""
        final = dict(self.final)
        for state, action in self.rows:
            if state in final:
                raise self.fail(final[state], f"`{state}` is final, but it has transitions")
            if (kind == "chain") is not (action is None):
                need = "has no actions" if kind == "chain" else "needs an action: STATE [ACTION] -> ..."
                raise self.fail(self.places[state, action], f"a state of {ARTICLE[kind]} {need}")
        written = [(cell[0], place) for cell, place in self.places.items()] + self.final
        names = dict.fromkeys(name for name, _ in sorted(written, key=itemgetter(1)))
        number = {name: i for i, name in enumerate(names)}
        if not number:
            raise self.fail((0, 1), "the model has no states")
        if DEAD in number:
            message = f"`{DEAD}` is the state behind those without transitions"
            raise self.fail(dict(written)[DEAD], message, "rename the state")
        for label, (place, _) in self.labels.items():
            if label in number:
                message = f"`{label}` is a state, and a state is a proposition of its own"
                raise self.fail(place, message, "rename the label")
        rows, actions = self.rows, self.actions
        full = all((s, STAR) in rows or all((s, a) in rows for a in actions) for s, _ in rows)
        if self.final or (kind == "mdp" and not full):
            number[DEAD] = len(number)
        return number

    def _number(self, named: Named, number: dict[str, int]) -> int:
        name, place = named
        if name not in number or name == DEAD:
            declare = "declare it: `final NAME` for a state without transitions"
            hint = did_you_mean(name, list(number)[:1000], declare)
            raise self.fail(place, f"there is no state `{name}`", hint)
        return number[name]

    def _row(self, cell: Cell, number: dict[str, int]) -> Row[Quotient]:
        """A row with the numbers of its targets, which must sum to 1."""
        found: dict[int, Weight] = {}
        for name, p, place in self.rows[cell]:
            target = number[name] if name in number and name != DEAD else self._number((name, place), number)
            if target in found:
                message = f"`{name}` is given twice as a target of `{cell[0]}`"
                raise self.fail(place, message, "add the probabilities")
            if (weight := self._weights.get(id(p))) is None:  # a file repeats few numbers
                weight = self._weights[id(p)] = Weight.of(p)
            if weight.wrong:
                raise self.fail(place, f"the probability {p} of `{cell[0]} -> {name}` is {weight.wrong}")
            found[target] = weight
        total: Any = sum([p.rational for p in found.values() if p.rational is not None], fmpq(0))
        if functions := [p.value for p in found.values() if p.rational is None]:
            total = sum(functions, Quotient.of(total))
        if total != 1:
            what = f"`{cell[0]}`" if cell[1] is None else f"`{cell[0]} [{cell[1]}]`"
            raise self.fail(self.places[cell], f"the probabilities of {what} sum to {total}, not to 1")
        return tuple([(t, found[t].value) for t in sorted(found) if found[t].rational != 0])

    def onto(self, model: Model) -> Model:
        """A model with these neighbours instead of its own."""
        return replace(model, neighbours=self.neighbours({name: i for i, name in enumerate(model.names)}))

    def neighbours(self, number: dict[str, int]) -> tuple[tuple[int, int], ...]:
        """The pairs of different adjacent states, each once."""
        found = ((self._number(s, number), self._number(t, number)) for s, t in self.pairs)
        return tuple(dict.fromkeys((min(pair), max(pair)) for pair in found if pair[0] != pair[1]))


def fmpq_of(p: Quotient) -> fmpq:
    """The rational number that a constant function is."""
    value = p.as_rational()
    assert value is not None
    return fmpq(value.numerator, value.denominator)


def _in_one_field(rows: Mapping[Cell, Row[Quotient]]) -> tuple[Mapping[Cell, Row[Any]], Any]:
    """The rows in rational numbers, if they all are, and the number 1."""
    different = {id(p): p for row in rows.values() for _, p in row}  # a file repeats few numbers
    if any(p.as_rational() is None for p in different.values()):
        return rows, Quotient.one()
    numbers = {key: fmpq_of(p) for key, p in different.items()}
    return {cell: tuple([(t, numbers[id(p)]) for t, p in row]) for cell, row in rows.items()}, fmpq(1)


def default_start(names: tuple[str, ...], pairs: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    """The states asked about unless others are given: those with a neighbour, or else all of them."""
    return tuple(sorted({s for pair in pairs for s in pair})) or tuple(range(len(names) - (DEAD in names)))
