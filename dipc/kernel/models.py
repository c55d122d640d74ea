"""Hidden Markov models of fractions, and what certificates say about them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from .chains import MAX_STATES, Row, read_row
from .facts import ZERO
from .privacy import FORMAT, MAX_NAME, VERSION, shown
from .reading import Refused, array, record, text

SILENCE = "-"
MAX_SHOWN = 40  # observations in a statement

Vector = dict[int, Fraction]


class Model(NamedTuple):
    """The model, with the silent state behind the last one, and its silence behind the last observation."""

    states: list[str]
    observations: list[str]
    emissions: list[Row]
    transitions: list[Row]

    def seen(self, x: Vector) -> dict[int, Vector]:
        """The parts of a vector, by the observation that its states may show."""
        found: dict[int, Vector] = {}
        for s, value in x.items():
            for o, p in self.emissions[s]:
                part = found.setdefault(o, {})
                part[s] = value * p
        return dict(sorted(found.items()))

    def moved(self, x: Vector) -> Vector:
        """The vector after a transition."""
        found: Vector = {}
        for s, value in x.items():
            for t, q in self.transitions[s]:
                found[t] = found.get(t, ZERO) + value * q
        return found

    def after(self, x: Vector) -> dict[int, Vector]:
        """The vector after each observation that some state of it may show, and a transition."""
        return {o: self.moved(part) for o, part in self.seen(x).items()}

    def probability(self, start: Vector, sequence: Sequence[int]) -> Fraction:
        """Of a sequence of observations."""
        for o in sequence:
            start = self.after(start).get(o, {})
        return total(start)


def total(x: Vector) -> Fraction:
    """The sum of the entries."""
    return sum(x.values(), ZERO)


def read_names(value: Any, step: str) -> list[str]:
    """Different names; silence is not one."""
    names = [text(name, step) for name in array(value, step)]
    if not 0 < len(names) <= MAX_STATES or len(set(names)) < len(names) or SILENCE in names:
        raise Refused(step, "there are none, too many, one is listed twice or stands for silence")
    return names


def read_rows(value: Any, count: int, last: int, step: str, stop: Row | None = None) -> list[Row]:
    """A distribution for each state; ``stop`` is what an empty one means, if it is allowed."""
    if len(array(value, step)) != count:
        raise Refused(step, "there is not one row for every state")
    return [stop if stop and row == [] else read_row(row, last, f"{step} {s}") for s, row in enumerate(value)]


def read_model(data: dict[str, Any]) -> Model:
    """The model, if every row sums to 1."""
    states, observations = (read_names(data[field], field) for field in ("states", "observations"))
    n, m = len(states), len(observations)
    stays: Row = [(n, Fraction(1))]
    emissions = read_rows(data["emissions"], n, m - 1, "emissions")
    transitions = read_rows(data["transitions"], n, n - 1, "transitions", stays)
    return Model(states, observations, [*emissions, [(m, Fraction(1))]], [*transitions, stays])


def words(names: Sequence[str], sequence: Sequence[int]) -> str:
    """The beginning of a sequence."""
    return " ".join(names[o][:MAX_NAME] for o in sequence[:MAX_SHOWN])


def told(
    sides: Sequence[str], probabilities: Sequence[Fraction], names: Sequence[str], sequence: Sequence[int]
) -> str:
    """What both sides show, in words."""
    more = f" ... ({len(sequence)} observations)" if len(sequence) > MAX_SHOWN else ""
    shows = json.dumps(words(names, sequence)) + more
    left, right = map(brief, probabilities)
    return f"{sides[0]} shows {shows} with {left}, {sides[1]} with {right}"


def brief(p: Fraction) -> str:
    """A number, exactly if it is short."""
    bits = max(p.numerator.bit_length(), p.denominator.bit_length())
    return str(p) if bits <= 256 else f"a number of {bits} bits"


# --- certificates -------------------------------------------------------------------------------------


class Asked(Protocol):
    """A question as statements tell it."""

    def what(self) -> str:
        """What a certificate shows or refutes."""


Question = TypeVar("Question", bound=Asked)


@dataclass(frozen=True)
class Certified(Generic[Question]):
    """A certificate that was checked; ``violation`` tells of a violation, "" if the claim is private.

    ``fields`` are those of the question; ``listed`` and ``meant`` tell what the kernel cannot check.
    """

    data: dict[str, Any]
    question: Question
    violation: str
    fields: ClassVar[str]
    listed: ClassVar[str]
    meant: ClassVar[str]

    @property
    def status(self) -> str:
        """ "private" or "violated"."""
        return "violated" if self.violation else "private"

    @property
    def sha256(self) -> str:
        """The hash of the listed question."""
        parts = {name: self.data[name] for name in self.fields.split()}
        return hashlib.sha256(json.dumps(parts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    def statement(self) -> str:
        """What was proved, in words, about the listed model."""
        name = self.data["model"][:MAX_NAME].translate({ord(c): "_" for c in "\"'`"})
        sizes = [f"{len(self.data[field])} {field}" for field in ("states", "observations")]
        sizes.append(f"{len(self.data['pairs'])} ordered pairs")
        what = self.question.what()
        verdict = f"not {what}: {self.violation}" if self.violation else what
        return shown(f"model '{name}' ({', '.join(sizes)}) is {verdict}")

    def conditional(self) -> str:
        """The statement under its condition: the kernel does not read models."""
        return f"IF the listed {self.listed} are those that were meant THEN {self.statement()}"

    def summary(self) -> list[str]:
        """What was proved, and what is trusted."""
        trusted = f"trusted: that the listed {self.meant} are those that were meant"
        return [f"accepted: {self.conditional()}", f"{trusted}; everything else was recomputed"]


def check_form(data: Any, fields: str, statement: str, file: bytes | None) -> None:
    """The fields, the format and the kind of statement; that no program is meant; the verdict's word."""
    record(data, "format", *fields.split())
    if data["format"] != FORMAT or type(data["version"]) is not int or data["version"] != VERSION:
        raise Refused("format", f"only '{FORMAT}' version {VERSION} is known")
    if data["statement"] != statement:
        raise Refused("format", "only statements about hidden Markov models are known")
    if file is not None:
        raise Refused("program", "the certificate is about a hidden Markov model, not about a program")
    text(data["model"], "model")
    if data["verdict"] not in ("private", "violated"):
        raise Refused("verdict", "'private' or 'violated' is expected")
