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
from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from dipc.errors import InputError, LimitReached, Source, Span
from dipc.models.arithmetic import Amount
from dipc.models.chain import DEAD, Model
from dipc.models.draft import MOST_STATES, Draft, Place
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


Targets = list[tuple[str, Quotient, Place]]


class _State(NamedTuple):
    """A state: where it is written, and its rows by action, each with its place."""

    place: Place
    choices: dict[str, tuple[Place, Targets]]


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
        self.draft, self.names = Draft(source), list[str]()
        self.values: dict[str, Quotient] = {}
        self.states: list[_State] = []

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
        self._rows()
        self._comments()
        return self.draft.model()

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
        if (size := int(self._text("nr_states"))) > MOST_STATES:
            raise LimitReached(f"more than {MOST_STATES} states")
        if not size:
            raise self.fail(self.sections["nr_states"], "the model has no states")
        self.is_mdp, self.names = self._text("type").upper() == "MDP", self._all_names(size)
        self.draft.kind = "mdp" if self.is_mdp else "chain", self.sections["type"]

    def _parameters(self) -> None:
        places = {found[0]: found.span() for found in WORD.finditer(self._text("parameters"))}
        for name in self.numbers.keys() - (places.keys() - {"eps"}):
            raise InputError(f"`{name}` is not a parameter of the model", hint=did_you_mean(name, places))
        for name, (start, end) in places.items():
            for remark in self.remarks.get(f"={name}", ())[:1] if name not in {*self.numbers, "eps"} else ():
                self.numbers[name] = Amount(self._value(*remark))
            if name not in self.numbers and name != "eps":
                before, hint = self.sections["parameters"][0], f"set it, for example -D '{name}=exp(eps)'"
                raise self.fail((before + start, before + end), f"the parameter `{name}` has no value", hint)

    def _value(self, start: int, end: int) -> Quotient:
        """The number in a part of the text, or that of a placeholder."""
        text = self.source.text[start:end]
        if (found := self.values.get(text)) is None:
            if text.startswith("$"):
                raise self.fail((start, end), f"there is no placeholder {text}", "@placeholders lists them")
            found = self.values[text] = number_in(self.source, self.numbers, start, end)
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
        if number >= len(self.names):
            raise self.fail(found.span(), f"state {number} is one too many: @nr_states is {number}")
        self.rewards |= found[2] is not None
        self.states.append(_State(found.span(), {}))
        for label in WORD.finditer(self.code, *found.span(3)):
            name, place = name_declared(label[0], Span(self.source, *label.span())), label.span()
            member = self.names[number], place
            if name == "init":
                self.draft.start.append(member)
            else:
                self.draft.labels.setdefault(name, (place, []))[1].append(member)

    def _action(self, found: re.Match[str]) -> None:
        if not self.states:
            raise self.fail(found.span(), "an action belongs to a state", "begin with `state 0 init`")
        choices = self.states[-1].choices
        name = str(len(choices)) if found[1] == UNNAMED else unquoted(found[1])
        if name in choices:
            raise self.fail(found.span(), f"state {len(self.states) - 1} has the action `{name}` twice")
        if choices and not self.is_mdp:
            message = f"state {len(self.states) - 1} of a chain has more than one action"
            raise self.fail(found.span(), message, "write @type: MDP")
        self.rewards |= found[2] is not None
        choices[name] = found.span(), []

    def _move(self, found: re.Match[str]) -> None:
        if not self.states or not self.states[-1].choices:
            raise self.fail(found.span(), "a transition belongs to an action of a state")
        _, row = next(reversed(self.states[-1].choices.values()))
        row.append((self._name(found[1], found.span(1)), self._value(*found.span(2)), found.span()))

    def _name(self, number: str, place: Place) -> str:
        """The state of this number."""
        if int(number) >= len(self.names):
            raise self.fail(place, f"there is no state {number}: @nr_states is {len(self.names)}")
        return self.names[int(number)]

    # --- the whole -------------------------------------------------------------------------------

    def _rows(self) -> None:
        """Add the rows to the draft, if they are as many as the file says; none leads to ``†``."""
        if len(self.states) < len(self.names):
            place = self.states[-1].place if self.states else self.headers["model"]
            raise self.fail(place, f"the file ends after {len(self.states)} of {len(self.names)} states")
        for name, state in zip(self.names, self.states, strict=True):
            if not state.choices:
                raise self.fail(state.place, f"state {name} has no action")
            final = True
            for action, (place, row) in state.choices.items():
                if self.is_mdp:
                    self.draft.actions[action] = None
                if len(row) != 1 or row[0][0] != DEAD:
                    self.draft.add_row(name, action if self.is_mdp else None, row, place)
                    final = False
            if final and name != DEAD:
                self.draft.final.append((name, state.place))
        choices, said = sum(len(state.choices) for state in self.states), self._text("nr_choices")
        if said and int(said) != choices:
            raise self.fail(self.sections["nr_choices"], f"the model has {choices} choices, not {said}")

    def _named(self, place: Place) -> list[str]:
        found = NAME.finditer(self.source.text, *place)
        return [name_declared(name[0], Span(self.source, *name.span())) for name in found]

    def _all_names(self, size: int) -> list[str]:
        if not (remarks := self.remarks.get("names")):
            return list(map(str, range(size)))
        names = [name for place in remarks for name in self._named(place)]
        if len(names) != size or len(set(names)) != size:
            raise self.fail(remarks[0], f"{size} states have {len(set(names))} different names")
        if DEAD in names[:-1]:
            raise self.fail(remarks[-1], f"the state {DEAD} must be the last one, with a loop")
        return names

    def _comments(self) -> None:
        """Labels that no state has, and neighbours."""
        for place in self.remarks.get("labels", ()):
            for name in self._named(place):
                self.draft.labels.setdefault(name, (place, []))
        for start, end in self.remarks.get("neighbours", ()):
            for link in self.source.text[start:end].split(","):
                if not LINK.fullmatch(link):
                    raise self.fail((start, end), "neighbours are written `0 ~ 1, 2 ~ 3`")
                numbers = DIGITS.finditer(self.source.text, start, start + len(link))
                self.draft.pairs += pairwise((self._name(n[0], n.span()), n.span()) for n in numbers)
                start += len(link) + 1
