"""DRN, the explicit format of the model checker Storm: chains and decision processes with exact numbers.

Some comments mean something, and our export writes them::

    // z = exp(eps)                      the value of a parameter
    // neighbours 0 ~ 1, 2 ~ 3           adjacent states
    // names plus, minus, yes, no, †     the states; without this line they are 0, 1, ...
    // labels never                      labels that no state has

Actions are matched by name across states, unnamed ones by number.  Rewards are skipped with a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from flint import fmpq

from dipc.errors import InputError, LimitReached, Source, Span
from dipc.models.arithmetic import Amount
from dipc.models.chain import DEAD, Model, Row
from dipc.models.draft import (
    MOST_STATES,
    MOST_TRANSITIONS,
    STATE_LABEL,
    Cell,
    Place,
    Weight,
    assembled,
    total_of,
)
from dipc.models.names import name_declared, unquoted
from dipc.models.reading import ModelFile, number_in
from dipc.numbers.quotient import Quotient
from dipc.suggest import did_you_mean

EXPORT = "export exact numbers (in Storm: `--exact`), @value_type: rational or parametric"
COUNT = re.compile(r"[0-9]{1,9}")
SETTINGS = {
    "type": (re.compile("DTMC|MDP", re.I), "models of the type {} are not supported", "DTMC and MDP are"),
    "value_type": (re.compile("rational|parametric"), "numbers of the type {} are not exact", EXPORT),
    "nr_states": (COUNT, "`{}` is not a number of states", ""),
    "nr_choices": (COUNT, "`{}` is not a number of choices", ""),
}
ZERO = fmpq(0)
UNNAMED = "__NOLABEL__"
REWARDS = "rewards were skipped: formulas do not speak of them"

COMMENT = re.compile(r'("[^"\n]*")|//[^\n]*')
REMARK = re.compile(
    r"^//[ \t]*(?:(neighbours|neighbors|names|labels)[ \t]+|([^\W\d]\w*)[ \t]*=[ \t]*)(.*?)[ \t]*$", re.M
)
HEADER = re.compile(r"^[ \t]*@(\w+)[ \t]*:?", re.M)
LINE = re.compile(r"\S(?:[^\n]*\S)?")
STATE = re.compile(r"state\s+([0-9]{1,9})(?![0-9])\s*(\[[^\]]*\])?\s*(.*)")
ACTION = re.compile(r'action\s+("[^"]*"|[^\s\[]+)\s*(\[[^\]]*\])?')
MOVE = re.compile(r"([0-9]{1,9})\s*:\s*(.+)")
WORD = re.compile(r'"[^"]*"|\S+')
NAME = re.compile(r'"[^"]*"|[^\s,"]+')
DIGITS = re.compile(r"\d+")
LINK = re.compile(r"\s*[0-9]{1,9}(?:\s*~\s*[0-9]{1,9})*\s*")


class _State(NamedTuple):
    """A state: where it is written, and its rows by action, each with its place."""

    place: Place
    choices: dict[str, tuple[Place, dict[int, Weight]]]


def read_drn(source: Source, overrides: Mapping[str, Amount] | None = None) -> ModelFile:
    """The model in a DRN file, its ``numbers`` are its parameters; ``overrides`` come before comments.

    Raises :class:`InputError` with the place and a hint, :class:`LimitReached` for a model that is too large.

    >>> head = ["@type: DTMC", "@value_type: rational", "@nr_states", "2", "@model"]
    >>> body = ["state 0 init", "action 0", "0 : 1/3", "1 : 2/3", "state 1 goal", "action 0", "1 : 1"]
    >>> found = read_drn(Source("a.drn", "\\n".join([*head, *body]))).model
    >>> found.rows, dict(found.labels), found.start
    ((((0, 1/3), (1, 2/3)), ((1, 1),)), {'goal': frozenset({1})}, (0,))
    """
    reader = _Reader(source, dict(overrides or {}))
    model = reader.model()
    return ModelFile(model, (), reader.numbers, notes=(REWARDS,) if reader.rewards else ())


class _Reader:
    """Reads a file: ``code`` is its text, comments blank; ``sections`` are the places after each @word."""

    def __init__(self, source: Source, numbers: dict[str, Amount]) -> None:
        self.source, self.numbers, self.rewards = source, numbers, False
        self.code = COMMENT.sub(lambda found: found[1] or " " * len(found[0]), source.text)
        self.remarks: dict[str, list[Place]] = {}
        for found in REMARK.finditer(source.text):
            kind = (found[1] or f"={found[2]}").replace("neighbors", "neighbours")
            self.remarks.setdefault(kind, []).append(found.span(3))
        headers = list(HEADER.finditer(self.code))
        ends = [*(header.start() for header in headers), len(self.code)]
        if stray := LINE.search(self.code, 0, ends[0]):
            hint = "it begins with a line such as `@type: DTMC`"
            raise self.fail(stray.span(), "this is not a DRN file", hint)
        self.sections = {
            header[1]: self._trimmed(header.end(), end) for header, end in zip(headers, ends[1:], strict=True)
        }
        self.headers = {header[1]: header.span() for header in headers}
        self.values: dict[str, Weight] = {}
        self.states: list[_State] = []
        self.labels: dict[str, list[int]] = {}
        self.label_places: dict[str, Place] = {}
        self.transitions = 0

    def fail(self, place: Place, message: str, hint: str = "") -> InputError:
        return InputError(message, Span(self.source, *place), hint)

    def _trimmed(self, start: int, end: int) -> Place:
        inside = self.code[start:end]
        return start + len(inside) - len(inside.lstrip()), start + len(inside.rstrip())

    def _text(self, section: str) -> str:
        start, end = self.sections.get(section, (0, 0))
        return self.code[start:end]

    def model(self) -> Model:
        self._head()
        for line in LINE.finditer(self.code, *self.sections["model"]):
            self._line(line.span())
        self._counts()
        names, is_mdp = self._names(), self._text("type").upper() == "MDP"
        actions = dict.fromkeys(name for state in self.states for name in state.choices)
        rows = dict(self._rows(names, is_mdp))
        if is_mdp and names[-1] != DEAD and len(rows) < len(names) * len(actions):
            names = (*names, DEAD)
        labels = {name: frozenset(states) for name, states in self._all_labels(names) if name != "init"}
        start = tuple(self.labels.get("init", ()))
        return assembled(names, rows, tuple(actions) if is_mdp else None, labels, self._neighbours(), start)

    # --- above the model -------------------------------------------------------------------------

    def _head(self) -> None:
        for section, (pattern, message, hint) in SETTINGS.items():
            text = self._text(section)
            if text and not pattern.fullmatch(text):
                raise self.fail(self.sections[section], message.format(text), hint)
        if "model" not in self.sections:
            raise self.fail((len(self.code),) * 2, "the file ends before @model")
        for needed in ("type", "nr_states"):
            if not self._text(needed):
                raise self.fail(self.headers["model"], f"@{needed} is missing above @model")
        self._parameters()
        for line in LINE.finditer(self.code, *self.sections.get("placeholders", (0, 0))):
            name, colon, _ = line[0].partition(":")
            if not colon or not name.startswith("$"):
                raise self.fail(line.span(), "a placeholder is written `$name : value`")
            self.values[name.strip()] = self._value(*self._trimmed(line.start() + len(name) + 1, line.end()))
        self.size = int(self._text("nr_states"))
        if self.size > MOST_STATES:
            raise LimitReached(f"more than {MOST_STATES} states")
        if not self.size:
            raise self.fail(self.sections["nr_states"], "the model has no states")

    def _parameters(self) -> None:
        places = {found[0]: found.span() for found in WORD.finditer(self._text("parameters"))}
        for name in self.numbers.keys() - (places.keys() - {"eps"}):
            raise InputError(f"`{name}` is not a parameter of the model", hint=did_you_mean(name, places))
        for name, (start, end) in places.items():
            for remark in self.remarks.get(f"={name}", ())[:1] if name not in {*self.numbers, "eps"} else ():
                self.numbers[name] = Amount(self._value(*remark).value)
            if name not in self.numbers and name != "eps":
                before, hint = self.sections["parameters"][0], f"set it, for example -D '{name}=exp(eps)'"
                raise self.fail((before + start, before + end), f"the parameter `{name}` has no value", hint)

    def _value(self, start: int, end: int) -> Weight:
        """The number in a part of the text, or that of a placeholder."""
        text = self.source.text[start:end]
        if (found := self.values.get(text)) is None:
            if text.startswith("$"):
                raise self.fail((start, end), f"there is no placeholder {text}", "@placeholders lists them")
            value = number_in(self.source, self.numbers, start, end)
            found = self.values[text] = Weight.of(value)
        return found

    # --- the model -------------------------------------------------------------------------------

    def _line(self, place: Place) -> None:
        for pattern, read in ((MOVE, self._move), (ACTION, self._action), (STATE, self._state)):
            if found := pattern.fullmatch(self.code, *place):
                return read(found)
        hint = "the model has lines `state 0 label`, `action 0` and `1 : 1/2`"
        raise self.fail(place, "this line is not expected here", hint)

    def _state(self, found: re.Match[str]) -> None:
        number = len(self.states)
        if int(found[1]) != number:
            raise self.fail(found.span(1), f"state {number} is expected here, not state {found[1]}")
        if number >= self.size:
            raise self.fail(found.span(), f"state {number} is one too many: @nr_states is {self.size}")
        self.rewards |= found[2] is not None
        for label in WORD.finditer(self.code, *found.span(3)):
            name = name_declared(label[0], Span(self.source, *label.span()))
            self.labels.setdefault(name, []).append(number)
            self.label_places.setdefault(name, label.span())
        self.states.append(_State(found.span(), {}))

    def _action(self, found: re.Match[str]) -> None:
        if not self.states:
            raise self.fail(found.span(), "an action belongs to a state", "begin with `state 0 init`")
        choices = self.states[-1].choices
        name = str(len(choices)) if found[1] == UNNAMED else unquoted(found[1])
        if name in choices:
            raise self.fail(found.span(), f"state {len(self.states) - 1} has the action `{name}` twice")
        self.rewards |= found[2] is not None
        choices[name] = found.span(), {}

    def _move(self, found: re.Match[str]) -> None:
        if not self.states or not self.states[-1].choices:
            raise self.fail(found.span(), "a transition belongs to an action of a state")
        target, p = int(found[1]), self._value(*found.span(2))
        if target >= self.size:
            raise self.fail(found.span(1), f"there is no state {target}: @nr_states is {self.size}")
        if p.wrong:
            raise self.fail(found.span(), f"the probability {p.value} is {p.wrong}")
        _, row = next(reversed(self.states[-1].choices.values()))
        if target in row:
            message = f"state {target} is given twice as a target"
            raise self.fail(found.span(), message, "add the probabilities")
        row[target] = p
        self.transitions += 1
        if self.transitions > MOST_TRANSITIONS:
            raise LimitReached(f"more than {MOST_TRANSITIONS} transitions")

    # --- the whole -------------------------------------------------------------------------------

    def _counts(self) -> None:
        """As many states and choices as the file says, and rows that sum to 1."""
        if len(self.states) < self.size:
            place = self.states[-1].place if self.states else self.headers["model"]
            raise self.fail(place, f"the file ends after {len(self.states)} of {self.size} states")
        for s, state in enumerate(self.states):
            if not state.choices:
                raise self.fail(state.place, f"state {s} has no action")
            for place, row in state.choices.values():
                if (total := total_of(row.values())) != 1:
                    raise self.fail(place, f"the probabilities of state {s} sum to {total}, not to 1")
        choices, said = sum(len(state.choices) for state in self.states), self._text("nr_choices")
        if said and int(said) != choices:
            raise self.fail(self.sections["nr_choices"], f"the model has {choices} choices, not {said}")

    def _named(self, place: Place) -> list[str]:
        found = NAME.finditer(self.source.text, *place)
        return [name_declared(name[0], Span(self.source, *name.span())) for name in found]

    def _names(self) -> tuple[str, ...]:
        if not (remarks := self.remarks.get("names")):
            return tuple(map(str, range(self.size)))
        names = [name for place in remarks for name in self._named(place)]
        if len(names) != self.size or len(set(names)) != self.size:
            raise self.fail(remarks[0], f"{self.size} states have {len(set(names))} different names")
        dead = self.states[-1].choices.values() if names[-1] == DEAD else ()
        if DEAD in names[:-1] or any([*row] != [self.size - 1] for _, row in dead):
            raise self.fail(remarks[-1], f"the state {DEAD} must be the last one, with a loop")
        return tuple(names)

    def _all_labels(self, names: tuple[str, ...]) -> Iterator[tuple[str, list[int]]]:
        for label in self.labels.keys() & set(names):
            raise self.fail(self.label_places[label], STATE_LABEL.format(label), "rename the label")
        empty: dict[str, list[int]] = {
            name: [] for place in self.remarks.get("labels", ()) for name in self._named(place)
        }
        yield from (self.labels | empty | self.labels).items()

    def _neighbours(self) -> tuple[tuple[int, int], ...]:
        found: dict[tuple[int, int], None] = {}
        for start, end in self.remarks.get("neighbours", ()):
            for link in self.source.text[start:end].split(","):
                if not LINK.fullmatch(link):
                    raise self.fail((start, end), "neighbours are written `0 ~ 1, 2 ~ 3`")
                states = list(DIGITS.finditer(self.source.text, start, start + len(link)))
                for state in states:
                    if int(state[0]) >= self.size:
                        raise self.fail(state.span(), f"there is no state {int(state[0])}")
                for s, t in pairwise(int(state[0]) for state in states):
                    if s != t:
                        found[min(s, t), max(s, t)] = None
                start += len(link) + 1
        return tuple(found)

    def _rows(self, names: tuple[str, ...], is_mdp: bool) -> Iterator[tuple[Cell, Row[Quotient]]]:
        for s, state in enumerate(self.states):
            for number, (action, (place, row)) in enumerate(state.choices.items()):
                if number and not is_mdp:
                    message = f"state {s} of a chain has more than one action"
                    raise self.fail(place, message, "write @type: MDP")
                targets = tuple([(t, row[t].value) for t in sorted(row) if row[t].rational != 0])
                yield (names[s], action if is_mdp else None), targets
