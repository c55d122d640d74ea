"""DRN, the explicit format of the model checker Storm: chains and decision processes with exact numbers.

A file is read line by line.  Some comments mean something, and our export writes them::

    // z = exp(eps)                      the value of a parameter
    // neighbours 0 ~ 1, 2 ~ 3           adjacent states
    // names plus, minus, yes, no, †     the states; without this line they are 0, 1, ...
    // labels never                      labels that no state has

Actions are matched by name across states, unnamed ones by number.  Rewards are skipped with a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, cast

from dipc.errors import InputError, LimitReached, Source, Span
from dipc.models.arithmetic import Amount, Arithmetic, Node
from dipc.models.chain import DEAD, MarkovChain, Mdp, Model, Row
from dipc.models.draft import ARTICLE, MOST_STATES, MOST_TRANSITIONS, fmpq_of
from dipc.models.reading import GRAMMAR, unquoted
from dipc.numbers.exact import rational
from dipc.numbers.quotient import Quotient
from dipc.suggest import did_you_mean

KINDS = {"DTMC": "chain", "MDP": "mdp"}
EXACT = ("rational", "parametric")
UNNAMED = "__NOLABEL__"
REWARDS = "rewards were skipped: formulas do not speak of them"

HEADER = re.compile(r"@(\w+)[ \t]*:?[ \t]*(.*)")
STATE = re.compile(r"state\s+([0-9]{1,9})(?![0-9])\s*(\[[^\]]*\])?\s*(.*)")
ACTION = re.compile(r'action\s+("[^"]*"|[^\s\[]+)\s*(\[[^\]]*\])?')
MOVE = re.compile(r"([0-9]{1,9})\s*:\s*(.+)")
LABEL = re.compile(r'"[^"]*"|\S+')
NAME = re.compile(r'"[^"]*"|[^\s,"]+')
LINK = re.compile(r"\s*[0-9]{1,9}(?:\s*~\s*[0-9]{1,9})*\s*")
REMARK = re.compile(r"//\s*(?:(neighbours|neighbors|names|labels)\s+|([^\W\d]\w*)\s*=\s*)(.*)")
CODE = re.compile(r'(?:[^"/]|"[^"]*"|"|/(?!/))*')
PLAIN = re.compile(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?:/0*[1-9]\d*)?")


class DrnFile(NamedTuple):
    """What a DRN file says; ``numbers`` are its parameters."""

    model: Model
    numbers: Mapping[str, Amount]
    notes: tuple[str, ...]


class _Line(NamedTuple):
    """A line without its comment, and where it begins."""

    text: str
    start: int


@dataclass(slots=True)
class _State:
    """A state that is being read: its choices by action."""

    line: _Line
    choices: dict[str, tuple[_Line, dict[int, Quotient]]] = field(default_factory=dict)


def read_drn(source: Source, overrides: Mapping[str, Amount] | None = None) -> DrnFile:
    """The model in a DRN file; ``overrides`` are values of parameters, before those in comments.

    Raises :class:`InputError` with the place and a hint, :class:`LimitReached` for a model that is too large.

    >>> head = ["@type: DTMC", "@value_type: rational", "@nr_states", "2", "@model"]
    >>> body = ["state 0 init", "action 0", "0 : 1/3", "1 : 2/3", "state 1 goal", "action 0", "1 : 1"]
    >>> found = read_drn(Source("a.drn", "\\n".join([*head, *body]))).model
    >>> found.rows, dict(found.labels), found.start
    ((((0, 1/3), (1, 2/3)), ((1, 1),)), {'goal': frozenset({1})}, (0,))
    """
    reader = _Reader(source, dict(overrides or {}))
    for line in reader.lines():
        reader.read(line)
    return DrnFile(reader.model(), reader.numbers, (REWARDS,) if reader.rewards else ())


class _Reader:
    """Reads lines; ``section`` is the part of the file they are in."""

    def __init__(self, source: Source, overrides: dict[str, Amount]) -> None:
        self.source, self.numbers, self.section = source, overrides, ""
        self.said: dict[str, _Line] = {}
        self.remarks: dict[str, list[_Line]] = {}
        self.values: dict[str, Quotient] = {}
        self.states: list[_State] = []
        self.labels: dict[str, list[int]] = {}
        self.label_lines: dict[str, _Line] = {}
        self.size = self.transitions = 0
        self.rewards = False

    def fail(self, line: _Line, message: str, hint: str = "", part: str = "") -> InputError:
        """The error in a line, or in a part of it."""
        shift = max(0, line.text.find(part)) if part else len(line.text) - len(line.text.lstrip())
        length = len(part or line.text.strip()) or 1
        start = line.start + shift
        return InputError(message, Span(self.source, start, start + length), hint)

    def lines(self) -> Iterator[_Line]:
        """The lines that are not empty, without comments; remarks are remembered."""
        start = 0
        for text in self.source.text.splitlines(keepends=True):
            if text.startswith("//") and (found := REMARK.match(text)):
                kept = _Line(found[3], start + found.start(3))
                self.remarks.setdefault(found[1] or f"={found[2]}", []).append(kept)
            code = CODE.match(text)[0] if "//" in text else text  # type: ignore[index]
            if code.strip():
                yield _Line(code.rstrip(), start)
            start += len(text)
        self.end = _Line("", start)

    def read(self, line: _Line) -> None:
        """Read one line."""
        if header := HEADER.fullmatch(line.text.strip()):
            self.section, rest = header.groups()
            self.said[self.section] = line
            self._header(line, rest)
        elif self.section == "model":
            self._body(line, line.text.strip())
        else:
            self._header(line, line.text.strip())

    # --- above the model -------------------------------------------------------------------------

    def _header(self, line: _Line, text: str) -> None:
        match self.section:
            case "parameters" | "nr_states" | "nr_choices" | "type" | "value_type" if text:
                self.said[self.section] = _Line(text, line.start + line.text.index(text))
                self._setting(self.said[self.section])
            case "placeholders" if text:
                name, colon, value = text.partition(":")
                if not colon or not name.startswith("$"):
                    raise self.fail(line, "a placeholder is written `$name : value`")
                self.values[name.strip()] = self._value(line, value.strip())
            case "model":
                self._begin(line)
            case "":
                raise self.fail(line, "this is not a DRN file", "it begins with a line such as `@type: DTMC`")

    def _setting(self, line: _Line) -> None:
        text = line.text
        match self.section:
            case "type" if text.upper() not in KINDS:
                raise self.fail(line, f"models of the type {text} are not supported", "DTMC and MDP are")
            case "value_type" if text not in EXACT:
                hint = "export exact numbers (in Storm: `--exact`), @value_type: rational or parametric"
                raise self.fail(line, f"numbers of the type {text} are not exact", hint)
            case "nr_states" | "nr_choices" if not (text.isascii() and text.isdigit() and len(text) < 10):
                raise self.fail(line, f"`{text}` is not a number of {self.section[3:]}")
            case "parameters":
                self._parameters(line)

    def _parameters(self, line: _Line) -> None:
        for name in line.text.split():
            if name == "eps":
                continue
            for remark in self.remarks.get(f"={name}", ()) if name not in self.numbers else ():
                self.numbers.setdefault(name, Amount(self._value(remark, remark.text.strip())))
            if name not in self.numbers:
                hint = f"set it, for example -D '{name}=exp(eps)'"
                raise self.fail(line, f"the parameter `{name}` has no value", hint, name)

    def _begin(self, line: _Line) -> None:
        for needed in ("type", "nr_states"):
            if needed not in self.said or self.said[needed].text.startswith("@"):
                raise self.fail(line, f"@{needed} is missing above @model")
        self.size = int(self.said["nr_states"].text)
        if self.size > MOST_STATES:
            raise LimitReached(f"more than {MOST_STATES} states")
        if not self.size:
            raise self.fail(self.said["nr_states"], "the model has no states")

    def _value(self, line: _Line, text: str) -> Quotient:
        """The number in a text, or that of a placeholder."""
        if (known := self.values.get(text)) is not None:
            return known
        if text.startswith("$"):
            raise self.fail(line, f"there is no placeholder {text}", "@placeholders lists them", text)
        if PLAIN.fullmatch(text):
            above, _, below = text.partition("/")
            value = rational(above, "a probability") / (rational(below, "a probability") if below else 1)
            return self.values.setdefault(text, Quotient.of(value))
        part = Source(self.source.name, text)
        try:
            tree = cast(Node, GRAMMAR.parse(part, "value").children[0])
            number = Arithmetic(part, self.numbers).number_of(tree)
        except InputError as error:
            at = line.start + line.text.rfind(text)
            inner = error.span or Span(part, 0, len(text))
            span = Span(self.source, at + inner.start, at + inner.end)
            raise InputError(error.message, span, error.hint) from None
        return self.values.setdefault(text, number)

    # --- the model -------------------------------------------------------------------------------

    def _body(self, line: _Line, text: str) -> None:
        if found := MOVE.fullmatch(text):
            self._move(line, int(found[1]), self._value(line, found[2]))
        elif found := ACTION.fullmatch(text):
            self._action(line, found)
        elif found := STATE.fullmatch(text):
            self._state(line, found)
        else:
            hint = "the model has lines `state 0 label`, `action 0` and `1 : 1/2`"
            raise self.fail(line, "this line is not expected here", hint)

    def _state(self, line: _Line, found: re.Match[str]) -> None:
        self._complete()
        number = len(self.states)
        if int(found[1]) != number:
            raise self.fail(line, f"state {number} is expected here, not state {found[1]}", part=found[1])
        if number >= self.size:
            raise self.fail(line, f"state {number} is one too many: @nr_states is {self.size}")
        self.rewards |= found[2] is not None
        for label in map(unquoted, LABEL.findall(found[3])):
            self.labels.setdefault(label, []).append(number)
            self.label_lines.setdefault(label, line)
        self.states.append(_State(line))

    def _action(self, line: _Line, found: re.Match[str]) -> None:
        if not self.states:
            raise self.fail(line, "an action belongs to a state", "begin with `state 0 init`")
        self._complete(action=True)
        choices = self.states[-1].choices
        name = str(len(choices)) if found[1] == UNNAMED else unquoted(found[1])
        if name in choices:
            raise self.fail(line, f"state {len(self.states) - 1} has the action `{name}` twice")
        self.rewards |= found[2] is not None
        choices[name] = line, {}

    def _move(self, line: _Line, target: int, p: Quotient) -> None:
        if not self.states or not self.states[-1].choices:
            raise self.fail(line, "a transition belongs to an action of a state")
        if target >= self.size:
            raise self.fail(line, f"there is no state {target}: @nr_states is {self.size}", part=str(target))
        if (value := p.as_rational()) is not None and not 0 <= value <= 1:
            raise self.fail(line, f"the probability {value} is {'negative' if value < 0 else 'above 1'}")
        _, row = next(reversed(self.states[-1].choices.values()))
        if target in row:
            raise self.fail(line, f"state {target} is given twice as a target", "add the probabilities")
        row[target] = p
        self.transitions += 1
        if self.transitions > MOST_TRANSITIONS:
            raise LimitReached(f"more than {MOST_TRANSITIONS} transitions")

    def _complete(self, action: bool = False) -> None:
        """The action, and unless another follows the state, that ends here."""
        if not self.states:
            return
        state = self.states[-1]
        if not state.choices and not action:
            raise self.fail(state.line, f"state {len(self.states) - 1} has no action")
        for line, row in [next(reversed(state.choices.values()))] if state.choices else []:
            if (total := sum(row.values(), Quotient.of(0))) != 1:
                what = f"state {len(self.states) - 1}"
                raise self.fail(line, f"the probabilities of {what} sum to {total}, not to 1")

    # --- the whole -------------------------------------------------------------------------------

    def model(self) -> Model:
        """The model, once everything is read."""
        self._counts()
        kind, names = KINDS[self.said["type"].text.upper()], self._names()
        for label in self.labels.keys() & set(names):
            message = f"`{label}` is a state, and a state is a proposition of its own"
            raise self.fail(self.label_lines[label], message, "rename the label", label)
        for line in self.remarks.get("labels", ()):
            self.labels |= {unquoted(name): [] for name in NAME.findall(line.text)} | self.labels
        labels = {label: frozenset(states) for label, states in self.labels.items() if label != "init"}
        neighbours = tuple(dict.fromkeys(self._neighbours()))
        start = tuple(self.labels.get("init", ())) or tuple(sorted({s for pair in neighbours for s in pair}))
        start = start or tuple(range(self.size - (names[-1] == DEAD)))
        actions = tuple(dict.fromkeys(name for state in self.states for name in state.choices))
        common: dict[str, Any] = {"labels": labels, "neighbours": neighbours, "start": start}
        if kind == "chain":
            return MarkovChain(names=names, rows=self._exact(self._chain_rows()), **common)
        if any(len(state.choices) < len(actions) for state in self.states) and names[-1] != DEAD:
            names = (*names, DEAD)
        return Mdp(names=names, actions=actions, rows=self._exact(self._table(names, actions)), **common)

    def _counts(self) -> None:
        if "model" not in self.said:
            raise self.fail(self.end, "the file ends before @model")
        parameters = self.said.get("parameters", self.end).text.removeprefix("@parameters").split()
        for name in self.numbers.keys() - (set(parameters) - {"eps"}):
            raise InputError(f"`{name}` is not a parameter of the model", hint=did_you_mean(name, parameters))
        if len(self.states) < self.size:
            what = f"the file ends after {len(self.states)} of {self.size} states"
            raise self.fail(self.states[-1].line if self.states else self.said["model"], what)
        self._complete()
        choices, said = sum(len(state.choices) for state in self.states), self.said.get("nr_choices")
        if said is not None and said.text != str(choices):
            raise self.fail(said, f"the model has {choices} choices, not {said.text}")

    def _names(self) -> tuple[str, ...]:
        if not (remarks := self.remarks.get("names")):
            return tuple(map(str, range(self.size)))
        names = [unquoted(name) for line in remarks for name in NAME.findall(line.text)]
        if len(names) != self.size or len(set(names)) != self.size:
            raise self.fail(remarks[0], f"{self.size} states have {len(set(names))} different names")
        loop = {self.size - 1: Quotient.one()}
        dead = self.states[-1].choices.values() if names[-1] == DEAD else ()
        if DEAD in names[:-1] or any(row != loop for _, row in dead):
            raise self.fail(remarks[-1], f"the state {DEAD} must be the last one, with a loop")
        return tuple(names)

    def _neighbours(self) -> Iterator[tuple[int, int]]:
        for line in (*self.remarks.get("neighbours", ()), *self.remarks.get("neighbors", ())):
            for link in line.text.split(","):
                if not LINK.fullmatch(link):
                    raise self.fail(line, "neighbours are written `0 ~ 1, 2 ~ 3`", part=link.strip())
                for s, t in pairwise(map(int, link.split("~"))):
                    if max(s, t) >= self.size:
                        raise self.fail(line, f"there is no state {max(s, t)}", part=str(max(s, t)))
                    if s != t:
                        yield min(s, t), max(s, t)

    def _chain_rows(self) -> Iterator[Any]:
        for number, state in enumerate(self.states):
            (_, row), *others = state.choices.values()
            if others:
                message = f"state {number} of {ARTICLE['chain']} has more than one action"
                raise self.fail(others[0][0], message, "write @type: MDP")
            yield _sorted(row)

    def _table(self, names: tuple[str, ...], actions: tuple[str, ...]) -> Iterator[Any]:
        dead = ((len(names) - 1, Quotient.one()),)
        for state in self.states:
            rows = {name: _sorted(row) for name, (_, row) in state.choices.items()}
            yield tuple(rows.get(action, dead) for action in actions)
        if len(names) > self.size:
            yield (dead,) * len(actions)

    def _exact(self, rows: Iterator[Any]) -> tuple[Any, ...]:
        """The rows with rational numbers, if they all are."""
        found = tuple(rows)
        used = (p for state in self.states for _, row in state.choices.values() for p in row.values())
        return _rational(found) if all(p.as_rational() is not None for p in used) else found


def _sorted(row: Mapping[int, Quotient]) -> Row[Quotient]:
    return tuple((t, p) for t, p in sorted(row.items()) if p)


def _rational(rows: Any) -> Any:
    """Nested rows with each function replaced by its rational value."""
    return (
        fmpq_of(rows)
        if isinstance(rows, Quotient)
        else rows
        if isinstance(rows, int)
        else tuple(map(_rational, rows))
    )
